//! Time zones: UTC, fixed offsets, regions.

use crate::error::{Error, ErrorKind, Result};
use jiff::tz::TimeZone;

const SECONDS_OF_400_YEARS: i64 = 146_097 * 86_400;
/// Seconds from 1970 on that rules are looked up for as they are.
const NEAR: i64 = 18 * SECONDS_OF_400_YEARS;

/// A time at which clocks are set in the same way, and which rules are known of: 400 years later weeks have the same days, and of the
/// distant past nothing is known but the sun.
fn near(seconds: i64) -> i64 {
    match seconds {
        NEAR.. => NEAR - SECONDS_OF_400_YEARS + (seconds - NEAR) % SECONDS_OF_400_YEARS,
        _ => seconds.max(-NEAR),
    }
}

/// A time zone as requests name it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Zone {
    #[default]
    Utc,
    /// Seconds east of Greenwich.
    Fixed(i32),
    Region(TimeZone),
}

impl Zone {
    /// Reads `Z`, `UTC`, `+01:00`, `GMT+2` or a region such as `Europe/Paris`.
    pub fn parse(text: &str) -> Result<Self> {
        Self::read(text).map_err(|cause| {
            let class = match cause.kind() {
                ErrorKind::ZoneRules => "java.time.zone.ZoneRulesException",
                _ => "java.time.DateTimeException",
            };
            Error::illegal_argument(format!("{class}: {}", cause.reason())).caused_by(cause)
        })
    }

    /// The same with the words of Java alone.
    fn read(text: &str) -> Result<Self> {
        if text.chars().count() <= 1 || text.starts_with(['+', '-']) {
            return read_offset(text).map(Self::fixed);
        }
        let prefix = ["UTC", "GMT", "UT"].into_iter().find(|prefix| text.starts_with(prefix));
        match prefix.map(|prefix| &text[prefix.len()..]) {
            Some("") => Ok(Self::Utc),
            Some(offset) if offset.starts_with(['+', '-']) => read_offset(offset).map(Self::fixed).map_err(|cause| {
                Error::new(ErrorKind::DateTime, format!("Invalid ID for offset-based ZoneId: {text}")).caused_by(cause)
            }),
            _ => Self::region(text),
        }
    }

    fn region(text: &str) -> Result<Self> {
        let named = |c: char| c.is_ascii_alphanumeric() || "~/._+-".contains(c);
        if !text.starts_with(|c: char| c.is_ascii_alphabetic()) || !text.chars().all(named) {
            let reason = format!("Invalid ID for region-based ZoneId, invalid format: {text}");
            return Err(Error::new(ErrorKind::DateTime, reason));
        }
        // Java knows no regions of these names, and tells capital letters from small ones.
        let known = TimeZone::get(text).ok().filter(|zone| {
            !matches!(text, "EST" | "MST" | "HST" | "ROC") && zone.iana_name().is_none_or(|name| name == text)
        });
        let unknown = || Error::new(ErrorKind::ZoneRules, format!("Unknown time-zone ID: {text}"));
        known.map(Self::Region).ok_or_else(unknown)
    }

    pub fn fixed(seconds: i32) -> Self {
        if seconds == 0 { Self::Utc } else { Self::Fixed(seconds) }
    }

    /// Seconds to add to UTC at this instant (seconds since 1970).
    pub fn offset_at(&self, seconds: i64) -> i32 {
        match self {
            Self::Utc => 0,
            Self::Fixed(offset) => *offset,
            Self::Region(zone) => match jiff::Timestamp::from_second(near(seconds)) {
                Ok(instant) => zone.to_offset(instant).seconds(),
                Err(_) => 0,
            },
        }
    }

    /// As Java names it.
    pub fn id(&self) -> String {
        match self {
            Self::Region(zone) => zone.iana_name().unwrap_or("Z").to_owned(),
            _ => {
                let mut id = String::new();
                write_offset(self.offset_at(0), OffsetStyle::HourColonMinuteSecond, "Z", &mut id);
                id
            }
        }
    }

    /// The instant (seconds since 1970) of a local time, given as if it were UTC. A time that the clocks skip is moved on
    /// by the gap; of a time that occurs twice the first is taken, as Java does.
    pub fn to_utc(&self, local: i64) -> i64 {
        match self {
            Self::Utc => local,
            Self::Fixed(offset) => local.saturating_sub((*offset).into()),
            Self::Region(zone) => {
                let near = near(local);
                let Ok(as_utc) = jiff::Timestamp::from_second(near) else { return local };
                let civil = jiff::tz::Offset::UTC.to_datetime(as_utc);
                zone.to_timestamp(civil).map_or(local, |instant| instant.as_second() + (local - near))
            }
        }
    }
}

/// Seconds of `Z`, `+H`, `+HH`, `+HHmm`, `+HH:mm`, `+HHmmss` or `+HH:mm:ss`.
fn read_offset(text: &str) -> Result<i32> {
    let refuse = |reason: String| Err(Error::new(ErrorKind::DateTime, reason));
    if text == "Z" {
        return Ok(0);
    }
    // An hour may have one digit.
    let padded = match text.len() {
        2 if text.is_char_boundary(1) => format!("{}0{}", &text[..1], &text[1..]),
        _ => text.to_owned(),
    };
    let colons = match padded.len() {
        3 | 5 | 7 => false,
        6 | 9 => true,
        _ => return refuse(format!("Invalid ID for ZoneOffset, invalid format: {text}")),
    };
    let bytes = padded.as_bytes();
    let (mut parts, mut at) = ([0i32; 3], 1);
    for (number, part) in parts.iter_mut().enumerate() {
        if at >= bytes.len() {
            break;
        }
        if colons && number > 0 {
            if bytes[at] != b':' {
                return refuse(format!("Invalid ID for ZoneOffset, colon not found when expected: {padded}"));
            }
            at += 1;
        }
        match bytes.get(at..at + 2) {
            Some([a @ b'0'..=b'9', b @ b'0'..=b'9']) => *part = i32::from(a - b'0') * 10 + i32::from(b - b'0'),
            _ => return refuse(format!("Invalid ID for ZoneOffset, non numeric characters found: {padded}")),
        }
        at += 2;
    }
    let sign = match bytes[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return refuse(format!("Invalid ID for ZoneOffset, plus/minus not found when expected: {padded}")),
    };
    let [hours, minutes, seconds] = parts.map(|part| part * sign);
    for (name, value, most) in [("hours", hours, 18), ("minutes", minutes, 59), ("seconds", seconds, 59)] {
        if value.abs() > most {
            let range = format!("value {value} is not in the range -{most} to {most}");
            return refuse(format!("Zone offset {name} not in valid range: {range}"));
        }
    }
    if hours.abs() == 18 && (minutes, seconds) != (0, 0) {
        return refuse("Zone offset not in valid range: -18:00 to +18:00".to_owned());
    }
    Ok(hours * 3600 + minutes * 60 + seconds)
}

/// How an offset may be written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OffsetStyle {
    /// `+HH`, `+HHmm`, `+HH:mm`, `+HHmmss` or `+HH:mm:ss`.
    Any,
    /// `+HH[mm]`
    HourMinuteOptional,
    /// `+HHmm`
    HourMinute,
    /// `+HH:mm`
    HourColonMinute,
    /// `+HH:mm[:ss]`
    HourColonMinuteSecond,
    /// `+HHmm[ss]`
    HourMinuteSecond,
}

/// Reads a signed offset; gives its seconds and how many bytes it took.
pub fn parse_offset(text: &[u8], style: OffsetStyle) -> Option<(i32, usize)> {
    let sign = match text.first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let two = |at: usize| -> Option<i32> {
        let digits = text.get(at..at + 2)?;
        digits.iter().all(u8::is_ascii_digit).then(|| i32::from(digits[0] - b'0') * 10 + i32::from(digits[1] - b'0'))
    };
    let hours = two(1)?;
    let colon = text.get(3) == Some(&b':');
    let colons_wanted = match style {
        OffsetStyle::Any => colon,
        OffsetStyle::HourColonMinute | OffsetStyle::HourColonMinuteSecond => true,
        _ => false,
    };
    let (mut at, mut minutes, mut seconds) = (3, 0, 0);
    let more = if colons_wanted && !colon { None } else { two(3 + usize::from(colons_wanted)) };
    match more {
        Some(value) => {
            minutes = value;
            at += 2 + usize::from(colons_wanted);
            let with_seconds =
                matches!(style, OffsetStyle::Any | OffsetStyle::HourColonMinuteSecond | OffsetStyle::HourMinuteSecond);
            let separated = !colons_wanted || text.get(at) == Some(&b':');
            if let (true, true, Some(value)) = (with_seconds, separated, two(at + usize::from(colons_wanted))) {
                seconds = value;
                at += 2 + usize::from(colons_wanted);
            }
        }
        None if matches!(style, OffsetStyle::Any | OffsetStyle::HourMinuteOptional) => {}
        None => return None,
    }
    let total = hours * 3600 + minutes * 60 + seconds;
    (minutes < 60 && seconds < 60 && total <= 18 * 3600).then_some((sign * total, at))
}

/// Writes an offset; `zero` is what stands for none.
pub fn write_offset(offset: i32, style: OffsetStyle, zero: &str, out: &mut String) {
    use std::fmt::Write as _;
    if offset == 0 {
        return out.push_str(zero);
    }
    let (sign, size) = (if offset < 0 { '-' } else { '+' }, offset.abs());
    let (hours, minutes, seconds) = (size / 3600, size / 60 % 60, size % 60);
    let colon = match style {
        OffsetStyle::Any | OffsetStyle::HourColonMinute | OffsetStyle::HourColonMinuteSecond => ":",
        _ => "",
    };
    write!(out, "{sign}{hours:02}").expect("a String takes all");
    if style != OffsetStyle::HourMinuteOptional || minutes != 0 {
        write!(out, "{colon}{minutes:02}").expect("a String takes all");
    }
    let with_seconds = matches!(style, OffsetStyle::HourColonMinuteSecond | OffsetStyle::HourMinuteSecond);
    if with_seconds && seconds != 0 {
        write!(out, "{colon}{seconds:02}").expect("a String takes all");
    }
}
