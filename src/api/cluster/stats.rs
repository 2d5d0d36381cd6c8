//! `_cluster/stats`.

use super::super::indices::stats_sections::write_sections;
use super::super::nodes::{is_chosen, process_cpu_percent, write_memory};
use super::super::root::REFERENCE_VERSION;
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::health::{Health, index_health};
use crate::cluster::{IndexMeta, State};
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{Core, clock};
use crate::coordinate::{ShardReply, ShardRequest};
use crate::observe::system::{self, Reading};
use pith_engine::Result;
use pith_engine::json::{Value, Writer};
use pith_engine::shard::ShardStats;
use pith_net::rt;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cluster_stats_action",
        params: &[&["timeout", "flat_settings"]],
        handler: |core, request| Box::pin(stats(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cluster/stats"), row("/_cluster/stats/nodes/{nodeId}")];

async fn stats(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.time_ms_opt("timeout")?;
    request.flag("flat_settings", false)?;
    let state = core.state();
    let chosen = request.param("nodeId").is_none_or(|filter| is_chosen(&state, core.node_id(), filter));
    let indexes: Vec<Arc<IndexMeta>> = state.indices.values().filter(|_| chosen).cloned().collect();
    let mut sum = ShardStats::default();
    let mut shards: BTreeMap<Arc<str>, u64> = BTreeMap::new();
    for answer in broadcast(&core, &indexes, || ShardRequest::Stats).await.answers {
        if let Ok(ShardReply::Stats(stats)) = answer.reply {
            sum.add(&stats);
            *shards.entry(answer.index.name.clone()).or_default() += 1;
        }
    }
    let system = rt::offload(system::read).await;
    let health = state.indices.values().map(|index| index_health(&state, index)).fold(Health::NONE, Health::plus);
    let nodes = u64::from(chosen);
    let mut w = Writer::new();
    w.begin_object();
    w.key("_nodes")
        .begin_object()
        .key("total")
        .u64(nodes)
        .key("successful")
        .u64(nodes)
        .key("failed")
        .u64(0)
        .end_object();
    w.key("cluster_name").string(&state.cluster_name);
    w.key("cluster_uuid").string(&state.cluster_uuid);
    w.key("timestamp").i64(clock::now_ms());
    w.key("status").string(health.status.name());
    w.key("indices").begin_object();
    w.key("count").u64(shards.len() as u64);
    write_shards(&shards, &mut w);
    let sections = ["docs", "store", "fielddata", "query_cache", "completion", "segments"];
    write_sections(&sum, Some(&sections), &mut w);
    write_field_types(&state, &mut w);
    w.end_object();
    write_nodes(&core, &state, nodes, &system, &mut w)?;
    w.end_object();
    Ok(Reply::ok(w))
}

fn write_shards(shards: &BTreeMap<Arc<str>, u64>, w: &mut Writer) {
    let total: u64 = shards.values().sum();
    w.key("shards").begin_object();
    if total > 0 {
        w.key("total").u64(total).key("primaries").u64(total).key("replication").f64(0.0);
        w.key("index").begin_object();
        let (min, max) = (shards.values().min().unwrap_or(&0), shards.values().max().unwrap_or(&0));
        for key in ["shards", "primaries"] {
            w.key(key).begin_object();
            w.key("min").u64(*min).key("max").u64(*max).key("avg").f64(total as f64 / shards.len() as f64);
            w.end_object();
        }
        w.key("replication").begin_object();
        w.key("min").f64(0.0).key("max").f64(0.0).key("avg").f64(0.0).end_object();
        w.end_object();
    }
    w.end_object();
}

/// How many fields of each type there are, and in how many indexes.
fn write_field_types(state: &State, w: &mut Writer) {
    let mut types: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for mapping in state.indices.values().filter_map(|index| index.mapping_source.as_ref()) {
        let mut own: BTreeMap<String, u64> = BTreeMap::new();
        count_types(mapping, &mut own);
        for (name, count) in own {
            let entry = types.entry(name).or_default();
            entry.0 += count;
            entry.1 += 1;
        }
    }
    w.key("mappings").begin_object().key("field_types").begin_array();
    for (name, (count, indexes)) in types {
        w.begin_object().key("name").string(&name).key("count").u64(count).key("index_count").u64(indexes).end_object();
    }
    w.end_array().end_object();
}

/// As deep as mappings may be.
fn count_types(mapping: &Value, types: &mut BTreeMap<String, u64>) {
    for part in ["properties", "fields"] {
        let Some(fields) = mapping.get(part).and_then(Value::as_object) else { continue };
        for (_, field) in fields.iter() {
            let kind = field.get("type").and_then(Value::as_str).unwrap_or("object");
            *types.entry(kind.to_owned()).or_default() += 1;
            count_types(field, types);
        }
    }
}

fn write_nodes(core: &Core, state: &State, count: u64, system: &Reading, w: &mut Writer) -> Result<()> {
    let cores = state.nodes.get(core.node_id()).map_or(0, |node| node.cores) as u64;
    w.key("nodes").begin_object();
    w.key("count").begin_object().key("total").u64(count).key("cluster_manager").u64(count);
    w.key("coordinating_only").u64(0).key("data").u64(count).key("ingest").u64(count).key("master").u64(count);
    w.key("remote_cluster_client").u64(0).key("search").u64(0).key("warm").u64(0).end_object();
    w.key("versions").begin_array().string(REFERENCE_VERSION).end_array();
    w.key("os").begin_object();
    w.key("available_processors").u64(cores).key("allocated_processors").u64(cores);
    w.key("names")
        .begin_array()
        .begin_object()
        .key("name")
        .string("Linux")
        .key("count")
        .u64(count)
        .end_object()
        .end_array();
    w.key("mem");
    write_memory(system, w);
    w.end_object();
    w.key("process").begin_object();
    w.key("cpu").begin_object().key("percent").u64(process_cpu_percent(core, system)?).end_object();
    w.key("open_file_descriptors").begin_object();
    let open = system.open_files;
    w.key("min").u64(open).key("max").u64(open).key("avg").u64(open).end_object();
    w.end_object();
    w.key("jvm").begin_object();
    w.key("max_uptime_in_millis").u64(core.facts()?.started.elapsed().as_millis() as u64);
    w.key("versions").begin_array().end_array();
    w.key("mem").begin_object();
    w.key("heap_used_in_bytes").u64(system.resident_bytes).key("heap_max_in_bytes").u64(system.memory_total_bytes);
    w.end_object().end_object();
    w.key("plugins").begin_array().end_array();
    w.key("network_types").begin_object();
    w.key("transport_types").begin_object().key("pith").u64(count).end_object();
    w.key("http_types").begin_object().key("pith").u64(count).end_object();
    w.end_object();
    w.key("discovery_types").begin_object().key("single-node").u64(count).end_object();
    w.key("packaging_types").begin_array().begin_object().key("type").string("tar").key("count").u64(count);
    w.end_object().end_array();
    w.end_object();
    Ok(())
}
