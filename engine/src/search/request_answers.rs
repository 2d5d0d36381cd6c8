//! What requests say beside their queries, where Pith once answered otherwise than the reference, with its answers.

use super::check::check_unsearched;
use super::tests::{search, search_for, shard};
use super::*;
use crate::json;

const MAPPING: &str =
    r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword"},"n":{"type":"integer"},"r":{"type":"rank_feature"}}}"#;

fn sample() -> ShardContext {
    let docs = [r#"{"t":"fox","k":"x","n":1,"r":2}"#, r#"{"k":"y","n":9}"#, r#"{"t":"hen","k":"x","n":3}"#];
    shard(MAPPING, &[&docs])
}

fn request(body: &str, params: &[(&str, &str)]) -> crate::Result<SearchRequest> {
    let params: Vec<(String, String)> = params.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    SearchRequest::parse(Some(body.as_bytes()), &params)
}

/// The answer behind its header, or what is refused.
fn answer(body: &str, params: &[(&str, &str)]) -> String {
    let text = search_for(&sample(), request(body, params), &ShardScope::default());
    text.split_once(r#""hits":"#).map_or(text.clone(), |(_, hits)| hits.to_owned())
}

/// As behind an alias for documents of `x`.
fn aliased(body: &str) -> SearchRequest {
    request(body, &[]).unwrap().filtered(&[json::parse(br#"{"term":{"k":"x"}}"#).unwrap()]).unwrap()
}

#[test]
fn behind_an_alias_global_aggregations_see_its_documents_alone() {
    let body = r#"{"size":0,"query":{"term":{"n":1}},"aggs":{"g":{"global":{},"aggs":{"m":{"max":{"field":"n"}}}},"m":{"max":{"field":"n"}}}}"#;
    let text = search_for(&sample(), Ok(aliased(body)), &ShardScope::default());
    let (_, found) = text.split_once(r#""aggregations":"#).unwrap();
    assert_eq!(found, r#"{"g":{"doc_count":2,"m":{"value":3.0}},"m":{"value":1.0}}}"#);
    assert!(answer(body, &[]).contains(r#"{"g":{"doc_count":3,"m":{"value":9.0}}"#));
}

#[test]
fn what_ends_early_does_not_end_global_aggregations() {
    let body = r#"{"size":0,"terminate_after":1,"aggs":{"g":{"global":{}},"m":{"max":{"field":"n"}}}}"#;
    let docs = [r#"{"n":1}"#, r#"{"n":9}"#];
    let cx = shard(MAPPING, &[&docs, &docs]);
    let text = search_for(&cx, request(body, &[]), &ShardScope::default());
    let (_, found) = text.split_once(r#""aggregations":"#).unwrap();
    assert_eq!(found, r#"{"g":{"doc_count":4},"m":{"value":1.0}}}"#);
}

#[test]
fn slices_have_their_part_of_global_aggregations() {
    let docs = [r#"{"n":1}"#; 12];
    let cx = shard(MAPPING, &[&docs]);
    let body = r#"{"size":0,"aggs":{"g":{"global":{}}}}"#;
    let count = |id| {
        let slice = Slice { field: "_id".into(), id, max: 2 };
        let scope = ShardScope { reads: Reads::PointInTime, slice: Some(slice), page_only: false, whole: false };
        let text = search_for(&cx, request(body, &[]), &scope);
        let (_, count) = text.split_once(r#""doc_count":"#).unwrap();
        count.trim_end_matches('}').parse::<u32>().unwrap()
    };
    let parts = [count(0), count(1)];
    assert_eq!(parts[0] + parts[1], 12);
    assert!(parts.iter().all(|part| *part > 0), "{parts:?}");
}

#[test]
fn functions_are_asked_of_the_documents_of_a_slice() {
    let docs = [r#"{"n":1,"t":"a b"}"#, r#"{"n":-1,"t":"a b"}"#, r#"{"n":1,"t":"a c b"}"#];
    let cx = shard(r#"{"properties":{"n":{"type":"long"},"t":{"type":"text"}}}"#, &[&docs]);
    let body =
        r#"{"query":{"function_score":{"query":{"match_phrase":{"t":"a b"}},"field_value_factor":{"field":"n"}}}}"#;
    let found = |id| {
        let slice = Slice { field: "_id".into(), id, max: 8 };
        let scope = ShardScope { reads: Reads::PointInTime, slice: Some(slice), page_only: false, whole: false };
        search_for(&cx, request(body, &[]), &scope)
    };
    let found: Vec<String> = (0..8).map(found).collect();
    let has = |part: &str| found.iter().filter(|text| text.contains(part)).count();
    assert_eq!(has("must not produce negative scores"), 1, "{found:?}");
    assert_eq!((has(r#""total":{"value":1"#), has(r#""total":{"value":0"#)), (1, 6), "{found:?}");
}

#[test]
fn suggestions_alone_search_for_nothing_but_are_checked() {
    let suggest = r#""suggest":{"s":{"text":"fix","term":{"field":"t"}}}"#;
    assert!(aliased(&format!("{{{suggest}}}")).suggests_only());
    // Documents of completions are explained like hits, where there is a search that they can be explained by.
    let explains = |beside: &str| aliased(&format!(r#"{{"explain":true,{suggest}{beside}}}"#)).explains_hits();
    assert!(!explains("") && explains(r#","query":{"match_all":{}},"size":0"#));
    let refused = |beside: &str| {
        let request = request(&format!("{{{suggest},{beside}}}"), &[]).unwrap();
        check_unsearched(&request, &sample(), &ShardScope::default()).unwrap_err().reason().to_owned()
    };
    assert_eq!(
        refused(r#""slice":{"id":0,"max":2}"#),
        "`slice` cannot be used outside of a scroll context or PIT context"
    );
    assert_eq!(refused(r#""search_after":[1]"#), "Sort must contain at least one field.");
    let phrase = refused(r#""rescore":{"query":{"rescore_query":{"match_phrase":{"n":"1 2"}}}}"#);
    assert!(phrase.contains("n"), "{phrase}");
    let unsaid = request("{}", &[("suggest_field", "t"), ("suggest_mode", "always")]).unwrap();
    let mut task = SuggestTask::new(&unsaid.suggest.unwrap(), sample());
    assert_eq!(task.run(&Budget::unlimited()).unwrap_err().reason(), "The required text option is missing");
}

#[test]
fn the_address_adds_to_the_body() {
    let body = r#"{"_source":false,"size":1,"docvalue_fields":["n","k"]}"#;
    let found = r#"{"total":{"value":3,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"i","_id":"1","_score":1.0,"fields":{"n":[1,1],"k":["x"]}}]}}"#;
    assert_eq!(answer(body, &[("docvalue_fields", "n")]), found);
    let sorted = |body: &str, sort: &str| {
        let found = answer(body, &[("sort", sort), ("size", "1"), ("_source", "false")]);
        found.split_once(r#""sort":"#).map(|(_, values)| values.trim_end_matches(['}', ']']).to_owned())
    };
    assert_eq!(sorted(r#"{"sort":["_score"]}"#, "n:desc").as_deref(), Some("[1.0,9"));
    assert_eq!(sorted(r#"{"sort":["_score"]}"#, "_score").as_deref(), Some("[1.0,1.0"));
    assert_eq!(sorted("{}", "_score"), None);
    assert_eq!(sorted(r#"{"sort":[{"n":{"missing":null}}]}"#, "").as_deref(), Some("[1"));
}

#[test]
fn of_lists_of_the_source_the_last_counts() {
    let found = answer(r#"{"size":1,"_source":{"includes":["k"],"include":"n"}}"#, &[]);
    assert!(found.contains(r#""_source":{"n":1}"#), "{found}");
}

#[test]
fn flags_that_are_blank_say_nothing() {
    for name in ["explain", "version", "track_scores", "rest_total_hits_as_int", "include_named_queries_score"] {
        let read = request("{}", &[(name, " ")]).unwrap();
        assert!(!(read.explain || read.version || read.track_scores || read.total_hits_as_int || read.named_scores));
    }
}

#[test]
fn scores_that_no_document_has() {
    for least in ["NaN", "Infinity", " +Infinity"] {
        let found = answer(&format!(r#"{{"min_score":"{least}"}}"#), &[]);
        assert_eq!(found, r#"{"total":{"value":0,"relation":"eq"},"max_score":null,"hits":[]}}"#);
    }
    assert!(answer(r#"{"min_score":"-Infinity","size":0}"#, &[]).contains(r#""value":3"#));
}

#[test]
fn a_time_out_below_nothing_has_passed() {
    let text = search_for(
        &sample(),
        request(r#"{"timeout":"-1s","aggs":{"n":{"max":{"field":"n"}}}}"#, &[]),
        &ShardScope::default(),
    );
    let (_, found) = text.split_once(r#""timed_out":"#).unwrap();
    assert!(found.starts_with("true"), "{found}");
    assert!(found.ends_with(r#""hits":{"total":{"value":0,"relation":"eq"},"max_score":null,"hits":[]},"aggregations":{"n":{"value":null}}}"#), "{found}");
}

#[test]
fn what_bodies_may_not_hold() {
    for (body, reason) in [
        (r#"{"slice":{"field":null}}"#, "[1:19] [slice] field doesn't support values of type: VALUE_NULL"),
        (r#"{"slice":{"field":1}}"#, "[1:19] [slice] field doesn't support values of type: VALUE_NUMBER"),
        (r#"{"slice":{"id":[]}}"#, "[1:16] [slice] id doesn't support values of type: START_ARRAY"),
        (r#"{"slice":{"id":"x"}}"#, "[1:16] [slice] failed to parse field [id]"),
        (r#"{"slice":{"id":2,"max":2}}"#, "[1:24] [slice] failed to parse field [max]"),
        (r#"{"indices_boost":{"i":[1]}}"#, "Unknown key for a START_ARRAY in [i]."),
        (r#"{"indices_boost":{"i":null}}"#, "Unknown key for a VALUE_NULL in [i]."),
        ("  \n", "Expected [START_OBJECT] but found [null]"),
    ] {
        assert_eq!(request(body, &[]).unwrap_err().reason(), reason, "{body}");
    }
    assert_eq!(request(r#"{"size":"1\u0000"}"#, &[]).unwrap().size, 1);
}

#[test]
fn features_are_fractions() {
    let found = answer(r#"{"_source":false,"size":1,"fields":["r"]}"#, &[]);
    assert!(found.contains(r#""fields":{"r":[2.0]}"#), "{found}");
}

/// A filter after the search that grows too large is refused once the aggregations are made; one that cannot be made, before.
#[test]
fn what_a_filter_after_the_search_grows_to_shows_behind_aggregations() {
    let words: Vec<String> = (0..1_100).map(|i| format!("lib{i}")).collect();
    let cx = shard(MAPPING, &[&[&format!(r#"{{"t":"{}"}}"#, words.join(" "))]]);
    let ask = |filter: &str, aggs: &str| {
        let text =
            format!(r#"{{"post_filter":{filter},"aggs":{{"a":{{"terms":{{"field":"k"}},"aggs":{{"b":{aggs}}}}}}}}}"#);
        search_for(&cx, request(&text, &[]), &ShardScope::default())
    };
    let grown = r#"{"span_multi":{"match":{"wildcard":{"t":{"value":"lib*"}}}}}"#;
    let (nested, plain) = (r#"{"variable_width_histogram":{"field":"n"}}"#, r#"{"avg":{"field":"n"}}"#);
    let refusal =
        "[variable_width_histogram] cannot be nested inside an aggregation that collects more than a single bucket.";
    assert!(ask(grown, nested).contains(refusal), "{}", ask(grown, nested));
    assert!(ask(grown, plain).contains("exceeds maxClauseCount"), "{}", ask(grown, plain));
    let filter = format!(r#"{{"filter":{grown},"aggs":{{"c":{{"terms":{{"field":"n"}},"aggs":{{"d":{nested}}}}}}}}}"#);
    assert!(ask(r#"{"match_all":{}}"#, &filter).contains(refusal), "{}", ask(r#"{"match_all":{}}"#, &filter));
    let filter = format!(r#"{{"filter":{grown}}}"#);
    assert!(ask(r#"{"match_all":{}}"#, &filter).contains("exceeds maxClauseCount"), "{filter}");
    let bad = r#"{"range":{"n":{"gte":"x"}}}"#;
    assert!(ask(bad, nested).contains(r#"For input string: "x""#), "{}", ask(bad, nested));
}

#[test]
fn hits_of_aggregations_show_the_name_of_the_filter_after_the_search() {
    let body =
        r#"{"size":0,"post_filter":{"exists":{"field":"r","_name":"n"}},"aggs":{"a":{"top_hits":{"_source":false}}}}"#;
    let hits = r#"[{"_index":"i","_id":"1","_score":1.0,"matched_queries":["n"]},{"_index":"i","_id":"2","_score":1.0},{"_index":"i","_id":"3","_score":1.0}]"#;
    assert!(answer(body, &[]).contains(hits), "{}", answer(body, &[]));
}

#[test]
fn functions_are_asked_for_scores_of_what_filters_keep_alone() {
    let cx = shard(
        r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"integer"}}}"#,
        &[&[r#"{"k":"a","n":-1}"#, r#"{"k":"b","n":3}"#]],
    );
    let ask = |more: &str| {
        let query = r#"{"function_score":{"functions":[{"field_value_factor":{"field":"n"}}]}}"#;
        search(&cx, &format!(r#"{{"query":{query},"_source":false,"post_filter":{{"term":{{"k":"b"}}}}{more}}}"#))
    };
    assert!(ask("").contains(r#""total":{"value":1,"relation":"eq"},"max_score":3.0"#), "{}", ask(""));
    // All scores are asked for where some are too low.
    let all = ask(r#","min_score":0"#);
    assert!(all.contains("must not produce negative scores"), "{all}");
}
