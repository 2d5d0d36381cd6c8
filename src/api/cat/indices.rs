//! `_cat/indices`.

use super::super::index_options::INDEX_PARAMS;
use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms, resolve};
use super::super::{ApiRequest, Method, Reply, Route};
use super::statistics::{STATISTICS, cells};
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, extra, help, table, wants_help};
use crate::api::cluster::routing::moment;
use crate::cluster::health::index_health;
use crate::cluster::{IndexMeta, IndicesOptions, State, Status};
use crate::coordinate::Core;
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{ShardReply, ShardRequest};
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
];

pub fn columns() -> Vec<Column> {
    let statistics = STATISTICS.iter().map(|(column, _)| *column);
    FIRST.iter().copied().chain(statistics).chain(LAST.iter().copied()).collect()
}

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
    for name in ["local", "include_unloaded_segments", "pri"] {
        request.flag(name, false)?;
    }
    let wanted = match request.param("health") {
        None => None,
        Some(name) => Some(
            Status::parse(name)
                .ok_or_else(|| Error::illegal_argument(format!("unknown cluster health status [{name}]")))?,
        ),
    };
    let state = core.state();
    let mut indexes = resolve(request, &state, IndicesOptions::STRICT_EXPAND)?;
    indexes.retain(|index| wanted.is_none_or(|wanted| index_health(&state, index).status == wanted));
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
    cells_of.extend(cells(stats));
    cells_of.push("false".into());
    cells_of.push(figure(|stats| Cell::Number(stats.indexing.last_index_ms)));
    cells_of
}
