//! Creating indexes.

use super::aliases::{alias_conflicts, check_alias, check_filter_of};
use super::change::{ApplyContext, CreateIndex, Outcome};
use super::meta::VERSION_CREATED;
use super::names::{check_alias_is_no_index, check_auto_create, check_new_index_name};
use super::routing::default_routing_shards;
use super::template_mappings::Composition;
use super::templates::{self, Pattern};
use super::{ActiveShards, AliasMeta, IndexMeta, IndexState, ShardCopy, State, UnassignedReason, data_streams, place};
use crate::settings::{self, Settings, SettingsUpdate};
use pith_engine::analysis::{Limits, Registry};
use pith_engine::deprecated::note;
use pith_engine::json::{Map, Value};
use pith_engine::mapping::Mapping;
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most routing shards that an index may have.
const ROUTING_SHARDS_MAX: u32 = 1024 * 1024;

/// As [`create_index`], for one that was asked for by its name.
pub fn create_named(state: &mut State, request: CreateIndex, cx: &mut ApplyContext<'_>) -> Result<()> {
    super::blocks::check_create(state, &request.name)?;
    create_index(state, request, cx)
}

pub fn create_index(state: &mut State, mut request: CreateIndex, cx: &mut ApplyContext<'_>) -> Result<()> {
    let requested = std::mem::take(&mut request.settings).normalized("index.");
    settings::check_new_index(&requested)?;
    check_new_index_name(state, &request.name)?;
    note_dot(&request.name, templates::is_hidden(&requested));
    settings::check_not_private(&requested)?;
    let pattern = pattern_of(state, &request, &requested)?;
    let settings =
        full_settings(state, request.provided_name.as_ref().unwrap_or(&request.name), &pattern, &requested, cx)?;
    let mut shape = Shape::of(&settings)?;
    if let Some(origin) = &request.origin {
        shape.routing_shards = origin.routing_shards();
    }
    check_shard_limit(state, u64::from(shape.shards) * (u64::from(shape.replicas) + 1))?;
    check_wait(&request, shape.replicas)?;
    check_write_wait(&settings, shape.replicas)?;
    let registry = registry_of(&settings)?;
    let sources = pattern.mappings.iter().chain(&request.mapping);
    let (mapping, mapping_source) = first_mapping(sources, pattern.composition, &registry, &settings)?;
    mapping.check_index_sort(&request.name)?;
    let aliases = initial_aliases(state, &request, &pattern)?;
    let name: Arc<str> = request.name.as_str().into();
    let uuid: Arc<str> = settings.text("index.uuid").unwrap_or_default().into();
    let mapping = Arc::new(mapping);
    for (alias, meta) in &aliases {
        check_filter_of(alias, meta, &name, &uuid, &mapping)?;
    }
    let shards = shape.shards as usize;
    let index = IndexMeta {
        cores: place::cores_for(state, shards, cx.cores),
        primary_terms: vec![request.origin.as_ref().map_or(0, |origin| origin.primary_term()); shards],
        seed: request.origin.as_ref().map(|origin| Arc::new(origin.seed())),
        rollovers: Map::new(),
        allocation_ids: vec!["".into(); shards],
        name: name.clone(),
        uuid: uuid.clone(),
        creation_date_ms: cx.now_ms,
        mapping,
        unreadable: None,
        mapping_source,
        registry,
        aliases,
        state: IndexState::Open,
        version: 1,
        mapping_version: 1,
        settings_version: 1,
        aliases_version: 1,
        number_of_shards: shape.shards,
        number_of_replicas: shape.replicas,
        routing_num_shards: shape.routing_shards,
        routing_partition_size: shape.partition_size,
        hidden: settings.text("index.hidden") == Some("true"),
        settings,
    };
    alias_conflicts(state, &index)?;
    if request.data_stream.is_none() {
        data_streams::check_future_names(state, &index.name)?;
    }
    let copies = ShardCopy::unplaced(&index, UnassignedReason::IndexCreated, cx.now_ms);
    state.routing.insert(uuid, Arc::new(copies));
    state.indices.insert(name, Arc::new(index));
    state.derive();
    Ok(())
}

/// What the templates bring: those that match the name of the index, or that of the data stream which it belongs to.
fn pattern_of(state: &State, request: &CreateIndex, requested: &SettingsUpdate) -> Result<Pattern> {
    if let Some(origin) = &request.origin {
        return Ok(origin.pattern(&state.manager));
    }
    if let Some((stream, timestamp_field)) = &request.data_stream {
        let mut pattern = templates::pattern_for(state, stream, &SettingsUpdate::default())?;
        pattern.mappings.insert(0, data_streams::timestamp_mapping(timestamp_field));
        return Ok(pattern);
    }
    let hidden = templates::is_hidden(requested);
    check_no_stream(state, &request.name, hidden)?;
    note_old_templates(&templates::matching_legacy(&state.templates, &request.name, hidden), &request.name);
    templates::pattern_for(state, &request.name, requested)
}

/// An index of this name may not be one that a template makes data streams of.
pub fn check_no_stream(state: &State, index: &str, hidden: bool) -> Result<()> {
    match templates::matching_index_template(&state.templates, index, hidden) {
        Some((name, template)) if template.timestamp_field.is_some() => Err(Error::illegal_argument(format!(
            "cannot create index with name [{index}], because it matches with template [{name}] that creates data streams only, use create data stream api instead"
        ))),
        _ => Ok(()),
    }
}

/// Notes that names with a dot in front are for hidden indexes.
fn note_dot(name: &str, hidden: bool) {
    if name.starts_with('.') && !hidden {
        note(format!(
            "index name [{name}] starts with a dot '.', in the next major version, index names starting with a dot are \
             reserved for hidden indices and system indices"
        ));
    }
}

/// Notes that several templates of the old kind make the index.
fn note_old_templates(names: &[&str], index: &str) {
    if names.len() > 1 {
        note(format!(
            "index [{index}] matches multiple legacy templates [{}], composable templates will only match a single template",
            names.join(", ")
        ));
    }
}

/// Creates the missing ones of `names`. One that cannot be created does not keep the others from it.
pub fn auto_create(state: &mut State, names: Vec<String>, cx: &mut ApplyContext<'_>) -> Outcome {
    let results = names.into_iter().map(|name| {
        let result = auto_create_one(state, &name, cx);
        (name, result)
    });
    Outcome::AutoCreated(results.collect())
}

fn auto_create_one(state: &mut State, name: &str, cx: &mut ApplyContext<'_>) -> Result<()> {
    let concrete = super::single_name(name, cx.now_ms as i64)?;
    if state.has(&concrete) {
        return Ok(());
    }
    super::blocks::check_new(state, &concrete)?;
    check_auto_create(state, &concrete)?;
    let streams = state.templates.index.values().any(|template| template.timestamp_field.is_some());
    if !streams {
        // Before the name is compared with all patterns.
        check_new_index_name(state, &concrete)?;
    }
    let template = templates::matching_index_template(&state.templates, &concrete, false);
    if template.is_some_and(|(_, template)| template.timestamp_field.is_some()) {
        // Half a stream must not stay where its first index cannot be made.
        let mut next = state.clone();
        data_streams::create_data_stream(&mut next, &concrete, cx)?;
        *state = next;
        return Ok(());
    }
    let request = CreateIndex { name: concrete, provided_name: Some(name.to_owned()), ..CreateIndex::default() };
    create_index(state, request, cx)
}

/// Template settings, then the request's, then what every index has.
fn full_settings(
    state: &State,
    name: &str,
    pattern: &Pattern,
    requested: &SettingsUpdate,
    cx: &mut ApplyContext<'_>,
) -> Result<Settings> {
    let mut settings = pattern.settings.clone();
    settings.overlay(&requested.to_settings());
    if !settings.contains("index.number_of_shards") {
        settings.insert("index.number_of_shards", "1");
    }
    if !settings.contains("index.number_of_replicas") {
        settings.insert("index.number_of_replicas", default_replicas(state));
    }
    if !settings.contains("index.creation_date") {
        settings.insert("index.creation_date", cx.now_ms.to_string());
    }
    settings.insert("index.provided_name", name);
    settings.insert("index.uuid", (cx.new_id)());
    settings.insert("index.version.created", VERSION_CREATED.to_string());
    if !settings.contains("index.replication.type") {
        settings.insert("index.replication.type", "DOCUMENT");
    }
    settings::check_index(&settings)?;
    if settings.text("index.soft_deletes.enabled") == Some("false") {
        return Err(Error::illegal_argument(
            "Creating indices with soft-deletes disabled is no longer supported. Please do not specify a value for setting [index.soft_deletes.enabled].",
        ));
    }
    check_shard_selection(name, &settings)?;
    settings::check_virtual_shards(name, &settings)?;
    expand_replicas(&mut settings);
    Ok(settings)
}

/// Bulks may choose the shards of documents only where none is ever looked for by its id again.
pub(super) fn check_shard_selection(name: &str, settings: &Settings) -> Result<()> {
    let is_on = |key: &str| settings.text(key) == Some("true");
    if is_on("index.bulk.adaptive_shard_selection.enabled") && !is_on("index.append_only.enabled") {
        return Err(Error::illegal_argument(format!(
            "index [{name}] is not append-only index, bulk adaptive shard selection is enabled, which is not supported. Please disable bulk adaptive shard selection or set index to append-only index."
        )));
    }
    Ok(())
}

/// How many replicas an index has that does not say it.
pub(super) fn default_replicas(state: &State) -> String {
    state.cluster_setting("cluster.default_number_of_replicas").unwrap_or_else(|| "1".to_owned())
}

/// `index.auto_expand_replicas`: the replicas that one node can hold, but at least the lower bound.
pub(super) fn expand_replicas(settings: &mut Settings) {
    let Some(range) = settings.text("index.auto_expand_replicas") else { return };
    let Some((low, _)) = range.split_once('-') else { return };
    let low = low.to_owned();
    settings.insert("index.number_of_replicas", low);
}

/// The numbers that decide where documents go.
pub(super) struct Shape {
    pub shards: u32,
    pub replicas: u32,
    pub routing_shards: u32,
    pub partition_size: u32,
}

impl Shape {
    pub fn of(settings: &Settings) -> Result<Self> {
        let number =
            |key: &str, default: u32| settings.text(key).and_then(|text| text.trim().parse().ok()).unwrap_or(default);
        let shards = number("index.number_of_shards", 1);
        let routing_shards = match settings.text("index.number_of_routing_shards") {
            None => default_routing_shards(shards),
            Some(_) => given_routing_shards(number("index.number_of_routing_shards", shards), shards)?,
        };
        let partition_size = number("index.routing_partition_size", 1);
        if partition_size > 1 && partition_size >= routing_shards {
            return Err(Error::illegal_argument(format!(
                "routing partition size [{partition_size}] should be a positive number less than the number of routing shards [{routing_shards}] for [{}]",
                settings.text("index.provided_name").unwrap_or_default()
            )));
        }
        Ok(Self { shards, replicas: number("index.number_of_replicas", 1), routing_shards, partition_size })
    }
}

fn given_routing_shards(routing_shards: u32, shards: u32) -> Result<u32> {
    if routing_shards < shards {
        return Err(Error::illegal_argument(format!(
            "index.number_of_routing_shards [{routing_shards}] must be >= index.number_of_shards [{shards}]"
        )));
    }
    if !routing_shards.is_multiple_of(shards.max(1)) {
        return Err(Error::illegal_argument(format!(
            "the number of source shards [{shards}] must be a factor of [{routing_shards}]"
        )));
    }
    if routing_shards > ROUTING_SHARDS_MAX {
        return Err(Error::illegal_argument(format!(
            "Failed to parse value [{routing_shards}] for setting [index.number_of_routing_shards] must be <= {ROUTING_SHARDS_MAX}"
        )));
    }
    Ok(routing_shards)
}

/// `cluster.max_shards_per_node` over all nodes, against the copies of open indexes and those to be added.
pub(super) fn check_shard_limit(state: &State, added: u64) -> Result<()> {
    let per_node: u64 =
        state.cluster_setting("cluster.max_shards_per_node").and_then(|text| text.parse().ok()).unwrap_or(1000);
    let limit = per_node.saturating_mul(state.nodes.len() as u64);
    let open: u64 =
        state.indices.values().filter(|index| index.is_open()).map(|index| u64::from(index.copies_total())).sum();
    if open + added > limit {
        return Err(Error::new(
            ErrorKind::Validation,
            format!(
                "Validation Failed: 1: this action would add [{added}] total LOCAL_ONLY shards, but this cluster currently has [{open}]/[{limit}] maximum LOCAL_ONLY shards open;"
            ),
        ));
    }
    Ok(())
}

fn check_wait(request: &CreateIndex, replicas: u32) -> Result<()> {
    match request.wait_for_active_shards {
        Some(wait) if wait.exceeds(replicas) => Err(Error::illegal_argument(format!(
            "invalid wait_for_active_shards[{wait}]: cannot be greater than number of shard copies [{}]",
            replicas + 1
        ))),
        _ => Ok(()),
    }
}

/// Refuses to have every write wait for more copies than there will be.
pub(super) fn check_write_wait(settings: &Settings, replicas: u32) -> Result<()> {
    const KEY: &str = "index.write.wait_for_active_shards";
    let Some(wait) = settings.text(KEY).map(ActiveShards::parse).transpose()? else { return Ok(()) };
    match wait.exceeds(replicas) {
        true => Err(Error::illegal_argument(format!(
            "invalid {KEY}[{wait}]: cannot be greater than number of shard copies [{}]",
            replicas + 1
        ))),
        false => Ok(()),
    }
}

/// The analyzers that the settings define.
pub(super) fn registry_of(settings: &Settings) -> Result<Arc<Registry>> {
    let analysis = settings.below("index.analysis.");
    let bound = |key: &str, default| settings.text(key).and_then(|text| text.parse().ok()).unwrap_or(default);
    let default = Limits::default();
    let limits = Limits {
        max_ngram_diff: bound("index.max_ngram_diff", default.max_ngram_diff),
        max_shingle_diff: bound("index.max_shingle_diff", default.max_shingle_diff),
    };
    if analysis.is_empty() && limits == default {
        return Ok(Registry::built_in());
    }
    Registry::from_settings_with(&analysis.to_value(false), limits, settings::config_files()).map(Arc::new)
}

/// The mapping of a new index: those of the templates and the request's merged in turn.
pub(super) fn first_mapping<'a>(
    sources: impl Iterator<Item = &'a Value>,
    composition: Composition,
    registry: &Arc<Registry>,
    settings: &Settings,
) -> Result<(Mapping, Option<Value>)> {
    let limits = settings::mapping_settings(settings);
    let mut merged: Option<Value> = None;
    for source in sources {
        match &mut merged {
            None => merged = Some(source.clone()),
            Some(merged) => composition.merge(merged, source)?,
        }
    }
    let mapping = Mapping::of_index(merged.as_ref(), registry, &limits)?;
    // One in which nothing stands is a mapping too, and is one still after a restart.
    let shown = (!mapping.is_unsaid()).then(|| mapping.to_value());
    Ok((mapping, shown))
}

fn initial_aliases(
    state: &State,
    request: &CreateIndex,
    pattern: &Pattern,
) -> Result<BTreeMap<Arc<str>, Arc<AliasMeta>>> {
    let mut aliases: BTreeMap<Arc<str>, Arc<AliasMeta>> = BTreeMap::new();
    // An alias of a template can carry the name of the index in its own.
    let of_templates = pattern.aliases.iter().map(|(name, alias)| (name.replace("{index}", &request.name), alias));
    for (name, alias) in of_templates.chain(request.aliases.iter().map(|(name, alias)| (name.clone(), alias))) {
        check_alias(&name, alias)?;
        check_alias_is_no_index(state, &name)?;
        aliases.insert(name.as_str().into(), Arc::new(alias.clone()));
    }
    Ok(aliases)
}
