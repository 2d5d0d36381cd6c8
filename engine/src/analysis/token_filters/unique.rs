//! `unique`: removes tokens that were there before, in the whole value or at the same position.

use super::{StreamFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::TokenBuf;
use hashbrown::HashSet;

#[derive(Debug)]
pub(crate) struct Unique {
    same_position: bool,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::stream(Unique { same_position: params.bool("only_on_same_position", false)? }))
}

impl StreamFilter for Unique {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let mut seen: HashSet<&str, ahash::RandomState> = HashSet::default();
        for (text, item) in input.iter() {
            if self.same_position && item.increment > 0 {
                seen.clear();
            }
            // The increment of a removed token is lost, as in the reference.
            if seen.insert(text) && !out.push(text, *item) {
                return;
            }
        }
    }
}
