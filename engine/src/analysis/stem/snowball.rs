//! The stemmers of the Snowball project, as far as they have not moved on from the reference's: its release of a stemmer
//! is taken from the one or the other library, with the few words on which both differ mended here.

use super::Stem;
use rust_stemmers::Algorithm as Older;
use waken_snowball::Algorithm as Newer;

/// Stemmers by the names of classes, without case.
pub(crate) const TABLE: &[(&str, Stem)] = &[
    ("Arabic", |word| newer(Newer::Arabic, word)),
    ("Armenian", |word| newer(Newer::Armenian, word)),
    ("Basque", |word| newer(Newer::Basque, word)),
    ("Catalan", |word| newer(Newer::Catalan, word)),
    ("Danish", danish),
    ("Dutch", |word| older(Older::Dutch, word)),
    ("English", english),
    ("Estonian", |word| newer(Newer::Estonian, word)),
    ("Finnish", |word| newer(Newer::Finnish, word)),
    ("French", french),
    ("German", german),
    ("German2", german),
    ("Greek", |word| older(Older::Greek, word)),
    ("Hindi", |word| newer(Newer::Hindi, word)),
    ("Hungarian", |word| newer(Newer::Hungarian, word)),
    ("Indonesian", |word| newer(Newer::Indonesian, word)),
    ("Irish", |word| newer(Newer::Irish, word)),
    ("Italian", |word| newer(Newer::Italian, word)),
    ("Lithuanian", |word| newer(Newer::Lithuanian, word)),
    ("Nepali", |word| newer(Newer::Nepali, word)),
    ("Norwegian", |word| older(Older::Norwegian, word)),
    ("Porter", |word| newer(Newer::Porter, word)),
    ("Portuguese", |word| newer(Newer::Portuguese, word)),
    ("Romanian", |word| newer(Newer::Romanian, word)),
    ("Russian", |word| newer(Newer::Russian, word)),
    ("Serbian", |word| newer(Newer::Serbian, word)),
    ("Spanish", |word| older(Older::Spanish, word)),
    ("Swedish", swedish),
    ("Tamil", |word| newer(Newer::Tamil, word)),
    ("Turkish", |word| older(Older::Turkish, word)),
    ("Yiddish", |word| newer(Newer::Yiddish, word)),
];

/// Those whose names the `stemmer` filter takes in any case.
pub(crate) const LANGUAGES: &[&str] = &[
    "Armenian",
    "Basque",
    "Catalan",
    "Danish",
    "Dutch",
    "Estonian",
    "Finnish",
    "French",
    "German",
    "German2",
    "Hungarian",
    "Irish",
    "Italian",
    "Lithuanian",
    "Norwegian",
    "Portuguese",
    "Romanian",
    "Russian",
    "Spanish",
    "Swedish",
    "Turkish",
];

/// The stemmer of the class of this name.
pub(crate) fn snowball(name: &str) -> Option<Stem> {
    TABLE.iter().find(|(class, _)| *class == name).map(|(_, stem)| *stem)
}

/// Words beyond this are no words of a language; some stemmers take quadratic time.
const LENGTH_MAX: usize = 1024;

fn newer(algorithm: Newer, word: &mut String) {
    if word.len() <= LENGTH_MAX {
        let stem = waken_snowball::stem(algorithm, word).into_owned();
        *word = stem;
    }
}

fn older(algorithm: Older, word: &mut String) {
    if word.len() <= LENGTH_MAX {
        let stem = rust_stemmers::Stemmer::create(algorithm).stem(word).into_owned();
        *word = stem;
    }
}

/// The older release undoubles whatever stands at the end twice; later ones only consonants.
fn danish(word: &mut String) {
    if word.chars().next_back().is_some_and(char::is_alphabetic) {
        older(Older::Danish, word);
    }
}

/// The older release makes `ad` of *adding*; later ones do not undouble what only one of `aeo` stands before.
fn english(word: &mut String) {
    let bare = word.strip_suffix("'s'").or(word.strip_suffix("'s")).or(word.strip_suffix('\'')).unwrap_or(word);
    let stem = ["ed", "edly", "ing", "ingly"].iter().find_map(|suffix| bare.strip_suffix(suffix));
    if let Some(stem) = stem
        && let [b'a' | b'e' | b'o', first, second] = stem.as_bytes()
        && first == second
        && b"bdfgmnprt".contains(first)
    {
        *word = stem.to_owned();
        return;
    }
    older(Older::English, word);
}

/// The older release does not know the trema.
fn french(word: &mut String) {
    if word.contains(['ë', 'ï']) {
        newer(Newer::French, word);
    } else {
        older(Older::French, word);
    }
    // A capital H is a mark to the stemmer, which it takes away at the end.
    if word.contains('H') {
        *word = word.replace("He", "ë").replace("Hi", "ï").replace('H', "");
    }
}

/// The older release takes neither `ae`, `oe` and `ue` for umlauts, nor care of *System*.
fn german(word: &mut String) {
    if !word.contains("ae") && !word.contains("oe") && !word.contains("ue") && !word.ends_with("system") {
        older(Older::German, word);
        return;
    }
    let is_vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'ä' | 'ö' | 'ü');
    let mut umlauts = String::with_capacity(word.len());
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        let before = umlauts.chars().next_back();
        let umlaut = match c {
            _ if chars.peek() != Some(&'e') => None,
            'a' => Some('ä'),
            'o' => Some('ö'),
            // Between vowels, and after q, u is a consonant.
            'u' if before.is_none_or(|before| before != 'q' && !is_vowel(before)) => Some('ü'),
            _ => None,
        };
        umlauts.push(umlaut.unwrap_or(c));
        if umlaut.is_some() {
            chars.next();
        }
    }
    *word = umlauts;
    if word.ends_with("system") {
        *word = word.replace('ä', "a").replace('ö', "o").replace('ü', "u").replace('ß', "ss");
    } else {
        older(Older::German, word);
    }
}

/// The older release shortens -öst after l only, and where l, too, is in the region behind the first syllable.
fn swedish(word: &mut String) {
    let region = region_of(word, "aeiouyäåö");
    older(Older::Swedish, word);
    if let Some(stem) = word.strip_suffix("öst")
        && stem.ends_with(['i', 'k', 'l', 'n', 'p', 'r', 't', 'u', 'v'])
        && stem.chars().count() >= region
    {
        word.pop();
    }
}

/// Where the region behind the first consonant that follows a vowel begins, in characters; it has three before it.
fn region_of(word: &str, vowels: &str) -> usize {
    let mut after_vowel = false;
    for (at, c) in word.chars().enumerate() {
        let vowel = vowels.contains(c);
        if after_vowel && !vowel {
            return (at + 1).max(3);
        }
        after_vowel |= vowel;
    }
    usize::MAX
}
