//! What is answered of buckets that no document has, and of buckets that are merged, as the reference has it.

use crate::search::tests::{search, shard};

const MAPPING: &str = r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"integer"},"f":{"type":"double"},"d":{"type":"date"},
    "b":{"type":"boolean"},"ip":{"type":"ip"},"l":{"type":"integer","ignore_malformed":true},"s":{"type":"keyword","store":true}}}"#;

/// What stands under `aggregations` for one segment of documents.
fn aggregations(docs: &[&str], aggs: &str) -> String {
    let answer = search(&shard(MAPPING, &[docs]), &format!(r#"{{"size":0,"aggs":{aggs}}}"#));
    answer.split_once(r#""aggregations":"#).map_or(answer.clone(), |(_, found)| found.to_owned())
}

const APART: [&str; 2] =
    [r#"{"n":1,"b":true,"f":2,"k":"a","ip":"10.0.0.1"}"#, r#"{"n":3,"b":true,"f":4,"k":"a","ip":"10.0.0.1"}"#];

#[test]
fn values_of_empty_buckets_are_shown_as_those_of_others() {
    let between = |sub: &str| {
        let aggs = format!(r#"{{"h":{{"histogram":{{"field":"n","interval":1}},"aggs":{{"s":{sub}}}}}}}"#);
        let found = aggregations(&APART, &aggs);
        let (_, empty) = found.split_once(r#""key":2.0,"doc_count":0,"s":"#).unwrap_or_else(|| panic!("{found}"));
        empty.split_once(r#"},{"key":3.0"#).unwrap_or_else(|| panic!("{found}")).0.to_owned()
    };
    assert_eq!(between(r#"{"sum":{"field":"b"}}"#), r#"{"value":0.0,"value_as_string":"false"}"#);
    assert_eq!(between(r#"{"sum":{"field":"f","format":"0.00"}}"#), r#"{"value":0.0,"value_as_string":"0.00"}"#);
    let below = r#"{"filter":{"match_all":{}},"aggs":{"t":{"sum":{"field":"b"}}}}"#;
    assert_eq!(between(below), r#"{"doc_count":0,"t":{"value":0.0,"value_as_string":"false"}}"#);
    assert_eq!(between(r#"{"ip_range":{"field":"ip","ranges":[{"to":"10.1.0.0"}]}}"#), r#"{"buckets":[]}"#);
    assert_eq!(between(r#"{"significant_terms":{"field":"k"}}"#), r#"{"doc_count":0,"bg_count":2,"buckets":[]}"#);
}

#[test]
fn buckets_without_ranges_are_joined_with_those_that_have_some() {
    let docs = [r#"{"d":"2020-01-01","ip":"10.0.0.1"}"#, r#"{"d":"2020-01-03","ip":"10.0.0.2"}"#];
    let ranges = r#"{"ip_range":{"field":"ip","ranges":[{"to":"10.1.0.0"}]}}"#;
    let aggs = format!(r#"{{"h":{{"auto_date_histogram":{{"field":"d","buckets":2}},"aggs":{{"i":{ranges}}}}}}}"#);
    let found = aggregations(&docs, &aggs);
    assert!(found.contains(r#""to":"10.1.0.0","doc_count":"#), "{found}");
}

/// What a shard has told once is told of no new request where its answer is kept.
#[test]
fn ranges_of_empty_buckets_are_those_of_others() {
    use super::partial::Partial;
    let parse = || {
        let aggs = r#"{"r":{"range":{"field":"n","format":"$0","ranges":[{"to":5}]}}}"#;
        super::parse::parse(&crate::json::parse(aggs.as_bytes()).unwrap(), aggs.as_bytes()).unwrap()
    };
    let (asked, again) = (parse(), parse());
    let cx = shard(MAPPING, &[&APART]);
    drop(asked.0.aggs[0].kind.aggregator(&asked.0.aggs[0], &cx).unwrap());
    let told = asked.0.aggs[0].kind.empty(&asked.0.aggs[0]);
    let beside = again.0.aggs[0].kind.empty_beside(&again.0.aggs[0], Some(&told));
    let (Partial::Fixed(told), Partial::Fixed(beside)) = (told, beside) else { panic!("ranges are fixed buckets") };
    assert_eq!(format!("{:?}", beside.format), format!("{:?}", told.format));
}

#[test]
fn terms_that_were_frequent_are_not_rare_again() {
    // Months of two years; neighbours are merged twice.
    let docs: Vec<String> = (0..24)
        .map(|n| {
            format!(
                r#"{{"d":"20{:02}-{:02}-01","k":["m{n}","{}"]}}"#,
                20 + n / 12,
                n % 12 + 1,
                if n < 6 { "often" } else { "late" }
            )
        })
        .collect();
    let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
    let aggs = r#"{"h":{"auto_date_histogram":{"field":"d","buckets":2},"aggs":{"r":{"rare_terms":{"field":"k"}}}}}"#;
    let found = aggregations(&docs, aggs);
    assert!(!found.contains("often") && !found.contains("late") && found.contains(r#""key":"m3""#), "{found}");
}

#[test]
fn joined_buckets_count_their_background_once() {
    let docs: Vec<String> =
        (0..40).map(|n| format!(r#"{{"d":"20{:02}-0{}-01","k":"a"}}"#, 10 + n / 4, n % 4 + 1)).collect();
    let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
    let sub = r#"{"t":{"significant_terms":{"field":"k"}}}"#;
    let aggs = format!(r#"{{"h":{{"auto_date_histogram":{{"field":"d","buckets":10}},"aggs":{sub}}}}}"#);
    let found = aggregations(&docs, &aggs);
    assert_eq!(found.matches(r#""bg_count":40"#).count(), 10, "{found}");
}

#[test]
fn rare_terms_are_not_fractions() {
    let found = aggregations(&APART, r#"{"r":{"rare_terms":{"field":"f"}}}"#);
    assert!(found.contains("RareTerms aggregation does not support floating point fields."), "{found}");
}

#[test]
fn what_stands_in_for_missing_values_is_read_as_the_request_writes_it() {
    let keys = |field: &str, options: &str| {
        aggregations(&[r#"{"k":"a"}"#], &format!(r#"{{"h":{{"{field}":{{{options}}}}}}}"#))
    };
    let day =
        keys("date_histogram", r#""field":"d","fixed_interval":"1m","time_zone":"+05:30","missing":"2020-01-01""#);
    assert!(day.contains(r#""key":1577817000000"#), "{day}");
    let range = r#""field":"n","ranges":[{"to":5}],"missing":"$4","format":"$0""#;
    assert!(keys("range", range).contains(r#""doc_count":1"#));
    let refused = keys("range", &range.replace(r#""$4""#, "4"));
    assert!(refused.contains(r#"java.text.ParseException: Unparseable number: "4""#), "{refused}");
}

#[test]
fn histograms_of_what_scripts_give_know_no_range() {
    let found = aggregations(
        &[r#"{"n":-40}"#, r#"{"n":60}"#, r#"{"k":"a"}"#],
        r#"{"h":{"histogram":{"field":"n","interval":100,"min_doc_count":1,"missing":0,"script":{"source":"_value * 2"}}}}"#,
    );
    let expected = r#"[{"key":-100.0,"doc_count":1},{"key":0.0,"doc_count":1},{"key":100.0,"doc_count":1}]"#;
    assert!(found.contains(expected), "{found}");
}

#[test]
fn what_cannot_be_sorted_by_is_refused_without_documents_too() {
    let body = r#"{"query":{"match_none":{}},"aggs":{"t":{"top_hits":{"sort":[{"none":"asc"}]}}}}"#;
    let found = search(&shard(MAPPING, &[&APART]), body);
    assert!(found.contains("No mapping found for [none] in order to sort on"), "{found}");
}

#[test]
fn what_was_ignored_of_routed_documents_is_shown_as_far_as_stored_fields_are_read() {
    let cx = shard(MAPPING, &[&[r#"{"l":"bad","k":"routed"}"#, r#"{"l":"bad","k":"routed","s":"x"}"#]]);
    let shown = |body: &str| search(&cx, body).matches(r#""_ignored":["l"]"#).count();
    assert_eq!(shown("{}"), 1);
    assert_eq!(shown(r#"{"_source":false}"#), 0);
    assert_eq!(shown(r#"{"_source":false,"fields":["k"]}"#), 1);
    assert_eq!(shown(r#"{"stored_fields":["s"]}"#), 2);
}

#[test]
fn scripts_merge_buckets_without_documents_too_and_have_the_parameters_of_all() {
    let metric = r#"{"scripted_metric":{"params":{"x":2},"map_script":"state.n = 1","combine_script":"state","reduce_script":"params.x + 'y' + states.size()"}}"#;
    let aggs = format!(r#"{{"h":{{"histogram":{{"field":"n","interval":1}},"aggs":{{"m":{metric}}}}}}}"#);
    assert_eq!(aggregations(&APART, &aggs).matches(r#""m":{"value":"2y1"}"#).count(), 3);
}

#[test]
fn paths_to_buckets_that_are_not_there_are_gaps() {
    let inner = r#"{"k":{"terms":{"field":"k"}}}"#;
    let aggs = format!(
        r#"{{"h":{{"histogram":{{"field":"n","interval":1}},"aggs":{inner}}},"s":{{"sum_bucket":{{"buckets_path":"h>k['z']>_count"}}}}}}"#
    );
    let found = aggregations(&APART, &aggs);
    assert!(found.ends_with(r#""s":{"value":0.0}}}"#), "{found}");
}

#[test]
fn fields_that_are_not_there_have_no_use_for_scripts() {
    for (agg, expected) in [
        (r#"{"sum":{"field":"none","script":"_value + 1"}}"#, r#"{"value":0.0}"#),
        (
            r#"{"sum":{"field":"none","format":"0.0","missing":"2020-01"}}"#,
            r#"{"value":4040.0,"value_as_string":"4040.0"}"#,
        ),
        (r#"{"max":{"field":"_primary_term"}}"#, r#"{"value":null}"#),
        (
            r#"{"terms":{"field":"n","min_doc_count":0,"missing":7}}"#,
            r#""buckets":[{"key":1,"doc_count":1},{"key":3,"doc_count":1}]}"#,
        ),
    ] {
        let found = aggregations(&APART, &format!(r#"{{"a":{agg}}}"#));
        assert!(found.contains(expected), "{agg} {found}");
    }
}

#[test]
fn best_hits_in_the_order_of_scores_are_not_sorted() {
    let found = aggregations(&APART, r#"{"t":{"top_hits":{"sort":["_score"],"size":1,"_source":false}}}"#);
    assert!(found.contains(r#""max_score":1.0"#) && !found.contains(r#""sort""#), "{found}");
    let refused = aggregations(&APART, r#"{"t":{"top_hits":{"stored_fields":"_none_","_source":["k"]}}}"#);
    assert!(refused.contains("unable to fetch fields from _source field"), "{refused}");
}

#[test]
fn keys_that_go_down_have_no_unit() {
    let docs = [r#"{"d":"2020-01-01"}"#, r#"{"d":"2020-02-01"}"#];
    let found = |order: &str| {
        let derivative = r#"{"x":{"derivative":{"buckets_path":"_count","unit":"day"}}}"#;
        let histogram = format!(r#"{{"field":"d","calendar_interval":"month","order":{{"_key":"{order}"}}}}"#);
        aggregations(&docs, &format!(r#"{{"h":{{"date_histogram":{histogram},"aggs":{derivative}}}}}"#))
    };
    assert!(found("asc").contains("normalized_value") && !found("desc").contains("normalized_value"));
    let derivative = r#"{"x":{"derivative":{"buckets_path":"_count","unit":"day","format":"0.0"}}}"#;
    let histogram = r#"{"h":{"date_histogram":{"field":"d","calendar_interval":"month"},"aggs":"#;
    let both = r#"{"value":0.0,"value_as_string":"0.0","normalized_value":0.0,"normalized_value_as_string":"0.0"}"#;
    assert!(aggregations(&docs, &format!("{histogram}{derivative}}}}}")).contains(both));
}

#[test]
fn filters_whose_scripts_fail_are_errors() {
    let docs = [r#"{"n":1}"#, r#"{"n":0}"#];
    let by = |script: &str| format!(r#"{{"script":{{"script":"{script}"}}}}"#);
    let fails = by("1 / (int)doc['n'].value == 1");
    let within = format!(r#"{{"bool":{{"filter":[{fails}]}}}}"#);
    for filter in [&fails, &within] {
        for kind in [
            format!(r#""filter":{filter}"#),
            format!(r#""filters":{{"filters":[{filter}]}}"#),
            format!(r#""filters":{{"filters":{{"a":{filter}}},"other_bucket":true}}"#),
            format!(r#""adjacency_matrix":{{"filters":{{"a":{filter}}}}}"#),
        ] {
            let found = aggregations(&docs, &format!(r#"{{"x":{{{kind}}}}}"#));
            assert!(found.contains("/ by zero"), "{kind}: {found}");
            // Nobody asks about the document that would fail.
            let beyond = r#"{"range":{"field":"n","ranges":[{"from":1}]}"#;
            let found = aggregations(&docs, &format!(r#"{{"r":{beyond},"aggs":{{"x":{{{kind}}}}}}}}}"#));
            assert!(!found.contains("/ by zero"), "{kind}: {found}");
        }
    }
}
