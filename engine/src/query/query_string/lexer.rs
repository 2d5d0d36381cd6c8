//! The tokens of the query string syntax.

use super::range;
use crate::error::{Error, ErrorKind, Result};

#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub kind: Kind,
    /// As written.
    pub text: String,
    /// In characters, from 0.
    pub at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    And,
    Or,
    Not,
    Plus,
    Minus,
    /// A sign that white space follows: no operator, but a term of nothing.
    BareSign,
    Open,
    Close,
    Colon,
    Star,
    Caret,
    Quoted,
    Term,
    /// `~` with what is written behind it.
    Fuzzy,
    Prefix,
    Wildcard,
    Regexp,
    RangeInclusive,
    RangeExclusive,
    End,
}

pub const SPACE: &[char] = &[' ', '\t', '\n', '\r', '\u{3000}'];

fn begins_term(c: char) -> bool {
    !SPACE.contains(&c) && !r#"+-!():^[]"{}~*?\/"#.contains(c)
}

fn continues_term(c: char) -> bool {
    begins_term(c) || c == '-' || c == '+'
}

/// Splits a query string into tokens; the last one is `End`, where what follows is no token with the reason.
pub fn tokens(text: &str) -> (Vec<Token>, Option<Error>) {
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let behind_caret = out.last().is_some_and(|token: &Token| token.kind == Kind::Caret);
        if SPACE.contains(&c) && !behind_caret {
            at += 1;
            continue;
        }
        let found = if behind_caret { number(text, &chars, at) } else { token(text, &chars, at) };
        let (kind, end) = match found {
            Ok(found) => found,
            Err(error) => {
                out.push(Token { kind: Kind::End, text: String::new(), at });
                return (out, Some(error));
            }
        };
        out.push(Token { kind, text: chars[at..end].iter().collect(), at });
        at = end;
    }
    out.push(Token { kind: Kind::End, text: String::new(), at: chars.len() });
    (out, None)
}

fn token(text: &str, chars: &[char], at: usize) -> Result<(Kind, usize)> {
    let followed_by_space = chars.get(at + 1).is_none_or(|next| SPACE.contains(next));
    let pair = |c: char| chars.get(at + 1) == Some(&c);
    let single = match chars[at] {
        '+' | '-' | '!' if followed_by_space && at + 1 < chars.len() => Some(Kind::BareSign),
        '+' => Some(Kind::Plus),
        '-' => Some(Kind::Minus),
        '!' => Some(Kind::Not),
        '(' => Some(Kind::Open),
        ')' => Some(Kind::Close),
        ':' => Some(Kind::Colon),
        '^' => Some(Kind::Caret),
        _ => None,
    };
    if let Some(kind) = single {
        return Ok((kind, at + 1));
    }
    match chars[at] {
        '&' if pair('&') && ends_word(chars, at + 2) => Ok((Kind::And, at + 2)),
        '|' if pair('|') && ends_word(chars, at + 2) => Ok((Kind::Or, at + 2)),
        '"' => quoted(text, chars, at),
        '/' => regexp(text, chars, at),
        '~' => {
            let mut end = at + 1;
            while let Some(&c) = chars.get(end) {
                match c {
                    '\\' if end + 1 < chars.len() => end += 2,
                    c if continues_term(c) => end += 1,
                    _ => break,
                }
            }
            Ok((Kind::Fuzzy, end))
        }
        '[' => Ok((Kind::RangeInclusive, range::read(text, chars, at)?.end)),
        '{' => Ok((Kind::RangeExclusive, range::read(text, chars, at)?.end)),
        ']' | '}' => Err(lexical(text, chars, at, at)),
        _ => word(text, chars, at),
    }
}

/// What stands behind a caret: digits, and a fraction.
fn number(text: &str, chars: &[char], at: usize) -> Result<(Kind, usize)> {
    let digits = |from: usize| chars[from..].iter().take_while(|c| c.is_ascii_digit()).count();
    let whole = digits(at);
    if whole == 0 {
        return Err(lexical(text, chars, at, at));
    }
    let end = at + whole;
    let fraction = if chars.get(end) == Some(&'.') { digits(end + 1) } else { 0 };
    Ok((Kind::Term, if fraction > 0 { end + 1 + fraction } else { end }))
}

fn ends_word(chars: &[char], at: usize) -> bool {
    chars.get(at).is_none_or(|c| !continues_term(*c) && *c != '\\' && *c != '*' && *c != '?')
}

fn word(text: &str, chars: &[char], at: usize) -> Result<(Kind, usize)> {
    let (mut end, mut stars, mut marks, mut last_star) = (at, 0, 0, at);
    while let Some(&c) = chars.get(end) {
        match c {
            '\\' if end + 1 < chars.len() => end += 1,
            '\\' => return Err(lexical(text, chars, at, chars.len())),
            '*' => {
                stars += 1;
                last_star = end;
            }
            '?' => marks += 1,
            c if end == at && begins_term(c) => {}
            c if end > at && continues_term(c) => {}
            _ => break,
        }
        end += 1;
    }
    let kind = match (stars, marks, last_star + 1 == end) {
        (1, 0, true) if end == at + 1 => Kind::Star,
        (1, 0, true) => Kind::Prefix,
        (0, 0, _) => Kind::Term,
        _ => Kind::Wildcard,
    };
    let plain: String = chars[at..end].iter().collect();
    Ok(match plain.as_str() {
        "AND" => (Kind::And, end),
        "OR" => (Kind::Or, end),
        "NOT" => (Kind::Not, end),
        _ => (kind, end),
    })
}

fn quoted(text: &str, chars: &[char], at: usize) -> Result<(Kind, usize)> {
    let mut end = at + 1;
    loop {
        match chars.get(end) {
            None => return Err(lexical(text, chars, at, chars.len())),
            Some('\\') => end += 2,
            Some('"') => return Ok((Kind::Quoted, end + 1)),
            Some(_) => end += 1,
        }
    }
}

fn regexp(text: &str, chars: &[char], at: usize) -> Result<(Kind, usize)> {
    let mut end = at + 1;
    let mut last_escaped = None;
    loop {
        match chars.get(end) {
            // An escaped slash ends it where no other does: the backslash is any character as well.
            None => {
                let escaped = last_escaped.map(|end| (Kind::Regexp, end));
                return escaped.ok_or_else(|| lexical(text, chars, at, chars.len()));
            }
            Some('\\') if chars.get(end + 1) == Some(&'/') => {
                end += 2;
                last_escaped = Some(end);
            }
            Some('/') => return Ok((Kind::Regexp, end + 1)),
            Some(_) => end += 1,
        }
    }
}

/// A text as it would stand in a program.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '"' | '\'' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out
}

/// A text that is no token; the characters before `at` that might have become one begin at `from`.
fn lexical(text: &str, chars: &[char], from: usize, at: usize) -> Error {
    // The last character is only found to be wrong when there is nothing behind it.
    let at_end = at + 1 >= chars.len();
    // Behind a caret nothing but numbers is looked for.
    let state = if from.checked_sub(1).and_then(|before| chars.get(before)) == Some(&'^') {
        ""
    } else {
        " (in lexical state 2)"
    };
    let units = |chars: &[char]| chars.iter().map(|c| c.len_utf16()).sum::<usize>();
    let (line, column, found) = match chars.get(at) {
        Some(c) if !at_end => (1, units(&chars[..=at]), format!("'{0}' ({0}),", *c as u32)),
        _ => {
            let begun: String = chars.get(from..).unwrap_or_default().iter().collect();
            let is_begun =
                chars.len() > from && at >= chars.len() && (!begun.ends_with('\\') || begun.starts_with(['"', '/']));
            // A single character is not shown.
            let is_begun = is_begun && begun.chars().count() > 1;
            let found =
                if is_begun { format!("<EOF> after prefix \"{}\"", escaped(&begun)) } else { "<EOF>".to_owned() };
            // Lines are told apart by what stands last, and only there.
            match chars.last() {
                Some('\n' | '\r') => (2, 0, found),
                _ => (1, units(chars) + 1, found),
            }
        }
    };
    let reason = format!("Lexical error at line {line}, column {column}.  Encountered: {found}{state}");
    let cause = Error::new(ErrorKind::TokenManager, reason.clone());
    Error::new(ErrorKind::Parse, format!("Cannot parse '{text}': {reason}")).caused_by(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_token() {
        let reason = |text: &str| {
            let error = tokens(text).1.expect("no tokens");
            error.reason().strip_prefix(&format!("Cannot parse '{text}': ")).unwrap_or("").to_owned()
        };
        let at =
            |column: usize, found: &str| format!("Lexical error at line 1, column {column}.  Encountered: {found}");
        assert_eq!(reason("x \""), at(4, "<EOF> (in lexical state 2)"));
        assert_eq!(reason("x \"a\u{fc}"), at(6, r#"<EOF> after prefix "\"a\u00fc" (in lexical state 2)"#));
        assert_eq!(reason("x \"\u{1f600}"), at(6, r#"<EOF> after prefix "\"\ud83d\ude00" (in lexical state 2)"#));
        let ended =
            r#"Lexical error at line 2, column 0.  Encountered: <EOF> after prefix "\"\n" (in lexical state 2)"#;
        assert_eq!(reason("x \"\n"), ended);
        assert_eq!(reason("x \"a"), at(5, r#"<EOF> after prefix "\"a" (in lexical state 2)"#));
        assert_eq!(reason("x \"a\\"), at(6, r#"<EOF> after prefix "\"a\\" (in lexical state 2)"#));
        assert_eq!(tokens(r"/a\/ b").0.first().map(|token| token.text.as_str()), Some(r"/a\/"));
        assert_eq!(tokens(r"/a\/ b/").0.first().map(|token| token.text.as_str()), Some(r"/a\/ b/"));
        assert_eq!(reason("x a\\"), at(5, "<EOF> (in lexical state 2)"));
        assert_eq!(reason("a^)"), at(4, "<EOF>"));
        assert_eq!(reason("a^ 2"), at(3, "'32' (32),"));
        assert_eq!(reason("a^.5"), at(3, "'46' (46),"));
    }

    fn kinds(text: &str) -> Vec<Kind> {
        tokens(text).0.into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn tokens_of_all_kinds() {
        use Kind::*;
        assert_eq!(
            kinds(r#"a:b* AND (c?d OR "e f"~2^3) -g +h NOT i~1 [1 TO 2} * j\*"#),
            [
                Term,
                Colon,
                Prefix,
                And,
                Open,
                Wildcard,
                Or,
                Quoted,
                Fuzzy,
                Caret,
                Term,
                Close,
                Minus,
                Term,
                Plus,
                Term,
                Not,
                Term,
                Fuzzy,
                RangeInclusive,
                Star,
                Term,
                End
            ]
        );
        assert_eq!(kinds("a && b || c"), [Term, And, Term, Or, Term, End]);
        assert_eq!(kinds("a - b-c"), [Term, BareSign, Term, End]);
        assert_eq!(kinds("a^2b^1.5 c~x"), [Term, Caret, Term, Term, Caret, Term, Term, Fuzzy, End]);
        assert!(["\"a", "a]", "a\\"].into_iter().all(|text| tokens(text).1.is_some()));
    }
}
