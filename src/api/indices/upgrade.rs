//! `_upgrade`: bringing segments to the current format. There is one format, so there is never anything to do.

use super::super::cat::table::bytes_text;
use super::super::index_options::INDEX_PARAMS;
use super::super::root::{REFERENCE_LUCENE_VERSION, REFERENCE_VERSION};
use super::super::targets::{resolve, resolve_shown};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{BlockLevel, IndicesOptions, blocks};
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{Core, ShardReply, ShardRequest};
use pith_engine::json::Writer;
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

const fn get(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "upgrade_status_action",
        params: &[INDEX_PARAMS],
        handler: |core, request| Box::pin(status(core, request)),
    }
}

const fn post(path: &'static str) -> Route {
    Route {
        method: Method::Post,
        path,
        name: "upgrade_action",
        params: &[INDEX_PARAMS, &["only_ancient_segments"]],
        handler: |core, request| Box::pin(upgrade(core, request)),
    }
}

pub const GET_ROUTES: &[Route] = &[get("/_upgrade"), get("/{index}/_upgrade")];
pub const POST_ROUTES: &[Route] = &[post("/_upgrade"), post("/{index}/_upgrade")];

const OPTIONS: IndicesOptions = IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED;

async fn status(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    let indexes = resolve_shown(&request, &state, OPTIONS)?;
    let mut sizes: BTreeMap<Arc<str>, u64> = BTreeMap::new();
    for answer in broadcast(&core, &indexes, || ShardRequest::Stats).await.answers {
        if let Ok(ShardReply::Stats(stats)) = answer.reply {
            *sizes.entry(answer.index.name.clone()).or_default() += stats.store_bytes;
        }
    }
    let figures = |w: &mut Writer, bytes: u64| {
        for (name, bytes) in [("size", bytes), ("size_to_upgrade", 0), ("size_to_upgrade_ancient", 0)] {
            if request.common.human {
                w.key(name).string(&bytes_text(bytes));
            }
            w.key(&format!("{name}_in_bytes")).u64(bytes);
        }
    };
    let mut w = Writer::new();
    w.begin_object();
    figures(&mut w, sizes.values().sum());
    w.key("indices").begin_object();
    for (name, bytes) in &sizes {
        w.key(name).begin_object();
        figures(&mut w, *bytes);
        w.end_object();
    }
    w.end_object().end_object();
    Ok(Reply::ok(w))
}

async fn upgrade(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.flag("only_ancient_segments", false)?;
    // It is complete before it begins.
    request.flag("wait_for_completion", true)?;
    let state = core.state();
    let indexes = resolve(&request, &state, OPTIONS)?;
    blocks::check_cluster(&state, BlockLevel::MetadataWrite)?;
    blocks::check(&state, BlockLevel::MetadataWrite, indexes.iter().map(|index| &**index))?;
    let lacking = state.lacking_primaries(&indexes);
    if !lacking.is_empty() {
        let reason = format!(
            "Cannot upgrade indices because the following indices are missing primary shards [{}]",
            lacking.join(",")
        );
        return Err(Error::new(ErrorKind::PrimaryMissing, reason));
    }
    let answers = broadcast(&core, &indexes, || ShardRequest::Stats).await;
    let mut w = Writer::new();
    w.begin_object();
    answers.write_header_counting(2, &state, &mut w);
    w.key("upgraded_indices").begin_object();
    for index in indexes.iter().filter(|index| index.is_open()) {
        w.key(&index.name).begin_object();
        w.key("upgrade_version").string(REFERENCE_VERSION);
        w.key("oldest_lucene_segment_version").string(REFERENCE_LUCENE_VERSION).end_object();
    }
    w.end_object().end_object();
    Ok(Reply::ok(w))
}
