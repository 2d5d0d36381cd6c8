//! Offsets: bytes of UTF-8 to UTF-16 code units, and texts that char filters changed back to the original.

use crate::Error;

/// Most bytes that the char filters of one value may write together, with what leads back to its offsets: each can make a thousand
/// characters of one.
const BYTES_MAX: usize = 256 << 20;

/// Text that a char filter wrote, with the corrections that lead from its offsets to those of the filter's input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filtered {
    pub text: String,
    /// UTF-16 length of `text` and of the input that was read.
    out_units: u32,
    in_units: u32,
    /// From this offset of `text` on, add this difference; offsets ascend.
    corrections: Vec<(u32, i64)>,
    /// Bytes that the filters before wrote.
    before_bytes: usize,
    /// Why the text could not be filtered.
    pub failure: Option<Error>,
}

impl Filtered {
    /// Begins anew behind a filter that wrote `before`, if there is one.
    pub fn begin(&mut self, before: Option<&Self>) {
        self.text.clear();
        self.corrections.clear();
        (self.out_units, self.in_units) = (0, 0);
        self.before_bytes = before.map_or(0, Self::bytes);
        self.failure = None;
    }

    /// Bytes that were written so far, by the filters before, too.
    fn bytes(&self) -> usize {
        self.before_bytes + self.text.len() + self.corrections.len() * size_of::<(u32, i64)>()
    }

    /// Whether there is room for so many bytes more; fails otherwise.
    fn has_room(&mut self, bytes: usize) -> bool {
        if self.failure.is_none() && self.bytes().saturating_add(bytes) > BYTES_MAX {
            let reason = format!("char filters make more than [{BYTES_MAX}] bytes of one value");
            self.failure = Some(Error::illegal_argument(reason));
        }
        self.failure.is_none()
    }

    /// Passes `text` on as it is.
    pub fn copy(&mut self, text: &str) {
        if !self.has_room(text.len()) {
            return;
        }
        let units = utf16_len(text);
        self.text.push_str(text);
        self.out_units += units;
        self.in_units += units;
    }

    /// Writes `replacement` where the input has `input`. Of a replacement that is longer, the surplus lies where
    /// the input's last character does; of one that is shorter, the end is the input's end.
    pub fn replace(&mut self, input: &str, replacement: &str) {
        // Every character of a replacement may need a correction.
        if !self.has_room(replacement.len() * (1 + size_of::<(u32, i64)>())) {
            return;
        }
        let (in_units, out_units) = (utf16_len(input), utf16_len(replacement));
        let before = self.out_units;
        let mut difference = i64::from(self.in_units) - i64::from(self.out_units);
        self.text.push_str(replacement);
        self.out_units += out_units;
        self.in_units += in_units;
        if out_units < in_units {
            self.correct_from(self.out_units, difference + i64::from(in_units - out_units));
        }
        for surplus in in_units..out_units {
            difference -= 1;
            self.correct_from(before + surplus, difference);
        }
    }

    /// Swallows `input`; what follows is corrected by its length.
    pub fn skip(&mut self, input: &str) {
        self.replace(input, "");
    }

    fn correct_from(&mut self, offset: u32, difference: i64) {
        match self.corrections.last_mut() {
            Some(last) if last.0 == offset => last.1 = difference,
            _ => self.corrections.push((offset, difference)),
        }
    }

    /// The offset in the input of an offset in `text`.
    pub fn correct(&self, offset: u32) -> u32 {
        match self.corrections.partition_point(|(from, _)| *from <= offset) {
            0 => offset,
            n => u32::try_from(i64::from(offset) + self.corrections[n - 1].1).unwrap_or(0),
        }
    }
}

/// Length in UTF-16 code units.
pub(crate) fn utf16_len(text: &str) -> u32 {
    // Every byte that begins a character counts one, and those of four-byte characters another.
    text.bytes().map(|b| u32::from(b & 0xc0 != 0x80) + u32::from(b >= 0xf0)).sum()
}

/// Turns byte offsets of a text into UTF-16 offsets. Cheap as long as it is asked for ascending offsets.
pub(crate) struct Utf16Cursor<'t> {
    text: &'t str,
    ascii: bool,
    byte: usize,
    units: u32,
}

impl<'t> Utf16Cursor<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, ascii: text.is_ascii(), byte: 0, units: 0 }
    }

    /// Offset of `start`, which it remembers, and of `end` ≥ `start`.
    #[inline]
    pub fn range(&mut self, start: usize, end: usize) -> (u32, u32) {
        if self.ascii {
            return (start as u32, end as u32);
        }
        if start < self.byte {
            (self.byte, self.units) = (0, 0);
        }
        self.units += utf16_len(&self.text[self.byte..start]);
        self.byte = start;
        (self.units, self.units + utf16_len(&self.text[start..end]))
    }

    pub fn end(&mut self) -> u32 {
        self.range(self.text.len(), self.text.len()).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_utf16_units() {
        for text in ["", "abc", "é", "日本", "a😀b"] {
            assert_eq!(utf16_len(text) as usize, text.encode_utf16().count());
        }
        let mut cursor = Utf16Cursor::new("a😀b日");
        assert_eq!(cursor.range(1, 5), (1, 3));
        assert_eq!(cursor.range(0, 1), (0, 1));
        assert_eq!(cursor.range(6, 9), (4, 5));
        assert_eq!(cursor.end(), 5);
    }

    #[test]
    fn corrects_offsets_after_replacements() {
        let mut f = Filtered::default();
        f.copy("a ");
        f.replace("&amp;", "&");
        f.copy(" b ");
        f.replace("x", "xyz");
        f.copy("c");
        assert_eq!(f.text, "a & b xyzc");
        let corrected: Vec<u32> = (0..=10).map(|o| f.correct(o)).collect();
        assert_eq!(corrected, [0, 1, 2, 7, 8, 9, 10, 10, 10, 11, 12]);
    }
}
