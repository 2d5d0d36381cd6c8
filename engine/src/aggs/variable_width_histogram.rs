//! variable_width_histogram: so many buckets, wherever the values lie close together.
//!
//! A shard sorts the first values that it meets into clusters of neighbours; each further value joins the nearest cluster, or
//! begins one if it lies far from all. Merging puts the closest two together until there are as many as asked for.
//!
//! What the reference answers depends on a slip of its own, which is kept: the documents of the first values are put into other
//! clusters than their values.

use super::closest::join_closest;
use super::composite_parents::{check_scores_of_nested, check_single_owner};
use super::format::Format;
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::merge_order::merged;
use super::parse::{Agg, ParseContext};
use super::partial::{Bucket, Partial, Shown, mismatch, reduce_buckets, render_bucket};
use super::reduce_context::ReduceContext;
use super::source::{Source, SourceConfig};
use crate::error::{Error, Result};
use crate::json::{Entry, Map, Writer};
use crate::pace::Pace;
use crate::query::{PlanContext, ShardContext};
use crate::segment::{SegmentView, Snapshot};
use std::cmp::Ordering;
use std::sync::Arc;

const BUCKETS_DEFAULT: usize = 10;
/// Values that are looked at before the first clusters are made, at most, unless the request says otherwise.
const BUFFER_DEFAULT_MAX: usize = 50_000;
/// What a request may ask for: all of it is kept in memory.
const BUFFER_MAX: usize = 4_000_000;

/// Documents that wait for the sub-aggregations take so much less memory than a bucket.
const DEFERRED_PER_BUCKET: usize = 16;

#[derive(Debug)]
struct VariableWidth {
    source: SourceConfig,
    buckets: usize,
    gathers: Gathers,
}

/// How a shard gathers values, where the request says so.
#[derive(Debug, Clone, Copy, Default)]
struct Gathers {
    shard_size: Option<usize>,
    buffer: Option<usize>,
}

/// Ascending by the middle of their values.
#[derive(Debug, Clone, Default)]
pub struct VariableBuckets {
    pub(crate) buckets: Vec<VariableBucket>,
    format: Option<Format>,
}

#[derive(Debug, Clone)]
pub(crate) struct VariableBucket {
    pub(crate) centroid: f64,
    min: f64,
    max: f64,
    pub(crate) bucket: Bucket,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut kind =
        VariableWidth { source: SourceConfig::default(), buckets: BUCKETS_DEFAULT, gathers: Gathers::default() };
    for entry in &map.entries {
        match entry.key.as_str() {
            "buckets" => kind.buckets = above(entry, 0, cx)?,
            "shard_size" => kind.gathers.shard_size = Some(above(entry, 1, cx)?),
            "initial_buffer" => kind.gathers.buffer = Some(above(entry, 0, cx)?),
            _ if kind.source.accept(entry, cx)? => {}
            _ => {
                let own = ["buckets", "shard_size", "initial_buffer"];
                return Err(cx.unknown_field(entry, &[&own, SourceConfig::FIELDS].concat()));
            }
        }
    }
    kind.source.check()?;
    Ok(Box::new(kind))
}

fn above(entry: &Entry, least: i64, cx: &ParseContext<'_>) -> Result<usize> {
    let given = cx.int(entry)?;
    usize::try_from(given).ok().filter(|n| *n as i64 > least && *n <= i32::MAX as usize).ok_or_else(|| {
        let refusal = format!("{} must be greater than [{least}] for [{}]", entry.key, cx.name);
        cx.failed_field(entry, Error::illegal_argument(refusal))
    })
}

impl Gathers {
    /// How many clusters a shard makes at most, and how many values it looks at before it makes the first.
    fn sizes(&self, buckets: usize, name: &str) -> Result<(usize, usize)> {
        let shard_size = self.shard_size.unwrap_or_else(|| buckets.saturating_mul(50));
        let buffer = self.buffer.unwrap_or_else(|| shard_size.saturating_mul(10).min(BUFFER_DEFAULT_MAX));
        let first = three_quarters(shard_size);
        if first < buckets {
            return Err(Error::illegal_argument(format!(
                "3/4 of shard_size must be at least buckets but was [{first}<{buckets}] for [{name}]"
            )));
        }
        if buffer < buckets {
            return Err(Error::illegal_argument(format!(
                "initial_buffer must be at least buckets but was [{buffer}<{buckets}] for [{name}]"
            )));
        }
        if buffer > BUFFER_MAX || shard_size > BUFFER_MAX {
            return Err(Error::illegal_argument(format!(
                "initial_buffer and shard_size must be at most [{BUFFER_MAX}] for [{name}]"
            )));
        }
        Ok((shard_size, buffer))
    }
}

fn three_quarters(n: usize) -> usize {
    n / 4 * 3 + n % 4 * 3 / 4
}

impl VariableWidth {
    /// The buckets of several lists, the closest of them put together until there are as many as are wanted.
    fn closest(
        &self,
        agg: &Agg,
        lists: Vec<Vec<VariableBucket>>,
        cx: &mut ReduceContext,
    ) -> Result<Vec<VariableBucket>> {
        let all = merged(lists, |a: &VariableBucket, b| a.centroid.total_cmp(&b.centroid).is_lt());
        let mut same = vec![];
        for part in all.chunk_by(|a, b| a.centroid == b.centroid) {
            same.push(join(agg, part.to_vec(), cx)?);
        }
        let weights: Vec<(f64, u64)> = same.iter().map(|b| (b.centroid, b.bucket.count)).collect();
        join_ranges(agg, same, join_closest(&weights, self.buckets), cx)
    }
}

impl Kind for VariableWidth {
    fn is_unmapped(&self, cx: &ShardContext) -> bool {
        self.source.is_unmapped(cx)
    }

    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        // Made anew, it forgets how values are gathered.
        let anew = agg.is_made_anew(&PlanContext::new(cx));
        let gathers = if anew { Gathers::default() } else { self.gathers };
        let (shard_size, buffer) = gathers.sizes(self.buckets, &agg.name)?;
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        let (subs, ()) = Subs::beside(agg, cx, || check_single_owner(agg, cx).map_err(Error::late))?;
        if !self.is_unmapped(cx) {
            check_scores_of_nested(agg, "VariableWidthHistogram")?;
        }
        Ok(Box::new(VariableWidthAggregator {
            source,
            subs,
            buffer,
            first_clusters: three_quarters(shard_size).max(1),
            clusters_max: shard_size,
            waiting: vec![],
            clusters: vec![],
            distance: 0.0,
            next: 0,
            deferred: vec![],
            snapshot: cx.snapshot.clone(),
            segment: 0,
            values: vec![],
        }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Variable(Box::default())
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let (mut lists, mut format) = (vec![], None);
        for part in parts {
            let Partial::Variable(part) = part else { return Err(mismatch()) };
            let VariableBuckets { buckets, format: own } = *part;
            format = format.or(own);
            // What was gathered in slices comes to as many as are wanted on each shard first.
            lists.push(match cx.sliced {
                true => cx.within_shard(|cx| self.closest(agg, vec![buckets], cx))?,
                false => buckets,
            });
        }
        let buckets = self.closest(agg, lists, cx)?;
        let ranges = buckets.chunk_by(|a, b| a.min == b.min).map(<[_]>::len).collect();
        let mut apart = join_ranges(agg, buckets, ranges, cx)?;
        for i in 1..apart.len() {
            if apart[i].min < apart[i - 1].max {
                let middle = (apart[i - 1].max + apart[i].min) / 2.0;
                (apart[i - 1].max, apart[i].min) = (middle, middle);
            }
        }
        cx.add_buckets(apart.len())?;
        Ok(Partial::Variable(Box::new(VariableBuckets { buckets: apart, format })))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Variable(found) = partial else { return Err(mismatch()) };
        w.key("buckets").begin_array();
        for bucket in &found.buckets {
            w.begin_object();
            for (name, value) in [("min", bucket.min), ("key", bucket.centroid), ("max", bucket.max)] {
                w.key(name).f64(value);
                match &found.format {
                    // Of keys the reference always has a text.
                    Some(format) if name != "key" => format.write_as_string(name, value, w),
                    Some(format) => {
                        let text = format.text(value);
                        text.into_iter().for_each(|text| _ = w.key("key_as_string").string(&text));
                    }
                    None => {}
                }
            }
            render_bucket(agg, &bucket.bucket, w, shown)?;
            w.end_object();
        }
        w.end_array();
        Ok(())
    }

    fn defers(&self, _cx: &ShardContext) -> bool {
        true
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "variable_width_histogram"
    }

    fn bucket_key(&self, partial: &Partial, i: usize) -> String {
        let Partial::Variable(found) = partial else { return String::new() };
        found.format.as_ref().unwrap_or(&Format::Raw).text_or_plain(found.buckets[i].centroid)
    }
}

/// One bucket of several.
fn join(agg: &Agg, parts: Vec<VariableBucket>, cx: &mut ReduceContext) -> Result<VariableBucket> {
    let (mut min, mut max, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    for part in &parts {
        (min, max) = (min.min(part.min), max.max(part.max));
        sum += part.bucket.count as f64 * part.centroid;
    }
    let bucket = reduce_buckets(&agg.subs, parts.into_iter().map(|part| part.bucket).collect(), cx)?;
    Ok(VariableBucket { centroid: sum / bucket.count as f64, min, max, bucket })
}

/// One bucket for each stretch of neighbours, which the reference takes from the last to the first.
fn join_ranges(
    agg: &Agg,
    buckets: Vec<VariableBucket>,
    ranges: Vec<usize>,
    cx: &mut ReduceContext,
) -> Result<Vec<VariableBucket>> {
    let mut rest = buckets.into_iter();
    let mut joined = vec![];
    for len in ranges {
        let mut range: Vec<VariableBucket> = rest.by_ref().take(len).collect();
        range.reverse();
        joined.extend(match <[VariableBucket; 1]>::try_from(range) {
            Ok([one]) => Some(one),
            Err(range) => Some(join(agg, range, cx)?),
        });
    }
    Ok(joined)
}

struct Cluster {
    centroid: f64,
    min: f64,
    max: f64,
    count: u64,
    /// What was deferred under these numbers belongs to it.
    numbers: Vec<u32>,
}

impl Cluster {
    fn of(value: f64) -> Self {
        Self { centroid: value, min: value, max: value, count: 1, numbers: vec![] }
    }

    fn add(&mut self, value: f64) {
        let count = self.count as f64;
        self.centroid = (self.centroid * count + value) / (count + 1.0);
        (self.min, self.max) = (self.min.min(value), self.max.max(value));
        self.count += 1;
    }
}

struct VariableWidthAggregator {
    source: Source,
    subs: Subs,
    buffer: usize,
    first_clusters: usize,
    clusters_max: usize,
    /// Values that are in no cluster yet; their places are their numbers.
    waiting: Vec<f64>,
    /// Ascending by the middle of their values.
    clusters: Vec<Cluster>,
    /// Between neighbours, on average.
    distance: f64,
    next: u32,
    /// Segment, document and number, for the sub-aggregations: they see documents when it is known which cluster they are in.
    deferred: Vec<(u32, u32, u32)>,
    snapshot: Arc<Snapshot>,
    segment: u32,
    values: Vec<f64>,
}

impl VariableWidthAggregator {
    fn add(&mut self, doc: u32, value: f64) {
        if self.clusters.is_empty() {
            self.defer(doc, self.next);
            self.waiting.push(value);
            self.next += 1;
            if self.waiting.len() >= self.buffer {
                self.make_clusters();
            }
            return;
        }
        let nearest = self.nearest(value);
        let gap = (self.clusters[nearest].centroid - value).abs();
        if gap > 2.0 * self.distance && self.clusters.len() < self.clusters_max {
            let at = nearest + usize::from(value > self.clusters[nearest].centroid);
            self.defer(doc, self.next);
            self.clusters.insert(at, Cluster { numbers: vec![self.next], ..Cluster::of(value) });
            self.next += 1;
            self.measure();
            return;
        }
        let cluster = &mut self.clusters[nearest];
        cluster.add(value);
        if let Some(number) = cluster.numbers.first().copied() {
            self.defer(doc, number);
        }
        if nearest == 0 || nearest == self.clusters.len() - 1 {
            self.measure();
        }
    }

    fn defer(&mut self, doc: u32, number: u32) {
        if !self.subs.is_empty() {
            self.deferred.push((self.segment, doc, number));
        }
    }

    /// The cluster whose middle is closest. Of two that are as close it is the one that the reference's bisection ends at.
    fn nearest(&self, value: f64) -> usize {
        let middle = |at: usize| self.clusters[at].centroid;
        let closer = |a: usize, b: usize| if (middle(a) - value).abs() < (middle(b) - value).abs() { a } else { b };
        let (mut from, mut to) = (0, self.clusters.len() - 1);
        while from < to {
            let at = (from + to) / 2;
            match middle(at).total_cmp(&value) {
                Ordering::Equal => return at,
                Ordering::Less => {
                    from = at + 1;
                    if middle(from) > value {
                        return closer(at, from);
                    }
                }
                Ordering::Greater if at > from => {
                    to = at - 1;
                    if middle(to) < value {
                        return closer(at, to);
                    }
                }
                Ordering::Greater => return at,
            }
        }
        from
    }

    fn make_clusters(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let mut order: Vec<usize> = (0..waiting.len()).collect();
        order.sort_by(|a, b| waiting[*a].total_cmp(&waiting[*b]));
        let each = waiting.len().div_ceil(self.first_clusters).max(1);
        for part in order.chunks(each) {
            let mut cluster = Cluster::of(waiting[part[0]]);
            part[1..].iter().for_each(|at| cluster.add(waiting[*at]));
            self.clusters.push(cluster);
        }
        // The document of the `i`th value goes where the `i`th smallest one came, divided: see above.
        for (number, at) in order.into_iter().enumerate() {
            self.clusters[at / each].numbers.push(number as u32);
        }
        if waiting.len() > 1 {
            self.measure();
        }
    }

    fn measure(&mut self) {
        if let (Some(first), Some(last)) = (self.clusters.first(), self.clusters.last()) {
            self.distance = (last.centroid - first.centroid) / (self.clusters.len() - 1) as f64;
        }
    }

    /// Shows the sub-aggregations what was deferred, by the places of clusters.
    fn replay(&mut self) -> Result<()> {
        let mut places = vec![0; self.next as usize];
        for (place, cluster) in self.clusters.iter().enumerate() {
            cluster.numbers.iter().for_each(|number| places[*number as usize] = place as u32);
        }
        let snapshot = self.snapshot.clone();
        let deferred = std::mem::take(&mut self.deferred);
        for part in deferred.chunk_by(|a, b| a.0 == b.0) {
            let Some(view) = snapshot.segments.get(part[0].0 as usize) else { continue };
            self.subs.enter_segment(view)?;
            part.iter().try_for_each(|(_, doc, number)| self.subs.push(*doc, places[*number as usize]))?;
            self.subs.leave_segment()?;
        }
        Ok(())
    }
}

impl Aggregator for VariableWidthAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        let known = |known: &SegmentView| Arc::ptr_eq(&known.segment, &view.segment);
        self.segment = self.snapshot.segments.iter().position(known).unwrap_or_default() as u32;
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        debug_assert!((0..docs.len()).all(|i| owners.of(i) == 0), "stands below no aggregation of many buckets");
        let mut values = std::mem::take(&mut self.values);
        for doc in docs {
            self.source.doubles(*doc, &mut values)?;
            values.iter().for_each(|value| self.add(*doc, *value));
            check_shard_buckets(self.deferred.len() / DEFERRED_PER_BUCKET)?;
        }
        self.values = values;
        Ok(())
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            self.make_clusters();
            self.replay()?;
            let places: Vec<u32> = (0..self.clusters.len() as u32).collect();
            let rows = self.subs.build(&places, pace).await?;
            let buckets =
                std::mem::take(&mut self.clusters).into_iter().zip(rows).zip(places).map(|((cluster, subs), place)| {
                    let Cluster { centroid, min, max, count, .. } = cluster;
                    let count = count + self.subs.beyond(place);
                    VariableBucket { centroid, min, max, bucket: Bucket { count, subs } }
                });
            let mut found =
                Some(VariableBuckets { buckets: buckets.collect(), format: Some(self.source.format().clone()) });
            let of_owner = |owner: &u32| found.take().filter(|_| *owner == 0).unwrap_or_default();
            Ok(owners.iter().map(of_owner).map(|found| Partial::Variable(Box::new(found))).collect())
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }
}
