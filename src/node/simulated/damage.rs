//! A byte of a file is turned while the node is down. The shard that the file belongs to stays closed and says which file and where; what
//! it says names the shard as well, and others serve on.

use super::world::World;
use pith_net::rt::{self, file::SimulatedDisk};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

const DOCS: u64 = 40;

/// Two indexes of one shard, with a segment, deleted documents and a translog each.
fn made() -> (SimulatedDisk, [String; 2]) {
    let disk = SimulatedDisk::new(3);
    let uuids = rt::simulate(&disk, 3, || async {
        let world = World::start().await.expect("an empty disk is enough");
        let mut uuids = vec![];
        for index in ["a", "b"] {
            let body =
                json!({"settings": {"number_of_replicas": 0}, "mappings": {"properties": {"n": {"type": "long"}}}});
            assert_eq!(world.put(format!("/{index}"), body.to_string()).await.status, 200);
            for n in 0..DOCS {
                if n == DOCS / 2 {
                    assert_eq!(world.delete(format!("/{index}/_doc/3")).await.status, 200);
                    assert_eq!(world.post(format!("/{index}/_refresh"), "").await.status, 200);
                    assert_eq!(world.delete(format!("/{index}/_doc/4")).await.status, 200);
                    assert_eq!(world.post(format!("/{index}/_flush"), "").await.status, 200);
                }
                let source = json!({"n": n, "text": "some words"}).to_string();
                assert_eq!(world.put(format!("/{index}/_doc/{n}"), source).await.status, 201);
            }
            let settings = world.get(format!("/{index}/_settings")).await;
            uuids.push(settings.body[index]["settings"]["index"]["uuid"].as_str().expect("it has one").to_owned());
        }
        uuids
    });
    (disk, uuids.try_into().expect("two indexes"))
}

/// What the node says of the damage, or that all documents are there; and that the other index has all of its.
fn start_damaged(disk: &SimulatedDisk) -> Option<String> {
    rt::simulate(disk, 4, || async {
        let world = World::start().await.expect("the node starts whatever its shards are like");
        let health = world.get("/_cluster/health?wait_for_no_initializing_shards=true&timeout=60s").await;
        let all = |index: &'static str| {
            let world = world.clone();
            async move {
                world.post(format!("/{index}/_refresh"), "").await;
                world.get(format!("/{index}/_count")).await
            }
        };
        assert_eq!(all("b").await.body["count"].as_u64(), Some(DOCS - 2), "the other index serves on");
        if health.body["status"] != "red" {
            assert_eq!(all("a").await.body["count"].as_u64(), Some(DOCS - 2), "documents are lost in silence");
            return None;
        }
        let asked = rt::timeout(Duration::from_secs(60), world.get("/a/_doc/1")).await.expect("an answer");
        assert!(asked.status >= 500, "{} {}", asked.status, asked.body);
        let why = world.get("/_cluster/allocation/explain").await.body;
        assert_eq!((why["index"].as_str(), why["shard"].as_u64()), (Some("a"), Some(0)));
        Some(why["unassigned_info"]["details"].as_str().map_or_else(|| why.to_string(), str::to_owned))
    })
}

fn files_of(disk: &SimulatedDisk, uuid: &str) -> Vec<PathBuf> {
    disk.files().into_iter().filter(|path| path.components().any(|part| part.as_os_str() == uuid)).collect()
}

fn check(path: &Path, at: impl Fn(usize) -> usize) {
    let (disk, [uuid, _]) = made();
    let path =
        files_of(&disk, &uuid).into_iter().find(|file| file.file_name() == path.file_name()).expect("the same run");
    let mut place = 0;
    disk.damage(&path, |bytes| {
        place = at(bytes.len()).min(bytes.len() - 1);
        bytes[place] ^= 0x10;
    });
    let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
    let said = start_damaged(&disk);
    let names_it = said.as_ref().is_none_or(|said| said.contains(name) && said.contains("offset"));
    assert!(names_it, "{} damaged at {place}: {said:?}", path.display());
    let is_last_group = name.starts_with("translog") && said.is_none();
    assert!(said.is_some() || is_last_group, "{} damaged at {place} was not noticed", path.display());
}

#[test]
fn damage_is_found_and_named_and_others_serve_on() {
    let (disk, [uuid, _]) = made();
    let files = files_of(&disk, &uuid);
    let kinds = ["commit-", ".seg", ".live", "translog-"];
    for kind in kinds {
        let path = files.iter().find(|path| path.display().to_string().contains(kind));
        let path = path.unwrap_or_else(|| panic!("no file of kind {kind} among {files:?}"));
        // Not at the very end of a translog: what was written last cannot be told from what a power cut tore.
        for part in [0, 1, 4, 6] {
            check(path, |len| len * part / 8);
        }
    }
}
