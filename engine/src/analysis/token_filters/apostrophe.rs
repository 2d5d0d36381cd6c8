//! `apostrophe`: removes the first apostrophe and what follows it.

use super::{TermFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;

#[derive(Debug)]
pub(crate) struct Apostrophe;

pub(super) fn build(_: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::term(Apostrophe))
}

impl TermFilter for Apostrophe {
    fn apply(&self, term: &mut Term) -> bool {
        if let Some(at) = term.text.find(['\'', '\u{2019}']) {
            term.text.truncate(at);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_tokens() {
        let cases = [("Istanbul'a", "Istanbul"), ("x", "x")];
        for (text, expected) in cases {
            let mut term = Term { text: text.to_owned(), ..Term::default() };
            assert!(Apostrophe.apply(&mut term));
            assert_eq!(term.text, expected);
        }
    }
}
