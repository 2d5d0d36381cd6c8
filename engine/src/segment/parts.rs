//! Parts of segments that were read from files because a search asked for them, of all segments that a core reads part by part: lists and
//! blocks of documents. CLOCK decides what goes where all of them together are more than there is room for: a hand goes round, and takes what
//! was not asked for again since it came by. What is read once thus passes through without pushing out what is read all the time.
//!
//! A part that somebody still reads stays: nothing would be gained by forgetting it. Who has a part read and begins anew holds on to it, so
//! that it is there this time, however small the cache.
//!
//! The cache belongs to a core, but queries that plan long are planned beside it. Nobody ever waits for the lock: a cache that is being
//! used is one that does not have the part.

use ahash::RandomState;
use bytes::Bytes;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// What a part takes beside its bytes.
const OVERHEAD_BYTES: usize = 160;
/// How many parts are let go in one go where the room became smaller: some hundred microseconds of work.
const GONE_AT_ONCE: usize = 1_024;

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
    clock: Mutex<Clock>,
    bytes: AtomicU64,
    bytes_max: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
    evicted_bytes: AtomicU64,
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

#[derive(Default)]
struct Clock {
    slots: Vec<Slot>,
    /// Slots by what they hold.
    places: HashMap<PartKey, usize, RandomState>,
    hand: usize,
    bytes: usize,
}

struct Slot {
    key: PartKey,
    part: Bytes,
    asked_again: bool,
}

impl PartCache {
    /// Keeps at most about so many bytes.
    pub fn new(bytes_max: u64) -> Arc<Self> {
        Arc::new(Self {
            clock: Mutex::default(),
            bytes: AtomicU64::new(0),
            bytes_max: AtomicU64::new(bytes_max),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            evicted_bytes: AtomicU64::new(0),
        })
    }

    pub fn figures(&self) -> PartFigures {
        PartFigures {
            bytes: self.bytes.load(Relaxed),
            bytes_max: self.bytes_max.load(Relaxed),
            hits: self.hits.load(Relaxed),
            misses: self.misses.load(Relaxed),
            evicted_bytes: self.evicted_bytes.load(Relaxed),
        }
    }

    /// From now on there is room for so many bytes. What is too much goes little by little: call it now and then.
    pub fn set_bytes_max(&self, bytes_max: u64) {
        self.bytes_max.store(bytes_max, Relaxed);
        self.with(|clock| self.make_room(clock, 0));
    }

    pub(super) fn find(&self, key: PartKey) -> Option<Bytes> {
        let found = self.with(|clock| {
            let slot = &mut clock.slots[*clock.places.get(&key)?];
            slot.asked_again = true;
            Some(slot.part.clone())
        });
        let found = found.flatten();
        let counter = if found.is_some() { &self.hits } else { &self.misses };
        counter.fetch_add(1, Relaxed);
        found
    }

    /// Keeps a part that [`PartCache::find`] did not find. It should own no more memory than its bytes.
    pub(super) fn keep(&self, key: PartKey, part: Bytes) {
        self.with(|clock| {
            if clock.places.contains_key(&key) {
                return;
            }
            let bytes = part.len() + OVERHEAD_BYTES;
            self.make_room(clock, bytes);
            clock.bytes += bytes;
            clock.places.insert(key, clock.slots.len());
            clock.slots.push(Slot { key, part, asked_again: false });
            self.bytes.store(clock.bytes as u64, Relaxed);
        });
    }

    fn make_room(&self, clock: &mut Clock, bytes: usize) {
        let bytes_max = self.bytes_max.load(Relaxed) as usize;
        let before = clock.bytes;
        // Two rounds: in the first each slot may turn out to have been asked for again.
        let mut passes = (2 * clock.slots.len()).min(GONE_AT_ONCE + bytes / 64);
        while clock.bytes + bytes > bytes_max && passes > 0 {
            clock.pass();
            passes -= 1;
        }
        self.evicted_bytes.fetch_add((before - clock.bytes) as u64, Relaxed);
        self.bytes.store(clock.bytes as u64, Relaxed);
    }

    fn with<T>(&self, work: impl FnOnce(&mut Clock) -> T) -> Option<T> {
        self.clock.try_lock().ok().map(|mut clock| work(&mut clock))
    }
}

impl Clock {
    /// Looks at the slot under the hand: what was asked for again stays for another round, and so does what somebody is reading.
    fn pass(&mut self) {
        if self.hand >= self.slots.len() {
            self.hand = 0;
        }
        let slot = &mut self.slots[self.hand];
        if std::mem::take(&mut slot.asked_again) || !slot.part.is_unique() {
            self.hand += 1;
            return;
        }
        let gone = self.slots.swap_remove(self.hand);
        self.bytes -= gone.part.len() + OVERHEAD_BYTES;
        self.places.remove(&gone.key);
        if let Some(moved) = self.slots.get(self.hand) {
            self.places.insert(moved.key, self.hand);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(start: u64) -> PartKey {
        PartKey { segment: 1, section: 2, start, len: 1_000 }
    }

    fn part() -> Bytes {
        Bytes::from(vec![7; 1_000])
    }

    #[test]
    fn what_is_asked_for_again_outlives_what_is_not() {
        let cache = PartCache::new(12_000);
        for number in 0..100 {
            for start in [7, 1_000 + number] {
                if cache.find(key(start)).is_none() {
                    cache.keep(key(start), part());
                }
                assert_eq!(cache.find(key(start)), Some(part()));
            }
            assert!(cache.figures().bytes <= 12_000);
        }
        let found = [7, 1_099, 1_000].map(|start| cache.find(key(start)).is_some());
        assert_eq!(found, [true, true, false]);
        assert!(cache.figures().evicted_bytes > 80_000);
    }

    #[test]
    fn what_somebody_reads_stays() {
        let cache = PartCache::new(3_000);
        let held: Vec<Bytes> = (0..10).map(|_| part()).collect();
        for (start, part) in (0..).zip(&held) {
            cache.keep(key(start), part.clone());
        }
        assert!((0..10).all(|start| cache.find(key(start)).is_some()));
        drop(held);
        cache.set_bytes_max(0);
        assert_eq!(cache.figures().bytes, 0);
    }
}
