//! Documents with any value of a field.

use super::all::explain_constant;
use super::{DocsScorer, Explanation, Scorer, Weight};
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
        let Some(field) = view.segment.field(&self.field) else { return Some(0) };
        match field.norms() {
            // The reference only knows whether all documents have a word: empty texts are found, but counted nowhere.
            Some(_) => {
                let all = view.max_doc();
                (field.stats().doc_count == all).then(|| u64::from(all))
            }
            None => Some(field.exists().cost()),
        }
    }
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
