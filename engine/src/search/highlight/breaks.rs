//! Boundaries of sentences and words in a text, by UTF-16 offsets.

use crate::analysis::java_breaks;

/// All boundaries of a text, its beginning and end among them.
pub struct Breaks {
    at: Vec<usize>,
}

impl Breaks {
    pub fn sentences(text: &str) -> Self {
        Self::of(text, java_breaks::sentences(text))
    }

    pub fn words(text: &str) -> Self {
        Self::of(text, java_breaks::words(text))
    }

    /// Bytes to UTF-16.
    fn of(text: &str, mut at: Vec<usize>) -> Self {
        let (mut bytes, mut units) = (0, 0);
        for bound in &mut at {
            units += text[bytes..*bound].encode_utf16().count();
            bytes = std::mem::replace(bound, units);
        }
        Self { at }
    }

    /// The last boundary before `offset`; the beginning if there is none.
    pub fn preceding(&self, offset: usize) -> usize {
        let count = self.at.partition_point(|at| *at < offset);
        count.checked_sub(1).map_or(0, |last| self.at[last])
    }

    /// The first boundary behind `offset`; the end if there is none.
    pub fn following(&self, offset: usize) -> usize {
        let count = self.at.partition_point(|at| *at <= offset);
        self.at.get(count).or(self.at.last()).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_count_in_utf16() {
        let words = Breaks::words("a 😀 b");
        assert_eq!((words.preceding(2), words.following(2), words.preceding(0), words.following(99)), (1, 4, 0, 6));
        assert_eq!(Breaks::sentences("One. Two.").at, [0, 5, 9]);
    }
}
