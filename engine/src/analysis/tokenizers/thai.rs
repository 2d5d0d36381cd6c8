//! `thai`: Thai words by dictionary, others by the rules of Java's runtime.

use super::{Raw, Stop, Tokenizer};
use crate::Result;
use crate::analysis::char_table::{is_digit, is_letter};
use crate::analysis::java_breaks;
use crate::analysis::params::Params;
use crate::analysis::registry::Limits;
use crate::analysis::token::WORD;
use icu_segmenter::WordSegmenter;
use icu_segmenter::options::WordBreakInvariantOptions;

#[derive(Debug)]
pub(crate) struct Thai;

pub(super) fn build(_: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    Ok(Box::new(Thai))
}

impl Tokenizer for Thai {
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
        let mut start = 0;
        while start < text.len() {
            let rest = &text[start..];
            let run = rest.find(|c: char| !is_thai(c)).unwrap_or(rest.len());
            if run == 0 {
                let run = rest.find(is_thai).unwrap_or(rest.len());
                let bounds = java_breaks::words_beside_thai(&rest[..run]);
                if !bounds.windows(2).all(|pair| emit(text, start + pair[0], start + pair[1], sink)) {
                    return;
                }
                start += run;
                continue;
            }
            let mut from = start;
            for end in segmenter.segment_str(&rest[..run]).map(|end| start + end) {
                if end > from && !emit(text, std::mem::replace(&mut from, end), end, sink) {
                    return;
                }
            }
            start += run;
        }
    }

    fn stops(&self) -> Stop {
        Stop::AtEnd
    }
}

/// Letters and marks of Thai.
fn is_thai(c: char) -> bool {
    matches!(c, '\u{e01}'..='\u{e2e}' | '\u{e30}'..='\u{e3a}' | '\u{e40}'..='\u{e44}' | '\u{e47}'..='\u{e4e}')
}

/// Hands over what is a word.
fn emit(text: &str, from: usize, to: usize, sink: &mut dyn FnMut(Raw<'_>) -> bool) -> bool {
    let is_word = text[from..to].chars().next().is_some_and(|c| is_letter(c) || is_digit(c));
    !is_word || sink(Raw::new(text, from, to, WORD))
}
