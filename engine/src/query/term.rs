//! `term`: documents with one exact value.

use super::as_mapped::of_values;
use super::node::{Common, Field, Node, check_name, multiple_fields, unsupported};
use super::pattern::{CaseInsensitive, automaton_text};
use super::range::as_asked;
use super::{Kind, PlanContext, Query, Sought, SoughtValues};
use super::{can_match, fields, one_value};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::Family;
use crate::score::{MultiTerm, Plan, TermSet};
use std::sync::Arc;

#[derive(Debug)]
struct Term {
    field: String,
    value: Value,
    case_insensitive: bool,
}

/// A term query made by code.
pub fn term(field: &str, value: Value) -> Query {
    Query::new(Common::default(), Term { field: field.to_owned(), value, case_insensitive: false })
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut found: Option<(String, Value)> = None;
    let mut case_insensitive = false;
    for field in node.fields() {
        if let (Some((first, _)), Value::Object(_)) = (&found, field.node.value) {
            return Err(multiple_fields(field.node, "term", first, field.key));
        }
        match field.node.value {
            Value::Object(_) => {
                let mut value = Value::Null;
                let mut inners = field.node.fields().peekable();
                while let Some(inner) = inners.next() {
                    match inner.key {
                        "term" | "value" => {
                            let is_empty = inner.node.object().is_some_and(|map| map.entries.is_empty());
                            if let (true, Some(next)) = (is_empty, inners.peek()) {
                                // To the reader the object around it has ended as well.
                                return Err(multiple_fields(next.node, "term", field.key, next.key));
                            }
                            value = scalar(&inner)?;
                        }
                        "case_insensitive" => case_insensitive = inner.node.bool()?,
                        key if common.take(key, inner.node)? => {}
                        key => return Err(unsupported(inner.node, "term", key)),
                    }
                }
                found = Some((field.key.to_owned(), value));
            }
            Value::Array(_) => return Err(field.node.error("[term] query does not support array of values")),
            Value::Null => {}
            _ => {
                if let Some((first, _)) = &found {
                    return Err(multiple_fields(field.node, "term", first, field.key));
                }
                found = Some((field.key.to_owned(), field.node.value.clone()));
            }
        }
    }
    let Some((field, value)) = found else {
        return Err(Error::illegal_argument("field name is null or empty"));
    };
    check_name(&field)?;
    if value.is_null() {
        return Err(Error::illegal_argument("value cannot be null"));
    }
    Ok(Query::new(common, Term { field, value: as_asked(&value), case_insensitive }))
}

fn scalar(field: &Field) -> Result<Value> {
    match field.node.value {
        // What the reader sees last of a list is taken for the value.
        Value::Array(_) => Ok(Value::String("]".to_owned())),
        Value::Object(_) => match field.node.fields().next() {
            Some(first) => Err(unsupported(first.node, "term", first.key)),
            None => Err(field.node.ends_all_around().unclosed_at(field.node.pos(), true)),
        },
        value => Ok(value.clone()),
    }
}

impl Kind for Term {
    fn sought(&self) -> Option<Sought<'_>> {
        let values = SoughtValues::Terms(vec![self.value.to_text()]);
        Some(Sought { field: &self.field, values })
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = cx.field(&self.field) else {
            return Ok(fields::rewritten_to_none());
        };
        let pattern = field.family() == Family::Index || self.case_insensitive;
        if let (true, Some(plan)) = (pattern, one_value::plan(cx, field, &self.value.to_text(), self.case_insensitive))
        {
            return Ok(plan);
        }
        if !self.case_insensitive {
            // Texts, and numbers beyond 64 bits, are their bytes.
            let found = match &self.value {
                Value::String(_) | Value::UInt(_) | Value::BigInt(_) if field.number_kind().is_some() => {
                    fields::text_term(cx, field, &self.value)?
                }
                value => fields::term(cx, field, value)?,
            };
            return Ok(one_value::rewritten(field, found));
        }
        let text = match field.family() {
            // The term that stands for the value, in whichever case.
            Family::Boolean => match fields::term(cx, field, &self.value)? {
                Plan::Term { term, .. } => String::from_utf8_lossy(&term).into_owned(),
                plan => return Ok(plan),
            },
            Family::Text | Family::Keyword | Family::Join | Family::Id => self.value.to_text(),
            Family::FieldNames => self.value.to_text(),
            _ if fields::has_strings(field) => self.value.to_text(),
            _ => {
                return Err(cx.error(format!(
                    "[{}] field which is of type [{}], does not support case insensitive term queries",
                    field.name, field.type_name
                )));
            }
        };
        let text = fields::indexed_text(field, &text);
        let set = match field.family() {
            // Ids are terms in a form of their own, which no text is one of.
            Family::Id => TermSet::Terms(vec![]),
            _ => TermSet::Pattern(Arc::new(CaseInsensitive::literal(&text))),
        };
        let text = match field.type_name {
            "wildcard" => format!("WildcardMatchingQuery({}:\"{}\")", field.name, fields::without_wildcards(&text)),
            _ => automaton_text(&field.name, &text),
        };
        let terms = MultiTerm { field: field.name.clone(), set, text };
        let boost = if field.scores_alike() { 1.0 } else { field.boost };
        let plan = of_values(field, terms).boosted(boost);
        Ok(if field.type_name == "match_only_text" { plan.constant() } else { plan })
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        can_match::term(self.plan(cx))
    }

    fn is_replaced_on_shard(&self, cx: &PlanContext) -> bool {
        one_value::is_decided(cx, &self.field)
    }
}
