//! Power cuts, as far as a process can feel them: SIGKILL during mixed writes, and what must be found afterwards.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::{Client, Node, Rng, TempDir};

/// Ids that each writer owns, so that what is expected of an id is known by one thread.
const IDS_PER_WRITER: u64 = 40;
const WRITERS: u64 = 4;

/// What a document may be after a restart: the state last acknowledged, or one that was being written when the node died.
#[derive(Default, Clone, Debug)]
struct Expected {
    /// `None`: absent.
    acknowledged: Option<u64>,
    in_flight: Vec<Option<u64>>,
}

#[test]
fn acknowledged_writes_survive_sigkill() {
    let rounds = std::env::var("PITH_CRASH_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(20);
    let folder = TempDir::new("crash");
    let mut rng = Rng::from_env();
    let mut expected: BTreeMap<String, Expected> = BTreeMap::new();
    for round in 0..rounds {
        let node = Node::start(folder.path(), &["--cores", "2"]);
        if round == 0 {
            let created =
                node.request("PUT", "/crash", br#"{"settings":{"number_of_shards":3,"number_of_replicas":0}}"#);
            assert_eq!(created.status, 200);
        }
        check(&node, &mut expected, round);
        write_until_killed(node, &mut expected, &mut rng);
    }
    let node = Node::start(folder.path(), &["--cores", "2"]);
    check(&node, &mut expected, rounds);
    assert!(expected.values().filter(|e| e.acknowledged.is_some()).count() > 10, "the writers wrote next to nothing");
}

/// Every document is in a state that it may be in; from now on that is its acknowledged one.
fn check(node: &Node, expected: &mut BTreeMap<String, Expected>, round: usize) {
    let mut client = Client::connect(node.addr).unwrap();
    for (id, state) in expected.iter_mut() {
        let response = client.request("GET", &format!("/crash/_doc/{id}"), b"").unwrap();
        let found = match response.status {
            200 => Some(response.json()["_source"]["n"].as_u64().expect("a number was written")),
            404 => None,
            other => panic!("round {round}: GET {id} gives {other}: {}", String::from_utf8_lossy(&response.body)),
        };
        assert!(
            found == state.acknowledged || state.in_flight.contains(&found),
            "round {round}: document {id} is {found:?}, expected {state:?}"
        );
        *state = Expected { acknowledged: found, in_flight: vec![] };
    }
    // What search sees is what get sees.
    assert_eq!(client.request("POST", "/crash/_refresh", b"").unwrap().status, 200);
    let live = expected.values().filter(|e| e.acknowledged.is_some()).count() as u64;
    let counted = client.request("GET", "/crash/_count", b"").unwrap().json()["count"].as_u64();
    assert_eq!(counted, Some(live), "round {round}: live documents");
}

fn write_until_killed(node: Node, expected: &mut BTreeMap<String, Expected>, rng: &mut Rng) {
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (addr, stop, seed) = (node.addr, stop.clone(), rng.next());
            let mut mine: BTreeMap<String, Expected> = (0..IDS_PER_WRITER)
                .map(|n| format!("w{writer}-{n}"))
                .map(|id| {
                    let state = expected.get(&id).cloned().unwrap_or_default();
                    (id, state)
                })
                .collect();
            std::thread::spawn(move || {
                let mut rng = Rng(seed);
                let mut client = Client::connect(addr).unwrap();
                while !stop.load(Ordering::Relaxed) && write_once(&mut client, &mut mine, writer, &mut rng).is_ok() {}
                mine
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(60 + rng.below(300)));
    node.kill();
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        expected.extend(writer.join().expect("writers do not panic"));
    }
}

/// One bulk request of a few operations on distinct ids, or a flush or refresh. An error means that the node is gone.
fn write_once(
    client: &mut Client,
    mine: &mut BTreeMap<String, Expected>,
    writer: u64,
    rng: &mut Rng,
) -> std::io::Result<()> {
    match rng.below(40) {
        0 => return client.request("POST", "/crash/_flush", b"").map(|_| ()),
        1 => return client.request("POST", "/crash/_refresh", b"").map(|_| ()),
        _ => {}
    }
    let first = rng.below(IDS_PER_WRITER);
    let ops: Vec<(String, Option<u64>)> = (0..1 + rng.below(8))
        .map(|i| {
            let id = format!("w{writer}-{}", (first + i) % IDS_PER_WRITER);
            (id, (rng.below(4) > 0).then(|| rng.next() >> 12))
        })
        .collect();
    let mut body = String::new();
    for (id, value) in &ops {
        match value {
            Some(n) => {
                body.push_str(&format!("{{\"index\":{{\"_id\":\"{id}\"}}}}\n{{\"n\":{n},\"t\":\"some text {n}\"}}\n"))
            }
            None => body.push_str(&format!("{{\"delete\":{{\"_id\":\"{id}\"}}}}\n")),
        }
        mine.get_mut(id).expect("ids are the writer's own").in_flight.push(*value);
    }
    let response = client.request("POST", "/crash/_bulk", body.as_bytes())?;
    assert_eq!(response.status, 200, "{}", String::from_utf8_lossy(&response.body));
    let items = response.json()["items"].as_array().expect("a bulk response has items").clone();
    for ((id, value), item) in ops.into_iter().zip(items) {
        let result =
            item["index"].as_object().or(item["delete"].as_object()).expect("an item is of its operation's kind");
        let status = result["status"].as_u64().expect("an item has a status");
        assert!([200, 201, 404].contains(&status), "{item}");
        *mine.get_mut(&id).expect("ids are the writer's own") = Expected { acknowledged: value, in_flight: vec![] };
    }
    Ok(())
}

/// More executors than processors: none may hang, neither at start nor at stop.
#[test]
fn two_hundred_starts_and_stops_with_eight_executors() {
    let rounds = std::env::var("PITH_START_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(200);
    let folder = TempDir::new("starts");
    for round in 0..rounds {
        let node = Node::start(folder.path(), &["--cores", "8"]);
        if round % 20 == 0 {
            let response = node.request("PUT", &format!("/starts/_doc/{round}"), br#"{"a":1}"#);
            assert!([200, 201].contains(&response.status), "{}", String::from_utf8_lossy(&response.body));
        }
        let status =
            node.terminate(Duration::from_secs(20)).unwrap_or_else(|| panic!("round {round}: SIGTERM did not end it"));
        assert!(status.success(), "round {round}: exit status {status}");
    }
}
