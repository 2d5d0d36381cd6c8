//! Health: which copies of the shards are active.

use super::{CopyState, IndexMeta, State};

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
    let primary = state.copies(index).get(shard).map(|copy| &copy.state);
    match primary {
        Some(CopyState::Started) => Health {
            status: if replicas == 0 { Status::Green } else { Status::Yellow },
            active_primaries: 1,
            active: 1,
            initializing: 0,
            unassigned: replicas,
        },
        Some(CopyState::Initializing) => Health {
            // A primary of a new index that is being opened for the first time has lost nothing yet.
            status: if index.primary_terms.get(shard) == Some(&1) { Status::Yellow } else { Status::Red },
            active_primaries: 0,
            active: 0,
            initializing: 1,
            unassigned: replicas,
        },
        Some(CopyState::Failed(_)) | None => {
            Health { status: Status::Red, active_primaries: 0, active: 0, initializing: 0, unassigned: replicas + 1 }
        }
    }
}

pub fn index_health(state: &State, index: &IndexMeta) -> Health {
    (0..index.number_of_shards as usize).map(|shard| shard_health(state, index, shard)).fold(Health::NONE, Health::plus)
}

/// How many copies of each shard a request waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActiveShards {
    /// The primary and this many more, less one: the number of copies in all.
    Count(u32),
    All,
}

impl ActiveShards {
    /// Reads `wait_for_active_shards`.
    pub fn parse(text: &str) -> pith_engine::Result<Self> {
        use pith_engine::{Error, ErrorKind};
        if text == "all" {
            return Ok(Self::All);
        }
        match text.parse::<i32>() {
            Ok(count) if count >= 0 => Ok(Self::Count(count as u32)),
            Ok(_) => Err(Error::illegal_argument("shard count cannot be a negative value")),
            Err(_) => Err(Error::illegal_argument(format!("cannot parse ActiveShardCount[{text}]"))
                .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\"")))),
        }
    }

    /// Whether more copies are asked for than there are.
    pub fn exceeds(self, replicas: u32) -> bool {
        matches!(self, Self::Count(count) if count > replicas.saturating_add(1))
    }

    /// Whether every shard of the index has that many active copies.
    pub fn enough(self, state: &State, index: &IndexMeta) -> bool {
        if !index.is_open() {
            return true;
        }
        let wanted = match self {
            Self::Count(count) => count,
            Self::All => index.number_of_replicas + 1,
        };
        (0..index.number_of_shards as usize).all(|shard| shard_health(state, index, shard).active >= wanted)
    }
}

impl std::fmt::Display for ActiveShards {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => f.write_str("ALL"),
            Self::Count(count) => write!(f, "{count}"),
        }
    }
}
