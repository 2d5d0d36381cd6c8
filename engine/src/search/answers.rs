//! Queries whose answers once differed from the reference's, as `tests/differential` found them; with its answers.

use super::tests::{search, shard};
use super::*;

/// The hits of a query as `id:score`, or the error.
fn found(cx: &ShardContext, query: &str) -> String {
    let response = search(cx, &format!(r#"{{"query":{query},"_source":false}}"#));
    let hits: Vec<&str> = response.split(r#"{"_index":"i","_id":""#).skip(1).collect();
    if hits.is_empty() {
        return if response.contains(r#""hits":[]"#) { String::new() } else { response };
    }
    let one = |hit: &str| {
        let id = hit.split('"').next().unwrap_or_default();
        let score = hit.split(r#""_score":"#).nth(1).and_then(|rest| rest.split([',', '}']).next()).unwrap_or_default();
        format!("{id}:{score}")
    };
    hits.into_iter().map(one).collect::<Vec<_>>().join(" ")
}

fn sample() -> ShardContext {
    let mapping = r#"{"properties":{"t":{"type":"text"},"n":{"type":"integer"},"c":{"type":"constant_keyword","value":"always"},
        "p":{"type":"geo_point"},"s":{"type":"geo_shape"}}}"#;
    shard(
        mapping,
        &[&[
            r#"{"t":"a fox","n":5,"p":"50.2,10.1","s":"POINT (1 1)"}"#,
            r#"{"t":"42","n":30,"p":"50.2,11.1","s":"POLYGON ((0 0, 4 0, 4 4, 0 0))"}"#,
        ]],
    )
}

#[test]
fn signs_behind_a_field_are_ranges() {
    let cx = sample();
    assert_eq!(found(&cx, r#"{"query_string":{"query":"n:>5"}}"#), "2:1.0");
    assert_eq!(found(&cx, r#"{"query_string":{"query":"n:<=5"}}"#), "1:1.0");
    assert_eq!(found(&cx, r#"{"query_string":{"query":"-n:>=30 AND *:*"}}"#), "1:1.0");
}

#[test]
fn constant_keywords_have_their_value_in_every_document() {
    let cx = sample();
    for query in [
        r#"{"term":{"c":"always"}}"#,
        r#"{"terms":{"c":["never","always"]}}"#,
        r#"{"match":{"c":"always"}}"#,
        r#"{"prefix":{"c":"alw"}}"#,
        r#"{"wildcard":{"c":"*way*"}}"#,
        r#"{"regexp":{"c":"al.+"}}"#,
        r#"{"exists":{"field":"c"}}"#,
        r#"{"query_string":{"query":"always"}}"#,
        r#"{"simple_query_string":{"query":"always"}}"#,
        r#"{"multi_match":{"query":"always","fields":["*"]}}"#,
    ] {
        assert_eq!(found(&cx, query), "1:1.0 2:1.0", "{query}");
    }
    assert_eq!(found(&cx, r#"{"term":{"c":"never"}}"#), "");
    assert_eq!(found(&cx, r#"{"prefix":{"c":"b"}}"#), "");
    assert_eq!(found(&cx, r#"{"wildcard":{"c":"*way?"}}"#), "", "nothing stands for one character there");
}

#[test]
fn a_filter_of_functions_is_a_filter() {
    let query =
        r#"{"bool":{"must":{"match_all":{}},"filter":{"function_score":{"query":{"term":{"n":5}},"weight":2}}}}"#;
    assert_eq!(found(&sample(), query), "1:1.0");
}

#[test]
fn queries_that_hold_others_are_highlighted_by_them() {
    let highlighted = |query: &str| {
        let body = format!(r#"{{"query":{query},"_source":false,"highlight":{{"fields":{{"t":{{}}}}}}}}"#);
        search(&sample(), &body).contains("<em>fox</em>")
    };
    let fox = r#"{"match":{"t":"fox"}}"#;
    for query in [
        format!(r#"{{"function_score":{{"query":{fox},"weight":2}}}}"#),
        format!(r#"{{"script_score":{{"query":{fox},"script":{{"source":"1"}}}}}}"#),
        format!(r#"{{"boosting":{{"positive":{fox},"negative":{{"match":{{"t":"42"}}}},"negative_boost":0.5}}}}"#),
        r#"{"terms_set":{"t":{"terms":["fox"],"minimum_should_match_script":{"source":"1"}}}}"#.to_owned(),
        r#"{"intervals":{"t":{"prefix":{"prefix":"fo"}}}}"#.to_owned(),
        r#"{"span_near":{"clauses":[{"span_term":{"t":"a"}},{"span_term":{"t":"fox"}}],"slop":1}}"#.to_owned(),
    ] {
        assert!(highlighted(&query), "{query}");
    }
    let filter = format!(r#"{{"function_score":{{"functions":[{{"filter":{fox},"weight":2}}]}}}}"#);
    assert!(!highlighted(&filter), "what functions look at is not what matches");
}

#[test]
fn hits_sorted_by_a_field_show_no_score() {
    let shown = |more: &str| {
        let body = format!(r#"{{"query":{{"match":{{"t":"fox"}}}},"sort":["n"],"_source":false{more}}}"#);
        !search(&sample(), &body).contains(r#""_score":null"#)
    };
    assert!(!shown("") && !shown(r#","min_score":0.1"#) && shown(r#","track_scores":true"#));
}

#[test]
fn numbers_are_not_fuzzy_and_only_texts_have_phrases() {
    let error = |query: &str| search(&sample(), &format!(r#"{{"query":{query}}}"#));
    assert!(
        error(r#"{"match":{"n":{"query":5,"fuzziness":1}}}"#)
            .contains("Can only use fuzzy queries on keyword and text fields - not on [n] which is of type [integer]")
    );
    assert!(
        error(r#"{"more_like_this":{"like":"fox"}}"#).contains("cannot infer the field to analyze the free text"),
        "no text is like a text of all fields"
    );
    assert!(error(r#"{"match_phrase_prefix":{"c":"al"}}"#).contains(
        "Can only use phrase prefix queries on text fields - not on [c] which is of type [constant_keyword]"
    ));
}

#[test]
fn constant_keywords_have_one_bucket_under_the_name_of_the_index() {
    let found = search(&sample(), r#"{"size":0,"aggs":{"x":{"terms":{"field":"c"}}}}"#);
    assert!(found.contains(r#""buckets":[{"key":"i","doc_count":2}]"#), "{found}");
}

#[test]
fn collapsed_hits_show_their_group_once() {
    let body = r#"{"query":{"term":{"n":5}},"collapse":{"field":"n"},"docvalue_fields":["n"],"_source":false}"#;
    assert!(search(&sample(), body).contains(r#""fields":{"n":[5]}"#));
}

#[test]
fn a_single_function_is_no_average() {
    let query = r#"{"function_score":{"query":{"match_all":{}},"weight":10,"score_mode":"avg","boost_mode":"max"}}"#;
    assert_eq!(found(&sample(), query), "1:10.0 2:10.0");
}

#[test]
fn terms_as_far_away_as_they_are_long_match_without_a_score() {
    assert_eq!(found(&sample(), r#"{"fuzzy":{"t":{"value":"4","fuzziness":1}}}"#), "1:0.0 2:0.0");
}

#[test]
fn words_that_all_have_to_match_are_no_optional_clauses() {
    let with = |minimum: &str| {
        let options = format!(r#""operator":"and","minimum_should_match":"{minimum}""#);
        found(&sample(), &format!(r#"{{"match":{{"t":{{"query":"a fox",{options}}}}}}}"#))
    };
    assert_eq!(with("1"), "");
    assert!(with("75%").starts_with("1:"));
}

#[test]
fn places_near_an_origin_come_first() {
    let query = r#"{"distance_feature":{"field":"p","origin":[11.1,50.2],"pivot":"2mi","boost":2}}"#;
    assert_eq!(found(&sample(), query), "2:2.0 1:0.08652945");
    assert_eq!(
        found(&sample(), r#"{"geo_bounding_box":{"p":{"top_left":"u1","bottom_right":"u0"}}}"#),
        "1:1.0 2:1.0",
        "each geohash is a cell with corners"
    );
}

#[test]
fn shapes_score_only_what_they_are_boosted() {
    let query = |boost: &str| {
        let shape = r#"{"type":"envelope","coordinates":[[2,2],[3,1]]}"#;
        found(&sample(), &format!(r#"{{"geo_shape":{{"s":{{"shape":{shape}}}{boost}}}}}"#))
    };
    assert_eq!(query(""), "2:0.0");
    assert_eq!(query(r#","boost":1"#), "2:1.0");
}

#[test]
fn what_stands_below_a_flat_object_is_text_behind_its_path() {
    let mapping = r#"{"properties":{"f":{"type":"flat_object"},"n":{"type":"integer"}}}"#;
    let cx = shard(mapping, &[&[r#"{"f":{"a":{"b":"John"},"c":7},"n":1}"#, r#"{"f":{"a":{"b":"Mike"},"c":8},"n":2}"#]]);
    let enough = r#"{"terms_set":{"f.a.b":{"terms":["John","Mike"],"minimum_should_match_field":"n"}}}"#;
    assert_eq!(found(&cx, enough).split(':').next(), Some("1"));
    let close = |text: &str| format!(r#"{{"constant_score":{{"filter":{{"fuzzy":{{"f.a.b":"{text}"}}}}}}}}"#);
    assert_eq!(found(&cx, &close("Mika")), "2:1.0");
    assert_eq!(found(&cx, &close("Maria")), "");
    let refused = search(&cx, r#"{"size":0,"aggs":{"a":{"avg":{"field":"f.c"}}}}"#);
    assert!(refused.contains("Field [f.c] of type [flat_object] is not supported for aggregation [avg]"), "{refused}");
}

#[test]
fn a_text_ends_for_the_plain_highlighter_where_its_analysis_ends() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"The quick brown fox"}"#]]);
    let body =
        r#"{"query":{"match":{"t":"quick"}},"highlight":{"type":"plain","fields":{"t":{"max_analyzer_offset":10}}}}"#;
    assert!(search(&cx, body).contains(r#""highlight":{"t":["The <em>quick</em> "]}"#));
}

#[test]
fn what_asks_for_too_much_is_refused() {
    let cx = sample();
    let long = "a".repeat(32_001);
    let refused = found(&cx, &format!(r#"{{"query_string":{{"query":"{long}"}}}}"#));
    assert!(refused.contains("Failed to parse query ["), "{}", &refused[..80]);
    let some = |of: usize| {
        let terms: Vec<String> = (0..30).map(|n| format!(r#"{{"term":{{"t":"w{of}x{n}"}}}}"#)).collect();
        format!(r#"{{"bool":{{"should":[{}]}}}}"#, terms.join(","))
    };
    let many = format!(r#"{{"dis_max":{{"queries":[{}]}}}}"#, (0..35).map(some).collect::<Vec<_>>().join(","));
    assert!(found(&cx, &many).contains("Query contains too many nested clauses; maxClauseCount is set to 1024"));
    let phrase = format!(r#"{{"match_phrase":{{"t":"{}"}}}}"#, "a ".repeat(8_193));
    assert!(found(&cx, &phrase).contains("a phrase may have at most [8192] positions"));
    let filters = vec![r#"{"match_all":{}}"#; 70_000].join(",");
    let aggs = search(&cx, &format!(r#"{{"size":0,"aggs":{{"x":{{"filters":{{"filters":[{filters}]}}}}}}}}"#));
    assert!(aggs.contains("Trying to create too many buckets"), "{aggs}");
}

#[test]
fn scores_fall_with_the_distance_of_places() {
    let cx = sample();
    let decayed = |decay: &str| found(&cx, &format!(r#"{{"function_score":{decay}}}"#));
    let gauss = decayed(r#"{"gauss":{"p":{"origin":"50,10","scale":"100km"}}}"#);
    assert_eq!(gauss, "1:0.96289825 2:0.6306805");
    let exp = decayed(r#"{"exp":{"p":{"origin":[10,50],"scale":"100km","offset":"5km","decay":0.3}}}"#);
    assert_eq!(exp, "1:0.8017271 2:0.39787182");
    assert_eq!(decayed(r#"{"linear":{"p":{"scale":"20000km"}}}"#), "1:0.8584046 2:0.85798347");
}

#[test]
fn combined_fields_without_a_list_means_none() {
    let cx = sample();
    assert_eq!(found(&cx, r#"{"combined_fields":{"query":"fox"}}"#), "");
    let one = r#"{"combined_fields":{"query":"fox","fields":["t"],"minimum_should_match":1}}"#;
    assert_eq!(found(&cx, one), "1:0.2772589");
}

#[test]
fn fuzzy_terms_that_change_more_than_there_is_count_for_nothing() {
    assert_eq!(found(&sample(), r#"{"fuzzy":{"t":{"value":"of","fuzziness":2}}}"#), "1:0.0 2:0.0");
}

#[test]
fn the_best_score_of_a_later_page_is_that_of_its_first_hit() {
    let cx = sample();
    let page = |after: &str| {
        let query = r#"{"range":{"n":{"gte":0,"boost":2}}}"#;
        let body = format!(r#"{{"query":{query},"sort":["_score","n"],"_source":false{after}}}"#);
        let response = search(&cx, &body);
        response.split(r#""max_score":"#).nth(1).and_then(|rest| rest.split(',').next()).unwrap_or_default().to_owned()
    };
    assert_eq!(page(""), "2.0");
    assert_eq!(page(r#","search_after":[2.0,5]"#), "2.0");
    assert_eq!(page(r#","search_after":[2.0,30]"#), "null");
}

#[test]
fn pairs_of_words_find_phrases_where_they_are_indexed() {
    let mapping = r#"{"properties":{"p":{"type":"text","index_phrases":true},
        "k":{"type":"keyword","use_similarity":true},"b":{"type":"keyword","use_similarity":true,"similarity":"boolean"}}}"#;
    let docs = [
        r#"{"p":"quick brown fox","k":"quick","b":"quick"}"#,
        r#"{"p":"the quick fox jumps","k":"the","b":"the"}"#,
        r#"{"p":"brown fox quick brown fox","k":"brown","b":"brown"}"#,
        r#"{"p":"fox","k":"fox","b":"fox"}"#,
    ];
    let cx = shard(mapping, &[&docs]);
    for (query, expected) in [
        (r#"{"match_phrase":{"p":"quick brown"}}"#, "1:0.24737033 3:0.18800145"),
        (r#"{"match_phrase":{"p":"quick brown fox"}}"#, "1:0.49474066 3:0.3760029"),
        // With slop, and of one word, the words themselves count.
        (r#"{"match_phrase":{"p":{"query":"quick fox","slop":1}}}"#, "2:0.19189969 1:0.1416618 3:0.10574752"),
        (r#"{"match_phrase":{"p":"quick"}}"#, "1:0.16739257 2:0.14813974 3:0.13285884"),
        (r#"{"query_string":{"query":"\"brown fox\"","default_field":"p"}}"#, "3:0.26857352 1:0.24737033"),
        // Exact values are scored where the mapping wants it.
        (r#"{"term":{"k":"quick"}}"#, "1:0.54726034"),
        (r#"{"match":{"b":"fox"}}"#, "4:1.0"),
    ] {
        assert_eq!(found(&cx, query), expected, "{query}");
    }
    let explained = search(&cx, r#"{"query":{"match_phrase":{"p":"quick brown"}},"explain":true,"size":1}"#);
    assert!(explained.contains("weight(p._index_phrase:quick brown in 0)"), "{explained}");
}

#[test]
fn what_begins_within_is_contained() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword"}}}"#;
    let docs = [r#"{"t":"the quick fox jumps"}"#, r#"{"t":"brown fox quick brown fox"}"#];
    let cx = shard(mapping, &[&docs]);
    let both = |a: &str, b: &str, more: &str| {
        let of = |word: &str| format!(r#"{{"match":{{"query":"{word}"}}}}"#);
        format!(r#"{{"all_of":{{"intervals":[{},{}]{more}}}}}"#, of(a), of(b))
    };
    let other = both("brown", "fox", "");
    let rule = both("quick", "fox", &format!(r#","filter":{{"not_containing":{other}}}"#));
    assert_eq!(found(&cx, &format!(r#"{{"intervals":{{"t":{rule}}}}}"#)), "1:0.5");
    let refused = found(&cx, r#"{"intervals":{"k":{"match":{"query":"a"}}}}"#);
    assert!(refused.contains("not on [k] which is of type [keyword]"), "{refused}");
}

#[test]
fn the_number_of_hits_does_not_depend_on_how_they_are_looked_at() {
    let cx = shard(
        r#"{"properties":{"t":{"type":"text"},"n":{"type":"integer"}}}"#,
        &[&[r#"{"t":"","n":1}"#, r#"{"t":"fox","n":2}"#, r#"{"t":"fox","n":3}"#]],
    );
    for sort in [r#"["n"]"#, r#"["_score","n"]"#] {
        let found = search(&cx, &format!(r#"{{"query":{{"exists":{{"field":"t"}}}},"sort":{sort}}}"#));
        assert!(found.contains(r#""total":{"value":2,"relation":"eq"}"#), "{found}");
    }
    // A slice that is all of a shard counts what stands before the page.
    let body =
        r#"{"query":{"range":{"n":{"lte":3}}},"sort":[{"n":"desc"}],"search_after":[3],"slice":{"id":0,"max":2}}"#;
    let scope = ShardScope { reads: Reads::PointInTime, ..ShardScope::default() };
    let found = super::tests::search_within(&cx, body, &scope);
    assert!(found.contains(r#""total":{"value":3,"relation":"eq"}"#), "{found}");
    // What nobody scores has no boost.
    let scored = r#"{"script_score":{"query":{"match_all":{}},"script":{"source":"0.5"},"min_score":1,"boost":3}}"#;
    for (size, total) in [(0, 0), (1, 3)] {
        let found = search(&cx, &format!(r#"{{"query":{scored},"size":{size}}}"#));
        assert!(found.contains(&format!(r#""total":{{"value":{total},"#)), "{found}");
    }
}

#[test]
fn what_a_query_grows_to_is_told_last() {
    let words: Vec<String> = (0..1_100).map(|n| format!("w{n}")).collect();
    let words = format!(r#"{{"t":"{}"}}"#, words.join(" "));
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[words.as_str(), r#"{"t":"a"}"#, r#"{"t":"b"}"#]]);
    let many = r#"{"span_multi":{"match":{"prefix":{"t":{"value":"w"}}}}}"#;
    assert!(found(&cx, many).contains("exceeds maxClauseCount"));
    let lowered =
        format!(r#"{{"boosting":{{"positive":{{"match_all":{{}}}},"negative":{many},"negative_boost":0.5}}}}"#);
    assert!(found(&cx, &lowered).contains("exceeds maxClauseCount"), "{}", found(&cx, &lowered));
    let counted = search(&cx, &format!(r#"{{"query":{lowered},"size":0}}"#));
    assert!(counted.contains(r#""total":{"value":3,"#), "{counted}");
    let beside = format!(r#"{{"bool":{{"must":[{many},{{"query_string":{{"query":"t:a~x"}}}}]}}}}"#);
    assert!(found(&cx, &beside).contains(r#"For input string: "X""#), "{}", found(&cx, &beside));
    let sorted = search(&cx, &format!(r#"{{"query":{many},"sort":["none"]}}"#));
    assert_eq!(sorted, "query_shard_exception: No mapping found for [none] in order to sort on");
    let value = crate::json::parse(many.as_bytes()).expect("JSON");
    let query = crate::query::parse(&value, many.as_bytes()).expect("a query");
    assert_eq!(query.describe(&cx, false).expect("not expanded"), "SpanMultiTermQueryWrapper(t:w*)");
    assert!(query.describe(&cx, true).is_err());
    let marked = search(&cx, &format!(r#"{{"highlight":{{"highlight_query":{many},"fields":{{"t":{{}}}}}}}}"#));
    assert!(marked.contains(r#""total":{"value":3"#), "{marked}");
    // Each part is opened, though the others match nothing together.
    let pattern = r#"{"intervals":{"t":{"prefix":{"prefix":"w"}}}}"#;
    let both = |first: &str| {
        format!(r#"{{"bool":{{"must":[{{"term":{{"t":"{first}"}}}},{{"term":{{"t":"b"}}}}],"must_not":[{pattern}]}}}}"#)
    };
    assert!(found(&cx, &both("a")).contains("Automaton [w*] expanded to too many terms (limit 128)"));
    assert_eq!(found(&cx, &both("c")), "");
    // Without scores a term is looked up late, if it may be in the field at all.
    let filtered = |first: &str| format!(r#"{{"bool":{{"filter":[{{"term":{{"t":"{first}"}}}},{pattern}]}}}}"#);
    assert!(found(&cx, &filtered("abc")).contains("expanded to too many terms"));
    assert_eq!(found(&cx, &filtered("zz")), "");
    let apart = r#"{"bool":{"must":[{"term":{"t":"a"}},{"term":{"t":"b"}}]}}"#;
    let lowered = format!(r#"{{"boosting":{{"positive":{apart},"negative":{pattern},"negative_boost":0.5}}}}"#);
    assert!(found(&cx, &lowered).contains("expanded to too many terms"));
    let mut profiled = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[words.as_str(), r#"{"t":"a"}"#]]);
    profiled.profile = Some(|| 0);
    let apart = r#"{"span_near":{"clauses":[{"span_term":{"t":"a"}},{"span_term":{"t":"w1"}}]}}"#;
    let told = search(
        &profiled,
        &format!(r#"{{"profile":true,"query":{{"bool":{{"must":[{apart}],"filter":[{pattern}]}}}}}}"#),
    );
    assert!(told.contains("expanded to too many terms"), "{told}");
    let counted = search(&cx, &format!(r#"{{"size":0,"query":{}}}"#, filtered("abc")));
    assert!(counted.contains(r#""total":{"value":0,"#), "which is known to be none: {counted}");
    let nowhere = format!(r#"{{"bool":{{"must":[{{"prefix":{{"t":"c"}}}}],"must_not":[{pattern}]}}}}"#);
    assert!(found(&cx, &nowhere).contains("expanded to too many terms"));
    let in_function = nowhere.replace(pattern, &format!(r#"{{"function_score":{{"query":{pattern},"weight":2}}}}"#));
    assert!(found(&cx, &in_function).contains("expanded to too many terms"), "wherever it stands");
    let within = r#"{"intervals":{"t":{"prefix":{"prefix":"w","use_field":"t"}}}}"#;
    assert!(found(&cx, within).contains("expanded to too many terms"));
    let nothing = r#"{"intervals":{"t":{"all_of":{"intervals":[{"prefix":{"prefix":"w"}}],"filter":{"contained_by":{"match":{"query":"-"}}}}}}}"#;
    assert_eq!(found(&cx, nothing), "");
}

#[test]
fn dates_before_nanoseconds_are_refused_as_sort_keys() {
    let docs = [r#"{"d":"2000-01-01"}"#, r#"{"d":"1969-08-01"}"#, r#"{"d":"1969-09-01"}"#];
    let cx = shard(r#"{"properties":{"d":{"type":"date"}}}"#, &[&docs]);
    let sorted = |query: &str| {
        search(&cx, &format!(r#"{{"query":{query},"sort":[{{"d":{{"numeric_type":"date_nanos"}}}}],"_source":false}}"#))
    };
    let refused = "milliSeconds [-13219200000] are before the epoch in 1970 and cannot be converted to nanoseconds";
    assert!(sorted(r#"{"match_all":{}}"#).contains(refused), "{}", sorted(r#"{"match_all":{}}"#));
    assert!(sorted(r#"{"range":{"d":{"gte":"1999"}}}"#).contains(r#""sort":[946684800000000000]"#));
}

#[test]
fn a_named_analyzer_makes_values_of_each_part() {
    let cx = sample();
    let described = |query: &str| {
        let value = crate::json::parse(query.as_bytes()).expect("JSON");
        crate::query::parse(&value, query.as_bytes()).expect("a query").describe(&cx, false).expect("described")
    };
    let several = r#"{"query_string":{"query":"5\\-x","fields":["n"],"analyzer":"standard","lenient":true}}"#;
    assert_eq!(
        described(several),
        r#"IndexOrDocValuesQuery(indexQuery=n:[5 TO 5], dvQuery=n:[5 TO 5]) MatchNoDocsQuery("failed [n] query, caused by number_format_exception:[For input string: "x"]")"#
    );
    let pattern = r#"{"query_string":{"query":"n:i?*","analyzer":"standard","analyze_wildcard":true}}"#;
    assert_eq!(described(pattern), "n:i?*");
}

#[test]
fn scripts_count_terms_and_read_what_is_stored() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword","store":true},"n":{"type":"integer"},"o":{"type":"flat_object"},"a":{"type":"ip"}}}"#;
    let second = r#"{"t":"a","k":["y","z"],"o":{"b":"2","a":{"c":"1"}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"a fox a","k":"x","n":1}"#, second], &[r#"{"t":"no fox"}"#]]);
    let scored = |script: &str| {
        found(&cx, &format!(r#"{{"script_score":{{"query":{{"match_all":{{}}}},"script":{{"source":"{script}"}}}}}}"#))
    };
    assert_eq!(scored("termFreq('t', 'a')"), "1:2.0 2:1.0 3:0.0");
    assert_eq!(scored("totalTermFreq('t', 'fox') + sumTotalTermFreq('t')"), "1:8.0 2:8.0 3:8.0");
    assert_eq!(scored("termFreq('none', 'a') + totalTermFreq('t', 'none')"), "1:0.0 2:0.0 3:0.0");
    let read = |script: &str| {
        let body =
            format!(r#"{{"query":{{"ids":{{"values":["2"]}}}},"script_fields":{{"f":{{"script":"{script}"}}}}}}"#);
        search(&cx, &body)
    };
    assert!(read("params._fields['k'].values").contains(r#""fields":{"f":["y","z"]}"#));
    assert!(read("params._fields.k.value + params._fields.containsKey('none')").contains(r#"["yfalse"]"#));
    assert!(read("params._fields['n'].value").contains("Index 0 out of bounds for length 0"));
    assert!(read("doc['o']").contains(r#""f":["o.1","o.2"]"#));
    assert!(read("doc['k'].subList(1, 2)").contains(r#""f":["z"]"#), "{}", read("doc['k'].subList(1, 2)"));
    assert!(read("doc['k'].subList(-1, 1)").contains("fromIndex = -1"));
    assert!(read("doc['a'].value == null").contains(r#""f":[true]"#), "{}", read("doc['a'].value == null"));
    assert!(read("doc['a'].get(0)").contains("A document doesn't have a value for a field"));
    // Whether a member could give what is wanted is told before it is asked.
    let sorted =
        |script: &str| search(&cx, &format!(r#"{{"sort":{{"_script":{{"type":"string","script":"{script}"}}}}}}"#));
    assert!(sorted("return doc['n'].value").contains("cannot convert MethodHandle(Longs)long to (Object)String"));
    assert!(sorted("return doc['n'].add(1)").contains("cannot convert MethodHandle(Collection,Object)boolean to"));
    assert!(read("doc['k'].hashCode() == ['y', 'z'].hashCode()").contains(r#""f":[true]"#));
    assert!(
        read("doc['k'] * 2")
            .contains("types [org.opensearch.index.fielddata.ScriptDocValues.Strings] and [java.lang.Integer]")
    );
    assert!(
        read("doc['k'].none(doc['k'])")
            .contains("[org.opensearch.index.fielddata.ScriptDocValues.Strings, none/1] not found")
    );
    assert!(read("doc['n'].iterator().next()").contains("A document doesn't have a value for a field!"));
}

#[test]
fn scores_that_nobody_asks_for_are_explained_as_such() {
    let cx = sample();
    let explained = |query: &str| {
        let function = format!(r#"{{"query":{query},"script_score":{{"script":"3"}},"boost_mode":"replace"}}"#);
        search(&cx, &format!(r#"{{"explain":true,"query":{{"function_score":{function}}}}}"#))
    };
    let term = explained(r#"{"match":{"t":"fox"}}"#);
    assert!(term.contains(r#"{"value":0.0,"description":"score(freq=1.0), with freq of:""#), "{term}");
    let phrase = explained(r#"{"match_phrase":{"t":"a fox"}}"#);
    assert!(phrase.contains(r#"{"value":1.0,"description":"score(freq=1.0), with freq of:""#), "{phrase}");
    let span = explained(r#"{"span_term":{"t":"fox"}}"#);
    assert!(span.contains(r#""description":"match t:fox in 0 without score""#), "{span}");
}

#[test]
fn what_is_wrong_with_clauses_is_told_in_the_order_of_their_kinds() {
    let cx = sample();
    let wrong = |kind: &str| format!(r#""{kind}":{{"match":{{"t":{{"query":"a","analyzer":"for_{kind}"}}}}}}"#);
    for (kinds, told) in [
        (["filter", "should", "must_not"], "must_not"),
        (["filter", "should", "should"], "should"),
        (["must_not", "filter", "must"], "must"),
    ] {
        let mut clauses = kinds.map(wrong).to_vec();
        clauses.dedup();
        let answer = search(&cx, &format!(r#"{{"query":{{"bool":{{{}}}}}}}"#, clauses.join(",")));
        assert!(answer.contains(&format!("analyzer [for_{told}] not found")), "{kinds:?} {answer}");
    }
}
