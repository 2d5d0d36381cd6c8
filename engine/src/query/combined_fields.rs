//! `combined_fields`: the terms of a text in several fields that count as one.

use super::minimum_should_match::minimum;
use super::multi_match::{field_and_boost, resolve};
use super::node::{Common, Node};
use super::text::{Operator, analyze};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::Family;
use crate::score::{self, BoolPlan, Plan};
use std::sync::Arc;

#[derive(Debug)]
struct CombinedFields {
    query: Value,
    fields: Vec<(String, f32)>,
    operator: Operator,
    minimum_should_match: Option<String>,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut query, mut fields, mut operator, mut minimum_should_match) = (None, vec![], Operator::Or, None);
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("query", _) => query = Some(field.node.value.clone()),
            ("fields", Value::Array(_) | Value::String(_)) => {
                for item in field.node.items_or_self() {
                    fields.push(field_and_boost(&item.text()?)?);
                }
            }
            ("operator", _) => operator = Operator::parse(field.node)?,
            ("minimum_should_match", _) => minimum_should_match = Some(field.node.text()?),
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => {
                let at = node.location(field.key_pos);
                let reason = format!("{at} [combined_fields] unknown field [{key}]");
                return Err(Error::new(ErrorKind::XContentParse, reason));
            }
        }
    }
    let query = query.ok_or_else(|| Error::illegal_argument("Required [query]"))?;
    if fields.is_empty() {
        return Err(Error::illegal_argument("In [combined_fields] query, at least one field must be specified"));
    }
    for (name, boost) in &fields {
        if *boost < 1.0 {
            return Err(Error::illegal_argument(format!(
                "[combined_fields] requires field boosts to be >= 1.0, but [{name}] has [{}]",
                score::float_text(*boost)
            )));
        }
    }
    Ok(Query::new(common, CombinedFields { query, fields, operator, minimum_should_match }))
}

impl Kind for CombinedFields {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let (resolved, _) = resolve(cx, &self.fields);
        super::bool_query::check_clauses(cx, resolved.len())?;
        let mut fields: Vec<(Arc<str>, f32)> = vec![];
        let mut analyzer = None;
        for (name, boost) in resolved {
            let Some(field) = cx.field(&name) else { continue };
            if field.family() != Family::Text {
                return Err(Error::illegal_argument(format!(
                    "Field [{name}] of type [{}] does not support [combined_fields] queries",
                    field.type_name
                )));
            }
            let own = field.search_analyzer();
            match (&analyzer, own) {
                (None, own) => analyzer = own.cloned(),
                (Some(first), Some(own)) if first.name() != own.name() => {
                    return Err(Error::illegal_argument(
                        "All fields in [combined_fields] query must have the same search analyzer",
                    ));
                }
                _ => {}
            }
            fields.push((name, boost));
        }
        let Some(analyzer) = analyzer else { return Ok(Plan::nothing("no mappings found")) };
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        let mut clauses: Vec<Plan> = (analyze(&analyzer, &self.query.to_text()).0.into_iter())
            .map(|(_, terms)| {
                let terms = terms.into_iter().map(String::into_bytes).collect();
                Plan::custom(score::CombinedFields { fields: fields.clone(), terms })
            })
            .collect();
        match clauses.len() {
            0 => return Ok(Plan::nothing("no terms")),
            1 => return Ok(clauses.remove(0)),
            _ => super::bool_query::check_clauses(cx, clauses.len())?,
        }
        if self.operator == Operator::And {
            return Ok(Plan::Bool(BoolPlan { must: clauses, ..BoolPlan::default() }));
        }
        let minimum_should_match = match &self.minimum_should_match {
            Some(spec) => minimum(clauses.len(), spec)?,
            None => 0,
        };
        Ok(Plan::Bool(BoolPlan { should: clauses, minimum_should_match, ..BoolPlan::default() }))
    }
}
