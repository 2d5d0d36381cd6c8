//! Several indexes that know a field differently, or not at all.

use super::run_on;
use crate::search::tests::shard;

/// What an aggregation gives, or why it fails, where the field `f` has these types and values in several indexes; it is not mapped
/// where the type is empty.
fn ask(agg: &str, indexes: &[(&str, &str)]) -> String {
    let shards: Vec<_> = indexes
        .iter()
        .map(|(of_type, value)| {
            let field = if of_type.is_empty() { String::new() } else { format!(r#""f":{{"type":"{of_type}"}}"#) };
            let mapping = format!(r#"{{"dynamic":false,"properties":{{{field}}}}}"#);
            shard(&mapping, &[&[&format!(r#"{{"f":{value}}}"#)]])
        })
        .collect();
    run_on(agg, &shards).unwrap_or_else(|error| format!("{}: {}", error.kind().type_name(), error.reason()))
}

const DATE: (&str, &str) = ("date", r#""2020-01-01""#);
const NOTHING: (&str, &str) = ("", "1");
const WORD: (&str, &str) = ("keyword", r#""a""#);
const LONG: (&str, &str) = ("long", "5");
const DOUBLE: (&str, &str) = ("double", "5.5");
const UNSIGNED: (&str, &str) = ("unsigned_long", "5");

#[test]
fn the_first_index_tells_how_values_are_shown() {
    let max = r#"{"max":{"field":"f"}}"#;
    assert_eq!(ask(max, &[NOTHING, DATE]), r#"{"value":1.5778368E12}"#);
    let shown = r#"{"value":1.5778368E12,"value_as_string":"2020-01-01T00:00:00.000Z"}"#;
    assert_eq!(ask(max, &[DATE, NOTHING]), shown);
    let percentiles = r#"{"percentiles":{"field":"f","percents":[50]}}"#;
    assert_eq!(ask(percentiles, &[NOTHING, DATE]), r#"{"values":{"50.0":1.5778368E12}}"#);
    let histogram = r#"{"histogram":{"field":"f","interval":1e13}}"#;
    assert_eq!(ask(histogram, &[NOTHING, DATE]), r#"{"buckets":[{"key":0.0,"doc_count":1}]}"#);
    // Of terms the first that has some.
    let terms = r#"{"terms":{"field":"f"}}"#;
    let dates = r#""buckets":[{"key":5,"key_as_string":"1970-01-01T00:00:00.005Z","doc_count":1},"#;
    assert!(ask(terms, &[NOTHING, DATE, LONG]).contains(dates), "{}", ask(terms, &[NOTHING, DATE, LONG]));
    assert!(ask(terms, &[LONG, DATE]).contains(r#""buckets":[{"key":5,"doc_count":1},"#));
    let several = r#"{"multi_terms":{"terms":[{"field":"f"},{"field":"_index"}]}}"#;
    assert!(ask(several, &[NOTHING, DATE]).contains(r#""key":["2020-01-01T00:00:00.000Z",""#));
}

#[test]
fn terms_of_different_types_are_refused() {
    let two_types = "existed as two different types in two different indices";
    let terms = r#"{"terms":{"field":"f"}}"#;
    for pair in [
        [WORD, LONG],
        [WORD, DOUBLE],
        [DOUBLE, WORD],
        [WORD, UNSIGNED],
        [LONG, UNSIGNED],
        [DATE, DOUBLE],
        [DOUBLE, DATE],
    ] {
        assert!(ask(terms, &pair).ends_with(two_types), "{pair:?}: {}", ask(terms, &pair));
    }
    assert!(ask(terms, &[LONG, DOUBLE, UNSIGNED]).contains(r#"{"key":5.0,"#));
    assert!(ask(terms, &[DATE, LONG, DOUBLE]).contains(r#"{"key":5.0,"key_as_string":"1970-01-01T00:00:00.005Z","#));
}

#[test]
fn keys_that_are_compared_have_to_be_of_one_class() {
    let bytes = "org.apache.lucene.util.BytesRef is in unnamed module of loader 'app'";
    let long = "java.lang.Long is in module java.base of loader 'bootstrap'";
    let to_long = format!(
        "class_cast_exception: class org.apache.lucene.util.BytesRef cannot be cast to class java.lang.Long ({bytes}; {long})"
    );
    let to_bytes = format!(
        "class_cast_exception: class java.lang.Long cannot be cast to class org.apache.lucene.util.BytesRef ({long}; {bytes})"
    );
    for agg in [
        r#"{"composite":{"sources":[{"f":{"terms":{"field":"f"}}}]}}"#,
        r#"{"multi_terms":{"terms":[{"field":"f"},{"field":"_index"}]}}"#,
    ] {
        assert_eq!(ask(agg, &[WORD, LONG]), to_long, "{agg}");
        assert_eq!(ask(agg, &[LONG, WORD]), to_bytes, "{agg}");
        assert!(!ask(agg, &[LONG, NOTHING, LONG]).contains("exception"));
    }
}

#[test]
fn documents_of_indexes_without_the_field_are_not_compared_with() {
    let agg = r#"{"significant_terms":{"field":"f","min_doc_count":1}}"#;
    assert_eq!(ask(agg, &[NOTHING, WORD, NOTHING]), r#"{"doc_count":1,"bg_count":1,"buckets":[]}"#);
}

#[test]
fn a_composite_goes_on_where_an_index_has_no_such_places() {
    let agg = r#"{"composite":{"sources":[{"f":{"geotile_grid":{"field":"f","precision":0}}}]}}"#;
    let found = r#"{"after_key":{"f":"0/0/0"},"buckets":[{"key":{"f":"0/0/0"},"doc_count":1}]}"#;
    assert_eq!(ask(agg, &[NOTHING, ("geo_point", r#""1,2""#)]), found);
    // What is not mapped is text, even to who has numbers to go on after.
    let agg = r#"{"composite":{"sources":[{"f":{"terms":{"field":"f"}}}],"after":{"f":3}}}"#;
    assert_eq!(ask(agg, &[NOTHING]), "illegal_argument_exception: invalid value, expected string, got Integer");
    assert!(ask(agg, &[LONG]).contains(r#""buckets":[{"key":{"f":5},"doc_count":1}]"#));
}

/// What can find nothing on a shard shows the types of what stands below it, which has collected nothing either.
#[test]
fn below_what_finds_nothing_stands_what_nobody_collected() {
    let cx = crate::search::tests::shard(r#"{"properties":{"n":{"type":"integer"}}}"#, &[&[r#"{"n":1}"#]]);
    let counted =
        r#"{"scripted_metric":{"map_script":"state.n = 1","combine_script":"state","reduce_script":"states"}}"#;
    for above in [
        r#""nested":{"path":"nope"}"#,
        r#""children":{"type":"nope"}"#,
        r#""range":{"field":"nope","ranges":[{"to":5}]}"#,
        r#""geo_distance":{"field":"nope","origin":"1,1","ranges":[{"to":5}]}"#,
    ] {
        let body = format!(r#"{{"size":0,"aggs":{{"x":{{{above},"aggs":{{"y":{counted}}}}}}}}}"#);
        let answer = crate::search::tests::search(&cx, &body);
        assert!(answer.contains(r#""y":{"value":[null]}"#), "{answer}");
    }
}

#[test]
fn matrices_have_the_fields_of_the_first_shard_that_has_documents() {
    let known = crate::search::tests::shard(r#"{"properties":{"n":{"type":"integer"}}}"#, &[&[r#"{"n":1}"#]]);
    let unknown = crate::search::tests::shard(r#"{"properties":{"m":{"type":"integer"}}}"#, &[&[r#"{"m":1}"#]]);
    let agg = r#"{"matrix_stats":{"fields":["n"]}}"#;
    for (shards, fields) in [([unknown.clone(), known.clone()], true), ([known, unknown], true)] {
        assert_eq!(super::run_on(agg, &shards).unwrap().contains("fields"), fields);
    }
}

#[test]
fn derived_fields_are_shown_as_fields_of_their_type() {
    let mapping = r#"{"derived":{"w":{"type":"keyword","script":"emit('a')"},"b":{"type":"boolean","script":"emit(true)"},
        "l":{"type":"long","script":"emit(5L)"},"d":{"type":"date","script":"emit(1000L)"}},"properties":{"n":{"type":"integer"}}}"#;
    let cx = crate::search::tests::shard(mapping, &[&[r#"{"n":1}"#]]);
    for (agg, expected) in [
        (r#"{"terms":{"field":"w","format":"0.0"}}"#, "Field [w] of type [keyword] does not support custom formats"),
        (r#"{"max":{"field":"b","format":"0.0"}}"#, "Field [b] of type [boolean] does not support custom formats"),
        (
            r#"{"date_range":{"field":"l","time_zone":"+01:00","ranges":[{"to":5}]}}"#,
            "Field [l] of type [long] does not support custom time zones",
        ),
        (r#"{"terms":{"field":"l","include":["x"]}}"#, r#"For input string: "x""#),
        (r#"{"terms":{"field":"b","missing":"x"}}"#, "Cannot parse boolean [x], expected either [true] or [false]"),
        (r#"{"rare_terms":{"field":"d"}}"#, "RareTerms aggregation does not support floating point fields."),
        (r#"{"significant_terms":{"field":"w"}}"#, "requires fields to be searchable, but [w] is not"),
        (r#"{"composite":{"sources":[{"k":{"terms":{"field":"b"}}}]}}"#, r#""key":{"k":true}"#),
        (r#"{"date_histogram":{"field":"l","fixed_interval":"1d","format":"0.0"}}"#, r#""key_as_string":"0.0""#),
    ] {
        let answer = crate::search::tests::search(&cx, &format!(r#"{{"size":0,"aggs":{{"x":{agg}}}}}"#));
        assert!(answer.contains(expected), "{agg}: {answer}");
    }
}

#[test]
fn duplicates_count_within_their_bucket_and_what_is_nested_has_no_text() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"n":{"type":"integer"},"i":{"type":"nested","properties":{"t":{"type":"text"}}}}}"#;
    let text = "a b c d e f g h";
    let doc = format!(r#"{{"t":"{text}","n":1,"i":[{{"t":"{text}"}}]}}"#);
    let cx = crate::search::tests::shard(mapping, &[&[&doc, r#"{"n":2}"#]]);
    let below = r#"{"y":{"significant_text":{"field":"t","filter_duplicate_text":true,"min_doc_count":1}}}"#;
    let body = format!(
        r#"{{"size":0,"query":{{"term":{{"n":1}}}},"aggs":{{"x":{{"range":{{"field":"n","ranges":[{{"to":5}},{{"from":0}}]}},"aggs":{below}}}}}}}"#
    );
    let answer = crate::search::tests::search(&cx, &body);
    assert_eq!(answer.matches(r#""key":"h""#).count(), 2, "{answer}");
    let below = r#"{"y":{"significant_text":{"field":"i.t","min_doc_count":1}}}"#;
    let body = format!(
        r#"{{"size":0,"query":{{"term":{{"n":1}}}},"aggs":{{"x":{{"nested":{{"path":"i"}},"aggs":{below}}}}}}}"#
    );
    let answer = crate::search::tests::search(&cx, &body);
    assert!(answer.contains(r#""buckets":[]"#), "{answer}");
}

/// A document that what is nested does not stand in stands for its root: the first of them has all that is nested there.
#[test]
fn what_is_nested_is_nested_in_itself() {
    use crate::search::tests::search;
    let mapping = r#"{"properties":{"a":{"type":"nested","properties":{"n":{"type":"integer"},"b":{"type":"nested","properties":{"m":{"type":"integer"}}}}}}}"#;
    let docs = [
        r#"{"a":[{"n":1,"b":[{"m":1},{"m":2}]},{"n":2},{"n":3,"b":[{"m":3}]}]}"#,
        r#"{"a":[{"n":4},{"n":5}]}"#,
        r#"{"a":{"n":6,"b":{"m":4}}}"#,
    ];
    let cx = shard(mapping, &[&docs]);
    let nested = |path: &str, below: &str| format!(r#"{{"nested":{{"path":"{path}"}},"aggs":{{"x":{below}}}}}"#);
    let leaf = |path: &str| format!(r#"{{"nested":{{"path":"{path}"}}}}"#);
    for (agg, counts) in [
        (nested("a", &leaf("a")), r#""doc_count":6,"x":{"doc_count":6}"#),
        (nested("a.b", &leaf("a")), r#""doc_count":4,"x":{"doc_count":4}"#),
        (nested("a.b", &leaf("a.b")), r#""doc_count":4,"x":{"doc_count":4}"#),
        (nested("a", &leaf("a.b")), r#""doc_count":6,"x":{"doc_count":4}"#),
    ] {
        let answer = search(&cx, &format!(r#"{{"size":0,"aggs":{{"h":{agg}}}}}"#));
        assert!(answer.contains(counts), "{agg}: {answer}");
    }
}
