//! `stemmer` and the filters that are one stemmer each: a row per language in [`STEMMERS`].

use super::{TermFilter, TokenFilter};
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::stem;
use crate::analysis::token::Term;
use crate::{Error, Result};

/// Stemmers by the names of `language` (or `name`), which are compared without case.
const STEMMERS: &[(&str, Stemmer)] = &[
    ("english", Stemmer::marked(stem::porter)),
    ("porter", Stemmer::marked(stem::porter)),
    ("minimal_english", Stemmer::marked(stem::minimal)),
    ("minimalEnglish", Stemmer::marked(stem::minimal)),
    ("possessive_english", Stemmer::unmarked(stem::possessive)),
    ("possessiveEnglish", Stemmer::unmarked(stem::possessive)),
];

/// A stemmer as a token filter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stemmer {
    stem: fn(&mut String),
    /// Leaves keywords alone.
    respects_keywords: bool,
}

impl Stemmer {
    const fn marked(stem: fn(&mut String)) -> Self {
        Self { stem, respects_keywords: true }
    }

    const fn unmarked(stem: fn(&mut String)) -> Self {
        Self { stem, respects_keywords: false }
    }

    pub fn porter() -> Self {
        Self::marked(stem::porter)
    }

    pub fn possessive() -> Self {
        Self::unmarked(stem::possessive)
    }
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let language = params.text("language").or(params.text("name")).unwrap_or_else(|| "porter".to_owned());
    let row = STEMMERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&language));
    match row {
        Some((_, stemmer)) => Ok(TokenFilter::term(*stemmer)),
        None => Err(Error::illegal_argument(format!(
            "Unknown or unsupported stemmer [{language}] for filter [{}]",
            params.name
        ))),
    }
}

pub(super) fn build_porter(_: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::term(Stemmer::porter()))
}

impl TermFilter for Stemmer {
    #[inline]
    fn apply(&self, term: &mut Term) -> bool {
        if !(self.respects_keywords && term.keyword) {
            (self.stem)(&mut term.text);
        }
        true
    }

    fn shows_keyword(&self) -> bool {
        self.respects_keywords
    }
}
