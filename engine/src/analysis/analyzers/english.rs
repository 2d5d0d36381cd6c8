//! `english`: words in lower case without possessives and stop words, stemmed by Porter's stemmer.

use super::chain;
use crate::Result;
use crate::analysis::chain::Chain;
use crate::analysis::params::Params;
use crate::analysis::stem;
use crate::analysis::token_filters::{KeywordMarker, Lowercase, Stemmer, Stop, TokenFilter};
use crate::analysis::tokenizers::Standard;
use crate::analysis::words::ENGLISH;

pub(super) fn build(params: &Params) -> Result<Chain> {
    let mut filters = vec![
        TokenFilter::term(Stemmer::possessive()),
        TokenFilter::term(Lowercase),
        TokenFilter::term(Stop::new(params.word_set("stopwords", false, ENGLISH)?)),
    ];
    let exclusions = params.word_set("stem_exclusion", false, &[])?;
    if !exclusions.is_empty() {
        filters.push(TokenFilter::term(KeywordMarker::new(exclusions)));
    }
    filters.push(TokenFilter::term(Stemmer::of(stem::porter)));
    Ok(chain(Standard::default(), filters))
}
