//! Light stemmers of languages in Arabic script: Arabic, Persian, Sorani.

use super::word::Word;

/// Arabic: one of the articles and conjunctions before the word, and endings behind it, one after the other.
pub(crate) fn arabic(word: &mut String) {
    const PREFIXES: [&str; 7] = ["ال", "وال", "بال", "كال", "فال", "لل", "و"];
    const SUFFIXES: [&str; 10] = ["ها", "ان", "ات", "ون", "ين", "يه", "ية", "ه", "ة", "ي"];
    Word::edit(word, |word| {
        let prefix = PREFIXES.iter().find(|prefix| {
            let len = prefix.chars().count();
            word.len() >= if len == 1 { 4 } else { len + 2 } && word.starts(prefix)
        });
        if let Some(prefix) = prefix {
            word.cut_front(prefix.chars().count());
        }
        cut_each(word, &SUFFIXES);
    });
}

/// Persian: endings, one after the other.
pub(crate) fn persian(word: &mut String) {
    const SUFFIXES: [&str; 8] = ["ات", "ان", "ترين", "تر", "يي", "ي", "ها", "\u{200c}"];
    Word::edit(word, |word| cut_each(word, &SUFFIXES));
}

/// Cuts each suffix that leaves two characters.
fn cut_each(word: &mut Word, suffixes: &[&str]) {
    for suffix in suffixes {
        let len = suffix.chars().count();
        if word.len() >= len + 2 && word.ends(suffix) {
            word.cut(len);
        }
    }
}

/// Sorani: a postposition, a possessive, then one ending of nouns.
pub(crate) fn sorani(word: &mut String) {
    Word::edit(word, |word| {
        if word.len() > 5 && word.ends("دا") {
            word.cut(2);
        } else if word.len() > 4 && word.ends("نا") {
            word.cut(1);
        } else if word.len() > 6 && word.ends("ەوە") {
            word.cut(3);
        }
        word.cut_suffix(&[(6, &["مان", "یان", "تان"])]);
        if word.cut_suffix(SORANI_BEFORE) {
            return;
        }
        if word.len() > 5 && word.ends_any(&["ایە", "ەیە"]) {
            word.cut(2);
            return;
        }
        word.cut_suffix(&[(4, &["ە", "ی"])]);
    });
}

const SORANI_BEFORE: &[super::word::Suffixes] = &[
    (6, &["ێکی"]),
    (7, &["یەکی"]),
    (5, &["ێک"]),
    (6, &["یەک"]),
    (6, &["ەکە"]),
    (5, &["کە"]),
    (7, &["ەکان"]),
    (6, &["کان"]),
    (7, &["یانی"]),
    (6, &["انی"]),
    (6, &["یان"]),
    (5, &["ان"]),
    (7, &["یانە"]),
    (6, &["انە"]),
];
