//! From the fields that were read to the instant that they name.

use super::civil;
use super::format::Instant;
use super::items::{Fields, NumberField};
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

/// The instant that the fields name, or why they name none. With `late_dates` the day is looked for when the time has been found.
pub(super) fn resolve(fields: &Fields, round_up: bool, zone: &Zone, late_dates: bool) -> Result<Instant, Failure> {
    if !round_up && let Some(parts) = week_without_day(fields) {
        return Err(Failure::Unconverted(format!(
            "temporal accessor [{{{parts}}},ISO] cannot be converted to zoned date time"
        )));
    }
    let (days, time) = (resolve_days(fields), resolve_time(fields, round_up).map_err(Failure::NoSuch));
    let (days, (second_of_day, nanos)) = match late_dates {
        true => {
            let time = time?;
            (days.map_err(Failure::FoundLate)?, time)
        }
        false => (days.map_err(Failure::NoSuch)?, time?),
    };
    let local = days.checked_mul(86_400).and_then(|seconds| seconds.checked_add(second_of_day));
    let local = local.ok_or_else(|| Failure::FoundLate("the year is out of range".to_owned()))?;
    Ok(Instant { seconds: fields.zone.as_ref().unwrap_or(zone).to_utc(local), nanos })
}

/// The year of weeks, and the week of it, where no day of that is named. Where ends are looked for the reference takes the first one.
fn week_without_day(fields: &Fields) -> Option<String> {
    let get = |field| fields.get(field);
    let year =
        get(NumberField::WeekYear).filter(|_| get(NumberField::DayOfWeek).or(get(NumberField::Year)).is_none())?;
    let shown = |name: &str, value: i64| format!("{name}[WeekFields[MONDAY,4]]={value}");
    let week = get(NumberField::Week).map_or(String::new(), |week| shown("WeekOfWeekBasedYear", week) + ", ");
    Some(week + &shown("WeekBasedYear", year))
}

fn check(name: &str, value: i64, lo: i64, hi: i64) -> Result<i64, String> {
    if (lo..=hi).contains(&value) {
        return Ok(value);
    }
    Err(format!("Invalid value for {name} (valid values {lo} - {hi}): {value}"))
}

fn resolve_days(fields: &Fields) -> Result<i64, String> {
    let get = |field| fields.get(field);
    let year = get(NumberField::Year).map(|year| if fields.before_christ { 1 - year } else { year });
    if let (None, Some(week_year)) = (year, get(NumberField::WeekYear)) {
        let week = check("WeekOfWeekBasedYear", get(NumberField::Week).unwrap_or(1), 1, 53)?;
        let day = check("DayOfWeek", get(NumberField::DayOfWeek).unwrap_or(1), 1, 7)?;
        if week == 53 && civil::weeks_of(week_year) < 53 {
            return Err(format!("Invalid value for WeekOfWeekBasedYear (valid values 1 - 52): {week}"));
        }
        return Ok(civil::week_start(week_year) + (week - 1) * 7 + day - 1);
    }
    if let (None, Some(week_year)) = (year, get(NumberField::LocalWeekYear)) {
        let week = check("WeekOfWeekBasedYear", get(NumberField::LocalWeek).unwrap_or(1), 1, 53)?;
        let day = check("DayOfWeek", get(NumberField::LocalDay).unwrap_or(1), 1, 7)?;
        let first = civil::days_from_civil(week_year, 1, 1);
        return Ok(first - civil::day_of_week(first) % 7 + (week - 1) * 7 + day - 1);
    }
    let year = check("Year", year.unwrap_or(1970), -999_999_999, 999_999_999)?;
    if let Some(day_of_year) = get(NumberField::DayOfYear) {
        let day = check("DayOfYear", day_of_year, 1, 366)?;
        if day == 366 && !civil::is_leap(year) {
            return Err(format!("Invalid date 'DayOfYear 366' as '{year}' is not a leap year"));
        }
        return Ok(civil::days_from_civil(year, 1, 1) + day - 1);
    }
    let first_month = get(NumberField::Quarter).map_or(1, |quarter| quarter * 3 - 2);
    let month = check("MonthOfYear", get(NumberField::Month).unwrap_or(first_month), 1, 12)?;
    let day = check("DayOfMonth", get(NumberField::Day).unwrap_or(1), 1, 31)?;
    if day > civil::days_of_month(year, month) {
        return Err(civil::invalid_date(year, month, day));
    }
    Ok(civil::days_from_civil(year, month, day))
}

fn resolve_time(fields: &Fields, round_up: bool) -> Result<(i64, u32), String> {
    let get = |field| fields.get(field);
    if let Some(millis) = get(NumberField::MilliOfDay) {
        let millis = check("MilliOfDay", millis, 0, 86_399_999)?;
        return Ok((millis / 1000, (millis % 1000 * 1_000_000) as u32));
    }
    if let Some(nanos) = get(NumberField::NanoOfDay) {
        let nanos = check("NanoOfDay", nanos, 0, 86_399_999_999_999)?;
        return Ok((nanos / 1_000_000_000, (nanos % 1_000_000_000) as u32));
    }
    let half = match (get(NumberField::HourOfHalf), get(NumberField::ClockHourOfHalf)) {
        (Some(hour), _) => Some(check("HourOfAmPm", hour, 0, 11)?),
        (None, Some(hour)) => Some(check("ClockHourOfAmPm", hour, 1, 12)? % 12),
        _ => None,
    };
    let hour = match (get(NumberField::Hour), get(NumberField::ClockHour), half) {
        (Some(hour), _, _) => Some(check("HourOfDay", hour, 0, 23)?),
        (_, Some(hour), _) => Some(check("ClockHourOfDay", hour, 1, 24)? % 24),
        (_, _, Some(hour)) => Some(hour + 12 * fields.half_day.unwrap_or(0)),
        _ => None,
    };
    let missing = |last| if round_up { last } else { 0 };
    let hour = hour.unwrap_or(missing(23));
    let minute = check("MinuteOfHour", get(NumberField::Minute).unwrap_or(missing(59)), 0, 59)?;
    let second = check("SecondOfMinute", get(NumberField::Second).unwrap_or(missing(59)), 0, 59)?;
    let nano = check("NanoOfSecond", get(NumberField::Nano).unwrap_or(missing(999_999_999)), 0, 999_999_999)?;
    Ok((hour * 3600 + minute * 60 + second, nano as u32))
}
