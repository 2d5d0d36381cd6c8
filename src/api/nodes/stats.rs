//! `_nodes/stats`: what nodes do.

use super::super::indices::stats::{metrics as section_names, write_shard};
use super::super::indices::stats_sections::{Shown, for_people, write_sections};
use super::super::{ApiRequest, Method, Reply, Route, unknown};
use super::breakers::{write_breakers, write_cgroup, write_io_stats};
use super::info::write_roles;
use super::pressure::{write_alone, write_indexing_pressure, write_no_pools};
use super::{is_chosen, machine_cpu_percent, process_cpu_percent, write_memory};
use crate::api::cat::thread_pool::POOLS;
use crate::cluster::{IndexMeta, State};
use crate::coordinate::broadcast::{ShardAnswer, broadcast};
use crate::coordinate::search::PhasesFigures;
use crate::coordinate::{Core, clock};
use crate::coordinate::{ShardReply, ShardRequest};
use crate::observe::Ends;
use crate::observe::control_groups::{ControlGroups, DeviceFigures, control_groups, device_figures};
use crate::observe::system::{self, Disk, Reading};
use pith_engine::did_you_mean::suffix;
use pith_engine::ingest::{Figures, Pipelines, Stats};
use pith_engine::json::Writer;
use pith_engine::shard::ShardStats;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const PARAMS: &[&str] = &[
    "level",
    "timeout",
    "groups?",
    "fields?",
    "completion_fields?",
    "fielddata_fields?",
    "include_segment_file_sizes?",
];

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "nodes_stats_action",
        params: &[PARAMS],
        handler: |core, request| Box::pin(stats(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    row("/_nodes/stats"),
    row("/_nodes/{nodeId}/stats"),
    row("/_nodes/stats/{metric}"),
    row("/_nodes/{nodeId}/stats/{metric}"),
    row("/_nodes/stats/{metric}/{index_metric}"),
    row("/_nodes/{nodeId}/stats/{metric}/{index_metric}"),
];

/// What can be asked for; those without a part below are sections of the reference that have no figures here.
const METRICS: [&str; 28] = [
    "indices",
    "os",
    "process",
    "jvm",
    "thread_pool",
    "fs",
    "transport",
    "http",
    "breaker",
    "script",
    "discovery",
    "ingest",
    "adaptive_selection",
    "script_cache",
    "indexing_pressure",
    "shard_indexing_pressure",
    "search_backpressure",
    "cluster_manager_throttling",
    "weighted_routing",
    "file_cache",
    "task_cancellation",
    "search_pipeline",
    "resource_usage_stats",
    "segment_replication_backpressure",
    "repositories",
    "admission_control",
    "caches",
    "remote_store",
];

async fn stats(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.time_ms_of("NodesStatsRequest", "timeout")?;
    let state = core.state();
    let metrics = request.list("metric");
    check_metrics(&request, &metrics)?;
    let sections = sections(&request, &metrics)?;
    let shown = shown(&request, &metrics, sections.as_deref())?;
    request.check_known()?;
    let wants = |metric: &str| metrics.is_empty() || metrics.contains(&"_all") || metrics.contains(&metric);
    let by = match request.param("level") {
        None | Some("node") => Level::Node,
        Some("indices") => Level::Indices,
        Some("shards") => Level::Shards,
        // Only what is told by index or shard has a level.
        Some(_) if !wants("indices") => Level::Node,
        Some("") => {
            let reason = "level parameter must be one of [indices] or [node] or [shards] but was []";
            return Err(Error::illegal_argument(reason));
        }
        // It is the node that does not know the level: the request is answered.
        Some(_) => {
            let chosen = is_chosen(&state, core.node_id(), request.param("nodeId").unwrap_or("_all"));
            return Ok(unknown_level(&state, core.node_id(), chosen));
        }
    };
    let chosen = is_chosen(&state, core.node_id(), request.param("nodeId").unwrap_or("_all"));
    let mut w = Writer::new();
    let count = u64::from(chosen);
    w.begin_object();
    w.key("_nodes")
        .begin_object()
        .key("total")
        .u64(count)
        .key("successful")
        .u64(count)
        .key("failed")
        .u64(0)
        .end_object();
    w.key("cluster_name").string(&state.cluster_name);
    w.key("nodes").begin_object();
    if let Some(node) = state.nodes.get(core.node_id()).filter(|_| chosen) {
        w.key(core.node_id()).begin_object();
        w.key("timestamp").i64(clock::now_ms());
        w.key("name").string(&node.name);
        w.key("transport_address").string(&node.transport_address);
        w.key("host").string(&node.host);
        w.key("ip").string(&node.transport_address);
        write_roles(node, &mut w);
        let figures = core.figures().await?;
        if wants("indices") {
            let mut phases = PhasesFigures::default();
            figures.iter().for_each(|figures| phases.add(&figures.search_phases));
            write_indices(&core, sections.as_deref(), (&shown, phases), by, &mut w).await;
        }
        let data = core.facts()?.data.clone();
        let read = move || {
            let disk = system::disk(&data);
            (system::read(), device_figures(&disk.device), control_groups(), disk)
        };
        let (reading, device, groups, disk) = rt::offload(read).await;
        let sum = match ["caches", "thread_pool", "breaker"].iter().any(|metric| wants(metric)) {
            true => sum_of(&core).await,
            false => ShardStats::default(),
        };
        let held = figures.iter().map(|figures| figures.request_bytes).sum();
        let machine = Machine { core: &core, reading, device, groups, disk, sum, held };
        for (metric, write) in PARTS {
            if wants(metric) {
                write(&machine, &mut w)?;
            }
        }
        // Told whatever was asked for. There is no other memory than that.
        w.key("native_memory").begin_object();
        w.key("total_estimated_bytes").u64(machine.reading.resident_bytes).end_object();
        w.end_object();
    }
    w.end_object().end_object();
    let answer = w.finish();
    Ok(Reply::json(200, if request.common.human { for_people(answer) } else { answer }))
}

/// The answer to a level that there is none of: the node, if it was asked, has failed.
fn unknown_level(state: &State, node: &str, chosen: bool) -> Reply {
    let count = u64::from(chosen);
    let mut w = Writer::new();
    w.begin_object().key("_nodes").begin_object();
    w.key("total").u64(count).key("successful").u64(0).key("failed").u64(count);
    if chosen {
        let cause = Error::illegal_argument("Level provided is not supported by NodeIndicesStats");
        let error = Error::new(ErrorKind::FailedNode, format!("Failed node [{node}]"));
        w.key("failures").begin_array();
        error.with("node_id", node).caused_by(cause).write(&mut w);
        w.end_array();
    }
    w.end_object();
    w.key("cluster_name").string(&state.cluster_name);
    w.key("nodes").begin_object().end_object().end_object();
    Reply::ok(w)
}

fn check_metrics(request: &ApiRequest, metrics: &[&str]) -> Result<()> {
    if metrics.contains(&"_all") && metrics.len() > 1 {
        return Err(Error::illegal_argument(format!(
            "request [{}] contains _all and individual metrics [{}]",
            request.path,
            metrics.join(",")
        )));
    }
    let unknown: BTreeSet<&str> =
        metrics.iter().copied().filter(|name| *name != "_all" && !METRICS.contains(name)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let listed: Vec<String> = unknown
        .iter()
        .map(|name| match suffix(name, METRICS).as_str() {
            "" => format!("[{name}]"),
            hint => format!("[{name}] ->{hint}"),
        })
        .collect();
    let plural = if unknown.len() > 1 { "s" } else { "" };
    Err(Error::illegal_argument(format!(
        "request [{}] contains unrecognized metric{plural}: {}",
        request.path,
        listed.join(", ")
    )))
}

/// Caches that may be asked for by themselves.
fn check_caches(request: &ApiRequest, given: &[&str]) -> Result<()> {
    match given.iter().find(|name| !matches!(**name, "request_cache" | "_all")) {
        None => Ok(()),
        Some(name) => Err(Error::illegal_argument(format!(
            "request [{}] contains unrecognized cache type: [{name}]",
            request.path
        ))),
    }
}

/// The sections of `indices` that are wanted.
fn sections<'a>(request: &'a ApiRequest, metrics: &[&str]) -> Result<Option<Vec<&'a str>>> {
    let given = request.list("index_metric");
    if given.is_empty() {
        return Ok(None);
    }
    if metrics.is_empty() || metrics.contains(&"_all") {
        return Err(Error::illegal_argument(format!(
            "request [{}] contains index metrics [{}] but all stats requested",
            request.path,
            given.join(",")
        )));
    }
    if metrics.contains(&"caches") && !metrics.contains(&"indices") {
        return check_caches(request, &given).map(|()| None);
    }
    if !metrics.contains(&"indices") {
        return Err(Error::illegal_argument(format!(
            "request [{}] contains index metrics [{}] but indices stats not requested",
            request.path,
            given.join(",")
        )));
    }
    section_names(request, "index metric", &given)
}

/// The parameters of the sections; without `indices` there are none.
fn shown(request: &ApiRequest, metrics: &[&str], sections: Option<&[&str]>) -> Result<Shown> {
    let indices = metrics.is_empty() || metrics.contains(&"_all") || metrics.contains(&"indices");
    let sections = if indices { sections } else { Some(&[][..]) };
    let searches = sections.is_none_or(|sections| sections.contains(&"search"));
    let unread = ["groups"].into_iter().filter(|name| !searches && request.has(name));
    unknown::refuse(request.route, &request.path, unread)?;
    Shown::of(request, sections)
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Node,
    Indices,
    Shards,
}

async fn write_indices(
    core: &Core,
    sections: Option<&[&str]>,
    (shown, phases): (&Shown, PhasesFigures),
    level: Level,
    w: &mut Writer,
) {
    let state = core.state();
    let indexes: Vec<Arc<IndexMeta>> = state.indices.values().cloned().collect();
    let answers = broadcast(core, &indexes, || ShardRequest::Stats).await.answers;
    let mut sum = ShardStats::default();
    let mut by_index: BTreeMap<&str, Vec<(&ShardAnswer, &ShardStats)>> = BTreeMap::new();
    for answer in &answers {
        if let Ok(ShardReply::Stats(stats)) = &answer.reply {
            sum.add(stats);
            by_index.entry(&answer.index.name).or_default().push((answer, stats));
        }
    }
    w.key("indices").begin_object();
    let of_node = Shown { search_phases: Some(phases), ..shown.clone() };
    write_sections(&sum, sections, &of_node, w);
    write_statuses(core, w);
    match level {
        Level::Node => {}
        Level::Indices => {
            w.key("indices").begin_object();
            for (index, shards) in by_index {
                let mut sum = ShardStats::default();
                shards.iter().for_each(|(_, stats)| sum.add(stats));
                w.key(index).begin_object();
                write_sections(&sum, sections, shown, w);
                w.end_object();
            }
            w.end_object();
        }
        Level::Shards => {
            w.key("shards").begin_object();
            for (index, shards) in by_index {
                w.key(index).begin_array();
                for (answer, stats) in shards {
                    w.begin_object().key(&answer.shard.to_string());
                    write_shard(core, answer, stats, (sections, shown), w);
                    w.end_object();
                }
                w.end_array();
            }
            w.end_object();
        }
    }
    w.end_object();
}

async fn sum_of(core: &Core) -> ShardStats {
    let indexes: Vec<Arc<IndexMeta>> = core.state().indices.values().cloned().collect();
    let mut sum = ShardStats::default();
    for answer in broadcast(core, &indexes, || ShardRequest::Stats).await.answers {
        if let Ok(ShardReply::Stats(stats)) = answer.reply {
            sum.add(&stats);
        }
    }
    sum
}

/// How documents and searches have ended.
fn write_statuses(core: &Core, w: &mut Writer) {
    let Ok(facts) = core.facts() else { return };
    let ends = |w: &mut Writer, key: &str, ends: &Ends| {
        w.key(key).begin_object();
        w.key("success").u64(ends.success.load(Ordering::Relaxed));
        w.key("user_error").u64(ends.user_error.load(Ordering::Relaxed));
        w.key("system_failure").u64(ends.system_failure.load(Ordering::Relaxed)).end_object();
    };
    w.key("status_counter").begin_object();
    ends(w, "doc_status", &facts.statuses.documents);
    ends(w, "search_response_status", &facts.statuses.searches);
    w.end_object();
}

struct Machine<'a> {
    core: &'a Core,
    reading: Reading,
    /// What the disk of the data folder did.
    device: Option<DeviceFigures>,
    groups: ControlGroups,
    disk: Disk,
    /// Bytes that requests hold on all cores.
    held: u64,
    /// The figures of all shards, where a part wants them.
    sum: ShardStats,
}

type Part = fn(&Machine<'_>, &mut Writer) -> Result<()>;

/// In the order in which they are written.
const PARTS: &[(&str, Part)] = &[
    ("os", write_os),
    ("process", write_process),
    ("jvm", write_memory_of_process),
    ("thread_pool", |m, w| {
        let cores = m.core.state().nodes.get(m.core.node_id()).map_or(0, |node| node.cores as u64);
        w.key("thread_pool").begin_object();
        for (name, _, figures) in POOLS {
            let (active, completed) = figures(&m.sum);
            w.key(name).begin_object().key("threads").u64(cores).key("queue").u64(0).key("active").u64(active);
            w.key("rejected").u64(0).key("largest").u64(cores).key("completed").u64(completed).end_object();
        }
        w.end_object();
        Ok(())
    }),
    ("fs", write_fs),
    ("transport", |_, w| {
        w.key("transport").begin_object();
        for key in [
            "server_open",
            "total_outbound_connections",
            "rx_count",
            "rx_size_in_bytes",
            "tx_count",
            "tx_size_in_bytes",
        ] {
            w.key(key).u64(0);
        }
        w.end_object();
        Ok(())
    }),
    ("caches", |m, w| {
        let stats = &m.core.facts()?.analyze_cache;
        w.key("caches").begin_object().key("analyze_cache").begin_object();
        for (key, figure) in [
            ("size_in_bytes", &stats.bytes),
            ("hit_count", &stats.hits),
            ("miss_count", &stats.misses),
            ("evictions", &stats.evictions),
        ] {
            w.key(key).u64(figure.load(Ordering::Relaxed));
        }
        w.end_object().key("request_cache").begin_object();
        let c = &m.sum.request_cache;
        w.key("size_in_bytes").u64(c.memory_bytes).key("evictions").u64(c.evictions);
        w.key("hit_count").u64(c.hits).key("miss_count").u64(c.misses).key("item_count").u64(c.items);
        w.key("store_name").string("opensearch_onheap").end_object().end_object();
        Ok(())
    }),
    ("breaker", |m, w| write_breakers(m.core, m.reading.memory_total_bytes, m.held, m.sum.fielddata_bytes(), w)),
    ("discovery", |m, w| {
        let changes = &m.core.facts()?.changes;
        w.key("discovery").begin_object().key("cluster_state_queue").begin_object();
        w.key("total").u64(0).key("pending").u64(0).key("committed").u64(0).end_object();
        // A node alone hands its states from core to core, whole.
        w.key("published_cluster_states").begin_object().key("full_states").u64(changes.made.load(Ordering::Relaxed));
        w.key("incompatible_diffs").u64(0).key("compatible_diffs").u64(0).end_object();
        w.key("cluster_state_stats").begin_object().key("overall").begin_object();
        w.key("update_count").u64(changes.made.load(Ordering::Relaxed));
        w.key("total_time_in_millis").u64(changes.took_us.load(Ordering::Relaxed) / 1000);
        w.key("failed_count").u64(changes.failed.load(Ordering::Relaxed));
        w.end_object().end_object().end_object();
        Ok(())
    }),
    ("script_cache", |m, w| {
        w.key("script_cache").begin_object().key("sum").begin_object();
        write_compilations(m, w)?;
        w.end_object().end_object();
        Ok(())
    }),
    ("script", |m, w| {
        w.key("script").begin_object();
        write_compilations(m, w)?;
        w.end_object();
        Ok(())
    }),
    ("indexing_pressure", |m, w| write_indexing_pressure(m.core, w)),
    ("adaptive_selection", |_, w| alone("adaptive_selection", w)),
    ("cluster_manager_throttling", |_, w| alone("cluster_manager_throttling", w)),
    ("shard_indexing_pressure", |_, w| alone("shard_indexing_pressure", w)),
    ("admission_control", |_, w| alone("admission_control", w)),
    ("search_backpressure", |_, w| alone("search_backpressure", w)),
    ("task_cancellation", |_, w| alone("task_cancellation", w)),
    ("remote_store", |_, w| alone("remote_store", w)),
    ("weighted_routing", |_, w| alone("weighted_routing", w)),
    ("segment_replication_backpressure", |_, w| alone("segment_replication_backpressure", w)),
    ("repositories", |_, w| alone("repositories", w)),
    ("ingest", |m, w| {
        write_ingest(&m.core.state().pipelines, w);
        Ok(())
    }),
    ("search_pipeline", |m, w| {
        super::search_pipelines::write(&m.core.state().search_pipelines, w);
        Ok(())
    }),
    ("http", |m, w| {
        let http = &m.core.facts()?.http;
        w.key("http")
            .begin_object()
            .key("current_open")
            .u64(http.open())
            .key("total_opened")
            .u64(http.opened())
            .end_object();
        Ok(())
    }),
];

/// How often scripts were compiled, forgotten, and refused for there being too many.
fn write_compilations(m: &Machine<'_>, w: &mut Writer) -> Result<()> {
    let limited = m.core.facts()?.compilations.refused.load(Ordering::Relaxed);
    w.key("compilations").u64(pith_engine::script::compilations());
    w.key("cache_evictions").u64(pith_engine::script::evictions());
    w.key("compilation_limit_triggered").u64(limited);
    Ok(())
}

fn alone(name: &str, w: &mut Writer) -> Result<()> {
    write_alone(name, w);
    Ok(())
}

fn write_ingest(pipelines: &Pipelines, w: &mut Writer) {
    let figures = |stats: &Stats, w: &mut Writer| {
        let Figures { count, failed, current, time_ms } = stats.figures();
        w.key("count").u64(count).key("time_in_millis").u64(time_ms);
        w.key("current").u64(current).key("failed").u64(failed);
    };
    w.key("ingest").begin_object().key("total").begin_object();
    figures(&pipelines.total, w);
    w.end_object().key("pipelines").begin_object();
    for (id, stored) in &pipelines.by_id {
        w.key(id).begin_object();
        figures(&stored.pipeline.stats, w);
        w.key("processors").begin_array();
        for (name, kind, stats) in stored.pipeline.step_stats() {
            w.begin_object().key(&name).begin_object().key("type").string(kind).key("stats").begin_object();
            figures(stats, w);
            w.end_object().end_object().end_object();
        }
        w.end_array().end_object();
    }
    w.end_object().end_object();
}

fn write_os(m: &Machine<'_>, w: &mut Writer) -> Result<()> {
    let system = &m.reading;
    w.key("os").begin_object().key("timestamp").i64(clock::now_ms());
    w.key("cpu").begin_object().key("percent").u64(machine_cpu_percent(system));
    w.key("load_average").begin_object();
    for (key, load) in ["1m", "5m", "15m"].iter().zip(system.load) {
        w.key(key).f64(load);
    }
    w.end_object().end_object();
    w.key("mem");
    write_memory(system, w);
    w.key("swap").begin_object();
    w.key("total_in_bytes").u64(system.swap_total_bytes).key("free_in_bytes").u64(system.swap_free_bytes);
    w.key("used_in_bytes").u64(system.swap_total_bytes.saturating_sub(system.swap_free_bytes)).end_object();
    write_cgroup(&m.groups, w);
    w.end_object();
    Ok(())
}

fn write_process(m: &Machine<'_>, w: &mut Writer) -> Result<()> {
    let system = &m.reading;
    w.key("process").begin_object().key("timestamp").i64(clock::now_ms());
    w.key("open_file_descriptors").u64(system.open_files);
    w.key("max_file_descriptors").u64(system.open_files_max);
    w.key("cpu").begin_object().key("percent").u64(process_cpu_percent(m.core, system)?);
    w.key("total_in_millis").u64(system.cpu_total_ms).end_object();
    w.key("mem").begin_object();
    w.key("total_virtual_in_bytes").u64(system.virtual_bytes);
    w.key("resident_in_bytes").u64(system.resident_bytes).end_object();
    w.key("cores").begin_object();
    w.key("stalls").u64(rt::stalls()).key("panics").u64(rt::panics()).end_object();
    w.end_object();
    Ok(())
}

/// There is no virtual machine; clients that watch one see the memory of the process in the place of its heap.
fn write_memory_of_process(m: &Machine<'_>, w: &mut Writer) -> Result<()> {
    let (used, total) = (m.reading.resident_bytes, m.reading.memory_total_bytes);
    w.key("jvm").begin_object().key("timestamp").i64(clock::now_ms());
    w.key("uptime_in_millis").u64(m.core.facts()?.started.elapsed().as_millis() as u64);
    w.key("mem").begin_object();
    w.key("heap_used_in_bytes").u64(used);
    w.key("heap_used_percent").u64((used * 100).checked_div(total).unwrap_or(0));
    w.key("heap_committed_in_bytes").u64(used);
    w.key("heap_max_in_bytes").u64(total);
    // All memory is one: there is none beside the heap, and no pools of it.
    w.key("non_heap_used_in_bytes").u64(0).key("non_heap_committed_in_bytes").u64(0);
    w.key("pools").begin_object().end_object();
    w.end_object();
    write_no_pools(w);
    let threads = m.reading.threads;
    w.key("threads").begin_object().key("count").u64(threads).key("peak_count").u64(threads).end_object();
    w.end_object();
    Ok(())
}

fn write_fs(m: &Machine<'_>, w: &mut Writer) -> Result<()> {
    let sizes = |w: &mut Writer| {
        w.key("total_in_bytes").u64(m.disk.total_bytes).key("free_in_bytes").u64(m.disk.free_bytes);
        w.key("available_in_bytes").u64(m.disk.available_bytes).key("cache_reserved_in_bytes").u64(0);
    };
    w.key("fs").begin_object().key("timestamp").i64(clock::now_ms());
    w.key("total").begin_object();
    sizes(w);
    w.end_object();
    w.key("data").begin_array().begin_object();
    w.key("path").string(&m.core.facts()?.data.display().to_string());
    w.key("mount").string(&format!("{} ({})", m.disk.mount, m.disk.device));
    w.key("type").string(&m.disk.kind);
    sizes(w);
    w.end_object().end_array();
    write_io_stats(m.device.as_ref(), w);
    w.end_object();
    Ok(())
}
