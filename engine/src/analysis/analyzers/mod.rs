//! Analyzers that need no definition: a file per kind, one row per kind in [`TABLE`].

mod english;
mod fingerprint;
mod keyword;
mod pattern;
mod simple;
mod standard;
mod stop;
mod whitespace;

use super::chain::{Chain, Named};
use super::params::Params;
use super::registry::Kind;
use super::token_filters::TokenFilter;
use super::tokenizers::Tokenizer;
use crate::Result;
use std::sync::Arc;

/// A kind of analyzer. Its name alone stands for the kind without parameters.
pub(crate) struct Row {
    pub kind: &'static str,
    pub build: fn(&Params) -> Result<Chain>,
}

impl Kind for Row {
    fn kind(&self) -> &'static str {
        self.kind
    }
}

pub(crate) const TABLE: &[Row] = &[
    Row { kind: "english", build: english::build },
    Row { kind: "fingerprint", build: fingerprint::build },
    Row { kind: "keyword", build: keyword::build },
    Row { kind: "pattern", build: pattern::build },
    Row { kind: "simple", build: simple::build },
    Row { kind: "standard", build: standard::build },
    Row { kind: "stop", build: stop::build },
    Row { kind: "whitespace", build: whitespace::build },
];

/// A chain of parts whose names nobody sees.
fn chain(tokenizer: impl Tokenizer + 'static, filters: impl IntoIterator<Item = TokenFilter>) -> Chain {
    let filters = filters.into_iter().map(|filter| Named::new("", filter)).collect();
    Chain::new(vec![], Named::new("", Arc::new(tokenizer)), filters)
}
