//! Notification between tasks of one core. Nothing here is `Send`, so nothing here needs an atomic.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

/// A latch: once set, every present and later waiter passes. Clones share the latch.
#[derive(Clone, Default)]
pub struct Event {
    inner: Rc<EventInner>,
}

#[derive(Default)]
struct EventInner {
    set: Cell<bool>,
    waiters: RefCell<Vec<Waker>>,
}

impl Event {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn set(&self) {
        self.inner.set.set(true);
        for waker in self.inner.waiters.take() {
            waker.wake();
        }
    }

    pub fn is_set(&self) -> bool {
        self.inner.set.get()
    }

    pub async fn wait(&self) {
        poll_fn(|cx| {
            if self.is_set() {
                return Poll::Ready(());
            }
            let mut waiters = self.inner.waiters.borrow_mut();
            if !waiters.iter().any(|known| known.will_wake(cx.waker())) {
                waiters.push(cx.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

/// A queue of waiters. `notify_one` lets the oldest pass; with nobody waiting it is kept for the next one (once, however
/// often it is called). Clones share the queue. A waiter that is dropped gives its turn to the next.
#[derive(Clone, Default)]
pub struct Notify {
    inner: Rc<NotifyInner>,
}

#[derive(Default)]
struct NotifyInner {
    permit: Cell<bool>,
    waiters: RefCell<VecDeque<Rc<Waiter>>>,
}

#[derive(Default)]
struct Waiter {
    notified: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Notify {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn notify_one(&self) {
        match self.inner.waiters.borrow_mut().pop_front() {
            Some(waiter) => waiter.notify(),
            None => self.inner.permit.set(true),
        }
    }

    /// Lets everybody pass who waits now. Keeps nothing for later.
    pub fn notify_all(&self) {
        for waiter in self.inner.waiters.take() {
            waiter.notify();
        }
    }

    pub fn wait(&self) -> Notified {
        Notified { notify: self.clone(), waiter: None }
    }
}

impl Waiter {
    fn notify(&self) {
        self.notified.set(true);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// The future of [`Notify::wait`]. It joins the queue when it is first polled.
#[must_use = "does nothing unless awaited"]
pub struct Notified {
    notify: Notify,
    waiter: Option<Rc<Waiter>>,
}

impl Future for Notified {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match &self.waiter {
            Some(waiter) if waiter.notified.get() => {
                self.waiter = None;
                Poll::Ready(())
            }
            Some(waiter) => {
                *waiter.waker.borrow_mut() = Some(cx.waker().clone());
                Poll::Pending
            }
            None if self.notify.inner.permit.replace(false) => Poll::Ready(()),
            None => {
                let waiter = Rc::new(Waiter::default());
                *waiter.waker.borrow_mut() = Some(cx.waker().clone());
                self.notify.inner.waiters.borrow_mut().push_back(waiter.clone());
                self.waiter = Some(waiter);
                Poll::Pending
            }
        }
    }
}

impl Drop for Notified {
    fn drop(&mut self) {
        let Some(waiter) = self.waiter.take() else { return };
        if waiter.notified.get() {
            self.notify.notify_one();
        } else {
            self.notify.inner.waiters.borrow_mut().retain(|other| !Rc::ptr_eq(other, &waiter));
        }
    }
}

/// A single value from one task to another of the same core. The receiver gets `None` when the sender is dropped.
pub fn oneshot<T>() -> (OneshotSender<T>, OneshotReceiver<T>) {
    let inner = Rc::new(Oneshot { value: Cell::new(None), closed: Cell::new(false), waker: Cell::new(None) });
    (OneshotSender { inner: inner.clone() }, OneshotReceiver { inner })
}

struct Oneshot<T> {
    value: Cell<Option<T>>,
    /// Either end is gone.
    closed: Cell<bool>,
    waker: Cell<Option<Waker>>,
}

pub struct OneshotSender<T> {
    inner: Rc<Oneshot<T>>,
}

impl<T> OneshotSender<T> {
    /// Gives the value back when nobody waits for it any more.
    pub fn send(self, value: T) -> Result<(), T> {
        if self.is_closed() {
            return Err(value);
        }
        self.inner.value.set(Some(value));
        Ok(())
    }

    /// True when the receiver was dropped.
    pub fn is_closed(&self) -> bool {
        self.inner.closed.get()
    }
}

impl<T> Drop for OneshotSender<T> {
    fn drop(&mut self) {
        self.inner.closed.set(true);
        if let Some(waker) = self.inner.waker.take() {
            waker.wake();
        }
    }
}

pub struct OneshotReceiver<T> {
    inner: Rc<Oneshot<T>>,
}

impl<T> Future for OneshotReceiver<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        if let Some(value) = self.inner.value.take() {
            return Poll::Ready(Some(value));
        }
        if self.inner.closed.get() {
            return Poll::Ready(None);
        }
        self.inner.waker.set(Some(cx.waker().clone()));
        Poll::Pending
    }
}

impl<T> Drop for OneshotReceiver<T> {
    fn drop(&mut self) {
        self.inner.closed.set(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt;

    #[test]
    fn an_event_lets_early_and_late_waiters_pass() {
        rt::block_on(|| async {
            let event = Event::new();
            let early = rt::spawn({
                let event = event.clone();
                async move { event.wait().await }
            });
            rt::yield_now().await;
            event.set();
            early.await;
            event.wait().await;
        });
    }

    #[test]
    fn notify_wakes_in_order_and_a_dropped_waiter_passes_its_turn_on() {
        rt::block_on(|| async {
            let notify = Notify::new();
            let order = Rc::new(RefCell::new(Vec::new()));
            let tasks: Vec<_> = (0..3)
                .map(|i| {
                    let (notify, order) = (notify.clone(), order.clone());
                    rt::spawn(async move {
                        notify.wait().await;
                        order.borrow_mut().push(i);
                    })
                })
                .collect();
            rt::yield_now().await;
            let mut tasks = tasks.into_iter();
            // The first is notified and dropped before it runs: the second must get its turn.
            notify.notify_one();
            drop(tasks.next());
            tasks.next().expect("second").await;
            notify.notify_one();
            tasks.next().expect("third").await;
            assert_eq!(*order.borrow(), vec![1, 2]);
            notify.notify_one();
            notify.notify_one();
            notify.wait().await;
            assert_eq!(rt::timeout(std::time::Duration::from_millis(2), notify.wait()).await, None);
        });
    }

    #[test]
    fn oneshot_delivers_or_tells_that_it_never_will() {
        rt::block_on(|| async {
            let (tx, rx) = oneshot();
            let receiver = rt::spawn(rx);
            rt::yield_now().await;
            assert_eq!(tx.send(5), Ok(()));
            assert_eq!(receiver.await, Some(5));
            let (tx, rx) = oneshot::<u8>();
            drop(tx);
            assert_eq!(rx.await, None);
            let (tx, rx) = oneshot();
            drop(rx);
            assert!(tx.is_closed());
            assert_eq!(tx.send(1), Err(1));
        });
    }
}
