//! `java.time`: dates and times with and without zones, durations, units and formatters.
//!
//! `text` is how they are written and parsed, `change` arithmetic with units, `adjust` rules, `rows`, `more` and `parts` the members of the classes.

mod adjust;
mod change;
mod more;
mod parts;
mod rows;
mod text;
mod year;

use super::super::class::{ClassId, registry};
use super::super::error::{Failed, throw};
pub use adjust::{Adjuster, CLASSES as ADJUSTER_CLASSES};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};
pub use more::CLASSES as MORE_CLASSES;
pub use parts::CLASSES as PART_CLASSES;
pub use rows::CLASSES;
use std::sync::Arc;
pub use year::CLASSES as YEAR_CLASSES;

/// An object of `java.time`. Enumerations are constants.
#[derive(Clone, Debug, PartialEq)]
pub enum Temporal {
    Zoned(Box<Zoned>),
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
    Zone(TimeZone),
    /// A pattern, and a zone that overrides.
    Formatter(Arc<str>, Option<TimeZone>),
    Adjuster(Adjuster),
}

impl Eq for Temporal {}

impl Temporal {
    pub fn class(&self) -> ClassId {
        let name = match self {
            Self::Zoned(_) => return super::super::class::class::ZONED,
            Self::Instant(_) => "Instant",
            Self::Date(_) => "LocalDate",
            Self::DateTime(_) => "LocalDateTime",
            Self::Time(_) => "LocalTime",
            Self::Duration(_) => "Duration",
            Self::Period(..) => "Period",
            Self::Year(_) => "Year",
            Self::YearMonth(..) => "YearMonth",
            Self::Zone(_) => "ZoneId",
            Self::Formatter(..) => "DateTimeFormatter",
            Self::Adjuster(_) => "TemporalAdjuster",
        };
        registry().find(name).expect("the rows are in this room")
    }

    /// Order, where both are of one class.
    pub fn compare(&self, other: &Self) -> Option<i32> {
        Some(match (self, other) {
            (Self::Zoned(a), Self::Zoned(b)) => a.timestamp().cmp(&b.timestamp()) as i32,
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
            (Self::YearMonth(a, m), Self::YearMonth(b, n)) => {
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
            Self::Zoned(zoned) => text::zoned_json(zoned),
            Self::Instant(at) => text::zoned_json(&at.to_zoned(TimeZone::UTC)),
            Self::Time(time) => text::time_json(*time),
            other => other.to_string(),
        }
    }

    fn date(&self) -> Option<Date> {
        match self {
            Self::Zoned(zoned) => Some(zoned.date()),
            Self::Date(date) => Some(*date),
            Self::DateTime(at) => Some(at.date()),
            _ => None,
        }
    }

    fn time(&self) -> Option<Time> {
        match self {
            Self::Zoned(zoned) => Some(zoned.time()),
            Self::DateTime(at) => Some(at.time()),
            Self::Time(time) => Some(*time),
            _ => None,
        }
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

/// A zone as `ZoneId.of` takes it.
pub fn zone(name: &str) -> Result<TimeZone, Failed> {
    if matches!(name, "Z" | "UTC" | "GMT" | "UT") {
        return Ok(TimeZone::UTC);
    }
    let offset = name.trim_start_matches("UTC").trim_start_matches("GMT");
    if offset.starts_with(['+', '-']) {
        let parsed = crate::mapping::date::Zone::parse(offset);
        let seconds = parsed.map_err(|_| bad_zone(name))?.offset_at(0);
        let offset = jiff::tz::Offset::from_seconds(seconds).map_err(out_of_range)?;
        return Ok(TimeZone::fixed(offset));
    }
    TimeZone::get(name).map_err(|_| throw("ZoneRulesException", format!("Unknown time-zone ID: {name}")))
}

#[cold]
fn bad_zone(name: &str) -> Failed {
    throw("DateTimeException", format!("Invalid ID for ZoneOffset, invalid format: {name}"))
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
