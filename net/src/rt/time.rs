//! Sleeping, time limits and handing the core back.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::{Poll, Waker},
    time::{Duration, Instant},
};

use super::{core, timers::Timer};

/// A time that nobody lives to see, for sums that are out of a clock's range.
const NEVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// The time as this core has it: that of the clock, but made up on a simulated core. For whatever is compared with sleeps.
pub fn now() -> Instant {
    core::now()
}

/// What has gone by since `began`, a time of [`now`].
pub fn elapsed(began: Instant) -> Duration {
    now().saturating_duration_since(began)
}

/// Returns after `d`; late by what the core takes to come round, never early.
pub async fn sleep(d: Duration) {
    timer(d).await;
}

fn timer(d: Duration) -> Timer {
    let now = core::now();
    Timer::new(now.checked_add(d).unwrap_or(now + NEVER))
}

/// The result of `f`, or `None` when it takes longer than `d`; `f` is then dropped.
pub async fn timeout<T>(d: Duration, f: impl Future<Output = T>) -> Option<T> {
    let mut f = pin!(f);
    let mut timer = pin!(timer(d));
    poll_fn(|cx| {
        if let Poll::Ready(value) = f.as_mut().poll(cx) {
            return Poll::Ready(Some(value));
        }
        timer.as_mut().poll(cx).map(|_| None)
    })
    .await
}

/// A clock that ticks every `period`, first after one period. Ticks that were missed are skipped, not made up for.
pub fn interval(period: Duration) -> Interval {
    assert!(!period.is_zero(), "an interval needs a period");
    Interval { period, next: core::now() + period }
}

pub struct Interval {
    period: Duration,
    next: Instant,
}

impl Interval {
    pub async fn tick(&mut self) {
        let now = core::now();
        if self.next > now {
            sleep(self.next - now).await;
        }
        let now = core::now();
        self.next += self.period;
        if self.next < now {
            self.next = now + self.period;
        }
    }
}

/// True when something else is waiting for the core, or when the task has had it for a while: long computations then yield. Costs a
/// few loads and a reading of the clock. Outside an executor it is always false, so that code that yields can be tested anywhere.
pub fn need_preempt() -> bool {
    let needed = core::try_with(|core| {
        if let Some(simulation) = &core.simulation {
            return simulation.wants_core();
        }
        let now = Instant::now();
        core.stretches.end(now);
        core.has_news() || core.has_had_its_time(now)
    });
    needed == Some(true)
}

/// As [`need_preempt`], for whoever then wakes itself and is pending once: that counts as giving way.
pub fn must_give_way() -> bool {
    let needed = need_preempt();
    if needed {
        core::try_with(|core| core.queue.about_to_give_way());
    }
    needed
}

/// Lets every other ready task run first, and comes back as if it had been woken: for those whom others wait for.
pub async fn yield_now() {
    yield_by(Waker::wake_by_ref).await;
}

/// Lets others run that were woken, now and for as long as there are any (but for a share), before it goes on: for those who have
/// more to do than most.
pub async fn give_way() {
    yield_by(|waker| {
        if core::try_with(|core| core.queue.give_way(|| waker.wake_by_ref())).is_none() {
            waker.wake_by_ref();
        }
    })
    .await;
}

async fn yield_by(wake: impl Fn(&Waker)) {
    let mut yielded = false;
    poll_fn(|cx| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        wake(cx.waker());
        Poll::Pending
    })
    .await;
}

/// Gives way when [`need_preempt`] says so.
pub async fn yield_if_needed() {
    if need_preempt() {
        give_way().await;
    }
}

#[cfg(test)]
mod tests {
    use super::{super::gave_way::WAITED_FOR, *};
    use crate::rt;

    #[test]
    fn timeout_tells_a_result_from_a_late_one() {
        rt::block_on(|| async {
            assert_eq!(timeout(Duration::from_secs(5), async { 7 }).await, Some(7));
            let never = std::future::pending::<()>();
            assert_eq!(timeout(Duration::from_millis(5), never).await, None);
        });
    }

    #[test]
    fn an_interval_ticks_at_its_period() {
        rt::block_on(|| async {
            let start = Instant::now();
            let mut ticks = interval(Duration::from_millis(3));
            for _ in 0..4 {
                ticks.tick().await;
            }
            assert!(start.elapsed() >= Duration::from_millis(12));
        });
    }

    #[test]
    fn who_is_waited_for_gives_way_early() {
        rt::block_on(|| async {
            yield_now().await;
            let is_asked = || core::with(|core| core.has_had_its_time(core.task_began.get() + WAITED_FOR));
            assert!(!is_asked());
            let other = rt::spawn(async {});
            assert!(is_asked());
            other.await;
        });
    }

    #[test]
    fn yielding_lets_others_run() {
        rt::block_on(|| async {
            let other = rt::spawn(async { 3 });
            while !other.is_finished() {
                yield_now().await;
            }
            assert_eq!(other.await, 3);
            yield_if_needed().await;
        });
    }
}
