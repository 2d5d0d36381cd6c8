//! A shard's files to a repository of snapshots.

use super::open_shard::OpenShard;
use crate::store::repository::{Content, ShardManifest, ShardPlace, write_shard};
use crate::store::{ShardFolder, read_committed};
use pith_engine::shard::CommittedFile;
use pith_engine::{Error, ErrorKind, Result};
use std::path::Path;
use std::rc::Rc;

impl OpenShard {
    /// Makes everything written so far part of a commit point, and keeps its files in the repository. Writes, refreshes and merges
    /// go on meanwhile: segments never change.
    pub async fn snapshot(self: &Rc<Self>, place: ShardPlace) -> Result<ShardManifest> {
        self.flush(false, true).await?;
        let (commit, files) = self.shard.borrow().committed_files();
        let content = |file| match file {
            CommittedFile::Live(bytes) => Content::Bytes(bytes),
            CommittedFile::Segment(segment) => match self.core.part_files.of(&segment) {
                Some(file) => Content::Open(file),
                None => Content::Bytes(segment.bytes().clone()),
            },
        };
        let files = files.into_iter().map(|(name, file)| (name, content(file))).collect();
        let shard = self.clone();
        self.to_the_end(async move {
            shard.check_open()?;
            write_shard(&place, &commit, files).await
        })
        .await
    }
}

/// As [`OpenShard::snapshot`], of a shard that is closed.
pub async fn snapshot_closed(data: &Path, index_uuid: &str, place: &ShardPlace) -> Result<ShardManifest> {
    let folder = ShardFolder::new(data, index_uuid, place.shard);
    let found = read_committed(&folder).await?;
    let (commit, files) = found.ok_or_else(|| {
        let reason = format!("[{}] holds no commit point", folder.index().display());
        Error::new(ErrorKind::CorruptIndex, reason)
    })?;
    write_shard(place, &commit, files).await
}
