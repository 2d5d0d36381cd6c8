//! § Cluster settings: paths, parameters, the body, the rules of errors. Each setting is a row of `tests/settings.rs`.

use super::{Case, Server, assert_covers, case};

const ROWS: &[&str] = &[
    "GET",
    "PUT",
    "flat_settings",
    "include_defaults",
    "cluster_manager_timeout",
    "timeout",
    "transient",
    "persistent",
    "null",
    "not dynamic",
    "unknown",
    "wildcards",
];

const BUCKETS: &str = r#"{"persistent":{"search.max_buckets":1000}}"#;

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("GET", "GET /_cluster/settings", "", 200, &[("", r#"{"persistent":{},"transient":{}}"#)]),
    case("PUT", "PUT /_cluster/settings", BUCKETS, 200, &[("", r#"{"acknowledged":true,"persistent":{"search":{"max_buckets":"1000"}},"transient":{}}"#)])
        .then(&[("GET /_cluster/settings", "/persistent/search/max_buckets", r#""1000""#)]),
    case("PUT", "PUT /_cluster/settings", "", 400, &[("/error/type", r#""parse_exception""#), ("/error/reason", r#""request body is required""#)]),
    case("PUT", "PUT /_cluster/settings", "{}", 400, &[("/error/type", r#""action_request_validation_exception""#), ("/error/reason", r#""Validation Failed: 1: no settings to update;""#)]),
    case("PUT", "PUT /_cluster/settings", r#"{"persistent":{}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: no settings to update;""#)]),
    case("PUT", "POST /_cluster/settings", BUCKETS, 405, &[]),
    // All or nothing.
    case("PUT", "PUT /_cluster/settings", r#"{"persistent":{"search.max_buckets":1000,"cluster.max_shards_per_node":"many"}}"#, 400, &[("/error/type", r#""illegal_argument_exception""#)])
        .then(&[("GET /_cluster/settings", "/persistent", "{}")]),
    case("flat_settings", "PUT /_cluster/settings?flat_settings=true", BUCKETS, 200, &[("/persistent", r#"{"search.max_buckets":"1000"}"#)])
        .then(&[("GET /_cluster/settings?flat_settings=true", "/persistent", r#"{"search.max_buckets":"1000"}"#)]),
    case("flat_settings", "GET /_cluster/settings?flat_settings=maybe", "", 400, &[("/error/reason", r#""Failed to parse value [maybe] as only [true] or [false] are allowed.""#)]),
    case("include_defaults", "GET /_cluster/settings?include_defaults=true", "", 200, &[("/defaults/cluster/max_shards_per_node", r#""1000""#), ("/defaults/indices/recovery/max_bytes_per_sec", "*")]),
    case("include_defaults", "GET /_cluster/settings?include_defaults=true&flat_settings=true", "", 200, &[("/defaults/cluster.max_shards_per_node", r#""1000""#)]),
    case("include_defaults", "GET /_cluster/settings?include_defaults=false", "", 200, &[("/defaults", "-")]),
    case("include_defaults", "PUT /_cluster/settings?include_defaults=true", BUCKETS, 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("cluster_manager_timeout", "GET /_cluster/settings?cluster_manager_timeout=5s", "", 200, &[("/persistent", "{}")]),
    case("cluster_manager_timeout", "PUT /_cluster/settings?cluster_manager_timeout=5s", BUCKETS, 200, &[("/acknowledged", "true")]),
    case("cluster_manager_timeout", "PUT /_cluster/settings?cluster_manager_timeout=5s&master_timeout=5s", BUCKETS, 400, &[("/error/type", r#""parse_exception""#)]),
    case("timeout", "PUT /_cluster/settings?timeout=5s", BUCKETS, 200, &[("/acknowledged", "true")]),
    case("timeout", "PUT /_cluster/settings?timeout=junk", BUCKETS, 400, &[("/error/reason", r#""failed to parse setting [timeout] with value [junk] as a time value: unit is missing or unrecognized""#)]),
    case("transient", "PUT /_cluster/settings", r#"{"transient":{"search":{"max_buckets":"2000"}}}"#, 200, &[("/transient/search/max_buckets", r#""2000""#), ("/persistent", "{}")])
        .then(&[("GET /_cluster/settings", "/transient/search/max_buckets", r#""2000""#)]),
    case("transient", "PUT /_cluster/settings", r#"{"transient":{"cluster.blocks.create_index":true}}"#, 200, &[])
        .then(&[
            ("PUT /rows-blocked", "/error/type", r#""index_create_block_exception""#),
            ("PUT /rows-blocked", "/error/reason", r#""blocked by: [FORBIDDEN/10/cluster create-index blocked (api)];""#),
            ("PUT /rows-blocked", "/status", "403"),
        ]),
    case("transient", "PUT /_cluster/settings", r#"{"transient":{"http.port":1}}"#, 400, &[("/error/type", r#""settings_exception""#), ("/error/reason", r#""transient setting [http.port], not dynamically updateable""#)]),
    case("persistent", "PUT /_cluster/settings", r#"{"persistent":{"search.max_buckets":1000},"transient":{"search.max_buckets":2000}}"#, 200, &[("/persistent/search/max_buckets", r#""1000""#), ("/transient/search/max_buckets", r#""2000""#)]),
    case("null", "PUT /_cluster/settings", r#"{"persistent":{"search.max_buckets":null}}"#, 200, &[("/persistent", "{}")]),
    case("null", "PUT /_cluster/settings", r#"{"persistent":{"cluster.max_shards_per_node":500},"transient":{"search.max_buckets":null}}"#, 200, &[("/persistent/cluster/max_shards_per_node", r#""500""#)]),
    case("not dynamic", "PUT /_cluster/settings", r#"{"persistent":{"node.name":"x"}}"#, 400, &[("/error/type", r#""settings_exception""#), ("/error/reason", r#""persistent setting [node.name], not dynamically updateable""#)]),
    case("unknown", "PUT /_cluster/settings", r#"{"persistent":{"search_backpressure.mode":"x"}}"#, 400, &[("/error/reason", r#""Invalid SearchBackpressureMode: x""#)]),
    case("unknown", "PUT /_cluster/settings", r#"{"transient":{"shard_indexing_pressure.enabled":true}}"#, 200, &[("/transient/shard_indexing_pressure/enabled", r#""true""#)]),
    case("unknown", "PUT /_cluster/settings", r#"{"persistent":{"no.such":1}}"#, 400, &[("/error/type", r#""settings_exception""#), ("/error/reason", r#""persistent setting [no.such], not recognized""#)]),
    case("unknown", "PUT /_cluster/settings", r#"{"junk":{"a":1}}"#, 400, &[("/error/type", "*")]),
    case("persistent", "PUT /_cluster/settings", r#"{"persistent":{"script.max_compilations_rate":"-1/5m"}}"#, 400, &[("/error/reason", r#""rate [-1] must be positive""#)]),
    case("persistent", "PUT /_cluster/settings", r#"{"persistent":{"script.max_compilations_rate":"5/30s"}}"#, 400, &[("/error/reason", r#""time value [30s] must be at least on a one minute resolution""#)]),
    case("persistent", "PUT /_cluster/settings", r#"{"persistent":{"script.max_compilations_rate":"x/5m"}}"#, 400, &[("/error/reason", r#""could not parse [x] as integer in value [x/5m]""#)]),
    case("persistent", "PUT /_cluster/settings", r#"{"persistent":{"indices.breaker.total.limit":"101%"}}"#, 400, &[("/error/caused_by/type", r#""parse_exception""#), ("/error/reason", r#""percentage should be in [0-100], got [101]""#)]),
    case("PUT", "PUT /_cluster/settings", r#"{"persistent":{"search.max_buckets":1000}} x"#, 200, &[("/acknowledged", "true")]),
    case("wildcards", "PUT /_cluster/settings", r#"{"persistent":{"search.*":null}}"#, 200, &[("/acknowledged", "true")]),
    case("GET", "GET /_cluster/settings?junk=1", "", 400, &[("/error/reason", r#""request [/_cluster/settings] contains unrecognized parameter: [junk]""#)]),
];

fn set_up(server: &Server) -> Vec<(&'static str, String)> {
    server.ok("PUT /_cluster/settings", r#"{"persistent":{"*":null},"transient":{"*":null}}"#);
    vec![]
}

#[test]
fn every_row_of_cluster_settings() {
    assert_covers(CASES, ROWS);
    Server::start("rows-cluster-settings").run(CASES, set_up);
}
