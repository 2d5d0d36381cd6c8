//! The tasks of a core that are ready to run.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    time::Duration,
};

use super::{
    gave_way::{GaveWay, WAITED_FOR},
    task::Class,
};

/// While both classes have work, a nanosecond of background work counts like this many of the other.
const BACKGROUND_WEIGHT: u64 = 4;

/// How far background work may be behind its share before it goes before tasks that were woken.
const BEHIND_MAX: Duration = Duration::from_millis(2);

/// A task, by its place among the live ones, and its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ready {
    pub slot: u32,
    pub generation: u32,
    pub class: Class,
}

/// While both have work, this many tasks that were woken run before one that gave way.
const WOKEN_MAX: u32 = 8;

/// One queue per class; the class that has had less of the core (by weight) is next. In the first class, tasks that were woken go
/// before those that gave way in the middle of their work, so that what is short does not wait for all that is long.
#[derive(Default)]
pub(super) struct RunQueue {
    classes: [RefCell<VecDeque<Ready>>; 2],
    used_ns: [Cell<u64>; 2],
    /// Of [`Class::Latency`].
    gave_way: RefCell<GaveWay>,
    giving_way: Cell<bool>,
    /// The task that runs will give way by the next wake of its own.
    about_to: Cell<bool>,
    woken_since: Cell<u32>,
}

impl RunQueue {
    pub fn push(&self, ready: Ready) {
        match ready.class {
            Class::Latency if self.giving_way.get() || self.about_to.take() => {
                self.gave_way.borrow_mut().push(ready);
            }
            class => self.classes[class as usize].borrow_mut().push_back(ready),
        }
    }

    /// What `wake` makes ready has had the core and gives way.
    pub fn give_way(&self, wake: impl FnOnce()) {
        self.giving_way.set(true);
        wake();
        self.giving_way.set(false);
    }

    /// The task that runs wakes itself next, and that is how it gives way.
    pub fn about_to_give_way(&self) {
        self.about_to.set(true);
    }

    pub fn pop(&self) -> Option<Ready> {
        let behind_max = if self.has_woken() { BEHIND_MAX.as_nanos() as u64 } else { 0 };
        if self.used_ns[0].get().saturating_sub(self.used_ns[1].get()) > behind_max {
            self.pop_background().or_else(|| self.pop_latency())
        } else {
            self.pop_latency().or_else(|| self.pop_background())
        }
    }

    fn pop_background(&self) -> Option<Ready> {
        self.classes[Class::Background as usize].borrow_mut().pop_front()
    }

    fn pop_latency(&self) -> Option<Ready> {
        let (mut woken, mut gave_way) = (self.classes[0].borrow_mut(), self.gave_way.borrow_mut());
        let since = self.woken_since.get();
        if !gave_way.is_empty() && (woken.is_empty() || since >= WOKEN_MAX) {
            self.woken_since.set(0);
            return gave_way.pop();
        }
        self.woken_since.set(since.saturating_add(1));
        woken.pop_front()
    }

    /// How long the task that has the core may go on.
    pub fn patience(&self) -> Duration {
        if self.has_woken() { WAITED_FOR } else { self.gave_way.borrow().patience() }
    }

    /// Whether any task of the first class waits that has not had the core since it was woken.
    pub fn has_woken(&self) -> bool {
        !self.classes[Class::Latency as usize].borrow().is_empty()
    }

    pub fn len(&self) -> usize {
        self.classes.iter().map(|queue| queue.borrow().len()).sum::<usize>() + self.gave_way.borrow().len()
    }

    /// A task of `class` has had the core for this long. Gives whether it did so as one of those that have more to do than most.
    pub fn account(&self, class: Class, ran: Duration) -> bool {
        self.about_to.set(false);
        let gave_way = match class {
            Class::Latency => self.gave_way.borrow_mut().account(ran),
            Class::Background => true,
        };
        let weight = if class == Class::Background { BACKGROUND_WEIGHT } else { 1 };
        let (used, other) = (&self.used_ns[class as usize], &self.used_ns[1 - class as usize]);
        used.set(used.get().saturating_add((ran.as_nanos() as u64).saturating_mul(weight)));
        let idle = match class {
            Class::Latency => self.classes[1].borrow().is_empty(),
            Class::Background => self.classes[0].borrow().is_empty() && self.gave_way.borrow().is_empty(),
        };
        if idle {
            // Time that the other did not ask for is not made up for later.
            other.set(other.get().max(used.get()));
        }
        gave_way
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
        // All but what it may be behind.
        assert_eq!(ran, [804, 196]);
    }

    #[test]
    fn who_is_about_to_give_way_does_so_by_its_next_wake() {
        let queue = RunQueue::default();
        let task = |slot| Ready { slot, generation: 0, class: Class::Latency };
        queue.about_to_give_way();
        (0..2).for_each(|slot| queue.push(task(slot)));
        assert!(queue.account(Class::Latency, Duration::ZERO));
        assert!(!queue.account(Class::Latency, Duration::ZERO));
        assert_eq!([queue.pop(), queue.pop()], [Some(task(1)), Some(task(0))]);
    }

    #[test]
    fn background_work_waits_for_who_was_woken() {
        let queue = RunQueue::default();
        let ready = |class| Ready { slot: 0, generation: 0, class };
        let both = [Class::Background, Class::Latency];
        both.iter().for_each(|class| queue.push(ready(*class)));
        queue.account(Class::Latency, BEHIND_MAX);
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|ready| ready.class).collect();
        assert_eq!(order, [Class::Latency, Class::Background]);
        both.iter().for_each(|class| queue.push(ready(*class)));
        queue.account(Class::Latency, Duration::from_millis(1));
        assert_eq!(queue.pop(), Some(ready(Class::Background)));
    }

    #[test]
    fn a_class_that_was_idle_does_not_catch_up() {
        let queue = RunQueue::default();
        queue.account(Class::Latency, Duration::from_secs(100));
        for slot in 0..4 {
            queue.push(Ready { slot, generation: 0, class: [Class::Latency, Class::Background][slot as usize % 2] });
        }
        let first = queue.pop().expect("four wait");
        queue.account(first.class, BEHIND_MAX + Duration::from_millis(1));
        let second = queue.pop().expect("three wait");
        assert_ne!(first.class, second.class);
    }

    #[test]
    fn who_was_woken_goes_before_who_gave_way_but_not_for_ever() {
        let queue = RunQueue::default();
        let ready = |slot| Ready { slot, generation: 0, class: Class::Latency };
        queue.give_way(|| {
            queue.push(ready(100));
            queue.push(ready(101));
        });
        (0..20).for_each(|slot| queue.push(ready(slot)));
        assert_eq!(queue.len(), 22);
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|ready| ready.slot).collect();
        let expected = (0..8).chain([100]).chain(8..16).chain([101]).chain(16..20);
        assert_eq!(order, expected.collect::<Vec<u32>>());
    }
}
