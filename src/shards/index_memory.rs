//! The memory for segments (`node.search.cache.size`): which of them are held as a whole, and which are read part by part. Each core has its
//! share, and what others do not take of theirs.
//!
//! Segments are held as long as there is room for all: nothing is faster. Where there is not, few are held, and those that have not been
//! searched for the longest time are let go, the larger ones first; what searches ask for of them is read from their files and kept as room
//! allows. Segments that no commit point names yet are written first. What is looked at is what is held, once in a while: a load that
//! outruns it takes more for a moment. Where there is room for all again, segments come back one at a time.

use super::host::Core;
use super::huge_pages;
use super::open_shard::OpenShard;
use crate::store::{open_part_file, read_whole, verify};
use crate::tasks::too_much;
use pith_engine::Result;
use pith_engine::segment::{PartCache, PartFigures, Segment};
use pith_net::rt::{self, Class};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Of the memory, what segments may hold for good; the rest is for parts.
const HELD_SHARE: f64 = 0.75;
/// Of the memory, what segments that are held as a whole may take where not all of them find room.
const WHOLE_SHARE: f64 = 0.25;
/// Of what may be held, how much all segments may fill for those that were let go to come back: what is let go is not to come back at once.
const TAKEN_BACK_SHARE: f64 = 0.9;
/// Of the memory, what parts have at least.
const PARTS_SHARE: f64 = 0.25;
/// Of the memory, what a merge may take at least, its sources and its result together.
const MERGE_SHARE: f64 = 0.25;

thread_local! {
    static FIGURES: Cell<MemoryFigures> = Cell::default();
}

/// What segments take of the memory of a core, as it was when it was looked at last.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryFigures {
    /// What segments hold as long as they are.
    pub held: u64,
    /// Parts of segments that are kept as long as there is room.
    pub parts: PartFigures,
}

impl MemoryFigures {
    /// Those of this core.
    pub fn current() -> Self {
        FIGURES.get()
    }
}

/// The memory of a node for segments, and what of it each core has taken.
#[derive(Debug)]
pub struct NodeMemory {
    bytes_max: u64,
    cores: Box<[AtomicU64]>,
}

impl NodeMemory {
    pub fn new(bytes_max: u64, cores: usize) -> Arc<Self> {
        Arc::new(Self { bytes_max, cores: (0..cores.max(1)).map(|_| AtomicU64::new(0)).collect() })
    }

    /// What a core may take: its share, or more as long as others leave theirs.
    fn bytes_max(&self, core: usize) -> u64 {
        let others = self.cores.iter().enumerate().filter(|(at, _)| *at != core);
        let taken: u64 = others.map(|(_, taken)| taken.load(Relaxed)).sum();
        self.bytes_max.saturating_sub(taken).max(self.bytes_max / self.cores.len() as u64)
    }

    fn note(&self, core: usize, taken: u64) {
        if let Some(noted) = self.cores.get(core) {
            noted.store(taken, Relaxed);
        }
    }
}

/// The bound, and what there is for parts.
pub struct IndexMemory {
    node: Arc<NodeMemory>,
    core: usize,
    cache: Arc<PartCache>,
    /// Of shards that are being opened.
    opening: Cell<u64>,
    /// Of open shards, when it was looked at last.
    held: Cell<u64>,
}

/// What was promised to a segment that is being opened.
pub struct Promised<'a> {
    memory: &'a IndexMemory,
    bytes: u64,
}

impl IndexMemory {
    /// Of the core of a number.
    pub fn new(node: Arc<NodeMemory>, core: usize) -> Self {
        let cache = PartCache::new(node.bytes_max(core));
        Self { node, core, cache, opening: Cell::new(0), held: Cell::new(0) }
    }

    fn bytes_max(&self) -> u64 {
        self.node.bytes_max(self.core)
    }

    pub fn cache(&self) -> &Arc<PartCache> {
        &self.cache
    }

    fn held_max(&self) -> u64 {
        (self.bytes_max() as f64 * HELD_SHARE) as u64
    }

    /// Room to hold a segment of so many bytes as a whole; nothing where there is none.
    pub fn promise(&self, bytes: u64) -> Option<Promised<'_>> {
        if self.held.get() + self.opening.get() + bytes > self.held_max() {
            return None;
        }
        self.opening.set(self.opening.get() + bytes);
        Some(Promised { memory: self, bytes })
    }

    /// How many bytes of segments may be merged in one go.
    pub fn merge_bytes_max(&self) -> u64 {
        let bytes_max = self.bytes_max();
        let free = bytes_max.saturating_sub(self.held.get());
        free.max((bytes_max as f64 * MERGE_SHARE) as u64) / 2
    }

    /// Refuses a merge that needs more than there is.
    pub fn admit_merge(&self, bytes: u64) -> Result<()> {
        let max = self.merge_bytes_max();
        if bytes > max { Err(too_much("segments", "<merge>", bytes, max)) } else { Ok(()) }
    }

    fn note(&self, held: u64) {
        self.held.set(held);
        let bytes_max = self.bytes_max();
        let least = (bytes_max as f64 * PARTS_SHARE) as u64;
        self.cache.set_bytes_max(bytes_max.saturating_sub(held).max(least));
        let parts = self.cache.figures().unwrap_or(FIGURES.get().parts);
        self.node.note(self.core, held + parts.bytes);
        FIGURES.set(MemoryFigures { held, parts });
    }
}

impl Drop for Promised<'_> {
    /// The segment is open: until that is looked at, it counts as held.
    fn drop(&mut self) {
        let memory = self.memory;
        memory.opening.set(memory.opening.get() - self.bytes);
        memory.held.set(memory.held.get() + self.bytes);
    }
}

/// A segment that can be let go.
struct Candidate {
    shard: Rc<OpenShard>,
    segment: Arc<Segment>,
    searched: Instant,
}

impl Core {
    /// Looks at what segments hold, and lets some of them go where that is too much.
    pub async fn balance_memory(&self) {
        let memory = &self.index_memory;
        let shards = self.open_shards();
        let (mut held, mut files, mut whole) = (0, 0, 0);
        for shard in &shards {
            let takes = shard.takes();
            (held, files, whole) = (held + takes.held, files + takes.files, whole + takes.whole);
            rt::yield_if_needed().await;
        }
        memory.note(held);
        let max = memory.held_max();
        // Where not all find room, parts of all of them are worth more than some of them as a whole.
        let whole_max = if files <= max { max } else { (memory.bytes_max() as f64 * WHOLE_SHARE) as u64 };
        if held <= max && whole <= whole_max {
            if files <= (max as f64 * TAKEN_BACK_SHARE) as u64 {
                self.take_back(&shards, held).await;
            }
            return;
        }
        let mut candidates: Vec<Candidate> = shards.iter().flat_map(|shard| candidates(shard, false)).collect();
        candidates.sort_by_key(|candidate| (candidate.searched, std::cmp::Reverse(candidate.segment.file_len())));
        for candidate in candidates {
            if held <= max && whole <= whole_max {
                break;
            }
            let before = candidate.segment.memory_bytes() as u64;
            match candidate.shard.let_go(&candidate.segment).await {
                Ok(after) => {
                    held = held.saturating_sub(before.saturating_sub(after));
                    whole = whole.saturating_sub(candidate.segment.file_len());
                }
                Err(error) => {
                    tracing::warn!(segment = candidate.segment.name(), "the segment stays in memory: {error}")
                }
            }
        }
        if held > max {
            shards.iter().for_each(|shard| shard.flush_for_memory());
            // What is left are fields of segments that are read part by part: those that nobody uses first, then any.
            held = shards.iter().map(|shard| shard.renew_segments(true)).sum();
        }
        if held > memory.bytes_max() {
            held = shards.iter().map(|shard| shard.renew_segments(false)).sum();
        }
        memory.note(held);
    }

    /// Reads one of the segments that were let go, the one that was searched last: there is room for all of them again.
    async fn take_back(&self, shards: &[Rc<OpenShard>], held: u64) {
        let candidates = shards.iter().flat_map(|shard| candidates(shard, true));
        let last = candidates.max_by_key(|candidate| candidate.searched);
        let Some(Candidate { shard, segment, .. }) = last else { return };
        match shard.take_back(&segment).await {
            Ok(()) => self.index_memory.note(held + segment.file_len()),
            Err(error) => shard.fail(error),
        }
    }
}

/// What the segments of a shard take.
#[derive(Default)]
struct Takes {
    /// What they hold.
    held: u64,
    /// The length of their files, and of the files of those that are held as a whole.
    files: u64,
    whole: u64,
}

/// The segments of a shard that are in its files: those that are read part by part, or those that are held and need not be.
fn candidates(shard: &Rc<OpenShard>, partial: bool) -> Vec<Candidate> {
    if !shard.is_open() {
        return vec![];
    }
    let searched = shard.upkeep.last_search.get();
    let engine = shard.shard.borrow();
    let of = |segment: &Arc<Segment>| Candidate { shard: shard.clone(), segment: segment.clone(), searched };
    let found = engine.segment_views().filter(|view| view.segment.is_partial() == partial);
    found.filter(|view| engine.is_committed(view)).map(|view| of(&view.segment)).collect()
}

impl OpenShard {
    fn takes(&self) -> Takes {
        let mut takes = Takes::default();
        for view in self.shard.borrow().segment_views() {
            let file = view.segment.file_len();
            takes.held += view.segment.memory_bytes() as u64;
            takes.files += file;
            takes.whole += if view.segment.is_partial() { 0 } else { file };
        }
        takes
    }

    /// Lets go of a segment that is in its file: from now on it is read part by part. Gives what it holds still.
    async fn let_go(&self, segment: &Arc<Segment>) -> Result<u64> {
        let cache = self.core.index_memory.cache();
        let (partial, file) = open_part_file(&self.folder, segment.name(), segment.file_len(), cache).await?;
        let held = partial.memory_bytes() as u64;
        self.core.part_files.keep(&partial, file);
        self.shard.borrow_mut().replace_segment(segment, &partial);
        Ok(held)
    }

    /// Holds a segment again.
    async fn take_back(&self, segment: &Arc<Segment>) -> Result<()> {
        let Some(file) = self.core.part_files.of(segment) else { return Ok(()) };
        let whole = read_whole(segment.name(), &file).await?;
        huge_pages::settle(&whole);
        self.shard.borrow_mut().replace_segment(segment, &whole);
        Ok(())
    }

    /// Compares the checksums of segments that were opened without being read as a whole. Damage fails the shard, as it would have
    /// when it was opened.
    pub fn verify_files(self: &Rc<Self>) {
        let partial: Vec<Arc<Segment>> = candidates(self, true).into_iter().map(|found| found.segment).collect();
        if partial.is_empty() {
            return;
        }
        let shard = self.clone();
        rt::spawn_in(Class::Background, async move {
            for segment in partial {
                let Some(file) = shard.core.part_files.of(&segment).filter(|_| shard.is_open()) else { continue };
                if let Err(error) = verify(&segment, &file).await {
                    return shard.fail(error);
                }
            }
        })
        .detach();
    }

    /// Lets segments forget fields: those that nobody has used lately, or all of them. Gives what segments hold then.
    fn renew_segments(&self, unused_only: bool) -> u64 {
        let segments: Vec<Arc<Segment>> =
            self.shard.borrow().segment_views().map(|view| view.segment.clone()).collect();
        for segment in segments {
            if let Some(renewed) = segment.renewed(unused_only) {
                self.core.part_files.share(&segment, &renewed);
                self.shard.borrow_mut().replace_segment(&segment, &renewed);
            }
        }
        self.takes().held
    }
}
