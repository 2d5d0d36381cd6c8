//! Every setting that the interface names for the cluster: its default, a value that it takes and shows, a value that it refuses
//! and with what words, and that what was set is still set after a restart. Then what some of them do.

mod support;

use serde_json::{Value, json};
use std::time::Duration;
use support::{Node, TempDir};

struct Row {
    key: &'static str,
    /// Empty: there is none.
    default: &'static str,
    valid: &'static str,
    /// Empty: every text will do.
    invalid: &'static str,
    reason: &'static str,
}

const fn row(
    key: &'static str,
    default: &'static str,
    valid: &'static str,
    invalid: &'static str,
    reason: &'static str,
) -> Row {
    Row { key, default, valid, invalid, reason }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("action.auto_create_index", "true", "+a*,-b*", "", ""),
    row("action.destructive_requires_name", "true", "false", "maybe", "Failed to parse value [maybe] as only [true] or [false] are allowed."),
    row("cluster.indices.close.enable", "true", "false", "maybe", "Failed to parse value [maybe] as only [true] or [false] are allowed."),
    row("indices.recovery.max_bytes_per_sec", "40mb", "20mb", "fast", "failed to parse [fast]"),
    row("indices.recovery.max_concurrent_file_chunks", "2", "5", "6", "Failed to parse value [6] for setting [indices.recovery.max_concurrent_file_chunks] must be <= 5"),
    row("indices.recovery.max_concurrent_operations", "1", "4", "0", "Failed to parse value [0] for setting [indices.recovery.max_concurrent_operations] must be >= 1"),
    row("logger.org.pith.discovery", "", "DEBUG", "LOUD", "Unknown level constant [LOUD]."),
    row("breaker.model_inference.limit", "50%", "40%", "", ""),
    row("breaker.model_inference.overhead", "1", "1.5", "", ""),
    row("search.max_buckets", "65535", "10000", "-1", "Failed to parse value [-1] for setting [search.max_buckets] must be >= 0"),
    row("snapshot.max_concurrent_operations", "1000", "10", "0", "Failed to parse value [0] for setting [snapshot.max_concurrent_operations] must be >= 1"),
    row("slm.health.failed_snapshot_warn_threshold", "5L", "7", "", ""),
    row("indices.breaker.total.limit", "95%", "90%", "lots", "failed to parse setting [indices.breaker.total.limit] with value [lots] as a size in bytes: unit is missing or unrecognized"),
    row("indices.breaker.fielddata.limit", "40%", "30%", "lots", "failed to parse setting [indices.breaker.fielddata.limit] with value [lots] as a size in bytes: unit is missing or unrecognized"),
    row("indices.breaker.fielddata.overhead", "1.03", "1.1", "-1", "Failed to parse value [-1] for setting [indices.breaker.fielddata.overhead] must be >= 0.0"),
    row("indices.breaker.request.limit", "60%", "50%", "lots", "failed to parse setting [indices.breaker.request.limit] with value [lots] as a size in bytes: unit is missing or unrecognized"),
    row("indices.breaker.request.overhead", "1.0", "1.2", "x", "Failed to parse value [x] for setting [indices.breaker.request.overhead]"),
    row("network.breaker.inflight_requests.limit", "100%", "90%", "lots", "failed to parse setting [network.breaker.inflight_requests.limit] with value [lots] as a size in bytes: unit is missing or unrecognized"),
    row("network.breaker.inflight_requests.overhead", "2.0", "1.5", "-3", "Failed to parse value [-3] for setting [network.breaker.inflight_requests.overhead] must be >= 0.0"),
    row("script.max_compilations_rate", "150/5m", "75/5m", "fast", "parameter must contain a positive integer and a timevalue, i.e. 10/1m, but was [fast]"),
    row("cluster.routing.allocation.enable", "all", "primaries", "some", "Illegal allocation.enable value [SOME]"),
    row("cluster.routing.allocation.node_concurrent_incoming_recoveries", "2", "3", "-1", "Failed to parse value [-1] for setting [cluster.routing.allocation.node_concurrent_incoming_recoveries] must be >= 0"),
    row("cluster.routing.allocation.node_concurrent_outgoing_recoveries", "2", "3", "x", "Failed to parse value [x] for setting [cluster.routing.allocation.node_concurrent_outgoing_recoveries]"),
    row("cluster.routing.allocation.node_concurrent_recoveries", "2", "4", "-1", "Failed to parse value [-1] for setting [cluster.routing.allocation.node_concurrent_recoveries] must be >= 0"),
    row("cluster.routing.allocation.node_initial_primaries_recoveries", "4", "5", "-1", "Failed to parse value [-1] for setting [cluster.routing.allocation.node_initial_primaries_recoveries] must be >= 0"),
    row("cluster.routing.allocation.same_shard.host", "false", "true", "maybe", "Failed to parse value [maybe] as only [true] or [false] are allowed."),
    row("cluster.routing.rebalance.enable", "all", "replicas", "some", "Illegal rebalance.enable value [SOME]"),
    row("cluster.routing.allocation.allow_rebalance", "indices_all_active", "always", "never", "Illegal value for {\n  \"key\" : \"cluster.routing.allocation.allow_rebalance\",\n  \"properties\" : [\n    \"Dynamic\",\n    \"NodeScope\"\n  ],\n  \"is_group_setting\" : false,\n  \"default\" : \"indices_all_active\"\n}: never"),
    row("cluster.routing.allocation.cluster_concurrent_rebalance", "2", "3", "-2", "Failed to parse value [-2] for setting [cluster.routing.allocation.cluster_concurrent_rebalance] must be >= -1"),
    row("cluster.routing.allocation.balance.shard", "0.45", "0.5", "-0.1", "Failed to parse value [-0.1] for setting [cluster.routing.allocation.balance.shard] must be >= 0.0"),
    row("cluster.routing.allocation.balance.index", "0.55", "0.5", "x", "Failed to parse value [x] for setting [cluster.routing.allocation.balance.index]"),
    row("cluster.routing.allocation.balance.threshold", "1.0", "1.5", "-1", "Failed to parse value [-1] for setting [cluster.routing.allocation.balance.threshold] must be >= 0.0"),
    row("cluster.routing.allocation.disk.threshold_enabled", "true", "false", "maybe", "Failed to parse value [maybe] as only [true] or [false] are allowed."),
    row("cluster.routing.allocation.disk.watermark.low", "85%", "80%", "full", "failed to parse setting [cluster.routing.allocation.disk.watermark.low] with value [full] as a size in bytes: unit is missing or unrecognized"),
    row("cluster.routing.allocation.disk.watermark.high", "90%", "89%", "101%", "failed to parse setting [cluster.routing.allocation.disk.watermark.high] with value [101%] as a size in bytes: unit is missing or unrecognized"),
    row("cluster.routing.allocation.disk.watermark.flood_stage", "95%", "96%", "nearly", "failed to parse setting [cluster.routing.allocation.disk.watermark.flood_stage] with value [nearly] as a size in bytes: unit is missing or unrecognized"),
    row("cluster.info.update.interval", "30s", "60s", "9s", "failed to parse value [9s] for setting [cluster.info.update.interval], must be >= [10s]"),
    row("cluster.routing.allocation.include._name", "", "a,b", "", ""),
    row("cluster.routing.allocation.require._ip", "", "192.168.0.1", "nonsense", "invalid IP address [nonsense] for [cluster.routing.allocation.require._ip]"),
    row("cluster.routing.allocation.exclude._host", "", "x", "", ""),
    row("cluster.blocks.read_only", "false", "true", "maybe", "Failed to parse value [maybe] as only [true] or [false] are allowed."),
    row("cluster.blocks.read_only_allow_delete", "false", "true", "maybe", "Failed to parse value [maybe] as only [true] or [false] are allowed."),
    row("cluster.max_shards_per_node", "1000", "2000", "0", "Failed to parse value [0] for setting [cluster.max_shards_per_node] must be >= 1"),
    row("cluster.persistent_tasks.allocation.enable", "all", "none", "some", "Illegal value [SOME] for [cluster.persistent_tasks.allocation.enable]"),
    row("cluster.persistent_tasks.allocation.recheck_interval", "30s", "10s", "9s", "failed to parse value [9s] for setting [cluster.persistent_tasks.allocation.recheck_interval], must be >= [10s]"),
];

/// Where each setting that does something is tested; of all others the table says that they have no effect, and why.
#[rustfmt::skip]
const ACT: &[(&str, &[&str])] = &[
    ("settings_act", &[
        "action.auto_create_index", "action.destructive_requires_name", "cluster.indices.close.enable", "search.max_buckets",
        "cluster.blocks.read_only", "cluster.blocks.read_only_allow_delete", "cluster.max_shards_per_node",
    ]),
    ("breakers_hold_memory_within_their_limits", &[
        "indices.breaker.total.limit", "indices.breaker.fielddata.limit", "indices.breaker.fielddata.overhead", "indices.breaker.request.limit",
        "indices.breaker.request.overhead", "network.breaker.inflight_requests.limit", "network.breaker.inflight_requests.overhead",
    ]),
    ("no_more_scripts_are_compiled_than_the_rate_allows", &["script.max_compilations_rate"]),
    ("a_shard_comes_back_from_a_snapshot_no_faster_than_it_may", &["indices.recovery.max_bytes_per_sec"]),
    ("a_disk_that_is_fuller_than_the_flood_stage_takes_no_writes", &[
        "cluster.routing.allocation.disk.threshold_enabled", "cluster.routing.allocation.disk.watermark.high",
        "cluster.routing.allocation.disk.watermark.flood_stage", "cluster.info.update.interval",
    ]),
    ("a_logger_logs_what_its_level_lets_through", &["logger.org.pith.discovery"]),
    ("coordinate::snapshots::create::no_more_begin_than_the_settings_allow", &["snapshot.max_concurrent_operations"]),
    ("cluster::allocation::new_primaries_wait_for_the_settings", &["cluster.routing.allocation.enable"]),
    ("cluster::allocation::the_cluster_has_a_say_too", &[
        "cluster.routing.allocation.include._name", "cluster.routing.allocation.require._ip", "cluster.routing.allocation.exclude._host",
        "cluster.routing.allocation.node_initial_primaries_recoveries",
    ]),
];

#[test]
fn every_setting_acts_or_is_said_to_have_no_effect() {
    for Row { key, .. } in ROWS {
        let acts = ACT.iter().any(|(_, keys)| keys.contains(key));
        let row = pith::settings::cluster_setting(key).unwrap_or_else(|| panic!("{key} has no row"));
        assert!(acts != row.doc.contains("No effect"), "{key}: {}", row.doc);
    }
}

/// These would keep the test itself from changing anything further.
const BLOCKS: [&str; 2] = ["cluster.blocks.read_only", "cluster.blocks.read_only_allow_delete"];

/// Nodes of tests are started with another value: they must not mind how full the disk is.
const STARTED_OTHERWISE: &str = "cluster.routing.allocation.disk.threshold_enabled";

fn put(node: &Node, scope: &str, key: &str, value: Value) -> (u16, Value) {
    let body = json!({ scope: { key: value } }).to_string();
    let response = node.request("PUT", "/_cluster/settings?flat_settings=true", body.as_bytes());
    (response.status, response.json())
}

fn settings(node: &Node) -> Value {
    node.request("GET", "/_cluster/settings?flat_settings=true&include_defaults=true", b"").json()
}

fn stop(node: Node) {
    let ended = node.terminate(Duration::from_secs(20)).expect("the node ends when it is told to");
    assert!(ended.success(), "{ended}");
}

#[test]
fn every_setting_is_set_shown_refused_and_kept() {
    let folder = TempDir::new("settings-table");
    let node = Node::start(folder.path(), &[]);
    let defaults = settings(&node)["defaults"].clone();
    for Row { key, default, valid, invalid, reason } in ROWS {
        if !default.is_empty() && *key != STARTED_OTHERWISE {
            assert_eq!(defaults[key], *default, "default of {key}");
        }
        if !invalid.is_empty() {
            let (status, answer) = put(&node, "persistent", key, json!(invalid));
            assert_eq!((status, &answer["error"]["reason"]), (400, &json!(reason)), "{key}: {invalid}");
        }
        for scope in ["transient", "persistent"] {
            let (status, answer) = put(&node, scope, key, json!(valid));
            assert_eq!((status, &answer[scope][key]), (200, &json!(valid)), "{key}: {answer}");
            if scope == "transient" || BLOCKS.contains(key) {
                let (status, _) = put(&node, scope, key, Value::Null);
                assert_eq!(status, 200, "{key} is reset");
                assert_eq!(settings(&node)[scope].get(key), None, "{key} is reset");
            }
        }
    }
    stop(node);
    let node = Node::start(folder.path(), &[]);
    let kept = settings(&node)["persistent"].clone();
    for Row { key, valid, .. } in ROWS.iter().filter(|row| !BLOCKS.contains(&row.key)) {
        assert_eq!(kept[key], *valid, "{key} after a restart");
    }
    stop(node);
}

#[test]
fn what_cannot_be_changed_is_refused() {
    let folder = TempDir::new("settings-static");
    let node = Node::start(folder.path(), &[]);
    let reason = |key: &str| put(&node, "persistent", key, json!("x")).1["error"]["reason"].clone();
    assert_eq!(reason("http.port"), "persistent setting [http.port], not dynamically updateable");
    assert!(
        reason("no.such")
            .as_str()
            .is_some_and(|reason| reason.contains("persistent setting [no.such], not recognized"))
    );
    stop(node);
}

/// The status of a request, and the type of its error if it has one.
fn outcome(node: &Node, method: &str, path: &str, body: Value) -> (u16, String) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let response = node.request(method, path, body.as_bytes());
    let kind = response.json()["error"]["type"].as_str().unwrap_or_default().to_owned();
    (response.status, kind)
}

#[test]
fn settings_act() {
    let folder = TempDir::new("settings-act");
    let node = Node::start(folder.path(), &[]);
    let set = |key: &str, value: Value| assert_eq!(put(&node, "transient", key, value).0, 200, "{key}");
    let document = json!({ "a": 1 });

    set("action.auto_create_index", json!("+yes*,-no*"));
    assert_eq!(outcome(&node, "PUT", "/yes1/_doc/1", document.clone()).0, 201);
    assert_eq!(outcome(&node, "PUT", "/no1/_doc/1", document.clone()), (404, "index_not_found_exception".to_owned()));

    assert_eq!(outcome(&node, "DELETE", "/yes*", Value::Null), (400, "illegal_argument_exception".to_owned()));
    set("action.destructive_requires_name", json!(false));
    assert_eq!(outcome(&node, "DELETE", "/yes*", Value::Null).0, 200);

    set("action.auto_create_index", Value::Null);
    assert_eq!(outcome(&node, "PUT", "/i", Value::Null).0, 200);
    set("cluster.indices.close.enable", json!(false));
    assert_eq!(outcome(&node, "POST", "/i/_close", Value::Null), (500, "illegal_state_exception".to_owned()));

    set("cluster.max_shards_per_node", json!(1));
    assert_eq!(outcome(&node, "PUT", "/j", Value::Null), (400, "validation_exception".to_owned()));
    set("cluster.max_shards_per_node", Value::Null);

    for n in 0..3 {
        outcome(&node, "PUT", &format!("/i/_doc/{n}?refresh=true"), json!({ "n": n }));
    }
    set("search.max_buckets", json!(2));
    let buckets = json!({ "size": 0, "aggs": { "n": { "histogram": { "field": "n", "interval": 1 } } } });
    assert_eq!(outcome(&node, "POST", "/i/_search", buckets).0, 503);

    set("cluster.blocks.read_only", json!(true));
    assert_eq!(outcome(&node, "PUT", "/i/_doc/9", document.clone()), (403, "cluster_block_exception".to_owned()));
    assert_eq!(outcome(&node, "DELETE", "/i", Value::Null), (403, "cluster_block_exception".to_owned()));
    set("cluster.blocks.read_only", Value::Null);
    set("cluster.blocks.read_only_allow_delete", json!(true));
    assert_eq!(outcome(&node, "PUT", "/i/_doc/9", document), (403, "cluster_block_exception".to_owned()));
    assert_eq!(outcome(&node, "DELETE", "/i", Value::Null).0, 200);
    stop(node);
}

/// A text of so many bytes.
fn long(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// The status of a request, and the type of what its error stands on.
fn cause(node: &Node, method: &str, path: &str, body: Value) -> (u16, String) {
    let response = node.request(method, path, body.to_string().as_bytes());
    let kind = response.json()["error"]["root_cause"][0]["type"].as_str().unwrap_or_default().to_owned();
    (response.status, kind)
}

#[test]
fn breakers_hold_memory_within_their_limits() {
    let folder = TempDir::new("settings-breakers");
    let node = Node::start(folder.path(), &["--cores", "1"]);
    let set = |key: &str, value: Value| assert_eq!(put(&node, "transient", key, value).0, 200, "{key}");
    let broken = (429, "circuit_breaking_exception".to_owned());
    let mapping = json!({
        "settings": { "number_of_shards": 1, "number_of_replicas": 0 },
        "mappings": { "properties": { "t": { "type": "text", "fielddata": true }, "u": { "type": "text", "fielddata": true } } },
    });
    assert_eq!(outcome(&node, "PUT", "/i", mapping).0, 200);
    for n in 0..20 {
        let document = json!({ "t": format!("word{n}"), "u": format!("word{n}"), "n": n });
        assert_eq!(outcome(&node, "PUT", &format!("/i/_doc/{n}?refresh=true"), document).0, 201);
    }
    let terms = |field: &str| {
        let search = json!({ "size": 0, "aggs": { "t": { "terms": { "field": field } } } });
        cause(&node, "POST", "/i/_search?request_cache=false", search)
    };
    // indices.breaker.fielddata: what is there stays, more is not made.
    assert_eq!(terms("t").0, 200);
    set("indices.breaker.fielddata.limit", json!("300b"));
    assert_eq!((terms("t").0, terms("u")), (200, broken.clone()));
    set("indices.breaker.fielddata.limit", json!("30kb"));
    set("indices.breaker.fielddata.overhead", json!("100"));
    assert_eq!(terms("u"), broken);
    set("indices.breaker.fielddata.overhead", Value::Null);
    assert_eq!(terms("u").0, 200);

    // indices.breaker.request, and that of all together: a search looks between two of its slices, so there must be several.
    let line = |n: u32| format!("{{\"index\":{{}}}}\n{{\"n\":{n}}}\n");
    let lines: String = (0..12_000).map(line).collect();
    assert_eq!(node.request("POST", "/i/_bulk?refresh=true", lines.as_bytes()).status, 200);
    let all = json!({ "query": { "match_all": {} }, "aggs": { "n": { "terms": { "field": "n" } } } });
    let search = || cause(&node, "POST", "/i/_search?request_cache=false", all.clone());
    for (limit, overhead) in [("indices.breaker.request", true), ("indices.breaker.total", false)] {
        set(&format!("{limit}.limit"), json!("1b"));
        assert_eq!(search(), broken, "{limit}");
        set(&format!("{limit}.limit"), json!("1gb"));
        assert_eq!(search().0, 200, "{limit}");
        if overhead {
            set(&format!("{limit}.overhead"), json!("1e12"));
            assert_eq!(search(), broken, "{limit}");
            set(&format!("{limit}.overhead"), Value::Null);
        }
        set(&format!("{limit}.limit"), Value::Null);
    }

    // network.breaker.inflight_requests: a byte of a body counts twice unless somebody says otherwise.
    let body = |bytes: usize| outcome(&node, "PUT", "/i/_doc/long", json!({ "s": long(bytes) }));
    set("network.breaker.inflight_requests.limit", json!("4kb"));
    assert_eq!((body(1500).0, body(2100)), (201, broken.clone()));
    set("network.breaker.inflight_requests.overhead", json!("1.0"));
    assert_eq!((body(2100).0, body(4100)), (200, broken));

    let breakers = node.request("GET", "/_nodes/stats/breaker", b"").json();
    let breakers =
        breakers["nodes"].as_object().and_then(|nodes| nodes.values().next()).expect("one node")["breakers"].clone();
    for (name, tripped) in [("fielddata", 2), ("in_flight_requests", 2)] {
        assert_eq!(breakers[name]["tripped"], tripped, "{name}: {breakers}");
    }
    assert!(["request", "parent"].iter().all(|name| breakers[name]["tripped"].as_u64() > Some(0)), "{breakers}");
    assert_eq!(breakers["in_flight_requests"]["limit_size"], "4kb");
    stop(node);
}

#[test]
fn no_more_scripts_are_compiled_than_the_rate_allows() {
    let folder = TempDir::new("settings-scripts");
    let node = Node::start(folder.path(), &[]);
    assert_eq!(put(&node, "transient", "script.max_compilations_rate", json!("2/10m")).0, 200);
    let script = |n: u32| {
        let body = json!({ "script": { "source": format!("return {n}") } });
        outcome(&node, "POST", "/_scripts/painless/_execute", body).0
    };
    assert_eq!([script(1), script(2), script(1), script(3)], [200, 200, 200, 429]);
    assert_eq!(put(&node, "transient", "script.max_compilations_rate", Value::Null).0, 200);
    assert_eq!(script(4), 200);
    stop(node);
}

#[test]
fn a_shard_comes_back_from_a_snapshot_no_faster_than_it_may() {
    let folder = TempDir::new("settings-recovery");
    let repository = folder.path().join("repository");
    let paths = format!("path.repo={}", repository.display());
    let node = Node::start(folder.path(), &["-E", &paths]);
    let ok = |method: &str, path: &str, body: Value| assert_eq!(outcome(&node, method, path, body).0, 200, "{path}");
    ok("PUT", "/_snapshot/r", json!({ "type": "fs", "settings": { "location": repository.to_string_lossy() } }));
    ok("PUT", "/i", json!({ "settings": { "number_of_shards": 1, "number_of_replicas": 0 } }));
    let text: String = (0..60_000u32).map(|n| format!("{:x} ", n.wrapping_mul(2_654_435_761))).collect();
    assert_eq!(outcome(&node, "PUT", "/i/_doc/1?refresh=true", json!({ "t": text })).0, 201);
    ok("PUT", "/_snapshot/r/s?wait_for_completion=true", Value::Null);
    let status = node.request("GET", "/_snapshot/r/s/_status", b"").json();
    let bytes = status["snapshots"][0]["stats"]["total"]["size_in_bytes"].as_u64().expect("it has a size");
    let restore = || {
        ok("DELETE", "/i", Value::Null);
        let began = std::time::Instant::now();
        ok("POST", "/_snapshot/r/s/_restore?wait_for_completion=true", Value::Null);
        began.elapsed()
    };
    // A rate at which the files take two seconds.
    assert_eq!(put(&node, "transient", "indices.recovery.max_bytes_per_sec", json!(format!("{}b", bytes / 2))).0, 200);
    assert!(restore() >= Duration::from_millis(1900));
    assert_eq!(put(&node, "transient", "indices.recovery.max_bytes_per_sec", json!("0mb")).0, 200);
    assert!(restore() < Duration::from_millis(1900));
    stop(node);
}

#[test]
fn a_disk_that_is_fuller_than_the_flood_stage_takes_no_writes() {
    let folder = TempDir::new("settings-watermarks");
    let node = Node::start(folder.path(), &[]);
    let settings = |value: fn(&str) -> Value| {
        let disk = "cluster.routing.allocation.disk";
        let marks = ["low", "high", "flood_stage"].map(|mark| (format!("{disk}.watermark.{mark}"), value("0.0001%")));
        let all: serde_json::Map<String, Value> =
            marks.into_iter().chain([(format!("{disk}.threshold_enabled"), value("true"))]).collect();
        let body = json!({ "transient": all }).to_string();
        assert_eq!(node.request("PUT", "/_cluster/settings", body.as_bytes()).status, 200);
    };
    let write = || outcome(&node, "PUT", "/i/_doc/1", json!({})).0;
    let becomes = |status: fn(u16) -> bool| {
        let began = std::time::Instant::now();
        while !status(write()) {
            assert!(began.elapsed() < Duration::from_secs(10), "the disk is not looked at");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    assert_eq!(write(), 201);
    settings(|value| json!(value));
    becomes(|status| status == 403 || status == 429);
    // Deleting makes room and is allowed; so is what it was before as soon as there is room again.
    settings(|_| Value::Null);
    becomes(|status| status == 200);
    stop(node);
}

#[test]
fn a_logger_logs_what_its_level_lets_through() {
    let folder = TempDir::new("settings-logger");
    let ends = |level: Value| {
        let node = Node::start(folder.path(), &[]);
        // Not a persistent one: what the next node says of its port is of the same level as its end.
        assert_eq!(put(&node, "transient", "logger.org.pith.node", level).0, 200);
        stop(node);
        std::fs::read_to_string(folder.path().join("node.log")).expect("a log").contains("stopped")
    };
    assert!(ends(Value::Null), "the end is logged");
    assert!(!ends(json!("ERROR")), "the end is no error");
    assert!(ends(Value::Null), "it is as before");
}
