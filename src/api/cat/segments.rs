//! `_cat/segments` and `_cat/pit_segments`.

use super::super::indices::segments::{by_index, generation};
use super::super::root::REFERENCE_LUCENE_VERSION;
use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms, resolve_shown};
use super::super::{ApiRequest, Method, Reply, Route};
use super::as_hashed;
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, extra, help, table, wants_help};
use crate::api::document::{BODY_PARAMS, validation_failed};
use crate::api::scroll::ids_of_body;
use crate::cluster::{IndicesOptions, State};
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::search::check_point_in_time;
use crate::coordinate::{Core, SegmentInfo, ShardReply, ShardRequest};
use pith_engine::Result;
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_segments_action",
        params: &[TABLE_PARAMS, MANAGER_TIMEOUT],
        handler: |core, request| Box::pin(segments(core, request)),
    }
}

const fn of_points_in_time(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_pit_segments_action",
        params: &[TABLE_PARAMS, BODY_PARAMS],
        handler: |core, request| Box::pin(pit_segments(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cat/segments"), row("/_cat/segments/{index}")];

pub const PIT_ROUTES: &[Route] =
    &[of_points_in_time("/_cat/pit_segments"), of_points_in_time("/_cat/pit_segments/_all")];

const COLUMNS: &[Column] = &[
    column("index", "i,idx", Align::Left, "index name"),
    column("shard", "s,sh", Align::Left, "shard name"),
    column("prirep", "p,pr,primaryOrReplica", Align::Left, "primary or replica"),
    column("ip", "", Align::Left, "ip of node where it lives"),
    extra("id", "", Align::Left, "unique id of node where it lives"),
    column("segment", "seg", Align::Left, "segment name"),
    column("generation", "g,gen", Align::Right, "segment generation"),
    column("docs.count", "dc,docsCount", Align::Right, "number of docs in segment"),
    column("docs.deleted", "dd,docsDeleted", Align::Right, "number of deleted docs in segment"),
    column("size", "si", Align::Right, "segment size in bytes"),
    column("size.memory", "sm,sizeMemory", Align::Right, "segment memory in bytes"),
    column("committed", "ic,isCommitted", Align::Left, "is segment committed"),
    column("searchable", "is,isSearchable", Align::Left, "is segment searched"),
    column("version", "v,ver", Align::Left, "version"),
    column("compound", "ico,isCompound", Align::Left, "is segment compound"),
];

async fn segments(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(COLUMNS));
    }
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let state = core.state();
    let mut indexes = resolve_shown(&request, &state, IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED)?;
    as_hashed(&mut indexes);
    let answers = broadcast(&core, &indexes, || ShardRequest::Segments).await;
    let mut rows = vec![];
    for (index, shards) in by_index(&answers) {
        for (shard, segments) in shards {
            rows.extend(segments.iter().map(|segment| cells(&state, index, shard, segment)));
        }
    }
    table(&request, COLUMNS, rows)
}

fn cells(state: &State, index: &str, shard: u32, segment: &SegmentInfo) -> Vec<Cell> {
    vec![
        index.into(),
        shard.to_string().into(),
        "p".into(),
        state.nodes.get(&state.manager).map_or(Cell::Null, |node| node.ip.as_str().into()),
        (&*state.manager).into(),
        segment.name.as_str().into(),
        Cell::Number(generation(segment)),
        Cell::Number(segment.docs.into()),
        Cell::Number(segment.deleted.into()),
        Cell::Bytes(segment.bytes),
        Cell::Number(0),
        segment.committed.to_string().into(),
        segment.visible.to_string().into(),
        REFERENCE_LUCENE_VERSION.into(),
        "true".into(),
    ]
}

/// The segments that points in time hold.
async fn pit_segments(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(COLUMNS));
    }
    let all = request.path.trim_end_matches('/').ends_with("/_all");
    let mut ids = vec![];
    if !all {
        if let Some(body) = request.body_opt()? {
            ids = ids_of_body(&body, "pit_id")?;
        }
        if ids.is_empty() {
            validation_failed(&["no pit ids specified".to_owned()])?;
        }
        ids.iter().try_for_each(|id| check_point_in_time(id))?;
    }
    let state = core.state();
    let indexes: Vec<_> = state.indices.values().cloned().collect();
    let mut rows = vec![];
    for answer in broadcast(&core, &indexes, || ShardRequest::PointsInTime).await.answers {
        let Ok(ShardReply::PointsInTime(here)) = answer.reply else { continue };
        for one in here.iter().filter(|one| all || ids.iter().any(|id| **id == *one.id)) {
            rows.extend(one.segments.iter().map(|segment| cells(&state, &answer.index.name, answer.shard, segment)));
        }
    }
    table(&request, COLUMNS, rows)
}
