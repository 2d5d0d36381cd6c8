//! A bounded ring with one producer and one consumer.
//!
//! ```text
//! slots   [ free | free | item | item | item | free ]     capacity: a power of two
//!                         ▲ head             ▲ tail       both only ever grow; the slot is `position & mask`
//! ```
//!
//! The producer owns the slots from `tail` to `head + capacity`, the consumer those from `head` to `tail`. Publishing `tail`
//! (release) hands slots to the consumer, publishing `head` (release) hands them back. Each side keeps a copy of the other's
//! position and looks at the real one only when the copy says that the ring is full or empty.
//!
//! Waking is not done here. A producer that meets a full ring leaves a mark, and [`Consumer::settle`] tells whoever empties
//! the ring that somebody waits; an empty ring is what doorbells are for.

use std::mem::MaybeUninit;

use crate::atomic::{Arc, AtomicBool, AtomicUsize, Ordering, UnsafeCell, fence};

/// Keeps what the two sides write on cache lines of their own; two lines, because the prefetcher fetches pairs.
#[repr(align(128))]
struct Padded<T>(T);

struct Shared<T> {
    slots: Box<[UnsafeCell<MaybeUninit<T>>]>,
    head: Padded<AtomicUsize>,
    tail: Padded<AtomicUsize>,
    /// The producer met a full ring and waits for room.
    wants_room: Padded<AtomicBool>,
}

// SAFETY: a slot is touched only by the side that the positions give it to, and changes hands with release and acquire. The
// items change threads, hence `T: Send`.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}

pub(crate) struct Producer<T> {
    shared: Arc<Shared<T>>,
    tail: usize,
    head_seen: usize,
}

pub(crate) struct Consumer<T> {
    shared: Arc<Shared<T>>,
    head: usize,
    tail_seen: usize,
}

pub(crate) fn ring<T: Send>(capacity: usize) -> (Producer<T>, Consumer<T>) {
    assert!(capacity.is_power_of_two(), "slots are found by masking");
    let shared = Arc::new(Shared {
        slots: (0..capacity).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect(),
        head: Padded(AtomicUsize::new(0)),
        tail: Padded(AtomicUsize::new(0)),
        wants_room: Padded(AtomicBool::new(false)),
    });
    (Producer { shared: shared.clone(), tail: 0, head_seen: 0 }, Consumer { shared, head: 0, tail_seen: 0 })
}

impl<T> Producer<T> {
    /// Gives the item back when the ring is full; the consumer's next [`Consumer::settle`] after making room then says so.
    pub fn push(&mut self, item: T) -> Result<(), T> {
        if !self.has_room() {
            return Err(item);
        }
        let slot = &self.shared.slots[self.tail & (self.shared.slots.len() - 1)];
        // SAFETY: there is room, so the slot at `tail` belongs to the producer, and it holds nothing.
        slot.with_mut(|slot| unsafe { (*slot).write(item) });
        self.tail = self.tail.wrapping_add(1);
        self.shared.tail.0.store(self.tail, Ordering::Release);
        Ok(())
    }

    /// When there is none, the consumer's next settle says that this producer waits.
    pub fn has_room(&mut self) -> bool {
        let capacity = self.shared.slots.len();
        if self.tail.wrapping_sub(self.head_seen) < capacity {
            return true;
        }
        self.head_seen = self.shared.head.0.load(Ordering::Acquire);
        if self.tail.wrapping_sub(self.head_seen) < capacity {
            return true;
        }
        // Mark, fence, look again; the consumer does free, fence, look for the mark. One of the two sees the other.
        self.shared.wants_room.0.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.head_seen = self.shared.head.0.load(Ordering::Acquire);
        self.tail.wrapping_sub(self.head_seen) < capacity
    }
}

impl<T> Consumer<T> {
    pub fn pop(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let slot = &self.shared.slots[self.head & (self.shared.slots.len() - 1)];
        // SAFETY: `head` is before `tail`, so the slot holds an item and belongs to the consumer; advancing `head` below makes
        // sure that it is read once.
        let item = slot.with(|slot| unsafe { (*slot).assume_init_read() });
        self.head = self.head.wrapping_add(1);
        self.shared.head.0.store(self.head, Ordering::Release);
        Some(item)
    }

    pub fn is_empty(&mut self) -> bool {
        if self.head == self.tail_seen {
            self.tail_seen = self.shared.tail.0.load(Ordering::Acquire);
        }
        self.head == self.tail_seen
    }

    /// To be called after a batch of pops. True when the producer waits for the room that they made: ring its bell.
    #[must_use]
    pub fn settle(&mut self) -> bool {
        fence(Ordering::SeqCst);
        if !self.shared.wants_room.0.load(Ordering::Relaxed) {
            return false;
        }
        self.shared.wants_room.0.store(false, Ordering::Relaxed);
        true
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        let mut head = self.head.0.load(Ordering::Acquire);
        let tail = self.tail.0.load(Ordering::Acquire);
        while head != tail {
            let slot = &self.slots[head & (self.slots.len() - 1)];
            // SAFETY: both sides are gone, and the slots from `head` to `tail` hold items that nobody has taken.
            slot.with_mut(|slot| unsafe { (*slot).assume_init_drop() });
            head = head.wrapping_add(1);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn items_come_out_in_order_across_many_turns() {
        let (mut producer, mut consumer) = ring(4);
        let (mut next_in, mut next_out) = (0, 0);
        for step in 0..1000 {
            while next_in - next_out < 1 + step % 4 {
                producer.push(next_in).expect("it is not full");
                next_in += 1;
            }
            assert_eq!(consumer.pop(), Some(next_out));
            next_out += 1;
        }
    }

    #[test]
    fn a_full_ring_gives_the_item_back_and_remembers_who_waits() {
        let (mut producer, mut consumer) = ring(2);
        assert_eq!((producer.push('a'), producer.push('b'), producer.push('c')), (Ok(()), Ok(()), Err('c')));
        assert_eq!(consumer.pop(), Some('a'));
        assert!(consumer.settle());
        assert!(!consumer.settle());
        assert_eq!(producer.push('c'), Ok(()));
        assert_eq!((consumer.pop(), consumer.pop(), consumer.pop()), (Some('b'), Some('c'), None));
    }

    #[test]
    fn what_is_left_over_is_dropped_once() {
        let item = std::rc::Rc::new(());
        // An `Rc` is not `Send`; this ring never leaves the thread.
        struct Local(#[allow(dead_code, reason = "held for its drop")] std::rc::Rc<()>);
        // SAFETY: the test uses one thread.
        unsafe impl Send for Local {}
        let (mut producer, mut consumer) = ring(4);
        for _ in 0..3 {
            assert!(producer.push(Local(item.clone())).is_ok());
        }
        drop(consumer.pop());
        drop((producer, consumer));
        assert_eq!(std::rc::Rc::strong_count(&item), 1);
    }

    #[test]
    fn two_threads_lose_nothing() {
        let (mut producer, mut consumer) = ring(8);
        let sender = std::thread::spawn(move || {
            for i in 0..100_000u64 {
                while producer.push(i).is_err() {
                    std::hint::spin_loop();
                }
            }
        });
        let mut expected = 0;
        while expected < 100_000 {
            match consumer.pop() {
                Some(item) => {
                    assert_eq!(item, expected);
                    expected += 1;
                }
                None => std::hint::spin_loop(),
            }
        }
        sender.join().expect("it ended");
        assert_eq!(consumer.pop(), None);
    }
}
