//! Snapshots: get and status.

use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::api::cat::table::bytes_text;
use crate::api::document::validation_failed;
use crate::api::root::REFERENCE_VERSION;
use crate::cluster::VERSION_CREATED;
use crate::coordinate::snapshots::{self, ShardFailure, ShardManifest, Shown, SnapshotInfo};
use crate::coordinate::{Core, clock};
use crate::settings::units::moment;
use pith_engine::json::Writer;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

macro_rules! row {
    ($path:literal $name:literal $params:expr, $handler:ident) => {
        Route {
            method: Method::Get,
            path: $path,
            name: $name,
            params: $params,
            handler: |core, request| Box::pin($handler(core, request)),
        }
    };
}

const STATUS_PARAMS: &[&[&str]] = &[MANAGER_TIMEOUT, &["ignore_unavailable"]];

pub const ROUTES: &[Route] = &[
    row!("/_snapshot/{repository}/{snapshot}" "get_snapshots_action" &[MANAGER_TIMEOUT, &["ignore_unavailable", "verbose"]], get),
    row!("/_snapshot/_status" "snapshot_status_action" STATUS_PARAMS, status),
    row!("/_snapshot/{repository}/_status" "snapshot_status_action" STATUS_PARAMS, status),
    row!("/_snapshot/{repository}/{snapshot}/_status" "snapshot_status_action" STATUS_PARAMS, status),
    row!("/_snapshot/{repository}/{snapshot}/{index}/_status" "snapshot_status_action" STATUS_PARAMS, status),
];

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    let lenient = request.flag("ignore_unavailable", false)?;
    let verbose = request.flag("verbose", true)?;
    let patterns: Vec<String> = request.list("snapshot").into_iter().map(str::to_owned).collect();
    let repository = request.path_param("repository");
    let found = match !verbose && patterns == ["_current"] {
        // Nothing of the repository is needed for these, not even that it is there.
        true => Ok(snapshots::current(&core.state(), repository).into_iter().collect()),
        false => snapshots::list(&core, repository, &patterns, lenient).await,
    };
    let mut found: Vec<SnapshotInfo> = found?;
    if !verbose {
        // When they began is nothing that the index of the repository tells.
        found.sort_by(|a, b| a.name.cmp(&b.name));
    }
    // A pattern that means nothing is as good as a name that is missing, unless it means everything.
    let everything = patterns.iter().any(|pattern| matches!(pattern.as_str(), "*" | "_all" | "_current"));
    if found.is_empty() && !lenient && !everything {
        return Err(snapshots::missing(repository, patterns.first().map_or("", String::as_str)));
    }
    let mut w = Writer::new();
    w.begin_object().key("snapshots").begin_array();
    for info in &found {
        write_snapshot(info, verbose, request.common.human, &mut w);
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

/// One snapshot as it is shown; without `verbose` only what the index of the repository tells.
pub fn write_snapshot(info: &SnapshotInfo, verbose: bool, human: bool, w: &mut Writer) {
    let date = |ms: i64| moment(ms.max(0) as u64);
    w.begin_object().key("snapshot").string(&info.name).key("uuid").string(&info.uuid);
    if verbose {
        w.key("version_id").u64(VERSION_CREATED).key("version").string(REFERENCE_VERSION);
        w.key("remote_store_index_shallow_copy").bool(false);
    }
    w.key("indices").begin_array();
    info.indices.iter().for_each(|index| _ = w.string(&index.name));
    w.end_array().key("data_streams").begin_array();
    info.data_streams.iter().for_each(|stream| _ = w.string(stream));
    w.end_array();
    if !verbose {
        w.key("state").string(&info.state).end_object();
        return;
    }
    w.key("include_global_state").bool(info.include_global_state);
    if let Some(metadata) = &info.metadata {
        w.key("metadata").value(metadata);
    }
    w.key("state").string(&info.state);
    if let Some(reason) = &info.reason {
        w.key("reason").string(reason);
    }
    w.key("start_time").string(&date(info.start_ms)).key("start_time_in_millis").i64(info.start_ms);
    w.key("end_time").string(&date(info.end_ms)).key("end_time_in_millis").i64(info.end_ms);
    let took_ms = (info.end_ms - info.start_ms).max(0);
    if human {
        w.key("duration").string(&clock::time_text(took_ms));
    }
    w.key("duration_in_millis").i64(took_ms);
    w.key("failures").begin_array();
    for failure in &info.failures {
        w.begin_object().key("index").string(&failure.index).key("index_uuid").string(&failure.index);
        w.key("shard_id").u64(failure.shard.into()).key("reason").string(&failure.reason);
        w.key("status").string("INTERNAL_SERVER_ERROR").end_object();
    }
    w.end_array();
    let failed = info.failures.len() as u64;
    w.key("shards").begin_object().key("total").u64(info.total_shards).key("failed").u64(failed);
    w.key("successful").u64(info.successful_shards).end_object().end_object();
}

async fn status(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    let lenient = request.flag("ignore_unavailable", false)?;
    let human = request.common.human;
    let indexes = request.list("index");
    let state = core.state();
    let named = request.param("snapshot").filter(|names| !names.eq_ignore_ascii_case("_all"));
    let patterns: Vec<String> =
        named.map_or_else(Vec::new, |_| request.list("snapshot").into_iter().map(str::to_owned).collect());
    if !indexes.is_empty() {
        check_single(request.path_param("repository"), &patterns)?;
    }
    let mut w = Writer::new();
    w.begin_object().key("snapshots").begin_array();
    match named {
        Some(_) => {
            let repository = request.path_param("repository");
            for shown in snapshots::status(&core, repository, &patterns, lenient).await? {
                check_contained(repository, &shown.info, &indexes, lenient)?;
                write_status(repository, &shown, &indexes, human, &mut w);
            }
        }
        // Without a snapshot, those that are being made are meant.
        None => {
            let meant = request.list("repository");
            for (repository, work) in &state.repository_work {
                let asked = meant.is_empty() || meant.contains(&repository.as_str()) || meant.contains(&"_all");
                if let Some(info) = SnapshotInfo::of_work(work).filter(|_| asked) {
                    write_status(repository, &Shown { info, shards: vec![] }, &indexes, human, &mut w);
                }
            }
        }
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

/// Counts and sizes of some shards.
#[derive(Clone, Copy, Default)]
struct Totals {
    done: u64,
    failed: u64,
    new_files: u64,
    new_bytes: u64,
    files: u64,
    bytes: u64,
    start_ms: i64,
    took_ms: u64,
}

impl Totals {
    fn of<'a>(shards: impl Iterator<Item = &'a Option<ShardManifest>>) -> Self {
        let mut totals = Self::default();
        for shard in shards {
            let Some(shard) = shard else {
                totals.failed += 1;
                continue;
            };
            totals.done += 1;
            totals.new_files += shard.new_files;
            totals.new_bytes += shard.new_bytes;
            totals.files += shard.files.len() as u64;
            totals.bytes += shard.bytes();
            totals.start_ms = if totals.start_ms == 0 { shard.start_ms } else { totals.start_ms.min(shard.start_ms) };
            totals.took_ms = totals.took_ms.max(shard.took_ms);
        }
        totals
    }

    fn write_counts(&self, w: &mut Writer) {
        w.key("shards_stats").begin_object();
        w.key("initializing").u64(0).key("started").u64(0).key("finalizing").u64(0);
        w.key("done").u64(self.done).key("failed").u64(self.failed).key("total").u64(self.done + self.failed);
        w.end_object();
    }

    fn write_stats(&self, human: bool, w: &mut Writer) {
        w.key("stats").begin_object();
        for (key, files, bytes) in [("incremental", self.new_files, self.new_bytes), ("total", self.files, self.bytes)]
        {
            w.key(key).begin_object().key("file_count").u64(files);
            if human {
                w.key("size").string(&bytes_text(bytes));
            }
            w.key("size_in_bytes").u64(bytes).end_object();
        }
        w.key("start_time_in_millis").i64(self.start_ms);
        if human {
            let text = if self.took_ms == 0 { "0s".to_owned() } else { clock::time_text(self.took_ms as i64) };
            w.key("time").string(&text);
        }
        w.key("time_in_millis").u64(self.took_ms).end_object();
    }
}

/// Indexes that are asked about by name are in the snapshot.
/// Some indexes alone are shown of one snapshot only.
fn check_single(repository: &str, snapshots: &[String]) -> Result<()> {
    let mut wrong = vec![];
    let mut refuse = |what: &str, given: &str| {
        wrong.push(format!(
            "index list filter is supported only when a single '{what}' is passed, but found '{what}' param = [{given}]"
        ));
    };
    if repository == "_all" {
        refuse("repository", repository);
    }
    match snapshots {
        [_] => {}
        [] => refuse("snapshot", "_all"),
        several => refuse("snapshot", &format!("[{}]", several.join(", "))),
    }
    if wrong.is_empty() { Ok(()) } else { validation_failed(&wrong) }
}

fn check_contained(repository: &str, info: &SnapshotInfo, indexes: &[&str], lenient: bool) -> Result<()> {
    let missing = |name: &&&str| !info.indices.iter().any(|index| &*index.name == **name);
    match indexes.iter().find(missing) {
        Some(name) if !lenient => {
            let what = format!("{name} and possibly more indices");
            let cause = format!("indices [{what}] missing in snapshot [{}] of repository [{repository}]", info.name);
            Err(Error::new(ErrorKind::IndexNotFound, format!("no such index [{what}]"))
                .with("index", what)
                .with("index_uuid", "_na_")
                .caused_by(Error::illegal_argument(cause)))
        }
        _ => Ok(()),
    }
}

fn write_status(repository: &str, shown: &Shown, indexes: &[&str], human: bool, w: &mut Writer) {
    let info = &shown.info;
    let meant = |name: &str| indexes.is_empty() || indexes.contains(&name);
    let kept: Vec<_> = info.indices.iter().zip(&shown.shards).filter(|(index, _)| meant(&index.name)).collect();
    w.begin_object().key("snapshot").string(&info.name).key("repository").string(repository);
    let state = if info.state == "IN_PROGRESS" { "STARTED" } else { &info.state };
    w.key("uuid").string(&info.uuid).key("state").string(state);
    w.key("include_global_state").bool(info.include_global_state);
    let mut all = Totals::of(kept.iter().flat_map(|(_, shards)| shards.iter()));
    (all.start_ms, all.took_ms) = (info.start_ms, (info.end_ms - info.start_ms).max(0) as u64);
    all.write_counts(w);
    all.write_stats(human, w);
    w.key("indices").begin_object();
    for (index, shards) in kept {
        let totals = Totals::of(shards.iter());
        w.key(&index.name).begin_object();
        totals.write_counts(w);
        totals.write_stats(human, w);
        w.key("shards").begin_object();
        for (number, shard) in shards.iter().enumerate() {
            let stage = if shard.is_some() { "DONE" } else { "FAILURE" };
            w.key(&number.to_string()).begin_object().key("stage").string(stage);
            Totals::of(std::iter::once(shard)).write_stats(human, w);
            let is_it = |failure: &&ShardFailure| failure.index == index.name && failure.shard as usize == number;
            if let Some(failure) = info.failures.iter().find(is_it) {
                w.key("reason").string(&failure.reason);
            }
            w.end_object();
        }
        w.end_object().end_object();
    }
    w.end_object().end_object();
}
