//! range and date_range: a bucket per range of values; ranges may overlap.

use super::filters::{build_fixed, reduce_fixed};
use super::format::Format;
use super::kind::{Aggregator, Kind, Owners, ReduceContext, Subs, check_shard_buckets};
use super::parse::{Agg, ParseContext};
use super::partial::{FixedBuckets, Partial, empty_bucket, mismatch, render_bucket};
use super::source::{Source, SourceConfig};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Map, Value, Writer, line_col};
use crate::query::ShardContext;
use crate::segment::SegmentView;

#[derive(Debug)]
struct RangeKind {
    type_name: &'static str,
    source: SourceConfig,
    ranges: Vec<Range>,
    keyed: bool,
}

/// One range as the request gives it: `from` inclusive, `to` exclusive.
#[derive(Debug, Clone)]
struct Range {
    key: Option<String>,
    from: Option<Value>,
    to: Option<Value>,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse_as("range", map, cx)
}

pub(crate) fn parse_date(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse_as("date_range", map, cx)
}

fn parse_as(type_name: &'static str, map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut kind = RangeKind { type_name, source: SourceConfig::default(), ranges: vec![], keyed: false };
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("keyed", _) => kind.keyed = cx.bool(entry)?,
            ("ranges", Value::Array(ranges)) => {
                kind.ranges = ranges.iter().map(|r| parse_range(r, entry, cx)).collect::<Result<_>>()?;
            }
            ("ranges", _) => return Err(cx.wrong_type(entry)),
            _ if kind.source.accept(entry, cx)? => {}
            _ => {
                return Err(cx.unknown_field(
                    entry,
                    &["field", "ranges", "keyed", "missing", "format", "script", "time_zone", "value_type"],
                ));
            }
        }
    }
    kind.source.check()?;
    if kind.ranges.is_empty() {
        return Err(Error::illegal_argument(format!("No [ranges] specified for the [{}] aggregation", cx.name)));
    }
    Ok(Box::new(kind))
}

fn parse_range(value: &Value, ranges: &Entry, cx: &ParseContext<'_>) -> Result<Range> {
    let Value::Object(map) = value else { return Err(cx.wrong_type(ranges)) };
    let mut range = Range { key: None, from: None, to: None };
    for entry in &map.entries {
        let bound = || match &entry.value {
            Value::Null => Ok(None),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(cx.wrong_type(entry)),
            scalar => Ok(Some(scalar.clone())),
        };
        match entry.key.as_str() {
            "key" => range.key = Some(cx.string(entry)?),
            "from" => range.from = bound()?,
            "to" => range.to = bound()?,
            _ => {
                let (line, col) = line_col(cx.body, entry.key_pos);
                return Err(Error::new(
                    ErrorKind::XContentParse,
                    format!("[{line}:{col}] [range] unknown field [{}]", entry.key),
                ));
            }
        }
    }
    Ok(range)
}

impl RangeKind {
    /// The ranges with numbers as bounds, and their order: by from, then by to, as the reference orders buckets.
    fn resolve(&self, source: &Source) -> Result<Vec<(Option<f64>, Option<f64>)>> {
        self.ranges
            .iter()
            .map(|r| {
                let bound = |v: &Option<Value>| v.as_ref().map(|v| source.parse_bound(v)).transpose();
                Ok((bound(&r.from)?, bound(&r.to)?))
            })
            .collect()
    }
}

impl RangeKind {
    fn key(&self, fixed: &FixedBuckets, i: usize) -> String {
        self.ranges[i].key.clone().unwrap_or_else(|| {
            let (from, to) = fixed.bounds[i];
            let show = |v: Option<f64>| v.map_or("*".to_owned(), |v| fixed.format.text_or_plain(v));
            format!("{}-{}", show(from), show(to))
        })
    }
}

fn order_of(bounds: &[(Option<f64>, Option<f64>)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bounds.len()).collect();
    let key = |i: usize| (bounds[i].0.unwrap_or(f64::NEG_INFINITY), bounds[i].1.unwrap_or(f64::INFINITY));
    order.sort_by(|a, b| {
        let (a, b) = (key(*a), key(*b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    order
}

impl Kind for RangeKind {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        let bounds = self.resolve(&source)?;
        Ok(Box::new(RangeAggregator { source, bounds, subs: Subs::new(agg, cx)?, counts: vec![], values: vec![] }))
    }

    fn empty(&self, agg: &Agg) -> Partial {
        let buckets = (0..self.ranges.len()).map(|i| (i, empty_bucket(&agg.subs))).collect();
        let plain = |v: &Option<Value>| v.as_ref().and_then(Value::as_f64);
        let bounds = self.ranges.iter().map(|r| (plain(&r.from), plain(&r.to))).collect();
        Partial::Fixed(FixedBuckets { buckets, format: Format::Raw, bounds })
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let mut fixed = reduce_fixed(agg, parts, self.ranges.len(), cx)?;
        let mut places: Vec<_> = fixed.buckets.drain(..).map(Some).collect();
        fixed.buckets.extend(order_of(&fixed.bounds).into_iter().filter_map(|i| places[i].take()));
        Ok(Partial::Fixed(fixed))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, typed_keys: bool) -> Result<()> {
        let Partial::Fixed(fixed) = partial else { return Err(mismatch()) };
        w.key("buckets");
        let _ = if self.keyed { w.begin_object() } else { w.begin_array() };
        for (i, bucket) in fixed.shown() {
            let (from, to) = fixed.bounds[i];
            let key = self.key(fixed, i);
            if self.keyed {
                w.key(&key).begin_object();
            } else {
                w.begin_object().key("key").string(&key);
            }
            for (name, bound) in [("from", from), ("to", to)] {
                let Some(bound) = bound else { continue };
                w.key(name).f64(bound);
                if let Some(text) = fixed.format.text(bound) {
                    w.key(&format!("{name}_as_string")).string(&text);
                }
            }
            render_bucket(agg, bucket, w, typed_keys)?;
            w.end_object();
        }
        let _ = if self.keyed { w.end_object() } else { w.end_array() };
        Ok(())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        self.type_name
    }

    fn bucket_key(&self, partial: &Partial, i: usize) -> String {
        let Partial::Fixed(fixed) = partial else { return String::new() };
        self.key(fixed, fixed.buckets[i].0)
    }
}

struct RangeAggregator {
    source: Source,
    bounds: Vec<(Option<f64>, Option<f64>)>,
    subs: Subs,
    counts: Vec<u64>,
    values: Vec<f64>,
}

impl Aggregator for RangeAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let width = self.bounds.len() as u32;
        let mut values = std::mem::take(&mut self.values);
        for (i, &doc) in docs.iter().enumerate() {
            self.source.doubles(doc, &mut values);
            let first = owners.of(i).saturating_mul(width);
            let needed = first as usize + width as usize;
            if needed > self.counts.len() {
                check_shard_buckets(needed)?;
                self.counts.resize(needed, 0);
            }
            for (r, (from, to)) in self.bounds.iter().enumerate() {
                // A document counts once per range, however many of its values lie in it.
                if values.iter().any(|v| from.is_none_or(|f| *v >= f) && to.is_none_or(|t| *v < t)) {
                    let bucket = first + r as u32;
                    self.counts[bucket as usize] += 1;
                    self.subs.push(doc, bucket)?;
                }
            }
        }
        self.values = values;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build(&mut self, owners: &[u32]) -> Result<Vec<Partial>> {
        build_fixed(&mut self.subs, &self.counts, owners, self.bounds.len(), self.source.format(), &self.bounds)
    }
}
