//! `reverse`: turns tokens round.

use super::{TermFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;

#[derive(Debug)]
pub(crate) struct Reverse;

pub(super) fn build(_: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::term(Reverse))
}

impl TermFilter for Reverse {
    fn apply(&self, term: &mut Term) -> bool {
        term.text = term.text.chars().rev().collect();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_tokens() {
        let cases = [("abc", "cba"), ("a😀", "😀a")];
        for (text, expected) in cases {
            let mut term = Term { text: text.to_owned(), ..Term::default() };
            assert!(Reverse.apply(&mut term));
            assert_eq!(term.text, expected);
        }
    }
}
