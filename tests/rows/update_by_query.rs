//! § Update by query: every parameter, the body, every field of the answer, the rules of errors and limits.

use super::{Case, Server, assert_covers, case};

/// The rows of the specification's tables, by their names there.
const ROWS: &[&str] = &[
    "path",
    "body.query",
    "body.script",
    "index",
    "allow_no_indices",
    "analyzer",
    "analyze_wildcard",
    "conflicts",
    "default_operator",
    "df",
    "expand_wildcards",
    "from",
    "ignore_unavailable",
    "lenient",
    "max_docs",
    "pipeline",
    "preference",
    "q",
    "request_cache",
    "refresh",
    "requests_per_second",
    "routing",
    "scroll",
    "scroll_size",
    "search_type",
    "search_timeout",
    "slices",
    "sort",
    "_source",
    "_source_excludes",
    "_source_includes",
    "stats",
    "terminate_after",
    "timeout",
    "version",
    "wait_for_active_shards",
    "wait_for_completion",
    "response",
    "failures",
    "noops",
    "deleted",
    "search_pipeline",
];

const SEEN: &str = r#"{"script":{"source":"ctx._source.seen = true"}}"#;
const NOOP: &str = r#"{"script":{"source":"ctx.op = 'noop'"}}"#;

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("path", "POST /u/_update_by_query", "", 200, &[("/updated", "4"), ("/total", "4")]),
    case("path", "POST /u,v/_update_by_query", "", 200, &[("/updated", "5")]),
    case("path", "GET /u/_update_by_query", "", 405, &[]),
    case("index", "POST /_update_by_query?conflicts=proceed", "", 200, &[("/updated", "8")]).overruled(),
    case("index", "POST /*/_update_by_query?conflicts=proceed", "", 200, &[("/version_conflicts", "1")]),
    case("index", "POST /nobody/_update_by_query", "", 404, &[("/error/type", r#""index_not_found_exception""#), ("/error/reason", r#""no such index [nobody]""#)]),
    case("body.query", "POST /u/_update_by_query?refresh=true", r#"{"query":{"term":{"n":2}}}"#, 200, &[("/updated", "1"), ("/total", "1")])
        .then(&[("GET /u/_doc/2", "/_version", "2"), ("GET /u/_doc/1", "/_version", "1")]),
    case("body.query", "POST /u/_update_by_query", r#"{"query":{"nonsense":{}}}"#, 400, &[("/error/type", r#""parsing_exception""#), ("/error/reason", r#""unknown query [nonsense]""#)]),
    case("body.query", "POST /u/_update_by_query", r#"{"from":1}"#, 400, &[("/error/type", r#""action_request_validation_exception""#)]),
    case("body.script", "POST /u/_update_by_query?refresh=true", r#"{"query":{"term":{"n":2}},"script":{"source":"ctx._source.n += params.by","lang":"painless","params":{"by":40}}}"#, 200, &[("/updated", "1")])
        .then(&[("GET /u/_doc/2", "/_source/n", "42")]),
    case("body.script", "POST /u/_update_by_query", r#"{"script":{"source":"ctx._id = 'x'"}}"#, 400, &[("/error/type", r#""illegal_argument_exception""#), ("/error/reason", r#""Modifying [_id] not allowed""#)]),
    case("body.script", "POST /u/_update_by_query", r#"{"script":{"source":"ctx.op = 'junk'"}}"#, 400, &[("/error/reason", r#""Operation type [junk] not allowed, only [noop, index, delete] are allowed""#)]),
    case("body.script", "POST /u/_update_by_query", r#"{"script":{"source":"ctx.junk = 1"}}"#, 400, &[("/error/reason", r#""Invalid fields added to context [junk]""#)]),
    case("body.script", "POST /u/_update_by_query", r#"{"script":{"source":"ctx._source.n = "}}"#, 400, &[("/error/type", r#""script_exception""#), ("/error/reason", r#""compile error""#)]),
    case("allow_no_indices", "POST /none*/_update_by_query", "", 200, &[("/total", "0")]),
    case("allow_no_indices", "POST /none*/_update_by_query?allow_no_indices=false", "", 404, &[("/error/type", r#""index_not_found_exception""#)]),
    case("allow_no_indices", "POST /none*/_update_by_query?allow_no_indices=maybe", "", 400, &[("/error/reason", r#""Could not convert [allow_no_indices] to boolean""#)]),
    case("analyzer", "POST /u/_update_by_query?q=t:Red&analyzer=keyword", "", 200, &[("/total", "0")]),
    case("analyzer", "POST /u/_update_by_query?q=t:Red&analyzer=standard", "", 200, &[("/total", "2")]),
    case("analyze_wildcard", "POST /u/_update_by_query?q=t:R*d&analyze_wildcard=true", "", 200, &[("/total", "2")]),
    case("conflicts", "POST /u/_update_by_query?conflicts=junk", "", 400, &[("/error/reason", r#""conflicts may only be \"proceed\" or \"abort\" but was [junk]""#)]),
    case("conflicts", "POST /changed/_update_by_query", "", 409, &[("/version_conflicts", "1"), ("/failures/0/id", r#""1""#), ("/failures/0/cause/type", r#""version_conflict_engine_exception""#), ("/failures/0/status", "409")]),
    case("conflicts", "POST /changed/_update_by_query?conflicts=proceed", "", 200, &[("/version_conflicts", "1"), ("/updated", "1"), ("/failures", "[]")]),
    case("conflicts", "POST /changed/_update_by_query", r#"{"conflicts":"proceed"}"#, 200, &[("/version_conflicts", "1")]),
    case("default_operator", "POST /u/_update_by_query?q=red%20car&df=t", "", 200, &[("/total", "3")]),
    case("default_operator", "POST /u/_update_by_query?q=red%20car&df=t&default_operator=AND", "", 200, &[("/total", "1")]),
    case("default_operator", "POST /u/_update_by_query?q=red&default_operator=XOR", "", 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("df", "POST /u/_update_by_query?q=boat&df=t", "", 200, &[("/total", "1")]),
    case("expand_wildcards", "POST /u*,v*/_update_by_query", "", 200, &[("/total", "5")]),
    case("expand_wildcards", "POST /closed*/_update_by_query?expand_wildcards=closed", "", 400, &[("/error/reason", r#""To expand [CLOSE] wildcard, please set forbid_closed_indices to `false`""#)]),
    case("expand_wildcards", "POST /.hid*/_update_by_query?expand_wildcards=hidden,open", "", 200, &[("/total", "1")]),
    case("expand_wildcards", "POST /u*/_update_by_query?expand_wildcards=none", "", 200, &[("/total", "0")]),
    case("expand_wildcards", "POST /u*/_update_by_query?expand_wildcards=junk", "", 400, &[("/error/reason", r#""No valid expand wildcard value [junk]""#)]),
    // What is wrong is told at its place in the body as it is written anew.
    case("body.query", "POST /u/_update_by_query", r#"{"query":{},"size":2}"#, 400, &[("/error/reason", r#""query malformed, empty clause found at [1:20]""#)]),
    case("scroll_size", "POST /u/_update_by_query", r#"{"size":null}"#, 400, &[("/error/reason", r#""Unknown key for a VALUE_NULL in [size].""#)]),
    case("scroll_size", "POST /u/_update_by_query?lenient=true&scroll_size=-2", r#"{"query":{"match_all":{}}}"#, 400, &[("/error/reason", r#""[size] parameter cannot be negative, found [-2]""#)]),
    case("scroll_size", "POST /u/_update_by_query?scroll_size=10001&max_docs=1", "", 400, &[("/error/reason", r#""all shards failed""#)]),
    case("from", "POST /u/_update_by_query?from=1", "", 400, &[("/error/reason", r#""Validation Failed: 1: using [from] is not allowed in a scroll context;2: from is not supported in this context;""#)]),
    case("from", "POST /u/_update_by_query?from=0", "", 200, &[("/total", "4")]).overruled(),
    case("ignore_unavailable", "POST /u,nobody/_update_by_query?ignore_unavailable=true", "", 200, &[("/total", "4")]),
    case("ignore_unavailable", "POST /u,closed/_update_by_query?ignore_unavailable=true", "", 200, &[("/total", "4")]),
    case("ignore_unavailable", "POST /u,closed/_update_by_query", "", 400, &[("/error/type", r#""index_closed_exception""#)]),
    case("lenient", "POST /u/_update_by_query?q=n:word", "", 200, &[("/total", "0")]),
    case("lenient", "POST /u/_update_by_query?q=n:word&lenient=false", "", 400, &[("/error/type", r#""search_phase_execution_exception""#)]),
    case("lenient", "POST /u/_update_by_query?q=n:word&lenient=true", "", 200, &[("/total", "0")]),
    case("max_docs", "POST /u/_update_by_query?max_docs=2&sort=n:asc&refresh=true", SEEN, 200, &[("/updated", "2"), ("/total", "2")])
        .then(&[("GET /u/_doc/1", "/_source/seen", "true"), ("GET /u/_doc/4", "/_source/seen", "-")]),
    case("max_docs", "POST /u/_update_by_query", r#"{"max_docs":3}"#, 200, &[("/updated", "3")]),
    case("max_docs", "POST /u/_update_by_query?max_docs=-1", "", 400, &[("/error/reason", r#""[max_docs] parameter cannot be negative, found [-1]""#)]),
    case("max_docs", "POST /u/_update_by_query?max_docs=1", r#"{"max_docs":2}"#, 400, &[("/error/reason", r#""[max_docs] set to two different values [2] and [1]""#)]),
    case("max_docs", "POST /u/_update_by_query?max_docs=1&slices=2", "", 400, &[("/error/reason", r#""[max_docs] should be >= [slices]""#)]),
    case("max_docs", "POST /u/_update_by_query?max_docs=3&slices=2", "", 200, &[("/slices/0/total", "1"), ("/slices/1/total", "1")]),
    case("pipeline", "POST /u/_update_by_query?pipeline=mark&refresh=true", "", 200, &[("/updated", "4")])
        .then(&[("GET /u/_doc/1", "/_source/marked", "true")]),
    case("pipeline", "POST /u/_update_by_query?pipeline=nobody", "", 400, &[("/failures/0/cause/type", r#""illegal_argument_exception""#), ("/failures/0/cause/reason", r#""pipeline with id [nobody] does not exist""#)]),
    case("preference", "POST /u/_update_by_query?preference=_local", "", 200, &[("/total", "4")]),
    case("preference", "POST /u/_update_by_query?preference=_shards:0", "", 200, &[("/total", "4")]),
    case("preference", "POST /u/_update_by_query?preference=_junk", "", 400, &[("/error/type", r#""illegal_argument_exception""#)]),
    case("q", "POST /u/_update_by_query?q=n:%5B2%20TO%203%5D", "", 200, &[("/total", "2")]),
    case("request_cache", "POST /u/_update_by_query?request_cache=true", "", 400, &[("/error/reason", r#""Validation Failed: 1: [request_cache] cannot be used in a scroll context;""#)]),
    case("request_cache", "POST /u/_update_by_query?request_cache=false", "", 200, &[("/total", "4")]).overruled(),
    case("refresh", "POST /u/_update_by_query?refresh=true", SEEN, 200, &[("/updated", "4")])
        .then(&[("GET /u/_count?q=seen:true", "/count", "4")]),
    case("refresh", "POST /u/_update_by_query", SEEN, 200, &[("/updated", "4")])
        .then(&[("GET /u/_count?q=seen:true", "/count", "0")]),
    case("refresh", "POST /u/_update_by_query?refresh=wait_for", "", 400, &[("/error/reason", r#""Failed to parse value [wait_for] as only [true] or [false] are allowed.""#)]),
    case("requests_per_second", "POST /u/_update_by_query?requests_per_second=10000&scroll_size=1", "", 200, &[("/requests_per_second", "10000.0"), ("/batches", "4")]),
    case("requests_per_second", "POST /u/_update_by_query?requests_per_second=-1", "", 200, &[("/requests_per_second", "-1.0"), ("/throttled_millis", "0")]),
    case("requests_per_second", "POST /u/_update_by_query?requests_per_second=0", "", 400, &[("/error/reason", r#""[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.""#)]),
    case("routing", "POST /routed/_update_by_query?routing=a", "", 200, &[("/total", "1")]),
    case("scroll", "POST /u/_update_by_query?scroll=2m", "", 200, &[("/total", "4")]),
    case("scroll", "POST /u/_update_by_query?scroll=junk", "", 400, &[("/error/reason", r#""failed to parse setting [scroll] with value [junk] as a time value: unit is missing or unrecognized""#)]),
    case("scroll", "POST /u/_update_by_query?scroll=25h", "", 400, &[("/error/type", r#""search_phase_execution_exception""#)]),
    case("scroll_size", "POST /u/_update_by_query?scroll_size=3", "", 200, &[("/batches", "2"), ("/updated", "4")]),
    case("scroll_size", "POST /u/_update_by_query", r#"{"size":3}"#, 200, &[("/batches", "2"), ("/updated", "4")]),
    case("scroll_size", "POST /u/_update_by_query", r#"{"size":-5}"#, 400, &[("/error/reason", r#""[size] parameter cannot be negative, found [-5]""#)]),
    case("scroll_size", "POST /u/_update_by_query?scroll_size=0", "", 400, &[("/error/reason", r#""Validation Failed: 1: [size] cannot be [0] in a scroll context;""#)]),
    case("slices", "POST /u/_update_by_query", r#"{"slice":{"id":0,"max":2}}"#, 200, &[("/slice_id", "0")]),
    case("slices", "POST /u/_update_by_query?slices=x", "", 400, &[("/error/caused_by/type", r#""number_format_exception""#)]),
    case("body.script", "POST /u/_update_by_query", r#"{"script":{}}"#, 400, &[("/error/type", r#""parse_exception""#), ("/error/reason", r#""Expected one of [source] or [id] fields, but found none""#)]),
    case("body.script", "POST /u/_update_by_query", r#"{"script":5}"#, 400, &[("/error/reason", r#""Script value should be a String or a Map""#)]),
    case("scroll_size", "POST /u/_update_by_query?scroll_size=10001", "", 400, &[]),
    case("search_type", "POST /u/_update_by_query?search_type=dfs_query_then_fetch", "", 200, &[("/total", "4")]),
    case("search_type", "POST /u/_update_by_query?search_type=junk", "", 400, &[("/error/reason", r#""No search type for [junk]""#)]),
    case("search_timeout", "POST /u/_update_by_query?search_timeout=10s", "", 200, &[("/total", "4")]),
    case("search_timeout", "POST /u/_update_by_query?search_timeout=junk", "", 400, &[("/error/reason", r#""failed to parse setting [search_timeout] with value [junk] as a time value: unit is missing or unrecognized""#)]),
    case("slices", "POST /u/_update_by_query?slices=2", "", 200, &[("/updated", "4"), ("/slices/1/slice_id", "1"), ("/slices/2", "-")]),
    case("slices", "POST /u/_update_by_query?slices=auto", "", 200, &[("/updated", "4")]),
    case("slices", "POST /u/_update_by_query?slices=0", "", 400, &[("/error/reason", r#""[slices] must be a positive integer or the string \"auto\", but was [0]""#)]),
    case("sort", "POST /u/_update_by_query?sort=n:desc&max_docs=1", SEEN, 200, &[("/updated", "1")])
        .then(&[("GET /u/_doc/4", "/_source/seen", "true")]),
    case("_source", "POST /u/_update_by_query?_source=true", "", 200, &[("/updated", "4")]),
    case("_source_includes", "POST /u/_update_by_query?_source_includes=n,t", "", 200, &[("/updated", "4")])
        .then(&[("GET /u/_doc/1", "/_source/t", r#""red car""#)]),
    case("_source_excludes", "POST /u/_update_by_query?_source_excludes=nothing", "", 200, &[("/updated", "4")])
        .then(&[("GET /u/_doc/1", "/_source/n", "1")]),
    case("stats", "POST /u/_update_by_query?stats=one,two", "", 200, &[("/updated", "4")]),
    case("terminate_after", "POST /u/_update_by_query?terminate_after=1", "", 200, &[("/total", "1")]),
    case("terminate_after", "POST /u/_update_by_query?terminate_after=-1", "", 400, &[]),
    case("timeout", "POST /u/_update_by_query?timeout=5s", "", 200, &[("/timed_out", "false")]),
    case("timeout", "POST /u/_update_by_query?timeout=junk", "", 400, &[("/error/reason", r#""failed to parse setting [timeout] with value [junk] as a time value: unit is missing or unrecognized""#)]),
    case("version", "POST /u/_update_by_query?version=true", "", 200, &[("/updated", "4")]),
    case("wait_for_active_shards", "POST /u/_update_by_query?wait_for_active_shards=1", "", 200, &[("/updated", "4")]),
    case("wait_for_active_shards", "POST /u/_update_by_query?wait_for_active_shards=all", "", 200, &[("/updated", "4")]),
    case("wait_for_active_shards", "POST /u/_update_by_query?wait_for_active_shards=2&timeout=10ms", "", 503, &[("/failures/0/cause/type", r#""unavailable_shards_exception""#)]),
    case("wait_for_active_shards", "POST /u/_update_by_query?wait_for_active_shards=junk", "", 400, &[("/error/reason", r#""cannot parse ActiveShardCount[junk]""#)]),
    case("wait_for_completion", "POST /u/_update_by_query?wait_for_completion=false", "", 200, &[("/task", "*"), ("/took", "-")]),
    case("wait_for_completion", "POST /u/_update_by_query?wait_for_completion=junk", "", 400, &[("/error/reason", r#""Failed to parse value [junk] as only [true] or [false] are allowed.""#)]),
    case("response", "POST /u/_update_by_query", "", 200, &[
        ("/took", "*"), ("/timed_out", "false"), ("/total", "4"), ("/updated", "4"), ("/deleted", "0"), ("/batches", "1"), ("/version_conflicts", "0"), ("/noops", "0"),
        ("/retries/bulk", "0"), ("/retries/search", "0"), ("/throttled_millis", "0"), ("/requests_per_second", "-1.0"), ("/throttled_until_millis", "0"), ("/failures", "[]"), ("/created", "-"),
    ]),
    case("noops", "POST /u/_update_by_query", NOOP, 200, &[("/noops", "4"), ("/updated", "0"), ("/total", "4")]),
    case("deleted", "POST /u/_update_by_query?refresh=true", r#"{"script":{"source":"if (ctx._source.n > 2) ctx.op = 'delete'"}}"#, 200, &[("/deleted", "2"), ("/updated", "2")])
        .then(&[("GET /u/_count", "/count", "2")]),
    case("failures", "POST /u/_update_by_query", r#"{"script":{"source":"if (ctx._source.n == 2) ctx._source.n = 'word'"}}"#, 400, &[("/failures/0/index", r#""u""#), ("/failures/0/id", r#""2""#), ("/failures/0/cause/type", r#""mapper_parsing_exception""#), ("/failures/0/status", "400")]),
    case("search_pipeline", "POST /u/_update_by_query?search_pipeline=reds", "", 200, &[("/total", "2")]),
    case("search_pipeline", "POST /u/_update_by_query", r#"{"search_pipeline":{"request_processors":[{"filter_query":{"query":{"term":{"t":"car"}}}}]}}"#, 200, &[("/updated", "2")]),
    case("search_pipeline", "POST /u/_update_by_query?search_pipeline=reds&slices=2", "", 200, &[("/total", "4")]),
    case("search_pipeline", "POST /u/_delete_by_query?search_pipeline=none", r#"{"query":{"match_all":{}}}"#, 400, &[("/error/reason", r#""Pipeline none is not defined""#)]),
    case("search_pipeline", "POST /u/_update_by_query", r#"{"verbose_pipeline":true}"#, 400, &[("/error/reason", r#""The 'verbose pipeline' option requires a search pipeline to be defined.""#)]),
    // The body is read from a hash map: `max` comes before `id`, `query` before `sort`.
    case("body.query", "POST /u/_update_by_query", r#"{"slice":{"id":2,"max":2}}"#, 400, &[("/error/reason", r#""[1:24] [slice] failed to parse field [id]""#)]),
    case("body.query", "POST /u/_update_by_query", r#"{"sort":{"n":{"order":"x"}},"query":{"foo":{}}}"#, 400, &[("/error/reason", r#""unknown query [foo]""#)]),
    case("body.query", "POST /u/_update_by_query", r#"{"slice":{}}"#, 400, &[("/error/reason", r#""sliceId must be greater than 0 but was [-1]""#)]),
    case("body.query", "POST /u/_update_by_query", r#"{"pit":{"id":"x"}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: [indices] cannot be used with point in time;""#)]),
    case("body.script", "POST /u/_update_by_query", r#"{"script":{"source":"ctx.op=[1]"}}"#, 500, &[("/error/type", r#""class_cast_exception""#), ("/error/reason", r#""class java.util.ArrayList cannot be cast to class java.lang.String (java.util.ArrayList and java.lang.String are in module java.base of loader 'bootstrap')""#)]),
    case("body.script", "POST /u/_update_by_query", r#"{"script":{"source":"ctx.foo=5;ctx.bar=6"}}"#, 400, &[("/error/reason", r#""Invalid fields added to context [bar,foo]""#)]),
    case("body.script", "POST /u/_update/1", r#"{"script":{"source":"ctx.op=null"}}"#, 500, &[("/error/type", r#""null_pointer_exception""#)]),
    case("body.script", "POST /_reindex", r#"{"source":{"index":"u"},"dest":{"index":"w"},"script":{"source":"ctx._index=null"}}"#, 500, &[("/error/type", r#""null_pointer_exception""#)]),
    case("body.script", "POST /_reindex", r#"{"source":{"index":"u"},"dest":{"index":"w"},"script":{"source":"ctx._version=true"}}"#, 400, &[("/error/caused_by/type", r#""class_cast_exception""#)]),
    case("path", "POST /_reindex", r#"{"source":{"index":"u"},"dest":{"index":"w"},"conflicts":1}"#, 400, &[("/error/reason", r#""[1:58] [reindex] conflicts doesn't support values of type: VALUE_NUMBER""#)]),
    case("path", "POST /_reindex", r#"{"source":{"index":{"a":1}},"dest":{"index":"w"}}"#, 400, &[("/error/caused_by/reason", r#""Expected [index] to be a list or a string but was [{a=1}]""#)]),
    // What no shard is asked for cannot be scrolled through.
    case("slices", "POST /u/_search?scroll=1m", r#"{"slice":{"id":1}}"#, 200, &[("/_shards/total", "0"), ("/_scroll_id", "-")]),
    // The URL wins over the body; what follows the body is not read.
    case("conflicts", "POST /changed/_update_by_query?conflicts=abort", r#"{"conflicts":"proceed"}"#, 409, &[("/version_conflicts", "1")]),
    case("conflicts", "POST /changed/_update_by_query?conflicts=proceed", r#"{"conflicts":"abort"}"#, 200, &[("/version_conflicts", "1")]),
    case("body.query", "POST /u/_update_by_query", "{} x", 200, &[("/total", "4")]),
    case("pipeline", "POST /u/_update_by_query?pipeline=&max_docs=2", "", 400, &[("/error/reason", r#""Validation Failed: 1: pipeline cannot be an empty string;2: pipeline cannot be an empty string;""#)]),
    case("search_type", "POST /u/_update_by_query?search_type=query_and_fetch", "", 400, &[("/error/reason", r#""Unsupported search type [query_and_fetch]""#)]),
    case("path", "POST /u/_update_by_query?maxdocs=1", "", 400, &[("/error/reason", r#""request [/u/_update_by_query] contains unrecognized parameter: [maxdocs]""#)]),
    case("path", "POST /u/_update_by_query?track_total_hits=true", "", 200, &[("/total", "4")]),
    case("path", "POST /u/_update_by_query?track_total_hits=false", "", 400, &[("/error/reason", r#""Validation Failed: 1: disabling [track_total_hits] is not allowed in a scroll context;""#)]),
    case("path", "POST /u/_update_by_query?stored_fields=n", "", 400, &[("/error/reason", r#""Validation Failed: 1: stored_fields is not supported in this context;""#)]),
    case("body.script", "POST /u/_update_by_query", r#"{"script":{"source":"1","params":null}}"#, 500, &[("/error/reason", "null")]),
    case("path", "POST /u/_update_by_query?junk=1", "", 400, &[("/error/reason", r#""request [/u/_update_by_query] contains unrecognized parameter: [junk]""#)]),
];

/// Documents 1 to 4 in `u`, one in `v`; `changed` has one that was written again since it was last refreshed.
fn set_up(server: &Server) -> Vec<(&'static str, String)> {
    server.ok("DELETE /u,v,changed,routed,closed,.hid?ignore_unavailable=true", "");
    let one = r#""settings":{"number_of_shards":1,"number_of_replicas":0,"refresh_interval":-1}"#;
    let mappings =
        r#""mappings":{"properties":{"n":{"type":"integer"},"t":{"type":"text"},"seen":{"type":"boolean"}}}"#;
    for index in ["u", "changed", "closed"] {
        server.ok(&format!("PUT /{index}"), &format!("{{{one},{mappings}}}"));
    }
    server.ok("PUT /v", &format!("{{{one}}}"));
    server.ok("PUT /.hid", r#"{"settings":{"number_of_shards":1,"number_of_replicas":0,"hidden":true}}"#);
    server.ok("PUT /routed", r#"{"settings":{"number_of_shards":5,"number_of_replicas":0}}"#);
    server.ok("PUT /_ingest/pipeline/mark", r#"{"processors":[{"set":{"field":"marked","value":true}}]}"#);
    let reds = r#"{"request_processors":[{"filter_query":{"query":{"term":{"t":"red"}}}}]}"#;
    server.ok("PUT /_search/pipeline/reds", reds);
    let lines = [
        r#"{"index":{"_index":"u","_id":"1"}}"#,
        r#"{"n":1,"t":"red car"}"#,
        r#"{"index":{"_index":"u","_id":"2"}}"#,
        r#"{"n":2,"t":"red boat"}"#,
        r#"{"index":{"_index":"u","_id":"3"}}"#,
        r#"{"n":3,"t":"blue car"}"#,
        r#"{"index":{"_index":"u","_id":"4"}}"#,
        r#"{"n":4,"t":"green"}"#,
        r#"{"index":{"_index":"v","_id":"1"}}"#,
        r#"{"n":1}"#,
        r#"{"index":{"_index":".hid","_id":"1"}}"#,
        r#"{"n":1}"#,
        r#"{"index":{"_index":"routed","_id":"1","routing":"a"}}"#,
        r#"{"n":1}"#,
        r#"{"index":{"_index":"routed","_id":"2","routing":"b"}}"#,
        r#"{"n":2}"#,
        r#"{"index":{"_index":"changed","_id":"1"}}"#,
        r#"{"n":1}"#,
        r#"{"index":{"_index":"changed","_id":"2"}}"#,
        r#"{"n":2}"#,
        "",
    ];
    server.ok("POST /_bulk?refresh=true", &lines.join("\n"));
    server.ok("PUT /changed/_doc/1", r#"{"n":1}"#);
    server.ok("POST /closed/_close", "");
    vec![]
}

#[test]
fn every_row_of_update_by_query() {
    assert_covers(CASES, ROWS);
    Server::start("rows-update-by-query").run(CASES, set_up);
}
