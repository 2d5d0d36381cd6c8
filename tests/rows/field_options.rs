//! What follows from options of fields and of the index: analyzers for all searches, what is kept of values, what is copied.

use super::{Case, Server, assert_covers, case};

const ROWS: &[&str] = &[
    "default_search",
    "quoted",
    "sources",
    "vectors",
    "copies",
    "stored",
    "dates",
    "places",
    "groups",
    "words",
    "fast",
    "joins",
    "stored_queries",
    "refusals",
];

#[rustfmt::skip]
const CASES: &[Case] = &[
    // The analyzer that an index has for searches goes before the one that a field is indexed with, and is no part of the mapping.
    case("default_search", "GET /searched/_mapping", "", 200, &[("/searched/mappings/properties/plain", r#"{"analyzer":"default","type":"text"}"#), ("/searched/mappings/properties/english", r#"{"analyzer":"english","type":"text"}"#), ("/searched/mappings/properties/own", r#"{"analyzer":"english","search_analyzer":"standard","type":"text"}"#)]),
    case("default_search", "GET /searched/_validate/query?explain=true", r#"{"query":{"match":{"english":"The Foxes"}}}"#, 200, &[("/explanations/0/explanation", r#""english:the english:foxes""#)]),
    case("default_search", "GET /searched/_validate/query?explain=true", r#"{"query":{"match":{"own":"The Foxes"}}}"#, 200, &[("/explanations/0/explanation", r#""own:the own:foxes""#)]),
    case("quoted", "GET /quoted/_mapping", "", 200, &[("/quoted/mappings/properties/english", r#"{"analyzer":"english","search_analyzer":"english","type":"text"}"#), ("/quoted/mappings/properties/own", r#"{"analyzer":"english","search_analyzer":"standard","type":"text"}"#)]),
    case("quoted", "GET /quoted/_validate/query?explain=true", r#"{"query":{"match_phrase":{"english":"The Foxes"}}}"#, 200, &[("/explanations/0/explanation", r#""english:\"the foxes\"""#)]),
    // Where no sources are kept no phrase is looked for in them.
    case("sources", "GET /sourceless/_search", r#"{"query":{"match_phrase":{"m":"a b"}}}"#, 400, &[("/error/root_cause/0/reason", r#""failed to create query: SourceFieldMatchQuery error: unable to fetch fields from _source field: _source is disabled in the mappings for index [sourceless]""#)]),
    case("sources", "GET /sourceless/_search", r#"{"query":{"match_phrase_prefix":{"m":"a"}}}"#, 400, &[("/error/root_cause/0/type", r#""query_shard_exception""#)]),
    case("sources", "GET /sourceless/_search", r#"{"query":{"match_phrase":{"m":"a"}}}"#, 200, &[("/hits/total/value", "1")]),
    // Vectors are made of what stands at the field's own place; frequencies of `match_only_text` are not counted.
    case("vectors", "GET /o/_termvectors/1", r#"{"fields":["c"]}"#, 200, &[("/term_vectors", "{}")]),
    case("vectors", "GET /o/_termvectors/1?realtime=false", r#"{"fields":["m"],"term_statistics":true}"#, 200, &[("/term_vectors/m/field_statistics/sum_ttf", "2"), ("/term_vectors/m/terms/a/ttf", "1"), ("/term_vectors/m/terms/a/term_freq", "2")]),
    // A null that is copied would make a field as well.
    case("copies", "PUT /o/_doc/2", r#"{"t2":null}"#, 400, &[("/error/caused_by/reason", r#""Can't handle serializing a dynamic type with content token [VALUE_NULL] and field name [nowhere]""#)]),
    case("stored", "GET /o/_search?stored_fields=u,h,r", "", 200, &[("/hits/hits/0/fields/u/0", "18446744073709551615"), ("/hits/hits/0/fields/h/0", "0.331"), ("/hits/hits/0/fields/r/0", r#""[10.1.0.0 : 10.1.255.255]""#)]),
    // Large numbers without a sign come first, as if they had one.
    case("stored", "GET /o/_search", r#"{"docvalue_fields":["us"],"script_fields":{"s":{"script":"doc['us'].value"}}}"#, 200, &[("/hits/hits/0/fields/us", "[18446744073709551612,5,40]"), ("/hits/hits/0/fields/s/0", "18446744073709551612")]),
    // Dates that are kept nowhere are looked for all the same, and never found.
    case("dates", "GET /o/_search", r#"{"query":{"range":{"d":{"gte":"2020"}}}}"#, 200, &[("/hits/total/value", "0")]),
    case("dates", "GET /o/_search", r#"{"query":{"term":{"d":"2020"}}}"#, 400, &[("/error/root_cause/0/type", r#""query_shard_exception""#)]),
    // Places are indexed whatever the mapping says.
    case("places", "GET /o/_search", r#"{"query":{"geo_distance":{"distance":"100km","g":"1,2"}}}"#, 200, &[("/hits/total/value", "1")]),
    case("places", "GET /o/_search", r#"{"aggs":{"a":{"geo_bounds":{"field":"g"}}}}"#, 400, &[("/error/root_cause/0/reason", r#""Can't load fielddata on [g] because fielddata is unsupported on fields of type [geo_point]. Use doc values instead.""#)]),
    case("groups", "GET /o/_search", r#"{"collapse":{"field":"i","inner_hits":{"name":"in"}}}"#, 400, &[("/error/root_cause/0/reason", r#""cannot expand `inner_hits` for collapse field `i`, only indexed field can retrieve `inner_hits`""#)]),
    case("groups", "GET /o/_search", r#"{"collapse":{"field":"i"}}"#, 200, &[("/hits/total/value", "1")]),
    case("words", "GET /o/_search", r#"{"suggest":{"s":{"text":"foxx stone","term":{"field":"k"}}}}"#, 200, &[("/suggest/s/0/text", r#""foxx""#), ("/suggest/s/1/text", r#""stone""#)]),
    // A normalizer normalizes what is suggested for, too; the one that there is of itself leaves queries whole.
    case("words", "GET /o/_search", r#"{"suggest":{"s":{"text":"Foxx","term":{"field":"kn"}}}}"#, 200, &[("/suggest/s/0/text", r#""foxx""#), ("/suggest/s/0/options/0/text", r#""foxy""#)]),
    case("words", "GET /o/_validate/query?explain=true", r#"{"query":{"match":{"kn":"Fox Stone"}}}"#, 200, &[("/explanations/0/explanation", r#""ConstantScore(kn:fox stone)""#)]),
    case("words", "GET /o/_validate/query?explain=true", r#"{"query":{"match":{"k":"Fox Stone"}}}"#, 200, &[("/explanations/0/explanation", r#""ConstantScore(k:Fox) ConstantScore(k:Stone)""#)]),
    // Offsets alone are enough to be asked, and too little to find anything.
    case("fast", "GET /o/_search", r#"{"query":{"match":{"v":"fox"}},"highlight":{"type":"fvh","fields":{"v":{"no_match_size":5}}}}"#, 200, &[("/hits/hits/0/highlight/v/0", r#""quick""#)]),
    // What a document is in a join is a word.
    case("joins", "POST /o/_termvectors", r#"{"doc":{"j":"a"},"fields":["j"]}"#, 200, &[("/term_vectors/j/terms/a/term_freq", "1")]),
    case("joins", "POST /o/_termvectors?routing=1", r#"{"doc":{"j":{"name":"b","parent":"1"}},"fields":["j"]}"#, 200, &[("/term_vectors/j/terms/b/term_freq", "1")]),
    case("joins", "GET /o/_mapping/field/_parent_join", "", 200, &[("/o/mappings/_parent_join/mapping/_parent_join/type", r#""parent_join""#)]),
    // A query is judged by the fields that were there before its document.
    case("stored_queries", "PUT /o/_doc/3", r#"{"q":{"match":{"new":"x"}},"new":"x"}"#, 400, &[("/error/root_cause/0/reason", r#""No field mapping can be found for the field with name [new]""#)]),
    case("stored_queries", "GET /o/_mapping", "", 200, &[("/o/mappings/properties/new", "-")]),
    // What is refused as it is written takes a number all the same.
    case("refusals", "PUT /numbers/_doc/2", r#"{"s":"POINT (1 2)"}"#, 201, &[("/_seq_no", "1")]),
];

/// An index for the analyzers of each kind of search, one without sources, one with fields of all these options.
fn setup(server: &Server) -> Vec<(&'static str, String)> {
    server.ask("DELETE /searched,quoted,sourceless,numbers,o?ignore_unavailable=true", "");
    let texts = r#"{"plain":{"type":"text"},"english":{"type":"text","analyzer":"english"},"own":{"type":"text","analyzer":"english","search_analyzer":"standard"}}"#;
    for (index, analyzer) in [("searched", "default_search"), ("quoted", "default_search_quoted")] {
        let body = format!(
            r#"{{"settings":{{"analysis":{{"analyzer":{{"{analyzer}":{{"type":"simple"}}}}}}}},"mappings":{{"properties":{texts}}}}}"#
        );
        server.ok(&format!("PUT /{index}"), &body);
    }
    server.ok(
        "PUT /sourceless",
        r#"{"mappings":{"_source":{"enabled":false},"properties":{"m":{"type":"match_only_text"}}}}"#,
    );
    server.ok("PUT /sourceless/_doc/1?refresh=true", r#"{"m":"a b"}"#);
    server.ok("PUT /numbers", r#"{"mappings":{"properties":{"s":{"type":"geo_shape"}}}}"#);
    server.ask("PUT /numbers/_doc/1", r#"{"s":["POINT (1 2)","POINT (3 4)"]}"#);
    server.ok("PUT /o", MAPPING);
    server.ok("PUT /o/_doc/1?refresh=true", r#"{"t":"copied","m":"a a b","u":18446744073709551615,"us":[5,18446744073709551612,40],"h":0.331,"r":"10.1.0.0/16","d":"2021","g":"1,2","i":5,"k":"fox","kn":"Foxy","v":"quick fox"}"#);
    vec![]
}

const MAPPING: &str = r#"{"mappings":{"properties":{
    "t":{"type":"text","copy_to":"c"},"c":{"type":"text"},"t2":{"type":"text","copy_to":"nowhere"},"m":{"type":"match_only_text"},
    "u":{"type":"unsigned_long","store":true},"us":{"type":"unsigned_long"},"h":{"type":"half_float","store":true},"r":{"type":"ip_range","store":true},
    "d":{"type":"date","index":false,"doc_values":false},"g":{"type":"geo_point","index":false,"doc_values":false},
    "i":{"type":"integer","index":false},"k":{"type":"keyword","split_queries_on_whitespace":true},
    "kn":{"type":"keyword","split_queries_on_whitespace":true,"normalizer":"lowercase"},
    "v":{"type":"text","term_vector":"with_offsets"},"j":{"type":"join","relations":{"a":"b"}},"q":{"type":"percolator"}}}}"#;

#[test]
fn options_of_fields() {
    assert_covers(CASES, ROWS);
    Server::start("rows-field-options").run(CASES, setup);
}
