//! `_refresh`, `_flush`, `_forcemerge` and `_cache/clear`.

use super::super::index_options::INDEX_PARAMS;
use super::super::targets::{resolve, wait_for};
use super::super::{ApiRequest, Method, Reply, Route, background};
use crate::cluster::{BlockLevel, IndexMeta, IndicesOptions, State, blocks};
use crate::coordinate::Core;
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{ClearCaches, ShardRequest};
use pith_engine::deprecated::note;
use pith_engine::json::Writer;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

macro_rules! rows {
    ($name:literal $params:expr, $handler:ident: $($method:ident $path:literal),* $(,)?) => {
        &[$(Route {
            method: Method::$method,
            path: $path,
            name: $name,
            params: &[INDEX_PARAMS, $params],
            handler: |core, request| Box::pin($handler(core, request)),
        }),*]
    };
}

pub const REFRESH_ROUTES: &[Route] = rows!["refresh_action" &[], refresh:
    Get "/_refresh", Post "/_refresh", Get "/{index}/_refresh", Post "/{index}/_refresh",
];

pub const FLUSH_ROUTES: &[Route] = rows!["flush_action" &["force", "wait_if_ongoing"], flush:
    Get "/_flush", Post "/_flush", Get "/{index}/_flush", Post "/{index}/_flush",
];

/// There once was a flush that marked copies as equal.
pub const SYNCED_FLUSH_ROUTES: &[Route] = rows!["synced_flush_action" &[], synced_flush:
    Get "/_flush/synced", Post "/_flush/synced", Get "/{index}/_flush/synced", Post "/{index}/_flush/synced",
];

pub const FORCE_MERGE_ROUTES: &[Route] = rows!["force_merge_action"
    &["max_num_segments", "only_expunge_deletes", "flush", "primary_only", "wait_for_completion"], force_merge:
    Post "/_forcemerge", Post "/{index}/_forcemerge",
];

pub const CLEAR_CACHE_ROUTES: &[Route] = rows!["clear_indices_cache_action"
    &["query", "fielddata", "fields", "request", "file", "index?"], clear_cache:
    Post "/_cache/clear", Post "/{index}/_cache/clear",
];

/// How long shards are waited for that have no core yet.
const PRIMARY_WAIT_MS: i64 = 60_000;

const OPTIONS: IndicesOptions = IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED;

async fn refresh(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    ask(core, &request, || ShardRequest::Refresh).await
}

async fn flush(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let force = request.flag("force", false)?;
    let wait_if_ongoing = request.flag("wait_if_ongoing", true)?;
    if force && !wait_if_ongoing {
        return Err(Error::new(
            ErrorKind::ActionRequestValidation,
            "Validation Failed: 1: wait_if_ongoing must be true for a force flush;",
        ));
    }
    ask(core, &request, || ShardRequest::Flush { force, wait_if_ongoing }).await
}

async fn synced_flush(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    note(
        "Synced flush was removed and a normal flush was performed instead. This transition will be removed in a future \
         version.",
    );
    ask(core, &request, || ShardRequest::Flush { force: false, wait_if_ongoing: true }).await
}

async fn force_merge(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let most = request.int("max_num_segments", -1)?;
    let only_expunge_deletes = request.flag("only_expunge_deletes", false)?;
    if only_expunge_deletes && most != -1 {
        note(
            "setting only_expunge_deletes and max_num_segments at the same time is deprecated and will be rejected in a \
             future version",
        );
    }
    let flush = request.flag("flush", true)?;
    let primary_only = request.flag("primary_only", false)?;
    let max_segments = usize::try_from(most).ok().filter(|most| *most > 0);
    let state = core.state();
    let indexes = resolve(&request, &state, OPTIONS)?;
    blocks::check_cluster(&state, BlockLevel::MetadataWrite)?;
    blocks::check(&state, BlockLevel::MetadataWrite, indexes.iter().map(|index| &**index))?;
    let names: Vec<&str> = indexes.iter().map(|index| &*index.name).collect();
    let description = format!(
        "Force-merge indices [{}], maxSegments[{most}], onlyExpungeDeletes[{only_expunge_deletes}], flush[{flush}], \
         primaryOnly[{primary_only}]",
        names.join(", ")
    );
    let work = {
        let core = core.clone();
        let make = move || ShardRequest::ForceMerge { max_segments, only_expunge_deletes, flush };
        async move { Ok(ask_copies(&core, &indexes, primary_only, make).await) }
    };
    if background::waits(&request)? {
        return work.await.map(|body| Reply::json(200, body));
    }
    Ok(background::detach(&core, &request, "indices:admin/forcemerge", description, work))
}

/// Without a word about which, all caches are emptied. There is none of queries, and none of files.
async fn clear_cache(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut named = [false; 4];
    for (named, name) in named.iter_mut().zip(["query", "fielddata", "request", "file"]) {
        *named = request.flag(name, false)?;
    }
    let all = !named.contains(&true);
    let fields: Vec<String> = request.list("fields").into_iter().map(str::to_owned).collect();
    let which = match fields.is_empty() {
        true => ClearCaches { requests: all || named[2], fielddata: all || named[1], fields },
        // Only what was loaded of these fields.
        false => ClearCaches { requests: named[2], fielddata: true, fields },
    };
    let state = core.state();
    let indexes = resolve(&request, &state, OPTIONS)?;
    blocks::check(&state, BlockLevel::MetadataRead, indexes.iter().map(|index| &**index))?;
    Ok(Reply::json(200, ask_copies(&core, &indexes, false, || ShardRequest::ClearCaches(which.clone())).await))
}

/// Asks all copies, whatever blocks their indexes have.
async fn ask(core: Rc<Core>, request: &ApiRequest, make: impl Fn() -> ShardRequest) -> Result<Reply> {
    let indexes = resolve(request, &core.state(), OPTIONS)?;
    let missing = |state: &State| indexes.iter().any(|index| state.lacks_primaries(index));
    let mut answer = ask_copies(&core, &indexes, false, &make).await;
    // Shards that are not there are waited for as by writes, while the others have what was asked for; in the end they are left out.
    if missing(&core.state()) && wait_for(&core, PRIMARY_WAIT_MS, |state| !missing(state)).await {
        answer = ask_copies(&core, &indexes, false, &make).await;
    }
    Ok(Reply::json(200, answer))
}

/// `primary_only` leaves replicas out of the count of copies; none of them is ever asked.
async fn ask_copies(
    core: &Rc<Core>,
    indexes: &[Arc<IndexMeta>],
    primary_only: bool,
    make: impl Fn() -> ShardRequest,
) -> Vec<u8> {
    let mut answers = broadcast(core, indexes, make).await;
    if primary_only {
        answers.copies = answers.answers.len() as u32;
    }
    let mut w = Writer::new();
    w.begin_object();
    answers.write_header(&core.state(), &mut w);
    w.end_object();
    w.finish()
}
