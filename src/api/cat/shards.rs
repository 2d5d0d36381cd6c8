//! `_cat/shards`.

use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms, resolve_shown};
use super::super::{ApiRequest, Method, Reply, Route};
use super::as_hashed;
use super::statistics::{self, OF_SHARDS};
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, extra, help, table, wants_help};
use crate::api::cluster::routing::state_name;
use crate::cluster::{IndexMeta, IndicesOptions, State, UnassignedInfo};
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{Core, clock};
use crate::coordinate::{ShardReply, ShardRequest};
use crate::settings::units::moment;
use pith_engine::Result;
use pith_engine::shard::ShardStats;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_shards_action",
        params: &[TABLE_PARAMS, MANAGER_TIMEOUT],
        handler: |core, request| Box::pin(shards(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cat/shards"), row("/_cat/shards/{index}")];

const FIRST: &[Column] = &[
    column("index", "i,idx", Align::Left, "index name"),
    column("shard", "s,sh", Align::Left, "shard name"),
    column("prirep", "p,pr,primaryOrReplica", Align::Left, "primary or replica"),
    column("state", "st", Align::Left, "shard state"),
    column("docs", "d,dc", Align::Right, "number of docs in shard"),
    column("store", "sto", Align::Right, "store size of shard (how much disk it uses)"),
    column("ip", "", Align::Left, "ip of node where it lives"),
    extra("id", "", Align::Left, "unique id of node where it lives"),
    column("node", "n", Align::Left, "name of node where it lives"),
    extra("sync_id", "sync_id", Align::Left, "sync id"),
    extra("unassigned.reason", "ur", Align::Left, "reason shard is unassigned"),
    extra("unassigned.at", "ua", Align::Left, "time shard became unassigned (UTC)"),
    extra("unassigned.for", "uf", Align::Right, "time has been unassigned"),
    extra("unassigned.details", "ud", Align::Left, "additional details as to why the shard became unassigned"),
    extra("recoverysource.type", "rs", Align::Left, "recovery source type"),
];

const SEQ_NO: &[Column] = &[
    extra("seq_no.max", "sqm,maxSeqNo", Align::Right, "max sequence number"),
    extra("seq_no.local_checkpoint", "sql,localCheckpoint", Align::Right, "local checkpoint"),
    extra("seq_no.global_checkpoint", "sqg,globalCheckpoint", Align::Right, "global checkpoint"),
];

const LAST: &[Column] = &[
    extra("path.data", "pd,dataPath", Align::Left, "shard data path"),
    extra("path.state", "ps,statsPath", Align::Left, "shard state path"),
    extra("docs.deleted", "dd,docsDeleted", Align::Right, "number of deleted docs in shard"),
];

pub fn columns() -> Vec<Column> {
    with_seq_no(statistics::columns(OF_SHARDS).collect(), SEQ_NO.to_vec(), FIRST, LAST)
}

/// The sequence numbers stand before the warmers, wherever those are among the statistics.
fn with_seq_no<T: Clone>(mut statistics: Vec<T>, seq_no: Vec<T>, first: &[T], last: &[T]) -> Vec<T> {
    let at = OF_SHARDS.iter().position(|name| *name == "warmer.current").unwrap_or(statistics.len());
    statistics.splice(at..at, seq_no);
    first.iter().cloned().chain(statistics).chain(last.iter().cloned()).collect()
}

async fn shards(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let columns = columns();
    if wants_help(&request)? {
        return Ok(help(&columns));
    }
    let indexes = chosen(&core, &request)?;
    let rows = rows(&core, &indexes, request.has("index")).await?;
    table(&request, &columns, rows.into_iter().map(|(_, row)| row).collect())
}

/// The indexes that a request wants to see the shards of.
pub fn chosen(core: &Core, request: &ApiRequest) -> Result<Vec<Arc<IndexMeta>>> {
    manager_timeout_ms(request)?;
    request.flag("local", false)?;
    // All there are, unless some are named: then as a search would find them.
    let options = match request.has("index") {
        true => IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED,
        false => IndicesOptions::STRICT_EXPAND_HIDDEN,
    };
    let mut indexes = resolve_shown(request, &core.state(), options)?;
    as_hashed(&mut indexes);
    Ok(indexes)
}

/// A row for each copy of each shard, with the number of its shard. There are no figures of closed indexes, nor, unless indexes were
/// `named`, of hidden ones that belong to no data stream.
pub async fn rows(core: &Core, indexes: &[Arc<IndexMeta>], named: bool) -> Result<Vec<(u32, Vec<Cell>)>> {
    let state = core.state();
    let mut stats: HashMap<(Arc<str>, u32), Box<ShardStats>> = HashMap::new();
    let measured: Vec<Arc<IndexMeta>> = indexes
        .iter()
        .filter(|index| index.is_open() && (named || !index.hidden || state.backing.contains_key(&index.name)))
        .cloned()
        .collect();
    for answer in broadcast(core, &measured, || ShardRequest::Stats).await.answers {
        if let Ok(ShardReply::Stats(shard)) = answer.reply {
            stats.insert((answer.index.uuid.clone(), answer.shard), shard);
        }
    }
    let data = core.facts()?.data.display().to_string();
    let mut rows = vec![];
    for index in indexes {
        for shard in 0..index.number_of_shards {
            let figures = stats.get(&(index.uuid.clone(), shard)).map(|stats| &**stats);
            rows.push((shard, primary(&state, index, shard, figures, &data)));
            rows.extend((0..index.number_of_replicas).map(|_| (shard, replica(&state, index, shard))));
        }
    }
    Ok(rows)
}

fn primary(state: &State, index: &IndexMeta, shard: u32, stats: Option<&ShardStats>, data: &str) -> Vec<Cell> {
    let copy = state.copies(index).get(shard as usize);
    let name = state_name(copy);
    let node = state.nodes.get(&state.manager).filter(|_| name != "UNASSIGNED");
    let of_node = |of: fn(&crate::cluster::Node) -> &str| node.map_or(Cell::Null, |node| of(node).into());
    let figure = |of: fn(&ShardStats) -> Cell| stats.map_or(Cell::Null, of);
    let mut row = vec![
        (&*index.name).into(),
        shard.to_string().into(),
        "p".into(),
        name.into(),
        figure(|stats| Cell::Number(stats.docs.count)),
        figure(|stats| Cell::Bytes(stats.store_bytes)),
        of_node(|node| &node.ip),
        of_node(|node| &node.id),
        of_node(|node| &node.name),
        Cell::Null,
    ];
    let copy = copy.filter(|_| name != "STARTED");
    row.extend(unassigned(copy.map(|copy| &copy.unassigned)));
    row.push(copy.map_or(Cell::Null, |copy| Cell::Text(copy.source.name().to_lowercase())));
    let path = || if stats.is_some() { data.into() } else { Cell::Null };
    let seq_no = vec![
        figure(|stats| stats.seq_no.max_seq_no.to_string().into()),
        figure(|stats| stats.seq_no.local_checkpoint.to_string().into()),
        figure(|stats| stats.seq_no.global_checkpoint.to_string().into()),
    ];
    let last = [path(), path(), figure(|stats| Cell::Number(stats.docs.deleted))];
    with_seq_no(statistics::cells(OF_SHARDS, stats).collect(), seq_no, &row, &last)
}

/// Why a copy is nowhere, and since when.
fn unassigned(info: Option<&UnassignedInfo>) -> [Cell; 4] {
    let Some(info) = info else { return [Cell::Null, Cell::Null, Cell::Null, Cell::Null] };
    let for_ms = (clock::now_ms().max(0) as u64).saturating_sub(info.at_ms);
    let details = info.details.as_ref().map_or(Cell::Null, |details| Cell::Text(details.to_string()));
    [info.reason.name().into(), moment(info.at_ms).into(), Cell::Millis(for_ms), details]
}

fn replica(state: &State, index: &IndexMeta, shard: u32) -> Vec<Cell> {
    let mut row: Vec<Cell> = vec![(&*index.name).into(), shard.to_string().into(), "r".into(), "UNASSIGNED".into()];
    row.extend([Cell::Null, Cell::Null, Cell::Null, Cell::Null, Cell::Null, Cell::Null]);
    let copy = state.copies(index).get(shard as usize);
    row.extend(unassigned(copy.map(|copy| &copy.replicas)));
    row.push("peer".into());
    let rest = OF_SHARDS.len() + SEQ_NO.len() + LAST.len();
    row.extend(std::iter::repeat_n(Cell::Null, rest));
    row
}
