//! `thai`: Thai words by dictionary, others by their letters and digits.

use super::{Raw, Tokenizer};
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
        for end in segmenter.segment_str(text) {
            let from = std::mem::replace(&mut start, end);
            let is_word = text[from..end].chars().next().is_some_and(|c| is_letter(c) || is_digit(c));
            if is_word && !sink(Raw::new(text, from, end, WORD)) {
                return;
            }
        }
    }
}
