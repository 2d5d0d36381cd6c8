//! `_cluster/stats`.

use super::super::indices::stats_sections::{Shown, for_people, write_sections};
use super::super::nodes::{is_chosen, process_cpu_percent, write_memory};
use super::super::root::REFERENCE_VERSION;
use super::super::{ApiRequest, Method, Reply, Route};
use super::analysis_stats::AnalysisStats;
use crate::cluster::health::{Health, index_health};
use crate::cluster::{IndexMeta, State};
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{Core, clock};
use crate::coordinate::{ShardReply, ShardRequest};
use crate::observe::system::{self, Disk, Machine, Reading};
use pith_engine::ingest::Figures;
use pith_engine::json::{Value, Writer};
use pith_engine::shard::ShardStats;
use pith_engine::{Error, Result};
use pith_net::rt;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cluster_stats_action",
        params: &[&["timeout"]],
        handler: |core, request| Box::pin(stats(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    row("/_cluster/stats"),
    row("/_cluster/stats/nodes/{nodeId}"),
    row("/_cluster/stats/{metric}/nodes/{nodeId}"),
    row("/_cluster/stats/{metric}/{index_metric}/nodes/{nodeId}"),
];

const METRICS: &[&str] = &[
    "os",
    "jvm",
    "fs",
    "process",
    "ingest",
    "plugins",
    "network_types",
    "discovery_types",
    "packaging_types",
    "indices",
];

const INDEX_METRICS: &[&str] =
    &["shards", "docs", "store", "fielddata", "query_cache", "completion", "segments", "analysis", "mappings"];

/// What is wanted of the answer.
struct Wanted {
    metrics: BTreeSet<String>,
    index_metrics: BTreeSet<String>,
}

impl Wanted {
    fn of(request: &ApiRequest) -> Result<Self> {
        let metrics = chosen(request, "metric", "metric", METRICS)?;
        if request.has("index_metric") && !metrics.contains("indices") {
            return Err(Error::illegal_argument(format!(
                "request [{}] contains index metrics [{}] but indices stats not requested",
                request.path,
                request.list("index_metric").join(",")
            )));
        }
        Ok(Self { metrics, index_metrics: chosen(request, "index_metric", "index metric", INDEX_METRICS)? })
    }

    fn wants(&self, metric: &str) -> bool {
        self.metrics.contains(metric)
    }

    fn wants_nodes(&self) -> bool {
        self.metrics.iter().any(|metric| metric != "indices")
    }
}

/// The names that a parameter lists; all where it is not given.
fn chosen(request: &ApiRequest, param: &str, noun: &str, all: &[&str]) -> Result<BTreeSet<String>> {
    let given = request.list(param);
    if given.is_empty() || given == ["_all"] {
        return Ok(all.iter().map(|name| (*name).to_owned()).collect());
    }
    if given.contains(&"_all") {
        return Err(Error::illegal_argument(format!(
            "request [{}] contains _all and individual {noun}s [{}]",
            request.path,
            given.join(",")
        )));
    }
    let unknown: BTreeSet<&str> = given.iter().copied().filter(|name| !all.contains(name)).collect();
    if !unknown.is_empty() {
        let plural = if unknown.len() > 1 { "s" } else { "" };
        let listed: Vec<String> = unknown.iter().map(|name| format!("[{name}]")).collect();
        return Err(Error::illegal_argument(format!(
            "request [{}] contains unrecognized {noun}{plural}: {}",
            request.path,
            listed.join(", ")
        )));
    }
    Ok(given.into_iter().map(str::to_owned).collect())
}

async fn stats(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.time_ms_of("ClusterStatsRequest", "timeout")?;
    let wanted = Wanted::of(&request)?;
    let state = core.state();
    let chosen = request.param("nodeId").is_none_or(|filter| is_chosen(&state, core.node_id(), filter));
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
    if chosen {
        w.key("status").string(health.status.name());
    }
    if wanted.wants("indices") {
        write_indices(&core, &state, chosen, &wanted, &mut w).await;
    }
    if wanted.wants_nodes() {
        let data = core.facts()?.data.clone();
        let look = move || (system::read(), system::machine(), system::disk(&data));
        let (reading, machine, disk) = rt::offload(look).await;
        let look = Look { core: &core, state: &state, count: nodes, reading, machine, disk };
        look.write(&wanted, &mut w)?;
    }
    w.end_object();
    let answer = w.finish();
    Ok(Reply::json(200, if request.common.human { for_people(answer) } else { answer }))
}

async fn write_indices(core: &Core, state: &State, chosen: bool, wanted: &Wanted, w: &mut Writer) {
    let indexes: Vec<Arc<IndexMeta>> = state.indices.values().filter(|_| chosen).cloned().collect();
    let mut sum = ShardStats::default();
    let mut shards: BTreeMap<Arc<str>, u64> = BTreeMap::new();
    for answer in broadcast(core, &indexes, || ShardRequest::Stats).await.answers {
        if let Ok(ShardReply::Stats(stats)) = answer.reply {
            sum.add(&stats);
            *shards.entry(answer.index.name.clone()).or_default() += 1;
        }
    }
    let wants = |metric: &str| wanted.index_metrics.contains(metric);
    w.key("indices").begin_object();
    w.key("count").u64(shards.len() as u64);
    if wants("shards") {
        write_shards(&shards, w);
    }
    let sections = ["docs", "store", "fielddata", "query_cache", "completion", "segments"];
    let sections: Vec<&str> = sections.into_iter().filter(|section| wants(section)).collect();
    write_sections(&sum, Some(&sections), &Shown::default(), w);
    if wants("mappings") {
        write_field_types(state, w);
    }
    if wants("analysis") {
        w.key("analysis");
        AnalysisStats::of(state).write(w);
    }
    w.end_object();
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

/// What the node was like when it was looked at.
struct Look<'a> {
    core: &'a Core,
    state: &'a State,
    /// Nodes that the request means.
    count: u64,
    reading: Reading,
    machine: Machine,
    disk: Disk,
}

type Part<'a> = fn(&Look<'a>, &mut Writer) -> Result<()>;

impl<'a> Look<'a> {
    fn write(&self, wanted: &Wanted, w: &mut Writer) -> Result<()> {
        let count = self.count;
        w.key("nodes").begin_object();
        w.key("count").begin_object().key("total").u64(count).key("cluster_manager").u64(count);
        w.key("coordinating_only").u64(0).key("data").u64(count).key("ingest").u64(count).key("master").u64(count);
        w.key("remote_cluster_client").u64(0).key("search").u64(0).key("warm").u64(0).end_object();
        w.key("versions").begin_array().string(REFERENCE_VERSION).end_array();
        let parts: [(&str, Part<'a>); 9] = [
            ("os", Self::write_os),
            ("process", Self::write_process),
            ("jvm", Self::write_memory),
            ("fs", Self::write_fs),
            ("plugins", |_, w| {
                w.key("plugins").begin_array().end_array();
                Ok(())
            }),
            ("network_types", |look, w| {
                w.key("network_types").begin_object();
                w.key("transport_types").begin_object().key("pith").u64(look.count).end_object();
                w.key("http_types").begin_object().key("pith").u64(look.count).end_object();
                w.end_object();
                Ok(())
            }),
            ("discovery_types", |look, w| {
                w.key("discovery_types").begin_object().key("single-node").u64(look.count).end_object();
                Ok(())
            }),
            ("packaging_types", |look, w| {
                w.key("packaging_types").begin_array().begin_object().key("type").string("tar");
                w.key("count").u64(look.count).end_object().end_array();
                Ok(())
            }),
            ("ingest", Self::write_ingest),
        ];
        for (_, write) in parts.iter().filter(|(metric, _)| wanted.wants(metric)) {
            write(self, w)?;
        }
        w.end_object();
        Ok(())
    }

    fn write_os(&self, w: &mut Writer) -> Result<()> {
        let cores = self.state.nodes.get(self.core.node_id()).map_or(0, |node| node.cores) as u64;
        w.key("os").begin_object();
        w.key("available_processors").u64(self.machine.processors as u64).key("allocated_processors").u64(cores);
        w.key("names").begin_array().begin_object().key("name").string("Linux");
        w.key("count").u64(self.count).end_object().end_array();
        w.key("pretty_names").begin_array().begin_object().key("pretty_name").string(&self.machine.system_name);
        w.key("count").u64(self.count).end_object().end_array();
        w.key("mem");
        write_memory(&self.reading, w);
        w.end_object();
        Ok(())
    }

    fn write_process(&self, w: &mut Writer) -> Result<()> {
        w.key("process").begin_object();
        w.key("cpu").begin_object().key("percent").u64(process_cpu_percent(self.core, &self.reading)?).end_object();
        let open = self.reading.open_files;
        w.key("open_file_descriptors").begin_object();
        w.key("min").u64(open).key("max").u64(open).key("avg").u64(open).end_object().end_object();
        Ok(())
    }

    /// There is no virtual machine; clients that watch one see the memory of the process in the place of its heap.
    fn write_memory(&self, w: &mut Writer) -> Result<()> {
        w.key("jvm").begin_object();
        w.key("max_uptime_in_millis").u64(self.core.facts()?.started.elapsed().as_millis() as u64);
        w.key("versions").begin_array().end_array();
        w.key("mem").begin_object().key("heap_used_in_bytes").u64(self.reading.resident_bytes);
        w.key("heap_max_in_bytes").u64(self.reading.memory_total_bytes).end_object();
        w.key("threads").u64(self.reading.threads).end_object();
        Ok(())
    }

    fn write_fs(&self, w: &mut Writer) -> Result<()> {
        let disk = &self.disk;
        w.key("fs").begin_object().key("total_in_bytes").u64(disk.total_bytes);
        w.key("free_in_bytes").u64(disk.free_bytes).key("available_in_bytes").u64(disk.available_bytes);
        w.key("cache_reserved_in_bytes").u64(0).end_object();
        Ok(())
    }

    fn write_ingest(&self, w: &mut Writer) -> Result<()> {
        let pipelines = &self.state.pipelines;
        let mut kinds: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
        for stored in pipelines.by_id.values() {
            for (_, kind, stats) in stored.pipeline.step_stats() {
                let Figures { count, failed, current, time_ms } = stats.figures();
                let sums = kinds.entry(kind).or_default();
                for (sum, figure) in sums.iter_mut().zip([count, failed, current, time_ms]) {
                    *sum += figure;
                }
            }
        }
        w.key("ingest").begin_object().key("number_of_pipelines").u64(pipelines.by_id.len() as u64);
        w.key("processor_stats").begin_object();
        for (kind, [count, failed, current, time_ms]) in kinds {
            w.key(kind).begin_object().key("count").u64(count).key("failed").u64(failed);
            w.key("current").u64(current).key("time_in_millis").u64(time_ms).end_object();
        }
        w.end_object().end_object();
        Ok(())
    }
}
