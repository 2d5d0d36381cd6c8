//! `stop`: runs of letters in lower case, without stop words.

use super::chain;
use crate::Result;
use crate::analysis::chain::Chain;
use crate::analysis::params::Params;
use crate::analysis::token_filters::{Lowercase, Stop, TokenFilter};
use crate::analysis::tokenizers::chars;
use crate::analysis::words::ENGLISH;

pub(super) fn build(params: &Params) -> Result<Chain> {
    let stop = Stop::new(params.word_set("stopwords", false, ENGLISH)?);
    Ok(chain(chars::letter(), [TokenFilter::term(Lowercase), TokenFilter::term(stop)]))
}
