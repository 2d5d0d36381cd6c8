//! CLOCK: which of many values are kept where there is room for some bytes of them. A hand goes round, and takes what was not asked for again
//! since it came by. What is asked for once thus passes through without pushing out what is asked for all the time.
//!
//! A value that somebody still has stays: nothing would be gained by forgetting it.

use ahash::RandomState;
use bytes::Bytes;
use std::collections::HashMap;
use std::hash::Hash;

/// What a value takes beside its bytes.
const OVERHEAD_BYTES: usize = 160;
/// How many values the hand passes in one go, beside those that are as large as what comes: some hundred microseconds of work.
const PASSED_AT_ONCE: usize = 1_024;

pub(super) struct Clock<K> {
    slots: Vec<Slot<K>>,
    /// Slots by what they hold.
    places: HashMap<K, usize, RandomState>,
    hand: usize,
    bytes: usize,
    bytes_max: usize,
    evicted_bytes: u64,
}

struct Slot<K> {
    key: K,
    value: Bytes,
    asked_again: bool,
}

impl<K: Copy + Eq + Hash> Clock<K> {
    /// Keeps about so many bytes.
    pub fn new(bytes_max: usize) -> Self {
        let (slots, places) = (vec![], HashMap::default());
        Self { slots, places, hand: 0, bytes: 0, bytes_max, evicted_bytes: 0 }
    }

    /// What is kept takes so many bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    /// Bytes of what has gone since this was made.
    pub fn evicted_bytes(&self) -> u64 {
        self.evicted_bytes
    }

    /// From now on there is room for so many bytes. What is too much goes little by little: with what comes, and whenever this is said.
    pub fn set_bytes_max(&mut self, bytes_max: usize) {
        self.bytes_max = bytes_max;
        self.make_room(0);
    }

    pub fn find(&mut self, key: K) -> Option<Bytes> {
        let slot = &mut self.slots[*self.places.get(&key)?];
        slot.asked_again = true;
        Some(slot.value.clone())
    }

    /// Keeps a value, which should own no more memory than its bytes, unless it is there already.
    pub fn keep(&mut self, key: K, value: Bytes) {
        if self.places.contains_key(&key) {
            return;
        }
        let bytes = value.len() + OVERHEAD_BYTES;
        self.make_room(bytes);
        self.bytes += bytes;
        self.places.insert(key, self.slots.len());
        self.slots.push(Slot { key, value, asked_again: false });
    }

    fn make_room(&mut self, bytes: usize) {
        let before = self.bytes;
        // Two rounds: in the first each may turn out to have been asked for again.
        let mut passes = (2 * self.slots.len()).min(PASSED_AT_ONCE + bytes / OVERHEAD_BYTES);
        while self.bytes + bytes > self.bytes_max && passes > 0 {
            self.pass();
            passes -= 1;
        }
        self.evicted_bytes += (before - self.bytes) as u64;
    }

    /// Looks at the slot under the hand: what was asked for again, or is in use, stays for another round.
    fn pass(&mut self) {
        if self.hand >= self.slots.len() {
            self.hand = 0;
        }
        let slot = &mut self.slots[self.hand];
        if std::mem::take(&mut slot.asked_again) || !slot.value.is_unique() {
            self.hand += 1;
            return;
        }
        let gone = self.slots.swap_remove(self.hand);
        self.bytes -= gone.value.len() + OVERHEAD_BYTES;
        self.places.remove(&gone.key);
        if let Some(moved) = self.slots.get(self.hand) {
            self.places.insert(moved.key, self.hand);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value() -> Bytes {
        Bytes::from(vec![7; 1_000])
    }

    #[test]
    fn what_is_asked_for_again_outlives_what_is_not() {
        let mut clock = Clock::new(12_000);
        for number in 0..100 {
            for key in [7, 1_000 + number] {
                if clock.find(key).is_none() {
                    clock.keep(key, value());
                }
                assert_eq!(clock.find(key), Some(value()));
            }
            assert!(clock.bytes() <= 12_000);
        }
        assert_eq!([7, 1_099, 1_000].map(|key| clock.find(key).is_some()), [true, true, false]);
        assert!(clock.evicted_bytes() > 80_000);
    }

    #[test]
    fn what_somebody_has_stays() {
        let mut clock = Clock::new(3_000);
        let held: Vec<Bytes> = (0..10).map(|_| value()).collect();
        for (key, value) in (0..).zip(&held) {
            clock.keep(key, value.clone());
        }
        assert!((0..10).all(|key| clock.find(key).is_some()));
        drop(held);
        clock.set_bytes_max(0);
        assert_eq!(clock.bytes(), 0);
    }
}
