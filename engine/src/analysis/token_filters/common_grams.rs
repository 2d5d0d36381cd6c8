//! `common_grams`: pairs of tokens of which one is common, beside the tokens; in `query_mode` instead of them.

use super::{InRules, StreamFilter, TokenFilter};
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::{Item, TokenBuf};
use crate::analysis::words::WordSet;
use crate::{Error, Result};

const GRAM: &str = "gram";

#[derive(Debug)]
pub(crate) struct CommonGrams {
    words: WordSet,
    query_mode: bool,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let ignore_case = params.bool("ignore_case", false)?;
    let query_mode = params.bool("query_mode", false)?;
    if !(params.has("common_words") || params.has("common_words_path")) {
        return Err(Error::illegal_argument(
            "missing or empty [common_words] or [common_words_path] configuration for common_grams token filter",
        ));
    }
    let words = params.word_set("common_words", ignore_case, &[])?;
    Ok(TokenFilter::stream(CommonGrams { words, query_mode }))
}

/// The filter under its bare name knows no common words.
pub(super) fn preset() -> TokenFilter {
    TokenFilter::stream(CommonGrams { words: WordSet::default(), query_mode: false })
}

impl StreamFilter for CommonGrams {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let mut gram = String::new();
        // In query mode a token that begins or ends a pair is left out.
        let mut after_gram = false;
        for (at, item) in input.items().iter().enumerate() {
            let text = input.text(at);
            let next = (at + 1 < input.len()).then(|| (input.text(at + 1), input.items()[at + 1]));
            let pair = next.filter(|(next, _)| self.words.contains(text) || self.words.contains(next));
            if !self.query_mode || pair.is_none() && !(after_gram && next.is_none()) {
                out.push(text, *item);
            }
            after_gram = pair.is_some();
            if let Some((next, next_item)) = pair {
                gram.clear();
                gram.extend([text, "_", next]);
                let (increment, length) = if self.query_mode { (1, 1) } else { (0, 2) };
                let end = next_item.end;
                out.push(&gram, Item { end, increment, length, kind: GRAM, keyword: false, payload: (0, 0), ..*item });
            }
        }
    }

    fn in_rules(&self) -> InRules {
        InRules::Refused
    }
}
