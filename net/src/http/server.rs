//! Accepting, handing sockets to cores in turn, handing them on between cores, draining.
//!
//! ```text
//! kernel ─► acceptor (core 0) ─┬─► inbox of core 0 ═► connection task ─┐
//!                              ├─► inbox of core 1 ═► connection task  │ moves, see `affinity`
//!                              └─► inbox of core 2 …  ◄────────────────┘
//! ```
//!
//! One acceptor, because the kernel's own spreading (SO_REUSEPORT) hashes: of two connections both may land on one core. An inbox
//! holds no more than the connections that its core may have.

use std::{
    cell::Cell,
    future::{Future, poll_fn},
    io, net,
    pin::Pin,
    rc::Rc,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    time::{Duration, Instant},
};

use super::{
    affinity::Affinity, connection, limits::Limits, refusal::Refusal, request::Request, response::Response,
    watch::Watch,
};
use crate::{
    rt::{self, Accepted, Busy, Class, StopSignal, TcpListener, bell::Bell},
    tls::{Acceptor, Released},
};

/// How long the acceptor waits when no core takes more, or when the process is out of descriptors or memory.
const PAUSE: Duration = Duration::from_millis(10);

/// Connections that are accepted before others have the core for a moment: some tenths of a millisecond.
const ACCEPTED_AT_ONCE: usize = 32;

/// A core hands on one connection in this time, so that it and the other can tell what that has changed before the next one goes.
const MOVE_EVERY: Duration = Duration::from_millis(250);

/// Answers one request. Runs on the core that owns the connection.
pub type Handler = Rc<dyn Fn(Request) -> Pin<Box<dyn Future<Output = Response>>>>;

/// Told what a client was waiting for ([`super::Peer::waits_for`]) that has gone. Runs on the core that owns the connection.
pub type Gone = Rc<dyn Fn(u64)>;

#[derive(Clone)]
pub struct Config {
    pub limits: Limits,
    /// Makes the answers to what never reaches the handler (and to requests whose handler panicked).
    pub error_page: fn(&Refusal) -> Response,
    pub stop: StopSignal,
    /// With it, nothing is answered that does not come under TLS.
    pub tls: Option<Acceptor>,
}

/// One core's part of a server, to be moved to its core.
pub struct Seat {
    core: usize,
    shared: Arc<Shared>,
    /// On core 0.
    listener: Option<net::TcpListener>,
    inbox: Receiver<Handed>,
}

/// A connection on its way to a core.
pub(super) struct Handed {
    pub stream: Released,
    pub affinity: Affinity,
}

struct Shared {
    inboxes: Vec<Sender<Handed>>,
    bells: Vec<Bell>,
    /// Set when the core serves.
    busy: Vec<OnceLock<Busy>>,
    /// Connections of each core, those on their way included.
    open: Vec<AtomicUsize>,
    opened: AtomicU64,
    moved: AtomicU64,
    requests: Vec<AtomicU64>,
}

/// Counts of one server, readable from any thread.
#[derive(Clone)]
pub struct ServerStats {
    shared: Arc<Shared>,
}

impl ServerStats {
    /// Connections that are open now, on all cores.
    pub fn open(&self) -> u64 {
        self.shared.open.iter().map(|open| open.load(Ordering::Relaxed) as u64).sum()
    }

    /// Connections that were ever accepted.
    pub fn opened(&self) -> u64 {
        self.shared.opened.load(Ordering::Relaxed)
    }

    /// How often a connection was handed on from one core to another.
    pub fn moved(&self) -> u64 {
        self.shared.moved.load(Ordering::Relaxed)
    }

    /// Requests that reached the handler.
    pub fn requests(&self) -> u64 {
        self.shared.requests.iter().map(|requests| requests.load(Ordering::Relaxed)).sum()
    }
}

/// Makes the parts of a server: seat `i` belongs to core `i`, and core 0 accepts.
pub fn seats(listener: net::TcpListener, cores: usize) -> Vec<Seat> {
    assert!(cores > 0, "somebody has to accept");
    let (inboxes, receivers): (Vec<_>, Vec<_>) = (0..cores).map(|_| mpsc::channel()).unzip();
    let shared = Arc::new(Shared {
        inboxes,
        bells: (0..cores).map(|_| Bell::new()).collect(),
        busy: (0..cores).map(|_| OnceLock::new()).collect(),
        open: (0..cores).map(|_| AtomicUsize::new(0)).collect(),
        opened: AtomicU64::new(0),
        moved: AtomicU64::new(0),
        requests: (0..cores).map(|_| AtomicU64::new(0)).collect(),
    });
    let mut listener = Some(listener);
    let seat = |(core, inbox)| Seat { core, shared: shared.clone(), listener: listener.take(), inbox };
    receivers.into_iter().enumerate().map(seat).collect()
}

impl Seat {
    pub fn stats(&self) -> ServerStats {
        ServerStats { shared: self.shared.clone() }
    }
}

/// What the connections of one core have in common.
pub(super) struct Service {
    pub limits: Limits,
    pub handler: Handler,
    pub error_page: fn(&Refusal) -> Response,
    pub tls: Option<Acceptor>,
    pub watch: Rc<Watch>,
    /// Body bytes of this core's requests, see [`super::BodyBudget`].
    pub inflight: Cell<usize>,
    stop: StopSignal,
    core: usize,
    shared: Arc<Shared>,
    /// When the last connection was handed on.
    moved_at: Cell<Option<Instant>>,
}

impl Service {
    pub fn core(&self) -> usize {
        self.core
    }

    /// The core that a connection should be handed on to now.
    pub fn wish(&self, affinity: &Affinity) -> Option<usize> {
        let shared = &self.shared;
        let busy = |core: usize| shared.busy[core].get().map_or(u32::MAX, Busy::per_mille);
        let core = affinity.wish(self.core, shared.open.len(), busy)?;
        let rested = self.moved_at.get().is_none_or(|at| at.elapsed() >= MOVE_EVERY);
        let room = shared.open[core].load(Ordering::Relaxed) < self.limits.connections_per_core;
        (rested && room && !self.is_stopping()).then_some(core)
    }

    /// Hands a connection on. Its count on this core is the caller's.
    pub fn hand_on(&self, core: usize, handed: Handed) {
        self.moved_at.set(Some(Instant::now()));
        self.shared.moved.fetch_add(1, Ordering::Relaxed);
        self.shared.send(core, handed);
    }

    pub fn is_stopping(&self) -> bool {
        self.stop.is_set()
    }

    pub fn count_request(&self) {
        self.shared.requests[self.core].fetch_add(1, Ordering::Relaxed);
    }
}

impl Shared {
    fn send(&self, core: usize, handed: Handed) {
        self.open[core].fetch_add(1, Ordering::Relaxed);
        if self.inboxes[core].send(handed).is_err() {
            // The core has ended, and the socket is closed with the error.
            self.open[core].fetch_sub(1, Ordering::Relaxed);
        }
        self.bells[core].ring();
    }
}

/// Serves this core's connections until `config.stop` is set. Then nothing more is accepted, connections without a request are
/// closed, requests that run are answered, and this returns. A request that is still arriving has `drain_receive_timeout` to
/// become whole; after `drain_timeout` this returns in any case.
pub async fn serve(seat: Seat, config: Config, handler: Handler, gone: Gone) {
    let Seat { core, shared, listener, inbox } = seat;
    // A second server on the same core measures the same.
    let _ = shared.busy[core].set(Busy::current());
    let watch = Rc::new(Watch::default());
    let service = Rc::new(Service {
        limits: config.limits,
        handler,
        error_page: config.error_page,
        tls: config.tls,
        watch: watch.clone(),
        inflight: Cell::new(0),
        stop: config.stop.clone(),
        core,
        shared,
        moved_at: Cell::new(None),
    });
    let looking = rt::spawn_in(Class::Latency, watch.clone().look(service.limits.clone(), gone));
    let accepting = listener.map(|listener| rt::spawn_in(Class::Latency, accept(listener, service.clone())));
    let inbox = Rc::new(inbox);
    let receiving = rt::spawn_in(Class::Latency, receive(inbox.clone(), service.clone()));
    config.stop.wait().await;
    drop((accepting, receiving));
    let stopped = Instant::now();
    let drained = rt::timeout(service.limits.drain_timeout, async {
        // Again and again: a connection may have been between two states, or may just have been handed over.
        loop {
            while let Ok(handed) = inbox.try_recv() {
                start(handed, &service);
            }
            watch.close_waiting();
            if stopped.elapsed() >= service.limits.drain_receive_timeout {
                watch.close_receiving();
            }
            if rt::timeout(Duration::from_millis(50), watch.until_empty()).await.is_some() {
                return;
            }
        }
    });
    if drained.await.is_none() {
        watch.close_all();
        // The tasks that are cut off here notice at their next read or write; a handler that hangs is left to the core's end.
        let _ = rt::timeout(Duration::from_millis(100), watch.until_empty()).await;
    }
    drop(looking);
}

/// The acceptor's task.
async fn accept(listener: net::TcpListener, service: Rc<Service>) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!("cannot accept connections: {error}"),
    };
    let (mut next, mut accepted_at_once) = (0, 0);
    loop {
        match listener.accept().await {
            Ok(accepted) => hand_out(accepted, &mut next, &service).await,
            Err(error) if is_exhausted(&error) => {
                tracing::warn!("cannot accept connections for the moment: {error}");
                rt::sleep(PAUSE * 10).await;
            }
            // The peer was gone before it was accepted.
            Err(error) => tracing::debug!("a connection was not accepted: {error}"),
        }
        // Giving way to long work would let the kernel's queue run over on a busy core: it drops what comes then, and clients try again a
        // second later.
        accepted_at_once += 1;
        if accepted_at_once == ACCEPTED_AT_ONCE {
            accepted_at_once = 0;
            rt::yield_now().await;
        }
    }
}

fn is_exhausted(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM))
}

/// Gives the socket to the next core in turn that has room; waits while none has.
async fn hand_out(accepted: Accepted, next: &mut usize, service: &Rc<Service>) {
    let shared = &service.shared;
    shared.opened.fetch_add(1, Ordering::Relaxed);
    loop {
        for _ in 0..shared.open.len() {
            let core = *next;
            *next = (core + 1) % shared.open.len();
            if shared.open[core].load(Ordering::Relaxed) < service.limits.connections_per_core {
                shared.send(core, Handed { stream: accepted.into(), affinity: Affinity::default() });
                return;
            }
        }
        rt::sleep(PAUSE).await;
    }
}

/// The task that takes over what is handed to this core.
async fn receive(inbox: Rc<Receiver<Handed>>, service: Rc<Service>) {
    let sleeper = service.shared.bells[service.core].sleeper();
    loop {
        let handed = poll_fn(|cx| sleeper.poll(cx, || inbox.try_recv().ok())).await;
        start(handed, &service);
    }
}

fn start(handed: Handed, service: &Rc<Service>) {
    let counted = Counted(service.clone());
    let Handed { stream, affinity } = handed;
    let stream = stream.into_stream();
    let service = service.clone();
    rt::spawn_in(Class::Latency, async move {
        let _counted = counted;
        // Without a peer address the client is gone already.
        if let Ok(remote) = stream.peer_addr() {
            connection::run(stream, remote, affinity, service).await;
        }
    })
    .detach();
}

/// One connection in `Shared::open`, counted by whoever sent it.
struct Counted(Rc<Service>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.shared.open[self.0.core].fetch_sub(1, Ordering::Relaxed);
    }
}
