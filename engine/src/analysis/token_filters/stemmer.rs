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

/// Languages that the reference has stemmers for and that are not here.
const LATER: &[&str] = &[
    "arabic",
    "armenian",
    "basque",
    "bengali",
    "brazilian",
    "bulgarian",
    "catalan",
    "czech",
    "danish",
    "dutch",
    "dutch_kp",
    "dutchKp",
    "estonian",
    "finnish",
    "french",
    "galician",
    "german",
    "german2",
    "greek",
    "hindi",
    "hungarian",
    "indonesian",
    "irish",
    "italian",
    "kp",
    "kstem",
    "latvian",
    "light_english",
    "light_finnish",
    "light_french",
    "light_german",
    "light_hungarian",
    "light_italian",
    "light_norwegian",
    "light_nynorsk",
    "light_portuguese",
    "light_russian",
    "light_spanish",
    "light_swedish",
    "lithuanian",
    "lovins",
    "minimal_french",
    "minimal_galician",
    "minimal_german",
    "minimal_norwegian",
    "minimal_nynorsk",
    "minimal_portuguese",
    "norwegian",
    "persian",
    "porter2",
    "portuguese",
    "portuguese_rslp",
    "romanian",
    "russian",
    "sorani",
    "spanish",
    "swedish",
    "turkish",
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
        None if LATER.iter().any(|name| name.eq_ignore_ascii_case(&language)) => Err(Error::illegal_argument(format!(
            "stemmer [{language}] of filter [{}] is not supported yet",
            params.name
        ))),
        None => {
            let mut class = language.to_lowercase();
            if let Some(first) = class.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            Err(Error::illegal_argument(format!("Invalid stemmer class specified: {class}")))
        }
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
