//! Where the copies of shards are, as `_cluster/state` shows it.

use crate::api::root::REFERENCE_VERSION;
use crate::cluster::{CopyState, IndexMeta, RecoverySource, Seed, ShardCopy, State, UnassignedInfo};
use crate::settings::units::moment;
use pith_engine::json::Writer;
use std::sync::Arc;

/// Writes `routing_table`: copies by index and shard.
pub fn write_routing_table(state: &State, indexes: &[Arc<IndexMeta>], w: &mut Writer) {
    w.key("routing_table").begin_object().key("indices").begin_object();
    for index in indexes {
        w.key(&index.name).begin_object().key("shards").begin_object();
        for shard in 0..index.number_of_shards as usize {
            w.key(&shard.to_string()).begin_array();
            write_primary(state, index, shard, w);
            (0..index.number_of_replicas).for_each(|_| write_replica(state, index, shard, w));
            w.end_array();
        }
        w.end_object().end_object();
    }
    w.end_object().end_object();
}

/// Writes `routing_nodes`: copies by node, and those that no node has.
pub fn write_routing_nodes(state: &State, indexes: &[Arc<IndexMeta>], w: &mut Writer) {
    let shards =
        || indexes.iter().flat_map(|index| (0..index.number_of_shards as usize).map(move |shard| (index, shard)));
    w.key("routing_nodes").begin_object().key("unassigned").begin_array();
    for (index, shard) in shards() {
        if !is_assigned(state, index, shard) {
            write_primary(state, index, shard, w);
        }
        (0..index.number_of_replicas).for_each(|_| write_replica(state, index, shard, w));
    }
    w.end_array().key("nodes").begin_object().key(&state.manager).begin_array();
    for (index, shard) in shards().filter(|(index, shard)| is_assigned(state, index, *shard)) {
        write_primary(state, index, shard, w);
    }
    w.end_array().end_object().end_object();
}

fn is_assigned(state: &State, index: &IndexMeta, shard: usize) -> bool {
    state.copies(index).get(shard).is_some_and(ShardCopy::is_assigned)
}

/// The name of the state that a copy is in.
pub fn state_name(copy: Option<&ShardCopy>) -> &'static str {
    match copy.map(|copy| &copy.state) {
        Some(CopyState::Started) => "STARTED",
        Some(CopyState::Initializing) => "INITIALIZING",
        Some(CopyState::Unassigned | CopyState::Failed(_)) | None => "UNASSIGNED",
    }
}

fn write_primary(state: &State, index: &IndexMeta, shard: usize, w: &mut Writer) {
    let copy = state.copies(index).get(shard);
    let name = state_name(copy);
    w.begin_object();
    w.key("state").string(name).key("primary").bool(true).key("searchOnly").bool(false);
    w.key("node");
    match is_assigned(state, index, shard) {
        true => w.string(&state.manager),
        false => w.null(),
    };
    w.key("relocating_node").null();
    w.key("shard").u64(shard as u64).key("index").string(&index.name);
    if let Some(copy) = copy {
        if name != "STARTED" {
            write_source(index, copy.source, w);
        }
        if copy.is_assigned() {
            w.key("allocation_id").begin_object().key("id").string(&copy.allocation_id).end_object();
        }
        if name != "STARTED" {
            write_unassigned(&copy.unassigned, w);
        }
    }
    w.end_object();
}

fn write_source(index: &IndexMeta, source: RecoverySource, w: &mut Writer) {
    w.key("recovery_source").begin_object().key("type").string(source.name());
    match (source, index.seed.as_deref()) {
        (RecoverySource::Existing, _) => drop(w.key("bootstrap_new_history_uuid").bool(false)),
        (RecoverySource::Snapshot, Some(Seed::Snapshot(seed))) => {
            w.key("repository").string(&seed.repository).key("snapshot").string(&seed.snapshot);
            w.key("version").string(REFERENCE_VERSION).key("index").string(&seed.index);
            w.key("restoreUUID").string(&seed.restore_id);
            w.key("isSearchableSnapshot").bool(false).key("remoteStoreIndexShallowCopy").bool(false);
            w.key("sourceRemoteStoreRepository").null().key("sourceRemoteTranslogRepository").null();
        }
        _ => {}
    }
    w.end_object();
}

/// Writes `unassigned_info`: why a copy is nowhere, or was before it came where it is.
fn write_unassigned(info: &UnassignedInfo, w: &mut Writer) {
    w.key("unassigned_info").begin_object();
    w.key("reason").string(info.reason.name()).key("at").string(&moment(info.at_ms)).key("delayed").bool(false);
    if let Some(details) = &info.details {
        w.key("details").string(details);
    }
    w.key("allocation_status").string(info.status.name()).end_object();
}

fn write_replica(state: &State, index: &IndexMeta, shard: usize, w: &mut Writer) {
    w.begin_object();
    w.key("state").string("UNASSIGNED").key("primary").bool(false).key("searchOnly").bool(false);
    w.key("node").null().key("relocating_node").null();
    w.key("shard").u64(shard as u64).key("index").string(&index.name);
    w.key("recovery_source").begin_object().key("type").string("PEER").end_object();
    if let Some(copy) = state.copies(index).get(shard) {
        write_unassigned(&copy.replicas, w);
    }
    w.end_object();
}
