//! The response of a search, in the reference's key order.

use super::reduce::Reduced;
use super::request::SearchRequest;
use crate::aggs;
use crate::error::{Error, Result};
use crate::json::Writer;

/// How the shards of a search fared.
#[derive(Clone, Debug, Default)]
pub struct ShardsHeader {
    pub total: u32,
    pub successful: u32,
    pub skipped: u32,
    pub failed: u32,
    /// Each is written as it is.
    pub failures: Vec<ShardFailure>,
    /// Steps that reducing the results took; shown when there was more than one.
    pub reduce_phases: u32,
}

/// The failure of one shard.
#[derive(Clone, Debug)]
pub struct ShardFailure {
    pub shard: i32,
    /// None: nobody knows of which index.
    pub index: Option<String>,
    pub node: Option<String>,
    pub reason: Error,
}

impl ShardsHeader {
    /// Writes the `_shards` object.
    pub fn write(&self, w: &mut Writer) {
        w.begin_object();
        w.key("total").u64(u64::from(self.total));
        w.key("successful").u64(u64::from(self.successful));
        w.key("skipped").u64(u64::from(self.skipped));
        w.key("failed").u64(u64::from(self.failed));
        if !self.failures.is_empty() {
            w.key("failures").begin_array();
            for failure in &self.failures {
                failure.write(w);
            }
            w.end_array();
        }
        w.end_object();
    }
}

impl ShardFailure {
    pub fn write(&self, w: &mut Writer) {
        w.begin_object();
        w.key("shard").i64(i64::from(self.shard));
        match &self.index {
            Some(index) => w.key("index").string(index),
            None => w.key("index").null(),
        };
        if let Some(node) = &self.node {
            w.key("node").string(node);
        }
        w.key("reason");
        self.reason.write(w);
        w.end_object();
    }
}

/// Writes the response object. `hits` are complete JSON objects, in the order of `reduced.hits`.
pub fn write_response(
    request: &SearchRequest,
    took_ms: u64,
    shards: &ShardsHeader,
    reduced: &Reduced,
    hits: &[Vec<u8>],
    w: &mut Writer,
) -> Result<()> {
    w.begin_object().key("took").u64(took_ms);
    write_body(request, shards, reduced, hits, w)?;
    w.end_object();
    Ok(())
}

/// The same without the braces and without `took`, for responses that have keys of their own beside it.
pub fn write_body(
    request: &SearchRequest,
    shards: &ShardsHeader,
    reduced: &Reduced,
    hits: &[Vec<u8>],
    w: &mut Writer,
) -> Result<()> {
    w.key("timed_out").bool(reduced.timed_out);
    if let Some(early) = reduced.terminated_early {
        w.key("terminated_early").bool(early);
    }
    if shards.reduce_phases > 1 {
        w.key("num_reduce_phases").u64(u64::from(shards.reduce_phases));
    }
    w.key("_shards");
    shards.write(w);
    w.key("hits");
    write_hits(request.total_hits_as_int, shards, reduced, hits, w);
    if let (Some(aggs), Some(results)) = (&request.aggs, &reduced.aggs) {
        w.key("aggregations");
        aggs::render(aggs, results, w, request)?;
    }
    if let (Some(suggest), Some(suggested)) = (&request.suggest, &reduced.suggested)
        && !suggest.suggestions.is_empty()
    {
        w.key("suggest");
        suggested.write(suggest, request.typed_keys, w);
    }
    Ok(())
}

/// Writes the `hits` object; `as_int`: whether hits are counted by a plain number.
pub fn write_hits(as_int: bool, shards: &ShardsHeader, reduced: &Reduced, hits: &[Vec<u8>], w: &mut Writer) {
    w.begin_object();
    match (reduced.total, as_int) {
        (Some((value, _)), true) => {
            w.key("total").u64(value);
        }
        (None, true) => {
            w.key("total").i64(-1);
        }
        (Some((value, more)), false) => {
            w.key("total").begin_object();
            w.key("value").u64(value);
            w.key("relation").string(if more { "gte" } else { "eq" });
            w.end_object();
        }
        (None, false) => {}
    }
    w.key("max_score");
    match reduced.max_score.filter(|score| score.is_finite()) {
        Some(score) => w.f32(score),
        // Where no shard has answered there was nothing to score.
        None if shards.total == shards.skipped + shards.failed => w.f32(0.0),
        None => w.null(),
    };
    w.key("hits").begin_array();
    for hit in hits {
        w.raw(hit);
    }
    w.end_array().end_object();
}
