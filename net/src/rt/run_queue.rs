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

/// While both have work, this many tasks that were woken run before one that gave way.
const WOKEN_MAX: u32 = 8;

/// A task that gave way to those that were woken is the next one of its kind until it has had the core for this long: what it works on
/// is still in the caches, and much work is done by then.
const QUANTUM: Duration = Duration::from_millis(2);

/// One queue per class; the class that has had less of the core (by weight) is next. In the first class, tasks that were woken go
/// before those that gave way in the middle of their work, so that what is short does not wait for all that is long.
#[derive(Default)]
pub(super) struct RunQueue {
    classes: [RefCell<VecDeque<Ready>>; 2],
    used_ns: [Cell<u64>; 2],
    /// Of [`Class::Latency`].
    gave_way: RefCell<VecDeque<Ready>>,
    giving_way: Cell<bool>,
    woken_since: Cell<u32>,
    /// The task that has the core, if it is one that gave way before.
    resumed: Cell<Option<Ready>>,
    /// The task that has given way just now.
    last: Cell<Option<Ready>>,
    /// The task at the head of those that gave way, if it has begun its quantum, and what it has had of it.
    head: Cell<Option<(Ready, Duration)>>,
}

impl RunQueue {
    pub fn push(&self, ready: Ready) {
        match ready.class {
            Class::Latency if self.giving_way.get() => {
                self.last.set(Some(ready));
                self.gave_way.borrow_mut().push_back(ready);
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

    pub fn pop(&self) -> Option<Ready> {
        if self.used_ns[1].get() < self.used_ns[0].get() {
            self.pop_background().or_else(|| self.pop_latency())
        } else {
            self.pop_latency().or_else(|| self.pop_background())
        }
    }

    fn pop_background(&self) -> Option<Ready> {
        self.classes[Class::Background as usize].borrow_mut().pop_front()
    }

    fn pop_latency(&self) -> Option<Ready> {
        self.resumed.set(None);
        let (mut woken, mut gave_way) = (self.classes[0].borrow_mut(), self.gave_way.borrow_mut());
        let since = self.woken_since.get();
        if !gave_way.is_empty() && (woken.is_empty() || since >= WOKEN_MAX) {
            self.woken_since.set(0);
            self.resumed.set(gave_way.pop_front());
            return self.resumed.get();
        }
        self.woken_since.set(since.saturating_add(1));
        woken.pop_front()
    }

    pub fn len(&self) -> usize {
        self.classes.iter().chain([&self.gave_way]).map(|queue| queue.borrow().len()).sum()
    }

    /// A task of `class` has had the core for this long.
    pub fn account(&self, class: Class, ran: Duration) {
        self.keep_quantum(ran);
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
    }
}

impl RunQueue {
    /// Puts a task that has just given way before the others, if it has not had its quantum. One that was woken begins behind them.
    fn keep_quantum(&self, ran: Duration) {
        let Some(task) = self.last.take().filter(|task| self.resumed.get() == Some(*task)) else { return };
        let before = self.head.get().filter(|(head, _)| *head == task).map_or(Duration::ZERO, |(_, had)| had);
        // What costs next to nothing may go on for ever: it counts as something.
        let had = before + ran.max(QUANTUM / 64);
        if had >= QUANTUM {
            self.head.set(None);
            return;
        }
        let mut gave_way = self.gave_way.borrow_mut();
        if gave_way.back() == Some(&task) {
            gave_way.rotate_right(1);
            self.head.set(Some((task, had)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_gives_way_goes_on_until_it_has_had_its_quantum() {
        let queue = RunQueue::default();
        let task = |slot| Ready { slot, generation: 0, class: Class::Latency };
        queue.give_way(|| (0..2).for_each(|slot| queue.push(task(slot))));
        queue.last.set(None);
        let mut ran = vec![];
        for _ in 0..12 {
            let ready = queue.pop().expect("both stay in the queue");
            ran.push(ready.slot);
            queue.give_way(|| queue.push(ready));
            queue.account(Class::Latency, QUANTUM / 4);
        }
        assert_eq!(ran, [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0]);
    }

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
