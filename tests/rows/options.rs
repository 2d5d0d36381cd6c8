//! Options and calls that few clients use: what each of them answers, beside the cases that stand with their calls.

use super::{Case, Server, case};

const INDEX: &str = r#"{"mappings":{"properties":{"k":{"type":"keyword"},"bin":{"type":"binary"},"c":{"type":"constant_keyword","value":"x"},"r":{"type":"integer_range"},"p":{"type":"geo_point"}}},"aliases":{"other":{}}}"#;

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
    // Blocks of metadata go past each other, so that each can be set and lifted; those of writes do not.
    case("blocks", "PUT /rows-fixed/_block/write", "", 403, &[("/error/type", r#""cluster_block_exception""#)]),
    case("blocks", "PUT /rows-fixed/_block/metadata", "", 200, &[("/indices/0/blocked", "true")]),
    case("blocks", "PUT /rows-fixed/_settings", r#"{"index.blocks.metadata":true}"#, 200, &[])
        .then(&[("PUT /rows-fixed/_block/write", "/error/type", r#""cluster_block_exception""#)]),
    case("constants", "GET /rows/_search", r#"{"size":0,"aggs":{"t":{"terms":{"field":"k"},"aggs":{"a":{"cardinality":{"field":"c"}}}}}}"#, 200, &[("/aggregations/t/buckets/0/a/value", "1")]),
    case("constants", "GET /rows/_search", r#"{"size":0,"aggs":{"t":{"filter":{"match_all":{}},"aggs":{"a":{"cardinality":{"field":"c"}}}}}}"#, 200, &[("/aggregations/t/a/value", "1")]),
    case("ranges", "GET /rows/_search", r#"{"aggs":{"a":{"terms":{"field":"r"}}}}"#, 400, &[("/error/root_cause/0/reason", r#""Field [r] of type [integer_range] is not supported for aggregation [terms]""#)]),
    case("ranges", "GET /rows/_search", r#"{"aggs":{"a":{"cardinality":{"field":"r"}}}}"#, 200, &[("/aggregations/a/value", "1")]),
    case("ranges", "GET /rows/_search", r#"{"aggs":{"a":{"avg":{"field":"r","missing":1}}}}"#, 400, &[("/error/root_cause/0/reason", r#""Can't apply missing values on a class org.opensearch.search.aggregations.support.ValuesSource$Range""#)]),
    case("level", "GET /_nodes/stats?level=zz", "", 200, &[("/_nodes/failed", "1"), ("/_nodes/failures/0/caused_by/reason", r#""Level provided is not supported by NodeIndicesStats""#), ("/nodes", "{}")]),
    case("level", "GET /_nodes/stats/os?level=zz", "", 200, &[("/_nodes/failed", "0")]),
    case("circle", "GET /rows/_search", r#"{"query":{"geo_shape":{"p":{"shape":{"type":"circle","coordinates":[10,10],"radius":"10km"}}}}}"#, 200, &[("/hits/total/value", "1")]),
    case("circle", "GET /rows/_search", r#"{"query":{"geo_shape":{"p":{"shape":{"type":"Circle","coordinates":[10.2,10],"radius":"10km"}}}}}"#, 200, &[("/hits/total/value", "0")]),
    case("circle", "GET /rows/_search", r#"{"query":{"geo_shape":{"p":{"shape":{"type":"circle","coordinates":[10,100],"radius":9}}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: invalid latitude 100.0; must be between -90.0 and 90.0""#)]),
    case("circle", "GET /rows/_search", r#"{"query":{"geo_shape":{"p":{"shape":{"type":"circle","coordinates":[10,10],"radius":"-1km"}}}}}"#, 400, &[("/error/reason", r#""Circle radius [-1000.0] cannot be negative""#)]),
];

fn set_up(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("PUT /rows-fixed/_settings", r#"{"index.blocks.metadata":null}"#);
    server.ask("PUT /rows-fixed/_settings", r#"{"index.blocks.read_only":null}"#);
    server.ask("DELETE /rows*", "");
    server.ok("PUT /rows-fixed", r#"{"settings":{"index.blocks.read_only":true}}"#);
    server.ok("PUT /rows", INDEX);
    server.ok("PUT /rows/_doc/1?refresh=true", r#"{"k":"a","bin":"aGk=","r":{"gte":1,"lte":5},"p":"10,10"}"#);
    vec![]
}

#[test]
fn every_option() {
    Server::start("rows-options").run(CASES, set_up);
}

/// What is deprecated is told with the answer.
#[test]
fn warnings() {
    let server = Server::start("rows-warnings");
    server.ask("DELETE /rows*", "");
    server.ok("PUT /rows", "{}");
    let of_path = "The [PathHierarchy] tokenizer name is deprecated";
    let of_pieces = "The [nGram] token filter name is deprecated";
    let cases = [
        ("POST", "/_analyze", r#"{"tokenizer":{"type":"PathHierarchy"},"text":"a/b"}"#, of_path),
        ("POST", "/_analyze", r#"{"tokenizer":"keyword","filter":[{"type":"nGram"}],"text":"ab"}"#, of_pieces),
        ("PUT", "/rows-a", r#"{"settings":{"analysis":{"tokenizer":{"t":{"type":"PathHierarchy"}}}}}"#, of_path),
        ("PUT", "/rows-b", r#"{"settings":{"analysis":{"filter":{"f":{"type":"nGram"}}}}}"#, of_pieces),
        (
            "POST",
            "/_reindex",
            r#"{"source":{"index":"rows","sort":"_doc"},"dest":{"index":"rows-c"}}"#,
            "The sort option in reindex is deprecated.",
        ),
    ];
    for (number, (method, path, body, warning)) in cases.into_iter().enumerate() {
        let mut client = server.client();
        // The reference warns each client once.
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nX-Opaque-Id: rows-{number}\r\n");
        let request = format!("{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}");
        client.send_raw(request.as_bytes()).unwrap();
        let (head, response) = client.read_with_head().unwrap();
        assert_eq!(response.status, 200, "{body}");
        assert!(head.contains(warning), "{body}: {head}");
    }
}
