//! What is asked of segments that lie in a remote store, of files that are kept near, and of indexes that are only searched: the
//! answers of a node whose data all lie on its own disk.

use super::document::validation_failed;
use super::nodes::is_chosen;
use super::snapshots::names;
use super::targets::{MANAGER_ALONE, TIMEOUTS, manager_timeout_ms};
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{IndexMeta, IndicesOptions, resolve};
use crate::coordinate::{Core, clock};
use pith_engine::json::{Value, Writer};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

const fn get(path: &'static str, name: &'static str, handler: super::Handler) -> Route {
    Route { method: Method::Get, path, name, params: &[&["local?"]], handler }
}

pub const ROUTES: &[Route] = &[
    get("/_remotestore/stats/{index}", "remote_store_stats", |core, request| Box::pin(stats(core, request))),
    get("/_remotestore/stats/{index}/{shard_id}", "remote_store_stats", |core, request| Box::pin(stats(core, request))),
    get("/_remotestore/metadata/{index}", "remote_store_metadata", |core, request| Box::pin(metadata(core, request))),
    get("/_remotestore/metadata/{index}/{shard_id}", "remote_store_metadata", |core, request| {
        Box::pin(metadata(core, request))
    }),
    Route {
        method: Method::Post,
        path: "/_remotestore/_restore",
        name: "restore_remote_store_action",
        params: &[MANAGER_ALONE, &["wait_for_completion", "restore_all_shards"]],
        handler: |core, request| Box::pin(restore(core, request)),
    },
    Route {
        method: Method::Post,
        path: "/_filecache/prune",
        name: "prune_filecache_action",
        params: &[&["timeout", "node", "nodes"]],
        handler: |core, request| Box::pin(prune(core, request)),
    },
    Route {
        method: Method::Post,
        path: "/{index}/_scale",
        name: "search_only_index_action",
        params: &[TIMEOUTS],
        handler: |core, request| Box::pin(scale(core, request)),
    },
];

fn meant(core: &Core, request: &ApiRequest) -> Result<Vec<Arc<IndexMeta>>> {
    let options = IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED;
    resolve(&core.state(), &request.list("index"), &options, clock::now_ms())
}

/// Uploads and downloads of each shard: there are none.
async fn stats(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.flag("local", false)?;
    meant(&core, &request)?;
    let mut w = Writer::new();
    w.begin_object().key("_shards").begin_object();
    w.key("total").u64(0).key("successful").u64(0).key("failed").u64(0).end_object();
    w.key("indices").begin_object().end_object().end_object();
    Ok(Reply::ok(w))
}

/// What the remote store has of each shard, which fails for each of them.
async fn metadata(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let indexes = meant(&core, &request)?;
    let shard = request.param("shard_id").map(|text| {
        let reason = || Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""));
        text.parse::<u32>().map_err(|_| reason())
    });
    let shard = shard.transpose()?;
    let failed: u64 = match shard {
        Some(_) => indexes.len() as u64,
        None => indexes.iter().map(|index| u64::from(index.number_of_shards)).sum(),
    };
    let mut w = Writer::new();
    w.begin_object().key("_shards").begin_object();
    w.key("total").u64(failed).key("successful").u64(0).key("failed").u64(failed);
    if failed > 0 {
        w.key("failures").begin_array();
        // Failures that say the same are told once for each index.
        for index in &indexes {
            w.begin_object().key("shard").u64(shard.unwrap_or(0).into()).key("index").string(&index.name);
            w.key("status").string("INTERNAL_SERVER_ERROR").key("reason");
            Error::new(ErrorKind::IllegalState, "Remote store not enabled for index").write(&mut w);
            w.end_object();
        }
        w.end_array();
    }
    w.end_object().key("indices").begin_object().end_object().end_object();
    Ok(Reply::ok(w))
}

/// Brings back shards that are lost from the remote store. None can be: those that are there stay as they are.
async fn restore(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    request.flag("wait_for_completion", false)?;
    let all = request.flag("restore_all_shards", false)?;
    let mut asked: Vec<String> = vec![];
    if let Some(body) = request.json_opt()? {
        for (key, value) in body.as_object().into_iter().flat_map(pith_engine::json::Map::iter) {
            match (key, value) {
                ("indices", Value::String(_) | Value::Array(_)) => asked = names(key, value)?,
                ("indices", _) => {
                    return Err(Error::illegal_argument("malformed indices section, should be an array of strings"));
                }
                _ => return Err(Error::illegal_argument(format!("Unknown parameter {key}"))),
            }
        }
    }
    if asked.is_empty() {
        validation_failed(&["indices are missing".to_owned()])?;
    }
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let indexes = resolve(&core.state(), &asked, &IndicesOptions::LENIENT_EXPAND, clock::now_ms())?;
    if let Some(open) = indexes.iter().find(|index| all && index.is_open()) {
        let reason = format!(
            "cannot restore index [{}] because an open index with same name/uuid already exists in the cluster. Close the existing index.",
            open.name
        );
        return Err(Error::new(ErrorKind::IllegalState, reason));
    }
    let shards = indexes.iter().map(|index| u64::from(index.number_of_shards)).sum();
    let mut w = Writer::new();
    w.begin_object().key("remote_store").begin_object().key("snapshot").string("remote_store");
    w.key("indices").begin_array();
    indexes.iter().for_each(|index| _ = w.string(&index.name));
    w.end_array().key("shards").begin_object();
    w.key("total")
        .u64(shards)
        .key("failed")
        .u64(0)
        .key("successful")
        .u64(shards)
        .end_object()
        .end_object()
        .end_object();
    Ok(Reply::ok(w))
}

/// Files that are kept near for indexes that lie elsewhere: only nodes of a kind that there is none of keep some.
async fn prune(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.time_ms_opt("timeout")?;
    if let Some(nodes) = request.param("nodes").or(request.param("node")).filter(|nodes| !nodes.is_empty()) {
        // Whoever they are.
        is_chosen(&core.state(), core.node_id(), nodes);
        return Err(Error::illegal_argument(
            "No warm nodes found matching the specified criteria. FileCache operations can only target warm nodes.",
        ));
    }
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(true).key("total_pruned_bytes").u64(0);
    w.key("summary").begin_object().key("total_nodes_targeted").u64(0).key("successful_nodes").u64(0);
    w.key("failed_nodes").u64(0).key("total_cache_capacity").u64(0).end_object();
    w.key("nodes").begin_object().end_object().end_object();
    Ok(Reply::ok(w))
}

/// Makes an index one that is only searched, which its documents would have to lie elsewhere for.
async fn scale(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let search_only = wants_search_only(&request)?;
    let name = request.path_param("index");
    if name.contains('*') {
        return Err(Error::illegal_argument(format!("Index [{name}] not found")));
    }
    let state = core.state();
    let index = state.index(name).ok_or_else(|| Error::index_not_found(name))?;
    match search_only {
        true => Err(Error::illegal_argument(format!(
            "To scale to zero, index.remote_store.enabled must be enabled for index: {}",
            index.name
        ))),
        false => Err(Error::new(ErrorKind::IllegalState, format!("Index [{}] is not in search-only mode", index.name))),
    }
}

fn wants_search_only(request: &ApiRequest) -> Result<bool> {
    let body =
        request.json().map_err(|error| Error::illegal_argument("Request body must be valid JSON").caused_by(error))?;
    let mut wanted = None;
    for (key, value) in body.as_object().into_iter().flat_map(pith_engine::json::Map::iter) {
        match (key, value) {
            ("search_only", Value::Bool(flag)) => wanted = Some(*flag),
            ("search_only", _) => {
                return Err(Error::illegal_argument("Parameter [search_only] must be a boolean (true or false)"));
            }
            _ => {
                return Err(Error::illegal_argument(format!(
                    "Unknown parameter [{key}]. Only [search_only] is allowed."
                )));
            }
        }
    }
    wanted.ok_or_else(|| Error::illegal_argument("Parameter [search_only] is required"))
}
