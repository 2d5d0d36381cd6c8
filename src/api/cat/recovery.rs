//! `_cat/recovery`.

use super::super::index_options::INDEX_PARAMS;
use super::super::targets::resolve_shown;
use super::super::{ApiRequest, Method, Reply, Route};
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, extra, help, table, wants_help};
use crate::api::indices::recovery::{recoveries, type_name};
use crate::cluster::{IndicesOptions, Node, Seed};
use crate::coordinate::{Core, Recovery};
use crate::settings::units::moment;
use pith_engine::Result;
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_recovery_action",
        params: &[TABLE_PARAMS, INDEX_PARAMS, &["active_only", "detailed"]],
        handler: |core, request| Box::pin(recovery(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cat/recovery"), row("/_cat/recovery/{index}")];

const COLUMNS: &[Column] = &[
    column("index", "i,idx", Align::Left, "index name"),
    column("shard", "s,sh", Align::Left, "shard name"),
    extra("start_time", "start", Align::Left, "recovery start time"),
    extra("start_time_millis", "start_millis", Align::Left, "recovery start time in epoch milliseconds"),
    extra("stop_time", "stop", Align::Left, "recovery stop time"),
    extra("stop_time_millis", "stop_millis", Align::Left, "recovery stop time in epoch milliseconds"),
    column("time", "t,ti", Align::Left, "recovery time"),
    column("type", "ty", Align::Left, "recovery type"),
    column("stage", "st", Align::Left, "recovery stage"),
    column("source_host", "shost", Align::Left, "source host"),
    column("source_node", "snode", Align::Left, "source node name"),
    column("target_host", "thost", Align::Left, "target host"),
    column("target_node", "tnode", Align::Left, "target node name"),
    column("repository", "rep", Align::Left, "repository"),
    column("snapshot", "snap", Align::Left, "snapshot"),
    column("files", "f", Align::Left, "number of files to recover"),
    column("files_recovered", "fr", Align::Left, "files recovered"),
    column("files_percent", "fp", Align::Left, "percent of files recovered"),
    column("files_total", "tf", Align::Left, "total number of files"),
    column("bytes", "b", Align::Left, "number of bytes to recover"),
    column("bytes_recovered", "br", Align::Left, "bytes recovered"),
    column("bytes_percent", "bp", Align::Left, "percent of bytes recovered"),
    column("bytes_total", "tb", Align::Left, "total number of bytes"),
    column("translog_ops", "to", Align::Left, "number of translog ops to recover"),
    column("translog_ops_recovered", "tor", Align::Left, "translog ops recovered"),
    column("translog_ops_percent", "top", Align::Left, "percent of translog ops recovered"),
];

async fn recovery(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(COLUMNS));
    }
    request.flag("detailed", false)?;
    let active_only = request.flag("active_only", false)?;
    let state = core.state();
    let indexes = resolve_shown(&request, &state, IndicesOptions::STRICT_EXPAND)?;
    let node = state.nodes.get(&state.manager);
    let mut rows = vec![];
    // See `_recovery`: none of these goes on any more.
    if !active_only {
        for (index, shards) in recoveries(&core, &indexes).await? {
            let seed = state.index(&index).and_then(|index| index.seed.as_deref());
            let row = |(shard, recovery): &(u32, Recovery)| {
                cells(&index, *shard, recovery, seed.filter(|_| !recovery.existing), node.map(|node| &**node))
            };
            rows.extend(shards.iter().map(row));
        }
    }
    table(&request, COLUMNS, rows)
}

fn cells(index: &str, shard: u32, recovery: &Recovery, seed: Option<&Seed>, node: Option<&Node>) -> Vec<Cell> {
    let percent = if recovery.existing || seed.is_some() { "100.0%" } else { "0.0%" };
    // What a snapshot held was read from it; all else was there already, if there was anything.
    let (snapshot, read) = match seed {
        Some(Seed::Snapshot(seed)) => (Some(seed), (recovery.files, recovery.bytes)),
        _ => (None, (0, 0)),
    };
    vec![
        index.into(),
        shard.to_string().into(),
        moment(recovery.start_ms).into(),
        Cell::Number(recovery.start_ms),
        moment(recovery.stop_ms).into(),
        Cell::Number(recovery.stop_ms),
        Cell::Millis(recovery.stop_ms.saturating_sub(recovery.start_ms)),
        type_name(recovery, seed).to_ascii_lowercase().into(),
        "done".into(),
        "n/a".into(),
        "n/a".into(),
        node.map_or(Cell::Null, |node| node.host.as_str().into()),
        node.map_or(Cell::Null, |node| node.name.as_str().into()),
        snapshot.map_or("n/a", |seed| &seed.repository).into(),
        snapshot.map_or("n/a", |seed| &seed.snapshot).into(),
        Cell::Number(read.0),
        Cell::Number(read.0),
        percent.into(),
        Cell::Number(recovery.files),
        Cell::Bytes(read.1),
        Cell::Bytes(read.1),
        percent.into(),
        Cell::Bytes(recovery.bytes),
        Cell::Number(recovery.operations),
        Cell::Number(recovery.operations),
        "100.0%".into(),
    ]
}
