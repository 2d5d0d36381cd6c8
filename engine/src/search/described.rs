//! What queries read like, asked and rewritten, as `_validate/query` of the reference tells it.

use super::tests::{described, shard, shard_analyzing};
use crate::json;
use crate::query::{ShardContext, parse};

fn assert_described(cx: &ShardContext, cases: &[(&str, &str)]) {
    for (query, text) in cases {
        assert_eq!(described(cx, query, false), *text, "{query}");
    }
}

#[test]
fn values_that_numbers_cannot_have() {
    let mapping = r#"{"properties":{"i":{"type":"integer"},"b":{"type":"byte"},"u":{"type":"unsigned_long"},
        "s":{"type":"scaled_float","scaling_factor":100},"w":{"type":"wildcard"},"r":{"type":"integer_range"},
        "k":{"type":"keyword"},"f":{"type":"flat_object"}}}"#;
    let cx = shard(mapping, &[&[r#"{"i":1}"#]]);
    assert_described(
        &cx,
        &[
            (r#"{"term":{"i":3.5}}"#, r#"MatchNoDocsQuery("Value [3.5] has a decimal part")"#),
            (r#"{"match":{"i":3.5}}"#, r#"MatchNoDocsQuery("Value [[33 2e 35]] has a decimal part")"#),
            (r#"{"terms":{"i":[3.5]}}"#, r#"MatchNoDocsQuery("All values have a decimal part")"#),
            (r#"{"term":{"b":300}}"#, "IndexOrDocValuesQuery(indexQuery=b:[300 TO 300], dvQuery=b:[300 TO 300])"),
            (r#"{"term":{"u":3}}"#, "IndexOrDocValuesQuery(indexQuery=u:[3 TO 3], dvQuery=u:[3 TO 3])"),
            (r#"{"term":{"s":3.5}}"#, "IndexOrDocValuesQuery(indexQuery=s:[350 TO 350], dvQuery=s:[350 TO 350])"),
            (r#"{"term":{"none":1}}"#, r#"MatchNoDocsQuery("User requested "match_none" query.")"#),
            (r#"{"match":{"none":1}}"#, r#"MatchNoDocsQuery("unmapped fields [none]")"#),
            (r#"{"query_string":{"query":"none:a"}}"#, r#"MatchNoDocsQuery("unmapped fields [none]")"#),
            (r#"{"query_string":{"query":"none:aB*"}}"#, r#"MatchNoDocsQuery("unmapped fields [aB]")"#),
            (r#"{"query_string":{"query":"none:a?b"}}"#, r#"MatchNoDocsQuery("unmapped fields [a?b]")"#),
            (r#"{"query_string":{"query":"none:/a/"}}"#, r#"MatchNoDocsQuery("unmapped fields [a]")"#),
            (r#"{"query_string":{"query":"none:*"}}"#, r#"MatchNoDocsQuery("unmapped field:none")"#),
            (r#"{"match":{"_primary_term":1}}"#, r#"MatchNoDocsQuery("unmapped fields [_primary_term]")"#),
            (r#"{"range":{"_routing":{"gte":"3","lt":"7"}}}"#, "_routing:[3 TO 7}"),
            (r#"{"term":{"w":"x"}}"#, r#"WildcardMatchingQuery(w:"x")"#),
            (r#"{"term":{"w":"\\x*"}}"#, r#"WildcardMatchingQuery(w:"\\x\*")"#),
            (r#"{"simple_query_string":{"query":"x*","fields":["w"]}}"#, r#"WildcardMatchingQuery(w:"x*")"#),
            (r#"{"range":{"w":{"gt":"x"}}}"#, "failed to create query: TODO"),
            (
                r#"{"term":{"r":3}}"#,
                "IndexOrDocValuesQuery(indexQuery=r:<ranges:[3 : 3]>, dvQuery=BinaryDocValuesRangeQuery(fieldName=,from=3,to=3))",
            ),
            (r#"{"range":{"k":{"gte":"b"}}}"#, "IndexOrDocValuesQuery(indexQuery=k:[b TO *], dvQuery=k:[b TO *])"),
            (r#"{"term":{"f":"x"}}"#, "ConstantScore(f._value:x)"),
        ],
    );
    assert_eq!(
        described(&cx, r#"{"range":{"k":{"gte":"b"}}}"#, true),
        "IndexOrDocValuesQuery(indexQuery=k:[b TO *], dvQuery=ConstantScore(k:[b TO *]))"
    );
}

#[test]
fn what_matches_nothing_has_no_boost() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"},"i":{"type":"integer"}}}"#, &[&[r#"{"t":"a","i":1}"#]]);
    let nothing = |reason: &str| format!("MatchNoDocsQuery(\"{reason}\")");
    let failed = nothing("failed [i] query, caused by number_format_exception:[For input string: \"x\"]");
    let none = nothing("User requested \"match_none\" query.");
    for (query, text) in [
        (r#"{"match":{"i":{"query":"x","lenient":true,"boost":2}}}"#, failed.clone()),
        (r#"{"multi_match":{"query":"x","fields":["i^3","t"],"lenient":true}}"#, format!("(t:x | {failed})")),
        (
            r#"{"multi_match":{"query":"x","fields":["i^3","t"],"lenient":true,"type":"cross_fields"}}"#,
            format!("(t:x | ({failed})^3.0)"),
        ),
        (r#"{"query_string":{"query":"i:x^2","lenient":true}}"#, format!("({failed})^2.0")),
        (r#"{"query_string":{"query":"t:x^1"}}"#, "(t:x)^1.0".to_owned()),
        (r#"{"constant_score":{"filter":{"term":{"none":1}},"boost":2}}"#, none),
        (r#"{"intervals":{"none":{"match":{"query":"x"},"boost":2}}}"#, nothing("")),
        (r#"{"geo_distance":{"distance":"1m","none":"1,1","ignore_unmapped":true}}"#, nothing("")),
    ] {
        assert_eq!(described(&cx, query, false), text, "{query}");
    }
}

#[test]
fn addresses_by_those_that_there_are() {
    let cx = shard(
        r#"{"properties":{"a":{"type":"ip"},"r":{"type":"ip_range"},"i":{"type":"integer","doc_values":false}}}"#,
        &[&[r#"{"a":"10.0.0.1","i":2}"#, r#"{"a":"10.0.0.9","i":5}"#, "{}"]],
    );
    let both = |points: &str, values: &str| format!("IndexOrDocValuesQuery(indexQuery={points}, dvQuery={values})");
    let hex = |last: &str| format!("[0 0 0 0 0 0 0 0 0 0 ff ff a 0 0 {last}]");
    let all = format!("a:[{} TO {}]", hex("0"), hex("9"));
    for (query, asked, rewritten) in [
        (
            r#"{"constant_score":{"filter":{"range":{"a":{"gte":"10.0.0.0","lte":"10.0.0.9"}}}}}"#,
            both("a:[10.0.0.0 TO 10.0.0.9]", &all),
            both("FieldExistsQuery [field=a]", &all),
        ),
        (
            r#"{"constant_score":{"filter":{"range":{"a":{"gt":"10.0.0.1","lt":"10.0.0.9"}}}}}"#,
            both("a:[10.0.0.2 TO 10.0.0.8]", &format!("a:[{} TO {}]", hex("2"), hex("8"))),
            both("a:[10.0.0.2 TO 10.0.0.8]", &format!("a:[{} TO {}]", hex("2"), hex("8"))),
        ),
        (
            r#"{"constant_score":{"filter":{"range":{"r":{"gte":"2001:db8::1"}}}}}"#,
            both(
                "r:<ranges:[/2001:db8:0:0:0:0:0:1 : /ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]>",
                "BinaryDocValuesRangeQuery(fieldName=,from=/2001:db8:0:0:0:0:0:1,to=/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff)",
            ),
            String::new(),
        ),
        (
            r#"{"constant_score":{"filter":{"range":{"i":{"gt":2,"lt":3}}}}}"#,
            "ApproximateScoreQuery(originalQuery=i:[3 TO 2], approximationQuery=Approximate(i:[3 TO 2]))".to_owned(),
            "i:[3 TO 2]".to_owned(),
        ),
    ] {
        assert_eq!(described(&cx, query, false), format!("ConstantScore({asked})"), "{query}");
        if !rewritten.is_empty() {
            assert_eq!(described(&cx, query, true), format!("ConstantScore({rewritten})"), "{query}");
        }
    }
}

#[test]
fn what_query_strings_are_read_as() {
    let mapping = r#"{"properties":{"t":{"type":"text","analyzer":"whitespace"},"n":{"type":"text"},"o":{"type":"match_only_text"}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"a b","n":"a"}"#]]);
    let of = |text: &str| format!(r#"{{"query_string":{{"query":"{text}","default_field":"t"}}}}"#);
    for (text, read) in [
        ("a + b", "t:a t:+ t:b"),
        ("- b", "t:- t:b"),
        (r"/a\\/b/", r"t:/a\/b/"),
        (r"\\u0061\\ud83d\\ude00", "t:a\u{1f600}"),
        (r"\\u006", r"Failed to parse query [\u006]"),
        (r"a AND \\u00zz", r"Failed to parse query [a AND \u00zz]"),
        ("none:a~x", "failed to create query: For input string: \"X\""),
        ("(a~x", "failed to create query: For input string: \"X\""),
    ] {
        assert_eq!(described(&cx, &of(text), false), read, "{text}");
    }
    assert_described(
        &cx,
        &[
            (
                r#"{"span_near":{"clauses":[{"span_term":{"t":"a"}},{"span_term":{"n":"a"}}]}}"#,
                "failed to create query: Cannot add clause n:a to SpanNearQuery for field t",
            ),
            (
                r#"{"span_near":{"clauses":[{"span_term":{"t":"a"}},{"span_multi":{"match":{"prefix":{"none":"a"}}}}]}}"#,
                "failed to create query: Cannot add clause SpanMatchNoDocsQuery(\"Inner query rewrote to match_none\") to SpanNearQuery for field t",
            ),
            (
                r#"{"span_near":{"clauses":[{"span_term":{"t":"a"}},{"span_gap":{"n":2}},{"span_term":{"t":"b"}}]}}"#,
                "failed to create query: [span_near] clauses must have same field",
            ),
            (r#"{"constant_score":{"filter":{"term":{"o":"a"}}}}"#, "ConstantScore(ConstantScore(o:a))"),
        ],
    );
}

#[test]
fn beginnings_of_words() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"a":{"type":"search_as_you_type"}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"wi fi xyz","a":"wi fi on stone"}"#]]);
    assert_described(
        &cx,
        &[
            (r#"{"match_phrase_prefix":{"t":"wi fi x"}}"#, r#"t:"wi fi x*""#),
            (r#"{"match_phrase_prefix":{"t":{"query":"wi q","slop":1}}}"#, r#"t:"wi q*"~1"#),
            (r#"{"match_bool_prefix":{"t":"wi fi"}}"#, "t:wi t:fi*"),
            (r#"{"match_bool_prefix":{"t":"wi fi "}}"#, "t:wi t:fi"),
            (r#"{"match_phrase":{"a":"wi fi"}}"#, r#"a._2gram:"wi fi""#),
            (r#"{"match_phrase":{"a":"wi fi on stone"}}"#, r#"a._3gram:"wi fi on fi on stone""#),
            (r#"{"match_phrase":{"a":{"query":"wi fi","slop":1}}}"#, r#"a:"wi fi"~1"#),
            (r#"{"match_phrase_prefix":{"a":"wi fi"}}"#, "Synonym(a._index_prefix:wi fi)"),
            (
                r#"{"match_phrase_prefix":{"a":"wi fi on st"}}"#,
                "spanNear([a._3gram:wi fi on, mask(a._index_prefix:fi on st) as a._3gram], 0, true)",
            ),
            (r#"{"match_phrase_prefix":{"a":"wi"}}"#, r#"a:"wi*""#),
        ],
    );
}

#[test]
fn queries_that_might_match_nested_documents() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"i":{"type":"integer"},"n":{"type":"nested","properties":{"k":{"type":"keyword"}}}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"a b","i":1}"#]]);
    let roots = "#FieldExistsQuery [field=_primary_term]";
    assert_described(
        &cx,
        &[
            (r#"{"match":{"t":"a b"}}"#, "t:a t:b"),
            (r#"{"terms":{"i":[1]}}"#, &format!("+IndexOrDocValuesQuery(indexQuery=i:{{1}}, dvQuery=i: [1]) {roots}")),
            (r#"{"match":{"t":{"query":"a","fuzziness":1}}}"#, &format!("+t:a~1 {roots}")),
            (r#"{"exists":{"field":"t"}}"#, &format!("+ConstantScore(FieldExistsQuery [field=t]) {roots}")),
        ],
    );
}

#[test]
fn analyzers_that_query_strings_name() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword","normalizer":"lowercase"},"w":{"type":"wildcard"},
        "c":{"type":"constant_keyword","value":"x"}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"ref REF","k":"x"}"#]]);
    let fuzzy = |field, kind| {
        format!(
            "failed to create query: Can only use fuzzy queries on keyword and text fields - not on [{field}] which is of type [{kind}]"
        )
    };
    for (query, text) in [
        (r#"{"query_string":{"query":"REF*","fields":["t"]}}"#, "ConstantScore(t:ref*)".to_owned()),
        (r#"{"query_string":{"query":"REF*","fields":["t"],"analyzer":"whitespace"}}"#, "ConstantScore(t:REF*)".into()),
        (r#"{"query_string":{"query":"R?F","fields":["t"],"analyzer":"keyword"}}"#, "ConstantScore(t:R?F)".into()),
        (
            r#"{"simple_query_string":{"query":"REF*","fields":["t"],"analyzer":"whitespace"}}"#,
            "ConstantScore(t:REF*)".into(),
        ),
        (r#"{"query_string":{"query":"REF*","fields":["k"],"analyzer":"whitespace"}}"#, "ConstantScore(k:ref*)".into()),
        (
            r#"{"query_string":{"query":"(","fields":["t"],"analyzer":"none"}}"#,
            "[query_string] analyzer [none] not found".into(),
        ),
        (r#"{"query_string":{"query":"x~","fields":["w"]}}"#, fuzzy("w", "wildcard")),
        (r#"{"simple_query_string":{"query":"x~","fields":["c"]}}"#, fuzzy("c", "constant_keyword")),
    ] {
        let found = described(&cx, query, false).replace("ConstantScore(", "").replace(')', "");
        assert_eq!(found, text.replace("ConstantScore(", "").replace(')', ""), "{query}");
    }
}

#[test]
fn lengths_that_fuzzy_words_cannot_have() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"x"}"#]]);
    assert_described(
        &cx,
        &[
            (r#"{"query_string":{"query":"x","fields":["t"],"fuzzy_max_expansions":0}}"#, "t:x"),
            (
                r#"{"query_string":{"query":"x~","fields":["t"],"fuzzy_max_expansions":0}}"#,
                "failed to create query: maxExpansions must be positive.",
            ),
            (
                r#"{"simple_query_string":{"query":"x~1","fields":["t"],"fuzzy_max_expansions":0,"fuzzy_prefix_length":-1}}"#,
                "failed to create query: prefixLength cannot be negative.",
            ),
            (
                r#"{"fuzzy":{"t":{"value":"x","max_expansions":-1}}}"#,
                "failed to create query: maxExpansions must be positive.",
            ),
        ],
    );
    let refused = |query: &str| {
        let value = json::parse(query.as_bytes()).unwrap();
        parse(&value, query.as_bytes()).unwrap_err().reason().to_owned()
    };
    for (query, reason) in [
        (r#"{"match":{"t":{"query":"x","max_expansions":0}}}"#, "[match] requires maxExpansions to be positive."),
        (r#"{"match_phrase_prefix":{"t":{"query":"x","max_expansions":-1}}}"#, "No negative maxExpansions allowed."),
        (
            r#"{"match_bool_prefix":{"t":{"query":"x","prefix_length":-1}}}"#,
            "[match_bool_prefix] requires prefix length to be non-negative.",
        ),
        (
            r#"{"multi_match":{"query":"x","fields":["t"],"max_expansions":0}}"#,
            "Max expansions must be strictly great than zero.",
        ),
    ] {
        assert_eq!(refused(query), reason, "{query}");
    }
}

#[test]
fn beginnings_that_are_scored() {
    let cx = shard(r#"{"properties":{"a":{"type":"search_as_you_type"}}}"#, &[&[r#"{"a":"wi fi"}"#]]);
    assert_described(
        &cx,
        &[
            (r#"{"prefix":{"a":"wi"}}"#, "ConstantScore(a._index_prefix:wi)"),
            (r#"{"prefix":{"a":{"value":"wi","rewrite":"scoring_boolean"}}}"#, "a._index_prefix:wi"),
        ],
    );
}

#[test]
fn ranges_that_name_the_present_moment() {
    let docs = [r#"{"d":"2021-01-01"}"#, r#"{"d":"2023-01-01"}"#];
    let cx = shard(r#"{"properties":{"d":{"type":"date"}}}"#, &[&docs]);
    let query = r#"{"range":{"d":{"gte":"2022","lt":"now+80y"}}}"#;
    let points = "IndexOrDocValuesQuery(indexQuery=d:[1640995200000 TO ";
    let asked = described(&cx, query, false);
    let approximated = format!("ApproximateScoreQuery(originalQuery=DateRangeIncludingNowQuery({points}");
    assert!(asked.starts_with(&approximated), "{asked}");
    let rewritten = described(&cx, query, true);
    assert!(rewritten.starts_with(&approximated), "{rewritten}");
    let rewritten = described(&cx, &format!(r#"{{"bool":{{"must":[{query}]}}}}"#), true);
    assert!(rewritten.starts_with(points), "{rewritten}");
    let cx = shard(r#"{"properties":{"d":{"type":"date","index":false}}}"#, &[&docs]);
    let of_values = "DateRangeIncludingNowQuery(d:[1640995200000 TO ";
    assert!(described(&cx, query, false).starts_with(of_values), "{}", described(&cx, query, false));
    let rewritten = described(&cx, query, true);
    assert!(rewritten.starts_with("d:[1640995200000 TO "), "{rewritten}");
    let none = r#"{"range":{"d":{"gt":"now/d","lt":"now/d"}}}"#;
    let rewritten = described(&cx, none, true);
    assert!(rewritten.starts_with("DateRangeIncludingNowQuery(d:["), "{rewritten}");
}

#[test]
fn clauses_stand_as_they_were_written_and_phrases_begin_where_they_did() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"s":{"type":"text","analyzer":"stop"}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"a b","s":"a"}"#]]);
    for (query, asked, rewritten) in [
        (r#"{"query_string":{"query":"a NOT b","default_field":"t"}}"#, "t:a -t:b", "t:a -t:b"),
        (r#"{"query_string":{"query":"a +b -c","default_field":"t"}}"#, "t:a +t:b -t:c", "t:a +t:b -t:c"),
        (r#"{"match_phrase":{"s":"the quick fox"}}"#, "s:\"? quick fox\"", "s:\"quick fox\""),
        (r#"{"match_phrase":{"s":"the quick the fox"}}"#, "s:\"? quick ? fox\"", "s:\"quick ? fox\""),
        (r#"{"simple_query_string":{"query":"*","fields":["t"]}}"#, "*:*", "*:*"),
    ] {
        assert_eq!(described(&cx, query, false), asked, "{query}");
        assert_eq!(described(&cx, query, true), rewritten, "{query}");
    }
}

#[test]
fn fields_as_one_and_frequent_terms() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"u":{"type":"text"},"k":{"type":"keyword"},"i":{"type":"integer"},
        "d":{"type":"date"},"n":{"type":"rank_feature"},"o":{"properties":{"a":{"type":"keyword"},"b":{"type":"keyword"}}}}}"#;
    let doc = r#"{"t":"a b","u":"a","k":"x","i":1,"d":"2020-01-01","n":8,"o":{"a":"x","b":"y"}}"#;
    let cx = shard(mapping, &[&[doc, "{}"]]);
    assert_described(
        &cx,
        &[
            (
                r#"{"multi_match":{"query":"a","fields":["t","u^2"],"type":"cross_fields"}}"#,
                "blended(terms:[t:a, u:a^2.0])",
            ),
            (
                r#"{"multi_match":{"query":"1","fields":["t","k","i"],"type":"cross_fields"}}"#,
                "(t:1 | (IndexOrDocValuesQuery(indexQuery=i:[1 TO 1], dvQuery=i:[1 TO 1]) | ConstantScore(k:1)))",
            ),
            (r#"{"multi_match":{"query":"a","fields":["t^2","t^3"]}}"#, "(t:a)^3.0"),
            (r#"{"common":{"t":{"query":"a b"}}}"#, "t:a, t:b"),
            (
                r#"{"range":{"d":{"gte":"2030-01-01"}}}"#,
                "ApproximateScoreQuery(originalQuery=IndexOrDocValuesQuery(indexQuery=d:[1893456000000 TO 9223372036854775807], dvQuery=d:[1893456000000 TO 9223372036854775807]), approximationQuery=Approximate(d:[1893456000000 TO 9223372036854775807]))",
            ),
            (
                r#"{"exists":{"field":"o.*"}}"#,
                "ConstantScore(ConstantScore(FieldExistsQuery [field=o.b]) ConstantScore(FieldExistsQuery [field=o.a]))",
            ),
            (r#"{"range":{"_seq_no":{"gte":1,"lt":5}}}"#, "_seq_no:[1 TO 4]"),
            (r#"{"match":{"_index":"nope"}}"#, r#"MatchNoDocsQuery("")"#),
            (
                r#"{"rank_feature":{"field":"n"}}"#,
                "FeatureQuery(field=_feature, feature=n, function=SaturationFunction(pivot=null))",
            ),
            (
                r#"{"query_string":{"query":"a b","type":"phrase_prefix","fields":["t"],"phrase_slop":2}}"#,
                "t:\"a b*\"~2",
            ),
            (
                r#"{"dis_max":{"queries":[{"match_all":{}}],"tie_breaker":2}}"#,
                "failed to create query: tieBreakerMultiplier must be in [0, 1]",
            ),
            (
                r#"{"term":{"k":{"value":"x","boost":1e400}}}"#,
                "failed to create query: boost must be a positive float, got Infinity",
            ),
        ],
    );
    assert_eq!(
        described(&cx, r#"{"rank_feature":{"field":"n"}}"#, true),
        "FeatureQuery(field=_feature, feature=n, function=SaturationFunction(pivot=8.0))"
    );
}

#[test]
fn texts_of_places() {
    let mapping = r#"{"properties":{"p":{"type":"geo_point"},"s":{"type":"geo_shape"},"n":{"type":"nested"}}}"#;
    let cx = shard(mapping, &[&["{}"]]);
    let root = "#FieldExistsQuery [field=_primary_term]";
    for (query, text) in [
        (
            r#"{"geo_polygon":{"p":{"points":[[13,48],"56,13",[5,57]]}}}"#,
            format!("+IndexOrDocValuesQuery(indexQuery=LatLonPointQuery: field=p:[Polygon[48.0, 13.0] [56.0, 13.0] [57.0, 5.0] [48.0, 13.0] ,], dvQuery=p:INTERSECTS:geometries([Polygon[48.0, 13.0] [56.0, 13.0] [57.0, 5.0] [48.0, 13.0] ])) {root}"),
        ),
        (
            r#"{"geo_shape":{"p":{"shape":{"type":"envelope","coordinates":[[0,22],[15,7]]}}}}"#,
            "(ConstantScore(IndexOrDocValuesQuery(indexQuery=p:[7.000000001862645 TO 21.999999987892807],[0.0 TO 14.999999944120646], dvQuery=p:box(minLat=7.000000001862645, maxLat=21.999999987892807, minLon=0.0, maxLon=14.999999944120646))))^0.0".to_owned(),
        ),
        (
            r#"{"geo_shape":{"s":{"shape":"POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0))"}}}"#,
            format!("+(ConstantScore(LatLonShapeQuery: field=s:[Polygon[0.0, 9.0] [9.0, 9.0] [9.0, 0.0] [0.0, 0.0] [0.0, 9.0] ,]))^0.0 {root}"),
        ),
        (
            r#"{"geo_shape":{"s":{"relation":"contains","shape":{"type":"multipoint","coordinates":[[0,14],[19,-6]]}}}}"#,
            format!("+(ConstantScore(ConstantScore(+LatLonShapeQuery: field=s:[Point(0.0,13.999999961815774),] +LatLonShapeQuery: field=s:[Point(18.99999995715916,-6.000000019557774),])))^0.0 {root}"),
        ),
        (
            r#"{"geo_shape":{"s":{"relation":"contains","shape":{"type":"envelope","coordinates":[[170,10],[-170,0]]}}}}"#,
            format!("+(ConstantScore(+LatLonShapeBoundingBoxQuery: field=s:Rectangle(lat=0.0 TO 10.0 lon=170.0 TO 180.0) +LatLonShapeBoundingBoxQuery: field=s:Rectangle(lat=0.0 TO 10.0 lon=-180.0 TO -170.0)))^0.0 {root}"),
        ),
        (
            r#"{"geo_shape":{"s":{"shape":{"type":"envelope","coordinates":[[170,22],[-170,7]]}}}}"#,
            format!("+(ConstantScore(LatLonShapeBoundingBoxQuery: field=s:Rectangle(lat=7.0 TO 22.0 lon=170.0 TO -170.0 [crosses dateline!])))^0.0 {root}"),
        ),
        (
            r#"{"geo_bounding_box":{"s":{"top_left":[-10,60],"bottom_right":[30,40]}}}"#,
            format!("+LatLonShapeBoundingBoxQuery: field=s:Rectangle(lat=40.0 TO 60.0 lon=-10.0 TO 30.0) {root}"),
        ),
        (
            r#"{"geo_distance":{"s":[8,50],"distance":"100km"}}"#,
            format!("+LatLonShapeQuery: field=s:[Circle([50.0,8.0] radius = 100000.0 meters),] {root}"),
        ),
    ] {
        assert_eq!(described(&cx, query, false), text, "{query}");
    }
}

#[test]
fn what_is_left_of_texts_without_terms() {
    let cx = shard(r#"{"properties":{"a":{"type":"text"},"b":{"type":"text"},"p":{"type":"geo_point"}}}"#, &[&["{}"]]);
    assert_described(
        &cx,
        &[
            (
                r#"{"query_string":{"query":"! x","fields":["a","b"],"type":"cross_fields"}}"#,
                "blended(terms:[a:x, b:x])",
            ),
            (r#"{"query_string":{"query":"! x","fields":["a^3"],"type":"cross_fields"}}"#, "(a:x)^3.0"),
            (
                r#"{"match_bool_prefix":{"p":{"query":"12","analyzer":"standard"}}}"#,
                "Can only use prefix queries on keyword and text fields - not on [p] which is of type [geo_point]",
            ),
            (
                r#"{"multi_match":{"query":"!","fields":["a","b"],"type":"cross_fields","zero_terms_query":"all"}}"#,
                "*:*",
            ),
            (
                r#"{"geo_shape":{"p":{"shape":"GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (1 2, 3 4))"}}}"#,
                "Field [p] does not support point queries",
            ),
            (
                r#"{"combined_fields":{"query":"x","fields":["a","p"]}}"#,
                "failed to create query: Field [p] of type [geo_point] does not support [combined_fields] queries",
            ),
        ],
    );
}

#[test]
fn derived_keywords_score_alike_within() {
    let derived = r#"{"x":{"type":"keyword","script":{"source":"emit('v')"}}}"#;
    let mapping = format!(r#"{{"derived":{derived},"properties":{{"k":{{"type":"keyword"}}}}}}"#);
    let cx = shard(&mapping, &[&[r#"{"k":"a"}"#]]);
    let term = r#"{"term":{"x":"v"}}"#;
    let alike = "DerivedFieldQuery (Query: [ ConstantScore(x:v)])";
    assert_eq!(described(&cx, term, true), alike);
    let constant = format!(r#"{{"constant_score":{{"filter":{term}}}}}"#);
    assert_eq!(described(&cx, &constant, true), format!("ConstantScore({alike})"));
    let range = r#"{"range":{"x":{"gt":"a","lte":"v"}}}"#;
    let either = |values: &str| {
        format!("DerivedFieldQuery (Query: [ IndexOrDocValuesQuery(indexQuery=x:{{a TO v], dvQuery={values})])")
    };
    assert_eq!(described(&cx, range, false), either("x:{a TO v]"));
    assert_eq!(described(&cx, range, true), either("ConstantScore(x:{a TO v])"));
}

#[test]
fn terms_of_combined_fields_at_one_position_are_apart() {
    let analysis = r#"{"filter":{"two":{"type":"shingle","output_unigrams":false,"max_shingle_size":3}},"analyzer":{
        "pairs":{"tokenizer":"standard","filter":["two"]},"twice":{"tokenizer":"standard","filter":["keyword_repeat","porter_stem"]}}}"#;
    let mapping = r#"{"properties":{"p":{"type":"text","analyzer":"pairs"},"t":{"type":"text","analyzer":"twice"},"w":{"type":"wildcard"},
        "k":{"type":"keyword","normalizer":"lowercase"}}}"#;
    let cx = shard_analyzing(analysis, mapping, &[&[r#"{"p":"a b c"}"#]]);
    let of = |field: &str, text: &str| format!(r#"{{"combined_fields":{{"query":"{text}","fields":["{field}"]}}}}"#);
    assert_described(
        &cx,
        &[
            (&of("t", "houses"), "CombinedFieldQuery((t)(houses)) CombinedFieldQuery((t)(hous))"),
            (
                &of("t", "houses x"),
                "(CombinedFieldQuery((t)(houses)) CombinedFieldQuery((t)(hous))) (CombinedFieldQuery((t)(x)) CombinedFieldQuery((t)(x)))",
            ),
            (
                &of("p", "a b c"),
                "((+(CombinedFieldQuery((p)(a b))) +(CombinedFieldQuery((p)(b c)))) (CombinedFieldQuery((p)(a b c))))",
            ),
            (r#"{"term":{"w":{"value":"a*b","case_insensitive":true}}}"#, r#"WildcardMatchingQuery(w:"a\*b")"#),
            (r#"{"query_string":{"query":"k:O?*","analyze_wildcard":true}}"#, "k:o?*"),
            (r#"{"query_string":{"query":"k:O?*","analyze_wildcard":true,"analyzer":"whitespace"}}"#, "k:O?*"),
        ],
    );
}

#[test]
fn alternatives_are_drawn_out_of_what_overlaps_and_stay_in_what_repeats() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"a"}"#]]);
    let near = |inner: &str| {
        format!(
            r#"{{"intervals":{{"t":{{"all_of":{{"max_gaps":1,"intervals":[{{"match":{{"query":"x"}}}},{inner}]}}}}}}}}"#
        )
    };
    let either = r#"{"any_of":{"intervals":[{"match":{"query":"a"}},{"match":{"query":"b c"}}]}}"#;
    let twice = format!(r#"{{"all_of":{{"intervals":[{either},{either}]}}}}"#);
    let over = |relation: &str| {
        let filter = format!(r#""filter":{{"{relation}":{{"match":{{"query":"e"}}}}}}"#);
        format!("{},{filter}}}}}", either.strip_suffix("}}").unwrap_or_default())
    };
    assert_described(
        &cx,
        &[
            (&near(&twice), "t:MAXGAPS/1(UNORDERED(x,UNORDERED(or(a,UNORDERED(b,c)),or(a,UNORDERED(b,c)))))"),
            (
                &near(&over("overlapping")),
                "t:or(MAXGAPS/1(UNORDERED(x,OVERLAPPING(a,e))),MAXGAPS/1(UNORDERED(x,OVERLAPPING(UNORDERED(b,c),e))))",
            ),
            (&near(&over("not_overlapping")), "t:MAXGAPS/1(UNORDERED(x,NON_OVERLAPPING(or(a,UNORDERED(b,c)),e)))"),
            (&near(&over("contained_by")), "t:MAXGAPS/1(UNORDERED(x,CONTAINED_BY(or(a,UNORDERED(b,c)),e)))"),
        ],
    );
}
