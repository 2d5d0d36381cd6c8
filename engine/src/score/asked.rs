//! Which entries of a profile some segment is asked for: the reference shows the others as if every slice had its part in them.

use super::{BoolPlan, Occur, Plan, Rewriting, WeightContext};
use crate::error::Result;
use crate::profile::{Asked, QueryProfiler};
use crate::segment::SegmentView;

impl Rewriting {
    /// Which entries of a plan without scores are asked for a scorer in the segment, in the order in which its weights enter them:
    /// what stands behind a required part that has none is not. Entries that plans do not tell of are left out.
    pub fn asked_parts(&mut self, plan: &Plan, view: &SegmentView) -> Vec<bool> {
        let mut parts = vec![];
        self.asked(plan, view, true).flatten(&mut parts);
        parts
    }

    /// The same as a tree. What is boosted shares the entry of its boost.
    fn asked(&mut self, plan: &Plan, view: &SegmentView, asked: bool) -> Asked {
        let within = match plan {
            Plan::Boost(inner, _) => return self.asked(inner, view, asked),
            Plan::Bool(plan) => self.asked_clauses(plan, view, asked),
            Plan::DisMax { plans, .. } => plans.iter().map(|inner| self.asked(inner, view, asked)).collect(),
            Plan::Constant(inner) => vec![self.asked(inner, view, asked)],
            _ => vec![],
        };
        Asked { asked, rest: asked, within }
    }

    /// Clauses are asked in the order in which they are told.
    fn asked_clauses(&mut self, plan: &BoolPlan, view: &SegmentView, asked: bool) -> Vec<Asked> {
        let mut goes_on = asked;
        let mut clauses = vec![];
        for (occur, at) in plan.sequence() {
            let clause = &plan.clauses_of(occur)[at];
            clauses.push(self.asked(clause, view, goes_on));
            let required = matches!(occur, Occur::Must | Occur::Filter);
            goes_on &= !required || self.may_match(clause, view, false);
        }
        clauses
    }

    /// Notes which of the entries from `first` on a plan asks where it explains a document: what is explained asks nothing itself, and
    /// those within it only where it takes its score from a scorer.
    pub fn note_explained(
        &mut self,
        profiler: &QueryProfiler,
        first: usize,
        plan: &Plan,
        view: &SegmentView,
        doc: u32,
        weights: &WeightContext,
    ) -> Result<()> {
        let asked = self.explained(plan, view, doc, true, weights)?;
        profiler.note_asked_within(first, &asked);
        Ok(())
    }

    fn explained(
        &mut self,
        plan: &Plan,
        view: &SegmentView,
        doc: u32,
        scored: bool,
        weights: &WeightContext,
    ) -> Result<Asked> {
        let within = match plan {
            Plan::Boost(inner, _) => return self.explained(inner, view, doc, scored, weights),
            Plan::Bool(clauses) => {
                let mut within = vec![];
                for (occur, at) in clauses.sequence() {
                    let scored = scored && matches!(occur, Occur::Must | Occur::Should);
                    within.push(self.explained(&clauses.clauses_of(occur)[at], view, doc, scored, weights)?);
                }
                // Where it comes to a match a scorer of all of them is made.
                if plan.weight(weights, scored, 1.0)?.explain(view, doc)?.matched {
                    let asked = self.asked_clauses(clauses, view, true);
                    within.iter_mut().zip(&asked).for_each(|(one, other)| one.add(other));
                }
                within
            }
            Plan::DisMax { plans, .. } => {
                let plans = plans.iter().map(|inner| self.explained(inner, view, doc, scored, weights));
                plans.collect::<Result<_>>()?
            }
            Plan::Constant(inner) => vec![self.asked(inner, view, true)],
            _ => vec![],
        };
        Ok(Asked { asked: false, rest: true, within })
    }
}
