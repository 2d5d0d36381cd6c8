//! What queries read like, asked and rewritten, as `_validate/query` of the reference tells it.

use super::tests::shard;
use crate::json;
use crate::query::{ShardContext, parse};

fn described(cx: &ShardContext, query: &str, rewritten: bool) -> String {
    let value = json::parse(query.as_bytes()).expect("a query");
    let query = parse(&value, query.as_bytes()).expect("a query that can be read");
    query.describe(cx, rewritten).unwrap_or_else(|error| error.reason().to_owned())
}

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
            (r#"{"term":{"w":"x"}}"#, r#"WildcardMatchingQuery(w:"x")"#),
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
    assert!(rewritten.starts_with(points), "{rewritten}");
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
