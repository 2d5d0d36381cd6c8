//! Arithmetic of the proleptic Gregorian calendar, in days since 1970.

/// The day since 1858-11-17 that 1970 begins with.
pub const MODIFIED_JULIAN_1970: i64 = 40_587;

pub fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970 of a date. Years are within a billion of now.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that leap days come last; an era is 400 years.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day.
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

/// 1 is Monday.
pub fn day_of_week(days: i64) -> i64 {
    (days.rem_euclid(7) + 3) % 7 + 1
}

/// The Monday with which a week-based year of ISO 8601 begins.
pub fn week_start(week_year: i64) -> i64 {
    let fourth = days_from_civil(week_year, 1, 4);
    fourth - (day_of_week(fourth) - 1)
}

pub fn weeks_of(week_year: i64) -> i64 {
    (week_start(week_year + 1) - week_start(week_year)) / 7
}

/// Week-based year and week.
pub fn week_of(days: i64) -> (i64, i64) {
    let thursday = days - day_of_week(days) + 4;
    let (year, _, _) = civil_from_days(thursday);
    (year, (thursday - days_from_civil(year, 1, 1)) / 7 + 1)
}

/// Why Java refuses a day that its month does not have.
pub fn invalid_date(year: i64, month: i64, day: i64) -> String {
    const MONTHS: [&str; 12] = [
        "JANUARY",
        "FEBRUARY",
        "MARCH",
        "APRIL",
        "MAY",
        "JUNE",
        "JULY",
        "AUGUST",
        "SEPTEMBER",
        "OCTOBER",
        "NOVEMBER",
        "DECEMBER",
    ];
    if month == 2 && day == 29 {
        return format!("Invalid date 'February 29' as '{year}' is not a leap year");
    }
    format!("Invalid date '{} {day}'", MONTHS[(month - 1).clamp(0, 11) as usize])
}

/// `yyyy-MM-dd`, optionally with `THH:mm:ss`, `.SSS` and `Z`, to milliseconds since 1970; `None` for anything else.
pub fn parse_iso(text: &[u8]) -> Option<i64> {
    let number = |from: usize, to: usize| {
        text[from..to].iter().try_fold(0i64, |n, b| b.is_ascii_digit().then(|| n * 10 + i64::from(b - b'0')))
    };
    let time = match text.len() {
        10 => None,
        20 if text[19] == b'Z' => Some(0),
        24 if text[23] == b'Z' && text[19] == b'.' => Some(number(20, 23)?),
        _ => return None,
    };
    if text[4] != b'-' || text[7] != b'-' {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    if !(1..=12).contains(&month) || day < 1 || day > days_of_month(year, month) {
        return None;
    }
    let days = days_from_civil(year, month, day);
    let Some(millis) = time else { return Some(days * 86_400_000) };
    if text[10] != b'T' || text[13] != b':' || text[16] != b':' {
        return None;
    }
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_there_and_back() {
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2000, 3, 1), 11_017);
        assert_eq!(day_of_week(0), 4);
        for days in (-1_000_000..1_000_000).step_by(97) {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day), days);
        }
        assert_eq!(week_of(days_from_civil(2021, 1, 3)), (2020, 53));
        assert_eq!(week_of(days_from_civil(2018, 12, 31)), (2019, 1));
    }
}
