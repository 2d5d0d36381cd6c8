//! `_cluster/health`.

use super::super::document::validation_failed;
use super::super::index_options::index_options;
use super::super::indices::stats::Level;
use super::super::targets::{manager_timeout_ms, wait_for};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::health::{Health, index_health, shard_health};
use crate::cluster::{
    ActiveShards, IndexMeta, IndicesOptions, State, Status, check_not_reserved, resolve, single_name,
};
use crate::coordinate::{Core, clock};
use pith_engine::json::Writer;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

const PARAMS: &[&str] = &[
    "level",
    "local",
    "timeout",
    "cluster_manager_timeout",
    "master_timeout?",
    "expand_wildcards",
    "ignore_unavailable",
    "allow_no_indices",
    "wait_for_status",
    "wait_for_nodes",
    "wait_for_events",
    "wait_for_active_shards",
    "wait_for_no_relocating_shards",
    "wait_for_no_initializing_shards",
    "awareness_attribute",
    "ensure_node_weighed_in",
    "wait_for_relocating_shards?",
];

/// What is refused with a word about what took its place.
const OLD_RELOCATING: &str = "wait_for_relocating_shards";

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cluster_health_action",
        params: &[PARAMS],
        handler: |core, request| Box::pin(health(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cluster/health"), row("/_cluster/health/{index}")];

/// Everything that the request wants to see come true.
struct Wishes {
    names: Vec<String>,
    options: IndicesOptions,
    status: Option<Status>,
    nodes: Option<NodeCount>,
    active_shards: Option<ActiveShards>,
    no_initializing: bool,
}

async fn health(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let levels = [("cluster", Level::Cluster), ("indices", Level::Indices), ("shards", Level::Shards)];
    // The reference takes any other word for the default.
    let level = levels.into_iter().find(|(name, _)| request.param("level") == Some(name));
    let level = level.map_or(Level::Cluster, |(_, level)| level);
    let timeout_ms = request.time_ms("timeout", manager_timeout_ms(&request)?)?;
    for name in ["local", "wait_for_no_relocating_shards"] {
        request.flag(name, false)?;
    }
    if request.has(OLD_RELOCATING) {
        return Err(Error::illegal_argument(
            "wait_for_relocating_shards has been removed, use wait_for_no_relocating_shards [true/false] instead",
        ));
    }
    let wishes = wishes(&request)?;
    check_priority(&request)?;
    check_awareness(&request)?;
    wishes.names.iter().try_for_each(|name| check_not_reserved(name))?;
    let came_true = wait_for(&core, timeout_ms, |state| wishes.hold(state)).await;
    let state = core.state();
    let indexes = wishes.indexes(&state);
    let mut w = Writer::new();
    w.begin_object();
    let missing = wishes.misses(&state);
    let shown = Shown { missing, timed_out: !came_true, level, human: request.common.human };
    write(&state, &indexes, &shown, &mut w);
    if request.param("level") == Some("awareness_attributes") {
        w.key("awareness_attributes").begin_object();
        match request.param("awareness_attribute") {
            Some(attribute) => write_attribute(&state, attribute, &mut w),
            None => {
                let listed =
                    state.cluster_setting("cluster.routing.allocation.awareness.attributes").unwrap_or_default();
                let attributes = listed.split(',').map(str::trim).filter(|attribute| !attribute.is_empty());
                attributes.for_each(|attribute| write_attribute(&state, attribute, &mut w));
            }
        }
        w.end_object();
    }
    w.end_object();
    Ok(Reply::json(if came_true { 200 } else { 408 }, w.finish()))
}

/// What the nodes hold that have each value of an attribute. One node holds all copies that are somewhere.
fn write_attribute(state: &State, attribute: &str, w: &mut Writer) {
    let health = cluster_health(state);
    w.key(attribute).begin_object();
    for value in state.awareness_values(attribute) {
        let weights = state.weights.as_ref().filter(|weights| weights.attribute == attribute);
        let weight = weights.and_then(|weights| weights.by_value.get(&value)).copied().unwrap_or(1.0);
        w.key(&value).begin_object();
        w.key("active_shards").u64(health.active.into());
        w.key("initializing_shards").u64(health.initializing.into());
        w.key("relocating_shards").u64(0);
        // How many copies a value is short of is not said where nothing makes it take as many as others.
        w.key("unassigned_shards").i64(-1);
        w.key("data_nodes").u64(1).key("weight").f64(weight).end_object();
    }
    w.end_object();
}

fn wishes(request: &ApiRequest) -> Result<Wishes> {
    let status = request.param("wait_for_status").map(|name| {
        Status::parse(name).ok_or_else(|| {
            let name = name.to_uppercase();
            Error::illegal_argument(format!(
                "No enum constant org.opensearch.cluster.health.ClusterHealthStatus.{name}"
            ))
        })
    });
    let options = index_options(request, IndicesOptions::LENIENT_EXPAND_HIDDEN)?;
    let status = status.transpose()?;
    let no_initializing = request.flag("wait_for_no_initializing_shards", false)?;
    let active_shards = request.param("wait_for_active_shards").map(ActiveShards::parse).transpose()?;
    let nodes = request.param("wait_for_nodes").filter(|text| !text.is_empty()).map(NodeCount::parse);
    Ok(Wishes {
        names: request.list("index").into_iter().map(str::to_owned).collect(),
        options,
        status,
        nodes: nodes.transpose()?,
        active_shards,
        no_initializing,
    })
}

/// What is asked of attributes that copies are spread over, and of the node itself, has to fit together.
fn check_awareness(request: &ApiRequest) -> Result<()> {
    let by_attribute = request.param("level") == Some("awareness_attributes");
    let mut problems = vec![];
    if request.has("awareness_attribute") && !by_attribute {
        problems.push("level=awareness_attributes is required with awareness_attribute parameter".to_owned());
    }
    if by_attribute && request.names_indexes() {
        problems.push("awareness_attribute is not a supported parameter with index health".to_owned());
    }
    if request.flag("ensure_node_weighed_in", false)? && !request.flag("local", false)? && problems.is_empty() {
        problems.push("not a local request to ensure local node commissioned or weighed in".to_owned());
    }
    validation_failed(&problems)
}

fn check_priority(request: &ApiRequest) -> Result<()> {
    let Some(name) = request.param("wait_for_events") else { return Ok(()) };
    let upper = name.to_uppercase();
    if matches!(upper.as_str(), "IMMEDIATE" | "URGENT" | "HIGH" | "NORMAL" | "LOW" | "LANGUID") {
        // Changes are made one after the other, each to its end: there is no event to wait for.
        return Ok(());
    }
    Err(Error::illegal_argument(format!("No enum constant org.opensearch.common.Priority.{upper}")))
}

impl Wishes {
    /// Whether an index that was named does not exist.
    fn misses(&self, state: &State) -> bool {
        let is_pattern = |name: &str| name.contains('*') || name == "_all";
        let exists = |name: &str| single_name(name, clock::now_ms()).is_ok_and(|name| state.has(&name));
        let mut after_pattern = false;
        for name in &self.names {
            // Only behind a pattern does a dash leave something out; before one it begins a name.
            let leaves_out = after_pattern && name.starts_with('-');
            if !is_pattern(name) && !leaves_out && !exists(name) {
                return true;
            }
            after_pattern |= name.contains('*');
        }
        false
    }

    /// Those of the indexes asked about that exist.
    fn indexes(&self, state: &State) -> Vec<Arc<IndexMeta>> {
        let options = IndicesOptions { ignore_unavailable: true, allow_no_indices: true, ..self.options };
        resolve(state, &self.names, &options, clock::now_ms()).unwrap_or_default()
    }

    fn hold(&self, state: &State) -> bool {
        if self.misses(state) {
            return false;
        }
        let health = sum(state, &self.indexes(state));
        let active = match self.active_shards {
            None => true,
            Some(ActiveShards::Count(count)) => health.active >= count,
            Some(ActiveShards::All) => health.initializing == 0 && health.unassigned == 0,
        };
        active
            && self.status.is_none_or(|wanted| health.status <= wanted)
            && self.nodes.as_ref().is_none_or(|nodes| nodes.holds(state.nodes.len()))
            && !(self.no_initializing && health.initializing > 0)
    }
}

/// `wait_for_nodes`: a number, with or without a comparison, as a sign or as a word (`>=2`, `ge(2)`).
struct NodeCount {
    sign: &'static str,
    /// There can be as many as are asked for, or not.
    count: i64,
}

impl NodeCount {
    fn parse(text: &str) -> Result<Self> {
        const SIGNS: [(&str, &str); 4] = [(">=", "ge("), ("<=", "le("), (">", "gt("), ("<", "lt(")];
        let number = |text: &str| {
            let wrong = |_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""));
            text.trim().parse::<i32>().map(i64::from).map_err(wrong)
        };
        for (sign, word) in SIGNS {
            if let Some(rest) = text.strip_prefix(sign) {
                return Ok(Self { sign, count: number(rest)? });
            }
            if let Some(rest) = text.strip_prefix(word) {
                return Ok(Self { sign, count: number(rest.strip_suffix(')').unwrap_or(rest))? });
            }
        }
        Ok(Self { sign: "=", count: number(text)? })
    }

    fn holds(&self, nodes: usize) -> bool {
        let nodes = nodes as i64;
        match self.sign {
            ">=" => nodes >= self.count,
            "<=" => nodes <= self.count,
            ">" => nodes > self.count,
            "<" => nodes < self.count,
            _ => nodes == self.count,
        }
    }
}

fn cluster_health(state: &State) -> Health {
    state.indices.values().map(|index| index_health(state, index)).fold(Health::NONE, Health::plus)
}

fn sum(state: &State, indexes: &[Arc<IndexMeta>]) -> Health {
    indexes.iter().map(|index| index_health(state, index)).fold(Health::NONE, Health::plus)
}

/// What of the health is shown.
struct Shown {
    missing: bool,
    timed_out: bool,
    level: Level,
    human: bool,
}

fn write(state: &State, indexes: &[Arc<IndexMeta>], shown: &Shown, w: &mut Writer) {
    let level = shown.level;
    let health = sum(state, indexes);
    let status = if shown.missing { Status::Red } else { health.status };
    // Where something is amiss with the indexes that are asked about, the reference counts those of the whole cluster.
    let percent = match health.status {
        Status::Green => 100.0,
        _ => cluster_health(state).active_percent(),
    };
    w.key("cluster_name").string(&state.cluster_name);
    w.key("status").string(status.name());
    w.key("timed_out").bool(shown.timed_out);
    w.key("number_of_nodes").u64(state.nodes.len() as u64);
    w.key("number_of_data_nodes").u64(state.nodes.len() as u64);
    w.key("discovered_master").bool(true);
    w.key("discovered_cluster_manager").bool(true);
    write_counts(&health, w);
    w.key("delayed_unassigned_shards").u64(0);
    w.key("number_of_pending_tasks").u64(0);
    w.key("number_of_in_flight_fetch").u64(0);
    if shown.human {
        w.key("task_max_waiting_in_queue").string("0s");
    }
    w.key("task_max_waiting_in_queue_millis").u64(0);
    if shown.human {
        w.key("active_shards_percent").string(&format!("{percent:.1}%"));
    }
    w.key("active_shards_percent_as_number").f64(percent);
    if level >= Level::Indices {
        w.key("indices").begin_object();
        indexes.iter().for_each(|index| write_index(state, index, level, w));
        w.end_object();
    }
}

fn write_index(state: &State, index: &IndexMeta, level: Level, w: &mut Writer) {
    let health = index_health(state, index);
    w.key(&index.name).begin_object();
    w.key("status").string(health.status.name());
    w.key("number_of_shards").u64(index.number_of_shards.into());
    w.key("number_of_replicas").u64(index.number_of_replicas.into());
    write_counts(&health, w);
    if level == Level::Shards {
        w.key("shards").begin_object();
        for shard in 0..index.number_of_shards as usize {
            let health = shard_health(state, index, shard);
            w.key(&shard.to_string()).begin_object();
            w.key("status").string(health.status.name());
            w.key("primary_active").bool(health.active_primaries == 1);
            w.key("active_shards").u64(health.active.into());
            w.key("relocating_shards").u64(0);
            w.key("initializing_shards").u64(health.initializing.into());
            w.key("unassigned_shards").u64(health.unassigned.into());
            w.end_object();
        }
        w.end_object();
    }
    w.end_object();
}

fn write_counts(health: &Health, w: &mut Writer) {
    w.key("active_primary_shards").u64(health.active_primaries.into());
    w.key("active_shards").u64(health.active.into());
    w.key("relocating_shards").u64(0);
    w.key("initializing_shards").u64(health.initializing.into());
    w.key("unassigned_shards").u64(health.unassigned.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_counts() {
        let cases = [("1", 1, true), (">=2", 1, false), ("le(2)", 2, true), ("<1", 1, false), ("gt(0)", 1, true)];
        for (text, nodes, holds) in cases {
            assert_eq!(NodeCount::parse(text).unwrap().holds(nodes), holds, "{text}");
        }
        assert_eq!(NodeCount::parse("foo").err().unwrap().reason(), "For input string: \"foo\"");
    }
}
