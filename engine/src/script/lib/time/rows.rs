//! Members of dates and times.

use super::super::super::class::{ClassRow, Row, registry};
use super::super::super::error::{Failed, Outcome, throw};
use super::super::super::value::{Data, Value};
use super::super::super::vm::Vm;
use super::super::args::{int, long, ok_bool, text, unexpected};
use super::adjust::adjusted;
use super::change::{SECOND_MAX, SECOND_MIN, field, plus, plus_amount, truncate};
use super::parsed::parse_with;
use super::text::{Pattern, format, parse};
use super::with::with;
use super::{DAYS, MONTHS, Temporal, out_of_range, zone};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

pub(super) fn temporal(value: &Value) -> Result<&Temporal, Failed> {
    match value.data() {
        Some(Data::Temporal(temporal)) => Ok(temporal),
        _ => Err(unexpected(value)),
    }
}

pub(super) fn new(vm: &mut Vm, temporal: Temporal) -> Outcome {
    vm.alloc(Data::Temporal(temporal))
}

/// The name of a constant of an enumeration.
pub(super) fn name(value: &Value) -> Result<&'static str, Failed> {
    match value.data() {
        Some(Data::Constant(_, name, _)) => Ok(name),
        _ => Err(unexpected(value)),
    }
}

/// The constant with a number that counts from one.
pub(super) fn numbered(vm: &mut Vm, class: &str, names: &[&'static str], number: i32) -> Outcome {
    match usize::try_from(i64::from(number) - 1) {
        Ok(at) if at < names.len() => constant(vm, class, names, at),
        _ => {
            let field = if class == "Month" { "MonthOfYear" } else { class };
            Err(throw("DateTimeException", format!("Invalid value for {field}: {number}")))
        }
    }
}

/// The constant at a place, which there is.
pub(super) fn constant(vm: &mut Vm, class: &str, names: &[&'static str], at: usize) -> Outcome {
    let Some(name) = names.get(at) else {
        return Err(throw("IndexOutOfBoundsException", format!("Index {at} out of bounds for length {}", names.len())));
    };
    vm.alloc(Data::Constant(registry().find(class).expect("the row is in this room"), name, at as i32))
}

fn get(a: &[Value], of: &str) -> Outcome {
    Ok(Value::Int(field(temporal(&a[0])?, of)? as i32))
}

fn add(vm: &mut Vm, a: &[Value], sign: i64, unit: &str) -> Outcome {
    let sum = match (long(&a[1])?, sign) {
        // The least number has no counterpart: what it takes away is given in two steps.
        (i64::MIN, -1) => plus(&plus(temporal(&a[0])?, i64::MAX, unit)?, 1, unit)?,
        (amount, sign) => plus(temporal(&a[0])?, amount * sign, unit)?,
    };
    new(vm, sum)
}

fn set(vm: &mut Vm, a: &[Value], of: &str) -> Outcome {
    let changed = with(temporal(&a[0])?, of, long(&a[1])?)?;
    new(vm, changed)
}

pub(super) fn order(a: &[Value]) -> Result<i32, Failed> {
    let (x, y) = (temporal(&a[0])?, temporal(&a[1])?);
    x.compare(y).ok_or_else(|| unexpected(&a[1]))
}

pub(super) fn zone_of(value: &Value) -> Result<TimeZone, Failed> {
    match temporal(value)? {
        Temporal::Zone(zone) => Ok(zone.clone()),
        _ => Err(unexpected(value)),
    }
}

pub(super) fn formatter(value: &Value) -> Result<(Pattern<'_>, Option<&TimeZone>), Failed> {
    match temporal(value)? {
        Temporal::Formatter(text, names, zone) => Ok((Pattern { text, names: *names }, zone.as_ref())),
        _ => Err(unexpected(value)),
    }
}

pub(super) fn zoned(value: &Value) -> Result<&Zoned, Failed> {
    match temporal(value)? {
        Temporal::Zoned(at) => Ok(at),
        _ => Err(unexpected(value)),
    }
}

pub(super) fn at_zone(vm: &mut Vm, local: DateTime, zone: TimeZone) -> Outcome {
    let at = local.to_zoned(zone).map_err(out_of_range)?;
    new(vm, Temporal::Zoned(at.into()))
}

pub(super) fn date_of(a: &[Value]) -> Result<Date, Failed> {
    let month = match &a[1] {
        Value::Obj(_) => {
            let name = name(&a[1])?;
            MONTHS.iter().position(|m| *m == name).map_or(0, |at| at as i32 + 1)
        }
        number => int(number)?,
    };
    let (year, day) = (int(&a[0])?, int(&a[2])?);
    super::year::checked_year(i64::from(year))?;
    if !(1..=12).contains(&month) {
        return Err(throw(
            "DateTimeException",
            format!("Invalid value for MonthOfYear (valid values 1 - 12): {month}"),
        ));
    }
    if !(1..=31).contains(&day) {
        return Err(throw(
            "DateTimeException",
            format!("Invalid value for DayOfMonth (valid values 1 - 28/31): {day}"),
        ));
    }
    let narrow_year = i16::try_from(year).map_err(out_of_range)?;
    Date::new(narrow_year, month as i8, day as i8)
        .map_err(|_| super::change::no_day(year, month as usize, i64::from(day)))
}

pub(super) fn time_of(a: &[Value]) -> Result<Time, Failed> {
    let part = |i: usize| a.get(i).map_or(Ok(0), int);
    let (h, m, s, n) = (part(0)?, part(1)?, part(2)?, part(3)?);
    for (value, most, name) in
        [(h, 23, "HourOfDay"), (m, 59, "MinuteOfHour"), (s, 59, "SecondOfMinute"), (n, 999_999_999, "NanoOfSecond")]
    {
        if !(0..=most).contains(&value) {
            return Err(out_of_range(format!("Invalid value for {name} (valid values 0 - {most}): {value}")));
        }
    }
    let narrow = |v: i32| i8::try_from(v).unwrap_or(-1);
    Time::new(narrow(h), narrow(m), narrow(s), n).map_err(out_of_range)
}

macro_rules! fields {
    ($($name:literal = $field:literal),* $(,)?) => { &[$(Row(concat!("int ", $name, "()"), |_, a| get(a, $field))),*] };
}

const DATE_FIELDS: &[Row] = fields!(
    "getYear" = "YEAR",
    "getMonthValue" = "MONTH_OF_YEAR",
    "getDayOfMonth" = "DAY_OF_MONTH",
    "getDayOfYear" = "DAY_OF_YEAR",
);

const TIME_FIELDS: &[Row] = fields!(
    "getHour" = "HOUR_OF_DAY",
    "getMinute" = "MINUTE_OF_HOUR",
    "getSecond" = "SECOND_OF_MINUTE",
    "getNano" = "NANO_OF_SECOND",
);

const ACCESSOR: &[Row] = &[
    Row("int get(TemporalField)", |_, a| {
        let field = name(&a[1])?;
        let value = get(a, field)?;
        // Fields of what no int can count are not asked this way.
        let shown = match field {
            "EPOCH_DAY" | "PROLEPTIC_MONTH" | "NANO_OF_DAY" | "MICRO_OF_DAY" | "INSTANT_SECONDS" => {
                format!("'{}'", super::change::pretty(field))
            }
            "JULIAN_DAY" | "MODIFIED_JULIAN_DAY" | "RATA_DIE" => super::change::pretty(field),
            _ => return Ok(value),
        };
        let what = format!("Invalid field {shown} for get() method, use getLong() instead");
        Err(throw("UnsupportedTemporalTypeException", what))
    }),
    Row("long getLong(TemporalField)", |_, a| Ok(Value::Long(field(temporal(&a[0])?, name(&a[1])?)?))),
    Row("boolean isSupported(TemporalField)", |_, a| ok_bool(field(temporal(&a[0])?, name(&a[1])?).is_ok())),
];

/// A time later by an amount, or earlier.
pub(super) fn moved(vm: &mut Vm, at: &Value, amount: &Value, sign: i64) -> Outcome {
    let moved = plus_amount(temporal(at)?, temporal(amount)?, sign)?;
    new(vm, moved)
}

/// What all classes of times can do that are added to, compared, shown and parsed, and the class's own rows.
macro_rules! common_rows {
    ($class:literal; $($own:expr),* $(,)?) => {
        &[
            Row(concat!($class, " plus(TemporalAmount)"), |vm, a| moved(vm, &a[0], &a[1], 1)),
            Row(concat!($class, " minus(TemporalAmount)"), |vm, a| moved(vm, &a[0], &a[1], -1)),
            Row(concat!($class, " with(TemporalField,long)"), |vm, a| {
                let changed = with(temporal(&a[0])?, name(&a[1])?, long(&a[2])?)?;
                new(vm, changed)
            }),
            Row(concat!("static ", $class, " parse(CharSequence)"), |vm, a| {
                let parsed = parse($class, &text(&a[0])?)?;
                new(vm, parsed)
            }),
            $($own),*
        ]
    };
}
pub(super) use common_rows;

/// That of `common_rows` which only some of the classes have.
const SHOWN: Row = Row("String format(DateTimeFormatter)", |vm, a| {
    let (pattern, zone) = formatter(&a[1])?;
    let shown = format(pattern, zone, temporal(&a[0])?)?;
    vm.string(shown)
});

macro_rules! parsed_row {
    ($class:literal) => {
        Row(concat!("static ", $class, " parse(CharSequence,DateTimeFormatter)"), |vm, a| {
            let (pattern, zone) = formatter(&a[1])?;
            let parsed = parse_with($class, &text(&a[0])?, pattern, zone)?;
            new(vm, parsed)
        })
    };
}

macro_rules! truncated_row {
    ($class:literal) => {
        Row(concat!($class, " truncatedTo(TemporalUnit)"), |vm, a| {
            let cut = truncate(temporal(&a[0])?, name(&a[1])?)?;
            new(vm, cut)
        })
    };
}

macro_rules! temporal_rows {
    ($class:literal $(, $own:expr)* $(,)?) => {
        common_rows!($class;
            Row(concat!($class, " plus(long,TemporalUnit)"), |vm, a| {
                let unit = name(&a[2])?;
                add(vm, a, 1, unit)
            }),
            Row(concat!($class, " minus(long,TemporalUnit)"), |vm, a| {
                let unit = name(&a[2])?;
                add(vm, a, -1, unit)
            }),
            Row(concat!($class, " with(TemporalAdjuster)"), adjusted),
            $($own),*
        )
    };
}

macro_rules! steps {
    // Of what has both a date and a time.
    ($class:literal) => {
        steps!($class: "Nanos" "NANOS", "Seconds" "SECONDS", "Minutes" "MINUTES", "Hours" "HOURS", "Days" "DAYS",
            "Weeks" "WEEKS", "Months" "MONTHS", "Years" "YEARS")
    };
    ($class:literal: $($unit:literal $constant:literal),*) => {
        &[$(
            Row(concat!($class, " plus", $unit, "(long)"), |vm, a| add(vm, a, 1, $constant)),
            Row(concat!($class, " minus", $unit, "(long)"), |vm, a| add(vm, a, -1, $constant))
        ),*]
    };
}

macro_rules! date_rows {
    ($class:literal) => {
        &[
            Row("DayOfWeek getDayOfWeek()", |vm, a| {
                let day = field(temporal(&a[0])?, "DAY_OF_WEEK")? as usize;
                constant(vm, "DayOfWeek", &DAYS, day - 1)
            }),
            Row("Month getMonth()", |vm, a| {
                let month = field(temporal(&a[0])?, "MONTH_OF_YEAR")? as usize;
                constant(vm, "Month", &MONTHS, month - 1)
            }),
            Row(concat!($class, " withYear(int)"), |vm, a| set(vm, a, "YEAR")),
            Row(concat!($class, " withMonth(int)"), |vm, a| set(vm, a, "MONTH_OF_YEAR")),
            Row(concat!($class, " withDayOfMonth(int)"), |vm, a| set(vm, a, "DAY_OF_MONTH")),
            Row(concat!($class, " withDayOfYear(int)"), |vm, a| set(vm, a, "DAY_OF_YEAR")),
        ]
    };
}

macro_rules! time_rows {
    ($class:literal $(, $nano:literal)?) => {
        &[
            Row(concat!($class, " withHour(int)"), |vm, a| set(vm, a, "HOUR_OF_DAY")),
            Row(concat!($class, " withMinute(int)"), |vm, a| set(vm, a, "MINUTE_OF_HOUR")),
            Row(concat!($class, " withSecond(int)"), |vm, a| set(vm, a, "SECOND_OF_MINUTE")),
            $(Row(concat!($class, " ", $nano, "(int)"), |vm, a| set(vm, a, "NANO_OF_SECOND")),)?
        ]
    };
}

const ZONED: &[Row] = &[
    Row("static ZonedDateTime of(int,int,int,int,int,int,int,ZoneId)", |vm, a| {
        let local = DateTime::from_parts(date_of(a)?, time_of(&a[3..7])?);
        at_zone(vm, local, zone_of(&a[7])?)
    }),
    Row("static ZonedDateTime of(LocalDateTime,ZoneId)", |vm, a| match temporal(&a[0])? {
        Temporal::DateTime(local) => at_zone(vm, *local, zone_of(&a[1])?),
        _ => Err(unexpected(&a[0])),
    }),
    Row("static ZonedDateTime of(LocalDate,LocalTime,ZoneId)", |vm, a| match (temporal(&a[0])?, temporal(&a[1])?) {
        (Temporal::Date(date), Temporal::Time(time)) => {
            at_zone(vm, DateTime::from_parts(*date, *time), zone_of(&a[2])?)
        }
        _ => Err(unexpected(&a[0])),
    }),
    Row("static ZonedDateTime ofInstant(Instant,ZoneId)", |vm, a| match temporal(&a[0])? {
        Temporal::Instant(at) => {
            let zoned = at.to_zoned(zone_of(&a[1])?);
            new(vm, Temporal::Zoned(zoned.into()))
        }
        _ => Err(unexpected(&a[0])),
    }),
    Row("augmented DayOfWeek getDayOfWeekEnum()", |vm, a| {
        let day = field(temporal(&a[0])?, "DAY_OF_WEEK")? as usize;
        constant(vm, "DayOfWeek", &DAYS, day - 1)
    }),
    Row("OffsetDateTime toOffsetDateTime()", |vm, a| {
        let at = zoned(&a[0])?;
        super::offset::moment_at(vm, at.timestamp(), at.time_zone())
    }),
    Row("LocalDate toLocalDate()", |vm, a| new(vm, Temporal::Date(zoned(&a[0])?.date()))),
    Row("LocalDateTime toLocalDateTime()", |vm, a| new(vm, Temporal::DateTime(zoned(&a[0])?.datetime()))),
    Row("ZonedDateTime withZoneSameInstant(ZoneId)", |vm, a| {
        let moved = zoned(&a[0])?.with_time_zone(zone_of(&a[1])?);
        new(vm, Temporal::Zoned(moved.into()))
    }),
    Row("ZonedDateTime withZoneSameLocal(ZoneId)", |vm, a| at_zone(vm, zoned(&a[0])?.datetime(), zone_of(&a[1])?)),
];

const INSTANT: &[Row] = &[
    Row("static Instant EPOCH", |vm, _| new(vm, Temporal::Instant(Timestamp::UNIX_EPOCH))),
    Row("static Instant ofEpochMilli(long)", |vm, a| {
        let at = Timestamp::from_millisecond(long(&a[0])?).map_err(out_of_range)?;
        new(vm, Temporal::Instant(at))
    }),
    Row("static Instant ofEpochSecond(long)", |vm, a| {
        let seconds = long(&a[0])?;
        if !(SECOND_MIN..=SECOND_MAX).contains(&seconds) {
            return Err(throw("DateTimeException", "Instant exceeds minimum or maximum instant"));
        }
        let at = Timestamp::from_second(seconds).map_err(out_of_range)?;
        new(vm, Temporal::Instant(at))
    }),
    Row("OffsetDateTime atOffset(ZoneOffset)", |vm, a| match temporal(&a[0])? {
        Temporal::Instant(at) => super::offset::moment_at(vm, *at, &zone_of(&a[1])?),
        _ => Err(unexpected(&a[0])),
    }),
    Row("long toEpochMilli()", |_, a| match temporal(&a[0])? {
        Temporal::Instant(at) => Ok(Value::Long(at.as_millisecond())),
        _ => Err(unexpected(&a[0])),
    }),
    Row("long getEpochSecond()", |_, a| match temporal(&a[0])? {
        Temporal::Instant(at) => Ok(Value::Long(at.as_nanosecond().div_euclid(1_000_000_000) as i64)),
        _ => Err(unexpected(&a[0])),
    }),
    Row("int getNano()", |_, a| get(a, "NANO_OF_SECOND")),
    Row("ZonedDateTime atZone(ZoneId)", |vm, a| match temporal(&a[0])? {
        Temporal::Instant(at) => {
            let zoned = at.to_zoned(zone_of(&a[1])?);
            new(vm, Temporal::Zoned(zoned.into()))
        }
        _ => Err(unexpected(&a[0])),
    }),
];

const LOCAL_DATE: &[Row] = &[
    Row("static LocalDate of(int,int,int)", |vm, a| new(vm, Temporal::Date(date_of(a)?))),
    Row("static LocalDate ofEpochDay(long)", |vm, a| {
        let epoch = Temporal::Date(Date::constant(1970, 1, 1));
        let date = plus(&epoch, long(&a[0])?, "DAYS")?;
        new(vm, date)
    }),
    Row("LocalDateTime atStartOfDay()", |vm, a| match temporal(&a[0])? {
        Temporal::Date(date) => new(vm, Temporal::DateTime(DateTime::from_parts(*date, Time::midnight()))),
        _ => Err(unexpected(&a[0])),
    }),
    Row("ZonedDateTime atStartOfDay(ZoneId)", |vm, a| match temporal(&a[0])? {
        Temporal::Date(date) => at_zone(vm, DateTime::from_parts(*date, Time::midnight()), zone_of(&a[1])?),
        _ => Err(unexpected(&a[0])),
    }),
    Row("LocalDateTime atTime(int,int)", |vm, a| match temporal(&a[0])? {
        Temporal::Date(date) => new(vm, Temporal::DateTime(DateTime::from_parts(*date, time_of(&a[1..])?))),
        _ => Err(unexpected(&a[0])),
    }),
];

const LOCAL_DATE_TIME: &[Row] = &[
    Row("static LocalDateTime of(int,int,int,int,int)", |vm, a| {
        new(vm, Temporal::DateTime(DateTime::from_parts(date_of(a)?, time_of(&a[3..])?)))
    }),
    Row("static LocalDateTime of(int,int,int,int,int,int)", |vm, a| {
        new(vm, Temporal::DateTime(DateTime::from_parts(date_of(a)?, time_of(&a[3..])?)))
    }),
    Row("static LocalDateTime ofInstant(Instant,ZoneId)", |vm, a| match temporal(&a[0])? {
        Temporal::Instant(at) => new(vm, Temporal::DateTime(at.to_zoned(zone_of(&a[1])?).datetime())),
        _ => Err(unexpected(&a[0])),
    }),
    Row("ZonedDateTime atZone(ZoneId)", |vm, a| match temporal(&a[0])? {
        Temporal::DateTime(local) => at_zone(vm, *local, zone_of(&a[1])?),
        _ => Err(unexpected(&a[0])),
    }),
    Row("OffsetDateTime atOffset(ZoneOffset)", |vm, a| match temporal(&a[0])? {
        Temporal::DateTime(local) => super::offset::at_offset(vm, *local, zone_of(&a[1])?),
        _ => Err(unexpected(&a[0])),
    }),
    Row("LocalDate toLocalDate()", |vm, a| match temporal(&a[0])? {
        Temporal::DateTime(local) => new(vm, Temporal::Date(local.date())),
        _ => Err(unexpected(&a[0])),
    }),
];

const LOCAL_TIME: &[Row] = &[
    Row("static LocalTime of(int,int)", |vm, a| new(vm, Temporal::Time(time_of(a)?))),
    Row("static LocalTime of(int,int,int)", |vm, a| new(vm, Temporal::Time(time_of(a)?))),
    Row("static LocalTime MIDNIGHT", |vm, _| new(vm, Temporal::Time(Time::midnight()))),
    Row("int toSecondOfDay()", |_, a| get(a, "SECOND_OF_DAY")),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.time.temporal.TemporalAccessor", &["AccessorMoreBase", "QueriedMoreBase"], ACCESSOR),
    ClassRow::new("java.time.temporal.Temporal", &["TemporalMoreBase", "TemporalAccessor"], &[]),
    ClassRow::new("java.time.temporal.DateFieldsBase", &["Temporal"], DATE_FIELDS),
    ClassRow::new("java.time.temporal.TimeFieldsBase", &["Temporal"], TIME_FIELDS),
    ClassRow::new("java.time.temporal.ZonedStepsBase", &["DateFieldsBase", "TimeFieldsBase"], steps!("ZonedDateTime")),
    ClassRow::new("java.time.temporal.ZonedDatesBase", &["ZonedStepsBase"], date_rows!("ZonedDateTime")),
    ClassRow::new("java.time.temporal.ZonedTimesBase", &["ZonedDatesBase"], time_rows!("ZonedDateTime", "withNano")),
    ClassRow::new("java.time.temporal.ZonedBase", &["ZonedTimesBase"], ZONED),
    ClassRow::new(
        "java.time.ZonedDateTime",
        &["ZonedBase", "ZonedMoreBase", "OfZonedMoreBase", "ChronoZonedDateTime"],
        temporal_rows!("ZonedDateTime", parsed_row!("ZonedDateTime"), truncated_row!("ZonedDateTime")),
    ),
    ClassRow::new(
        "java.time.temporal.OffsetStepsBase",
        &["DateFieldsBase", "TimeFieldsBase"],
        steps!("OffsetDateTime"),
    ),
    ClassRow::new("java.time.temporal.OffsetDatesBase", &["OffsetStepsBase"], date_rows!("OffsetDateTime")),
    ClassRow::new("java.time.temporal.OffsetTimesBase", &["OffsetDatesBase"], time_rows!("OffsetDateTime", "withNano")),
    ClassRow::new(
        "java.time.temporal.OffsetRowsBase",
        &["OffsetTimesBase"],
        temporal_rows!("OffsetDateTime", SHOWN, parsed_row!("OffsetDateTime"), truncated_row!("OffsetDateTime")),
    ),
    ClassRow::new(
        "java.time.OffsetDateTime",
        &["OffsetRowsBase", "TemporalAdjuster", "Comparable"],
        super::offset::OFFSET_DATE_TIME,
    ),
    ClassRow::new(
        "java.time.temporal.InstantStepsBase",
        &["Temporal"],
        steps!("Instant":
        "Nanos" "NANOS", "Millis" "MILLIS", "Seconds" "SECONDS"),
    ),
    ClassRow::new("java.time.temporal.InstantBase", &["InstantStepsBase"], INSTANT),
    ClassRow::new(
        "java.time.Instant",
        &["InstantBase", "InstantMoreBase", "TemporalAdjuster", "Comparable"],
        temporal_rows!(
            "Instant",
            truncated_row!("Instant"),
            Row("int compareTo(Instant)", |_, a| Ok(Value::Int(order(a)?))),
            Row("boolean isAfter(Instant)", |_, a| ok_bool(order(a)? > 0)),
            Row("boolean isBefore(Instant)", |_, a| ok_bool(order(a)? < 0)),
        ),
    ),
    ClassRow::new(
        "java.time.temporal.DateStepsBase",
        &["DateFieldsBase"],
        steps!("LocalDate":
        "Days" "DAYS", "Weeks" "WEEKS", "Months" "MONTHS", "Years" "YEARS"),
    ),
    ClassRow::new("java.time.temporal.DateDatesBase", &["DateStepsBase"], date_rows!("LocalDate")),
    ClassRow::new("java.time.temporal.DateBase", &["DateDatesBase"], LOCAL_DATE),
    ClassRow::new(
        "java.time.LocalDate",
        &["DateBase", "DateMoreBase", "OfDatesMoreBase", "ChronoLocalDate"],
        temporal_rows!("LocalDate", parsed_row!("LocalDate")),
    ),
    ClassRow::new(
        "java.time.temporal.DateTimeStepsBase",
        &["DateFieldsBase", "TimeFieldsBase"],
        steps!("LocalDateTime"),
    ),
    ClassRow::new("java.time.temporal.DateTimeDatesBase", &["DateTimeStepsBase"], date_rows!("LocalDateTime")),
    ClassRow::new("java.time.temporal.DateTimeTimesBase", &["DateTimeDatesBase"], time_rows!("LocalDateTime")),
    ClassRow::new("java.time.temporal.DateTimeBase", &["DateTimeTimesBase"], LOCAL_DATE_TIME),
    ClassRow::new(
        "java.time.LocalDateTime",
        &["DateTimeBase", "DateTimeMoreBase", "ChronoLocalDateTime"],
        temporal_rows!("LocalDateTime", parsed_row!("LocalDateTime"), truncated_row!("LocalDateTime")),
    ),
    ClassRow::new(
        "java.time.temporal.TimeStepsBase",
        &["TimeFieldsBase"],
        steps!("LocalTime":
        "Nanos" "NANOS", "Seconds" "SECONDS", "Minutes" "MINUTES", "Hours" "HOURS"),
    ),
    ClassRow::new("java.time.temporal.TimeTimesBase", &["TimeStepsBase"], time_rows!("LocalTime", "withNano")),
    ClassRow::new("java.time.temporal.TimeBase", &["TimeTimesBase"], LOCAL_TIME),
    ClassRow::new(
        "java.time.LocalTime",
        &["TimeBase", "TimeMoreBase", "TemporalAdjuster", "Comparable"],
        temporal_rows!(
            "LocalTime",
            SHOWN,
            parsed_row!("LocalTime"),
            truncated_row!("LocalTime"),
            Row("int compareTo(LocalTime)", |_, a| Ok(Value::Int(order(a)?))),
            Row("boolean isAfter(LocalTime)", |_, a| ok_bool(order(a)? > 0)),
            Row("boolean isBefore(LocalTime)", |_, a| ok_bool(order(a)? < 0)),
        ),
    ),
];

/// The name of the zone that a text stands for, checked.
pub(super) fn zone_named(vm: &mut Vm, given: &Value) -> Outcome {
    let zone = zone(&text(given)?)?;
    new(vm, Temporal::Zone(zone))
}
