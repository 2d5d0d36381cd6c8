//! Opening a shard: from nothing, or from what its folder holds.

use super::host::Core;
use super::open_shard::OpenShard;
use super::protocol::{Recovery, ShardAddr};
use super::settings::ShardSettings;
use crate::observe::Pressure;
use crate::store::{
    Holding, Keep, Recovered, ShardFolder, Translog, open_partly, open_segment, read_translog, recover, repository,
    seed_from_files, seed_from_shards, translog_bytes, write_commit, write_files,
};
use bytes::Bytes;
use pith_engine::mapping::Mapping;
use pith_engine::pace::Pace;
use pith_engine::segment::SegmentView;
use pith_engine::shard::{CommitPoint, Replayed, Shard, ShardIdentity};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::cell::RefCell;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A translog that is longer takes some hundred milliseconds to replay, or more.
const QUICK_REPLAY_BYTES_MAX: u64 = 4 << 20;

/// Segments of fewer bytes than this are read in a few milliseconds.
const QUICK_READ_BYTES_MAX: u64 = 4 << 20;

/// How long searches that have waited for a shard have the core to themselves, before the shard is read.
const FIRST_SEARCHES: Duration = Duration::from_millis(20);

/// How long a shard that can be searched waits for others that cannot.
const OTHERS_SHOW_MAX: Duration = Duration::from_secs(1);

/// What a core has to know to open a shard.
#[derive(Clone)]
pub struct ShardSpec {
    pub index: Arc<str>,
    pub index_uuid: Arc<str>,
    pub shard: u32,
    pub mapping: Arc<Mapping>,
    pub settings: ShardSettings,
    pub primary_term: u64,
    /// What the shard is made of where its folder holds none yet; nothing where it is not given.
    pub seed: Option<ShardSeed>,
}

/// What a new shard is made of.
#[derive(Clone)]
pub enum ShardSeed {
    /// Shards of an index of this node; without those documents that belong elsewhere.
    Shards { index_uuid: Arc<str>, shards: Range<u32>, keep: Option<Keep> },
    /// A snapshot: the folder of the repository, the snapshot's uuid, what the index is called there.
    Snapshot { location: PathBuf, snapshot_uuid: String, index_id: String },
}

impl ShardSpec {
    pub fn addr(&self) -> ShardAddr {
        ShardAddr { index_uuid: self.index_uuid.clone(), shard: self.shard }
    }
}

/// Opens the shard; everything that was ever acknowledged is in it when this returns.
pub async fn open_shard(core: Rc<Core>, spec: ShardSpec) -> Result<OpenShard> {
    let folder = ShardFolder::new(&core.config.data, &spec.index_uuid, spec.shard);
    let identity = ShardIdentity { index: spec.index.clone(), index_uuid: spec.index_uuid.clone(), shard: spec.shard };
    let (start_ms, started) = (core.now_ms(), Instant::now());
    let mut recovery = Recovery {
        existing: true,
        start_ms,
        stop_ms: start_ms,
        index_ms: 0,
        translog_ms: 0,
        files: 0,
        bytes: 0,
        operations: 0,
    };
    let early = show_early(&core, &folder, &identity, &spec, recovery).await?;
    let held = core.clone();
    let (memory, promised) = (&held.index_memory, RefCell::new(vec![]));
    let holds = |bytes| match memory.promise(bytes) {
        Some(promise) => {
            promised.borrow_mut().push(promise);
            true
        }
        None => false,
    };
    let holding = || Holding { holds: &holds, cache: memory.cache() };
    let mut found = recover(&folder, &spec.index_uuid, spec.shard, holding()).await?;
    let existing = found.is_some();
    if let (None, Some(from)) = (&found, &spec.seed) {
        seed(&core, &folder, &spec, from).await?;
        found = recover(&folder, &spec.index_uuid, spec.shard, holding()).await?;
    }
    for (segment, file) in found.iter_mut().flat_map(|found| found.files.drain(..)) {
        core.part_files.keep(&segment, file);
    }
    let index_ms = started.elapsed().as_millis() as u64;
    (recovery.existing, recovery.index_ms) = (existing, index_ms);
    let (shard, translog) = match found {
        None => create(&folder, identity, &spec).await?,
        Some(found) => {
            recovery.files = found.commit.segments.len() as u64 + 1;
            recovery.bytes = found.commit.segments_bytes() + found.commit.encode().len() as u64;
            if !early && !found.segments.is_empty() && replays_long(&folder, &found.generations).await? {
                let committed = (&found.commit, found.segments.clone());
                show_committed(&core, &folder, &identity, &spec, committed, recovery)?;
            }
            let (shard, translog, operations) = restore(&core, &folder, identity, &spec, found).await?;
            recovery.operations = operations;
            (shard, translog)
        }
    };
    recovery.stop_ms = core.now_ms();
    recovery.translog_ms = (started.elapsed().as_millis() as u64).saturating_sub(index_ms);
    Ok(OpenShard::new(spec.addr(), core, folder, shard, translog, spec.settings, recovery))
}

async fn seed(core: &Core, folder: &ShardFolder, spec: &ShardSpec, from: &ShardSeed) -> Result<()> {
    match from {
        ShardSeed::Shards { index_uuid, shards, keep } => {
            let source = |shard| ShardFolder::new(&core.config.data, index_uuid, shard);
            let sources: Vec<ShardFolder> = shards.clone().map(source).collect();
            seed_from_shards(folder, &spec.index_uuid, spec.shard, &sources, keep.as_ref()).await
        }
        ShardSeed::Snapshot { location, snapshot_uuid, index_id } => {
            let pace = core.config.pressure.recovery_bytes_per_second.load(Ordering::Relaxed);
            let keep = async |name, bytes| write_files(folder, &[(name, bytes)]).await;
            let files = repository::read_shard(location, snapshot_uuid, index_id, spec.shard, pace, keep);
            seed_from_files(folder, &spec.index_uuid, spec.shard, files).await
        }
    }
}

async fn create(folder: &ShardFolder, identity: ShardIdentity, spec: &ShardSpec) -> Result<(Shard, Translog)> {
    const FIRST_GENERATION: u64 = 1;
    folder.create().await?;
    let translog = Translog::create(folder, spec.index_uuid.clone(), spec.shard, FIRST_GENERATION).await?;
    let mut shard = Shard::new(identity, spec.mapping.clone(), spec.primary_term, spec.settings.gc_deletes_ms());
    let plan = shard.plan_commit(FIRST_GENERATION);
    write_commit(folder, &plan.files, &plan.commit).await?;
    shard.committed(&plan);
    Ok((shard, translog))
}

/// Shows the shard before it has been read, if that takes long. Whether it did.
async fn show_early(
    core: &Rc<Core>,
    folder: &ShardFolder,
    identity: &ShardIdentity,
    spec: &ShardSpec,
    recovery: Recovery,
) -> Result<bool> {
    let (showing, cache) = (Showing::begin(&core.config.pressure), core.index_memory.cache());
    let found = match open_partly(folder, &spec.index_uuid, spec.shard, QUICK_READ_BYTES_MAX, cache).await {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(false),
        // Whoever reads all of it meets the same, and will tell.
        Err(error) => {
            tracing::warn!(index = %spec.index, shard = spec.shard, "the shard is not shown before it has been read: {error}");
            return Ok(false);
        }
    };
    let (commit, segments) = found;
    let mut views = Vec::with_capacity(segments.len());
    for (view, file) in segments {
        core.part_files.keep(&view.segment, file);
        views.push(view);
    }
    show_committed(core, folder, identity, spec, (&commit, views), recovery)?;
    drop(showing);
    // What follows can wait until the other shards are shown, on whichever core.
    let shown = rt::now();
    while core.config.pressure.shards_showing.load(Ordering::Relaxed) > 0 && rt::elapsed(shown) < OTHERS_SHOW_MAX {
        rt::sleep(Duration::from_millis(2)).await;
    }
    rt::sleep(FIRST_SEARCHES).await;
    Ok(true)
}

/// Counts a shard that is about to be shown.
struct Showing<'a>(&'a Pressure);

impl<'a> Showing<'a> {
    fn begin(pressure: &'a Pressure) -> Self {
        pressure.shards_showing.fetch_add(1, Ordering::Relaxed);
        Self(pressure)
    }
}

impl Drop for Showing<'_> {
    fn drop(&mut self) {
        self.0.shards_showing.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Lets searches see the shard as its commit point has it, while it is being opened.
fn show_committed(
    core: &Rc<Core>,
    folder: &ShardFolder,
    identity: &ShardIdentity,
    spec: &ShardSpec,
    (commit, segments): (&CommitPoint, Vec<SegmentView>),
    recovery: Recovery,
) -> Result<()> {
    let (mapping, gc) = (spec.mapping.clone(), spec.settings.gc_deletes_ms());
    let shard = Shard::restore(identity.clone(), mapping, spec.primary_term, gc, commit, segments)?;
    let translog = Translog::of_reader(folder, spec.index_uuid.clone(), spec.shard);
    let (core, folder, settings) = (core.clone(), folder.clone(), spec.settings.clone());
    core.clone().show_committed(OpenShard::new(spec.addr(), core, folder, shard, translog, settings, recovery));
    Ok(())
}

async fn restore(
    core: &Rc<Core>,
    folder: &ShardFolder,
    identity: ShardIdentity,
    spec: &ShardSpec,
    found: Recovered,
) -> Result<(Shard, Translog, u64)> {
    let started = Instant::now();
    let (mapping, gc) = (spec.mapping.clone(), spec.settings.gc_deletes_ms());
    let mut shard = Shard::restore(identity, mapping, spec.primary_term, gc, &found.commit, found.segments)?;
    let mut generations = vec![];
    let mut operations = 0;
    for (at, generation) in found.generations.iter().enumerate() {
        let is_last = at + 1 == found.generations.len();
        let file = read_translog(folder, &spec.index_uuid, spec.shard, *generation, is_last).await?;
        let mut count = 0;
        let end = match file.reader()? {
            None => None,
            Some(mut reader) => {
                let end = loop {
                    match reader.next_record() {
                        Ok((record, at)) => {
                            let replayed = shard.replay(&record, core.now_ms());
                            check_replayed(replayed, &format!("{}", folder.translog_file(*generation).display()), at)?;
                            count += 1;
                        }
                        Err(end) => break end,
                    }
                    if shard.open_buffer_bytes() > core.config.index_buffer_bytes {
                        seal(&mut shard, core).await?;
                    }
                    rt::yield_if_needed().await;
                };
                Some((end, reader.proven()))
            }
        };
        operations += count;
        generations.push(file.settle(end, count).await?);
    }
    if shard.has_open_writes() {
        seal(&mut shard, core).await?;
    }
    shard.publish(None);
    let took_ms = started.elapsed().as_millis() as u64;
    tracing::info!(index = %spec.index, shard = spec.shard, operations, took_ms, "shard recovered");
    let translog = Translog::open(folder, spec.index_uuid.clone(), spec.shard, generations).await?;
    Ok((shard, translog, operations))
}

/// Whether so much is to be replayed that searches are not made to wait for it.
async fn replays_long(folder: &ShardFolder, generations: &[u64]) -> Result<bool> {
    let mut bytes = 0;
    for generation in generations {
        bytes += translog_bytes(folder, *generation).await?;
    }
    Ok(bytes > QUICK_REPLAY_BYTES_MAX)
}

fn check_replayed(replayed: Result<Replayed>, file: &str, at: u64) -> Result<()> {
    let why = match replayed {
        Ok(Replayed::Applied | Replayed::Known) => return Ok(()),
        Ok(Replayed::NeedsMapping(change)) => format!("its document needs [{}] in the mapping", change.to_text()),
        Err(error) => error.to_string(),
    };
    let reason = format!("the record of [{file}] at offset [{at}] cannot be applied: {why}");
    Err(Error::new(ErrorKind::IllegalState, reason))
}

async fn seal(shard: &mut Shard, core: &Core) -> Result<()> {
    let view = match shard.freeze() {
        None => None,
        Some(job) => {
            let mut sealed = job.run(&Pace::new(rt::must_give_way)).await?;
            let bytes = Bytes::from(std::mem::take(&mut sealed.bytes));
            let segment = open_segment(&sealed.name, bytes).await?;
            Some(sealed.opened(segment))
        }
    };
    shard.install(view, core.now_ms());
    Ok(())
}
