//! Blocking work, on threads that are not cores.
//!
//! One thread more than there is work waits, up to a bound, and ends after a while without work. Handing work over
//! takes no lock: the channel is lock-free, and the lock around its receiving end is for the pool's own threads.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Mutex, Once, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use super::{core, run::STACK_BYTES, shell::shell};

/// Blocking calls that run at once; more wait their turn.
const THREADS_MAX: usize = 32;

/// How long a thread waits for its next piece of work.
const IDLE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

/// Runs `f` on a thread where it may block, and returns its result. `f` runs to its end even when the future is dropped.
/// A panic in `f` continues in the task that awaits it. Costs two changes of thread, some 50 µs.
pub async fn offload<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    if core::try_with(|core| core.simulation.is_some()) == Some(true) {
        return f();
    }
    let (filler, filled) = shell();
    pool().submit(Box::new(move || filler.fill(catch_unwind(AssertUnwindSafe(f)))));
    match filled.await.expect("a job runs to its end") {
        Ok(value) => value,
        Err(payload) => resume_unwind(payload),
    }
}

struct Pool {
    jobs: Sender<Job>,
    /// Held by one idle thread, which waits for a job; other idle ones queue for the lock.
    queue: Mutex<Receiver<Job>>,
    threads: AtomicUsize,
    idle: AtomicUsize,
}

/// Makes sure that the pool runs, so that no core has to start its first thread.
pub(super) fn prepare() {
    pool();
}

fn pool() -> &'static Pool {
    static POOL: OnceLock<Pool> = OnceLock::new();
    static STARTED: Once = Once::new();
    let pool = POOL.get_or_init(|| {
        let (jobs, queue) = mpsc::channel();
        Pool { jobs, queue: Mutex::new(queue), threads: AtomicUsize::new(0), idle: AtomicUsize::new(0) }
    });
    STARTED.call_once(|| pool.start_thread());
    pool
}

impl Pool {
    fn submit(&self, job: Job) {
        self.jobs.send(job).expect("the pool lives as long as the process");
    }

    fn start_thread(&'static self) {
        self.threads.fetch_add(1, SeqCst);
        self.idle.fetch_add(1, SeqCst);
        let started = thread::Builder::new().name("pith-offload".into()).stack_size(STACK_BYTES).spawn(|| self.work());
        if let Err(error) = started {
            self.idle.fetch_sub(1, SeqCst);
            let others = self.threads.fetch_sub(1, SeqCst) - 1;
            tracing::error!("cannot start a thread for blocking work, {others} are running: {error}");
        }
    }

    /// One thread, counted as idle when it starts. Whoever takes a job from the last idle thread starts another: starting a thread
    /// can take milliseconds while others change the address space, and no core shall wait for that.
    fn work(&'static self) {
        loop {
            // A poisoned lock is impossible to misuse here: the receiver has no state of ours.
            let job = self.queue.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(IDLE);
            match job {
                Ok(job) => {
                    if self.idle.fetch_sub(1, SeqCst) == 1 && self.threads.load(SeqCst) < THREADS_MAX {
                        self.start_thread();
                    }
                    job();
                    self.idle.fetch_add(1, SeqCst);
                }
                // The last idle thread stays.
                Err(_) if self.idle.fetch_sub(1, SeqCst) == 1 => {
                    self.idle.fetch_add(1, SeqCst);
                }
                Err(_) => {
                    self.threads.fetch_sub(1, SeqCst);
                    return;
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
