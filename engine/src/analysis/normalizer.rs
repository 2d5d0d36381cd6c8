//! A normalizer: what a keyword field does to its values. A chain without a tokenizer.

use super::chain::{Chain, Named};
use super::params::Params;
use super::refused;
use super::registry::{Components, Lookup, unknown_kind};
use super::token_filters::TokenFilter;
use super::tokenizers::Keyword;
use crate::json::Map;
use crate::{Error, Result};
use std::borrow::Cow;
use std::sync::Arc;

/// Changes a whole value. Immutable; shared behind an `Arc`.
#[derive(Clone, Debug)]
pub struct Normalizer {
    name: String,
    /// Made of named components, which explanations show one by one.
    custom: bool,
    chain: Chain,
}

impl Normalizer {
    /// `chain` has the keyword tokenizer and filters of single tokens only.
    pub(crate) fn new(name: &str, chain: Chain) -> Self {
        Self { name: name.to_owned(), custom: true, chain }
    }

    /// The same as one that explanations show as a whole.
    pub(crate) fn built_in(self) -> Self {
        Self { custom: false, ..self }
    }

    pub(crate) fn is_custom(&self) -> bool {
        self.custom
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The normalized value.
    pub fn normalize<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let normalized = self.chain.normalize(text);
        if normalized == text { Cow::Borrowed(text) } else { Cow::Owned(normalized) }
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }
}

impl Components<'_> {
    /// The normalizer that a definition describes.
    pub(super) fn normalizer(&self, name: &str, definition: &Map) -> Result<Normalizer> {
        let params = Params::new(name, definition, self.files);
        match params.text("type").as_deref() {
            None | Some("custom") => {}
            Some("lowercase") => {
                return self.normalizer(name, &Map::from_iter([("filter", "lowercase")])).map(Normalizer::built_in);
            }
            Some(_) => return Err(unknown_kind("normalizer", name, definition)),
        }
        if params.has("tokenizer") {
            return Err(Error::illegal_argument(format!("Custom normalizer [{name}] cannot configure a tokenizer")));
        }
        let refused = |what: String| Error::illegal_argument(format!("Custom normalizer [{name}] {what}"));
        let mut chain = keyword_chain();
        for part in params.list("char_filter").unwrap_or_default() {
            let filter = self.char_filter(&part, Lookup::Definition)?;
            let filter = filter.ok_or_else(|| refused(format!("failed to find char_filter under name [{part}]")))?;
            if !filter.normalizes() {
                return Err(refused(format!("may not use char filter [{part}]")));
            }
            chain.char_filters.push(Named::new(&part, filter));
        }
        for part in params.list("filter").unwrap_or_default() {
            let may_not = || refused(format!("may not use filter [{part}]"));
            if self.needs_chain(&part, None, Lookup::Definition)? {
                return Err(may_not());
            }
            let filter = match self.filter(&part, &chain, Lookup::Definition) {
                Err(error) if refused::shows_late("filter", self.kind("filter", &part, None), &error) => {
                    let plain = self.plain_filter(self.kind("filter", &part, None), &chain);
                    let normalizes = plain.is_some_and(|filter| filter.normalizer().is_some());
                    return Err(if normalizes { error } else { may_not() });
                }
                found => found?,
            };
            let filter = filter.ok_or_else(|| {
                Error::illegal_argument(format!("Custom Analyzer [{name}] failed to find filter under name [{part}]"))
            })?;
            // Even a filter of the right kind may give several tokens.
            if filter.normalizer().is_none() || matches!(filter, TokenFilter::Stream(_)) {
                return Err(may_not());
            }
            chain.push(Named::new(&part, filter));
        }
        Ok(Normalizer::new(name, chain))
    }
}

/// The chain of a normalizer, before its filters.
pub(crate) fn keyword_chain() -> Chain {
    Chain::new(vec![], Named::new("keyword", Arc::new(Keyword)), vec![])
}
