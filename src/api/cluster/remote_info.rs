//! `_remote/info`: the other clusters that searches may reach.

use super::super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::rc::Rc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/_remote/info",
    name: "remote_cluster_info_action",
    params: &[],
    handler: |core, request| Box::pin(info(core, request)),
}];

/// A node of Pith reaches no other cluster, so none can have been configured.
async fn info(_core: Rc<Core>, _request: ApiRequest) -> Result<Reply> {
    let mut w = Writer::new();
    w.begin_object().end_object();
    Ok(Reply::ok(w))
}
