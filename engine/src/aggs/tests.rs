//! Whole aggregations over small shards, against answers recorded from the reference.

use super::{Collector, ShardAggs, parse, reduce, render};
use crate::analysis::Registry;
use crate::error::Result;
use crate::json::{self, Writer};
use crate::mapping::{DocumentScratch, Mapping, MappingSettings, Parsed};
use crate::pace::{Pace, block_on_ready};
use crate::query::{SearchLimits, ShardContext};
use crate::score::Selection;
use crate::segment::{Segment, SegmentView, Snapshot};
use crate::writer::{Buffer, IndexDocument, seal};
use bytes::Bytes;
use std::sync::Arc;

mod dates;
mod indexes;
mod pipelines;
mod refusals;
mod scripts;
mod whole;

const MAPPING: &str = r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"integer"},"f":{"type":"double"},
    "d":{"type":"date"},"u":{"type":"unsigned_long"},"dn":{"type":"date_nanos"},"r":{"type":"integer_range"},"b":{"type":"boolean"},"ip":{"type":"ip"},"t":{"type":"text"},
    "g":{"type":"geo_point"},"o":{"properties":{"p":{"type":"keyword"}}}}}"#;

const DOCS: [&str; 3] = [
    r#"{"k":["a","b"],"n":5,"f":1.5,"d":"2020-01-31T22:10:00Z","b":true,"ip":"10.0.0.1"}"#,
    r#"{"k":"b","n":17,"f":2.5,"d":"2020-03-31T22:10:00Z","b":false,"ip":"10.0.0.2"}"#,
    r#"{"t":"x"}"#,
];

/// A shard with a segment for each group of documents.
fn shard(groups: &[&[&str]]) -> ShardContext {
    let mapping = json::parse(MAPPING.as_bytes()).unwrap();
    let mapping = Arc::new(Mapping::parse(&mapping, &Registry::built_in(), &MappingSettings::default()).unwrap());
    let mut segments = vec![];
    for (g, docs) in groups.iter().enumerate() {
        let mut buffer = Buffer::new();
        for (i, source) in docs.iter().enumerate() {
            let (mut ops, mut scratch, id) = (vec![], DocumentScratch::default(), format!("{g}-{i}"));
            let parsed = mapping.parse_document(source.as_bytes(), &id, &mut scratch, &mut ops).unwrap();
            assert!(matches!(parsed, Parsed::Ready));
            let doc = IndexDocument {
                id: &id,
                routing: None,
                source: Some(source.as_bytes()),
                seq_no: 0,
                version: 1,
                primary_term: 1,
                ops,
            };
            buffer.add(&mapping, &doc).unwrap();
        }
        let (bytes, _) = block_on_ready(seal(&buffer, "s", &Pace::never())).unwrap();
        segments.push(SegmentView { segment: Segment::open("s", Bytes::from(bytes)).unwrap(), live: None });
    }
    ShardContext {
        index: "test".into(),
        index_uuid: "uuid".into(),
        shard: 0,
        node_id: "node".into(),
        mapping,
        snapshot: Arc::new(Snapshot { segments, refresh_seq: 1, ..Snapshot::default() }),
        now_ms: 1_600_000_000_000,
        limits: SearchLimits::default(),
        profile: None,
        search: None,
        sees_all: false,
    }
}

fn collect(aggs: &super::Aggs, shard: &ShardContext, selection: &Selection) -> Result<ShardAggs> {
    let mut collector = Collector::new(aggs, shard)?;
    for view in &shard.snapshot.segments {
        collector.enter_segment(view, &selection.in_segment(view), false)?;
        let mut docs: Vec<u32> = (0..view.max_doc()).collect();
        collector.collect(&docs)?;
        collector.collect_global(&mut docs)?;
        collector.leave_segment()?;
    }
    block_on_ready(collector.finish(&Pace::new(|| true)))
}

/// What is counted from dictionaries and statistics is what is counted from documents.
fn run_on(agg: &str, shards: &[ShardContext]) -> Result<String> {
    let answer = run_by(agg, shards, &Selection::Unknown);
    let known = run_by(agg, shards, &Selection::All);
    let text = |answer: &Result<String>| answer.as_ref().map_or_else(|error| error.reason().to_owned(), String::clone);
    assert_eq!(text(&answer), text(&known), "{agg}");
    answer
}

fn run_by(agg: &str, shards: &[ShardContext], selection: &Selection) -> Result<String> {
    let body = format!(r#"{{"x":{agg}}}"#);
    let aggs = parse(&json::parse(body.as_bytes()).unwrap(), body.as_bytes())?;
    let results = shards.iter().map(|s| collect(&aggs, s, selection)).collect::<Result<_>>()?;
    let merged = reduce(&aggs, results, 65_536)?;
    let mut w = Writer::new();
    render(&aggs, &merged, &mut w, &Default::default())?;
    let text = String::from_utf8(w.finish()).unwrap();
    Ok(text.strip_prefix(r#"{"x":"#).and_then(|t| t.strip_suffix('}')).unwrap().to_owned())
}

/// However the documents are spread over segments and shards, the answer is the same.
fn expect(agg: &str, answer: &str) {
    let spreads = [
        vec![shard(&[&DOCS])],
        vec![shard(&[&DOCS[..1], &DOCS[1..]])],
        vec![shard(&[&DOCS[2..], &DOCS[..2]])],
        vec![shard(&[&DOCS[..1]]), shard(&[&DOCS[1..]])],
        vec![shard(&[]), shard(&[&DOCS])],
    ];
    for (i, shards) in spreads.iter().enumerate() {
        assert_eq!(run_on(agg, shards).unwrap(), answer, "{agg} (spread {i})");
    }
}

fn expect_error(agg: &str, reason: &str) {
    assert_eq!(run_on(agg, &[shard(&[&DOCS])]).unwrap_err().reason(), reason, "{agg}");
}

#[test]
fn names_come_in_the_order_of_the_reference() {
    let order = |names: &[&str]| {
        let named: Vec<String> = names.iter().map(|name| format!(r#""{name}":{{"avg":{{"field":"n"}}}}"#)).collect();
        let body = format!("{{{}}}", named.join(","));
        let aggs = parse(&json::parse(body.as_bytes()).unwrap(), body.as_bytes()).unwrap();
        aggs.0.aggs.into_iter().map(|agg| agg.name).collect::<Vec<_>>()
    };
    assert_eq!(order(&["m", "a"]), ["a", "m"]);
    assert_eq!(
        order(&["zebra", "b", "aa", "long_name", "x1", "sum_of_sizes", "éa"]),
        ["zebra", "aa", "b", "sum_of_sizes", "éa", "x1", "long_name"]
    );
    let many: Vec<String> = (1..=20).rev().map(|i| format!("agg{i}")).collect();
    let many = order(&many.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(many[..4], ["agg17", "agg16", "agg15", "agg14"]);
}

#[test]
fn terms() {
    let plain =
        |buckets: &str| format!(r#"{{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{buckets}]}}"#);
    let cases = [
        (r#"{"terms":{"field":"k"}}"#, r#"{"key":"b","doc_count":2},{"key":"a","doc_count":1}"#),
        (r#"{"terms":{"field":"n"}}"#, r#"{"key":5,"doc_count":1},{"key":17,"doc_count":1}"#),
        (r#"{"terms":{"field":"f"}}"#, r#"{"key":1.5,"doc_count":1},{"key":2.5,"doc_count":1}"#),
        (
            r#"{"terms":{"field":"d"}}"#,
            r#"{"key":1580508600000,"key_as_string":"2020-01-31T22:10:00.000Z","doc_count":1},{"key":1585692600000,"key_as_string":"2020-03-31T22:10:00.000Z","doc_count":1}"#,
        ),
        (
            r#"{"terms":{"field":"b"}}"#,
            r#"{"key":0,"key_as_string":"false","doc_count":1},{"key":1,"key_as_string":"true","doc_count":1}"#,
        ),
        (r#"{"terms":{"field":"ip"}}"#, r#"{"key":"10.0.0.1","doc_count":1},{"key":"10.0.0.2","doc_count":1}"#),
        (r#"{"terms":{"field":"nope"}}"#, ""),
        (r#"{"terms":{"field":"nope","missing":3}}"#, r#"{"key":"3","doc_count":3}"#),
        (
            r#"{"terms":{"field":"n","missing":3}}"#,
            r#"{"key":3,"doc_count":1},{"key":5,"doc_count":1},{"key":17,"doc_count":1}"#,
        ),
        (r#"{"terms":{"field":"_index"}}"#, r#"{"key":"test","doc_count":3}"#),
        (r#"{"terms":{"field":"k","include":"a.*"}}"#, r#"{"key":"a","doc_count":1}"#),
        (r#"{"terms":{"field":"k","include":"[^b]"}}"#, r#"{"key":"a","doc_count":1}"#),
        (r#"{"terms":{"field":"k","include":["b"],"exclude":["a"]}}"#, r#"{"key":"b","doc_count":2}"#),
        (r#"{"terms":{"field":"n","include":[5],"min_doc_count":0}}"#, r#"{"key":5,"doc_count":1}"#),
        (
            r#"{"terms":{"field":"n","format":"000"}}"#,
            r#"{"key":5,"key_as_string":"005","doc_count":1},{"key":17,"key_as_string":"017","doc_count":1}"#,
        ),
        (
            r#"{"terms":{"field":"k"},"aggs":{"y":{"avg":{"field":"n"}}}}"#,
            r#"{"key":"b","doc_count":2,"y":{"value":11.0}},{"key":"a","doc_count":1,"y":{"value":5.0}}"#,
        ),
        (
            r#"{"terms":{"field":"k","order":{"y":"asc"}},"aggs":{"y":{"avg":{"field":"n"}}}}"#,
            r#"{"key":"a","doc_count":1,"y":{"value":5.0}},{"key":"b","doc_count":2,"y":{"value":11.0}}"#,
        ),
        (
            r#"{"terms":{"field":"b"},"aggs":{"y":{"terms":{"field":"k"}}}}"#,
            r#"{"key":0,"key_as_string":"false","doc_count":1,"y":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"b","doc_count":1}]}},{"key":1,"key_as_string":"true","doc_count":1,"y":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"a","doc_count":1},{"key":"b","doc_count":1}]}}"#,
        ),
    ];
    for (agg, buckets) in cases {
        expect(agg, &plain(buckets));
    }
    expect(
        r#"{"terms":{"field":"k","missing":"zz","show_term_doc_count_error":true,"order":{"_key":"asc"},"size":1}}"#,
        r#"{"doc_count_error_upper_bound":0,"sum_other_doc_count":3,"buckets":[{"key":"a","doc_count":1,"doc_count_error_upper_bound":0}]}"#,
    );
}

#[test]
fn metrics() {
    let cases = [
        (r#"{"avg":{"field":"n"}}"#, r#"{"value":11.0}"#),
        (r#"{"avg":{"field":"nope"}}"#, r#"{"value":null}"#),
        (r#"{"avg":{"field":"nope","missing":3}}"#, r#"{"value":3.0}"#),
        (r#"{"avg":{"field":"n","format":"0.00"}}"#, r#"{"value":11.0,"value_as_string":"11.00"}"#),
        (r#"{"min":{"field":"d"}}"#, r#"{"value":1.5805086E12,"value_as_string":"2020-01-31T22:10:00.000Z"}"#),
        (r#"{"max":{"field":"b"}}"#, r#"{"value":1.0,"value_as_string":"true"}"#),
        (r#"{"sum":{"field":"n"}}"#, r#"{"value":22.0}"#),
        (r#"{"sum":{"field":"d"}}"#, r#"{"value":3.1662012E12,"value_as_string":"2070-05-01T20:20:00.000Z"}"#),
        (r#"{"stats":{"field":"n"}}"#, r#"{"count":2,"min":5.0,"max":17.0,"avg":11.0,"sum":22.0}"#),
        (r#"{"stats":{"field":"nope"}}"#, r#"{"count":0,"min":null,"max":null,"avg":null,"sum":0.0}"#),
        (
            r#"{"stats":{"field":"d"}}"#,
            r#"{"count":2,"min":1.5805086E12,"max":1.5856926E12,"avg":1.5831006E12,"sum":3.1662012E12,"min_as_string":"2020-01-31T22:10:00.000Z","max_as_string":"2020-03-31T22:10:00.000Z","avg_as_string":"2020-03-01T22:10:00.000Z","sum_as_string":"2070-05-01T20:20:00.000Z"}"#,
        ),
        (r#"{"value_count":{"field":"k"}}"#, r#"{"value":3}"#),
        (r#"{"value_count":{"field":"nope"}}"#, r#"{"value":0}"#),
        (r#"{"cardinality":{"field":"k"}}"#, r#"{"value":2}"#),
        (r#"{"cardinality":{"field":"n"}}"#, r#"{"value":2}"#),
        (r#"{"cardinality":{"field":"nope"}}"#, r#"{"value":0}"#),
    ];
    for (agg, answer) in cases {
        expect(agg, answer);
    }
}

#[test]
fn histograms() {
    let cases = [
        (
            r#"{"histogram":{"field":"n","interval":5}}"#,
            r#"{"buckets":[{"key":5.0,"doc_count":1},{"key":10.0,"doc_count":0},{"key":15.0,"doc_count":1}]}"#,
        ),
        (
            r#"{"histogram":{"field":"n","interval":5,"min_doc_count":1,"keyed":true,"offset":2}}"#,
            r#"{"buckets":{"2.0":{"key":2.0,"doc_count":1},"17.0":{"key":17.0,"doc_count":1}}}"#,
        ),
        (
            r#"{"histogram":{"field":"n","interval":5,"extended_bounds":{"min":-3,"max":22}}}"#,
            r#"{"buckets":[{"key":-5.0,"doc_count":0},{"key":0.0,"doc_count":0},{"key":5.0,"doc_count":1},{"key":10.0,"doc_count":0},{"key":15.0,"doc_count":1},{"key":20.0,"doc_count":0}]}"#,
        ),
        (
            r#"{"histogram":{"field":"n","interval":5,"hard_bounds":{"min":6}}}"#,
            r#"{"buckets":[{"key":15.0,"doc_count":1}]}"#,
        ),
        (
            r#"{"histogram":{"field":"b","interval":1}}"#,
            r#"{"buckets":[{"key_as_string":"false","key":0.0,"doc_count":1},{"key_as_string":"true","key":1.0,"doc_count":1}]}"#,
        ),
        (
            r#"{"date_histogram":{"field":"d","calendar_interval":"month","time_zone":"Europe/Berlin"}}"#,
            r#"{"buckets":[{"key_as_string":"2020-01-01T00:00:00.000+01:00","key":1577833200000,"doc_count":1},{"key_as_string":"2020-02-01T00:00:00.000+01:00","key":1580511600000,"doc_count":0},{"key_as_string":"2020-03-01T00:00:00.000+01:00","key":1583017200000,"doc_count":0},{"key_as_string":"2020-04-01T00:00:00.000+02:00","key":1585692000000,"doc_count":1}]}"#,
        ),
        (
            r#"{"date_histogram":{"field":"d","fixed_interval":"30d","time_zone":"+02:00","format":"yyyy-MM-dd","keyed":true}}"#,
            r#"{"buckets":{"2020-01-09":{"key_as_string":"2020-01-09","key":1578520800000,"doc_count":1},"2020-02-08":{"key_as_string":"2020-02-08","key":1581112800000,"doc_count":0},"2020-03-09":{"key_as_string":"2020-03-09","key":1583704800000,"doc_count":1}}}"#,
        ),
        (
            r#"{"date_histogram":{"field":"d","interval":"90m","min_doc_count":1}}"#,
            r#"{"buckets":[{"key_as_string":"2020-01-31T21:00:00.000Z","key":1580504400000,"doc_count":1},{"key_as_string":"2020-03-31T21:00:00.000Z","key":1585688400000,"doc_count":1}]}"#,
        ),
        (
            r#"{"date_histogram":{"field":"d","calendar_interval":"month","offset":"+6h","min_doc_count":1}}"#,
            r#"{"buckets":[{"key_as_string":"2020-01-01T06:00:00.000Z","key":1577858400000,"doc_count":1},{"key_as_string":"2020-03-01T06:00:00.000Z","key":1583042400000,"doc_count":1}]}"#,
        ),
        (
            r#"{"date_histogram":{"field":"d","calendar_interval":"year","extended_bounds":{"min":"2018-05-01","max":"2021"}}}"#,
            r#"{"buckets":[{"key_as_string":"2018-01-01T00:00:00.000Z","key":1514764800000,"doc_count":0},{"key_as_string":"2019-01-01T00:00:00.000Z","key":1546300800000,"doc_count":0},{"key_as_string":"2020-01-01T00:00:00.000Z","key":1577836800000,"doc_count":2},{"key_as_string":"2021-01-01T00:00:00.000Z","key":1609459200000,"doc_count":0}]}"#,
        ),
        (
            r#"{"date_histogram":{"field":"n","fixed_interval":"10ms"}}"#,
            r#"{"buckets":[{"key":0,"doc_count":1},{"key":10,"doc_count":1}]}"#,
        ),
    ];
    for (agg, answer) in cases {
        expect(agg, answer);
    }
}

#[test]
fn ranges_and_filters() {
    let cases = [
        (
            r#"{"range":{"field":"n","ranges":[{"to":10},{"from":10,"to":20,"key":"mid"},{"from":20}]}}"#,
            r#"{"buckets":[{"key":"*-10.0","to":10.0,"doc_count":1},{"key":"mid","from":10.0,"to":20.0,"doc_count":1},{"key":"20.0-*","from":20.0,"doc_count":0}]}"#,
        ),
        (
            r#"{"range":{"field":"n","keyed":true,"ranges":[{"to":10},{"from":10,"to":20}]}}"#,
            r#"{"buckets":{"*-10.0":{"to":10.0,"doc_count":1},"10.0-20.0":{"from":10.0,"to":20.0,"doc_count":1}}}"#,
        ),
        (
            r#"{"range":{"field":"d","ranges":[{"to":10}]}}"#,
            r#"{"buckets":[{"key":"*-1970-01-01T00:00:00.010Z","to":10.0,"to_as_string":"1970-01-01T00:00:00.010Z","doc_count":0}]}"#,
        ),
        (
            r#"{"date_range":{"field":"d","ranges":[{"from":"2020-02-01","to":"2020-04-01"},{"to":"2020-02-01||+1M/M"}]}}"#,
            r#"{"buckets":[{"key":"*-2020-03-01T00:00:00.000Z","to":1.5830208E12,"to_as_string":"2020-03-01T00:00:00.000Z","doc_count":1},{"key":"2020-02-01T00:00:00.000Z-2020-04-01T00:00:00.000Z","from":1.5805152E12,"from_as_string":"2020-02-01T00:00:00.000Z","to":1.5856992E12,"to_as_string":"2020-04-01T00:00:00.000Z","doc_count":1}]}"#,
        ),
        (r#"{"filter":{"term":{"k":"b"}}}"#, r#"{"doc_count":2}"#),
        (
            r#"{"filter":{"term":{"k":"b"}},"aggs":{"m":{"max":{"field":"n"}}}}"#,
            r#"{"doc_count":2,"m":{"value":17.0}}"#,
        ),
        (
            r#"{"filters":{"filters":{"a":{"term":{"k":"a"}},"b":{"term":{"k":"b"}}},"other_bucket":true}}"#,
            r#"{"buckets":{"a":{"doc_count":1},"b":{"doc_count":2},"_other_":{"doc_count":1}}}"#,
        ),
        (
            r#"{"filters":{"filters":[{"term":{"k":"a"}},{"term":{"k":"b"}}],"other_bucket_key":"oo"}}"#,
            r#"{"buckets":[{"doc_count":1},{"doc_count":2},{"doc_count":1}]}"#,
        ),
        (r#"{"global":{}}"#, r#"{"doc_count":3}"#),
        (r#"{"missing":{"field":"k"}}"#, r#"{"doc_count":1}"#),
        (r#"{"missing":{"field":"k"},"meta":{"a":1}}"#, r#"{"meta":{"a":1},"doc_count":1}"#),
        // Where a shard replaces a query, what stands around it is made anew and has metadata.
        (r#"{"filter":{"exists":{"field":"nosuch"}}}"#, r#"{"meta":{},"doc_count":0}"#),
        (r#"{"filter":{"bool":{"must_not":[{"term":{"nosuch":1}}]}}}"#, r#"{"meta":{},"doc_count":3}"#),
        (
            r#"{"filter":{"term":{"k":"b"}},"aggs":{"m":{"filters":{"filters":[{"prefix":{"nosuch":"a"}}]}}}}"#,
            r#"{"meta":{},"doc_count":2,"m":{"meta":{},"buckets":[{"doc_count":0}]}}"#,
        ),
    ];
    for (agg, answer) in cases {
        expect(agg, answer);
    }
}

#[test]
fn refusals_in_the_words_of_the_reference() {
    let cases = [
        (r#"{"avg":{"field":"k"}}"#, "Field [k] of type [keyword] is not supported for aggregation [avg]"),
        (r#"{"avg":{}}"#, "Required one of fields [field, script], but none were specified. "),
        (r#"{"nope":{"field":"k"}}"#, "Unknown aggregation type [nope]"),
        (r#"{"terms":{"fieldx":"k"}}"#, "[1:16] [terms] unknown field [fieldx] did you mean [field]?"),
        (r#"{"terms":{"size":0,"field":"k"}}"#, "[1:23] [terms] failed to parse field [size]"),
        (
            r#"{"avg":{"field":"n"},"aggs":{"z":{"avg":{"field":"n"}}}}"#,
            "Aggregator [x] of type [avg] cannot accept sub-aggregations",
        ),
        // What an inner pipeline lacks is told once all has been read.
        (
            r#"{"avg":{"field":"n"},"aggs":{"h":{"histogram":{"field":"n","interval":1},"aggs":{"d":{"derivative":{"buckets_path":"z"}}}}}}"#,
            "Aggregator [x] of type [avg] cannot accept sub-aggregations",
        ),
        (
            r#"{"terms":{"field":"k","execution_hint":"x"}}"#,
            "Unknown `execution_hint`: [x], expected any of [map, global_ordinals]",
        ),
        (
            r#"{"cardinality":{"field":"k","execution_hint":"x"}}"#,
            "Unknown execution_hint: [x], expected any of [direct, ordinals]",
        ),
        (r#"{"terms":{"field":"k","value_type":"long"}}"#, "Expected numeric type on field [k], but got [keyword]"),
        (r#"{"avg":{"field":"n","missing":null}}"#, "[1:36] [avg] failed to parse field [missing]"),
        (r#"{"terms":{"field":"k","include":"(a"}}"#, "expected ')' at position 2"),
        (r#"{"significant_terms":{"field":"f"}}"#, "No support for examining floating point numerics"),
        (
            r#"{"median_absolute_deviation":{"field":"d"}}"#,
            "Field [d] of type [date] is not supported for aggregation [median_absolute_deviation]",
        ),
        (
            r#"{"weighted_avg":{"value":{"field":"k"},"weight":{"field":"n"}}}"#,
            "Expected numeric type on field [k], but got [keyword]",
        ),
        (
            r#"{"composite":{"sources":[{"s":{"histogram":{"field":"b","interval":1}}}]}}"#,
            "Field [b] of type [boolean] is not supported for aggregation [histogram]",
        ),
        (
            r#"{"terms":{"field":"k"},"global":{}}"#,
            "Found two aggregation type definitions in [x]: [terms] and [global]",
        ),
        ("{}", "Missing definition for aggregation [x]"),
        (
            r#"{"terms":{"field":"k","order":{"zz":"asc"}}}"#,
            "Invalid aggregation order path [zz]. The provided aggregation [zz] either does not exist, or is a pipeline aggregation and cannot be used to sort the buckets.",
        ),
        (
            r#"{"terms":{"field":"k","order":{"y":"asc"}},"aggs":{"y":{"stats":{"field":"n"}}}}"#,
            "Invalid aggregation order path [y]. When ordering on a multi-value metrics aggregation a metric name must be specified.",
        ),
        (
            r#"{"global":{},"aggs":{"g":{"global":{}}}}"#,
            "Aggregation [x] cannot have a global sub-aggregation [g]. Global aggregations can only be defined as top level aggregations",
        ),
        (r#"{"histogram":{"field":"n","interval":0}}"#, "[1:43] [histogram] failed to parse field [interval]"),
        (r#"{"range":{"field":"n","ranges":[]}}"#, "No [ranges] specified for the [x] aggregation"),
        (r#"{"filters":{"filters":{}}}"#, "[filters] cannot be empty."),
        (r#"{"date_histogram":{"field":"d"}}"#, "Invalid interval specified, must be non-null and non-empty"),
        (r#"{"date_histogram":{"field":"d","fixed_interval":"0s"}}"#, "Zero or negative time interval not supported"),
        (
            r#"{"date_histogram":{"field":"d","fixed_interval":"1w"}}"#,
            "[1:54] [date_histogram] failed to parse field [fixed_interval]",
        ),
        (r#"{"date_histogram":{"field":"d","interval":"2w"}}"#, "Unable to parse interval [2w]"),
        (
            r#"{"composite":{"sources":[{"s":{"date_histogram":{"field":"d","interval":"2w"}}}]}}"#,
            "Unable to parse interval [2w]",
        ),
        (
            r#"{"date_histogram":{"field":"d","calendar_interval":"month","hard_bounds":{"min":"2021-01-01","max":"2020-01-01"}}}"#,
            "[hard_bounds.min][1609459200000] cannot be greater than [hard_bounds.max][1577836800000] for histogram aggregation [x]",
        ),
    ];
    for (agg, reason) in cases {
        expect_error(agg, reason);
    }
}

#[test]
fn too_many_buckets_are_refused_before_they_are_made() {
    let agg = r#"{"histogram":{"field":"n","interval":0.000001}}"#;
    let error = run_on(agg, &[shard(&[&DOCS])]).unwrap_err();
    assert!(error.reason().starts_with("Trying to create too many buckets."), "{error}");
    assert_eq!(error.status(), 503);
}

/// Whole answers of kinds and pipelines that the reference gave for these documents.
#[test]
fn metrics_of_distributions() {
    let cases = [
        (
            r#"{"percentiles":{"field":"f","percents":[50,12.5],"keyed":false}}"#,
            r#"{"values":[{"key":12.5,"value":1.5},{"key":50.0,"value":2.5}]}"#,
        ),
        (r#"{"percentile_ranks":{"field":"n","values":[5]}}"#, r#"{"values":{"5.0":25.0}}"#),
        (r#"{"median_absolute_deviation":{"field":"n"}}"#, r#"{"value":12.0}"#),
        (r#"{"weighted_avg":{"value":{"field":"n"},"weight":{"field":"f"}}}"#, r#"{"value":12.5}"#),
        (r#"{"weighted_avg":{"value":{"field":"nope"},"weight":{"field":"f"}}}"#, r#"{"value":null}"#),
        (r#"{"matrix_stats":{"fields":["nope"]}}"#, r#"{"doc_count":0}"#),
    ];
    for (agg, answer) in cases {
        expect(agg, answer);
    }
    expect_error(
        r#"{"percentiles":{"field":"k"}}"#,
        "Field [k] of type [keyword] is not supported for aggregation [percentiles]",
    );
}

#[test]
fn combinations_and_pages() {
    expect(
        r#"{"multi_terms":{"terms":[{"field":"k"},{"field":"n"}]}}"#,
        r#"{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":["a",5],"key_as_string":"a|5","doc_count":1},{"key":["b",5],"key_as_string":"b|5","doc_count":1},{"key":["b",17],"key_as_string":"b|17","doc_count":1}]}"#,
    );
    expect(
        r#"{"composite":{"size":1,"sources":[{"a":{"terms":{"field":"k"}}}],"after":{"a":"a"}}}"#,
        r#"{"after_key":{"a":"b"},"buckets":[{"key":{"a":"b"},"doc_count":2}]}"#,
    );
    expect(
        r#"{"composite":{"sources":[{"a":{"terms":{"field":"k","order":"desc","missing_bucket":true}}}]}}"#,
        r#"{"after_key":{"a":null},"buckets":[{"key":{"a":"b"},"doc_count":2},{"key":{"a":"a"},"doc_count":1},{"key":{"a":null},"doc_count":1}]}"#,
    );
    expect(
        r#"{"adjacency_matrix":{"filters":{"p":{"term":{"k":"b"}},"q":{"range":{"n":{"gte":6}}}}}}"#,
        r#"{"buckets":[{"key":"p","doc_count":2},{"key":"p&q","doc_count":1},{"key":"q","doc_count":1}]}"#,
    );
    expect(r#"{"rare_terms":{"field":"k"}}"#, r#"{"buckets":[{"key":"a","doc_count":1}]}"#);
    expect(
        r#"{"ip_range":{"field":"ip","ranges":[{"mask":"10.0.0.0/31"},{"from":"10.0.0.2"}]}}"#,
        r#"{"buckets":[{"key":"10.0.0.0/31","from":"10.0.0.0","to":"10.0.0.2","doc_count":1},{"key":"10.0.0.2-*","from":"10.0.0.2","doc_count":1}]}"#,
    );
}

#[test]
fn pipelines_of_buckets() {
    let histogram = |subs: &str| format!(r#"{{"histogram":{{"field":"n","interval":6}},"aggs":{{{subs}}}}}"#);
    expect(
        &histogram(r#""d":{"derivative":{"buckets_path":"_count"}},"c":{"cumulative_sum":{"buckets_path":"_count"}}"#),
        r#"{"buckets":[{"key":0.0,"doc_count":1,"c":{"value":1.0}},{"key":6.0,"doc_count":0,"d":{"value":-1.0},"c":{"value":1.0}},{"key":12.0,"doc_count":1,"d":{"value":1.0},"c":{"value":2.0}}]}"#,
    );
    expect(
        &histogram(r#""s":{"bucket_sort":{"sort":[{"_key":"desc"}],"size":1}}"#),
        r#"{"buckets":[{"key":12.0,"doc_count":1}]}"#,
    );
    expect_error(
        &histogram(r#""d":{"derivative":{"buckets_path":"nope"}}"#),
        "Validation Failed: 1: No aggregation found for path [nope];",
    );
    let nowhere = r#"{"terms":{"field":"k"},"aggs":{"p":{"derivative":{"buckets_path":"z"}}}}"#;
    expect_error(
        &histogram(&format!(r#""d":{{"derivative":{{"buckets_path":"z"}}}},"t":{nowhere}"#)),
        "Validation Failed: 1: No aggregation found for path [z];2: No aggregation found for path [z];",
    );
    expect_error(
        r#"{"terms":{"field":"k"},"aggs":{"d":{"derivative":{"buckets_path":"_count"}}}}"#,
        "Validation Failed: 1: derivative aggregation [d] must have a histogram, date_histogram or auto_date_histogram as parent;",
    );
}

/// The widest numbers and the finest moments; ranges.
const WIDE: [&str; 3] = [
    r#"{"u":0,"dn":"2020-01-01T10:00:00.123456789Z","r":{"gte":1,"lte":10},"n":-3,"t":"good x"}"#,
    r#"{"u":18446744073709551615,"dn":"2020-02-01T10:00:00.5Z","r":{"gte":5},"n":-2,"t":"good y"}"#,
    r#"{"n":4,"t":"bad"}"#,
];

#[test]
fn values_beyond_longs_and_milliseconds() {
    let shards = [shard(&[&WIDE[..1], &WIDE[1..]])];
    let cases = [
        (
            r#"{"terms":{"field":"u"}}"#,
            r#"{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":0,"doc_count":1},{"key":18446744073709551615,"doc_count":1}]}"#,
        ),
        (
            r#"{"composite":{"sources":[{"u":{"terms":{"field":"u","missing_bucket":true}}}]}}"#,
            r#"{"after_key":{"u":18446744073709551615},"buckets":[{"key":{"u":null},"doc_count":1},{"key":{"u":0},"doc_count":1},{"key":{"u":18446744073709551615},"doc_count":1}]}"#,
        ),
        (r#"{"max":{"field":"dn"}}"#, r#"{"value":1.5805512005E12,"value_as_string":"2020-02-01T10:00:00.500Z"}"#),
        (r#"{"avg":{"field":"n","missing":1.5}}"#, r#"{"value":-0.3333333333333333}"#),
        (
            r#"{"histogram":{"field":"r","interval":5,"hard_bounds":{"min":0,"max":12}}}"#,
            r#"{"buckets":[{"key":0.0,"doc_count":1},{"key":5.0,"doc_count":2},{"key":10.0,"doc_count":2}]}"#,
        ),
        (
            r#"{"variable_width_histogram":{"field":"n","buckets":2}}"#,
            r#"{"buckets":[{"min":-3.0,"key":-2.5,"max":-2.0,"doc_count":2},{"min":4.0,"key":4.0,"max":4.0,"doc_count":1}]}"#,
        ),
    ];
    for (agg, answer) in cases {
        assert_eq!(run_on(agg, &shards).unwrap(), answer, "{agg}");
    }
    let many = run_on(r#"{"histogram":{"field":"r","interval":0.001}}"#, &shards).unwrap_err();
    assert!(many.reason().starts_with("[request] Data too large"), "{many}");
}

#[test]
fn words_of_texts() {
    let agg =
        r#"{"filter":{"range":{"n":{"lt":0}}},"aggs":{"w":{"significant_text":{"field":"t","min_doc_count":1}}}}"#;
    let answer = run_on(agg, &[shard(&[&WIDE])]).unwrap();
    assert!(answer.contains(r#""buckets":[{"key":"good","doc_count":2,"score":0.5,"bg_count":2}"#), "{answer}");
}

/// As the reference has them, of one shard with one segment.
#[test]
fn what_the_reference_makes_of_a_few_documents() {
    let docs = [
        r#"{"f":5,"n":1,"k":"a","d":"2021-01-01"}"#,
        r#"{"f":1,"n":2,"k":"b","d":"2021-02-01"}"#,
        r#"{"f":9,"n":3,"k":"a","d":"2021-03-01"}"#,
        r#"{"f":2,"n":4,"d":"2021-04-01"}"#,
        r#"{"f":30,"n":5,"k":"b","d":"2021-05-01"}"#,
    ];
    let cases = [
        (r#"{"range":{"field":"f","ranges":[{"to":6}]}}"#, r#"{"buckets":[{"key":"*-6.0","to":6.0,"doc_count":3}]}"#),
        (
            r#"{"variable_width_histogram":{"field":"f","buckets":2},"aggs":{"m":{"sum":{"field":"n"}}}}"#,
            r#"{"buckets":[{"min":1.0,"key":4.25,"max":9.0,"doc_count":4,"m":{"value":10.0}},{"min":30.0,"key":30.0,"max":30.0,"doc_count":1,"m":{"value":5.0}}]}"#,
        ),
        (
            r#"{"range":{"field":"f","ranges":[{"to":6}]},"aggs":{"x":{"variable_width_histogram":{"field":"f","buckets":1}}}}"#,
            r#"{"buckets":[{"key":"*-6.0","to":6.0,"doc_count":3,"x":{"buckets":[{"min":1.0,"key":2.6666666666666665,"max":5.0,"doc_count":3}]}}]}"#,
        ),
        (r#"{"filter":{"bool":{}}}"#, r#"{"meta":{},"doc_count":5}"#),
        (r#"{"filter":{"constant_score":{"filter":{"match_none":{}}}}}"#, r#"{"meta":{},"doc_count":0}"#),
        (r#"{"filter":{"bool":{"must_not":[{"match_none":{}}]}}}"#, r#"{"doc_count":5}"#),
        (
            r#"{"filter":{"term":{"k":"zz"}},"aggs":{"x":{"matrix_stats":{"fields":["f"]}}}}"#,
            r#"{"doc_count":0,"x":{"doc_count":0,"fields":[{"name":"f","count":0,"mean":0.0,"variance":0.0,"skewness":0.0,"kurtosis":0.0,"covariance":{"f":0.0},"correlation":{"f":1.0}}]}}"#,
        ),
        (
            r#"{"matrix_stats":{"fields":["nosuch","f"]}}"#,
            r#"{"doc_count":5,"fields":[{"name":"f","count":5,"mean":9.4,"variance":142.3,"skewness":1.2610703672643024,"kurtosis":2.908028133332082,"covariance":{"f":142.3},"correlation":{"f":1.0}}]}"#,
        ),
        (
            r#"{"diversified_sampler":{"field":"k"},"aggs":{"m":{"terms":{"field":"n"}}}}"#,
            r#"{"doc_count":2,"m":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":1,"doc_count":1},{"key":2,"doc_count":1}]}}"#,
        ),
        (
            r#"{"terms":{"script":{"source":"[1, 1, \"b\", \"b\"]"}}}"#,
            r#"{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"1","doc_count":5},{"key":"b","doc_count":5}]}"#,
        ),
        // Below many buckets the steps of dates are found by estimates.
        (
            r#"{"terms":{"field":"k"},"aggs":{"x":{"auto_date_histogram":{"field":"d","buckets":1}}}}"#,
            r#"{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"a","doc_count":2,"x":{"buckets":[{"key_as_string":"2021-01-01T00:00:00.000Z","key":1609459200000,"doc_count":2}],"interval":"3M"}},{"key":"b","doc_count":2,"x":{"buckets":[{"key_as_string":"2021-01-01T00:00:00.000Z","key":1609459200000,"doc_count":2}],"interval":"1y"}}]}"#,
        ),
    ];
    for (agg, answer) in cases {
        assert_eq!(run_by(agg, &[shard(&[&docs])], &Selection::Unknown).unwrap(), answer, "{agg}");
    }
    let refusal =
        "[variable_width_histogram] cannot be nested inside an aggregation that collects more than a single bucket.";
    expect_error(r#"{"sampler":{},"aggs":{"x":{"variable_width_histogram":{"field":"f"}}}}"#, refusal);
    expect_error(
        r#"{"diversified_sampler":{"field":"n"},"aggs":{"c":{"composite":{"sources":[{"s":{"terms":{}}}]}}}}"#,
        "[composite] aggregation cannot be used with a parent aggregation of type: [DiversifiedAggregatorFactory]",
    );
    expect_error(
        r#"{"composite":{"sources":[{"s":{"terms":{}}}]}}"#,
        "value source config is invalid; must have either a field or a script",
    );
}
