//! Who was refused, and when they were told to come again: no more of them at any moment than can be served then. Those who come
//! as they were told are known again, by what they ask, and go before strangers: under a load that does not end, everybody else would
//! have taken their place.
//!
//! All of it is shared by the cores without locks. What gets lost (a promise that finds no room in the table) costs its client one more
//! wait.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What bookings are counted in.
const TICK: Duration = Duration::from_millis(50);
const TICKS_PER_SECOND: u64 = 20;

/// The longest time that a client is told to stay away, in seconds.
const AWAY_MAX: u64 = 60;

/// Ticks that a lane has room for.
const RING: usize = 2048;
const _: () = assert!(RING as u64 > (AWAY_MAX + 1) * TICKS_PER_SECOND);

/// How much of what can be served is promised; the rest is for those who come for the first time, and for what was measured wrongly.
const PROMISED_SHARE: f64 = 0.8;

/// A lane that was never measured is believed to serve so many in a second.
const PER_SECOND_MIN: f64 = 5.0;

/// How long a rate is measured.
const WINDOW_MS: u64 = 200;

/// How late one may come who was told to, in ticks; and how early.
const LATE_MAX: i64 = 5 * TICKS_PER_SECOND as i64;
const EARLY_MAX: i64 = 2;

/// Promises that are kept at a time, and the places that are looked at for one.
const PROMISES_MAX: usize = 1 << 18;
const PROBES: usize = 8;

/// The low bits of a promise are its tick, the high ones what was asked.
const TICK_BITS: u32 = 24;
const TICK_MASK: u64 = (1 << TICK_BITS) - 1;

/// As many cores as a node may have.
const CORES_MAX: usize = 256;

/// What a request is known by: by all that it says and whence it came, and by what it says alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    pub exact: u64,
    pub content: u64,
}

/// How well a request is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visitor {
    Stranger,
    /// Somebody was told to come now with such a request.
    Alike,
    /// The same connection was told to come now with this request.
    Expected,
}

/// What is done one after the other, and booked ahead.
#[derive(Debug, Default)]
pub struct Lane {
    /// What waits, in the lane's own unit.
    waiting: AtomicUsize,
    done: AtomicU64,
    /// The start of the window that is being measured, in milliseconds, and what was done until then.
    window: AtomicU64,
    done_before: AtomicU64,
    /// Thousandths.
    per_second: AtomicU64,
    /// By tick: its number in the high half, the bookings for it in the low one.
    booked: OnceLock<Box<[AtomicU64]>>,
}

impl Lane {
    pub fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }

    pub fn set_waiting(&self, waiting: usize) {
        self.waiting.store(waiting, Relaxed);
    }

    pub fn add_waiting(&self, more: usize) {
        self.waiting.fetch_add(more, Relaxed);
    }

    pub fn take_waiting(&self, less: usize) {
        self.waiting.fetch_sub(less, Relaxed);
    }

    fn done(&self, now_ms: u64) {
        let done = self.done.fetch_add(1, Relaxed) + 1;
        let began = self.window.load(Relaxed);
        let took = now_ms.saturating_sub(began);
        // Of several cores that find the window at its end, one closes it.
        if took < WINDOW_MS || self.window.compare_exchange(began, now_ms, Relaxed, Relaxed).is_err() {
            return;
        }
        let fresh = done.saturating_sub(self.done_before.swap(done, Relaxed)) * 1_000_000 / took;
        let old = self.per_second.load(Relaxed);
        // After a pause the past says nothing.
        let rate = if took > 10 * WINDOW_MS || old == 0 { fresh } else { old / 2 + fresh / 2 };
        self.per_second.store(rate, Relaxed);
    }

    pub fn per_second(&self) -> f64 {
        (self.per_second.load(Relaxed) as f64 / 1e3).max(PER_SECOND_MIN)
    }

    /// In how many whole seconds there is room; none: it is all booked.
    fn book(&self, now: u64) -> Option<u64> {
        let ring = self.booked.get_or_init(|| (0..RING).map(|_| AtomicU64::new(0)).collect());
        let mean = self.per_second() * PROMISED_SHARE / TICKS_PER_SECOND as f64;
        (1..=AWAY_MAX).find(|away| {
            let tick = now + away * TICKS_PER_SECOND;
            let slot = &ring[tick as usize % RING];
            let number = tick & u64::from(u32::MAX);
            let booked = slot.fetch_update(Relaxed, Relaxed, |was| {
                let count = if was >> 32 == number { was & u64::from(u32::MAX) } else { 0 };
                (count < room(mean, tick)).then_some(number << 32 | (count + 1))
            });
            booked.is_ok()
        })
    }
}

/// Whole bookings of one tick, so that ticks have `mean` of them on average, whichever of them are looked at.
fn room(mean: f64, tick: u64) -> u64 {
    let chance = (tick.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / (1u64 << 24) as f64;
    mean as u64 + u64::from(mean.fract() > chance)
}

/// What is booked on all cores.
#[derive(Debug)]
pub struct Bookings {
    began: Instant,
    /// By core: searches, counted one by one.
    searches: Vec<Lane>,
    /// Of the whole node: writes, which wait as bytes and are booked one by one.
    pub writes: Lane,
    promises: OnceLock<Box<[AtomicU64]>>,
}

impl Default for Bookings {
    fn default() -> Self {
        let searches = (0..CORES_MAX).map(|_| Lane::default()).collect();
        Self { began: Instant::now(), searches, writes: Lane::default(), promises: OnceLock::new() }
    }
}

impl Bookings {
    /// The lane of a core's searches.
    pub fn searches(&self, core: usize) -> &Lane {
        &self.searches[core % CORES_MAX]
    }

    /// One request of the lane was served.
    pub fn done(&self, lane: &Lane) {
        lane.done(self.began.elapsed().as_millis() as u64);
    }

    /// A request is refused: the whole seconds after which it is to come again.
    pub fn refuse(&self, lane: &Lane, fingerprint: Fingerprint) -> u64 {
        self.refuse_at(lane, fingerprint, self.now())
    }

    fn refuse_at(&self, lane: &Lane, fingerprint: Fingerprint, now: u64) -> u64 {
        let Some(away) = lane.book(now) else { return AWAY_MAX };
        let due = now + away * TICKS_PER_SECOND;
        self.promise(fingerprint.exact, due, now);
        self.promise(fingerprint.content, due, now);
        away
    }

    /// Who comes with this request. A promise is kept once.
    pub fn recognise(&self, fingerprint: Fingerprint) -> Visitor {
        self.recognise_at(fingerprint, self.now())
    }

    fn recognise_at(&self, fingerprint: Fingerprint, now: u64) -> Visitor {
        let exact = self.redeem(fingerprint.exact, now);
        let content = self.redeem(fingerprint.content, now);
        match (exact, content) {
            (true, _) => Visitor::Expected,
            (false, true) => Visitor::Alike,
            (false, false) => Visitor::Stranger,
        }
    }

    fn now(&self) -> u64 {
        (self.began.elapsed().as_millis() / TICK.as_millis()) as u64
    }

    fn promise(&self, hash: u64, due: u64, now: u64) {
        let table = self.promises.get_or_init(|| (0..PROMISES_MAX).map(|_| AtomicU64::new(0)).collect());
        let promise = (hash & !TICK_MASK) | (due & TICK_MASK);
        for slot in places(table, hash) {
            let was = slot.load(Relaxed);
            let free = was == 0 || ahead(was, now) < -LATE_MAX;
            if free && slot.compare_exchange(was, promise, Relaxed, Relaxed).is_ok() {
                return;
            }
        }
    }

    fn redeem(&self, hash: u64, now: u64) -> bool {
        let Some(table) = self.promises.get() else { return false };
        places(table, hash).any(|slot| {
            let was = slot.load(Relaxed);
            let fits = was != 0 && (was ^ hash) & !TICK_MASK == 0 && (-LATE_MAX..=EARLY_MAX).contains(&ahead(was, now));
            fits && slot.compare_exchange(was, 0, Relaxed, Relaxed).is_ok()
        })
    }
}

fn places(table: &[AtomicU64], hash: u64) -> impl Iterator<Item = &AtomicU64> {
    // The bits that the promise itself does not hold choose the place.
    let first = (hash & TICK_MASK) as usize;
    (0..PROBES).map(move |probe| &table[(first + probe) % table.len()])
}

/// How many ticks from now a promise is due. Ticks of so few bits begin anew after nine days; what is due is never far away.
fn ahead(promise: u64, now: u64) -> i64 {
    let difference = (promise & TICK_MASK).wrapping_sub(now) & TICK_MASK;
    if difference > TICK_MASK / 2 { difference as i64 - (TICK_MASK as i64 + 1) } else { difference as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(n: u64) -> Fingerprint {
        let mixed = |n: u64| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Fingerprint { exact: mixed(2 * n), content: mixed(2 * n + 1) }
    }

    #[test]
    fn no_more_are_told_to_come_than_can_be_served() {
        let bookings = Bookings::default();
        let lane = bookings.searches(0);
        for ms in 0..2_000 {
            lane.done(ms);
        }
        assert!((lane.per_second() - 1_000.0).abs() < 20.0, "{}", lane.per_second());
        // Of 3,000 that are refused in a second, so many come in each of the next ones.
        let mut away = [0; 8];
        for n in 0..3_000 {
            away[bookings.refuse_at(lane, fingerprint(n), 100 + n / 150) as usize] += 1;
        }
        let promised = (1_000.0 * PROMISED_SHARE) as i64;
        for (seconds, count) in away.into_iter().enumerate() {
            let expected = [0, promised, promised, promised, 3_000 - 3 * promised][seconds.min(4)];
            assert!(seconds > 4 || (count - expected).abs() <= 40, "{away:?}");
        }
    }

    #[test]
    fn a_slow_lane_is_booked_one_by_one() {
        let bookings = Bookings::default();
        let lane = bookings.searches(3);
        // Five in a second, of which four are promised: forty take ten seconds.
        let mut away: Vec<u64> = (0..40).map(|n| bookings.refuse_at(lane, fingerprint(n), 1_000 + n / 2)).collect();
        away.sort_unstable();
        assert!((6..=20).contains(&away[39]), "{away:?}");
        // What cannot be served in a minute is told to come then, and is promised nothing.
        let last = (0..1_000).map(|n| bookings.refuse_at(lane, fingerprint(100 + n), 1_000)).max();
        assert_eq!(last, Some(AWAY_MAX));
        assert_eq!(bookings.recognise_at(fingerprint(1_099), 1_000 + AWAY_MAX * TICKS_PER_SECOND), Visitor::Stranger);
    }

    #[test]
    fn who_comes_as_told_is_known_again_once() {
        let bookings = Bookings::default();
        let lane = bookings.searches(0);
        let here = fingerprint(7);
        assert_eq!(bookings.recognise_at(here, 10), Visitor::Stranger);
        let due = 10 + bookings.refuse_at(lane, here, 10) * TICKS_PER_SECOND;
        assert_eq!(bookings.recognise_at(here, due - 3), Visitor::Stranger, "too early");
        assert_eq!(bookings.recognise_at(here, due), Visitor::Expected);
        assert_eq!(bookings.recognise_at(here, due), Visitor::Stranger);
        let elsewhere = Fingerprint { exact: 99 << 30, ..here };
        let due = 500 + bookings.refuse_at(lane, here, 500) * TICKS_PER_SECOND;
        assert_eq!(bookings.recognise_at(elsewhere, due + 100), Visitor::Alike);
        let due = 900 + bookings.refuse_at(lane, here, 900) * TICKS_PER_SECOND;
        assert_eq!(bookings.recognise_at(here, due + 101), Visitor::Stranger, "too late");
    }
}
