//! Folders and names.
//!
//! ```text
//! <data>/nodes/0/indices/<index uuid>/<shard>/
//!   index/commit-<n>           the commit point (see pith_engine::shard::commit)
//!   index/<name>.seg           a segment
//!   index/<name>.<n>.live      which of its documents are live
//!   index/*.tmp                being written; removed at start
//!   translog/translog-<n>      a generation of the translog (see pith_engine::shard::translog)
//! ```

use super::error::io_error;
use pith_engine::Result;
use pith_net::rt::file;
use std::path::{Path, PathBuf};

/// The folder of an index below the data folder.
pub fn index_folder(data: &Path, index_uuid: &str) -> PathBuf {
    data.join("nodes").join("0").join("indices").join(index_uuid)
}

/// Removes everything of an index from the data folder. Its shards must have been closed.
pub async fn delete_index(data: &Path, index_uuid: &str) -> Result<()> {
    remove(&index_folder(data, index_uuid)).await
}

async fn remove(folder: &Path) -> Result<()> {
    if !exists(folder).await? {
        return Ok(());
    }
    file::remove_dir_all(folder).await.map_err(|e| io_error("remove", folder, &e))
}

pub(super) async fn exists(path: &Path) -> Result<bool> {
    file::exists(path).await.map_err(|e| io_error("look for", path, &e))
}

/// The folder of a shard.
#[derive(Clone, Debug)]
pub struct ShardFolder {
    root: PathBuf,
}

impl ShardFolder {
    pub fn new(data: &Path, index_uuid: &str, shard: u32) -> Self {
        Self { root: index_folder(data, index_uuid).join(shard.to_string()) }
    }

    pub fn index(&self) -> PathBuf {
        self.root.join("index")
    }

    pub fn translog(&self) -> PathBuf {
        self.root.join("translog")
    }

    /// The file `name` among segments and commit points.
    pub fn index_file(&self, name: &str) -> PathBuf {
        self.root.join("index").join(name)
    }

    pub fn translog_file(&self, generation: u64) -> PathBuf {
        self.translog().join(format!("translog-{generation}"))
    }

    /// Removes everything of the shard, which must have been closed.
    pub async fn remove(&self) -> Result<()> {
        remove(&self.root).await
    }

    /// Makes the folders, durably.
    pub async fn create(&self) -> Result<()> {
        for folder in [self.index(), self.translog()] {
            file::create_dir_all(&folder).await.map_err(|e| io_error("create", &folder, &e))?;
        }
        // A folder is durable when its parent is: shard, index and the folder of all indexes.
        for folder in self.root.ancestors().take(3) {
            file::sync_dir(folder).await.map_err(|e| io_error("sync", folder, &e))?;
        }
        Ok(())
    }
}

/// The generation of a translog file by its name.
pub fn translog_generation(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("translog-")?;
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}
