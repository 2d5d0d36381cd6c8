//! `trim`: removes white space at both ends.

use super::{TermFilter, TokenFilter};
use crate::analysis::char_table::is_whitespace;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;
use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct Trim;

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    if params.has("update_offsets") {
        let reason = "update_offsets is not supported anymore. Please fix your analysis chain";
        return Err(Error::illegal_argument(reason));
    }
    Ok(TokenFilter::term(Trim))
}

impl TermFilter for Trim {
    fn apply(&self, term: &mut Term) -> bool {
        let trimmed = term.text.trim_matches(is_whitespace);
        if trimmed.len() < term.text.len() {
            term.text = trimmed.to_owned();
        }
        true
    }

    fn normalizes(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_tokens() {
        let cases = [(" a b\t", "a b"), ("", ""), ("\u{a0}", "\u{a0}")];
        for (text, expected) in cases {
            let mut term = Term { text: text.to_owned(), ..Term::default() };
            assert!(Trim.apply(&mut term));
            assert_eq!(term.text, expected);
        }
    }
}
