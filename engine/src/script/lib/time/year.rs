//! `Year`, `YearMonth` and `IsoFields`.

use super::super::super::class::{ClassRow, Row, registry};
use super::super::super::error::{Failed, Outcome, throw};
use super::super::super::value::{Data, Value};
use super::super::super::vm::Vm;
use super::super::args::{int, long, ok_bool, text, unexpected};
use super::change::{field, plus};
use super::parsed::parse_with;
use super::rows::{common_rows, constant, formatter, moved, name, new, order, temporal};
use super::text::{format, parse};
use super::with::with;
use super::{MONTHS, Temporal, out_of_range};
use jiff::civil::Date;

const YEAR_MAX: i32 = 999_999_999;

fn year_of(value: &Value) -> Result<i32, Failed> {
    match temporal(value)? {
        Temporal::Year(year) | Temporal::YearMonth(year, _) => Ok(*year),
        _ => Err(unexpected(value)),
    }
}

pub(super) fn checked_year(year: i64) -> Result<i32, Failed> {
    i32::try_from(year).ok().filter(|year| year.unsigned_abs() <= YEAR_MAX.unsigned_abs()).ok_or_else(|| {
        let what = format!("Invalid value for Year (valid values -{YEAR_MAX} - {YEAR_MAX}): {year}");
        throw("DateTimeException", what)
    })
}

fn checked_month(month: i32) -> Result<i32, Failed> {
    match month {
        1..=12 => Ok(month),
        _ => {
            let what = format!("Invalid value for MonthOfYear (valid values 1 - 12): {month}");
            Err(throw("DateTimeException", what))
        }
    }
}

pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_days(year: i32, month: i32) -> i32 {
    match month {
        2 => 28 + i32::from(is_leap(i64::from(year))),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn date(year: i32, month: i32, day: i32) -> Result<Date, Failed> {
    let year = i16::try_from(year).map_err(out_of_range)?;
    let (narrow_month, narrow_day) = (month as i8, i8::try_from(day).unwrap_or(0));
    Date::new(year, narrow_month, narrow_day).map_err(|_| match (1..=31).contains(&day) {
        true => super::change::no_day(i32::from(year), month as usize, i64::from(day)),
        false => throw("DateTimeException", format!("Invalid value for DayOfMonth (valid values 1 - 28/31): {day}")),
    })
}

/// Any first day of a year or month, as far as dates go, or that day of a leap year.
pub(super) fn first_day(of: &Temporal) -> Option<Date> {
    let (year, month) = match of {
        Temporal::Year(year) => (*year, 1),
        Temporal::YearMonth(year, month) => (*year, *month),
        Temporal::MonthDay(month, day) => return Date::new(2000, *month as i8, *day as i8).ok(),
        _ => return None,
    };
    Date::new(i16::try_from(year).ok()?, month as i8, 1).ok()
}

/// The value of a field; none if there is none in years and months.
pub(super) fn part(of: &Temporal, name: &str) -> Option<i64> {
    let (year, month) = match of {
        Temporal::Year(year) => (i64::from(*year), None),
        Temporal::YearMonth(year, month) => (i64::from(*year), Some(i64::from(*month))),
        Temporal::MonthDay(month, day) => {
            return match name {
                "MONTH_OF_YEAR" => Some(i64::from(*month)),
                "DAY_OF_MONTH" => Some(i64::from(*day)),
                "QUARTER_OF_YEAR" => Some((i64::from(*month) - 1) / 3 + 1),
                _ => None,
            };
        }
        _ => return None,
    };
    match name {
        "YEAR" => Some(year),
        "YEAR_OF_ERA" => Some(if year < 1 { 1 - year } else { year }),
        "ERA" => Some(i64::from(year >= 1)),
        "MONTH_OF_YEAR" => month,
        "QUARTER_OF_YEAR" => month.map(|month| (month - 1) / 3 + 1),
        "PROLEPTIC_MONTH" => month.map(|month| year * 12 + month - 1),
        _ => None,
    }
}

/// Some units more; none where years or months are not counted in them. Sums overflow, as Java lets them: no year is so far away.
pub(super) fn later(of: &Temporal, amount: i64, unit: &str) -> Result<Option<Temporal>, Failed> {
    let years = |by: i64| amount.checked_mul(by).ok_or_else(|| throw("ArithmeticException", "long overflow"));
    let years = match unit {
        "YEARS" => amount,
        "DECADES" => years(10)?,
        "CENTURIES" => years(100)?,
        "MILLENNIA" => years(1_000)?,
        "MONTHS" => {
            let Temporal::YearMonth(year, month) = of else { return Ok(None) };
            let all = (i64::from(*year) * 12 + i64::from(*month) - 1).wrapping_add(amount);
            let year = checked_year(all.div_euclid(12))?;
            return Ok(Some(Temporal::YearMonth(year, all.rem_euclid(12) as i32 + 1)));
        }
        _ => return Ok(None),
    };
    let moved = |year: i32| checked_year(i64::from(year).wrapping_add(years));
    Ok(match of {
        Temporal::Year(year) => Some(Temporal::Year(moved(*year)?)),
        Temporal::YearMonth(year, month) => Some(Temporal::YearMonth(moved(*year)?, *month)),
        _ => None,
    })
}

/// The same with another year or month; none where the field is no part of it.
pub(super) fn changed(of: &Temporal, name: &str, value: i64) -> Result<Option<Temporal>, Failed> {
    Ok(Some(match (of, name) {
        (Temporal::Year(_), "YEAR") => Temporal::Year(checked_year(value)?),
        (Temporal::YearMonth(_, month), "YEAR") => Temporal::YearMonth(checked_year(value)?, *month),
        (Temporal::YearMonth(year, _), "MONTH_OF_YEAR") => {
            Temporal::YearMonth(*year, checked_month(i32::try_from(value).unwrap_or(0))?)
        }
        _ => return Ok(None),
    }))
}

/// Reads `2020` and `2020-02`.
pub(super) fn read(class: &str, text: &str) -> Result<Temporal, Failed> {
    let unparsed = |at: usize| {
        let what = format!("Text '{text}' could not be parsed at index {at}");
        throw("DateTimeParseException", what)
    };
    let (sign, rest) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits < 4 {
        return Err(unparsed(0));
    }
    let year = checked_year(rest[..digits].parse::<i64>().map_err(|_| unparsed(0))? * sign)?;
    let at = text.len() - rest.len() + digits;
    if class == "Year" {
        return if rest.len() == digits { Ok(Temporal::Year(year)) } else { Err(unparsed(at)) };
    }
    match rest[digits..].strip_prefix('-').filter(|month| month.len() == 2).and_then(|month| month.parse().ok()) {
        Some(month) => Ok(Temporal::YearMonth(year, checked_month(month)?)),
        None => Err(unparsed(at)),
    }
}

fn at_day(vm: &mut Vm, a: &[Value]) -> Outcome {
    let day = int(&a[1])?;
    let date = match temporal(&a[0])? {
        Temporal::YearMonth(year, month) => date(*year, *month, day)?,
        _ => {
            let year = year_of(&a[0])?;
            if day == 366 && !is_leap(i64::from(year)) {
                let what = format!("Invalid date 'DayOfYear 366' as '{year}' is not a leap year");
                return Err(throw("DateTimeException", what));
            }
            let first = Temporal::Date(date(year, 1, 1)?);
            return match day {
                1..=366 => {
                    let found = plus(&first, i64::from(day) - 1, "DAYS")?;
                    new(vm, found)
                }
                _ => {
                    let what = format!("Invalid value for DayOfYear (valid values 1 - 365/366): {day}");
                    Err(throw("DateTimeException", what))
                }
            };
        }
    };
    new(vm, Temporal::Date(date))
}

/// The year, or the year and the month, of something.
fn from(vm: &mut Vm, a: &[Value], with_month: bool) -> Outcome {
    let of = temporal(&a[0])?;
    let year = checked_year(field(of, "YEAR")?)?;
    match with_month {
        true => new(vm, Temporal::YearMonth(year, field(of, "MONTH_OF_YEAR")? as i32)),
        false => new(vm, Temporal::Year(year)),
    }
}

fn step(vm: &mut Vm, a: &[Value], sign: i64, unit: &str) -> Outcome {
    let sum = plus(temporal(&a[0])?, long(&a[1])?.saturating_mul(sign), unit)?;
    new(vm, sum)
}

macro_rules! shared {
    ($class:literal) => {
        common_rows!($class;
            Row("int get(TemporalField)", |_, a| Ok(Value::Int(field(temporal(&a[0])?, name(&a[1])?)? as i32))),
            Row(concat!($class, " plus(long,TemporalUnit)"), |vm, a| step(vm, a, 1, name(&a[2])?)),
            Row(concat!($class, " minus(long,TemporalUnit)"), |vm, a| step(vm, a, -1, name(&a[2])?)),
            Row(concat!($class, " with(TemporalAdjuster)"), super::adjust::adjusted),
            Row(concat!($class, " plusYears(long)"), |vm, a| step(vm, a, 1, "YEARS")),
            Row(concat!($class, " minusYears(long)"), |vm, a| step(vm, a, -1, "YEARS")),
            Row(concat!("int compareTo(", $class, ")"), |_, a| Ok(Value::Int(order(a)?))),
            Row("LocalDate atDay(int)", at_day),
            Row(concat!("boolean isAfter(", $class, ")"), |_, a| ok_bool(order(a)? > 0)),
            Row("String format(DateTimeFormatter)", |vm, a| {
                let (pattern, zone) = formatter(&a[1])?;
                let shown = format(pattern, zone, temporal(&a[0])?)?;
                vm.string(shown)
            }),
            Row(concat!("static ", $class, " parse(CharSequence,DateTimeFormatter)"), |vm, a| {
                let (pattern, zone) = formatter(&a[1])?;
                let parsed = parse_with($class, &text(&a[0])?, pattern, zone)?;
                new(vm, parsed)
            }),
        )
    };
}

const YEAR: &[Row] = &[
    Row("static Year of(int)", |vm, a| new(vm, Temporal::Year(checked_year(i64::from(int(&a[0])?))?))),
    Row("static Year from(TemporalAccessor)", |vm, a| from(vm, a, false)),
    Row("static boolean isLeap(long)", |_, a| ok_bool(is_leap(long(&a[0])?))),
    Row("static int MAX_VALUE", |_, _| Ok(Value::Int(YEAR_MAX))),
    Row("static int MIN_VALUE", |_, _| Ok(Value::Int(-YEAR_MAX))),
    Row("YearMonth atMonth(int)", |vm, a| new(vm, Temporal::YearMonth(year_of(&a[0])?, checked_month(int(&a[1])?)?))),
    Row("int getValue()", |_, a| Ok(Value::Int(year_of(&a[0])?))),
    Row("boolean isLeap()", |_, a| ok_bool(is_leap(i64::from(year_of(&a[0])?)))),
    Row("int length()", |_, a| Ok(Value::Int(365 + i32::from(is_leap(i64::from(year_of(&a[0])?)))))),
];

fn month(value: &Value) -> Result<i32, Failed> {
    match temporal(value)? {
        Temporal::YearMonth(_, month) => Ok(*month),
        _ => Err(unexpected(value)),
    }
}

const YEAR_MONTH: &[Row] = &[
    Row("boolean isBefore(YearMonth)", |_, a| ok_bool(order(a)? < 0)),
    Row("static YearMonth of(int,int)", |vm, a| {
        new(vm, Temporal::YearMonth(checked_year(i64::from(int(&a[0])?))?, checked_month(int(&a[1])?)?))
    }),
    Row("static YearMonth from(TemporalAccessor)", |vm, a| from(vm, a, true)),
    Row("LocalDate atEndOfMonth()", |vm, a| {
        let (year, month) = (year_of(&a[0])?, month(&a[0])?);
        new(vm, Temporal::Date(date(year, month, month_days(year, month))?))
    }),
    Row("YearMonth plusMonths(long)", |vm, a| step(vm, a, 1, "MONTHS")),
    Row("YearMonth minusMonths(long)", |vm, a| step(vm, a, -1, "MONTHS")),
    Row("YearMonth withYear(int)", |vm, a| {
        new(vm, Temporal::YearMonth(checked_year(i64::from(int(&a[1])?))?, month(&a[0])?))
    }),
    Row("YearMonth withMonth(int)", |vm, a| new(vm, Temporal::YearMonth(year_of(&a[0])?, checked_month(int(&a[1])?)?))),
    Row("int getYear()", |_, a| Ok(Value::Int(year_of(&a[0])?))),
    Row("int getMonthValue()", |_, a| Ok(Value::Int(month(&a[0])?))),
    Row("Month getMonth()", |vm, a| constant(vm, "Month", &MONTHS, month(&a[0])? as usize - 1)),
    Row("boolean isLeapYear()", |_, a| ok_bool(is_leap(i64::from(year_of(&a[0])?)))),
    Row("boolean isValidDay(int)", |_, a| {
        ok_bool((1..=month_days(year_of(&a[0])?, month(&a[0])?)).contains(&int(&a[1])?))
    }),
    Row("int lengthOfMonth()", |_, a| Ok(Value::Int(month_days(year_of(&a[0])?, month(&a[0])?)))),
    Row("int lengthOfYear()", |_, a| Ok(Value::Int(365 + i32::from(is_leap(i64::from(year_of(&a[0])?)))))),
];

/// A field or unit of the ISO calendar, by its name.
pub(super) fn iso(vm: &mut Vm, class: &str, name: &'static str, at: i32) -> Outcome {
    let class = registry().find(class).expect("the row is in this room");
    vm.alloc(Data::Constant(class, name, at))
}

const ISO_FIELDS: &[Row] = &[
    Row("static TemporalField DAY_OF_QUARTER", |vm, _| iso(vm, "TemporalField", "DAY_OF_QUARTER", 0)),
    Row("static TemporalField QUARTER_OF_YEAR", |vm, _| iso(vm, "TemporalField", "QUARTER_OF_YEAR", 1)),
    Row("static TemporalField WEEK_OF_WEEK_BASED_YEAR", |vm, _| iso(vm, "TemporalField", "WEEK_OF_WEEK_BASED_YEAR", 2)),
    Row("static TemporalField WEEK_BASED_YEAR", |vm, _| iso(vm, "TemporalField", "WEEK_BASED_YEAR", 3)),
    Row("static TemporalUnit WEEK_BASED_YEARS", |vm, _| iso(vm, "TemporalUnit", "WEEK_BASED_YEARS", 0)),
    Row("static TemporalUnit QUARTER_YEARS", |vm, _| iso(vm, "TemporalUnit", "QUARTER_YEARS", 1)),
];

/// The value of a field of `IsoFields`.
pub(super) fn iso_part(date: Date, name: &str) -> Option<i64> {
    let week = date.iso_week_date();
    let month = i64::from(date.month());
    Some(match name {
        "QUARTER_OF_YEAR" => (month - 1) / 3 + 1,
        "DAY_OF_QUARTER" => {
            let before: i32 = (1..=((month as i32 - 1) / 3 * 3)).map(|m| month_days(i32::from(date.year()), m)).sum();
            i64::from(date.day_of_year()) - i64::from(before)
        }
        "WEEK_OF_WEEK_BASED_YEAR" => i64::from(week.week()),
        "WEEK_BASED_YEAR" => i64::from(week.year()),
        _ => return None,
    })
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.time.temporal.YearBase", &["Temporal", "TemporalAdjuster", "Comparable", "YearMoreBase"], YEAR),
    ClassRow::new("java.time.Year", &["YearBase"], shared!("Year")),
    ClassRow::new("java.time.temporal.YearMonthBase", &["Temporal", "TemporalAdjuster", "Comparable"], YEAR_MONTH),
    ClassRow::new("java.time.YearMonth", &["YearMonthBase"], shared!("YearMonth")),
    ClassRow::new("java.time.temporal.IsoFields", &[], ISO_FIELDS),
];
