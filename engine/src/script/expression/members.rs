//! Functions of formulas, and what they know of fields.

use jiff::Zoned;

/// A function over numbers.
pub struct Function {
    pub name: &'static str,
    pub arity: usize,
    pub run: fn(&[f64]) -> f64,
}

const fn of(name: &'static str, arity: usize, run: fn(&[f64]) -> f64) -> Function {
    Function { name, arity, run }
}

/// One row per function.
pub const FUNCTIONS: &[Function] = &[
    of("abs", 1, |a| a[0].abs()),
    of("acos", 1, |a| a[0].acos()),
    of("acosh", 1, |a| a[0].acosh()),
    of("asin", 1, |a| a[0].asin()),
    of("asinh", 1, |a| a[0].asinh()),
    of("atan", 1, |a| a[0].atan()),
    of("atan2", 2, |a| a[0].atan2(a[1])),
    of("atanh", 1, |a| a[0].atanh()),
    of("ceil", 1, |a| a[0].ceil()),
    of("cos", 1, |a| a[0].cos()),
    of("cosh", 1, |a| a[0].cosh()),
    of("exp", 1, |a| a[0].exp()),
    of("floor", 1, |a| a[0].floor()),
    of("haversin", 4, haversin_km),
    of("ln", 1, |a| a[0].ln()),
    of("log10", 1, |a| a[0].log10()),
    of("logn", 2, |a| a[1].ln() / a[0].ln()),
    of("max", 2, |a| if a.iter().any(|v| v.is_nan()) { f64::NAN } else { a[0].max(a[1]) }),
    of("min", 2, |a| if a.iter().any(|v| v.is_nan()) { f64::NAN } else { a[0].min(a[1]) }),
    of("pow", 2, |a| a[0].powf(a[1])),
    of("sin", 1, |a| a[0].sin()),
    of("sinh", 1, |a| a[0].sinh()),
    of("sqrt", 1, |a| a[0].sqrt()),
    of("tan", 1, |a| a[0].tan()),
    of("tanh", 1, |a| a[0].tanh()),
];

/// Mean diameter of the earth.
const EARTH_DIAMETER_KM: f64 = 2.0 * 6_371.008_771_4;

fn haversin_km(a: &[f64]) -> f64 {
    let (lat1, lat2) = (a[0].to_radians(), a[2].to_radians());
    let (dlat, dlon) = (lat1 - lat2, (a[1] - a[3]).to_radians());
    let h = (1.0 - dlat.cos()) + lat1.cos() * lat2.cos() * (1.0 - dlon.cos());
    EARTH_DIAMETER_KM * (h * 0.5).sqrt().min(1.0).asin()
}

/// What is asked of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Member {
    Value,
    Empty,
    Count,
    Min,
    Max,
    Avg,
    Median,
    Sum,
    Lat,
    Lon,
    /// A part of a date.
    Date(DatePart),
}

/// A part of a date, by its function.
#[derive(Clone, Copy, Debug)]
pub struct DatePart(pub fn(&Zoned) -> i64);

impl PartialEq for DatePart {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

type NamedPart = (&'static str, fn(&Zoned) -> i64);

fn second_of_day(at: &Zoned) -> i64 {
    (i64::from(at.hour()) * 60 + i64::from(at.minute())) * 60 + i64::from(at.second())
}

/// Parts of dates as variables of `date`; as methods they have `get` before their names.
const DATE_PARTS: &[NamedPart] = &[
    ("centuryOfEra", |at| i64::from(at.year()) / 100),
    ("dayOfMonth", |at| at.day().into()),
    ("dayOfWeek", |at| at.weekday().to_monday_one_offset().into()),
    ("dayOfYear", |at| at.day_of_year().into()),
    ("era", |at| i64::from(at.year() > 0)),
    ("hourOfDay", |at| at.hour().into()),
    ("millisOfDay", |at| second_of_day(at) * 1000 + i64::from(at.millisecond())),
    ("millisOfSecond", |at| at.millisecond().into()),
    ("minuteOfDay", |at| second_of_day(at) / 60),
    ("minuteOfHour", |at| at.minute().into()),
    ("monthOfYear", |at| at.month().into()),
    ("secondOfDay", second_of_day),
    ("secondOfMinute", |at| at.second().into()),
    ("weekOfWeekyear", |at| at.date().iso_week_date().week().into()),
    ("weekyear", |at| at.date().iso_week_date().year().into()),
    ("year", |at| at.year().into()),
    ("yearOfCentury", |at| i64::from(at.year()) % 100),
    ("yearOfEra", |at| i64::from(at.year()).abs()),
];

/// Methods that dates have themselves: months begin at 0 here.
const DATE_METHODS: &[NamedPart] = &[
    ("getYear", |at| at.year().into()),
    ("getMonth", |at| i64::from(at.month()) - 1),
    ("getDayOfMonth", |at| at.day().into()),
    ("getHourOfDay", |at| at.hour().into()),
    ("getMinutes", |at| at.minute().into()),
    ("getSeconds", |at| at.second().into()),
];

const VARIABLES: &[(&str, Member)] = &[
    ("value", Member::Value),
    ("empty", Member::Empty),
    ("length", Member::Count),
    ("lat", Member::Lat),
    ("lon", Member::Lon),
];

const METHODS: &[(&str, Member)] = &[
    ("getValue", Member::Value),
    ("isEmpty", Member::Empty),
    ("size", Member::Count),
    ("count", Member::Count),
    ("min", Member::Min),
    ("max", Member::Max),
    ("avg", Member::Avg),
    ("median", Member::Median),
    ("sum", Member::Sum),
    ("getLat", Member::Lat),
    ("getLon", Member::Lon),
];

fn known(table: &[(&str, Member)], name: &str) -> Option<Member> {
    table.iter().find(|(known, _)| *known == name).map(|(_, member)| *member)
}

fn part(table: &[NamedPart], name: &str) -> Option<Member> {
    table.iter().find(|(known, _)| *known == name).map(|(_, part)| Member::Date(DatePart(*part)))
}

/// What a variable or a method of a field is.
pub fn of_field(name: &str, called: bool) -> Option<Member> {
    if called { known(METHODS, name).or_else(|| part(DATE_METHODS, name)) } else { known(VARIABLES, name) }
}

/// What a variable or a method of the `date` of a field is.
pub fn of_date(name: &str, called: bool) -> Option<Member> {
    if !called {
        return part(DATE_PARTS, name);
    }
    let (first, rest) = name.strip_prefix("get")?.split_at_checked(1)?;
    part(DATE_PARTS, &(first.to_ascii_lowercase() + rest))
}
