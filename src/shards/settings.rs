//! The settings of an index that its shards obey.

use super::slow_log::SlowLog;
use pith_engine::writer::MergeSettings;
use pith_engine::{Error, Result};
use std::time::Duration;

/// When a write may be acknowledged (`index.translog.durability`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// When it is on disk.
    Request,
    /// At once; it is on disk within the sync interval.
    Async,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShardSettings {
    /// None: only refreshes that are asked for.
    pub refresh_interval: Option<Duration>,
    /// Somebody chose the interval: then it holds for shards that nobody searches too.
    pub refresh_interval_is_explicit: bool,
    /// A shard that was not searched for so long is refreshed by the next search.
    pub search_idle_after: Duration,
    /// Writes that may wait for a refresh; more cause one.
    pub max_refresh_listeners: usize,
    pub durability: Durability,
    pub sync_interval: Duration,
    pub flush_threshold_bytes: u64,
    pub gc_deletes: Duration,
    pub merge: MergeSettings,
    /// Deleted documents per hundred that a segment keeps when they are to be expunged.
    pub expunge_deletes_allowed_pct: f64,
    /// Whether results of searches are kept when the request does not say.
    pub caches_requests: bool,
    pub slow_log: SlowLog,
}

impl Default for ShardSettings {
    fn default() -> Self {
        Self {
            refresh_interval: Some(Duration::from_secs(1)),
            refresh_interval_is_explicit: false,
            search_idle_after: Duration::from_secs(30),
            max_refresh_listeners: 1000,
            durability: Durability::Request,
            sync_interval: Duration::from_secs(5),
            flush_threshold_bytes: 512 << 20,
            gc_deletes: Duration::from_secs(60),
            merge: MergeSettings::default(),
            expunge_deletes_allowed_pct: 10.0,
            caches_requests: true,
            slow_log: SlowLog::default(),
        }
    }
}

impl ShardSettings {
    /// Reads the settings of an index; `get` gives the value of a full key (`index.refresh_interval`), if it is set.
    pub fn read<'a>(get: impl Fn(&str) -> Option<&'a str>) -> Result<Self> {
        let mut settings = Self { slow_log: SlowLog::read(&get, optional_time)?, ..Self::default() };
        if let Some(text) = get("index.refresh_interval") {
            settings.refresh_interval = optional_time("index.refresh_interval", text)?;
            settings.refresh_interval_is_explicit = true;
        }
        if let Some(text) = get("index.translog.durability") {
            settings.durability = match text.to_ascii_lowercase().as_str() {
                "request" => Durability::Request,
                "async" => Durability::Async,
                _ => return Err(invalid("index.translog.durability", text)),
            };
        }
        if let Some(text) = get("index.requests.cache.enable") {
            settings.caches_requests = text != "false";
        }
        let times = [
            ("index.search.idle.after", &mut settings.search_idle_after),
            ("index.translog.sync_interval", &mut settings.sync_interval),
            ("index.gc_deletes", &mut settings.gc_deletes),
        ];
        for (key, slot) in times {
            if let Some(text) = get(key) {
                *slot = optional_time(key, text)?.unwrap_or(Duration::MAX);
            }
        }
        let sizes = [
            ("index.translog.flush_threshold_size", &mut settings.flush_threshold_bytes),
            ("index.merge.policy.max_merged_segment", &mut settings.merge.max_merged_segment_bytes),
            ("index.merge.policy.floor_segment", &mut settings.merge.floor_segment_bytes),
        ];
        for (key, slot) in sizes {
            if let Some(text) = get(key) {
                *slot = bytes(key, text)?;
            }
        }
        let numbers = [
            ("index.merge.policy.segments_per_tier", &mut settings.merge.segments_per_tier),
            ("index.merge.policy.deletes_pct_allowed", &mut settings.merge.deletes_pct_allowed),
            ("index.merge.policy.expunge_deletes_allowed", &mut settings.expunge_deletes_allowed_pct),
        ];
        for (key, slot) in numbers {
            if let Some(text) = get(key) {
                *slot = text.parse().map_err(|_| invalid(key, text))?;
            }
        }
        let counts = [
            ("index.max_refresh_listeners", &mut settings.max_refresh_listeners),
            ("index.merge.policy.max_merge_at_once", &mut settings.merge.max_merge_at_once),
        ];
        for (key, slot) in counts {
            if let Some(text) = get(key) {
                *slot = text.parse().map_err(|_| invalid(key, text))?;
            }
        }
        Ok(settings)
    }

    pub fn gc_deletes_ms(&self) -> u64 {
        u64::try_from(self.gc_deletes.as_millis()).unwrap_or(u64::MAX)
    }
}

#[cold]
fn invalid(key: &str, text: &str) -> Error {
    Error::illegal_argument(format!("Failed to parse value [{text}] for setting [{key}]"))
}

/// A time with its unit; -1 means never.
fn optional_time(key: &str, text: &str) -> Result<Option<Duration>> {
    let text = text.trim();
    if text == "-1" {
        return Ok(None);
    }
    if text == "0" {
        return Ok(Some(Duration::ZERO));
    }
    let (number, unit_ns): (&str, f64) = split_unit(
        text,
        &[("nanos", 1.0), ("micros", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 6e10), ("h", 3.6e12), ("d", 8.64e13)],
    )
    .ok_or_else(|| invalid(key, text))?;
    let number: f64 = number.trim().parse().map_err(|_| invalid(key, text))?;
    if number < 0.0 {
        return Ok(None);
    }
    Duration::try_from_secs_f64(number * unit_ns / 1e9).map(Some).map_err(|_| invalid(key, text))
}

/// A size, in bytes where it has no unit.
fn bytes(key: &str, text: &str) -> Result<u64> {
    let lower = text.trim().to_ascii_lowercase();
    let unit = |shift: u32| f64::from(2u32).powi(shift as i32);
    let units = [
        ("pb", unit(50)),
        ("tb", unit(40)),
        ("gb", unit(30)),
        ("mb", unit(20)),
        ("kb", unit(10)),
        ("p", unit(50)),
        ("t", unit(40)),
        ("g", unit(30)),
        ("m", unit(20)),
        ("k", unit(10)),
        ("b", 1.0),
    ];
    let (number, factor) = split_unit(&lower, &units).unwrap_or((&lower, 1.0));
    let number: f64 = number.trim().parse().map_err(|_| invalid(key, text))?;
    if number < 0.0 {
        return Err(invalid(key, text));
    }
    Ok((number * factor) as u64)
}

/// The text before the unit that it ends with; units that end others come after them.
fn split_unit<'a>(text: &'a str, units: &[(&str, f64)]) -> Option<(&'a str, f64)> {
    units.iter().find_map(|(unit, factor)| text.strip_suffix(unit).map(|number| (number, *factor)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_by_their_keys() {
        let set = [
            ("index.refresh_interval", "-1"),
            ("index.translog.durability", "ASYNC"),
            ("index.translog.sync_interval", "200ms"),
            ("index.translog.flush_threshold_size", "1.5kb"),
            ("index.gc_deletes", "2m"),
            ("index.merge.policy.segments_per_tier", "5.0"),
        ];
        let read = ShardSettings::read(|key| set.iter().find(|(k, _)| *k == key).map(|(_, v)| *v)).unwrap();
        assert_eq!(read.refresh_interval, None);
        assert!(read.refresh_interval_is_explicit);
        assert_eq!((read.durability, read.sync_interval), (Durability::Async, Duration::from_millis(200)));
        assert_eq!((read.flush_threshold_bytes, read.gc_deletes), (1536, Duration::from_secs(120)));
        assert_eq!((read.merge.segments_per_tier, read.max_refresh_listeners), (5.0, 1000));
        assert_eq!(ShardSettings::read(|_| None).unwrap(), ShardSettings::default());
        assert!(ShardSettings::read(|key| (key == "index.gc_deletes").then_some("soon")).is_err());
    }
}
