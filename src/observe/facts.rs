//! What stays true of a node while it runs.

use pith_net::http::ServerStats;
use pith_net::rt::StopSignal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
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
    /// The figures of the kept answers of `_analyze`.
    pub analyze_cache: Arc<AnalyzeCacheStats>,
}

/// Figures of the answers of `_analyze` that all cores keep.
#[derive(Debug, Default)]
pub struct AnalyzeCacheStats {
    pub bytes: AtomicU64,
    pub hits: AtomicU64,
    pub misses: AtomicU64,
    pub evictions: AtomicU64,
}
