//! Opening and closing indexes, and what becomes of their shards.

use super::change::ApplyContext;
use super::create::check_shard_limit;
use super::{
    AllocationStatus, CopyState, IndexId, IndexMeta, IndexState, RecoverySource, ShardCopy, ShardId, State,
    UnassignedInfo, UnassignedReason, allocation, place,
};
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

pub fn open(state: &mut State, indexes: &[IndexId], cx: &ApplyContext<'_>) -> Result<()> {
    let mut added = 0;
    for id in indexes {
        let index = state.expect_index(id)?;
        if let Some(cause) = &index.unreadable {
            let reason = format!("Failed to verify index [{}/{}]", index.name, index.uuid);
            return Err(Error::new(ErrorKind::General, reason).caused_by(cause.clone()));
        }
        added += if index.is_open() { 0 } else { u64::from(index.copies_total()) };
    }
    check_shard_limit(state, added)?;
    for id in indexes {
        let index = state.expect_index(id)?;
        if index.is_open() {
            continue;
        }
        let mut next = IndexMeta::clone(index);
        next.state = IndexState::Open;
        next.settings.remove("index.verified_before_close");
        next.settings_version += 1;
        next.version += 1;
        next.cores = place::cores_for(state, next.number_of_shards as usize, cx.cores);
        let copies = ShardCopy::unplaced(&next, UnassignedReason::IndexReopened, cx.now_ms);
        state.routing.insert(next.uuid.clone(), Arc::new(copies));
        state.indices.insert(next.name.clone(), Arc::new(next));
    }
    Ok(())
}

/// Whether the cluster lets indexes be closed, whichever they are.
pub fn check_closing(state: &State) -> Result<()> {
    if state.cluster_setting("cluster.indices.close.enable").as_deref() == Some("false") {
        return Err(Error::new(
            pith_engine::ErrorKind::IllegalState,
            "closing indices is disabled - set [cluster.indices.close.enable: true] to enable it. NOTE: closed indices still consume a significant amount of diskspace",
        ));
    }
    Ok(())
}

pub fn close(state: &mut State, indexes: &[IndexId], cx: &ApplyContext<'_>) -> Result<()> {
    check_closing(state)?;
    super::data_streams::check_not_written_when_closed(state, indexes)?;
    for id in indexes {
        let index = state.expect_index(id)?;
        if !index.is_open() {
            continue;
        }
        let mut next = IndexMeta::clone(index);
        next.state = IndexState::Closed;
        next.settings.insert("index.verified_before_close", "true");
        next.settings_version += 1;
        next.version += 1;
        // New, closed copies take the place of those that were open.
        let copies = ShardCopy::unplaced(&next, UnassignedReason::IndexClosed, cx.now_ms);
        state.routing.insert(next.uuid.clone(), Arc::new(copies));
        state.indices.insert(next.name.clone(), Arc::new(next));
    }
    Ok(())
}

/// Records that shards were opened, or why not. Copies of indexes that are gone are passed over.
pub fn copies_opened(state: &mut State, results: &[(ShardId, Result<(), Arc<str>>)], cx: &ApplyContext<'_>) {
    for (shard, result) in results {
        let Some(copies) = state.routing.get_mut(&shard.index_uuid) else { continue };
        let Some(copy) = Arc::make_mut(copies).get_mut(shard.shard as usize) else { continue };
        // What was taken from its core meanwhile is not there any more, whatever the core says.
        if copy.state == CopyState::Unassigned {
            continue;
        }
        copy.state = match result {
            Ok(()) => CopyState::Started,
            Err(reason) => {
                copy.unassigned = UnassignedInfo {
                    details: Some(reason.clone()),
                    status: AllocationStatus::NoValidShardCopy,
                    ..UnassignedInfo::new(UnassignedReason::AllocationFailed, cx.now_ms)
                };
                CopyState::Failed(reason.clone())
            }
        };
    }
}

/// The state of a node that starts anew: every shard has its core, and what may be opened is about to be, under a new primary
/// term.
pub fn restarted(state: &mut State, cx: &mut ApplyContext<'_>) {
    let names: Vec<Arc<str>> = state.indices.keys().cloned().collect();
    for index in state.indices.values_mut() {
        Arc::make_mut(index).cores.clear();
    }
    for name in names {
        let Some(index) = state.indices.get(&name) else { continue };
        let mut next = IndexMeta::clone(index);
        next.cores = place::cores_for(state, next.number_of_shards as usize, cx.cores);
        let mut copies = ShardCopy::unplaced(&next, UnassignedReason::ClusterRecovered, cx.now_ms);
        if !next.is_open() {
            copies.iter_mut().filter(|copy| copy.source == RecoverySource::Existing).for_each(|copy| {
                copy.state = CopyState::Started;
            });
        }
        state.routing.insert(next.uuid.clone(), Arc::new(copies));
        state.indices.insert(name, Arc::new(next));
    }
    allocation::allocate(state, cx);
    state.derive();
}
