//! A future that runs as a task.

use super::registry::{NewTask, Running, Task, Tasks};
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
        let measured = &mut *self;
        poll_as(&measured.running, &mut measured.future, cx)
    }
}

/// One run of a future as a task.
fn poll_as<F: Future + Unpin>(running: &Running, future: &mut F, cx: &mut Context<'_>) -> Poll<F::Output> {
    let task = running.task().clone();
    let _acting = task.subject.is_some().then(|| acting::Entered::enter(task.subject.clone()));
    let entered = Entered::enter(task.clone());
    let meter = Meter::start();
    task.begin_run(meter);
    let polled = Pin::new(future).poll(cx);
    task.end_run();
    // What runs inside another task of this core is counted with that.
    if entered.before.is_none() {
        task.holds(meter.held());
    }
    polled
}

/// Runs a future as a part of the task that runs, which is a task of its own from the first time on that it has to wait: what is done
/// at once is done before anybody could see it.
pub struct Part<F> {
    tasks: Tasks,
    new: Option<NewTask>,
    running: Option<Running>,
    future: F,
}

impl<F: Future + Unpin> Part<F> {
    pub fn new(tasks: &Tasks, new: NewTask, future: F) -> Self {
        Self { tasks: tasks.clone(), new: Some(new), running: None, future }
    }
}

impl<F: Future + Unpin> Future for Part<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let part = &mut *self;
        if let Some(running) = &part.running {
            return poll_as(running, &mut part.future, cx);
        }
        let meter = Meter::start();
        let polled = Pin::new(&mut part.future).poll(cx);
        if polled.is_pending()
            && let Some(new) = part.new.take()
        {
            let running = part.tasks.begin(new);
            running.task().count_run(meter);
            part.running = Some(running);
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
    fn a_part_is_a_task_once_it_waits() {
        let tasks = Tasks::new(0);
        let parent = tasks.begin(NewTask::request("a", None));
        let child = NewTask::child("b", Some(parent.task().as_parent()));
        let seen = Rc::new(RefCell::new(vec![]));
        let note = |seen: &Rc<RefCell<Vec<usize>>>, tasks: &Tasks| seen.borrow_mut().push(tasks.list().len());
        let (inside, all) = (seen.clone(), tasks.clone());
        let part = Part::new(
            &tasks,
            child,
            Box::pin(async move {
                note(&inside, &all);
                futures_lite::future::yield_now().await;
                note(&inside, &all);
                current().map(|task| task.info())
            }),
        );
        let info = block_on(Measured::new(parent, Box::pin(part))).expect("it runs as a task");
        assert_eq!((info.action, info.parent.is_some(), info.usage.runs), ("b", true, 1));
        assert_eq!(*seen.borrow(), [1, 2]);
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
