//! `whitespace`: what stands between white space.

use super::chain;
use crate::Result;
use crate::analysis::chain::Chain;
use crate::analysis::params::Params;
use crate::analysis::tokenizers::chars;

pub(super) fn build(_: &Params) -> Result<Chain> {
    Ok(chain(chars::whitespace(), []))
}
