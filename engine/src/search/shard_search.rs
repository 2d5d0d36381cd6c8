//! The execution of a search on one shard: a state machine over segments and stretches of documents.
//!
//! Four ways through a segment. *Count*: nothing but the number of matches is wanted; dictionaries and bitsets are
//! counted. *Top*: the best scores alone; scorers drive themselves and skip what cannot compete. *Sweep*: sorts and
//! aggregations; what statistics do not answer beforehand takes the matches from bitsets of windows, and the best scores are
//! found afterwards as in *Top*. *Stream*: everything else (post filters, minimum scores, sorts by score, early ends);
//! matches and their scores go through batches.

use super::budget::{Budget, Step};
use super::request::{SearchRequest, TotalHits};
use super::result::{ShardHit, ShardResult};
use super::sort_parse::SortBy;
use super::sort_points::PointsLead;
use super::source::{SourceSpec, StoredFields};
use super::top_sorted::TopSorted;
use crate::aggs::Collector;
use crate::error::{Error, ErrorKind, Result};
use crate::query::{ShardContext, Weight, match_all};
use crate::score::{BulkTop, Faults, Plan, Scorer, Selection, TopScores, WeightContext};
use crate::segment::{SegmentView, WindowBits};
use std::sync::Arc;

pub struct ShardSearch {
    pub(super) request: Arc<SearchRequest>,
    cx: ShardContext,
    pub(super) weight: Weight,
    faults: Faults,
    /// What is known of the matches beforehand.
    selection: Selection,
    pub(super) post_filter: Option<Weight>,
    way: Way,
    pub(super) needs_scores: bool,
    pub(super) aggs: Option<Collector>,
    pub(super) top: TopScores,
    pub(super) sorted: Option<TopSorted>,
    /// The segment being worked on, and how far.
    segment: usize,
    pub(super) at: Option<At>,
    doc_base: u64,
    pub(super) max_score: Option<f32>,
    pub(super) collected: u64,
    /// The reference counts hits without looking at them, which it reports as an early end beside aggregations.
    counts_beforehand: bool,
    pub(super) terminated: bool,
    timed_out: bool,
    deadline_ms: Option<u64>,
    pub(super) bits: WindowBits,
    pub(super) docs: Vec<u32>,
    pub(super) scores: Vec<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    Count,
    Top,
    Sweep,
    Stream,
}

/// An open segment.
pub(super) struct At {
    /// The way to the best hits that needs no scorer.
    pub bulk: Option<BulkTop>,
    pub scorer: Option<Box<dyn Scorer>>,
    pub post: Option<Box<dyn Scorer>>,
    /// Live documents below this went to global aggregations.
    pub global_from: u32,
    /// What is still to be done by *Sweep*, and the parts of it.
    pub way: Way,
    pub lead: Option<PointsLead>,
    /// Every document of the segment matches.
    pub all: bool,
    pub sorts: bool,
    pub aggregates: bool,
    /// The next document of the bits at hand that was not looked at yet.
    pub swept_to: Option<u32>,
}

impl ShardSearch {
    pub fn new(request: &Arc<SearchRequest>, cx: ShardContext) -> Result<Self> {
        check(request, &cx)?;
        let needs_scores = request.needs_scores();
        let default = match_all();
        let query = request.query.as_ref().unwrap_or(&default);
        let boost = index_boost(request, &cx);
        let plan = query.root_plan(&cx)?.boosted(boost).simplify();
        let counts_beforehand = counts_beforehand(request, &cx, &plan);
        let weight_cx = WeightContext::new(&cx.snapshot);
        let weight = plan.weight(&weight_cx, needs_scores, 1.0)?;
        let post_filter = request.post_filter.as_ref().map(|query| query.weight(&cx, false)).transpose()?;
        let aggs = request.aggs.as_ref().filter(|aggs| !aggs.is_empty());
        let aggs = aggs.map(|aggs| Collector::new(aggs, &cx)).transpose()?;
        let window = request.window();
        let sorted = if request.sort.is_empty() {
            None
        } else {
            Some(TopSorted::new(&request.sort, request.search_after.as_deref(), window, &cx)?)
        };
        let sorts = sorted.is_some() && window > 0;
        let streams = post_filter.is_some()
            || request.min_score.is_some()
            || request.terminate_after.is_some()
            || (sorts && needs_scores);
        let way = match (streams, sorts || aggs.is_some(), window) {
            (true, ..) => Way::Stream,
            (_, true, _) => Way::Sweep,
            (_, _, 0) => Way::Count,
            _ => Way::Top,
        };
        let limit = request.total_hits.limit();
        Ok(Self {
            top: TopScores::new(if sorted.is_some() { 0 } else { window }, limit),
            request: request.clone(),
            selection: Selection::of(&plan),
            weight,
            faults: weight_cx.faults.clone(),
            post_filter,
            way,
            needs_scores,
            aggs,
            sorted,
            segment: 0,
            at: None,
            doc_base: 0,
            max_score: None,
            collected: 0,
            counts_beforehand,
            terminated: false,
            timed_out: false,
            deadline_ms: None,
            bits: WindowBits::new(0),
            docs: Vec::new(),
            scores: Vec::new(),
            cx,
        })
    }

    /// Works until done or until the budget says to yield.
    pub fn run(&mut self, budget: &Budget) -> Result<Step> {
        if let (None, Some(timeout)) = (self.deadline_ms, self.request.timeout_ms) {
            self.deadline_ms = Some((budget.clock_ms)().saturating_add(timeout));
        }
        let snapshot = self.cx.snapshot.clone();
        while let Some(view) = snapshot.segments.get(self.segment) {
            if self.way == Way::Count && self.top.limit_reached() && self.aggs.is_none() {
                break;
            }
            let more = self.work(view)?;
            self.faults.check()?;
            if !more {
                self.doc_base += u64::from(view.max_doc());
                self.segment += 1;
            }
            if self.terminated {
                break;
            }
            if self.deadline_ms.is_some_and(|deadline| (budget.clock_ms)() >= deadline) {
                self.timed_out = true;
                break;
            }
            if (budget.should_yield)() {
                return Ok(Step::Yield);
            }
        }
        self.leave_open_segment()?;
        Ok(Step::Done)
    }

    pub fn finish(self) -> Result<ShardResult> {
        let total = self.top.count();
        let limit = self.request.total_hits.limit();
        let hits: Vec<ShardHit> = match self.sorted {
            Some(sorted) => sorted.finish(),
            None => (self.top.finish().into_iter())
                .map(|hit| ShardHit { segment: hit.segment, doc: hit.doc, score: hit.score, sort: vec![] })
                .collect(),
        };
        let max_score = match self.request.sort.is_empty() {
            true => hits.first().map(|hit| hit.score),
            false => {
                // Where the score is what hits are sorted by first, the best one is known anyway.
                let first = self.request.sort.first();
                let by_score = first.is_some_and(|sort| sort.by == SortBy::Score && sort.descending);
                self.max_score.filter(|_| self.request.track_scores || by_score)
            }
        };
        Ok(ShardResult {
            hits,
            total,
            total_is_lower_bound: limit.is_some_and(|limit| total > limit),
            max_score,
            aggs: self.aggs.map(Collector::finish).transpose()?,
            timed_out: self.timed_out,
            terminated_early: match self.request.terminate_after {
                Some(_) => Some(self.terminated),
                None => self.counts_beforehand.then_some(true),
            },
        })
    }

    /// One stretch of the segment. False when the segment is done.
    fn work(&mut self, view: &SegmentView) -> Result<bool> {
        let Some(at) = &self.at else { return self.open(view) };
        let more = match at.way {
            Way::Count => self.count_stretch(view),
            Way::Top => self.top_stretch(),
            Way::Sweep => self.sweep_stretch(view)?,
            Way::Stream => self.stream_stretch(view)?,
        };
        if more || self.global_stretch(view)? {
            return Ok(true);
        }
        self.leave_open_segment()?;
        Ok(false)
    }

    fn open(&mut self, view: &SegmentView) -> Result<bool> {
        let mut spent = 0;
        if !self.weight.prepare(view, &mut spent)? {
            return Ok(true);
        }
        if let Some(post) = &mut self.post_filter
            && !post.prepare(view, &mut spent)?
        {
            return Ok(true);
        }
        // Deleted documents are counted by dictionaries too, so only segments without any are known beforehand.
        let counted = match (self.way, &view.live) {
            (Way::Count | Way::Top | Way::Sweep, None) => self.weight.count(view),
            _ => None,
        };
        self.top.enter_segment(self.segment as u32, view.live.clone(), counted);
        if self.way == Way::Count && counted.is_some() {
            return Ok(false);
        }
        // Post filters and early ends concern aggregations too, or end them: they see the documents themselves.
        let selection = match self.way {
            Way::Sweep => self.selection.in_segment(view),
            _ => Selection::Unknown,
        };
        if let Some(aggs) = &mut self.aggs {
            aggs.enter_segment(view, &selection)?;
        }
        if let Some(sorted) = &mut self.sorted {
            sorted.enter_segment(self.segment as u32, view, self.doc_base);
        }
        let post = match &mut self.post_filter {
            Some(weight) => weight.scorer(view)?,
            None => None,
        };
        let sorts = self.sorted.as_ref().is_some_and(|sorted| sorted.size() > 0);
        let aggregates = self.aggs.as_ref().is_some_and(Collector::needs_matches);
        let all = selection == Selection::All;
        let mut at = At {
            bulk: None,
            scorer: None,
            post,
            global_from: 0,
            way: self.way,
            lead: None,
            all,
            sorts,
            aggregates,
            swept_to: None,
        };
        if self.way == Way::Top {
            at.bulk = self.weight.bulk(view, self.top.is_counting())?;
        }
        let known = counted.is_some() || !sorts;
        let scans = self.way != Way::Sweep || aggregates || !known || self.top.is_counting();
        if at.bulk.is_none() && scans {
            at.scorer = self.weight.scorer(view)?;
        }
        if self.way == Way::Sweep {
            let scorer = at.scorer.as_ref();
            // Confirming candidates twice would cost more than scoring all matches.
            if self.needs_scores && scorer.is_some_and(|scorer| scorer.is_two_phase()) {
                at.way = Way::Stream;
            }
            let matches = counted.or(scorer.map(|scorer| scorer.cost())).unwrap_or(0);
            at.lead = self.sorted.as_ref().filter(|_| sorts).and_then(|sorted| PointsLead::new(sorted, view, matches));
            if sorts && at.lead.is_none() && at.scorer.is_none() {
                at.scorer = self.weight.scorer(view)?;
            }
        }
        self.at = Some(at);
        Ok(true)
    }

    fn leave_open_segment(&mut self) -> Result<()> {
        if self.at.take().is_some()
            && let Some(aggs) = &mut self.aggs
        {
            aggs.leave_segment()?;
        }
        Ok(())
    }
}

/// Whether the reference knows the number of hits without collecting any, or does not want it: with aggregations and no hits
/// to return, its hit collector then ends early in the first segment, and the response says so.
fn counts_beforehand(request: &SearchRequest, cx: &ShardContext, plan: &Plan) -> bool {
    let aggregates_only = request.size == 0 && request.aggs.as_ref().is_some_and(|aggs| !aggs.is_empty());
    if !aggregates_only || cx.snapshot.segments.is_empty() {
        return false;
    }
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
            Plan::Term { .. } | Plan::Exists { .. } => !has_deletes,
            _ => false,
        }
}

fn check(request: &SearchRequest, cx: &ShardContext) -> Result<()> {
    let limit = cx.limits.max_result_window;
    let asked = request.from.saturating_add(request.size);
    if asked > limit {
        return Err(Error::illegal_argument(format!(
            "Result window is too large, from + size must be less than or equal to: [{limit}] but was [{asked}]. See the scroll api for a more efficient way to request large data sets. This limit can be set by changing the [index.max_result_window] index level setting."
        )));
    }
    let limit = cx.limits.max_docvalue_fields;
    let asked = request.docvalue_fields.len();
    if asked > limit {
        return Err(Error::illegal_argument(format!(
            "Trying to retrieve too many docvalue_fields. Must be less than or equal to: [{limit}] but was [{asked}]. This limit can be set by changing the [index.max_docvalue_fields_search] index level setting."
        )));
    }
    let wants_source = !matches!(request.source, None | Some(SourceSpec::No));
    if wants_source && request.stored_fields == Some(StoredFields::None) {
        return Err(Error::new(ErrorKind::Search, "[stored_fields] cannot be disabled if [_source] is requested"));
    }
    if request.search_after.is_some() {
        if request.from > 0 {
            return Err(Error::new(
                ErrorKind::Search,
                "`from` parameter must be set to 0 when `search_after` is used.",
            ));
        }
        if request.sort.is_empty() {
            return Err(Error::illegal_argument("Sort must contain at least one field."));
        }
    }
    Ok(())
}

/// The boost that the request gives this index.
fn index_boost(request: &SearchRequest, cx: &ShardContext) -> f32 {
    let found = request.indices_boost.iter().find(|(name, _)| crate::query::wildcard_matches(name, &cx.index));
    found.map_or(1.0, |(_, boost)| *boost)
}
