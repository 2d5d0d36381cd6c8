//! What the reference rewrites queries to before it searches a shard: those that come to nothing then can have no match. Kinds that are
//! made of others judge by these, leaves by their plans; of all other kinds it finds out later, while it searches.

use super::PlanContext;
use super::fields::is_rewritten_to_none;
use crate::error::Result;
use crate::mapping::Family;
use crate::score::Plan;

/// Whether a leaf with this plan may have a match. What is wrong with it shows when it is searched for.
pub fn leaf(plan: Result<Plan>, cx: &PlanContext) -> bool {
    plan.map_or(true, |plan| is_possible(&plan, cx))
}

/// The same of a term, which is not held against the values of a shard: not even of dates, to which it is a range.
pub fn term(plan: Result<Plan>) -> bool {
    plan.map_or(true, |plan| is_known(&plan))
}

fn is_known(plan: &Plan) -> bool {
    match plan {
        Plan::Nothing(reason) => !is_rewritten_to_none(plan) && reason != NO_TERMS,
        Plan::Constant(inner) | Plan::Boost(inner, _) => is_known(inner),
        _ => true,
    }
}

/// A bitmap of nothing.
const NO_TERMS: &str = "No terms supplied for terms query.";

fn is_possible(plan: &Plan, cx: &PlanContext) -> bool {
    match plan {
        Plan::Constant(inner) | Plan::Boost(inner, _) => is_possible(inner, cx),
        Plan::Points(points) => {
            let is_date = cx.mapping.field(&points.field).is_some_and(|field| field.family() == Family::Date);
            // Of a range that ends before it begins nobody sees that it is empty.
            !is_date
                || points.ranges.is_empty()
                || points.ranges.iter().any(|range| has_value_within(&points.field, *range, cx))
        }
        // A range under the text that it has before it is rewritten.
        Plan::Custom(node) => match node.0.simplify() {
            Some(Plan::Points(points)) => is_possible(&Plan::Points(points), cx),
            _ => true,
        },
        plan => is_known(plan),
    }
}

fn has_value_within(field: &str, (lo, hi): (i64, i64), cx: &PlanContext) -> bool {
    cx.snapshot.segments.iter().any(|view| {
        let Some(column) = view.segment.field(field).and_then(|field| field.numeric()) else {
            // Without doc values nobody knows: an index of points may be there.
            return view.segment.field(field).is_some();
        };
        column.min().zip(column.max()).is_some_and(|(min, max)| lo <= max && hi >= min)
    })
}
