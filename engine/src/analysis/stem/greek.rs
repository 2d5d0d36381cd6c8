//! Ntais' stemmer of Greek, of words in lower case without accents: a row of rules, each with the stems that it spares.
//!
//! - [`exceptions`](super::greek_exceptions): the stems that keep part of an ending.

use super::greek_exceptions::*;
use super::word::{Suffixes, Word};

pub(crate) fn greek(word: &mut String) {
    Word::edit(word, |word| {
        if word.len() < 4 {
            return;
        }
        let len = word.len();
        irregular(word);
        for rule in [nouns, verbs_past, verbs_second_person, participles, verbs_perfect, verbs_plural] {
            rule(word);
        }
        if word.len() == len {
            word.cut_suffix(LONG_LIST);
            // A vowel alone goes too, unless another ending went.
            if word.len() == len && len > 1 && ends_with_vowel(word) {
                word.cut(1);
            }
        }
        word.cut_suffix(&[(0, &["εστερ", "εστατ", "οτερ", "οτατ", "υτερ", "υτατ", "ωτερ", "ωτατ"])]);
    });
}

fn ends_with_vowel(word: &Word) -> bool {
    matches!(word.back(1), 'α' | 'ε' | 'η' | 'ι' | 'ο' | 'υ' | 'ω')
}

fn ends_with_vowel_but_y(word: &Word) -> bool {
    word.back(1) != 'υ' && ends_with_vowel(word)
}

/// Cuts one of the endings, and puts `back` where it was if the stem `keeps` it.
fn cut(word: &mut Word, endings: &[Suffixes], back: &str, keeps: impl Fn(&Word) -> bool) {
    if word.cut_suffix(endings) && keeps(word) {
        word.push(back);
    }
}

/// Words whose stem cannot be told from the ending: what goes is not all of what decides.
fn irregular(word: &mut Word) {
    let rules: &[(usize, &[&str], usize)] = &[
        (9, &["καθεστωτοσ", "καθεστωτων"], 4),
        (8, &["γεγονοτοσ", "γεγονοτων"], 4),
        (8, &["καθεστωτα"], 3),
        (7, &["τατογιου", "τατογιων"], 4),
        (7, &["γεγονοτα"], 3),
        (7, &["καθεστωσ"], 2),
        (6, &["σκαγιου"], 4),
        (0, &["σκαγιων", "ολογιου", "ολογιων", "κρεατοσ", "κρεατων", "περατοσ", "περατων", "τερατοσ", "τερατων"], 4),
        (6, &["τατογια"], 3),
        (6, &["γεγονοσ"], 2),
        (5, &["φαγιου", "φαγιων", "σογιου", "σογιων"], 4),
        (5, &["σκαγια", "ολογια", "κρεατα", "περατα", "τερατα"], 3),
        (4, &["φαγια", "σογια", "φωτοσ", "φωτων"], 3),
        (4, &["κρεασ", "περασ", "τερασ"], 2),
        (3, &["φωτα"], 2),
        (2, &["φωσ"], 1),
    ];
    let rule = rules.iter().find(|(longer_than, words, _)| word.len() > *longer_than && word.ends_any(words));
    if let Some((_, _, count)) = rule {
        word.cut(*count);
    }
}

fn nouns(word: &mut Word) {
    cut(word, &[(4, &["αδεσ", "αδων"])], "αδ", |stem| !stem.ends_any(KEEP_NO_AD));
    cut(word, &[(4, &["εδεσ", "εδων"])], "εδ", |stem| stem.ends_any(KEEP_ED));
    cut(word, &[(5, &["ουδεσ", "ουδων"])], "ουδ", |stem| stem.ends_any(KEEP_OUD));
    cut(word, &[(3, &["εωσ", "εων"])], "ε", |stem| stem.is_any(KEEP_E));
    cut(word, &[(2, &["ια"]), (3, &["ιου", "ιων"])], "ι", ends_with_vowel);
    cut(word, &[(3, &["ικα", "ικο"]), (4, &["ικου", "ικων"])], "ικ", |stem| {
        ends_with_vowel(stem) || stem.is_any(KEEP_IK)
    });
}

fn verbs_past(word: &mut Word) {
    if word.is("αγαμε") {
        word.cut(1);
    } else {
        word.cut_suffix(&[(7, &["ηθηκαμε"]), (6, &["ουσαμε"]), (5, &["αγαμε", "ησαμε", "ηκαμε"])]);
        cut(word, &[(3, &["αμε"])], "αμ", |stem| stem.is_any(KEEP_AM));
    }
    let endings: &[Suffixes] = &[
        (8, &["ιουντανε"]),
        (7, &["ιοντανε"]),
        (0, &["ουντανε", "ηθηκανε"]),
        (6, &["ιοτανε"]),
        (0, &["οντανε", "ουσανε"]),
        (5, &["αγανε"]),
        (0, &["ησανε", "οτανε", "ηκανε"]),
    ];
    cut(word, endings, "αγαν", |stem| stem.is_any(&["τρ", "τσ"]));
    cut(word, &[(3, &["ανε"])], "αν", |stem| ends_with_vowel_but_y(stem) || stem.is_any(KEEP_AN));
}

fn verbs_second_person(word: &mut Word) {
    word.cut_suffix(&[(5, &["ησετε"])]);
    cut(word, &[(3, &["ετε"])], "ετ", |stem| {
        stem.is_any(KEEP_ET) || ends_with_vowel_but_y(stem) || stem.ends_any(KEEP_ET_AFTER)
    });
}

fn participles(word: &mut Word) {
    if word.len() > 5 && word.ends_any(&["οντασ", "ωντασ"]) {
        word.cut(5);
        if word.is("αρχ") {
            word.push("οντ");
        }
        if word.ends("κρε") {
            word.push("ωντ");
        }
    }
    if word.cut_suffix(&[(6, &["ομαστε"]), (7, &["ιομαστε"])]) && word.is("ον") {
        word.push("ομαστ");
    }
    cut(word, &[(5, &["ιεστε"])], "ιεστ", |stem| stem.is_any(KEEP_IEST));
    cut(word, &[(4, &["εστε"])], "εστ", |stem| stem.is_any(KEEP_EST));
}

fn verbs_perfect(word: &mut Word) {
    word.cut_suffix(&[(6, &["ηθηκεσ"]), (5, &["ηθηκα", "ηθηκε"])]);
    cut(word, &[(4, &["ηκεσ"]), (3, &["ηκα", "ηκε"])], "ηκ", |stem| {
        stem.is_any(KEEP_HK) || stem.ends_any(&["σκωλ", "σκουλ", "ναρθ", "σφ", "οθ", "πιθ"])
    });
    cut(word, &[(5, &["ουσεσ"]), (4, &["ουσα", "ουσε"])], "ουσ", |stem| {
        stem.is_any(KEEP_OUS) || ends_with_vowel(stem) || stem.ends_any(KEEP_OUS_AFTER)
    });
    cut(word, &[(4, &["αγεσ"]), (3, &["αγα", "αγε"])], "αγ", |stem| {
        (stem.is_any(KEEP_AG) || stem.ends_any(KEEP_AG_AFTER)) && !stem.is_any(&["ψοφ", "ναυλοχ"]) && !stem.ends("κολλ")
    });
    cut(word, &[(4, &["ησου"]), (3, &["ησε", "ησα"])], "ησ", |stem| stem.is_any(KEEP_HS));
    cut(word, &[(4, &["ηστε"])], "ηστ", |stem| stem.is_any(KEEP_HST));
}

fn verbs_plural(word: &mut Word) {
    cut(word, &[(6, &["ησουνε", "ηθουνε"]), (4, &["ουνε"])], "ουν", |stem| stem.is_any(KEEP_OUN));
    cut(word, &[(6, &["ησουμε", "ηθουμε"]), (4, &["ουμε"])], "ουμ", |stem| stem.is_any(KEEP_OUM));
    if word.len() > 5 && word.ends_any(&["ματων", "ματοσ"]) {
        word.cut(3);
    } else if word.len() > 4 && word.ends("ματα") {
        word.cut(2);
    }
}

/// For words that no rule touched.
const LONG_LIST: &[Suffixes] = &[
    (9, &["ιοντουσαν"]),
    (8, &["ιομασταν", "ιοσασταν", "ιουμαστε", "οντουσαν"]),
    (
        7,
        &[
            "ιεμαστε",
            "ιεσαστε",
            "ιομουνα",
            "ιοσαστε",
            "ιοσουνα",
            "ιουνται",
            "ιουνταν",
            "ηθηκατε",
            "ομασταν",
            "οσασταν",
            "ουμαστε",
        ],
    ),
    (
        6,
        &["ιομουν", "ιονταν", "ιοσουν", "ηθειτε", "ηθηκαν", "ομουνα", "οσαστε", "οσουνα", "ουνται", "ουνταν", "ουσατε"],
    ),
    (
        5,
        &[
            "αγατε",
            "ιεμαι",
            "ιεται",
            "ιεσαι",
            "ιοταν",
            "ιουμα",
            "ηθεισ",
            "ηθουν",
            "ηκατε",
            "ησατε",
            "ησουν",
            "ομουν",
            "ονται",
            "ονταν",
            "οσουν",
            "ουμαι",
            "ουσαν",
        ],
    ),
    (
        4,
        &[
            "αγαν", "αμαι", "ασαι", "αται", "ειτε", "εσαι", "εται", "ηδεσ", "ηδων", "ηθει", "ηκαν", "ησαν", "ησει",
            "ησεσ", "ομαι", "οταν",
        ],
    ),
    (3, &["αει", "εισ", "ηθω", "ησω", "ουν", "ουσ"]),
    (2, &["αν", "ασ", "αω", "ει", "εσ", "ησ", "οι", "οσ", "ου", "υσ", "ων"]),
];
