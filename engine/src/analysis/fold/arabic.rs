//! Foldings of languages in Arabic script.

use super::each;

const ALEF: char = '\u{627}';
const TATWEEL: char = '\u{640}';
const ZWNJ: char = '\u{200c}';
const HEH: char = '\u{647}';
const YEH: char = '\u{64a}';
const KEHEH: char = '\u{6a9}';
const AE: char = '\u{6d5}';

/// The marks of vowels, of doubling and of their absence.
fn is_harakat(c: char) -> bool {
    ('\u{64b}'..='\u{652}').contains(&c)
}

/// Arabic: one alef, one yeh, heh for teh marbuta; without tatweel and marks.
pub(crate) fn arabic(text: &mut String) {
    each(text, |c| match c {
        '\u{622}' | '\u{623}' | '\u{625}' => Some(ALEF),
        '\u{649}' => Some(YEH),
        '\u{629}' => Some(HEH),
        TATWEEL => None,
        c if is_harakat(c) => None,
        c => Some(c),
    });
}

/// Persian: one yeh, one kaf, one heh; without hamza above.
pub(crate) fn persian(text: &mut String) {
    each(text, |c| match c {
        '\u{6cc}' | '\u{6d2}' => Some(YEH),
        KEHEH => Some('\u{643}'),
        '\u{6c0}' | '\u{6c1}' => Some(HEH),
        '\u{654}' => None,
        c => Some(c),
    });
}

/// Sorani: the letters of Persian and the vowel e, by their places in the word; without marks and format characters.
pub(crate) fn sorani(text: &mut String) {
    let chars: Vec<char> = text.chars().collect();
    let mut out: Vec<char> = Vec::with_capacity(chars.len());
    for (at, c) in chars.iter().enumerate() {
        out.push(match *c {
            YEH | '\u{649}' => '\u{6cc}',
            '\u{643}' => KEHEH,
            ZWNJ => {
                if let Some(last) = out.last_mut().filter(|last| **last == HEH) {
                    *last = AE;
                }
                continue;
            }
            HEH if at + 1 == chars.len() => AE,
            '\u{629}' => AE,
            '\u{6be}' => HEH,
            '\u{631}' if out.is_empty() => '\u{695}',
            '\u{692}' => '\u{695}',
            TATWEEL => continue,
            c if is_harakat(c) || is_format(c) => continue,
            c => c,
        });
    }
    text.clear();
    text.extend(out);
}

/// General category Cf of the basic plane.
fn is_format(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
    )
}
