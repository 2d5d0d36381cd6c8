//! Documents with any value of a field.

use super::all::explain_constant;
use super::{DocsScorer, Explanation, Plan, Scorer, Weight};
use crate::error::Result;
use crate::segment::SegmentView;
use std::sync::Arc;

pub struct ExistsWeight {
    field: Arc<str>,
    text: String,
    boost: f32,
}

impl ExistsWeight {
    pub fn new(field: &Arc<str>, text: String, boost: f32) -> Self {
        Self { field: field.clone(), text, boost }
    }
}

impl Weight for ExistsWeight {
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        Ok(view.segment.field(&self.field).and_then(|field| DocsScorer::boxed(field.exists(), self.boost)))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        explain_by_scorer(self, view, doc, |weight| explain_constant(&weight.text, weight.boost))
    }

    fn count(&mut self, view: &SegmentView) -> Option<u64> {
        // The reference counts the documents that have a word, though it finds empty texts as well.
        Some(view.segment.field(&self.field).map_or(0, |field| match field.norms() {
            Some(_) => u64::from(field.stats().doc_count),
            None => field.exists().cost(),
        }))
    }
}

/// Fields that a query around them looks for: the reference counts its hits, documents with empty texts among them.
struct LookedFor(Box<dyn Weight>);

impl Weight for LookedFor {
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        self.0.scorer(view)
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        self.0.explain(view, doc)
    }
}

/// The weight of `plan` for a query around it that passes it on.
pub fn passed_on(plan: &Plan, weight: Box<dyn Weight>) -> Box<dyn Weight> {
    if plan.looks_for_fields() { Box::new(LookedFor(weight)) } else { weight }
}

/// The explanation `matching` of a document that the weight's scorer finds, else that it does not match.
pub fn explain_by_scorer<W: Weight>(
    weight: &mut W,
    view: &SegmentView,
    doc: u32,
    matching: impl FnOnce(&W) -> Explanation,
) -> Result<Explanation> {
    let found = match weight.scorer(view)? {
        Some(mut scorer) => scorer.doc() <= doc && scorer.advance(doc) == doc,
        None => false,
    };
    if found {
        return Ok(matching(weight));
    }
    let explained = matching(weight);
    // A boost is not part of the query that does not match.
    let boost = format!("^{}", super::float_text(explained.score()));
    let text = explained.description.strip_suffix(&boost).unwrap_or(&explained.description);
    Ok(Explanation::no_match(format!("{text} doesn't match id {doc}"), vec![]))
}
