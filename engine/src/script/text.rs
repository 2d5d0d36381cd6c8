//! Strings as scripts see them: indexes count UTF-16 units, as in Java.

use std::rc::Rc;

/// An immutable string. Most are ASCII, where units are bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct Text {
    text: Box<str>,
    ascii: bool,
}

impl Text {
    pub fn new(text: impl Into<Box<str>>) -> Rc<Self> {
        let text = text.into();
        let ascii = text.is_ascii();
        Rc::new(Self { text, ascii })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Length in units.
    pub fn len(&self) -> usize {
        if self.ascii { self.text.len() } else { self.text.chars().map(char::len_utf16).sum() }
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn unit(&self, at: usize) -> Option<u16> {
        match self.ascii {
            true => self.text.as_bytes().get(at).map(|b| u16::from(*b)),
            false => self.text.encode_utf16().nth(at),
        }
    }

    /// The byte at which a unit begins; inside a pair, the byte of the pair.
    pub fn byte_of(&self, unit: usize) -> usize {
        if self.ascii {
            return unit.min(self.text.len());
        }
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
        if self.ascii { byte } else { self.text[..byte].chars().map(char::len_utf16).sum() }
    }

    /// Units `[from, to)`, which are in range. Halves of pairs become replacement characters.
    pub fn slice(&self, from: usize, to: usize) -> String {
        if self.ascii {
            return self.text[from..to].to_owned();
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

/// `String.hashCode`.
pub fn hash(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

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
