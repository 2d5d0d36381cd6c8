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
        (r#"{"range":{"i":{"gte":1,"gt":2}}}"#, "invalid lower bound for [range] query at 38"),
        (r#"{"range":{"i":{"lt":1,"include_upper":true}}}"#, "invalid upper bound for [range] query at 48"),
        (r#"{"range":{"i":{"to":1,"lte":null}}}"#, "invalid upper bound for [range] query at 38"),
        (r#"{"range":{"i":{"gte":1,"from":2}}}"#, "invalid lower bound for [range] query at 40"),
        (r#"{"term":{"":"a"}}"#, "field name is null or empty"),
        (
            r#"{"function_score":{"gausss":{}}}"#,
            "unknown query [function_score] did you mean any of [random_score, script_score]? at 38",
        ),
        (
            r#"{"function_score":{"functions":[{"_name":"x"}]}}"#,
            "failed to parse [function_score] query. an entry in functions list is missing a function. at 54",
        ),
        (
            r#"{"terms_set":{"k":{"terms":["a"],"minimum_should_match_field":"i","minimum_should_match_script":{"source":"1"}}}}"#,
            "A field has already been specified. Cannot specify both a field and script",
        ),
        (r#"{"percolate":{"field":"q","documents":[]}}"#, "Validation Failed: 1: index is missing;2: id is missing;"),
        (
            r#"{"regexp":{"k":{"value":"a","max_determinized_states":-1}}}"#,
            "[regexp] max_determinized_states cannot be negative but was [-1]",
        ),
        (
            r#"{"geo_distance":{"g":[1,2],"distance":"1km","nope":1}}"#,
            "failed to parse [geo_distance] query. unexpected field [nope] at 61",
        ),
        (
            r#"{"geo_bounding_box":{"g":{"top_left":[0,1],"bottom_right":[1,0]},"type":"x"}}"#,
            "no type can be parsed from ordinal x",
        ),
    ] {
        assert_eq!(error(query), expected, "{query}");
    }
}

/// What the differential test found.
const PARTS: &[(&str, &str)] = &[
    (
        r#"{"combined_fields":{"query":1,"fields":["title"]}}"#,
        "[1:38] [combined_fields] query doesn't support values of type: VALUE_NUMBER",
    ),
    (
        r#"{"combined_fields":{"query":"a","fields":["title"],"boost":"x"}}"#,
        "[1:69] [combined_fields] failed to parse field [boost]",
    ),
    (r#"{"combined_fields":{"query":"a","fields":[[]]}}"#, "[1:52] [combined_fields] failed to parse field [fields]"),
    (r#"{"combined_fields":{"querys":"a"}}"#, "[1:30] [combined_fields] unknown field [querys] did you mean [query]?"),
    (r#"{"rank_feature":{"fields":"a"}}"#, "[1:27] [feature] unknown field [fields] did you mean [field]?"),
    (r#"{"rank_feature":{"field":"a","log":{"scaling_factors":1}}}"#, "[1:64] [feature] failed to parse field [log]"),
    (
        r#"{"rank_feature":{"field":"a","linear":{},"log":{"scaling_factor":2}}}"#,
        "Failed to build [feature] after last required field arrived",
    ),
    (
        r#"{"distance_feature":{"field":"a","origin":true,"pivot":"1d"}}"#,
        "[1:52] [distance_feature] origin doesn't support values of type: VALUE_BOOLEAN",
    ),
    (r#"{"percolate":{"fields":"a"}}"#, "[1:24] [percolate] unknown field [fields] did you mean [field]?"),
    (
        r#"{"percolate":{"field":"a","document":{},"documents":[{}]}}"#,
        "The following fields are not allowed together: [document, documents] ",
    ),
    (r#"{"percolate":{}}"#, "Required one of fields [document, documents, id], but none were specified. "),
    (r#"{"script_score":{}}"#, "Required [query, script]"),
    (
        r#"{"script_score":{"query":{"match_all":{}},"script":{"sources":"1"}}}"#,
        "[1:72] [script_score] failed to parse field [script]",
    ),
    (r#"{"script":{"script":0}}"#, "[1:31] [script] Expected START_OBJECT but was: END_OBJECT"),
    (r#"{"intervals":{"a":{}}}"#, "Missing intervals from interval query definition at 30"),
    (r#"{"intervals":{"a":{"any_of":{"intervals":["b"]}}}}"#, "[1:55] [any_of] failed to parse field [intervals]"),
    (r#"{"range":{"a":{"gte":[5]}}}"#, "invalid lower bound for [range] query at 32"),
    (r#"{"range":{"a":{"lt":[]}}}"#, "invalid upper bound for [range] query at 31"),
    (r#"{"range":{"a":{"gte":1},"boost":2}}"#, "[range] query does not support [boost] at 42"),
    (r#"{"range":{"a":[1]}}"#, "[range] query does not support [a] at 25"),
    (r#"{"fuzzy":{"a":{"value":[]}}}"#, "[fuzzy] unexpected token [START_ARRAY] after [value] at 33"),
    (r#"{"fuzzy":{"a":["b"]}}"#, "[fuzzy] query doesn't support multiple fields, found [a] and [null] at 25"),
    (r#"{"fuzzy":{"a":null}}"#, "query value cannot be null"),
    (r#"{"terms":{"a":[[]]}}"#, "[terms] unknown token [END_ARRAY] after [a] at 27"),
    (r#"{"terms":{"a":[1,[[2]],3]}}"#, "[terms] unknown token [END_ARRAY] after [a] at 31"),
    (r#"{"terms":{"a":[[],3]}}"#, "[terms] query does not support [a] at 28"),
    (r#"{"ids":{"values":[[]]}}"#, "[1:28] [ids] failed to parse field [values] at 28"),
    (r#"{"ids":{"type":"a"}}"#, "[1:18] [ids] unknown field [type] at 25"),
    (r#"{"dis_max":{"queries":[3]}}"#, "[_na] query malformed, must start with start_object at 33"),
    (r#"{"span_or":{"clauses":[[]]}}"#, "[_na] query malformed, must start with start_object at 34"),
    (r#"{"span_or":{}}"#, "span_or must include [clauses] at 22"),
    (r#"{"query_string":{"query":"a","bogus":null}}"#, "[query_string] unknown token [VALUE_NULL] after [bogus] at 47"),
    (r#"{"simple_query_string":{"query":[]}}"#, "[simple_query_string] query does not support [query] at 42"),
    (r#"{"match_phrase":{"a":null}}"#, "[match_phrase] requires query value"),
    (r#"{"nested":{"path":[]}}"#, "[nested] requires 'path' field"),
    (r#"{"has_child":{"type":null}}"#, "[has_child] requires 'type' field"),
    (r#"{"bool":{"must":[[]]}}"#, "[1:27] [bool] failed to parse field [must]"),
    (
        r#"{"bool":{"minimum_should_match":[]}}"#,
        "[1:42] [bool] minimum_should_match doesn't support values of type: START_ARRAY",
    ),
    (
        r#"{"function_score":{"functions":[],"weight":1}}"#,
        "failed to parse [function_score] query. [you can either define [functions] array or a single function, not both. already found [functions] array, now encountering [weight].] at 53",
    ),
    (
        r#"{"function_score":{"field_value_factor":{"bogus":1}}}"#,
        "field_value_factor query does not support [bogus] at 59",
    ),
];

#[test]
fn malformed_parts_of_queries() {
    let wrong: Vec<String> = (PARTS.iter().filter(|(query, expected)| error(query) != *expected))
        .map(|(query, expected)| format!("{query}\n found    {}\n expected {expected}", error(query)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
