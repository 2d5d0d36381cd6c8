//! What stays true of a node while it runs.

use pith_net::http::ServerStats;
use pith_net::rt::StopSignal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

pub struct Facts {
    pub node_id: Arc<str>,
    pub started: Instant,
    pub started_ms: u64,
    /// The data folder.
    pub data: PathBuf,
    /// The largest body of a request.
    pub http_body_bytes: u64,
    /// Set when the node is to stop: nobody then waits for what may never come.
    pub stop: StopSignal,
    /// The counters of the HTTP server.
    pub http: ServerStats,
}
