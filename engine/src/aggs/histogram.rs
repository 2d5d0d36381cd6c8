//! histogram: buckets of equal width over numbers; and what it shares with date_histogram.

use super::format::Format;
use super::histogram_collect::{HistogramAggregator, NumberRounder, Rounder};
use super::histogram_ranges::{Ranges, RangesAggregator};
use super::kind::{Aggregator, Kind, Subs};
use super::merge_order::merged as merged_lists;
use super::order::{Comparable, Order};
use super::parse::{Agg, ParseContext};
use super::partial::{
    Bucket, HistogramBuckets, Key, Partial, Shown, empty_beside, mismatch, reduce_buckets, render_bucket,
};
use super::reduce_context::ReduceContext;
use super::source::SourceConfig;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Map, Value, Writer};
use crate::mapping::number::java_f64;
use crate::query::ShardContext;

#[derive(Debug)]
struct Histogram {
    source: SourceConfig,
    interval: f64,
    offset: f64,
    shape: Shape,
    extended_bounds: Option<(f64, f64)>,
    /// Extended bounds as the request has them.
    extended_given: Option<(Option<f64>, Option<f64>)>,
    hard_bounds: Option<(Option<f64>, Option<f64>)>,
}

/// The most buckets that are made of bounds alone in one without documents.
const EMPTY_MAX: u64 = 65_536;

/// What both histograms do with their buckets at the end.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) min_doc_count: u64,
    pub(crate) keyed: bool,
    pub(crate) order: Order,
}

impl Default for Shape {
    fn default() -> Self {
        Self { min_doc_count: 0, keyed: false, order: Order::key_asc() }
    }
}

impl Shape {
    pub(crate) const FIELDS: [&'static str; 3] = ["min_doc_count", "keyed", "order"];

    /// Takes the entry if it is one of the shape's.
    pub(crate) fn accept(&mut self, entry: &Entry, cx: &ParseContext<'_>) -> Result<bool> {
        match entry.key.as_str() {
            "min_doc_count" => self.min_doc_count = cx.not_negative_long_as(entry, "minDocCount")?,
            "keyed" => self.keyed = cx.bool(entry)?,
            "order" => self.order = Order::parse(entry, cx)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Merges shards: same keys together, gaps filled by `next` when empty buckets are wanted, then ordered.
    pub(crate) fn reduce(
        &self,
        agg: &Agg,
        parts: Vec<Partial>,
        cx: &mut ReduceContext,
        next: &dyn Fn(f64) -> f64,
    ) -> Result<Partial> {
        let mut lists: Vec<Vec<(f64, Bucket)>> = vec![];
        let (mut format, mut bounds, mut empty) = (Format::Unsaid, None::<(f64, f64)>, None);
        for part in parts {
            let Partial::Histogram(part) = part else { return Err(mismatch()) };
            format.hear(&part.format);
            bounds = match (bounds, part.bounds) {
                (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                (a, b) => a.or(b),
            };
            empty = empty.or(part.empty);
            let mut list = part.buckets;
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            lists.push(list);
        }
        let by_key = merged_lists(lists, |a, b| a.0.total_cmp(&b.0).is_lt());
        let mut merged: Vec<(f64, Bucket)> = Vec::with_capacity(by_key.len());
        let mut rest = by_key.into_iter().peekable();
        while let Some((key, first)) = rest.next() {
            let mut same = vec![first];
            while let Some((_, bucket)) = rest.next_if(|(k, _)| k.total_cmp(&key).is_eq()) {
                same.push(bucket);
            }
            let bucket = reduce_buckets(&agg.subs, same, cx)?;
            if cx.within_shard || bucket.count >= self.min_doc_count {
                cx.add_buckets(1)?;
                merged.push((key, bucket));
            }
        }
        // Gaps are those between the buckets of all shards.
        if self.min_doc_count == 0 && !cx.within_shard {
            // What would stand in them is worked out whether there are any or not.
            agg.subs
                .iter()
                .filter(|sub| sub.type_name == "scripted_metric")
                .try_for_each(|sub| sub.kind.reduce(sub, vec![sub.kind.empty(sub)], cx).map(drop))?;
            merged = fill_gaps(agg, merged, (bounds, empty.as_deref()), cx, next)?;
        }
        self.sort(agg, &mut merged);
        Ok(Partial::Histogram(HistogramBuckets { buckets: merged, format, bounds, empty }))
    }

    /// What stands in a bucket without documents: as far as bounds of the request go there are buckets. `other` is what stands in another
    /// bucket, where shards have resolved them.
    pub(crate) fn empty_beside(&self, agg: &Agg, other: Option<&Partial>, next: &dyn Fn(f64) -> f64) -> Partial {
        let (format, bounds, empty) = match other {
            Some(Partial::Histogram(other)) => {
                let first = other.buckets.first().map(|(_, bucket)| bucket);
                (other.format.clone(), other.bounds, first.or(other.empty.as_deref()))
            }
            _ => (Format::Unsaid, None, None),
        };
        let mut cx = ReduceContext { buckets: 0, buckets_max: EMPTY_MAX, within_shard: false, sliced: false };
        let mut filled = match self.min_doc_count == 0 && bounds.is_some() {
            true => fill_gaps(agg, vec![], (bounds, empty), &mut cx, next).unwrap_or_default(),
            false => vec![],
        };
        self.sort(agg, &mut filled);
        Partial::Histogram(HistogramBuckets { buckets: filled, format, bounds, empty: None })
    }

    fn sort(&self, agg: &Agg, buckets: &mut Vec<(f64, Bucket)>) {
        if self.order.is_key_asc() {
            return;
        }
        let mut keyed: Vec<(Key, (f64, Bucket))> = buckets.drain(..).map(|b| (Key::Double(b.0), b)).collect();
        keyed.sort_by(|(ka, a), (kb, b)| {
            self.order.compare(
                &agg.subs,
                &Comparable { count: a.1.count, key: ka, subs: &a.1.subs },
                &Comparable { count: b.1.count, key: kb, subs: &b.1.subs },
            )
        });
        buckets.extend(keyed.into_iter().map(|(_, b)| b));
    }

    pub(crate) fn render(
        &self,
        agg: &Agg,
        partial: &Partial,
        w: &mut Writer,
        shown: Shown<'_>,
        dates: bool,
    ) -> Result<()> {
        let Partial::Histogram(histogram) = partial else { return Err(mismatch()) };
        w.key("buckets");
        let _ = if self.keyed { w.begin_object() } else { w.begin_array() };
        for (key, bucket) in &histogram.buckets {
            let text = if dates { histogram.format.whole_text(*key as i64) } else { histogram.format.text(*key) };
            match &text {
                Some(text) if self.keyed => _ = w.key(text),
                None if self.keyed && dates => _ = w.key(&(*key as i64).to_string()),
                None if self.keyed => _ = w.key(&histogram.format.text_or_plain(*key)),
                _ => {}
            }
            w.begin_object();
            if let Some(text) = text {
                w.key("key_as_string").string(&text);
            }
            w.key("key");
            let _ = if dates { w.i64(*key as i64) } else { w.f64(*key) };
            render_bucket(agg, bucket, w, shown)?;
            w.end_object();
        }
        let _ = if self.keyed { w.end_object() } else { w.end_array() };
        Ok(())
    }
}

/// The most empty buckets that a refusal tells: a count is a number of 32 bits.
const GAPS_TOLD: f64 = 2_147_483_646.0;

/// How many buckets stand in one, at all levels.
fn buckets_within(bucket: &Bucket) -> usize {
    let inner = bucket.subs.iter().flat_map(Partial::buckets);
    inner.map(|bucket| 1 + buckets_within(bucket)).sum()
}

/// Puts empty buckets between the first and the last, and out to the extended bounds. They are like those that there are, or else like
/// the one that comes with the bounds.
fn fill_gaps(
    agg: &Agg,
    merged: Vec<(f64, Bucket)>,
    (bounds, empty): (Option<(f64, f64)>, Option<&Bucket>),
    cx: &mut ReduceContext,
    next: &dyn Fn(f64) -> f64,
) -> Result<Vec<(f64, Bucket)>> {
    let (Some(first), Some(last)) = (
        merged.first().map(|b| b.0).into_iter().chain(bounds.map(|b| b.0)).reduce(f64::min),
        merged.last().map(|b| b.0).into_iter().chain(bounds.map(|b| b.1)).reduce(f64::max),
    ) else {
        return Ok(merged);
    };
    let mut filled = Vec::with_capacity(merged.len());
    let empty = empty_beside(&agg.subs, merged.first().map(|(_, bucket)| bucket).or(empty));
    let within = buckets_within(&empty);
    // Where they are too many the reference tells how many there would be.
    let steps = ((last - first) / (next(first) - first)).round();
    // Between keys that are no numbers there are none.
    let steps = if steps > GAPS_TOLD { GAPS_TOLD as usize } else { steps as usize };
    let gaps = (steps + 1).saturating_sub(merged.len()).saturating_mul(1 + within);
    if cx.lacks_room(gaps) {
        cx.add_buckets(gaps)?;
    }
    let mut merged = merged.into_iter().peekable();
    let mut key = first;
    while key <= last {
        if let Some(bucket) = merged.next_if(|(k, _)| *k <= key) {
            // Keys are computed the same way everywhere, so a key that lies between two steps is a rounding of one.
            let at = bucket.0;
            filled.push(bucket);
            if at < key {
                continue;
            }
        } else {
            cx.add_buckets(1 + within)?;
            filled.push((key, empty.clone()));
        }
        let following = next(key);
        if following <= key {
            // A width too small to move a double of this size.
            break;
        }
        key = following;
    }
    filled.extend(merged);
    Ok(filled)
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut kind = Histogram {
        source: SourceConfig::default(),
        interval: 0.0,
        offset: 0.0,
        shape: Shape::default(),
        extended_bounds: None,
        extended_given: None,
        hard_bounds: None,
    };
    for entry in &map.entries {
        match entry.key.as_str() {
            "interval" => {
                kind.interval = cx.float(entry)?;
                if kind.interval.is_nan() || kind.interval <= 0.0 {
                    let refusal = Error::illegal_argument(
                        "[interval] must be >0 for histogram aggregation [".to_owned() + cx.name + "]",
                    );
                    return Err(cx.failed_field(entry, refusal));
                }
            }
            "offset" => kind.offset = cx.float(entry)?,
            "extended_bounds" => {
                let (min, max) = parse_bounds(entry, cx)?;
                kind.extended_given = Some((min, max));
                kind.extended_bounds = Some((min.unwrap_or(f64::INFINITY), max.unwrap_or(f64::NEG_INFINITY)));
            }
            "hard_bounds" => kind.hard_bounds = Some(parse_bounds(entry, cx)?),
            _ if kind.shape.accept(entry, cx)? || kind.source.accept(entry, cx)? => {}
            _ => {
                let own = ["interval", "offset", "extended_bounds", "hard_bounds"];
                let known: Vec<_> = own.iter().chain(&Shape::FIELDS).chain(SourceConfig::FIELDS).copied().collect();
                return Err(cx.unknown_field(entry, &known));
            }
        }
    }
    kind.source.check()?;
    Ok(Box::new(kind))
}

fn parse_bounds(entry: &Entry, cx: &ParseContext<'_>) -> Result<(Option<f64>, Option<f64>)> {
    let Value::Object(map) = &entry.value else { return Err(cx.wrong_type(entry)) };
    cx.inside(entry, "double_bounds", |inner| read_bounds(map, inner))
}

fn read_bounds(map: &Map, inner: &ParseContext<'_>) -> Result<(Option<f64>, Option<f64>)> {
    let (mut min, mut max) = (None, None);
    for bound in &map.entries {
        let value = || if bound.value.is_null() { Ok(None) } else { inner.float(bound).map(Some) };
        match bound.key.as_str() {
            "min" => min = value()?,
            "max" => max = value()?,
            _ => return Err(inner.unknown_field(bound, &["min", "max"])),
        }
        if let (Some(low), Some(high)) = (min, max)
            && low > high
        {
            // The reference makes its bounds as soon as it has both.
            return Err(inner.failed_field(bound, unordered(low, high)).at(bound.value_pos));
        }
    }
    Ok((min, max))
}

#[cold]
fn unordered(low: f64, high: f64) -> Error {
    let rule = format!("max bound [{}] must be greater than min bound [{}]", java_f64(high), java_f64(low));
    let made = "Cannot instantiate an object of org.opensearch.search.aggregations.bucket.histogram.DoubleBounds";
    let target = Error::without_reason(ErrorKind::InvocationTarget).caused_by(Error::illegal_argument(rule));
    let cause = Error::illegal_argument(made).caused_by(target);
    Error::new(ErrorKind::XContentParse, "Failed to build [double_bounds] after last required field arrived")
        .caused_by(cause)
}

impl Histogram {
    fn check_bounds(&self) -> Result<()> {
        let (Some(extended), Some((least, most))) = (self.extended_given, self.hard_bounds) else { return Ok(()) };
        let below = least.zip(extended.0).is_some_and(|(hard, wanted)| hard > wanted);
        let above = most.zip(extended.1).is_some_and(|(hard, wanted)| hard < wanted);
        if !below && !above {
            return Ok(());
        }
        let hard = |bound: Option<f64>| bound.map_or_else(String::new, java_f64);
        let wanted = |bound: Option<f64>| bound.map_or_else(|| "null".to_owned(), java_f64);
        Err(Error::illegal_argument(format!(
            "Extended bounds have to be inside hard bounds, hard bounds: [{}--{}], extended bounds: [{}--{}]",
            hard(least),
            hard(most),
            wanted(extended.0),
            wanted(extended.1)
        )))
    }

    /// What is wrong with a field is told before that an interval is missing.
    fn check_interval(&self) -> Result<()> {
        match self.interval == 0.0 {
            true => Err(Error::illegal_argument("interval must be positive, got: 0.0")),
            false => Ok(()),
        }
    }

    fn rounder(&self) -> NumberRounder {
        let hard = self.hard_bounds.unwrap_or((None, None));
        NumberRounder { interval: self.interval, offset: self.offset, hard }
    }
}

impl Kind for Histogram {
    fn next_key(&self, _level: usize, key: f64) -> Option<f64> {
        Some(key + self.interval)
    }

    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let rounder = self.rounder();
        if let Some(ranges) = Ranges::resolve(&self.source, cx)? {
            let bounds = self.extended_bounds.map(|(min, max)| (rounder.key(min), rounder.key(max)));
            self.check_bounds()?;
            let subs = Subs::new(agg, cx)?;
            self.check_interval().map_err(Error::late)?;
            ranges.check_type(false)?;
            self.shape.order.check(agg, cx).map_err(Error::late)?;
            return Ok(Box::new(RangesAggregator::new(ranges, Rounder::Number(rounder), subs, bounds)));
        }
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        self.check_bounds()?;
        // Bounds that name one end only say nothing of the other.
        let bounds = self.extended_bounds.map(|(min, max)| (rounder.key(min), rounder.key(max)));
        let format = source.histogram_format();
        let (rounder, subs, profiled) = (Rounder::Number(rounder), Subs::new(agg, cx)?, cx.profile.is_some());
        // What is wrong with what stands below is told before what is wrong with the interval and the order.
        self.check_interval().map_err(Error::late)?;
        self.shape.order.check(agg, cx).map_err(Error::late)?;
        Ok(Box::new(HistogramAggregator::new(source, rounder, subs, bounds, format, profiled)))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Histogram(HistogramBuckets { buckets: vec![], format: Format::Unsaid, bounds: None, empty: None })
    }

    fn empty_beside(&self, agg: &Agg, other: Option<&Partial>) -> Partial {
        let rounder = self.rounder();
        self.shape.empty_beside(agg, other, &|key| rounder.next(key))
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let rounder = self.rounder();
        self.shape.reduce(agg, parts, cx, &|key| rounder.next(key))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        self.shape.render(agg, partial, w, shown, false)
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "histogram"
    }

    fn min_doc_count(&self) -> u64 {
        self.shape.min_doc_count
    }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn one_hard_bound_is_enough() {
        let mapping = r#"{"properties":{"d":{"type":"double"},"f":{"type":"half_float"}}}"#;
        let docs = [r#"{"d":-7.5,"f":-7.5}"#, r#"{"d":-0.5,"f":-0.5}"#, r#"{"d":2.5,"f":2.5}"#, r#"{"d":9,"f":9}"#];
        let cx = shard(mapping, &[&docs]);
        for field in ["d", "f"] {
            let keys = |bounds: &str| {
                let body = format!(
                    r#"{{"size":0,"aggs":{{"h":{{"histogram":{{"field":"{field}","interval":5,"min_doc_count":1,"hard_bounds":{bounds}}}}}}}}}"#
                );
                let answer = search(&cx, &body);
                let keys = answer.split(r#""key":"#).skip(1).map(|rest| rest[..rest.find(',').unwrap()].to_owned());
                keys.collect::<Vec<_>>().join(" ")
            };
            assert_eq!(keys(r#"{"min":0}"#), "0.0 5.0");
            assert_eq!(keys(r#"{"max":0}"#), "-10.0 -5.0 0.0");
            assert_eq!(keys(r#"{"min":-5,"max":0}"#), "-5.0 0.0");
        }
    }
}
