//! Snapshots: create, clone and delete.

use super::super::route::route;
use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms};
use super::super::{ApiRequest, Reply, Route};
use super::body::{flag, index_option, names};
use super::show::write_snapshot;
use crate::api::document::validation_failed;
use crate::cluster::{IndicesOptions, single_name};
use crate::coordinate::snapshots::{self, CloneSnapshot, CreateSnapshot, Created};
use crate::coordinate::{Core, clock};
use pith_engine::json::{Value, Writer};
use pith_engine::{Error, Result};
use std::rc::Rc;

const CREATE_PARAMS: &[&[&str]] = &[MANAGER_TIMEOUT, &["wait_for_completion"]];

pub const ROUTES: &[Route] = &[
    route!(Put "/_snapshot/{repository}/{snapshot}" "create_snapshot_action" CREATE_PARAMS, create),
    route!(Post "/_snapshot/{repository}/{snapshot}" "create_snapshot_action" CREATE_PARAMS, create),
    route!(Delete "/_snapshot/{repository}/{snapshot}" "delete_snapshot_action" &[MANAGER_TIMEOUT], delete),
    route!(Put "/_snapshot/{repository}/{snapshot}/_clone/{target_snapshot}" "clone_snapshot_action" &[MANAGER_TIMEOUT], clone),
];

async fn create(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    let wait = request.flag("wait_for_completion", false)?;
    let mut asked = CreateSnapshot {
        repository: request.path_param("repository").to_owned(),
        name: single_name(request.path_param("snapshot"), clock::now_ms())?,
        indices: vec![],
        options: IndicesOptions { expand_closed: false, ..IndicesOptions::STRICT_EXPAND_HIDDEN },
        include_global_state: true,
        partial: false,
        metadata: None,
    };
    if let Some(body) = request.json_opt()? {
        for (key, value) in body.as_object().ok_or_else(Error::not_x_content)?.iter() {
            match (key, value) {
                ("indices", value) => asked.indices = names(key, value)?,
                ("partial", value) => asked.partial = flag(key, value)?,
                ("include_global_state", value) => asked.include_global_state = flag(key, value)?,
                ("settings", Value::Object(_)) => {}
                ("settings", _) => {
                    return Err(Error::illegal_argument("malformed settings section, should indices an inner object"));
                }
                ("metadata", Value::Null) => {}
                ("metadata", value @ Value::Object(_)) => asked.metadata = Some(value.clone()),
                ("metadata", _) => return Err(Error::illegal_argument("malformed metadata, should be an object")),
                // What else a body says is passed over, as in the reference.
                _ => drop(index_option(&mut asked.options, key, value)?),
            }
        }
    }
    let mut w = Writer::new();
    w.begin_object();
    match snapshots::create(&core, asked, wait).await? {
        Created::Accepted => _ = w.key("accepted").bool(true),
        Created::Done(info) => {
            w.key("snapshot");
            write_snapshot(&info, true, request.common.human, &mut w);
        }
    }
    w.end_object();
    Ok(Reply::ok(w))
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    let patterns = request.list("snapshot").into_iter().map(str::to_owned).collect();
    snapshots::delete(&core, request.path_param("repository"), patterns).await?;
    Ok(Reply::acknowledged(true))
}

async fn clone(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.json()?;
    manager_timeout_ms(&request)?;
    let mut indices = vec![];
    for (key, value) in body.as_object().ok_or_else(Error::not_x_content)?.iter() {
        if key == "indices" {
            indices = names(key, value)?;
        }
    }
    if indices.is_empty() {
        validation_failed(&["indices patterns are empty".to_owned()])?;
    }
    let asked = CloneSnapshot {
        repository: request.path_param("repository").to_owned(),
        source: request.path_param("snapshot").to_owned(),
        target: single_name(request.path_param("target_snapshot"), clock::now_ms())?,
        indices,
    };
    snapshots::clone(&core, asked).await?;
    Ok(Reply::acknowledged(true))
}
