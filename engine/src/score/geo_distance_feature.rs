//! `distance_feature` of places: the nearer a place to an origin, the higher the score.

use super::{Explanation, Number, PlanNode, Scorer, Weight, WeightContext};
use crate::error::Result;
use crate::geo::{Point, arc_distance, decode_point};
use crate::mapping::number::java_f64;
use crate::segment::{DocIterator, NO_MORE_DOCS, NumericColumn, SegmentView};
use std::fmt;
use std::sync::Arc;

/// Scores `boost * pivot / (pivot + distance)`, distances in meters.
#[derive(Clone, Debug)]
pub struct GeoDistanceFeature {
    pub field: Arc<str>,
    pub origin: Point,
    pub pivot_meters: f64,
}

impl fmt::Display for GeoDistanceFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [lat, lon, pivot] = [self.origin.lat, self.origin.lon, self.pivot_meters].map(java_f64);
        write!(f, "LatLonPointDistanceFeatureQuery(field=,originLat={lat},originLon={lon},pivotDistance={pivot})")
    }
}

impl PlanNode for GeoDistanceFeature {
    fn type_name(&self) -> String {
        "LatLonPointDistanceFeatureQuery".to_owned()
    }

    fn weight(&self, _cx: &WeightContext, _scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        Ok(Box::new(FeatureWeight { plan: self.clone(), boost }))
    }
}

impl GeoDistanceFeature {
    /// The place of a document that is nearest to the origin, with its distance.
    fn nearest(&self, column: &NumericColumn, doc: u32) -> Option<(Point, f64)> {
        let mut best: Option<(Point, f64)> = None;
        column.for_each(doc, |value| {
            let point = decode_point(value);
            let distance = arc_distance(self.origin, point);
            if best.is_none_or(|(_, nearest)| distance < nearest) {
                best = Some((point, distance));
            }
        });
        best
    }

    fn score(&self, boost: f32, distance: f64) -> f32 {
        (f64::from(boost) * (self.pivot_meters / (self.pivot_meters + distance))) as f32
    }
}

struct FeatureWeight {
    plan: GeoDistanceFeature,
    boost: f32,
}

impl Weight for FeatureWeight {
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let Some(column) = view.segment.field(&self.plan.field).and_then(|field| field.numeric()) else {
            return Ok(None);
        };
        let docs = column.docs().iter();
        if docs.doc() == NO_MORE_DOCS {
            return Ok(None);
        }
        Ok(Some(Box::new(FeatureScorer { docs, column: column.clone(), plan: self.plan.clone(), boost: self.boost })))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let column = view.segment.field(&self.plan.field).and_then(|field| field.numeric());
        let Some((point, distance)) = column.and_then(|column| self.plan.nearest(column, doc)) else {
            let reason = format!("Document {doc} doesn't have a value for field {}", self.plan.field);
            return Ok(Explanation::no_match(reason, vec![]));
        };
        let double = |value, name: &str| Explanation::matching(0.0, name, vec![]).valued(Number::Double(value));
        Ok(Explanation::matching(
            self.plan.score(self.boost, distance),
            "Distance score, computed as weight * pivotDistance / (pivotDistance + abs(distance)) from:",
            vec![
                Explanation::matching(self.boost, "weight", vec![]),
                double(self.plan.pivot_meters, "pivotDistance"),
                double(self.plan.origin.lat, "originLat"),
                double(self.plan.origin.lon, "originLon"),
                double(point.lat, "current lat"),
                double(point.lon, "current lon"),
                double(distance, "distance"),
            ],
        ))
    }
}

struct FeatureScorer {
    docs: DocIterator,
    column: NumericColumn,
    plan: GeoDistanceFeature,
    boost: f32,
}

impl Scorer for FeatureScorer {
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
        let nearest = self.plan.nearest(&self.column, self.docs.doc());
        nearest.map_or(0.0, |(_, distance)| self.plan.score(self.boost, distance))
    }

    fn cost(&self) -> u64 {
        self.docs.cost()
    }
}
