//! Tasks of a core that gave way in the middle of their work. Those that have had little of the core since they were woken go before
//! those that have had more: what is short is not known before, but what has gone on for long is not short.

use std::{collections::VecDeque, time::Duration};

use super::run_queue::Ready;

/// What a task may have had to go before others.
const YOUNG: Duration = Duration::from_micros(500);

/// A task that has had more is the next one of its kind until it has had the core for this long: what it works on is still in the
/// caches, and much work is done by then.
pub(super) const QUANTUM: Duration = Duration::from_millis(2);

/// How long a task may go on while others wait that were woken or are young, and it is not: these may be short.
pub(super) const WAITED_FOR: Duration = Duration::from_micros(100);

/// How long others may go before the old ones. Then these have the core for a part of the time.
const PASSED_MAX: Duration = Duration::from_millis(2);
const PASSED_PER_OLD: u32 = 4;

#[derive(Default)]
pub(super) struct GaveWay {
    /// With what each has had.
    young: VecDeque<(Ready, Duration)>,
    old: VecDeque<Ready>,
    /// What the first of the old has had of its quantum.
    head: Duration,
    /// How long others have had the core while old ones waited, less what these have had.
    passed: Duration,
    /// The task that has the core, if it gave way before.
    resumed: Option<Resumed>,
    /// The task that has given way just now.
    last: Option<Ready>,
}

#[derive(Clone, Copy)]
enum Resumed {
    Young(Ready, Duration),
    Old(Ready),
}

impl GaveWay {
    /// The task that has the core gives way; [`Self::account`] follows.
    pub fn push(&mut self, ready: Ready) {
        self.last = Some(ready);
        self.young.push_back((ready, Duration::ZERO));
    }

    pub fn pop(&mut self) -> Option<Ready> {
        let resumed = match self.young.pop_front() {
            Some(first) if self.passed >= PASSED_MAX && !self.old.is_empty() => {
                self.young.push_front(first);
                Resumed::Old(self.old.pop_front()?)
            }
            Some((ready, had)) => Resumed::Young(ready, had),
            None => Resumed::Old(self.old.pop_front()?),
        };
        self.resumed = Some(resumed);
        let (Resumed::Young(ready, _) | Resumed::Old(ready)) = resumed;
        Some(ready)
    }

    pub fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How long the task that has the core may go on for the sake of those that wait here.
    pub fn patience(&self) -> Duration {
        match self.resumed {
            _ if self.young.is_empty() => QUANTUM,
            Some(Resumed::Old(_)) => WAITED_FOR,
            Some(Resumed::Young(_, had)) => YOUNG.saturating_sub(had),
            None => YOUNG,
        }
    }

    /// The task that had the core has had it for this long. Gives whether it gave way.
    pub fn account(&mut self, ran: Duration) -> bool {
        let (resumed, last) = (self.resumed.take(), self.last.take());
        // What costs next to nothing may go on for ever: it counts as something.
        let ran = ran.max(QUANTUM / 64);
        // It stands at the end until its place is known.
        if last.is_some() {
            self.young.pop_back();
        }
        if matches!(resumed, Some(Resumed::Old(_))) {
            self.passed = self.passed.saturating_sub(ran * PASSED_PER_OLD);
        }
        match (resumed, last) {
            (Some(Resumed::Old(_)), Some(task)) if self.head + ran < QUANTUM => {
                self.head += ran;
                self.old.push_front(task);
            }
            (Some(Resumed::Old(_)), task) => {
                self.head = Duration::ZERO;
                self.old.extend(task);
            }
            (resumed, task) => {
                self.passed =
                    if self.old.is_empty() { Duration::ZERO } else { (self.passed + ran).min(2 * PASSED_MAX) };
                let before = match resumed {
                    Some(Resumed::Young(_, had)) => Some(had),
                    _ => None,
                };
                match (task, before) {
                    (None, _) => {}
                    (Some(task), before) if before.unwrap_or_default() + ran >= YOUNG => self.old.push_back(task),
                    (Some(task), Some(before)) => self.young.push_front((task, before + ran)),
                    // One that was woken begins behind the others.
                    (Some(task), None) => self.young.push_back((task, ran)),
                }
            }
        }
        last.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::task::Class, *};

    fn task(slot: u32) -> Ready {
        Ready { slot, generation: 0, class: Class::Latency }
    }

    /// Tasks that have given way once, after `ran`.
    fn after(ran: Duration, slots: std::ops::Range<u32>) -> GaveWay {
        let mut queue = GaveWay::default();
        for slot in slots {
            queue.push(task(slot));
            assert!(queue.account(ran));
        }
        queue
    }

    /// The slots of those who have the core, `turns` times; each gives way after `ran`.
    fn run(queue: &mut GaveWay, turns: usize, ran: Duration) -> Vec<u32> {
        let turn = |_| {
            let ready = queue.pop().expect("all stay in the queue");
            queue.push(ready);
            queue.account(ran);
            ready.slot
        };
        (0..turns).map(turn).collect()
    }

    #[test]
    fn a_task_that_gives_way_goes_on_until_it_has_had_its_quantum() {
        let mut queue = after(YOUNG, 0..2);
        assert_eq!(run(&mut queue, 12, QUANTUM / 4), [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn who_has_had_little_goes_first_and_to_the_end() {
        let mut queue = after(YOUNG, 0..1);
        for slot in 1..3 {
            queue.push(task(slot));
            queue.account(YOUNG / 10);
        }
        assert_eq!(run(&mut queue, 8, YOUNG / 4), [1, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!(queue.pop(), Some(task(0)), "nobody is left who has had less");
        assert!(!queue.account(YOUNG));
    }

    #[test]
    fn who_has_had_little_is_not_kept_waiting() {
        let mut queue = after(YOUNG, 0..1);
        assert_eq!(queue.patience(), QUANTUM);
        queue.pop();
        assert_eq!(queue.patience(), QUANTUM);
        queue.push(task(0));
        queue.account(YOUNG);
        queue.push(task(1));
        queue.account(YOUNG / 2);
        assert_eq!(queue.patience(), YOUNG, "one that was woken may turn out to be short");
        queue.passed = PASSED_MAX;
        assert_eq!(queue.pop(), Some(task(0)));
        assert_eq!(queue.patience(), WAITED_FOR);
        queue.push(task(0));
        queue.account(YOUNG);
        assert_eq!(queue.pop(), Some(task(1)), "it was the turn of the old ones for a moment only");
    }

    #[test]
    fn who_has_had_much_is_not_passed_for_ever() {
        let mut queue = after(YOUNG, 0..1);
        let mut ran = [Duration::ZERO; 2];
        for _ in 0..1_000 {
            queue.push(task(1));
            queue.account(YOUNG / 4);
            let ready = queue.pop().expect("two are there");
            if ready.slot == 0 {
                queue.push(ready);
            }
            queue.account(YOUNG / 2);
            ran[ready.slot as usize] += YOUNG / 2;
        }
        assert!(ran[0] * 8 > ran[1], "{ran:?}");
    }
}
