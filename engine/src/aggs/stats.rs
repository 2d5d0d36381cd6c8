//! avg, min, max, sum, stats and value_count: one collector, six ways to show it.

use super::format::Format;
use super::kind::{Aggregator, Kind, Owners, ReduceContext, check_shard_buckets};
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, mismatch};
use super::source::{Source, SourceConfig};
use crate::error::Result;
use crate::json::{Map, Writer};
use crate::query::ShardContext;
use crate::segment::SegmentView;

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
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.add_to_sum(value);
    }

    #[inline]
    fn add_to_sum(&mut self, value: f64) {
        // An infinity stays one; compensating it would make a NaN.
        if !value.is_finite() {
            self.sum += value;
            return;
        }
        if self.sum.is_finite() {
            let corrected = value - self.compensation;
            let updated = self.sum + corrected;
            self.compensation = (updated - self.sum) - corrected;
            self.sum = updated;
        }
    }

    pub(crate) fn merge(&mut self, other: &Stats) {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.add_to_sum(other.sum);
        if matches!(self.format, Format::Raw) {
            self.format = other.format.clone();
        }
    }

    pub(crate) fn avg(&self) -> f64 {
        self.sum / self.count as f64
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Show {
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
            return Ok(Box::new(CountAggregator { source, counts: vec![] }));
        }
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        Ok(Box::new(StatsAggregator { source, stats: vec![], values: vec![] }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        match self.show {
            Show::ValueCount => Partial::Count(0),
            _ => Partial::Stats(Stats::new(Format::Raw)),
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

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, _typed_keys: bool) -> Result<()> {
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
        // A sum of nothing is 0.0; the others are null.
        if stats.count == 0 && self.show != Show::Sum {
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

    fn check_order_property(&self, property: Option<&str>) -> std::result::Result<(), String> {
        match (self.show, property) {
            (Show::Stats, None) => {
                Err("When ordering on a multi-value metrics aggregation a metric name must be specified.".into())
            }
            (Show::Stats, Some("avg" | "min" | "max" | "sum" | "count")) | (_, None | Some("value")) => Ok(()),
            (Show::Stats, Some(other)) => {
                Err(format!("Unknown metric name [{other}] on multi-value metrics aggregation"))
            }
            (_, Some(other)) => Err(format!(
                "Ordering on a single-value metrics aggregation can only be done on its value. Either drop the key (a la \"{{name}}\") or change it to \"value\" (a la \"{{name}}.value\"), found [{other}]"
            )),
        }
    }
}

fn show_value(show: Show, stats: &Stats) -> f64 {
    match show {
        Show::Avg => stats.avg(),
        Show::Min => stats.min,
        Show::Max => stats.max,
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
    let fields = [("min", stats.min), ("max", stats.max), ("avg", stats.avg()), ("sum", stats.sum)];
    for (name, value) in fields {
        w.key(name).f64(value);
    }
    for (name, value) in fields {
        if let Some(text) = stats.format.text(value) {
            w.key(&format!("{name}_as_string")).string(&text);
        }
    }
}

struct StatsAggregator {
    source: Source,
    stats: Vec<Stats>,
    values: Vec<f64>,
}

impl StatsAggregator {
    fn slot(&mut self, owner: u32) -> Result<&mut Stats> {
        let owner = owner as usize;
        if owner >= self.stats.len() {
            check_shard_buckets(owner)?;
            self.stats.resize_with(owner + 1, || Stats::new(self.source.format().clone()));
        }
        Ok(&mut self.stats[owner])
    }
}

impl Aggregator for StatsAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let mut values = std::mem::take(&mut self.values);
        if let Owners::One(owner) = owners {
            values.clear();
            self.source.all_doubles(docs, &mut values);
            let slot = self.slot(owner)?;
            values.iter().for_each(|v| slot.add(*v));
        } else {
            for (i, &doc) in docs.iter().enumerate() {
                self.source.doubles(doc, &mut values);
                let slot = self.slot(owners.of(i))?;
                values.iter().for_each(|v| slot.add(*v));
            }
        }
        self.values = values;
        Ok(())
    }

    fn build(&mut self, owners: &[u32]) -> Result<Vec<Partial>> {
        Ok(owners
            .iter()
            .map(|o| {
                let stats = self.stats.get(*o as usize).cloned();
                Partial::Stats(stats.unwrap_or_else(|| Stats::new(self.source.format().clone())))
            })
            .collect())
    }
}

struct CountAggregator {
    source: Source,
    counts: Vec<u64>,
}

impl Aggregator for CountAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        for (i, &doc) in docs.iter().enumerate() {
            let owner = owners.of(i) as usize;
            if owner >= self.counts.len() {
                check_shard_buckets(owner)?;
                self.counts.resize(owner + 1, 0);
            }
            self.counts[owner] += self.source.value_count(doc) as u64;
        }
        Ok(())
    }

    fn build(&mut self, owners: &[u32]) -> Result<Vec<Partial>> {
        Ok(owners.iter().map(|o| Partial::Count(self.counts.get(*o as usize).copied().unwrap_or(0))).collect())
    }
}
