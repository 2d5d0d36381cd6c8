//! What stays true of a node while it runs.

use super::Pressure;
use pith_net::http::ServerStats;
use pith_net::rt::StopSignal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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
    /// Writes being handled.
    pub write_pressure: Arc<WritePressure>,
    /// How documents and searches have ended.
    pub statuses: StatusCounts,
    /// Changes of the cluster's metadata.
    pub changes: Changes,
    /// How much waits.
    pub pressure: Arc<Pressure>,
    /// Scripts compiled of late.
    pub compilations: super::Compilations,
}

/// Changes of the cluster's metadata that this node has made.
#[derive(Debug, Default)]
pub struct Changes {
    pub made: AtomicU64,
    pub failed: AtomicU64,
    pub took_us: AtomicU64,
}

/// How operations have ended, on all cores.
#[derive(Debug, Default)]
pub struct StatusCounts {
    pub documents: Ends,
    pub searches: Ends,
}

/// Ends of one kind of operation.
#[derive(Debug, Default)]
pub struct Ends {
    pub success: AtomicU64,
    pub user_error: AtomicU64,
    pub system_failure: AtomicU64,
}

impl Ends {
    /// Counts the statuses of operations that belong together.
    pub fn count(&self, statuses: impl IntoIterator<Item = u16>) {
        let (mut success, mut user, mut system) = (0, 0, 0);
        for status in statuses {
            match status {
                ..400 => success += 1,
                400..500 => user += 1,
                _ => system += 1,
            }
        }
        for (counter, count) in [(&self.success, success), (&self.user_error, user), (&self.system_failure, system)] {
            if count > 0 {
                counter.fetch_add(count, Ordering::Relaxed);
            }
        }
    }
}

/// Figures of the answers of `_analyze` that all cores keep.
#[derive(Debug, Default)]
pub struct AnalyzeCacheStats {
    pub bytes: AtomicU64,
    pub hits: AtomicU64,
    pub misses: AtomicU64,
    pub evictions: AtomicU64,
}

/// Memory of writes on all cores.
#[derive(Debug, Default)]
pub struct WritePressure {
    /// Of writes being handled.
    pub current_bytes: AtomicU64,
    /// Of all writes so far.
    pub total_bytes: AtomicU64,
    /// Writes that were refused because there was too much already.
    pub rejections: AtomicU64,
    /// What writes may take together.
    pub limit_bytes: AtomicU64,
}
