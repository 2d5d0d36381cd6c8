//! From the fields that were read to the instant that they name: first `java.time` puts dates and times together of them, then the
//! reference makes an instant of whatever came of that.

use super::civil;
use super::format::Instant;
use super::items::{Broken, Fields};
use super::number_field::NumberField as F;
use super::zone::Zone;

/// Why a text is no date.
pub(super) enum Failure {
    /// What the reference says behind "could not be parsed".
    Unreadable(String),
    /// The numbers can be read, but there is no such date or time.
    NoSuch(String),
    /// The same, found when all of the text was taken for read: no other format is tried.
    FoundLate(String),
    /// The parts can be read, but no day follows from them: no other format is tried.
    Unconverted(String),
}

/// What a formatter reads with.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// Missing times are the last ones of their kind. Such formatters are smart ones, the others strict ones: a day that a month does not
    /// have is its last then, and a year of an era needs none.
    pub round_up: bool,
    /// Whether the format names days of years, so that those are filled in rather than months and their days.
    pub days_of_year: bool,
    /// Months and days that there are not are counted on from those that there are.
    pub lenient: bool,
}

/// The instant that the fields name, or why they name none.
pub(super) fn resolve(fields: Fields, reading: Reading, zone: &Zone) -> Result<Instant, Failure> {
    let zone = fields.zone.clone().unwrap_or_else(|| zone.clone());
    let parsed = Parsed::of(fields, reading).map_err(Failure::NoSuch)?;
    let (days, (second_of_day, nanos)) = (parsed.local_day()?, parsed.time.unwrap_or_default());
    let local = days.checked_mul(86_400).and_then(|seconds| seconds.checked_add(second_of_day));
    let local = local.ok_or_else(|| Failure::FoundLate("the year is out of range".to_owned()))?;
    Ok(Instant { seconds: zone.to_utc(local), nanos })
}

/// The year that stands for one that is not named: one with all the days there are.
const ANY_YEAR: i64 = 1972;

/// The local time in 1972 of fields that name no year; `None` where they do, or name nothing that there is. A day that a month does not
/// have is its last.
pub(super) fn resolve_without_year(fields: Fields) -> Option<Instant> {
    let parsed = Parsed::of(fields, Reading { round_up: false, days_of_year: false, lenient: false }).ok()?;
    // The weeks of a language are not those that are looked for.
    let years = [F::Year, F::YearOfEra, F::WeekYear];
    if parsed.days.is_some() || years.into_iter().any(|year| parsed.get(year).is_some()) {
        return None;
    }
    let month = parsed.get(F::Month).unwrap_or(1);
    let last = civil::days_of_month(ANY_YEAR, month);
    let days = date(ANY_YEAR, month, parsed.get(F::Day).unwrap_or(1).min(last)).ok()?;
    // Of what is no time yet hours and fractions count.
    let parts = || (parsed.get(F::Hour).unwrap_or(0) * 3600, parsed.get(F::Nano).unwrap_or(0) as u32);
    let (second_of_day, nanos) = parsed.time.unwrap_or_else(parts);
    Some(Instant { seconds: days * 86_400 + second_of_day, nanos })
}

/// What is made of the fields: a date, a time, and what is left of them.
struct Parsed {
    fields: Fields,
    smart: bool,
    lenient: bool,
    /// Since 1970.
    days: Option<i64>,
    /// The second of the day, and nanoseconds.
    time: Option<(i64, u32)>,
    /// Whether the time was 24:00.
    next_day: bool,
}

impl Parsed {
    fn of(fields: Fields, reading: Reading) -> Result<Self, String> {
        let mut parsed =
            Self { fields, smart: reading.round_up, lenient: reading.lenient, days: None, time: None, next_day: false };
        if reading.round_up {
            let dates = if reading.days_of_year { &[(F::DayOfYear, 1)][..] } else { &[(F::Month, 1), (F::Day, 1)] };
            let times = &[(F::Hour, 23), (F::Minute, 59), (F::Second, 59), (F::Nano, 999_999_999)];
            for (field, value) in dates.iter().chain(times) {
                let value = parsed.get(*field).unwrap_or(*value);
                parsed.fields.put(*field, Some(value));
            }
        }
        parsed.resolve_date()?;
        parsed.resolve_time()?;
        if parsed.resolve_weeks()? {
            parsed.resolve_date()?;
            parsed.resolve_time()?;
        }
        parsed.default_time()?;
        parsed.cross_check()?;
        if parsed.next_day {
            parsed.days = parsed.days.map(|days| days + 1);
        }
        Ok(parsed)
    }

    fn get(&self, field: F) -> Option<i64> {
        self.fields.get(field)
    }

    fn take(&mut self, field: F) -> Option<i64> {
        let value = self.fields.get(field);
        self.fields.put(field, None);
        value
    }

    fn forget(&mut self, fields: &[F]) {
        fields.iter().for_each(|field| self.fields.put(*field, None));
    }

    /// Sets what follows from another field, which must be what it is already.
    fn derive(&mut self, field: F, value: i64, from: Option<F>) -> Result<(), String> {
        if let Some(old) = self.get(field).filter(|old| *old != value) {
            let name = field.name();
            let from = from.map_or(String::new(), |from| format!(" while resolving  {}", from.name()));
            return Err(format!("Conflict found: {name} {old} differs from {name} {value}{from}"));
        }
        self.fields.put(field, Some(value));
        Ok(())
    }

    fn set_days(&mut self, days: i64) -> Result<(), String> {
        if let Some(old) = self.days.filter(|old| *old != days) {
            let (old, new) = (date_text(old), date_text(days));
            return Err(format!("Conflict found: Fields resolved to two different dates: {old} {new}"));
        }
        self.days = Some(days);
        Ok(())
    }

    fn resolve_date(&mut self) -> Result<(), String> {
        if let Some(of_era) = self.take(F::YearOfEra) {
            F::YearOfEra.check(of_era)?;
            let signed = |after: bool| if after { of_era } else { 1 - of_era };
            match (self.take(F::Era), self.get(F::Year)) {
                (Some(era), _) => self.derive(F::Year, signed(era == 1), None)?,
                (None, Some(year)) => self.derive(F::Year, signed(year > 0), None)?,
                (None, None) if self.smart => self.fields.put(F::Year, Some(of_era)),
                (None, None) => self.fields.put(F::YearOfEra, Some(of_era)),
            }
        }
        let Some(year) = self.get(F::Year) else { return Ok(()) };
        if let (Some(month), Some(day)) = (self.get(F::Month), self.get(F::Day)) {
            self.forget(&[F::Year, F::Month, F::Day]);
            F::Year.check(year)?;
            if self.lenient {
                let (years, month) = ((month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1);
                return self.set_days(date(year + years, month, 1)? + day - 1);
            }
            F::Month.check(month)?;
            F::Day.check(day)?;
            let last = civil::days_of_month(year, month);
            return self.set_days(date(year, month, if self.smart { day.min(last) } else { day })?);
        }
        if let Some(day) = self.get(F::DayOfYear) {
            self.forget(&[F::Year, F::DayOfYear]);
            F::Year.check(year)?;
            return self.set_days(day_of_year(year, day)?);
        }
        Ok(())
    }

    fn resolve_time(&mut self) -> Result<(), String> {
        for (clock, field, last) in [(F::ClockHour, F::Hour, 24), (F::ClockHourOfHalf, F::HourOfHalf, 12)] {
            if let Some(hour) = self.take(clock) {
                if !self.smart || hour != 0 {
                    clock.check(hour)?;
                }
                self.derive(field, if hour == last { 0 } else { hour }, Some(clock))?;
            }
        }
        if let (Some(half), Some(hour)) = (self.get(F::HalfDay), self.get(F::HourOfHalf)) {
            self.forget(&[F::HalfDay, F::HourOfHalf]);
            F::HourOfHalf.check(hour)?;
            self.derive(F::Hour, half * 12 + hour, Some(F::HalfDay))?;
        }
        if let Some(nanos) = self.take(F::NanoOfDay) {
            F::NanoOfDay.check(nanos)?;
            self.split_second(nanos / 1_000_000_000, F::NanoOfDay)?;
            self.derive(F::Nano, nanos % 1_000_000_000, Some(F::NanoOfDay))?;
        }
        if let Some(millis) = self.take(F::MilliOfDay) {
            F::MilliOfDay.check(millis)?;
            self.split_second(millis / 1000, F::MilliOfDay)?;
            // What stands behind the milliseconds is kept.
            let below = self.get(F::Nano).map_or(0, |nanos| nanos % 1_000_000);
            self.derive(F::Nano, millis % 1000 * 1_000_000 + below, Some(F::MilliOfDay))?;
        }
        if let Some(nanos) = self.get(F::Nano) {
            F::Nano.check(nanos)?;
        }
        if let (Some(half), Some(hour)) = (self.get(F::DayPeriod), self.get(F::HourOfHalf)) {
            self.forget(&[F::DayPeriod, F::HourOfHalf]);
            F::HourOfHalf.check(hour)?;
            self.derive(F::Hour, half * 12 + hour, Some(F::HourOfHalf))?;
        }
        let parts = [F::Hour, F::Minute, F::Second, F::Nano].map(|field| self.get(field));
        if let [Some(hour), Some(minute), Some(second), Some(nano)] = parts {
            self.set_time(hour, minute, second, nano)?;
        }
        Ok(())
    }

    fn split_second(&mut self, second: i64, from: F) -> Result<(), String> {
        self.derive(F::Hour, second / 3600, Some(from))?;
        self.derive(F::Minute, second / 60 % 60, Some(from))?;
        self.derive(F::Second, second % 60, Some(from))
    }

    fn set_time(&mut self, hour: i64, minute: i64, second: i64, nano: i64) -> Result<(), String> {
        F::Minute.check(minute)?;
        F::Nano.check(nano)?;
        self.next_day = self.smart && (hour, minute, second, nano) == (24, 0, 0, 0);
        let hour = if self.next_day { 0 } else { hour };
        F::Hour.check(hour)?;
        F::Second.check(second)?;
        self.forget(&[F::Hour, F::Minute, F::Second, F::Nano]);
        self.time = Some((hour * 3600 + minute * 60 + second, nano as u32));
        Ok(())
    }

    /// Days of weeks, and dates by them; whether anything came of it.
    fn resolve_weeks(&mut self) -> Result<bool, String> {
        let mut changed = false;
        if let Some(day) = self.take(F::LocalDay) {
            F::LocalDay.check(day)?;
            self.fields.put(F::DayOfWeek, Some((day + 5) % 7 + 1));
            changed = true;
        }
        if let Some(julian) = self.take(F::ModifiedJulianDay) {
            self.set_days(julian - civil::MODIFIED_JULIAN_1970)?;
            changed = true;
        }
        let Some(day) = self.get(F::DayOfWeek) else { return Ok(changed) };
        if let Some(year) = self.get(F::Year) {
            let (Some(month), Some(week)) = (self.get(F::Month), self.get(F::WeekOfMonth)) else { return Ok(changed) };
            self.forget(&[F::Year, F::Month, F::WeekOfMonth, F::DayOfWeek]);
            self.set_days(week_of_month(year, month, week, day, !self.smart)?)?;
            return Ok(true);
        }
        for (year_field, week_field) in [(F::LocalWeekYear, F::LocalWeek), (F::WeekYear, F::Week)] {
            let (Some(year), Some(week)) = (self.get(year_field), self.get(week_field)) else { continue };
            self.forget(&[year_field, week_field, F::DayOfWeek]);
            F::DayOfWeek.check(day)?;
            let (start, end) = match week_field {
                F::Week => (civil::week_start(year), civil::week_start(year + 1)),
                _ => (local_week_start(year), local_week_start(year + 1)),
            };
            let weeks = (end - start) / 7;
            // ISO's weeks are looked at twice, the first time whatever the year.
            let (name, most) = match week_field {
                F::Week if week > 53 => ("WeekOfWeekBasedYear", 53),
                F::Week => ("WeekOfWeekBasedYear", weeks),
                _ => (week_field.name(), weeks),
            };
            if !(1..=most).contains(&week) {
                return Err(format!("Invalid value for {name} (valid values 1 - {most}): {week}"));
            }
            let day = if week_field == F::Week { day - 1 } else { day % 7 };
            self.set_days(start + (week - 1) * 7 + day)?;
            return Ok(true);
        }
        Ok(changed)
    }

    /// A time of an hour without the rest; then what is left must be times that there are.
    fn default_time(&mut self) -> Result<(), String> {
        let parts = [F::Minute, F::Second, F::Nano].map(|field| self.get(field));
        let gap = matches!(parts, [None, Some(_), _] | [None, _, Some(_)] | [Some(_), None, Some(_)]);
        if let (None, Some(hour), false) = (self.time, self.get(F::Hour), gap) {
            let [minute, second, nano] = parts.map(|part| part.unwrap_or(0));
            self.set_time(hour, minute, second, nano)?;
        }
        for field in F::ALL.into_iter().filter(|field| field.is_time()) {
            self.get(field).map_or(Ok(()), |value| field.check(value))?;
        }
        Ok(())
    }

    /// What is left must agree with the date and the time.
    fn cross_check(&mut self) -> Result<(), String> {
        let (days, (second_of_day, nano)) = (self.days.unwrap_or(0), self.time.unwrap_or_default());
        let broken = Broken::local(days, second_of_day, nano.into());
        for field in F::ALL {
            let known = if field.is_time() { self.time.is_some() } else { self.days.is_some() };
            let Some(value) = self.get(field).filter(|_| known && field != F::DayPeriod) else { continue };
            let (derived, name) = (broken.get(field), field.name());
            if derived != value {
                let from = if field.is_time() { time_text(second_of_day, nano) } else { date_text(days) };
                return Err(format!(
                    "Conflict found: Field {name} {derived} differs from {name} {value} derived from {from}"
                ));
            }
            self.take(field);
        }
        Ok(())
    }

    /// The day that the reference takes where the fields may not have named all of it.
    fn local_day(&self) -> Result<i64, Failure> {
        let year = self.get(F::Year).or(self.get(F::YearOfEra));
        let (month, day_of_the_year) = (self.get(F::Month), self.get(F::DayOfYear));
        let day = match (self.days, self.get(F::LocalWeekYear), year) {
            (Some(days), _, _) => Ok(days),
            (None, Some(week_year), None) => {
                let week = self.get(F::LocalWeek).unwrap_or(1);
                F::LocalWeek.check(week).map(|()| local_week_start(week_year) + (week - 1) * 7)
            }
            (None, _, year) => match (year, month, day_of_the_year) {
                (year, Some(month), _) => date(year.unwrap_or(1970), month, self.get(F::Day).unwrap_or(1)),
                (Some(year), None, Some(day)) => day_of_year(year, day),
                (Some(year), None, None) if self.time.is_none() => date(year, 1, 1),
                // Of a time alone it takes the first of all days, whatever else was read.
                _ if self.time.is_some() => Ok(0),
                _ => return Err(Failure::Unconverted(self.unconverted())),
            },
        };
        day.map_err(Failure::FoundLate)
    }

    fn unconverted(&self) -> String {
        let shown = F::ALL.into_iter().filter(|field| *field != F::DayPeriod);
        let shown = shown.filter_map(|field| Some(format!("{}={}", field.name(), self.get(field)?)));
        let mut parts: Vec<String> = shown.collect();
        if self.get(F::Second).is_some() {
            let nanos = self.get(F::Nano).unwrap_or(0);
            if self.get(F::Nano).is_none() {
                parts.push("NanoOfSecond=0".to_owned());
            }
            parts.push(format!("MicroOfSecond={}", nanos / 1000));
            parts.push(format!("MilliOfSecond={}", nanos / 1_000_000));
        }
        let zone = match &self.fields.zone {
            Some(zone) if self.fields.is_offset => {
                parts.push(format!("OffsetSeconds={}", zone.offset_at(0)));
                String::new()
            }
            Some(zone) => format!(",{},-1", zone.id()),
            None => String::new(),
        };
        format!("temporal accessor [{{{}}},ISO{zone}] cannot be converted to zoned date time", parts.join(", "))
    }
}

fn date(year: i64, month: i64, day: i64) -> Result<i64, String> {
    F::Year.check(year)?;
    F::Month.check(month)?;
    F::Day.check(day)?;
    if day > civil::days_of_month(year, month) {
        return Err(civil::invalid_date(year, month, day));
    }
    Ok(civil::days_from_civil(year, month, day))
}

fn day_of_year(year: i64, day: i64) -> Result<i64, String> {
    F::DayOfYear.check(day)?;
    if day == 366 && !civil::is_leap(year) {
        return Err(format!("Invalid date 'DayOfYear 366' as '{year}' is not a leap year"));
    }
    Ok(civil::days_from_civil(year, 1, 1) + day - 1)
}

/// The Sunday that the year of weeks begins with whose first week is that of the first of January.
fn local_week_start(week_year: i64) -> i64 {
    let first = civil::days_from_civil(week_year, 1, 1);
    first - civil::day_of_week(first) % 7
}

fn week_of_month(year: i64, month: i64, week: i64, day: i64, strict: bool) -> Result<i64, String> {
    let first = date(year, month, 1)?;
    F::WeekOfMonth.check(week)?;
    let days = first - civil::day_of_week(first) % 7 + (week - 1) * 7 + day % 7;
    if strict && civil::civil_from_days(days).1 != month {
        return Err("Strict mode rejected resolved date as it is in a different month".to_owned());
    }
    Ok(days)
}

fn date_text(days: i64) -> String {
    let (year, month, day) = civil::civil_from_days(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// As `LocalTime.toString` writes it.
fn time_text(second: i64, nanos: u32) -> String {
    let mut text = format!("{:02}:{:02}", second / 3600, second / 60 % 60);
    if second % 60 > 0 || nanos > 0 {
        text.push_str(&format!(":{:02}", second % 60));
    }
    if nanos > 0 {
        let digits = format!("{nanos:09}");
        text.push('.');
        text.push_str(&digits[..digits.trim_end_matches('0').len().div_ceil(3) * 3]);
    }
    text
}
