//! JSON to definitions, with the reference's refusals.

use super::ineffective::has_no_effect;
use super::place::{is_place, read_place};
use super::{
    Child, Dynamic, FieldDefinition, NestedDefinition, ObjectDefinition, RootDefinition, SourceDefinition,
    TimestampDefinition,
};
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_ordered;
use crate::json::{Map, Value, java_class, no_cast};
use crate::mapping::date::DateFormat;
use crate::mapping::derived;
use crate::mapping::dynamic::{DynamicTemplate, note_invalid};
use crate::mapping::params::{ParamContext, Params, java_text, leftovers, not_a_map, read_bool, read_named_bool};
use crate::mapping::types::{self, FieldContext};
use std::collections::BTreeMap;

const COPIES_TO_NULL: &str = "Cannot invoke \"String.lastIndexOf(int)\" because \"field\" is null";

/// Whether that is what is wrong, which is told as it is: the reference finds it when it has read the mapping.
pub fn copies_to_null(error: &Error) -> bool {
    error.kind() == ErrorKind::NullPointer && error.reason() == COPIES_TO_NULL
}

impl RootDefinition {
    /// Reads what stands under `mappings`, or the body of a put mapping request. Of several mistakes the one is told that comes first
    /// in the reference's hash maps.
    pub fn parse(source: &Value, cx: ParamContext) -> Result<Self> {
        let Value::Object(map) = source else { return Err(Error::not_x_content()) };
        let map = java_ordered(map.clone());
        let mut definition = Self::default();
        definition.root.read_flat(map.get("disable_objects"))?;
        let mut left = vec![];
        for (key, value) in map.iter() {
            // Of an object it may be said that it is one, but not of the document.
            let of_root = key != "type" && definition.root.read_key(key, value, cx)?;
            if !of_root && !definition.read_key(key, value, cx)? {
                left.push((key, value));
            }
        }
        // Metadata fields are looked at when the fields have been read, and what is kept for others last.
        let mut unknown = vec![];
        for (key, value) in left {
            if !definition.read_metadata_field(key, value)? {
                unknown.push((key, value));
            }
        }
        for (_, value) in unknown.extract_if(.., |(key, _)| *key == "_meta") {
            definition.read_meta(value)?;
        }
        if !unknown.is_empty() {
            return Err(parsing(format!(
                "Root mapping definition has unsupported parameters: {}",
                leftovers(unknown.into_iter())
            )));
        }
        definition.root.check_flat("", "_doc")?;
        for name in definition.derived.keys() {
            let kind = match definition.root.properties.get(name) {
                Some(Child::Field(field)) => field.row.name,
                Some(Child::Object(_)) => "ObjectMapper",
                None => continue,
            };
            return Err(changed_type(name, "derived", kind));
        }
        Ok(definition)
    }

    /// Reads a key that only the root has; `false` if it is none, or of a metadata field.
    fn read_key(&mut self, key: &str, value: &Value, cx: ParamContext) -> Result<bool> {
        match key {
            "date_detection" => self.date_detection = Some(read_named_bool(key, value)?),
            "numeric_detection" => self.numeric_detection = Some(read_named_bool(key, value)?),
            "dynamic_date_formats" | "date_formats" => self.dynamic_date_formats = Some(date_formats(value)?),
            "dynamic_templates" => {
                let templates = DynamicTemplate::parse_all(value)?;
                note_invalid(&templates, cx);
                self.dynamic_templates = Some(templates);
            }
            "derived" => self.derived = derived::parse_all(value)?,
            "composite" => refuse_composite(value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn read_meta(&mut self, value: &Value) -> Result<()> {
        self.meta = match value {
            Value::Null => None,
            Value::Object(meta) => {
                let mut meta = meta.clone();
                sort_deep(&mut meta);
                Some(meta)
            }
            other => return Err(not_a_map(other)),
        };
        Ok(())
    }

    /// Reads what is said of a metadata field; `false` if it is none.
    fn read_metadata_field(&mut self, key: &str, value: &Value) -> Result<bool> {
        match key {
            "_source" => self.source = Some(source_definition(value)?),
            "_routing" => self.routing_required = one_flag(key, "required", value)?,
            "_data_stream_timestamp" => self.data_stream_timestamp = Some(timestamp_definition(value)?),
            "_field_names" => self.field_names_enabled = one_flag(key, "enabled", value)?,
            "_doc_count" => {
                if let Some((param, _)) = value.as_object().ok_or_else(no_metadata)?.iter().next() {
                    return Err(parsing(format!("unknown parameter [{param}] on mapper [{key}] of type [null]")));
                }
            }
            "_id" | "_index" | "_version" | "_seq_no" | "_nested_path" | "_ignored" => {
                value.as_object().ok_or_else(no_metadata)?;
                return Err(parsing(format!("{key} is not configurable")));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Indexes that are made up beforehand need a setting that there is not.
fn refuse_composite(value: &Value) -> Result<()> {
    match value {
        Value::Null => Ok(()),
        Value::Object(_) => Err(Error::illegal_argument(
            "Set 'index.composite_index' as true as part of index settings to use star tree index",
        )),
        other => Err(no_cast(other, "java.util.Map")),
    }
}

fn timestamp_definition(value: &Value) -> Result<TimestampDefinition> {
    let map = value.as_object().ok_or_else(no_metadata)?;
    let mut definition = TimestampDefinition::default();
    for (key, value) in map.iter() {
        match key {
            "enabled" => definition.enabled = read_bool(value)?,
            "timestamp_field" => {
                definition.field = value.get("name").and_then(Value::as_str).map(str::to_owned);
            }
            _ => {
                return Err(parsing(format!(
                    "unknown parameter [{key}] on mapper [_data_stream_timestamp] of type [null]"
                )));
            }
        }
    }
    Ok(definition)
}

impl ObjectDefinition {
    /// Reads a key that every object has; `false` if it is none.
    fn read_key(&mut self, key: &str, value: &Value, cx: ParamContext) -> Result<bool> {
        match key {
            "dynamic" => self.dynamic = Some(dynamic(value)?),
            "enabled" => self.disabled = !read_named_bool("enabled.enabled", value)?,
            "properties" => self.read_properties(value, cx)?,
            // Read before, as it says how the properties are.
            "disable_objects" => {}
            // Of long ago: accepted and forgotten, as the reference does.
            "include_in_all" => {
                note("[include_in_all] is deprecated, the _all field have been removed in this version")
            }
            "type" if matches!(value.as_str(), Some("object" | "nested")) => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn read_properties(&mut self, value: &Value, cx: ParamContext) -> Result<()> {
        let properties = match value {
            Value::Object(properties) => properties,
            Value::Array(items) if items.is_empty() => return Ok(()),
            _ => return Err(Error::new(ErrorKind::Parse, "properties must be a map type")),
        };
        let mut read = Vec::with_capacity(properties.len());
        for (name, node) in properties.iter() {
            match node {
                Value::Object(node) => read.push(self.read_property(name, node, cx)?),
                Value::Array(items) if items.is_empty() => {}
                _ => {
                    return Err(parsing(format!(
                        "Expected map for property [fields] on field [{name}] but got a class java.lang.String"
                    )));
                }
            }
        }
        // That two of them are not for each other shows once each has been read.
        for (path, child) in read {
            match self.is_flat() {
                true => _ = self.properties.insert(path.to_owned(), child),
                false => self.insert(path, child, path)?,
            }
        }
        Ok(())
    }

    /// Reads one property, and the path where it stands. Dots in its name stand for objects on the way.
    fn read_property<'n>(&self, name: &'n str, node: &Map, cx: ParamContext) -> Result<(&'n str, Child)> {
        if self.is_flat() {
            if name.is_empty() {
                return Err(Error::illegal_argument("name cannot be empty string"));
            }
            let child = Child::parse_as(Names { written: name, own: name }, node, cx)?;
            return Ok((name, child));
        }
        let child = Child::parse(name, node, cx)?;
        let path = name.trim_end_matches('.');
        let (parents, leaf) = path.rsplit_once('.').map_or((None, path), |(parents, leaf)| (Some(parents), leaf));
        if path.is_empty() && !name.is_empty() {
            return Err(parsing(format!("Invalid field name {name}")));
        }
        if leaf.is_empty() || parents.is_some_and(|p| p.split('.').any(str::is_empty)) {
            return Err(Error::illegal_argument("name cannot be empty string"));
        }
        Ok((path, child))
    }

    /// Puts a child where a path leads, through objects that come into being. `full` is its full name.
    pub(super) fn insert(&mut self, path: &str, child: Child, full: &str) -> Result<()> {
        let mut object = self;
        let (parents, leaf) = path.rsplit_once('.').map_or((None, path), |(parents, leaf)| (Some(parents), leaf));
        for part in parents.into_iter().flat_map(|parents| parents.split('.')) {
            let entry = object.properties.entry(part.to_owned());
            match entry.or_insert_with(|| Child::Object(ObjectDefinition::default())) {
                Child::Object(inner) => object = inner,
                Child::Field(field) => return Err(changed_type(part, field.row.name, "ObjectMapper")),
            }
        }
        if let (Some(Child::Object(_)), Child::Field(_)) = (object.properties.get(leaf), &child) {
            return Err(not_an_object(full));
        }
        object.add(leaf, child, full)
    }
}

/// What errors call a field or object.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// As it stands in the mapping, dots and all.
    pub written: &'a str,
    /// What stands behind the last dot.
    pub own: &'a str,
}

impl Child {
    /// Reads the definition of a field or object.
    pub fn parse(name: &str, node: &Map, cx: ParamContext) -> Result<Child> {
        let own = name.trim_end_matches('.').rsplit('.').next().unwrap_or(name);
        Self::parse_as(Names { written: name, own }, node, cx)
    }

    fn parse_as(names: Names, node: &Map, cx: ParamContext) -> Result<Child> {
        let type_name = match node.get("type") {
            Some(value) if !value.is_null() => java_text(value),
            _ if node.contains("properties") => "object".to_owned(),
            _ if node.len() == 1 && matches!(node.get("enabled"), Some(Value::Bool(_))) => "object".to_owned(),
            _ => return Err(parsing(format!("No type specified for field [{}]", names.written))),
        };
        if matches!(type_name.as_str(), "object" | "nested") {
            return Ok(Child::Object(parse_object(names, node, type_name == "nested", cx)?));
        }
        FieldDefinition::parse(names, &type_name, node, cx).map(Child::Field)
    }
}

fn parse_object(names: Names, node: &Map, nested: bool, cx: ParamContext) -> Result<ObjectDefinition> {
    let mut object = ObjectDefinition::default();
    object.read_flat(node.get("disable_objects"))?;
    let (mut unknown, mut includes) = (vec![], NestedDefinition::default());
    for (key, value) in node.iter() {
        let flag = || read_named_bool(&format!("{}.{key}", names.own), value);
        match key {
            "include_in_parent" if !value.is_null() => includes.include_in_parent = flag()?,
            "include_in_root" if !value.is_null() => includes.include_in_root = flag()?,
            _ if object.read_key(key, value, cx)? => {}
            _ => unknown.push((key, value)),
        }
    }
    object.nested = nested.then_some(includes);
    if unknown.is_empty() { Ok(object) } else { Err(unsupported(names.written, unknown)) }
}

impl FieldDefinition {
    /// Reads a field of the type `type_name`.
    fn parse(names: Names, type_name: &str, node: &Map, cx: ParamContext) -> Result<Self> {
        let Names { written, own: name } = names;
        if type_name == "derived" {
            return Err(derived_among_fields(name, node)?);
        }
        let row = types::row(type_name)
            .ok_or_else(|| parsing(format!("No handler for type [{type_name}] declared on field [{written}]")))?;
        let mut field = Self { row, params: Params::new(row.params, cx), fields: BTreeMap::new(), copy_to: vec![] };
        if is_place(row) {
            read_place(&mut field, names, node, cx)?;
            (row.check)(&mut field.params, &FieldContext { name, analysis: cx.analysis })?;
            return Ok(field);
        }
        let (mut unknown, mut copies) = (vec![], Ok(vec![]));
        for (key, value) in node.iter() {
            match key {
                "type" => {}
                "fields" if row.plain => field.fields = multi_fields(name, value, cx)?,
                "copy_to" if row.plain => copies = copy_to(value),
                _ if field.params.read(row.params, key, value, name, type_name, cx)? => {}
                _ if has_no_effect(row, key) => {}
                _ if row.plain => {
                    let reason = format!("unknown parameter [{key}] on mapper [{name}] of type [{type_name}]");
                    return Err(parsing(reason));
                }
                _ => unknown.push((key, value)),
            }
        }
        field.params.check_choices(row.params)?;
        (row.check)(&mut field.params, &FieldContext { name, analysis: cx.analysis })?;
        field.copy_to = copies?;
        if unknown.is_empty() { Ok(field) } else { Err(unsupported(written, unknown)) }
    }
}

pub(super) fn multi_fields(name: &str, value: &Value, cx: ParamContext) -> Result<BTreeMap<String, FieldDefinition>> {
    let map = match value {
        Value::Object(map) => map,
        Value::Array(items) if items.is_empty() => return Ok(BTreeMap::new()),
        Value::Null => {
            let reason = "Cannot invoke \"Object.getClass()\" because \"propNode\" is null";
            return Err(Error::new(ErrorKind::NullPointer, reason));
        }
        other => {
            let (text, class) = (java_text(other), java_class(other));
            return Err(parsing(format!(
                "expected map for property [fields] on field [{text}] or [fields] but got a class {class}"
            )));
        }
    };
    let mut fields = BTreeMap::new();
    for (key, node) in map.iter() {
        if key.contains('.') {
            return Err(parsing(format!("Field name [{key}] which is a multi field of [{name}] cannot contain '.'")));
        }
        let Value::Object(node) = node else {
            return Err(parsing(format!("illegal field [{key}], only fields can be specified inside fields")));
        };
        let type_name = node.get("type").filter(|given| !given.is_null()).map(java_text);
        let type_name = type_name.ok_or_else(|| parsing(format!("no type specified for property [{key}]")))?;
        if matches!(type_name.as_str(), "object" | "nested" | types::ALIAS) {
            return Err(parsing(format!("Type [{type_name}] cannot be used in multi field")));
        }
        if types::row(&type_name).is_none() {
            return Err(parsing(format!("no handler for type [{type_name}] declared on field [{key}]")));
        }
        let field = FieldDefinition::parse(Names { written: key, own: key }, &type_name, node, cx)?;
        if type_name == "join" {
            return Err(Error::illegal_argument(format!(
                "join field [{name}.{key}] cannot be added inside an object or in a multi-field"
            )));
        }
        fields.insert(key.to_owned(), field);
    }
    Ok(fields)
}

/// Why a field cannot be of the type that derived fields have among themselves; the error of what it says comes first.
fn derived_among_fields(name: &str, node: &Map) -> Result<Error> {
    for (key, value) in node.iter() {
        match key {
            "type" | "script" | "properties" | "prefilter_field" | "format" => {}
            "store" | "meta" | "index" | "doc_values" | "boost" | "index_options" | "similarity" => {}
            "ignore_malformed" => {
                read_bool(value)?;
            }
            _ => return Err(parsing(format!("unknown parameter [{key}] on mapper [{name}] of type [derived]"))),
        }
    }
    Ok(match node.get("script") {
        Some(Value::Null) => {
            parsing(format!("[script] on mapper [{name}] of type [derived] must not have a [null] value"))
        }
        None | Some(Value::String(_) | Value::Object(_)) => {
            Error::illegal_argument("Type [derived] isn't supported in Derived field context.")
        }
        Some(_) => Error::illegal_argument("Script value should be a String or a Map"),
    })
}

/// The names of the fields to copy to.
pub(super) fn copy_to(value: &Value) -> Result<Vec<String>> {
    let names = value.as_array().unwrap_or(std::slice::from_ref(value));
    match names.iter().any(Value::is_null) {
        true => Err(Error::new(ErrorKind::NullPointer, COPIES_TO_NULL)),
        false => Ok(names.iter().map(java_text).collect()),
    }
}

fn dynamic(value: &Value) -> Result<Dynamic> {
    if value.is_null() {
        return Err(Error::new(
            ErrorKind::NullPointer,
            "Cannot invoke \"Object.toString()\" because \"fieldNode\" is null",
        ));
    }
    match value.as_str().map(str::to_ascii_lowercase).as_deref() {
        Some("strict") => return Ok(Dynamic::Strict),
        Some("strict_allow_templates") => return Ok(Dynamic::StrictAllowTemplates),
        Some("false_allow_templates") => return Ok(Dynamic::FalseAllowTemplates),
        _ => {}
    }
    let on = read_named_bool("dynamic.dynamic", value)?;
    Ok(if on { Dynamic::True } else { Dynamic::False })
}

fn date_formats(value: &Value) -> Result<Vec<String>> {
    let patterns = match value {
        Value::Null => {
            let reason = "Cannot invoke \"Object.toString()\" because \"fieldNode\" is null";
            return Err(Error::new(ErrorKind::NullPointer, reason));
        }
        Value::Array(items) => items.as_slice(),
        Value::String(text) if text == "none" => &[],
        one => std::slice::from_ref(one),
    };
    patterns.iter().map(date_format).collect()
}

fn date_format(value: &Value) -> Result<String> {
    let shown = java_text(value);
    if shown.starts_with("epoch_") {
        return Err(parsing(format!("Epoch [{shown}] is not supported as dynamic date format")));
    }
    let Value::String(pattern) = value else {
        return Err(Error::illegal_argument(format!("Invalid format: [{shown}]: expected string value")));
    };
    DateFormat::parse(pattern)?;
    Ok(shown)
}

fn source_definition(value: &Value) -> Result<SourceDefinition> {
    let mut source = SourceDefinition::default();
    for (key, value) in value.as_object().ok_or_else(no_metadata)?.iter() {
        if value.is_null() {
            return Err(parsing(format!("[{key}] on mapper [_source] of type [null] must not have a [null] value")));
        }
        match key {
            "enabled" => source.enabled = Some(read_bool(value)?),
            "includes" => source.includes = patterns(value),
            "excludes" => source.excludes = patterns(value),
            "recovery_source_enabled" => source.recovery_enabled = Some(read_bool(value)?),
            "recovery_source_includes" => source.recovery_includes = pattern_list(value)?,
            "recovery_source_excludes" => source.recovery_excludes = pattern_list(value)?,
            _ => return Err(parsing(format!("unknown parameter [{key}] on mapper [_source] of type [null]"))),
        }
    }
    Ok(source)
}

fn patterns(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().map(java_text).collect(),
        other => vec![java_text(other)],
    }
}

fn pattern_list(value: &Value) -> Result<Vec<String>> {
    match value {
        Value::Array(_) => Ok(patterns(value)),
        other => Err(no_cast(other, "java.util.List")),
    }
}

/// A metadata field that has one boolean.
fn one_flag(mapper: &str, flag: &str, value: &Value) -> Result<Option<bool>> {
    let mut set = None;
    for (key, value) in value.as_object().ok_or_else(no_metadata)?.iter() {
        if key != flag {
            return Err(parsing(format!("unknown parameter [{key}] on mapper [{mapper}] of type [null]")));
        }
        set = Some(read_bool(value)?);
    }
    Ok(set)
}

/// A metadata field that is no object; the reference's message names another one.
fn no_metadata() -> Error {
    Error::illegal_argument("[_parent] must be an object containing [type]")
}

pub fn not_an_object(name: &str) -> Error {
    Error::illegal_argument(format!("can't merge a non object mapping [{name}] with an object mapping"))
}

/// A field of a type cannot become one of another.
pub fn changed_type(name: &str, from: &str, to: &str) -> Error {
    Error::illegal_argument(format!("mapper [{name}] cannot be changed from type [{from}] to [{to}]"))
}

pub(super) fn unsupported(name: &str, unknown: Vec<(&str, &Value)>) -> Error {
    let unknown = leftovers(unknown.into_iter());
    parsing(format!("Mapping definition for [{name}] has unsupported parameters: {unknown}"))
}

pub(super) fn parsing(reason: String) -> Error {
    Error::new(ErrorKind::MapperParsing, reason)
}

fn sort_deep(map: &mut Map) {
    map.sort();
    for entry in &mut map.entries {
        if let Value::Object(inner) = &mut entry.value {
            sort_deep(inner);
        }
    }
}
