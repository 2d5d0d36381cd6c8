//! Lengths of time such as `10d`.

use crate::error::{Error, ErrorKind, Result};

/// The names of units in small letters, and how many nanoseconds each is. The first that a text ends with is its unit.
const UNITS: &[(&str, i64)] = &[
    ("nanos", 1),
    ("micros", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// Milliseconds; what is more than fits is as much as fits. `name` stands in errors.
pub fn time_value_ms(text: &str, name: &str) -> Result<i64> {
    let trimmed = text.trim();
    let lower = trimmed.to_ascii_lowercase();
    // `M` stands for months elsewhere, and is no minute.
    let ends = |unit: &str| if unit == "m" { trimmed.ends_with('m') } else { lower.ends_with(unit) };
    let Some((unit, nanos)) = UNITS.iter().find(|(unit, _)| ends(unit)) else {
        if !lower.is_empty() && lower.bytes().all(|b| b == b'0') {
            return Ok(0);
        }
        if lower.strip_prefix('-').is_some_and(|digits| digits.trim_start_matches('0') == "1") {
            return Ok(-1);
        }
        return Err(Error::illegal_argument(format!(
            "failed to parse setting [{name}] with value [{text}] as a time value: unit is missing or unrecognized"
        )));
    };
    let digits = lower[..lower.len() - unit.len()].trim();
    let number: i64 = digits.parse().map_err(|_| {
        let is_decimal = digits.parse::<f64>().is_ok();
        let why = if is_decimal { ", fractional time values are not supported" } else { "" };
        Error::illegal_argument(format!("failed to parse [{text}]{why}"))
            .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{digits}\"")))
    })?;
    if number < -1 {
        return Err(Error::illegal_argument(format!(
            "failed to parse setting [{name}] with value [{text}] as a time value: negative durations are not supported"
        )));
    }
    Ok(match nanos {
        1..1_000_000 => (i128::from(number) * i128::from(*nanos) / 1_000_000) as i64,
        _ => number.saturating_mul(nanos / 1_000_000),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        let reason = |text| time_value_ms(text, "x").unwrap_err().reason().to_owned();
        assert_eq!(time_value_ms("10d", "x").unwrap(), 864_000_000);
        assert_eq!(time_value_ms("5m", "x").unwrap(), 300_000);
        assert_eq!(time_value_ms("1 H", "x").unwrap(), 3_600_000);
        assert_eq!(time_value_ms("7ms", "x").unwrap(), 7);
        assert_eq!(time_value_ms("2500micros", "x").unwrap(), 2);
        assert_eq!((time_value_ms("00", "x").unwrap(), time_value_ms("-01", "x").unwrap()), (0, -1));
        assert_eq!(time_value_ms("1000000000000000d", "x").unwrap(), i64::MAX);
        assert!(reason("7").ends_with("unit is missing or unrecognized") && reason("1M").ends_with("unrecognized"));
        assert_eq!(reason("1.5d"), "failed to parse [1.5d], fractional time values are not supported");
        assert!(reason("-7d").ends_with("with value [-7d] as a time value: negative durations are not supported"));
        assert_eq!(reason("month"), "failed to parse [month]");
    }
}
