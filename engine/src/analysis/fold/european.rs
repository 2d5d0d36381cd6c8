//! Foldings of European languages.

use super::each;

/// German: umlauts and their spellings with e to plain vowels, ß to ss.
pub(crate) fn german(text: &mut String) {
    /// What an e or a u means after the letters before.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum After {
        Consonant,
        /// A u is no umlaut.
        Vowel,
        /// An e makes an umlaut.
        MaybeUmlaut,
    }
    use After::{Consonant, MaybeUmlaut, Vowel};
    let mut out = String::with_capacity(text.len());
    let mut state = Consonant;
    for c in text.chars() {
        let (written, next) = match c {
            'a' | 'o' => (c, MaybeUmlaut),
            'u' => (c, if state == Consonant { MaybeUmlaut } else { Vowel }),
            'e' => {
                if std::mem::replace(&mut state, Vowel) != MaybeUmlaut {
                    out.push('e');
                }
                continue;
            }
            'i' | 'q' | 'y' => (c, Vowel),
            'ä' => ('a', Vowel),
            'ö' => ('o', Vowel),
            'ü' => ('u', Vowel),
            'ß' => {
                out.push('s');
                ('s', Consonant)
            }
            _ => (c, Consonant),
        };
        out.push(written);
        state = next;
    }
    *text = out;
}

/// Romanian: the letters with cedilla to those with comma.
pub(crate) fn romanian(text: &mut String) {
    each(text, |c| {
        Some(match c {
            'ş' => 'ș',
            'Ş' => 'Ș',
            'ţ' => 'ț',
            'Ţ' => 'Ț',
            c => c,
        })
    });
}

/// The Scandinavian letters to plain ones, and their spellings with two letters to one.
pub(crate) fn scandinavian_folding(text: &mut String) {
    pairs(
        text,
        |c| match c {
            'å' | 'æ' | 'ä' => 'a',
            'Å' | 'Æ' | 'Ä' => 'A',
            'ø' | 'ö' => 'o',
            'Ø' | 'Ö' => 'O',
            c => c,
        },
        |first, second| {
            Some(match (first, second.to_ascii_lowercase()) {
                ('a' | 'A', 'a' | 'o' | 'e') | ('o' | 'O', 'e' | 'o') => first,
                _ => return None,
            })
        },
    );
}

/// All spellings of the Scandinavian letters to å, æ and ø.
pub(crate) fn scandinavian_normalization(text: &mut String) {
    pairs(
        text,
        |c| match c {
            'ä' => 'æ',
            'Ä' => 'Æ',
            'ö' => 'ø',
            'Ö' => 'Ø',
            c => c,
        },
        |first, second| {
            Some(match (first, second.to_ascii_lowercase()) {
                ('a', 'a' | 'o') => 'å',
                ('A', 'a' | 'o') => 'Å',
                ('a', 'e') => 'æ',
                ('A', 'e') => 'Æ',
                ('o', 'e' | 'o') => 'ø',
                ('O', 'e' | 'o') => 'Ø',
                _ => return None,
            })
        },
    );
}

/// Folds single characters, and pairs of others.
fn pairs(text: &mut String, single: impl Fn(char) -> char, pair: impl Fn(char, char) -> Option<char>) {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let folded = single(c);
        if folded != c {
            out.push(folded);
            continue;
        }
        match chars.peek().and_then(|next| pair(c, *next)) {
            Some(one) => {
                out.push(one);
                chars.next();
            }
            None => out.push(c),
        }
    }
    *text = out;
}

/// Serbian in Cyrillic letters, and the same in Latin ones.
const SERBIAN: &[(char, &str)] = &[
    ('а', "a"),
    ('б', "b"),
    ('в', "v"),
    ('г', "g"),
    ('д', "d"),
    ('ђ', "đ"),
    ('е', "e"),
    ('ж', "ž"),
    ('з', "z"),
    ('и', "i"),
    ('ј', "j"),
    ('к', "k"),
    ('л', "l"),
    ('љ', "lj"),
    ('м', "m"),
    ('н', "n"),
    ('њ', "nj"),
    ('о', "o"),
    ('п', "p"),
    ('р', "r"),
    ('с', "s"),
    ('т', "t"),
    ('ћ', "ć"),
    ('у', "u"),
    ('ф', "f"),
    ('х', "h"),
    ('ц', "c"),
    ('ч', "č"),
    ('џ', "dž"),
    ('ш', "š"),
];

/// Serbian to Latin letters.
pub(crate) fn serbian_regular(text: &mut String) {
    if text.is_ascii() {
        return;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match SERBIAN.iter().find(|(cyrillic, _)| *cyrillic == c) {
            Some((_, latin)) => out.push_str(latin),
            None => out.push(c),
        }
    }
    *text = out;
}

/// Serbian to Latin letters without marks; đ to dj.
pub(crate) fn serbian(text: &mut String) {
    serbian_regular(text);
    *text = text.replace('đ', "dj");
    each(text, |c| {
        Some(match c {
            'ž' => 'z',
            'č' | 'ć' => 'c',
            'š' => 's',
            c => c,
        })
    });
}
