//! Tasks of one core. A task that panics ends alone: the panic is caught around every poll, logged and counted, and
//! shows up again only in whoever waits for the task's result.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    fmt,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
};

use super::{core, home::TaskWaker};

static PANICS: AtomicU64 = AtomicU64::new(0);

/// How often a task or an offloaded closure has panicked since the process started.
pub fn panics() -> u64 {
    PANICS.load(Ordering::Relaxed)
}

/// The task queue that a task runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Network and search: runs soon, and asks others for the core after a millisecond.
    Latency,
    /// Flush and merge: gets what is left, and a fifth of the core when the other queue is never empty.
    Background,
}

/// Starts a task in the queue of the task that calls. It is first polled after the caller yields.
///
/// # Panics
/// Outside an executor.
pub fn spawn<T: 'static>(fut: impl Future<Output = T> + 'static) -> Task<T> {
    spawn_in(core::with(|core| core.class.get()), fut)
}

/// Starts a task in the queue named by `class`.
///
/// # Panics
/// Outside an executor.
pub fn spawn_in<T: 'static>(class: Class, fut: impl Future<Output = T> + 'static) -> Task<T> {
    let inner = core::with(|core| {
        let mut future = Some(fut);
        let task = core.live.insert(class, |ready| {
            core.queue.push(ready);
            let signal = Arc::new(TaskWaker::new(core.home.clone(), ready));
            Rc::new(Inner {
                future: RefCell::new(future.take()),
                result: Cell::new(None),
                finished: Cell::new(false),
                cancelled: Cell::new(false),
                joiner: Cell::new(None),
                waker: signal.clone().into(),
                signal,
                slot: Cell::new(Some(ready.slot)),
            })
        });
        // Destructors may come back to the core: not in here.
        (task, future)
    });
    match inner {
        (Some(task), _) => Task { inner: Some(task) },
        // The core is ending: like a task that was cancelled at once.
        (None, future) => {
            drop(future);
            Task { inner: Some(Rc::new(Never)) }
        }
    }
}

/// A running task; a future of its result. Dropping it cancels the task at once: its future is dropped before
/// `drop` returns (or, when a task drops its own handle, at the end of that poll).
///
/// Awaiting a task that panicked panics as well; [`Task::join`] returns the panic instead.
#[must_use = "dropping a task cancels it; call detach() to let it run"]
pub struct Task<T: 'static> {
    inner: Option<Rc<dyn Joinable<T>>>,
}

impl<T: 'static> Task<T> {
    /// Lets the task run to its end; its result is dropped.
    pub fn detach(mut self) {
        self.inner = None;
    }

    /// Waits for the end of the task and tells whether it panicked.
    pub async fn join(self) -> Result<T, Panicked> {
        poll_fn(|cx| self.inner.as_ref().expect("only detach and drop take it").poll_join(cx)).await
    }

    pub fn is_finished(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| inner.is_finished())
    }
}

impl<T: 'static> Future for Task<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let inner = self.inner.as_ref().expect("only detach and drop take it");
        inner.poll_join(cx).map(|result| match result {
            Ok(value) => value,
            Err(panicked) => panic!("{panicked}"),
        })
    }
}

impl<T: 'static> Drop for Task<T> {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.take() {
            inner.cancel();
        }
    }
}

/// The task panicked; the text is the panic's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked(pub String);

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task panicked: {}", self.0)
    }
}

impl std::error::Error for Panicked {}

/// What the core needs of a task.
pub(super) trait AnyTask {
    fn run(&self);
    fn close(&self);
    /// For the log.
    fn name(&self) -> &'static str;
}

trait Joinable<T> {
    fn poll_join(&self, cx: &mut Context<'_>) -> Poll<Result<T, Panicked>>;
    fn is_finished(&self) -> bool;
    fn cancel(&self);
}

struct Inner<F: Future> {
    /// `None` once finished or cancelled.
    future: RefCell<Option<F>>,
    result: Cell<Option<Result<F::Output, Panicked>>>,
    finished: Cell<bool>,
    /// Set while borrowed by a poll: the poll then drops the future at its end.
    cancelled: Cell<bool>,
    joiner: Cell<Option<Waker>>,
    /// Made once, of `signal`.
    waker: Waker,
    signal: Arc<TaskWaker>,
    slot: Cell<Option<u32>>,
}

/// A task that was refused.
struct Never;

impl<T> Joinable<T> for Never {
    fn poll_join(&self, _: &mut Context<'_>) -> Poll<Result<T, Panicked>> {
        Poll::Pending
    }

    fn is_finished(&self) -> bool {
        true
    }

    fn cancel(&self) {}
}

impl<F: Future> Inner<F> {
    fn poll_guarded(&self) {
        let outcome = {
            let Ok(mut borrowed) = self.future.try_borrow_mut() else { return };
            let Some(future) = borrowed.as_mut() else { return };
            self.signal.begin();
            // SAFETY: the future sits in an `Rc` that this task shares and is only ever dropped in place (by assigning
            // `None`), never moved, from its first poll on. Before its first poll nothing relied on its place.
            let future = unsafe { Pin::new_unchecked(future) };
            catch_unwind(AssertUnwindSafe(|| future.poll(&mut Context::from_waker(&self.waker))))
        };
        match outcome {
            Ok(Poll::Pending) if self.cancelled.get() => self.finish(None),
            Ok(Poll::Pending) => {}
            Ok(Poll::Ready(value)) => self.finish(Some(Ok(value))),
            Err(payload) => self.finish(Some(Err(report_panic(payload, "task")))),
        }
    }

    /// Drops the future, publishes the result and forgets the slot.
    fn finish(&self, result: Option<Result<F::Output, Panicked>>) {
        self.finished.set(true);
        if !self.cancelled.get() {
            self.result.set(result);
        } else {
            drop(result);
        }
        self.drop_future();
        if let Some(slot) = self.slot.take() {
            core::try_with(|core| core.live.remove(slot));
        }
        if let Some(joiner) = self.joiner.take() {
            joiner.wake();
        }
    }

    fn drop_future(&self) {
        if let Ok(mut future) = self.future.try_borrow_mut()
            && let Err(payload) = catch_unwind(AssertUnwindSafe(|| *future = None))
        {
            report_panic(payload, "destructor of a task");
        }
    }
}

impl<F: Future> Joinable<F::Output> for Inner<F> {
    fn poll_join(&self, cx: &mut Context<'_>) -> Poll<Result<F::Output, Panicked>> {
        if let Some(result) = self.result.take() {
            return Poll::Ready(result);
        }
        self.joiner.set(Some(cx.waker().clone()));
        Poll::Pending
    }

    fn is_finished(&self) -> bool {
        self.finished.get()
    }

    fn cancel(&self) {
        if self.finished.get() || self.cancelled.replace(true) {
            // Nobody will ask for the result any more.
            self.result.take();
            return;
        }
        if self.future.try_borrow_mut().is_err() {
            // The task is cancelling itself from inside its own poll, which will see the flag at its end.
            return;
        }
        self.finish(None);
    }
}

impl<F: Future> AnyTask for Inner<F> {
    fn run(&self) {
        self.poll_guarded();
    }

    fn close(&self) {
        self.slot.take();
        self.cancel();
    }

    fn name(&self) -> &'static str {
        std::any::type_name::<F>()
    }
}

/// Counts and logs a caught panic, and turns its payload into text.
pub(crate) fn report_panic(payload: Box<dyn Any + Send>, what: &str) -> Panicked {
    PANICS.fetch_add(1, Ordering::Relaxed);
    let message = panic_message(payload.as_ref());
    match core::try_with(|core| core.index) {
        Some(core) => tracing::error!(core, "{what} panicked: {message}"),
        None => tracing::error!("{what} panicked: {message}"),
    }
    Panicked(message)
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "no message".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt;
    use std::time::Duration;

    #[test]
    fn a_task_returns_its_value() {
        assert_eq!(rt::block_on(|| async { spawn(async { 6 * 7 }).await }), 42);
    }

    #[test]
    fn a_panic_ends_its_task_only() {
        let (joined, after) = rt::block_on(|| async {
            let task = spawn(async {
                rt::yield_now().await;
                panic!("on purpose");
            });
            let joined: Result<(), _> = task.join().await;
            (joined, spawn(async { 1 }).await)
        });
        assert_eq!(joined, Err(Panicked("on purpose".into())));
        assert_eq!(after, 1);
        assert!(panics() > 0);
    }

    #[test]
    fn dropping_a_task_drops_its_future_at_once() {
        struct Flag(Rc<Cell<bool>>);
        impl Drop for Flag {
            fn drop(&mut self) {
                self.0.set(true);
            }
        }
        rt::block_on(|| async {
            let dropped = Rc::new(Cell::new(false));
            let flag = Flag(dropped.clone());
            let task = spawn(async move {
                let _flag = flag;
                rt::sleep(Duration::from_secs(3600)).await;
            });
            rt::yield_now().await;
            assert!(!dropped.get());
            drop(task);
            assert!(dropped.get());
        });
    }

    #[test]
    fn tasks_left_over_are_dropped_before_the_core_ends() {
        // Timers and inboxes in them would otherwise be dropped without a reactor.
        rt::block_on(|| async {
            for _ in 0..100 {
                spawn(async { rt::sleep(Duration::from_secs(3600)).await }).detach();
                spawn_in(Class::Background, async { rt::sleep(Duration::from_secs(3600)).await }).detach();
            }
            rt::yield_now().await;
        });
    }

    #[test]
    fn background_work_that_yields_does_not_hold_up_latency() {
        rt::block_on(|| async {
            let stop = Rc::new(Cell::new(false));
            let background = spawn_in(Class::Background, {
                let stop = stop.clone();
                async move {
                    let mut x = 1u64;
                    while !stop.get() {
                        for _ in 0..10_000 {
                            x = std::hint::black_box(x.wrapping_mul(3));
                        }
                        rt::yield_if_needed().await;
                    }
                }
            });
            let begun = std::time::Instant::now();
            for _ in 0..20 {
                rt::sleep(Duration::from_millis(1)).await;
            }
            // Some 2 ms each; the rest is for machines that are busy otherwise.
            assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
            stop.set(true);
            background.await;
        });
    }
}
