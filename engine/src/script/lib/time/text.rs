//! How dates and times are written, and read back.

use super::super::super::error::{Failed, throw};
use super::change::field;
use super::year::{first_day, read};
use super::{Temporal, zone};
use crate::error::ErrorKind;
use crate::mapping::DateFormat;
use crate::mapping::date::{Names, Zone};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, Zoned};
use std::fmt::{self, Write};

fn write_date(out: &mut impl Write, date: Date) -> fmt::Result {
    let sign = if date.year() < 0 { "-" } else { "" };
    write!(out, "{sign}{:04}-{:02}-{:02}", date.year().unsigned_abs(), date.month(), date.day())
}

/// Seconds are left out if there are none; fractions come in threes of digits.
fn write_time(out: &mut impl Write, time: Time) -> fmt::Result {
    write!(out, "{:02}:{:02}", time.hour(), time.minute())?;
    let nanos = time.subsec_nanosecond();
    if time.second() > 0 || nanos > 0 {
        write!(out, ":{:02}", time.second())?;
        write_fraction(out, nanos)?;
    }
    Ok(())
}

fn write_fraction(out: &mut impl Write, nanos: i32) -> fmt::Result {
    match nanos {
        0 => Ok(()),
        n if n % 1_000_000 == 0 => write!(out, ".{:03}", n / 1_000_000),
        n if n % 1_000 == 0 => write!(out, ".{:06}", n / 1_000),
        n => write!(out, ".{n:09}"),
    }
}

pub(super) fn offset_text(offset: Offset) -> String {
    let seconds = offset.seconds();
    if seconds == 0 {
        return "Z".to_owned();
    }
    let (sign, s) = (if seconds < 0 { '-' } else { '+' }, seconds.abs());
    let mut out = format!("{sign}{:02}:{:02}", s / 3600, s / 60 % 60);
    if s % 60 > 0 {
        let _ = write!(out, ":{:02}", s % 60);
    }
    out
}

pub(super) fn zone_text(zone: &TimeZone) -> String {
    match zone.iana_name() {
        Some(name) if *zone != TimeZone::UTC => name.to_owned(),
        _ => zone.to_fixed_offset().map_or("Z".to_owned(), offset_text),
    }
}

/// What the zone of a date is called at that moment: its shortest name, or its offset if it has no other.
pub fn zone_shown(of: &Temporal) -> Option<String> {
    let (Temporal::Zoned(at) | Temporal::Offset(at)) = of else { return None };
    let zone = at.time_zone();
    Some(match zone.iana_name() {
        Some(_) if *zone != TimeZone::UTC => zone.to_offset_info(at.timestamp()).abbreviation().to_owned(),
        _ => zone_text(zone),
    })
}

/// With milliseconds, as documents hold dates.
pub(super) fn zoned_json(zoned: &Zoned) -> String {
    let mut out = String::new();
    let time = zoned.time();
    let _ = write_date(&mut out, zoned.date());
    let _ = write!(out, "T{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second());
    out.push_str(&json_fraction(time.subsec_nanosecond()));
    out.push_str(&offset_text(zoned.offset()));
    out
}

/// Three digits, or as many as it takes.
fn json_fraction(nanos: i32) -> String {
    let digits = format!("{nanos:09}");
    format!(".{:0<3}", digits.trim_end_matches('0'))
}

/// The same for times of day.
pub(super) fn time_json(time: Time) -> String {
    let millis = time.subsec_nanosecond() / 1_000_000;
    format!("{:02}:{:02}:{:02}.{millis:03}", time.hour(), time.minute(), time.second())
}

impl fmt::Display for Temporal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zoned(zoned) => {
                write_date(f, zoned.date())?;
                f.write_char('T')?;
                write_time(f, zoned.time())?;
                f.write_str(&offset_text(zoned.offset()))?;
                match super::is_offset(zoned.time_zone()) {
                    true => Ok(()),
                    false => write!(f, "[{}]", zone_text(zoned.time_zone())),
                }
            }
            Self::Offset(at) => {
                write_date(f, at.date())?;
                f.write_char('T')?;
                write_time(f, at.time())?;
                f.write_str(&offset_text(at.offset()))
            }
            Self::Instant(at) => {
                let zoned = at.to_zoned(TimeZone::UTC);
                let time = zoned.time();
                write_date(f, zoned.date())?;
                write!(f, "T{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())?;
                write_fraction(f, time.subsec_nanosecond())?;
                f.write_char('Z')
            }
            Self::Date(date) => write_date(f, *date),
            Self::DateTime(at) => {
                write_date(f, at.date())?;
                f.write_char('T')?;
                write_time(f, at.time())
            }
            Self::Time(time) => write_time(f, *time),
            Self::Duration(duration) => write_duration(f, duration.as_secs(), duration.subsec_nanos()),
            Self::Period(years, months, days) => {
                if (*years, *months, *days) == (0, 0, 0) {
                    return f.write_str("P0D");
                }
                f.write_char('P')?;
                for (count, unit) in [(years, 'Y'), (months, 'M'), (days, 'D')] {
                    if *count != 0 {
                        write!(f, "{count}{unit}")?;
                    }
                }
                Ok(())
            }
            Self::Year(year) => write!(f, "{year}"),
            Self::YearMonth(year, month) => {
                let (sign, year) = (if *year < 0 { "-" } else { "" }, year.abs());
                write!(f, "{sign}{year:04}-{month:02}")
            }
            Self::MonthDay(month, day) => write!(f, "--{month:02}-{day:02}"),
            Self::Zone(zone) => f.write_str(&zone_text(zone)),
            Self::Formatter(pattern, ..) => f.write_str(pattern),
            Self::Adjuster(_) => f.write_str("java.time.temporal.TemporalAdjusters"),
            Self::Range(bounds) => f.write_str(&super::units::bounds_text(*bounds)),
        }
    }
}

fn write_duration(f: &mut fmt::Formatter<'_>, seconds: i64, nanos: i32) -> fmt::Result {
    if seconds == 0 && nanos == 0 {
        return f.write_str("PT0S");
    }
    f.write_str("PT")?;
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours != 0 {
        write!(f, "{hours}H")?;
    }
    if minutes != 0 {
        write!(f, "{minutes}M")?;
    }
    if rest != 0 || nanos != 0 {
        if rest == 0 && nanos < 0 {
            f.write_char('-')?;
        }
        write!(f, "{rest}")?;
        if nanos != 0 {
            let digits = format!("{:09}", nanos.abs());
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        f.write_char('S')?;
    }
    Ok(())
}

#[cold]
fn unparsed(text: &str, at: usize) -> Failed {
    let what = format!("Text '{text}' could not be parsed at index {at}");
    throw("DateTimeParseException", what)
}

/// Why a text is none of a pattern, in the reference's words.
#[cold]
fn refused(text: &str, pattern: &str) -> Failed {
    refused_by(text, Pattern { text: pattern, names: Names::English })
}

#[cold]
pub(super) fn refused_by(text: &str, pattern: Pattern<'_>) -> Failed {
    let read = DateFormat::parse_in(pattern.text, pattern.names)
        .and_then(|format| format.parse_instant(text, false, &Zone::fixed(0)));
    let what = match read {
        Err(error) if error.kind() == ErrorKind::DateTime => {
            format!("Text '{text}' could not be parsed: {}", error.reason())
        }
        Err(error) => match error.cause().filter(|cause| cause.kind() == ErrorKind::DateTimeParse) {
            Some(cause) => cause.reason().to_owned(),
            None => return unparsed(text, 0),
        },
        Ok(_) => return unparsed(text, 0),
    };
    throw("DateTimeParseException", what)
}

/// By what patterns the classes read their texts, as far as it matters for why they cannot be read.
fn own_pattern(class: &str) -> &'static str {
    match class {
        "LocalDate" => "uuuu-MM-dd",
        "LocalTime" => "HH:mm[:ss[.SSSSSSSSS]]",
        "LocalDateTime" => "uuuu-MM-dd'T'HH:mm[:ss[.SSSSSSSSS]]",
        _ => "uuuu-MM-dd'T'HH:mm[:ss[.SSSSSSSSS]]XXX",
    }
}

/// Reads what the class's own `parse` reads.
pub(super) fn parse(class: &str, text: &str) -> Result<Temporal, Failed> {
    let bad = |_| refused(text, own_pattern(class));
    let strict = |ok: bool| if ok { Ok(()) } else { Err(refused(text, own_pattern(class))) };
    let dated = text.as_bytes().get(4) == Some(&b'-') || text.starts_with(['+', '-']);
    Ok(match class {
        "LocalDate" => {
            strict(dated && !text.contains('T'))?;
            Temporal::Date(text.parse().map_err(bad)?)
        }
        "LocalTime" => Temporal::Time(text.parse().map_err(bad)?),
        "LocalDateTime" => {
            strict(dated && text.contains('T'))?;
            Temporal::DateTime(text.parse().map_err(bad)?)
        }
        "Instant" => Temporal::Instant(text.parse().map_err(bad)?),
        "Period" => period(text)?,
        "MonthDay" => super::offset::read_month_day(text)?,
        "OffsetDateTime" if text.contains('[') => {
            let at = text.find('[').unwrap_or(0);
            let what = format!("Text '{text}' could not be parsed, unparsed text found at index {at}");
            return Err(throw("DateTimeParseException", what));
        }
        "OffsetDateTime" => super::offset::fixed(parse("ZonedDateTime", text)?),
        "Year" | "YearMonth" => read(class, text)?,
        "Duration" => Temporal::Duration(
            text.parse().map_err(|_| throw("DateTimeParseException", "Text cannot be parsed to a Duration"))?,
        ),
        _ => {
            strict(dated && text.contains('T'))?;
            let (moment, name) = text.split_once('[').map_or((text, None), |(m, z)| (m, Some(z.trim_end_matches(']'))));
            // A time without an offset ends too early.
            let bad = |_| match moment.parse::<DateTime>() {
                Ok(_) => unparsed(text, moment.len()),
                Err(_) => refused(text, own_pattern(class)),
            };
            let at: Timestamp = moment.parse().map_err(bad)?;
            let zone = match name {
                Some(name) => zone(name)?,
                None => {
                    let time = moment.find('T').map_or("", |t| &moment[t..]);
                    match time.find(['+', '-', 'Z', 'z']) {
                        Some(from) => zone(&time[from..].to_uppercase())?,
                        None => return Err(unparsed(text, text.len())),
                    }
                }
            };
            Temporal::Zoned(Box::new(at.to_zoned(zone)))
        }
    })
}

/// `P1Y2M3W4D`, each part with a sign of its own, and one before all.
fn period(text: &str) -> Result<Temporal, Failed> {
    let bad = || throw("DateTimeParseException", "Text cannot be parsed to a Period");
    let upper = text.to_ascii_uppercase();
    let (sign, rest) = match upper.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, upper.strip_prefix('+').unwrap_or(&upper)),
    };
    let mut rest = rest.strip_prefix('P').filter(|rest| !rest.is_empty()).ok_or_else(bad)?;
    let (mut parts, mut least) = ([0i32; 4], 0);
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(bad)?;
        let unit = ['Y', 'M', 'W', 'D'].iter().position(|unit| rest[end..].starts_with(*unit)).ok_or_else(bad)?;
        if unit < least {
            return Err(bad());
        }
        let count: i32 = rest[..end].parse().map_err(|_| bad())?;
        parts[unit] = count.checked_mul(sign).ok_or_else(bad)?;
        (rest, least) = (&rest[end + 1..], unit + 1);
    }
    let days = parts[2].checked_mul(7).and_then(|days| days.checked_add(parts[3])).ok_or_else(bad)?;
    Ok(Temporal::Period(parts[0], parts[1], days))
}

/// What a formatter goes by.
#[derive(Clone, Copy)]
pub(super) struct Pattern<'p> {
    pub(super) text: &'p str,
    pub(super) names: Names,
}

pub(super) fn compiled(pattern: Pattern<'_>) -> Result<DateFormat, Failed> {
    DateFormat::parse_in(pattern.text, pattern.names).map_err(|error| {
        let cause = error.cause().map_or_else(|| error.reason().to_owned(), |c| c.reason().to_owned());
        throw("IllegalArgumentException", cause)
    })
}

/// Checks a pattern, so that a formatter that exists can be used.
pub(super) fn check_pattern(pattern: &str) -> Result<(), Failed> {
    compiled(Pattern { text: pattern, names: Names::English }).map(drop)
}

/// Refuses what lacks a field that a letter of the pattern shows. What stands in brackets may be left out.
fn check_letters(pattern: &str, has_zone: bool, of: &Temporal) -> Result<(), Failed> {
    let (mut quoted, mut optional) = (false, 0);
    for letter in pattern.chars() {
        match letter {
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '[' => optional += 1,
            ']' => optional -= 1,
            'V' | 'z' if optional == 0 && !has_zone && !matches!(of, Temporal::Zoned(_)) => {
                let what = format!("Unable to extract ZoneId from temporal {of}");
                return Err(throw("DateTimeException", what));
            }
            _ if optional > 0 => {}
            letter => letter_field(letter).map_or(Ok(0), |name| field(of, name)).map(drop)?,
        }
    }
    Ok(())
}

/// The field that a letter of a pattern shows.
fn letter_field(letter: char) -> Option<&'static str> {
    Some(match letter {
        'G' => "ERA",
        'y' => "YEAR_OF_ERA",
        'u' => "YEAR",
        'Q' | 'q' => "QUARTER_OF_YEAR",
        'M' | 'L' => "MONTH_OF_YEAR",
        'd' => "DAY_OF_MONTH",
        'D' => "DAY_OF_YEAR",
        'E' => "DAY_OF_WEEK",
        'a' => "AMPM_OF_DAY",
        'H' => "HOUR_OF_DAY",
        'k' => "CLOCK_HOUR_OF_DAY",
        'K' => "HOUR_OF_AMPM",
        'h' => "CLOCK_HOUR_OF_AMPM",
        'm' => "MINUTE_OF_HOUR",
        's' => "SECOND_OF_MINUTE",
        'S' | 'n' => "NANO_OF_SECOND",
        'A' => "MILLI_OF_DAY",
        'N' => "NANO_OF_DAY",
        'X' | 'x' | 'Z' | 'O' => "OFFSET_SECONDS",
        _ => return None,
    })
}

/// A date or time in the notation of a formatter.
pub(super) fn format(pattern: Pattern<'_>, override_zone: Option<&TimeZone>, of: &Temporal) -> Result<String, Failed> {
    if let Temporal::Offset(at) = of {
        return format(pattern, override_zone, &Temporal::Zoned(at.clone()));
    }
    if let Some(shown) = super::iso::format(pattern.text, override_zone, of) {
        return shown;
    }
    if !matches!((of, override_zone), (Temporal::Instant(_), Some(_))) {
        check_letters(pattern.text, override_zone.is_some(), of)?;
    }
    let own = match of {
        Temporal::Zoned(zoned) => Some(zoned.time_zone().clone()),
        _ => None,
    };
    let wanted = override_zone.cloned().or(own).unwrap_or(TimeZone::UTC);
    let at = match of {
        Temporal::Zoned(zoned) => zoned.timestamp(),
        Temporal::Instant(at) => *at,
        other => {
            let date = other.date().or_else(|| first_day(other)).unwrap_or(Date::constant(1970, 1, 1));
            let local = DateTime::from_parts(date, other.time().unwrap_or(Time::midnight()));
            local.to_zoned(TimeZone::UTC).map_err(super::out_of_range)?.timestamp()
        }
    };
    let zone = match super::is_offset(&wanted) {
        true => Zone::fixed(wanted.to_offset(at).seconds()),
        false => Zone::Region(wanted),
    };
    let format = compiled(pattern)?;
    match i64::try_from(at.as_nanosecond()) {
        Ok(nanos) => Ok(format.format_nanos(nanos, &zone)),
        Err(_) => Ok(format.format(at.as_millisecond(), &zone)),
    }
}
