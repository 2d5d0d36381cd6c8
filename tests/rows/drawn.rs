//! What drawn indexes found: templates that become one mapping, limits that are lowered, fields that keep nothing, dates that are
//! printed otherwise than read, and names of aliases.

use super::{Case, Server, assert_covers, case};

const ROWS: &[&str] = &[
    "templates",
    "limits",
    "conflicts",
    "dates",
    "unkept",
    "versions",
    "addresses",
    "aliases",
    "defaults",
    "sorts",
    "features",
];

const LACKS: &str = r#""Can't load fielddata on [s] because fielddata is unsupported on fields of type [geo_shape]. Use doc values instead.""#;

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("templates", "POST /_index_template/_simulate_index/made-1", "", 200, &[
        ("/template/mappings/dynamic_templates", r#"[{"a":{"mapping":{"type":"keyword"},"match":"z"}},{"b":{"mapping":{"type":"long"},"match":"x"}},{"c":{"mapping":{"type":"date"},"match":"y"}}]"#),
        ("/template/mappings/_source", r#"{"includes":["a"]}"#),
    ]),
    case("templates", "PUT /made-2", r#"{"mappings":{"properties":{"o":{"type":"keyword"}}}}"#, 400, &[("/error/type", r#""illegal_argument_exception""#), ("/error/reason", r#""can't merge a non object mapping [o] with an object mapping""#)]),
    case("templates", "PUT /_index_template/made", r#"{"index_patterns":["made-*"],"composed_of":["made"],"template":{"mappings":{"properties":{"o":{"type":"nested"}}}}}"#, 400, &[("/error/caused_by/reason", r#""invalid composite mappings for [made]""#), ("/error/caused_by/caused_by/reason", r#""cannot change object mapping from non-nested to nested""#)]),
    case("templates", "GET /old-1/_mapping", "", 200, &[("/old-1/mappings", r#"{"dynamic_templates":[{"b":{"mapping":{"type":"date"},"match":"y"}},{"a":{"mapping":{"type":"keyword"},"match":"x"}}],"properties":{"f":{"ignore_above":3,"store":true,"type":"keyword"}}}"#)]),
    // Limits hold for what is added, not for what there is.
    case("limits", "PUT /d/_settings", r#"{"index.mapping.total_fields.limit":1,"index.mapping.field_name_length.limit":2}"#, 200, &[("/acknowledged", "true")])
        .then(&[("GET /d/_mapping", "/d/mappings/properties/date/type", r#""date""#)]),
    case("limits", "PUT /d/_doc/2", r#"{"date":"2021/02/03"}"#, 201, &[("/result", r#""created""#)]),
    case("limits", "PUT /few/_mapping", r#"{"properties":{"n":{"type":"long"}}}"#, 400, &[("/error/reason", r#""Limit of total fields [1] has been exceeded""#)]),
    case("limits", "PUT /few/_doc/2", r#"{"date":"2021/02/03"}"#, 201, &[("/result", r#""created""#)]),
    case("conflicts", "PUT /k/_mapping", r#"{"properties":{"t":{"type":"text","norms":false,"term_vector":"no","store":true,"index_phrases":true,"index_prefixes":{}}}}"#, 400, &[("/error/reason", r#""Mapper for [t] conflicts with existing mapper:\n\tCannot update parameter [store] from [false] to [true]\n\tCannot update parameter [term_vector] from [yes] to [no]\n\tCannot update parameter [index_phrases] from [false] to [true]\n\tCannot update parameter [index_prefixes] from [null] to [{ min_chars=2, max_chars=5 }]""#)]),
    // Fields are looked at in the order of their hashes, derived ones among them.
    case("conflicts", "PUT /k/_mapping", r#"{"properties":{"t":{"type":"long"},"g":{"type":"long"}}}"#, 400, &[("/error/reason", r#""mapper [g] cannot be changed from type [derived] to [long]""#)]),
    case("conflicts", "PUT /k/_mapping", r#"{"properties":{"g":{"properties":{"a":{"type":"long"}}}}}"#, 400, &[("/error/reason", r#""can't merge a non object mapping [g] with an object mapping""#)]),
    case("conflicts", "PUT /k2", r#"{"mappings":{"derived":{"g":{"type":"long","script":"emit(1)"}},"properties":{"g":{"properties":{}}}}}"#, 400, &[("/error/root_cause/0/reason", r#""Failed to parse mapping [_doc]: mapper [g] cannot be changed from type [derived] to [ObjectMapper]""#)]),
    // Bounds are read by all formats of a field, though it prints by the first alone.
    case("dates", "GET /d/_search", r#"{"size":0,"aggs":{"a":{"date_range":{"field":"date","ranges":[{"to":"2020/06/01"},{"from":"2001"}]}}}}"#, 200, &[("/aggregations/a/buckets/0/to_as_string", r#""2020/06/01 00:00:00""#), ("/aggregations/a/buckets/0/doc_count", "1"), ("/aggregations/a/buckets/1/key", r#""1970/01/01 00:00:02-*""#)]),
    case("unkept", "GET /k/_search", r#"{"aggs":{"a":{"value_count":{"field":"s"}}}}"#, 400, &[("/error/root_cause/0/reason", LACKS)]),
    case("unkept", "GET /k/_search", r#"{"sort":["s"]}"#, 400, &[("/error/root_cause/0/reason", LACKS)]),
    case("unkept", "GET /k/_search", r#"{"sort":[{"_geo_distance":{"p":"1,2"}}]}"#, 400, &[("/error/root_cause/0/reason", r#""Can't load fielddata on [p] because fielddata is unsupported on fields of type [geo_point]. Use doc values instead.""#)]),
    case("unkept", "GET /k/_search", r#"{"query":{"term":{"r":3}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Cannot search on field [r] since it is not indexed.""#)]),
    case("unkept", "GET /k/_search", r#"{"query":{"fuzzy":{"x":"a"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Cannot search on field [x] since it is both not indexed, and does not have doc_values enabled.""#)]),
    // What is kept nowhere is not looked at before it is shown.
    case("unkept", "GET /k/_search", r#"{"fields":["b"]}"#, 400, &[("/error/root_cause/0/reason", r#""Failed to parse value [x] as only [true] or [false] are allowed.""#)]),
    case("versions", "GET /k/_search", r#"{"query":{"range":{"v":{"gte":"1.0.0"}}}}"#, 200, &[("/hits/total/value", "1")]),
    case("versions", "GET /k/_search", r#"{"query":{"term":{"v":"1.2.3"}}}"#, 200, &[("/hits/total/value", "0")]),
    case("versions", "GET /k/_search", r#"{"query":{"prefix":{"v":"1"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Prefix queries require the field to be indexed""#)]),
    case("addresses", "GET /k/_search", r#"{"query":{"term":{"i":"::ffff:10.0.0.0/120"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: CIDR notation is not allowed with IPv6-mapped IPv4 address [::ffff:10.0.0.0 as it introduces ambiguity as to whether the prefix length should be interpreted as a v4 prefix length or a v6 prefix length""#)]),
    case("addresses", "GET /k/_search", r#"{"aggs":{"a":{"ip_range":{"field":"i","ranges":[{"mask":"::ffff:a00:0/120"}]}}}}"#, 400, &[("/error/type", r#""x_content_parse_exception""#)]),
    // Hits show stored fields under every name that was asked for; documents by their ids know those of fields alone.
    case("aliases", "GET /k/_search", r#"{"stored_fields":["al","w"]}"#, 200, &[("/hits/hits/1/fields/w", r#"["shown"]"#), ("/hits/hits/1/fields/al", r#"["shown"]"#)]),
    case("aliases", "GET /k/_doc/1?stored_fields=al", "", 200, &[("/fields", "-")]),
    case("aliases", "GET /k/_search", r#"{"docvalue_fields":["*"]}"#, 400, &[("/error/root_cause/0/type", r#""illegal_argument_exception""#)]),
    case("defaults", "GET /k/_mapping/field/n,t,_source?include_defaults=true", "", 200, &[
        ("/k/mappings/n/mapping/n/coerce", "false"), ("/k/mappings/n/mapping/n/ignore_malformed", "true"),
        ("/k/mappings/t/mapping/t/search_analyzer", r#""default_search""#),
        ("/k/mappings/_source/mapping/_source", r#"{"enabled":true,"excludes":["e"],"includes":[],"recovery_source_enabled":true,"recovery_source_excludes":[],"recovery_source_includes":[]}"#),
    ]),
    // Which nested values count is looked at before the field; their mean is nobody's.
    case("sorts", "GET /k/_search", r#"{"sort":[{"o.x":{"nested":{"path":"o","filter":{"match_phrase_prefix":{"n":"1"}}}}}]}"#, 400, &[("/error/root_cause/0/reason", r#""Can only use phrase prefix queries on text fields - not on [n] which is of type [integer]""#)]),
    // Of nested documents those with a value are counted.
    case("sorts", "GET /k/_search", r#"{"query":{"ids":{"values":["2"]}},"sort":[{"o.n":{"nested":{"path":"o","max_children":1}}}]}"#, 200, &[("/hits/hits/0/sort", "[7]")]),
    case("features", "GET /k/_search", r#"{"query":{"rank_feature":{"field":"f.a","log":{"scaling_factor":2}}}}"#, 200, &[("/hits/max_score", "0.91629076")]),
    case("sorts", "GET /k/_search", r#"{"sort":[{"o.n":{"mode":"median","nested":{"path":"o"}}}]}"#, 400, &[("/error/root_cause/0/reason", r#""Unsupported sort mode: MEDIAN""#)]),
];

fn setup(server: &Server) -> Vec<(&'static str, String)> {
    server.ok("DELETE /old-*,made-*,d*,k*,few*", "");
    server.ok("PUT /_component_template/made", r#"{"template":{"mappings":{"_source":{"excludes":["a"]},"dynamic_templates":[{"a":{"match":"x","mapping":{"type":"text"}}},{"b":{"match":"x","mapping":{"type":"long"}}}],"properties":{"o":{"properties":{"x":{"type":"long"}}}}}}}"#);
    server.ok("PUT /_index_template/made", r#"{"index_patterns":["made-*"],"composed_of":["made"],"template":{"mappings":{"_source":{"includes":["a"]},"dynamic_templates":[{"c":{"match":"y","mapping":{"type":"date"}}},{"a":{"match":"z","mapping":{"type":"keyword"}}}]}}}"#);
    server.ok("PUT /_template/old", r#"{"index_patterns":["old-*"],"order":1,"mappings":{"dynamic_templates":[{"a":{"match":"x","mapping":{"type":"keyword"}}}],"properties":{"f":{"type":"keyword","store":true}}}}"#);
    server.ok("PUT /old-1", r#"{"mappings":{"dynamic_templates":[{"b":{"match":"y","mapping":{"type":"date"}}}],"properties":{"f":{"type":"keyword","ignore_above":3}}}}"#);
    server.ok("PUT /d/_doc/1?refresh=true", r#"{"date":"2020/01/01","other":1}"#);
    server.ok("PUT /few/_doc/1?refresh=true", r#"{"date":"2020/01/01","other":1}"#);
    server.ok("PUT /few/_settings", r#"{"index.mapping.total_fields.limit":1}"#);
    server.ok("PUT /k", MAPPING);
    server.ok("PUT /k/_doc/0?refresh=true", r#"{"n":2}"#);
    server.ok("PUT /k/_doc/1?refresh=true", r#"{"v":"1.2.3","b":"x","w":"shown","o":[{"n":1},{"n":2}]}"#);
    server.ok("PUT /k/_doc/2?refresh=true", r#"{"f":{"a":2},"o":[{"x":"2020"},{"n":7},{"n":9}]}"#);
    server.ok("PUT /k/_settings", r#"{"index.max_docvalue_fields_search":2}"#);
    vec![]
}

const MAPPING: &str = r#"{"settings":{"index.mapping.coerce":false,"index.mapping.ignore_malformed":true,
    "analysis":{"analyzer":{"default_search":{"type":"simple"}}}},
    "mappings":{"_source":{"excludes":["e"]},"derived":{"g":{"type":"long","script":"emit(1)"}},"properties":{
    "t":{"type":"text","term_vector":"yes","norms":false},"n":{"type":"integer"},"s":{"type":"geo_shape","doc_values":false},
    "p":{"type":"geo_point","doc_values":false},"r":{"type":"long_range","index":false,"doc_values":false},
    "x":{"type":"keyword","index":false,"doc_values":false},"b":{"type":"boolean","index":false,"doc_values":false},
    "v":{"type":"version","index":false,"doc_values":true},"i":{"type":"ip"},"w":{"type":"keyword","store":true},
    "f":{"type":"rank_features","positive_score_impact":false},
    "al":{"type":"alias","path":"w"},"o":{"type":"nested","properties":{"n":{"type":"long"},"x":{"type":"date","doc_values":false}}}}}}"#;

#[test]
fn what_drawn_indexes_found() {
    assert_covers(CASES, ROWS);
    Server::start("rows-drawn").run(CASES, setup);
}
