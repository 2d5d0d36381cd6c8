//! `script` and `script_score`: queries by scripts.

use super::node::{Common, Node, unsupported};
use super::table::parse_node;
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::score::{BoundScript, MappingRef, Plan, ScriptFilter, ScriptScore};
use crate::script::{Script, context};
use std::sync::Arc;

/// A script for the documents of a shard.
pub fn bind(script: &Arc<Script>, cx: &PlanContext) -> BoundScript {
    BoundScript { script: script.clone(), mapping: MappingRef(cx.mapping.clone()), now_ms: cx.dates.now_ms }
}

#[derive(Debug)]
struct Filter(Arc<Script>);

pub fn parse_filter(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut script = None;
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("script", Value::Object(_) | Value::String(_)) => script = Some(Script::parse(field.node.value)?),
            (_, Value::Array(_)) => {
                let what = "[script] query does not support an array of scripts. Use a bool query with a clause per script instead.";
                return Err(field.node.error(what));
            }
            (key, Value::Object(_) | Value::Null) => return Err(unsupported(field.node, "script", key)),
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, "script", key)),
        }
    }
    match script {
        Some(script) => Ok(Query::new(common, Filter(script))),
        None => Err(node.error_at_end("script must be provided with a [script] filter")),
    }
}

impl Kind for Filter {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        cx.check_expensive("[script] queries", "")?;
        self.0.program(&context::FILTER)?;
        Ok(Plan::custom(ScriptFilter(bind(&self.0, cx))))
    }
}

#[derive(Debug)]
struct Score {
    query: Query,
    script: Arc<Script>,
    min_score: Option<f32>,
}

pub fn parse_score(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut query, mut script, mut min_score) = (None, None, None);
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("query", Value::Object(_)) => {
                let failed = |error| field.node.failed_field("script_score", "query", error);
                query = Some(parse_node(field.node).map_err(failed)?);
            }
            ("script", Value::Object(_)) => script = Some(Script::parse(field.node.value)?),
            ("script", other) => {
                let (at, token) = (field.node.location(field.node.pos()), other.token());
                let reason = format!("{at} [script_score] script doesn't support values of type: {token}");
                return Err(Error::new(ErrorKind::XContentParse, reason));
            }
            (key, Value::Object(_) | Value::Array(_) | Value::Null) => {
                return Err(unsupported(field.node, "script_score", key));
            }
            ("min_score", _) => min_score = Some(field.node.f32()?),
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, "script_score", key)),
        }
    }
    let missing = |what: &str| node.error_at_end(format!("Required [{what}]"));
    let query = query.ok_or_else(|| missing("query"))?;
    let script = script.ok_or_else(|| missing("script"))?;
    Ok(Query::new(common, Score { query, script, min_score }))
}

impl Kind for Score {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        cx.check_expensive("[script score] queries", "")?;
        let query = self.query.plan(cx)?;
        Ok(Plan::custom(ScriptScore { query, script: bind(&self.script, cx), min_score: self.min_score }))
    }

    fn children(&self) -> Vec<&Query> {
        vec![&self.query]
    }
}
