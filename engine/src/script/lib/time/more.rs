//! Members of durations, periods, zones, formatters and the enumerations.

use super::super::super::class::{ClassRow, Row, registry};
use super::super::super::error::{Failed, Outcome, throw};
use super::super::super::types::Type;
use super::super::super::value::{Array, Data, Value};
use super::super::super::vm::Vm;
use super::super::args::{int, long, ok_bool, text, unexpected};
use super::change::{field, plus, until};
use super::parsed::parse_with;
use super::queries::not_obtained;
use super::rows::{constant, formatter, name, new, numbered, temporal, zone_named};
use super::text::{check_pattern, format, parse, zone_text};
use super::{DAYS, FIELDS, MONTHS, Temporal, UNITS};
use crate::mapping::date::{Names, TextField, Width};
use jiff::SignedDuration;
use jiff::tz::TimeZone;

pub(super) fn duration(value: &Value) -> Result<SignedDuration, Failed> {
    match temporal(value)? {
        Temporal::Duration(length) => Ok(*length),
        _ => Err(unexpected(value)),
    }
}

fn of(vm: &mut Vm, a: &[Value], unit: &str) -> Outcome {
    let length = plus(&Temporal::Duration(SignedDuration::ZERO), long(&a[0])?, unit)?;
    new(vm, length)
}

pub(super) fn lengthened(vm: &mut Vm, a: &[Value], sign: i64, unit: &str) -> Outcome {
    let length = plus(temporal(&a[0])?, long(&a[1])?.saturating_mul(sign), unit)?;
    new(vm, length)
}

/// Seconds and nanoseconds: to Java these are what is above the whole seconds, of less than nothing as well.
pub(super) fn parts(length: SignedDuration) -> (i64, i32) {
    match (length.as_secs(), length.subsec_nanos()) {
        (seconds, nanos) if nanos < 0 => (seconds - 1, nanos + 1_000_000_000),
        whole => whole,
    }
}

fn between(vm: &mut Vm, a: &[Value]) -> Outcome {
    let (from, to) = (temporal(&a[0])?, temporal(&a[1])?);
    // What cannot be told in nanoseconds may be in seconds.
    let length = match until(from, to, "NANOS") {
        Ok(nanos) => SignedDuration::from_nanos(nanos),
        Err(_) => SignedDuration::from_secs(until(from, to, "SECONDS")?),
    };
    new(vm, Temporal::Duration(length))
}

const DURATION: &[Row] = &[
    Row("static Duration ZERO", |vm, _| new(vm, Temporal::Duration(SignedDuration::ZERO))),
    Row("static Duration between(Temporal,Temporal)", between),
    Row("static Duration ofDays(long)", |vm, a| of(vm, a, "DAYS")),
    Row("static Duration ofHours(long)", |vm, a| of(vm, a, "HOURS")),
    Row("static Duration ofMinutes(long)", |vm, a| of(vm, a, "MINUTES")),
    Row("static Duration ofSeconds(long)", |vm, a| of(vm, a, "SECONDS")),
    Row("static Duration ofMillis(long)", |vm, a| of(vm, a, "MILLIS")),
    Row("static Duration ofNanos(long)", |vm, a| of(vm, a, "NANOS")),
    Row("static Duration of(long,TemporalUnit)", |vm, a| {
        let unit = name(&a[1])?;
        of(vm, a, unit)
    }),
    Row("static Duration parse(CharSequence)", |vm, a| {
        let parsed = parse("Duration", &text(&a[0])?)?;
        new(vm, parsed)
    }),
    Row("long toDays()", |_, a| Ok(Value::Long(parts(duration(&a[0])?).0 / 86_400))),
    Row("long toHours()", |_, a| Ok(Value::Long(parts(duration(&a[0])?).0 / 3_600))),
    Row("long toMinutes()", |_, a| Ok(Value::Long(parts(duration(&a[0])?).0 / 60))),
    Row("long toMillis()", |_, a| Ok(Value::Long(duration(&a[0])?.as_millis() as i64))),
    Row("long toNanos()", |_, a| Ok(Value::Long(duration(&a[0])?.as_nanos() as i64))),
    Row("long getSeconds()", |_, a| Ok(Value::Long(parts(duration(&a[0])?).0))),
    Row("int getNano()", |_, a| Ok(Value::Int(parts(duration(&a[0])?).1))),
    Row("boolean isNegative()", |_, a| ok_bool(duration(&a[0])?.is_negative())),
    Row("boolean isZero()", |_, a| ok_bool(duration(&a[0])?.is_zero())),
    Row("Duration abs()", |vm, a| new(vm, Temporal::Duration(duration(&a[0])?.abs()))),
    Row("Duration negated()", |vm, a| new(vm, Temporal::Duration(-duration(&a[0])?))),
    Row("Duration plus(long,TemporalUnit)", |vm, a| {
        let unit = name(&a[2])?;
        lengthened(vm, a, 1, unit)
    }),
    Row("Duration minus(long,TemporalUnit)", |vm, a| {
        let unit = name(&a[2])?;
        lengthened(vm, a, -1, unit)
    }),
    Row("Duration plus(Duration)", |vm, a| match duration(&a[0])?.checked_add(duration(&a[1])?) {
        Some(sum) => new(vm, Temporal::Duration(sum)),
        None => Err(throw("ArithmeticException", "long overflow")),
    }),
    Row("Duration minus(Duration)", |vm, a| match duration(&a[0])?.checked_sub(duration(&a[1])?) {
        Some(sum) => new(vm, Temporal::Duration(sum)),
        None => Err(throw("ArithmeticException", "long overflow")),
    }),
    Row("Duration plusDays(long)", |vm, a| lengthened(vm, a, 1, "DAYS")),
    Row("Duration plusHours(long)", |vm, a| lengthened(vm, a, 1, "HOURS")),
    Row("Duration plusMinutes(long)", |vm, a| lengthened(vm, a, 1, "MINUTES")),
    Row("Duration plusSeconds(long)", |vm, a| lengthened(vm, a, 1, "SECONDS")),
    Row("Duration plusMillis(long)", |vm, a| lengthened(vm, a, 1, "MILLIS")),
    Row("Duration minusDays(long)", |vm, a| lengthened(vm, a, -1, "DAYS")),
    Row("Duration minusHours(long)", |vm, a| lengthened(vm, a, -1, "HOURS")),
    Row("Duration minusMinutes(long)", |vm, a| lengthened(vm, a, -1, "MINUTES")),
    Row("Duration minusSeconds(long)", |vm, a| lengthened(vm, a, -1, "SECONDS")),
    Row("int compareTo(Duration)", |_, a| Ok(Value::Int(duration(&a[0])?.cmp(&duration(&a[1])?) as i32))),
];

pub(super) fn period(value: &Value) -> Result<(i32, i32, i32), Failed> {
    match temporal(value)? {
        Temporal::Period(years, months, days) => Ok((*years, *months, *days)),
        _ => Err(unexpected(value)),
    }
}

const PERIOD: &[Row] = &[
    Row("static Period of(int,int,int)", |vm, a| new(vm, Temporal::Period(int(&a[0])?, int(&a[1])?, int(&a[2])?))),
    Row("static Period ofDays(int)", |vm, a| new(vm, Temporal::Period(0, 0, int(&a[0])?))),
    Row("static Period ofWeeks(int)", |vm, a| match int(&a[0])?.checked_mul(7) {
        Some(days) => new(vm, Temporal::Period(0, 0, days)),
        None => Err(throw("ArithmeticException", "integer overflow")),
    }),
    Row("static Period ofMonths(int)", |vm, a| new(vm, Temporal::Period(0, int(&a[0])?, 0))),
    Row("static Period ofYears(int)", |vm, a| new(vm, Temporal::Period(int(&a[0])?, 0, 0))),
    Row("static Period between(LocalDate,LocalDate)", |vm, a| {
        let (from, to) = (temporal(&a[0])?, temporal(&a[1])?);
        let field = |of: &Temporal, name: &str| super::change::field(of, name);
        let mut months = field(to, "PROLEPTIC_MONTH")? - field(from, "PROLEPTIC_MONTH")?;
        let mut days = field(to, "DAY_OF_MONTH")? - field(from, "DAY_OF_MONTH")?;
        if months > 0 && days < 0 {
            months -= 1;
            days = until(&plus(from, months, "MONTHS")?, to, "DAYS")?;
        } else if months < 0 && days > 0 {
            // Backwards the days are those that are left of the month where it ends.
            months += 1;
            days -= to.date().map_or(0, |date| i64::from(date.days_in_month()));
        }
        new(vm, Temporal::Period((months / 12) as i32, (months % 12) as i32, days as i32))
    }),
    Row("int getYears()", |_, a| Ok(Value::Int(period(&a[0])?.0))),
    Row("int getMonths()", |_, a| Ok(Value::Int(period(&a[0])?.1))),
    Row("int getDays()", |_, a| Ok(Value::Int(period(&a[0])?.2))),
    Row("long toTotalMonths()", |_, a| period(&a[0]).map(|(y, m, _)| Value::Long(i64::from(y) * 12 + i64::from(m)))),
];

const ZONE: &[Row] = &[
    Row("static ZoneId of(String)", |vm, a| zone_named(vm, &a[0])),
    Row("String getDisplayName(TextStyle,Locale)", |vm, a| {
        let Temporal::Zone(zone) = temporal(&a[0])? else { return Err(unexpected(&a[0])) };
        let (id, style) = (zone_text(zone), name(&a[1])?);
        vm.string(match id.rsplit_once('/') {
            // As they are called in no language.
            Some((_, city)) if style.starts_with("FULL") => city.replace('_', " "),
            _ => id,
        })
    }),
    Row("String getId()", |vm, a| match temporal(&a[0])? {
        Temporal::Zone(zone) => vm.string(zone_text(zone)),
        _ => Err(unexpected(&a[0])),
    }),
];

const OFFSET: &[Row] = &[
    Row("static ZoneOffset UTC", |vm, _| new(vm, Temporal::Zone(TimeZone::UTC))),
    Row("static ZoneOffset of(String)", |vm, a| {
        let offset = super::zone_offset::parse(&text(&a[0])?)?;
        new(vm, Temporal::Zone(TimeZone::fixed(offset)))
    }),
    Row("static ZoneOffset ofHours(int)", |vm, a| {
        let offset = super::zone_offset::of(int(&a[0])?, 0, 0)?;
        new(vm, Temporal::Zone(TimeZone::fixed(offset)))
    }),
];

fn named(vm: &mut Vm, pattern: &str) -> Outcome {
    new(vm, Temporal::Formatter(pattern.into(), Names::English, None))
}

/// The language of names in a locale.
fn language(locale: &Value) -> Result<Names, Failed> {
    Ok(Names::of_locale(&super::super::plain(locale)))
}

const FORMATTER: &[Row] = &[
    Row("static DateTimeFormatter ofPattern(String)", |vm, a| {
        let pattern = text(&a[0])?.into_owned();
        check_pattern(&pattern)?;
        named(vm, &pattern)
    }),
    Row("static DateTimeFormatter ofPattern(String,Locale)", |vm, a| {
        let pattern = text(&a[0])?.into_owned();
        check_pattern(&pattern)?;
        new(vm, Temporal::Formatter(pattern.into(), language(&a[1])?, None))
    }),
    Row("static DateTimeFormatter BASIC_ISO_DATE", |vm, _| named(vm, "BASIC_ISO_DATE")),
    Row("static DateTimeFormatter ISO_LOCAL_DATE", |vm, _| named(vm, "ISO_LOCAL_DATE")),
    Row("static DateTimeFormatter ISO_OFFSET_DATE", |vm, _| named(vm, "ISO_OFFSET_DATE")),
    Row("static DateTimeFormatter ISO_DATE", |vm, _| named(vm, "ISO_DATE")),
    Row("static DateTimeFormatter ISO_LOCAL_TIME", |vm, _| named(vm, "ISO_LOCAL_TIME")),
    Row("static DateTimeFormatter ISO_OFFSET_TIME", |vm, _| named(vm, "ISO_OFFSET_TIME")),
    Row("static DateTimeFormatter ISO_TIME", |vm, _| named(vm, "ISO_TIME")),
    Row("static DateTimeFormatter ISO_LOCAL_DATE_TIME", |vm, _| named(vm, "ISO_LOCAL_DATE_TIME")),
    Row("static DateTimeFormatter ISO_OFFSET_DATE_TIME", |vm, _| named(vm, "ISO_OFFSET_DATE_TIME")),
    Row("static DateTimeFormatter ISO_ZONED_DATE_TIME", |vm, _| named(vm, "ISO_ZONED_DATE_TIME")),
    Row("static DateTimeFormatter ISO_DATE_TIME", |vm, _| named(vm, "ISO_DATE_TIME")),
    Row("static DateTimeFormatter ISO_INSTANT", |vm, _| named(vm, "ISO_INSTANT")),
    Row("static DateTimeFormatter ISO_ORDINAL_DATE", |vm, _| named(vm, "ISO_ORDINAL_DATE")),
    Row("static DateTimeFormatter ISO_WEEK_DATE", |vm, _| named(vm, "ISO_WEEK_DATE")),
    Row("static DateTimeFormatter RFC_1123_DATE_TIME", |vm, _| named(vm, "RFC_1123_DATE_TIME")),
    Row("String format(TemporalAccessor)", |vm, a| {
        let (pattern, zone) = formatter(&a[0])?;
        let shown = format(pattern, zone, temporal(&a[1])?)?;
        vm.string(shown)
    }),
    Row("TemporalAccessor parse(CharSequence)", |vm, a| {
        let (pattern, zone) = formatter(&a[0])?;
        let parsed = parse_with("TemporalAccessor", &text(&a[1])?, pattern, zone)?;
        new(vm, parsed)
    }),
    Row("DateTimeFormatter withZone(ZoneId)", |vm, a| {
        let (pattern, _) = formatter(&a[0])?;
        match temporal(&a[1])? {
            Temporal::Zone(zone) => {
                new(vm, Temporal::Formatter(pattern.text.into(), pattern.names, Some(zone.clone())))
            }
            _ => Err(unexpected(&a[1])),
        }
    }),
    Row("DateTimeFormatter withLocale(Locale)", |vm, a| {
        let (pattern, zone) = formatter(&a[0])?;
        new(vm, Temporal::Formatter(pattern.text.into(), language(&a[1])?, zone.cloned()))
    }),
];

pub(super) fn position(value: &Value, names: &[&str]) -> Result<usize, Failed> {
    let name = name(value)?;
    Ok(names.iter().position(|n| *n == name).unwrap_or(0))
}

/// How much of a name is told, each alone and among others.
const STYLES: [&str; 6] = ["FULL", "FULL_STANDALONE", "SHORT", "SHORT_STANDALONE", "NARROW", "NARROW_STANDALONE"];

fn display(vm: &mut Vm, a: &[Value]) -> Outcome {
    let (name, language) = (name(&a[0])?, language(&a[2])?);
    let month = MONTHS.iter().position(|month| *month == name);
    let day = DAYS.iter().position(|day| *day == name);
    let (field, at) = match (month, day) {
        (Some(month), _) => (TextField::Month, month),
        (None, day) => (TextField::DayOfWeek, day.unwrap_or_default()),
    };
    let style = super::super::plain(&a[1]);
    let width = match style.trim_end_matches("_STANDALONE") {
        "NARROW" => Width::Narrow,
        "SHORT" => Width::Short,
        _ => Width::Full,
    };
    let width = if style.ends_with("_STANDALONE") { width.alone() } else { width };
    vm.string(field.name(at, width, language).to_owned())
}

fn constant_named(vm: &mut Vm, class: &str, names: &'static [&'static str], wanted: &Value) -> Outcome {
    let wanted = text(wanted)?;
    let Some(at) = names.iter().position(|n| *n == wanted) else {
        let class = registry().find(class).map_or(class, |id| registry().class(id).name);
        return Err(throw("IllegalArgumentException", format!("No enum constant {class}.{wanted}")));
    };
    constant(vm, class, names, at)
}

fn all(vm: &mut Vm, class: &str, names: &'static [&'static str]) -> Outcome {
    let mut array = Array::of(Type::named(class, 0).unwrap_or(Type::OBJECT), names.len());
    for at in 0..names.len() {
        let item = constant(vm, class, names, at)?;
        array.set(at, item);
    }
    vm.alloc(Data::Array(array.into()))
}

macro_rules! constants {
    ($class:literal, $names:expr, $($index:literal $name:literal),*) => {
        &[
            $(Row(concat!("static ", $class, " ", $name), |vm, _| constant(vm, $class, &$names, $index)),)*
            Row(concat!("static ", $class, " valueOf(String)"), |vm, a| constant_named(vm, $class, &$names, &a[0])),
            Row(concat!("static ", $class, "[] values()"), |vm, _| all(vm, $class, &$names)),
        ]
    };
}

macro_rules! cyclic {
    ($class:literal, $names:expr, $field:literal) => {
        &[
            Row("int getValue()", |_, a| Ok(Value::Int(position(&a[0], &$names)? as i32 + 1))),
            Row(concat!("static ", $class, " of(int)"), |vm, a| numbered(vm, $class, &$names, int(&a[0])?)),
            Row(concat!($class, " plus(long)"), |vm, a| {
                let at = (position(&a[0], &$names)? as i64 + long(&a[1])? % $names.len() as i64)
                    .rem_euclid($names.len() as i64);
                constant(vm, $class, &$names, at as usize)
            }),
            Row(concat!($class, " minus(long)"), |vm, a| {
                let at = (position(&a[0], &$names)? as i64 - long(&a[1])? % $names.len() as i64)
                    .rem_euclid($names.len() as i64);
                constant(vm, $class, &$names, at as usize)
            }),
            Row("String getDisplayName(TextStyle,Locale)", display),
            Row(concat!("static ", $class, " from(TemporalAccessor)"), |vm, a| {
                if a[0].class_name().rsplit('.').next() == Some($class) {
                    return Ok(a[0].clone());
                }
                match field(temporal(&a[0])?, $field) {
                    Ok(number) => constant(vm, $class, &$names, number as usize - 1),
                    Err(_) => Err(not_obtained($class, &a[0])),
                }
            }),
        ]
    };
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.time.temporal.TemporalAmount", &["AmountMoreBase"], &[]),
    ClassRow::new(
        "java.time.Duration",
        &["TemporalAmount", "Comparable", "DurationMoreBase", "OfDurationMoreBase"],
        DURATION,
    ),
    ClassRow::new("java.time.Period", &["PeriodMoreBase", "OfPeriodMoreBase", "ChronoPeriod"], PERIOD),
    ClassRow::new("java.time.ZoneId", &["ZoneMoreBase"], ZONE),
    ClassRow::new(
        "java.time.ZoneOffset",
        &["OffsetMoreBase", "OfOffsetMoreBase", "ZoneId", "TemporalAccessor", "TemporalAdjuster"],
        OFFSET,
    ),
    ClassRow::new("java.time.format.DateTimeFormatter", &["FormatterMoreBase"], FORMATTER),
    ClassRow::new(
        "java.time.format.TextStyle",
        &["Enum", "StyleMoreBase"],
        constants!("TextStyle", STYLES, 0 "FULL", 1 "FULL_STANDALONE", 2 "SHORT", 3 "SHORT_STANDALONE", 4 "NARROW",
            5 "NARROW_STANDALONE"),
    ),
    ClassRow::new(
        "java.time.format.StyleMoreBase",
        &[],
        &[
            Row("boolean isStandalone()", |_, a| ok_bool(position(&a[0], &STYLES)? % 2 == 1)),
            Row("TextStyle asNormal()", |vm, a| {
                let at = position(&a[0], &STYLES)?;
                constant(vm, "TextStyle", &STYLES, at - at % 2)
            }),
            Row("TextStyle asStandalone()", |vm, a| {
                let at = position(&a[0], &STYLES)?;
                constant(vm, "TextStyle", &STYLES, at - at % 2 + 1)
            }),
        ],
    ),
    ClassRow::new("java.time.temporal.DaysByName", &["Enum"], cyclic!("DayOfWeek", DAYS, "DAY_OF_WEEK")),
    ClassRow::new(
        "java.time.DayOfWeek",
        &["DaysByName", "TemporalAdjuster", "CyclicMoreBase", "TemporalAccessor"],
        constants!("DayOfWeek", DAYS, 0 "MONDAY", 1 "TUESDAY", 2 "WEDNESDAY", 3 "THURSDAY", 4 "FRIDAY", 5 "SATURDAY", 6 "SUNDAY"),
    ),
    ClassRow::new("java.time.temporal.MonthsByName", &["Enum"], cyclic!("Month", MONTHS, "MONTH_OF_YEAR")),
    ClassRow::new(
        "java.time.Month",
        &["MonthsByName", "MonthMoreBase", "TemporalAdjuster", "CyclicMoreBase", "TemporalAccessor"],
        constants!("Month", MONTHS, 0 "JANUARY", 1 "FEBRUARY", 2 "MARCH", 3 "APRIL", 4 "MAY", 5 "JUNE", 6 "JULY",
            7 "AUGUST", 8 "SEPTEMBER", 9 "OCTOBER", 10 "NOVEMBER", 11 "DECEMBER"),
    ),
    ClassRow::new(
        "java.time.temporal.TemporalUnit",
        &["Enum", "UnitMoreBase"],
        &[Row("long between(Temporal,Temporal)", |_, a| {
            Ok(Value::Long(until(temporal(&a[1])?, temporal(&a[2])?, name(&a[0])?)?))
        })],
    ),
    ClassRow::new(
        "java.time.temporal.ChronoUnit",
        &["TemporalUnit"],
        constants!("ChronoUnit", UNITS, 0 "NANOS", 1 "MICROS", 2 "MILLIS", 3 "SECONDS", 4 "MINUTES", 5 "HOURS",
            6 "HALF_DAYS", 7 "DAYS", 8 "WEEKS", 9 "MONTHS", 10 "YEARS", 11 "DECADES", 12 "CENTURIES", 13 "MILLENNIA",
            14 "ERAS", 15 "FOREVER"),
    ),
    ClassRow::new("java.time.temporal.TemporalField", &["Enum", "FieldMoreBase"], &[]),
    ClassRow::new(
        "java.time.temporal.ChronoField",
        &["TemporalField", "ChronoFieldMoreBase"],
        constants!("ChronoField", FIELDS, 0 "NANO_OF_SECOND", 1 "NANO_OF_DAY", 2 "MICRO_OF_SECOND", 3 "MICRO_OF_DAY", 4 "MILLI_OF_SECOND",
            5 "MILLI_OF_DAY", 6 "SECOND_OF_MINUTE", 7 "SECOND_OF_DAY", 8 "MINUTE_OF_HOUR", 9 "MINUTE_OF_DAY",
            10 "HOUR_OF_AMPM", 11 "CLOCK_HOUR_OF_AMPM", 12 "HOUR_OF_DAY", 13 "CLOCK_HOUR_OF_DAY", 14 "AMPM_OF_DAY", 15 "DAY_OF_WEEK",
            16 "ALIGNED_DAY_OF_WEEK_IN_MONTH", 17 "ALIGNED_DAY_OF_WEEK_IN_YEAR", 18 "DAY_OF_MONTH",
            19 "DAY_OF_YEAR", 20 "EPOCH_DAY", 21 "ALIGNED_WEEK_OF_MONTH", 22 "ALIGNED_WEEK_OF_YEAR",
            23 "MONTH_OF_YEAR", 24 "PROLEPTIC_MONTH", 25 "YEAR_OF_ERA", 26 "YEAR", 27 "ERA", 28 "INSTANT_SECONDS",
            29 "OFFSET_SECONDS"),
    ),
];
