//! Who writes, and what: three clients with documents of their own in two indexes, and one who makes, changes and removes indexes,
//! settings and snapshots. Each knows what it may find; [`check`] looks at all of it after a start.

use super::memory::Memory;
use super::world::{Answer, REPOSITORIES, World};
use pith_engine::join::join_all;
use pith_net::rt::Random;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};

pub const INDEXES: [&str; 2] = ["a", "b"];
const IDS_EACH: u64 = 7;
const WRITERS: u64 = 3;

/// What the clients share.
#[derive(Clone)]
pub struct Clients {
    world: World,
    memory: Arc<Mutex<Memory>>,
    /// Whether calls are made to fail: then errors are answers like any other.
    faulty: bool,
}

impl Clients {
    pub fn new(world: &World, memory: &Arc<Mutex<Memory>>, faulty: bool) -> Self {
        Self { world: world.clone(), memory: memory.clone(), faulty }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().expect("nobody panics while holding it")
    }

    /// Makes the indexes and the repository, if they are not there.
    pub async fn prepare(&self) {
        for (index, shards) in INDEXES.into_iter().zip([2, 1]) {
            let body = json!({
                "settings": {
                    "number_of_shards": shards, "number_of_replicas": 0, "refresh_interval": "100ms",
                    "translog.flush_threshold_size": "8kb", "merge.policy.segments_per_tier": 2,
                },
                "mappings": {"properties": {"n": {"type": "long"}}},
            });
            if !self.memory().is_there(&format!("index {index}")) {
                self.change(
                    &[(format!("index {index}"), Some("open"))],
                    self.world.put(format!("/{index}"), body.to_string()),
                )
                .await;
            }
        }
        if !self.memory().is_there("repository r") {
            let body = json!({"type": "fs", "settings": {"location": format!("{REPOSITORIES}/r")}});
            let name = "repository r".to_owned();
            self.change(&[(name, Some("fs"))], self.world.put("/_snapshot/r", body.to_string())).await;
        }
    }

    /// Everybody does `steps` things, at the same time.
    pub async fn work(&self, seed: u64, steps: u64) {
        self.prepare().await;
        let mut all: Vec<Pin<Box<dyn Future<Output = ()>>>> = vec![];
        for writer in 0..WRITERS {
            let (clients, mut random) = (self.clone(), Random::new(seed ^ (writer << 32)));
            all.push(Box::pin(async move {
                for _ in 0..steps {
                    clients.write(writer, &mut random).await;
                }
            }));
        }
        let (clients, mut random) = (self.clone(), Random::new(seed ^ (99 << 32)));
        all.push(Box::pin(async move {
            for _ in 0..steps / 2 {
                clients.administer(&mut random).await;
            }
        }));
        join_all(all).await;
    }

    /// Asks for something that changes what the names stand for, and remembers how it ended.
    async fn change(&self, changes: &[(String, Option<&str>)], asked: impl Future<Output = Answer>) -> bool {
        changes.iter().for_each(|(name, value)| self.memory().begin(name, *value));
        let answer = asked.await;
        let done = answer.status < 300;
        for (name, value) in changes {
            match answer.status {
                ..300 => self.memory().done(name, *value),
                // A client's mistake changes nothing.
                400..429 => self.memory().refused(name),
                _ => {}
            }
        }
        if !done {
            self.note(&answer, &changes[0].0);
        }
        done
    }

    fn note(&self, answer: &Answer, what: &str) {
        let known = answer.status == 404 || self.faulty;
        if !known {
            self.memory().refused.push(format!("{what}: {} {}", answer.status, answer.body));
        }
    }

    async fn write(&self, writer: u64, random: &mut Random) {
        let index = INDEXES[random.below(2) as usize];
        let id = format!("{writer}-{}", random.below(IDS_EACH));
        match random.below(20) {
            0..=6 => {
                let value = self.memory().number().to_string();
                let name = format!("doc {index}/{id}");
                let body = source(&value, random);
                self.change(&[(name, Some(&value))], self.world.put(format!("/{index}/_doc/{id}"), body)).await;
            }
            7..=9 => self.update(index, &id).await,
            10..=11 => self.remove(index, &id).await,
            12..=15 => self.bulk(writer, random).await,
            16 => self.look(index, &id).await,
            17 => drop(self.expect(self.world.post(format!("/{index}/_refresh"), "")).await),
            18 => drop(self.expect(self.world.post(format!("/{index}/_flush"), "")).await),
            _ => drop(self.expect(self.world.post(format!("/{index}/_forcemerge?max_num_segments=1"), "")).await),
        }
    }

    async fn expect(&self, asked: impl Future<Output = Answer>) -> Answer {
        let answer = asked.await;
        let failures = answer.body["_shards"]["failed"].as_u64().unwrap_or(0);
        if answer.status >= 300 || failures > 0 {
            self.note(&answer, "an upkeep");
            if answer.status < 300 && !self.faulty {
                self.memory().refused.push(format!("upkeep failed: {}", answer.body));
            }
        }
        answer
    }

    async fn update(&self, index: &str, id: &str) {
        let value = self.memory().number().to_string();
        let body = json!({"doc": {"n": value.parse::<u64>().expect("a number")}, "doc_as_upsert": true});
        let asked = self.world.post(format!("/{index}/_update/{id}"), body.to_string());
        self.change(&[(format!("doc {index}/{id}"), Some(&value))], asked).await;
    }

    async fn remove(&self, index: &str, id: &str) {
        let name = format!("doc {index}/{id}");
        self.memory().begin(&name, None);
        let answer = self.world.delete(format!("/{index}/_doc/{id}")).await;
        match answer.status {
            200 => self.memory().done(&name, None),
            404 if answer.body["result"] == "not_found" => self.memory().done(&name, None),
            _ => self.note(&answer, &name),
        }
    }

    async fn bulk(&self, writer: u64, random: &mut Random) {
        let mut lines = String::new();
        // The last word on an id counts; what comes before it is seen by nobody for certain.
        let mut asked: Vec<(String, Option<String>)> = vec![];
        let mut ids: Vec<u64> = (0..IDS_EACH).collect();
        for _ in 0..2 + random.below(4) {
            let index = INDEXES[random.below(2) as usize];
            let id = format!("{writer}-{}", ids.swap_remove(random.below(ids.len() as u64) as usize));
            let name = format!("doc {index}/{id}");
            if random.below(4) == 0 {
                lines += &format!("{}\n", json!({"delete": {"_index": index, "_id": id}}));
                asked.push((name, None));
            } else {
                let value = self.memory().number().to_string();
                lines += &format!("{}\n{}\n", json!({"index": {"_index": index, "_id": id}}), source(&value, random));
                asked.push((name, Some(value)));
            }
        }
        asked.iter().for_each(|(name, value)| self.memory().begin(name, value.as_deref()));
        let refresh = if random.below(4) == 0 { "?refresh=true" } else { "" };
        let answer = self.world.post(format!("/_bulk{refresh}"), lines).await;
        let Some(items) = answer.body["items"].as_array() else { return self.note(&answer, "bulk") };
        for ((name, value), item) in asked.iter().zip(items) {
            let result = item.as_object().and_then(|item| item.values().next()).cloned().unwrap_or_default();
            match result["status"].as_u64() {
                Some(..300) => self.memory().done(name, value.as_deref()),
                Some(404) if result["result"] == "not_found" => self.memory().done(name, None),
                status => {
                    let status = status.unwrap_or(500) as u16;
                    self.note(&Answer { status, body: result }, name);
                }
            }
        }
    }

    /// What a client reads is what was acknowledged to it.
    async fn look(&self, index: &str, id: &str) {
        let name = format!("doc {index}/{id}");
        let answer = self.world.get(format!("/{index}/_doc/{id}")).await;
        let memory = self.memory();
        match (memory.certain(&name), answer.status) {
            (Some(known), 200 | 404) => assert_eq!(value_of(&answer).as_deref(), known, "{name} was acknowledged"),
            (_, 200 | 404) => {}
            _ => {
                drop(memory);
                self.note(&answer, &name);
            }
        }
    }

    async fn administer(&self, random: &mut Random) {
        let index = format!("x{}", random.below(3));
        let (key, there) = (format!("index {index}"), self.memory().is_there(&format!("index {index}")));
        let number = self.memory().number();
        match random.below(10) {
            0..=3 if !there => {
                let body = json!({"settings": {"number_of_shards": 1 + number % 2, "number_of_replicas": 0}});
                self.change(&[(key, Some("open"))], self.world.put(format!("/{index}"), body.to_string())).await;
            }
            0..=1 => {
                // What is in it goes with it.
                let inside = self.memory().names("").into_iter().filter(|name| {
                    *name == format!("doc {index}/1")
                        || *name == format!("setting {index}")
                        || name.starts_with(&format!("mapping {index} "))
                });
                let mut changes: Vec<(String, Option<&str>)> = vec![(key, None)];
                changes.extend(inside.map(|name| (name, None)));
                self.change(&changes, self.world.delete(format!("/{index}"))).await;
            }
            2 if there => {
                let value = number.to_string();
                let asked = self.world.put(format!("/{index}/_doc/1"), json!({"n": number}).to_string());
                self.change(&[(format!("doc {index}/1"), Some(&value))], asked).await;
            }
            3 if there => {
                let body = json!({"properties": {format!("m{number}"): {"type": "keyword"}}});
                let asked = self.world.put(format!("/{index}/_mapping"), body.to_string());
                self.change(&[(format!("mapping {index} m{number}"), Some("keyword"))], asked).await;
            }
            4 if there => {
                let value = format!("{}s", 1 + number % 50);
                let asked =
                    self.world.put(format!("/{index}/_settings"), json!({"index.refresh_interval": value}).to_string());
                self.change(&[(format!("setting {index}"), Some(&value))], asked).await;
            }
            5 => {
                let value = (1000 + number).to_string();
                let body = json!({"persistent": {"cluster.max_shards_per_node": value}});
                let asked = self.world.put("/_cluster/settings", body.to_string());
                self.change(&[("cluster setting".to_owned(), Some(&value))], asked).await;
            }
            6 => self.snapshot(number).await,
            7 => {
                let names = self.memory().names("snapshot ");
                let snapshot = names.into_iter().find(|name| self.memory().is_there(&format!("snapshot {name}")));
                if let Some(name) = snapshot {
                    let asked = self.world.delete(format!("/_snapshot/r/{name}"));
                    self.change(&[(format!("snapshot {name}"), None)], asked).await;
                }
            }
            8 => self.hold_back(&key, there).await,
            9 if there => self.cancel(&index).await,
            _ => {}
        }
    }

    /// Makes an index whose shards may not be opened until it is there. The setting is gone with the power.
    async fn hold_back(&self, key: &str, there: bool) {
        let enable = |value: Value| {
            let body = json!({"transient": {"cluster.routing.allocation.enable": value}});
            self.expect(self.world.put("/_cluster/settings", body.to_string()))
        };
        enable(json!("none")).await;
        if !there {
            let index = key.strip_prefix("index ").unwrap_or(key);
            let body = json!({"settings": {"number_of_shards": 2, "number_of_replicas": 0}});
            let asked = self.world.put(format!("/{index}?wait_for_active_shards=0"), body.to_string());
            self.change(&[(key.to_owned(), Some("open"))], asked).await;
        }
        // Where the disk refuses to keep that, all that comes after would stay closed: one call fails once.
        if enable(Value::Null).await.status >= 300 {
            enable(Value::Null).await;
        }
    }

    /// Has a shard closed and opened anew. Nobody else is at work on it: what is would be told that it is closed.
    async fn cancel(&self, index: &str) {
        let node = self.world.get("/_cat/nodes?format=json&h=name").await.body[0]["name"].clone();
        let command = json!({"cancel": {"index": index, "shard": 0, "node": node, "allow_primary": true}});
        let body = json!({"commands": [command]}).to_string();
        self.expect(self.world.post("/_cluster/reroute?metric=none", body)).await;
    }

    async fn snapshot(&self, number: u64) {
        let name = format!("s{number}");
        let asked = async {
            let target = format!("/_snapshot/r/{name}?wait_for_completion=true");
            let mut answer = self.world.put(target, json!({"indices": "b"}).to_string()).await;
            if answer.status < 300 && answer.body["snapshot"]["state"] != "SUCCESS" {
                answer.status = 500;
            }
            answer
        };
        self.change(&[(format!("snapshot {name}"), Some("SUCCESS"))], asked).await;
    }
}

/// Of one sector, or of several.
fn source(value: &str, random: &mut Random) -> String {
    let n: u64 = value.parse().expect("a number");
    let pad = "x".repeat(random.below(4) as usize * random.below(700) as usize);
    let mut source = json!({"n": n, "pad": pad});
    if random.below(12) == 0 {
        source[format!("f{}", random.below(40))] = json!("word");
    }
    source.to_string()
}

fn value_of(answer: &Answer) -> Option<String> {
    answer.body["_source"]["n"].as_u64().map(|n| n.to_string())
}

/// Looks at everything that anybody may know of, and takes what is there for what there is.
pub async fn check(world: &World, memory: &mut Memory) {
    let present = |value: bool, text: &str| value.then(|| text.to_owned());
    let health = world.get("/_cluster/health?wait_for_no_initializing_shards=true&timeout=60s").await;
    assert_eq!(health.status, 200, "{}", health.body);
    assert_ne!(
        health.body["status"],
        "red",
        "a shard is not open: {}",
        world.get("/_cluster/allocation/explain").await.body
    );
    for index in memory.names("index ") {
        let found = world.get(format!("/{index}")).await;
        memory.found(&format!("index {index}"), present(found.status == 200, "open").as_deref());
        let inside = &found.body[&index];
        for field in memory.names(&format!("mapping {index} ")) {
            let kind = inside["mappings"]["properties"][&field]["type"].as_str();
            memory.found(&format!("mapping {index} {field}"), kind);
        }
        let interval = inside["settings"]["index"]["refresh_interval"].as_str();
        if index.starts_with('x') {
            memory.found(&format!("setting {index}"), interval);
        }
        check_documents(world, memory, &index, found.status == 200).await;
    }
    let settings = world.get("/_cluster/settings?flat_settings=true").await;
    memory.found("cluster setting", settings.body["persistent"]["cluster.max_shards_per_node"].as_str());
    let repository = world.get("/_snapshot/r").await;
    memory.found("repository r", repository.body["r"]["type"].as_str());
    for name in memory.names("snapshot ") {
        let found = world.get(format!("/_snapshot/r/{name}")).await;
        let state = found.body["snapshots"][0]["state"].as_str();
        memory.found(&format!("snapshot {name}"), state.filter(|state| *state == "SUCCESS"));
    }
}

async fn check_documents(world: &World, memory: &mut Memory, index: &str, there: bool) {
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for id in memory.names(&format!("doc {index}/")) {
        let answer = world.get(format!("/{index}/_doc/{id}")).await;
        assert!(matches!(answer.status, 200 | 404), "{index}/{id}: {} {}", answer.status, answer.body);
        let value = value_of(&answer);
        memory.found(&format!("doc {index}/{id}"), value.as_deref());
        expected.extend(value.map(|value| (id.clone(), value.parse().expect("a number"))));
    }
    if !there {
        return;
    }
    // Searches see each of them once.
    assert_eq!(world.post(format!("/{index}/_refresh"), "").await.status, 200);
    let found = world.get(format!("/{index}/_search?size=1000")).await;
    let hits = found.body["hits"]["hits"].as_array().cloned().unwrap_or_default();
    let one = |hit: &Value| (hit["_id"].as_str().unwrap_or("").to_owned(), hit["_source"]["n"].as_u64().unwrap_or(0));
    let seen: BTreeMap<String, u64> = hits.iter().map(one).collect();
    assert_eq!(hits.len(), seen.len(), "a document is found twice: {}", found.body);
    assert_eq!(seen, expected, "{}", found.body);
}
