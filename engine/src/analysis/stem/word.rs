//! A word as stemmers see it: characters that are cut off and changed at the end.

/// The characters of a word. Positions count from the end: 1 is the last character.
#[derive(Debug)]
pub(super) struct Word(Vec<char>);

/// Suffixes of words that are longer than so many characters.
pub(super) type Suffixes = (usize, &'static [&'static str]);

impl Word {
    /// Runs `stem` on the characters of `word`.
    pub fn edit(word: &mut String, stem: impl FnOnce(&mut Word)) {
        let mut chars = Word(word.chars().collect());
        stem(&mut chars);
        word.clear();
        word.extend(chars.0);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn chars(&self) -> &[char] {
        &self.0
    }

    pub fn chars_mut(&mut self) -> &mut Vec<char> {
        &mut self.0
    }

    /// The character `back` from the end, or `\0` before the beginning.
    pub fn back(&self, back: usize) -> char {
        self.len().checked_sub(back).map_or('\0', |at| self.0.get(at).copied().unwrap_or('\0'))
    }

    pub fn set_back(&mut self, back: usize, c: char) {
        if let Some(slot) = self.len().checked_sub(back).and_then(|at| self.0.get_mut(at)) {
            *slot = c;
        }
    }

    pub fn ends(&self, suffix: &str) -> bool {
        let mut at = self.len();
        suffix.chars().rev().all(|c| {
            at = at.wrapping_sub(1);
            self.0.get(at) == Some(&c)
        })
    }

    pub fn ends_any(&self, suffixes: &[&str]) -> bool {
        suffixes.iter().any(|suffix| self.ends(suffix))
    }

    pub fn starts(&self, prefix: &str) -> bool {
        let mut chars = self.0.iter();
        prefix.chars().all(|c| chars.next() == Some(&c))
    }

    pub fn is(&self, word: &str) -> bool {
        self.0.iter().copied().eq(word.chars())
    }

    pub fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Removes the last `count` characters.
    pub fn cut(&mut self, count: usize) {
        self.0.truncate(self.len().saturating_sub(count));
    }

    /// Removes the first `count` characters.
    pub fn cut_front(&mut self, count: usize) {
        self.0.drain(..count.min(self.0.len()));
    }

    pub fn push(&mut self, text: &str) {
        self.0.extend(text.chars());
    }

    /// Removes the last `count` characters and adds `text`.
    pub fn replace(&mut self, count: usize, text: &str) {
        self.cut(count);
        self.push(text);
    }

    /// Removes the first of the suffixes that the word ends with.
    pub fn cut_suffix(&mut self, table: &[Suffixes]) -> bool {
        for (longer_than, suffixes) in table {
            if self.len() <= *longer_than {
                continue;
            }
            if let Some(suffix) = suffixes.iter().find(|suffix| self.ends(suffix)) {
                self.cut(suffix.chars().count());
                return true;
            }
        }
        false
    }

    /// Replaces characters: each of the first text by the one that follows it in the pair.
    pub fn map(&mut self, table: &[(&str, char)]) {
        for c in &mut self.0 {
            if let Some((_, to)) = table.iter().find(|(from, _)| from.contains(*c)) {
                *c = *to;
            }
        }
    }

    /// Removes characters that are the same as the one before, where `doubles` says so.
    pub fn undouble(&mut self, doubles: impl Fn(char) -> bool) {
        self.0.dedup_by(|next, before| next == before && doubles(*before));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_the_end_of_words() {
        let mut word = "ñandúes".to_owned();
        Word::edit(&mut word, |word| {
            assert_eq!((word.len(), word.back(1), word.back(9)), (7, 's', '\0'));
            assert!(word.ends("úes") && !word.ends("xñandúes") && word.starts("ñan"));
            assert!(word.cut_suffix(&[(7, &["es"]), (3, &["x", "es"])]));
            word.replace(1, "u");
            word.map(&[("ñ", 'n')]);
        });
        assert_eq!(word, "nandu");
    }
}
