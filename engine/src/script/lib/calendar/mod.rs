//! `Calendar` and `GregorianCalendar`: a moment by its fields, as it was before `java.time`. `days` counts days, `fields` says which
//! fields tell the moment. A locale tells with which day weeks begin, and nothing else.

pub mod days;
mod fields;

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, illegal, throw};
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::{boolean, int, long, ok_bool, unexpected};
use super::date_format::{date, new_date, time_zone};
use super::number_format::locale;
use super::time::{DAYS, MONTHS, Temporal, week_of_locale, zone};
pub use fields::Calendar;
use fields::*;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::cell::RefCell;

impl Calendar {
    /// Adds to a field: larger ones follow, smaller ones stay if they can.
    fn add(&mut self, field: usize, amount: i32) -> Result<(), Failed> {
        if amount == 0 {
            return Ok(());
        }
        self.complete()?;
        let amount = i64::from(amount);
        match field {
            YEAR => self.move_months(12 * amount),
            MONTH => self.move_months(amount),
            ERA => {
                let era = (i64::from(self.value(ERA)) + amount).clamp(0, 1) as i32;
                self.set(ERA, era);
                self.pin_day()
            }
            HOUR | HOUR_OF_DAY => self.move_ms(amount * 3_600_000),
            MINUTE => self.move_ms(amount * 60_000),
            SECOND => self.move_ms(amount * 1_000),
            MILLISECOND => self.move_ms(amount),
            AM_PM => self.move_days(amount / 2, 12 * 3_600_000 * (amount % 2)),
            WEEK_OF_YEAR | WEEK_OF_MONTH | DAY_OF_WEEK_IN_MONTH => self.move_days(7 * amount, 0),
            DAY_OF_MONTH | DAY_OF_YEAR | DAY_OF_WEEK => self.move_days(amount, 0),
            // Zones are not moved.
            _ => Err(illegal("")),
        }
    }

    fn move_ms(&mut self, by: i64) -> Result<(), Failed> {
        let ms = self.ms()?.wrapping_add(by);
        self.set_ms(ms);
        Ok(())
    }

    /// The same time of another day, whatever the clocks do between them.
    fn move_days(&mut self, by: i64, ms_of_day: i64) -> Result<(), Failed> {
        let of_day = self.ms_of_day() + ms_of_day;
        let day = self.day() + by + of_day.div_euclid(MS_PER_DAY);
        let (local, before) = (day * MS_PER_DAY + of_day.rem_euclid(MS_PER_DAY), self.offset());
        self.set_ms(local - before);
        let shifted = before - self.offset();
        if shifted != 0 {
            let ms = self.ms()?;
            self.set_ms(ms + shifted);
            if self.day() != day {
                self.set_ms(ms);
            }
        }
        Ok(())
    }

    fn move_months(&mut self, by: i64) -> Result<(), Failed> {
        let months = self.full_year() * 12 + i64::from(self.value(MONTH)) + by;
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12));
        let (era, shown) = if year > 0 { (1, year) } else { (0, 1 - year) };
        if era != self.value(ERA) {
            self.set(ERA, era);
        }
        self.set(YEAR, shown as i32);
        self.set(MONTH, month as i32);
        self.pin_day()
    }

    /// Leaves the day of the month where it is, or at the end of a month that is shorter.
    fn pin_day(&mut self) -> Result<(), Failed> {
        let last = self.actual_maximum(DAY_OF_MONTH);
        if self.value(DAY_OF_MONTH) > last {
            self.set(DAY_OF_MONTH, last);
        }
        Ok(())
    }

    /// What Java makes of it as a text, with the fields that are known.
    fn text(&self) -> String {
        let id = super::date_format::zone_id(&self.zone);
        let mut copy = self.clone();
        let time = if self.is_timed() { copy.ms().map_or("?".to_owned(), |ms| ms.to_string()) } else { "?".to_owned() };
        let (known, all_known) = self.known();
        let raw = super::date_format::year_of_zone(&self.zone).0 * 1_000;
        let mut shown = format!(
            "java.util.GregorianCalendar[time={time},areFieldsSet={known},areAllFieldsSet={all_known},lenient={},zone=sun.util.calendar.ZoneInfo[id=\"{id}\",offset={raw},dstSavings=0,useDaylight=false,transitions=0,lastRule=null],firstDayOfWeek={},minimalDaysInFirstWeek={}",
            self.lenient, self.first_day, self.min_days,
        );
        for (field, name) in NAMES.iter().enumerate() {
            let value = if self.is_set(field) { self.value(field).to_string() } else { "?".to_owned() };
            shown += &format!(",{name}={value}");
        }
        shown + "]"
    }
}

/// As `toString` has it.
pub fn calendar_text(calendar: &Calendar) -> String {
    calendar.text()
}

fn of(value: &Value) -> Result<std::cell::RefMut<'_, Calendar>, Failed> {
    match value.data() {
        Some(Data::Calendar(calendar)) => Ok(calendar.borrow_mut()),
        _ => Err(unexpected(value)),
    }
}

fn field(value: &Value) -> Result<usize, Failed> {
    let at = int(value)?;
    let field = usize::try_from(at).ok().filter(|at| *at < NAMES.len());
    let outside = || format!("Index {at} out of bounds for length {}", NAMES.len());
    field.ok_or_else(|| throw("ArrayIndexOutOfBoundsException", outside()))
}

fn made(vm: &mut Vm, calendar: Calendar) -> Outcome {
    vm.grow(512)?;
    vm.alloc(Data::Calendar(Box::new(RefCell::new(calendar))))
}

/// The present, where weeks begin as in the country of a locale.
fn now(vm: &mut Vm, zone: TimeZone, of: Option<&str>) -> Outcome {
    let (first, enough) = of.map_or((6, 1), week_of_locale);
    let ms = vm.now_ms;
    made(vm, Calendar::new(zone, (first as i32 + 1) % 7 + 1, enough, ms))
}

/// The zone that Java runs in.
fn local_zone() -> TimeZone {
    zone("Etc/UTC").unwrap_or(TimeZone::UTC)
}

/// A time of the zone that Java runs in.
fn at_time(vm: &mut Vm, fields: &[Value]) -> Outcome {
    let mut calendar = Calendar::new(local_zone(), 1, 1, 0);
    clear(&mut calendar);
    calendar.note_hours(fields.get(3).map_or(Ok(0), int)?);
    set_all(&mut calendar, fields)?;
    for field in [HOUR_OF_DAY, MINUTE, SECOND].into_iter().skip(fields.len().saturating_sub(3)) {
        calendar.set(field, 0);
    }
    made(vm, calendar)
}

fn clear(calendar: &mut Calendar) {
    (0..NAMES.len()).for_each(|field| calendar.clear(field));
}

/// Year, month, day, and perhaps hours, minutes and seconds.
fn set_all(calendar: &mut Calendar, values: &[Value]) -> Result<(), Failed> {
    for (field, value) in [YEAR, MONTH, DAY_OF_MONTH, HOUR_OF_DAY, MINUTE, SECOND].into_iter().zip(values) {
        calendar.set(field, int(value)?);
    }
    Ok(())
}

fn set(calendar: &Value, values: &[Value]) -> Outcome {
    set_all(&mut *of(calendar)?, values)?;
    Ok(Value::Null)
}

fn compare(a: &Value, b: &Value) -> Result<std::cmp::Ordering, Failed> {
    let a = of(a)?.ms()?;
    Ok(a.cmp(&of(b)?.ms()?))
}

/// The name of a value of a field in English; none for fields that are numbers.
fn display_name(calendar: &mut Calendar, field: usize, style: i32) -> Result<Option<String>, Failed> {
    let value = calendar.get(field)? as usize;
    let name = match field {
        ERA if style & !0x8000 == 2 => return Ok(Some(["Before Christ", "Anno Domini"][value].to_owned())),
        ERA => return Ok(Some(["BC", "AD"][value].to_owned())),
        AM_PM => return Ok(Some(["AM", "PM"][value].to_owned())),
        MONTH => MONTHS[value],
        DAY_OF_WEEK => DAYS[(value + 5) % 7],
        _ => return Ok(None),
    };
    let title = name[..1].to_owned() + &name[1..].to_lowercase();
    Ok(Some(if style & !0x8000 == 2 { title } else { title[..3].to_owned() }))
}

const CALENDAR: &[Row] = &[
    Row("static int ERA", |_, _| Ok(Value::Int(ERA as i32))),
    Row("static int YEAR", |_, _| Ok(Value::Int(YEAR as i32))),
    Row("static int MONTH", |_, _| Ok(Value::Int(MONTH as i32))),
    Row("static int WEEK_OF_YEAR", |_, _| Ok(Value::Int(WEEK_OF_YEAR as i32))),
    Row("static int WEEK_OF_MONTH", |_, _| Ok(Value::Int(WEEK_OF_MONTH as i32))),
    Row("static int DATE", |_, _| Ok(Value::Int(DAY_OF_MONTH as i32))),
    Row("static int DAY_OF_MONTH", |_, _| Ok(Value::Int(DAY_OF_MONTH as i32))),
    Row("static int DAY_OF_YEAR", |_, _| Ok(Value::Int(DAY_OF_YEAR as i32))),
    Row("static int DAY_OF_WEEK", |_, _| Ok(Value::Int(DAY_OF_WEEK as i32))),
    Row("static int DAY_OF_WEEK_IN_MONTH", |_, _| Ok(Value::Int(DAY_OF_WEEK_IN_MONTH as i32))),
    Row("static int AM_PM", |_, _| Ok(Value::Int(AM_PM as i32))),
    Row("static int HOUR", |_, _| Ok(Value::Int(HOUR as i32))),
    Row("static int HOUR_OF_DAY", |_, _| Ok(Value::Int(HOUR_OF_DAY as i32))),
    Row("static int MINUTE", |_, _| Ok(Value::Int(MINUTE as i32))),
    Row("static int SECOND", |_, _| Ok(Value::Int(SECOND as i32))),
    Row("static int MILLISECOND", |_, _| Ok(Value::Int(MILLISECOND as i32))),
    Row("static int ZONE_OFFSET", |_, _| Ok(Value::Int(ZONE_OFFSET as i32))),
    Row("static int DST_OFFSET", |_, _| Ok(Value::Int(DST_OFFSET as i32))),
    Row("static int FIELD_COUNT", |_, _| Ok(Value::Int(17))),
    Row("static int SUNDAY", |_, _| Ok(Value::Int(1))),
    Row("static int MONDAY", |_, _| Ok(Value::Int(2))),
    Row("static int TUESDAY", |_, _| Ok(Value::Int(3))),
    Row("static int WEDNESDAY", |_, _| Ok(Value::Int(4))),
    Row("static int THURSDAY", |_, _| Ok(Value::Int(5))),
    Row("static int FRIDAY", |_, _| Ok(Value::Int(6))),
    Row("static int SATURDAY", |_, _| Ok(Value::Int(7))),
    Row("static int JANUARY", |_, _| Ok(Value::Int(0))),
    Row("static int FEBRUARY", |_, _| Ok(Value::Int(1))),
    Row("static int MARCH", |_, _| Ok(Value::Int(2))),
    Row("static int APRIL", |_, _| Ok(Value::Int(3))),
    Row("static int MAY", |_, _| Ok(Value::Int(4))),
    Row("static int JUNE", |_, _| Ok(Value::Int(5))),
    Row("static int JULY", |_, _| Ok(Value::Int(6))),
    Row("static int AUGUST", |_, _| Ok(Value::Int(7))),
    Row("static int SEPTEMBER", |_, _| Ok(Value::Int(8))),
    Row("static int OCTOBER", |_, _| Ok(Value::Int(9))),
    Row("static int NOVEMBER", |_, _| Ok(Value::Int(10))),
    Row("static int DECEMBER", |_, _| Ok(Value::Int(11))),
    Row("static int UNDECIMBER", |_, _| Ok(Value::Int(12))),
    Row("static int AM", |_, _| Ok(Value::Int(0))),
    Row("static int PM", |_, _| Ok(Value::Int(1))),
    Row("static int ALL_STYLES", |_, _| Ok(Value::Int(0))),
    Row("static int SHORT", |_, _| Ok(Value::Int(1))),
    Row("static int LONG", |_, _| Ok(Value::Int(2))),
    Row("static int NARROW_FORMAT", |_, _| Ok(Value::Int(4))),
    Row("static int NARROW_STANDALONE", |_, _| Ok(Value::Int(0x8004))),
    Row("static int SHORT_FORMAT", |_, _| Ok(Value::Int(1))),
    Row("static int LONG_FORMAT", |_, _| Ok(Value::Int(2))),
    Row("static int SHORT_STANDALONE", |_, _| Ok(Value::Int(0x8001))),
    Row("static int LONG_STANDALONE", |_, _| Ok(Value::Int(0x8002))),
    Row("static Calendar getInstance()", |vm, _| now(vm, local_zone(), None)),
    Row("static Calendar getInstance(TimeZone)", |vm, a| now(vm, time_zone(&a[0])?.clone(), None)),
    Row("static Calendar getInstance(TimeZone,Locale)", |vm, a| {
        now(vm, time_zone(&a[0])?.clone(), Some(locale(&a[1])?))
    }),
    Row("int get(int)", |vm, a| {
        vm.work(10)?;
        Ok(Value::Int(of(&a[0])?.get(field(&a[1])?)?))
    }),
    Row("void set(int,int)", |_, a| {
        of(&a[0])?.set(field(&a[1])?, int(&a[2])?);
        Ok(Value::Null)
    }),
    Row("void set(int,int,int)", |_, a| set(&a[0], &a[1..])),
    Row("void set(int,int,int,int,int)", |_, a| set(&a[0], &a[1..])),
    Row("void set(int,int,int,int,int,int)", |_, a| set(&a[0], &a[1..])),
    Row("void add(int,int)", |vm, a| {
        vm.work(10)?;
        of(&a[0])?.add(field(&a[1])?, int(&a[2])?)?;
        Ok(Value::Null)
    }),
    Row("void clear()", |_, a| {
        clear(&mut *of(&a[0])?);
        Ok(Value::Null)
    }),
    Row("void clear(int)", |_, a| {
        of(&a[0])?.clear(field(&a[1])?);
        Ok(Value::Null)
    }),
    Row("boolean isSet(int)", |_, a| ok_bool(of(&a[0])?.is_set(field(&a[1])?))),
    Row("boolean after(Object)", |_, a| ok_bool(is_calendar(&a[1]) && compare(&a[0], &a[1])?.is_gt())),
    Row("boolean before(Object)", |_, a| ok_bool(is_calendar(&a[1]) && compare(&a[0], &a[1])?.is_lt())),
    Row("int compareTo(Calendar)", |_, a| Ok(Value::Int(compare(&a[0], &a[1])? as i32))),
    Row("Object clone()", |vm, a| {
        let copy = of(&a[0])?.clone();
        made(vm, copy)
    }),
    Row("Date getTime()", |vm, a| {
        let ms = of(&a[0])?.ms()?;
        new_date(vm, ms)
    }),
    Row("void setTime(Date)", |_, a| {
        of(&a[0])?.set_ms(date(&a[1])?.get());
        Ok(Value::Null)
    }),
    Row("long getTimeInMillis()", |_, a| Ok(Value::Long(of(&a[0])?.ms()?))),
    Row("void setTimeInMillis(long)", |_, a| {
        of(&a[0])?.set_ms(long(&a[1])?);
        Ok(Value::Null)
    }),
    Row("Instant toInstant()", |vm, a| {
        let at = Timestamp::from_millisecond(of(&a[0])?.ms()?).map_err(|error| illegal(error.to_string()))?;
        vm.alloc(Data::Temporal(Temporal::Instant(at)))
    }),
    Row("TimeZone getTimeZone()", |vm, a| {
        let zone = of(&a[0])?.zone.clone();
        vm.alloc(Data::TimeZone(zone))
    }),
    Row("void setTimeZone(TimeZone)", |_, a| {
        let mut calendar = of(&a[0])?;
        calendar.zone = time_zone(&a[1])?.clone();
        calendar.forget_fields();
        Ok(Value::Null)
    }),
    Row("int getFirstDayOfWeek()", |_, a| Ok(Value::Int(of(&a[0])?.first_day))),
    Row("void setFirstDayOfWeek(int)", |_, a| {
        let mut calendar = of(&a[0])?;
        let min_days = calendar.min_days;
        calendar.set_weeks(int(&a[1])?, min_days)?;
        Ok(Value::Null)
    }),
    Row("int getMinimalDaysInFirstWeek()", |_, a| Ok(Value::Int(of(&a[0])?.min_days))),
    Row("void setMinimalDaysInFirstWeek(int)", |_, a| {
        let mut calendar = of(&a[0])?;
        let first = calendar.first_day;
        calendar.set_weeks(first, int(&a[1])?)?;
        Ok(Value::Null)
    }),
    Row("boolean isLenient()", |_, a| ok_bool(of(&a[0])?.lenient)),
    Row("void setLenient(boolean)", |_, a| {
        of(&a[0])?.lenient = boolean(&a[1])?;
        Ok(Value::Null)
    }),
    Row("int getActualMaximum(int)", |_, a| {
        let mut calendar = of(&a[0])?.clone();
        let field = field(&a[1])?;
        if (WEEK_OF_YEAR..=DAY_OF_WEEK_IN_MONTH).contains(&field) {
            calendar.complete()?;
        }
        Ok(Value::Int(calendar.actual_maximum(field)))
    }),
    Row("int getActualMinimum(int)", |_, a| Ok(Value::Int(LEAST[field(&a[1])?]))),
    Row("int getMaximum(int)", |_, a| Ok(Value::Int(GREATEST[field(&a[1])?]))),
    Row("int getMinimum(int)", |_, a| Ok(Value::Int(LEAST[field(&a[1])?]))),
    Row("String getCalendarType()", |vm, _| vm.string("gregory".to_owned())),
    Row("String getDisplayName(int,int,Locale)", |vm, a| {
        let shown = display_name(&mut *of(&a[0])?, field(&a[1])?, int(&a[2])?)?;
        shown.map_or(Ok(Value::Null), |shown| vm.string(shown))
    }),
    Row("boolean isWeekDateSupported()", |_, _| ok_bool(true)),
    Row("int getWeekYear()", |_, a| {
        let mut calendar = of(&a[0])?;
        calendar.complete()?;
        Ok(Value::Int(calendar.week_year().1 as i32))
    }),
    Row("int getWeeksInWeekYear()", |_, a| {
        let mut calendar = of(&a[0])?;
        calendar.complete()?;
        Ok(Value::Int(calendar.week_year().0 as i32))
    }),
];

fn is_calendar(value: &Value) -> bool {
    matches!(value.data(), Some(Data::Calendar(_)))
}

const GREGORIAN: &[Row] = &[
    Row("static int BC", |_, _| Ok(Value::Int(0))),
    Row("static int AD", |_, _| Ok(Value::Int(1))),
    Row("new()", |vm, _| now(vm, local_zone(), None)),
    Row("new(TimeZone)", |vm, a| now(vm, time_zone(&a[0])?.clone(), None)),
    Row("new(TimeZone,Locale)", |vm, a| now(vm, time_zone(&a[0])?.clone(), Some(locale(&a[1])?))),
    Row("new(int,int,int)", at_time),
    Row("new(int,int,int,int,int)", at_time),
    Row("new(int,int,int,int,int,int)", at_time),
    Row("static GregorianCalendar from(ZonedDateTime)", |vm, a| match a[0].data() {
        Some(Data::Temporal(Temporal::Zoned(at))) => {
            let (zone, ms) = (at.time_zone().clone(), at.timestamp().as_millisecond());
            made(vm, Calendar::new(zone, 2, 4, ms))
        }
        _ => Err(unexpected(&a[0])),
    }),
    Row("boolean isLeapYear(int)", |_, a| {
        let year = i64::from(int(&a[1])?);
        ok_bool(days::of(year + 1, 1, 1) - days::of(year, 1, 1) == 366)
    }),
    Row("Date getGregorianChange()", |vm, _| new_date(vm, days::GREGORIAN_FROM * MS_PER_DAY)),
    Row("ZonedDateTime toZonedDateTime()", |vm, a| {
        let mut calendar = of(&a[0])?;
        let at = Timestamp::from_millisecond(calendar.ms()?).map_err(|error| illegal(error.to_string()))?;
        let zone = calendar.zone.clone();
        vm.alloc(Data::Temporal(Temporal::Zoned(Box::new(at.to_zoned(zone)))))
    }),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.Calendar", &["Comparable"], CALENDAR),
    ClassRow::new("java.util.GregorianCalendar", &["Calendar"], GREGORIAN),
];
