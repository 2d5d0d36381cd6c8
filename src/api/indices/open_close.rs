//! `POST /{index}/_open` and `POST /{index}/_close`.

use super::super::document::validation_failed;
use super::super::index_options::INDEX_PARAMS;
use super::super::targets::{TIMEOUTS, ids, resolve, submit, wait_for_copies};
use super::super::{ApiRequest, Method, Reply, Route, background};
use super::delete::check_named;
use crate::cluster::{self, BlockLevel, Change, IndexMeta, IndicesOptions, blocks};
use crate::coordinate::Core;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::rc::Rc;
use std::sync::Arc;

const fn open_route(path: &'static str) -> Route {
    Route {
        method: Method::Post,
        path,
        name: "open_index_action",
        params: &[INDEX_PARAMS, TIMEOUTS, &["wait_for_active_shards", "wait_for_completion", "task_execution_timeout"]],
        handler: |core, request| Box::pin(open(core, request)),
    }
}

const fn close_route(path: &'static str) -> Route {
    Route {
        method: Method::Post,
        path,
        name: "close_index_action",
        params: &[INDEX_PARAMS, TIMEOUTS, &["wait_for_active_shards"]],
        handler: |core, request| Box::pin(close(core, request)),
    }
}

pub const ROUTES: &[Route] =
    &[open_route("/_open"), open_route("/{index}/_open"), close_route("/_close"), close_route("/{index}/_close")];

/// Wildcards of `_open` mean closed indexes.
const OPEN_OPTIONS: IndicesOptions =
    IndicesOptions { expand_open: false, expand_closed: true, ..IndicesOptions::STRICT_EXPAND_OPEN };

/// Nothing is opened or closed that nobody names.
fn check_given(request: &ApiRequest) -> Result<()> {
    match request.names_indexes() {
        true => Ok(()),
        false => validation_failed(&["index is missing".to_owned()]),
    }
}

async fn open(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    check_given(&request)?;
    let state = core.state();
    check_named(&state, &request.list("index"))?;
    let indexes = resolve(&request, &state, OPEN_OPTIONS)?;
    blocks::check(&state, BlockLevel::MetadataWrite, indexes.iter().map(|index| &**index))?;
    if background::waits(&request)? {
        return open_indexes(&core, &request, &indexes).await.map(|body| Reply::json(200, body));
    }
    let names: Vec<&str> = indexes.iter().map(|index| &*index.name).collect();
    let description = format!("open indices [{}]", names.join(", "));
    let request = Rc::new(request);
    let work = {
        let (core, request) = (core.clone(), request.clone());
        async move { open_indexes(&core, &request, &indexes).await }
    };
    Ok(background::detach(&core, &request, "indices:admin/open", description, work))
}

async fn open_indexes(core: &Rc<Core>, request: &ApiRequest, indexes: &[Arc<IndexMeta>]) -> Result<Vec<u8>> {
    let names: Vec<Arc<str>> = indexes.iter().map(|index| index.name.clone()).collect();
    let done = names.is_empty() || submit(core, request, Change::OpenIndexes(ids(indexes))).await?.is_done();
    let active = done && wait_for_copies(core, request, &names).await?;
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(done).key("shards_acknowledged").bool(active).end_object();
    Ok(w.finish())
}

async fn close(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    check_given(&request)?;
    let state = core.state();
    check_named(&state, &request.list("index"))?;
    cluster::check_closing(&state)?;
    let options = IndicesOptions { include_data_streams: false, ..IndicesOptions::STRICT_EXPAND_OPEN };
    let mut indexes = resolve(&request, &state, options)?;
    blocks::check(&state, BlockLevel::MetadataWrite, indexes.iter().map(|index| &**index))?;
    indexes.retain(|index| index.is_open());
    let names: Vec<Arc<str>> = indexes.iter().map(|index| index.name.clone()).collect();
    let done = names.is_empty() || submit(&core, &request, Change::CloseIndexes(ids(&indexes))).await?.holds();
    let active = done && !names.is_empty() && wait_for_copies(&core, &request, &names).await?;
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(done).key("shards_acknowledged").bool(active);
    w.key("indices").begin_object();
    for name in &names {
        w.key(name).begin_object().key("closed").bool(done).end_object();
    }
    w.end_object().end_object();
    Ok(Reply::ok(w))
}
