//! Bringing back what a snapshot holds.

use super::info::{RepositoryIndex, SnapshotInfo};
use super::repositories::repository;
use crate::cluster::{
    Change, CopyState, DataStream, IndexId, Restore, RestoreIndex, Seed, SnapshotSeed, State, stream_from_value,
};
use crate::coordinate::Core;
use crate::settings::{SettingsUpdate, glob};
use crate::shards::repository as files;
use pith_engine::ingest::Pattern;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// What is to come back, and how.
#[derive(Clone, Debug)]
pub struct RestoreSnapshot {
    pub repository: String,
    pub snapshot: String,
    pub indices: Vec<String>,
    pub ignore_unavailable: bool,
    pub include_global_state: bool,
    pub include_aliases: bool,
    /// Whether indexes of which some shards were not kept come back all the same.
    pub partial: bool,
    /// A regular expression in Java's syntax and what stands in the place of its matches in the names of indexes.
    pub rename: Option<(String, String)>,
    pub rename_aliases: Option<(String, String)>,
    pub settings: SettingsUpdate,
    pub ignored_settings: Vec<String>,
}

/// What has come back.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    pub indices: Vec<String>,
    pub total_shards: u64,
    pub successful_shards: u64,
}

/// Brings indexes back; with `wait` until their shards are open, otherwise (`None`) until they are about to be.
pub async fn restore(core: &Rc<Core>, asked: RestoreSnapshot, wait: bool) -> Result<Option<Restored>> {
    let state = core.state();
    let (_, location) = repository(&state, &asked.repository)?;
    let index = RepositoryIndex::read(&location).await?;
    let info = index.find(&asked.snapshot).cloned().ok_or_else(|| {
        let reason = format!("[{}:{}] snapshot does not exist", asked.repository, asked.snapshot);
        Error::new(ErrorKind::SnapshotRestore, reason)
    })?;
    let restore_id = core.make_id();
    let plan = plan(&asked, &location, &info, &restore_id).await?;
    let names: Vec<String> = plan.indexes.iter().map(|index| index.name.clone()).collect();
    let mut submitted = {
        let core = core.clone();
        rt::spawn(async move { core.submit(Change::RestoreIndexes(Box::new(plan))).await })
    };
    // Where there is nothing to wait for, everything has happened already.
    if !wait && !names.is_empty() {
        let begun = async {
            core.wait_for(|state| names.iter().all(|name| is_of(state, name, &restore_id))).await;
            Ok(None)
        };
        let failed = async { (&mut submitted).await.map(|_| None) };
        let accepted = futures_lite::future::or(failed, begun).await;
        submitted.detach();
        return accepted.map(|_: Option<()>| None);
    }
    submitted.await?;
    Ok(Some(outcome(&core.state(), names)))
}

fn is_of(state: &State, name: &str, restore_id: &str) -> bool {
    let seed = state.index(name).and_then(|index| index.seed.as_deref());
    matches!(seed, Some(Seed::Snapshot(seed)) if seed.restore_id == restore_id)
}

fn outcome(state: &State, indices: Vec<String>) -> Restored {
    let (mut total, mut successful) = (0, 0);
    for index in indices.iter().filter_map(|name| state.index(name)) {
        let copies = state.copies(index);
        total += copies.len() as u64;
        successful += copies.iter().filter(|copy| copy.state == CopyState::Started).count() as u64;
    }
    Restored { indices, total_shards: total, successful_shards: successful }
}

async fn plan(asked: &RestoreSnapshot, location: &Path, info: &SnapshotInfo, restore_id: &str) -> Result<Restore> {
    let shown = format!("{}:{}/{}", asked.repository, info.name, info.uuid);
    let refuse = |why: String| Error::new(ErrorKind::SnapshotRestore, format!("[{shown}] {why}"));
    if info.state == "FAILED" && !asked.partial {
        return Err(refuse("unsupported snapshot state [FAILED]".into()));
    }
    let whole = files::read_snapshot(location, &info.uuid).await?;
    let streams = chosen_streams(asked, info, &whole)?;
    let names = chosen(asked, info, &streams)?;
    // Nothing is said of patterns that nothing is renamed by.
    let renames = !names.is_empty() || !streams.is_empty();
    let of_names = Renaming::of_request(asked.rename.as_ref().filter(|_| renames))?;
    let of_aliases = Renaming::of_request(asked.rename_aliases.as_ref().filter(|_| renames))?;
    let of_names = of_names.as_ref();
    let mut renamed: BTreeMap<String, &str> = BTreeMap::new();
    let mut indexes = vec![];
    for name in names {
        if !asked.partial && info.failures.iter().any(|failure| failure.index == name) {
            return Err(refuse(format!("index [{name}] wasn't fully snapshotted - cannot restore")));
        }
        let meta = whole.get("indices").and_then(|indices| indices.get(name)).cloned();
        let mut meta = meta.ok_or_else(|| refuse(format!("the snapshot has no metadata of index [{name}]")))?;
        if let Some(renaming) = &of_aliases {
            rename_aliases(&mut meta, renaming)?;
        }
        let id = info.indices.iter().find(|index| index.name == name).map(|index| index.id.clone()).unwrap_or_default();
        let new_name = rename(of_names, name, &streams)?;
        if let Some(other) = renamed.insert(new_name.clone(), name) {
            return Err(Error::new(
                ErrorKind::SnapshotRestore,
                format!(
                    "[{}:{}] indices [{name}] and [{other}] are renamed into the same index [{new_name}]",
                    asked.repository, info.name
                ),
            ));
        }
        let seed = SnapshotSeed {
            repository: asked.repository.clone(),
            snapshot: info.name.clone(),
            snapshot_uuid: info.uuid.clone(),
            index: name.to_owned(),
            location: location.display().to_string(),
            index_id: id,
            restore_id: restore_id.to_owned(),
        };
        indexes.push(RestoreIndex { name: new_name, meta, seed });
    }
    // A snapshot may have been made without; then nothing of it comes back.
    let global = whole.get("global").filter(|_| asked.include_global_state).cloned();
    let data_streams = streams.iter().map(|stream| renamed_stream(of_names, stream, &streams));
    let data_streams = data_streams.collect::<Result<_>>()?;
    Ok(Restore {
        indexes,
        data_streams,
        global,
        settings: asked.settings.clone(),
        ignored: asked.ignored_settings.clone(),
        include_aliases: asked.include_aliases,
        shown,
    })
}

/// The data streams of the snapshot that the request names, or all of them.
fn chosen_streams(asked: &RestoreSnapshot, info: &SnapshotInfo, whole: &Value) -> Result<Vec<DataStream>> {
    let all = whole.get("data_streams").and_then(Value::as_array).unwrap_or_default();
    let mut streams = vec![];
    for value in all {
        let stream = stream_from_value(value)?;
        let meant = asked.indices.is_empty() || asked.indices.iter().any(|p| p == "_all" || glob(p, &stream.name));
        if meant && info.data_streams.iter().any(|name| **name == *stream.name) {
            streams.push(stream);
        }
    }
    Ok(streams)
}

/// The indexes that come back: expressions apply in turn, those with `-` take back what others gave.
fn chosen<'a>(asked: &RestoreSnapshot, info: &'a SnapshotInfo, streams: &[DataStream]) -> Result<Vec<&'a str>> {
    let all = || info.indices.iter().map(|index| index.name.as_str());
    if asked.indices.is_empty() {
        return Ok(all().collect());
    }
    let mut found: Vec<&str> = vec![];
    for (at, expression) in asked.indices.iter().enumerate() {
        if let Some(excluded) = expression.strip_prefix('-') {
            // What begins with taking some away takes them from all.
            if at == 0 {
                found.extend(all());
            }
            found.retain(|name| !glob(excluded, name));
            continue;
        }
        let pattern = if expression == "_all" { "*" } else { expression };
        let of_stream =
            |name: &str| streams.iter().any(|s| glob(pattern, &s.name) && s.indices.iter().any(|id| *id.name == *name));
        let matched: Vec<&str> = all().filter(|name| glob(pattern, name) || of_stream(name)).collect();
        if matched.is_empty() && !pattern.contains('*') && !asked.ignore_unavailable {
            return Err(Error::new(ErrorKind::IndexNotFound, format!("no such index [{expression}]"))
                .with("index", expression.as_str())
                .with("index_uuid", "_na_"));
        }
        for name in matched {
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    Ok(found)
}

/// Gives the aliases in the metadata of an index their other names.
fn rename_aliases(meta: &mut Value, renaming: &Renaming) -> Result<()> {
    let Value::Object(map) = meta else { return Ok(()) };
    let Some(aliases) = map.get("aliases").and_then(Value::as_object) else { return Ok(()) };
    let renamed = aliases.iter().map(|(name, alias)| Ok((renaming.of(name)?, alias.clone())));
    let renamed = renamed.collect::<Result<Map>>()?;
    map.insert("aliases", Value::Object(renamed));
    Ok(())
}

/// How names become others.
struct Renaming<'a> {
    pattern: Pattern,
    replacement: &'a str,
}

impl<'a> Renaming<'a> {
    fn of_request(asked: Option<&'a (String, String)>) -> Result<Option<Self>> {
        let Some((pattern, replacement)) = asked else { return Ok(None) };
        Ok(Some(Self { pattern: Pattern::new(pattern)?, replacement }))
    }

    fn of(&self, name: &str) -> Result<String> {
        self.pattern.replace_all(name, self.replacement)
    }
}

fn rename(renaming: Option<&Renaming>, name: &str, streams: &[DataStream]) -> Result<String> {
    let Some(renaming) = renaming else { return Ok(name.to_owned()) };
    let stream = streams.iter().find(|stream| stream.indices.iter().any(|id| *id.name == *name));
    // The indexes of a stream keep their form: the name of the stream inside is what changes.
    match name.strip_prefix(".ds-").filter(|_| stream.is_some()) {
        Some(rest) => Ok(format!(".ds-{}", renaming.of(rest)?)),
        None => renaming.of(name),
    }
}

fn renamed_stream(renaming: Option<&Renaming>, stream: &DataStream, streams: &[DataStream]) -> Result<DataStream> {
    let name: Arc<str> = match renaming {
        Some(renaming) => renaming.of(&stream.name)?.into(),
        None => stream.name.clone(),
    };
    let id = |id: &IndexId| Ok(IndexId { name: rename(renaming, &id.name, streams)?.into(), uuid: id.uuid.clone() });
    let indices = stream.indices.iter().map(id).collect::<Result<_>>()?;
    Ok(DataStream { name, indices, ..stream.clone() })
}
