//! What parameters, metadata lines and bodies of searches, explanations and analyses answer where they are given oddly.

use super::{Case, Server, assert_covers, case};

const ROWS: &[&str] = &["preference", "values", "metadata", "explain", "search", "analyze", "cancel"];

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Which copies are wanted is read for each shard, no further than it concerns the shard.
    case("preference", "GET /p/_search?preference=_shards:1,x", "", 400, &[("/error/reason", r#""For input string: \"x\"""#)]),
    case("preference", "GET /p/_search?preference=_shards:0,1,x", "", 200, &[("/_shards/total", "2")]),
    case("preference", "GET /p/_search?preference=_shards:0%7Cfoo", "", 400, &[("/error/reason", r#""no Preference for [foo]""#)]),
    case("preference", "GET /p/_search?preference=_shards:9%7C_foo", "", 200, &[("/_shards/total", "0")]),
    case("preference", "GET /p/_search?preference=_shards:0%7C_shards:0", "", 400, &[("/error/reason", r#""unknown preference [SHARDS]""#)]),
    case("preference", "GET /p/_search?preference=_local:x", "", 200, &[("/_shards/total", "2")]),
    case("preference", "GET /p/_search?preference=_foo:x", "", 400, &[("/error/reason", r#""no Preference for [_foo]""#)]),
    case("preference", "GET /p/_search?preference=_only_nodes", "", 500, &[("/error/reason", r#""Range [12, 11) out of bounds for length 11""#), ("/error/type", r#""string_index_out_of_bounds_exception""#)]),
    case("preference", "GET /none*/_search?preference=_foo", "", 200, &[("/_shards/total", "0")]),
    case("preference", "GET /p/_explain/1?q=n:1&preference=_replica", "", 503, &[("/error/type", r#""no_shard_available_action_exception""#)]),
    case("preference", "GET /p/_explain/1?q=n:1&preference=_shards:9", "", 500, &[("/error/type", r#""null_pointer_exception""#)]),
    case("preference", "GET /p/_explain/1?q=n:1&preference=_only_nodes:x", "", 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("preference", "GET /p/_doc/1?preference=_shards:x", "", 400, &[("/error/reason", r#""For input string: \"x\"""#)]),
    case("preference", "GET /p/_mget?preference=_shards:9", r#"{"ids":["1"]}"#, 200, &[("/docs/0/error/type", r#""null_pointer_exception""#)]),
    case("preference", "GET /p/_search?preference=_search_replica", "", 503, &[("/error/reason", r#""all shards failed""#)]),
    // What is wrong with a value is told before a name that nobody knows, and some values are looked at before others.
    case("values", "GET /_cluster/settings?include_defaults=0&foo=1", "", 400, &[("/error/reason", r#""Failed to parse value [0] as only [true] or [false] are allowed.""#)]),
    case("values", "POST /_cluster/reroute?cluster_manager_timeout=1.5&timeout=x&foo=1", "", 400, &[("/error/reason", r#""failed to parse setting [timeout] with value [x] as a time value: unit is missing or unrecognized""#)]),
    case("values", "GET /_cat/indices?cluster_manager_timeout=x&local=abc", "", 400, &[("/error/reason", r#""Failed to parse value [abc] as only [true] or [false] are allowed.""#)]),
    case("values", "GET /p/_rank_eval?expand_wildcards=x", r#"{"requests":[],"metric":{"precision":{}}}"#, 400, &[("/error/reason", r#""No valid expand wildcard value [x]""#)]),
    case("values", "PUT /_snapshot/none/s/_clone/x?cluster_manager_timeout=x", "", 400, &[("/error/reason", r#""request body is required""#)]),
    case("values", "GET /_tasks/abc?timeout=x", "", 400, &[("/error/reason", r#""malformed task id abc""#)]),
    case("values", "PUT /p/_split/w?copy_settings=false", r#"{"settings":1}"#, 400, &[("/error/reason", r#""parameter [copy_settings] can not be explicitly set to [false]""#)]),
    case("values", "POST /_rank_eval?search_type=x&foo=1", r#"{"requests":[],"metric":{"precision":{}}}"#, 400, &[("/error/reason", r#""No search type for [x]""#)]),
    case("values", "GET /_snapshot/none/s?ignore_unavailable=x&foo=1", "", 400, &[("/error/reason", r#""Failed to parse value [x] as only [true] or [false] are allowed.""#)]),
    case("values", "POST /_reindex?scroll_size=1", r#"{"source":{"index":"p"},"dest":{"index":"p2"}}"#, 400, &[("/error/reason", r#""request [/_reindex] contains unrecognized parameter: [scroll_size]""#)]),
    case("values", "GET /_tasks?parent_task_id=x:-1&actions=none*", "", 200, &[("/nodes", "{}")]),
    // A metadata line of `_msearch`.
    case("metadata", "GET /p/_msearch?preference=_local", "{}\n{}\n", 400, &[("/error/reason", r#""request [/p/_msearch] contains unrecognized parameter: [preference]""#)]),
    // What is wrong within a `wrapper` is wrong with the search alone.
    case("metadata", "GET /p/_msearch", "{}\n{\"query\":{\"wrapper\":{\"query\":\"eyJub3BlIjp7fX0=\"}}}\n{}\n{\"size\":0}\n", 200, &[("/responses/0/error/reason", r#""unknown query [nope]""#), ("/responses/1/status", "200")]),
    case("metadata", "GET /_msearch", "{\"index\":{\"x\":1}}\n{}\n", 200, &[("/responses/0/error/index", r#""{x=1}""#)]),
    case("metadata", "GET /_msearch", "{\"index\":null}\n{}\n", 500, &[("/error/reason", r#""Cannot invoke \"Object.toString()\" because \"node\" is null""#)]),
    case("metadata", "GET /_msearch", "{\"index\":[\"p\",null]}\n{}\n", 500, &[("/error/reason", r#""index must not be null""#)]),
    case("metadata", "GET /p/_msearch", "{\"preference\":null,\"routing\":null,\"search_type\":null,\"expand_wildcards\":null,\"allow_no_indices\":null,\"ignore_unavailable\":\" \"}\n{\"size\":0}\n", 200, &[("/responses/0/_shards/total", "2")]),
    case("metadata", "GET /_msearch", "{\"index\":\"none\",\"ignore_unavailable\":\"\"}\n{}\n", 200, &[("/responses/0/status", "404")]),
    case("metadata", "GET /p/_msearch", "{\"allowNoIndices\":{}}\n{}\n", 400, &[("/error/reason", r#""Could not convert [allow_no_indices] to boolean""#), ("/error/caused_by/reason", r#""Failed to parse value [{}] as only [true] or [false] are allowed.""#)]),
    case("metadata", "GET /p/_msearch", "{\"requestCache\":\"\"}\n{}\n", 400, &[("/error/reason", r#""Could not convert [requestCache] to boolean""#)]),
    case("metadata", "GET /p/_msearch", "{\"request_cache\":null}\n{}\n", 500, &[("/error/type", r#""null_pointer_exception""#)]),
    case("metadata", "GET /p/_msearch", "{\"allow_partial_search_results\":\"x\"}\n{}\n", 400, &[("/error/reason", r#""Could not convert [null] to boolean""#)]),
    case("metadata", "GET /p/_msearch", "{\"ccs_minimize_roundtrips\":\"x\"}\n{}\n", 400, &[("/error/reason", r#""Failed to parse value [x] as only [true] or [false] are allowed.""#)]),
    case("metadata", "GET /p/_msearch", "{\"cancelAfterTimeInterval\":60000}\n{\"size\":0}\n", 200, &[("/responses/0/status", "200")]),
    case("metadata", "GET /p/_msearch", "{\"cancel_after_time_interval\":-2}\n{}\n", 400, &[("/error/reason", r#""duration cannot be negative, was given [-2]""#)]),
    case("metadata", "GET /p/_msearch", "{\"expand_wildcards\":{\"x\":[1,\"a\"]}}\n{}\n", 400, &[("/error/reason", r#""No valid expand wildcard value [{x=[1]""#)]),
    case("metadata", "GET /p/_msearch", "{\"expand_wildcards\":\",open\"}\n{}\n", 400, &[("/error/reason", r#""No valid expand wildcard value []""#)]),
    case("metadata", "GET /p/_msearch", "{\"search_type\":\"query_and_fetch\"}\n{}\n", 400, &[("/error/reason", r#""No search type for [query_and_fetch]""#)]),
    case("metadata", "GET /p/_msearch", "{\"phase_took\":true}\n{\"size\":0}\n{\"phase_took\":\"false\"}\n{\"size\":0}\n", 200, &[("/responses/0/phase_took/query", "*"), ("/responses/1/phase_took", "-")]),
    case("metadata", "GET /p/_msearch", "{\"phase_took\":null}\n{}\n", 500, &[("/error/type", r#""null_pointer_exception""#)]),
    // Explanations.
    case("explain", "GET /p/_explain/1?q=n:1", "{}", 400, &[("/error/reason", r#""Validation Failed: 1: query is missing;""#)]),
    case("explain", "GET /p/_explain/1?q=n:1&fields=n", "", 400, &[("/error/reason", r#""The parameter [fields] is no longer supported, please use [stored_fields] to retrieve stored fields""#)]),
    case("explain", "GET /p/_explain/1?q=n:1&stored_fields=", "", 200, &[("/get/found", "true"), ("/get/_source", "-")]),
    case("explain", "GET /p/_explain/1", r#"{"query":{"match_all":{}}, "query":{}}"#, 400, &[("/error/reason", r#""Failed to parse""#), ("/error/col", "25")]),
    // Searches.
    case("search", "GET /p/_search?allow_partial_search_results", "", 500, &[("/error/type", r#""null_pointer_exception""#)]),
    case("search", "GET /p/_search?sort=,n", "", 400, &[("/error/root_cause/0/reason", r#""No mapping found for [] in order to sort on""#)]),
    case("search", "GET /p/_search?sort=n,,", "", 200, &[("/hits/hits/0/sort", "[1]")]),
    case("search", "GET /p/_search", r#"{"indices_boost":[{}]}"#, 400, &[("/error/reason", r#""Expected [FIELD_NAME] in [indices_boost] but found [END_OBJECT]""#), ("/error/col", "20")]),
    case("search", "GET /p/_search", r#"{"aggs":{"a":{"global":{"x":1}}}}"#, 400, &[("/error/reason", r#""Expected [FIELD_NAME] under a [START_OBJECT], but got a [VALUE_NUMBER] in [a]""#)]),
    case("search", "GET /p/_search?version=%20&track_scores=%20&typed_keys=%20&ignore_unavailable=%20", "", 200, &[("/hits/hits/0/_version", "-")]),
    case("search", "GET /p/_search?expand_wildcards=open,%20closed", "", 400, &[("/error/reason", r#""No valid expand wildcard value [ closed]""#)]),
    case("search", "GET /p,%20p/_search", "", 404, &[("/error/reason", r#""no such index [ p]""#)]),
    // What is wrong with names of indexes is told before what is wrong with totals, and parameters that nobody knows after both.
    case("search", "GET /p/_search?expand_wildcards=foo&rest_total_hits_as_int=true&track_total_hits=3", "", 400, &[("/error/reason", r#""No valid expand wildcard value [foo]""#)]),
    case("search", "GET /p/_search?unknown=1&rest_total_hits_as_int=true&track_total_hits=3", "", 400, &[("/error/reason", r#""[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got 3""#)]),
    case("search", "GET /_x/_search?expand_wildcards=none", "", 400, &[("/error/reason", r#""Invalid index name [_x], must not start with '_'.""#)]),
    case("search", "GET /p/_search?df=n&suggest_text=x", "", 400, &[("/error/reason", r#""request [/p/_search] contains unrecognized parameters: [df], [suggest_text] -> did you mean [suggest_field]?""#)]),
    case("search", "GET /p/_search?size=1&sort=n", r#"{"sort":["_score"]}"#, 200, &[("/hits/hits/0/sort", "[1.0,1]")]),
    case("search", "GET /p/_search?size=1&sort=n&docvalue_fields=n", r#"{"docvalue_fields":["n"]}"#, 200, &[("/hits/hits/0/fields/n", "[1,1]")]),
    case("search", "GET /p/_search?allow_partial_search_results=false&timeout=-1s", "", 500, &[("/error/reason", r#""all shards failed""#), ("/error/failed_shards/0/reason/type", r#""query_phase_execution_exception""#)]),
    case("search", "GET /p/_search", "  ", 400, &[("/error/reason", r#""Expected [START_OBJECT] but found [null]""#)]),
    // Shards that can match nothing are passed over, all but one.
    case("search", "GET /p/_search", r#"{"query":{"match_none":{}},"sort":["_doc"],"collapse":{"field":"none"}}"#, 200, &[("/_shards/skipped", "1"), ("/_shards/failed", "1"), ("/_shards/successful", "1"), ("/hits/max_score", "0.0"), ("/hits/total/value", "0")]),
    // A pattern that names closed indexes alone names something.
    case("search", "GET /shut-p*,p/_search?allow_no_indices=false", "", 200, &[("/_shards/total", "2")]),
    case("search", "GET /shut-p*/_search?allow_no_indices=false", "", 404, &[("/error/reason", r#""no such index [null]""#)]),
    case("search", "GET /one-p/_search", r#"{"size":0,"query":{"match_none":{}},"aggs":{"g":{"global":{}}}}"#, 200, &[("/aggregations/g/doc_count", "1")]),
    // Analyses.
    case("analyze", "GET /_analyze", r#"{"text":"a"} x"#, 200, &[("/tokens/0/token", r#""a""#)]),
    case("analyze", "GET /p/_analyze", r#"{"text":"a","normalizer":"n","tokenizer":"standard"}"#, 400, &[("/error/reason", r#""Validation Failed: 1: tokenizer/analyze should be null if normalizer is specified;2: cannot define extra components on a named normalizer;""#)]),
    // A search that takes too long has failed on its shards.
    case("cancel", "GET /p/_search?cancel_after_time_interval=1ms", SLOW, 500, &[("/error/type", r#""search_phase_execution_exception""#), ("/error/failed_shards/0/index", r#""p""#), ("/error/caused_by/type", r#""task_cancelled_exception""#)]),
];

const SLOW: &str =
    r#"{"query":{"script":{"script":"long x = 0; for (int i = 0; i < 40000; i++) { x += i } return x < 0"}}}"#;

fn setup(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /p,shut-p?ignore_unavailable=true", "");
    server.ok("PUT /p", r#"{"settings":{"number_of_shards":2,"number_of_replicas":0}}"#);
    server.ok("POST /p/_bulk", &"{\"index\":{}}\n{}\n".repeat(30));
    server.ok("PUT /p/_doc/1?refresh=true", r#"{"n":1}"#);
    server.ok("POST /_aliases", r#"{"actions":[{"add":{"index":"p","alias":"one-p","filter":{"term":{"n":1}}}}]}"#);
    server.ok("PUT /shut-p", r#"{"settings":{"number_of_replicas":0}}"#);
    server.ok("POST /shut-p/_close", "");
    vec![]
}

#[test]
fn odd_values() {
    assert_covers(CASES, ROWS);
    Server::start("rows-parameters").run(CASES, setup);
}
