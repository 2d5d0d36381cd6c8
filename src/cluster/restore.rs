//! Indexes that come back from a snapshot.

use super::change::ApplyContext;
use super::create::{Shape, check_shard_limit, expand_replicas, registry_of};
use super::encode::{global_from_value, index_from_value};
use super::names::{check_form, invalid_index_name};
use super::{
    DataStream, IndexId, IndexMeta, IndexState, Seed, ShardCopy, SnapshotSeed, State, UnassignedReason, pipelines,
    place, search_pipelines, views,
};
use crate::settings::{self, Settings, SettingsUpdate, glob};
use pith_engine::ingest::Pipelines;
use pith_engine::json::{Map, Value};
use pith_engine::mapping::Mapping;
use pith_engine::search_pipeline::Pipelines as SearchPipelines;
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

/// What of a snapshot comes back, and how.
#[derive(Clone, Debug)]
pub struct Restore {
    pub indexes: Vec<RestoreIndex>,
    pub data_streams: Vec<DataStream>,
    /// The cluster's own metadata, if that comes back too.
    pub global: Option<Value>,
    /// Settings that take the place of those of the snapshot; keys begin with `index.`.
    pub settings: SettingsUpdate,
    /// Settings (or patterns of them) that do not come back.
    pub ignored: Vec<String>,
    pub include_aliases: bool,
    /// How errors name the snapshot.
    pub shown: String,
}

#[derive(Clone, Debug)]
pub struct RestoreIndex {
    /// What it will be called.
    pub name: String,
    /// Its metadata as the snapshot has it.
    pub meta: Value,
    pub seed: SnapshotSeed,
}

/// What makes an index what it is.
const FIXED: &[&str] =
    &["index.number_of_shards", "index.version.created", "index.uuid", "index.creation_date", "index.history.uuid"];
/// What an index cannot be without.
const KEPT: &[&str] = &["index.number_of_replicas", "index.auto_expand_replicas", "index.version.upgraded"];

pub fn apply(state: &mut State, request: Restore, cx: &mut ApplyContext<'_>) -> Result<()> {
    let refuse = |why: String| Error::new(ErrorKind::SnapshotRestore, format!("[{}] {why}", request.shown));
    for (key, _) in request.settings.iter() {
        if FIXED.contains(&key.as_str()) {
            return Err(refuse(format!("cannot modify UnmodifiableOnRestore setting [{key}] on restore")));
        }
    }
    for key in request.ignored.iter().map(|key| with_prefix(key)) {
        if FIXED.contains(&key.as_str()) {
            return Err(refuse(format!("cannot remove UnmodifiableOnRestore setting [{key}] on restore")));
        }
        if KEPT.contains(&key.as_str()) {
            return Err(refuse(format!("cannot remove setting [{key}] on restore")));
        }
    }
    for index in &request.indexes {
        restore_index(state, index, &request, cx)?;
    }
    for stream in &request.data_streams {
        let id = |id: &IndexId| state.index(&id.name).map(|index| index.id());
        let stream = DataStream { indices: stream.indices.iter().filter_map(id).collect(), ..stream.clone() };
        if stream.indices.is_empty() {
            continue;
        }
        state.data_streams.insert(stream.name.clone(), Arc::new(stream));
    }
    if let Some(global) = &request.global {
        restore_global(state, global)?;
    }
    state.derive();
    Ok(())
}

/// Brings back what belongs to no index. Of each kind it is all that there was, or nothing where a snapshot has none of the kind;
/// templates of the old kind come back beside the others.
fn restore_global(state: &mut State, global: &Value) -> Result<()> {
    let (persistent, saved, scripts) = global_from_value(global)?;
    state.persistent = persistent;
    let templates = Arc::make_mut(&mut state.templates);
    templates.legacy.extend(saved.legacy);
    if !saved.index.is_empty() {
        templates.index = saved.index;
    }
    if !saved.component.is_empty() {
        templates.component = saved.component;
    }
    if !scripts.is_empty() {
        state.scripts = Arc::new(scripts);
    }
    // Snapshots of older versions have none of these.
    if let Some(configs) = global.get("notifications").and_then(crate::notify::from_value) {
        state.notifications = Arc::new(configs);
    }
    let read = |key: &str| global.get(key);
    let ingest = read("pipelines").and_then(|value| pipelines::from_value(value, state));
    if let Some(ingest) = ingest.filter(|read| !read.by_id.is_empty()) {
        let total = state.pipelines.total.clone();
        state.pipelines = Arc::new(Pipelines { total, ..ingest });
    }
    let search = read("search_pipelines").and_then(|value| search_pipelines::from_value(value, state));
    if let Some(search) = search.filter(|read| !read.by_id.is_empty()) {
        let total = state.search_pipelines.total.clone();
        state.search_pipelines = Arc::new(SearchPipelines { total, ..search });
    }
    if let Some(views) = read("views").and_then(views::all_from_value).filter(|read| !read.is_empty()) {
        state.views = Arc::new(views);
    }
    Ok(())
}

fn with_prefix(key: &str) -> String {
    if key.starts_with("index.") { key.to_owned() } else { format!("index.{key}") }
}

fn restore_index(state: &mut State, from: &RestoreIndex, request: &Restore, cx: &mut ApplyContext<'_>) -> Result<()> {
    let name = from.name.as_str();
    check_form(name).map_err(|problem| invalid_index_name(name, &problem))?;
    if name.to_lowercase() != name {
        return Err(invalid_index_name(name, "must be lowercase"));
    }
    let saved = index_from_value(&from.meta)?;
    let settings = restored_settings(&saved.settings, request, cx)?;
    let mut shape = Shape::of(&settings)?;
    shape.routing_shards = saved.routing_num_shards;
    let reason = UnassignedReason::of_restored(state.index(name).is_some());
    match state.index(name).cloned() {
        Some(existing) if existing.is_open() => {
            return Err(Error::new(
                ErrorKind::SnapshotRestore,
                format!(
                    "[{}] cannot restore index [{name}] because an open index with same name already exists in the cluster. Either close or delete the existing index or restore the index under a different name by providing a rename pattern and replacement name",
                    request.shown
                ),
            ));
        }
        Some(existing) if existing.number_of_shards != shape.shards => {
            return Err(Error::new(
                ErrorKind::SnapshotRestore,
                format!(
                    "[{}] cannot restore index [{name}] with [{}] shards from a snapshot of index [{}] with [{}] shards",
                    request.shown, existing.number_of_shards, from.seed.index, shape.shards
                ),
            ));
        }
        // A closed index makes way for what comes back under its name.
        Some(existing) => {
            state.indices.remove(&existing.name);
            state.routing.remove(&existing.uuid);
        }
        None if state.aliases.contains_key(name) => {
            return Err(Error::new(
                ErrorKind::SnapshotRestore,
                format!(
                    "[{}] cannot rename index [{}] into [{name}] because of conflict with an alias with the same name",
                    request.shown, from.seed.index
                ),
            ));
        }
        None => {}
    }
    check_shard_limit(state, u64::from(shape.shards) * (u64::from(shape.replicas) + 1))?;
    let registry = registry_of(&settings)?;
    let limits = settings::mapping_settings(&settings);
    let mapping = Mapping::held(saved.mapping_source.as_ref(), &registry, &limits)?;
    let shards = shape.shards as usize;
    let index = IndexMeta {
        name: name.into(),
        uuid: settings.text("index.uuid").unwrap_or_default().into(),
        mapping: Arc::new(mapping),
        unreadable: None,
        registry,
        aliases: if request.include_aliases { saved.aliases.clone() } else { Default::default() },
        state: IndexState::Open,
        version: saved.version + 1,
        number_of_shards: shape.shards,
        number_of_replicas: shape.replicas,
        routing_num_shards: shape.routing_shards,
        routing_partition_size: shape.partition_size,
        hidden: settings.text("index.hidden") == Some("true"),
        cores: place::cores_for(state, shards, cx.cores),
        rollovers: Map::new(),
        allocation_ids: vec!["".into(); shards],
        seed: Some(Arc::new(Seed::Snapshot(from.seed.clone()))),
        settings,
        ..saved
    };
    state.routing.insert(index.uuid.clone(), Arc::new(ShardCopy::unplaced(&index, reason, cx.now_ms)));
    state.indices.insert(index.name.clone(), Arc::new(index));
    state.derive();
    Ok(())
}

fn restored_settings(saved: &Settings, request: &Restore, cx: &mut ApplyContext<'_>) -> Result<Settings> {
    let mut settings = saved.clone();
    let ignored: Vec<String> = request.ignored.iter().map(|key| with_prefix(key)).collect();
    settings
        .retain(|key| FIXED.contains(&key) || KEPT.contains(&key) || !ignored.iter().any(|pattern| glob(pattern, key)));
    // What a request adds must be right; what is unknown in it is passed over, as in the reference.
    let mut known = SettingsUpdate::default();
    for (key, value) in request.settings.iter().filter(|(key, _)| settings::index_setting(key).is_some()) {
        known.insert(key.clone(), value.clone());
    }
    settings::check_new_index(&known)?;
    settings.overlay(&known.to_settings());
    settings.remove("index.verified_before_close");
    settings.insert("index.uuid", (cx.new_id)());
    settings::check_index(&settings)?;
    expand_replicas(&mut settings);
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::super::encode::global_to_value;
    use super::super::tests::{change, node};
    use super::super::{Change, PutPipeline};
    use super::*;
    use pith_engine::ingest::Pipeline;

    fn initial() -> State {
        State::initial("test", node(), Settings::new())
    }

    fn with_pipeline(state: &State, id: &str) -> State {
        let pipeline =
            Arc::new(Pipeline::parse(id, &Map::from_iter([("processors", Value::Array(vec![]))]), state).unwrap());
        let config = Map::from_iter([("processors", Value::Array(vec![]))]);
        change(state, Change::PutPipeline(Box::new(PutPipeline { id: id.to_owned(), config, pipeline }))).unwrap()
    }

    fn ids(state: &State) -> Vec<&str> {
        state.pipelines.by_id.keys().map(String::as_str).collect()
    }

    #[test]
    fn pipelines_come_back_as_they_were() {
        let (saved, mut other) = (with_pipeline(&initial(), "a"), with_pipeline(&initial(), "b"));
        restore_global(&mut other, &global_to_value(&initial())).unwrap();
        assert_eq!(ids(&other), ["b"], "a snapshot without any leaves them");
        restore_global(&mut other, &global_to_value(&saved)).unwrap();
        assert_eq!(ids(&other), ["a"]);
    }
}
