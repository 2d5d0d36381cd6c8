//! Strings as scripts see them: indexes count UTF-16 units, as in Java.

use super::lib::scanned;
use std::cell::OnceCell;
use std::rc::Rc;

/// An immutable string. Most are ASCII, where units are bytes.
#[derive(Debug)]
pub struct Text {
    text: Box<str>,
    ascii: bool,
    /// Of a longer text that is not ASCII, once a unit was asked for: scripts that go through one ask for each.
    units: OnceCell<Box<[u16]>>,
}

/// Shorter texts are gone through from the start, whichever unit is asked for.
const UNITS_MIN: usize = 64;

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Text {}

impl Text {
    pub fn new(text: impl Into<Box<str>>) -> Rc<Self> {
        let text = text.into();
        let ascii = text.is_ascii();
        Rc::new(Self { text, ascii, units: OnceCell::new() })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Length in units.
    pub fn len(&self) -> usize {
        match (self.ascii, self.units()) {
            (true, _) => self.text.len(),
            (_, Some(units)) => units.len(),
            _ => self.text.chars().map(char::len_utf16).sum(),
        }
    }

    /// The units of a longer text that is not ASCII.
    fn units(&self) -> Option<&[u16]> {
        let kept = !self.ascii && self.text.len() >= UNITS_MIN;
        kept.then(|| &**self.units.get_or_init(|| self.text.encode_utf16().collect()))
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn unit(&self, at: usize) -> Option<u16> {
        match (self.ascii, self.units()) {
            (true, _) => self.text.as_bytes().get(at).map(|b| u16::from(*b)),
            (_, Some(units)) => units.get(at).copied(),
            _ => self.text.encode_utf16().nth(at),
        }
    }

    /// The byte at which a unit begins; inside a pair, the byte of the pair.
    pub fn byte_of(&self, unit: usize) -> usize {
        if self.ascii {
            return unit.min(self.text.len());
        }
        // No further than to its end.
        scanned(unit.min(self.text.len()));
        let mut units = 0;
        for (byte, c) in self.text.char_indices() {
            if units + c.len_utf16() > unit {
                return byte;
            }
            units += c.len_utf16();
        }
        self.text.len()
    }

    /// The unit at which a byte stands.
    pub fn unit_of(&self, byte: usize) -> usize {
        if self.ascii {
            return byte;
        }
        scanned(byte);
        self.text[..byte].chars().map(char::len_utf16).sum()
    }

    /// Units `[from, to)`, which are in range. Halves of pairs become replacement characters.
    pub fn slice(&self, from: usize, to: usize) -> String {
        if self.ascii {
            return self.text[from..to].to_owned();
        }
        if let Some(units) = self.units() {
            return String::from_utf16_lossy(&units[from..to]);
        }
        let units: Vec<u16> = self.text.encode_utf16().skip(from).take(to - from).collect();
        String::from_utf16_lossy(&units)
    }
}

/// The first characters of a text, at most so many UTF-16 units.
pub fn prefix(text: &str, units: usize) -> &str {
    let mut seen = 0;
    let end = text.char_indices().find(|(_, c)| {
        seen += c.len_utf16();
        seen > units
    });
    end.map_or(text, |(at, _)| &text[..at])
}

pub use crate::java_order::hash_code as hash;

/// `String.compareTo`: the difference of the first units that differ, or of the lengths.
pub fn compare(a: &str, b: &str) -> i32 {
    let (mut left, mut right) = (a.encode_utf16(), b.encode_utf16());
    let mut common = 0usize;
    loop {
        match (left.next(), right.next()) {
            (Some(x), Some(y)) if x == y => common += 1,
            (Some(x), Some(y)) => return i32::from(x) - i32::from(y),
            (None, None) => return 0,
            (Some(_), None) => return (common + 1 + left.count()).wrapping_sub(common) as i32,
            (None, Some(_)) => return -((right.count() + 1) as i32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_utf16() {
        let text = Text::new("aé😀b");
        assert_eq!((text.len(), text.unit(1), text.unit(4)), (5, Some(0xe9), Some(u16::from(b'b'))));
        assert_eq!((text.byte_of(4), text.unit_of(7)), (7, 4));
        assert_eq!(text.slice(1, 4), "é😀");
    }

    #[test]
    fn hashes_and_orders_are_those_of_java() {
        assert_eq!((hash("abc"), hash(""), hash("zeta")), (96354, 0, 3_735_256));
        assert_eq!((compare("a", "abc"), compare("b", "a"), compare("a", "a"), compare("abc", "a")), (-2, 1, 0, 2));
    }
}
