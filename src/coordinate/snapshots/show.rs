//! What snapshots there are, and what they are made of.

use super::info::{RepositoryIndex, SnapshotInfo};
use super::repositories::repository;
use crate::cluster::State;
use crate::coordinate::Core;
use crate::settings::glob;
use crate::shards::repository::{self as files, ShardManifest};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

/// A snapshot with the files of its shards: by index (in its order), then by shard. `None` for a shard that was not kept.
pub struct Shown {
    pub info: SnapshotInfo,
    pub shards: Vec<Vec<Option<ShardManifest>>>,
}

/// The error of a snapshot that is not there.
#[cold]
pub fn missing(repository: &str, name: &str) -> Error {
    Error::new(ErrorKind::SnapshotMissing, format!("[{repository}:{name}] is missing"))
}

/// Those that names and patterns mean, each once. A name without a snapshot is an error unless `lenient`.
pub fn matching<'a>(
    all: &'a [SnapshotInfo],
    repository: &str,
    patterns: &[String],
    lenient: bool,
) -> Result<Vec<&'a SnapshotInfo>> {
    for pattern in patterns.iter().filter(|pattern| !pattern.contains('*') && *pattern != "_all") {
        if !lenient && !all.iter().any(|snapshot| snapshot.name == *pattern) {
            return Err(missing(repository, pattern));
        }
    }
    let meant =
        |snapshot: &&SnapshotInfo| patterns.iter().any(|pattern| pattern == "_all" || glob(pattern, &snapshot.name));
    Ok(all.iter().filter(meant).collect())
}

/// The snapshot that is being made in a repository.
pub fn current(state: &State, name: &str) -> Option<SnapshotInfo> {
    state.repository_work.get(name).and_then(|work| SnapshotInfo::of_work(work))
}

/// The snapshots of a repository, oldest first; those being made too. `_current` means these alone.
pub async fn list(core: &Rc<Core>, name: &str, patterns: &[String], lenient: bool) -> Result<Vec<SnapshotInfo>> {
    let state = core.state();
    let (_, location) = repository(&state, name)?;
    let current = current(&state, name);
    if patterns == ["_current"] {
        return Ok(current.into_iter().collect());
    }
    let mut all = RepositoryIndex::read(&location).await?.snapshots;
    all.extend(current.filter(|current| !all.iter().any(|other| other.uuid == current.uuid)));
    all.sort_by(|a, b| (a.start_ms, &a.name).cmp(&(b.start_ms, &b.name)));
    let found: Vec<SnapshotInfo> = matching(&all, name, patterns, lenient)?.into_iter().cloned().collect();
    Ok(found)
}

/// As [`list`], with the files of every shard.
pub async fn status(core: &Rc<Core>, name: &str, patterns: &[String], lenient: bool) -> Result<Vec<Shown>> {
    let (_, location) = repository(&core.state(), name)?;
    let mut shown = vec![];
    for info in list(core, name, patterns, lenient).await? {
        let mut shards = vec![];
        for index in &info.indices {
            let mut of_index = vec![];
            for shard in 0..index.shards {
                let failed = info.failures.iter().any(|f| f.index == index.name && f.shard == shard);
                of_index.push(match failed {
                    true => None,
                    false => Some(files::read_manifest(&location, &info.uuid, &index.id, shard).await?),
                });
            }
            shards.push(of_index);
        }
        shown.push(Shown { info, shards });
    }
    Ok(shown)
}
