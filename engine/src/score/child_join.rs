//! Documents by what they are nested in: the other way round than `block_join`.

use super::{Explanation, Plan, PlanNode, Scorer, Weight, WeightContext};
use crate::error::Result;
use crate::segment::{NO_MORE_DOCS, Roots, SegmentView};
use std::fmt;
use std::sync::Arc;

/// Documents that are nested in those that `outer` matches, which are nested under `path` themselves.
#[derive(Debug)]
pub struct ChildJoin {
    pub outer: Plan,
    pub path: Arc<str>,
}

impl fmt::Display for ChildJoin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToChildBlockJoinQuery ({})", self.outer)
    }
}

impl PlanNode for ChildJoin {
    fn type_name(&self) -> String {
        "ToChildBlockJoinQuery".to_owned()
    }

    fn weight(&self, cx: &WeightContext, _scores: bool, _boost: f32) -> Result<Box<dyn Weight>> {
        // The outer query has no entry of its own in a profile.
        Ok(Box::new(ChildJoinWeight { outer: self.outer.bind(cx, false, 0.0)?, path: self.path.clone() }))
    }

    fn scored_through(&self) -> Vec<&Plan> {
        vec![&self.outer]
    }

    fn simplify(&self) -> Option<Plan> {
        match self.outer.clone().simplify() {
            outer if outer == self.outer => None,
            outer => Some(Plan::custom(Self { outer, path: self.path.clone() })),
        }
    }
}

struct ChildJoinWeight {
    outer: Box<dyn Weight>,
    path: Arc<str>,
}

impl Weight for ChildJoinWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        self.outer.prepare(view, spent)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let Some(outer) = self.outer.scorer(view)? else { return Ok(None) };
        let mut scorer = ChildJoinScorer { outer, around: view.nested_docs(&self.path), doc: 0 };
        scorer.doc = scorer.first();
        scorer.settle();
        Ok((scorer.doc != NO_MORE_DOCS).then(|| Box::new(scorer) as Box<dyn Scorer>))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let mut scorer = self.scorer(view)?;
        let found = scorer.as_mut().is_some_and(|scorer| match scorer.doc() {
            at if at < doc => scorer.advance(doc) == doc,
            at => at == doc,
        });
        Ok(match found {
            true => Explanation::matching(0.0, "Score based on parent document", vec![]),
            false => Explanation::no_match("Not a match", vec![]),
        })
    }
}

struct ChildJoinScorer {
    outer: Box<dyn Scorer>,
    /// All documents that others may be nested in.
    around: Roots,
    doc: u32,
}

impl ChildJoinScorer {
    /// Where the documents begin that are nested in the match of the outer query.
    fn first(&self) -> u32 {
        match self.outer.doc() {
            NO_MORE_DOCS => NO_MORE_DOCS,
            outer => self.around.before(outer).map_or(0, |before| before + 1),
        }
    }

    /// Goes on to the next match of the outer query until there is something nested in it.
    fn settle(&mut self) -> u32 {
        while self.doc != NO_MORE_DOCS && self.doc >= self.outer.doc() {
            self.outer.next();
            self.doc = self.first();
        }
        self.doc
    }
}

impl Scorer for ChildJoinScorer {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        self.doc += 1;
        self.settle()
    }

    fn advance(&mut self, target: u32) -> u32 {
        if target <= self.doc {
            return self.doc;
        }
        if self.outer.doc() < target {
            self.outer.advance(target);
        }
        self.doc = self.first().max(target);
        if self.outer.doc() == NO_MORE_DOCS {
            self.doc = NO_MORE_DOCS;
        }
        self.settle()
    }

    fn score(&mut self) -> f32 {
        0.0
    }

    fn cost(&self) -> u64 {
        self.outer.cost()
    }
}
