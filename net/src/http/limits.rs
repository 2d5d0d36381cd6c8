//! Every bound and time limit of a connection, by name. The defaults are the reference's where it has one.

use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Limits {
    /// A body, as received and again after inflating.
    pub body_bytes: usize,
    /// All header lines of a request together, and all trailer lines of a chunked body.
    pub header_bytes: usize,
    /// The request line, and each chunk-size line.
    pub line_bytes: usize,
    /// Bodies of all requests that a core receives or handles at the same time, as received and inflated. A request beyond it is
    /// refused with 429.
    pub inflight_bytes: usize,
    pub headers_count: usize,
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
            inflight_bytes: 1 << 30,
            headers_count: 256,
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
