//! What is asked of attributes that copies are spread over: whether nodes of one value are being emptied, and how searches are
//! weighed between values. No node is emptied, and there is nothing to weigh, while there is one node.

use super::super::targets::MANAGER_TIMEOUT;
use super::super::{ApiRequest, Method, Reply, Route};
use crate::api::document::validation_failed;
use crate::coordinate::Core;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::rc::Rc;

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/_cluster/decommission/awareness/{awareness_attribute_name}/_status",
        name: "get_decommission_state_action",
        params: &[],
        handler: |_, _| Box::pin(async { Ok(nothing()) }),
    },
    Route {
        method: Method::Get,
        path: "/_cluster/routing/awareness/{attribute}/weights",
        name: "get_weighted_routing_action",
        params: &[MANAGER_TIMEOUT],
        handler: |core, request| Box::pin(weights(core, request)),
    },
];

fn nothing() -> Reply {
    let mut w = Writer::new();
    w.begin_object().end_object();
    Reply::ok(w)
}

async fn weights(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.flag("local", false)?;
    let attribute = request.path_param("attribute");
    let listed = core.state().cluster_setting("cluster.routing.allocation.awareness.attributes").unwrap_or_default();
    if !listed.split(',').any(|known| known.trim() == attribute) {
        validation_failed(&[format!("invalid awareness attribute {attribute} requested for weighted routing")])?;
    }
    Ok(nothing())
}
