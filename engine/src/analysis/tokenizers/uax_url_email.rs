//! `uax_url_email`: as `standard`, but with URLs and e-mail addresses as tokens.

use super::longest::Longest;
use super::standard::{ALPHANUM, match_at};
use super::{Raw, Tokenizer, max_token_length};
use crate::Result;
use crate::analysis::offsets::utf16_len;
use crate::analysis::params::Params;
use crate::analysis::registry::Limits;
use std::sync::LazyLock;

const MAIL_TO: &str = "mailto:";

/// What the expressions of the grammar find, in their order: of equally long texts the first counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// A bare host and the character behind it, which shows that it is none, but the beginning of something else.
    Broken,
    /// A bare host and the character behind it, which lets it stand.
    Bare,
    Url,
    Email,
}

const RULES: [Found; 6] = [Found::Broken, Found::Url, Found::Bare, Found::Url, Found::Email, Found::Broken];

static GRAMMAR: LazyLock<Longest> = LazyLock::new(|| {
    let mut domains: Vec<String> = tld::TLD.iter().filter(|name| name.is_ascii()).map(|name| any_case(name)).collect();
    domains.sort();
    let tld = format!("(?:{})", domains.join("|"));
    let label = "[0-9A-Za-z](?:[-0-9A-Za-z]*[0-9A-Za-z])?";
    let strict = format!(r"(?:{label}(?:\.{label})*\.{tld})");
    let loose = format!(r"(?:{label}(?:\.{label})*)");
    let byte = "(?:0{0,2}[0-9]|0?[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])";
    let ipv4 = format!(r"(?:{byte}(?:\.{byte}){{3}})");
    let ipv6 = format!(r"(?:\[{}\])", ipv6(&ipv4));
    let free = r"[-._~A-Za-z0-9]|%[0-9A-Fa-f]{2}";
    // Logins, queries and fragments have more signs than paths, which end before a bracket or an apostrophe.
    let part = format!(r"(?:{free}|[!$&'()*+,;=])");
    let login = format!("(?:{part}*(?::{part}*)?@)");
    let query = format!(r"(?:\?(?:{part}|[:@/?])*)");
    let fragment = format!(r"(?:#(?:{part}|[:@/?])*)");
    let segment = format!(r"(?:/(?:{free}|[;:@&=])*)");
    let port = "(?::[0-9]{1,5})";
    let behind = format!("{query}?{fragment}?");
    let tail = format!("{segment}*{behind}");
    let bare = format!(r"(?:{ipv6}|{ipv4}|{strict}\.?)");
    let host = format!("(?:{ipv6}|{ipv4}|{loose})");
    // What is no page is a file, which has a path.
    let file = format!("(?:(?:/(?:{free}|[?:@&=])*)+{fragment}?)");
    let url = format!(
        r"[hH][tT][tT][pP][sS]?://{login}?{host}{port}?{tail}|[fF][tT][pP]://{login}?{host}{port}?{file}|[fF][iI][lL][eE]://{host}?{file}|{bare}(?:{port}{tail}|{segment}+{behind}|{query}{fragment}?|{fragment})"
    );
    let atom = r"[A-Za-z0-9!#$%&'*+,\-./=?^_`{|}~]";
    let quoted = r#""(?:[\x01-\x08\x0B\x0C\x0E-\x21\x23-\x5B\x5D-\x7E]|\\[\x00-\x7F])*""#;
    let local = format!(r"(?:{atom}+|{quoted})(?:\.(?:{atom}+|{quoted}))*");
    let literal = r"\[(?:[\x01-\x08\x0B\x0C\x0E-\x5A\x5E-\x7F]|\\[\x00-\x7F])*\]";
    Longest::new(&[
        format!(r"(?:{ipv6}|{ipv4})[-\w]"),
        url,
        format!(r"{bare}[^-\w]"),
        bare,
        format!(r"{local}@(?:{strict}\.?|{literal})"),
        // Behind the others: the longer of two domains, `com` and not `co`, stands where both would end alike.
        format!(r"{strict}[-\w]"),
    ])
});

/// The addresses of RFC 3986: eight groups, or fewer around one `::`.
fn ipv6(ipv4: &str) -> String {
    let group = "[0-9A-Fa-f]{1,4}";
    let last = format!("(?:{ipv4}|{group}:{group})");
    let mut ways = vec![format!("(?:{group}:){{6}}{last}"), format!("::(?:{group}:){{5}}{last}")];
    for before in 0..5 {
        let begin = format!("(?:(?:{group}:){{0,{before}}}{group})?::");
        ways.push(format!("{begin}(?:{group}:){{{}}}{last}", 4 - before));
    }
    ways.push(format!("(?:(?:{group}:){{0,5}}{group})?::{group}"));
    ways.push(format!("(?:(?:{group}:){{0,6}}{group})?::"));
    format!("(?:{})", ways.join("|"))
}

fn any_case(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphabetic() { format!("[{c}{}]", c.to_ascii_uppercase()) } else { c.into() })
        .collect()
}

#[derive(Debug)]
pub(crate) struct UrlEmail {
    max_token_length: usize,
}

pub(super) fn build(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    Ok(Box::new(UrlEmail { max_token_length: max_token_length(params)? }))
}

impl Tokenizer for UrlEmail {
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        let mut search = GRAMMAR.search();
        let mut at = 0;
        while at < text.len() {
            if self.mails_to(&mut search, text, at) {
                let end = at + MAIL_TO.len() - 1;
                if !sink(Raw::new(text, at, end, ALPHANUM)) {
                    return;
                }
                at = end;
                continue;
            }
            let word = match_at(&text[at..], self.max_token_length).map(|(len, kind)| (at + len, kind));
            let special = self.special(&mut search, text, at);
            let (end, kind) = match (special, word) {
                (Some(special), word) if word.is_none_or(|word| special.looked >= word.0) => {
                    (special.end, special.kind)
                }
                (_, Some(word)) => word,
                _ => {
                    at += text[at..].chars().next().map_or(1, char::len_utf8);
                    continue;
                }
            };
            if !sink(Raw::new(text, at, end, kind)) {
                return;
            }
            at = end;
        }
    }
}

impl UrlEmail {
    /// Whether `mailto:` with an address behind it begins at `at`: then it is a word, and the address an address.
    fn mails_to(&self, search: &mut super::longest::Search, text: &str, at: usize) -> bool {
        let behind = at + MAIL_TO.len();
        text.as_bytes().get(at..behind).is_some_and(|begin| begin.eq_ignore_ascii_case(MAIL_TO.as_bytes()))
            && behind < text.len()
            && self.special(search, text, behind).is_some_and(|special| special.kind == "<EMAIL>")
    }

    /// The URL or address at `at`. It begins with an ASCII character; only the window that may be looked at is.
    fn special(&self, search: &mut super::longest::Search, text: &str, at: usize) -> Option<Special> {
        let first = text.as_bytes()[at];
        if !first.is_ascii_graphic() {
            return None;
        }
        let limit = text.floor_char_boundary(at.saturating_add(self.max_token_length));
        let (looked, rule) = search.at(&text[..limit], at)?;
        let (end, kind) = match RULES[rule] {
            Found::Broken => return None,
            Found::Bare => (text.floor_char_boundary(looked - 1), "<URL>"),
            Found::Url => (looked, "<URL>"),
            Found::Email => (looked, "<EMAIL>"),
        };
        (utf16_len(&text[at..end]) as usize <= self.max_token_length).then_some(Special { end, looked, kind })
    }
}

/// A URL or an address.
struct Special {
    end: usize,
    /// Where what had to be seen of the text ends, which other tokens are measured against.
    looked: usize,
    kind: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut tokens = vec![];
        UrlEmail { max_token_length: 255 }.tokenize(text, &mut |raw| {
            tokens.push(format!("{} {}", raw.text, &raw.kind[1..4]));
            true
        });
        tokens
    }

    #[test]
    fn paths_end_before_brackets_and_apostrophes() {
        assert_eq!(tokens("(http://a.com/b)"), ["http://a.com/b URL"]);
        assert_eq!(tokens("https://a.org/wiki/Foo's"), ["https://a.org/wiki/Foo URL", "s ALP"]);
        assert_eq!(tokens("http://a/b?c'(d)"), ["http://a/b?c'(d) URL"]);
        assert_eq!(tokens("ftp://a/b?c#d file:///e"), ["ftp://a/b?c#d URL", "file:///e URL"]);
        assert_eq!(tokens("ftps://a/b"), ["ftps ALP", "a ALP", "b ALP"]);
    }

    #[test]
    fn bare_hosts_end_where_a_word_does() {
        assert_eq!(tokens("b-a.com"), ["b-a.com URL"]);
        assert_eq!(tokens("b-a.com."), ["b-a.com URL"]);
        assert_eq!(tokens("b-a.com/ b-a.com./x"), ["b-a.com/ URL", "b-a.com./x URL"]);
        assert_eq!(tokens("b-a.comp"), ["b ALP", "a.comp ALP"]);
        assert_eq!(tokens("b-a.com- c.com"), ["b ALP", "a.com ALP", "c.com URL"]);
        assert_eq!(tokens("b-a.com:80x"), ["b-a.com:80 URL", "x ALP"]);
        assert_eq!(tokens("a.com中"), ["a.com ALP", "中 IDE"]);
    }

    #[test]
    fn addresses_of_hosts_have_the_groups_that_they_must() {
        assert_eq!(tokens("[::1] [1:2:3:4:5:6:1.2.3.4]/x"), ["[::1] URL", "[1:2:3:4:5:6:1.2.3.4]/x URL"]);
        assert_eq!(tokens("[:1]"), ["1 NUM"]);
        assert_eq!(tokens("001.2.3.4 1.2.3.256"), ["001.2.3.4 URL", "1.2.3.256 NUM"]);
        // The last digit alone is what follows the host `1.2.3.1`.
        assert_eq!(tokens("1.2.3.11"), ["1.2.3.11 NUM"]);
        assert_eq!(tokens("1.2.3.11 "), ["1.2.3.11 URL"]);
    }
}
