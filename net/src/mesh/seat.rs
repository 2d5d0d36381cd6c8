//! One core's end of the mesh.
//!
//! ```text
//! call(core, q) ─► pending[id], request ring ═══► resident task of `core` ─► handler task
//!               ◄─ pending[id] ◄─ resident task ◄═══ reply ring ◄─ its result
//! ```
//!
//! Back-pressure: a core runs at most [`RUNNING_MAX`] handlers for each other core and then leaves requests in their ring. A
//! caller at a full ring is parked with its request in the outbox of its own core, which the resident task empties as room
//! appears; so a mesh holds no more requests than there are callers that wait for one. Handlers that call back and forth between
//! two cores can use up both budgets and wait for each other for ever: call in one direction.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    fmt,
    future::{Future, poll_fn},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};

use super::{
    pending::{Pending, Waiting},
    ring::{Consumer, Producer, ring},
    visits,
};
use crate::rt::{self, bell::Bell};

/// Requests, and replies, that fit between two cores.
const RING: usize = 256;

/// Messages of each kind taken from one other core before the next gets its turn.
const BATCH: usize = 64;

/// Handlers that one core runs at once for one other core.
const RUNNING_MAX: usize = 1024;

/// The rings are looked at this often even if nobody rings. The models say that this never finds anything; it is here for the
/// day when they are wrong, and counts what it finds.
const TICK: Duration = Duration::from_millis(250);

/// How often a core that has finished looks whether the others have.
const LEAVE_LOOK: Duration = Duration::from_millis(1);

/// The called core has ended, or its handler panicked. Whether the request took effect is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    pub core: usize,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "core [{}] did not answer", self.core)
    }
}

impl std::error::Error for Lost {}

/// Counted per core, since it joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshStats {
    /// Calls made to other cores.
    pub calls: u64,
    /// Requests of other cores that were handled.
    pub handled: u64,
    /// Messages that met a full ring.
    pub full: u64,
    /// How often the resident task went to sleep.
    pub parks: u64,
    /// Messages found by the safety tick alone. Anything but 0 is a bug.
    pub late: u64,
}

struct Request<Q> {
    id: u64,
    q: Q,
}

struct Reply<R> {
    id: u64,
    /// `None`: the handler panicked.
    r: Option<R>,
}

/// What all cores share.
struct Floor {
    bells: Vec<Bell>,
    gone: Vec<AtomicBool>,
    /// Cores that need nobody any more, see [`Mesh::leave`].
    finished: AtomicUsize,
}

/// Both directions to one other core. The outboxes hold what did not fit into the rings, in order.
struct Peer<Q, R> {
    requests_out: Producer<Request<Q>>,
    requests_in: Consumer<Request<Q>>,
    replies_out: Producer<Reply<R>>,
    replies_in: Consumer<Reply<R>>,
    request_box: VecDeque<Request<Q>>,
    reply_box: VecDeque<Reply<R>>,
    running: usize,
    gone: bool,
}

/// A place in the mesh, to be moved to its core.
pub struct MeshSeat<Q, R> {
    core: usize,
    /// `None` at this core's own index.
    peers: Vec<Option<Peer<Q, R>>>,
    floor: Leaving,
}

/// Makes the rings between `cores` cores. Seat `i` belongs to core `i`; a seat that is dropped counts as a core that has ended.
pub fn build<Q: Send, R: Send>(cores: usize) -> Vec<MeshSeat<Q, R>> {
    build_with(cores, RING)
}

fn build_with<Q: Send, R: Send>(cores: usize, capacity: usize) -> Vec<MeshSeat<Q, R>> {
    let floor = Arc::new(Floor {
        bells: (0..cores).map(|_| Bell::new()).collect(),
        gone: (0..cores).map(|_| AtomicBool::new(false)).collect(),
        finished: AtomicUsize::new(0),
    });
    let mut requests = grid(cores, capacity);
    let mut replies = grid(cores, capacity);
    (0..cores)
        .map(|core| MeshSeat {
            core,
            peers: (0..cores)
                .map(|peer| {
                    (peer != core).then(|| Peer {
                        requests_out: requests[core][peer].0.take().expect("each end is taken once"),
                        requests_in: requests[peer][core].1.take().expect("each end is taken once"),
                        replies_out: replies[core][peer].0.take().expect("each end is taken once"),
                        replies_in: replies[peer][core].1.take().expect("each end is taken once"),
                        request_box: VecDeque::new(),
                        reply_box: VecDeque::new(),
                        running: 0,
                        gone: false,
                    })
                })
                .collect(),
            floor: Leaving { floor: floor.clone(), core },
        })
        .collect()
}

type Ends<T> = (Option<Producer<T>>, Option<Consumer<T>>);

/// `[from][to]`, without the diagonal.
fn grid<T: Send>(cores: usize, capacity: usize) -> Vec<Vec<Ends<T>>> {
    let cell = |from: usize, to: usize| {
        if from == to {
            return (None, None);
        }
        let (producer, consumer) = ring(capacity);
        (Some(producer), Some(consumer))
    };
    (0..cores).map(|from| (0..cores).map(|to| cell(from, to)).collect()).collect()
}

/// Tells the others when this core leaves.
struct Leaving {
    floor: Arc<Floor>,
    core: usize,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.floor.gone[self.core].store(true, Ordering::Release);
        for bell in &self.floor.bells {
            bell.ring();
        }
    }
}

type Handler<Q, R> = dyn Fn(usize, Q) -> Pin<Box<dyn Future<Output = R>>>;

impl<Q: Send + 'static, R: Send + 'static> MeshSeat<Q, R> {
    /// Joins the mesh on this seat's core: starts the resident task, which hands requests to `handler` (with the number of the
    /// core that asks), each in a task of its own. The core leaves the mesh when it ends.
    ///
    /// # Panics
    /// Outside an executor.
    pub fn join(self, handler: impl Fn(usize, Q) -> Pin<Box<dyn Future<Output = R>>> + 'static) -> Mesh<Q, R> {
        let inner = Rc::new(Inner {
            core: self.core,
            floor: self.floor.floor.clone(),
            peers: self.peers.into_iter().map(|peer| peer.map(RefCell::new)).collect(),
            pending: Pending::default(),
            handler: Box::new(handler),
            stats: Cell::default(),
            scratch: Cell::default(),
        });
        rt::spawn_in(rt::Class::Latency, attend(inner.clone(), self.floor)).detach();
        rt::spawn_in(rt::Class::Latency, tick(inner.clone())).detach();
        Mesh { inner }
    }
}

/// This core's end of the mesh. Clones are the same end.
pub struct Mesh<Q, R> {
    inner: Rc<Inner<Q, R>>,
}

impl<Q, R> Clone for Mesh<Q, R> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<Q: Send + 'static, R: Send + 'static> Mesh<Q, R> {
    pub fn core(&self) -> usize {
        self.inner.core
    }

    pub fn cores(&self) -> usize {
        self.inner.peers.len()
    }

    pub fn stats(&self) -> MeshStats {
        self.inner.stats.get()
    }

    /// Calls to other cores that wait for their answer.
    pub fn waiting(&self) -> usize {
        self.inner.pending.waiting()
    }

    /// To be called once, when this core will make no more calls: returns when that holds for all cores, so that none ends while
    /// another still needs it. False when that takes longer than `limit` (a core that panicked never gets here).
    pub async fn leave(&self, limit: Duration) -> bool {
        let floor = &self.inner.floor;
        floor.finished.fetch_add(1, Ordering::AcqRel);
        let all = async {
            while floor.finished.load(Ordering::Acquire) < self.cores() {
                rt::sleep(LEAVE_LOOK).await;
            }
        };
        rt::timeout(limit, all).await.is_some()
    }

    /// Has the handler of `core` answer `q`. Requests to one core arrive in the order in which their futures were first polled. A
    /// call to this core itself runs the handler in place. Dropping the future gives the answer up, not the request.
    ///
    /// # Panics
    /// When there is no such core.
    pub async fn call(&self, core: usize, q: Q) -> Result<R, Lost> {
        let inner = &*self.inner;
        visits::note(core);
        if core == inner.core {
            return call_in_place(async { (inner.handler)(core, q).await }, core).await;
        }
        inner.count(|stats| stats.calls += 1);
        let waiting = Waiting::new(&inner.pending, core);
        inner.send_request(core, Request { id: waiting.id(), q });
        poll_fn(|cx| waiting.poll(cx.waker())).await.ok_or(Lost { core })
    }
}

impl<Q, R> Mesh<Q, R> {
    /// Does work of this core in place, as [`Self::call`] has a handler do it.
    pub async fn work_here<T>(&self, work: impl Future<Output = T>) -> Result<T, Lost> {
        visits::note(self.inner.core);
        call_in_place(work, self.inner.core).await
    }
}

async fn call_in_place<R>(answer: impl Future<Output = R>, core: usize) -> Result<R, Lost> {
    let mut answer = pin!(answer);
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx))) {
        Ok(Poll::Ready(r)) => Poll::Ready(Ok(r)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(payload) => {
            rt::report_panic(payload, "mesh handler");
            Poll::Ready(Err(Lost { core }))
        }
    })
    .await
}

struct Inner<Q, R> {
    core: usize,
    floor: Arc<Floor>,
    peers: Vec<Option<RefCell<Peer<Q, R>>>>,
    pending: Pending<R>,
    handler: Box<Handler<Q, R>>,
    stats: Cell<MeshStats>,
    /// Empty between uses; keeps its allocation.
    scratch: Cell<Vec<Request<Q>>>,
}

impl<Q: Send + 'static, R: Send + 'static> Inner<Q, R> {
    fn count(&self, f: impl FnOnce(&mut MeshStats)) {
        let mut stats = self.stats.get();
        f(&mut stats);
        self.stats.set(stats);
    }

    fn peer(&self, core: usize) -> &RefCell<Peer<Q, R>> {
        self.peers[core].as_ref().expect("a core is not its own peer")
    }

    fn send_request(&self, core: usize, request: Request<Q>) {
        let mut peer = self.peer(core).borrow_mut();
        if peer.gone {
            self.pending.fill(request.id, None);
            return;
        }
        let Peer { request_box, requests_out, .. } = &mut *peer;
        self.send(core, request, request_box, requests_out);
    }

    /// Returns whether the budget of handlers was used up until now.
    fn send_reply(&self, core: usize, reply: Reply<R>) -> bool {
        let mut peer = self.peer(core).borrow_mut();
        let exhausted = peer.running == RUNNING_MAX;
        peer.running -= 1;
        if !peer.gone {
            let Peer { reply_box, replies_out, .. } = &mut *peer;
            self.send(core, reply, reply_box, replies_out);
        }
        exhausted
    }

    /// Into the ring, or behind those that already wait for it.
    fn send<T>(&self, core: usize, message: T, outbox: &mut VecDeque<T>, ring: &mut Producer<T>) {
        let refused = if outbox.is_empty() { ring.push(message).err() } else { Some(message) };
        match refused {
            None => self.floor.bells[core].ring(),
            Some(message) => {
                outbox.push_back(message);
                self.count(|stats| stats.full += 1);
            }
        }
    }

    /// Takes everything out of the rings of this core that may be taken, and puts into those of others what waits for them.
    /// Returns how many messages moved.
    fn pump(self: &Rc<Self>) -> usize {
        (0..self.peers.len()).filter(|&core| core != self.core).map(|core| self.pump_peer(core)).sum()
    }

    fn pump_peer(self: &Rc<Self>, core: usize) -> usize {
        let mut moved = 0;
        let mut requests = self.scratch.take();
        let mut peer = self.peer(core).borrow_mut();
        // Read before the rings, so that what a core said before it left is heard.
        let gone = !peer.gone && self.floor.gone[core].load(Ordering::Acquire);
        while moved < BATCH
            && let Some(reply) = peer.replies_in.pop()
        {
            self.pending.fill(reply.id, reply.r);
            moved += 1;
        }
        while requests.len() < BATCH
            && peer.running < RUNNING_MAX
            && let Some(request) = peer.requests_in.pop()
        {
            peer.running += 1;
            requests.push(request);
        }
        let Peer { request_box, requests_out, reply_box, replies_out, .. } = &mut *peer;
        let flushed = flush(request_box, requests_out, |request| !self.pending.is_waiting(request.id))
            + flush(reply_box, replies_out, |_| false);
        // Both must be asked: each resets its own mark.
        let room = [peer.replies_in.settle(), peer.requests_in.settle()];
        if flushed > 0 || room.contains(&true) {
            self.floor.bells[core].ring();
        }
        moved += flushed + requests.len();
        let mut unsent = None;
        if gone {
            peer.gone = true;
            unsent = Some((mem::take(&mut peer.request_box), mem::take(&mut peer.reply_box)));
            self.pending.lose(core);
        }
        // From here on code of others runs (handlers, destructors), which may come back to this peer.
        drop(peer);
        drop(unsent);
        for request in requests.drain(..) {
            self.start_handler(core, request);
        }
        self.scratch.set(requests);
        moved
    }

    /// Whether [`Self::pump`] would find anything that others have done since the last time.
    fn has_input(&self) -> bool {
        self.peers.iter().enumerate().any(|(core, peer)| {
            let Some(peer) = peer else { return false };
            let mut peer = peer.borrow_mut();
            !peer.replies_in.is_empty()
                || (peer.running < RUNNING_MAX && !peer.requests_in.is_empty())
                || (!peer.request_box.is_empty() && peer.requests_out.has_room())
                || (!peer.reply_box.is_empty() && peer.replies_out.has_room())
                || (!peer.gone && self.floor.gone[core].load(Ordering::Acquire))
        })
    }

    fn start_handler(self: &Rc<Self>, core: usize, request: Request<Q>) {
        self.count(|stats| stats.handled += 1);
        let mut answering = Answering { inner: self.clone(), core, id: request.id, r: None };
        rt::spawn_in(rt::Class::Latency, async move {
            // The handler itself is called in the task as well: it may panic before it returns a future.
            let answer = (answering.inner.handler)(core, request.q);
            answering.r = Some(answer.await);
            drop(answering);
        })
        .detach();
    }
}

fn flush<T>(outbox: &mut VecDeque<T>, ring: &mut Producer<T>, is_stale: impl Fn(&T) -> bool) -> usize {
    let mut moved = 0;
    while let Some(message) = outbox.pop_front() {
        if is_stale(&message) {
            continue;
        }
        if let Err(message) = ring.push(message) {
            outbox.push_front(message);
            break;
        }
        moved += 1;
    }
    moved
}

/// Sends the reply when the handler's task ends, however it ends.
struct Answering<Q: Send + 'static, R: Send + 'static> {
    inner: Rc<Inner<Q, R>>,
    core: usize,
    id: u64,
    r: Option<R>,
}

impl<Q: Send + 'static, R: Send + 'static> Drop for Answering<Q, R> {
    fn drop(&mut self) {
        if self.inner.send_reply(self.core, Reply { id: self.id, r: self.r.take() }) {
            // The budget was used up, so requests may be waiting in the ring without anybody ringing for them.
            self.inner.floor.bells[self.inner.core].ring();
        }
    }
}

/// The resident task: moves messages while there are any, and parks. It does not look again for a while before it parks: waking it
/// costs less than that.
async fn attend<Q: Send + 'static, R: Send + 'static>(inner: Rc<Inner<Q, R>>, leaving: Leaving) {
    let sleeper = leaving.floor.bells[leaving.core].sleeper();
    loop {
        if inner.pump() > 0 {
            rt::yield_now().await;
        } else {
            inner.count(|stats| stats.parks += 1);
            poll_fn(|cx| sleeper.poll(cx, || inner.has_input().then_some(()))).await;
        }
    }
}

/// The safety tick.
async fn tick<Q: Send + 'static, R: Send + 'static>(inner: Rc<Inner<Q, R>>) {
    loop {
        rt::sleep(TICK).await;
        let parked = inner.floor.bells[inner.core].is_parked();
        let moved = inner.pump();
        if parked && moved > 0 {
            inner.count(|stats| stats.late += moved as u64);
        }
    }
}

#[cfg(test)]
mod tests;
