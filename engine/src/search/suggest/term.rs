//! `term`: other spellings of each term of a text.

use super::spelling::{Similar, Spelling};
use super::{Choice, Entry, Suggestion};
use crate::analysis::OwnedToken;
use crate::error::Result;
use crate::mapping::Field;
use crate::query::{PlanContext, ShardContext};
use crate::search::budget::Budget;
use std::collections::HashMap;

#[derive(Clone, Debug, Default)]
pub struct TermOptions {
    pub spelling: Spelling,
}

/// The terms of a text that have been looked at, and those that have not.
pub(super) struct TermProgress {
    tokens: std::vec::IntoIter<OwnedToken>,
    entries: Vec<Entry>,
    /// What stands for a term, which may come again.
    known: HashMap<String, Vec<Choice>>,
}

impl TermOptions {
    pub(super) fn begin(&self, suggestion: &Suggestion, field: &Field, cx: &ShardContext) -> Result<TermProgress> {
        self.spelling.check()?;
        let tokens = suggestion.tokens(field, cx)?.into_iter();
        Ok(TermProgress { tokens, entries: vec![], known: HashMap::new() })
    }

    /// Looks at terms until the budget says to yield; gives what was found when all have been.
    pub(super) fn go_on(
        &self,
        progress: &mut TermProgress,
        (suggestion, field, cx): (&Suggestion, &Field, &ShardContext),
        budget: &Budget,
    ) -> Option<Vec<Entry>> {
        let plan_cx = PlanContext::new(cx);
        let choices = |text: &str| {
            let size = suggestion.shard_size();
            let similar = self.spelling.similar(&plan_cx, &field.name, text, size, self.spelling.min_doc_freq);
            let choice = |similar: Similar| Choice {
                text: similar.term,
                score: similar.score,
                freq: similar.doc_freq,
                ..Choice::default()
            };
            similar.into_iter().map(choice).collect::<Vec<_>>()
        };
        for token in progress.tokens.by_ref() {
            let options = progress.known.entry(token.text.clone()).or_insert_with(|| choices(&token.text)).clone();
            progress.entries.push(Entry {
                text: token.text,
                offset: token.start_offset,
                length: token.end_offset - token.start_offset,
                options,
                cutoff: 0.0,
            });
            if (budget.should_yield)() {
                return None;
            }
        }
        Some(std::mem::take(&mut progress.entries))
    }
}
