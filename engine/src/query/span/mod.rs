//! Span queries: terms by where they stand. One file per group of kinds; what they become is in `score::spans`.
//!
//! - `term`: `span_term`. - `near`: `span_near` with `span_gap`, `span_or`. - `relation`: `span_not`, `span_first`,
//!   `span_containing`, `span_within`. - `mask`: `field_masking_span`. - `multi`: `span_multi`.

mod mask;
pub mod multi;
mod near;
mod relation;
mod term;

pub use mask::parse as parse_mask;
pub use multi::parse as parse_multi;
pub use near::{parse_gap, parse_near, parse_or};
pub use relation::{parse_containing, parse_first, parse_not, parse_within};
pub use term::parse as parse_term;

use super::node::Node;
use super::table::{parse_list_by, parse_node};
use super::{PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::score::spans::Span;

/// A clause of the span query `kind`, which has to be a span query without a boost.
fn clause(node: Node, kind: &str, part: &str) -> Result<Query> {
    checked(node, parse_node(node)?, kind, part)
}

/// The clauses of a list.
fn clauses(node: Node, kind: &str) -> Result<Vec<Query>> {
    parse_clauses(node, kind, &|item| clause(item, kind, "clauses"))
}

/// The same by `parse`. A list within the list ends both where it ends, and what stands behind it is no clause.
fn parse_clauses<T>(node: Node, kind: &str, parse: &dyn Fn(Node) -> Result<T>) -> Result<Vec<T>> {
    parse_list_by(node, |item| {
        if !matches!(item.value, Value::Array(items) if matches!(items.first(), Some(Value::Object(_)))) {
            return parse(item);
        }
        parse_list_by(item, parse)?;
        Err(item.error_at(item.behind().0, format!("[{kind}] query does not support [clauses]")))
    })
}

fn checked(node: Node, query: Query, kind: &str, part: &str) -> Result<Query> {
    if !query.kind.is_span() {
        let which = if part == "query" { format!("[{kind}] query") } else { format!("{kind} [{part}]") };
        return Err(node.error_at_end(format!("{which} must be of type span query")));
    }
    if query.boost != 1.0 {
        let boost = crate::score::float_text(query.boost);
        return Err(node.error_at_end(format!(
            "{kind} [{part}] as a nested span clause can't have non-default boost value [{boost}]"
        )));
    }
    Ok(query)
}

fn spans(queries: &[Query], cx: &PlanContext) -> Result<Vec<Span>> {
    queries.iter().map(|query| query.kind.span(cx)).collect()
}

fn boxed(query: &Query, cx: &PlanContext) -> Result<Box<Span>> {
    query.kind.span(cx).map(Box::new)
}

/// Clauses of one span query stand in one field.
fn check_fields(spans: &[Span]) -> Result<()> {
    let mut fields = spans.iter().filter_map(Span::field);
    let Some(first) = fields.next() else { return Ok(()) };
    if fields.all(|field| field == first) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::IllegalArgument, "Clauses must have same field."))
}
