//! Where the bucket of a moment starts.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

const DAY_MS: i64 = 86_400_000;
/// A year of the calendar in the mean.
const YEAR_MS: i64 = 31_556_952_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    /// How long each is where clocks never change, and a moment since 1970 at which one begins. None where the calendar decides.
    fn span_and_origin(self) -> Option<(i64, i64)> {
        match self {
            Unit::Day => Some((DAY_MS, 0)),
            // The first Monday was the fifth day.
            Unit::Week => Some((7 * DAY_MS, 4 * DAY_MS)),
            _ => None,
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Unit> {
        Some(match text {
            "second" | "1s" => Unit::Second,
            "minute" | "1m" => Unit::Minute,
            "hour" | "1h" => Unit::Hour,
            "day" | "1d" => Unit::Day,
            "week" | "1w" => Unit::Week,
            "month" | "1M" => Unit::Month,
            "quarter" | "1q" => Unit::Quarter,
            "year" | "1y" => Unit::Year,
            _ => return None,
        })
    }

    /// Its usual length.
    pub(crate) fn length_ms(self) -> i64 {
        match self {
            Unit::Day => DAY_MS,
            Unit::Week => 7 * DAY_MS,
            // As the reference reckons: years of 365.2425 days, quarters and months as parts of them.
            Unit::Month => YEAR_MS / 12,
            Unit::Quarter => YEAR_MS / 4,
            Unit::Year => YEAR_MS,
            fixed => fixed.fixed_ms().unwrap_or(DAY_MS),
        }
    }

    /// Its length where that is the same everywhere.
    fn fixed_ms(self) -> Option<i64> {
        match self {
            Unit::Second => Some(1000),
            Unit::Minute => Some(60_000),
            Unit::Hour => Some(3_600_000),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Interval {
    Calendar(Unit),
    /// Milliseconds, above 0.
    Fixed(i64),
}

impl Interval {
    /// How long it always is by the clock of its zone.
    fn fixed_ms(self) -> Option<i64> {
        match self {
            Self::Fixed(length) => Some(length),
            Self::Calendar(unit) => unit.fixed_ms(),
        }
    }
}

/// Rounds milliseconds since 1970 down to starts of intervals, in a time zone, moved by an offset.
#[derive(Debug, Clone)]
pub(crate) struct Rounding {
    interval: Interval,
    zone: TimeZone,
    /// The zone's offset where it never changes.
    fixed_zone_ms: Option<i64>,
    offset_ms: i64,
}

impl Rounding {
    pub(crate) fn new(interval: Interval, zone: TimeZone, offset_ms: i64) -> Self {
        let fixed_zone_ms = zone.to_fixed_offset().ok().map(|o| i64::from(o.seconds()) * 1000);
        Self { interval, zone, fixed_zone_ms, offset_ms }
    }

    /// Whether it is that of UTC, and not moved.
    pub(crate) fn is_plain(&self) -> bool {
        self.zone == TimeZone::UTC && self.offset_ms == 0
    }

    /// Start of the interval that `ms` lies in.
    pub(crate) fn round(&self, ms: i64) -> i64 {
        self.round_plain(ms.saturating_sub(self.offset_ms)).saturating_add(self.offset_ms)
    }

    /// Start of the interval that `ms` would lie in without an offset.
    pub(crate) fn round_unmoved(&self, ms: i64) -> i64 {
        self.round_plain(ms)
    }

    /// The key that extended bounds begin or end at: they are moved once they have been rounded.
    pub(crate) fn round_bound(&self, ms: i64) -> i64 {
        self.round_plain(ms).saturating_add(self.offset_ms)
    }

    /// Start of the interval after the one that starts at `key`.
    pub(crate) fn next(&self, key: i64) -> i64 {
        self.next_plain(key.saturating_sub(self.offset_ms)).saturating_add(self.offset_ms)
    }

    /// About how long an interval is.
    pub(crate) fn length_ms(&self) -> i64 {
        match self.interval {
            Interval::Fixed(length) => length,
            Interval::Calendar(unit) => unit.fixed_ms().unwrap_or(match unit {
                Unit::Week => 7 * DAY_MS,
                Unit::Month => 30 * DAY_MS,
                Unit::Quarter => 91 * DAY_MS,
                Unit::Year => 365 * DAY_MS,
                Unit::Day | Unit::Hour | Unit::Minute | Unit::Second => DAY_MS,
            }),
        }
    }

    /// How long each interval is, where all are equally long.
    pub(crate) fn even_ms(&self) -> Option<i64> {
        let calendar = match self.interval {
            Interval::Calendar(unit) => unit.span_and_origin().map(|(span, _)| span),
            Interval::Fixed(_) => None,
        };
        self.interval.fixed_ms().or(calendar).filter(|_| self.fixed_zone_ms.is_some())
    }

    /// The same, remembering the interval found last.
    pub(crate) fn cached(self) -> CachedRounding {
        CachedRounding { rounding: self, start: 0, end: 0 }
    }

    fn round_plain(&self, ms: i64) -> i64 {
        match (self.interval.fixed_ms(), self.interval) {
            (Some(length), _) => self.round_fixed(ms, length),
            (None, Interval::Calendar(unit)) => match (self.fixed_zone_ms, unit.span_and_origin()) {
                (Some(zone_ms), Some((span, origin))) => {
                    let since = ms.saturating_add(zone_ms).saturating_sub(origin);
                    floor(since, span).saturating_add(origin).saturating_sub(zone_ms)
                }
                _ => self.round_calendar(ms, unit),
            },
            (None, Interval::Fixed(_)) => unreachable!("fixed intervals have a length"),
        }
    }

    fn round_fixed(&self, ms: i64, length: i64) -> i64 {
        let zone_ms = self.zone_ms(ms);
        let start = floor(ms.saturating_add(zone_ms), length).saturating_sub(zone_ms);
        if self.fixed_zone_ms.is_some() {
            return start;
        }
        // Where the offset changed since, the interval starts at that local time under the earlier offset, or at the change.
        let earlier_ms = self.zone_ms(start);
        if earlier_ms == zone_ms {
            return start;
        }
        let under_earlier = floor(ms.saturating_add(zone_ms), length).saturating_sub(earlier_ms);
        under_earlier.min(ms)
    }

    fn round_calendar(&self, ms: i64, unit: Unit) -> i64 {
        let near = near(ms);
        let local = near.saturating_add(self.zone_ms(near));
        let date = date_of(local).and_then(|date| first_day(date, unit));
        let start = date.and_then(|date| self.start_of(date)).unwrap_or_else(|| floor(near, 86_400_000));
        start.saturating_add(ms - near)
    }

    fn next_plain(&self, key: i64) -> i64 {
        match self.interval {
            Interval::Fixed(length) => self.step_fixed(key, length),
            Interval::Calendar(unit) => match unit.fixed_ms() {
                Some(length) => self.step_fixed(key, length),
                None => {
                    // Half a unit past the least length of one surely lies in the next interval.
                    let days = match unit {
                        Unit::Week => 10,
                        Unit::Month => 40,
                        Unit::Quarter => 110,
                        Unit::Year => 400,
                        _ => 1,
                    };
                    let inside = key.saturating_add(days * 86_400_000 + if days == 1 { 43_200_000 } else { 0 });
                    self.round_plain(inside)
                }
            },
        }
    }

    fn step_fixed(&self, key: i64, length: i64) -> i64 {
        const HALF_HOUR_MS: i64 = 1_800_000;
        let end = key.saturating_add(length);
        // Where an interval is longer by a change of offset, its own end is behind that.
        let behind = (0..=6).map(|n| n * HALF_HOUR_MS).take_while(|late| *late < length);
        // An hour repeated by a change of offset rounds back to where it began: go on until time advances.
        let further = (1..4).map(|n| length.saturating_mul(n));
        let mut starts = behind.chain(further).map(|late| self.round_fixed(end.saturating_add(late), length));
        starts.find(|start| *start > key).unwrap_or(end)
    }

    fn zone_ms(&self, ms: i64) -> i64 {
        if let Some(fixed) = self.fixed_zone_ms {
            return fixed;
        }
        Timestamp::from_millisecond(near(ms)).map_or(0, |at| i64::from(self.zone.to_offset(at).seconds()) * 1000)
    }

    /// The moment a local day begins.
    fn start_of(&self, date: Date) -> Option<i64> {
        if let Some(fixed) = self.fixed_zone_ms {
            let days = date.since(Date::constant(1970, 1, 1)).ok()?.get_days();
            return Some(i64::from(days) * 86_400_000 - fixed);
        }
        Some(date.to_zoned(self.zone.clone()).ok()?.timestamp().as_millisecond())
    }
}

/// A rounding that answers from the last interval while moments stay in it.
pub(crate) struct CachedRounding {
    rounding: Rounding,
    start: i64,
    end: i64,
}

impl CachedRounding {
    #[inline]
    pub(crate) fn round(&mut self, ms: i64) -> i64 {
        if ms >= self.start && ms < self.end {
            return self.start;
        }
        self.start = self.rounding.round(ms);
        self.end = self.rounding.next(self.start);
        self.start
    }
}

const MS_OF_400_YEARS: i64 = 146_097 * DAY_MS;

/// A moment in the same place of the calendar, which repeats itself every 400 years, that is far from the ends of what dates there are for.
fn near(ms: i64) -> i64 {
    const FAR: i64 = 18 * MS_OF_400_YEARS;
    match ms {
        FAR.. => FAR - MS_OF_400_YEARS + (ms - FAR) % MS_OF_400_YEARS,
        _ if ms < -FAR => MS_OF_400_YEARS - FAR + (ms + FAR) % MS_OF_400_YEARS,
        _ => ms,
    }
}

fn floor(value: i64, step: i64) -> i64 {
    value.div_euclid(step).saturating_mul(step)
}

fn date_of(local_ms: i64) -> Option<Date> {
    let days = i32::try_from(local_ms.div_euclid(86_400_000)).ok()?;
    Date::constant(1970, 1, 1).checked_add(jiff::Span::new().try_days(days).ok()?).ok()
}

fn first_day(date: Date, unit: Unit) -> Option<Date> {
    let month = match unit {
        Unit::Week => {
            let back = i64::from(date.weekday().to_monday_zero_offset());
            return date.checked_sub(jiff::Span::new().try_days(back).ok()?).ok();
        }
        Unit::Month => date.month(),
        Unit::Quarter => (date.month() - 1) / 3 * 3 + 1,
        Unit::Year => 1,
        Unit::Day | Unit::Hour | Unit::Minute | Unit::Second => return Some(date),
    };
    Date::new(date.year(), month, 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    fn calendar(unit: Unit, zone: &str) -> Rounding {
        let zone = if zone == "UTC" { TimeZone::UTC } else { TimeZone::get(zone).unwrap() };
        Rounding::new(Interval::Calendar(unit), zone, 0)
    }

    #[test]
    fn years_have_no_end() {
        for zone in ["UTC", "Europe/Moscow"] {
            let rounding = calendar(Unit::Year, zone);
            let start = rounding.round(253_402_300_800_000);
            assert_eq!(start, 253_402_300_800_000 - if zone == "UTC" { 0 } else { 3 * 3_600_000 });
            let mut cached = rounding.clone().cached();
            assert_eq!(cached.round(start - 1), start - 365 * DAY_MS);
            assert_eq!(cached.round(start), start);
            assert_eq!(rounding.next(start), start + 366 * DAY_MS);
            for ms in [i64::MIN, i64::MAX] {
                rounding.next(rounding.round(ms));
            }
        }
    }

    #[test]
    fn days_and_weeks_of_fixed_zones_are_those_of_the_calendar() {
        for hours in [0, 5, -11] {
            let zone = TimeZone::fixed(jiff::tz::offset(hours));
            for unit in [Unit::Day, Unit::Week] {
                let rounding = Rounding::new(Interval::Calendar(unit), zone.clone(), 0);
                for i in -2_000i64..2_000 {
                    let at = i * 71_234_567 + i % 7;
                    let start = rounding.round_calendar(at, unit);
                    assert_eq!(rounding.round_plain(at), start, "{unit:?} {at}");
                    assert_eq!(rounding.next_plain(start), start + rounding.even_ms().unwrap());
                }
            }
        }
    }

    #[test]
    fn calendar_units() {
        let at = ms("2020-03-31T22:10:00Z");
        let cases = [
            (Unit::Day, "2020-03-31T00:00:00Z"),
            (Unit::Week, "2020-03-30T00:00:00Z"),
            (Unit::Month, "2020-03-01T00:00:00Z"),
            (Unit::Quarter, "2020-01-01T00:00:00Z"),
            (Unit::Year, "2020-01-01T00:00:00Z"),
            (Unit::Hour, "2020-03-31T22:00:00Z"),
        ];
        for (unit, start) in cases {
            assert_eq!(calendar(unit, "UTC").round(at), ms(start), "{unit:?}");
        }
        assert_eq!(calendar(Unit::Month, "Europe/Berlin").round(at), ms("2020-03-31T22:00:00Z"));
    }

    #[test]
    fn buckets_tile_time_across_changes_of_offset() {
        for unit in [Unit::Hour, Unit::Day, Unit::Week, Unit::Month, Unit::Year] {
            for zone in ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"] {
                let rounding = calendar(unit, zone);
                let mut key = rounding.round(ms("2020-03-20T00:00:00Z"));
                for _ in 0..400 {
                    let next = rounding.next(key);
                    assert!(next > key, "{unit:?} {zone} {key}");
                    assert_eq!(rounding.round(key), key, "{unit:?} {zone} {key}");
                    assert_eq!(rounding.round(next - 1), key, "{unit:?} {zone} {key} {next}");
                    key = next;
                }
            }
        }
    }

    #[test]
    fn caching_changes_nothing() {
        let rounding = calendar(Unit::Day, "Europe/Berlin");
        let mut cached = rounding.clone().cached();
        for i in 0..5000 {
            let at = ms("2020-03-20T00:00:00Z") + i * 7_777_777 % 40_000_000_000;
            assert_eq!(cached.round(at), rounding.round(at));
        }
    }

    #[test]
    fn intervals_longer_by_a_change_of_offset_are_followed_by_the_next() {
        let rounding = Rounding::new(Interval::Fixed(90 * 86_400_000), TimeZone::get("America/New_York").unwrap(), 0);
        let key = rounding.round(ms("2018-12-01T00:00:00Z"));
        assert_eq!(key, ms("2018-10-16T04:00:00Z"));
        assert_eq!(rounding.next(key), ms("2019-01-14T05:00:00Z"));
        assert_eq!(rounding.next(ms("2019-01-14T05:00:00Z")), ms("2019-04-14T04:00:00Z"));
    }
}
