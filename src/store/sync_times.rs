//! How long the syncs of a core's translogs take.

use std::cell::Cell;
use std::time::Duration;

/// Upper bounds of the buckets, in microseconds; one more bucket is behind the last.
const BOUNDS_US: [u64; 12] =
    [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 512_000, 2_000_000];

/// Syncs by the time that they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncTimes {
    counts: [u64; BOUNDS_US.len() + 1],
    total: Duration,
}

thread_local! {
    static OF_CORE: Cell<SyncTimes> = const { Cell::new(SyncTimes { counts: [0; BOUNDS_US.len() + 1], total: Duration::ZERO }) };
}

impl SyncTimes {
    /// Of the core that asks.
    pub fn current() -> Self {
        OF_CORE.get()
    }

    /// A sync of this core has taken so long.
    pub(super) fn count(took: Duration) {
        let mut times = OF_CORE.get();
        times.add(took);
        OF_CORE.set(times);
    }

    fn add(&mut self, took: Duration) {
        let us = took.as_micros() as u64;
        self.counts[BOUNDS_US.partition_point(|bound| *bound < us)] += 1;
        self.total += took;
    }

    pub fn total(&self) -> Duration {
        self.total
    }

    /// Upper bounds (none of the last) and how many syncs are below each but above the one before.
    pub fn buckets(&self) -> impl Iterator<Item = (Option<Duration>, u64)> {
        let bounds = BOUNDS_US.iter().map(|bound| Some(Duration::from_micros(*bound))).chain([None]);
        bounds.zip(self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_is_in_the_bucket_whose_bound_it_does_not_pass() {
        let mut times = SyncTimes::default();
        [0, 250, 251, 3_000_000].into_iter().for_each(|us| times.add(Duration::from_micros(us)));
        let found: Vec<u64> = times.buckets().map(|(_, count)| count).collect();
        assert_eq!((found[0], found[1], found[12]), (2, 1, 1));
        assert_eq!(times.total(), Duration::from_micros(3_000_501));
    }
}
