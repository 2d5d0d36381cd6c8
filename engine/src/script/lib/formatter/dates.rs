//! Parts of dates as formats show them.

use super::super::super::error::Failed;
use super::super::super::value::{Data, Value};
use super::super::time::{Temporal, field, zone_shown};
use super::Spec;
use crate::mapping::date::{Names, TextField, Width};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The parts that there are.
pub const CONVERSIONS: &str = "HIklMSLQNpzsZaAbBhCdejmyYrRTcDF";

/// A part of a date, of milliseconds since 1970, or of what `java.time` has.
pub fn part(spec: &Spec, arg: &Value, names: Names) -> Result<String, Failed> {
    let of_millis = |ms: i64| {
        let at = Timestamp::from_millisecond(ms).map_err(|_| spec.not_for(arg))?;
        Ok::<_, Failed>(Temporal::Zoned(Box::new(at.to_zoned(TimeZone::UTC))))
    };
    let made;
    let (of, is_old) = match (arg, arg.data()) {
        (Value::Long(ms), _) => {
            made = of_millis(*ms)?;
            (&made, true)
        }
        (_, Some(Data::Date(ms))) => {
            made = of_millis(ms.get())?;
            (&made, true)
        }
        (_, Some(Data::Temporal(of))) => (of, false),
        _ => return Err(spec.not_for(arg)),
    };
    let part = Part { of, names, is_old };
    // What a date lacks no conversion has.
    part.shown(spec.conversion).ok_or_else(|| spec.not_for(arg))
}

struct Part<'a> {
    of: &'a Temporal,
    names: Names,
    /// Whether it comes without a zone of its own, which then goes by another name.
    is_old: bool,
}

impl Part<'_> {
    fn get(&self, name: &str) -> Option<i64> {
        field(self.of, name).ok()
    }

    fn named(&self, of: TextField, at: i64, width: Width) -> Option<String> {
        Some(of.name(usize::try_from(at).ok()?, width, self.names).to_owned())
    }

    /// Parts that are put together of others.
    fn joined(&self, pattern: &str) -> Option<String> {
        let mut out = String::new();
        for letter in pattern.chars() {
            match letter {
                letter if letter.is_ascii_alphabetic() => out += &self.shown(letter)?,
                other => out.push(other),
            }
        }
        Some(out)
    }

    fn shown(&self, conversion: char) -> Option<String> {
        Some(match conversion {
            'H' => format!("{:02}", self.get("HOUR_OF_DAY")?),
            'k' => self.get("HOUR_OF_DAY")?.to_string(),
            'I' => format!("{:02}", self.get("CLOCK_HOUR_OF_AMPM")?),
            'l' => self.get("CLOCK_HOUR_OF_AMPM")?.to_string(),
            'M' => format!("{:02}", self.get("MINUTE_OF_HOUR")?),
            'S' => format!("{:02}", self.get("SECOND_OF_MINUTE")?),
            'L' => format!("{:03}", self.get("MILLI_OF_SECOND")?),
            'N' => format!("{:09}", self.get("NANO_OF_SECOND")?),
            'Q' => (self.get("INSTANT_SECONDS")? * 1000 + self.get("MILLI_OF_SECOND")?).to_string(),
            's' => self.get("INSTANT_SECONDS")?.to_string(),
            'p' => self.named(TextField::HalfDay, self.get("AMPM_OF_DAY")?, Width::Short)?.to_lowercase(),
            'z' => {
                let seconds = self.get("OFFSET_SECONDS")?;
                let sign = if seconds < 0 { '-' } else { '+' };
                format!("{sign}{:02}{:02}", seconds.abs() / 3600, seconds.abs() / 60 % 60)
            }
            'Z' if self.is_old => "UTC".to_owned(),
            'Z' => zone_shown(self.of)?,
            'A' => self.named(TextField::DayOfWeek, self.get("DAY_OF_WEEK")? - 1, Width::Full)?,
            'a' => self.named(TextField::DayOfWeek, self.get("DAY_OF_WEEK")? - 1, Width::Short)?,
            'B' => self.named(TextField::Month, self.get("MONTH_OF_YEAR")? - 1, Width::Full)?,
            'b' | 'h' => self.named(TextField::Month, self.get("MONTH_OF_YEAR")? - 1, Width::Short)?,
            'C' => format!("{:02}", self.get("YEAR_OF_ERA")? / 100),
            'y' => format!("{:02}", self.get("YEAR_OF_ERA")? % 100),
            'Y' => format!("{:04}", self.get("YEAR_OF_ERA")?),
            'd' => format!("{:02}", self.get("DAY_OF_MONTH")?),
            'e' => self.get("DAY_OF_MONTH")?.to_string(),
            'j' => format!("{:03}", self.get("DAY_OF_YEAR")?),
            'm' => format!("{:02}", self.get("MONTH_OF_YEAR")?),
            'R' => self.joined("H:M")?,
            'T' => self.joined("H:M:S")?,
            'r' => format!("{} {}", self.joined("I:M:S")?, self.shown('p')?.to_uppercase()),
            'c' => self.joined("a b d T Z Y")?,
            'D' => self.joined("m/d/y")?,
            'F' => self.joined("Y-m-d")?,
            _ => return None,
        })
    }
}
