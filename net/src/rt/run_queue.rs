//! The tasks of a core that are ready to run.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    time::Duration,
};

use super::task::Class;

/// While both classes have work, a nanosecond of background work counts like this many of the other.
const BACKGROUND_WEIGHT: u64 = 4;

/// A task, by its place among the live ones, and its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ready {
    pub slot: u32,
    pub generation: u32,
    pub class: Class,
}

/// One queue per class. The class that has had less of the core (by weight) is next.
#[derive(Default)]
pub(super) struct RunQueue {
    classes: [RefCell<VecDeque<Ready>>; 2],
    used_ns: [Cell<u64>; 2],
}

impl RunQueue {
    pub fn push(&self, ready: Ready) {
        self.classes[ready.class as usize].borrow_mut().push_back(ready);
    }

    pub fn pop(&self) -> Option<Ready> {
        let first = usize::from(self.used_ns[1].get() < self.used_ns[0].get());
        let popped = self.classes[first].borrow_mut().pop_front();
        popped.or_else(|| self.classes[1 - first].borrow_mut().pop_front())
    }

    pub fn len(&self) -> usize {
        self.classes.iter().map(|queue| queue.borrow().len()).sum()
    }

    /// A task of `class` has had the core for this long.
    pub fn account(&self, class: Class, ran: Duration) {
        let weight = if class == Class::Background { BACKGROUND_WEIGHT } else { 1 };
        let (used, other) = (&self.used_ns[class as usize], &self.used_ns[1 - class as usize]);
        used.set(used.get().saturating_add((ran.as_nanos() as u64).saturating_mul(weight)));
        if self.classes[1 - class as usize].borrow().is_empty() {
            // Time that the other did not ask for is not made up for later.
            other.set(other.get().max(used.get()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn background_work_gets_a_fifth_of_a_busy_core() {
        let queue = RunQueue::default();
        let mut ran = [0, 0];
        for slot in 0..2 {
            queue.push(Ready { slot, generation: 0, class: [Class::Latency, Class::Background][slot as usize] });
        }
        for _ in 0..1000 {
            let ready = queue.pop().expect("both stay in the queue");
            queue.push(ready);
            queue.account(ready.class, Duration::from_micros(100));
            ran[ready.class as usize] += 1;
        }
        assert_eq!(ran, [800, 200]);
    }

    #[test]
    fn a_class_that_was_idle_does_not_catch_up() {
        let queue = RunQueue::default();
        queue.account(Class::Latency, Duration::from_secs(100));
        for slot in 0..4 {
            queue.push(Ready { slot, generation: 0, class: [Class::Latency, Class::Background][slot as usize % 2] });
        }
        let first = queue.pop().expect("four wait");
        queue.account(first.class, Duration::from_millis(1));
        let second = queue.pop().expect("three wait");
        assert_ne!(first.class, second.class);
    }
}
