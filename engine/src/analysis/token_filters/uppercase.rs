//! `uppercase`: each character to its upper case, by itself.

use super::{TermFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;

#[derive(Debug)]
pub(crate) struct Uppercase;

pub(super) fn build(_: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::term(Uppercase))
}

impl TermFilter for Uppercase {
    fn apply(&self, term: &mut Term) -> bool {
        if term.text.is_ascii() {
            term.text.make_ascii_uppercase();
        } else {
            term.text = term.text.chars().map(upper).collect();
        }
        true
    }

    fn normalizes(&self) -> bool {
        true
    }
}

/// The upper case of one code point, unless that is several characters.
fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_tokens() {
        let cases = [("abß", "ABß"), ("ä", "Ä")];
        for (text, expected) in cases {
            let mut term = Term { text: text.to_owned(), ..Term::default() };
            assert!(Uppercase.apply(&mut term));
            assert_eq!(term.text, expected);
        }
    }
}
