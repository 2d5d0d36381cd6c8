//! `GET /`: who is there.

use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::rc::Rc;

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/",
        name: "main_action",
        params: &[],
        handler: |core, request| Box::pin(root(core, request)),
    },
    Route {
        method: Method::Head,
        path: "/",
        name: "main_action",
        params: &[],
        handler: |core, request| Box::pin(root(core, request)),
    },
];

/// The release whose interface this is: clients switch on it.
pub const REFERENCE_VERSION: &str = "3.8.0";
pub const REFERENCE_LUCENE_VERSION: &str = "10.5.0";
const MINIMUM_WIRE_VERSION: &str = "2.19.0";
const MINIMUM_INDEX_VERSION: &str = "2.0.0";
const REFERENCE_BUILD_DATE: &str = "2026-08-01T18:48:00.452816924Z";

async fn root(core: Rc<Core>, _request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    let name = state.nodes.get(core.node_id()).map_or("", |node| node.name.as_str());
    let mut w = Writer::new();
    w.begin_object();
    w.key("name").string(name);
    w.key("cluster_name").string(&state.cluster_name);
    w.key("cluster_uuid").string(&state.cluster_uuid);
    w.key("version").begin_object();
    w.key("distribution").string("opensearch");
    w.key("number").string(REFERENCE_VERSION);
    w.key("build_type").string("tar");
    w.key("build_hash").string(crate::REFERENCE_BUILD_HASH);
    w.key("build_date").string(REFERENCE_BUILD_DATE);
    w.key("build_snapshot").bool(false);
    w.key("lucene_version").string(REFERENCE_LUCENE_VERSION);
    w.key("minimum_wire_compatibility_version").string(MINIMUM_WIRE_VERSION);
    w.key("minimum_index_compatibility_version").string(MINIMUM_INDEX_VERSION);
    w.end_object();
    w.key("pith").begin_object();
    w.key("name").string("pith").key("version").string(env!("CARGO_PKG_VERSION"));
    w.end_object();
    w.key("tagline").string("The OpenSearch Project: https://opensearch.org/");
    w.end_object();
    Ok(Reply::ok(w).pretty_by_default())
}
