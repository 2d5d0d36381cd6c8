//! Fields that documents bring along: what type a value suggests, and the templates that have a say in it.

use super::Mapping;
use super::date::DateFormat;
use super::definition::{Child, Dynamic, ObjectDefinition, RootDefinition};
use super::document::{Scalar, Token};
use super::mapping::simple_match;
use super::number::parse_java_f64;
use super::params::{ParamContext, java_text, not_a_map};
use super::types;
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::java_regex::JavaRegex;
use crate::json::{Map, Value, Writer};
use std::sync::Arc;

/// The date formats tried on strings where the mapping names none.
const DATE_FORMATS: [&str; 2] = ["strict_date_optional_time", "yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis"];

/// A rule for new fields.
#[derive(Clone, Debug)]
pub struct DynamicTemplate {
    name: String,
    matches: Option<Pattern>,
    unmatch: Option<Pattern>,
    path_match: Option<Pattern>,
    path_unmatch: Option<Pattern>,
    kind: Option<ValueKind>,
    regex: bool,
    /// As written; keys sorted.
    mapping: Map,
}

/// What a value looks like, as templates name it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueKind {
    Object,
    String,
    Long,
    Double,
    Boolean,
    Date,
    Binary,
}

impl ValueKind {
    const ALL: [(&'static str, ValueKind, &'static str); 7] = [
        ("object", Self::Object, "object"),
        ("string", Self::String, "text"),
        ("long", Self::Long, "long"),
        ("double", Self::Double, "float"),
        ("boolean", Self::Boolean, "boolean"),
        ("date", Self::Date, "date"),
        ("binary", Self::Binary, "binary"),
    ];

    /// The type of a field for such values.
    fn default_type(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind, _)| *kind == self).map_or("object", |(_, _, type_name)| type_name)
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind, _)| *kind == self).map_or("object", |(name, _, _)| name)
    }
}

#[derive(Clone, Debug)]
struct Pattern {
    text: String,
    /// Compiled if the template's patterns are regular expressions.
    regex: Option<Arc<JavaRegex>>,
}

impl Pattern {
    fn matches(&self, text: &str) -> bool {
        match &self.regex {
            Some(regex) => regex.matches_whole(text),
            None => simple_match(&self.text, text),
        }
    }
}

/// What new fields an object takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Admission {
    Any,
    Nothing,
    /// Those that a template matches.
    Templates,
    /// The same; others are an error.
    TemplatesOrError,
}

/// What becomes of a new field.
pub enum NewField {
    /// Nothing: it is passed over.
    None,
    Field(Child),
}

impl DynamicTemplate {
    /// Reads the list under `dynamic_templates`.
    pub fn parse_all(value: &Value) -> Result<Vec<Self>> {
        let syntax = |reason: &str| Error::new(ErrorKind::MapperParsing, reason);
        let Value::Array(items) = value else {
            return Err(syntax("Dynamic template syntax error. An array of named objects is expected."));
        };
        let single = "A dynamic template must be defined with a name";
        let mut templates = vec![];
        for item in items {
            match item.as_object().map(|map| map.entries.as_slice()) {
                Some([entry]) => match &entry.value {
                    Value::Object(body) => templates.push(Self::parse(&entry.key, body)?),
                    other => return Err(not_a_map(other)),
                },
                Some(_) => return Err(syntax(single)),
                None => return Err(not_a_map(item)),
            }
        }
        Ok(templates)
    }

    fn parse(name: &str, body: &Map) -> Result<Self> {
        let refuse = |reason: String| Err(Error::new(ErrorKind::MapperParsing, reason));
        let text = |key: &str| body.get(key).filter(|v| !v.is_null()).map(java_text);
        const KEYS: [&str; 7] =
            ["match", "path_match", "unmatch", "path_unmatch", "match_mapping_type", "match_pattern", "mapping"];
        for (key, value) in body.iter() {
            match value {
                _ if !KEYS.contains(&key) => {
                    return Err(Error::illegal_argument(format!("Illegal dynamic template parameter: [{key}]")));
                }
                Value::Object(_) | Value::Null if key == "mapping" => {}
                other if key == "mapping" => return Err(not_a_map(other)),
                Value::Null => {
                    let node = "the return value of \"java.util.Map$Entry.getValue()\"";
                    let reason = format!("Cannot invoke \"Object.toString()\" because {node} is null");
                    return Err(Error::new(ErrorKind::NullPointer, reason));
                }
                _ => {}
            }
        }
        let kind_name = text("match_mapping_type");
        if text("match").is_none() && text("path_match").is_none() && kind_name.is_none() {
            let body = java_text(&Value::Object(body.clone()));
            return refuse(format!("template must have match, path_match or match_mapping_type set {body}"));
        }
        let Some(Value::Object(mapping)) = body.get("mapping") else {
            return refuse("template must have mapping set".to_owned());
        };
        let kind = match kind_name.as_deref() {
            None | Some("*") => None,
            Some(wanted) => Some(parse_kind(wanted)?),
        };
        let regex = match text("match_pattern").as_deref() {
            None | Some("simple") => false,
            Some("regex") => true,
            Some(other) => {
                return Err(Error::illegal_argument(format!("No matching pattern matched on [{other}]")));
            }
        };
        let pattern = |key: &str| text(key).map(|text| compile(name, text, regex)).transpose();
        let mut mapping = mapping.clone();
        mapping.sort();
        Ok(Self {
            name: name.to_owned(),
            matches: pattern("match")?,
            unmatch: pattern("unmatch")?,
            path_match: pattern("path_match")?,
            path_unmatch: pattern("path_unmatch")?,
            kind,
            regex,
            mapping,
        })
    }

    /// The template as `GET _mapping` shows it.
    pub fn to_value(&self) -> Value {
        Value::Object(Map::from_iter([(&self.name, self.content())]))
    }

    fn content(&self) -> Value {
        let mut out = Map::new();
        let patterns = [
            ("match", &self.matches),
            ("path_match", &self.path_match),
            ("unmatch", &self.unmatch),
            ("path_unmatch", &self.path_unmatch),
        ];
        for (key, pattern) in patterns {
            if let Some(pattern) = pattern {
                out.insert(key, &pattern.text);
            }
        }
        match self.kind {
            Some(kind) => out.insert("match_mapping_type", kind.name()),
            None if self.matches.is_none() && self.path_match.is_none() => out.insert("match_mapping_type", "*"),
            None => {}
        }
        if self.regex {
            out.insert("match_pattern", "regex");
        }
        out.insert("mapping", self.mapping.clone());
        Value::Object(out)
    }

    fn applies(&self, path: &str, name: &str, kind: ValueKind) -> bool {
        let yes = |pattern: &Option<Pattern>, text| pattern.as_ref().is_none_or(|p| p.matches(text));
        let no = |pattern: &Option<Pattern>, text| pattern.as_ref().is_none_or(|p| !p.matches(text));
        yes(&self.path_match, path)
            && yes(&self.matches, name)
            && no(&self.path_unmatch, path)
            && no(&self.unmatch, name)
            && self.kind.is_none_or(|wanted| wanted == kind)
    }
}

fn parse_kind(name: &str) -> Result<ValueKind> {
    let found = ValueKind::ALL.iter().find(|(known, _, _)| *known == name).map(|(_, kind, _)| *kind);
    found.ok_or_else(|| {
        let names: Vec<_> = ValueKind::ALL.iter().map(|(known, _, _)| *known).collect();
        Error::illegal_argument(format!(
            "No field type matched on [{name}], possible values are [{}]",
            names.join(", ")
        ))
    })
}

fn compile(template: &str, text: String, regex: bool) -> Result<Pattern> {
    if !regex {
        return Ok(Pattern { text, regex: None });
    }
    let invalid = || {
        Error::illegal_argument(format!(
            "Pattern [{text}] of type [regex] is invalid. Cannot create dynamic template [{template}]."
        ))
    };
    let compiled = JavaRegex::new(&text, "").map_err(|cause| invalid().caused_by(cause))?;
    Ok(Pattern { text, regex: Some(Arc::new(compiled)) })
}

impl Mapping {
    /// The definition of a new object.
    pub(super) fn new_object(&self, path: &str, name: &str, admission: Admission) -> Result<NewField> {
        if admission == Admission::Nothing {
            return Ok(NewField::None);
        }
        if let Some(child) = self.templated(path, name, ValueKind::Object, None)? {
            return Ok(NewField::Field(child));
        }
        Ok(match admission {
            Admission::Any => NewField::Field(Child::Object(ObjectDefinition::default())),
            _ => NewField::None,
        })
    }

    /// Whether a template has a say in an array, of which nothing is known but its name.
    pub(super) fn template_for_array(&self, path: &str, name: &str) -> bool {
        let templates = self.definition.dynamic_templates.as_deref().unwrap_or_default();
        templates.iter().any(|template| template.applies(path, name, ValueKind::Object))
    }

    /// The definition of a new field for a scalar that is not null.
    pub(super) fn new_scalar(&self, path: &str, name: &str, token: &Token, admission: Admission) -> Result<NewField> {
        let (kind, format) = self.detect(token);
        if let Some(child) = self.templated(path, name, kind, format)? {
            return Ok(NewField::Field(child));
        }
        if admission != Admission::Any {
            return Ok(NewField::None);
        }
        let mut node = Map::from_iter([("type", kind.default_type())]);
        match (kind, format) {
            (ValueKind::String, _) => {
                let keyword: Map =
                    Map::from_iter([("type", Value::from("keyword")), ("ignore_above", Value::Int(256))]);
                node.insert("fields", Map::from_iter([("keyword", keyword)]));
            }
            (ValueKind::Date, Some(format)) => self.set_format(&mut node, format),
            _ => {}
        }
        Child::parse(name, &node, self.param_context()).map(NewField::Field)
    }

    /// What a value looks like; dates with the format that read it.
    fn detect(&self, token: &Token) -> (ValueKind, Option<&DateFormat>) {
        let text = match &token.value {
            Scalar::Bool(_) => return (ValueKind::Boolean, None),
            Scalar::Number(digits) => {
                let whole = !digits.bytes().any(|b| matches!(b, b'.' | b'e' | b'E'));
                return (if whole { ValueKind::Long } else { ValueKind::Double }, None);
            }
            Scalar::String(text) => text,
            Scalar::Null | Scalar::Object | Scalar::Array => return (ValueKind::Object, None),
        };
        let is_long = text.parse::<i64>().is_ok();
        let is_number = is_long || parse_java_f64(text).is_ok();
        if is_number {
            return match (self.definition.numeric_detection, is_long) {
                (Some(true), true) => (ValueKind::Long, None),
                (Some(true), false) => (ValueKind::Double, None),
                _ => (ValueKind::String, None),
            };
        }
        if self.definition.date_detection.unwrap_or(true)
            && let Some(format) = self.dynamic_formats.iter().find(|format| format.recognizes(text))
        {
            return (ValueKind::Date, Some(format));
        }
        (ValueKind::String, None)
    }

    /// Gives a date field the format that its first value was read with, unless that is what dates have anyway.
    fn set_format(&self, node: &mut Map, format: &DateFormat) {
        let is_first = self.definition.dynamic_date_formats.is_none() && format.pattern() == DATE_FORMATS[0];
        if !is_first && format.pattern() != types::DEFAULT_DATE_FORMAT {
            node.insert("format", format.pattern());
            node.insert("print_format", format.first_pattern());
        }
    }

    /// What the object of this name says itself of fields that it does not know.
    pub(super) fn own_dynamic(&self, name: &str) -> Option<Dynamic> {
        let (mut object, mut path) = (&self.definition.root, name);
        while !path.is_empty() {
            let (child, rest) = object.property(path)?;
            (object, path) = (child.as_object()?, rest.unwrap_or_default());
        }
        object.dynamic
    }

    /// The field that a template makes of an array as a whole, of which nothing is known but its name.
    pub(super) fn templated_array(&self, path: &str, name: &str) -> Result<Option<Child>> {
        self.templated(path, name, ValueKind::Object, None)
    }

    /// The definition that the first template which applies makes.
    fn templated(&self, path: &str, name: &str, kind: ValueKind, format: Option<&DateFormat>) -> Result<Option<Child>> {
        let templates = self.definition.dynamic_templates.as_deref().unwrap_or_default();
        let Some(template) = templates.iter().find(|template| template.applies(path, name, kind)) else {
            return Ok(None);
        };
        let default_type = kind.default_type();
        let mut node = fill(&template.mapping, name, default_type);
        let is_typed = node.contains("type");
        if !is_typed {
            node.insert("type", default_type);
        }
        let type_name = node.get("type").map(java_text).unwrap_or_default();
        if !matches!(type_name.as_str(), "object" | "nested") && types::row(&type_name).is_none() {
            return Err(Error::new(
                ErrorKind::MapperParsing,
                format!("failed to find type parsed [{type_name}] for [{name}]"),
            ));
        }
        if matches!(type_name.as_str(), "object" | "nested") {
            // What objects do not know is not looked at here.
            node.entries.retain(|entry| OF_OBJECTS.contains(&entry.key.as_str()));
        }
        if let (Some(format), "date", false) = (format, type_name.as_str(), node.contains("format")) {
            self.set_format(&mut node, format);
        }
        Child::parse(name, &node, self.param_context()).map(Some).map_err(|cause| match cause.kind() {
            ErrorKind::MapperParsing if !is_typed => without_type(cause, &type_name),
            ErrorKind::MapperParsing => cause,
            _ => Error::new(ErrorKind::MapperParsing, "failed to parse").caused_by(cause),
        })
    }
}

/// What a field does not know is told of the type that its template names, be it none.
#[cold]
fn without_type(error: Error, type_name: &str) -> Error {
    match error.reason().strip_suffix(&format!(" of type [{type_name}]")) {
        Some(told) if told.starts_with("unknown parameter") => {
            Error::new(ErrorKind::MapperParsing, format!("{told} of type [null]"))
        }
        _ => error,
    }
}

/// Notes the first template that no field can be made by, whatever its value looks like.
pub(super) fn note_invalid(templates: &[DynamicTemplate], cx: ParamContext) {
    let found = templates.iter().find_map(|template| Some((template, template.invalid(cx)?)));
    if let Some((template, error)) = found {
        let mut content = Writer::new();
        content.value(&template.content());
        note(format!(
            "dynamic template [{}] has invalid content [{}], caused by [{}]",
            template.name,
            String::from_utf8_lossy(&content.finish()),
            error.reason()
        ));
    }
}

impl DynamicTemplate {
    /// Why no field can be made by it. What depends on names of fields is not known beforehand.
    fn invalid(&self, cx: ParamContext) -> Option<Error> {
        if java_text(&Value::Object(self.mapping.clone())).contains("{name}") {
            return None;
        }
        let mut last = None;
        for (_, kind, default_type) in ValueKind::ALL {
            if self.kind.is_none_or(|wanted| wanted == kind) {
                match self.make_no_field(default_type, cx) {
                    Ok(()) => return None,
                    Err(error) => last = Some(error),
                }
            }
        }
        last
    }

    /// Tries to make a field by it.
    fn make_no_field(&self, default_type: &str, cx: ParamContext) -> Result<()> {
        let name = format!("__dynamic__{}", self.name);
        let mut node = fill(&self.mapping, &name, default_type);
        let given = node.get("type").map(java_text);
        let type_name = given.clone().unwrap_or_else(|| default_type.to_owned());
        let is_object = matches!(type_name.as_str(), "object" | "nested");
        let row = types::row(&type_name);
        if row.is_none() && !is_object {
            return Err(Error::illegal_argument(format!("No mapper found for type [{type_name}]")));
        }
        // Plain types refuse what they do not know themselves.
        let takes = |key: &str| match row {
            _ if is_object => OF_OBJECTS.contains(&key),
            Some(row) => row.plain || key == "type" || row.params.iter().any(|param| param.name == key),
            None => true,
        };
        let unused: Vec<_> = node.entries.extract_if(.., |entry| !takes(&entry.key)).collect();
        node.insert("type", type_name.as_str());
        Child::parse(&name, &node, cx).map_err(|error| match given {
            // The reference calls the type by what is given.
            None => {
                let reason = error.reason().replace(&format!("of type [{type_name}]"), "of type [null]");
                Error::new(error.kind(), reason)
            }
            Some(_) => error,
        })?;
        if unused.is_empty() {
            return Ok(());
        }
        let unused: Map = unused.into_iter().map(|entry| (entry.key, entry.value)).collect();
        Err(Error::illegal_argument(format!("Unused mapping attributes [{}]", java_text(&Value::Object(unused)))))
    }
}

/// What templates can say of objects.
const OF_OBJECTS: [&str; 7] =
    ["type", "dynamic", "enabled", "properties", "include_in_all", "include_in_parent", "include_in_root"];

/// The formats that strings are tried with.
pub(super) fn dynamic_formats(definition: &RootDefinition) -> Result<Vec<DateFormat>> {
    match &definition.dynamic_date_formats {
        Some(patterns) => patterns.iter().map(|pattern| DateFormat::parse(pattern)).collect(),
        None => DATE_FORMATS.iter().map(|pattern| DateFormat::parse(pattern)).collect(),
    }
}

/// A template's mapping with `{name}` and `{dynamic_type}` filled in.
fn fill(mapping: &Map, name: &str, dynamic_type: &str) -> Map {
    let fill_text = |text: &str| {
        text.replace("{name}", name).replace("{dynamic_type}", dynamic_type).replace("{dynamicType}", dynamic_type)
    };
    fn fill_value(value: &Value, fill_text: &dyn Fn(&str) -> String) -> Value {
        match value {
            Value::String(text) => Value::String(fill_text(text)),
            Value::Array(items) => Value::Array(items.iter().map(|item| fill_value(item, fill_text)).collect()),
            Value::Object(map) => {
                Value::Object(map.iter().map(|(key, value)| (fill_text(key), fill_value(value, fill_text))).collect())
            }
            other => other.clone(),
        }
    }
    mapping.iter().map(|(key, value)| (fill_text(key), fill_value(value, &fill_text))).collect()
}

impl RootDefinition {
    /// Adds a field by its full name; objects on the way come into being. A field that is there already stays, and if the
    /// two differ that is an error.
    /// Objects that `mapping` has as nested are nested here too. Gives whether it was not there before.
    pub(super) fn add(&mut self, name: &str, child: Child, mapping: &Mapping) -> Result<bool> {
        let mut object = &mut self.root;
        object.flat = mapping.flat_object("");
        let (mut rest, mut length) = (name, 0);
        loop {
            let end = if object.is_flat() { rest.len() } else { rest.find('.').unwrap_or(rest.len()) };
            let part = &rest[..end];
            length += end;
            if end == rest.len() {
                let before = object.properties.len();
                object.add(part, child, name)?;
                return Ok(object.properties.len() > before);
            }
            let entry = object.properties.entry(part.to_owned());
            let new_object = || {
                let path = name.get(..length).unwrap_or_default();
                let (nested, flat) = (mapping.nested_object(path), mapping.flat_object(path));
                Child::Object(ObjectDefinition { nested, flat, ..ObjectDefinition::default() })
            };
            match entry.or_insert_with(new_object) {
                Child::Object(inner) => object = inner,
                Child::Field(_) => return Err(super::definition::not_an_object(name)),
            }
            length += 1;
            rest = &rest[end + 1..];
        }
    }
}

impl Child {
    pub(super) fn as_object(&self) -> Option<&ObjectDefinition> {
        match self {
            Child::Object(object) => Some(object),
            Child::Field(_) => None,
        }
    }
}
