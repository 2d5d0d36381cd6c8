//! `_cluster/reroute`: moving shards by hand.

use super::super::indices::expected_object;
use super::super::targets::{TIMEOUTS, manager_timeout_ms};
use super::super::{ApiRequest, Method, Reply, Route};
use super::reroute_commands::Command;
use super::state::write_parts;
use crate::cluster::{IndexMeta, Node, State};
use crate::coordinate::Core;
use pith_engine::json::{self, Entry, Value, Writer, line_col};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Post,
    path: "/_cluster/reroute",
    name: "cluster_reroute_action",
    params: &[TIMEOUTS, &["dry_run", "explain", "retry_failed", "metric", "flat_settings?"]],
    handler: |core, request| Box::pin(reroute(core, request)),
}];

/// What is shown of the state unless something else is asked for: all but the metadata.
const DEFAULT_METRICS: &[&str] =
    &["version", "master_node", "cluster_manager_node", "blocks", "nodes", "routing_table", "routing_nodes"];

const COMMANDS: &[&str] = &["move", "cancel", "allocate_replica", "allocate_stale_primary", "allocate_empty_primary"];

async fn reroute(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    request.time_ms_opt("timeout")?;
    // There is one node, so no command moves anything: each is checked, and what is decided about it can be told. A failed shard
    // is tried again when its index is opened, not by hand.
    for name in ["dry_run", "retry_failed"] {
        request.flag(name, false)?;
    }
    let explain = request.flag("explain", false)?;
    let state = core.state();
    let mut explanations = Writer::new();
    explanations.begin_array();
    if let Some(body) = request.body_opt()? {
        check_commands(&state, &body, explain.then_some(&mut explanations))?;
    }
    explanations.end_array();
    let indexes: Vec<Arc<IndexMeta>> = state.indices.values().cloned().collect();
    let asked = request.list("metric");
    let metrics = if asked.is_empty() { DEFAULT_METRICS.to_vec() } else { asked };
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(true);
    w.key("state").begin_object().key("cluster_uuid").string(&state.cluster_uuid);
    write_parts(&state, &indexes, &metrics, false, &mut w);
    w.end_object();
    if explain {
        w.key("explanations").raw(&explanations.finish());
    }
    w.end_object();
    Ok(Reply::ok(w))
}

/// The error of commands that cannot be read, at a place in the body.
#[cold]
fn failed(body: &[u8], pos: u32, cause: Error) -> Error {
    let (line, col) = line_col(body, pos);
    let reason = format!("[{line}:{col}] [cluster_reroute] failed to parse field [commands]");
    Error::new(ErrorKind::XContentParse, reason).with_root_causes(vec![cause.clone()]).caused_by(cause)
}

/// Checks all commands. What is decided about each goes to `explanations`; where nobody asks for them, the first one that cannot be
/// carried out is an error.
fn check_commands(state: &State, body: &[u8], mut explanations: Option<&mut Writer>) -> Result<()> {
    let whole = json::parse(body)?;
    let Value::Object(map) = &whole else { return Err(expected_object("cluster_reroute", &whole)) };
    for entry in &map.entries {
        let at = |entry: &Entry| line_col(body, entry.key_pos);
        let (line, col) = at(entry);
        let commands = match (entry.key.as_str(), &entry.value) {
            ("commands", Value::Array(commands)) => commands,
            ("dry_run", Value::Bool(_)) => continue,
            ("commands", value) => {
                let token = value.token();
                let cause = Error::new(
                    ErrorKind::Parse,
                    format!("expected either field name [commands], or start array, got [{token}] instead"),
                );
                return Err(failed(body, entry.value_pos, cause));
            }
            (name, _) => {
                let reason = format!("[{line}:{col}] [cluster_reroute] unknown field [{name}]");
                return Err(Error::new(ErrorKind::XContentParse, reason));
            }
        };
        for command in commands.iter().filter_map(Value::as_object).flat_map(|map| &map.entries) {
            if !COMMANDS.contains(&command.key.as_str()) {
                let (line, col) = line_col(body, command.value_pos);
                let reason = format!("[{line}:{col}] unknown field [{}]", command.key);
                return Err(failed(body, command.value_pos, Error::new(ErrorKind::NamedObjectNotFound, reason)));
            }
            check_command(state, body, command, explanations.as_deref_mut())?;
        }
    }
    Ok(())
}

/// The node of a name or an id; it is an error if there is none.
pub fn find_node<'a>(state: &'a State, node: &str) -> Result<&'a Node> {
    let found = state.nodes.values().find(|own| *own.id == *node || own.name == node);
    found
        .map(|node| &**node)
        .ok_or_else(|| Error::illegal_argument(format!("failed to resolve [{node}], no matching nodes")))
}

fn check_command(state: &State, body: &[u8], entry: &Entry, explanations: Option<&mut Writer>) -> Result<()> {
    let kind = entry.key.as_str();
    let mut parameters = vec![];
    let mut needed = |name: &'static str| {
        let value = entry.value.get(name).ok_or_else(|| {
            let cause = Error::new(ErrorKind::Parse, format!("[{kind}] command missing the {name} parameter"));
            let length = body.get(entry.value_pos as usize..).map_or(0, json::tokens::value_end);
            failed(body, entry.value_pos + (length as u32).saturating_sub(1), cause)
        })?;
        parameters.push((name, value.clone()));
        Ok::<_, Error>(value.to_text())
    };
    let (name, shard) = (needed("index")?, needed("shard")?);
    let (node, to) = match kind {
        "move" => (needed("from_node")?, Some(needed("to_node")?)),
        _ => (needed("node")?, None),
    };
    let flag = match kind {
        "cancel" => Some("allow_primary"),
        "allocate_stale_primary" | "allocate_empty_primary" => Some("accept_data_loss"),
        _ => None,
    };
    let is_set = |name: &str| entry.value.get(name).is_some_and(|value| value.to_text() == "true");
    let set = flag.is_some_and(is_set);
    parameters.extend(flag.map(|name| (name, Value::Bool(set))));
    let node = find_node(state, &node)?;
    let to = to.map(|to| find_node(state, &to)).transpose()?;
    let index = state.index(&name).ok_or_else(|| no_such_index(&name))?;
    let shard = shard.parse::<u32>().unwrap_or(u32::MAX);
    let command = Command { kind, index, shard, node, to, parameters, flag: set };
    match explanations {
        Some(w) => command.write_explained(state, w),
        None => command.refused(state).map_or(Ok(()), Err)?,
    }
    Ok(())
}

/// As where the metadata are asked for an index: nothing was resolved.
fn no_such_index(name: &str) -> Error {
    Error::new(ErrorKind::IndexNotFound, format!("no such index [{name}]"))
        .with("index", name)
        .with("index_uuid", "_na_")
}
