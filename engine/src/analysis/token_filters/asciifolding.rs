//! `asciifolding`: letters, digits and signs that resemble those of ASCII to these.

use super::asciifolding_table::FOLDINGS;
use super::{StreamFilter, TermFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::{Item, Term, TokenBuf};
use hashbrown::HashMap;
use std::sync::LazyLock;

#[derive(Debug)]
pub(crate) struct AsciiFolding;

/// Keeps the original beside the folded token, at the same position.
#[derive(Debug)]
struct PreserveOriginal;

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(match params.bool("preserve_original", false)? {
        false => TokenFilter::term(AsciiFolding),
        true => TokenFilter::stream(PreserveOriginal),
    })
}

static TABLE: LazyLock<HashMap<char, &'static str, ahash::RandomState>> =
    LazyLock::new(|| FOLDINGS.iter().flat_map(|(to, from)| from.chars().map(|c| (c, *to))).collect());

/// The folded text, if it differs.
fn fold(text: &str) -> Option<String> {
    if text.is_ascii() || !text.chars().any(|c| TABLE.contains_key(&c)) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match TABLE.get(&c) {
            Some(folded) => out.push_str(folded),
            None => out.push(c),
        }
    }
    Some(out)
}

impl TermFilter for AsciiFolding {
    fn apply(&self, term: &mut Term) -> bool {
        if let Some(folded) = fold(&term.text) {
            term.text = folded;
        }
        true
    }

    fn normalizes(&self) -> bool {
        true
    }
}

impl StreamFilter for PreserveOriginal {
    fn normalizer(&self) -> Option<&dyn TermFilter> {
        Some(&AsciiFolding)
    }

    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        for (text, item) in input.iter() {
            let pushed = match fold(text) {
                None => out.push(text, *item),
                Some(folded) => out.push(&folded, *item) && out.push(text, Item { increment: 0, ..*item }),
            };
            if !pushed {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_to_ascii() {
        assert_eq!(fold("Ærøskøbing ﬁ ①漢").as_deref(), Some("AEroskobing fi 1漢"));
        assert_eq!(fold("plain 漢"), None);
    }
}
