//! `_cat/segments`.

use super::super::index_options::INDEX_PARAMS;
use super::super::indices::segments::{by_index, generation};
use super::super::root::REFERENCE_LUCENE_VERSION;
use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms, resolve};
use super::super::{ApiRequest, Method, Reply, Route};
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, extra, help, table, wants_help};
use crate::cluster::IndicesOptions;
use crate::coordinate::Core;
use crate::coordinate::ShardRequest;
use crate::coordinate::broadcast::broadcast;
use pith_engine::Result;
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_segments_action",
        params: &[TABLE_PARAMS, INDEX_PARAMS, MANAGER_TIMEOUT],
        handler: |core, request| Box::pin(segments(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cat/segments"), row("/_cat/segments/{index}")];

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
    let indexes = resolve(&request, &state, IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED)?;
    let answers = broadcast(&core, &indexes, || ShardRequest::Segments).await;
    let ip = state.nodes.get(&state.manager).map_or(Cell::Null, |node| node.ip.as_str().into());
    let mut rows = vec![];
    for (index, shards) in by_index(&answers) {
        for (shard, segments) in shards {
            rows.extend(segments.iter().map(|segment| {
                vec![
                    index.into(),
                    shard.to_string().into(),
                    "p".into(),
                    ip.clone(),
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
            }));
        }
    }
    table(&request, COLUMNS, rows)
}
