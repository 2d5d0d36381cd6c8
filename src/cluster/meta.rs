//! What the cluster knows of one index.

use super::routing::routing_factor;
use super::{IndexId, Seed};
use crate::settings::Settings;
use pith_engine::Error;
use pith_engine::analysis::Registry;
use pith_engine::json::{Map, Value};
use pith_engine::mapping::Mapping;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The version that `index.version.created` carries: the reference's id of 3.8.0.
pub const VERSION_CREATED: u64 = 137_297_827;

/// The metadata of one index. Immutable; a change makes a new one with a higher `version`.
#[derive(Clone)]
pub struct IndexMeta {
    pub name: Arc<str>,
    pub uuid: Arc<str>,
    pub creation_date_ms: u64,
    /// As stored: with `index.uuid`, `index.creation_date` and the like.
    pub settings: Settings,
    pub mapping: Arc<Mapping>,
    /// The mapping as it is shown; `None` until one was put.
    pub mapping_source: Option<Value>,
    /// Why this build cannot read what is stored of the index, where it cannot. It was recovered as a closed one, as the
    /// reference does, with an empty `mapping`; nothing that needs the mapping is done to it before it can be read again.
    pub unreadable: Option<Error>,
    /// The analyzers of `settings`.
    pub registry: Arc<Registry>,
    pub aliases: BTreeMap<Arc<str>, Arc<AliasMeta>>,
    pub state: IndexState,
    pub version: u64,
    pub mapping_version: u64,
    pub settings_version: u64,
    pub aliases_version: u64,
    pub number_of_shards: u32,
    pub number_of_replicas: u32,
    pub routing_num_shards: u32,
    pub routing_partition_size: u32,
    pub hidden: bool,
    /// Shard number → the core that holds it.
    pub cores: Vec<usize>,
    /// By shard number; raised whenever a primary starts anew, and 0 before it ever did.
    pub primary_terms: Vec<u64>,
    /// What the shards were made of, where they were not made empty.
    pub seed: Option<Arc<Seed>>,
    /// By shard number; empty where no core ever had the shard.
    pub allocation_ids: Vec<Arc<str>>,
    /// By alias or data stream: when the index stopped to be what is written to, and which conditions were met.
    pub rollovers: Map,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    Open,
    Closed,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct AliasMeta {
    /// The query, as it was given.
    pub filter: Option<Value>,
    pub index_routing: Option<String>,
    /// One or more values, separated by commas.
    pub search_routing: Option<String>,
    pub is_write_index: Option<bool>,
    pub is_hidden: Option<bool>,
}

impl IndexMeta {
    pub fn id(&self) -> IndexId {
        IndexId { name: self.name.clone(), uuid: self.uuid.clone() }
    }

    pub fn is_open(&self) -> bool {
        self.state == IndexState::Open
    }

    /// Whether a core ever had the shard: what it wrote is on the disk then.
    pub fn was_assigned(&self, shard: usize) -> bool {
        self.allocation_ids.get(shard).is_some_and(|id| !id.is_empty())
    }

    /// How many values of the routing hash share one shard.
    pub fn routing_factor(&self) -> u32 {
        routing_factor(self.routing_num_shards, self.number_of_shards)
    }

    /// Primaries and replicas.
    pub fn copies_total(&self) -> u32 {
        self.number_of_shards.saturating_mul(self.number_of_replicas.saturating_add(1))
    }

    /// A setting of the index that is `true`.
    pub fn flag(&self, key: &str) -> bool {
        self.settings.text(key) == Some("true")
    }
}

impl IndexState {
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "close",
        }
    }
}
