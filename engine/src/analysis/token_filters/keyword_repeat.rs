//! `keyword_repeat`: each token twice, first marked as keyword: stemmers then give word and stem.

use super::{InRules, StreamFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Item;
use crate::analysis::token::TokenBuf;

#[derive(Debug)]
pub(crate) struct KeywordRepeat;

pub(super) fn build(_: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(preset())
}

pub(super) fn preset() -> TokenFilter {
    TokenFilter::stream(KeywordRepeat)
}

impl StreamFilter for KeywordRepeat {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        for (text, item) in input.iter() {
            out.push(text, Item { keyword: true, ..*item });
            if !out.push(text, Item { keyword: false, increment: 0, ..*item }) {
                return;
            }
        }
    }

    fn shows_keyword(&self) -> bool {
        true
    }

    fn in_rules(&self) -> InRules {
        InRules::Refused
    }
}
