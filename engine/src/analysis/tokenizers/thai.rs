//! `thai`: Thai words by dictionary, others by the rules of Java's runtime.

use super::{Raw, Tokenizer, java_words};
use crate::Result;
use crate::analysis::char_table::{is_digit, is_letter};
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
            let run = rest.find(|c: char| !java_words::is_thai(c)).unwrap_or(rest.len());
            if run == 0 {
                let end = start + java_words::end(rest);
                if !emit(text, start, end, sink) {
                    return;
                }
                start = end;
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
}

/// Hands over what is a word.
fn emit(text: &str, from: usize, to: usize, sink: &mut dyn FnMut(Raw<'_>) -> bool) -> bool {
    let is_word = text[from..to].chars().next().is_some_and(|c| is_letter(c) || is_digit(c));
    !is_word || sink(Raw::new(text, from, to, WORD))
}
