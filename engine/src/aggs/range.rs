//! range and date_range: a bucket per range of values; ranges may overlap.

use super::filters::{build_fixed, reduce_fixed};
use super::format::Format;
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::parse::{Agg, Level, ParseContext};
use super::partial::{FixedBuckets, Partial, Shown, empty_beside, mismatch, of_nothing, render_bucket};
use super::profile::{Details, UNMAPPED_RANGES, ranges_have_enough};
use super::reduce_context::ReduceContext;
use super::source::{Source, SourceConfig};
use crate::codec::bisect::last_holding;
use crate::codec::simd::column;
use crate::error::{Error, Result};
use crate::json::{Map, Value, Writer};
use crate::pace::Pace;
use crate::query::declared::Declared;
use crate::query::{Node, ShardContext};
use crate::score::Selection;
use crate::segment::{Batch, Points, SegmentView};
use std::sync::{Arc, OnceLock};

#[derive(Debug)]
struct RangeKind {
    type_name: &'static str,
    source: SourceConfig,
    ranges: Vec<Range>,
    keyed: bool,
    /// What the bounds are and how they are shown, as soon as a shard knows: buckets without documents have them as well.
    resolved: OnceLock<(Vec<Bounds>, Format)>,
}

type Bounds = (Option<f64>, Option<f64>);

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
    let (source, resolved) = (SourceConfig::default(), OnceLock::new());
    let mut kind = RangeKind { type_name, source, ranges: vec![], keyed: false, resolved };
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("keyed", _) => kind.keyed = cx.bool(entry)?,
            ("ranges", Value::Array(_) | Value::Object(_)) => {
                kind.ranges = cx
                    .inside(entry, "range", |inner| cx.list(entry, |item| parse_range(item, inner)))?
                    .into_iter()
                    .flatten()
                    .collect();
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
    Ok(Box::new(kind))
}

const RANGE: Declared = Declared { name: "range", fields: &[] };

fn parse_range(node: Node, cx: &ParseContext<'_>) -> Result<Option<Range>> {
    if !RANGE.check_next_object(node)? {
        return Ok(None);
    }
    let entries = node.object().map_or(&[][..], |map| &map.entries);
    let mut range = Range { key: None, from: None, to: None };
    for entry in entries {
        let bound = || match &entry.value {
            Value::Null => Ok(None),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(cx.wrong_type(entry)),
            scalar => Ok(Some(scalar.clone())),
        };
        match entry.key.as_str() {
            "key" if matches!(entry.value, Value::Bool(_)) => return Err(cx.wrong_type(entry)),
            "key" => range.key = Some(cx.string(entry)?),
            "from" => range.from = bound()?,
            "to" => range.to = bound()?,
            _ => return Err(cx.unknown_field(entry, &["key", "from", "to"])),
        }
    }
    Ok(Some(range))
}

impl RangeKind {
    /// The ranges with numbers as bounds, and their order: by from, then by to, as the reference orders buckets.
    fn resolve(&self, source: &Source) -> Result<Vec<(Option<f64>, Option<f64>)>> {
        self.ranges
            .iter()
            .map(|r| {
                // What is a number is one, of dates as well; in ranges of dates it is what their format says.
                let plain = |v: &Value| v.as_f64().filter(|_| self.type_name == "range").map(Ok);
                // Dates are read of whole numbers as of texts, also where flags are taken for dates.
                let flags = source.is_boolean();
                let written = |v: &Value| Value::from((v.as_f64().unwrap_or_default() as i64).to_string());
                let as_text = |v: &Value| (flags && v.as_f64().is_some()).then(|| source.parse_bound(&written(v)));
                let plain = |v: &Value| plain(v).or_else(|| as_text(v));
                let parsed = |v: &Value| plain(v).unwrap_or_else(|| source.parse_bound(v));
                let bound = |v: &Option<Value>| v.as_ref().map(parsed).transpose();
                Ok((bound(&r.from)?, bound(&r.to)?))
            })
            .collect()
    }
}

impl RangeKind {
    fn key(&self, fixed: &FixedBuckets, i: usize) -> String {
        self.ranges[i].key.clone().unwrap_or_else(|| {
            let (from, to) = fixed.bounds[i];
            let show = |v| shown_bound(v).map_or("*".to_owned(), |v| fixed.format.text_or_plain(v));
            format!("{}-{}", show(from), show(to))
        })
    }
}

/// A bound as answers have it: what is infinite is none, on whichever side it stands.
fn shown_bound(bound: Option<f64>) -> Option<f64> {
    bound.filter(|bound| !bound.is_infinite())
}

pub(crate) fn order_of(bounds: &[(Option<f64>, Option<f64>)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bounds.len()).collect();
    let key = |i: usize| (bounds[i].0.unwrap_or(f64::NEG_INFINITY), bounds[i].1.unwrap_or(f64::INFINITY));
    order.sort_by(|a, b| {
        let (a, b) = (key(*a), key(*b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    order
}

impl Kind for RangeKind {
    fn class(&self, cx: &ShardContext) -> Option<&'static str> {
        self.source.is_unmapped(cx).then_some(UNMAPPED_RANGES)
    }

    fn leads_nowhere(&self, cx: &ShardContext) -> bool {
        self.source.is_unmapped(cx)
    }

    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        if self.ranges.is_empty() {
            return Err(Error::illegal_argument(format!("No [ranges] specified for the [{}] aggregation", agg.name)));
        }
        ReduceContext::check_asked(self.ranges.len(), cx)?;
        let bounds = self.resolve(&source)?;
        self.resolved.get_or_init(|| (bounds.clone(), source.format().clone()));
        let mut ranges = RangeAggregator::new(source, bounds, Subs::new(agg, cx)?);
        ranges.nothing = self.source.is_unmapped(cx).then(|| agg.subs.clone());
        Ok(Box::new(ranges))
    }

    fn empty(&self, agg: &Agg) -> Partial {
        self.empty_beside(agg, None)
    }

    fn empty_beside(&self, agg: &Agg, other: Option<&Partial>) -> Partial {
        let empty = empty_beside(&agg.subs, other.and_then(Partial::first_bucket));
        // Where the shard's result was kept from an earlier request nobody has resolved them for this one.
        let told = other.and_then(|other| match other {
            Partial::Fixed(fixed) if fixed.bounds.len() == self.ranges.len() => {
                Some((fixed.bounds.clone(), fixed.format.clone()))
            }
            _ => None,
        });
        let (bounds, format) = told.or_else(|| self.resolved.get().cloned()).unwrap_or_else(|| {
            let plain = |v: &Option<Value>| v.as_ref().and_then(Value::as_f64);
            (self.ranges.iter().map(|r| (plain(&r.from), plain(&r.to))).collect(), Format::Unsaid)
        });
        let buckets = order_of(&bounds).into_iter().map(|i| (i, empty.clone())).collect();
        Partial::Fixed(FixedBuckets { buckets, format, bounds })
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let mut fixed = reduce_fixed(agg, parts, self.ranges.len(), cx)?;
        let mut places: Vec<_> = fixed.buckets.drain(..).map(Some).collect();
        fixed.buckets.extend(order_of(&fixed.bounds).into_iter().filter_map(|i| places[i].take()));
        Ok(Partial::Fixed(fixed))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
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
                let Some(bound) = shown_bound(bound) else { continue };
                w.key(name).f64(bound);
                fixed.format.write_as_string(name, bound, w);
            }
            render_bucket(agg, bucket, w, shown)?;
            w.end_object();
        }
        let _ = if self.keyed { w.end_object() } else { w.end_array() };
        Ok(())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        self.type_name
    }

    fn collects_many(&self) -> bool {
        self.ranges.len() > 1
    }

    fn bucket_key(&self, partial: &Partial, i: usize) -> String {
        let Partial::Fixed(fixed) = partial else { return String::new() };
        self.key(fixed, fixed.buckets[i].0)
    }
}

struct RangeAggregator {
    source: Source,
    bounds: Vec<(Option<f64>, Option<f64>)>,
    /// Where the request has each of the ranges, which are taken in the order of their bounds.
    places: Vec<usize>,
    /// The encoded numbers of each range, from and to; empty if the first is greater.
    numbers: Vec<(i64, i64)>,
    subs: Subs,
    /// What stands below where no mapping knows the field.
    nothing: Option<Arc<Level>>,
    /// Nothing stands above it.
    top: bool,
    /// The reference counts the current segment by its ranges, and shows what is below those that have documents.
    by_ranges: bool,
    counts: Vec<u64>,
    batch: Batch,
    docs: Vec<u32>,
    owners: Vec<u32>,
}

/// The encoded numbers that stand for values from `from` to below `to`.
fn numbers_of(source: &Source, from: Option<f64>, to: Option<f64>) -> (i64, i64) {
    // Nothing is beside what is no number.
    if [from, to].into_iter().flatten().any(f64::is_nan) {
        return (i64::MAX, i64::MIN);
    }
    // What is no number stands at either end of the encoded ones, by its sign.
    let is_below = |number: i64, bound: f64| {
        let value = source.decode(number);
        value.partial_cmp(&bound).unwrap_or_else(|| value.total_cmp(&bound)).is_lt()
    };
    let before = from.and_then(|from| last_holding(|number| is_below(number, from)));
    let last = match to {
        None => Some(i64::MAX),
        Some(to) => last_holding(|number| is_below(number, to)),
    };
    match (before, last) {
        (Some(i64::MAX), _) | (_, None) => (i64::MAX, i64::MIN),
        (before, Some(last)) => (before.map_or(i64::MIN, |number| number + 1), last),
    }
}

impl RangeAggregator {
    fn new(source: Source, bounds: Vec<(Option<f64>, Option<f64>)>, subs: Subs) -> Self {
        let places = order_of(&bounds);
        let bounds: Vec<_> = places.iter().map(|place| bounds[*place]).collect();
        let numbers = bounds.iter().map(|(from, to)| numbers_of(&source, *from, *to)).collect();
        let (batch, counts, docs, owners, nothing) = (Batch::default(), vec![], vec![], vec![], None);
        Self {
            source,
            bounds,
            places,
            numbers,
            subs,
            nothing,
            top: false,
            by_ranges: false,
            counts,
            batch,
            docs,
            owners,
        }
    }

    /// Whether a value may be in several of the ranges.
    fn overlap(&self) -> bool {
        let ends =
            |(from, to): &(Option<f64>, Option<f64>)| (from.unwrap_or(f64::NEG_INFINITY), to.unwrap_or(f64::INFINITY));
        self.bounds.windows(2).any(|pair| ends(&pair[0]).1 > ends(&pair[1]).0)
    }

    /// Makes room for the buckets of an owner and gives the first one.
    fn first_bucket(&mut self, owner: u32) -> Result<usize> {
        let first = owner as usize * self.bounds.len();
        let needed = first + self.bounds.len();
        if needed > self.counts.len() {
            check_shard_buckets(needed)?;
            self.counts.resize(needed, 0);
        }
        Ok(first)
    }

    /// Counts the values of an owner's documents, each of which has one at most.
    fn count_values(&mut self, owner: u32, values: &[i64]) -> Result<()> {
        let first = self.first_bucket(owner)?;
        for (count, (lo, hi)) in self.counts[first..].iter_mut().zip(&self.numbers) {
            *count += column::count_within(values, *lo, *hi);
        }
        Ok(())
    }

    fn add(&mut self, doc: u32, owner: u32, values: &[i64]) -> Result<()> {
        let first = self.first_bucket(owner)?;
        for (range, (lo, hi)) in self.numbers.iter().enumerate() {
            // A document counts once per range, however many of its values lie in it.
            if values.iter().any(|value| lo <= value && value <= hi) {
                self.counts[first + range] += 1;
                self.docs.push(doc);
                self.owners.push((first + range) as u32);
            }
        }
        Ok(())
    }

    /// Documents that all have the value that stands in where no mapping knows the field.
    fn add_plain(&mut self, docs: &[u32], owners: Owners<'_>, value: f64) -> Result<()> {
        for (i, doc) in docs.iter().enumerate() {
            let first = self.first_bucket(owners.of(i))?;
            for (range, (from, to)) in self.bounds.iter().enumerate() {
                if from.is_none_or(|from| value >= from) && to.is_none_or(|to| value < to) {
                    self.counts[first + range] += 1;
                    self.docs.push(*doc);
                    self.owners.push((first + range) as u32);
                }
            }
        }
        Ok(())
    }
}

impl Aggregator for RangeAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        self.by_ranges = false;
        match self.top {
            true => self.subs.enter_segment_late(view),
            false => self.subs.enter_segment(view)?,
        }
        Ok(())
    }

    fn at_top(&mut self) {
        self.top = true;
    }

    /// Counts each range by two searches in the points of the field.
    fn collect_selection(&mut self, view: &SegmentView, selection: &Selection) -> Result<bool> {
        let Some((points, (from, to))) = self.source.selected_points(view, selection) else { return Ok(false) };
        if !self.subs.is_empty() {
            self.by_ranges = self.counts_by_ranges(view, selection, false);
            return Ok(false);
        }
        let first = self.first_bucket(0)?;
        for (count, (lo, hi)) in self.counts[first..].iter_mut().zip(&self.numbers) {
            *count += points.count(from.max(*lo), to.min(*hi));
        }
        Ok(true)
    }

    fn counts_by_ranges(&self, view: &SegmentView, selection: &Selection, _done: bool) -> bool {
        let enough = self.subs.is_empty() || ranges_have_enough(view, self.bounds.len());
        // What the search leaves out of a segment is not in its points.
        let whole = |points: &Points, (from, to)| {
            matches!(selection, Selection::All) || points.count(from, to) == u64::from(view.live_count())
        };
        let points = self.source.selected_points(view, selection);
        enough && !self.overlap() && points.is_some_and(|(points, bounds)| whole(points, bounds))
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if !self.by_ranges {
            self.subs.enter_now()?;
        }
        if self.source.is_absent() {
            return Ok(());
        }
        self.docs.clear();
        self.owners.clear();
        if let Some(value) = self.source.plain_missing() {
            self.add_plain(docs, owners, value)?;
            return self.subs.collect(&self.docs, Owners::Each(&self.owners));
        }
        let mut batch = std::mem::take(&mut self.batch);
        self.source.read(docs, &mut batch)?;
        let single = batch.values().len() + batch.without() == docs.len();
        match owners {
            Owners::One(owner) if single && self.subs.is_empty() => self.count_values(owner, batch.values())?,
            _ => {
                let mut added = Ok(());
                batch.for_each_doc(|place, values| {
                    if added.is_ok() {
                        added = self.add(docs[place], owners.of(place), values);
                    }
                });
                added?;
                self.subs.collect(&self.docs, Owners::Each(&self.owners))?;
            }
        }
        self.batch = batch;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        if !self.by_ranges {
            self.subs.enter_now()?;
        }
        self.subs.leave_segment()
    }

    fn can_be_joined(&self) -> bool {
        self.subs.can_be_joined()
    }

    fn enter_part(&mut self) {
        self.subs.enter_part();
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            if self.nothing.is_some() {
                self.subs.find_nothing();
            }
            let mut bounds = self.bounds.clone();
            self.places.iter().zip(&self.bounds).for_each(|(place, of)| bounds[*place] = *of);
            let mut built = build_fixed(
                &mut self.subs,
                &self.counts,
                owners,
                self.bounds.len(),
                self.source.format(),
                &bounds,
                pace,
            )
            .await?;
            for partial in &mut built {
                let Partial::Fixed(fixed) = partial else { return Err(mismatch()) };
                fixed.buckets.iter_mut().for_each(|(at, _)| *at = self.places[*at]);
            }
            Ok(match &self.nothing {
                Some(below) => of_nothing(below, built),
                None => built,
            })
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }

    fn details(&self) -> Details {
        let class = (!self.source.is_mapped() && !self.source.has_missing()).then_some(UNMAPPED_RANGES);
        Details { class, shows_optimized: !self.source.has_missing() && !self.overlap(), ..Details::default() }
    }
}
