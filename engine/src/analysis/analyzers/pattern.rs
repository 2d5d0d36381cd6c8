//! `pattern`: what a regular expression separates, in lower case, by default without stop words.

use super::chain;
use crate::Result;
use crate::analysis::chain::Chain;
use crate::analysis::params::Params;
use crate::analysis::token_filters::{Lowercase, Stop, TokenFilter};
use crate::analysis::tokenizers::Pattern;
use crate::java_regex::JavaRegex;

pub(super) fn build(params: &Params) -> Result<Chain> {
    let pattern = params.text("pattern").unwrap_or_else(|| r"\W+".to_owned());
    let regex = JavaRegex::new(&pattern, &params.text("flags").unwrap_or_default())?;
    let stop = Stop::new(params.word_set("stopwords", false, &[])?);
    let lower = params.bool("lowercase", true)?.then(|| TokenFilter::term(Lowercase));
    Ok(chain(Pattern::split(regex), lower.into_iter().chain([TokenFilter::term(stop)])))
}
