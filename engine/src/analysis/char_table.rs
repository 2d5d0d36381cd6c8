//! Tables of properties of characters, built from the sets of the regular expression library; and the classes of Java's
//! `Character`, by which many components of the reference decide.

use regex_syntax::hir::{Class, HirKind};
use std::sync::LazyLock;

/// A byte for each code point, in two stages: the block of 256 code points, then the bytes in it. Equal blocks are
/// stored once.
pub(crate) struct CharTable {
    blocks: Vec<u16>,
    bytes: Vec<u8>,
}

impl CharTable {
    /// `fill` gets a byte for each code point, all 0.
    pub fn build(fill: impl FnOnce(&mut [u8])) -> Self {
        let mut flat = vec![0u8; 0x11_0000];
        fill(&mut flat);
        let mut table = Self { blocks: Vec::with_capacity(0x1100), bytes: vec![] };
        for block in flat.chunks_exact(256) {
            let known = table.bytes.chunks_exact(256).position(|known| known == block);
            table.blocks.push(known.unwrap_or_else(|| {
                table.bytes.extend_from_slice(block);
                table.bytes.len() / 256 - 1
            }) as u16);
        }
        table
    }

    #[inline]
    pub fn get(&self, c: char) -> u8 {
        let c = c as usize;
        self.bytes[usize::from(self.blocks[c >> 8]) << 8 | c & 0xff]
    }
}

/// Applies `change` to the bytes of the characters in `set`, a set in the syntax of regular expressions.
pub(crate) fn for_each(set: &str, change: impl Fn(&mut u8), flat: &mut [u8]) {
    let hir = regex_syntax::parse(set).expect("the sets of this crate are well-formed");
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(set)) => {
            for range in set.ranges() {
                flat[range.start() as usize..=range.end() as usize].iter_mut().for_each(&change);
            }
        }
        // A set of a single character is simplified to a literal.
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).expect("Unicode sets hold characters");
            text.chars().for_each(|c| change(&mut flat[c as usize]));
        }
        other => panic!("not a set of characters: {other:?}"),
    }
}

const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const UPPER: u8 = 4;
const LOWER: u8 = 8;
const WHITESPACE: u8 = 16;
const PUNCTUATION: u8 = 32;
const SYMBOL: u8 = 64;
const MARK: u8 = 128;

static JAVA: LazyLock<CharTable> = LazyLock::new(|| {
    CharTable::build(|flat| {
        let rows = [
            (LETTER, r"\p{L}"),
            (DIGIT, r"\p{Nd}"),
            (UPPER, r"\p{Lu}"),
            (LOWER, r"\p{Ll}"),
            (WHITESPACE, r"[[\p{Z}--[\x{A0}\x{2007}\x{202F}]]\t\n\x0B\f\r\x1C-\x1F]"),
            (PUNCTUATION, r"\p{P}"),
            (SYMBOL, r"\p{S}"),
            (MARK, r"\p{Mn}"),
        ];
        for (bit, set) in rows {
            for_each(set, |byte| *byte |= bit, flat);
        }
    })
});

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $bits:expr;)*) => {
        $($(#[$doc])* #[inline] pub(crate) fn $name(c: char) -> bool { JAVA.get(c) & ($bits) != 0 })*
    };
}

classes! {
    /// General category L.
    is_letter = LETTER;
    /// General category Nd.
    is_digit = DIGIT;
    /// General category Lu.
    is_uppercase = UPPER;
    /// General category Ll.
    is_lowercase = LOWER;
    /// Java's `isWhitespace`: separators but those that do not break, and some controls.
    is_whitespace = WHITESPACE;
    /// General category P.
    is_punctuation = PUNCTUATION;
    /// General category S.
    is_symbol = SYMBOL;
    /// General category Mn: marks without a width of their own.
    is_mark = MARK;
}
