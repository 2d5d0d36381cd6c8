//! `terms_set`: documents that enough of some queries match, where each document says how many are enough.

use super::functions::NumberSource;
use super::{Explanation, Plan, PlanNode, Scorer, Weight, WeightContext};
use crate::error::Result;
use crate::segment::{NO_MORE_DOCS, NumericColumn, SegmentView};
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Covering {
    pub queries: Vec<Plan>,
    pub minimum: NumberSource,
}

impl fmt::Display for Covering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queries: Vec<String> = self.queries.iter().map(Plan::to_string).collect();
        let (queries, field) = (queries.join(", "), &self.minimum.field);
        write!(f, "CoveringQuery(queries=[{queries}], minimumNumberMatch=long({field}))")
    }
}

impl PlanNode for Covering {
    fn type_name(&self) -> String {
        "CoveringQuery".to_owned()
    }

    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        let weights = self.queries.iter().map(|plan| plan.weight(cx, scores, boost)).collect::<Result<_>>()?;
        Ok(Box::new(CoveringWeight { weights, minimum: self.minimum.clone() }))
    }

    fn simplify(&self) -> Option<Plan> {
        let queries = self.queries.iter().map(|plan| plan.clone().simplify()).collect();
        let plan = Self { queries, minimum: self.minimum.clone() };
        Some(Plan::Custom(super::CustomPlan(Arc::new(plan))))
    }
}

struct CoveringWeight {
    weights: Vec<Box<dyn Weight>>,
    minimum: NumberSource,
}

impl CoveringWeight {
    fn minimum(&self, column: Option<&NumericColumn>, doc: u32) -> Option<i64> {
        Some(self.minimum.decode(column?.first(doc)?) as i64)
    }
}

impl Weight for CoveringWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        for weight in &mut self.weights {
            if !weight.prepare(view, spent)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let Some(column) = self.minimum.column(view) else { return Ok(None) };
        let mut clauses = Vec::with_capacity(self.weights.len());
        for weight in &mut self.weights {
            clauses.extend(weight.scorer(view)?);
        }
        let mut scorer = CoveringScorer { clauses, column, source: self.minimum.clone(), doc: 0 };
        scorer.settle();
        Ok((scorer.doc != NO_MORE_DOCS).then(|| Box::new(scorer) as Box<dyn Scorer>))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let column = self.minimum.column(view);
        let Some(minimum) = self.minimum(column.as_ref(), doc) else {
            return Ok(Explanation::no_match("minimumNumberMatch has no value on the current document", vec![]));
        };
        let minimum = minimum.max(1);
        let (mut found, mut score, mut details) = (0, 0f64, vec![]);
        for weight in &mut self.weights {
            let detail = weight.explain(view, doc)?;
            if detail.matched {
                found += 1;
                score += f64::from(detail.score());
            }
            details.push(detail);
        }
        if found >= minimum {
            details.retain(|detail| detail.matched);
            let description = format!("{found} matches for {minimum} required matches, sum of:");
            return Ok(Explanation::matching(score as f32, description, details));
        }
        Ok(Explanation::no_match(format!("{found} matches for {minimum} required matches"), details))
    }
}

struct CoveringScorer {
    clauses: Vec<Box<dyn Scorer>>,
    column: NumericColumn,
    source: NumberSource,
    doc: u32,
}

impl CoveringScorer {
    /// The first document that enough clauses match, given where they stand.
    fn settle(&mut self) -> u32 {
        loop {
            self.doc = self.clauses.iter().map(|clause| clause.doc()).min().unwrap_or(NO_MORE_DOCS);
            if self.doc == NO_MORE_DOCS {
                return NO_MORE_DOCS;
            }
            let doc = self.doc;
            let minimum = self.column.first(doc).map(|value| (self.source.decode(value) as i64).max(1));
            let found = self.clauses.iter().filter(|clause| clause.doc() == doc).count() as i64;
            if minimum.is_some_and(|minimum| found >= minimum) {
                return doc;
            }
            self.clauses.iter_mut().filter(|clause| clause.doc() == doc).for_each(|clause| {
                clause.next();
            });
        }
    }
}

impl Scorer for CoveringScorer {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        self.advance(self.doc + 1)
    }

    fn advance(&mut self, target: u32) -> u32 {
        if target > self.doc {
            for clause in &mut self.clauses {
                if clause.doc() < target {
                    clause.advance(target);
                }
            }
            self.settle();
        }
        self.doc
    }

    fn score(&mut self) -> f32 {
        let doc = self.doc;
        let matching = self.clauses.iter_mut().filter(|clause| clause.doc() == doc);
        matching.map(|clause| f64::from(clause.score())).sum::<f64>() as f32
    }

    fn cost(&self) -> u64 {
        self.clauses.iter().map(|clause| clause.cost()).sum()
    }
}
