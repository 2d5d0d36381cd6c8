//! How many searches a core works on at once. Those that come beyond that wait, and those that come beyond these are refused, so
//! that what is let in is answered in bounded time.

use crate::observe::pressure::{Pressure, Rate};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt::Notify;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

/// Searches (of all shards of a request together) that share the core.
const RUNNING_MAX: usize = 64;
/// Searches that wait for their turn, as many as the reference lets wait.
const WAITING_MAX: usize = 1000;

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
        };
        Self { inner: Rc::new(inner) }
    }
}

impl SearchGate {
    pub fn figures(&self) -> GateFigures {
        let Inner { running, waiting, completed, rejected, .. } = &*self.inner;
        GateFigures {
            running: running.get(),
            waiting: waiting.get(),
            completed: completed.get(),
            rejected: rejected.get(),
        }
    }

    /// Lets a search in, when it is its turn.
    pub async fn enter(&self, pressure: Option<&Pressure>) -> Result<Pass> {
        let inner = &self.inner;
        if inner.running.get() >= RUNNING_MAX {
            if inner.waiting.get() >= WAITING_MAX {
                return Err(self.refuse(pressure));
            }
            let _waiting = Waiting::begin(inner);
            while inner.running.get() >= RUNNING_MAX {
                inner.freed.wait().await;
            }
        }
        inner.running.set(inner.running.get() + 1);
        Ok(Pass(inner.clone()))
    }

    #[cold]
    fn refuse(&self, pressure: Option<&Pressure>) -> Error {
        let inner = &self.inner;
        inner.rejected.set(inner.rejected.get() + 1);
        if let Some(pressure) = pressure {
            pressure.refused(inner.waiting.get() as f64, inner.rate.borrow().per_second());
        }
        let GateFigures { running, waiting, completed, .. } = self.figures();
        Error::new(
            ErrorKind::RejectedExecution,
            format!(
                "rejected execution of a search on the pool [name = search, queue capacity = {WAITING_MAX}, [Running, pool size = \
                 {RUNNING_MAX}, active threads = {running}, queued tasks = {waiting}, completed tasks = {completed}]]"
            ),
        )
    }
}

/// Counts a search as waiting, also when its client goes away meanwhile.
struct Waiting<'a>(&'a Inner);

impl<'a> Waiting<'a> {
    fn begin(inner: &'a Inner) -> Self {
        inner.waiting.set(inner.waiting.get() + 1);
        Self(inner)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.set(self.0.waiting.get() - 1);
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let inner = &self.0;
        inner.running.set(inner.running.get() - 1);
        inner.completed.set(inner.completed.get() + 1);
        inner.rate.borrow_mut().count(1.0, inner.began.elapsed());
        if inner.waiting.get() > 0 {
            inner.freed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_net::rt;

    #[test]
    fn searches_run_wait_and_are_refused() {
        rt::block_on(|| async {
            let gate = SearchGate::default();
            let pressure = Pressure::default();
            let mut passes = vec![];
            for _ in 0..RUNNING_MAX {
                passes.push(gate.enter(None).await.unwrap());
            }
            let enter = || {
                let gate = gate.clone();
                rt::spawn(async move { gate.enter(None).await.map(drop) })
            };
            let waiting: Vec<_> = (0..WAITING_MAX).map(|_| enter()).collect();
            rt::yield_now().await;
            assert_eq!(gate.figures().waiting, WAITING_MAX);
            let refused = gate.enter(Some(&pressure)).await.err().unwrap();
            assert_eq!((refused.kind(), refused.status()), (ErrorKind::RejectedExecution, 429));
            drop(passes);
            for task in waiting {
                task.await.unwrap();
            }
            let figures = gate.figures();
            assert_eq!((figures.running, figures.waiting, figures.rejected), (0, 0, 1));
            assert_eq!(figures.completed, (RUNNING_MAX + WAITING_MAX) as u64);
        });
    }
}
