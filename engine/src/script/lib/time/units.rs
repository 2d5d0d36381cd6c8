//! Units and fields of time by themselves, the values that fields have (`ValueRange`), and amounts part by part.

use super::super::super::class::{ClassRow, Row};
use super::super::super::error::{Failed, Outcome, throw};
use super::super::super::value::Value;
use super::super::super::vm::Vm;
use super::super::args::{long, ok_bool, unexpected};
use super::change::{field, plus, pretty, range_of};
use super::rows::{constant, moved, name, new, temporal};
use super::with::with;
use super::year::iso;
use super::{DAYS, FIELDS, MONTHS, Temporal, UNITS, weeks};
use jiff::SignedDuration;

/// The units from days on: those of dates.
const DAYS_AT: usize = 7;
const YEARS_AT: usize = 10;
const FOREVER_AT: usize = 15;
const SECONDS_PER_DAY: i64 = 86_400;
/// A year of the calendar is so long on the average.
const SECONDS_PER_YEAR: i64 = 31_556_952;

/// The unit in which each field counts, and the one that it counts within.
#[rustfmt::skip]
const UNITS_OF: [(usize, usize); 30] = [
    (0, 3), (0, 7), (1, 3), (1, 7), (2, 3), (2, 7), (3, 4), (3, 7), (4, 5), (4, 7), (5, 6), (5, 6), (5, 7), (5, 7), (6, 7),
    (7, 8), (7, 8), (7, 8), (7, 9), (7, 10), (7, 15), (8, 9), (8, 10), (9, 10), (9, 15), (10, 15), (10, 15), (14, 15),
    (3, 15), (3, 15),
];

#[cold]
pub(super) fn no_field(name: &str) -> Failed {
    throw("UnsupportedTemporalTypeException", format!("Unsupported field: {}", pretty(name)))
}

fn unit_at(unit: &Value) -> Result<usize, Failed> {
    let name = name(unit)?;
    UNITS.iter().position(|known| *known == name).ok_or_else(|| unexpected(unit))
}

fn field_at(field: &Value) -> Result<usize, Failed> {
    let name = name(field)?;
    FIELDS.iter().position(|known| *known == name).ok_or_else(|| no_field(name))
}

/// How long a unit is, those of dates on the average.
fn length(unit: usize) -> SignedDuration {
    let seconds = |seconds: i64| SignedDuration::new(seconds, 0);
    match unit {
        0 => SignedDuration::from_nanos(1),
        1 => SignedDuration::from_micros(1),
        2 => SignedDuration::from_millis(1),
        3 => seconds(1),
        4 => seconds(60),
        5 => seconds(3_600),
        6 => seconds(SECONDS_PER_DAY / 2),
        7 => seconds(SECONDS_PER_DAY),
        8 => seconds(SECONDS_PER_DAY * 7),
        9 => seconds(SECONDS_PER_YEAR / 12),
        10 => seconds(SECONDS_PER_YEAR),
        11 => seconds(SECONDS_PER_YEAR * 10),
        12 => seconds(SECONDS_PER_YEAR * 100),
        13 => seconds(SECONDS_PER_YEAR * 1_000),
        14 => seconds(SECONDS_PER_YEAR * 1_000_000_000),
        _ => SignedDuration::MAX,
    }
}

/// Whether a kind of times is counted in a unit.
fn counts(of: &Temporal, unit: usize) -> bool {
    match of {
        Temporal::Date(_) => (DAYS_AT..FOREVER_AT).contains(&unit),
        Temporal::Time(_) => unit < DAYS_AT,
        Temporal::Instant(_) => unit <= DAYS_AT,
        Temporal::Year(_) => (10..FOREVER_AT).contains(&unit),
        Temporal::YearMonth(..) => (9..FOREVER_AT).contains(&unit),
        _ => unit < FOREVER_AT,
    }
}

/// The values of a field whatever the date: the least and the greatest, each where it is least and where it is greatest.
fn bounds(field: &str) -> Option<[i64; 4]> {
    if let Some(bounds) = weeks::bounds(field) {
        return Some(bounds);
    }
    let (least, narrow, most) = match field {
        "QUARTER_OF_YEAR" => (1, 4, 4),
        "DAY_OF_QUARTER" => (1, 90, 92),
        "WEEK_OF_WEEK_BASED_YEAR" => (1, 52, 53),
        "WEEK_BASED_YEAR" => (-999_999_999, 999_999_999, 999_999_999),
        _ => {
            let (least, most, _) = range_of(field)?;
            let narrow = match field {
                "DAY_OF_MONTH" => 28,
                "DAY_OF_YEAR" => 365,
                "ALIGNED_WEEK_OF_MONTH" => 4,
                "YEAR_OF_ERA" => 999_999_999,
                _ => most,
            };
            (least, narrow, most)
        }
    };
    Some([least, least, narrow, most])
}

/// The values that a field may have at this time of its month or year.
fn bounds_within(of: &Temporal, name: &str) -> Result<[i64; 4], Failed> {
    field(of, name)?;
    if let (Some(week), Some(date)) = (weeks::of_name(name), of.date()) {
        return Ok(week.bounds_at(date));
    }
    let any = bounds(name).ok_or_else(|| no_field(name))?;
    let to = |most: i64| Ok([1, 1, most, most]);
    let of_era = |year: i64| if year <= 0 { 1_000_000_000 } else { 999_999_999 };
    let Some(date) = of.date() else {
        return match (of, name) {
            (Temporal::Year(year) | Temporal::YearMonth(year, _), "YEAR_OF_ERA") => to(of_era(i64::from(*year))),
            (Temporal::MonthDay(2, _), "DAY_OF_MONTH") => Ok([1, 1, 28, 29]),
            (Temporal::MonthDay(4 | 6 | 9 | 11, _), "DAY_OF_MONTH") => to(30),
            (Temporal::MonthDay(..), "DAY_OF_MONTH") => to(31),
            _ => Ok(any),
        };
    };
    match name {
        "DAY_OF_MONTH" => to(i64::from(date.days_in_month())),
        "DAY_OF_YEAR" => to(i64::from(date.days_in_year())),
        "ALIGNED_WEEK_OF_MONTH" => to(if date.days_in_month() == 28 { 4 } else { 5 }),
        "YEAR_OF_ERA" => to(of_era(i64::from(date.year()))),
        "DAY_OF_QUARTER" => to(match (date.month() - 1) / 3 {
            0 if date.in_leap_year() => 91,
            0 => 90,
            1 => 91,
            _ => 92,
        }),
        "WEEK_OF_WEEK_BASED_YEAR" => to(i64::from(date.iso_week_date().weeks_in_year())),
        _ => Ok(any),
    }
}

/// As Java shows the values of a field.
pub(super) fn bounds_text([least, least_high, most_low, most]: [i64; 4]) -> String {
    let end = |a: i64, b: i64| if a == b { a.to_string() } else { format!("{a}/{b}") };
    format!("{} - {}", end(least, least_high), end(most_low, most))
}

fn range(value: &Value) -> Result<[i64; 4], Failed> {
    match temporal(value)? {
        Temporal::Range(bounds) => Ok(*bounds),
        _ => Err(unexpected(value)),
    }
}

fn is_int([least, .., most]: [i64; 4]) -> bool {
    i32::try_from(least).is_ok() && i32::try_from(most).is_ok()
}

/// The value, if it is one of these.
fn checked(bounds: [i64; 4], field: &str, value: i64, int: bool) -> Result<i64, Failed> {
    if (bounds[0]..=bounds[3]).contains(&value) && (!int || is_int(bounds)) {
        return Ok(value);
    }
    let (field, shown) = (pretty(field), bounds_text(bounds));
    Err(throw("DateTimeException", format!("Invalid value for {field} (valid values {shown}): {value}")))
}

/// Refuses a value that a field never has.
pub(super) fn check_value(field: &str, value: i64) -> Result<(), Failed> {
    bounds(field).map_or(Ok(()), |bounds| checked(bounds, field, value, false).map(|_| ()))
}

/// A range of its own, of two to four bounds.
fn ranged(vm: &mut Vm, a: &[Value]) -> Outcome {
    let given = a.iter().map(long).collect::<Result<Vec<_>, _>>()?;
    let bounds = match given[..] {
        [least, most] => [least, least, most, most],
        [least, narrow, most] => [least, least, narrow, most],
        [least, high, low, most] => [least, high, low, most],
        _ => return Err(unexpected(&a[0])),
    };
    let [least, least_high, most_low, most] = bounds;
    let wrong = match given.len() {
        2 if least > most => "Minimum value must be less than maximum value",
        3 if least > most_low => "Minimum value must be less than smallest maximum value",
        _ if least > least_high => "Smallest minimum value must be less than largest minimum value",
        _ if most_low > most => "Smallest maximum value must be less than largest maximum value",
        _ if least_high > most => "Largest minimum value must be less than largest maximum value",
        _ if least > most_low => "Smallest minimum value must be less than smallest maximum value",
        _ => return new(vm, Temporal::Range(bounds)),
    };
    Err(throw("IllegalArgumentException", wrong))
}

const RANGE: &[Row] = &[
    Row("static ValueRange of(long,long)", ranged),
    Row("static ValueRange of(long,long,long)", ranged),
    Row("static ValueRange of(long,long,long,long)", ranged),
    Row("long getMinimum()", |_, a| Ok(Value::Long(range(&a[0])?[0]))),
    Row("long getLargestMinimum()", |_, a| Ok(Value::Long(range(&a[0])?[1]))),
    Row("long getSmallestMaximum()", |_, a| Ok(Value::Long(range(&a[0])?[2]))),
    Row("long getMaximum()", |_, a| Ok(Value::Long(range(&a[0])?[3]))),
    Row("boolean isFixed()", |_, a| {
        let [least, least_high, most_low, most] = range(&a[0])?;
        ok_bool(least == least_high && most_low == most)
    }),
    Row("boolean isIntValue()", |_, a| ok_bool(is_int(range(&a[0])?))),
    Row("boolean isValidValue(long)", |_, a| {
        let [least, .., most] = range(&a[0])?;
        ok_bool((least..=most).contains(&long(&a[1])?))
    }),
    Row("boolean isValidIntValue(long)", |_, a| {
        let bounds = range(&a[0])?;
        ok_bool(is_int(bounds) && (bounds[0]..=bounds[3]).contains(&long(&a[1])?))
    }),
    Row("long checkValidValue(long,TemporalField)", |_, a| {
        checked(range(&a[0])?, name(&a[2])?, long(&a[1])?, false).map(Value::Long)
    }),
    Row("int checkValidIntValue(long,TemporalField)", |_, a| {
        checked(range(&a[0])?, name(&a[2])?, long(&a[1])?, true).map(|value| Value::Int(value as i32))
    }),
];

const UNIT: &[Row] = &[
    Row("Duration getDuration()", |vm, a| {
        let length = length(unit_at(&a[0])?);
        new(vm, Temporal::Duration(length))
    }),
    Row("boolean isDurationEstimated()", |_, a| ok_bool(unit_at(&a[0])? >= DAYS_AT)),
    Row("boolean isDateBased()", |_, a| ok_bool((DAYS_AT..FOREVER_AT).contains(&unit_at(&a[0])?))),
    Row("boolean isTimeBased()", |_, a| ok_bool(unit_at(&a[0])? < DAYS_AT)),
    Row("boolean isSupportedBy(Temporal)", |_, a| ok_bool(counts(temporal(&a[1])?, unit_at(&a[0])?))),
    Row("Temporal addTo(Temporal,long)", |vm, a| {
        let later = plus(temporal(&a[1])?, long(&a[2])?, name(&a[0])?)?;
        new(vm, later)
    }),
];

const FIELD: &[Row] = &[
    Row("TemporalUnit getBaseUnit()", |vm, a| match name(&a[0])? {
        "JULIAN_DAY" | "MODIFIED_JULIAN_DAY" | "RATA_DIE" => constant(vm, "ChronoUnit", &UNITS, DAYS_AT),
        of if let Some(week) = weeks::of_name(of) => week_unit(vm, week.units().0),
        "DAY_OF_QUARTER" => constant(vm, "ChronoUnit", &UNITS, DAYS_AT),
        "QUARTER_OF_YEAR" => iso(vm, "TemporalUnit", "QUARTER_YEARS", 1),
        "WEEK_OF_WEEK_BASED_YEAR" => constant(vm, "ChronoUnit", &UNITS, DAYS_AT + 1),
        "WEEK_BASED_YEAR" => iso(vm, "TemporalUnit", "WEEK_BASED_YEARS", 0),
        _ => constant(vm, "ChronoUnit", &UNITS, UNITS_OF[field_at(&a[0])?].0),
    }),
    Row("TemporalUnit getRangeUnit()", |vm, a| match name(&a[0])? {
        "JULIAN_DAY" | "MODIFIED_JULIAN_DAY" | "RATA_DIE" => constant(vm, "ChronoUnit", &UNITS, FOREVER_AT),
        of if let Some(week) = weeks::of_name(of) => week_unit(vm, week.units().1),
        "DAY_OF_QUARTER" => iso(vm, "TemporalUnit", "QUARTER_YEARS", 1),
        "QUARTER_OF_YEAR" => constant(vm, "ChronoUnit", &UNITS, YEARS_AT),
        "WEEK_OF_WEEK_BASED_YEAR" => iso(vm, "TemporalUnit", "WEEK_BASED_YEARS", 0),
        "WEEK_BASED_YEAR" => constant(vm, "ChronoUnit", &UNITS, FOREVER_AT),
        _ => constant(vm, "ChronoUnit", &UNITS, UNITS_OF[field_at(&a[0])?].1),
    }),
    // None of the fields that can be asked with what they mean together takes others along.
    Row("TemporalAccessor resolve(Map,TemporalAccessor,ResolverStyle)", |_, _| Ok(Value::Null)),
    Row("String getDisplayName(Locale)", |vm, a| {
        let (name, locale) = (name(&a[0])?, super::super::plain(&a[1]));
        vm.string(display_name(name, locale.split('_').next().unwrap_or_default()))
    }),
    // From the day of the week on to the era.
    Row("boolean isDateBased()", |_, a| {
        ok_bool(!FIELDS.contains(&name(&a[0])?) || (15..28).contains(&field_at(&a[0])?))
    }),
    Row("boolean isTimeBased()", |_, a| ok_bool(FIELDS[..15].contains(&name(&a[0])?))),
    Row("ValueRange range()", |vm, a| {
        let name = name(&a[0])?;
        let bounds = bounds(name).ok_or_else(|| no_field(name))?;
        new(vm, Temporal::Range(bounds))
    }),
    Row("ValueRange rangeRefinedBy(TemporalAccessor)", |vm, a| {
        let bounds = bounds_within(temporal(&a[1])?, name(&a[0])?)?;
        new(vm, Temporal::Range(bounds))
    }),
    Row("boolean isSupportedBy(TemporalAccessor)", |_, a| ok_bool(field(temporal(&a[1])?, name(&a[0])?).is_ok())),
    Row("long getFrom(TemporalAccessor)", |_, a| field(temporal(&a[1])?, name(&a[0])?).map(Value::Long)),
    Row("Temporal adjustInto(Temporal,long)", |vm, a| {
        let changed = with(temporal(&a[1])?, name(&a[0])?, long(&a[2])?)?;
        new(vm, changed)
    }),
];

/// A unit by its name, or the one of years of weeks.
fn week_unit(vm: &mut Vm, name: Option<&str>) -> Outcome {
    match name.and_then(|name| UNITS.iter().position(|known| *known == name)) {
        Some(at) => constant(vm, "ChronoUnit", &UNITS, at),
        None => iso(vm, "TemporalUnit", "WEEK_BASED_YEARS", 0),
    }
}

/// What a field is called in a language.
fn display_name(field: &str, language: &str) -> String {
    let names = match field {
        "SECOND_OF_MINUTE" => ["Second", "Second", "Sekunde"],
        "MINUTE_OF_HOUR" => ["Minute", "Minute", "Minute"],
        "HOUR_OF_DAY" => ["Hour", "Hour", "Stunde"],
        "AMPM_OF_DAY" => ["Dayperiod", "AM/PM", "Tageshälfte"],
        "DAY_OF_WEEK" => ["Day of the Week", "day of the week", "Wochentag"],
        "MONTH_OF_YEAR" => ["Month", "month", "Monat"],
        "YEAR" => ["Year", "year", "Jahr"],
        "ERA" => ["Era", "era", "Epoche"],
        "WEEK_OF_WEEK_BASED_YEAR" => ["Week", "week", "Woche"],
        _ => return pretty(field),
    };
    names[["", "en", "de"].iter().position(|known| *known == language).unwrap_or(0)].to_owned()
}

/// What fields of the calendar alone have.
const CHRONO_FIELD: &[Row] = &[
    Row("long checkValidValue(long)", |_, a| {
        let name = name(&a[0])?;
        checked(bounds(name).ok_or_else(|| no_field(name))?, name, long(&a[1])?, false).map(Value::Long)
    }),
    Row("int checkValidIntValue(long)", |_, a| {
        let name = name(&a[0])?;
        let value = checked(bounds(name).ok_or_else(|| no_field(name))?, name, long(&a[1])?, true)?;
        Ok(Value::Int(value as i32))
    }),
];

const ACCESSOR: &[Row] = &[Row("ValueRange range(TemporalField)", |vm, a| {
    let bounds = bounds_within(temporal(&a[0])?, name(&a[1])?)?;
    new(vm, Temporal::Range(bounds))
})];

const AMOUNT: &[Row] = &[
    Row("long get(TemporalUnit)", |_, a| {
        let unit = name(&a[1])?;
        Ok(Value::Long(match (temporal(&a[0])?, unit) {
            (Temporal::Duration(length), "SECONDS") => length.as_nanos().div_euclid(1_000_000_000) as i64,
            (Temporal::Duration(length), "NANOS") => length.as_nanos().rem_euclid(1_000_000_000) as i64,
            (Temporal::Period(years, ..), "YEARS") => i64::from(*years),
            (Temporal::Period(_, months, _), "MONTHS") => i64::from(*months),
            (Temporal::Period(_, _, days), "DAYS") => i64::from(*days),
            _ => {
                let reason = format!("Unsupported unit: {}", pretty(unit));
                return Err(throw("UnsupportedTemporalTypeException", reason));
            }
        }))
    }),
    Row("List getUnits()", units),
    Row("Temporal addTo(Temporal)", |vm, a| moved(vm, &a[1], &a[0], 1)),
    Row("Temporal subtractFrom(Temporal)", |vm, a| moved(vm, &a[1], &a[0], -1)),
];

/// The units that an amount is told in.
pub(super) fn units(vm: &mut Vm, a: &[Value]) -> Outcome {
    let units: &[usize] = match temporal(&a[0])? {
        Temporal::Duration(_) => &[3, 0],
        _ => &[10, 9, DAYS_AT],
    };
    let units = units.iter().map(|at| constant(vm, "ChronoUnit", &UNITS, *at)).collect::<Result<Vec<_>, _>>()?;
    vm.list(units)
}

/// The number of a day of the week or of a month, where that is the field that is asked for.
fn number_of(of: &Value, field: &Value) -> Result<i64, Failed> {
    let (constant, field) = (name(of)?, name(field)?);
    if let ("QUARTER_OF_YEAR", Some(month)) = (field, MONTHS.iter().position(|name| *name == constant)) {
        return Ok(month as i64 / 3 + 1);
    }
    let names: &[&str] = match field {
        "DAY_OF_WEEK" => &DAYS,
        "MONTH_OF_YEAR" => &MONTHS,
        _ => return Err(no_field(field)),
    };
    let at = names.iter().position(|name| *name == constant).ok_or_else(|| no_field(field))?;
    Ok(at as i64 + 1)
}

const CYCLIC: &[Row] = &[
    Row("int get(TemporalField)", |_, a| Ok(Value::Int(number_of(&a[0], &a[1])? as i32))),
    Row("long getLong(TemporalField)", |_, a| Ok(Value::Long(number_of(&a[0], &a[1])?))),
    Row("boolean isSupported(TemporalField)", |_, a| ok_bool(number_of(&a[0], &a[1]).is_ok())),
    Row("def query(TemporalQuery)", |vm, a| vm.call(&a[1], &a[..1])),
    Row("ValueRange range(TemporalField)", |vm, a| {
        number_of(&a[0], &a[1])?;
        let name = name(&a[1])?;
        let bounds = bounds(name).ok_or_else(|| no_field(name))?;
        new(vm, Temporal::Range(bounds))
    }),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.time.temporal.ValueRange", &[], RANGE),
    ClassRow::new("java.time.temporal.UnitMoreBase", &[], UNIT),
    ClassRow::new("java.time.temporal.FieldMoreBase", &[], FIELD),
    ClassRow::new("java.time.temporal.ChronoFieldMoreBase", &[], CHRONO_FIELD),
    ClassRow::new("java.time.temporal.AccessorMoreBase", &[], ACCESSOR),
    ClassRow::new("java.time.temporal.AmountMoreBase", &[], AMOUNT),
    ClassRow::new("java.time.temporal.CyclicMoreBase", &[], CYCLIC),
];
