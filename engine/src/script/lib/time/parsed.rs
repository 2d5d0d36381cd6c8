//! What a formatter reads out of a text, and what the classes make of it.

use super::super::super::error::{Failed, throw};
use super::iso::pattern_of;
use super::text::{Pattern, compiled, parse, refused_by, zone_text};
use super::{Temporal, is_offset, out_of_range};
use crate::mapping::date::Zone;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};

/// The parts that a text has of a time.
#[derive(Default)]
struct Parsed {
    date: Option<Date>,
    time: Option<Time>,
    /// An offset or a region, and the offset that stands beside the region.
    zone: Option<TimeZone>,
    offset: Option<Offset>,
    /// Year and month, where there is no day.
    month: Option<Date>,
    /// The zone of the formatter, which counts before that of the text.
    over: Option<TimeZone>,
}

/// Reads a date or time in the notation of a formatter.
pub(super) fn parse_with(
    class: &str,
    text: &str,
    pattern: Pattern<'_>,
    zone: Option<&TimeZone>,
) -> Result<Temporal, Failed> {
    let mut parsed = match read_named(text, pattern.text) {
        Some(parsed) => parsed?,
        None => read(text, pattern)?,
    };
    parsed.over = zone.cloned();
    parsed.as_class(class).ok_or_else(|| parsed.not_obtained(class, text))
}

/// By the formatters whose texts are those of the classes themselves.
fn read_named(text: &str, name: &str) -> Option<Result<Parsed, Failed>> {
    let has_zone = text.find('T').is_some_and(|at| text[at..].contains(['Z', '+', '-']));
    let class = match name {
        "ISO_LOCAL_DATE" => "LocalDate",
        "ISO_DATE" if text.len() <= 10 => "LocalDate",
        "ISO_LOCAL_TIME" => "LocalTime",
        "ISO_TIME" if !text.contains(['Z', '+', '-']) => "LocalTime",
        "ISO_LOCAL_DATE_TIME" => "LocalDateTime",
        "ISO_DATE_TIME" if !has_zone => "LocalDateTime",
        "ISO_OFFSET_DATE_TIME" => "OffsetDateTime",
        "ISO_ZONED_DATE_TIME" | "ISO_DATE_TIME" => "ZonedDateTime",
        "ISO_INSTANT" => "Instant",
        _ => return None,
    };
    Some(parse(class, text).map(|read| match read {
        Temporal::Zoned(at) | Temporal::Offset(at) => Parsed {
            date: Some(at.date()),
            time: Some(at.time()),
            zone: Some(at.time_zone().clone()),
            offset: Some(at.offset()),
            ..Parsed::default()
        },
        Temporal::Instant(at) => {
            let at = at.to_zoned(TimeZone::UTC);
            let zone = Some(TimeZone::UTC);
            Parsed {
                date: Some(at.date()),
                time: Some(at.time()),
                zone,
                offset: Some(Offset::UTC),
                ..Parsed::default()
            }
        }
        Temporal::DateTime(at) => Parsed { date: Some(at.date()), time: Some(at.time()), ..Parsed::default() },
        Temporal::Date(date) => Parsed { date: Some(date), ..Parsed::default() },
        Temporal::Time(time) => Parsed { time: Some(time), ..Parsed::default() },
        _ => Parsed::default(),
    }))
}

fn read(text: &str, pattern: Pattern<'_>) -> Result<Parsed, Failed> {
    let pattern = Pattern { text: pattern_of(pattern.text), ..pattern };
    let format = compiled(pattern)?;
    let refused = |_| refused_by(text, pattern);
    let (by_clocks, region) = format.parse_by_clocks(text, &Zone::Utc).map_err(refused)?;
    let region = match region {
        Some(Zone::Utc) => Some(super::zone("UTC")?),
        Some(Zone::Fixed(seconds)) => Some(TimeZone::fixed(Offset::from_seconds(seconds).map_err(out_of_range)?)),
        Some(Zone::Region(zone)) => Some(zone),
        None => None,
    };
    let at = Timestamp::new(by_clocks.seconds, by_clocks.nanos as i32).map_err(out_of_range)?;
    let local = at.to_zoned(region.clone().unwrap_or(TimeZone::UTC)).datetime();
    // A text without an offset is a moment that depends on the zone that it is read in.
    let moment = |zone: Zone| format.parse_instant(text, false, &zone).map(|instant| instant.seconds).map_err(refused);
    let (here, there) = (moment(Zone::Utc)?, moment(Zone::Fixed(3_600))?);
    let offset = match region {
        None if here == there => {
            let east = i32::try_from(by_clocks.seconds - here).unwrap_or_default();
            Some(Offset::from_seconds(east).map_err(out_of_range)?)
        }
        _ => None,
    };
    let letters = Letters::of(pattern.text);
    let date = letters.has_date().then(|| local.date());
    Ok(Parsed {
        date,
        time: letters.has_time().then(|| local.time()),
        zone: region.or_else(|| offset.map(TimeZone::fixed)),
        offset,
        month: date.is_none().then(|| local.date()),
        over: None,
    })
}

/// What a pattern asks for, outside of quotes.
struct Letters(String);

impl Letters {
    fn of(pattern: &str) -> Self {
        Self(pattern.split('\'').step_by(2).collect())
    }

    fn any(&self, letters: &[char]) -> bool {
        self.0.contains(letters)
    }

    fn has_date(&self) -> bool {
        let year = self.any(&['y', 'u']);
        let day = self.any(&['D']) || self.any(&['d']) && self.any(&['M', 'L']);
        year && day || self.any(&['Y']) && self.any(&['w']) && self.any(&['e', 'E', 'c'])
    }

    fn has_time(&self) -> bool {
        self.any(&['H', 'k', 'A', 'N']) || self.any(&['a']) && self.any(&['h', 'K'])
    }
}

impl Parsed {
    /// The zone that counts.
    fn zone(&self) -> Option<&TimeZone> {
        self.over.as_ref().or(self.zone.as_ref())
    }

    fn local(&self) -> Option<DateTime> {
        Some(DateTime::from_parts(self.date?, self.time?))
    }

    /// The moment: by the offset of the text, or else by the zone.
    fn instant(&self) -> Option<Timestamp> {
        let local = self.local()?;
        match self.offset {
            Some(offset) => offset.to_timestamp(local).ok(),
            None => Some(local.to_zoned(self.zone()?.clone()).ok()?.timestamp()),
        }
    }

    fn as_class(&self, class: &str) -> Option<Temporal> {
        let date = || self.date.or(self.month);
        Some(match class {
            "LocalDate" => Temporal::Date(self.date?),
            "Year" => Temporal::Year(i32::from(date()?.year())),
            "YearMonth" => Temporal::YearMonth(i32::from(date()?.year()), i32::from(date()?.month())),
            // Of which a day and a month are wanted.
            "MonthDay" => Temporal::Date(date()?),
            "LocalTime" => Temporal::Time(self.time?),
            "LocalDateTime" => Temporal::DateTime(self.local()?),
            "Instant" => Temporal::Instant(self.instant()?),
            "OffsetDateTime" => {
                let offset = self.offset.or_else(|| self.zone.as_ref()?.to_fixed_offset().ok())?;
                Temporal::Offset(Box::new(self.instant()?.to_zoned(TimeZone::fixed(offset))))
            }
            "ZonedDateTime" => Temporal::Zoned(Box::new(self.instant()?.to_zoned(self.zone()?.clone()))),
            // Of any class: as much as there is.
            _ => match (self.local(), self.zone()) {
                (Some(_), Some(zone)) => Temporal::Zoned(Box::new(self.instant()?.to_zoned(zone.clone()))),
                (Some(local), None) => Temporal::DateTime(local),
                (None, _) => match (self.date, self.time) {
                    (Some(date), _) => Temporal::Date(date),
                    (None, Some(time)) => Temporal::Time(time),
                    (None, None) => Temporal::YearMonth(i32::from(date()?.year()), i32::from(date()?.month())),
                },
            },
        })
    }

    /// As Java shows it.
    fn shown(&self) -> String {
        let mut fields = vec![];
        let instant = self.instant().filter(|_| self.zone().is_some());
        if let Some(offset) = self.offset {
            fields.push(format!("OffsetSeconds={}", offset.seconds()));
        }
        if let Some(at) = instant {
            fields.push(format!("InstantSeconds={}", at.as_second()));
        }
        if let (Some(month), None, None) = (self.month, self.date, self.time) {
            fields.push(format!("MonthOfYear={}, Year={}", month.month(), month.year()));
        }
        let mut out = format!("{{{}}},ISO", fields.join(", "));
        if let Some(over) = &self.over {
            out += &format!(",{},-1", zone_text(over));
        } else if let Some(region) = self.zone.as_ref().filter(|zone| !is_offset(zone)) {
            out += &format!(",{}", zone_text(region));
        }
        let resolved = match (self.date, self.time) {
            (Some(date), Some(time)) => Temporal::DateTime(DateTime::from_parts(date, time)),
            (Some(date), None) => Temporal::Date(date),
            (None, Some(time)) => Temporal::Time(time),
            (None, None) => return out,
        };
        format!("{out} resolved to {resolved}")
    }

    #[cold]
    fn not_obtained(&self, class: &str, text: &str) -> Failed {
        let told = |what: &str| {
            format!("Unable to obtain {what} from TemporalAccessor: {} of type java.time.format.Parsed", self.shown())
        };
        let lacking = match class {
            "LocalDateTime" if self.date.is_none() => Some("LocalDate"),
            "LocalDateTime" => Some("LocalTime"),
            "ZonedDateTime" if self.zone().is_none() => Some("ZoneId"),
            "OffsetDateTime" if self.offset.is_none() => Some("ZoneOffset"),
            "ZonedDateTime" | "OffsetDateTime" if self.date.is_none() => Some("LocalDate"),
            "ZonedDateTime" | "OffsetDateTime" => Some("LocalTime"),
            _ => None,
        };
        let reason = format!("Text '{text}' could not be parsed: {}", told(class));
        let mut cause = throw("DateTimeException", told(class));
        if let Some(lacking) = lacking {
            cause = cause.made_by(*throw("DateTimeException", told(lacking)));
        }
        throw("DateTimeParseException", reason).made_by(*cause)
    }
}
