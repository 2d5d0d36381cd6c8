//! What calls answer that change nothing: blocks, closed indexes, names and aliases, tables, pipelines that are simulated.

use super::{Case, Server, case};

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Blocks.
    case("blocks", "PUT /reads-ro/_block/write", "", 403, &[("/error/reason", r#""index [reads-ro] blocked by: [FORBIDDEN/5/index read-only (api)];""#)]),
    case("blocks", "PUT /reads-ro,reads-f/_settings", r#"{"refresh_interval":"5s"}"#, 403, &[("/error/reason", r#""index [reads-ro] blocked by: [FORBIDDEN/5/index read-only (api)];""#)]),
    case("blocks", "PUT /reads-old/_doc/2", "{}", 403, &[("/error/reason", r#""index [reads-old] blocked by: [FORBIDDEN/20/index scaled down];""#)]),
    case("blocks", "GET /reads-old/_search", "", 200, &[("/hits/total/value", "1")]),
    case("blocks", "PUT /reads-f/_block/search_only", "", 200, &[("/indices/0/blocked", "true")])
        .then(&[("GET /_cluster/state/blocks/reads-f", "/blocks/indices/reads-f/20/levels", r#"["write"]"#)]),
    case("blocks", "POST /reads-r/_analyze", r#"{"text":"a"}"#, 403, &[("/error/type", r#""cluster_block_exception""#)]),
    case("blocks", "GET /reads-r/_search_shards", "", 200, &[("/shards/0/0/index", r#""reads-r""#)]),
    case("blocks", "GET /reads-r,reads-a/_field_caps?fields=n", "", 200, &[("/indices", r#"["reads-a"]"#)]),
    case("blocks", "GET /reads-r,reads-c/_validate/query", "", 200, &[("/explanations/0/error", r#""index [reads-c] blocked by: [FORBIDDEN/4/index closed];index [reads-r] blocked by: [FORBIDDEN/7/index read (api)];""#)]),
    // Where nothing can be written, shards that cannot match are passed over.
    case("blocks", "GET /reads-old,reads-e/_search", r#"{"query":{"ids":{"values":["1"]}}}"#, 200, &[("/_shards/skipped", "1"), ("/hits/total/value", "1")]),
    // What makes a query wrong later is not looked at for fields; what is collapsed has hits.
    case("field_caps", "GET /reads-a/_field_caps?fields=n", r#"{"index_filter":{"multi_match":{"query":"x y","fields":["k"],"type":"phrase","analyzer":"standard"}}}"#, 200, &[("/indices", r#"["reads-a"]"#)]),
    case("collapse", "GET /reads-a/_search", r#"{"size":0,"collapse":{"field":"k"},"search_pipeline":{"response_processors":[{"collapse":{"field":"n"}}]}}"#, 200, &[("/hits/total/value", "1")]),
    // Before a mapping there is little.
    case("no mapping", "GET /reads-e/_validate/query?explain=true", r#"{"query":{"ids":{"values":["1"]}}}"#, 200, &[("/explanations/0/explanation", r#""MatchNoDocsQuery(\"User requested \"match_none\" query.\")""#)]),
    case("no mapping", "GET /reads-e/_field_caps?fields=_data*", "", 200, &[("/fields", "{}")]),
    // Aliases and closed indexes.
    case("aliases", "POST /_mtermvectors", r#"{"docs":[{"_index":"reads-none","_id":"1"},{"_index":"reads-c","_id":"1"}]}"#, 400, &[("/error/type", r#""index_closed_exception""#)]),
    case("aliases", "POST /reads-x/_mtermvectors", r#"{"ids":["1"]}"#, 400, &[("/error/reason", r#""Alias [reads-x] has more than one index associated with it [[reads-f, reads-a]], can't execute a single index op""#)]),
    case("aliases", "POST /_mtermvectors?ids=1,2", r#"{"ids":["1"]}"#, 400, &[("/error/reason", r#""Validation Failed: 1: index is missing;2: at multi term vectors for doc 1;""#)]),
    case("aliases", "GET /reads-y/_validate/query?explain=true", r#"{"query":{"match":{"t":"x"}}}"#, 200, &[("/explanations/0/explanation", r##""+t:x #ConstantScore(k:a)""##)]),
    case("aliases", "GET /reads-y,reads-z/_validate/query?explain=true", r#"{"query":{"match":{"t":"x"}}}"#, 200, &[("/explanations/0/explanation", r##""+t:x #(ConstantScore(k:a) ConstantScore(k:b))""##)]),
    // Names.
    case("names", "GET //_count", "", 403, &[]),
    // Commas alone name no index; what would take them for all of them must not.
    case("commas", "DELETE /,", "", 400, &[("/error/reason", r#""Validation Failed: 1: index / indices is missing;""#)]).then(&[("GET /reads-a/_count", "/count", "*")]),
    case("commas", "POST /,,/_close", "", 400, &[("/error/reason", r#""Validation Failed: 1: index is missing;""#)]),
    case("commas", "POST /,/_delete_by_query", "{}", 400, &[("/error/reason", r#""Validation Failed: 1: use _all if you really want to delete from all existing indexes;2: query is missing;""#)]),
    case("commas", "PUT /,/_block/read_only_allow_delete", "", 400, &[("/error/reason", r#""Validation Failed: 1: index is missing;2: read_only_allow_delete block is for internal use only;""#)]),
    case("commas", "DELETE /,reads-a/_alias/x", "", 400, &[("/error/reason", r#""[indices] can't contain empty string""#)]),
    case("commas", "DELETE /reads-a/_alias/,", "", 400, &[("/error/reason", r#""[aliases] can't be empty""#)]),
    // Scrolls of another node.
    case("scroll", "DELETE /_search/scroll/DXF1ZXJ5QW5kRmV0Y2gBAAAAAAAAAD4WYm9laVYtZndUQlNsdDcwakFMNjU1QQ==", "", 404, &[("/num_freed", "0")]),
    case("scroll", "GET /_search/scroll/DXF1ZXJ5QW5kRmV0Y2gBAAAAAAAAAD4WYm9laVYtZndUQlNsdDcwakFMNjU1QQ==", "", 400, &[("/error/caused_by/reason", r#""scroll_id references node [boeiV-fwTBSlt70jAL655A] which was not found in the cluster""#)]),
    case("scroll", "DELETE /_search/scroll/_all", "", 200, &[("/num_freed", "1")]),
    case("cat", "GET /_cat/aliases?v=x&format=json", "", 200, &[]),
    // An evaluation is made where the last of its parts is read, or at the end if one is not given.
    case("rank_eval", "POST /reads-a/_rank_eval?human=%20", r#"{"metric":{"precision":{}},"requests":[]}"#, 400, &[("/error/reason", r#""Failed to build [rank_eval] after last required field arrived""#)]),
    case("rank_eval", "POST /reads-a/_rank_eval", r#"{"templates":[],"metric":{"precision":{}},"requests":[]}"#, 400, &[("/error/reason", r#""[1:55] [rank_eval] failed to parse field [requests]""#)]),
    case("rank_eval", "POST /reads-a/_rank_eval", r#"{"requests":[{"id":"q","request":{},"ratings":[{"_index":"a","_id":"","rating":1}]}],"metric":{"precision":{}}}"#, 400, &[("/error/root_cause/0/reason", r#""Failed to build [rated_document] after last required field arrived""#), ("/error/caused_by/caused_by/caused_by/caused_by/reason", r#""DocId must be set for each rated document""#)]),
    case("analyze", "GET /_analyze", r#"{"tokenizer":"standard","filter":["keyword_repeat","fingerprint"],"text":"b a","explain":true}"#, 200, &[("/detail/tokenfilters/1/tokens/0/token", r#""a b""#), ("/detail/tokenfilters/1/tokens/0/keyword", "false")]),
    case("names", "GET //reads-a/_count", "", 400, &[("/error", r#""no handler found for uri [/_count] and method [GET]""#)]),
    case("names", "GET /_cluster/health/_x", "", 400, &[("/error/type", r#""invalid_index_name_exception""#)]),
    case("names", "GET /_cluster/health/%3Creads-none-%7Bnow%2Fd%7D%3E?timeout=0s", "", 408, &[("/status", r#""red""#)]),
    case("names", "GET /_cluster/state/blocks/reads-none?ignore_unavailable=false&filter_path=cluster_name", "", 200, &[]),
    case("get", "GET /reads-a/_doc/1?version=x&_source_includes=k&_source_excludes=k", "", 400, &[("/error/reason", r#""Failed to parse long parameter [version] with value [x]""#)]),
    case("get", "POST /_mget?_source_includes=k&_source_excludes=k", r#"{"x":[]}"#, 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("upgrade", "POST /reads-a/_upgrade", "", 200, &[("/_shards/total", "1"), ("/_shards/successful", "2")]),
    case("cat", "GET /_cat/indices/reads-a?h=get.total,index&pri=true&format=json", "", 200, &[("/0/pri.get.total", "*"), ("/0/index", r#""reads-a""#)]),
    // Documents.
    case("seq_no", "PUT /reads-a/_doc/1?if_seq_no=-2&if_primary_term=1", "{}", 400, &[("/error/reason", r#""Validation Failed: 1: ifSeqNo is unassigned, but primary term is [1];""#)]),
    case("bulk", "POST /reads-a/_bulk?pipeline=none", "{\"update\":{\"_id\":\"7\"}}\n{\"doc\":{},\"upsert\":{}}\n", 200, &[("/items/0/index/_id", "null"), ("/items/0/index/status", "400")]),
    case("bulk", "POST /reads-a/_bulk?pipeline=reads", "{\"index\":{}}\n{\"l\":[1]}\n{\"index\":{}}\n{\"l\":1}\n", 200, &[("/items/0/index/error/reason", r#""field [l] of type [java.lang.Integer] cannot be cast to [java.util.List]""#)]),
    case("dates", "PUT /reads-d/_doc/1", r#"{"of_era":"2020-02-30"}"#, 400, &[("/error/caused_by/type", r#""date_time_exception""#)]),
    case("dates", "PUT /reads-d/_doc/1", r#"{"iso":"2020-02-30"}"#, 400, &[("/error/caused_by/caused_by/reason", r#""Text '2020-02-30' could not be parsed: Invalid date 'FEBRUARY 30'""#), ("/error/caused_by/caused_by/caused_by/type", r#""date_time_exception""#)]),
    case("dates", "PUT /reads-d/_doc/1", r#"{"zoned":"x"}"#, 400, &[("/error/caused_by/caused_by/reason", r#""Failed to parse with all enclosed parsers""#)]),
    // Scripts.
    case("scripts", "PUT /_scripts/reads", r#"{"script":{"lang":"painless","code":"1"}}"#, 200, &[]).then(&[("GET /_scripts/reads", "/script/source", r#""1""#)]),
    case("scripts", "POST /_scripts/painless/_execute", r#"{"script":{"source":"1"},"context_setup":{"index":"reads-none"}}"#, 404, &[("/error/type", r#""index_not_found_exception""#)]),
    case("scripts", "POST /_scripts/painless/_execute", r#"{"script":{"source":"[1].forEach(x -> {})"}}"#, 400, &[("/error/caused_by/type", r#""null_pointer_exception""#), ("/error/position", "-")]),
    case("scripts", "POST /_scripts/painless/_execute", r#"{"script":{"source":{"a":1}}}"#, 400, &[("/error/reason", r#""Unrecognized compile-time parameter(s): {content_type=application/json; charset=UTF-8}""#)]),
    // Pipelines.
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"foreach":{"field":"a","ignore_failure":true,"processor":{"trim":{"field":"a"}}}}]},"docs":[{"_source":{"a":["x"]}},{"_source":{"a":1}}]}"#, 400, &[("/error/reason", r#""field [a] of type [java.lang.Integer] cannot be cast to [java.util.List]""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"set":{"field":"b","value":"{{a.b}}"}}]},"docs":[{"_source":{"a.b":1}}]}"#, 200, &[("/docs/0/doc/_source/b", r#""1""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"set":{"field":"a","value":"","ignore_empty_value":true}}]},"docs":[{"_source":{"a":1}}]}"#, 200, &[("/docs/0/doc/_source/a", r#""""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"trim":{"field":"_ingest.timestamp"}}]},"docs":[{"_source":{}}]}"#, 200, &[("/docs/0/error/reason", r#""field [_ingest.timestamp] of type [java.time.ZonedDateTime] cannot be cast to [java.lang.String]""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"date":{"field":"a","formats":["ISO8601"],"locale":"x y"}}]},"docs":[{"_source":{"a":"2020"}}]}"#, 200, &[("/docs/0/error/caused_by/type", r#""illformed_locale_exception""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"sort":{"field":"a","order":"desc"}}]},"docs":[{"_source":{"a":[null,"x"]}}]}"#, 200, &[("/docs/0/error/reason", r#""Cannot invoke \"java.lang.Comparable.compareTo(Object)\" because \"c2\" is null""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"temporal_routing":{"timestamp_field":"a","granularity":"month","format":"epoch_second"}}]},"docs":[{"_source":{"a":1600000000000}}]}"#, 200, &[("/docs/0/doc/_routing", r#""52671-12""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"remove":{"field":[1],"exclude_field":"a","ignore_missing":"x"}}]},"docs":[{"_source":{}}]}"#, 400, &[("/error/reason", r#""[field] either field or exclude_field must be set""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"grok":{"field":"a","patterns":[1]}}]},"docs":[{"_source":{}}]}"#, 400, &[("/error/property_name", r#""patterns""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"trim":{"field":"a","on_failure":[{"trim":{}},{"sort":{}}]}},{"split":{}}]},"docs":[{"_source":{}}]}"#, 400, &[("/error/suppressed/0/processor_type", r#""sort""#), ("/error/suppressed/1/processor_type", r#""split""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"user_agent":{"field":"a"}}]},"docs":[{"_source":{"a":"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_2) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/33.0.1750.149 Safari/537.36"}}]}"#, 200, &[("/docs/0/doc/_source/user_agent/os/full", r#""Mac OS X 10.9.2""#), ("/docs/0/doc/_source/user_agent/version", r#""33.0.1750.149""#), ("/docs/0/doc/_source/user_agent/device/name", r#""Mac""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"user_agent":{"field":"a","properties":["name","device"]}}]},"docs":[{"_source":{"a":"?"}}]}"#, 200, &[("/docs/0/doc/_source/user_agent", r#"{"name":"Other","device":{"name":"Other"}}"#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"user_agent":{"field":"a","ecs":false,"properties":["os","build"]}}]},"docs":[{"_source":{"a":"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_2) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/33.0.1750.149 Safari/537.36"}}]}"#, 200, &[("/docs/0/doc/_source/user_agent", r#"{"os":"Mac OS X 10.9.2","build":"149"}"#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"user_agent":{"field":"a","regex_file":"b.yml"}}]},"docs":[{"_source":{}}]}"#, 400, &[("/error/reason", r#""[regex_file] regex file [b.yml] doesn't exist (has to exist at node startup)""#)]),
    case("ingest", "POST /_ingest/pipeline/_simulate", r#"{"pipeline":{"processors":[{"gsub":{"field":"a","pattern":"(?<=a{1,2})b(?!c)++","replacement":"x"}}]},"docs":[{"_source":{"a":"aab abc"}}]}"#, 200, &[("/docs/0/doc/_source/a", r#""aax abc""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"aab","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"a{1,3}b","replacement":"x"}]}"#, 200, &[("/tokens/0/token", r#""x""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"b\nb\n","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"b$","replacement":"x"}]}"#, 200, &[("/tokens/0/token", r#""b\nx\n""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"a\r\na","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"(?m)^a","replacement":"x"}]}"#, 200, &[("/tokens/0/token", r#""x\r\nx""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"aab","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"(?<=a*)b","replacement":"x"}]}"#, 200, &[("/tokens/0/token", r#""aax""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"aa","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"(?<n>a)\\k<n>","replacement":"[${n}]"}]}"#, 200, &[("/tokens/0/token", r#""[a]""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"aαβ","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"\\p{InGreek}++","replacement":"x"}]}"#, 200, &[("/tokens/0/token", r#""ax""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"a","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"z","replacement":"${n}"}]}"#, 200, &[("/tokens/0/token", r#""a""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"a","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"a","replacement":"${n}"}]}"#, 400, &[("/error/reason", r#""No group with name {n}""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"axb","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"[a-cx-z&&]","replacement":"x"}]}"#, 200, &[("/tokens/0/token", r#""axb""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"a","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"a{,3}","replacement":"x"}]}"#, 400, &[("/error/reason", r#""Illegal repetition near index 2\na{,3}\n  ^""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"a","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"(?<n>a)(?<n>b)","replacement":"x"}]}"#, 400, &[("/error/reason", r#""Named capturing group <n> is already defined near index 11\n(?<n>a)(?<n>b)\n           ^""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"a","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"(?<=(a|bc)+)d","replacement":"x"}]}"#, 400, &[("/error/reason", r#""Look-behind group does not have an obvious maximum length near index 10\n(?<=(a|bc)+)d\n          ^""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"a","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"x\\q","replacement":"x"}]}"#, 400, &[("/error/reason", r#""Illegal/unsupported escape sequence near index 2\nx\\q\n  ^""#)]),
    case("expressions", "POST /_analyze", r#"{"text":"a","tokenizer":"keyword","filter":[{"type":"pattern_replace","pattern":"[&&]","replacement":"x"}]}"#, 400, &[("/error/reason", r#""Bad class syntax near index 2\n[&&]\n  ^""#)]),
    case("expressions", "POST /_scripts/painless/_execute", r#"{"script":{"source":"return \"aXbX\" =~ /(?<=b)x{1,2}$/i"}}"#, 200, &[("/result", r#""true""#)]),
    case("expressions", "POST /_scripts/painless/_execute", r#"{"script":{"source":"return Arrays.asList(/b*/.split(\"abc\", -1)).toString() + /-/.split(\"---\").length"}}"#, 200, &[("/result", r#""[a, , c, ]0""#)]),
];

fn set_up(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("PUT /reads-ro/_settings", r#"{"index.blocks.read_only":null}"#);
    server.ask("DELETE /reads-*", "");
    let make = |name: &str, more: &str| {
        server.ok(
            &format!("PUT /reads-{name}"),
            &format!(r#"{{"settings":{{"number_of_replicas":0,"number_of_shards":1}}{more}}}"#),
        );
    };
    let of_keyword = r#","mappings":{"properties":{"n":{"type":"long"},"k":{"type":"keyword"},"t":{"type":"text"}}}"#;
    let aliases =
        r#","aliases":{"reads-x":{},"reads-y":{"filter":{"term":{"k":"a"}}},"reads-z":{"filter":{"term":{"k":"b"}}}}"#;
    make("a", &format!("{of_keyword}{aliases}"));
    make("f", r#","aliases":{"reads-x":{}}"#);
    make("e", "");
    for name in ["r", "c", "ro", "old"] {
        make(name, of_keyword);
    }
    make(
        "d",
        r#","mappings":{"properties":{"of_era":{"type":"date","format":"yyyy-MM-dd"},"iso":{"type":"date","format":"strict_date_optional_time"},"zoned":{"type":"date","format":"date_time"}}}"#,
    );
    server.ok("PUT /reads-a/_doc/1?refresh=true", r#"{"n":1}"#);
    server.ok("PUT /reads-old/_doc/1?refresh=true", r#"{"n":1}"#);
    server.ok("POST /reads-c/_close", "");
    for (name, block) in [("r", "read"), ("ro", "read_only"), ("old", "search_only")] {
        server.ok(&format!("PUT /reads-{name}/_settings"), &format!(r#"{{"index.blocks.{block}":true}}"#));
    }
    let each = r#"{"processors":[{"foreach":{"field":"l","processor":{"trim":{"field":"a","ignore_missing":true}}}}]}"#;
    server.ok("PUT /_ingest/pipeline/reads", each);
    vec![]
}

#[test]
fn calls_that_change_nothing() {
    Server::start("rows-reads").run(CASES, set_up);
}
