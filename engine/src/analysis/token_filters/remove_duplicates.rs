//! `remove_duplicates`: removes tokens that are there already at the same position.

use super::{StreamFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::TokenBuf;
use hashbrown::HashSet;

#[derive(Debug)]
pub(crate) struct RemoveDuplicates;

pub(super) fn build(_: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::stream(RemoveDuplicates))
}

impl StreamFilter for RemoveDuplicates {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let mut seen: HashSet<&str, ahash::RandomState> = HashSet::default();
        for (text, item) in input.iter() {
            if item.increment > 0 {
                seen.clear();
            }
            if seen.insert(text) && !out.push(text, *item) {
                return;
            }
        }
    }
}
