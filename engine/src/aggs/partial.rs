//! What a shard found, how shards are merged, and the final rendering.

use super::auto_date_histogram::AutoDateBuckets;
use super::composite::CompositeBuckets;
use super::extended_stats::ExtendedStats;
use super::format::Format;
use super::geo_metric::{GeoBounds, GeoCentroid};
use super::matrix_stats::Matrix;
use super::parse::{Agg, Aggs, Level};
use super::percentiles::Percentiles;
use super::pipeline::PipelineValue;
use super::reduce_context::ReduceContext;
use super::scripted_metric::Scripted;
use super::significant_terms::SignificantBuckets;
use super::sketch::Sketch;
use super::stats::Stats;
use super::top_hits::TopHitsFound;
use super::variable_width_histogram::VariableBuckets;
use super::weighted_avg::Weighted;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Writer, cast_text};
use crate::search::SearchRequest;
use std::cmp::Ordering;

/// The results of all aggregations of a search on one shard, or merged, in the order of [`Aggs`]. Owned: it travels between cores.
#[derive(Debug, Clone, Default)]
pub struct ShardAggs {
    pub(crate) results: Vec<Partial>,
    /// The places of the aggregations that the reference makes anew, since the shard replaces a query of theirs or within them.
    /// They have metadata, if empty ones.
    pub(crate) anew: Vec<u32>,
}

/// How results are shown.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) typed_keys: bool,
    /// Whether hits are counted by plain numbers.
    pub(crate) totals_as_int: bool,
    /// Places of aggregations that have metadata although the request gives them none.
    pub(crate) anew: &'a [u32],
}

/// The result of one aggregation. The shapes are fewer than the kinds.
#[derive(Debug, Clone)]
pub enum Partial {
    /// avg, min, max, sum, stats.
    Stats(Stats),
    /// value_count.
    Count(u64),
    Cardinality(Sketch),
    /// One bucket: filter, global, missing.
    Single(Bucket),
    /// As many buckets as the request named: filters, range.
    Fixed(FixedBuckets),
    Terms(TermsBuckets),
    Histogram(HistogramBuckets),
    ExtendedStats(Box<ExtendedStats>),
    /// percentiles, percentile_ranks, median_absolute_deviation.
    Percentiles(Box<Percentiles>),
    Weighted(Box<Weighted>),
    Matrix(Box<Matrix>),
    Scripted(Box<Scripted>),
    /// Each with its place, and its key once merged.
    Adjacency(Vec<(usize, String, Bucket)>),
    Composite(Box<CompositeBuckets>),
    Significant(Box<SignificantBuckets>),
    AutoDate(Box<AutoDateBuckets>),
    Variable(Box<VariableBuckets>),
    GeoBounds(GeoBounds),
    GeoCentroid(GeoCentroid),
    TopHits(Box<TopHitsFound>),
    /// Of a pipeline.
    Pipeline(PipelineValue),
    /// Where a pipeline has nothing to say of a bucket.
    None,
}

impl Partial {
    /// The buckets in the order of the answer.
    pub(crate) fn buckets(&self) -> Vec<&Bucket> {
        match self {
            Partial::Single(bucket) => vec![bucket],
            Partial::Fixed(fixed) => fixed.shown().map(|(_, bucket)| bucket).collect(),
            Partial::Terms(terms) => terms.buckets.iter().map(|t| &t.bucket).collect(),
            Partial::Histogram(histogram) => histogram.buckets.iter().map(|(_, bucket)| bucket).collect(),
            Partial::Adjacency(buckets) => buckets.iter().map(|(_, _, bucket)| bucket).collect(),
            Partial::Composite(page) => page.buckets.iter().map(|(_, bucket)| bucket).collect(),
            Partial::Significant(terms) => terms.buckets.iter().map(|t| &t.bucket).collect(),
            Partial::AutoDate(dates) => dates.buckets.iter().map(|(_, bucket)| bucket).collect(),
            Partial::Variable(found) => found.buckets.iter().map(|found| &found.bucket).collect(),
            _ => vec![],
        }
    }

    pub(crate) fn buckets_mut(&mut self) -> Vec<&mut Bucket> {
        match self {
            Partial::Single(bucket) => vec![bucket],
            Partial::Fixed(fixed) => fixed.buckets.iter_mut().map(|(_, bucket)| bucket).collect(),
            Partial::Terms(terms) => terms.buckets.iter_mut().map(|t| &mut t.bucket).collect(),
            Partial::Histogram(histogram) => histogram.buckets.iter_mut().map(|(_, bucket)| bucket).collect(),
            Partial::Adjacency(buckets) => buckets.iter_mut().map(|(_, _, bucket)| bucket).collect(),
            Partial::Composite(page) => page.buckets.iter_mut().map(|(_, bucket)| bucket).collect(),
            Partial::Significant(terms) => terms.buckets.iter_mut().map(|t| &mut t.bucket).collect(),
            Partial::AutoDate(dates) => dates.buckets.iter_mut().map(|(_, bucket)| bucket).collect(),
            Partial::Variable(found) => found.buckets.iter_mut().map(|found| &mut found.bucket).collect(),
            _ => vec![],
        }
    }

    /// The first bucket, if there is one.
    pub(crate) fn first_bucket(&self) -> Option<&Bucket> {
        match self {
            Partial::Single(bucket) => Some(bucket),
            Partial::Fixed(fixed) => fixed.buckets.first().map(|(_, bucket)| bucket),
            _ => None,
        }
    }

    /// The key of a bucket as a number; NaN where keys are none.
    pub(crate) fn key_number(&self, i: usize) -> f64 {
        match self {
            Partial::Terms(terms) => terms.buckets[i].key.as_f64(),
            Partial::Histogram(histogram) => histogram.buckets[i].0,
            Partial::AutoDate(dates) => dates.buckets[i].0 as f64,
            Partial::Variable(found) => found.buckets[i].centroid,
            _ => f64::NAN,
        }
    }

    pub(crate) fn compare_keys(&self, i: usize, j: usize) -> Ordering {
        match self {
            Partial::Terms(terms) => terms.buckets[i].key.compare(&terms.buckets[j].key),
            Partial::Histogram(histogram) => histogram.buckets[i].0.total_cmp(&histogram.buckets[j].0),
            Partial::Composite(page) => page.buckets[i].0.ascending(&page.buckets[j].0),
            _ => i.cmp(&j),
        }
    }

    /// Leaves these buckets, in this order.
    pub(crate) fn keep(&mut self, kept: &[usize]) {
        match self {
            Partial::Fixed(fixed) => keep(&mut fixed.buckets, kept),
            Partial::Terms(terms) => keep(&mut terms.buckets, kept),
            Partial::Histogram(histogram) => keep(&mut histogram.buckets, kept),
            Partial::Adjacency(buckets) => keep(buckets, kept),
            Partial::Composite(page) => keep(&mut page.buckets, kept),
            Partial::Significant(terms) => keep(&mut terms.buckets, kept),
            Partial::AutoDate(dates) => keep(&mut dates.buckets, kept),
            Partial::Variable(found) => keep(&mut found.buckets, kept),
            _ => {}
        }
    }
}

fn keep<T>(buckets: &mut Vec<T>, kept: &[usize]) {
    let mut places: Vec<Option<T>> = buckets.drain(..).map(Some).collect();
    buckets.extend(kept.iter().filter_map(|at| places[*at].take()));
}

#[derive(Debug, Clone, Default)]
pub struct Bucket {
    pub(crate) count: u64,
    /// One per sub-aggregation, in the order of [`Aggs`].
    pub(crate) subs: Vec<Partial>,
}

#[derive(Debug, Clone)]
pub struct FixedBuckets {
    /// Each with its place in the request.
    pub(crate) buckets: Vec<(usize, Bucket)>,
    pub(crate) format: Format,
    /// The bounds of ranges as this shard resolved them (date math, formats); empty for filters.
    pub(crate) bounds: Vec<(Option<f64>, Option<f64>)>,
}

impl FixedBuckets {
    /// The buckets with their places in the request.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (usize, &Bucket)> {
        self.buckets.iter().map(|(at, bucket)| (*at, bucket))
    }
}

#[derive(Debug, Clone)]
pub struct TermsBuckets {
    pub(crate) buckets: Vec<TermBucket>,
    /// Documents of terms that were left out.
    pub(crate) other_count: u64,
    pub(crate) error: i64,
    pub(crate) format: Format,
    pub(crate) key_type: KeyType,
    pub(crate) shard_size: usize,
    /// Keys of rare terms that turned out not to be rare.
    pub(crate) frequent: Vec<Key>,
    /// In how many documents a rare term is at most.
    pub(crate) count_max: u64,
}

impl TermsBuckets {
    /// Of a shard that found nothing.
    pub(crate) fn empty(shard_size: usize) -> Self {
        let (format, key_type) = (Format::Raw, KeyType::Unmapped);
        Self {
            buckets: vec![],
            other_count: 0,
            error: 0,
            format,
            key_type,
            shard_size,
            frequent: vec![],
            count_max: u64::MAX,
        }
    }

    /// Of a bucket without documents, beside another one's terms.
    pub(crate) fn empty_beside(shard_size: usize, other: Option<&Partial>) -> Self {
        let empty = Self::empty(shard_size);
        match other {
            Some(Partial::Terms(other)) => Self { format: other.format.clone(), key_type: other.key_type, ..empty },
            _ => empty,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyType {
    Unmapped,
    Bytes,
    Long,
    Unsigned,
    Double,
    Many,
}

#[derive(Debug, Clone)]
pub struct TermBucket {
    pub(crate) key: Key,
    /// How much its count may be too low.
    pub(crate) error: i64,
    pub(crate) bucket: Bucket,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Key {
    Bytes(Box<[u8]>),
    Long(i64),
    Unsigned(u64),
    Double(f64),
    /// One of each of several sources.
    Many(Box<[Key]>),
}

impl Key {
    /// The keys of its sources; itself if it is of one.
    pub(crate) fn parts(&self) -> &[Key] {
        match self {
            Self::Many(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    pub(crate) fn as_f64(&self) -> f64 {
        match self {
            Key::Bytes(_) | Key::Many(_) => f64::NAN,
            Key::Long(v) => *v as f64,
            Key::Unsigned(v) => *v as f64,
            Key::Double(v) => *v,
        }
    }

    /// Java's class of such keys in the reference.
    fn java_class(&self) -> &'static str {
        match self {
            Self::Bytes(_) => "org.apache.lucene.util.BytesRef",
            Self::Long(_) => "java.lang.Long",
            Self::Unsigned(_) => "java.math.BigInteger",
            Self::Double(_) => "java.lang.Double",
            Self::Many(_) => "java.util.List",
        }
    }

    /// What the reference says where it compares a key with one of another type: of a field that is another one in another index. Of
    /// several parts those behind the first that differ are not compared.
    pub(crate) fn clash(&self, other: &Key) -> Option<Error> {
        if let (Key::Many(a), Key::Many(b)) = (self, other) {
            let looked_at = a.iter().zip(b).find(|(a, b)| a.java_class() != b.java_class() || a.compare(b).is_ne());
            return looked_at.and_then(|(a, b)| a.clash(b));
        }
        let (of, to) = (other.java_class(), self.java_class());
        (of != to).then(|| Error::new(ErrorKind::ClassCast, cast_text(of, to)))
    }

    /// Bytes by byte order, numbers by value. Keys of one result are of one type.
    pub(crate) fn compare(&self, other: &Key) -> Ordering {
        match (self, other) {
            (Key::Bytes(a), Key::Bytes(b)) => a.cmp(b),
            (Key::Long(a), Key::Long(b)) => a.cmp(b),
            (Key::Unsigned(a), Key::Unsigned(b)) => a.cmp(b),
            (Key::Many(a), Key::Many(b)) => {
                a.iter().zip(b).map(|(a, b)| a.compare(b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
            }
            (a, b) => a.as_f64().total_cmp(&b.as_f64()),
        }
    }
}

#[derive(Debug, Clone)]
pub struct HistogramBuckets {
    /// Ascending by key; dates have whole milliseconds as keys.
    pub(crate) buckets: Vec<(f64, Bucket)>,
    pub(crate) format: Format,
    /// `extended_bounds` as this shard resolved them.
    pub(crate) bounds: Option<(f64, f64)>,
    /// What stands in a bucket without documents, where bounds ask for such and there is no other bucket.
    pub(crate) empty: Option<Box<Bucket>>,
}

/// Merges the results of shards. `shards` may be empty (nothing was searched): then every aggregation is empty.
pub fn reduce(aggs: &Aggs, shards: Vec<ShardAggs>, buckets_max: u64) -> Result<ShardAggs> {
    let mut cx = ReduceContext { buckets: 0, buckets_max, within_shard: false, sliced: aggs.can_be_sliced() };
    if !shards.is_empty() && !aggs.0.is_plain() {
        super::pipeline::check_formats(&aggs.0)?;
    }
    // The first shard's result is the one that the others are merged into.
    let anew = shards.first().map(|first| first.anew.clone()).unwrap_or_default();
    let rows = shards.into_iter().map(|s| s.results).collect();
    let mut results = reduce_subs(&aggs.0, rows, &mut cx)?;
    if !aggs.0.is_plain() {
        super::pipeline::run(&aggs.0, &mut results)?;
    }
    Ok(ShardAggs { results, anew })
}

/// What parts of a shard's documents come to: the result of one shard still.
pub fn join(aggs: &Aggs, parts: Vec<ShardAggs>) -> Result<ShardAggs> {
    let mut cx = ReduceContext { buckets: 0, buckets_max: u64::MAX, within_shard: true, sliced: aggs.can_be_sliced() };
    let anew = parts.first().map(|first| first.anew.clone()).unwrap_or_default();
    let rows = parts.into_iter().map(|part| part.results).collect();
    Ok(ShardAggs { results: reduce_subs(&aggs.0, rows, &mut cx)?, anew })
}

/// Merges rows of results, one row per shard or per bucket of the same key.
pub(crate) fn reduce_subs(aggs: &[Agg], rows: Vec<Vec<Partial>>, cx: &mut ReduceContext) -> Result<Vec<Partial>> {
    let mut columns: Vec<Vec<Partial>> = aggs.iter().map(|_| Vec::with_capacity(rows.len())).collect();
    for row in rows {
        if row.len() != aggs.len() {
            return Err(mismatch());
        }
        for (column, partial) in columns.iter_mut().zip(row) {
            column.push(partial);
        }
    }
    aggs.iter()
        .zip(columns)
        .map(|(agg, parts)| if parts.is_empty() { Ok(agg.kind.empty(agg)) } else { agg.kind.reduce(agg, parts, cx) })
        .collect()
}

/// Merges buckets of the same key.
pub(crate) fn reduce_buckets(subs: &[Agg], buckets: Vec<Bucket>, cx: &mut ReduceContext) -> Result<Bucket> {
    let count = buckets.iter().map(|b| b.count).sum();
    let rows = buckets.into_iter().map(|b| b.subs).collect();
    Ok(Bucket { count, subs: reduce_subs(subs, rows, cx)? })
}

/// The bucket of a key that no document has.
pub(crate) fn empty_bucket(subs: &[Agg]) -> Bucket {
    empty_beside(subs, None)
}

/// The same beside a bucket that has documents, which tells how its values are shown.
pub(crate) fn empty_beside(subs: &[Agg], other: Option<&Bucket>) -> Bucket {
    let beside = |at: usize| other.and_then(|other| other.subs.get(at));
    Bucket { count: 0, subs: subs.iter().enumerate().map(|(at, sub)| sub.kind.empty_beside(sub, beside(at))).collect() }
}

/// What an aggregation that can find nothing on its shard answers, given what it made of no documents: below each of its buckets stands
/// what stands below buckets without documents, in the form that the shard alone knows.
pub(crate) fn of_nothing(subs: &[Agg], made: Vec<Partial>) -> Vec<Partial> {
    let empty = |bucket: &mut Bucket| *bucket = empty_beside(subs, Some(bucket));
    let emptied = made.into_iter().map(|mut partial| {
        match &mut partial {
            Partial::Single(bucket) => empty(bucket),
            Partial::Fixed(fixed) => fixed.buckets.iter_mut().for_each(|(_, bucket)| empty(bucket)),
            _ => {}
        }
        partial
    });
    emptied.collect()
}

/// Writes the object that stands under `aggregations`, as the request wants to see it.
pub fn render(aggs: &Aggs, results: &ShardAggs, w: &mut Writer, request: &SearchRequest) -> Result<()> {
    let shown = Shown { typed_keys: request.typed_keys, totals_as_int: request.total_hits_as_int, anew: &results.anew };
    w.begin_object();
    render_fields(&aggs.0, &results.results, w, shown)?;
    w.end_object();
    Ok(())
}

fn render_fields(level: &Level, results: &[Partial], w: &mut Writer, shown: Shown<'_>) -> Result<()> {
    // A bucket that was told ahead has nothing but what told it.
    for (agg, partial) in level.aggs.iter().zip(results).filter(|(_, partial)| !matches!(partial, Partial::None)) {
        write_name(&agg.name, shown.typed_keys.then(|| agg.kind.typed_name(partial)), w);
        w.begin_object();
        match &agg.meta {
            Some(meta) => drop(w.key("meta").value(meta)),
            None if shown.anew.contains(&agg.place) => drop(w.key("meta").begin_object().end_object()),
            None => {}
        }
        agg.kind.render(agg, partial, w, shown)?;
        w.end_object();
    }
    for (pipeline, result) in level.pipelines.iter().zip(results.iter().skip(level.aggs.len())) {
        let Partial::Pipeline(value) = result else { continue };
        write_name(&pipeline.name, shown.typed_keys.then(|| value.typed_name()), w);
        w.begin_object();
        if let Some(meta) = &pipeline.meta {
            w.key("meta").value(meta);
        }
        super::pipeline::render(value, w);
        w.end_object();
    }
    Ok(())
}

fn write_name(name: &str, typed: Option<&'static str>, w: &mut Writer) {
    match typed {
        Some(kind) => w.key(&format!("{kind}#{name}")),
        None => w.key(name),
    };
}

/// Writes `doc_count` and the sub-aggregations of a bucket.
pub(crate) fn render_bucket(agg: &Agg, bucket: &Bucket, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
    w.key("doc_count").u64(bucket.count);
    render_subs(agg, bucket, w, shown)
}

/// Writes the sub-aggregations of a bucket.
pub(crate) fn render_subs(agg: &Agg, bucket: &Bucket, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
    render_fields(&agg.subs, &bucket.subs, w, shown)
}

/// Two shards answered with results of different shapes for one aggregation.
#[cold]
pub(crate) fn mismatch() -> Error {
    Error::new(ErrorKind::AggregationExecution, "Results of different kinds cannot be merged into one aggregation")
}
