//! Foldings of the scripts of India: letters written as several characters to one, and variant spellings of Hindi.

use super::each;

/// Scripts as bits, with the beginnings of their blocks of 128 characters.
const SCRIPTS: [(u16, u32); 9] = [
    (DEVA, 0x900),
    (BENG, 0x980),
    (GURU, 0xa00),
    (GUJR, 0xa80),
    (ORYA, 0xb00),
    (TAML, 0xb80),
    (TELU, 0xc00),
    (KNDA, 0xc80),
    (MLYM, 0xd00),
];
const DEVA: u16 = 1;
const BENG: u16 = 2;
const GURU: u16 = 4;
const GUJR: u16 = 8;
const ORYA: u16 = 16;
const TAML: u16 = 32;
const TELU: u16 = 64;
const KNDA: u16 = 128;
const MLYM: u16 = 256;

/// No third character.
const NONE: u8 = 0xfe;
/// A zero-width joiner.
const ZWJ: u8 = 0xff;

/// Three characters as places in a block, the one that they are together, and the scripts where that holds. The first
/// row that fits counts.
const COMPOSITIONS: &[(u8, u8, u8, u8, u16)] = &[
    (0x05, 0x3e, 0x45, 0x11, DEVA | GUJR),
    (0x05, 0x3e, 0x46, 0x12, DEVA),
    (0x05, 0x3e, 0x47, 0x13, DEVA | GUJR),
    (0x05, 0x3e, 0x48, 0x14, DEVA | GUJR),
    (0x05, 0x3e, NONE, 0x06, DEVA | BENG | GURU | GUJR | ORYA),
    (0x05, 0x45, NONE, 0x72, DEVA),
    (0x05, 0x45, NONE, 0x0d, GUJR),
    (0x05, 0x46, NONE, 0x04, DEVA),
    (0x05, 0x47, NONE, 0x0f, GUJR),
    (0x05, 0x48, NONE, 0x10, GURU | GUJR),
    (0x05, 0x49, NONE, 0x11, DEVA | GUJR),
    (0x05, 0x4a, NONE, 0x12, DEVA),
    (0x05, 0x4b, NONE, 0x13, DEVA | GUJR),
    (0x05, 0x4c, NONE, 0x14, DEVA | GURU | GUJR),
    (0x06, 0x45, NONE, 0x11, DEVA | GUJR),
    (0x06, 0x46, NONE, 0x12, DEVA),
    (0x06, 0x47, NONE, 0x13, DEVA | GUJR),
    (0x06, 0x48, NONE, 0x14, DEVA | GUJR),
    (0x07, 0x57, NONE, 0x08, MLYM),
    (0x09, 0x41, NONE, 0x0a, DEVA),
    (0x09, 0x57, NONE, 0x0a, TAML | MLYM),
    (0x0e, 0x46, NONE, 0x10, MLYM),
    (0x0f, 0x45, NONE, 0x0d, DEVA),
    (0x0f, 0x46, NONE, 0x0e, DEVA),
    (0x0f, 0x47, NONE, 0x10, DEVA),
    (0x0f, 0x57, NONE, 0x10, ORYA),
    (0x12, 0x3e, NONE, 0x13, MLYM),
    (0x12, 0x4c, NONE, 0x14, TELU | KNDA),
    (0x12, 0x55, NONE, 0x13, TELU),
    (0x12, 0x57, NONE, 0x14, TAML | MLYM),
    (0x13, 0x57, NONE, 0x14, ORYA),
    (0x15, 0x3c, NONE, 0x58, DEVA),
    (0x16, 0x3c, NONE, 0x59, DEVA | GURU),
    (0x17, 0x3c, NONE, 0x5a, DEVA | GURU),
    (0x1c, 0x3c, NONE, 0x5b, DEVA | GURU),
    (0x21, 0x3c, NONE, 0x5c, DEVA | BENG | ORYA),
    (0x22, 0x3c, NONE, 0x5d, DEVA | BENG | ORYA),
    (0x23, 0x4d, ZWJ, 0x7a, MLYM),
    (0x24, 0x4d, ZWJ, 0x4e, BENG),
    (0x28, 0x3c, NONE, 0x29, DEVA),
    (0x28, 0x4d, ZWJ, 0x7b, MLYM),
    (0x2b, 0x3c, NONE, 0x5e, DEVA | GURU),
    (0x2f, 0x3c, NONE, 0x5f, DEVA | BENG),
    (0x2c, 0x41, 0x41, 0x0b, TELU),
    (0x30, 0x3c, NONE, 0x31, DEVA),
    (0x30, 0x4d, ZWJ, 0x7c, MLYM),
    (0x32, 0x4d, ZWJ, 0x7d, MLYM),
    (0x33, 0x3c, NONE, 0x34, DEVA),
    (0x33, 0x4d, ZWJ, 0x7e, MLYM),
    (0x35, 0x41, NONE, 0x2e, TELU),
    (0x3e, 0x45, NONE, 0x49, DEVA | GUJR),
    (0x3e, 0x46, NONE, 0x4a, DEVA),
    (0x3e, 0x47, NONE, 0x4b, DEVA | GUJR),
    (0x3e, 0x48, NONE, 0x4c, DEVA | GUJR),
    (0x3f, 0x55, NONE, 0x40, KNDA),
    (0x41, 0x41, NONE, 0x42, GURU),
    (0x46, 0x3e, NONE, 0x4a, TAML | MLYM),
    (0x46, 0x42, 0x55, 0x4b, KNDA),
    (0x46, 0x42, NONE, 0x4a, KNDA),
    (0x46, 0x46, NONE, 0x48, MLYM),
    (0x46, 0x55, NONE, 0x47, TELU | KNDA),
    (0x46, 0x56, NONE, 0x48, TELU | KNDA),
    (0x46, 0x57, NONE, 0x4c, TAML | MLYM),
    (0x47, 0x3e, NONE, 0x4b, BENG | ORYA | TAML | MLYM),
    (0x47, 0x57, NONE, 0x4c, BENG | ORYA),
    (0x4a, 0x55, NONE, 0x4b, KNDA),
    (0x72, 0x3f, NONE, 0x07, GURU),
    (0x72, 0x40, NONE, 0x08, GURU),
    (0x72, 0x47, NONE, 0x0f, GURU),
    (0x73, 0x41, NONE, 0x09, GURU),
    (0x73, 0x42, NONE, 0x0a, GURU),
    (0x73, 0x4b, NONE, 0x13, GURU),
];

/// The script of a character, and its place in the block.
fn place(c: char) -> Option<(u16, u32, u8)> {
    let (script, base) = SCRIPTS.into_iter().find(|(_, base)| (*base..*base + 0x80).contains(&u32::from(c)))?;
    Some((script, base, (u32::from(c) - base) as u8))
}

/// Letters that are written as several characters become one.
pub(crate) fn indic(text: &mut String) {
    if text.is_ascii() {
        return;
    }
    let chars: Vec<char> = text.chars().collect();
    text.clear();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        let (composed, taken) = compose(*c, &chars[at + 1..]).unwrap_or((*c, 0));
        text.push(composed);
        at += 1 + taken;
    }
}

/// The character that `first` is together with some of `rest`, and how many of those.
fn compose(first: char, rest: &[char]) -> Option<(char, usize)> {
    let (script, base, first) = place(first)?;
    let (script_2, _, second) = place(*rest.first()?)?;
    if script_2 != script {
        return None;
    }
    let third = match rest.get(1) {
        Some('\u{200d}') => ZWJ,
        Some(c) => place(*c).filter(|(other, ..)| *other == script).map_or(NONE, |(_, _, place)| place),
        None => NONE,
    };
    let row = COMPOSITIONS.iter().find(|(a, b, c, _, scripts)| {
        (*a, *b) == (first, second) && (*c == NONE || *c == third) && scripts & script != 0
    })?;
    let composed = char::from_u32(base + u32::from(row.3))?;
    Some((composed, if row.2 == NONE { 1 } else { 2 }))
}

/// Hindi: without nuktas, viramas and joiners, nasals as bindu, long vowels short.
pub(crate) fn hindi(text: &mut String) {
    if text.is_ascii() {
        return;
    }
    // A dead n is a bindu; taken first, since a virama alone goes.
    *text = text.replace("\u{928}\u{94d}", "\u{902}");
    each(text, |c| {
        Some(match c {
            '\u{901}' => '\u{902}',
            '\u{93c}' | '\u{200d}' | '\u{200c}' | '\u{94d}' => return None,
            '\u{929}' => '\u{928}',
            '\u{931}' => '\u{930}',
            '\u{934}' => '\u{933}',
            '\u{958}' => '\u{915}',
            '\u{959}' => '\u{916}',
            '\u{95a}' => '\u{917}',
            '\u{95b}' => '\u{91c}',
            '\u{95c}' => '\u{921}',
            '\u{95d}' => '\u{922}',
            '\u{95e}' => '\u{92b}',
            '\u{95f}' => '\u{92f}',
            '\u{945}' | '\u{946}' | '\u{948}' => '\u{947}',
            '\u{949}' | '\u{94a}' | '\u{94c}' => '\u{94b}',
            '\u{90d}' | '\u{90e}' | '\u{910}' => '\u{90f}',
            '\u{911}' | '\u{912}' | '\u{914}' => '\u{913}',
            '\u{972}' | '\u{906}' => '\u{905}',
            '\u{908}' => '\u{907}',
            '\u{90a}' => '\u{909}',
            '\u{960}' => '\u{90b}',
            '\u{961}' => '\u{90c}',
            '\u{940}' => '\u{93f}',
            '\u{942}' => '\u{941}',
            '\u{944}' => '\u{943}',
            '\u{963}' => '\u{962}',
            c => c,
        })
    });
}
