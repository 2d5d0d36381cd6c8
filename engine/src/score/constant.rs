//! A query whose matches all score the same.

use super::all::explain_constant;
use super::exists::explain_by_scorer;
use super::{Bound, Explanation, Plan, Scorer, TopScores, Weight, WeightContext};
use crate::error::Result;
use crate::segment::{NO_MORE_DOCS, SegmentView, WindowBits};

pub struct ConstantWeight {
    inner: Box<dyn Weight>,
    text: String,
    boost: f32,
}

impl ConstantWeight {
    pub fn new(cx: &WeightContext, plan: &Plan, text: String, boost: f32) -> Result<Self> {
        Ok(Self::over(plan.weight(cx, false, 1.0)?, text, boost))
    }

    /// Over a weight that has been made.
    pub fn over(inner: Box<dyn Weight>, text: String, boost: f32) -> Self {
        Self { inner, text, boost }
    }

    fn wrap(&self, inner: Option<Box<dyn Scorer>>) -> Option<Box<dyn Scorer>> {
        inner.map(|inner| Box::new(ConstantScorer { inner, score: self.boost }) as Box<dyn Scorer>)
    }
}

impl Weight for ConstantWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        self.inner.prepare(view, spent)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let inner = self.inner.scorer(view)?;
        Ok(self.wrap(inner))
    }

    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        self.inner.opens(view)
    }

    fn scorer_below(&mut self, view: &SegmentView, lead_cost: u64) -> Result<Option<Box<dyn Scorer>>> {
        let inner = self.inner.scorer_below(view, lead_cost)?;
        Ok(self.wrap(inner))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        explain_by_scorer(self, view, doc, |weight| explain_constant(&weight.text, weight.boost))
    }

    fn count_ahead(&mut self, view: &SegmentView) -> Option<u64> {
        self.inner.count_ahead(view)
    }

    fn count(&mut self, view: &SegmentView) -> Option<u64> {
        self.inner.count(view)
    }
}

struct ConstantScorer {
    inner: Box<dyn Scorer>,
    score: f32,
}

impl Scorer for ConstantScorer {
    fn doc(&self) -> u32 {
        self.inner.doc()
    }

    fn next(&mut self) -> u32 {
        self.inner.next()
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.inner.advance(target)
    }

    fn score(&mut self) -> f32 {
        self.score
    }

    fn cost(&self) -> u64 {
        self.inner.cost()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.inner.advance_candidate(target)
    }

    fn candidate_from(&mut self, target: u32) -> u32 {
        self.inner.candidate_from(target)
    }

    fn matches(&mut self) -> bool {
        self.inner.matches()
    }

    fn is_two_phase(&self) -> bool {
        self.inner.is_two_phase()
    }

    fn goes_by_candidates(&self) -> bool {
        self.inner.goes_by_candidates()
    }

    fn bound(&mut self, _target: u32) -> Bound {
        Bound { last_doc: NO_MORE_DOCS - 1, max: self.score }
    }

    fn fill(&mut self, upto: u32, bits: &mut WindowBits) {
        self.inner.fill(upto, bits);
    }

    fn collect_top(&mut self, upto: u32, top: &mut TopScores) {
        let mut doc = self.inner.doc();
        while doc < upto {
            if top.can_skip(self.score) {
                self.inner.advance(upto);
                return;
            }
            top.offer(doc, self.score);
            doc = self.inner.next();
        }
    }
}
