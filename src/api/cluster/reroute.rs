//! `_cluster/reroute`: placing shards by hand.

use super::super::indices::expected_object;
use super::super::targets::{Submitted, TIMEOUTS, manager_timeout_ms, submit};
use super::super::{ApiRequest, Method, Reply, Route, params};
use super::state::{View, write_parts};
use crate::cluster::reroute::{Command, CommandKind, Decided, Reroute};
use crate::cluster::{self, ApplyContext, BlockLevel, Change, IndexMeta, Node, Outcome, State, blocks};
use crate::coordinate::{Core, clock};
use pith_engine::json::{self, Entry, Value, Writer, line_col};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Post,
    path: "/_cluster/reroute",
    name: "cluster_reroute_action",
    params: &[TIMEOUTS, &["dry_run", "explain", "retry_failed", "metric", "flat_settings?", "settings_filter?"]],
    handler: |core, request| Box::pin(reroute(core, request)),
}];

/// What is shown of the state unless something else is asked for: all but the metadata.
const DEFAULT_METRICS: &[&str] =
    &["version", "master_node", "cluster_manager_node", "blocks", "nodes", "routing_table", "routing_nodes"];

async fn reroute(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    request.time_ms_opt("timeout")?;
    let retry_failed = request.flag("retry_failed", false)?;
    let explain = request.flag("explain", false)?;
    let mut dry_run = request.flag("dry_run", false)?;
    let state = core.state();
    blocks::check_cluster(&state, BlockLevel::MetadataWrite)?;
    let (mut commands, mut shown) = (vec![], vec![]);
    if let Some(body) = request.body_opt()? {
        let read = read_body(&state, &body)?;
        dry_run = read.dry_run.unwrap_or(dry_run);
        (commands, shown) = read.commands.into_iter().unzip();
    }
    let change = Change::Reroute(Reroute { commands, retry_failed, explain });
    let (state, outcome) = match dry_run {
        true => try_out(&core, &state, change)?,
        false => match submit(&core, &request, change).await? {
            Submitted::Done(outcome) => (core.state(), outcome),
            Submitted::Unacknowledged(_) | Submitted::NotYet => return Ok(Reply::acknowledged(false)),
        },
    };
    let indexes: Vec<Arc<IndexMeta>> = state.indices.values().cloned().collect();
    let asked = request.list("metric");
    let metrics = if asked.is_empty() { DEFAULT_METRICS.to_vec() } else { asked };
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(true);
    w.key("state").begin_object().key("cluster_uuid").string(&state.cluster_uuid);
    write_parts(&state, &indexes, &metrics, View { flat: false, whole: true }, &mut w);
    w.end_object();
    if let (true, Outcome::Rerouted(decided)) = (explain, &outcome) {
        w.key("explanations").begin_array();
        shown.iter().zip(decided).for_each(|(command, decided)| write_explained(command, decided, &mut w));
        w.end_array();
    }
    w.end_object();
    Ok(Reply::ok(w))
}

/// The state that a change would make, and what it would do.
fn try_out(core: &Core, state: &State, change: Change) -> Result<(Arc<State>, Outcome)> {
    let (now_ms, cores) = (clock::now_ms().max(0) as u64, core.mesh()?.cores());
    let mut cx = ApplyContext { now_ms, new_id: &mut || core.make_id(), cores };
    cluster::apply(state, change, &mut cx).map(|(next, outcome)| (Arc::new(next), outcome))
}

/// A command as it is shown: its kind, all parameters as they were given, and its flag.
type Shown = (CommandKind, Vec<(&'static str, Value)>);

fn write_explained((kind, parameters): &Shown, decided: &Decided, w: &mut Writer) {
    w.begin_object().key("command").string(kind.name());
    w.key("parameters").begin_object();
    parameters.iter().for_each(|(name, value)| _ = w.key(name).value(value));
    w.end_object();
    w.key("decisions").begin_array().begin_object();
    w.key("decider").string(&decided.decider).key("decision").string(if decided.yes { "YES" } else { "NO" });
    w.key("explanation").string(&decided.why).end_object().end_array();
    w.end_object();
}

/// What a body asks for.
#[derive(Default)]
struct Body {
    commands: Vec<(Command, Shown)>,
    dry_run: Option<bool>,
}

/// The error of commands that cannot be read, at a place in the body.
#[cold]
fn failed(body: &[u8], pos: u32, cause: Error) -> Error {
    unread(body, pos).with_root_causes(vec![cause.clone()]).caused_by(cause)
}

#[cold]
fn unread(body: &[u8], pos: u32) -> Error {
    let (line, col) = line_col(body, pos);
    let reason = format!("[{line}:{col}] [cluster_reroute] failed to parse field [commands]");
    Error::new(ErrorKind::XContentParse, reason)
}

/// Reads all commands, of which the nodes have to be there.
fn read_body(state: &State, body: &[u8]) -> Result<Body> {
    let whole = json::parse(body)?;
    let Value::Object(map) = &whole else { return Err(expected_object("cluster_reroute", &whole)) };
    let (mut read, mut asked) = (vec![], Body::default());
    for entry in &map.entries {
        let (line, col) = line_col(body, entry.key_pos);
        match (entry.key.as_str(), &entry.value) {
            ("commands", Value::Array(commands)) => {
                for (command, pos) in commands.iter().zip(positions(body, entry.value_pos)) {
                    read.push(read_command(body, command, pos)?);
                }
            }
            ("dry_run", Value::Bool(dry_run)) => asked.dry_run = Some(*dry_run),
            ("dry_run", Value::String(text)) => {
                asked.dry_run = Some(params::boolean(text).map_err(|cause| {
                    let (line, col) = line_col(body, entry.value_pos);
                    let reason = format!("[{line}:{col}] [cluster_reroute] failed to parse field [dry_run]");
                    Error::new(ErrorKind::XContentParse, reason).caused_by(cause)
                })?)
            }
            ("dry_run", value) => {
                let ((line, col), token) = (line_col(body, entry.value_pos), value.token());
                let reason =
                    format!("[{line}:{col}] [cluster_reroute] dry_run doesn't support values of type: {token}");
                return Err(Error::new(ErrorKind::XContentParse, reason));
            }
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
        }
    }
    // Nothing is looked for before all can be read.
    asked.commands = read.into_iter().map(|entry| command_of(state, body, entry)).collect::<Result<_>>()?;
    Ok(asked)
}

/// Where the items of an array begin that begins at `start`.
fn positions(body: &[u8], start: u32) -> Vec<u32> {
    let mut out = vec![];
    let mut at = next_token(body, start as usize + 1);
    while body.get(at).is_some_and(|byte| *byte != b']') {
        out.push(at as u32);
        at = next_token(body, at + json::tokens::value_end(&body[at..]));
    }
    out
}

/// Past what stands between values.
fn next_token(body: &[u8], from: usize) -> usize {
    let rest = body.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count()
}

/// The one entry that a command is, whose fields are all known and single values.
fn read_command<'a>(body: &[u8], command: &'a Value, pos: u32) -> Result<&'a Entry> {
    let malformed = |pos: u32, what: String| {
        failed(body, pos, Error::new(ErrorKind::Parse, format!("allocation command is malformed, {what}")))
    };
    let unknown = |pos: u32, name: &str| {
        let (line, col) = line_col(body, pos);
        let reason = format!("[{line}:{col}] unknown field [{name}]");
        failed(body, pos, Error::new(ErrorKind::NamedObjectNotFound, reason))
    };
    let Value::Object(map) = command else {
        return Err(malformed(pos, format!("got [{}] instead", command.token())));
    };
    let Some(entry) = map.entries.first() else {
        let end = pos as usize + json::tokens::value_end(body.get(pos as usize..).unwrap_or_default());
        return Err(unknown(next_token(body, end) as u32, "null"));
    };
    let kind = entry.key.as_str();
    if CommandKind::of(kind).is_none() {
        return Err(unknown(entry.value_pos, kind));
    }
    for field in entry.value.as_object().map_or(&[][..], |fields| &fields.entries) {
        let refuse = |what: String| {
            let cause = Error::new(ErrorKind::Parse, format!("[{kind}] command does not support {what}"));
            Err(failed(body, field.value_pos, cause))
        };
        if matches!(field.value, Value::Object(_) | Value::Array(_)) {
            return refuse(format!("complex json tokens [{}]", field.value.token()));
        }
        if !FIELDS.iter().any(|(of, names)| of.contains(&kind) && names.contains(&field.key.as_str())) {
            return refuse(format!("field [{}]", field.key));
        }
        let text = field.value.to_text();
        let wrong = match field.key.as_str() {
            "shard" if text.parse::<f64>().is_err() => {
                Some(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\"")))
            }
            "allow_primary" | "accept_data_loss" => params::boolean(&text).err(),
            _ => None,
        };
        if let Some(cause) = wrong {
            return Err(unread(body, field.value_pos).caused_by(cause));
        }
    }
    match map.entries.get(1) {
        Some(next) => Err(malformed(
            next.key_pos,
            "done parsing a command, but didn't get END_OBJECT, got [START_OBJECT] instead".to_owned(),
        )),
        None => Ok(entry),
    }
}

/// Commands and the fields that they know.
const FIELDS: &[(&[&str], &[&str])] = &[
    (&["move", "cancel", "allocate_replica", "allocate_stale_primary", "allocate_empty_primary"], &["index", "shard"]),
    (&["move"], &["from_node", "to_node"]),
    (&["cancel", "allocate_replica", "allocate_stale_primary", "allocate_empty_primary"], &["node"]),
    (&["cancel"], &["allow_primary"]),
    (&["allocate_stale_primary", "allocate_empty_primary"], &["accept_data_loss"]),
];

/// The node of a name or an id; it is an error if there is none.
pub fn find_node<'a>(state: &'a State, node: &str) -> Result<&'a Node> {
    let found = state.nodes.values().find(|own| *own.id == *node || own.name == node);
    found
        .map(|node| &**node)
        .ok_or_else(|| Error::illegal_argument(format!("failed to resolve [{node}], no matching nodes")))
}

fn command_of(state: &State, body: &[u8], entry: &Entry) -> Result<(Command, Shown)> {
    let kind = entry.key.as_str();
    let command = CommandKind::of(kind).ok_or_else(|| Error::illegal_argument(format!("unknown command [{kind}]")))?;
    let mut parameters = vec![];
    let mut needed = |name: &'static str| {
        let value = entry.value.get(name).ok_or_else(|| {
            let cause = Error::new(ErrorKind::Parse, format!("[{kind}] command missing the {name} parameter"));
            let length = body.get(entry.value_pos as usize..).map_or(0, json::tokens::value_end);
            // What is no object ends with the command.
            let end = if entry.value.as_object().is_some() { length.saturating_sub(1) } else { length };
            failed(body, entry.value_pos + end as u32, cause)
        })?;
        parameters.push((name, value.clone()));
        Ok::<_, Error>(value.to_text())
    };
    let (index, shard) = (needed("index")?, needed("shard")?);
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
    let node = find_node(state, &node)?.id.clone();
    let to = to.map(|to| find_node(state, &to).map(|node| node.id.clone())).transpose()?;
    let shard = shard.parse::<u32>().unwrap_or(u32::MAX);
    Ok((Command { kind: command, index, shard, node, to, flag: set }, (command, parameters)))
}
