//! Patterns over terms: wildcards, and texts regardless of case.

use crate::score::Automaton;
use memchr::memmem::Finder;

/// `*`: any characters, `?`: one character, `\`: the next character itself.
pub struct Wildcard {
    prefix: Vec<u8>,
    parts: Vec<Part>,
    fold: bool,
    literal: Option<Literal>,
}

/// A pattern of texts and stars alone, in bytes: those of a character never stand within another.
struct Literal {
    first: Vec<u8>,
    /// What stands between stars.
    between: Vec<Finder<'static>>,
    /// After the last star, if there is one.
    last: Option<Vec<u8>>,
}

impl Literal {
    fn new(parts: &[Part]) -> Option<Self> {
        let mut texts = vec![String::new()];
        for part in parts {
            match part {
                Part::One => return None,
                Part::Any => texts.push(String::new()),
                Part::Char(c) => texts.last_mut()?.push(*c),
            }
        }
        let mut texts = texts.into_iter().map(String::into_bytes);
        let (first, mut others) = (texts.next()?, texts.collect::<Vec<_>>());
        let last = others.pop();
        Some(Self { first, between: others.iter().map(|text| Finder::new(text).into_owned()).collect(), last })
    }

    fn matches(&self, term: &[u8]) -> bool {
        let Some(last) = &self.last else { return term == self.first };
        // Comparing nothing at the address of an empty vector takes long where that is done with masks: no page is there.
        let is_end = |part: &[u8], end: &[u8]| end.is_empty() || part == end;
        let Some((first, rest)) = term.split_at_checked(self.first.len()) else { return false };
        let Some((mut rest, end)) = rest.len().checked_sub(last.len()).map(|at| rest.split_at(at)) else {
            return false;
        };
        if !is_end(first, &self.first) || !is_end(end, last) {
            return false;
        }
        self.between.iter().all(|text| match text.find(rest) {
            Some(at) => {
                rest = &rest[at + text.needle().len()..];
                true
            }
            None => false,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Char(char),
    One,
    Any,
}

impl Wildcard {
    pub fn new(pattern: &str, case_insensitive: bool) -> Self {
        let mut parts = Vec::with_capacity(pattern.len());
        let mut chars = pattern.chars();
        while let Some(c) = chars.next() {
            let part = match c {
                '*' => Part::Any,
                '?' => Part::One,
                '\\' => Part::Char(chars.next().unwrap_or('\\')),
                c => Part::Char(c),
            };
            // Two stars are one.
            if part != Part::Any || parts.last() != Some(&Part::Any) {
                parts.push(part);
            }
        }
        let literal = parts.iter().map_while(|part| match part {
            Part::Char(c) if !case_insensitive => Some(*c),
            _ => None,
        });
        let prefix = literal.collect::<String>().into_bytes();
        let literal = if case_insensitive { None } else { Literal::new(&parts) };
        Self { prefix, parts, fold: case_insensitive, literal }
    }

    /// Linear in term times stars: only the last star is ever tried again.
    fn matches_text(&self, text: &str) -> bool {
        let mut rest = text;
        let mut at = 0;
        let mut retry: Option<(usize, &str)> = None;
        loop {
            let next = rest.chars().next();
            match (self.parts.get(at), next) {
                (Some(Part::Any), _) => {
                    at += 1;
                    retry = Some((at, rest));
                    continue;
                }
                (Some(Part::One), Some(c)) => {
                    at += 1;
                    rest = &rest[c.len_utf8()..];
                    continue;
                }
                (Some(Part::Char(p)), Some(c)) if same(*p, c, self.fold) => {
                    at += 1;
                    rest = &rest[c.len_utf8()..];
                    continue;
                }
                (None, None) => return true,
                _ => {}
            }
            let Some((after, from)) = retry else { return false };
            let Some(skipped) = from.chars().next() else { return false };
            let from = &from[skipped.len_utf8()..];
            retry = Some((after, from));
            (at, rest) = (after, from);
        }
    }
}

impl Automaton for Wildcard {
    fn matches(&self, term: &[u8]) -> bool {
        match &self.literal {
            Some(literal) => literal.matches(term),
            None => std::str::from_utf8(term).is_ok_and(|text| self.matches_text(text)),
        }
    }

    fn prefix(&self) -> &[u8] {
        &self.prefix
    }
}

/// A text regardless of the case of its ASCII letters, as the reference has it.
pub struct CaseInsensitive {
    text: String,
    whole: bool,
}

impl CaseInsensitive {
    pub fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), whole: true }
    }

    pub fn prefix(text: &str) -> Self {
        Self { text: text.to_owned(), whole: false }
    }
}

/// How the reference shows a query by an automaton of its own making: without telling what is looked for.
pub fn automaton_text(field: &str, text: &str) -> String {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{field}:AutomatonQuery {{\norg.apache.lucene.util.automaton.Automaton@{hash:08x}}}")
}

impl Automaton for CaseInsensitive {
    fn matches(&self, term: &[u8]) -> bool {
        let Ok(term) = std::str::from_utf8(term) else { return false };
        let mut chars = term.chars();
        self.text.chars().all(|p| chars.next().is_some_and(|c| same(p, c, true)))
            && (!self.whole || chars.next().is_none())
    }

    fn prefix(&self) -> &[u8] {
        b""
    }
}

fn same(a: char, b: char, fold: bool) -> bool {
    a == b || (fold && a.is_ascii() && a.eq_ignore_ascii_case(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        for (pattern, text, expected) in [
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("*", "", true),
            ("?", "é", true),
            ("a\\*", "a*", true),
            ("a\\*", "ab", false),
            ("", "", true),
            ("", "a", false),
            ("*é*x", "aéax", true),
            ("ab*ba", "aba", false),
            ("ab*ba", "abba", true),
            ("*ab*ab*", "xabab", true),
            ("*ab*ab*", "xabxa", false),
            ("a**b", "ab", true),
        ] {
            let wildcard = Wildcard::new(pattern, false);
            assert_eq!(wildcard.matches(text.as_bytes()), expected, "{pattern} {text}");
            assert_eq!(wildcard.matches_text(text), expected, "{pattern} {text}");
        }
        assert!(Wildcard::new("A*", true).matches(b"abc"));
        assert_eq!(Wildcard::new("ab*c", false).prefix(), b"ab");
        assert!(CaseInsensitive::literal("AbC").matches(b"abc") && !CaseInsensitive::literal("ab").matches(b"abc"));
        assert!(CaseInsensitive::prefix("AB").matches(b"abc"));
    }
}
