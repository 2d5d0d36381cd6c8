//! `simple`: runs of letters in lower case.

use super::chain;
use crate::Result;
use crate::analysis::chain::Chain;
use crate::analysis::params::Params;
use crate::analysis::token_filters::{Lowercase, TokenFilter};
use crate::analysis::tokenizers::chars;

pub(super) fn build(_: &Params) -> Result<Chain> {
    Ok(chain(chars::letter(), [TokenFilter::term(Lowercase)]))
}
