//! `suggest`: other spellings of terms and phrases, and ends of what was begun.
//!
//! - [`Suggest`]: what a request asks for (`parse`). [`SuggestTask`]: it at work on one shard, a suggestion per step.
//! - `term`, `phrase`, `completion`: the kinds, a file each. `spelling`: terms that are near to another one; `distance`: how
//!   near. `model`: how likely a row of terms is. `kept`: which completions are kept.
//! - `reduce`: the shards' suggestions to one answer, and that to JSON.

mod completion;
mod contexts;
mod distance;
mod generator;
mod kept;
mod model;
mod parse;
mod phrase;
mod reduce;
mod spelling;
mod term;

#[cfg(test)]
mod tests;

pub use reduce::{Suggested, reduce_suggestions};

use super::budget::{Budget, Step};
use super::result::ShardHit;
use crate::analysis::OwnedToken;
use crate::error::{Error, Result};
use crate::java_order::sort_by_slot;
use crate::mapping::Field;
use crate::query::ShardContext;
use std::ops::Deref;
use std::sync::Arc;

/// All suggestions of a request, in its order.
#[derive(Clone, Debug)]
pub struct Suggest {
    pub suggestions: Vec<Suggestion>,
}

#[derive(Clone, Debug)]
pub struct Suggestion {
    pub name: String,
    /// The text to correct or to complete.
    text: Option<String>,
    /// What completions begin with.
    prefix: Option<String>,
    /// What completions must match instead of a text that they begin with.
    regex: Option<String>,
    field: String,
    analyzer: Option<String>,
    size: usize,
    /// How many are kept on each shard. What is no positive number is refused there.
    shard_size: i32,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Term(term::TermOptions),
    Phrase(Box<phrase::PhraseOptions>),
    Completion(Box<completion::CompletionOptions>),
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Kind::Term(_) => "term",
            Kind::Phrase(_) => "phrase",
            Kind::Completion(_) => "completion",
        }
    }
}

/// What a shard suggests for one part of a text.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    text: String,
    offset: u32,
    length: u32,
    options: Vec<Choice>,
    /// Phrases that are less likely are not answered.
    cutoff: f64,
}

/// One suggestion.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    text: String,
    score: f32,
    /// Of terms: documents that have it.
    freq: u64,
    highlighted: Option<String>,
    collate_match: Option<bool>,
    /// Of completions: the document that it came from.
    hit: Option<ShardHit>,
    /// Of completions: the contexts in which the request and the document agree.
    contexts: Vec<(String, String)>,
}

/// By suggestion: what one shard found.
pub type ShardSuggestions = Vec<Vec<Entry>>;

/// Suggestions being looked for on one shard.
pub struct SuggestTask {
    suggest: Arc<Suggest>,
    cx: ShardContext,
    found: ShardSuggestions,
    /// The terms of the suggestion at hand.
    terms: Option<term::TermProgress>,
}

impl SuggestTask {
    pub fn new(suggest: &Arc<Suggest>, cx: ShardContext) -> Self {
        Self { suggest: suggest.clone(), cx, found: vec![], terms: None }
    }

    /// Refuses suggestions that cannot be made here, in the order in which the reference has the suggestions: that of a hash map.
    fn check(&self) -> Result<()> {
        let mut all: Vec<&Suggestion> = self.suggest.suggestions.iter().collect();
        sort_by_slot(&mut all, |suggestion| &suggestion.name);
        all.into_iter().try_for_each(|suggestion| suggestion.check(&self.cx))
    }

    pub fn run(&mut self, budget: &Budget) -> Result<Step> {
        if self.found.is_empty() && self.terms.is_none() {
            self.check()?;
        }
        while let Some(suggestion) = self.suggest.suggestions.get(self.found.len()) {
            let entries = match &suggestion.kind {
                Kind::Term(options) => {
                    let field = &*suggestion.field(&self.cx)?;
                    let progress = match &mut self.terms {
                        Some(progress) => progress,
                        none => none.insert(options.begin(suggestion, field, &self.cx)?),
                    };
                    match options.go_on(progress, (suggestion, field, &self.cx), budget) {
                        None => return Ok(Step::Yield),
                        Some(entries) => entries,
                    }
                }
                Kind::Phrase(options) => options.suggest(suggestion, &*suggestion.field(&self.cx)?, &self.cx)?,
                Kind::Completion(options) => options.suggest(suggestion, &*suggestion.field(&self.cx)?, &self.cx)?,
            };
            self.terms = None;
            self.found.push(entries);
            if self.found.len() < self.suggest.suggestions.len() && (budget.should_yield)() {
                return Ok(Step::Yield);
            }
        }
        Ok(Step::Done)
    }

    pub fn finish(self) -> ShardSuggestions {
        self.found
    }
}

/// The field that something is to be suggested from.
enum Sought<'c> {
    Known(&'c Field),
    /// What its parent alone knows of.
    Below(Box<Field>),
}

impl Deref for Sought<'_> {
    type Target = Field;

    fn deref(&self) -> &Field {
        match self {
            Self::Known(field) => field,
            Self::Below(field) => field,
        }
    }
}

impl Suggestion {
    /// What stands below a flat object has no terms of its own, and nothing to suggest.
    fn field<'c>(&self, cx: &'c ShardContext) -> Result<Sought<'c>> {
        let below = || cx.mapping.below_flat_object(&self.field);
        let field = cx
            .mapping
            .field(&self.field)
            .map(Sought::Known)
            .or_else(|| below().map(|field| Sought::Below(Box::new(field))));
        field.ok_or_else(|| Error::illegal_argument(format!("no mapping found for field [{}]", self.field)))
    }

    fn check(&self, cx: &ShardContext) -> Result<()> {
        let field = &*self.field(cx)?;
        if self.analyzer.is_some() {
            self.analyzer(field, cx)?;
        }
        match self.shard_size {
            ..=0 => Err(Error::illegal_argument(format!("ShardSize must be positive but was: {}", self.shard_size))),
            _ => Ok(()),
        }
    }

    fn shard_size(&self) -> usize {
        usize::try_from(self.shard_size).unwrap_or(0)
    }

    fn text(&self) -> Result<&str> {
        self.text.as_deref().ok_or_else(|| Error::illegal_argument("The required text option is missing"))
    }

    /// The tokens of the text as a search of the field has them, normalized as its values are.
    fn tokens(&self, field: &Field, cx: &ShardContext) -> Result<Vec<OwnedToken>> {
        let mut tokens = self.analyzer(field, cx)?.tokens(self.text()?);
        if let (None, Some(normalizer)) = (&self.analyzer, field.normalizer()) {
            for token in &mut tokens {
                token.text = normalizer.normalize(&token.text).into_owned();
            }
        }
        Ok(tokens)
    }

    /// What makes these tokens.
    fn analyzer(&self, field: &Field, cx: &ShardContext) -> Result<Arc<crate::analysis::Analyzer>> {
        match &self.analyzer {
            Some(name) => cx
                .mapping
                .analysis()
                .analyzer(name)
                .ok_or_else(|| Error::illegal_argument(format!("analyzer [{name}] doesn't exists"))),
            None => Ok(match field.search_analyzer() {
                Some(analyzer) => analyzer.clone(),
                None => cx
                    .mapping
                    .analysis()
                    .analyzer(if field.splits_queries_on_whitespace() { "whitespace" } else { "keyword" })
                    .unwrap_or_else(|| cx.mapping.analysis().default_analyzer()),
            }),
        }
    }
}
