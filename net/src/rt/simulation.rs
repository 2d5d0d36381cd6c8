//! A core in a made-up world, for tests: its disk is simulated, its clock moves only when there is nothing left to do, and whatever
//! chance decides comes from one seed. A run of the same seed takes the same steps, so what went wrong once goes wrong again.
//!
//! Simulated are time as the executor has it (timers, turns, when to give way), files, and `offload`, which runs in place. Sockets are
//! not: nothing comes in from outside.

use std::{
    cell::{Cell, RefCell},
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{core::Core, executor::Executor, file::SimulatedDisk, remote::Inbox};

/// What one poll of a task takes.
const STEP: Duration = Duration::from_micros(1);

/// One poll in this many finds that somebody else wants the core.
const PREEMPT_ONE_IN: u64 = 8;

/// What a simulated core has in place of a clock and a disk.
pub(super) struct Simulation {
    pub disk: SimulatedDisk,
    start: Instant,
    passed: Cell<Duration>,
    random: RefCell<Random>,
}

impl Simulation {
    fn new(disk: SimulatedDisk, seed: u64) -> Self {
        let random = RefCell::new(Random::new(seed));
        Self { disk, start: Instant::now(), passed: Cell::default(), random }
    }

    pub fn now(&self) -> Instant {
        self.start + self.passed.get()
    }

    pub fn wants_core(&self) -> bool {
        self.random.borrow_mut().below(PREEMPT_ONE_IN) == 0
    }

    /// One round of a simulated core: the timers that have ended, and either the tasks that are ready, or a leap to the next timer.
    ///
    /// # Panics
    /// When nothing can ever happen again: then whoever is waited for has been forgotten.
    pub fn turn(&self, core: &Core) {
        core.timers.fire(self.now());
        let ready = core.queue.len();
        if ready == 0 {
            let next = core.timers.next().expect("a task waits for something that nobody will do");
            self.passed.set(self.passed.get().max(next.saturating_duration_since(self.start)));
            return;
        }
        for _ in 0..ready {
            let Some(next) = core.queue.pop() else { return };
            let Some(task) = core.live.get(next) else { continue };
            core.class.set(next.class);
            task.run();
            core.queue.account(next.class, STEP);
            self.passed.set(self.passed.get() + STEP);
        }
    }
}

/// Runs a future on a simulated core of its own, and returns its result. The disk stays with the caller, as the run has left it.
///
/// # Panics
/// When the executor cannot be made, or when `f` panics.
pub fn simulate<T, F, Fut>(disk: &SimulatedDisk, seed: u64, f: F) -> T
where
    T: Send + 'static,
    F: FnOnce() -> Fut + Send + 'static,
    Fut: Future<Output = T> + 'static,
{
    let result = Arc::new(Mutex::new(None));
    let (slot, disk) = (result.clone(), disk.clone());
    let body = move || {
        let executor = Executor::new().expect("an executor can be made").simulated(Simulation::new(disk, seed));
        let (inbox, posts) = Inbox::new();
        executor.run(0, inbox, posts, async move {
            let value = f().await;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        })
    };
    let ended = thread::Builder::new().name("pith-simulated".into()).spawn(body).expect("a thread can be made").join();
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(panicked)) => panic!("{panicked}"),
        Err(payload) => std::panic::resume_unwind(payload),
    }
    let value = result.lock().unwrap_or_else(PoisonError::into_inner).take();
    value.expect("main ended without a panic")
}

/// Numbers that look random and follow from a seed (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to, not including, `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt;

    #[test]
    fn time_passes_only_when_nothing_is_left_to_do() {
        let real = Instant::now();
        let order = simulate(&SimulatedDisk::new(1), 1, || async {
            let order = std::rc::Rc::new(RefCell::new(vec![]));
            let late = {
                let order = order.clone();
                rt::spawn(async move {
                    rt::sleep(Duration::from_secs(3600)).await;
                    order.borrow_mut().push("an hour");
                })
            };
            assert_eq!(rt::timeout(Duration::from_secs(60), std::future::pending::<()>()).await, None);
            order.borrow_mut().push("a minute");
            assert_eq!(rt::offload(|| 7).await, 7);
            late.await;
            order.take()
        });
        assert_eq!(order, ["a minute", "an hour"]);
        assert!(real.elapsed() < Duration::from_secs(30));
    }
}
