//! `truncate`: cuts tokens to `length` UTF-16 code units.

use super::{TermFilter, TokenFilter};
use crate::Error;
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;

#[derive(Debug)]
pub(crate) struct Truncate {
    length: usize,
    /// Defined, and not used by its bare name alone, which the reference does not let normalizers have.
    defined: bool,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    if !params.has("length") {
        return Err(Error::illegal_argument("length parameter must be provided"));
    }
    let length = params.int("length", -1)?;
    match usize::try_from(length) {
        Ok(length) if length > 0 => Ok(TokenFilter::term(Truncate { length, defined: true })),
        _ => Err(Error::illegal_argument("length parameter must be provided")),
    }
}

impl TermFilter for Truncate {
    fn apply(&self, term: &mut Term) -> bool {
        if !term.keyword && term.text.len() > self.length {
            let mut units = 0;
            let cut = term.text.char_indices().find(|(_, c)| {
                units += c.len_utf16();
                units > self.length
            });
            if let Some((at, _)) = cut {
                term.text.truncate(at);
            }
        }
        true
    }

    fn shows_keyword(&self) -> bool {
        true
    }

    fn normalizes(&self) -> bool {
        self.defined
    }
}

/// The filter under its bare name.
pub(super) fn preset() -> TokenFilter {
    TokenFilter::term(Truncate { length: 10, defined: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_tokens() {
        let cases = [("abcd", "abc"), ("a😀😀", "a😀"), ("ab", "ab")];
        for (text, expected) in cases {
            let mut term = Term { text: text.to_owned(), ..Term::default() };
            assert!(Truncate { length: 3, defined: true }.apply(&mut term));
            assert_eq!(term.text, expected);
        }
    }
}
