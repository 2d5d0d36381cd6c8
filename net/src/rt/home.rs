//! How other threads reach a core: the wakers of its tasks.
//!
//! ```text
//! wake() on the core itself    ─► its run queue
//! wake() on any other thread   ─► inbound ═► the core, which is roused by its eventfd if it sleeps
//! ```
//!
//! A waker names its task and owns nothing of it, so that it may be kept, used and dropped anywhere, even after the core has ended.

use std::{
    fs::File,
    io::{self, Write},
    os::fd::{AsRawFd, FromRawFd, RawFd},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    task::{Wake, Waker},
};

use super::{bell::Bell, core, run_queue::Ready};

/// What is shared with other threads. The channel is the lock-free one of std: waking never waits.
pub(super) struct Home {
    inbound: Sender<Ready>,
    waiting: AtomicUsize,
    bell: Bell,
    rouser: Arc<Rouser>,
}

impl Home {
    pub fn new() -> io::Result<(Arc<Self>, Receiver<Ready>)> {
        let (inbound, receiver) = mpsc::channel();
        let rouser = Arc::new(Rouser::new()?);
        Ok((Arc::new(Self { inbound, waiting: AtomicUsize::new(0), bell: Bell::new(), rouser }), receiver))
    }

    /// The core sleeps beside this bell, with the waker of [`Self::rouser`].
    pub fn bell(&self) -> &Bell {
        &self.bell
    }

    pub fn rouser(&self) -> Waker {
        self.rouser.clone().into()
    }

    /// Becomes readable when the core is roused.
    pub fn raw(&self) -> RawFd {
        self.rouser.eventfd.as_raw_fd()
    }

    /// Whether wakes of other threads wait.
    pub fn has_inbound(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > 0
    }

    /// To be called for each that was taken out of the channel.
    pub fn taken(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    fn send(&self, ready: Ready) {
        // Counted before it is sent, so that a core that sees no count has missed nothing.
        self.waiting.fetch_add(1, Ordering::Release);
        if self.inbound.send(ready).is_err() {
            // The core has ended.
            self.waiting.fetch_sub(1, Ordering::Release);
        }
        self.bell.ring();
    }
}

/// Ends the sleep of a core.
struct Rouser {
    eventfd: File,
}

impl Rouser {
    fn new() -> io::Result<Self> {
        // SAFETY: eventfd(2) touches no memory; a descriptor that it returns belongs to nobody else.
        let eventfd = unsafe {
            let fd = libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            File::from_raw_fd(fd)
        };
        Ok(Self { eventfd })
    }
}

impl Wake for Rouser {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Nobody ever reads it: every write wakes the poll of the core's ring again. It would fail only at 2^64 writes.
        let written = (&self.eventfd).write(&1u64.to_ne_bytes());
        debug_assert!(written.is_ok(), "{written:?}");
    }
}

/// The waker of one task.
pub(super) struct TaskWaker {
    home: Arc<Home>,
    ready: Ready,
    /// Set from the first wake until the task is polled: it stands in a queue at most once.
    scheduled: AtomicBool,
}

impl TaskWaker {
    /// For a task that stands in its core's queue already.
    pub fn new(home: Arc<Home>, ready: Ready) -> Self {
        Self { home, ready, scheduled: AtomicBool::new(true) }
    }

    /// To be called before the task is polled: later wakes queue it again, and it sees what was done before earlier ones.
    pub fn begin(&self) {
        self.scheduled.swap(false, Ordering::AcqRel);
    }
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.scheduled.swap(true, Ordering::AcqRel) {
            return;
        }
        let here = core::try_with(|core| {
            let here = Arc::ptr_eq(&core.home, &self.home);
            if here {
                core.queue.push(self.ready);
            }
            here
        });
        if here != Some(true) {
            self.home.send(self.ready);
        }
    }
}
