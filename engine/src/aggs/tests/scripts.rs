//! Values that scripts give: of what kind they are, and what is made of them.

use crate::search::tests::{search, shard};

const MAPPING: &str =
    r#"{"properties":{"n":{"type":"integer"},"k":{"type":"keyword"},"d":{"type":"date"},"p":{"type":"geo_point"}}}"#;
const DOCS: &[&str] = &[r#"{"n":1,"k":"a","d":"2020-01-01","p":"1,2"}"#, r#"{"n":4,"k":"b","d":"2021-01-01"}"#];

fn expect(rows: &[(&str, &str)]) {
    let cx = shard(MAPPING, &[DOCS]);
    for (agg, expected) in rows {
        let answer = search(&cx, &format!(r#"{{"size":0,"aggs":{{"a":{{{agg}}}}}}}"#));
        assert!(answer.contains(expected), "{agg}\n{answer}");
    }
}

#[test]
fn values_are_of_the_kind_that_is_said_or_expected() {
    expect(&[
        (
            r#""date_histogram":{"script":"0","fixed_interval":"1d","time_zone":"+03:00"}"#,
            r#"[{"key_as_string":"1970-01-01T00:00:00.000+03:00","key":-10800000,"doc_count":2}]"#,
        ),
        (
            r#""date_histogram":{"script":"7","fixed_interval":"1d","value_type":"long"}"#,
            r#"[{"key":0,"doc_count":2}]"#,
        ),
        (
            r#""date_histogram":{"script":"null","calendar_interval":"1y","missing":"2020-02-02"}"#,
            r#"[{"key_as_string":"2020-01-01T00:00:00.000Z","key":1577836800000,"doc_count":2}]"#,
        ),
        (r#""terms":{"script":"1.5","value_type":"number"}"#, r#"[{"key":1,"doc_count":2}]"#),
        (r#""terms":{"script":"1.5","value_type":"double"}"#, r#"[{"key":1.5,"doc_count":2}]"#),
        (r#""terms":{"script":"null","value_type":"long","missing":3.5}"#, r#"[{"key":3.5,"doc_count":2}]"#),
        (
            r#""terms":{"script":"null","value_type":"boolean","missing":"true"}"#,
            r#"[{"key":1,"key_as_string":"true","doc_count":2}]"#,
        ),
        (r#""max":{"script":"doc['n'].value + 0.5","value_type":"date"}"#, r#"{"value":4.5,"value_as_string":"1970"#),
        (
            r#""max":{"script":"null","missing":"3,000.5","format":"0,000.0"}"#,
            r#"{"value":3000.5,"value_as_string":"3,000.5"}"#,
        ),
        (r#""avg":{"script":"1","value_type":"ip"}"#, "Script yielding [ip] is not supported for aggregation [avg]"),
        (
            r#""median_absolute_deviation":{"script":"1","value_type":"date"}"#,
            "Script yielding [date] is not supported for aggregation [median_absolute_deviation]",
        ),
    ]);
}

#[test]
fn sources_of_a_composite_have_the_values_that_they_expect() {
    expect(&[
        (
            r#""composite":{"sources":[{"s":{"histogram":{"script":"doc['n'].value + 1","interval":5}}}],"after":{"s":0}}"#,
            r#"{"after_key":{"s":5.0},"buckets":[{"key":{"s":5.0},"doc_count":1}]}"#,
        ),
        (
            r#""composite":{"sources":[{"s":{"date_histogram":{"script":"doc['d'].value","calendar_interval":"1y"}}}]}"#,
            r#""buckets":[{"key":{"s":1577836800000},"doc_count":1},{"key":{"s":1609459200000},"doc_count":1}]"#,
        ),
        (
            r#""composite":{"sources":[{"s":{"terms":{"field":"d","script":"_value"}}}],"size":1}"#,
            r#""buckets":[{"key":{"s":1.5778368E12},"doc_count":1}]"#,
        ),
        (
            r#""composite":{"sources":[{"s":{"geotile_grid":{"script":"1"}}}]}"#,
            "value source of type [geopoint] is not supported by scripts",
        ),
        (r#""geo_centroid":{"script":"1"}"#, "value source of type [geopoint] is not supported by scripts"),
        (
            r#""geo_centroid":{"script":"1","value_type":"date"}"#,
            "Script yielding [date] is not supported for aggregation [geo_centroid]",
        ),
        (r#""geo_centroid":{"field":"p","script":"_value"}"#, r#""count":1"#),
        (
            r#""composite":{"sources":[{"s":{"geotile_grid":{"field":"p","script":"1","precision":0}}}]}"#,
            r#""buckets":[{"key":{"s":"0/0/0"},"doc_count":1}]"#,
        ),
    ]);
}

#[test]
fn keys_that_a_composite_goes_on_after() {
    let after =
        |source: &str, after: &str| format!(r#""composite":{{"sources":[{{"s":{source}}}],"after":{{"s":{after}}}}}"#);
    let dates = r#"{"terms":{"field":"d"}}"#;
    let second = r#""buckets":[{"key":{"s":1609459200000},"doc_count":1}]"#;
    expect(&[
        (&after(dates, "1577836800000"), second),
        (&after(dates, r#""1577836800000""#), second),
        (&after(dates, "1577836800000.5"), second),
        (&after(dates, r#""2020-01-01""#), r#"number_format_exception: For input string: "2020-01-01""#),
        (&after(r#"{"terms":{"field":"n"}}"#, "true"), r#"number_format_exception: For input string: "true""#),
        (&after(r#"{"geotile_grid":{"field":"p","precision":0}}"#, "-5"), r#""buckets":[{"key":{"s":"0/0/0"}"#),
    ]);
}

#[test]
fn of_a_value_of_a_field_a_script_makes_exactly_one() {
    expect(&[
        (r#""terms":{"field":"k","script":"[1, 2]"}"#, r#"[{"key":"[1, 2]","doc_count":2}]"#),
        (r#""terms":{"field":"k","script":"null"}"#, r#"Cannot invoke "Object.toString()" because "run" is null"#),
        (r#""avg":{"field":"n","script":"true"}"#, "class java.lang.Boolean cannot be cast to class java.lang.Number"),
        (
            r#""avg":{"field":"n","script":"null"}"#,
            r#"Cannot invoke "java.lang.Number.doubleValue()" because the return"#,
        ),
    ]);
}
