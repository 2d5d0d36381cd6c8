//! The host on real files.

use super::*;
use pith_engine::analysis::Registry;
use pith_engine::json;
use pith_engine::mapping::{Mapping, MappingSettings};
use pith_engine::search::{SearchLimits, SearchRequest};
use pith_engine::shard::{GetRequest, OpKind, ShardStats, UpdateSpec, WriteOp, WriteOutcome, WriteResult};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

pub(super) const UUID: &str = "uuid";

/// A data folder that goes with its owner.
pub(super) struct Data(pub PathBuf);

impl Data {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pith-shards-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        rt::prepare_data_path(&path).unwrap();
        Self(path)
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(super) fn mapping() -> Arc<Mapping> {
    let source = json::parse(br#"{"properties":{"n":{"type":"long"},"t":{"type":"text"}}}"#).unwrap();
    Arc::new(Mapping::parse(&source, &Registry::built_in(), &MappingSettings::default()).unwrap())
}

pub(super) fn addr() -> ShardAddr {
    ShardAddr { index_uuid: UUID.into(), shard: 0 }
}

pub(super) fn spec(settings: ShardSettings) -> ShardSpec {
    ShardSpec {
        seed: None,
        index: "index".into(),
        index_uuid: UUID.into(),
        shard: 0,
        mapping: mapping(),
        settings,
        primary_term: 1,
    }
}

pub(super) fn host_with(data: &Path, index_buffer_bytes: usize, write_queue_bytes: usize) -> Host {
    host_of(data, index_buffer_bytes, write_queue_bytes, 64 << 20)
}

fn host_of(data: &Path, index_buffer_bytes: usize, write_queue_bytes: usize, index_bytes: u64) -> Host {
    let config = HostConfig {
        data: data.to_owned(),
        index_buffer_bytes,
        write_queue_bytes,
        index_memory: NodeMemory::new(index_bytes, 1),
        request_cache_bytes: 1 << 20,
        contexts: Arc::default(),
        neighbours: Arc::default(),
        write_pressure: Arc::default(),
        pressure: Arc::default(),
    };
    let host: Rc<RefCell<Option<Host>>> = Rc::default();
    let mapping = Rc::new(RefCell::new(mapping()));
    let change: MappingChange = Rc::new({
        let host = host.clone();
        move |uuid, change| {
            let (host, mapping) = (host.clone(), mapping.clone());
            Box::pin(async move {
                rt::yield_now().await;
                let merged = Arc::new(mapping.borrow().merge(&change)?);
                *mapping.borrow_mut() = merged.clone();
                host.borrow().as_ref().unwrap().update_mapping(&uuid, &merged);
                Ok(())
            })
        }
    });
    let made = Host::new(config, change);
    *host.borrow_mut() = Some(made.clone());
    made
}

pub(super) async fn open(data: &Path) -> Host {
    let host = host_with(data, 64 << 20, 64 << 20);
    host.open_shard(spec(ShardSettings::default())).await.unwrap();
    host
}

pub(super) async fn write(host: &Host, ops: Vec<WriteOp>, refresh: RefreshPolicy) -> Result<Written> {
    match host.handle(&addr(), ShardRequest::Write { ops, refresh }).await? {
        ShardReply::Written(written) => Ok(written),
        other => panic!("{other:?}"),
    }
}

async fn index(host: &Host, id: &str, source: &'static str) -> Result<WriteOutcome> {
    let written = write(host, vec![WriteOp::index(id, source)], RefreshPolicy::None).await?;
    written.results.into_iter().next().unwrap()
}

pub(super) async fn source(host: &Host, id: &str) -> Option<String> {
    match host.handle(&addr(), ShardRequest::Get(GetRequest::realtime(id))).await.unwrap() {
        ShardReply::Got(found) => found.map(|f| String::from_utf8(f.source.unwrap().to_vec()).unwrap()),
        other => panic!("{other:?}"),
    }
}

async fn stats(host: &Host) -> ShardStats {
    match host.handle(&addr(), ShardRequest::Stats).await.unwrap() {
        ShardReply::Stats(stats) => *stats,
        other => panic!("{other:?}"),
    }
}

pub(super) async fn search(host: &Host, body: &str, fetch: bool) -> Searched {
    search_kept(host, body, fetch, None).await
}

async fn search_kept(host: &Host, body: &str, fetch: bool, cache: Option<CacheAsk>) -> Searched {
    let request = Arc::new(SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap());
    let (index, node_id, limits) = ("index".into(), "node".into(), SearchLimits::default());
    let ask = SearchAsk {
        request,
        index,
        node_id,
        now_ms: 0,
        limits,
        reader: Reader::Newest,
        slice: None,
        statistics: None,
        fetch,
        cache,
        alone: false,
    };
    match host.handle(&addr(), ShardRequest::Search(Box::new(ask))).await.unwrap() {
        ShardReply::Searched(searched) => *searched,
        other => panic!("{other:?}"),
    }
}

#[test]
fn searches_see_what_was_refreshed_and_fetch_from_what_they_saw() {
    let data = Data::new("search");
    let path = data.0.clone();
    rt::block_on(move || async move {
        let host = open(&path).await;
        let ops = (0..5).map(|n| WriteOp::index(format!("{n}"), format!(r#"{{"n":{n},"t":"word"}}"#))).collect();
        write(&host, ops, RefreshPolicy::Immediate).await.unwrap();
        let body = r#"{"query":{"match":{"t":"word"}},"sort":[{"n":"desc"}],"from":1,"size":2}"#;
        let here = search(&host, body, true).await;
        assert_eq!((here.result.total, here.result.hits.len(), here.result.passed), (5, 2, 1));
        let fetched = here.hits.unwrap().objects;
        assert_eq!(fetched.len(), 2);
        assert!(String::from_utf8(fetched[0].clone()).unwrap().contains(r#""_id":"3""#));
        // The documents go; what was found can be fetched all the same.
        let ops = (0..5).map(|n| WriteOp::delete(format!("{n}"))).collect();
        write(&host, ops, RefreshPolicy::Immediate).await.unwrap();
        let fetch = FetchAsk {
            request: Arc::new(SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap()),
            context: here.context,
            hits: here.result.hits.to_vec(),
            scroll: None,
        };
        match host.handle(&addr(), ShardRequest::Fetch(Box::new(fetch))).await.unwrap() {
            ShardReply::Fetched(hits) => assert_eq!(hits.objects, fetched),
            other => panic!("{other:?}"),
        }
        assert_eq!(search(&host, body, false).await.result.total, 0);
        let counted = stats(&host).await.search;
        assert_eq!((counted.query_total, counted.fetch_total, counted.query_current), (2, 2, 0));
        host.shutdown().await.unwrap();
    });
}

async fn is_visible(host: &Host, id: &str) -> bool {
    let request = GetRequest { id: id.into(), realtime: false, version: None };
    matches!(host.handle(&addr(), ShardRequest::Get(request)).await.unwrap(), ShardReply::Got(Some(_)))
}

#[test]
fn a_bulk_is_answered_in_order_and_new_fields_are_mapped_on_the_way() {
    let data = Data::new("bulk");
    let path = data.0.clone();
    rt::block_on(move || async move {
        let host = open(&path).await;
        let ops = vec![
            WriteOp::index("1", r#"{"n":1,"fresh":"x"}"#),
            WriteOp::create("1", r#"{"n":2}"#),
            WriteOp::index("2", r#"{"n":"no number"}"#),
            WriteOp::delete("1"),
            WriteOp::index("1", r#"{"fresh":"y"}"#),
        ];
        let written = write(&host, ops, RefreshPolicy::None).await.unwrap();
        let results: Vec<_> = written.results.iter().map(|r| r.as_ref().map(|o| (o.result, o.version)).ok()).collect();
        let created = |version| Some((WriteResult::Created, version));
        assert_eq!(results, [created(1), None, None, Some((WriteResult::Deleted, 2)), created(3)]);
        assert_eq!(written.results[1].as_ref().unwrap_err().kind(), ErrorKind::VersionConflict);
        assert_eq!(written.results[2].as_ref().unwrap_err().kind(), ErrorKind::MapperParsing);
        assert_eq!(source(&host, "1").await.as_deref(), Some(r#"{"fresh":"y"}"#));
        let counted = stats(&host).await.indexing;
        assert_eq!((counted.index_total, counted.delete_total, counted.index_failed), (2, 1, 1));
        host.shutdown().await.unwrap();
    });
}

#[test]
fn a_shard_that_was_not_closed_has_everything_that_was_acknowledged() {
    let data = Data::new("unclosed");
    let path = data.0.clone();
    rt::block_on(move || async move {
        {
            let host = open(&path).await;
            for round in 0..3 {
                index(&host, "same", r#"{"n":1}"#).await.unwrap();
                index(&host, &format!("id{round}"), r#"{"n":2}"#).await.unwrap();
                write(&host, vec![WriteOp::delete("id0")], RefreshPolicy::None).await.unwrap();
                if round == 1 {
                    host.handle(&addr(), ShardRequest::Flush { force: false, wait_if_ongoing: true }).await.unwrap();
                }
            }
        }
        let host = open(&path).await;
        assert_eq!(source(&host, "id0").await, None);
        assert_eq!(source(&host, "id2").await.as_deref(), Some(r#"{"n":2}"#));
        assert_eq!(index(&host, "same", "{}").await.unwrap().version, 4);
        assert!(is_visible(&host, "id2").await, "what was recovered is visible at once");
        host.shutdown().await.unwrap();
        let host = open(&path).await;
        let found = stats(&host).await;
        assert_eq!((found.docs.count, found.translog.operations), (3, 0), "a clean stop leaves nothing to replay");
    });
}

#[test]
fn refreshes_come_when_they_were_asked_for() {
    let data = Data::new("refresh");
    let path = data.0.clone();
    rt::block_on(move || async move {
        let host = host_with(&path, 64 << 20, 64 << 20);
        let interval = |ms| Some(Duration::from_millis(ms));
        let never = ShardSettings { refresh_interval: None, refresh_interval_is_explicit: true, ..Default::default() };
        host.open_shard(spec(never.clone())).await.unwrap();
        index(&host, "1", "{}").await.unwrap();
        assert!(!is_visible(&host, "1").await);
        let forced = write(&host, vec![WriteOp::index("2", "{}")], RefreshPolicy::Immediate).await.unwrap();
        assert!(forced.forced_refresh && is_visible(&host, "2").await && is_visible(&host, "1").await);
        // A waiting write passes with the next refresh, whoever causes it.
        let waiting = rt::spawn({
            let host = host.clone();
            async move { write(&host, vec![WriteOp::delete("never there")], RefreshPolicy::WaitFor).await }
        });
        rt::sleep(Duration::from_millis(20)).await;
        assert!(!waiting.is_finished());
        host.handle(&addr(), ShardRequest::Refresh).await.unwrap();
        assert!(!waiting.await.unwrap().forced_refresh);
        host.update_settings(UUID, &ShardSettings { refresh_interval: interval(10), ..never });
        let waited = write(&host, vec![WriteOp::index("3", "{}")], RefreshPolicy::WaitFor).await.unwrap();
        assert!(!waited.forced_refresh && is_visible(&host, "3").await);
        host.shutdown().await.unwrap();
    });
}

#[test]
fn who_asks_again_and_again_finds_the_result_after_a_refresh() {
    let data = Data::new("popular");
    let path = data.0.clone();
    rt::block_on(move || async move {
        let host = host_with(&path, 64 << 20, 64 << 20);
        let settings = ShardSettings { refresh_interval: Some(Duration::from_millis(5)), ..Default::default() };
        host.open_shard(spec(settings)).await.unwrap();
        write(&host, vec![WriteOp::index("1", "{}")], RefreshPolicy::WaitFor).await.unwrap();
        let total = async |key: &'static [u8]| {
            let cache = CacheAsk { key: key.into(), wanted: true };
            search_kept(&host, r#"{"size":0}"#, false, Some(cache)).await.result.total
        };
        for key in [&b"rare"[..], b"popular", b"popular", b"popular"] {
            assert_eq!(total(key).await, 1);
        }
        let before = stats(&host).await.request_cache;
        write(&host, vec![WriteOp::index("2", "{}")], RefreshPolicy::WaitFor).await.unwrap();
        assert_eq!((total(b"popular").await, total(b"rare").await), (2, 2));
        let after = stats(&host).await.request_cache;
        assert_eq!((after.hits - before.hits, after.misses - before.misses), (1, 1));
        host.shutdown().await.unwrap();
    });
}

#[test]
fn a_shard_that_nobody_searches_is_refreshed_by_the_next_search() {
    let data = Data::new("idle");
    let path = data.0.clone();
    rt::block_on(move || async move {
        let host = host_with(&path, 64 << 20, 64 << 20);
        let settings = ShardSettings {
            refresh_interval: Some(Duration::from_millis(5)),
            search_idle_after: Duration::from_millis(1),
            ..Default::default()
        };
        host.open_shard(spec(settings)).await.unwrap();
        rt::sleep(Duration::from_millis(5)).await;
        index(&host, "1", "{}").await.unwrap();
        rt::sleep(Duration::from_millis(50)).await;
        assert!(!is_visible(&host, "1").await);
        assert_eq!(search(&host, "{}", false).await.result.total, 1);
        assert!(is_visible(&host, "1").await);
        host.shutdown().await.unwrap();
    });
}

#[test]
fn buffers_are_sealed_early_when_memory_runs_short() {
    let data = Data::new("memory");
    let path = data.0.clone();
    rt::block_on(move || async move {
        let host = host_with(&path, 200_000, 64 << 20);
        host.open_shard(spec(ShardSettings { refresh_interval: None, ..Default::default() })).await.unwrap();
        for n in 0..200 {
            let ops = (0..20).map(|i| WriteOp::index(format!("{n}-{i}"), r#"{"t":"some words to index here"}"#));
            write(&host, ops.collect(), RefreshPolicy::None).await.unwrap();
        }
        let found = stats(&host).await;
        assert!(found.segments.count > 0 && found.segments.buffer_bytes < 2_000_000, "{found:?}");
        assert!(!is_visible(&host, "0-0").await);
        host.handle(&addr(), ShardRequest::Refresh).await.unwrap();
        assert!(is_visible(&host, "0-0").await);
        let merge = ShardRequest::ForceMerge { max_segments: Some(1), only_expunge_deletes: false, flush: true };
        host.handle(&addr(), merge).await.unwrap();
        let found = stats(&host).await;
        assert_eq!((found.segments.count, found.docs.count), (1, 4000));
        assert_eq!(found.translog.uncommitted_operations, 0);
        host.shutdown().await.unwrap();
    });
}

#[test]
fn small_segments_are_merged_when_the_shard_rests() {
    let data = Data::new("rest");
    let path = data.0.clone();
    rt::block_on(move || async move {
        let host = host_with(&path, 64 << 20, 64 << 20);
        host.open_shard(spec(ShardSettings { refresh_interval: None, ..Default::default() })).await.unwrap();
        for n in 0..4 {
            let op = WriteOp::index(n.to_string(), r#"{"t":"some words to index here"}"#);
            write(&host, vec![op], RefreshPolicy::None).await.unwrap();
            host.handle(&addr(), ShardRequest::Refresh).await.unwrap();
        }
        assert_eq!(stats(&host).await.segments.count, 4);
        let began = std::time::Instant::now();
        while stats(&host).await.segments.count > 1 {
            assert!(began.elapsed().as_secs() < 60, "it never came to rest");
            rt::sleep(std::time::Duration::from_millis(100)).await;
        }
        assert!(is_visible(&host, "0").await && is_visible(&host, "3").await);
        host.shutdown().await.unwrap();
    });
}

#[test]
fn too_many_bytes_at_once_are_refused() {
    let data = Data::new("refuse");
    let path = data.0.clone();
    rt::block_on(move || async move {
        let host = host_with(&path, 64 << 20, 1000);
        host.open_shard(spec(ShardSettings::default())).await.unwrap();
        let first = rt::spawn({
            let host = host.clone();
            async move { index(&host, "1", "{}").await }
        });
        let op = WriteOp::index("2", format!(r#"{{"t":"{}"}}"#, "x".repeat(2000)));
        rt::yield_now().await;
        let error = write(&host, vec![op], RefreshPolicy::None).await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (ErrorKind::RejectedExecution, 429));
        first.await.unwrap();
        host.shutdown().await.unwrap();
    });
}

#[test]
fn closing_does_not_wait_for_a_mapping_change() {
    let data = Data::new("deadlock");
    let path = data.0.clone();
    rt::block_on(move || async move {
        let config = HostConfig {
            data: path,
            index_buffer_bytes: 1 << 20,
            write_queue_bytes: 1 << 20,
            index_memory: NodeMemory::new(64 << 20, 1),
            request_cache_bytes: 1 << 20,
            contexts: Arc::default(),
            neighbours: Arc::default(),
            write_pressure: Arc::default(),
            pressure: Arc::default(),
        };
        let asked = Rc::new(Cell::new(false));
        let change: MappingChange = Rc::new({
            let asked = asked.clone();
            move |_, _| {
                asked.set(true);
                Box::pin(std::future::pending::<Result<(), Error>>())
            }
        });
        let host = Host::new(config, change);
        host.open_shard(spec(ShardSettings::default())).await.unwrap();
        let stuck = rt::spawn({
            let host = host.clone();
            async move { index(&host, "1", r#"{"fresh":1}"#).await }
        });
        while !asked.get() {
            rt::yield_now().await;
        }
        host.delete_shard(&addr()).await.unwrap();
        assert!(stuck.await.is_err());
        assert!(!host.shards().contains(&addr()));
        let error = host.handle(&addr(), ShardRequest::Refresh).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ShardNotFound);
    });
}

#[test]
fn a_shard_that_cannot_be_opened_says_why_and_can_be_opened_again() {
    let data = Data::new("broken");
    let path = data.0.clone();
    rt::block_on(move || async move {
        open(&path).await.shutdown().await.unwrap();
        let commit = path.join("nodes/0/indices/uuid/0/index/commit-1");
        let bytes = fs::read(&commit).unwrap();
        fs::write(&commit, &bytes[1..]).unwrap();
        let host = host_with(&path, 64 << 20, 64 << 20);
        assert!(host.open_shard(spec(ShardSettings::default())).await.is_err());
        let error = host.handle(&addr(), ShardRequest::Refresh).await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (ErrorKind::NoShardAvailable, 503));
        assert!(error.cause().unwrap().reason().contains("commit-1] is damaged at offset [0]"), "{error}");
        fs::write(&commit, &bytes).unwrap();
        host.open_shard(spec(ShardSettings::default())).await.unwrap();
        index(&host, "1", "{}").await.unwrap();
        host.shutdown().await.unwrap();
    });
}

#[test]
fn updates_see_each_other() {
    let data = Data::new("updates");
    let path = data.0.clone();
    rt::block_on(move || async move {
        let host = open(&path).await;
        let update = |doc: &'static str| {
            let spec = UpdateSpec {
                doc_routing: None,
                script: None,
                doc: Some(doc.into()),
                upsert: None,
                doc_as_upsert: true,
                detect_noop: true,
            };
            WriteOp::update("1", spec)
        };
        assert!(matches!(update("{}").kind, OpKind::Update(_)));
        let ops = vec![update(r#"{"a":1}"#), update(r#"{"b":2}"#), update(r#"{"a":1}"#)];
        let written = write(&host, ops, RefreshPolicy::None).await.unwrap();
        let results: Vec<_> = written.results.into_iter().map(|r| r.unwrap().result).collect();
        assert_eq!(results, [WriteResult::Created, WriteResult::Updated, WriteResult::Noop]);
        assert_eq!(source(&host, "1").await.as_deref(), Some(r#"{"a":1,"b":2}"#));
        host.shutdown().await.unwrap();
    });
}

#[test]
fn segments_that_find_no_room_are_read_as_they_are_asked_for() {
    let data = Data::new("no-room");
    let path = data.0.clone();
    rt::block_on(move || async move {
        let host = open(&path).await;
        for id in ["1", "2", "3"] {
            index(&host, id, r#"{"t":"some other","n":7}"#).await.unwrap();
        }
        index(&host, "4", r#"{"t":"one","n":1}"#).await.unwrap();
        host.shutdown().await.unwrap();
        let host = host_of(&path, 64 << 20, 64 << 20, 0);
        host.open_shard(spec(ShardSettings::default())).await.unwrap();
        let found = search(&host, r#"{"query":{"match":{"t":"other"}},"sort":["n"]}"#, true).await;
        assert_eq!((found.result.total, found.hits.unwrap().objects.len()), (3, 3));
        assert!(stats(&host).await.segments.memory_bytes > 0);
        assert_eq!(source(&host, "4").await.as_deref(), Some(r#"{"t":"one","n":1}"#));
        let update = |id: &str| {
            let doc = Some(r#"{"n":2}"#.into());
            let spec = UpdateSpec {
                doc_routing: None,
                script: None,
                doc,
                upsert: None,
                doc_as_upsert: false,
                detect_noop: true,
            };
            WriteOp::update(id, spec)
        };
        let written = write(&host, vec![update("4"), update("2"), update("5")], RefreshPolicy::None).await.unwrap();
        let results: Vec<bool> = written.results.into_iter().map(|result| result.is_ok()).collect();
        assert_eq!(results, [true, true, false]);
        assert_eq!(source(&host, "2").await.as_deref(), Some(r#"{"t":"some other","n":2}"#));
        host.handle(&addr(), ShardRequest::Refresh).await.unwrap();
        let merge = ShardRequest::ForceMerge { max_segments: Some(1), only_expunge_deletes: false, flush: true };
        // There is no room for the merge either: that is told, and nothing is lost.
        assert_eq!(host.handle(&addr(), merge).await.err().map(|error| error.status()), Some(429));
        let found = search(&host, r#"{"query":{"term":{"n":2}}}"#, true).await;
        assert_eq!(found.result.total, 2);
        host.shutdown().await.unwrap();
    });
}
