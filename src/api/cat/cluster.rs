//! `_cat/health`, `_cat/cluster_manager`, `_cat/pending_tasks`.

use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms};
use super::super::{ApiRequest, Method, Reply, Route};
use super::count::moment_cells;
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, help, table, wants_help};
use crate::cluster::health::{Health, index_health};
use crate::coordinate::Core;
use pith_engine::{Result, deprecated};
use std::rc::Rc;

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/_cat/health",
        name: "cat_health_action",
        params: &[TABLE_PARAMS, &["ts"]],
        handler: |core, request| Box::pin(health(core, request)),
    },
    Route {
        method: Method::Get,
        path: "/_cat/cluster_manager",
        name: "cat_cluster_manager_action",
        params: &[TABLE_PARAMS, MANAGER_TIMEOUT],
        handler: |core, request| Box::pin(manager(core, request)),
    },
    Route {
        method: Method::Get,
        path: "/_cat/master",
        name: "cat_cluster_manager_action",
        params: &[TABLE_PARAMS, MANAGER_TIMEOUT],
        handler: |core, request| Box::pin(old_manager(core, request)),
    },
    Route {
        method: Method::Get,
        path: "/_cat/pending_tasks",
        name: "cat_pending_cluster_tasks_action",
        params: &[TABLE_PARAMS, MANAGER_TIMEOUT],
        handler: |core, request| Box::pin(pending(core, request)),
    },
];

const HEALTH: &[Column] = &[
    column("epoch", "t,time", Align::Left, "seconds since 1970-01-01 00:00:00"),
    column("timestamp", "ts,hms,hhmmss", Align::Left, "time in HH:MM:SS"),
    column("cluster", "cl", Align::Left, "cluster name"),
    column("status", "st", Align::Left, "health status"),
    column("node.total", "nt,nodeTotal", Align::Right, "total number of nodes"),
    column("node.data", "nd,nodeData", Align::Right, "number of nodes that can store data"),
    column(
        "discovered_cluster_manager",
        "dcm,dm,discovered_master",
        Align::Right,
        "cluster manager is discovered or not",
    ),
    column("shards", "t,sh,shards.total,shardsTotal", Align::Right, "total number of shards"),
    column("pri", "p,shards.primary,shardsPrimary", Align::Right, "number of primary shards"),
    column("relo", "r,shards.relocating,shardsRelocating", Align::Right, "number of relocating nodes"),
    column("init", "i,shards.initializing,shardsInitializing", Align::Right, "number of initializing nodes"),
    column("unassign", "u,shards.unassigned,shardsUnassigned", Align::Right, "number of unassigned shards"),
    column("pending_tasks", "pt,pendingTasks", Align::Right, "number of pending tasks"),
    column("max_task_wait_time", "mtwt,maxTaskWaitTime", Align::Right, "wait time of longest task pending"),
    column("active_shards_percent", "asp,activeShardsPercent", Align::Right, "active number of shards in percent"),
];

async fn health(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    // Without the time, the table has no columns for it.
    let columns = if request.flag("ts", true)? { HEALTH } else { &HEALTH[2..] };
    if wants_help(&request)? {
        return Ok(help(columns));
    }
    let state = core.state();
    let health = state.indices.values().map(|index| index_health(&state, index)).fold(Health::NONE, Health::plus);
    let mut row: Vec<Cell> = moment_cells().to_vec();
    row.extend([
        (&*state.cluster_name).into(),
        health.status.name().into(),
        Cell::Number(state.nodes.len() as u64),
        Cell::Number(state.nodes.len() as u64),
        "true".into(),
        Cell::Number(health.active.into()),
        Cell::Number(health.active_primaries.into()),
        Cell::Number(0),
        Cell::Number(health.initializing.into()),
        Cell::Number(health.unassigned.into()),
        Cell::Number(0),
        "-".into(),
        format!("{:.1}%", health.active_percent()).into(),
    ]);
    let skipped = HEALTH.len() - columns.len();
    table(&request, columns, vec![row.split_off(skipped)])
}

const MANAGER: &[Column] = &[
    column("id", "", Align::Left, "node id"),
    column("host", "h", Align::Left, "host name"),
    column("ip", "", Align::Left, "ip address "),
    column("node", "n", Align::Left, "node name"),
];

/// The same by the name that it once had.
async fn old_manager(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    deprecated::note("[GET /_cat/master] is deprecated! Use [GET /_cat/cluster_manager] instead.");
    manager(core, request).await
}

async fn manager(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(MANAGER));
    }
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let state = core.state();
    let node = state.nodes.get(&state.manager);
    let row = |node: &crate::cluster::Node| {
        vec![(&*node.id).into(), node.host.as_str().into(), node.ip.as_str().into(), node.name.as_str().into()]
    };
    table(&request, MANAGER, node.map(|node| row(node)).into_iter().collect())
}

const PENDING: &[Column] = &[
    column("insertOrder", "o", Align::Right, "task insertion order"),
    column("timeInQueue", "t", Align::Right, "how long task has been in queue"),
    column("priority", "p", Align::Left, "task priority"),
    column("source", "s", Align::Left, "task source"),
];

/// See `_cluster/pending_tasks`.
async fn pending(_core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(PENDING));
    }
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    table(&request, PENDING, vec![])
}
