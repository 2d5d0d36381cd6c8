//! Tables, documents by their ids, and the cluster's own calls, asked in ways that are not quite right or not quite common.

use super::{Case, Server, case};

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Tables.
    case("cat", "GET /_cat/aliases/calls-*?h=&format=JSON", "", 200, &[("", "[{},{}]")]),
    case("cat", "GET /_cat/aliases/calls-*,-calls-y?h=alias&format=json", "", 200, &[("", r#"[{"alias":"calls-x"}]"#)]),
    case("cat", "GET /_cat/aliases?format=json&ignore_unavailable=foo", "", 400, &[("/error/reason", r#""Could not convert [ignore_unavailable] to boolean""#)]),
    case("cat", "GET /_cat/count/calls-a?h=count&format=json&q=n:1", "", 200, &[("", r#"[{"count":"1"}]"#)]),
    case("cat", "GET /_cat/count/calls-a?ts=false&format=json", r#"{"query":{"match_all":{}}}"#, 200, &[("", r#"[{"count":"2"}]"#)]),
    case("cat", "GET /_cat/count/calls-a?ts=foo", "", 400, &[("/error/reason", r#""Failed to parse value [foo] as only [true] or [false] are allowed.""#)]),
    case("cat", "GET /_cat/count/calls-a", r#"{"foo":1}"#, 400, &[("/error/reason", r#""request does not support [foo]""#)]),
    case("cat", "GET /_cat/count/calls-a?q=n:1", r#"{"query":{"match_all":{}}}"#, 400, &[("/error/reason", r#""request [/_cat/count/calls-a] contains unrecognized parameter: [q]""#)]),
    case("cat", "GET /_cat/shards/calls-h?format=json&timeout=foo", "", 200, &[("/0/docs", r#""0""#), ("/0/state", r#""STARTED""#)]),
    case("cat", "GET /_cat/shards/calls-a?expand_wildcards=all", "", 400, &[("/error/reason", r#""request [/_cat/shards/calls-a] contains unrecognized parameter: [expand_wildcards]""#)]),
    case("cat", "GET /_cat/segments/calls-a?ignore_unavailable=true", "", 400, &[("/error/reason", r#""request [/_cat/segments/calls-a] contains unrecognized parameter: [ignore_unavailable]""#)]),
    case("cat", "GET /_cat/indices/calls-c?h=index,memory.total,last_index_ts_string&format=json", "", 200, &[("", r#"[{"index":"calls-c","memory.total":"0b","last_index_ts_string":null}]"#)]),
    case("cat", "GET /_cat/indices/calls-h?h=last_index_ts_string&format=json", "", 200, &[("", r#"[{"last_index_ts_string":null}]"#)]),
    case("cat", "GET /_cat/fielddata?fields=&format=json", "", 200, &[("", "[]")]),
    case("cat", "GET /_cat/snapshots/none?local=true", "", 400, &[("/error/reason", r#""request [/_cat/snapshots/none] contains unrecognized parameter: [local]""#)]),
    // What is not looked at for the columns of a table is refused, and what is held against no index is not looked at.
    case("cat", "GET /_cat/indices?help=true&health=none&local=true", "", 200, &[]),
    case("cat", "GET /_cat/indices?help=true&include_unloaded_segments=true", "", 400, &[("/error/reason", r#""request [/_cat/indices] contains unrecognized parameter: [include_unloaded_segments]""#)]),
    case("cat", "GET /_cat/aliases?help=true&local=true", "", 400, &[("/error/reason", r#""request [/_cat/aliases] contains unrecognized parameter: [local]""#)]),
    case("cat", "GET /_cat/indices/calls-none*?health=none&format=json", "", 200, &[("", "[]")]),
    case("cat", "GET /_cat/indices/calls-a?health=none", "", 400, &[("/error/reason", r#""unknown cluster health status [none]""#)]),
    // Changes that nobody waits for.
    case("timeout", "PUT /late-1?timeout=0s", "", 200, &[("/acknowledged", "false"), ("/shards_acknowledged", "false")])
        .then(&[("GET /late-1/_settings", "/late-1/settings/index/number_of_shards", r#""1""#)]),
    case("timeout", "PUT /_cluster/settings?timeout=-1", r#"{"transient":{"search.default_search_timeout":"31s"}}"#, 200, &[("/acknowledged", "false"), ("/transient/search/default_search_timeout", r#""31s""#)]),
    case("timeout", "PUT /_cluster/settings?timeout=0s", r#"{"transient":{"search.default_search_timeout":null}}"#, 200, &[("/acknowledged", "false")]),
    case("timeout", "PUT /_cluster/settings?timeout=0s", r#"{"transient":{"search.default_search_timeout":null}}"#, 200, &[("/acknowledged", "true")]),
    case("timeout", "DELETE /late-1?timeout=0s", "", 200, &[("/acknowledged", "false")]),
    case("timeout", "GET /_cluster/state?cluster_manager_timeout=5&master_timeout=1s", "", 400, &[("/error/reason", r#""failed to parse setting [cluster_manager_timeout] with value [5] as a time value: unit is missing or unrecognized""#)]),
    // What belongs to no index.
    case("state", "PUT /_component_template/late-c", r#"{"template":{"settings":{"number_of_replicas":0}}}"#, 200, &[("/acknowledged", "true")])
        .then(&[("GET /_cluster/state/metadata", "/metadata/component_template/component_template/late-c/template/settings/index/number_of_replicas", r#""0""#)]),
    case("state", "DELETE /_component_template/late-c", "", 200, &[("/acknowledged", "true")]),
    case("state", "PUT /_ingest/pipeline/late-p", r#"{"processors":[]}"#, 200, &[("/acknowledged", "true")])
        .then(&[("GET /_cluster/state/metadata", "/metadata/ingest/pipeline", r#"[{"id":"late-p","config":{"processors":[]}}]"#)]),
    case("state", "DELETE /_ingest/pipeline/late-p", "", 200, &[("/acknowledged", "true")]),
    case("snapshots", "GET /_snapshot/none/_all/_status", "", 200, &[("/snapshots", "[]")]),
    case("snapshots", "GET /_snapshot/none/a,b/calls-a/_status", "", 400, &[("/error/reason", r#""Validation Failed: 1: index list filter is supported only when a single 'snapshot' is passed, but found 'snapshot' param = [[a, b]];""#)]),
    case("snapshots", "GET /_snapshot/_all/a/calls-a/_status", "", 400, &[("/error/reason", r#""Validation Failed: 1: index list filter is supported only when a single 'repository' is passed, but found 'repository' param = [_all];""#)]),
    case("snapshots", "GET /_snapshot/none/_current?verbose=false", "", 200, &[("/snapshots", "[]")]),
    case("snapshots", "GET /_snapshot/none/_current", "", 404, &[("/error/type", r#""repository_missing_exception""#)]),
    // Templates that are scripts of another language.
    case("template", "PUT /_scripts/late-s", r#"{"script":{"lang":"painless","source":"params.x"}}"#, 200, &[("/acknowledged", "true")])
        .then(&[("GET /_cluster/state/metadata", "/metadata/stored_scripts/late-s/lang", r#""painless""#)]),
    case("template", "GET /_render/template/late-s", r#"{"params":{"x":"{\"size\":1}"}}"#, 200, &[("/template_output/size", "1")]),
    case("template", "PUT /_scripts/late-s", r#"{"script":{"lang":"painless","source":"1"}}"#, 200, &[("/acknowledged", "true")]),
    case("template", "GET /_render/template/late-s", "{}", 400, &[("/error/type", r#""script_exception""#), ("/error/caused_by/reason", r#""Cannot cast from [int] to [java.lang.String].""#)]),
    case("template", "PUT /_scripts/late-s", r#"{"script":{"lang":"expression","source":"1"}}"#, 200, &[("/acknowledged", "true")]),
    case("template", "GET /_render/template/late-s", "{}", 400, &[("/error/reason", r#""expression engine does not know how to handle script context [template]""#)]),
    case("template", "DELETE /_scripts/late-s", "", 200, &[("/acknowledged", "true")]),
    case("analyze", "POST /calls-none/_analyze", "{}", 400, &[("/error/reason", r#""Validation Failed: 1: text is missing;""#)]),
    // The cluster's state, and what is decided about shards.
    case("state", "GET /_cluster/state/metadata/calls-*?filter_path=metadata.indices.*.state", "", 200, &[("/metadata/indices", r#"{"calls-a":{"state":"open"}}"#)]),
    case("state", "GET /_cluster/state/metadata/_all?filter_path=metadata.indices.calls-*.state", "", 200, &[("/metadata/indices/calls-c/state", r#""close""#), ("/metadata/indices/calls-h/state", r#""open""#)]),
    case("state", "GET /_cluster/state?metric=metadata&indices=calls-c&filter_path=metadata.indices.*.state", "", 200, &[("/metadata/indices", r#"{"calls-c":{"state":"close"}}"#)]),
    case("state", "GET /_cluster/state?index=a", "", 400, &[("/error/reason", r#""request [/_cluster/state] contains unrecognized parameter: [index] -> did you mean [indices]?""#)]),
    case("explain", "GET /_cluster/allocation/explain?include_yes_decisions=foo", r#"{"index":"calls-a","shard":"x","primary":true}"#, 400, &[("/error/reason", r#""[1:28] [cluster/allocation/explain] failed to parse field [shard]""#), ("/error/caused_by/reason", r#""For input string: \"x\"""#)]),
    case("explain", "GET /_cluster/allocation/explain", r#"{"index":"calls-a","shard":0.5,"primary":"true"}"#, 200, &[("/current_state", r#""started""#)]),
    case("explain", "GET /_cluster/allocation/explain", r#"{"index":"calls-a","shard":-1,"primary":true}"#, 404, &[("/error/shard", r#""-1""#)]),
    case("explain", "GET /_cluster/allocation/explain", r#"{"index":["calls-a"]}"#, 400, &[("/error/reason", r#""[1:10] [cluster/allocation/explain] index doesn't support values of type: START_ARRAY""#)]),
    case("reroute", "POST /_cluster/reroute?dry_run=true", r#"{"commands":["foo"]}"#, 400, &[("/error/reason", r#""[1:14] [cluster_reroute] failed to parse field [commands]""#), ("/error/root_cause/0/reason", r#""allocation command is malformed, got [VALUE_STRING] instead""#)]),
    case("reroute", "POST /_cluster/reroute?dry_run=true", r#"{"commands":[{}]}"#, 400, &[("/error/caused_by/reason", r#""[1:16] unknown field [null]""#)]),
    case("reroute", "POST /_cluster/reroute?dry_run=true", r#"{"commands":[{"cancel":1}]}"#, 400, &[("/error/reason", r#""[1:25] [cluster_reroute] failed to parse field [commands]""#)]),
    case("reroute", "POST /_cluster/reroute?dry_run=true", r#"{"commands":[{"cancel":{"foo":1}},{"bar":1}]}"#, 400, &[("/error/caused_by/reason", r#""[cancel] command does not support field [foo]""#)]),
    case("reroute", "POST /_cluster/reroute?dry_run=true", r#"{"commands":[{"cancel":{"index":"calls-a","shard":0,"node":"none"}},{"foo":{}}]}"#, 400, &[("/error/caused_by/reason", r#""[1:76] unknown field [foo]""#)]),
    case("reroute", "POST /_cluster/reroute?dry_run=true", r#"{"commands":[{"cancel":{"index":"calls-a","shard":"x","node":"a"},"move":1}]}"#, 400, &[("/error/caused_by/type", r#""number_format_exception""#)]),
    case("reroute", "POST /_cluster/reroute", r#"{"dry_run":"x"}"#, 400, &[("/error/reason", r#""[1:12] [cluster_reroute] failed to parse field [dry_run]""#)]),
    case("settings", "PUT /_cluster/settings", r#"{"persistent":{},"transient":null}"#, 400, &[("/error/reason", r#""Failed to load settings from [null]""#), ("/error/root_cause/0/type", r#""parsing_exception""#)]),
    case("settings", "PUT /_cluster/settings", r#"{"persistent":{"action.auto_create_index":"a,-"}}"#, 400, &[("/error/reason", r#""Can't parse [a,-] for setting [action.auto_create_index] must contain an index name after [-]""#), ("/error/suppressed/0/type", r#""illegal_argument_exception""#)]),
    case("settings", "PUT /_cluster/settings", r#"{"persistent":{"cluster.routing.allocation.enable":["a","b"]}}"#, 400, &[("/error/reason", r#""Illegal allocation.enable value [[A, B]]""#)]),
    // Which names are meant, and what is said where none is.
    case("names", "GET /_resolve/index/calls-*,-calls-a", "", 200, &[("/indices", "[]"), ("/aliases/1/name", r#""calls-y""#)]),
    case("names", "GET /_resolve/index/calls-*?expand_wildcards=none", "", 200, &[("/indices", "[]"), ("/aliases", "[]")]),
    case("names", "GET /_resolve/index/calls-*?expand_wildcards=hidden", "", 200, &[("/indices", "[]"), ("/aliases", "[]")]),
    case("names", "GET /_resolve/index/calls-a,calls-a", "", 200, &[("/indices/1/name", r#""calls-a""#)]),
    case("names", "GET /_resolve/index/_all", "", 200, &[("/indices", "[]")]),
    case("names", "GET /_resolve/index/%3Ccalls-c%3E", "", 200, &[("/indices/0/attributes", r#"["closed"]"#)]),
    case("names", "GET /_resolve/index/%3Ccalls-none%3E", "", 404, &[("/error/reason", r#""no such index [calls-none]""#), ("/error/resource.id", "-")]),
    case("names", "GET /_resolve/index/calls-none*?allow_no_indices=false", "", 404, &[("/error/reason", r#""no such index [calls-none*]""#)]),
    case("names", "GET /_calls?expand_wildcards=none", "", 200, &[("", "{}")]),
    case("names", "GET /calls-c/_count?ignore_unavailable=true&allow_no_indices=false", "", 404, &[("/error/reason", r#""no such index [null]""#), ("/error/resource.id", r#""calls-c""#), ("/error/resource.type", r#""index_expression""#)]),
    case("names", "GET /calls-a/_count?routing=", "", 200, &[("/count", "0"), ("/_shards/total", "0")]),
    case("names", "GET /_data_stream/calls-a", "", 200, &[("/data_streams", "[]")]),
    case("names", "GET /_data_stream/calls-a,calls-none", "", 404, &[("/error/index", r#""calls-none""#)]),
    case("names", "GET /_data_stream/calls-x", "", 400, &[("/error/reason", r#""The provided expression [calls-x] matches an alias, specify the corresponding concrete indices instead.""#)]),
    case("names", "GET /calls-h/_mapping/field/*", "", 200, &[("/calls-h/mappings", "{}")]),
    case("people", "GET /calls-a/_settings?human=false&flat_settings=true", "", 200, &[("/calls-a/settings/index.version.created_string", r#""3.8.0""#), ("/calls-a/settings/index.creation_date_string", "-")]),
    case("nodes", "GET /_nodes/stats/os?timeout=foo", "", 400, &[("/error/reason", r#""failed to parse setting [NodesStatsRequest.timeout] with value [foo] as a time value: unit is missing or unrecognized""#)]),
    case("nodes", "GET /_nodes/hot_threads?doc_type=cpu", "", 400, &[("/error/reason", r#""request [/_nodes/hot_threads] contains unrecognized parameter: [doc_type]""#)]),
    case("tasks", "GET /_tasks/foo:bar", "", 400, &[("/error/reason", r#""malformed task id foo:bar""#), ("/error/caused_by/reason", r#""For input string: \"bar\"""#)]),
    case("tasks", "POST /_reindex/foo/_rethrottle", "", 400, &[("/error/reason", r#""malformed task id foo""#)]),
    // Templates keep what they were given.
    case("template", "PUT /_component_template/calls-t", r#"{"template":{"mappings":{"dynamic":false,"properties":{"d.e":{"type":"text","index":"true"}}}}}"#, 200, &[])
        .then(&[("GET /_component_template/calls-t", "/component_templates/0/component_template/template/mappings", r#"{"dynamic":false,"properties":{"d.e":{"type":"text","index":"true"}}}"#)]),
    case("template", "PUT /_template/calls-t", r#"{"index_patterns":"calls-t*","order":null,"aliases":{"z":{"filter":{"foo":{}},"is_hidden":true,"routing":1}}}"#, 200, &[])
        .then(&[("GET /_template/calls-t", "/calls-t/aliases/z", r#"{"filter":{"foo":{}}}"#), ("GET /_template/calls-t", "/calls-t/order", "0")]),
    case("template", "PUT /_template/calls-u", r#"{"index_patterns":"calls-u","order":true}"#, 400, &[("/error/type", r#""number_format_exception""#), ("/error/reason", r#""For input string: \"true\"""#)]),
    case("template", "PUT /_template/calls-u", r#"{"index_patterns":"calls-u","version":null}"#, 400, &[("/error/reason", r#""Malformed [version] value, should be an integer""#)]),
    // Aliases.
    case("alias", "PUT /calls-n", r#"{"aliases":{"z":{"filter":{"term":{}}}}}"#, 400, &[("/error/reason", r#""failed to parse filter for alias [z]""#), ("/error/caused_by/reason", r#""field name is null or empty""#)]),
    // A filter must be one that the index can answer.
    case("alias", "PUT /calls-n", r#"{"aliases":{"z":{"filter":{"range":{"n":{"gte":"x"}}}}},"mappings":{"properties":{"n":{"type":"long"}}}}"#, 400, &[("/error/reason", r#""failed to parse filter for alias [z]""#), ("/error/caused_by/reason", r#""For input string: \"x\"""#)]),
    case("alias", "PUT /calls-a/_alias/z", r#"{"filter":{"terms":{"n":{"index":"calls-a","id":"1","path":"n"}}}}"#, 400, &[("/error/caused_by/reason", r#""async actions are left after rewrite""#)]),
    case("alias", "PUT /calls-a/_alias/calls-z", r#"{"filter":{}}"#, 200, &[]).then(&[("GET /calls-a/_alias/calls-z", "/calls-a/aliases/calls-z", "{}")]),
    case("alias", "POST /_aliases", "[]", 400, &[("/error/reason", r#""[1:1] [aliases] Expected START_OBJECT but was: START_ARRAY""#)]),
    case("alias", "POST /_aliases", r#"{"actions":[{"add":1}]}"#, 400, &[("/error/caused_by/reason", r#""[1:20] [alias_action] add doesn't support values of type: VALUE_NUMBER""#)]),
    case("alias", "POST /_aliases", r#"{"actions":[{"add":{"index":"calls-a","alias":"z","filter":null}}]}"#, 400, &[("/error/caused_by/caused_by/reason", r#""[1:60] [add] filter doesn't support values of type: VALUE_NULL""#)]),
    // Whoever names indexes is shown the state of theirs alone.
    case("state", "GET /_cluster/state/metadata/calls-a", "", 200, &[("/metadata/cluster_uuid_committed", "false"), ("/metadata/templates", "{}"), ("/metadata/index-graveyard/tombstones", "[]")]),
    case("tasks", "GET /_tasks/foo:bar:1", "", 400, &[("/error/caused_by/reason", r#""For input string: \"bar:1\"""#)]),
    case("settings", "PUT /calls-a/_settings", r#"{"index.write.wait_for_active_shards":2}"#, 400, &[("/error/reason", r#""invalid index.write.wait_for_active_shards[2]: cannot be greater than number of shard copies [1]""#)]),
    case("settings", "PUT /calls-n", r#"{"settings":{"index.write.wait_for_active_shards":3}}"#, 400, &[("/error/reason", r#""invalid index.write.wait_for_active_shards[3]: cannot be greater than number of shard copies [2]""#)]),
    case("settings", "PUT /calls-a/_settings", r#"{"index.indexing.slowlog.source":"foo"}"#, 400, &[("/error/reason", r#""Failed to parse value [foo] as only [true] or [false] are allowed.""#)]),
    // Documents.
    case("get", "GET /calls-none/_doc/1?preference=_foo", "", 404, &[("/error/type", r#""index_not_found_exception""#)]),
    case("get", "GET /calls-a/_doc/1?preference=_foo", "", 400, &[("/error/reason", r#""no Preference for [_foo]""#)]),
    case("get", "POST /calls-a/_mget", r#"{"docs":[{"_id":null}]}"#, 400, &[("/error/reason", r#""Validation Failed: 1: id is missing for doc 0;""#)]),
    case("get", "POST /calls-a/_mget", r#"{"docs":[{"_id":"1","version":"x"}]}"#, 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("get", "POST /calls-a/_mget", r#"{"docs":[{"_id":"1","_index":null},{"_id":""}]}"#, 200, &[("/docs/0/_source/n", "1"), ("/docs/1/error/reason", r#""Ids can't be empty""#)]),
    case("get", "POST /_mget", r#"{"docs":[{"_id":"1","_index":null}]}"#, 400, &[("/error/reason", r#""Validation Failed: 1: index is missing for doc 0;""#)]),
    case("get", "POST /calls-a/_mget", r#"{"docs":[{"_id":"1","foo":{}}]}"#, 400, &[("/error/reason", r#""docs array element should include an object""#)]),
    case("body", "POST /calls-a/_update/1?source={}&source_content_type=application/json", "", 400, &[("/error/reason", r#""request [/calls-a/_update/1] contains unrecognized parameters: [source] -> did you mean [_source]?, [source_content_type]""#)]),
    case("body", "POST /calls-a/_count?source={}&source_content_type=application/json", "{}", 400, &[("/error/reason", r#""request [/calls-a/_count] contains unrecognized parameters: [source], [source_content_type]""#)]),
    case("body", "POST /calls-a/_count?source={}&source_content_type=application/json", "", 200, &[("/count", "2")]),
    // What is wrong with parameters that nobody knows is told after what is wrong with those that are read, and with the lines.
    case("bulk", "POST /_bulk?foo=1", "{\"index\":{\"_id\":[]}}\n{}\n", 400, &[("/error/reason", r#""Malformed action/metadata line [1], expected a simple value for field [_id] but found [START_ARRAY]""#)]),
    case("bulk", "POST /_bulk?foo=1", "{\"delete\":{\"_index\":\"calls-a\"}}\n", 400, &[("/error/reason", r#""request [/_bulk] contains unrecognized parameter: [foo]""#)]),
    case("bulk", "POST /_bulk", "{\"index\":{\"_index\":\"calls-a\",\"if_primary_term\":-1}}\n[]", 400, &[("/error/reason", r#""The bulk request must be terminated by a newline [\\n]""#)]),
    case("bulk", "POST /_bulk", "{\"index\":{\"_index\":\"calls-a\",\"_id\":\"1\",\"version\":1,\"pipeline\":\"\"}}\n{}\n", 400, &[("/error/reason", r#""Validation Failed: 1: internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead;2: pipeline cannot be an empty string;""#)]),
    case("bulk", "POST /_bulk", "{\"create\":{\"_index\":\"calls-a\",\"_id\":\"1\",\"version\":1.5,\"pipeline\":\"\"}}\n{}\n", 400, &[("/error/reason", r#""Validation Failed: 1: create operations do not support explicit versions. use index instead;""#)]),
    case("bulk", "POST /_bulk", "{\"update\":{\"_index\":\"calls-a\",\"_id\":\"1\"}}\n \n", 400, &[("/error/reason", r#""[1:0] [UpdateRequest] Expected START_OBJECT but was: null""#)]),
    case("bulk", "PUT /calls-a/_doc/1?refresh=x&timeout=y", "{}", 400, &[("/error/reason", r#""failed to parse setting [timeout] with value [y] as a time value: unit is missing or unrecognized""#)]),
    case("bulk", "PUT /calls-a/_doc/1?wait_for_active_shards=x&if_primary_term=-1&foo=1", "{}", 400, &[("/error/reason", r#""primary term must be non negative. got [-1]""#)]),
    case("bulk", "POST /calls-a/_update/1?foo=1", r#"{"lang":1}"#, 400, &[("/error/reason", r#""[1:2] [UpdateRequest] unknown field [lang]""#)]),
    case("bulk", "POST /calls-a/_search/point_in_time?allow_partial_pit_creation=x", "", 400, &[("/error/reason", r#""Failed to parse value [x] as only [true] or [false] are allowed.""#)]),
    case("bulk", "POST /_bulk", "{\"update\":{}}\n{\"doc\":{}}\n", 400, &[("/error/reason", r#""Validation Failed: 1: index is missing;2: id is missing;""#)]),
    case("bulk", "POST /_bulk", "{\"update\":{\"_index\":\"calls-a\",\"_id\":\"1\",\"retry_on_conflict\":\"x\"}}\n{\"doc\":{}}\n", 400, &[("/error/type", r#""number_format_exception""#)]),
    case("caps", "GET /calls-c/_field_caps?fields=*", "", 200, &[("/indices", "[]")]),
    case("caps", "POST /calls-a/_field_caps?fields=*", "[]", 400, &[("/error/reason", r#""Expected [START_OBJECT] but found [START_ARRAY]""#)]),
    case("scroll", "GET /_search/scroll/SCROLL?scroll=1m", "", 200, &[("/hits/total/value", "2")]).then(&[("GET /_search/scroll/SCROLL?scroll=1m", "/hits/total/value", "2")]),
    case("contexts", "PUT /called-k/_doc/1", r#"{"given":"x"}"#, 400, &[("/error/type", r#""illegal_argument_exception""#), ("/error/reason", r#""Contexts are mandatory in context enabled completion field [given]""#)]),
    // Mappings.
    case("mapping", "PUT /calls-m", r#"{"mappings":{"properties":{"p":{"type":"geo_point","boost":2,"index_options":"docs"},"c":{"type":"rank_feature","store":true,"similarity":"x"}}}}"#, 200, &[])
        .then(&[("GET /calls-m/_mapping", "/calls-m/mappings/properties", r#"{"c":{"type":"rank_feature"},"p":{"type":"geo_point"}}"#)]),
    case("mapping", "PUT /calls-m", r#"{"mappings":{"properties":{"p":{"type":"geo_point","index_options":"x"}}}}"#, 400, &[("/error/root_cause/0/type", r#""parse_exception""#), ("/error/root_cause/0/reason", r#""failed to parse index option [x]""#)]),
    case("mapping", "PUT /calls-m", r#"{"mappings":{"properties":{"j":{"type":"join","relations":{"a":"b"},"store":true}}}}"#, 400, &[("/error/root_cause/0/reason", r#""Mapping definition for [j] has unsupported parameters:  [store : true]""#)]),
    case("mapping", "PUT /calls-m", r#"{"mappings":{"properties":{"t":{"type":"text","fielddata_frequency_filter":{"min":"0.5"}}}}}"#, 200, &[])
        .then(&[("GET /calls-m/_mapping", "/calls-m/mappings/properties/t/fielddata_frequency_filter", r#"{"min":0.5,"max":2147483647.0,"min_segment_size":0}"#)]),
    case("mapping", "POST /called-k/_search", r#"{"size":0,"aggs":{"t":{"terms":{"field":"often"}},"c":{"cardinality":{"field":"often"}}}}"#, 200, &[("/aggregations/t/buckets", r#"[{"key":"a","doc_count":2}]"#), ("/aggregations/c/value", "1")]),
    case("alias", "PUT /calls-m", r#"{"aliases":{"calls-f":{"filter":{"foo":{}}}}}"#, 400, &[("/error/reason", r#""failed to parse filter for alias [calls-f]""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"date":{"field":"a","formats":["UNIX","UNIX_MS","dd/MM/yyyy"]}}]},"docs":[{"_source":{"a":"1000000000"}}]}"#, 200, &[("/docs/0/doc/_source/@timestamp", r#""1970-01-12T13:46:40.000Z""#)]),
    case("reindex", "POST /_reindex", r#"{"source":{"index":"calls-a","size":null},"dest":{"index":"calls-r"}}"#, 400, &[("/error/caused_by/reason", r#""Unknown key for a VALUE_NULL in [size].""#), ("/error/caused_by/col", "9")]),
    case("reindex", "POST /_reindex", r#"{"source":{"index":"calls-a"},"dest":{"index":"calls-r"},"max_docs":true}"#, 400, &[("/error/reason", r#""[1:69] [reindex] max_docs doesn't support values of type: VALUE_BOOLEAN""#)]),
    case("reindex", "POST /_reindex?require_alias=x&foo=1", r#"{"source":{"index":"calls-a"},"dest":{"index":"calls-r"}}"#, 400, &[("/error/reason", r#""Failed to parse value [x] as only [true] or [false] are allowed.""#)]),
    case("reindex", "POST /_reindex", r#"{"source":{"index":null},"dest":{"index":"calls-r"}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: use _all if you really want to copy from all existing indexes;""#)]),
    case("reindex", "POST /_reindex", r#"{"source":{"index":""},"dest":{}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: use _all if you really want to copy from all existing indexes;2: index must be specified;""#)]),
];

/// Bodies of those who write, copy and make indexes, in which something stands where something else was meant.
#[rustfmt::skip]
const KINDS: &[Case] = &[
    case("get", "POST /calls-a/_mget", r#"{"docs":[{"_id":"1","_source":null,"foo":null},{"_id":"1","_source":"false"},{"_id":"1","_source":{"includes":1}}]}"#, 200, &[("/docs/0/_source/n", "1"), ("/docs/1/_source", "-"), ("/docs/2/_source", "{}")]),
    case("get", "POST /calls-a/_mget", r#"{"docs":[{"_id":"1","_source":["t",null]}]}"#, 500, &[("/error/reason", r#""Can't get text on a VALUE_NULL at 1:36""#)]),
    case("get", "POST /calls-a/_mget", r#"{"docs":[{"_id":"1","_source":{"foo":1}}]}"#, 500, &[("/error/reason", r#""Can't get text on a FIELD_NAME at 1:32""#)]),
    case("bulk", "POST /_bulk", "{\"update\":{\"_index\":\"calls-a\",\"_id\":\"1\",\"_source\":{\"foo\":\"t\"}}}\n{\"doc\":{}}\n", 400, &[("/error/reason", r#""Unknown key for a VALUE_STRING in [foo].""#), ("/error/col", "58")]),
    case("bulk", "POST /_bulk", "{\"update\":{\"_index\":\"calls-a\",\"_id\":\"1\",\"_source\":1}}\n{\"doc\":{}}\n", 400, &[("/error/type", r#""parsing_exception""#), ("/error/col", "51")]),
    case("by query", "POST /calls-a/_update_by_query?q=none", r#"{"script":null,"max_docs":null,"conflicts":null}"#, 200, &[("/total", "0")]),
    case("by query", "POST /calls-a/_update_by_query", r#"{"max_docs":"1"}"#, 500, &[("/error/reason", r#""class java.lang.String cannot be cast to class java.lang.Number (java.lang.String and java.lang.Number are in module java.base of loader 'bootstrap')""#)]),
    case("by query", "POST /calls-a/_update_by_query", r#"{"conflicts":1}"#, 500, &[("/error/type", r#""class_cast_exception""#)]),
    case("by query", "POST /calls-a/_update_by_query", r#"{"script":{"source":"ctx.op='noop'","params":1}}"#, 400, &[("/error/reason", r#""Value must be of type Map: [params]""#)]),
    case("by query", "POST /calls-a/_update_by_query", r#"{"script":{"source":"ctx.op='noop'","options":{"a":1}}}"#, 400, &[("/error/reason", r#""Unrecognized compile-time parameter(s): {a=1}""#)]),
    case("by query", "POST /calls-a/_update_by_query", r#"{"script":{"id":"none","source":"ctx.op='noop'","foo":1}}"#, 200, &[("/noops", "2")]),
    case("by query", "POST /calls-a/_update_by_query?q=none&requests_per_second=1f", "", 200, &[("/requests_per_second", "1.0")]),
    case("by query", "POST /calls-a/_update_by_query?requests_per_second=inf", "", 400, &[("/error/caused_by/reason", r#""For input string: \"inf\"""#)]),
    // An empty routing of a document that is written is none.
    case("write", "PUT /calls-a/_doc/9?routing=", "{}", 201, &[]).then(&[("GET /calls-a/_doc/9", "/_routing", "-")]),
    case("write", "POST /_bulk", "{\"index\":{\"_index\":\"calls-a\",\"_id\":\"9\",\"routing\":\"\"}}\n{}\n", 200, &[("/errors", "false")]).then(&[("GET /calls-a/_doc/9", "/_routing", "-")]),
    case("write", "POST /calls-a/_doc?op_type=index&version=4&version_type=external", "{}", 400, &[("/error/reason", r#""Validation Failed: 1: an id must be provided if version type or value are set;""#)]),
    case("create", "PUT /calls-n", r#"{"aliases":1}"#, 500, &[("/error/reason", r#""class java.lang.Integer cannot be cast to class java.util.Map (java.lang.Integer and java.util.Map are in module java.base of loader 'bootstrap')""#)]),
    case("create", "PUT /calls-n", r#"{"aliases":null}"#, 400, &[("/error/type", r#""not_x_content_exception""#)]),
    case("resize", "POST /calls-a/_shrink/calls-n", r#"{"max_shard_size":1}"#, 400, &[("/error/reason", r#""[1:19] [resize_request] max_shard_size doesn't support values of type: VALUE_NUMBER""#)]),
    case("resize", "POST /calls-a/_shrink/calls-n", r#"{"settings":null}"#, 400, &[("/error/reason", r#""[1:13] [resize_request] settings doesn't support values of type: VALUE_NULL""#)]),
    case("resize", "POST /calls-a/_shrink/calls-n", r#"{"aliases":{"x":1}}"#, 400, &[("/error/reason", r#""[1:18] [resize_request] failed to parse field [aliases]""#), ("/error/caused_by/reason", r#""No alias is specified""#)]),
    case("reindex", "POST /_reindex?wait_for_completion=false", r#"{"source":{"index":"calls-none"},"dest":{"index":"calls-r"}}"#, 200, &[("/task", "*")]),
    case("reindex", "POST /_reindex", r#"{"source":{"index":["calls-a",1]},"dest":{"index":"calls-r"}}"#, 400, &[("/error/caused_by/type", r#""array_store_exception""#)]),
    case("reindex", "POST /_reindex", r#"{"source":{"index":"a","remote":{"host":"localhost"}},"dest":{"index":"calls-r"}}"#, 400, &[("/error/caused_by/caused_by/reason", r#""The port was not defined in the [host]: localhost""#)]),
    case("reindex", "POST /_reindex", r#"{"source":{"index":"calls-a"},"dest":{"index":"calls-x"}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: reindex cannot write into an index its reading from [calls-a];""#)]),
    case("alias", "POST /_aliases", r#"{"actions":["add"]}"#, 400, &[("/error/reason", r#""[1:18] [aliases] failed to parse field [actions]""#), ("/error/root_cause/0/reason", r#""[1:18] [alias_action] Expected START_OBJECT but was: END_ARRAY""#)]),
    case("alias", "POST /_aliases", r#"{"actions":["x",1]}"#, 400, &[("/error/caused_by/reason", r#""[1:17] [alias_action] Expected START_OBJECT but was: VALUE_NUMBER""#)]),
    case("alias", "POST /_aliases", r#"{"actions":[[]]}"#, 400, &[("/error/caused_by/reason", r#""expected value but got [START_ARRAY]""#)]),
    case("alias", "POST /_aliases", r#"{"actions":["x",{"add":{"index":"calls-a","alias":"calls-q"}}]}"#, 200, &[]).then(&[("GET /calls-a/_alias/calls-q", "/calls-a/aliases/calls-q", "{}")]),
    case("alias", "POST /_aliases", r#"{"actions":[{"add":{"index":"calls-a","alias":"x"},"remove":{"index":"calls-a","alias":"x"}}]}"#, 400, &[("/error/reason", r#""[1:92] [aliases] failed to parse field [actions]""#), ("/error/caused_by/caused_by/reason", r#""Too many operations declared on operation entry""#)]),
    case("alias", "POST /_aliases", r#"{"actions":[{"add":{"index":"calls-a","alias":"x","routing":true}}]}"#, 400, &[("/error/root_cause/0/reason", r#""[1:61] [add] routing doesn't support values of type: VALUE_BOOLEAN""#)]),
    case("rollover", "POST /calls-a/_rollover", r#"{"conditions":{"max_size":1}}"#, 400, &[("/error/caused_by/reason", r#""[1:27] [conditions] max_size doesn't support values of type: VALUE_NUMBER""#)]),
    case("rollover", "POST /calls-a/_rollover", r#"{"conditions":{"max_foo":1}}"#, 400, &[("/error/caused_by/reason", r#""[1:16] [conditions] unknown field [max_foo] did you mean any of [max_docs, max_age]?""#)]),
    case("rollover", "POST /calls-o/_rollover", r#"{"conditions":{"max_docs":0.5,"max_age":"1ms","max_size":"1tb"}}"#, 200, &[("/rolled_over", "true")])
        .then(&[("GET /_cluster/state/metadata/calls-o-1", "/metadata/indices/calls-o-1/rollover_info/calls-o/met_conditions", r#"{"max_age":"1ms","max_docs":0}"#)]),
    case("template", "PUT /_template/calls-u", r#"{"index_patterns":["calls-u",null]}"#, 500, &[("/error/type", r#""null_pointer_exception""#), ("/error/reason", "null")]),
    case("template", "PUT /_template/calls-u", r#"{"index_patterns":["calls-u"],"mappings":1}"#, 500, &[("/error/type", r#""class_cast_exception""#)]),
    case("template", "PUT /_template/calls-u", r#"{"index_patterns":["calls-v*","b"],"aliases":{"b":{}}}"#, 400, &[("/error/reason", r#""alias [b] cannot be the same as any pattern in [calls-v*, b]""#)]),
    case("template", "PUT /_index_template/calls-u", r#"{"index_patterns":["calls-u*",null]}"#, 400, &[("/error/caused_by/reason", r#""Can't get text on a VALUE_NULL at 1:31""#)]),
    case("template", "PUT /_index_template/calls-u", r#"{"index_patterns":["calls-u*"],"data_stream":null}"#, 400, &[("/error/reason", r#""[1:46] [index_template] data_stream doesn't support values of type: VALUE_NULL""#)]),
    case("template", "PUT /_index_template/calls-u", r#"{"index_patterns":["calls-u*"],"context":{"name":"x"}}"#, 400, &[("/error/type", r#""invalid_index_template_exception""#)]),
    case("template", "PUT /_index_template/calls-s", r#"{"index_patterns":["calls-w*"]}"#, 400, &[("/error/reason", r#""composable template [calls-s] with index patterns [calls-w*], priority [null] and no data stream configuration would cause data streams [calls-s] to no longer match a data stream template""#)]),
    case("template", "POST /_index_template/_simulate_index/calls-v1?create=true&cause=x", r#"{"index_patterns":["calls-v*"],"priority":50}"#, 200, &[("/template/settings", "{}")]),
    case("settings", "PUT /_cluster/settings", r#"{"transient":1}"#, 500, &[("/error/type", r#""class_cast_exception""#)]),
    case("ingest", "PUT /_ingest/pipeline/calls-p", r#"{"processors":[{"set":null}]}"#, 400, &[("/error/reason", r#""the config of processor [set] cannot be null""#)]),
    case("ingest", "PUT /_ingest/pipeline/calls-p", r#"{"processors":[]}x"#, 200, &[]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"dot_expander":{"field":"c.d","path":"a"}}]},"docs":[{"_source":{"a":1}},{"_source":{"a":{"c":3}}},{"_source":{"a":null}}]}"#, 200, &[("/docs/0/error/reason", r#""field [a] of type [java.lang.Integer] cannot be cast to [java.util.Map]""#), ("/docs/1/doc/_source", r#"{"a":{"c":3}}"#), ("/docs/2/error/type", r#""null_pointer_exception""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"kv":{"field":"a","field_split":" ","value_split":"=","trim_key":"a"}}]},"docs":[{"_source":{"a":"a=1 c"}}]}"#, 200, &[("/docs/0/error/reason", r#""path cannot be null nor empty""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"remove":{"exclude_field":"a"}}]},"docs":[{"_source":{"a":1,"b":2}},{"_source":{"a":1,"b.c":2}}]}"#, 200, &[("/docs/0/doc/_source", r#"{"a":1}"#), ("/docs/1/error/reason", r#""field [b] not present as part of path [b.c]""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate?verbose=true", r#"{"pipeline":{"processors":[{"set":{"field":"a","value":1},"drop":{}}]},"docs":[{"_source":{}}]}"#, 200, &[("/docs/0/processor_results", r#"[{"processor_type":"drop","status":"dropped"}]"#)]),
    case("ingest", "PUT /_ingest/pipeline/calls-p", r#"{"processors":[{"date_index_name":{"field":"a","date_rounding":"d","date_formats":["fooo"]}}]}"#, 500, &[("/error/reason", r#""java.lang.IllegalArgumentException: Invalid format: [fooo]: Unknown pattern letter: f""#), ("/error/processor_type", r#""date_index_name""#), ("/error/caused_by/type", r#""illegal_argument_exception""#)]),
    case("ingest", "PUT /_ingest/pipeline/calls-p", r#"{"processors":[{"grok":{"field":"a","patterns":["("]}}]}"#, 400, &[("/error/reason", r#""[patterns] Invalid regex pattern found in: [(]. end pattern with unmatched parenthesis""#)]),
    case("bulk", "POST /_bulk", "{\"index\":{\"_index\":\"calls-s\",\"_id\":\"1\"}}\n{\"@timestamp\":1}\n", 200, &[("/items/0/index/_index", r#""calls-s""#), ("/items/0/index/status", "400")]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"sort":{"field":"a"}}]},"docs":[{"_source":{"a":[null,1]}},{"_source":{"a":[1,null]}}]}"#, 200, &[("/docs/0/error/reason", r#""Cannot read field \"value\" because \"anotherInteger\" is null""#), ("/docs/1/error/reason", r#""Cannot invoke \"java.lang.Comparable.compareTo(Object)\" because \"a[runHi]\" is null""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"join":{"field":"a","separator":"-"}}]},"docs":[{"_source":{"a":[1,null]}}]}"#, 200, &[("/docs/0/error/type", r#""null_pointer_exception""#), ("/docs/0/error/reason", "null")]),
    case("streams", "PUT /calls-s/_create/1?routing=k", r#"{"@timestamp":"2020-01-01"}"#, 400, &[("/error/reason", r#""index request targeting data stream [calls-s] specifies a custom routing. target the backing indices directly or remove the custom routing.""#)]),
    case("streams", "POST /calls-s/_bulk", "{\"index\":{\"_id\":\"5\"}}\n{}\n{\"create\":{}}\n{\"@timestamp\":\"2020-01-01\"}\n{\"index\":{\"_id\":\"5\"}}\n{}\n", 200, &[("/items/0/index/_index", r#""calls-s""#), ("/items/2/index/_index", r#"".ds-calls-s-000001""#)]),
    case("tasks", "GET /_tasks?group_by=none&actions=cluster:monitor/tasks/lists*", "", 200, &[("/tasks/1/action", r#""cluster:monitor/tasks/lists[n]""#), ("/tasks/1/type", r#""direct""#)]),
    case("reindex", "POST /_reindex", r#"{"source":{"index":"calls-a"},"dest":{"index":"calls-n"},"script":{"source":"if (ctx._index != 'calls-a') { throw new IllegalArgumentException(ctx._index) }"}}"#, 200, &[("/total", "2"), ("/failures", "[]")]),
    case("aliases", "PUT /_alias/calls-last", r#"{"index":["calls-none","calls-a"]}"#, 200, &[("/acknowledged", "true")]),
    case("settings", "PUT /calls-k", r#"{"settings":{"index.merge.policy.floor_segment":0}}"#, 400, &[("/error/reason", r#""floorSegmentMB must be > 0.0 (got 0.0)""#)]),
    case("cat", "GET /_cat/thread_pool/get,search?h=name,twt&time=ms&format=json", "", 200, &[("", r#"[{"name":"get","twt":"0"},{"name":"search","twt":"0"}]"#)]),
];

fn set_up_kinds(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /_data_stream/calls-*", "");
    server.ask("DELETE /calls-*?expand_wildcards=all", "");
    server.ok("PUT /calls-a", r#"{"settings":{"number_of_replicas":0},"aliases":{"calls-x":{}}}"#);
    server.ok("PUT /calls-a/_doc/1?refresh=true", r#"{"n":1}"#);
    server.ok("PUT /calls-a/_doc/2?refresh=true", r#"{"n":2}"#);
    server.ok("PUT /calls-o-1", r#"{"settings":{"number_of_replicas":0},"aliases":{"calls-o":{}}}"#);
    server.ok("PUT /_index_template/calls-s", r#"{"index_patterns":["calls-s*"],"data_stream":{}}"#);
    server.ok("PUT /_data_stream/calls-s", "");
    vec![]
}

/// What a block of metadata keeps from being read, and what it does not.
#[rustfmt::skip]
const BLOCKED: &[Case] = &[
    case("blocks", "POST /calls-b/_flush", "", 200, &[("/_shards/successful", "1")]),
    case("blocks", "POST /calls-b/_refresh", "", 200, &[("/_shards/successful", "1")]),
    case("blocks", "POST /calls-b/_cache/clear", "", 403, &[("/error/type", r#""cluster_block_exception""#)]),
    case("blocks", "GET /calls-b/_mapping/field/n", "", 404, &[("", "{}")]),
    case("blocks", "GET /calls-b/_segments", "", 403, &[("/error/type", r#""cluster_block_exception""#)]),
    case("blocks", "GET /calls-b/_recovery", "", 403, &[("/error/type", r#""cluster_block_exception""#)]),
    case("blocks", "GET /calls-b/_shard_stores", "", 403, &[("/error/type", r#""cluster_block_exception""#)]),
    case("blocks", "GET /calls-b/_search_shards", "", 403, &[("/error/type", r#""cluster_block_exception""#)]),
    case("blocks", "GET /_cat/indices/calls-b", "", 403, &[("/error/type", r#""cluster_block_exception""#)]),
    case("blocks", "PUT /calls-b", "", 403, &[("/error/reason", r#""index [calls-b] blocked by: [FORBIDDEN/9/index metadata (api)];""#)]),
];

fn set_up_blocked(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("PUT /calls-b/_settings", r#"{"index.blocks.metadata":null}"#);
    server.ask("DELETE /calls-b", "");
    server.ok("PUT /calls-b", r#"{"settings":{"number_of_replicas":0,"index.blocks.metadata":true}}"#);
    vec![]
}

fn set_up(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /calls-*,called-*?expand_wildcards=all", "");
    server.ok("PUT /calls-a", r#"{"settings":{"number_of_replicas":0},"aliases":{"calls-x":{},"calls-y":{}}}"#);
    server.ok("PUT /calls-a/_doc/1?refresh=true", r#"{"n":1}"#);
    server.ok("PUT /calls-a/_doc/2?refresh=true", r#"{"n":2}"#);
    server.ok("PUT /calls-h", r#"{"settings":{"number_of_replicas":0,"index.hidden":true}}"#);
    server.ok("PUT /calls-c", r#"{"settings":{"number_of_replicas":0}}"#);
    server.ok("POST /calls-c/_close", "");
    let often = r#"{"type":"text","fielddata":true,"fielddata_frequency_filter":{"min":2}}"#;
    let given = r#"{"type":"completion","contexts":[{"name":"c","type":"category"}]}"#;
    let settings = r#"{"number_of_replicas":0,"number_of_shards":1}"#;
    let mapping =
        format!(r#"{{"settings":{settings},"mappings":{{"properties":{{"often":{often},"given":{given}}}}}}}"#);
    server.ok("PUT /called-k", &mapping);
    server.ok(
        "POST /called-k/_bulk?refresh=true",
        "{\"index\":{}}\n{\"often\":\"a b\"}\n{\"index\":{}}\n{\"often\":\"a c\"}\n",
    );
    let page = server.ok("POST /calls-a/_search?scroll=1m&size=1", "");
    vec![("SCROLL", page["_scroll_id"].as_str().expect("a scroll has an id").to_owned())]
}

#[test]
fn calls_in_other_ways() {
    let server = Server::start("rows-calls");
    server.run(CASES, set_up);
    server.run(KINDS, set_up_kinds);
    server.run(BLOCKED, set_up_blocked);
    server.ok("PUT /calls-b/_settings", r#"{"index.blocks.metadata":null}"#);
}

/// The forms of bodies and answers.
#[test]
fn media_types() {
    let server = Server::start("rows-media");
    let lines = "{\"index\":{\"_index\":\"calls-m\",\"_id\":\"1\"}}\n{}\n";
    let cases = [
        (
            "POST /_bulk",
            "Content-Type: application/yaml",
            lines,
            406,
            "Content-Type [YAML] does not support stream parsing",
        ),
        (
            "POST /_msearch",
            "Content-Type: application/cbor",
            lines,
            406,
            "Content-Type [CBOR] does not support stream parsing",
        ),
        ("GET /_cluster/health", "Content-Type: foo", "", 400, "invalid Content-Type header [foo]"),
        ("GET /_cluster/health", "Content-Type: text/plain", "", 200, "\"timed_out\":false"),
        ("GET /_cluster/health", "Content-Type: application/yaml", "", 200, "timed_out: false"),
        ("GET /_cluster/health?format=nons", "Accept: application/yaml", "", 200, "timed_out: false"),
        ("GET /_cluster/health?format=Yaml", "Accept: application/json", "", 200, "timed_out: false"),
        ("GET /_cat/health?format=application/json&h=timestamp&ts=false", "Accept: application/json", "", 200, "\n"),
    ];
    for (request, header, body, status, holds) in cases {
        let (method, path) = request.split_once(' ').unwrap();
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: x\r\n{header}\r\nContent-Length: {length}\r\n\r\n{body}");
        let mut client = server.client();
        client.send_raw(head.as_bytes()).unwrap();
        let (_, response) = client.read_with_head().unwrap();
        let shown = String::from_utf8_lossy(&response.body).into_owned();
        assert!(response.status == status && shown.contains(holds), "{request} {header}: {} {shown}", response.status);
    }
}
