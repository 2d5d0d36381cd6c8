//! What requests ask for wrongly, where Pith once refused otherwise than the reference, or did not, with its answers.

use super::tests::{search, shard};
use super::*;

fn sample() -> ShardContext {
    let mapping = r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword"},"u":{"type":"unsigned_long"},"d":{"type":"date"}}}"#;
    shard(mapping, &[&[r#"{"t":"fox den","k":"x","u":18446744073709551615}"#, r#"{"t":"hen","u":5}"#]])
}

/// That a query is refused for each of these reasons, or finds so many documents.
#[track_caller]
fn assert_answers(rows: &[(&str, &str)]) {
    let cx = sample();
    for (query, expected) in rows {
        let answer = search(&cx, &format!(r#"{{"query":{query},"size":0}}"#));
        assert!(answer.contains(expected), "{query}: {answer}");
    }
}

const ONE: &str = r#""total":{"value":1,"#;
const NONE: &str = r#""total":{"value":0,"#;

#[test]
fn options_of_intervals() {
    let rule = |rule: &str| format!(r#"{{"intervals":{{"t":{rule}}}}}"#);
    let filtered = |filter: &str| rule(&format!(r#"{{"match":{{"query":"fox","filter":{filter}}}}}"#));
    let build = "Failed to build [all_of] after last required field arrived";
    let rows = [
        (rule(r#"{"match":{"query":"fox","max_gaps":"x"}}"#), "[match] failed to parse field [max_gaps]"),
        (rule(r#"{"prefix":{"prefix":"fo","max_expansions":3}}"#), "[prefix] unknown field [max_expansions]"),
        (rule(r#"{"regexp":{"pattern":"fo.","analyzer":"standard"}}"#), "[regexp] unknown field [analyzer]"),
        (rule(r#"{"fuzzy":{"term":"fix","fuzziness":null}}"#), "[fuzzy] failed to parse field [fuzziness]"),
        (rule(r#"{"all_of":{"intervals":[{"match":{"query":"fox"}}],"mode":"x"}}"#), build),
        (rule(r#"{"fuzzy":{"term":"fix","prefix_length":-1}}"#), "prefixLength cannot be negative."),
        (
            rule(r#"{"wildcard":{"pattern":"fo*","max_expansions":1025}}"#),
            "maxExpansions [1025] cannot be greater than BooleanQuery.getMaxClauseCount [1024]",
        ),
        (rule(r#"{"wildcard":{"pattern":"fo*","max_expansions":-1}}"#), ONE),
        (rule(r#"{"match":{"query":"fox","analyzer":"none"}}"#), ONE),
        (rule(r#"{"wildcard":{"pattern":"fo*","analyzer":"none"}}"#), r#"because "analyzer" is null"#),
        (rule(r#"{"match":{"query":"fox","use_field":"none"}}"#), NONE),
        (filtered(r#"{"BEFORE":{"match":{"query":"den"}}}"#), ONE),
        (filtered(r#"{"behind":{"match":{"query":"den"}}}"#), "failed to create query: Unknown filter type [behind]"),
        (filtered(r#"{"before":{"match":{"query":"x","use_field":"none"}}}"#), r#"because "fieldType" is null"#),
        (filtered(r#"{"script":"true"}"#), "[script] Expected START_OBJECT but was: VALUE_STRING"),
        (filtered(r#"{"script":{"source":"interval.x"}}"#), "failed to create query: compile error"),
    ];
    assert_answers(&rows.iter().map(|(query, expected)| (query.as_str(), *expected)).collect::<Vec<_>>());
}

#[test]
fn options_of_other_queries() {
    let format = "Invalid format: [nothing]: Unknown pattern letter: o";
    let both = "failed to create query: Validation Failed: 1: [query_string] cannot use [fields] parameter in conjunction with [default_field];";
    assert_answers(&[
        (r#"{"range":{"k":{"gte":"a","format":"nothing"}}}"#, &format!("illegal_argument_exception: {format}")),
        (r#"{"range":{"none":{"gte":"a","format":""}}}"#, "No date pattern provided"),
        (r#"{"bool":{"mustt":[]}}"#, "did you mean any of [must, mustNot, must_not]?"),
        (r#"{"query_string":{"query":"a","fields":["t"],"default_field":"k"}}"#, both),
        (r#"{"multi_match":{"query":"a","fields":["t^-1"]}}"#, "\"query\" : \"a\",\n    \"fields\" : [ ],\n"),
        (r#"{"query_string":{"query":"a","fields":["t^-1"]}}"#, "negative [boost] are not allowed in [{\n"),
        (r#"{"simple_query_string":{"query":"a","fields":["t^-1"]}}"#, "\"flags\" : -1,\n"),
        (r#"{"fuzzy":{"k":[{"value":"a"}]}}"#, "found [k] and [k]"),
        (r#"{"fuzzy":{"k":{"value":"y","fuzziness":"1e400"}}}"#, "Invalid fuzziness value: 1e400"),
        (r#"{"fuzzy":{"k":{"value":"y","fuzziness":" 1f"}}}"#, ONE),
        (r#"{"terms":{"u":[-1]}}"#, ONE),
        (r#"{"terms":{"u":[-1,"5"]}}"#, "Value [[2d 31]] is out of range for an unsigned long"),
        (r#"{"match":{"u":-1}}"#, "Value [[2d 31]] is out of range for an unsigned long"),
        (
            r#"{"terms_set":{"k":{"terms":["x"],"minimum_should_match_script":{"source":"x y"}}}}"#,
            "failed to create query: compile error",
        ),
        (r#"{"function_score":{"random_score":{"seed":null,"field":"none"}}}"#, r#""total":{"value":2,"#),
        (r#"{"function_score":{"random_score":{"x":1}}}"#, "random_score query does not support [x]"),
        (r#"{"wrapper":{"query":"abc"}}"#, "disabled); byte offset: #33]"),
        (r#"{"wrapper":{"query":"abcd"}}"#, "Failed to derive xcontent"),
        (r#"{"geo_shape":{"k":{"shape":{"type":"ring"}}}}"#, "unknown geo_shape [ring]"),
    ]);
}

#[test]
fn dates_that_name_no_day() {
    let week = "WeekOfWeekBasedYear[WeekFields[MONDAY,4]]=5, WeekBasedYear[WeekFields[MONDAY,4]]=2021";
    let weeks = |bound: &str| format!(r#"{{"range":{{"d":{{"{bound}":"2021-W05","format":"weekyear_week||yyyy"}}}}}}"#);
    assert_answers(&[
        (r#"{"term":{"d":""}}"#, "failed to create query: cannot parse empty date"),
        (&weeks("gte"), &format!("[temporal accessor [{{{week}}},ISO] cannot be converted to zoned date time]")),
        (&weeks("lte"), NONE),
    ]);
}

#[test]
fn options_of_sorts_by_document() {
    let cx = sample();
    let sorted = |options: &str| search(&cx, &format!(r#"{{"_source":false,"sort":[{{"_doc":{options}}}]}}"#));
    assert!(sorted(r#"{"order":"desc","unmapped_type":"boolean"}"#).contains(r#""sort":[1]"#));
    assert!(sorted(r#"{"order":"up"}"#).contains("[field_sort] failed to parse field [order]"));
    assert!(sorted(r#"{"format":"yyyy"}"#).contains("[field_sort] unknown field [format]"));
}

#[test]
fn nulls_among_fields() {
    let cx = sample();
    let fields = |fields: &str| search(&cx, &format!(r#"{{"_source":false,"fields":{fields}}}"#));
    assert!(fields(r#"[null,{"field":"k"}]"#).contains(r#""fields":{"k":["x"]}"#));
    assert!(fields(r#"[null,"k"]"#).contains("[docvalues_field] Expected START_OBJECT but was: VALUE_STRING"));
}
