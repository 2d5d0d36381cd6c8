//! Cooperative slicing of long pure computations.
//!
//! Sealing and merging take seconds, and a core must be handed back every millisecond or so. They are written as `async
//! fn` that await nothing but [`Pace::tick`]: a count of work done, and now and then a question to whoever runs the core
//! whether something more urgent waits. No runtime is known here: a tick that gives way wakes itself and is pending once.

use crate::error::{Error, ErrorKind, Result};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

/// Work units between two questions. A unit is about a posting, a value or a hundred bytes copied: some 10 ns, so that the
/// question (a clock read at most) is asked every 20 µs.
const UNITS_PER_QUESTION: u32 = 2_048;

/// Decides when a long computation hands its core back.
#[derive(Debug)]
pub struct Pace {
    should_yield: fn() -> bool,
    units: Cell<u32>,
}

impl Pace {
    /// `should_yield` is asked every few thousand units of work and must be cheap.
    pub fn new(should_yield: fn() -> bool) -> Self {
        Self { should_yield, units: Cell::new(0) }
    }

    /// Runs to the end without ever giving way: tests and tools.
    pub fn never() -> Self {
        Self::new(|| false)
    }

    /// Counts `units` of work done, and gives way if it is time.
    #[inline]
    pub fn tick(&self, units: u32) -> Tick {
        let total = self.units.get().saturating_add(units);
        if total < UNITS_PER_QUESTION {
            self.units.set(total);
            return Tick { give_way: false };
        }
        self.units.set(0);
        Tick { give_way: (self.should_yield)() }
    }
}

/// The future of [`Pace::tick`]: ready at once, or pending a single time.
#[must_use = "a tick gives way only when it is awaited"]
#[derive(Debug)]
pub struct Tick {
    give_way: bool,
}

impl Future for Tick {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::take(&mut self.give_way) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    }
}

/// So many zeros. To ask for all of them at once touches their pages at once too, if the memory has been used before: 8 ms for 20 MB.
pub async fn zeros<T: Copy + Default>(len: usize, pace: &Pace) -> Vec<T> {
    const BYTES: usize = 64 << 10;
    const UNITS: u32 = UNITS_PER_QUESTION / 2;
    let mut zeros = Vec::with_capacity(len);
    while zeros.len() < len {
        zeros.resize(len.min(zeros.len() + BYTES / size_of::<T>()), T::default());
        pace.tick(UNITS).await;
    }
    zeros
}

/// Drives a future that waits on nothing but [`Pace`] to its end.
pub fn block_on_ready<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut cx) {
            return value;
        }
    }
}

thread_local! {
    /// The flag that the computation on this thread is told by that nobody waits for it any more.
    static ABANDONED: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Runs `work`, which may be told by `abandoned` that nobody waits for it any more: where it looks, [`check_wanted`].
pub fn while_wanted<T>(abandoned: Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    /// Threads are used again, also after a panic.
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            ABANDONED.set(None);
        }
    }
    ABANDONED.set(Some(abandoned));
    let _reset = Reset;
    work()
}

/// An error if nobody waits for the computation on this thread any more.
pub(crate) fn check_wanted() -> Result<()> {
    let abandoned = ABANDONED.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)));
    match abandoned {
        true => Err(Error::new(ErrorKind::TaskCancelled, "nobody waits for the answer any more")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_as_many_as_asked_for() {
        for len in [0, 1, 40_000, 100_001] {
            assert_eq!(block_on_ready(zeros::<u32>(len, &Pace::new(|| true))), vec![0; len]);
        }
    }

    #[test]
    fn gives_way_once_per_question_and_goes_on() {
        let pace = Pace::new(|| true);
        let mut polls = 0;
        let mut work = pin!(async {
            for _ in 0..4 * UNITS_PER_QUESTION {
                pace.tick(1).await;
            }
        });
        let mut cx = Context::from_waker(Waker::noop());
        while work.as_mut().poll(&mut cx).is_pending() {
            polls += 1;
        }
        assert_eq!(polls, 4);
        block_on_ready(async { Pace::never().tick(u32::MAX).await });
    }
}
