//! `standard`: words by UAX #29, emoji by UTS #51, ideographs one by one.

use super::{Raw, Tokenizer};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Limits;
use crate::analysis::word_break::{Class, Props, props};

pub(crate) const ALPHANUM: &str = "<ALPHANUM>";
pub(crate) const NUM: &str = "<NUM>";
const SOUTHEAST_ASIAN: &str = "<SOUTHEAST_ASIAN>";
const IDEOGRAPHIC: &str = "<IDEOGRAPHIC>";
const HIRAGANA: &str = "<HIRAGANA>";
const KATAKANA: &str = "<KATAKANA>";
const HANGUL: &str = "<HANGUL>";
const EMOJI: &str = "<EMOJI>";

/// The longest token of the built-in analyzers, in UTF-16 code units; longer ones are cut.
pub(crate) const MAX_TOKEN_LENGTH: usize = 255;
/// The largest `max_token_length` that may be asked for.
const MAX_TOKEN_LENGTH_LIMIT: i64 = 1 << 20;

#[derive(Debug)]
pub(crate) struct Standard {
    max_token_length: usize,
}

impl Default for Standard {
    fn default() -> Self {
        Self { max_token_length: MAX_TOKEN_LENGTH }
    }
}

impl Standard {
    pub fn new(max_token_length: usize) -> Self {
        Self { max_token_length }
    }
}

pub(super) fn build(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    Ok(Box::new(Standard { max_token_length: max_token_length(params)? }))
}

/// Reads `max_token_length`, within the bounds of the reference.
pub(crate) fn max_token_length(params: &Params) -> Result<usize> {
    let length = params.int("max_token_length", MAX_TOKEN_LENGTH as i64)?;
    if length < 1 {
        return Err(crate::Error::illegal_argument("maxTokenLength must be greater than zero"));
    }
    if length > MAX_TOKEN_LENGTH_LIMIT {
        return Err(crate::Error::illegal_argument(format!("maxTokenLength may not exceed {MAX_TOKEN_LENGTH_LIMIT}")));
    }
    Ok(length as usize)
}

impl Tokenizer for Standard {
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        let mut at = 0;
        while let Some((start, end, kind)) = next_token(text, at, self.max_token_length) {
            if !sink(Raw::new(text, start, end, kind)) {
                return;
            }
            at = end;
        }
    }
}

/// What a byte of ASCII is to the fast path.
mod ascii {
    /// Nothing of a token.
    pub const OTHER: u8 = 0;
    pub const LETTER: u8 = 1;
    pub const DIGIT: u8 = 2;
    pub const UNDERSCORE: u8 = 4;
    pub const WORD: u8 = LETTER | DIGIT | UNDERSCORE;
    /// Joins letters, and digits, and both.
    pub const MID_LETTER: u8 = 8;
    pub const MID_NUM: u8 = 16;
    /// Begins an emoji when a combining key cap follows.
    pub const KEY_CAP: u8 = 32;
    pub const NOT_ASCII: u8 = 128;

    pub const CLASS: [u8; 256] = {
        let mut class = [OTHER; 256];
        let mut b = 0;
        while b < 256 {
            class[b] = match b as u8 {
                b'a'..=b'z' | b'A'..=b'Z' => LETTER,
                b'0'..=b'9' => DIGIT,
                b'_' => UNDERSCORE,
                b'.' | b'\'' => MID_LETTER | MID_NUM,
                b':' => MID_LETTER,
                b',' | b';' => MID_NUM,
                b'#' | b'*' => KEY_CAP,
                0x80.. => NOT_ASCII,
                _ => OTHER,
            };
            b += 1;
        }
        class
    };
}

/// The first token of `text` that begins at `at` or later: its bytes and type. Plain ASCII words take a short way;
/// whatever touches another character, or is longer than the limit, goes by the full rules.
#[inline]
fn next_token(text: &str, mut at: usize, max_units: usize) -> Option<(usize, usize, &'static str)> {
    let bytes = text.as_bytes();
    let class = |at: usize| bytes.get(at).map_or(ascii::OTHER, |b| ascii::CLASS[usize::from(*b)]);
    loop {
        while at < bytes.len() && class(at) & (ascii::WORD | ascii::KEY_CAP | ascii::NOT_ASCII) == 0 {
            at += 1;
        }
        if at >= bytes.len() {
            return None;
        }
        let start = at;
        let mut seen = 0;
        let stop = loop {
            // What is longer is cut, and the rest looked at anew: to look at all of it each time would take as long as it is often.
            while class(at) & ascii::WORD != 0 && at - start <= max_units {
                seen |= class(at);
                at += 1;
            }
            // `Mid × letter` holds between two letters or two digits only.
            let stop = class(at);
            if stop & (ascii::MID_LETTER | ascii::MID_NUM) == 0 || at == start {
                break stop;
            }
            let (before, after) = (class(at - 1), class(at + 1));
            if after == ascii::NOT_ASCII {
                break after;
            }
            let joins = before == after
                && (before == ascii::LETTER && stop & ascii::MID_LETTER != 0
                    || before == ascii::DIGIT && stop & ascii::MID_NUM != 0);
            if !joins {
                break ascii::OTHER;
            }
            at += 1;
        };
        // A key cap character decides only together with what follows it.
        let stop = if at == start && stop == ascii::KEY_CAP { class(at + 1) } else { stop };
        if stop == ascii::NOT_ASCII || at - start > max_units {
            match match_at(&text[start..], max_units) {
                Some((len, kind)) => return Some((start, start + len, kind)),
                None => at = start + nothing_within(&text[start..], max_units),
            }
        } else if seen & (ascii::LETTER | ascii::DIGIT) != 0 {
            return Some((start, at, if seen & ascii::LETTER != 0 { ALPHANUM } else { NUM }));
        } else {
            at = at.max(start + 1);
        }
    }
}

/// How much of a text at whose beginning there is no token can be passed over: a character, or of many of the same, all that have
/// no fewer behind them than are ever looked at.
fn nothing_within(text: &str, max_units: usize) -> usize {
    let Some(first) = text.chars().next() else { return 1 };
    let same = text.chars().take_while(|c| *c == first).count();
    first.len_utf8() * same.saturating_sub(max_units).max(1)
}

/// The longest token at the beginning of `text`, by the full rules, at most `max_units` UTF-16 code units long.
pub(super) fn match_at(text: &str, max_units: usize) -> Option<(usize, &'static str)> {
    // A code unit is at most three bytes of UTF-8, so this window holds all that may be looked at.
    let window = &text[..text.floor_char_boundary(max_units.saturating_mul(3))];
    let found = longest(window)?;
    if found.0 <= max_units {
        return Some(found);
    }
    let mut units = 0;
    let cut = window.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > max_units
    });
    longest(&window[..cut.map_or(window.len(), |(at, _)| at)])
}

/// The longest token at the beginning of `text`; of equally long ones the rule that stands first wins.
fn longest(text: &str) -> Option<(usize, &'static str)> {
    let mut best: Option<(usize, &'static str)> = None;
    for rule in [emoji, word, complex, single] {
        let found = rule(text);
        if found.is_some_and(|(len, _)| best.is_none_or(|(longest, _)| len > longest)) {
            best = found;
        }
    }
    best
}

/// A place in a text from which characters are taken one by one.
#[derive(Clone, Copy)]
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn peek_props(&self) -> Option<Props> {
        self.peek().map(props)
    }

    /// Takes the next character if `wanted`.
    fn take(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        match self.peek() {
            Some(c) if wanted(c) => {
                self.at += c.len_utf8();
                true
            }
            _ => false,
        }
    }

    fn take_char(&mut self, c: char) -> bool {
        self.take(|other| other == c)
    }

    /// Takes a character and the Extend, Format and ZWJ characters that belong to it.
    fn take_extended(&mut self, wanted: impl Fn(Props) -> bool) -> bool {
        let taken = self.take(|c| wanted(props(c)));
        if taken {
            while self.take(|c| props(c).extends()) {}
        }
        taken
    }
}

const TEXT_PRESENTATION: char = '\u{fe0e}';
const EMOJI_PRESENTATION: char = '\u{fe0f}';
const KEY_CAP: char = '\u{20e3}';
const TAG_END: char = '\u{e007f}';

/// Takes Extend, Format and ZWJ characters but presentation selectors; tells whether the last was a ZWJ.
fn take_extenders(cursor: &mut Cursor) -> bool {
    let mut zwj_last = false;
    while let Some(c) = cursor.peek() {
        if matches!(c, TEXT_PRESENTATION | EMOJI_PRESENTATION) || !props(c).extends() {
            break;
        }
        zwj_last = props(c).class() == Class::Zwj;
        cursor.at += c.len_utf8();
    }
    zwj_last
}

/// An emoji with what belongs to it: skin tones, presentation, further emoji after ZWJs, tags; a key cap; a flag.
fn emoji(text: &str) -> Option<(usize, &'static str)> {
    let mut cursor = Cursor::new(text);
    let is = |class| move |props: Props| props.class() == class;
    let found = |end: usize| Some((end, EMOJI));
    if cursor.take(|c| matches!(c, '0'..='9' | '#' | '*')) {
        take_extenders(&mut cursor);
        cursor.take_char(EMOJI_PRESENTATION);
        // Without the selector, the key cap is one of the extenders just taken.
        if !cursor.take_char(KEY_CAP) {
            return key_cap_within(text);
        }
        take_extenders(&mut cursor);
        return found(cursor.at);
    }
    if cursor.take_extended(is(Class::RegionalIndicator)) {
        return cursor.take_extended(is(Class::RegionalIndicator)).then_some((cursor.at, EMOJI));
    }
    let mut end = 0;
    let mut first = true;
    loop {
        let joiners =
            std::iter::repeat_with(|| cursor.take(|c| props(c).class() == Class::Zwj)).take_while(|t| *t).count();
        // A skin tone alone takes no ZWJ before it, or, within a sequence, just one.
        let modifier = cursor.peek_props().is_some_and(|p| p.is_modifier() && joiners <= usize::from(!first));
        if !cursor.take(|c| props(c).is_emoji() || modifier) {
            break;
        }
        let mut zwj_last = take_extenders(&mut cursor);
        end = cursor.at;
        if !modifier && cursor.take_char(EMOJI_PRESENTATION) {
            end = cursor.at;
            zwj_last = cursor.peek_props().is_some_and(|p| p.class() == Class::Zwj);
            if let (true, Some(tagged)) = (first, tags(cursor)) {
                end = tagged;
            }
        }
        first = false;
        if !zwj_last {
            break;
        }
    }
    if end > 0 { found(end) } else { None }
}

/// A key cap sequence without a presentation selector: digit, extenders, key cap, extenders.
fn key_cap_within(text: &str) -> Option<(usize, &'static str)> {
    let mut cursor = Cursor { text, at: 1 };
    let mut capped = false;
    while let Some(c) = cursor.peek() {
        if matches!(c, TEXT_PRESENTATION | EMOJI_PRESENTATION) || !props(c).extends() {
            break;
        }
        capped |= c == KEY_CAP;
        cursor.at += c.len_utf8();
    }
    capped.then_some((cursor.at, EMOJI))
}

/// The end of the tags that follow the presentation selector, if they are well-formed.
fn tags(mut cursor: Cursor) -> Option<usize> {
    let start = cursor.at;
    while cursor.take(|c| ('\u{e0020}'..='\u{e007e}').contains(&c)) {}
    (cursor.at > start && cursor.take_char(TAG_END)).then_some(cursor.at)
}

/// What was taken last; decides what may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Only ExtendNumLet so far, or nothing.
    Nothing,
    Letter,
    /// A Hebrew letter that did not come after a joining character: a quote may follow.
    Hebrew,
    Numeric,
    Katakana,
    ExtendNumLet,
    /// After the quote of a Hebrew word: nothing joins here but letters and digits themselves.
    Sealed,
}

/// Words, numbers, and runs of Hangul and Katakana.
fn word(text: &str) -> Option<(usize, &'static str)> {
    let mut cursor = Cursor::new(text);
    let mut last = Last::Nothing;
    let mut seen = Seen::default();
    while let Some(props) = cursor.peek_props() {
        let next = match props.class() {
            Class::Hebrew if last != Last::Katakana => Last::Hebrew,
            Class::Letter | Class::Hangul if last != Last::Katakana => Last::Letter,
            Class::Numeric if last != Last::Katakana => Last::Numeric,
            Class::Katakana if matches!(last, Last::Nothing | Last::ExtendNumLet | Last::Katakana) => Last::Katakana,
            Class::ExtendNumLet if last != Last::Nothing => Last::ExtendNumLet,
            Class::ExtendNumLet => Last::Nothing,
            class => match joined(cursor, class, last) {
                Some((end, next)) => {
                    seen.joiner = true;
                    (cursor.at, last) = (end, next);
                    continue;
                }
                None => break,
            },
        };
        seen.add(props.class());
        cursor.take_extended(|_| true);
        last = next;
    }
    // A run of ExtendNumLet alone is no word.
    (last != Last::Nothing).then(|| (cursor.at, seen.kind()))
}

/// What a word consists of; decides its type.
#[derive(Default)]
struct Seen {
    hangul: bool,
    katakana: bool,
    numeric: bool,
    letter: bool,
    joiner: bool,
}

impl Seen {
    fn add(&mut self, class: Class) {
        match class {
            Class::Hangul => self.hangul = true,
            Class::Katakana => self.katakana = true,
            Class::Numeric => self.numeric = true,
            Class::ExtendNumLet => self.joiner = true,
            _ => self.letter = true,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self { hangul: false, katakana: false, letter: false, .. } => NUM,
            Self { hangul: true, katakana: false, numeric: false, letter: false, joiner: false } => HANGUL,
            Self { hangul: false, katakana: true, numeric: false, letter: false, joiner: false } => KATAKANA,
            _ => ALPHANUM,
        }
    }
}

/// The joining character at `cursor`, with what it joins: where the word continues, and after what.
fn joined(mut cursor: Cursor, class: Class, last: Last) -> Option<(usize, Last)> {
    cursor.take_extended(|_| true);
    let after_quote = cursor.at;
    let mut next = |class: &dyn Fn(Class) -> bool| cursor.take_extended(|p| class(p.class())).then_some(cursor.at);
    let is_letter = |c| matches!(c, Class::Letter | Class::Hangul | Class::Hebrew);
    match (class, last) {
        (Class::SingleQuote, Last::Hebrew) => Some((after_quote, Last::Sealed)),
        (Class::DoubleQuote, Last::Hebrew) => next(&|c| c == Class::Hebrew).map(|end| (end, Last::Sealed)),
        (Class::MidLetter | Class::MidNumLet | Class::SingleQuote, Last::Letter | Last::Hebrew) => {
            next(&is_letter).map(|end| (end, Last::Letter))
        }
        (Class::MidNum | Class::MidNumLet | Class::SingleQuote, Last::Numeric) => {
            next(&|c| c == Class::Numeric).map(|end| (end, Last::Numeric))
        }
        _ => None,
    }
}

/// A run of a South East Asian script.
fn complex(text: &str) -> Option<(usize, &'static str)> {
    let mut cursor = Cursor::new(text);
    while cursor.take_extended(Props::is_complex) {}
    (cursor.at > 0).then_some((cursor.at, SOUTHEAST_ASIAN))
}

/// One ideograph or one Hiragana syllable.
fn single(text: &str) -> Option<(usize, &'static str)> {
    let mut cursor = Cursor::new(text);
    let kind = match cursor.peek_props()?.class() {
        Class::Han => IDEOGRAPHIC,
        Class::Hiragana => HIRAGANA,
        _ => return None,
    };
    cursor.take_extended(|_| true);
    Some((cursor.at, kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokens(text: &str, max: usize) -> Vec<(usize, usize, &'static str)> {
        let mut found = vec![];
        Standard::new(max).tokenize(text, &mut |raw| {
            found.push((raw.start, raw.end, raw.kind));
            true
        });
        found
    }

    /// The tokenizer without its short way for ASCII.
    fn tokens_by_full_rules(text: &str, max: usize) -> Vec<(usize, usize, &'static str)> {
        let (mut found, mut at) = (vec![], 0);
        while let Some(c) = text[at..].chars().next() {
            match match_at(&text[at..], max) {
                Some((len, kind)) => {
                    found.push((at, at + len, kind));
                    at += len;
                }
                None => at += c.len_utf8(),
            }
        }
        found
    }

    /// Took as long as the text is long, for each of its parts: minutes.
    #[test]
    fn long_words_are_cut_as_they_are_read() {
        for part in ["a", "a.", "1,"] {
            let word = part.repeat(500_000);
            let found = tokens(&word, 255);
            assert!(found.iter().all(|(start, end, _)| end - start <= 255), "{part}");
            assert!(found.iter().map(|(start, end, _)| end - start).sum::<usize>() + 10_000 > word.len(), "{part}");
        }
        for joiner in ["_", "\u{203f}", "\u{200d}"] {
            assert_eq!(tokens(&joiner.repeat(500_000), 255), [], "{joiner}");
            for length in [4, 5, 6, 12] {
                let text = format!("{}a", joiner.repeat(length));
                assert_eq!(tokens(&text, 5), tokens_by_full_rules(&text, 5), "{text}");
            }
        }
    }

    fn shown(text: &str) -> String {
        let show = |(start, end, kind): (usize, usize, &str)| format!("{}{kind}", &text[start..end]);
        tokens(text, MAX_TOKEN_LENGTH).into_iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn long_tokens_are_cut() {
        let text = "a".repeat(300);
        assert_eq!(tokens(&text, 255), [(0, 255, ALPHANUM), (255, 300, ALPHANUM)]);
        assert_eq!(tokens("ab.cd", 3), [(0, 2, ALPHANUM), (3, 5, ALPHANUM)]);
        assert_eq!(tokens("a𐐷𐐷b", 4), [(0, 5, ALPHANUM), (5, 10, ALPHANUM)]);
    }

    #[test]
    fn joins_what_belongs_together() {
        assert_eq!(
            shown("it's 3.14 a_b __ 1,2;3 a:b a.1"),
            "it's<ALPHANUM> 3.14<NUM> a_b<ALPHANUM> 1,2;3<NUM> a:b<ALPHANUM> a<ALPHANUM> 1<NUM>"
        );
        assert_eq!(
            shown("漢字かなカタカナ한국어ไทย"),
            "漢<IDEOGRAPHIC> 字<IDEOGRAPHIC> か<HIRAGANA> な<HIRAGANA> カタカナ<KATAKANA> 한국어<HANGUL> ไทย<SOUTHEAST_ASIAN>"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
        #[test]
        fn short_way_agrees_with_the_full_rules(
            text in "([a-c1-2_.,:;'\"#* \n-]|[ -~]|[é漢カ한אก\u{301}\u{20e3}\u{fe0f}\u{200d}😀🏽🇩\u{b7}]){0,40}",
            max in prop_oneof![Just(255usize), 1..6usize],
        ) {
            prop_assert_eq!(tokens(&text, max), tokens_by_full_rules(&text, max));
        }
    }
}
