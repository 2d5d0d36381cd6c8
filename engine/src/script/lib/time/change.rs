//! Arithmetic with units, and the reading of fields. Their setting is in `with`.

use super::super::super::class::registry;
use super::super::super::error::{Failed, throw};
use super::offset::fixed;
use super::year::{iso_part, later, part};
use super::{Temporal, out_of_range};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};

/// Nanoseconds of units that always take the same.
pub fn nanos_of(unit: &str) -> Option<i128> {
    Some(match unit {
        "NANOS" => 1,
        "MICROS" => 1_000,
        "MILLIS" => 1_000_000,
        "SECONDS" => 1_000_000_000,
        "MINUTES" => 60_000_000_000,
        "HOURS" => 3_600_000_000_000,
        "HALF_DAYS" => 43_200_000_000_000,
        "DAYS" => 86_400_000_000_000,
        "WEEKS" => 604_800_000_000_000,
        _ => return None,
    })
}

#[cold]
fn unsupported(unit: &str) -> Failed {
    throw("UnsupportedTemporalTypeException", format!("Unsupported unit: {}", pretty(unit)))
}

/// A span of whole days, months or years; none for units of time.
fn date_span(amount: i64, unit: &str) -> Result<Option<Span>, Failed> {
    let scaled = |by: i64| amount.checked_mul(by).ok_or_else(|| throw("ArithmeticException", "long overflow"));
    let span = match unit {
        "DAYS" => Span::new().try_days(amount),
        "WEEKS" => Span::new().try_weeks(amount),
        "MONTHS" => Span::new().try_months(amount),
        "YEARS" => Span::new().try_years(amount),
        "DECADES" => Span::new().try_years(scaled(10)?),
        "CENTURIES" => Span::new().try_years(scaled(100)?),
        "MILLENNIA" => Span::new().try_years(scaled(1_000)?),
        _ => return Ok(None),
    };
    span.map(Some).map_err(out_of_range)
}

fn time_duration(amount: i64, unit: &str) -> Result<SignedDuration, Failed> {
    let nanos = nanos_of(unit).ok_or_else(|| unsupported(unit))?.checked_mul(i128::from(amount));
    let nanos = nanos.ok_or_else(|| throw("ArithmeticException", "long overflow"))?;
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000));
    let seconds = seconds.map_err(|_| throw("ArithmeticException", "long overflow"))?;
    Ok(SignedDuration::new(seconds, nanos.rem_euclid(1_000_000_000) as i32))
}

/// `of` plus an amount of a unit.
pub fn plus(of: &Temporal, amount: i64, unit: &str) -> Result<Temporal, Failed> {
    let scaled = |by: i64| amount.checked_mul(by).ok_or_else(|| throw("ArithmeticException", "long overflow"));
    if let Temporal::Offset(at) = of {
        return plus(&Temporal::Zoned(at.clone()), amount, unit).map(fixed);
    }
    if let "QUARTER_YEARS" = unit {
        return plus(of, scaled(3)?, "MONTHS");
    }
    if let Temporal::Year(_) | Temporal::YearMonth(..) = of {
        return later(of, amount, unit)?.ok_or_else(|| unsupported(unit));
    }
    if let Temporal::Duration(length) = of {
        return lengthened(*length, amount, unit);
    }
    if let (Some(local), true) = (local(of), amount.unsigned_abs() > FAR) {
        check_reach(local, amount, unit)?;
    }
    let span = match of {
        // Days are so many seconds to the one, and nothing that the other knows.
        Temporal::Instant(_) | Temporal::Time(_) => None,
        _ => date_span(amount, unit)?,
    };
    Ok(match (of, span) {
        (Temporal::Zoned(at), Some(span)) => Temporal::Zoned(Box::new(at.checked_add(span).map_err(out_of_range)?)),
        (Temporal::Zoned(at), None) => {
            Temporal::Zoned(Box::new(at.checked_add(time_duration(amount, unit)?).map_err(out_of_range)?))
        }
        (Temporal::Date(date), Some(span)) => Temporal::Date(date.checked_add(span).map_err(out_of_range)?),
        (Temporal::DateTime(at), Some(span)) => Temporal::DateTime(at.checked_add(span).map_err(out_of_range)?),
        (Temporal::DateTime(at), None) => {
            Temporal::DateTime(at.checked_add(time_duration(amount, unit)?).map_err(out_of_range)?)
        }
        (Temporal::Time(time), None) => {
            // Times of day go round.
            let nanos = nanos_of(unit).filter(|per| *per < NANOS_PER_DAY).ok_or_else(|| unsupported(unit))?;
            let nanos = (nanos * i128::from(amount)).rem_euclid(NANOS_PER_DAY);
            Temporal::Time(time.wrapping_add(SignedDuration::from_nanos(nanos as i64)))
        }
        (Temporal::Instant(at), _) if nanos_of(unit).is_some_and(|_| unit != "WEEKS") => {
            let (by, seconds) = (time_duration(amount, unit)?, at.as_second());
            let second = seconds.checked_add(by.as_secs());
            let second = second.ok_or_else(|| throw("ArithmeticException", "long overflow"))?;
            if !(SECOND_MIN..=SECOND_MAX).contains(&second) {
                return Err(throw("DateTimeException", "Instant exceeds minimum or maximum instant"));
            }
            Temporal::Instant(at.checked_add(by).map_err(out_of_range)?)
        }
        (Temporal::Period(y, m, d), _) => {
            let amount = i32::try_from(amount).map_err(out_of_range)?;
            match unit {
                "YEARS" => Temporal::Period(y.saturating_add(amount), *m, *d),
                "MONTHS" => Temporal::Period(*y, m.saturating_add(amount), *d),
                "DAYS" => Temporal::Period(*y, *m, d.saturating_add(amount)),
                _ => return Err(unsupported(unit)),
            }
        }
        _ => return Err(unsupported(unit)),
    })
}

/// The first and the last second that Java has an instant for.
pub(super) const SECOND_MIN: i64 = -31_557_014_167_219_200;
pub(super) const SECOND_MAX: i64 = 31_556_889_864_403_199;

/// Amounts that may lead beyond the years of Java.
const FAR: u64 = 1 << 20;

const NANOS_PER_DAY: i128 = 86_400_000_000_000;

/// Fails in Java's words where a date by so much later is in no year.
fn check_reach(from: DateTime, amount: i64, unit: &str) -> Result<(), Failed> {
    let overflow = || throw("ArithmeticException", "long overflow");
    let scaled = |by: i64| amount.checked_mul(by).ok_or_else(overflow);
    let year = i64::from(from.year());
    let in_years = |years: i64| check_field("YEAR", year.wrapping_add(years));
    let epoch_day = field(&Temporal::Date(from.date()), "EPOCH_DAY")?;
    let in_days = |days: i64| check_field("EPOCH_DAY", epoch_day.checked_add(days).ok_or_else(overflow)?);
    match unit {
        "DAYS" => in_days(amount),
        "WEEKS" => in_days(scaled(7)?),
        "MONTHS" => {
            let months = (year * 12 + i64::from(from.month()) - 1).wrapping_add(amount);
            check_field("YEAR", months.div_euclid(12))
        }
        "YEARS" => in_years(amount),
        "DECADES" => in_years(scaled(10)?),
        "CENTURIES" => in_years(scaled(100)?),
        "MILLENNIA" => in_years(scaled(1_000)?),
        _ => {
            let Some(per) = nanos_of(unit) else { return Ok(()) };
            // Java goes by 256 of them first, and fails there already.
            if unit == "HALF_DAYS" {
                in_days(amount / 256)?;
            }
            let of_day = from.time().duration_since(Time::midnight()).as_nanos();
            // Fewer than 2^63 half days at the most.
            in_days((of_day + per * i128::from(amount)).div_euclid(NANOS_PER_DAY) as i64)
        }
    }
}

fn check_field(name: &str, value: i64) -> Result<(), Failed> {
    match range_of(name) {
        Some((least, most, shown)) if !(least..=most).contains(&value) => {
            let what = format!("Invalid value for {} (valid values {shown}): {value}", pretty(name));
            Err(throw("DateTimeException", what))
        }
        _ => Ok(()),
    }
}

/// A duration and so much more: by units that always take the same.
fn lengthened(length: SignedDuration, amount: i64, unit: &str) -> Result<Temporal, Failed> {
    if unit != "DAYS" && matches!(date_span(0, unit), Ok(Some(_))) || unit == "FOREVER" {
        return Err(throw("UnsupportedTemporalTypeException", "Unit must not have an estimated duration"));
    }
    if nanos_of(unit).is_none() {
        return Err(unsupported(unit));
    }
    let sum = length.checked_add(time_duration(amount, unit)?);
    Ok(Temporal::Duration(sum.ok_or_else(|| throw("ArithmeticException", "long overflow"))?))
}

/// `of` plus or minus a duration or period.
pub fn plus_amount(of: &Temporal, amount: &Temporal, sign: i64) -> Result<Temporal, Failed> {
    match amount {
        Temporal::Duration(length) => {
            let (seconds, nanos) = super::more::parts(*length);
            let later = plus_some(of, seconds, sign, "SECONDS")?;
            plus_some(&later, i64::from(nanos), sign, "NANOS")
        }
        Temporal::Period(years, months, days) => {
            let later = match (i64::from(*years), i64::from(*months)) {
                (years, 0) => plus_some(of, years, sign, "YEARS")?,
                (years, months) => plus_some(of, years * 12 + months, sign, "MONTHS")?,
            };
            plus_some(&later, i64::from(*days), sign, "DAYS")
        }
        _ => Err(throw("ClassCastException", "not an amount of time")),
    }
}

/// What is nothing is not added, even to what does not know the unit.
fn plus_some(of: &Temporal, amount: i64, sign: i64, unit: &str) -> Result<Temporal, Failed> {
    if amount == 0 {
        return Ok(of.clone());
    }
    let amount = amount.checked_mul(sign).ok_or_else(|| throw("ArithmeticException", "long overflow"))?;
    plus(of, amount, unit)
}

/// The moment of a date or time, the parts that it lacks being those of 1970 in UTC.
fn moment(of: &Temporal) -> Result<Timestamp, Failed> {
    match of {
        Temporal::Zoned(at) | Temporal::Offset(at) => Ok(at.timestamp()),
        Temporal::Instant(at) => Ok(*at),
        other => {
            let (date, time) = (other.date(), other.time());
            if date.is_none() && time.is_none() {
                return Err(throw("DateTimeException", "Unable to obtain a date or time"));
            }
            let date = date.unwrap_or(Date::constant(1970, 1, 1));
            let local = DateTime::from_parts(date, time.unwrap_or(Time::midnight()));
            Ok(local.to_zoned(TimeZone::UTC).map_err(out_of_range)?.timestamp())
        }
    }
}

/// Fails where a time cannot be taken for one of the class that it is held against.
fn check_obtained(from: &Temporal, to: &Temporal) -> Result<(), Failed> {
    let obtained = match from {
        Temporal::Zoned(_) | Temporal::Offset(_) => matches!(to, Temporal::Zoned(_) | Temporal::Offset(_)),
        Temporal::Instant(_) => matches!(to, Temporal::Zoned(_) | Temporal::Offset(_) | Temporal::Instant(_)),
        Temporal::DateTime(_) => to.date().is_some() && to.time().is_some(),
        Temporal::Date(_) => to.date().is_some(),
        Temporal::Time(_) => to.time().is_some(),
        _ => true,
    };
    if obtained {
        return Ok(());
    }
    let (wanted, class) = (registry().class(from.class()).simple, registry().class(to.class()).name);
    Err(super::queries::not_obtained_of(wanted, to.date().is_some(), &to.to_string(), class))
}

/// Whole units from one to the other.
pub fn until(from: &Temporal, to: &Temporal, unit: &str) -> Result<i64, Failed> {
    check_obtained(from, to)?;
    let is_time = matches!(from, Temporal::Time(_));
    if unit == "WEEKS" && (is_time || matches!(from, Temporal::Instant(_))) || unit == "DAYS" && is_time {
        return Err(unsupported(unit));
    }
    if unit == "ERAS" && !is_time && !matches!(from, Temporal::Instant(_)) {
        let era = |of: &Temporal| field(of, "YEAR").map(|year| i64::from(year > 0));
        return Ok(era(to)? - era(from)?);
    }
    if let "QUARTER_YEARS" = unit {
        return until(from, to, "MONTHS").map(|months| months / 3);
    }
    if let Temporal::Year(_) | Temporal::YearMonth(..) = from {
        let months = |of: &Temporal| match from {
            Temporal::Year(_) => field(of, "YEAR").map(|year| year * 12),
            _ => field(of, "YEAR").and_then(|year| Ok(year * 12 + field(of, "MONTH_OF_YEAR")?)),
        };
        let obtained = months(to).map_err(|failed| {
            let (wanted, class) = (registry().class(from.class()).simple, registry().class(to.class()).name);
            let what = format!("Unable to obtain {wanted} from TemporalAccessor: {to} of type {class}");
            throw("DateTimeException", what).made_by(*failed)
        })?;
        let months = obtained - months(from)?;
        return match unit {
            "MONTHS" if matches!(from, Temporal::YearMonth(..)) => Ok(months),
            "YEARS" => Ok(months / 12),
            "DECADES" => Ok(months / 120),
            "CENTURIES" => Ok(months / 1_200),
            "MILLENNIA" => Ok(months / 12_000),
            _ => Err(unsupported(unit)),
        };
    }
    let is_date = matches!(from, Temporal::Date(_));
    if let ("DAYS" | "WEEKS" | "MONTHS" | "YEARS" | "DECADES" | "CENTURIES" | "MILLENNIA", Some(a)) =
        (unit, local(from))
    {
        let b = match (from, to) {
            (Temporal::Zoned(at) | Temporal::Offset(at), Temporal::Zoned(to) | Temporal::Offset(to)) => {
                to.with_time_zone(at.time_zone().clone()).datetime()
            }
            _ => local(to).ok_or_else(|| throw("DateTimeException", "Unable to obtain a date"))?,
        };
        let largest = if matches!(unit, "DAYS" | "WEEKS") { jiff::Unit::Day } else { jiff::Unit::Month };
        let span = a.until((largest, b)).map_err(out_of_range)?;
        let (days, months) = (i64::from(span.get_days()), i64::from(span.get_months()));
        return Ok(match unit {
            "DAYS" => days,
            "WEEKS" => days / 7,
            "MONTHS" => months,
            "YEARS" => months / 12,
            "DECADES" => months / 120,
            "CENTURIES" => months / 1_200,
            _ => months / 12_000,
        });
    }
    if is_date {
        return Err(unsupported(unit));
    }
    let nanos = match (from, to.time()) {
        (Temporal::Time(from), Some(to)) => from.duration_until(to).as_nanos(),
        (Temporal::Time(_), None) => {
            let class = registry().class(to.class()).name;
            let what = format!("Unable to obtain LocalTime from TemporalAccessor: {to} of type {class}");
            return Err(throw("DateTimeException", what));
        }
        _ => moment(to)?.as_nanosecond() - moment(from)?.as_nanosecond(),
    };
    let per = nanos_of(unit).ok_or_else(|| unsupported(unit))?;
    i64::try_from(nanos / per).map_err(|_| throw("ArithmeticException", "long overflow"))
}

fn local(of: &Temporal) -> Option<DateTime> {
    let date = of.date()?;
    Some(DateTime::from_parts(date, of.time().unwrap_or(Time::midnight())))
}

/// Cuts off what is smaller than a unit.
pub fn truncate(of: &Temporal, unit: &str) -> Result<Temporal, Failed> {
    if let Temporal::Offset(at) = of {
        return truncate(&Temporal::Zoned(at.clone()), unit).map(fixed);
    }
    let per = nanos_of(unit)
        .filter(|_| unit != "WEEKS")
        .ok_or_else(|| throw("UnsupportedTemporalTypeException", "Unit is too large to be used for truncation"))?;
    let cut = |time: Time| {
        let of_day = time.duration_since(Time::midnight()).as_nanos();
        Time::midnight().wrapping_add(SignedDuration::from_nanos((of_day - of_day % per) as i64))
    };
    let cut = |time: Time| if unit == "DAYS" { Time::midnight() } else { cut(time) };
    Ok(match of {
        Temporal::Zoned(at) => {
            let local = DateTime::from_parts(at.date(), cut(at.time()));
            Temporal::Zoned(Box::new(local.to_zoned(at.time_zone().clone()).map_err(out_of_range)?))
        }
        Temporal::DateTime(at) => Temporal::DateTime(DateTime::from_parts(at.date(), cut(at.time()))),
        Temporal::Time(time) => Temporal::Time(cut(*time)),
        Temporal::Instant(at) => {
            let nanos = at.as_nanosecond();
            Temporal::Instant(Timestamp::from_nanosecond(nanos - nanos.rem_euclid(per)).map_err(out_of_range)?)
        }
        _ => return Err(unsupported(unit)),
    })
}

/// The value of a `ChronoField`.
pub fn field(of: &Temporal, name: &str) -> Result<i64, Failed> {
    let refused = || throw("UnsupportedTemporalTypeException", format!("Unsupported field: {}", pretty(name)));
    let date = || of.date().ok_or_else(refused);
    let time = || match of {
        Temporal::Instant(at) if name.ends_with("OF_SECOND") => Ok(at.to_zoned(TimeZone::UTC).time()),
        _ => of.time().ok_or_else(refused),
    };
    let of_day = |time: Time| time.duration_since(Time::midnight());
    if let (Temporal::Year(_) | Temporal::YearMonth(..) | Temporal::MonthDay(..), false) = (of, name.ends_with(']')) {
        return part(of, name).ok_or_else(refused);
    }
    if let Some(value) = super::weeks::value(of, name)? {
        return Ok(value);
    }
    if let Some(value) = of.date().and_then(|date| iso_part(date, name)) {
        return Ok(value);
    }
    Ok(match name {
        "YEAR" => i64::from(date()?.year()),
        "YEAR_OF_ERA" => match i64::from(date()?.year()) {
            year if year < 1 => 1 - year,
            year => year,
        },
        "ERA" => i64::from(date()?.year() >= 1),
        "ALIGNED_DAY_OF_WEEK_IN_MONTH" => (i64::from(date()?.day()) - 1) % 7 + 1,
        "ALIGNED_DAY_OF_WEEK_IN_YEAR" => (i64::from(date()?.day_of_year()) - 1) % 7 + 1,
        "MONTH_OF_YEAR" => i64::from(date()?.month()),
        "PROLEPTIC_MONTH" => i64::from(date()?.year()) * 12 + i64::from(date()?.month()) - 1,
        "DAY_OF_MONTH" => i64::from(date()?.day()),
        "DAY_OF_YEAR" => i64::from(date()?.day_of_year()),
        "DAY_OF_WEEK" => i64::from(date()?.weekday().to_monday_one_offset()),
        "ALIGNED_WEEK_OF_YEAR" => (i64::from(date()?.day_of_year()) - 1) / 7 + 1,
        "ALIGNED_WEEK_OF_MONTH" => (i64::from(date()?.day()) - 1) / 7 + 1,
        "EPOCH_DAY" => i64::from(Date::constant(1970, 1, 1).until(date()?).map_err(out_of_range)?.get_days()),
        "HOUR_OF_DAY" => i64::from(time()?.hour()),
        "CLOCK_HOUR_OF_DAY" => (i64::from(time()?.hour()) + 23) % 24 + 1,
        "CLOCK_HOUR_OF_AMPM" => (i64::from(time()?.hour()) + 11) % 12 + 1,
        "HOUR_OF_AMPM" => i64::from(time()?.hour() % 12),
        "AMPM_OF_DAY" => i64::from(time()?.hour() / 12),
        "MINUTE_OF_HOUR" => i64::from(time()?.minute()),
        "MINUTE_OF_DAY" => of_day(time()?).as_secs() / 60,
        "SECOND_OF_MINUTE" => i64::from(time()?.second()),
        "SECOND_OF_DAY" => of_day(time()?).as_secs(),
        "MILLI_OF_SECOND" => i64::from(time()?.subsec_nanosecond()) / 1_000_000,
        "MILLI_OF_DAY" => of_day(time()?).as_millis() as i64,
        "MICRO_OF_DAY" => of_day(time()?).as_micros() as i64,
        "MICRO_OF_SECOND" => i64::from(time()?.subsec_nanosecond()) / 1_000,
        "NANO_OF_SECOND" => i64::from(time()?.subsec_nanosecond()),
        "NANO_OF_DAY" => of_day(time()?).as_nanos() as i64,
        "INSTANT_SECONDS" => match of {
            Temporal::Zoned(_) | Temporal::Offset(_) | Temporal::Instant(_) => moment(of)?.as_second(),
            _ => return Err(refused()),
        },
        "OFFSET_SECONDS" => match of {
            Temporal::Zoned(at) | Temporal::Offset(at) => i64::from(at.offset().seconds()),
            _ => return Err(refused()),
        },
        _ => return Err(refused()),
    })
}

/// The values that a field takes, as Java shows them, with the least and the greatest of them.
pub(super) fn range_of(name: &str) -> Option<(i64, i64, &'static str)> {
    Some(match name {
        "NANO_OF_SECOND" => (0, 999_999_999, "0 - 999999999"),
        "NANO_OF_DAY" => (0, 86_399_999_999_999, "0 - 86399999999999"),
        "MICRO_OF_SECOND" => (0, 999_999, "0 - 999999"),
        "MICRO_OF_DAY" => (0, 86_399_999_999, "0 - 86399999999"),
        "MILLI_OF_SECOND" => (0, 999, "0 - 999"),
        "MILLI_OF_DAY" => (0, 86_399_999, "0 - 86399999"),
        "SECOND_OF_MINUTE" | "MINUTE_OF_HOUR" => (0, 59, "0 - 59"),
        "SECOND_OF_DAY" => (0, 86_399, "0 - 86399"),
        "MINUTE_OF_DAY" => (0, 1_439, "0 - 1439"),
        "HOUR_OF_AMPM" => (0, 11, "0 - 11"),
        "CLOCK_HOUR_OF_AMPM" | "MONTH_OF_YEAR" => (1, 12, "1 - 12"),
        "HOUR_OF_DAY" => (0, 23, "0 - 23"),
        "CLOCK_HOUR_OF_DAY" => (1, 24, "1 - 24"),
        "AMPM_OF_DAY" | "ERA" => (0, 1, "0 - 1"),
        "DAY_OF_WEEK" | "ALIGNED_DAY_OF_WEEK_IN_MONTH" | "ALIGNED_DAY_OF_WEEK_IN_YEAR" => (1, 7, "1 - 7"),
        "DAY_OF_MONTH" => (1, 31, "1 - 28/31"),
        "DAY_OF_YEAR" => (1, 366, "1 - 365/366"),
        "EPOCH_DAY" => (-365_243_219_162, 365_241_780_471, "-365243219162 - 365241780471"),
        "ALIGNED_WEEK_OF_MONTH" => (1, 5, "1 - 4/5"),
        "ALIGNED_WEEK_OF_YEAR" => (1, 53, "1 - 53"),
        "PROLEPTIC_MONTH" => (-11_999_999_988, 11_999_999_999, "-11999999988 - 11999999999"),
        "YEAR_OF_ERA" => (1, 1_000_000_000, "1 - 999999999/1000000000"),
        "YEAR" => (-999_999_999, 999_999_999, "-999999999 - 999999999"),
        "INSTANT_SECONDS" => (i64::MIN, i64::MAX, "-9223372036854775808 - 9223372036854775807"),
        "OFFSET_SECONDS" => (-64_800, 64_800, "-64800 - 64800"),
        _ => return None,
    })
}

/// What is wrong with a value of a field: it never has it, or not in this month or year.
#[cold]
pub(super) fn invalid(of: &Temporal, name: &str, value: i64) -> Failed {
    let what = match (range_of(name), of.date()) {
        (Some((least, most, shown)), _) if !(least..=most).contains(&value) => {
            format!("Invalid value for {} (valid values {shown}): {value}", pretty(name))
        }
        (_, Some(date)) if name == "DAY_OF_MONTH" => {
            return no_day(i32::from(date.year()), date.month() as usize, value);
        }
        (_, Some(date)) if name == "DAY_OF_YEAR" => {
            format!("Invalid date 'DayOfYear {value}' as '{}' is not a leap year", date.year())
        }
        _ => format!("Invalid value for {}: {value}", pretty(name)),
    };
    throw("DateTimeException", what)
}

/// A month has no such day.
#[cold]
pub(super) fn no_day(year: i32, month: usize, day: i64) -> Failed {
    throw(
        "DateTimeException",
        match day {
            29 => format!("Invalid date 'February 29' as '{year}' is not a leap year"),
            _ => format!("Invalid date '{} {day}'", super::MONTHS[month - 1]),
        },
    )
}

/// The name of a field or unit as its `toString` has it.
pub(super) fn pretty(name: &str) -> String {
    if name.ends_with(']') {
        return name.to_owned();
    }
    debug_assert!(name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'), "{name} is a constant");
    let word = |word: &str| match word {
        "AMPM" => "AmPm".to_owned(),
        word => word[..1].to_owned() + &word[1..].to_lowercase(),
    };
    name.split('_').map(word).collect()
}
