//! Where the copies of shards are, as `_cluster/state` shows it.

use crate::cluster::{CopyState, IndexMeta, State};
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
            (0..index.number_of_replicas).for_each(|_| write_replica(index, shard, w));
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
        (0..index.number_of_replicas).for_each(|_| write_replica(index, shard, w));
    }
    w.end_array().key("nodes").begin_object().key(&state.manager).begin_array();
    for (index, shard) in shards().filter(|(index, shard)| is_assigned(state, index, *shard)) {
        write_primary(state, index, shard, w);
    }
    w.end_array().end_object().end_object();
}

fn is_assigned(state: &State, index: &IndexMeta, shard: usize) -> bool {
    let copy = state.copies(index).get(shard);
    copy.is_some_and(|copy| matches!(copy.state, CopyState::Started | CopyState::Initializing))
}

fn write_primary(state: &State, index: &IndexMeta, shard: usize, w: &mut Writer) {
    let copy = state.copies(index).get(shard);
    let assigned = is_assigned(state, index, shard);
    let name = match copy.map(|copy| &copy.state) {
        Some(CopyState::Started) => "STARTED",
        Some(CopyState::Initializing) => "INITIALIZING",
        Some(CopyState::Failed(_)) | None => "UNASSIGNED",
    };
    w.begin_object();
    w.key("state").string(name).key("primary").bool(true).key("searchOnly").bool(false);
    w.key("node");
    if assigned {
        w.string(&state.manager)
    } else {
        w.null()
    };
    w.key("relocating_node").null();
    w.key("shard").u64(shard as u64).key("index").string(&index.name);
    if name != "STARTED" {
        w.key("recovery_source").begin_object().key("type").string("EXISTING_STORE").end_object();
    }
    if let (true, Some(copy)) = (assigned, copy) {
        w.key("allocation_id").begin_object().key("id").string(&copy.allocation_id).end_object();
    }
    if let Some(CopyState::Failed(why)) = copy.map(|copy| &copy.state) {
        w.key("unassigned_info").begin_object();
        w.key("reason").string("ALLOCATION_FAILED").key("details").string(why);
        w.key("delayed").bool(false).key("allocation_status").string("no_valid_shard_copy");
        w.end_object();
    }
    w.end_object();
}

fn write_replica(index: &IndexMeta, shard: usize, w: &mut Writer) {
    w.begin_object();
    w.key("state").string("UNASSIGNED").key("primary").bool(false).key("searchOnly").bool(false);
    w.key("node").null().key("relocating_node").null();
    w.key("shard").u64(shard as u64).key("index").string(&index.name);
    w.key("recovery_source").begin_object().key("type").string("PEER").end_object();
    w.key("unassigned_info").begin_object();
    w.key("reason").string("INDEX_CREATED");
    w.key("at").string(&moment(index.creation_date_ms));
    w.key("delayed").bool(false).key("allocation_status").string("no_attempt");
    w.end_object();
    w.end_object();
}

/// Milliseconds since 1970 as the reference writes moments.
pub fn moment(ms: u64) -> String {
    let ms = i64::try_from(ms).unwrap_or(i64::MAX);
    let at = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::MAX);
    format!("{at:.3}")
}
