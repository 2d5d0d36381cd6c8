//! `wrapper`: a query as base64 text.

use super::node::{Node, Source};
use super::table::parse_node;
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::json::{Map, Value, base64, check_begins_object};
use crate::score::Plan;

#[derive(Debug)]
struct Wrapper {
    /// What its text says, once asked for: the reference reads it when it rewrites the request.
    inner: Result<Query>,
}

pub fn parse(node: Node) -> Result<Query> {
    let Some(field) = node.fields().next() else {
        return Err(node.error_at(node.end_pos(), "[wrapper] query malformed"));
    };
    if field.key != "query" {
        let reason = format!("[wrapper] query malformed, expected `query` but was {}", field.key);
        return Err(field.node.error_at(field.key_pos, reason));
    }
    let Value::String(text) = field.node.value else { return Err(not_binary(field.node)) };
    if let Some(second) = node.fields().nth(1) {
        let reason = "[wrapper] malformed query, expected [END_OBJECT] but found [FIELD_NAME]";
        return Err(node.error_at(second.key_pos, reason));
    }
    let pos = field.node.pos();
    let body = base64::decode(text).map_err(|wrong| wrong.error(pos as usize + 1).at(pos))?;
    if body.is_empty() {
        return Err(Error::illegal_argument("query source text cannot be null or empty"));
    }
    let read = || {
        check_begins_object(&body)?;
        let value = crate::json::parse_declared(&body, super::declares)?;
        parse_node(Node::root(&value, &Source::new(&body).within(&node)))
    };
    let inner = read();
    if inner.is_err() {
        super::template::note_used();
    }
    Ok(Query { boost: 1.0, name: None, kind: std::sync::Arc::new(Wrapper { inner }) })
}

/// The error of a value that is no text.
fn not_binary(node: Node) -> Error {
    let token = match node.value {
        Value::Bool(true) => "VALUE_TRUE",
        Value::Bool(false) => "VALUE_FALSE",
        Value::Float(_) => "VALUE_NUMBER_FLOAT",
        Value::Int(_) | Value::UInt(_) | Value::BigInt(_) => "VALUE_NUMBER_INT",
        _ => node.token(),
    };
    let is_nest = matches!(node.value, Value::Object(_) | Value::Array(_));
    let end = if is_nest { node.pos() } else { node.end_pos() } as usize + 1;
    crate::json::not_binary(token, end).at(node.pos())
}

impl Kind for Wrapper {
    fn is_replaced(&self) -> bool {
        true
    }

    fn fill(&self, _: &Map) -> Result<()> {
        self.inner.as_ref().map(drop).map_err(Error::clone)
    }

    fn is_null_on(&self, cx: &PlanContext) -> bool {
        self.inner.as_ref().is_ok_and(|query| query.kind.is_null_on(cx))
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.inner.as_ref().map_err(Error::clone)?.plan(cx)
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        self.inner.as_ref().map_or(true, |query| query.can_match(cx))
    }

    fn is_match_all(&self) -> bool {
        self.inner.as_ref().is_ok_and(Query::is_match_all)
    }

    fn children(&self) -> Vec<&Query> {
        self.inner.iter().collect()
    }

    fn is_sliced(&self) -> bool {
        self.inner.as_ref().is_ok_and(Query::is_sliced)
    }
}
