//! `_cat/segment_replication`: how far copies lag behind that are made of whole segments. There are none: copies follow the
//! operations of their primary.

use super::table::{Align, Column, TABLE_PARAMS, column, extra, help, table, wants_help};
use crate::api::index_options::INDEX_PARAMS;
use crate::api::targets::resolve;
use crate::api::{ApiRequest, Method, Reply, Route};
use crate::cluster::IndicesOptions;
use crate::coordinate::Core;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_segment_replication_action",
        params: &[TABLE_PARAMS, INDEX_PARAMS, &["active_only", "detailed", "shards", "timeout", "index?"]],
        handler: |core, request| Box::pin(segment_replication(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cat/segment_replication"), row("/_cat/segment_replication/{index}")];

const COLUMNS: &[Column] = &[
    column("shardId", "s", Align::Left, " shard Id"),
    column("target_node", "tnode", Align::Left, "target node name"),
    column("target_host", "thost", Align::Left, "target host"),
    column("checkpoints_behind", "cpb", Align::Left, "checkpoints behind primary"),
    column("bytes_behind", "bb", Align::Left, "bytes behind primary"),
    column("current_lag", "clag", Align::Left, "ongoing time elapsed waiting for replica to catch up to primary"),
    column("last_completed_lag", "lcl", Align::Left, "time taken for replica to catch up to latest primary refresh"),
    column("rejected_requests", "rr", Align::Left, "count of rejected requests for the replication group"),
];

/// What `detailed` adds.
const DETAILED: &[Column] = &[
    extra("stage", "st", Align::Left, "segment replication event stage"),
    extra("time", "t,ti", Align::Left, "current replication event time"),
    extra("files_fetched", "ff", Align::Left, "files fetched"),
    extra("files_percent", "fp", Align::Left, "percent of files fetched"),
    extra("bytes_fetched", "bf", Align::Left, "bytes fetched"),
    extra("bytes_percent", "bp", Align::Left, "percent of bytes fetched"),
    extra("start_time", "start", Align::Left, "segment replication start time"),
    extra("stop_time", "stop", Align::Left, "segment replication stop time"),
    extra("files", "f", Align::Left, "number of files to fetch"),
    extra("files_total", "tf", Align::Left, "total number of files"),
    extra("bytes", "b", Align::Left, "number of bytes to fetch"),
    extra("bytes_total", "tb", Align::Left, "total number of bytes"),
];

async fn segment_replication(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let detailed = request.flag("detailed", false)?;
    let columns: Vec<Column> = match detailed {
        true => COLUMNS.iter().chain(DETAILED).copied().collect(),
        false => COLUMNS.to_vec(),
    };
    if wants_help(&request)? {
        return Ok(help(&columns));
    }
    request.flag("active_only", false)?;
    request.time_ms_of("SegmentReplicationStatsRequest", "timeout")?;
    for shard in request.list("shards") {
        let wrong = |_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{shard}\""));
        shard.parse::<i32>().map_err(wrong)?;
    }
    resolve(&request, &core.state(), IndicesOptions::STRICT_EXPAND_OPEN)?;
    table(&request, &columns, vec![])
}
