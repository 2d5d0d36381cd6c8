//! Parts of segments that were read from files because a search asked for them, of all segments that a core reads part by part: lists and
//! blocks of documents. Who has a part read and begins anew holds on to it, so that it is there this time, however small the cache.
//!
//! The cache belongs to a core, but queries that plan long are planned beside it. Nobody ever waits for the lock: a cache that is being
//! used is one that does not have the part.

use super::clock::Clock;
use bytes::Bytes;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

thread_local! {
    static MISSES: Cell<u64> = const { Cell::new(0) };
}

/// How often, on this thread, anybody asked for something of a segment that had not been read. Whoever sees it grow while a search runs knows
/// that what the search found counts for nothing.
pub fn misses() -> u64 {
    MISSES.get()
}

/// Counts misses that another thread had on behalf of this one.
pub fn add_misses(count: u64) {
    MISSES.set(MISSES.get() + count);
}

/// Which bytes of which file: the number of the segment, the section of the segment, where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PartKey {
    pub segment: u64,
    pub section: u32,
    pub start: u64,
    pub len: u64,
}

/// The parts that a core keeps.
pub struct PartCache {
    clock: Mutex<Clock<PartKey>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// What a cache was good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartFigures {
    pub bytes: u64,
    pub bytes_max: u64,
    pub hits: u64,
    pub misses: u64,
    pub evicted_bytes: u64,
}

impl PartCache {
    /// Keeps about so many bytes.
    pub fn new(bytes_max: u64) -> Arc<Self> {
        let clock = Mutex::new(Clock::new(bytes_max as usize));
        Arc::new(Self { clock, hits: AtomicU64::new(0), misses: AtomicU64::new(0) })
    }

    /// Nothing while somebody else uses the cache.
    pub fn figures(&self) -> Option<PartFigures> {
        self.with(|clock| PartFigures {
            bytes: clock.bytes() as u64,
            bytes_max: clock.bytes_max() as u64,
            hits: self.hits.load(Relaxed),
            misses: self.misses.load(Relaxed),
            evicted_bytes: clock.evicted_bytes(),
        })
    }

    /// From now on there is room for so many bytes. What is too much goes little by little: say it now and then.
    pub fn set_bytes_max(&self, bytes_max: u64) {
        self.with(|clock| clock.set_bytes_max(bytes_max as usize));
    }

    pub(super) fn find(&self, key: PartKey) -> Option<Bytes> {
        let found = self.with(|clock| clock.find(key)).flatten();
        let counter = if found.is_some() { &self.hits } else { &self.misses };
        counter.fetch_add(1, Relaxed);
        found
    }

    /// Keeps a part that [`PartCache::find`] did not find.
    pub(super) fn keep(&self, key: PartKey, part: Bytes) {
        self.with(|clock| clock.keep(key, part));
    }

    fn with<T>(&self, work: impl FnOnce(&mut Clock<PartKey>) -> T) -> Option<T> {
        self.clock.try_lock().ok().map(|mut clock| work(&mut clock))
    }
}
