//! The time of day, and the way times are written in messages.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Milliseconds that have gone by since `start`.
pub fn took_ms(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Nanoseconds that have gone by since `start`.
pub fn nanos(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// A duration as the reference writes it: in the largest unit that is not below one, with one decimal at most.
pub fn time_text(ms: i64) -> String {
    const UNITS: [(i64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    if ms < 0 {
        return ms.to_string();
    }
    for (size, unit) in UNITS {
        if ms >= size {
            let tenths = (ms as f64 / size as f64 * 10.0).floor() as i64;
            return if tenths % 10 == 0 {
                format!("{}{unit}", tenths / 10)
            } else {
                format!("{}.{}{unit}", tenths / 10, tenths % 10)
            };
        }
    }
    format!("{ms}ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (ms, text) in [(0, "0ms"), (10, "10ms"), (1_000, "1s"), (1_500, "1.5s"), (60_000, "1m"), (-1, "-1")] {
            assert_eq!(time_text(ms), text);
        }
    }
}
