//! `_cluster/reroute`: moving shards by hand.

use super::super::indices::expected_object;
use super::super::targets::{TIMEOUTS, manager_timeout_ms};
use super::super::{ApiRequest, Method, Reply, Route};
use super::state::write_parts;
use crate::cluster::{IndexMeta, State};
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
    // There is one node, so no command can move anything: each is checked, and says why. A failed shard is tried again when its
    // index is opened, not by hand.
    for name in ["dry_run", "retry_failed"] {
        request.flag(name, false)?;
    }
    let explain = request.flag("explain", false)?;
    let state = core.state();
    if let Some(body) = request.body_opt()? {
        check_commands(&state, &body)?;
    }
    let indexes: Vec<Arc<IndexMeta>> = state.indices.values().cloned().collect();
    let asked = request.list("metric");
    let metrics = if asked.is_empty() { DEFAULT_METRICS.to_vec() } else { asked };
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(true);
    w.key("state").begin_object().key("cluster_uuid").string(&state.cluster_uuid);
    write_parts(&state, &indexes, &metrics, false, &mut w);
    w.end_object();
    if explain {
        w.key("explanations").begin_array().end_array();
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

fn check_commands(state: &State, body: &[u8]) -> Result<()> {
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
            check_command(state, body, command)?;
        }
    }
    Ok(())
}

/// Refuses the name or id of a node that there is none of.
pub fn check_node(state: &State, node: &str) -> Result<()> {
    if state.nodes.values().any(|own| *own.id == *node || own.name == node) {
        return Ok(());
    }
    Err(Error::illegal_argument(format!("failed to resolve [{node}], no matching nodes")))
}

/// Why a command cannot be carried out.
fn check_command(state: &State, body: &[u8], command: &Entry) -> Result<()> {
    let kind = &command.key;
    let needed = |name: &str| {
        command.value.get(name).map(Value::to_text).ok_or_else(|| {
            let cause = Error::new(ErrorKind::Parse, format!("[{kind}] command missing the {name} parameter"));
            let length = body.get(command.value_pos as usize..).map_or(0, json::tokens::value_end);
            failed(body, command.value_pos + (length as u32).saturating_sub(1), cause)
        })
    };
    let (index, shard) = (needed("index")?, needed("shard")?);
    let nodes = if kind == "move" { vec![needed("from_node")?, needed("to_node")?] } else { vec![needed("node")?] };
    for node in &nodes {
        check_node(state, node)?;
    }
    let found = state.index(&index).ok_or_else(|| Error::index_not_found(&index))?;
    if shard.parse::<u32>().ok().is_none_or(|shard| shard >= found.number_of_shards) {
        return Err(Error::new(ErrorKind::ShardNotFound, "no such shard")
            .with("index", &*found.name)
            .with("shard", shard)
            .with("index_uuid", &*found.uuid));
    }
    Err(Error::illegal_argument(format!(
        "[{kind}] shard [{shard}] of index [{index}] has its only place on the only node of the cluster"
    )))
}
