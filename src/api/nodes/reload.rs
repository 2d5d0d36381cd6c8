//! `_nodes/reload_secure_settings`: has nodes read again what their keystore holds. Nothing here keeps secrets in a keystore, so
//! every node is done at once.

use super::is_chosen;
use crate::api::indices::expected_object;
use crate::api::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use pith_engine::json::{Value, Writer, line_col};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Post,
        path,
        name: "nodes_reload_action",
        params: &[&["timeout"]],
        handler: |core, request| Box::pin(reload(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_nodes/reload_secure_settings"), row("/_nodes/{nodeId}/reload_secure_settings")];

/// A password may be given; there is no keystore that it would open.
fn check_body(request: &ApiRequest) -> Result<()> {
    let Some(body) = request.json_opt()? else { return Ok(()) };
    let parser = "reload_secure_settings";
    let map = body.as_object().ok_or_else(|| expected_object(parser, &body))?;
    let refuse = |pos: u32, what: &str| {
        let (line, col) = line_col(&request.body, pos);
        Err(Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [{parser}] {what}")))
    };
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("secure_settings_password", Value::String(_)) => {}
            ("secure_settings_password", other) => {
                let what = format!("secure_settings_password doesn't support values of type: {}", other.token());
                return refuse(entry.value_pos, &what);
            }
            (key, _) => return refuse(entry.key_pos, &format!("unknown field [{key}]")),
        }
    }
    Ok(())
}

async fn reload(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.time_ms_of("NodesReloadSecureSettingsRequest", "timeout")?;
    check_body(&request)?;
    let state = core.state();
    let chosen = is_chosen(&state, core.node_id(), request.param("nodeId").unwrap_or("_all"));
    let count = u64::from(chosen);
    let mut w = Writer::new();
    w.begin_object().key("_nodes").begin_object();
    w.key("total").u64(count).key("successful").u64(count).key("failed").u64(0).end_object();
    w.key("cluster_name").string(&state.cluster_name);
    w.key("nodes").begin_object();
    if let Some(node) = state.nodes.get(core.node_id()).filter(|_| chosen) {
        w.key(core.node_id()).begin_object().key("name").string(&node.name).end_object();
    }
    w.end_object().end_object();
    Ok(Reply::ok(w))
}
