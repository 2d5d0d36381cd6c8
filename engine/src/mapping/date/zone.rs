//! Time zones: UTC, fixed offsets, regions.

use crate::error::{Error, ErrorKind, Result};
use jiff::tz::TimeZone;

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
        let unknown = || {
            let reason = format!("Unknown time-zone ID: {text}");
            Error::illegal_argument(format!("java.time.zone.ZoneRulesException: {reason}"))
                .caused_by(Error::new(ErrorKind::ZoneRules, reason))
        };
        let (prefix, offset) = ["UTC", "GMT", "UT"]
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix).map(|rest| (*prefix, rest)))
            .unwrap_or(("", text));
        if !prefix.is_empty() && offset.is_empty() || text == "Z" {
            return Ok(Self::Utc);
        }
        if offset.starts_with(['+', '-']) {
            // An hour may have one digit.
            let padded =
                if offset.len() == 2 { format!("{}0{}", &offset[..1], &offset[1..]) } else { offset.to_owned() };
            let offset = padded.as_str();
            return match parse_offset(offset.as_bytes(), OffsetStyle::Any) {
                Some((seconds, length)) if length == offset.len() => Ok(Self::fixed(seconds)),
                _ => Err(unknown()),
            };
        }
        TimeZone::get(text).map(Self::Region).map_err(|_| unknown())
    }

    pub fn fixed(seconds: i32) -> Self {
        if seconds == 0 { Self::Utc } else { Self::Fixed(seconds) }
    }

    /// Seconds to add to UTC at this instant (seconds since 1970).
    pub fn offset_at(&self, seconds: i64) -> i32 {
        match self {
            Self::Utc => 0,
            Self::Fixed(offset) => *offset,
            Self::Region(zone) => match jiff::Timestamp::from_second(seconds) {
                Ok(instant) => zone.to_offset(instant).seconds(),
                Err(_) => 0,
            },
        }
    }

    /// The instant (seconds since 1970) of a local time, given as if it were UTC. A time that the clocks skip is moved on
    /// by the gap; of a time that occurs twice the first is taken, as Java does.
    pub fn to_utc(&self, local: i64) -> i64 {
        match self {
            Self::Utc => local,
            Self::Fixed(offset) => local.saturating_sub((*offset).into()),
            Self::Region(zone) => {
                let Ok(as_utc) = jiff::Timestamp::from_second(local) else { return local };
                let civil = jiff::tz::Offset::UTC.to_datetime(as_utc);
                zone.to_timestamp(civil).map_or(local, |instant| instant.as_second())
            }
        }
    }
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
