//! Date math: `now-1d/d`, `2020-01-01||+1M/M`.

use super::civil;
use super::format::{DateFormat, Instant, Resolution};
use super::zone::Zone;
use crate::error::{Error, ErrorKind, Result};

impl DateFormat {
    /// Reads a date of a query: `now` or a date in this format, with math behind. The result is encoded for `resolution`.
    ///
    /// `round_up` asks for the last instant of what the text names (`now/d`: the end of the day).
    pub fn parse_math(
        &self,
        text: &str,
        now_ms: i64,
        round_up: bool,
        zone: &Zone,
        resolution: Resolution,
    ) -> Result<i64> {
        let base = |date: &str, round_up: bool| {
            if date.is_empty() {
                return Err(refuse("cannot parse empty date".to_owned()));
            }
            self.parse_instant(date, round_up, zone).map_err(|cause| {
                // What is found late is no failure of reading.
                if cause.kind() == ErrorKind::DateTime {
                    return cause;
                }
                let pattern = self.pattern();
                let reason = cause.reason();
                Error::new(
                    ErrorKind::Parse,
                    format!("failed to parse date field [{date}] with format [{pattern}]: [{reason}]"),
                )
                .caused_by(cause)
            })
        };
        let instant = match (text.strip_prefix("now"), text.split_once("||")) {
            (Some(math), _) => apply(math, Instant::of_millis(now_ms), round_up, zone)?,
            (None, Some((date, math))) => apply(math, base(date, false)?, round_up, zone)?,
            (None, None) => base(text, round_up)?,
        };
        resolution.encode(instant)
    }
}

fn refuse(reason: String) -> Error {
    Error::new(ErrorKind::Parse, reason)
}

/// Applies `+1M`, `-2d`, `/y` … one after the other.
fn apply(math: &str, mut instant: Instant, round_up: bool, zone: &Zone) -> Result<Instant> {
    let mut chars = math.char_indices().peekable();
    while let Some((_, operator)) = chars.next() {
        let (round, sign) = match operator {
            '/' => (true, 1),
            '+' => (false, 1),
            '-' => (false, -1),
            _ => return Err(refuse(format!("operator not supported for date math [{math}]"))),
        };
        let mut digits = String::new();
        while let Some((_, digit)) = chars.next_if(|(_, c)| c.is_ascii_digit()) {
            digits.push(digit);
        }
        let Some((_, unit)) = chars.next() else {
            return Err(refuse(format!("truncated date math [{math}]")));
        };
        let count: i64 = if digits.is_empty() {
            1
        } else {
            digits
                .parse::<i32>()
                .map(i64::from)
                .map_err(|_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{digits}\"")))?
        };
        if round && count != 1 {
            return Err(refuse(format!("rounding `/` can only be used on single unit types [{math}]")));
        }
        let unit =
            Unit::of(unit).ok_or_else(|| refuse(format!("unit [{unit}] not supported for date math [{math}]")))?;
        let moved = if round { unit.round(instant, round_up, zone) } else { unit.add(instant, sign * count, zone) };
        instant = moved.ok_or_else(|| refuse(format!("date math goes out of range [{math}]")))?;
    }
    Ok(instant)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
}

/// Days that dates are kept within, so that arithmetic on them cannot overflow.
const MAX_DAYS: i64 = 400_000_000_000;

impl Unit {
    fn of(letter: char) -> Option<Self> {
        Some(match letter {
            'y' => Self::Year,
            'M' => Self::Month,
            'w' => Self::Week,
            'd' => Self::Day,
            'h' | 'H' => Self::Hour,
            'm' => Self::Minute,
            's' => Self::Second,
            _ => return None,
        })
    }

    fn add(self, instant: Instant, count: i64, zone: &Zone) -> Option<Instant> {
        let seconds = match self {
            Self::Hour => instant.seconds.checked_add(count.checked_mul(3600)?)?,
            Self::Minute => instant.seconds.checked_add(count.checked_mul(60)?)?,
            Self::Second => instant.seconds.checked_add(count)?,
            _ => {
                let (days, rest) = local(instant, zone);
                zone.to_utc(self.add_days(days, count)?.checked_mul(86_400)?.checked_add(rest)?)
            }
        };
        Some(Instant { seconds, ..instant })
    }

    /// Adds calendar units to days since 1970; a day that the month does not have becomes its last.
    fn add_days(self, days: i64, count: i64) -> Option<i64> {
        let moved = match self {
            Self::Week => days.checked_add(count.checked_mul(7)?)?,
            Self::Day => days.checked_add(count)?,
            Self::Year | Self::Month => {
                let (year, month, day) = civil::civil_from_days(days);
                let months = if self == Self::Year { count.checked_mul(12)? } else { count };
                let total = year.checked_mul(12)?.checked_add(month - 1)?.checked_add(months)?;
                let (year, month) = (total.div_euclid(12), total.rem_euclid(12) + 1);
                civil::days_from_civil(year, month, day.min(civil::days_of_month(year, month)))
            }
            Self::Hour | Self::Minute | Self::Second => return None,
        };
        (moved.abs() < MAX_DAYS).then_some(moved)
    }

    /// The first instant of the unit that `instant` lies in, or its last millisecond.
    fn round(self, instant: Instant, up: bool, zone: &Zone) -> Option<Instant> {
        let (days, rest) = local(instant, zone);
        let (days, rest) = match self {
            Self::Year => (civil::days_from_civil(civil::civil_from_days(days).0, 1, 1), 0),
            Self::Month => {
                let (year, month, _) = civil::civil_from_days(days);
                (civil::days_from_civil(year, month, 1), 0)
            }
            Self::Week => (days - civil::day_of_week(days) + 1, 0),
            Self::Day => (days, 0),
            Self::Hour => (days, rest - rest % 3600),
            Self::Minute => (days, rest - rest % 60),
            Self::Second => (days, rest),
        };
        let start = Instant { seconds: zone.to_utc(days.checked_mul(86_400)?.checked_add(rest)?), nanos: 0 };
        if !up {
            return Some(start);
        }
        let next = self.add(start, 1, zone)?;
        Some(Instant { seconds: next.seconds.checked_sub(1)?, nanos: 999_000_000 })
    }
}

/// Local days since 1970 and the second of the day.
fn local(instant: Instant, zone: &Zone) -> (i64, i64) {
    let local = instant.seconds.saturating_add(zone.offset_at(instant.seconds).into());
    (local.div_euclid(86_400), local.rem_euclid(86_400))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn math(text: &str, up: bool, zone: &str) -> String {
        let format = DateFormat::parse("strict_date_optional_time||epoch_millis").unwrap();
        // 2020-02-05T10:20:30.400Z, a Wednesday.
        let now_ms = 1_580_898_030_400;
        match format.parse_math(text, now_ms, up, &Zone::parse(zone).unwrap(), Resolution::Millis) {
            Ok(ms) => format.format(ms, &Zone::Utc),
            Err(error) => error.reason().to_owned(),
        }
    }

    #[test]
    fn adds_and_rounds() {
        let cases = [
            ("now", false, "Z", "2020-02-05T10:20:30.400Z"),
            ("now-1d", false, "Z", "2020-02-04T10:20:30.400Z"),
            ("now/d", false, "Z", "2020-02-05T00:00:00.000Z"),
            ("now/d", true, "Z", "2020-02-05T23:59:59.999Z"),
            ("now/w", false, "Z", "2020-02-03T00:00:00.000Z"),
            ("now/M", true, "Z", "2020-02-29T23:59:59.999Z"),
            ("now-1y/y", false, "Z", "2019-01-01T00:00:00.000Z"),
            ("now+1M-2h/h", false, "Z", "2020-03-05T08:00:00.000Z"),
            ("2020-01-31||+1M/d", false, "Z", "2020-02-29T00:00:00.000Z"),
            ("2020-01-31||/d", true, "Z", "2020-01-31T23:59:59.999Z"),
            ("2020-01-31", true, "Z", "2020-01-31T23:59:59.999Z"),
            ("now/d", false, "+02:00", "2020-02-04T22:00:00.000Z"),
            ("now/d", false, "Europe/Paris", "2020-02-04T23:00:00.000Z"),
            ("2020-01-01", false, "-01:00", "2020-01-01T01:00:00.000Z"),
        ];
        for (text, up, zone, expected) in cases {
            assert_eq!(math(text, up, zone), expected, "{text} {up} {zone}");
        }
    }

    #[test]
    fn refusals() {
        let cases = [
            ("now*1d", "operator not supported for date math [*1d]"),
            ("now+1", "truncated date math [+1]"),
            ("now/2d", "rounding `/` can only be used on single unit types [/2d]"),
            ("now+1x", "unit [x] not supported for date math [+1x]"),
            (
                "foo",
                "failed to parse date field [foo] with format [strict_date_optional_time||epoch_millis]: [failed to parse date field [foo] with format [strict_date_optional_time||epoch_millis]]",
            ),
        ];
        for (text, reason) in cases {
            assert_eq!(math(text, false, "Z"), reason);
        }
        for text in ["now+2147483647y+2147483647y", "now+999999999999999999999d"] {
            math(text, true, "Z");
        }
    }
}
