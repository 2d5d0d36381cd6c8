//! `keep`: keeps the words of a set.

use super::{TermFilter, TokenFilter};
use crate::Error;
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;
use crate::analysis::words::WordSet;

#[derive(Debug)]
pub(crate) struct Keep {
    words: WordSet,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let both = params.has("keep_words") && params.has("keep_words_path");
    let words = if both { None } else { params.words_or_file("keep_words")? };
    let Some(words) = words else {
        return Err(Error::illegal_argument("keep requires either `keep_words` or `keep_words_path` to be configured"));
    };
    let ignore_case = params.bool("keep_words_case", false)?;
    Ok(TokenFilter::term(Keep { words: words.into_set(ignore_case) }))
}

impl TermFilter for Keep {
    fn apply(&self, term: &mut Term) -> bool {
        self.words.contains(&term.text)
    }
}
