//! Slices, pages of a scroll, one bulk for each page.

use super::pages::{Found, Page, Pages};
use super::progress::{OfSlices, OfWorker};
use super::scripted::{Metadata, Verdict, apply};
use super::spec::{ByQuery, Destination, Routing, Work};
use super::status::{Outcome, Part, Status, WriteFailure};
use crate::cluster::IndicesOptions;
use crate::coordinate::allowed::check_refresh;
use crate::coordinate::search::targets;
use crate::coordinate::write::{ItemOutcome, WriteItem, WriteOptions, write};
use crate::coordinate::{Core, RefreshPolicy, ShardRequest, broadcast, clock};
use crate::tasks::{Description, Measured, NewTask, Task};
use bytes::Bytes;
use pith_engine::error::validation_text;
use pith_engine::join::join_all;
use pith_engine::script::context;
use pith_engine::script::update::Updater;
use pith_engine::shard::{OpKind, VersionType, WriteResult};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Most slices that are chosen where the request leaves it open.
const AUTO_SLICES_MAX: u32 = 20;

/// Runs an operation to its end, or until its task is cancelled.
pub async fn run(core: &Core, asked: &ByQuery, task: &Rc<Task>) -> Result<Outcome> {
    let slices = match asked.slices {
        Some(slices) => slices,
        // What is wrong with the indexes is told by the search.
        None => auto_slices(core, asked).unwrap_or(1),
    };
    let touched = RefCell::new(BTreeSet::new());
    let outcome = if slices <= 1 {
        let progress = OfWorker::new(asked.requests_per_second);
        Worker::new(core, asked.clone(), task.clone(), progress, &touched, None).run().await?
    } else {
        in_slices(core, asked, task, slices, &touched).await?
    };
    if asked.refresh {
        refresh(core, &touched.into_inner()).await?;
    }
    Ok(outcome)
}

/// Gives a task the status of what was refused before it began.
pub fn refused(task: &Task) {
    task.set_progress(OfWorker::new(0.0));
}

/// Each slice has to have a document to look for.
pub fn check_enough(max_docs: Option<u64>, slices: Option<u32>) -> Result<()> {
    match (max_docs, slices) {
        (Some(max), Some(slices)) if max < u64::from(slices) => {
            Err(Error::illegal_argument("[max_docs] should be >= [slices]"))
        }
        _ => Ok(()),
    }
}

/// Each slice runs as a task of its own.
async fn in_slices(
    core: &Core,
    asked: &ByQuery,
    task: &Rc<Task>,
    slices: u32,
    touched: &RefCell<BTreeSet<String>>,
) -> Result<Outcome> {
    check_enough(asked.max_docs, Some(slices))?;
    let speed = asked.requests_per_second / slices as f32;
    let workers: Vec<Rc<OfWorker>> = (0..slices).map(|_| OfWorker::new(speed)).collect();
    let progress = OfSlices::new(workers.clone());
    task.set_progress(progress.clone());
    let runs = workers.into_iter().zip(0..).map(|(of_slice, slice)| {
        let part = NewTask::child(task.info().action, Some(task.as_parent())).cancellable();
        let part = core.tasks.begin(part.described(Description::Text(task.info().description)));
        let asked = asked.slice(slice, slices);
        let worker = Worker::new(core, asked, part.task().clone(), of_slice, touched, Some(slice));
        let (progress, run) = (progress.clone(), Measured::new(part, Box::pin(worker.run())));
        async move {
            let ended = run.await;
            let part = match &ended {
                Ok(outcome) => Part::Done(outcome.status.clone()),
                Err(error) => Part::Failed(error.clone()),
            };
            progress.ended(slice as usize, part);
            ended
        }
    });
    let (mut whole, mut parts) = (Outcome::default(), vec![]);
    let mut failures = vec![];
    for part in join_all(runs).await {
        let part = match part {
            Ok(part) => part,
            Err(error) => {
                failures.push(error);
                continue;
            }
        };
        parts.push(Part::Done(part.status));
        whole.timed_out |= part.timed_out;
        whole.write_failures.extend(part.write_failures);
        whole.search_failures.extend(part.search_failures);
    }
    let mut failures = failures.into_iter();
    match failures.next() {
        None => Ok(Outcome { status: Status::of_parts(parts), ..whole }),
        Some(first) => Err(first.with_suppressed(failures)),
    }
}

/// As many as the index with the fewest shards has, but no more than documents are wanted: each slice gets its part of them.
fn auto_slices(core: &Core, asked: &ByQuery) -> Result<u32> {
    let found = targets(&core.state(), core.node_id(), &asked.scope)?;
    let fewest = found.found.iter().map(|target| target.index.number_of_shards).min();
    let wanted = asked.max_docs.and_then(|max| u32::try_from(max).ok()).unwrap_or(u32::MAX);
    Ok(fewest.unwrap_or(1).min(wanted).clamp(1, AUTO_SLICES_MAX))
}

async fn refresh(core: &Core, names: &BTreeSet<String>) -> Result<()> {
    let state = core.state();
    let indexes: Vec<_> = names.iter().filter_map(|name| state.indices.get(name.as_str()).cloned()).collect();
    check_refresh(&state, indexes.iter().map(|index| &**index))?;
    // A shard that is gone by now has nothing to show.
    broadcast::broadcast(core, &indexes, || ShardRequest::Refresh).await;
    Ok(())
}

struct Worker<'a> {
    core: &'a Core,
    asked: ByQuery,
    /// The task of this slice.
    task: Rc<Task>,
    progress: Rc<OfWorker>,
    /// Indexes that were written to.
    touched: &'a RefCell<BTreeSet<String>>,
    slice: Option<u32>,
    /// The script, once the first document is there.
    updater: RefCell<Option<Updater>>,
}

impl<'a> Worker<'a> {
    fn new(
        core: &'a Core,
        asked: ByQuery,
        task: Rc<Task>,
        progress: Rc<OfWorker>,
        touched: &'a RefCell<BTreeSet<String>>,
        slice: Option<u32>,
    ) -> Self {
        task.set_progress(progress.clone());
        Self { core, asked, task, progress, touched, slice, updater: RefCell::default() }
    }

    async fn run(self) -> Result<Outcome> {
        // Who asks for one slice alone is told which.
        let slice = self.slice.or_else(|| self.asked.request.slice.as_ref().map(|slice| slice.id));
        let mut outcome = Outcome { status: Status { slice, ..Status::default() }, ..Outcome::default() };
        self.progress.publish(&outcome.status);
        let begun = Pages::begin(self.core, &self.asked).await;
        match begun {
            Ok((mut pages, first)) => {
                let result = self.pages(&mut pages, first, &mut outcome).await;
                pages.end().await;
                self.progress.publish(&outcome.status);
                if !self.task.is_cancelled() {
                    result?;
                }
            }
            // What was cancelled tells what it has done so far, also where that is nothing.
            Err(_) if self.task.is_cancelled() => {}
            Err(error) => return Err(error),
        }
        outcome.status.requests_per_second = self.progress.speed();
        outcome.status.cancelled = self.task.is_cancelled();
        self.progress.publish(&outcome.status);
        Ok(outcome)
    }

    async fn pages(&self, pages: &mut Pages<'_>, first: Page, outcome: &mut Outcome) -> Result<()> {
        outcome.status.total = self.asked.max_docs.map_or(first.total, |max| max.min(first.total));
        let (mut left, mut page) = (outcome.status.total, first);
        loop {
            outcome.status.search_retries += page.retries;
            if !page.failures.is_empty() {
                outcome.search_failures = page.failures;
                return Ok(());
            }
            if page.found.is_empty() || left == 0 || self.task.is_cancelled() {
                return Ok(());
            }
            outcome.status.batches += 1;
            let count = left.min(page.found.len() as u64);
            left -= count;
            self.write(page, count as usize, outcome).await?;
            self.progress.publish(&outcome.status);
            let enough = left == 0 && self.asked.max_docs == Some(outcome.status.total);
            if !outcome.write_failures.is_empty() || enough {
                return Ok(());
            }
            // The last page is waited for as well: that it was the last the next one would have to tell. It is fetched before
            // the pause, which may be longer than a scroll is kept.
            let next = match left == 0 || self.task.is_cancelled() {
                true => None,
                false => pages.next(self.progress.pause_after(count)).await?,
            };
            if next.as_ref().is_none_or(|next| next.failures.is_empty()) && !self.task.is_cancelled() {
                outcome.status.throttled += self.progress.pause(count).await;
                self.progress.publish(&outcome.status);
            }
            match next {
                Some(next) => page = next,
                None => return Ok(()),
            }
        }
    }

    /// Writes the first `count` documents of a page, or none if the task is cancelled meanwhile.
    async fn write(&self, page: Page, count: usize, outcome: &mut Outcome) -> Result<()> {
        let mut items = Vec::with_capacity(count);
        for found in page.found.into_iter().take(count) {
            match self.item(found?)? {
                Some(item) => items.push(item),
                None => outcome.status.noops += 1,
            }
            rt::yield_if_needed().await;
            if self.task.is_cancelled() {
                return Ok(());
            }
        }
        check_items(&items)?;
        let options = WriteOptions {
            refresh: RefreshPolicy::None,
            wait_for: self.asked.wait_for,
            timeout_ms: self.asked.timeout_ms,
        };
        for written in write(self.core, items, &options).await {
            self.take(written, outcome);
        }
        Ok(())
    }

    /// What is to be written for a document, if anything is.
    fn item(&self, mut found: Found) -> Result<Option<WriteItem>> {
        let source = match self.asked.work {
            Work::Delete => Bytes::new(),
            Work::Update { .. } | Work::Reindex(_) => found.take_source()?,
        };
        // Where it was found, as scripts see it, whatever it is written to.
        let from = self.asked.script.as_ref().map(|_| found.index.clone()).unwrap_or_default();
        let mut item = WriteItem {
            index: found.index,
            id: Some(found.id),
            routing: found.routing,
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
                item.kind = OpKind::Index { source, auto_id: false };
                item.pipeline = pipeline.clone();
            }
            Work::Reindex(destination) => {
                copy_to(&mut item, destination, found.version, source);
            }
        }
        let Some(script) = &self.asked.script else { return Ok(Some(item)) };
        let metadata = match self.asked.work {
            Work::Reindex(_) => Metadata::Free,
            Work::Update { .. } | Work::Delete => Metadata::Fixed,
        };
        let mut updater = self.updater.borrow_mut();
        let updater = match &mut *updater {
            Some(updater) => updater,
            none => none.insert(Updater::new(script, &context::UPDATE)?),
        };
        let version = found.version.filter(|_| self.asked.needs_versions());
        let verdict = apply(updater, &mut item, (&from, version), metadata, clock::now_ms())?;
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
                    // A document that its pipeline dropped counts as if it had been written.
                    WriteResult::Updated | WriteResult::Noop => status.updated += 1,
                    WriteResult::Deleted | WriteResult::NotFound => status.deleted += 1,
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
}

/// The name of a pipeline may not be empty, and a script gives versions only where they come from outside; each document tells
/// of it.
fn check_items(items: &[WriteItem]) -> Result<()> {
    let problems: Vec<&str> = items.iter().flat_map(problems_of).collect();
    if problems.is_empty() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::ActionRequestValidation, validation_text(problems)))
}

fn problems_of(item: &WriteItem) -> impl Iterator<Item = &'static str> + use<> {
    let internal = item.version_type == VersionType::Internal;
    let versioned = item.version.is_some() && internal;
    let creates = matches!(item.kind, OpKind::Create { .. });
    let checks = [
        (creates && !internal, "create operations only support internal versioning. use index instead"),
        (versioned && creates, "create operations do not support explicit versions. use index instead"),
        (
            versioned && !creates,
            "internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and \
             `if_primary_term` instead",
        ),
        (item.pipeline.as_deref() == Some(""), "pipeline cannot be an empty string"),
    ];
    checks.into_iter().filter(|(fails, _)| *fails).map(|(_, problem)| problem)
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

/// The indexes that a reindex reads.
pub fn sources(core: &Core, asked: &ByQuery) -> Result<Vec<String>> {
    let found = targets(&core.state(), core.node_id(), &asked.scope)?;
    let unassigned = found.unassigned.iter().map(|target| target.index.to_string());
    Ok(found.found.iter().map(|target| target.index.name.to_string()).chain(unassigned).collect())
}

/// How names of a source are read: as a search reads them.
pub const SOURCE_OPTIONS: IndicesOptions = IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED;
