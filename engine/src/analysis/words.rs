//! Sets of words: stop words, keywords, words to keep.

use super::token_filters::lowercase::lower;
use crate::Result;
use hashbrown::HashSet;

/// Lucene's English stop words, those of the `english` analyzer and the `stop` filter.
pub(crate) const ENGLISH: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
    "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
];

/// The stop words of languages, a word a line: those of the reference, after the lists of the Snowball project, of Jacques
/// Savoy and of others.
const LANGUAGES: &[(&str, &str)] = &[
    ("arabic", include_str!("stopwords/arabic.txt")),
    ("armenian", include_str!("stopwords/armenian.txt")),
    ("basque", include_str!("stopwords/basque.txt")),
    ("bengali", include_str!("stopwords/bengali.txt")),
    ("brazilian", include_str!("stopwords/brazilian.txt")),
    ("bulgarian", include_str!("stopwords/bulgarian.txt")),
    ("catalan", include_str!("stopwords/catalan.txt")),
    ("czech", include_str!("stopwords/czech.txt")),
    ("danish", include_str!("stopwords/danish.txt")),
    ("dutch", include_str!("stopwords/dutch.txt")),
    ("estonian", include_str!("stopwords/estonian.txt")),
    ("finnish", include_str!("stopwords/finnish.txt")),
    ("french", include_str!("stopwords/french.txt")),
    ("galician", include_str!("stopwords/galician.txt")),
    ("german", include_str!("stopwords/german.txt")),
    ("greek", include_str!("stopwords/greek.txt")),
    ("hindi", include_str!("stopwords/hindi.txt")),
    ("hungarian", include_str!("stopwords/hungarian.txt")),
    ("indonesian", include_str!("stopwords/indonesian.txt")),
    ("irish", include_str!("stopwords/irish.txt")),
    ("italian", include_str!("stopwords/italian.txt")),
    ("latvian", include_str!("stopwords/latvian.txt")),
    ("lithuanian", include_str!("stopwords/lithuanian.txt")),
    ("norwegian", include_str!("stopwords/norwegian.txt")),
    ("persian", include_str!("stopwords/persian.txt")),
    ("portuguese", include_str!("stopwords/portuguese.txt")),
    ("romanian", include_str!("stopwords/romanian.txt")),
    ("russian", include_str!("stopwords/russian.txt")),
    ("sorani", include_str!("stopwords/sorani.txt")),
    ("spanish", include_str!("stopwords/spanish.txt")),
    ("swedish", include_str!("stopwords/swedish.txt")),
    ("thai", include_str!("stopwords/thai.txt")),
    ("turkish", include_str!("stopwords/turkish.txt")),
];

/// The stop words of a language, by its name in lower case.
pub(crate) fn stop_words(language: &str) -> Option<Vec<&'static str>> {
    if language == "english" {
        return Some(ENGLISH.to_vec());
    }
    LANGUAGES.iter().find(|(name, _)| *name == language).map(|(_, words)| words.lines().collect())
}

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
        let named = word.strip_prefix('_').and_then(|rest| rest.strip_suffix('_')).and_then(stop_words);
        match named {
            Some(set) => words.extend(set),
            None => words.push(word),
        }
    }
    Ok(WordSet::new(words, ignore_case))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_words_and_named_sets() {
        let set = named_or_given(&["_english_".into(), "fox".into()], false).unwrap();
        assert!(set.contains("the") && set.contains("fox") && !set.contains("The") && !set.contains("dog"));
        assert!(named_or_given(&["The".into()], true).unwrap().contains("tHE"));
        assert!(named_or_given(&["_none_".into()], false).unwrap().is_empty());
        assert!(named_or_given(&["_french_".into()], false).unwrap().contains("avec"));
        assert!(LANGUAGES.iter().all(|(name, _)| stop_words(name).is_some_and(|words| words.len() > 40)));
    }
}
