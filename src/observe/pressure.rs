//! How much waits, and when it will be less.

use super::bookings::Bookings;
use pith_net::http::BodyBudget;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// The longest time that a client is told to stay away.
const AWAY_MAX: Duration = Duration::from_secs(30);

/// What all cores know of the node's load.
#[derive(Debug, Default)]
pub struct Pressure {
    /// Who was told to come again.
    pub bookings: Bookings,
    /// When what was refused last will find room, in milliseconds.
    retry_after_ms: AtomicU64,
    /// Bytes that requests may hold on one core at the same time; 0: as many as they like.
    request_bytes_max: AtomicU64,
    /// Requests that were refused for the memory that they hold.
    pub tripped: AtomicU64,
    /// Bytes that fielddata may take on one core; 0: no bound.
    pub fielddata_bytes_max: AtomicU64,
    /// Fielddata that was not made for lack of room.
    pub fielddata_tripped: AtomicU64,
    /// Bytes that requests and fielddata together may take on one core; 0: no bound.
    pub total_bytes_max: AtomicU64,
    pub total_tripped: AtomicU64,
    /// Bodies of requests that are being received or handled.
    pub bodies: Arc<BodyBudget>,
    /// Shards that are being made ready to be searched.
    pub shards_showing: AtomicUsize,
    /// How fast a shard is brought back from a snapshot; 0: as fast as it goes.
    pub recovery_bytes_per_second: AtomicU64,
}

impl Pressure {
    /// Something was refused: `waiting` are before it, of which so many go in a second.
    pub fn refused(&self, waiting: f64, per_second: f64) {
        let seconds = if per_second > 0.0 { waiting / per_second } else { 1.0 };
        let away = seconds.clamp(0.0, AWAY_MAX.as_secs_f64());
        self.retry_after_ms.store((away * 1e3) as u64, Ordering::Relaxed);
    }

    /// Whole seconds, as the header has them; at least one.
    pub fn retry_after_seconds(&self) -> u64 {
        self.retry_after_ms.load(Ordering::Relaxed).div_ceil(1000).max(1)
    }

    pub fn set_request_bytes_max(&self, bytes: u64) {
        self.request_bytes_max.store(bytes, Ordering::Relaxed);
    }

    pub fn request_bytes_max(&self) -> u64 {
        bound(&self.request_bytes_max)
    }

    pub fn fielddata_bytes_max(&self) -> u64 {
        bound(&self.fielddata_bytes_max)
    }

    pub fn total_bytes_max(&self) -> u64 {
        bound(&self.total_bytes_max)
    }
}

fn bound(bytes: &AtomicU64) -> u64 {
    match bytes.load(Ordering::Relaxed) {
        0 => u64::MAX,
        bytes => bytes,
    }
}

/// How many of something go in a second, lately.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    per_second: f64,
    counted: f64,
    since: Duration,
}

/// What is counted together.
const WINDOW: Duration = Duration::from_millis(200);

impl Rate {
    /// `count` of them went at the time `now`, by any clock that never goes back.
    pub fn count(&mut self, count: f64, now: Duration) {
        self.counted += count;
        let window = now.saturating_sub(self.since);
        if window >= WINDOW {
            let fresh = self.counted / window.as_secs_f64();
            // After a pause the past says nothing.
            let weight = if window > 10 * WINDOW || self.per_second == 0.0 { 1.0 } else { 0.5 };
            self.per_second += weight * (fresh - self.per_second);
            (self.counted, self.since) = (0.0, now);
        }
    }

    pub fn per_second(&self) -> f64 {
        self.per_second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_stays_away_for_as_long_as_the_queue_takes() {
        let mut rate = Rate::default();
        for ms in 0..2000 {
            rate.count(2.0, Duration::from_millis(ms));
        }
        assert!((rate.per_second() - 2000.0).abs() < 100.0, "{rate:?}");
        let pressure = Pressure::default();
        assert_eq!(pressure.retry_after_seconds(), 1);
        pressure.refused(7000.0, rate.per_second());
        assert_eq!(pressure.retry_after_seconds(), 4);
        pressure.refused(1e9, 1.0);
        assert_eq!(pressure.retry_after_seconds(), 30);
        pressure.refused(10.0, 0.0);
        assert_eq!(pressure.retry_after_seconds(), 1);
    }
}
