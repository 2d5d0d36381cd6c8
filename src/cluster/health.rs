//! Health: which copies of the shards are active.

use super::{ActiveShards, CopyState, IndexMeta, ShardCopy, State};

/// The colours, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Green,
    Yellow,
    Red,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Yellow => "yellow",
            Self::Red => "red",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "green" => Some(Self::Green),
            "yellow" => Some(Self::Yellow),
            "red" => Some(Self::Red),
            _ => None,
        }
    }
}

/// Counts of copies of one shard, one index or the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health {
    pub status: Status,
    pub active_primaries: u32,
    pub active: u32,
    pub initializing: u32,
    pub unassigned: u32,
}

impl Health {
    pub const NONE: Self =
        Self { status: Status::Green, active_primaries: 0, active: 0, initializing: 0, unassigned: 0 };

    pub fn plus(self, other: Self) -> Self {
        Self {
            status: self.status.max(other.status),
            active_primaries: self.active_primaries + other.active_primaries,
            active: self.active + other.active,
            initializing: self.initializing + other.initializing,
            unassigned: self.unassigned + other.unassigned,
        }
    }

    /// The part of all copies that is active, in per cent.
    pub fn active_percent(&self) -> f64 {
        let all = self.active + self.initializing + self.unassigned;
        if all == 0 { 100.0 } else { f64::from(self.active) / f64::from(all) * 100.0 }
    }
}

/// The health of one shard. Replicas are unassigned: nodes hold at most one copy, and there is one node.
pub fn shard_health(state: &State, index: &IndexMeta, shard: usize) -> Health {
    let replicas = index.number_of_replicas;
    let copy = state.copies(index).get(shard);
    // A new primary has lost nothing yet, unless it is kept from being opened.
    let coming = if copy.is_some_and(ShardCopy::is_coming) { Status::Yellow } else { Status::Red };
    let inactive = Health { status: coming, unassigned: replicas, ..Health::NONE };
    match copy.map(|copy| &copy.state) {
        Some(CopyState::Started) => Health {
            status: if replicas == 0 { Status::Green } else { Status::Yellow },
            active_primaries: 1,
            active: 1,
            initializing: 0,
            unassigned: replicas,
        },
        Some(CopyState::Initializing) => Health { initializing: 1, ..inactive },
        Some(CopyState::Unassigned) => Health { unassigned: replicas + 1, ..inactive },
        Some(CopyState::Failed(_)) | None => Health { status: Status::Red, unassigned: replicas + 1, ..Health::NONE },
    }
}

pub fn index_health(state: &State, index: &IndexMeta) -> Health {
    (0..index.number_of_shards as usize).map(|shard| shard_health(state, index, shard)).fold(Health::NONE, Health::plus)
}

/// Whether every shard of the index has as many active copies as wanted.
pub fn has_active(state: &State, index: &IndexMeta, wanted: ActiveShards) -> bool {
    if !index.is_open() {
        return true;
    }
    let wanted = match wanted {
        ActiveShards::Count(count) => count,
        ActiveShards::All => index.number_of_replicas + 1,
    };
    (0..index.number_of_shards as usize).all(|shard| shard_health(state, index, shard).active >= wanted)
}
