//! Options and calls that few clients use: what each of them answers, beside the cases that stand with their calls.

use super::{Case, Server, case};

const INDEX: &str =
    r#"{"mappings":{"properties":{"k":{"type":"keyword"},"bin":{"type":"binary"}}},"aliases":{"other":{}}}"#;

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("field_caps", "POST /rows/_field_caps", r#"{"fields":["k"]}"#, 400, &[("/error/reason", r#""specified fields can't be null or empty""#)]),
    case("synced flush", "POST /rows/_flush/synced", "", 200, &[("/_shards/failed", "0")]),
    case("streamed bulk", "POST /_bulk/stream", "{}", 500, &[("/error/type", r#""illegal_state_exception""#), ("/error/reason", r#""The engine does not support HTTP streaming, unable to serve uri [/_bulk/stream] and method [POST]""#)]),
    case("pit", "GET /_search", r#"{"pit":{"id":"zz"}}"#, 400, &[("/error/reason", r#""invalid id: [zz]""#)]),
    case("pipelines", "GET /_ingest/pipeline", "", 404, &[]),
    case("indices_boost", "GET /rows/_search", r#"{"indices_boost":[{"nobody":2}]}"#, 404, &[("/error/type", r#""index_not_found_exception""#)]),
    case("indices_boost", "GET /rows/_search", r#"{"indices_boost":[{"other":3},{"rows":2}]}"#, 200, &[("/hits/max_score", "3.0")]),
    case("binary", "GET /rows/_search", r#"{"query":{"term":{"bin":"aGk="}}}"#, 400, &[("/error/root_cause/0/reason", r#""Binary fields do not support searching""#)]),
    case("count", "GET /rows/_count?terminate_after=5", "", 200, &[("/terminated_early", "false")]),
    case("slice", "POST /rows/_update_by_query", r#"{"slice":{"id":1,"max":2}}"#, 200, &[("/slice_id", "1")]),
    case("template", "PUT /_template/rows", r#"{"template":"rows-t*","aliases":{"of-{index}":{}}}"#, 200, &[])
        .then(&[("PUT /rows-t1", "/acknowledged", "true"), ("GET /rows-t1/_alias", "/rows-t1/aliases/of-rows-t1", "{}")]),
];

fn set_up(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /rows*", "");
    server.ok("PUT /rows", INDEX);
    server.ok("PUT /rows/_doc/1?refresh=true", r#"{"k":"a","bin":"aGk="}"#);
    vec![]
}

#[test]
fn every_option() {
    Server::start("rows-options").run(CASES, set_up);
}
