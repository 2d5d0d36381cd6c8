//! The results of operations that nobody waits for: documents of the index `.tasks`, kept until somebody deletes them.

use crate::cluster::{Change, CreateIndex, single_not_found};
use crate::coordinate::read::{ReadItem, ReadOptions, read};
use crate::coordinate::write::{WaitFor, WriteItem, WriteOptions, write};
use crate::coordinate::{Core, RefreshPolicy};
use crate::settings::SettingsUpdate;
use crate::tasks::{TaskInfo, View};
use bytes::Bytes;
use pith_engine::json::{self, Writer};
use pith_engine::shard::{OpKind, VersionType};
use pith_engine::{Error, ErrorKind, Result};

const INDEX: &str = ".tasks";
const TIMEOUT_MS: i64 = 60_000;

const SETTINGS: &str = r#"{"index":{"number_of_shards":"1","number_of_replicas":"0","auto_expand_replicas":"0-1","priority":"2147483647"}}"#;

const MAPPING: &str = r#"{"dynamic":"strict","_meta":{"version":5},"properties":{"completed":{"type":"boolean"},
"task":{"properties":{"action":{"type":"keyword"},"cancellable":{"type":"boolean"},"cancellation_time_millis":{"type":"long"},
"cancelled":{"type":"boolean"},"id":{"type":"long"},"parent_task_id":{"type":"keyword"},"node":{"type":"keyword"},
"running_time_in_nanos":{"type":"long"},"start_time_in_millis":{"type":"long"},"type":{"type":"keyword"},
"status":{"type":"object","enabled":false},"description":{"type":"text"},"headers":{"type":"object","enabled":false},
"resource_stats":{"type":"object","enabled":false}}},
"response":{"type":"object","enabled":false},"error":{"type":"object","enabled":false}}}"#;

/// Keeps the result of a task: the body of its answer, or its error.
pub async fn store(core: &Core, task: &TaskInfo, result: Result<Vec<u8>>) -> Result<()> {
    if !core.state().has(INDEX) {
        create(core).await?;
    }
    let id = task.full_id(core.node_id());
    let mut w = Writer::new();
    w.begin_object().key("completed").bool(true).key("task").begin_object();
    task.write_fields(core.node_id(), View { detailed: true, running: false, human: false }, &mut w);
    w.end_object();
    match result {
        Ok(body) => _ = w.key("response").raw(&body),
        Err(error) => {
            w.key("error");
            error.write(&mut w);
        }
    }
    w.end_object();
    let item = WriteItem {
        index: INDEX.to_owned(),
        id: Some(id),
        routing: None,
        kind: OpKind::Index { source: Bytes::from(w.finish()), auto_id: false },
        if_seq_no: None,
        if_primary_term: None,
        version: None,
        version_type: VersionType::Internal,
        pipeline: None,
        require_alias: false,
    };
    let options =
        WriteOptions { refresh: RefreshPolicy::None, wait_for: Some(WaitFor::Copies(1)), timeout_ms: TIMEOUT_MS };
    let written = write(core, vec![item], &options).await.pop();
    written.map_or(Ok(()), |outcome| outcome.result.map(drop))
}

async fn create(core: &Core) -> Result<()> {
    let index = CreateIndex {
        name: INDEX.to_owned(),
        settings: SettingsUpdate::from_json(&json::parse(SETTINGS.as_bytes())?)?,
        mapping: Some(json::parse(MAPPING.as_bytes())?),
        ..CreateIndex::default()
    };
    match core.submit(Change::CreateIndex(Box::new(index))).await {
        // Another task was first.
        Err(error) if error.kind() == ErrorKind::ResourceAlreadyExists => Ok(()),
        done => done.map(drop),
    }
}

/// What was kept of the task, if it was.
pub async fn stored(core: &Core, task: &str) -> Result<Option<Bytes>> {
    if !core.state().has(INDEX) {
        return Ok(None);
    }
    let item = ReadItem { index: INDEX.to_owned(), id: task.to_owned(), routing: None, version: None };
    let found = read(core, &[item], ReadOptions { realtime: true, refresh: false }).await.pop();
    match found {
        Some(found) => Ok(found?.document.and_then(|document| document.source)),
        None => Ok(None),
    }
}

/// The error of a task that is not there. Where no task has left anything yet, that is the reason.
pub fn missing(task: &str, core: &Core) -> Error {
    let what = format!("task [{task}] isn't running and hasn't stored its results");
    let error = Error::new(ErrorKind::ResourceNotFound, what);
    if core.state().has(INDEX) { error } else { error.caused_by(single_not_found(INDEX)) }
}
