//! The tokens of the query string syntax.

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
    /// `~` with the number behind it, if there is one.
    Fuzzy,
    Prefix,
    Wildcard,
    Regexp,
    RangeInclusive,
    RangeExclusive,
    End,
}

const SPACE: &[char] = &[' ', '\t', '\n', '\r', '\u{3000}'];

fn begins_term(c: char) -> bool {
    !SPACE.contains(&c) && !r#"+-!():^[]"{}~*?\/"#.contains(c)
}

fn continues_term(c: char) -> bool {
    begins_term(c) || c == '-' || c == '+'
}

/// Splits a query string into tokens; the last one is `End`.
pub fn tokens(text: &str) -> Result<Vec<Token>> {
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if SPACE.contains(&c) {
            at += 1;
            continue;
        }
        let (kind, end) = token(text, &chars, at)?;
        out.push(Token { kind, text: chars[at..end].iter().collect(), at });
        at = end;
    }
    out.push(Token { kind: Kind::End, text: String::new(), at: chars.len() });
    Ok(out)
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
            while chars.get(end).is_some_and(|c| c.is_ascii_digit() || *c == '.') {
                end += 1;
            }
            Ok((Kind::Fuzzy, end))
        }
        '[' => Ok((Kind::RangeInclusive, range_end(text, chars, at)?)),
        '{' => Ok((Kind::RangeExclusive, range_end(text, chars, at)?)),
        ']' | '}' => Err(lexical(text, chars, at)),
        _ => word(text, chars, at),
    }
}

fn ends_word(chars: &[char], at: usize) -> bool {
    chars.get(at).is_none_or(|c| !continues_term(*c) && *c != '\\' && *c != '*' && *c != '?')
}

fn word(text: &str, chars: &[char], at: usize) -> Result<(Kind, usize)> {
    let (mut end, mut stars, mut marks, mut last_star) = (at, 0, 0, at);
    while let Some(&c) = chars.get(end) {
        match c {
            '\\' if end + 1 < chars.len() => end += 1,
            '\\' => return Err(lexical(text, chars, chars.len())),
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
            None => return Err(lexical(text, chars, chars.len())),
            Some('\\') => end += 2,
            Some('"') => return Ok((Kind::Quoted, end + 1)),
            Some(_) => end += 1,
        }
    }
}

fn regexp(text: &str, chars: &[char], at: usize) -> Result<(Kind, usize)> {
    let mut end = at + 1;
    loop {
        match chars.get(end) {
            None => return Err(lexical(text, chars, chars.len())),
            Some('\\') if chars.get(end + 1) == Some(&'/') => end += 2,
            Some('/') => return Ok((Kind::Regexp, end + 1)),
            Some(_) => end += 1,
        }
    }
}

/// Behind the closing bracket of a range.
fn range_end(text: &str, chars: &[char], at: usize) -> Result<usize> {
    let mut end = at + 1;
    loop {
        match chars.get(end) {
            None => return Err(lexical(text, chars, chars.len())),
            Some('"') => end = quoted(text, chars, end)?.1,
            Some('\\') => end += 2,
            Some(']' | '}') => return Ok(end + 1),
            Some(_) => end += 1,
        }
    }
}

/// A text that is no token.
fn lexical(text: &str, chars: &[char], at: usize) -> Error {
    let found = match chars.get(at) {
        None => "<EOF>".to_owned(),
        Some(c) => format!("'{c}' ({})", *c as u32),
    };
    let column = at + 1;
    let reason = format!(
        "Cannot parse '{text}': Lexical error at line 1, column {column}.  Encountered: {found}, after prefix \"\""
    );
    Error::new(ErrorKind::Parse, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        tokens(text).unwrap().into_iter().map(|token| token.kind).collect()
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
        assert!(tokens("\"a").is_err() && tokens("a]").is_err() && tokens("a\\").is_err());
    }
}
