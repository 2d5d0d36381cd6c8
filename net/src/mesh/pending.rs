//! Calls of one core that wait for their answer.

use std::{
    cell::RefCell,
    mem,
    task::{Poll, Waker},
};

/// An id is a slot and the slot's generation, so that an answer that nobody waits for any more finds nobody.
pub(super) struct Pending<R> {
    slots: RefCell<Slots<R>>,
}

struct Slots<R> {
    slots: Vec<Slot<R>>,
    free: Vec<u32>,
}

struct Slot<R> {
    generation: u32,
    core: usize,
    state: State<R>,
}

enum State<R> {
    Free,
    Waiting(Option<Waker>),
    /// `None`: there will be no answer.
    Done(Option<R>),
}

impl<R> Default for Pending<R> {
    fn default() -> Self {
        Self { slots: RefCell::new(Slots { slots: Vec::new(), free: Vec::new() }) }
    }
}

impl<R> Pending<R> {
    /// Answers a call; `None` says that there will be no answer. Ignored when nobody waits.
    pub fn fill(&self, id: u64, r: Option<R>) {
        let mut slots = self.slots.borrow_mut();
        let waker = match slots.waiting(id) {
            Some(slot) => match mem::replace(&mut slot.state, State::Done(r)) {
                State::Waiting(waker) => waker,
                State::Free | State::Done(_) => None,
            },
            None => return,
        };
        drop(slots);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// How many calls wait.
    pub fn waiting(&self) -> usize {
        let slots = self.slots.borrow();
        slots.slots.iter().filter(|slot| matches!(slot.state, State::Waiting(_))).count()
    }

    pub fn is_waiting(&self, id: u64) -> bool {
        self.slots.borrow_mut().waiting(id).is_some()
    }

    /// No call to `core` will be answered any more.
    pub fn lose(&self, core: usize) {
        let mut slots = self.slots.borrow_mut();
        for slot in slots.slots.iter_mut().filter(|slot| slot.core == core) {
            if let State::Waiting(waker) = &mut slot.state {
                let waker = waker.take();
                slot.state = State::Done(None);
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
        }
    }
}

impl<R> Slots<R> {
    fn waiting(&mut self, id: u64) -> Option<&mut Slot<R>> {
        let slot = self.slots.get_mut(id as u32 as usize)?;
        (slot.generation == (id >> 32) as u32 && matches!(slot.state, State::Waiting(_))).then_some(slot)
    }
}

/// One call; dropping it frees its slot.
pub(super) struct Waiting<'a, R> {
    pending: &'a Pending<R>,
    id: u64,
}

impl<'a, R> Waiting<'a, R> {
    pub fn new(pending: &'a Pending<R>, core: usize) -> Self {
        let mut slots = pending.slots.borrow_mut();
        let index = slots.free.pop().unwrap_or_else(|| {
            slots.slots.push(Slot { generation: 0, core, state: State::Free });
            u32::try_from(slots.slots.len() - 1).expect("memory ends long before four billion calls")
        });
        let slot = &mut slots.slots[index as usize];
        slot.core = core;
        slot.state = State::Waiting(None);
        let id = u64::from(slot.generation) << 32 | u64::from(index);
        Self { pending, id }
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    pub fn poll(&self, waker: &Waker) -> Poll<Option<R>> {
        let mut slots = self.pending.slots.borrow_mut();
        match &mut slots.slots[self.id as u32 as usize].state {
            State::Done(r) => Poll::Ready(r.take()),
            State::Waiting(known) => {
                if known.as_ref().is_none_or(|known| !known.will_wake(waker)) {
                    *known = Some(waker.clone());
                }
                Poll::Pending
            }
            State::Free => unreachable!("the slot is this call's until it is dropped"),
        }
    }
}

impl<R> Drop for Waiting<'_, R> {
    fn drop(&mut self) {
        let mut slots = self.pending.slots.borrow_mut();
        let index = self.id as u32;
        let slot = &mut slots.slots[index as usize];
        slot.generation = slot.generation.wrapping_add(1);
        let state = mem::replace(&mut slot.state, State::Free);
        slots.free.push(index);
        drop(slots);
        // An answer that was not fetched runs its destructor outside the borrow.
        drop(state);
    }
}
