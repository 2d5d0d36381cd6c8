//! `temporal_routing`: documents of the same hour, day, week or month to the same shard.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::murmur::routing_number;
use crate::error::{Error, Result};
use crate::java_order::java_hashed_text;
use crate::json::Value;
use crate::mapping::date::{DateFormat, Zone, civil};

struct TemporalRouting {
    field: String,
    granularity: Granularity,
    format: DateFormat,
    ignore_missing: bool,
    override_existing: bool,
    hash_bucket: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Granularity {
    Hour,
    Day,
    Week,
    Month,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("timestamp_field")?;
    let granularity = config.text("granularity")?;
    let format = config.text_or("format", "strict_date_optional_time")?;
    let ignore_missing = config.flag("ignore_missing", false)?;
    let override_existing = config.flag("override_existing", true)?;
    let hash_bucket = config.flag("hash_bucket", false)?;
    if field.is_empty() {
        return Err(config.property("timestamp_field", "cannot be null or empty"));
    }
    let granularity = Granularity::parse(&granularity, config)?;
    let format = DateFormat::parse(&format)
        .map_err(|error| config.property("format", &format!("invalid date format: {}", error.reason())))?;
    let routing = TemporalRouting { field, granularity, format, ignore_missing, override_existing, hash_bucket };
    Ok(Work::Simple(Box::new(routing)))
}

impl Processor for TemporalRouting {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        if !self.override_existing && doc.get_or_none("_routing", true)?.is_some() {
            return Ok(());
        }
        let Some(value) = doc.get_or_none(&self.field, self.ignore_missing)? else { return Ok(()) };
        if value.is_null() {
            let field = &self.field;
            return match self.ignore_missing {
                true => Ok(()),
                false => Err(Error::illegal_argument(format!("field [{field}] not present as part of path [{field}]"))),
            };
        }
        let text = java_hashed_text(value);
        let ms = self.format.parse_millis(&text, false, &Zone::Utc)?;
        let bucket = self.granularity.bucket(ms.saturating_add(offset_ms(&text)));
        let routing = if self.hash_bucket { routing_number(&bucket) } else { bucket };
        doc.set("_routing", Value::String(routing))
    }
}

/// The offset that a text ends with: buckets are those of the time as it is written.
fn offset_ms(text: &str) -> i64 {
    let Some(time) = text.find('T') else { return 0 };
    let Some(at) = text[time..].find(['+', '-']) else { return 0 };
    match Zone::parse(&text[time + at..]) {
        Ok(zone) => i64::from(zone.offset_at(0)) * 1000,
        Err(_) => 0,
    }
}

impl Granularity {
    pub fn read(config: &mut Config) -> Result<Self> {
        let name = config.text("granularity")?;
        Self::parse(&name, config)
    }

    fn parse(name: &str, config: &Config) -> Result<Self> {
        if name.is_empty() {
            return Err(config.property("granularity", "cannot be null or empty"));
        }
        Ok(match name.to_lowercase().as_str() {
            "hour" => Self::Hour,
            "day" => Self::Day,
            "week" => Self::Week,
            "month" => Self::Month,
            _ => {
                let reason = format!("Invalid granularity: {name}. Supported values are: hour, day, week, month");
                return Err(config.property("granularity", &reason));
            }
        })
    }

    /// The buckets from one moment to another, at most so many.
    pub fn buckets(self, from_ms: i64, to_ms: i64, most: usize) -> Vec<String> {
        const HOUR_MS: i64 = 3_600_000;
        // No bucket is shorter than a step, so none is passed over.
        let step_ms = if matches!(self, Self::Hour) { HOUR_MS } else { 24 * HOUR_MS };
        let mut buckets = vec![self.bucket(from_ms)];
        let mut at_ms = from_ms;
        while at_ms < to_ms && buckets.len() < most {
            at_ms = at_ms.saturating_add(step_ms).min(to_ms);
            let bucket = self.bucket(at_ms);
            if buckets.last() != Some(&bucket) {
                buckets.push(bucket);
            }
        }
        buckets
    }

    fn bucket(self, local_ms: i64) -> String {
        const DAY_MS: i64 = 86_400_000;
        let days = local_ms.div_euclid(DAY_MS);
        let (year, month, day) = civil::civil_from_days(days);
        match self {
            Self::Hour => format!("{year:04}-{month:02}-{day:02}T{:02}", local_ms.rem_euclid(DAY_MS) / 3_600_000),
            Self::Day => format!("{year:04}-{month:02}-{day:02}"),
            Self::Week => {
                let (year, week) = civil::week_of(days);
                format!("{year:04}-W{week:02}")
            }
            Self::Month => format!("{year:04}-{month:02}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets() {
        // 2024-12-30T00:00:00Z is in the first week of 2025.
        assert_eq!(Granularity::Week.bucket(1_735_516_800_000), "2025-W01");
        assert_eq!(Granularity::Hour.bucket(1_735_516_800_000), "2024-12-30T00");
        assert_eq!(offset_ms("2023-12-15T23:30:00+02:00"), 7_200_000);
        assert_eq!(offset_ms("2023-12-15"), 0);
    }
}
