//! Copies of shards: where they are in their lives, and how they came there.

use super::{IndexMeta, Seed};
use std::sync::Arc;

/// The primary copy of one shard. (Replicas are never assigned while there is one node.)
#[derive(Clone, Debug, PartialEq)]
pub struct ShardCopy {
    pub state: CopyState,
    /// Empty as long as no core ever had it: there is nothing of it on the disk then.
    pub allocation_id: Arc<str>,
    pub primary_term: u64,
    pub source: RecoverySource,
    /// When and why it was without a core last.
    pub unassigned: UnassignedInfo,
    /// The same of the shard's replicas, which are without one still.
    pub replicas: UnassignedInfo,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CopyState {
    /// Not to be opened until the settings allow it: see [`ShardCopy::unassigned`].
    Unassigned,
    /// Being opened on its core.
    Initializing,
    Started,
    /// Could not be opened; the text says why.
    Failed(Arc<str>),
}

/// What a copy is opened from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoverySource {
    Empty,
    Existing,
    LocalShards,
    Snapshot,
}

/// Why a copy has no core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnassignedInfo {
    pub reason: UnassignedReason,
    pub at_ms: u64,
    pub details: Option<Arc<str>>,
    pub status: AllocationStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnassignedReason {
    IndexCreated,
    ClusterRecovered,
    IndexReopened,
    IndexClosed,
    NewIndexRestored,
    ExistingIndexRestored,
    ReplicaAdded,
    AllocationFailed,
    RerouteCancelled,
    ForcedEmptyPrimary,
}

/// What the last try to place a copy came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationStatus {
    NoAttempt,
    DecidersNo,
    DecidersThrottled,
    /// The last copy that there was could not be opened.
    NoValidShardCopy,
}

impl RecoverySource {
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "EMPTY_STORE",
            Self::Existing => "EXISTING_STORE",
            Self::LocalShards => "LOCAL_SHARDS",
            Self::Snapshot => "SNAPSHOT",
        }
    }

    /// What a shard would be opened from: what is there of it, or else what its index is made of.
    pub fn of(index: &IndexMeta, shard: usize) -> Self {
        match (index.was_assigned(shard), index.seed.as_deref()) {
            (true, _) => Self::Existing,
            (false, None) => Self::Empty,
            (false, Some(Seed::Resize { .. })) => Self::LocalShards,
            (false, Some(Seed::Snapshot(_))) => Self::Snapshot,
        }
    }
}

impl UnassignedReason {
    /// Of an index that comes back, in the place of another or not.
    pub fn of_restored(replaces: bool) -> Self {
        if replaces { Self::ExistingIndexRestored } else { Self::NewIndexRestored }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::IndexCreated => "INDEX_CREATED",
            Self::ClusterRecovered => "CLUSTER_RECOVERED",
            Self::IndexReopened => "INDEX_REOPENED",
            Self::IndexClosed => "INDEX_CLOSED",
            Self::NewIndexRestored => "NEW_INDEX_RESTORED",
            Self::ExistingIndexRestored => "EXISTING_INDEX_RESTORED",
            Self::ReplicaAdded => "REPLICA_ADDED",
            Self::AllocationFailed => "ALLOCATION_FAILED",
            Self::RerouteCancelled => "REROUTE_CANCELLED",
            Self::ForcedEmptyPrimary => "FORCED_EMPTY_PRIMARY",
        }
    }
}

impl AllocationStatus {
    /// As it stands in the routing table.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoAttempt => "no_attempt",
            Self::DecidersNo => "deciders_no",
            Self::DecidersThrottled => "deciders_throttled",
            Self::NoValidShardCopy => "no_valid_shard_copy",
        }
    }

    /// As an explanation names it.
    pub fn decision(self) -> &'static str {
        match self {
            Self::DecidersNo => "no",
            Self::DecidersThrottled => "throttled",
            other => other.name(),
        }
    }
}

impl UnassignedInfo {
    pub fn new(reason: UnassignedReason, at_ms: u64) -> Self {
        Self { reason, at_ms, details: None, status: AllocationStatus::NoAttempt }
    }
}

impl ShardCopy {
    /// Copies of all shards of an index, none of which is placed yet.
    pub fn unplaced(index: &IndexMeta, reason: UnassignedReason, at_ms: u64) -> Vec<Self> {
        (0..index.number_of_shards as usize).map(|shard| Self::unplaced_one(index, shard, reason, at_ms)).collect()
    }

    /// The copy that [`Self::unplaced`] makes of one shard.
    fn unplaced_one(index: &IndexMeta, shard: usize, reason: UnassignedReason, at_ms: u64) -> Self {
        let unassigned = UnassignedInfo { details: restored_from(index, reason), ..UnassignedInfo::new(reason, at_ms) };
        Self {
            state: CopyState::Unassigned,
            allocation_id: index.allocation_ids[shard].clone(),
            primary_term: index.primary_terms[shard],
            source: RecoverySource::of(index, shard),
            replicas: unassigned.clone(),
            unassigned,
        }
    }

    /// Takes the copy from its core, for a reason that does not concern its replicas.
    pub fn unassign(&mut self, index: &IndexMeta, shard: usize, reason: UnassignedReason, at_ms: u64) {
        let replicas = self.replicas.clone();
        *self = Self { replicas, ..Self::unplaced_one(index, shard, reason, at_ms) };
    }

    /// Whether a core has it or is about to.
    pub fn is_assigned(&self) -> bool {
        matches!(self.state, CopyState::Initializing | CopyState::Started)
    }

    /// Whether it has nothing yet that could be lost: it is new, and nothing keeps it from being opened.
    pub fn is_coming(&self) -> bool {
        self.source != RecoverySource::Existing && self.unassigned.status != AllocationStatus::DecidersNo
    }
}

/// Where a copy comes from that was just restored.
fn restored_from(index: &IndexMeta, reason: UnassignedReason) -> Option<Arc<str>> {
    let restored = matches!(reason, UnassignedReason::NewIndexRestored | UnassignedReason::ExistingIndexRestored);
    match index.seed.as_deref() {
        Some(Seed::Snapshot(seed)) if restored => {
            Some(format!("restore_source[{}/{}]", seed.repository, seed.snapshot).into())
        }
        _ => None,
    }
}
