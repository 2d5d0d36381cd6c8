//! The bounds of memory that follow the cluster's settings.

use crate::cluster::State;
use crate::observe::{Pressure, system};
use crate::settings::units::parse_bytes;
use std::sync::Arc;

/// What requests may hold at the same time where nobody says otherwise (`indices.breaker.request.limit`).
const REQUEST_LIMIT: &str = "60%";

/// Those of a node that starts.
pub fn of(state: &State) -> Arc<Pressure> {
    let pressure = Arc::default();
    follow(&pressure, state);
    pressure
}

/// Makes the bounds those of `state`. A share is one of the machine's memory, and each core has its part of it.
pub fn follow(pressure: &Pressure, state: &State) {
    let cores = state.nodes.values().map(|node| node.cores).next().unwrap_or(1).max(1) as f64;
    let limit = state.cluster_setting("indices.breaker.request.limit");
    let overhead = state.cluster_setting("indices.breaker.request.overhead").and_then(|text| text.parse::<f64>().ok());
    let overhead = overhead.filter(|overhead| *overhead > 0.0).unwrap_or(1.0);
    // A value that is no size was refused when it was set.
    let bytes = limit.as_deref().and_then(bytes_of).or_else(|| bytes_of(REQUEST_LIMIT)).unwrap_or(f64::MAX);
    pressure.set_request_bytes_max((bytes / overhead / cores).max(1.0) as u64);
}

/// A share of the machine's memory, or a number of bytes; -1 means no bound.
fn bytes_of(text: &str) -> Option<f64> {
    match text.strip_suffix('%') {
        Some(percent) => Some(system::read().memory_total_bytes as f64 * percent.trim().parse::<f64>().ok()? / 100.0),
        None => match parse_bytes("indices.breaker.request.limit", text).ok()? {
            ..0 => Some(f64::MAX),
            bytes => Some(bytes as f64),
        },
    }
}
