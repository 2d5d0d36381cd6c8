//! What generated requests once answered otherwise than the reference, with its answers: one index for all of them.

use super::tests::{search, shard};
use super::*;
use crate::json;
use crate::query::parse;

fn sample() -> ShardContext {
    let mapping = r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword"},"n":{"type":"integer"},"u":{"type":"unsigned_long"},
        "b":{"type":"boolean"},"d":{"type":"date"},"a":{"type":"ip"},"p":{"type":"geo_point"},"s":{"type":"geo_shape"},
        "w":{"type":"wildcard"},"items":{"type":"nested","properties":{"note":{"type":"text"},"q":{"type":"integer"}}}}}"#;
    let docs = [
        r#"{"t":"a fox a fox","k":"x","n":[5,5],"u":18446744073709551615,"b":true,"d":"2021-01-01","a":"10.0.0.1",
            "p":"50.2,10.1","s":"POINT (1 1)","w":"a-100x","items":[{"note":"red","q":1},{"note":"blue","q":2}]}"#,
        r#"{"t":"fox","k":"y","n":30,"u":3,"b":false,"d":"2021-06-01T12:00:00Z","a":"10.1.0.1","p":"50.2,11.1",
            "s":"POLYGON ((0 0, 4 0, 4 4, 0 0))","w":"b?c","items":[{"note":"red","q":3}]}"#,
        r#"{"t":"hen","k":"x","n":12}"#,
    ];
    shard(mapping, &[&docs])
}

fn described(query: &str) -> String {
    let value = json::parse(query.as_bytes()).unwrap();
    parse(&value, query.as_bytes()).unwrap().describe(&sample(), false).unwrap()
}

/// The ids and scores of the hits of a query.
fn hits(query: &str) -> String {
    let response = search(&sample(), &format!(r#"{{"query":{query},"_source":false}}"#));
    let hits = response.split(r#""_id":""#).skip(1);
    let one = |hit: &str| {
        let (id, rest) = hit.split_once('"').unwrap();
        let score = rest.split(r#""_score":"#).nth(1).and_then(|rest| rest.split([',', '}']).next()).unwrap();
        format!("{id}:{score}")
    };
    hits.map(one).collect::<Vec<_>>().join(" ")
}

/// The aggregation `x`, or the refusal.
fn agg(body: &str) -> String {
    let text = format!(r#"{{"size":0,"aggs":{{"x":{body}}}}}"#);
    if let Err(error) = SearchRequest::parse(Some(text.as_bytes()), &[]) {
        return error.reason().to_owned();
    }
    let response = search(&sample(), &text);
    match response.split_once(r#""aggregations":{"x":"#) {
        Some((_, found)) => found.trim_end_matches('}').to_owned(),
        None => response,
    }
}

#[test]
fn texts_of_queries() {
    let root = "#FieldExistsQuery [field=_primary_term]";
    for (query, text) in [
        (r#"{"query_string":{"query":"+fox","default_field":"t"}}"#, "+t:fox".to_owned()),
        (
            r#"{"bool":{}}"#,
            format!("+ApproximateScoreQuery(originalQuery=*:*, approximationQuery=Approximate(*:*)) {root}"),
        ),
        (
            r#"{"terms":{"a":["10.0.0.1"]}}"#,
            "IndexOrDocValuesQuery(indexQuery=a:[10.0.0.1 TO 10.0.0.1], dvQuery=a:[[0 0 0 0 0 0 0 0 0 0 ff ff a 0 0 1] TO [0 0 0 0 0 0 0 0 0 0 ff ff a 0 0 1]])".to_owned(),
        ),
        (
            r#"{"terms":{"a":["10.0.0.1","10.0.0.2"]}}"#,
            format!("+IndexOrDocValuesQuery(indexQuery=a:{{10.0.0.1 10.0.0.2}}, dvQuery=a:([0 0 0 0 0 0 0 0 0 0 ff ff a 0 0 1] [0 0 0 0 0 0 0 0 0 0 ff ff a 0 0 2])) {root}"),
        ),
        (
            r#"{"terms":{"a":["10.0.0.1","10.1.0.0/16"]}}"#,
            "IndexOrDocValuesQuery(indexQuery=ConstantScore(a:[10.0.0.1 TO 10.0.0.1] a:[10.1.0.0 TO 10.1.255.255]), dvQuery=a:[[0 0 0 0 0 0 0 0 0 0 ff ff a 0 0 1]..[0 0 0 0 0 0 0 0 0 0 ff ff a 0 0 1], [0 0 0 0 0 0 0 0 0 0 ff ff a 1 0 0]..[0 0 0 0 0 0 0 0 0 0 ff ff a 1 ff ff]])".to_owned(),
        ),
        (
            r#"{"terms":{"a":["10.0.0.0/16","10.1.0.0/16"]}}"#,
            format!("+IndexOrDocValuesQuery(indexQuery=a:{{[10.0.0.0 TO 10.0.255.255]}},{{[10.1.0.0 TO 10.1.255.255]}}, dvQuery=a:[[0 0 0 0 0 0 0 0 0 0 ff ff a 0 0 0]..[0 0 0 0 0 0 0 0 0 0 ff ff a 0 ff ff], [0 0 0 0 0 0 0 0 0 0 ff ff a 1 0 0]..[0 0 0 0 0 0 0 0 0 0 ff ff a 1 ff ff]]) {root}"),
        ),
        (
            r#"{"terms_set":{"k":{"terms":["x"],"minimum_should_match_script":{"source":"1"}}}}"#,
            format!("+CoveringQuery(queries=[ConstantScore(k:x)], minimumNumberMatch=script(Script{{type=inline, lang='painless', idOrCode='1', options={{}}, params={{}}}})) {root}"),
        ),
        (r#"{"term":{"w":"b?c"}}"#, format!(r#"+WildcardMatchingQuery(w:"b\?c") {root}"#)),
        (r#"{"terms":{"w":["b?c","x*"]}}"#, format!(r#"+WildcardMatchingQuery(w:"b?c|x*") {root}"#)),
        (r#"{"intervals":{"t":{"match":{"query":"fox hen fox"}}}}"#, format!("+t:UNORDERED(fox,fox,hen) {root}")),
        (
            r#"{"intervals":{"t":{"match":{"query":"fox hen","mode":"unordered_no_overlap"}}}}"#,
            format!("+t:or(ORDERED(fox,hen),ORDERED(hen,fox)) {root}"),
        ),
        (
            r#"{"intervals":{"t":{"match":{"query":"a b c","mode":"unordered_no_overlap","max_gaps":2}}}}"#,
            format!("+t:or(MAXGAPS/2(ORDERED(or(MAXGAPS/2(ORDERED(a,b)),MAXGAPS/2(ORDERED(b,a))),c)),MAXGAPS/2(ORDERED(c,or(MAXGAPS/2(ORDERED(a,b)),MAXGAPS/2(ORDERED(b,a)))))) {root}"),
        ),
        (
            r#"{"intervals":{"t":{"any_of":{"intervals":[{"any_of":{"intervals":[{"match":{"query":"fox"}},{"match":{"query":"hen"}}]}},{"match":{"query":"fox"}}]}}}}"#,
            format!("+t:or(fox,hen) {root}"),
        ),
    ] {
        assert_eq!(described(query), text, "{query}");
    }
}

#[test]
fn what_queries_find() {
    for (query, found) in [
        (r#"{"intervals":{"t":{"match":{"query":"fox fox"}}}}"#, "1:0.25"),
        (r#"{"intervals":{"t":{"match":{"query":"a a","ordered":true}}}}"#, "1:0.25"),
        (r#"{"nested":{"path":"items","query":{"ids":{"values":["1","3"]}},"score_mode":"sum"}}"#, "1:2.0"),
        (r#"{"range":{"d":{"gte":1609459200000,"time_zone":"+01:00"}}}"#, "1:1.0 2:1.0"),
        (r#"{"range":{"d":{"gte":1609459200000,"time_zone":"-01:00"}}}"#, "2:1.0"),
        (r#"{"geo_distance":{"p":[10.1,50.2],"distance":"10km","distance_type":"plane"}}"#, "1:1.0"),
    ] {
        assert_eq!(hits(query), found, "{query}");
    }
    let response = search(&sample(), r#"{"sort":[{"d":{"numeric_type":"date_nanos"}}],"_source":false}"#);
    let sorts: Vec<&str> = response.split(r#""sort":["#).skip(1).map(|rest| rest.split(']').next().unwrap()).collect();
    assert_eq!(sorts, ["1609459200000000000", "1622548800000000000", "9223372036854775807"]);
}

#[test]
fn which_highlighters_look_into_which_queries() {
    let like = |least: u32| {
        format!(r#"{{"more_like_this":{{"fields":["t"],"like":"fox","min_term_freq":1,"min_doc_freq":{least}}}}}"#)
    };
    let (liked, likely) = (like(1), like(2));
    let alike = r#"{"script_score":{"query":{"match":{"t":{"query":"fox","boost":0}}},"script":{"source":"1"}}}"#;
    for (query, unified, plain) in [
        (liked.as_str(), false, true),
        (&likely, false, false),
        (r#"{"intervals":{"t":{"prefix":{"prefix":"fo"}}}}"#, true, false),
        (r#"{"script_score":{"query":{"prefix":{"t":"fo"}},"script":{"source":"1"}}}"#, true, false),
        (alike, true, true),
        (r#"{"combined_fields":{"fields":["t"],"query":"fox"}}"#, true, true),
        (r#"{"prefix":{"t":{"value":"fo","rewrite":"top_terms_1"}}}"#, true, true),
    ] {
        for (kind, marks) in [("unified", unified), ("plain", plain)] {
            let body = format!(r#"{{"query":{query},"highlight":{{"type":"{kind}","fields":{{"t":{{}}}}}}}}"#);
            assert_eq!(search(&sample(), &body).contains("a <em>fox</em> a <em>fox</em>"), marks, "{kind} {query}");
        }
    }
}

#[test]
fn what_aggregations_say() {
    for (body, found) in [
        (
            r#"{"stats":{"field":"b"}}"#,
            r#"{"count":2,"min":0.0,"max":1.0,"avg":0.5,"sum":1.0,"min_as_string":false,"max_as_string":true,"avg_as_string":true,"sum_as_string":true"#,
        ),
        (r#"{"weighted_avg":{"value":{"field":"d"},"weight":{"field":"q"}}}"#, r#"{"value":null"#),
        (
            r#"{"terms":{"field":"n","script":{"source":"_value / 2"}}}"#,
            r#"{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":2.5,"doc_count":1},{"key":6.0,"doc_count":1},{"key":15.0,"doc_count":1}]"#,
        ),
        (r#"{"adjacency_matrix":{}}"#, "[x] is missing : filters parameter"),
        (r#"{"terms":{"field":"k","include":[],"exclude":"a.*"}}"#, "[1:68] [terms] failed to parse field [exclude]"),
        (r#"{"filters":{"keyed":false}}"#, "Unknown key for a VALUE_BOOLEAN in [x]: [keyed]."),
        (
            r#"{"variable_width_histogram":{"field":"n","buckets":2},"aggs":{"r":{"range":{"field":"n","ranges":[{"from":6},{"to":6}]}}}}"#,
            r#"{"buckets":[{"min":5.0,"key":7.333333333333333,"max":12.0,"doc_count":3,"r":{"buckets":[{"key":"*-6.0","to":6.0,"doc_count":2},{"key":"6.0-*","from":6.0,"doc_count":1}]}},{"min":30.0,"key":30.0,"max":30.0,"doc_count":1,"r":{"buckets":[{"key":"*-6.0","to":6.0,"doc_count":0},{"key":"6.0-*","from":6.0,"doc_count":1}]}}]"#,
        ),
        (
            r#"{"variable_width_histogram":{"field":"n","buckets":1},"aggs":{"s":{"significant_terms":{"field":"k","min_doc_count":1}}}}"#,
            r#"{"buckets":[{"min":5.0,"key":13.0,"max":30.0,"doc_count":4,"s":{"doc_count":4,"bg_count":6,"buckets":[{"key":"x","doc_count":3,"score":0.9375,"bg_count":2},{"key":"y","doc_count":1,"score":0.125,"bg_count":1}]}}]"#,
        ),
        (
            r#"{"histogram":{"field":"n","interval":20},"aggs":{"t":{"terms":{"field":"k"}},"m":{"moving_avg":{"buckets_path":"_count","predict":1}}}}"#,
            r#"{"buckets":[{"key":0.0,"doc_count":2,"t":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"x","doc_count":2}]}},{"key":20.0,"doc_count":1,"t":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"y","doc_count":1}]},"m":{"value":2.0}},{"key":40.0,"doc_count":0,"m":{"value":1.5}}]"#,
        ),
        (
            r#"{"terms":{"field":"u","include":{"partition":0,"num_partitions":2}}}"#,
            r#"{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":3,"doc_count":1}]"#,
        ),
    ] {
        assert_eq!(agg(body), found, "{body}");
    }
}

#[test]
fn names_are_shown_with_scores_where_the_address_asks_for_them() {
    let body = r#"{"_source":false,"size":1,"include_named_queries_score":true,"query":{"match":{"t":{"query":"hen","_name":"m","boost":2}}}}"#;
    assert!(search(&sample(), body).contains(r#""matched_queries":["m"]"#));
    let params = [("include_named_queries_score".to_owned(), "true".to_owned())];
    assert!(SearchRequest::parse(Some(body.as_bytes()), &params).unwrap().named_scores);
}

/// Fields that few documents have values of.
pub(super) fn rare() -> ShardContext {
    let mapping = r#"{"properties":{"f":{"type":"flat_object"},"r":{"type":"rank_feature"},"s":{"type":"rank_features"},
        "t":{"type":"text"},"k":{"type":"keyword"},"z":{"type":"scaled_float","scaling_factor":100},"d":{"type":"date"}}}"#;
    let docs =
        [r#"{"f":{"red":"c-10"},"r":3.5,"s":{"one":2},"t":"quick hen"}"#, r#"{"s":{"one":5,"two":3},"t":"hen"}"#];
    shard(mapping, &[&docs])
}

/// The text of a query as it runs.
fn run_as(query: &str) -> String {
    let value = json::parse(query.as_bytes()).unwrap();
    parse(&value, query.as_bytes()).unwrap().root_plan(&rare()).unwrap().to_string()
}

#[test]
fn texts_of_queries_that_run() {
    let none = r#"MatchNoDocsQuery("User requested "match_none" query.")"#;
    for (query, text) in [
        (r#"{"ids":{"values":["1","1"]}}"#, "_id:([fe 1f])"),
        (r#"{"terms":{"f.red":["c-10","c-11"]}}"#, "f._valueAndPath:(f.red=c-10 f.red=c-11)"),
        (
            r#"{"range":{"f":{"gt":"a","lte":"b"}}}"#,
            "IndexOrDocValuesQuery(indexQuery=f._value:{a TO b], dvQuery=ConstantScore(f._value:{f.a TO f.b]))",
        ),
        (
            r#"{"script":{"script":"true","_name":"X"}}"#,
            "ScriptQuery(Script{type=inline, lang='painless', idOrCode='true', options={}, params={}}, _name: X)",
        ),
        (
            r#"{"more_like_this":{"fields":["t"],"like":"quick hen","min_term_freq":1,"min_doc_freq":1,"minimum_should_match":"1"}}"#,
            "(t:hen t:quick)~1",
        ),
        (
            r#"{"more_like_this":{"fields":["t"],"like":"hen","min_term_freq":1,"min_doc_freq":1,"minimum_should_match":2}}"#,
            r#"MatchNoDocsQuery("SHOULD clause count less than minimumNumberShouldMatch")"#,
        ),
        (r#"{"bool":{"should":[{"terms":{"k":[]}},{"terms":{"t":[]}}],"minimum_should_match":1}}"#, none),
        (r#"{"bool":{"should":[{"terms":{"k":[]}}],"minimum_should_match":2}}"#, none),
        // What is wrong beside what finds nothing anywhere is not looked at.
        (
            r#"{"function_score":{"query":{"terms":{"k":[]}},"functions":[{"weight":2,"filter":{"range":{"d":{"gte":"x"}}}}]}}"#,
            none,
        ),
        (r#"{"bool":{"must":[{"match_none":{}},{"range":{"d":{"gte":"x"}}}]}}"#, none),
        (
            r#"{"bool":{"should":[{"bool":{"should":[{"term":{"k":"x"}},{"term":{"k":"y"}}],"minimum_should_match":1}}]}}"#,
            "(ConstantScore(k:x) ConstantScore(k:y))~1",
        ),
    ] {
        assert_eq!(run_as(query), text, "{query}");
    }
}

#[test]
fn nothing_is_below_the_largest_number_without_a_sign() {
    assert_eq!(hits(r#"{"range":{"u":{"lt":18446744073709551615}}}"#), "");
    assert_eq!(hits(r#"{"range":{"u":{"lt":"18446744073709551614"}}}"#), "2:1.0");
    assert_eq!(hits(r#"{"range":{"u":{"lte":18446744073709551615}}}"#), "1:1.0 2:1.0");
}

#[test]
fn scripts_that_take_the_place_of_a_score_see_it() {
    let matching = r#"{"match":{"t":"fox"}}"#;
    let function = format!(
        r#"{{"function_score":{{"query":{matching},"functions":[{{"script_score":{{"script":"_score"}}}}],"boost_mode":"replace"}}}}"#
    );
    assert_eq!(hits(&function), hits(matching));
}

#[test]
fn names_of_queries_below_functions_are_explained() {
    let cx = rare();
    let explained = |query: &str| {
        let value = json::parse(query.as_bytes()).unwrap();
        let mut weight = parse(&value, query.as_bytes()).unwrap().weight(&cx, true).unwrap();
        weight.explain(&cx.snapshot.segments[0], 0).unwrap()
    };
    let few = explained(
        r#"{"script_score":{"query":{"match_all":{"_name":"nm"}},"script":{"source":"_score"},"min_score":5}}"#,
    );
    assert_eq!(few.description, "Score value is too low, expected at least 5.0 but got 1.0");
    assert_eq!(few.details[0].details[0].details[0].description, "*:* (_name: nm)");
    let unasked = explained(r#"{"script_score":{"query":{"match_all":{}},"script":{"source":"2"}}}"#);
    assert_eq!((unasked.score(), unasked.details.len()), (2.0, 0));
}

#[test]
fn what_is_refused() {
    let refusal = |cx: ShardContext, body: &str| {
        let request = SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap();
        ShardSearch::new(&std::sync::Arc::new(request), cx).err().unwrap().reason().to_owned()
    };
    for shape in ["linear", "gauss", "exp"] {
        let body =
            format!(r#"{{"query":{{"function_score":{{"{shape}":{{"z":{{"origin":2,"scale":3,"offset":1}}}}}}}}}}"#);
        let class = "org.opensearch.index.mapper.ScaledFloatFieldMapper$ScaledFloatFieldType";
        assert_eq!(
            refusal(rare(), &body),
            format!("field [z] is of type [{class}], but only numeric types are supported.")
        );
    }
    let body = r#"{"aggs":{"h":{"date_histogram":{"field":"d","fixed_interval":"365d","hard_bounds":{"min":"2021"},
        "extended_bounds":{"min":"2020"}},"aggs":{"y":{"terms":{"field":"t"}}}}}}"#;
    assert_eq!(
        refusal(sample(), body),
        "Extended bounds have to be inside hard bounds, hard bounds: [2021--], extended bounds: [2020--]"
    );
    // Every word doubles what there is to look at.
    let words = (0..40).map(|i| format!("w{i}")).collect::<Vec<_>>().join(" ");
    let body = format!(
        r#"{{"query":{{"intervals":{{"t":{{"match":{{"query":"{words}","mode":"unordered_no_overlap"}}}}}}}}}}"#
    );
    assert_eq!(refusal(sample(), &body), "failed to create query: Too many disjunctions to expand");
}

#[test]
fn the_bucket_of_the_others_has_a_key_among_those_without() {
    let body = |own: &str| {
        format!(
            r#"{{"size":0,"aggs":{{"x":{{"filters":{{"filters":[{{"term":{{"k":"y"}}}}]{own}}}}},"m":{{"max_bucket":{{"buckets_path":"x>_count"}}}}}}}}"#
        )
    };
    let keyed = |own: &str| search(&sample(), &body(own)).split_once(r#""keys":["#).unwrap().1.to_owned();
    assert!(keyed(r#","other_bucket_key":"rest""#).starts_with(r#""rest"]"#));
    assert!(keyed(r#","other_bucket":true"#).starts_with(r#""_other_"]"#));
    assert!(keyed("").starts_with(r#""0"]"#));
}

#[test]
fn highlights_stand_in_the_order_of_their_hashes() {
    let mapping = r#"{"properties":{"title":{"type":"text"},"text":{"type":"text"},"section":{"type":"text"}}}"#;
    let cx = shard(mapping, &[&[r#"{"title":"one","text":"two","section":"three"}"#]]);
    let body = r#"{"_source":false,"highlight":{"no_match_size":9,"fields":{"title":{},"text":{},"section":{}}}}"#;
    let response = search(&cx, body);
    let shown = r#""highlight":{"section":["three"],"text":["two"],"title":["one"]}"#;
    assert!(response.contains(shown), "{response}");
}

#[test]
fn lengths_of_combined_fields_are_whole_after_each() {
    let mapping = r#"{"properties":{"a":{"type":"text"},"b":{"type":"text"}}}"#;
    let cx = shard(mapping, &[&[r#"{"a":"x","b":"y z w"}"#]]);
    let body = r#"{"explain":true,"query":{"combined_fields":{"query":"x","fields":["a^3.5","b^3.5"]}}}"#;
    let response = search(&cx, body);
    assert!(response.contains(r#""value":13.0,"description":"avgdl"#), "{response}");
}

#[test]
fn fragments_end_where_the_words_of_java_do() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"cpl-plugin-visir now. And\n\nthen"}"#]]);
    let no_match = r#"{"_source":false,"highlight":{"fields":{"t":{"no_match_size":5}}}}"#;
    assert!(search(&cx, no_match).contains(r#""highlight":{"t":["cpl-plugin-visir"]}"#));
    let found = r#"{"_source":false,"query":{"match":{"t":"then"}},"highlight":{"fields":{"t":{"fragment_size":9}}}}"#;
    let response = search(&cx, found);
    assert!(response.contains(r#"["And\n\n<em>then</em>"]"#), "{response}");
}

#[test]
fn what_was_ignored_is_shown() {
    let cx = shard(r#"{"properties":{"n":{"type":"integer","ignore_malformed":true}}}"#, &[&[r#"{"n":"bad"}"#]]);
    assert!(search(&cx, r#"{"_source":false}"#).contains(r#""_ignored":["n"]"#));
}

#[test]
fn buckets_go_by_what_is_below_nested_documents() {
    let body = r#"{"terms":{"field":"k","order":{"i>m":"desc"}},"aggs":{"i":{"nested":{"path":"items"},"aggs":{"m":{"max":{"field":"items.q"}}}}}}"#;
    let found = agg(body);
    assert!(found.find(r#""key":"y""#).unwrap() < found.find(r#""key":"x""#).unwrap(), "{found}");
}

#[test]
fn rare_terms_decide_and_frequent_ones_count() {
    let found = |options: &str| hits(&format!(r#"{{"common":{{"t":{{{options}}}}}}}"#));
    let ids = |options: &str| -> Vec<char> { found(options).split(' ').filter_map(|hit| hit.chars().next()).collect() };
    assert_eq!(ids(r#""query":"fox hen","cutoff_frequency":1"#), ['3'], "fox is frequent");
    assert_eq!(ids(r#""query":"fox hen","cutoff_frequency":2"#).len(), 3, "none is");
    assert_eq!(ids(r#""query":"a fox","cutoff_frequency":0"#), ['1'], "all are: then all have to match");
    assert!(ids(r#""query":"fox hen","cutoff_frequency":2,"low_freq_operator":"and""#).is_empty());
    assert_eq!(ids(r#""query":"a fox hen","cutoff_frequency":2,"minimum_should_match":{"low_freq":2}"#), ['1']);
    assert_eq!(ids(r#""query":"fox""#).len(), 2, "one term is a term");
}

#[test]
fn what_is_deprecated_is_noted() {
    let noted = |body: &str| {
        let mut notes = vec![];
        crate::deprecated::collect(&mut notes, || SearchRequest::parse(Some(body.as_bytes()), &[])).unwrap();
        notes.join("; ")
    };
    for (body, note) in [
        (r#"{"docvalue_fields":["_id"]}"#, "Loading the fielddata on the _id field is deprecated"),
        (r#"{"aggs":{"a":{"terms":{"field":"_id"}}}}"#, "Loading the fielddata on the _id field is deprecated"),
        (
            r#"{"docvalue_fields":[{"field":"n","format":"use_field_mapping"}]}"#,
            "[use_field_mapping] is a special format",
        ),
        (r#"{"_source":{"include":["a"]}}"#, "Deprecated field [include] used, expected [includes] instead"),
        (r#"{"indices_boost":{"i":2}}"#, "Object format in indices_boost is deprecated"),
        (
            r#"{"sort":[{"n":{"nested_filter":{"match_all":{}}}}]}"#,
            "[nested_filter] has been deprecated in favour for the [nested] parameter",
        ),
        (
            r#"{"query":{"simple_query_string":{"query":"a","locale":"de"}}}"#,
            "Deprecated field [locale] used, replaced by [Decision is now made by the analyzer]",
        ),
        (
            r#"{"query":{"script":{"script":{"inline":"true"}}}}"#,
            "[script][1:40] Deprecated field [inline] used, expected [source] instead",
        ),
        (
            r#"{"script_fields":{"a":{"script":"params.doc['n'].value + params.docs"}}}"#,
            "Accessing variable [doc] via [params.doc] from within an field-script is deprecated",
        ),
        (
            r#"{"aggs":{"a":{"terms":{"field":"n","order":{"_term":"asc"}}}}}"#,
            "Deprecated aggregation order key [_term] used, replaced by [_key]",
        ),
        (r#"{"sort":["_id"]}"#, "Loading the fielddata on the _id field is deprecated"),
        (r#"{"query":{"common":{"t":"x"}}}"#, "Deprecated field [common] used, replaced by [[match] query"),
        (r#"{"query":{"match":{"t":{"query":"x","cutoff_frequency":1}}}}"#, "Deprecated field [cutoff_frequency] used"),
        (
            r#"{"query":{"field_masking_span":{"query":{"span_term":{"t":"x"}},"field":"k"}}}"#,
            "Deprecated field [field_masking_span] used, expected [span_field_masking] instead",
        ),
        (
            r#"{"query":{"intervals":{"t":{"match":{"query":"x","ordered":true}}}}}"#,
            "[match][1:60] Deprecated field [ordered] used, this field is unused and will be removed entirely",
        ),
        (
            r#"{"query":{"function_score":{"random_score":{"seed":3}}}}"#,
            "OpenSearch requires that a [field] parameter is provided when a [seed] is set",
        ),
        (
            r#"{"aggs":{"h":{"date_histogram":{"field":"d","interval":"month"}}}}"#,
            "[interval] on [date_histogram] is deprecated",
        ),
    ] {
        assert!(noted(body).starts_with(note), "{body}: {}", noted(body));
    }
    assert_eq!(noted(r#"{"query":{"match":{"t":"x"}},"sort":["k"]}"#), "");
}

#[test]
fn children_are_limited_at_the_top_of_a_nested_sort_alone() {
    let sorted = |nested: &str| {
        search(&sample(), &format!(r#"{{"_source":false,"sort":[{{"items.q":{{"nested":{nested}}}}}]}}"#))
    };
    let refused = sorted(r#"{"path":"items","nested":{"path":"items","max_children":1}}"#);
    assert!(refused.contains("max_children is only supported on top level of nested sort"), "{refused}");
    let all = sorted(r#"{"path":"items","max_children":2147483647}"#);
    assert!(all.contains(r#""sort":[1]"#), "{all}");
    let none = sorted(r#"{"path":"items","max_children":-1}"#);
    assert!(none.matches(r#""sort":[2147483647]"#).count() == 3, "{none}");
}

#[test]
fn scripts_sort_by_nested_documents() {
    let sorted = |options: &str| {
        let script = r#""script":"doc['items.q'].value""#;
        search(&sample(), &format!(r#"{{"_source":false,"sort":[{{"_script":{{{script},{options}}}}}]}}"#))
    };
    let least = sorted(r#""type":"number","nested":{"path":"items"}"#);
    assert!(least.contains(r#""sort":[1.0]"#) && least.contains(r#""sort":[1.7976931348623157E308]"#), "{least}");
    for (options, told) in [
        (r#""type":"number","mode":"median","nested":{"path":"items"}"#, "Unsupported sort mode: MEDIAN"),
        (r#""type":"number","nested":5"#, "[_script] nested doesn't support values of type: VALUE_NUMBER"),
        (r#""type":"number","nested":{"path":"k"}"#, "[nested] failed to find nested object under path [k]"),
        (
            r#""type":"number","nested_path":"items","nested":{"path":"items"}"#,
            "Setting both nested_path/nested_filter and nested not allowed",
        ),
        (r#""order":"x","type":"number""#, "failed to build [_script] after last required field arrived"),
        (r#""kind":1"#, "[_script] unknown field [kind]"),
    ] {
        let answer = sorted(options);
        assert!(answer.contains(told), "{options}: {answer}");
    }
}

#[test]
fn nested_documents_have_no_sequence_numbers() {
    let hits = r#"{"top_hits":{"size":1,"seq_no_primary_term":true}}"#;
    let body =
        format!(r#"{{"size":0,"aggs":{{"n":{{"nested":{{"path":"items"}},"aggs":{{"h":{hits}}}}},"h":{hits}}}}}"#);
    let answer = search(&sample(), &body);
    assert_eq!(answer.matches("_seq_no").count(), 1, "{answer}");
}

#[test]
fn a_percolated_document_has_no_routing() {
    let mapping =
        r#"{"properties":{"query":{"type":"percolator"},"link":{"type":"join","relations":{"question":"answer"}}}}"#;
    let stored = shard(mapping, &[&[r#"{"query":{"match_all":{}}}"#]]);
    let percolated = |document: &str| {
        search(&stored, &format!(r#"{{"query":{{"percolate":{{"field":"query","document":{document}}}}}}}"#))
    };
    assert!(percolated(r#"{"link":"question"}"#).contains(r#""value":1"#));
    let child = percolated(r#"{"link":{"name":"answer","parent":"1"}}"#);
    assert!(child.contains("failed to parse"), "{child}");
}

#[test]
fn what_stands_between_wildcards_is_normalized_by_itself() {
    let cx = shard(r#"{"properties":{"f":{"type":"text","analyzer":"french"}}}"#, &[&[r#"{"f":"l'eau"}"#]]);
    for (pattern, text) in [("*l'Eau*", "f:*eau*"), (r"a?L'Eau\\*l'EAU", r"f:a?eau\*eau")] {
        let query = format!(r#"{{"query_string":{{"query":"f:{pattern}"}}}}"#);
        let value = json::parse(query.as_bytes()).unwrap();
        assert_eq!(parse(&value, query.as_bytes()).unwrap().describe(&cx, false).unwrap(), text);
    }
}

#[test]
fn an_analyzed_prefix_is_rewritten_as_it_is_told() {
    let found = |options: &str| hits(&format!(r#"{{"query_string":{{"query":"k:x*"{options}}}}}"#));
    let scored = found(r#","rewrite":"scoring_boolean""#);
    assert_eq!(found(r#","analyze_wildcard":true"#), "1:1.0 3:1.0");
    assert_ne!(scored, "1:1.0 3:1.0");
    assert_eq!(found(r#","analyze_wildcard":true,"rewrite":"scoring_boolean""#), scored);
}

#[test]
fn functions_and_filters_go_by_names() {
    let explained = |function: &str| {
        let query = format!(r#"{{"function_score":{{"query":{{"term":{{"n":30}}}},"functions":[{function}]}}}}"#);
        search(&sample(), &format!(r#"{{"query":{query},"_source":false,"explain":true}}"#))
    };
    for (function, text) in [
        (r#"{"weight":2,"_name":"f"}"#, "constant score 1.0(_name: f) - no function provided"),
        (r#"{"weight":2,"_name":""}"#, "constant score 1.0 - no function provided"),
        (
            r#"{"filter":{"term":{"k":{"value":"y","_name":"inner"}}},"weight":2}"#,
            "match filter(_name: inner): ConstantScore(k:y)",
        ),
        (
            r#"{"field_value_factor":{"field":["n"]},"_name":"f"}"#,
            "field value function(_name: f): none(doc['n'].value * factor=1.0)",
        ),
        (
            r#"{"random_score":{"seed":5,"field":"n"},"_name":"f"}"#,
            "random score function (seed: 5, field: n, _name: f)",
        ),
        (
            r#"{"linear":{"n":{"origin":30,"scale":10}},"_name":"f"}"#,
            "max(0.0, ((20.0 - MIN[Math.max(Math.abs(30.0(=doc value) - 30.0(=origin))) - 0.0(=offset), 0)])/20.0, _name: f)",
        ),
    ] {
        let answer = explained(function);
        assert!(answer.contains(text), "{function}: {answer}");
    }
}

#[test]
fn bounds_beyond_all_numbers_and_numbers_of_operations() {
    for (query, expected) in [
        (r#"{"term":{"_seq_no":1}}"#, "2:1.0"),
        (r#"{"range":{"_seq_no":{"gt":0}}}"#, "2:1.0 3:1.0"),
        (r#"{"terms_set":{"k":{"minimum_should_match_field":"n"}}}"#, ""),
    ] {
        assert_eq!(hits(query), expected, "{query}");
    }
}

#[test]
fn of_terms_that_tell_as_much_the_first_of_a_document_is_taken() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"plain and"}"#]]);
    let body = br#"{"more_like_this":{"fields":["t"],"like":[{"doc":{"t":"plain and"}}],"min_term_freq":1,"min_doc_freq":1,"max_query_terms":1}}"#;
    let query = parse(&json::parse(body).unwrap(), body).unwrap();
    assert_eq!(query.describe(&cx, true).unwrap(), "t:and");
}

#[test]
fn documents_with_empty_texts_count_where_fields_are_not_all_that_is_looked_for() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"a"}"#, r#"{"t":""}"#, "{}"]]);
    let exists = r#"{"exists":{"field":"t"}}"#;
    let total = |query: &str| {
        let found = search(&cx, &format!(r#"{{"size":0,"track_total_hits":true,"query":{query}}}"#));
        found.split_once(r#""value":"#).map(|(_, rest)| rest[..1].to_owned())
    };
    assert_eq!(total(exists).as_deref(), Some("1"));
    for query in [
        format!(r#"{{"boosting":{{"positive":{exists},"negative":{{"term":{{"t":"a"}}}},"negative_boost":0.5}}}}"#),
        format!(r#"{{"function_score":{{"query":{exists}}}}}"#),
        format!(r#"{{"script_score":{{"query":{exists},"script":{{"source":"1"}}}}}}"#),
    ] {
        assert_eq!(total(&query).as_deref(), Some("2"), "{query}");
    }
}

#[test]
fn of_functions_nobody_hears_where_a_shard_finds_nothing() {
    let cx = shard(r#"{"properties":{"d":{"type":"date"},"n":{"type":"long"}}}"#, &[&[r#"{"d":"2020-01-01","n":1}"#]]);
    let scored = |date: &str| {
        let query = format!(r#"{{"range":{{"d":{{"gte":"{date}"}}}}}}"#);
        let functions = r#"[{"weight":2,"filter":{"range":{"d":{"gte":"no date"}}}}]"#;
        search(&cx, &format!(r#"{{"query":{{"function_score":{{"query":{query},"functions":{functions}}}}}}}"#))
    };
    assert!(scored("2021-01-01").contains(r#""total":{"value":0"#), "{}", scored("2021-01-01"));
    assert!(scored("2019-01-01").contains("failed to parse date field"), "{}", scored("2019-01-01"));
    // Who only tells of a query hears of them.
    let query = json::parse(br#"{"function_score":{"query":{"range":{"d":{"gte":"2021-01-01"}}},"functions":[{"weight":2,"filter":{"range":{"d":{"gte":"no date"}}}}]}}"#);
    let told = parse(&query.unwrap(), b"").unwrap().describe(&cx, false).unwrap_err();
    assert!(told.reason().contains("failed to parse date field"), "{told:?}");
}

#[test]
fn addresses_between_bounds_the_other_way_round_are_looked_for() {
    let cx = shard(r#"{"properties":{"a":{"type":"ip"}}}"#, &[&[r#"{"a":"10.0.0.1"}"#, r#"{"a":"10.0.0.9"}"#]]);
    let described = |lo: &str, hi: &str| {
        super::tests::described(&cx, &format!(r#"{{"range":{{"a":{{"gte":"{lo}","lte":"{hi}"}}}}}}"#), true)
    };
    assert!(described("10.0.0.8", "10.0.0.2").starts_with("IndexOrDocValuesQuery(indexQuery=a:[10.0.0.8 TO 10.0.0.2]"));
    let found = search(&cx, r#"{"query":{"range":{"a":{"gte":"10.0.0.8","lte":"10.0.0.2"}}}}"#);
    assert!(found.contains(r#""total":{"value":0"#), "{found}");
}
