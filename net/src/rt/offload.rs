//! Blocking work, on threads that are not cores.
//!
//! Threads start when there is more work than threads, up to a bound, and end after a while without work. Handing work over
//! takes no lock: the channel is lock-free, and the lock around its receiving end is for the pool's own threads.

use std::{
    any::Any,
    cell::UnsafeCell,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use super::bell::Bell;

/// Blocking calls that run at once; more wait their turn.
const THREADS_MAX: usize = 32;

/// How long a thread waits for its next piece of work.
const IDLE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

/// Runs `f` on a thread where it may block, and returns its result. `f` runs to its end even when the future is dropped.
/// A panic in `f` continues in the task that awaits it. Costs two changes of thread, some 50 µs.
pub async fn offload<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    let shell = Arc::new(Shell { done: AtomicBool::new(false), value: UnsafeCell::new(None), bell: Bell::new() });
    let filled = shell.clone();
    pool().submit(Box::new(move || filled.fill(catch_unwind(AssertUnwindSafe(f)))));
    match shell.wait().await {
        Ok(value) => value,
        Err(payload) => resume_unwind(payload),
    }
}

/// Carries one result from a pool thread to the task that awaits it.
struct Shell<T> {
    done: AtomicBool,
    /// Written by the pool thread before `done`, taken by the awaiting task after it.
    value: UnsafeCell<Option<Result<T, Box<dyn Any + Send>>>>,
    bell: Bell,
}

// SAFETY: `done` hands the cell from the one writer to the one reader, so a `T` that may change threads suffices.
unsafe impl<T: Send> Sync for Shell<T> {}

impl<T> Shell<T> {
    fn fill(&self, value: Result<T, Box<dyn Any + Send>>) {
        // SAFETY: called once, by the thread that runs the job; the reader looks only after `done`.
        unsafe { *self.value.get() = Some(value) };
        self.done.store(true, SeqCst);
        self.bell.ring();
    }

    async fn wait(&self) -> Result<T, Box<dyn Any + Send>> {
        poll_fn(|cx| self.bell.poll_sleep(cx, || self.done.load(SeqCst).then_some(()))).await;
        // SAFETY: `done` was seen, so the writer has finished; this is the only reader.
        unsafe { (*self.value.get()).take() }.expect("filled once, taken once")
    }
}

struct Pool {
    jobs: Sender<Job>,
    /// Held by the one idle thread that waits for a job; the other idle ones queue for the lock.
    queue: Mutex<Receiver<Job>>,
    threads: AtomicUsize,
    /// Jobs that were submitted and have not ended.
    pending: AtomicUsize,
}

fn pool() -> &'static Pool {
    static POOL: OnceLock<Pool> = OnceLock::new();
    POOL.get_or_init(|| {
        let (jobs, queue) = mpsc::channel();
        Pool { jobs, queue: Mutex::new(queue), threads: AtomicUsize::new(0), pending: AtomicUsize::new(0) }
    })
}

impl Pool {
    fn submit(&'static self, job: Job) {
        let pending = self.pending.fetch_add(1, SeqCst) + 1;
        self.jobs.send(job).expect("the pool lives as long as the process");
        let threads = self.threads.load(SeqCst);
        if pending > threads && threads < THREADS_MAX {
            self.threads.fetch_add(1, SeqCst);
            let started = thread::Builder::new().name("pith-offload".into()).spawn(|| self.work());
            if let Err(error) = started {
                let others = self.threads.fetch_sub(1, SeqCst) - 1;
                tracing::error!("cannot start a thread for blocking work, {others} are running: {error}");
            }
        }
    }

    fn work(&self) {
        loop {
            // A poisoned lock is impossible to misuse here: the receiver has no state of ours.
            let job = self.queue.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(IDLE);
            match job {
                Ok(job) => {
                    job();
                    self.pending.fetch_sub(1, SeqCst);
                }
                Err(_) => {
                    // Leave first, then look again: a submitter that still counted on this thread is seen here, one that
                    // comes later sees that the thread is gone.
                    self.threads.fetch_sub(1, SeqCst);
                    if self.pending.load(SeqCst) == 0 {
                        return;
                    }
                    self.threads.fetch_add(1, SeqCst);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt;

    #[test]
    fn blocking_work_leaves_the_core_free() {
        rt::block_on(|| async {
            let slow: Vec<_> = (0..4u64)
                .map(|i| {
                    rt::spawn(offload(move || {
                        thread::sleep(Duration::from_millis(50));
                        i
                    }))
                })
                .collect();
            let start = std::time::Instant::now();
            rt::sleep(Duration::from_millis(1)).await;
            assert!(start.elapsed() < Duration::from_millis(45));
            let mut sum = 0;
            for task in slow {
                sum += task.await;
            }
            assert_eq!(sum, 6);
        });
    }

    #[test]
    fn a_panic_reaches_the_awaiting_task() {
        let joined = rt::block_on(|| async { rt::spawn(offload(|| -> () { panic!("in the pool") })).join().await });
        assert_eq!(joined, Err(rt::Panicked("in the pool".into())));
    }
}
