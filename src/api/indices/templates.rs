//! `_template`, `_index_template` and `_component_template`.

use super::super::document::validation_failed;
use super::super::targets::{MANAGER_ALONE, MANAGER_TIMEOUT, manager_timeout_ms, submit};
use super::super::{ApiRequest, Method, Reply, Route};
use super::create::{expected_object, mapping_of, parse_aliases};
use super::template_fields::{
    check_parts, no_context, object_of, parse_data_stream, strings, unknown_field, whole_number,
};
use super::template_names::{check_name, check_patterns, mistakes_of, refused};
use crate::cluster::{
    AliasMeta, Change, ComponentTemplate, IndexTemplate, LegacyTemplate, State, Template, TemplateBody,
    TemplateContent, TemplateKind, check_alias, check_filter, check_index_template, invalid_mappings,
    legacy_overlapping, not_composable, overlapping,
};
use crate::coordinate::Core;
use crate::settings::{self, Settings, SettingsUpdate, glob};
use pith_engine::analysis::Registry;
use pith_engine::java_order::{sort_by_few_slots, sort_by_slot};
use pith_engine::json::{self, Entry, Map, Value};
use pith_engine::mapping::{Mapping, note_ineffective};
use pith_engine::{Error, ErrorKind, Result, deprecated};
use std::collections::BTreeMap;
use std::rc::Rc;

macro_rules! rows {
    ($name:literal $params:expr, $handler:expr => $($method:ident $path:literal),* $(,)?) => {
        &[$(Route {
            method: Method::$method,
            path: $path,
            name: $name,
            params: $params,
            handler: |core, request| Box::pin($handler(core, request)),
        }),*]
    };
}

const GET_PARAMS: &[&[&str]] = &[MANAGER_TIMEOUT, &["flat_settings", "settings_filter"]];
const PUT_PARAMS: &[&[&str]] = &[MANAGER_ALONE, &["create", "cause"]];
const PUT_LEGACY_PARAMS: &[&[&str]] = &[MANAGER_ALONE, &["create", "cause", "order"]];

pub const LEGACY_GET: &[Route] = rows!["get_index_template_action" GET_PARAMS, get_legacy =>
    Get "/_template", Get "/_template/{name}", Head "/_template/{name}",
];
pub const LEGACY_PUT: &[Route] = rows!["put_index_template_action" PUT_LEGACY_PARAMS, put_legacy =>
    Put "/_template/{name}", Post "/_template/{name}",
];
pub const INDEX_GET: &[Route] = rows!["get_composable_index_template_action" GET_PARAMS, get_index =>
    Get "/_index_template", Get "/_index_template/{name}", Head "/_index_template/{name}",
];
pub const INDEX_PUT: &[Route] = rows!["put_composable_index_template_action" PUT_PARAMS, put_index =>
    Put "/_index_template/{name}", Post "/_index_template/{name}",
];
pub const COMPONENT_GET: &[Route] = rows!["get_component_template_action" GET_PARAMS, get_component =>
    Get "/_component_template", Get "/_component_template/{name}", Head "/_component_template/{name}",
];
pub const COMPONENT_PUT: &[Route] = rows!["put_component_template_action" PUT_PARAMS, put_component =>
    Put "/_component_template/{name}", Post "/_component_template/{name}",
];
pub const LEGACY_DELETE: &[Route] = rows!["delete_index_template_action" &[MANAGER_ALONE],
    |core, request| delete(core, request, TemplateKind::Legacy) => Delete "/_template/{name}",
];
pub const INDEX_DELETE: &[Route] = rows!["delete_composable_index_template_action" &[MANAGER_ALONE],
    |core, request| delete(core, request, TemplateKind::Index) => Delete "/_index_template/{name}",
];
pub const COMPONENT_DELETE: &[Route] = rows!["delete_component_template_action" &[MANAGER_ALONE],
    |core, request| delete(core, request, TemplateKind::Component) => Delete "/_component_template/{name}",
];

async fn get_legacy(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    read_common(&request)?;
    let flat = request.flag("flat_settings", false);
    let names = request.list("name");
    let templates = core.state().templates.clone();
    let shown: Map = as_hashed(&templates.legacy)
        .into_iter()
        .filter(|(name, _)| names.is_empty() || names.iter().any(|pattern| glob(pattern, name)))
        .map(|(name, template)| Ok((name, legacy_value(template, flat.clone()?))))
        .collect::<Result<_>>()?;
    let found = names.is_empty() || !shown.is_empty();
    Ok(Reply::json(if found { 200 } else { 404 }, Value::Object(shown).to_bytes()))
}

async fn get_index(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    read_common(&request)?;
    let templates = core.state().templates.clone();
    let words = ["index_templates", "index_template", "index template"];
    list(&request, words, &templates.index, |template| index_value(template))
}

async fn get_component(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    read_common(&request)?;
    let templates = core.state().templates.clone();
    let words = ["component_templates", "component_template", "component template"];
    list(&request, words, &templates.component, |template| component_value(template))
}

/// All templates in the order in which the reference keeps them.
pub fn as_hashed<T>(templates: &BTreeMap<String, T>) -> Vec<(&str, &T)> {
    let mut all: Vec<(&str, &T)> = templates.iter().map(|(name, template)| (name.as_str(), template)).collect();
    sort_by_few_slots(&mut all, |(name, _)| name);
    all
}

fn read_common(request: &ApiRequest) -> Result<()> {
    manager_timeout_ms(request)?;
    request.flag("local", false)?;
    Ok(())
}

/// `{"<plural>":[{"name":…,"<singular>":{…}},…]}`; a name without a template is an error, a pattern without one is 404.
fn list<T>(
    request: &ApiRequest,
    [plural, singular, noun]: [&str; 3],
    templates: &BTreeMap<String, T>,
    value: impl Fn(&T) -> Value,
) -> Result<Reply> {
    let pattern = request.param("name").unwrap_or("*");
    let mut found = as_hashed(templates);
    found.retain(|(name, _)| glob(pattern, name));
    if request.has("name") {
        // They are collected by name first.
        sort_by_slot(&mut found, |(name, _)| name);
    }
    sort_by_few_slots(&mut found, |(name, _)| name);
    let object =
        |(name, template)| Value::Object(Map::from_iter([("name", Value::from(name)), (singular, value(template))]));
    let found: Vec<Value> = found.into_iter().map(object).collect();
    if !found.is_empty() {
        // Settings of these are never flat; it is read where some are shown.
        request.flag("flat_settings", false)?;
    }
    let nothing = found.is_empty() && request.has("name");
    if nothing && !pattern.contains('*') {
        return Err(Error::new(ErrorKind::ResourceNotFound, format!("{noun} matching [{pattern}] not found")));
    }
    let body = Value::Object(Map::from_iter([(plural, Value::Array(found))]));
    Ok(Reply::json(if nothing { 404 } else { 200 }, body.to_bytes()))
}

/// A legacy template as it is shown.
pub fn legacy_value(template: &LegacyTemplate, flat: bool) -> Value {
    let mut map = Map::from_iter([("order", Value::from(template.order))]);
    if let Some(version) = template.version {
        map.insert("version", version);
    }
    map.insert("index_patterns", texts(&template.index_patterns));
    let content = &template.content;
    map.insert("settings", content.settings.shown(flat));
    map.insert("mappings", content.mapping.clone().unwrap_or_else(|| Map::new().into()));
    let aliases: Map = content.aliases.iter().map(|(name, alias)| (name.as_str(), alias.to_value())).collect();
    map.insert("aliases", aliases);
    Value::Object(map)
}

pub fn index_value(template: &IndexTemplate) -> Value {
    let mut map = Map::from_iter([("index_patterns", texts(&template.index_patterns))]);
    if let Some(content) = &template.content {
        map.insert("template", content.to_value(false));
    }
    if template.content.is_some() || !template.composed_of.is_empty() {
        map.insert("composed_of", texts(&template.composed_of));
    }
    insert_some(&mut map, "priority", template.priority);
    insert_some(&mut map, "version", template.version);
    insert_some(&mut map, "_meta", template.meta.clone());
    if let Some(field) = &template.timestamp_field {
        map.insert("data_stream", Map::from_iter([("timestamp_field", Map::from_iter([("name", field.as_str())]))]));
    }
    Value::Object(map)
}

pub fn component_value(template: &ComponentTemplate) -> Value {
    let mut map = Map::from_iter([("template", template.content.to_value(false))]);
    insert_some(&mut map, "version", template.version);
    insert_some(&mut map, "_meta", template.meta.clone());
    Value::Object(map)
}

fn insert_some(map: &mut Map, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        map.insert(key, value);
    }
}

fn texts(items: &[String]) -> Value {
    Value::Array(items.iter().map(Value::from).collect())
}

async fn put_legacy(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.json_map()?;
    let map = body.as_object().ok_or_else(Error::not_x_content)?;
    let mut template =
        LegacyTemplate { index_patterns: vec![], order: 0, version: None, content: TemplateContent::default() };
    let mut mapping = None;
    if let Some(order) = request.int_opt("order")? {
        template.order = order.into();
    }
    for (key, value) in map.iter() {
        match key {
            // What the patterns were called once; they win over it.
            "template" => {
                deprecated::note("Deprecated field [template] used, replaced by [index_patterns]");
                if let (Value::String(pattern), false) = (value, map.contains("index_patterns")) {
                    template.index_patterns = vec![pattern.clone()];
                }
            }
            "index_patterns" => template.index_patterns = names(value)?,
            "order" => template.order = integer(value)?,
            "version" => {
                let wrong = || Error::illegal_argument("Malformed [version] value, should be an integer");
                let version = value.as_i64().filter(|version| i32::try_from(*version).is_ok());
                template.version = Some(version.ok_or_else(wrong)?);
            }
            "settings" => {
                if value.as_object().is_none() {
                    let wrong = "Malformed [settings] section, should include an inner object";
                    return Err(Error::illegal_argument(wrong));
                }
                template.content.settings =
                    parse_settings(value).map_err(|error| invalid(request.path_param("name"), error))?;
                settings::check_similarities(&template.content.settings)?;
            }
            "mappings" if value.is_null() => return Err(Error::new(ErrorKind::NullPointer, NO_MAPPINGS)),
            "mappings" if value.as_object().is_none() => return Err(json::no_cast(value, "java.util.Map")),
            "mappings" => mapping = Some(mapping_of(value)?),
            "aliases" if !value.is_null() && value.as_object().is_none() => {
                return Err(json::no_cast(value, "java.util.Map"));
            }
            "aliases" => template.content.aliases = legacy_aliases(value)?,
            _ => return Err(Error::new(ErrorKind::Parse, format!("unknown key [{key}] in the template "))),
        }
    }
    if template.index_patterns.is_empty() {
        return Err(Error::new(
            ErrorKind::ActionRequestValidation,
            "Validation Failed: 1: index patterns are missing;",
        ));
    }
    let name = request.path_param("name").to_owned();
    check_patterns(&name, &template.index_patterns)?;
    if let Some(alias) = template.index_patterns.iter().find(|pattern| template.content.aliases.contains_key(*pattern))
    {
        let patterns = template.index_patterns.join(", ");
        let reason = format!("alias [{alias}] cannot be the same as any pattern in [{patterns}]");
        return Err(Error::illegal_argument(reason));
    }
    if hides_all(&template.index_patterns, template.content.settings.contains("index.hidden")) {
        let mistake = "Validation Failed: 1: global templates may not specify the setting index.hidden;";
        return Err(invalid(&name, Error::new(ErrorKind::Validation, mistake)));
    }
    template.content.mapping = mapping.map(|mapping| parse_mapping(&mapping)).transpose()?;
    let state = core.state();
    let reply = put(core, request, name.clone(), TemplateBody::Legacy(template.clone())).await?;
    note_composable(&state, &name, &template);
    Ok(reply)
}

async fn put_index(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.json_declared(|path| match path {
        ["template", _] => Some("template"),
        [_] => Some("index_template"),
        _ => None,
    })?;
    request.flag("create", false)?;
    let name = request.path_param("name").to_owned();
    let template = parse_index_template(&core.state(), &name, &body, &request.body)?;
    put(core, request, name, TemplateBody::Index(template)).await
}

/// Reads the body of an index template. What indexes are made of is looked at where the rest of it may be put.
pub fn parse_index_template(state: &State, name: &str, body: &Value, text: &[u8]) -> Result<IndexTemplate> {
    const WHOLE: &str = "index_template";
    let map = body.as_object().ok_or_else(|| expected_object(WHOLE, body))?;
    let mut template = IndexTemplate {
        index_patterns: vec![],
        composed_of: vec![],
        priority: None,
        version: None,
        meta: None,
        timestamp_field: None,
        content: None,
    };
    let mut part = None;
    for entry in &map.entries {
        match entry.key.as_str() {
            "index_patterns" => template.index_patterns = strings(WHOLE, entry, text)?,
            "composed_of" => template.composed_of = strings(WHOLE, entry, text)?,
            "priority" => template.priority = Some(whole_number(WHOLE, entry, text)?),
            "version" => template.version = Some(whole_number(WHOLE, entry, text)?),
            "_meta" => template.meta = Some(object_of(WHOLE, entry, text)?.clone().into()),
            "template" => {
                check_parts(WHOLE, entry, text)?;
                part = Some(entry);
            }
            "data_stream" => template.timestamp_field = Some(parse_data_stream(entry, text)?),
            "context" => return Err(no_context(name, entry, text)),
            _ => return Err(unknown_field(WHOLE, entry, text)),
        }
    }
    // None at all is allowed, as long as it is said.
    if !map.contains("index_patterns") {
        return Err(Error::illegal_argument("Required [index_patterns]"));
    }
    if template.priority.is_some_and(|priority| priority < 0) {
        validation_failed(&["index template priority must be >= 0".to_owned()])?;
    }
    let settings = part.and_then(|part| part.value.get("settings"));
    let settings = settings.map(SettingsUpdate::from_json).transpose()?.unwrap_or_default();
    if hides_all(&template.index_patterns, settings.clone().normalized("index.").get("index.hidden").is_some()) {
        validation_failed(&["global composable templates may not specify the setting index.hidden".to_owned()])?;
    }
    check_index_template(&state.templates, name, &template)?;
    note_legacy(state, name, &template);
    let mut mistakes = mistakes_of(name, &template.index_patterns);
    check_settings(name, settings.normalized("index."), &mut mistakes)?;
    refused(name, &mistakes)?;
    if let Some(part) = part {
        let content = parse_content(WHOLE, name, &template.composed_of, part, text)?;
        // The reference finds them wrong when it makes an index of the template, to try it.
        let parts = &template.composed_of;
        settings::check_similarities(&content.settings).map_err(|error| not_composable(name, parts, error))?;
        template.content = Some(content);
    }
    Ok(template)
}

/// Whether a template for all names says which of them are hidden.
fn hides_all(patterns: &[String], hides: bool) -> bool {
    hides && patterns.iter().any(|pattern| pattern == "*")
}

/// What the reference says of mappings that are null.
const NO_MAPPINGS: &str = "Cannot invoke \"java.util.Map.entrySet()\" because \"mappings\" is null";

async fn put_component(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.json_declared(|path| match path {
        ["template", _] => Some("template"),
        [_] => Some("component_template"),
        _ => None,
    })?;
    const WHOLE: &str = "component_template";
    let (map, text) = (body.as_object().ok_or_else(|| expected_object(WHOLE, &body))?, &request.body);
    let name = request.path_param("name").to_owned();
    let mut part = None;
    let (mut version, mut meta) = (None, None);
    for entry in &map.entries {
        match entry.key.as_str() {
            "template" => {
                check_parts(WHOLE, entry, text)?;
                part = Some(entry);
            }
            "version" => version = Some(whole_number(WHOLE, entry, text)?),
            "_meta" => meta = Some(object_of(WHOLE, entry, text)?.clone().into()),
            _ => return Err(unknown_field(WHOLE, entry, text)),
        }
    }
    // What the parts say is read when all of the template stands.
    let part = part.ok_or_else(|| Error::illegal_argument("Required [template]"))?;
    let content = parse_content(WHOLE, &name, &[], part, text)?;
    settings::check_similarities(&content.settings)?;
    check_name(&name)?;
    put(core, request, name, TemplateBody::Component(ComponentTemplate { version, meta, content })).await
}

/// Notes which templates of the old kind the template takes the place of.
fn note_legacy(state: &State, name: &str, template: &IndexTemplate) {
    if let Some(others) = listed(legacy_overlapping(&state.templates, template)) {
        deprecated::note(format!(
            "index template [{name}] has index patterns [{}] matching patterns from existing older templates {others}; this template [{name}] will take precedence during new index creation",
            template.index_patterns.join(", "),
        ));
    }
}

/// Notes which templates of the new kind may take the place of this one of the old kind.
fn note_composable(state: &State, name: &str, template: &LegacyTemplate) {
    if let Some(others) = listed(overlapping(&state.templates, name, &template.index_patterns)) {
        deprecated::note(format!(
            "legacy template [{name}] has index patterns [{}] matching patterns from existing composable templates {others}; this template [{name}] may be ignored in favor of a composable template at index creation time",
            template.index_patterns.join(", "),
        ));
    }
}

/// Templates by their names, then with their patterns; `None` if there are none.
fn listed(mut templates: Vec<(String, Vec<String>)>) -> Option<String> {
    sort_by_few_slots(&mut templates, |(name, _)| name);
    let with_patterns = |(name, patterns): &(String, Vec<String>)| format!("{name} => [{}]", patterns.join(", "));
    let patterns: Vec<String> = templates.iter().map(with_patterns).collect();
    let names: Vec<String> = templates.into_iter().map(|(name, _)| name).collect();
    (!names.is_empty()).then(|| format!("[{}] with patterns ({})", names.join(","), patterns.join(",")))
}

async fn put(core: Rc<Core>, request: ApiRequest, name: String, body: TemplateBody) -> Result<Reply> {
    let create = request.flag("create", false)?;
    let change = Change::PutTemplate(Box::new(Template { name, body, create }));
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}

async fn delete(core: Rc<Core>, request: ApiRequest, kind: TemplateKind) -> Result<Reply> {
    // One name or pattern: a comma is part of it.
    let patterns = vec![request.path_param("name").to_owned()];
    let change = Change::DeleteTemplates { kind, patterns };
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}

/// The part of the template `name`, which errors call `whole`, that indexes are made of with `components`. Settings are looked at
/// first.
fn parse_content(
    whole: &str,
    name: &str,
    components: &[String],
    entry: &Entry,
    text: &[u8],
) -> Result<TemplateContent> {
    check_parts(whole, entry, text)?;
    let mut content = TemplateContent::default();
    let mut parts: Vec<&Entry> = object_of(whole, entry, text)?.entries.iter().collect();
    // Of index templates the filters of aliases come next.
    parts.sort_by_key(|part| match part.key.as_str() {
        "settings" => 0,
        "aliases" if whole == "index_template" => 1,
        _ => 2,
    });
    for part in parts {
        match part.key.as_str() {
            "settings" => {
                content.settings = parse_settings(&part.value).map_err(|error| invalid(name, error))?;
                content.shows_settings = true;
            }
            "mappings" => {
                let mapping = parse_mapping(&part.value).map_err(|cause| match whole {
                    "index_template" => not_composable(name, components, invalid_mappings(name, cause)),
                    _ => cause,
                })?;
                content.mapping =
                    Some(mapping).filter(|mapping| mapping.as_object().is_some_and(|map| !map.is_empty()));
            }
            // Filters are looked at when a template is composed.
            _ if whole == "component_template" => {
                content.aliases = named_aliases(&part.value)?;
                content.shows_aliases = true;
            }
            _ => {
                content.aliases = aliases(&part.value).map_err(|error| match error.cause() {
                    Some(_) => not_composable(name, components, error),
                    None => error,
                })?;
                content.shows_aliases = true;
            }
        }
    }
    Ok(content)
}

/// Checks the settings of an index template. Some are looked at by themselves, before; other mistakes are told with those of its name
/// and its patterns.
fn check_settings(name: &str, update: SettingsUpdate, mistakes: &mut Vec<String>) -> Result<()> {
    const REPLICAS: &str = "index.number_of_replicas";
    let Err(error) = settings::check_new_index(&update) else {
        // What is wrong with a name is told before.
        return match settings::check_not_private(&update) {
            Err(error) if mistakes.is_empty() => Err(invalid(name, error)),
            _ => Ok(()),
        };
    };
    if error.kind() != ErrorKind::IllegalArgument {
        return Err(invalid(name, error));
    }
    for alone in ["index.refresh_interval", "index.auto_expand_replicas"] {
        settings::check_one(&update, alone)?;
    }
    if let Some(Some(replicas)) = update.get(REPLICAS)
        && let Err(no_number) = settings::check_one(&update, REPLICAS)
        && let Some(cause) = no_number.cause()
    {
        let reason = format!("Failed to parse int setting [{REPLICAS}] with value [{}]", replicas.text());
        return Err(Error::new(ErrorKind::Settings, reason).caused_by(cause.clone()));
    }
    mistakes.push(error.reason().to_owned());
    mistakes.extend(error.suppressed_reasons());
    Ok(())
}

/// What the reference checks as it would for a new index is told as a mistake of the template.
fn invalid(name: &str, error: Error) -> Error {
    let told = |mistakes: &str| {
        Error::new(ErrorKind::InvalidIndexTemplate, format!("index_template [{name}] invalid, cause [{mistakes}]"))
    };
    match error.kind() {
        ErrorKind::Validation => told(error.reason()),
        _ => error,
    }
}

fn parse_settings(value: &Value) -> Result<Settings> {
    let update = SettingsUpdate::from_json(value)?.normalized("index.");
    settings::check_new_index(&update)?;
    settings::check_not_private(&update)?;
    Ok(update.to_settings())
}

/// The mapping as it was written: right by itself, analyzers of the template aside.
fn parse_mapping(value: &Value) -> Result<Value> {
    note_ineffective(value);
    let mut notes = vec![];
    let parsed =
        deprecated::collect(&mut notes, || Mapping::parse_untyped(value, &Registry::built_in(), &Default::default()));
    notes.into_iter().filter(|text| !depends_on_settings(text)).for_each(deprecated::note);
    match parsed {
        // It may name an analyzer or a similarity that the template's settings, or another template's, define.
        Err(error) if !depends_on_settings(error.reason()) => Err(error),
        _ => Ok(value.clone()),
    }
}

fn depends_on_settings(mistake: &str) -> bool {
    ["analyzer [", "normalizer [", "Unknown Similarity type ["].iter().any(|defined| mistake.contains(defined))
}

fn aliases(value: &Value) -> Result<BTreeMap<String, AliasMeta>> {
    let aliases = named_aliases(value)?;
    aliases.iter().try_for_each(|(name, alias)| check_filter(name, alias))?;
    Ok(aliases)
}

/// The aliases of a template of the old kind. Their filters are looked at when an index is made of it, and whether they are hidden
/// or written to is not kept.
fn legacy_aliases(value: &Value) -> Result<BTreeMap<String, AliasMeta>> {
    let mut aliases = named_aliases(value)?;
    for alias in aliases.values_mut() {
        (alias.is_write_index, alias.is_hidden) = (None, None);
    }
    Ok(aliases)
}

fn named_aliases(value: &Value) -> Result<BTreeMap<String, AliasMeta>> {
    let aliases: BTreeMap<String, AliasMeta> = parse_aliases(value)?.into_iter().collect();
    aliases.iter().try_for_each(|(name, alias)| check_alias(name, alias))?;
    Ok(aliases)
}

fn names(value: &Value) -> Result<Vec<String>> {
    match value {
        Value::String(one) => Ok(vec![one.clone()]),
        Value::Array(items) if items.iter().any(Value::is_null) => Err(Error::without_reason(ErrorKind::NullPointer)),
        Value::Array(items) => Ok(items.iter().map(json::java_text).collect()),
        _ => Err(Error::illegal_argument("Malformed [template] value, should be a string or a list of strings")),
    }
}

/// What no number is, is read as the text of one; nothing is none.
fn integer(value: &Value) -> Result<i64> {
    match value {
        Value::Null => Ok(0),
        Value::Float(_) => Err(Error::illegal_argument(format!("{} is not an integer value", value.to_text()))),
        value => match value.as_i64() {
            Some(number) if i32::try_from(number).is_err() => {
                Err(Error::new(ErrorKind::ArithmeticOverflow, "integer overflow"))
            }
            Some(number) => Ok(number),
            None => digits(&json::java_text(value)),
        },
    }
}

fn digits(text: &str) -> Result<i64> {
    text.parse::<i32>()
        .map(i64::from)
        .map_err(|_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\"")))
}
