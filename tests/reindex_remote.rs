//! Reindexing from one node into another, and what an operator must have allowed for it.

mod support;

use serde_json::{Value, json};
use support::{Node, TempDir};

fn ask(node: &Node, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let response = node.request(method, path, body.as_bytes());
    (response.status, response.json())
}

#[test]
fn documents_are_read_from_another_node() {
    let (there, here) = (TempDir::new("reindex-there"), TempDir::new("reindex-here"));
    let source = Node::start(there.path(), &[]);
    let target = Node::start(here.path(), &["-E", "reindex.remote.allowlist=127.0.0.1:*"]);
    for n in 0..7 {
        let path = format!("/from/_doc/{n}?refresh=true&routing=r{n}");
        assert_eq!(ask(&source, "PUT", &path, &json!({ "n": n, "kept": true })).0, 201);
    }
    let host = format!("http://{}", source.addr);
    let reindex = |remote: Value, more: Value, parameters: &str| {
        let mut from = json!({ "remote": remote, "index": "from" });
        from.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        let body = json!({ "source": from, "dest": { "index": "to" } });
        ask(&target, "POST", &format!("/_reindex?refresh=true{parameters}"), &body)
    };
    let remote =
        json!({ "host": host, "headers": { "X-Opaque-Id": "7" }, "socket_timeout": "10s", "connect_timeout": "5s" });

    // The query is the source's business, pages are as small as asked for, and the scroll is let go in the end.
    let more =
        json!({ "query": { "range": { "n": { "gte": 2 } } }, "size": 2, "_source": ["n"], "sort": { "n": "desc" } });
    let (status, answer) = reindex(remote.clone(), more, "");
    assert_eq!((status, &answer["created"], &answer["batches"]), (200, &json!(5), &json!(3)), "{answer}");
    let (_, copy) = ask(&target, "GET", "/to/_doc/3?routing=r3", &Value::Null);
    assert_eq!((&copy["_source"], &copy["_routing"]), (&json!({ "n": 3 }), &json!("r3")));
    let (_, contexts) = ask(&source, "GET", "/_nodes/stats/indices/search", &Value::Null);
    let open = contexts["nodes"].as_object().and_then(|nodes| nodes.values().next()).expect("one node");
    assert_eq!(open["indices"]["search"]["open_contexts"], 0);

    // What the source refuses is passed on with its status and its words.
    let (status, refused) = reindex(remote.clone(), json!({ "query": { "nonsense": {} } }), "");
    assert_eq!((status, &refused["error"]["type"]), (400, &json!("status_exception")));
    assert!(refused["error"]["reason"].as_str().is_some_and(|reason| reason.contains("unknown query [nonsense]")));
    assert_eq!(refused["error"]["caused_by"]["type"], "response_exception");

    let (status, refused) = reindex(remote.clone(), json!({}), "&slices=2");
    let expected = "Validation Failed: 1: reindex from remote sources doesn't support slices > 1 but was [2];";
    assert_eq!((status, &refused["error"]["reason"]), (400, &json!(expected)));
    let (status, refused) = reindex(json!({ "host": "http://elsewhere:9200" }), json!({}), "");
    let expected = "[elsewhere:9200] not allowlisted in reindex.remote.allowlist";
    assert_eq!((status, &refused["error"]["reason"]), (400, &json!(expected)));
    let (status, refused) = reindex(json!({ "host": "http://127.0.0.1:1" }), json!({}), "");
    let expected = "Connect to http://127.0.0.1:1 [/127.0.0.1] failed: Connection refused";
    assert_eq!((status, &refused["error"]["reason"]), (500, &json!(expected)));
}
