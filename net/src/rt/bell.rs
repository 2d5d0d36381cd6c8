//! A doorbell: many ring it from any thread, one task sleeps beside it.
//!
//! ```text
//! AWAKE ──park()──► PARKED ──ring(): takes the waker──► TAKING ──► AWAKE, and the waker is woken
//!   ▲                 │
//!   └────unpark()─────┘
//! ```
//!
//! Whoever leaves work does `leave work; ring()`. The sleeper does `look for work; park; look once more; sleep`. Both put a
//! sequentially consistent fence in between, so at least one of them sees the other (Dekker): either the sleeper finds the work,
//! or the ringer finds the sleeper parked. A bell beside which nobody is parked costs its ringer a fence and a load, and a
//! sleeper is woken once, however much arrives.

use std::task::{Context, Poll, Waker};

use crate::atomic::{AtomicU8, Ordering, UnsafeCell, fence};

const AWAKE: u8 = 0;
const PARKED: u8 = 1;
const TAKING: u8 = 2;

pub struct Bell {
    state: AtomicU8,
    /// Belongs to the sleeper while AWAKE, to whoever moved PARKED to TAKING while TAKING, to nobody while PARKED.
    waker: UnsafeCell<Option<Waker>>,
}

// SAFETY: the cell is touched only by the thread that the state gives it to, and the state changes hands with
// acquire and release. `Waker` itself may be used on any thread.
unsafe impl Send for Bell {}
// SAFETY: as above.
unsafe impl Sync for Bell {}

impl Default for Bell {
    fn default() -> Self {
        Self::new()
    }
}

impl Bell {
    pub fn new() -> Self {
        Self { state: AtomicU8::new(AWAKE), waker: UnsafeCell::new(None) }
    }

    /// Wakes the sleeper if it is parked. To be called after the work was made visible.
    pub fn ring(&self) {
        fence(Ordering::SeqCst);
        if self.state.load(Ordering::Relaxed) != PARKED
            || self.state.compare_exchange(PARKED, TAKING, Ordering::Acquire, Ordering::Relaxed).is_err()
        {
            return;
        }
        // SAFETY: moving PARKED to TAKING makes this thread the owner of the cell; only one thread can.
        let waker = self.waker.with_mut(|slot| unsafe { (*slot).take() });
        self.state.store(AWAKE, Ordering::Release);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// For the one task that sleeps beside this bell.
    pub fn sleeper(&self) -> Sleeper<'_> {
        Sleeper { bell: self }
    }

    /// False when the waker's place is not free.
    fn park(&self, waker: &Waker) -> bool {
        if self.state.load(Ordering::Acquire) != AWAKE {
            return false;
        }
        // SAFETY: in AWAKE the cell belongs to the sleeper, and there is one sleeper.
        self.waker.with_mut(|slot| unsafe { *slot = Some(waker.clone()) });
        self.state.store(PARKED, Ordering::Release);
        fence(Ordering::SeqCst);
        true
    }

    /// Takes a parking back. False while a ringer takes the waker.
    fn unpark(&self) -> bool {
        // A waker stays behind until the next parking overwrites it.
        match self.state.compare_exchange(PARKED, AWAKE, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => true,
            Err(state) => state == AWAKE,
        }
    }

    /// Whether somebody sleeps here; out of date at once.
    #[cfg(not(loom))]
    pub fn is_parked(&self) -> bool {
        self.state.load(Ordering::Acquire) == PARKED
    }
}

/// The sleeper's side of a bell. Dropping it leaves no waker behind: one that outlives its executor keeps the executor's
/// descriptors open for ever.
pub struct Sleeper<'a> {
    bell: &'a Bell,
}

impl Sleeper<'_> {
    /// One poll: what `look` finds, or a promise that the task is woken after the next [`Bell::ring`].
    pub fn poll<T>(&self, cx: &mut Context<'_>, mut look: impl FnMut() -> Option<T>) -> Poll<T> {
        self.bell.unpark();
        if let Some(found) = look() {
            return Poll::Ready(found);
        }
        if !self.bell.park(cx.waker()) {
            // A ringer is just taking the waker of an earlier sleep. It will be done at once: come again.
            cx.waker().wake_by_ref();
            #[cfg(loom)]
            loom::thread::yield_now();
            return Poll::Pending;
        }
        if let Some(found) = look() {
            self.bell.unpark();
            return Poll::Ready(found);
        }
        Poll::Pending
    }
}

#[cfg(not(loom))]
impl Sleeper<'_> {
    /// To be called when the sleep has ended for another reason: until the next poll nobody is woken.
    pub fn awake(&self) {
        self.bell.unpark();
    }
}

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        if self.bell.unpark() {
            // SAFETY: in AWAKE the cell belongs to the sleeper. (A ringer that is taking the waker leaves none behind.)
            let waker = self.bell.waker.with_mut(|slot| unsafe { (*slot).take() });
            drop(waker);
        }
    }
}
