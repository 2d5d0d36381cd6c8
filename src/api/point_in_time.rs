//! Points in time: `_search/point_in_time`.

use super::document::{BODY_PARAMS, validation_failed};
use super::index_options::INDEX_PARAMS;
use super::scroll::{ids_of_body, keep_alive};
use super::search::scope;
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use crate::coordinate::search::{delete_points_in_time, open_point_in_time, points_in_time};
use ahash::AHashSet;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::rc::Rc;

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Post,
        path: "/{index}/_search/point_in_time",
        name: "create_pit",
        params: &[INDEX_PARAMS, &["keep_alive", "allow_partial_pit_creation", "preference", "routing"]],
        handler: |core, request| Box::pin(create(core, request)),
    },
    Route {
        method: Method::Get,
        path: "/_search/point_in_time/_all",
        name: "get_all_pits",
        params: &[],
        handler: |core, _| Box::pin(list(core)),
    },
    Route {
        method: Method::Delete,
        path: "/_search/point_in_time",
        name: "delete_pit",
        params: &[BODY_PARAMS],
        handler: |core, request| Box::pin(delete(core, request)),
    },
    Route {
        method: Method::Delete,
        path: "/_search/point_in_time/_all",
        name: "delete_all_pits",
        params: &[],
        handler: |core, _| Box::pin(delete_all(core)),
    },
];

async fn create(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let allow_partial = request.flag("allow_partial_pit_creation", true)?;
    let keep_alive = keep_alive(&request, "keep_alive")?;
    let scope = scope(&request)?;
    let Some(keep_alive) = keep_alive else {
        validation_failed(&["keep alive not specified".to_owned()])?;
        return Ok(Reply::empty(400));
    };
    let created = open_point_in_time(&core, &scope, keep_alive, allow_partial).await?;
    let mut w = Writer::new();
    w.begin_object().key("pit_id").string(&created.id).key("_shards");
    created.header.write(&mut w);
    w.key("creation_time").i64(created.created_ms).end_object();
    Ok(Reply::ok(w))
}

async fn list(core: Rc<Core>) -> Result<Reply> {
    let mut w = Writer::new();
    w.begin_object().key("pits").begin_array();
    for one in points_in_time(&core).await {
        w.begin_object().key("pit_id").string(&one.id);
        w.key("creation_time").i64(one.created_ms).key("keep_alive").u64(one.keep_alive_ms).end_object();
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let ids = match request.body_opt()? {
        Some(body) => ids_of_body(&body, "pit_id")?,
        None => vec![],
    };
    if ids.is_empty() {
        validation_failed(&["no pit ids specified".to_owned()])?;
    }
    ended(&core, &ids).await
}

async fn delete_all(core: Rc<Core>) -> Result<Reply> {
    let ids: Vec<String> = points_in_time(&core).await.iter().map(|one| one.id.to_string()).collect();
    ended(&core, &ids).await
}

async fn ended(core: &Core, ids: &[String]) -> Result<Reply> {
    // The same one twice is one.
    let mut seen = AHashSet::new();
    let ids: Vec<String> = ids.iter().filter(|id| seen.insert(*id)).cloned().collect();
    delete_points_in_time(core, &ids).await?;
    let mut w = Writer::new();
    w.begin_object().key("pits").begin_array();
    for id in &ids {
        w.begin_object().key("successful").bool(true).key("pit_id").string(id).end_object();
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}
