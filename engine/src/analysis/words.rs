//! Sets of words: stop words, keywords, words to keep.

use super::token_filters::lowercase::lower;
use crate::{Error, Result};
use hashbrown::HashSet;

/// Lucene's English stop words, those of the `english` analyzer and the `stop` filter.
pub(crate) const ENGLISH: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
    "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
];

/// A language's stop words, under the name by which parameters ask for them.
const NAMED: &[(&str, &[&str])] = &[("_none_", &[]), ("_english_", ENGLISH)];

/// A set of words, quick to say no.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordSet {
    words: HashSet<Box<str>, ahash::RandomState>,
    ignore_case: bool,
    /// Bit n: there is a word of n bytes (the last bit: of that many or more).
    lengths: u64,
}

impl WordSet {
    pub fn new<'w>(words: impl IntoIterator<Item = &'w str>, ignore_case: bool) -> Self {
        let mut set = Self { ignore_case, ..Self::default() };
        for word in words {
            let word: Box<str> = if ignore_case { word.chars().map(lower).collect() } else { word.into() };
            set.lengths |= length_bit(&word);
            set.words.insert(word);
        }
        set
    }

    #[inline]
    pub fn contains(&self, word: &str) -> bool {
        if self.ignore_case {
            let folded: String = word.chars().map(lower).collect();
            return self.words.contains(folded.as_str());
        }
        self.lengths & length_bit(word) != 0 && self.words.contains(word)
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

fn length_bit(word: &str) -> u64 {
    1 << word.len().min(63)
}

/// A set given as words and names of stop word sets; the names stand for their words.
pub(crate) fn named_or_given(list: &[String], ignore_case: bool) -> Result<WordSet> {
    if list.len() == 1 && list[0] == "_none_" {
        return Ok(WordSet::new([], ignore_case));
    }
    let mut words: Vec<&str> = vec![];
    for word in list {
        match NAMED.iter().find(|(name, _)| name == word) {
            Some((_, set)) => words.extend(*set),
            None if LATER.contains(&word.as_str()) => {
                return Err(Error::illegal_argument(format!("stop words [{word}] are not supported yet")));
            }
            None => words.push(word),
        }
    }
    Ok(WordSet::new(words, ignore_case))
}

/// Names of sets that the reference has and that are not here: an error, lest they be taken for words.
const LATER: &[&str] = &[
    "_arabic_",
    "_armenian_",
    "_basque_",
    "_bengali_",
    "_brazilian_",
    "_bulgarian_",
    "_catalan_",
    "_czech_",
    "_danish_",
    "_dutch_",
    "_estonian_",
    "_finnish_",
    "_french_",
    "_galician_",
    "_german_",
    "_greek_",
    "_hindi_",
    "_hungarian_",
    "_indonesian_",
    "_irish_",
    "_italian_",
    "_latvian_",
    "_lithuanian_",
    "_norwegian_",
    "_persian_",
    "_portuguese_",
    "_romanian_",
    "_russian_",
    "_sorani_",
    "_spanish_",
    "_swedish_",
    "_thai_",
    "_turkish_",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_words_and_named_sets() {
        let set = named_or_given(&["_english_".into(), "fox".into()], false).unwrap();
        assert!(set.contains("the") && set.contains("fox") && !set.contains("The") && !set.contains("dog"));
        assert!(named_or_given(&["The".into()], true).unwrap().contains("tHE"));
        assert!(named_or_given(&["_none_".into()], false).unwrap().is_empty());
        assert!(named_or_given(&["_thai_".into()], false).is_err());
    }
}
