//! How a search of a shard ends: what it found becomes its result.

use super::asked_beside;
use super::profiling::is_sliced;
use super::result::{ShardHit, ShardResult};
use super::shard_search::ShardSearch;
use super::sort_parse::SortBy;
use crate::aggs::Collector;
use crate::error::Result;
use crate::pace::{Pace, block_on_ready};
use crate::score::ScoredDoc;

impl ShardSearch {
    /// [`ShardSearch::finish_paced`] in one go.
    pub fn finish(self: Box<Self>) -> Result<ShardResult> {
        block_on_ready(self.finish_paced(&Pace::never()))
    }

    /// The result, once [`ShardSearch::run`] is done. Cost: proportional to hits and buckets.
    pub async fn finish_paced(mut self: Box<Self>, pace: &Pace) -> Result<ShardResult> {
        let total = self.total.unwrap_or_else(|| self.top.count());
        let limit = self.request.total_hits.limit();
        let best_score = if self.passed > 0 { self.top.best_score() } else { None };
        let (mut hits, passed): (Vec<ShardHit>, usize) = match (self.found, self.sorted, self.collapsed) {
            (Some(hits), ..) => (hits, 0),
            (_, Some(sorted), _) => (sorted.finish_page(self.passed), self.passed),
            (_, _, Some(collapsed)) => (collapsed.finish(), 0),
            _ => (scored_hits(self.top.finish_page(self.passed)), self.passed),
        };
        hits.truncate(self.request.window() - passed);
        let max_score = match self.request.sort.is_empty() {
            true if passed > 0 => best_score,
            true => hits.first().map(|hit| hit.score),
            false => {
                // Where the score is what hits are sorted by first, the best one is known anyway.
                let first = self.request.sort.first();
                let by_score = first.is_some_and(|sort| sort.by == SortBy::Score && sort.descending);
                match by_score && self.request.search_after.is_some() {
                    // What stands before the page does not count.
                    true => hits.first().map(|hit| hit.score),
                    false => self.max_score.filter(|_| self.request.track_scores || by_score),
                }
            }
        };
        let aggs = match &mut self.aggs {
            Some(collector) => Some(collector.finish(pace).await?),
            None => None,
        };
        if let Some(profiling) = self.profiling.as_deref_mut().filter(|_| !hits.is_empty()) {
            asked_beside::enter_scores(&self.request, &self.cx, &hits, profiling)?;
        }
        let spent_on_aggs = self.aggs.as_ref().map(Collector::profiles).unwrap_or_default();
        let profile = self.profiling.map(|profiling| Box::new(profiling.finish(&self.request, spent_on_aggs)));
        Ok(ShardResult {
            hits,
            passed,
            total,
            total_is_lower_bound: self.counts_none || limit.is_some_and(|limit| total > limit),
            max_score,
            aggs,
            suggestions: None,
            profile,
            timed_out: self.timed_out,
            terminated_early: match &self.early_end {
                Some(end) => Some(end.has_ended()),
                // Whoever searches segments one after the other forgets to tell.
                None => {
                    (self.counts_beforehand && is_sliced(&self.request, self.cx.limits.side_by_side)).then_some(true)
                }
            },
        })
    }
}

pub(super) fn scored_hits(hits: Vec<ScoredDoc>) -> Vec<ShardHit> {
    hits.into_iter().map(|hit| ShardHit::scored(hit.segment, hit.doc, hit.score)).collect()
}
