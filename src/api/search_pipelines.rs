//! `_search/pipeline`: search pipelines put, shown, deleted.

use super::ingest::body_object;
use super::targets::{manager_timeout_ms, submit};
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{Change, PutSearchPipeline};
use crate::coordinate::Core;
use crate::settings::glob;
use pith_engine::Result;
use pith_engine::json::{Value, Writer};
use pith_engine::search_pipeline::Pipeline;
use std::rc::Rc;
use std::sync::Arc;

/// Younger than the old name of the second.
const PUT_TIMEOUTS: &[&str] = &["timeout", "cluster_manager_timeout"];

const fn get_route(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "search_get_pipeline_action",
        params: &[&["cluster_manager_timeout"]],
        handler: |core, request| Box::pin(get(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    get_route("/_search/pipeline"),
    get_route("/_search/pipeline/{id}"),
    Route {
        method: Method::Put,
        path: "/_search/pipeline/{id}",
        name: "search_put_pipeline_action",
        params: &[PUT_TIMEOUTS, super::document::BODY_PARAMS],
        handler: |core, request| Box::pin(put(core, request)),
    },
    Route {
        method: Method::Delete,
        path: "/_search/pipeline/{id}",
        name: "search_delete_pipeline_action",
        params: &[PUT_TIMEOUTS],
        handler: |core, request| Box::pin(delete(core, request)),
    },
];

/// Without any pipeline to show the answer is 404, whatever was asked for.
async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    let state = core.state();
    let patterns = request.list("id");
    let mut w = Writer::new();
    let mut found = false;
    w.begin_object();
    for (id, stored) in &state.search_pipelines.by_id {
        if patterns.is_empty() || patterns.iter().any(|pattern| glob(pattern, id)) {
            found = true;
            w.key(id).value(&Value::Object(stored.config.clone()));
        }
    }
    w.end_object();
    Ok(Reply::json(if found { 200 } else { 404 }, w.finish()))
}

async fn put(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let config = body_object(&request)?;
    let id = request.path_param("id").to_owned();
    let pipeline = Arc::new(Pipeline::parse(&id, &config, &*core.state())?);
    let change = Change::PutSearchPipeline(Box::new(PutSearchPipeline { id, config, pipeline }));
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let change = Change::DeleteSearchPipelines { pattern: request.path_param("id").to_owned() };
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}
