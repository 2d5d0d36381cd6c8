//! `span_term`: a term and where it stands.

use crate::error::{Error, Result};
use crate::json::Value;
use crate::query::node::{Common, Node, check_name, multiple_fields, multiple_fields_at, unsupported};
use crate::query::{Kind, PlanContext, Query, fields};
use crate::score::Plan;
use crate::score::spans::Span;

#[derive(Debug)]
struct SpanTerm {
    field: String,
    value: Value,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut found: Option<(String, Option<Value>)> = None;
    for field in node.fields() {
        if let Some((first, _)) = &found {
            return Err(multiple_fields(field.node, "span_term", first, field.key));
        }
        let Value::Object(_) = field.node.value else {
            if let Value::Array(_) = field.node.value {
                // What follows the bracket is what the reader has then: a value, an object under the name of the field, or the end.
                let is_value = |item: Node| !matches!(item.value, Value::Object(_));
                let second = if field.node.items().next().is_some_and(is_value) { "null" } else { field.key };
                return Err(multiple_fields_at(field.node, "span_term", field.key, second));
            }
            found = Some((field.key.to_owned(), (!field.node.value.is_null()).then(|| field.node.value.clone())));
            continue;
        };
        let mut value = None;
        for inner in field.node.fields() {
            match inner.key {
                "term" | "value" => {
                    // What stands in an object is read beside it.
                    if let Some(own) =
                        inner.node.fields().find(|own| !matches!(own.key, "term" | "value" | "boost" | "_name"))
                    {
                        return Err(unsupported(own.node, "span_term", own.key));
                    }
                    value = (!inner.node.value.is_null()).then(|| term_of(inner.node));
                }
                key if common.take(key, inner.node)? => {}
                key => return Err(unsupported(inner.node, "span_term", key)),
            }
        }
        found = Some((field.key.to_owned(), value));
    }
    let (field, value) = found.ok_or_else(|| Error::illegal_argument("field name is null or empty"))?;
    check_name(&field)?;
    let value = value.ok_or_else(|| Error::illegal_argument("value cannot be null"))?;
    Ok(Query::new(common, SpanTerm { field, value }))
}

/// The value of a term. Of what is none the reference takes the sign that it read last: that of the end of a list, and of the
/// beginning of an object.
fn term_of(node: Node) -> Value {
    match node.value {
        Value::Array(_) => Value::from("]"),
        Value::Object(_) => Value::from("{"),
        value => value.clone(),
    }
}

impl Kind for SpanTerm {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.span(cx).map(Plan::custom)
    }

    fn is_span(&self) -> bool {
        true
    }

    fn is_sliced(&self) -> bool {
        true
    }

    fn span(&self, cx: &PlanContext) -> Result<Span> {
        let Some(field) = cx.field(&self.field) else {
            return Ok(Span::Term { field: self.field.as_str().into(), term: self.value.to_text().into_bytes() });
        };
        let mut plan = fields::term(cx, field, &self.value)?;
        while let Plan::Boost(inner, _) = plan {
            plan = *inner;
        }
        // Nobody has rewritten it: it is asked of the field right away.
        if fields::is_rewritten_to_none(&plan) {
            plan = Plan::nothing("");
        }
        // What stands within that is not looked into further.
        if let Plan::Constant(inner) = plan {
            plan = *inner;
        }
        match plan {
            Plan::Term { field, term } => Ok(Span::Term { field, term }),
            plan => Err(Error::illegal_argument(format!(
                "Cannot extract a term from a query of type class {}: {plan}",
                class_of(&plan)
            ))),
        }
    }
}

/// What the reference calls a query that is for no term, by its text where that begins so.
fn class_of(plan: &Plan) -> &'static str {
    const CLASSES: [(&str, &str); 5] = [
        ("IndexOrDocValuesQuery(", "org.apache.lucene.search.IndexOrDocValuesQuery"),
        ("ApproximateScoreQuery(", "org.opensearch.search.approximate.ApproximateScoreQuery"),
        ("WildcardMatchingQuery(", "org.opensearch.index.mapper.WildcardFieldMapper$WildcardMatchingQuery"),
        ("MatchNoDocsQuery(", "org.apache.lucene.search.MatchNoDocsQuery"),
        ("*:*", "org.apache.lucene.search.MatchAllDocsQuery"),
    ];
    let text = plan.to_string();
    let named = CLASSES.iter().find(|(begin, _)| text.starts_with(begin));
    match (named, plan) {
        (Some((_, class)), _) => class,
        (None, Plan::Boost(..)) => "org.apache.lucene.search.BoostQuery",
        (None, Plan::MultiTerm(_)) => "org.apache.lucene.document.SortedSetDocValuesRangeQuery",
        (None, Plan::Points(_)) => "org.apache.lucene.document.SortedNumericDocValuesRangeQuery",
        (None, _) => "org.apache.lucene.search.Query",
    }
}
