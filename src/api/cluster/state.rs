//! `_cluster/state`.

use super::super::index_options::{INDEX_PARAMS, index_options};
use super::super::indices::data_streams::stream_value;
use super::super::indices::templates::{component_value, index_value, legacy_value};
use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms, wait_for};
use super::super::{ApiRequest, Method, Reply, Route};
use super::routing::{write_routing_nodes, write_routing_table};
use crate::cluster::blocks::{Block, CLOSED};
use crate::cluster::{IndexMeta, IndexState, IndicesOptions, Node, State, resolve, views, voting, weights};
use crate::coordinate::{Core, clock};
use pith_engine::deprecated::note;
use pith_engine::json::{Map, Value, Writer};
use pith_engine::{Error, Result};
use std::rc::Rc;
use std::sync::Arc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cluster_state_action",
        params: &[
            INDEX_PARAMS,
            MANAGER_TIMEOUT,
            &["flat_settings", "settings_filter", "indices", "metric", "wait_for_metadata_version", "wait_for_timeout"],
        ],
        handler: |core, request| Box::pin(state(core, request)),
    }
}

pub const ROUTES: &[Route] =
    &[row("/_cluster/state"), row("/_cluster/state/{metric}"), row("/_cluster/state/{metric}/{indices}")];

async fn state(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let flat = request.flag("flat_settings", false)?;
    let timed_out = wait_for_version(&core, &request).await?;
    let state = core.state();
    let options = index_options(&request, IndicesOptions::LENIENT_EXPAND_OPEN)?;
    let names = request.list("indices");
    let whole = names.is_empty() || names == ["_all"];
    let metrics = request.list("metric");
    let indexes: Vec<Arc<IndexMeta>> = match whole {
        true => state.indices.values().cloned().collect(),
        // Names that mean nothing are found out where indexes are told of.
        false if !tells_of_indexes(&metrics) => vec![],
        false => resolve(&state, &names, &options, clock::now_ms())?,
    };
    if metrics.contains(&"master_node") {
        note(
            "Assigning [master_node] to parameter [metric] is deprecated and will be removed in 3.0. To support inclusive language, please use [cluster_manager_node] instead.",
        );
    }
    let mut w = Writer::new();
    w.begin_object();
    if let Some(timed_out) = timed_out {
        w.key("wait_for_timed_out").bool(timed_out);
    }
    w.key("cluster_name").string(&state.cluster_name);
    w.key("cluster_uuid").string(&state.cluster_uuid);
    write_parts(&state, &indexes, &metrics, View { flat, whole }, &mut w);
    w.end_object();
    Ok(Reply::ok(w))
}

/// How a state is shown.
#[derive(Clone, Copy)]
pub struct View {
    /// Settings as flat keys.
    pub flat: bool,
    /// Metadata of more than the indexes: whoever names some is shown theirs alone.
    pub whole: bool,
}

/// Writes the parts of a state that are asked for; all of them if none is.
pub fn write_parts(state: &State, indexes: &[Arc<IndexMeta>], metrics: &[&str], view: View, w: &mut Writer) {
    for (metric, write) in PARTS {
        if metrics.is_empty() || metrics.contains(&"_all") || metrics.contains(metric) {
            write(state, indexes, view, w);
        }
    }
}

/// Whether parts are asked for that tell of some indexes and not of others.
fn tells_of_indexes(metrics: &[&str]) -> bool {
    metrics.is_empty()
        || metrics.iter().any(|metric| matches!(*metric, "_all" | "metadata" | "routing_table" | "routing_nodes"))
}

type Part = fn(&State, &[Arc<IndexMeta>], View, &mut Writer);

/// What a request may ask for one by one, in the order in which it is written.
const PARTS: &[(&str, Part)] = &[
    ("version", |state, _, _, w| {
        w.key("version").u64(state.version).key("state_uuid").string(&state.state_uuid);
    }),
    ("master_node", |state, _, _, w| {
        w.key("master_node").string(&state.manager);
    }),
    ("cluster_manager_node", |state, _, _, w| {
        w.key("cluster_manager_node").string(&state.manager);
    }),
    ("blocks", |state, _, _, w| {
        w.key("blocks").value(&blocks_value(state));
    }),
    ("nodes", |state, _, _, w| {
        w.key("nodes").begin_object();
        for (id, node) in &state.nodes {
            w.key(id);
            write_node(node, w);
        }
        w.end_object();
    }),
    ("metadata", write_metadata),
    ("routing_table", |state, indexes, _, w| write_routing_table(state, indexes, w)),
    ("routing_nodes", |state, indexes, _, w| write_routing_nodes(state, indexes, w)),
];

/// Waits for `wait_for_metadata_version`; tells whether it came too late. `None`: nothing was waited for.
async fn wait_for_version(core: &Rc<Core>, request: &ApiRequest) -> Result<Option<bool>> {
    let timeout_ms = request.time_ms("wait_for_timeout", 60_000)?;
    let Some(version) = request.long_opt("wait_for_metadata_version")? else { return Ok(None) };
    if version < 1 {
        return Err(Error::illegal_argument(format!(
            "provided waitForMetadataVersion should be >= 1, but instead is [{version}]"
        )));
    }
    let reached = wait_for(core, timeout_ms, |state| state.version as i64 >= version).await;
    Ok(Some(!reached))
}

fn write_node(node: &Node, w: &mut Writer) {
    w.begin_object();
    w.key("name").string(&node.name);
    w.key("ephemeral_id").string(&node.ephemeral_id);
    w.key("transport_address").string(&node.transport_address);
    w.key("attributes").begin_object();
    for (name, value) in &node.attributes {
        w.key(name).string(value);
    }
    w.end_object().end_object();
}

fn blocks_value(state: &State) -> Value {
    let mut blocks = Map::new();
    let global: Map = state.cluster_blocks().map(block_value).collect();
    if !global.is_empty() {
        blocks.insert("global", global);
    }
    let mut indices = Map::new();
    for index in state.indices.values() {
        let closed = (index.state == IndexState::Closed).then_some(&CLOSED);
        let own: Map = index.blocks().chain(closed).map(block_value).collect();
        if !own.is_empty() {
            indices.insert(&*index.name, own);
        }
    }
    if !indices.is_empty() {
        blocks.insert("indices", indices);
    }
    Value::Object(blocks)
}

fn block_value(of: &Block) -> (String, Value) {
    let levels: Vec<Value> = of.levels.iter().map(|level| Value::from(level.name())).collect();
    let body = Map::from_iter([
        ("description", Value::from(of.description)),
        ("retryable", false.into()),
        ("levels", levels.into()),
    ]);
    (of.id.to_string(), Value::Object(body))
}

fn write_metadata(state: &State, indexes: &[Arc<IndexMeta>], view: View, w: &mut Writer) {
    w.key("metadata").begin_object();
    w.key("cluster_uuid").string(&state.cluster_uuid);
    w.key("cluster_uuid_committed").bool(view.whole);
    w.key("cluster_coordination").begin_object();
    w.key("term").u64(state.term);
    w.key("last_committed_config").begin_array().string(&state.manager).end_array();
    w.key("last_accepted_config").begin_array().string(&state.manager).end_array();
    w.key("voting_config_exclusions").value(&voting::to_value(&state.voting_exclusions));
    w.end_object();
    w.key("templates").begin_object();
    for (name, template) in state.templates.legacy.iter().filter(|_| view.whole) {
        w.key(name).value(&typed(legacy_value(template, view.flat)));
    }
    w.end_object();
    if view.whole {
        write_customs(state, view.flat, w);
    }
    w.key("indices").begin_object();
    for index in indexes {
        w.key(&index.name);
        write_index(index, view.flat, w);
    }
    w.end_object();
    w.key("index-graveyard").begin_object().key("tombstones").begin_array();
    for tomb in state.graveyard.iter().filter(|_| view.whole) {
        w.begin_object().key("index").begin_object();
        w.key("index_name").string(&tomb.name).key("index_uuid").string(&tomb.uuid).end_object();
        w.key("delete_date_in_millis").u64(tomb.delete_date_ms).end_object();
    }
    w.end_array().end_object();
    w.end_object();
}

/// An old template, whose mapping is kept below the name of its type.
fn typed(mut template: Value) -> Value {
    if let Value::Object(map) = &mut template
        && let Some(mappings) =
            map.get("mappings").filter(|mappings| mappings.as_object().is_some_and(|map| !map.is_empty()))
    {
        let below = Map::from_iter([("_doc", mappings.clone())]);
        map.insert("mappings", Value::Object(below));
    }
    template
}

/// What there is beside indexes and old templates.
fn write_customs(state: &State, flat: bool, w: &mut Writer) {
    let templates = state.templates.index.iter().map(|(name, template)| (name.as_str(), index_value(template)));
    if !state.templates.index.is_empty() {
        let inner = Map::from_iter([("index_template", Value::Object(templates.collect()))]);
        w.key("index_template").value(&Value::Object(inner));
    }
    if !state.templates.component.is_empty() {
        let all = state.templates.component.iter().map(|(name, template)| (name.as_str(), component_value(template)));
        let inner = Map::from_iter([("component_template", Value::Object(all.collect()))]);
        w.key("component_template").value(&Value::Object(inner));
    }
    if !state.scripts.is_empty() {
        w.key("stored_scripts").begin_object();
        for (id, script) in state.scripts.iter() {
            w.key(id).value(&script.to_value());
        }
        w.end_object();
    }
    if !state.data_streams.is_empty() {
        let streams = state.data_streams.iter().map(|(name, stream)| (&**name, stream_value(stream)));
        let inner = Map::from_iter([("data_stream", Value::Object(streams.collect()))]);
        w.key("data_stream").value(&Value::Object(inner));
    }
    if !state.repositories.is_empty() {
        w.key("repositories").begin_object();
        for (name, repository) in &state.repositories {
            w.key(name).begin_object().key("type").string(&repository.kind).key("settings");
            repository.settings.write(w, flat);
            w.key("generation").i64(-2).key("pending_generation").i64(-1).end_object();
        }
        w.end_object();
    }
    let ingest = state.pipelines.by_id.iter().map(|(id, stored)| (id, &stored.config));
    write_pipelines("ingest", ingest, w);
    let of_searches = state.search_pipelines.by_id.iter().map(|(id, stored)| (id, &stored.config));
    write_pipelines("search_pipeline", of_searches, w);
    if let Some(weights) = &state.weights {
        w.key("weighted_shard_routing").value(&weights::to_value(weights));
    }
    if !state.views.is_empty() {
        w.key("view").begin_object().key("view").begin_object();
        for (name, view) in state.views.iter() {
            w.key(name).value(&views::to_value(view));
        }
        w.end_object().end_object();
    }
}

fn write_pipelines<'a>(kind: &str, all: impl ExactSizeIterator<Item = (&'a String, &'a Map)>, w: &mut Writer) {
    if all.len() == 0 {
        return;
    }
    w.key(kind).begin_object().key("pipeline").begin_array();
    for (id, config) in all {
        w.begin_object().key("id").string(id).key("config").value(&Value::Object(config.clone())).end_object();
    }
    w.end_array().end_object();
}

fn write_index(index: &IndexMeta, flat: bool, w: &mut Writer) {
    w.begin_object();
    w.key("version").u64(index.version);
    w.key("mapping_version").u64(index.mapping_version);
    w.key("settings_version").u64(index.settings_version);
    w.key("aliases_version").u64(index.aliases_version);
    w.key("routing_num_shards").u64(index.routing_num_shards.into());
    w.key("state").string(index.state.name());
    w.key("settings");
    index.settings.write(w, flat);
    w.key("mappings").begin_object();
    if let Some(mapping) = &index.mapping_source {
        w.key("_doc").value(mapping);
    }
    w.end_object();
    w.key("aliases").begin_array();
    for alias in index.aliases.keys() {
        w.string(alias);
    }
    w.end_array();
    for key in ["primary_terms", "primary_terms_map"] {
        w.key(key).begin_object();
        for (shard, term) in index.primary_terms.iter().enumerate() {
            w.key(&shard.to_string()).u64(*term);
        }
        w.end_object();
    }
    w.key("in_sync_allocations").begin_object();
    for (shard, id) in index.allocation_ids.iter().enumerate() {
        w.key(&shard.to_string()).begin_array();
        if !id.is_empty() {
            w.string(id);
        }
        w.end_array();
    }
    w.end_object();
    w.key("rollover_info").value(&Value::Object(index.rollovers.clone()));
    w.key("system").bool(false);
    // Nothing is drawn from streams outside, and no shard of an index is split in its place.
    w.key("ingestion_status").begin_object().key("is_paused").bool(false).end_object();
    let shards = index.number_of_shards;
    w.key("split_shards_metadata").begin_object();
    w.key("num_of_root_shards").u64(shards.into()).key("max_shard_id").u64(shards.saturating_sub(1).into());
    w.key("active_shard_ids").begin_array();
    (0..shards).for_each(|shard| _ = w.u64(shard.into()));
    w.end_array();
    for key in ["root_shards_to_all_children", "parent_to_child_shards"] {
        w.key(key).begin_object().end_object();
    }
    w.end_object();
    w.end_object();
}
