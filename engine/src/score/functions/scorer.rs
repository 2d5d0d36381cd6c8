//! The evaluation of functions beside a query.

use super::super::candidate::Candidate;
use super::super::late::Late;
use super::super::{BoolPlan, Explanation, Faults, Plan, Scorer, Weight, WeightContext, float_text, takes};
use super::{BoostMode, FilteredFunction, FunctionScore, LeafFunction, name_text};
use crate::error::{Error, ErrorKind, Result};
use crate::segment::{NO_MORE_DOCS, SegmentView, Snapshot};
use std::sync::Arc;

pub struct FunctionScoreWeight {
    plan: FunctionScore,
    query: Box<dyn Weight>,
    filters: Vec<Option<Box<dyn Weight>>>,
    snapshot: Arc<Snapshot>,
    faults: Faults,
}

impl FunctionScoreWeight {
    pub fn new(cx: &WeightContext, plan: &FunctionScore, boost: f32) -> Result<Self> {
        let needs_query_scores = plan.boost_mode != BoostMode::Replace
            || plan.functions.is_empty()
            || plan.functions.iter().any(|function| function.function.needs_scores());
        let filter = |plan: &Option<Plan>| plan.as_ref().map(|plan| plan.weight(cx, false, 1.0)).transpose();
        Ok(Self {
            query: match &plan.query {
                // Synonyms that nobody scores are alternatives, which explanations show.
                Plan::Synonyms { field, terms } if !needs_query_scores && cx.profiler.is_none() => {
                    let should = terms.iter().map(|term| Plan::term(field, term.clone())).collect();
                    Plan::Bool(BoolPlan { should, ..BoolPlan::default() }).bind(cx, false, boost)?
                }
                query => query.bind(cx, needs_query_scores, boost)?,
            },
            filters: plan.functions.iter().map(|function| filter(&function.filter)).collect::<Result<_>>()?,
            plan: plan.clone(),
            snapshot: cx.snapshot.clone(),
            faults: cx.faults.clone(),
        })
    }

    fn leaves(&mut self, view: &SegmentView) -> Result<Vec<Leaf>> {
        let mut doc_base = 0;
        for other in &self.snapshot.segments {
            if Arc::ptr_eq(&other.segment, &view.segment) {
                break;
            }
            doc_base += u64::from(other.max_doc());
        }
        let mut leaves = Vec::with_capacity(self.filters.len());
        for (function, filter) in self.plan.functions.iter().zip(&mut self.filters) {
            let filter = match filter {
                None => Filter::None,
                Some(weight) => {
                    let scorer = weight.scorer(view)?.map(Candidate::of);
                    scorer.map_or(Filter::Nothing, Filter::Some)
                }
            };
            let weight = function.function.weight();
            leaves.push(Leaf { filter, function: function.function.leaf(view, doc_base)?, weight });
        }
        Ok(leaves)
    }
}

impl Weight for FunctionScoreWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        if !self.query.prepare(view, spent)? {
            return Ok(false);
        }
        for filter in self.filters.iter_mut().flatten() {
            if !filter.prepare(view, spent)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        self.query.opens(view)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let leaves = self.leaves(view)?;
        let Some(query) = self.query.scorer(view)? else { return Ok(None) };
        let late = self.plan.min_score.is_some() || query.goes_by_candidates();
        let scorer = FunctionScorer {
            query: Candidate::of(query),
            late,
            leaves,
            live: view.clone(),
            plan: self.plan.clone(),
            found: None,
            faults: self.faults.clone(),
        };
        if scorer.doc() == NO_MORE_DOCS {
            return Ok(None);
        }
        Ok(Some(if late { Late::boxed(scorer) } else { Box::new(scorer) }))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let query = self.query.explain(view, doc)?.named(self.plan.name.as_deref());
        if !query.matched {
            return Ok(query);
        }
        let mut explained = query.clone();
        let mut leaves = self.leaves(view)?;
        if !leaves.is_empty() {
            let mut details = vec![];
            for (leaf, function) in leaves.iter_mut().zip(&self.plan.functions) {
                if !leaf.filter.takes(doc) {
                    continue;
                }
                let detail = leaf.function.explain(doc, &query, function.name.as_deref())?;
                details.push(match &function.filter {
                    None => detail,
                    Some(filter) => {
                        let matched = Explanation::matching(
                            1.0,
                            format!("match filter{}: {filter}", name_text(function.filter_name.as_deref())),
                            vec![],
                        );
                        Explanation::matching(detail.score(), "function score, product of:", vec![matched, detail])
                    }
                });
            }
            let single = self.plan.functions.len() == 1 && self.plan.functions[0].filter.is_none();
            let value = match details.len() {
                0 => Explanation::matching(1.0, "No function matched", vec![]),
                1 if single => details.remove(0),
                _ => {
                    let mut leaves = self.leaves(view)?;
                    let value = self.plan.joined(&mut leaves, doc, query.score())?;
                    let mode = self.plan.score_mode.name();
                    Explanation::matching(value as f32, format!("function score, score mode [{mode}]"), details)
                }
            };
            explained = self.plan.boost_mode.explain(query, value, self.plan.max_boost);
        }
        match self.plan.min_score {
            Some(min) if min > explained.score() => {
                let (min, got) = (float_text(min), float_text(explained.score()));
                let reason = format!("Score value is too low, expected at least {min} but got {got}");
                Ok(Explanation::no_match(reason, vec![explained]))
            }
            _ => Ok(explained),
        }
    }
}

struct Leaf {
    filter: Filter,
    function: Box<dyn LeafFunction>,
    weight: f64,
}

enum Filter {
    None,
    Nothing,
    Some(Box<dyn Scorer>),
}

impl Filter {
    /// Documents come in ascending order, but may be asked for again.
    fn takes(&mut self, doc: u32) -> bool {
        match self {
            Self::None => true,
            Self::Nothing => false,
            Self::Some(scorer) => takes(scorer.as_mut(), doc),
        }
    }
}

impl FunctionScore {
    /// The functions' values for a document as one.
    fn joined(&self, leaves: &mut [Leaf], doc: u32, query_score: f32) -> Result<f64> {
        // A single function for all documents is nothing to join: its weight is no share of an average.
        if let ([only], [FilteredFunction { filter: None, .. }]) = (&mut *leaves, self.functions.as_slice()) {
            return only.function.score(doc, query_score);
        }
        let values = leaves.iter_mut().filter_map(|leaf| {
            leaf.filter.takes(doc).then(|| leaf.function.score(doc, query_score).map(|value| (value, leaf.weight)))
        });
        self.score_mode.join(values)
    }
}

struct FunctionScorer {
    query: Box<dyn Scorer>,
    /// Whether documents have to be looked at to know whether they match: many may not.
    late: bool,
    leaves: Vec<Leaf>,
    live: SegmentView,
    plan: FunctionScore,
    /// The score of the current document, where it had to be known to find whether it matches.
    found: Option<f32>,
    faults: Faults,
}

impl FunctionScorer {
    fn compute(&mut self) -> f32 {
        let doc = self.query.doc();
        if !self.live.is_live(doc) {
            // Nobody sees it, and its values may be none that a function can do anything with.
            return 0.0;
        }
        let query_score = self.query.score();
        if self.leaves.is_empty() {
            return query_score;
        }
        match self.plan.joined(&mut self.leaves, doc, query_score) {
            Ok(value) => {
                let score = self.plan.boost_mode.combine(query_score, value, self.plan.max_boost);
                if score < 0.0 || score.is_nan() {
                    let text = float_text(score);
                    self.faults.report(Error::new(
                        ErrorKind::General,
                        format!("function score query returned an invalid score: {text} for doc: {doc}"),
                    ));
                    return 0.0;
                }
                score
            }
            Err(error) => {
                self.faults.report(error);
                0.0
            }
        }
    }

    /// Moves on to a document that matches.
    fn settle(&mut self) -> u32 {
        while self.query.doc() != NO_MORE_DOCS && !self.matches() {
            self.found = None;
            self.query.next();
        }
        self.query.doc()
    }
}

impl Scorer for FunctionScorer {
    fn doc(&self) -> u32 {
        self.query.doc()
    }

    fn next(&mut self) -> u32 {
        self.found = None;
        self.query.next();
        self.settle()
    }

    fn advance(&mut self, target: u32) -> u32 {
        if target > self.query.doc() {
            self.found = None;
            self.query.advance(target);
            self.settle();
        }
        self.query.doc()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        if target > self.query.doc() {
            self.found = None;
            self.query.advance(target);
        }
        self.query.doc()
    }

    fn matches(&mut self) -> bool {
        if !self.late {
            return true;
        }
        if self.query.doc() == NO_MORE_DOCS || !self.query.matches() {
            return false;
        }
        let Some(min) = self.plan.min_score else { return true };
        let score = self.found.unwrap_or_else(|| self.compute());
        // It is not computed again.
        self.found = Some(score);
        score >= min
    }

    fn is_two_phase(&self) -> bool {
        self.late
    }

    fn score(&mut self) -> f32 {
        match self.found.take() {
            Some(score) => score,
            None => self.compute(),
        }
    }

    fn cost(&self) -> u64 {
        self.query.cost()
    }
}
