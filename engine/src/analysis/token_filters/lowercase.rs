//! `lowercase`: each character to its lower case, by itself (no final sigma, no expansion), as Java's `toLowerCase` of a
//! code point does; with `language` by the rules of Greek, Irish or Turkish.

use super::{Fold, TermFilter, TokenFilter};
use crate::analysis::fold;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;
use crate::{Error, Result};

#[derive(Debug, Default)]
pub(crate) struct Lowercase;

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    match params.text("language") {
        None => Ok(TokenFilter::term(Lowercase)),
        Some(language) if language.eq_ignore_ascii_case("greek") => Ok(TokenFilter::term(Fold(fold::greek))),
        Some(language) if language.eq_ignore_ascii_case("irish") => Ok(TokenFilter::term(Fold(fold::irish))),
        Some(language) if language.eq_ignore_ascii_case("turkish") => Ok(TokenFilter::term(Fold(fold::turkish))),
        Some(language) => Err(Error::illegal_argument(format!("language [{language}] not support for lower case"))),
    }
}

impl TermFilter for Lowercase {
    #[inline]
    fn apply(&self, term: &mut Term) -> bool {
        lowercase(&mut term.text);
        true
    }

    fn normalizes(&self) -> bool {
        true
    }
}

/// Lower case in place.
#[inline]
pub(crate) fn lowercase(text: &mut String) {
    if text.is_ascii() {
        text.make_ascii_lowercase();
    } else if text.chars().any(|c| lower(c) != c) {
        *text = text.chars().map(lower).collect();
    }
}

/// The lower case of one code point. One character has a lower case of two, of which the simple mapping is the first.
#[inline]
pub(crate) fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_each_character_by_itself() {
        for (text, lower) in [("ABC", "abc"), ("ÄΣ", "äσ"), ("İ", "i"), ("abc", "abc"), ("𐐀", "𐐨")] {
            let mut text = text.to_owned();
            lowercase(&mut text);
            assert_eq!(text, lower);
        }
    }
}
