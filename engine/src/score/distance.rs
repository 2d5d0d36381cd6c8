//! `distance_feature`: the nearer a date to an origin, the higher the score.

use super::{Bound, Explanation, Number, PlanNode, Scorer, Weight, WeightContext};
use crate::error::Result;
use crate::segment::{DocIterator, NO_MORE_DOCS, NumericColumn, SegmentView};
use std::fmt;
use std::sync::Arc;

/// Scores `boost * pivot / (pivot + |value - origin|)`.
#[derive(Clone, Debug)]
pub struct DistanceFeature {
    pub field: Arc<str>,
    pub origin: i64,
    pub pivot: i64,
    /// Whether the field is indexed: values alone are explained, but not found.
    pub indexed: bool,
}

impl fmt::Display for DistanceFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LongDistanceFeatureQuery(field=,origin={},pivotDistance={})", self.origin, self.pivot)
    }
}

impl PlanNode for DistanceFeature {
    fn type_name(&self) -> String {
        "LongDistanceFeatureQuery".to_owned()
    }

    fn weight(&self, _cx: &WeightContext, _scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        Ok(Box::new(DistanceWeight { plan: self.clone(), boost }))
    }
}

struct DistanceWeight {
    plan: DistanceFeature,
    boost: f32,
}

impl DistanceFeature {
    /// The value of a document that is nearest to the origin.
    fn nearest(&self, column: &NumericColumn, doc: u32) -> Option<i64> {
        let mut best: Option<i64> = None;
        column.for_each(doc, |value| {
            if best.is_none_or(|best| value.abs_diff(self.origin) < best.abs_diff(self.origin)) {
                best = Some(value);
            }
        });
        best
    }

    fn score(&self, boost: f32, value: i64) -> f32 {
        let distance = value.abs_diff(self.origin).min(i64::MAX as u64) as f64;
        let pivot = self.pivot as f64;
        (f64::from(boost) * (pivot / (pivot + distance))) as f32
    }
}

impl Weight for DistanceWeight {
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let field = view.segment.field(&self.plan.field).filter(|_| self.plan.indexed);
        let Some(column) = field.and_then(|field| field.numeric()) else {
            return Ok(None);
        };
        let docs = column.docs().iter();
        if docs.doc() == NO_MORE_DOCS {
            return Ok(None);
        }
        Ok(Some(Box::new(DistanceScorer { docs, column: column.clone(), plan: self.plan.clone(), boost: self.boost })))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let column = view.segment.field(&self.plan.field).and_then(|field| field.numeric());
        let Some(value) = column.and_then(|column| self.plan.nearest(column, doc)) else {
            let reason = format!("Document {doc} doesn't have a value for field {}", self.plan.field);
            return Ok(Explanation::no_match(reason, vec![]));
        };
        let long = |value, name: &str| Explanation::matching(0.0, name, vec![]).valued(Number::Long(value));
        Ok(Explanation::matching(
            self.plan.score(self.boost, value),
            "Distance score, computed as weight * pivotDistance / (pivotDistance + abs(value - origin)) from:",
            vec![
                Explanation::matching(self.boost, "weight", vec![]),
                long(self.plan.pivot, "pivotDistance"),
                long(self.plan.origin, "origin"),
                long(value, "current value"),
            ],
        ))
    }
}

struct DistanceScorer {
    docs: DocIterator,
    column: NumericColumn,
    plan: DistanceFeature,
    boost: f32,
}

impl Scorer for DistanceScorer {
    fn doc(&self) -> u32 {
        self.docs.doc()
    }

    fn next(&mut self) -> u32 {
        self.docs.next()
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.docs.advance(target)
    }

    fn score(&mut self) -> f32 {
        let value = self.plan.nearest(&self.column, self.docs.doc());
        value.map_or(0.0, |value| self.plan.score(self.boost, value))
    }

    fn cost(&self) -> u64 {
        self.docs.cost()
    }

    /// The range of values in the target's window bounds how near they can be.
    fn bound(&mut self, target: u32) -> Bound {
        let window = target / crate::segment::WINDOW;
        let last_doc = (window + 1).saturating_mul(crate::segment::WINDOW) - 1;
        let max = self
            .column
            .window_range(window)
            .map_or(0.0, |(min, max)| self.plan.score(self.boost, self.plan.origin.clamp(min, max)).next_up());
        Bound { last_doc: last_doc.min(NO_MORE_DOCS - 1), max }
    }

    fn collect_top(&mut self, upto: u32, top: &mut super::TopScores) {
        super::boolean::collect_bounded(self, upto, top);
    }
}
