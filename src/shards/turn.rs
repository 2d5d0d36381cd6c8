//! Taking turns: a lock between tasks of one core, in the order of asking.

use pith_net::rt::Notify;

/// One holder at a time. Costs nothing while nobody waits.
pub struct Turn {
    free: Notify,
}

/// Ends the turn when it is dropped.
pub struct TurnGuard<'a> {
    turn: &'a Turn,
}

impl Turn {
    pub fn new() -> Self {
        let free = Notify::new();
        // The permit that the first holder takes; each holder gives it back.
        free.notify_one();
        Self { free }
    }

    pub async fn take(&self) -> TurnGuard<'_> {
        self.free.wait().await;
        TurnGuard { turn: self }
    }
}

impl Drop for TurnGuard<'_> {
    fn drop(&mut self) {
        self.turn.free.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_net::rt;
    use std::cell::RefCell;
    use std::rc::Rc;

    #[test]
    fn turns_come_in_the_order_of_asking() {
        rt::block_on(|| async {
            let turn = Rc::new(Turn::new());
            let seen = Rc::new(RefCell::new(vec![]));
            let held = turn.take().await;
            let tasks: Vec<_> = (0..4)
                .map(|i| {
                    let (turn, seen) = (turn.clone(), seen.clone());
                    rt::spawn(async move {
                        let _held = turn.take().await;
                        rt::yield_now().await;
                        seen.borrow_mut().push(i);
                    })
                })
                .collect();
            rt::yield_now().await;
            assert!(seen.borrow().is_empty());
            drop(held);
            for task in tasks {
                task.await;
            }
            assert_eq!(*seen.borrow(), [0, 1, 2, 3]);
        });
    }
}
