//! The formatters that have names: what they write depends on what a date or time has.

use super::super::super::error::{Failed, throw};
use super::text::{offset_text, zone_text};
use super::{DAYS, MONTHS, Temporal, is_offset, out_of_range};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// The names, each with the pattern that texts are read by.
const NAMED: [(&str, &str); 15] = [
    ("BASIC_ISO_DATE", "yyyyMMdd"),
    ("ISO_LOCAL_DATE", "yyyy-MM-dd"),
    ("ISO_OFFSET_DATE", "yyyy-MM-ddXXX"),
    ("ISO_DATE", "yyyy-MM-dd"),
    ("ISO_LOCAL_TIME", "HH:mm:ss"),
    ("ISO_OFFSET_TIME", "HH:mm:ssXXX"),
    ("ISO_TIME", "HH:mm:ss"),
    ("ISO_LOCAL_DATE_TIME", "yyyy-MM-dd'T'HH:mm:ss"),
    ("ISO_OFFSET_DATE_TIME", "yyyy-MM-dd'T'HH:mm:ssXXX"),
    ("ISO_ZONED_DATE_TIME", "yyyy-MM-dd'T'HH:mm:ssXXX"),
    ("ISO_DATE_TIME", "yyyy-MM-dd'T'HH:mm:ssXXX"),
    ("ISO_INSTANT", "yyyy-MM-dd'T'HH:mm:ss'Z'"),
    ("ISO_ORDINAL_DATE", "yyyy-DDD"),
    ("ISO_WEEK_DATE", "YYYY-'W'ww-e"),
    ("RFC_1123_DATE_TIME", "EEE, d MMM yyyy HH:mm:ss Z"),
];

/// The pattern that a formatter reads by.
pub(super) fn pattern_of(name: &str) -> &str {
    NAMED.iter().find(|(known, _)| *known == name).map_or(name, |(_, pattern)| pattern)
}

/// What of a date or time can be written.
struct Parts {
    date: Option<Date>,
    time: Option<Time>,
    zoned: Option<Zoned>,
    instant: Option<Timestamp>,
}

impl Parts {
    fn of(temporal: &Temporal, zone: Option<&TimeZone>) -> Self {
        let zoned = match (temporal, zone) {
            (Temporal::Zoned(at), Some(zone)) => Some(at.with_time_zone(zone.clone())),
            (Temporal::Zoned(at), None) => Some((**at).clone()),
            (Temporal::Instant(at), Some(zone)) => Some(at.to_zoned(zone.clone())),
            _ => None,
        };
        let instant = match temporal {
            Temporal::Instant(at) => Some(*at),
            _ => zoned.as_ref().map(Zoned::timestamp),
        };
        let date = zoned.as_ref().map(Zoned::date).or_else(|| temporal.date());
        let time = zoned.as_ref().map(Zoned::time).or_else(|| temporal.time());
        Self { date, time, zoned, instant }
    }

    fn date(&self) -> Result<Date, Failed> {
        self.date.ok_or_else(|| unsupported("Year"))
    }

    /// With seconds, and as many digits behind them as it takes.
    fn time(&self) -> Result<String, Failed> {
        let time = self.time.ok_or_else(|| unsupported("HourOfDay"))?;
        let whole = format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second());
        Ok(match time.subsec_nanosecond() {
            0 => whole,
            nanos => format!("{whole}.{}", format!("{nanos:09}").trim_end_matches('0')),
        })
    }

    fn offset(&self) -> Result<String, Failed> {
        self.offset_if_any().ok_or_else(|| unsupported("OffsetSeconds"))
    }

    fn offset_if_any(&self) -> Option<String> {
        self.zoned.as_ref().map(|at| offset_text(at.offset()))
    }

    /// The region, in brackets.
    fn region(&self) -> String {
        let zone = self.zoned.as_ref().map(Zoned::time_zone).filter(|zone| !is_offset(zone));
        zone.map_or_else(String::new, |zone| format!("[{}]", zone_text(zone)))
    }
}

#[cold]
fn unsupported(field: &str) -> Failed {
    throw("UnsupportedTemporalTypeException", format!("Unsupported field: {field}"))
}

/// A date or time as a formatter with a name writes it; none if it has no name.
pub(super) fn format(name: &str, zone: Option<&TimeZone>, of: &Temporal) -> Option<Result<String, Failed>> {
    NAMED.iter().any(|(known, _)| *known == name).then(|| write(name, &Parts::of(of, zone)))
}

fn write(name: &str, parts: &Parts) -> Result<String, Failed> {
    let day = |date: Date| Temporal::Date(date).to_string();
    let optional = || parts.offset_if_any().unwrap_or_default();
    Ok(match name {
        "BASIC_ISO_DATE" => day(parts.date()?).replace('-', "") + &optional().replace(':', ""),
        "ISO_LOCAL_DATE" => day(parts.date()?),
        "ISO_OFFSET_DATE" => day(parts.date()?) + &parts.offset()?,
        "ISO_DATE" => day(parts.date()?) + &optional(),
        "ISO_LOCAL_TIME" => parts.time()?,
        "ISO_OFFSET_TIME" => parts.time()? + &parts.offset()?,
        "ISO_TIME" => parts.time()? + &optional(),
        "ISO_LOCAL_DATE_TIME" => format!("{}T{}", day(parts.date()?), parts.time()?),
        "ISO_OFFSET_DATE_TIME" => format!("{}T{}{}", day(parts.date()?), parts.time()?, parts.offset()?),
        "ISO_ZONED_DATE_TIME" => {
            format!("{}T{}{}{}", day(parts.date()?), parts.time()?, parts.offset()?, parts.region())
        }
        "ISO_DATE_TIME" => format!("{}T{}{}{}", day(parts.date()?), parts.time()?, optional(), parts.region()),
        "ISO_INSTANT" => {
            let at = parts.instant.ok_or_else(|| unsupported("InstantSeconds"))?;
            Temporal::Instant(at).to_string()
        }
        "ISO_ORDINAL_DATE" => {
            let date = parts.date()?;
            format!("{:04}-{:03}{}", date.year(), date.day_of_year(), optional())
        }
        "ISO_WEEK_DATE" => {
            let week = parts.date.ok_or_else(|| unsupported("WeekBasedYear"))?.iso_week_date();
            let day = week.weekday().to_monday_one_offset();
            format!("{:04}-W{:02}-{day}{}", week.year(), week.week(), optional())
        }
        _ => rfc_1123(parts)?,
    })
}

/// As mails have it.
fn rfc_1123(parts: &Parts) -> Result<String, Failed> {
    let date = parts.date.ok_or_else(|| unsupported("DayOfMonth"))?;
    let short = |name: &str| name[..1].to_owned() + &name[1..3].to_ascii_lowercase();
    let weekday = short(DAYS[date.weekday().to_monday_zero_offset() as usize]);
    let month = short(MONTHS[usize::try_from(date.month() - 1).map_err(out_of_range)?]);
    let time = parts.time.ok_or_else(|| unsupported("HourOfDay"))?;
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    let offset = match parts.offset()?.as_str() {
        "Z" => "GMT".to_owned(),
        offset => offset[..offset.len().min(6)].replace(':', ""),
    };
    Ok(format!("{weekday}, {} {month} {:04} {hour:02}:{minute:02}:{second:02} {offset}", date.day(), date.year()))
}
