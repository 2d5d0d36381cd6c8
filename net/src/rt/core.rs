//! What one core knows of itself. Lives in a thread-local for as long as the core's `main` runs.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
};

use glommio::TaskQueueHandle;

use super::{remote::Inbox, signal::Waiters, stall::Meter, task::AnyTask, vigil::Polls};

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
    pub latency: TaskQueueHandle,
    pub background: TaskQueueHandle,
    pub live: Live,
    pub inbox: Arc<Inbox>,
    pub meter: Meter,
    pub polls: Polls,
    pub stop_waiters: Waiters,
}

/// All tasks that are not finished, so that their futures can be dropped inside the executor before it ends: glommio
/// would drop them after it, where a timer or a file in them has no reactor to talk to.
#[derive(Default)]
pub(super) struct Live {
    slots: RefCell<Vec<Option<Rc<dyn AnyTask>>>>,
    free: RefCell<Vec<usize>>,
    closing: Cell<bool>,
}

impl Live {
    /// Registers a task and returns its slot, or `None` when the core is ending and nothing new may start.
    pub fn insert(&self, task: Rc<dyn AnyTask>) -> Option<usize> {
        if self.closing.get() {
            return None;
        }
        let mut slots = self.slots.borrow_mut();
        let slot = self.free.borrow_mut().pop().unwrap_or_else(|| {
            slots.push(None);
            slots.len() - 1
        });
        slots[slot] = Some(task);
        Some(slot)
    }

    pub fn remove(&self, slot: usize) {
        let gone = self.slots.borrow_mut()[slot].take();
        if gone.is_some() {
            self.free.borrow_mut().push(slot);
        }
        // Dropped after the borrows have ended: the last reference may run the destructor of a result.
        drop(gone);
    }

    /// Drops the future of every live task. What their destructors spawn is refused.
    pub fn close(&self) {
        self.closing.set(true);
        let tasks = self.slots.take();
        for task in tasks.into_iter().flatten() {
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
