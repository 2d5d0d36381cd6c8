//! Searches for a range alone, which the reference approximates: when it has enough of it, where it goes on, what it explains.

use super::check::check;
use super::request::{SearchRequest, TotalHits};
use super::shard_search::ShardScope;
use super::sort_parse::{Missing, Sort, SortBy};
use crate::error::Result;
use crate::json::Value;
use crate::mapping::number::NumberKind;
use crate::mapping::{DateContext, Family, Field, Indexed, no_range};
use crate::query::{
    APPROXIMATE_ALL, PlanContext, Query, ShardContext, as_asked, is_approximated, narrowed, rewritten_range,
};
use crate::score::{Plan, PointSet};

/// How many documents are enough where nobody wants hits.
const ENOUGH_TO_COUNT: u64 = 10_000;

/// The plan of a request that may be asked. A range alone: where hits are neither sorted nor all counted, the reference stops
/// when it has enough of them, and takes them in the order of their values. What stands before a page it does not count.
pub fn stopping_when_enough(
    request: &SearchRequest,
    cx: &ShardContext,
    scope: &ShardScope,
    plan: Plan,
) -> Result<Plan> {
    check(request, cx, scope)?;
    check_all_by_index(request, cx)?;
    // Where nobody wants hits they are counted otherwise.
    Ok(match request.window() {
        0 => plan,
        _ => filtering_when_enough(request, cx, scope.reads.scrolls(), plan),
    })
}

/// All documents in the order of their index: the reference would make a range of that, which this field has none of.
fn check_all_by_index(request: &SearchRequest, cx: &ShardContext) -> Result<()> {
    let sorted = sorted_field(request, cx).filter(|field| field.family() == Family::Index);
    let (Some(field), Some(query)) = (sorted, &request.query) else { return Ok(()) };
    if wants_all(request) || cx.mapping.has_nested() || !lets_approximate(request, &field.name) {
        return Ok(());
    }
    let plan = query.plan(&PlanContext::new(cx))?;
    if plan.to_string() == APPROXIMATE_ALL { Err(no_range(field)) } else { Ok(()) }
}

/// The same of the filter after the search, which the reference takes no more documents for than it takes hits.
pub fn filtering_when_enough(request: &SearchRequest, cx: &ShardContext, scrolls: bool, plan: Plan) -> Plan {
    match plan {
        Plan::Points(points)
            if !(scrolls || wants_all(request))
                && is_approximated(&points)
                && lets_approximate(request, &points.field) =>
        {
            let mut points = behind_page(points, request, cx);
            if !by_field(request) {
                points.enough = Some(match request.window() as u64 {
                    0 => ENOUGH_TO_COUNT,
                    // One more than is asked for tells whether there are more.
                    window => request.total_hits.limit().unwrap_or(0).max(window) + 1,
                });
            }
            Plan::Points(points)
        }
        plan => plan,
    }
}

/// Whether somebody wants to see all matches.
fn wants_all(request: &SearchRequest) -> bool {
    let aggregates = request.aggs.as_ref().is_some_and(|aggs| !aggs.is_empty());
    aggregates || request.total_hits == TotalHits::Exact || request.slice.is_some()
}

/// The field that hits are sorted by first.
fn sorted_field<'c>(request: &SearchRequest, cx: &'c ShardContext) -> Option<&'c Field> {
    match &request.sort.first()?.by {
        SortBy::Field(by) => cx.mapping.field(&by.name),
        _ => None,
    }
}

fn by_field(request: &SearchRequest) -> bool {
    request.sort.first().is_some_and(|sort| matches!(sort.by, SortBy::Field(_) | SortBy::Doc))
}

/// The plan as hits are explained by it. `inner`: of inner hits, which are explained as the search around them would have it.
pub fn explained(plan: Plan, request: &SearchRequest, cx: &ShardContext, inner: bool) -> Plan {
    match plan {
        Plan::Points(points) if is_approximated(&points) => {
            let asked = request.around.as_deref().unwrap_or(request);
            let counts_all = asked.total_hits == TotalHits::Exact && (!inner || request.around.is_some());
            match !counts_all && lets_approximate(asked, &points.field) {
                true => Plan::Points(behind_page(points, asked, cx)),
                false => as_rewritten(points, cx),
            }
        }
        Plan::All if !inner && request.query.as_ref().is_some_and(Query::is_match_all) => all_explained(request, cx),
        plan => plan,
    }
}

/// A range that is not approximated: all documents, where it has the values of all of them, or as it was asked.
fn as_rewritten(points: PointSet, cx: &ShardContext) -> Plan {
    let field = cx.mapping.field(&points.field);
    match field.and_then(|field| rewritten_range(&points, field, &PlanContext::new(cx))) {
        Some(Plan::All) => Plan::All,
        _ => Plan::Points(as_asked(points)),
    }
}

/// All documents that are asked for and sorted by a number: the reference makes a range of that, behind the page before.
fn all_explained(request: &SearchRequest, cx: &ShardContext) -> Plan {
    let Some(field) = sorted_field(request, cx).filter(|field| field.spec.indexed == Indexed::Points) else {
        return Plan::All;
    };
    let (lo, hi) = match (field.number_kind(), field.family()) {
        (Some(NumberKind::Integer | NumberKind::Short | NumberKind::Byte), _) => (i32::MIN.into(), i32::MAX.into()),
        (Some(_), _) | (None, Family::Date) => (i64::MIN, i64::MAX),
        _ => return Plan::All,
    };
    if request.total_hits == TotalHits::Exact || !lets_approximate(request, &field.name) {
        return Plan::All;
    }
    let whole = PointSet::new(field.name.clone(), vec![(lo, hi)], String::new(), String::new());
    let mut points = behind_page(narrowed(field, whole, lo, hi), request, cx);
    if matches!(field.number_kind(), Some(NumberKind::Float | NumberKind::HalfFloat | NumberKind::Double)) {
        points.explained = format!("Approximate({}:[-Infinity TO Infinity])", field.name);
    }
    Plan::Constant(Box::new(Plan::All)).explained_as("*:*", points.explained)
}

/// Whether the order of hits, and where the search is to end, let a range over the field be approximated.
fn lets_approximate(request: &SearchRequest, field: &str) -> bool {
    let ordered = match request.sort.as_slice() {
        [] => true,
        [Sort { by: SortBy::Field(by), .. }] => by.name == field && by.missing == Missing::Unset,
        [Sort { by: SortBy::Doc, .. }] => false,
        [_] => true,
        _ => false,
    };
    ordered && request.terminate_after.is_none()
}

/// The range behind the page before, where hits are sorted by its field.
fn behind_page(points: PointSet, request: &SearchRequest, cx: &ShardContext) -> PointSet {
    let (Some([after]), [sort]) = (request.search_after.as_deref(), request.sort.as_slice()) else { return points };
    let (SortBy::Field(by), [(lo, hi)]) = (&sort.by, points.ranges.as_slice()) else { return points };
    let Some(field) = cx.mapping.field(&by.name).filter(|field| field.name == points.field) else { return points };
    let fraction = match (field.number_kind(), after) {
        (_, Value::Null) => true,
        (Some(NumberKind::Double | NumberKind::Float | NumberKind::HalfFloat), _) => false,
        (_, Value::Float(_)) => field.type_name != "scaled_float",
        _ => false,
    };
    let after = field.parse_missing_number(after, &DateContext { now_ms: cx.now_ms }).ok().filter(|_| !fraction);
    let (lo, hi) = match (after, sort.descending) {
        (None, _) => return points,
        (Some(after), false) => (after.saturating_add(1).max(*lo), *hi),
        (Some(after), true) => (*lo, after.saturating_sub(1).min(*hi)),
    };
    narrowed(field, points, lo, hi)
}
