//! `span_term`: a term and where it stands.

use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::Exact;
use crate::query::node::{Common, Node, multiple_fields, multiple_fields_at, unsupported};
use crate::query::{Kind, PlanContext, Query};
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
                let second = if field.node.items().next().is_some() { "null" } else { field.key };
                return Err(multiple_fields_at(field.node, "span_term", field.key, second));
            }
            found = Some((field.key.to_owned(), (!field.node.value.is_null()).then(|| field.node.value.clone())));
            continue;
        };
        let mut value = None;
        for inner in field.node.fields() {
            match inner.key {
                "term" | "value" => {
                    inner.node.text()?;
                    value = Some(inner.node.value.clone());
                }
                key if common.take(key, inner.node)? => {}
                key => return Err(unsupported(inner.node, "span_term", key)),
            }
        }
        found = Some((field.key.to_owned(), value));
    }
    let (field, value) = found.ok_or_else(|| Error::illegal_argument("field name is null or empty"))?;
    let value = value.ok_or_else(|| Error::illegal_argument("value cannot be null"))?;
    Ok(Query::new(common, SpanTerm { field, value }))
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
        match field.term(&self.value, &cx.dates)? {
            Exact::Bytes(term) => Ok(Span::Term { field: field.name.clone(), term }),
            _ => Err(Error::illegal_argument(format!(
                "Cannot extract a term from a query of type class for field [{}] of type [{}]",
                field.name, field.type_name
            ))),
        }
    }
}
