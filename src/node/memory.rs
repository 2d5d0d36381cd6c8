//! The bounds of memory that follow the cluster's settings.

use crate::cluster::{State, breaker_bytes, breaker_overhead};
use crate::observe::{Pressure, system};
use crate::settings::units::parse_bytes;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Those of a node that starts.
pub fn of(state: &State) -> Arc<Pressure> {
    let pressure = Arc::default();
    follow(&pressure, state);
    pressure
}

/// Makes the bounds those of `state`. A share is one of the machine's memory, and each core has its part of it.
pub fn follow(pressure: &Pressure, state: &State) {
    let cores = state.nodes.values().map(|node| node.cores).next().unwrap_or(1).max(1) as f64;
    let memory = system::read().memory_total_bytes;
    let per_core = |prefix: &str| {
        let bytes = breaker_bytes(state, prefix, memory) as f64;
        (bytes / breaker_overhead(state, prefix) / cores).max(1.0) as u64
    };
    pressure.set_request_bytes_max(per_core("indices.breaker.request"));
    pressure.fielddata_bytes_max.store(per_core("indices.breaker.fielddata"), Relaxed);
    pressure.total_bytes_max.store(per_core("indices.breaker.total"), Relaxed);
    pressure.bodies.set_bytes_max(usize::try_from(per_core("network.breaker.inflight_requests")).unwrap_or(usize::MAX));
    let recovery = state.cluster_setting("indices.recovery.max_bytes_per_sec").unwrap_or_else(|| "40mb".to_owned());
    // A value that is no size was refused when it was set.
    let recovery = parse_bytes("indices.recovery.max_bytes_per_sec", &recovery).unwrap_or(0).max(0);
    pressure.recovery_bytes_per_second.store(recovery.unsigned_abs(), Relaxed);
}
