//! Keeps glommio from oversleeping.
//!
//! Glommio runs task queues until a completion shows on its latency ring, usually that of its preemption timer. When the timer
//! fires after the ring was last emptied and before the first queue is run (a thread that loses its CPU for two milliseconds just
//! there is enough, and on a busy machine that happens), glommio runs no queue, finds that the completion woke nobody, and goes to
//! sleep with tasks that are ready; nothing but an unrelated event wakes it again. Seen as hangs of minutes, with readable
//! sockets that nobody read.
//!
//! A timer that is always pending bounds such a sleep. It is short while the core has work and long while it has none, where
//! it costs next to nothing.

use std::{cell::Cell, rc::Rc, time::Duration};

use super::core::Core;

const BUSY: Duration = Duration::from_millis(2);
const IDLE: Duration = Duration::from_millis(64);

/// Polls of tasks between two looks that are our own: this task's, and one for good measure.
const OWN_POLLS: u32 = 2;

/// Counts the polls of all tasks of a core.
#[derive(Default)]
pub(super) struct Polls(Cell<u32>);

impl Polls {
    #[inline]
    pub fn count(&self) {
        self.0.set(self.0.get().wrapping_add(1));
    }
}

/// The task that keeps the timer pending.
pub(super) async fn keep(core: Rc<Core>) {
    let mut pause = BUSY;
    loop {
        let before = core.polls.0.get();
        glommio::timer::sleep(pause).await;
        let busy = core.polls.0.get().wrapping_sub(before) > OWN_POLLS;
        pause = if busy { BUSY } else { (pause * 2).min(IDLE) };
    }
}
