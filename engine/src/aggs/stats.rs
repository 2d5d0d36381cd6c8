//! avg, min, max, sum, stats and value_count: one collector, six ways to show it.

use super::format::Format;
use super::kind::{Aggregator, Kind};
use super::metric::{check_single_value, no_such_value};
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, mismatch};
use super::reduce_context::ReduceContext;
use super::source::SourceConfig;
use super::stats_collect::{CountAggregator, StatsAggregator, Whole};
use crate::error::Result;
use crate::json::{Map, Writer};
use crate::mapping::Family;
use crate::query::ShardContext;

/// Sums side by side, and the shortest batch that is summed so.
const LANES: usize = 8;
const LANES_FROM: usize = 512;

/// Unlike the standard library's these are one instruction: none of the numbers is NaN.
#[inline]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// One step of a compensated sum (Kahan): `lost` is what the sum is too great by.
#[inline]
fn add_compensated(sum: &mut f64, lost: &mut f64, value: f64) {
    let corrected = value - *lost;
    let updated = *sum + corrected;
    *lost = (updated - *sum) - corrected;
    *sum = updated;
}

/// The least and the greatest of numbers that are not NaN; infinities the wrong way round if there are none.
pub(super) fn extremes(values: &[f64]) -> (f64, f64) {
    let (mut min, mut max) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (lanes, rest) = values.as_chunks::<LANES>();
    for values in lanes {
        for i in 0..LANES {
            (min[i], max[i]) = (lesser(values[i], min[i]), greater(values[i], max[i]));
        }
    }
    let all = |own: [f64; LANES], pick: fn(f64, f64) -> f64| rest.iter().chain(&own).copied().reduce(pick);
    (all(min, lesser).unwrap_or(f64::INFINITY), all(max, greater).unwrap_or(f64::NEG_INFINITY))
}

/// Count, sum, minimum and maximum of doubles. The sum is compensated (Kahan), as the reference's.
#[derive(Debug, Clone)]
pub struct Stats {
    pub(crate) count: u64,
    pub(crate) sum: f64,
    compensation: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) format: Format,
}

impl Stats {
    pub(crate) fn new(format: Format) -> Self {
        Self { count: 0, sum: 0.0, compensation: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY, format }
    }

    #[inline]
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        self.min = lesser(value, self.min);
        self.max = greater(value, self.max);
        self.add_to_sum(value);
    }

    /// [`Stats::add`] where neither the value nor any sum can be infinite.
    #[inline]
    pub(super) fn add_finite(&mut self, value: f64) {
        self.count += 1;
        self.stretch_to(value);
        add_compensated(&mut self.sum, &mut self.compensation, value);
    }

    /// Keeps `value` if it is an extreme, which few are.
    #[inline]
    fn stretch_to(&mut self, value: f64) {
        if value < self.min || value > self.max {
            self.stretch(value);
        }
    }

    /// Not in line, so that no value has to be written where none changes.
    #[cold]
    fn stretch(&mut self, value: f64) {
        (self.min, self.max) = (lesser(value, self.min), greater(value, self.max));
    }

    /// Adds all of `values`. Long batches of finite ones are summed in lanes, each compensated: as exact, but the last digit
    /// may be another than that of adding them in turn.
    pub(crate) fn add_all(&mut self, values: &[f64]) {
        let (min, max) = extremes(values);
        if values.len() < LANES_FROM || !min.is_finite() || !max.is_finite() || !self.sum.is_finite() {
            values.iter().for_each(|value| self.add(*value));
            return;
        }
        self.count += values.len() as u64;
        (self.min, self.max) = (self.min.min(min), self.max.max(max));
        let (mut sums, mut lost) = ([0.0; LANES], [0.0; LANES]);
        let (lanes, rest) = values.as_chunks::<LANES>();
        for values in lanes {
            for i in 0..LANES {
                add_compensated(&mut sums[i], &mut lost[i], values[i]);
            }
        }
        sums.iter().for_each(|sum| self.add_to_sum(*sum));
        lost.iter().for_each(|lost| self.add_to_sum(-*lost));
        rest.iter().for_each(|value| self.add_to_sum(*value));
    }

    /// Adds whole numbers that were summed elsewhere, where no partial sum was too large for a double.
    pub(super) fn add_whole(&mut self, whole: &Whole) {
        if whole.count > 0 {
            self.count += whole.count;
            (self.min, self.max) = (self.min.min(whole.min as f64), self.max.max(whole.max as f64));
            self.sum += whole.sum as f64;
        }
    }

    #[inline]
    fn add_to_sum(&mut self, value: f64) {
        // An infinity stays one; compensating it would make a NaN.
        if !value.is_finite() {
            self.sum += value;
            return;
        }
        if self.sum.is_finite() {
            add_compensated(&mut self.sum, &mut self.compensation, value);
        }
    }

    pub(crate) fn merge(&mut self, other: &Stats) {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.add_to_sum(other.sum);
        self.format.hear(&other.format);
    }

    pub(crate) fn avg(&self) -> f64 {
        self.sum / self.count as f64
    }

    /// The least and the greatest value; no numbers where one of the values, which scripts may give, is none.
    pub(crate) fn ends(&self) -> (f64, f64) {
        // A sum of both infinities is none either.
        let infinite = self.min == f64::NEG_INFINITY && self.max == f64::INFINITY;
        if self.sum.is_nan() && !infinite { (f64::NAN, f64::NAN) } else { (self.min, self.max) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    Avg,
    Min,
    Max,
    Sum,
    Stats,
    ValueCount,
}

#[derive(Debug)]
struct StatsKind {
    show: Show,
    source: SourceConfig,
}

pub(crate) fn parse_avg(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse(map, cx, Show::Avg)
}
pub(crate) fn parse_min(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse(map, cx, Show::Min)
}
pub(crate) fn parse_max(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse(map, cx, Show::Max)
}
pub(crate) fn parse_sum(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse(map, cx, Show::Sum)
}
pub(crate) fn parse_stats(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse(map, cx, Show::Stats)
}
pub(crate) fn parse_value_count(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse(map, cx, Show::ValueCount)
}

fn parse(map: &Map, cx: &ParseContext<'_>, show: Show) -> Result<Box<dyn Kind>> {
    let mut source = SourceConfig::default();
    for entry in &map.entries {
        if !source.accept(entry, cx)? {
            return Err(cx.unknown_field(entry, SourceConfig::FIELDS));
        }
    }
    source.check()?;
    Ok(Box::new(StatsKind { show, source }))
}

impl Kind for StatsKind {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        if self.show == Show::ValueCount {
            let source = self.source.resolve_any(cx, agg.type_name)?;
            let one_each = source.field().is_some_and(|field| field.family() == Family::Range);
            return Ok(Box::new(CountAggregator::new(source, one_each)));
        }
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        Ok(Box::new(StatsAggregator::new(source, self.show)))
    }

    fn ends_segments(&self, cx: &ShardContext) -> bool {
        self.show == Show::Min && self.source.is_unmapped(cx)
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        match self.show {
            Show::ValueCount => Partial::Count(0),
            _ => Partial::Stats(Stats::new(Format::Unsaid)),
        }
    }

    fn empty_beside(&self, agg: &Agg, other: Option<&Partial>) -> Partial {
        match other {
            Some(Partial::Stats(other)) => Partial::Stats(Stats::new(other.format.clone())),
            _ => self.empty(agg),
        }
    }

    fn reduce(&self, _agg: &Agg, parts: Vec<Partial>, _cx: &mut ReduceContext) -> Result<Partial> {
        let mut parts = parts.into_iter();
        let mut whole = parts.next().ok_or_else(mismatch)?;
        for part in parts {
            match (&mut whole, part) {
                (Partial::Count(a), Partial::Count(b)) => *a += b,
                (Partial::Stats(a), Partial::Stats(b)) => a.merge(&b),
                _ => return Err(mismatch()),
            }
        }
        Ok(whole)
    }

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, _shown: Shown<'_>) -> Result<()> {
        let stats = match partial {
            Partial::Count(count) => {
                w.key("value").u64(*count);
                return Ok(());
            }
            Partial::Stats(stats) => stats,
            _ => return Err(mismatch()),
        };
        if self.show == Show::Stats {
            render_stats(stats, w);
            return Ok(());
        }
        let value = show_value(self.show, stats);
        // A sum of nothing is 0.0; the others are null. So is the end of values that has none.
        let endless = matches!(self.show, Show::Min | Show::Max) && value.is_infinite();
        if stats.count == 0 && self.show != Show::Sum || endless {
            w.key("value").null();
            return Ok(());
        }
        w.key("value").f64(value);
        if let Some(text) = stats.format.text(value) {
            w.key("value_as_string").string(&text);
        }
        Ok(())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        match self.show {
            Show::Avg => "avg",
            Show::Min => "min",
            Show::Max => "max",
            Show::Sum => "sum",
            Show::Stats => "stats",
            Show::ValueCount => "value_count",
        }
    }

    fn is_bucketing(&self) -> bool {
        false
    }

    fn may_fail(&self) -> bool {
        self.source.is_scripted()
    }

    fn order_value(&self, partial: &Partial, property: Option<&str>) -> Option<f64> {
        let stats = match partial {
            Partial::Count(count) => return Some(*count as f64),
            Partial::Stats(stats) => stats,
            _ => return None,
        };
        let show = match property {
            Some("avg") => Show::Avg,
            Some("min") => Show::Min,
            Some("max") => Show::Max,
            Some("sum") => Show::Sum,
            Some("count") => return Some(stats.count as f64),
            _ => self.show,
        };
        Some(show_value(show, stats))
    }

    fn check_order_property(&self, name: &str, property: Option<&str>) -> Result<()> {
        match (self.show, property) {
            (Show::Stats, Some("avg" | "min" | "max" | "sum" | "count")) => Ok(()),
            (Show::Stats, _) => Err(no_such_value(name, property)),
            _ => check_single_value(name, property),
        }
    }
}

fn show_value(show: Show, stats: &Stats) -> f64 {
    match show {
        Show::Avg => stats.avg(),
        Show::Min => stats.ends().0,
        Show::Max => stats.ends().1,
        Show::Sum => stats.sum,
        Show::Stats | Show::ValueCount => stats.count as f64,
    }
}

/// Writes the fields of `stats`.
pub(crate) fn render_stats(stats: &Stats, w: &mut Writer) {
    w.key("count").u64(stats.count);
    if stats.count == 0 {
        w.key("min").null().key("max").null().key("avg").null().key("sum").f64(0.0);
        return;
    }
    let (min, max) = stats.ends();
    let fields = [("min", min), ("max", max), ("avg", stats.avg()), ("sum", stats.sum)];
    for (name, value) in fields {
        w.key(name).f64(value);
    }
    for (name, value) in fields {
        stats.format.write_as_string(name, value, w);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::{search, shard};

    #[test]
    fn batches_add_up_as_single_values_do() {
        for scale in [1.0, 0.01, 1e300, f64::INFINITY] {
            let values: Vec<f64> = (0..5_003i64).map(|i| ((i * 7_919) % 1_000 - 300) as f64 * scale).collect();
            let values: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
            let (mut one, mut all) = (Stats::new(Format::Raw), Stats::new(Format::Raw));
            values.iter().for_each(|value| one.add(*value));
            all.add_all(&values);
            assert_eq!((one.count, one.min, one.max), (all.count, all.min, all.max));
            assert!(one.sum == all.sum || (one.sum / all.sum - 1.0).abs() < 1e-15 || one.sum.is_nan());
        }
    }

    #[test]
    fn whole_numbers_add_up_as_doubles_do() {
        let mapping = r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"long"},"d":{"type":"double"}}}"#;
        for large in [1 << 40, 1 << 51, 1 << 53] {
            let doc = |i: i64| {
                let n = if i % 97 == 13 { large } else { i * 7_919 % 1_000 - 300 };
                let also = if i % 5 == 0 { format!("{n},{}", -n / 3) } else { n.to_string() };
                let n = if i % 11 == 0 { String::new() } else { format!(r#","n":[{also}],"d":[{also}]"#) };
                format!(r#"{{"k":"k{}"{n}}}"#, i % 7)
            };
            let docs: Vec<String> = (0..1_500).map(doc).collect();
            let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
            let cx = shard(mapping, &[&docs[..900], &docs[900..]]);
            for missing in ["", r#","missing":5"#] {
                let ask = |field: &str| {
                    let stats = format!(r#""s":{{"stats":{{"field":"{field}"{missing}}}}}"#);
                    let terms = format!(r#""t":{{"terms":{{"field":"k"}},"aggs":{{{stats}}}}}"#);
                    let answer = search(&cx, &format!(r#"{{"size":0,"aggs":{{{stats},{terms}}}}}"#));
                    answer.split_once(r#""aggregations""#).unwrap_or_else(|| panic!("{answer}")).1.to_owned()
                };
                assert_eq!(ask("n"), ask("d"), "{large}{missing}");
            }
        }
    }
}
