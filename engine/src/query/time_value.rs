//! Lengths of time such as `10d` and `1.5h`.

use crate::error::{Error, Result};

const UNITS: &[(&str, f64)] =
    &[("nanos", 1e-6), ("micros", 1e-3), ("ms", 1.0), ("s", 1e3), ("m", 60e3), ("h", 3_600e3), ("d", 86_400e3)];

/// Milliseconds. `name` stands in errors.
pub fn time_value_ms(text: &str, name: &str) -> Result<i64> {
    let lower = text.trim().to_ascii_lowercase();
    if lower == "0" || lower == "-1" {
        return Ok(if lower == "0" { 0 } else { -1 });
    }
    let unit = UNITS.iter().find(|(unit, _)| {
        lower.strip_suffix(unit).is_some_and(|number| number.trim().ends_with(|c: char| c.is_ascii_digit()))
    });
    let Some((unit, factor)) = unit else {
        return Err(Error::illegal_argument(format!(
            "failed to parse setting [{name}] with value [{text}] as a time value: unit is missing or unrecognized"
        )));
    };
    let number = lower.strip_suffix(unit).unwrap_or(&lower).trim();
    match number.parse::<i64>() {
        Ok(number) => Ok((number as f64 * factor) as i64),
        Err(_) if number.parse::<f64>().is_ok() => Err(Error::illegal_argument(format!(
            "failed to parse setting [{name}] with value [{text}], fractional time values are not supported"
        ))),
        Err(_) => Err(Error::illegal_argument(format!("failed to parse [{text}]"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!(time_value_ms("10d", "x").unwrap(), 864_000_000);
        assert_eq!(time_value_ms("5m", "x").unwrap(), 300_000);
        assert_eq!(time_value_ms("7ms", "x").unwrap(), 7);
        assert!(time_value_ms("7", "x").is_err() && time_value_ms("1.5d", "x").is_err());
    }
}
