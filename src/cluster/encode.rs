//! The state as bytes that survive a restart.
//!
//! ```text
//! pith-metadata 1 <crc32 of the rest, 8 hex digits>\n
//! {"cluster_uuid":…,"version":…,"term":…,"persistent":{…},"indices":[…],"templates":{…},"scripts":{…},"pipelines":{…},
//! "notifications":[…],"voting_exclusions":[…],"weights":{…},"views":[…],"graveyard":[…]}
//! ```
//! One JSON object after one line of text. Transient settings, nodes and the places of shards are not kept.

use super::create::{Shape, registry_of};
use super::templates::{ComponentTemplate, IndexTemplate, LegacyTemplate, TemplateContent};
use super::voting;
use super::{
    AliasMeta, DataStream, IndexId, IndexMeta, IndexState, Node, Repository, Scripts, Seed, State, StoredScript,
    Templates, Tombstone,
};
use super::{pipelines, search_pipelines, views, weights};
use crate::notify;
use crate::security::Store;
use crate::settings::{self, Settings};
use pith_engine::analysis::Registry;
use pith_engine::json::{self, Map, Value};
use pith_engine::mapping::Mapping;
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

const MAGIC: &str = "pith-metadata 1 ";

/// The bytes of the metadata file.
pub fn encode(state: &State) -> Vec<u8> {
    let mut root = Map::new();
    root.insert("cluster_uuid", &*state.cluster_uuid);
    root.insert("version", state.version);
    root.insert("term", state.term);
    root.insert("persistent", state.persistent.to_value(true));
    root.insert("indices", Value::Array(state.indices.values().map(|index| index_value(index)).collect()));
    root.insert("data_streams", Value::Array(state.data_streams.values().map(|stream| stream_value(stream)).collect()));
    root.insert("repositories", repositories_value(state));
    root.insert("templates", templates_value(&state.templates));
    let scripts = state.scripts.iter().map(|(id, script)| (id.as_str(), script.to_value()));
    root.insert("scripts", Value::Object(scripts.collect()));
    root.insert("notifications", notify::to_value(&state.notifications));
    if !state.voting_exclusions.is_empty() {
        root.insert("voting_exclusions", voting::to_value(&state.voting_exclusions));
    }
    if let Some(weights) = &state.weights {
        root.insert("weights", weights::to_value(weights));
    }
    if !state.views.is_empty() {
        root.insert("views", views::all_to_value(&state.views));
    }
    if let Some(security) = &state.security {
        root.insert("security", security.to_value());
    }
    root.insert("pipelines", pipelines::to_value(&state.pipelines));
    root.insert("search_pipelines", search_pipelines::to_value(&state.search_pipelines));
    let grave = |tomb: &Tombstone| {
        Value::Object(Map::from_iter([
            ("name", Value::from(&*tomb.name)),
            ("uuid", Value::from(&*tomb.uuid)),
            ("delete_date_ms", Value::from(tomb.delete_date_ms)),
        ]))
    };
    root.insert("graveyard", Value::Array(state.graveyard.iter().map(grave).collect()));
    let body = Value::Object(root).to_bytes();
    let mut bytes = format!("{MAGIC}{:08x}\n", crc32fast::hash(&body)).into_bytes();
    bytes.extend_from_slice(&body);
    bytes
}

/// The state that [`encode`] wrote, on a node that starts anew: no shard is open yet. `file` is named in errors.
pub fn decode(bytes: &[u8], file: &str, cluster_name: &str, node: Node, configured: Settings) -> Result<State> {
    let corrupt = |what: &str| Error::new(ErrorKind::CorruptIndex, format!("metadata file [{file}] {what}"));
    let end = bytes.iter().position(|b| *b == b'\n').ok_or_else(|| corrupt("has no first line"))?;
    let line = std::str::from_utf8(&bytes[..end]).map_err(|_| corrupt("does not begin with text"))?;
    let sum = line.strip_prefix(MAGIC).ok_or_else(|| corrupt("is not of a known format"))?;
    let sum = u32::from_str_radix(sum, 16).map_err(|_| corrupt("has no checksum in its first line"))?;
    let body = &bytes[end + 1..];
    if crc32fast::hash(body) != sum {
        return Err(corrupt("does not match its checksum"));
    }
    let root = json::parse(body)?;
    let read = Read { file };
    let mut state = State::initial(cluster_name, node, configured);
    state.cluster_uuid = read.text(&root, "cluster_uuid")?.into();
    state.state_uuid = state.cluster_uuid.clone();
    state.version = read.number(&root, "version")?;
    state.term = read.number(&root, "term")? + 1;
    state.persistent = Settings::from_json(read.field(&root, "persistent")?)?;
    for value in read.list(&root, "indices")? {
        let index = read.index(value)?;
        if let Some(cause) = &index.unreadable {
            tracing::warn!(index = %index.name, %cause, "recovering the index failed, it is recovered as closed");
        }
        state.indices.insert(index.name.clone(), Arc::new(index));
    }
    state.templates = Arc::new(read.templates(read.field(&root, "templates")?)?);
    for (name, value) in root.get("repositories").and_then(Value::as_object).into_iter().flat_map(Map::iter) {
        let kind = read.text(value, "type")?.to_owned();
        let repository = Repository { kind, settings: Settings::from_json(read.field(value, "settings")?)? };
        state.repositories.insert(name.to_owned(), Arc::new(repository));
    }
    for value in root.get("data_streams").and_then(Value::as_array).unwrap_or_default() {
        let stream = read.stream(value, &state)?;
        state.data_streams.insert(stream.name.clone(), Arc::new(stream));
    }
    // Files of older versions have none.
    if let Some(configs) = root.get("notifications") {
        let read = notify::from_value(configs);
        state.notifications = Arc::new(read.ok_or_else(|| corrupt("has a notification configuration that is none"))?);
    }
    if let Some(excluded) = root.get("voting_exclusions") {
        state.voting_exclusions = Arc::new(voting::from_value(excluded));
    }
    if let Some(value) = root.get("weights") {
        let read = weights::from_value(value).ok_or_else(|| corrupt("has weights that are none"))?;
        state.weights = Some(Arc::new(read));
    }
    if let Some(values) = root.get("views") {
        let read = views::all_from_value(values);
        state.views = Arc::new(read.ok_or_else(|| corrupt("has a view that is none"))?);
    }
    if let Some(scripts) = root.get("scripts").and_then(Value::as_object) {
        let read_script =
            |(id, value): (&str, &Value)| Some((id.to_owned(), Arc::new(StoredScript::from_value(value)?)));
        let scripts: Option<BTreeMap<_, _>> = scripts.iter().map(read_script).collect();
        state.scripts = Arc::new(scripts.ok_or_else(|| corrupt("has a stored script that is none"))?);
    }
    if let Some(value) = root.get("pipelines") {
        let read = pipelines::from_value(value, &state);
        state.pipelines = Arc::new(read.ok_or_else(|| corrupt("has an ingest pipeline that is none"))?);
    }
    if let Some(value) = root.get("security") {
        let read = Store::from_value(value).ok_or_else(|| corrupt("has users and roles that are none"))?;
        state.security = Some(Arc::new(read));
    }
    if let Some(value) = root.get("search_pipelines") {
        let read = search_pipelines::from_value(value, &state);
        state.search_pipelines = Arc::new(read.ok_or_else(|| corrupt("has a search pipeline that is none"))?);
    }
    let graves = read.list(&root, "graveyard")?.iter().map(|tomb| {
        Ok(Tombstone {
            name: read.text(tomb, "name")?.into(),
            uuid: read.text(tomb, "uuid")?.into(),
            delete_date_ms: read.number(tomb, "delete_date_ms")?,
        })
    });
    state.graveyard = Arc::new(graves.collect::<Result<_>>()?);
    Ok(state)
}

fn index_value(index: &IndexMeta) -> Value {
    let mut map = Map::new();
    map.insert("name", &*index.name);
    map.insert("state", index.state.name());
    map.insert("version", index.version);
    map.insert("mapping_version", index.mapping_version);
    map.insert("settings_version", index.settings_version);
    map.insert("aliases_version", index.aliases_version);
    map.insert("settings", index.settings.to_value(true));
    map.insert("mapping", index.mapping_source.clone().unwrap_or(Value::Null));
    let aliases = index.aliases.iter().map(|(name, alias)| (&**name, alias.to_value()));
    map.insert("aliases", Value::Object(aliases.collect()));
    map.insert("routing_num_shards", index.routing_num_shards);
    if let Some(seed) = &index.seed {
        map.insert("seed", seed.to_value());
    }
    if !index.rollovers.is_empty() {
        map.insert("rollovers", index.rollovers.clone());
    }
    map.insert("primary_terms", Value::Array(index.primary_terms.iter().map(|term| Value::from(*term)).collect()));
    map.insert("allocation_ids", Value::Array(index.allocation_ids.iter().map(|id| Value::from(&**id)).collect()));
    Value::Object(map)
}

fn repositories_value(state: &State) -> Value {
    let shown = state.repositories.iter().map(|(name, repository)| {
        let value = Value::Object(Map::from_iter([
            ("type", Value::from(&repository.kind)),
            ("settings", repository.settings.to_value(true)),
        ]));
        (name.as_str(), value)
    });
    Value::Object(shown.collect())
}

/// The metadata of an index as snapshots keep it.
pub fn index_to_value(index: &IndexMeta) -> Value {
    index_value(index)
}

/// Reads what [`index_to_value`] made.
pub(super) fn index_from_value(value: &Value) -> Result<IndexMeta> {
    Read { file: "of a snapshot" }.index(value)
}

/// What of the cluster's metadata belongs to no index, as snapshots keep it.
pub fn global_to_value(state: &State) -> Value {
    let scripts = state.scripts.iter().map(|(id, script)| (id.as_str(), script.to_value()));
    Value::Object(Map::from_iter([
        ("persistent", state.persistent.to_value(true)),
        ("templates", templates_value(&state.templates)),
        ("scripts", Value::Object(scripts.collect())),
        ("notifications", notify::to_value(&state.notifications)),
        ("pipelines", pipelines::to_value(&state.pipelines)),
        ("search_pipelines", search_pipelines::to_value(&state.search_pipelines)),
        ("views", views::all_to_value(&state.views)),
    ]))
}

/// Reads what every snapshot has of what [`global_to_value`] made.
pub(super) fn global_from_value(value: &Value) -> Result<(Settings, Templates, Scripts)> {
    let read = Read { file: "of a snapshot" };
    let persistent = Settings::from_json(read.field(value, "persistent")?)?;
    let templates = read.templates(read.field(value, "templates")?)?;
    let scripts = read.object(value, "scripts")?.iter();
    let scripts = scripts.filter_map(|(id, value)| Some((id.to_owned(), Arc::new(StoredScript::from_value(value)?))));
    Ok((persistent, templates, scripts.collect()))
}

/// A data stream as [`stream_value`] wrote it; its indexes are known by their names alone.
pub fn stream_from_value(value: &Value) -> Result<DataStream> {
    let read = Read { file: "of a snapshot" };
    let names = read.texts(value, "indices")?.into_iter();
    Ok(DataStream {
        name: read.text(value, "name")?.into(),
        timestamp_field: read.text(value, "timestamp_field")?.to_owned(),
        indices: names.map(|name| IndexId { name: name.into(), uuid: "_na_".into() }).collect(),
        generation: read.number(value, "generation")?,
    })
}

pub fn stream_value(stream: &DataStream) -> Value {
    let indexes: Vec<Value> = stream.indices.iter().map(|id| Value::from(&*id.name)).collect();
    Value::Object(Map::from_iter([
        ("name", Value::from(&*stream.name)),
        ("timestamp_field", Value::from(&stream.timestamp_field)),
        ("indices", Value::Array(indexes)),
        ("generation", Value::from(stream.generation)),
    ]))
}

impl AliasMeta {
    /// As it is shown, and kept.
    pub fn to_value(&self) -> Value {
        let mut map = Map::new();
        if let Some(filter) = &self.filter {
            map.insert("filter", filter.clone());
        }
        if let Some(routing) = &self.index_routing {
            map.insert("index_routing", routing);
        }
        if let Some(routing) = &self.search_routing {
            map.insert("search_routing", routing);
        }
        if let Some(write) = self.is_write_index {
            map.insert("is_write_index", write);
        }
        if let Some(hidden) = self.is_hidden {
            map.insert("is_hidden", hidden);
        }
        Value::Object(map)
    }

    /// `routing` stands for both routings where they are not given themselves.
    pub fn set_routing(&mut self, routing: Option<String>) {
        self.index_routing = self.index_routing.take().or_else(|| routing.clone());
        self.search_routing = self.search_routing.take().or(routing);
    }

    /// Reads one alias as requests define it. Keys that mean nothing are passed over, as the reference does.
    pub fn from_value(value: &Value) -> Result<Self> {
        let map = value.as_object().ok_or_else(|| Error::illegal_argument("No alias is specified"))?;
        let mut alias = Self::default();
        let mut routing = None;
        for (key, value) in map.iter() {
            match (key, value) {
                ("filter", Value::Object(filter)) if !filter.is_empty() => {
                    alias.filter = Some(Value::Object(filter.clone()));
                }
                ("routing", Value::String(_)) => routing = Some(value.to_text()),
                ("index_routing" | "indexRouting" | "index-routing", Value::String(_)) => {
                    alias.index_routing = Some(value.to_text());
                }
                ("search_routing" | "searchRouting" | "search-routing", Value::String(_)) => {
                    alias.search_routing = Some(value.to_text());
                }
                ("is_write_index", Value::Bool(write)) => alias.is_write_index = Some(*write),
                ("is_hidden", Value::Bool(hidden)) => alias.is_hidden = Some(*hidden),
                _ => {}
            }
        }
        alias.set_routing(routing);
        Ok(alias)
    }
}

impl TemplateContent {
    /// As it is shown, with nested or flat settings; parts that are not there are left out.
    pub fn to_value(&self, flat: bool) -> Map {
        let mut map = Map::new();
        if self.shows_settings || !self.settings.is_empty() {
            map.insert("settings", self.settings.shown(flat));
        }
        if let Some(mapping) = &self.mapping {
            map.insert("mappings", mapping.clone());
        }
        if self.shows_aliases || !self.aliases.is_empty() {
            let aliases = self.aliases.iter().map(|(name, alias)| (name.as_str(), alias.to_value()));
            map.insert("aliases", Value::Object(aliases.collect()));
        }
        map
    }
}

fn templates_value(templates: &Templates) -> Value {
    let list = |patterns: &[String]| Value::Array(patterns.iter().map(Value::from).collect());
    let optional = |map: &mut Map, key: &str, value: Option<Value>| {
        if let Some(value) = value {
            map.insert(key, value);
        }
    };
    let legacy = templates.legacy.iter().map(|(name, template)| {
        let mut map = Map::from_iter([
            ("index_patterns", list(&template.index_patterns)),
            ("order", template.order.into()),
            ("content", template.content.to_value(true).into()),
        ]);
        optional(&mut map, "version", template.version.map(Value::from));
        (name.as_str(), Value::Object(map))
    });
    let index = templates.index.iter().map(|(name, template)| {
        let mut map = Map::from_iter([
            ("index_patterns", list(&template.index_patterns)),
            ("composed_of", list(&template.composed_of)),
        ]);
        optional(&mut map, "priority", template.priority.map(Value::from));
        optional(&mut map, "version", template.version.map(Value::from));
        optional(&mut map, "meta", template.meta.clone());
        optional(&mut map, "timestamp_field", template.timestamp_field.as_ref().map(Value::from));
        optional(&mut map, "content", template.content.as_ref().map(|content| content.to_value(true).into()));
        (name.as_str(), Value::Object(map))
    });
    let component = templates.component.iter().map(|(name, template)| {
        let mut map = Map::from_iter([("content", Value::Object(template.content.to_value(true)))]);
        optional(&mut map, "version", template.version.map(Value::from));
        optional(&mut map, "meta", template.meta.clone());
        (name.as_str(), Value::Object(map))
    });
    Value::Object(Map::from_iter([
        ("legacy", Value::Object(legacy.collect())),
        ("index", Value::Object(index.collect())),
        ("component", Value::Object(component.collect())),
    ]))
}

/// The analyzers and the mapping of an index. What an earlier build took and this one refuses must not keep the node from
/// starting: such an index has neither, and the reason.
fn readable_parts(settings: &Settings, source: Option<&Value>) -> Result<(Arc<Registry>, Mapping, Option<Error>)> {
    let limits = settings::mapping_settings(settings);
    let read = registry_of(settings).and_then(|registry| {
        let mapping = Mapping::held(source, &registry, &limits)?;
        Ok((registry, mapping, None))
    });
    read.or_else(|cause| {
        let registry = Registry::built_in();
        let mapping = Mapping::empty(&registry, &limits);
        Ok((registry, mapping, Some(cause)))
    })
}

/// Reads parts of the file; what is not as [`encode`] writes it is an error that names the file.
struct Read<'a> {
    file: &'a str,
}

impl Read<'_> {
    fn missing(&self, key: &str) -> Error {
        Error::new(ErrorKind::CorruptIndex, format!("metadata file [{}] has no [{key}] where one must be", self.file))
    }

    fn field<'v>(&self, value: &'v Value, key: &str) -> Result<&'v Value> {
        value.get(key).ok_or_else(|| self.missing(key))
    }

    fn text<'v>(&self, value: &'v Value, key: &str) -> Result<&'v str> {
        value.get(key).and_then(Value::as_str).ok_or_else(|| self.missing(key))
    }

    fn number(&self, value: &Value, key: &str) -> Result<u64> {
        let number = value.get(key).and_then(Value::as_i64);
        number.and_then(|number| u64::try_from(number).ok()).ok_or_else(|| self.missing(key))
    }

    fn list<'v>(&self, value: &'v Value, key: &str) -> Result<&'v [Value]> {
        value.get(key).and_then(Value::as_array).ok_or_else(|| self.missing(key))
    }

    fn object<'v>(&self, value: &'v Value, key: &str) -> Result<&'v Map> {
        value.get(key).and_then(Value::as_object).ok_or_else(|| self.missing(key))
    }

    fn texts(&self, value: &Value, key: &str) -> Result<Vec<String>> {
        Ok(self.list(value, key)?.iter().map(Value::to_text).collect())
    }

    fn index(&self, value: &Value) -> Result<IndexMeta> {
        let settings = Settings::from_json(self.field(value, "settings")?)?;
        let mapping_source = Some(self.field(value, "mapping")?).filter(|mapping| !mapping.is_null()).cloned();
        let (registry, mapping, unreadable) = readable_parts(&settings, mapping_source.as_ref())?;
        let is_open = self.text(value, "state")? == "open" && unreadable.is_none();
        let shape = Shape::of(&settings)?;
        let terms = self.list(value, "primary_terms")?.iter().filter_map(Value::as_i64).map(|term| term.max(0) as u64);
        let index = IndexMeta {
            name: self.text(value, "name")?.into(),
            uuid: settings.text("index.uuid").ok_or_else(|| self.missing("index.uuid"))?.into(),
            creation_date_ms: settings.text("index.creation_date").and_then(|ms| ms.parse().ok()).unwrap_or(0),
            mapping: Arc::new(mapping),
            mapping_source,
            unreadable,
            registry,
            aliases: aliases(self.object(value, "aliases")?)?,
            state: if is_open { IndexState::Open } else { IndexState::Closed },
            version: self.number(value, "version")?,
            mapping_version: self.number(value, "mapping_version")?,
            settings_version: self.number(value, "settings_version")?,
            aliases_version: self.number(value, "aliases_version")?,
            number_of_shards: shape.shards,
            number_of_replicas: shape.replicas,
            routing_num_shards: self.number(value, "routing_num_shards")? as u32,
            routing_partition_size: shape.partition_size,
            hidden: settings.text("index.hidden") == Some("true"),
            cores: vec![],
            seed: value.get("seed").and_then(Seed::from_value).map(Arc::new),
            primary_terms: terms.collect(),
            rollovers: value.get("rollovers").and_then(Value::as_object).cloned().unwrap_or_default(),
            allocation_ids: self.texts(value, "allocation_ids")?.into_iter().map(Into::into).collect(),
            settings,
        };
        let shards = index.number_of_shards as usize;
        if index.primary_terms.len() != shards || index.allocation_ids.len() != shards {
            return Err(self.missing("primary_terms"));
        }
        Ok(index)
    }

    fn stream(&self, value: &Value, state: &State) -> Result<DataStream> {
        let id = |name: &String| {
            let index = state.index(name).map(|index| index.id());
            index.ok_or_else(|| {
                let reason = format!("metadata file [{}] has a data stream of [{name}], which is not there", self.file);
                Error::new(ErrorKind::CorruptIndex, reason)
            })
        };
        Ok(DataStream {
            name: self.text(value, "name")?.into(),
            timestamp_field: self.text(value, "timestamp_field")?.to_owned(),
            indices: self.texts(value, "indices")?.iter().map(id).collect::<Result<_>>()?,
            generation: self.number(value, "generation")?,
        })
    }

    fn templates(&self, value: &Value) -> Result<Templates> {
        let mut templates = Templates::default();
        let integer = |value: &Value, key: &str| value.get(key).and_then(Value::as_i64);
        for (name, value) in self.object(value, "legacy")?.iter() {
            let template = LegacyTemplate {
                index_patterns: self.texts(value, "index_patterns")?,
                order: integer(value, "order").unwrap_or(0),
                version: integer(value, "version"),
                content: content(self.field(value, "content")?)?,
            };
            templates.legacy.insert(name.to_owned(), Arc::new(template));
        }
        for (name, value) in self.object(value, "index")?.iter() {
            let template = IndexTemplate {
                index_patterns: self.texts(value, "index_patterns")?,
                composed_of: self.texts(value, "composed_of")?,
                priority: integer(value, "priority"),
                version: integer(value, "version"),
                meta: value.get("meta").cloned(),
                timestamp_field: value.get("timestamp_field").and_then(Value::as_str).map(str::to_owned),
                content: value.get("content").map(content).transpose()?,
            };
            templates.index.insert(name.to_owned(), Arc::new(template));
        }
        for (name, value) in self.object(value, "component")?.iter() {
            let template = ComponentTemplate {
                version: integer(value, "version"),
                meta: value.get("meta").cloned(),
                content: content(self.field(value, "content")?)?,
            };
            templates.component.insert(name.to_owned(), Arc::new(template));
        }
        Ok(templates)
    }
}

fn aliases(map: &Map) -> Result<BTreeMap<Arc<str>, Arc<AliasMeta>>> {
    map.iter().map(|(name, value)| Ok((name.into(), Arc::new(AliasMeta::from_value(value)?)))).collect()
}

fn content(value: &Value) -> Result<TemplateContent> {
    let mut content = TemplateContent::default();
    if let Some(settings) = value.get("settings") {
        content.settings = Settings::from_json(settings)?;
        content.shows_settings = true;
    }
    content.mapping = value.get("mappings").cloned();
    if let Some(aliases) = value.get("aliases").and_then(Value::as_object) {
        content.shows_aliases = true;
        for (name, alias) in aliases.iter() {
            content.aliases.insert(name.to_owned(), AliasMeta::from_value(alias)?);
        }
    }
    Ok(content)
}
