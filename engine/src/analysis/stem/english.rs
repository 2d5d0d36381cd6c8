//! Small stemmers of English: the possessive, and the plural only, in two ways.

use super::word::Word;

/// Removes a final `'s`, with any of the three apostrophes.
#[inline]
pub(crate) fn possessive(word: &mut String) {
    let Some(stem) = word.strip_suffix(['s', 'S']) else { return };
    if let Some(stem) = stem.strip_suffix(['\'', '\u{2019}', '\u{ff07}']) {
        word.truncate(stem.len());
    }
}

/// Harman's "S" stemmer: removes the plural.
pub(crate) fn minimal(word: &mut String) {
    let units: Vec<u16> = word.encode_utf16().collect();
    let len = units.len();
    if len < 3 || units[len - 1] != u16::from(b's') {
        return;
    }
    let before =
        |back: usize, letters: &[u8]| len >= back && letters.iter().any(|l| units[len - back] == u16::from(*l));
    if before(2, b"us") {
        return;
    }
    if before(2, b"e") {
        if len > 3 && before(3, b"i") && !before(4, b"ae") {
            word.truncate(word.len() - 3);
            word.push('y');
            return;
        }
        // Words in -ies that did not change, -aes, -oes and -ees stay.
        if before(3, b"iaoe") {
            return;
        }
    }
    word.truncate(word.len() - 1);
}

/// Words in -oes and -ches that keep their e.
const KEEP_E_OES: &[&str] = &["shoes", "canoes", "oboes"];
const KEEP_E_CHES: &[&str] = &[
    "cliches",
    "avalanches",
    "mustaches",
    "moustaches",
    "quiches",
    "headaches",
    "heartaches",
    "porsches",
    "tranches",
    "caches",
];

/// The plural, and the e that is only there for it.
pub(crate) fn plural(word: &mut String) {
    Word::edit(word, |word| {
        let len = word.len();
        if len < 3 || word.back(1) != 's' || matches!(word.back(2), 'u' | 's') {
            return;
        }
        if len > 4 && word.ends("ies") {
            word.replace(3, "y");
            return;
        }
        // A word that is shorter than an exception but ends it counts as one, as in the original.
        let kept = |words: &[&str]| {
            words.iter().any(|kept| word.chars().iter().rev().zip(kept.chars().rev()).all(|(c, k)| *c == k))
        };
        let without_e = len > 4 && word.ends("xes")
            || len > 3 && word.ends("oes") && !kept(KEEP_E_OES)
            || len > 4 && word.ends_any(&["shes", "sses"])
            || len > 4 && word.ends("ches") && !kept(KEEP_E_CHES);
        word.cut(if without_e { 2 } else { 1 });
    });
}

#[cfg(test)]
mod tests {
    fn apply(stemmer: fn(&mut String), word: &str) -> String {
        let mut word = word.to_owned();
        stemmer(&mut word);
        word
    }

    #[test]
    fn small_stemmers() {
        for (word, stem) in [("fox's", "fox"), ("fox’S", "fox"), ("s", "s"), ("its", "its"), ("'s", "")] {
            assert_eq!(apply(super::possessive, word), stem);
        }
        let cases =
            [("queries", "query"), ("boss", "boss"), ("bus", "bus"), ("cars", "car"), ("shoes", "shoes"), ("is", "is")];
        for (word, stem) in cases {
            assert_eq!(apply(super::minimal, word), stem);
        }
    }
}
