//! Dates as the processors for them read them: `ISO8601`, `UNIX`, `UNIX_MS`, `TAI64N` and patterns of `java.time`.

use super::date_names::{is_known, to_english};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_hashed_text;
use crate::json::Value;
use crate::mapping::date::{DateFormat, Names, Zone};
use crate::mapping::parse_java_f64;

/// A way to read dates. Patterns that are none are an error of each document.
pub(super) enum DateInput {
    Iso(DateFormat),
    Unix,
    UnixMillis,
    Tai64n,
    /// With names in no language, and in English.
    Pattern(Result<[DateFormat; 2]>),
}

impl DateInput {
    pub fn new(format: &str) -> Result<Self> {
        Ok(match format {
            "ISO8601" => Self::Iso(DateFormat::parse("iso8601")?),
            "UNIX" => Self::Unix,
            "UNIX_MS" => Self::UnixMillis,
            "TAI64N" => Self::Tai64n,
            pattern => {
                let both = [Names::Root, Names::English].map(|names| DateFormat::parse_in(pattern, names));
                let [root, english] = both;
                Self::Pattern(root.and_then(|root| Ok([root, english?])))
            }
        })
    }

    /// What is wrong with the pattern.
    pub fn mistake(&self) -> Option<&Error> {
        match self {
            Self::Pattern(Err(error)) => Some(error),
            _ => None,
        }
    }

    /// Milliseconds since 1970. `zone` holds where the text names none.
    fn read(&self, given: &str, zone: &Zone, locale: &str, now_ms: i64) -> Result<i64> {
        let text = given;
        let number = || Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""));
        match self {
            Self::Iso(format) => format.parse_millis(text, false, zone),
            Self::Unix => Ok((parse_java_f64(text)? * 1000.0) as i64),
            Self::UnixMillis => text.parse().map_err(|_| number()),
            Self::Tai64n => tai64n(text),
            Self::Pattern(format) => {
                let [root, english] = format.as_ref().map_err(Clone::clone)?;
                let format = if is_known(locale) { english } else { root };
                // Patterns ask for long names or for short ones.
                let mut text = to_english(text, locale, false);
                let mut read = format.parse_millis(&text, false, zone);
                if read.is_err() {
                    text = to_english(given, locale, true);
                    read = format.parse_millis(&text, false, zone);
                }
                // What cannot be read is told as it was given.
                let failed = |error| format.parse_millis(given, false, zone).err().unwrap_or(error);
                let ms = read.map_err(failed)?;
                // What names no year is of this one.
                let Some(local) = format.parse_without_year(&text) else { return Ok(ms) };
                this_year(local, zone, now_ms).ok_or_else(|| {
                    Error::new(ErrorKind::DateTime, format!("Invalid date '{text}' in the current year"))
                })
            }
        }
    }
}

/// A local time of 1970 as the time of this year in a zone.
fn this_year(local_ms: i64, zone: &Zone, now_ms: i64) -> Option<i64> {
    let date = civil(local_ms)?.with().year(civil(now_ms)?.year()).build().ok()?;
    let as_utc = jiff::tz::Offset::UTC.to_timestamp(date).ok()?;
    Some(zone.to_utc(as_utc.as_second()) * 1000 + local_ms.rem_euclid(1000))
}

/// The calendar date and time in UTC.
fn civil(ms: i64) -> Option<jiff::civil::DateTime> {
    Some(jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::from_millisecond(ms).ok()?))
}

/// A label of TAI64N: seconds since 1970 plus 2^62 and nanoseconds, in hexadecimal; ten seconds ahead of UTC.
fn tai64n(text: &str) -> Result<i64> {
    let digits = text.strip_prefix('@').unwrap_or(text);
    let part = |from: usize, to: usize| {
        let part = digits.get(from..to).ok_or_else(|| {
            let reason = format!("Range [{from}, {to}) out of bounds for length {}", digits.len());
            Error::new(ErrorKind::StringIndexOutOfBounds, reason)
        })?;
        i64::from_str_radix(part, 16)
            .map_err(|_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{part}\" under radix 16")))
    };
    let (seconds, nanos) = (part(1, 16)?, part(16, 24)?);
    Ok(seconds.saturating_mul(1000).saturating_sub(10_000).saturating_add(nanos / 1_000_000))
}

/// Reads a value by the first of `inputs` that can.
pub(super) fn read_date(
    inputs: &[DateInput],
    value: &Value,
    zone: Result<Zone>,
    locale: &str,
    now_ms: i64,
) -> Result<i64> {
    let text = java_hashed_text(value);
    let given = if value.is_null() { "" } else { text.as_str() };
    let (mut failures, mut read) = (vec![], None);
    for input in inputs {
        match zone.as_ref().map_err(Clone::clone).and_then(|zone| input.read(given, zone, locale, now_ms)) {
            Ok(ms) => read = Some(ms),
            Err(error) => failures.push(error),
        }
    }
    if let Some(ms) = read {
        return Ok(ms);
    }
    let mut error = Error::illegal_argument(format!("unable to parse date [{text}]"));
    let mut failures = failures.into_iter();
    if let Some(first) = failures.next() {
        let others: Vec<Value> = failures.map(|error| error.to_value()).collect();
        error = error.caused_by(match others.is_empty() {
            true => first,
            false => first.with("suppressed", Value::Array(others)),
        });
    }
    Err(error)
}

/// A time zone, with Java's errors.
pub(super) fn zone(name: &str) -> Result<Zone> {
    if name.len() <= 1 && name != "Z" {
        return Err(Error::new(ErrorKind::DateTime, format!("Invalid ID for ZoneOffset, invalid format: {name}")));
    }
    Zone::parse(name).map_err(|error| error.cause().cloned().unwrap_or(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str, text: &str, zone_name: &str) -> i64 {
        let now_ms = 1_795_000_000_000;
        read_date(&[DateInput::new(format).unwrap()], &Value::from(text), zone(zone_name), "", now_ms).unwrap()
    }

    #[test]
    fn reads_dates() {
        assert_eq!(read("ISO8601", "2016-04-22T16:32:14.968Z", "UTC"), 1_461_342_734_968);
        assert_eq!(read("UNIX", "1000.5", "UTC"), 1_000_500);
        assert_eq!(read("TAI64N", "@4000000050d506482dbdf024", "UTC"), 1_356_138_046_767);
        // A year that is not named is this one; 2026 is the one of `now_ms`.
        assert_eq!(read("dd MMM", "05 Jun", "UTC"), 1_780_617_600_000);
        assert_eq!(read("dd MMM HH", "05 Jun 02", "Europe/Berlin"), 1_780_617_600_000);
        assert_eq!(read("yyyy-MM-dd", "1970-01-02", "UTC"), 86_400_000);
        assert_eq!(zone("x").unwrap_err().reason(), "Invalid ID for ZoneOffset, invalid format: x");
    }
}
