use super::{Hits, Pipeline, Pipelines, Run};
use crate::error::Result;
use crate::ingest::NoScripts;
use crate::json::{Map, Value, Writer, parse};
use crate::pace::{Pace, block_on_ready};
use crate::search::SearchRequest;

use std::sync::Arc;

fn config(text: &str) -> Map {
    parse(text.as_bytes()).unwrap().as_object().unwrap().clone()
}

fn reason(text: &str) -> String {
    Pipeline::parse("p", &config(text), &NoScripts).unwrap_err().reason().to_owned()
}

/// What becomes of the hits with these sources, and of the request, in a pipeline of these settings.
fn run(settings: &str, sources: &[&str]) -> Result<(SearchRequest, Vec<String>)> {
    let pipeline = Arc::new(Pipeline::parse("p", &config(settings), &NoScripts)?);
    let mut run = Run::new(pipeline, &Pipelines::default().total, false, || 0);
    let mut request = SearchRequest::default();
    run.request(&mut request, 0)?;
    let objects = sources.iter().map(|source| format!(r#"{{"_id":"1","_source":{source}}}"#).into_bytes()).collect();
    let mut hits = Hits { objects, ..Hits::default() };
    block_on_ready(run.response(&mut hits, &Pace::never()))?;
    let source = |hit: &Vec<u8>| parse(hit).unwrap().get("_source").map(Value::to_text).unwrap();
    Ok((request, hits.objects.iter().map(source).collect()))
}

fn response(step: &str, sources: &[&str]) -> Result<Vec<String>> {
    run(&format!(r#"{{"response_processors":[{step}]}}"#), sources).map(|(_, sources)| sources)
}

#[test]
fn mistakes_are_told_when_a_pipeline_is_put() {
    assert_eq!(
        reason(r#"{"foo":1}"#),
        "pipeline [p] doesn't support one or more provided configuration parameters [foo]"
    );
    assert_eq!(reason(r#"{"request_processors":[{"foo":{}}]}"#), "Invalid processor type foo");
    assert_eq!(
        reason(r#"{"response_processors":[{"truncate_hits":{"tag":"t","x":1}}]}"#),
        "processor [truncate_hits:t] doesn't support one or more provided configuration parameters: [x]"
    );
    assert_eq!(
        reason(r#"{"request_processors":[{"oversample":{"sample_factor":0.5}}]}"#),
        "[sample_factor] Value must be >= 1.0"
    );
    assert_eq!(reason(r#"{"request_processors":[{"filter_query":{"query":{"foo":{}}}}]}"#), "unknown query [foo]");
    assert_eq!(reason(r#"{"phase_results_processors":[{"x":{}}]}"#), "Invalid processor type x");
}

/// The routing that a step makes of a query, beside the one that is given.
fn routing(step: &str, query: &str, given: Option<&str>) -> Option<String> {
    let settings = format!(r#"{{"request_processors":[{step}]}}"#);
    let pipeline = Arc::new(Pipeline::parse("p", &config(&settings), &NoScripts).unwrap());
    let mut run = Run::new(pipeline, &Pipelines::default().total, false, || 0);
    let query = crate::query::parse(&parse(query.as_bytes()).unwrap(), query.as_bytes()).unwrap();
    let mut request = SearchRequest { query: Some(query), ..SearchRequest::default() };
    request.pipeline.routing = given.map(str::to_owned);
    run.request(&mut request, 0).unwrap();
    request.pipeline.routing
}

#[test]
fn steps_choose_shards_by_what_a_query_wants() {
    let count = |routing: Option<String>| routing.map_or(0, |routing| routing.split(',').count());
    let acl = r#"{"acl_routing_search":{"acl_field":"t"}}"#;
    let anywhere = r#"{"bool":{"must_not":[{"term":{"t":"a"}}],"filter":[{"terms":{"t":["b","c"]}}]}}"#;
    assert_eq!(count(routing(acl, anywhere, None)), 3);
    assert_ne!(routing(acl, r#"{"term":{"t":"a"}}"#, Some("x")).as_deref(), Some("x"));
    assert_eq!(routing(acl, r#"{"match":{"t":"a"}}"#, None), None);
    let path = r#"{"hierarchical_routing_search":{"path_field":"p"}}"#;
    let prefix =
        routing(path, r#"{"bool":{"filter":[{"prefix":{"p":"/a/b/c"}}],"should":[{"term":{"p":"/x"}}]}}"#, None);
    assert_eq!((count(prefix.clone()), &prefix), (1, &routing(path, r#"{"wildcard":{"p":"/a/b/*"}}"#, None)));
    assert_eq!(routing(path, r#"{"dis_max":{"queries":[{"term":{"p":"/a"}}]}}"#, None), None);
    assert_eq!(routing(path, r#"{"term":{"p":"/a"}}"#, Some("x")).as_deref(), Some("x"));
    let day = r#"{"temporal_routing_search":{"timestamp_field":"d","granularity":"day"}}"#;
    let range =
        |from: &str, to: &str| routing(day, &format!(r#"{{"range":{{"d":{{"gte":"{from}","lt":"{to}"}}}}}}"#), None);
    assert_eq!(range("2020-01-01", "2020-01-03").as_deref(), Some("2020-01-01,2020-01-02,2020-01-03"));
    assert_eq!((range("2020-01-03", "2020-01-01"), range("now-1d", "now")), (None, None));
    assert_eq!(count(range("2020-01-01", "2021-01-01")), 100);
}

#[test]
fn fields_are_renamed_sorted_and_split() {
    let renamed = response(r#"{"rename_field":{"field":"a","target_field":"z"}}"#, &[r#"{"a":1,"b":{"x":1,"a":2}}"#]);
    assert_eq!(renamed.unwrap(), [r#"{"b":{"a":2,"x":1},"z":1}"#]);
    let missing = response(r#"{"rename_field":{"field":"a","target_field":"z"}}"#, &["{}"]).unwrap_err();
    assert_eq!(missing.reason(), "Document with id 1 is missing field a");
    let sorted = response(r#"{"sort":{"field":"a","order":"desc","target_field":"b"}}"#, &[r#"{"a":[1,3,2]}"#]);
    assert_eq!(sorted.unwrap(), [r#"{"a":[1,3,2],"b":[3,2,1]}"#]);
    let split = response(r#"{"split":{"field":"a","separator":","}}"#, &[r#"{"a":"x,y,"}"#]);
    assert_eq!(split.unwrap(), [r#"{"a":["x","y"]}"#]);
}

#[test]
fn hits_are_taken_away() {
    let collapsed = response(r#"{"collapse":{"field":"a"}}"#, &[r#"{"a":1}"#, r#"{"a":1}"#, "{}", "{}"]).unwrap();
    assert_eq!(collapsed, [r#"{"a":1}"#, "{}"]);
    let twice = response(r#"{"collapse":{"field":"a"}},{"collapse":{"field":"b"}}"#, &["{}"]).unwrap_err();
    assert_eq!(twice.reason(), "Cannot collapse on b. Results already collapsed on a");
    let both =
        r#"{"request_processors":[{"oversample":{"sample_factor":1.5}}],"response_processors":[{"truncate_hits":{}}]}"#;
    let hits = vec!["{}"; 15];
    let (request, left) = run(both, &hits).unwrap();
    assert_eq!((request.size, left.len()), (15, 10));
    let alone = response(r#"{"truncate_hits":{}}"#, &["{}"]).unwrap_err();
    assert_eq!(alone.reason(), "Must specify target_size unless an earlier processor set original_size");
}

#[test]
fn scripts_change_requests() {
    let script =
        |source: &str| run(&format!(r#"{{"request_processors":[{{"script":{{"source":"{source}"}}}}]}}"#), &[]);
    assert_eq!(script("ctx._source['size'] = 3").unwrap().0.size, 3);
    let whole = script("ctx.size = 3").unwrap_err();
    assert_eq!(whole.reason(), "runtime error");
    let unknown = script("ctx._source['sort'] = 3").unwrap_err();
    assert_eq!(unknown.cause().unwrap().reason(), "Unsupported key: sort");
    assert!(script("ctx._source['size'] = 'a'").is_err());
}

#[test]
fn verbose_runs_tell_of_failures_and_go_on() {
    let settings = config(r#"{"response_processors":[{"truncate_hits":{"tag":"t"}}]}"#);
    let pipeline = Arc::new(Pipeline::parse("p", &settings, &NoScripts).unwrap());
    let mut run = Run::new(pipeline.clone(), &Pipelines::default().total, true, || 0);
    block_on_ready(run.response(&mut Hits::default(), &Pace::never())).unwrap();
    let mut w = Writer::new();
    run.into_records().unwrap().write(&mut w);
    assert_eq!(
        String::from_utf8(w.finish()).unwrap(),
        r#"[{"processor_name":"truncate_hits","tag":"t","duration_millis":0,"status":"fail","error":"Must specify target_size unless an earlier processor set original_size","input_data":[],"output_data":null}]"#
    );
    let (name, kind, stats) = pipeline.response_stats().next().unwrap();
    assert_eq!((name.as_str(), kind, stats.figures().failed), ("truncate_hits:t", "truncate_hits", 1));
}

/// The reference shows copies, which it makes by writing and reading: names are sorted there.
#[test]
fn verbose_runs_show_copies_of_hits() {
    let settings = config(r#"{"response_processors":[{"truncate_hits":{"target_size":1}}]}"#);
    let pipeline = Arc::new(Pipeline::parse("p", &settings, &NoScripts).unwrap());
    let mut run = Run::new(pipeline, &Pipelines::default().total, true, || 0);
    let hit = |names: &str, scores: &str| {
        let inner = format!(r#"{{"i":{{"hits":{{"hits":[{{"matched_queries":{scores}}}]}}}}}}"#);
        format!(r#"{{"_id":"1","matched_queries":{names},"inner_hits":{inner}}}"#)
    };
    let given = hit(r#"["b","c","a"]"#, r#"{"z":1.0,"y":2.0}"#);
    let mut hits = Hits { objects: vec![given.clone().into_bytes()], ..Hits::default() };
    block_on_ready(run.response(&mut hits, &Pace::never())).unwrap();
    let mut w = Writer::new();
    run.into_records().unwrap().write(&mut w);
    let shown = format!(r#""input_data":[{}]"#, hit(r#"["a","b","c"]"#, r#"{"y":2.0,"z":1.0}"#));
    assert!(String::from_utf8(w.finish()).unwrap().contains(&shown));
    assert_eq!(hits.objects[0], given.as_bytes());
}

#[test]
fn what_a_search_brings_along_is_in_order() {
    let wrong = config(r#"{"request_processors":{}}"#);
    let class = |made: Result<Pipeline>| made.unwrap_err().reason().to_owned();
    assert!(class(Pipeline::parse("p", &wrong, &NoScripts)).ends_with("of type [java.util.HashMap]"));
    assert!(class(Pipeline::parse_ad_hoc("p", &wrong, &NoScripts)).ends_with("of type [java.util.LinkedHashMap]"));
    let script = config(r#"{"request_processors":[{"script":{"source":"1 +","tag":"mine"}}]}"#);
    let error = Pipeline::parse("p", &script, &NoScripts).unwrap_err();
    assert_eq!(error.field("processor_tag"), Some(&Value::from("mine")));
}

#[test]
fn groups_by_lists_cannot_be_copied() {
    let settings = config(r#"{"response_processors":[{"collapse":{"field":"a"}}]}"#);
    let hit = || br#"{"_id":"1","_source":{"a":[1]}}"#.to_vec();
    for (verbose, left) in [(false, 1), (true, 2)] {
        let pipeline = Arc::new(Pipeline::parse("p", &settings, &NoScripts).unwrap());
        let mut run = Run::new(pipeline, &Pipelines::default().total, verbose, || 0);
        let mut hits = Hits { objects: vec![hit(), hit()], ..Hits::default() };
        block_on_ready(run.response(&mut hits, &Pace::never())).unwrap();
        assert_eq!((hits.objects.len(), hits.made_anew), (left, !verbose));
    }
}
