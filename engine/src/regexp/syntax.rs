//! The regular expressions of Lucene: text to a tree.

use crate::error::{Error, ErrorKind, Result};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// What optional syntax is understood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flags(u32);

const INTERSECTION: u32 = 1;
/// Only where it is asked for by name: `ALL` goes without it.
const COMPLEMENT: u32 = 0x1_0000;
const EMPTY: u32 = 4;
const ANYSTRING: u32 = 8;
/// No name asks for it alone; it is one of `ALL`.
const AUTOMATON: u32 = 16;
const INTERVAL: u32 = 32;

impl Flags {
    pub const ALL: Self = Self(0xff);

    /// `INTERSECTION|COMPLEMENT`, `ALL`, `NONE` and so on; an empty text is all.
    pub fn of(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Ok(Self::ALL);
        }
        let mut bits = 0;
        for name in text.split('|') {
            bits |= match name.to_uppercase().as_str() {
                "" => 0,
                "INTERSECTION" => INTERSECTION,
                "COMPLEMENT" => COMPLEMENT,
                "EMPTY" => EMPTY,
                "ANYSTRING" => ANYSTRING,
                "INTERVAL" => INTERVAL,
                "NONE" => return Ok(Self(0)),
                "ALL" => return Ok(Self::ALL),
                _ => return Err(Error::illegal_argument(format!("Unknown regexp flag [{name}]"))),
            };
        }
        Ok(Self(bits))
    }

    pub fn of_bits(bits: i32) -> Self {
        Self(if bits < 0 { Self::ALL.0 } else { bits as u32 })
    }

    pub fn bits(self) -> u32 {
        self.0
    }

    fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// Matches the empty text.
    Nil,
    /// Matches no text at all.
    Never,
    /// One character of any of the ranges, which are inclusive.
    Set(Vec<(u32, u32)>),
    Concat(Vec<Expr>),
    Union(Vec<Expr>),
    Intersection(Box<Expr>, Box<Expr>),
    Complement(Box<Expr>),
    Repeat {
        inner: Box<Expr>,
        min: u32,
        max: Option<u32>,
    },
    /// Decimal numbers of a range, with leading zeros up to so many digits; 0 digits: as many as there are.
    Numbers {
        min: u32,
        max: u32,
        digits: usize,
    },
    /// An automaton by its name. There are none: what has one cannot be made.
    Named(String),
}

const LAST: u32 = 0x10_ffff;
/// Deepest nesting of groups.
const DEPTH_MAX: usize = 200;

/// Parses a whole expression.
pub fn parse(text: &str, flags: Flags, case_insensitive: bool) -> Result<Expr> {
    let chars: Vec<char> = text.chars().collect();
    if chars.is_empty() {
        return Ok(Expr::Nil);
    }
    let mut parser = Parser { chars, at: 0, flags, case_insensitive, depth: 0 };
    let expr = parser.union()?;
    if parser.at < parser.chars.len() {
        return Err(parser.refused_here("end-of-string expected"));
    }
    Ok(expr)
}

fn refused(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::IllegalArgument, reason)
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    flags: Flags,
    case_insensitive: bool,
    depth: usize,
}

impl Parser {
    /// How many of Java's characters there are before a place.
    fn position(&self, at: usize) -> usize {
        self.chars[..at].iter().map(|c| c.len_utf16()).sum()
    }

    fn refused_here(&self, reason: &str) -> Error {
        refused(format!("{reason} at position {}", self.position(self.at)))
    }

    fn peek(&self, of: &str) -> bool {
        self.chars.get(self.at).is_some_and(|c| of.contains(*c))
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.chars.get(self.at) == Some(&wanted);
        self.at += usize::from(found);
        found
    }

    fn next(&mut self) -> Result<char> {
        let next = self.chars.get(self.at).copied().ok_or_else(|| refused("unexpected end-of-string"))?;
        self.at += 1;
        Ok(next)
    }

    fn union(&mut self) -> Result<Expr> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(refused(format!("regular expression is nested deeper than [{DEPTH_MAX}]")));
        }
        let mut parts = vec![self.intersection()?];
        while self.take('|') {
            parts.push(self.intersection()?);
        }
        self.depth -= 1;
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Union(parts) })
    }

    fn intersection(&mut self) -> Result<Expr> {
        let mut expr = self.concat()?;
        while self.flags.has(INTERSECTION) && self.take('&') {
            expr = Expr::Intersection(Box::new(expr), Box::new(self.concat()?));
        }
        Ok(expr)
    }

    fn concat(&mut self) -> Result<Expr> {
        let mut parts = vec![self.repeat()?];
        while self.at < self.chars.len() && !self.peek(")|") && !(self.flags.has(INTERSECTION) && self.peek("&")) {
            parts.push(self.repeat()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Concat(parts) })
    }

    fn repeat(&mut self) -> Result<Expr> {
        let mut expr = self.complement()?;
        while self.peek("?*+{") {
            let (min, max) = match self.next()? {
                '?' => (0, Some(1)),
                '*' => (0, None),
                '+' => (1, None),
                _ => self.bounds()?,
            };
            expr = Expr::Repeat { inner: Box::new(expr), min, max };
        }
        Ok(expr)
    }

    fn bounds(&mut self) -> Result<(u32, Option<u32>)> {
        let min = self.integer()?;
        let mut max = Some(min);
        if self.take(',') {
            max = if self.peek("0123456789") { Some(self.integer()?) } else { None };
        }
        if !self.take('}') {
            return Err(self.refused_here("expected '}'"));
        }
        if max.is_some_and(|max| min > max) {
            let max = max.unwrap_or(0);
            return Err(refused(format!("invalid repetition range(out of order): {min}..{max}")));
        }
        Ok((min, max))
    }

    fn integer(&mut self) -> Result<u32> {
        let start = self.at;
        while self.peek("0123456789") {
            self.at += 1;
        }
        if start == self.at {
            return Err(self.refused_here("integer expected"));
        }
        let text: String = self.chars[start..self.at].iter().collect();
        text.parse().map_err(|_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\"")))
    }

    fn complement(&mut self) -> Result<Expr> {
        let mut negations = 0;
        while self.flags.has(COMPLEMENT) && self.take('~') {
            negations += 1;
        }
        let expr = self.class()?;
        Ok(if negations % 2 == 1 { Expr::Complement(Box::new(expr)) } else { expr })
    }

    fn class(&mut self) -> Result<Expr> {
        if !self.take('[') {
            return self.simple();
        }
        let negated = self.take('^');
        let mut ranges = vec![];
        loop {
            self.class_member(&mut ranges)?;
            if self.at >= self.chars.len() || self.peek("]") {
                break;
            }
        }
        if let Some((from, to)) = ranges.iter().find(|(from, to)| from > to) {
            return Err(refused(format!("invalid range: from ({from}) cannot be > to ({to})")));
        }
        if !self.take(']') {
            return Err(self.refused_here("expected ']'"));
        }
        Ok(Expr::Set(if negated { negate(ranges) } else { ranges }))
    }

    fn class_member(&mut self, ranges: &mut Vec<(u32, u32)>) -> Result<()> {
        if self.take('\\') {
            return self.escaped(ranges);
        }
        let from = self.next()?;
        if !self.take('-') {
            self.push_char(from, ranges);
            return Ok(());
        }
        let to = self.character()?;
        // Ranges are taken as they are, whatever else may be matched in either case.
        ranges.push((from.into(), to.into()));
        Ok(())
    }

    /// What follows a backslash: a class, or one character, which begins no range.
    fn escaped(&mut self, ranges: &mut Vec<(u32, u32)>) -> Result<()> {
        let escaped = self.next()?;
        match predefined(escaped) {
            Some(class) => ranges.extend(class),
            // Kept for classes to come.
            None if escaped.is_ascii_alphabetic() => {
                return Err(refused(format!("invalid character class \\{}", u32::from(escaped))));
            }
            None => self.push_char(escaped, ranges),
        }
        Ok(())
    }

    fn push_char(&self, c: char, ranges: &mut Vec<(u32, u32)>) {
        if !self.case_insensitive {
            return ranges.push((c.into(), c.into()));
        }
        let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
        class.case_fold_simple();
        ranges.extend(class.ranges().iter().map(|range| (range.start().into(), range.end().into())));
        if c == 'İ' {
            // In no class of its own; Java makes it small this way.
            ranges.push(('i'.into(), 'i'.into()));
        }
    }

    fn character(&mut self) -> Result<char> {
        self.take('\\');
        self.next()
    }

    fn simple(&mut self) -> Result<Expr> {
        if self.take('.') {
            return Ok(Expr::Set(vec![(0, LAST)]));
        }
        if self.flags.has(EMPTY) && self.take('#') {
            return Ok(Expr::Never);
        }
        if self.flags.has(ANYSTRING) && self.take('@') {
            let any = Box::new(Expr::Set(vec![(0, LAST)]));
            return Ok(Expr::Repeat { inner: any, min: 0, max: None });
        }
        if self.take('"') {
            return self.quoted();
        }
        if self.take('(') {
            if self.take(')') {
                return Ok(Expr::Nil);
            }
            let expr = self.union()?;
            if !self.take(')') {
                return Err(self.refused_here("expected ')'"));
            }
            return Ok(expr);
        }
        if self.flags.has(INTERVAL | AUTOMATON) && self.take('<') {
            return self.numbers();
        }
        let mut ranges = vec![];
        if self.take('\\') {
            self.escaped(&mut ranges)?;
        } else {
            let c = self.next()?;
            self.push_char(c, &mut ranges);
        }
        Ok(Expr::Set(ranges))
    }

    fn quoted(&mut self) -> Result<Expr> {
        let mut parts = vec![];
        while let Some(c) = self.chars.get(self.at).copied() {
            self.at += 1;
            if c == '"' {
                return Ok(if parts.is_empty() { Expr::Nil } else { Expr::Concat(parts) });
            }
            let mut ranges = vec![];
            self.push_char(c, &mut ranges);
            parts.push(Expr::Set(ranges));
        }
        Err(self.refused_here("expected '\"'"))
    }

    /// `<n-m>` or `<name>`, after the opening bracket.
    fn numbers(&mut self) -> Result<Expr> {
        let start = self.at;
        while self.at < self.chars.len() && !self.peek(">") {
            self.at += 1;
        }
        let text: String = self.chars[start..self.at].iter().collect();
        if !self.take('>') {
            return Err(self.refused_here("expected '>'"));
        }
        let position = self.position(self.at - 1);
        let malformed = || refused(format!("interval syntax error at position {position}"));
        let not_a_number = |number: Option<&str>| {
            let cause = match number {
                Some(text) => Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\"")),
                None => Error::without_reason(ErrorKind::NumberFormat),
            };
            malformed().caused_by(cause)
        };
        let Some((from, to)) = text.split_once('-') else {
            return if self.flags.has(AUTOMATON) { Ok(Expr::Named(text)) } else { Err(malformed()) };
        };
        if !self.flags.has(INTERVAL) {
            return Err(refused(format!("illegal identifier at position {position}")));
        }
        if from.is_empty() || to.is_empty() || to.contains('-') {
            return Err(not_a_number(None));
        }
        let number = |text: &str| text.parse::<i32>().map(i32::unsigned_abs).map_err(|_| not_a_number(Some(text)));
        let (min, max) = (number(from)?, number(to)?);
        let digits = if from.len() == to.len() { from.len() } else { 0 };
        Ok(Expr::Numbers { min: min.min(max), max: min.max(max), digits })
    }
}

/// Classes of characters that a letter behind a backslash stands for.
fn predefined(letter: char) -> Option<Vec<(u32, u32)>> {
    let range = |from: char, to: char| (u32::from(from), u32::from(to));
    let digits = || vec![range('0', '9')];
    let words = || vec![range('0', '9'), range('A', 'Z'), range('_', '_'), range('a', 'z')];
    let spaces = || vec![range('\t', '\n'), range('\r', '\r'), range(' ', ' ')];
    Some(match letter {
        'd' => digits(),
        'D' => negate(digits()),
        'w' => words(),
        'W' => negate(words()),
        's' => spaces(),
        'S' => negate(spaces()),
        _ => return None,
    })
}

fn negate(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let (mut out, mut next) = (vec![], 0);
    for (from, to) in ranges {
        if from > next {
            out.push((next, from - 1));
        }
        next = next.max(to + 1);
    }
    if next <= LAST {
        out.push((next, LAST));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_characters_match_in_either_case() {
        let insensitive = |text| parse(text, Flags::ALL, true).unwrap();
        let set = |ranges: &[(char, char)]| Expr::Set(ranges.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect());
        assert_eq!(insensitive("a"), set(&[('A', 'A'), ('a', 'a')]));
        assert_eq!(insensitive("[x7]"), set(&[('X', 'X'), ('x', 'x'), ('7', '7')]));
        assert_eq!(insensitive("σ"), set(&[('Σ', 'Σ'), ('ς', 'σ')]));
        assert_eq!(insensitive("İ"), set(&[('İ', 'İ'), ('i', 'i')]));
        assert_eq!(insensitive("[a-c]"), set(&[('a', 'c')]), "but not ranges");
    }

    #[test]
    fn malformed_expressions() {
        for (text, reason) in [
            ("(a", "expected ')' at position 2"),
            ("a)", "end-of-string expected at position 1"),
            ("a{2", "expected '}' at position 3"),
            ("a{x}", "integer expected at position 2"),
            ("[a", "expected ']' at position 2"),
            ("[a-", "unexpected end-of-string"),
            ("[a-]\\", "unexpected end-of-string"),
            ("[a-]", "invalid range: from (97) cannot be > to (93)"),
            ("\\n", "invalid character class \\110"),
            ("[\\a-c]", "invalid character class \\97"),
            ("a\\", "unexpected end-of-string"),
            ("\u{1f600}<1-2", "expected '>' at position 6"),
            ("\u{1f600}<a-2>", "interval syntax error at position 6"),
            ("<1-2-3>", "interval syntax error at position 6"),
        ] {
            assert_eq!(parse(text, Flags::ALL, false).unwrap_err().reason(), reason, "{text}");
        }
        assert!(parse(&"(".repeat(100_000), Flags::ALL, false).is_err());
        assert!(parse("~~~a", Flags::of("COMPLEMENT").unwrap(), false).is_ok() && Flags::of("NOPE").is_err());
        let literal = Expr::Set(vec![('~'.into(), '~'.into())]);
        assert_eq!(parse("~", Flags::ALL, false).unwrap(), literal, "no operator among all flags");
    }
}
