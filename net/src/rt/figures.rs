//! What a core has done, for those who watch it.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use super::core;

/// What stretches are told apart by: the times that a task went on without looking whether anybody waits. Time that the thread waited
/// for a CPU is in what they took.
pub const LONG_STRETCHES: [Duration; 5] = [
    Duration::from_micros(250),
    Duration::from_micros(500),
    Duration::from_millis(1),
    Duration::from_millis(2),
    Duration::from_millis(5),
];

/// Counted since the core began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Rounds of the loop that ran tasks.
    pub turns: u64,
    /// Times that a task ran.
    pub polls: u64,
    /// How long tasks waited for those that ran before them in their round, all together.
    pub waited: Duration,
    pub longest_turn: Duration,
    /// Stretches that took longer than each of [`LONG_STRETCHES`], and not longer than the next.
    pub long_stretches: [u64; LONG_STRETCHES.len()],
    /// Times that a task kept the core for too long, and which task did so last.
    pub stalls: u64,
    pub stalled_by: Option<&'static str>,
    /// Tasks that are ready now.
    pub ready: usize,
}

impl Figures {
    /// Of the core that this code runs on.
    pub fn current() -> Self {
        core::with(|core| Self {
            ready: core.queue.len(),
            long_stretches: core.stretches.long.get(),
            ..core.figures.get()
        })
    }
}

/// Measures stretches of the task that runs.
pub(super) struct Stretches {
    began: Cell<Instant>,
    long: Cell<[u64; LONG_STRETCHES.len()]>,
}

impl Stretches {
    pub fn new(now: Instant) -> Self {
        Self { began: Cell::new(now), long: Cell::default() }
    }

    /// A task has got the core.
    #[inline]
    pub fn begin(&self, now: Instant) {
        self.began.set(now);
    }

    /// It looks whether anybody waits, or gives the core back.
    #[inline]
    pub fn end(&self, now: Instant) {
        let took = now.saturating_duration_since(self.began.replace(now));
        if took > LONG_STRETCHES[0] {
            let mut long = self.long.get();
            long[LONG_STRETCHES.partition_point(|bound| took > *bound) - 1] += 1;
            self.long.set(long);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt;

    #[test]
    fn stretches_are_told_apart() {
        let mut now = Instant::now();
        let stretches = Stretches::new(now);
        for us in [100, 250, 251, 700, 5_000, 5_001] {
            now += Duration::from_micros(us);
            stretches.end(now);
        }
        assert_eq!(stretches.long.get(), [1, 1, 0, 1, 1]);
    }

    #[test]
    fn what_runs_is_counted() {
        let (before, after) = rt::block_on(|| async {
            let before = Figures::current();
            let tasks: Vec<_> = (0..10).map(|_| rt::spawn(rt::yield_now())).collect();
            for task in tasks {
                task.await;
            }
            rt::yield_now().await;
            (before, Figures::current())
        });
        assert!(after.polls >= before.polls + 20 && after.turns > before.turns, "{before:?} {after:?}");
        assert!(after.longest_turn > Duration::ZERO && after.waited > before.waited);
    }
}
