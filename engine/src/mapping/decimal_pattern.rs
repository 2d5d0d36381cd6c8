//! Patterns of `java.text.DecimalFormat` to their parts, refused in Java's words.

use crate::error::{Error, Result};

/// What a pattern says.
#[derive(Debug, Default)]
pub(super) struct DecimalPattern {
    pub positive: Side,
    /// What stands around numbers below zero, where the pattern has a part for these.
    pub negative: Option<Side>,
    /// Digits on the left that need not be, digits that have to be, and digits on the right that need not be.
    pub left: usize,
    pub zeros: usize,
    pub right: usize,
    /// Digits before the point.
    pub point: Option<usize>,
    /// Digits per group; 0 for no grouping.
    pub group: usize,
    /// Least digits of the exponent.
    pub exponent: Option<usize>,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Side {
    pub prefix: String,
    pub suffix: String,
    /// 1, 100 for per cent, 1000 for per mille.
    pub factor: u32,
}

const QUOTE: char = '\'';
const CURRENCY: char = '\u{a4}';
const PER_MILLE: char = '\u{2030}';

/// Reads one side of a pattern after the other.
struct Reader<'p> {
    text: &'p str,
    chars: Vec<char>,
    at: usize,
    found: DecimalPattern,
    /// Digits since the last comma.
    group: Option<usize>,
}

pub(super) fn read(pattern: &str) -> Result<DecimalPattern> {
    let mut reader = Reader {
        text: pattern,
        chars: pattern.chars().collect(),
        at: 0,
        found: DecimalPattern::default(),
        group: None,
    };
    reader.found.positive = reader.side(true)?;
    reader.check_digits()?;
    if reader.at < reader.chars.len() {
        let negative = reader.side(false)?;
        reader.found.negative = Some(negative);
    }
    Ok(reader.found)
}

impl Reader<'_> {
    fn refuse(&self, why: &str) -> Error {
        Error::illegal_argument(format!("{why} pattern \"{}\"", self.text))
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next_is(&self, wanted: char) -> bool {
        self.chars.get(self.at + 1) == Some(&wanted)
    }

    /// Reads up to the end or, of the first side, beyond the semicolon. Digits may stand between what is the suffix by then.
    fn side(&mut self, first: bool) -> Result<Side> {
        let mut side = Side { factor: 1, ..Side::default() };
        let (mut quoted, mut in_suffix) = (false, false);
        while let Some(c) = self.peek() {
            let affix = if in_suffix { &mut side.suffix } else { &mut side.prefix };
            match c {
                QUOTE if self.next_is(QUOTE) => {
                    affix.push(QUOTE);
                    self.at += 1;
                }
                QUOTE => quoted = !quoted,
                _ if quoted => affix.push(c),
                '#' | '0' | ',' | '.' => {
                    if first {
                        self.digits()?;
                    } else {
                        self.skip_digits();
                    }
                    in_suffix = true;
                    continue;
                }
                CURRENCY if self.next_is(CURRENCY) => {
                    affix.push_str("XXX");
                    self.at += 1;
                }
                ';' if !in_suffix || !first => return Err(self.refuse("Unquoted special character ';' in")),
                ';' => {
                    self.at += 1;
                    break;
                }
                '%' | PER_MILLE if side.factor != 1 => {
                    return Err(self.refuse("Too many percent/per mille characters in"));
                }
                '%' | PER_MILLE => {
                    affix.push(c);
                    side.factor = if c == '%' { 100 } else { 1000 };
                }
                c => affix.push(c),
            }
            self.at += 1;
        }
        if quoted { Err(self.refuse("Malformed")) } else { Ok(side) }
    }

    fn skip_digits(&mut self) {
        while matches!(self.peek(), Some('#' | '0' | ',' | '.' | 'E')) {
            self.at += 1;
        }
    }

    fn digits(&mut self) -> Result<()> {
        while let Some(c) = self.peek() {
            match c {
                '#' if self.found.zeros > 0 => self.found.right += 1,
                '#' => self.found.left += 1,
                '0' if self.found.right > 0 => return Err(self.refuse("Unexpected '0' in")),
                '0' => self.found.zeros += 1,
                ',' => self.group = Some(0),
                '.' if self.found.point.is_some() => return Err(self.refuse("Multiple decimal separators in")),
                '.' => self.found.point = Some(self.found.left + self.found.zeros + self.found.right),
                'E' => return self.exponent(),
                _ => break,
            }
            if matches!(c, '#' | '0') && self.found.point.is_none() {
                self.group = self.group.map(|digits| digits + 1);
            }
            self.at += 1;
        }
        Ok(())
    }

    fn exponent(&mut self) -> Result<()> {
        if self.found.exponent.is_some() {
            return Err(self.refuse("Multiple exponential symbols in"));
        }
        let mut digits = 0;
        while self.next_is('0') {
            self.at += 1;
            digits += 1;
        }
        self.at += 1;
        if self.found.left + self.found.zeros < 1 || digits < 1 {
            return Err(self.refuse("Malformed exponential"));
        }
        self.found.exponent = Some(digits);
        Ok(())
    }

    fn check_digits(&mut self) -> Result<()> {
        let found = &mut self.found;
        if let (0, 1.., Some(point)) = (found.zeros, found.left, found.point) {
            // One digit stands beside the point at least.
            let last = point.max(1);
            (found.left, found.zeros, found.right) = (last - 1, 1, found.left - last);
        }
        let (left, zeros, right) = (found.left, found.zeros, found.right);
        let misplaced = match found.point {
            None => right > 0,
            Some(point) => !(left..=left + zeros).contains(&point),
        };
        if misplaced || self.group == Some(0) {
            return Err(self.refuse("Malformed"));
        }
        self.found.group = self.group.unwrap_or(0);
        Ok(())
    }
}
