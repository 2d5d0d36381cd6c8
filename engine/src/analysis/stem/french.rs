//! Light and minimal stemmers of French.

use super::word::Word;
use crate::analysis::char_table::is_letter;

pub(crate) fn light(word: &mut String) {
    Word::edit(word, |word| {
        plural(word);
        derivation(word);
        normalize(word);
    });
}

fn plural(word: &mut Word) {
    if word.len() > 5 && word.back(1) == 'x' {
        if word.ends("aux") && word.back(4) != 'e' {
            word.set_back(2, 'l');
        }
        word.cut(1);
    }
    for letter in ['x', 's'] {
        if word.len() > 3 && word.back(1) == letter {
            word.cut(1);
        }
    }
}

/// Suffixes that end the derivation: words longer than, suffix, what takes its place.
const LAST: &[(usize, &str, &str)] = &[
    (9, "issement", "ir"),
    (8, "issant", "ir"),
    (6, "ement", "e"),
    (11, "ficatrice", "fier"),
    (10, "ficateur", "fier"),
    (9, "catrice", "quer"),
    (8, "cateur", "quer"),
    (8, "atrice", "er"),
    (7, "ateur", "er"),
];

const LAST_AFTER_TRICE: &[(usize, &str, &str)] = &[
    (5, "ième", ""),
    (7, "teuse", "ter"),
    (6, "teur", "ter"),
    (5, "euse", "eu"),
    (8, "ère", "er"),
    (7, "ive", "if"),
    (4, "folle", "fou"),
    (4, "molle", "mou"),
    (9, "nnelle", "n"),
    (9, "nnel", "n"),
];

fn derivation(word: &mut Word) {
    if let Some(suffix) = replace_first(word, LAST) {
        if suffix == "ement" && word.len() > 3 && word.ends("ive") {
            word.replace(3, "if");
        }
        return;
    }
    if word.len() > 6 && word.ends("trice") {
        word.replace(5, "teur");
    }
    if replace_first(word, LAST_AFTER_TRICE).is_some() {
        return;
    }
    if word.len() > 4 && word.ends("ète") {
        word.replace(3, "et");
    }
    if word.len() > 8 && word.ends("ique") {
        word.cut(4);
    }
    if word.len() > 9 && word.ends("isation") {
        word.cut(7);
        if word.len() > 5 && word.ends("ual") {
            word.set_back(2, 'e');
        }
        return;
    }
    let rest = [(8, "esse", "e"), (7, "inage", "in"), (9, "isateur", ""), (8, "ation", ""), (8, "ition", "")];
    replace_first(word, &rest);
}

fn replace_first(word: &mut Word, table: &[(usize, &'static str, &str)]) -> Option<&'static str> {
    let (_, suffix, by) =
        table.iter().find(|(longer_than, suffix, _)| word.len() > *longer_than && word.ends(suffix))?;
    word.replace(suffix.chars().count(), by);
    Some(suffix)
}

fn normalize(word: &mut Word) {
    if word.len() > 4 {
        word.map(&[("àáâ", 'a'), ("ô", 'o'), ("èéê", 'e'), ("ùû", 'u'), ("î", 'i'), ("ç", 'c')]);
        word.undouble(is_letter);
    }
    if word.len() > 4 && word.ends("ie") {
        word.cut(2);
    }
    if word.len() > 4 {
        for letter in ['r', 'e', 'e'] {
            if word.back(1) == letter {
                word.cut(1);
            }
        }
        if word.back(1) == word.back(2) && is_letter(word.back(1)) {
            word.cut(1);
        }
    }
}

pub(crate) fn minimal(word: &mut String) {
    Word::edit(word, |word| {
        if word.len() < 6 {
            return;
        }
        if word.back(1) == 'x' {
            if word.ends("aux") {
                word.set_back(2, 'l');
            }
            word.cut(1);
            return;
        }
        for letter in ['s', 'r', 'e', 'é'] {
            if word.back(1) == letter {
                word.cut(1);
            }
        }
        if word.back(1) == word.back(2) && is_letter(word.back(1)) {
            word.cut(1);
        }
    });
}
