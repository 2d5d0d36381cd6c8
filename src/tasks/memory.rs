//! The memory that the requests of a core hold together, as the allocator counts it, and its bound.
//!
//! A request that lives on has allocated more than it has freed: hits, buckets, bodies. Whoever finds the bound passed ends
//! with the reference's error before the node suffers; what ends gives back its part.

use crate::observe::Pressure;
use crate::settings::units::bytes_text;
use pith_engine::{Error, ErrorKind, Result};
use std::cell::Cell;
use std::sync::atomic::Ordering;

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
}

/// The requests of this core hold so many bytes more.
pub(super) fn hold(bytes: i64) {
    HELD.set(HELD.get() + bytes);
}

/// What the requests of this core hold.
pub fn held_bytes() -> u64 {
    HELD.get().max(0) as u64
}

/// Ends what the current request does if the requests of this core hold too much.
pub fn check_memory(pressure: &Pressure) -> Result<()> {
    let (held, max) = (held_bytes(), pressure.request_bytes_max());
    if held > max {
        pressure.tripped.fetch_add(1, Ordering::Relaxed);
        return Err(too_much("request", "<reused_arrays>", held, max));
    }
    check_total(pressure, held)
}

/// The same for all that has a bound together.
pub fn check_total(pressure: &Pressure, held: u64) -> Result<()> {
    let max = pressure.total_bytes_max();
    if held <= max {
        return Ok(());
    }
    pressure.total_tripped.fetch_add(1, Ordering::Relaxed);
    Err(too_much("parent", "<reused_arrays>", held, max))
}

/// The error of what does not fit.
#[cold]
pub fn too_much(breaker: &str, what: &str, held: u64, max: u64) -> Error {
    let (wanted, limit) = (bytes_text(held), bytes_text(max));
    let reason = format!(
        "[{breaker}] Data too large, data for [{what}] would be [{held}/{wanted}], which is larger than the limit of \
         [{max}/{limit}]"
    );
    Error::new(ErrorKind::CircuitBreaking, reason)
        .with("bytes_wanted", held as i64)
        .with("bytes_limit", max as i64)
        .with("durability", "TRANSIENT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_that_of_all_requests_together() {
        let pressure = Pressure::default();
        hold(3000);
        assert!(check_memory(&pressure).is_ok(), "there is no bound yet");
        pressure.set_request_bytes_max(2048);
        let error = check_memory(&pressure).unwrap_err();
        assert_eq!((error.kind(), error.status()), (ErrorKind::CircuitBreaking, 429));
        let expected = "[request] Data too large, data for [<reused_arrays>] would be [3000/2.9kb], which is larger than the limit \
                        of [2048/2kb]";
        assert_eq!(error.reason(), expected);
        hold(-3000);
        assert!(check_memory(&pressure).is_ok());
    }
}
