//! Changing the settings of indexes.

use super::blocks::{BlockLevel, check_cluster, check_settings_change};
use super::change::ApplyContext;
use super::create::{
    check_shard_limit, check_shard_selection, check_write_wait, default_replicas, expand_replicas, registry_of,
};
use super::{IndexId, IndexMeta, State, UnassignedInfo, UnassignedReason};
use crate::settings::{self, Settings, SettingsUpdate};
use pith_engine::mapping::Mapping;
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

/// As [`put_settings`], at a moment that is noted where it matters.
pub fn change(
    state: &mut State,
    indexes: &[IndexId],
    update: &SettingsUpdate,
    preserve_existing: bool,
    cx: &ApplyContext<'_>,
) -> Result<()> {
    let without: Vec<&IndexId> = indexes.iter().filter(|id| replicas(state, id) == 0).collect();
    put_settings(state, indexes, update, preserve_existing)?;
    for id in without {
        if replicas(state, id) == 0 {
            continue;
        }
        // The first replicas of an index are without a node from now on.
        for copy in state.routing.get_mut(&id.uuid).into_iter().flat_map(Arc::make_mut) {
            copy.replicas = UnassignedInfo::new(UnassignedReason::ReplicaAdded, cx.now_ms);
        }
    }
    Ok(())
}

fn replicas(state: &State, id: &IndexId) -> u32 {
    state.index(&id.name).map_or(0, |index| index.number_of_replicas)
}

/// Applies `update` (keys beginning with `index.`) to the indexes: all of them or none.
pub fn put_settings(
    state: &mut State,
    indexes: &[IndexId],
    update: &SettingsUpdate,
    preserve_existing: bool,
) -> Result<()> {
    let current: Vec<Arc<IndexMeta>> =
        indexes.iter().map(|id| state.expect_index(id).cloned()).collect::<Result<_>>()?;
    check_cluster(state, BlockLevel::MetadataWrite)?;
    check_settings_change(state, current.iter().map(|index| &**index), only_key(update))?;
    settings::check_index_update(update)?;
    check_open_indexes(&current, update)?;
    check_replicas(state, &current, update)?;
    let replicas = default_replicas(state);
    for index in current {
        let settings = updated(&index, update, preserve_existing, &replicas)?;
        if settings == index.settings {
            continue;
        }
        let next = with_settings(&index, settings)?;
        state.indices.insert(next.name.clone(), Arc::new(next));
    }
    Ok(())
}

/// Sets or lifts the block of full disks on all indexes, whatever other blocks they have.
pub fn guard_disk(state: &mut State, blocked: bool) -> Result<()> {
    let key = "index.blocks.read_only_allow_delete";
    let mut update = SettingsUpdate::default();
    update.insert(key, blocked.then(|| "true".into()));
    let others: Vec<Arc<IndexMeta>> =
        state.indices.values().filter(|index| index.flag(key) != blocked).cloned().collect();
    for index in others {
        let next = with_settings(&index, index.settings.updated(&update))?;
        state.indices.insert(next.name.clone(), Arc::new(next));
    }
    Ok(())
}

/// The key of an update that has one.
fn only_key(update: &SettingsUpdate) -> Option<&str> {
    let mut entries = update.iter();
    entries.next().filter(|_| entries.next().is_none()).map(|(key, _)| key.as_str())
}

fn check_open_indexes(indexes: &[Arc<IndexMeta>], update: &SettingsUpdate) -> Result<()> {
    let fixed: Vec<&str> =
        update.iter().map(|(key, _)| key.as_str()).filter(|key| settings::is_static_of_index(key)).collect();
    let open: Vec<String> =
        indexes.iter().filter(|index| index.is_open()).map(|index| index.id().to_string()).collect();
    if fixed.is_empty() || open.is_empty() {
        return Ok(());
    }
    Err(Error::illegal_argument(format!(
        "Can't update non dynamic settings [[{}]] for open indices [{}]",
        fixed.join(", "),
        open.join(", ")
    )))
}

fn check_replicas(state: &State, indexes: &[Arc<IndexMeta>], update: &SettingsUpdate) -> Result<()> {
    let Some(Some(replicas)) = update.get(REPLICAS) else { return Ok(()) };
    let replicas: u64 = replicas.text().trim().parse().unwrap_or(0);
    let added = indexes.iter().map(|index| {
        let more = replicas.saturating_sub(u64::from(index.number_of_replicas));
        more * u64::from(index.number_of_shards)
    });
    match added.sum() {
        0 => Ok(()),
        added => check_shard_limit(state, added),
    }
}

/// What an index always says of itself.
const REPLICAS: &str = "index.number_of_replicas";

fn updated(
    index: &IndexMeta,
    update: &SettingsUpdate,
    preserve_existing: bool,
    default_replicas: &str,
) -> Result<Settings> {
    for (key, value) in update.iter() {
        if key.contains('*') && value.is_some() {
            return Err(Error::new(ErrorKind::Settings, format!("{} setting [{key}], not recognized", index.name)));
        }
        if settings::is_final_of_index(key) {
            return Err(Error::new(
                ErrorKind::Settings,
                format!("final {} setting [{key}], not updateable", index.name),
            ));
        }
    }
    let mut applied = SettingsUpdate::default();
    for (key, value) in update.iter() {
        if !(preserve_existing && index.settings.is_said(key)) {
            applied.insert(key.clone(), value.clone());
        }
    }
    let mut settings = index.settings.updated(&applied);
    for (key, value) in index.settings.iter() {
        // A pattern resets what may be reset; what makes the index what it is stays.
        if !settings.contains(key) && settings::is_kept(key) {
            settings.insert(key.clone(), value.clone());
        }
    }
    if !settings.contains(REPLICAS) {
        settings.insert(REPLICAS, default_replicas);
    }
    settings::check_index(&settings)?;
    check_derived_source(&settings)?;
    check_shard_selection(&index.name, &settings)?;
    expand_replicas(&mut settings);
    Ok(settings)
}

/// What the log of writes keeps of derived sources is said where sources are derived.
fn check_derived_source(settings: &Settings) -> Result<()> {
    const DERIVED: &str = "index.derived_source.enabled";
    const LOGGED: &str = "index.derived_source.translog.enabled";
    let is_on = |key: &str| settings.text(key) == Some("true");
    if is_on(LOGGED) && !is_on(DERIVED) {
        let reason = format!("The {LOGGED} can't be set when {DERIVED} setting is disabled");
        return Err(Error::illegal_argument(reason));
    }
    Ok(())
}

/// The index with other settings, and what follows from them.
fn with_settings(index: &IndexMeta, settings: Settings) -> Result<IndexMeta> {
    let mut next = index.clone();
    let replicas = settings.text("index.number_of_replicas").and_then(|text| text.trim().parse().ok());
    next.number_of_replicas = replicas.unwrap_or(1);
    check_write_wait(&settings, next.number_of_replicas)?;
    next.hidden = settings.text("index.hidden") == Some("true");
    let limits = settings::mapping_settings(&settings);
    let analysis_differs = !settings.with_prefix("index.analysis.").eq(index.settings.with_prefix("index.analysis."));
    let limits_differ = limits != settings::mapping_settings(&index.settings);
    if analysis_differs || limits_differ || index.unreadable.is_some() {
        next.registry = registry_of(&settings)?;
        next.mapping = Arc::new(Mapping::held(index.mapping_source.as_ref(), &next.registry, &limits)?);
        next.unreadable = None;
    }
    next.settings = settings;
    next.version += 1;
    next.settings_version += 1;
    Ok(next)
}
