//! The log: lines to stderr, written by a thread of their own, so that no core waits for whoever reads them.

use crate::settings::Settings;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt, reload};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Text,
    Json,
}

/// Lines that may wait for the log thread. What comes beyond is dropped, and counted in the next line that is not.
const LINES_MAX: usize = 4096;

static LEVELS: OnceLock<reload::Handle<Targets, Registry>> = OnceLock::new();
static LINES: OnceLock<SyncSender<Entry>> = OnceLock::new();
static DROPPED: AtomicU64 = AtomicU64::new(0);

enum Entry {
    Line(Vec<u8>),
    /// Answered when everything before it is written.
    Flush(SyncSender<()>),
}

/// Starts the log; to be called once, from `main`. `settings` may hold `logger.*`.
pub fn init(format: Format, settings: &Settings) -> io::Result<()> {
    let (lines, entries) = sync_channel(LINES_MAX);
    std::thread::Builder::new().name("log".into()).spawn(move || write_lines(&entries))?;
    if LINES.set(lines).is_err() {
        return Err(io::Error::other("the log is started already"));
    }
    let (levels, handle) = reload::Layer::new(targets(&[settings]));
    let lines = fmt::layer().with_writer(ToThread).with_ansi(false);
    let lines = match format {
        Format::Text => lines.boxed(),
        Format::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry().with(lines.with_filter(levels)).try_init().map_err(io::Error::other)?;
    let _ = LEVELS.set(handle);
    Ok(())
}

/// Makes the `logger.*` settings of `layers` count from now on; later layers go before earlier ones.
pub fn set_levels(layers: &[&Settings]) {
    if let Some(handle) = LEVELS.get() {
        // It fails only when the subscriber is gone, and then nothing is logged anyway.
        let _ = handle.reload(targets(layers));
    }
}

/// Waits until all lines are written, for a second at most.
pub fn flush() {
    let (done, written) = sync_channel(1);
    if let Some(lines) = LINES.get()
        && lines.try_send(Entry::Flush(done)).is_ok()
    {
        let _ = written.recv_timeout(Duration::from_secs(1));
    }
}

/// `logger.level` is the level of everything; `logger.org.pith.<room>` (and `logger.org.opensearch.<room>`) that of one
/// room of the program.
fn targets(layers: &[&Settings]) -> Targets {
    // What the slow logs show is settled by the settings of each index.
    let mut targets = Targets::new()
        .with_default(LevelFilter::INFO)
        .with_target("index.search.slowlog", LevelFilter::TRACE)
        .with_target("index.indexing.slowlog", LevelFilter::TRACE);
    for (key, value) in layers.iter().flat_map(|settings| settings.with_prefix("logger.")) {
        let Some(level) = level(&value.text()) else { continue };
        let name = &key["logger.".len()..];
        targets = match name {
            "level" | "_root" => targets.with_default(level),
            _ => targets.with_target(target(name), level),
        };
    }
    targets
}

/// The module path that a logger's name stands for.
fn target(name: &str) -> String {
    let room = ["org.pith", "org.opensearch", "pith"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
    match room.map(|room| room.trim_start_matches('.')) {
        None => name.replace('.', "::"),
        Some("") => "pith".to_owned(),
        Some(room) => format!("pith::{}", room.replace('.', "::")),
    }
}

fn level(name: &str) -> Option<LevelFilter> {
    Some(match name.to_ascii_uppercase().as_str() {
        "OFF" => LevelFilter::OFF,
        "FATAL" | "ERROR" => LevelFilter::ERROR,
        "WARN" => LevelFilter::WARN,
        "INFO" => LevelFilter::INFO,
        "DEBUG" => LevelFilter::DEBUG,
        "TRACE" => LevelFilter::TRACE,
        _ => return None,
    })
}

fn write_lines(entries: &Receiver<Entry>) {
    // Not locked for good: the last word of a process that fails is printed past this thread.
    let mut err = io::stderr();
    while let Ok(entry) = entries.recv() {
        let dropped = DROPPED.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            let _ = writeln!(err, "({dropped} lines of the log were dropped)");
        }
        // Whoever read stderr may be gone; the node goes on without.
        let _ = match entry {
            Entry::Line(line) => err.write_all(&line),
            Entry::Flush(done) => {
                let _ = done.try_send(());
                Ok(())
            }
        };
    }
}

/// Gathers the pieces of one line and hands them to the thread.
struct ToThread;

struct Line(Vec<u8>);

impl<'a> MakeWriter<'a> for ToThread {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line(Vec::with_capacity(200))
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let line = Entry::Line(std::mem::take(&mut self.0));
        let sent = LINES.get().map(|lines| lines.try_send(line));
        if let Some(Err(TrySendError::Full(_))) = sent {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn loggers_are_rooms() {
        assert_eq!(target("org.pith.cluster"), "pith::cluster");
        assert_eq!(target("org.opensearch.discovery"), "pith::discovery");
        assert_eq!(target("org.pith"), "pith");
        assert_eq!(target("other.thing"), "other::thing");
    }

    #[test]
    fn later_layers_win() {
        let low = Settings::from_iter([("logger.level", "WARN"), ("logger.org.pith.node", "DEBUG")]);
        let high = Settings::from_iter([("logger.org.pith.node", "error")]);
        let targets = targets(&[&low, &high]);
        assert!(targets.would_enable("pith::api", &Level::WARN));
        assert!(!targets.would_enable("pith::api", &Level::INFO));
        assert!(!targets.would_enable("pith::node::start", &Level::WARN));
        assert!(targets.would_enable("pith::node::start", &Level::ERROR));
    }
}
