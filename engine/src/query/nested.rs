//! `nested`: documents some nested object of which matches a query.

use super::node::{Common, Node, unsupported};
use super::{Behind, Inner, InnerQuery, Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::Mapping;
use crate::score::{BlockJoin, BoolPlan, JoinScore, MultiTerm, Plan, TermSet};
use crate::search::InnerHits;
use std::sync::Arc;

#[derive(Debug)]
struct Nested {
    path: String,
    query: Query,
    score: JoinScore,
    ignore_unmapped: bool,
    inner: Option<InnerHits>,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut inner = None;
    let (mut path, mut query, mut score, mut ignore_unmapped) = (None, None, JoinScore::Avg, false);
    for field in node.fields_in_lists() {
        let is_object = matches!(field.node.value, Value::Object(_));
        match field.key {
            "query" if is_object => query = Some(super::parse_node(field.node)?),
            "inner_hits" if is_object => inner = Some(InnerHits::parse(field.node)?),
            key if is_object => return Err(unsupported(field.node, "nested", key)),
            _ if field.node.value.is_null() => {}
            "path" => path = Some(field.node.text()?),
            "score_mode" => score = read_score_mode(&field.node.text()?).map_err(|error| error.at(field.node.pos()))?,
            "ignore_unmapped" => ignore_unmapped = field.node.bool()?,
            key if common.take(key, field.node)? => {}
            key => return Err(unsupported(field.node, "nested", key)),
        }
    }
    let path = path.ok_or_else(|| Error::illegal_argument("[nested] requires 'path' field"))?;
    let query = query.ok_or_else(|| Error::illegal_argument("[nested] requires 'query' field"))?;
    Ok(Query::new(common, Nested { path, query, score, ignore_unmapped, inner }))
}

/// How the scores of nested or child documents become one.
pub fn read_score_mode(name: &str) -> Result<JoinScore> {
    Ok(match name {
        "none" => JoinScore::None,
        "avg" => JoinScore::Avg,
        "max" => JoinScore::Max,
        "min" => JoinScore::Min,
        "sum" => JoinScore::Total,
        other => return Err(Error::illegal_argument(format!("No score mode for child query [{other}] found"))),
    })
}

/// Only documents nested under `path`, where the plan might match others.
pub fn within_path(cx: &PlanContext, plan: Plan, path: &str) -> Plan {
    if !super::nested_scope::might_match_others(&plan, cx.mapping, path) {
        return plan;
    }
    Plan::Bool(BoolPlan { must: vec![plan], filter: vec![of_path(path)], ..BoolPlan::default() })
}

/// All documents nested under `path`.
pub fn of_path(path: &str) -> Plan {
    let set = TermSet::Terms(vec![path.as_bytes().to_vec()]);
    Plan::MultiTerm(MultiTerm { field: "_nested_path".into(), set, text: format!("_nested_path:{path}") })
}

/// Why nothing is nested under `path`.
pub(crate) fn not_nested(mapping: &Mapping, path: &str) -> String {
    match !path.is_empty() && mapping.is_object(path) {
        true => format!("[nested] nested object under path [{path}] is not of nested type"),
        false => format!("[nested] failed to find nested object under path [{path}]"),
    }
}

impl Kind for Nested {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        cx.check_expensive("[joining] queries", "")?;
        if cx.mapping.nested_object(&self.path).is_none() {
            if self.ignore_unmapped {
                return Ok(Plan::nothing(""));
            }
            return Err(Error::new(ErrorKind::IllegalState, not_nested(cx.mapping, &self.path)));
        }
        let inner = self.query.plan_or(&cx.within(&self.path), Plan::All.boosted(0.0))?;
        Ok(Plan::custom(BlockJoin {
            child: within_path(cx, inner, &self.path),
            path: self.path.as_str().into(),
            parent: cx.nested_path.map(Arc::from),
            score: self.score,
        }))
    }

    fn children(&self) -> Vec<&Query> {
        vec![&self.query]
    }

    fn inner(&self) -> Inner<'_> {
        InnerQuery::of(self.inner.as_ref(), &self.query, Behind::Nested(&self.path))
    }

    fn nested_path(&self) -> Option<&str> {
        Some(&self.path)
    }
}
