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

const KINDS: [&str; 2] = ["<URL>", "<EMAIL>"];

static GRAMMAR: LazyLock<Longest> = LazyLock::new(|| {
    let mut domains: Vec<String> = tld::TLD.iter().filter(|name| name.is_ascii()).map(|name| any_case(name)).collect();
    domains.sort();
    let tld = format!("(?:{})", domains.join("|"));
    let label = "[0-9A-Za-z](?:[-0-9A-Za-z]*[0-9A-Za-z])?";
    let strict = format!(r"(?:{label}(?:\.{label})*\.{tld})");
    let loose = format!(r"(?:{label}(?:\.{label})*)");
    let byte = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    let ipv4 = format!(r"(?:{byte}(?:\.{byte}){{3}})");
    let ipv6 = r"\[[0-9A-Fa-f:.]{2,45}\]";
    let part = r"(?:[-._~A-Za-z0-9!$&'()*+,;=]|%[0-9A-Fa-f]{2})";
    let login = format!("(?:{part}*(?::{part}*)?@)");
    let query = format!(r"(?:\?(?:{part}|[:@/?])*)");
    let fragment = format!(r"(?:#(?:{part}|[:@/?])*)");
    let path = format!(r"(?:/(?:{part}|[;:@&=])*)*");
    let port = "(?::[0-9]{1,5})";
    let tail = format!("{port}?{path}{query}?{fragment}?");
    let web = "[hH][tT][tT][pP][sS]?";
    let files = "(?:[fF][tT][pP][sS]?|[fF][iI][lL][eE])";
    let host = format!("(?:{ipv6}|{ipv4}|{loose})");
    // What is no page is a file, which has a path.
    let file = format!("(?:/(?:{part}|[;:@&=])*)+");
    let url = format!(
        "{web}://{login}?{host}{tail}|{files}://{login}?{host}{port}?{file}|{files}://{file}|(?:{ipv6}|{ipv4}|{strict}){tail}"
    );
    let atom = r"[A-Za-z0-9!#$%&'*+,\-./=?^_`{|}~]";
    let quoted = r#""(?:[\x01-\x08\x0B\x0C\x0E-\x21\x23-\x5B\x5D-\x7E]|\\[\x00-\x7F])*""#;
    let local = format!(r"(?:{atom}+|{quoted})(?:\.(?:{atom}+|{quoted}))*");
    let literal = r"\[(?:[\x01-\x08\x0B\x0C\x0E-\x5A\x5E-\x7F]|\\[\x00-\x7F])*\]";
    let strict_email = format!(r"(?:{label}(?:\.{label})*\.{tld}\.?)");
    Longest::new(&[url, format!("{local}@(?:{strict_email}|{literal})")])
});

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
                (Some(special), Some(word)) => {
                    if special.0 >= word.0 {
                        special
                    } else {
                        word
                    }
                }
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => {
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
            && self.special(search, text, behind).is_some_and(|(_, kind)| kind == "<EMAIL>")
    }

    /// The URL or address at `at`. It begins with an ASCII character; only the window that may be looked at is.
    fn special(&self, search: &mut super::longest::Search, text: &str, at: usize) -> Option<(usize, &'static str)> {
        let first = text.as_bytes()[at];
        if !first.is_ascii_graphic() {
            return None;
        }
        let limit = text.floor_char_boundary(at.saturating_add(self.max_token_length));
        let (end, rule) = search.at(&text[..limit], at)?;
        (utf16_len(&text[at..end]) as usize <= self.max_token_length).then_some((end, KINDS[rule]))
    }
}
