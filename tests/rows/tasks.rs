//! § Tasks: paths, parameters, the header, every field of the answer. Each case has a slow update by query under way.

use super::{Case, Server, assert_covers, case};
use serde_json::Value;
use std::time::{Duration, Instant};

const ROWS: &[&str] = &[
    "GET /_tasks",
    "GET /_tasks/<id>",
    "POST /_tasks/_cancel",
    "POST /_tasks/<id>/_cancel",
    "nodes",
    "actions",
    "detailed",
    "parent_task_id",
    "wait_for_completion",
    "group_by",
    "timeout",
    "cluster_manager_timeout",
    "node fields",
    "task fields",
    "resource_stats",
    "a finished task",
];

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("GET /_tasks", "GET /_tasks", "", 200, &[("/nodes/{node}/tasks/{task}/action", r#""indices:data/write/update/byquery""#), ("/nodes/{node}/tasks/{task}/description", "-")]),
    case("GET /_tasks/<id>", "GET /_tasks/{task}", "", 200, &[("/completed", "false"), ("/task/action", r#""indices:data/write/update/byquery""#), ("/task/status/total", "4"), ("/task/status/requests_per_second", "*")]),
    case("GET /_tasks/<id>", "GET /_tasks/{node}:999999999", "", 404, &[("/error/type", r#""resource_not_found_exception""#), ("/error/reason", r#""task [{node}:999999999] isn't running and hasn't stored its results""#)]),
    case("GET /_tasks/<id>", "GET /_tasks/nobody:1", "", 404, &[("/error/type", r#""resource_not_found_exception""#)]),
    case("GET /_tasks/<id>", "GET /_tasks/junk", "", 400, &[("/error/reason", r#""malformed task id junk""#)]),
    case("GET /_tasks/<id>", "GET /_tasks/junk?foo=1", "", 400, &[("/error/reason", r#""malformed task id junk""#)]),
    case("GET /_tasks", "GET /_tasks?local=true", "", 400, &[("/error/reason", r#""request [/_tasks] contains unrecognized parameter: [local]""#)]),
    case("POST /_tasks/_cancel", "POST /_tasks/_cancel?local=true", "", 400, &[("/error/reason", r#""request [/_tasks/_cancel] contains unrecognized parameter: [local]""#)]),
    case("POST /_tasks/<id>/_cancel", "POST /_tasks/junk/_cancel?foo=1&wait_for_completion=x", "", 400, &[("/error/reason", r#""malformed task id junk""#)]),
    case("GET /_tasks/<id>", "GET /_tasks/a:b", "", 400, &[("/error/reason", r#""malformed task id a:b""#)]),
    case("POST /_tasks/<id>/_cancel", "POST /_tasks/{task}/_cancel?wait_for_completion=true", "", 200, &[("/nodes/{node}/tasks/{task}/cancelled", "true"), ("/node_failures", "-")])
        .then(&[("GET /_tasks?actions=*byquery", "/nodes", "{}")]),
    case("POST /_tasks/<id>/_cancel", "POST /_tasks/{node}:999999999/_cancel", "", 200, &[("/nodes", "{}"), ("/node_failures/0/caused_by/type", r#""resource_not_found_exception""#)]),
    case("POST /_tasks/_cancel", "POST /_tasks/_cancel?actions=*byquery&wait_for_completion=true", "", 200, &[("/nodes/{node}/tasks/{task}/action", r#""indices:data/write/update/byquery""#)]),
    case("POST /_tasks/_cancel", "POST /_tasks/_cancel?actions=nothing", "", 200, &[("/nodes", "{}")]),
    case("nodes", "GET /_tasks?nodes=_local&actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}", "*")]),
    case("nodes", "GET /_tasks?nodes={node}&actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}", "*")]),
    case("nodes", "GET /_tasks?nodes=nobody", "", 200, &[("/nodes", "{}")]),
    case("nodes", "POST /_tasks/_cancel?nodes=nobody&actions=*byquery", "", 200, &[("/nodes", "{}")]),
    case("actions", "GET /_tasks?actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}", "*")]),
    case("actions", "GET /_tasks?actions=*search,cluster:*", "", 200, &[("/nodes/{node}/tasks/{task}", "-")]),
    case("actions", "GET /_tasks?actions=indices:data/write/update/byquery", "", 200, &[("/nodes/{node}/tasks/{task}", "*")]),
    case("detailed", "GET /_tasks?detailed=true&actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}/description", "*"), ("/nodes/{node}/tasks/{task}/status/total", "4"), ("/nodes/{node}/tasks/{task}/status/created", "0"), ("/nodes/{node}/tasks/{task}/status/throttled", "-")]),
    case("detailed", "GET /_tasks?detailed=maybe", "", 400, &[("/error/reason", r#""Failed to parse value [maybe] as only [true] or [false] are allowed.""#)]),
    case("resource_stats", "GET /_tasks?detailed=true&actions=*byquery", "", 200, &[
        ("/nodes/{node}/tasks/{task}/resource_stats/total/cpu_time_in_nanos", "*"), ("/nodes/{node}/tasks/{task}/resource_stats/total/memory_in_bytes", "*"),
        ("/nodes/{node}/tasks/{task}/resource_stats/average/cpu_time_in_nanos", "*"), ("/nodes/{node}/tasks/{task}/resource_stats/min/cpu_time_in_nanos", "*"),
        ("/nodes/{node}/tasks/{task}/resource_stats/max/cpu_time_in_nanos", "*"), ("/nodes/{node}/tasks/{task}/resource_stats/thread_info/thread_executions", "*"),
        ("/nodes/{node}/tasks/{task}/resource_stats/thread_info/active_threads", "*"),
    ]),
    case("resource_stats", "GET /_tasks?actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}/resource_stats", "-")]),
    case("parent_task_id", "GET /_tasks?parent_task_id={task}", "", 200, &[("/nodes", "{}")]),
    case("parent_task_id", "GET /_tasks?parent_task_id=&actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}", "*")]),
    case("parent_task_id", "GET /_tasks?parent_task_id=-1&actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}", "*")]).overruled(),
    case("parent_task_id", "GET /_tasks?parent_task_id=junk", "", 400, &[("/error/reason", r#""malformed task id junk""#)]),
    case("wait_for_completion", "GET /_tasks/{task}?wait_for_completion=true&timeout=50ms", "", 504, &[("/error/type", r#""timeout_exception""#)]),
    case("wait_for_completion", "GET /_tasks?wait_for_completion=true&actions=nothing", "", 200, &[("/nodes", "{}")]),
    case("group_by", "GET /_tasks?group_by=nodes&actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}", "*")]),
    case("group_by", "GET /_tasks?group_by=parents&actions=*byquery", "", 200, &[("/tasks/{task}/id", "*"), ("/nodes", "-")]),
    case("group_by", "GET /_tasks?group_by=none&actions=*byquery", "", 200, &[("/tasks/0/action", r#""indices:data/write/update/byquery""#)]),
    case("timeout", "GET /_tasks?timeout=10s&actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}", "*")]),
    case("timeout", "GET /_tasks?timeout=junk", "", 400, &[("/error/reason", r#""failed to parse setting [timeout] with value [junk] as a time value: unit is missing or unrecognized""#)]),
    case("cluster_manager_timeout", "GET /_tasks?cluster_manager_timeout=5s&actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}", "*")]).overruled(),
    case("node fields", "GET /_tasks?actions=*byquery", "", 200, &[("/nodes/{node}/name", "*"), ("/nodes/{node}/transport_address", "*"), ("/nodes/{node}/host", "*"), ("/nodes/{node}/ip", "*"), ("/nodes/{node}/roles/0", "*")]),
    case("task fields", "GET /_tasks?actions=*byquery", "", 200, &[
        ("/nodes/{node}/tasks/{task}/node", r#""{node}""#), ("/nodes/{node}/tasks/{task}/id", "*"), ("/nodes/{node}/tasks/{task}/type", r#""transport""#),
        ("/nodes/{node}/tasks/{task}/start_time_in_millis", "*"), ("/nodes/{node}/tasks/{task}/running_time_in_nanos", "*"), ("/nodes/{node}/tasks/{task}/cancellable", "true"),
        ("/nodes/{node}/tasks/{task}/cancelled", "false"), ("/nodes/{node}/tasks/{task}/headers", "{}"), ("/nodes/{node}/tasks/{task}/parent_task_id", "-"),
    ]),
    case("a finished task", "POST /_tasks/{task}/_cancel?wait_for_completion=true", "", 200, &[])
        .then(&[("GET /_tasks?actions=*byquery", "/nodes", "{}")]),
    case("detailed", "GET /_tasks?actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}/status", "-"), ("/nodes/{node}/tasks/{task}/description", "-")]),
    case("detailed", "GET /_tasks?detailed=true&human=true&actions=*byquery", "", 200, &[("/nodes/{node}/tasks/{task}/status/throttled", r#""0s""#), ("/nodes/{node}/tasks/{task}/start_time", "*"), ("/nodes/{node}/tasks/{task}/running_time", "*")]),
    case("a finished task", "POST /_tasks/{task}/_cancel", "", 200, &[("/nodes/{node}/tasks/{task}/cancelled", "true"), ("/nodes/{node}/tasks/{task}/status", "-"), ("/nodes/{node}/tasks/{task}/description", "-")])
        .then(&[("GET /_tasks/{task}?wait_for_completion=true", "/response/throttled", r#""0s""#), ("GET /_tasks/{task}", "/response/requests_per_second", "-1.0"), ("GET /_tasks/{task}", "/task/status/canceled", r#""by user request""#)]),
    case("a finished task", "POST /_update_by_query/{task}/_rethrottle?requests_per_second=-1", "", 200, &[("/nodes/{node}/tasks/{task}/status/requests_per_second", "-1.0")])
        .then(&[("GET /_tasks/{task}?wait_for_completion=true", "/response/throttled_millis", "0"), ("GET /_tasks/{task}", "/response/batches", "4")]),
    case("GET /_tasks", "GET /_tasks?task_id=1", "", 400, &[("/error/reason", r#""request [/_tasks] contains unrecognized parameter: [task_id]""#)]),
    case("GET /_tasks", "GET /_tasks?junk=1", "", 400, &[("/error/reason", r#""request [/_tasks] contains unrecognized parameter: [junk]""#)]),
];

fn set_up(server: &Server) -> Vec<(&'static str, String)> {
    server.ok("POST /_tasks/_cancel?actions=*byquery&wait_for_completion=true", "");
    if server.ask("HEAD /slow", "").status != 200 {
        server.ok("PUT /slow", r#"{"settings":{"number_of_shards":1,"number_of_replicas":0}}"#);
        for id in 0..4 {
            server.ok(&format!("PUT /slow/_doc/{id}?refresh=true"), "{}");
        }
    }
    let slow =
        "POST /slow/_update_by_query?wait_for_completion=false&scroll_size=1&requests_per_second=0.5&conflicts=proceed";
    let task = server.ok(slow, "")["task"].as_str().expect("it goes on by itself").to_owned();
    // Its first page shows what there is to do.
    let (began, status) = (Instant::now(), format!("GET /_tasks/{task}"));
    while server.ok(&status, "").pointer("/task/status/total").and_then(Value::as_u64) != Some(4) {
        assert!(began.elapsed() < Duration::from_secs(10), "the task does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    let node = task.split(':').next().expect("an id begins with its node").to_owned();
    vec![("{task}", task), ("{node}", node)]
}

#[test]
fn every_row_of_tasks() {
    assert_covers(CASES, ROWS);
    Server::start("rows-tasks").run(CASES, set_up);
}

#[test]
fn a_request_has_the_id_that_its_client_gave_it() {
    let server = Server::start("rows-opaque-id");
    let ask = "GET /_tasks?detailed=true HTTP/1.1\r\nHost: x\r\nX-Opaque-Id: id-7\r\nContent-Length: 0\r\n\r\n";
    let mut client = server.client();
    client.send_raw(ask.as_bytes()).expect("it is connected");
    let (head, answer) = client.read_with_head().expect("it answers");
    assert!(head.to_ascii_lowercase().contains("x-opaque-id: id-7"), "{head}");
    let nodes = answer.json()["nodes"].clone();
    let tasks = nodes.as_object().and_then(|nodes| nodes.values().next()).expect("one node")["tasks"].clone();
    let own =
        tasks.as_object().expect("tasks by id").values().find(|task| task["action"] == "cluster:monitor/tasks/lists");
    assert_eq!(own.expect("the request itself")["headers"]["X-Opaque-Id"], "id-7");
}
