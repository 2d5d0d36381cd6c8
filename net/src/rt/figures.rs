//! What a core has done, for those who watch it.

use std::time::Duration;

use super::core;

/// Counted since the core began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Rounds of the loop that ran tasks.
    pub turns: u64,
    /// Times that a task ran.
    pub polls: u64,
    /// How long tasks waited for those that ran before them in their round, all together.
    pub waited: Duration,
    pub longest_turn: Duration,
    /// Times that a task kept the core for too long, and which task did so last.
    pub stalls: u64,
    pub stalled_by: Option<&'static str>,
    /// Tasks that are ready now.
    pub ready: usize,
}

impl Figures {
    /// Of the core that this code runs on.
    pub fn current() -> Self {
        core::with(|core| Self { ready: core.queue.len(), ..core.figures.get() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt;

    #[test]
    fn what_runs_is_counted() {
        let (before, after) = rt::block_on(|| async {
            let before = Figures::current();
            let tasks: Vec<_> = (0..10).map(|_| rt::spawn(rt::yield_now())).collect();
            for task in tasks {
                task.await;
            }
            rt::yield_now().await;
            (before, Figures::current())
        });
        assert!(after.polls >= before.polls + 20 && after.turns > before.turns, "{before:?} {after:?}");
        assert!(after.longest_turn > Duration::ZERO && after.waited > before.waited);
    }
}
