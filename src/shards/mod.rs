//! The shards of a core: their life, the order of their writes, and their upkeep.
//!
//! - `protocol`: requests to a shard and its replies.
//! - `host`: all shards of a core; where a request finds its shard.
//! - `open`, `open_shard`: from a folder to a shard that is open, and what is running on it. `part_files`: searches of what has not
//!   been read. `index_memory`: which segments are held.
//! - `write`, `read`, `search`, `term_vectors`: what requests do. `contexts`: scrolls and points in time.
//!   `request_cache`: results that are kept. `popular`: those that are found anew before somebody asks.
//!   `search_counters`: what searches are counted by. `lending`: long ones are shared with cores that have nothing to do.
//! - `snapshot`: its files to a repository. `closed`: what is told of shards that are not open.
//! - `refresh`, `upkeep`: visibility; syncing, flushing, merging. `rest`: shards that nobody writes to. `huge_pages`: large segments that stay.
//! - `slow_log`: searches and writes that took longer than their index allows.
//! - `settings`, `memory`, `fielddata`, `turn`: the index's settings, the bounds of the core, taking turns.
//!
//! What this room does not know: indexes by name, aliases, which shard a document belongs to, HTTP; of other cores
//! nothing but that they may help to search.

mod closed;
mod contexts;
#[cfg(test)]
mod crash_tests;
mod fielddata;
mod host;
mod huge_pages;
mod index_memory;
mod lending;
mod memory;
mod open;
mod open_shard;
mod part_files;
mod popular;
mod protocol;
mod read;
mod refresh;
mod request_cache;
mod rest;
mod search;
mod search_counters;
mod settings;
mod slow_log;
mod snapshot;
mod term_vectors;
#[cfg(test)]
mod tests;
mod turn;
mod upkeep;
mod write;

/// The files of snapshots, for those who ask through this room.
pub use crate::store::{SyncTimes, repository};
pub use closed::closed_stats;
pub use contexts::{ContextKey, Free, OpenContext, OpenContexts, PointInTimeInfo, Purpose, missing};
pub use host::{FailureHandler, Host, HostConfig, MappingChange};
pub use index_memory::{MemoryFigures, NodeMemory};
pub use lending::Neighbours;
pub use open::{ShardSeed, ShardSpec};
pub use protocol::{ClearCaches, Recovery, RefreshPolicy, SegmentInfo, ShardAddr, ShardReply, ShardRequest, Written};
pub use request_cache::CacheAsk;
pub use search::{DescribeAsk, ExplainAsk, FetchAsk, FetchedHits, OpenAsk, Reader, ScrollAsk, SearchAsk, Searched};
pub use settings::{Durability, ShardSettings};
pub use snapshot::snapshot_closed;
pub use term_vectors::{TermVectorsAsk, TermVectorsFound};
