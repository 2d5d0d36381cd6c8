//! A light stemmer of Finnish.

use super::word::Word;

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

pub(crate) fn light(word: &mut String) {
    Word::edit(word, |word| {
        if word.len() < 4 {
            return;
        }
        word.map(&[("äå", 'a'), ("ö", 'o')]);
        while word.cut_suffix(&[(8, &["kin", "ko"])]) {}
        word.cut_suffix(&[(11, &["dellinen", "dellisuus"])]);
        if !word.cut_suffix(&[(5, &["lla", "tse", "sti", "ni"])]) && word.len() > 5 && word.ends("aa") {
            word.cut(1);
        }
        case(word);
        plural(word);
        last_vowels(word);
    });
}

fn case(word: &mut Word) {
    if word.len() > 8 {
        for (suffix, by) in [("nnen", "s"), ("ntena", "s"), ("tten", ""), ("eiden", "")] {
            if word.ends(suffix) {
                word.replace(suffix.len(), by);
                return;
            }
        }
    }
    if word.len() > 6 {
        if word.cut_suffix(&[(6, &["neen", "niin", "seen", "teen", "inen"])]) {
            return;
        }
        if word.back(3) == 'h' && is_vowel(word.back(2)) && word.back(1) == 'n' {
            word.cut(3);
            return;
        }
        for (suffix, by) in [("den", "s"), ("ksen", "s")] {
            if word.ends(suffix) {
                word.replace(suffix.len(), by);
                return;
            }
        }
    }
    let cut = word.cut_suffix(&[
        (6, &["ssa", "sta", "lla", "lta", "tta", "ksi", "lle"]),
        (5, &["na", "ne", "nei"]),
        (4, &["ja", "ta", "a"]),
    ]);
    if !cut && word.len() > 4 && word.back(1) == 'n' {
        word.cut(if is_vowel(word.back(2)) { 2 } else { 1 });
    }
}

fn plural(word: &mut Word) {
    if word.len() > 5 && word.ends("hde") {
        word.replace(3, "ksi");
    }
    word.cut_suffix(&[(4, &["ei", "at"]), (3, &["t", "s", "j", "e", "a", "i"])]);
}

fn last_vowels(word: &mut Word) {
    if word.len() > 8 && matches!(word.back(1), 'e' | 'o' | 'u') {
        word.cut(1);
    }
    if word.len() > 4 {
        if word.back(1) == 'i' {
            word.cut(1);
        }
        if word.len() > 4 {
            word.undouble(|c| matches!(c, 'k' | 'p' | 't'));
        }
    }
}
