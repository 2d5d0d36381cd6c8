//! What queries, and the settings and sorts beside them, answer in the less common of their forms.

use super::{Case, Server, assert_covers, case};

const ROWS: &[&str] = &[
    "end",
    "group",
    "boost",
    "decay",
    "place",
    "names",
    "percolate",
    "intervals",
    "fields",
    "aggregation",
    "settings",
    "ends",
    "sorts",
    "late",
    "seen",
];

#[rustfmt::skip]
const CASES: &[Case] = &[
    // A negative boost is told with the query as it was before.
    case("boost", "GET /q/_search", r#"{"query":{"term":{"n":{"value":1.50,"case_insensitive":true,"boost":-1}}}}"#, 400, &[("/error/reason", r#""negative [boost] are not allowed in [{\n  \"term\" : {\n    \"n\" : {\n      \"value\" : 1.5,\n      \"boost\" : 1.0\n    }\n  }\n}], use a value between 0 and 1 to deboost""#)]),
    case("boost", "GET /q/_explain/1", r#"{"query":{"exists":{"field":"t","boost":-1}}}"#, 400, &[("/error/col", "43"), ("/error/caused_by/reason", r#""negative [boost] are not allowed in [{\n  \"exists\" : {\n    \"field\" : \"t\",\n    \"boost\" : 1.0\n  }\n}], use a value between 0 and 1 to deboost""#)]),
    case("boost", "GET /q/_search", r#"{"query":{"bool":{"must":{"range":{"n":{"gt":1}}},"boost":-1,"_name":"x"}}}"#, 400, &[("/error/reason", r#""[1:59] [bool] failed to parse field [boost]""#), ("/error/caused_by/reason", r#""negative [boost] are not allowed in [{\n  \"bool\" : {\n    \"must\" : [\n      {\n        \"range\" : {\n          \"n\" : {\n            \"from\" : 1,\n            \"to\" : null,\n            \"include_lower\" : false,\n            \"include_upper\" : true,\n            \"boost\" : 1.0\n          }\n        }\n      }\n    ],\n    \"adjust_pure_negative\" : true,\n    \"boost\" : 1.0\n  }\n}], use a value between 0 and 1 to deboost""#)]),
    // The parameters of decays are read for each shard, and places are those of their own text.
    case("decay", "GET /q/_search", r#"{"query":{"function_score":{"linear":{"n":{"origin":1, "scale":[]}}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Current token (START_ARRAY) not numeric, cannot use numeric value accessors\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); byte offset: #21]""#)]),
    case("decay", "GET /q/_search", r#"{"query":{"function_score":{"gauss":{"d":{"origin":[],"scale":"1d"}}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Can't get text on a START_ARRAY at 1:11""#)]),
    case("decay", "GET /q/_search", r#"{"query":{"function_score":{"exp":{"n":{"origin":1,"scale":1,"decay":""}}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: empty String""#)]),
    case("decay", "GET /q/_search", r#"{"query":{"function_score":{"linear":{}}}}"#, 400, &[("/error/reason", r#""malformed score function score parameters.""#), ("/error/col", "39")]),
    case("place", "GET /q/_search", r#"{"query":{"geo_bounding_box":{"g":{"bottom_right":{"lat":[]}}}}}"#, 400, &[("/error/reason", r#""failed to parse [geo_bounding_box] query. [lat must be a number]""#)]),
    case("place", "GET /q/_search", r#"{"query":{"geo_polygon":{"g":{"points":[{"geohash":1},[1,1],[2,0]]}}}}"#, 400, &[("/error/reason", r#""geohash must be a string""#)]),
    case("place", "GET /q/_search", r#"{"query":{"bool":{"filter":{"geo_distance":{"g":-1}}}}}"#, 400, &[("/error/reason", r#""[1:49] [bool] failed to parse field [filter]""#)]),
    case("place", "GET /q/_search", r#"{"query":{"bool":{"filter":[{"geo_bounding_box":{}}]}}}"#, 400, &[("/error/reason", r#""[1:50] [bool] failed to parse field [filter]""#)]),
    case("place", "GET /q/_count", r#"{"query":{"geo_bounding_box":{"g":{"top_right":{"geohash":"u"},"bottom_left":[0,0]}}}}"#, 200, &[("/count", "1")]),
    case("place", "GET /q/_search", r#"{"query":{"geo_bounding_box":{"g":{"wkt":"POINT(1 2)"}}}}"#, 400, &[("/error/reason", r#""failed to parse [geo_bounding_box] query. [failed to parse WKT bounding box. [POINT] found. expected [ENVELOPE]]""#)]),
    case("place", "GET /q/_search", r#"{"query":{"distance_feature":{"field":"g","origin":1,"pivot":"1km"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Illegal type [class java.lang.Long] for [origin]! Must be of type [geo_point] or [string] for geo_point fields!""#)]),
    case("place", "GET /q/_search", r#"{"aggs":{"a":{"geo_distance":{"field":"g","origin":{"lat":1,"lon":2,"a":1},"ranges":[{"to":1}]}}}}"#, 200, &[("/aggregations/a/buckets/0/doc_count", "0")]),
    case("place", "GET /q/_search", r#"{"aggs":{"a":{"geo_distance":{"field":"g","origin":[1,2,3],"ranges":[{"to":1}]}}}}"#, 400, &[("/error/root_cause/0/reason", r#""malformed [origin]: a geo point array must be of the form [lon, lat]""#)]),
    case("place", "GET /q/_search", r#"{"aggs":{"a":{"geo_distance":{"field":"g","origin":{"lat":1},"ranges":[{"to":1}]}}}}"#, 400, &[("/error/root_cause/0/reason", r#""malformed [lat] geo point object. either [lat] or [lon] (or both) are missing""#)]),
    // Names of fields that have neither values nor lengths are terms.
    case("names", "GET /q/_search", r#"{"query":{"match_phrase":{"_field_names":"nd"}}}"#, 200, &[("/hits/total/value", "2"), ("/hits/max_score", "0.23797652")]),
    case("names", "GET /q/_count", r#"{"query":{"terms":{"_field_names":["nd","t"]}}}"#, 200, &[("/count", "2")]),
    // Percolations that decide nothing are not counted.
    case("percolate", "GET /q/_search", r#"{"query":{"bool":{"must":{"percolate":{"field":"p","document":{"t":"a"}}},"must_not":{"percolate":{"field":"p","document":{"t":"b"}}}}}}"#, 200, &[("/hits/hits/0/fields/_percolator_document_slot", "[0]")]),
    case("percolate", "GET /q/_search", r#"{"query":{"bool":{"boost":0,"must":{"percolate":{"field":"p","document":{"t":"a"}}},"should":{"percolate":{"field":"p","document":{"t":"b"}}}}}}"#, 200, &[("/hits/hits/0/fields/_percolator_document_slot", "[0]")]),
    case("percolate", "GET /q/_search", r#"{"query":{"bool":{"must":{"percolate":{"field":"p","document":{"t":"a"}}},"should":{"percolate":{"field":"p","document":{"t":"b"}}}}}}"#, 200, &[("/hits/hits/0/fields/_percolator_document_slot_p", "[0]")]),
    case("fields", "GET /q/_search", r#"{"fields":[[{"field":"t"}]]}"#, 400, &[("/error/reason", r#""Unknown key for a END_ARRAY in [fields].""#), ("/error/col", "27")]),
    case("fields", "GET /q/_search", r#"{"query":{"more_like_this":{"like":[{"a":"b"}]}}}"#, 400, &[("/error/reason", r#""failed to parse More Like This item. unknown field [a]""#)]),
    case("fields", "GET /q/_explain/1", r#"{"query":{"more_like_this":{"like":[{"a":"b"}]}}}"#, 400, &[("/error/col", "42")]),
    case("aggregation", "GET /q/_search", r#"{"aggs":{"a":{"terms":{"field":"n"},"aggs":{"h":{"bucket_sort":{"sort":[{"_count":{"order":-1}}]}}}}}}"#, 400, &[("/error/root_cause/0/reason", r#""[1:92] [field_sort] order doesn't support values of type: VALUE_NUMBER""#)]),
    case("aggregation", "GET /q/_search", r#"{"aggs":{"a":{"terms":{"field":"n"},"aggs":{"h":{"bucket_sort":{"sort":["_score"]}}}}}}"#, 400, &[("/error/caused_by/reason", r#""[bucket_sort] only supports field based sorting; incompatible sort: [{\n  \"_score\" : {\n    \"order\" : \"desc\"\n  }\n}]""#)]),
    case("aggregation", "GET /q/_search", r#"{"aggs":{"a":{"composite":{"sources":[{"two":{"terms":{"field":"n"}},"b":[]}]}}}}"#, 400, &[("/error/caused_by/reason", r#""expected value but got [START_ARRAY]""#)]),
    case("aggregation", "GET /q/_search", r#"{"aggs":{"a":{"histogram":{"field":"n","interval":"1e400"}}}}"#, 200, &[("/aggregations/a/buckets/0/key", r#""NaN""#)]),
    case("aggregation", "GET /q/_search", r#"{"aggs":{"a":{"histogram":{"field":"n","interval":5,"min_doc_count":"1d"}}}}"#, 400, &[("/error/caused_by/reason", r#""For input string: \"1d\"""#)]),
    case("intervals", "GET /q/_search", r#"{"query":{"script":{"script":" - 1"}}}"#, 400, &[("/error/root_cause/0/position/offset", "1")]),
    case("intervals", "GET /q/_validate/query", r#"{"query":{"prefix":{"k":{"case_insensitive":-1}}}}"#, 200, &[("/valid", "false")]),
    case("settings", "PUT /c", r#"{"settings":{"number_of_shards":1,"number_of_replicas":0,"analysis":{"filter":{"f":{"stopwords":["a",[]]}}}}}"#, 400, &[("/error/reason", r#""Failed to load settings from [{\"number_of_shards\":1,\"analysis\":{\"filter\":{\"f\":{\"stopwords\":[\"a\",[]]}}},\"number_of_replicas\":0}]""#), ("/error/caused_by/reason", r#""only value lists are allowed in serialized settings""#)]),
    case("settings", "PUT /_index_template/c", r#"{"index_patterns":["c*"],"template":{"settings":{"a":[null]}}}"#, 400, &[("/error/reason", r#""[1:55] [index_template] failed to parse field [template]""#)]),
    case("settings", "PUT /c", r#"{"settings":{"index":{"codec":"x"},"index.codec":2}}"#, 400, &[("/error/reason", r#""unknown value for [index.codec] must be one of [default, lz4, best_compression, zlib] but was: x""#)]),
    // What may change is for searches alone.
    case("settings", "PUT /c", r#"{"settings":{"analysis":{"filter":{"s":{"type":"synonym","synonyms":["a,b"],"updateable":true}},"analyzer":{"x":{"tokenizer":"standard","filter":["s"]}}}},"mappings":{"properties":{"t":{"type":"text","analyzer":"x"}}}}"#, 400, &[("/error/root_cause/0/type", r#""mapper_exception""#), ("/error/root_cause/0/reason", r#""analyzer [x] contains filters [s] that are not allowed to run in index time mode.""#)]),
    case("settings", "PUT /c", r#"{"settings":{"analysis":{"filter":{"s":{"type":"synonym","synonyms":["a,b"],"updateable":true}},"analyzer":{"default":{"tokenizer":"standard","filter":["s"]}}}}}"#, 500, &[("/error/reason", r#""analyzer [default] contains filters [s] that are not allowed to run in all mode.""#)]),
    case("settings", "GET /_analyze", r#"{"tokenizer":"standard","filter":[{"type":"synonym_graph","synonyms":["a,b"]},{"type":"synonym","synonyms":["a,b"]}],"text":"a"}"#, 400, &[("/error/reason", r#""Failed to build synonyms""#)]),
    case("settings", "GET /_analyze", r#"{"tokenizer":"whitespace","filter":["shingle",{"type":"concatenate_graph","token_separator":"_"}],"text":"a b"}"#, 200, &[("/tokens/0/token", r#""a b""#), ("/tokens/1/token", r#""a_b""#)]),
    // A script in a list is read, and so is what stands behind the list.
    case("fields", "GET /q/_search", r#"{"query":{"function_score":{"functions":[{"script_score":{"script":[{"source":"1"}]}}]}}}"#, 400, &[("/error/reason", r#""[1:84] [script] Expected START_OBJECT but was: END_OBJECT""#)]),
    case("fields", "GET /q/_count", r#"{"query":{"function_score":{"score_mode":"text"}}}"#, 400, &[("/error/col", "42")]),
    // The first that hits are asked for and that is refused is told.
    case("fields", "GET /q/_search", r#"{"highlight":{"fields":{"t":{}},"type":"nothing"},"fields":[{"field":"n","format":"x"}]}"#, 400, &[("/error/root_cause/0/reason", r#""Field [n] of type [integer] doesn't support formats.""#)]),
    case("aggregation", "GET /q/_search", r#"{"aggs":{"a":{"percentiles_bucket":{"percents":[[]]}}}}"#, 400, &[("/error/type", r#""input_coercion_exception""#)]),
    case("aggregation", "GET /q/_search", r#"{"aggs":{"a":{"percentiles_bucket":{"percents":[101]}}}}"#, 400, &[("/error/reason", r#""Missing required field [buckets_path] for aggregation [a]""#)]),
    case("aggregation", "GET /q/_search", r#"{"aggs":{"a":{"range":{"field":"n","ranges":[{"from":1,"to":"1e400"}]}}}}"#, 200, &[("/aggregations/a/buckets/0/key", r#""1.0-*""#)]),
    case("aggregation", "GET /q/_search", r#"{"aggs":{"a":{"range":{"field":"n","ranges":[{"from":""}]}}}}"#, 400, &[("/error/root_cause/0/reason", r#""empty String""#)]),
    // A gap that is alone is no query.
    case("intervals", "GET /q/_search", r#"{"query":{"span_near":{"clauses":[{"span_gap":{"t":[]}}]}}}"#, 200, &[("/hits/total/value", "0")]),
    case("intervals", "GET /q/_search", r#"{"query":{"bool":{"must_not":{"span_near":{"clauses":[{"span_gap":{"t":1}}]}}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Query must not be null""#)]),
    case("intervals", "GET /q/_validate/query?explain=true", r#"{"query":{"intervals":{"t":{"match":{"query":"a b","max_gaps":-5}}}}}"#, 200, &[("/explanations/0/explanation", r#""t:MAXGAPS/-5(UNORDERED(a,b))""#)]),
    case("intervals", "GET /q/_search", r#"{"suggest":{"text":"a","s":{"phrase":{"field":"t","smoothing":{"laplace":{"alpha":[null]}}}}}}"#, 200, &[("/hits/total/value", "0")]),
    // One that leads is wherever it fits: before the word, and further before it as far as the slop goes.
    case("intervals", "GET /q/_search", r#"{"query":{"span_near":{"clauses":[{"span_gap":{"t":1}},{"span_term":{"t":"fox"}}]}}}"#, 200, &[("/hits/total/value", "1")]),
    case("intervals", "GET /q/_search", r#"{"query":{"span_near":{"clauses":[{"span_gap":{"t":2}},{"span_term":{"t":"fox"}}],"slop":9}}}"#, 200, &[("/hits/total/value", "0")]),
    case("intervals", "GET /q/_explain/1", r#"{"query":{"span_near":{"clauses":[{"span_gap":{"t":0}},{"span_term":{"t":"fox"}}],"slop":1}}}"#, 200, &[("/explanation/details/0/description", r#""score(freq=1.5), computed as boost * idf * tf from:""#)]),
    case("intervals", "GET /q/_search", r#"{"query":{"span_near":{"clauses":[{"span_gap":{"k":1}},{"span_term":{"t":"fox"}}]}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Cannot add clause t:fox to SpanNearQuery for field k""#)]),
    case("intervals", "GET /q/_search", r#"{"query":{"match":{"t":"fox"}},"highlight":{"fields":{"t":{"highlight_query":{"span_near":{"clauses":[{"span_gap":{"t":1}}]}}}}}}"#, 200, &[("/hits/hits/0/highlight/t/0", r#""a <em>fox</em>""#)]),
    // Lists that end within lists of terms, in objects too.
    case("fields", "GET /q/_search", r#"{"query":{"terms":{"k":[{"a":[]}]}}}"#, 400, &[("/error/reason", r#""[terms] malformed query, expected [END_OBJECT] but found [END_ARRAY]""#), ("/error/col", "33")]),
    case("fields", "GET /q/_search", r#"{"query":{"terms":{"k":["x",{"a":null}]}}}"#, 400, &[("/error/reason", r#""No value specified for terms query""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"field_masking_span":{"query":{"span_term":{"t":"a"}},"field":""}}}"#, 400, &[("/error/reason", r#""field name is null or empty""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"span_or":{"clauses":[{"field_masking_span":{"query":{"span_term":{"t":"fox"}},"field":"none"}}]}}}"#, 500, &[("/error/root_cause/0/type", r#""null_pointer_exception""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"span_or":{"clauses":[{"span_term":{"t":"fox"}},{"span_multi":{"match":{"regexp":{"none":"a.*"}}}}]}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Clauses must have same field.""#)]),
    case("fields", "GET /q/_search", r#"{"suggest":{"p":{"text":"a","phrase":{"field":"t","smoothing":{"laplace":{"alpha":0.7},"x":1}}}}}"#, 400, &[("/error/reason", r#""[smoothing] unknown token [VALUE_NUMBER] after [x]""#)]),
    case("fields", "GET /q/_validate/query?explain=true", r#"{"query":{"intervals":{"t":{"all_of":{"intervals":[{"match":{"query":"a b","max_gaps":0,"ordered":true}},{"match":{"query":"c"}}],"max_gaps":0,"ordered":true}}}}}"#, 200, &[("/explanations/0/explanation", r#""t:BLOCK(a,b,c)""#)]),
    case("fields", "GET /q/_search", r#"{"aggs":{"f":{"top_hits":{"script_fields":{"a":{"script":"1"},"s":[]}}}}}"#, 400, &[("/error/reason", r#""Expected [START_OBJECT] in [script] but found [START_ARRAY]""#)]),
    // Objects that end the one around them, in lists.
    case("fields", "GET /q/_search", r#"{"query":{"function_score":{"functions":[{"random_score":{"unknown":{}}}]}}}"#, 400, &[("/error/reason", r#""failed to parse [START_OBJECT]. malformed query, expected a [END_OBJECT] while parsing functions but got a [function_score] instead""#), ("/error/col", "72")]),
    case("fields", "GET /q/_search", r#"{"query":{"function_score":{"functions":[{"random_score":{"unknown":{}},"filter":{}}]}}}"#, 400, &[("/error/reason", r#""failed to parse [START_OBJECT]. malformed query, expected a [FIELD_NAME] while parsing functions but got a [function_score] instead""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"bool":{"must":[{"function_score":{"random_score":{"unknown":{}}}}]}}}"#, 400, &[("/error/caused_by/reason", r#""expected value but got [END_OBJECT]""#)]),
    // What documents should be like: versions, analyzers, and documents that are disliked alone.
    case("fields", "GET /q/_search", r#"{"query":{"more_like_this":{"fields":["t"],"min_term_freq":1,"min_doc_freq":1,"like":[{"_id":""}]}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Ids can't be empty""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"more_like_this":{"fields":["t"],"min_term_freq":1,"min_doc_freq":1,"include":true,"like":[{"_id":"1","version":2}]}}}"#, 200, &[("/hits/total/value", "0")]),
    case("fields", "GET /q/_search", r#"{"query":{"more_like_this":{"fields":["t"],"min_term_freq":1,"min_doc_freq":1,"include":true,"like":[{"_id":"1","version":1}]}}}"#, 200, &[("/hits/total/value", "1")]),
    case("fields", "GET /q/_search", r#"{"query":{"more_like_this":{"fields":["t"],"min_term_freq":1,"min_doc_freq":1,"include":true,"like":[{"_id":"1","per_field_analyzer":{"t":"keyword"}}]}}}"#, 200, &[("/hits/total/value", "0")]),
    case("fields", "GET /q/_search", r#"{"query":{"more_like_this":{"fields":["t"],"min_term_freq":1,"min_doc_freq":1,"like":[{"_id":"1","version_type":"force"}]}}}"#, 400, &[("/error/root_cause/0/reason", r#""No version type match [force]""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"more_like_this":{"fields":["t"],"min_term_freq":1,"min_doc_freq":1,"like":"fox","unlike":[{"_id":"1"}],"analyzer":"none"}}}"#, 200, &[("/hits/total/value", "1")]),
    case("fields", "GET /q/_search", r#"{"query":{"intervals":{"t":{},"u":{}}}}"#, 400, &[("/error/reason", r#""Expected [END_OBJECT] but got [FIELD_NAME]""#)]),
    case("fields", "GET /q/_count", r#"{"query":{"terms":{"k":{"index":"q","path":"k"}}}}"#, 400, &[("/error/reason", r#""Failed to parse""#), ("/error/col", "47")]),
    case("fields", "GET /q/_count", r#"{"query":{"geo_shape":{"g":{"shape":{"coordinates":[[[],5]]}}}}}"#, 400, &[("/error/reason", r#""Failed to parse""#), ("/error/root_cause/0/type", r#""exception""#)]),
    case("fields", "GET /q/_search", r#"{"aggs":{"a":{"adjacency_matrix":{"filters":{"z":"text"}}}}}"#, 400, &[("/error/root_cause/0/col", "50")]),
    case("fields", "GET /q/_explain/2", r#"{"query":{"bool":{"must":[{"match_all":{}}],"must_not":[{"term":{"n":2}}],"filter":[{"function_score":{"query":{"script_score":{"query":{"term":{"nd":"a"}},"script":{"source":"1"}}}}}]}}}"#, 200, &[("/matched", "false")]),
    // A flag without a value that says nothing, and a stored field without a name.
    case("fields", "GET /q/_search?q=abc&df=n&lenient=", "", 400, &[("/error/root_cause/0/type", r#""query_shard_exception""#)]),
    case("fields", "GET /q/_search?q=abc&df=n&lenient=true", "", 200, &[("/hits/total/value", "0")]),
    case("fields", "GET /q/_search", r#"{"stored_fields":""}"#, 200, &[("/hits/total/value", "3")]),
    case("fields", "GET /q/_search", r#"{"query":{"geo_bounding_box":{"type":[1]}}}"#, 400, &[("/error/reason", r#""failed to parse [geo_bounding_box] query. bounding box not provided""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"geo_bounding_box":{"gp":[{"top_left":{"lat":59,"lon":2},"bottom_right":{"lat":4,"lon":23}}]}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to find geo field [gp]""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"rank_feature":{"field":"n","boost":-1}}}"#, 400, &[("/error/reason", r#""Failed to build [feature] after last required field arrived""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"query_string":{"query":"a","quote_analyzer":"none"}}}"#, 400, &[("/error/root_cause/0/reason", r#""[query_string] quote_analyzer [none] not found""#)]),
    // Where a text ends whose last tokens are left out.
    case("ends", "GET /_analyze", r#"{"tokenizer":{"type":"classic","max_token_length":1},"text":["CH","a"]}"#, 200, &[("/tokens/0/position", "101")]),
    case("ends", "GET /_analyze", r#"{"tokenizer":"whitespace","filter":["stop","shingle"],"text":["x the the","ab"]}"#, 200, &[("/tokens/2/position", "103")]),
    case("ends", "GET /_analyze", r#"{"tokenizer":"standard","filter":[{"type":"length","min":3},"multiplexer"],"text":["abc xy","cde"]}"#, 200, &[("/tokens/1/position", "101")]),
    case("ends", "GET /_analyze", r#"{"tokenizer":"standard","filter":[{"type":"length","min":3},{"type":"multiplexer","filters":["lowercase"]}],"text":["xy","cde"]}"#, 200, &[("/tokens/0/position", "101")]),
    case("ends", "GET /_analyze", r#"{"tokenizer":"standard","filter":["fingerprint",{"type":"condition","filter":["lowercase"],"script":{"source":"false"}}],"text":["ab","cde"]}"#, 200, &[("/tokens/1/position", "102")]),
    case("ends", "GET /_analyze", r#"{"tokenizer":"standard","filter":["fingerprint",{"type":"condition","filter":["lowercase"],"script":{"source":"true"}}],"text":["ab","cde"]}"#, 200, &[("/tokens/1/position", "101")]),
    case("ends", "GET /_analyze", r#"{"tokenizer":"pattern","filter":[{"type":"limit","max_token_count":1}],"text":["ab the","a"]}"#, 200, &[("/tokens/1/start_offset", "7")]),
    case("ends", "GET /_analyze", r#"{"tokenizer":"path_hierarchy","filter":[{"type":"limit","max_token_count":1}],"text":["a/b/c","x"]}"#, 200, &[("/tokens/1/start_offset", "3")]),
    case("ends", "GET /_analyze", r#"{"tokenizer":"standard","filter":[{"type":"limit","max_token_count":1}],"text":["ab the","a"]}"#, 200, &[("/tokens/1/start_offset", "3")]),
    // An object in an option that takes none ends those around it, and what stands behind it is read further out.
    case("fields", "GET /q/_search", r#"{"suggest":{"p":{"phrase":{"field":"t","highlight":{"pre_tag":"<","post_tag":">","x":{}},"gram_size":3}}}}"#, 400, &[("/error/reason", r#""suggestion does not support [gram_size]""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"bool":{"must":[{"function_score":{"random_score":{"seed":{},"field":"n"}}}]}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to parse [function_score] query. already found function [random_score], now encountering [field]. use [functions] array if you want to define several functions.""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"term":{"n":{"value":{}}}}}"#, 400, &[("/error/reason", r#""Unexpected token [END_OBJECT] found after the main object.""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"bool":{"must":{"regexp":{"t":{"flags":1.50}}}}}}"#, 400, &[("/error/reason", r#""[1:50] [bool] failed to parse field [must]""#), ("/error/caused_by/reason", r#""Unknown regexp flag [1.50]""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"simple_query_string":{"query":"a","flags":2147483648}}}"#, 400, &[("/error/type", r#""input_coercion_exception""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"percolate":{"field":"p","documents":["a"]}}}"#, 400, &[("/error/root_cause/0/type", r#""mapper_parsing_exception""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"wrapper":{"query":"e30=","boost":1}}}"#, 400, &[("/error/reason", r#""[wrapper] malformed query, expected [END_OBJECT] but found [FIELD_NAME]""#)]),
    case("fields", "GET /q/_search", r#"{"query":{"distance_feature":{"field":"d","origin":1e30,"pivot":"1d"}}}"#, 400, &[("/error/type", r#""x_content_parse_exception""#)]),
    case("aggregation", "GET /q/_search", r#"{"aggs":{"a":{"bucket_selector":{"buckets_path":{"v":"s"},"scripts":"1"}}}}"#, 400, &[("/error/reason", r#""Unknown key for a VALUE_STRING in [a]: [scripts].""#)]),
    // Sorts over two types: what a field that is not mapped is taken for has a name, and values of the two are not compared.
    case("sorts", "GET /q/_search", r#"{"sort":[{"none":{"unmapped_type":"long"}}],"search_after":["x"]}"#, 400, &[("/error/root_cause/0/reason", r#""Failed to parse search_after value for field [__anonymous_long].""#)]),
    case("sorts", "GET /q/_search", r#"{"sort":[{"none":{"unmapped_type":"ip"}}],"search_after":["x"]}"#, 400, &[("/error/root_cause/0/reason", r#""'x' is not an IP string literal.""#)]),
    case("sorts", "GET /q,q2/_search", r#"{"sort":[{"k":"asc"}],"query":{"exists":{"field":"k"}}}"#, 500, &[("/error/phase", r#""fetch""#), ("/error/caused_by/type", r#""class_cast_exception""#), ("/error/caused_by/reason", r#""class java.lang.Long cannot be cast to class org.apache.lucene.util.BytesRef (java.lang.Long is in module java.base of loader 'bootstrap'; org.apache.lucene.util.BytesRef is in unnamed module of loader 'app')""#)]),
    case("sorts", "GET /q,q2/_search", r#"{"suggest":{"text":"Fox","s":{"term":{"field":"k"}},"t":{"term":{"field":"t"}}}}"#, 200, &[("/suggest/s/0/text", r#""Fox""#)]),
    // What is no clause goes where one follows.
    case("fields", "GET /q/_count", r#"{"query":{"bool":{"should":[{"match":{"t":"fox"}},"text",{"term":{"n":2}},1,{"term":{"n":7}}]}}}"#, 200, &[("/count", "2")]),
    case("aggregation", "GET /q/_search", r#"{"aggs":{"a":{"moving_avg":{"model":"holt","settings":{"alphas":0.5}}}}}"#, 400, &[("/error/reason", r#""Missing required field [buckets_path] for movingAvg aggregation [a]""#)]),
    case("place", "GET /q/_search", r#"{"query":{"geo_shape":{"g":{"shape":{"type":"nope","coordinates":[1]}}}}}"#, 400, &[("/error/reason", r#""unknown geo_shape [nope]""#)]),
    case("place", "GET /q/_search", r#"{"query":{"geo_shape":{"g":{"shape":{"coordinates":[[5,6],"",[14,6]],"type":"point"}}}}}"#, 400, &[("/error/reason", r#""geo coordinates must be numbers""#)]),
    // Without hits nobody asks for scripts of fields.
    case("fields", "GET /q/_search", r#"{"size":0,"script_fields":{"a":{"script":"a b"}}}"#, 200, &[("/hits/total/value", "3")]),
    case("fields", "GET /q/_search", r#"{"query":{"ids":{"values":["2"]}},"highlight":{"fields":{"nv":{"no_match_size":9}}}}"#, 200, &[("/hits/hits/0/highlight/nv/0", r#""nothing""#)]),
    // What only the finished query looks at is told behind what nobody knows.
    case("late", "GET /q/_search", r#"{"query":{"match":{"t":{"prefix_length":-1,"zz":{}}}}}"#, 400, &[("/error/reason", r#""[match] unknown token [START_OBJECT] after [zz]""#)]),
    case("late", "GET /q/_search", r#"{"query":{"match":{"t":{"query":"a","max_expansions":-1,"prefix_length":-1}}}}"#, 400, &[("/error/reason", r#""[match] requires prefix length to be non-negative.""#)]),
    case("late", "GET /q/_search", r#"{"query":{"multi_match":{"query":"a","slop":-1,"fields":["t"],"type":"bool_prefix"}}}"#, 400, &[("/error/reason", r#""[slop] not allowed for type [bool_prefix]""#)]),
    case("late", "GET /q/_search", r#"{"query":{"range":{"n":{"relation":"","zz":1}}}}"#, 400, &[("/error/reason", r#""[range] query does not support [zz]""#)]),
    case("late", "GET /q/_search", r#"{"query":{"range":{"n":{"relation":"x"},"sizes":"x"}}}"#, 400, &[("/error/reason", r#""[range] query does not support [sizes]""#)]),
    case("late", "GET /q/_search", r#"{"query":{"terms":{"value_type":"abc"}}}"#, 400, &[("/error/reason", r#""[terms] query requires a field name, followed by array of terms or a document lookup specification""#)]),
    case("late", "GET /q/_search", r#"{"query":{"regexp":{"k":{"max_determinized_states":-1,"nme":1}}}}"#, 400, &[("/error/reason", r#""[regexp] query does not support [nme]""#)]),
    case("late", "GET /q/_search", r#"{"query":{"more_like_this":{"max_query_terms":0,"fields":["t"]}}}"#, 400, &[("/error/reason", r#""more_like_this requires 'like' to be specified""#)]),
    case("late", "GET /q/_count", r#"{"query":{"query_string":{"query":"fox","fields":["t"],"phrase_slop":-1}}}"#, 200, &[("/count", "1")]),
    case("late", "GET /q/_search", r#"{"query":{"query_string":{"query":"\"a fox\"","fields":["t"],"phrase_slop":-1}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Slop must be >= 0, got -1""#)]),
    case("late", "GET /q/_search", r#"{"query":{"bool":{"filter":[{"geo_distance":{"distance_type":"x"}}]}}}"#, 400, &[("/error/reason", r#""[1:62] [bool] failed to parse field [filter]""#)]),
    case("late", "GET /q/_search", r#"{"query":{"geo_distance":{"distance":"abc"}}}"#, 400, &[("/error/reason", r#""fieldName must not be null or empty""#)]),
    case("late", "GET /q/_search", r#"{"query":{"terms":{"t":[[],{}]}}}"#, 400, &[("/error/reason", r#""[terms] query does not support more than one field. Already got: [t] but also found [t]""#)]),
    case("late", "GET /q/_search", r#"{"suggest":{"s":{"phrase":{"direct_generator":[[[]]]}}}}"#, 400, &[("/error/reason", r#""suggester[phrase] doesn't support field [direct_generator]""#), ("/error/col", "51")]),
    case("late", "GET /q/_search", r#"{"aggs":{"a":{"ip_range":{"ranges":[[]]}}}}"#, 400, &[("/error/caused_by/reason", r#""expected value but got [START_ARRAY]""#)]),
    // What highlighters see of keywords, and what of terms that no field has.
    case("seen", "GET /q/_search", r#"{"query":{"range":{"k":{"gte":"x"}}},"highlight":{"require_field_match":false,"fields":{"v":{"type":"fvh"},"t":{}}}}"#, 200, &[("/hits/hits/0/_id", r#""1""#), ("/hits/hits/0/highlight", "-")]),
    case("seen", "GET /q/_search", r#"{"query":{"span_multi":{"match":{"prefix":{"v":"fo"}}}},"highlight":{"fields":{"v":{"type":"fvh"}}}}"#, 200, &[("/hits/hits/0/highlight/v/0", r#""x <em>fox</em>""#)]),
    case("seen", "GET /q/_search", r#"{"query":{"term":{"ni":"fox"}},"highlight":{"require_field_match":false,"fields":{"v":{}}}}"#, 200, &[("/hits/hits/0/_id", r#""1""#), ("/hits/hits/0/highlight", "-")]),
    case("seen", "GET /q/_count", r#"{"query":{"wildcard":{"ni":{"value":"FO*","case_insensitive":true}}}}"#, 200, &[("/count", "0")]),
    case("seen", "GET /q/_search", r#"{"query":{"prefix":{"w":"fo"}},"highlight":{"fields":{"w":{}}}}"#, 200, &[("/hits/hits/0/_id", r#""1""#), ("/hits/hits/0/highlight", "-")]),
    case("seen", "GET /q/_search", r#"{"query":{"prefix":{"v":"fo"}},"highlight":{"require_field_match":false,"fields":{"w":{}}}}"#, 200, &[("/hits/hits/0/highlight/w/0", r#""<em>fox den</em>""#)]),
    case("seen", "GET /q/_search", r#"{"query":{"span_term":{"m":"fox"}}}"#, 500, &[("/error/root_cause/0/reason", r#""field \"m\" was indexed without position data; cannot run SpanTermQuery (term=fox)""#)]),
    case("seen", "GET /q/_search", r#"{"query":{"prefix":{"_nested_path":"a"}}}"#, 200, &[("/hits/total/value", "0")]),
    case("seen", "GET /q/_search", r#"{"query":{"match_phrase":{"_source":"a b"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: field:[_source] was indexed without position data; cannot run PhraseQuery""#)]),
    // A search ends beside what is known of its hits, and behind the filter after it.
    case("end", "GET /q/_count?terminate_after=1", "", 200, &[("/count", "3"), ("/terminated_early", "true")]),
    case("end", "GET /q/_count?terminate_after=1", r#"{"query":{"range":{"n":{"gt":1}}}}"#, 200, &[("/count", "1"), ("/terminated_early", "false")]),
    case("end", "GET /q/_search", r#"{"terminate_after":1}"#, 200, &[("/hits/total/value", "1"), ("/terminated_early", "true")]),
    case("end", "GET /q/_search", r#"{"terminate_after":3}"#, 200, &[("/hits/total/value", "3"), ("/terminated_early", "false")]),
    case("end", "GET /q/_search", r#"{"size":0,"terminate_after":1,"aggs":{"n":{"sum":{"field":"n"}}}}"#, 200, &[("/hits/total/value", "3"), ("/aggregations/n/value", "1.0")]),
    case("end", "GET /q/_search", r#"{"terminate_after":1,"post_filter":{"term":{"n":2}},"aggs":{"n":{"value_count":{"field":"_id"}}}}"#, 200, &[("/hits/hits/0/_id", r#""2""#), ("/terminated_early", "false"), ("/aggregations/n/value", "3")]),
    // Fields are one where the names of their analyzers are the same.
    case("group", "GET /q/_validate/query?explain=true", r#"{"query":{"multi_match":{"query":"a b","fields":["k","v","t","nd"],"type":"cross_fields"}}}"#, 200, &[("/explanations/0/explanation", r#""((blended(terms:[t:a, v:a]) blended(terms:[t:b, v:b])) | (ConstantScore(nd:a b) | ConstantScore(k:a b)))""#)]),
    case("group", "GET /q/_validate/query?explain=true&rewrite=true", r#"{"query":{"bool":{"must":[{"match":{"t":"a fox"}}],"filter":[{"term":{"nd":"a"}}],"must_not":[{"term":{"nd":"z"}}]}}}"#, 200, &[("/explanations/0/explanation", r#""(-nd:z #nd:a t:a t:fox)~1""#)]),
    case("group", "GET /_analyze", r#"{"tokenizer":"standard","filter":[{"type":"cjk_bigram","output_unigrams":true},{"type":"synonym","synonyms":["a,b"]}],"text":"a"}"#, 400, &[("/error/reason", r#""Token filter [__anonymous__cjk_bigram] cannot be used to parse synonyms""#)]),
    case("group", "GET /q/_search", r#"{"aggs":{"a":{"percentile_ranks":{"values":[]}}}}"#, 400, &[("/error/reason", r#""Required one of fields [field, script], but none were specified. ""#)]),
];

/// An index with fields of the kinds that the cases look at.
fn setup(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /q,q2,c?ignore_unavailable=true", "");
    server.ok(
        "PUT /q",
        r#"{"settings":{"number_of_shards":1,"number_of_replicas":0},"mappings":{"properties":{"g":{"type":"geo_point"},"k":{"type":"keyword"},
            "nd":{"type":"keyword","doc_values":false},"n":{"type":"integer"},"d":{"type":"date"},"t":{"type":"text"},"p":{"type":"percolator"},"nv":{"type":"keyword","null_value":"nothing"},
            "v":{"type":"text","term_vector":"with_positions_offsets"},"ni":{"type":"keyword","index":false},"w":{"type":"wildcard"},"m":{"type":"match_only_text"}}}}"#,
    );
    server.ok("PUT /q/_doc/1", r#"{"g":[1,2],"n":1,"k":"x","nd":["a","b"],"d":"2021-01-01","t":"a fox","v":"x fox","ni":"fox","w":"fox den","m":"fox"}"#);
    server.ok("PUT /q/_doc/2", r#"{"n":2,"nd":"c","nv":null}"#);
    server.ok("PUT /q/_doc/3", r#"{"p":{"match":{"t":"a"}}}"#);
    let other =
        r#"{"settings":{"number_of_shards":1,"number_of_replicas":0},"mappings":{"properties":{"k":{"type":"long"}}}}"#;
    server.ok("PUT /q2", other);
    server.ok("PUT /q2/_doc/1?refresh=true", r#"{"k":3}"#);
    server.ok("POST /q/_refresh", "");
    vec![]
}

#[test]
fn bodies_of_queries() {
    assert_covers(CASES, ROWS);
    Server::start("rows-query-bodies").run(CASES, setup);
}
