//! `_dangling`: indexes whose files a node holds while the cluster does not know them. The cluster's state lies in the same data
//! folder as the files of its indexes, so a node brings none with it.

use super::targets::{TIMEOUTS, manager_timeout_ms};
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use pith_engine::json::Writer;
use pith_engine::{Error, Result};
use std::rc::Rc;

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/_dangling",
        name: "list_dangling_indices",
        params: &[],
        handler: |core, _| Box::pin(list(core)),
    },
    change(Method::Post, "import_dangling_index"),
    change(Method::Delete, "delete_dangling_index"),
];

const fn change(method: Method, name: &'static str) -> Route {
    Route {
        method,
        path: "/_dangling/{index_uuid}",
        name,
        params: &[TIMEOUTS, &["accept_data_loss"]],
        handler: |core, request| Box::pin(missing(core, request)),
    }
}

async fn list(core: Rc<Core>) -> Result<Reply> {
    let mut w = Writer::new();
    w.begin_object().key("_nodes").begin_object();
    w.key("total").u64(1).key("successful").u64(1).key("failed").u64(0).end_object();
    w.key("cluster_name").string(&core.state().cluster_name);
    w.key("dangling_indices").begin_array().end_array().end_object();
    Ok(Reply::ok(w))
}

/// Whichever index is meant, it is not dangling.
async fn missing(_core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    request.time_ms_opt("timeout")?;
    request.flag("accept_data_loss", false)?;
    let uuid = request.path_param("index_uuid");
    Err(Error::illegal_argument(format!("No dangling index found for UUID [{uuid}]")))
}
