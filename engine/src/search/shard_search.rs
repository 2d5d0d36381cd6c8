//! The execution of a search on one shard: a state machine over segments and stretches of documents.
//!
//! Three ways through a segment. *Count*: nothing but the number of matches is wanted; dictionaries and bitsets are
//! counted. *Top*: the best scores alone; scorers drive themselves and skip what cannot compete. *Stream*: everything else
//! (sorts, aggregations, post filters, minimum scores, early ends); matches go through batches.

use super::budget::{Budget, Step};
use super::request::{SearchRequest, TotalHits};
use super::result::{ShardHit, ShardResult};
use super::sort_parse::SortBy;
use super::source::{SourceSpec, StoredFields};
use super::top_sorted::TopSorted;
use crate::aggs::Collector;
use crate::error::{Error, ErrorKind, Result};
use crate::query::{ShardContext, Weight, match_all};
use crate::score::{BulkTop, Faults, Plan, Scorer, TopScores, WeightContext};
use crate::segment::{NO_MORE_DOCS, SegmentView, WINDOW, WindowBits};
use std::sync::Arc;

/// Documents between two looks at the budget, where each costs little.
const STRETCH_DOCS: u32 = 16_384;
/// And where matches need their positions read or go through batches.
const BATCH_DOCS: u32 = 4_096;

pub struct ShardSearch {
    request: Arc<SearchRequest>,
    cx: ShardContext,
    weight: Weight,
    faults: Faults,
    post_filter: Option<Weight>,
    way: Way,
    needs_scores: bool,
    aggs: Option<Collector>,
    top: TopScores,
    sorted: Option<TopSorted>,
    /// The segment being worked on, and how far.
    segment: usize,
    at: Option<At>,
    doc_base: u64,
    max_score: Option<f32>,
    collected: u64,
    /// The reference counts hits without looking at them, which it reports as an early end beside aggregations.
    counts_beforehand: bool,
    terminated: bool,
    timed_out: bool,
    deadline_ms: Option<u64>,
    bits: WindowBits,
    docs: Vec<u32>,
    scores: Vec<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Count,
    Top,
    Stream,
}

/// An open segment.
struct At {
    /// The way to the best hits that needs no scorer.
    bulk: Option<BulkTop>,
    scorer: Option<Box<dyn Scorer>>,
    post: Option<Box<dyn Scorer>>,
    /// Live documents below this went to global aggregations.
    global_from: u32,
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
        let streams = aggs.is_some()
            || post_filter.is_some()
            || request.min_score.is_some()
            || request.terminate_after.is_some()
            || (sorted.is_some() && window > 0);
        let way = match (streams, window) {
            (true, _) => Way::Stream,
            (false, 0) => Way::Count,
            (false, _) => Way::Top,
        };
        let limit = request.total_hits.limit();
        Ok(Self {
            top: TopScores::new(if sorted.is_some() { 0 } else { window }, limit),
            request: request.clone(),
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
        if self.at.is_none() {
            return self.open(view);
        }
        let more = match self.way {
            Way::Count => self.count_stretch(view),
            Way::Top => self.top_stretch(),
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
            (Way::Count | Way::Top, None) => self.weight.count(view),
            _ => None,
        };
        self.top.enter_segment(self.segment as u32, view.live.clone(), counted);
        if self.way == Way::Count && counted.is_some() {
            return Ok(false);
        }
        let bulk = match self.way {
            Way::Top => self.weight.bulk(view, self.top.is_counting())?,
            _ => None,
        };
        let scorer = if bulk.is_some() { None } else { self.weight.scorer(view)? };
        let post = match &mut self.post_filter {
            Some(weight) => weight.scorer(view)?,
            None => None,
        };
        if let Some(aggs) = &mut self.aggs {
            aggs.enter_segment(view)?;
        }
        if let Some(sorted) = &mut self.sorted {
            sorted.enter_segment(self.segment as u32, view, self.doc_base);
        }
        self.at = Some(At { bulk, scorer, post, global_from: 0 });
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

    fn scorer(&mut self) -> Option<&mut Box<dyn Scorer>> {
        self.at.as_mut()?.scorer.as_mut().filter(|scorer| scorer.doc() != NO_MORE_DOCS)
    }

    fn count_stretch(&mut self, view: &SegmentView) -> bool {
        let mut bits = std::mem::take(&mut self.bits);
        let Some(scorer) = self.scorer() else {
            self.bits = bits;
            return false;
        };
        let doc = scorer.doc();
        bits.reset(doc / WINDOW);
        let step = if scorer.is_two_phase() { BATCH_DOCS } else { WINDOW };
        scorer.fill(stretch_end(doc, step), &mut bits);
        if let Some(live) = &view.live {
            live.mask(&mut bits);
        }
        self.top.add_count(u64::from(bits.count()));
        self.bits = bits;
        !self.top.limit_reached()
    }

    fn top_stretch(&mut self) -> bool {
        let Self { at, top, .. } = self;
        if let Some(bulk) = at.as_mut().and_then(|at| at.bulk.as_mut()) {
            return bulk.work(top);
        }
        let Some(scorer) = at.as_mut().and_then(|at| at.scorer.as_mut()) else { return false };
        let doc = scorer.doc();
        if doc == NO_MORE_DOCS {
            return false;
        }
        let step = if scorer.is_two_phase() { BATCH_DOCS } else { STRETCH_DOCS };
        scorer.collect_top(stretch_end(doc, step), top);
        true
    }

    fn stream_stretch(&mut self, view: &SegmentView) -> Result<bool> {
        let mut docs = std::mem::take(&mut self.docs);
        let mut scores = std::mem::take(&mut self.scores);
        docs.clear();
        scores.clear();
        let needs_scores = self.needs_scores;
        let found = match self.scorer() {
            None => false,
            Some(scorer) => {
                let end = stretch_end(scorer.doc(), BATCH_DOCS);
                scorer.collect(end, &mut docs, needs_scores.then_some(&mut scores));
                true
            }
        };
        let result = if found { self.batch(view, &mut docs, &mut scores) } else { Ok(()) };
        self.docs = docs;
        self.scores = scores;
        result.map(|()| found && !self.terminated)
    }

    /// What a batch of matches goes through.
    fn batch(&mut self, view: &SegmentView, docs: &mut Vec<u32>, scores: &mut Vec<f32>) -> Result<()> {
        let min_score = self.request.min_score;
        if view.live.is_some() || min_score.is_some() {
            retain(docs, scores, |doc, score| view.is_live(doc) && min_score.is_none_or(|min| score >= min));
        }
        if let Some(limit) = self.request.terminate_after {
            let room = usize::try_from(limit - self.collected.min(limit)).unwrap_or(usize::MAX);
            if docs.len() > room {
                docs.truncate(room);
                scores.truncate(room);
                self.terminated = true;
            }
            self.collected += docs.len() as u64;
        }
        if let Some(aggs) = &mut self.aggs {
            aggs.collect(docs)?;
        }
        if self.post_filter.is_some() {
            let mut post = self.at.as_mut().and_then(|at| at.post.take());
            retain(docs, scores, |doc, _| match &mut post {
                Some(post) => post.doc() <= doc && (post.doc() == doc || post.advance(doc) == doc),
                None => false,
            });
            if let Some(at) = &mut self.at {
                at.post = post;
            }
        }
        self.keep(view, docs, scores);
        Ok(())
    }

    fn keep(&mut self, view: &SegmentView, docs: &[u32], scores: &[f32]) {
        self.top.add_count(docs.len() as u64);
        match &mut self.sorted {
            Some(sorted) => {
                if let Some(best) = scores.iter().copied().reduce(f32::max) {
                    self.max_score = Some(self.max_score.map_or(best, |max| max.max(best)));
                }
                sorted.offer(view, docs, scores);
            }
            None => {
                for (doc, score) in docs.iter().zip(scores) {
                    self.top.offer_live(*doc, *score);
                }
            }
        }
    }

    /// Feeds live documents to global aggregations. False when all have been.
    fn global_stretch(&mut self, view: &SegmentView) -> Result<bool> {
        let (Some(aggs), Some(at)) = (&mut self.aggs, &mut self.at) else { return Ok(false) };
        if !aggs.needs_global() || at.global_from >= view.max_doc() || self.terminated {
            return Ok(false);
        }
        let end = at.global_from.saturating_add(BATCH_DOCS).min(view.max_doc());
        self.docs.clear();
        self.docs.extend((at.global_from..end).filter(|doc| view.is_live(*doc) && view.segment.is_root(*doc)));
        at.global_from = end;
        aggs.collect_global(&self.docs)?;
        Ok(end < view.max_doc())
    }
}

/// At most `step` documents on from `doc`, within its window.
fn stretch_end(doc: u32, step: u32) -> u32 {
    let window_end = (u64::from(doc / WINDOW) + 1) * u64::from(WINDOW);
    (u64::from(doc) + u64::from(step)).min(window_end).min(u64::from(NO_MORE_DOCS)) as u32
}

/// Keeps documents, and their scores if there are any.
fn retain(docs: &mut Vec<u32>, scores: &mut Vec<f32>, mut keep: impl FnMut(u32, f32) -> bool) {
    let mut kept = 0;
    for i in 0..docs.len() {
        if keep(docs[i], scores.get(i).copied().unwrap_or(f32::NAN)) {
            docs[kept] = docs[i];
            if i < scores.len() {
                scores[kept] = scores[i];
            }
            kept += 1;
        }
    }
    docs.truncate(kept);
    scores.truncate(kept);
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
