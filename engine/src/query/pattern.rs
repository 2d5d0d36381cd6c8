//! Patterns over terms: wildcards, and texts regardless of case.

use crate::error::Result;
use crate::score::{Automaton, Found};
use memchr::memmem::Finder;

/// `*`: any characters, `?`: one character, `\`: the next character itself.
#[derive(Debug)]
pub struct Wildcard {
    prefix: Vec<u8>,
    parts: Vec<Part>,
    literal: Option<Literal>,
}

/// A pattern of texts and stars alone, in bytes: those of a character never stand within another.
#[derive(Debug)]
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
                Part::One | Part::EitherCase(_) => return None,
                Part::Any => texts.push(String::new()),
                Part::Char(c) => texts.last_mut()?.push(*c),
            }
        }
        let mut texts = texts.into_iter().map(String::into_bytes);
        let (first, mut others) = (texts.next()?, texts.collect::<Vec<_>>());
        let last = others.pop();
        Some(Self { first, between: others.iter().map(|text| Finder::new(text).into_owned()).collect(), last })
    }

    /// What is left of a term for the texts between stars: where that begins and ends.
    #[inline]
    fn middle(&self, term: &[u8], last: &[u8]) -> Option<(usize, usize)> {
        // Comparing nothing at the address of an empty vector takes long where that is done with masks: no page is there.
        let is_end = |part: &[u8], end: &[u8]| end.is_empty() || part == end;
        let (first, rest) = term.split_at_checked(self.first.len())?;
        let (_, end) = rest.split_at(rest.len().checked_sub(last.len())?);
        (is_end(first, &self.first) && is_end(end, last)).then_some((self.first.len(), term.len() - last.len()))
    }

    fn matches(&self, term: &[u8]) -> bool {
        let Some(last) = &self.last else { return term == self.first };
        let Some((mut from, to)) = self.middle(term, last) else { return false };
        self.between.iter().all(|text| match text.find(&term[from..to]) {
            Some(at) => {
                from += at + text.needle().len();
                true
            }
            None => false,
        })
    }

    /// Each text is found where it stands first. What was found in bytes that the terms have in common stands there again, and what was
    /// not found can only end behind them.
    fn matches_next(&self, term: &[u8], shared: usize, found: &mut Found) -> bool {
        let Some(last) = &self.last else { return term == self.first };
        found.same = found.same.min(shared);
        let Some((mut from, to)) = self.middle(term, last) else { return false };
        let same = found.same;
        let kept = found.ends.iter().take_while(|end| **end <= same).count();
        found.ends.truncate(kept);
        from = found.ends.last().copied().unwrap_or(from);
        for (i, text) in self.between.iter().enumerate().skip(kept) {
            let len = text.needle().len();
            if i == kept {
                from = from.max((same + 1).saturating_sub(len));
            }
            let Some(at) = term.get(from..).and_then(|rest| text.find(rest)) else { break };
            from += at + len;
            found.ends.push(from);
        }
        found.same = term.len();
        found.ends.len() == self.between.len() && from <= to
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Char(char),
    EitherCase(char),
    One,
    Any,
}

impl Part {
    /// Whether this stands for one character, which `c` is.
    fn is(self, c: char) -> bool {
        match self {
            Self::Char(part) => part == c,
            Self::EitherCase(part) => same(part, c),
            Self::One => true,
            Self::Any => false,
        }
    }
}

impl Wildcard {
    pub fn new(pattern: &str, case_insensitive: bool) -> Self {
        let mut parts = Vec::with_capacity(pattern.len());
        let mut chars = pattern.chars();
        while let Some(c) = chars.next() {
            let part = match c {
                '*' => Part::Any,
                '?' => Part::One,
                // What is escaped is taken in its own case.
                '\\' => Part::Char(chars.next().unwrap_or('\\')),
                c if case_insensitive => Part::EitherCase(c),
                c => Part::Char(c),
            };
            // Two stars are one.
            if part != Part::Any || parts.last() != Some(&Part::Any) {
                parts.push(part);
            }
        }
        let literal = parts.iter().map_while(|part| match part {
            Part::Char(c) => Some(*c),
            _ => None,
        });
        let prefix = literal.collect::<String>().into_bytes();
        let literal = Literal::new(&parts);
        Self { prefix, parts, literal }
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
                (Some(part), Some(c)) if part.is(c) => {
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

    fn matches_next(&self, term: &[u8], shared: usize, found: &mut Found) -> bool {
        match &self.literal {
            Some(literal) => literal.matches_next(term, shared, found),
            None => self.matches(term),
        }
    }

    fn prefix(&self) -> &[u8] {
        &self.prefix
    }
}

/// A pattern whose texts between wildcards and what is escaped are normalized.
pub fn between_wildcards(pattern: &str, mut normalize: impl FnMut(&str) -> Result<String>) -> Result<String> {
    let (mut normalized, mut part, mut chars) = (String::new(), String::new(), pattern.chars());
    while let Some(c) = chars.next() {
        if !matches!(c, '*' | '?' | '\\') {
            part.push(c);
            continue;
        }
        normalized.push_str(&normalize(&part)?);
        part.clear();
        normalized.push(c);
        if c == '\\' {
            normalized.extend(chars.next());
        }
    }
    normalized.push_str(&normalize(&part)?);
    Ok(normalized)
}

/// A text regardless of the case of its ASCII letters, as the reference has it.
#[derive(Debug)]
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
        self.text.chars().all(|p| chars.next().is_some_and(|c| same(p, c))) && (!self.whole || chars.next().is_none())
    }

    fn prefix(&self) -> &[u8] {
        b""
    }
}

fn same(a: char, b: char) -> bool {
    a == b || a.eq_ignore_ascii_case(&b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_stays_in_its_case() {
        let insensitive = Wildcard::new(r"a\b*", true);
        assert!(insensitive.matches(b"Ab") && insensitive.matches(b"abC") && !insensitive.matches(b"aB"));
        let upper = |part: &str| Ok(part.to_uppercase());
        assert_eq!(between_wildcards(r"ab\cd*e?\\f", upper).unwrap(), r"AB\cD*E?\\F");
    }

    /// Of sorted terms each is found to match as it is by itself, with whatever it shares with the one before.
    fn one_after_the_other() {
        let digits = |mut n: u32| {
            let mut text = vec![];
            while n > 0 {
                text.push(b'a' + (n % 3) as u8);
                n /= 3;
            }
            text
        };
        let mut terms: Vec<Vec<u8>> =
            (0..2_000u32).map(|i| digits(i.wrapping_mul(2_654_435_761) >> (i % 24))).collect();
        terms.sort();
        for pattern in ["*ab*", "*a*b*c*", "a*bb*c", "*abc*abc", "*b", "**", "*aa*aa*", "b*a*", "*abcab*b*b", "abc"] {
            let wildcard = Wildcard::new(pattern, false);
            let (mut found, mut before, mut count) = (Found::default(), &[][..], 0);
            for (i, term) in terms.iter().enumerate() {
                let same = before.iter().zip(term).take_while(|(a, b)| a == b).count();
                // It may be told less than there is.
                let shared = if i % 7 == 0 { same / 2 } else { same };
                let matches = wildcard.matches_next(term, shared, &mut found);
                assert_eq!(matches, wildcard.matches(term), "{pattern} {}", String::from_utf8_lossy(term));
                count += usize::from(matches);
                before = term;
            }
            assert!(count > 0 || pattern == "abc", "{pattern}");
        }
    }

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
        one_after_the_other();
        assert!(Wildcard::new("A*", true).matches(b"abc"));
        assert_eq!(Wildcard::new("ab*c", false).prefix(), b"ab");
        assert!(CaseInsensitive::literal("AbC").matches(b"abc") && !CaseInsensitive::literal("ab").matches(b"abc"));
        assert!(CaseInsensitive::prefix("AB").matches(b"abc"));
    }
}
