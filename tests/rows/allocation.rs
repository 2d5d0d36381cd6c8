//! Settings that decide where copies may be: what waits is shown as waiting, refuses what needs it, and goes on as soon as it may.

use super::{Case, Server, case};

const HELD: &str = r#"{"transient":{"cluster.routing.allocation.enable":"none"}}"#;
const FREE: &str = r#"{"transient":{"cluster.routing.allocation.*":null}}"#;

/// `alloc-held` has no shard, `alloc-half` one of two: it holds the document `1`, and not `2`.
fn setup(server: &Server) -> Vec<(&'static str, String)> {
    server.ok("PUT /_cluster/settings", FREE);
    server.ok("DELETE /alloc-*", "");
    let half =
        r#"{"settings":{"number_of_shards":2,"number_of_replicas":0,"routing.allocation.total_shards_per_node":1}}"#;
    server.ok("PUT /alloc-half?wait_for_active_shards=0", half);
    server.ok("PUT /alloc-half/_doc/2?refresh=true", r#"{"n":1}"#);
    server.ok("PUT /_cluster/settings", HELD);
    server.ok("PUT /alloc-held?wait_for_active_shards=0", r#"{"settings":{"number_of_replicas":1}}"#);
    vec![]
}

const NO_SHARD: &str = r#""no_shard_available_action_exception""#;
const ALL_FAILED: &[(&str, &str)] = &[
    ("/error/type", r#""search_phase_execution_exception""#),
    ("/error/reason", r#""all shards failed""#),
    ("/error/failed_shards", "[]"),
];
const INACTIVE: &str = r#""[alloc-held][0] primary shard is not active Timeout: [1ms]""#;
const EXPLAIN: &str = r#"{"index":"alloc-held","shard":0,"primary":true}"#;

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("create", "PUT /alloc-new?timeout=1ms&wait_for_active_shards=1", "", 200, &[("/shards_acknowledged", "false")]),
    case("health", "GET /_cluster/health/alloc-held", "", 200, &[("/status", r#""red""#), ("/unassigned_shards", "2"), ("/active_primary_shards", "0")]),
    case("health", "GET /_cluster/health/alloc-held?wait_for_status=yellow&timeout=1ms", "", 408, &[("/timed_out", "true")]),
    case("cat", "GET /_cat/indices/alloc-held?format=json", "", 200, &[("/0/health", r#""red""#), ("/0/docs.count", "null")]),
    case("cat", "GET /_cat/shards/alloc-held?format=json&h=prirep,state,ur,rs,node&s=prirep", "", 200, &[
        ("/0", r#"{"prirep":"p","state":"UNASSIGNED","ur":"INDEX_CREATED","rs":"empty_store","node":null}"#),
        ("/1/rs", r#""peer""#),
    ]),
    case("state", "GET /_cluster/state/routing_table/alloc-held", "", 200, &[
        ("/routing_table/indices/alloc-held/shards/0/0/recovery_source/type", r#""EMPTY_STORE""#),
        ("/routing_table/indices/alloc-held/shards/0/0/unassigned_info/allocation_status", r#""deciders_no""#),
        ("/routing_table/indices/alloc-held/shards/0/0/node", "null"),
    ]),
    case("state", "GET /_cluster/state/metadata/alloc-half", "", 200, &[
        ("/metadata/indices/alloc-half/primary_terms", r#"{"0":1,"1":0}"#),
        ("/metadata/indices/alloc-half/in_sync_allocations/1", "[]"),
    ]),
    case("explain", "GET /_cluster/allocation/explain", EXPLAIN, 200, &[
        ("/can_allocate", r#""no""#),
        ("/unassigned_info/last_allocation_status", r#""no""#),
        ("/node_allocation_decisions/0/deciders", r#"[{"decider":"enable","decision":"NO","explanation":"no allocations are allowed due to cluster setting [cluster.routing.allocation.enable=none]"}]"#),
    ]),
    case("explain", "GET /_cluster/allocation/explain", r#"{"index":"alloc-half","shard":1,"primary":true}"#, 200, &[
        ("/node_allocation_decisions/0/deciders/1/decider", r#""shards_limit""#),
        ("/node_allocation_decisions/0/deciders/1/explanation", r#""too many shards [1] allocated to this node for index [alloc-half], index setting [index.routing.allocation.total_shards_per_node=1]""#),
    ]),
    case("search", "GET /alloc-held/_search", "", 503, ALL_FAILED),
    case("search", "GET /alloc-held/_count", "", 503, ALL_FAILED),
    case("search", "GET /alloc-half/_search", "", 200, &[("/_shards", r#"{"total":2,"successful":1,"skipped":0,"failed":0}"#), ("/hits/total/value", "1")]),
    case("search", "GET /alloc-half/_search?allow_partial_search_results=false", "", 503, &[
        ("/error/caused_by/reason", r#""Search rejected due to missing shards [[alloc-half][1]]. Consider using `allow_partial_search_results` setting to bypass this error.""#),
        ("/error/phase", r#""query""#),
    ]),
    case("search", "GET /alloc-half/_search?allow_partial_search_results=false", r#"{"sort":["n"]}"#, 503, &[("/error/phase", r#""can_match""#)]),
    case("search", "GET /alloc-half/_search_shards", "", 200, &[("/shards/0/0/shard", "0"), ("/shards/1", "[]")]),
    case("search", "GET /alloc-held/_validate/query", "", 200, &[("/_shards", r#"{"total":1,"successful":0,"failed":0}"#), ("/valid", "true")]),
    case("search", "POST /alloc-half/_search/point_in_time?keep_alive=1m&allow_partial_pit_creation=false", "", 503, &[("/error/phase", r#""create_pit""#)]),
    case("get", "GET /alloc-held/_doc/1", "", 503, &[("/error/type", NO_SHARD), ("/error/reason", r#""No shard available for [get [alloc-held][1]: routing [null]]""#)]),
    case("get", "GET /alloc-held/_mget", r#"{"ids":["1"]}"#, 200, &[("/docs/0/error/type", NO_SHARD)]),
    case("get", "GET /alloc-held/_explain/1", r#"{"query":{"match_all":{}}}"#, 503, &[("/error/type", NO_SHARD)]),
    case("get", "GET /alloc-held/_termvectors/1", "", 503, &[("/error/type", NO_SHARD)]),
    case("write", "PUT /alloc-held/_doc/1?timeout=1ms", r#"{"n":1}"#, 503, &[("/error/type", r#""unavailable_shards_exception""#), ("/error/reason", INACTIVE)]),
    case("write", "DELETE /alloc-held/_doc/1?timeout=1ms", "", 503, &[("/error/reason", INACTIVE)]),
    case("write", "POST /alloc-held/_update/1?timeout=1ms", r#"{"doc":{"n":1}}"#, 503, &[("/error/reason", r#""[alloc-held][0] [1] shardIt, [0] active : Timeout waiting for [1ms], request: indices:data/write/update""#)]),
    case("write", "POST /alloc-held/_bulk?timeout=1ms", "{\"index\":{\"_id\":\"1\"}}\n{\"n\":1}\n", 200, &[("/errors", "true"), ("/items/0/index/status", "503"), ("/items/0/index/error/reason", INACTIVE)]),
    case("write", "POST /alloc-half/_update_by_query", "", 503, &[("/error/phase", r#""can_match""#)]),
    case("upkeep", "POST /alloc-half/_forcemerge", "", 200, &[("/_shards", r#"{"total":2,"successful":1,"failed":0}"#)]),
    case("upkeep", "GET /alloc-held/_stats", "", 200, &[("/_shards", r#"{"total":2,"successful":0,"failed":0}"#), ("/indices", "{}")]),
    case("upkeep", "GET /alloc-held/_segments", "", 200, &[("/_shards", r#"{"total":2,"successful":0,"failed":0}"#), ("/indices", "{}")]),
    case("upkeep", "GET /alloc-held/_recovery", "", 200, &[("", "{}")]),
    case("upkeep", "GET /alloc-held/_shard_stores", "", 200, &[("/indices/alloc-held/shards/0/stores", "[]")]),
    case("metadata", "PUT /alloc-held/_mapping", r#"{"properties":{"k":{"type":"keyword"}}}"#, 200, &[("/acknowledged", "true")]),
    case("metadata", "POST /alloc-held/_close?timeout=1s", "", 200, &[("/indices/alloc-held/closed", "true")])
        .then(&[("GET /_cluster/health/alloc-held", "/status", r#""red""#)]),
    case("limits", "PUT /alloc-new", r#"{"settings":{"index.routing.allocation.total_primary_shards_per_node":1}}"#, 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("reroute", "POST /_cluster/reroute?metric=none", "", 200, &[("/acknowledged", "true")])
        .then(&[("GET /_cluster/health/alloc-held", "/status", r#""red""#)]),
];

#[test]
fn what_waits_for_a_place() {
    let server = Server::start("rows-allocation");
    server.run(CASES, setup);
    server.ok("PUT /_cluster/settings", FREE);
    server.ok("DELETE /alloc-*", "");
}

fn health(server: &Server, index: &str) -> String {
    let wait = format!("GET /_cluster/health/{index}?wait_for_no_initializing_shards=true");
    server.ok(&wait, "")["status"].as_str().unwrap_or_default().to_owned()
}

/// A write waits for its shard, and goes on when the settings let it be opened.
#[test]
fn a_write_outlives_the_wait() {
    let server = Server::start("rows-allocation-life");
    setup(&server);
    server.ok("PUT /alloc-held/_settings", r#"{"index.number_of_replicas":0}"#);
    let mut writer = server.client();
    let written = std::thread::spawn(move || writer.request("PUT", "/alloc-held/_doc/1?timeout=60s", br#"{"n":1}"#));
    assert_eq!(health(&server, "alloc-held"), "red");
    server.ok("PUT /_cluster/settings", FREE);
    let written = written.join().expect("it does not panic").expect("it is answered");
    assert_eq!(written.status, 201, "{}", String::from_utf8_lossy(&written.body));
    assert_eq!(health(&server, "alloc-held"), "green");
    // What is there stays, and comes back, whatever the settings say.
    server.ok("PUT /_cluster/settings", HELD);
    server.ok("PUT /alloc-held/_settings", r#"{"index.routing.allocation.exclude._name":"*"}"#);
    server.ok("POST /alloc-held/_close", "");
    server.ok("POST /alloc-held/_open", "");
    assert_eq!(health(&server, "alloc-held"), "green");
    server.ok("POST /alloc-held/_refresh", "");
    assert_eq!(server.ok("GET /alloc-held/_count", "")["count"], 1);
    server.ok("PUT /_cluster/settings", FREE);
    server.ok("DELETE /alloc-*", "");
}

#[test]
fn primaries_by_hand() {
    let server = Server::start("rows-allocation-by-hand");
    setup(&server);
    let node = server.ok("GET /_cat/nodes?format=json&h=name", "")[0]["name"].clone();
    let command = |kind: &str, index: &str, flag: &str| {
        format!(r#"{{"commands":[{{"{kind}":{{"index":"{index}","shard":0,"node":{node}{flag}}}}}]}}"#)
    };
    let refused = |kind: &str, index: &str| {
        let answer = server.ask("POST /_cluster/reroute", &command(kind, index, ""));
        assert_eq!(answer.status, 400);
        answer.json()["error"]["reason"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        refused("allocate_stale_primary", "alloc-held"),
        "No data for shard [0] of index [alloc-held] found on any node"
    );
    assert!(refused("allocate_empty_primary", "alloc-half").ends_with("primary [alloc-half][0] is already assigned"));
    assert!(refused("cancel", "alloc-half").ends_with("shard is primary and started"));
    let empty = command("allocate_empty_primary", "alloc-held", "");
    let tried = server.ok("POST /_cluster/reroute?dry_run=true&explain=true", &empty);
    assert_eq!(tried["explanations"][0]["decisions"][0]["explanation"], "ignore deciders");
    let copy = &tried["state"]["routing_table"]["indices"]["alloc-held"]["shards"]["0"];
    assert!(copy.to_string().contains("FORCED_EMPTY_PRIMARY"), "{copy}");
    assert_eq!(health(&server, "alloc-held"), "red");
    server.ok("POST /_cluster/reroute", &empty);
    server.ok("GET /_cluster/health/alloc-held?wait_for_status=yellow", "");
    server.ok("PUT /alloc-held/_doc/1?refresh=true", r#"{"n":1}"#);
    // A copy that is cancelled is opened anew, with what it holds.
    server.ok("POST /_cluster/reroute", &command("cancel", "alloc-held", r#","allow_primary":true"#));
    server.ok("GET /_cluster/health/alloc-held?wait_for_status=yellow", "");
    assert_eq!(server.ok("GET /alloc-held/_doc/1", "")["found"], true);
    server.ok("PUT /_cluster/settings", FREE);
    server.ok("DELETE /alloc-*", "");
}
