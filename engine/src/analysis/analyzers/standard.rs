//! `standard`: words in lower case, by default without stop words.

use super::chain;
use crate::Result;
use crate::analysis::chain::Chain;
use crate::analysis::params::Params;
use crate::analysis::token_filters::{Lowercase, Stop, TokenFilter};
use crate::analysis::tokenizers::{Standard, max_token_length};

pub(super) fn build(params: &Params) -> Result<Chain> {
    let stopwords = params.word_set("stopwords", false, &[])?;
    let mut filters = vec![TokenFilter::term(Lowercase)];
    if !stopwords.is_empty() {
        filters.push(TokenFilter::term(Stop::new(stopwords)));
    }
    Ok(chain(Standard::new(max_token_length(params)?), filters))
}
