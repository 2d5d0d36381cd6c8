//! Slices, pages of a scroll, one bulk for each page, the pauses between them.

use super::scripted::{Metadata, Verdict, apply};
use super::spec::{ByQuery, Destination, Routing, Work};
use super::status::{Outcome, Shown, Status, WriteFailure};
use crate::cluster::IndicesOptions;
use crate::coordinate::join::join_all;
use crate::coordinate::search::{Answer, SearchOptions, free_scrolls, scroll_parts, search_parts, targets};
use crate::coordinate::write::{ItemOutcome, WriteItem, WriteOptions, write};
use crate::coordinate::{Core, RefreshPolicy, ShardRequest, broadcast, clock};
use crate::tasks::{Description, Measured, NewTask, Task};
use bytes::Bytes;
use pith_engine::json::{self, Value};
use pith_engine::shard::{OpKind, VersionType, WriteResult};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Most slices that are chosen where the request leaves it open.
const AUTO_SLICES_MAX: u32 = 20;
/// How often a pause looks whether it is still wanted.
const PAUSE_STEP: Duration = Duration::from_millis(50);

/// Runs an operation to its end, or until its task is cancelled.
pub async fn run(core: &Core, asked: &ByQuery, task: &Rc<Task>, shown: Shown) -> Result<Outcome> {
    task.requests_per_second.set(asked.requests_per_second);
    let slices = match asked.slices {
        Some(slices) => slices,
        None => auto_slices(core, asked)?,
    };
    let (touched, progress) = (RefCell::new(BTreeSet::new()), RefCell::new(vec![Status::default(); slices as usize]));
    let outcome = if slices <= 1 {
        let worker = Worker {
            core,
            asked: asked.clone(),
            task: task.clone(),
            whole: task,
            shown,
            touched: &touched,
            progress: &progress,
            slice: None,
            of: 1,
        };
        worker.run().await?
    } else {
        let workers = (0..slices).map(|slice| {
            let asked = asked.slice(slice, slices);
            let part = NewTask::child(task.info().action, Some(task.as_parent())).cancellable();
            let part = core.tasks.begin(part.described(Description::Text(task.info().description)));
            let worker = Worker {
                core,
                asked,
                task: part.task().clone(),
                whole: task,
                shown,
                touched: &touched,
                progress: &progress,
                slice: Some(slice),
                of: slices,
            };
            Measured::new(part, Box::pin(worker.run()))
        });
        let mut whole = Outcome::default();
        for part in join_all(workers).await {
            let part = part?;
            whole.status.add(part.status);
            whole.timed_out |= part.timed_out;
            whole.write_failures.extend(part.write_failures);
            whole.search_failures.extend(part.search_failures);
        }
        whole.status.requests_per_second = task.requests_per_second.get();
        whole
    };
    if asked.refresh {
        refresh(core, &touched.into_inner()).await;
    }
    Ok(outcome)
}

/// As many as the index with the fewest shards has.
fn auto_slices(core: &Core, asked: &ByQuery) -> Result<u32> {
    let found = targets(&core.state(), core.node_id(), &asked.scope)?;
    let fewest = found.iter().map(|target| target.index.number_of_shards).min();
    Ok(fewest.unwrap_or(1).clamp(1, AUTO_SLICES_MAX))
}

async fn refresh(core: &Core, names: &BTreeSet<String>) {
    let state = core.state();
    let indexes: Vec<_> = names.iter().filter_map(|name| state.indices.get(name.as_str()).cloned()).collect();
    // A shard that is gone by now has nothing to show.
    broadcast::broadcast(core, &indexes, || ShardRequest::Refresh).await;
}

struct Worker<'a> {
    core: &'a Core,
    asked: ByQuery,
    /// The task of this slice.
    task: Rc<Task>,
    /// The task of all slices together.
    whole: &'a Task,
    shown: Shown,
    /// Indexes that were written to.
    touched: &'a RefCell<BTreeSet<String>>,
    /// What each slice has done so far.
    progress: &'a RefCell<Vec<Status>>,
    slice: Option<u32>,
    of: u32,
}

/// A document of a page.
struct Found {
    index: String,
    id: String,
    routing: Option<String>,
    seq_no: Option<u64>,
    primary_term: Option<u64>,
    version: Option<u64>,
    source: Option<Bytes>,
}

impl Worker<'_> {
    async fn run(self) -> Result<Outcome> {
        let mut outcome = Outcome { status: Status { slice: self.slice, ..Status::default() }, ..Outcome::default() };
        let options = SearchOptions {
            scroll: Some(self.asked.keep_alive),
            // Writing what some shards found and others could not is no answer.
            allow_partial: false,
            ..SearchOptions::default()
        };
        let mut answer = search_parts(self.core, &self.asked.request(), &self.asked.scope, &options).await?;
        let id = answer.id.clone().map(|(_, id)| id);
        let result = self.pages(&mut answer, id.as_deref(), &mut outcome).await;
        if let Some(id) = id {
            // What cannot be freed now ends by itself.
            let _ = free_scrolls(self.core, Some(&[id])).await;
        }
        result?;
        outcome.status.requests_per_second = self.speed();
        outcome.status.cancelled = self.task.is_cancelled();
        Ok(outcome)
    }

    async fn pages(&self, answer: &mut Answer, scroll: Option<&str>, outcome: &mut Outcome) -> Result<()> {
        let found = answer.reduced.total.map_or(0, |(total, _)| total);
        outcome.status.total = self.asked.max_docs.map_or(found, |max| max.min(found));
        let mut left = outcome.status.total;
        loop {
            if !answer.header.failures.is_empty() {
                outcome.search_failures = answer.header.failures.clone();
                return Ok(());
            }
            if answer.hits.is_empty() || left == 0 || self.task.is_cancelled() {
                return Ok(());
            }
            let began = Instant::now();
            outcome.status.batches += 1;
            let (mut items, mut taken) = (vec![], 0);
            for hit in answer.hits.iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
                taken += 1;
                match self.item(found_of(hit)?)? {
                    Some(item) => items.push(item),
                    None => outcome.status.noops += 1,
                }
                rt::yield_if_needed().await;
            }
            left -= taken;
            let options = WriteOptions {
                refresh: RefreshPolicy::None,
                wait_for: self.asked.wait_for,
                timeout_ms: self.asked.timeout_ms,
            };
            for written in write(self.core, items, &options).await {
                self.take(written, outcome);
            }
            self.publish(&outcome.status);
            if !outcome.write_failures.is_empty() || left == 0 {
                return Ok(());
            }
            self.pause(taken, began, &mut outcome.status).await;
            let Some(scroll) = scroll else { return Ok(()) };
            if self.task.is_cancelled() {
                return Ok(());
            }
            *answer = scroll_parts(self.core, scroll, Some(self.asked.keep_alive)).await?;
        }
    }

    /// What is to be written for a document, if anything is.
    fn item(&self, found: Found) -> Result<Option<WriteItem>> {
        let source = |found: &Found| {
            found
                .source
                .clone()
                .ok_or_else(|| Error::illegal_argument(format!("[{}][{}] didn't store _source", found.index, found.id)))
        };
        let mut item = WriteItem {
            index: found.index.clone(),
            id: Some(found.id.clone()),
            routing: found.routing.clone(),
            kind: OpKind::Delete,
            if_seq_no: found.seq_no,
            if_primary_term: found.primary_term,
            version: None,
            version_type: VersionType::Internal,
            pipeline: None,
            require_alias: false,
        };
        match &self.asked.work {
            Work::Delete => {}
            Work::Update { pipeline } => {
                item.kind = OpKind::Index { source: source(&found)?, auto_id: false };
                item.pipeline = pipeline.clone();
            }
            Work::Reindex(destination) => {
                let source = source(&found)?;
                copy_to(&mut item, destination, found.version, source);
            }
        }
        let Some(script) = &self.asked.script else { return Ok(Some(item)) };
        let metadata = match self.asked.work {
            Work::Reindex(_) => Metadata::Free,
            Work::Update { .. } | Work::Delete => Metadata::Fixed,
        };
        let index = match &self.asked.work {
            Work::Reindex(destination) => destination.index.clone(),
            Work::Update { .. } | Work::Delete => found.index,
        };
        let verdict = apply(script, &mut item, (&index, found.version), metadata, clock::now_ms())?;
        Ok(match verdict {
            Verdict::Write => Some(item),
            Verdict::Nothing => None,
        })
    }

    fn take(&self, written: ItemOutcome, outcome: &mut Outcome) {
        let status = &mut outcome.status;
        match written.result {
            Ok(done) => {
                self.touched.borrow_mut().insert(written.index);
                match done.outcome.result {
                    WriteResult::Created => status.created += 1,
                    WriteResult::Updated => status.updated += 1,
                    WriteResult::Deleted => status.deleted += 1,
                    _ => status.noops += 1,
                }
            }
            Err(error) => {
                if error.kind() == ErrorKind::VersionConflict {
                    status.version_conflicts += 1;
                    if self.asked.proceed {
                        return;
                    }
                }
                outcome.write_failures.push(WriteFailure { index: written.index, id: written.id, error });
            }
        }
    }

    /// Documents per second of this slice.
    fn speed(&self) -> f32 {
        self.whole.requests_per_second.get() / self.of as f32
    }

    /// Shows what has been done to those who ask for the task.
    fn publish(&self, status: &Status) {
        let own = Status { requests_per_second: self.speed(), ..status.clone() };
        self.task.set_status(own.to_json(self.shown));
        if let Some(slice) = self.slice {
            let mut progress = self.progress.borrow_mut();
            progress[slice as usize] = own;
            let mut whole = Status::default();
            progress.iter().cloned().for_each(|part| whole.add(part));
            whole.requests_per_second = self.whole.requests_per_second.get();
            self.whole.set_status(whole.to_json(self.shown));
        }
    }

    /// Waits until the page would have taken as long as the wanted speed asks for. The speed may change meanwhile.
    async fn pause(&self, count: u64, began: Instant, status: &mut Status) {
        let paused = Instant::now();
        while !self.task.is_cancelled() {
            let speed = self.speed();
            if !speed.is_finite() {
                break;
            }
            let wanted = Duration::from_secs_f32((count as f32 / speed).clamp(0.0, 1e6));
            let Some(left) = wanted.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) else { break };
            rt::sleep(left.min(PAUSE_STEP)).await;
        }
        let waited = paused.elapsed().as_millis() as u64;
        // Without a limit nothing is waited for, however long the clock took to say so.
        if self.speed().is_finite() || waited >= PAUSE_STEP.as_millis() as u64 {
            status.throttled_ms += waited;
        }
    }
}

fn copy_to(item: &mut WriteItem, destination: &Destination, version: Option<u64>, source: Bytes) {
    (item.if_seq_no, item.if_primary_term) = (None, None);
    item.index = destination.index.clone();
    item.pipeline = destination.pipeline.clone();
    item.version_type = destination.version_type;
    if destination.version_type != VersionType::Internal {
        item.version = version;
    }
    item.kind = match destination.create {
        true => OpKind::Create { source },
        false => OpKind::Index { source, auto_id: false },
    };
    match &destination.routing {
        Routing::Keep => {}
        Routing::Discard => item.routing = None,
        Routing::Set(routing) => item.routing = Some(routing.clone()),
    }
}

fn found_of(text: &[u8]) -> Result<Found> {
    let hit = json::parse(text)?;
    // The source goes on as it was written, not as it would be written again.
    let source = hit.as_object().and_then(|map| map.entries.iter().find(|entry| entry.key == "_source"));
    let source = match source.and_then(|entry| text.get(entry.value_pos as usize..)) {
        Some(rest) => Some(Bytes::copy_from_slice(&rest[..json::parse_prefix(rest)?.1])),
        None => None,
    };
    let text = |name: &str| hit.get(name).and_then(Value::as_str).map(str::to_owned);
    let number = |name: &str| hit.get(name).and_then(Value::as_i64).and_then(|number| u64::try_from(number).ok());
    Ok(Found {
        index: text("_index").unwrap_or_default(),
        id: text("_id").unwrap_or_default(),
        routing: text("_routing"),
        seq_no: number("_seq_no"),
        primary_term: number("_primary_term"),
        version: number("_version"),
        source,
    })
}

/// The indexes that a reindex reads.
pub fn sources(core: &Core, asked: &ByQuery) -> Result<Vec<String>> {
    let found = targets(&core.state(), core.node_id(), &asked.scope)?;
    Ok(found.iter().map(|target| target.index.name.to_string()).collect())
}

/// How names of a source are read: as a search reads them.
pub const SOURCE_OPTIONS: IndicesOptions = IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED;
