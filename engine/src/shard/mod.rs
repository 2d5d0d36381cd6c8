//! The shard without I/O: what a write means, and what has to be made durable for it.
//!
//! - `op`: operations on one document and their answers.
//! - `stats`: what a shard counts.
//!
//! What this room does not know: files, tasks, clocks, other copies of the shard. Time comes in as an argument; bytes to be
//! written go out as values.

mod op;
mod stats;

pub use op::{Applied, FoundDocument, GetRequest, OpKind, UpdateSpec, VersionType, WriteOp, WriteOutcome, WriteResult};
pub use stats::{
    DocsStats, FlushStats, GetStats, IndexingStats, MergeStats, RefreshStats, SearchStats, SegmentsStats, SeqNoStats,
    ShardStats, TranslogStats,
};
