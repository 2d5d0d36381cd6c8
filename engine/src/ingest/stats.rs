//! Figures of pipelines and their steps. Shared by all cores; kept when a pipeline is put anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters of what ran. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct Stats(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    count: AtomicU64,
    failed: AtomicU64,
    current: AtomicU64,
    nanos: AtomicU64,
}

/// The counters at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    pub count: u64,
    pub failed: u64,
    pub current: u64,
    pub time_ms: u64,
}

impl Stats {
    /// Something begins; it counts as running until what is returned is dropped.
    pub fn begin(&self) -> Running<'_> {
        self.0.current.fetch_add(1, Relaxed);
        Running(&self.0)
    }

    pub fn figures(&self) -> Figures {
        let load = |counter: &AtomicU64| counter.load(Relaxed);
        Figures {
            count: load(&self.0.count),
            failed: load(&self.0.failed),
            current: load(&self.0.current),
            time_ms: load(&self.0.nanos) / 1_000_000,
        }
    }
}

/// Something that runs.
#[derive(Debug)]
pub struct Running<'s>(&'s Counters);

impl Running<'_> {
    /// It came to its end. One that is dropped without was given up.
    pub fn end(self, failed: bool, nanos: u64) {
        self.0.count.fetch_add(1, Relaxed);
        self.0.failed.fetch_add(failed.into(), Relaxed);
        self.0.nanos.fetch_add(nanos, Relaxed);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.current.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_ended_and_what_runs() {
        let stats = Stats::default();
        stats.begin().end(true, 3_000_000);
        let running = stats.begin();
        assert_eq!(stats.figures(), Figures { count: 1, failed: 1, current: 1, time_ms: 3 });
        drop(running);
        assert_eq!(stats.figures().current, 0);
    }
}
