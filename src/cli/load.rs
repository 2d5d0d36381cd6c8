//! `pith load`: documents from a file or stdin into an index, by `_bulk`.
//!
//! Lines are documents; where the first line is an action (`{"index":{…}}`), the file is a bulk body already and its
//! actions are sent as they are. Batches go out over a few connections at a time. What a server refuses for now (429) is
//! sent again, later and later; what it refuses for good is shown and counted.

use super::client::{Answer, Client, Endpoint};
use clap::Args;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pith_engine::json::{self, Value};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct LoadArgs {
    /// The server, such as http://127.0.0.1:9200.
    #[arg(long, value_name = "URL")]
    url: String,
    /// The index that documents go to.
    #[arg(long, value_name = "INDEX")]
    index: String,
    /// Documents in one request, at most.
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    batch: u32,
    /// Requests at a time.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    concurrency: u32,
    /// JSON lines; `-` is stdin.
    #[arg(value_name = "FILE|-")]
    file: String,
}

/// A request's body is sent when it has grown to this.
const BATCH_BYTES: usize = 4 << 20;
/// A longer line is an error; a server takes bodies of 100 MB at most.
const LINE_BYTES_MAX: u64 = 95 << 20;
const ATTEMPTS_MAX: u32 = 12;
const BACKOFF_FIRST: Duration = Duration::from_millis(50);
const BACKOFF_MAX: Duration = Duration::from_secs(10);
/// Refused documents that are shown one by one.
const SHOWN_MAX: u64 = 5;

pub fn load(args: &LoadArgs) -> Result<(), String> {
    let endpoint = Endpoint::parse(&args.url)?;
    let (input, length): (Box<dyn Read>, Option<u64>) = match args.file.as_str() {
        "-" => (Box::new(io::stdin().lock()), None),
        path => {
            let file = File::open(Path::new(path)).map_err(|error| format!("cannot open [{path}]: {error}"))?;
            let length = file.metadata().ok().filter(|meta| meta.is_file()).map(|meta| meta.len());
            (Box::new(file), length)
        }
    };
    let started = Instant::now();
    let shared = Arc::new(Shared::new(progress(length)));
    let (batches, queue) = sync_channel(args.concurrency as usize);
    let queue = Arc::new(Mutex::new(queue));
    let path = format!("/{}/_bulk", escape(&args.index));
    let reading = std::thread::scope(|scope| {
        for _ in 0..args.concurrency {
            let (queue, shared, path, endpoint) = (queue.clone(), shared.clone(), path.as_str(), endpoint.clone());
            scope.spawn(move || send_batches(&queue, &shared, path, endpoint));
        }
        // Moved in, so that the senders see the end of the queue when the reader is done.
        let batches = batches;
        read_batches(BufReader::with_capacity(1 << 20, input), args.batch as usize, &batches, &shared)
    });
    shared.bar.finish_and_clear();
    report(&shared, started.elapsed());
    if let Some(failure) = shared.failure.lock().map_err(|_| "a sender panicked")?.take() {
        return Err(failure);
    }
    reading?;
    match shared.refused.load(Ordering::Relaxed) {
        0 => Ok(()),
        refused => Err(format!("{refused} documents were refused")),
    }
}

/// What reader and senders have in common.
struct Shared {
    bar: ProgressBar,
    indexed: AtomicU64,
    refused: AtomicU64,
    retried: AtomicU64,
    bytes: AtomicU64,
    /// Set with `failure`: nobody goes on.
    failed: AtomicBool,
    failure: Mutex<Option<String>>,
}

impl Shared {
    fn new(bar: ProgressBar) -> Self {
        Self {
            bar,
            indexed: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            retried: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    fn fail(&self, message: String) {
        if let Ok(mut failure) = self.failure.lock() {
            failure.get_or_insert(message);
        }
        self.failed.store(true, Ordering::Relaxed);
    }

    fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

/// Action and document lines of one request; `spans` are the ends of its operations.
struct Batch {
    body: Vec<u8>,
    ends: Vec<usize>,
}

fn progress(length: Option<u64>) -> ProgressBar {
    let template = match length {
        Some(_) => "{spinner} {bytes}/{total_bytes} [{wide_bar}] {percent}% {msg} {eta}",
        None => "{spinner} {bytes} {msg} {elapsed}",
    };
    let bar = match length {
        Some(length) => ProgressBar::new(length),
        None => ProgressBar::new_spinner(),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

fn read_batches(
    mut input: impl BufRead,
    documents_max: usize,
    batches: &SyncSender<Batch>,
    shared: &Shared,
) -> Result<(), String> {
    let mut batch = Batch { body: vec![], ends: vec![] };
    let mut line = vec![];
    let mut number: u64 = 0;
    let mut actions: Option<bool> = None;
    loop {
        line.clear();
        let read = input.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line);
        let read = read.map_err(|error| format!("cannot read line {}: {error}", number + 1))?;
        if read == 0 || shared.has_failed() {
            break;
        }
        number += 1;
        if line.len() as u64 > LINE_BYTES_MAX {
            return Err(format!("line {number} is longer than {}", HumanBytes(LINE_BYTES_MAX)));
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        let with_actions = *actions.get_or_insert_with(|| action_of(&line).is_some());
        if with_actions {
            let action =
                action_of(&line).ok_or_else(|| format!("line {number} is no action, unlike the first line"))?;
            batch.body.extend_from_slice(&line);
            if action != "delete" {
                line.clear();
                input
                    .read_until(b'\n', &mut line)
                    .map_err(|error| format!("cannot read line {}: {error}", number + 1))?;
                number += 1;
                if line.trim_ascii().is_empty() {
                    return Err(format!("the action of line {} has no document", number - 1));
                }
                batch.body.extend_from_slice(line.trim_ascii_end());
                batch.body.push(b'\n');
            }
        } else {
            batch.body.extend_from_slice(b"{\"index\":{}}\n");
            batch.body.extend_from_slice(&line);
        }
        batch.ends.push(batch.body.len());
        if batch.ends.len() >= documents_max || batch.body.len() >= BATCH_BYTES {
            let full = std::mem::replace(&mut batch, Batch { body: vec![], ends: vec![] });
            if batches.send(full).is_err() {
                return Ok(());
            }
        }
    }
    if !batch.ends.is_empty() {
        // Whoever took batches has failed, and said so.
        let _ = batches.send(batch);
    }
    Ok(())
}

/// The action that a line is, if it is one: an object with one of four keys, whose value is an object.
fn action_of(line: &[u8]) -> Option<&'static str> {
    if line.len() > 4096 {
        return None;
    }
    let value = json::parse(line.trim_ascii()).ok()?;
    let map = value.as_object().filter(|map| map.len() == 1)?;
    let (key, value) = map.iter().next()?;
    value.as_object()?;
    ["index", "create", "update", "delete"].into_iter().find(|action| *action == key)
}

fn send_batches(queue: &Mutex<Receiver<Batch>>, shared: &Shared, path: &str, endpoint: Endpoint) {
    let mut client = Client::new(endpoint);
    loop {
        let next = queue.lock().ok().and_then(|queue| queue.recv().ok());
        let Some(batch) = next else { return };
        if shared.has_failed() {
            // The queue is emptied, so that the reader does not wait for a place in it.
            continue;
        }
        let bytes = batch.body.len() as u64;
        if let Err(message) = send(&mut client, shared, path, batch) {
            shared.fail(message);
            continue;
        }
        shared.bar.inc(bytes);
        shared.bytes.fetch_add(bytes, Ordering::Relaxed);
        let elapsed = shared.bar.elapsed().as_secs_f64().max(0.001);
        let indexed = shared.indexed.load(Ordering::Relaxed);
        shared.bar.set_message(format!(
            "{} docs, {}/s",
            HumanCount(indexed),
            HumanCount((indexed as f64 / elapsed) as u64)
        ));
    }
}

/// Sends a batch until every operation of it is done or refused for good.
fn send(client: &mut Client, shared: &Shared, path: &str, mut batch: Batch) -> Result<(), String> {
    for attempt in 1..=ATTEMPTS_MAX {
        let answer = client.request("POST", path, "application/x-ndjson", &batch.body);
        let answer = answer.map_err(|error| format!("request failed: {error}"))?;
        let again = match answer.status {
            200 => count_results(shared, &batch, &answer.body)?,
            429 | 503 => batch_of(&batch, 0..batch.ends.len()),
            _ => return Err(refusal(&answer)),
        };
        if again.ends.is_empty() {
            return Ok(());
        }
        if attempt == ATTEMPTS_MAX {
            return Err(format!("the server was too busy for {ATTEMPTS_MAX} attempts: {}", refusal(&answer)));
        }
        shared.retried.fetch_add(again.ends.len() as u64, Ordering::Relaxed);
        batch = again;
        let asked = answer.retry_after_s.map(Duration::from_secs);
        std::thread::sleep(asked.unwrap_or_else(|| backoff(attempt)).min(BACKOFF_MAX));
    }
    Ok(())
}

/// Twice as long each time, with up to half of it more so that senders do not return all at once.
fn backoff(attempt: u32) -> Duration {
    let base = BACKOFF_FIRST.saturating_mul(1 << (attempt - 1).min(16)).min(BACKOFF_MAX);
    base.mul_f64(1.0 + fastrand::f64() / 2.0)
}

/// Counts what a bulk answer says of each operation; gives those to be sent again.
fn count_results(shared: &Shared, batch: &Batch, body: &[u8]) -> Result<Batch, String> {
    let answer = json::parse(body).map_err(|error| format!("the server's answer is not JSON: {error}"))?;
    let items = answer.get("items").and_then(Value::as_array).ok_or("the server's answer has no items")?;
    if items.len() != batch.ends.len() {
        return Err(format!("{} operations were sent and {} answered", batch.ends.len(), items.len()));
    }
    let mut again = vec![];
    for (at, item) in items.iter().enumerate() {
        let result = item.as_object().and_then(|map| map.iter().next()).map(|(_, result)| result);
        let status = result.and_then(|result| result.get("status")?.as_i64()).unwrap_or(0);
        match status {
            200..=299 => drop(shared.indexed.fetch_add(1, Ordering::Relaxed)),
            429 | 503 => again.push(at),
            _ => {
                if shared.refused.fetch_add(1, Ordering::Relaxed) < SHOWN_MAX {
                    let error = result.and_then(|result| result.get("error")).map(Value::to_text).unwrap_or_default();
                    shared.bar.suspend(|| eprintln!("refused ({status}): {error}"));
                }
            }
        }
    }
    Ok(batch_of(batch, again))
}

fn batch_of(batch: &Batch, operations: impl IntoIterator<Item = usize>) -> Batch {
    let mut part = Batch { body: vec![], ends: vec![] };
    for at in operations {
        let from = if at == 0 { 0 } else { batch.ends[at - 1] };
        part.body.extend_from_slice(&batch.body[from..batch.ends[at]]);
        part.ends.push(part.body.len());
    }
    part
}

fn refusal(answer: &Answer) -> String {
    let text = String::from_utf8_lossy(&answer.body);
    let short: String = text.chars().take(500).collect();
    format!("the server answered {}: {short}", answer.status)
}

fn report(shared: &Shared, elapsed: Duration) {
    let seconds = elapsed.as_secs_f64().max(0.001);
    let indexed = shared.indexed.load(Ordering::Relaxed);
    let bytes = shared.bytes.load(Ordering::Relaxed);
    eprintln!(
        "{} documents ({}) in {seconds:.1} s: {}/s, {}/s; {} refused, {} sent again",
        HumanCount(indexed),
        HumanBytes(bytes),
        HumanCount((indexed as f64 / seconds) as u64),
        HumanBytes((bytes as f64 / seconds) as u64),
        HumanCount(shared.refused.load(Ordering::Relaxed)),
        HumanCount(shared.retried.load(Ordering::Relaxed)),
    );
}

/// The name as a path segment.
fn escape(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => escaped.push(byte as char),
            _ => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batches(text: &str, documents_max: usize) -> Result<Vec<(String, usize)>, String> {
        let (sender, receiver) = sync_channel(100);
        read_batches(text.as_bytes(), documents_max, &sender, &Shared::new(ProgressBar::hidden()))?;
        drop(sender);
        Ok(receiver.iter().map(|batch| (String::from_utf8(batch.body).unwrap(), batch.ends.len())).collect())
    }

    #[test]
    fn plain_documents_get_actions() {
        let got = batches("{\"a\":1}\n\n{\"a\":2}\n{\"a\":3}", 2).unwrap();
        let first = "{\"index\":{}}\n{\"a\":1}\n{\"index\":{}}\n{\"a\":2}\n".to_owned();
        assert_eq!(got, [(first, 2), ("{\"index\":{}}\n{\"a\":3}\n".to_owned(), 1)]);
    }

    #[test]
    fn actions_are_kept() {
        let text = "{\"index\":{\"_id\":\"1\"}}\n{\"a\":1}\n{\"delete\":{\"_id\":\"2\"}}\n{\"create\":{}}\n{\"a\":3}\n";
        assert_eq!(batches(text, 100).unwrap(), [(text.to_owned(), 3)]);
        assert!(batches("{\"index\":{}}\n", 1).is_err());
        assert!(batches("{\"delete\":{}}\n{\"a\":3}\n", 9).is_err());
    }

    #[test]
    fn busy_operations_are_sent_again() {
        let shared = Shared::new(ProgressBar::hidden());
        let batch = Batch { body: b"a\nb\nc\n".to_vec(), ends: vec![2, 4, 6] };
        let body =
            br#"{"items":[{"index":{"status":201}},{"index":{"status":429}},{"index":{"status":400,"error":{}}}]}"#;
        let again = count_results(&shared, &batch, body).unwrap();
        assert_eq!((again.body.as_slice(), again.ends.as_slice()), (&b"b\n"[..], &[2][..]));
        assert_eq!(shared.indexed.load(Ordering::Relaxed), 1);
        assert_eq!(shared.refused.load(Ordering::Relaxed), 1);
    }
}
