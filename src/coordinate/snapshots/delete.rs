//! Deleting and cloning snapshots, and cleaning up after what did not come to its end.

use super::create::{check_name, check_new};
use super::info::{RepositoryIndex, SnapshotInfo};
use super::repositories::{begin, end, repository};
use super::show::{matching, missing};
use crate::cluster::{RepositoryWork, WorkKind};
use crate::coordinate::{Core, clock};
use crate::settings::glob;
use crate::shards::repository::{self as files, Removed};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

fn work(kind: WorkKind, snapshot: &str, uuid: String) -> RepositoryWork {
    RepositoryWork {
        kind,
        snapshot: snapshot.to_owned(),
        uuid,
        start_ms: clock::now_ms(),
        indices: vec![],
        data_streams: vec![],
        include_global_state: false,
        metadata: None,
    }
}

fn refuse_read_only(core: &Core, name: &str, what: &str) -> Result<PathBuf> {
    let (found, location) = repository(&core.state(), name)?;
    match found.is_read_only() {
        false => Ok(location),
        true => Err(Error::new(ErrorKind::Repository, format!("[{name}] {what} readonly repository"))),
    }
}

/// Runs `job` alone in the repository, to its end even where nobody waits for it.
async fn alone<T: 'static>(
    core: &Rc<Core>,
    name: &str,
    work: RepositoryWork,
    job: impl Future<Output = Result<T>> + 'static,
) -> Result<T> {
    begin(core, name, work).await?;
    let (core, name) = (core.clone(), name.to_owned());
    rt::spawn(async move {
        let result = job.await;
        end(&core, &name).await;
        result
    })
    .await
}

/// Deletes the snapshots that names and patterns mean, and the files that no other snapshot needs.
pub async fn delete(core: &Rc<Core>, name: &str, patterns: Vec<String>) -> Result<()> {
    let location = refuse_read_only(core, name, "cannot delete snapshot from a")?;
    let (repository, shown) = (name.to_owned(), patterns.join(","));
    let job = async move {
        let mut index = RepositoryIndex::read(&location).await?;
        let doomed: Vec<SnapshotInfo> =
            matching(&index.snapshots, &repository, &patterns, false)?.into_iter().cloned().collect();
        if doomed.is_empty() {
            return Ok(());
        }
        let uuids: Vec<String> = doomed.iter().map(|snapshot| snapshot.uuid.clone()).collect();
        index.snapshots.retain(|snapshot| !uuids.contains(&snapshot.uuid));
        // From here on they are gone; what is left of them would go with a clean-up.
        index.write(&location).await?;
        remove_files(&location, &index, &doomed, &uuids).await
    };
    alone(core, name, work(WorkKind::Delete, &shown, core.make_id()), job).await
}

async fn remove_files(
    location: &Path,
    index: &RepositoryIndex,
    doomed: &[SnapshotInfo],
    uuids: &[String],
) -> Result<()> {
    let used: BTreeSet<&str> = index.index_ids().into_values().collect();
    let ids: BTreeSet<&str> =
        doomed.iter().flat_map(|snapshot| &snapshot.indices).map(|index| index.id.as_str()).collect();
    for id in ids {
        files::forget_index(location, uuids, id, used.contains(id)).await?;
    }
    for uuid in uuids {
        files::remove_snapshot(location, uuid).await?;
    }
    Ok(())
}

/// A snapshot of some indexes of another.
#[derive(Clone, Debug)]
pub struct CloneSnapshot {
    pub repository: String,
    pub source: String,
    pub target: String,
    pub indices: Vec<String>,
}

pub async fn clone(core: &Rc<Core>, asked: CloneSnapshot) -> Result<()> {
    let location = refuse_read_only(core, &asked.repository, "cannot create snapshot in a")?;
    check_name(&asked.repository, &asked.target)?;
    if RepositoryIndex::read(&location).await?.find(&asked.source).is_none() {
        return Err(missing(&asked.repository, &asked.source));
    }
    check_new(&core.state(), &location, &asked.repository, &asked.target).await?;
    let uuid = core.make_id();
    let name = asked.repository.clone();
    let work = work(WorkKind::Clone, &asked.target, uuid.clone());
    let job = async move {
        let mut index = RepositoryIndex::read(&location).await?;
        let source = index.find(&asked.source).cloned().ok_or_else(|| missing(&asked.repository, &asked.source))?;
        let mut made = SnapshotInfo {
            name: asked.target.clone(),
            uuid: uuid.clone(),
            start_ms: clock::now_ms(),
            // Shards that are not read are not counted, and what is known of the source is not known of this.
            total_shards: 0,
            successful_shards: 0,
            metadata: None,
            ..source.clone()
        };
        made.indices
            .retain(|index| asked.indices.iter().any(|pattern| pattern == "_all" || glob(pattern, &index.name)));
        let named = |pattern: &&String| !pattern.contains('*') && *pattern != "_all";
        for pattern in asked.indices.iter().filter(named) {
            if !made.indices.iter().any(|index| index.name == *pattern) {
                return Err(Error::new(ErrorKind::IndexNotFound, format!("no such index [{pattern}]"))
                    .with("index", pattern.as_str())
                    .with("index_uuid", "_na_"));
            }
        }
        for files_of in &made.indices {
            for shard in 0..files_of.shards {
                files::clone_shard(&location, &source.uuid, &uuid, &files_of.id, shard).await?;
            }
        }
        files::write_snapshot(&location, &uuid, &files::read_snapshot(&location, &source.uuid).await?).await?;
        made.end_ms = clock::now_ms();
        index.snapshots.push(made);
        index.write(&location).await
    };
    alone(core, &name, work, job).await
}

/// Removes what the repository's index does not name.
pub async fn clean_up(core: &Rc<Core>, name: &str) -> Result<Removed> {
    let location = refuse_read_only(core, name, "cannot run cleanup on")?;
    let job = async move {
        let index = RepositoryIndex::read(&location).await?;
        let uuids: Vec<String> = index.snapshots.iter().map(|snapshot| snapshot.uuid.clone()).collect();
        let ids: Vec<String> = index.index_ids().into_values().map(str::to_owned).collect();
        files::clean_up(&location, &uuids, &ids).await
    };
    alone(core, name, work(WorkKind::CleanUp, "", core.make_id()), job).await
}
