//! `_recovery`: how the shards came to be open.

use super::super::index_options::INDEX_PARAMS;
use super::super::targets::resolve_shown;
use super::super::{ApiRequest, Method, Reply, Route};
use crate::api::root::REFERENCE_VERSION;
use crate::cluster::{IndexMeta, IndicesOptions, Seed, State};
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::clock::time_text;
use crate::coordinate::closed::closed_shards;
use crate::coordinate::{Core, Recovery, ShardReply, ShardRequest};
use crate::settings::units::bytes_text;
use crate::settings::units::moment;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "recovery_action",
        params: &[INDEX_PARAMS, &["detailed", "active_only"]],
        handler: |core, request| Box::pin(recovery(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_recovery"), row("/{index}/_recovery")];

/// How each shard of the indexes was opened, by the name of its index.
pub async fn recoveries(core: &Core, indexes: &[Arc<IndexMeta>]) -> Result<BTreeMap<Arc<str>, Vec<(u32, Recovery)>>> {
    let mut found: BTreeMap<Arc<str>, Vec<(u32, Recovery)>> = BTreeMap::new();
    for answer in broadcast(core, indexes, || ShardRequest::Recovery).await.answers {
        if let Ok(ShardReply::Recovery(recovery)) = answer.reply {
            found.entry(answer.index.name.clone()).or_default().push((answer.shard, recovery));
        }
    }
    for closed in closed_shards(core, indexes).await? {
        found.entry(closed.index.name.clone()).or_default().push((closed.shard, closed.recovery));
    }
    Ok(found)
}

async fn recovery(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let detailed = request.flag("detailed", false)?;
    let active_only = request.flag("active_only", false)?;
    let state = core.state();
    let indexes = resolve_shown(&request, &state, IndicesOptions::STRICT_EXPAND)?;
    let mut w = Writer::new();
    w.begin_object();
    // A shard answers once it is open: no recovery of those is going on any more.
    if !active_only {
        for (index, shards) in recoveries(&core, &indexes).await? {
            w.key(&index).begin_object().key("shards").begin_array();
            let seed = state.index(&index).and_then(|index| index.seed.as_deref());
            for (shard, recovery) in shards {
                let seed = seed.filter(|_| !recovery.existing);
                write_shard(&state, shard, &recovery, seed, (detailed, request.common.human), &mut w);
            }
            w.end_array().end_object();
        }
    }
    w.end_object();
    Ok(Reply::ok(w))
}

fn write_shard(
    state: &State,
    shard: u32,
    recovery: &Recovery,
    seed: Option<&Seed>,
    (detailed, human): (bool, bool),
    w: &mut Writer,
) {
    let millis = |w: &mut Writer, name: &str, ms: u64| {
        if human {
            let throttled = name.ends_with("throttle_time");
            match ms {
                // Nothing was ever held back.
                0 if throttled => w.key(name).string("-1"),
                0 => w.key(name).string("0s"),
                ms => w.key(name).string(&time_text(i64::try_from(ms).unwrap_or(i64::MAX))),
            };
        }
        w.key(&format!("{name}_in_millis")).u64(ms);
    };
    let at = |w: &mut Writer, name: &str, ms: u64| {
        if human {
            w.key(name).string(&moment(ms));
        }
        w.key(&format!("{name}_in_millis")).u64(ms);
    };
    let bytes = |w: &mut Writer, name: &str, size: u64| {
        if human {
            w.key(name).string(&bytes_text(size));
        }
        w.key(&format!("{name}_in_bytes")).u64(size);
    };
    w.begin_object().key("id").u64(shard.into());
    w.key("type").string(type_name(recovery, seed));
    w.key("stage").string("DONE").key("primary").bool(true);
    at(w, "start_time", recovery.start_ms);
    at(w, "stop_time", recovery.stop_ms);
    millis(w, "total_time", recovery.stop_ms.saturating_sub(recovery.start_ms));
    write_source(recovery, seed, w);
    w.key("target").begin_object();
    if let Some(node) = state.nodes.get(&state.manager) {
        w.key("id").string(&node.id).key("host").string(&node.host);
        w.key("transport_address").string(&node.transport_address);
        w.key("ip").string(&node.ip).key("name").string(&node.name);
    }
    w.end_object();
    let percent = if recovery.existing || seed.is_some() { "100.0%" } else { "0.0%" };
    // What a snapshot held was read from it; all else was there already, if there was anything.
    let from_outside = matches!(seed, Some(Seed::Snapshot(_)));
    let reused = |whole: u64| if from_outside { 0 } else { whole };
    w.key("index").begin_object();
    w.key("size").begin_object();
    bytes(w, "total", recovery.bytes);
    bytes(w, "reused", reused(recovery.bytes));
    bytes(w, "recovered", recovery.bytes - reused(recovery.bytes));
    w.key("percent").string(percent).end_object();
    w.key("files").begin_object();
    w.key("total").u64(recovery.files).key("reused").u64(reused(recovery.files));
    w.key("recovered").u64(recovery.files - reused(recovery.files)).key("percent").string(percent);
    if detailed {
        // Of files that came from elsewhere; there are none.
        w.key("details").begin_array().end_array();
    }
    w.end_object();
    millis(w, "total_time", recovery.index_ms);
    millis(w, "source_throttle_time", 0);
    millis(w, "target_throttle_time", 0);
    w.end_object();
    w.key("translog").begin_object();
    w.key("recovered").u64(recovery.operations).key("total").u64(recovery.operations);
    w.key("percent").string("100.0%").key("total_on_start").u64(recovery.operations);
    millis(w, "total_time", recovery.translog_ms);
    w.end_object();
    w.key("verify_index").begin_object();
    // Checksums are verified as segments are read, which the time of the index contains.
    millis(w, "check_index_time", 0);
    millis(w, "total_time", 0);
    w.end_object().end_object();
}

/// What the shard was opened from, as the reference calls it.
pub fn type_name(recovery: &Recovery, seed: Option<&Seed>) -> &'static str {
    match seed.filter(|_| !recovery.existing) {
        Some(Seed::Snapshot(_)) => "SNAPSHOT",
        Some(Seed::Resize { .. }) => "LOCAL_SHARDS",
        None if recovery.existing => "EXISTING_STORE",
        None => "EMPTY_STORE",
    }
}

/// What is there already comes from nowhere.
fn write_source(recovery: &Recovery, seed: Option<&Seed>, w: &mut Writer) {
    w.key("source").begin_object();
    if recovery.existing {
        w.key("bootstrap_new_history_uuid").bool(false);
    }
    if let Some(Seed::Snapshot(seed)) = seed {
        w.key("repository").string(&seed.repository).key("snapshot").string(&seed.snapshot);
        w.key("version").string(REFERENCE_VERSION).key("index").string(&seed.index);
        w.key("restoreUUID").string(&seed.restore_id).key("isSearchableSnapshot").bool(false);
        w.key("remoteStoreIndexShallowCopy").bool(false);
        w.key("sourceRemoteStoreRepository").null().key("sourceRemoteTranslogRepository").null();
    }
    w.end_object();
}
