//! A search that is shared out: what is left of it in a shard is divided, and the further part may be searched by somebody else.
//!
//! ```text
//! segment 0           1                    2
//! |=========|====*....|........|...........|......|
//!                ^ here        ^ middle of what is left
//!                 this search ─┘└─ the part that is given away, with all behind it
//! ```
//!
//! Parts begin and end where windows do, so that no bitset or block of a list is gone through twice, and may be divided again.
//! What they find is joined ([`ShardResult::joined`]) to what the whole would have found: hits by score and then by place, counts by
//! sums, aggregations as those of one shard.

use super::request::SearchRequest;
use super::result::ShardResult;
use super::shard_search::{ShardScope, ShardSearch, Way};
use crate::aggs::{Collector, join};
use crate::error::Result;
use crate::query::ShardContext;
use crate::score::Plan;
use crate::segment::{NO_MORE_DOCS, WINDOW};
use std::sync::Arc;

/// A place among the documents of a shard: the index of a segment, and a document of it.
type Place = (usize, u32);

/// Behind all documents.
const END: Place = (usize::MAX, 0);

/// What a search goes through: from a place up to before another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    from: Place,
    until: Place,
    /// The matches of the segment that it begins in are counted by somebody else.
    counted: bool,
}

impl Stretch {
    pub const WHOLE: Self = Self { from: (0, 0), until: END, counted: false };

    /// Where it begins in a segment.
    pub fn first_doc(&self, segment: usize) -> u32 {
        if segment == self.from.0 { self.from.1 } else { 0 }
    }

    /// What it ends before in a segment.
    pub fn limit(&self, segment: usize) -> u32 {
        if segment == self.until.0 { self.until.1 } else { NO_MORE_DOCS }
    }

    pub fn has(&self, segment: usize) -> bool {
        (segment, 0) < self.until
    }

    /// Whether it begins within the segment, of which others have a part then.
    pub fn begins_within(&self, segment: usize) -> bool {
        segment == self.from.0 && self.from.1 > 0
    }

    /// Whether the matches of the segment are counted by somebody else.
    pub fn is_counted(&self, segment: usize) -> bool {
        self.counted && self.begins_within(segment)
    }
}

/// A part of a search of a shard. It can be taken to another core, and tried again where that has gone.
#[derive(Clone)]
pub struct Part {
    request: Arc<SearchRequest>,
    cx: ShardContext,
    stretch: Stretch,
    /// As many hits as are wanted, which stand before it, score this much or more.
    floor: f32,
}

impl Part {
    /// The search of this part.
    pub fn search(&self) -> Result<Box<ShardSearch>> {
        let mut search = ShardSearch::new(&self.request, self.cx.clone())?;
        search.enter_part(self.stretch);
        search.top.raise_floor(self.floor);
        Ok(search)
    }
}

/// Whether a search may be divided at all: what looks at documents in their order, keeps a profile or asks scripts, which may refuse
/// a document, may not; neither may what is sorted, which skips most documents anyway, and what may end when it has enough of a range.
pub(super) fn can_be_divided(request: &SearchRequest, cx: &ShardContext, scope: &ShardScope, plan: &Plan) -> bool {
    let ends_early = matches!(plan, Plan::Points(points) if points.enough.is_some());
    request.sort.is_empty()
        && request.collapse.is_none()
        && request.rescore.is_empty()
        && request.terminate_after.is_none()
        && request.timeout_ms.is_none()
        && cx.profile.is_none()
        && scope.slice.is_none()
        && !scope.whole
        && request.post_filter.is_none()
        && !scope.reads.scrolls()
        && !ends_early
        && cx.snapshot.segments.iter().all(|view| !view.segment.is_partial())
}

impl ShardSearch {
    pub fn request(&self) -> &Arc<SearchRequest> {
        &self.request
    }

    /// Whether [`ShardSearch::divide`] may ever give anything.
    pub fn can_be_divided(&self) -> bool {
        self.divides
    }

    fn enter_part(&mut self, stretch: Stretch) {
        self.stretch = stretch;
        self.segment = stretch.from.0;
        if let Some(aggs) = &mut self.aggs {
            aggs.enter_part();
        }
        let before = self.cx.snapshot.segments.iter().take(self.segment);
        self.doc_base = before.map(|view| u64::from(view.max_doc())).sum();
    }

    /// Gives the further half of what is left away, if the search can be divided and there is enough left. To be called between two
    /// calls of [`ShardSearch::run`]; `least`: documents that have to be left. Whoever takes it owes its result, to be joined with that
    /// of this search. Cost: proportional to segments.
    pub fn divide(&mut self, least: u64) -> Option<Part> {
        if !self.divides || self.found.is_some() || self.timed_out {
            return None;
        }
        if !self.aggs.as_ref().is_none_or(Collector::can_be_joined) {
            return None;
        }
        let middle = self.middle(least)?;
        let within = middle.1 > 0;
        let part = Part {
            request: self.request.clone(),
            cx: self.cx.clone(),
            stretch: Stretch { from: middle, until: self.stretch.until, counted: within && !self.top.is_counting() },
            floor: if self.top.is_full() { self.top.threshold() } else { f32::NEG_INFINITY },
        };
        self.stretch.until = middle;
        if within && let Some(at) = &mut self.at {
            at.end_before(middle.1);
        }
        if let Some(aggs) = &mut self.aggs {
            aggs.enter_part();
        }
        // What stands before the page is known when all parts are.
        self.passed = 0;
        Some(part)
    }

    /// The middle of what is left, at the border of a window.
    fn middle(&self, least: u64) -> Option<Place> {
        let (segments, until) = (&self.cx.snapshot.segments, self.stretch.until);
        let max_doc = |segment: usize| segments.get(segment).map_or(0, |view| view.max_doc());
        let end = |segment: usize| self.stretch.limit(segment).min(max_doc(segment));
        let here = self.here();
        let first = here.map_or(0, |here| end(self.segment).saturating_sub(here));
        let behind = (self.segment + 1..segments.len()).take_while(|segment| (*segment, 0) < until);
        let left = u64::from(first) + behind.clone().map(|segment| u64::from(end(segment))).sum::<u64>();
        if left < least {
            return None;
        }
        let mut kept = left / 2;
        if let Some(here) = here {
            let border = (u64::from(here) + kept).next_multiple_of(u64::from(WINDOW));
            if border < u64::from(end(self.segment)) {
                return Some((self.segment, border as u32));
            }
            kept = kept.saturating_sub(u64::from(first));
        }
        // Segments behind are not begun within.
        for segment in behind {
            let docs = u64::from(end(segment));
            if kept < docs / 2 || segment + 1 >= segments.len() || (segment + 1, 0) >= until {
                return Some((segment, 0));
            }
            kept = kept.saturating_sub(docs);
        }
        None
    }

    /// The next document of the open segment that nobody has looked at, if the rest of the segment can be given away.
    fn here(&self) -> Option<u32> {
        let at = self.at.as_deref()?;
        // The best of what aggregations have seen already are looked for last.
        let has_parts = self.aggs.as_ref().is_none_or(|aggs| at.way != Way::Top && aggs.sees_all_matches());
        at.next_doc().filter(|doc| *doc != NO_MORE_DOCS && has_parts && !self.prepared)
    }
}

impl ShardResult {
    /// What parts of a shard's documents come to, in the order of the documents. All of them at once: of the terms of parts none may be
    /// left out before.
    pub fn joined(request: &SearchRequest, parts: Vec<Self>) -> Result<Self> {
        let mut parts = parts.into_iter();
        let mut whole = parts.next().unwrap_or_default();
        if parts.len() == 0 {
            return Ok(whole);
        }
        let mut aggs: Vec<_> = whole.aggs.take().into_iter().collect();
        for part in parts {
            whole.total += part.total;
            whole.total_is_lower_bound |= part.total_is_lower_bound;
            whole.timed_out |= part.timed_out;
            whole.hits.extend(part.hits);
            aggs.extend(part.aggs);
        }
        let limit = request.total_hits.limit();
        whole.total_is_lower_bound |= limit.is_some_and(|limit| whole.total > limit);
        // The sort is stable: among equals what stands before comes first.
        whole.hits.sort_by(|a, b| a.order_by_score(b));
        whole.hits.truncate(request.window());
        whole.max_score = whole.hits.first().map(|hit| hit.score);
        if let Some(asked) = request.aggs.as_ref().filter(|_| !aggs.is_empty()) {
            whole.aggs = Some(join(asked, aggs)?);
        }
        Ok(whole)
    }
}
