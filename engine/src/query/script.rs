//! `script` and `script_score`: queries by scripts.

use super::declared::{Declared, NUMERIC, OBJECT, STRING, unbuildable};
use super::node::{Common, Node, check_boost, unsupported};
use super::table::parse_node;
use super::{Kind, PlanContext, Query, fields};
use crate::deprecated::{note, note_renamed};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::score::{BoundScript, MappingRef, Plan, ScriptFilter, ScriptScore, SnapshotRef};
use crate::script::{Script, context};
use std::sync::Arc;

/// A script for the documents of a shard.
pub fn bind(script: &Arc<Script>, cx: &PlanContext) -> BoundScript {
    let (mapping, index) = (MappingRef(cx.mapping.clone()), cx.index.clone());
    let salt = super::function_score::salt(cx);
    let snapshot = SnapshotRef(cx.snapshot.clone());
    BoundScript { script: script.clone(), mapping, snapshot, index, salt, now_ms: cx.dates.now_ms }
}

const SCRIPT: Declared = Declared {
    name: "script",
    fields: &[
        ("source", OBJECT | STRING),
        ("inline", OBJECT | STRING),
        ("id", STRING),
        ("stored", STRING),
        ("lang", STRING),
        ("options", OBJECT),
        ("params", OBJECT),
    ],
};

/// The names that `did you mean` knows.
const SCRIPT_NAMES: Declared = Declared {
    name: "script",
    fields: &[("source", OBJECT), ("id", OBJECT), ("lang", OBJECT), ("options", OBJECT), ("params", OBJECT)],
};

/// A script of a request, whose errors tell where they are.
pub fn script_of(node: Node) -> Result<Arc<Script>> {
    if matches!(node.value, Value::String(_)) {
        return Script::parse(node.value);
    }
    SCRIPT.check_next_object(node)?;
    let mut source = false;
    for field in node.fields() {
        match SCRIPT.fields.iter().any(|(name, _)| *name == field.key) {
            true => SCRIPT.check(&field)?,
            false => SCRIPT_NAMES.check(&field)?,
        }
        if let Some((old, new)) = [("inline", "source"), ("stored", "id")].iter().find(|(old, _)| *old == field.key) {
            let at = node.location(field.node.pos());
            note_renamed(&format!("[script]{at}"), old, new);
        }
        if matches!(field.key, "source" | "inline" | "id" | "stored") {
            if source {
                let cause = Error::illegal_argument("must only use one of [source, id] when specifying a script");
                return SCRIPT.read(&field, |node| Err(cause.at(node.pos())));
            }
            source = true;
        }
    }
    Script::parse(node.value).map_err(|error| error.at(node.end_pos()))
}

/// The same where a reader of objects takes whatever comes for a script: one in a list is read, and so is what stands behind the
/// list, which never is one.
pub fn document_script_or_list(node: Node, kind: &str) -> Result<Arc<Script>> {
    if !matches!(node.value, Value::Array(_)) {
        return document_script_of(node, kind);
    }
    SCRIPT.check_next_object(node)?;
    for item in node.items() {
        if matches!(item.value, Value::String(_)) || SCRIPT.check_next_object(item)? {
            document_script_of(item, kind)?;
        }
    }
    Err(SCRIPT.expected_object(node, node.behind()))
}

/// A script of a request that reads documents, of this kind.
pub fn document_script_of(node: Node, kind: &str) -> Result<Arc<Script>> {
    let script = script_of(node)?;
    for name in ["doc", "_doc"] {
        if [format!("params.{name}"), format!("params['{name}']")].iter().any(|used| uses(&script.source, used)) {
            note(format!(
                "Accessing variable [doc] via [params.{name}] from within an {kind} is deprecated in favor of directly accessing [doc]."
            ));
        }
    }
    Ok(script)
}

/// Whether `used` stands in a script, and is not the beginning of a longer name.
fn uses(source: &str, used: &str) -> bool {
    source.match_indices(used).any(|(at, _)| {
        let next = source[at + used.len()..].chars().next();
        used.ends_with(']') || !next.is_some_and(|next| next == '_' || next.is_alphanumeric())
    })
}

#[derive(Debug)]
struct Filter {
    script: Arc<Script>,
    name: Option<String>,
}

pub fn parse_filter(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut script = None;
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("script", Value::Object(_)) => script = Some(script_of(field.node)?),
            (_, Value::Array(_)) => {
                let what = "[script] query does not support an array of scripts. Use a bool query with a clause per script instead.";
                return Err(field.node.error(what));
            }
            (key, Value::Object(_) | Value::Null) => return Err(unsupported(field.node, "script", key)),
            ("script", _) => script = Some(script_of(field.node)?),
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, "script", key)),
        }
    }
    match script {
        Some(script) => {
            let name = common.name.clone();
            Ok(Query::new(common, Filter { script, name }))
        }
        None => Err(node.error_at_end("script must be provided with a [script] filter")),
    }
}

impl Kind for Filter {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        cx.check_expensive("[script] queries", "")?;
        self.script.check(&context::FILTER, cx.mapping)?;
        Ok(Plan::custom(ScriptFilter { script: bind(&self.script, cx), name: self.name.clone() }))
    }
}

#[derive(Debug)]
struct Score {
    query: Query,
    script: Arc<Script>,
    min_score: Option<f32>,
}

const SCORE: Declared = Declared {
    name: "script_score",
    fields: &[("query", OBJECT), ("script", OBJECT), ("min_score", NUMERIC), ("boost", NUMERIC), ("_name", STRING)],
};

pub fn parse_score(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut query, mut script, mut min_score) = (None, None, None);
    for field in node.fields() {
        match field.key {
            "query" => query = Some(SCORE.read(&field, parse_node)?),
            "script" => script = Some(SCORE.read(&field, |node| document_script_of(node, "score-script"))?),
            "min_score" => min_score = Some(SCORE.read(&field, |node| node.f32())?),
            _ => SCORE.take_common(&field, &mut common)?,
        }
    }
    let missing = |what: &str| Err(Error::illegal_argument(format!("Required [{what}]")));
    match (query, script) {
        (Some(query), Some(script)) => {
            check_boost(common.boost).map_err(|cause| unbuildable("script_score", cause))?;
            Ok(Query::new(common, Score { query, script, min_score }))
        }
        (None, None) => missing("query, script"),
        (None, _) => missing("query"),
        _ => missing("script"),
    }
}

impl Kind for Score {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        cx.check_expensive("[script score] queries", "")?;
        let query = match self.query.plan(cx) {
            Ok(none) if fields::is_rewritten_to_none(&none) => return Ok(none),
            planned => planned,
        };
        // What does not compile comes before what the shard refuses of the query.
        self.script.check(&context::SCORE, cx.mapping)?;
        let query = query?;
        let (script, name) = (bind(&self.script, cx), self.query.name.clone());
        Ok(Plan::custom(ScriptScore { query, name, script, min_score: self.min_score }))
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        self.query.can_match(cx)
    }

    fn children(&self) -> Vec<&Query> {
        vec![&self.query]
    }
}
