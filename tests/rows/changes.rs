//! Calls that change what they ask: aliases, templates, settings, documents and snapshots, one after the other.

use super::{Case, Server, case};

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Aliases: blocks of what is named, indexes, names, then filters.
    case("aliases", "POST /_aliases", r#"{"actions":[{"add":{"index":"changes-a","alias":"changes-x","filter":{"bad":{}}}},{"add":{"index":"none","alias":"changes-y"}}]}"#, 404, &[("/error/reason", r#""no such index [none]""#)]),
    case("aliases", "PUT /changes-b/_alias/changes-a", r#"{"filter":{"bad":{}}}"#, 400, &[("/error/type", r#""invalid_alias_name_exception""#)]),
    case("aliases", "POST /_aliases", r#"{"actions":[{"remove_index":{"index":"changes-b"}},{"add":{"index":"changes-b","alias":"changes-x"}}]}"#, 404, &[("/error/index", r#""changes-b""#), ("/error/resource.id", "-")]),
    case("aliases", "PUT /changes-m*/_alias/changes-x", "", 200, &[("/acknowledged", "true")]),
    case("aliases", "PUT /changes-m/_alias/changes-x", "", 403, &[("/error/type", r#""cluster_block_exception""#)]),
    case("aliases", "PUT /changes-n", r#"{"aliases":{"{index}-y":{}}}"#, 200, &[]).then(&[("GET /changes-n", "/changes-n/aliases/{index}-y", "{}")]),
    case("aliases", "POST /_aliases", r#"{"actions":[{"add":{"index":"changes-a","alias":"changes-k"}},{"remove":{"index":"changes-a","alias":"changes-k","must_exist":true}}]}"#, 404, &[("/error/type", r#""aliases_not_found_exception""#)]),
    case("aliases", "POST /_aliases", r#"{"actions":[{"add":{"index":"changes-a","alias":" "}}]}"#, 400, &[("/error/reason", r#""[alias] is required""#)]),
    case("aliases", "POST /_aliases", r#"{"actions":[{"add":{"index":"changes-a","aliasx":"y"}}]}"#, 400, &[("/error/root_cause/0/reason", r#""[1:41] [add] unknown field [aliasx] did you mean any of [alias, aliases]?""#)]),
    case("aliases", "POST /_aliases", r#"{"actions":[{"add":{"indices":[["changes-a"]],"alias":"y"}}]}"#, 400, &[("/error/caused_by/caused_by/caused_by/reason", r#""expected value but got [START_ARRAY]""#)]),
    // Settings: by key, the first mistake first; what only old indexes have; what needs others.
    case("settings", "PUT /changes-s", r#"{"settings":{"index.warm":1.5,"index.codec":"x","foo":1}}"#, 400, &[("/error/reason", r#""unknown value for [index.codec] must be one of [default, lz4, best_compression, zlib] but was: x""#), ("/error/suppressed/0/type", r#""settings_exception""#), ("/error/suppressed/1/reason", r#""Failed to parse value [1.5] as only [true] or [false] are allowed.""#)]),
    case("settings", "PUT /changes-s", r#"{"settings":{"index.max_regex_length":"x","foo":1}}"#, 400, &[("/error/root_cause/0/suppressed/0/caused_by", "-"), ("/error/suppressed/0/caused_by/type", r#""number_format_exception""#)]),
    case("settings", "PUT /changes-s", r#"{"settings":{"index.remote_store.enabled":true}}"#, 400, &[("/error/reason", r#""To enable index.remote_store.enabled, index.replication.type should be set to SEGMENT""#)]),
    case("settings", "PUT /changes-s", r#"{"settings":{"index.resize.source.name":"a"}}"#, 400, &[("/error/type", r#""settings_exception""#)]),
    case("settings", "PUT /changes-s", r#"{"settings":{"index.data_path":"a","index.uuid":"b"}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: path.shared_data must be set in order to use custom data paths;2: private index setting [index.uuid] can not be set explicitly;""#)]),
    case("settings", "PUT /changes-a/_settings", r#"{"index.searchable_snapshot.repository":"a"}"#, 400, &[("/error/reason", r#""can not update internal setting [index.searchable_snapshot.repository]; this setting is managed via a dedicated API""#)]),
    case("settings", "PUT /changes-a/_settings", r#"{"archived.a":1}"#, 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("settings", "PUT /changes-a/_settings?ignore_unavailable=x", "{}", 400, &[("/error/reason", r#""Could not convert [ignore_unavailable] to boolean""#)]),
    // What a new thing is given as `null` is shown as it was given, and is nothing.
    case("settings", "PUT /changes-s", r#"{"settings":{"refresh_interval":null,"index.number_of_replicas":null}}"#, 200, &[]).then(&[("GET /changes-s/_settings", "/changes-s/settings/index/refresh_interval", "null"), ("GET /changes-s/_settings", "/changes-s/settings/index/number_of_replicas", r#""1""#)]),
    case("settings", "PUT /changes-s", r#"{"settings":{"analysis.filter.f":{"type":"stop","stopwords":null}}}"#, 200, &[]).then(&[("GET /changes-s/_settings", "/changes-s/settings/index/analysis/filter/f", r#"{"type":"stop","stopwords":null}"#)]),
    case("settings", "PUT /changes-s", r#"{"settings":{"analysis.tokenizer.t.type":null}}"#, 400, &[("/error/reason", r#""tokenizer [t] must specify either an analyzer type, or a tokenizer""#)]),
    case("settings", "PUT /changes-s", r#"{"settings":{"analysis.analyzer.a":null}}"#, 400, &[("/error/reason", r#""Failed to get setting group for [index.analysis.analyzer.] setting prefix and setting [index.analysis.analyzer.a] because of a missing '.'""#)]),
    case("settings", "PUT /changes-s", r#"{"settings":{"similarity.s.type":null}}"#, 400, &[("/error/reason", r#""Similarity [s] must have an associated type""#)]),
    case("templates", "PUT /_component_template/changes-c", r#"{"template":{"settings":{"index.refresh_interval":null}}}"#, 200, &[]).then(&[("GET /_component_template/changes-c", "/component_templates/0/component_template/template/settings", r#"{"index":{"refresh_interval":null}}"#)]),
    case("resize", "PUT /changes-w/_clone/changes-v", r#"{"settings":{"refresh_interval":null}}"#, 200, &[]).then(&[("GET /changes-v/_settings", "/changes-v/settings/index/routing", r#"{"allocation":{"initial_recovery":{"_id":null}}}"#), ("GET /changes-v/_settings", "/changes-v/settings/index/refresh_interval", "null")]),
    // Resizes: what the request says, then the name of the new index.
    case("resize", "PUT /changes-w/_split/changes-v", r#"{"settings":{"number_of_shards":8}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: index.number_of_shards is required for split operations;""#)]),
    case("resize", "PUT /changes-w/_clone/changes-a", r#"{"settings":{"index.codec":"x"}}"#, 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("rollover", "POST /changes-*/_rollover", "{}", 400, &[("/error/reason", r#""rollover target [changes-*] does not exist""#)]),
    case("templates", "PUT /_index_template/changes-1", r#"{"index_patterns":["a,b"],"template":{"settings":{"number_of_shards":-1}}}"#, 400, &[("/error/reason", r#""index_template [changes-1] invalid, cause [Validation Failed: 1: index_pattern [a,b] must not contain a ',';2: index_pattern [a,b] must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?];3: Failed to parse value [-1] for setting [index.number_of_shards] must be >= 1;]""#)]),
    // Templates: shapes, components, settings, mappings.
    case("templates", "PUT /_index_template/changes-1", r#"{"index_patterns":["changes-t*"],"composed_of":["none"],"template":{"settings":{"bad":1}}}"#, 400, &[("/error/type", r#""invalid_index_template_exception""#)]),
    case("templates", "PUT /_index_template/changes-1", r#"{"index_patterns":["changes-t*"],"template":{"mappings":{"properties":{"a":{"type":"bad"}}},"settings":{"bad":1}}}"#, 400, &[("/error/type", r#""settings_exception""#)]),
    case("templates", "PUT /_index_template/changes-1", r#"{"index_patterns":["changes-t*"],"template":{"settings":{"index.hidden":"x","index.max_result_window":0}}}"#, 400, &[("/error/reason", r#""index_template [changes-1] invalid, cause [Validation Failed: 1: Failed to parse value [x] as only [true] or [false] are allowed.;2: Failed to parse value [0] for setting [index.max_result_window] must be >= 1;]""#)]),
    case("templates", "PUT /_index_template/changes-1", r#"{"index_patterns":["changes-t*"],"template":{"settings":{"index.hidden":"x","index.refresh_interval":"y"}}}"#, 400, &[("/error/reason", r#""failed to parse setting [index.refresh_interval] with value [y] as a time value: unit is missing or unrecognized""#)]),
    case("templates", "PUT /_index_template/changes-1", r#"{"index_patterns":["changes-t*"],"template":{"settings":{"number_of_replicas":"x"}}}"#, 400, &[("/error/reason", r#""Failed to parse int setting [index.number_of_replicas] with value [x]""#)]),
    case("templates", "POST /_index_template/_simulate", r#"{"index_patterns":["changes-q*"],"template":{"mappings":{"properties":{"z":{"type":"text","index":true},"a":{"type":"keyword"}}}}}"#, 200, &[("/template/mappings/properties/z", r#"{"type":"text"}"#)]),
    case("templates", "PUT /_component_template/changes-c", r#"{"template":{"settings":{},"aliases":{}}}"#, 200, &[("/acknowledged", "true")]).then(&[("GET /_component_template/changes-c?settings_filter=x", "/component_templates/0/component_template/template", r#"{"settings":{},"aliases":{}}"#)]),
    case("templates", "PUT /_component_template/changes-d", r#"{"template":{"settings":{"number_of_replicas":"x"}},"bad":1}"#, 400, &[("/error/reason", r#""[1:53] [component_template] unknown field [bad]""#)]),
    case("templates", "PUT /_component_template/changes-d", r#"{"templatex":{}}"#, 400, &[("/error/reason", r#""[1:2] [component_template] unknown field [templatex] did you mean [template]?""#)]),
    case("templates", "PUT /_index_template/changes-1", r#"{"index_patterns":["changes-t*"],"data_stream":{"timestamp_field":{"name":""}}}"#, 400, &[("/error/caused_by/reason", r#""invalid composite mappings for [changes-1]""#)]),
    case("templates", "PUT /_index_template/changes-1", r#"{"index_patterns":["changes-t*"],"composed_of":["changes-c"],"template":{"mappings":{"bad":1}}}"#, 400, &[("/error/reason", r#""composable template [changes-1] template after composition with component templates [changes-c] is invalid""#)]),
    // Without a mapping there are no fields, not even those of every index; the first document gives one.
    case("fields", "PUT /changes-u", "", 200, &[]).then(&[("GET /changes-u/_field_caps?fields=*", "/fields", "{}")]),
    case("fields", "PUT /changes-u/_doc/1", "{}", 201, &[]).then(&[("GET /changes-u/_field_caps?fields=_id", "/fields/_id/_id/searchable", "true")]),
    case("settings", "PUT /changes-a/_settings", r#"{"index.derived_source.translog.enabled":true}"#, 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    // Settings: one is looked at before all others, and what fails beside it is not told with a root cause of Java's own.
    case("settings", "PUT /changes-a/_settings", r#"{"index.foo":1,"index.refresh_interval":"y"}"#, 400, &[("/error/reason", r#""failed to parse setting [index.refresh_interval] with value [y] as a time value: unit is missing or unrecognized""#), ("/error/suppressed", "-")]),
    case("settings", "PUT /changes-a/_settings", r#"{"index.hidden":"x","index.max_result_window":0}"#, 400, &[("/error/suppressed/0/type", r#""illegal_argument_exception""#), ("/error/root_cause/0/suppressed", "-")]),
    case("settings", "PUT /changes-a/_settings", r#"{"index.foo":1,"index.max_result_window":0}"#, 400, &[("/error/root_cause/0/suppressed/0/type", r#""illegal_argument_exception""#)]),
    case("settings", "PUT /_cluster/settings", r#"{"transient":{"thread_pool.search.queue_size":"x"}}"#, 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    // Mappings: names as they are written, the root before metadata fields, and nothing to agree with at first.
    case("mappings", "PUT /changes-n", r#"{"mappings":{"properties":{"o.p":{"type":"bad"}}}}"#, 400, &[("/error/root_cause/0/reason", r#""No handler for type [bad] declared on field [o.p]""#)]),
    case("mappings", "PUT /changes-n", r#"{"mappings":{"properties":{"a":{"type":"keyword","normalizer":"none","bad":1}}}}"#, 400, &[("/error/root_cause/0/reason", r#""unknown parameter [bad] on mapper [a] of type [keyword]""#)]),
    case("mappings", "PUT /changes-a/_mapping", r#"{"properties":{"n":{"type":"ip"}},"_routing":{"required":true}}"#, 400, &[("/error/reason", r#""mapper [n] cannot be changed from type [long] to [ip]""#)]),
    case("mappings", "PUT /changes-b/_mapping", r#"{"_source":{"enabled":false}}"#, 200, &[("/acknowledged", "true")]),
    // Documents.
    case("bulk", "POST /changes-a/_bulk", "{\"index\":{\"version\":1,\"version_type\":\"external\"}}\n{}\n", 400, &[("/error/reason", r#""Validation Failed: 1: an id must be provided if version type or value are set;""#)]),
    case("bulk", "POST /changes-a/_bulk", "{\"index\":{\"if_seq_no\":9,\"if_primary_term\":1}}\n{}\n", 200, &[("/items/0/index/status", "201")]),
    case("update", "POST /changes-a/_update/1?routing=r", r#"{"script":"ctx._source.n += 1"}"#, 200, &[("/result", r#""updated""#)]).then(&[("GET /changes-a/_doc/1", "/_routing", "-")]),
    case("update", "POST /changes-a/_update/1?routing=r", r#"{"doc":{"n":7}}"#, 200, &[("/result", r#""updated""#)]).then(&[("GET /changes-a/_doc/1", "/_routing", r#""r""#)]),
    case("update", "POST /changes-a/_bulk", "{\"update\":{\"_id\":\"1\",\"routing\":\"r\"}}\n{\"doc\":{\"n\":7}}\n", 200, &[("/items/0/update/result", r#""updated""#)]).then(&[("GET /changes-a/_doc/1", "/_routing", "-")]),
    case("update", "POST /changes-p/_update/9", r#"{"doc":{},"upsert":{"a":1}}"#, 201, &[("/_id", r#""other""#)]).then(&[("GET /changes-p/_doc/other", "/_source/from", r#""changes-p""#)]),
    case("update", "POST /changes-p/_update/9?require_alias=true", r#"{"script":"throw new IllegalArgumentException('no')","upsert":{}}"#, 404, &[("/error/type", r#""index_not_found_exception""#)]),
    case("mget", "POST /changes-x/_mget", r#"{"docs":[{"_id":"1","version":77}]}"#, 200, &[("/docs/0/_index", r#""changes-a""#), ("/docs/0/error/type", r#""version_conflict_engine_exception""#)]),
    // Operations by query.
    case("by query", "POST /changes-a/_update_by_query?refresh=true", r#"{"script":"ctx._source.v = ctx._version; ctx._source.keys = ctx.keySet().toString()"}"#, 200, &[("/updated", "1")])
        .then(&[("GET /changes-a/_doc/1", "/_source/v", "-1"), ("GET /changes-a/_doc/1", "/_source/keys", r#""[_routing, op, _index, _source, _id, _version]""#)]),
    case("by query", "POST /changes-a/_update_by_query?max_docs=0&slices=auto", "", 400, &[("/error/type", r#""action_request_validation_exception""#)]),
    case("by query", "POST /changes-a/_delete_by_query?slices=2", r#"{"query":{"match_all":{}},"max_docs":1}"#, 400, &[("/error/reason", r#""[max_docs] should be >= [slices]""#)]),
    case("by query", "POST /_reindex?refresh=wait_for&max_docs=-1", r#"{"source":{"index":"changes-a"},"dest":{"index":"changes-n"}}"#, 400, &[("/error/reason", r#""Failed to parse value [wait_for] as only [true] or [false] are allowed.""#)]),
    case("by query", "POST /_reindex", r#"{"source":{"index":"changes-a"},"dest":{"index":"changes-n"},"script":{"source":"ctx._version = 77"}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead;""#)]),
    // An index that nobody has said anything of has no ids that slices could be made of.
    case("by query", "POST /changes-z/_update_by_query?slices=2", "", 400, &[("/error/caused_by/reason", r#""field _id not found""#)]),
    case("by query", "POST /changes-a/_update_by_query?refresh=true", r#"{"script":"ctx._source.remove('n'); ctx._source.title = 1; ctx._source.name = 2; ctx._source.keys = ctx._source.keySet().toString()"}"#, 200, &[]).then(&[("GET /changes-a/_doc/1", "/_source/keys", r#""[name, title]""#)]),
    case("by query", "POST /_update_by_query/x:-1/_rethrottle", "", 400, &[("/error/reason", r#""requests_per_second is a required parameter""#)]),
    // Of two slices that fail the other one stands beside the first.
    case("by query", "POST /changes-e/_update_by_query?slices=2", r#"{"script":"ctx._version = 7"}"#, 400, &[("/error/suppressed/0/reason", r#""Modifying [_version] not allowed""#), ("/error/root_cause/0/suppressed", "-")]),
    // Resizing.
    case("resize", "PUT /changes-w/_split/changes-n", r#"{"settings":{"index.number_of_shards":3}}"#, 400, &[("/error/reason", r#""the number of source shards [4] must be a multiple of [3]""#)]),
    case("resize", "PUT /changes-m/_clone/changes-n", "", 403, &[("/error/type", r#""cluster_block_exception""#)]),
    // Values that an index puts up with, and mappings in which nothing stands.
    case("documents", "PUT /changes-im/_doc/1", r#"{"k":{"a":1},"v":"x"}"#, 201, &[]),
    case("documents", "PUT /changes-im/_doc/1?refresh=true", r#"{"c":" "}"#, 201, &[]).then(&[("GET /changes-im/_search?q=_exists_:c", "/hits/hits/0/_ignored", r#"["c"]"#)]),
    case("documents", "PUT /changes-im/_doc/1", r#"{"o":{" ":1}}"#, 400, &[("/error/reason", r#""object field cannot contain only whitespace: ['o. ']""#)]),
    case("mappings", "PUT /changes-l", r#"{"mappings":{}}"#, 200, &[]).then(&[("GET /changes-l/_mapping/field/_id", "/changes-l/mappings/_id/full_name", r#""_id""#), ("GET /_cluster/state/metadata/changes-l", "/metadata/indices/changes-l/mappings/_doc", "{}")]),
    case("queries", "POST /changes-e/_validate/query?explain=true", r#"{"query":{"query_string":{"query":"a","fields":["x*"]}}}"#, 200, &[("/explanations/0/explanation", r#""MatchNoDocsQuery(\"unmapped fields [null]\")""#)]),
    case("queries", "POST /changes-e/_validate/query?explain=true", r#"{"query":{"query_string":{"query":"a"}}}"#, 200, &[("/explanations/0/explanation", r#""MatchNoDocsQuery(\"unmapped fields [*]\")""#)]),
    case("reindex", "POST /_reindex", r#"{"source":{"index":"changes-a","query":{"term":{"k":null}}},"dest":{"index":"changes-r"}}"#, 400, &[("/error/root_cause/0/type", r#""x_content_parse_exception""#), ("/error/caused_by/reason", r#""field name is null or empty""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"kv":{"field":"a","field_split":" ","value_split":"=","target_field":"{{none}}"}}]},"docs":[{"_source":{"a":"b=c"}}]}"#, 200, &[("/docs/0/doc/_source/b", r#""c""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"kv":{"field":"a","field_split":" ","value_split":"=","strip_brackets":1,"prefix":1}}]},"docs":[]}"#, 400, &[("/error/property_name", r#""prefix""#)]),
    // Dates by names of zones, and patterns that are no texts.
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"date":{"field":"d","formats":["EEE MMM d HH:mm:ss z yyyy"],"locale":"en"}}]},"docs":[{"_source":{"d":"Fri Jul 3 10:00:00 PDT 2020"}}]}"#, 200, &[("/docs/0/doc/_source/@timestamp", r#""2020-07-03T17:00:00.000Z""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"grok":{"field":"a","patterns":["a"],"pattern_definitions":{"X":null}}}]},"docs":[]}"#, 400, &[("/error/reason", r#""[patterns] Invalid regex pattern found in: [a]. Cannot invoke \"String.length()\" because \"pattern\" is null""#)]),
];

fn set_up(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("PUT /changes-m/_settings", r#"{"index.blocks.metadata":null}"#);
    server.ask("DELETE /changes-*", "");
    let settings = r#"{"number_of_replicas":0,"number_of_shards":1}"#;
    let of = |more: &str| format!(r#"{{"settings":{settings}{more}}}"#);
    server.ok("PUT /changes-a", &of(r#","mappings":{"properties":{"n":{"type":"long"}}},"aliases":{"changes-x":{}}"#));
    server.ok("PUT /changes-a/_doc/1?refresh=true", r#"{"n":1}"#);
    server.ok("PUT /changes-b", &of(""));
    server.ok("PUT /changes-e", &of(""));
    server.ok("PUT /changes-z", &of(""));
    for id in 0..8 {
        server.ok(&format!("PUT /changes-e/_doc/{id}?refresh=true"), "{}");
    }
    let lenient = r#"{"settings":{"number_of_replicas":0,"index.mapping.ignore_malformed":true},"mappings":{"properties":{"k":{"type":"keyword"},"v":{"type":"version"},"c":{"type":"completion"}}}}"#;
    server.ok("PUT /changes-im", lenient);
    server.ok("PUT /changes-m", r#"{"settings":{"number_of_replicas":0,"index.blocks.metadata":true}}"#);
    let processors = r#"[{"set":{"field":"from","value":"{{_index}}"}},{"set":{"field":"_id","value":"other"}}]"#;
    server.ok("PUT /_ingest/pipeline/changes", &format!(r#"{{"processors":{processors}}}"#));
    server.ok("PUT /changes-p", r#"{"settings":{"number_of_replicas":0,"default_pipeline":"changes"}}"#);
    server.ok(
        "PUT /changes-w",
        r#"{"settings":{"number_of_replicas":0,"number_of_shards":4,"index.blocks.write":true}}"#,
    );
    vec![]
}

#[test]
fn calls_that_change_what_they_ask() {
    Server::start("rows-changes").run(CASES, set_up);
}
