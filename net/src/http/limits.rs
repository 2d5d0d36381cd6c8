//! Every bound and time limit of a connection, by name. The defaults are the reference's where it has one.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

/// Bodies of all requests that a core receives or handles at the same time, as received and inflated. A request beyond the bound is
/// refused with 429. The bound may change while the server runs.
#[derive(Debug)]
pub struct BodyBudget {
    bytes_max: AtomicUsize,
    /// On all cores together.
    held: AtomicUsize,
    refused: AtomicU64,
}

/// Of one core, unless somebody says otherwise.
const BODIES_BYTES: usize = 1 << 30;

impl Default for BodyBudget {
    fn default() -> Self {
        Self::new(BODIES_BYTES)
    }
}

impl BodyBudget {
    pub fn new(bytes_max: usize) -> Self {
        Self { bytes_max: AtomicUsize::new(bytes_max), held: AtomicUsize::new(0), refused: AtomicU64::new(0) }
    }

    /// Bytes that one core may hold.
    pub fn bytes_max(&self) -> usize {
        self.bytes_max.load(Relaxed)
    }

    pub fn set_bytes_max(&self, bytes: usize) {
        self.bytes_max.store(bytes, Relaxed);
    }

    /// Bytes that all cores hold.
    pub fn held(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// Requests that found no room.
    pub fn refused(&self) -> u64 {
        self.refused.load(Relaxed)
    }

    pub(super) fn change(&self, before: usize, after: usize) {
        if after >= before {
            self.held.fetch_add(after - before, Relaxed);
        } else {
            self.held.fetch_sub(before - after, Relaxed);
        }
    }

    pub(super) fn refuse(&self) {
        self.refused.fetch_add(1, Relaxed);
    }
}

#[derive(Clone, Debug)]
pub struct Limits {
    /// A body, as received and again after inflating.
    pub body_bytes: usize,
    /// All header lines of a request together, and all trailer lines of a chunked body.
    pub header_bytes: usize,
    /// The request line, and each chunk-size line.
    pub line_bytes: usize,
    pub bodies: Arc<BodyBudget>,
    pub headers_count: usize,
    /// From a connection's beginning until keys are agreed on, where the server speaks TLS.
    pub handshake_timeout: Duration,
    /// Connections of a core that may be agreeing on keys. Where another begins, the one that has been at it for longest ends.
    pub handshakes_per_core: usize,
    /// From the first byte of a request to the end of its headers.
    pub header_timeout: Duration,
    /// Without progress while a body arrives or an answer is taken by the client.
    pub body_timeout: Duration,
    /// Between requests.
    pub idle_timeout: Duration,
    /// Answers to pipelined requests that are given before other connections get their turn.
    pub pipelined: usize,
    /// The acceptor stops accepting while all cores have this many.
    pub connections_per_core: usize,
    /// How long a stop waits for requests that run.
    pub drain_timeout: Duration,
    /// How long a stop waits for the rest of requests that have begun to arrive. Nothing of them runs yet, so nothing is lost.
    pub drain_receive_timeout: Duration,
    /// Of a body that was refused for its size, this much is read and dropped to keep the connection; beyond it is closed.
    pub discard_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 100 << 20,
            header_bytes: 16 << 10,
            line_bytes: 4 << 10,
            bodies: Arc::default(),
            headers_count: 256,
            handshake_timeout: Duration::from_secs(10),
            handshakes_per_core: 1 << 10,
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(600),
            pipelined: 32,
            connections_per_core: 16 << 10,
            drain_timeout: Duration::from_secs(30),
            drain_receive_timeout: Duration::from_secs(5),
            discard_bytes: 1 << 30,
        }
    }
}
