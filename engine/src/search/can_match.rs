//! Whether a shard can have a match at all, told from its mapping and the ranges of its dates alone.

use super::request::SearchRequest;
use crate::error::Result;
use crate::mapping::Family;
use crate::query::{Query, ShardContext};
use crate::score::Plan;

/// False only if no document of the shard can match. The request's slice and post filter do not count.
pub fn can_match(request: &SearchRequest, cx: &ShardContext) -> Result<bool> {
    match &request.query {
        Some(query) => query_can_match(query, cx),
        None => Ok(true),
    }
}

/// The same for a query by itself.
pub fn query_can_match(query: &Query, cx: &ShardContext) -> Result<bool> {
    Ok(is_possible(&query.root_plan(cx)?, cx))
}

fn is_possible(plan: &Plan, cx: &ShardContext) -> bool {
    match plan {
        Plan::Nothing(_) => false,
        Plan::Constant(inner) | Plan::Boost(inner, _) => is_possible(inner, cx),
        Plan::DisMax { plans, .. } => plans.iter().any(|plan| is_possible(plan, cx)),
        Plan::Bool(plan) => {
            let required = plan.must.iter().chain(&plan.filter).all(|clause| is_possible(clause, cx));
            let optional = plan.minimum_should_match == 0 || plan.should.iter().any(|clause| is_possible(clause, cx));
            required && optional
        }
        Plan::Points(points) => {
            let is_date = cx.mapping.field(&points.field).is_some_and(|field| field.family() == Family::Date);
            !is_date || points.ranges.iter().any(|range| has_value_within(&points.field, *range, cx))
        }
        _ => true,
    }
}

fn has_value_within(field: &str, (lo, hi): (i64, i64), cx: &ShardContext) -> bool {
    cx.snapshot.segments.iter().any(|view| {
        let Some(column) = view.segment.field(field).and_then(|field| field.numeric()) else {
            // Without doc values nobody knows: an index of points may be there.
            return view.segment.field(field).is_some();
        };
        column.min().zip(column.max()).is_some_and(|(min, max)| lo <= max && hi >= min)
    })
}
