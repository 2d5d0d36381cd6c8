//! The slow twin: an evaluation that looks at every token of every document, against the engine, on random queries over random
//! corpora with deletes, in one segment and in several.
//!
//! A run prints its seed. `PITH_TWIN_SEED=… cargo test -p pith-engine --test twin` repeats it, and `scripts/dev twin 100000`
//! asks so many queries.

use pith_engine::analysis::Registry;
use pith_engine::mapping::{DocumentScratch, Mapping, MappingSettings};
use pith_engine::pace::{Pace, block_on_ready};
use pith_engine::score::norm_to_length;
use pith_engine::search::{Budget, SearchLimits, SearchRequest, ShardContext, ShardSearch, Step};
use pith_engine::segment::{LiveDocs, Segment, SegmentView, Snapshot, encode_length};
use pith_engine::writer::{Buffer, IndexDocument, merge, seal};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// In how many of a thousand documents each word stands.
const RATES: [u64; 10] = [600, 350, 120, 80, 30, 15, 8, 4, 2, 1];
const QUERIES: u64 = 300;

#[test]
fn the_engine_agrees_with_its_slow_twin() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seed = number("PITH_TWIN_SEED").unwrap_or_else(|| RandomState::new().hash_one(0) >> 1);
    let queries = number("PITH_TWIN_QUERIES").unwrap_or(QUERIES);
    println!("PITH_TWIN_SEED={seed} PITH_TWIN_QUERIES={queries}");
    let mut random = Random(seed);
    let (few, some, many) = (queries * 6 / 10, queries * 3 / 10, queries / 10);
    ask(&mut random, few, 40, |random| 1 + random.below(300) as usize, seed);
    ask(&mut random, some, 120, |random| 8_000 + random.below(3_000) as usize, seed);
    ask(&mut random, many, 4_000, |random| 66_000 + random.below(70_000) as usize, seed);
}

/// Asks `queries` queries, `each` of them of the same corpus, of as many documents as `size` says.
fn ask(random: &mut Random, queries: u64, each: u64, size: fn(&mut Random) -> usize, seed: u64) {
    let mut asked = 0;
    while asked < queries {
        let docs = size(random);
        let corpus = Corpus::new(docs, random);
        for _ in 0..each.min(queries - asked) {
            let query = Query::random(random);
            let top = [0, 1, 3, 10, 25][random.below(5) as usize];
            let counted = match random.below(4) {
                0 => Counted::Not,
                1 => Counted::UpTo(1 + random.below(60)),
                _ => Counted::All,
            };
            corpus.compare(&query, top, counted, seed);
            corpus.compare_ways(random, top, counted, seed);
            asked += 1;
        }
    }
}

/// What of the matches is counted.
#[derive(Clone, Copy)]
enum Counted {
    Not,
    /// Until there are more than so many.
    UpTo(u64),
    All,
}

impl Counted {
    fn json(self) -> String {
        match self {
            Self::Not => "false".to_owned(),
            Self::UpTo(limit) => limit.to_string(),
            Self::All => "true".to_owned(),
        }
    }

    /// Whether two counts tell the same.
    fn agree(self, one: u64, other: u64) -> bool {
        match self {
            Self::Not => true,
            Self::UpTo(limit) => one.min(limit + 1) == other.min(limit + 1),
            Self::All => one == other,
        }
    }
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Distinct words.
    fn words(&mut self, count: usize) -> Vec<usize> {
        let mut words: Vec<usize> = (0..RATES.len()).collect();
        for at in 0..count {
            let other = at + self.below((words.len() - at) as u64) as usize;
            words.swap(at, other);
        }
        words.truncate(count);
        words
    }
}

/// A word, or a phrase.
type Clause = Vec<usize>;

#[derive(Debug, Default)]
struct Query {
    must: Vec<Clause>,
    filter: Vec<Clause>,
    should: Vec<Clause>,
    must_not: Vec<Clause>,
    minimum: usize,
    /// Single words that do not score are asked of a field without frequencies.
    plain: bool,
    /// What is optional stands in a boolean of its own, which is required.
    inner: bool,
}

impl Query {
    fn random(random: &mut Random) -> Self {
        let mut query = Self::default();
        let count = 1 + random.below(5) as usize;
        let words = random.words(count.max(2));
        let word = |at: usize| vec![words[at]];
        match random.below(8) {
            0 => query.should = vec![word(0)],
            1 => query.should = (0..count).map(word).collect(),
            2 => query.must = (0..count).map(word).collect(),
            3 => query.must = vec![vec![words[0], words[1]]],
            4 => {
                query.must = vec![word(0)];
                query.should = (1..count).map(word).collect();
            }
            5 => {
                query.must = vec![word(0)];
                query.must_not = (1..count).map(word).collect();
            }
            6 => {
                query.must = vec![vec![words[0], words[1]]];
                query.must.extend((2..count).map(word));
            }
            _ => {
                for at in 0..count {
                    let group = [&mut query.must, &mut query.filter, &mut query.should, &mut query.must_not];
                    let at_group = random.below(4) as usize;
                    group.into_iter().nth(at_group).expect("four groups").push(word(at));
                }
                query.minimum = random.below(query.should.len() as u64 + 1) as usize;
                query.inner = query.must.is_empty() && !query.should.is_empty() && random.below(2) == 0;
                if query.inner {
                    query.minimum = query.minimum.max(1);
                }
                if query.must.is_empty() && query.filter.is_empty() && query.should.is_empty() {
                    query.must = vec![vec![words[0], words[0]]];
                }
            }
        }
        query.plain = random.below(2) == 0;
        query
    }

    fn json(&self) -> String {
        let unscored = |clauses: &[Clause]| {
            let texts = clauses.iter().map(|words| format!(r#"{{"term":{{"k":"w{}"}}}}"#, words[0]));
            texts.collect::<Vec<_>>().join(",")
        };
        let clauses = |clauses: &[Clause]| {
            let texts = clauses.iter().map(|words| {
                let text: Vec<String> = words.iter().map(|word| format!("w{word}")).collect();
                let kind = if words.len() > 1 { "match_phrase" } else { "match" };
                format!(r#"{{"{kind}":{{"t":"{}"}}}}"#, text.join(" "))
            });
            texts.collect::<Vec<_>>().join(",")
        };
        let minimum = match self.minimum {
            0 => String::new(),
            minimum => format!(r#","minimum_should_match":{minimum}"#),
        };
        let (must, should) = (clauses(&self.must), clauses(&self.should));
        let [filter, must_not] = [&self.filter, &self.must_not].map(|without| match self.plain {
            true => unscored(without),
            false => clauses(without),
        });
        let optional = match self.inner {
            true => format!(r#""must":[{{"bool":{{"should":[{should}]{minimum}}}}}]"#),
            false => format!(r#""must":[{must}],"should":[{should}]{minimum}"#),
        };
        format!(r#"{{"bool":{{{optional},"filter":[{filter}],"must_not":[{must_not}]}}}}"#)
    }

    /// The score of a document, if it matches.
    fn score(&self, corpus: &Corpus, doc: &[u8]) -> Option<f32> {
        let freq = |words: &Clause| freq(words, doc);
        let score = |clause: &Clause| f64::from(corpus.score(clause, freq(clause), doc.len()));
        let should = self.should.iter().filter(|clause| freq(clause) > 0).count();
        let minimum = self.minimum.max(usize::from(self.must.is_empty() && self.filter.is_empty()));
        let matches = self.must.iter().chain(&self.filter).all(|clause| freq(clause) > 0)
            && self.must_not.iter().all(|clause| freq(clause) == 0)
            && should >= minimum;
        if !matches {
            return None;
        }
        let sum = |clauses: &[Clause]| clauses.iter().map(score).sum::<f64>();
        // Where all of them have to match, optional clauses are required ones, and are added up with those.
        let all = self.minimum > 0 && self.minimum == self.should.len();
        Some(match all {
            true => (sum(&self.must) + sum(&self.should)) as f32,
            false => sum(&self.must) as f32 + sum(&self.should) as f32,
        })
    }
}

fn freq(words: &Clause, doc: &[u8]) -> u32 {
    let stands =
        |at: usize| words.iter().enumerate().all(|(i, word)| doc.get(at + i).is_some_and(|w| usize::from(*w) == *word));
    (0..doc.len()).filter(|at| stands(*at)).count() as u32
}

struct Corpus {
    cx: ShardContext,
    /// The words of each document, by segment, and whether it is live.
    segments: Vec<Vec<(Vec<u8>, bool)>>,
    doc_freqs: [u64; RATES.len()],
    docs: u64,
    average: f32,
}

impl Corpus {
    fn new(size: usize, random: &mut Random) -> Self {
        let fields = br#"{"_source":{"enabled":false},"properties":{"t":{"type":"text"},"k":{"type":"keyword"}}}"#;
        let source = pith_engine::json::parse(fields);
        let mapping = Mapping::parse(&source.unwrap(), &Registry::built_in(), &MappingSettings::default()).unwrap();
        let mapping = Arc::new(mapping);
        let count = 1 + random.below(3) as usize;
        let merged = random.below(2) == 0;
        let deletes = [0, 0, 3, 20][random.below(4) as usize];
        let docs: Vec<Vec<u8>> = (0..size).map(|_| document(random)).collect();
        let mut views: Vec<SegmentView> =
            docs.chunks(size.div_ceil(count)).enumerate().map(|(at, docs)| segment(&mapping, docs, at)).collect();
        let mut parts: Vec<Vec<Vec<u8>>> = docs.chunks(size.div_ceil(count)).map(<[_]>::to_vec).collect();
        if merged {
            let bytes = block_on_ready(merge("merged", &views, &Pace::never())).unwrap().0;
            views = vec![SegmentView { segment: Segment::open("merged", bytes.into()).unwrap(), live: None }];
            parts = vec![docs.clone()];
        }
        let mut segments = vec![];
        for (view, docs) in views.iter_mut().zip(parts) {
            let dead: Vec<u32> = (0..view.max_doc()).filter(|_| random.below(100) < deletes).collect();
            if !dead.is_empty() {
                view.live = Some(Arc::new(LiveDocs::all(view.max_doc()).delete(&dead)));
            }
            let live = |doc: usize| dead.binary_search(&(doc as u32)).is_err();
            segments.push(docs.into_iter().enumerate().map(|(at, doc)| (doc, live(at))).collect());
        }
        let with_words = || docs.iter().filter(|doc| !doc.is_empty());
        let tokens: usize = docs.iter().map(Vec::len).sum();
        let doc_freqs =
            std::array::from_fn(|word| with_words().filter(|doc| doc.contains(&(word as u8))).count() as u64);
        let cx = ShardContext {
            index: "i".into(),
            index_uuid: "u".into(),
            shard: 0,
            node_id: "n".into(),
            mapping,
            snapshot: Arc::new(Snapshot { segments: views, refresh_seq: 1, ..Snapshot::default() }),
            now_ms: 0,
            limits: SearchLimits::default(),
            profile: None,
            search: None,
            sees_all: false,
        };
        // A document without a token counts for nothing.
        let docs = with_words().count();
        Self { cx, segments, doc_freqs, docs: docs as u64, average: (tokens as f64 / docs as f64) as f32 }
    }

    fn score(&self, words: &Clause, freq: u32, length: usize) -> f32 {
        if freq == 0 {
            return 0.0;
        }
        let idf = |word: &usize| {
            let (n, docs) = (self.doc_freqs[*word] as f64, self.docs as f64);
            f64::from((1.0 + (docs - n + 0.5) / (n + 0.5)).ln() as f32)
        };
        let weight = words.iter().map(idf).sum::<f64>() as f32;
        let length = norm_to_length(encode_length(length as u32)) as f32;
        let inverse = 1.0 / (1.2f32 * ((1.0 - 0.75f32) + 0.75 * length / self.average));
        weight - weight / (1.0 + freq as f32 * inverse)
    }

    /// The total, and the hits: score, segment and document.
    fn search(&self, body: &str) -> (u64, Vec<(f32, u32, u32)>) {
        let request = Arc::new(SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap());
        let mut search = ShardSearch::new(&request, self.cx.clone()).unwrap();
        // Half of them hand the core back wherever they may.
        let should_yield: fn() -> bool = if body.len().is_multiple_of(2) { || true } else { || false };
        let budget = Budget { should_yield, ..Budget::unlimited() };
        while search.run(&budget).unwrap() == Step::Yield {}
        let found = search.finish().unwrap();
        (found.total, found.hits.iter().map(|hit| (hit.score, hit.segment, hit.doc)).collect())
    }

    /// Phrases that stand nearly so or that end in any of many words, either of two rare words, and words that are similar to others, beside a
    /// word or not, evaluated in bulk and by cursors: a filter that all documents with a word pass keeps them from the first.
    fn compare_ways(&self, random: &mut Random, size: usize, counted: Counted, seed: u64) {
        let (words, slop) = (random.words(3), 1 + random.below(6));
        let text = match random.below(3) {
            0 => format!("w{} w{}", words[0], words[1]),
            1 => format!("w{} w{} w{}", words[0], words[1], words[2]),
            _ => format!("w{} w{} w{}", words[0], words[1], words[0]),
        };
        let nearly = format!(r#"{{"match_phrase":{{"t":{{"query":"{text}","slop":{slop}}}}}}}"#);
        let phrase = match random.below(4) {
            0 => format!(r#"{{"match":{{"t":{{"query":"{text}","fuzziness":1}}}}}}"#),
            1 => {
                // Two rare words, one of them without a score: no bulk, and stretches begin anywhere.
                let rare = |random: &mut Random| RATES.len() as u64 - 1 - random.below(3);
                let either = [rare(random), rare(random)];
                let [scored, constant] = either.map(|word| format!("w{word}"));
                format!(r#"{{"bool":{{"should":[{{"match":{{"t":"{scored}"}}}},{{"prefix":{{"k":"{constant}"}}}}]}}}}"#)
            }
            2 => nearly,
            _ => format!(r#"{{"match_phrase_prefix":{{"t":"{text} w"}}}}"#),
        };
        let beside = format!(r#"{{"match":{{"t":"w{}"}}}}"#, words[2]);
        let must = if random.below(2) == 0 { phrase } else { format!("{phrase},{beside}") };
        let end = format!(r#""size":{size},"track_total_hits":{},"_source":false}}"#, counted.json());
        let bulk = format!(r#"{{"query":{{"bool":{{"must":[{must}]}}}},{end}"#);
        let cursors =
            format!(r#"{{"query":{{"bool":{{"must":[{must}],"filter":[{{"exists":{{"field":"k"}}}}]}}}},{end}"#);
        let (found, expected) = (self.search(&bulk), self.search(&cursors));
        let context = format!("PITH_TWIN_SEED={seed}, {} documents, {bulk}", self.docs);
        assert_eq!(found.1, expected.1, "{context}");
        assert!(counted.agree(found.0, expected.0), "{} and {}, {context}", found.0, expected.0);
        for also in ["", r#"{"exists":{"field":"k"}}"#] {
            // What has a least score is gone through one by one.
            let steps = format!(r#"{{"query":{{"bool":{{"must":[{must}],"filter":[{also}]}}}},"min_score":0,{end}"#);
            let found = self.search(&steps);
            assert_eq!(found.1, expected.1, "PITH_TWIN_SEED={seed}, {steps}");
            assert!(counted.agree(found.0, expected.0), "{} and {}, {steps}", found.0, expected.0);
        }
    }

    fn compare(&self, query: &Query, size: usize, counted: Counted, seed: u64) {
        let (query_json, counted_json) = (query.json(), counted.json());
        let body =
            format!(r#"{{"query":{query_json},"size":{size},"track_total_hits":{counted_json},"_source":false}}"#);
        let (total, hits) = self.search(&body);
        let mut expected: Vec<(f32, u32, u32)> = vec![];
        for (segment, docs) in self.segments.iter().enumerate() {
            for (doc, (words, live)) in docs.iter().enumerate() {
                if let Some(score) = query.score(self, words).filter(|_| *live) {
                    expected.push((score, segment as u32, doc as u32));
                }
            }
        }
        let context = format!("PITH_TWIN_SEED={seed}, {} documents, {body}", self.docs);
        assert!(counted.agree(total, expected.len() as u64), "{total} and {}, {context}", expected.len());
        expected.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        expected.truncate(size);
        assert_eq!(hits, expected, "{context}");
    }
}

fn document(random: &mut Random) -> Vec<u8> {
    let mut words = vec![];
    for (word, rate) in RATES.iter().enumerate() {
        if random.below(1000) < *rate {
            let times = if random.below(4) == 0 { 1 + random.below(5) } else { 1 };
            (0..times).for_each(|_| words.push(word as u8));
        }
    }
    for at in (1..words.len()).rev() {
        words.swap(at, random.below(at as u64 + 1) as usize);
    }
    words
}

fn segment(mapping: &Arc<Mapping>, docs: &[Vec<u8>], at: usize) -> SegmentView {
    let (mut buffer, mut scratch) = (Buffer::new(), DocumentScratch::default());
    for (number, doc) in docs.iter().enumerate() {
        let words: Vec<String> = doc.iter().map(|word| format!("w{word}")).collect();
        let (id, mut ops) = (format!("{at}-{number}"), vec![]);
        let source = format!(r#"{{"t":"{}","k":{words:?}}}"#, words.join(" "));
        mapping.parse_document(source.as_bytes(), &id, &mut scratch, &mut ops).unwrap();
        let doc = IndexDocument { id: &id, routing: None, source: None, seq_no: 0, version: 1, primary_term: 1, ops };
        buffer.add(mapping, &doc).unwrap();
    }
    let (bytes, _) = block_on_ready(seal(&buffer, "sealed", &Pace::never())).unwrap();
    SegmentView { segment: Segment::open("sealed", bytes.into()).unwrap(), live: None }
}
