//! `OffsetDateTime` and `MonthDay`.

use super::super::super::class::{ClassRow, Row};
use super::super::super::error::{Failed, Outcome, throw};
use super::super::super::value::Value;
use super::super::super::vm::Vm;
use super::super::args::{int, ok_bool, text, unexpected};
use super::change::field;
use super::parsed::parse_with;
use super::rows::{constant, date_of, formatter, new, order, temporal, time_of, zone_of};
use super::text::{format, parse};
use super::with::with;
use super::{MONTHS, Temporal, out_of_range};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// A moment at a fixed offset.
fn offset(value: &Value) -> Result<&Zoned, Failed> {
    match temporal(value)? {
        Temporal::Offset(at) => Ok(at),
        _ => Err(unexpected(value)),
    }
}

pub(super) fn at_offset(vm: &mut Vm, local: DateTime, zone: TimeZone) -> Outcome {
    let at = local.to_zoned(zone).map_err(out_of_range)?;
    new(vm, Temporal::Offset(at.into()))
}

/// A moment at the offset that a zone has then.
pub(super) fn moment_at(vm: &mut Vm, at: Timestamp, zone: &TimeZone) -> Outcome {
    let fixed = TimeZone::fixed(zone.to_offset(at));
    new(vm, Temporal::Offset(at.to_zoned(fixed).into()))
}

/// What a calculation with a zone gives, at its offset.
pub(super) fn fixed(of: Temporal) -> Temporal {
    match of {
        Temporal::Zoned(at) => Temporal::Offset(Box::new(at.with_time_zone(TimeZone::fixed(at.offset())))),
        other => other,
    }
}

pub(super) const OFFSET_DATE_TIME: &[Row] = &[
    Row("static OffsetDateTime of(int,int,int,int,int,int,int,ZoneOffset)", |vm, a| {
        let local = DateTime::from_parts(date_of(a)?, time_of(&a[3..7])?);
        at_offset(vm, local, zone_of(&a[7])?)
    }),
    Row("static OffsetDateTime of(LocalDateTime,ZoneOffset)", |vm, a| match temporal(&a[0])? {
        Temporal::DateTime(local) => at_offset(vm, *local, zone_of(&a[1])?),
        _ => Err(unexpected(&a[0])),
    }),
    Row("static OffsetDateTime of(LocalDate,LocalTime,ZoneOffset)", |vm, a| {
        match (temporal(&a[0])?, temporal(&a[1])?) {
            (Temporal::Date(date), Temporal::Time(time)) => {
                at_offset(vm, DateTime::from_parts(*date, *time), zone_of(&a[2])?)
            }
            _ => Err(unexpected(&a[0])),
        }
    }),
    Row("static OffsetDateTime ofInstant(Instant,ZoneId)", |vm, a| match temporal(&a[0])? {
        Temporal::Instant(at) => moment_at(vm, *at, &zone_of(&a[1])?),
        _ => Err(unexpected(&a[0])),
    }),
    Row("static OffsetDateTime from(TemporalAccessor)", |vm, a| match temporal(&a[0])? {
        Temporal::Offset(_) => Ok(a[0].clone()),
        Temporal::Zoned(at) => moment_at(vm, at.timestamp(), at.time_zone()),
        _ => Err(super::queries::not_obtained("OffsetDateTime", &a[0])),
    }),
    Row("ZonedDateTime atZoneSameInstant(ZoneId)", |vm, a| {
        let moved = offset(&a[0])?.with_time_zone(zone_of(&a[1])?);
        new(vm, Temporal::Zoned(moved.into()))
    }),
    Row("ZonedDateTime atZoneSimilarLocal(ZoneId)", |vm, a| {
        let at = offset(&a[0])?.datetime().to_zoned(zone_of(&a[1])?).map_err(out_of_range)?;
        new(vm, Temporal::Zoned(at.into()))
    }),
    Row("int compareTo(OffsetDateTime)", |_, a| Ok(Value::Int(order(a)?))),
    Row("boolean isAfter(OffsetDateTime)", |_, a| ok_bool(offset(&a[0])?.timestamp() > offset(&a[1])?.timestamp())),
    Row("boolean isBefore(OffsetDateTime)", |_, a| ok_bool(offset(&a[0])?.timestamp() < offset(&a[1])?.timestamp())),
    Row("boolean isEqual(OffsetDateTime)", |_, a| ok_bool(offset(&a[0])?.timestamp() == offset(&a[1])?.timestamp())),
    Row("ZoneOffset getOffset()", |vm, a| new(vm, Temporal::Zone(TimeZone::fixed(offset(&a[0])?.offset())))),
    Row("long toEpochSecond()", |_, a| {
        Ok(Value::Long(offset(&a[0])?.timestamp().as_nanosecond().div_euclid(1_000_000_000) as i64))
    }),
    Row("Instant toInstant()", |vm, a| new(vm, Temporal::Instant(offset(&a[0])?.timestamp()))),
    Row("LocalDate toLocalDate()", |vm, a| new(vm, Temporal::Date(offset(&a[0])?.date()))),
    Row("LocalDateTime toLocalDateTime()", |vm, a| new(vm, Temporal::DateTime(offset(&a[0])?.datetime()))),
    Row("LocalTime toLocalTime()", |vm, a| new(vm, Temporal::Time(offset(&a[0])?.time()))),
    Row("ZonedDateTime toZonedDateTime()", |vm, a| new(vm, Temporal::Zoned(Box::new(offset(&a[0])?.clone())))),
    Row("OffsetDateTime withOffsetSameInstant(ZoneOffset)", |vm, a| {
        moment_at(vm, offset(&a[0])?.timestamp(), &zone_of(&a[1])?)
    }),
    Row("OffsetDateTime withOffsetSameLocal(ZoneOffset)", |vm, a| {
        at_offset(vm, offset(&a[0])?.datetime(), zone_of(&a[1])?)
    }),
];

/// The days that a month has at most.
fn days(month: i32) -> i32 {
    match month {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn month_day(month: i64, day: i64) -> Result<Temporal, Failed> {
    if !(1..=12).contains(&month) {
        return Err(out_of_range(format!("Invalid value for MonthOfYear: {month}")));
    }
    if !(1..=31).contains(&day) {
        return Err(out_of_range(format!("Invalid value for DayOfMonth (valid values 1 - 28/31): {day}")));
    }
    let (month, day) = (month as i32, day as i32);
    match day <= days(month) {
        true => Ok(Temporal::MonthDay(month, day)),
        false => {
            let name = MONTHS[month as usize - 1];
            Err(out_of_range(format!("Illegal value for DayOfMonth field, value {day} is not valid for month {name}")))
        }
    }
}

pub(super) fn parts_of(value: &Value) -> Result<(i32, i32), Failed> {
    match temporal(value)? {
        Temporal::MonthDay(month, day) => Ok((*month, *day)),
        _ => Err(unexpected(value)),
    }
}

/// `--12-03`.
pub(super) fn read_month_day(text: &str) -> Result<Temporal, Failed> {
    let bad = || throw("DateTimeParseException", format!("Text '{text}' could not be parsed at index 0"));
    let (month, day) = text.strip_prefix("--").and_then(|rest| rest.split_once('-')).ok_or_else(bad)?;
    let number = |part: &str| part.parse::<i64>().ok().filter(|_| part.len() == 2);
    month_day(number(month).ok_or_else(bad)?, number(day).ok_or_else(bad)?)
}

/// A day of a year: the last of February where there is no 29th.
pub(super) fn at_year(year: i32, (month, day): (i32, i32)) -> Result<Temporal, Failed> {
    let day = if (month, day) == (2, 29) && !super::year::is_leap(i64::from(year)) { 28 } else { day };
    let year = i16::try_from(year).map_err(out_of_range)?;
    Date::new(year, month as i8, day as i8).map(Temporal::Date).map_err(out_of_range)
}

/// The same with another month or day, as far as the month has it.
pub(super) fn month_day_with((month, day): (i32, i32), name: &str, value: i64) -> Result<Temporal, Failed> {
    match name {
        "MONTH_OF_YEAR" => month_day(value, 1).and_then(|_| month_day(value, i64::from(day.min(days(value as i32))))),
        _ => month_day(i64::from(month), value),
    }
}

fn changed(vm: &mut Vm, a: &[Value], name: &str, value: i64) -> Outcome {
    let changed = with(temporal(&a[0])?, name, value)?;
    new(vm, changed)
}

pub(super) const MONTH_DAY: &[Row] = &[
    Row("static MonthDay of(int,int)", |vm, a| {
        let month = match &a[0] {
            Value::Obj(_) => super::more::position(&a[0], &MONTHS)? as i64 + 1,
            number => i64::from(int(number)?),
        };
        let made = month_day(month, i64::from(int(&a[1])?))?;
        new(vm, made)
    }),
    Row("static MonthDay from(TemporalAccessor)", |vm, a| {
        let of = temporal(&a[0])?;
        let made = month_day(field(of, "MONTH_OF_YEAR")?, field(of, "DAY_OF_MONTH")?)?;
        new(vm, made)
    }),
    Row("static MonthDay parse(CharSequence)", |vm, a| {
        let parsed = parse("MonthDay", &text(&a[0])?)?;
        new(vm, parsed)
    }),
    Row("static MonthDay parse(CharSequence,DateTimeFormatter)", |vm, a| {
        let (pattern, zone) = formatter(&a[1])?;
        let made = match parse_with("MonthDay", &text(&a[0])?, pattern, zone)? {
            Temporal::Date(date) => month_day(i64::from(date.month()), i64::from(date.day()))?,
            other => other,
        };
        new(vm, made)
    }),
    Row("LocalDate atYear(int)", |vm, a| {
        let date = at_year(int(&a[1])?, parts_of(&a[0])?)?;
        new(vm, date)
    }),
    Row("int compareTo(MonthDay)", |_, a| Ok(Value::Int(order(a)?))),
    Row("String format(DateTimeFormatter)", |vm, a| {
        let (pattern, zone) = formatter(&a[1])?;
        let shown = format(pattern, zone, temporal(&a[0])?)?;
        vm.string(shown)
    }),
    Row("int getDayOfMonth()", |_, a| Ok(Value::Int(parts_of(&a[0])?.1))),
    Row("Month getMonth()", |vm, a| constant(vm, "Month", &MONTHS, parts_of(&a[0])?.0 as usize - 1)),
    Row("int getMonthValue()", |_, a| Ok(Value::Int(parts_of(&a[0])?.0))),
    Row("boolean isAfter(MonthDay)", |_, a| ok_bool(order(a)? > 0)),
    Row("boolean isBefore(MonthDay)", |_, a| ok_bool(order(a)? < 0)),
    Row("boolean isValidYear(int)", |_, a| {
        ok_bool(parts_of(&a[0])? != (2, 29) || super::year::is_leap(i64::from(int(&a[1])?)))
    }),
    Row("MonthDay with(Month)", |vm, a| {
        let month = super::more::position(&a[1], &MONTHS)? as i64 + 1;
        changed(vm, a, "MONTH_OF_YEAR", month)
    }),
    Row("MonthDay withDayOfMonth(int)", |vm, a| changed(vm, a, "DAY_OF_MONTH", i64::from(int(&a[1])?))),
    Row("MonthDay withMonth(int)", |vm, a| changed(vm, a, "MONTH_OF_YEAR", i64::from(int(&a[1])?))),
];

pub const CLASSES: &[ClassRow] =
    &[ClassRow::new("java.time.MonthDay", &["TemporalAccessor", "TemporalAdjuster", "Comparable"], MONTH_DAY)];
