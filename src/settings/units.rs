//! Times, time values and sizes in bytes as settings have them.

use pith_engine::{Error, ErrorKind, Result};
use std::time::Duration;

/// A time value in milliseconds; `-1` stays -1. `key` is named in errors.
pub fn parse_time_ms(key: &str, text: &str) -> Result<i64> {
    let normal = text.trim().to_ascii_lowercase();
    let unit = ["nanos", "micros", "ms", "s", "m", "h", "d"].into_iter().find(|unit| normal.ends_with(unit));
    // A minute is `m`, whatever its case; months do not exist here.
    let Some(unit) = unit else {
        return match normal.as_str() {
            "-1" => Ok(-1),
            "0" => Ok(0),
            _ => Err(bad_time(key, text, "unit is missing or unrecognized")),
        };
    };
    let digits = normal[..normal.len() - unit.len()].trim();
    let Ok(number) = digits.parse::<i64>() else {
        if digits.parse::<f64>().is_ok() {
            return Err(Error::illegal_argument(format!(
                "failed to parse [{text}], fractional time values are not supported"
            ))
            .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{digits}\""))));
        }
        return Err(Error::illegal_argument(format!("failed to parse [{text}]"))
            .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{digits}\""))));
    };
    // One below zero passes here with any unit; what it must be at least is checked later.
    if number < -1 {
        return Err(bad_time(key, text, "negative durations are not supported"));
    }
    Ok(match unit {
        "nanos" => number / 1_000_000,
        "micros" => number / 1_000,
        "ms" => number,
        "s" => number.saturating_mul(1_000),
        "m" => number.saturating_mul(60_000),
        "h" => number.saturating_mul(3_600_000),
        _ => number.saturating_mul(86_400_000),
    })
}

#[cold]
fn bad_time(key: &str, text: &str, problem: &str) -> Error {
    Error::illegal_argument(format!("failed to parse setting [{key}] with value [{text}] as a time value: {problem}"))
}

/// A size in bytes; `-1` stays -1. `key` is named in errors.
pub fn parse_bytes(key: &str, text: &str) -> Result<i64> {
    const UNITS: [(&str, u32); 11] = [
        ("kb", 10),
        ("mb", 20),
        ("gb", 30),
        ("tb", 40),
        ("pb", 50),
        ("k", 10),
        ("m", 20),
        ("g", 30),
        ("t", 40),
        ("p", 50),
        ("b", 0),
    ];
    let normal = text.trim().to_ascii_lowercase();
    let Some((unit, shift)) = UNITS.into_iter().find(|(unit, _)| normal.ends_with(unit)) else {
        return match normal.as_str() {
            "-1" => Ok(-1),
            "0" => Ok(0),
            _ => Err(bad_size(key, text)),
        };
    };
    let digits = normal[..normal.len() - unit.len()].trim();
    match digits.parse::<i64>() {
        Ok(number) if number < -1 || number == -1 && shift > 0 => {
            let what = format!("Values less than -1 bytes are not supported: {number}{}", written(unit));
            let reason = format!("failed to parse setting [{key}] with value [{text}] as a size in bytes");
            let cause = Error::new(ErrorKind::Parse, reason.clone()).caused_by(Error::illegal_argument(what));
            Err(Error::illegal_argument(reason).caused_by(cause))
        }
        Ok(number) => Ok(number.saturating_mul(1 << shift)),
        Err(_) if shift > 0 && digits.parse::<f64>().is_ok() => {
            let reason = format!(
                "Failed to parse bytes value [{text}]. Fractional bytes values have been deprecated since Legacy 6.2. Use non-fractional bytes values instead: found for setting [{key}]"
            );
            let cause = Error::new(ErrorKind::NumberFormat, format!("For input string: \"{digits}\""));
            Err(Error::illegal_argument(reason.clone())
                .caused_by(Error::new(ErrorKind::Parse, reason).caused_by(cause)))
        }
        Err(_) => Err(bad_digits(key, text, digits, *unit == *"b")),
    }
}

/// A unit as sizes are written with it.
fn written(unit: &str) -> String {
    if unit.ends_with('b') { unit.to_owned() } else { format!("{unit}b") }
}

/// A size whose unit is known, not what stands before it. Bytes are never fractions, and read in another way.
#[cold]
fn bad_digits(key: &str, text: &str, digits: &str, bytes: bool) -> Error {
    let shown = match digits {
        "" if !bytes => "empty String".to_owned(),
        digits => format!("For input string: \"{digits}\""),
    };
    let cause = Error::new(ErrorKind::NumberFormat, shown);
    if bytes {
        return Error::illegal_argument(format!("Failed to parse value [{text}] for setting [{key}]")).caused_by(cause);
    }
    let reason = format!("failed to parse [{text}]");
    Error::illegal_argument(reason.clone()).caused_by(Error::new(ErrorKind::Parse, reason).caused_by(cause))
}

#[cold]
fn bad_size(key: &str, text: &str) -> Error {
    let reason = format!(
        "failed to parse setting [{key}] with value [{text}] as a size in bytes: unit is missing or unrecognized"
    );
    Error::illegal_argument(reason.clone()).caused_by(Error::new(ErrorKind::Parse, reason))
}

/// A size in the largest unit that is not above it, with one decimal at most.
pub fn bytes_text(bytes: u64) -> String {
    const UNITS: [(u32, &str); 5] = [(50, "pb"), (40, "tb"), (30, "gb"), (20, "mb"), (10, "kb")];
    for (shift, unit) in UNITS {
        if bytes >= 1 << shift {
            let tenths = (bytes as f64 / (1u64 << shift) as f64 * 10.0).floor() as u64;
            let (whole, rest) = (tenths / 10, tenths % 10);
            return if rest == 0 { format!("{whole}{unit}") } else { format!("{whole}.{rest}{unit}") };
        }
    }
    format!("{bytes}b")
}

/// A duration as the reference writes it: in the largest unit that is not below one, with one decimal at most.
pub fn time_text(ms: i64) -> String {
    match u64::try_from(ms) {
        Err(_) => ms.to_string(),
        Ok(0) => "0ms".to_owned(),
        Ok(ms) => duration_text(Duration::from_millis(ms)),
    }
}

/// The same of a duration that is exact; of nothing it writes seconds.
pub fn duration_text(duration: Duration) -> String {
    match duration.as_nanos() {
        0 => "0s".to_owned(),
        nanos => pith_engine::profile::time_text(nanos),
    }
}

/// Milliseconds since 1970 as the reference writes moments.
pub fn moment(ms: u64) -> String {
    let ms = i64::try_from(ms).unwrap_or(i64::MAX);
    let at = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::MAX);
    format!("{at:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, ms) in [
            ("1s", 1_000),
            ("2m", 120_000),
            ("-1", -1),
            ("-1s", -1_000),
            ("0", 0),
            ("3ms", 3),
            ("5micros", 0),
            ("1d", 86_400_000),
        ] {
            assert_eq!(parse_time_ms("k", text).unwrap(), ms, "{text}");
        }
        assert!(parse_time_ms("k", "-2s").is_err());
        assert!(parse_time_ms("k", "1.5s").is_err());
        assert!(parse_time_ms("k", "").is_err());
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [("1b", 1), ("2kb", 2048), ("3m", 3_145_728), ("-1", -1), ("5gb", 5 << 30)] {
            assert_eq!(parse_bytes("k", text).unwrap(), bytes, "{text}");
        }
        assert!(parse_bytes("k", "7").is_err());
        let reason = |text: &str| parse_bytes("k", text).unwrap_err().reason().to_owned();
        assert_eq!(reason("x7b"), "Failed to parse value [x7b] for setting [k]");
        assert_eq!(reason("default"), "failed to parse [default]");
        assert_eq!(reason("-5m"), "failed to parse setting [k] with value [-5m] as a size in bytes");
        assert!(reason("1.5mb").starts_with("Failed to parse bytes value [1.5mb]. Fractional bytes values"));
    }

    #[test]
    fn durations() {
        for (ms, text) in [(0, "0ms"), (10, "10ms"), (1_000, "1s"), (1_500, "1.5s"), (60_000, "1m"), (-1, "-1")] {
            assert_eq!(time_text(ms), text);
        }
        for (nanos, text) in
            [(0, "0s"), (7, "7nanos"), (1_500, "1.5micros"), (352_941_176, "352.9ms"), (1_081_000_000, "1s")]
        {
            assert_eq!(duration_text(Duration::from_nanos(nanos)), text);
        }
    }
}
