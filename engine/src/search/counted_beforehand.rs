//! What is known of the number of matches before any is looked at, here and in the reference.

use super::request::{SearchRequest, TotalHits};
use super::shard_search::ShardSearch;
use crate::query::ShardContext;
use crate::score::Plan;
use crate::segment::{SegmentField, SegmentView};

impl ShardSearch {
    /// How many documents of the segment match, deleted ones included, where that is known without looking.
    pub(super) fn known_count(&mut self, view: &SegmentView) -> Option<u64> {
        match &self.sought {
            Some(field) => Some(view.segment.field(field).map_or(0, SegmentField::exists_count)),
            None => self.weight.count(view),
        }
    }
}

/// Whether the reference knows the number of hits without collecting any, or does not want it: with aggregations and no hits
/// to return, its hit collector then ends early in the first segment, and the response says so.
pub(super) fn counts_beforehand(request: &SearchRequest, cx: &ShardContext, plan: &Plan) -> bool {
    let aggregates_only = request.size == 0 && request.aggs.as_ref().is_some_and(|aggs| !aggs.is_empty());
    aggregates_only && !cx.snapshot.segments.is_empty() && knows_count(request, cx, plan)
}

/// Whether no hits are wanted and none are to be counted, of a number that the reference does not know.
pub(super) fn counts_none(request: &SearchRequest, cx: &ShardContext, plan: &Plan) -> bool {
    let none_wanted = request.size == 0 && request.total_hits.limit() == Some(0);
    none_wanted && !cx.snapshot.segments.is_empty() && !knows_count(request, cx, plan)
}

/// The same of any search that returns no hits.
pub(super) fn knows_count(request: &SearchRequest, cx: &ShardContext, plan: &Plan) -> bool {
    if request.total_hits == TotalHits::No {
        return true;
    }
    let filtered = request.post_filter.is_some() || request.min_score.is_some();
    let has_deletes = cx.snapshot.segments.iter().any(|view| view.live.is_some());
    let mut plan = plan;
    while let Plan::Constant(inner) | Plan::Boost(inner, _) = plan {
        plan = inner;
    }
    !filtered
        && match plan {
            Plan::All => true,
            // Documents before nested ones are never counted beforehand.
            Plan::Exists { field, .. } if &**field == "_primary_term" => false,
            Plan::Term { .. } | Plan::Exists { .. } => !has_deletes,
            _ => false,
        }
}
