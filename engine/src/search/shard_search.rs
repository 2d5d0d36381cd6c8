//! The execution of a search on one shard: a state machine over segments and stretches of documents.
//!
//! Four ways through a segment. *Count*: nothing but the number of matches is wanted; dictionaries and bitsets are
//! counted. *Top*: the best scores alone; scorers drive themselves and skip what cannot compete. *Sweep*: sorts and
//! aggregations; what statistics do not answer beforehand takes the matches from bitsets of windows, and the best scores are
//! found afterwards as in *Top*. *Stream*: everything else (post filters, minimum scores, sorts by score, early ends);
//! matches and their scores go through batches.

use super::approximated::stopping_when_enough;
use super::asked_beside;
use super::budget::{Budget, Step};
use super::check::{beside_query, check_rescores, index_boost};
use super::collapse::TopCollapsed;
use super::counted_beforehand::{counts_beforehand, counts_none};
use super::early_end::EarlyEnd;
use super::finish::scored_hits;
use super::leaders::Leaders;
use super::parts::{Stretch, can_be_divided};
use super::profiling::{Profiling, weighing, weighs_scores};
use super::reader::{Slice, SliceFilter};
use super::request::SearchRequest;
use super::rescore::RescoreTask;
use super::result::ShardHit;
use super::sort_parse::SortBy;
use super::sort_points::PointsLead;
use super::sort_windows::WindowsLead;
use super::stride::{Stride, begins_with_one};
use super::top_sorted::TopSorted;
use crate::aggs::Collector;
use crate::error::Result;
use crate::meter;
use crate::query::{ShardContext, Weight, match_all};
use crate::score::{BulkTop, Faults, Plan, Scorer, Selection, TopScores, WeightContext};
use crate::segment::{NumericColumn, SegmentView, WindowBits};
use std::cmp::Ordering;
use std::sync::Arc;

/// What of a shard is searched, beside what the request says.
#[derive(Clone, Debug, Default)]
pub struct ShardScope {
    pub reads: Reads,
    /// The part of this shard that the request's slice means.
    pub slice: Option<Slice>,
    /// No other shard is asked, so that hits before the page need not be known.
    pub page_only: bool,
    /// It is not to be divided.
    pub whole: bool,
}

impl ShardScope {
    /// Whether the slice has nothing of this shard.
    pub(super) fn is_left_out(&self) -> bool {
        self.slice.as_ref().is_some_and(Slice::leaves_shard_out)
    }
}

/// Which point in time a search reads, and from where on.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Reads {
    /// The newest that searches see.
    #[default]
    Newest,
    PointInTime,
    /// The first page of a scroll.
    Scroll,
    /// A later page: what stands behind the hit, if there was one yet. Nothing is counted or aggregated again.
    ScrollOn(Option<ShardHit>),
}

impl Reads {
    pub fn scrolls(&self) -> bool {
        matches!(self, Self::Scroll | Self::ScrollOn(_))
    }
}

/// What few searches need stands elsewhere, since a search is moved a few times before it has even begun.
pub struct ShardSearch {
    pub(super) request: Arc<SearchRequest>,
    pub(super) cx: ShardContext,
    pub(super) weight: Weight,
    /// The field, where nothing but documents with one are looked for.
    pub(super) sought: Option<Arc<str>>,
    pub(super) faults: Faults,
    /// What is known of the matches beforehand.
    pub(super) selection: Selection,
    pub(super) post_filter: Option<Weight>,
    pub(super) way: Way,
    pub(super) needs_scores: bool,
    pub(super) aggs: Option<Collector>,
    pub(super) top: TopScores,
    pub(super) sorted: Option<Box<TopSorted>>,
    pub(super) collapsed: Option<Box<TopCollapsed>>,
    /// The best hits that groups are looked for among first.
    pub(super) leaders: Option<Leaders>,
    pub(super) slice: Option<SliceFilter>,
    rescoring: Option<RescoreTask>,
    /// The hits, once they have been found, while they are scored once more.
    pub(super) found: Option<Vec<ShardHit>>,
    /// How many matched, once the hits were taken out to be scored once more.
    pub(super) total: Option<u64>,
    /// Documents before this place are of earlier pages.
    starts_at: (u32, u32),
    /// Hits before the page that are wanted by nobody.
    pub(super) passed: usize,
    /// Hits are in the order of the index and nothing is counted: the page is complete when it is full.
    ends_when_full: bool,
    /// What of the shard it goes through, and whether others may have a part of that.
    pub(super) stretch: Stretch,
    pub(super) divides: bool,
    /// The query was made ready for the whole of this segment, which took time.
    pub(super) prepared: bool,
    /// The segment being worked on, and how far.
    pub(super) segment: usize,
    pub(super) at: Option<Box<At>>,
    pub(super) doc_base: u64,
    pub(super) max_score: Option<f32>,
    /// The reference counts hits without looking at them, which it reports as an early end beside aggregations.
    pub(super) counts_beforehand: bool,
    /// It stops counting before it has looked at any, and cannot tell whether there are more.
    pub(super) counts_none: bool,
    pub(super) early_end: Option<EarlyEnd>,
    pub(super) timed_out: bool,
    deadline_ms: Option<i64>,
    pub(super) stride: Stride,
    /// Made when they are first needed.
    pub(super) bits: Option<WindowBits>,
    pub(super) docs: Vec<u32>,
    pub(super) scores: Vec<f32>,
    pub(super) profiling: Option<Box<Profiling>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    Count,
    Top,
    Sweep,
    Stream,
}

impl Way {
    /// The way for so many hits; `sweeps`: documents are sorted or aggregated.
    fn of(streams: bool, sweeps: bool, window: usize) -> Self {
        match (streams, sweeps, window) {
            (true, ..) => Self::Stream,
            (_, true, _) => Self::Sweep,
            (_, _, 0) => Self::Count,
            _ => Self::Top,
        }
    }
}

/// An open segment.
pub(super) struct At {
    /// The way to the best hits that needs no scorer.
    pub bulk: Option<BulkTop>,
    pub scorer: Option<Box<dyn Scorer>>,
    pub post: Option<Box<dyn Scorer>>,
    /// What the slice goes by.
    pub slice_column: Option<NumericColumn>,
    /// Live documents below this went to global aggregations.
    pub global_from: u32,
    /// What is still to be done by *Sweep*, and the parts of it.
    pub way: Way,
    /// Goes from the best of the hits' numbers on, so that most are not read.
    pub lead: Option<Lead>,
    /// Every document of the segment matches.
    pub all: bool,
    pub sorts: bool,
    pub aggregates: bool,
    /// Where to go on by candidates.
    pub from: u32,
    /// Documents from here on are others'.
    pub limit: u32,
    /// The next document of the bits at hand that was not looked at yet.
    pub swept_to: Option<u32>,
}

pub(super) enum Lead {
    Points(PointsLead),
    Windows(WindowsLead),
}

impl Lead {
    pub fn new(sorted: &TopSorted, view: &SegmentView, matches: u64) -> Option<Self> {
        PointsLead::new(sorted, view, matches).map(Self::Points)
    }
}

/// What keeps the best hits by score: so many of them, or those that groups are looked for among first.
fn top(leaders: Option<&Leaders>, window: usize, count_limit: Option<u64>) -> TopScores {
    leaders.map_or_else(|| TopScores::new(window, count_limit), |leaders| leaders.top(count_limit))
}

impl ShardSearch {
    pub fn new(request: &Arc<SearchRequest>, cx: ShardContext) -> Result<Box<Self>> {
        Self::within(request, cx, &ShardScope::default())
    }

    /// A search of a part, or of an earlier point in time, as `scope` says.
    pub fn within(request: &Arc<SearchRequest>, cx: ShardContext, scope: &ShardScope) -> Result<Box<Self>> {
        let plan = Self::plan(request, &cx)?;
        Self::planned(request, cx, scope, plan)
    }

    /// What of a search takes time that grows with the text of its query. It needs no core, so that it can be done elsewhere.
    pub fn plan(request: &SearchRequest, cx: &ShardContext) -> Result<Plan> {
        let boost = index_boost(request, cx)?;
        let plan = match &request.query {
            Some(query) => query.boosted_root_plan(cx, boost),
            None => match_all().boosted_root_plan(cx, boost),
        };
        plan.map_err(|error| match error.is_of_rewriting() {
            true => beside_query(request, cx).err().unwrap_or(error),
            false => error,
        })
    }

    /// A search whose query has been planned. It is too large to be moved from hand to hand.
    pub fn planned(
        request: &Arc<SearchRequest>,
        cx: ShardContext,
        scope: &ShardScope,
        plan: Plan,
    ) -> Result<Box<Self>> {
        let plan = plan_within(request, &cx, scope, plan)?;
        let (needs_scores, scripts, window) = (request.needs_scores(), meter::scripts(), request.first_window());
        let mut profiling = cx.profile.map(|clock| Box::new(Profiling::new(clock, &cx, scope.page_only)));
        let counts_none = counts_none(request, &cx, &plan);
        let counts_beforehand = counts_none || counts_beforehand(request, &cx, &plan);
        let weight_cx = weighing(request, &cx, profiling.as_deref_mut());
        let post_filter = asked_beside::post_filter(request, &cx, scope.reads.scrolls(), &weight_cx)?;
        let shown = profiling.as_ref().map(|_| shown(request, &plan, needs_scores));
        let weight = shown.as_ref().unwrap_or(&plan).weight(&weight_cx, weighs_scores(request, &cx), 1.0)?;
        if let Some(profiling) = &mut profiling {
            asked_beside::enter(request, &cx, &plan, &weight_cx, profiling)?;
        }
        let later_page = matches!(scope.reads, Reads::ScrollOn(_));
        let aggs = if later_page { Ok(None) } else { asked_beside::aggs(request, &cx, &weight_cx)? };
        let (sorted, collapsed) = tops(request, scope, window, &cx)?;
        let slice = scope.slice.as_ref().map(|slice| SliceFilter::new(slice, &cx)).transpose()?.flatten();
        let rescoring = rescoring(request, if is_nothing(&plan) { 0 } else { window }, &cx, &weight_cx)?;
        let (aggs, post_filter) = (aggs?, post_filter?); // What is found as they are made comes last.
        let in_doc_order = request.sort.first().is_some_and(|sort| sort.by == SortBy::Doc && !sort.descending);
        let (starts_at, sorts) = (starting_point(scope, in_doc_order), sorted.is_some() && window > 0);
        let keeps = post_filter.is_some() || slice.is_some() || later_page;
        // So that a profile counts each document once.
        let counts_once = profiling.is_some() && aggs.is_some();
        let streams = keeps || looks_at_each(request) || (needs_scores && (sorts || counts_once));
        // Groups are of all that is found, not of what is counted.
        let counts_all = streams || plan.field_sought().is_some() || aggs.is_some() || rescoring.is_some();
        let leaders = Leaders::of(collapsed.as_deref(), window).filter(|_| !counts_all && profiling.is_none());
        let streams = streams || (collapsed.is_some() && window > 0 && leaders.is_none());
        let (way, limit) = (Way::of(streams, sorts || aggs.is_some(), window), request.total_hits.limit());
        let scripted = weight_cx.faults.is_shared(1) || meter::scripts() != scripts;
        let divides = !scripted && can_be_divided(request, &cx, scope, &plan);
        let stride = Stride::of(scripted, begins_with_one(request));
        Ok(Box::new(Self {
            top: top(leaders.as_ref(), if sorted.is_some() || collapsed.is_some() { 0 } else { window }, limit),
            leaders,
            request: request.clone(),
            selection: Selection::of(&plan),
            sought: plan.field_sought().cloned(),
            weight,
            faults: weight_cx.faults.clone(),
            post_filter,
            way,
            needs_scores,
            aggs,
            sorted,
            collapsed,
            slice,
            rescoring,
            found: None,
            total: None,
            starts_at,
            passed: if scope.page_only { request.window() - request.size.min(request.window()) } else { 0 },
            ends_when_full: in_doc_order && later_page,
            stretch: Stretch::WHOLE,
            divides,
            prepared: false,
            segment: 0,
            at: None,
            doc_base: 0,
            max_score: None,
            counts_beforehand,
            counts_none,
            early_end: EarlyEnd::of(request, &plan, needs_scores, cx.profile.is_some()),
            timed_out: false,
            deadline_ms: None,
            stride,
            bits: None,
            docs: Vec::new(),
            scores: Vec::new(),
            profiling,
            cx,
        }))
    }

    /// Works until done or until the budget says to yield.
    pub fn run(&mut self, budget: &Budget) -> Result<Step> {
        if let (None, Some(timeout)) = (self.deadline_ms, self.request.timeout_ms) {
            self.deadline_ms = Some(((budget.clock_ms)() as i64).saturating_add(timeout));
        }
        if self.found.is_some() {
            return self.rescore(budget);
        }
        self.timed_out |= self.request.timeout_ms.is_some_and(i64::is_negative); // Late from the beginning.
        let snapshot = self.cx.snapshot.clone();
        let mut began_ns = (budget.clock_ns)();
        let is_open = |search: &Self| !search.timed_out && search.stretch.has(search.segment);
        while let Some(view) = snapshot.segments.get(self.segment).filter(|_| is_open(self)) {
            if self.way == Way::Count && self.top.limit_reached() && self.aggs.is_none() {
                break;
            }
            let start = self.profiling.as_deref().map_or(0, Profiling::now);
            let more = self.work(view)?;
            let ended_ns = (budget.clock_ns)();
            self.stride.took(ended_ns.saturating_sub(began_ns));
            began_ns = ended_ns;
            if let Some(profiling) = &mut self.profiling {
                profiling.worked_since(start);
            }
            self.faults.check()?;
            self.sorted.as_deref().map_or(Ok(()), TopSorted::check)?;
            self.collapsed.as_deref().map_or(Ok(()), TopCollapsed::check)?;
            if !more {
                self.doc_base += u64::from(view.max_doc());
                self.segment += 1;
                self.prepared = false;
            }
            let full = self.ends_when_full && self.sorted.as_deref().is_some_and(TopSorted::is_full);
            let sees_all = self.aggs.as_ref().is_some_and(Collector::has_global);
            if (self.has_ended() && !sees_all) || full {
                break;
            }
            // A search that has seen everything is done, however late.
            if self.segment < snapshot.segments.len()
                && self.deadline_ms.is_some_and(|deadline| (budget.clock_ms)() as i64 > deadline)
            {
                self.timed_out = true;
                break;
            }
            if (budget.should_yield)() {
                return Ok(Step::Yield);
            }
        }
        self.leave_open_segment()?;
        if let Some(profiling) = &mut self.profiling {
            profiling.collected();
        }
        if !self.collapse_leaders()? {
            return Ok(Step::Yield);
        }
        self.rescore(budget)
    }

    /// Scores the hits that were found once more, if that is asked for.
    fn rescore(&mut self, budget: &Budget) -> Result<Step> {
        let Some(rescoring) = &mut self.rescoring else { return Ok(Step::Done) };
        let hits = match &mut self.found {
            Some(hits) => hits,
            found => {
                let top = std::mem::replace(&mut self.top, TopScores::new(0, None));
                self.total = Some(top.count());
                found.insert(scored_hits(top.finish()))
            }
        };
        rescoring.run(hits, &self.cx, budget, &self.faults)
    }

    /// Goes another way, from the first segment on.
    pub(super) fn begin_anew(&mut self, way: Way, top: TopScores) {
        (self.way, self.top, self.at) = (way, top, None);
        (self.segment, self.doc_base, self.max_score) = (0, 0, None);
    }

    /// One stretch of the segment. False when the segment is done.
    fn work(&mut self, view: &SegmentView) -> Result<bool> {
        let Some(at) = &self.at else { return self.open(view) };
        let more = match at.way {
            _ if self.has_ended() => false, // The rest is for those that see all documents.
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

    /// Counts the segment where that takes less than looking for its matches; false if it does not.
    fn counts_ahead(&mut self, view: &SegmentView) -> bool {
        let counted = match (self.way, &view.live) {
            (Way::Count, None) if !self.stretch.begins_within(self.segment) => self.weight.count_ahead(view),
            _ => None,
        };
        if counted.is_some() {
            self.top.enter_segment(self.segment as u32, None, counted);
        }
        counted.is_some()
    }

    /// Begins with a segment. Deleted documents are counted by dictionaries too, so only segments without any are known
    /// beforehand. Post filters and early ends concern aggregations too, or end them: they see the documents themselves.
    fn open(&mut self, view: &SegmentView) -> Result<bool> {
        if self.counts_ahead(view) {
            return Ok(false);
        }
        if !self.prepare(view)? {
            return Ok(true);
        }
        let within = self.stretch.begins_within(self.segment);
        let counted = match &view.live {
            _ if within => self.stretch.is_counted(self.segment).then_some(0),
            None if self.way != Way::Stream || self.counts_what_it_sorts() => self.known_count(view),
            _ => self.counted_beside(view),
        };
        self.top.enter_segment(self.segment as u32, view.live.clone(), counted);
        if !within && counted.is_some_and(|matches| self.way == Way::Count || self.passes(matches)) {
            return Ok(false);
        }
        let selection = match self.way {
            Way::Sweep if !within => self.selection.in_segment(view),
            _ => Selection::Unknown,
        };
        let of_aggs = match self.profiling.is_some() && self.counts_plainly() {
            // A profile tells what was counted without documents.
            true => self.selection.in_segment(view),
            false => selection.clone(),
        };
        if let Some(aggs) = &mut self.aggs {
            aggs.enter_segment(view, &of_aggs, self.slice.is_some() || within)?;
        }
        if let Some(sorted) = &mut self.sorted {
            sorted.enter_segment(self.segment as u32, view, self.doc_base)?;
        }
        if let Some(collapsed) = &mut self.collapsed {
            collapsed.enter_segment(self.segment as u32, view, self.doc_base)?;
            if self.leaders.is_some() && !collapsed.is_single_valued() {
                self.leaders = None;
                self.stream_groups();
                return Ok(true);
            }
        }
        let from_the_start = self.starts_at == (0, 0) && !within;
        if self.way == Way::Top && from_the_start && self.weight.offer_few(view, &mut self.top) {
            return Ok(false);
        }
        let post = self.post_filter.as_mut().map(|weight| weight.scorer(view)).transpose()?.flatten();
        let sorts = self.sorted.as_ref().is_some_and(|sorted| sorted.size() > 0);
        let aggregates = self.aggs.as_ref().is_some_and(Collector::needs_matches);
        let all = selection == Selection::All;
        let mut at = At {
            bulk: None,
            scorer: None,
            post,
            slice_column: self.slice.as_ref().and_then(|slice| slice.column(view)),
            global_from: 0,
            way: self.way,
            lead: None,
            all,
            sorts,
            aggregates,
            swept_to: None,
            from: 0,
            limit: self.stretch.limit(self.segment),
        };
        if matches!(self.way, Way::Count | Way::Top) {
            at.bulk = self.weight.bulk(view)?;
        }
        let known = counted.is_some() || !sorts;
        let scans = self.way != Way::Sweep || aggregates || !known || self.top.is_counting();
        if at.bulk.is_none() && scans {
            at.scorer = self.weight.scorer(view)?;
        }
        at.begin_at(self.stretch.first_doc(self.segment));
        self.skip_earlier_pages(&mut at);
        self.choose_way(&mut at, view, counted)?;
        self.at = Some(Box::new(at));
        Ok(true)
    }

    /// Makes ready what is looked for, in steps. False while it is not.
    fn prepare(&mut self, view: &SegmentView) -> Result<bool> {
        let mut spent = 0;
        let ready = self.weight.prepare(view, &mut spent)?;
        self.prepared |= spent > 0;
        if !ready {
            return Ok(false);
        }
        for beside in self.post_filter.iter_mut().chain(self.aggs.iter_mut().filter_map(Collector::restriction)) {
            if !beside.prepare(view, &mut spent)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Passes over the documents that earlier pages have shown.
    fn skip_earlier_pages(&self, at: &mut At) {
        let (segment, doc) = self.starts_at;
        match (self.segment as u32).cmp(&segment) {
            Ordering::Less => at.scorer = None,
            Ordering::Equal => at.begin_at(doc),
            Ordering::Greater => {}
        }
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

/// The plan as it is searched for.
fn plan_within(request: &SearchRequest, cx: &ShardContext, scope: &ShardScope, plan: Plan) -> Result<Plan> {
    let plan = stopping_when_enough(request, cx, scope, plan)?;
    Ok(if scope.is_left_out() { Plan::nothing("this shard is not part of the slice") } else { plan })
}

/// Whether the request itself has every match looked at, one by one.
fn looks_at_each(request: &SearchRequest) -> bool {
    request.min_score.is_some() || request.terminate_after.is_some()
}

type Tops = (Option<Box<TopSorted>>, Option<Box<TopCollapsed>>);

/// What keeps the best hits, where that is not their score alone.
fn tops(request: &SearchRequest, scope: &ShardScope, window: usize, cx: &ShardContext) -> Result<Tops> {
    let after = request.search_after.as_deref();
    if let Some(collapse) = &request.collapse {
        return Ok((None, Some(Box::new(TopCollapsed::new(collapse, &request.sort, after, window, cx)?))));
    }
    let sorted = match &scope.reads {
        Reads::ScrollOn(shown) => Some(TopSorted::scroll(&request.sort, shown.as_ref(), window, cx)?),
        _ if request.sort.is_empty() => None,
        _ => Some(TopSorted::new(&request.sort, after, window, cx)?),
    };
    Ok((sorted.map(Box::new), None))
}

fn is_nothing(plan: &Plan) -> bool {
    matches!(plan, Plan::Nothing(_))
}

/// Where no hits are wanted there is nothing to order anew, but what is wrong is told.
fn rescoring(
    request: &SearchRequest,
    window: usize,
    cx: &ShardContext,
    weights: &WeightContext,
) -> Result<Option<RescoreTask>> {
    if request.suggests_only() {
        return Ok(None);
    }
    if window == 0 {
        check_rescores(request, cx)?;
    }
    let rescores = Some(&request.rescore).filter(|rescores| !rescores.is_empty() && window > 0);
    rescores.map(|rescores| RescoreTask::new(rescores, cx, weights)).transpose()
}

/// What collects the request's aggregations.
pub(super) fn collector(request: &Arc<SearchRequest>, cx: &ShardContext) -> Result<Option<Collector>> {
    let Some(aggs) = request.aggs.as_ref().filter(|aggs| !aggs.is_empty()) else { return Ok(None) };
    Ok(Some(Collector::new(aggs, &ShardContext { search: Some(request.clone()), ..cx.clone() })?))
}

/// The plan as a profile shows it.
pub(super) fn shown(request: &SearchRequest, plan: &Plan, scores: bool) -> Plan {
    let scores = scores || request.aggs.as_ref().is_some_and(|aggs| aggs.needs_scores());
    match &request.query {
        Some(query) => query.shown(plan.clone(), scores),
        None if scores => plan.clone(),
        None => plan.clone().constant().simplify(),
    }
}

/// Segment and document that the search begins with: a scroll in the order of documents goes on behind its last hit.
fn starting_point(scope: &ShardScope, in_doc_order: bool) -> (u32, u32) {
    match &scope.reads {
        Reads::ScrollOn(Some(hit)) if in_doc_order => (hit.segment, hit.doc.saturating_add(1)),
        _ => (0, 0),
    }
}
