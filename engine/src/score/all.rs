//! All documents, and none.

use super::{DocsScorer, Explanation, PlanNode, Scorer, Weight, WeightContext, float_text};
use crate::error::{Error, Result};
use crate::segment::{DocIterator, SegmentView, Snapshot};
use std::fmt;

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

/// No documents, and a clause all the same: the reference does not take it for one that can be left out.
#[derive(Debug)]
pub struct NothingKept(pub String);

impl fmt::Display for NothingKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MatchNoDocsWithoutRewriteQuery({})", self.0)
    }
}

impl PlanNode for NothingKept {
    fn type_name(&self) -> String {
        "MatchNoDocsWithoutRewriteQuery".to_owned()
    }

    fn weight(&self, _cx: &WeightContext, _scores: bool, _boost: f32) -> Result<Box<dyn Weight>> {
        Ok(Box::new(NothingWeight::new(&self.0)))
    }

    fn finds_nothing(&self) -> bool {
        true
    }
}

/// A query that is refused as it is looked for, not as it is made.
#[derive(Debug)]
pub struct Refused {
    pub text: String,
    pub error: Error,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PlanNode for Refused {
    fn weight(&self, _cx: &WeightContext, _scores: bool, _boost: f32) -> Result<Box<dyn Weight>> {
        Err(self.error.clone())
    }

    fn may_refuse(&self, _snapshot: &Snapshot) -> bool {
        true
    }
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
