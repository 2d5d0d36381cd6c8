//! `_cat/thread_pool`: the reference's pools, as far as there is anything like them here.
//!
//! Every core does all kinds of work on one thread, so the pools are kinds of work: as large as there are cores, with what of each
//! kind runs and has run. Work of kinds that have no counters is none.

use super::super::{ApiRequest, Method, Reply, Route};
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, extra, help, table, wants_help};
use crate::cluster::IndexMeta;
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{Core, ShardReply, ShardRequest};
use crate::settings::glob;
use pith_engine::Result;
use pith_engine::shard::ShardStats;
use std::rc::Rc;
use std::sync::Arc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_threadpool_action",
        params: &[TABLE_PARAMS, &["cluster_manager_timeout", "master_timeout?", "local"]],
        handler: |core, request| Box::pin(pools(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cat/thread_pool"), row("/_cat/thread_pool/{thread_pool_patterns}")];

const COLUMNS: &[Column] = &[
    column("node_name", "nn", Align::Left, "node name"),
    extra("node_id", "id", Align::Left, "persistent node id"),
    extra("ephemeral_node_id", "eid", Align::Left, "ephemeral node id"),
    extra("pid", "p", Align::Left, "process id"),
    extra("host", "h", Align::Left, "host name"),
    extra("ip", "i", Align::Left, "ip address"),
    extra("port", "po", Align::Left, "bound transport port"),
    column("name", "n", Align::Left, "thread pool name"),
    extra("type", "t", Align::Left, "thread pool type"),
    column("active", "a", Align::Right, "number of active threads"),
    extra("pool_size", "psz", Align::Right, "number of threads"),
    column("queue", "q", Align::Right, "number of tasks currently in queue"),
    extra("queue_size", "qs", Align::Right, "maximum number of tasks permitted in queue"),
    column("rejected", "r", Align::Right, "number of rejected tasks"),
    extra("largest", "l", Align::Right, "highest number of seen active threads"),
    extra("completed", "c", Align::Right, "number of completed tasks"),
    extra("total_wait_time", "twt", Align::Right, "total time tasks spent waiting in thread_pool queue"),
    extra("core", "cr", Align::Right, "core number of threads in a scaling thread pool"),
    extra("max", "mx", Align::Right, "maximum number of threads in a scaling thread pool"),
    extra("size", "sz", Align::Right, "number of threads in a fixed thread pool"),
    extra("keep_alive", "ka", Align::Right, "thread keep alive time"),
    extra("parallelism", "pl", Align::Right, "number of worker threads in a fork_join thread pool"),
];

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Fixed,
    Resizable,
    Scaling,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Resizable => "resizable",
            Self::Scaling => "scaling",
        }
    }
}

/// Running now, and done so far.
pub type Figures = fn(&ShardStats) -> (u64, u64);

const NONE: Figures = |_| (0, 0);

/// By name.
pub const POOLS: &[(&str, Kind, Figures)] = &[
    ("analyze", Kind::Fixed, NONE),
    ("fetch_shard_started", Kind::Scaling, NONE),
    ("fetch_shard_store", Kind::Scaling, NONE),
    ("flush", Kind::Scaling, |stats| (0, stats.flush.total)),
    ("force_merge", Kind::Fixed, NONE),
    ("generic", Kind::Scaling, NONE),
    ("get", Kind::Fixed, |stats| (stats.get.current, stats.get.exists_total + stats.get.missing_total)),
    ("index_searcher", Kind::Resizable, NONE),
    ("listener", Kind::Fixed, NONE),
    ("management", Kind::Scaling, NONE),
    ("merge", Kind::Scaling, |stats| (stats.merges.current, stats.merges.total)),
    ("refresh", Kind::Scaling, |stats| (0, stats.refresh.total)),
    ("remote_download", Kind::Scaling, NONE),
    ("remote_purge", Kind::Scaling, NONE),
    ("remote_recovery", Kind::Scaling, NONE),
    ("remote_refresh_retry", Kind::Scaling, NONE),
    ("remote_state_checksum", Kind::Fixed, NONE),
    ("remote_state_read", Kind::Fixed, NONE),
    ("search", Kind::Resizable, |stats| {
        let search = &stats.search;
        (search.query_current + search.fetch_current, search.query_total + search.fetch_total)
    }),
    ("search_throttled", Kind::Resizable, NONE),
    ("snapshot", Kind::Scaling, NONE),
    ("snapshot_deletion", Kind::Scaling, NONE),
    ("stream_search", Kind::Resizable, NONE),
    ("system_read", Kind::Fixed, NONE),
    ("system_write", Kind::Fixed, NONE),
    ("translog_recovery", Kind::Fixed, NONE),
    ("translog_sync", Kind::Fixed, NONE),
    ("translog_transfer", Kind::Scaling, NONE),
    ("warmer", Kind::Scaling, NONE),
    ("write", Kind::Fixed, |stats| {
        let writes = &stats.indexing;
        (writes.index_current + writes.delete_current, writes.index_total + writes.delete_total)
    }),
];

async fn pools(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(COLUMNS));
    }
    super::super::targets::manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let state = core.state();
    let indexes: Vec<Arc<IndexMeta>> = state.indices.values().cloned().collect();
    let mut sum = ShardStats::default();
    for answer in broadcast(&core, &indexes, || ShardRequest::Stats).await.answers {
        if let Ok(ShardReply::Stats(stats)) = answer.reply {
            sum.add(&stats);
        }
    }
    let patterns = request.list("thread_pool_patterns");
    let Some(node) = state.nodes.get(&state.manager) else { return table(&request, COLUMNS, vec![]) };
    let port = node.transport_address.rsplit_once(':').map_or("-", |(_, port)| port);
    let cores = node.cores as u64;
    let wanted = POOLS.iter().filter(|(name, ..)| patterns.is_empty() || patterns.iter().any(|p| glob(p, name)));
    // What nobody measures is a nanosecond less than none, and none in every coarser unit.
    let unknown = match request.param("time") {
        None | Some("" | "nanos") => Cell::from("-1"),
        Some(_) => Cell::Number(0),
    };
    let rows = wanted.map(|(name, kind, figures)| {
        let (active, completed) = figures(&sum);
        let scaling = |cell: Cell| if *kind == Kind::Scaling { cell } else { Cell::Null };
        let waits = *kind == Kind::Resizable;
        vec![
            node.name.as_str().into(),
            (&*node.id).into(),
            node.ephemeral_id.as_str().into(),
            std::process::id().to_string().into(),
            node.host.as_str().into(),
            node.ip.as_str().into(),
            port.into(),
            (*name).into(),
            kind.name().into(),
            Cell::Number(active),
            Cell::Number(cores),
            Cell::Number(0),
            "-1".into(),
            Cell::Number(0),
            Cell::Number(cores),
            Cell::Number(completed),
            if waits { Cell::Millis(0) } else { unknown.clone() },
            scaling(Cell::Number(1)),
            scaling(Cell::Number(cores)),
            if *kind == Kind::Scaling { Cell::Null } else { Cell::Number(cores) },
            scaling("5m".into()),
            Cell::Null,
        ]
    });
    table(&request, COLUMNS, rows.collect())
}
