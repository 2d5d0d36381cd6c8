//! `WeekFields`: weeks that begin on some day, and of which a year's first has so many of its days; and `JulianFields`: days that are
//! counted from long ago.
//!
//! A definition and its fields are known by their names, as all fields are: `WeekOfYear[WeekFields[SUNDAY,1]]`.

use super::super::super::class::{ClassRow, Row, registry};
use super::super::super::error::{Failed, Outcome, illegal, throw};
use super::super::super::value::{Data, Value};
use super::super::super::vm::Vm;
use super::super::args::int;
use super::change::{field, plus};
use super::more::position;
use super::rows::{constant, name};
use super::units::no_field;
use super::year::iso;
use super::{DAYS, Temporal};
use jiff::ToSpan;
use jiff::civil::Date;
use std::sync::OnceLock;

const KINDS: [&str; 5] = ["DayOfWeek", "WeekOfMonth", "WeekOfYear", "WeekOfWeekBasedYear", "WeekBasedYear"];
/// Definitions: each day of the week, and one to seven days that are enough.
const DEFINITIONS: usize = 49;

/// A field of weeks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WeekField {
    kind: usize,
    /// The day on which weeks begin, Monday being zero.
    first: i64,
    /// How many days of a year or month are enough for its first week.
    enough: i64,
}

struct Names {
    definitions: Vec<String>,
    fields: Vec<String>,
}

fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| {
        let definition = |at: usize| format!("WeekFields[{},{}]", DAYS[at / 7], at % 7 + 1);
        let definitions: Vec<String> = (0..DEFINITIONS).map(definition).collect();
        let fields = KINDS.iter().flat_map(|kind| definitions.iter().map(move |of| format!("{kind}[{of}]"))).collect();
        Names { definitions, fields }
    })
}

/// The field of a name, if it is one of weeks.
pub(super) fn of_name(name: &str) -> Option<WeekField> {
    let (kind, of) = name.strip_suffix("]]")?.split_once("[WeekFields[")?;
    let (first, enough) = of.split_once(',')?;
    let at = |names: &[&str], wanted: &str| names.iter().position(|known| *known == wanted);
    Some(WeekField { kind: at(&KINDS, kind)?, first: at(&DAYS, first)? as i64, enough: enough.parse().ok()? })
}

/// How far a field of days that are counted from elsewhere is ahead of the days since 1970.
fn julian(name: &str) -> Option<i64> {
    match name {
        "JULIAN_DAY" => Some(2_440_588),
        "MODIFIED_JULIAN_DAY" => Some(40_587),
        "RATA_DIE" => Some(719_163),
        _ => None,
    }
}

impl WeekField {
    /// Which day of its week a date is, from one on.
    fn day(self, date: Date) -> i64 {
        (i64::from(date.weekday().to_monday_zero_offset()) - self.first).rem_euclid(7) + 1
    }

    /// Where the first week begins, seen from the first day of a month or year, if its day so-and-so is a day of the week.
    fn offset(self, day: i64, of_week: i64) -> i64 {
        let start = (day - of_week).rem_euclid(7);
        if start + 1 > self.enough { 7 - start } else { -start }
    }

    fn week(offset: i64, day: i64) -> i64 {
        (7 + offset + day - 1) / 7
    }

    fn within(self, day: i64, date: Date) -> i64 {
        Self::week(self.offset(day, self.day(date)), day)
    }

    /// The week of a year that it belongs to, which year that is, and how many weeks it has.
    fn week_of_year(self, date: Date) -> (i64, i64, i64) {
        let (day, year, length) =
            (i64::from(date.day_of_year()), i64::from(date.year()), i64::from(date.days_in_year()));
        let offset = self.offset(day, self.day(date));
        let next = Self::week(offset, length + self.enough);
        match Self::week(offset, day) {
            0 => {
                let before = date.checked_sub(day.days()).map(|last| self.week_of_year(last));
                before.unwrap_or((1, year - 1, 52))
            }
            week if week >= next => {
                let weeks = date.checked_add((length - day + 8).days()).map_or(52, |later| self.week_of_year(later).2);
                (week - next + 1, year + 1, weeks)
            }
            week => (week, year, next - 1),
        }
    }

    fn value(self, date: Date) -> i64 {
        match self.kind {
            0 => self.day(date),
            1 => self.within(i64::from(date.day()), date),
            2 => self.within(i64::from(date.day_of_year()), date),
            3 => self.week_of_year(date).0,
            _ => self.week_of_year(date).1,
        }
    }

    /// Its values whatever the date.
    pub fn bounds(self) -> [i64; 4] {
        match self.kind {
            0 => [1, 1, 7, 7],
            1 => [0, 1, 4, 6],
            2 => [0, 1, 52, 54],
            3 => [1, 1, 52, 53],
            _ => [-999_999_999, -999_999_999, 999_999_999, 999_999_999],
        }
    }

    /// Its values in the month or year of a date.
    pub fn bounds_at(self, date: Date) -> [i64; 4] {
        let by = |day: i64, days: i64| {
            let offset = self.offset(day, self.day(date));
            let (least, most) = (Self::week(offset, 1), Self::week(offset, days));
            [least, least, most, most]
        };
        match self.kind {
            1 => by(i64::from(date.day()), i64::from(date.days_in_month())),
            2 => by(i64::from(date.day_of_year()), i64::from(date.days_in_year())),
            3 => {
                let weeks = self.week_of_year(date).2;
                [1, 1, weeks, weeks]
            }
            _ => self.bounds(),
        }
    }

    /// The units that it counts in and within; none for years of weeks, which are no unit of the calendar.
    pub fn units(self) -> (Option<&'static str>, Option<&'static str>) {
        match self.kind {
            0 => (Some("DAYS"), Some("WEEKS")),
            1 => (Some("WEEKS"), Some("MONTHS")),
            2 => (Some("WEEKS"), Some("YEARS")),
            3 => (Some("WEEKS"), None),
            _ => (None, Some("FOREVER")),
        }
    }

    /// The day of a week of a year.
    fn date(self, year: i64, week: i64, day: i64) -> Result<Temporal, Failed> {
        let year = i16::try_from(year).map_err(super::out_of_range)?;
        let first = Date::new(year, 1, 1).map_err(super::out_of_range)?;
        let offset = self.offset(1, self.day(first));
        let next = Self::week(offset, i64::from(first.days_in_year()) + self.enough);
        let days = -offset + day - 1 + (week.min(next - 1) - 1) * 7;
        plus(&Temporal::Date(first), days, "DAYS")
    }
}

/// The value of a field of this file; none for other fields.
pub(super) fn value(of: &Temporal, name: &str) -> Result<Option<i64>, Failed> {
    if let Some(ahead) = julian(name) {
        let days = field(of, "EPOCH_DAY").map_err(|_| no_field(name))?;
        return Ok(Some(days + ahead));
    }
    let Some(week) = of_name(name) else { return Ok(None) };
    let date = of.date().ok_or_else(|| no_field("DAY_OF_WEEK"))?;
    Ok(Some(week.value(date)))
}

/// The values of a field of this file.
pub(super) fn bounds(name: &str) -> Option<[i64; 4]> {
    let (least, most, _) = super::change::range_of("EPOCH_DAY")?;
    let days = julian(name).map(|ahead| [least + ahead, least + ahead, most + ahead, most + ahead]);
    days.or_else(|| of_name(name).map(WeekField::bounds))
}

/// The same time with a field of this file set; none for other fields.
pub(super) fn with(of: &Temporal, name: &str, wanted: i64) -> Result<Option<Temporal>, Failed> {
    let Some(bounds) = bounds(name) else { return Ok(None) };
    if !(bounds[0]..=bounds[3]).contains(&wanted) {
        let pair = |low: i64, high: i64| if low == high { low.to_string() } else { format!("{low}/{high}") };
        let (least, most) = (pair(bounds[0], bounds[1]), pair(bounds[2], bounds[3]));
        let shown = super::change::pretty(name);
        let what = format!("Invalid value for {shown} (valid values {least} - {most}): {wanted}");
        return Err(throw("DateTimeException", what));
    }
    let now = field(of, name)?;
    let changed = match of_name(name) {
        None => plus(of, wanted - now, "DAYS")?,
        Some(_) if wanted == now => of.clone(),
        Some(week) => match (week.units().0, of.date()) {
            (None, Some(date)) => week.date(wanted, week.week_of_year(date).0, week.day(date))?,
            (unit, _) => plus(of, wanted - now, unit.unwrap_or("WEEKS"))?,
        },
    };
    Ok(Some(changed))
}

fn definition(vm: &mut Vm, first: usize, enough: i32) -> Outcome {
    let Ok(days) = usize::try_from(enough) else { return Err(illegal("Minimal number of days is invalid")) };
    if !(1..=7).contains(&days) {
        return Err(illegal("Minimal number of days is invalid"));
    }
    let at = first * 7 + days - 1;
    let class = registry().find("WeekFields").expect("the row is below");
    vm.alloc(Data::Constant(class, names().definitions[at].as_str(), at as i32))
}

fn defined(value: &Value) -> Result<usize, Failed> {
    let name = name(value)?;
    let at = names().definitions.iter().position(|known| known == name);
    at.ok_or_else(|| super::super::args::unexpected(value))
}

fn week_field(vm: &mut Vm, of: &Value, kind: usize) -> Outcome {
    let at = kind * DEFINITIONS + defined(of)?;
    iso(vm, "TemporalField", names().fields[at].as_str(), at as i32)
}

/// Where weeks begin on Sunday, on Saturday, and on Friday; everywhere else it is Monday.
const SUNDAY: &str = "AG AS AU BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH \
                      PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW";
const SATURDAY: &str = "AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY";
/// Where four days are enough for a week; everywhere else it is one.
const FOUR_DAYS: &str = "AD AN AT AX BE BG CH CZ DE DK ES FI FJ FO FR GB GF GG GI GP GR HU IE IM IS IT JE LI LT LU MC MQ NL NO PL RE RU SE \
                         SJ SK SM VA";

/// With which day weeks begin in the country of a locale, from Monday, and how many days the first one has at least.
pub fn week_of_locale(locale: &str) -> (usize, i32) {
    of_country(locale.split('_').nth(1).unwrap_or_default())
}

/// On which day weeks begin in a country, and how many days are enough for one.
fn of_country(country: &str) -> (usize, i32) {
    let listed = |list: &str| list.split(' ').any(|known| known == country);
    let first = match country {
        "MV" => 4,
        _ if listed(SATURDAY) => 5,
        "" => 6,
        _ if listed(SUNDAY) => 6,
        _ => 0,
    };
    (first, if listed(FOUR_DAYS) { 4 } else { 1 })
}

const WEEK_FIELDS: &[Row] = &[
    Row("static WeekFields ISO", |vm, _| definition(vm, 0, 4)),
    Row("static WeekFields SUNDAY_START", |vm, _| definition(vm, 6, 1)),
    Row("static TemporalUnit WEEK_BASED_YEARS", |vm, _| iso(vm, "TemporalUnit", "WEEK_BASED_YEARS", 0)),
    Row("static WeekFields of(DayOfWeek,int)", |vm, a| definition(vm, position(&a[0], &DAYS)?, int(&a[1])?)),
    Row("static WeekFields of(Locale)", |vm, a| {
        let locale = super::super::plain(&a[0]);
        let (first, enough) = week_of_locale(&locale);
        definition(vm, first, enough)
    }),
    Row("DayOfWeek getFirstDayOfWeek()", |vm, a| constant(vm, "DayOfWeek", &DAYS, defined(&a[0])? / 7)),
    Row("int getMinimalDaysInFirstWeek()", |_, a| Ok(Value::Int(defined(&a[0])? as i32 % 7 + 1))),
    Row("TemporalField dayOfWeek()", |vm, a| week_field(vm, &a[0], 0)),
    Row("TemporalField weekOfMonth()", |vm, a| week_field(vm, &a[0], 1)),
    Row("TemporalField weekOfYear()", |vm, a| week_field(vm, &a[0], 2)),
    Row("TemporalField weekOfWeekBasedYear()", |vm, a| week_field(vm, &a[0], 3)),
    Row("TemporalField weekBasedYear()", |vm, a| week_field(vm, &a[0], 4)),
];

const JULIAN_FIELDS: &[Row] = &[
    Row("static TemporalField JULIAN_DAY", |vm, _| iso(vm, "TemporalField", "JULIAN_DAY", 0)),
    Row("static TemporalField MODIFIED_JULIAN_DAY", |vm, _| iso(vm, "TemporalField", "MODIFIED_JULIAN_DAY", 1)),
    Row("static TemporalField RATA_DIE", |vm, _| iso(vm, "TemporalField", "RATA_DIE", 2)),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.time.temporal.WeekFields", &[], WEEK_FIELDS),
    ClassRow::new("java.time.temporal.JulianFields", &[], JULIAN_FIELDS),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_at_the_ends_of_years() {
        let at =
            |name: &str, year: i16, month: i8, day: i8| of_name(name).unwrap().value(Date::constant(year, month, day));
        let (iso, sunday) = ("[WeekFields[MONDAY,4]]", "[WeekFields[SUNDAY,1]]");
        for (kind, of, date, expected) in [
            ("WeekOfWeekBasedYear", iso, (2021, 1, 3), 53),
            ("WeekBasedYear", iso, (2021, 1, 3), 2020),
            ("WeekOfYear", iso, (2021, 1, 3), 0),
            ("WeekBasedYear", iso, (2019, 12, 30), 2020),
            ("WeekOfWeekBasedYear", sunday, (2019, 12, 29), 1),
            ("WeekOfYear", sunday, (2019, 12, 29), 53),
            ("WeekOfMonth", sunday, (2020, 2, 29), 5),
            ("DayOfWeek", sunday, (2020, 2, 29), 7),
        ] {
            assert_eq!(at(&format!("{kind}{of}"), date.0, date.1, date.2), expected, "{kind} {date:?}");
        }
        assert_eq!(of_name("WEEK_OF_YEAR"), None);
    }
}
