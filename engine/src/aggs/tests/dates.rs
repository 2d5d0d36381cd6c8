//! Bounds of dates, and fields that no mapping knows.

use super::{DOCS, expect, expect_error, run_on, shard};

/// What stands in is read as a date of the field is, numbers among them; before 1970 there are stand-ins for nanoseconds too.
#[test]
fn what_stands_in_for_dates_is_read_as_one() {
    for (missing, key) in [("2020", 1_577_836_800_000_i64), ("\"2020\"", 1_577_836_800_000), ("3", 3), ("-1.5", -2)] {
        for field in ["d", "dn"] {
            let answer = run_on(&format!(r#"{{"min":{{"field":"{field}","missing":{missing}}}}}"#), &[shard(&[&DOCS])]);
            let least =
                format!(r#"{{"value":{},"#, crate::json::Value::Float(key.min(1_580_508_600_000) as f64).to_text());
            assert!(answer.as_ref().is_ok_and(|answer| answer.starts_with(&least)), "{missing}: {answer:?}");
        }
    }
    expect_error(
        r#"{"min":{"field":"d","missing":1e7}}"#,
        "failed to parse date field [1.0E7] with format [strict_date_optional_time||epoch_millis]: [failed to parse date field [1.0E7] with format [strict_date_optional_time||epoch_millis]]",
    );
}

#[test]
fn bounds_of_dates_and_fields_that_no_mapping_knows() {
    let cases = [
        (
            r#"{"date_histogram":{"field":"d","calendar_interval":"month","hard_bounds":{"min":"2020-01-15","max":"2020-03-15"}}}"#,
            r#"{"buckets":[{"key_as_string":"2020-01-01T00:00:00.000Z","key":1577836800000,"doc_count":1}]}"#,
        ),
        (
            r#"{"date_histogram":{"field":"d","calendar_interval":"month","offset":"3d","min_doc_count":1,"hard_bounds":{"min":"2020-01-01","max":"2020-03-01"}}}"#,
            r#"{"buckets":[{"key_as_string":"2020-01-04T00:00:00.000Z","key":1578096000000,"doc_count":1}]}"#,
        ),
        (
            r#"{"date_histogram":{"field":"d","calendar_interval":"month","offset":"3d","extended_bounds":{"min":"2020-01-01","max":"2020-01-01"}}}"#,
            r#"{"buckets":[{"key_as_string":"2020-01-04T00:00:00.000Z","key":1578096000000,"doc_count":1},{"key_as_string":"2020-02-04T00:00:00.000Z","key":1580774400000,"doc_count":0},{"key_as_string":"2020-03-04T00:00:00.000Z","key":1583280000000,"doc_count":1}]}"#,
        ),
        (
            r#"{"date_histogram":{"field":"d","interval":864000000,"min_doc_count":1}}"#,
            r#"{"buckets":[{"key_as_string":"2020-01-29T00:00:00.000Z","key":1580256000000,"doc_count":1},{"key_as_string":"2020-03-29T00:00:00.000Z","key":1585440000000,"doc_count":1}]}"#,
        ),
        (
            r#"{"date_histogram":{"field":"nope","calendar_interval":"month","missing":"2020-01-15"}}"#,
            r#"{"buckets":[{"key_as_string":"2020-01-01T00:00:00.000Z","key":1577836800000,"doc_count":3}]}"#,
        ),
        (
            r#"{"date_histogram":{"field":"nope","calendar_interval":"month","extended_bounds":{"min":"2020-01-01","max":"2020-02-01"}}}"#,
            r#"{"buckets":[{"key_as_string":"2020-01-01T00:00:00.000Z","key":1577836800000,"doc_count":0},{"key_as_string":"2020-02-01T00:00:00.000Z","key":1580515200000,"doc_count":0}]}"#,
        ),
        (
            r#"{"date_range":{"field":"nope","ranges":[{"from":"2020-01-01","to":"2020-02-01"}],"missing":"2020-01-15","time_zone":"+1"}}"#,
            r#"{"buckets":[{"key":"2020-01-01T00:00:00.000+01:00-2020-02-01T00:00:00.000+01:00","from":1.5778332E12,"from_as_string":"2020-01-01T00:00:00.000+01:00","to":1.5805116E12,"to_as_string":"2020-02-01T00:00:00.000+01:00","doc_count":3}]}"#,
        ),
        (
            r#"{"range":{"field":"d","ranges":[{"from":5.5,"to":1577836800000}]}}"#,
            r#"{"buckets":[{"key":"1970-01-01T00:00:00.005Z-2020-01-01T00:00:00.000Z","from":5.5,"from_as_string":"1970-01-01T00:00:00.005Z","to":1.5778368E12,"to_as_string":"2020-01-01T00:00:00.000Z","doc_count":0}]}"#,
        ),
        (
            r#"{"terms":{"field":"nope","missing":"2020-01-01","value_type":"date"}}"#,
            r#"{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":1577836800000,"key_as_string":"2020-01-01T00:00:00.000Z","doc_count":3}]}"#,
        ),
        (
            r#"{"terms":{"field":"nope","missing":"1","value_type":"long"}}"#,
            r#"{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":1,"doc_count":3}]}"#,
        ),
        (r#"{"sum":{"field":"nope","missing":2,"format":"0.00"}}"#, r#"{"value":6.0,"value_as_string":"6.00"}"#),
        (
            r#"{"ip_range":{"field":"nope","ranges":[{"from":"10.0.0.1"}],"missing":"10.0.0.2"}}"#,
            r#"{"buckets":[{"key":"10.0.0.1-*","from":"10.0.0.1","doc_count":3}]}"#,
        ),
    ];
    for (agg, expected) in cases {
        expect(agg, expected);
    }
}

/// What stands below buckets that grow together is reduced each time, as in the reference: hits are skipped again, and answers of
/// scripts are states.
#[test]
fn what_is_joined_again_is_reduced_again() {
    let run = |agg: &str| run_on(agg, &[shard(&[&DOCS])]).unwrap();
    let hits = |histogram: &str| {
        let answer = run(&format!(r#"{{{histogram},"aggs":{{"h":{{"top_hits":{{"from":1,"_source":false}}}}}}}}"#));
        answer.matches(r#""_id""#).count()
    };
    assert_eq!(hits(r#""date_histogram":{"field":"d","calendar_interval":"year"}"#), 1);
    assert_eq!(hits(r#""auto_date_histogram":{"field":"d","buckets":1}"#), 0);
    let states = |histogram: &str| {
        let script = r#"{"scripted_metric":{"init_script":"state.n=0","map_script":"state.n+=1","combine_script":"state.n","reduce_script":"return states.toString()"}}"#;
        run(&format!(r#"{{{histogram},"aggs":{{"s":{script}}}}}"#))
    };
    assert!(states(r#""date_histogram":{"field":"d","calendar_interval":"year"}"#).contains(r#""value":"[2]""#));
    let again = states(r#""auto_date_histogram":{"field":"d","buckets":10}"#);
    assert!(again.contains(r#""value":"[[[1]], [null], [null], [null], [null], [null], [null]]""#), "{again}");
}

/// Bounds without an end are none; beside what is no number there is nothing.
#[test]
fn bounds_of_ranges_that_are_no_numbers() {
    for (bounds, expected) in [
        (r#"{"to":"NaN"}"#, r#"{"key":"*-NaN","to":"NaN","doc_count":0}"#),
        (r#"{"from":"NaN","to":5}"#, r#"{"key":"NaN-5.0","from":"NaN","to":5.0,"doc_count":0}"#),
        (r#"{"from":"-Infinity","to":"Infinity"}"#, r#"{"key":"*-*","doc_count":2}"#),
        (r#"{"from":"Infinity"}"#, r#"{"key":"*-*","doc_count":0}"#),
    ] {
        let agg = format!(r#"{{"range":{{"field":"n","ranges":[{bounds}]}}}}"#);
        expect(&agg, &format!(r#"{{"buckets":[{expected}]}}"#));
    }
}
