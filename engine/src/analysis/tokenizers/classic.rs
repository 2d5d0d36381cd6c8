//! `classic`: words, acronyms, companies, e-mail addresses, hosts and numbers, by the grammar of old. Longer tokens than the
//! limit are left out.

use super::longest::Longest;
use super::{Raw, Tokenizer};
use crate::analysis::offsets::utf16_len;
use crate::analysis::params::Params;
use crate::analysis::registry::Limits;
use crate::{Error, Result};
use std::sync::LazyLock;

/// Unless something else is asked for.
const MAX_TOKEN_LENGTH: i64 = 255;

/// Types, in the order of the rules: of equally long tokens the first counts.
const KINDS: [&str; 9] = [
    "<ALPHANUM>",
    "<APOSTROPHE>",
    "<ACRONYM>",
    "<COMPANY>",
    "<EMAIL>",
    "<HOST>",
    "<NUM>",
    "<CJ>",
    // Acronyms that may be hosts with a dot behind them.
    "<HOST>",
];
const DOTTED: usize = 8;

static GRAMMAR: LazyLock<Longest> = LazyLock::new(|| {
    let cj = r"\x{3100}-\x{312F}\x{3040}-\x{309F}\x{30A0}-\x{30FF}\x{31F0}-\x{31FF}\x{3300}-\x{337F}\x{3400}-\x{4DBF}\x{4E00}-\x{9FFF}\x{F900}-\x{FAFF}\x{FF65}-\x{FF9F}";
    // The grammar is older than characters beyond the first plane.
    let letter = format!(r"[[\p{{L}}--[{cj}]]&&[\x00-\x{{FFFF}}]&&\p{{age=3.0}}]");
    let number = r"[\p{Nd}&&[\x00-\x{FFFF}]&&\p{age=3.0}]";
    let word = format!(r"[{letter}{number}\x{{0E00}}-\x{{0E59}}]+");
    let some = format!(r"[{letter}{number}]*");
    let digit = format!(r"(?:{some}{number}{some})");
    let p = "[_/.,-]";
    Longest::new(&[
        word.clone(),
        format!("{letter}+(?:'{letter}+)+"),
        format!(r"{letter}\.(?:{letter}\.)+"),
        format!("{letter}+[&@]{letter}+"),
        format!(r"{word}(?:[._-]{word})*@{word}(?:[.-]{word})+"),
        format!(r"{word}(?:\.{word})+"),
        format!(
            "{word}{p}{digit}|{digit}{p}{word}|{word}(?:{p}{digit}{p}{word})+|{digit}(?:{p}{word}{p}{digit})+|{word}{p}{digit}(?:{p}{word}{p}{digit})+|{digit}{p}{word}(?:{p}{digit}{p}{word})+"
        ),
        format!("[{cj}]"),
        format!(r"{word}\.(?:{word}\.)+"),
    ])
});

#[derive(Debug)]
pub(crate) struct Classic {
    max_token_length: usize,
}

pub(super) fn build(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    // As long as may be asked for.
    let length = params.int("max_token_length", MAX_TOKEN_LENGTH)?;
    let length = usize::try_from(length).ok().filter(|length| *length > 0);
    let max_token_length = length.ok_or_else(|| Error::illegal_argument("maxTokenLength must be greater than zero"))?;
    Ok(Box::new(Classic { max_token_length }))
}

impl Tokenizer for Classic {
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        self.tokenize_to_end(text, sink);
    }

    fn tokenize_to_end(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) -> u32 {
        let mut search = GRAMMAR.search();
        let mut increment = 1;
        let mut at = 0;
        while at < text.len() {
            let Some((end, rule)) = search.at(text, at) else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            let start = std::mem::replace(&mut at, end);
            if utf16_len(&text[start..end]) as usize > self.max_token_length {
                increment += 1;
                continue;
            }
            let shown = if rule == DOTTED { end - 1 } else { end };
            let raw = Raw { text: &text[start..shown], start, end, increment, kind: KINDS[rule] };
            increment = 1;
            if !sink(raw) {
                return 0;
            }
        }
        increment - 1
    }
}
