//! `POST /{index}/_open` and `POST /{index}/_close`.

use super::super::index_options::INDEX_PARAMS;
use super::super::targets::{TIMEOUTS, ids, resolve, submit, wait_for_copies};
use super::super::{ApiRequest, Method, Reply, Route};
use super::delete::check_named;
use crate::cluster::{BlockLevel, Change, IndexMeta, IndicesOptions, blocks};
use crate::coordinate::Core;
use crate::coordinate::by_query::stored::store;
use crate::tasks::{Description, Measured, NewTask};
use pith_engine::Result;
use pith_engine::json::Writer;
use pith_net::rt;
use std::rc::Rc;
use std::sync::Arc;

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Post,
        path: "/{index}/_open",
        name: "open_index_action",
        params: &[INDEX_PARAMS, TIMEOUTS, &["wait_for_active_shards", "wait_for_completion", "task_execution_timeout"]],
        handler: |core, request| Box::pin(open(core, request)),
    },
    Route {
        method: Method::Post,
        path: "/{index}/_close",
        name: "close_index_action",
        params: &[INDEX_PARAMS, TIMEOUTS, &["wait_for_active_shards"]],
        handler: |core, request| Box::pin(close(core, request)),
    },
];

/// Wildcards of `_open` mean closed indexes.
const OPEN_OPTIONS: IndicesOptions =
    IndicesOptions { expand_open: false, expand_closed: true, ..IndicesOptions::STRICT_EXPAND_OPEN };

async fn open(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    check_named(&state, &request.list("index"))?;
    let indexes = resolve(&request, &state, OPEN_OPTIONS)?;
    blocks::check(&state, BlockLevel::MetadataWrite, indexes.iter().map(|index| &**index))?;
    if request.flag("wait_for_completion", true)? {
        let mut w = Writer::new();
        open_indexes(&core, &request, &indexes, &mut w).await?;
        return Ok(Reply::ok(w));
    }
    // In the background the request's own time is the task's.
    request.time_ms_opt("task_execution_timeout")?;
    let names: Vec<&str> = indexes.iter().map(|index| &*index.name).collect();
    let task = NewTask::request("indices:admin/open", request.opaque_id.as_deref().map(Into::into))
        .described(Description::Text(format!("open indices [{}]", names.join(", "))));
    let running = core.tasks.begin(task);
    let task = running.task().clone();
    let id = task.info().full_id(core.node_id());
    let work = Box::pin(async move {
        let mut w = Writer::new();
        let result = open_indexes(&core, &request, &indexes, &mut w).await.map(|()| w.finish());
        if let Err(error) = store(&core, &task.info(), result).await {
            tracing::error!(task = task.id, "the result of a task could not be stored: {error}");
        }
    });
    rt::spawn(Measured::new(running, work)).detach();
    let mut w = Writer::new();
    w.begin_object().key("task").string(&id).end_object();
    Ok(Reply::ok(w))
}

async fn open_indexes(core: &Rc<Core>, request: &ApiRequest, indexes: &[Arc<IndexMeta>], w: &mut Writer) -> Result<()> {
    let names: Vec<Arc<str>> = indexes.iter().map(|index| index.name.clone()).collect();
    let done = names.is_empty() || submit(core, request, Change::OpenIndexes(ids(indexes))).await?.is_done();
    let active = done && wait_for_copies(core, request, &names).await?;
    w.begin_object().key("acknowledged").bool(done).key("shards_acknowledged").bool(active).end_object();
    Ok(())
}

async fn close(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    check_named(&state, &request.list("index"))?;
    let options = IndicesOptions { include_data_streams: false, ..IndicesOptions::STRICT_EXPAND_OPEN };
    let indexes = resolve(&request, &state, options)?;
    blocks::check(&state, BlockLevel::MetadataWrite, indexes.iter().map(|index| &**index))?;
    let names: Vec<Arc<str>> = indexes.iter().map(|index| index.name.clone()).collect();
    let done = names.is_empty() || submit(&core, &request, Change::CloseIndexes(ids(&indexes))).await?.is_done();
    let active = done && wait_for_copies(&core, &request, &names).await?;
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(done).key("shards_acknowledged").bool(active);
    w.key("indices").begin_object();
    for name in &names {
        w.key(name).begin_object().key("closed").bool(done).end_object();
    }
    w.end_object().end_object();
    Ok(Reply::ok(w))
}
