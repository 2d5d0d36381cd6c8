//! The shards of a core: their life, the order of their writes, and their upkeep.
//!
//! - `protocol`: requests to a shard and its replies.
//! - `host`: all shards of a core; where a request finds its shard.
//! - `open`, `open_shard`: from a folder to a shard that is open, and what is running on it.
//! - `write`, `read`, `search`: what requests do. `contexts`: scrolls and points in time.
//! - `refresh`, `upkeep`: visibility; syncing, flushing, merging.
//! - `settings`, `memory`, `turn`: the index's settings, the bounds of the core, taking turns.
//!
//! What this room does not know: indexes by name, aliases, which shard a document belongs to, other cores, HTTP.

mod contexts;
#[cfg(test)]
mod crash_tests;
mod host;
mod memory;
mod open;
mod open_shard;
mod protocol;
mod read;
mod refresh;
mod search;
mod settings;
#[cfg(test)]
mod tests;
mod turn;
mod upkeep;
mod write;

pub use contexts::{ContextKey, Free, OpenContext, OpenContexts, PointInTimeInfo, Purpose, missing};
pub use host::{Host, HostConfig, MappingChange};
pub use open::ShardSpec;
pub use protocol::{Recovery, RefreshPolicy, SegmentInfo, ShardAddr, ShardReply, ShardRequest, Written};
pub use search::{DescribeAsk, ExplainAsk, FetchAsk, FetchedHits, OpenAsk, Reader, ScrollAsk, SearchAsk, Searched};
pub use settings::{Durability, ShardSettings};
