//! The numbers that dates and times are made of: their names, and what they can be.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberField {
    Year,
    YearOfEra,
    Era,
    Month,
    Day,
    DayOfYear,
    Hour,
    ClockHour,
    HourOfHalf,
    ClockHourOfHalf,
    /// 0 before noon, 1 after it.
    HalfDay,
    /// The same where words for parts of the day say it; no field to Java.
    DayPeriod,
    Minute,
    Second,
    Nano,
    MilliOfDay,
    NanoOfDay,
    Week,
    WeekYear,
    /// 1 is Monday.
    DayOfWeek,
    Quarter,
    /// Of weeks that begin on Sundays, the first of a year the one that its first day is in: those of Java's root locale.
    LocalWeek,
    LocalWeekYear,
    LocalDay,
    WeekOfMonth,
    /// Of weeks that begin with the month.
    AlignedWeek,
    ModifiedJulianDay,
}

pub(super) const FIELDS: usize = NumberField::ModifiedJulianDay as usize + 1;

impl NumberField {
    pub const ALL: [Self; FIELDS] = [
        Self::Year,
        Self::YearOfEra,
        Self::Era,
        Self::Month,
        Self::Day,
        Self::DayOfYear,
        Self::Hour,
        Self::ClockHour,
        Self::HourOfHalf,
        Self::ClockHourOfHalf,
        Self::HalfDay,
        Self::DayPeriod,
        Self::Minute,
        Self::Second,
        Self::Nano,
        Self::MilliOfDay,
        Self::NanoOfDay,
        Self::Week,
        Self::WeekYear,
        Self::DayOfWeek,
        Self::Quarter,
        Self::LocalWeek,
        Self::LocalWeekYear,
        Self::LocalDay,
        Self::WeekOfMonth,
        Self::AlignedWeek,
        Self::ModifiedJulianDay,
    ];

    /// As Java calls it.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    pub fn is_time(self) -> bool {
        matches!(
            self,
            Self::Hour
                | Self::ClockHour
                | Self::HourOfHalf
                | Self::ClockHourOfHalf
                | Self::HalfDay
                | Self::DayPeriod
                | Self::Minute
                | Self::Second
                | Self::Nano
                | Self::MilliOfDay
                | Self::NanoOfDay
        )
    }

    /// Refuses what the field cannot be in Java's words.
    pub fn check(self, value: i64) -> Result<(), String> {
        let (name, first, last, range) = self.row();
        match (first..=last).contains(&value) {
            true => Ok(()),
            false if range.is_empty() => {
                Err(format!("Invalid value for {name} (valid values {first} - {last}): {value}"))
            }
            false => Err(format!("Invalid value for {name} (valid values {range}): {value}")),
        }
    }

    /// Name, first and last value, and how these are told where it is not plainly.
    fn row(self) -> (&'static str, i64, i64, &'static str) {
        match self {
            Self::Year => ("Year", -999_999_999, 999_999_999, ""),
            Self::YearOfEra => ("YearOfEra", 1, 1_000_000_000, "1 - 999999999/1000000000"),
            Self::Era => ("Era", 0, 1, ""),
            Self::Month => ("MonthOfYear", 1, 12, ""),
            Self::Day => ("DayOfMonth", 1, 31, "1 - 28/31"),
            Self::DayOfYear => ("DayOfYear", 1, 366, "1 - 365/366"),
            Self::Hour => ("HourOfDay", 0, 23, ""),
            Self::ClockHour => ("ClockHourOfDay", 1, 24, ""),
            Self::HourOfHalf => ("HourOfAmPm", 0, 11, ""),
            Self::ClockHourOfHalf => ("ClockHourOfAmPm", 1, 12, ""),
            Self::HalfDay | Self::DayPeriod => ("AmPmOfDay", 0, 1, ""),
            Self::Minute => ("MinuteOfHour", 0, 59, ""),
            Self::Second => ("SecondOfMinute", 0, 59, ""),
            Self::Nano => ("NanoOfSecond", 0, 999_999_999, ""),
            Self::MilliOfDay => ("MilliOfDay", 0, 86_399_999, ""),
            Self::NanoOfDay => ("NanoOfDay", 0, 86_399_999_999_999, ""),
            Self::Week => ("WeekOfWeekBasedYear[WeekFields[MONDAY,4]]", 0, 54, "0/1 - 52/54"),
            Self::WeekYear => ("WeekBasedYear[WeekFields[MONDAY,4]]", -999_999_999, 999_999_999, ""),
            Self::DayOfWeek => ("DayOfWeek", 1, 7, ""),
            Self::Quarter => ("QuarterOfYear", 1, 4, ""),
            Self::LocalWeek => ("WeekOfWeekBasedYear[WeekFields[SUNDAY,1]]", 0, 54, "0/1 - 52/54"),
            Self::LocalWeekYear => ("WeekBasedYear[WeekFields[SUNDAY,1]]", -999_999_999, 999_999_999, ""),
            Self::LocalDay => ("DayOfWeek[WeekFields[SUNDAY,1]]", 1, 7, ""),
            Self::WeekOfMonth => ("WeekOfMonth[WeekFields[SUNDAY,1]]", 0, 6, "0/1 - 4/6"),
            Self::AlignedWeek => ("AlignedWeekOfMonth", 1, 5, "1 - 4/5"),
            Self::ModifiedJulianDay => ("ModifiedJulianDay", -365_243_219_162, 365_241_780_471, ""),
        }
    }
}
