//! `_cat/repositories` and `_cat/snapshots`.

use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms};
use super::super::{ApiRequest, Method, Reply, Route};
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, extra, help, table, wants_help};
use crate::api::document::validation_failed;
use crate::coordinate::Core;
use crate::coordinate::snapshots::{self, SnapshotInfo};
use pith_engine::Result;
use std::rc::Rc;

macro_rules! row {
    ($path:literal $name:literal $params:expr, $handler:ident) => {
        Route {
            method: Method::Get,
            path: $path,
            name: $name,
            params: $params,
            handler: |core, request| Box::pin($handler(core, request)),
        }
    };
}

const SNAPSHOT_PARAMS: &[&[&str]] =
    &[TABLE_PARAMS, &["cluster_manager_timeout", "ignore_unavailable", "master_timeout?", "repository?"]];

pub const ROUTES: &[Route] = &[
    row!("/_cat/repositories" "cat_repositories_action" &[TABLE_PARAMS, MANAGER_TIMEOUT], repositories),
    row!("/_cat/snapshots" "cat_snapshot_action" SNAPSHOT_PARAMS, snapshots),
    row!("/_cat/snapshots/{repository}" "cat_snapshot_action" SNAPSHOT_PARAMS, snapshots),
];

const REPOSITORY_COLUMNS: &[Column] = &[
    column("id", "id,repoId", Align::Left, "unique repository id"),
    column("type", "t,type", Align::Right, "repository type"),
];

async fn repositories(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(REPOSITORY_COLUMNS));
    }
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let state = core.state();
    let rows =
        state.repositories.iter().map(|(name, repository)| vec![name.as_str().into(), repository.kind.as_str().into()]);
    table(&request, REPOSITORY_COLUMNS, rows.collect())
}

const SNAPSHOT_COLUMNS: &[Column] = &[
    column("id", "id,snapshot", Align::Left, "unique snapshot"),
    column("status", "s,status", Align::Right, "snapshot name"),
    column("start_epoch", "ste,startEpoch", Align::Left, "start time in seconds since 1970-01-01 00:00:00"),
    column("start_time", "sti,startTime", Align::Left, "start time in HH:MM:SS"),
    column("end_epoch", "ete,endEpoch", Align::Left, "end time in seconds since 1970-01-01 00:00:00"),
    column("end_time", "eti,endTime", Align::Left, "end time in HH:MM:SS"),
    column("duration", "dur,duration", Align::Right, "duration"),
    column("indices", "i,indices", Align::Right, "number of indices"),
    column("successful_shards", "ss,successful_shards", Align::Right, "number of successful shards"),
    column("failed_shards", "fs,failed_shards", Align::Right, "number of failed shards"),
    column("total_shards", "ts,total_shards", Align::Right, "number of total shards"),
    extra("reason", "r,reason", Align::Left, "reason for failures"),
];

async fn snapshots(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(SNAPSHOT_COLUMNS));
    }
    manager_timeout_ms(&request)?;
    let lenient = request.flag("ignore_unavailable", false)?;
    let Some(repository) = request.param("repository") else {
        validation_failed(&["repository is missing".to_owned()])?;
        return Ok(Reply::empty(400));
    };
    let found = snapshots::list(&core, repository, &["_all".to_owned()], lenient).await?;
    table(&request, SNAPSHOT_COLUMNS, found.iter().map(cells).collect())
}

fn cells(info: &SnapshotInfo) -> Vec<Cell> {
    vec![
        info.name.as_str().into(),
        info.state.as_str().into(),
        (info.start_ms / 1000).to_string().into(),
        time_of_day(info.start_ms).into(),
        (info.end_ms / 1000).to_string().into(),
        time_of_day(info.end_ms).into(),
        Cell::Millis((info.end_ms - info.start_ms).max(0) as u64),
        Cell::Number(info.indices.len() as u64),
        Cell::Number(info.successful_shards),
        Cell::Number(info.failures.len() as u64),
        Cell::Number(info.total_shards),
        info.reason.as_deref().map_or(Cell::Null, Cell::from),
    ]
}

fn time_of_day(ms: i64) -> String {
    let seconds = (ms / 1000).rem_euclid(86_400);
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
