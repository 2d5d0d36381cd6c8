//! [`DateFormat`]: alternatives, read in turn and written with the first.

use super::civil;
use super::items::{self, Broken, Fields, Item, Names};
use super::names;
use super::number_field::NumberField;
use super::pattern::{Style, compile};
use super::resolve::{Failure, Reading, resolve, resolve_without_year};
use super::zone::Zone;
use crate::error::{Error, ErrorKind, Result};
use std::borrow::Cow;

/// A date format: one or more patterns or names, separated by `||`.
#[derive(Clone, Debug)]
pub struct DateFormat {
    pattern: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    kind: Kind,
    print: Kind,
    /// Whether text in the commonest forms of ISO 8601 means the same to this part as to the quick reader.
    iso: bool,
    /// Whether it is several formatters to the reference, so that a failure has no place of its own.
    several: bool,
    /// Whether it reads days of years.
    days_of_year: bool,
    /// Whether it counts on from months and days that there are.
    lenient: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Items(Vec<Item>),
    /// Seconds since 1970 and how many there are in a unit of the number.
    Epoch(Epoch),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Epoch {
    Seconds,
    Millis,
    Micros,
}

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant {
    /// Since 1970, rounded down.
    pub seconds: i64,
    pub nanos: u32,
}

/// How finely a field keeps dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    Millis,
    Nanos,
}

impl Instant {
    pub fn of_millis(ms: i64) -> Self {
        Self { seconds: ms.div_euclid(1000), nanos: (ms.rem_euclid(1000) * 1_000_000) as u32 }
    }

    pub fn millis(self) -> Option<i64> {
        self.seconds.checked_mul(1000)?.checked_add(i64::from(self.nanos / 1_000_000))
    }

    /// Refuses what is beyond the instants of Java.
    fn check_range(self) -> Result<()> {
        if (JAVA_SECONDS_MIN..=JAVA_SECONDS_MAX).contains(&self.seconds) {
            return Ok(());
        }
        let (seconds, nanos) = (self.seconds, self.nanos);
        let (micros, millis) = (nanos / 1_000, nanos / 1_000_000);
        let reason = format!(
            "Unable to obtain Instant from TemporalAccessor: {{InstantSeconds={seconds}, MicroOfSecond={micros}, NanoOfSecond={nanos}, MilliOfSecond={millis}}},ISO of type java.time.format.Parsed"
        );
        let cause = Error::new(ErrorKind::DateTime, "Instant exceeds minimum or maximum instant");
        Err(Error::new(ErrorKind::DateTime, reason).caused_by(cause))
    }

    /// As `Instant.toString` writes it.
    pub(super) fn text(self) -> String {
        let mut out = String::new();
        let format = compile("yyyy-MM-dd'T'HH:mm:ss", Style::Strict).unwrap_or_default();
        items::write(&format, &broken(self, &Zone::Utc), &mut out);
        let digits = format!("{:09}", self.nanos);
        let used = digits.trim_end_matches('0').len().div_ceil(3) * 3;
        if used > 0 {
            out.push('.');
            out.push_str(&digits[..used]);
        }
        out.push('Z');
        out
    }
}

/// Seconds since 1970 of the first and the last instant of Java.
const JAVA_SECONDS_MIN: i64 = -31_557_014_167_219_200;
const JAVA_SECONDS_MAX: i64 = 31_556_889_864_403_199;

impl Resolution {
    /// The encoded number of an instant.
    pub fn encode(self, instant: Instant) -> Result<i64> {
        match self {
            // What no long can count is the last that one can.
            Self::Millis => {
                instant.check_range()?;
                Ok(instant.millis().unwrap_or(if instant.seconds < 0 { i64::MIN } else { i64::MAX }))
            }
            Self::Nanos => {
                let text = || instant.text();
                if instant.seconds < 0 {
                    return Err(Error::illegal_argument(format!(
                        "date[{}] is before the epoch in 1970 and cannot be stored in nanosecond resolution",
                        text()
                    )));
                }
                let nanos = instant.seconds.checked_mul(1_000_000_000);
                nanos.and_then(|nanos| nanos.checked_add(instant.nanos.into())).ok_or_else(|| {
                    Error::illegal_argument(format!(
                        "date[{}] is after 2262-04-11T23:47:16.854775807 and cannot be stored in nanosecond resolution",
                        text()
                    ))
                })
            }
        }
    }

    /// Reads the text of a document's value.
    pub fn parse(self, format: &DateFormat, text: &str) -> Result<i64> {
        self.encode(format.parse_instant(text, false, &Zone::Utc)?)
    }
}

impl DateFormat {
    /// Reads a format: names (`strict_date_optional_time`, `epoch_millis`, …) and `java.time` patterns. Names of months and days are
    /// those of no language.
    pub fn parse(pattern: &str) -> Result<Self> {
        if pattern.is_empty() {
            return Err(Error::illegal_argument("No date pattern provided"));
        }
        // An 8 in front marked the patterns of java.time when there were others.
        let stripped = pattern.strip_prefix('8').unwrap_or(pattern);
        let mut parts = vec![];
        for part in stripped.split("||") {
            if part.is_empty() {
                return Err(Error::illegal_argument(format!(
                    "Cannot have empty element in multi date format pattern: {stripped}"
                )));
            }
            let part = part.trim();
            if part.is_empty() {
                return Err(Error::illegal_argument("No date pattern provided"));
            }
            parts.push(Part::parse(part)?);
        }
        Ok(Self { pattern: pattern.to_owned(), parts })
    }

    /// The same with names in a language.
    pub fn parse_in(pattern: &str, language: Names) -> Result<Self> {
        let mut format = Self::parse(pattern)?;
        for kind in format.parts.iter_mut().flat_map(|part| [&mut part.kind, &mut part.print]) {
            if let Kind::Items(items) = kind {
                items.iter_mut().for_each(|item| item.set_names(language));
            }
        }
        Ok(format)
    }

    /// What reads as this one and writes as `print` does.
    pub fn written_by(&self, print: &DateFormat) -> Self {
        let mut made = self.clone();
        if let (Some(own), Some(part)) = (made.parts.first_mut(), print.parts.first()) {
            own.print.clone_from(&part.print);
        }
        made
    }

    /// The format as it was written.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether its first alternative reads numbers since 1970.
    pub fn is_epoch(&self) -> bool {
        self.parts.first().is_some_and(|part| matches!(part.kind, Kind::Epoch(_)))
    }

    /// The first alternative's pattern, as it was written: what values are printed with.
    pub fn first_pattern(&self) -> &str {
        self.pattern.split("||").next().unwrap_or_default()
    }

    /// Reads a date to milliseconds since 1970. What is missing is filled from below, or, if `round_up`, times from above.
    /// `zone` holds where the text names none.
    pub fn parse_millis(&self, text: &str, round_up: bool, zone: &Zone) -> Result<i64> {
        Resolution::Millis.encode(self.parse_instant(text, round_up, zone)?)
    }

    /// The local time in 1972 of a text that names no year; `None` where one is named, or nothing can be read. Of a number only what it
    /// has beside whole seconds counts.
    pub fn parse_without_year(&self, text: &str) -> Option<i64> {
        let read = |part: &Part| match &part.kind {
            Kind::Epoch(epoch) => epoch.parse(text, false).map(|instant| Some(i64::from(instant.nanos / 1_000_000))),
            Kind::Items(items) => {
                let mut fields = Fields::default();
                let end = items::parse(items, text.as_bytes(), 0, &mut fields).ok()?;
                let is_read = end == text.len();
                is_read.then(|| resolve_without_year(fields).and_then(Instant::millis))
            }
        };
        self.parts.iter().find_map(read)?
    }

    /// Reads `2020-01-01`, `2020-01-01T10:00:00Z` and `2020-01-01T10:00:00.123Z` quickly, if this format means the usual
    /// by them.
    pub fn parse_fast(&self, text: &str) -> Option<i64> {
        if self.parts.first()?.iso { civil::parse_iso(text.as_bytes()) } else { None }
    }

    /// Reads a date. Errors are those of the reference.
    pub fn parse_instant(&self, text: &str, round_up: bool, zone: &Zone) -> Result<Instant> {
        self.parse_by(text, |part| part.parse_text(text, round_up, zone))
    }

    /// Whether a text is taken for a date, which it may not be: dates are looked for by what `java.time` reads, and no instant need
    /// follow from that.
    pub fn recognizes(&self, text: &str) -> bool {
        use Failure::{FoundLate, NoSuch, Unconverted, Unreadable};
        let is_read = |part: &Part| match part.parse_text(text, false, &Zone::Utc) {
            Ok(_) | Err(FoundLate(_) | Unconverted(_)) => true,
            Err(NoSuch(_) | Unreadable(_)) => false,
        };
        !text.is_empty() && self.parts.iter().any(is_read)
    }

    /// Reads a date where clocks show the time of `zone` whatever offset the text has; a zone that it names goes before, and is told.
    /// Numbers since 1970 are what they are.
    pub fn parse_by_clocks(&self, text: &str, zone: &Zone) -> Result<(Instant, Option<Zone>)> {
        self.parse_by(text, |part| part.parse_by_clocks(text, zone))
    }

    fn parse_by<T>(&self, text: &str, read: impl Fn(&Part) -> Result<T, Failure>) -> Result<T> {
        if text.is_empty() {
            return Err(Error::illegal_argument("cannot parse empty date"));
        }
        let mut failure = None;
        for part in &self.parts {
            match read(part) {
                Ok(instant) => return Ok(instant),
                Err(Failure::FoundLate(reason)) => return Err(Error::new(ErrorKind::DateTime, reason)),
                Err(Failure::Unconverted(reason)) => return Err(Error::illegal_argument(reason)),
                Err(reason) => failure = Some(reason),
            }
        }
        let told = |why: String| {
            let shown = abbreviated(text);
            Error::new(ErrorKind::DateTimeParse, format!("Text '{shown}' could not be parsed{why}"))
        };
        let cause = match failure.filter(|_| matches!(self.parts.as_slice(), [only] if !only.several)) {
            Some(Failure::Unreadable(reason)) => told(reason),
            Some(Failure::NoSuch(reason) | Failure::FoundLate(reason)) => {
                told(format!(": {reason}")).caused_by(Error::new(ErrorKind::DateTime, reason))
            }
            None | Some(Failure::Unconverted(_)) => {
                Error::new(ErrorKind::DateTimeParse, "Failed to parse with all enclosed parsers")
            }
        };
        let pattern = &self.pattern;
        Err(Error::illegal_argument(format!("failed to parse date field [{text}] with format [{pattern}]"))
            .caused_by(cause))
    }

    /// Writes milliseconds since 1970 as they are in `zone`.
    pub fn format(&self, ms: i64, zone: &Zone) -> String {
        self.format_instant(Instant::of_millis(ms), zone)
    }

    /// Writes nanoseconds since 1970.
    pub fn format_nanos(&self, nanos: i64, zone: &Zone) -> String {
        let instant =
            Instant { seconds: nanos.div_euclid(1_000_000_000), nanos: nanos.rem_euclid(1_000_000_000) as u32 };
        self.format_instant(instant, zone)
    }

    fn format_instant(&self, instant: Instant, zone: &Zone) -> String {
        let Some(part) = self.parts.first() else { return String::new() };
        match &part.print {
            Kind::Items(items) => {
                let mut out = String::with_capacity(32);
                items::write(items, &broken(instant, zone), &mut out);
                out
            }
            Kind::Epoch(epoch) => epoch.format(instant),
        }
    }
}

impl Part {
    fn parse(text: &str) -> Result<Self> {
        let epoch = match text {
            "epoch_second" => Some(Epoch::Seconds),
            "epoch_millis" => Some(Epoch::Millis),
            "epoch_micros" => Some(Epoch::Micros),
            _ => None,
        };
        if let Some(epoch) = epoch {
            return Ok(Self {
                kind: Kind::Epoch(epoch),
                print: Kind::Epoch(epoch),
                iso: false,
                several: true,
                days_of_year: false,
                lenient: false,
            });
        }
        if let Some(named) = names::find(text) {
            let mut items = compile(named.pattern, named.style)?;
            if names::tells_offsets(text) {
                items.iter_mut().for_each(items::Item::tell_offsets);
            }
            let days_of_year = items.iter().any(|item| item.reads(NumberField::DayOfYear));
            let kind = Kind::Items(items);
            let mut print = compile(named.print.unwrap_or(named.pattern), Style::Strict)?;
            if !names::prints_nanos(text) {
                print.iter_mut().for_each(items::Item::print_millis);
            }
            let print = Kind::Items(print);
            let (iso, several) = (named.iso, names::is_several(text));
            return Ok(Self { kind, print, iso, several, days_of_year, lenient: named.lenient });
        }
        let items = compile(text, Style::Java).map_err(|cause| {
            Error::illegal_argument(format!("Invalid format: [{text}]: {}", cause.reason())).caused_by(cause)
        })?;
        let print = Kind::Items(items.clone());
        let days_of_year = items.iter().any(|item| item.reads(NumberField::DayOfYear));
        Ok(Self { print, kind: Kind::Items(items), iso: false, several: false, days_of_year, lenient: false })
    }

    fn reading(&self, round_up: bool) -> Reading {
        Reading { round_up, days_of_year: self.days_of_year, lenient: self.lenient && !round_up }
    }

    fn parse_text(&self, text: &str, round_up: bool, zone: &Zone) -> Result<Instant, Failure> {
        match &self.kind {
            // The reference takes even these for what clocks in the zone show.
            Kind::Epoch(epoch) => epoch
                .parse(text, round_up)
                .map(|local| Instant { seconds: zone.to_utc(local.seconds), ..local })
                .ok_or_else(|| unreadable(text, 0)),
            Kind::Items(items) => resolve(read_fields(items, text)?, self.reading(round_up), zone),
        }
    }

    fn parse_by_clocks(&self, text: &str, zone: &Zone) -> Result<(Instant, Option<Zone>), Failure> {
        match &self.kind {
            Kind::Epoch(epoch) => {
                epoch.parse(text, false).map(|instant| (instant, None)).ok_or_else(|| unreadable(text, 0))
            }
            Kind::Items(items) => {
                let mut fields = read_fields(items, text)?;
                fields.zone = fields.zone.filter(|_| !fields.is_offset);
                let named = fields.zone.clone();
                let reading = self.reading(false);
                Ok((resolve(fields, reading, zone)?, named))
            }
        }
    }
}

/// The fields of all of a text.
fn read_fields(items: &[Item], text: &str) -> Result<Fields, Failure> {
    let mut fields = Fields::default();
    let end = items::parse(items, text.as_bytes(), 0, &mut fields).map_err(|at| unreadable(text, at))?;
    if end < text.len() {
        let at = utf16_index(text, end);
        return Err(Failure::Unreadable(format!(", unparsed text found at index {at}")));
    }
    Ok(fields)
}

fn unreadable(text: &str, at: usize) -> Failure {
    Failure::Unreadable(format!(" at index {}", utf16_index(text, at)))
}

/// A text as Java tells it where it cannot be read: no more than so many units of it.
fn abbreviated(text: &str) -> Cow<'_, str> {
    const SHOWN: usize = 64;
    if text.len() <= SHOWN || text.encode_utf16().count() <= SHOWN {
        return Cow::Borrowed(text);
    }
    let units: Vec<u16> = text.encode_utf16().take(SHOWN).collect();
    Cow::Owned(String::from_utf16_lossy(&units) + "...")
}

fn utf16_index(text: &str, at: usize) -> usize {
    text.get(..at).map_or(at, |before| before.encode_utf16().count())
}

impl Epoch {
    const fn per_second(self) -> i64 {
        match self {
            Self::Seconds => 1,
            Self::Millis => 1000,
            Self::Micros => 1_000_000,
        }
    }

    fn parse(self, text: &str, round_up: bool) -> Option<Instant> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, fraction) = match digits.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (digits, None),
        };
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_digits(whole) || fraction.is_some_and(|f| !f.is_empty() && !is_digits(f)) {
            return None;
        }
        let whole: i64 = whole.parse().ok()?;
        let unit = 1_000_000_000 / self.per_second();
        let places = unit.ilog10() as usize;
        let part = match fraction {
            None if round_up => unit - 1,
            None | Some("") => 0,
            Some(digits) if digits.len() > places => return None,
            Some(digits) => format!("{digits:0<places$}").parse().ok()?,
        };
        let (whole, part) = (i128::from(whole) * i128::from(unit), i128::from(part));
        let nanos = match (negative, self) {
            (false, _) => whole + part,
            // Seconds have the sign alone, which there is no zero with; what stands behind the point is added.
            (true, Self::Seconds) if whole == 0 => return None,
            (true, Self::Seconds) => part - whole,
            (true, _) => -(whole + part),
        };
        Some(Instant {
            seconds: i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?,
            nanos: nanos.rem_euclid(1_000_000_000) as u32,
        })
    }

    fn format(self, instant: Instant) -> String {
        let nanos = i128::from(instant.seconds) * 1_000_000_000 + i128::from(instant.nanos);
        let unit = i128::from(1_000_000_000 / self.per_second());
        let (whole, part) = match self {
            // The second before, and what is added to it, as it is parsed.
            Self::Seconds => (nanos.div_euclid(unit).abs(), nanos.rem_euclid(unit)),
            _ => ((nanos / unit).abs(), (nanos % unit).abs()),
        };
        let sign = if nanos < 0 { "-" } else { "" };
        if part == 0 {
            return format!("{sign}{whole}");
        }
        let digits = format!("{part:0width$}", width = unit.ilog10() as usize);
        format!("{sign}{whole}.{}", digits.trim_end_matches('0'))
    }
}

fn broken(instant: Instant, zone: &Zone) -> Broken {
    let offset = zone.offset_at(instant.seconds);
    let local = instant.seconds.saturating_add(offset.into());
    let (days, second_of_day) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let (year, month, day) = civil::civil_from_days(days);
    Broken { year, month, day, days, second_of_day, nano: instant.nanos.into(), offset, zone: zone.clone() }
}
