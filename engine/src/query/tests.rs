//! The errors of malformed queries, in the reference's words and places.

fn error(query: &str) -> String {
    let body = format!("{{\"query\":{query}}}");
    let value = crate::json::parse(body.as_bytes()).unwrap();
    let source = super::Source::new(body.as_bytes());
    let node = super::Node::root(&value, &source).fields().next().unwrap().node;
    match super::parse_node(node) {
        Ok(query) => format!("{query:?}"),
        Err(error) => match error.field("col") {
            Some(col) => format!("{} at {}", error.reason(), col.to_text()),
            None => error.reason().to_owned(),
        },
    }
}

#[test]
fn malformed_queries() {
    for (query, expected) in [
        (r#"{"nonsense":{}}"#, "unknown query [nonsense] at 22"),
        (r#"{"mtch":{}}"#, "unknown query [mtch] did you mean [match]? at 18"),
        (r#"{}"#, "query malformed, empty clause found at [1:11]"),
        (r#"{"match":"x"}"#, "[match] query malformed, no start_object after query name at 19"),
        (
            r#"{"match_all":{},"term":{}}"#,
            "[match_all] malformed query, expected [END_OBJECT] but found [FIELD_NAME] at 26",
        ),
        (r#"{"match":{"t":{"query":"a","nope":1}}}"#, "[match] query does not support [nope] at 44"),
        (r#"{"match":{"t":"a","u":"b"}}"#, "[match] query doesn't support multiple fields, found [t] and [u] at 32"),
        (r#"{"match":{}}"#, "No text specified for text query at 20"),
        (r#"{"bool":{"must":[{"match":{}}]}}"#, "[1:37] [bool] failed to parse field [must]"),
        (r#"{"bool":{"must":1}}"#, "[1:26] [bool] must doesn't support values of type: VALUE_NUMBER"),
        (r#"{"term":{"k":["a"]}}"#, "[term] query does not support array of values at 23"),
        (r#"{"exists":{}}"#, "[exists] must be provided with a [field] at 21"),
        (r#"{"match_phrase":{}}"#, "[match_phrase] requires fieldName"),
        (r#"{"match_bool_prefix":{"t":{}}}"#, "[match_bool_prefix] requires query value"),
        (r#"{"terms_set":{}}"#, "[terms_set] unknown token [END_OBJECT] at 24"),
        (r#"{"range":{"t":[null]}}"#, "field name is null or empty"),
        (
            r#"{"simple_query_string":{"query":"a","fields":{}}}"#,
            "[simple_query_string] unknown token [START_OBJECT] after [fields] at 55",
        ),
        (
            r#"{"intervals":{"t":{"match":{"query":"a","ordered":{}}}}}"#,
            "[1:60] [match] ordered doesn't support values of type: START_OBJECT",
        ),
        (r#"{"intervals":{"t":{"any_of":{"intervals":[{}]}}}}"#, "[1:53] [any_of] failed to parse field [intervals]"),
        (
            r#"{"prefix":{"k":{"value":"x","boost":true}}}"#,
            "Current token (VALUE_TRUE) not numeric, cannot use numeric value accessors\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); byte offset: #49]",
        ),
        (r#"{"geo_shape":{"k":"a"}}"#, "query does not support [k] at 28"),
    ] {
        assert_eq!(error(query), expected, "{query}");
    }
}
