//! `limit`: keeps the first tokens.

use super::{StreamFilter, TokenFilter};
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::TokenBuf;
use crate::analysis::tokenizers::Stop;
use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct Limit {
    max: usize,
    consume_all: bool,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let (max, consume_all) = (params.int("max_token_count", 1)?, params.bool("consume_all_tokens", false)?);
    let Some(max) = usize::try_from(max).ok().filter(|max| *max > 0) else {
        return Err(Error::illegal_argument("maxTokenCount must be greater than zero"));
    };
    Ok(TokenFilter::stream(Limit { max, consume_all }))
}

impl StreamFilter for Limit {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        for (text, item) in input.iter().take(self.max) {
            if !out.push(text, *item) {
                return;
            }
        }
        // Unless all tokens are to be read, the value ends where reading stopped.
        if input.len() >= self.max && !self.consume_all {
            out.trailing = 0;
            let last = out.items().last().map_or(0, |last| last.end);
            out.end_offset = match out.stops {
                Stop::AtToken => last,
                Stop::BehindSeparator => out.end_offset.min(last + 1),
                Stop::AtEnd => out.end_offset,
            };
        }
    }
}
