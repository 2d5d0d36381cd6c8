//! What is refused, in the words of the reference: paths of orders, clauses, types of values.

use super::{DOCS, expect_error, run_on, shard};

/// Where families are joined the other side is gone through once for all buckets above.
#[test]
fn families_collect_for_many_buckets() {
    let relations = r#"{"properties":{"j":{"type":"join","relations":{"q":"a"}},"n":{"type":"integer"}}}"#;
    let cx = crate::search::tests::shard(relations, &[&[r#"{"j":"q","n":1}"#]]);
    let clusters = r#"{"c":{"variable_width_histogram":{"field":"n"}}}"#;
    let body = format!(r#"{{"aggs":{{"f":{{"children":{{"type":"a"}},"aggs":{clusters}}}}}}}"#);
    let answer = crate::search::tests::search(&cx, &body);
    assert!(
        answer.contains("cannot be nested inside an aggregation that collects more than a single bucket"),
        "{answer}"
    );
}

#[test]
fn what_stands_below_is_refused_before_the_order() {
    for kind in [r#""terms":{"field":"k""#, r#""histogram":{"field":"n","interval":1"#] {
        let below = r#"{"y":{"percentiles":{"field":"g"}}}"#;
        let agg = format!(r#"{{{kind},"order":{{"zz":"asc"}}}},"aggs":{below}}}"#);
        let error = run_on(&agg, &[shard(&[&DOCS])]).expect_err(&agg);
        assert!(error.reason().ends_with("is not supported for aggregation [percentiles]"), "{}", error.reason());
    }
}

/// A sampler with nothing below is refused in the first segment that it enters. What waits for its buckets enters none without a document.
#[test]
fn what_waits_is_not_refused_in_segments_without_a_document() {
    let waiting = [
        r#""terms":{"field":"n"}"#,
        r#""rare_terms":{"field":"k"}"#,
        r#""significant_terms":{"field":"k"}"#,
        r#""auto_date_histogram":{"field":"d"}"#,
        r#""composite":{"sources":[{"k":{"terms":{"field":"k"}}}]}"#,
    ];
    for kind in waiting {
        for (k, refused) in [("b", true), ("zz", false)] {
            let inner = format!(r#"{{{kind},"aggs":{{"s":{{"sampler":{{}}}}}}}}"#);
            let agg = format!(r#"{{"filter":{{"term":{{"k":"{k}"}}}},"aggs":{{"w":{inner}}}}}"#);
            assert_eq!(run_on(&agg, &[shard(&[&DOCS])]).is_err(), refused, "{agg}");
        }
    }
    let none =
        r#"{"rare_terms":{"field":"b","max_doc_count":1,"exclude":["true","false"]},"aggs":{"s":{"sampler":{}}}}"#;
    assert!(run_on(none, &[shard(&[&DOCS])]).is_ok());
}

#[test]
fn what_fields_refuse_is_told_with_the_index() {
    let agg = r#"{"filters":{"filters":[{"term":{"_doc_count":1}}]}}"#;
    let error = run_on(agg, &[shard(&[&DOCS])]).expect_err(agg);
    assert_eq!(error.field("index").and_then(|index| index.as_str()), Some("test"));
}

#[test]
fn what_is_wrong_with_filters_is_told_in_the_order_in_which_it_stands() {
    let reason = |body: &str| {
        let error = run_on(&format!(r#"{{"filters":{{{body}}}}}"#), &[shard(&[&DOCS])]).expect_err(body);
        error.reason().to_owned()
    };
    let (query, key) = (r#""filters":{"z":{"span_near":{"in_order":true}},"a":{"nope":{}}}"#, r#""keyed":false"#);
    assert_eq!(reason(&format!("{query},{key}")), "span_near must include [clauses]");
    assert_eq!(reason(&format!("{key},{query}")), "Unknown key for a VALUE_BOOLEAN in [x]: [keyed].");
}

#[test]
fn orders_by_what_has_no_order() {
    let reason = |order: &str, sub: &str| {
        let agg = format!(r#"{{"terms":{{"field":"k","order":{{"{order}":"asc"}}}},"aggs":{{"y":{sub}}}}}"#);
        let error = run_on(&agg, &[shard(&[&DOCS])]).expect_err(&agg);
        let cause = error.cause().map_or(String::new(), |cause| format!(" <- {}", cause.reason()));
        format!("{}{cause}", error.reason())
    };
    let (avg, stats) = (r#"{"avg":{"field":"n"}}"#, r#"{"stats":{"field":"n"}}"#);
    let by_value = "Ordering on a single-value metrics aggregation can only be done on its value. Either drop the key (a la \"y\") or change it to \"value\" (a la \"y.value\")";
    assert_eq!(reason("y.foo", avg), format!("Invalid aggregation order path [y.foo]. {by_value} <- {by_value}"));
    assert!(reason("y[foo]", r#"{"cardinality":{"field":"n"}}"#).ends_with(by_value));
    assert!(reason("y.value", stats).ends_with("Unknown metric name [value] on multi-value metrics aggregation [y]"));
    assert!(reason("y.foo", r#"{"percentiles":{"field":"n"}}"#).ends_with(r#"<- For input string: "foo""#));
    for without in [r#"{"top_hits":{}}"#, r#"{"terms":{"field":"k"}}"#, r#"{"geo_bounds":{"field":"g"}}"#] {
        assert!(reason("y", without).ends_with("a metrics aggregation at the path end."), "{without}");
    }
    assert!(reason("z.foo", avg).contains("The provided aggregation [z.foo] either does not exist"));
    for path in ["y.", ".y", "y[", "y[]", "y[a", "y[a]b", "y[a].b"] {
        let cause = format!("Invalid path element [{path}] in path [{path}]");
        let at = 45 + path.len();
        assert_eq!(reason(path, avg), format!("[1:{at}] [terms] failed to parse field [order] <- {cause}"));
    }
    assert!(reason("", avg).ends_with("<- Invalid path []"));
    assert!(
        run_on(
            r#"{"terms":{"field":"k","order":{"y>":"asc"}},"aggs":{"y":{"avg":{"field":"n"}}}}"#,
            &[shard(&[&DOCS])]
        )
        .is_ok()
    );
}

#[test]
fn clauses_and_types() {
    let cases = [
        (r#"{"terms":{"field":"k","include":{"x":[1],"y":2}}}"#, "[1:43] [terms] failed to parse field [include]"),
        (r#"{"terms":{"field":"k","include":{"partition":"a"}}}"#, "[1:51] [terms] failed to parse field [include]"),
        (r#"{"global":{"foo":1}}"#, "Expected [FIELD_NAME] under a [START_OBJECT], but got a [VALUE_NUMBER] in [x]"),
        (r#"{"children":{"type":1}}"#, "Unexpected token VALUE_NUMBER in [x]."),
        (
            r#"{"geo_bounds":{"field":"g","value_type":"foo"}}"#,
            "[1:46] [geo_bounds] failed to parse field [value_type]",
        ),
        (
            r#"{"geo_centroid":{"field":"g","value_type":"string"}}"#,
            "Field [g] of type [geo_point] is not supported for aggregation [geo_centroid]",
        ),
        (
            r#"{"geotile_grid":{"field":"g","value_type":"long"}}"#,
            "Expected numeric type on field [g], but got [geo_point]",
        ),
        (
            r#"{"median_absolute_deviation":{"field":"n","value_type":"date"}}"#,
            "Field [n] of type [integer] is not supported for aggregation [median_absolute_deviation]",
        ),
        (r#"{"nested":{"path":"o"}}"#, "[nested] nested path [o] is not nested"),
        (
            r#"{"geotile_grid":{"field":"r","missing":"1,2"}}"#,
            "Can't apply missing values on a class org.opensearch.search.aggregations.support.ValuesSource$Range",
        ),
        (
            r#"{"rare_terms":{"field":"f"},"aggs":{"y":{"nested":{"path":"o"}}}}"#,
            "[nested] nested path [o] is not nested",
        ),
    ];
    for (agg, reason) in cases {
        assert_eq!(run_on(agg, &[shard(&[&DOCS])]).expect_err(agg).reason(), reason, "{agg}");
    }
}

#[test]
fn samples_need_something_below_as_soon_as_there_are_documents() {
    let none: [&[&str]; 0] = [];
    assert_eq!(run_on(r#"{"sampler":{}}"#, &[shard(&none)]).unwrap(), r#"{"doc_count":0}"#);
    for agg in [r#"{"sampler":{}}"#, r#"{"sampler":{"shard_size":0}}"#] {
        expect_error(agg, "Sampler aggregation must be used with child aggregations.");
    }
    let hinted = |field: &str| {
        let sampler = format!(r#"{{"diversified_sampler":{{"field":"{field}","execution_hint":"nope"}}"#);
        run_on(&(sampler + r#","aggs":{"a":{"max":{"field":"n"}}}}"#), &[shard(&[&DOCS])])
    };
    assert!(hinted("n").is_ok() && hinted("k").unwrap_err().reason().starts_with("Unknown `execution_hint`: [nope]"));
    let too_large = run_on(r#"{"sampler":{"shard_size":2147483648}}"#, &[shard(&[&DOCS])]).unwrap_err();
    assert_eq!(too_large.kind().type_name(), "input_coercion_exception");
}

#[test]
fn ranges_of_distances_are_read_by_hand() {
    for (range, what) in [
        (r#"{"key":0}"#, "unknown field [key]"),
        (r#"{"to":true}"#, "unexpected token [VALUE_BOOLEAN]"),
        (r#"{"nope":[]}"#, "unexpected token [START_ARRAY]"),
        (r#"{"nope":null}"#, "unknown field [nope]"),
    ] {
        let agg = format!(r#"{{"geo_distance":{{"field":"g","origin":"0,0","ranges":[{range}]}}}}"#);
        let error = run_on(&agg, &[shard(&[&DOCS])]).expect_err(&agg);
        let cause = error.cause().map(|cause| cause.reason().to_owned()).unwrap_or_default();
        assert_eq!(cause, format!("Failed to parse object: {what} found"), "{agg}");
    }
    let unnamed = r#"{"geo_distance":{"field":"g","origin":"0,0","ranges":[{"key":null,"to":5}]}}"#;
    assert!(run_on(unnamed, &[shard(&[&DOCS])]).unwrap().contains(r#""key":"*-5.0""#));
}

#[test]
fn zones_are_texts_or_hours() {
    let zoned =
        |zone: &str| format!(r#"{{"date_histogram":{{"field":"d","calendar_interval":"year","time_zone":{zone}}}}}"#);
    assert!(run_on(&zoned("-2.5"), &[shard(&[&DOCS])]).unwrap().contains("2020-01-01T00:00:00.000-02:00"));
    expect_error(&zoned("true"), "[1:76] [date_histogram] time_zone doesn't support values of type: VALUE_BOOLEAN");
    let error = run_on(&zoned("100"), &[shard(&[&DOCS])]).unwrap_err();
    let cause = error.cause().map(|cause| cause.reason().to_owned());
    assert_eq!(cause.as_deref(), Some("Zone offset hours not in valid range: value 100 is not in the range -18 to 18"));
}

#[test]
fn bounds_are_read_by_the_format() {
    let of = |format: &str| format!(r#"{{"range":{{"field":"n","ranges":[{{"from":"6x"}}]{format}}}}}"#);
    expect_error(&of(""), "For input string: \"6x\"");
    let read = run_on(&of(r#","format":"0.0""#), &[shard(&[&DOCS])]).unwrap();
    assert!(read.contains(r#""from":6.0,"from_as_string":"6.0","doc_count":1"#), "{read}");
    let weighted = r#"{"weighted_avg":{"value":{"field":"n","missing":true},"weight":{"field":"n"},"format":"0.0"}}"#;
    expect_error(weighted, "java.text.ParseException: Unparseable number: \"true\"");
}

#[test]
fn parameters_of_places() {
    let distances =
        |extra: &str| format!(r#"{{"geo_distance":{{"field":"g","origin":"0,0","ranges":[{{"to":5}}]{extra}}}}}"#);
    assert!(run_on(&distances(r#","script":"1""#), &[shard(&[&DOCS])]).is_ok());
    expect_error(
        r#"{"geo_bounds":{"field":5}}"#,
        "[1:29] [geo_bounds] field doesn't support values of type: VALUE_NUMBER",
    );
    expect_error(
        r#"{"geo_distance":{"ranges":[{"from":"x"}]}}"#,
        "[1:44] [geo_distance] failed to parse field [ranges]",
    );
    expect_error(r#"{"geohash_grid":{"bounds":{"x":1}}}"#, "[1:37] [geohash_grid] failed to parse field [bounds]");
}

#[test]
fn keys_to_go_on_after_are_all_there_before_they_are_read() {
    let sources = r#"[{"d":{"date_histogram":{"field":"d","calendar_interval":"year","format":"yyyy"}}},{"k":{"terms":{"field":"k"}}}]"#;
    let after = |after: &str| format!(r#"{{"composite":{{"sources":{sources},"after":{after}}}}}"#);
    expect_error(&after(r#"{"d":"x","z":1}"#), "Missing value for [after.k]");
    expect_error(&after(r#"{"d":"x","k":[]}"#), "Invalid value for [after.k], expected comparable, got [ArrayList]");
    let ordered = r#"{"composite":{"sources":[{"k":{"terms":{"field":"k","missing_order":"first"}}}]}}"#;
    expect_error(ordered, "missing_order require missing_bucket is true");
}

#[test]
fn what_is_read_by_other_names_and_types_is_refused_so() {
    let cause = |agg: &str| {
        let error = run_on(agg, &[shard(&[&DOCS])]).expect_err(agg);
        error.cause().map(|cause| cause.reason().to_owned()).unwrap_or_default()
    };
    assert_eq!(
        cause(r#"{"significant_terms":{"field":"k","shard_size":0}}"#),
        "[shardSize] must be greater than  0. Found [0] in [x]"
    );
    assert_eq!(cause(r#"{"rare_terms":{"field":"k","max_doc_count":" 1"}}"#), "For input string: \" 1\"");
    assert_eq!(
        cause(r#"{"rare_terms":{"field":"k","max_doc_count":0}}"#),
        "[max_doc_count] must be greater than 0. Found [0] in [x]"
    );
    for key in ["from", "size"] {
        let agg = format!(r#"{{"top_hits":{{"{key}":"-1"}}}}"#);
        expect_error(&agg, &format!("[{key}] must be greater than or equal to 0. Found [-1] in [x]"));
    }
    expect_error(
        r#"{"top_hits":{"script_fields":{"a":1}}}"#,
        "Expected [START_OBJECT] in [script_fields] but found [VALUE_NUMBER]",
    );
}

#[test]
fn what_stands_before_a_filter_in_a_list_is_passed_over() {
    let filters = |list: &str| run_on(&format!(r#"{{"filters":{{"filters":[{list}]}}}}"#), &[shard(&[&DOCS])]);
    assert_eq!(filters(r#"" 1",{"match_all":{}}"#).unwrap(), filters(r#"{"match_all":{}}"#).unwrap());
    assert!(filters(r#"{"match_all":{}},1"#).is_err() && filters(r#"[],{"match_all":{}}"#).is_err());
}

/// Fields are looked at on all levels before anything is made of them; what stands above is made before what is below.
#[test]
fn mistakes_come_in_the_order_in_which_the_reference_makes_things() {
    let patterns = "cannot support regular expression style include/exclude";
    let fractions = "No support for examining floating point numerics";
    for (agg, expected) in [
        (r#"{"terms":{"field":"n","exclude":"r.*"},"aggs":{"y":{"significant_terms":{"field":"f"}}}}"#, patterns),
        (r#"{"significant_terms":{"field":"f"},"aggs":{"y":{"terms":{"field":"n","exclude":"r.*"}}}}"#, fractions),
        (
            r#"{"significant_terms":{"field":"f"},"aggs":{"y":{"stats":{"field":"k"}}}}"#,
            "of type [keyword] is not supported for aggregation [stats]",
        ),
        (
            r#"{"filter":{"match_all":{}},"aggs":{"y":{"significant_terms":{"field":"f"}},"z":{"stats":{"field":"k"}}}}"#,
            "of type [keyword] is not supported for aggregation [stats]",
        ),
        (
            r#"{"weighted_avg":{"value":{"field":"k"},"weight":{"field":"ip"}}}"#,
            "Expected numeric type on field [ip], but got [ip]",
        ),
    ] {
        let error = run_on(agg, &[shard(&[&DOCS])]).expect_err(agg);
        assert!(error.reason().contains(expected), "{agg}: {}", error.reason());
    }
}

#[test]
fn buckets_are_not_ordered_by_what_leads_nowhere() {
    for (path, refusal) in [("y", "at the path end."), ("y>z", "[y] is not single-bucket.")] {
        for below in [r#""nested":{"path":"nope"}"#, r#""children":{"type":"nope"}"#] {
            let below = format!(r#"{{"y":{{{below},"aggs":{{"z":{{"avg":{{"field":"n"}}}}}}}}}}"#);
            let agg = format!(r#"{{"terms":{{"field":"k","order":{{"{path}":"asc"}}}},"aggs":{below}}}"#);
            let error = run_on(&agg, &[shard(&[&DOCS])]).expect_err(&agg);
            assert!(error.reason().ends_with(refusal), "{agg}: {}", error.reason());
        }
    }
}

#[test]
fn gaps_that_are_too_many_are_counted() {
    let agg = r#"{"histogram":{"field":"n","interval":0.0001}}"#;
    let error = run_on(agg, &[shard(&[&DOCS])]).unwrap_err();
    assert!(error.reason().contains("but was [120001]"), "{}", error.reason());
}

#[test]
fn states_of_scripts_are_made_when_somebody_needs_them() {
    let script = |reduce: &str| {
        format!(
            r#"{{"scripted_metric":{{"params":{{"a":1}},"init_script":{{"source":"state.t=1","params":{{"a":2}}}},"map_script":"state.t=2","combine_script":"return state","reduce_script":"{reduce}"}}}}"#
        )
    };
    let below = |kind: &str, reduce: &str| format!(r#"{{{kind},"aggs":{{"m":{}}}}}"#, script(reduce));
    let sized = "return states.size()";
    let clash = r#"Parameter name "a" used in both aggregation and script parameters"#;
    expect_error(&script(sized), clash);
    expect_error(&below(r#""filter":{"match_none":{}}"#, sized), clash);
    for (kind, expected) in [
        (r#""nested":{"path":"none"}"#, r#"{"doc_count":0,"m":{"value":1}}"#),
        (r#""children":{"type":"none"}"#, r#"{"doc_count":0,"m":{"value":1}}"#),
        (
            r#""range":{"field":"none","ranges":[{"to":1}]}"#,
            r#"{"buckets":[{"key":"*-1.0","to":1.0,"doc_count":0,"m":{"value":1}}]}"#,
        ),
        (r#""histogram":{"field":"none","interval":1}"#, r#"{"buckets":[]}"#),
    ] {
        assert_eq!(run_on(&below(kind, sized), &[shard(&[&DOCS])]).unwrap(), expected, "{kind}");
    }
    // Nobody compiles what reduces nothing; what is to run on shards is compiled there.
    let empty = below(r#""auto_date_histogram":{"field":"none"}"#, "retur x");
    assert_eq!(run_on(&empty, &[shard(&[&DOCS])]).unwrap(), r#"{"buckets":[],"interval":"1s"}"#);
    let broken = below(r#""terms":{"field":"none"}"#, sized).replace("return state\"", "foo(\"");
    expect_error(&broken, "compile error");
}

#[test]
fn scripts_have_nothing_to_do_for_ranges() {
    let of = |script: &str| {
        let agg = format!(r#"{{"histogram":{{"field":"r","interval":10{script}}}}}"#);
        run_on(&agg, &[shard(&[&DOCS])])
    };
    assert_eq!(of(r#","script":"_value + 1""#).unwrap(), of("").unwrap());
    assert_eq!(of(r#","script":"foo(""#).unwrap_err().reason(), "compile error");
}

#[test]
fn what_ends_segments_below_no_join_finds_nothing() {
    let agg = r#"{"children":{"type":"none"},"aggs":{"m":{"min":{"field":"none"}}}}"#;
    assert_eq!(run_on(agg, &[shard(&[&DOCS])]).unwrap(), r#"{"doc_count":0,"m":{"value":null}}"#);
}

#[test]
fn intervals_and_offsets_beyond_64_bits_are_refused_by_the_reader() {
    for given in [r#""interval":9223372036854775808"#, r#""fixed_interval":"1d","offset":-9223372036854775809"#] {
        let refused = run_on(&format!(r#"{{"date_histogram":{{"field":"d",{given}}}}}"#), &[shard(&[&DOCS])]);
        let cause = refused.unwrap_err().cause().map(|cause| cause.kind().type_name());
        assert_eq!(cause, Some("input_coercion_exception"), "{given}");
    }
}

#[test]
fn what_is_made_is_refused_after_what_is_looked_at() {
    use crate::search::tests::{search, shard};
    let mapping = r#"{"properties":{"n":{"type":"long"},"a":{"type":"ip"},"k":{"type":"keyword"},"p":{"type":"geo_point"},"d":{"type":"double"}}}"#;
    let cx = shard(mapping, &[&[r#"{"n":1,"a":"10.0.0.1","k":"x","d":1.5}"#]]);
    let refused = |aggs: &str| search(&cx, &format!(r#"{{"size":0,"aggs":{{{aggs}}}}}"#));
    let early = r#"{"avg":{"field":"a"}}"#;
    let late = [
        (r#"{"histogram":{"field":"n"#, "interval must be positive, got: 0.0"),
        (r#"{"rare_terms":{"field":"d"#, "does not support floating point fields."),
    ];
    for (agg, reason) in late {
        let alone = refused(&format!(r#""x":{agg}"}}}}"#));
        assert!(alone.contains(reason), "{alone}");
        for answer in [
            refused(&format!(r#""x":{agg}"}}}},"y":{early}"#)),
            refused(&format!(r#""x":{agg}"}},"aggs":{{"y":{early}}}}}"#)),
        ] {
            assert!(answer.contains("[a] of type [ip] is not supported for aggregation [avg]"), "{answer}");
        }
    }
    for agg in [
        r#""multi_terms":{"terms":[{"field":"p"},{"field":"n"}]}"#,
        r#""composite":{"after":{"b":"x"},"sources":[{"b":{"terms":{"field":"n"}}}]}"#,
    ] {
        let answer = refused(&format!(r#""x":{{{agg},"aggs":{{"y":{early}}}}}"#));
        assert!(answer.contains("[a] of type [ip] is not supported for aggregation [avg]"), "{answer}");
    }
    // Places are looked at where aggregations are, and globals where they are made.
    let nowhere = r#""y":{"reverse_nested":{}}"#;
    let answer = refused(&format!(r#""x":{{"range":{{"field":"a","ranges":[{{"to":1}}]}},"aggs":{{{nowhere}}}}}"#));
    assert!(answer.contains("[a] of type [ip] is not supported"), "{answer}");
    let answer = refused(r#""x":{"terms":{"field":"n","include":"r.*"},"aggs":{"g":{"global":{}}}}"#);
    assert!(answer.contains("cannot support regular expression style"), "{answer}");
    let answer = refused(r#""x":{"filter":{"term":{"n":"x"}},"aggs":{"h":{"histogram":{"field":"n"}}}}"#);
    assert!(answer.contains("For input string"), "{answer}");
}

#[test]
fn what_is_missing_is_told_where_the_parameters_end() {
    let parsed = crate::search::SearchRequest::parse(Some(br#"{"size":0,"aggs":{"h":{"nested":{ }}}}"#), &[]);
    let error = parsed.expect_err("no path");
    assert_eq!(error.reason(), "Missing [path] field for nested aggregation [h]");
    let place = ["line", "col"].map(|name| error.field(name).and_then(|value| value.as_i64()));
    assert_eq!(place, [Some(1), Some(35)]);
}

#[test]
fn what_stands_in_for_shapes_is_read_first() {
    use crate::search::tests::{search, shard};
    let cx = shard(r#"{"properties":{"s":{"type":"geo_shape"}}}"#, &[&[r#"{"s":"POINT (1 2)"}"#, "{}"]]);
    let ask = |kind: &str, missing: &str| {
        search(&cx, &format!(r#"{{"size":0,"aggs":{{"a":{{"{kind}":{{"field":"s","missing":{missing}}}}}}}}}"#))
    };
    for kind in ["geo_centroid", "geo_bounds", "geohash_grid", "terms", "cardinality", "missing"] {
        let answer = ask(kind, "3");
        assert!(answer.contains("Unable to parse the missing value [3] provided in the input."), "{kind}: {answer}");
    }
    assert!(ask("value_count", r#""POINT (3 4)""#).contains(r#"{"value":2}"#));
}
