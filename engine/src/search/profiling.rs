//! A search that writes down where its time goes: queries by their weights, the rest by what is left of each stretch.

use super::request::{SearchRequest, TotalHits};
use super::sort_parse::SortBy;
use crate::aggs::Aggs;
use crate::java_order::sort_by_slot;
use crate::profile::{
    AggProfile, Breakdown, Clock, CollectorProfile, FetchProfile, QueryProfile, QueryProfiler, SearchProfile,
    ShardProfile, agg_call, call,
};
use crate::query::{Query, ShardContext, SideBySide};
use crate::score::WeightContext;

/// What is written down while a shard is searched.
pub struct Profiling {
    queries: QueryProfiler,
    rewrite_ns: u64,
    clock: Clock,
    started: u64,
    /// In stretches and between them, from the first segment to the last.
    work_ns: u64,
    /// Of that in aggregations that see all documents.
    global_ns: u64,
    /// Documents that such aggregations were shown, and how often they began with a segment.
    global_docs: u64,
    global_segments: u64,
    /// What aggregations that see all documents ask beside.
    of_all: QueryProfiler,
    /// Whether hits that are not wanted are counted one by one.
    counts_hits: bool,
    /// Whether documents may stand within others.
    has_nested: bool,
    /// Whether hits are fetched before the profile is made, since no other shard is asked.
    pub fetches: bool,
    /// What queries had cost when the last document was collected: rescoring comes later.
    found_ns: Option<u64>,
    side_by_side: SideBySide,
}

impl Profiling {
    pub fn new(clock: Clock, cx: &ShardContext, fetches: bool) -> Self {
        Self {
            queries: QueryProfiler::new(clock),
            of_all: QueryProfiler::new(clock),
            counts_hits: false,
            has_nested: cx.mapping.has_nested(),
            fetches,
            rewrite_ns: 0,
            clock,
            started: clock(),
            work_ns: 0,
            global_ns: 0,
            global_docs: 0,
            global_segments: 0,
            found_ns: None,
            side_by_side: cx.limits.side_by_side,
        }
    }

    pub fn now(&self) -> u64 {
        (self.clock)()
    }

    /// The query has its form; gives what is to write down the making of weights.
    pub fn planned(&mut self) -> QueryProfiler {
        self.rewrite_ns = self.now().saturating_sub(self.started);
        self.queries.clone()
    }

    /// What writes down queries.
    pub fn queries(&self) -> QueryProfiler {
        self.queries.clone()
    }

    /// What writes down the queries of aggregations that see all documents.
    pub fn of_all(&self) -> QueryProfiler {
        self.of_all.clone()
    }

    /// Every hit is counted, as the reference does not know their number beforehand.
    pub fn counts_hits(&mut self) {
        self.counts_hits = true;
    }

    pub fn worked_since(&mut self, start: u64) {
        self.work_ns += self.now().saturating_sub(start);
    }

    pub fn showed_all(&mut self, start: u64, docs: u64, is_first: bool) {
        self.global_ns += self.now().saturating_sub(start);
        self.global_docs += docs;
        self.global_segments += u64::from(is_first);
    }

    /// All documents have been collected.
    pub fn collected(&mut self) {
        self.found_ns.get_or_insert(self.queries.found_ns());
    }

    pub fn finish(self, request: &SearchRequest, aggs: Vec<AggProfile>) -> ShardProfile {
        let sliced = is_sliced(request, self.side_by_side);
        let cost_of = |aggs: &[&AggProfile]| aggs.iter().map(|agg| collecting_ns(agg)).sum::<u64>();
        let (global, plain): (Vec<&AggProfile>, Vec<&AggProfile>) = aggs.iter().partition(|agg| agg.global);
        let found = self.found_ns.unwrap_or_else(|| self.queries.found_ns());
        let total = self.work_ns.saturating_sub(found).saturating_sub(self.global_ns);
        let collectors = Collectors {
            request,
            sliced,
            total,
            aggs_ns: cost_of(&plain),
            aggs: names_of(&plain),
            counts_hits: self.counts_hits,
        };
        let mut queries = self.queries.finish();
        plain.iter().for_each(|agg| gather_asked(agg, &mut queries));
        let mut searches = vec![SearchProfile { queries, rewrite_ns: self.rewrite_ns, collector: collectors.tree() }];
        if !global.is_empty() {
            let query_ns = self.global_ns.saturating_sub(cost_of(&global));
            let scored = request.aggs.as_ref().is_some_and(|aggs| aggs.needs_scores_of_all());
            let mut queries =
                vec![all_documents(query_ns, self.global_docs, self.global_segments, scored, self.has_nested)];
            queries.extend(self.of_all.finish());
            global.iter().for_each(|agg| gather_asked(agg, &mut queries));
            searches.push(SearchProfile {
                queries,
                rewrite_ns: 0,
                collector: CollectorProfile {
                    name: agg_collector("GlobalAggCollectorManager", &names_of(&global), sliced),
                    reason: "aggregation_global",
                    ns: cost_of(&global),
                    children: vec![],
                },
            });
        }
        let mut fetch = vec![];
        aggs.iter().for_each(|agg| gather_fetches(agg, &mut fetch));
        // Aggregations over all documents stand behind the others.
        let (global, mut plain): (Vec<AggProfile>, Vec<AggProfile>) = aggs.into_iter().partition(|agg| agg.global);
        plain.extend(global);
        let mut orphans = vec![];
        plain.iter_mut().for_each(|agg| below_composites(agg, &mut orphans));
        if sliced {
            orphans.into_iter().for_each(|orphan| join(&mut plain, orphan));
            in_map_order(&mut plain);
        } else {
            plain.extend(orphans);
        }
        ShardProfile { searches, aggs: plain, fetch, sliced }
    }
}

/// Whether the query is weighed with scores. What aggregations make of scores they work out by themselves, but it shows in a profile.
pub fn weighs_scores(request: &SearchRequest, cx: &ShardContext) -> bool {
    request.needs_scores() || cx.profile.is_some() && request.aggs.as_deref().is_some_and(Aggs::needs_scores)
}

/// What the weights of a search are bound to.
pub fn weighing<'a>(
    request: &SearchRequest,
    cx: &'a ShardContext,
    profiling: Option<&mut Profiling>,
) -> WeightContext<'a> {
    let profiler = profiling.map(Profiling::planned);
    WeightContext { best: profiler.is_some() && wants_best(request), profiler, ..cx.weighing() }
}

/// Whether the first hit is one with the best score.
fn best_first(request: &SearchRequest) -> bool {
    request.sort.first().is_none_or(|sort| sort.by == SortBy::Score && sort.descending)
}

/// Whether the reference leaves out matches that are not among the best: where nothing else wants to see all.
pub fn wants_best(request: &SearchRequest) -> bool {
    let counts_all = request.total_hits == TotalHits::Exact || request.terminate_after.is_some();
    let best_first = best_first(request);
    let seen_by_others = request.aggs.as_ref().is_some_and(|aggs| !aggs.is_empty()) || request.collapse.is_some();
    let scores = request.min_score.is_some() || (request.track_scores && !best_first);
    request.size > 0 && !counts_all && !seen_by_others && !scores
}

/// What aggregations count by.
fn gather_asked(agg: &AggProfile, queries: &mut Vec<QueryProfile>) {
    queries.extend(agg.asked.iter().cloned());
    agg.children.iter().for_each(|child| gather_asked(child, queries));
}

/// What aggregations fetched, those of one name as one.
fn gather_fetches(agg: &AggProfile, fetches: &mut Vec<FetchProfile>) {
    if let Some(fetch) = &agg.fetch {
        fetch.clone().add_to(fetches);
    }
    agg.children.iter().for_each(|child| gather_fetches(child, fetches));
}

/// What stands below a composite has no parent, to the reference's profiles.
fn below_composites(agg: &mut AggProfile, orphans: &mut Vec<AggProfile>) {
    agg.children.iter_mut().for_each(|child| below_composites(child, orphans));
    if agg.type_name == "CompositeAggregator" {
        orphans.append(&mut agg.children);
    }
}

/// Adds a profile to those that stand beside each other. Where segments are searched side by side, the reference takes those of one
/// name for one: it has the kind of the first, and tells of itself what the last does.
fn join(aggs: &mut Vec<AggProfile>, more: AggProfile) {
    let Some(known) = aggs.iter_mut().find(|known| known.description == more.description) else {
        return aggs.push(more);
    };
    known.breakdown.add(&more.breakdown, &[]);
    known.debug = more.debug;
    more.children.into_iter().for_each(|child| join(&mut known.children, child));
}

/// Where segments are searched side by side, the reference puts what was spent together by name, in a hash map.
fn in_map_order(aggs: &mut [AggProfile]) {
    // Within a slot what came last goes first.
    aggs.reverse();
    sort_by_slot(aggs, |agg| &agg.description);
    aggs.iter_mut().for_each(|agg| in_map_order(&mut agg.children));
}

/// Aggregations and some queries have the reference search its segments side by side unless it is told to do so always or never,
/// except where hits are counted up to a bound.
pub(super) fn is_sliced(request: &SearchRequest, when: SideBySide) -> bool {
    let aggs = request.aggs.as_ref().filter(|aggs| !aggs.is_empty());
    let by_query = || when == SideBySide::Always || request.query.as_ref().is_some_and(Query::is_sliced);
    request.terminate_after.is_none()
        && when != SideBySide::Never
        && aggs.map_or_else(by_query, |aggs| aggs.can_be_sliced())
}

fn collecting_ns(agg: &AggProfile) -> u64 {
    let calls = [agg_call::BUILD_LEAF_COLLECTOR, agg_call::COLLECT, agg_call::POST_COLLECTION];
    calls.into_iter().map(|call| agg.breakdown.0[call].ns()).sum()
}

fn names_of(aggs: &[&AggProfile]) -> Vec<String> {
    aggs.iter().map(|agg| agg.description.clone()).collect()
}

/// The query of aggregations that see all documents. `nested`: only of those that stand in no other.
fn all_documents(ns: u64, docs: u64, segments: u64, scored: bool, nested: bool) -> QueryProfile {
    let entry = |type_name: &str, description: &str, children| {
        let breakdown = Breakdown::default();
        breakdown.0[call::CREATE_WEIGHT].add(1, 1);
        breakdown.0[call::BUILD_SCORER].add(segments, segments);
        // The end of each segment is found as well.
        breakdown.0[call::NEXT_DOC].add(docs + segments, ns);
        QueryProfile {
            type_name: type_name.to_owned(),
            description: description.to_owned(),
            breakdown,
            aside: false,
            children,
        }
    };
    let (type_name, text) = match nested {
        true => ("FieldExistsQuery", "FieldExistsQuery [field=_primary_term]"),
        false => ("MatchAllDocsQuery", "*:*"),
    };
    let all = entry(type_name, text, vec![]);
    match scored && !nested {
        true => all,
        false => entry("ConstantScoreQuery", &format!("ConstantScore({text})"), vec![all]),
    }
}

/// What is needed to tell who collected documents, one within the other, in the reference's words.
struct Collectors<'a> {
    request: &'a SearchRequest,
    sliced: bool,
    total: u64,
    aggs_ns: u64,
    /// Names of the aggregations that see matches.
    aggs: Vec<String>,
    counts_hits: bool,
}

impl Collectors<'_> {
    fn tree(&self) -> CollectorProfile {
        let hits_ns = self.total.saturating_sub(self.aggs_ns);
        let within =
            |name: &str, reason, ns, inner| CollectorProfile { name: name.to_owned(), reason, ns, children: inner };
        let (top, reason) = self.top();
        let mut tree = within(top, reason, hits_ns, vec![]);
        if self.request.terminate_after.is_some() {
            tree = within("MultiCollector", "search_terminate_after_count", hits_ns, vec![tree]);
        }
        if self.request.post_filter.is_some() {
            let name = self.either("FilteredCollectorManager", "FilteredCollector");
            tree = within(name, "search_post_filter", hits_ns, vec![tree]);
        }
        if !self.aggs.is_empty() {
            let name = agg_collector("NonGlobalAggCollectorManager", &self.aggs, self.sliced);
            let aggs = within(&name, "aggregation", self.aggs_ns, vec![]);
            let name = self.either("QueryCollectorManager", "MultiCollector");
            tree = within(name, "search_multi", self.total, vec![tree, aggs]);
        }
        if self.request.min_score.is_some() {
            let name = self.either("MinimumCollectorManager", "MinimumScoreCollector");
            tree = within(name, "search_min_score", self.total, vec![tree]);
        }
        tree
    }

    /// What keeps hits, or counts them.
    fn top(&self) -> (&'static str, &'static str) {
        let request = self.request;
        if request.size == 0 && self.counts_hits {
            return (self.either("TotalHitCountCollectorManager", "TotalHitCountCollector"), "search_count");
        }
        if request.size == 0 {
            return (self.either("EarlyTerminatingCollectorManager", "EarlyTerminatingCollector"), "search_count");
        }
        let best_first = best_first(request);
        let by_score = request.sort.len() <= 1 && best_first;
        let name = match () {
            () if request.collapse.is_some() && self.sliced => "CollapsingTopDocsCollectorContext",
            () if request.collapse.is_some() && (best_first || !request.track_scores) => "CollapsingTopDocsCollector",
            () if self.sliced => "SimpleTopDocsCollectorManager",
            () if by_score && request.collapse.is_none() => "TopScoreDocCollector",
            // The best score is that of the first hit where hits are sorted by it.
            () if request.track_scores && !best_first => "MultiCollector",
            () if request.search_after.is_some() => "PagingFieldCollector",
            () => "SimpleFieldCollector",
        };
        (name, "search_top_hits")
    }

    fn either(&self, sliced: &'static str, otherwise: &'static str) -> &'static str {
        if self.sliced { sliced } else { otherwise }
    }
}

/// The collector of some aggregations.
fn agg_collector(manager: &str, names: &[String], sliced: bool) -> String {
    let list = names.join(", ");
    match (sliced, names.len()) {
        (true, 1) => format!("{manager}: [{list}]"),
        (true, _) => format!("{manager}: [[{list}]]"),
        (false, 1) => format!("ProfilingAggregator: [{list}]"),
        (false, _) => format!("MultiBucketCollector: [[{list}]]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tree: &CollectorProfile) -> String {
        let inner: Vec<String> = tree.children.iter().map(names).collect();
        match inner.is_empty() {
            true => tree.reason.to_owned(),
            false => format!("{}({})", tree.reason, inner.join(" ")),
        }
    }

    #[test]
    fn aggregations_stand_as_in_a_hash_map() {
        let named = |name: &str| AggProfile {
            type_name: String::new(),
            description: name.to_owned(),
            breakdown: Breakdown::default(),
            debug: vec![],
            children: vec![],
            global: false,
            asked: vec![],
            fetch: None,
        };
        let mut aggs: Vec<AggProfile> = ["d0", "h1", "b0", "f1"].map(named).into();
        in_map_order(&mut aggs);
        let names: Vec<&str> = aggs.iter().map(|agg| agg.description.as_str()).collect();
        assert_eq!(names, ["h1", "f1", "d0", "b0"]);
    }

    #[test]
    fn slices_follow_the_setting() {
        let modes = [SideBySide::Always, SideBySide::WhereItPays, SideBySide::Never];
        for (body, sliced) in [
            ("{}", [true, false, false]),
            (r#"{"query":{"span_term":{"t":"a"}}}"#, [true, true, false]),
            (r#"{"aggs":{"m":{"max":{"field":"n"}}}}"#, [true, true, false]),
            (r#"{"aggs":{"s":{"sampler":{}}}}"#, [false, false, false]),
            (r#"{"terminate_after":3}"#, [false, false, false]),
        ] {
            let request = SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap();
            assert_eq!(modes.map(|mode| is_sliced(&request, mode)), sliced, "{body}");
        }
    }

    #[test]
    fn collectors_stand_within_each_other() {
        let request = SearchRequest {
            post_filter: Some(crate::query::match_all()),
            min_score: Some(0.1),
            terminate_after: Some(100),
            ..SearchRequest::default()
        };
        let collectors = Collectors {
            request: &request,
            sliced: false,
            total: 10,
            aggs_ns: 4,
            aggs: vec!["a".to_owned()],
            counts_hits: false,
        };
        let tree = collectors.tree();
        assert_eq!(
            names(&tree),
            "search_min_score(search_multi(search_post_filter(search_terminate_after_count(search_top_hits)) aggregation))"
        );
        assert_eq!((tree.ns, tree.children[0].children[0].ns), (10, 6));
    }

    fn profiled(body: &str) -> ShardProfile {
        use super::super::tests::shard;
        use super::super::{Budget, ShardSearch};
        use std::sync::Arc;

        let mapping = r#"{"properties":{"t":{"type":"text"},"n":{"type":"integer"},"d":{"type":"date"}}}"#;
        let mut cx = shard(
            mapping,
            &[&[r#"{"t":"a b","n":1,"d":"2021"}"#, r#"{"t":"a","n":2,"d":"2019"}"#, r#"{"t":"b","n":3}"#]],
        );
        cx.profile = Some(|| 0);
        let request = Arc::new(SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap());
        let mut search = ShardSearch::new(&request, cx).unwrap();
        search.run(&Budget::unlimited()).unwrap();
        *search.finish().unwrap().profile.unwrap()
    }

    #[test]
    fn what_stands_below_a_composite_is_joined_with_what_has_its_name() {
        let body = |rest: &str| {
            format!(
                r#"{{{rest}"aggs":{{"m":{{"max":{{"field":"n"}}}},"c":{{"composite":{{"sources":[{{"n":{{"terms":{{"field":"n"}}}}}}]}},
                "aggs":{{"m":{{"filter":{{"match_all":{{}}}},"aggs":{{"x":{{"min":{{"field":"n"}}}}}}}}}}}}}}}}"#
            )
        };
        let shown = |body: &str| {
            let shown = |agg: &AggProfile| (agg.type_name.clone(), agg.description.clone(), agg.children.len());
            profiled(body).aggs.iter().map(shown).collect::<Vec<_>>()
        };
        let own = |(class, name, children): (&str, &str, usize)| (class.to_owned(), name.to_owned(), children);
        let joined = [("CompositeAggregator", "c", 0), ("MaxAggregator", "m", 1)].map(own);
        assert_eq!(shown(&body("")), joined);
        let apart = [("MaxAggregator", "m", 0), ("CompositeAggregator", "c", 0), ("FilterAggregator", "m", 1)].map(own);
        assert_eq!(shown(&body(r#""terminate_after":100,"#)), apart);
    }

    /// Within others it is what it was made of.
    #[test]
    fn a_range_that_names_the_present_moment_shows_as_it_was_asked_where_it_is_the_whole_query() {
        let range = r#"{"range":{"d":{"gte":"2020","lte":"now+50y"}}}"#;
        let shown = |query: &str| {
            let body = format!(r#"{{"query":{query},"aggs":{{"f":{{"filter":{query}}}}}}}"#);
            let queries = profiled(&body).searches.remove(0).queries;
            queries
                .into_iter()
                .map(|query| query.description.split('(').take(3).collect::<Vec<_>>().join("("))
                .collect::<Vec<_>>()
        };
        let alone = "ApproximateScoreQuery(originalQuery=DateRangeIncludingNowQuery(IndexOrDocValuesQuery";
        assert_eq!(shown(range), [alone; 2]);
        let within = shown(&format!(r#"{{"bool":{{"must":[{range},{{"term":{{"t":"a"}}}}]}}}}"#));
        assert!(within.iter().all(|text| text.starts_with("+IndexOrDocValuesQuery(")), "{within:?}");
    }

    #[test]
    fn queries_and_aggregations_are_written_down() {
        let body = r#"{"query":{"bool":{"must":[{"match":{"t":"a"}}],"must_not":[{"term":{"n":2}}]}},
            "aggs":{"m":{"max":{"field":"n"}}}}"#;
        let profile = profiled(body);
        let query = &profile.searches[0].queries[0];
        let inner: Vec<&str> = query.children.iter().map(|child| child.description.as_str()).collect();
        assert_eq!(query.type_name, "BooleanQuery");
        assert_eq!(inner, ["t:a", "IndexOrDocValuesQuery(indexQuery=n:[2 TO 2], dvQuery=n:[2 TO 2])"]);
        assert_eq!(query.breakdown.0[call::SCORE].count(), 1);
        let agg = &profile.aggs[0];
        assert_eq!((agg.type_name.as_str(), agg.breakdown.0[agg_call::COLLECT].count()), ("MaxAggregator", 1));
        assert!(profile.sliced);
    }

    #[test]
    fn disjunctions_of_patterns_are_not_made_where_intervals_have_no_terms() {
        let body = |word: &str| {
            let both = format!(
                r#"{{"must":{{"prefix":{{"t":"a"}}}},"filter":{{"intervals":{{"t":{{"match":{{"query":"{word}"}}}}}}}}}}"#
            );
            format!(r#"{{"query":{{"bool":{both}}}}}"#)
        };
        let shown = |word: &str| profiled(&body(word)).searches[0].queries.len();
        assert_eq!((shown("nothere"), shown("b")), (1, 2));
    }
}
