//! `fingerprint`: all distinct words of the text, folded and sorted, as one token.

use super::chain;
use crate::Result;
use crate::analysis::chain::Chain;
use crate::analysis::params::Params;
use crate::analysis::token_filters::{AsciiFolding, Fingerprint, Lowercase, Stop, TokenFilter};
use crate::analysis::tokenizers::Standard;

pub(super) fn build(params: &Params) -> Result<Chain> {
    let stop = Stop::new(params.word_set("stopwords", false, &[])?);
    let filters = [
        TokenFilter::term(Lowercase),
        TokenFilter::term(AsciiFolding),
        TokenFilter::term(stop),
        TokenFilter::stream(Fingerprint::read(params)?),
    ];
    Ok(chain(Standard::default(), filters).raw())
}
