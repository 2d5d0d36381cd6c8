//! All documents, and none.

use super::{DocsScorer, Explanation, Scorer, Weight, float_text};
use crate::error::Result;
use crate::segment::{DocIterator, SegmentView};

pub struct AllWeight {
    boost: f32,
}

impl AllWeight {
    pub fn new(boost: f32) -> Self {
        Self { boost }
    }
}

impl Weight for AllWeight {
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        Ok(DocsScorer::boxed(DocIterator::range(0, view.max_doc()), self.boost))
    }

    fn explain(&mut self, _view: &SegmentView, _doc: u32) -> Result<Explanation> {
        Ok(explain_constant("*:*", self.boost))
    }

    fn count(&mut self, view: &SegmentView) -> Option<u64> {
        Some(u64::from(view.max_doc()))
    }
}

/// `text`, with the boost behind it if there is one.
pub fn explain_constant(text: &str, boost: f32) -> Explanation {
    let description = if boost == 1.0 { text.to_owned() } else { format!("{text}^{}", float_text(boost)) };
    Explanation::matching(boost, description, vec![])
}

pub struct NothingWeight {
    reason: String,
}

impl NothingWeight {
    pub fn new(reason: &str) -> Self {
        Self { reason: reason.to_owned() }
    }
}

impl Weight for NothingWeight {
    fn scorer(&mut self, _view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        Ok(None)
    }

    fn explain(&mut self, _view: &SegmentView, _doc: u32) -> Result<Explanation> {
        Ok(Explanation::no_match(self.reason.clone(), vec![]))
    }

    fn count(&mut self, _view: &SegmentView) -> Option<u64> {
        Some(0)
    }
}
