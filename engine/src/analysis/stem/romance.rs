//! Light stemmers of Italian, Spanish and Portuguese.

use super::word::Word;

const ACCENTS: &[(&str, char)] = &[("àáâä", 'a'), ("òóôö", 'o'), ("èéêë", 'e'), ("ùúûü", 'u'), ("ìíîï", 'i')];

pub(crate) fn italian(word: &mut String) {
    Word::edit(word, |word| {
        if word.len() < 6 {
            return;
        }
        word.map(ACCENTS);
        let pair = match word.back(1) {
            'e' | 'i' => matches!(word.back(2), 'i' | 'h'),
            'a' | 'o' => word.back(2) == 'i',
            _ => return,
        };
        word.cut(if pair { 2 } else { 1 });
    });
}

pub(crate) fn spanish(word: &mut String) {
    Word::edit(word, |word| {
        if word.len() < 5 {
            return;
        }
        word.map(ACCENTS);
        match word.back(1) {
            'o' | 'a' | 'e' => word.cut(1),
            's' if word.ends("eses") => word.cut(2),
            's' if word.ends("ces") => word.replace(3, "z"),
            's' if matches!(word.back(2), 'o' | 'a' | 'e') => word.cut(2),
            _ => {}
        }
    });
}

pub(crate) fn portuguese(word: &mut String) {
    Word::edit(word, |word| {
        if word.len() < 4 {
            return;
        }
        portuguese_suffix(word);
        if word.len() > 3 && word.back(1) == 'a' {
            portuguese_feminine(word);
        }
        if word.len() > 4 && matches!(word.back(1), 'e' | 'a' | 'o') {
            word.cut(1);
        }
        word.map(ACCENTS);
        word.map(&[("ã", 'a'), ("õ", 'o'), ("ç", 'c')]);
    });
}

fn portuguese_suffix(word: &mut Word) {
    if word.len() > 4 && word.ends("es") && matches!(word.back(3), 'r' | 's' | 'l' | 'z') {
        word.cut(2);
        return;
    }
    let rules = [
        (3, "ns", "m"),
        (4, "eis", "el"),
        (4, "éis", "el"),
        (4, "ais", "al"),
        (4, "óis", "ol"),
        (4, "is", "il"),
        (3, "ões", "ão"),
        (3, "ães", "ão"),
        (6, "mente", ""),
        (3, "s", ""),
    ];
    replace_first(word, &rules);
}

fn portuguese_feminine(word: &mut Word) {
    let rules = [
        (7, "inha", "inho"),
        (7, "iaca", "iaco"),
        (7, "eira", "eiro"),
        (6, "osa", "oso"),
        (6, "ica", "ico"),
        (6, "ida", "ido"),
        (6, "ada", "ado"),
        (6, "iva", "ivo"),
        (6, "ama", "amo"),
        (6, "ona", "ão"),
        (6, "ora", "or"),
        (6, "esa", "ês"),
        (6, "na", "no"),
    ];
    replace_first(word, &rules);
}

fn replace_first(word: &mut Word, rules: &[(usize, &str, &str)]) {
    if let Some((_, suffix, by)) = rules.iter().find(|(longer_than, s, _)| word.len() > *longer_than && word.ends(s)) {
        word.replace(suffix.chars().count(), by);
    }
}
