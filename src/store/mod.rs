//! The files of a shard: where they lie, how they are written so that a crash at any moment leaves a whole shard, and how they
//! are read back.
//!
//! - `layout`: folders and names.
//! - `translog`: the writer, with group commit. `sync_times`: how long its syncs take.
//! - `commit`: segment files and commit points, written so that either all of a commit is there or nothing.
//! - `closed`: what is known of a shard that is not open.
//! - [`repository`]: the files of snapshots.
//! - `seed`: new shards made of others or of a snapshot.
//! - `recover`: what a folder holds after a stop or a crash.
//!
//! What this room does not know: what a record or a segment means (see `pith_engine::shard`), when to flush, who asks.

mod closed;
mod commit;
mod error;
mod layout;
mod recover;
pub mod repository;
mod seed;
mod sync_times;
#[cfg(test)]
mod tests;
mod translog;

pub use closed::{ClosedShard, closed_shard};
pub use commit::{drop_unused, publish_commit, write_commit, write_files};
pub use layout::{ShardFolder, delete_index, index_folder};
pub use recover::{
    Holding, Recovered, TranslogFile, open_part_file, open_partly, open_segment, read_committed, read_missed,
    read_translog, read_whole, recover, translog_bytes, verify,
};
pub use seed::{Keep, seed_from_files, seed_from_shards};
pub use sync_times::SyncTimes;
pub use translog::{FoundGeneration, Translog, TranslogSize};
