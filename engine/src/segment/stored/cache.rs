//! Records that were read lately out of blocks that had to be decompressed for them, of all segments that a core searches together.
//! Documents, not their blocks: those that hits are made of stand in blocks with others that are not. CLOCK decides what goes: a hand
//! goes round, and takes what was not asked for again since it came by. A page of ten thousand hits thus passes through without
//! pushing out what is read all the time.
//!
//! The cache is the thread's, which is a core's: fetching, inner hits and top hits of aggregations read through it alike.

use bytes::Bytes;
use std::cell::RefCell;
use std::collections::HashMap;

/// What a record takes beside its bytes.
const OVERHEAD_BYTES: usize = 128;

thread_local! {
    static CACHE: RefCell<Clock> = RefCell::default();
}

/// Keeps at most so many bytes of records on this thread from now on; 0, as at first: none.
pub fn keep_records(bytes_max: usize) {
    CACHE.with_borrow_mut(|cache| {
        cache.bytes_max = bytes_max;
        cache.make_room(0);
    });
}

/// The record of a document of the stored fields of number `of`, if it is kept.
pub(super) fn find(of: u64, doc: u32) -> Option<Bytes> {
    CACHE.with_borrow_mut(|cache| cache.find((of, doc)))
}

/// Keeps a record that [`find`] did not find.
pub(super) fn keep(of: u64, doc: u32, record: &[u8]) {
    CACHE.with_borrow_mut(|cache| cache.keep((of, doc), record));
}

#[derive(Default)]
struct Clock {
    slots: Vec<Slot>,
    /// Slots by what they hold.
    places: HashMap<Key, usize, ahash::RandomState>,
    hand: usize,
    bytes: usize,
    bytes_max: usize,
}

/// The number of the stored fields, and the document.
type Key = (u64, u32);

struct Slot {
    key: Key,
    record: Bytes,
    asked_again: bool,
}

impl Clock {
    fn find(&mut self, key: Key) -> Option<Bytes> {
        let slot = &mut self.slots[*self.places.get(&key)?];
        slot.asked_again = true;
        Some(slot.record.clone())
    }

    fn keep(&mut self, key: Key, record: &[u8]) {
        // A single document may be larger than all of the cache.
        let bytes = record.len() + OVERHEAD_BYTES;
        if bytes > self.bytes_max / 8 {
            return;
        }
        self.make_room(bytes);
        self.bytes += bytes;
        self.places.insert(key, self.slots.len());
        // A copy: the record shares the memory of its block.
        self.slots.push(Slot { key, record: Bytes::copy_from_slice(record), asked_again: false });
    }

    fn make_room(&mut self, bytes: usize) {
        while self.bytes + bytes > self.bytes_max && !self.slots.is_empty() {
            self.pass();
        }
    }

    /// Looks at the slot under the hand: what was asked for again stays for another round.
    fn pass(&mut self) {
        if self.hand >= self.slots.len() {
            self.hand = 0;
        }
        let slot = &mut self.slots[self.hand];
        if std::mem::take(&mut slot.asked_again) {
            self.hand += 1;
            return;
        }
        let gone = self.slots.swap_remove(self.hand);
        self.bytes -= gone.record.len() + OVERHEAD_BYTES;
        self.places.remove(&gone.key);
        if let Some(moved) = self.slots.get(self.hand) {
            self.places.insert(moved.key, self.hand);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept_record_bytes() -> usize {
        CACHE.with_borrow(|cache| cache.bytes)
    }

    #[test]
    fn what_is_asked_for_again_outlives_what_is_not() {
        keep_records(12_000);
        for number in 0..100 {
            for of in [7, 1_000 + number] {
                if find(of, 3).is_none() {
                    keep(of, 3, &[of as u8; 1_000]);
                }
                assert_eq!(find(of, 3).map(|record| record.len()), Some(1_000));
            }
            assert!(kept_record_bytes() <= 12_000);
        }
        assert_eq!((find(7, 3).is_some(), find(1_099, 3).is_some(), find(1_000, 3).is_some()), (true, true, false));
        assert!(find(7, 4).is_none());
        keep_records(0);
        assert_eq!((kept_record_bytes(), find(7, 3)), (0, None));
    }

    #[test]
    fn what_is_too_large_is_not_kept() {
        keep_records(4_000);
        keep(1, 1, &[0; 1_000]);
        assert_eq!(kept_record_bytes(), 0);
    }
}
