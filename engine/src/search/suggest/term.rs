//! `term`: other spellings of each term of a text.

use super::spelling::Spelling;
use super::{Choice, Entry, Suggestion};
use crate::error::Result;
use crate::mapping::Field;
use crate::query::{PlanContext, ShardContext};

#[derive(Clone, Debug, Default)]
pub struct TermOptions {
    pub spelling: Spelling,
}

impl TermOptions {
    pub(super) fn suggest(&self, suggestion: &Suggestion, field: &Field, cx: &ShardContext) -> Result<Vec<Entry>> {
        let text = suggestion.text()?;
        let plan_cx = PlanContext::new(cx);
        let tokens = suggestion.analyzer(field, cx)?.tokens(text);
        let entry = |token: crate::analysis::OwnedToken| {
            let size = suggestion.shard_size;
            let similar = self.spelling.similar(&plan_cx, &field.name, &token.text, size, self.spelling.min_doc_freq);
            let options = similar.into_iter().map(|similar| Choice {
                text: similar.term,
                score: similar.score,
                freq: similar.doc_freq,
                ..Choice::default()
            });
            Entry {
                text: token.text,
                offset: token.start_offset,
                length: token.end_offset - token.start_offset,
                options: options.collect(),
                cutoff: 0.0,
            }
        };
        Ok(tokens.into_iter().map(entry).collect())
    }
}
