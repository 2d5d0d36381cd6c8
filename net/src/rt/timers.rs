//! The timers of one core, in the order in which they end.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Instant,
};

use super::core;

#[derive(Default)]
pub(super) struct Timers {
    /// The second part tells timers of the same instant apart.
    pending: RefCell<BTreeMap<(Instant, u64), Waker>>,
    made: Cell<u64>,
}

impl Timers {
    pub fn next(&self) -> Option<Instant> {
        self.pending.borrow().first_key_value().map(|((at, _), _)| *at)
    }

    /// Wakes whoever waits for `now` or earlier.
    pub fn fire(&self, now: Instant) {
        loop {
            let mut pending = self.pending.borrow_mut();
            let Some(first) = pending.first_entry().filter(|first| first.key().0 <= now) else { return };
            let waker = first.remove();
            drop(pending);
            waker.wake();
        }
    }

    /// Forgets all of them.
    pub fn clear(&self) {
        let pending = self.pending.take();
        drop(pending);
    }

    fn insert(&self, at: Instant, waker: Waker) -> (Instant, u64) {
        let key = (at, self.made.get());
        self.made.set(key.1 + 1);
        self.pending.borrow_mut().insert(key, waker);
        key
    }
}

/// Ends at an instant, late by what the core takes to come round, never early.
pub(super) struct Timer {
    at: Instant,
    key: Option<(Instant, u64)>,
}

impl Timer {
    pub fn new(at: Instant) -> Self {
        Self { at, key: None }
    }

    fn forget(&mut self) {
        if let Some(key) = self.key.take() {
            let waker = core::try_with(|core| core.timers.pending.borrow_mut().remove(&key));
            drop(waker);
        }
    }
}

impl Future for Timer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.at <= core::now() {
            self.forget();
            return Poll::Ready(());
        }
        let known = self.key.is_some_and(|key| {
            core::with(|core| {
                let mut pending = core.timers.pending.borrow_mut();
                let Some(waker) = pending.get_mut(&key) else { return false };
                waker.clone_from(cx.waker());
                true
            })
        });
        if !known {
            let at = self.at;
            self.key = Some(core::with(|core| core.timers.insert(at, cx.waker().clone())));
        }
        Poll::Pending
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.forget();
    }
}
