//! The ring of one core: operations of the kernel, and the core's sleep.
//!
//! ```text
//! operation   submitted once, answered once; its memory is kept until the kernel has answered, whoever still waits
//! watch       a standing poll of a socket: tells again and again that there is something to read, and is never armed anew
//! ```
//!
//! Whatever was asked for since the last time is handed over by the same system call that the core sleeps in, so that a request on a
//! socket costs one of these, one to read and one to write.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    collections::VecDeque,
    future::Future,
    io,
    os::fd::RawFd,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use io_uring::{IoUring, cqueue, opcode, squeue, types};

use super::core;

/// Entries of submissions and completions, in the order in which they are tried: kernels from 6.13 on count rings against the limit of
/// locked memory, which can be as low as 64 KiB. The first takes some 100 KiB, the second 16 KiB. Tests have rings so small that they
/// overflow all the time.
const SIZES: &[(u32, u32)] = if cfg!(test) { &[(4, 8)] } else { &[(256, 4096), (64, 512)] };

/// How long a core that ends waits for operations whose memory the kernel may still write to.
const DRAIN: Duration = Duration::from_secs(5);

/// Answers that nobody waits for.
const IGNORED: u64 = u64::MAX;

/// Answers of the poll that other threads rouse the core with.
const ROUSED: u64 = u64::MAX - 1;

const READABLE: u32 = (libc::POLLIN | libc::POLLRDHUP) as u32;

/// Ends of any kind. The kernel tells of them once, perhaps together with the last data.
const ENDED: i32 = (libc::POLLRDHUP | libc::POLLHUP | libc::POLLERR) as i32;

pub(super) struct Reactor {
    /// Polled for the wakes of other threads.
    rouse: RawFd,
    ring: RefCell<IoUring>,
    /// What did not fit into the ring.
    backlog: RefCell<VecDeque<squeue::Entry>>,
    slots: RefCell<Slots>,
}

#[derive(Default)]
struct Slots {
    slots: Vec<(u32, State)>,
    free: Vec<u32>,
}

enum State {
    Free,
    /// `Some(waker)` while somebody waits, `None` before the first poll.
    Waiting(Option<Waker>, Option<Rc<dyn Any>>),
    /// Whoever waited has gone away; the memory is kept for the kernel.
    Abandoned(Option<Rc<dyn Any>>),
    Done(i32),
    Watching(Rc<Readiness>),
}

/// A slot and its generation.
type Key = u64;

impl Slots {
    fn insert(&mut self, state: State) -> Key {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push((0, State::Free));
            u32::try_from(self.slots.len() - 1).expect("memory ends long before four billion operations")
        });
        let slot = &mut self.slots[index as usize];
        slot.1 = state;
        u64::from(slot.0) << 32 | u64::from(index)
    }

    fn get(&mut self, key: Key) -> Option<&mut State> {
        let slot = self.slots.get_mut(key as u32 as usize)?;
        (slot.0 == (key >> 32) as u32).then_some(&mut slot.1)
    }

    /// Frees the slot; what was in it is dropped by the caller, outside of the borrow.
    fn remove(&mut self, key: Key) -> State {
        let Some(state) = self.get(key) else { return State::Free };
        let state = std::mem::replace(state, State::Free);
        let index = key as u32;
        // A generation below the top bit keeps keys apart from the two above.
        let slot = &mut self.slots[index as usize];
        slot.0 = (slot.0 + 1) & (u32::MAX >> 1);
        self.free.push(index);
        state
    }

    fn keeps_memory(&self) -> bool {
        self.slots.iter().any(|(_, state)| matches!(state, State::Waiting(_, Some(_)) | State::Abandoned(Some(_))))
    }
}

impl Reactor {
    /// Of the calling thread. `rouse` is polled for other threads' wakes.
    pub fn new(rouse: RawFd) -> io::Result<Self> {
        let ring = RefCell::new(make_ring()?);
        let reactor = Self { rouse, ring, backlog: RefCell::default(), slots: RefCell::default() };
        reactor.watch_rouse();
        Ok(reactor)
    }

    fn watch_rouse(&self) {
        let poll = opcode::PollAdd::new(types::Fd(self.rouse), libc::POLLIN as u32).multi(true);
        self.submit(poll.build().user_data(ROUSED));
    }

    fn submit(&self, entry: squeue::Entry) {
        let mut backlog = self.backlog.borrow_mut();
        // SAFETY: memory that an entry points to is kept in its slot until the kernel has answered; see `perform`.
        if !backlog.is_empty() || unsafe { self.ring.borrow_mut().submission().push(&entry) }.is_err() {
            backlog.push_back(entry);
        }
    }

    /// Whether the kernel has something for this core.
    pub fn has_answers(&self) -> bool {
        let mut ring = self.ring.borrow_mut();
        ring.submission().taskrun() || !ring.completion().is_empty()
    }

    /// Hands over what was asked for and takes what was answered. Gives whether the kernel was called, which takes time.
    pub fn poll(&self) -> bool {
        let mut called = false;
        loop {
            let mut ring = self.ring.borrow_mut();
            let queue = ring.submission();
            let idle = queue.is_empty() && !queue.taskrun() && !queue.cq_overflow();
            drop(queue);
            if !idle {
                called = true;
                check_entered(ring.submit());
            }
            drop(ring);
            self.take_answers();
            if !self.refill() {
                return called;
            }
        }
    }

    /// The same, and sleeps until there is an answer, for `limit` at most.
    pub fn sleep(&self, limit: Option<Duration>) {
        if !self.backlog.borrow().is_empty() {
            self.poll();
            return;
        }
        let ring = self.ring.borrow();
        let entered = match limit.map(types::Timespec::from) {
            None => ring.submit_and_wait(1),
            Some(limit) => ring.submitter().submit_with_args(1, &types::SubmitArgs::new().timespec(&limit)),
        };
        check_entered(entered);
        drop(ring);
        self.take_answers();
    }

    /// Moves waiting entries into the ring; false when there are none.
    fn refill(&self) -> bool {
        let (mut backlog, mut ring) = (self.backlog.borrow_mut(), self.ring.borrow_mut());
        let mut queue = ring.submission();
        let mut moved = false;
        while let Some(entry) = backlog.front() {
            // SAFETY: as in `submit`.
            if unsafe { queue.push(entry) }.is_err() {
                break;
            }
            backlog.pop_front();
            moved = true;
        }
        moved
    }

    fn take_answers(&self) {
        loop {
            let answer = self.ring.borrow_mut().completion().next();
            let Some(answer) = answer else { return };
            match answer.user_data() {
                IGNORED => {}
                // Standing polls end when there is no room for their answer.
                ROUSED if !cqueue::more(answer.flags()) => self.watch_rouse(),
                ROUSED => {}
                key => self.answered(key, answer.result(), cqueue::more(answer.flags())),
            }
        }
    }

    fn answered(&self, key: Key, result: i32, more: bool) {
        let mut slots = self.slots.borrow_mut();
        let Some(state) = slots.get(key) else { return };
        match state {
            State::Watching(readiness) => {
                let readiness = readiness.clone();
                if !more {
                    readiness.key.set(None);
                    slots.remove(key);
                }
                drop(slots);
                readiness.set(result < 0 || result & ENDED != 0);
            }
            State::Waiting(waker, _) => {
                let waker = waker.take();
                let waited = std::mem::replace(state, State::Done(result));
                drop(slots);
                drop(waited);
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
            State::Abandoned(_) => {
                let state = slots.remove(key);
                drop(slots);
                drop(state);
            }
            State::Free | State::Done(_) => {}
        }
    }

    fn cancel(&self, key: Key) {
        self.submit(opcode::AsyncCancel::new(key).build().user_data(IGNORED));
    }

    /// To be called when all futures of the core are gone: waits until the kernel writes to no memory of ours any more.
    pub fn drain(&self) {
        let begun = Instant::now();
        self.poll();
        while self.slots.borrow().keeps_memory() {
            if begun.elapsed() > DRAIN {
                tracing::error!("operations of a core were not answered within {DRAIN:?}");
                return;
            }
            self.sleep(Some(Duration::from_millis(10)));
        }
    }
}

impl Drop for Reactor {
    fn drop(&mut self) {
        if self.slots.borrow().keeps_memory() {
            // A device that does not answer, or a core that ended without draining: closing the ring does not wait for the kernel,
            // so what it may still write to is given up rather than reused.
            std::mem::forget(self.slots.take());
        }
    }
}

fn make_ring() -> io::Result<IoUring> {
    let mut made = Err(io::ErrorKind::OutOfMemory.into());
    for &(submissions, completions) in SIZES {
        made = make_sized(submissions, completions);
        if !made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::OutOfMemory) {
            break;
        }
    }
    made
}

/// With completions delivered when the core asks for them, which costs no interrupt; without that on kernels before 6.1.
fn make_sized(submissions: u32, completions: u32) -> io::Result<IoUring> {
    let quiet = IoUring::builder()
        .setup_cqsize(completions)
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_taskrun_flag()
        .build(submissions);
    match quiet {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            IoUring::builder().setup_cqsize(completions).build(submissions)
        }
        made => made,
    }
}

/// What may end a call early is no error: the core comes round again.
fn check_entered(entered: io::Result<usize>) {
    if let Err(error) = entered {
        let expected = [libc::ETIME, libc::EINTR, libc::EBUSY, libc::EAGAIN];
        assert!(error.raw_os_error().is_some_and(|code| expected.contains(&code)), "io_uring_enter: {error}");
    }
}

/// Has the kernel perform `entry`, which may point into `kept`. Dropping the future asks the kernel to give the operation up.
pub(super) fn perform(entry: squeue::Entry, kept: Option<Rc<dyn Any>>) -> Operation {
    core::with(|core| {
        let key = core.reactor.slots.borrow_mut().insert(State::Waiting(None, kept));
        core.reactor.submit(entry.user_data(key));
        Operation { key }
    })
}

/// Ends when one of `events` (of poll(2)) holds for the descriptor.
pub(super) fn poll_once(fd: RawFd, events: libc::c_short) -> Operation {
    perform(opcode::PollAdd::new(types::Fd(fd), events as u32).build(), None)
}

pub(super) struct Operation {
    key: Key,
}

impl Future for Operation {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        core::with(|core| {
            let mut slots = core.reactor.slots.borrow_mut();
            match slots.get(self.key) {
                Some(State::Done(result)) if *result < 0 => Poll::Ready(Err(io::Error::from_raw_os_error(-*result))),
                Some(State::Done(result)) => Poll::Ready(Ok(*result as usize)),
                Some(State::Waiting(waker, _)) => {
                    match waker {
                        Some(known) => known.clone_from(cx.waker()),
                        None => *waker = Some(cx.waker().clone()),
                    }
                    Poll::Pending
                }
                _ => unreachable!("the slot is this operation's until it is dropped"),
            }
        })
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        core::try_with(|core| {
            let mut slots = core.reactor.slots.borrow_mut();
            let gone = match slots.get(self.key) {
                Some(state @ State::Waiting(..)) => {
                    let State::Waiting(waker, kept) = std::mem::replace(state, State::Free) else { unreachable!() };
                    *state = State::Abandoned(kept);
                    drop(slots);
                    core.reactor.cancel(self.key);
                    drop(waker);
                    return;
                }
                _ => slots.remove(self.key),
            };
            drop(slots);
            drop(gone);
        });
    }
}

/// Whether a descriptor may have something to read: set whenever the kernel says so, taken back by whoever finds nothing.
pub(super) struct Readiness {
    fd: RawFd,
    ready: Cell<bool>,
    /// There will be no news: it stays ready.
    ended: Cell<bool>,
    waker: RefCell<Option<Waker>>,
    key: Cell<Option<Key>>,
}

impl Readiness {
    fn set(&self, ended: bool) {
        self.ready.set(true);
        self.ended.set(self.ended.get() || ended);
        let waker = self.waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Watches one descriptor, which must stay open for as long.
pub(super) struct Watch {
    readiness: Rc<Readiness>,
}

impl Watch {
    /// Costs nothing before somebody waits. Taken for ready at first.
    pub fn new(fd: RawFd) -> Self {
        Self {
            readiness: Rc::new(Readiness {
                fd,
                ready: Cell::new(true),
                ended: Cell::new(false),
                waker: RefCell::default(),
                key: Cell::new(None),
            }),
        }
    }

    /// Calls `attempt` while there may be something to read. It returns what it got and whether there may be more at once; an error of
    /// kind `WouldBlock` has the task wait.
    pub fn poll<T>(
        &self,
        cx: &mut Context<'_>,
        mut attempt: impl FnMut() -> io::Result<(T, bool)>,
    ) -> Poll<io::Result<T>> {
        while self.readiness.ready.replace(false) {
            match attempt() {
                Ok((got, more)) => {
                    self.readiness.ready.set(more || self.readiness.ended.get());
                    return Poll::Ready(Ok(got));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => self.readiness.ready.set(true),
                // What came since then is told by the kernel.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => {
                    self.readiness.ready.set(true);
                    return Poll::Ready(Err(error));
                }
            }
        }
        let mut waker = self.readiness.waker.borrow_mut();
        match &mut *waker {
            Some(known) => known.clone_from(cx.waker()),
            None => *waker = Some(cx.waker().clone()),
        }
        if self.readiness.key.get().is_none() {
            core::with(|core| {
                let key = core.reactor.slots.borrow_mut().insert(State::Watching(self.readiness.clone()));
                self.readiness.key.set(Some(key));
                let poll = opcode::PollAdd::new(types::Fd(self.readiness.fd), READABLE).multi(true);
                core.reactor.submit(poll.build().user_data(key));
            });
        }
        Poll::Pending
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(key) = self.readiness.key.get() {
            core::try_with(|core| {
                core.reactor.cancel(key);
                let state = core.reactor.slots.borrow_mut().remove(key);
                drop(state);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt;
    use futures_lite::future::poll_fn;
    use std::{
        io::{Read, Write},
        os::{fd::AsRawFd, unix::net::UnixStream},
    };

    /// Bytes until the end.
    async fn count(mut end: UnixStream) -> usize {
        end.set_nonblocking(true).expect("a socket");
        let watch = Watch::new(end.as_raw_fd());
        let mut total = 0;
        loop {
            let attempt = poll_fn(|cx| watch.poll(cx, || end.read(&mut [0; 16]).map(|got| (got, got == 0)))).await;
            match attempt.expect("a socket") {
                0 => return total,
                got => total += got,
            }
        }
    }

    #[test]
    fn more_news_at_once_than_the_ring_holds_is_all_heard() {
        const ROUNDS: usize = 50;
        rt::block_on(|| async {
            let pairs = (0..100).map(|_| UnixStream::pair().expect("two sockets"));
            let (ends, mut others): (Vec<_>, Vec<_>) = pairs.unzip();
            let counting: Vec<_> = ends.into_iter().map(|end| rt::spawn(count(end))).collect();
            for _ in 0..ROUNDS {
                // Its end is told by another thread, just when the ring is full.
                others = rt::offload(move || {
                    others.iter_mut().for_each(|other| other.write_all(b"x").expect("there is room"));
                    others
                })
                .await;
            }
            drop(others);
            for counted in counting {
                let counted = rt::timeout(Duration::from_secs(20), counted).await;
                assert_eq!(counted, Some(ROUNDS));
            }
        });
    }

    #[test]
    fn operations_that_are_given_up_are_forgotten_once_they_are_answered() {
        rt::block_on(|| async {
            let (end, _other) = UnixStream::pair().expect("two sockets");
            for _ in 0..1000 {
                let mut polled = Box::pin(poll_once(end.as_raw_fd(), libc::POLLIN));
                assert!(poll_fn(|cx| Poll::Ready(polled.as_mut().poll(cx))).await.is_pending());
                drop(polled);
                rt::yield_now().await;
            }
            rt::sleep(Duration::from_millis(20)).await;
            core::with(|core| {
                let slots = core.reactor.slots.borrow();
                assert_eq!(slots.free.len(), slots.slots.len());
                assert!(slots.slots.len() < 100, "{} slots", slots.slots.len());
            });
        });
    }
}
