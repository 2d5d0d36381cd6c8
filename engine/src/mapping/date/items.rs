//! The items of a format, read and written one by one, and the fields that they fill.

use super::civil;
use super::languages::Language;
use super::number_field::{FIELDS, NumberField};
use super::zone::{OffsetStyle, Zone, parse_offset, write_offset};
use super::zone_names;

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Literal(String),
    Number {
        field: NumberField,
        min: usize,
        max: usize,
        sign: Sign,
    },
    /// Two digits of a year of 2000 to 2099.
    ReducedYear(NumberField),
    /// Digits of a fraction of a second; between `min` and `max` of them are read, between `print_min` and 9 (or exactly
    /// `max`, if that equals `min`) written.
    Fraction {
        min: usize,
        max: usize,
        print_min: usize,
        print_max: usize,
    },
    Text(TextField, Width, Names),
    /// An offset; `zero` stands for none.
    Offset {
        style: OffsetStyle,
        zero: &'static str,
    },
    /// An offset in any notation or a region's name; written as `+HH:mm`. Few formats take what has colons for an offset alone.
    ZoneOrOffset {
        offsets: bool,
    },
    /// A region's name, or an offset.
    ZoneId,
    /// The same, or what a zone is called for short in a language. Zones are written by their own names.
    ZoneText(Names),
    /// `GMT`, `GMT+3:30`; with all of its digits where it is full.
    LocalOffset {
        full: bool,
    },
    /// What is written with spaces in front, so that it has so many characters.
    Padded(usize, Box<Item>),
    Optional(Vec<Item>),
}

impl Item {
    /// Has names in a language.
    pub fn set_names(&mut self, language: Names) {
        match self {
            Self::Text(_, _, names) | Self::ZoneText(names) => *names = language,
            Self::Optional(inner) => inner.iter_mut().for_each(|item| item.set_names(language)),
            Self::Padded(_, inner) => inner.set_names(language),
            _ => {}
        }
    }

    /// Whether it reads such a number.
    pub fn reads(&self, number: NumberField) -> bool {
        match self {
            Self::Number { field, .. } => *field == number,
            Self::Optional(inner) => inner.iter().any(|item| item.reads(number)),
            Self::Padded(_, inner) => inner.reads(number),
            _ => false,
        }
    }

    /// Takes zones that are offsets for such, whatever they look like.
    pub fn tell_offsets(&mut self) {
        match self {
            Self::ZoneOrOffset { offsets } => *offsets = true,
            Self::Optional(inner) => inner.iter_mut().for_each(Self::tell_offsets),
            _ => {}
        }
    }

    /// Writes no more of a second than milliseconds.
    pub fn print_millis(&mut self) {
        if let Self::Fraction { print_min, print_max, .. } = self {
            (*print_min, *print_max) = ((*print_min).min(3), (*print_max).min(3));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sign {
    No,
    /// A minus is read and written.
    Normal,
    /// More than the least number of digits need a plus.
    ExceedsPad,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TextField {
    Month,
    DayOfWeek,
    HalfDay,
    /// As words for parts of the day say it; where no language is asked for these are the halves.
    DayPeriod,
    Era,
    Quarter,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    Short,
    Full,
    Narrow,
    /// The same of what stands alone, which many languages say in another form.
    ShortAlone,
    FullAlone,
    NarrowAlone,
}

impl Width {
    /// The width of what stands alone.
    pub fn alone(self) -> Self {
        match self {
            Self::Short | Self::ShortAlone => Self::ShortAlone,
            Self::Full | Self::FullAlone => Self::FullAlone,
            Self::Narrow | Self::NarrowAlone => Self::NarrowAlone,
        }
    }

    /// The same among other parts of a date.
    fn within(self) -> Self {
        match self {
            Self::Short | Self::ShortAlone => Self::Short,
            Self::Full | Self::FullAlone => Self::Full,
            Self::Narrow | Self::NarrowAlone => Self::Narrow,
        }
    }
}

/// The language of names. No language has short names alone, its eras are common ones, and its narrowest months are numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Names {
    #[default]
    Root,
    English,
    Other(&'static Language),
}

impl Names {
    /// Those of a locale; a language that nothing is known of has those of none.
    pub fn of_locale(locale: &str) -> Self {
        match Language::of_locale(locale) {
            _ if locale == "en" || locale == "en_US" => Self::English,
            Some(language) => Self::Other(language),
            None => Self::Root,
        }
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

impl TextField {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Month => &MONTHS,
            Self::DayOfWeek => &DAYS,
            Self::HalfDay | Self::DayPeriod => &["AM", "PM"],
            Self::Era => &["BC", "AD"],
            Self::Quarter => &["Q1", "Q2", "Q3", "Q4"],
        }
    }

    /// How many of them there are.
    fn count(self) -> usize {
        self.names().len()
    }

    /// The name of one of them, the first one being 0.
    pub fn name(self, at: usize, width: Width, language: Names) -> &'static str {
        if let Names::Other(language) = language {
            return language.name(self, at, width);
        }
        const NUMBERS: [&str; 12] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];
        let name = self.names()[at];
        match (self, width.within()) {
            (Self::Month, Width::Narrow) if language == Names::Root => NUMBERS[at],
            (Self::Era, _) if language == Names::Root => ["BCE", "CE"][at],
            (Self::Era, Width::Narrow) => &name[..1],
            (Self::Month | Self::DayOfWeek | Self::Quarter, Width::Full) if language == Names::Root => {
                self.name(at, Width::Short, language)
            }
            (Self::Quarter, Width::Full) => ["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"][at],
            (Self::Quarter, Width::Short) => name,
            (Self::Quarter, Width::Narrow) => &name[1..],
            (Self::Era, Width::Full) => ["Before Christ", "Anno Domini"][at],
            (Self::Era | Self::HalfDay | Self::DayPeriod, _) | (_, Width::Full) => name,
            (_, Width::Short) => &name[..3],
            (_, _) => &name[..1],
        }
    }
}

/// What was read so far.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    values: [Option<i64>; FIELDS],
    pub zone: Option<Zone>,
    /// Whether the zone was read as an offset, which is a field to Java.
    pub is_offset: bool,
}

impl Fields {
    pub fn get(&self, field: NumberField) -> Option<i64> {
        self.values[field as usize]
    }

    pub fn put(&mut self, field: NumberField, value: Option<i64>) {
        self.values[field as usize] = value;
    }

    fn set_zone(&mut self, zone: Zone, is_offset: bool) {
        (self.zone, self.is_offset) = (Some(zone), is_offset);
    }

    fn set(&mut self, field: NumberField, value: i64) -> bool {
        let slot = &mut self.values[field as usize];
        // A field that is read twice must be the same both times.
        let agrees = slot.is_none_or(|old| old == value);
        *slot = Some(value);
        agrees
    }
}

/// Reads items from `at` on; gives where it ended, or where it failed.
pub fn parse(items: &[Item], text: &[u8], mut at: usize, fields: &mut Fields) -> Result<usize, usize> {
    for (i, item) in items.iter().enumerate() {
        at = match item {
            Item::Optional(inner) => {
                let before = fields.clone();
                match parse(inner, text, at, fields) {
                    Ok(end) => end,
                    Err(_) => {
                        *fields = before;
                        at
                    }
                }
            }
            Item::Number { field, min, max, sign } => {
                let reserved = if min == max { 0 } else { adjacent_digits(&items[i + 1..]) };
                parse_number(text, at, (*min, *max, *sign), reserved, |value| fields.set(*field, value))?
            }
            item => parse_item(item, text, at, fields)?,
        };
    }
    Ok(at)
}

/// The digits that numbers of fixed width right behind need.
fn adjacent_digits(items: &[Item]) -> usize {
    let widths = items.iter().map_while(|item| match item {
        Item::Number { min, max, sign: Sign::No, .. } if min == max => Some(*min),
        Item::Fraction { min, max, .. } if min == max => Some(*min),
        Item::ReducedYear(_) => Some(2),
        _ => None,
    });
    widths.sum()
}

fn parse_item(item: &Item, text: &[u8], at: usize, fields: &mut Fields) -> Result<usize, usize> {
    let rest = text.get(at..).ok_or(at)?;
    match item {
        Item::Literal(literal) => {
            if rest.starts_with(literal.as_bytes()) {
                Ok(at + literal.len())
            } else {
                Err(at)
            }
        }
        Item::ReducedYear(field) => {
            parse_number(text, at, (2, 2, Sign::No), 0, |value| fields.set(*field, 2000 + value))
        }
        Item::Fraction { min, max, .. } => {
            let digits = rest.iter().take(*max).take_while(|b| b.is_ascii_digit()).count();
            if digits < *min {
                return Err(at);
            }
            let value = rest[..digits].iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
            fields.set(NumberField::Nano, value * 10i64.pow(9 - digits as u32));
            Ok(at + digits)
        }
        Item::Text(field, width, names) => {
            parse_text(*field, (*width, *names), rest, fields).map(|length| at + length).ok_or(at)
        }
        Item::Offset { style, zero } => {
            if !zero.starts_with('+') && rest.starts_with(zero.as_bytes()) {
                fields.set_zone(Zone::Utc, true);
                return Ok(at + zero.len());
            }
            let (seconds, length) = parse_offset(rest, *style).ok_or(at)?;
            fields.set_zone(Zone::fixed(seconds), true);
            Ok(at + length)
        }
        Item::LocalOffset { full } => {
            let (seconds, length) = parse_local_offset(rest, *full).ok_or(at)?;
            fields.set_zone(Zone::fixed(seconds), true);
            Ok(at + length)
        }
        Item::Padded(width, inner) => {
            let end = at + *width;
            let within = text.get(..end).ok_or(at)?;
            let start = at + rest[..*width].iter().take_while(|b| **b == b' ').count();
            match parse(std::slice::from_ref(inner), within, start, fields)? {
                after if after == end => Ok(end),
                after => Err(after),
            }
        }
        Item::ZoneId | Item::ZoneText(_) if !zone_names::is_zone_id(rest) => Err(at),
        Item::ZoneOrOffset { .. } | Item::ZoneId | Item::ZoneText(_) => {
            let named = match item {
                Item::ZoneText(names) => zone_names::short_zone(rest, *names),
                _ => None,
            };
            let (zone, length) = named.or_else(|| parse_zone(rest)).ok_or(at)?;
            let is_offset = match (item, &zone) {
                (Item::ZoneOrOffset { .. }, Zone::Region(_)) => false,
                (Item::ZoneOrOffset { offsets }, _) => *offsets || rest[0] != b'Z' && !rest[..length].contains(&b':'),
                _ => false,
            };
            fields.set_zone(zone, is_offset);
            Ok(at + length)
        }
        Item::Number { .. } | Item::Optional(_) => Err(at),
    }
}

/// `GMT` and what the clocks differ by from there.
fn parse_local_offset(text: &[u8], full: bool) -> Option<(i32, usize)> {
    const GREENWICH: usize = "GMT".len();
    let rest = text.strip_prefix(b"GMT")?;
    let sign = match rest.first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return Some((0, GREENWICH)),
    };
    let digits = |at: usize| rest[at.min(rest.len())..].iter().take(2).take_while(|b| b.is_ascii_digit()).count();
    let number = |at: usize, count: usize| rest[at..at + count].iter().fold(0, |n, b| n * 10 + i32::from(b - b'0'));
    let hour_digits = digits(1);
    if hour_digits == 0 || full && hour_digits != 2 {
        return None;
    }
    let (mut seconds, mut at) = (number(1, hour_digits) * 3600, 1 + hour_digits);
    for unit in [60, 1] {
        if rest.get(at) != Some(&b':') || digits(at + 1) != 2 {
            if full && unit == 60 {
                return None;
            }
            break;
        }
        seconds += number(at + 1, 2) * unit;
        at += 3;
    }
    Some((sign * seconds, GREENWICH + at))
}

/// `Z`, an offset or a region's name.
fn parse_zone(text: &[u8]) -> Option<(Zone, usize)> {
    if let Some((seconds, length)) = parse_offset(text, OffsetStyle::Any) {
        return Some((Zone::fixed(seconds), length));
    }
    let length =
        text.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'_' | b'+' | b'-' | b':')).count();
    let name = std::str::from_utf8(&text[..length]).ok()?;
    if name.is_empty() {
        return None;
    }
    Zone::parse(name).ok().map(|zone| (zone, length)).or_else(|| name.starts_with('Z').then_some((Zone::Utc, 1)))
}

fn parse_text(field: TextField, (width, names): (Width, Names), text: &[u8], fields: &mut Fields) -> Option<usize> {
    // Of equally long names the first, of `1` and `10` the longer one.
    let name = |at: &usize| field.name(*at, width, names);
    let fits = (0..field.count()).rev().filter(|at| text.starts_with(name(at).as_bytes()));
    let found = fits.max_by_key(|at| name(at).len())?;
    let agrees = match field {
        TextField::Month => fields.set(NumberField::Month, found as i64 + 1),
        TextField::DayOfWeek => fields.set(NumberField::DayOfWeek, found as i64 + 1),
        TextField::Quarter => fields.set(NumberField::Quarter, found as i64 + 1),
        TextField::HalfDay => fields.set(NumberField::HalfDay, found as i64),
        TextField::DayPeriod => fields.set(NumberField::DayPeriod, found as i64),
        TextField::Era => fields.set(NumberField::Era, found as i64),
    };
    agrees.then(|| name(&found).len())
}

fn parse_number(
    text: &[u8],
    start: usize,
    (min, max, sign): (usize, usize, Sign),
    reserved: usize,
    set: impl FnOnce(i64) -> bool,
) -> Result<usize, usize> {
    let (negative, plus, at) = match (text.get(start), sign) {
        (Some(b'-'), Sign::Normal | Sign::ExceedsPad) => (true, false, start + 1),
        (Some(b'+'), Sign::ExceedsPad) => (false, true, start + 1),
        _ => (false, false, start),
    };
    let rest = text.get(at..).ok_or(start)?;
    let available = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let mut length = available.min(max);
    if reserved > 0 {
        length = length.min(available.saturating_sub(reserved)).max(min.min(available));
    }
    // 18 digits fit whatever they are.
    if length < min || length == 0 || length > 18 {
        return Err(at);
    }
    if sign == Sign::ExceedsPad && !negative && plus != (length > min) {
        return Err(start);
    }
    let value = rest[..length].iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    if negative && value == 0 {
        return Err(start);
    }
    if set(if negative { -value } else { value }) { Ok(at + length) } else { Err(start) }
}

/// The fields of an instant in a zone, for writing.
pub struct Broken {
    pub year: i64,
    pub month: i64,
    pub day: i64,
    /// Since 1970. What few formats show is worked out from this, when it is asked for.
    pub days: i64,
    pub second_of_day: i64,
    pub nano: i64,
    pub offset: i32,
    pub zone: Zone,
}

impl Broken {
    /// Of a day since 1970 and a time of it.
    pub fn local(days: i64, second_of_day: i64, nano: i64) -> Self {
        let (year, month, day) = civil::civil_from_days(days);
        Self { year, month, day, days, second_of_day, nano, offset: 0, zone: Zone::Utc }
    }

    fn day_of_year(&self) -> i64 {
        self.days - civil::days_from_civil(self.year, 1, 1) + 1
    }

    /// 1 is Monday.
    fn day_of_week(&self) -> i64 {
        civil::day_of_week(self.days)
    }

    /// Year and week, by weeks that begin on Sundays.
    fn local_week(&self) -> (i64, i64) {
        let (day, day_of_year) = (self.day_of_week() % 7, self.day_of_year());
        let year_days = 365 + i64::from(civil::is_leap(self.year));
        if day_of_year + 6 - day > year_days {
            return (self.year + 1, 1);
        }
        let first = (day - day_of_year + 1).rem_euclid(7);
        (self.year, (day_of_year - 1 + first) / 7 + 1)
    }

    pub fn get(&self, field: NumberField) -> i64 {
        let hour = self.second_of_day / 3600;
        match field {
            NumberField::Year => self.year,
            NumberField::YearOfEra if self.year > 0 => self.year,
            NumberField::YearOfEra => 1 - self.year,
            NumberField::Era => i64::from(self.year > 0),
            NumberField::HalfDay | NumberField::DayPeriod => hour / 12,
            NumberField::Month => self.month,
            NumberField::Day => self.day,
            NumberField::DayOfYear => self.day_of_year(),
            NumberField::Hour => hour,
            NumberField::ClockHour => (hour + 23) % 24 + 1,
            NumberField::HourOfHalf => hour % 12,
            NumberField::ClockHourOfHalf => (hour + 11) % 12 + 1,
            NumberField::Minute => self.second_of_day / 60 % 60,
            NumberField::Second => self.second_of_day % 60,
            NumberField::Nano => self.nano,
            NumberField::MilliOfDay => self.second_of_day * 1000 + self.nano / 1_000_000,
            NumberField::NanoOfDay => self.second_of_day * 1_000_000_000 + self.nano,
            NumberField::WeekYear => civil::week_of(self.days).0,
            NumberField::Week => civil::week_of(self.days).1,
            NumberField::DayOfWeek => self.day_of_week(),
            NumberField::Quarter => (self.month + 2) / 3,
            NumberField::LocalDay => self.day_of_week() % 7 + 1,
            NumberField::LocalWeek => self.local_week().1,
            NumberField::WeekOfMonth => (self.day - 1 + civil::day_of_week(self.days - self.day + 1) % 7) / 7 + 1,
            NumberField::AlignedWeek => (self.day - 1) / 7 + 1,
            NumberField::ModifiedJulianDay => self.days + civil::MODIFIED_JULIAN_1970,
            NumberField::LocalWeekYear => self.local_week().0,
        }
    }
}

/// Writes a number with at least so many digits.
pub fn push_digits(number: u64, min: usize, out: &mut String) {
    // A number of 64 bits has 20 digits at most.
    let mut digits = [b'0'; 20];
    let (mut at, mut rest) = (digits.len(), number);
    while rest > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let min = min.max(1);
    (digits.len()..min).for_each(|_| out.push('0'));
    let from = at.min(digits.len().saturating_sub(min));
    out.push_str(std::str::from_utf8(&digits[from..]).expect("digits"));
}

pub fn write(items: &[Item], broken: &Broken, out: &mut String) {
    for item in items {
        match item {
            Item::Literal(literal) => out.push_str(literal),
            Item::Number { field, min, sign, .. } => {
                let value = broken.get(*field);
                if value < 0 {
                    out.push('-');
                } else if *sign == Sign::ExceedsPad && *min < 19 && value >= 10i64.pow(*min as u32) {
                    out.push('+');
                }
                push_digits(value.unsigned_abs(), *min, out);
            }
            Item::ReducedYear(field) => {
                push_digits(broken.get(*field).rem_euclid(100).unsigned_abs(), 2, out);
            }
            Item::Fraction { print_min, print_max, .. } => {
                let before = out.len();
                push_digits(broken.nano.unsigned_abs(), 9, out);
                let used = out[before..].trim_end_matches('0').len().clamp(*print_min, *print_max);
                out.truncate(before + used);
            }
            Item::Text(field, width, names) => {
                let at = match field {
                    TextField::Month => broken.month - 1,
                    TextField::DayOfWeek => broken.day_of_week() - 1,
                    TextField::HalfDay | TextField::DayPeriod => i64::from(broken.second_of_day >= 43_200),
                    TextField::Era => i64::from(broken.year > 0),
                    TextField::Quarter => broken.get(NumberField::Quarter) - 1,
                };
                out.push_str(field.name(at as usize, *width, *names));
            }
            Item::Offset { style, zero } => write_offset(broken.offset, *style, zero, out),
            Item::ZoneOrOffset { .. } => write_offset(broken.offset, OffsetStyle::HourColonMinuteSecond, "Z", out),
            Item::ZoneId | Item::ZoneText(_) => match &broken.zone {
                Zone::Region(zone) => out.push_str(zone.iana_name().unwrap_or("Z")),
                _ => write_offset(broken.offset, OffsetStyle::HourColonMinuteSecond, "Z", out),
            },
            Item::LocalOffset { full } => write_local_offset(broken.offset, *full, out),
            Item::Padded(width, inner) => {
                let mut text = String::new();
                write(std::slice::from_ref(inner), broken, &mut text);
                (text.chars().count()..*width).for_each(|_| out.push(' '));
                out.push_str(&text);
            }
            Item::Optional(inner) => write(inner, broken, out),
        }
    }
}

fn write_local_offset(offset: i32, full: bool, out: &mut String) {
    use std::fmt::Write as _;
    out.push_str("GMT");
    if full {
        return write_offset(offset, OffsetStyle::HourColonMinuteSecond, "", out);
    }
    let size = offset.abs();
    let parts = [size / 3600, size / 60 % 60, size % 60];
    if offset != 0 {
        write!(out, "{}{}", if offset < 0 { '-' } else { '+' }, parts[0]).expect("a String takes all");
    }
    let last = parts.iter().rposition(|part| *part != 0).unwrap_or(0);
    parts[..=last].iter().skip(1).for_each(|part| write!(out, ":{part:02}").expect("a String takes all"));
}
