//! Accepting, handing sockets to cores in turn, draining.
//!
//! ```text
//! kernel ─► acceptor (core 0) ─┬─ ring ═► core 1 ─► connection task
//!                              ├─ ring ═► core 2 …
//!                              └─────────────────► connection task of core 0
//! ```
//!
//! One acceptor, because the kernel's own spreading (SO_REUSEPORT) hashes: of two connections both may land on one core.

use std::{
    cell::{Cell, RefCell},
    future::{Future, poll_fn},
    io, net,
    pin::Pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use super::{connection, limits::Limits, refusal::Refusal, request::Request, response::Response, watch::Watch};
use crate::{
    mesh::ring::{Consumer, Producer, ring},
    rt::{self, Accepted, Class, StopSignal, TcpListener, bell::Bell},
};

/// Sockets on their way to one core.
const RING: usize = 256;

/// How long the acceptor waits when no core takes more, or when the process is out of descriptors or memory.
const PAUSE: Duration = Duration::from_millis(10);

/// Answers one request. Runs on the core that owns the connection.
pub type Handler = Rc<dyn Fn(Request) -> Pin<Box<dyn Future<Output = Response>>>>;

#[derive(Clone)]
pub struct Config {
    pub limits: Limits,
    /// Makes the answers to what never reaches the handler (and to requests whose handler panicked).
    pub error_page: fn(&Refusal) -> Response,
    pub stop: StopSignal,
}

/// One core's part of a server, to be moved to its core.
pub struct Seat {
    core: usize,
    shared: Arc<Shared>,
    /// On core 0.
    acceptor: Option<(net::TcpListener, Vec<Producer<Accepted>>)>,
    /// On all others.
    sockets: Option<Consumer<Accepted>>,
}

struct Shared {
    bells: Vec<Bell>,
    /// Connections of each core, those on their way included.
    open: Vec<AtomicUsize>,
    opened: AtomicU64,
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

    /// Requests that reached the handler.
    pub fn requests(&self) -> u64 {
        self.shared.requests.iter().map(|requests| requests.load(Ordering::Relaxed)).sum()
    }
}

/// Makes the parts of a server: seat `i` belongs to core `i`, and core 0 accepts.
pub fn seats(listener: net::TcpListener, cores: usize) -> Vec<Seat> {
    assert!(cores > 0, "somebody has to accept");
    let shared = Arc::new(Shared {
        bells: (0..cores).map(|_| Bell::new()).collect(),
        open: (0..cores).map(|_| AtomicUsize::new(0)).collect(),
        opened: AtomicU64::new(0),
        requests: (0..cores).map(|_| AtomicU64::new(0)).collect(),
    });
    let (producers, consumers): (Vec<_>, Vec<_>) = (1..cores).map(|_| ring(RING)).unzip();
    let first = Seat { core: 0, shared: shared.clone(), acceptor: Some((listener, producers)), sockets: None };
    let others = consumers.into_iter().enumerate().map(|(index, sockets)| Seat {
        core: index + 1,
        shared: shared.clone(),
        acceptor: None,
        sockets: Some(sockets),
    });
    std::iter::once(first).chain(others).collect()
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
    pub watch: Rc<Watch>,
    /// Body bytes of this core's requests, see `Limits::inflight_bytes`.
    pub inflight: Cell<usize>,
    stop: StopSignal,
    core: usize,
    shared: Arc<Shared>,
}

impl Service {
    pub fn is_stopping(&self) -> bool {
        self.stop.is_set()
    }

    pub fn count_request(&self) {
        self.shared.requests[self.core].fetch_add(1, Ordering::Relaxed);
    }
}

/// Serves this core's connections until `config.stop` is set. Then nothing more is accepted, connections without a request are
/// closed, requests that run are answered, and this returns. A request that is still arriving has `drain_receive_timeout` to
/// become whole; after `drain_timeout` this returns in any case.
pub async fn serve(seat: Seat, config: Config, handler: Handler) {
    let Seat { core, shared, acceptor, sockets } = seat;
    let watch = Rc::new(Watch::default());
    let service = Rc::new(Service {
        limits: config.limits,
        handler,
        error_page: config.error_page,
        watch: watch.clone(),
        inflight: Cell::new(0),
        stop: config.stop.clone(),
        core,
        shared,
    });
    let looking = rt::spawn_in(Class::Latency, watch.clone().look(service.limits.clone()));
    let incoming = rt::spawn_in(Class::Latency, {
        let service = service.clone();
        async move {
            match (acceptor, sockets) {
                (Some((listener, producers)), _) => accept(listener, producers, service).await,
                (None, Some(sockets)) => receive(sockets, service).await,
                (None, None) => unreachable!("every seat has one of the two"),
            }
        }
    });
    config.stop.wait().await;
    drop(incoming);
    let stopped = Instant::now();
    let drained = rt::timeout(service.limits.drain_timeout, async {
        // Again and again: a connection may have been between two states, or may just have been handed over.
        loop {
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
async fn accept(listener: net::TcpListener, producers: Vec<Producer<Accepted>>, service: Rc<Service>) {
    let listener = TcpListener::from_std(listener);
    let producers = RefCell::new(producers);
    let mut next = 0;
    loop {
        match listener.accept().await {
            Ok(accepted) => hand_out(accepted, &mut next, &producers, &service).await,
            Err(error) if is_exhausted(&error) => {
                tracing::warn!("cannot accept connections for the moment: {error}");
                rt::sleep(PAUSE * 10).await;
            }
            // The peer was gone before it was accepted.
            Err(error) => tracing::debug!("a connection was not accepted: {error}"),
        }
        rt::yield_if_needed().await;
    }
}

fn is_exhausted(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM))
}

/// Gives the socket to the next core in turn that has room; waits while none has.
async fn hand_out(
    mut accepted: Accepted,
    next: &mut usize,
    producers: &RefCell<Vec<Producer<Accepted>>>,
    service: &Rc<Service>,
) {
    let shared = &service.shared;
    shared.opened.fetch_add(1, Ordering::Relaxed);
    loop {
        for _ in 0..shared.open.len() {
            let core = *next;
            *next = (core + 1) % shared.open.len();
            if shared.open[core].load(Ordering::Relaxed) >= service.limits.connections_per_core {
                continue;
            }
            shared.open[core].fetch_add(1, Ordering::Relaxed);
            if core == 0 {
                start(accepted, service);
                return;
            }
            match producers.borrow_mut()[core - 1].push(accepted) {
                Ok(()) => {
                    shared.bells[core].ring();
                    return;
                }
                Err(back) => {
                    shared.open[core].fetch_sub(1, Ordering::Relaxed);
                    accepted = back;
                }
            }
        }
        rt::sleep(PAUSE).await;
    }
}

/// The task of the other cores that takes over what the acceptor hands out.
async fn receive(mut sockets: Consumer<Accepted>, service: Rc<Service>) {
    let sleeper = service.shared.bells[service.core].sleeper();
    loop {
        let accepted = poll_fn(|cx| sleeper.poll(cx, || sockets.pop())).await;
        // The acceptor does not wait for room but comes again.
        let _ = sockets.settle();
        start(accepted, &service);
    }
}

fn start(accepted: Accepted, service: &Rc<Service>) {
    let counted = Counted(service.clone());
    let stream = accepted.into_stream();
    let service = service.clone();
    rt::spawn_in(Class::Latency, async move {
        let _counted = counted;
        // Without a peer address the client is gone already.
        if let Ok(remote) = stream.peer_addr() {
            connection::run(stream, remote, service).await;
        }
    })
    .detach();
}

/// One connection in `Shared::open`, counted by the acceptor.
struct Counted(Rc<Service>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.shared.open[self.0.core].fetch_sub(1, Ordering::Relaxed);
    }
}
