//! Lower case by the rules of Greek, Irish and Turkish.

use super::each;
use crate::analysis::token_filters::lowercase::{lower, lowercase};

/// Without accents, and with one sigma.
pub(crate) fn greek(text: &mut String) {
    each(text, |c| {
        Some(match c {
            'ς' => 'σ',
            'Ά' | 'ά' => 'α',
            'Έ' | 'έ' => 'ε',
            'Ή' | 'ή' => 'η',
            'Ί' | 'Ϊ' | 'ί' | 'ϊ' | 'ΐ' => 'ι',
            'Ύ' | 'Ϋ' | 'ύ' | 'ϋ' | 'ΰ' => 'υ',
            'Ό' | 'ό' => 'ο',
            'Ώ' | 'ώ' => 'ω',
            // Not assigned; old indexes have it so.
            '\u{3a2}' => 'ς',
            c => lower(c),
        })
    });
}

/// A small n or t before a capital vowel is a mutation, and gets its hyphen. The reference goes by halves of characters here: those
/// beyond the first plane keep their case.
pub(crate) fn irish(text: &mut String) {
    let mut chars = text.chars();
    let mutated = matches!(chars.next(), Some('n' | 't')) && chars.next().is_some_and(|c| "AEIOUÁÉÍÓÚ".contains(c));
    if mutated {
        text.insert(1, '-');
    }
    if text.contains(|c| c > '\u{ffff}') {
        *text = text.chars().map(|c| if c > '\u{ffff}' { c } else { lower(c) }).collect();
    } else {
        lowercase(text);
    }
}

const DOT_ABOVE: char = '\u{307}';

/// I is ı; İ, and I with a dot above it, is i.
pub(crate) fn turkish(text: &mut String) {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != 'I' {
            out.push(lower(c));
            continue;
        }
        // The dot may come after other marks.
        let marks: Vec<char> = chars.clone().take_while(|c| is_mark(*c)).collect();
        let dotted = marks.contains(&DOT_ABOVE);
        out.push(if dotted { 'i' } else { 'ı' });
        if dotted {
            let before = marks.iter().position(|c| *c == DOT_ABOVE).unwrap_or_default();
            for _ in 0..=before {
                if let Some(mark) = chars.next().filter(|c| *c != DOT_ABOVE) {
                    out.push(lower(mark));
                }
            }
        }
    }
    *text = out;
}

fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}
