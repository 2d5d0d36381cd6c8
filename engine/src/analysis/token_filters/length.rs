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
    let (min, max) = (params.int("min", 0)?, params.int("max", i64::from(i32::MAX))?);
    if min < 0 {
        return Err(Error::illegal_argument("minimum length must be greater than or equal to zero"));
    }
    if min > max {
        return Err(Error::illegal_argument("maximum length must not be greater than minimum length"));
    }
    Ok(TokenFilter::term(Length { min: min as u32, max: max as u32 }))
}

impl TermFilter for Length {
    fn apply(&self, term: &mut Term) -> bool {
        (self.min..=self.max).contains(&utf16_len(&term.text))
    }
}
