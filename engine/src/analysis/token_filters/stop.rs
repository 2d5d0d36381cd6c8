//! `stop`: removes the words of a set.

use super::{StreamFilter, TermFilter, TokenFilter};
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::{Item, Term, TokenBuf};
use crate::analysis::words::{ENGLISH, WordSet};
use crate::{Error, Result};

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
    if params.has("enable_position_increments") {
        return Err(Error::illegal_argument(
            "enable_position_increments is not supported anymore. Please fix your analysis chain",
        ));
    }
    Ok(match params.bool("remove_trailing", true)? {
        true => TokenFilter::term(Stop { words }),
        false => TokenFilter::stream(KeepTrailing(Stop { words })),
    })
}

/// Keeps a stop word that the value ends with: it may be the beginning of a longer word.
#[derive(Debug)]
struct KeepTrailing(Stop);

impl TermFilter for Stop {
    #[inline]
    fn apply(&self, term: &mut Term) -> bool {
        !self.words.contains(&term.text)
    }
}

impl StreamFilter for KeepTrailing {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let mut gap = 0u32;
        for (at, (text, item)) in input.iter().enumerate() {
            let trailing = at + 1 == input.len() && item.end == input.end_offset;
            let stopped = self.0.words.contains(text);
            if stopped && !trailing {
                gap = gap.saturating_add(item.increment);
                continue;
            }
            let increment = item.increment.saturating_add(std::mem::take(&mut gap));
            out.push(text, Item { increment, keyword: item.keyword || stopped, ..*item });
        }
        out.trailing = out.trailing.saturating_add(gap);
    }

    fn shows_keyword(&self) -> bool {
        true
    }
}
