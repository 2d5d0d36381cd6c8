//! What a shard drives while it searches: batches of documents in, the shard's results out.

use super::kind::{Aggregator, Owners};
use super::parse::{Aggs, check_places};
use super::partial::ShardAggs;
use crate::error::Result;
use crate::query::ShardContext;
use crate::segment::SegmentView;

/// Collects all aggregations of one search on one shard. Cost of a call: proportional to documents times aggregations.
pub struct Collector {
    /// In request order; whether it sees all live documents instead of the matching ones.
    aggregators: Vec<(Box<dyn Aggregator>, bool)>,
}

impl Collector {
    pub fn new(aggs: &Aggs, cx: &ShardContext) -> Result<Self> {
        let aggregators = aggs.0.iter().map(|agg| {
            check_places(agg)?;
            Ok((agg.aggregator(cx)?, agg.kind.is_global()))
        });
        Ok(Self { aggregators: aggregators.collect::<Result<_>>()? })
    }

    /// Whether `collect_global` has to be fed, and whether `collect` has.
    pub fn needs_global(&self) -> bool {
        self.aggregators.iter().any(|(_, global)| *global)
    }

    pub fn needs_matches(&self) -> bool {
        self.aggregators.iter().any(|(_, global)| !*global)
    }

    pub fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.aggregators.iter_mut().try_for_each(|(a, _)| a.enter_segment(view))
    }

    /// Live matching documents of the current segment, ascending over all calls.
    pub fn collect(&mut self, docs: &[u32]) -> Result<()> {
        self.feed(docs, false)
    }

    /// Live documents of the current segment, ascending over all calls.
    pub fn collect_global(&mut self, docs: &[u32]) -> Result<()> {
        self.feed(docs, true)
    }

    fn feed(&mut self, docs: &[u32], global: bool) -> Result<()> {
        if docs.is_empty() {
            return Ok(());
        }
        let fed = self.aggregators.iter_mut().filter(|(_, g)| *g == global);
        fed.map(|(a, _)| a).try_for_each(|a| a.collect(docs, Owners::One(0)))
    }

    pub fn leave_segment(&mut self) -> Result<()> {
        self.aggregators.iter_mut().try_for_each(|(a, _)| a.leave_segment())
    }

    pub fn finish(mut self) -> Result<ShardAggs> {
        let mut results = Vec::with_capacity(self.aggregators.len());
        for (aggregator, _) in &mut self.aggregators {
            results.extend(aggregator.build(&[0])?);
        }
        Ok(ShardAggs(results))
    }
}
