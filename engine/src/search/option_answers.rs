//! What options of searches come to, as the reference has it.

use super::tests::{described, search, shard};

#[test]
fn rescorers_only_weigh_what_is_beyond_their_window() {
    let cx = shard(
        r#"{"properties":{"t":{"type":"text"}}}"#,
        &[&[r#"{"t":"fox quick"}"#, r#"{"t":"fox quick dog cat"}"#, r#"{"t":"fox quick dog cat cow hen"}"#]],
    );
    let found = search(
        &cx,
        r#"{"query":{"match":{"t":"fox"}},"explain":true,"_source":false,
            "rescore":{"window_size":1,"query":{"rescore_query":{"match":{"t":"quick"}}}}}"#,
    );
    let second: Vec<&str> = found.split("_explanation").skip(1).map(|hit| &hit[..60]).collect();
    assert!(second[0].contains("sum of:"), "{found}");
    assert!(second[1].contains("product of:") && second[2].contains("product of:"), "{found}");
    assert_eq!(found.matches("secondaryWeight").count(), 1);
}

#[test]
fn what_goes_wrong_in_rescorers_is_told() {
    let mapping = r#"{"properties":{"n":{"type":"long"},"t":{"type":"text"}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"a","n":1}"#, r#"{"t":"b","n":-5}"#]]);
    let rescored = |term: &str, window: usize| {
        let query = format!(r#"{{"term":{{"t":"{term}"}}}}"#);
        let factor = r#"[{"field_value_factor":{"field":"n"}}]"#;
        let second = format!(r#"{{"function_score":{{"query":{query},"functions":{factor},"boost_mode":"replace"}}}}"#);
        let rescore = format!(r#"{{"window_size":{window},"query":{{"rescore_query":{second}}}}}"#);
        search(&cx, &format!(r#"{{"rescore":{rescore},"_source":false}}"#))
    };
    assert!(rescored("a", 2).contains(r#""max_score":2.0"#), "{}", rescored("a", 2));
    assert!(rescored("b", 1).contains(r#""max_score":1.0"#), "the one that fails is beyond the window");
    let failure = "field value function must not produce negative scores, but got: [-5.0] for field value: [-5.0]";
    assert!(rescored("b", 2).contains(failure), "{}", rescored("b", 2));
}

#[test]
fn what_goes_wrong_in_sorts_of_groups_is_told() {
    let cx = shard(r#"{"properties":{"n":{"type":"long"}}}"#, &[&[r#"{"n":1}"#, r#"{"n":2}"#]]);
    let script =
        r#"{"type":"number","script":"if (doc['n'].value > 1) { throw new IllegalArgumentException('x') } return 1"}"#;
    let sorted = |rest: &str| search(&cx, &format!(r#"{{"sort":[{{"_script":{script}}}]{rest}}}"#));
    assert!(sorted(r#","query":{"term":{"n":1}},"collapse":{"field":"n"}"#).contains(r#""sort":[1.0]"#));
    for rest in ["", r#","collapse":{"field":"n"}"#] {
        assert!(sorted(rest).contains("runtime error"), "{}", sorted(rest));
    }
}

#[test]
fn completions_are_terms_as_a_whole() {
    let cx = shard(
        r#"{"properties":{"c":{"type":"completion"}}}"#,
        &[&[r#"{"c":["quick start","quiz"]}"#, r#"{"c":"slow start"}"#]],
    );
    assert_eq!(described(&cx, r#"{"match":{"c":"Quick start"}}"#, true), "c:quick\u{1f}start");
    assert_eq!(described(&cx, r#"{"exists":{"field":"c"}}"#, true), "ConstantScore(_field_names:c)");
    let found = search(&cx, r#"{"query":{"match":{"c":"quick start"}},"explain":true}"#);
    assert!(found.contains(r#""value":2.0,"description":"dl, length of field""#), "{found}");
}

#[test]
fn fast_highlighter_passes_over_what_a_pattern_names_without_vectors() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"v":{"type":"text","term_vector":"with_positions_offsets"}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"fox","v":"fox"}"#]]);
    let body = |name: &str| {
        format!(r#"{{"query":{{"match":{{"v":"fox"}}}},"highlight":{{"type":"fvh","fields":{{"{name}":{{}}}}}}}}"#)
    };
    assert!(search(&cx, &body("*")).contains(r#""highlight":{"v":["<em>fox</em>"]}"#));
    assert!(search(&cx, &body("t")).contains("should be indexed with term vector with position offsets"));
}

#[test]
fn joined_fields_are_looked_through_by_patterns() {
    let mapping = r#"{"properties":{"j":{"type":"join","relations":{"question":"answer"}}}}"#;
    let cx = shard(mapping, &[&[r#"{"j":"question"}"#]]);
    for query in [r#"{"prefix":{"j":"q"}}"#, r#"{"wildcard":{"j":"*tion"}}"#, r#"{"regexp":{"j":"q.*"}}"#] {
        assert!(search(&cx, &format!(r#"{{"query":{query}}}"#)).contains(r#""value":1"#), "{query}");
    }
}

#[test]
fn inner_hits_of_nothing_stored_show_no_source() {
    let mapping = r#"{"properties":{"n":{"type":"nested","properties":{"k":{"type":"keyword"}}}}}"#;
    let cx = shard(mapping, &[&[r#"{"n":{"k":"a"}}"#]]);
    let inner = |options: &str| {
        let query = format!(r#"{{"nested":{{"path":"n","query":{{"term":{{"n.k":"a"}}}},"inner_hits":{options}}}}}"#);
        search(&cx, &format!(r#"{{"query":{query},"_source":false}}"#))
    };
    assert!(inner("{}").contains(r#""_source":{"k":"a"}"#));
    let bare = inner(r#"{"stored_fields":"_none_"}"#);
    assert!(bare.contains(r#""_nested""#) && !bare.contains("_source"), "{bare}");
    let collapsed = inner(r#"{"collapse":{"field":"n.k"}}"#);
    assert!(!collapsed.contains(r#""fields""#), "{collapsed}");
}

#[test]
fn malformed_places_cannot_be_looked_around() {
    let cx = shard(r#"{"properties":{"p":{"type":"geo_point"}}}"#, &[&[r#"{"p":"1,2"}"#]]);
    let around = |place: &str| {
        let options = r#""distance":"1km","validation_method":"IGNORE_MALFORMED""#;
        described(&cx, &format!(r#"{{"geo_distance":{{{options},"p":"{place}"}}}}"#), true)
    };
    assert_eq!(around("100,200"), "failed to create query: invalid latitude 100.0; must be between -90.0 and 90.0");
    assert_eq!(around("10,200"), "failed to create query: invalid longitude 200.0; must be between -180.0 and 180.0");
}

#[test]
fn ranges_end_where_there_is_one_more_than_is_counted() {
    // The first document has the greatest value, which is not among the first 512.
    let docs: Vec<String> =
        (0..1_024).map(|at| format!(r#"{{"n":{}}}"#, if at == 0 { 1_023 } else { at - 1 })).collect();
    let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
    let cx = shard(r#"{"properties":{"n":{"type":"long"}}}"#, &[&docs]);
    let first = |counted: usize| {
        let range = r#""query":{"range":{"n":{"gte":212}}}"#;
        search(&cx, &format!(r#"{{{range},"size":1,"track_total_hits":{counted},"_source":false}}"#))
    };
    assert!(first(299).contains(r#""_id":"214""#) && first(300).contains(r#""_id":"1""#));
}

#[test]
fn shapes_lie_to_circles_by_their_corners_and_edges() {
    let triangle = |corners: &str| format!(r#"{{"s":{{"type":"polygon","coordinates":[[{corners}]]}}}}"#);
    let docs = [
        triangle("[-5.71,10.58],[-0.14,10.58],[-0.14,15.85],[-5.71,10.58]"),
        triangle("[20,0],[20.9,0],[20.9,0.9],[20,0]"),
    ];
    let cx = shard(r#"{"properties":{"s":{"type":"geo_shape"}}}"#, &[&docs.each_ref().map(String::as_str)]);
    let found = |query: String| {
        let answer = search(&cx, &format!(r#"{{"query":{query},"_source":false}}"#));
        ["1", "2"].into_iter().filter(|id| answer.contains(&format!(r#""_id":"{id}""#))).collect::<String>()
    };
    for (center, radius, meeting, within, containing) in [
        ("[-3,10]", "100km", "1", "", ""),
        ("[-3,10]", "60km", "", "", ""),
        ("[20.45,-0.2]", "30km", "2", "", ""),
        ("[20.6,0.2]", "1km", "2", "", "2"),
        ("[20.5,0.4]", "100km", "2", "2", ""),
        ("[-1,12]", "1000km", "1", "1", ""),
    ] {
        let so = |relation: &str| {
            let circle = format!(r#"{{"type":"circle","coordinates":{center},"radius":"{radius}"}}"#);
            found(format!(r#"{{"geo_shape":{{"s":{{"shape":{circle},"relation":"{relation}"}}}}}}"#))
        };
        assert_eq!(
            (so("intersects"), so("within"), so("contains")),
            (meeting.into(), within.into(), containing.into())
        );
        assert_eq!(so("disjoint").len() + meeting.len(), 2, "{center}");
        assert_eq!(found(format!(r#"{{"geo_distance":{{"distance":"{radius}","s":{center}}}}}"#)), meeting, "{center}");
    }
}

#[test]
fn places_to_compare_with_are_on_the_earth() {
    let cx = shard(r#"{"properties":{"s":{"type":"geo_shape"}}}"#, &[&[r#"{"s":"POINT (1 1)"}"#]]);
    let told = |shape: &str| described(&cx, &format!(r#"{{"geo_shape":{{"s":{{"shape":{shape}}}}}}}"#), true);
    let beyond = "failed to create query: invalid longitude 200.0; must be between -180.0 and 180.0";
    assert_eq!(told(r#"{"type":"point","coordinates":[200,1]}"#), beyond);
    assert_eq!(told(r#"{"type":"envelope","coordinates":[[200,10],[210,0]]}"#), beyond);
    assert_eq!(told(r#"{"type":"circle","coordinates":[200,1],"radius":"1km"}"#), beyond);
    assert!(told(r#"{"type":"linestring","coordinates":[[200,1],[1,1]]}"#).contains("LatLonShapeQuery"));
}

#[test]
fn unlike_texts_are_unlike_the_first_field() {
    let cx = shard(
        r#"{"properties":{"a":{"type":"text"},"b":{"type":"text"}}}"#,
        &[&[r#"{"a":"dog fox","b":"dog fox"}"#, r#"{"a":"cow","b":"cow"}"#]],
    );
    let like = r#"{"more_like_this":{"fields":["a","b"],"like":{"_id":"1"},"unlike":"dog","min_term_freq":1,"min_doc_freq":1}}"#;
    let like = like.replace(r#"{"_id":"1"}"#, r#"[{"doc":{"a":"dog fox","b":"dog fox"}}]"#);
    let text = described(&cx, &like, true);
    assert!(!text.contains("a:dog") && text.contains("b:dog"), "{text}");
}

#[test]
fn documents_are_alike_by_their_metadata_too() {
    let cx = shard(
        r#"{"properties":{"n":{"type":"long","ignore_malformed":true},"t":{"type":"text"}}}"#,
        &[&[r#"{"n":"x","t":"fox"}"#]],
    );
    let like = |fields: &str| {
        let query = format!(
            r#"{{"more_like_this":{{{fields}"like":{{"_id":"7"}},"min_term_freq":1,"min_doc_freq":1,"include":true}}}}"#
        );
        let value = crate::json::parse(query.as_bytes()).expect("JSON");
        let query = crate::query::parse(&value, query.as_bytes()).expect("a query");
        let parts = [r#"{"t":"fox"}"#, r#"{"_ignored":["n"],"_routing":[]}"#];
        query.lookups()[0].answer(vec![(cx.index.clone(), parts.map(Into::into).to_vec())]);
        query.describe(&cx, true).expect("a description")
    };
    let words = |text: String| {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        words.sort();
        words.join(" ")
    };
    assert_eq!(words(like("")), "_ignored:n t:fox");
    assert_eq!(words(like(r#""fields":["t"],"#)), "t:fox");
}

#[test]
fn filters_are_explained_with_boosts_where_no_answers_are_kept() {
    let mut cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"fox"}"#]]);
    let body = r#"{"query":{"bool":{"must_not":[{"term":{"t":"dog"}}],"boost":3}},"explain":true}"#;
    assert!(search(&cx, body).contains(r#""value":1.0,"description":"*:*""#), "{}", search(&cx, body));
    cx.profile = Some(|| 0);
    assert!(search(&cx, body).contains(r#""value":3.0,"description":"*:*^3.0""#), "{}", search(&cx, body));
}

#[test]
fn analyzed_beginnings_are_looked_for_among_the_terms_of_a_field() {
    let cx = shard(
        r#"{"properties":{"t":{"type":"text","index_prefixes":{}},"s":{"type":"search_as_you_type"}}}"#,
        &[&[r#"{"t":"tide","s":"tide"}"#]],
    );
    let beginning = |field: &str, analyzed: bool| {
        let options = format!(r#""query":"ti*","fields":["{field}"],"analyze_wildcard":{analyzed}"#);
        described(&cx, &format!(r#"{{"simple_query_string":{{{options}}}}}"#), true)
    };
    for field in ["t", "s"] {
        assert_eq!(beginning(field, true), format!("{field}:ti*"));
        assert_eq!(beginning(field, false), format!("ConstantScore({field}._index_prefix:ti)"));
    }
}

#[test]
fn an_alias_is_a_field_of_its_own_beside_the_one_that_it_stands_for() {
    let cx = shard(
        r#"{"properties":{"k":{"type":"keyword"},"a":{"type":"alias","path":"k"}}}"#,
        &[&[r#"{"k":"x"}"#, r#"{"k":"y"}"#]],
    );
    let both = |fields: &str| {
        described(&cx, &format!(r#"{{"multi_match":{{"query":"x","fields":[{fields}],"type":"most_fields"}}}}"#), true)
    };
    assert_eq!(both(r#""a^3""#), "(ConstantScore(k:x))^3.0");
    assert_eq!(both(r#""a^3","k^2""#), "(ConstantScore(k:x))^5.0");
    // One pattern that means both counts twice for the field.
    assert!(both(r#""*^3""#).contains("(ConstantScore(k:x))^9.0"), "{}", both(r#""*^3""#));
}

#[test]
fn bounds_of_ranges_are_no_words_to_highlighters() {
    let cx = shard(
        r#"{"properties":{"a":{"type":"ip_range"},"i":{"type":"ip"},"t":{"type":"text"}}}"#,
        &[&[r#"{"a":"10.0.0.0/24","i":"10.0.0.9","t":"a fox"}"#]],
    );
    let within = r#"{"range":{"a":{"lt":"10.1.0.29","relation":"within"}}}"#;
    let fields = r#"{"t":{"require_field_match":false}}"#;
    for query in [within, r#"{"range":{"i":{"gte":"10.0.0.1"}}}"#] {
        let found = search(&cx, &format!(r#"{{"query":{query},"highlight":{{"fields":{fields}}}}}"#));
        assert!(found.contains(r#""total":{"value":1"#) && !found.contains(r#""highlight""#), "{found}");
    }
}

#[test]
fn best_terms_are_alternatives_were_there_one() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"quick"}"#, r#"{"t":"slow"}"#]]);
    let span = |rewrite: &str| {
        let fuzzy = format!(r#"{{"fuzzy":{{"t":{{"value":"quikc","rewrite":"{rewrite}"}}}}}}"#);
        described(&cx, &format!(r#"{{"span_multi":{{"match":{fuzzy}}}}}"#), true)
    };
    assert_eq!(span("top_terms_1"), "spanOr([t:quick])");
    assert_eq!(span("constant_score"), "t:quick");
}

#[test]
fn formats_are_refused_before_values_are_looked_at() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"},"s":{"type":"geo_shape"}}}"#, &[&[r#"{"t":"a"}"#]]);
    for (field, type_name) in [("t", "text"), ("s", "geo_shape")] {
        let found = search(&cx, &format!(r#"{{"docvalue_fields":[{{"field":"{field}","format":"x"}}]}}"#));
        let reason = format!("Field [{field}] of type [{type_name}] does not support custom formats");
        assert!(found.contains(&reason), "{found}");
    }
}

#[test]
fn nanoseconds_are_sorted_as_fractions_of_whole_milliseconds() {
    let docs = [r#"{"d":"2021-01-01T00:00:00.000999Z"}"#, r#"{"d":"2021-01-01T00:00:00.001Z"}"#];
    let cx = shard(r#"{"properties":{"d":{"type":"date_nanos"}}}"#, &[&docs]);
    let found = search(&cx, r#"{"sort":[{"d":{"numeric_type":"double"}}],"_source":false}"#);
    let sorts: Vec<&str> = found.split(r#""sort":["#).skip(1).filter_map(|rest| rest.split(']').next()).collect();
    assert_eq!(sorts, ["1.6094592E12", "1.609459200001E12"]);
}

#[test]
fn what_is_nested_in_hits_without_ids_has_none() {
    let mapping = r#"{"properties":{"n":{"type":"nested","properties":{"m":{"type":"nested","properties":{"k":{"type":"keyword"}}}}}}}"#;
    let cx = shard(mapping, &[&[r#"{"n":{"m":{"k":"a"}}}"#]]);
    let found = |options: &str| {
        let inner = r#"{"nested":{"path":"n.m","query":{"match_all":{}},"inner_hits":{"name":"i"}}}"#;
        let outer = format!(r#"{{"nested":{{"path":"n","query":{inner},"inner_hits":{{"name":"o"}}}}}}"#);
        search(&cx, &format!(r#"{{"query":{outer}{options}}}"#)).matches(r#""_id""#).count()
    };
    assert_eq!((found(""), found(r#","stored_fields":"_none_""#)), (3, 0));
}

#[test]
fn a_parent_behind_its_child_brings_what_is_nested_in_it() {
    let mapping = r#"{"properties":{"j":{"type":"join","relations":{"question":"answer"}},"n":{"type":"nested","properties":{"k":{"type":"long"}}},"t":{"type":"text"}}}"#;
    let docs =
        [r#"{"j":"question","t":"a","n":[{"k":1},{"k":2}]}"#, r#"{"j":{"name":"answer","parent":"1"},"t":"routed"}"#];
    let cx = shard(mapping, &[&docs]);
    let found = |query: &str| {
        let parent = format!(r#"{{"parent_type":"question","query":{query},"inner_hits":{{"_source":false}}}}"#);
        search(&cx, &format!(r#"{{"query":{{"has_parent":{parent}}},"_source":false}}"#))
    };
    let all = found(r#"{"match_all":{}}"#);
    assert!(all.contains(r#""total":{"value":3,"relation":"eq"}"#), "{all}");
    assert!(all.contains(r#""_nested":{"field":"n","offset":1}"#), "{all}");
    assert!(!found(r#"{"match":{"t":"a"}}"#).contains("_nested"));
}

#[test]
fn query_strings_of_too_many_clauses_do_not_parse() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"a"}"#]]);
    let many = (0..1_030).map(|at| format!("a{at}")).collect::<Vec<_>>().join(" ");
    for text in [many.clone(), format!("a ({many})")] {
        let query = format!(r#"{{"query_string":{{"query":"{text}","default_field":"t"}}}}"#);
        assert_eq!(described(&cx, &query, false), format!("Failed to parse query [{text}]"));
    }
}

#[test]
fn a_word_that_begins_so_counts_by_itself_behind_a_phrase() {
    let doc = r#"{"t":"table x. table y. table z. tiger w."}"#;
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[doc]]);
    let best = |query: &str| {
        let options = r#"{"type":"unified","number_of_fragments":1,"fragment_size":8}"#;
        search(&cx, &format!(r#"{{"query":{query},"highlight":{{"fields":{{"t":{options}}}}},"_source":false}}"#))
    };
    let phrase = best(r#"{"match_phrase_prefix":{"t":"t"}}"#);
    assert!(phrase.contains("<em>tiger</em>"), "{phrase}");
    let prefix = best(r#"{"prefix":{"t":"t"}}"#);
    assert!(prefix.contains("<em>table</em>"), "{prefix}");
}

#[test]
fn filters_of_functions_are_none_where_they_ask_for_everything() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"a c"}"#]]);
    let explained = |filter: &str| {
        let functions = format!(r#"[{{"weight":2,"filter":{filter}}}]"#);
        search(&cx, &format!(r#"{{"explain":true,"query":{{"function_score":{{"functions":{functions}}}}}}}"#))
    };
    let asked = explained(r#"{"match_all":{"boost":1.7}}"#);
    assert!(!asked.contains("match filter"), "{asked}");
    let found = explained(r#"{"bool":{"must":[{"match_all":{}}]}}"#);
    assert!(found.contains("match filter: *:*"), "{found}");
    // What is boosted where nobody asks for scores is told without its boost.
    let plan =
        |word: &str| format!(r#"{{"function_score":{{"query":{{"term":{{"t":{{"value":"{word}","boost":2}}}}}}}}}}"#);
    let filtered =
        format!(r#"{{"explain":true,"query":{{"bool":{{"filter":[{{"term":{{"t":"c"}}}},{}]}}}}}}"#, plan("a"));
    let found = search(&cx, &filtered);
    assert!(found.contains(r#""description":"t:a""#), "{found}");
}

#[test]
fn what_is_no_number_is_sorted_behind_all_numbers() {
    let cx = shard(r#"{"properties":{"n":{"type":"long"}}}"#, &[&[r#"{"n":0}"#, r#"{"n":1}"#]]);
    for (order, first) in [("asc", 2), ("desc", 1)] {
        // What a processor makes of zero by zero has a sign.
        let script = r#"{"source":"doc['n'].value / (double)doc['n'].value"}"#;
        let sort = format!(r#"{{"_script":{{"type":"number","order":"{order}","script":{script}}}}}"#);
        let found = search(&cx, &format!(r#"{{"_source":false,"sort":{sort}}}"#));
        let hits: Vec<&str> = found.split(r#""_id":""#).skip(1).map(|hit| &hit[..1]).collect();
        assert_eq!(hits[0], first.to_string(), "{order}: {found}");
    }
}

#[test]
fn what_is_nested_tells_whose_it_is_where_nothing_stored_is_wanted() {
    let mapping = r#"{"properties":{"o":{"type":"nested","properties":{"n":{"type":"long"}}}}}"#;
    let cx = shard(mapping, &[&[r#"{"o":[{"n":1}]}"#]]);
    let hits = r#"{"top_hits":{"stored_fields":"_none_"}}"#;
    let nested = format!(r#"{{"a":{{"nested":{{"path":"o"}},"aggs":{{"h":{hits}}}}},"h":{hits}}}"#);
    let found = search(&cx, &format!(r#"{{"size":0,"aggs":{nested}}}"#));
    assert_eq!(found.matches(r#""_id":"#).count(), 1, "{found}");
    let inner = r#"{"nested":{"path":"o","query":{"match_all":{}},"inner_hits":{}}}"#;
    let found = search(&cx, &format!(r#"{{"stored_fields":"_none_","query":{inner}}}"#));
    assert_eq!(found.matches(r#""_id":"#).count(), 0, "{found}");
}
