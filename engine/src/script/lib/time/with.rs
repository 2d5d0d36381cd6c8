//! Dates and times with one field set to another value.

use super::super::super::error::{Failed, throw};
use super::change::{field, invalid, plus};
use super::offset::{fixed, month_day_with};
use super::units::{check_value, no_field};
use super::year::changed;
use super::{Temporal, out_of_range};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};

/// The same with another day, month, hour…
pub fn with(of: &Temporal, name: &str, value: i64) -> Result<Temporal, Failed> {
    match of {
        Temporal::Offset(at) if name == "OFFSET_SECONDS" => {
            check_value(name, value)?;
            let zone = TimeZone::fixed(offset_of(value)?);
            let moved = at.datetime().to_zoned(zone).map_err(out_of_range)?;
            return Ok(Temporal::Offset(Box::new(moved)));
        }
        Temporal::Offset(at) => return with(&Temporal::Zoned(at.clone()), name, value).map(fixed),
        Temporal::MonthDay(month, day) => return month_day_with((*month, *day), name, value),
        _ => {}
    }
    if let Some(changed) = super::weeks::with(of, name, value)? {
        return Ok(changed);
    }
    // A value that the field never has is refused before what does not have the field.
    if let "QUARTER_OF_YEAR" | "DAY_OF_QUARTER" = name {
        field(of, name)?;
    }
    check_value(name, value)?;
    if let Temporal::Year(_) | Temporal::YearMonth(..) = of {
        return changed(of, name, value)?.ok_or_else(|| no_field(name));
    }
    if let Some((per, unit)) = counted(name) {
        let by = (value - field(of, name)?) * per;
        return plus(of, by, unit);
    }
    match of {
        Temporal::Zoned(at) if name == "INSTANT_SECONDS" => {
            let moment = Timestamp::new(value, at.subsec_nanosecond()).map_err(out_of_range)?;
            Ok(Temporal::Zoned(Box::new(moment.to_zoned(at.time_zone().clone()))))
        }
        Temporal::Zoned(at) if name == "OFFSET_SECONDS" => with_offset(at, value),
        Temporal::Zoned(at) => {
            let local = local_with(at.datetime(), of, name, value)?;
            local.to_zoned(at.time_zone().clone()).map(|z| Temporal::Zoned(Box::new(z))).map_err(out_of_range)
        }
        Temporal::DateTime(at) => local_with(*at, of, name, value).map(Temporal::DateTime),
        Temporal::Date(date) => date_with(*date, of, name, value)?.map(Temporal::Date).ok_or_else(|| no_field(name)),
        Temporal::Time(time) => time_with(*time, name, value).map(Temporal::Time).ok_or_else(|| no_field(name)),
        Temporal::Instant(at) => instant_with(*at, name, value),
        _ => Err(no_field(name)),
    }
}

/// Fields that are set by adding what is missing: of which unit, and how many of it they count.
fn counted(name: &str) -> Option<(i64, &'static str)> {
    Some(match name {
        "QUARTER_OF_YEAR" => (3, "MONTHS"),
        "PROLEPTIC_MONTH" => (1, "MONTHS"),
        "WEEK_OF_WEEK_BASED_YEAR" | "ALIGNED_WEEK_OF_MONTH" | "ALIGNED_WEEK_OF_YEAR" => (7, "DAYS"),
        "DAY_OF_QUARTER"
        | "DAY_OF_WEEK"
        | "EPOCH_DAY"
        | "ALIGNED_DAY_OF_WEEK_IN_MONTH"
        | "ALIGNED_DAY_OF_WEEK_IN_YEAR" => (1, "DAYS"),
        _ => return None,
    })
}

fn local_with(local: DateTime, of: &Temporal, name: &str, value: i64) -> Result<DateTime, Failed> {
    if let Some(date) = date_with(local.date(), of, name, value)? {
        return Ok(DateTime::from_parts(date, local.time()));
    }
    let time = time_with(local.time(), name, value).ok_or_else(|| no_field(name))?;
    Ok(DateTime::from_parts(local.date(), time))
}

/// None where the field is none of dates.
fn date_with(date: Date, of: &Temporal, name: &str, value: i64) -> Result<Option<Date>, Failed> {
    let range = || invalid(of, name, value);
    let small = || i16::try_from(value).map_err(|_| range());
    let month = |year: i16, month: i8| {
        let first = date.with().year(year).month(month).day(1).build();
        // A month that is shorter ends with its own last day.
        first.and_then(|first| first.with().day(date.day().min(first.days_in_month())).build())
    };
    let with = match name {
        "YEAR" => month(small()?, date.month()),
        "YEAR_OF_ERA" if date.year() < 1 => month(1_i16.saturating_sub(small()?), date.month()),
        "YEAR_OF_ERA" => month(small()?, date.month()),
        "ERA" if value == i64::from(date.year() >= 1) => Ok(date),
        "ERA" => month(1 - date.year(), date.month()),
        "MONTH_OF_YEAR" => month(date.year(), small()? as i8),
        "DAY_OF_MONTH" => date.with().day(small()? as i8).build(),
        "DAY_OF_YEAR" => date.with().day_of_year(small()?).build(),
        _ => return Ok(None),
    };
    with.map(Some).map_err(|_| range())
}

/// What a field of times counts: nanoseconds of one, how many there are before they begin again (none: in a day), and whether what is
/// smaller stays.
fn part_of_day(name: &str) -> Option<(i64, i64, bool)> {
    const SECOND: i64 = 1_000_000_000;
    const HOUR: i64 = 3_600 * SECOND;
    Some(match name {
        "NANO_OF_SECOND" => (1, SECOND, false),
        "NANO_OF_DAY" => (1, 24 * HOUR, false),
        "MICRO_OF_SECOND" => (1_000, 1_000_000, false),
        "MICRO_OF_DAY" => (1_000, 24 * HOUR / 1_000, false),
        "MILLI_OF_SECOND" => (1_000_000, 1_000, false),
        "MILLI_OF_DAY" => (1_000_000, 24 * HOUR / 1_000_000, false),
        "SECOND_OF_MINUTE" => (SECOND, 60, true),
        "SECOND_OF_DAY" => (SECOND, 86_400, true),
        "MINUTE_OF_HOUR" => (60 * SECOND, 60, true),
        "MINUTE_OF_DAY" => (60 * SECOND, 1_440, true),
        "HOUR_OF_AMPM" | "CLOCK_HOUR_OF_AMPM" => (HOUR, 12, true),
        "HOUR_OF_DAY" | "CLOCK_HOUR_OF_DAY" => (HOUR, 24, true),
        "AMPM_OF_DAY" => (12 * HOUR, 2, true),
        _ => return None,
    })
}

/// None where the field is none of times. The value is one that the field can have.
fn time_with(time: Time, name: &str, value: i64) -> Option<Time> {
    let (per, count, keeps) = part_of_day(name)?;
    let nanos = time.duration_since(Time::midnight()).as_nanos() as i64;
    let above = nanos / (per * count) * (per * count);
    let below = if keeps { nanos % per } else { 0 };
    // Clocks say twelve and twenty-four for nought.
    let set = above + value % count * per + below;
    Some(Time::midnight().wrapping_add(SignedDuration::from_nanos(set)))
}

fn instant_with(at: Timestamp, name: &str, value: i64) -> Result<Temporal, Failed> {
    let (second, nanos) = (at.as_nanosecond().div_euclid(1_000_000_000), at.as_nanosecond().rem_euclid(1_000_000_000));
    let (second, nanos) = match name {
        "NANO_OF_SECOND" => (second, i128::from(value)),
        "MICRO_OF_SECOND" => (second, i128::from(value) * 1_000),
        "MILLI_OF_SECOND" => (second, i128::from(value) * 1_000_000),
        "INSTANT_SECONDS" => (i128::from(value), nanos),
        _ => return Err(no_field(name)),
    };
    let made = Timestamp::from_nanosecond(second * 1_000_000_000 + nanos).map_err(out_of_range)?;
    Ok(Temporal::Instant(made))
}

fn offset_of(seconds: i64) -> Result<Offset, Failed> {
    let out_of_reach = || throw("DateTimeException", "Zone offset not in valid range: -18:00 to +18:00");
    let offset = i32::try_from(seconds).ok().and_then(|seconds| Offset::from_seconds(seconds).ok());
    offset.ok_or_else(out_of_reach)
}

/// The same local time by another of the offsets that the zone has then; as it was where it has no such offset.
fn with_offset(at: &Zoned, seconds: i64) -> Result<Temporal, Failed> {
    let offset = offset_of(seconds)?;
    let moved = offset.to_timestamp(at.datetime()).map_err(out_of_range)?.to_zoned(at.time_zone().clone());
    let same = moved.offset() == offset;
    Ok(Temporal::Zoned(Box::new(if same { moved } else { at.clone() })))
}
