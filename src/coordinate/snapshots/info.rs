//! What is known of a snapshot, and the index of a repository: all its snapshots.

use crate::cluster::{RepositoryWork, WorkKind};
use crate::shards::repository;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// One snapshot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotInfo {
    pub name: String,
    pub uuid: String,
    /// `IN_PROGRESS`, `SUCCESS`, `PARTIAL` or `FAILED`.
    pub state: String,
    pub reason: Option<String>,
    pub indices: Vec<IndexFiles>,
    pub data_streams: Vec<String>,
    pub include_global_state: bool,
    pub metadata: Option<Value>,
    pub start_ms: i64,
    pub end_ms: i64,
    pub failures: Vec<ShardFailure>,
    pub total_shards: u64,
    pub successful_shards: u64,
}

/// An index of a snapshot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexFiles {
    pub name: String,
    /// What it is called inside the repository.
    pub id: String,
    pub shards: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShardFailure {
    pub index: String,
    pub shard: u32,
    pub reason: String,
}

impl SnapshotInfo {
    /// A snapshot that is being made.
    pub fn of_work(work: &RepositoryWork) -> Option<Self> {
        if !matches!(work.kind, WorkKind::Create | WorkKind::Clone) {
            return None;
        }
        let index = |name: &String| IndexFiles { name: name.clone(), ..IndexFiles::default() };
        Some(Self {
            name: work.snapshot.clone(),
            uuid: work.uuid.clone(),
            state: "IN_PROGRESS".to_owned(),
            indices: work.indices.iter().map(index).collect(),
            data_streams: work.data_streams.clone(),
            include_global_state: work.include_global_state,
            metadata: work.metadata.clone(),
            start_ms: work.start_ms,
            ..Self::default()
        })
    }

    fn to_value(&self) -> Value {
        let index = |index: &IndexFiles| {
            Value::Object(Map::from_iter([
                ("name", Value::from(&index.name)),
                ("id", Value::from(&index.id)),
                ("shards", Value::from(index.shards)),
            ]))
        };
        let failure = |failure: &ShardFailure| {
            Value::Object(Map::from_iter([
                ("index", Value::from(&failure.index)),
                ("shard", Value::from(failure.shard)),
                ("reason", Value::from(&failure.reason)),
            ]))
        };
        let mut map = Map::from_iter([
            ("name", Value::from(&self.name)),
            ("uuid", Value::from(&self.uuid)),
            ("state", Value::from(&self.state)),
            ("indices", Value::Array(self.indices.iter().map(index).collect())),
            ("data_streams", Value::Array(self.data_streams.iter().map(Value::from).collect())),
            ("include_global_state", Value::Bool(self.include_global_state)),
            ("start_ms", Value::from(self.start_ms)),
            ("end_ms", Value::from(self.end_ms)),
            ("failures", Value::Array(self.failures.iter().map(failure).collect())),
            ("total_shards", Value::from(self.total_shards)),
            ("successful_shards", Value::from(self.successful_shards)),
        ]);
        if let Some(metadata) = &self.metadata {
            map.insert("metadata", metadata.clone());
        }
        if let Some(reason) = &self.reason {
            map.insert("reason", reason);
        }
        Value::Object(map)
    }

    fn from_value(value: &Value) -> Option<Self> {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_i64);
        let index = |value: &Value| {
            let shards = u32::try_from(number(value, "shards")?).ok()?;
            Some(IndexFiles { name: text(value, "name")?, id: text(value, "id")?, shards })
        };
        let failure = |value: &Value| {
            let shard = u32::try_from(number(value, "shard")?).ok()?;
            Some(ShardFailure { index: text(value, "index")?, shard, reason: text(value, "reason")? })
        };
        Some(Self {
            name: text(value, "name")?,
            uuid: text(value, "uuid")?,
            state: text(value, "state")?,
            reason: text(value, "reason"),
            indices: value.get("indices")?.as_array()?.iter().map(index).collect::<Option<_>>()?,
            data_streams: value.get("data_streams")?.as_array()?.iter().map(Value::to_text).collect(),
            include_global_state: value.get("include_global_state")?.as_bool()?,
            metadata: value.get("metadata").cloned(),
            start_ms: number(value, "start_ms")?,
            end_ms: number(value, "end_ms")?,
            failures: value.get("failures")?.as_array()?.iter().map(failure).collect::<Option<_>>()?,
            total_shards: number(value, "total_shards")?.max(0) as u64,
            successful_shards: number(value, "successful_shards")?.max(0) as u64,
        })
    }
}

/// All snapshots of a repository, oldest first.
pub struct RepositoryIndex {
    generation: u64,
    pub snapshots: Vec<SnapshotInfo>,
}

impl RepositoryIndex {
    pub async fn read(location: &Path) -> Result<Self> {
        let (generation, value) = repository::read_index(location).await?;
        let list = value.get("snapshots").and_then(Value::as_array).unwrap_or_default();
        let snapshots: Option<Vec<_>> = list.iter().map(SnapshotInfo::from_value).collect();
        let snapshots = snapshots.ok_or_else(|| {
            let reason = format!("the index of the repository in [{}] cannot be read", location.display());
            Error::new(ErrorKind::CorruptIndex, reason)
        })?;
        Ok(Self { generation, snapshots })
    }

    /// Makes it what the repository holds from now on.
    pub async fn write(&self, location: &Path) -> Result<()> {
        let list = self.snapshots.iter().map(SnapshotInfo::to_value).collect();
        let value = Value::Object(Map::from_iter([("snapshots", Value::Array(list))]));
        repository::write_index(location, self.generation, &value).await
    }

    pub fn find(&self, name: &str) -> Option<&SnapshotInfo> {
        self.snapshots.iter().find(|snapshot| snapshot.name == name)
    }

    /// What indexes are called inside the repository, by name.
    pub fn index_ids(&self) -> BTreeMap<&str, &str> {
        let indexes = self.snapshots.iter().flat_map(|snapshot| &snapshot.indices);
        indexes.map(|index| (index.name.as_str(), index.id.as_str())).collect()
    }
}
