//! `Date`, `SimpleDateFormat` and `TimeZone`: dates as they were before `java.time`.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, illegal, throw};
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::{boolean, long, ok_bool, text, unexpected};
use super::calendar::days::civil;
use super::time::{DAYS, MONTHS, Temporal, zone};
use jiff::civil::Date as Day;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use std::cell::{Cell, RefCell};
use std::fmt::Write;

const MS_PER_DAY: i64 = 86_400_000;
/// Longest pattern, and most digits that a field is filled up to.
const LENGTH_MAX: usize = 1_000;
const WIDTH_MAX: usize = 40;
/// The last year of this century that two digits stand for: they lie within 80 years before and 20 years after the present.
const SHORT_YEAR_MAX: i64 = 46;

/// A format of dates.
#[derive(Clone, Debug)]
pub struct DateFormat {
    pattern: String,
    parts: Vec<Part>,
    zone: TimeZone,
    lenient: bool,
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    /// A letter, and how often it stands there.
    Field(char, usize),
}

/// Letters that stand for fields.
const FIELDS: &str = "GyYMLwWDdFEuaHkKhmsSzZX";

impl DateFormat {
    fn new(pattern: &str) -> Result<Self, Failed> {
        if pattern.len() > LENGTH_MAX {
            return Err(illegal("the pattern of a date format is too long"));
        }
        let (mut parts, mut quoted) = (vec![], false);
        let mut chars = pattern.chars().peekable();
        let push = |parts: &mut Vec<Part>, c: char| match parts.last_mut() {
            Some(Part::Text(text)) => text.push(c),
            _ => parts.push(Part::Text(c.into())),
        };
        while let Some(c) = chars.next() {
            match c {
                '\'' if chars.peek() == Some(&'\'') => {
                    chars.next();
                    push(&mut parts, c);
                }
                '\'' => quoted = !quoted,
                c if quoted || !c.is_ascii_alphabetic() => push(&mut parts, c),
                c if !FIELDS.contains(c) => return Err(illegal(format!("Illegal pattern character '{c}'"))),
                c => {
                    let mut count = 1;
                    while chars.next_if_eq(&c).is_some() {
                        count += 1;
                    }
                    parts.push(Part::Field(c, count));
                }
            }
        }
        if quoted {
            return Err(illegal("Unterminated quote"));
        }
        Ok(Self { pattern: pattern.to_owned(), parts, zone: TimeZone::UTC, lenient: true })
    }

    fn format(&self, ms: i64) -> Result<String, Failed> {
        let at = zoned(ms, &self.zone)?;
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Field(letter, count) => write_field(&mut out, &at, *letter, (*count).min(WIDTH_MAX)),
            }
        }
        Ok(out)
    }

    /// Reads a date at the begin of a text, in milliseconds.
    fn parse(&self, given: &str) -> Result<i64, Failed> {
        self.read(given).ok_or_else(|| throw("ParseException", format!("Unparseable date: \"{given}\"")))
    }

    fn read(&self, given: &str) -> Option<i64> {
        let (mut rest, mut read) = (given, Read::default());
        for (i, part) in self.parts.iter().enumerate() {
            let (letter, count) = match part {
                Part::Text(text) => {
                    rest = rest.strip_prefix(text.as_str())?;
                    continue;
                }
                Part::Field(letter, count) => (*letter, *count),
            };
            // Fields that follow without anything between them share the digits by their widths.
            let bound = matches!(self.parts.get(i + 1), Some(Part::Field(next, _)) if !"GEaXzZ".contains(*next));
            let width = if bound { count } else { 18 };
            match letter {
                'M' | 'L' if count >= 3 => read.month = name(&mut rest, &MONTHS)? + 1,
                'E' => drop(name(&mut rest, &DAYS)?),
                'a' => {
                    let is_pm = rest.get(..2)?.eq_ignore_ascii_case("pm");
                    if !is_pm && !rest.get(..2)?.eq_ignore_ascii_case("am") {
                        return None;
                    }
                    read.afternoon = Some(is_pm);
                    rest = &rest[2..];
                }
                'G' => rest = rest.strip_prefix("AD").or_else(|| rest.strip_prefix("BC"))?,
                'z' | 'Z' | 'X' => read.offset = Some(read_zone(&mut rest)?),
                _ => {
                    let (value, digits) = number(&mut rest, width)?;
                    read.set(letter, value, count <= 2 && digits == 2);
                }
            }
        }
        read.ms(self)
    }
}

/// What was read of a date.
struct Read {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    ms: i64,
    afternoon: Option<bool>,
    /// Seconds from UTC.
    offset: Option<i64>,
    day_of_year: Option<i64>,
}

impl Default for Read {
    fn default() -> Self {
        Self {
            year: 1970,
            month: 1,
            day: 1,
            hour: 0,
            minute: 0,
            second: 0,
            ms: 0,
            afternoon: None,
            offset: None,
            day_of_year: None,
        }
    }
}

impl Read {
    /// A field that is a number. Short years lie around the present.
    fn set(&mut self, letter: char, value: i64, is_short: bool) {
        match letter {
            'y' | 'Y' if is_short => self.year = if value > SHORT_YEAR_MAX { 1900 + value } else { 2000 + value },
            'y' | 'Y' => self.year = value,
            'M' | 'L' => self.month = value,
            'd' => self.day = value,
            'D' => self.day_of_year = Some(value),
            'H' | 'K' => self.hour = value,
            'k' => self.hour = value % 24,
            'h' => self.hour = value % 12,
            'm' => self.minute = value,
            's' => self.second = value,
            'S' => self.ms = value,
            _ => {}
        }
    }

    /// Its milliseconds. Where the format is lenient, what is too large counts on in the next field.
    fn ms(mut self, format: &DateFormat) -> Option<i64> {
        if let (Some(true), 0..12) = (self.afternoon, self.hour) {
            self.hour += 12;
        }
        let in_range = (1..=12).contains(&self.month)
            && (0..24).contains(&self.hour)
            && (0..60).contains(&self.minute)
            && (0..60).contains(&self.second)
            && (0..1000).contains(&self.ms);
        if !format.lenient && !in_range {
            return None;
        }
        if let Some(of_year) = self.day_of_year {
            (self.month, self.day) = (1, of_year);
        }
        let year = self.year.checked_add((self.month - 1).div_euclid(12))?;
        let month = (self.month - 1).rem_euclid(12) + 1;
        let first = Day::new(i16::try_from(year).ok()?, month as i8, 1).ok()?;
        let is_day = self.day_of_year.is_some() || (1..=i64::from(first.days_in_month())).contains(&self.day);
        if !format.lenient && !is_day {
            return None;
        }
        let days = i64::from(Day::constant(1970, 1, 1).until(first).ok()?.get_days()).checked_add(self.day - 1)?;
        let seconds =
            self.hour.checked_mul(3600)?.checked_add(self.minute.checked_mul(60)?)?.checked_add(self.second)?;
        let local = days.checked_mul(MS_PER_DAY)?.checked_add(seconds.checked_mul(1000)?)?.checked_add(self.ms)?;
        match self.offset {
            Some(offset) => local.checked_sub(offset * 1000),
            None => {
                let at = Timestamp::from_millisecond(local).ok()?.to_zoned(TimeZone::UTC).datetime();
                Some(at.to_zoned(format.zone.clone()).ok()?.timestamp().as_millisecond())
            }
        }
    }
}

/// Digits at the begin of a text, and how many there were.
fn number(rest: &mut &str, width: usize) -> Option<(i64, usize)> {
    let trimmed = rest.trim_start_matches(' ');
    let digits = trimmed.bytes().take(width).take_while(u8::is_ascii_digit).count();
    let value = trimmed[..digits].parse().ok()?;
    *rest = &trimmed[digits..];
    Some((value, digits))
}

/// The place of a name, in full or by its first three letters.
fn name(rest: &mut &str, names: &[&str]) -> Option<i64> {
    let starts = |name: &str| rest.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name));
    let found = names.iter().position(|name| starts(name)).map(|at| (at, names[at].len()));
    let (at, length) = found.or_else(|| names.iter().position(|name| starts(&name[..3])).map(|at| (at, 3)))?;
    *rest = &rest[length..];
    Some(at as i64)
}

/// Seconds from UTC.
fn read_zone(rest: &mut &str) -> Option<i64> {
    if let Some(after) = rest.strip_prefix('Z') {
        *rest = after;
        return Some(0);
    }
    if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let end = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '/' && c != '_').unwrap_or(rest.len());
        let known = &rest[..end];
        *rest = &rest[end..];
        if !(matches!(known, "GMT" | "UTC") && rest.starts_with(['+', '-'])) {
            let zone = zone(known).ok()?;
            return Some(i64::from(zone.to_offset(Timestamp::UNIX_EPOCH).seconds()));
        }
    }
    let sign = match rest.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = rest[1..].chars().take(5).take_while(|c| c.is_ascii_digit() || *c == ':').collect();
    *rest = &rest[1 + digits.len()..];
    let digits = digits.replace(':', "");
    let (hours, minutes) = match digits.len() {
        2 => (digits.parse::<i64>().ok()?, 0),
        4 => (digits[..2].parse::<i64>().ok()?, digits[2..].parse::<i64>().ok()?),
        _ => return None,
    };
    Some(sign * (hours * 3600 + minutes * 60))
}

fn zoned(ms: i64, zone: &TimeZone) -> Result<Zoned, Failed> {
    let at = Timestamp::from_millisecond(ms).map_err(|error| illegal(error.to_string()))?;
    Ok(at.to_zoned(zone.clone()))
}

fn title(name: &str) -> String {
    name[..1].to_owned() + &name[1..].to_lowercase()
}

fn write_field(out: &mut String, at: &Zoned, letter: char, count: usize) {
    let weekday = usize::try_from(at.weekday().to_monday_zero_offset()).unwrap_or(0);
    let named = |name: &str| if count >= 4 { title(name) } else { title(name)[..3].to_owned() };
    // Weeks begin on Sunday, and the first is that of the first of January.
    let sunday = i64::from(at.weekday().to_sunday_zero_offset());
    let week = |day: i64| (day - 1 + (sunday - day + 1).rem_euclid(7)) / 7 + 1;
    let year = i64::from(at.year());
    let value = match letter {
        'y' if count == 2 => year.rem_euclid(100),
        'y' => year,
        'Y' | 'w' => {
            let left = i64::from(at.days_in_year()) - i64::from(at.day_of_year());
            let is_next = left < 6 - sunday;
            match letter {
                'Y' if count == 2 => (year + i64::from(is_next)).rem_euclid(100),
                'Y' => year + i64::from(is_next),
                _ if is_next => 1,
                _ => week(i64::from(at.day_of_year())),
            }
        }
        'W' => week(i64::from(at.day())),
        'M' | 'L' if count < 3 => i64::from(at.month()),
        'D' => i64::from(at.day_of_year()),
        'd' => i64::from(at.day()),
        'F' => (i64::from(at.day()) - 1) / 7 + 1,
        'u' => weekday as i64 + 1,
        'H' => i64::from(at.hour()),
        'k' => (i64::from(at.hour()) + 23) % 24 + 1,
        'K' => i64::from(at.hour()) % 12,
        'h' => (i64::from(at.hour()) + 11) % 12 + 1,
        'm' => i64::from(at.minute()),
        's' => i64::from(at.second()),
        'S' => i64::from(at.millisecond()),
        letter => {
            let offset = i64::from(at.offset().seconds());
            let (sign, hours, minutes) =
                (if offset < 0 { '-' } else { '+' }, offset.abs() / 3600, offset.abs() / 60 % 60);
            let shown = match letter {
                'G' => "AD".to_owned(),
                'M' | 'L' => named(MONTHS[at.month() as usize - 1]),
                'E' => named(DAYS[weekday]),
                'a' => if at.hour() < 12 { "AM" } else { "PM" }.to_owned(),
                'Z' => format!("{sign}{hours:02}{minutes:02}"),
                'X' if offset == 0 => "Z".to_owned(),
                'X' if count == 1 => format!("{sign}{hours:02}"),
                'X' if count == 2 => format!("{sign}{hours:02}{minutes:02}"),
                'X' => format!("{sign}{hours:02}:{minutes:02}"),
                _ => zone_name(at, count),
            };
            return out.push_str(&shown);
        }
    };
    let _ = write!(out, "{value:0count$}");
}

/// What a zone is called at a moment.
fn zone_name(at: &Zoned, count: usize) -> String {
    match at.time_zone().iana_name() {
        Some("UTC") | None if count >= 4 => "Coordinated Universal Time".to_owned(),
        Some("UTC") | None => "UTC".to_owned(),
        _ => at.time_zone().to_offset_info(at.timestamp()).abbreviation().to_owned(),
    }
}

pub(super) fn date(value: &Value) -> Result<&Cell<i64>, Failed> {
    match value.data() {
        Some(Data::Date(ms)) => Ok(ms),
        _ => Err(unexpected(value)),
    }
}

/// What `Date` makes of itself. Before the 15th of October 1582 its calendar is the Julian one, whose years are counted from both
/// sides of the first.
pub fn date_text(ms: i64) -> String {
    let (days, seconds) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000) / 1_000);
    let (year, month, day) = civil(days);
    let year = if year > 0 { year } else { 1 - year };
    let (name, month) = (&DAYS[(days + 3).rem_euclid(7) as usize], &MONTHS[month as usize - 1]);
    let capitalised = |name: &str| name[..1].to_owned() + &name[1..3].to_ascii_lowercase();
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let (name, month) = (capitalised(name), capitalised(month));
    format!("{name} {month} {day:02} {hour:02}:{minute:02}:{second:02} UTC {year}")
}

pub(super) fn new_date(vm: &mut Vm, ms: i64) -> Outcome {
    vm.alloc(Data::Date(ms.into()))
}

const DATE: &[Row] = &[
    Row("new()", |vm, _| {
        let now = vm.now_ms;
        new_date(vm, now)
    }),
    Row("new(long)", |vm, a| new_date(vm, long(&a[0])?)),
    Row("static Date from(Instant)", |vm, a| match a[0].data() {
        Some(Data::Temporal(Temporal::Instant(at))) => new_date(vm, at.as_millisecond()),
        _ => Err(unexpected(&a[0])),
    }),
    Row("long getTime()", |_, a| Ok(Value::Long(date(&a[0])?.get()))),
    Row("void setTime(long)", |_, a| {
        date(&a[0])?.set(long(&a[1])?);
        Ok(Value::Null)
    }),
    Row("boolean after(Date)", |_, a| ok_bool(date(&a[0])?.get() > date(&a[1])?.get())),
    Row("boolean before(Date)", |_, a| ok_bool(date(&a[0])?.get() < date(&a[1])?.get())),
    Row("int compareTo(Date)", |_, a| Ok(Value::Int(date(&a[0])?.get().cmp(&date(&a[1])?.get()) as i32))),
    Row("def clone()", |vm, a| new_date(vm, date(&a[0])?.get())),
];

fn of(value: &Value) -> Result<&RefCell<DateFormat>, Failed> {
    match value.data() {
        Some(Data::DateFormat(format)) => Ok(format),
        _ => Err(unexpected(value)),
    }
}

fn new_format(vm: &mut Vm, pattern: &str) -> Outcome {
    vm.work(pattern.len())?;
    vm.grow(pattern.len() * 8 + 128)?;
    let format = DateFormat::new(pattern)?;
    vm.alloc(Data::DateFormat(Box::new(format.into())))
}

/// Milliseconds of a date, or of a number that stands for one.
fn moment(value: &Value) -> Result<i64, Failed> {
    match value.data() {
        Some(Data::Date(ms)) => Ok(ms.get()),
        None if !value.is_null() && long(value).is_ok() => long(value),
        _ => Err(illegal("Cannot format given Object as a Date")),
    }
}

const FORMAT: &[Row] = &[
    Row("String format(Object)", |vm, a| {
        vm.work(50)?;
        let shown = of(&a[0])?.borrow().format(moment(&a[1])?)?;
        vm.string(shown)
    }),
    Row("Date parse(String)", |vm, a| {
        vm.work(50)?;
        let ms = of(&a[0])?.borrow().parse(&text(&a[1])?)?;
        new_date(vm, ms)
    }),
    Row("Object parseObject(String)", |vm, a| {
        let ms = of(&a[0])?.borrow().parse(&text(&a[1])?)?;
        new_date(vm, ms)
    }),
    Row("boolean isLenient()", |_, a| ok_bool(of(&a[0])?.borrow().lenient)),
    Row("void setLenient(boolean)", |_, a| {
        of(&a[0])?.borrow_mut().lenient = boolean(&a[1])?;
        Ok(Value::Null)
    }),
    Row("TimeZone getTimeZone()", |vm, a| {
        let zone = of(&a[0])?.borrow().zone.clone();
        vm.alloc(Data::TimeZone(zone))
    }),
    Row("void setTimeZone(TimeZone)", |_, a| {
        of(&a[0])?.borrow_mut().zone = time_zone(&a[1])?.clone();
        Ok(Value::Null)
    }),
    Row("def clone()", |vm, a| {
        let copy = of(&a[0])?.borrow().clone();
        vm.grow(256)?;
        vm.alloc(Data::DateFormat(Box::new(copy.into())))
    }),
];

const SIMPLE_FORMAT: &[Row] = &[
    Row("new()", |vm, _| new_format(vm, "M/d/yy, h:mm\u{202f}a")),
    Row("new(String)", |vm, a| new_format(vm, &text(&a[0])?)),
    Row("new(String,Locale)", |vm, a| new_format(vm, &text(&a[0])?)),
    Row("String toPattern()", |vm, a| vm.string(of(&a[0])?.borrow().pattern.clone())),
    Row("void applyPattern(String)", |_, a| {
        let mut format = of(&a[0])?.borrow_mut();
        let (zone, lenient) = (format.zone.clone(), format.lenient);
        *format = DateFormat { zone, lenient, ..DateFormat::new(&text(&a[1])?)? };
        Ok(Value::Null)
    }),
];

pub(super) fn time_zone(value: &Value) -> Result<&TimeZone, Failed> {
    match value.data() {
        Some(Data::TimeZone(zone)) => Ok(zone),
        _ => Err(unexpected(value)),
    }
}

pub(super) fn zone_id(zone: &TimeZone) -> String {
    match zone.iana_name() {
        Some("UTC") | None => match zone.to_fixed_offset() {
            Ok(offset) if offset.seconds() != 0 => {
                let (sign, s) = (if offset.seconds() < 0 { '-' } else { '+' }, offset.seconds().abs());
                format!("GMT{sign}{:02}:{:02}", s / 3600, s / 60 % 60)
            }
            _ => "UTC".to_owned(),
        },
        Some(name) => name.to_owned(),
    }
}

/// A January and a July that no zone has rules of its own for: what zones are at as a rule, half a year each.
const HALVES: [i64; 2] = [1_894_665_600, 1_910_304_000];

/// The least offset of a zone in a year as all others, and how far the clock goes forward; in seconds.
pub(super) fn year_of_zone(zone: &TimeZone) -> (i32, i32) {
    let [a, b] = HALVES.map(|at| Timestamp::from_second(at).map_or(0, |at| zone.to_offset(at).seconds()));
    (a.min(b), a.abs_diff(b) as i32)
}

const TIME_ZONE: &[Row] = &[
    Row("static TimeZone getTimeZone(String)", |vm, a| {
        // Names that are not known stand for UTC.
        let zone = zone(&text(&a[0])?).unwrap_or(TimeZone::UTC);
        vm.alloc(Data::TimeZone(zone))
    }),
    Row("static TimeZone getDefault()", |vm, _| vm.alloc(Data::TimeZone(TimeZone::UTC))),
    Row("String getID()", |vm, a| vm.string(zone_id(time_zone(&a[0])?))),
    Row("int getOffset(long)", |_, a| {
        let at = Timestamp::from_millisecond(long(&a[1])?).map_err(|error| illegal(error.to_string()))?;
        Ok(Value::Int(time_zone(&a[0])?.to_offset(at).seconds() * 1000))
    }),
    Row("static int SHORT", |_, _| Ok(Value::Int(0))),
    Row("static int LONG", |_, _| Ok(Value::Int(1))),
    Row("int getRawOffset()", |_, a| Ok(Value::Int(year_of_zone(time_zone(&a[0])?).0 * 1000))),
    Row("int getDSTSavings()", |_, a| Ok(Value::Int(year_of_zone(time_zone(&a[0])?).1 * 1000))),
    Row("boolean useDaylightTime()", |_, a| ok_bool(year_of_zone(time_zone(&a[0])?).1 != 0)),
    Row("boolean inDaylightTime(Date)", |_, a| {
        let at = Timestamp::from_millisecond(date(&a[1])?.get()).map_err(|error| illegal(error.to_string()))?;
        ok_bool(time_zone(&a[0])?.to_offset_info(at).dst().is_dst())
    }),
    Row("ZoneId toZoneId()", |vm, a| vm.alloc(Data::Temporal(Temporal::Zone(time_zone(&a[0])?.clone())))),
    Row("def clone()", |_, a| Ok(a[0].clone())),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.Date", &["Comparable"], DATE),
    ClassRow::new("java.util.TimeZone", &[], TIME_ZONE),
    ClassRow::new("java.text.DateFormat", &["Format"], FORMAT),
    ClassRow::new("java.text.SimpleDateFormat", &["DateFormat"], SIMPLE_FORMAT),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_by_patterns() {
        let shown = |pattern: &str| DateFormat::new(pattern).unwrap().format(1_614_834_367_123).unwrap();
        let expected = "2021-03-04 05:06:07.123 UTC +0000 Z Thu Mar AM";
        assert_eq!(shown("yyyy-MM-dd HH:mm:ss.SSS zzz Z X EEE MMM a"), expected);
        let expected = "2021-10-4 1 1 63 5 5 5 Thursday March 21 AD Z 'x";
        assert_eq!(shown("YYYY-ww-u F W D k K h EEEE MMMM yy G XXX '''x'"), expected);
        assert_eq!(date_text(1_614_834_367_123), "Thu Mar 04 05:06:07 UTC 2021");
        assert!(DateFormat::new("bogus").is_err());
    }

    #[test]
    fn dates_are_read_back() {
        let read = |pattern: &str, text: &str| DateFormat::new(pattern).unwrap().read(text);
        assert_eq!(read("yyyy-MM-dd", "2021-13-45"), Some(1_644_796_800_000));
        assert_eq!(read("yyyyMMddHHmmss", "20210304050607"), Some(1_614_834_367_000));
        assert_eq!(read("dd MMM yyyy h:mm a Z", "04 Mar 2021 5:06 PM +0100"), Some(1_614_873_960_000));
        assert_eq!(read("yyyy-MM-dd", "x"), None);
        assert_eq!(read("yy", "70"), Some(0));
    }
}
