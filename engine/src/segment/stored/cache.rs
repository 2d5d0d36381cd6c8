//! Blocks of stored fields that were decompressed lately, of all segments of a core together. CLOCK decides what goes: a hand
//! goes round, and takes what was not asked for again since it came by. A page of ten thousand hits thus passes through without
//! pushing out what is read all the time.

use super::Block;
use crate::Result;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A cache of one core. Clones are the same cache.
#[derive(Clone)]
pub struct StoredCache(Rc<RefCell<Clock>>);

struct Clock {
    slots: Vec<Slot>,
    /// Slots by what they hold.
    places: HashMap<Key, usize, ahash::RandomState>,
    hand: usize,
    bytes: usize,
    bytes_max: usize,
}

/// The number of the stored fields, and of the block in them.
type Key = (u64, usize);

struct Slot {
    key: Key,
    block: Block,
    asked_again: bool,
}

impl StoredCache {
    /// Keeps at most so many bytes of content.
    pub fn new(bytes_max: usize) -> Self {
        let clock = Clock { slots: vec![], places: HashMap::default(), hand: 0, bytes: 0, bytes_max };
        Self(Rc::new(RefCell::new(clock)))
    }

    /// The block, which `open` decompresses if it is not at hand.
    pub(super) fn get(&self, of: u64, block: usize, open: impl FnOnce() -> Result<Block>) -> Result<Block> {
        let key = (of, block);
        if let Some(known) = self.0.borrow_mut().find(key) {
            return Ok(known);
        }
        let opened = open()?;
        self.0.borrow_mut().keep(key, opened.clone());
        Ok(opened)
    }

    /// Bytes of the content that is kept.
    pub fn memory_bytes(&self) -> usize {
        self.0.borrow().bytes
    }
}

impl Clock {
    fn find(&mut self, key: Key) -> Option<Block> {
        let slot = &mut self.slots[*self.places.get(&key)?];
        slot.asked_again = true;
        Some(slot.block.clone())
    }

    fn keep(&mut self, key: Key, block: Block) {
        // A single document may be larger than all of the cache.
        let bytes = block.bytes_len();
        if bytes > self.bytes_max / 8 {
            return;
        }
        while self.bytes + bytes > self.bytes_max {
            self.pass();
        }
        self.bytes += bytes;
        self.places.insert(key, self.slots.len());
        self.slots.push(Slot { key, block, asked_again: false });
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
        self.bytes -= gone.block.bytes_len();
        self.places.remove(&gone.key);
        if let Some(moved) = self.slots.get(self.hand) {
            self.places.insert(moved.key, self.hand);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn block(fill: u8) -> Block {
        Block::of(vec![fill; 1_000])
    }

    #[test]
    fn what_is_asked_for_again_outlives_what_is_not() {
        let cache = StoredCache::new(10_000);
        for number in 0..100 {
            for of in [7, 1_000 + number] {
                let found = cache.get(of, 3, || Ok(block(of as u8))).unwrap();
                assert_eq!(found.bytes_len(), 1_000);
            }
            assert!(cache.memory_bytes() <= 10_000);
        }
        let unread = || Err(Error::illegal_argument("not at hand"));
        assert!(cache.get(7, 3, unread).is_ok());
        assert!(cache.get(1_099, 3, unread).is_ok());
        assert!(cache.get(1_000, 3, unread).is_err());
        assert!(cache.get(7, 4, unread).is_err());
    }

    #[test]
    fn what_is_too_large_is_not_kept() {
        let cache = StoredCache::new(4_000);
        cache.get(1, 1, || Ok(block(0))).unwrap();
        assert_eq!(cache.memory_bytes(), 0);
    }
}
