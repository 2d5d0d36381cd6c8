//! What a search and its relatives answer as a whole: failures over several shards, explanations, sorts of the address.

use super::{Case, Server, assert_covers, case};

const ROWS: &[&str] =
    &["explain", "expand_wildcards", "sort", "failures", "ignored", "parameters", "suggest", "template"];

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Whether there is a document is asked first, and the query is built then.
    case("explain", "GET /s/_explain/none", r#"{"query":{"term":{"n":"x"}}}"#, 404, &[("/matched", "false")]),
    case("explain", "GET /s/_explain/none?q=a+AND", "", 404, &[("/matched", "false")]),
    case("explain", "GET /s/_explain/1", r#"{"query":{"range":{"d":{"lt":"x"}}}}"#, 400, &[("/error/type", r#""query_shard_exception""#), ("/error/root_cause/0/type", r#""parse_exception""#)]),
    case("explain", "GET /s/_explain/2?_source=true&routing=r", r#"{"query":{"exists":{"field":"_ignored"}}}"#, 200, &[("/matched", "true"), ("/get/_ignored", r#"["n"]"#)]),
    case("ignored", "GET /s/_doc/2?routing=r", "", 200, &[("/_routing", r#""r""#), ("/_ignored", r#"["n"]"#)]),
    case("ignored", "GET /s/_doc/3?routing=r", "", 200, &[("/_routing", r#""r""#), ("/_ignored", "-")]),
    case("ignored", "GET /s/_doc/3?routing=r&stored_fields=k", "", 200, &[("/_ignored", r#"["n"]"#), ("/fields/k", r#"["x"]"#)]),
    case("ignored", "GET /s/_doc/2?routing=r&stored_fields=_none_", "", 200, &[("/_ignored", r#"["n"]"#)]),
    // Wildcards for closed indexes alone are wrong where one is meant.
    case("expand_wildcards", "GET /o*/_search?expand_wildcards=closed", "", 200, &[("/_shards/total", "0")]),
    case("expand_wildcards", "GET /s,o/_search?expand_wildcards=closed", "", 200, &[("/_shards/total", "3")]),
    case("expand_wildcards", "GET /shut*/_search?expand_wildcards=closed", "", 400, &[("/error/reason", r#""To expand [CLOSE] wildcard, please set forbid_closed_indices to `false`""#)]),
    case("sort", "GET /s/_search?sort=_score", r#"{"sort":["d"]}"#, 200, &[("/hits/hits/0/sort/0", "1609459200000"), ("/hits/hits/0/sort/1", "1.0")]),
    case("sort", "GET /s/_search?sort=d:desc", r#"{"sort":["none"]}"#, 400, &[("/error/root_cause/0/reason", r#""No mapping found for [none] in order to sort on""#)]),
    // Several shards are asked beforehand, where the sort is looked at and the query is not built.
    case("failures", "GET /s/_search", r#"{"query":{"term":{"n":"x"}},"sort":["none"]}"#, 400, &[("/error/phase", r#""can_match""#), ("/error/root_cause/0/reason", r#""No mapping found for [none] in order to sort on""#)]),
    case("failures", "GET /s,o/_search", r#"{"query":{"term":{"n":"x"}},"sort":["d"]}"#, 400, &[("/error/phase", r#""query""#), ("/error/root_cause/0/reason", r#""failed to create query: For input string: \"x\"""#), ("/error/root_cause/1", "*"), ("/error/root_cause/2", "-")]),
    case("parameters", "GET /s/_search?size=1&sizes=2", "", 400, &[("/error/reason", r#""request [/s/_search] contains unrecognized parameter: [sizes] -> did you mean [size]?""#)]),
    case("parameters", "GET /s/_search?sizes=2", "", 400, &[("/error/reason", r#""request [/s/_search] contains unrecognized parameter: [sizes]""#)]),
    case("suggest", "GET /none*/_search", r#"{"suggest":{"a":{"text":"x","term":{"field":"t"}}}}"#, 200, &[("/suggest", "-")]),
    case("suggest", "GET /s/_search", r#"{"suggest":{"a":{"sizes":[]}}}"#, 400, &[("/error/reason", r#""missing suggestion object""#)]),
    case("template", "PUT /_index_template/t", r#"{"index_patterns":["t*"],"template":{"settings":{"similarity":{"x":{"type":"none"}}}}}"#, 400, &[("/error/reason", r#""composable template [t] template after composition is invalid""#), ("/error/caused_by/reason", r#""Unknown Similarity type [none] for [x]""#)]),
    case("template", "PUT /_component_template/t", r#"{"template":{"settings":{"similarity":{"x":{"type":"none"}}}}}"#, 400, &[("/error/reason", r#""Unknown Similarity type [none] for [x]""#)]),
];

/// `s` of two shards, `o` of one, a closed one.
fn setup(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /s,o,shut?ignore_unavailable=true&expand_wildcards=all", "");
    let mapping = r#""mappings":{"properties":{"n":{"type":"integer","ignore_malformed":true},"d":{"type":"date"},"k":{"type":"keyword","store":true}}}"#;
    let index =
        |shards: u32| format!(r#"{{"settings":{{"number_of_shards":{shards},"number_of_replicas":0}},{mapping}}}"#);
    server.ok("PUT /s", &index(2));
    server.ok("PUT /o", &index(1));
    server.ok("PUT /shut", &index(1));
    server.ok("PUT /s/_doc/1", r#"{"n":1,"d":"2021-01-01"}"#);
    server.ok("PUT /s/_doc/2?routing=r", r#"{"n":"bad"}"#);
    server.ok("PUT /s/_doc/3?routing=r", r#"{"n":"bad","k":"x"}"#);
    server.ok("PUT /o/_doc/1", r#"{"n":1,"d":"2021-01-02"}"#);
    server.ok("POST /s,o/_refresh", "");
    server.ok("POST /shut/_close", "");
    vec![]
}

#[test]
fn search_answers_as_a_whole() {
    assert_covers(CASES, ROWS);
    Server::start("rows-search").run(CASES, setup);
}
