//! `span_near`: spans close to each other; `span_or`: any of some spans.

use super::{check_fields, clause, parse_clauses, spans};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::query::node::{Common, Node, null_query, unsupported};
use crate::query::{Kind, PlanContext, Query};
use crate::score::Plan;
use crate::score::spans::{INNER_NONE, Span};
use std::sync::Arc;

#[derive(Debug)]
enum Part {
    Clause(Query),
    Gap { field: String, width: i32 },
}

#[derive(Debug)]
struct SpanNear {
    parts: Vec<Part>,
    slop: i32,
    in_order: bool,
}

pub fn parse_near(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut parts, mut slop, mut in_order) = (vec![], 0, true);
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("clauses", Value::Array(_)) => {
                parts = parse_clauses(field.node, "span_near", &parse_part)?;
            }
            (key, Value::Array(_) | Value::Object(_) | Value::Null) => {
                return Err(unsupported(field.node, "span_near", key));
            }
            ("slop", _) => slop = field.node.i32()?,
            ("in_order", _) => in_order = field.node.bool()?,
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, "span_near", key)),
        }
    }
    match parts.as_slice() {
        [] => Err(node.error_at_end("span_near must include [clauses]")),
        // What is alone stands for the whole, and a gap is no query.
        [Part::Gap { .. }] => Ok(Query::new(common, GapAlone)),
        _ => Ok(Query::new(common, SpanNear { parts, slop, in_order })),
    }
}

fn parse_part(node: Node) -> Result<Part> {
    let gap = node.fields().next().filter(|field| field.key == "span_gap");
    let Some(gap) = gap else { return clause(node, "span_near", "clauses").map(Part::Clause) };
    if gap.node.object().is_none() {
        return Err(gap.node.error("[span_gap] query malformed, no start_object after query name"));
    }
    let (field, width) = read_gap(gap.node)?;
    match node.fields().nth(1) {
        Some(second) => {
            let reason = "[span_gap] malformed query, expected [END_OBJECT] but found [FIELD_NAME]";
            Err(node.error_at(second.key_pos, reason))
        }
        None => Ok(Part::Gap { field, width }),
    }
}

/// The field of a gap and how many words wide it is: none if nothing says so.
fn read_gap(node: Node) -> Result<(String, i32)> {
    let (mut name, mut width) = (String::new(), 0);
    for (at, field) in node.fields().enumerate() {
        if at > 0 {
            let reason =
                format!("[span_gap] query doesn't support multiple fields, found [{name}] and [{}]", field.key);
            return Err(field.node.error_at(field.key_pos, reason));
        }
        name = field.key.to_owned();
        match field.node.value {
            Value::Null => {}
            Value::Object(map) if map.is_empty() => return Err(field.node.ends_all_around()),
            // What stands in a list is read in its place.
            Value::Array(_) => {
                for item in field.node.items().filter(|item| !matches!(item.value, Value::Null | Value::Array(_))) {
                    width = item.i32()?;
                }
            }
            _ => width = field.node.i32()?,
        }
    }
    match name.as_str() {
        "" => Err(Error::illegal_argument("[span_gap] field name is null or empty").at(node.end_pos())),
        _ => Ok((name, width)),
    }
}

/// A `span_near` of a gap and nothing else.
#[derive(Debug)]
struct GapAlone;

impl Kind for GapAlone {
    fn plan(&self, _: &PlanContext) -> Result<Plan> {
        Err(null_query())
    }

    fn is_null(&self) -> bool {
        true
    }
}

/// A gap by itself, which nobody can look for.
#[derive(Debug)]
struct SpanGap;

pub fn parse_gap(node: Node) -> Result<Query> {
    read_gap(node)?;
    Ok(Query::new(Common::default(), SpanGap))
}

impl Kind for SpanGap {
    fn plan(&self, _: &PlanContext) -> Result<Plan> {
        let class = "org.opensearch.index.query.SpanNearQueryBuilder$SpanGapQueryBuilder";
        let reason = format!(
            "provided query builder [class {class}] class should inherit from AbstractQueryBuilder, but it doesn't"
        );
        Err(Error::new(ErrorKind::IllegalState, reason))
    }

    /// It passes for a clause, but nothing comes of it.
    fn is_span(&self) -> bool {
        true
    }

    fn span(&self, _: &PlanContext) -> Result<Span> {
        Err(Error::without_reason(ErrorKind::UnsupportedOperation))
    }
}

impl Kind for SpanNear {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        match self.parts.as_slice() {
            [Part::Clause(one)] => one.plan(cx),
            _ => self.span(cx).map(Plan::custom),
        }
    }

    fn children(&self) -> Vec<&Query> {
        fn clause(part: &Part) -> Option<&Query> {
            match part {
                Part::Gap { .. } => None,
                Part::Clause(query) => Some(query),
            }
        }
        self.parts.iter().filter_map(clause).collect()
    }

    fn is_span(&self) -> bool {
        true
    }

    fn is_sliced(&self) -> bool {
        true
    }

    fn span(&self, cx: &PlanContext) -> Result<Span> {
        let mut clauses: Vec<Span> = vec![];
        for part in &self.parts {
            let first = clauses.first().and_then(Span::field);
            clauses.push(match part {
                Part::Gap { field, .. } if first.is_some_and(|first| **first != **field) => {
                    return Err(Error::illegal_argument("[span_near] clauses must have same field"));
                }
                Part::Gap { field, width } if self.in_order => {
                    Span::Gap { field: field.as_str().into(), width: *width }
                }
                Part::Gap { .. } => {
                    return Err(Error::illegal_argument("Gaps can only be added to ordered near queries"));
                }
                Part::Clause(query) => {
                    let span = query.kind.span(cx)?;
                    check_beside(first, &span)?;
                    span
                }
            });
        }
        if clauses.len() == 1 {
            return Ok(clauses.remove(0));
        }
        if clauses.iter().all(|clause| matches!(clause, Span::Gap { .. })) {
            // Gaps are anywhere in any document; the reference looks for their last place without end.
            return Err(Error::illegal_argument("[span_near] needs a clause that is not a span_gap"));
        }
        Ok(Span::Near { clauses, slop: self.slop, in_order: self.in_order })
    }
}

/// Refuses a clause that stands in another field than the first.
fn check_beside(first: Option<&Arc<str>>, span: &Span) -> Result<()> {
    match first.zip(span.field()) {
        Some((first, field)) if first != field => {
            // A pattern is named as it was asked, whatever it comes to.
            let text = match span {
                Span::Multi { text, .. } if text != INNER_NONE => format!("SpanMultiTermQueryWrapper({text})"),
                span => span.to_string(),
            };
            let reason = format!("Cannot add clause {text} to SpanNearQuery for field {first}");
            Err(Error::illegal_argument(reason))
        }
        _ => Ok(()),
    }
}

#[derive(Debug)]
struct SpanOr {
    clauses: Vec<Query>,
}

pub fn parse_or(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut clauses = vec![];
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("clauses", Value::Array(_)) => {
                clauses = super::clauses(field.node, "span_or")?;
            }
            (key, Value::Array(_)) => return Err(unsupported(field.node, "span_or", key)),
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, "span_or", key)),
        }
    }
    if clauses.is_empty() {
        return Err(node.error_at_end("span_or must include [clauses]"));
    }
    Ok(Query::new(common, SpanOr { clauses }))
}

impl Kind for SpanOr {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.span(cx).map(Plan::custom)
    }

    fn children(&self) -> Vec<&Query> {
        self.clauses.iter().collect()
    }

    fn is_span(&self) -> bool {
        true
    }

    fn span(&self, cx: &PlanContext) -> Result<Span> {
        let clauses = spans(&self.clauses, cx)?;
        check_fields(&clauses)?;
        Ok(Span::Or(clauses))
    }
}
