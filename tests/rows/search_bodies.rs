//! What bodies of searches, scrolls and analysis settings answer in the less common of their forms.

use super::{Case, Server, assert_covers, case};

const ROWS: &[&str] =
    &["sort", "search_after", "highlight", "inner_hits", "fields", "suggest", "body", "context", "join", "analysis"];

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"g":[1,2,3,4]}}]}"#, 200, &[("/hits/hits/0/sort/0", "0.0")]),
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"g":[1,2,3]}}]}"#, 400, &[("/error/reason", r#""geo point parsing: expected second number but got [END_ARRAY] instead""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"g":[[1]]}}]}"#, 400, &[("/error/reason", r#""[geo_point] field type should have at least two dimensions""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"g":[1,2],"k":"1,2"}}]}"#, 400, &[("/error/reason", r#""Trying to reset fieldName to [k], already set to [g].""#), ("/error/type", r#""parsing_exception""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"k":[0,0],"g":[1,2],"order":null}}]}"#, 200, &[("/hits/hits/0/sort/0", "0.0")]),
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"g":[1,2],"missing":5}}]}"#, 400, &[("/error/reason", r#""[_geo_distance] does not support [missing]""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"g":[1,2],"nested_path":"nest"}}]}"#, 200, &[("/hits/hits/0/sort/0", r#""Infinity""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"g":[1,2],"nested_path":"nest","nested":{"path":"nest"}}}]}"#, 400, &[("/error/reason", r#""Setting both nested_path/nested_filter and nested not allowed""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"g":[200,10]}}]}"#, 400, &[("/error/root_cause/0/reason", r#""illegal longitude value [200.0] for [GeoDistanceSort] for field [g].""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"g":[200,100],"validation_method":"IGNORE_MALFORMED"}}]}"#, 400, &[("/error/root_cause/0/reason", r#""invalid latitude 100.0; must be between -90.0 and 90.0""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"g":[200,100],"validation_method":"IGNORE_MALFORMED","unit":"km"}}]}"#, 200, &[("/_shards/failed", "0")]),
    case("sort", "GET /b/_search", r#"{"sort":[{"_geo_distance":"asc"}]}"#, 400, &[("/error/root_cause/0/reason", r#""No mapping found for [_geo_distance] in order to sort on""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"d":{"missing":"2020-01-01"}}]}"#, 400, &[("/error/root_cause/0/reason", r#""For input string: \"2020-01-01\"""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"n":{"missing":99999999999}}]}"#, 200, &[("/hits/hits/2/sort/0", "1215752191")]),
    case("sort", "GET /b/_search", r#"{"sort":[{"n":{"missing":5.5,"numeric_type":"double"}}]}"#, 200, &[("/hits/hits/2/sort/0", "5.5")]),
    case("sort", "GET /b/_search", r#"{"sort":[{"u":{"missing":1.5}}]}"#, 400, &[("/error/root_cause/0/reason", r#""1.5 is not an integer value""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"nest.y":{"nested":{}}}]}"#, 200, &[("/hits/hits/0/sort/0", "9223372036854775807")]),
    // The reference turns such an order round twice.
    case("sort", "GET /b/_search", r#"{"sort":[{"w":"desc"}]}"#, 200, &[("/hits/hits/0/sort/0", "null"), ("/hits/hits/1/sort/0", r#""a""#), ("/hits/hits/2/sort/0", r#""b""#)]),
    case("search_after", "GET /b/_search", r#"{"sort":["n"],"search_after":["2.5"]}"#, 400, &[("/error/root_cause/0/reason", r#""Failed to parse search_after value for field [n].""#)]),
    case("search_after", "GET /b/_search", r#"{"sort":["_doc"],"search_after":["x"]}"#, 400, &[("/error/root_cause/0/reason", r#""Failed to parse search_after value for field [null].""#)]),
    case("search_after", "GET /b/_search", r#"{"sort":[{"_geo_distance":{"g":[1,2]}}],"search_after":["x"]}"#, 400, &[("/error/root_cause/0/reason", r#""Failed to parse search_after value for field [g].""#)]),
    case("search_after", "GET /b/_search", r#"{"sort":["d"],"search_after":["x"]}"#, 400, &[("/error/root_cause/0/type", r#""parse_exception""#)]),
    case("search_after", "GET /b/_search", r#"{"sort":["u"],"search_after":[-1]}"#, 400, &[("/error/root_cause/0/reason", r#""Value [-1] is out of range for an unsigned long""#)]),
    case("search_after", "GET /b/_search", r#"{"sort":["w"],"search_after":["a"]}"#, 400, &[("/error/root_cause/0/reason", r#""Comparator type [CUSTOM] for field [w] is not supported.""#)]),
    case("highlight", "GET /b/_search", r#"{"query":{"match":{"t":"fox"}},"highlight":{"fragment_size":-1,"fields":{"t":{}}}}"#, 200, &[("/hits/hits/0/highlight/t/0", r#""A <em>fox</em> ran. It fell.""#)]),
    case("highlight", "GET /b/_search", r#"{"query":{"match":{"t":"fox"}},"highlight":{"fragment_size":-1,"fields":{"t":{"type":"plain"}}}}"#, 200, &[("/hits/hits/0/highlight/t/0", r#""A <em>fox</em> ran. It fell.""#)]),
    // The words of a phrase without positions are marked each by itself, and by one highlighter not what a prefix begins.
    case("highlight", "GET /b/_search", r#"{"query":{"match_phrase":{"mo":"one two"}},"highlight":{"fields":{"mo":{}}}}"#, 200, &[("/hits/hits/0/highlight/mo/0", r#""<em>one</em> <em>two</em> <em>two</em>""#)]),
    case("highlight", "GET /b/_search", r#"{"query":{"match_phrase_prefix":{"mo":"one tw"}},"highlight":{"fields":{"mo":{}}}}"#, 200, &[("/hits/hits/0/highlight/mo/0", r#""<em>one</em> two two""#)]),
    case("inner_hits", "GET /b/_search", r#"{"query":{"nested":{"path":"nest","query":{"match_all":{}},"inner_hits":{"track_scores":true,"sort":["nest.y"]}}}}"#, 200, &[("/hits/hits/0/inner_hits/nest/hits/hits/0/_score", "null"), ("/hits/hits/0/inner_hits/nest/hits/max_score", "1.0")]),
    case("inner_hits", "GET /b/_search", r#"{"query":{"nested":{"path":"nest","query":{"match_all":{}},"inner_hits":{"stored_fields":"_none_"}}}}"#, 200, &[("/hits/hits/0/inner_hits/nest/hits/hits/0/_id", r#""1""#)]),
    case("inner_hits", "GET /b/_search", r#"{"collapse":{"field":"n","inner_hits":{"name":"a","collapse":{"field":"k","inner_hits":{}}}}}"#, 400, &[("/error/reason", r#""[1:75] [collapse] failed to parse field [inner_hits]""#)]),
    case("fields", "GET /b/_search", r#"{"fields":["t*"],"query":{"term":{"n":1}}}"#, 200, &[("/hits/hits/0/fields/t", "*"), ("/hits/hits/0/fields/t._index_prefix", "*"), ("/hits/hits/0/fields/t.m._index_prefix", "-")]),
    case("fields", "GET /b/_search", r#"{"fields":["j*"],"query":{"term":{"n":1}}}"#, 500, &[("/error/root_cause/0/reason", r#""Cannot fetch values for internal field [parent].""#)]),
    case("fields", "GET /b/_search", r#"{"fields":["_p*"],"query":{"term":{"n":1}}}"#, 500, &[("/error/root_cause/0/reason", r#""Cannot fetch values for metadata field [parent_join].""#)]),
    case("fields", "GET /b/_search", r#"{"docvalue_fields":["dr"],"query":{"term":{"n":1}}}"#, 500, &[("/error/root_cause/0/type", r#""unsupported_operation_exception""#), ("/error/caused_by/reason", "null")]),
    case("fields", "GET /b/_search", r#"{"docvalue_fields":["t._index_prefix"]}"#, 400, &[("/error/root_cause/0/reason", r#""Fielddata is not supported on field [t._index_prefix] of type [prefix]""#)]),
    case("suggest", "GET /b/_search", r#"{"suggest":{"a":{"text":"x","phrase":{"field":"t","direct_generator":{"field":"t"}}}}}"#, 400, &[("/error/reason", r#""suggester[phrase]  doesn't support array field [direct_generator]""#)]),
    case("body", "GET /b/_search", r#"{"timeout":"1.5h"}"#, 400, &[("/error/reason", r#""failed to parse [1.5h], fractional time values are not supported""#)]),
    case("body", "GET /b/_search", r#"{"timeout":"-2s"}"#, 400, &[("/error/reason", r#""failed to parse setting [timeout] with value [-2s] as a time value: negative durations are not supported""#)]),
    case("body", "GET /b/_search", r#"{"timeout":"-1s"}"#, 200, &[("/timed_out", "true")]),
    case("body", "GET /b/_search", r#"{"stats":[1]}"#, 400, &[("/error/reason", r#""Expected [VALUE_STRING] in [stats] but found [VALUE_NUMBER]""#)]),
    case("body", "GET /b/_search", r#"{"indices_boost":[{"b":-1}]}"#, 400, &[("/error/root_cause/0/reason", r#""boost must be a positive float, got -1.0""#)]),
    case("body", "GET /b/_search", r#"{"collapse":{"field":"fo"}}"#, 400, &[("/error/root_cause/0/reason", r#""unknown type for collapse field `fo`, only keywords and numbers are accepted""#)]),
    case("body", "GET /b/_search", r#"{"aggs":{"h":{"derivative":{"buckets_path":"m"}}},"unknown":"x"}"#, 400, &[("/error/reason", r#""Unknown key for a VALUE_STRING in [unknown].""#)]),
    case("body", "GET /b/_search", r#"{"query":{"geo_distance":{"g":[1,2],"unknown":1}}}"#, 400, &[("/error/reason", r#""failed to parse [geo_distance] query. unexpected field [unknown]""#)]),
    case("body", "GET /b/_search", r#"{"query":{"geo_bounding_box":{"g":{"wkt":[]}}}}"#, 400, &[("/error/reason", r#""failed to parse [geo_bounding_box] query. [Can't get text on a START_ARRAY at 1:42]""#)]),
    case("body", "GET /b/_rank_eval", r#"{"requests":[{"id":"a","request":{},"ratings":[]}],"metric":{"precision":{"k":-1}}}"#, 400, &[("/error/reason", r#""[1:81] [rank_eval] failed to parse field [metric]""#)]),
    case("body", "GET /b/_rank_eval", r#"{"requests":[{"id":"a","request":{},"ratings":[]}],"metric":{"mean_reciprocal_rank":{"k":"x"}}}"#, 400, &[("/error/caused_by/reason", r#""[1:90] [reciprocal_rank] failed to parse field [k]""#)]),
    case("body", "GET /b/_rank_eval", r#"{"requests":[{"id":"a","request":{},"ratings":[]}],"metric":{"expected_reciprocal_rank":{"maximum_relevance":1,"k":0}}}"#, 200, &[("/metric_score", "0.0")]),
    case("body", "GET /b/_rank_eval", r#"{"requests":[{"id":"a","request":{},"ratings":[]}],"metric":{"dcg":{"k":-1}}}"#, 400, &[("/error/reason", r#""[size] parameter cannot be negative, found [-1]""#)]),
    case("body", "GET /b/_rank_eval", r#"{"requests":[{"id":"a","request":{},"ratings":[]}],"metric":{}}"#, 400, &[("/error/caused_by/reason", r#""Failed to parse object: expecting token of type [FIELD_NAME] but found [END_OBJECT]""#)]),
    case("body", "GET /b/_rank_eval", r#"{"requests":[null,{"id":"a","request":{},"ratings":[5,{"_index":"b","_id":"1","rating":1}]}],"metric":{"precision":{}}}"#, 200, &[("/failures", "{}")]),
    case("body", "GET /b/_rank_eval", r#"{"requests":[[]],"metric":{"precision":{}}}"#, 400, &[("/error/reason", r#""[1:14] [rank_eval] failed to parse field [requests]""#), ("/error/caused_by/reason", r#""expected value but got [START_ARRAY]""#)]),
    case("body", "GET /b/_rank_eval", r#"{"requests":{"id":"a","request":{},"ratings":{"_index":"a","_id":"b","rating":1}},"metric":{"precision":{}}}"#, 200, &[("/failures", "{}")]),
    case("body", "GET /b/_rank_eval", r#"{"requests":[],"templates":[{"id":"a","template":{"foo":"a"}}],"metric":{"precision":{}}}"#, 400, &[("/error/reason", r#""[1:57] [rank_eval] failed to parse field [templates]""#), ("/error/root_cause/0/reason", r#""[1:51] [script] unknown field [foo]""#)]),
    case("body", "GET /b/_rank_eval", r#"{"requests":[],"templates":[{"id":"a"}],"metric":{"precision":{}}}"#, 400, &[("/error/reason", r#""[1:38] [rank_eval] failed to parse field [templates]""#), ("/error/caused_by/reason", r#""Required [template]""#)]),
    case("body", "GET /b/_search", r#"{"suggest":{"s":{"text":"a","phrase":{"field":"t","highlight":{"boosts":{}}}}}}"#, 400, &[("/error/reason", r#""Unexpected token [END_OBJECT] found after the main object.""#), ("/error/col", "79")]),
    case("body", "GET /b/_search", r#"{"suggest":{"s":{"text":"a","phrase":{"field":"t","highlight":{"boosts":{"a":1}}}}}}"#, 400, &[("/error/reason", r#""suggester[phrase][highlight] doesn't support field [a]""#)]),
    case("body", "GET /b/_search", r#"{"query":{"wrapper":{"query":true}}}"#, 400, &[("/error/type", r#""json_parse_exception""#), ("/error/caused_by/type", r#""stream_read_exception""#)]),
    case("body", "GET /b/_count", r#"{"query":{"wrapper":{"query":true}}}"#, 400, &[("/error/reason", r#""Failed to parse""#), ("/error/col", "30")]),
    case("body", "GET /b/_count", r#"{"query":{"prefix":{"k":{"value":"a","case_insensitive":[]}}}}"#, 400, &[("/error/reason", r#""Failed to parse""#), ("/error/col", "57")]),
    case("body", "GET /b/_count", r#"{"query":{"intervals":{"t":{"regexp":{}}}}}"#, 400, &[("/error/caused_by/reason", r#""Required [pattern]""#), ("/error/col", "39")]),
    case("body", "GET /b/_search", r#"{"aggs":{"e":{"geohash_grid":{"field":"g","bounds":{"sizes":{}}}}}}"#, 400, &[("/error/reason", r#""[1:61] [geohash_grid] failed to parse field [bounds]""#)]),
    case("body", "GET /b/_search", r#"{"aggs":{"e":{"matrix_stats":{"fields":["n"],"missing":{"n":[]}}}}}"#, 500, &[("/error/reason", r#""Can't get text on a START_ARRAY at 1:61""#)]),
    // Of what is not given the default counts, and -1 is not given.
    case("body", "GET /b/_search", r#"{"query":{"match":{"t":"fox fell"}},"highlight":{"fragment_size":5,"number_of_fragments":-1,"fields":{"t":{}}}}"#, 200, &[("/hits/hits/0/highlight/t", r#"["A <em>fox</em>","It <em>fell</em>"]"#)]),
    case("body", "GET /b/_search", r#"{"query":{"match":{"t":"fox fell"}},"highlight":{"number_of_fragments":0,"fields":{"t":{"number_of_fragments":-1}}}}"#, 200, &[("/hits/hits/0/highlight/t", r#"["A <em>fox</em> ran. It <em>fell</em>."]"#)]),
    case("body", "GET /b/_search", r#"{"query":{"match":{"t":"fox"}},"highlight":{"number_of_fragments":-2,"fields":{"t":{}}}}"#, 400, &[("/error/root_cause/0/reason", "null")]),
    case("body", "GET /b/_search", r#"{"query":{"match":{"t":"fox"}},"highlight":{"type":"plain","fields":{"t":{"number_of_fragments":-2}}}}"#, 400, &[("/error/root_cause/0/reason", r#""maxSize must be >= 0 and < 2147483631; got: -2""#)]),
    // An object is no field, but has some.
    case("body", "GET /b/_search", r#"{"query":{"query_string":{"query":"o:*"}}}"#, 200, &[("/hits/total/value", "1"), ("/hits/hits/0/_id", r#""2""#)]),
    // What stands for other characters does so in prefixes of wildcard fields.
    case("body", "GET /b/_search", r#"{"query":{"prefix":{"w":"*"}}}"#, 200, &[("/hits/total/value", "2")]),
    // Sides beyond the edges of the map go around the earth where that is wanted. (The place lies at 1 east, 2 north.)
    case("body", "GET /b/_count", r#"{"query":{"geo_bounding_box":{"validation_method":"COERCE","g":{"top":10,"left":350,"bottom":0,"right":370}}}}"#, 200, &[("/count", "1")]),
    case("body", "GET /b/_count", r#"{"query":{"geo_bounding_box":{"validation_method":"COERCE","g":{"top":10,"left":-190,"bottom":0,"right":170}}}}"#, 200, &[("/count", "1")]),
    case("body", "GET /b/_search", r#"{"query":{"geo_bounding_box":{"validation_method":"IGNORE_MALFORMED","g":{"top":10,"left":350,"bottom":0,"right":370}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: invalid longitude 350.0; must be between -180.0 and 180.0""#)]),
    case("body", "GET /b/_search", r#"{"query":{"geo_bounding_box":{"g":{"top":true}}}}"#, 400, &[("/error/type", r#""parse_exception""#)]),
    case("body", "GET /b/_search", r#"{"query":{"geo_polygon":{"g":{"points":[[0,0],[400,0],[0,9]]}}}}"#, 400, &[("/error/root_cause/0/reason", r#""illegal longitude value [400.0] for [geo_polygon]""#), ("/error/reason", r#""all shards failed""#)]),
    case("body", "GET /b/_search", r#"{"sort":["n"],"search_after":[9223372036854775808]}"#, 400, &[("/error/root_cause/0/reason", r#""Failed to parse search_after value for field [n].""#)]),
    case("body", "GET /b/_search", r#"{"size":2147483647,"suggest":{"s":{"text":"fix","term":{"field":"t"}}}}"#, 200, &[]),
    case("body", "GET /b/_search", r#"{"query":{"match":{"t":{"query":"fox ran","lenient":true,"minimum_should_match":"99999999999"}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: For input string: \"99999999999\"""#)]),
    case("body", "GET /b/_search", r#"{"query":{"function_score":{"random_score":{"x":[]}}}}"#, 200, &[("/hits/total/value", "3")]),
    case("body", "GET /b/_search", r#"{"query":{"function_score":{"field_value_factor":{"field":"n","factor":{}}}}}"#, 400, &[("/error/reason", r#""[field_value_factor] field 'factor' does not support lists or objects""#)]),
    case("body", "GET /b/_search", r#"{"query":{"combined_fields":{"query":"fox","fields":["t"],"minimum_should_match":null}}}"#, 200, &[("/hits/total/value", "1")]),
    case("body", "GET /b/_search", r#"{"query":{"prefix":{"k":{"value":"x","rewrite":"top_terms_1x"}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: For input string: \"1x\"""#)]),
    case("body", "GET /b/_search", r#"{"aggs":{"c":{"geo_centroid":{"script":"1"}}}}"#, 500, &[("/error/root_cause/0/reason", r#""value source of type [geopoint] is not supported by scripts""#)]),
    case("body", "POST /b/_termvectors/1", r#"{"offsets":1}"#, 400, &[("/error/type", r#""input_coercion_exception""#)]),
    case("body", "POST /b/_termvectors/1", r#"{"fields":["t"],"filter":{"max_num_terms":1.5}}"#, 200, &[("/found", "true")]),
    case("body", "POST /b/_termvectors/1", r#"{"fields":["t"],"per_field_analyzer":"x"}"#, 200, &[("/found", "true")]),
    case("body", "GET /b/_search/template", r#"{"source":"{}","profile":1}"#, 400, &[("/error/reason", r#""[1:26] [search_template] profile doesn't support values of type: VALUE_NUMBER""#)]),
    case("context", "DELETE /_search/scroll", r#"{"scroll_id":5}"#, 400, &[("/error/reason", r#""Cannot parse scroll id""#)]),
    case("body", "GET /b/_field_caps?fields=t", r#"{"index_filter":{"bool":{"x":1}}}"#, 400, &[("/error/reason", r#""Failed to parse""#), ("/error/col", "30")]),
    case("body", "GET /b/_count", r#"{"query":{"bool":{"x":1}}}"#, 400, &[("/error/reason", r#""Failed to parse""#), ("/error/col", "23")]),
    case("analysis", "GET /b/_analyze", "", 400, &[("/error/reason", r#""request body or source parameter is required""#)]),
    // Parameters may come in the address; what the body says goes before them.
    case("analysis", "GET /b/_analyze?text=A%20b", "", 200, &[("/tokens/0/token", r#""a""#), ("/tokens/1/token", r#""b""#)]).overruled(),
    case("analysis", "GET /_analyze?text=A%20b&tokenizer=keyword&filter=lowercase,reverse", "", 200, &[("/tokens/0/token", r#""b a""#), ("/tokens/1", "-")]).overruled(),
    case("analysis", "POST /_analyze?analyzer=keyword&explain=true", r#"{"text":"A b"}"#, 200, &[("/detail/analyzer/tokens/0/token", r#""A b""#)]).overruled(),
    case("analysis", "POST /_analyze?analyzer=keyword&text=x", r#"{"text":"A b","analyzer":"simple"}"#, 200, &[("/tokens/1/token", r#""b""#)]).overruled(),
    case("context", "GET /_search", r#"{"pit":{"id":"bad"}}"#, 500, &[("/error/reason", r#""Unsupported version [ES 0.0.1]""#)]),
    case("context", "GET /_search", r#"{"pit":{"id":5}}"#, 400, &[("/error/reason", r#""[1:14] [pit] id doesn't support values of type: VALUE_NUMBER""#)]),
    case("context", "POST /_search/scroll", r#"{"scroll_id":""}"#, 400, &[("/error/reason", r#""Cannot parse scroll id""#), ("/error/caused_by/reason", "null")]),
    case("join", "PUT /b/_doc/9", r#"{"j":null}"#, 400, &[("/error/caused_by/reason", r#""[null] expected START_OBJECT or VALUE_STRING but was: VALUE_NULL""#)]),
    case("join", "PUT /b/_doc/9?routing=1", r#"{"j":{"name":"c","parent":[1],"x":true}}"#, 201, &[]),
    case("join", "PUT /b/_doc/9", r#"{"j":{"name":5}}"#, 400, &[("/error/caused_by/reason", r#""unknown field name [name] in join field [j]""#)]),
    case("analysis", "PUT /c", r#"{"settings":{"analysis":{"tokenizer":{"f":"x"}}}}"#, 400, &[("/error/reason", r#""Failed to get setting group for [index.analysis.tokenizer.] setting prefix and setting [index.analysis.tokenizer.f] because of a missing '.'""#)]),
    case("analysis", "PUT /c", r#"{"settings":{"analysis":[]}}"#, 400, &[("/error/reason", r#""unknown setting [index.analysis] please check that any required plugins are installed, or check the breaking changes documentation for removed settings""#)]),
    case("analysis", "PUT /c", r#"{"settings":{"analysis":{"filter":{"f":{"type":"keep","keep_words":["a"],"keep_words_path":"x"}}}}}"#, 400, &[("/error/reason", r#""keep requires either `keep_words` or `keep_words_path` to be configured""#)]),
    case("analysis", "PUT /c", r#"{"settings":{"analysis":{"filter":{"f":{"type":"condition","script":{"source":"true"}}}}}}"#, 400, &[("/error/reason", r#""Empty list of filters provided to tokenfilter [f]""#)]),
    case("analysis", "PUT /c", r#"{"settings":{"analysis":{"filter":{"f":{"type":"predicate_token_filter","script":{"id":"x"}}}}}}"#, 400, &[("/error/reason", r#""Cannot use stored scripts in tokenfilter [f]""#)]),
    // A language is looked at where the filter is used.
    case("analysis", "PUT /c", r#"{"settings":{"analysis":{"filter":{"f":{"type":"lowercase","language":"x"}},"analyzer":{"a":{"tokenizer":"standard","filter":["f"]}}}}}"#, 400, &[("/error/reason", r#""Failed to build analyzers: [a]""#)]),
    case("analysis", "PUT /c", r#"{"settings":{"analysis":{"filter":{"f":{"type":"snowball","language":"x"}},"analyzer":{"a":{"tokenizer":"lowercase","position_increment_gap":-1}}}}}"#, 200, &[]),
    // Behind the options of a sort in a list all is passed over that has no names.
    case("sort", "GET /b/_search", r#"{"sort":[{"n":[{"order":"desc"},"b",[1,null]]}]}"#, 200, &[("/hits/hits/0/_id", r#""2""#)]),
    case("sort", "GET /b/_search", r#"{"sort":[{"n":[{},{}]}]}"#, 400, &[]),
    case("sort", "GET /b/_search", r#"{"collapse":{"field":"k","inner_hits":{"name":"i","sort":[{"_geo_distance":{"g":[50]}}]}}}"#, 400, &[("/error/reason", r#""[1:84] [collapse] failed to parse field [inner_hits]""#)]),
    case("suggest", "GET /b/_search", r#"{"suggest":{"s":{"text":"fax","term":{"field":"t","min_doc_freq":1e400}}}}"#, 400, &[("/error/root_cause/0/reason", r#""Fractional absolute document frequencies are not allowed""#)]),
    case("body", "GET /b/_search", r#"{"aggs":{"c":{"composite":{"sources":[{"h":{"histogram":{"field":"n"}}}]}}}}"#, 200, &[("/aggregations/c/buckets", r#"[{"key":{"h":"NaN"},"doc_count":2}]"#)]),
];

/// An index with fields of the kinds that the cases look at.
fn setup(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /b,c?ignore_unavailable=true", "");
    server.ok(
        "PUT /b",
        r#"{"settings":{"number_of_shards":1,"number_of_replicas":0},"mappings":{"properties":{"g":{"type":"geo_point"},"k":{"type":"keyword"},"n":{"type":"integer"},
            "d":{"type":"date"},"u":{"type":"unsigned_long"},"w":{"type":"wildcard"},"t":{"type":"text","index_prefixes":{},"fields":{"m":{"type":"text","index_prefixes":{}}}},"mo":{"type":"match_only_text"},"dr":{"type":"date_range"},
            "fo":{"type":"flat_object"},"o":{"properties":{"k":{"type":"keyword"}}},"j":{"type":"join","relations":{"p":"c"}},"nest":{"type":"nested","properties":{"y":{"type":"long"}}}}}}"#,
    );
    server.ok(
        "PUT /b/_doc/1",
        r#"{"g":[1,2],"n":1,"k":"x","d":"2021-01-01","w":"a","t":"A fox ran. It fell.","mo":"one two two","dr":{"gte":"2021-01-01"},"nest":{"y":1},"j":"p"}"#,
    );
    server.ok("PUT /b/_doc/2", r#"{"n":2,"w":"b","u":3,"o":{"k":"x"}}"#);
    server.ok("PUT /b/_doc/3", r#"{"k":"y"}"#);
    server.ok("POST /b/_refresh", "");
    vec![]
}

#[test]
fn bodies_of_searches() {
    assert_covers(CASES, ROWS);
    Server::start("rows-search-bodies").run(CASES, setup);
}
