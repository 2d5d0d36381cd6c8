//! How busy a core is.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use super::core;

/// How long a measurement takes at least.
const WINDOW: Duration = Duration::from_millis(100);

/// A core's share of time that it did not sleep, readable from any thread. While it sleeps for long, the last measurement stands.
#[derive(Clone)]
pub struct Busy(Arc<AtomicU32>);

impl Busy {
    /// Of the core that this code runs on.
    pub fn current() -> Self {
        core::with(|core| core.busy.measured.clone())
    }

    /// In thousandths.
    pub fn per_mille(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The core's side.
pub(super) struct BusyMeter {
    measured: Busy,
    since: Cell<Instant>,
    slept: Cell<Duration>,
}

impl BusyMeter {
    pub fn new(now: Instant) -> Self {
        Self { measured: Busy(Arc::default()), since: Cell::new(now), slept: Cell::default() }
    }

    pub fn slept(&self, from: Instant, until: Instant) {
        self.slept.set(self.slept.get() + (until - from));
    }

    /// To be called now and then, asleep or not.
    #[inline]
    pub fn look(&self, now: Instant) {
        let window = now - self.since.get();
        if window >= WINDOW {
            let slept = self.slept.take().as_micros() * 1000 / window.as_micros();
            self.measured.0.store(1000 - slept.min(1000) as u32, Ordering::Relaxed);
            self.since.set(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_a_window_that_was_not_slept() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let meter = BusyMeter::new(start);
        meter.slept(at(10), at(60));
        meter.look(at(99));
        assert_eq!(meter.measured.per_mille(), 0);
        meter.look(at(200));
        assert_eq!(meter.measured.per_mille(), 750);
        meter.look(at(300));
        assert_eq!(meter.measured.per_mille(), 1000);
    }
}
