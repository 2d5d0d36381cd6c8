//! The shards of a core: their life, the order of their writes, and their upkeep (refresh, flush, merge).
//!
//! - `protocol`: requests to a shard and its replies.
//!
//! What this room does not know: indexes by name, aliases, which shard a document belongs to, other cores, HTTP.

mod protocol;

pub use protocol::{RefreshPolicy, SegmentInfo, ShardAddr, ShardReply, ShardRequest, Written};
