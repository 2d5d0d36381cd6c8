//! kill -9: a child process writes and tells what was acknowledged; the parent kills it at some moment and opens what it left.

use super::tests::{Data, addr, open, source, write};
use super::{RefreshPolicy, ShardRequest};
use pith_engine::shard::WriteOp;
use pith_net::rt;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FOLDER: &str = "PITH_CRASH_TEST_FOLDER";
const SEED: &str = "PITH_CRASH_TEST_SEED";
const ROUNDS: u64 = 12;

/// What the child does when it is told a folder; nothing otherwise.
#[test]
fn crash_child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let seed: u64 = std::env::var(SEED).unwrap().parse().unwrap();
    rt::block_on(move || async move { churn(PathBuf::from(folder), seed).await });
}

/// Mixed writes and upkeep without end. After each acknowledgement: a line `<id> <value>`, `-` for a deleted document.
async fn churn(folder: PathBuf, seed: u64) {
    let host = open(&folder).await;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut out = std::io::stdout();
    for n in seed * 1_000_000.. {
        let id = format!("id{}", random.u32(0..40));
        let delete = random.u8(0..4) == 0;
        // What is begun may be there after the crash; what is acknowledged must be.
        let value = if delete { "-".to_owned() } else { n.to_string() };
        writeln!(out, "begin {id} {value}").unwrap();
        let op = match delete {
            true => WriteOp::delete(&*id),
            false => WriteOp::index(&*id, format!(r#"{{"n":{n}}}"#)),
        };
        write(&host, vec![op], RefreshPolicy::None).await.unwrap().results.pop().unwrap().unwrap();
        writeln!(out, "done {id} {value}").unwrap();
        let upkeep = match random.u8(0..60) {
            0 => ShardRequest::Flush { force: true, wait_if_ongoing: true },
            1 | 2 => ShardRequest::Refresh,
            3 => ShardRequest::ForceMerge { max_segments: Some(1), only_expunge_deletes: false, flush: false },
            _ => continue,
        };
        let host = host.clone();
        rt::spawn(async move { host.handle(&addr(), upkeep).await.unwrap() }).detach();
    }
}

/// By id: the last value acknowledged, and one begun after it, if any.
type Known = BTreeMap<String, (Option<String>, Option<String>)>;

fn run_and_kill(folder: &std::path::Path, seed: u64, after: Duration, known: &mut Known) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "shards::crash_tests::crash_child", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut deadline = None;
    for line in lines.map_while(Result::ok) {
        let words: Vec<&str> = line.split(' ').collect();
        let &[event, id, value] = words.as_slice() else { continue };
        let (acknowledged, begun) = known.entry(id.to_owned()).or_default();
        match event {
            "begin" => *begun = Some(value.to_owned()),
            "done" => (*acknowledged, *begun) = (Some(value.to_owned()), None),
            _ => continue,
        }
        // The clock starts with the first write: opening takes its own time.
        if *deadline.get_or_insert_with(|| Instant::now() + after) <= Instant::now() {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
}

async fn check(folder: &std::path::Path, known: &mut Known) -> usize {
    let host = open(folder).await;
    let mut acknowledged_count = 0;
    for (id, (acknowledged, begun)) in known {
        let found = source(&host, id).await.map_or("-".to_owned(), |source| source[5..source.len() - 1].to_owned());
        let fits = [&*acknowledged, &*begun].into_iter().flatten().any(|value| *value == found);
        // Never acknowledged: the document may be missing.
        assert!(fits || (acknowledged.is_none() && found == "-"), "{id}: {found}, not {acknowledged:?} or {begun:?}");
        acknowledged_count += usize::from(acknowledged.is_some());
        (*acknowledged, *begun) = (Some(found), None);
    }
    acknowledged_count
}

#[test]
fn kill_9_loses_nothing_that_was_acknowledged() {
    let data = Data::new("crash");
    let mut known = Known::new();
    for round in 0..ROUNDS {
        let after = Duration::from_millis(40 + 37 * round % 200);
        run_and_kill(&data.0, round + 1, after, &mut known);
        let path = data.0.clone();
        let (checked, seen) = rt::block_on(move || async move {
            let seen = check(&path, &mut known).await;
            (known, seen)
        });
        known = checked;
        assert!(seen > 0, "round {round}: the child wrote nothing");
    }
}
