//! Counts the times that a core was not handed back.
//!
//! Every poll of every task is timed (the core reads the clock once between two). A poll of more than 5 ms is a stall, unless the
//! thread was merely not given a CPU: the kernel's own account of that (run delay, in nanoseconds) is subtracted.

use std::{
    cell::Cell,
    collections::VecDeque,
    fs::File,
    os::unix::fs::FileExt,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// A task that keeps its core for longer than this has stalled it.
pub(super) const STALL: Duration = Duration::from_millis(5);

/// How old the last reading of the run delay may get while the core is busy. Shorter is more exact and costs more.
const SAMPLE_EVERY: Duration = Duration::from_millis(20);

static STALLS: AtomicU64 = AtomicU64::new(0);

/// How many of the last stalls are remembered.
const RECENT: usize = 32;

static LATEST: Mutex<VecDeque<Stall>> = Mutex::new(VecDeque::new());

/// One time that a core was not handed back.
#[derive(Clone, Copy, Debug)]
pub struct Stall {
    pub core: usize,
    /// The type of the task.
    pub task: &'static str,
    pub at: Instant,
    /// How long the core was kept, without the time that its thread waited for a CPU.
    pub kept: Duration,
}

/// The last stalls of all cores, the oldest first.
pub fn recent_stalls() -> Vec<Stall> {
    LATEST.lock().map_or_else(|_| vec![], |stalls| stalls.iter().copied().collect())
}

/// How often any core was kept for more than 5 ms by one task, since the process started. Each was logged.
pub fn stalls() -> u64 {
    STALLS.load(Ordering::Relaxed)
}

pub(super) struct Meter {
    /// The thread's account; reading it goes through procfs in memory, never to a disk. `None` where the kernel keeps none.
    schedstat: Option<File>,
    sampled_at: Cell<Instant>,
    delay_ns: Cell<u64>,
}

impl Meter {
    /// For the calling thread.
    pub fn new() -> Self {
        let schedstat = File::open("/proc/thread-self/schedstat").ok();
        let meter = Self { schedstat, sampled_at: Cell::new(Instant::now()), delay_ns: Cell::new(0) };
        meter.sample(Instant::now());
        meter
    }

    /// A poll that began at `started` ends now. `task` is for the log. Gives whether it was a stall.
    #[inline]
    pub fn end(&self, started: Instant, now: Instant, core: usize, task: &'static str) -> bool {
        let took = now - started;
        if took >= STALL {
            return self.judge(now, took, core, task);
        }
        if now - self.sampled_at.get() > SAMPLE_EVERY {
            self.sample(now);
        }
        false
    }

    #[cold]
    fn judge(&self, now: Instant, took: Duration, core: usize, task: &'static str) -> bool {
        // The delay of up to SAMPLE_EVERY before the poll is in here as well. That errs towards calm.
        let waited = Duration::from_nanos(self.sample(now));
        let kept = took.saturating_sub(waited);
        if kept < STALL {
            return false;
        }
        STALLS.fetch_add(1, Ordering::Relaxed);
        // A core never waits: a stall that meets somebody who reads the list is only counted.
        if let Ok(mut latest) = LATEST.try_lock() {
            if latest.len() == RECENT {
                latest.pop_front();
            }
            latest.push_back(Stall { core, task, at: now, kept });
        }
        let (took_ms, waited_ms) = (took.as_millis() as u64, waited.as_millis() as u64);
        tracing::warn!(core, took_ms, waited_ms, task, "a task stalled its core");
        true
    }

    /// Returns the run delay since the last sample.
    #[cold]
    fn sample(&self, now: Instant) -> u64 {
        self.sampled_at.set(now);
        let delay_ns = self.schedstat.as_ref().and_then(read_delay).unwrap_or(0);
        delay_ns.saturating_sub(self.delay_ns.replace(delay_ns))
    }
}

/// The file reads `<ns on cpu> <ns waiting for a cpu> <slices>`.
fn read_delay(schedstat: &File) -> Option<u64> {
    let mut text = [0u8; 96];
    let len = schedstat.read_at(&mut text, 0).ok()?;
    std::str::from_utf8(&text[..len]).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt;

    #[test]
    fn a_task_that_keeps_its_core_is_counted() {
        let before = stalls();
        rt::block_on(|| async {
            rt::spawn(async {
                // Computes for long enough that even a crowded machine gives it 5 ms beyond its waiting.
                let start = Instant::now();
                let mut x = 1u64;
                while start.elapsed() < Duration::from_millis(400) {
                    x = std::hint::black_box(x.wrapping_mul(3));
                }
            })
            .await;
        });
        assert!(stalls() > before);
        assert!(recent_stalls().iter().any(|stall| stall.kept > STALL));
    }
}
