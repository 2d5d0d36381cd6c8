//! `_cat/nodes`, `_cat/nodeattrs`, `_cat/plugins`, `_cat/allocation`.

use super::super::nodes::{is_chosen, machine_cpu_percent};
use super::super::root::REFERENCE_VERSION;
use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms};
use super::super::{ApiRequest, Method, Reply, Route};
use super::statistics::{self, OF_NODES, Reworded};
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, extra, help, table, wants_help};
use crate::cluster::health::{Health, index_health};
use crate::cluster::{IndexMeta, Node};
use crate::coordinate::Core;
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{ShardReply, ShardRequest};
use crate::observe::system::{self, Disk, Reading};
use pith_engine::shard::ShardStats;
use pith_engine::{Result, deprecated};
use pith_net::rt;
use std::rc::Rc;
use std::sync::Arc;

macro_rules! row {
    ($path:literal, $name:literal, $params:expr, $handler:ident) => {
        Route {
            method: Method::Get,
            path: $path,
            name: $name,
            params: &[TABLE_PARAMS, MANAGER_TIMEOUT, $params],
            handler: |core, request| Box::pin($handler(core, request)),
        }
    };
}

pub const ROUTES: &[Route] = &[
    row!("/_cat/nodes", "cat_nodes_action", &["full_id"], nodes),
    row!("/_cat/nodeattrs", "cat_nodeattrs_action", &[], attributes),
    row!("/_cat/plugins", "cat_plugins_action", &[], plugins),
    row!("/_cat/allocation", "cat_allocation_action", &[], allocation),
    row!("/_cat/allocation/{nodes}", "cat_allocation_action", &[], allocation),
];

const FIRST: &[Column] = &[
    extra("id", "id,nodeId", Align::Left, "unique node id"),
    extra("pid", "p", Align::Left, "process id"),
    column("ip", "i", Align::Left, "ip address"),
    extra("port", "po", Align::Left, "bound transport port"),
    extra("http_address", "http", Align::Left, "bound http address"),
    extra("version", "v", Align::Left, "os version"),
    extra("type", "t", Align::Left, "os distribution type"),
    extra("build", "b", Align::Left, "os build hash"),
    extra("jdk", "j", Align::Left, "jdk version"),
    extra("disk.total", "dt,diskTotal", Align::Right, "total disk space"),
    extra("disk.used", "du,diskUsed", Align::Right, "used disk space"),
    extra("disk.avail", "d,da,disk,diskAvail", Align::Right, "available disk space"),
    extra("disk.used_percent", "dup,diskUsedPercent", Align::Right, "used disk space percentage"),
    extra("heap.current", "hc,heapCurrent", Align::Right, "used heap"),
    column("heap.percent", "hp,heapPercent", Align::Right, "used heap ratio"),
    extra("heap.max", "hm,heapMax", Align::Right, "max configured heap"),
    extra("ram.current", "rc,ramCurrent", Align::Right, "used machine memory"),
    column("ram.percent", "rp,ramPercent", Align::Right, "used machine memory ratio"),
    extra("ram.max", "rm,ramMax", Align::Right, "total machine memory"),
    extra("file_desc.current", "fdc,fileDescriptorCurrent", Align::Right, "used file descriptors"),
    extra("file_desc.percent", "fdp,fileDescriptorPercent", Align::Right, "used file descriptor ratio"),
    extra("file_desc.max", "fdm,fileDescriptorMax", Align::Right, "max file descriptors"),
    column("cpu", "cpu", Align::Right, "recent cpu usage"),
    column("load_1m", "l", Align::Right, "1m load avg"),
    column("load_5m", "l", Align::Right, "5m load avg"),
    column("load_15m", "l", Align::Right, "15m load avg"),
    extra("uptime", "u", Align::Right, "node uptime"),
    column(
        "node.role",
        "r,role,nodeRole",
        Align::Left,
        "m:master eligible node, d:data node, i:ingest node, -:coordinating node only",
    ),
    column("node.roles", "rs,all roles", Align::Left, " -:coordinating node only"),
    column("cluster_manager", "cm,m,master", Align::Left, "*:current cluster manager"),
    column("name", "n", Align::Left, "node name"),
];

async fn nodes(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let columns = columns();
    if wants_help(&request)? {
        return Ok(help(&columns));
    }
    manager_timeout_ms(&request)?;
    if request.has("local") {
        deprecated::note(
            "Deprecated parameter [local] used. This parameter does not cause this API to act locally, and should not be \
             used. It will be unsupported in version 8.0.",
        );
    }
    request.flag("local", false)?;
    let full_id = request.flag("full_id", false)?;
    let state = core.state();
    let indexes: Vec<Arc<IndexMeta>> = state.indices.values().cloned().collect();
    let sum = sum_of(&core, &indexes).await;
    let data = core.facts()?.data.clone();
    let (reading, disk) = rt::offload(move || (system::read(), system::disk(&data))).await;
    let up_ms = core.facts()?.started.elapsed().as_millis() as u64;
    let rows = state.nodes.get(core.node_id()).map(|node| {
        let mut row = node_cells(node, full_id, *node.id == *state.manager, &reading, &disk, up_ms);
        let statistics: Vec<Cell> = statistics::cells(OF_NODES, Some(&sum)).collect();
        row.extend(with_scripts(statistics, script_cells()));
        row
    });
    table(&request, &columns, rows.into_iter().collect())
}

const SCRIPTS: &[Column] = &[
    extra("script.compilations", "scrcc,scriptCompilations", Align::Right, "script compilations"),
    extra("script.cache_evictions", "scrce,scriptCacheEvictions", Align::Right, "script cache evictions"),
    extra(
        "script.compilation_limit_triggered",
        "scrclt,scriptCacheCompilationLimitTriggered",
        Align::Right,
        "script cache compilation limit triggered",
    ),
];

/// Compiled scripts are not kept between requests, so none has to go, and nothing bounds how many are compiled.
fn script_cells() -> Vec<Cell> {
    vec![Cell::Number(pith_engine::script::compilations()), Cell::Number(0), Cell::Number(0)]
}

const REWORDED: &[Reworded] = &[
    ("request_cache.hit_count", "rchc,requestCacheHitCount", "request cache hit counts"),
    ("request_cache.miss_count", "rcmc,requestCacheMissCount", "request cache miss counts"),
    ("search.startree_query_failed", "stqf,startreeQueryFailed", "star tree failed query ops"),
    ("search.query_failed", "sqf,searchQueryFailed", "total failed query phase ops"),
    ("search.point_in_time_current", "scc,searchPointInTimeCurrent", "open point in time contexts"),
    ("search.point_in_time_time", "scti,searchPointInTimeTime", "time point in time contexts held open"),
    ("search.point_in_time_total", "scto,searchPointInTimeTotal", "completed point in time contexts"),
];

fn columns() -> Vec<Column> {
    let statistics = statistics::columns(OF_NODES).map(|column| statistics::reworded(column, REWORDED));
    let statistics = with_scripts(statistics.collect(), SCRIPTS.to_vec());
    FIRST.iter().copied().chain(statistics).collect()
}

/// Scripts stand before the searches.
fn with_scripts<T>(mut statistics: Vec<T>, scripts: Vec<T>) -> Vec<T> {
    let at = OF_NODES.iter().position(|name| *name == "search.fetch_current").unwrap_or(statistics.len());
    statistics.splice(at..at, scripts);
    statistics
}

async fn sum_of(core: &Core, indexes: &[Arc<IndexMeta>]) -> ShardStats {
    let mut sum = ShardStats::default();
    for answer in broadcast(core, indexes, || ShardRequest::Stats).await.answers {
        if let Ok(ShardReply::Stats(stats)) = answer.reply {
            sum.add(&stats);
        }
    }
    sum
}

fn percent(part: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (part as f64 * 100.0 / whole as f64) as u64 }
}

fn node_cells(node: &Node, full_id: bool, manages: bool, system: &Reading, disk: &Disk, up_ms: u64) -> Vec<Cell> {
    let port = node.transport_address.rsplit(':').next().unwrap_or_default();
    let id = if full_id { &*node.id } else { node.id.get(..4).unwrap_or(&node.id) };
    let memory_used = system.memory_total_bytes.saturating_sub(system.memory_available_bytes);
    let disk_used = disk.total_bytes.saturating_sub(disk.available_bytes);
    vec![
        id.into(),
        Cell::Number(std::process::id().into()),
        node.ip.as_str().into(),
        port.into(),
        node.http_address.as_str().into(),
        REFERENCE_VERSION.into(),
        "tar".into(),
        crate::REFERENCE_BUILD_HASH.into(),
        Cell::Null,
        Cell::Bytes(disk.total_bytes),
        Cell::Bytes(disk_used),
        Cell::Bytes(disk.available_bytes),
        Cell::Decimal(disk_used as f64 * 100.0 / disk.total_bytes.max(1) as f64),
        Cell::Bytes(system.resident_bytes),
        Cell::Number(percent(system.resident_bytes, system.memory_total_bytes)),
        Cell::Bytes(system.memory_total_bytes),
        Cell::Bytes(memory_used),
        Cell::Number(percent(memory_used, system.memory_total_bytes)),
        Cell::Bytes(system.memory_total_bytes),
        Cell::Number(system.open_files),
        Cell::Number(percent(system.open_files, system.open_files_max)),
        Cell::Number(system.open_files_max),
        Cell::Number(machine_cpu_percent(system)),
        Cell::Decimal(system.load[0]),
        Cell::Decimal(system.load[1]),
        Cell::Decimal(system.load[2]),
        Cell::Millis(up_ms),
        "dim".into(),
        node.roles.join(",").into(),
        if manages { "*" } else { "-" }.into(),
        node.name.as_str().into(),
    ]
}

const ATTRIBUTES: &[Column] = &[
    column("node", "name", Align::Left, "node name"),
    extra("id", "id,nodeId", Align::Left, "unique node id"),
    extra("pid", "p", Align::Left, "process id"),
    column("host", "h", Align::Left, "host name"),
    column("ip", "i", Align::Left, "ip address"),
    extra("port", "po", Align::Left, "bound transport port"),
    column("attr", "attr.name", Align::Left, "attribute description"),
    column("value", "attr.value", Align::Left, "attribute value"),
];

async fn attributes(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(ATTRIBUTES));
    }
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let state = core.state();
    let rows = state.nodes.values().flat_map(|node| {
        node.attributes.iter().map(move |(name, value)| {
            vec![
                node.name.as_str().into(),
                node.id.get(..4).unwrap_or(&node.id).into(),
                Cell::Number(std::process::id().into()),
                node.host.as_str().into(),
                node.ip.as_str().into(),
                node.transport_address.rsplit(':').next().unwrap_or_default().into(),
                name.as_str().into(),
                value.as_str().into(),
            ]
        })
    });
    table(&request, ATTRIBUTES, rows.collect())
}

const PLUGINS: &[Column] = &[
    extra("id", "", Align::Left, "unique node id"),
    column("name", "n", Align::Left, "node name"),
    column("component", "c", Align::Left, "component"),
    column("version", "v", Align::Left, "component version"),
    extra("description", "d", Align::Left, "plugin details"),
];

/// There are no plugins: what Pith can do is built in.
async fn plugins(_core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(PLUGINS));
    }
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    table(&request, PLUGINS, vec![])
}

const ALLOCATION: &[Column] = &[
    column("shards", "s", Align::Right, "number of shards on node"),
    column("disk.indices", "di,diskIndices", Align::Right, "disk used by OpenSearch indices"),
    column("disk.used", "du,diskUsed", Align::Right, "disk used (total, not just OpenSearch)"),
    column("disk.avail", "da,diskAvail", Align::Right, "disk available"),
    column("disk.total", "dt,diskTotal", Align::Right, "total capacity of all volumes"),
    column("disk.percent", "dp,diskPercent", Align::Right, "percent disk used"),
    column("host", "h", Align::Left, "host of node"),
    column("ip", "", Align::Left, "ip of node"),
    column("node", "n", Align::Left, "name of node"),
];

async fn allocation(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(ALLOCATION));
    }
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let state = core.state();
    let indexes: Vec<Arc<IndexMeta>> = state.indices.values().cloned().collect();
    let health = indexes.iter().map(|index| index_health(&state, index)).fold(Health::NONE, Health::plus);
    let sum = sum_of(&core, &indexes).await;
    let data = core.facts()?.data.clone();
    let disk = rt::offload(move || system::disk(&data)).await;
    let used = disk.total_bytes.saturating_sub(disk.available_bytes);
    let filter = request.param("nodes").unwrap_or("_all");
    let mut rows: Vec<Vec<Cell>> = vec![];
    if let Some(node) = state.nodes.get(core.node_id()).filter(|node| is_chosen(&state, &node.id, filter)) {
        rows.push(vec![
            Cell::Number((health.active + health.initializing).into()),
            Cell::Bytes(sum.store_bytes),
            Cell::Bytes(used),
            Cell::Bytes(disk.available_bytes),
            Cell::Bytes(disk.total_bytes),
            Cell::Number(percent(used, disk.total_bytes)),
            node.host.as_str().into(),
            node.ip.as_str().into(),
            node.name.as_str().into(),
        ]);
    }
    if health.unassigned > 0 {
        let mut row = vec![Cell::Number(health.unassigned.into())];
        row.extend([Cell::Null, Cell::Null, Cell::Null, Cell::Null, Cell::Null, Cell::Null, Cell::Null]);
        row.push("UNASSIGNED".into());
        rows.push(row);
    }
    table(&request, ALLOCATION, rows)
}
