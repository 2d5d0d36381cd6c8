//! § Put mapping: paths, parameters, the body, the rules of errors.

use super::{Case, Server, assert_covers, case};

const ROWS: &[&str] = &[
    "one index",
    "several indexes",
    "properties",
    "dynamic",
    "response",
    "allow_no_indices",
    "expand_wildcards",
    "ignore_unavailable",
    "ignore_malformed",
    "cluster_manager_timeout",
    "timeout",
    "write_index_only",
    "without an index",
    "what maps already",
];

const KEYWORD: &str = r#"{"properties":{"k":{"type":"keyword"}}}"#;

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("one index", "PUT /m/_mapping", KEYWORD, 200, &[("/acknowledged", "true")])
        .then(&[("GET /m/_mapping", "/m/mappings/properties/k/type", r#""keyword""#)]),
    case("one index", "POST /m/_mapping", KEYWORD, 200, &[("/acknowledged", "true")]),
    case("one index", "PUT /nobody/_mapping", KEYWORD, 404, &[("/error/type", r#""index_not_found_exception""#), ("/error/reason", r#""no such index [nobody]""#)]),
    case("several indexes", "PUT /m,n/_mapping", KEYWORD, 200, &[("/acknowledged", "true")])
        .then(&[("GET /n/_mapping", "/n/mappings/properties/k/type", r#""keyword""#)]),
    case("several indexes", "PUT /_all/_mapping", KEYWORD, 200, &[("/acknowledged", "true")]),
    case("several indexes", "PUT /*/_mapping", KEYWORD, 200, &[("/acknowledged", "true")])
        .then(&[("GET /m/_mapping", "/m/mappings/properties/k/type", r#""keyword""#)]),
    // What one index refuses no index takes.
    case("several indexes", "PUT /m,n/_mapping", r#"{"properties":{"t":{"type":"integer"},"k":{"type":"keyword"}}}"#, 400, &[("/error/type", r#""illegal_argument_exception""#)])
        .then(&[("GET /n/_mapping", "/n/mappings/properties/k", "-")]),
    case("properties", "PUT /m/_mapping", r#"{"properties":{"o":{"properties":{"i":{"type":"long"}}}}}"#, 200, &[("/acknowledged", "true")])
        .then(&[("GET /m/_mapping", "/m/mappings/properties/o/properties/i/type", r#""long""#)]),
    case("properties", "PUT /m/_mapping", "", 400, &[("/error/type", r#""parse_exception""#), ("/error/reason", r#""request body is required""#)]),
    case("properties", "PUT /m/_mapping", "{}", 200, &[("/acknowledged", "true")]),
    case("properties", "PUT /m/_mapping", r#"{"properties":{"x":{"type":"nonsense"}}}"#, 400, &[("/error/type", r#""mapper_parsing_exception""#), ("/error/reason", r#""No handler for type [nonsense] declared on field [x]""#)]),
    case("properties", "PUT /m/_mapping", r#"{"properties":{"x":{"type":"keyword","junk":1}}}"#, 400, &[("/error/reason", r#""unknown parameter [junk] on mapper [x] of type [keyword]""#)]),
    case("properties", "PUT /m/_mapping", r#"{"junk":1}"#, 400, &[("/error/type", r#""mapper_parsing_exception""#), ("/error/reason", r#""Root mapping definition has unsupported parameters:  [junk : 1]""#)]),
    case("properties", "PUT /m/_mapping", r#"{"properties":{"x":"keyword"}}"#, 400, &[("/error/type", r#""mapper_parsing_exception""#), ("/error/reason", r#""Expected map for property [fields] on field [x] but got a class java.lang.String""#)]),
    case("dynamic", "PUT /m/_mapping", r#"{"dynamic":"strict"}"#, 200, &[("/acknowledged", "true")])
        .then(&[("GET /m/_mapping", "/m/mappings/dynamic", r#""strict""#)]),
    case("dynamic", "PUT /m/_mapping", r#"{"dynamic":false}"#, 200, &[("/acknowledged", "true")])
        .then(&[("GET /m/_mapping", "/m/mappings/dynamic", r#""false""#)]),
    case("dynamic", "PUT /m/_mapping", r#"{"dynamic":"junk"}"#, 400, &[("/error/reason", r#""Could not convert [dynamic.dynamic] to boolean""#)]),
    case("response", "PUT /m/_mapping", KEYWORD, 200, &[("", r#"{"acknowledged":true}"#)]),
    case("allow_no_indices", "PUT /none*/_mapping", KEYWORD, 200, &[("/acknowledged", "true")]).overruled(),
    case("allow_no_indices", "PUT /none*/_mapping?allow_no_indices=true", KEYWORD, 200, &[("/acknowledged", "true")]),
    case("allow_no_indices", "PUT /none*/_mapping?allow_no_indices=false", KEYWORD, 404, &[("/error/type", r#""index_not_found_exception""#)]),
    case("expand_wildcards", "PUT /c*/_mapping?expand_wildcards=closed", KEYWORD, 200, &[("/acknowledged", "true")])
        .then(&[("GET /closed/_mapping", "/closed/mappings/properties/k/type", r#""keyword""#)]),
    case("expand_wildcards", "PUT /m*/_mapping?expand_wildcards=open,hidden", KEYWORD, 200, &[("/acknowledged", "true")]),
    case("expand_wildcards", "PUT /m*/_mapping?expand_wildcards=none", KEYWORD, 200, &[("/acknowledged", "true")]).overruled(),
    case("expand_wildcards", "PUT /m/_mapping?expand_wildcards=junk", KEYWORD, 400, &[("/error/reason", r#""No valid expand wildcard value [junk]""#)]),
    case("ignore_unavailable", "PUT /m,nobody/_mapping", KEYWORD, 404, &[("/error/type", r#""index_not_found_exception""#)]),
    case("ignore_unavailable", "PUT /m,nobody/_mapping?ignore_unavailable=true", KEYWORD, 200, &[("/acknowledged", "true")]),
    case("ignore_malformed", "PUT /m/_mapping?ignore_malformed=true", r#"{"properties":{"r":{"type":"ip_range"}}}"#, 200, &[("/acknowledged", "true")]).overruled(),
    case("cluster_manager_timeout", "PUT /m/_mapping?cluster_manager_timeout=10s", KEYWORD, 200, &[("/acknowledged", "true")]),
    case("cluster_manager_timeout", "PUT /m/_mapping?cluster_manager_timeout=junk", KEYWORD, 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("timeout", "PUT /m/_mapping?timeout=10s", KEYWORD, 200, &[("/acknowledged", "true")]),
    case("timeout", "PUT /m/_mapping?timeout=junk", KEYWORD, 400, &[("/error/reason", r#""failed to parse setting [timeout] with value [junk] as a time value: unit is missing or unrecognized""#)]),
    case("write_index_only", "PUT /both/_mapping?write_index_only=true", KEYWORD, 200, &[("/acknowledged", "true")])
        .then(&[("GET /n/_mapping", "/n/mappings/properties/k/type", r#""keyword""#), ("GET /m/_mapping", "/m/mappings/properties/k", "-")]),
    case("write_index_only", "PUT /both/_mapping", KEYWORD, 200, &[("/acknowledged", "true")])
        .then(&[("GET /m/_mapping", "/m/mappings/properties/k/type", r#""keyword""#)]),
    case("write_index_only", "PUT /m,n/_mapping?write_index_only=true", KEYWORD, 200, &[("/acknowledged", "true")]),
    case("without an index", "PUT /_mapping", KEYWORD, 405, &[]),
    case("what maps already", "PUT /m/_mapping", r#"{"_source":{"recovery_source_enabled":false,"recovery_source_includes":["a"]}}"#, 400, &[("/error/reason", r#""Mapper for [_source] conflicts with existing mapper:\n\tCannot update parameter [recovery_source_enabled] from [true] to [false]\n\tCannot update parameter [recovery_source_includes] from [[]] to [[a]]""#)]),
    case("what maps already", "PUT /m/_mapping", r#"{"_source":{"recovery_source_excludes":"a"}}"#, 500, &[("/error/type", r#""class_cast_exception""#)]),
    case("what maps already", "PUT /m/_mapping", r#"{"properties":{"t":{"type":"integer"}}}"#, 400, &[("/error/type", r#""illegal_argument_exception""#), ("/error/reason", r#""mapper [t] cannot be changed from type [text] to [integer]""#)]),
    case("what maps already", "PUT /m/_mapping", r#"{"properties":{"t":{"type":"text","analyzer":"whitespace"}}}"#, 400, &[("/error/reason", r#""Mapper for [t] conflicts with existing mapper:\n\tCannot update parameter [analyzer] from [default] to [whitespace]""#)]),
    case("what maps already", "PUT /m/_mapping", r#"{"properties":{"t":{"type":"text","fields":{"raw":{"type":"keyword"}}}}}"#, 200, &[("/acknowledged", "true")]),
    case("properties", "PUT /m/_mapping", "x", 400, &[("/error/type", r#""not_x_content_exception""#)]),
    case("properties", "PUT /m/_mapping", r#"{"properties":{"k":{"type":"long"}}} x"#, 200, &[("/acknowledged", "true")]),
    case("properties", "PUT /m/_mapping", r#"{"type":"object"}"#, 400, &[("/error/reason", r#""Root mapping definition has unsupported parameters:  [type : object]""#)]),
    case("properties", "PUT /m/_mapping", r#"{"properties":{"_id":{"type":"keyword"}}}"#, 400, &[("/error/reason", r#""Field [_id] is defined more than once""#)]),
    case("properties", "PUT /m/_mapping", r#"{"properties":{"_source":{"properties":{}}}}"#, 400, &[("/error/reason", r#""Field [_source] is defined both as an object and a field""#)]),
    case("one index", "PUT /m/_mapping?junk=1", KEYWORD, 400, &[("/error/reason", r#""request [/m/_mapping] contains unrecognized parameter: [junk]""#)]),
];

fn set_up(server: &Server) -> Vec<(&'static str, String)> {
    server.ok("DELETE /m,n,closed?ignore_unavailable=true", "");
    let settings = r#""settings":{"number_of_shards":1,"number_of_replicas":0}"#;
    server.ok(
        "PUT /m",
        &format!(r#"{{{settings},"aliases":{{"both":{{}}}},"mappings":{{"properties":{{"t":{{"type":"text"}}}}}}}}"#),
    );
    server.ok("PUT /n", &format!(r#"{{{settings},"aliases":{{"both":{{"is_write_index":true}}}}}}"#));
    server.ok("PUT /closed", &format!("{{{settings}}}"));
    server.ok("POST /closed/_close", "");
    vec![]
}

#[test]
fn every_row_of_put_mapping() {
    assert_covers(CASES, ROWS);
    Server::start("rows-put-mapping").run(CASES, set_up);
}
