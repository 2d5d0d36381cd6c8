//! Options and calls that few clients use: what each of them answers, beside the cases that stand with their calls.

use super::{Case, Server, case};

const INDEX: &str = r#"{"settings":{"analysis":{"analyzer":{"g":{"tokenizer":"whitespace","filter":["w"]}},"filter":{"w":{"type":"word_delimiter_graph","preserve_original":true}}}},"mappings":{"properties":{"g":{"type":"text","search_analyzer":"g"},"k":{"type":"keyword"},"bin":{"type":"binary"},"c":{"type":"constant_keyword","value":"x"},"r":{"type":"integer_range"},"p":{"type":"geo_point"}}},"aliases":{"other":{}}}"#;

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("field_caps", "POST /rows/_field_caps", r#"{"fields":["k"]}"#, 400, &[("/error/reason", r#""specified fields can't be null or empty""#)]),
    case("synced flush", "POST /rows/_flush/synced", "", 200, &[("/_shards/failed", "0")]),
    case("field_caps", "GET /rows/_field_caps?ignore_unavailable=zz", "", 400, &[("/error/reason", r#""specified fields can't be null or empty""#)]),
    case("by query", "POST /rows/_delete_by_query?q=k:nobody", r#"{"query":{"match_all":{}}}"#, 200, &[("/deleted", "0")]),
    case("by query", "POST /rows/_delete_by_query?scroll_size=0&request_cache=true", "", 400, &[("/error/reason", r#""Validation Failed: 1: [size] cannot be [0] in a scroll context;2: [request_cache] cannot be used in a scroll context;3: query is missing;""#)]),
    case("by query", "POST /rows/_delete_by_query?slices=0", "", 400, &[("/error/reason", r#""[slices] must be a positive integer or the string \"auto\", but was [0]""#)]),
    case("by query", "POST /rows/_update_by_query?from=-1", "", 400, &[("/error/reason", r#""[from] parameter cannot be negative, found [-1]""#)]),
    case("by query", "POST /rows/_update_by_query?size=-1", "", 400, &[("/error/reason", r#""[max_docs] parameter cannot be negative, found [-1]""#)]),
    case("by query", "POST /rows-none*/_update_by_query?search_timeout=0", "", 200, &[("/timed_out", "false")]),
    case("reindex", "POST /_reindex", r#"{"source":{"index":"rows"},"dest":{"index":"rows-r"}} x"#, 200, &[("/failures", "[]")]),
    case("pipelines", "PUT /_ingest/pipeline/rows", "foo", 400, &[("/error/type", r#""not_x_content_exception""#)]),
    case("scripts", "PUT /_scripts/rows", "1", 400, &[("/error/reason", r#""unexpected token [VALUE_NUMBER], expected [{]""#)]),
    case("scripts", "POST /rows/_update/1", r#"{"script":{"foo":1,"source":"1"}}"#, 400, &[("/error/reason", r#""[1:18] [UpdateRequest] failed to parse field [script]""#), ("/error/caused_by/reason", r#""[1:12] [script] unknown field [foo]""#)]),
    case("field_caps", "GET /rows/_field_caps?zz=1", "", 400, &[("/error/reason", r#""specified fields can't be null or empty""#)]),
    case("stats", "GET /_nodes/stats/zz?yy=1", "", 400, &[("/error/reason", r#""request [/_nodes/stats/zz] contains unrecognized metric: [zz]""#)]),
    case("stats", "GET /rows/_stats/zz?yy=1", "", 400, &[("/error/reason", r#""request [/rows/_stats/zz] contains unrecognized metric: [zz]""#)]),
    case("stats", "GET /rows/_stats/docs?yy=1", "", 400, &[("/error/reason", r#""request [/rows/_stats/docs] contains unrecognized parameter: [yy]""#)]),
    case("names", "GET /,rows/_count", "", 404, &[("/error/reason", r#""no such index []""#)]),
    case("names", "GET /rows,/_count", "", 200, &[("/_shards/failed", "0")]),
    case("tasks", "POST /_tasks/zz:-1/_cancel?actions=zz", "", 200, &[("/nodes", "{}")]),
    case("tasks", "GET /_tasks/zz:-1", "", 400, &[("/error/reason", r#""Validation Failed: 1: task id is required;""#)]),
    case("mapping", "PUT /rows-none/_mapping?write_index_only=true", "{}", 404, &[("/error/resource.type", r#""index_or_alias""#)]),
    case("settings", "PUT /rows/_settings", r#"{"index":{"refresh_interval":null},"index.refresh_interval":"2s"}"#, 200, &[]),
    case("settings", "PUT /rows/_settings", r#"{"index.refresh_interval":"2s","index":{"refresh_interval":null}}"#, 200, &[])
        .then(&[("GET /rows/_settings?filter_path=*.settings.index.refresh_interval", "", "{}")]),
    case("settings", "PUT /rows/_settings", r#"{"index.refresh_interval":["1s"]}"#, 400, &[("/error/reason", r#""failed to parse setting [index.refresh_interval] with value [[1s]] as a time value: unit is missing or unrecognized""#)]),
    case("settings", "PUT /_cluster/settings", r#"{"transient":{"search.max_keep_alive":"90s"}}"#, 400, &[("/error/reason", r#""Default keep alive setting for request [search.default_keep_alive] should be smaller than max keep alive [search.max_keep_alive], was (5m > 1.5m)""#)]),
    case("settings", "PUT /_cluster/settings", r#"{"transient":{"point_in_time.max_keep_alive":"80s"}}"#, 400, &[("/error/reason", r#""Default keep alive setting for request [search.default_keep_alive] should be smaller than max keep alive for PIT [point_in_time.max_keep_alive], was (5m > 1.3m)""#)]),
    case("settings", "PUT /_cluster/settings", r#"{"transient":{"thread_pool.search.size":5}}"#, 400, &[("/error/reason", r#""transient setting [thread_pool.search.size], not dynamically updateable""#)]),
    case("by query", "POST /rows/_update_by_query?version=zz", "", 400, &[]),
    case("by query", "POST /rows/_update_by_query?request_cache=", "", 200, &[]),
    case("by query", "POST /rows/_update_by_query", r#"{"track_total_hits":false}"#, 400, &[("/error/reason", r#""Validation Failed: 1: disabling [track_total_hits] is not allowed in a scroll context;""#)]),
    case("scroll", "GET /rows/_search?scroll=1m&track_total_hits=5", "", 400, &[("/error/reason", r#""Validation Failed: 1: disabling [track_total_hits] is not allowed in a scroll context;""#)]),
    case("exists", "GET /rows/_search", r#"{"query":{"exists":{"field":"_field_names"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Cannot run exists query on _field_names""#)]),
    case("bulk", "POST /_bulk?pipeline=", "{\"index\":{\"_index\":\"rows\"}}\n{}\n", 400, &[("/error/reason", r#""Validation Failed: 1: pipeline cannot be an empty string;""#)]),
    case("bulk", "POST /_bulk?require_alias=", "{\"index\":{\"_index\":\"rows\",\"_id\":\"2\"}}\n{}\n", 200, &[("/errors", "false")]),
    case("templates", "PUT /_component_template/rows,t", r#"{"template":{}}"#, 400, &[("/error/reason", r#""index_template [rows,t] invalid, cause [Validation Failed: 1: name must not contain a ',';]""#)]),
    case("templates", "GET /_render/template", "", 400, &[("/error/reason", r#""request body or source parameter is required""#)]),
    case("health", "GET /_cluster/health?awareness_attribute=zone", "", 400, &[("/error/reason", r#""Validation Failed: 1: level=awareness_attributes is required with awareness_attribute parameter;""#)]),
    case("health", "GET /_cluster/health?awareness_attribute=zone&level=awareness_attributes", "", 200, &[("/awareness_attributes/zone", "{}")]),
    case("health", "GET /_cluster/health?ensure_node_weighed_in=true", "", 400, &[]),
    case("health", "GET /_cluster/health/rows?level=awareness_attributes", "", 400, &[]),
    case("state", "GET /_cluster/state?wait_for_metadata_version=0", "", 400, &[("/error/reason", r#""provided waitForMetadataVersion should be >= 1, but instead is [0]""#)]),
    case("stats", "GET /_cluster/stats?flat_settings=true", "", 400, &[]),
    case("source", "GET /other/_source/zz", "", 404, &[("/error/reason", r#""Document not found [rows]/[zz]""#)]),
    case("geo", "GET /rows/_search", r#"{"query":{"geo_distance":{"distance":[1,2]}}}"#, 400, &[("/error/reason", r#""geo_distance requires 'distance' to be specified""#)]),
    case("geo", "GET /rows/_search", r#"{"sort":[{"_geo_distance":{"unit":[]}}]}"#, 400, &[("/error/reason", r#""Geo distance sorting needs at least one point.""#)]),
    case("graphs", "GET /rows/_validate/query?explain=true", r#"{"query":{"match_phrase":{"g":"a foo.bar"}}}"#, 200, &[("/explanations/0/explanation", r#""spanNear([g:a, spanOr([g:foo.bar, spanNear([g:foo, g:bar], 0, true)])], 0, true)""#)]),
    case("regexp", "GET /rows/_search", r#"{"query":{"regexp":{"k":{"value":null}}}}"#, 400, &[("/error/reason", r#""value cannot be null""#)]),
    case("intervals", "GET /rows/_search", r#"{"query":{"intervals":{"t":{"match":{"query":"a","filter":5}}}}}"#, 400, &[("/error/reason", r#""[1:59] [match] filter doesn't support values of type: VALUE_NUMBER""#)]),
    case("intervals", "GET /rows/_search", r#"{"query":{"intervals":{"t":{"match":{"query":"a","filter":{"before":{"match":{"query":"b"}},"x":1}}}}}}"#, 400, &[("/error/root_cause/0/reason", r#""Expected [END_OBJECT] but got [FIELD_NAME]""#)]),
    case("JSON", "PUT /rows/_mapping", "{", 400, &[("/error/type", r#""parse_exception""#), ("/error/reason", r#""Failed to parse content to map""#)]),
    case("JSON", "POST /_aliases", r#"{"actions":[{"add":{"index":"a",}}]}"#, 400, &[("/error/reason", r#""[1:29] [aliases] failed to parse field [actions]""#)]),
    case("JSON", "GET /rows/_search", r#"{"query":{"bool":{"must":[{"match":{"k":"a"}},]}}}"#, 400, &[("/error/reason", r#""[1:47] [bool] failed to parse field [must]""#)]),
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
        (
            "POST",
            "/rows/_update_by_query",
            r#"{"script":{"inline":"ctx._id","foo":1}}"#,
            "Deprecated field [inline] used, expected [source] instead",
        ),
        (
            "PUT",
            "/rows-d",
            r#"{"mappings":{"dynamic_templates":[{"a":{"match":"x","mapping":{"type":"foo"}}}]}}"#,
            r#"dynamic template [a] has invalid content [{\"match\":\"x\",\"mapping\":{\"type\":\"foo\"}}], caused by [No mapper found for type [foo]]"#,
        ),
        (
            "PUT",
            "/rows/_mapping",
            r#"{"dynamic_templates":[{"o":{"match_mapping_type":"object","mapping":{"type":"object","foo":1}}}]}"#,
            "caused by [Unused mapping attributes [{foo=1}]]",
        ),
        (
            "PUT",
            "/_component_template/rows-t",
            r#"{"template":{"mappings":{"dynamic_templates":[{"a":{"match":"x","mapping":{"foo":1}}}]}}}"#,
            "caused by [unknown parameter [foo] on mapper [__dynamic__a] of type [null]]",
        ),
        (
            "PUT",
            "/rows-e",
            r#"{"mappings":{"properties":{"o":{"type":"object","include_in_all":true}}}}"#,
            "[include_in_all] is deprecated, the _all field have been removed in this version",
        ),
        (
            "PUT",
            "/rows-f",
            r#"{"mappings":{"properties":{"d":{"type":"date","null_value":"zz"}}}}"#,
            "Error parsing [zz] as date in [null_value] on field [d]); [null_value] will be ignored",
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
