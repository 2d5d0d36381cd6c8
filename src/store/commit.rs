//! Making a commit point durable: first every file that it names, then the commit itself under its name, then what no commit
//! needs any more goes. A crash between any two steps leaves the commit before or the new one, never less.

use super::ShardFolder;
use super::error::io_error;
use bytes::Bytes;
use pith_engine::Result;
use pith_engine::shard::{CommitPoint, commit_file};
use pith_net::rt::file;

/// Writes `files` and then the commit point that names them. When this returns, the shard can be opened from it.
pub async fn write_commit(folder: &ShardFolder, files: &[(String, Bytes)], commit: &CommitPoint) -> Result<()> {
    write_files(folder, files).await?;
    publish_commit(folder, commit).await
}

/// Makes files durable that no commit point names yet.
pub async fn write_files(folder: &ShardFolder, files: &[(String, Bytes)]) -> Result<()> {
    for (name, bytes) in files {
        let path = folder.index_file(name);
        file::write_new(&path, &[bytes], true).await.map_err(|e| io_error("write", &path, &e))?;
    }
    let index = folder.index();
    file::sync_dir(&index).await.map_err(|e| io_error("sync", &index, &e))
}

/// Makes `commit` the newest commit point. After an error it may be that all the same.
pub async fn publish_commit(folder: &ShardFolder, commit: &CommitPoint) -> Result<()> {
    let name = commit_file(commit.generation);
    let (temporary, path) = (folder.index_file(&format!("{name}.tmp")), folder.index_file(&name));
    let bytes = commit.encode();
    file::write_new(&temporary, &[&bytes], true).await.map_err(|e| io_error("write", &temporary, &e))?;
    file::rename_durable(&temporary, &path).await.map_err(|e| io_error("rename", &path, &e))
}

/// Removes every file that `commit` does not name: earlier commits, merged segments, what a crash left.
pub async fn drop_unused(folder: &ShardFolder, commit: &CommitPoint) -> Result<()> {
    let mut used = vec![commit_file(commit.generation)];
    for segment in &commit.segments {
        used.push(segment.file());
        used.extend(segment.live_file());
    }
    let index = folder.index();
    let entries = file::list_dir(&index).await.map_err(|e| io_error("list", &index, &e))?;
    for entry in entries {
        if !entry.is_dir && !used.contains(&entry.name) {
            let path = folder.index_file(&entry.name);
            file::remove_file(&path).await.map_err(|e| io_error("remove", &path, &e))?;
        }
    }
    Ok(())
}
