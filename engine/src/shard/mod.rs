//! The shard without I/O: what a write means, and what has to be made durable for it.
//!
//! - `shard`: the state: open buffer, frozen buffer, segments.
//! - `op`, `apply`, `update`: writes of one document, their conditions and their answers.
//! - `locate`, `versions`: where a document is and which version it has; reading it.
//! - `record`, `translog`: the record of an operation, and the file of records.
//! - `replay`: records back into documents, after a crash or from another copy.
//! - `refresh`, `merges`: buffer to segment, segments to segment; what searches see.
//! - `flush`, `commit`: what has to be written, and the commit point that names it.
//! - `residence`: which segments are in memory.
//! - `checkpoint`: sequence numbers.
//! - `stats`: what a shard counts.
//!
//! What this room does not know: files, tasks, clocks, other copies of the shard. Time comes in as an argument; bytes to be
//! written go out as values; what takes long goes out as a job that the caller runs in slices.

mod apply;
mod checkpoint;
mod commit;
mod flush;
mod locate;
mod merges;
mod op;
mod record;
mod refresh;
mod replay;
mod residence;
#[allow(clippy::module_inception, reason = "the room is named after its one central type")]
mod shard;
mod stats;
#[cfg(test)]
mod tests;
mod translog;
mod update;
mod versions;

pub use apply::RecordSink;
pub use commit::{CommitPoint, CommittedSegment, commit_file, commit_generation, commit_id, live_file, segment_file};
pub use flush::{CommitPlan, CommittedFile};
pub use merges::{ForceMerge, MergeJob, MergedBytes};
pub use op::{
    Applied, FoundDocument, GetRequest, OpKind, ScriptedUpdate, UpdateSpec, VersionType, WriteOp, WriteOutcome,
    WriteResult,
};
pub use record::{BadFrame, Operation, Record, encode_mark};
pub use refresh::{SealJob, Sealed, SealedBytes};
pub use replay::Replayed;
pub use shard::{Shard, ShardIdentity, segment_name};
pub use stats::{
    CommitStats, DocsStats, FlushStats, GetStats, IndexingStats, MergeStats, RefreshStats, RequestCacheStats,
    SearchStats, SegmentsStats, SeqNoStats, ShardStats, TranslogStats,
};
pub use translog::{TranslogEnd, TranslogHeader, TranslogReader};
pub use update::{Decision, Scripted, compact, merge};
