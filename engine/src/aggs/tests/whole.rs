//! Parts of shards, formats and pages.

use super::{DOCS, run_by, run_on, shard};
use crate::json;
use crate::query::ShardContext;
use crate::score::Selection;

#[test]
fn parts_of_a_shard_are_not_cut_before_they_are_whole() {
    let docs: Vec<String> = (0..40).map(|i| format!(r#"{{"n":{},"f":{}}}"#, i % 4, i)).collect();
    let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
    let run = |agg: &str| run_by(agg, &[shard(&[&docs])], &Selection::Unknown).unwrap();
    let below =
        |agg: &str| run(&format!(r#"{{"variable_width_histogram":{{"field":"f","buckets":1}},"aggs":{{"x":{agg}}}}}"#));
    let terms = below(r#"{"terms":{"field":"n","size":1}}"#);
    assert!(terms.contains(r#""sum_other_doc_count":30,"buckets":[{"key":0,"doc_count":10}]"#), "{terms}");
    let histogram = below(r#"{"histogram":{"field":"n","interval":1,"min_doc_count":9}}"#);
    assert!(histogram.contains(r#"{"key":3.0,"doc_count":10}"#), "{histogram}");
    // Where no bucket has documents, shards still tell what stands in one.
    let none = run(
        r#"{"filter":{"term":{"n":77}},"aggs":{"x":{"histogram":{"field":"f","interval":30,"extended_bounds":{"min":0,"max":30}},"aggs":{"s":{"sum":{"field":"n","format":"0.00"}}}}}}"#,
    );
    assert!(
        none.ends_with(
            r#"{"key":0.0,"doc_count":0,"s":{"value":0.0,"value_as_string":"0.00"}},{"key":30.0,"doc_count":0,"s":{"value":0.0,"value_as_string":"0.00"}}]}}"#
        ),
        "{none}"
    );
    // Bounds of the request go for buckets without documents too.
    let gaps = run(
        r#"{"histogram":{"field":"f","interval":30,"extended_bounds":{"min":0,"max":60}},"aggs":{"x":{"histogram":{"field":"n","interval":2,"extended_bounds":{"min":0,"max":2}}}}}"#,
    );
    assert!(
        gaps.ends_with(
            r#"{"key":60.0,"doc_count":0,"x":{"buckets":[{"key":0.0,"doc_count":0},{"key":2.0,"doc_count":0}]}}]}"#
        ),
        "{gaps}"
    );
}

#[test]
fn a_type_of_value_brings_its_own_format() {
    let of = |value_type: &str| {
        format!(
            r#"{{"weighted_avg":{{"value":{{"field":"n"}},"weight":{{"field":"n"}},"format":"0.00"{value_type}}}}}"#
        )
    };
    let run = |agg: &str| run_by(agg, &[shard(&[&[r#"{"n":4}"#]])], &Selection::Unknown).unwrap();
    assert_eq!(run(&of("")), r#"{"value":4.0,"value_as_string":"4.00"}"#);
    assert_eq!(run(&of(r#","value_type":"long""#)), r#"{"value":4.0}"#);
}

#[test]
fn expressions_choose_among_ids() {
    let run = |agg: &str| run_by(agg, &[shard(&[&[r#"{"n":4}"#]])], &Selection::Unknown);
    let all = run(r#"{"terms":{"field":"_id","exclude":"no such.*"}}"#).unwrap();
    assert!(all.contains(r#""doc_count":1}"#), "{all}");
    let none = run(r#"{"terms":{"field":"_id","exclude":".*"}}"#).unwrap();
    assert!(none.ends_with(r#""buckets":[]}"#), "{none}");
}

#[test]
fn composites_go_on_after_milliseconds_whatever_the_field_reads() {
    let page = |after: &str| {
        let agg = format!(
            r#"{{"composite":{{"size":1,"sources":[{{"d":{{"date_histogram":{{"field":"d","fixed_interval":"1d"}}}}}}]{after}}}}}"#
        );
        run_on(&agg, &[shard(&[&DOCS])]).unwrap_or_else(|error| error.reason().to_owned())
    };
    let key = |answer: &str| {
        answer.split(r#""after_key":{"d":"#).nth(1).map(|rest| rest.split('}').next().unwrap().to_owned())
    };
    let first = key(&page("")).unwrap();
    let second = key(&page(&format!(r#","after":{{"d":{first}}}"#))).unwrap();
    assert!(second.parse::<i64>().unwrap() > first.parse().unwrap());
    assert_eq!(page(r#","after":{"d":"2021-03-04"}"#), r#"For input string: "2021-03-04""#);
}

/// As the reference has them without its cache, whose keys leave both sizes out.
#[test]
fn clusters_are_as_many_as_a_request_lets_a_shard_make() {
    let docs: Vec<String> = (1..=20).map(|i| format!(r#"{{"f":{}}}"#, i * i)).collect();
    let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
    let shards = [shard(&[&docs])];
    for (sizes, expected) in [
        ("", [(1.0, 63.0, 169.0, 13), (196.0, 293.0, 400.0, 7)]),
        (r#","shard_size":3,"initial_buffer":5"#, [(1.0, 4.666666666666667, 9.0, 3), (16.0, 168.0, 400.0, 17)]),
        (r#","initial_buffer":4"#, [(1.0, 105.0, 289.0, 17), (324.0, 361.6666666666667, 400.0, 3)]),
    ] {
        let buckets = expected.map(|(min, key, max, count)| {
            format!(r#"{{"min":{min:?},"key":{key:?},"max":{max:?},"doc_count":{count}}}"#)
        });
        let agg = format!(r#"{{"variable_width_histogram":{{"field":"f","buckets":2{sizes}}}}}"#);
        assert_eq!(run_on(&agg, &shards).unwrap(), format!(r#"{{"buckets":[{}]}}"#, buckets.join(",")), "{sizes}");
    }
}

/// The reference begins each document with the greatest number as the one that it has just seen.
#[test]
fn rare_terms_overlook_the_greatest_number() {
    let docs = [r#"{"u":9223372036854775807}"#, r#"{"u":[1,9223372036854775807]}"#, r#"{"u":[3,3]}"#];
    let answer = run_on(r#"{"rare_terms":{"field":"u","max_doc_count":5}}"#, &[shard(&[&docs])]).unwrap();
    assert_eq!(
        answer,
        r#"{"buckets":[{"key":1,"key_as_string":"1","doc_count":1},{"key":9223372036854775807,"key_as_string":"9223372036854775807","doc_count":1},{"key":3,"key_as_string":"3","doc_count":2}]}"#
    );
}

#[test]
fn ranges_of_a_document_are_one_value() {
    let docs = [r#"{"r":{"gte":1,"lte":5}}"#, r#"{"r":[{"gte":1,"lte":5},{"gte":7,"lte":9}]}"#];
    let more = [r#"{"r":[{"gte":7,"lte":9},{"gte":1,"lte":5}]}"#, r#"{"r":[{"gte":1,"lte":5}]}"#, r#"{"n":1}"#];
    let agg = r#"{"cardinality":{"field":"r"}}"#;
    assert_eq!(run_on(agg, &[shard(&[&docs, &more])]).unwrap(), r#"{"value":2}"#);
    assert_eq!(run_by(agg, &[shard(&[&docs, &more])], &Selection::All).unwrap(), r#"{"value":2}"#);
}

/// What stands below many buckets and is of no field is of no bucket.
#[test]
fn clusters_of_no_field_may_stand_anywhere() {
    let agg = r#"{"sampler":{},"aggs":{"x":{"variable_width_histogram":{"field":"nothere"}}}}"#;
    assert_eq!(run_on(agg, &[shard(&[&DOCS])]).unwrap(), r#"{"doc_count":3,"x":{"buckets":[]}}"#);
    let agg = r#"{"terms":{"field":"k"},"aggs":{"x":{"variable_width_histogram":{"field":"nothere"}}}}"#;
    assert_eq!(run_on(agg, &[shard(&[&DOCS])]).unwrap().matches(r#""x":{"buckets":[]}"#).count(), 2);
}

#[test]
fn values_that_are_no_numbers() {
    let run = |agg: &str, source: &str| {
        let agg = format!(r#"{{"{agg}":{{"script":{{"source":"{source}"}}}}}}"#);
        run_on(&agg, &[shard(&[&DOCS])]).unwrap_or_else(|error| error.to_string())
    };
    let both = |agg: &str| [run(agg, "return 1.0/0"), run(agg, "return 0.0/0")];
    assert_eq!(both("max"), [r#"{"value":null}"#, r#"{"value":"NaN"}"#]);
    assert_eq!(both("min"), [r#"{"value":null}"#, r#"{"value":"NaN"}"#]);
    let stats = r#"{"count":3,"min":"NaN","max":"NaN","avg":"NaN","sum":"NaN"}"#;
    assert_eq!(run("stats", "return 0.0/0"), stats);
    assert!(run("percentiles", "return 0.0/0").contains("Cannot add NaN to t-digest"));
}

#[test]
fn terms_to_leave_out_may_be_beyond_what_the_field_can_have() {
    let run = |rest: &str| run_on(&format!(r#"{{"terms":{{"field":"n",{rest}}}}}"#), &[shard(&[&DOCS])]).unwrap();
    let keys = |rest: &str| run(rest).matches("\"key\"").count();
    assert_eq!([keys(r#""exclude":[9223372036854775833,5]"#), keys(r#""include":[1e30,17]"#)], [1, 1]);
    assert_eq!(keys(r#""include":["-9223372036854775833",3000000000]"#), 0);
}

/// What the reference makes anew forgets how its values are gathered, and which terms are rare.
#[test]
fn what_is_made_anew_forgets_what_was_asked() {
    let docs: Vec<String> = (1..=20)
        .map(|i| format!(r#"{{"f":{},"k":"{}"}}"#, i * i, if i == 7 { "z" } else { ["x", "y"][i % 2] }))
        .collect();
    let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
    let shards = [shard(&[&docs])];
    let below = |query: &str| format!(r#""aggs":{{"x":{{"filter":{query}}}}}"#);
    for (agg, kept, forgotten) in [
        (
            r#""variable_width_histogram":{"field":"f","buckets":2,"shard_size":3,"initial_buffer":5}"#,
            r#"{"buckets":[{"min":1.0,"key":4.666666666666667,"max":9.0,"doc_count":3,"x":{"doc_count":3}},{"min":16.0,"key":168.0,"max":400.0,"doc_count":17,"x":{"doc_count":17}}]}"#,
            r#"{"meta":{},"buckets":[{"min":1.0,"key":63.0,"max":169.0,"doc_count":13,"x":{"meta":{},"doc_count":0}},{"min":196.0,"key":293.0,"max":400.0,"doc_count":7,"x":{"meta":{},"doc_count":0}}]}"#,
        ),
        (
            r#""rare_terms":{"field":"k","max_doc_count":9}"#,
            r#"{"buckets":[{"key":"z","doc_count":1,"x":{"doc_count":1}},{"key":"y","doc_count":9,"x":{"doc_count":9}}]}"#,
            r#"{"meta":{},"buckets":[{"key":"z","doc_count":1,"x":{"meta":{},"doc_count":0}}]}"#,
        ),
    ] {
        let run = |query: &str| run_on(&format!("{{{agg},{}}}", below(query)), &shards).unwrap();
        assert_eq!(run(r#"{"match_all":{}}"#), kept);
        assert_eq!(run(r#"{"exists":{"field":"nosuch"}}"#), forgotten);
    }
}

/// A shard puts its clusters together before it answers: nothing is cut off then, and how far counts may be off is kept.
#[test]
fn what_stands_below_clusters_is_merged_on_the_shard() {
    let docs: Vec<String> = (1..=20)
        .map(|i| format!(r#"{{"f":{},"k":"{}"}}"#, i * i, if i == 7 { "z" } else { ["x", "y"][i % 2] }))
        .collect();
    let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
    let shards = [shard(&[&docs])];
    for (below, first, second) in [
        (
            r#"{"terms":{"field":"k","size":1,"shard_size":1}}"#,
            r#"{"doc_count_error_upper_bound":13,"sum_other_doc_count":7,"buckets":[{"key":"x","doc_count":6}]}"#,
            r#"{"doc_count_error_upper_bound":7,"sum_other_doc_count":3,"buckets":[{"key":"x","doc_count":4}]}"#,
        ),
        (
            r#"{"significant_terms":{"field":"k","script_heuristic":{"script":{"source":"1.0 * params._subset_freq"}}}}"#,
            r#"{"doc_count":13,"bg_count":20,"buckets":[{"key":"y","doc_count":6,"score":6.0,"bg_count":9},{"key":"x","doc_count":6,"score":6.0,"bg_count":10}]}"#,
            r#"{"doc_count":7,"bg_count":20,"buckets":[{"key":"x","doc_count":4,"score":4.0,"bg_count":10},{"key":"y","doc_count":3,"score":3.0,"bg_count":9}]}"#,
        ),
    ] {
        let agg = format!(r#"{{"variable_width_histogram":{{"field":"f","buckets":2}},"aggs":{{"x":{below}}}}}"#);
        let expected = format!(
            r#"{{"buckets":[{{"min":1.0,"key":63.0,"max":169.0,"doc_count":13,"x":{first}}},{{"min":196.0,"key":293.0,"max":400.0,"doc_count":7,"x":{second}}}]}}"#
        );
        assert_eq!(run_on(&agg, &shards).unwrap(), expected);
    }
}

/// Boosts count in filters that are no constants, where a least score is held against what they make.
#[test]
fn filters_keep_their_boosts() {
    let query = r#"{"function_score":{"query":{"term":{"k":"b"}},"functions":[{"weight":2}],"min_score":3,"boost":3}}"#;
    for (filter, count) in [
        (query.to_owned(), 2),
        (format!(r#"{{"bool":{{"must":[{query}]}}}}"#), 2),
        (format!(r#"{{"bool":{{"filter":[{query}]}}}}"#), 0),
    ] {
        let answer = run_on(&format!(r#"{{"filter":{filter}}}"#), &[shard(&[&DOCS])]).unwrap();
        assert_eq!(answer, format!(r#"{{"doc_count":{count}}}"#), "{filter}");
    }
}

#[test]
fn what_is_wrong_with_a_field_is_told_before_what_is_wrong_with_bounds() {
    let bounds = r#""interval":1,"extended_bounds":{"max":120},"hard_bounds":{"max":50}"#;
    let run = |field: &str| {
        let answer = run_on(&format!(r#"{{"histogram":{{"field":"{field}",{bounds}}}}}"#), &[shard(&[&DOCS])]);
        answer.unwrap_err().reason().to_owned()
    };
    assert_eq!(run("k"), "Field [k] of type [keyword] is not supported for aggregation [histogram]");
    assert!(run("nosuch").starts_with("Extended bounds have to be inside hard bounds"));
}

#[test]
fn scripts_see_the_name_of_the_index() {
    let answer = run_on(r#"{"terms":{"field":"_index","script":{"source":"_value + '!'"}}}"#, &[shard(&[&DOCS])]);
    assert_eq!(
        answer.unwrap(),
        r#"{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"test!","doc_count":3}]}"#
    );
}

/// What would not find the same again finds no background, but nobody looks at that of a field that there is not.
#[test]
fn backgrounds_stay_the_same() {
    let background = r#""background_filter":{"more_like_this":{"fields":["k"],"like":{"doc":{"k":"b"}}}}"#;
    let run = |field: &str| {
        run_on(&format!(r#"{{"significant_terms":{{"field":"{field}",{background}}}}}"#), &[shard(&[&DOCS])])
    };
    let refusal = "features that prevent cachability are disabled on this context";
    assert_eq!(run("k").unwrap_err().reason(), refusal);
    assert_eq!(run("nosuch").unwrap(), r#"{"buckets":[]}"#);
    // What is wrong with it is told as it is, not as what is wrong with the search's query.
    let wrong = r#"{"significant_terms":{"field":"k","background_filter":{"range":{"n":{"gte":"x"}}}}}"#;
    assert_eq!(run_on(wrong, &[shard(&[&DOCS])]).unwrap_err().kind(), crate::error::ErrorKind::NumberFormat);
}

/// Of equally significant values a shard keeps those that it met first, unless it goes by the order of a field's terms.
#[test]
fn equally_significant_values_stay_in_the_order_they_were_met_in() {
    let docs = [r#"{"k":"z","n":9}"#, r#"{"k":"a","n":3}"#];
    let kept = |options: &str| {
        let shared = r#""size":1,"shard_size":1,"min_doc_count":1,"gnd":{}"#;
        let answer = run_on(&format!(r#"{{"significant_terms":{{{options},{shared}}}}}"#), &[shard(&[&docs])]).unwrap();
        let (_, rest) = answer.split_once(r#""key":"#).unwrap();
        rest[..rest.find(',').unwrap()].to_owned()
    };
    assert_eq!(kept(r#""field":"n""#), "9");
    assert_eq!(kept(r#""field":"k","execution_hint":"map""#), r#""z""#);
    assert_eq!(kept(r#""field":"k","include":"[a-z]""#), r#""z""#);
    assert_eq!(kept(r#""field":"k""#), r#""a""#);
}

#[test]
fn what_sees_all_documents_scores_them_alike() {
    let cx = shard(&[&DOCS]);
    let query = json::parse(br#"{"constant_score":{"filter":{"match_all":{}},"boost":5}}"#).unwrap();
    let cx = ShardContext { search: Some(asking(&query)), ..cx };
    let answer =
        run_by(r#"{"global":{},"aggs":{"t":{"top_hits":{"size":1,"_source":false}}}}"#, &[cx], &Selection::Unknown);
    assert!(answer.unwrap().contains(r#""max_score":1.0"#));
}

/// What is shown of hits goes by the query that was asked all the same.
#[test]
fn hits_of_all_documents_show_where_the_query_matches() {
    let query = json::parse(br#"{"match":{"t":{"query":"x","_name":"n"}}}"#).unwrap();
    let cx = ShardContext { search: Some(asking(&query)), ..shard(&[&DOCS]) };
    let agg = r#"{"global":{},"aggs":{"t":{"top_hits":{"size":3,"_source":false,"explain":true,"highlight":{"fields":{"t":{}}}}}}}"#;
    let answer = run_by(agg, &[cx], &Selection::Unknown).unwrap();
    assert_eq!(answer.matches(r#""description":"no matching term""#).count(), 2, "{answer}");
    assert!(answer.contains(r#""highlight":{"t":["<em>x</em>"]},"matched_queries":["n"]"#), "{answer}");
}

/// A search for what `query` says.
fn asking(query: &crate::json::Value) -> std::sync::Arc<crate::search::SearchRequest> {
    let query = Some(crate::query::parse(query, b"").expect("a query"));
    std::sync::Arc::new(crate::search::SearchRequest { query, ..Default::default() })
}

#[test]
fn numbers_that_are_said_to_be_texts() {
    use crate::search::tests::{search, shard};
    let cx = shard(
        r#"{"properties":{"n":{"type":"long"},"d":{"type":"double"},"w":{"type":"date"}}}"#,
        &[&[r#"{"n":10,"d":1.5,"w":"1970-01-02"}"#, r#"{"n":9,"d":2}"#]],
    );
    let ask = |agg: &str| search(&cx, &format!(r#"{{"size":0,"aggs":{{"a":{agg}}}}}"#));
    for (agg, found) in [
        (
            r#"{"terms":{"field":"n","value_type":"string"}}"#,
            r#"[{"key":"10","doc_count":1},{"key":"9","doc_count":1}]"#,
        ),
        (
            r#"{"terms":{"field":"d","value_type":"ip"}}"#,
            r#"[{"key":"1.5","doc_count":1},{"key":"2.0","doc_count":1}]"#,
        ),
        (
            r#"{"median_absolute_deviation":{"field":"w","value_type":"long"}}"#,
            r#"{"value":0.0,"value_as_string":"1970-01-01T00:00:00.000Z"}"#,
        ),
        (r#"{"median_absolute_deviation":{"field":"w"}}"#, "is not supported for aggregation"),
        (
            r#"{"date_histogram":{"field":"n","calendar_interval":"day","keyed":true}}"#,
            r#"{"0":{"key":0,"doc_count":2}}"#,
        ),
    ] {
        assert!(ask(agg).contains(found), "{agg}: {}", ask(agg));
    }
}

#[test]
fn searches_that_may_end_early_are_gathered_whole() {
    use crate::search::SearchRequest;
    let sliced = |more: &str| {
        let body =
            format!(r#"{{"aggs":{{"a":{{"terms":{{"field":"k"}},"aggs":{{"b":{{"avg":{{"field":"n"}}}}}}}}}}{more}}}"#);
        let request = SearchRequest::parse(Some(body.as_bytes()), &[]).expect(&body);
        request.aggs.as_ref().is_some_and(|aggs| aggs.can_be_sliced())
    };
    assert!(sliced(""));
    assert!(!sliced(r#","terminate_after":100"#));
}

#[test]
fn bounds_that_are_numbers_are_moments_whatever_the_format() {
    use crate::search::tests::{search, shard};
    let cx = shard(r#"{"properties":{"w":{"type":"date"},"f":{"type":"float"}}}"#, &[&[r#"{"w":"1971-05-05"}"#]]);
    let ask = |agg: &str| search(&cx, &format!(r#"{{"size":0,"aggs":{{"a":{agg}}}}}"#));
    let dates = |bounds: &str| {
        ask(&format!(
            r#"{{"date_histogram":{{"field":"w","calendar_interval":"year","format":"yyyy","extended_bounds":{bounds}}}}}"#
        ))
    };
    assert!(
        dates(r#"{"min":5}"#).contains(r#"[{"key_as_string":"1970","key":0,"doc_count":0},{"key_as_string":"1971""#)
    );
    assert!(dates(r#"{"min":"1970"}"#).contains(r#"[{"key_as_string":"1970","key":0,"doc_count":0},"#));
    // What stands in for fractions is a double, whatever the field can hold.
    assert!(ask(r#"{"max":{"field":"f","missing":1e300}}"#).contains(r#"{"value":1.0E300}"#));
    assert!(ask(r#"{"range":{"field":"f","missing":2.1,"ranges":[{"from":2.1}]}}"#).contains(r#""doc_count":1}"#));
}
