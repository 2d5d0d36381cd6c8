//! What a shard that is closed holds, by its files alone.

use super::ShardFolder;
use super::error::io_error;
use super::recover::newest_commit;
use pith_engine::Result;
use pith_engine::segment::LiveDocs;
use pith_engine::shard::{CommitPoint, commit_file};
use pith_net::rt::{self, file};
use std::time::UNIX_EPOCH;

/// The newest commit point of a closed shard, and what it does not say itself.
pub struct ClosedShard {
    pub commit: CommitPoint,
    /// Deleted documents of its segments.
    pub deleted: u64,
    /// Length of the commit point's own file.
    pub commit_bytes: u64,
    /// When it was written, in epoch milliseconds.
    pub written_ms: u64,
}

/// Looks at a closed shard without reading its segments; none if nothing was ever committed.
pub async fn closed_shard(folder: &ShardFolder) -> Result<Option<ClosedShard>> {
    let Some(commit) = newest_commit(folder).await? else { return Ok(None) };
    let mut deleted = 0;
    for name in commit.segments.iter().filter_map(|segment| segment.live_file()) {
        let path = folder.index_file(&name);
        let bytes = file::read_all(&path).await.map_err(|e| io_error("read", &path, &e))?;
        deleted += u64::from(LiveDocs::decode(&path.display().to_string(), &bytes)?.deleted_count());
    }
    let path = folder.index_file(&commit_file(commit.generation));
    let about = path.clone();
    let about = rt::offload(move || std::fs::metadata(about)).await.map_err(|e| io_error("look at", &path, &e))?;
    let written = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let written_ms = written.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
    Ok(Some(ClosedShard { commit, deleted, commit_bytes: about.len(), written_ms }))
}
