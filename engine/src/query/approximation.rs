//! Ranges that stand alone: the reference approximates them, which shows in explanations and profiles, and in what it counts.

use super::fields::point_text;
use super::now_range;
use crate::mapping::Field;
use crate::score::{Plan, PointSet};

/// The simplest form of a whole query. A range alone is approximated by the reference, which its explanation shows.
pub(super) fn simplified(plan: Plan) -> Plan {
    match range_alone(plan) {
        Ok(mut points) => {
            points.approximate = false;
            points.explained = format!("Approximate({})", points_text(&points));
            Plan::Points(points)
        }
        // Below a boost it is not the whole query, and what its values decide is put in its place.
        Err(Plan::Boost(inner, by)) => match alone(&inner).cloned() {
            Some(points) if points.ranges.is_empty() => Plan::nothing(""),
            Some(points) => Plan::Boost(Box::new(Plan::Points(points)), by).simplify(),
            None => Plan::Boost(inner, by).simplify(),
        },
        Err(plan) => {
            let of_now = now_range::is_asked(&plan);
            match plan.simplify() {
                Plan::Points(points) => Plan::Points(PointSet { of_now, ..points }),
                plan => plan,
            }
        }
    }
}

/// The range that a plan is, if it is one that may be approximated: then nothing is put in its place.
pub(super) fn range_alone(plan: Plan) -> std::result::Result<PointSet, Plan> {
    match alone(&plan) {
        Some(points) => Ok(PointSet { rewritten: None, ..points.clone() }),
        None => Err(plan),
    }
}

fn alone(plan: &Plan) -> Option<&PointSet> {
    let alone = match plan {
        Plan::Points(points) => Some(points),
        Plan::Custom(node) => match node.0.written() {
            Some(Plan::Points(points)) => Some(points),
            _ => None,
        },
        _ => None,
    };
    alone.filter(|points| points.approximate)
}

/// Whether a range was found to be the whole query.
pub fn is_approximated(points: &PointSet) -> bool {
    points.explained.starts_with("Approximate(")
}

/// How a range reads as one of points, where it is one of values too.
pub fn points_text(points: &PointSet) -> &str {
    let of_points = points.text.strip_prefix("IndexOrDocValuesQuery(indexQuery=");
    of_points.and_then(|rest| rest.split_once(", dvQuery=")).map_or(&points.explained, |(of_points, _)| of_points)
}

/// The text of a range that the reference may approximate.
pub fn approximate_text(points: &PointSet) -> String {
    format!(
        "ApproximateScoreQuery(originalQuery={}, approximationQuery=Approximate({}))",
        points.text,
        points_text(points)
    )
}

/// A range that stands alone where the search does not let it be approximated.
pub fn as_asked(points: PointSet) -> PointSet {
    let of_values = points.text.split_once(", dvQuery=").and_then(|(_, of_values)| of_values.strip_suffix(')'));
    PointSet { explained: of_values.unwrap_or(&points.text).to_owned(), ..points }
}

/// The same range between other bounds, of which there may be nothing left.
pub fn narrowed(field: &Field, points: PointSet, lo: i64, hi: i64) -> PointSet {
    let of_points = format!("{}:[{} TO {}]", field.name, point_text(field, lo), point_text(field, hi));
    let ranges = if lo <= hi { vec![(lo, hi)] } else { vec![] };
    PointSet { ranges, explained: format!("Approximate({of_points})"), ..points }
}
