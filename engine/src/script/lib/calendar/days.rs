//! Days since 1970 by the calendar that was in use: the Julian one up to the 4th of October 1582, the Gregorian one from the 15th on.

/// The first day of the Gregorian calendar, counted from the first of 1970.
pub const GREGORIAN_FROM: i64 = -141_427;
/// What a day has to be moved by for its rest by seven to be its place in a week that begins on Sunday.
pub const EPOCH_WEEKDAY: i64 = 4;

/// Year, month and day. Years are counted from both sides of zero, the one before the first.
pub fn civil(day: i64) -> (i64, i64, i64) {
    if day < GREGORIAN_FROM { julian(day) } else { gregorian(day) }
}

/// The day of a year, month (from 1, or what lies beyond a year) and day of it.
pub fn of(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = (year + (month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1);
    // Years that begin in March end with the day that some of them lack.
    let (of_march, since) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let in_year = (153 * since + 2) / 5 + day - 1;
    let julian = of_march * 365 + of_march.div_euclid(4) + in_year - 719_470;
    let gregorian = julian + 2 - of_march.div_euclid(100) + of_march.div_euclid(400);
    if gregorian >= GREGORIAN_FROM { gregorian } else { julian }
}

fn gregorian(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    from_march(era * 400 + year, day - (365 * year + year / 4 - year / 100))
}

fn julian(days: i64) -> (i64, i64, i64) {
    let days = days + 719_470;
    let (era, day) = (days.div_euclid(1_461), days.rem_euclid(1_461));
    let year = (day - day / 1_460) / 365;
    from_march(era * 4 + year, day - 365 * year)
}

/// A day of a year that begins in March.
fn from_march(year: i64, day: i64) -> (i64, i64, i64) {
    let month = (5 * day + 2) / 153;
    let in_month = day - (153 * month + 2) / 5 + 1;
    if month < 10 { (year, month + 3, in_month) } else { (year + 1, month - 9, in_month) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_each_other() {
        for day in [-1_000_000, -719_163, GREGORIAN_FROM - 1, GREGORIAN_FROM, -1, 0, 58, 59, 11_016, 18_690, 3_000_000]
        {
            let (year, month, of_month) = civil(day);
            assert_eq!(of(year, month, of_month), day, "{year}-{month}-{of_month}");
        }
        assert_eq!((civil(GREGORIAN_FROM - 1), civil(GREGORIAN_FROM)), ((1582, 10, 4), (1582, 10, 15)));
        assert_eq!((of(2021, 14, 1), of(2021, 0, 1)), (of(2022, 2, 1), of(2020, 12, 1)));
    }
}
