//! Changing the settings of the cluster.

use super::State;
use super::blocks::{BlockLevel, check_cluster};
use super::change::Outcome;
use super::watermarks;
use crate::settings::units::{parse_time_ms, time_text};
use crate::settings::{self, Setting, Settings, SettingsUpdate};
use pith_engine::{Error, ErrorKind, Result};

/// Applies both updates or none.
pub fn put_settings(state: &mut State, persistent: &SettingsUpdate, transient: &SettingsUpdate) -> Result<Outcome> {
    if persistent.is_empty() && transient.is_empty() {
        return Err(Error::new(ErrorKind::ActionRequestValidation, "Validation Failed: 1: no settings to update;"));
    }
    if !lifts_blocks_only(persistent, transient) {
        check_cluster(state, BlockLevel::MetadataWrite)?;
    }
    check_update("transient", transient)?;
    check_update("persistent", persistent)?;
    state.transient = state.transient.updated(transient);
    state.persistent = state.persistent.updated(persistent);
    if transient.iter().chain(persistent.iter()).any(|(key, _)| key.starts_with(watermarks::PREFIX)) {
        watermarks::check(|key| state.cluster_setting(key))?;
    }
    check_keep_alive(state, POINT_IN_TIME_KEEP_ALIVE, " for PIT")?;
    check_keep_alive(state, SCROLL_KEEP_ALIVE, "")?;
    Ok(Outcome::ClusterSettings {
        persistent: effective(persistent, &state.persistent),
        transient: effective(transient, &state.transient),
    })
}

const POINT_IN_TIME_KEEP_ALIVE: &str = "point_in_time.max_keep_alive";
const SCROLL_KEEP_ALIVE: &str = "search.max_keep_alive";

/// What is kept alive without a wish may not be kept longer than what has one.
fn check_keep_alive(state: &State, most_key: &str, of: &str) -> Result<()> {
    const DEFAULT_KEY: &str = "search.default_keep_alive";
    let ms = |key: &str| {
        let default = || settings::cluster_setting(key).map(|row| row.default.to_owned()).unwrap_or_default();
        parse_time_ms(key, &state.cluster_setting(key).unwrap_or_else(default))
    };
    let (default, most) = (ms(DEFAULT_KEY)?, ms(most_key)?);
    if default <= most {
        return Ok(());
    }
    let (default, most) = (time_text(default), time_text(most));
    Err(Error::illegal_argument(format!(
        "Default keep alive setting for request [{DEFAULT_KEY}] should be smaller than max keep alive{of} [{most_key}], was ({default} > {most})"
    )))
}

/// What of an update stands now.
fn effective(update: &SettingsUpdate, now: &Settings) -> Settings {
    update
        .to_settings()
        .iter()
        .filter(|(key, _)| now.contains(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn lifts_blocks_only(persistent: &SettingsUpdate, transient: &SettingsUpdate) -> bool {
    let lifts = |(key, value): (&String, &Option<Setting>)| {
        super::blocks::CLUSTER_BLOCKS.iter().any(|block| block.setting == key)
            && value.as_ref().is_none_or(|value| value.text() == "false")
    };
    persistent.iter().chain(transient.iter()).all(lifts)
}

fn check_update(which: &str, update: &SettingsUpdate) -> Result<()> {
    for (key, value) in update.iter() {
        // What was archived can only be taken away, and nothing is.
        if value.is_none() && (key.contains('*') || key.starts_with("archived.")) {
            continue;
        }
        let refused = |what: &str| Err(Error::new(ErrorKind::Settings, format!("{which} setting [{key}], {what}")));
        match settings::cluster_setting(key) {
            None => return refused("not recognized"),
            Some(row) if row.is_final() => {
                return Err(Error::new(ErrorKind::Settings, format!("final {which} setting [{key}], not updateable")));
            }
            Some(row) if !row.is_dynamic() => return refused("not dynamically updateable"),
            Some(row) => {
                settings::note_deprecated(key);
                if let Some(value) = value {
                    row.check(key, value)?;
                }
            }
        }
    }
    Ok(())
}
