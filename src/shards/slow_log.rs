//! The slow logs: searches and writes that took longer than their index allows, each at the level whose threshold it passed.

use super::search::SearchAsk;
use pith_engine::json;
use pith_engine::shard::{OpKind, WriteOp};
use pith_engine::{Error, Result};
use std::time::Duration;
use tracing::Level;

/// Logs a line at a level that is known only now.
macro_rules! log {
    ($level:expr, $target:literal, $line:expr) => {
        match $level {
            Level::WARN => tracing::warn!(target: $target, "{}", $line),
            Level::INFO => tracing::info!(target: $target, "{}", $line),
            Level::DEBUG => tracing::debug!(target: $target, "{}", $line),
            _ => tracing::trace!(target: $target, "{}", $line),
        }
    };
}
/// The levels, from the one that is logged first.
const LEVELS: [(&str, Level); 4] =
    [("warn", Level::WARN), ("info", Level::INFO), ("debug", Level::DEBUG), ("trace", Level::TRACE)];

/// From which time on something is logged, by level as in [`LEVELS`]; `None`: never.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thresholds([Option<Duration>; 4]);

impl Thresholds {
    /// Reads `<prefix>.warn` and so on. Levels below that of the log are left out.
    pub fn read<'a>(
        prefix: &str,
        lowest: &str,
        get: impl Fn(&str) -> Option<&'a str>,
        time: impl Fn(&str, &str) -> Result<Option<Duration>>,
    ) -> Result<Self> {
        let mut thresholds = Self::default();
        for (slot, (name, _)) in thresholds.0.iter_mut().zip(LEVELS) {
            let key = format!("{prefix}.{name}");
            if let Some(text) = get(&key) {
                *slot = time(&key, text)?;
            }
            if name.eq_ignore_ascii_case(lowest) {
                break;
            }
        }
        Ok(thresholds)
    }

    /// The first level whose threshold `took` has reached.
    fn level(&self, took: Duration) -> Option<Level> {
        let passed = self.0.iter().zip(LEVELS).find(|(limit, _)| limit.is_some_and(|limit| took >= limit));
        passed.map(|(_, (_, level))| level)
    }
}

/// What an index wants to be told of.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowLog {
    pub query: Thresholds,
    pub fetch: Thresholds,
    pub index: Thresholds,
    /// How many characters of a document are shown; `None`: all of them.
    pub source_chars: Option<usize>,
    /// Whether documents are put on one line.
    pub reformat: bool,
}

impl Default for SlowLog {
    fn default() -> Self {
        Self {
            query: Thresholds::default(),
            fetch: Thresholds::default(),
            index: Thresholds::default(),
            source_chars: Some(1000),
            reformat: true,
        }
    }
}

impl SlowLog {
    pub fn read<'a>(
        get: impl Fn(&str) -> Option<&'a str>,
        time: impl Fn(&str, &str) -> Result<Option<Duration>>,
    ) -> Result<Self> {
        let lowest = |key: &str| get(key).unwrap_or("trace").to_owned();
        let searches = lowest("index.search.slowlog.level");
        let writes = lowest("index.indexing.slowlog.level");
        Ok(Self {
            query: Thresholds::read("index.search.slowlog.threshold.query", &searches, &get, &time)?,
            fetch: Thresholds::read("index.search.slowlog.threshold.fetch", &searches, &get, &time)?,
            index: Thresholds::read("index.indexing.slowlog.threshold.index", &writes, &get, &time)?,
            source_chars: source_chars(get("index.indexing.slowlog.source"))?,
            reformat: get("index.indexing.slowlog.reformat") != Some("false"),
        })
    }

    /// Whether there is a time from which on searches are told of.
    pub fn tells_of_queries(&self) -> bool {
        self.query != Thresholds::default()
    }

    /// The same of fetches.
    pub fn tells_of_fetches(&self) -> bool {
        self.fetch != Thresholds::default()
    }

    pub fn query(&self, ask: &SearchAsk, shard: u32, took: Duration, hits: u64) {
        let Some(level) = self.query.level(took) else { return };
        let line = search_line(ask, shard, took, hits);
        log!(level, "index.search.slowlog.query", line);
    }

    pub fn fetch(&self, index: &str, shard: u32, took: Duration, hits: usize) {
        let Some(level) = self.fetch.level(took) else { return };
        let line = format!("[{index}][{shard}] {}, fetched[{hits} hits], id[{}]", times(took), opaque_id());
        log!(level, "index.search.slowlog.fetch", line);
    }

    pub fn written(&self, index: &str, uuid: &str, op: &WriteOp, took: Duration) {
        let Some(level) = self.index.level(took) else { return };
        let source = match &op.kind {
            OpKind::Index { source, .. } | OpKind::Create { source } => self.source(source),
            OpKind::Delete | OpKind::Update(_) => None,
        };
        let routing = op.routing.as_ref().map_or_else(String::new, |routing| format!(", routing[{routing}]"));
        let source = source.map_or_else(String::new, |source| format!(", source[{source}]"));
        let line = format!("[{index}/{uuid}] {}, id[{}]{routing}{source}", times(took), op.id);
        log!(level, "index.indexing.slowlog.index", line);
    }

    fn source(&self, source: &[u8]) -> Option<String> {
        if self.source_chars == Some(0) {
            return None;
        }
        let text = match json::parse(source) {
            Ok(value) if self.reformat => value.to_text(),
            _ => String::from_utf8_lossy(source).into_owned(),
        };
        Some(text.chars().take(self.source_chars.unwrap_or(usize::MAX)).collect())
    }
}

fn search_line(ask: &SearchAsk, shard: u32, took: Duration, hits: u64) -> String {
    let query = ask.request.query.as_ref().map_or_else(|| "match_all".to_owned(), |query| format!("{query:?}"));
    format!(
        "[{}][{shard}] {}, total_hits[{hits} hits], search_type[QUERY_THEN_FETCH], source[{query}], id[{}]",
        ask.index,
        times(took),
        opaque_id()
    )
}

fn times(took: Duration) -> String {
    let ms = took.as_secs_f64() * 1e3;
    format!("took[{ms:.1}ms], took_millis[{}]", took.as_millis())
}

/// What the client calls its request.
fn opaque_id() -> String {
    let task = crate::tasks::current();
    task.and_then(|task| task.as_parent().opaque_id).map_or_else(String::new, |id| id.to_string())
}

/// A number of characters; `true` and `-1` mean all of them, `false` none.
fn source_chars(text: Option<&str>) -> Result<Option<usize>> {
    match text {
        None => Ok(Some(1000)),
        Some("true") => Ok(None),
        Some("false") => Ok(Some(0)),
        Some(text) => match text.parse::<i64>() {
            Ok(chars) => Ok(usize::try_from(chars).ok()),
            Err(_) => Err(Error::illegal_argument(format!(
                "Failed to parse value [{text}] for setting [index.indexing.slowlog.source]"
            ))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(_: &str, text: &str) -> Result<Option<Duration>> {
        Ok(text.strip_suffix("ms").and_then(|ms| ms.parse().ok()).map(Duration::from_millis))
    }

    #[test]
    fn the_highest_level_whose_threshold_is_passed_counts() {
        let set = [
            ("index.search.slowlog.threshold.query.warn", "100ms"),
            ("index.search.slowlog.threshold.query.debug", "10ms"),
            ("index.search.slowlog.threshold.query.trace", "0ms"),
            ("index.search.slowlog.level", "DEBUG"),
            ("index.indexing.slowlog.source", "5"),
        ];
        let get = |key: &str| set.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
        let log = SlowLog::read(get, millis).unwrap();
        let level = |ms| log.query.level(Duration::from_millis(ms));
        assert_eq!([level(200), level(100), level(50)], [Some(Level::WARN), Some(Level::WARN), Some(Level::DEBUG)]);
        assert_eq!(level(5), None, "below the level of the log");
        assert_eq!(log.fetch.level(Duration::from_secs(9)), None);
        assert_eq!(log.source(br#"{ "a" : 1 }"#).as_deref(), Some(r#"{"a":"#));
        assert_eq!(SlowLog::read(|_| None, millis).unwrap(), SlowLog::default());
    }
}
