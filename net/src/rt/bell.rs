//! A doorbell: many ring it from any thread, one task sleeps beside it.
//!
//! ```text
//! AWAKE ──park()──► PARKED ──ring(): takes the waker──► TAKING ──► AWAKE, and the waker is woken
//!   ▲                 │
//!   └────unpark()─────┘
//! ```
//!
//! Whoever leaves work does `leave work; ring()`. The sleeper does `park(); look for work; sleep only if there is none`.
//! Both put a sequentially consistent fence in between, so at least one of them sees the other (Dekker): either the
//! sleeper finds the work, or the ringer finds the sleeper parked. A bell that is not parked costs its ringer a fence and
//! a load, so the sleeper is woken once, however much arrives.

use std::task::Waker;

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

    /// Announces that the sleeper is about to sleep; it must look for work once more after this. Returns false when a
    /// ringer is just taking the waker of an earlier sleep: a wake-up is then on its way and nothing was changed.
    ///
    /// Only the one task that sleeps beside this bell may call this, and only while it is not parked.
    pub fn park(&self, waker: &Waker) -> bool {
        if self.state.load(Ordering::Acquire) != AWAKE {
            return false;
        }
        // SAFETY: in AWAKE the cell belongs to the sleeper, and there is one sleeper.
        self.waker.with_mut(|slot| unsafe { *slot = Some(waker.clone()) });
        self.state.store(PARKED, Ordering::Release);
        fence(Ordering::SeqCst);
        true
    }

    /// Takes the announcement back, by the sleeper. Harmless when it was not parked or is just being woken.
    pub fn unpark(&self) {
        // The waker stays behind until the next `park` overwrites it.
        let _ = self.state.compare_exchange(PARKED, AWAKE, Ordering::Acquire, Ordering::Relaxed);
    }
}
