//! Light stemmers of Bulgarian, Czech and Russian.

use super::word::{Suffixes, Word};

/// Bulgarian: article, plural, and what the stem's end changes to before them.
pub(crate) fn bulgarian(word: &mut String) {
    Word::edit(word, |word| {
        if word.len() < 4 {
            return;
        }
        if word.cut_suffix(&[(5, &["ища"])]) {
            return;
        }
        word.cut_suffix(&[(6, &["ият"]), (5, &["ът", "то", "те", "та", "ия"]), (4, &["ят"])]);
        bulgarian_plural(word);
        if word.len() > 3 {
            if word.ends("я") {
                word.cut(1);
            }
            if word.ends_any(&["а", "о", "е"]) {
                word.cut(1);
            }
        }
        if word.len() > 4 && word.ends("ен") {
            word.replace(2, "н");
        }
        if word.len() > 5 && word.back(2) == 'ъ' {
            let last = word.back(1);
            word.cut(1);
            word.set_back(1, last);
        }
    });
}

fn bulgarian_plural(word: &mut Word) {
    let len = word.len();
    let rules: [(usize, &str, &str); 10] = [
        (6, "овци", "о"),
        (6, "ове", ""),
        (6, "еве", "й"),
        (5, "ища", ""),
        (5, "та", ""),
        (5, "ци", "к"),
        (5, "зи", "г"),
        (5, "е?и", "я"),
        (4, "си", "х"),
        (4, "и", ""),
    ];
    for (longer_than, suffix, stem_end) in rules {
        if len <= longer_than {
            continue;
        }
        if suffix == "е?и" {
            // The vowel before the last consonant changes when the plural goes.
            if word.back(3) == 'е' && word.back(1) == 'и' {
                word.set_back(3, 'я');
                word.cut(1);
                return;
            }
        } else if word.ends(suffix) {
            word.replace(suffix.chars().count(), stem_end);
            return;
        }
    }
}

const CZECH_CASES: &[Suffixes] = &[
    (7, &["atech"]),
    (6, &["ětem", "etem", "atům"]),
    (
        5,
        &[
            "ech", "ich", "ích", "ého", "ěmi", "emi", "ému", "ěte", "ete", "ěti", "eti", "ího", "iho", "ími", "ímu",
            "imu", "ách", "ata", "aty", "ých", "ama", "ami", "ové", "ovi", "ými",
        ],
    ),
    (4, &["em", "es", "ém", "ím", "ům", "at", "ám", "os", "us", "ým", "mi", "ou"]),
    (3, &["a", "e", "i", "o", "u", "ů", "y", "á", "é", "í", "ý", "ě"]),
];

/// Czech: case, possessive, and the changes of sound that they bring.
pub(crate) fn czech(word: &mut String) {
    Word::edit(word, |word| {
        word.cut_suffix(CZECH_CASES);
        word.cut_suffix(&[(5, &["ov", "in", "ův"])]);
        if word.ends("čt") {
            word.replace(2, "ck");
        } else if word.ends("št") {
            word.replace(2, "sk");
        } else if matches!(word.back(1), 'c' | 'č') {
            word.set_back(1, 'k');
        } else if matches!(word.back(1), 'z' | 'ž') {
            word.set_back(1, 'h');
        } else if word.len() > 1 && word.back(2) == 'e' {
            let last = word.back(1);
            word.cut(1);
            word.set_back(1, last);
        } else if word.len() > 2 && word.back(2) == 'ů' {
            word.set_back(2, 'o');
        }
    });
}

const RUSSIAN_CASES: &[Suffixes] = &[
    (6, &["иями", "оями"]),
    (5, &["иям", "иях", "оях", "ями", "оям", "оьв", "ами", "его", "ему", "ери", "ими", "ого", "ому", "ыми", "оев"]),
    (
        4,
        &[
            "ая", "яя", "ях", "юю", "ах", "ею", "их", "ия", "ию", "ьв", "ою", "ую", "ям", "ых", "ея", "ам", "ем", "ей",
            "ём", "ев", "ий", "им", "ое", "ой", "ом", "ов", "ые", "ый", "ым", "ми",
        ],
    ),
    (3, &["а", "е", "и", "о", "у", "й", "ы", "я", "ь"]),
];

/// Russian: the ending of the case.
pub(crate) fn russian(word: &mut String) {
    Word::edit(word, |word| {
        word.cut_suffix(RUSSIAN_CASES);
        if word.len() > 3 && (matches!(word.back(1), 'ь' | 'и') || word.ends("нн")) {
            word.cut(1);
        }
    });
}
