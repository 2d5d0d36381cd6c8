//! `java.time`: dates and times with and without zones, durations, units and formatters.
//!
//! `text` is how they are written and parsed, `iso` the formatters that have names, `change` arithmetic with units, `adjust` rules, `units` what units
//! and fields are by themselves, `chrono` what dates and times have in common, `rows`, `more`, `parts` and `queries` the members of the classes.

mod adjust;
mod change;
mod chrono;
mod iso;
mod more;
mod offset;
mod parsed;
mod parts;
mod queries;
mod rows;
mod text;
mod units;
mod weeks;
mod with;
mod year;
mod zone_offset;

use super::super::class::{ClassId, registry};
use super::super::error::{Failed, throw};
use crate::mapping::date::Names;
pub use adjust::{Adjuster, CLASSES as ADJUSTER_CLASSES};
pub use change::field;
pub use chrono::CLASSES as CHRONO_CLASSES;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};
pub use more::CLASSES as MORE_CLASSES;
pub use offset::CLASSES as OFFSET_CLASSES;
pub use parts::CLASSES as PART_CLASSES;
pub use queries::CLASSES as QUERY_CLASSES;
pub use rows::CLASSES;
use std::sync::Arc;
pub use text::zone_shown;
pub use units::CLASSES as UNIT_CLASSES;
pub use weeks::CLASSES as WEEK_CLASSES;
pub use weeks::week_of_locale;
pub use year::CLASSES as YEAR_CLASSES;

/// An object of `java.time`. Enumerations are constants.
#[derive(Clone, Debug)]
pub enum Temporal {
    Zoned(Box<Zoned>),
    /// Its zone is a fixed offset.
    Offset(Box<Zoned>),
    Instant(Timestamp),
    Date(Date),
    DateTime(DateTime),
    Time(Time),
    Duration(SignedDuration),
    /// Years, months, days.
    Period(i32, i32, i32),
    Year(i32),
    /// Months from one on.
    YearMonth(i32, i32),
    MonthDay(i32, i32),
    Zone(TimeZone),
    /// A pattern, the language of its names, and a zone that overrides.
    Formatter(Arc<str>, Names, Option<TimeZone>),
    Adjuster(Adjuster),
    /// A `ValueRange`: the least value and the greatest, each where it is least and where it is greatest.
    Range([i64; 4]),
}

impl PartialEq for Temporal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // The same moment elsewhere is another value.
            (Self::Zoned(a), Self::Zoned(b)) | (Self::Offset(a), Self::Offset(b)) => {
                a.datetime() == b.datetime() && a.offset() == b.offset() && a.time_zone() == b.time_zone()
            }
            (Self::Instant(a), Self::Instant(b)) => a == b,
            (Self::Date(a), Self::Date(b)) => a == b,
            (Self::DateTime(a), Self::DateTime(b)) => a == b,
            (Self::Time(a), Self::Time(b)) => a == b,
            (Self::Duration(a), Self::Duration(b)) => a == b,
            (Self::Period(y, m, d), Self::Period(z, n, e)) => (y, m, d) == (z, n, e),
            (Self::Year(a), Self::Year(b)) => a == b,
            (Self::YearMonth(a, m), Self::YearMonth(b, n)) | (Self::MonthDay(a, m), Self::MonthDay(b, n)) => {
                (a, m) == (b, n)
            }
            (Self::Zone(a), Self::Zone(b)) => a == b,
            (Self::Formatter(a, own, zone), Self::Formatter(b, others, other)) => {
                a == b && own == others && zone == other
            }
            (Self::Adjuster(a), Self::Adjuster(b)) => a == b,
            (Self::Range(a), Self::Range(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Temporal {}

impl Temporal {
    pub fn class(&self) -> ClassId {
        let name = match self {
            Self::Zoned(_) => return super::super::class::class::ZONED,
            Self::Offset(_) => "OffsetDateTime",
            Self::Instant(_) => "Instant",
            Self::Date(_) => "LocalDate",
            Self::DateTime(_) => "LocalDateTime",
            Self::Time(_) => "LocalTime",
            Self::Duration(_) => "Duration",
            Self::Period(..) => "Period",
            Self::Year(_) => "Year",
            Self::YearMonth(..) => "YearMonth",
            Self::MonthDay(..) => "MonthDay",
            Self::Zone(zone) if is_offset(zone) => "ZoneOffset",
            Self::Zone(_) => "ZoneId",
            Self::Formatter(..) => "DateTimeFormatter",
            Self::Adjuster(_) => "TemporalAdjuster",
            Self::Range(_) => "ValueRange",
        };
        registry().find(name).expect("the rows are in this room")
    }

    /// Order, where both are of one class.
    pub fn compare(&self, other: &Self) -> Option<i32> {
        Some(match (self, other) {
            (Self::Zoned(a), Self::Zoned(b)) => a.timestamp().cmp(&b.timestamp()) as i32,
            (Self::Offset(a), Self::Offset(b)) => {
                a.timestamp().cmp(&b.timestamp()).then(a.datetime().cmp(&b.datetime())) as i32
            }
            (Self::Instant(a), Self::Instant(b)) => a.cmp(b) as i32,
            (Self::Date(a), Self::Date(b)) => match (a.year() - b.year(), a.month() - b.month(), a.day() - b.day()) {
                (0, 0, days) => i32::from(days),
                (0, months, _) => i32::from(months),
                (years, ..) => i32::from(years),
            },
            (Self::DateTime(a), Self::DateTime(b)) => a.cmp(b) as i32,
            (Self::Time(a), Self::Time(b)) => a.cmp(b) as i32,
            (Self::Duration(a), Self::Duration(b)) => a.cmp(b) as i32,
            (Self::Year(a), Self::Year(b)) => a - b,
            (Self::YearMonth(a, m), Self::YearMonth(b, n)) | (Self::MonthDay(a, m), Self::MonthDay(b, n)) => {
                if a == b {
                    m - n
                } else {
                    a - b
                }
            }
            _ => return None,
        })
    }

    /// As JSON documents hold it: dates with zones at the precision of milliseconds.
    pub fn json(&self) -> String {
        match self {
            Self::Zoned(zoned) | Self::Offset(zoned) => text::zoned_json(zoned),
            Self::Instant(at) => text::zoned_json(&at.to_zoned(TimeZone::UTC)),
            // Documents know no times without a zone.
            Self::DateTime(at) => {
                at.to_zoned(TimeZone::UTC).map_or_else(|_| self.to_string(), |at| text::zoned_json(&at))
            }
            Self::Time(time) => text::time_json(*time),
            other => other.to_string(),
        }
    }

    fn date(&self) -> Option<Date> {
        match self {
            Self::Zoned(zoned) | Self::Offset(zoned) => Some(zoned.date()),
            Self::Date(date) => Some(*date),
            Self::DateTime(at) => Some(at.date()),
            _ => None,
        }
    }

    fn time(&self) -> Option<Time> {
        match self {
            Self::Zoned(zoned) | Self::Offset(zoned) => Some(zoned.time()),
            Self::DateTime(at) => Some(at.time()),
            Self::Time(time) => Some(*time),
            _ => None,
        }
    }
}

/// The hashes of Java, by which sets and maps are ordered.
impl Temporal {
    /// None of what Java tells apart by identity.
    pub fn hash(&self) -> Option<i32> {
        let of_long = |bits: i64| (bits ^ (bits >> 32)) as i32;
        let of_moment = |seconds: i64, nanos: i32| of_long(seconds).wrapping_add(nanos.wrapping_mul(51));
        Some(match self {
            Self::Zoned(at) => {
                let zone = zone_hash(at.time_zone());
                hash_of(at.date()) ^ hash_of_time(at.time()) ^ at.offset().seconds() ^ zone.rotate_left(3)
            }
            Self::Offset(at) => hash_of(at.date()) ^ hash_of_time(at.time()) ^ at.offset().seconds(),
            Self::Instant(at) => {
                let nanos = at.as_nanosecond();
                let (seconds, rest) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
                of_moment(seconds as i64, rest as i32)
            }
            Self::Date(date) => hash_of(*date),
            Self::DateTime(at) => hash_of(at.date()) ^ hash_of_time(at.time()),
            Self::Time(time) => hash_of_time(*time),
            Self::Duration(length) => {
                let nanos = length.as_nanos();
                let (seconds, rest) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
                of_moment(seconds as i64, rest as i32)
            }
            Self::Period(years, months, days) => {
                years.wrapping_add(months.rotate_left(8)).wrapping_add(days.rotate_left(16))
            }
            Self::Year(year) => *year,
            Self::YearMonth(year, month) => year ^ month.wrapping_shl(27),
            Self::MonthDay(month, day) => month.wrapping_shl(6).wrapping_add(*day),
            Self::Zone(zone) => zone_hash(zone),
            Self::Range([least, least_high, most_low, most]) => of_long(
                least
                    .wrapping_add(least_high << 16)
                    .wrapping_add(least_high >> 48)
                    .wrapping_add(most_low << 32)
                    .wrapping_add(most_low >> 32)
                    .wrapping_add(most << 48)
                    .wrapping_add(most >> 16),
            ),
            Self::Formatter(..) | Self::Adjuster(_) => return None,
        })
    }
}

fn hash_of(date: Date) -> i32 {
    let (year, month, day) = (i32::from(date.year()), i32::from(date.month()), i32::from(date.day()));
    (year & !0x7FF) ^ (year.wrapping_shl(11)).wrapping_add(month.wrapping_shl(6)).wrapping_add(day)
}

fn hash_of_time(time: Time) -> i32 {
    let seconds = i64::from(time.hour()) * 3_600 + i64::from(time.minute()) * 60 + i64::from(time.second());
    let nanos = seconds * 1_000_000_000 + i64::from(time.subsec_nanosecond());
    (nanos ^ (nanos >> 32)) as i32
}

fn zone_hash(zone: &TimeZone) -> i32 {
    match zone.to_fixed_offset() {
        Ok(offset) if is_offset(zone) => offset.seconds(),
        _ => super::super::text::hash(&text::zone_text(zone)),
    }
}

#[cold]
fn out_of_range(error: impl std::fmt::Display) -> Failed {
    throw("DateTimeException", error.to_string())
}

/// What `toString` makes of a constant of an enumeration.
pub fn constant_text(class: ClassId, name: &str) -> String {
    match registry().class(class).simple {
        "ChronoField" | "ChronoUnit" | "TemporalField" | "TemporalUnit" => change::pretty(name),
        _ => name.to_owned(),
    }
}

/// The date that a document's milliseconds stand for.
pub fn zoned_of_millis(ms: i64) -> Temporal {
    let at = Timestamp::from_millisecond(ms).unwrap_or(if ms < 0 { Timestamp::MIN } else { Timestamp::MAX });
    Temporal::Zoned(Box::new(at.to_zoned(TimeZone::UTC)))
}

pub fn zoned_of_nanos(ns: i64) -> Temporal {
    let at = Timestamp::from_nanosecond(i128::from(ns)).unwrap_or(Timestamp::MAX);
    Temporal::Zoned(Box::new(at.to_zoned(TimeZone::UTC)))
}

/// A zone as `ZoneId.of` takes it. `Z` and what begins with a sign are offsets; everything else is a region, also `UTC` and `GMT+02:00`.
pub fn zone(name: &str) -> Result<TimeZone, Failed> {
    if name.chars().count() < 2 || name.starts_with(['+', '-']) {
        return zone_offset::parse(name).map(TimeZone::fixed);
    }
    for prefix in ["UTC", "GMT", "UT"] {
        match name.strip_prefix(prefix) {
            Some("") => return region(prefix.to_owned(), Offset::UTC),
            Some(rest) if rest.starts_with(['+', '-']) => {
                let bad = |_| throw("DateTimeException", format!("Invalid ID for offset-based ZoneId: {name}"));
                let offset = zone_offset::parse(rest).map_err(bad)?;
                let shown = if offset == Offset::UTC { String::new() } else { text::offset_text(offset) };
                return region(prefix.to_owned() + &shown, offset);
            }
            _ => {}
        }
    }
    let mut bytes = name.bytes();
    let is_region = bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
        && bytes.all(|b| b.is_ascii_alphanumeric() || b"/_+-.~".contains(&b));
    if !is_region {
        let what = format!("Invalid ID for region-based ZoneId, invalid format: {name}");
        return Err(throw("DateTimeException", what));
    }
    let known = TimeZone::get(name).ok().filter(|zone| zone.iana_name() == Some(name));
    known.ok_or_else(|| throw("ZoneRulesException", format!("Unknown time-zone ID: {name}")))
}

/// Whether a zone is an offset and nothing else.
pub fn is_offset(zone: &TimeZone) -> bool {
    *zone == TimeZone::UTC || zone.iana_name().is_none()
}

/// A region of any name that is always as far from UTC.
fn region(name: String, offset: Offset) -> Result<TimeZone, Failed> {
    let (seconds, abbreviation) = (offset.seconds(), &name[..name.len().min(3)]);
    // A file of zone information: two versions of the same header, one type of local time and its abbreviation, and the rule for ever after.
    let counts: Vec<u8> =
        [0u32, 0, 0, 0, 1, abbreviation.len() as u32 + 1].iter().flat_map(|n| n.to_be_bytes()).collect();
    let mut file = vec![];
    for _ in 0..2 {
        file.extend_from_slice(b"TZif2");
        file.extend_from_slice(&[0; 15]);
        file.extend_from_slice(&counts);
        file.extend_from_slice(&seconds.to_be_bytes());
        file.extend_from_slice(&[0, 0]);
        file.extend_from_slice(abbreviation.as_bytes());
        file.push(0);
    }
    let (sign, size) = (if seconds > 0 { "-" } else { "" }, seconds.abs());
    let rule = format!("\n<{abbreviation:+<3}>{sign}{}:{:02}:{:02}\n", size / 3600, size / 60 % 60, size % 60);
    file.extend_from_slice(rule.as_bytes());
    TimeZone::tzif(&name, &file).map_err(out_of_range)
}

/// Names of days from Monday and of months from January.
pub const DAYS: [&str; 7] = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];
pub const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];
/// Units by their constants, in the order of Java.
pub const UNITS: [&str; 16] = [
    "NANOS",
    "MICROS",
    "MILLIS",
    "SECONDS",
    "MINUTES",
    "HOURS",
    "HALF_DAYS",
    "DAYS",
    "WEEKS",
    "MONTHS",
    "YEARS",
    "DECADES",
    "CENTURIES",
    "MILLENNIA",
    "ERAS",
    "FOREVER",
];
/// Fields by their constants, in the order of Java.
pub const FIELDS: [&str; 30] = [
    "NANO_OF_SECOND",
    "NANO_OF_DAY",
    "MICRO_OF_SECOND",
    "MICRO_OF_DAY",
    "MILLI_OF_SECOND",
    "MILLI_OF_DAY",
    "SECOND_OF_MINUTE",
    "SECOND_OF_DAY",
    "MINUTE_OF_HOUR",
    "MINUTE_OF_DAY",
    "HOUR_OF_AMPM",
    "CLOCK_HOUR_OF_AMPM",
    "HOUR_OF_DAY",
    "CLOCK_HOUR_OF_DAY",
    "AMPM_OF_DAY",
    "DAY_OF_WEEK",
    "ALIGNED_DAY_OF_WEEK_IN_MONTH",
    "ALIGNED_DAY_OF_WEEK_IN_YEAR",
    "DAY_OF_MONTH",
    "DAY_OF_YEAR",
    "EPOCH_DAY",
    "ALIGNED_WEEK_OF_MONTH",
    "ALIGNED_WEEK_OF_YEAR",
    "MONTH_OF_YEAR",
    "PROLEPTIC_MONTH",
    "YEAR_OF_ERA",
    "YEAR",
    "ERA",
    "INSTANT_SECONDS",
    "OFFSET_SECONDS",
];
