//! What each operation needs, as the reference has it: actions of indexes, of what is made of them, of lists and statistics.

use super::{Secured, refusal};
use serde_json::{Value, json};

fn grant(pattern: &str, actions: &[&str]) -> Value {
    json!({"index_patterns": [pattern], "allowed_actions": actions})
}

pub fn permissions(node: &Secured) {
    for index in ["perm-a", "perm-b", "closed-a"] {
        node.admin("PUT", &format!("/{index}/_doc/1?refresh=true"), json!({"k": "v", "t": "word"}));
    }
    patterns(node);
    aliases(node);
    made_of_indexes(node);
    data_streams(node);
    bulks(node);
    documents_of_others(node);
    documents_of_roles(node);
    contexts_of_others(node);
    lists(node);
}

/// A pattern that nothing matches asks for nothing; a name that nothing has is asked for.
fn patterns(node: &Secured) {
    let nobody = node.user("p_none", json!({"cluster_permissions": ["cluster_composite_ops_ro"]}));
    let ask = |method: &str, path: &str| node.ask(&nobody, method, path, "");
    let (status, found) = ask("GET", "/nope*/_search");
    assert_eq!((status, &found["hits"]["total"]["value"]), (200, &json!(0)));
    assert_eq!(ask("GET", "/nope*/_search?allow_no_indices=false").0, 404);
    assert_eq!((ask("POST", "/nope*/_refresh").0, ask("GET", "/nope*/_mapping")), (200, (200, json!({}))));
    for path in ["/nope/_search", "/-nope/_search", "/nope*,nope/_search", "/nope*,perm-a/_search", "/_search"] {
        assert_eq!(ask("GET", path), (403, refusal("indices:data/read/search", "u_p_none")), "{path}");
    }
    let (_, answer) = node.ask(&nobody, "POST", "/_msearch", "{\"index\":\"nope\"}\n{}\n");
    assert_eq!(answer["responses"][0]["error"], refusal("indices:data/read/search", "u_p_none")["error"]);
    let both = refusal("indices:admin/shards/search_shards, indices:data/read/search", "u_p_none");
    assert_eq!(ask("GET", "/perm-a/_search_shards"), (403, both));
}

/// Who may change the names of an index may give it any; what is made with names needs that, too.
fn aliases(node: &Secured) {
    let manager = node.user("p_manage", json!({"index_permissions": [grant("perm-*", &["manage"])]}));
    let ask = |method: &str, path: &str, body: Value| node.ask(&manager, method, path, &body.to_string());
    let actions = |actions: Value| ask("POST", "/_aliases", json!({ "actions": actions }));
    assert_eq!(actions(json!([{"add": {"index": "perm-a", "alias": "closed-names"}}])).0, 200);
    assert_eq!(node.ask(&manager, "PUT", "/perm-a/_alias/more-names", "").0, 200);
    assert_eq!(actions(json!([{"remove": {"index": "perm-a", "alias": "closed-names"}}])).0, 200);
    let refused = |actions: &str| (403, refusal(actions, "u_p_manage"));
    assert_eq!(actions(json!([{"add": {"index": "closed-a", "alias": "perm-x"}}])), refused("indices:admin/aliases"));
    assert_eq!(
        actions(json!([{"remove_index": {"index": "closed-a"}}])),
        refused("indices:admin/aliases, indices:admin/delete")
    );
    assert_eq!(ask("PUT", "/perm-named", json!({"aliases": {"closed-named": {}}})).0, 200);
    assert_eq!(
        ask("PUT", "/closed-new", json!({"aliases": {"perm-x": {}}})),
        refused("indices:admin/create, indices:admin/aliases")
    );
    // It may plan searches, but make none.
    let (_, answer) = node.ask(&manager, "POST", "/_msearch", "{\"index\":\"perm-a\"}\n{}\n");
    assert_eq!(answer["responses"][0]["error"]["type"], "security_exception", "{answer}");
}

/// What is made of an index needs what is asked of the index.
fn made_of_indexes(node: &Secured) {
    let resize = ["indices:admin/resize", "indices:admin/rollover", "indices:monitor/stats"];
    let grants = [grant("perm-*", &resize), grant("new-*", &["indices:admin/create"])];
    let login = node.user("p_resize", json!({ "index_permissions": grants }));
    let refused = |action: &str| (403, refusal(action, "u_p_resize"));
    node.admin("PUT", "/perm-roll-000001", json!({"aliases": {"perm-roll": {}}}));
    node.admin("PUT", "/perm-b/_block/write", Value::Null);
    let ask = |method: &str, path: &str| node.ask(&login, method, path, "");
    assert_eq!(ask("POST", "/perm-roll/_rollover/new-000002"), refused("indices:admin/rollover"));
    assert_eq!(ask("PUT", "/perm-b/_clone/new-b"), refused("indices:admin/resize"));
    assert_eq!(ask("PUT", "/closed-a/_clone/perm-c"), refused("indices:admin/resize"));
    assert_eq!(ask("POST", "/perm-roll/_rollover/perm-000002").0, 200);
    assert_eq!(ask("PUT", "/perm-b/_clone/perm-c").0, 200);
    let grants = [grant("perm-*", &["indices:admin/resize"])];
    let login = node.user("p_blind", json!({ "index_permissions": grants }));
    assert_eq!(
        node.ask(&login, "PUT", "/perm-b/_clone/perm-d", ""),
        (403, refusal("indices:monitor/stats", "u_p_blind"))
    );
}

/// A data stream is asked for by its own name, and what is behind it by its.
fn data_streams(node: &Secured) {
    let template = json!({"index_patterns": ["stream-*"], "data_stream": {}});
    node.admin("PUT", "/_index_template/streams", template);
    node.admin("POST", "/stream-x/_doc?refresh=true", json!({"@timestamp": "2020-01-01"}));
    let behind = node.user("p_behind", json!({"index_permissions": [grant(".ds-stream-x*", &["crud"])]}));
    let stream = node.user("p_stream", json!({"index_permissions": [grant("stream-x", &["crud"])]}));
    for (login, path, status) in [
        (&behind, "/stream-x/_search", 403),
        (&behind, "/stream-*/_search", 403),
        (&behind, "/.ds-stream-x-000001/_search", 200),
        (&behind, "/.ds-stream-*/_search", 200),
        (&stream, "/stream-x/_search", 200),
        (&stream, "/stream-*/_search", 200),
        (&stream, "/.ds-stream-x-000001/_search", 200),
    ] {
        assert_eq!(node.ask(login, "GET", path, "").0, status, "{path}");
    }
    let document = r#"{"@timestamp":"2020-01-01"}"#;
    assert_eq!(node.ask(&behind, "POST", "/stream-x/_doc", document).0, 403);
    assert_eq!(node.ask(&stream, "POST", "/stream-x/_doc", document).0, 201);
}

/// The operations of a bulk on one shard are judged together.
fn bulks(node: &Secured) {
    let adds = ["indices:data/write/index", "indices:data/write/bulk*"];
    let login = node.user("p_adder", json!({"index_permissions": [grant("perm-a", &adds)]}));
    let bulk = |lines: &str| node.ask(&login, "POST", "/perm-a/_bulk", lines).1["items"].clone();
    assert_eq!(bulk("{\"index\":{\"_id\":\"2\"}}\n{}\n")[0]["index"]["status"], 201);
    let items = bulk("{\"index\":{\"_id\":\"3\"}}\n{}\n{\"delete\":{\"_id\":\"2\"}}\n");
    assert_eq!((&items[0]["index"]["status"], &items[1]["delete"]["status"]), (&json!(403), &json!(403)));
    assert_eq!(
        items[0]["index"]["error"]["reason"],
        refusal("indices:data/write/delete", "u_p_adder")["error"]["reason"]
    );
    assert_eq!(node.ask(&login, "DELETE", "/perm-a/_doc/2", "").0, 403);
    // Refreshing what was written is an action of its own.
    let crud = node.user(
        "p_crud",
        json!({"cluster_permissions": ["cluster_composite_ops"], "index_permissions": [grant("perm-a", &["crud"])]}),
    );
    let refused = (403, refusal("indices:admin/refresh", "u_p_crud"));
    assert_eq!(node.ask(&crud, "POST", "/perm-a/_update_by_query?refresh=true", ""), refused);
    node.admin("POST", "/perm-a/_refresh", Value::Null);
    assert_eq!(node.ask(&crud, "POST", "/perm-a/_update_by_query", "").0, 200);
}

/// What a query looks up elsewhere is read for whoever searches.
fn documents_of_others(node: &Secured) {
    let login = node.user("p_reader", json!({"index_permissions": [grant("perm-*", &["read"])]}));
    let search = |query: Value| node.ask(&login, "POST", "/perm-a/_search", &json!({ "query": query }).to_string());
    let terms = json!({"terms": {"k": {"index": "closed-a", "id": "1", "path": "k"}}});
    assert_eq!(search(terms), (403, refusal("indices:data/read/get", "u_p_reader")));
    let like =
        json!({"fields": ["t"], "like": [{"_index": "closed-a", "_id": "1"}], "min_term_freq": 1, "min_doc_freq": 1});
    let (status, found) = search(json!({ "more_like_this": like }));
    assert_eq!((status, &found["hits"]["total"]["value"]), (200, &json!(0)));
    let judged = json!({"requests": [{"id": "a", "request": {"query": {"match_all": {}}}, "ratings": []}], "metric": {"precision": {}}});
    let judge = |login: &str| node.ask(login, "POST", "/perm-a/_rank_eval", &judged.to_string());
    assert_eq!(judge(&login).0, 200);
    let searcher =
        node.user("p_search", json!({"index_permissions": [grant("perm-a", &["indices:data/read/search"])]}));
    assert_eq!(judge(&searcher), (403, refusal("indices:data/read/rank_eval", "u_p_search")));
}

/// What the query of a role looks up is read for the role; whoever has it may read nothing more.
fn documents_of_roles(node: &Secured) {
    for (id, owner) in [("1", "v"), ("2", "w"), ("3", "v")] {
        node.admin("PUT", &format!("/perm-owned/_doc/{id}?refresh=true"), json!({ "owner": owner }));
    }
    let lookup = json!({"terms": {"owner.keyword": {"index": "closed-a", "id": "1", "path": "k"}}});
    let grant = json!({"index_patterns": ["perm-*"], "allowed_actions": ["read"], "dls": lookup.to_string()});
    let restricted = node
        .user("p_of_role", json!({"cluster_permissions": ["indices:data/read/scroll*"], "index_permissions": [grant]}));
    let ask = |path: &str, body: &Value| node.ask(&restricted, "POST", path, &body.to_string());
    let (status, found) = ask("/perm-owned/_search?scroll=1m&size=1", &json!({}));
    assert_eq!((status, &found["hits"]["total"]["value"]), (200, &json!(2)), "{found}");
    let (status, found) = ask("/_search/scroll", &json!({"scroll_id": found["_scroll_id"]}));
    assert_eq!((status, found["hits"]["hits"].as_array().map(Vec::len)), (200, Some(1)), "{found}");
    assert_eq!(node.ask(&restricted, "GET", "/perm-owned/_doc/2", "").0, 404);
    assert_eq!(node.ask(&restricted, "GET", "/perm-owned/_doc/3", "").0, 200);
    let refused = (403, refusal("indices:data/read/get", "u_p_of_role"));
    assert_eq!(ask("/perm-owned/_search", &json!({ "query": lookup })), refused);
}

/// A scroll shows what whoever began it may see, and to nobody else; points in time are dealt with like their indexes.
fn contexts_of_others(node: &Secured) {
    node.admin("PUT", "/perm-b/_settings", json!({"index.blocks.write": false}));
    for id in ["2", "3"] {
        node.admin("PUT", &format!("/perm-b/_doc/{id}?refresh=true"), json!({"k": "hidden"}));
    }
    let actions = ["read", "manage_point_in_time"];
    let dls = json!({"term": {"k.keyword": "v"}}).to_string();
    let restricted = json!({"index_patterns": ["perm-*"], "allowed_actions": actions, "dls": dls});
    let whole = node.user(
        "p_whole",
        json!({"cluster_permissions": ["indices:data/read/scroll*"], "index_permissions": [grant("perm-*", &actions)]}),
    );
    let part = node.user(
        "p_part",
        json!({"cluster_permissions": ["indices:data/read/scroll*"], "index_permissions": [restricted]}),
    );
    let (_, page) = node.ask(&whole, "POST", "/perm-b/_search?scroll=1m&size=1", r#"{"sort":["_doc"]}"#);
    let next = json!({"scroll_id": page["_scroll_id"], "scroll": "1m"}).to_string();
    for login in [&part, &super::admin()] {
        let (status, answer) = node.ask(login, "POST", "/_search/scroll", &next);
        assert_eq!(
            (status, &answer["error"]["root_cause"][0]["reason"]),
            (403, &json!("Wrong user in reader context"))
        );
    }
    let (status, page) = node.ask(&whole, "POST", "/_search/scroll", &next);
    assert_eq!((status, &page["hits"]["total"]["value"]), (200, &json!(3)));

    let pit = node.admin("POST", "/closed-a/_search/point_in_time?keep_alive=1m", Value::Null);
    let of_others = json!({"pit_id": [pit["pit_id"]]}).to_string();
    let pit = node.admin("POST", "/perm-b/_search/point_in_time?keep_alive=1m", Value::Null);
    let own = json!({"pit_id": [pit["pit_id"]]}).to_string();
    let refused = |action: &str| (403, refusal(action, "u_p_whole"));
    let ask = |method: &str, path: &str, body: &str| node.ask(&whole, method, path, body);
    let (segments, delete) = ("indices:monitor/point_in_time/segments", "indices:data/read/point_in_time/delete");
    assert_eq!(ask("GET", "/_cat/pit_segments", &of_others), refused(segments));
    assert_eq!(ask("GET", "/_cat/pit_segments/_all", ""), refused(segments));
    assert_eq!(ask("GET", "/_cat/pit_segments", &own).0, 200);
    assert_eq!(ask("DELETE", "/_search/point_in_time", &of_others), refused(delete));
    assert_eq!(ask("DELETE", "/_search/point_in_time", &own).0, 200);
}

/// Tables of the cluster need what the reference asks the cluster for.
fn lists(node: &Secured) {
    let of = |name: &str, actions: &[&str]| {
        let all = grant("*", &["indices:*"]);
        node.user(name, json!({"cluster_permissions": actions, "index_permissions": [all]}))
    };
    let (none, state) = (of("p_l_none", &[]), of("p_l_state", &["cluster:monitor/state"]));
    let (shards, stats) =
        (of("p_l_shards", &["cluster:monitor/shards"]), of("p_l_stats", &["cluster:monitor/nodes/stats"]));
    for (path, login, missing) in [
        ("/_cat", &none, None),
        ("/_cat/segments", &none, Some("cluster:monitor/state")),
        ("/_cat/segments", &state, None),
        ("/_cat/templates", &none, Some("cluster:monitor/state")),
        ("/_cat/templates", &state, None),
        ("/_cat/shards", &state, Some("cluster:monitor/shards")),
        ("/_cat/shards", &shards, Some("cluster:monitor/state")),
        ("/_cat/fielddata", &none, Some("cluster:monitor/nodes/stats")),
        ("/_cat/fielddata", &stats, None),
        ("/_nodes/stats", &stats, None),
        ("/_cat/nodes", &state, Some("cluster:monitor/nodes/info")),
        ("/_cat/plugins", &stats, Some("cluster:monitor/state")),
    ] {
        let (status, answer) = node.ask(login, "GET", path, "");
        let user = login.split(':').next().unwrap_or_default();
        match missing {
            None => assert_eq!(status, 200, "{path} {user}: {answer}"),
            Some(action) => assert_eq!((status, answer), (403, refusal(action, user)), "{path} {user}"),
        }
    }
}

/// Nobody gives away parts of the interface for users and roles, from which all of it could be had.
pub fn parts_of_the_interface(node: &Secured) {
    let ask = |method: &str, path: &str, body: Value| {
        node.ask(&super::admin(), method, &format!("/_plugins/_security/api/{path}"), &body.to_string())
    };
    let part = ["restapi:admin/roles"];
    let denied = (403, json!({"status": "FORBIDDEN", "message": "Access denied"}));
    let full = "security_rest_api_full_access";
    assert_eq!(ask("PUT", "roles/p_part_of_api", json!({"cluster_permissions": part})), denied);
    assert_eq!(ask("PUT", "actiongroups/p_part_of_api", json!({"allowed_actions": part})), denied);
    assert_eq!(ask("PUT", &format!("rolesmapping/{full}"), json!({"users": ["x"]})), denied);
    let add = |path: &str, value: Value| json!([{"op": "add", "path": path, "value": value}]);
    assert_eq!(ask("PATCH", "roles", add("/p_part_of_api", json!({"cluster_permissions": part}))), denied);
    assert_eq!(ask("PATCH", "rolesmapping", add(&format!("/{full}"), json!({"users": ["x"]}))), denied);
    assert_eq!(ask("PUT", "roles/p_wide", json!({"cluster_permissions": ["restapi:*"]})).0, 201);
    let info = node.admin("GET", "/_plugins/_security/api/permissionsinfo", Value::Null);
    assert_eq!((&info["has_api_access"], &info["disabled_endpoints"]), (&json!(true), &json!({})));
    // It is of no use to a user who has it: the setting that makes it count is off.
    let user = json!({"password": super::PASSWORD, "opendistro_security_roles": [full]});
    assert_eq!(ask("PUT", "internalusers/p_part_of_api", user).0, 201);
    let login = format!("p_part_of_api:{}", super::PASSWORD);
    assert_eq!(node.ask(&login, "GET", "/_plugins/_security/api/roles", "").0, 403);
    let (_, info) = node.ask(&login, "GET", "/_plugins/_security/api/permissionsinfo", "");
    assert_eq!((&info["has_api_access"], &info["disabled_endpoints"]["ROLES"][8]), (&json!(false), &json!("CONNECT")));
    assert_eq!(info["disabled_endpoints"].as_object().map(|closed| closed.len()), Some(21));
    assert_eq!(
        node.ask(&login, "PUT", "/_plugins/_security/api/roles/p_own", r#"{"cluster_permissions":["*"]}"#).0,
        403
    );
}
