//! Words: letters and numbers with marks within that no two stand beside each other; runs of spaces; runs of one script of
//! Japanese; any other character alone.

use super::{Seen, UNSEEN, classes};
use crate::analysis::char_table::CharTable;
use std::sync::LazyLock;

const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
/// Marks that belong to the character before them.
const MARK: u8 = 3;
const KANJI: u8 = 4;
const KATAKANA: u8 = 5;
const HIRAGANA: u8 = 6;
/// Marks of both kana, those that combine, and those that stand alone.
const KANA_MARK: u8 = 7;
const KANA_SIGN: u8 = 8;
/// Ends a sentence of Hindi, and the word before it.
const DANDA: u8 = 9;
const SPACE: u8 = 10;
const RETURN: u8 = 11;
const NEWLINE: u8 = 12;
const CONTROL: u8 = 13;
/// Stand between letters: dashes, and the hyphen that is not seen.
const DASH: u8 = 14;
const SOFT_HYPHEN: u8 = 15;
/// Stand between letters and between digits.
const QUOTE: u8 = 16;
/// The same, and before numbers.
const DOT: u8 = 17;
/// Stand between digits.
const COMMA: u8 = 18;
/// Stand behind numbers.
const PERCENT: u8 = 19;
/// Stand before numbers.
const MONEY: u8 = 20;

static TABLE: LazyLock<CharTable> = LazyLock::new(|| table(r"[\p{Pd}\p{Pc}\x{2027}]"));

/// The same in texts of Thai, where what connects words ends them.
static THAI_TABLE: LazyLock<CharTable> = LazyLock::new(|| table(r"[\p{Pd}\x{2027}]"));

fn table(dashes: &str) -> CharTable {
    classes(&[
        (OTHER, r"\p{any}"),
        (LETTER, r"[\p{L}\p{Mc}]"),
        (DIGIT, r"\p{N}"),
        (MARK, r"[\p{Mn}\p{Me}]"),
        (UNSEEN, r"\p{Cf}"),
        (CONTROL, r"\p{Cc}"),
        (SPACE, r"[\p{Zs}\t]"),
        (DASH, dashes),
        (MONEY, r"[\p{Sc}#]"),
        (KANJI, r"[\x{4E00}-\x{9FA5}\x{3005}\x{F900}-\x{FA2D}]"),
        (KATAKANA, r"[\x{30A1}-\x{30FA}\x{30FD}\x{30FE}]"),
        (HIRAGANA, r"[\x{3041}-\x{3094}\x{309D}\x{309E}]"),
        (KANA_MARK, r"[\x{3099}\x{309A}]"),
        (KANA_SIGN, r"[\x{309B}\x{309C}\x{30FB}\x{30FC}]"),
        (DANDA, r"[\x{964}\x{965}]"),
        (RETURN, r"\r"),
        (NEWLINE, r"[\n\x0C\x{2028}\x{2029}]"),
        (SOFT_HYPHEN, r"\x{AD}"),
        (QUOTE, "[\"']"),
        (DOT, r"\."),
        (COMMA, r"[,\x{66B}]"),
        (PERCENT, r"[%&\x{A2}\x{66A}\x{2030}\x{2031}]"),
    ])
}

/// Where words begin and end.
pub(crate) fn words(text: &str) -> Vec<usize> {
    words_by(&TABLE, text)
}

/// Where words begin and end between those of Thai.
pub(crate) fn words_beside_thai(text: &str) -> Vec<usize> {
    words_by(&THAI_TABLE, text)
}

fn words_by(table: &CharTable, text: &str) -> Vec<usize> {
    let seen = Seen::new(text, table);
    let mut bounds = vec![0];
    let mut at = 0;
    while at < seen.classes.len() {
        at = seen.word_end(at);
        bounds.push(seen.places[at]);
    }
    if bounds.last() != Some(&text.len()) {
        bounds.push(text.len());
    }
    bounds
}

impl Seen {
    /// The end of what begins at `at`, which is before the end of the text. The longest of all rules wins.
    fn word_end(&self, at: usize) -> usize {
        let ends = match self.classes[at] {
            LETTER => self.numbers(self.letters(at)),
            DIGIT => self.numbers(at),
            MONEY | DOT => self.numbers(at + 1),
            SPACE | RETURN | NEWLINE => self.blank(at),
            KATAKANA => self.past(at, &[KATAKANA, KANA_MARK, KANA_SIGN]),
            HIRAGANA => self.past(at, &[HIRAGANA, KANA_MARK, KANA_SIGN]),
            KANA_MARK | KANA_SIGN => {
                let [one, other] = [KATAKANA, HIRAGANA].map(|kana| self.past(at, &[kana, KANA_MARK, KANA_SIGN]));
                one.max(other)
            }
            KANJI => self.past(at, &[KANJI]),
            _ => at,
        };
        ends.max(self.one(at))
    }

    /// One character with its marks.
    fn one(&self, at: usize) -> usize {
        match self.classes[at] {
            MARK | KANA_MARK | SOFT_HYPHEN | CONTROL | RETURN | NEWLINE => at + 1,
            _ => self.marks(at + 1),
        }
    }

    fn marks(&self, at: usize) -> usize {
        self.past(at, &[MARK, KANA_MARK])
    }

    /// A run of characters of a class, with their marks.
    fn run(&self, mut at: usize, class: u8) -> usize {
        while self.class(at) == Some(class) {
            at = self.marks(at + 1);
        }
        at
    }

    fn blank(&self, at: usize) -> usize {
        let mut at = self.run(at, SPACE);
        at += usize::from(self.class(at) == Some(RETURN));
        at + usize::from(self.class(at) == Some(NEWLINE))
    }

    /// Runs of a class with single marks between them.
    fn joined(&self, at: usize, class: u8, joins: &[u8]) -> usize {
        let mut end = self.run(at, class);
        while end > at
            && self.class(end).is_some_and(|mark| joins.contains(&mark))
            && self.class(end + 1) == Some(class)
        {
            end = self.run(end + 1, class);
        }
        end
    }

    fn letters(&self, at: usize) -> usize {
        let end = self.joined(at, LETTER, &[DASH, SOFT_HYPHEN, QUOTE, DOT]);
        end + usize::from(end > at && self.class(end) == Some(DANDA))
    }

    /// Numbers with words between and behind them, or what may stand behind a number.
    fn numbers(&self, mut at: usize) -> usize {
        while self.class(at) == Some(DIGIT) {
            at = self.joined(at, DIGIT, &[COMMA, QUOTE, DOT]);
            match self.class(at) {
                Some(LETTER) => at = self.letters(at),
                Some(PERCENT) => return at + 1,
                _ => {}
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_as_the_runtime_of_java_cuts_them() {
        for (text, expected) in [
            ("l'a m-As", &["l'a", " ", "m-As"][..]),
            ("a--b", &["a", "-", "-", "b"]),
            ("1,000.50 1-2", &["1,000.50", " ", "1", "-", "2"]),
            ("$10 $a US$5", &["$10", " ", "$", "a", " ", "US", "$5"]),
            ("10% 5\u{20ac}", &["10%", " ", "5", "\u{20ac}"]),
            ("v1.2.3-beta", &["v1.2.3", "-", "beta"]),
            ("AT&T a_b", &["AT", "&", "T", " ", "a_b"]),
            (".5 a.", &[".5", " ", "a", "."]),
            ("a  b\r\nc\t \nd\n\n", &["a", "  ", "b", "\r\n", "c", "\t \n", "d", "\n", "\n"]),
            ("日本ひらカタカー", &["日本", "ひら", "カタカー"]),
            ("e\u{301}a a-\u{301}a", &["e\u{301}a", " ", "a", "-\u{301}", "a"]),
            ("a\u{200b}b \u{1d400}b!?", &["a\u{200b}b", " ", "\u{1d400}b", "!", "?"]),
            ("ab\u{964}1c2%d", &["ab\u{964}1c2%", "d"]),
        ] {
            let bounds = words(text);
            let found: Vec<&str> = bounds.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(super::words_beside_thai("a_b-c"), [0, 1, 2, 5]);
        assert_eq!(words(""), [0]);
        assert_eq!(words("\u{200b}"), [0, 3]);
    }
}
