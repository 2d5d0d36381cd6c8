//! `pattern_replace`: replaces what a regular expression matches.

use super::{TermFilter, TokenFilter};
use crate::Error;
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;
use crate::java_regex::JavaRegex;
use crate::java_regex::Replacement;

#[derive(Debug)]
pub(crate) struct PatternReplace {
    pattern: JavaRegex,
    replacement: Replacement,
    all: bool,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let Some(pattern) = params.text("pattern") else {
        return Err(Error::illegal_argument(
            "pattern is missing for [".to_owned() + params.name + "] token filter of type 'pattern_replace'",
        ));
    };
    let pattern = JavaRegex::new(&pattern, &params.text("flags").unwrap_or_default())?;
    let replacement = Replacement::parse(&params.text("replacement").unwrap_or_default(), &pattern);
    Ok(TokenFilter::term(PatternReplace { pattern, replacement, all: params.bool("all", true)? }))
}

impl TermFilter for PatternReplace {
    fn apply(&self, term: &mut Term) -> bool {
        match self.pattern.replace(&term.text, &self.replacement, self.all) {
            Ok(Some(text)) => term.text = text,
            Ok(None) => {}
            Err(error) => term.failure = Some(error),
        }
        term.failure.is_none()
    }
}
