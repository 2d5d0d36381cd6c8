//! The character classes of word segmentation (UAX #29 and the emoji of UTS #51), as of Unicode 12.1, which is the version
//! that the reference's standard tokenizer is generated from.

use super::char_table::{CharTable, for_each};
use std::sync::LazyLock;

/// What a character is to word segmentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    Other,
    Letter,
    /// A letter of the Hangul script.
    Hangul,
    Hebrew,
    Numeric,
    Katakana,
    MidLetter,
    MidNum,
    MidNumLet,
    SingleQuote,
    DoubleQuote,
    ExtendNumLet,
    /// Extend and Format: belongs to the character before it.
    Extend,
    Zwj,
    Han,
    Hiragana,
    /// Line break class SA: scripts of South East Asia, which are written without spaces.
    Complex,
    RegionalIndicator,
}

const CLASSES: [Class; 18] = [
    Class::Other,
    Class::Letter,
    Class::Hangul,
    Class::Hebrew,
    Class::Numeric,
    Class::Katakana,
    Class::MidLetter,
    Class::MidNum,
    Class::MidNumLet,
    Class::SingleQuote,
    Class::DoubleQuote,
    Class::ExtendNumLet,
    Class::Extend,
    Class::Zwj,
    Class::Han,
    Class::Hiragana,
    Class::Complex,
    Class::RegionalIndicator,
];

/// A class with the properties that cut across classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Props(u8);

const CLASS_MASK: u8 = 0x1f;
const COMPLEX: u8 = 0x20;
const EMOJI: u8 = 0x40;
const MODIFIER: u8 = 0x80;

impl Props {
    #[inline]
    pub fn class(self) -> Class {
        CLASSES[usize::from(self.0 & CLASS_MASK)]
    }

    /// Line break class SA, marks included.
    pub fn is_complex(self) -> bool {
        self.0 & COMPLEX != 0
    }

    /// Stands alone as an emoji.
    pub fn is_emoji(self) -> bool {
        self.0 & EMOJI != 0
    }

    /// A skin tone.
    pub fn is_modifier(self) -> bool {
        self.0 & MODIFIER != 0
    }

    /// Extend, Format or ZWJ.
    pub fn extends(self) -> bool {
        matches!(self.class(), Class::Extend | Class::Zwj)
    }
}

/// Rows are applied in order, later ones win. The tables that we build from are of a later version of Unicode: what was
/// assigned since is left out, and the last rows undo what was reclassified since. Line break classes are not in those
/// tables, so the South East Asian letters and marks are named by script and general category.
const ROWS: &[(Class, &str)] = &[
    (Class::Han, r"\p{sc=Han}"),
    (Class::Hiragana, r"\p{sc=Hiragana}"),
    (Class::Letter, r"\p{wb=ALetter}"),
    (Class::Hangul, r"[\p{wb=ALetter}&&\p{sc=Hangul}]"),
    (Class::Hebrew, r"\p{wb=Hebrew_Letter}"),
    (Class::Numeric, r"\p{wb=Numeric}"),
    (Class::Katakana, r"\p{wb=Katakana}"),
    (Class::MidLetter, r"[\p{wb=MidLetter}:\x{FE55}\x{FF1A}]"),
    (Class::MidNum, r"[\p{wb=MidNum}\x{FE10}\x{FE14}]"),
    (Class::MidNumLet, r"\p{wb=MidNumLet}"),
    (Class::SingleQuote, r"\p{wb=Single_Quote}"),
    (Class::DoubleQuote, r"\p{wb=Double_Quote}"),
    (Class::ExtendNumLet, r"\p{wb=ExtendNumLet}"),
    (Class::RegionalIndicator, r"\p{wb=Regional_Indicator}"),
    (Class::Complex, COMPLEX_SET),
    (Class::Extend, r"[\p{wb=Extend}\p{wb=Format}]"),
    (Class::Extend, r"[\x{600}-\x{605}\x{6DD}\x{70F}\x{8E2}\x{110BD}\x{110CD}]"),
    (Class::Zwj, r"\p{wb=ZWJ}"),
    (Class::Other, r"[\x{2E5}-\x{2EB}\x{55A}\x{55F}\x{58A}\x{A708}-\x{A716}\x{16FE2}]"),
];

/// Line break class SA: letters and marks of these scripts, some of their symbols, one digit.
const COMPLEX_SET: &str = r"[[[\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tai_Tham}\p{sc=Tai_Viet}\p{sc=Ahom}]&&[\p{L}\p{M}\x{109E}\x{109F}\x{19DA}\x{19DE}\x{19DF}\x{1AA0}-\x{1AA6}\x{1AA8}-\x{1AAD}\x{AA77}-\x{AA79}\x{AADE}\x{AADF}\x{1173A}\x{1173B}\x{1173F}]]--\x{1A7F}]";

/// Characters that are an emoji by themselves, with the block that was reserved for such.
const EMOJI_SET: &str =
    r"[[\p{Extended_Pictographic}\p{Emoji}\x{1FB00}-\x{1FBFF}]--[\p{Emoji_Modifier}\p{wb=Regional_Indicator}0-9\#*]]";

static TABLE: LazyLock<CharTable> = LazyLock::new(|| {
    CharTable::build(|flat| {
        for (class, set) in ROWS {
            for_each(&assigned(set), |props| *props = *props & !CLASS_MASK | *class as u8, flat);
        }
        for_each(&assigned(COMPLEX_SET), |props| *props |= COMPLEX, flat);
        for_each(EMOJI_SET, |props| *props |= EMOJI, flat);
        for_each(r"\p{Emoji_Modifier}", |props| *props |= MODIFIER, flat);
    })
});

/// The properties of `c`.
#[inline]
pub(crate) fn props(c: char) -> Props {
    Props(TABLE.get(c))
}

/// Builds the table, a few milliseconds of work that should not fall into the first request.
pub(crate) fn warm() {
    LazyLock::force(&TABLE);
}

/// What of `set` was a character in Unicode 12.1.
fn assigned(set: &str) -> String {
    format!(r"[{set}&&\p{{age=12.1}}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_some_characters() {
        let cases = [
            ('a', Class::Letter),
            ('가', Class::Hangul),
            ('א', Class::Hebrew),
            ('7', Class::Numeric),
            ('ア', Class::Katakana),
            (':', Class::MidLetter),
            (',', Class::MidNum),
            ('.', Class::MidNumLet),
            ('\'', Class::SingleQuote),
            ('"', Class::DoubleQuote),
            ('_', Class::ExtendNumLet),
            ('\u{301}', Class::Extend),
            ('\u{ad}', Class::Extend),
            ('\u{200d}', Class::Zwj),
            ('漢', Class::Han),
            ('ひ', Class::Hiragana),
            ('ก', Class::Complex),
            ('\u{e31}', Class::Extend),
            ('🇩', Class::RegionalIndicator),
            (' ', Class::Other),
        ];
        for (c, class) in cases {
            assert_eq!(props(c).class(), class, "{c:?}");
        }
        assert!(props('\u{e31}').is_complex() && props('😀').is_emoji() && props('🏽').is_modifier());
        assert!(!props('🏽').is_emoji() && !props('#').is_emoji() && props('©').is_emoji());
    }
}
