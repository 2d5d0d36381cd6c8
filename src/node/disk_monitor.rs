//! The disk below the data folder: when it is nearly full, indexes take no more writes until there is room again.
//!
//! Runs on the managing core. It looks when the time that `cluster.info.update.interval` gives has passed, and whenever one of
//! the settings that it goes by has changed.

use crate::cluster::{Change, State};
use crate::coordinate::Core;
use crate::observe::system::{self, Disk};
use crate::settings::SettingsUpdate;
use crate::settings::units::{parse_bytes, parse_time_ms};
use pith_engine::Result;
use pith_net::rt;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// Watches the disk for as long as the core runs.
pub fn start(core: Rc<Core>, folder: PathBuf) {
    let watching = async move {
        loop {
            let rules = Rules::of(&core.state());
            let path = folder.clone();
            let disk = rt::offload(move || system::disk(&path)).await;
            if let Err(error) = enforce(&core, rules.verdict(&disk)).await {
                tracing::warn!("what the use of the disk asks for could not be done: {error}");
            }
            let changed = core.wait_for(|now| Rules::of(now) != rules);
            rt::timeout(rules.interval, changed).await;
        }
    };
    rt::spawn(watching).detach();
}

/// What the settings say.
#[derive(Clone, Debug, PartialEq)]
struct Rules {
    enabled: bool,
    high: Mark,
    flood: Mark,
    interval: Duration,
    releases_creation: bool,
}

/// How full a disk may be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    UsedPercent(f64),
    FreeBytes(u64),
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Verdict {
    /// Whether indexes take no more writes; `None` leaves each as it is.
    block_writes: Option<bool>,
    /// Whether no more indexes are made; `None` leaves that as it is.
    block_creation: Option<bool>,
}

impl Rules {
    fn of(state: &State) -> Self {
        let text = |key: &str, default: &str| state.cluster_setting(key).unwrap_or_else(|| default.to_owned());
        let mark = |name: &str, default: &str| {
            let key = format!("cluster.routing.allocation.disk.watermark.{name}");
            Mark::parse(&key, &text(&key, default))
        };
        let interval = text("cluster.info.update.interval", "30s");
        let ms = parse_time_ms("cluster.info.update.interval", &interval).unwrap_or(30_000);
        Self {
            enabled: text("cluster.routing.allocation.disk.threshold_enabled", "true") == "true",
            high: mark("high", "90%"),
            flood: mark("flood_stage", "95%"),
            interval: Duration::from_millis(ms.max(1_000).unsigned_abs()),
            releases_creation: text("cluster.blocks.create_index.auto_release", "true") == "true",
        }
    }

    fn verdict(&self, disk: &Disk) -> Verdict {
        if !self.enabled {
            return Verdict { block_writes: Some(false), block_creation: None };
        }
        let (high, flood) = (self.high.is_passed(disk), self.flood.is_passed(disk));
        Verdict {
            block_writes: if flood { Some(true) } else { (!high).then_some(false) },
            // The only node is all the nodes there are.
            block_creation: if high || flood { Some(true) } else { self.releases_creation.then_some(false) },
        }
    }
}

impl Mark {
    /// A percentage, a ratio or the bytes that have to be free; the settings' table lets nothing else in.
    fn parse(key: &str, text: &str) -> Self {
        let percent = match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().ok(),
            None => text.parse::<f64>().ok().map(|ratio| ratio * 100.0),
        };
        match percent {
            Some(percent) => Self::UsedPercent(percent),
            None => Self::FreeBytes(parse_bytes(key, text).map_or(0, |bytes| bytes.max(0).unsigned_abs())),
        }
    }

    /// A disk of which nothing is known passes no mark.
    fn is_passed(self, disk: &Disk) -> bool {
        if disk.total_bytes == 0 {
            return false;
        }
        match self {
            Self::UsedPercent(percent) => {
                let free = disk.available_bytes as f64 * 100.0 / disk.total_bytes as f64;
                free < 100.0 - percent
            }
            Self::FreeBytes(bytes) => disk.available_bytes < bytes,
        }
    }
}

async fn enforce(core: &Core, verdict: Verdict) -> Result<()> {
    let state = core.state();
    if let Some(blocked) = verdict.block_writes
        && state.indices.values().any(|index| index.flag("index.blocks.read_only_allow_delete") != blocked)
    {
        match blocked {
            true => tracing::warn!("the flood-stage watermark of the disk is passed: indexes take no more writes"),
            false => tracing::info!("there is room on the disk again: indexes take writes"),
        }
        core.submit(Change::GuardDisk { blocked }).await?;
    }
    let key = "cluster.blocks.create_index";
    if let Some(blocked) = verdict.block_creation
        && (state.cluster_setting(key).as_deref() == Some("true")) != blocked
    {
        let mut persistent = SettingsUpdate::default();
        persistent.insert(key, blocked.then(|| "true".into()));
        core.submit(Change::PutClusterSettings { persistent, transient: SettingsUpdate::default() }).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(available_percent: u64) -> Disk {
        Disk { total_bytes: 1_000 << 20, available_bytes: (available_percent * 10) << 20, ..Disk::default() }
    }

    fn rules() -> Rules {
        Rules {
            enabled: true,
            high: Mark::UsedPercent(90.0),
            flood: Mark::UsedPercent(95.0),
            interval: Duration::from_secs(30),
            releases_creation: true,
        }
    }

    #[test]
    fn marks_are_shares_or_bytes() {
        assert_eq!(Mark::parse("k", "85%"), Mark::UsedPercent(85.0));
        assert_eq!(Mark::parse("k", "0.5"), Mark::UsedPercent(50.0));
        assert_eq!(Mark::parse("k", "1gb"), Mark::FreeBytes(1 << 30));
        assert!(Mark::FreeBytes(60 << 20).is_passed(&disk(5)) && !Mark::FreeBytes(40 << 20).is_passed(&disk(5)));
    }

    #[test]
    fn writes_stop_at_the_flood_stage_and_go_on_below_the_high_mark() {
        let verdict = |available: u64| rules().verdict(&disk(available));
        assert_eq!(verdict(4), Verdict { block_writes: Some(true), block_creation: Some(true) });
        assert_eq!(verdict(7), Verdict { block_writes: None, block_creation: Some(true) });
        assert_eq!(verdict(50), Verdict { block_writes: Some(false), block_creation: Some(false) });
        let off = Rules { enabled: false, ..rules() };
        assert_eq!(off.verdict(&disk(1)), Verdict { block_writes: Some(false), block_creation: None });
        assert_eq!(rules().verdict(&Disk::default()).block_writes, Some(false));
    }
}
