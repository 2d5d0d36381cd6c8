//! The scores of documents that aggregations have, for those that go by them.

use crate::error::Result;
use crate::query::{ShardContext, Weight, match_all};
use crate::score::{Scorer, WeightContext};
use crate::segment::SegmentView;

/// Scores documents by the query of the search. Documents come ascending within a segment, again and again if they must.
pub(crate) struct DocScores {
    weight: Weight,
    scorer: Option<Box<dyn Scorer>>,
    /// The document scored last and its score.
    last: Option<(u32, f32)>,
    view: Option<SegmentView>,
}

/// The score of what the query does not match: of all documents, which some aggregations see.
const UNMATCHED: f32 = 1.0;

impl DocScores {
    pub(crate) fn new(cx: &ShardContext) -> Result<Self> {
        let default = match_all();
        let query = cx.asked.as_ref().unwrap_or(&default);
        let weight =
            query.root_plan(cx)?.weight(&WeightContext::new(&cx.snapshot, cx.mapping.similarities()), true, 1.0)?;
        Ok(Self { weight, scorer: None, last: None, view: None })
    }

    pub(crate) fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.scorer = self.weight.scorer(view)?;
        (self.view, self.last) = (Some(view.clone()), None);
        Ok(())
    }

    /// Nested documents have the score of the one they are in.
    pub(crate) fn score(&mut self, doc: u32) -> Result<f32> {
        let Some(view) = &self.view else { return Ok(UNMATCHED) };
        let root = view.segment.roots().map_or(doc, |roots| roots.from(doc));
        if let Some((_, score)) = self.last.filter(|(last, _)| *last == root) {
            return Ok(score);
        }
        if self.last.is_some_and(|(last, _)| last > root) {
            self.scorer = self.weight.scorer(view)?;
        }
        let score = match &mut self.scorer {
            Some(scorer) => {
                let at = if scorer.doc() < root { scorer.advance(root) } else { scorer.doc() };
                if at == root { scorer.score() } else { UNMATCHED }
            }
            None => UNMATCHED,
        };
        self.last = Some((root, score));
        Ok(score)
    }
}
