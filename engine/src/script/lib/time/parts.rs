//! Members that put dates and times together from parts, and calculate with durations and periods.

use super::super::super::big::Big;
use super::super::super::class::{ClassRow, Row};
use super::super::super::error::{Failed, Outcome, throw};
use super::super::super::value::Value;
use super::super::super::vm::Vm;
use super::super::args::{boolean, int, long, ok_bool, text, unexpected};
use super::change::{field, plus, until};
use super::more::{duration, lengthened, period, position};
use super::queries::not_obtained;
use super::rows::{constant, date_of, new, temporal, time_of, zone_of, zoned};
use super::text::parse;
use super::with::with;
use super::{MONTHS, Temporal, out_of_range, zone_offset};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

const NANOS_PER_SECOND: i64 = 1_000_000_000;

#[cold]
fn overflow(of: &str) -> Failed {
    throw("ArithmeticException", format!("{of} overflow"))
}

fn date(value: &Value) -> Result<Date, Failed> {
    temporal(value)?.date().ok_or_else(|| unexpected(value))
}

fn time(value: &Value) -> Result<Time, Failed> {
    temporal(value)?.time().ok_or_else(|| unexpected(value))
}

fn at_time(vm: &mut Vm, a: &[Value]) -> Outcome {
    let at = DateTime::from_parts(date(&a[0])?, time_of(&a[1..])?);
    new(vm, Temporal::DateTime(at))
}

fn instant(vm: &mut Vm, seconds: i64, nanos: i64) -> Outcome {
    let seconds = seconds.checked_add(nanos.div_euclid(NANOS_PER_SECOND)).ok_or_else(|| overflow("long"))?;
    let at = Timestamp::new(seconds, nanos.rem_euclid(NANOS_PER_SECOND) as i32).map_err(out_of_range)?;
    new(vm, Temporal::Instant(at))
}

const ZONED: &[Row] = &[
    Row("ZonedDateTime withFixedOffsetZone()", |vm, a| {
        let at = zoned(&a[0])?;
        let fixed = at.with_time_zone(TimeZone::fixed(at.offset()));
        new(vm, Temporal::Zoned(fixed.into()))
    }),
    Row("ZonedDateTime withEarlierOffsetAtOverlap()", |vm, a| at_overlap(vm, a, false)),
    Row("ZonedDateTime withLaterOffsetAtOverlap()", |vm, a| at_overlap(vm, a, true)),
    Row("static ZonedDateTime from(TemporalAccessor)", |vm, a| match temporal(&a[0])? {
        Temporal::Zoned(_) => Ok(a[0].clone()),
        Temporal::Offset(at) => new(vm, Temporal::Zoned(at.clone())),
        _ => Err(not_obtained("ZonedDateTime", &a[0])),
    }),
];

/// Where the local time comes twice, the earlier or the later of the two moments.
pub(super) fn at_overlap(vm: &mut Vm, a: &[Value], later: bool) -> Outcome {
    let at = zoned(&a[0])?;
    let both = at.time_zone().to_ambiguous_zoned(at.datetime());
    let chosen = if later { both.later() } else { both.earlier() };
    let moved = match at.time_zone().to_ambiguous_zoned(at.datetime()).is_ambiguous() {
        true => chosen.map_err(out_of_range)?,
        false => at.clone(),
    };
    new(vm, Temporal::Zoned(moved.into()))
}

const INSTANT: &[Row] = &[
    Row("static Instant ofEpochSecond(long,long)", |vm, a| instant(vm, long(&a[0])?, long(&a[1])?)),
    Row("static Instant from(TemporalAccessor)", |vm, a| match temporal(&a[0])? {
        Temporal::Instant(_) => Ok(a[0].clone()),
        Temporal::Zoned(at) => new(vm, Temporal::Instant(at.timestamp())),
        Temporal::Offset(at) => new(vm, Temporal::Instant(at.timestamp())),
        _ => Err(not_obtained("Instant", &a[0])),
    }),
];

/// A day of a year by its number.
pub(super) fn day_of(year: &Value, day: &Value) -> Result<Temporal, Failed> {
    let first = Temporal::Date(date_of(&[year.clone(), Value::Int(1), Value::Int(1)])?);
    let day = int(day)?;
    with(&first, "DAY_OF_YEAR", i64::from(day)).map_err(|_| match day {
        366 => throw(
            "DateTimeException",
            format!("Invalid date 'DayOfYear 366' as '{}' is not a leap year", super::super::plain(year)),
        ),
        _ => throw("DateTimeException", format!("Invalid value for DayOfYear (valid values 1 - 365/366): {day}")),
    })
}

const DATE: &[Row] = &[
    Row("static LocalDate ofYearDay(int,int)", |vm, a| {
        let found = day_of(&a[0], &a[1])?;
        new(vm, found)
    }),
    Row("static LocalDate from(TemporalAccessor)", |vm, a| match temporal(&a[0])?.date() {
        Some(date) => new(vm, Temporal::Date(date)),
        None => Err(not_obtained("LocalDate", &a[0])),
    }),
    Row("LocalDateTime atTime(LocalTime)", |vm, a| {
        let at = DateTime::from_parts(date(&a[0])?, time(&a[1])?);
        new(vm, Temporal::DateTime(at))
    }),
    Row("LocalDateTime atTime(int,int,int)", at_time),
    Row("LocalDateTime atTime(int,int,int,int)", at_time),
    Row("Period until(ChronoLocalDate)", |vm, a| period_until(vm, &a[0], &a[1])),
];

/// Years, months and days from one date to another.
pub(super) fn period_until(vm: &mut Vm, from: &Value, to: &Value) -> Outcome {
    let months = until(temporal(from)?, temporal(to)?, "MONTHS")?;
    let at = plus(temporal(from)?, months, "MONTHS")?;
    let days = until(&at, temporal(to)?, "DAYS")?;
    new(vm, Temporal::Period((months / 12) as i32, (months % 12) as i32, days as i32))
}

const DATE_TIME: &[Row] = &[
    Row("static LocalDateTime of(LocalDate,LocalTime)", |vm, a| {
        let at = DateTime::from_parts(date(&a[0])?, time(&a[1])?);
        new(vm, Temporal::DateTime(at))
    }),
    Row("static LocalDateTime of(int,int,int,int,int,int,int)", |vm, a| {
        new(vm, Temporal::DateTime(DateTime::from_parts(date_of(a)?, time_of(&a[3..])?)))
    }),
    Row("static LocalDateTime ofEpochSecond(long,int,ZoneOffset)", |vm, a| {
        let at = Timestamp::new(long(&a[0])?, int(&a[1])?).map_err(out_of_range)?;
        new(vm, Temporal::DateTime(at.to_zoned(zone_of(&a[2])?).datetime()))
    }),
    Row("static LocalDateTime from(TemporalAccessor)", |vm, a| {
        match (temporal(&a[0])?.date(), temporal(&a[0])?.time()) {
            (Some(date), Some(time)) => new(vm, Temporal::DateTime(DateTime::from_parts(date, time))),
            _ => Err(not_obtained("LocalDateTime", &a[0])),
        }
    }),
];

/// A time by what has passed since midnight.
fn since_midnight(vm: &mut Vm, seconds: i64, nanos: i64) -> Outcome {
    let passed = SignedDuration::new(seconds, nanos as i32);
    new(vm, Temporal::Time(Time::midnight().wrapping_add(passed)))
}

const TIME: &[Row] = &[
    Row("static LocalTime of(int,int,int,int)", |vm, a| new(vm, Temporal::Time(time_of(a)?))),
    Row("static LocalTime NOON", |vm, _| new(vm, Temporal::Time(Time::constant(12, 0, 0, 0)))),
    Row("static LocalTime MIN", |vm, _| new(vm, Temporal::Time(Time::MIN))),
    Row("static LocalTime MAX", |vm, _| new(vm, Temporal::Time(Time::MAX))),
    Row("static LocalTime ofSecondOfDay(long)", |vm, a| match long(&a[0])? {
        seconds @ 0..86_400 => since_midnight(vm, seconds, 0),
        other => {
            let what = format!("Invalid value for SecondOfDay (valid values 0 - 86399): {other}");
            Err(throw("DateTimeException", what))
        }
    }),
    Row("static LocalTime ofNanoOfDay(long)", |vm, a| match long(&a[0])? {
        nanos @ 0..86_400_000_000_000 => since_midnight(vm, nanos / NANOS_PER_SECOND, nanos % NANOS_PER_SECOND),
        other => {
            let what = format!("Invalid value for NanoOfDay (valid values 0 - 86399999999999): {other}");
            Err(throw("DateTimeException", what))
        }
    }),
    Row("static LocalTime from(TemporalAccessor)", |vm, a| match temporal(&a[0])?.time() {
        Some(time) => new(vm, Temporal::Time(time)),
        None => Err(not_obtained("LocalTime", &a[0])),
    }),
    Row("long toNanoOfDay()", |_, a| Ok(Value::Long(field(temporal(&a[0])?, "NANO_OF_DAY")?))),
    Row("LocalDateTime atDate(LocalDate)", |vm, a| {
        let at = DateTime::from_parts(date(&a[1])?, time(&a[0])?);
        new(vm, Temporal::DateTime(at))
    }),
];

/// A duration of so many nanoseconds.
fn of_nanos(vm: &mut Vm, nanos: i128) -> Outcome {
    let seconds = i64::try_from(nanos.div_euclid(i128::from(NANOS_PER_SECOND)));
    let seconds =
        seconds.map_err(|_| throw("ArithmeticException", format!("Exceeds capacity of Duration: {nanos}")))?;
    let nanos = nanos.rem_euclid(i128::from(NANOS_PER_SECOND)) as i32;
    new(vm, Temporal::Duration(SignedDuration::new(seconds, nanos)))
}

/// The product of a duration and a number, which has more than 128 bits where both are far from zero.
fn times(vm: &mut Vm, length: SignedDuration, by: i64) -> Outcome {
    match length.as_nanos().checked_mul(i128::from(by)) {
        Some(nanos) => of_nanos(vm, nanos),
        None => {
            let nanos = Big::from(length.as_nanos()).mul(&i128::from(by).into())?;
            let shown = nanos.radix_text(10);
            Err(throw("ArithmeticException", format!("Exceeds capacity of Duration: {shown}")))
        }
    }
}

const DURATION: &[Row] = &[
    Row("static Duration ofSeconds(long,long)", |vm, a| {
        let nanos = i128::from(long(&a[0])?) * i128::from(NANOS_PER_SECOND) + i128::from(long(&a[1])?);
        of_nanos(vm, nanos)
    }),
    Row("Duration multipliedBy(long)", |vm, a| times(vm, duration(&a[0])?, long(&a[1])?)),
    Row("Duration dividedBy(long)", |vm, a| match long(&a[1])? {
        0 => Err(throw("ArithmeticException", "Cannot divide by zero")),
        by => of_nanos(vm, duration(&a[0])?.as_nanos() / i128::from(by)),
    }),
    Row("Duration plusNanos(long)", |vm, a| lengthened(vm, a, 1, "NANOS")),
    Row("Duration minusMillis(long)", |vm, a| lengthened(vm, a, -1, "MILLIS")),
    Row("Duration minusNanos(long)", |vm, a| lengthened(vm, a, -1, "NANOS")),
    Row("Duration withSeconds(long)", |vm, a| {
        let nanos = duration(&a[0])?.as_nanos().rem_euclid(i128::from(NANOS_PER_SECOND));
        of_nanos(vm, i128::from(long(&a[1])?) * i128::from(NANOS_PER_SECOND) + nanos)
    }),
    Row("Duration withNanos(int)", |vm, a| {
        let given = int(&a[1])?;
        if !(0..NANOS_PER_SECOND).contains(&i64::from(given)) {
            let what = format!("Invalid value for NanoOfSecond (valid values 0 - 999999999): {given}");
            return Err(throw("DateTimeException", what));
        }
        let nanos = duration(&a[0])?.as_nanos();
        of_nanos(vm, nanos - nanos.rem_euclid(i128::from(NANOS_PER_SECOND)) + i128::from(int(&a[1])?))
    }),
];

/// A period whose parts are made of another's.
fn period_of(vm: &mut Vm, a: &[Value], parts: impl Fn([i64; 3]) -> [i64; 3]) -> Outcome {
    let (years, months, days) = period(&a[0])?;
    let made = parts([years, months, days].map(i64::from));
    let narrow = |part: i64| i32::try_from(part).map_err(|_| overflow("integer"));
    new(vm, Temporal::Period(narrow(made[0])?, narrow(made[1])?, narrow(made[2])?))
}

fn part_plus(vm: &mut Vm, a: &[Value], part: usize, sign: i64) -> Outcome {
    let (years, months, days) = period(&a[0])?;
    // The least number has no counterpart: as much as can be is given in its place.
    let moved = i64::from([years, months, days][part]).checked_add(long(&a[1])?.saturating_mul(sign));
    let moved = moved.ok_or_else(|| overflow("long"))?;
    period_of(vm, a, |mut parts| {
        parts[part] = moved;
        parts
    })
}

/// Adds another period, or takes it away.
pub(super) fn period_plus(vm: &mut Vm, a: &[Value], sign: i64) -> Outcome {
    let Temporal::Period(years, months, days) = temporal(&a[1])? else {
        return Err(throw("DateTimeException", "Unit must be Years, Months or Days, but was Seconds"));
    };
    let more = [*years, *months, *days].map(|part| i64::from(part) * sign);
    period_of(vm, a, |parts| [parts[0] + more[0], parts[1] + more[1], parts[2] + more[2]])
}

fn period_with(vm: &mut Vm, a: &[Value], part: usize) -> Outcome {
    let given = i64::from(int(&a[1])?);
    period_of(vm, a, |mut parts| {
        parts[part] = given;
        parts
    })
}

const PERIOD: &[Row] = &[
    Row("static Period ZERO", |vm, _| new(vm, Temporal::Period(0, 0, 0))),
    Row("static Period parse(CharSequence)", |vm, a| {
        let parsed = parse("Period", &text(&a[0])?)?;
        new(vm, parsed)
    }),
    Row("Period plus(TemporalAmount)", |vm, a| period_plus(vm, a, 1)),
    Row("Period minus(TemporalAmount)", |vm, a| period_plus(vm, a, -1)),
    Row("Period plusDays(long)", |vm, a| part_plus(vm, a, 2, 1)),
    Row("Period plusMonths(long)", |vm, a| part_plus(vm, a, 1, 1)),
    Row("Period plusYears(long)", |vm, a| part_plus(vm, a, 0, 1)),
    Row("Period minusDays(long)", |vm, a| part_plus(vm, a, 2, -1)),
    Row("Period minusMonths(long)", |vm, a| part_plus(vm, a, 1, -1)),
    Row("Period minusYears(long)", |vm, a| part_plus(vm, a, 0, -1)),
    Row("Period withDays(int)", |vm, a| period_with(vm, a, 2)),
    Row("Period withMonths(int)", |vm, a| period_with(vm, a, 1)),
    Row("Period withYears(int)", |vm, a| period_with(vm, a, 0)),
    Row("Period negated()", |vm, a| period_times(vm, &a[0], -1)),
    Row("Period multipliedBy(int)", |vm, a| period_times(vm, &a[0], int(&a[1])?)),
    Row("Period normalized()", normalized),
];

pub(super) fn period_times(vm: &mut Vm, of: &Value, by: i32) -> Outcome {
    period_of(vm, std::slice::from_ref(of), |parts| parts.map(|part| part * i64::from(by)))
}

/// Twelve months are a year.
pub(super) fn normalized(vm: &mut Vm, a: &[Value]) -> Outcome {
    period_of(vm, a, |[years, months, days]| {
        let months = years * 12 + months;
        [months / 12, months % 12, days]
    })
}

pub(super) fn is_negative(_: &mut Vm, a: &[Value]) -> Outcome {
    let (years, months, days) = period(&a[0])?;
    ok_bool(years < 0 || months < 0 || days < 0)
}

pub(super) fn is_zero(_: &mut Vm, a: &[Value]) -> Outcome {
    ok_bool(period(&a[0])? == (0, 0, 0))
}

fn of_parts(vm: &mut Vm, hours: i32, minutes: i32, seconds: i32) -> Outcome {
    new(vm, Temporal::Zone(TimeZone::fixed(zone_offset::of(hours, minutes, seconds)?)))
}

fn offset(vm: &mut Vm, seconds: i64) -> Outcome {
    const SECONDS_MAX: i64 = 18 * 3_600;
    if !(-SECONDS_MAX..=SECONDS_MAX).contains(&seconds) {
        return Err(throw("DateTimeException", "Zone offset not in valid range: -18:00 to +18:00"));
    }
    let offset = Offset::from_seconds(seconds as i32).map_err(out_of_range)?;
    new(vm, Temporal::Zone(TimeZone::fixed(offset)))
}

const OFFSET: &[Row] = &[
    Row("static ZoneOffset MIN", |vm, _| offset(vm, -64_800)),
    Row("static ZoneOffset MAX", |vm, _| offset(vm, 64_800)),
    Row("static ZoneOffset ofTotalSeconds(int)", |vm, a| offset(vm, i64::from(int(&a[0])?))),
    Row("static ZoneOffset ofHoursMinutes(int,int)", |vm, a| of_parts(vm, int(&a[0])?, int(&a[1])?, 0)),
    Row("static ZoneOffset ofHoursMinutesSeconds(int,int,int)", |vm, a| {
        of_parts(vm, int(&a[0])?, int(&a[1])?, int(&a[2])?)
    }),
    Row("int getTotalSeconds()", |_, a| {
        Ok(Value::Int(zone_of(&a[0])?.to_fixed_offset().map_or(0, |offset| offset.seconds())))
    }),
];

/// Days of a month, and before it, in a year without the 29th of February.
const MONTH_DAYS: [i32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

fn month_days(value: &Value, leap: bool) -> Result<i32, Failed> {
    let at = position(value, &MONTHS)?;
    Ok(MONTH_DAYS[at] + i32::from(at == 1 && leap))
}

const MONTH: &[Row] = &[
    Row("int length(boolean)", |_, a| Ok(Value::Int(month_days(&a[0], boolean(&a[1])?)?))),
    Row("int minLength()", |_, a| Ok(Value::Int(month_days(&a[0], false)?))),
    Row("int maxLength()", |_, a| Ok(Value::Int(month_days(&a[0], true)?))),
    Row("int firstDayOfYear(boolean)", |_, a| {
        let at = position(&a[0], &MONTHS)?;
        let leap = i32::from(at > 1 && boolean(&a[1])?);
        Ok(Value::Int(MONTH_DAYS[..at].iter().sum::<i32>() + leap + 1))
    }),
    Row("Month firstMonthOfQuarter()", |vm, a| {
        let at = position(&a[0], &MONTHS)?;
        constant(vm, "Month", &MONTHS, at / 3 * 3)
    }),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.time.temporal.ZonedMoreBase", &[], ZONED),
    ClassRow::new("java.time.temporal.InstantMoreBase", &[], INSTANT),
    ClassRow::new("java.time.temporal.DateMoreBase", &[], DATE),
    ClassRow::new("java.time.temporal.DateTimeMoreBase", &[], DATE_TIME),
    ClassRow::new("java.time.temporal.TimeMoreBase", &[], TIME),
    ClassRow::new("java.time.temporal.DurationMoreBase", &[], DURATION),
    ClassRow::new("java.time.temporal.PeriodMoreBase", &[], PERIOD),
    ClassRow::new("java.time.temporal.OffsetMoreBase", &[], OFFSET),
    ClassRow::new("java.time.temporal.MonthMoreBase", &[], MONTH),
];
