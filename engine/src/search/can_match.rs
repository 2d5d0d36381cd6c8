//! Whether a shard can have a match at all, told from its mapping and the ranges of its dates alone, and between which values of
//! the first sort key its documents lie.

use super::request::SearchRequest;
use super::sort_parse::SortBy;
use crate::error::Result;
use crate::mapping::number::decode_u64;
use crate::mapping::{Family, Indexed};
use crate::query::{PlanContext, Query, ShardContext};
use crate::score::Plan;

/// What a shard tells of itself before it is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct CanMatch {
    /// False only if no document of the shard can match. The request's slice and post filter do not count.
    pub matches: bool,
    /// Least and greatest value of the field that hits are sorted by first, where the index of the field tells.
    pub bounds: Option<SortBounds>,
}

/// Bounds of a shard's values; only those of one kind can be compared.
#[derive(Clone, Debug, PartialEq)]
pub enum SortBounds {
    Whole(i64, i64),
    Double(f64, f64),
    Bytes(Vec<u8>, Vec<u8>),
}

pub fn can_match(request: &SearchRequest, cx: &ShardContext) -> Result<CanMatch> {
    let matches = match &request.query {
        Some(query) => query_can_match(query, cx)?,
        None => true,
    };
    Ok(CanMatch { matches, bounds: sort_bounds(request, cx) })
}

fn sort_bounds(request: &SearchRequest, cx: &ShardContext) -> Option<SortBounds> {
    let SortBy::Field { name, .. } = &request.sort.first()?.by else { return None };
    let field = cx.mapping.field(name)?;
    let columns = || cx.snapshot.segments.iter().filter_map(|view| view.segment.field(&field.name));
    if field.family() == Family::Keyword {
        if field.type_name != "keyword" || field.spec.indexed == Indexed::No {
            return None;
        }
        let terms = columns().filter_map(|field| field.ordinals()).filter(|column| column.num_ords() > 0);
        let (mut least, mut greatest) = (vec![], vec![]);
        for column in terms {
            least.push(column.term(0).into_owned());
            greatest.push(column.term(column.num_ords() - 1).into_owned());
        }
        return Some(SortBounds::Bytes(least.into_iter().min()?, greatest.into_iter().max()?));
    }
    let numbers = matches!(field.family(), Family::Integer | Family::UnsignedLong | Family::Float | Family::Date);
    if !numbers || field.spec.indexed != Indexed::Points || field.type_name == "scaled_float" {
        return None;
    }
    let least = columns().filter_map(|field| field.numeric()?.min()).min()?;
    let greatest = columns().filter_map(|field| field.numeric()?.max()).max()?;
    Some(match field.family() {
        Family::Float => SortBounds::Double(field.decode_number(least), field.decode_number(greatest)),
        // As Java's longs, whatever is greater.
        Family::UnsignedLong => SortBounds::Whole(decode_u64(least) as i64, decode_u64(greatest) as i64),
        _ => SortBounds::Whole(least, greatest),
    })
}

impl SortBounds {
    /// The order of two shards by what stands first on them; none if they cannot be compared.
    pub fn compare(&self, other: &Self, descending: bool) -> Option<std::cmp::Ordering> {
        let order = match (self, other) {
            (Self::Whole(a, b), Self::Whole(c, d)) => {
                if descending {
                    d.cmp(b)
                } else {
                    a.cmp(c)
                }
            }
            (Self::Double(a, b), Self::Double(c, d)) => {
                if descending {
                    d.total_cmp(b)
                } else {
                    a.total_cmp(c)
                }
            }
            (Self::Bytes(a, b), Self::Bytes(c, d)) => {
                if descending {
                    d.cmp(b)
                } else {
                    a.cmp(c)
                }
            }
            _ => return None,
        };
        Some(order)
    }
}

/// The same for a query by itself.
pub fn query_can_match(query: &Query, cx: &ShardContext) -> Result<bool> {
    Ok(is_possible(&query.plan(&PlanContext::new(cx))?, cx))
}

/// Why queries match nothing that the reference knows to match nothing before it searches; of others it finds out later.
const KNOWN_BEFORE: &[&str] = &["User requested \"match_none\" query.", "No terms supplied for terms query."];

fn is_possible(plan: &Plan, cx: &ShardContext) -> bool {
    match plan {
        Plan::Nothing(reason) => !KNOWN_BEFORE.contains(&reason.as_str()),
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
        // A range under the text that it has before it is rewritten.
        Plan::Custom(node) => match node.0.simplify() {
            Some(Plan::Points(points)) => is_possible(&Plan::Points(points), cx),
            _ => true,
        },
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
