//! What is wrong with the parameters of pipelines, in the words of the parsers that the reference has for them; and what they make of
//! buckets that lack what their paths name.

use super::{DOCS, expect_error, run_on};
use crate::query::ShardContext;
use crate::search::tests::{search, shard};

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

/// Two buckets of a histogram, each with a range of which one bucket is named `low`.
fn piped(pipe: &str) -> String {
    let cx = shard(r#"{"properties":{"n":{"type":"long"}}}"#, &[&[r#"{"n":1}"#, r#"{"n":12}"#]]);
    let range = r#""r":{"range":{"field":"n","ranges":[{"to":5,"key":"low"}]},"aggs":{"m":{"max":{"field":"n"}}}}"#;
    let answer = search(
        &cx,
        &format!(
            r#"{{"size":0,"aggs":{{"h":{{"histogram":{{"field":"n","interval":10}},"aggs":{{{range},"p":{{{pipe}}}}}}}}}}}"#
        ),
    );
    let rest: Vec<&str> = answer.split(r#""p":"#).skip(1).map(|rest| rest.split('}').next().unwrap()).collect();
    if answer.starts_with(r#"{"took""#) { rest.join(" ") } else { answer }
}

#[test]
fn buckets_that_lack_what_a_path_names() {
    for (pipe, expected) in [
        (r#""cumulative_sum":{"buckets_path":"r['high']>_count"}"#, r#"{"value":0.0 {"value":0.0"#),
        (r#""cumulative_sum":{"buckets_path":"r['low']>m"}"#, r#"{"value":1.0 {"value":1.0"#),
        // In double quotes, or in none, there is no key.
        (r#""cumulative_sum":{"buckets_path":"r[\"low\"]>m"}"#, r#"{"value":0.0 {"value":0.0"#),
        (r#""derivative":{"buckets_path":"r['high']>_count"}"#, ""),
        (
            r#""bucket_script":{"buckets_path":{"v":"r['high']>_count"},"gap_policy":"insert_zeros","script":"params.v"}"#,
            "",
        ),
        (
            r#""bucket_script":{"buckets_path":{"v":"r['high']>_count"},"gap_policy":"insert_zeros","script":"params.v == null ? 7 : 8"}"#,
            r#"{"value":7.0 {"value":7.0"#,
        ),
    ] {
        assert_eq!(piped(pipe), expected, "{pipe}");
    }
    let sorted = piped(r#""bucket_sort":{"sort":[{"r['high']>m":"asc"}],"gap_policy":"insert_zeros","from":0}"#);
    assert_eq!(sorted, "");
}

#[test]
fn malformed_paths() {
    for (path, told) in [
        ("r['low']._count", "Invalid path element [r['low']._count] in path [r['low']._count]"),
        ("r['low'", "Invalid path element [r['low'] in path [r['low']"),
        ("['low']>m", "Invalid path element [['low']] in path [['low']>m]"),
        ("r.", "Invalid path element [r.] in path [r.]"),
        (".r", "Invalid path element [.r] in path [.r]"),
        ("r.b.c", "Validation Failed: 1: No aggregation found for path [r.b.c];"),
        ("", "Validation Failed: 1: Invalid path [];"),
    ] {
        let refusal = piped(&format!(r#""cumulative_sum":{{"buckets_path":"{path}"}}"#));
        assert!(refusal.contains(told), "{path}: {refusal}");
    }
}

#[test]
fn predictions_take_the_places_of_buckets_behind_the_last_value() {
    let predicted = piped(r#""moving_avg":{"buckets_path":"r['high']>m","window":2,"predict":1}"#);
    assert_eq!(predicted, r#"{"value":null"#);
}

#[test]
fn what_only_sorts_buckets_leaves_no_value_in_them() {
    let agg = |pipe: &str| {
        let agg = format!(
            r#"{{"filter":{{"match_all":{{}}}},"aggs":{{"h":{{"histogram":{{"field":"n","interval":5,"min_doc_count":1}},"aggs":{{"s":{{"bucket_sort":{{"size":10}}}}{pipe}}}}},"x":{{"avg_bucket":{{"buckets_path":"h>s","gap_policy":"insert_zeros"}}}}}}}}"#
        );
        run_on(&agg, &[super::shard(&[&DOCS])]).unwrap()
    };
    assert!(agg("").ends_with(r#""x":{"value":null}}"#), "{}", agg(""));
    let script = r#","q":{"bucket_script":{"buckets_path":{"a":"s"},"script":"params.a","gap_policy":"insert_zeros"}}"#;
    assert!(!agg(script).contains(r#""q""#), "{}", agg(script));
}

const MATRIX: &str = r#""m":{"matrix_stats":{"fields":["n"]}}"#;

/// A path is followed in each bucket on its way: what leads nowhere in one of them has no value, what leads to several numbers is refused.
#[test]
fn paths_through_several_buckets() {
    let cx = shard(
        r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"integer"}}}"#,
        &[&[r#"{"k":["a","b"],"n":5}"#, r#"{"k":"b","n":17}"#]],
    );
    let ask = |path: &str| {
        let below =
            r#""f":{"filters":{"filters":[{"match_all":{}},{"term":{"k":"a"}}]},"aggs":{"t":{"terms":{"field":"k"}}}}"#;
        let below = format!(
            r#"{below},"w":{{"terms":{{"field":"k"}},"aggs":{{{MATRIX}}}}},"g":{{"filter":{{"match_all":{{}}}},"aggs":{{{MATRIX},"s":{{"stats":{{"field":"n"}}}}}}}}"#
        );
        let of = format!(r#""a":{{"range":{{"field":"n","ranges":[{{"to":100}}]}},"aggs":{{{below}}}}}"#);
        search(&cx, &format!(r#"{{"size":0,"aggs":{{{of},"b":{{"sum_bucket":{{"buckets_path":"a>{path}"}}}}}}}}"#))
    };
    for path in ["f>t['q']>_count", "f>t['q']"] {
        assert!(ask(path).contains(r#""b":{"value":0.0}"#), "{path}: {}", ask(path));
    }
    let refusal = "buckets_path must reference either a number value or a single value numeric metric aggregation, got: [Object[]] at aggregation [f]";
    for path in ["f>t>_count", "f>t['b']>_count"] {
        assert!(ask(path).contains(refusal), "{path}: {}", ask(path));
    }
    for (path, class, name) in [
        ("f", "InternalFilters", "f"),
        ("w", "StringTerms", "w"),
        ("w['b']>m", "InternalMatrixStats", "w"),
        ("g", "InternalFilter", "g"),
        ("g>m", "InternalMatrixStats", "g"),
    ] {
        let expected = format!("got: [{class}] at aggregation [{name}]");
        assert!(ask(path).contains(&expected), "{path}: {}", ask(path));
    }
    assert!(ask("g>s").contains("but [g] contains multiple values."), "{}", ask("g>s"));
}

/// A shard compresses the digest that it gives away. One that several are put together in merges what it has buffered for whoever reads
/// it, and is compressed only where it is shown.
#[test]
fn what_is_read_of_a_digest_is_seen_in_what_is_shown_of_it() {
    let shard_of = |from: usize| {
        let docs: Vec<String> =
            (from..from + 300).map(|i| format!(r#"{{"f":{}}}"#, (i * i * 37 + i * 11) % 1009)).collect();
        let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
        shard(r#"{"properties":{"f":{"type":"double"}}}"#, &[&docs])
    };
    let shards = [shard_of(0), shard_of(300)];
    let shown = |shards: &[ShardContext], pipeline: &str| {
        let percentiles = r#"{"percentiles":{"field":"f","percents":[5,50,75],"tdigest":{"compression":10}}}"#;
        let histogram = r#"{"field":"f","interval":2000}"#;
        run_on(&format!(r#"{{"histogram":{histogram},"aggs":{{"m":{percentiles}{pipeline}}}}}"#), shards).unwrap()
    };
    let reading = r#","p":{"cumulative_sum":{"buckets_path":"m.50"}}"#;
    let alone = r#""5.0":40.666666666666664,"50.0":488.94327731092443,"75.0":740.2205882352943"#;
    for (found, values, read) in [
        (shown(&shards[..1], ""), alone, ""),
        (shown(&shards[..1], reading), alone, r#""p":{"value":488.94327731092443}"#),
        (shown(&shards, ""), r#""5.0":35.949893390191896,"50.0":501.341842409934,"75.0":725.4735772357724"#, ""),
        (
            shown(&shards, reading),
            r#""5.0":46.21262779773417,"50.0":516.7018922634671,"75.0":725.4735772357724"#,
            r#""p":{"value":503.7690865528602}"#,
        ),
    ] {
        assert!(found.contains(values) && found.contains(read), "{found}");
    }
}

#[test]
fn paths_that_lead_to_no_number() {
    let ask = |agg: &str, path: &str| {
        let below = r#""s":{"max":{"field":"n"}},"e":{"stats":{"field":"n"}},"q":{"percentiles":{"field":"n"}},"o":{"filter":{"match_all":{}}}"#;
        let piped = format!(
            r#"{{"filter":{{"match_all":{{}}}},"aggs":{{"a":{{{agg},"aggs":{{{below}}}}},"p":{{"avg_bucket":{{"buckets_path":"{path}"}}}}}}}}"#
        );
        run_on(&piped, &[super::shard(&[&DOCS])]).unwrap_or_else(|error| error.reason().to_owned())
    };
    let terms = r#""terms":{"field":"k"}"#;
    let dates = r#""date_histogram":{"field":"d","calendar_interval":"month"}"#;
    let composite = r#""composite":{"sources":[{"k":{"terms":{"field":"k"}}}]}"#;
    let filters = r#""filters":{"filters":[{"match_all":{}}]}"#;
    for (agg, path, told) in [
        (terms, "a", "got: [Bucket] at aggregation [a]"),
        (filters, "a", "got: [InternalBucket] at aggregation [a]"),
        (terms, "a>_key", "got: [String] at aggregation [_key]"),
        (dates, "a>_key", "got: [ZonedDateTime] at aggregation [_key]"),
        (terms, "a>_bucket_count", "No aggregation [_bucket_count] found for path [a>_bucket_count]"),
        (terms, "a['x']>s", "buckets_path aggregation does not exist for aggregation [p]: a['x']>s"),
        (terms, "a>s.max", "path not supported for [s]: [max]"),
        (
            terms,
            "a>e.median",
            "No enum constant org.opensearch.search.aggregations.metrics.InternalStats.Metrics.median",
        ),
        (terms, "a>q.median", "For input string: \"median\""),
        (terms, "a>o.x", "Cannot find an aggregation named [x] in [o]"),
        (
            composite,
            "a>_count",
            "must be a multi-bucket aggregation for aggregation [p] found :org.opensearch.search.aggregations.bucket.composite.CompositeAggregationBuilder",
        ),
    ] {
        let refusal = ask(agg, path);
        assert!(refusal.contains(told), "{path}: {refusal}");
    }
    assert!(ask(terms, "a>s.value").contains(r#""p":{"value":"#), "{}", ask(terms, "a>s.value"));
}

#[test]
fn histograms_that_choose_their_interval_go_on_with_it() {
    use crate::search::tests::{search, shard};
    let docs: Vec<String> = (2000..2020).map(|year| format!(r#"{{"d":"{year}-05-05"}}"#)).collect();
    let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
    let cx = shard(r#"{"properties":{"d":{"type":"date"}}}"#, &[&docs]);
    let average = r#"{"moving_avg":{"buckets_path":"_count","predict":2}}"#;
    let agg =
        format!(r#"{{"auto_date_histogram":{{"field":"d","buckets":30,"format":"yyyy"}},"aggs":{{"p":{average}}}}}"#);
    let answer = search(&cx, &format!(r#"{{"size":0,"aggs":{{"h":{agg}}}}}"#));
    let ahead =
        |year: &str, ms: i64| format!(r#"{{"key_as_string":"{year}","key":{ms},"doc_count":0,"p":{{"value":1.0}}}}"#);
    assert!(answer.contains(&ahead("2020", 1_577_836_800_000)), "{answer}");
    assert!(answer.contains(&ahead("2021", 1_609_459_200_000)), "{answer}");
}
