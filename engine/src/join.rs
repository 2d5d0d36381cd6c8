//! Waiting for several things at once.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Runs all futures together on this core; gives their results in the order of the futures. Meant for a few (cores,
/// shards of a request, reads of a segment): each wake-up polls all that are not done.
pub async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    enum Slot<F: Future> {
        Running(Pin<Box<F>>),
        Done(F::Output),
    }
    let mut slots: Vec<Option<Slot<F>>> = futures.into_iter().map(|f| Some(Slot::Running(Box::pin(f)))).collect();
    poll_fn(|cx| {
        let mut waiting = false;
        for slot in &mut slots {
            if let Some(Slot::Running(future)) = slot {
                match future.as_mut().poll(cx) {
                    Poll::Ready(output) => *slot = Some(Slot::Done(output)),
                    Poll::Pending => waiting = true,
                }
            }
        }
        if waiting { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    let done = |slot: Option<Slot<F>>| match slot {
        Some(Slot::Done(output)) => output,
        _ => unreachable!("all futures are done when the poll above is"),
    };
    slots.into_iter().map(done).collect()
}

/// No more than so many go on at the same time, whatever a request asks for: each wake-up polls all of them.
const AT_ONCE_MAX: usize = 64;

/// Does `work` for each number below `count`, for up to `at_once` of them at the same time.
pub async fn for_each_of(count: usize, at_once: usize, work: impl AsyncFn(usize)) {
    let next = Cell::new(0);
    let workers = (0..at_once.min(AT_ONCE_MAX).min(count)).map(|_| async {
        loop {
            let at = next.get();
            if at >= count {
                return;
            }
            next.set(at + 1);
            work(at).await;
        }
    });
    join_all(workers).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::pin::pin;
    use std::task::{Context, Waker};

    /// Is pending so many times.
    async fn after(mut times: u32) {
        poll_fn(|_| {
            times = times.wrapping_sub(1);
            if times == u32::MAX { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let (mut future, mut cx) = (pin!(future), Context::from_waker(Waker::noop()));
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
                return output;
            }
        }
    }

    #[test]
    fn results_keep_the_order() {
        let futures = (0..4u32).map(|i| async move {
            after(4 - i).await;
            i
        });
        assert_eq!(block_on(join_all(futures)), [0, 1, 2, 3]);
        assert!(block_on(join_all(Vec::<std::future::Ready<()>>::new())).is_empty());
    }

    #[test]
    fn each_is_done_once_and_few_at_the_same_time() {
        let (now, most, done) = (Cell::new(0), Cell::new(0), RefCell::new(vec![]));
        block_on(for_each_of(300, usize::MAX, async |at| {
            now.set(now.get() + 1);
            most.set(most.get().max(now.get()));
            after(at as u32 % 3).await;
            now.set(now.get() - 1);
            done.borrow_mut().push(at);
        }));
        let mut done = done.into_inner();
        done.sort_unstable();
        assert_eq!(done, (0..300).collect::<Vec<_>>());
        assert_eq!(most.get(), AT_ONCE_MAX);
    }
}
