//! Hostile requests, HTTP and JSON: neither may one stop the node, nor stall a core, nor cost another client its answer.

mod support;

use std::time::Duration;
use support::{Client, Node, Rng, TempDir};

/// Valid requests that are bent out of shape.
const SEEDS: &[(&str, &str, &str)] = &[
    ("GET", "/", ""),
    ("GET", "/_cat/indices?v&h=index,docs.count", ""),
    ("GET", "/_cluster/health?level=shards&wait_for_status=yellow&timeout=1ms", ""),
    (
        "PUT",
        "/f2",
        r#"{"settings":{"number_of_shards":2},"mappings":{"properties":{"a":{"type":"text","fields":{"raw":{"type":"keyword","ignore_above":256}}},"d":{"type":"date","format":"yyyy-MM-dd||epoch_millis"}}}}"#,
    ),
    ("DELETE", "/f2", ""),
    (
        "PUT",
        "/f/_mapping",
        r#"{"properties":{"b":{"type":"integer","coerce":false},"o":{"properties":{"x":{"type":"ip"}}}}}"#,
    ),
    ("PUT", "/f/_settings", r#"{"index":{"refresh_interval":"5s","number_of_replicas":0}}"#),
    (
        "PUT",
        "/f/_doc/1?refresh=true",
        r#"{"a":"the quick brown fox","n":[1,2,3],"d":"2020-01-01","o":{"x":"10.0.0.1"},"g":1.5e3}"#,
    ),
    ("POST", "/f/_update/1", r#"{"doc":{"a":"lazy dog","n":null},"detect_noop":true,"doc_as_upsert":true}"#),
    (
        "POST",
        "/_bulk?refresh=false",
        "{\"index\":{\"_index\":\"f\",\"_id\":\"2\"}}\n{\"a\":\"x\"}\n{\"delete\":{\"_index\":\"f\",\"_id\":\"3\"}}\n{\"update\":{\"_index\":\"f\",\"_id\":\"2\"}}\n{\"doc\":{\"a\":\"y\"}}\n",
    ),
    (
        "POST",
        "/f/_search",
        r#"{"query":{"bool":{"must":[{"match":{"a":{"query":"quick fox","operator":"and"}}}],"filter":[{"range":{"n":{"gte":1,"lt":"9"}}}],"must_not":[{"term":{"a.raw":"z"}}],"should":[{"match_phrase":{"a":"brown fox"}}],"minimum_should_match":"-25%"}},"from":0,"size":5,"sort":[{"n":{"order":"desc","missing":"_last","mode":"avg"}},"_score","_doc"],"_source":["a*"],"track_total_hits":true}"#,
    ),
    (
        "POST",
        "/f/_search",
        r#"{"size":0,"aggs":{"t":{"terms":{"field":"n","order":{"m":"desc"},"size":3},"aggs":{"m":{"avg":{"field":"g"}}}},"h":{"histogram":{"field":"n","interval":2,"extended_bounds":{"min":0,"max":10}}},"d":{"date_histogram":{"field":"d","calendar_interval":"month","time_zone":"Europe/Berlin"}},"r":{"range":{"field":"g","ranges":[{"to":3},{"from":3}]}},"c":{"cardinality":{"field":"n"}},"f":{"filters":{"filters":{"x":{"match_all":{}}}}}}}"#,
    ),
    (
        "GET",
        "/f/_search?q=a:(quick%20OR%20%22brown%20fox%22~2)%20AND%20n:%5B1%20TO%203%5D%20-a:z*%5E2&sort=n:desc&size=3&_source=false",
        "",
    ),
    (
        "POST",
        "/f/_search",
        r#"{"query":{"wildcard":{"a":{"value":"q*ck?"}}},"search_after":[1],"sort":[{"n":"asc"}],"docvalue_fields":["n",{"field":"d","format":"epoch_millis"}],"stored_fields":["_none_"]}"#,
    ),
    (
        "POST",
        "/f/_search",
        r#"{"query":{"constant_score":{"filter":{"terms":{"n":[1,2,"3"]}},"boost":1.5}},"min_score":0.5,"terminate_after":10,"timeout":"10ms","explain":true,"version":true}"#,
    ),
    (
        "POST",
        "/f/_count",
        r#"{"query":{"dis_max":{"queries":[{"prefix":{"a":"q"}},{"ids":{"values":["1"]}},{"exists":{"field":"n"}}],"tie_breaker":0.3}}}"#,
    ),
    (
        "POST",
        "/_analyze",
        r#"{"analyzer":"standard","text":["The QUICK brown-fox's 3.14 bones","日本語 テスト 😀"],"explain":true}"#,
    ),
    (
        "POST",
        "/_analyze",
        r#"{"tokenizer":{"type":"pattern","pattern":"(a|b)*c"},"filter":["lowercase",{"type":"stop","stopwords":["a"]}],"char_filter":["html_strip"],"text":"<b>aaaac</b>"}"#,
    ),
    ("POST", "/_mget", r#"{"docs":[{"_index":"f","_id":"1","_source":["a"]},{"_index":"none","_id":"2"}]}"#),
    (
        "POST",
        "/_aliases",
        r#"{"actions":[{"add":{"index":"f","alias":"fa","filter":{"term":{"n":1}},"routing":"r"}},{"remove":{"index":"f","alias":"fa"}}]}"#,
    ),
    ("GET", "/_nodes/stats?human&filter_path=nodes.*.jvm,-nodes.*.os", ""),
    ("GET", "/f/_doc/1?_source_includes=a,n*&pretty&format=yaml", ""),
];

/// Pieces that tend to break parsers.
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
    "../",
    "%",
    "%zz",
    "%00",
    "\r\n",
    "\n\n",
    " ",
    "\t",
    "/*",
    "//",
    "_all",
    "-",
    "+",
    "<a-{now/d}>",
    "now/d",
    "||-1y/y",
    "2020-13-45",
    "P1D",
    "1d",
    "((((((((((",
    "))))))))))",
];

#[test]
fn malformed_requests_neither_stop_nor_stall_the_node() {
    let seed = Rng::from_env().0;
    // A machine that others use may take a processor away in the middle of anything. What a request does to the node, it does again;
    // and what the host of a virtual machine took is not held against the node.
    let mut stalled = vec![];
    for _ in 0..ATTEMPTS {
        match send_malformed(Rng(seed)) {
            None => return,
            Some(log) => stalled.push(log),
        }
    }
    panic!("a core was held for too long in {ATTEMPTS} runs of the same requests:\n{}", stalled.join("\n"));
}

const ATTEMPTS: usize = 4;

/// Sends requests to a node of its own; gives the node's log if a core of it was held for too long.
fn send_malformed(mut rng: Rng) -> Option<String> {
    let requests: usize = std::env::var("PITH_FUZZ_REQUESTS").ok().and_then(|r| r.parse().ok()).unwrap_or(10_000);
    let folder = TempDir::new("fuzz");
    let mut node = Node::start(folder.path(), &["--cores", "2"]);
    node.request("PUT", "/f", b"{}");
    let (before, stolen_before) = (stalls(&node), stolen_ms());
    let mut client = Client::connect(node.addr).unwrap();
    for n in 0..requests {
        let request = malformed(&mut rng);
        client.set_read_timeout(Duration::from_secs(10)).unwrap();
        let answered = client.send_raw(&request).is_ok() && client.read_response(request.starts_with(b"HEAD")).is_ok();
        // A request whose end cannot be known costs its connection, never more.
        if !answered || rng.below(50) == 0 {
            client = Client::connect(node.addr)
                .unwrap_or_else(|e| panic!("request {n}: {e}\n{}", String::from_utf8_lossy(&request)));
        }
        if n % 100 == 0 {
            assert_eq!(node.request("GET", "/", b"").status, 200, "request {n}\n{}", String::from_utf8_lossy(&request));
        }
    }
    assert!(node.is_running());
    let (stalls, stolen_ms) = (stalls(&node) - before, stolen_ms() - stolen_before);
    let log = std::fs::read_to_string(folder.path().join("node.log")).unwrap();
    assert!(!log.contains("panicked"), "{log}");
    let status = node.terminate(Duration::from_secs(20)).expect("SIGTERM ends it");
    assert!(status.success());
    let held_ms: u64 = log.lines().filter_map(held_ms).sum();
    (stalls > 0 && held_ms > stolen_ms).then(|| format!("{log}(the host took {stolen_ms} ms meanwhile)"))
}

/// How long a line of the log says that a core was held.
fn held_ms(line: &str) -> Option<u64> {
    let number = |name: &str| line.split_once(name)?.1.split(' ').next()?.parse::<u64>().ok();
    Some(number("took_ms=")?.saturating_sub(number("waited_ms=")?))
}

/// Milliseconds of this machine's processors that its host gave to others, since the start. It is told in hundredths of a second.
fn stolen_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let all = stat.lines().next().unwrap_or_default();
    let ticks: u64 = all.split_ascii_whitespace().nth(8).and_then(|stolen| stolen.parse().ok()).unwrap_or(0);
    ticks * 10
}

/// How often a core was not handed back in time, as the node counts it.
fn stalls(node: &Node) -> u64 {
    let stats = node.request("GET", "/_nodes/stats", b"").json();
    let node = stats["nodes"].as_object().and_then(|n| n.values().next()).expect("there is one node").clone();
    node["process"]["cores"]["stalls"].as_u64().expect("stalls are counted")
}

/// A request that ends within what its headers say: bent in target, body, or both; sometimes in the head itself.
fn malformed(rng: &mut Rng) -> Vec<u8> {
    let (method, target, body) = SEEDS[rng.below(SEEDS.len() as u64) as usize];
    let (mut target, mut body) = (target.as_bytes().to_vec(), body.as_bytes().to_vec());
    match rng.below(10) {
        0..=5 => bend(&mut body, rng),
        6..=7 => bend_target(&mut target, rng),
        8 => {
            bend(&mut body, rng);
            bend_target(&mut target, rng);
        }
        _ => {
            let depth = 1 + rng.below(60_000) as usize;
            body = if rng.below(2) == 0 { vec![b'['; depth] } else { br#"{"bool":{"must":"#.repeat(depth / 16 + 1) };
        }
    }
    // Mostly the right content type, so that bodies get as far as their parsers.
    let kind = match rng.below(20) {
        0 => "",
        1 => "text/plain",
        2 => "application/json; charset=latin1",
        _ if target.starts_with(b"/_bulk") => "application/x-ndjson",
        _ => "application/json",
    };
    let mut request = [method.as_bytes(), b" ", &target, b" HTTP/1.1\r\nHost: pith\r\n"].concat();
    if !kind.is_empty() {
        request.extend_from_slice(format!("Content-Type: {kind}\r\n").as_bytes());
    }
    if rng.below(30) == 0 {
        let mut head = b"X-Odd: value\r\n".to_vec();
        bend(&mut head, rng);
        request.extend_from_slice(&head);
    }
    request.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    request.extend_from_slice(&body);
    request
}

/// A few random edits.
fn bend(text: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(text.len() as u64 + 1) as usize;
        match rng.below(6) {
            0 if at < text.len() => text[at] = rng.next() as u8,
            1 => text.truncate(at),
            2 => {
                let end = (at + rng.below(20) as usize).min(text.len());
                text.drain(at..end);
            }
            3 => {
                let end = (at + rng.below(60) as usize).min(text.len());
                let copy = text[at..end].to_vec();
                let to = rng.below(text.len() as u64 + 1) as usize;
                text.splice(to..to, copy);
            }
            _ => {
                let piece = PIECES[rng.below(PIECES.len() as u64) as usize];
                text.splice(at..at, piece.bytes());
            }
        }
    }
}

/// Bends a request's target without ending the request line early, which would make another request of the rest.
fn bend_target(target: &mut Vec<u8>, rng: &mut Rng) {
    bend(target, rng);
    target.retain(|b| !matches!(b, b'\r' | b'\n'));
    if target.is_empty() {
        target.push(b'/');
    }
}

/// Lines that bulks are made of: actions, documents, updates.
const BULK_LINES: &[&str] = &[
    r#"{"index":{}}"#,
    r#"{"index":{"_index":"f","_id":"1","routing":"r","version":3,"version_type":"external"}}"#,
    r#"{"create":{"_id":"2"}}"#,
    r#"{"update":{"_id":"1","retry_on_conflict":3}}"#,
    r#"{"delete":{"_id":"2","if_seq_no":1,"if_primary_term":1}}"#,
    r#"{"a":"the quick brown fox","n":[1,2,3],"d":"2020-01-01","o":{"x":"10.0.0.1"},"g":1.5e3}"#,
    r#"{"doc":{"a":"lazy dog","n":null},"doc_as_upsert":true}"#,
    r#"{"script":{"source":"ctx._source.n = params.n","params":{"n":1}},"upsert":{"n":0},"scripted_upsert":true}"#,
    "{}",
    "",
];

/// Of a bulk whose body is bent, as of any other: one item an operation, each of which is done if it says so.
#[test]
fn malformed_bulks_do_what_they_say() {
    let mut rng = Rng::from_env();
    let bulks = std::env::var("PITH_FUZZ_REQUESTS").ok().and_then(|r| r.parse().ok()).unwrap_or(10_000usize) / 4;
    let folder = TempDir::new("fuzz-bulk");
    let mut node = Node::start(folder.path(), &["--cores", "2", "-E", "script.max_compilations_rate=100000/1m"]);
    // Of one shard: with several, an id whose routing was bent is another document.
    node.request("PUT", "/f", br#"{"settings":{"number_of_shards":1,"index.mapping.total_fields.limit":100}}"#);
    let mut client = Client::connect(node.addr).unwrap();
    let mut there = std::collections::BTreeMap::new();
    for n in 0..bulks {
        let body = bulk(&mut rng);
        let shown = || format!("bulk {n}: {}", body.escape_ascii());
        let answer = client.request("POST", "/f/_bulk", &body).unwrap_or_else(|error| panic!("{error}: {}", shown()));
        assert!([200, 400, 413].contains(&answer.status), "{}: {}", answer.status, shown());
        let answer = answer.json();
        for item in answer["items"].as_array().into_iter().flatten() {
            let (action, item) = item.as_object().and_then(|item| item.iter().next()).expect("an item has its action");
            let status = item["status"].as_u64().unwrap_or_default();
            assert!((200..500).contains(&status), "{item}: {}", shown());
            if status < 300 {
                let key = (item["_index"].to_string(), item["_id"].to_string());
                there.insert(key, action != "delete" && item["result"] != "deleted");
            }
        }
    }
    assert!(node.is_running());
    assert_eq!(node.request("POST", "/_refresh", b"").status, 200);
    let count = node.request("GET", "/_count", b"").json();
    assert_eq!(count["count"].as_u64(), Some(there.values().filter(|there| **there).count() as u64));
    let log = std::fs::read_to_string(folder.path().join("node.log")).unwrap();
    assert!(!log.contains("panicked"), "{log}");
}

/// Some lines, mostly as they should be, of which some are bent, as may be the whole.
fn bulk(rng: &mut Rng) -> Vec<u8> {
    let mut body = vec![];
    for _ in 0..1 + rng.below(8) {
        // Actions and documents in turns, but for a few.
        let (first, second) = (rng.below(5) as usize, 5 + rng.below(5) as usize);
        let picked = if rng.below(10) == 0 { vec![second] } else { vec![first, second] };
        for line in picked {
            let mut line = BULK_LINES[line].as_bytes().to_vec();
            if rng.below(4) == 0 {
                bend(&mut line, rng);
            }
            body.extend_from_slice(&line);
            body.extend_from_slice(if rng.below(10) == 0 { b"\r\n" } else { b"\n" });
        }
    }
    if rng.below(5) == 0 {
        bend(&mut body, rng);
    }
    body
}
