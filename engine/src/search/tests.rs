//! Searches over small indexes in memory, with the reference's answers.

use super::*;
use crate::analysis::Registry;
use crate::json::Writer;
use crate::mapping::{DocumentScratch, Mapping, MappingSettings, Parsed};
use crate::pace::{Pace, block_on_ready};
use crate::segment::{Segment, SegmentView, Snapshot};
use crate::writer::{Buffer, IndexDocument, seal};
use std::sync::Arc;

/// A shard of the given segments of documents; their ids count from 1.
pub(crate) fn shard(mapping: &str, segments: &[&[&str]]) -> ShardContext {
    let source = crate::json::parse(mapping.as_bytes()).unwrap();
    let mapping = Mapping::parse(&source, &Registry::built_in(), &MappingSettings::default()).unwrap();
    shard_of(mapping, segments)
}

/// The same where the mapping names analyzers of `analysis`.
pub(crate) fn shard_analyzing(analysis: &str, mapping: &str, segments: &[&[&str]]) -> ShardContext {
    let parsed = |text: &str| crate::json::parse(text.as_bytes()).unwrap();
    let registry = Arc::new(Registry::from_settings(&parsed(analysis)).unwrap());
    let mapping = Mapping::parse(&parsed(mapping), &registry, &MappingSettings::default()).unwrap();
    shard_of(mapping, segments)
}

/// The same for a mapping.
pub(crate) fn shard_of(mapping: Mapping, segments: &[&[&str]]) -> ShardContext {
    let mapping = Arc::new(mapping);
    let mut id = 0u64;
    let mut views = vec![];
    for docs in segments {
        let mut buffer = Buffer::new();
        for doc in *docs {
            id += 1;
            add(&mut buffer, &mapping, doc, id);
        }
        let (bytes, live) = block_on_ready(seal(&buffer, "s", &Pace::never())).unwrap();
        let segment = Segment::open("s", bytes.into()).unwrap();
        views.push(SegmentView { segment, live: live.map(Arc::new) });
    }
    ShardContext {
        index: "i".into(),
        index_uuid: "u".into(),
        shard: 0,
        node_id: "n".into(),
        mapping,
        snapshot: Arc::new(Snapshot { segments: views, refresh_seq: 1, ..Snapshot::default() }),
        now_ms: 1_600_000_000_000,
        limits: SearchLimits::default(),
        profile: None,
        search: None,
        sees_all: false,
    }
}

fn add(buffer: &mut Buffer, mapping: &Arc<Mapping>, doc: &str, id: u64) {
    let (name, mut ops, mut scratch) = (id.to_string(), vec![], DocumentScratch::default());
    scratch.routed = doc.contains("routed");
    let parsed = mapping.parse_document(doc.as_bytes(), &name, &mut scratch, &mut ops).unwrap();
    assert!(matches!(parsed, Parsed::Ready), "the mapping has all fields");
    let source = Some(doc.as_bytes());
    let routing = scratch.routed.then_some("r");
    let doc = IndexDocument { id: &name, routing, source, seq_no: id - 1, version: 1, primary_term: 1, ops };
    buffer.add(mapping, &doc).unwrap();
}

/// A query as it reads, as it was asked or rewritten; the reason where it is refused.
pub(crate) fn described(cx: &ShardContext, query: &str, rewritten: bool) -> String {
    let value = crate::json::parse(query.as_bytes()).expect("a query");
    let query = crate::query::parse(&value, query.as_bytes()).expect("a query that can be read");
    query.describe(cx, rewritten).unwrap_or_else(|error| error.reason().to_owned())
}

/// The ids of what a query finds, in order.
pub(crate) fn ids(cx: &ShardContext, query: &str) -> String {
    let found = search(cx, &format!(r#"{{"query":{query},"_source":false}}"#));
    let ids: Vec<&str> = found.split(r#""_id":""#).skip(1).filter_map(|hit| hit.split('"').next()).collect();
    ids.join(" ")
}

/// The response of a search, with a budget that yields at every chance.
pub(crate) fn search(cx: &ShardContext, body: &str) -> String {
    search_within(cx, body, &ShardScope::default())
}

/// The same of what of the shard is asked for.
pub(crate) fn search_within(cx: &ShardContext, body: &str, scope: &ShardScope) -> String {
    search_for(cx, SearchRequest::parse(Some(body.as_bytes()), &[]), scope)
}

/// The same for a request that has been read.
pub(crate) fn search_for(cx: &ShardContext, request: crate::Result<SearchRequest>, scope: &ShardScope) -> String {
    search_dividing(cx, request, scope, &mut |_| None)
}

/// The same, in the parts that `divide` gives away between two steps.
pub(super) fn search_dividing(
    cx: &ShardContext,
    request: crate::Result<SearchRequest>,
    scope: &ShardScope,
    divide: Divide,
) -> String {
    let run = || -> crate::Result<Vec<u8>> {
        let budget = YIELDING;
        let request = Arc::new(request?);
        let result = match ShardSearch::begin(&request, cx, scope, None)? {
            Begun::Answered(result) => result,
            Begun::Searching(shard) => ShardResult::joined(&request, find_dividing(shard, divide)?)?,
        };
        let reduced = reduce(&request, vec![(0, result)], 100)?;
        let hits = reduced.hits.iter().map(|(_, hit)| hit.clone()).collect();
        let mut fetch = FetchTask::new(&request, cx.clone(), hits)?;
        while fetch.run(&budget)? == Step::Yield {}
        let shards = ShardsHeader { total: 1, successful: 1, ..ShardsHeader::default() };
        let mut w = Writer::new();
        write_response(&request, 0, &shards, &reduced, &fetch.finish().0, &mut w)?;
        Ok(w.finish())
    };
    match run() {
        Ok(bytes) => String::from_utf8(bytes).unwrap(),
        Err(error) => error.to_string(),
    }
}

pub(super) type Divide<'a> = &'a mut dyn FnMut(&mut ShardSearch) -> Option<Part>;

const YIELDING: Budget = Budget { should_yield: || true, clock_ms: || 0, clock_ns: || 0 };

fn find_dividing(mut shard: Box<ShardSearch>, divide: Divide) -> crate::Result<Vec<ShardResult>> {
    let mut parts = vec![];
    while shard.run(&YIELDING)? == Step::Yield {
        parts.extend(divide(&mut shard));
    }
    let mut results = vec![shard.finish()?];
    // What was given away last stands in front.
    for part in parts.iter().rev() {
        results.extend(find_dividing(part.search()?, divide)?);
    }
    Ok(results)
}

/// Only what stands under `hits`.
fn hits(cx: &ShardContext, body: &str) -> String {
    let response = search(cx, body);
    match response.split_once("\"hits\":") {
        Some((_, hits)) => hits[..hits.len() - 1].to_owned(),
        None => response,
    }
}

fn sample() -> ShardContext {
    let mapping =
        r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword"},"n":{"type":"long"},"d":{"type":"double"}}}"#;
    shard(
        mapping,
        &[
            &[r#"{"t":"the quick brown fox","k":"a","n":1,"d":1.5}"#, r#"{"t":"lazy dog","k":["b","a"],"n":[2,5]}"#],
            &[r#"{"t":"quick quick fox","k":"c","n":-3,"d":0.1}"#, r#"{"k":"a"}"#],
        ],
    )
}

#[test]
fn best_hits_come_first_with_their_source() {
    assert_eq!(
        search(&sample(), r#"{"query":{"match":{"t":"quick"}},"size":1}"#),
        concat!(
            r#"{"took":0,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"#,
            r#""hits":{"total":{"value":2,"relation":"eq"},"max_score":0.29375225,"hits":[{"_index":"i","_id":"3","#,
            r#""_score":0.29375225,"_source":{"t":"quick quick fox","k":"c","n":-3,"d":0.1}}]}}"#
        )
    );
}

#[test]
fn sorted_hits_show_their_values_and_no_score() {
    assert_eq!(
        hits(&sample(), r#"{"sort":[{"n":"desc"}],"_source":false,"size":2,"track_total_hits":2}"#),
        concat!(
            r#"{"total":{"value":2,"relation":"gte"},"max_score":null,"hits":[{"_index":"i","_id":"2","_score":null,"#,
            r#""sort":[5]},{"_index":"i","_id":"1","_score":null,"sort":[1]}]}"#
        )
    );
    assert_eq!(
        hits(&sample(), r#"{"sort":["k",{"d":{"order":"asc"}}],"search_after":["a",1.5],"_source":false,"size":2}"#),
        concat!(
            r#"{"total":{"value":4,"relation":"eq"},"max_score":null,"hits":[{"_index":"i","_id":"2","_score":null,"#,
            r#""sort":["a","Infinity"]},{"_index":"i","_id":"4","_score":null,"sort":["a","Infinity"]}]}"#
        )
    );
}

#[test]
fn filters_after_the_query_and_early_ends() {
    let cx = sample();
    let count = |body: &str| hits(&cx, body);
    assert!(count(r#"{"post_filter":{"term":{"k":"b"}}}"#).starts_with(r#"{"total":{"value":1,"relation":"eq"}"#));
    assert!(search(&cx, r#"{"terminate_after":3}"#).contains(r#""terminated_early":true"#));
    assert!(count(r#"{"min_score":0.29,"query":{"match":{"t":"quick"}}}"#).starts_with(r#"{"total":{"value":1,"#));
    assert_eq!(count(r#"{"size":0}"#), r#"{"total":{"value":4,"relation":"eq"},"max_score":null,"hits":[]}"#);
    assert_eq!(
        count(r#"{"size":0,"track_total_hits":false,"query":{"range":{"n":{"gte":1}}}}"#),
        r#"{"max_score":null,"hits":[]}"#
    );
}

#[test]
fn aggregations_alone_end_early_where_hits_are_counted_beforehand() {
    let cx = sample();
    let ends_early = |head: &str| {
        let body = format!(r#"{{{head}"aggs":{{"a":{{"avg":{{"field":"n"}}}}}}}}"#);
        search(&cx, &body).contains(r#""terminated_early":true"#)
    };
    assert!(ends_early(r#""size":0,"#));
    assert!(ends_early(r#""size":0,"query":{"bool":{"filter":{"term":{"k":"b"}}}},"#));
    assert!(ends_early(r#""size":0,"track_total_hits":false,"query":{"range":{"n":{"gte":1}}},"#));
    assert!(!ends_early(r#""size":0,"query":{"range":{"n":{"gte":1}}},"#));
    assert!(!ends_early(r#""size":0,"min_score":0.1,"#));
    assert!(ends_early(r#""size":0,"track_total_hits":0,"query":{"range":{"n":{"gte":900}}},"#));
    let counted = |query: &str| search(&cx, &format!(r#"{{"size":0,"track_total_hits":0,"query":{query}}}"#));
    assert!(counted(r#"{"range":{"n":{"gte":900}}}"#).contains(r#"{"value":0,"relation":"gte"}"#));
    assert!(counted(r#"{"match":{"t":"nowhere"}}"#).contains(r#"{"value":0,"relation":"eq"}"#), "known beforehand");
    assert!(!ends_early(""));
    assert!(!search(&cx, r#"{"size":0}"#).contains("terminated_early"));
}

#[test]
fn a_source_cannot_be_asked_for_without_stored_fields() {
    let refused = "[stored_fields] cannot be disabled if [_source] is requested";
    assert!(search(&sample(), r#"{"stored_fields":"_none_","_source":["t"]}"#).contains(refused));
    for body in [r#"{"stored_fields":"_none_","_source":false}"#, r#"{"stored_fields":"_none_"}"#] {
        assert!(search(&sample(), body).starts_with(r#"{"took":0"#), "{body}");
    }
}

#[test]
fn fields_of_hits() {
    assert_eq!(
        hits(
            &sample(),
            r#"{"query":{"ids":{"values":["2"],"_name":"two"}},"docvalue_fields":["n","k"],"version":true,"_source":["t"]}"#
        ),
        concat!(
            r#"{"total":{"value":1,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"i","_id":"2","_version":1,"#,
            r#""_score":1.0,"_source":{"t":"lazy dog"},"fields":{"n":[2,5],"k":["a","b"]},"matched_queries":["two"]}]}"#
        )
    );
}

#[test]
fn routed_hits_show_their_routing_and_are_found_by_it() {
    let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[&[r#"{"k":"routed"}"#, r#"{"k":"b"}"#]]);
    assert_eq!(
        hits(&cx, r#"{"query":{"exists":{"field":"_routing"}},"_source":false}"#),
        concat!(
            r#"{"total":{"value":1,"relation":"eq"},"max_score":1.0,"#,
            r#""hits":[{"_index":"i","_id":"1","_score":1.0,"_routing":"r"}]}"#
        )
    );
}

#[test]
fn explanations_follow_the_score() {
    let explained = search(&sample(), r#"{"query":{"term":{"n":5}},"explain":true,"_source":false}"#);
    assert!(
        explained.contains(r#""_shard":"[i][0]","_node":"n","_index":"i""#)
            && explained.contains(r#""_explanation":{"value":1.0,"description":"n:[5 TO 5]","details":[]}"#),
        "{explained}"
    );
}

#[test]
fn what_is_not_supported_is_refused() {
    let cx = sample();
    assert_eq!(search(&cx, r#"{"derived":1}"#), "parsing_exception: Unknown key for a VALUE_NUMBER in [derived].");
    assert_eq!(search(&cx, r#"{"nonsense":1}"#), "parsing_exception: Unknown key for a VALUE_NUMBER in [nonsense].");
    assert_eq!(
        search(&cx, r#"{"sort":["none"]}"#),
        "query_shard_exception: No mapping found for [none] in order to sort on"
    );
}
