//! date_histogram: buckets of calendar units or of fixed length, in a time zone.

use super::date_interval::{Given, parse_offset, two_intervals};
use super::format::Format;
use super::histogram::Shape;
use super::histogram_collect::{DateRounder, HistogramAggregator, Rounder};
use super::histogram_ranges::{Ranges, RangesAggregator};
use super::kind::{Aggregator, Kind, Subs};
use super::parse::{Agg, ParseContext};
use super::partial::{HistogramBuckets, Partial, Shown};
use super::reduce_context::ReduceContext;
use super::rounding::Rounding;
use super::source::SourceConfig;
use crate::error::{Error, Result};
use crate::json::{Entry, Map, Value, Writer};
use crate::mapping::date::{DateFormat, Resolution, Zone};
use crate::mapping::number::java_f64;
use crate::query::ShardContext;
use jiff::tz::TimeZone;

#[derive(Debug)]
struct DateHistogram {
    source: SourceConfig,
    interval: Given,
    zone: TimeZone,
    /// Added to where every bucket starts.
    offset_ms: i64,
    shape: Shape,
    extended_bounds: Option<(Option<Value>, Option<Value>)>,
    hard_bounds: Option<(Option<Value>, Option<Value>)>,
}

const FIELDS: &[&str] = &[
    "field",
    "missing",
    "format",
    "time_zone",
    "value_type",
    "script",
    "interval",
    "calendar_interval",
    "fixed_interval",
    "offset",
    "keyed",
    "min_doc_count",
    "order",
    "extended_bounds",
    "hard_bounds",
];

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut kind = DateHistogram {
        source: SourceConfig::default(),
        interval: Given::Nothing,
        zone: TimeZone::UTC,
        offset_ms: 0,
        shape: Shape::default(),
        extended_bounds: None,
        hard_bounds: None,
    };
    let mut interval_key = None;
    for entry in &map.entries {
        match entry.key.as_str() {
            "interval" | "calendar_interval" | "fixed_interval" => {
                if let Some(first) = interval_key.replace(entry.key.as_str()) {
                    return Err(cx.failed_field(entry, two_intervals(&entry.key, first)));
                }
                kind.interval = Given::parse(entry, cx)?;
            }
            "offset" => kind.offset_ms = parse_offset(entry, cx)?,
            "extended_bounds" => kind.extended_bounds = Some(parse_bounds(entry, cx)?),
            "hard_bounds" => kind.hard_bounds = Some(parse_bounds(entry, cx)?),
            _ if kind.shape.accept(entry, cx)? || kind.source.accept(entry, cx)? => {}
            _ => return Err(cx.unknown_field(entry, FIELDS)),
        }
    }
    kind.source.check()?;
    if let Some(name) = &kind.source.time_zone {
        kind.zone = parse_zone(name)?;
    }
    Ok(Box::new(kind))
}

fn parse_bounds(entry: &Entry, cx: &ParseContext<'_>) -> Result<(Option<Value>, Option<Value>)> {
    let Value::Object(map) = &entry.value else { return Err(cx.wrong_type(entry)) };
    cx.inside(entry, "bounds", |inner| read_bounds(map, inner))
}

fn read_bounds(map: &Map, inner: &ParseContext<'_>) -> Result<(Option<Value>, Option<Value>)> {
    let (mut min, mut max) = (None, None);
    for bound in &map.entries {
        let value = match &bound.value {
            Value::Null => None,
            Value::Int(_) | Value::String(_) => Some(bound.value.clone()),
            Value::Float(f) if f.fract() == 0.0 => Some(Value::Int(*f as i64)),
            Value::Float(f) => {
                let refusal = format!("{} cannot be converted to Long without data loss", java_f64(*f));
                return Err(inner.failed_field(bound, Error::illegal_argument(refusal)));
            }
            _ => return Err(inner.wrong_type(bound)),
        };
        match bound.key.as_str() {
            "min" => min = value,
            "max" => max = value,
            _ => return Err(inner.unknown_field(bound, &["min", "max"])),
        }
    }
    Ok((min, max))
}

pub(crate) fn parse_zone(name: &str) -> Result<TimeZone> {
    let refuse = || {
        let reason = format!("Unknown time-zone ID: {name}");
        Error::illegal_argument(reason)
    };
    match Zone::parse(name).map_err(|_| refuse())? {
        Zone::Utc => Ok(TimeZone::UTC),
        Zone::Fixed(seconds) => jiff::tz::Offset::from_seconds(seconds).map(TimeZone::fixed).map_err(|_| refuse()),
        Zone::Region(zone) => Ok(zone),
    }
}

impl DateHistogram {
    fn rounding(&self) -> Result<Rounding> {
        Ok(Rounding::new(self.interval.interval()?, self.zone.clone(), self.offset_ms))
    }
}

/// Extended bounds as keys, and hard bounds as moments.
type Bounds = (Option<(f64, f64)>, Ends);
type Ends = (Option<i64>, Option<i64>);

impl DateHistogram {
    fn bounds(&self, agg: &Agg, rounding: &Rounding, parse: &dyn Fn(&Value) -> Result<i64>) -> Result<Bounds> {
        // A number is a moment as it stands, whatever the format reads.
        let read = |value: &Value| if let Value::Int(ms) = value { Ok(*ms) } else { parse(value) };
        let bound = |value: &Option<Value>| value.as_ref().map(read).transpose();
        let mut bounds = None;
        if let Some((min, max)) = &self.extended_bounds {
            let (min, max) = (bound(min)?, bound(max)?);
            if let (Some(low), Some(high)) = (min, max)
                && low > high
            {
                return Err(crossed("extended_bounds", low, high, agg));
            }
            // One end alone says nothing of the other: the infinity of the missing one never wins a comparison.
            bounds = Some((
                min.map_or(f64::INFINITY, |ms| rounding.round_bound(ms) as f64),
                max.map_or(f64::NEG_INFINITY, |ms| rounding.round_bound(ms) as f64),
            ));
        }
        let hard = match &self.hard_bounds {
            // They leave out whole buckets: those before the one that the first would lie in without an offset, and those from the
            // second's on.
            Some((min, max)) => match (bound(min)?, bound(max)?) {
                (Some(low), Some(high)) if low > high => return Err(crossed("hard_bounds", low, high, agg)),
                (low, high) => (low.map(|ms| rounding.round_unmoved(ms)), high.map(|ms| rounding.round_unmoved(ms))),
            },
            None => (None, None),
        };
        if let Some((min, max)) = &self.extended_bounds {
            self.check_bounds(rounding, hard, (bound(min)?, bound(max)?))?;
        }
        Ok((bounds, hard))
    }

    /// Refuses extended bounds that begin or end in a bucket outside of the hard bounds.
    fn check_bounds(&self, rounding: &Rounding, hard: Ends, extended: Ends) -> Result<()> {
        let outside = |of: Option<(i64, i64)>| of.is_some_and(|(low, high)| rounding.round(low) > rounding.round(high));
        if !outside(hard.0.zip(extended.0)) && !outside(extended.1.zip(hard.1)) {
            return Ok(());
        }
        let text = |bounds: &Option<(Option<Value>, Option<Value>)>| {
            let end = |value: &Option<Value>| value.as_ref().map_or_else(String::new, Value::to_text);
            bounds.as_ref().map_or_else(String::new, |(min, max)| format!("{}--{}", end(min), end(max)))
        };
        Err(Error::illegal_argument(format!(
            "Extended bounds have to be inside hard bounds, hard bounds: [{}], extended bounds: [{}]",
            text(&self.hard_bounds),
            text(&self.extended_bounds)
        )))
    }
}

fn crossed(which: &str, low: i64, high: i64, agg: &Agg) -> Error {
    let name = &agg.name;
    Error::illegal_argument(format!(
        "[{which}.min][{low}] cannot be greater than [{which}.max][{high}] for histogram aggregation [{name}]"
    ))
}

/// A bound where there is no field of dates that would know how to read it.
fn parse_date_bound(value: &Value, format: Option<&str>, zone: Option<&str>, now_ms: i64) -> Result<i64> {
    let format = DateFormat::parse(format.unwrap_or("strict_date_optional_time||epoch_millis"))?;
    let zone = zone.map_or(Ok(Zone::Utc), Zone::parse)?;
    format.parse_math(&value.to_text(), now_ms, false, &zone, Resolution::Millis)
}

impl Kind for DateHistogram {
    fn bucket_key(&self, partial: &Partial, i: usize) -> String {
        let Partial::Histogram(histogram) = partial else { return String::new() };
        let key = histogram.buckets[i].0 as i64;
        histogram.format.whole_text(key).unwrap_or_else(|| key.to_string())
    }

    fn next_key(&self, _level: usize, key: f64) -> Option<f64> {
        Some(self.rounding().ok()?.next(key as i64) as f64)
    }

    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        if let Some(ranges) = Ranges::resolve(&self.source, cx)? {
            let format = self.source.format.as_deref();
            let parse = |value: &Value| parse_date_bound(value, format, self.source.time_zone.as_deref(), cx.now_ms);
            let rounding = self.rounding()?;
            let (bounds, hard) = self.bounds(agg, &rounding, &parse)?;
            let (rounder, subs) = (Rounder::Date(DateRounder { rounding, hard }), Subs::new(agg, cx)?);
            ranges.check_type(true)?;
            self.shape.order.check(agg, cx).map_err(Error::late)?;
            return Ok(Box::new(RangesAggregator::new(ranges, rounder, subs, bounds)));
        }
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        let format = source.format().clone();
        let rounding = self.rounding()?;
        let parse = |value: &Value| source.parse_bound(value).map(|ms| ms as i64);
        let (bounds, hard) = self.bounds(agg, &rounding, &parse)?;
        let rounder = Rounder::Date(DateRounder { rounding, hard });
        let (subs, profiled) = (Subs::new(agg, cx)?, cx.profile.is_some());
        // What is wrong with what stands below is told before what is wrong with the order.
        self.shape.order.check(agg, cx).map_err(Error::late)?;
        Ok(Box::new(HistogramAggregator::new(source, rounder, subs, bounds, format, profiled)))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Histogram(HistogramBuckets { buckets: vec![], format: Format::Unsaid, bounds: None, empty: None })
    }

    fn empty_beside(&self, agg: &Agg, other: Option<&Partial>) -> Partial {
        match self.rounding() {
            Ok(rounding) => self.shape.empty_beside(agg, other, &|key| rounding.next(key as i64) as f64),
            Err(_) => self.empty(agg),
        }
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let rounding = self.rounding()?;
        self.shape.reduce(agg, parts, cx, &|key| rounding.next(key as i64) as f64)
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        self.shape.render(agg, partial, w, shown, true)
    }

    fn is_over_ranges(&self, cx: &ShardContext) -> bool {
        Ranges::resolve(&self.source, cx).is_ok_and(|ranges| ranges.is_some())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "date_histogram"
    }

    fn min_doc_count(&self) -> u64 {
        self.shape.min_doc_count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_zones() {
        let seconds = |name| parse_zone(name).unwrap().to_fixed_offset().unwrap().seconds();
        for (name, east) in [("+02:00", 7200), ("-0330", -12_600), ("+5", 18_000), ("UTC+1", 3600), ("GMT-2", -7200)] {
            assert_eq!(seconds(name), east, "{name}");
        }
        assert!(parse_zone("+99:00").is_err() && parse_zone("+a").is_err() && parse_zone("UTC+99").is_err());
    }
}
