//! A light stemmer of Latvian: the endings of nouns and adjectives, and the softened consonants before some of them.

use super::word::Word;

/// Ending, how many vowels the word must have more than, and whether the ending softens the consonant before it.
const ENDINGS: &[(&str, usize, bool)] = &[
    ("ajiem", 3, false),
    ("ajai", 3, false),
    ("ajam", 2, false),
    ("ajām", 2, false),
    ("ajos", 2, false),
    ("ajās", 2, false),
    ("iem", 2, true),
    ("ajā", 2, false),
    ("ais", 2, false),
    ("ai", 2, false),
    ("ei", 2, false),
    ("ām", 1, false),
    ("am", 1, false),
    ("ēm", 1, false),
    ("īm", 1, false),
    ("im", 1, false),
    ("um", 1, false),
    ("us", 1, true),
    ("as", 1, false),
    ("ās", 1, false),
    ("es", 1, false),
    ("os", 1, true),
    ("ij", 1, false),
    ("īs", 1, false),
    ("ēs", 1, false),
    ("is", 1, false),
    ("ie", 1, false),
    ("u", 1, true),
    ("a", 1, true),
    ("i", 1, true),
    ("e", 1, false),
    ("ā", 1, false),
    ("ē", 1, false),
    ("ī", 1, false),
    ("ū", 1, false),
    ("o", 1, false),
    ("s", 0, false),
    ("š", 0, false),
];

/// Softened ends and what they were.
const SOFTENED: &[(&str, &str)] = &[
    ("pj", "p"),
    ("bj", "b"),
    ("mj", "m"),
    ("vj", "v"),
    ("šņ", "sn"),
    ("žņ", "zn"),
    ("šļ", "sl"),
    ("žļ", "zl"),
    ("ļņ", "ln"),
    ("ļļ", "ll"),
    ("č", "c"),
    ("ļ", "l"),
    ("ņ", "n"),
];

pub(crate) fn light(word: &mut String) {
    Word::edit(word, |word| {
        let vowels = word.chars().iter().filter(|c| "aeiouāīēū".contains(**c)).count();
        let ending = ENDINGS.iter().find(|(ending, more_than, _)| {
            vowels > *more_than && word.len() >= ending.chars().count() + 3 && word.ends(ending)
        });
        let Some((ending, _, softens)) = ending else { return };
        word.cut(ending.chars().count());
        if !softens {
            return;
        }
        // Before -u both of a pair may have changed.
        let pairs: &[(&str, &str)] = if ending.starts_with('u') { &[("kš", "kst"), ("ņņ", "nn")] } else { &[] };
        if let Some((soft, hard)) = pairs.iter().chain(SOFTENED).find(|(soft, _)| word.ends(soft)) {
            word.replace(soft.chars().count(), hard);
        }
    });
}
