//! The deadlines of all connections of a core.
//!
//! A timer per read would cost a tree insertion and removal per request. Instead every connection writes its deadline into a
//! cell, and one task looks at all cells now and then. What it finds late is shut down, which ends the read or write that waits.
//! The same look tells when a client has gone for whom work is being done.

use std::{
    cell::{Cell, RefCell},
    net::Shutdown,
    os::fd::RawFd,
    rc::Rc,
    time::{Duration, Instant},
};

use super::{limits::Limits, server::Gone};
use crate::{
    rt::{self, Notify, has_hung_up, shutdown},
    tls::Stream,
};

/// How exact deadlines are, at most; short ones are looked at four times as they pass.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Connections that are looked at between two looks at the clock.
const LOOKED_AT_ONCE: usize = 32;

#[derive(Default)]
pub(super) struct Watch {
    entries: RefCell<Vec<Option<Rc<Entry>>>>,
    free: RefCell<Vec<usize>>,
    open: Cell<usize>,
    agreeing: Cell<usize>,
    changed: Notify,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doing {
    /// On keys. Nothing of a request is here.
    Agreeing,
    /// Between requests: may be closed at any time.
    Waiting,
    Reading,
    Handling,
    Writing,
}

struct Entry {
    fd: RawFd,
    doing: Cell<Doing>,
    deadline: Cell<Option<Instant>>,
    late: Cell<bool>,
    /// What is being done for the client and nobody else; 0 for nothing of the kind.
    work: Cell<u64>,
}

/// The client of a request.
#[derive(Clone, Default)]
pub struct Peer(Option<Rc<Entry>>);

impl Peer {
    /// Nobody needs `work` any more when this client is gone before it has its answer; what the server was told to do then is
    /// done, once.
    pub fn waits_for(&self, work: u64) {
        if let Some(entry) = &self.0 {
            entry.work.set(work);
        }
    }
}

impl std::fmt::Debug for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Peer").field(&self.0.as_ref().map(|entry| entry.fd)).finish()
    }
}

/// A connection's place; dropping it ends the watching. It must be dropped before the stream.
pub(super) struct Watched {
    watch: Rc<Watch>,
    slot: usize,
    entry: Rc<Entry>,
}

impl Watch {
    pub fn add(self: &Rc<Self>, stream: &Stream) -> Watched {
        let entry = Rc::new(Entry {
            fd: stream.raw(),
            doing: Cell::new(Doing::Waiting),
            deadline: Cell::new(None),
            late: Cell::new(false),
            work: Cell::new(0),
        });
        let mut entries = self.entries.borrow_mut();
        let slot = self.free.borrow_mut().pop().unwrap_or_else(|| {
            entries.push(None);
            entries.len() - 1
        });
        entries[slot] = Some(entry.clone());
        self.open.set(self.open.get() + 1);
        self.changed.notify_all();
        Watched { watch: self.clone(), slot, entry }
    }

    /// Ends those that have been agreeing on keys for longest, so that no more than `max` do.
    fn bound_agreeing(&self, max: usize) {
        if self.agreeing.get() <= max {
            return;
        }
        let entries = self.entries.borrow();
        let agreeing = entries.iter().flatten().filter(|entry| entry.doing.get() == Doing::Agreeing);
        // One that was ended already has no deadline, and is on its way out.
        if let Some(oldest) =
            agreeing.filter(|entry| entry.deadline.get().is_some()).min_by_key(|entry| entry.deadline.get())
        {
            oldest.deadline.set(None);
            oldest.late.set(true);
            shutdown(oldest.fd, Shutdown::Both);
        }
    }

    /// Ends the connections that wait for a request. What their clients have sent already is still read and answered.
    pub fn close_waiting(&self) {
        for entry in self.entries.borrow().iter().flatten().filter(|entry| entry.doing.get() <= Doing::Waiting) {
            shutdown(entry.fd, Shutdown::Read);
        }
    }

    /// Ends the connections whose request has not arrived whole. Their clients are told that they were too slow.
    pub fn close_receiving(&self) {
        for entry in self.entries.borrow().iter().flatten().filter(|entry| entry.doing.get() == Doing::Reading) {
            entry.deadline.set(None);
            entry.late.set(true);
            shutdown(entry.fd, Shutdown::Read);
        }
    }

    pub fn close_all(&self) {
        for entry in self.entries.borrow().iter().flatten() {
            shutdown(entry.fd, Shutdown::Both);
        }
    }

    /// Returns when no connection is left.
    pub async fn until_empty(&self) {
        while self.open.get() > 0 {
            self.changed.wait().await;
        }
    }

    /// The task that looks. Sleeps without a timer while there is no connection.
    pub async fn look(self: Rc<Self>, limits: Limits, gone: Gone) {
        let shortest = [limits.handshake_timeout, limits.header_timeout, limits.body_timeout, limits.idle_timeout];
        let shortest = shortest.into_iter().min().unwrap_or(LOOK_EVERY);
        let every = (shortest / 4).clamp(Duration::from_millis(1), LOOK_EVERY);
        loop {
            while self.open.get() == 0 {
                self.changed.wait().await;
            }
            rt::sleep(every).await;
            self.look_at_all(&gone).await;
        }
    }

    /// Looks at every connection once, and gives way in between: asking the kernel for a thousand of them takes milliseconds.
    async fn look_at_all(&self, gone: &Gone) {
        let (mut slot, mut now) = (0, Instant::now());
        loop {
            let entry = match self.entries.borrow().get(slot) {
                Some(entry) => entry.clone(),
                None => return,
            };
            slot += 1;
            if let Some(entry) = entry {
                entry.look(now, gone);
            }
            if slot % LOOKED_AT_ONCE == 0 {
                rt::yield_if_needed().await;
                now = Instant::now();
            }
        }
    }
}

impl Entry {
    fn look(&self, now: Instant, gone: &Gone) {
        // A client that has closed its half does not read either, as far as servers of the kind go by.
        if self.work.get() != 0 && has_hung_up(self.fd) {
            gone(self.work.take());
        }
        if self.deadline.get().is_some_and(|deadline| deadline <= now) {
            self.deadline.set(None);
            self.late.set(true);
            // A client that was too slow with its request is still told so.
            shutdown(self.fd, if self.doing.get() == Doing::Reading { Shutdown::Read } else { Shutdown::Both });
        }
    }
}

impl Watched {
    /// Keys are agreed on until `deadline`; of the connections of the core that do so, only `max` may go on.
    pub fn agree(&self, deadline: Instant, max: usize) {
        self.set(Doing::Agreeing, Some(deadline));
        self.watch.agreeing.set(self.watch.agreeing.get() + 1);
        self.watch.bound_agreeing(max);
    }

    /// Keys are agreed on, or will not be.
    pub fn agreed(&self) {
        self.watch.agreeing.set(self.watch.agreeing.get() - 1);
        self.set(Doing::Waiting, None);
    }

    /// What the connection does from now on, and by when it has to do something else.
    pub fn set(&self, doing: Doing, deadline: Option<Instant>) {
        self.entry.work.set(0);
        self.entry.doing.set(doing);
        self.entry.deadline.set(deadline);
    }

    pub fn peer(&self) -> Peer {
        Peer(Some(self.entry.clone()))
    }

    pub fn doing(&self) -> Doing {
        self.entry.doing.get()
    }

    /// True when a deadline has passed and the connection was shut down for it.
    pub fn is_late(&self) -> bool {
        self.entry.late.get()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if self.doing() == Doing::Agreeing {
            self.agreed();
        }
        self.watch.entries.borrow_mut()[self.slot] = None;
        self.watch.free.borrow_mut().push(self.slot);
        self.watch.open.set(self.watch.open.get() - 1);
        self.watch.changed.notify_all();
    }
}
