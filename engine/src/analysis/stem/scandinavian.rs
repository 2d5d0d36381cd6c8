//! Light stemmers of Swedish and of both kinds of Norwegian, and minimal ones of the latter.

use super::word::{Suffixes, Word};

/// The genitive, then one ending.
fn stem(word: &mut String, endings: &[Suffixes]) {
    Word::edit(word, |word| {
        if word.len() > 4 && word.back(1) == 's' {
            word.cut(1);
        }
        word.cut_suffix(endings);
    });
}

pub(crate) fn swedish(word: &mut String) {
    stem(
        word,
        &[
            (7, &["elser", "heten"]),
            (6, &["arne", "erna", "ande", "else", "aste", "orna", "aren"]),
            (5, &["are", "ast", "het"]),
            (4, &["ar", "er", "or", "en", "at", "te", "et"]),
            (3, &["t", "a", "e", "n"]),
        ],
    );
}

pub(crate) fn bokmaal(word: &mut String) {
    stem(
        word,
        &[
            (7, &["heter", "heten"]),
            (5, &["dom", "het"]),
            (7, &["elser", "elsen"]),
            (6, &["ende", "else", "este", "eren"]),
            (5, &["ere", "est", "ene"]),
            (4, &["er", "en", "et", "st", "te"]),
            (3, &["a", "e", "n"]),
        ],
    );
}

pub(crate) fn nynorsk(word: &mut String) {
    stem(
        word,
        &[
            (7, &["heita"]),
            (8, &["heiter", "leiken", "leikar"]),
            (5, &["dom"]),
            (6, &["heit", "semd", "leik"]),
            (7, &["elser", "elsen"]),
            (6, &["ande", "else", "aste", "aren"]),
            (5, &["are", "ast", "ene", "ane"]),
            (4, &["er", "en", "et", "ar", "te"]),
            (3, &["a", "e", "n"]),
        ],
    );
}

pub(crate) fn minimal_bokmaal(word: &mut String) {
    stem(word, &[(5, &["ene"]), (4, &["er", "en", "et"]), (3, &["a", "e"])]);
}

pub(crate) fn minimal_nynorsk(word: &mut String) {
    stem(word, &[(5, &["ene", "ane"]), (4, &["er", "en", "et", "ar"]), (3, &["a", "e"])]);
}
