//! `_cat/count`.

use super::super::targets::resolve;
use super::super::{ApiRequest, Method, Reply, Route};
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, help, table, wants_help};
use crate::cluster::IndicesOptions;
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{Core, clock};
use crate::coordinate::{ShardReply, ShardRequest};
use pith_engine::Result;
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_count_action",
        params: &[TABLE_PARAMS],
        handler: |core, request| Box::pin(count(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cat/count"), row("/_cat/count/{index}")];

const COLUMNS: &[Column] = &[
    column("epoch", "t,time", Align::Left, "seconds since 1970-01-01 00:00:00"),
    column("timestamp", "ts,hms,hhmmss", Align::Left, "time in HH:MM:SS"),
    column("count", "dc,docs.count,docsCount", Align::Left, "the document count"),
];

async fn count(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(COLUMNS));
    }
    let state = core.state();
    let indexes = resolve(&request, &state, IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED)?;
    let mut count = 0;
    for answer in broadcast(&core, &indexes, || ShardRequest::Stats).await.answers {
        if let ShardReply::Stats(stats) = answer.reply? {
            count += stats.docs.count;
        }
    }
    let [epoch, time] = moment_cells();
    table(&request, COLUMNS, vec![vec![epoch, time, Cell::Number(count)]])
}

/// Now: in seconds since 1970, and as a time of day.
pub fn moment_cells() -> [Cell; 2] {
    let now_ms = clock::now_ms();
    [Cell::Number(u64::try_from(now_ms / 1000).unwrap_or(0)), clock_text(now_ms).into()]
}

/// The time of day of a moment in milliseconds since 1970.
pub fn clock_text(ms: i64) -> String {
    let day = u64::try_from(ms / 1000).unwrap_or(0) % 86_400;
    format!("{:02}:{:02}:{:02}", day / 3600, day / 60 % 60, day % 60)
}
