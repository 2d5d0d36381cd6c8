//! What is found does not depend on how documents are spread over segments: the same searches over the same documents, all in one
//! segment, in a few, and in many small ones, have the same answers to the letter.

use super::request::SearchRequest;
use super::shard_search::ShardScope;
use super::tests::{search, search_dividing, shard};
use crate::query::ShardContext;
use std::hash::{BuildHasher, RandomState};

const MAPPING: &str = r#"{"properties":{"t":{"type":"text","fields":{"p":{"type":"text","index_prefixes":{}},"s":{"type":"search_as_you_type"}}},
    "k":{"type":"keyword"},"w":{"type":"wildcard"},"n":{"type":"long"},"i":{"type":"integer","doc_values":false},"d":{"type":"date"},"c":{"type":"integer"},
    "r":{"type":"rank_feature"},"o":{"type":"nested","properties":{"k":{"type":"keyword"},"n":{"type":"long"}}}}}"#;

/// Searches of one run over each set of documents.
const SEARCHES: usize = 250;

/// splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Short words of few letters, many of them an edit or a prefix away from each other.
    fn word(&mut self) -> String {
        let length = self.of(&[1, 1, 2, 2, 3, 3, 4, 5, 7]);
        (0..length).map(|_| self.of(&['a', 'a', 'b', 'c', 'é'])).collect()
    }

    fn words(&mut self, most: usize) -> String {
        let words: Vec<String> = (0..1 + self.below(most)).map(|_| self.word()).collect();
        words.join(" ")
    }

    fn document(&mut self) -> String {
        let mut parts = vec![];
        let text = if self.below(12) == 0 { String::new() } else { self.words(9) };
        parts.push(format!(r#""t":"{text}""#));
        if self.below(5) > 0 {
            parts.push(format!(r#""k":["{}","{}"]"#, self.word(), self.word()));
        }
        parts.push(format!(r#""w":"{}""#, self.words(3)));
        if self.below(6) > 0 {
            parts.push(format!(r#""n":[{},{}]"#, self.below(40), self.below(300)));
        }
        parts.push(format!(
            r#""i":{},"c":{},"d":{},"r":{}"#,
            self.below(30),
            self.below(20),
            1_600_000_000_000 + self.below(90) * 40_000_000,
            1 + self.below(9)
        ));
        let nested: Vec<String> =
            (0..self.below(3)).map(|_| format!(r#"{{"k":"{}","n":{}}}"#, self.word(), self.below(9))).collect();
        parts.push(format!(r#""o":[{}]"#, nested.join(",")));
        format!("{{{}}}", parts.join(","))
    }

    fn query(&mut self, depth: usize) -> String {
        let (word, text, n) = (self.word(), self.words(4), self.below(40));
        let field = self.of(&["t", "k", "t.p", "w"]);
        let edits = self.of(&["0", "1", "2", r#""AUTO""#]);
        let prefix = self.below(2);
        let bound = self.of(&["gt", "gte", "lt", "lte"]);
        if depth > 0 && self.below(3) == 0 {
            let mut inner = || self.query(depth - 1);
            let (a, b, c) = (inner(), inner(), inner());
            return match self.below(7) {
                0 => format!(r#"{{"bool":{{"must":[{a}],"should":[{b},{c}]}}}}"#),
                1 => format!(r#"{{"bool":{{"filter":[{a}],"must_not":[{b}],"should":[{c}]}}}}"#),
                2 => format!(r#"{{"bool":{{"should":[{a},{b},{c}],"minimum_should_match":2}}}}"#),
                3 => format!(r#"{{"dis_max":{{"queries":[{a},{b}],"tie_breaker":0.3}}}}"#),
                4 => format!(r#"{{"boosting":{{"positive":{a},"negative":{b},"negative_boost":0.4}}}}"#),
                5 => format!(r#"{{"constant_score":{{"filter":{a},"boost":1.5}}}}"#),
                _ => format!(
                    r#"{{"function_score":{{"query":{a},"functions":[{{"filter":{b},"weight":3}},{{"field_value_factor":{{"field":"n","missing":1}}}}],"score_mode":"max"}}}}"#
                ),
            };
        }
        match self.below(24) {
            0 => format!(r#"{{"match":{{"t":"{text}"}}}}"#),
            1 | 2 => {
                format!(r#"{{"match":{{"t":{{"query":"{text}","fuzziness":{edits},"prefix_length":{prefix}}}}}}}"#)
            }
            3 => format!(
                r#"{{"fuzzy":{{"{field}":{{"value":"{word}","fuzziness":{edits},"prefix_length":{prefix}}}}}}}"#
            ),
            4 => format!(r#"{{"prefix":{{"{field}":{{"value":"{word}","case_insensitive":{}}}}}}}"#, prefix == 0),
            5 => format!(r#"{{"wildcard":{{"{field}":"{word}*a?"}}}}"#),
            6 => format!(r#"{{"regexp":{{"{field}":"{word}(a|b)*c?"}}}}"#),
            7 => format!(r#"{{"range":{{"k":{{"{bound}":"{word}"}}}}}}"#),
            8 => format!(r#"{{"range":{{"n":{{"{bound}":{n}}}}}}}"#),
            9 => format!(r#"{{"range":{{"i":{{"{bound}":{n}}}}}}}"#),
            10 => format!(r#"{{"terms":{{"k":["{word}","{}","{}"]}}}}"#, self.word(), self.word()),
            11 => format!(r#"{{"match_phrase":{{"t":{{"query":"{text}","slop":{}}}}}}}"#, self.below(4)),
            12 => format!(
                r#"{{"match_phrase_prefix":{{"{}":{{"query":"{text}","max_expansions":9999}}}}}}"#,
                self.of(&["t", "t.p"])
            ),
            13 => format!(r#"{{"match_bool_prefix":{{"{}":"{text}"}}}}"#, self.of(&["t", "t.s"])),
            14 => format!(
                r#"{{"span_near":{{"clauses":[{{"span_multi":{{"match":{{"prefix":{{"t":"{word}"}}}}}}}},{{"span_term":{{"t":"a"}}}}],"slop":2}}}}"#
            ),
            15 => format!(
                r#"{{"intervals":{{"t":{{"all_of":{{"intervals":[{{"fuzzy":{{"term":"{word}"}}}},{{"match":{{"query":"a"}}}}],"max_gaps":3}}}}}}}}"#
            ),
            16 => format!(
                r#"{{"query_string":{{"query":"{word}~ OR (t:{word}* AND NOT k:b) OR n:>{n}","default_field":"t"}}}}"#
            ),
            17 => format!(
                r#"{{"multi_match":{{"query":"{text}","fields":["t","k","t.p^2"],"type":"{}"}}}}"#,
                self.of(&["cross_fields", "best_fields", "most_fields"])
            ),
            18 => format!(r#"{{"exists":{{"field":"{}"}}}}"#, self.of(&["k", "n", "o", "r"])),
            19 => format!(
                r#"{{"more_like_this":{{"fields":["t","k"],"like":"{text} {word}","min_term_freq":1,"min_doc_freq":2}}}}"#
            ),
            20 => r#"{"rank_feature":{"field":"r","log":{"scaling_factor":2}}}"#.to_owned(),
            21 => format!(
                r#"{{"nested":{{"path":"o","query":{{"bool":{{"must":[{{"prefix":{{"o.k":"{word}"}}}}],"should":[{{"range":{{"o.n":{{"{bound}":4}}}}}}]}}}},"score_mode":"sum"}}}}"#
            ),
            22 => format!(r#"{{"combined_fields":{{"query":"{text}","fields":["t","t.p"]}}}}"#),
            _ => format!(
                r#"{{"distance_feature":{{"field":"d","origin":{},"pivot":"3d"}}}}"#,
                1_600_000_000_000u64 + n as u64 * 80_000_000
            ),
        }
    }

    fn aggregation(&mut self, depth: usize) -> String {
        let below = match depth {
            0 => String::new(),
            _ => format!(r#","aggs":{{"z":{}}}"#, self.aggregation(depth - 1)),
        };
        match self.below(13) {
            0 => format!(r#"{{"terms":{{"field":"k","size":7}}{below}}}"#),
            1 => format!(r#"{{"terms":{{"field":"n","size":9,"order":{{"_key":"desc"}}}}{below}}}"#),
            2 => format!(r#"{{"histogram":{{"field":"n","interval":7,"min_doc_count":1}}{below}}}"#),
            3 => format!(r#"{{"date_histogram":{{"field":"d","calendar_interval":"week"}}{below}}}"#),
            4 => format!(
                r#"{{"range":{{"field":"n","ranges":[{{"to":9}},{{"from":5,"to":80}},{{"from":80}}]}}{below}}}"#
            ),
            5 => format!(r#"{{"filters":{{"filters":[{},{}]}}{below}}}"#, self.query(0), self.query(0)),
            6 => format!(r#"{{"missing":{{"field":"k"}}{below}}}"#),
            7 => format!(
                r#"{{"composite":{{"size":12,"sources":[{{"a":{{"terms":{{"field":"k"}}}}}},{{"b":{{"histogram":{{"field":"n","interval":50}}}}}}]}}{below}}}"#
            ),
            8 => r#"{"cardinality":{"field":"k"}}"#.to_owned(),
            9 => r#"{"stats":{"field":"n"}}"#.to_owned(),
            10 => r#"{"value_count":{"field":"k"}}"#.to_owned(),
            11 => r#"{"top_hits":{"size":2,"sort":[{"n":"desc"}],"_source":false}}"#.to_owned(),
            _ => r#"{"nested":{"path":"o"},"aggs":{"y":{"terms":{"field":"o.k","size":4}}}}"#.to_owned(),
        }
    }

    fn body(&mut self) -> String {
        let mut parts =
            vec![format!(r#""query":{},"size":{},"_source":false"#, self.query(2), self.of(&[0, 3, 10, 40]))];
        let sort = match self.below(6) {
            0 => r#"[{"n":{"order":"asc","mode":"max","missing":"_first"}}]"#,
            1 => r#"[{"k":"desc"},"_doc"]"#,
            2 => r#"["_score",{"d":"asc"}]"#,
            3 => r#"[{"o.n":{"order":"desc","nested":{"path":"o"}}}]"#,
            _ => "",
        };
        if !sort.is_empty() {
            parts.push(format!(r#""sort":{sort}"#));
        }
        parts.push(format!(r#""track_total_hits":{}"#, self.of(&["true", "true", "7"])));
        match self.below(9) {
            0 => parts.push(r#""collapse":{"field":"c"}"#.to_owned()),
            1 => parts.push(format!(r#""post_filter":{}"#, self.query(0))),
            2 => parts.push(r#""min_score":0.7"#.to_owned()),
            3 => parts.push(format!(r#""rescore":{{"query":{{"rescore_query":{}}}}}"#, self.query(0))),
            4..=6 => parts.push(format!(r#""aggs":{{"x":{}}}"#, self.aggregation(2))),
            _ => {}
        }
        format!("{{{}}}", parts.join(","))
    }
}

fn spread(docs: &[String], each: usize) -> ShardContext {
    let texts: Vec<&str> = docs.iter().map(String::as_str).collect();
    shard(MAPPING, &texts.chunks(each).collect::<Vec<_>>())
}

#[test]
fn answers_do_not_depend_on_segments() {
    // What a fresh seed finds is found again by writing it here.
    let fresh = RandomState::new().hash_one(0) >> 1;
    println!("seed {fresh}");
    for (seed, size) in [(7, 90), (fresh, 60)] {
        let mut random = Random(seed);
        let docs: Vec<String> = (0..size).map(|_| random.document()).collect();
        let whole = spread(&docs, size);
        let others = [spread(&docs, 25), spread(&docs, 4)];
        for _ in 0..SEARCHES {
            let body = random.body();
            let expected = search(&whole, &body);
            for (other, each) in others.iter().zip([25, 4]) {
                assert_eq!(search(other, &body), expected, "seed {seed}, segments of {each}: {body}");
            }
        }
    }
}

/// The answer of a search that is divided now and then, and how often it was.
fn in_parts(cx: &ShardContext, body: &str, random: &mut Random) -> (String, usize) {
    let mut divided = 0;
    let mut divide = |search: &mut super::ShardSearch| {
        let part = if random.below(2) == 0 { search.divide(2) } else { None };
        divided += usize::from(part.is_some());
        part
    };
    let request = SearchRequest::parse(Some(body.as_bytes()), &[]);
    (search_dividing(cx, request, &ShardScope::default(), &mut divide), divided)
}

#[test]
fn answers_do_not_depend_on_parts() {
    let fresh = RandomState::new().hash_one(0) >> 1;
    println!("seed {fresh}");
    for seed in [7, fresh] {
        let mut random = Random(seed);
        let docs: Vec<String> = (0..60).map(|_| random.document()).collect();
        let mut divided = 0;
        for cx in [spread(&docs, 11), spread(&docs, 3)] {
            for _ in 0..SEARCHES {
                let body = random.body();
                let (found, times) = in_parts(&cx, &body, &mut random);
                assert_eq!(found, search(&cx, &body), "seed {seed}: {body}");
                divided += times;
            }
        }
        assert!(divided > SEARCHES / 4, "{divided}");
    }
}

/// Three windows and more, where parts begin and end within a segment.
#[test]
fn answers_do_not_depend_on_parts_of_segments() {
    let fresh = RandomState::new().hash_one(0) >> 1;
    println!("seed {fresh}");
    let mut random = Random(fresh);
    let few: Vec<(String, String)> = (0..50)
        .map(|_| {
            let (text, k, n, c) = (random.words(3), random.word(), random.below(40), random.below(20));
            (text.clone(), format!(r#"{{"t":"{text}","k":"{k}","n":{n},"c":{c}}}"#))
        })
        .collect();
    let docs: Vec<&str> = (0..200_000).map(|_| few[random.below(few.len())].1.as_str()).collect();
    let mapping = r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword"},"w":{"type":"wildcard"},"n":{"type":"long"},
        "i":{"type":"integer"},"d":{"type":"date"},"c":{"type":"integer"},"r":{"type":"rank_feature"},"o":{"type":"nested"}}}"#;
    let cx = shard(mapping, &[&docs]);
    let mut divided = 0;
    for _ in 0..100 {
        // Half of them are for words that many documents have.
        let text = &few[random.below(few.len())].0;
        let body = match random.below(4) {
            0 => format!(r#"{{"query":{{"match":{{"t":"{text}"}}}},"aggs":{{"x":{}}}}}"#, random.aggregation(1)),
            1 => {
                let counted = random.of(&["true", "7", "false"]);
                let kind = random.of(&["match", "match_phrase", "match_bool_prefix"]);
                format!(
                    r#"{{"query":{{"{kind}":{{"t":"{text}"}}}},"track_total_hits":{counted},"size":{}}}"#,
                    random.of(&[0, 5, 70])
                )
            }
            _ => random.body(),
        };
        let (found, times) = in_parts(&cx, &body, &mut random);
        assert_eq!(found, search(&cx, &body), "seed {fresh}: {body}");
        divided += times;
    }
    assert!(divided > 10, "{divided}");
}
