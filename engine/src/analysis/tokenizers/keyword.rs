//! `keyword`: the whole text as one token.

use super::chars::max_units;
use super::{Raw, Tokenizer};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Limits;
use crate::analysis::token::WORD;

#[derive(Debug)]
pub(crate) struct Keyword;

pub(super) fn build(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    // The size of a buffer of the reference: checked, and of no consequence.
    max_units(params, "buffer_size")?;
    Ok(Box::new(Keyword))
}

impl Tokenizer for Keyword {
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        sink(Raw::new(text, 0, text.len(), WORD));
    }
}
