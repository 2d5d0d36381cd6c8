//! avg, min, max, sum, stats and value_count: one collector, six ways to show it.

use super::format::Format;
use super::kind::{Aggregator, Kind, Owners, ReduceContext, check_shard_buckets};
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, mismatch};
use super::source::{Source, SourceConfig};
use crate::error::Result;
use crate::json::{Map, Writer};
use crate::mapping::Family;
use crate::query::ShardContext;
use crate::score::Selection;
use crate::segment::{Batch, SegmentView};

/// Sums side by side, and the shortest batch that is summed so.
const LANES: usize = 8;
const LANES_FROM: usize = 512;

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

    /// Adds all of `values`. Long batches of finite ones are summed in lanes, each compensated: as exact, but the last digit
    /// may be another than that of adding them in turn.
    pub(crate) fn add_all(&mut self, values: &[f64]) {
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (min, max) = (min.min(*value), max.max(*value));
        }
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
                let corrected = values[i] - lost[i];
                let updated = sums[i] + corrected;
                lost[i] = (updated - sums[i]) - corrected;
                sums[i] = updated;
            }
        }
        sums.iter().for_each(|sum| self.add_to_sum(*sum));
        lost.iter().for_each(|lost| self.add_to_sum(-*lost));
        rest.iter().for_each(|value| self.add_to_sum(*value));
    }

    /// Adds whole numbers that were summed elsewhere, where no partial sum was too large for a double.
    fn add_whole(&mut self, whole: &Whole) {
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
            let one_each = source.field().is_some_and(|field| field.family() == Family::Range);
            return Ok(Box::new(CountAggregator { source, one_each, counts: vec![], batch: Batch::default() }));
        }
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        Ok(Box::new(StatsAggregator {
            source,
            show: self.show,
            stats: vec![],
            whole: vec![],
            reach: 0.0,
            values: vec![],
            batch: Batch::default(),
        }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        match self.show {
            Show::ValueCount => Partial::Count(0),
            _ => Partial::Stats(Stats::new(Format::Raw)),
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
        stats.format.write_as_string(name, value, w);
    }
}

/// Below this, doubles hold all whole numbers.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// Whole numbers of one bucket.
#[derive(Clone, Copy)]
struct Whole {
    count: u64,
    sum: i64,
    min: i64,
    max: i64,
}

impl Whole {
    const NONE: Whole = Whole { count: 0, sum: 0, min: i64::MAX, max: i64::MIN };

    /// Sums that are too large wrap: nobody looks at them.
    fn of(numbers: &[i64]) -> Self {
        let mut whole = Whole { count: numbers.len() as u64, ..Whole::NONE };
        for number in numbers {
            (whole.min, whole.max) = (whole.min.min(*number), whole.max.max(*number));
            whole.sum = whole.sum.wrapping_add(*number);
        }
        whole
    }

    #[inline]
    fn add(&mut self, number: i64) {
        self.count += 1;
        self.sum += number;
        (self.min, self.max) = (self.min.min(number), self.max.max(number));
    }

    fn merge(&mut self, other: &Whole) {
        self.count += other.count;
        self.sum += other.sum;
        (self.min, self.max) = (self.min.min(other.min), self.max.max(other.max));
    }
}

struct StatsAggregator {
    source: Source,
    show: Show,
    stats: Vec<Stats>,
    /// By bucket, numbers that are not yet in `stats`; and what no sum of all numbers so far can exceed.
    whole: Vec<Whole>,
    reach: f64,
    values: Vec<f64>,
    batch: Batch,
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

impl StatsAggregator {
    /// Adds whole numbers as they are: where every partial sum is one that doubles hold exactly, the order does not matter.
    /// False where sums might become too large for that.
    fn add_whole(&mut self, owners: Owners<'_>, batch: &Batch) -> Result<bool> {
        if !self.source.is_whole_numbers() || self.source.is_unsigned() {
            return Ok(false);
        }
        let numbers = Whole::of(batch.values());
        self.reach += (numbers.min as f64).abs().max((numbers.max as f64).abs()) * numbers.count as f64;
        if self.reach >= EXACT_MAX {
            self.settle()?;
            return Ok(false);
        }
        let most = match owners {
            Owners::One(owner) => owner as usize + 1,
            Owners::Each(owners) => owners.iter().max().map_or(0, |owner| *owner as usize + 1),
        };
        if most > self.whole.len() {
            check_shard_buckets(most - 1)?;
            self.whole.resize(most, Whole::NONE);
        }
        let whole = &mut self.whole;
        match (owners, batch.places()) {
            (Owners::One(owner), _) => whole[owner as usize].merge(&numbers),
            (Owners::Each(owners), None) => {
                for (number, owner) in batch.values().iter().zip(owners) {
                    whole[*owner as usize].add(*number);
                }
            }
            (Owners::Each(owners), Some(places)) => {
                for (number, place) in batch.values().iter().zip(places) {
                    whole[owners[*place as usize] as usize].add(*number);
                }
            }
        }
        Ok(true)
    }

    /// Brings what was added as it is into `stats`.
    fn settle(&mut self) -> Result<()> {
        for (owner, whole) in std::mem::take(&mut self.whole).iter().enumerate() {
            self.slot(owner as u32)?.add_whole(whole);
        }
        Ok(())
    }
}

impl Aggregator for StatsAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        Ok(())
    }

    /// The extremes of all documents stand beside the column.
    fn collect_selection(&mut self, _view: &SegmentView, selection: &Selection) -> Result<bool> {
        let known = matches!(self.show, Show::Min | Show::Max) && *selection == Selection::All;
        if !known || self.source.has_missing() {
            return Ok(false);
        }
        let Some(column) = self.source.number_column().cloned() else { return Ok(self.source.is_absent()) };
        let (Some(min), Some(max)) = (column.min(), column.max()) else { return Ok(true) };
        let (min, max) = (self.source.decode(min), self.source.decode(max));
        let slot = self.slot(0)?;
        slot.count += column.value_count();
        (slot.min, slot.max) = (slot.min.min(min), slot.max.max(max));
        Ok(true)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let (mut values, mut batch) = (std::mem::take(&mut self.values), std::mem::take(&mut self.batch));
        values.clear();
        match self.source.plain_missing() {
            Some(number) => {
                batch.clear(docs.len());
                batch.fill_missing(0);
                values.resize(docs.len(), number);
            }
            None => {
                self.source.read(docs, &mut batch)?;
                if self.add_whole(owners, &batch)? {
                    (self.values, self.batch) = (values, batch);
                    return Ok(());
                }
                self.source.decode_all(batch.values(), &mut values);
            }
        }
        match owners {
            Owners::One(owner) => self.slot(owner)?.add_all(&values),
            Owners::Each(owners) => match batch.places() {
                None => {
                    for (value, owner) in values.iter().zip(owners) {
                        self.slot(*owner)?.add(*value);
                    }
                }
                Some(places) => {
                    for (value, place) in values.iter().zip(places) {
                        self.slot(owners[*place as usize])?.add(*value);
                    }
                }
            },
        }
        self.batch = batch;
        self.values = values;
        Ok(())
    }

    fn build(&mut self, owners: &[u32]) -> Result<Vec<Partial>> {
        self.settle()?;
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
    /// The ranges of a document are one value, however many there are.
    one_each: bool,
    counts: Vec<u64>,
    batch: Batch,
}

impl CountAggregator {
    fn add(&mut self, owner: u32, values: u64) -> Result<()> {
        let owner = owner as usize;
        if owner >= self.counts.len() {
            check_shard_buckets(owner)?;
            self.counts.resize(owner + 1, 0);
        }
        self.counts[owner] += values;
        Ok(())
    }
}

impl Aggregator for CountAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        Ok(())
    }

    fn collect_selection(&mut self, _view: &SegmentView, selection: &Selection) -> Result<bool> {
        if *selection != Selection::All || self.source.has_missing() || self.source.is_scripted() || self.one_each {
            return Ok(false);
        }
        self.add(0, self.source.value_count())?;
        Ok(true)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let mut batch = std::mem::take(&mut self.batch);
        self.source.read(docs, &mut batch)?;
        // What is not a number of the field stands in for its document as well.
        let stand_in = u64::from(self.source.has_missing());
        let most = if self.one_each { 1 } else { usize::MAX };
        if let (Owners::One(owner), false) = (owners, self.one_each) {
            self.add(owner, batch.values().len() as u64 + stand_in * batch.without() as u64)?;
        } else {
            let mut added = Ok(());
            batch.for_each_doc(|place, values| {
                let count = if values.is_empty() { stand_in } else { values.len().min(most) as u64 };
                if added.is_ok() {
                    added = self.add(owners.of(place), count);
                }
            });
            added?;
        }
        self.batch = batch;
        Ok(())
    }

    fn build(&mut self, owners: &[u32]) -> Result<Vec<Partial>> {
        Ok(owners.iter().map(|o| Partial::Count(self.counts.get(*o as usize).copied().unwrap_or(0))).collect())
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
