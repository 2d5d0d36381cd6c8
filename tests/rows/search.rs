//! What a search and its relatives answer as a whole: failures over several shards, explanations, sorts of the address.

use super::{Case, Server, assert_covers, case};

const ROWS: &[&str] = &[
    "explain",
    "expand_wildcards",
    "sort",
    "failures",
    "ignored",
    "parameters",
    "suggest",
    "template",
    "approximated",
    "copied",
    "words",
    "rescore",
    "groups",
    "highlight",
    "names",
    "routing",
];

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Whether there is a document is asked first, and the query is built then.
    case("explain", "GET /s/_explain/none", r#"{"query":{"term":{"n":"x"}}}"#, 404, &[("/matched", "false")]),
    case("explain", "GET /s/_explain/none?q=a+AND", "", 404, &[("/matched", "false")]),
    case("explain", "GET /s/_explain/1", r#"{"query":{"range":{"d":{"lt":"x"}}}}"#, 400, &[("/error/type", r#""query_shard_exception""#), ("/error/root_cause/0/type", r#""parse_exception""#)]),
    case("explain", "GET /s/_explain/2?_source=true&routing=r", r#"{"query":{"exists":{"field":"_ignored"}}}"#, 200, &[("/matched", "true"), ("/get/_ignored", r#"["n"]"#)]),
    case("ignored", "GET /s/_doc/2?routing=r", "", 200, &[("/_routing", r#""r""#), ("/_ignored", r#"["n"]"#)]),
    case("ignored", "GET /s/_doc/3?routing=r", "", 200, &[("/_routing", r#""r""#), ("/_ignored", "-")]),
    case("ignored", "GET /s/_doc/3?routing=r&stored_fields=k", "", 200, &[("/_ignored", r#"["n"]"#), ("/fields/k", r#"["x"]"#)]),
    case("ignored", "GET /s/_doc/2?routing=r&stored_fields=_none_", "", 200, &[("/_ignored", r#"["n"]"#)]),
    // Metadata that reads as texts has terms, too.
    case("ignored", "GET /s/_termvectors/2?routing=r&fields=_*", "", 200, &[("/term_vectors/_ignored/terms/n/term_freq", "1"), ("/term_vectors/_routing/terms/r/tokens/0/end_offset", "1")]),
    case("ignored", "GET /s/_search", r#"{"query":{"more_like_this":{"like":{"_id":"2","routing":"r"},"min_term_freq":1,"min_doc_freq":1,"minimum_should_match":2}}}"#, 200, &[("/hits/total/value", "1"), ("/hits/hits/0/_id", r#""3""#)]),
    case("ignored", "GET /s/_search", r#"{"query":{"more_like_this":{"like":{"_id":"2","_routing":"r"}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to parse More Like This item. unknown field [_routing]""#)]),
    // Wildcards for closed indexes alone are wrong where one is meant.
    case("expand_wildcards", "GET /o*/_search?expand_wildcards=closed", "", 200, &[("/_shards/total", "0")]),
    case("expand_wildcards", "GET /s,o/_search?expand_wildcards=closed", "", 200, &[("/_shards/total", "3")]),
    case("expand_wildcards", "GET /shut*/_search?expand_wildcards=closed", "", 400, &[("/error/reason", r#""To expand [CLOSE] wildcard, please set forbid_closed_indices to `false`""#)]),
    case("sort", "GET /s/_search?sort=_score", r#"{"sort":["d"]}"#, 200, &[("/hits/hits/0/sort/0", "1609459200000"), ("/hits/hits/0/sort/1", "1.0")]),
    case("sort", "GET /s/_search?sort=d:desc", r#"{"sort":["none"]}"#, 400, &[("/error/root_cause/0/reason", r#""No mapping found for [none] in order to sort on""#)]),
    // Several shards are asked beforehand, where the sort is looked at and the query is not built.
    case("failures", "GET /s/_search", r#"{"query":{"term":{"n":"x"}},"sort":["none"]}"#, 400, &[("/error/phase", r#""can_match""#), ("/error/root_cause/0/reason", r#""No mapping found for [none] in order to sort on""#)]),
    case("failures", "GET /s,o/_search", r#"{"query":{"term":{"n":"x"}},"sort":["d"]}"#, 400, &[("/error/phase", r#""query""#), ("/error/root_cause/0/reason", r#""failed to create query: For input string: \"x\"""#), ("/error/root_cause/1", "*"), ("/error/root_cause/2", "-")]),
    case("parameters", "GET /s/_search?size=1&sizes=2", "", 400, &[("/error/reason", r#""request [/s/_search] contains unrecognized parameter: [sizes] -> did you mean [size]?""#)]),
    case("parameters", "GET /s/_search?sizes=2", "", 400, &[("/error/reason", r#""request [/s/_search] contains unrecognized parameter: [sizes]""#)]),
    case("suggest", "GET /none*/_search", r#"{"suggest":{"a":{"text":"x","term":{"field":"t"}}}}"#, 200, &[("/suggest", "-")]),
    // What is suggested of a shard whose documents cannot be fetched is told without them, and with neither shard nothing is.
    case("suggest", "GET /c/_search", r#"{"fields":[{"field":"n","format":"x"}],"suggest":{"a":{"prefix":"no","completion":{"field":"c"}}}}"#, 200, &[("/_shards/failed", "1"), ("/suggest/a/0/options", r#"[{"score":1.0,"text":"north"}]"#)]),
    case("suggest", "GET /none*/_search", r#"{"profile":true}"#, 200, &[("/profile", "-")]),
    case("suggest", "GET /s/_search", r#"{"suggest":{"a":{"sizes":[]}}}"#, 400, &[("/error/reason", r#""missing suggestion object""#)]),
    case("template", "PUT /_index_template/t", r#"{"index_patterns":["t*"],"template":{"settings":{"similarity":{"x":{"type":"none"}}}}}"#, 400, &[("/error/reason", r#""composable template [t] template after composition is invalid""#), ("/error/caused_by/reason", r#""Unknown Similarity type [none] for [x]""#)]),
    case("template", "PUT /_component_template/t", r#"{"template":{"settings":{"similarity":{"x":{"type":"none"}}}}}"#, 400, &[("/error/reason", r#""Unknown Similarity type [none] for [x]""#)]),
    // What checks a search and counts it comes after its body has been read.
    case("parameters", "GET /s/_search?expand_wildcards=foo&search_type=query_and_fetch", "", 400, &[("/error/reason", r#""Unsupported search type [query_and_fetch]""#)]),
    case("parameters", "GET /s/_count?min_score=x", r#"{"size":1}"#, 400, &[("/error/reason", r#""request does not support [size]""#)]),
    case("parameters", "GET /s/_count?terminate_after=-1", "", 400, &[("/error/reason", r#""terminateAfter must be > 0""#)]),
    case("parameters", "GET /s/_count?min_score=2", r#"{"query":{"match_all":{}}}"#, 200, &[("/count", "0")]),
    case("parameters", "GET /s/_msearch?max_concurrent_shard_requests=0", "{\"types\":1}\n{}\n", 400, &[("/error/reason", r#""key [types] is not supported in the metadata section""#)]),
    case("parameters", "GET /s/_msearch?max_concurrent_shard_requests=0", "{}\n{}\n", 400, &[("/error/reason", r#""maxConcurrentShardRequests must be >= 1""#)]),
    case("parameters", "GET /s/_msearch", "{\"query\":{},\"size\":1}\n{}\n", 400, &[("/error/reason", r#""key [size] is not supported in the metadata section""#)]),
    case("parameters", "GET /s/_msearch", "{\"expand_wildcards\":\"x\",\"type\":1}\n{}\n", 400, &[("/error/reason", r#""key [type] is not supported in the metadata section""#)]),
    // A range alone is approximated unless hits are sorted by something else or all are counted; a page before it is not counted.
    case("approximated", "GET /a/_search", r#"{"query":{"range":{"n":{"lt":5}}},"explain":true,"sort":["n"],"search_after":[1]}"#, 200, &[("/hits/total/value", "1"), ("/hits/hits/0/_explanation/description", r#""Approximate(n:[2 TO 4])""#)]),
    case("approximated", "GET /a/_search", r#"{"query":{"range":{"n":{"lt":5}}},"explain":true,"sort":[{"n":"desc"}],"search_after":[2]}"#, 200, &[("/hits/total/value", "1"), ("/hits/hits/0/_explanation/description", r#""Approximate(n:[-2147483648 TO 1])""#)]),
    case("approximated", "GET /a/_search", r#"{"query":{"range":{"n":{"lt":5}}},"explain":true,"sort":["from"],"search_after":["x"]}"#, 200, &[("/hits/total/value", "2"), ("/hits/hits/0/_explanation/description", r#""n:[-2147483648 TO 4]""#)]),
    case("approximated", "GET /a/_search", r#"{"query":{"range":{"n":{"lt":5}}},"explain":true,"sort":[{"n":{"missing":"_last"}}]}"#, 200, &[("/hits/hits/0/_explanation/description", r#""n:[-2147483648 TO 4]""#)]),
    case("approximated", "GET /a/_search", r#"{"query":{"range":{"n":{"lt":5}}},"explain":true,"track_total_hits":true}"#, 200, &[("/hits/hits/0/_explanation/description", r#""n:[-2147483648 TO 4]""#)]),
    case("approximated", "GET /a/_search", r#"{"query":{"nested":{"path":"items","query":{"range":{"items.q":{"gt":1}}},"inner_hits":{"explain":true}}}}"#, 200, &[("/hits/hits/0/inner_hits/items/hits/hits/0/_explanation/description", r#""Approximate(items.q:[2 TO 2147483647])""#)]),
    // A field that another is copied to has values where both have.
    case("copied", "GET /a/_search", r#"{"fields":["to"],"sort":["n"],"highlight":{"fields":{"to":{"type":"plain","no_match_size":9}}}}"#, 200, &[("/hits/hits/0/fields", "-"), ("/hits/hits/0/highlight", "-"), ("/hits/hits/1/fields/to", r#"["y","z"]"#), ("/hits/hits/1/highlight/to", r#"["y"]"#)]),
    case("words", "GET /a/_search", r#"{"query":{"fuzzy":{"l":"\u00c9CLAIR"}}}"#, 200, &[("/hits/total/value", "1")]),
    case("words", "GET /a/_search", r#"{"query":{"fuzzy":{"t":{"value":"","fuzziness":1}}}}"#, 200, &[("/hits/total/value", "0")]),
    case("words", "GET /a/_search", r#"{"query":{"terms":{"from":[{"x":1}]}}}"#, 200, &[("/hits/total/value", "1")]),
    case("words", "GET /a/_search", r#"{"query":{"combined_fields":{"query":"a","fields":["bare","t"]}}}"#, 400, &[("/error/root_cause/0/reason", r#""CombinedFieldQuery requires norms to be consistent across fields: some fields cannot  have norms enabled, while others have norms disabled""#)]),
    case("words", "GET /a/_search", r#"{"query":{"query_string":{"query":"(t:a t:c)^2","minimum_should_match":"2"}}}"#, 200, &[("/hits/total/value", "0")]),
    // Mistakes are told in the order in which they stand.
    case("words", "GET /a/_search", r#"{"query":{"query_string":{"query":"[a TO) x] \""}}}"#, 400, &[("/error/failed_shards/0/reason/caused_by/caused_by/type", r#""parse_exception""#)]),
    case("words", "GET /a/_search", r#"{"query":{"query_string":{"query":"nest:x t:[1 TO 2] from:a \"","fields":["n"],"type":"phrase_prefix"}}}"#, 400, &[("/error/failed_shards/0/reason/caused_by/caused_by/type", r#""token_mgr_error""#)]),
    case("words", "GET /a/_search", r#"{"query":{"query_string":{"query":"x t:a \"","fields":["from"],"type":"phrase_prefix"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Can only use phrase prefix queries on text fields - not on [from] which is of type [keyword]""#)]),
    // A query that is refused when it has been read is refused where it ends.
    case("words", "GET /a/_count", r#"{"query":{"regexp":{}}}"#, 400, &[("/error/col", "21"), ("/error/caused_by/reason", r#""field name is null or empty""#)]),
    case("words", "GET /a/_search", r#"{"query":{"query_string":{"query":"t:a AND The*","analyze_wildcard":true,"fields":["stop"]}}}"#, 200, &[("/hits/total/value", "1")]),
    case("words", "GET /a/_validate/query?explain=true", r#"{"query":{"simple_query_string":{"query":"The* x","analyze_wildcard":true,"fields":["stop","t","none"]}}}"#, 200, &[("/explanations/0/explanation", r#""+(t:the* (stop:x | t:x)~1.0) #FieldExistsQuery [field=_primary_term]""#)]),
    case("words", "GET /a/_validate/query?explain=true", r#"{"query":{"query_string":{"query":"x*","fields":["t","none"]}}}"#, 200, &[("/explanations/0/explanation", r#""+t:x* #FieldExistsQuery [field=_primary_term]""#)]),
    case("words", "GET /a/_search", r#"{"query":{"match":{"u":"x"}}}"#, 400, &[("/error/failed_shards/0/reason/caused_by/type", r#""number_format_exception""#)]),
    case("words", "GET /a/_search", r#"{"query":{"terms":{"f":[false,"true",""]}}}"#, 200, &[("/hits/total/value", "1")]),
    // What matches everything gives its score to the filters beside it, with or without optional clauses.
    case("explain", "GET /g/_search", r#"{"explain":true,"query":{"bool":{"must":{"match_all":{}},"filter":{"term":{"k":"x"}},"should":{"match":{"t":"b"}}}}}"#, 200, &[("/hits/hits/0/_explanation/details/0/description", r#""ConstantScore(k:x)""#)]),
    case("explain", "GET /g/_search", r#"{"explain":true,"query":{"bool":{"must":{"match_all":{}},"must_not":{"match":{"t":"b"}}}}}"#, 200, &[("/hits/hits/0/_explanation/details/0/description", r#""*:*""#)]),
    case("sort", "GET /o/_search", r#"{"sort":{"_script":{"script":{"sources":"1"},"type":"number"}}}"#, 400, &[("/error/reason", r#""[1:41] [_script] failed to parse field [script]""#), ("/error/caused_by/reason", r#""[1:31] [script] unknown field [sources] did you mean [source]?""#)]),
    case("sort", "GET /o/_search", r#"{"sort":{"_script":{"script":[],"type":"number"}}}"#, 400, &[("/error/reason", r#""[1:30] [_script] script doesn't support values of type: START_ARRAY""#)]),
    case("rescore", "GET /a/_search", r#"{"size":0,"rescore":{"query":{"rescore_query":{"regexp":{"from":"a|"}}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: unexpected end-of-string""#)]),
    // Groups are scored as the search is: each of their hits here as if both shards were one.
    case("groups", "GET /g/_search?search_type=dfs_query_then_fetch", r#"{"query":{"match":{"t":"a"}},"collapse":{"field":"k","inner_hits":{"name":"i"}}}"#, 200, &[("/hits/hits/0/_score", "0.13076457"), ("/hits/hits/0/inner_hits/i/hits/max_score", "0.13076457")]),
    // Patterns count beside the terms that they match, and twice where they are asked by values too.
    case("highlight", "GET /h/_search", r#"{"query":{"query_string":{"query":"x* xcd","fields":["a"]}},"highlight":{"order":"score","fragment_size":0,"number_of_fragments":2,"fields":{"a":{}}}}"#, 200, &[("/hits/hits/0/highlight/a", r#"["<em>Xcd</em> seven.","<em>Xab</em> six <em>xab</em>."]"#)]),
    case("highlight", "GET /h/_search", r#"{"query":{"match":{"a":"two"}},"highlight":{"require_field_match":false,"fields":{"v":{"type":"fvh","fragment_size":10,"fragment_offset":4}}}}"#, 400, &[("/error/root_cause/0/reason", r#""fragCharSize(10) is too small. It must be 12 or higher.""#)]),
    case("highlight", "GET /h/_search", r#"{"query":{"range":{"k":{"lt":"s"}}},"highlight":{"require_field_match":false,"fields":{"v":{"type":"fvh"},"a":{}}}}"#, 200, &[("/hits/hits/0/highlight/v", "-"), ("/hits/hits/0/highlight/a", "*")]),
    case("explain", "GET /g/_search", r#"{"explain":true,"query":{"script_score":{"query":{"match":{"t":"b"}},"script":{"source":"2"},"boost":3}}}"#, 200, &[("/hits/hits/0/_explanation/description", r#""Boosted score, product of:""#), ("/hits/hits/0/_explanation/details/1/details", "[]")]),
    case("explain", "GET /g/_search", r#"{"explain":true,"query":{"match_all":{}},"sort":["n"]}"#, 200, &[("/hits/hits/0/_explanation/description", r#""Approximate(n:[-2147483648 TO 2147483647])""#)]),
    case("explain", "GET /g/_search", r#"{"explain":true,"query":{"match_all":{}},"sort":["n"],"search_after":[1]}"#, 200, &[("/hits/hits/0/_explanation/description", r#""Approximate(n:[2 TO 2147483647])""#)]),
    case("words", "GET /a/_validate/query?explain=true", r#"{"query":{"query_string":{"query":"F?l* Fil* [A TO B]","fields":["t","from"],"analyzer":"standard"}}}"#, 200, &[("/explanations/0/explanation", r#""+((t:f?l* | from:F?l*) (t:fil* | from:Fil*) (t:[a TO b] | IndexOrDocValuesQuery(indexQuery=from:[a TO b], dvQuery=from:[a TO b]))) #FieldExistsQuery [field=_primary_term]""#)]),
    case("words", "GET /a/_validate/query?explain=true", r#"{"query":{"query_string":{"query":"t:[A TO B]"}}}"#, 200, &[("/explanations/0/explanation", r#""+t:[a TO b] #FieldExistsQuery [field=_primary_term]""#)]),
    case("words", "GET /a/_search", r#"{"query":{"match_all":{"boosts":1}}}"#, 400, &[("/error/reason", r#""[1:24] [match_all] unknown field [boosts] did you mean [boost]?""#)]),
    case("words", "GET /a/_search", r#"{"query":{"match_none":{"boosts":{}}}}"#, 400, &[("/error/reason", r#""[match_none] unknown token [START_OBJECT] after [boosts]""#)]),
    case("words", "GET /a/_search", r#"{"query":{"terms":{"from":["a",[null],"b"]}}}"#, 400, &[("/error/reason", r#""No value specified for terms query""#)]),
    case("words", "GET /a/_search", r#"{"query":{"terms_set":{"t":["b"]}}}"#, 400, &[("/error/reason", r#""[terms_set] unknown token [START_ARRAY]""#)]),
    case("words", "GET /a/_search", r#"{"query":{"intervals":{"t":{"all_of":{"intervals":["a","b"]}}}}}"#, 400, &[("/error/caused_by/reason", r#""Expected [FIELD_NAME] but got [VALUE_STRING]""#)]),
    case("words", "GET /a/_search", r#"{"query":{"span_or":{"clauses":[{"span_term":{"t":{"value":"a","boost":2}}},{"span_first":{"match":{"span_term":{"t":{"value":"a","boost":3}}},"end":1}}]}}}"#, 400, &[("/error/reason", r#""span_or [clauses] as a nested span clause can't have non-default boost value [2.0]""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"a":{"terms":{"field":"from","include":["a",[]]}}}}"#, 400, &[("/error/root_cause/0/reason", r#""Array elements in include/exclude clauses should be string values""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"a":{"range":{"field":"n","ranges":[{"from":1}],"keyed":""}}}}"#, 200, &[("/aggregations/a/buckets/0/doc_count", "2")]),
    // Of what is known to match nothing, and of filters that are none, no names are told.
    case("names", "GET /a/_search", r#"{"query":{"bool":{"should":[{"match_all":{}},{"bool":{"must":[{"exists":{"field":"n","_name":"x"}},{"match_none":{}}]}}]}}}"#, 200, &[("/hits/hits/0/matched_queries", "-")]),
    case("names", "GET /a/_search", r#"{"query":{"function_score":{"query":{"match_all":{"_name":"x"}},"functions":[{"weight":2,"filter":{"match_all":{"_name":"y"}}}]}}}"#, 200, &[("/hits/hits/0/matched_queries", r#"["x"]"#)]),
    case("parameters", "GET /g/_search?batched_reduce_size=2", r#"{"size":0}"#, 200, &[("/num_reduce_phases", "-")]),
    case("groups", "GET /s/_search?search_type=dfs_query_then_fetch", r#"{"query":{"span_term":{"t":"once"}}}"#, 200, &[("/hits/hits/0/_score", "0.3648143")]),
    case("routing", "GET /routed/_search?routing=2", "", 200, &[("/_shards/total", "2")]),
    case("routing", "GET /routed/_search?routing=1", "", 200, &[("/_shards/total", "1")]),
    // Where the reference's reader passes over the brackets of lists.
    case("words", "GET /a/_search", r#"{"query":{"nested":{"path":["items"],"query":[{"match_all":{}}]}}}"#, 200, &[("/hits/total/value", "1")]),
    case("words", "GET /a/_search", r#"{"query":{"span_multi":{"match":[{"prefix":{"t":"a"}}]}}}"#, 200, &[("/hits/total/value", "1")]),
    case("words", "GET /a/_search", r#"{"query":{"match_all":{"_name":[]}}}"#, 400, &[("/error/reason", r#""[1:32] [match_all] _name doesn't support values of type: START_ARRAY""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"a":{"range":{"field":"n","ranges":[0,{"from":1}]}}}}"#, 200, &[("/aggregations/a/buckets/0/doc_count", "2")]),
    case("words", "GET /a/_search", r#"{"aggs":{"a":{"terms":{"order":["a","b"]}}}}"#, 400, &[("/error/caused_by/reason", r#""Unknown order direction [b]""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"h":{"moving_fn":{"shifts":0}}}}"#, 400, &[("/error/reason", r#""[1:28] [moving_fn] unknown field [shifts] did you mean [shift]?""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"h":{"bucket_sort":{"sort":[3]}}}}"#, 400, &[("/error/reason", r#""[1:38] [bucket_sort] failed to parse field [sort]""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"h":{"bucket_script":{"buckets_path":{"n":[]}}}}}"#, 400, &[("/error/caused_by/reason", r#""Can't get text on a START_ARRAY at 1:52""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"a":{"geo_distance":{"ranges":["x"]}}}}"#, 400, &[("/error/caused_by/reason", r#""Failed to parse object: unexpected token [END_ARRAY] found""#)]),
    case("words", "GET /a/_search", r#"{"query":{"parent_id":{}}}"#, 400, &[("/error/root_cause/0/reason", r#""[parent_id] no join field found for index [a]""#)]),
    case("rescore", "GET /a/_search", r#"{"rescore":[[]]}"#, 400, &[("/error/reason", r#""unexpected token [END_ARRAY] after [null]""#)]),
    // Where nothing but suggestions is asked for there is nothing that would have been collapsed.
    case("groups", "GET /g/_search", r#"{"collapse":{"field":"k"},"suggest":{},"search_pipeline":{"response_processors":[{"collapse":{"field":"t"}}]}}"#, 200, &[("/hits/hits", "[]")]),
    case("groups", "GET /g/_search", r#"{"collapse":{"field":"k"},"search_pipeline":{"response_processors":[{"collapse":{"field":"t"}}]}}"#, 500, &[("/error/reason", r#""Cannot collapse on t. Results already collapsed on k""#)]),
    case("groups", "GET /a/_search", r#"{"collapse":{"field":""}}"#, 400, &[("/error/caused_by/reason", r#""field name is null or empty""#)]),
    case("highlight", "GET /h/_search", r#"{"query":{"match":{"a":"two"}},"highlight":{"fields":{"v":{"type":"fvh","matched_fields":["v","a"]}}}}"#, 200, &[("/hits/hits/0/highlight", "-")]),
    case("highlight", "GET /h/_search", r#"{"query":{"match":{"v":"two"}},"highlight":{"fields":{"v":{"type":"fvh","matched_fields":["a"]}}}}"#, 200, &[("/hits/hits/0/highlight", "-")]),
    case("sort", "GET /a/_search", r#"{"sort":[{"n":{"numeric_type":"unsigned_long"}}]}"#, 400, &[("/error/caused_by/reason", r#""invalid value for [numeric_type], must be [long, double, date, date_nanos], got unsigned_long""#)]),
    case("words", "GET /a/_search", r#"{"fields":[{"field":"t","format":"x"}]}"#, 400, &[("/error/root_cause/0/reason", r#""Field [t] doesn't support formats.""#)]),
    // No function is asked about what was deleted.
    case("words", "GET /o/_search", r#"{"query":{"function_score":{"field_value_factor":{"field":"n"}}}}"#, 200, &[("/_shards/failed", "0"), ("/hits/total/value", "1")]),
    // Groups are looked for where the search itself was.
    case("groups", "GET /g/_search?preference=_shards:0", r#"{"collapse":{"field":"k","inner_hits":{"name":"g"}}}"#, 200, &[("/hits/hits/0/inner_hits/g/hits/total/value", "4")]),
    case("parameters", "GET /g/_search?routing=", "", 200, &[("/_shards/total", "0"), ("/hits/max_score", "0.0")]),
    case("parameters", "GET /g/_search?timeout=-1ms", "", 200, &[("/timed_out", "false")]),
    // Of several mistakes the one that comes first as a search is made ready.
    case("sort", "GET /a/_search", r#"{"sort":["none"],"from":20000}"#, 400, &[("/error/root_cause/0/reason", r#""No mapping found for [none] in order to sort on""#)]),
    case("sort", "GET /a/_search", r#"{"sort":["none"],"aggs":{"a":{"terms":{"field":"t"}}},"stored_fields":"_none_","_source":true}"#, 400, &[("/error/root_cause/0/reason", r#""No mapping found for [none] in order to sort on""#)]),
    case("suggest", "GET /a/_search", r#"{"suggest":{"a":{"text":"x","term":{"field":"none"}}},"query":{"term":{"n":"x"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: For input string: \"x\"""#)]),
    case("explain", "GET /a/_search", r#"{"explain":true,"query":{"nested":{"path":"items","score_mode":"none","query":{"match_all":{}}}}}"#, 200, &[("/hits/hits/0/_explanation/details/0/description", r#""ConstantScore(_nested_path:items)^0.0""#)]),
    case("words", "GET /a/_search", r#"{"query":{"regexp":{"from":{"value":"x","flags":null}}}}"#, 200, &[("/hits/total/value", "1")]),
    // Values by document are shown in their order, each once.
    case("words", "GET /a/_search", r#"{"fields":["w"],"sort":["n"]}"#, 200, &[("/hits/hits/0/fields/w", r#"["b","x"]"#)]),
    // The beginning of a word is looked for where the last place has one word.
    case("words", "GET /a/_validate/query?explain=true", r#"{"query":{"match_bool_prefix":{"t":{"query":"a runs","analyzer":"twice"}}}}"#, 200, &[("/explanations/0/explanation", r#""+(t:a Synonym(t:run t:runs)) #FieldExistsQuery [field=_primary_term]""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"h":{"bucket_sort":{}}}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: bucket_sort aggregation [h] must be declared inside of another aggregation;2: [h] is configured to perform nothing. Please set either of [sort, size, from] to use bucket_sort;""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"h":{"bucket_sort":{"size":"1.5"}}}}"#, 400, &[("/error/reason", r#""Validation Failed: 1: bucket_sort aggregation [h] must be declared inside of another aggregation;""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"h":{"bucket_sort":{"size":" "}}}}"#, 400, &[("/error/caused_by/reason", r#""empty String""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"c":{"composite":{"sources":{"a":{"terms":{"field":"from"}}}}}}}"#, 200, &[("/aggregations/c/after_key/a", r#""y""#)]),
    case("words", "GET /a/_search", r#"{"aggs":{"c":{"composite":{"sources":[{"a":{"terms":[]}}]}}}}"#, 400, &[("/error/root_cause/0/reason", r#""Failed to parse object: expecting token of type [START_OBJECT] but found [START_ARRAY]""#), ("/error/root_cause/0/col", "53")]),
];

/// `s` of two shards, `o` of one, a closed one; `a` with fields of several kinds, `g` of two shards for groups.
fn setup(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /s,o,shut,a,c,g,h?ignore_unavailable=true&expand_wildcards=all", "");
    let mapping = r#""mappings":{"properties":{"n":{"type":"integer","ignore_malformed":true},"d":{"type":"date"},"k":{"type":"keyword","store":true},"t":{"type":"text"}}}"#;
    let index =
        |shards: u32| format!(r#"{{"settings":{{"number_of_shards":{shards},"number_of_replicas":0}},{mapping}}}"#);
    server.ok("PUT /s", &index(2));
    server.ok("PUT /o", &index(1));
    server.ok("PUT /shut", &index(1));
    server.ok("PUT /s/_doc/1", r#"{"n":1,"d":"2021-01-01","t":"once"}"#);
    server.ok("PUT /s/_doc/2?routing=r", r#"{"n":"bad","t":"other words"}"#);
    server.ok("PUT /s/_doc/3?routing=r", r#"{"n":"bad","k":"x"}"#);
    server.ok("PUT /o/_doc/1", r#"{"n":1,"d":"2021-01-02"}"#);
    server.ok("PUT /o/_doc/2", r#"{"n":-5}"#);
    server.ok("POST /s,o/_refresh", "");
    server.ok("DELETE /o/_doc/2?refresh=true", "");
    server.ok("POST /shut/_close", "");
    server.ok(
        "PUT /a",
        r#"{"settings":{"number_of_shards":1,"number_of_replicas":0,"analysis":{"analyzer":{"twice":{"tokenizer":"standard","filter":["keyword_repeat","porter_stem","remove_duplicates"]}},"normalizer":{"low":{"type":"custom","filter":["lowercase","asciifolding"]}}}},
            "mappings":{"properties":{"n":{"type":"integer"},"l":{"type":"keyword","normalizer":"low"},"from":{"type":"keyword","copy_to":"to"},
            "to":{"type":"keyword"},"bare":{"type":"text","norms":false},"t":{"type":"text"},"stop":{"type":"text","analyzer":"stop"},"u":{"type":"unsigned_long"},"f":{"type":"boolean"},"w":{"type":"wildcard"},"items":{"type":"nested","properties":{"q":{"type":"integer"}}}}}}"#,
    );
    server.ok(
        "PUT /a/_doc/1",
        r#"{"n":1,"l":"Eclaire","from":"x","bare":"a a","t":"a b","f":true,"w":["x","b","x"],"items":[{"q":3}]}"#,
    );
    server.ok("PUT /a/_doc/2", r#"{"n":2,"from":"y","to":"z","t":"b"}"#);
    server.ok("PUT /g", r#"{"settings":{"number_of_shards":2,"number_of_replicas":0}, "mappings":{"properties":{"t":{"type":"text"},"k":{"type":"keyword"},"n":{"type":"integer"}}}}"#);
    for id in 1..5 {
        server.ok(&format!("PUT /g/_doc/{id}"), &format!(r#"{{"t":"a","k":"x","n":{id}}}"#));
    }
    server.ok("PUT /g/_doc/5", r#"{"t":"b","k":"x","n":5}"#);
    server.ok("POST /_aliases", r#"{"actions":[{"add":{"index":"g","alias":"routed","search_routing":"1"}}]}"#);
    server.ok("PUT /c", r#"{"settings":{"number_of_shards":2,"number_of_replicas":0},"mappings":{"properties":{"c":{"type":"completion"},"n":{"type":"integer"}}}}"#);
    server.ok("PUT /c/_doc/1?refresh=true", r#"{"c":"north","n":1}"#);
    server.ok("PUT /h", r#"{"settings":{"number_of_shards":1,"number_of_replicas":0},"mappings":{"properties":{"a":{"type":"text"},"k":{"type":"keyword"},"v":{"type":"text","term_vector":"with_positions_offsets"}}}}"#);
    server.ok("PUT /h/_doc/1", r#"{"a":"Xa one two. Yy one two. Xa three. Xa four. Xa five and. Xab six xab. Xcd seven.","v":"two x","k":"m"}"#);
    server.ok("POST /a,g,h/_refresh", "");
    vec![]
}

#[test]
fn search_answers_as_a_whole() {
    assert_covers(CASES, ROWS);
    Server::start("rows-search").run(CASES, setup);
}
