//! What queries, sorts, suggestions and highlights answer on fields of every kind: also where a kind has no answer.

use super::{Case, Server, assert_covers, case};

const ROWS: &[&str] =
    &["terms", "phrases", "values", "words", "names", "weights", "nothing", "spans", "dates", "sorts", "below", "hits"];

#[rustfmt::skip]
const CASES: &[Case] = &[
    // How terms are to be rewritten is looked at before what the field has.
    case("terms", "GET /f/_search", r#"{"query":{"wildcard":{"n":{"value":"x*","rewrite":"bad"}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Failed to parse rewrite_method [bad]""#)]),
    case("terms", "GET /f/_search", r#"{"query":{"match_bool_prefix":{"c":"x y"}}}"#, 400, &[("/error/root_cause/0/reason", r#""Can only use prefix queries on keyword and text fields - not on [c] which is of type [completion]""#)]),
    case("terms", "GET /f/_search", r#"{"query":{"match":{"_routing":{"query":"xab","fuzziness":1}}}}"#, 200, &[("/hits/total/value", "0")]),
    case("terms", "GET /f/_search", r#"{"query":{"terms":{"same":["*","z"]}}}"#, 200, &[("/hits/total/value", "3")]),
    case("terms", "GET /f/_search", r#"{"query":{"range":{"b":{"gte":"a"}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Field [b] of type [binary] does not support range queries""#)]),
    case("phrases", "GET /f/_search", r#"{"query":{"match_phrase":{"b":"x y"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: field:[b] was indexed without position data; cannot run PhraseQuery""#)]),
    case("phrases", "GET /f/_search", r#"{"query":{"match_phrase_prefix":{"c":"x"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Can only use phrase prefix queries on text fields - not on [c] which is of type [completion]""#)]),
    // Texts are bytes to queries, and so are numbers beyond a long.
    case("values", "GET /f/_search", r#"{"query":{"match":{"r":1.5}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Value [[31 2e 35]] has a decimal part""#)]),
    case("values", "GET /f/_search", r#"{"query":{"terms":{"n":[9223372036854775808]}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Value [[39 32 32 33 33 37 32 30 33 36 38 35 34 37 37 35 38 30 38]] is out of range for an integer""#)]),
    case("values", "GET /f/_search", r#"{"query":{"term":{"_seq_no":"1e3"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: For input string: \"1e3\"""#)]),
    case("values", "GET /f/_search", r#"{"query":{"range":{"n":{"gt":null,"from":1}}}}"#, 200, &[("/hits/total/value", "1")]),
    case("values", "GET /f/_search", r#"{"query":{"range":{"n":{"from":1,"gt":{"a":1}}}}}"#, 400, &[("/error/reason", r#""invalid lower bound for [range] query""#), ("/error/col", "39")]),
    // Of several terms at one place nobody asks whether they fit.
    case("words", "GET /f/_search", r#"{"query":{"match":{"n":{"query":"x 5","analyzer":"pairs"}}}}"#, 200, &[("/hits/total/value", "1")]),
    // Empty texts are found, but counted nowhere.
    case("words", "GET /f/_search", r#"{"query":{"bool":{"must_not":{"exists":{"field":"t"}}}}}"#, 200, &[("/hits/total/value", "1")]),
    case("words", "GET /f/_count", r#"{"query":{"exists":{"field":"t"}}}"#, 200, &[("/count", "1")]),
    case("names", "GET /f/_search", r#"{"query":{"terms":{"":["a"]}}}"#, 400, &[("/error/reason", r#""field name cannot be null.""#)]),
    case("names", "GET /f/_search", r#"{"query":{"match_phrase":{"":"a"}}}"#, 400, &[("/error/reason", r#""[match_phrase] requires fieldName""#)]),
    case("names", "GET /f/_search", r#"{"query":{"exists":{"field":"_d*"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Cannot run exists query on internal field [_data_stream_timestamp]""#)]),
    // Of a name that is given twice the last boost counts, in query strings only one that is given.
    case("weights", "GET /f/_search", r#"{"query":{"query_string":{"query":"fox","fields":["t^2","t"]}},"explain":true}"#, 200, &[("/hits/hits/0/_explanation/details/0/details/0/value", "2.0")]),
    case("weights", "GET /f/_search", r#"{"query":{"combined_fields":{"query":"fox","fields":["t^0","n"]}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Field [n] of type [integer] does not support [combined_fields] queries""#)]),
    case("weights", "GET /f/_search", r#"{"query":{"combined_fields":{"query":"","fields":["t^0"]}}}"#, 200, &[("/hits/total/value", "0")]),
    // What nothing is left of is refused as a clause, and asks for everything in some other places.
    case("nothing", "GET /f/_search", r#"{"query":{"bool":{"must":{"more_like_this":{"like":"fox","fields":["n"],"fail_on_unsupported_field":false}}}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Query must not be null""#)]),
    case("nothing", "GET /f/_search", r#"{"query":{"function_score":{"query":{"more_like_this":{"like":"fox","fields":["n"],"fail_on_unsupported_field":false}}}}}"#, 200, &[("/hits/total/value", "3")]),
    case("spans", "GET /f/_search", r#"{"query":{"span_or":{"clauses":[{"span_gap":{"t":2}}]}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: null""#)]),
    case("spans", "GET /f/_search", r#"{"query":{"span_or":{"clauses":[[{"span_term":{"t":"fox"}}]]}}}"#, 400, &[("/error/reason", r#""[span_or] query does not support [clauses]""#), ("/error/col", "60")]),
    case("spans", "GET /f/_search", r#"{"query":{"span_or":{"clauses":[{"span_field_masking":{"query":{"span_term":{"t":"fox"}},"field":"u"}}]}},"explain":true}"#, 200, &[("/hits/hits/0/_explanation/details/0/details/1/details/3/value", "1.0")]),
    // What milliseconds cannot count is the last that they can.
    case("dates", "GET /f/_search", r#"{"query":{"range":{"s":{"gte":9223372036854776}}}}"#, 200, &[("/hits/total/value", "0")]),
    case("dates", "GET /f/_search", r#"{"query":{"range":{"s":{"gte":31556889864403200}}}}"#, 500, &[("/error/root_cause/0/type", r#""date_time_exception""#)]),
    // What is nested in itself counts for the next one, and no search looks for it without end.
    case("spans", "GET /fx/_count", r#"{"query":{"nested":{"path":"x","query":{"nested":{"path":"x","query":{"term":{"x.i":2}}}}}}}"#, 200, &[("/count", "1")]),
    case("spans", "GET /fx/_count", r#"{"query":{"nested":{"path":"x","query":{"nested":{"path":"x","query":{"term":{"x.i":3}}}}}}}"#, 200, &[("/count", "0")]),
    // What is nested in a document bears its id.
    case("names", "GET /fx/_count", r#"{"query":{"nested":{"path":"x","query":{"term":{"_id":"1"}}}}}"#, 200, &[("/count", "1")]),
    case("names", "GET /fx/_count", r#"{"query":{"nested":{"path":"x","query":{"terms":{"_id":["1","none"]}}}}}"#, 200, &[("/count", "1")]),
    case("names", "GET /fx/_count", r#"{"query":{"terms":{"_id":["1",""]}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: Ids can't be empty""#)]),
    // A negative zero is less than nothing.
    case("weights", "GET /f/_search", r#"{"query":{"bool":{"boost":-0.0}}}"#, 400, &[("/error/root_cause/0/reason", r#""[1:27] [bool] failed to parse field [boost]""#)]),
    case("weights", "GET /f/_search", r#"{"query":{"query_string":{"query":"fox","fields":["t^-0.0"]}}}"#, 400, &[("/error/root_cause/0/type", r#""illegal_argument_exception""#)]),
    case("names", "GET /f/_search", r#"{"query":{"multi_match":{"query":"x","fields":["t","n^3"],"boost":-1}}}"#, 400, &[("/error/reason", r#""negative [boost] are not allowed in [{\n  \"multi_match\" : {\n    \"query\" : \"x\",\n    \"fields\" : [\n      \"n^3.0\",\n      \"t^1.0\"\n    ],\n    \"type\" : \"best_fields\",\n    \"operator\" : \"OR\",\n    \"slop\" : 0,\n    \"prefix_length\" : 0,\n    \"max_expansions\" : 50,\n    \"zero_terms_query\" : \"NONE\",\n    \"auto_generate_synonyms_phrase_query\" : true,\n    \"fuzzy_transpositions\" : true,\n    \"boost\" : 1.0\n  }\n}], use a value between 0 and 1 to deboost""#)]),
    // Characters of two units are none that tokens may be said to consist of.
    case("words", "POST /_analyze", r#"{"tokenizer":{"type":"ngram","token_chars":["custom"],"custom_token_chars":"😀"},"text":"a😀"}"#, 200, &[("/tokens", "[]")]),
    case("words", "POST /_analyze", r#"{"tokenizer":{"type":"char_group","tokenize_on_chars":["😀"]},"text":"a"}"#, 500, &[("/error/reason", r#""Invalid escaped char in [😀]""#)]),
    case("sorts", "GET /f/_search", r#"{"sort":[{"_script":[{"type":"number","script":"1"}]}]}"#, 200, &[("/hits/hits/0/sort/0", "1.0")]),
    case("sorts", "GET /f/_search", r#"{"sort":[{"g":{"mode":"avg","numeric_type":"long"}}]}"#, 400, &[("/error/root_cause/0/reason", r#""we only support AVG, MEDIAN and SUM on number based fields""#)]),
    case("sorts", "GET /f/_search", r#"{"sort":[{"n":{"unmapped_type":null}}]}"#, 400, &[("/error/reason", r#""[1:32] [field_sort] unmapped_type doesn't support values of type: VALUE_NULL""#)]),
    case("sorts", "GET /f/_search", r#"{"sort":[{"_script":{"type":"string","script":"'a'"}}],"search_after":[5.5]}"#, 200, &[("/hits/hits/0/sort/0", r#""a""#)]),
    case("sorts", "GET /f/_search", r#"{"sort":[{"_geo_distance":{"n":[1,2]}}]}"#, 500, &[("/error/root_cause/0/type", r#""class_cast_exception""#)]),
    // Of all documents in an order the reference makes a range, which not every field has.
    case("sorts", "GET /f/_search", r#"{"query":{"match_all":{}},"sort":["_index"]}"#, 400, &[("/error/root_cause/0/reason", r#""Field [_index] of type [_index] does not support range queries""#)]),
    case("sorts", "GET /f/_search", r#"{"query":{"match_all":{}},"sort":["_index"],"track_total_hits":true}"#, 200, &[("/hits/total/value", "3")]),
    case("sorts", "GET /f/_search", r#"{"sort":["_primary_term"]}"#, 400, &[("/error/root_cause/0/reason", r#""No mapping found for [_primary_term] in order to sort on""#)]),
    case("below", "GET /f/_search", r#"{"sort":["o.a"],"query":{"exists":{"field":"o.a"}}}"#, 200, &[("/hits/hits/0/sort/0", r#""x""#)]),
    case("below", "GET /f/_search", r#"{"suggest":{"s":{"text":"fx","term":{"field":"o.a"}}}}"#, 200, &[("/suggest/s/0/options", "[]")]),
    case("below", "GET /f/_search", r#"{"fields":[{"field":"o.a","format":"yyyy"}]}"#, 400, &[("/error/root_cause/0/reason", r#""Field [o.a] of type [flat_object] doesn't support formats.""#)]),
    case("hits", "GET /f/_search", r#"{"query":{"match_all":{}},"docvalue_fields":[{"field":"r","format":"0.0"}]}"#, 400, &[("/error/root_cause/0/reason", r#""Field [r] of type [integer_range] does not support custom formats""#)]),
    case("hits", "GET /f/_search", r#"{"query":{"match":{"t":"fox"}},"highlight":{"fields":{"k":{"boundary_scanner":"chars"}}}}"#, 200, &[("/hits/total/value", "1")]),
    case("hits", "GET /f/_search", r#"{"query":{"terms_set":{"v":{"terms":["fox"],"minimum_should_match_script":{"source":"1"}}}},"highlight":{"fields":{"v":{"type":"fvh"}}}}"#, 200, &[("/hits/hits/0/highlight", "-")]),
    case("hits", "GET /f/_search", r#"{"suggest":{"s":{"regex":"f","completion":{"field":"c","fuzzy":true}}}}"#, 400, &[("/error/root_cause/0/reason", r#""can not use 'fuzzy' options with 'regex""#)]),
];

/// An index with fields of the kinds that the cases look at.
fn setup(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /f,fx?ignore_unavailable=true", "");
    let nested = r#"{"settings":{"number_of_shards":1,"number_of_replicas":0},"mappings":{"properties":{"x":{"type":"nested"}}}}"#;
    server.ok("PUT /fx", nested);
    server.ok("PUT /fx/_doc/1?refresh=true", r#"{"x":[{"i":1},{"i":2},{"i":3}]}"#);
    server.ok(
        "PUT /f",
        r#"{"settings":{"number_of_shards":1,"number_of_replicas":0,"analysis":{"analyzer":{"pairs":{"type":"custom","tokenizer":"whitespace","filter":["shingle"]}}}},
            "mappings":{"properties":{"n":{"type":"integer"},"r":{"type":"integer_range"},"b":{"type":"binary","doc_values":true},"c":{"type":"completion"},"g":{"type":"geo_point"},
            "same":{"type":"constant_keyword","value":"always"},"t":{"type":"text"},"u":{"type":"text"},"k":{"type":"keyword"},"o":{"type":"flat_object"},
            "s":{"type":"date","format":"epoch_second"},"v":{"type":"text","term_vector":"with_positions_offsets"}}}}"#,
    );
    server
        .ok("PUT /f/_doc/1", r#"{"n":5,"r":{"gte":1,"lte":3},"t":"a fox","k":"x","o":{"a":"x"},"v":"fox","c":"fox"}"#);
    server.ok("PUT /f/_doc/2", r#"{"t":"","u":"den"}"#);
    server.ok("PUT /f/_doc/3", r#"{"s":1}"#);
    server.ok("POST /f/_refresh", "");
    vec![]
}

#[test]
fn fields_of_every_kind() {
    assert_covers(CASES, ROWS);
    Server::start("rows-fields-asked").run(CASES, setup);
}
