//! Documents written, read and taken apart: what aliases, pipelines and mappings make of the calls for single ones, and the calls beside
//! searches that look at shards one by one.

use super::{Case, Server, case};

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Stored fields are what was stored, whether there is a source or not.
    case("stored_fields", "GET /doc-n/_doc/1?stored_fields=k,t,d,nope,k", "", 200, &[("/fields", r#"{"t":["Hello World"],"d":["2020-01-01T00:00:00.000Z"],"k":["a","b"]}"#), ("/_source", "-")]),
    case("stored_fields", "GET /doc-n/_explain/1?stored_fields=k", r#"{"query":{"match_all":{}}}"#, 200, &[("/get/fields", r#"{"k":["a","b"]}"#)]),
    case("stored_fields", "POST /_mget", r#"{"docs":[{"_index":"doc-al","_id":"5","stored_fields":["o"]}]}"#, 200, &[("/docs/0/_index", r#""doc-a""#), ("/docs/0/error/reason", r#""field [o] isn't a leaf field""#)]),
    case("_source", "GET /doc-a/_doc/1?_source=%20", "", 200, &[("/_source", "{}")]),
    case("_source", "GET /doc-n/_search?_source=k", "", 400, &[("/error/phase", r#""query""#), ("/error/root_cause/0/reason", r#""unable to fetch fields from _source field: _source is disabled in the mappings for index [doc-n]""#)]),
    case("_source", "GET /doc-n,doc-a/_search?_source=k", "", 200, &[("/_shards/failed", "1"), ("/hits/hits/0/_index", r#""doc-a""#), ("/hits/hits/2", "-")]),
    case("_source", "GET /doc-n/_search?_source=true", "", 200, &[("/hits/total/value", "1")]),
    // What is wrong is told in the order in which it is read, and what is not known after that.
    case("order", "GET /doc-a/_doc/1?foo=1&realtime=x", "", 400, &[("/error/reason", r#""Failed to parse value [x] as only [true] or [false] are allowed.""#)]),
    case("order", "POST /doc-a/_mget?foo=1", r#"{"docs":1}"#, 400, &[("/error/type", r#""parsing_exception""#)]),
    case("order", "POST /doc-a/_mget?foo=1", r#"{"docs":[]}"#, 400, &[("/error/reason", r#""request [/doc-a/_mget] contains unrecognized parameter: [foo]""#)]),
    case("order", "DELETE /doc-a/_doc/9?version_type=&if_seq_no=x", "", 400, &[("/error/reason", r#""No version type match []""#)]),
    case("order", "POST /doc-a/_update/9?_source_includes=n&_source_excludes=n", r#"{"foo":1}"#, 400, &[("/error/reason", r#""The same entry [n] cannot be both included and excluded in _source.""#)]),
    case("order", "POST /_msearch?foo=1&max_concurrent_searches=0", "{}\n{}\n", 400, &[("/error/reason", r#""maxConcurrentSearchRequests must be positive""#)]),
    case("order", "POST /_msearch/template?cancel_after_time_interval=1m", "{\"index\":\"doc-a\"}\n{\"source\":{}}\n", 400, &[("/error/reason", r#""request [/_msearch/template] contains unrecognized parameter: [cancel_after_time_interval]""#)]),
    // Aliases.
    case("update", "POST /doc-closed/_update/1", r#"{"doc":{}}"#, 400, &[("/error/type", r#""index_closed_exception""#)]),
    case("update", "POST /doc-cl/_update/1", r#"{"doc":{}}"#, 403, &[("/error/reason", r#""index [doc-closed] blocked by: [FORBIDDEN/4/index closed];""#)]),
    case("explain", "GET /doc-al/_explain/1?parent=1", r#"{"query":{"match_all":{}}}"#, 200, &[("/matched", "true")]),
    case("explain", "GET /doc-al/_explain/5", r#"{"query":{"match_all":{}}}"#, 404, &[("/matched", "false")]),
    case("explain", "GET /doc-al/_explain/5?routing=r1", r#"{"query":{"match_all":{}}}"#, 200, &[("/matched", "true")]),
    case("validate", "GET /doc-al/_validate/query", "", 200, &[("/_shards/total", "7")]),
    case("validate", "GET /doc-al/_validate/query?all_shards=true", "", 200, &[("/_shards/total", "1")]),
    case("validate", "GET /doc-a/_validate/query", "", 200, &[("/_shards/total", "1")]),
    case("field_caps", "GET /doc-closed/_field_caps?fields=*", r#"{"index_filter":{"match_all":{}}}"#, 200, &[("", r#"{"indices":[],"fields":{}}"#)]),
    // Bulks.
    case("bulk", "POST /doc-a/_bulk", "{\"index\":{\"_id\":\"9\",\"if_seq_no\":\"1.5\"}}\n{}\n", 400, &[("/error/reason", r#""Validation Failed: 1: ifSeqNo is set, but primary term is [0];""#)]),
    case("bulk", "POST /doc-a/_bulk", "{\"index\":{\"_id\":\"9\",\"version\":true}}\n{}\n", 400, &[("/error/type", r#""input_coercion_exception""#)]),
    case("bulk", "POST /_bulk", "{\"index\":{\"_index\":\"doc-b\",\"_id\":\"1\",\"pipeline\":\"none\"}}\n{}\n{\"index\":{\"_index\":\"doc-auto\",\"_id\":\"2\",\"pipeline\":\"none\"}}\n{}\n{\"index\":{\"_index\":\"doc-a\",\"_id\":\"3\",\"pipeline\":\"none\"}}\n{}\n", 200, &[("/items/0/index/_id", r#""2""#), ("/items/1/index/_id", r#""3""#), ("/items/2/index/_id", r#""1""#)]),
    case("bulk", "POST /doc-b/_bulk?pipeline=doc-p", "{\"index\":{\"_id\":\"8\"}}\n{\"a\":1}{\"b\":2}\n", 200, &[("/items/0/index/status", "201")])
        .then(&[("GET /doc-b/_doc/8", "/_source", r#"{"a":1,"p":1}"#)]),
    case("bulk", "POST /doc-b/_bulk?pipeline=doc-d", "{\"index\":{\"_id\":\"1\"}}\n{\"fails\":1}\n{\"index\":{\"_id\":\"2\"}}\n{\"drops\":1}\n{\"index\":{\"_id\":\"3\"}}\n{}\n", 200, &[("/items/0/index/_id", r#""2""#), ("/items/1/index/_id", r#""1""#), ("/items/2/index/_id", r#""3""#)]),
    // A final pipeline is looked for once the first has run.
    case("pipeline", "PUT /doc-f/_doc/1?pipeline=doc-d", r#"{"fails":1}"#, 500, &[("/error/reason", r#""no""#)]),
    case("pipeline", "PUT /doc-f/_doc/1?pipeline=doc-d", r#"{"drops":1}"#, 200, &[("/result", r#""noop""#)]),
    case("pipeline", "PUT /doc-f/_doc/1?pipeline=doc-p", "{}", 400, &[("/error/reason", r#""pipeline with id [doc-none] does not exist""#)]),
    // The terms of documents that are in no index.
    case("termvectors", "POST /doc-a/_termvectors?routing=r9", r#"{"doc":{"t":"a"}}"#, 200, &[("/term_vectors/_routing/terms/r9/term_freq", "1"), ("/term_vectors/t/terms/a/term_freq", "1")]),
    case("termvectors", "POST /doc-a/_termvectors", r#"{"doc":{"t":"a"},"routing":"r9"}"#, 200, &[("/term_vectors/_routing", "-")]),
    case("termvectors", "POST /doc-a/_termvectors", r#"{"doc":{"d":"bad"}}"#, 500, &[("/error/type", r#""exception""#), ("/error/root_cause/0/type", r#""mapper_parsing_exception""#), ("/error/caused_by/reason", r#""failed to parse field [d] of type [date] in document with id '_id_for_tv_api'. Preview of field's value: 'bad'""#)]),
    case("termvectors", "POST /doc-r/_termvectors", r#"{"doc":{"t":"a"}}"#, 400, &[("/error/type", r#""routing_missing_exception""#)]),
    case("termvectors", "POST /doc-a/_mtermvectors", r#"{"ids":[["1"]]}"#, 400, &[("/error/reason", r#""ids array element should only contain ids""#)]),
    case("termvectors", "POST /doc-a/_termvectors/1?foo=1", r#"{"doc":{}}"#, 400, &[("/error/reason", r#""failed to parse term vectors request. either [id] or [doc] can be specified, but not both!""#)]),
    // Names of streams are nobody else's.
    case("alias", "PUT /doc-x", r#"{"aliases":{"doc-ds1":{}}}"#, 500, &[("/error/type", r#""illegal_state_exception""#)]),
    case("alias", "PUT /doc-b/_alias/doc-ds1", "", 500, &[("/error/type", r#""illegal_state_exception""#)])
        .then(&[("GET /doc-b/_alias", "", r#"{"doc-b":{"aliases":{}}}"#)]),
    case("state", "GET /_cluster/state/routing_nodes/doc-none?ignore_unavailable=false", "", 404, &[]),
    case("shards", "GET /_all/_search_shards?filter_path=indices.doc-a", "", 200, &[("", r#"{"indices":{"doc-a":{}}}"#)]),
    case("block", "PUT /.ds-doc-ds1-000001/_block/write", "", 400, &[("/error/reason", r#""cannot add a block to the following data stream write indices [.ds-doc-ds1-000001]""#)]),
    case("resolve", "GET /_resolve/index/doc-ds*?expand_wildcards=closed", "", 200, &[("/data_streams/0/name", r#""doc-ds1""#)]),
    case("resolve", "GET /_resolve/index/doc-ds*?expand_wildcards=hidden", "", 200, &[("/data_streams", "[]")]),
    case("state", "GET /_cluster/state/metadata?filter_path=metadata.templates.doc-old.mappings", "", 200, &[("/metadata/templates/doc-old/mappings/_doc/properties/a/type", r#""long""#)]),
    // Templates and points in time.
    case("pit", "POST /doc-none/_search/point_in_time?keep_alive=1m&ignore_unavailable=true", "", 400, &[("/error/reason", r#""invalid id: [null]""#)]),
    case("template", "POST /_search/template?explain=abc", r#"{"source":{"foo":1}}"#, 400, &[("/error/reason", r#""Failed to parse value [abc] as only [true] or [false] are allowed.""#)]),
    case("template", "POST /_search/template", r#"{"id":1}"#, 400, &[("/error/reason", r#""[1:7] [search_template] id doesn't support values of type: VALUE_NUMBER""#)]),
    case("template", "POST /_search/template", r#"{"explain":"x"}"#, 400, &[("/error/reason", r#""[1:12] [search_template] failed to parse field [explain]""#)]),
    case("template", "POST /doc-a/_search/template", r#"{"source":"{{a}}","params":{}}"#, 400, &[("/error/reason", r#""Expected [START_OBJECT] but found [null]""#)]),
    case("explain", "GET /doc-ds1/_explain/1?q=a", "", 404, &[("/error/reason", r#""no such index [null]""#)]),
    case("sort", "POST /doc-a/_search?scroll=1m&size=0", r#"{"sort":[{"_shard_doc":"asc"}]}"#, 400, &[("/error/reason", r#""Validation Failed: 1: [size] cannot be [0] in a scroll context;2: _shard_doc cannot be used with scroll. Use PIT + search_after instead.;3: _shard_doc is only supported with point-in-time (PIT). Add a PIT or remove _shard_doc.;""#)]),
    case("sort", "GET /doc-a/_search?sort=_shard_doc", "", 400, &[("/error/reason", r#""Validation Failed: 1: _shard_doc is only supported with point-in-time (PIT). Add a PIT or remove _shard_doc.;""#)]),
];

fn setup(server: &Server) {
    let make = |request: &str, body: &str| drop(server.ok(request, body));
    let fields = r#""t":{"type":"text","store":true},"k":{"type":"keyword","store":true},"d":{"type":"date","store":true},"o":{"properties":{"x":{"type":"long"}}}"#;
    let sharded = r#""settings":{"number_of_shards":7,"number_of_replicas":0}"#;
    let routed = r#""aliases":{"doc-al":{"routing":"r1"}}"#;
    make("PUT /doc-a", &format!(r#"{{{sharded},"mappings":{{"properties":{{{fields}}}}},{routed}}}"#));
    make("PUT /doc-b", "{}");
    make("PUT /doc-closed", r#"{"aliases":{"doc-cl":{}}}"#);
    make("POST /doc-closed/_close", "");
    make("PUT /doc-n", &format!(r#"{{"mappings":{{"_source":{{"enabled":false}},"properties":{{{fields}}}}}}}"#));
    make("PUT /doc-f", r#"{"settings":{"index.final_pipeline":"doc-none"}}"#);
    make("PUT /doc-r", r#"{"mappings":{"_routing":{"required":true}}}"#);
    make("PUT /_index_template/doc-t", r#"{"index_patterns":["doc-ds*"],"data_stream":{}}"#);
    make("PUT /_data_stream/doc-ds1", "");
    make(
        "PUT /_template/doc-old",
        r#"{"index_patterns":["doc-old*"],"mappings":{"properties":{"a":{"type":"long"}}}}"#,
    );
    make("PUT /_ingest/pipeline/doc-p", r#"{"processors":[{"set":{"field":"p","value":1}}]}"#);
    make(
        "PUT /_ingest/pipeline/doc-d",
        r#"{"processors":[{"fail":{"message":"no","if":"ctx.fails == 1"}},{"drop":{"if":"ctx.drops == 1"}}]}"#,
    );
    make("PUT /doc-n/_doc/1?refresh=true", r#"{"t":"Hello World","k":["a","b"],"d":"2020-01-01"}"#);
    make("PUT /doc-a/_doc/1?refresh=true", r#"{"k":"a"}"#);
    make("PUT /doc-a/_doc/5?refresh=true&routing=r1", r#"{"k":"a"}"#);
}

#[test]
fn documents_and_what_is_beside_searches() {
    let server = Server::start("rows-documents");
    setup(&server);
    server.run(CASES, |_| vec![]);
}
