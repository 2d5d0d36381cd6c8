//! What is spent on aggregations, for requests that ask for it: an aggregator around another one.

use super::kind::{Aggregator, Built, Owners, Subs};
use super::parse::{Agg, Aggs, Level};
use crate::error::Result;
use crate::json::Value;
use crate::pace::Pace;
use crate::profile::{AGG_CALLS, AggProfile, Breakdown, Clock, FetchProfile, QueryProfile, QueryProfiler, agg_call};
use crate::query::{Query, ShardContext};
use crate::score::{BoolPlan, Plan, Rewriting, Selection, WeightContext, count_searches};
use crate::segment::{NO_MORE_DOCS, SegmentView};

/// Documents of a segment for each range, from which on the reference counts by ranges even what has aggregations below.
const DOCS_PER_RANGE: u32 = 1000;

/// Ranges of dates beyond which the reference counts none by ranges (`search.max_aggregation_rewrite_filters`).
pub(crate) const RANGES_MAX: usize = 3_000;

/// Whether a segment has that many for so many ranges.
pub(crate) fn ranges_have_enough(view: &SegmentView, ranges: usize) -> bool {
    view.max_doc() as usize / ranges.max(1) >= DOCS_PER_RANGE as usize
}

/// What an aggregator tells of itself, in the reference's words.
#[derive(Debug, Default)]
pub(crate) struct Details {
    /// The class, where that is not known from the type alone.
    pub(crate) class: Option<&'static str>,
    pub(crate) debug: Vec<(&'static str, Value)>,
    /// Whether the debug information tells of segments that were counted without looking at documents.
    pub(crate) shows_optimized: bool,
    /// Whether the reference would have its sub-aggregations wait.
    pub(crate) defers: bool,
}

/// Classes by type, where they are not the type's name in capitals with `Aggregator` behind it.
const CLASSES: &[(&str, &str)] = &[
    ("children", "ParentToChildrenAggregator"),
    ("date_range", "RangeAggregator"),
    ("geo_distance", "RangeAggregator"),
    ("geohash_grid", "GeoHashGridAggregator"),
    ("geotile_grid", "GeoTileGridAggregator"),
    ("histogram", "NumericHistogramAggregator"),
    ("ip_range", "BinaryRangeAggregator"),
    ("parent", "ChildrenToParentAggregator"),
    ("percentile_ranks", "TDigestPercentileRanksAggregator"),
    ("percentiles", "TDigestPercentilesAggregator"),
    ("rare_terms", "StringRareTermsAggregator"),
    ("significant_terms", "GlobalOrdinalsStringTermsAggregator"),
    ("significant_text", "MapStringTermsAggregator"),
    ("terms", "GlobalOrdinalsStringTermsAggregator"),
];

fn class_of(type_name: &str) -> String {
    if let Some((_, class)) = CLASSES.iter().find(|(name, _)| *name == type_name) {
        return (*class).to_owned();
    }
    let mut class = String::new();
    for word in type_name.split('_') {
        let mut letters = word.chars();
        class.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        class.push_str(letters.as_str());
    }
    class + "Aggregator"
}

/// See the file's comment.
pub(crate) struct ProfiledAggregator {
    inner: Box<dyn Aggregator>,
    clock: Clock,
    breakdown: Breakdown<AGG_CALLS>,
    name: String,
    type_name: &'static str,
    /// Where the request has it: profiles are shown in that order.
    place: u32,
    global: bool,
    /// See [`super::kind::Kind::class`].
    class: Option<&'static str>,
    sub_names: Vec<String>,
    /// Segments whose documents were not looked at, and others.
    optimized: u64,
    unoptimized: u64,
    /// Segments where it skips documents, if it stands at the top.
    pruned: u64,
    top: bool,
    scores_at_once: bool,
    details: Details,
    fetch: Option<FetchProfile>,
    asked: Vec<QueryProfile>,
}

impl ProfiledAggregator {
    pub(crate) fn boxed(agg: &Agg, cx: &ShardContext, clock: Clock) -> Result<Box<dyn Aggregator>> {
        let breakdown = Breakdown::default();
        let inner = breakdown.time(agg_call::INITIALIZE, clock, || agg.kind.aggregator(agg, cx))?;
        Ok(Box::new(Self {
            inner,
            clock,
            breakdown,
            name: agg.name.clone(),
            type_name: agg.type_name,
            place: agg.place,
            global: agg.kind.is_global(),
            class: agg.kind.class(cx),
            sub_names: agg.subs.iter().map(|sub| sub.name.clone()).collect(),
            optimized: 0,
            unoptimized: 0,
            pruned: cx.snapshot.segments.iter().filter(|view| agg.kind.asks_anew(cx, view)).count() as u64,
            top: false,
            scores_at_once: scores_at_once(agg),
            details: Details::default(),
            fetch: None,
            asked: vec![],
        }))
    }

    /// Whether sub-aggregations see documents only when it is known which buckets are answered.
    fn defers(&self) -> bool {
        let always = [
            "auto_date_histogram",
            "diversified_sampler",
            "rare_terms",
            "sampler",
            "significant_terms",
            "variable_width_histogram",
        ];
        !self.sub_names.is_empty()
            && !self.scores_at_once
            && !self.collects_nothing()
            && (self.details.defers || always.contains(&self.type_name))
    }

    /// Whether the reference has an aggregator that stands for none: of a field that no mapping knows.
    fn collects_nothing(&self) -> bool {
        self.class.or(self.details.class) == Some("NonCollectingAggregator")
    }

    fn debug(&self) -> Vec<(&'static str, Value)> {
        let mut debug = match self.type_name {
            "rare_terms" => vec![],
            _ if self.collects_nothing() => vec![],
            _ => self.details.debug.clone(),
        };
        for (key, value) in &mut debug {
            match (self.type_name, *key) {
                ("significant_terms", "result_strategy") => *value = Value::from("significant_terms"),
                ("significant_terms", "result_selection_strategy") => *value = Value::from("priority_queue"),
                ("cardinality", "dynamic_pruned_segments") if self.top => {
                    *value = Value::UInt(self.pruned.min(self.optimized + self.unoptimized));
                }
                (_, "single_valued_collectors_used") if self.details.shows_optimized => {
                    *value = Value::UInt(value.as_f64().unwrap_or(0.0) as u64 - self.optimized);
                }
                _ => {}
            }
        }
        if self.details.shows_optimized && self.optimized > 0 {
            debug.push(("optimized_segments", Value::UInt(self.optimized)));
            debug.push(("unoptimized_segments", Value::UInt(self.unoptimized)));
            // Points are found by bisection here: there is no tree that would be walked.
            debug.push(("leaf_visited", Value::UInt(self.optimized)));
            debug.push(("inner_visited", Value::UInt(0)));
        }
        if self.defers() {
            debug.push((
                "deferred_aggregators",
                Value::Array(self.sub_names.iter().map(|n| n.as_str().into()).collect()),
            ));
        }
        debug
    }
}

impl Aggregator for ProfiledAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        let Self { inner, breakdown, clock, .. } = self;
        self.unoptimized += 1;
        breakdown.time(agg_call::BUILD_LEAF_COLLECTOR, *clock, || inner.enter_segment(view))
    }

    fn collect_selection(&mut self, view: &SegmentView, selection: &Selection) -> Result<bool> {
        let start = (self.clock)();
        let done = self.inner.collect_selection(view, selection)?;
        let ns = (self.clock)().saturating_sub(start).max(1);
        self.breakdown.0[agg_call::COLLECT].add(u64::from(done), ns);
        let by_ranges = if self.top { self.inner.counts_by_ranges(view, selection, done) } else { done };
        if by_ranges {
            self.optimized += 1;
            self.unoptimized = self.unoptimized.saturating_sub(1);
        }
        Ok(done)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        let start = (self.clock)();
        self.inner.collect(docs, owners)?;
        let ns = (self.clock)().saturating_sub(start).max(1);
        self.breakdown.0[agg_call::COLLECT].add(docs.len() as u64, ns);
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        let start = (self.clock)();
        self.inner.leave_segment()?;
        let timer = &self.breakdown.0[agg_call::POST_COLLECTION];
        timer.add(u64::from(timer.count() == 0), (self.clock)().saturating_sub(start).max(1));
        Ok(())
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            self.details = self.inner.details();
            let Self { inner, breakdown, clock, .. } = self;
            let start = clock();
            let built = inner.build(owners, pace).await;
            breakdown.0[agg_call::BUILD_AGGREGATION].add(1, clock().saturating_sub(start).max(1));
            self.fetch = inner.fetch_profile();
            self.asked = inner.asked_profile();
            built
        })
    }

    fn subs(&self) -> Option<&Subs> {
        self.inner.subs()
    }

    fn at_top(&mut self) {
        self.top = true;
        self.inner.at_top();
    }

    fn find_nothing(&mut self) {
        self.inner.find_nothing();
    }

    fn profile(&self) -> Option<(u32, AggProfile)> {
        let mut children = self.inner.subs().map(|subs| in_order(subs.profiles())).unwrap_or_default();
        if self.collects_nothing() || self.class.or(self.details.class) == Some(UNMAPPED_RANGES) {
            // Nobody asks them for results, with which they would tell more of themselves.
            children.iter_mut().for_each(silence);
        }
        let class = match (self.type_name, self.class.or(self.details.class)) {
            (_, Some("NonCollectingAggregator")) => "NonCollectingAggregator".to_owned(),
            ("rare_terms", Some("NumericTermsAggregator")) => "LongRareTermsAggregator".to_owned(),
            ("significant_terms", Some(class @ ("MapStringTermsAggregator" | "NumericTermsAggregator"))) => {
                class.to_owned()
            }
            ("rare_terms" | "significant_terms", _) | (_, None) => class_of(self.type_name),
            (_, Some(class)) => class.to_owned(),
        };
        let profile = AggProfile {
            type_name: class,
            description: self.name.clone(),
            breakdown: self.breakdown.clone(),
            debug: self.debug(),
            children,
            global: self.global,
            asked: self.asked.clone(),
            fetch: self
                .fetch
                .clone()
                .map(|fetch| FetchProfile { name: Some(format!("top_hits_aggregation[{}]", self.name)), ..fetch }),
        };
        Some((self.place, profile))
    }
}

fn silence(profile: &mut AggProfile) {
    profile.debug.clear();
    profile.children.iter_mut().for_each(silence);
}

impl Aggs {
    /// Enters what is asked as aggregators are made, those over all documents among them.
    pub(crate) fn enter_made(&self, cx: &ShardContext, weights: [&WeightContext; 2]) -> Result<()> {
        enter_made(&self.0, cx, weights)
    }

    /// Whether aggregations over matches look at their scores.
    pub(crate) fn needs_scores(&self) -> bool {
        self.0.iter().any(|agg| !agg.kind.is_global() && agg.needs_scores())
    }

    /// Calls `visit` with those over matches, or with what is below each of those over all documents.
    pub(crate) fn each_level(&self, of_all: bool, visit: &mut dyn FnMut(&Level) -> Result<()>) -> Result<()> {
        match of_all {
            false => visit(&self.0),
            true => self.0.iter().filter(|agg| agg.kind.is_global()).try_for_each(|agg| visit(&agg.subs)),
        }
    }

    /// The same of those over all documents.
    pub(crate) fn needs_scores_of_all(&self) -> bool {
        self.0.iter().any(|agg| agg.kind.is_global() && agg.needs_scores())
    }
}

impl Level {
    /// Whether one of them, at any depth, looks at the scores of documents.
    pub(crate) fn needs_scores(&self) -> bool {
        self.aggs.iter().any(Agg::needs_scores)
    }
}

impl Level {
    /// Whether one of them, at any depth, combines the values of a document.
    pub(crate) fn multiplies(&self) -> bool {
        self.aggs.iter().any(|agg| agg.kind.multiplies() || agg.subs.multiplies())
    }

    /// Whether one of them, at any depth, may refuse a document.
    pub(crate) fn may_fail(&self) -> bool {
        self.aggs.iter().any(|agg| agg.kind.may_fail() || agg.subs.may_fail())
    }
}

impl Agg {
    /// Whether it, or one of those below it, looks at the scores of documents.
    pub(crate) fn needs_scores(&self) -> bool {
        self.kind.needs_scores() || self.subs.needs_scores()
    }
}

/// The class of ranges of a field that no mapping knows.
pub(crate) const UNMAPPED_RANGES: &str = "RangeAggregator.Unmapped";

/// Aggregations that the reference counts by ranges of values where it can. To find out it asks the search's query anew, for
/// each segment, and what that query is made of stands in the profile once more.
const BY_RANGES: &[&str] =
    &["auto_date_histogram", "composite", "date_histogram", "date_range", "geo_distance", "range"];

/// Aggregations that go over to other documents.
const OTHER_DOCS: &[&str] = &["children", "nested", "parent", "reverse_nested"];

/// What aggregations ask beside the search's query, which their profile shows.
pub(crate) struct AskedBeside<'a> {
    pub(crate) cx: &'a ShardContext,
    pub(crate) weights: &'a WeightContext<'a>,
    /// The same for what is only asked for the number of its matches.
    pub(crate) counting: &'a WeightContext<'a>,
    pub(crate) rewriting: Rewriting,
    /// What finds the documents that are collected: the search's query as it is run, or all.
    pub(crate) plan: &'a Plan,
    /// The search's query, which is what kinds in [`BY_RANGES`] ask even where they see all documents.
    pub(crate) searched: &'a Plan,
    /// The same as it is shown, without what keeps it from being scored.
    pub(crate) scored: &'a Plan,
}

/// Enters what is asked as aggregators are made, all of them before the search begins.
/// `weights` stand aside or are searched with.
fn enter_made(aggs: &[Agg], cx: &ShardContext, weights: [&WeightContext; 2]) -> Result<()> {
    let [aside, counting] = weights;
    for agg in aggs {
        agg.kind.made_with(cx)?.iter().try_for_each(|plan| plan.weight(aside, false, 1.0).map(drop))?;
        for plan in agg.kind.counted_with(cx)?.into_iter().flat_map(|plan| count_searches(plan, &cx.snapshot)) {
            plan.weight(counting, false, 1.0)?;
            if let Some(profiler) = &counting.profiler {
                let mut rewriting = Rewriting::new(profiler);
                cx.snapshot.segments.iter().try_for_each(|view| rewriting.enter(&plan, view, false))?;
            }
        }
        enter_made(&agg.subs, cx, weights)?;
    }
    Ok(())
}

impl AskedBeside<'_> {
    /// Enters what is asked when a segment is begun with.
    /// Those at the top have nothing above them but the search.
    pub(crate) fn enter(&mut self, aggs: &Level, view: &SegmentView, is_first: bool, is_top: bool) -> Result<()> {
        for agg in in_place(aggs) {
            if agg.kind.is_global() {
                continue;
            }
            let by_ranges = BY_RANGES.contains(&agg.type_name) && agg.kind.class(self.cx) != Some(UNMAPPED_RANGES);
            if by_ranges && !agg.kind.is_over_ranges(self.cx) {
                self.searched.bind(self.counting, false, 1.0)?;
            }
            if is_top && agg.kind.asks_anew(self.cx, view) {
                self.searched.bind(self.weights, true, 1.0)?;
                self.rewriting.enter(self.searched, view, true)?;
            }
            if !self.defers(agg) {
                self.enter(&agg.subs, view, is_first, false)?;
            }
            // What is joined is gone through once it is known.
            if matches!(agg.type_name, "children" | "parent") {
                self.enter(&agg.subs, view, false, false)?;
            }
            self.enter_filters(agg, view, is_first)?;
        }
        Ok(())
    }

    fn defers(&self, agg: &Agg) -> bool {
        !agg.subs.is_empty() && !scores_at_once(agg) && agg.kind.defers(self.cx)
    }

    fn enter_filters(&mut self, agg: &Agg, view: &SegmentView, is_first: bool) -> Result<()> {
        if !matches!(agg.type_name, "adjacency_matrix" | "filter" | "filters") {
            return Ok(());
        }
        let queries = agg.kind.queries();
        // Errors are those of the aggregation, not of the search's query.
        queries.iter().try_for_each(|query| query.bare_plan(self.cx).map(drop))?;
        // What finds the documents of a matrix is made before anything is timed.
        if is_first && agg.type_name != "adjacency_matrix" {
            queries.iter().try_for_each(|query| self.enter_filter(query))?;
        }
        queries.iter().try_for_each(|query| self.rewriting.enter_asked(&query.shard_plan(self.cx)?, view))
    }

    fn enter_filter(&mut self, query: &Query) -> Result<()> {
        let first = self.entered();
        let plan = query.shard_plan(self.cx)?;
        let shown = query.shown(plan.clone(), true);
        let mut weight = shown.weight(self.weights, false, 1.0)?;
        let segments = &self.cx.snapshot.segments;
        let parts: Vec<Vec<bool>> = segments.iter().map(|view| self.rewriting.asked_parts(&shown, view)).collect();
        let count = self.entered() - first;
        if let Some(profiler) = self.weights.profiler.as_ref().filter(|_| parts.iter().all(|one| one.len() == count)) {
            let asked: Vec<bool> = (0..count).map(|at| parts.iter().any(|one| one[at])).collect();
            profiler.note_asked(first, &asked);
            return Ok(());
        }
        if segments.iter().any(|view| self.rewriting.asks_all_of(&plan, view)) {
            return Ok(());
        }
        // Scorers tell which parts are never come to; that there are none makes them cheap.
        segments.iter().try_for_each(|view| weight.scorer(view).map(drop))?;
        if let Some(profiler) = &self.weights.profiler {
            profiler.note_unasked(first);
        }
        Ok(())
    }

    /// Enters what is asked for aggregations that waited for the end of the search.
    pub(crate) fn enter_deferred(&mut self, aggs: &Level) -> Result<()> {
        let found = self.plan;
        self.enter_deferred_of(aggs, found, true)
    }

    /// The same of those that stand below `found`, and see some of its documents if they see the `same` ones
    /// as the search: nested ones, parents, children come from any of it.
    fn enter_deferred_of(&mut self, aggs: &Level, found: &Plan, same: bool) -> Result<()> {
        for agg in in_place(aggs) {
            if agg.kind.is_global() || agg.kind.leads_nowhere(self.cx) {
                continue;
            }
            if self.defers(agg) {
                let fewer = if same { self.collected(agg, found) } else { None };
                self.enter_again(agg, fewer.as_ref().unwrap_or(found))?;
            }
            let same = same && !OTHER_DOCS.contains(&agg.type_name);
            let fewer = if same { self.below(agg, found)? } else { None };
            self.enter_deferred_of(&agg.subs, fewer.as_ref().unwrap_or(found), same)?;
        }
        Ok(())
    }

    /// What finds the documents of `found` that come to a bucket by their values.
    fn collected(&self, agg: &Agg, found: &Plan) -> Option<Plan> {
        let collected = agg.kind.collected()?.bare_plan(self.cx).ok()?;
        let both = BoolPlan { filter: vec![found.clone(), collected], ..BoolPlan::default() };
        Some(Plan::Bool(both).simplify())
    }

    /// What finds the documents of `found` that come to a bucket of `agg`, where its queries tell.
    fn below(&self, agg: &Agg, found: &Plan) -> Result<Option<Plan>> {
        if agg.subs.is_empty() || agg.kind.collects_others() || agg.subs.iter().all(|sub| !self.waits_within(sub)) {
            return Ok(None);
        }
        let queries = agg.kind.queries();
        if queries.is_empty() || !matches!(agg.type_name, "adjacency_matrix" | "filter" | "filters") {
            return Ok(None);
        }
        let any = queries.iter().map(|query| query.bare_plan(self.cx)).collect::<Result<Vec<Plan>>>()?;
        let any = BoolPlan { should: any, minimum_should_match: 1, ..BoolPlan::default() };
        let both = BoolPlan { filter: vec![found.clone(), Plan::Bool(any)], ..BoolPlan::default() };
        Ok(Some(Plan::Bool(both).simplify()))
    }

    /// Whether it, or what is below it and sees the same documents, waits.
    fn waits_within(&self, agg: &Agg) -> bool {
        let same = !OTHER_DOCS.contains(&agg.type_name);
        self.defers(agg) || (same && agg.subs.iter().any(|sub| self.waits_within(sub)))
    }

    fn enter_again(&mut self, agg: &Agg, found: &Plan) -> Result<()> {
        let samples = matches!(agg.type_name, "sampler" | "diversified_sampler");
        // Samples bring their scores along, others are scored anew.
        let scores = !samples && agg.subs.needs_scores();
        let (first, mut any) = (self.entered(), false);
        if scores {
            self.scored.weight(self.weights, true, 1.0)?;
        }
        let mut finding = found.weight(&self.cx.weighing(), false, 1.0)?;
        for (at, view) in self.cx.snapshot.segments.iter().enumerate() {
            // Only segments where something was found are gone through again; for samples, all of them.
            let has_docs = finding.scorer(view)?.is_some_and(|scorer| scorer.doc() != NO_MORE_DOCS);
            if !has_docs && !samples {
                continue;
            }
            any |= has_docs;
            self.enter(&agg.subs, view, at == 0, false)?;
            if samples {
                self.enter(&agg.subs, view, false, false)?;
            }
            if scores {
                self.rewriting.enter(self.plan, view, true)?;
            }
        }
        if let Some(profiler) = self.weights.profiler.as_ref().filter(|_| !any) {
            profiler.note_unasked(first);
        }
        Ok(())
    }

    /// How many queries the profile has.
    fn entered(&self) -> usize {
        self.weights.profiler.as_ref().map_or(0, QueryProfiler::entered)
    }
}

/// In the request's order.
pub(crate) fn in_place(aggs: &Level) -> Vec<&Agg> {
    let mut sorted: Vec<&Agg> = aggs.iter().collect();
    sorted.sort_by_key(|agg| agg.place);
    sorted
}

/// Whether what stands below terms sees documents at once: their scores cannot be worked out again where they are nested.
fn scores_at_once(agg: &Agg) -> bool {
    let of_terms = matches!(agg.type_name, "terms" | "multi_terms" | "significant_terms" | "significant_text");
    of_terms && agg.nested_in.is_some() && agg.subs.needs_scores()
}

/// What `make` makes of each of them, in their own order. They are made in the request's order, by which errors come; a late error
/// comes after those of what stands beside it.
pub(crate) fn made_in_place<T>(aggs: &Level, mut make: impl FnMut(&Agg) -> Result<T>) -> Result<Vec<T>> {
    let mut order: Vec<usize> = (0..aggs.len()).collect();
    order.sort_by_key(|at| aggs[*at].place);
    let mut made: Vec<Option<T>> = aggs.iter().map(|_| None).collect();
    let mut late = None;
    for at in order {
        match make(&aggs[at]) {
            Ok(one) => made[at] = Some(one),
            Err(error) if error.is_late() => late = late.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    late.map_or_else(|| Ok(made.into_iter().flatten().collect()), Err)
}

/// Profiles of aggregations that stand beside each other, in the request's order.
pub(crate) fn in_order(mut profiles: Vec<(u32, AggProfile)>) -> Vec<AggProfile> {
    profiles.sort_by_key(|(place, _)| *place);
    profiles.into_iter().map(|(_, profile)| profile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_by_type() {
        let classes = ["avg", "extended_stats", "ip_range", "multi_terms"].map(class_of);
        let expected = ["AvgAggregator", "ExtendedStatsAggregator", "BinaryRangeAggregator", "MultiTermsAggregator"];
        assert_eq!(classes, expected);
    }
}
