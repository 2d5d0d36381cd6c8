//! Dates as the processors for them read them: `ISO8601`, `UNIX`, `UNIX_MS`, `TAI64N` and patterns of `java.time`.

use super::date_names::{is_known, to_english};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_hashed_text;
use crate::json::Value;
use crate::mapping::date::{DateFormat, Instant, Names, Resolution, Zone};
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

    /// Milliseconds since 1970, and the zone that the text names where that is told.
    fn read(&self, given: &str, clock: &Clock, locale: &str, now_ms: i64) -> Result<(i64, Option<Zone>)> {
        let (text, zone) = (given, &clock.zone);
        let number = || Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""));
        match self {
            Self::Iso(format) => Ok((format.parse_millis(text, false, zone)?, None)),
            Self::Unix => Ok(((parse_java_f64(text)? * 1000.0) as i64, None)),
            Self::UnixMillis => Ok((text.parse().map_err(|_| number())?, None)),
            Self::Tai64n => Ok((tai64n(text)?, None)),
            Self::Pattern(format) => {
                let [root, english] = format.as_ref().map_err(Clone::clone)?;
                let format = if is_known(locale) { english } else { root };
                // Patterns ask for long names or for short ones.
                let mut text = to_english(text, locale, false);
                let mut read = clock.read(format, &text, now_ms);
                if read.is_err() {
                    text = to_english(given, locale, true);
                    read = clock.read(format, &text, now_ms);
                }
                // What cannot be read is told as it was given.
                read.map_err(|error| clock.read(format, given, now_ms).err().unwrap_or(error))
            }
        }
    }
}

/// Where dates are read.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    pub zone: Zone,
    /// Whether clocks of a zone are asked for, which are not those of UTC: they go before offsets that texts have, but not before zones
    /// that these name. A region without an offset is another one all the same.
    is_set: bool,
}

impl Clock {
    /// That of a time zone, with Java's errors.
    pub fn of(name: Option<&str>) -> Result<Self> {
        let zone = zone(name.unwrap_or("UTC"))?;
        let is_utc = zone == Zone::Utc && name.is_none_or(|name| name.starts_with(['Z', '+', '-']));
        Ok(Self { zone, is_set: !is_utc })
    }

    fn read(&self, format: &DateFormat, text: &str, now_ms: i64) -> Result<(i64, Option<Zone>)> {
        let read = match self.is_set {
            true => {
                format.parse_by_clocks(text, &self.zone).and_then(|(instant, zone)| Ok((millis_of(instant)?, zone)))
            }
            false => format.parse_millis(text, false, &self.zone).map(|ms| (ms, None)),
        };
        // What names no year is of this one, even where no date follows from it. Numbers are dates to clocks that are set.
        let without = format.parse_without_year(text).filter(|_| !self.is_set || !format.is_epoch());
        let Some(local) = without else { return read };
        let ms = this_year(local, &self.zone, now_ms);
        let ms =
            ms.ok_or_else(|| Error::new(ErrorKind::DateTime, format!("Invalid date '{text}' in the current year")))?;
        Ok((ms, None))
    }
}

fn millis_of(instant: Instant) -> Result<i64> {
    Resolution::Millis.encode(instant)
}

/// A local time of 1972 as the time of this year in a zone. The last of February is another day in most years.
fn this_year(local_ms: i64, zone: &Zone, now_ms: i64) -> Option<i64> {
    let (local, year) = (civil(local_ms)?, civil(now_ms)?.year());
    let date = local.with().year(year).build().or_else(|_| local.with().year(year).day(28).build()).ok()?;
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
    clock: Result<Clock>,
    locale: &str,
    now_ms: i64,
) -> Result<(i64, Option<Zone>)> {
    let text = java_hashed_text(value);
    let given = if value.is_null() { "" } else { text.as_str() };
    let (mut failures, mut read) = (vec![], None);
    for input in inputs {
        match clock.as_ref().map_err(Clone::clone).and_then(|clock| input.read(given, clock, locale, now_ms)) {
            Ok(found) => read = Some(found),
            Err(error) => failures.push(error),
        }
    }
    if let Some(found) = read {
        return Ok(found);
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

fn zone(name: &str) -> Result<Zone> {
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
        let inputs = [DateInput::new(format).unwrap()];
        read_date(&inputs, &Value::from(text), Clock::of(Some(zone_name)), "", now_ms).unwrap().0
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
        assert_eq!(read("ss", "10", "Z"), 1_767_225_600_000);
        assert_eq!(read("SS", "37", "Z"), 1_767_225_600_370);
        assert_eq!(zone("x").unwrap_err().reason(), "Invalid ID for ZoneOffset, invalid format: x");
    }

    #[test]
    fn clocks_that_are_set_go_before_offsets_but_not_before_zones() {
        let apache = ("dd/MMM/yyyy:HH:mm:ss Z", "25/Dec/2016:11:11:11 +0200");
        let hour = 3_600_000;
        let noon = 1_482_664_271_000;
        for (zone, ms) in
            [("Z", noon - 2 * hour), ("+00:00", noon - 2 * hour), ("UTC", noon), ("Europe/Berlin", noon - hour)]
        {
            assert_eq!(read(apache.0, apache.1, zone), ms, "{zone}");
        }
        for (format, text, hours) in [
            ("yyyy-MM-dd HH:mm:ss VV", "2016-12-25 11:11:11 America/New_York", 5),
            ("strict_date_optional_time", "2016-12-25T11:11:11+02:00", -2),
            ("strict_date_optional_time", "2016-12-25T11:11:11+0200", -1),
            ("date_time", "2016-12-25T11:11:11.000+02:00", -1),
            ("epoch_millis", "1482664271000", 0),
        ] {
            assert_eq!(read(format, text, "Europe/Berlin"), noon + hours * hour, "{format}");
        }
    }
}
