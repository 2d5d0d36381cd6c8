//! `keyword`: the whole text.

use super::chain;
use crate::Result;
use crate::analysis::chain::Chain;
use crate::analysis::params::Params;
use crate::analysis::tokenizers::Keyword;

pub(super) fn build(_: &Params) -> Result<Chain> {
    Ok(chain(Keyword, []))
}
