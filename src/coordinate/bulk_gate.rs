//! How many bulk requests a core takes apart and writes at once. Those that come beyond that wait as they came, in order: taken apart
//! they are several times as large, and what was taken apart long before its turn to be written has left the caches by then.

use pith_net::rt::{self, OneshotSender, oneshot};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

/// Bytes of bodies that are worked on at once; enough for a write to wait for the disk while others are taken apart.
const BYTES_MAX: usize = 512 << 10;

/// Who has not been answered for so long waits for something else than the core (a refresh, a copy that is not there), and makes room.
const HELD_MAX: Duration = Duration::from_millis(50);

/// The bulk requests of one core. Clones are the same.
#[derive(Clone, Default)]
pub struct BulkGate {
    inner: Rc<Inner>,
}

#[derive(Default)]
struct Inner {
    bytes: Cell<usize>,
    waiting: RefCell<VecDeque<(usize, OneshotSender<Place>)>>,
}

/// A bulk request that is worked on, until this is dropped.
pub struct Place {
    gate: Rc<Inner>,
    bytes: usize,
}

impl BulkGate {
    /// Returns when it is the turn of a request with a body of so many bytes. One that is too large by itself goes alone.
    pub async fn enter(&self, bytes: usize) -> Place {
        let gate = &self.inner;
        if gate.waiting.borrow().is_empty() && gate.has_room_for(bytes) {
            return Place::of(gate, bytes);
        }
        let (sender, place) = oneshot();
        gate.waiting.borrow_mut().push_back((bytes, sender));
        match place.await {
            Some(place) => place,
            None => Place::of(gate, bytes),
        }
    }
}

impl Inner {
    fn has_room_for(&self, bytes: usize) -> bool {
        self.bytes.get() == 0 || self.bytes.get() + bytes <= BYTES_MAX
    }

    fn next(&self) -> Option<(usize, OneshotSender<Place>)> {
        let mut waiting = self.waiting.borrow_mut();
        // Clients that went away wait for nothing.
        while waiting.front().is_some_and(|(_, sender)| sender.is_closed()) {
            waiting.pop_front();
        }
        if waiting.front().is_some_and(|(bytes, _)| self.has_room_for(*bytes)) { waiting.pop_front() } else { None }
    }
}

impl Place {
    fn of(gate: &Rc<Inner>, bytes: usize) -> Self {
        gate.bytes.set(gate.bytes.get() + bytes);
        Self { gate: gate.clone(), bytes }
    }

    /// Does `work` in this place; when it takes long, the place goes to others.
    pub async fn hold<T>(self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        if let Some(done) = rt::timeout(HELD_MAX, work.as_mut()).await {
            return done;
        }
        drop(self);
        work.await
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let gate = &self.gate;
        gate.bytes.set(gate.bytes.get() - self.bytes);
        while let Some((bytes, sender)) = gate.next() {
            // It is not closed: nothing runs in between.
            let _ = sender.send(Self::of(gate, bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_net::rt::Task;

    fn enter(gate: &BulkGate, bytes: usize) -> Task<Place> {
        let gate = gate.clone();
        rt::spawn(async move { gate.enter(bytes).await })
    }

    async fn settle() {
        for _ in 0..3 {
            rt::yield_now().await;
        }
    }

    #[test]
    fn bulk_requests_are_worked_on_in_order() {
        rt::block_on(|| async {
            let gate = BulkGate::default();
            let large = gate.enter(10 * BYTES_MAX).await;
            let tasks: Vec<_> =
                [BYTES_MAX / 2, BYTES_MAX / 2, 1, BYTES_MAX].iter().map(|bytes| enter(&gate, *bytes)).collect();
            settle().await;
            let finished = || tasks.iter().map(Task::is_finished).collect::<Vec<_>>();
            assert_eq!(finished(), [false; 4]);
            drop(large);
            settle().await;
            assert_eq!(finished(), [true, true, false, false]);
            for task in tasks {
                task.await;
            }
        });
    }

    #[test]
    fn who_went_away_keeps_no_place() {
        rt::block_on(|| async {
            let gate = BulkGate::default();
            let first = gate.enter(1).await;
            let gone: Vec<_> = (0..1_000).map(|_| enter(&gate, BYTES_MAX)).collect();
            let last = enter(&gate, BYTES_MAX);
            settle().await;
            drop(gone);
            settle().await;
            drop(first);
            assert_eq!(last.await.bytes, BYTES_MAX);
            settle().await;
            assert_eq!(gate.inner.bytes.get(), 0);
        });
    }

    #[test]
    fn who_waits_for_something_else_makes_room() {
        rt::block_on(|| async {
            let gate = BulkGate::default();
            let place = gate.enter(BYTES_MAX).await;
            let (sender, answer) = oneshot();
            let slow = rt::spawn(place.hold(answer));
            drop(gate.enter(BYTES_MAX).await);
            assert!(!slow.is_finished());
            assert!(sender.send(7).is_ok());
            assert_eq!(slow.await, Some(7));
        });
    }
}
