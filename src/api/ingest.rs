//! `_ingest`: pipelines put, shown, deleted; the patterns of grok.

use super::ingest_simulate::simulate;
use super::targets::{MANAGER_ALONE, TIMEOUTS, manager_timeout_ms, submit};
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{Change, PutPipeline};
use crate::coordinate::Core;
use crate::settings::glob;
use pith_engine::ingest::{Pipeline, grok};
use pith_engine::json::{Map, Value, Writer};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

const fn get_route(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "ingest_get_pipeline_action",
        params: &[MANAGER_ALONE],
        handler: |core, request| Box::pin(get(core, request)),
    }
}

const fn simulate_route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "ingest_simulate_pipeline_action",
        params: &[&["verbose"], super::document::BODY_PARAMS],
        handler: |core, request| Box::pin(simulate(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    get_route("/_ingest/pipeline"),
    get_route("/_ingest/pipeline/{id}"),
    Route {
        method: Method::Put,
        path: "/_ingest/pipeline/{id}",
        name: "ingest_put_pipeline_action",
        params: &[TIMEOUTS, super::document::BODY_PARAMS],
        handler: |core, request| Box::pin(put(core, request)),
    },
    Route {
        method: Method::Delete,
        path: "/_ingest/pipeline/{id}",
        name: "ingest_delete_pipeline_action",
        params: &[TIMEOUTS],
        handler: |core, request| Box::pin(delete(core, request)),
    },
    simulate_route(Method::Get, "/_ingest/pipeline/_simulate"),
    simulate_route(Method::Post, "/_ingest/pipeline/_simulate"),
    simulate_route(Method::Get, "/_ingest/pipeline/{id}/_simulate"),
    simulate_route(Method::Post, "/_ingest/pipeline/{id}/_simulate"),
    Route {
        method: Method::Get,
        path: "/_ingest/processor/grok",
        name: "ingest_processor_grok_get",
        params: &[&["s"]],
        handler: |_, request| Box::pin(async move { patterns(&request) }),
    },
];

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    let state = core.state();
    let patterns = request.list("id");
    let mut w = Writer::new();
    let mut found = false;
    w.begin_object();
    for (id, stored) in &state.pipelines.by_id {
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
    let state = core.state();
    let pipeline = Pipeline::parse(&id, &config, &*state)?;
    check_size(&core, &pipeline)?;
    let change = Change::PutPipeline(Box::new(PutPipeline { id, config, pipeline: Arc::new(pipeline) }));
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}

/// Refuses more processors than the cluster allows.
pub(super) fn check_size(core: &Core, pipeline: &Pipeline) -> Result<()> {
    let most = core.state().cluster_setting("cluster.ingest.max_number_processors");
    let most = most.and_then(|text| text.parse::<usize>().ok()).unwrap_or(i32::MAX as usize);
    let count = pipeline.processors();
    if count <= most {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::IllegalState,
        format!(
            "Cannot use more than the maximum processors allowed. Number of processors being configured is [{count}] which \
             exceeds the maximum allowed configuration of [{most}] processors."
        ),
    ))
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let change = Change::DeletePipelines { pattern: request.path_param("id").to_owned() };
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}

/// The body, which has to be an object.
pub(super) fn body_object(request: &ApiRequest) -> Result<Map> {
    let body = request.body_or_source()?;
    match request.map_of(&body)? {
        Value::Object(map) => Ok(map),
        _ => Err(Error::not_x_content()),
    }
}

fn patterns(request: &ApiRequest) -> Result<Reply> {
    let mut bank: Vec<_> = grok::bank().collect();
    if request.flag("s", false)? {
        bank.sort_unstable();
    }
    let mut w = Writer::new();
    w.begin_object().key("patterns").begin_object();
    for (name, pattern) in bank {
        w.key(name).string(pattern);
    }
    w.end_object().end_object();
    Ok(Reply::ok(w))
}
