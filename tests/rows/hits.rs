//! What hits show of fields of every type: values, sorts, marked texts; and what is told of mistakes about them.

use super::{Case, Server, assert_covers, case};

const ROWS: &[&str] =
    &["limits", "doc_values", "sort", "collapse", "highlight", "percolate", "like", "scripts", "words", "mistakes"];

#[rustfmt::skip]
const CASES: &[Case] = &[
    // What has no values by document says so in its own way.
    case("doc_values", "GET /h/_search", r#"{"docvalue_fields":["c"]}"#, 400, &[("/error/root_cause/0/reason", r#""Fielddata is not supported on field [c] of type [completion]""#)]),
    case("doc_values", "GET /h/_search", r#"{"docvalue_fields":["kn"]}"#, 400, &[("/error/root_cause/0/reason", r#""Can't load fielddata on [kn] because fielddata is unsupported on fields of type [keyword]. Use doc values instead.""#)]),
    case("doc_values", "GET /h/_search", r#"{"docvalue_fields":[{"field":"gp","format":"wkt"}]}"#, 400, &[("/error/root_cause/0/reason", r#""Field [gp] of type [geo_point] does not support custom formats""#)]),
    case("doc_values", "GET /h/_search", r#"{"docvalue_fields":["t.fd","al*"],"query":{"term":{"i":3}}}"#, 400, &[("/error/root_cause/0/reason", r#""Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [t] in order to load field data by uninverting the inverted index. Note that this can use significant memory.""#)]),
    case("doc_values", "GET /h/_search", r#"{"docvalue_fields":["t.fd",{"field":"sf","format":"use_field_mapping"}],"sort":["i"]}"#, 200, &[("/hits/hits/0/fields/t.fd", r#"["fox","quick"]"#), ("/hits/hits/1/fields/sf", "[3.14]")]),
    case("doc_values", "GET /h/_search", r#"{"stored_fields":["o"]}"#, 400, &[("/error/root_cause/0/reason", r#""field [o] isn't a leaf field""#)]),
    case("doc_values", "GET /h/_search", r#"{"fields":["ck"],"query":{"term":{"i":1}}}"#, 200, &[("/hits/hits/0/fields/ck", r#"[["const"]]"#)]),
    // The pairs that belong to a multi-field are sought at its name, where no document has anything.
    case("doc_values", "GET /h/_search", r#"{"fields":["t.sayt._2gram"],"query":{"term":{"i":1}},"highlight":{"fields":{"t.sayt._2gram":{"no_match_size":9}}}}"#, 200, &[("/hits/hits/0/fields", "-"), ("/hits/hits/0/highlight", "-")]),
    case("sort", "GET /h/_search", r#"{"collapse":{"field":"k","inner_hits":{"name":"a","sort":"i"}}}"#, 400, &[("/error/root_cause/0/reason", r#""[1:58] [inner_hits] sort doesn't support values of type: VALUE_STRING""#)]),
    case("sort", "GET /h/_search", r#"{"sort":["_version"]}"#, 400, &[("/error/root_cause/0/reason", r#""Fielddata is not supported on field [_version] of type [_version]""#)]),
    case("sort", "GET /h/_search", r#"{"sort":["q"]}"#, 400, &[("/error/root_cause/0/reason", r#""Fielddata is not supported on field [q] of type [percolator]""#)]),
    case("sort", "GET /h/_search", r#"{"sort":["bin"]}"#, 400, &[("/error/root_cause/0/reason", r#""can't sort on binary field""#)]),
    case("sort", "GET /h/_search", r#"{"sort":[{"none":{"unmapped_type":"text"}}]}"#, 400, &[("/error/failed_shards/0/reason/type", r#""illegal_argument_exception""#)]),
    case("sort", "GET /h/_search", r#"{"sort":[{"bo":{"missing":true}}]}"#, 400, &[("/error/root_cause/0/type", r#""number_format_exception""#), ("/error/root_cause/0/reason", r#""For input string: \"true\"""#)]),
    // A script is looked at together with its type, when both have come.
    case("sort", "GET /h/_search", r#"{"sort":[{"_script":{"type":"none","script":"1"}}]}"#, 400, &[("/error/reason", r#""[1:29] [_script] failed to parse field [type]""#), ("/error/caused_by/reason", r#""Unknown ScriptSortType [none]""#)]),
    case("sort", "GET /h/_search", r#"{"sort":[{"_script":{"type":"string","mode":"avg","script":"'a'"}}]}"#, 400, &[("/error/reason", r#""[1:60] [_script] failed to parse field [script]""#), ("/error/caused_by/reason", r#""[1:45] failed to build [_script] after last required field arrived""#), ("/error/root_cause/0/reason", r#""[1:45] [_script] failed to parse field [mode]""#)]),
    case("sort", "GET /h/_search", r#"{"sort":[{"_script":{"type":"string","script":"'a'","mode":"sum"}}]}"#, 400, &[("/error/reason", r#""[1:60] [_script] failed to parse field [mode]""#), ("/error/caused_by/reason", r#""script sort of type [string] doesn't support mode [sum]""#)]),
    case("sort", "GET /h/_search", r#"{"sort":[{"_script":{"type":"number"}}]}"#, 400, &[("/error/reason", r#""Required [script]""#)]),
    case("collapse", "GET /h/_search", r#"{"collapse":{"field":"w"}}"#, 400, &[("/error/root_cause/0/reason", r#""unknown type for collapse field `w`, only keywords and numbers are accepted""#)]),
    case("highlight", "GET /h/_search", r#"{"query":{"match":{"t":"apple"}},"highlight":{"require_field_match":false,"fields":{"t*":{}}}}"#, 200, &[("/hits/hits/0/highlight/t.mot", r#"["ny is the big <em>apple</em>"]"#), ("/hits/hits/0/highlight/t.sayt", "-"), ("/hits/hits/0/highlight/t.sayt._index_prefix", "-")]),
    case("highlight", "GET /h/_search", r#"{"query":{"match":{"t":"apple"}},"highlight":{"fields":{"t":{"max_analyzer_offset":2001}}}}"#, 400, &[("/error/root_cause/0/reason", r#""max_analyzer_offset has exceeded [2000] - maximum allowed to be analyzed for highlighting. This maximum can be set by changing the [index.highlight.max_analyzed_offset] index level setting. For large texts, indexing with offsets or term vectors is recommended!""#)]),
    case("highlight", "GET /h/_search", r#"{"query":{"term":{"kl":"FOOBAR"}},"highlight":{"fields":{"kl":{}}},"sort":["i"]}"#, 200, &[("/hits/hits/0/highlight/kl", r#"["<em>foobar</em>"]"#)]),
    case("highlight", "GET /h/_search", r#"{"query":{"wildcard":{"w":"hel*"}},"highlight":{"fields":{"w":{}}}}"#, 200, &[("/hits/hits/0/highlight", "-")]),
    case("highlight", "GET /h/_search", r#"{"query":{"terms":{"t.sh":["quick brown","brown fox"]}},"highlight":{"fields":{"t.sh":{"fragment_size":25,"number_of_fragments":1}}}}"#, 200, &[("/hits/hits/0/highlight/t.sh", r#"["The <em>quick brown fox</em> jumps"]"#)]),
    case("highlight", "GET /h/_search", r#"{"highlight":{"max_analyzer_offset":-10,"fields":{"t":{}}}}"#, 400, &[("/error/root_cause/0/reason", r#""the value [-10] of max_analyzer_offset is invalid""#)]),
    // Of a percolation the documents are shown that the stored query marks.
    case("percolate", "GET /h/_search", r#"{"query":{"percolate":{"field":"q","document":{"t":"quick fox"}}},"highlight":{"fields":{"t":{}}}}"#, 200, &[("/hits/hits/0/highlight", r#"{"t":["quick <em>fox</em>"]}"#)]),
    case("percolate", "GET /h/_search", r#"{"query":{"bool":{"must":{"percolate":{"field":"q","documents":[{"t":"quick fox"},{"t":"the big apple","k":"c"}]}},"filter":{"ids":{"values":["1","3"]}}}},"highlight":{"fields":{"t":{}}},"sort":["i"]}"#, 200, &[("/hits/hits/0/highlight", r#"{"0_t":["quick <em>fox</em>"]}"#), ("/hits/hits/1/highlight", r#"{"1_t":["the <em>big</em> <em>apple</em>"]}"#)]),
    case("percolate", "GET /h/_search", r#"{"query":{"bool":{"should":[{"percolate":{"field":"q","document":{"t":"a fox"},"name":"one"}},{"percolate":{"field":"q","document":{"i":7},"name":"two"}}]}},"highlight":{"fields":{"t":{}}},"sort":["i"]}"#, 200, &[("/hits/hits/0/highlight", r#"{"one_t":["a <em>fox</em>"]}"#)]),
    case("scripts", "GET /h/_search", r#"{"query":{"term":{"i":1}},"script_fields":{"a":{"script":"doc['_id'].value"},"b":{"script":"params._doc['i'].value + params.doc['i'].value"},"c":{"script":"params['_doc']['k'][1]"}}}"#, 200, &[("/hits/hits/0/fields", r#"{"a":["1"],"b":[2],"c":["b"]}"#)]),
    case("scripts", "GET /h/_search", r#"{"query":{"term":{"i":3}},"script_fields":{"a":{"script":"doc['t.fd']"},"b":{"script":"doc['ip'].size() + doc['gp'].geohashDistanceWithDefault('u', 5) > 3"}}}"#, 200, &[("/hits/total/value", "1"), ("/hits/hits/0/fields/b", "[true]")]),
    case("scripts", "GET /h/_search", r#"{"query":{"script":{"script":"doc['t.fd'].size() > 0 && doc['t.fd'][0] == 'apple'"}}}"#, 200, &[("/hits/total/value", "1"), ("/hits/hits/0/_id", r#""3""#)]),
    case("scripts", "GET /h/_search", r#"{"query":{"term":{"i":1}},"script_fields":{"a":{"script":"doc.keySet()"}}}"#, 400, &[("/error/root_cause/0/reason", r#""runtime error""#), ("/error/caused_by/caused_by/type", r#""unsupported_operation_exception""#)]),
    case("scripts", "GET /h/_search", r#"{"query":{"term":{"i":1}},"script_fields":{"a":{"script":"int i = 0; while (true) { i++ }"}}}"#, 400, &[("/error/root_cause/0/type", r#""script_exception""#), ("/error/caused_by/caused_by/type", r#""painless_error""#)]),
    case("scripts", "GET /h/_search", r#"{"size":0,"query":{"constant_score":{"filter":{"exists":{"field":"i"}},"boost":2}},"aggs":{"a":{"scripted_metric":{"init_script":"state.x = 0.0","map_script":"state.x += _score * params._source.i","combine_script":"state.x","reduce_script":"states"}}}}"#, 200, &[("/aggregations/a/value", "[2.0]")]),
    // Of a document that is brought along all fields are looked at.
    case("like", "GET /h/_validate/query?rewrite=true", r#"{"query":{"more_like_this":{"fields":["o.r"],"like":[{"doc":{"kl":"foobar"}}],"min_term_freq":1,"min_doc_freq":1}}}"#, 200, &[("/explanations/0/explanation", r#""+kl:foobar #FieldExistsQuery [field=_primary_term]""#)]),
    case("like", "GET /h/_search", r#"{"query":{"more_like_this":{"fields":["fo"],"like":"x"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: more_like_this only supports text/keyword fields: [fo]""#)]),
    case("like", "GET /h/_search", r#"{"query":{"distance_feature":{"field":"gp","origin":"10,20","pivot":"1d"}},"size":0}"#, 200, &[("/hits/total/value", "3")]),
    case("words", "GET /h/_search", r#"{"query":{"match_bool_prefix":{"t.syn":"quick wifi"}},"size":0}"#, 200, &[("/hits/total/value", "3")]),
    case("words", "GET /h/_search", r#"{"query":{"match_bool_prefix":{"t.syn":{"query":"a ny","operator":"and"}}},"size":0}"#, 200, &[("/hits/total/value", "0")]),
    case("words", "GET /h/_search", r#"{"query":{"intervals":{"t.syn":{"match":{"query":"ny wifi"}}}},"size":0}"#, 200, &[("/hits/total/value", "1")]),
    case("words", "GET /h/_search", r#"{"query":{"intervals":{"t":{"match":{"query":"fox quick","mode":"unordered_no_overlap","max_gaps":1}}}},"size":0}"#, 200, &[("/hits/total/value", "2")]),
    case("words", "GET /h/_validate/query?explain=true", r#"{"query":{"intervals":{"t":{"match":{"query":"a b","mode":"unordered_no_overlap","max_gaps":3}}}}}"#, 200, &[("/explanations/0/explanation", r#""+t:or(MAXGAPS/3(ORDERED(a,b)),MAXGAPS/3(ORDERED(b,a))) #FieldExistsQuery [field=_primary_term]""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"terms":{"k":null}}}"#, 400, &[("/error/reason", r#""[terms] unknown token [VALUE_NULL] after [k]""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"terms":{"k":{"paths":"k"}}}}"#, 400, &[("/error/reason", r#""[1:25] [terms_lookup] unknown field [paths] did you mean [path]?""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"term":{"k":{"value":{},"case_insensitive":true}}}}"#, 400, &[("/error/reason", r#""[term] query doesn't support multiple fields, found [k] and [case_insensitive]""#), ("/error/col", "54")]),
    case("mistakes", "GET /h/_search", r#"{"query":{"match_phrase":{"t":{"boost":1.7},"sizes":true}}}"#, 400, &[("/error/reason", r#""[match_phrase] query doesn't support multiple fields, found [t] and [sizes]""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"simple_query_string":{"flags":3.7}}}"#, 400, &[("/error/reason", r#""[simple_query_string] query text missing""#)]),
    case("mistakes", "GET /h/_search", r#"{"aggs":{"a":{"percentile_ranks":{"field":"i","values":["1e400"]}}}}"#, 400, &[("/error/root_cause/0/reason", r#""Invalid value: Infinity""#)]),
    case("mistakes", "GET /h/_search", r#"{"aggs":{"a":{"percentiles":{"field":"i","percents":["1e400"]}}}}"#, 400, &[("/error/caused_by/reason", r#""percent must be in [0,100], got [Infinity]: [a]""#)]),
    case("mistakes", "GET /h/_search", r#"{"aggs":{"a":{"significant_text":{"min_doc_counts":1}}}}"#, 400, &[("/error/reason", r#""[1:35] [significant_text] unknown field [min_doc_counts] did you mean any of [min_doc_count, shard_min_doc_count]?""#)]),
    case("mistakes", "GET /h/_termvectors/1?version=7", "", 500, &[("/error/type", r#""exception""#), ("/error/root_cause/0/type", r#""version_conflict_engine_exception""#)]),
    case("mistakes", "GET /_search/scroll", r#"{"scroll_id":"bogus"}"#, 400, &[("/error/caused_by/reason", r#""Last unit does not have enough valid bits""#)]),
    case("mistakes", "DELETE /_search/scroll/abc", "", 400, &[("/error/caused_by/type", r#""e_o_f_exception""#), ("/error/caused_by/reason", r#""attempting to read 105 bytes but only 1 bytes are available""#)]),
    case("mistakes", "POST /h/_field_caps?fields=i", r#"{"index_filter":{"term":{"i":"x"}}}"#, 200, &[("/indices", r#"["h"]"#)]),
    case("mistakes", "POST /h/_field_caps?fields=i", r#"{"index_filter":{"range":{"date":{"gte":"x"}}}}"#, 200, &[("/indices", "[]")]),
    // What stands in one list is read like what stands alone.
    case("sort", "GET /h/_search", r#"{"sort":[{"i":[{"order":"desc","missing":"_first"}]}],"_source":false}"#, 200, &[("/hits/hits/0/_id", r#""5""#)]),
    case("words", "GET /h/_search?size=0", r#"{"query":{"match":{"kl":{"query":"FOOBAR","analyzer":"keyword"}}}}"#, 200, &[("/hits/total/value", "2")]),
    case("words", "GET /h/_search?size=0", r#"{"query":{"query_string":{"query":"*a","allow_leading_wildcard":false}}}"#, 400, &[("/error/failed_shards/0/reason/caused_by/reason", r#""Cannot parse '*a': '*' or '?' not allowed as first character in WildcardQuery""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"prefix":{"k":null}}}"#, 400, &[("/error/reason", r#""value cannot be null""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"span_term":{"k":{"value":null}}}}"#, 400, &[("/error/reason", r#""value cannot be null""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"constant_score":{"filter":null}}}"#, 400, &[("/error/reason", r#""unexpected token [VALUE_NULL]""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"terms_set":{"k":{"terms":null}}}}"#, 400, &[("/error/reason", r#""[terms_set] unknown token [VALUE_NULL] after [terms]""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"span_not":{}}}"#, 400, &[("/error/reason", r#""span_not must have [include] span query clause""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"span_or":{"clauses":[{"term":{"t":"a"}}]}}}"#, 400, &[("/error/reason", r#""span_or [clauses] must be of type span query""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"span_within":{"big":{"span_term":{"t":"a"}}}}}"#, 400, &[("/error/reason", r#""span_within must include [little]""#), ("/error/col", "55")]),
    case("mistakes", "GET /h/_search", r#"{"query":{"span_containing":{"big":{"span_term":{"t":"a"}}}}}"#, 400, &[("/error/reason", r#""inner clause [little] cannot be null.""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"geo_distance":{"distance":"1km","gp":[1]}}}"#, 400, &[("/error/reason", r#""[geo_point] field type should have at least two dimensions""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"geo_distance":{"distance":"1km","gp":null}}}"#, 400, &[("/error/reason", r#""fieldName must not be null or empty""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"geo_distance":{"distance":"1km","gp":5}}}"#, 200, &[("/hits/total/value", "0")]),
    case("mistakes", "GET /h/_search", r#"{"query":{"geo_bounding_box":{"gp":null}}}"#, 400, &[("/error/reason", r#""failed to parse [geo_bounding_box] query. bounding box not provided""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"geo_polygon":{"gp":{"points":null}}}}"#, 400, &[("/error/reason", r#""[geo_polygon] query does not support token type [VALUE_NULL] under [points]""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"has_child":{"type":"a","query":{"match_all":{}},"max_children":0}}}"#, 400, &[("/error/reason", r#""[has_child] 'max_children' is less than 'min_children'""#)]),
    case("mistakes", "GET /h/_search", r#"{"query":{"function_score":{"gauss":{"date":{"origin":"now","scale":"x"}}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: failed to parse setting [DecayFunctionParser.scale] with value [x] as a time value: unit is missing or unrecognized""#)]),
    // The limits of what is asked for are looked at before that of the window.
    case("limits", "GET /l/_search?size=0", r#"{"query":{"query_string":{"query":"i:zz"}}}"#, 200, &[("/hits/total/value", "0")]),
    case("limits", "GET /l/_search?size=0", r#"{"query":{"query_string":{"query":"i:zz","lenient":false}}}"#, 400, &[("/error/failed_shards/0/reason/type", r#""query_shard_exception""#)]),
    case("limits", "GET /l/_search", r#"{"docvalue_fields":["k","i"]}"#, 400, &[("/error/root_cause/0/reason", r#""Trying to retrieve too many docvalue_fields. Must be less than or equal to: [1] but was [2]. This limit can be set by changing the [index.max_docvalue_fields_search] index level setting.""#)]),
    case("limits", "GET /l/_search", r#"{"slice":{"id":0,"max":2}}"#, 500, &[("/error/root_cause/0/reason", r#""`slice` cannot be used outside of a scroll context or PIT context""#)]),
    case("collapse", "GET /h/_search", r#"{"collapse":{"field":"sf"}}"#, 400, &[("/error/root_cause/0/reason", r#""unknown type for collapse field `sf`, only keywords and numbers are accepted""#)]),
    // Below a flat object the path is a part of the term: of its length, and of what may differ.
    case("words", "GET /h/_search", r#"{"query":{"fuzzy":{"fo.a.b":"dd"}}}"#, 200, &[("/hits/total/value", "1")]),
    case("words", "GET /h/_search", r#"{"query":{"match_bool_prefix":{"fo":"s"}}}"#, 200, &[("/hits/total/value", "0")]),
    case("words", "GET /h/_search", r#"{"query":{"match_bool_prefix":{"fo":"str"}}}"#, 200, &[("/hits/total/value", "1")]),
];

/// `h` with a field of each type, and five documents, read together; `l` with low limits.
#[rustfmt::skip]
fn setup(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /h,l?ignore_unavailable=true", "");
    server.ok(
        "PUT /h",
        r#"{"settings":{"number_of_shards":1,"number_of_replicas":0,"index.highlight.max_analyzed_offset":2000,"analysis":{"analyzer":{"syn":{"tokenizer":"standard","filter":["lowercase","sg"]},"shing":{"tokenizer":"standard","filter":["lowercase","sh"]},"bodyrev":{"tokenizer":"standard","filter":["lowercase","reverse"]}},"filter":{"sg":{"type":"synonym_graph","synonyms":["ny, new york","wi fi, wifi, wireless network"]},"sh":{"type":"shingle","min_shingle_size":2,"max_shingle_size":3}},"normalizer":{"low":{"type":"custom","filter":["lowercase"]}}}},"mappings":{"properties":{
            "t":{"type":"text","fields":{"k":{"type":"keyword","ignore_above":20},"syn":{"type":"text","analyzer":"standard","search_analyzer":"syn"},"sh":{"type":"text","analyzer":"shing"},"rev":{"type":"text","analyzer":"bodyrev"},"sayt":{"type":"search_as_you_type"},"off":{"type":"text","index_options":"offsets","store":true},"vec":{"type":"text","term_vector":"with_positions_offsets","store":true},"pre":{"type":"text","index_prefixes":{"min_chars":2,"max_chars":4}},"ph":{"type":"text","index_phrases":true},"nop":{"type":"text","index_options":"docs"},"fd":{"type":"text","fielddata":true},"len":{"type":"token_count","analyzer":"standard"},"mot":{"type":"match_only_text"}}},
            "k":{"type":"keyword"},"kl":{"type":"keyword","normalizer":"low"},"kn":{"type":"keyword","doc_values":false},"ki":{"type":"keyword","index":false},"ks":{"type":"keyword","store":true,"split_queries_on_whitespace":true},
            "i":{"type":"integer"},"l":{"type":"long","store":true},"ul":{"type":"unsigned_long"},"f":{"type":"float"},"d":{"type":"double"},"hf":{"type":"half_float"},"sf":{"type":"scaled_float","scaling_factor":100},"b":{"type":"byte"},"sho":{"type":"short"},"in":{"type":"integer","index":false},"idv":{"type":"integer","doc_values":false},
            "date":{"type":"date"},"dn":{"type":"date_nanos"},"df":{"type":"date","format":"yyyy/MM/dd||epoch_millis"},"bo":{"type":"boolean"},"ip":{"type":"ip"},"bin":{"type":"binary","doc_values":true},"v":{"type":"version"},
            "gp":{"type":"geo_point"},"gs":{"type":"geo_shape"},
            "ir":{"type":"integer_range"},"lr":{"type":"long_range"},"fr":{"type":"float_range"},"dr":{"type":"double_range"},"dater":{"type":"date_range","format":"yyyy-MM-dd"},"ipr":{"type":"ip_range"},
            "rf":{"type":"rank_feature"},"rfn":{"type":"rank_feature","positive_score_impact":false},"rfs":{"type":"rank_features"},"w":{"type":"wildcard"},"wn":{"type":"wildcard","ignore_above":10,"null_value":"nil"},"ck":{"type":"constant_keyword","value":"const"},"fo":{"type":"flat_object"},"c":{"type":"completion","contexts":[{"name":"cat","type":"category","path":"k"},{"name":"loc","type":"geo","precision":4,"path":"gp"}]},"cs":{"type":"completion"},
            "n":{"type":"nested","properties":{"a":{"type":"keyword"},"x":{"type":"integer"},"t":{"type":"text"},"nn":{"type":"nested","properties":{"y":{"type":"integer"},"z":{"type":"keyword"}}}}},
            "q":{"type":"percolator"},"j":{"type":"join","relations":{"q":["a","c"],"a":"v"},"eager_global_ordinals":true},"al":{"type":"alias","path":"t"},"alk":{"type":"alias","path":"k"},"o":{"properties":{"p":{"type":"keyword"},"r":{"type":"text"}}},"dis":{"type":"object","enabled":false},"nul":{"type":"keyword","null_value":"NULL"}}}}"#,
    );
    server.ok(
        "PUT /h/_doc/1",
        r#"{"t":"The quick brown fox jumps over the lazy dog. It was in New York. The wireless network was quick.","k":["a","b"],"kl":"FooBar","kn":"x","ki":"y","ks":"z z","i":1,"l":10,"ul":18446744073709551615,"f":1.5,"d":2.25,"hf":0.1,"sf":3.14,"b":1,"sho":2,"in":3,"idv":4,"date":"2020-01-01T00:00:00Z","dn":"2020-01-01T00:00:00.123456789Z","df":"2020/05/06","bo":true,"ip":"10.0.0.1","bin":"aGVsbG8=","v":"1.2.3","gp":{"lat":10,"lon":20},"gs":{"type":"point","coordinates":[20,10]},"ir":{"gte":1,"lte":5},"lr":{"gt":1,"lt":50},"fr":{"gte":0.5},"dr":{"lte":2.5},"dater":{"gte":"2020-01-01","lt":"2020-02-01"},"ipr":"10.0.0.0/24","rf":5,"rfn":2,"rfs":{"p":1.5,"q":3},"w":"hello*world","wn":"short","ck":"const","fo":{"a":{"b":"c"},"n":5,"l":["x","y"]},"c":["quick fox","brown fox"],"cs":{"input":["alpha","alps"],"weight":3},"n":[{"a":"r","x":1,"t":"red nested one","nn":[{"y":5,"z":"p"},{"y":3,"z":"o"}]},{"a":"s","x":7,"t":"blue nested two"}],"q":{"match":{"t":"fox"}},"j":"q","o":{"p":["1","2"],"r":"inner text"},"dis":{"any":"thing"}}"#,
    );
    server.ok(
        "PUT /h/_doc/2?routing=1",
        r#"{"t":["A wifi router is quick","second value with fox and dog"],"k":"b","kl":"foobar","kn":"x2","i":2,"l":[20,5],"ul":5,"f":-1.5,"d":0,"hf":65504,"sf":-3.145,"b":-128,"sho":-2,"date":["2021-06-01","2019-01-01"],"dn":"2021-01-01T00:00:00.000000001Z","df":1600000000000,"bo":[true,false],"ip":"2001:db8::1","bin":"Ynll","v":"1.10.0-alpha","gp":"40.7,-74.0","gs":"POLYGON((0 0,10 0,10 10,0 10,0 0))","ir":[{"gte":10,"lt":20},{"gt":30}],"lr":{"gte":7},"dater":{"gte":"2021-01-01"},"ipr":{"gte":"10.0.0.5","lt":"10.0.1.0"},"rf":50,"rfn":0.5,"rfs":{"q":1},"w":"Foo Bar\\baz","wn":"a very long value","fo":{"a":"str","z":null},"c":{"input":"quiet","weight":9,"contexts":{"cat":"zz"}},"cs":"Alphabet","n":{"a":"r","x":3,"nn":{"y":9}},"q":{"range":{"i":{"gte":2}}},"j":{"name":"a","parent":"1"},"nul":null}"#,
    );
    server.ok(
        "PUT /h/_doc/3?routing=1",
        r#"{"t":"ny is the big apple","k":["c"],"i":3,"date":1577836800000,"bo":"false","ip":["10.0.0.200","192.168.1.1"],"gp":[[1,2],[3,4]],"rf":1,"j":{"name":"a","parent":"1"},"n":[],"v":"2.0.0","w":"","fo":{},"nul":[null,"x"],"q":{"bool":{"must":{"match_phrase":{"t":"big apple"}},"filter":{"term":{"k":"c"}},"_name":"nm"}},"newf":{"deep":{"er":1.5}},"news":"some dynamic text"}"#,
    );
    server.ok(
        "PUT /h/_doc/4?routing=1",
        r#"{"t":"fox fox fox quick quick","j":{"name":"v","parent":"3"},"i":-5,"k":"a","date":"2022-12-31T23:59:59.999Z","rf":0.001}"#,
    );
    server.ok(
        "PUT /h/_doc/5",
        r#"{}"#,
    );
    server.ok("PUT /l", r#"{"settings":{"number_of_shards":1,"number_of_replicas":0,"index.max_result_window":5,"index.max_docvalue_fields_search":1,"index.query_string.lenient":true},
        "mappings":{"properties":{"i":{"type":"integer"},"k":{"type":"keyword"}}}}"#);
    server.ok("POST /h/_refresh", "");
    vec![]
}

#[test]
fn hits_show_fields_of_every_type() {
    assert_covers(CASES, ROWS);
    Server::start("rows-hits").run(CASES, setup);
}
