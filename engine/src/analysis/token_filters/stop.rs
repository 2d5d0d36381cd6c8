//! `stop`: removes the words of a set.

use super::{TermFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;
use crate::analysis::words::{ENGLISH, WordSet};

#[derive(Debug)]
pub(crate) struct Stop {
    words: WordSet,
}

impl Stop {
    pub fn new(words: WordSet) -> Self {
        Self { words }
    }
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let ignore_case = params.bool("ignore_case", false)?;
    let words = params.word_set("stopwords", ignore_case, ENGLISH)?;
    Ok(TokenFilter::term(Stop { words }))
}

impl TermFilter for Stop {
    #[inline]
    fn apply(&self, term: &mut Term) -> bool {
        !self.words.contains(&term.text)
    }
}
