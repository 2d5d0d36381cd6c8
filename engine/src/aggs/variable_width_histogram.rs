//! variable_width_histogram: so many buckets, wherever the values lie close together.
//!
//! A shard sorts the first values that it meets into clusters of neighbours; each further value joins the nearest cluster, or
//! begins one if it lies far from all. Merging puts the closest two together until there are as many as asked for.

use super::closest::join_closest;
use super::format::Format;
use super::kind::{Aggregator, Kind, Owners, ReduceContext, Subs};
use super::parse::{Agg, ParseContext};
use super::partial::{Bucket, Partial, mismatch, reduce_buckets, render_bucket};
use super::source::{Source, SourceConfig};
use crate::error::{Error, Result};
use crate::json::{Entry, Map, Writer};
use crate::query::ShardContext;
use crate::segment::SegmentView;

const BUCKETS_DEFAULT: usize = 10;
/// Values that are looked at before the first clusters are made, at most, unless the request says otherwise.
const BUFFER_DEFAULT_MAX: usize = 50_000;
/// What a request may ask for: all of it is kept in memory.
const BUFFER_MAX: usize = 4_000_000;

#[derive(Debug)]
struct VariableWidth {
    source: SourceConfig,
    buckets: usize,
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
        VariableWidth { source: SourceConfig::default(), buckets: BUCKETS_DEFAULT, shard_size: None, buffer: None };
    for entry in &map.entries {
        match entry.key.as_str() {
            "buckets" => kind.buckets = above(entry, 0, cx)?,
            "shard_size" => kind.shard_size = Some(above(entry, 1, cx)?),
            "initial_buffer" => kind.buffer = Some(above(entry, 0, cx)?),
            "time_zone" => return Err(cx.unknown_field(entry, &[])),
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

impl VariableWidth {
    fn shard_size(&self) -> usize {
        self.shard_size.unwrap_or_else(|| self.buckets.saturating_mul(50))
    }

    fn buffer(&self) -> usize {
        self.buffer.unwrap_or_else(|| self.shard_size().saturating_mul(10).min(BUFFER_DEFAULT_MAX))
    }

    /// How many clusters the first values are put into.
    fn first_clusters(&self) -> usize {
        self.shard_size() / 4 * 3 + self.shard_size() % 4 * 3 / 4
    }

    fn check(&self, name: &str) -> Result<()> {
        let (buckets, first, buffer) = (self.buckets, self.first_clusters(), self.buffer());
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
        if buffer > BUFFER_MAX || self.shard_size() > BUFFER_MAX {
            return Err(Error::illegal_argument(format!(
                "initial_buffer and shard_size must be at most [{BUFFER_MAX}] for [{name}]"
            )));
        }
        Ok(())
    }
}

impl Kind for VariableWidth {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        self.check(&agg.name)?;
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        if source.is_date() || source.is_boolean() {
            return Err(source.unsupported(agg.type_name));
        }
        Ok(Box::new(VariableWidthAggregator {
            source,
            subs: Subs::new(agg, cx)?,
            agg_subs: agg.subs.clone(),
            buffer: self.buffer(),
            first_clusters: self.first_clusters().max(1),
            clusters_max: self.shard_size(),
            waiting: vec![],
            clusters: vec![],
            distance: 0.0,
            next: 0,
            values: vec![],
        }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Variable(Box::default())
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let (mut all, mut format) = (vec![], None);
        for part in parts {
            let Partial::Variable(part) = part else { return Err(mismatch()) };
            format = format.or(part.format);
            all.extend(part.buckets);
        }
        all.sort_by(|a: &VariableBucket, b| a.centroid.total_cmp(&b.centroid));
        let mut same = vec![];
        for part in all.chunk_by(|a, b| a.centroid == b.centroid) {
            same.push(join(agg, part.to_vec(), cx)?);
        }
        let weights: Vec<(f64, u64)> = same.iter().map(|b| (b.centroid, b.bucket.count)).collect();
        let mut rest = same.into_iter();
        let mut buckets = vec![];
        for len in join_closest(&weights, self.buckets) {
            buckets.push(join(agg, rest.by_ref().take(len).collect(), cx)?);
        }
        buckets.sort_by(|a, b| a.min.total_cmp(&b.min));
        let mut apart = vec![];
        for part in buckets.chunk_by(|a, b| a.min == b.min) {
            apart.push(join(agg, part.to_vec(), cx)?);
        }
        for i in 1..apart.len() {
            apart[i].min = apart[i].min.max(apart[i - 1].max);
        }
        cx.add_buckets(apart.len())?;
        Ok(Partial::Variable(Box::new(VariableBuckets { buckets: apart, format })))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, typed_keys: bool) -> Result<()> {
        let Partial::Variable(found) = partial else { return Err(mismatch()) };
        w.key("buckets").begin_array();
        for bucket in &found.buckets {
            w.begin_object();
            for (name, value) in [("min", bucket.min), ("key", bucket.centroid), ("max", bucket.max)] {
                w.key(name).f64(value);
                if let Some(text) = found.format.as_ref().and_then(|format| format.text(value)) {
                    w.key(&format!("{name}_as_string")).string(&text);
                }
            }
            render_bucket(agg, &bucket.bucket, w, typed_keys)?;
            w.end_object();
        }
        w.end_array();
        Ok(())
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
fn join(agg: &Agg, mut parts: Vec<VariableBucket>, cx: &mut ReduceContext) -> Result<VariableBucket> {
    if parts.len() == 1 {
        return parts.pop().ok_or_else(mismatch);
    }
    let (mut min, mut max, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    for part in &parts {
        (min, max) = (min.min(part.min), max.max(part.max));
        sum += part.bucket.count as f64 * part.centroid;
    }
    let bucket = reduce_buckets(&agg.subs, parts.into_iter().map(|part| part.bucket).collect(), cx)?;
    Ok(VariableBucket { centroid: sum / bucket.count as f64, min, max, bucket })
}

struct Cluster {
    centroid: f64,
    min: f64,
    max: f64,
    count: u64,
    /// The buckets of the sub-aggregations that make it up.
    buckets: Vec<u32>,
}

impl Cluster {
    fn of(value: f64, bucket: u32) -> Self {
        Self { centroid: value, min: value, max: value, count: 1, buckets: vec![bucket] }
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
    agg_subs: std::sync::Arc<super::parse::Level>,
    buffer: usize,
    first_clusters: usize,
    clusters_max: usize,
    /// Values that are in no cluster yet, with their buckets.
    waiting: Vec<(f64, u32)>,
    /// Ascending by the middle of their values.
    clusters: Vec<Cluster>,
    /// Between neighbours, on average.
    distance: f64,
    next: u32,
    values: Vec<f64>,
}

impl VariableWidthAggregator {
    fn add(&mut self, doc: u32, value: f64) -> Result<()> {
        if self.clusters.is_empty() {
            self.waiting.push((value, self.next));
            self.subs.push(doc, self.next)?;
            self.next += 1;
            if self.waiting.len() >= self.buffer {
                self.make_clusters();
            }
            return Ok(());
        }
        let after = self.clusters.partition_point(|cluster| cluster.centroid < value);
        let gap = |at: usize| self.clusters.get(at).map_or(f64::INFINITY, |c| (c.centroid - value).abs());
        let nearest = if after > 0 && gap(after - 1) <= gap(after) { after - 1 } else { after };
        if gap(nearest) > 2.0 * self.distance && self.clusters.len() < self.clusters_max {
            self.subs.push(doc, self.next)?;
            self.clusters.insert(after, Cluster::of(value, self.next));
            self.next += 1;
            self.measure();
            return Ok(());
        }
        let cluster = &mut self.clusters[nearest];
        cluster.add(value);
        self.subs.push(doc, cluster.buckets[0])
    }

    fn make_clusters(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by(|a, b| a.0.total_cmp(&b.0));
        let each = waiting.len().div_ceil(self.first_clusters).max(1);
        for part in waiting.chunks(each) {
            let mut cluster = Cluster::of(part[0].0, part[0].1);
            for (value, bucket) in &part[1..] {
                cluster.add(*value);
                cluster.buckets.push(*bucket);
            }
            self.clusters.push(cluster);
        }
        self.measure();
    }

    fn measure(&mut self) {
        if let [first, .., last] = self.clusters.as_slice() {
            self.distance = (last.centroid - first.centroid) / (self.clusters.len() - 1) as f64;
        }
    }
}

impl Aggregator for VariableWidthAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        debug_assert!((0..docs.len()).all(|i| owners.of(i) == 0), "stands below no aggregation of many buckets");
        if self.source.is_absent() {
            return Ok(());
        }
        let mut values = std::mem::take(&mut self.values);
        for doc in docs {
            self.source.doubles(*doc, &mut values)?;
            values.dedup();
            values.iter().try_for_each(|value| self.add(*doc, *value))?;
        }
        self.values = values;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build(&mut self, owners: &[u32]) -> Result<Vec<Partial>> {
        self.make_clusters();
        let flat: Vec<u32> = self.clusters.iter().flat_map(|cluster| cluster.buckets.iter().copied()).collect();
        let mut rows = self.subs.build(&flat)?.into_iter();
        let mut cx = ReduceContext { buckets: 0, buckets_max: u64::MAX };
        let mut buckets = vec![];
        for cluster in std::mem::take(&mut self.clusters) {
            let parts: Vec<Bucket> =
                rows.by_ref().take(cluster.buckets.len()).map(|subs| Bucket { count: 0, subs }).collect();
            let subs = match <[Bucket; 1]>::try_from(parts) {
                Ok([one]) => one.subs,
                Err(parts) => reduce_buckets(&self.agg_subs, parts, &mut cx)?.subs,
            };
            let bucket = Bucket { count: cluster.count, subs };
            buckets.push(VariableBucket { centroid: cluster.centroid, min: cluster.min, max: cluster.max, bucket });
        }
        let mut found = Some(VariableBuckets { buckets, format: Some(self.source.format().clone()) });
        let of_owner = |owner: &u32| found.take().filter(|_| *owner == 0).unwrap_or_default();
        Ok(owners.iter().map(of_owner).map(|found| Partial::Variable(Box::new(found))).collect())
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }
}
