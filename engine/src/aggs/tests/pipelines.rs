//! What is wrong with the parameters of pipelines, in the words of the parsers that the reference has for them.

use super::expect_error;

#[test]
fn parameters_that_pipelines_do_not_have() {
    let cases = [
        (r#""p":{"derivative":{"buckets_path":"m","nope":1}}"#, "Unexpected token VALUE_NUMBER in [p]."),
        (r#""p":{"derivative":{"buckets_path":"m","nope":"1"}}"#, "Unknown key for a VALUE_STRING in [p]: [nope]."),
        (r#""p":{"derivative":{"buckets_path":"m","gap_policy":null}}"#, "Unexpected token VALUE_NULL in [p]."),
        (r#""p":{"serial_diff":{"buckets_path":"m","lag":"3"}}"#, "Unknown key for a VALUE_STRING in [p]: [lag]."),
        (r#""p":{"moving_avg":{"buckets_path":"m","window":null}}"#, "Unexpected token VALUE_NULL in [p]."),
        (
            r#""p":{"moving_avg":{"buckets_path":"m","minimize":true}}"#,
            "Validation Failed: 1: The [org.opensearch.search.aggregations.pipeline.SimpleModel@0] model cannot be minimized for aggregation [p];",
        ),
        (
            r#""p":{"cumulative_sum":{"buckets_path":"m","gap_policy":"skip"}}"#,
            "[1:122] [cumulative_sum] unknown field [gap_policy]",
        ),
        (
            r#""p":{"cumulative_sum":{"buckets_path":5}}"#,
            "[1:118] [cumulative_sum] buckets_path doesn't support values of type: VALUE_NUMBER",
        ),
        (
            r#""p":{"moving_fn":{"buckets_path":"m","script":"1","window":0}}"#,
            "[1:139] [moving_fn] failed to parse field [window]",
        ),
        (r#""p":{"bucket_selector":{}}"#, "Missing required field [buckets_path] for bucket_selector aggregation [p]"),
        (
            r#""p":{"bucket_selector":{"buckets_path":"m"}}"#,
            "Missing required field [script] for bucket_selector aggregation [p]",
        ),
        (
            r#""p":{"bucket_sort":{"sort":"m"}}"#,
            "[1:107] [bucket_sort] sort doesn't support values of type: VALUE_STRING",
        ),
        (
            r#""p":{"bucket_sort":{"sort":[{"m":"asc"}],"from":-1}}"#,
            "[1:128] [bucket_sort] failed to parse field [from]",
        ),
        (
            r#""p":{"bucket_sort":{"from":-1,"sort":[{"m":"asc"}]}}"#,
            "[1:129] [bucket_sort] failed to parse field [sort]",
        ),
        (r#""p":{"stats_bucket":{"buckets_path":"m","nope":null}}"#, "Unexpected token VALUE_NULL [nope] in [p]"),
        (r#""p":{"percentiles_bucket":{"buckets_path":"m","percents":["x"]}}"#, "For input string: \"x\""),
    ];
    for (pipeline, reason) in cases {
        expect_error(
            &format!(
                r#"{{"histogram":{{"field":"n","interval":6}},"aggs":{{"m":{{"max":{{"field":"n"}}}},{pipeline}}}}}"#
            ),
            reason,
        );
    }
}
