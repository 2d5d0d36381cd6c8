//! Scripts compiled of late, on all cores together.

use std::sync::atomic::{AtomicU64, Ordering};

/// Scripts that are remembered, so that each costs once and not once for each core.
const REMEMBERED: usize = 1024;

/// Counts compilations against a rate. A generic cell rate algorithm: one number tells when the allowance is whole again.
#[derive(Debug)]
pub struct Compilations {
    /// Nanoseconds since the node started at which no compilation would count any more.
    whole_at_ns: AtomicU64,
    /// The time of one compilation at the rate that counted last.
    each_ns: AtomicU64,
    recent: Box<[AtomicU64]>,
    pub admitted: AtomicU64,
    pub refused: AtomicU64,
}

impl Default for Compilations {
    fn default() -> Self {
        Self {
            whole_at_ns: AtomicU64::new(0),
            each_ns: AtomicU64::new(0),
            recent: (0..REMEMBERED).map(|_| AtomicU64::new(0)).collect(),
            admitted: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }
}

impl Compilations {
    /// Whether a script, known by its hash, may be compiled `now_ns` after the start, where `count` may be in `period_ns`.
    pub fn admit(&self, hash: u64, now_ns: u64, count: u64, period_ns: u64) -> bool {
        let slot = &self.recent[(hash % REMEMBERED as u64) as usize];
        // No script has hash 0, which stands for none.
        let admitted = slot.load(Ordering::Relaxed) == hash.max(1) || self.take(now_ns, count, period_ns);
        if admitted {
            slot.store(hash.max(1), Ordering::Relaxed);
            self.admitted.fetch_add(1, Ordering::Relaxed);
        } else {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        admitted
    }

    fn take(&self, now_ns: u64, count: u64, period_ns: u64) -> bool {
        let Some(each_ns) = period_ns.checked_div(count) else { return false };
        // Another rate begins with all that it allows.
        if self.each_ns.swap(each_ns, Ordering::Relaxed) != each_ns {
            self.whole_at_ns.store(0, Ordering::Relaxed);
        }
        let next = |whole_at: u64| {
            let after = whole_at.max(now_ns).saturating_add(each_ns);
            (after - now_ns <= period_ns).then_some(after)
        };
        self.whole_at_ns.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_allowed_then_one_each_time_that_its_share_has_passed() {
        let compilations = Compilations::default();
        let ask = |hash: u64, now: u64| compilations.admit(hash, now, 3, 300);
        assert_eq!([1, 2, 3, 4].map(|hash| ask(hash, 1_000)), [true, true, true, false]);
        assert!(ask(2, 1_000), "a script that another core has compiled");
        assert_eq!([5, 6].map(|hash| ask(hash, 1_100)), [true, false]);
        assert_eq!([7, 8, 9, 10].map(|hash| ask(hash, 9_000)), [true, true, true, false]);
        assert!(!compilations.admit(11, 9_000, 0, 300), "a rate of nothing");
        assert!(compilations.admit(12, 9_000, 5, 300), "another rate");
        assert_eq!(compilations.refused.load(Ordering::Relaxed), 4);
    }
}
