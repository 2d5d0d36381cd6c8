//! What a shard found, how shards are merged, and the final rendering.

use super::format::Format;
use super::kind::ReduceContext;
use super::parse::{Agg, Aggs};
use super::sketch::Sketch;
use super::stats::Stats;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Writer;
use std::cmp::Ordering;

/// The results of all aggregations of a search on one shard, or merged, in the order of [`Aggs`]. Owned: it travels between cores.
#[derive(Debug, Clone, Default)]
pub struct ShardAggs(pub(crate) Vec<Partial>);

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
}

#[derive(Debug, Clone, Default)]
pub struct Bucket {
    pub(crate) count: u64,
    /// One per sub-aggregation, in the order of [`Aggs`].
    pub(crate) subs: Vec<Partial>,
}

#[derive(Debug, Clone)]
pub struct FixedBuckets {
    pub(crate) buckets: Vec<Bucket>,
    pub(crate) format: Format,
    /// The bounds of ranges as this shard resolved them (date math, formats); empty for filters.
    pub(crate) bounds: Vec<(Option<f64>, Option<f64>)>,
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyType {
    Unmapped,
    Bytes,
    Long,
    Double,
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
    Double(f64),
}

impl Key {
    pub(crate) fn as_f64(&self) -> f64 {
        match self {
            Key::Bytes(_) => f64::NAN,
            Key::Long(v) => *v as f64,
            Key::Double(v) => *v,
        }
    }

    /// Bytes by byte order, numbers by value. Keys of one result are of one type.
    pub(crate) fn compare(&self, other: &Key) -> Ordering {
        match (self, other) {
            (Key::Bytes(a), Key::Bytes(b)) => a.cmp(b),
            (Key::Long(a), Key::Long(b)) => a.cmp(b),
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
}

/// Merges the results of shards. `shards` may be empty (nothing was searched): then every aggregation is empty.
pub fn reduce(aggs: &Aggs, shards: Vec<ShardAggs>, buckets_max: u64) -> Result<ShardAggs> {
    let mut cx = ReduceContext { buckets: 0, buckets_max };
    let rows = shards.into_iter().map(|s| s.0).collect();
    Ok(ShardAggs(reduce_subs(&aggs.0, rows, &mut cx)?))
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
    Bucket { count: 0, subs: subs.iter().map(|s| s.kind.empty(s)).collect() }
}

/// Writes the object that stands under `aggregations`.
pub fn render(aggs: &Aggs, results: &ShardAggs, w: &mut Writer, typed_keys: bool) -> Result<()> {
    w.begin_object();
    render_fields(&aggs.0, &results.0, w, typed_keys)?;
    w.end_object();
    Ok(())
}

fn render_fields(aggs: &[Agg], results: &[Partial], w: &mut Writer, typed_keys: bool) -> Result<()> {
    for (agg, partial) in aggs.iter().zip(results) {
        if typed_keys {
            w.key(&format!("{}#{}", agg.kind.typed_name(partial), agg.name));
        } else {
            w.key(&agg.name);
        }
        w.begin_object();
        if let Some(meta) = &agg.meta {
            w.key("meta").value(meta);
        }
        agg.kind.render(agg, partial, w, typed_keys)?;
        w.end_object();
    }
    Ok(())
}

/// Writes `doc_count` and the sub-aggregations of a bucket.
pub(crate) fn render_bucket(agg: &Agg, bucket: &Bucket, w: &mut Writer, typed_keys: bool) -> Result<()> {
    w.key("doc_count").u64(bucket.count);
    render_subs(agg, bucket, w, typed_keys)
}

/// Writes the sub-aggregations of a bucket.
pub(crate) fn render_subs(agg: &Agg, bucket: &Bucket, w: &mut Writer, typed_keys: bool) -> Result<()> {
    render_fields(&agg.subs, &bucket.subs, w, typed_keys)
}

/// Two shards answered with results of different shapes for one aggregation.
#[cold]
pub(crate) fn mismatch() -> Error {
    Error::new(ErrorKind::AggregationExecution, "Results of different kinds cannot be merged into one aggregation")
}
