//! What stays true of a node while it runs.

use pith_net::http::ServerStats;
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
    /// The counters of the HTTP server.
    pub http: ServerStats,
}
