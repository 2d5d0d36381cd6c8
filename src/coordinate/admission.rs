//! How many searches a core works on at once. Those that come beyond that wait, and those that come beyond these are refused, so
//! that what is let in is answered in bounded time.
//!
//! The interface refuses at the door what would be refused here (see `api::door`), before anything is made of it; this gate is the
//! bound that holds whatever comes.

use crate::observe::pressure::{Pressure, Rate};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt::{self, Notify};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Searches (of all shards of a request together) that share the core.
const RUNNING_MAX: usize = 64;
/// Searches that wait for their turn, as many as the reference lets wait.
pub const WAITING_MAX: usize = 1000;
/// Places beside these, for those who were told to come.
pub const EXPECTED_MAX: usize = 500;

/// The searches of one core. Clones are the same.
#[derive(Clone)]
pub struct SearchGate {
    inner: Rc<Inner>,
}

struct Inner {
    running: Cell<usize>,
    waiting: Cell<usize>,
    completed: Cell<u64>,
    rejected: Cell<u64>,
    freed: Notify,
    rate: RefCell<Rate>,
    began: Instant,
    /// Where other cores see how much waits at this one.
    shown: OnceCell<(Arc<Pressure>, usize)>,
}

/// Counts of a gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GateFigures {
    pub running: usize,
    pub waiting: usize,
    pub completed: u64,
    pub rejected: u64,
}

/// A search that was let in; it leaves when this is dropped.
pub struct Pass(Rc<Inner>);

impl Default for SearchGate {
    fn default() -> Self {
        let inner = Inner {
            running: Cell::new(0),
            waiting: Cell::new(0),
            completed: Cell::new(0),
            rejected: Cell::new(0),
            freed: Notify::new(),
            rate: RefCell::default(),
            began: Instant::now(),
            shown: OnceCell::new(),
        };
        Self { inner: Rc::new(inner) }
    }
}

impl SearchGate {
    /// Shows all cores how much waits at this one, from now on.
    pub fn show(&self, pressure: Arc<Pressure>, core: usize) {
        // A core is connected once.
        let _ = self.inner.shown.set((pressure, core));
    }

    pub fn figures(&self) -> GateFigures {
        let Inner { running, waiting, completed, rejected, .. } = &*self.inner;
        GateFigures {
            running: running.get(),
            waiting: waiting.get(),
            completed: completed.get(),
            rejected: rejected.get(),
        }
    }

    /// One was refused at the door.
    pub fn count_refused(&self) {
        self.inner.rejected.set(self.inner.rejected.get() + 1);
    }

    /// Lets a search in, when it is its turn.
    pub async fn enter(&self, pressure: Option<&Pressure>) -> Result<Pass> {
        let inner = &self.inner;
        if inner.running.get() >= RUNNING_MAX {
            if inner.waiting.get() >= WAITING_MAX + EXPECTED_MAX {
                return Err(self.refuse(pressure));
            }
            let _waiting = Waiting::begin(inner);
            while inner.running.get() >= RUNNING_MAX {
                inner.freed.wait().await;
            }
            let pass = Pass::of(inner);
            // Searches that ran in turns end together, and as many begin: whoever comes meanwhile is heard before all of these.
            rt::give_way().await;
            return Ok(pass);
        }
        Ok(Pass::of(inner))
    }

    #[cold]
    fn refuse(&self, pressure: Option<&Pressure>) -> Error {
        let inner = &self.inner;
        inner.rejected.set(inner.rejected.get() + 1);
        if let Some(pressure) = pressure {
            pressure.refused(inner.waiting.get() as f64, inner.rate.borrow().per_second());
        }
        rejected_search(inner.waiting.get())
    }
}

/// The error of a search that found no place, as so many wait.
pub fn rejected_search(waiting: usize) -> Error {
    Error::new(
        ErrorKind::RejectedExecution,
        format!(
            "rejected execution of a search on the pool [name = search, queue capacity = {WAITING_MAX}, [Running, pool size = \
             {RUNNING_MAX}, active threads = {RUNNING_MAX}, queued tasks = {waiting}]]"
        ),
    )
}

impl Inner {
    fn wait(&self, waiting: usize) {
        self.waiting.set(waiting);
        if let Some((pressure, core)) = self.shown.get() {
            pressure.bookings.searches(*core).set_waiting(waiting);
        }
    }
}

/// Counts a search as waiting, also when its client goes away meanwhile.
struct Waiting<'a>(&'a Inner);

impl<'a> Waiting<'a> {
    fn begin(inner: &'a Inner) -> Self {
        inner.wait(inner.waiting.get() + 1);
        Self(inner)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.wait(self.0.waiting.get() - 1);
    }
}

impl Pass {
    fn of(inner: &Rc<Inner>) -> Self {
        inner.running.set(inner.running.get() + 1);
        Self(inner.clone())
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let inner = &self.0;
        inner.running.set(inner.running.get() - 1);
        inner.completed.set(inner.completed.get() + 1);
        inner.rate.borrow_mut().count(1.0, inner.began.elapsed());
        if let Some((pressure, core)) = inner.shown.get() {
            pressure.bookings.done(pressure.bookings.searches(*core));
        }
        if inner.waiting.get() > 0 {
            inner.freed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL_MAX: usize = WAITING_MAX + EXPECTED_MAX;

    #[test]
    fn searches_run_wait_and_are_refused() {
        rt::block_on(|| async {
            let gate = SearchGate::default();
            let pressure = Arc::new(Pressure::default());
            gate.show(pressure.clone(), 1);
            let mut passes = vec![];
            for _ in 0..RUNNING_MAX {
                passes.push(gate.enter(None).await.unwrap());
            }
            let enter = || {
                let gate = gate.clone();
                rt::spawn(async move { gate.enter(None).await.map(drop) })
            };
            let waiting: Vec<_> = (0..ALL_MAX).map(|_| enter()).collect();
            rt::yield_now().await;
            assert_eq!(gate.figures().waiting, ALL_MAX);
            assert_eq!(pressure.bookings.searches(1).waiting(), ALL_MAX);
            let refused = gate.enter(Some(&pressure)).await.err().unwrap();
            assert_eq!((refused.kind(), refused.status()), (ErrorKind::RejectedExecution, 429));
            drop(passes);
            for task in waiting {
                task.await.unwrap();
            }
            let figures = gate.figures();
            assert_eq!((figures.running, figures.waiting, figures.rejected), (0, 0, 1));
            assert_eq!(figures.completed, (RUNNING_MAX + ALL_MAX) as u64);
        });
    }
}
