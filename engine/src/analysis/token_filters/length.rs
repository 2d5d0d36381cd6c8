//! `length`: keeps tokens of `min` to `max` UTF-16 code units.

use super::{TermFilter, TokenFilter};
use crate::Error;
use crate::Result;
use crate::analysis::offsets::utf16_len;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;

#[derive(Debug)]
pub(crate) struct Length {
    min: u32,
    max: u32,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let (min, max) = (params.count("min", 0, 0)? as u32, params.count("max", i64::from(i32::MAX), 0)? as u32);
    if min > max {
        return Err(Error::illegal_argument("maximum length must not be greater than minimum length"));
    }
    Ok(TokenFilter::term(Length { min, max }))
}

impl TermFilter for Length {
    fn apply(&self, term: &mut Term) -> bool {
        (self.min..=self.max).contains(&utf16_len(&term.text))
    }
}
