//! `simple_pattern` and `simple_pattern_split`: the longest matches of an expression in Lucene's syntax as tokens, or what
//! stands between them.

use super::longest::Longest;
use super::{Raw, Tokenizer};
use crate::analysis::params::Params;
use crate::analysis::registry::Limits;
use crate::analysis::token::WORD;
use crate::{Error, Result};

/// The largest automaton of an expression; larger ones are refused.
const COMPILED_BYTES_MAX: usize = 2 << 20;

#[derive(Debug)]
pub(crate) struct SimplePattern {
    pattern: Longest,
    split: bool,
}

fn read(params: &Params, split: bool) -> Result<Box<dyn Tokenizer>> {
    let pattern = params.text("pattern").unwrap_or_default();
    let translated = translate(&pattern)?;
    let invalid = |error: String| Error::illegal_argument(format!("{error} in [{pattern}]"));
    Ok(Box::new(SimplePattern {
        pattern: Longest::of_user(&[translated], COMPILED_BYTES_MAX).map_err(invalid)?,
        split,
    }))
}

pub(super) fn build(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    read(params, false)
}

pub(super) fn build_split(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    read(params, true)
}

impl Tokenizer for SimplePattern {
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        let mut search = self.pattern.search();
        let (mut at, mut from) = (0, 0);
        while at < text.len() {
            let Some((end, _)) = search.at(text, at) else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            let (start, stop) = if self.split { (std::mem::replace(&mut from, end), at) } else { (at, end) };
            at = end;
            if start < stop && !sink(Raw::new(text, start, stop, WORD)) {
                return;
            }
        }
        if self.split && from < text.len() {
            sink(Raw::new(text, from, text.len(), WORD));
        }
    }
}

/// Lucene's syntax to that of the engine: literals in quotes, `@` for any text, `#` for nothing at all; the rest is alike.
/// Intersections and ranges of numbers have no
/// counterpart; `~` is a character like any other.
fn translate(pattern: &str) -> Result<String> {
    let refused =
        |what: &str| Error::illegal_argument(format!("{what} are not supported in the expression [{pattern}]"));
    let mut out = String::new();
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(class @ ('d' | 'D' | 's' | 'S' | 'w' | 'W')) => out.push_str(ascii_class(class)),
                Some(escaped) => push_literal(escaped, &mut out),
                None => return Err(Error::illegal_argument("unexpected end-of-string")),
            },
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            _ if in_class => match c {
                '-' => out.push('-'),
                '^' if out.ends_with('[') => out.push('^'),
                c => push_literal(c, &mut out),
            },
            '[' => {
                in_class = true;
                out.push('[');
            }
            '"' => {
                let rest = chars.as_str();
                let Some(end) = rest.find('"') else {
                    return Err(Error::illegal_argument(format!(
                        "expected '\"' at position {}",
                        pattern.encode_utf16().count()
                    )));
                };
                out.push_str("(?:");
                rest[..end].chars().for_each(|c| push_literal(c, &mut out));
                out.push(')');
                chars = rest[end + 1..].chars();
            }
            '@' => out.push_str("(?:.*)"),
            '#' => out.push_str(r"[a&&b]"),
            '&' => return Err(refused("intersections (&)")),
            '<' => return Err(refused("intervals (<>)")),
            '{' => {
                let rest = chars.as_str();
                let Some(end) =
                    rest.find('}').filter(|end| rest[..*end].bytes().all(|b| b.is_ascii_digit() || b == b','))
                else {
                    return Err(Error::illegal_argument(format!(
                        "integer expected at position {}",
                        (pattern.len() - rest.len())
                    )));
                };
                out.extend(["{", &rest[..end], "}"]);
                chars = rest[end + 1..].chars();
            }
            '(' => out.push_str("(?:"),
            '.' | '?' | '*' | '+' | '|' | ')' => out.push(c),
            c => push_literal(c, &mut out),
        }
    }
    if in_class && ["[", "[^", "-"].iter().any(|end| pattern.ends_with(end)) {
        return Err(Error::illegal_argument("unexpected end-of-string"));
    }
    if in_class {
        return Err(Error::illegal_argument(format!("expected ']' at position {}", pattern.encode_utf16().count())));
    }
    Ok(out)
}

fn push_literal(c: char, out: &mut String) {
    if c.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(c);
}

fn ascii_class(class: char) -> &'static str {
    match class {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => r"[ \t\n\r]",
        'S' => r"[^ \t\n\r]",
        'w' => "[0-9A-Z_a-z]",
        _ => "[^0-9A-Z_a-z]",
    }
}
