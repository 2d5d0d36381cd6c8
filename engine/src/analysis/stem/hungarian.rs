//! A light stemmer of Hungarian: case, possessive, plural.

use super::word::Word;

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

pub(crate) fn light(word: &mut String) {
    Word::edit(word, |word| {
        word.map(&[("á", 'a'), ("ëé", 'e'), ("í", 'i'), ("óőõö", 'o'), ("úűũûü", 'u')]);
        case(word);
        possessive(word);
        if word.len() > 3 && word.back(1) == 'k' {
            let linked = matches!(word.back(2), 'a' | 'o' | 'e') && word.len() > 4;
            word.cut(if linked { 2 } else { 1 });
        }
        if word.len() > 3 && matches!(word.back(1), 'a' | 'e' | 'i' | 'o') {
            word.cut(1);
        }
    });
}

fn case(word: &mut Word) {
    const LONG: &[&str] =
        &["nak", "nek", "val", "vel", "ert", "rol", "ban", "ben", "bol", "nal", "nel", "hoz", "hez", "tol"];
    if word.cut_suffix(&[(6, &["kent"]), (5, LONG)]) {
        return;
    }
    if word.len() > 5 && word.ends_any(&["al", "el"]) && !is_vowel(word.back(3)) && word.back(3) == word.back(4) {
        word.cut(3);
        return;
    }
    if word.len() <= 4 || word.cut_suffix(&[(4, &["at", "et", "ot", "va", "ve", "ra", "re", "ba", "be", "ul", "ig"])]) {
        return;
    }
    if word.ends_any(&["on", "en"]) && !is_vowel(word.back(3)) {
        word.cut(2);
    } else if matches!(word.back(1), 't' | 'n') {
        word.cut(1);
    } else if matches!(word.back(1), 'a' | 'e') && word.back(2) == word.back(3) && !is_vowel(word.back(2)) {
        word.cut(2);
    }
}

fn possessive(word: &mut Word) {
    let rules: [(usize, Option<bool>, &[&str]); 9] = [
        (6, Some(false), &["atok", "otok", "etek"]),
        (6, None, &["itek", "itok"]),
        (5, Some(false), &["unk", "tok", "tek"]),
        (5, Some(true), &["juk"]),
        (5, None, &["ink"]),
        (4, Some(false), &["am", "em", "om", "ad", "ed", "od", "uk"]),
        (4, Some(true), &["nk", "ja", "je"]),
        (4, None, &["im", "id", "ik"]),
        (3, Some(false), &["a", "e"]),
    ];
    // A suffix may ask for a vowel before it, or for none.
    for (longer_than, after_vowel, suffixes) in rules {
        let Some(suffix) = suffixes.iter().find(|suffix| word.len() > longer_than && word.ends(suffix)) else {
            continue;
        };
        if after_vowel.is_none_or(|wanted| is_vowel(word.back(suffix.len() + 1)) == wanted) {
            word.cut(suffix.len());
            return;
        }
    }
    if word.len() > 3 && (word.back(1) == 'i' || matches!(word.back(1), 'm' | 'd') && is_vowel(word.back(2))) {
        word.cut(1);
    }
}
