//! Nodes that are kept out of elections.

use super::{Outcome, State};
use pith_engine::json::{Map, Value};
use std::sync::Arc;

/// What stands for the part of a node that is not known.
pub const ABSENT: &str = "_absent_";

/// One node that is kept out, whether it is there or not.
#[derive(Clone, Debug, PartialEq)]
pub struct VotingExclusion {
    pub node_id: String,
    pub node_name: String,
}

pub fn exclude(state: &mut State, nodes: Vec<VotingExclusion>) -> Outcome {
    let all = Arc::make_mut(&mut state.voting_exclusions);
    for node in nodes {
        if !all.contains(&node) {
            all.push(node);
        }
    }
    Outcome::Done
}

/// Keeps nobody out any more.
pub fn clear(state: &mut State) -> Outcome {
    state.voting_exclusions = Arc::default();
    Outcome::Done
}

/// As it is shown, and kept.
pub fn to_value(nodes: &[VotingExclusion]) -> Value {
    let one = |node: &VotingExclusion| {
        Value::Object(Map::from_iter([
            ("node_id", Value::from(node.node_id.as_str())),
            ("node_name", Value::from(node.node_name.as_str())),
        ]))
    };
    Value::Array(nodes.iter().map(one).collect())
}

/// What [`to_value`] made.
pub fn from_value(value: &Value) -> Vec<VotingExclusion> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        _ => &[],
    };
    let one = |item: &Value| {
        let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(VotingExclusion { node_id: text("node_id")?, node_name: text("node_name")? })
    };
    items.iter().filter_map(one).collect()
}
