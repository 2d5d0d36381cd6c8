//! Calls, counted and timed.

use std::cell::Cell;

/// Nanoseconds of a clock that never goes back.
pub type Clock = fn() -> u64;

/// The first calls are timed one by one. Of later ones one in as many is, and counts for all of them.
const SAMPLE: u64 = 256;

/// Calls of one kind.
#[derive(Clone, Debug, Default)]
pub struct Timer {
    count: Cell<u64>,
    ns: Cell<u64>,
}

impl Timer {
    #[inline]
    pub fn time<T>(&self, clock: Clock, call: impl FnOnce() -> T) -> T {
        let count = self.count.get();
        self.count.set(count + 1);
        if count >= SAMPLE && !count.is_multiple_of(SAMPLE) {
            return call();
        }
        let start = clock();
        let result = call();
        let weight = if count < SAMPLE { 1 } else { SAMPLE };
        // What was done took time, however coarse the clock is.
        let spent = clock().saturating_sub(start).max(1).saturating_mul(weight);
        self.ns.set(self.ns.get().saturating_add(spent));
        result
    }

    /// Time that belongs to calls which are counted by themselves.
    pub fn add(&self, calls: u64, ns: u64) {
        self.count.set(self.count.get() + calls);
        self.ns.set(self.ns.get().saturating_add(ns));
    }

    pub fn count(&self) -> u64 {
        self.count.get()
    }

    pub fn ns(&self) -> u64 {
        self.ns.get()
    }
}

/// A timer for each of `N` kinds of calls.
#[derive(Clone, Debug)]
pub struct Breakdown<const N: usize>(pub [Timer; N]);

impl<const N: usize> Default for Breakdown<N> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Timer::default()))
    }
}

impl<const N: usize> Breakdown<N> {
    pub fn total_ns(&self) -> u64 {
        self.0.iter().fold(0, |sum, timer| sum.saturating_add(timer.ns()))
    }

    /// Adds another one. Of the calls `once` the greater number of both is all there are.
    pub fn add(&self, other: &Self, once: &[usize]) {
        for (call, (timer, more)) in self.0.iter().zip(&other.0).enumerate() {
            let known = if once.contains(&call) { timer.count() } else { 0 };
            timer.add(more.count().saturating_sub(known), more.ns());
        }
    }

    #[inline]
    pub fn time<T>(&self, call: usize, clock: Clock, run: impl FnOnce() -> T) -> T {
        self.0[call].time(clock, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local!(static NOW: Cell<u64> = const { Cell::new(0) });

    fn clock() -> u64 {
        NOW.set(NOW.get() + 10);
        NOW.get()
    }

    #[test]
    fn many_calls_are_sampled() {
        let timer = Timer::default();
        for _ in 0..1024 {
            timer.time(clock, || ());
        }
        assert_eq!((timer.count(), timer.ns()), (1024, 10_240));
        // 256 calls by themselves and three samples: two looks at the clock each.
        assert_eq!(NOW.get(), (256 + 3) * 20);
    }
}
