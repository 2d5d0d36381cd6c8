//! Offsets from UTC as `ZoneOffset` takes them, and what it says of others.

use super::super::super::error::{Failed, throw};
use jiff::tz::Offset;

/// An offset as `ZoneOffset.of` takes it.
pub fn parse(name: &str) -> Result<Offset, Failed> {
    if name == "Z" {
        return Ok(Offset::UTC);
    }
    let mut units: Vec<char> = name.chars().collect();
    if units.len() == 2 {
        units.insert(1, '0');
    }
    let shown: String = units.iter().collect();
    let told = |what: &str| throw("DateTimeException", format!("Invalid ID for ZoneOffset, {what}: {shown}"));
    let number = |at: usize, behind_colon: bool| {
        if behind_colon && units[at - 1] != ':' {
            return Err(told("colon not found when expected"));
        }
        match (units[at].to_digit(10), units[at + 1].to_digit(10)) {
            (Some(tens), Some(ones)) => Ok((tens * 10 + ones) as i32),
            _ => Err(told("non numeric characters found")),
        }
    };
    let (hours, minutes, seconds) = match units.len() {
        3 => (number(1, false)?, 0, 0),
        5 => (number(1, false)?, number(3, false)?, 0),
        6 => (number(1, false)?, number(4, true)?, 0),
        7 => (number(1, false)?, number(3, false)?, number(5, false)?),
        9 => (number(1, false)?, number(4, true)?, number(7, true)?),
        _ => return Err(told("invalid format")),
    };
    match units[0] {
        '+' => of(hours, minutes, seconds),
        '-' => of(-hours, -minutes, -seconds),
        _ => Err(told("plus/minus not found when expected")),
    }
}

/// An offset of so many hours, minutes and seconds, which have the same sign.
pub fn of(hours: i32, minutes: i32, seconds: i32) -> Result<Offset, Failed> {
    let within = |what: &str, value: i32, most: i32| {
        let told =
            || format!("Zone offset {what} not in valid range: value {value} is not in the range -{most} to {most}");
        if (-most..=most).contains(&value) { Ok(()) } else { Err(throw("DateTimeException", told())) }
    };
    within("hours", hours, 18)?;
    let signs = [minutes.signum(), seconds.signum()];
    if hours > 0 && signs.contains(&-1) {
        let what = "Zone offset minutes and seconds must be positive because hours is positive";
        return Err(throw("DateTimeException", what));
    }
    if hours < 0 && signs.contains(&1) {
        let what = "Zone offset minutes and seconds must be negative because hours is negative";
        return Err(throw("DateTimeException", what));
    }
    if signs.contains(&-1) && signs.contains(&1) {
        return Err(throw("DateTimeException", "Zone offset minutes and seconds must have the same sign"));
    }
    within("minutes", minutes, 59)?;
    within("seconds", seconds, 59)?;
    let all = hours * 3_600 + minutes * 60 + seconds;
    if all.abs() > 18 * 3_600 {
        return Err(throw("DateTimeException", "Zone offset not in valid range: -18:00 to +18:00"));
    }
    Offset::from_seconds(all).map_err(super::out_of_range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_their_refusals() {
        let seconds = |name: &str| parse(name).map(Offset::seconds).map_err(|failed| failed.message.unwrap());
        let known = [("Z", 0), ("+1", 3_600), ("-0530", -19_800), ("+12:30:15", 45_015), ("-18:00", -64_800)];
        for (name, expected) in known {
            assert_eq!(seconds(name), Ok(expected), "{name}");
        }
        let refused = [
            ("", "Invalid ID for ZoneOffset, invalid format: "),
            ("12", "Invalid ID for ZoneOffset, plus/minus not found when expected: 102"),
            ("abc", "Invalid ID for ZoneOffset, non numeric characters found: abc"),
            ("+12-30", "Invalid ID for ZoneOffset, colon not found when expected: +12-30"),
            ("+19:00", "Zone offset hours not in valid range: value 19 is not in the range -18 to 18"),
            ("-12:60", "Zone offset minutes not in valid range: value -60 is not in the range -59 to 59"),
            ("+18:01", "Zone offset not in valid range: -18:00 to +18:00"),
        ];
        for (name, expected) in refused {
            assert_eq!(seconds(name), Err(expected.to_owned()), "{name}");
        }
    }
}
