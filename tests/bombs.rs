//! Requests that ask for more than a node can do: each ends with an answer of its own, in bounded time and memory, while another
//! client is served as before.

#[path = "bombs/heavy.rs"]
mod heavy;
mod support;

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::pulse::{Pulse, peak_mib, typical_p99};
use support::{Client, Node, TempDir};

/// No bomb may take longer than this, on a machine that builds other things at the same time.
const BOMB_MAX: Duration = Duration::from_secs(60);

/// What the node's memory may grow to, in MiB.
const MEMORY_MAX_MIB: u64 = 2_048;

/// Below this another client has nothing to complain of, however calm it was before: the machine's own scheduler is coarser.
const LATENCY_FLOOR: Duration = Duration::from_millis(25);

const SEARCH: &str = "/b/_search";
const SIMULATE: &str = "/_ingest/pipeline/_simulate";

#[test]
#[ignore = "takes minutes without optimisation: scripts/dev bombs runs it"]
fn bombs_cost_nobody_else_anything() {
    let folder = TempDir::new("bombs");
    let mut node = Node::start(folder.path(), &["--cores", "2", "-E", "script.max_compilations_rate=100000/1m"]);
    fill(&node);
    let pulse = Pulse::start(&node);
    std::thread::sleep(Duration::from_secs(2));
    let calm = pulse.take();
    let (mut slowest, mut wrong) = (vec![], vec![]);
    for bomb in bombs() {
        match bomb.set_off(&node) {
            Ok(took) => slowest.push((took, bomb.name)),
            Err(what) => wrong.push(what),
        }
        assert!(node.is_running(), "the node ended: {wrong:?}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let storm = pulse.take();
    pulse.stop();
    slowest.sort_by(|a, b| b.cmp(a));
    eprintln!("slowest: {:?}", &slowest[..5]);
    let (calm, storm) = (typical_p99(&calm), typical_p99(&storm));
    eprintln!("another client's p99: calm {calm:?}, beside bombs {storm:?}; memory {} MiB", peak_mib(&node));
    assert!(node.is_running());
    assert!(
        storm <= (2 * calm).max(LATENCY_FLOOR),
        "calm {calm:?}, beside bombs {storm:?}; slowest {:?}",
        &slowest[..5]
    );
    assert!(peak_mib(&node) <= MEMORY_MAX_MIB, "{} MiB", peak_mib(&node));
    let count = node.request("GET", "/b/_count", b"").json();
    assert_eq!(count["count"], DOCS, "nothing is lost");
    let log = std::fs::read_to_string(folder.path().join("node.log")).unwrap();
    assert!(!log.contains("panicked"), "{log}");
}

const DOCS: u64 = 2_000;

fn fill(node: &Node) {
    let mappings = json!({"mappings": {"properties": {
        "t": {"type": "text", "fielddata": true}, "k": {"type": "keyword"}, "n": {"type": "long"}, "d": {"type": "date"},
        "g": {"type": "geo_point"}, "s": {"type": "geo_shape"}, "o": {"type": "nested"}
    }}, "settings": {"number_of_shards": 2}});
    assert_eq!(node.request("PUT", "/b", mappings.to_string().as_bytes()).status, 200);
    assert_eq!(node.request("PUT", "/calm/_doc/1?refresh=true", b"{\"a\":\"1\"}").status, 201);
    let mut lines = String::new();
    for n in 0..DOCS {
        let long = "a".repeat(50);
        lines += &format!("{{\"index\":{{\"_id\":\"{n}\"}}}}\n");
        let doc = json!({
            "t": format!("word{} common beta {long}", n % 97), "k": format!("key{n}"), "n": n, "d": n * 86_400_000,
            "g": {"lat": (n % 170) as f64 - 85.0, "lon": (n % 350) as f64 - 175.0}, "o": [{"x": n}]
        });
        lines += &format!("{doc}\n");
    }
    let answer = node.request("POST", "/b/_bulk?refresh=true", lines.as_bytes()).json();
    assert_eq!(answer["errors"], false);
}

/// A request, and what its answer may be.
struct Bomb {
    name: String,
    method: &'static str,
    path: &'static str,
    body: Vec<u8>,
    status: &'static [u16],
}

impl Bomb {
    /// How long it took, or what is wrong with its answer.
    fn set_off(&self, node: &Node) -> Result<Duration, String> {
        let began = Instant::now();
        let told = |what: String| format!("{} {}: {what}", self.path, self.name);
        let mut client = Client::connect(node.addr).map_err(|error| told(error.to_string()))?;
        client.set_read_timeout(BOMB_MAX).map_err(|error| told(error.to_string()))?;
        let answer = client.request(self.method, self.path, &self.body);
        let answer = answer.map_err(|error| told(format!("{error} after {:?}", began.elapsed())))?;
        let text = String::from_utf8_lossy(&answer.body[..answer.body.len().min(600)]).into_owned();
        let is_told = answer.status < 400 || (text.contains("\"type\":\"") && text.contains("\"reason\":\""));
        match self.status.contains(&answer.status) && is_told {
            true => Ok(began.elapsed()),
            false => Err(told(format!("{} {text}", answer.status))),
        }
    }
}

/// Refused as the client's mistake.
const REFUSED: &[u16] = &[400];
/// Refused, or too much for the node's limits.
const LIMITED: &[u16] = &[400, 413, 429, 503];
/// An answer, or a refusal: what counts is that it comes.
const BOUNDED: &[u16] = &[200, 400, 413, 429, 503];

fn bomb(name: &str, method: &'static str, path: &'static str, body: impl AsRef<[u8]>, status: &'static [u16]) -> Bomb {
    Bomb { name: name.to_owned(), method, path, body: body.as_ref().to_vec(), status }
}

fn query(name: &str, query: Value, status: &'static [u16]) -> Bomb {
    bomb(name, "POST", SEARCH, json!({"query": query}).to_string(), status)
}

fn agg(name: &str, agg: Value, status: &'static [u16]) -> Bomb {
    bomb(name, "POST", SEARCH, json!({"size": 0, "aggs": {"x": agg}}).to_string(), status)
}

fn script(source: &str, status: &'static [u16]) -> Bomb {
    query(&format!("script {source}"), json!({"script": {"script": {"source": source}}}), status)
}

fn process(name: &str, processors: Value, doc: Value, status: &'static [u16]) -> Bomb {
    let body = json!({"pipeline": {"processors": processors}, "docs": [{"_source": doc}]});
    bomb(name, "POST", SIMULATE, body.to_string(), status)
}

fn nested(open: &str, middle: &str, close: &str, depth: usize) -> String {
    open.repeat(depth) + middle + &close.repeat(depth)
}

fn bombs() -> Vec<Bomb> {
    [depths(), crowds(), patterns(), analyses(), aggregations(), endless_scripts(), growing_scripts(), pipelines()]
        .into_iter()
        .flatten()
        .chain(heavy::heavy())
        .collect()
}

/// Things in things.
fn depths() -> Vec<Bomb> {
    const MILLION: usize = 1_000_000;
    let json_paths = [
        ("POST", SEARCH),
        ("POST", "/b/_count"),
        ("PUT", "/b/_mapping"),
        ("PUT", "/deep"),
        ("POST", "/_analyze"),
        ("POST", "/_mget"),
        ("PUT", "/_scripts/deep"),
        ("PUT", "/_ingest/pipeline/deep"),
        ("POST", "/_aliases"),
        ("POST", "/b/_update/1"),
        ("PUT", "/b/_doc/deep"),
        ("PUT", "/_cluster/settings"),
        ("POST", "/_render/template"),
        ("POST", "/_reindex"),
    ];
    let mut all: Vec<Bomb> = json_paths
        .map(|(method, path)| {
            bomb(&format!("a million objects, {path}"), method, path, nested("{\"a\":", "1", "}", MILLION), REFUSED)
        })
        .into();
    for depth in [190, 1_000] {
        let rule = nested(
            "{\"all_of\":{\"filter\":{\"containing\":",
            "{\"match\":{\"query\":\"common\"}}",
            "},\"intervals\":[{\"match\":{\"query\":\"common\"}}]}}",
            depth,
        );
        let intervals = format!("{{\"query\":{{\"intervals\":{{\"t\":{rule}}}}}}}");
        all.push(bomb("intervals in filters", "POST", SEARCH, intervals, BOUNDED));
    }
    for depth in [1_000, 100_000] {
        let boolean = nested("{\"bool\":{\"must\":", "{\"match_all\":{}}", "}}", depth);
        all.push(bomb("nested bools", "POST", SEARCH, format!("{{\"query\":{boolean}}}"), BOUNDED));
        let aggs = nested(
            "{\"a\":{\"filter\":{\"match_all\":{}},\"aggs\":",
            "{\"m\":{\"max\":{\"field\":\"n\"}}}",
            "}}",
            depth,
        );
        all.push(bomb("nested aggregations", "POST", SEARCH, format!("{{\"size\":0,\"aggs\":{aggs}}}"), REFUSED));
        let parentheses = nested("(", "a", ")", depth);
        all.push(query("query_string", json!({"query_string": {"query": parentheses}}), REFUSED));
        all.push(query("query_string NOT", json!({"query_string": {"query": "NOT ".repeat(depth) + "a"}}), BOUNDED));
        all.push(query("simple_query_string", json!({"simple_query_string": {"query": parentheses}}), REFUSED));
        all.push(query("open parentheses", json!({"simple_query_string": {"query": "(".repeat(depth)}}), BOUNDED));
        all.push(query("regexp", json!({"regexp": {"k": parentheses}}), REFUSED));
        all.push(script(&parentheses.replace('a', "true"), REFUSED));
        all.push(script(&("!".repeat(depth) + "true"), REFUSED));
        all.push(script(&("1+".repeat(depth) + "1 > 0"), BOUNDED));
        all.push(bomb(
            "template",
            "POST",
            "/_render/template",
            json!({"source": nested("{{#a}}", "x", "{{/a}}", depth)}).to_string(),
            REFUSED,
        ));
    }
    all
}

/// Much of the same.
fn crowds() -> Vec<Bomb> {
    let terms = |n: usize| (0..n).map(|i| json!({"term": {"k": i.to_string()}})).collect::<Vec<_>>();
    let words = |n: usize| (0..n).map(|i| format!("w{i}")).collect::<Vec<_>>();
    vec![
        query("clauses", json!({"bool": {"should": terms(300_000)}}), REFUSED),
        query("dis_max", json!({"dis_max": {"queries": terms(300_000)}}), REFUSED),
        query(
            "clauses within clauses",
            json!({"bool": {"must": (0..400).map(|n| json!({"bool": {"should": terms(40 + n)}})).collect::<Vec<_>>()}}),
            REFUSED,
        ),
        query("terms", json!({"terms": {"k": words(1_000_000)}}), REFUSED),
        query("ids", json!({"ids": {"values": words(300_000)}}), BOUNDED),
        query("match", json!({"match": {"t": words(300_000).join(" ")}}), REFUSED),
        query("phrase", json!({"match_phrase": {"t": words(100_000).join(" ")}}), REFUSED),
        query("phrase of one word", json!({"match_phrase": {"t": "common ".repeat(500_000)}}), REFUSED),
        query("query string", json!({"query_string": {"query": words(100_000).join(" ")}}), REFUSED),
        query("simple query string", json!({"simple_query_string": {"query": "a|".repeat(300_000)}}), REFUSED),
        agg("filters", json!({"filters": {"filters": terms(300_000)}}), LIMITED),
        agg(
            "ranges",
            json!({"range": {"field": "n", "ranges": (0..300_000).map(|i| json!({"from": i})).collect::<Vec<_>>()}}),
            LIMITED,
        ),
        bomb(
            "template of nothing",
            "POST",
            "/_render/template",
            json!({"source": nested("{{#a}}", "", "{{/a}}", 30), "params": {"a": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}}).to_string(),
            REFUSED,
        ),
        bomb(
            "template of much",
            "POST",
            "/_render/template",
            json!({"source": nested("{{#a}}", "xxxxxxxxxx", "{{/a}}", 30), "params": {"a": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}}).to_string(),
            REFUSED,
        ),
    ]
}

/// Expressions over texts.
fn patterns() -> Vec<Bomb> {
    let text = "a".repeat(5_000);
    let mut all = vec![];
    for pattern in
        ["(a*)*b", "(a|aa)+$", "(x+x+)+y", ".*a.{30}", "(.*a){25}", "((a{0,100}){0,100}){0,100}", ".*.*.*.*.*.*.*.*=.*"]
    {
        for field in ["k", "t"] {
            all.push(query(
                pattern,
                json!({"regexp": {field: {"value": pattern, "max_determinized_states": 2_000_000_000}}}),
                BOUNDED,
            ));
        }
        all.push(agg(pattern, json!({"terms": {"field": "k", "include": pattern}}), BOUNDED));
        let escaped = pattern.replace('/', "\\/");
        all.push(script(&format!("return /{escaped}/.matcher('{text}').find()"), BOUNDED));
        all.push(process(
            pattern,
            json!([{"gsub": {"field": "a", "pattern": pattern, "replacement": "b"}}]),
            json!({"a": text}),
            BOUNDED,
        ));
        all.push(process(
            pattern,
            json!([{"grok": {"field": "a", "patterns": [format!("(?<x>{pattern})$")]}}]),
            json!({"a": format!("{text}!")}),
            BOUNDED,
        ));
        all.push(process(
            pattern,
            json!([{"split": {"field": "a", "separator": pattern}}]),
            json!({"a": text}),
            BOUNDED,
        ));
        for part in [
            json!({"tokenizer": {"type": "pattern", "pattern": pattern}}),
            json!({"tokenizer": "keyword", "char_filter": [{"type": "pattern_replace", "pattern": pattern, "replacement": "$0$0"}]}),
            json!({"tokenizer": "keyword", "filter": [{"type": "pattern_capture", "patterns": [pattern]}]}),
        ] {
            let mut body = part;
            body["text"] = text.clone().into();
            all.push(bomb(pattern, "POST", "/_analyze", body.to_string(), &[200, 400, 500]));
        }
    }
    for pattern in ["*a".repeat(30), "*a*a*a*a*".into(), "?".repeat(1_000), "*a".repeat(100_000)] {
        all.push(query("wildcard", json!({"wildcard": {"k": pattern}}), BOUNDED));
        all.push(query("wildcard", json!({"wildcard": {"t": pattern}}), BOUNDED));
        all.push(bomb("source filter", "POST", SEARCH, json!({"_source": [pattern]}).to_string(), BOUNDED));
    }
    for length in [1_000, 100_000] {
        let long = "a".repeat(length);
        all.push(query(
            "fuzzy",
            json!({"fuzzy": {"t": {"value": long, "fuzziness": 2, "max_expansions": i32::MAX}}}),
            BOUNDED,
        ));
    }
    all
}

/// Parts of an analysis that each make more of what the one before made.
fn analyses() -> Vec<Bomb> {
    let analysis = |name: &str, body: Value| bomb(name, "POST", "/_analyze", body.to_string(), &[200, 400, 500]);
    let words = (0..20_000).map(|n| format!("w{n}")).collect::<Vec<_>>().join(", ");
    let rules = json!(["a => a b a b", "b => b a b a"]);
    let ten = |kind: &str| json!({"type": kind, "pattern": "a", "replacement": "aaaaaaaaaa"});
    let mapping = json!({"type": "mapping", "mappings": ["a => aaaaaaaaaa"]});
    vec![
        analysis(
            "a multiplexer of ten thousand",
            json!({"tokenizer": "whitespace", "filter": [{"type": "multiplexer", "filters": vec!["lowercase"; 10_000]}], "text": "a ".repeat(5_000)}),
        ),
        analysis(
            "every stage explained",
            json!({"tokenizer": "whitespace", "filter": vec!["lowercase"; 1_000], "text": "a ".repeat(5_000), "explain": true}),
        ),
        analysis(
            "tokens that double",
            json!({"tokenizer": "keyword", "filter": vec!["keyword_repeat"; 40], "text": "a"}),
        ),
        analysis(
            "synonyms of synonyms",
            json!({"tokenizer": "whitespace", "filter": vec![json!({"type": "synonym", "synonyms": rules}); 20], "text": "a"}),
        ),
        analysis(
            "synonyms of many words",
            json!({"tokenizer": "whitespace", "filter": [{"type": "synonym", "synonyms": [words]}], "text": "a"}),
        ),
        analysis("texts that grow", json!({"tokenizer": "keyword", "char_filter": vec![mapping; 40], "text": "a"})),
        analysis(
            "texts that are replaced",
            json!({"tokenizer": "keyword", "char_filter": vec![ten("pattern_replace"); 40], "text": "a"}),
        ),
        analysis(
            "tokens that grow",
            json!({"tokenizer": "keyword", "filter": vec![ten("pattern_replace"); 40], "text": "a"}),
        ),
        analysis(
            "hashes",
            json!({"tokenizer": "keyword", "filter": [{"type": "min_hash", "hash_count": i32::MAX,
                "bucket_count": i32::MAX, "hash_set_size": i32::MAX}], "text": "a"}),
        ),
    ]
}

fn aggregations() -> Vec<Bomb> {
    let a_year = 31_536_000_000i64;
    let mut all = vec![
        agg(
            "1 ms over 1,000 years",
            json!({"date_histogram": {"field": "d", "fixed_interval": "1ms", "min_doc_count": 0,
            "extended_bounds": {"min": 0, "max": 1_000 * a_year}}}),
            LIMITED,
        ),
        agg("1 ms over what is there", json!({"date_histogram": {"field": "d", "fixed_interval": "1ms"}}), LIMITED),
        agg(
            "bounds beyond time",
            json!({"date_histogram": {"field": "d", "calendar_interval": "month", "min_doc_count": 0,
            "time_zone": "Europe/Berlin", "extended_bounds": {"min": i64::MIN / 2, "max": i64::MAX / 2}}}),
            LIMITED,
        ),
        agg("terms of 2^31-1", json!({"terms": {"field": "k", "size": i32::MAX, "shard_size": i32::MAX}}), BOUNDED),
        agg("terms of 2^31", json!({"terms": {"field": "k", "size": 1i64 << 31}}), REFUSED),
        agg(
            "composite",
            json!({"composite": {"size": i32::MAX, "sources": [{"a": {"terms": {"field": "k"}}}]}}),
            LIMITED,
        ),
        agg("top hits", json!({"top_hits": {"size": i32::MAX}}), REFUSED),
        agg(
            "multi_terms",
            json!({"multi_terms": {"terms": [{"field": "k"}, {"field": "n"}], "size": i32::MAX, "min_doc_count": 0}}),
            BOUNDED,
        ),
        agg("grid", json!({"geotile_grid": {"field": "g", "precision": 29, "size": i32::MAX}}), BOUNDED),
        agg(
            "moving function",
            json!({"histogram": {"field": "n", "interval": 1}, "aggs": {"m": {"max": {"field": "n"}},
            "f": {"moving_fn": {"buckets_path": "m", "window": i32::MAX, "script": "MovingFunctions.max(values)"}}}}),
            BOUNDED,
        ),
        agg("combinations", json!({"multi_terms": {"terms": vec![json!({"field": "t"}); 60]}}), LIMITED),
        agg(
            "combinations by a script",
            json!({"composite": {"sources": (0..20).map(|n| json!({format!("s{n}"):
                {"terms": {"script": {"source": "[1,2,3,4,5,6,7,8,9]"}}}})).collect::<Vec<_>>()}}),
            LIMITED,
        ),
        bomb("result window", "POST", SEARCH, json!({"from": i32::MAX, "size": i32::MAX}).to_string(), REFUSED),
    ];
    for interval in [1e-300, 5e-324, 1e300] {
        for least in [0, 1] {
            all.push(agg(
                "histogram",
                json!({"histogram": {"field": "n", "interval": interval, "min_doc_count": least}}),
                BOUNDED,
            ));
        }
    }
    for inner in [
        json!({"cardinality": {"field": "n", "precision_threshold": 40_000}}),
        json!({"percentiles": {"field": "n"}}),
        json!({"terms": {"field": "t", "size": 1_000}}),
    ] {
        all.push(agg(
            "below many buckets",
            json!({"terms": {"field": "k", "size": 60_000}, "aggs": {"y": inner}}),
            BOUNDED,
        ));
        all.push(agg(
            "below buckets below buckets",
            json!({"terms": {"field": "k", "size": 60_000}, "aggs": {
            "z": {"terms": {"field": "n", "size": 60_000}, "aggs": {"y": inner}}}}),
            BOUNDED,
        ));
    }
    let many = json!({"filters": {"filters": vec![json!({"match_all": {}}); 200]}});
    let mut cube = many.clone();
    for _ in 0..3 {
        let mut outer = many.clone();
        outer["aggs"] = json!({"x": cube});
        cube = outer;
    }
    all.push(agg("filters to the fourth", cube, LIMITED));
    all
}

/// Scripts without an end, wherever a script may stand.
fn endless_scripts() -> Vec<Bomb> {
    let endless = "while(true){}";
    let mut all: Vec<Bomb> = [
        "while(true){} return true",
        "for(;;){} return true",
        "do{}while(true); return true",
        "for(int i=0;i>=0;i=0){} return true",
        "int f(){while(true){} return 1;} def x=f(); return true",
        "[1].forEach(x->{while(true){}}); return true",
        "List l=[1]; l.removeIf(x->{while(true){} return true}); return true",
        "List l=[1,2,3]; l.sort((a,b)->{while(true){} return 1}); return true",
        "int f(int x){return f(x+1)+1;} return f(1)>0",
        "long f(long x){return x<2?x:f(x-1)+f(x-2)} return f(90)>0",
        "while(true){try{int f=1/0}catch(Exception e){}} return true",
        "return /(a*)*b/.matcher('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').find()",
        "return IntStream.range(0,2147483647).sum()>0",
        "List l=[1]; for(int i=0;i<l.size();i++){l.add(i)} return true",
    ]
    .map(|source| script(source, if source.contains("matcher") { BOUNDED } else { REFUSED }))
    .into();
    let number = json!({"source": format!("{endless} return 1")});
    all.push(query("score", json!({"script_score": {"query": {"match_all": {}}, "script": number}}), REFUSED));
    all.push(bomb(
        "sort",
        "POST",
        SEARCH,
        json!({"sort": {"_script": {"type": "number", "script": number}}}).to_string(),
        REFUSED,
    ));
    all.push(bomb("field", "POST", SEARCH, json!({"script_fields": {"a": {"script": number}}}).to_string(), REFUSED));
    all.push(bomb("update", "POST", "/b/_update/1", json!({"script": {"source": endless}}).to_string(), REFUSED));
    all.push(agg("terms", json!({"terms": {"script": number}}), REFUSED));
    let stages = ["init_script", "map_script", "combine_script", "reduce_script"];
    for stage in stages {
        let mut scripts = json!({"init_script": "state.l=[]", "map_script": "state.l.add(1)", "combine_script": "return state.l", "reduce_script": "1"});
        scripts[stage] = format!("{endless} return 1").into();
        all.push(agg(stage, json!({"scripted_metric": scripts}), &[400, 500, 503]));
    }
    all.push(process("ingest", json!([{"script": {"source": endless}}]), json!({"a": 1}), BOUNDED));
    all.push(bomb(
        "execute",
        "POST",
        "/_scripts/painless/_execute",
        json!({"script": {"source": endless}}).to_string(),
        REFUSED,
    ));
    all
}

/// Scripts that make more and more, or deeper and deeper.
fn growing_scripts() -> Vec<Bomb> {
    let mut all: Vec<Bomb> = [
        "String s='a'; for(int i=0;i<100;i++){s+=s} return true",
        "StringBuilder s=new StringBuilder('aaaaaaaaaa'); for(int i=0;i<1000;i++){s.append(s)} return true",
        "List l=[1,2,3,4]; for(int i=0;i<100;i++){l.addAll(l)} return true",
        "Map m=[:]; for(int i=0;i>=0;i++){m.put(i,i)} return true",
        "int[] a=new int[2147483647]; return true",
        "int[][] a=new int[100000][100000]; return true",
        "List l=[]; for(int i=0;i<100000;i++){l.add(new long[100000])} return true",
        "String s='a'; for(int i=0;i<40;i++){s=s.replace('a','aaaaaaaaaa')} return true",
        "BigInteger b=new BigInteger('99999999999'); for(int i=0;i<100;i++){b=b.multiply(b)} return true",
        "return new BigInteger('9').pow(2147483647)!=null",
        "def s=new StringBuilder(); s.setLength(2147483647); return true",
    ]
    .map(|source| script(source, REFUSED))
    .into();
    for source in [
        "List l=[]; l.add(l); return l.hashCode()>0",
        "def l=[]; for(int i=0;i<100000;i++){l=[l]} return l.toString().length()>0",
        "def l=[]; for(int i=0;i<100000;i++){l=[l]} return true",
        "def l=[]; def m=[]; for(int i=0;i<100000;i++){l=[l];m=[m]} return l==m",
        "def l=[1]; for(int i=0;i<60;i++){l=[l,l]} return l.hashCode()>0",
        "List l=[]; for(int i=0;i<500000;i++){l.add(i)} while(l.size()>0){l.remove(0)} return true",
    ] {
        all.push(script(source, BOUNDED));
    }
    for source in [
        "def l=[1]; for(int i=0;i<60;i++){l=[l,l]} ctx._source.z=l",
        "def l=[]; for(int i=0;i<100000;i++){l=[l]} ctx._source.z=l",
        "ctx._source.z=ctx._source",
    ] {
        all.push(bomb(source, "POST", "/b/_update/1", json!({"script": {"source": source}}).to_string(), REFUSED));
    }
    all
}

fn pipelines() -> Vec<Bomb> {
    let calls =
        |name: &str| json!({"processors": [{"pipeline": {"name": name}}, {"pipeline": {"name": name}}]}).to_string();
    let mut all = vec![
        bomb("a", "PUT", "/_ingest/pipeline/a", calls("b"), &[200]),
        bomb("b", "PUT", "/_ingest/pipeline/b", calls("a"), &[200]),
        bomb("pipelines that call each other", "PUT", "/b/_doc/1?pipeline=a", "{\"a\":1}", &[400, 500]),
        process(
            "text that doubles",
            json!(vec![json!({"set": {"field": "a", "value": "{{a}}{{a}}{{a}}{{a}}"}}); 40]),
            json!({"a": "aaaaaaaaaa"}),
            BOUNDED,
        ),
        process(
            "lists that double",
            json!(vec![json!({"append": {"field": "a", "value": ["{{a}}", "{{a}}"]}}); 60]),
            json!({"a": ["x"]}),
            BOUNDED,
        ),
        process(
            "a deep path",
            json!([{"set": {"field": vec!["a"; 50_000].join("."), "value": 1}}]),
            json!({}),
            BOUNDED,
        ),
        process(
            "pairs of a hundred thousand names",
            json!([{"kv": {"field": "a", "field_split": " ", "value_split": "="}}, {"fingerprint": {"target_field": "h"}}]),
            json!({"a": (0..100_000).map(|n| format!("k{n}=v ")).collect::<String>()}),
            BOUNDED,
        ),
        process(
            "a separator for many",
            json!([{"split": {"field": "a", "separator": ","}}, {"join": {"field": "a", "separator": "x".repeat(10_000)}}]),
            json!({"a": "a,".repeat(50_000)}),
            BOUNDED,
        ),
        bomb(
            "a record of two thousand steps",
            "POST",
            "/_ingest/pipeline/_simulate?verbose=true",
            json!({
                "pipeline": {"processors": (0..2_000).map(|n| json!({"set": {"field": format!("a{n}"), "value": 1}})).collect::<Vec<_>>()},
                "docs": vec![json!({"_source": {"a": "x".repeat(1_000)}}); 20]
            })
            .to_string(),
            REFUSED,
        ),
        process("deep text", json!([{"json": {"field": "a"}}]), json!({"a": "[".repeat(500_000)}), BOUNDED),
    ];
    let loops = json!({"A": "%{B}", "B": "%{A}"});
    all.push(process(
        "grok in a circle",
        json!([{"grok": {"field": "a", "patterns": ["%{A}"], "pattern_definitions": loops}}]),
        json!({"a": "x"}),
        BOUNDED,
    ));
    all
}
