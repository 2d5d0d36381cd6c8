//! Derived fields in searches, with the reference's answers.

use super::tests::{search, shard};
use super::*;

fn sample() -> ShardContext {
    let mapping = r#"{"derived":{
            "m":{"type":"keyword","script":"emit(doc['k'].value)"},
            "day":{"type":"date","format":"yyyy-MM-dd","script":"emit(doc['n'].value * 86400000L)"},
            "txt":{"type":"text","script":"emit(params._source['t'])","prefilter_field":"t"},
            "pt":{"type":"geo_point","script":"emit((double)doc['n'].value, 10.0)"},
            "obj":{"type":"object","script":"emit(params._source['j'])"}},
        "properties":{"t":{"type":"text"},"k":{"type":"keyword"},"n":{"type":"long"},"j":{"type":"keyword"}}}"#;
    let docs = [
        r#"{"t":"quick brown fox","k":"a","n":0,"j":"{\"a\":0,\"deep\":{\"b\":\"x\"}}"}"#,
        r#"{"t":"lazy dog","k":"b","n":1,"j":"{\"a\":1,\"deep\":{\"b\":\"y\"}}"}"#,
        r#"{"t":"quick dog","k":"a","n":2,"j":"{\"a\":[2,3]}"}"#,
    ];
    shard(mapping, &[&docs])
}

/// The ids of the hits of a body, and the rest of its answer where there are none.
fn ids(body: &str) -> String {
    let response = search(&sample(), body);
    let found: Vec<&str> = response.split(r#""_id":""#).skip(1).map(|hit| hit.split('"').next().unwrap()).collect();
    if found.is_empty() { response } else { found.join(" ") }
}

#[test]
fn queries_ask_what_scripts_emit() {
    for (query, expected) in [
        (r#"{"term":{"m":"a"}}"#, "1 3"),
        (r#"{"terms":{"m":["b","c"]}}"#, "2"),
        (r#"{"prefix":{"m":"b"}}"#, "2"),
        (r#"{"range":{"day":{"gte":"1970-01-02"}}}"#, "2 3"),
        (r#"{"match":{"txt":"quick"}}"#, "1 3"),
        (r#"{"match_phrase":{"txt":"quick dog"}}"#, "3"),
        (r#"{"geo_distance":{"pt":[10,1],"distance":"100km"}}"#, "2"),
        (r#"{"term":{"obj.a":3}}"#, "3"),
        (r#"{"match":{"obj.deep.b":"y"}}"#, "2"),
        (r#"{"bool":{"must":{"term":{"m":"a"}},"filter":{"range":{"n":{"gte":1}}}}}"#, "3"),
    ] {
        assert_eq!(ids(&format!(r#"{{"query":{query}}}"#)), expected, "{query}");
    }
    assert!(ids(r#"{"query":{"exists":{"field":"m"}}}"#).contains("does not support exist queries"));
}

#[test]
fn searches_bring_derived_fields_along() {
    let mapping = sample().mapping.clone();
    let derived = crate::mapping::parse_derived(
        &crate::json::parse(br#"{"x":{"type":"long","script":{"source":"emit(doc['n'].value + 1)"}}}"#).unwrap(),
    );
    let extended = mapping.with_derived(&derived.unwrap()).unwrap();
    assert!(mapping.field("x").is_none() && extended.field("x").is_some());
    let refused = |json: &str| {
        let value = crate::json::parse(json.as_bytes()).unwrap();
        crate::mapping::parse_derived(&value).unwrap_err().reason().to_owned()
    };
    assert_eq!(
        refused(r#"{"x":{"type":"nope","script":"emit(1)"}}"#),
        "Type [nope] isn't supported in Derived field context."
    );
    assert_eq!(
        refused(r#"{"x":{"type":"long","script":"emit(1)","bad":1}}"#),
        "unknown parameter [bad] on mapper [x] of type [long]"
    );
}

#[test]
fn hits_show_what_scripts_emit() {
    let body = r#"{"size":1,"_source":false,"query":{"match":{"txt":"fox"}},"fields":["m","day","pt","obj.a"],"highlight":{"fields":{"txt":{}}}}"#;
    let response = search(&sample(), body);
    for part in [
        r#""m":["a"]"#,
        r#""day":["1970-01-01"]"#,
        r#""pt":[{"lat":0.0,"lon":10.0}]"#,
        r#""obj.a":[0]"#,
        r#""txt":["quick brown <em>fox</em>"]"#,
    ] {
        assert!(response.contains(part), "{part} of {response}");
    }
    let refused = search(&sample(), r#"{"fields":[{"field":"day","format":"yyyy"}]}"#);
    assert!(refused.contains("Field [day] of type [derived] doesn't support formats."), "{refused}");
}

#[test]
fn aggregations_see_numbers_of_scripts_as_doubles() {
    let agg = |kind: &str| {
        let response = search(&sample(), &format!(r#"{{"size":0,"aggs":{{"a":{kind}}}}}"#));
        response.split(r#""a":"#).nth(1).map_or(response.clone(), str::to_owned)
    };
    assert!(agg(r#"{"terms":{"field":"m"}}"#).contains(r#"[{"key":"a","doc_count":2},{"key":"b","doc_count":1}]"#));
    assert!(agg(r#"{"terms":{"field":"obj.a"}}"#).contains(r#"{"key":0.0,"doc_count":1}"#));
    assert!(agg(r#"{"max":{"field":"day"}}"#).contains(r#""value_as_string":"1970-01-03T00:00:00.000Z""#));
    assert!(agg(r#"{"avg":{"field":"m"}}"#).contains("Script yielding [unknown type]"));
}
