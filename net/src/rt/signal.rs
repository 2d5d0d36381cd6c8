//! SIGTERM and SIGINT as something to await on every core.
//!
//! The handler does one thing that is allowed there: it writes a byte into a pipe. A thread of ours reads it, sets the
//! flag and posts to every core, where the waiters of that core are woken.

use std::{
    cell::RefCell,
    io::{self, Read},
    os::fd::{IntoRawFd, OwnedFd},
    rc::Rc,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI32, Ordering},
    },
    thread,
};

use super::{core, remote::Inbox, sync::Event};

/// Set once, when the process shall stop. Clones share the flag and may be used on any thread; [`StopSignal::wait`] only on a core.
#[derive(Clone, Default)]
pub struct StopSignal {
    flag: Arc<AtomicBool>,
}

impl StopSignal {
    /// A signal that only [`StopSignal::trigger`] sets.
    pub fn new() -> Self {
        Self::default()
    }

    /// A signal that SIGTERM and SIGINT set. To be called once per process, from `main`.
    pub fn install() -> io::Result<Self> {
        let stop = Self::new();
        let (mut reader, writer) = io::pipe()?;
        // The handler uses the descriptor for as long as the process lives.
        PIPE.store(OwnedFd::from(writer).into_raw_fd(), Ordering::Release);
        let triggered = stop.clone();
        thread::Builder::new().name("pith-signals".into()).spawn(move || {
            let mut byte = [0u8];
            while reader.read(&mut byte).is_ok_and(|len| len > 0) {
                triggered.trigger();
            }
        })?;
        for signal in [libc::SIGTERM, libc::SIGINT] {
            install_handler(signal)?;
        }
        Ok(stop)
    }

    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }

    /// Sets the flag and wakes whoever waits, on every core of this process.
    pub fn trigger(&self) {
        self.flag.store(true, Ordering::Release);
        // Executors come and go in `run`, never on a core, so that a core that triggers finds the lock free.
        for inbox in RUNNING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            inbox.post(Box::new(|| core::with(|core| core.stop_waiters.wake())));
        }
    }

    /// Returns when the flag is set.
    ///
    /// # Panics
    /// Outside an executor.
    pub async fn wait(&self) {
        while !self.is_set() {
            // Taken before the flag is looked at again: a trigger in between wakes this event.
            let event = core::with(|core| core.stop_waiters.event());
            if self.is_set() {
                return;
            }
            event.wait().await;
        }
    }
}

/// The tasks of one core that wait for any stop signal; each looks for itself whether its own was set.
#[derive(Default)]
pub(super) struct Waiters {
    event: RefCell<Rc<Event>>,
}

impl Waiters {
    fn event(&self) -> Rc<Event> {
        self.event.borrow().clone()
    }

    fn wake(&self) {
        self.event.take().set();
    }
}

static RUNNING: Mutex<Vec<Arc<Inbox>>> = Mutex::new(Vec::new());
static PIPE: AtomicI32 = AtomicI32::new(-1);

/// Makes the cores of one [`super::run`] known to all stop signals for as long as it lives.
pub(super) struct Registered(Vec<Arc<Inbox>>);

impl Registered {
    pub fn new(inboxes: Vec<Arc<Inbox>>) -> Self {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).extend(inboxes.iter().cloned());
        Self(inboxes)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|inbox| !self.0.iter().any(|gone| Arc::ptr_eq(gone, inbox)));
    }
}

extern "C" fn on_signal(_signal: libc::c_int) {
    let byte = [1u8];
    // SAFETY: write(2) is async-signal-safe, the buffer holds one byte, and the pipe is never closed. Errno belongs to the interrupted
    // code and is put back.
    unsafe {
        let errno = *libc::__errno_location();
        libc::write(PIPE.load(Ordering::Acquire), byte.as_ptr().cast(), 1);
        *libc::__errno_location() = errno;
    }
}

fn install_handler(signal: libc::c_int) -> io::Result<()> {
    // SAFETY: an all-zero sigaction is valid (no flags, empty mask), and the handler only does what handlers may do.
    let result = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &action, std::ptr::null_mut())
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt::{self, Topology};
    use std::time::Duration;

    #[test]
    fn a_trigger_wakes_the_waiters_of_all_cores() {
        let stop = StopSignal::new();
        let on_cores = stop.clone();
        let ended = rt::run(&Topology::first(3), move |core| {
            let stop = on_cores.clone();
            async move {
                if core == 1 {
                    rt::sleep(Duration::from_millis(5)).await;
                    stop.trigger();
                }
                let many: Vec<_> = (0..3)
                    .map(|_| {
                        let stop = stop.clone();
                        rt::spawn(async move { stop.wait().await })
                    })
                    .collect();
                for task in many {
                    task.await;
                }
            }
        })
        .expect("executors start");
        assert_eq!(ended, vec![Ok(()); 3]);
        assert!(stop.is_set());
    }

    #[test]
    fn sigterm_sets_the_installed_signal() {
        let stop = StopSignal::install().expect("handlers can be installed");
        rt::block_on(move || async move {
            // SAFETY: raising a signal whose handler was just installed.
            unsafe { libc::raise(libc::SIGTERM) };
            assert_eq!(rt::timeout(Duration::from_secs(5), stop.wait()).await, Some(()));
        });
    }
}
