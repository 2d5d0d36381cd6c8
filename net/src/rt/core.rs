//! What one core knows of itself. Lives in a thread-local for as long as the core's `main` runs.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
    time::Instant,
};

use super::{
    busy::BusyMeter,
    figures::{Figures, Stretches},
    home::Home,
    reactor::Reactor,
    remote::Inbox,
    run_queue::{Ready, RunQueue},
    signal::Waiters,
    simulation::Simulation,
    stall::Meter,
    task::{AnyTask, Class},
    timers::Timers,
};

thread_local! {
    static CORE: RefCell<Option<Rc<Core>>> = const { RefCell::new(None) };
}

/// The number of the executor that this code runs on, as given to `main` by [`super::run`].
///
/// # Panics
/// Outside an executor; ask [`on_core`] first where that can be.
pub fn current_core() -> usize {
    with(|core| core.index)
}

/// True inside an executor started by [`super::run`].
pub fn on_core() -> bool {
    CORE.with(|slot| slot.borrow().is_some())
}

pub(super) struct Core {
    pub index: usize,
    pub home: Arc<Home>,
    pub reactor: Reactor,
    pub timers: Timers,
    pub queue: RunQueue,
    pub live: Live,
    /// The class of the task that runs.
    pub class: Cell<Class>,
    /// When the task that runs got the core, and when it is asked to give way.
    pub task_began: Cell<Instant>,
    pub turn_end: Cell<Instant>,
    pub inbox: Arc<Inbox>,
    pub meter: Meter,
    pub busy: BusyMeter,
    pub figures: Cell<Figures>,
    pub stretches: Stretches,
    pub stop_waiters: Waiters,
    /// In place of the clock and the disk, for tests.
    pub simulation: Option<Simulation>,
}

impl Core {
    /// Whether something came for this core that nobody has looked at.
    pub fn has_news(&self) -> bool {
        self.home.has_inbound() || self.reactor.has_answers()
    }

    /// Whether the task that runs has had its time.
    pub fn has_had_its_time(&self, now: Instant) -> bool {
        now >= self.turn_end.get() || now >= self.task_began.get() + self.queue.patience()
    }
}

/// All tasks that are not finished. Wakers name a task by its slot and the slot's generation; the core's end drops all futures here.
#[derive(Default)]
pub(super) struct Live {
    slots: RefCell<Vec<Slot>>,
    free: RefCell<Vec<u32>>,
    closing: Cell<bool>,
}

#[derive(Default)]
struct Slot {
    generation: u32,
    task: Option<Rc<dyn AnyTask>>,
}

impl Live {
    /// Registers the task that `make` makes for its place; `None` when the core is ending and nothing new may start.
    pub fn insert<T: AnyTask + 'static>(&self, class: Class, make: impl FnOnce(Ready) -> Rc<T>) -> Option<Rc<T>> {
        if self.closing.get() {
            return None;
        }
        let mut slots = self.slots.borrow_mut();
        let index = self.free.borrow_mut().pop().unwrap_or_else(|| {
            slots.push(Slot::default());
            u32::try_from(slots.len() - 1).expect("memory ends long before four billion tasks")
        });
        let slot = &mut slots[index as usize];
        let task = make(Ready { slot: index, generation: slot.generation, class });
        slot.task = Some(task.clone());
        Some(task)
    }

    /// The task, unless it has finished.
    pub fn get(&self, ready: Ready) -> Option<Rc<dyn AnyTask>> {
        let slots = self.slots.borrow();
        let slot = slots.get(ready.slot as usize)?;
        if slot.generation == ready.generation { slot.task.clone() } else { None }
    }

    pub fn remove(&self, index: u32) {
        let mut slots = self.slots.borrow_mut();
        let Some(slot) = slots.get_mut(index as usize) else { return };
        let gone = slot.task.take();
        if gone.is_some() {
            slot.generation = slot.generation.wrapping_add(1);
            self.free.borrow_mut().push(index);
        }
        drop(slots);
        // Dropped after the borrows have ended: the last reference may run the destructor of a result.
        drop(gone);
    }

    /// Drops the future of every live task. What their destructors spawn is refused.
    pub fn close(&self) {
        self.closing.set(true);
        let slots = self.slots.take();
        for task in slots.into_iter().filter_map(|slot| slot.task) {
            task.close();
        }
    }
}

pub(super) fn enter(core: Core) -> Rc<Core> {
    let core = Rc::new(core);
    CORE.with(|slot| {
        let previous = slot.borrow_mut().replace(core.clone());
        assert!(previous.is_none(), "one core per thread");
    });
    core
}

/// The time as the tasks of this core have it.
pub(super) fn now() -> Instant {
    try_with(|core| core.simulation.as_ref().map(Simulation::now)).flatten().unwrap_or_else(Instant::now)
}

pub(super) fn leave() {
    CORE.with(|slot| slot.borrow_mut().take());
}

/// The core of this thread, or `None` outside an executor.
pub(super) fn try_with<R>(f: impl FnOnce(&Rc<Core>) -> R) -> Option<R> {
    CORE.with(|slot| slot.borrow().as_ref().map(f))
}

#[track_caller]
pub(super) fn with<R>(f: impl FnOnce(&Rc<Core>) -> R) -> R {
    try_with(f).expect("called outside an executor started by rt::run")
}
