//! `PUT /{index}/_mapping` and `GET /{index}/_mapping`.

use super::super::index_options::{INDEX_PARAMS, index_options};
use super::super::targets::{MANAGER_TIMEOUT, TIMEOUTS, ids, manager_timeout_ms, resolve, submit};
use super::super::{ApiRequest, Method, Reply, Route};
use super::create::mapping_of;
use super::get::write_mapping;
use crate::cluster::{BlockLevel, Change, IndexMeta, IndicesOptions, blocks, resolve_write};
use crate::coordinate::{Core, clock};
use pith_engine::json::Writer;
use pith_engine::mapping::note_ineffective;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

macro_rules! put_rows {
    ($($method:ident $path:literal),*) => {
        &[$(Route {
            method: Method::$method,
            path: $path,
            name: "put_mapping_action",
            params: &[TIMEOUTS, INDEX_PARAMS, &["write_index_only", "ignore_malformed?"]],
            handler: |core, request| Box::pin(put(core, request)),
        }),*]
    };
}

pub const PUT_ROUTES: &[Route] = put_rows![
    Put "/{index}/_mapping",
    Post "/{index}/_mapping",
    Put "/{index}/_mappings",
    Post "/{index}/_mappings"
];

macro_rules! get_rows {
    ($($path:literal),*) => {
        &[$(Route {
            method: Method::Get,
            path: $path,
            name: "get_mapping_action",
            params: &[INDEX_PARAMS, MANAGER_TIMEOUT],
            handler: |core, request| Box::pin(get(core, request)),
        }),*]
    };
}

pub const GET_ROUTES: &[Route] = get_rows!["/_mapping", "/_mappings", "/{index}/_mapping", "/{index}/_mappings"];

async fn put(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.json_map()?;
    if body.as_object().is_none() {
        return Err(Error::not_x_content());
    }
    if body.as_object().is_some_and(|map| map.len() == 1 && map.contains("_doc")) {
        return Err(Error::illegal_argument("Types cannot be provided in put mapping requests"));
    }
    let mapping = mapping_of(&body)?;
    note_ineffective(&mapping);
    request.flag("ignore_malformed", false)?;
    let state = core.state();
    let indexes = targets(&request, &core)?;
    blocks::check(&state, BlockLevel::MetadataWrite, indexes.iter().map(|index| &**index))?;
    let change = Change::PutMapping { indexes: ids(&indexes), mapping };
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}

fn targets(request: &ApiRequest, core: &Rc<Core>) -> Result<Vec<Arc<IndexMeta>>> {
    let state = core.state();
    let options = IndicesOptions::STRICT_EXPAND;
    if !request.flag("write_index_only", false)? {
        let found = resolve(request, &state, options)?;
        if found.is_empty() && !request.list("index").iter().any(|name| name.contains('*') || *name == "_all") {
            let ignore = index_options(request, options)?.ignore_unavailable;
            if !ignore {
                return Err(Error::new(
                    ErrorKind::ActionRequestValidation,
                    "Validation Failed: 1: either concrete index or unresolved indices must be set;",
                ));
            }
        }
        return Ok(found);
    }
    let names = request.list("index");
    let write_index = |name: &str| {
        let none = || {
            Error::illegal_argument(format!(
                "The index expression [{name}] and options provided did not point to a single write-index"
            ))
        };
        if name.contains('*') {
            return Err(none());
        }
        resolve_write(&state, name, None, clock::now_ms()).map(|(index, _)| index).map_err(|error| match error.kind() {
            ErrorKind::IndexNotFound => error.with("resource.type", "index_or_alias"),
            _ => error,
        })
    };
    names.into_iter().map(write_index).collect()
}

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    let timeout = manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let indexes = resolve(&request, &state, IndicesOptions::STRICT_EXPAND_OPEN)?;
    blocks::check(&state, BlockLevel::MetadataRead, indexes.iter().map(|index| &**index))?;
    if timeout < 0 {
        // Elsewhere that is no limit; here the reference takes it for a moment that is past.
        return Err(Error::new(ErrorKind::Timeout, "Timed out getting mappings"));
    }
    let mut w = Writer::new();
    w.begin_object();
    for index in &indexes {
        w.key(&index.name).begin_object().key("mappings");
        write_mapping(index, &mut w);
        w.end_object();
    }
    w.end_object();
    Ok(Reply::ok(w))
}
