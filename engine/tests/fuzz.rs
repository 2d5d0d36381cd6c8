//! What comes from outside, bent out of shape: requests, JSON, records, commit points and segments. Whatever it is, it ends with a
//! value or an error, never with a panic.
//!
//! Corpora stand in `corpora`, a case a line; what a run finds belongs there too. A run prints its seed:
//! `PITH_SEED=… cargo test -p pith-engine --test fuzz` repeats it, and `scripts/dev fuzz engine N` tries N cases of each target.

use pith_engine::analysis::Registry;
use pith_engine::mapping::{DocumentScratch, Mapping, MappingSettings};
use pith_engine::pace::{Pace, block_on_ready};
use pith_engine::search::{
    Budget, FetchTask, SearchLimits, SearchRequest, ShardContext, ShardSearch, ShardsHeader, Step, SuggestTask, reduce,
    write_response,
};
use pith_engine::segment::{LiveDocs, Segment, SegmentView, Snapshot};
use pith_engine::shard::{
    CommitPoint, CommittedSegment, Operation, Record, TranslogHeader, TranslogReader, encode_mark,
};
use pith_engine::writer::{Buffer, IndexDocument, seal};
use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

const SEARCHES: &str = include_str!("corpora/searches.jsonl");
const JSON: &str = include_str!("corpora/json.jsonl");

/// Pieces that tend to break parsers, and words of the requests themselves.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "true",
    "-1",
    "1e999",
    "-0",
    "9223372036854775808",
    "0.1e-400",
    "\\u0000",
    "\\ud800",
    "\u{0}",
    "\u{feff}",
    "é",
    "😀",
    "*",
    "?",
    "~",
    "^",
    "\\",
    "/",
    "((((((((",
    "))))))))",
    "1d",
    "now/d",
    "||-1y/y",
    "2020-13-45",
    "{{",
    "2147483647",
    "-2147483648",
    "1e-300",
    "NaN",
    "doc['n']",
    "params",
    "while(true){}",
    "[l,l]",
    "\"size\":0,",
    "\"field\":\"t\"",
    "\"field\":\"d\"",
    "\"field\":\"o.x\"",
    "\"interval\":1e-300",
    "\"boost\":-1",
    "\"missing\":\"x\"",
];

/// splitmix64.
struct Random(u64);

impl Random {
    /// Seeded by `PITH_SEED`, or anew; the seed is printed.
    fn from_env() -> Self {
        let given = std::env::var("PITH_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| RandomState::new().hash_one(0) >> 1);
        println!("PITH_SEED={seed}");
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// A few random edits; pieces of `other` may come in.
fn bend(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8], texts: bool) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(if texts { 8 } else { 5 }) {
            0 if at < bytes.len() => bytes[at] = random.next() as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..(at + random.below(20)).min(bytes.len()))),
            3 => {
                let copy = bytes[at..(at + random.below(60)).min(bytes.len())].to_vec();
                let to = random.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            4 if random.below(4) == 0 => bytes.truncate(at),
            4 => {
                let from = random.below(other.len() + 1);
                let part = other[from..(from + random.below(80)).min(other.len())].to_vec();
                drop(bytes.splice(at..at, part));
            }
            _ => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
        }
    }
}

/// Tries as many bent cases as the run is for, `share` of them for one that is cheap.
fn run(target: &str, share: usize, cases: &[Vec<u8>], texts: bool, mut try_one: impl FnMut(&[u8])) {
    let runs = std::env::var("PITH_FUZZ_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(10_000usize);
    let mut random = Random::from_env();
    for _ in 0..runs * share {
        let mut case = cases[random.below(cases.len())].clone();
        let other = &cases[random.below(cases.len())];
        bend(&mut random, &mut case, other, texts);
        if catch_unwind(AssertUnwindSafe(|| try_one(&case))).is_err() {
            panic!("{target}: {}", case.escape_ascii());
        }
    }
}

fn lines(text: &str) -> Vec<Vec<u8>> {
    text.lines().map(|line| line.as_bytes().to_vec()).collect()
}

#[test]
fn json() {
    run("json", 10, &lines(JSON), true, |case| {
        if let Ok(value) = pith_engine::json::parse(case) {
            assert!(pith_engine::json::parse(&value.to_bytes()).is_ok(), "what was written can be read");
        }
    });
}

#[test]
fn searches() {
    let cx = shard();
    let cases = lines(SEARCHES);
    for case in &cases {
        if let Err(error) = search(&cx, case) {
            println!("{error}: {}", case.escape_ascii());
        }
    }
    run("search", 1, &cases, true, |case| drop(search(&cx, case)));
}

/// Everything that a shard and the core that asked it do for a search.
fn search(cx: &ShardContext, body: &[u8]) -> pith_engine::Result<Vec<u8>> {
    let budget = Budget { should_yield: || true, ..Budget::unlimited() };
    let request = Arc::new(SearchRequest::parse(Some(body), &[])?);
    if let Some(suggest) = &request.suggest {
        let mut task = SuggestTask::new(suggest, cx.clone());
        while task.run(&budget)? == Step::Yield {}
        drop(task.finish());
    }
    let mut shard = ShardSearch::new(&request, cx.clone())?;
    while shard.run(&budget)? == Step::Yield {}
    let reduced = reduce(&request, vec![(0, shard.finish()?)], 65_536)?;
    let hits = reduced.hits.iter().map(|(_, hit)| hit.clone()).collect();
    let mut fetch = FetchTask::new(&request, cx.clone(), hits)?;
    while fetch.run(&budget)? == Step::Yield {}
    let shards = ShardsHeader { total: 1, successful: 1, ..ShardsHeader::default() };
    let mut w = pith_engine::json::Writer::new();
    write_response(&request, 0, &shards, &reduced, &fetch.finish().0, &mut w)?;
    Ok(w.finish())
}

const MAPPING: &str = r#"{"properties":{"t":{"type":"text","fielddata":true},"k":{"type":"keyword"},"n":{"type":"long"},"d":{"type":"date"},
    "g":{"type":"geo_point"},"s":{"type":"geo_shape"},"g2":{"type":"double"},"rf":{"type":"rank_feature"},"o":{"type":"nested","properties":{"x":{"type":"integer"}}}}}"#;

fn shard() -> ShardContext {
    let source = pith_engine::json::parse(MAPPING.as_bytes()).unwrap();
    let mapping = Arc::new(Mapping::parse(&source, &Registry::built_in(), &MappingSettings::default()).unwrap());
    let segment = Segment::open("sealed", segment(&mapping).into()).unwrap();
    let views = vec![SegmentView { segment, live: None }];
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

fn segment(mapping: &Arc<Mapping>) -> Vec<u8> {
    let (mut buffer, mut scratch) = (Buffer::new(), DocumentScratch::default());
    for number in 0..40u64 {
        let (id, mut ops) = (number.to_string(), vec![]);
        let word = ["quick", "brown", "fox", "lazy", "dog"][number as usize % 5];
        let source = format!(
            r#"{{"t":"the {word} fox {number}","k":"{word}","n":[{number},{}],"d":"2020-01-{:02}","g":{{"lat":{},"lon":{}}},"s":"POINT({} 1)","g2":{number}.5,"rf":{},"o":[{{"x":{number}}}]}}"#,
            number * 7,
            1 + number % 28,
            number,
            number * 2,
            number,
            number + 1
        );
        mapping.parse_document(source.as_bytes(), &id, &mut scratch, &mut ops).unwrap();
        let source = Some(source.as_bytes());
        let doc = IndexDocument { id: &id, routing: None, source, seq_no: number, version: 1, primary_term: 1, ops };
        buffer.add(mapping, &doc).unwrap();
    }
    block_on_ready(seal(&buffer, "sealed", &Pace::never())).unwrap().0
}

#[test]
fn segments() {
    let cx = shard();
    let bytes = segment(&cx.mapping);
    // Whatever passes the checksums is searched.
    run("segment", 1, &[bytes], false, |case| {
        if let Ok(segment) = Segment::open("sealed", case.to_vec().into()) {
            let views = vec![SegmentView { segment, live: None }];
            let snapshot = Arc::new(Snapshot { segments: views, refresh_seq: 1, ..Snapshot::default() });
            drop(search(&ShardContext { snapshot, ..cx.clone() }, br#"{"query":{"match":{"t":"fox"}},"sort":["n"]}"#));
        }
    });
}

#[test]
fn translogs() {
    let header = TranslogHeader { generation: 5, index_uuid: "u", shard: 0 };
    let mut bytes = header.encode();
    for seq_no in 0..8u64 {
        encode_mark(5, bytes.len() as u64, &mut bytes);
        let operation = match seq_no % 3 {
            0 => Operation::Delete { id: "id" },
            _ => Operation::Index { id: "id", routing: (seq_no % 2 == 0).then_some("r"), source: b"{\"a\":1}" },
        };
        Record { seq_no, primary_term: 1, version: 1, operation }.encode(5, &mut bytes);
    }
    run("translog", 10, &[bytes], false, |case| {
        if let Ok(Some(mut reader)) = TranslogReader::new(case, &header) {
            while reader.next_record().is_ok() {}
        }
    });
}

#[test]
fn commit_points_and_live_documents() {
    let segments = vec![CommittedSegment { name: "_1".into(), file_len: 1_000, max_doc: 40, live: 2 }];
    let commit = CommitPoint {
        generation: 3,
        index_uuid: "u".into(),
        shard: 0,
        primary_term: 1,
        max_seq_no: 41,
        local_checkpoint: 41,
        translog_generation: 2,
        next_segment: 2,
        next_live: 3,
        segments,
    };
    run("commit point", 5, &[commit.encode()], false, |case| drop(CommitPoint::decode("commit", case)));
    let live = LiveDocs::all(1_000).delete(&[7, 999]);
    run("live documents", 5, &[live.encode()], false, |case| drop(LiveDocs::decode("live", case)));
}
