//! `_cat/indices`.

use super::super::index_options::INDEX_PARAMS;
use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms, resolve_shown};
use super::super::{ApiRequest, Method, Reply, Route};
use super::as_hashed;
use super::statistics::{self, OF_INDICES, Reworded};
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, extra, help, table, wants_help};
use crate::cluster::health::index_health;
use crate::cluster::{IndexMeta, IndicesOptions, State, Status};
use crate::coordinate::Core;
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{ShardReply, ShardRequest};
use crate::settings::units::moment;
use pith_engine::shard::ShardStats;
use pith_engine::{Error, Result};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_indices_action",
        params: &[TABLE_PARAMS, INDEX_PARAMS, MANAGER_TIMEOUT, &["health", "include_unloaded_segments", "pri"]],
        handler: |core, request| Box::pin(indices(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cat/indices"), row("/_cat/indices/{index}")];

const FIRST: &[Column] = &[
    column("health", "h", Align::Left, "current health status"),
    column("status", "s", Align::Left, "open/close status"),
    column("index", "i,idx", Align::Left, "index name"),
    column("uuid", "id,uuid", Align::Left, "index uuid"),
    column("pri", "p,shards.primary,shardsPrimary", Align::Right, "number of primary shards"),
    column("rep", "r,shards.replica,shardsReplica", Align::Right, "number of replica shards"),
    column("docs.count", "dc,docsCount", Align::Right, "available docs"),
    column("docs.deleted", "dd,docsDeleted", Align::Right, "deleted docs"),
    extra("creation.date", "cd", Align::Left, "index creation date (millisecond value)"),
    extra("creation.date.string", "cds", Align::Left, "index creation date (as string)"),
    column("store.size", "ss,storeSize", Align::Right, "store size of primaries & replicas"),
    column("pri.store.size", "", Align::Right, "store size of primaries"),
];

const LAST: &[Column] = &[
    extra("search.throttled", "sth", Align::Left, "indicates if the index is search throttled"),
    extra(
        "last_index_request_timestamp",
        "last_index_ts,lastIndexRequestTimestamp",
        Align::Left,
        "timestamp of the last processed index request (epoch millis)",
    ),
    extra(
        "last_index_request_timestamp_string",
        "last_index_ts_string,lastIndexRequestTimestampString",
        Align::Left,
        "timestamp of the last processed index request (ISO8601 string)",
    ),
];

pub fn columns() -> Vec<Column> {
    let statistics = statistics::columns(OF_INDICES).zip(OF_PRIMARIES).flat_map(|(column, name)| {
        let column = statistics::reworded(column, REWORDED);
        let doc = if column.name == "memory.total" { "total user memory" } else { column.doc };
        [column, extra(name, "", column.align, doc)]
    });
    FIRST.iter().copied().chain(statistics).chain(LAST.iter().copied()).collect()
}

const REWORDED: &[Reworded] = &[
    ("search.concurrent_query_total", "scqto,searchConcurrentQueryTotal", "total query phase ops"),
    ("search.startree_query_failed", "stqf,startreeQueryFailed", "failed star tree query phase ops"),
    ("search.startree_query_total", "stqto,startreeQueryCurrent", "total star tree resolved queries"),
    ("search.point_in_time_current", "scc,searchPointInTimeCurrent", "open point in time contexts"),
    ("search.point_in_time_time", "scti,searchPointInTimeTime", "time point in time contexts held open"),
    ("search.point_in_time_total", "scto,searchPointInTimeTotal", "completed point in time contexts"),
];

/// The names of the same columns of the primaries.
static OF_PRIMARIES: &[&str] = &[
    "pri.completion.size",
    "pri.fielddata.memory_size",
    "pri.fielddata.evictions",
    "pri.query_cache.memory_size",
    "pri.query_cache.evictions",
    "pri.request_cache.memory_size",
    "pri.request_cache.evictions",
    "pri.request_cache.hit_count",
    "pri.request_cache.miss_count",
    "pri.flush.total",
    "pri.flush.total_time",
    "pri.get.current",
    "pri.get.time",
    "pri.get.total",
    "pri.get.exists_time",
    "pri.get.exists_total",
    "pri.get.missing_time",
    "pri.get.missing_total",
    "pri.indexing.delete_current",
    "pri.indexing.delete_time",
    "pri.indexing.delete_total",
    "pri.indexing.index_current",
    "pri.indexing.index_time",
    "pri.indexing.index_total",
    "pri.indexing.index_failed",
    "pri.merges.current",
    "pri.merges.current_docs",
    "pri.merges.current_size",
    "pri.merges.total",
    "pri.merges.total_docs",
    "pri.merges.total_size",
    "pri.merges.total_time",
    "pri.merges.warmer.total_invocations",
    "pri.merges.warmer.total_time",
    "pri.merges.warmer.ongoing_count",
    "pri.merges.warmer.total_bytes_received",
    "pri.merges.warmer.total_bytes_sent",
    "pri.merges.warmer.total_receive_time",
    "pri.merges.warmer.total_failure_count",
    "pri.merges.warmer.total_send_time",
    "pri.refresh.total",
    "pri.refresh.time",
    "pri.refresh.external_total",
    "pri.refresh.external_time",
    "pri.refresh.listeners",
    "pri.search.fetch_current",
    "pri.search.fetch_time",
    "pri.search.fetch_total",
    "pri.search.open_contexts",
    "pri.search.query_current",
    "pri.search.query_time",
    "pri.search.query_total",
    "pri.search.query_failed",
    "pri.search.concurrent_query_current",
    "pri.search.concurrent_query_time",
    "pri.search.concurrent_query_total",
    "pri.search.concurrent_avg_slice_count",
    "pri.search.startree.query_current",
    "pri.search.startree.query_time",
    "pri.search.startree_query_failed",
    "pri.search.startree.query_total",
    "pri.search.scroll_current",
    "pri.search.scroll_time",
    "pri.search.scroll_total",
    "pri.search.point_in_time_current",
    "pri.search.point_in_time_time",
    "pri.search.point_in_time_total",
    "pri.segments.count",
    "pri.segments.memory",
    "pri.segments.index_writer_memory",
    "pri.segments.version_map_memory",
    "pri.segments.fixed_bitset_memory",
    "pri.warmer.current",
    "pri.warmer.total",
    "pri.warmer.total_time",
    "pri.suggest.current",
    "pri.suggest.time",
    "pri.suggest.total",
    "pri.memory.total",
];

async fn indices(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let columns = columns();
    if wants_help(&request)? {
        return Ok(help(&columns));
    }
    let chosen = chosen(&core, &request)?;
    let rows = rows(&core, &chosen).await;
    table(&request, &columns, rows)
}

/// The indexes that a request wants to see.
pub fn chosen(core: &Core, request: &ApiRequest) -> Result<Vec<Arc<IndexMeta>>> {
    manager_timeout_ms(request)?;
    // `pri` is read by nobody: the columns of primaries are asked for by their names.
    for name in ["local", "include_unloaded_segments"] {
        request.flag(name, false)?;
    }
    let state = core.state();
    let mut indexes = resolve_shown(request, &state, IndicesOptions::STRICT_EXPAND)?;
    as_hashed(&mut indexes);
    // Read where there is an index to hold against it.
    if let Some(name) = request.param("health").filter(|_| !indexes.is_empty()) {
        let wanted = Status::parse(name)
            .ok_or_else(|| Error::illegal_argument(format!("unknown cluster health status [{name}]")))?;
        indexes.retain(|index| index_health(&state, index).status == wanted);
    }
    Ok(indexes)
}

/// A row for each index.
pub async fn rows(core: &Core, indexes: &[Arc<IndexMeta>]) -> Vec<Vec<Cell>> {
    let state = core.state();
    let mut stats: HashMap<Arc<str>, ShardStats> = HashMap::new();
    for answer in broadcast(core, indexes, || ShardRequest::Stats).await.answers {
        if let Ok(ShardReply::Stats(shard)) = answer.reply {
            stats.entry(answer.index.uuid.clone()).or_default().add(&shard);
        }
    }
    indexes.iter().map(|index| cells_of(&state, index, stats.get(&index.uuid))).collect()
}

fn cells_of(state: &State, index: &IndexMeta, stats: Option<&ShardStats>) -> Vec<Cell> {
    let figure = |of: fn(&ShardStats) -> Cell| stats.map_or(Cell::Null, of);
    let mut cells_of = vec![
        index_health(state, index).status.name().into(),
        index.state.name().into(),
        (&*index.name).into(),
        (&*index.uuid).into(),
        Cell::Number(index.number_of_shards.into()),
        Cell::Number(index.number_of_replicas.into()),
        figure(|stats| Cell::Number(stats.docs.count)),
        figure(|stats| Cell::Number(stats.docs.deleted)),
        Cell::Number(index.creation_date_ms),
        moment(index.creation_date_ms).into(),
        figure(|stats| Cell::Bytes(stats.store_bytes)),
        figure(|stats| Cell::Bytes(stats.store_bytes)),
    ];
    // Every copy is a primary.
    let statistics = OF_INDICES.iter().zip(statistics::cells(OF_INDICES, stats));
    cells_of.extend(statistics.flat_map(|(name, cell)| {
        // It is a sum, which is there without figures too.
        let cell = if *name == "memory.total" && cell == Cell::Null { Cell::Bytes(0) } else { cell };
        [cell.clone(), cell]
    }));
    cells_of.push("false".into());
    cells_of.push(figure(|stats| Cell::Number(stats.indexing.last_index_ms)));
    let written = stats.map(|stats| stats.indexing.last_index_ms).filter(|ms| *ms > 0);
    cells_of.push(written.map_or(Cell::Null, |ms| moment(ms).into()));
    cells_of
}
