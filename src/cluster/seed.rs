//! Where the documents of an index came from that was not made empty.

use super::IndexId;
use pith_engine::json::{Map, Value};

/// What the shards of an index are made of when they are opened for the first time.
#[derive(Clone, Debug, PartialEq)]
pub enum Seed {
    /// The shards of another index: those of a cloned, shrunken or split one.
    Resize {
        source: IndexId,
        source_shards: u32,
    },
    Snapshot(SnapshotSeed),
}

/// A snapshot of an index.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotSeed {
    pub repository: String,
    pub snapshot: String,
    pub snapshot_uuid: String,
    /// The name that the index had.
    pub index: String,
    /// The folder of the repository.
    pub location: String,
    /// What the index is called inside the repository.
    pub index_id: String,
    /// Differs for every restore.
    pub restore_id: String,
}

impl Seed {
    pub fn to_value(&self) -> Value {
        let texts = |fields: &[(&str, &str)]| -> Value {
            Value::Object(fields.iter().map(|(key, text)| (*key, Value::from(*text))).collect::<Map>())
        };
        match self {
            Self::Resize { source, source_shards } => Value::Object(Map::from_iter([
                ("name", Value::from(&*source.name)),
                ("uuid", Value::from(&*source.uuid)),
                ("shards", Value::from(*source_shards)),
            ])),
            Self::Snapshot(seed) => texts(&[
                ("repository", &seed.repository),
                ("snapshot", &seed.snapshot),
                ("snapshot_uuid", &seed.snapshot_uuid),
                ("index", &seed.index),
                ("location", &seed.location),
                ("index_id", &seed.index_id),
                ("restore_id", &seed.restore_id),
            ]),
        }
    }

    pub fn from_value(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        if let Some(uuid) = text("uuid") {
            let source = IndexId { name: text("name")?.into(), uuid: uuid.into() };
            let source_shards = u32::try_from(value.get("shards").and_then(Value::as_i64)?).ok()?;
            return Some(Self::Resize { source, source_shards });
        }
        Some(Self::Snapshot(SnapshotSeed {
            repository: text("repository")?,
            snapshot: text("snapshot")?,
            snapshot_uuid: text("snapshot_uuid")?,
            index: text("index")?,
            location: text("location")?,
            index_id: text("index_id")?,
            restore_id: text("restore_id")?,
        }))
    }
}
