//! Calls that few clients make, and what is said of requests that are not quite right.

use super::{Case, Server, case};

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Views. The reference makes one and never answers, so there is none for it here.
    case("views", "GET /views", "", 200, &[("/views", "[\"calls\"]")]).overruled(),
    case("views", "GET /views/calls", "", 200, &[("/view/name", r#""calls""#), ("/view/targets", r#"[{"indexPattern":"surface-*"}]"#), ("/view/createdAt", "*")]).overruled(),
    case("views", "GET /views/other", "", 404, &[("/error/type", r#""view_not_found_exception""#), ("/error/reason", r#""View [other] does not exist""#)]),
    case("views", "PUT /views/calls", r#"{"description":"d","targets":[{"indexPattern":"surface-a"}]}"#, 200, &[("/view/description", r#""d""#)])
        .then(&[("GET /views/calls", "/view/targets", r#"[{"indexPattern":"surface-a"}]"#)]).overruled(),
    case("views", "PUT /views/other", r#"{"targets":[{"indexPattern":"a"}]}"#, 404, &[("/error/type", r#""view_not_found_exception""#)]),
    case("views", "POST /views", "{}", 400, &[("/error/reason", r#""Required [name, targets]""#)]),
    case("views", "POST /views", r#"{"name":"v","targets":[]}"#, 400, &[("/error/reason", r#""Validation Failed: 1: targets cannot be empty;""#)]),
    case("views", "POST /views", r#"{"name":"v","targets":[{"index_pattern":"a"}]}"#, 400, &[("/error/root_cause/0/reason", r#""[1:25] [target] unknown field [index_pattern] did you mean [indexPattern]?""#), ("/error/reason", r#""[1:41] [create_view_request] failed to parse field [targets]""#)]),
    case("views", "POST /views", r#"{"name":"calls","targets":[{"indexPattern":"a"}]}"#, 400, &[("/error/type", r#""view_already_exists_exception""#)]).overruled(),
    case("views", "DELETE /views/calls", "", 200, &[("/acknowledged", "true")]).then(&[("GET /views", "/views", "[]")]).overruled(),
    case("views", "DELETE /views/other", "", 404, &[("/error/type", r#""view_not_found_exception""#)]),
    case("views", "POST /views/calls/_search?index=other", r#"{"query":{"term":{"k":"a"}}}"#, 200, &[("/hits/total/value", "2")]).overruled(),
    case("views", "GET /views/other/_search", "", 404, &[("/error/type", r#""view_not_found_exception""#)]),
    case("views", "GET /views/calls/_search?foo=1", "", 400, &[("/error/reason", r#""request [/views/calls/_search] contains unrecognized parameter: [foo]""#)]),
    // Weights of attributes.
    case("weights", "GET /_cluster/routing/awareness/zone/weights", "", 400, &[("/error/reason", r#""Validation Failed: 1: invalid awareness attribute zone requested for weighted routing;""#)]),
    case("weights", "PUT /_cluster/routing/awareness/zone/weights", r#"{"weights":{"a":"1"},"_version":-1}"#, 400, &[("/error/type", r#""action_request_validation_exception""#)]),
    case("weights", "PUT /_cluster/routing/awareness/rack/weights", r#"{"weights":{"a":"1","b":"0"},"_version":-1}"#, 200, &[("/acknowledged", "true")])
        .then(&[("GET /_cluster/routing/awareness/rack/weights", "/weights", r#"{"a":"1.0","b":"0.0"}"#), ("GET /_cluster/state/metadata", "/metadata/weighted_shard_routing/awareness/rack/a", "1.0")]).overruled(),
    case("weights", "PUT /_cluster/routing/awareness/rack/weights", r#"{"weights":{"a":"1"},"_version":70}"#, 409, &[("/error/type", r#""unsupported_weighted_routing_state_exception""#)]),
    case("weights", "PUT /_cluster/routing/awareness/rack/weights", r#"{"weights":{"a":"0"},"_version":0}"#, 400, &[("/error/reason", r#""Validation Failed: 1: There are too many attribute values [{a=0.0}] given zero weight [1]. Maximum expected number of routing weights having zero weight is [0];""#)]),
    case("weights", "PUT /_cluster/routing/awareness/rack/weights", r#"{"weights":{"a":"1"}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: Version is missing;""#)]),
    case("weights", "DELETE /_cluster/routing/awareness/rack/weights", r#"{"_version":70}"#, 409, &[("/error/type", r#""unsupported_weighted_routing_state_exception""#)]),
    case("decommission", "PUT /_cluster/decommission/awareness/zone/a", "", 400, &[("/error/reason", r#""[DecommissionAttribute{attributeName='zone', attributeValue='a'}] invalid awareness attribute requested for decommissioning""#)]),
    case("decommission", "DELETE /_cluster/decommission/awareness", "", 200, &[("/acknowledged", "true")]),
    // Groups of work.
    case("wlm", "GET /_wlm/stats", "", 200, &[("/_nodes/successful", "1")]),
    case("wlm", "GET /_wlm/stats/foo", "", 200, &[("/_nodes/failed", "1"), ("/_nodes/failures/0/caused_by/reason", r#""WorkloadGroup with id foo does not exist""#)]),
    case("wlm", "GET /_list/wlm_stats?format=json", "", 200, &[("/0/WORKLOAD_GROUP_ID", r#""DEFAULT_WORKLOAD_GROUP""#), ("/1/NODE_ID", r#""No more pages available""#)]),
    case("wlm", "GET /_list/wlm_stats?size=101", "", 400, &[("/error/reason", r#""Invalid value for 'size'. Allowed range: 1 to 100""#)]),
    case("wlm", "GET /_list/wlm_stats?sort=foo", "", 400, &[("/error/caused_by/reason", r#""Invalid sort field: foo. Allowed values: workload_group, node_id""#)]),
    // What scripts can name.
    case("context", "GET /_scripts/painless/_context", "", 200, &[("/contexts/0", r#""aggregation_selector""#), ("/contexts/7", r#""bucket_aggregation""#), ("/contexts/26", r#""update""#)]),
    case("context", "GET /_scripts/painless/_context?context=score", "", 200, &[("/name", r#""score""#), ("/classes/3/name", r#""double""#), ("/classes/0/methods", "[]"), ("/imported_methods/1/name", r#""sigmoid""#), ("/class_bindings/0", r#"{"declaring":"org.opensearch.script.ScoreScriptUtils$DecayDateExp","name":"decayDateExp","return":"double","read_only":4,"parameters":["java.lang.String","java.lang.String","java.lang.String","double","java.time.ZonedDateTime"]}"#), ("/instance_bindings", "[]")]),
    case("context", "GET /_scripts/painless/_context?context=derived_field", "", 200, &[("/class_bindings/0/parameters", r#"["org.opensearch.script.DerivedFieldScript","java.lang.Object"]"#), ("/imported_methods", "[]")]),
    case("context", "GET /_scripts/painless/_context?context=template", "", 200, &[("/name", r#""template""#), ("/classes/0/name", r#""boolean""#)]),
    case("context", "GET /_scripts/painless/_context?context=nope", "", 400, &[("/error/reason", r#""script context [nope] not found""#)]),
    case("context", "GET /_scripts/painless/_context?name=score", "", 400, &[("/error/reason", r#""request [/_scripts/painless/_context] contains unrecognized parameter: [name]""#)]),
    case("context", "PUT /_scripts/grouping/context_aware_grouping", r#"{"script":{"lang":"painless","source":"return ctx.a + ''"}}"#, 200, &[("/acknowledged", "true")]),
    case("context", "PUT /_scripts/grouping/context_aware_grouping", r#"{"script":{"lang":"painless","source":"params.a"}}"#, 400, &[("/error/caused_by/reason", r#""cannot resolve symbol [params.a]""#)]),
    case("context", "POST /_scripts/painless/_execute", r#"{"script":{"source":"Processors.bytes('1kb')"}}"#, 400, &[("/error/caused_by/reason", r#""cannot resolve symbol [Processors]""#)]),
    case("context", "POST /_scripts/painless/_execute", r#"{"script":{"id":"x"},"context":"score"}"#, 400, &[("/error/reason", r#""Validation Failed: 1: only inline scripts are supported;2: index is a required parameter for current context;3: document is a required parameter for current context;""#)]),
    case("context", "POST /_scripts/painless/_execute", r#"{"script":"1"}"#, 400, &[("/error/reason", r#""[1:11] [painless_execute_request] script doesn't support values of type: VALUE_STRING""#)]),
    // What lies elsewhere.
    case("remote", "GET /_remotestore/stats/surface-a", "", 200, &[("/_shards/total", "0")]),
    case("remote", "GET /_remotestore/metadata/surface-a", "", 200, &[("/_shards/failed", "1"), ("/_shards/failures/0/reason/reason", r#""Remote store not enabled for index""#)]),
    case("remote", "POST /_remotestore/_restore", "", 400, &[("/error/reason", r#""Validation Failed: 1: indices are missing;""#)]),
    case("remote", "POST /_filecache/prune", "", 200, &[("/total_pruned_bytes", "0")]),
    case("remote", "POST /surface-a/_scale", r#"{"search_only":true}"#, 400, &[("/error/reason", r#""To scale to zero, index.remote_store.enabled must be enabled for index: surface-a""#)]),
    case("remote", "POST /surface-a/_scale", r#"{"foo":true}"#, 400, &[("/error/reason", r#""Unknown parameter [foo]. Only [search_only] is allowed.""#)]),
    // Templates of queries.
    case("template", "POST /surface-a/_search?search_pipeline=fill", r#"{"query":{"template":{"term":{"k":"${x}"}}}}"#, 200, &[("/hits/total/value", "2")]),
    case("template", "POST /surface-a/_search?search_pipeline=fill", r#"{"query":{"bool":{"filter":[{"template":{"template":{"terms":{"n":"${l}"}}}}]}}}"#, 200, &[("/hits/total/value", "2")]),
    case("template", "POST /surface-a/_search?search_pipeline=fill", r#"{"size":0,"aggs":{"a":{"filter":{"template":{"term":{"k":"${x}"}}}}}}"#, 200, &[("/aggregations/a/doc_count", "2")]),
    case("template", "POST /surface-a/_search?search_pipeline=fill", r#"{"query":{"template":{"term":{"k":"${y}"}}}}"#, 400, &[("/error/reason", r#""Variable not found: y""#)]),
    case("template", "POST /surface-a/_search", r#"{"query":{"template":{"term":{"k":"${x}"}}}}"#, 200, &[("/hits/total/value", "0")]),
    case("template", "POST /surface-a/_search", r#"{"query":{"template":{"foo":{}}}}"#, 400, &[("/error/reason", r#""Failed to rewrite template query: {\"foo\":{}}""#)]),
    case("template", "POST /surface-a/_search", r#"{"query":{"template":{}}}"#, 400, &[("/error/reason", r#""Template string cannot be empty. A valid template must be provided.""#)]),
    // Aliases that are missing.
    case("aliases", "POST /_aliases", r#"{"actions":[{"remove":{"index":"surface-a","aliases":["z","y"]}},{"remove":{"index":"surface-a","alias":"x"}}]}"#, 404, &[("/error/reason", r#""aliases [x, y, z] missing""#), ("/error/resource.id", r#"["x","y","z"]"#)]),
    case("aliases", "POST /_aliases", r#"{"actions":[{"remove":{"index":"surface-a","alias":"x"}},{"add":{"index":"surface-a","alias":"w"}}]}"#, 200, &[("/acknowledged", "true")]),
    case("aliases", "POST /_aliases", r#"{"actions":[{"remove":{"index":"surface-a","alias":"x","must_exist":true}},{"add":{"index":"surface-a","alias":"w"}}]}"#, 404, &[("/error/resource.id", r#""x""#)]),
    case("aliases", "DELETE /surface-a/_alias/y,x", "", 404, &[("/error/reason", r#""aliases [x, y] missing""#)]),
    // One thing each.
    case("create", "POST /surface-a/_create/9?op_type=index", "{}", 400, &[("/error/reason", r#""opType must be 'create', found: [index]""#)]),
    case("reindex", "POST /_reindex?pipeline=p", r#"{"source":{"index":"surface-a"},"dest":{"index":"surface-b"}}"#, 400, &[("/error/reason", r#""_reindex doesn't support [pipeline] as a query parameter. Specify it in the [dest] object instead.""#)]),
    case("reindex", "POST /_reindex", r#"{"source":{"index":"surface-a"},"dest":{"index":"surface-b"},"script":{"source":"ctx.remove('op')"}}"#, 400, &[("/error/reason", r#""Script cleared operation type""#)]),
    case("by query", "POST /surface-a/_delete_by_query?slices=2", r#"{"query":{"match_all":{}},"slice":{"id":0,"max":2}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: can't specify both manual and automatic slicing at the same time;""#)]),
    case("by query", "POST /surface-a/_delete_by_query?batched_reduce_size=5&explain=true&track_scores=true", r#"{"query":{"term":{"k":"z"}}}"#, 200, &[("/deleted", "0")]),
    case("by query", "POST /surface-a/_delete_by_query?batched_reduce_size=1", r#"{"query":{"term":{"k":"z"}}}"#, 400, &[("/error/reason", r#""batchedReduceSize must be >= 2""#)]),
    case("open", "POST /_close", "", 400, &[("/error/reason", r#""Validation Failed: 1: index is missing;""#)]),
    case("scripts", "PUT /_scripts/a%23b", r#"{"script":{"lang":"painless","source":"1"}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: id cannot contain '#' for stored script;""#)]),
    case("templates", "DELETE /_component_template/a,b", "", 404, &[("/error/reason", r#""index_template [a,b] missing""#)]),
    case("templates", "PUT /_component_template/a", r#"{"template":{"foo":1}}"#, 400, &[("/error/reason", r#""[1:20] [component_template] failed to parse field [template]""#), ("/error/caused_by/reason", r#""[1:14] [template] unknown field [foo]""#)]),
    case("stats", "GET /nothing-*/_stats", "", 200, &[("/_all", r#"{"primaries":{},"total":{}}"#)]),
    case("stats", "GET /_cluster/stats?human", "", 200, &[("/indices/segments/fixed_bit_set", "*"), ("/nodes/fs/total", "*")]),
    case("stats", "GET /_nodes/stats/indices/search", "", 200, &[("/nodes/*/indices/search/request/took/total", "*"), ("/nodes/*/indices/search/request/can_match/current", "0")]),
    case("stats", "GET /_nodes/stats/admission_control,shard_indexing_pressure,remote_store", "", 200, &[("/nodes/*/admission_control/global_cpu_usage/transport/rejection_count", "{}"), ("/nodes/*/shard_indexing_pressure/enabled", "false"), ("/nodes/*/remote_store/last_successful_fetch_of_pinned_timestamps", "-1"), ("/nodes/*/native_memory/total_estimated_bytes", "*")]),
    case("by query", "POST /surface-a/_update_by_query?version_type=external", "", 400, &[("/error/reason", r#""request [/surface-a/_update_by_query] contains unrecognized parameter: [version_type]""#)]),
    case("stats", "GET /_nodes/stats/_all/docs", "", 400, &[("/error/reason", r#""request [/_nodes/stats/_all/docs] contains index metrics [docs] but all stats requested""#)]),
    case("stats", "GET /_nodes/stats/caches/request_cache", "", 200, &[("/_nodes/successful", "1")]),
    case("stats", "GET /_nodes/stats/caches/foo", "", 400, &[("/error/reason", r#""request [/_nodes/stats/caches/foo] contains unrecognized cache type: [foo]""#)]),
    case("reload", "POST /_nodes/reload_secure_settings", r#"{"foo":""}"#, 400, &[("/error/reason", r#""[1:2] [reload_secure_settings] unknown field [foo]""#)]),
    case("search pipelines", "PUT /_search/pipeline/c", r#"{"response_processors":[{"collapse":{"field":"k","context_prefix":"p"}}]}"#, 400, &[("/error/reason", r#""processor [collapse] doesn't support one or more provided configuration parameters: [context_prefix]""#)]),
    case("explain", "GET /_cluster/allocation/explain", "{}", 200, &[("/current_state", r#""unassigned""#)]),
    case("term vectors", "POST /_mtermvectors", r#"{"docs":[{"_index":"nothing","_id":"1"}]}"#, 200, &[("/docs/0/error/resource.id", "-"), ("/docs/0/error/index", r#""nothing""#)]),
    case("source", "GET /surface-a/_search?source=%7B%7D&source_content_type=foo", "", 400, &[("/error/reason", r#""invalid Content-Type header [foo]""#)]),
    // What the surface says of mistakes.
    case("delete", "DELETE /", "", 400, &[("/error/reason", r#""Validation Failed: 1: index / indices is missing;""#)]),
    case("path", "GET /surface-a/_doc/1%2F2?foo=1", "", 400, &[("/error/reason", r#""request [/surface-a/_doc/1/2] contains unrecognized parameter: [foo]""#)]),
    case("path", "GET /%3Ca%3E/b/c", "", 400, &[("/error", r#""no handler found for uri [/<a>/b/c] and method [GET]""#)]),
    case("settings", "GET /surface-a/_settings/nothing?flat_settings=foo", "", 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("templates", "GET /_index_template/nothing?flat_settings=foo", "", 404, &[("/error/type", r#""resource_not_found_exception""#)]),
    case("templates", "POST /_index_template/_simulate?create=foo", r#"{"index_patterns":["surface-x"]}"#, 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("mapping", "GET /surface-a/_mapping?cluster_manager_timeout=-1", "", 504, &[("/error/reason", r#""Timed out getting mappings""#)]),
    case("stats", "GET /surface-a/_stats?level=CLUSTER", "", 200, &[("/indices", "-")]),
    case("search", "GET /surface-a/_search?typed_keys=foo", "", 200, &[("/timed_out", "false")]),
    case("search", "GET /_search/scroll/abc?rest_total_hits_as_int=foo", "", 400, &[("/error/reason", r#""Cannot parse scroll id""#)]),
    case("upgrade", "GET /surface-a/_upgrade?human", "", 200, &[("/size_to_upgrade", r#""0b""#)]),
    case("settings", "PUT /nothing-*/_settings", r#"{"index.hidden":true}"#, 404, &[("/error/reason", r#""no such index [nothing-*]""#)]),
    case("settings", "PUT /surface-a/_settings", r#"{"number_of_replicas":null}"#, 200, &[("/acknowledged", "true")])
        .then(&[("GET /surface-a/_settings?flat_settings", "/surface-a/settings/index.number_of_replicas", r#""1""#)]),
    case("settings", "PUT /surface-a/_settings", r#"{"index.blocks.reed":true}"#, 400, &[("/error/reason", r#""unknown setting [index.blocks.reed] did you mean any of [index.blocks.read, index.blocks.write, index.blocks.read_only, index.blocks.metadata]?""#)]).overruled(),
    case("settings", "PUT /surface-n", r#"{"settings":{"soft_deletes.enabled":false}}"#, 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("settings", "PUT /surface-n?wait_for_active_shards=0", r#"{"settings":{"replication.type":"SEGMENT"}}"#, 200, &[("/acknowledged", "true")]),
    case("settings", "PUT /surface-m", r#"{"settings":{"replication.type":"segment"}}"#, 400, &[("/error/reason", r#""Could not parse ReplicationStrategy for [segment]""#)]),
    case("block", "PUT /surface-a/_block/read_only_allow_delete", "", 400, &[("/error/type", r#""action_request_validation_exception""#)]),
    case("mapping", "GET /nothing-*/_mapping/field/k", "", 404, &[("", "{}")]),
    case("aliases", "PUT /nothing-*/_alias/w", "", 404, &[("/error/reason", r#""no such index [nothing-*]""#)]),
    case("aliases", "PUT /surface-a/_alias/w", r#"{"is_write_index":"foo"}"#, 400, &[("/error/reason", r#""Failed to parse value [foo] as only [true] or [false] are allowed.""#)]),
    case("templates", "PUT /_component_template/a", r#"{"template":{"settings":1}}"#, 400, &[("/error/reason", r#""[1:25] [component_template] failed to parse field [template]""#), ("/error/root_cause/0/reason", r#""[1:25] [template] settings doesn't support values of type: VALUE_NUMBER""#)]),
    case("templates", "PUT /_component_template/a", r#"{"template":{},"version":"a"}"#, 400, &[("/error/reason", r#""[1:26] [component_template] failed to parse field [version]""#), ("/error/caused_by/reason", r#""For input string: \"a\"""#)]),
    case("templates", "PUT /_index_template/a", r#"{"index_patterns":["surface-zz*"],"data_stream":{"timestamp_field":{}}}"#, 400, &[("/error/reason", r#""[1:69] [index_template] failed to parse field [data_stream]""#), ("/error/caused_by/caused_by/reason", r#""Required [name]""#)]),
    case("templates", "PUT /_index_template/a", r#"{"index_patterns":["surface-zz*"],"template":{"mappings":{"properties":{"a":{"type":"text","analyzer":"foo"}}}}}"#, 400, &[("/error/reason", r#""composable template [a] template after composition is invalid""#), ("/error/caused_by/caused_by/reason", r#""Failed to parse mapping [_doc]: analyzer [foo] has not been configured in mappings""#)]),
    case("templates", "PUT /_template/a", r#"{"index_patterns":["surface-zz*"],"settings":{"uuid":"a"}}"#, 400, &[("/error/type", r#""invalid_index_template_exception""#)]),
    case("health", "GET /_cluster/health/surface-a?wait_for_relocating_shards=0", "", 400, &[("/error/reason", r#""wait_for_relocating_shards has been removed, use wait_for_no_relocating_shards [true/false] instead""#)]),
    case("cat", "GET /_cat/segment_replication?completed_only=true", "", 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("cat", "GET /_cat/shards/surface-a?format=json&h=recoverysource.type&s=prirep:desc", "", 200, &[("/0/recoverysource.type", r#""peer""#)]),
    case("snapshots", "GET /_snapshot/nothing*", "", 404, &[("/error/reason", r#""[nothing*] missing""#)]),
    case("scripts", "PUT /_scripts/s", r#"{"script":"a"}"#, 400, &[("/error/reason", r#""unexpected token [VALUE_STRING], expected [{, <source>]""#), ("/error/col", "11")]),
    case("pipelines", "PUT /_ingest/pipeline/p", r#"{"processors":[{"set":{"field":"{{a","value":1}}]}"#, 400, &[("/error/property_name", r#""field""#)]),
    case("usage", "GET /_nodes/usage/_all,rest_actions", "", 400, &[("/error/reason", r#""request [/_nodes/usage/_all,rest_actions] contains _all and individual metrics [_all,rest_actions]""#)]),
    case("documents", "GET /surface-a/_doc/1?stored_fields=", "", 200, &[("/found", "true"), ("/_source", "-")]),
    case("documents", "POST /surface-a/_mget?stored_fields=k", r#"{"docs":[{"_id":"1","_source":true},{"_id":"1","stored_fields":[]}]}"#, 200, &[("/docs/0/_source/k", r#""a""#), ("/docs/1/_source", "-")]),
    case("by query", "POST /surface-a/_delete_by_query?from=0", r#"{"query":{"term":{"k":"z"}}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: from is not supported in this context;""#)]),
    case("by query", "POST /surface-a/_delete_by_query?scroll=-1", r#"{"query":{"term":{"k":"z"}}}"#, 400, &[("/error/reason", r#""duration cannot be negative, was given [-1000000]""#)]),
    case("health", "GET /_cluster/health/surface-a,nothing?timeout=1ms", "", 408, &[("/status", r#""red""#), ("/active_shards", "1")]),
    case("cat", "GET /_cat/segment_replication?shards=a", "", 400, &[("/error/type", r#""number_format_exception""#)]),
    case("template", "POST /_render/template", r#"{"source":{"a":1},"id":"nothing"}"#, 404, &[("/error/reason", r#""unable to find script [nothing] in cluster state""#)]),
    case("template", "POST /_render/template/nothing", r#"{"source":{"a":1}}"#, 404, &[("/error/type", r#""resource_not_found_exception""#)]),
    // What is decided about commands, on one node.
    case("reroute", "POST /_cluster/reroute?explain&metric=none", r#"{"commands":[{"cancel":{"index":"surface-a","shard":9,"node":"_self"}}]}"#, 400, &[("/error/reason", r#""failed to resolve [_self], no matching nodes""#)]),
    case("reroute", "POST /_cluster/reroute?explain&metric=none", r#"{"commands":[]}"#, 200, &[("/explanations", "[]")]),
    // What fails for the sake of its index names it.
    case("bulk", "POST /_bulk?refresh=true", "{\"index\":{\"_index\":\"surface-r\",\"_id\":\"8\",\"routing\":\"2\"}}\n{}\n{\"index\":{\"_index\":\"surface-r\",\"_id\":\"9\"}}\n{}\n", 200, &[("/items/0/index/_index", r#""surface-a""#), ("/items/0/index/status", "400"), ("/items/1/index/_index", r#""surface-a""#), ("/items/1/index/status", "201")])
        .then(&[("GET /surface-a/_search?routing=1&q=_id:9", "/hits/hits/0/_routing", r#""1""#)]),
    // Documents that are new go to data streams; names of these have no aliases.
    case("streams", "POST /_bulk?refresh=true", "{\"create\":{\"_index\":\"surface-ds1\"}}\n{\"@timestamp\":\"2020-01-01\"}\n{\"index\":{\"_index\":\"surface-ds1\"}}\n{\"@timestamp\":\"2020-01-01\"}\n", 200, &[("/items/0/create/status", "201"), ("/items/1/index/status", "400")])
        .then(&[("GET /surface-ds1/_count", "/count", "1"), ("GET /surface-ds1/_alias", "/status", "404"), ("GET /surface-ds*/_alias", "", "{}")]),
    // What is indexed as it is goes by the pipelines of its index alone.
    case("bulk", "POST /_bulk?pipeline=surface-p", "{\"update\":{\"_index\":\"surface-b\",\"_id\":\"1\"}}\n{\"doc\":{\"a\":1},\"doc_as_upsert\":true}\n{\"update\":{\"_index\":\"surface-b\",\"_id\":\"2\"}}\n{\"doc\":{},\"upsert\":{\"a\":1}}\n", 200, &[("/errors", "false")])
        .then(&[("GET /surface-b/_doc/1", "/_source", r#"{"a":1}"#), ("GET /surface-b/_doc/2", "/_source", r#"{"a":1,"b":2}"#)]),
    case("documents", "PUT /surface-a/_doc/1?wait_for_active_shards=all&timeout=1ms", "{}", 503, &[("/error/reason", r#""[surface-a][0] Not enough active copies to meet shard count of [ALL] (have 1, needed 2). Timeout: [1ms]""#)]),
    case("documents", "GET /surface-a/_doc/1?preference=_only_nodes:foo", "", 400, &[("/error/reason", r#""no data nodes with criteria [foo] found for shard: [surface-a][0]""#)]),
    case("documents", "POST /surface-a/_mget?preference=_only_nodes:foo", r#"{"ids":["1"]}"#, 200, &[("/docs/0/error/type", r#""illegal_argument_exception""#)]),
    case("validate", "GET /_x/_validate/query", "", 200, &[("", r#"{"_shards":{"total":0,"successful":0,"failed":0},"valid":false,"explanations":[{"valid":false,"error":"Invalid index name [_x], must not start with '_'."}]}"#)]),
    case("validate", "GET /surface-c/_validate/query", "", 200, &[("/explanations/0/error", r#""index [surface-c] blocked by: [FORBIDDEN/4/index closed];""#)]),
    case("shards", "GET /surface-a,nothing/_search_shards", "", 200, &[("/indices/surface-a", "*")]),
    case("shards", "GET /nothing/_search_shards", "", 200, &[("", r#"{"nodes":{},"indices":{},"shards":[]}"#)]),
    case("settings", "PUT /_cluster/settings", r#"{"transient":{"cluster.routing.allocation.disk.watermark.low":"95%"}}"#, 400, &[("/error/reason", r#""low disk watermark [95%] more than high disk watermark [90%]""#)]),
    case("settings", "PUT /_cluster/settings", r#"{"transient":{"archived.a":null}}"#, 200, &[("/transient", "{}")]),
    case("templates", "PUT /_template/surface-l", r#"{"index_patterns":["*"],"settings":{"index.hidden":true}}"#, 400, &[("/error/reason", r#""index_template [surface-l] invalid, cause [Validation Failed: 1: global templates may not specify the setting index.hidden;]""#)]),
    case("templates", "PUT /_index_template/surface-i", r#"{"index_patterns":["*"],"priority":9,"template":{"settings":{"index.hidden":true}}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: global composable templates may not specify the setting index.hidden;""#)]),
    case("templates", "PUT /_component_template/surface-i", r#"{"template":{"mappings":{"_doc":{"dynamic":"strict"}}}}"#, 400, &[("/error/reason", r#""Failed to parse mapping [_doc]: Root mapping definition has unsupported parameters:  [_doc : {dynamic=strict}]""#)]),
    case("templates", "POST /_index_template/_simulate_index/surface-z1", r#"{"index_patterns":["surface-z*"],"template":{"aliases":{"a-{index}":{}}}}"#, 200, &[("/template/aliases", r#"{"a-surface-z1":{}}"#)]),
    case("templates", "POST /_index_template/_simulate?create=true", "", 400, &[("/error/reason", r#""request [/_index_template/_simulate] contains unrecognized parameter: [create]""#)]),
    case("mapping", "PUT /surface-*/_mapping?write_index_only=true", r#"{"properties":{}}"#, 400, &[("/error/reason", r#""The index expression [surface-*] and options provided did not point to a single write-index""#)]),
    case("tasks", "POST /_tasks/a:1/_cancel?nodes=a", "", 400, &[("/error/reason", r#""Validation Failed: 1: task id cannot be used together with node ids;""#)]),
    case("tasks", "POST /_tasks/_cancel?parent_task_id=a", "", 400, &[("/error/reason", r#""malformed task id a""#)]),
    case("search", "GET /surface-a/_search?suggest_size=1", "", 400, &[("/error/reason", r#""request [/surface-a/_search] contains unrecognized parameter: [suggest_size] -> did you mean [suggest_field]?""#)]),
    case("aliases", "POST /_aliases", r#"{"actions":{"add":{"index":"surface-a","alias":"w","is_write_index":"true"}}}"#, 200, &[("/acknowledged", "true")])
        .then(&[("GET /_alias/w", "/surface-a/aliases/w/is_write_index", "true")]),
    case("aliases", "POST /_aliases", r#"{"actions":[{"add":{"index":"surface-a","alias":"w","is_hidden":1}}]}"#, 400, &[("/error/root_cause/0/reason", r#""[1:65] [add] is_hidden doesn't support values of type: VALUE_NUMBER""#)]),
    case("stats", "GET /surface-a/_stats/suggest", "", 400, &[("/error/reason", r#""request [/surface-a/_stats/suggest] contains unrecognized metric: [suggest]""#)]),
    // A body that is missing is told before parameters that nobody knows.
    case("body", "POST /_aliases?foo=1", "", 400, &[("/error/reason", r#""request body is required""#)]),
    case("body", "POST /_mget?foo=1", "", 400, &[("/error/reason", r#""request body or source parameter is required""#)]),
    case("body", "POST /surface-a/_rollover?foo=1", "", 400, &[("/error/reason", r#""request [/surface-a/_rollover] contains unrecognized parameter: [foo]""#)]),
    case("rank", "POST /surface-a/_rank_eval?search_type=foo", r#"{"requests":[],"metric":{"precision":{}}}"#, 400, &[("/error/reason", r#""No search type for [foo]""#)]),
    case("stats", "GET /_nodes/stats/search_backpressure,task_cancellation", "", 200, &[("/nodes/*/search_backpressure/search_task/cancellation_stats/cancellation_count", "0"), ("/nodes/*/task_cancellation/search_shard_task/total_count_post_cancel", "0")]),
];

fn set_up(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /surface-*", "");
    server.ask("DELETE /views/calls", "");
    server.ask("DELETE /_data_stream/surface-*", "");
    server
        .ok("PUT /_index_template/surface-ds", r#"{"index_patterns":["surface-ds*"],"priority":500,"data_stream":{}}"#);
    server.ok("PUT /_ingest/pipeline/surface-p", r#"{"processors":[{"set":{"field":"b","value":2}}]}"#);
    // The reference gives no shards to nodes without the attribute.
    server.ok("PUT /_cluster/settings", r#"{"persistent":{"cluster.routing.allocation.awareness.attributes":null}}"#);
    server.ok(
        "PUT /surface-a",
        r#"{"settings":{"number_of_replicas":1},"aliases":{"surface-r":{"routing":"1"}},"mappings":{"properties":{"k":{"type":"keyword"}}}}"#,
    );
    for (id, key) in [("1", "a"), ("2", "b"), ("3", "a")] {
        server.ok(&format!("PUT /surface-a/_doc/{id}?refresh=true"), &format!(r#"{{"k":"{key}","n":{id}}}"#));
    }
    server.ok("PUT /_data_stream/surface-ds1", "");
    server.ok("PUT /surface-b", "");
    server.ok("PUT /surface-c", "");
    server.ok("POST /surface-c/_close", "");
    server.ok(
        "PUT /_search/pipeline/fill",
        r#"{"request_processors":[{"script":{"source":"ctx.request_context['x'] = 'a'; ctx.request_context['l'] = [1, 2]"}}]}"#,
    );
    server.ok("PUT /_cluster/settings", r#"{"persistent":{"cluster.routing.allocation.awareness.attributes":"rack"}}"#);
    if !server.is_reference() {
        server.ok("POST /views", r#"{"name":"calls","targets":[{"indexPattern":"surface-*"}]}"#);
    }
    vec![]
}

#[test]
fn calls_that_few_make() {
    let server = Server::start("rows-surface");
    server.run(CASES, set_up);
}
