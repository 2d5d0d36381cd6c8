//! Adjusters: what a date or time becomes by a rule or by a part of another.

use super::super::super::class::{ClassRow, Row};
use super::super::super::error::{Failed, Outcome};
use super::super::super::value::{Data, Value};
use super::super::super::vm::Vm;
use super::super::args::{int, unexpected};
use super::super::function::native;
use super::change::{field, plus};
use super::rows::{name, new, temporal};
use super::units::no_field;
use super::with::with;
use super::{DAYS, MONTHS, Temporal};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A rule of `TemporalAdjusters`. Days of the week count from 1, Monday.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Adjuster {
    FirstDay(Span),
    LastDay(Span),
    /// The first day of the month or year after.
    FirstDayOfNext(Span),
    /// So many such days of the week from the beginning of the month, or from its end if the number is not above zero.
    InMonth(i32, i64),
    /// The next such day of the week, or the one before; with the day itself or without.
    Nearest {
        day: i64,
        later: bool,
        or_same: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Span {
    Month,
    Year,
}

impl Span {
    fn unit(self) -> &'static str {
        match self {
            Self::Month => "MONTHS",
            Self::Year => "YEARS",
        }
    }

    fn first_day(self, of: &Temporal) -> Result<Temporal, Failed> {
        with(of, if self == Self::Month { "DAY_OF_MONTH" } else { "DAY_OF_YEAR" }, 1)
    }
}

fn weekday(of: &Temporal) -> Result<i64, Failed> {
    super::change::field(of, "DAY_OF_WEEK")
}

impl Adjuster {
    fn apply(self, of: &Temporal) -> Result<Temporal, Failed> {
        match self {
            Self::FirstDay(span) => span.first_day(of),
            Self::FirstDayOfNext(span) => plus(&span.first_day(of)?, 1, span.unit()),
            Self::LastDay(span) => plus(&Self::FirstDayOfNext(span).apply(of)?, -1, "DAYS"),
            Self::InMonth(nth, day) if nth > 0 => {
                let first = Span::Month.first_day(of)?;
                let ahead = (day - weekday(&first)?).rem_euclid(7);
                plus(&first, ahead + (i64::from(nth) - 1) * 7, "DAYS")
            }
            Self::InMonth(nth, day) => {
                let last = Self::LastDay(Span::Month).apply(of)?;
                let behind = (weekday(&last)? - day).rem_euclid(7);
                plus(&last, -behind - (-i64::from(nth) - 1) * 7, "DAYS")
            }
            Self::Nearest { day, later, or_same } => {
                let distance = if later { day - weekday(of)? } else { weekday(of)? - day }.rem_euclid(7);
                let distance = if distance == 0 && !or_same { 7 } else { distance };
                plus(of, if later { distance } else { -distance }, "DAYS")
            }
        }
    }
}

/// `temporal.with(adjuster)`: by a rule, a date, a time, a day of the week or a month.
pub(super) fn adjusted(vm: &mut Vm, a: &[Value]) -> Outcome {
    let of = temporal(&a[0])?;
    if let Ok(constant) = name(&a[1]) {
        let day = DAYS.iter().position(|day| *day == constant).map(|at| ("DAY_OF_WEEK", at));
        let month = || MONTHS.iter().position(|month| *month == constant).map(|at| ("MONTH_OF_YEAR", at));
        let (field, at) = day.or_else(month).ok_or_else(|| unexpected(&a[1]))?;
        let changed = with(of, field, at as i64 + 1)?;
        return new(vm, changed);
    }
    if let Some(Data::Closure(_)) = a[1].data() {
        return vm.call(&a[1], &a[..1]);
    }
    let changed = match temporal(&a[1])? {
        Temporal::Adjuster(rule) => rule.apply(of)?,
        Temporal::Year(year) => with(of, "YEAR", i64::from(*year))?,
        Temporal::YearMonth(year, month) => {
            let months = i64::from(*year) * 12 + i64::from(*month) - 1 - field(of, "PROLEPTIC_MONTH")?;
            plus(of, months, "MONTHS")?
        }
        Temporal::MonthDay(month, day) => {
            let at = with(of, "MONTH_OF_YEAR", i64::from(*month))?;
            let last = at.date().map_or(i64::from(*day), |date| i64::from(date.days_in_month()));
            with(&at, "DAY_OF_MONTH", last.min(i64::from(*day)))?
        }
        Temporal::Instant(at) => moved_to(of, *at)?,
        Temporal::Zone(zone) => at_offset(of, zone)?,
        by if by.date().is_some() || by.time().is_some() => parts_set(of, by)?,
        _ => return Err(unexpected(&a[1])),
    };
    new(vm, changed)
}

/// The date and the time of day of another one, as far as that has them.
fn parts_set(of: &Temporal, by: &Temporal) -> Result<Temporal, Failed> {
    let mut changed = of.clone();
    if let Some(date) = by.date() {
        if of.date().is_none() {
            return Err(no_field("EPOCH_DAY"));
        }
        // The day comes last of all that a month may be too short for: first a day that every month has.
        changed = with(&changed, "DAY_OF_MONTH", 1)?;
        changed = with(&changed, "YEAR", i64::from(date.year()))?;
        changed = with(&changed, "MONTH_OF_YEAR", i64::from(date.month()))?;
        changed = with(&changed, "DAY_OF_MONTH", i64::from(date.day()))?;
    }
    if let Some(time) = by.time() {
        if of.time().is_none() {
            return Err(no_field("NANO_OF_DAY"));
        }
        changed = with(&changed, "HOUR_OF_DAY", i64::from(time.hour()))?;
        changed = with(&changed, "MINUTE_OF_HOUR", i64::from(time.minute()))?;
        changed = with(&changed, "SECOND_OF_MINUTE", i64::from(time.second()))?;
        changed = with(&changed, "NANO_OF_SECOND", i64::from(time.subsec_nanosecond()))?;
    }
    Ok(changed)
}

/// Another moment, where the zone stays.
fn moved_to(of: &Temporal, at: Timestamp) -> Result<Temporal, Failed> {
    match of {
        Temporal::Zoned(from) => Ok(Temporal::Zoned(at.to_zoned(from.time_zone().clone()).into())),
        Temporal::Offset(from) => Ok(Temporal::Offset(at.to_zoned(from.time_zone().clone()).into())),
        Temporal::Instant(_) => Ok(Temporal::Instant(at)),
        _ => Err(no_field("INSTANT_SECONDS")),
    }
}

/// The same local time at another offset, which a zone has to have then: it is left alone if it has not.
fn at_offset(of: &Temporal, zone: &TimeZone) -> Result<Temporal, Failed> {
    match of {
        Temporal::Offset(from) => {
            let moved = from.datetime().to_zoned(zone.clone()).map_err(super::out_of_range)?;
            Ok(Temporal::Offset(moved.into()))
        }
        Temporal::Zoned(from) => {
            let both = from.time_zone().to_ambiguous_zoned(from.datetime());
            let wanted = zone.to_fixed_offset().map_err(super::out_of_range)?;
            let found = [both.clone().earlier(), both.later()].into_iter().flatten().find(|at| at.offset() == wanted);
            Ok(Temporal::Zoned(found.unwrap_or_else(|| (**from).clone()).into()))
        }
        _ => Err(no_field("OFFSET_SECONDS")),
    }
}

fn rule(vm: &mut Vm, rule: Adjuster) -> Outcome {
    new(vm, Temporal::Adjuster(rule))
}

fn day_of(value: &Value) -> Result<i64, Failed> {
    let name = name(value)?;
    DAYS.iter().position(|day| *day == name).map(|at| at as i64 + 1).ok_or_else(|| unexpected(value))
}

fn nearest(vm: &mut Vm, a: &[Value], later: bool, or_same: bool) -> Outcome {
    let day = day_of(&a[0])?;
    rule(vm, Adjuster::Nearest { day, later, or_same })
}

const RULES: &[Row] = &[
    Row("static TemporalAdjuster firstDayOfMonth()", |vm, _| rule(vm, Adjuster::FirstDay(Span::Month))),
    Row("static TemporalAdjuster firstDayOfYear()", |vm, _| rule(vm, Adjuster::FirstDay(Span::Year))),
    Row("static TemporalAdjuster lastDayOfMonth()", |vm, _| rule(vm, Adjuster::LastDay(Span::Month))),
    Row("static TemporalAdjuster lastDayOfYear()", |vm, _| rule(vm, Adjuster::LastDay(Span::Year))),
    Row("static TemporalAdjuster firstDayOfNextMonth()", |vm, _| rule(vm, Adjuster::FirstDayOfNext(Span::Month))),
    Row("static TemporalAdjuster firstDayOfNextYear()", |vm, _| rule(vm, Adjuster::FirstDayOfNext(Span::Year))),
    Row("static TemporalAdjuster firstInMonth(DayOfWeek)", |vm, a| {
        let day = day_of(&a[0])?;
        rule(vm, Adjuster::InMonth(1, day))
    }),
    Row("static TemporalAdjuster lastInMonth(DayOfWeek)", |vm, a| {
        let day = day_of(&a[0])?;
        rule(vm, Adjuster::InMonth(-1, day))
    }),
    Row("static TemporalAdjuster dayOfWeekInMonth(int,DayOfWeek)", |vm, a| {
        let (nth, day) = (int(&a[0])?, day_of(&a[1])?);
        rule(vm, Adjuster::InMonth(nth, day))
    }),
    Row("static TemporalAdjuster ofDateAdjuster(UnaryOperator)", |vm, a| {
        native(vm, "TemporalAdjuster", vec![a[0].clone()], |vm, a| {
            let date = temporal(&a[1])?.date().ok_or_else(|| unexpected(&a[1]))?;
            let date = new(vm, Temporal::Date(date))?;
            let by = vm.call(&a[0], &[date])?;
            adjusted(vm, &[a[1].clone(), by])
        })
    }),
    Row("static TemporalAdjuster next(DayOfWeek)", |vm, a| nearest(vm, a, true, false)),
    Row("static TemporalAdjuster nextOrSame(DayOfWeek)", |vm, a| nearest(vm, a, true, true)),
    Row("static TemporalAdjuster previous(DayOfWeek)", |vm, a| nearest(vm, a, false, false)),
    Row("static TemporalAdjuster previousOrSame(DayOfWeek)", |vm, a| nearest(vm, a, false, true)),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow {
        name: "java.time.temporal.TemporalAdjuster",
        supers: &[],
        rows: &[Row("Temporal adjustInto(Temporal)", |vm, a| adjusted(vm, &[a[1].clone(), a[0].clone()]))],
        functional: true,
    },
    ClassRow::new("java.time.temporal.TemporalAdjusters", &[], RULES),
];

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::Date;

    #[test]
    fn rules_of_months_and_weeks() {
        let from = |rule: Adjuster| match rule.apply(&Temporal::Date(Date::constant(2024, 2, 14))) {
            Ok(found) => found.to_string(),
            Err(_) => "refused".to_owned(),
        };
        assert_eq!(from(Adjuster::FirstDay(Span::Month)), "2024-02-01");
        assert_eq!(from(Adjuster::LastDay(Span::Month)), "2024-02-29");
        assert_eq!(from(Adjuster::LastDay(Span::Year)), "2024-12-31");
        assert_eq!(from(Adjuster::FirstDayOfNext(Span::Year)), "2025-01-01");
        // The 14th was a Wednesday.
        assert_eq!(from(Adjuster::InMonth(1, 4)), "2024-02-01");
        assert_eq!(from(Adjuster::InMonth(3, 1)), "2024-02-19");
        assert_eq!(from(Adjuster::InMonth(-1, 5)), "2024-02-23");
        assert_eq!(from(Adjuster::InMonth(0, 4)), "2024-03-07");
        let nearest = |day, later, or_same| from(Adjuster::Nearest { day, later, or_same });
        assert_eq!(nearest(3, true, false), "2024-02-21");
        assert_eq!(nearest(3, true, true), "2024-02-14");
        assert_eq!(nearest(1, false, false), "2024-02-12");
    }
}
