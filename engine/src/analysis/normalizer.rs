//! A normalizer: what a keyword field does to its values. A chain without a tokenizer.

use super::chain::Chain;
use std::borrow::Cow;

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
