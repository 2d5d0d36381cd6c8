//! `_cluster/pending_tasks`.

use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::rc::Rc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/_cluster/pending_tasks",
    name: "pending_cluster_tasks_action",
    params: &[MANAGER_TIMEOUT],
    handler: |core, request| Box::pin(pending(core, request)),
}];

/// A change is made as soon as it is asked for; what waits behind it waits for moments, and is not listed.
async fn pending(_core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let mut w = Writer::new();
    w.begin_object().key("tasks").begin_array().end_array().end_object();
    Ok(Reply::ok(w))
}
