//! Queries that a search asks beside its own: filters, and those of aggregations. Profiles show what is asked, in what order.

use super::approximated::filtering_when_enough;
use super::counted_beforehand::knows_count;
use super::fetch::views_of;
use super::profiling::{Profiling, wants_best};
use super::request::{SearchRequest, TotalHits};
use super::result::ShardHit;
use super::shard_search::{ShardSearch, collector, shown};
use super::sort_parse::Sort;
use crate::aggs::{Aggs, AskedBeside, Collector};
use crate::error::Result;
use crate::profile::QueryProfiler;
use crate::query::{ShardContext, Weight, match_all};
use crate::score::{Plan, Rewriting, WeightContext};
use std::sync::Arc;

/// The weight of the filter on hits, or why it grows too large, which shows once the aggregations are made.
pub fn post_filter(
    request: &SearchRequest,
    cx: &ShardContext,
    scrolls: bool,
    weights: &WeightContext,
) -> Result<Result<Option<Weight>>> {
    let Some(query) = &request.post_filter else { return Ok(Ok(None)) };
    let beside = WeightContext { keeps_boosts: true, ..beside(cx, weights, weights.profiler.clone()) };
    let made = query.shard_plan(cx).and_then(|plan| {
        let plan = filtering_when_enough(request, cx, scrolls, plan);
        query.weight_of(plan, &beside, false)
    });
    match made {
        Err(error) if !error.is_of_rewriting() => Err(error),
        made => Ok(made.map(Some)),
    }
}

/// What collects the aggregations of a search, those among them that see more than its matches no more than they may; or what is wrong
/// with them that shows once all else is made.
pub fn aggs(
    request: &Arc<SearchRequest>,
    cx: &ShardContext,
    weights: &WeightContext,
) -> Result<Result<Option<Collector>>> {
    let mut aggs = match collector(request, cx) {
        Ok(Some(aggs)) => aggs,
        Err(error) if !error.is_late() => return Err(error),
        other => return Ok(other),
    };
    if let Some(query) = request.restriction.as_ref().filter(|_| aggs.needs_global()) {
        aggs.restrict(query.weight_in(cx, &beside(cx, weights, None), false)?);
    }
    Ok(Ok(Some(aggs)))
}

/// For queries that go by statistics of their own.
fn beside<'a>(cx: &'a ShardContext, weights: &WeightContext, profiler: Option<QueryProfiler>) -> WeightContext<'a> {
    let own = WeightContext::new(&cx.snapshot, cx.mapping.similarities());
    WeightContext { faults: weights.faults.clone(), profiler, ..own }
}

/// Enters into the profile what is asked beside the search's query, in the order in which the reference comes to it: what its
/// parts become in each segment, filters, and queries of aggregations.
pub fn enter(
    request: &SearchRequest,
    cx: &ShardContext,
    plan: &Plan,
    weights: &WeightContext,
    profiling: &mut Profiling,
) -> Result<()> {
    if request.size == 0 && request.total_hits == TotalHits::Exact && !knows_count(request, cx, plan) {
        profiling.counts_hits();
    }
    let of_aggs = |needs: fn(&Aggs) -> bool| request.aggs.as_deref().is_some_and(needs);
    let scores = request.needs_scores() || of_aggs(Aggs::needs_scores);
    let scores_of_all = of_aggs(Aggs::needs_scores_of_all);
    let all = match_all().root_plan(cx)?;
    let scored = shown(request, plan, true);
    let post_filter = request.post_filter.as_ref().map(|query| query.shard_plan(cx)).transpose()?;
    // What finds the nested documents that hits are sorted by is made anew for each segment.
    let nested = request.sort.iter().filter(|_| request.size > 0).filter_map(Sort::nested);
    let sorted_by = nested.map(|nested| nested.shown_plan(cx)).collect::<Result<Vec<Plan>>>()?;
    if let (Some(profiler), Some(aggs)) = (&weights.profiler, &request.aggs) {
        let [aside, counting] =
            [profiler.aside(), profiler.clone()].map(|profiler| beside(cx, weights, Some(profiler)));
        aggs.enter_made(cx, [&aside, &counting])?;
    }
    for (profiler, of_all) in [(weights.profiler.clone(), false), (Some(profiling.of_all()), true)] {
        let Some(profiler) = profiler else { continue };
        let weights = WeightContext {
            faults: weights.faults.clone(),
            profiler: Some(profiler.aside()),
            ..WeightContext::new(&cx.snapshot, cx.mapping.similarities())
        };
        let counting = WeightContext {
            faults: weights.faults.clone(),
            profiler: Some(profiler.clone()),
            ..WeightContext::new(&cx.snapshot, cx.mapping.similarities())
        };
        let rewriting = Rewriting::new(&profiler).for_best(!of_all && wants_best(request));
        let searched = plan;
        let plan = if of_all { &all } else { plan };
        let (weights, counting, scored) = (&weights, &counting, &scored);
        let mut asked = AskedBeside { cx, weights, counting, rewriting, plan, searched, scored };
        for (at, view) in cx.snapshot.segments.iter().enumerate() {
            if let Some(filter) = post_filter.as_ref().filter(|_| !of_all) {
                asked.rewriting.enter_asked(filter, view)?;
            }
            for plan in sorted_by.iter().filter(|_| !of_all) {
                plan.weight(weights, false, 1.0)?;
            }
            if let Some(aggs) = &request.aggs {
                aggs.each_level(of_all, &mut |level| asked.enter(level, view, at == 0, !of_all))?;
            }
            if of_all || looks_for_matches(request) {
                asked.rewriting.enter(plan, view, if of_all { scores_of_all } else { scores })?;
            }
        }
        if let Some(aggs) = &request.aggs {
            aggs.each_level(of_all, &mut |level| asked.enter_deferred(level))?;
        }
    }
    Ok(())
}

/// Whether anybody wants to know what matches. The reference is done with a segment before it looks if hits are neither shown nor
/// counted.
fn looks_for_matches(request: &SearchRequest) -> bool {
    let has_aggs = request.aggs.as_ref().is_some_and(|aggs| !aggs.is_empty());
    request.size > 0 || request.total_hits != TotalHits::No || has_aggs || request.terminate_after.is_some()
}

/// Enters the query once more where the scores of sorted hits are wanted: the reference works them out when it fetches the hits,
/// which it does before it makes the profile where one shard alone is asked.
pub fn enter_scores(
    request: &SearchRequest,
    cx: &ShardContext,
    hits: &[ShardHit],
    profiling: &mut Profiling,
) -> Result<()> {
    if !profiling.fetches || request.sort.is_empty() || !request.track_scores || request.collapse.is_some() {
        return Ok(());
    }
    let profiler = profiling.queries().aside();
    let mut rewriting = Rewriting::new(&profiler);
    let weights =
        WeightContext { profiler: Some(profiler), ..WeightContext::new(&cx.snapshot, cx.mapping.similarities()) };
    let plan = ShardSearch::plan(request, cx)?;
    let scored = shown(request, &plan, true);
    scored.weight(&weights, true, 1.0)?;
    views_of(hits, cx).into_iter().try_for_each(|view| rewriting.enter(&scored, view, true))
}

#[cfg(test)]
mod tests {
    use super::super::tests::shard;
    use super::super::{Budget, ShardSearch};
    use super::*;
    use crate::profile::{QueryProfile, SearchProfile};
    use std::sync::Arc;

    fn lines(query: &QueryProfile, depth: usize, out: &mut Vec<String>) {
        out.push(format!("{}{} {}", " ".repeat(depth), query.type_name, query.description));
        query.children.iter().for_each(|child| lines(child, depth + 1, out));
    }

    fn queries(body: &str) -> Vec<String> {
        let mut out = vec![];
        profiles(body).iter().for_each(|query| lines(query, 0, &mut out));
        out
    }

    fn profiles(body: &str) -> Vec<QueryProfile> {
        searches(body).remove(0).queries
    }

    fn searches(body: &str) -> Vec<SearchProfile> {
        let mapping =
            r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"integer"},"t":{"type":"text"},"a":{"type":"ip"}}}"#;
        let docs = [r#"{"k":"ant","n":1,"t":"quick foxes","a":"10.0.0.1"}"#, r#"{"k":"ape","n":2}"#, r#"{"k":"bee"}"#];
        searches_of(mapping, &docs, body)
    }

    fn searches_of(mapping: &str, docs: &[&str], body: &str) -> Vec<SearchProfile> {
        let mut cx = shard(mapping, &[docs]);
        cx.profile = Some(|| 0);
        let request = Arc::new(SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap());
        let mut search = ShardSearch::new(&request, cx).unwrap();
        search.run(&Budget::unlimited()).unwrap();
        search.finish().unwrap().profile.unwrap().searches
    }

    #[test]
    fn few_terms_of_a_segment_are_asked_for_one_by_one() {
        let asked = queries(r#"{"query":{"prefix":{"k":"a"}}}"#);
        let expected = [
            "MultiTermQueryConstantScoreBlendedWrapper k:a*",
            "BooleanQuery k:ant k:ape",
            " TermQuery k:ant",
            " TermQuery k:ape",
        ];
        assert_eq!(asked, expected);
        assert_eq!(queries(r#"{"query":{"prefix":{"k":"b"}}}"#)[1..], ["TermQuery k:bee"]);
        assert_eq!(queries(r#"{"query":{"prefix":{"k":"c"}}}"#).len(), 1);
    }

    /// All aggregators are made before the search begins, those over all documents too, and whether or not anything is found.
    #[test]
    fn backgrounds_are_counted_as_aggregators_are_made() {
        let below = r#"{"significant_terms":{"field":"k","background_filter":{"term":{"k":"ant"}}}}"#;
        let body = format!(
            r#"{{"size":0,"query":{{"term":{{"k":"nosuch"}}}},"aggs":{{"g":{{"global":{{}},"aggs":{{"s":{below}}}}}}}}}"#
        );
        let told = searches(&body).into_iter().map(|search| search.queries);
        let told: Vec<Vec<String>> =
            told.map(|queries| queries.into_iter().map(|query| query.description).collect()).collect();
        assert_eq!(told[0], ["ConstantScore(k:nosuch)", "ConstantScore(k:ant)"]);
        assert_eq!(told[1][0], "ConstantScore(*:*)");
    }

    /// Of two terms each is counted, and then what has one of them, if neither is nowhere.
    #[test]
    fn two_terms_of_a_background_are_counted_one_by_one() {
        let counted = |other: &str| {
            let terms = format!(r#"{{"should":[{{"term":{{"k":"ant"}}}},{{"term":{{"k":"{other}"}}}}]}}"#);
            let agg = format!(r#"{{"significant_terms":{{"field":"k","background_filter":{{"bool":{terms}}}}}}}"#);
            let asked = profiles(&format!(r#"{{"size":0,"query":{{"term":{{"k":"nosuch"}}}},"aggs":{{"s":{agg}}}}}"#));
            assert!(asked.iter().all(|query| !query.aside));
            asked.into_iter().skip(1).map(|query| query.description).collect::<Vec<_>>()
        };
        assert_eq!(counted("zz"), ["ConstantScore(k:ant)", "ConstantScore(k:zz)"]);
        assert_eq!(counted("ape"), ["ConstantScore(k:ant)", "ConstantScore(k:ape)", "ConstantScore(k:ant k:ape)"]);
    }

    /// Filters below what waits are asked for where a document waited.
    #[test]
    fn what_waits_below_filters_that_find_nothing_asks_for_nothing() {
        let asked = |term: &str, other: bool| {
            let filters = r#"{"m":{"adjacency_matrix":{"filters":{"z":{"prefix":{"k":"a"}}}}}}"#;
            let terms = format!(r#"{{"t":{{"terms":{{"field":"n"}},"aggs":{filters}}}}}"#);
            let above = format!(r#"{{"filters":{{"other_bucket":{other},"filters":[{{"term":{{"k":"{term}"}}}}]}}"#);
            queries(&format!(r#"{{"size":0,"aggs":{{"f":{above},"aggs":{terms}}}}}}}"#))
        };
        let asks = |queries: Vec<String>| queries.iter().any(|query| query.contains("k:ant k:ape"));
        assert!(asks(asked("ant", false)) && asks(asked("zz", true)));
        assert!(!asks(asked("zz", false)));
    }

    #[test]
    fn phrases_whose_words_come_again_or_after_a_gap() {
        let mapping = r#"{"properties":{"e":{"type":"text","analyzer":"english"},"o":{"type":"match_only_text"}}}"#;
        let docs = [r#"{"e":"quick foxes","o":"a b a"}"#];
        let asked = |query: &str| {
            let mut out = vec![];
            let searches = searches_of(mapping, &docs, &format!(r#"{{"query":{query}}}"#));
            searches[0].queries.iter().for_each(|query| lines(query, 0, &mut out));
            out
        };
        let gap = asked(r#"{"match_phrase_prefix":{"e":"of quick f"}}"#);
        assert_eq!(gap, [r#"MultiPhraseQuery e:"quick fox""#]);
        let again = asked(r#"{"match_phrase":{"o":"a b a"}}"#);
        assert_eq!(again[1..], [" TermQuery o:a", " TermQuery o:b"]);
    }

    #[test]
    fn what_a_rewrite_makes_of_patterns() {
        let asked = queries(r#"{"query":{"prefix":{"k":{"value":"b","rewrite":"constant_score"}}}}"#);
        assert_eq!(asked, ["MultiTermQueryConstantScoreWrapper k:b*", "TermQuery k:bee"]);
        let asked = queries(r#"{"query":{"prefix":{"k":{"value":"b","rewrite":"constant_score_blended"}}}}"#);
        assert_eq!(asked[0], "MultiTermQueryConstantScoreBlendedWrapper k:b*");
    }

    #[test]
    fn phrases_whose_last_word_is_not_there() {
        let kept = "MatchNoDocsWithoutRewriteQuery(No terms supplied for org.opensearch.common.lucene.search.MultiPhrasePrefixQuery)";
        let expected = [
            format!("BooleanQuery +t:quick +{kept}"),
            " TermQuery t:quick".to_owned(),
            format!(" MatchNoDocsWithoutRewriteQuery {kept}"),
        ];
        assert_eq!(queries(r#"{"query":{"match_phrase_prefix":{"t":"quick zz"}}}"#), expected);
        assert_eq!(
            queries(r#"{"query":{"match_phrase_prefix":{"t":"quick foxes zz"}}}"#)[1],
            " MultiPhraseQuery t:\"quick foxes\""
        );
    }

    #[test]
    fn functions_ask_their_filters_unless_all_matches_count() {
        let function = r#"{"function_score":{"query":{"term":{"k":"ant"}},"functions":[{"weight":2,"filter":{"prefix":{"k":"b"}}}]}}"#;
        let asked = |rest: &str| queries(&format!(r#"{{"query":{function}{rest}}}"#));
        assert_eq!(asked("").last().map(String::as_str), Some("TermQuery k:bee"));
        assert_eq!(asked(r#","sort":["n"]"#).last().map(String::as_str), Some("TermQuery k:bee"));
        assert!(!asked(r#","sort":["n"],"track_total_hits":true"#).contains(&"TermQuery k:bee".to_owned()));
    }

    #[test]
    fn patterns_are_looked_for_when_it_comes_to_documents_and_sets_before() {
        let both =
            |first: &str| queries(&format!(r#"{{"query":{{"bool":{{"must":[{first},{{"prefix":{{"k":"b"}}}}]}}}}}}"#));
        assert_eq!(both(r#"{"prefix":{"k":"zz"}}"#).last().map(String::as_str), Some("TermQuery k:bee"));
        assert!(both(r#"{"terms":{"k":["zz","zy"]}}"#).iter().all(|line| !line.starts_with("TermQuery")));
        // Spans are looked for before as well.
        assert!(both(r#"{"span_term":{"t":"zz"}}"#).iter().all(|line| !line.starts_with("TermQuery")));
        assert_eq!(both(r#"{"span_term":{"t":"quick"}}"#).last().map(String::as_str), Some("TermQuery k:bee"));
    }

    #[test]
    fn parts_that_are_never_come_to_are_shown_as_by_slices() {
        let bool = r#"{"bool":{"must":[{"match_phrase":{"t":"no such"}}],"should":[{"exists":{"field":"k"}}]}}"#;
        let asked = profiles(&format!(r#"{{"size":0,"aggs":{{"f":{{"filter":{bool}}}}}}}"#));
        let parts: Vec<bool> = asked[1].children.iter().map(|query| query.aside).collect();
        assert_eq!((asked[1].aside, parts), (true, vec![true, false]));
        // What stands before the part that ends it is asked, and this part too.
        let asked = profiles(
            r#"{"size":0,"aggs":{"f":{"filter":{"bool":{"should":[{"term":{"k":"ant"}},{"bool":{"must":[{"term":{"k":"bee"}},{"match_phrase_prefix":{"t":"quick zz"}},{"term":{"n":1}}]}}],"must_not":[{"match_phrase":{"t":"no such"}}]}}}}}"#,
        );
        let mut parts = vec![];
        asides(&asked[1], &mut parts);
        assert_eq!(parts, [true, true, true, true, true, true, true, true, true, false]);
    }

    fn asides(query: &QueryProfile, out: &mut Vec<bool>) {
        out.push(query.aside);
        query.children.iter().for_each(|child| asides(child, out));
    }

    #[test]
    fn nothing_is_looked_for_where_nothing_is_shown_or_counted() {
        let asked = |rest: &str| queries(&format!(r#"{{"query":{{"prefix":{{"k":"b"}}}},"size":0{rest}}}"#));
        assert_eq!(asked("").last().map(String::as_str), Some("TermQuery k:bee"));
        assert!(!asked(r#","track_total_hits":false"#).contains(&"TermQuery k:bee".to_owned()));
    }

    #[test]
    fn samples_without_documents_ask_like_others() {
        let asked = |query: &str| {
            queries(&format!(
                r#"{{"size":0,"query":{{"bool":{{"must":[{{"prefix":{{"k":"{query}"}}}},{{"exists":{{"field":"n"}}}}]}}}},"aggs":{{"s":{{"sampler":{{}},"aggs":{{"r":{{"range":{{"field":"n","ranges":[{{"to":2}}]}}}}}}}}}}}}"#
            ))
            .iter()
            .filter(|line| line.starts_with("MultiTerm"))
            .count()
        };
        assert_eq!((asked("a"), asked("zz")), (2, 2));
    }

    #[test]
    fn a_prefix_at_the_end_of_a_phrase_makes_it_one_of_many_terms() {
        let asked = queries(r#"{"query":{"match_phrase_prefix":{"t":"quick fo"}}}"#);
        assert_eq!(asked, [r#"MultiPhraseQuery t:"quick foxes""#]);
        assert_eq!(queries(r#"{"query":{"match_phrase":{"t":"quick foxes"}}}"#), [r#"PhraseQuery t:"quick foxes""#]);
    }

    #[test]
    fn top_hits_find_nested_documents_anew_in_each_bucket() {
        let mapping =
            r#"{"properties":{"k":{"type":"keyword"},"o":{"type":"nested","properties":{"n":{"type":"integer"}}}}}"#;
        let docs = [r#"{"k":"a","o":{"n":1}}"#, r#"{"k":"b","o":{"n":2}}"#, r#"{"k":"a"}"#];
        let top = r#"{"top_hits":{"size":1,"sort":[{"o.n":{"nested":{"path":"o"}}}]}}"#;
        let asked = |aggs: &str| {
            let body = format!(r#"{{"size":0,"aggs":{{"x":{aggs}}}}}"#);
            let searches = searches_of(mapping, &docs, &body);
            searches[0].queries.iter().filter(|query| query.description == "_nested_path:o").count()
        };
        assert_eq!(asked(top), 1);
        assert_eq!(asked(&format!(r#"{{"terms":{{"field":"k"}},"aggs":{{"t":{top}}}}}"#)), 2);
        assert_eq!(asked(&format!(r#"{{"filter":{{"term":{{"k":"c"}}}},"aggs":{{"t":{top}}}}}"#)), 0);
    }

    #[test]
    fn nothing_waits_for_buckets_of_no_field() {
        let asked = |kind: &str, field: &str| {
            let body =
                format!(r#"{{"aggs":{{"x":{{"{kind}":{{"field":"{field}"}},"aggs":{{"t":{{"top_hits":{{}}}}}}}}}}}}"#);
            queries(&body)
        };
        for kind in ["terms", "rare_terms", "significant_terms"] {
            assert_eq!(asked(kind, "none"), ["MatchAllDocsQuery *:*"], "{kind}");
        }
        assert_eq!(asked("rare_terms", "k").len(), 2);
    }

    #[test]
    fn nested_documents_to_sort_by_are_found_anew() {
        let mapping = r#"{"properties":{"o":{"type":"nested","properties":{"k":{"type":"keyword"},
            "p":{"type":"nested","properties":{"n":{"type":"integer"}}}}}}}"#;
        let docs = [r#"{"o":[{"k":"a","p":[{"n":1},{"n":2}]},{"k":"b","p":{"n":3}}]}"#];
        let asked = |nested: &str| {
            let body = format!(r#"{{"sort":[{{"o.p.n":{{"nested":{nested}}}}}]}}"#);
            let mut out = vec![];
            searches_of(mapping, &docs, &body)[0].queries.iter().skip(1).for_each(|query| lines(query, 0, &mut out));
            out
        };
        assert_eq!(asked(r#"{"path":"o.p"}"#), ["TermQuery _nested_path:o.p"]);
        let inner = |filter: &str| asked(&format!(r#"{{"path":"o"{filter},"nested":{{"path":"o.p"}}}}"#));
        let expected = [
            "BooleanQuery +_nested_path:o.p #ToChildBlockJoinQuery (_nested_path:o)",
            " TermQuery _nested_path:o.p",
            " ToChildBlockJoinQuery ToChildBlockJoinQuery (_nested_path:o)",
        ];
        assert_eq!(inner(""), expected);
        let expected = [
            "BooleanQuery +_nested_path:o.p #ToChildBlockJoinQuery (ConstantScore(o.k:b))",
            " TermQuery _nested_path:o.p",
            " ToChildBlockJoinQuery ToChildBlockJoinQuery (ConstantScore(o.k:b))",
            "  TermQuery o.k:b",
        ];
        assert_eq!(inner(r#","filter":{"term":{"o.k":"b"}}"#), expected);
    }

    #[test]
    fn phrases_of_fields_that_are_searched_as_one_types_take_several_terms() {
        let body = r#"{"query":{"match_phrase":{"y":{"query":"a b","slop":1}}}}"#;
        let searches = searches_of(r#"{"properties":{"y":{"type":"search_as_you_type"}}}"#, &[r#"{"y":"a b"}"#], body);
        let mut out = vec![];
        lines(&searches[0].queries[0], 0, &mut out);
        assert_eq!(out, [r#"MultiPhraseQuery y:"a b"~1"#]);
    }

    #[test]
    fn hits_by_score_first_need_nothing_to_track_the_best() {
        let collector =
            |sort: &str| searches(&format!(r#"{{"sort":{sort},"track_scores":true}}"#)).remove(0).collector.name;
        assert_eq!(collector(r#"["_score","n"]"#), "SimpleFieldCollector");
        assert_eq!(collector(r#"[{"_score":"asc"},"n"]"#), "MultiCollector");
        assert_eq!(collector(r#"["n","_score"]"#), "MultiCollector");
    }

    #[test]
    fn percolations_show_what_they_would_look_for() {
        let mapping = r#"{"properties":{"q":{"type":"percolator"},"k":{"type":"keyword"},"n":{"type":"integer"}}}"#;
        let body = r#"{"query":{"percolate":{"field":"q","document":{"k":"ant","n":5}}}}"#;
        let searches = searches_of(mapping, &[r#"{"q":{"term":{"k":"ant"}}}"#], body);
        let mut out = vec![];
        lines(&searches[0].queries[0], 0, &mut out);
        let id = "q.extracted_terms:[5f 69 64 0 fd fe d7 a6 a7 f8 9d]";
        let term = "q.extracted_terms:k\0ant";
        let range = |end: &str| format!("q.range_field:<ranges:[[{end}] TO [{end}]]>");
        let number = range("b4 5c 67 54 f8 8 b4 7 79 ef 29 b3 80 0 0 5");
        let place = range("cd b0 81 f4 68 20 6 6f 7f ff ff ff ff ff ff fe");
        let covering = format!(
            "CoveringQuery(queries=[{id}, {term}, {number}, {place}], minimumNumberMatch=long(q.minimum_should_match_field))"
        );
        let failed = "q.extraction_result:failed";
        let whole = "PercolateQuery{document_sources={{\"k\":\"ant\",\"n\":5}\n},inner=";
        let expected = [
            format!("PercolateQuery {whole}{{{covering} {failed}}}}}"),
            format!(" CoveringQuery {covering}"),
            format!("  TermQuery {id}"),
            format!("  TermQuery {term}"),
            format!("  RangeFieldQuery {number}"),
            format!("  RangeFieldQuery {place}"),
            format!(" TermQuery {failed}"),
        ];
        assert_eq!(out, expected);
    }

    #[test]
    fn filters_on_hits_run_in_slices_and_rescorers_behind_them() {
        let asked = profiles(r#"{"query":{"term":{"k":"ant"}},"post_filter":{"term":{"k":"bee"}}}"#);
        assert_eq!(asked.iter().map(|query| query.aside).collect::<Vec<_>>(), [false, false]);
        let body = r#"{"query":{"match":{"t":"quick"}},"rescore":{"query":{"rescore_query":{"match":{"t":"fox"}}}}}"#;
        assert_eq!(profiles(body).iter().map(|query| query.aside).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn filters_of_aggregations_stand_behind_the_query() {
        let asked = queries(r#"{"size":0,"aggs":{"f":{"filter":{"term":{"k":"bee"}}}}}"#);
        let expected = [
            "ConstantScoreQuery ConstantScore(*:*)",
            " MatchAllDocsQuery *:*",
            "ConstantScoreQuery ConstantScore(k:bee)",
            " TermQuery k:bee",
        ];
        assert_eq!(asked, expected);
    }

    #[test]
    fn matrices_show_no_filters_and_few_terms_have_the_query_asked_anew() {
        let filters = r#""aggs":{"m":{"adjacency_matrix":{"filters":{"x":{"term":{"k":"bee"}}}}}}"#;
        let shown = |aggs: &str| queries(&format!(r#"{{"size":0,"query":{{"match":{{"t":"quick fox"}}}},{aggs}}}"#));
        let plain = shown(r#""aggs":{}"#).len();
        assert_eq!(shown(filters).len(), plain);
        let counted = |agg: &str| shown(&format!(r#""aggs":{{"c":{agg}}}"#)).len() - plain;
        assert_eq!(counted(r#"{"cardinality":{"field":"k"}}"#), 2);
        assert_eq!(counted(r#"{"cardinality":{"field":"k","missing":"x"}}"#), 0);
        assert_eq!(counted(r#"{"cardinality":{"field":"n"}}"#), 0);
        assert_eq!(counted(r#"{"cardinality":{"field":"a"}}"#), 0);
        assert_eq!(counted(r#"{"filter":{"match_all":{}},"aggs":{"c":{"cardinality":{"field":"k"}}}}"#), 1);
    }

    #[test]
    fn ranges_of_all_documents_ask_the_query_of_the_search() {
        let range = r#""aggs":{"r":{"range":{"field":"n","ranges":[{"to":2}]}}}"#;
        let body =
            format!(r#"{{"size":0,"query":{{"match":{{"t":"quick fox"}}}},"aggs":{{"g":{{"global":{{}},{range}}}}}}}"#);
        let searches = searches(&body);
        let of_all: Vec<&str> = searches[1].queries.iter().map(|query| query.description.as_str()).collect();
        assert_eq!(of_all, ["ConstantScore(*:*)", "t:quick", "t:fox"]);
    }

    #[test]
    fn explained_hits_of_buckets_are_asked_for_one_by_one() {
        let body = r#"{"size":0,"query":{"term":{"k":"ant"}},"aggs":{"t":{"top_hits":{"explain":true}}}}"#;
        let expected = [
            "ConstantScoreQuery ConstantScore(k:ant)",
            " TermQuery k:ant",
            "ConstantScoreQuery ConstantScore(k:ant)",
            " TermQuery k:ant",
        ];
        assert_eq!(queries(body), expected);
        let asked = profiles(body);
        assert_eq!((asked[1].aside, asked[1].children[0].aside), (false, true));
        let all = queries(r#"{"size":0,"aggs":{"t":{"top_hits":{"explain":true,"size":2}}}}"#);
        assert_eq!(all.iter().filter(|query| *query == "MatchAllDocsQuery *:*").count(), 3, "{all:?}");
    }

    /// Functions that a filter chooses tell what they come to by a scorer, if any was chosen.
    #[test]
    fn functions_are_explained_by_a_scorer_if_there_may_be_several() {
        let asked = |functions: &str| {
            let score = format!(r#"{{"query":{{"prefix":{{"k":"a"}}}},"functions":[{functions}]}}"#);
            let asked = queries(&format!(
                r#"{{"size":0,"query":{{"function_score":{score}}},"aggs":{{"t":{{"top_hits":{{"size":1,"explain":true}}}}}}}}"#
            ));
            asked.iter().filter(|query| *query == "BooleanQuery k:ant k:ape").count()
        };
        let of = |term: &str| format!(r#"{{"weight":2,"filter":{{"term":{{"k":"{term}"}}}}}}"#);
        let weight = r#"{"weight":2}"#;
        let alone = asked("");
        assert!(alone > 0);
        assert_eq!([asked(weight), asked(&of("zz"))], [alone; 2]);
        assert_eq!([asked(&of("ant")), asked(&format!("{weight},{weight}"))], [alone + 1; 2]);
    }

    #[test]
    fn ranges_within_others_are_what_the_values_make_of_them() {
        let within =
            |range: &str| queries(&format!(r#"{{"query":{{"bool":{{"must":[{{"range":{{"n":{range}}}}}]}}}}}}"#));
        assert_eq!(within(r#"{"gte":3}"#), [r#"MatchNoDocsQuery MatchNoDocsQuery("")"#]);
        let exists = "IndexOrDocValuesQuery IndexOrDocValuesQuery(indexQuery=FieldExistsQuery [field=n], dvQuery=n:[1 TO 2147483647])";
        assert_eq!(within(r#"{"gte":1}"#), [exists]);
        let some =
            "IndexOrDocValuesQuery IndexOrDocValuesQuery(indexQuery=n:[2 TO 2147483647], dvQuery=n:[2 TO 2147483647])";
        assert_eq!(within(r#"{"gte":2}"#), [some]);
    }
}
