//! Text to tokens, one at a time: what is wrong further on is told only when it is come to.

use super::Wrong;
use crate::error::ErrorKind;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A name with what hangs on it: `a`, `a.b`, `doc['field'].member`.
    Variable,
    Decimal,
    Hex,
    Octal,
    /// An operator, a parenthesis, a comma.
    Sign,
    End,
}

#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// Where it begins, in bytes.
    pub start: usize,
}

/// Longer ones before those that they begin with.
const SIGNS: &[&str] = &[
    "||", "&&", "|", "^", "&", "==", "!=", "<<", ">>>", ">>", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "~",
    "?", ":", "(", ")", ",",
];

pub struct Lexer<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(source: &'a str) -> Self {
        Self { source, at: 0 }
    }

    pub fn next(&mut self) -> Result<Token<'a>, Wrong> {
        let rest = self.source[self.at..].trim_start_matches([' ', '\t', '\n', '\r']);
        let start = self.source.len() - rest.len();
        let (kind, length) = match rest.bytes().next() {
            None => (Kind::End, 0),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$') => (Kind::Variable, variable(rest)),
            _ => match number(rest) {
                (_, 0) => (Kind::Sign, SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(0, |sign| sign.len())),
                found => found,
            },
        };
        if length == 0 && kind != Kind::End {
            return Err(self.unexpected(start));
        }
        self.at = start + length;
        Ok(Token { kind, text: &rest[..length], start })
    }

    /// What begins no token is shown up to where that was clear: `=` and `.` could have begun one.
    fn unexpected(&self, start: usize) -> Wrong {
        let rest = &self.source[start..];
        let shown = if rest.starts_with(['=', '.']) { 2 } else { 1 };
        let shown: String = rest.chars().take(shown).collect();
        Wrong {
            reason: format!("unexpected character '{shown}' {}", place(self.source, start)),
            at: start,
            cause: Some(ErrorKind::LexerNoViableAlt),
        }
    }
}

/// Line and column of a place in a source.
pub fn place(source: &str, at: usize) -> String {
    let before = source.get(..at).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    format!("on line ({line}) position ({column})")
}

fn digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// The number that a text begins with, and its length: 0 if there is none.
fn number(text: &str) -> (Kind, usize) {
    let bytes = text.as_bytes();
    let run = |from: usize, is: fn(&u8) -> bool| bytes[from..].iter().take_while(|b| is(b)).count();
    if let [b'0', b'x' | b'X', ..] = bytes
        && let length @ 1.. = run(2, u8::is_ascii_hexdigit)
    {
        return (Kind::Hex, 2 + length);
    }
    if let [b'0', ..] = bytes
        && let length @ 1.. = run(1, |b| (b'0'..=b'7').contains(b))
    {
        return (Kind::Octal, 1 + length);
    }
    let mut end = match bytes {
        [b'.', b'0'..=b'9', ..] => digits(bytes, 1),
        [first @ b'0'..=b'9', ..] => {
            // What begins with a nought is the nought alone.
            let whole = if *first == b'0' { 1 } else { digits(bytes, 0) };
            if bytes.get(whole) == Some(&b'.') { digits(bytes, whole + 1) } else { whole }
        }
        _ => return (Kind::Decimal, 0),
    };
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let from = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let after = digits(bytes, from);
        if after > from {
            end = after;
        }
    }
    (Kind::Decimal, end)
}

fn name(text: &str) -> usize {
    match text.bytes().next() {
        Some(b'0'..=b'9') | None => 0,
        _ => text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(text.len()),
    }
}

/// The length of the variable that a text begins with.
fn variable(text: &str) -> usize {
    let mut end = name(text);
    loop {
        let rest = &text[end..];
        let further = match rest.bytes().next() {
            Some(b'[') => index(rest),
            Some(b'.') => match name(&rest[1..]) {
                0 => 0,
                length => 1 + length,
            },
            _ => 0,
        };
        if further == 0 {
            return end;
        }
        end += further;
    }
}

/// The length of `['text']`, `["text"]` or `[number]`; 0 for anything else.
fn index(text: &str) -> usize {
    let bytes = text.as_bytes();
    let inner = match bytes.get(1) {
        Some(quote @ (b'\'' | b'"')) => match string(&bytes[2..], *quote) {
            Some(length) => 2 + length,
            None => return 0,
        },
        Some(b'0') => 2,
        Some(b'1'..=b'9') => digits(bytes, 1),
        _ => return 0,
    };
    if bytes.get(inner) == Some(&b']') { inner + 1 } else { 0 }
}

/// The length of a text with its closing quote; a backslash stands before itself or the quote.
fn string(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'\\' if matches!(bytes.get(at + 1), Some(next) if *next == b'\\' || *next == quote) => at += 2,
            b'\\' => return None,
            byte if *byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}
