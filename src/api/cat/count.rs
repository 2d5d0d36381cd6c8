//! `_cat/count`.

use super::super::count::asked;
use super::super::document::BODY_PARAMS;
use super::super::search::QUERY_PARAMS;
use super::super::{ApiRequest, Method, Reply, Route};
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, help, table, wants_help};
use crate::coordinate::search::{SearchOptions, count as count_matches};
use crate::coordinate::{Core, clock};
use pith_engine::Result;
use pith_engine::json::{self, Value};
use std::rc::Rc;
use std::sync::Arc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_count_action",
        params: &[TABLE_PARAMS, QUERY_PARAMS, BODY_PARAMS],
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
    let (search, scope) = asked(&request)?;
    let answer = json::parse(&count_matches(&core, &Arc::new(search), &scope, &SearchOptions::default()).await?)?;
    let count = answer.get("count").map_or_else(String::new, Value::to_text);
    let [epoch, time] = moment_cells();
    table(&request, COLUMNS, vec![vec![epoch, time, count.into()]])
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
