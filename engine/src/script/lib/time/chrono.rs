//! What dates and times of any calendar have in common: `ChronoLocalDate`, `ChronoLocalDateTime`, `ChronoZonedDateTime`, `ChronoPeriod`.
//! There is but the calendar of ISO.

use super::super::super::class::{ClassRow, Row};
use super::super::super::error::Outcome;
use super::super::super::value::Value;
use super::super::super::vm::Vm;
use super::super::args::{int, long, ok_bool};
use super::super::function::native;
use super::super::object::{EQUALS, HASH_CODE, TO_STRING};
use super::Temporal;
use super::adjust::adjusted;
use super::change::{field, plus};
use super::queries::{era, instant_at, iso, not_obtained};
use super::rows::{at_zone, formatter, moved, name, new, order, temporal, zone_of, zoned};
use super::text::format;
use super::with::with;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

fn shown(vm: &mut Vm, a: &[Value]) -> Outcome {
    let (pattern, zone) = formatter(&a[1])?;
    let shown = format(pattern, zone, temporal(&a[0])?)?;
    vm.string(shown)
}

/// Later by some units, or earlier.
fn later(vm: &mut Vm, a: &[Value], sign: i64) -> Outcome {
    let (amount, unit) = (long(&a[1])?, name(&a[2])?);
    let sum = match (amount, sign) {
        // The least number has no counterpart: what it takes away is given in two steps.
        (i64::MIN, -1) => plus(&plus(temporal(&a[0])?, i64::MAX, unit)?, 1, unit)?,
        (amount, sign) => plus(temporal(&a[0])?, amount * sign, unit)?,
    };
    new(vm, sum)
}

/// What the three classes of times have, each of its own type.
macro_rules! chrono_rows {
    ($class:literal, $obtained:expr; $($own:expr),* $(,)?) => {
        &[
            Row(concat!("static ", $class, " from(TemporalAccessor)"), $obtained),
            Row("static Comparator timeLineOrder()", |vm, _| {
                native(vm, "Comparator", vec![], |_, a| Ok(Value::Int(order(a)?.signum())))
            }),
            Row(concat!("int compareTo(", $class, ")"), |_, a| Ok(Value::Int(order(a)?))),
            Row(concat!("boolean isAfter(", $class, ")"), |_, a| ok_bool(order(a)? > 0)),
            Row(concat!("boolean isBefore(", $class, ")"), |_, a| ok_bool(order(a)? < 0)),
            Row(concat!("boolean isEqual(", $class, ")"), |_, a| ok_bool(order(a)? == 0)),
            Row("String format(DateTimeFormatter)", shown),
            Row("Chronology getChronology()", |vm, _| iso(vm)),
            Row(concat!($class, " plus(TemporalAmount)"), |vm, a| moved(vm, &a[0], &a[1], 1)),
            Row(concat!($class, " minus(TemporalAmount)"), |vm, a| moved(vm, &a[0], &a[1], -1)),
            Row(concat!($class, " plus(long,TemporalUnit)"), |vm, a| later(vm, a, 1)),
            Row(concat!($class, " minus(long,TemporalUnit)"), |vm, a| later(vm, a, -1)),
            Row(concat!($class, " with(TemporalAdjuster)"), adjusted),
            Row(concat!($class, " with(TemporalField,long)"), |vm, a| {
                let changed = with(temporal(&a[0])?, name(&a[1])?, long(&a[2])?)?;
                new(vm, changed)
            }),
            EQUALS,
            HASH_CODE,
            TO_STRING,
            $($own),*
        ]
    };
}

const DATE: &[Row] = chrono_rows!("ChronoLocalDate", |vm, a| {
    match temporal(&a[0])?.date() {
        Some(date) => new(vm, Temporal::Date(date)),
        None => Err(not_obtained("ChronoLocalDate", &a[0])),
    }
};
    Row("ChronoLocalDateTime atTime(LocalTime)", |vm, a| {
        let (Some(date), Some(time)) = (temporal(&a[0])?.date(), temporal(&a[1])?.time()) else {
            return Err(super::super::args::unexpected(&a[1]));
        };
        new(vm, Temporal::DateTime(DateTime::from_parts(date, time)))
    }),
    Row("Era getEra()", era),
    Row("boolean isLeapYear()", |_, a| ok_bool(temporal(&a[0])?.date().is_some_and(|date| date.in_leap_year()))),
    Row("int lengthOfMonth()", |_, a| {
        Ok(Value::Int(temporal(&a[0])?.date().map_or(0, |date| i32::from(date.days_in_month()))))
    }),
    Row("int lengthOfYear()", |_, a| {
        Ok(Value::Int(temporal(&a[0])?.date().map_or(0, |date| i32::from(date.days_in_year()))))
    }),
    Row("long toEpochDay()", |_, a| Ok(Value::Long(field(temporal(&a[0])?, "EPOCH_DAY")?))),
    Row("ChronoPeriod until(ChronoLocalDate)", |vm, a| super::parts::period_until(vm, &a[0], &a[1])),
);

const DATE_TIME: &[Row] = chrono_rows!("ChronoLocalDateTime", |vm, a| {
    match (temporal(&a[0])?.date(), temporal(&a[0])?.time()) {
        (Some(date), Some(time)) => new(vm, Temporal::DateTime(DateTime::from_parts(date, time))),
        _ => Err(not_obtained("LocalDateTime", &a[0])),
    }
};
    Row("ChronoZonedDateTime atZone(ZoneId)", |vm, a| {
        let local = super::queries::local(&a[0])?;
        at_zone(vm, local, zone_of(&a[1])?)
    }),
    Row("long toEpochSecond(ZoneOffset)", |_, a| {
        let at = instant_at(&a[0], &a[1])?;
        Ok(Value::Long(at.as_nanosecond().div_euclid(1_000_000_000) as i64))
    }),
    Row("Instant toInstant(ZoneOffset)", |vm, a| {
        let at = instant_at(&a[0], &a[1])?;
        new(vm, Temporal::Instant(at))
    }),
    Row("ChronoLocalDate toLocalDate()", |vm, a| new(vm, Temporal::Date(super::queries::local(&a[0])?.date()))),
    Row("LocalTime toLocalTime()", |vm, a| new(vm, Temporal::Time(super::queries::local(&a[0])?.time()))),
);

const ZONED: &[Row] = chrono_rows!("ChronoZonedDateTime", |vm, a| {
    match temporal(&a[0])? {
        Temporal::Zoned(_) => Ok(a[0].clone()),
        Temporal::Offset(at) => new(vm, Temporal::Zoned(at.clone())),
        _ => Err(not_obtained("ChronoZonedDateTime", &a[0])),
    }
};
    Row("ZoneOffset getOffset()", |vm, a| new(vm, Temporal::Zone(TimeZone::fixed(zoned(&a[0])?.offset())))),
    Row("ZoneId getZone()", |vm, a| new(vm, Temporal::Zone(zoned(&a[0])?.time_zone().clone()))),
    Row("Instant toInstant()", |vm, a| new(vm, Temporal::Instant(zoned(&a[0])?.timestamp()))),
    Row("long toEpochSecond()", |_, a| Ok(Value::Long(zoned(&a[0])?.timestamp().as_second()))),
    Row("ChronoLocalDate toLocalDate()", |vm, a| new(vm, Temporal::Date(zoned(&a[0])?.date()))),
    Row("LocalTime toLocalTime()", |vm, a| new(vm, Temporal::Time(zoned(&a[0])?.time()))),
    Row("ChronoLocalDateTime toLocalDateTime()", |vm, a| new(vm, Temporal::DateTime(zoned(&a[0])?.datetime()))),
    Row("ChronoZonedDateTime withEarlierOffsetAtOverlap()", |vm, a| super::parts::at_overlap(vm, a, false)),
    Row("ChronoZonedDateTime withLaterOffsetAtOverlap()", |vm, a| super::parts::at_overlap(vm, a, true)),
    Row("ChronoZonedDateTime withZoneSameInstant(ZoneId)", |vm, a| {
        let moved = zoned(&a[0])?.with_time_zone(zone_of(&a[1])?);
        new(vm, Temporal::Zoned(moved.into()))
    }),
    Row("ChronoZonedDateTime withZoneSameLocal(ZoneId)", |vm, a| at_zone(vm, zoned(&a[0])?.datetime(), zone_of(&a[1])?)),
);

const PERIOD: &[Row] = &[
    Row("static ChronoPeriod between(ChronoLocalDate,ChronoLocalDate)", |vm, a| {
        super::parts::period_until(vm, &a[0], &a[1])
    }),
    Row("Chronology getChronology()", |vm, _| iso(vm)),
    Row("List getUnits()", super::units::units),
    Row("boolean isNegative()", super::parts::is_negative),
    Row("boolean isZero()", super::parts::is_zero),
    Row("ChronoPeriod plus(TemporalAmount)", |vm, a| super::parts::period_plus(vm, a, 1)),
    Row("ChronoPeriod minus(TemporalAmount)", |vm, a| super::parts::period_plus(vm, a, -1)),
    Row("ChronoPeriod multipliedBy(int)", |vm, a| super::parts::period_times(vm, &a[0], int(&a[1])?)),
    Row("ChronoPeriod negated()", |vm, a| super::parts::period_times(vm, &a[0], -1)),
    Row("ChronoPeriod normalized()", super::parts::normalized),
    EQUALS,
    HASH_CODE,
    TO_STRING,
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.time.chrono.ChronoLocalDate", &["Temporal", "TemporalAdjuster", "Comparable"], DATE),
    ClassRow::new("java.time.chrono.ChronoLocalDateTime", &["Temporal", "TemporalAdjuster", "Comparable"], DATE_TIME),
    ClassRow::new("java.time.chrono.ChronoZonedDateTime", &["Temporal", "Comparable"], ZONED),
    ClassRow::new("java.time.chrono.ChronoPeriod", &["TemporalAmount"], PERIOD),
];
