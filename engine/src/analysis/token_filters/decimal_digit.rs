//! `decimal_digit`: decimal digits of all scripts to those of ASCII.

use super::{TermFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;
use regex_syntax::hir::{Class, HirKind};
use std::sync::LazyLock;

#[derive(Debug)]
pub(crate) struct DecimalDigit;

pub(super) fn build(_: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::term(DecimalDigit))
}

impl TermFilter for DecimalDigit {
    fn apply(&self, term: &mut Term) -> bool {
        if !term.text.is_ascii() {
            term.text = term.text.chars().map(to_ascii_digit).collect();
        }
        true
    }

    fn normalizes(&self) -> bool {
        true
    }
}

/// The ranges of decimal digits; each begins with a zero and counts up, again and again.
static RANGES: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let hir = regex_syntax::parse(r"\p{Nd}").expect("a set of digits");
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(set)) => set.ranges().iter().map(|r| (r.start(), r.end())).collect(),
        _ => unreachable!("a set of digits"),
    }
});

fn to_ascii_digit(c: char) -> char {
    let at = RANGES.partition_point(|(start, _)| *start <= c);
    match at.checked_sub(1).map(|at| RANGES[at]) {
        Some((start, end)) if c <= end => char::from(b'0' + ((c as u32 - start as u32) % 10) as u8),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_tokens() {
        let cases = [("٣۴५", "345"), ("a1", "a1"), ("𝟘𝟡", "09")];
        for (text, expected) in cases {
            let mut term = Term { text: text.to_owned(), ..Term::default() };
            assert!(DecimalDigit.apply(&mut term));
            assert_eq!(term.text, expected);
        }
    }
}
