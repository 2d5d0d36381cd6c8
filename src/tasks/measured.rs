//! A future that runs as a task.

use super::registry::{Running, Task};
use super::usage::Meter;
use crate::security::acting;
use pith_engine::{Error, ErrorKind, Result};
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

thread_local! {
    static CURRENT: RefCell<Option<Rc<Task>>> = const { RefCell::new(None) };
}

/// The task that runs on this core right now.
pub fn current() -> Option<Rc<Task>> {
    CURRENT.with_borrow(Clone::clone)
}

/// The error of a task that somebody cancelled.
#[cold]
pub fn cancelled_error() -> Error {
    Error::new(ErrorKind::TaskCancelled, "cancelled task with reason: by user request")
}

/// Ends what the current task does if the task was cancelled.
pub fn check_cancelled() -> Result<()> {
    match CURRENT.with_borrow(|task| task.as_ref().is_some_and(|task| task.is_cancelled())) {
        true => Err(cancelled_error()),
        false => Ok(()),
    }
}

/// Gives up as soon as the current task is cancelled, whatever `work` waits for.
pub async fn within_task<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let Some(task) = current() else { return work.await };
    let cancelled = async {
        task.cancelled().await;
        Err(cancelled_error())
    };
    futures_lite::future::or(work, cancelled).await
}

/// Runs a future as a task, which ends with it.
pub struct Measured<F> {
    running: Running,
    future: F,
}

impl<F: Future + Unpin> Measured<F> {
    pub fn new(running: Running, future: F) -> Self {
        Self { running, future }
    }
}

impl<F: Future + Unpin> Future for Measured<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let task = self.running.task().clone();
        let _acting = task.subject.is_some().then(|| acting::Entered::enter(task.subject.clone()));
        let entered = Entered::enter(task.clone());
        let meter = Meter::start();
        task.begin_run(meter);
        let polled = Pin::new(&mut self.future).poll(cx);
        task.end_run();
        // What runs inside another task of this core is counted with that.
        if entered.before.is_none() {
            task.holds(meter.held());
        }
        polled
    }
}

/// Makes a task the current one for as long as it lives, also when what runs panics.
struct Entered {
    before: Option<Rc<Task>>,
}

impl Entered {
    fn enter(task: Rc<Task>) -> Self {
        Self { before: CURRENT.replace(Some(task)) }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.before.take());
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NewTask, Tasks};
    use super::*;
    use futures_lite::future::block_on;

    #[test]
    fn what_runs_inside_knows_its_task() {
        let tasks = Tasks::new(3);
        let running = tasks.begin(NewTask::request("a", None));
        let id = running.task().id;
        let seen = Measured::new(running, Box::pin(async { current().map(|task| task.id) }));
        assert_eq!(block_on(seen), Some(id));
        assert!(current().is_none());
        assert!(tasks.list().is_empty());
    }

    #[test]
    fn a_cancelled_task_is_told() {
        let tasks = Tasks::new(0);
        let running = tasks.begin(NewTask::request("a", None).cancellable());
        tasks.cancel(&[running.task().id]);
        let checked = Measured::new(running, Box::pin(async { check_cancelled() }));
        assert_eq!(block_on(checked).unwrap_err().kind(), ErrorKind::TaskCancelled);
        assert!(check_cancelled().is_ok());
    }
}
