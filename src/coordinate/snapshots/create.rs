//! Making a snapshot.

use super::info::{IndexFiles, RepositoryIndex, ShardFailure, SnapshotInfo};
use super::repositories::{begin, end, repository};
use crate::cluster::{
    IndexMeta, IndicesOptions, RepositoryWork, State, WorkKind, global_to_value, index_to_value, resolve,
};
use crate::coordinate::{Core, clock};
use crate::shards::repository::{self as files, ShardPlace};
use crate::shards::{ShardReply, ShardRequest, snapshot_closed};
use pith_engine::join::join_all;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// What is to be kept.
#[derive(Clone, Debug)]
pub struct CreateSnapshot {
    pub repository: String,
    pub name: String,
    pub indices: Vec<String>,
    pub options: IndicesOptions,
    pub include_global_state: bool,
    /// Whether shards that cannot be kept leave a snapshot of the others.
    pub partial: bool,
    pub metadata: Option<Value>,
}

/// What became of the request.
#[derive(Debug)]
pub enum Created {
    /// It goes on by itself.
    Accepted,
    Done(Box<SnapshotInfo>),
}

/// Makes a snapshot; with `wait` to its end, otherwise until it has begun.
pub async fn create(core: &Rc<Core>, asked: CreateSnapshot, wait: bool) -> Result<Created> {
    let state = core.state();
    let (found, location) = repository(&state, &asked.repository)?;
    if found.is_read_only() {
        let reason = format!("[{}] cannot create snapshot in a readonly repository", asked.repository);
        return Err(Error::new(ErrorKind::Repository, reason));
    }
    check_name(&asked.repository, &asked.name)?;
    check_new(&state, &location, &asked.repository, &asked.name).await?;
    let indexes = resolve(&state, &asked.indices, &asked.options, clock::now_ms())?;
    check_running(&core.state(), &asked.repository, &asked.name)?;
    let work = work(&state, &asked, &indexes, core.make_id());
    if !asked.partial {
        check_assigned(&state, &indexes, &format!("{}:{}/{}", asked.repository, asked.name, work.uuid))?;
    }
    begin(core, &asked.repository, work.clone()).await?;
    let making = {
        let core = core.clone();
        // Whoever asked may go away; the work goes on, and the repository is let go in the end.
        rt::spawn(async move {
            let made = make(&core, &asked, &location, &indexes, work).await;
            end(&core, &asked.repository).await;
            if let Err(error) = &made {
                tracing::error!(repository = asked.repository, snapshot = asked.name, "the snapshot failed: {error}");
            }
            made
        })
    };
    if !wait {
        making.detach();
        return Ok(Created::Accepted);
    }
    making.await.map(|info| Created::Done(Box::new(info)))
}

/// Refuses to keep indexes whole of which no core has some shard.
fn check_assigned(state: &State, indexes: &[Arc<IndexMeta>], shown: &str) -> Result<()> {
    let lacking = state.lacking_primaries(indexes);
    match lacking.is_empty() {
        true => Ok(()),
        false => {
            let reason = format!("[{shown}] Indices don't have primary shards [{}]", lacking.join(", "));
            Err(Error::new(ErrorKind::Snapshot, reason))
        }
    }
}

/// Operations on snapshots that may go on at the same time, where nobody says otherwise.
const RUNNING_MAX: usize = 1000;

/// Refuses to begin more than the cluster's settings allow.
fn check_running(state: &State, repository: &str, name: &str) -> Result<()> {
    let setting = state.cluster_setting("snapshot.max_concurrent_operations");
    let most = setting.and_then(|text| text.parse().ok()).unwrap_or(RUNNING_MAX);
    let running = state.repository_work.len();
    if running < most {
        return Ok(());
    }
    let reason = format!(
        "[{repository}:{name}] Cannot start another operation, already running [{running}] operations and the current limit \
         for concurrent snapshot operations is set to [{most}]"
    );
    Err(Error::new(ErrorKind::ConcurrentSnapshotExecution, reason))
}

/// The error of a snapshot's name that cannot be had.
#[cold]
fn invalid(repository: &str, name: &str, problem: &str) -> Error {
    let reason = format!("[{repository}:{name}] Invalid snapshot name [{name}], {problem}");
    Error::new(ErrorKind::InvalidSnapshotName, reason)
}

pub fn check_name(repository: &str, name: &str) -> Result<()> {
    let refuse = |problem: &str| Err(invalid(repository, name, problem));
    if name.is_empty() {
        return refuse("cannot be empty");
    }
    if name.contains(char::is_whitespace) {
        return refuse("must not contain whitespace");
    }
    if name.contains(',') {
        return refuse("must not contain ','");
    }
    if name.contains('#') {
        return refuse("must not contain '#'");
    }
    if name.starts_with('_') {
        return refuse("must not start with '_'");
    }
    if name.to_lowercase() != name {
        return refuse("must be lowercase");
    }
    if name.contains(['"', '*', '\\', '<', '|', '>', '/', '?']) {
        return refuse("must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?]");
    }
    Ok(())
}

/// Refuses a name that a snapshot has, or one that is being made.
pub async fn check_new(state: &State, location: &Path, repository: &str, name: &str) -> Result<()> {
    let making = |work: &Arc<RepositoryWork>| work.kind != WorkKind::Delete && work.snapshot == name;
    if state.repository_work.get(repository).is_some_and(making) {
        return Err(invalid(repository, name, "snapshot with the same name is already in-progress"));
    }
    if RepositoryIndex::read(location).await?.find(name).is_some() {
        return Err(invalid(repository, name, "snapshot with the same name already exists"));
    }
    Ok(())
}

fn work(state: &State, asked: &CreateSnapshot, indexes: &[Arc<IndexMeta>], uuid: String) -> RepositoryWork {
    let all_there = |stream: &&Arc<crate::cluster::DataStream>| {
        stream.indices.iter().all(|id| indexes.iter().any(|index| index.uuid == id.uuid))
    };
    RepositoryWork {
        kind: WorkKind::Create,
        snapshot: asked.name.clone(),
        uuid,
        start_ms: clock::now_ms(),
        indices: indexes.iter().map(|index| index.name.to_string()).collect(),
        data_streams: state.data_streams.values().filter(all_there).map(|stream| stream.name.to_string()).collect(),
        include_global_state: asked.include_global_state,
        metadata: asked.metadata.clone(),
    }
}

async fn make(
    core: &Rc<Core>,
    asked: &CreateSnapshot,
    location: &Path,
    indexes: &[Arc<IndexMeta>],
    work: RepositoryWork,
) -> Result<SnapshotInfo> {
    let mut index = RepositoryIndex::read(location).await?;
    // Another of this name may have come to its end while this one waited for its turn.
    if index.find(&asked.name).is_some() {
        return Err(invalid(&asked.repository, &asked.name, "snapshot with the same name already exists"));
    }
    let mut info = SnapshotInfo {
        state: "SUCCESS".to_owned(),
        indices: vec![],
        ..SnapshotInfo::of_work(&work).unwrap_or_default()
    };
    let mut metadata = Map::new();
    for meta in indexes {
        let id = index.index_ids().get(&*meta.name).map_or_else(|| core.make_id(), |id| (*id).to_owned());
        metadata.insert(&*meta.name, index_to_value(meta));
        info.indices.push(IndexFiles { name: meta.name.to_string(), id: id.clone(), shards: meta.number_of_shards });
        for (shard, kept) in keep_shards(core, meta, location, &id, &work.uuid).await.into_iter().enumerate() {
            info.total_shards += 1;
            match kept {
                Ok(()) => info.successful_shards += 1,
                Err(reason) => {
                    info.failures.push(ShardFailure { index: meta.name.to_string(), shard: shard as u32, reason })
                }
            }
        }
    }
    if !info.failures.is_empty() {
        info.state = if asked.partial { "PARTIAL" } else { "FAILED" }.to_owned();
        info.reason = (!asked.partial).then(|| "some shards could not be kept".to_owned());
    }
    write_metadata(core, location, &info, metadata).await?;
    info.end_ms = clock::now_ms();
    index.snapshots.push(info.clone());
    index.write(location).await?;
    Ok(info)
}

async fn write_metadata(core: &Core, location: &Path, info: &SnapshotInfo, indexes: Map) -> Result<()> {
    let state = core.state();
    let mut whole = Map::from_iter([("indices", Value::Object(indexes))]);
    if info.include_global_state {
        whole.insert("global", global_to_value(&state));
    }
    let streams = info.data_streams.iter().filter_map(|name| state.data_streams.get(name.as_str()));
    whole.insert("data_streams", Value::Array(streams.map(|stream| crate::cluster::stream_to_value(stream)).collect()));
    files::write_snapshot(location, &info.uuid, &Value::Object(whole)).await
}

/// Keeps the shards of an index, those of different cores at the same time; of each, why it could not be.
async fn keep_shards(
    core: &Rc<Core>,
    index: &Arc<IndexMeta>,
    location: &Path,
    id: &str,
    uuid: &str,
) -> Vec<std::result::Result<(), String>> {
    let keep = |shard: u32| async move {
        if core.state().is_unassigned(index, shard) {
            return Err("primary shard is not allocated".to_owned());
        }
        let place = ShardPlace {
            location: PathBuf::from(location),
            index_id: id.to_owned(),
            shard,
            snapshot_uuid: uuid.to_owned(),
            now_ms: clock::now_ms(),
        };
        if !index.is_open() {
            let data = &core.facts().map_err(|error| error.to_string())?.data;
            return snapshot_closed(data, &index.uuid, &place).await.map(drop).map_err(|error| error.to_string());
        }
        match core.shard(index, shard, ShardRequest::Snapshot(Box::new(place))).await {
            Ok(ShardReply::Snapshotted(_)) => Ok(()),
            Ok(other) => Err(format!("unexpected answer of a shard: {other:?}")),
            Err(error) => Err(error.to_string()),
        }
    };
    join_all((0..index.number_of_shards).map(keep)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_begin_than_the_settings_allow() {
        let mut state = State::clone(&Core::for_test().state());
        let asked = CreateSnapshot {
            repository: "other".into(),
            name: "s".into(),
            indices: vec![],
            options: IndicesOptions::STRICT_EXPAND_OPEN,
            include_global_state: false,
            partial: false,
            metadata: None,
        };
        let going = work(&state, &asked, &[], "u".into());
        state.repository_work.insert("other".into(), Arc::new(going));
        assert!(check_running(&state, "r", "s").is_ok());
        state.transient.insert("snapshot.max_concurrent_operations", "1");
        let error = check_running(&state, "r", "s").unwrap_err();
        let expected = "[r:s] Cannot start another operation, already running [1] operations and the current limit for concurrent \
                        snapshot operations is set to [1]";
        assert_eq!((error.status(), error.reason()), (503, expected));
    }
}
