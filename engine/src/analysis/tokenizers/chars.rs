//! Tokenizers that cut at every character that is not wanted: `letter`, `lowercase`, `whitespace`, `char_group`.

use super::{Raw, Tokenizer};
use crate::analysis::char_table::{is_digit, is_letter, is_punctuation, is_symbol, is_whitespace};
use crate::analysis::params::Params;
use crate::analysis::registry::Limits;
use crate::analysis::token::WORD;
use crate::analysis::token_filters::lowercase::lower;
use crate::{Error, ErrorKind, Result};

/// The longest token, in UTF-16 code units, unless `max_token_length` says otherwise.
const MAX_TOKEN_LENGTH: usize = 255;

/// Runs of the characters that `wanted` accepts. Longer runs than `max_units` are cut.
pub(crate) struct Runs<F> {
    wanted: F,
    max_units: usize,
    lowercase: bool,
    frequency: bool,
}

pub(crate) fn letter() -> impl Tokenizer {
    Runs { wanted: letters_only, max_units: MAX_TOKEN_LENGTH, lowercase: false, frequency: true }
}

pub(crate) fn lowercase() -> impl Tokenizer {
    Runs { wanted: letters_only, max_units: MAX_TOKEN_LENGTH, lowercase: true, frequency: true }
}

pub(crate) fn whitespace() -> impl Tokenizer {
    Runs { wanted: not_whitespace, max_units: MAX_TOKEN_LENGTH, lowercase: false, frequency: true }
}

pub(super) fn build_letter(_: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    Ok(Box::new(letter()))
}

pub(super) fn build_lowercase(_: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    Ok(Box::new(lowercase()))
}

pub(super) fn build_whitespace(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    Ok(Box::new(Runs {
        wanted: not_whitespace,
        max_units: max_units(params, "max_token_length")?,
        lowercase: false,
        frequency: true,
    }))
}

/// The longest token, in UTF-16 units.
pub(super) fn max_units(params: &Params, key: &str) -> Result<usize> {
    let length = params.int(key, MAX_TOKEN_LENGTH as i64)?;
    if !(1..=1 << 20).contains(&length) {
        return Err(Error::illegal_argument(format!(
            "maxTokenLen must be greater than 0 and less than 1048576 passed: {length}"
        )));
    }
    Ok(length as usize)
}

fn letters_only(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { is_letter(c) }
}

fn not_whitespace(c: char) -> bool {
    !is_whitespace(c)
}

pub(super) fn build_char_group(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    let mut classes: Vec<fn(char) -> bool> = vec![];
    let mut characters = vec![];
    for text in params.list("tokenize_on_chars").unwrap_or_default() {
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (None, _) => {
                return Err(Error::new(ErrorKind::Runtime, "[tokenize_on_chars] cannot contain empty characters"));
            }
            (Some(c), None) if c.len_utf16() == 1 => characters.push(c),
            (Some('\\'), Some(_)) => characters.push(escaped(&text)?),
            _ => classes.push(match text.as_str() {
                "letter" => is_letter,
                "digit" => is_digit,
                "whitespace" => is_whitespace,
                "punctuation" => is_punctuation,
                "symbol" => is_symbol,
                other => {
                    return Err(Error::new(ErrorKind::Runtime, format!("Invalid escaped char in [{other}]")));
                }
            }),
        }
    }
    let wanted = move |c: char| !characters.contains(&c) && !classes.iter().any(|class| class(c));
    Ok(Box::new(Runs { wanted, max_units: max_units(params, "max_token_length")?, lowercase: false, frequency: false }))
}

/// A character given as `\n`, `\t`, … or `\uXXXX`.
fn escaped(text: &str) -> Result<char> {
    let invalid = || Error::new(ErrorKind::Runtime, format!("Invalid escaped char [{text}]"));
    match &text[1..] {
        "n" => Ok('\n'),
        "t" => Ok('\t'),
        "r" => Ok('\r'),
        "b" => Ok('\u{8}'),
        "f" => Ok('\u{c}'),
        "\\" => Ok('\\'),
        rest => {
            let hex = rest.strip_prefix('u').ok_or_else(invalid)?;
            u32::from_str_radix(hex, 16).ok().and_then(char::from_u32).ok_or_else(invalid)
        }
    }
}

impl<F> std::fmt::Debug for Runs<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Runs {{ max_units: {}, lowercase: {}, .. }}", self.max_units, self.lowercase)
    }
}

impl<F: Fn(char) -> bool + Send + Sync> Tokenizer for Runs<F> {
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        runs(self, text, sink);
    }

    fn shows_frequency(&self) -> bool {
        self.frequency
    }
}

fn runs<F: Fn(char) -> bool>(runs: &Runs<F>, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
    let mut lowered = String::new();
    let mut emit = |start: usize, end: usize| {
        if !runs.lowercase {
            return sink(Raw::new(text, start, end, WORD));
        }
        lowered.clear();
        lowered.extend(text[start..end].chars().map(lower));
        sink(Raw { text: &lowered, ..Raw::new(text, start, end, WORD) })
    };
    let mut start = None;
    let mut units = 0;
    for (at, c) in text.char_indices() {
        if (runs.wanted)(c) {
            if start.is_none() {
                (start, units) = (Some(at), 0);
            }
            units += c.len_utf16();
            if units >= runs.max_units && !emit(start.take().expect("set above"), at + c.len_utf8()) {
                return;
            }
        } else if let Some(start) = start.take()
            && !emit(start, at)
        {
            return;
        }
    }
    if let Some(start) = start {
        emit(start, text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(tokenizer: &dyn Tokenizer, text: &str) -> Vec<String> {
        let mut found = vec![];
        tokenizer.tokenize(text, &mut |raw| {
            found.push(raw.text.to_owned());
            true
        });
        found
    }

    #[test]
    fn cuts_at_unwanted_characters() {
        assert_eq!(texts(&letter(), "it's 3x Äb"), ["it", "s", "x", "Äb"]);
        assert_eq!(texts(&lowercase(), "It's"), ["it", "s"]);
        assert_eq!(texts(&whitespace(), "a\u{a0}b c-d\u{2003}e"), ["a\u{a0}b", "c-d", "e"]);
        assert_eq!(texts(&whitespace(), &"a".repeat(256)), ["a".repeat(255), "a".to_owned()]);
    }
}
