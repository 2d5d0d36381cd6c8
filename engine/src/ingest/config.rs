//! The settings of one processor (or pipeline) as they are read: each is taken out, what is left is unknown.

use super::template::{Template, ValueSource};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::{java_hashed_text, slot, slots_of};
use crate::json::{Map, Value, cast_text, java_class};

/// Settings, and whose they are.
#[derive(Debug)]
pub(crate) struct Config {
    map: Map,
    /// How many slots a hash map of Java takes for what there was at first.
    slots: usize,
    /// Whether the reference keeps them in the order in which they were given.
    ordered: bool,
    /// The kind that errors name.
    kind: Option<&'static str>,
    /// The tag that errors name.
    tag: Option<String>,
}

impl Config {
    /// Settings of something that errors do not name.
    pub fn new(map: Map) -> Self {
        Self { slots: slots_of(map.len()), map, ordered: false, kind: None, tag: None }
    }

    /// The same where the reference keeps the order in which they were given, if `ordered` says so.
    pub fn in_order(mut self, ordered: bool) -> Self {
        self.ordered = ordered;
        self
    }

    /// The same settings as those of a processor.
    pub fn owned_by(mut self, kind: &'static str, tag: Option<&str>) -> Self {
        self.kind = Some(kind);
        self.tagged(tag)
    }

    /// The same settings as those of something with a tag, whatever it is.
    pub fn tagged(mut self, tag: Option<&str>) -> Self {
        self.tag = tag.map(str::to_owned);
        self
    }

    /// A setting; null counts as none.
    pub fn take(&mut self, key: &str) -> Option<Value> {
        self.map.remove(key).filter(|value| !value.is_null())
    }

    /// Whether a setting is there, be it null.
    pub fn has(&self, key: &str) -> bool {
        self.map.get(key).is_some()
    }

    pub fn value(&mut self, key: &str) -> Result<Value> {
        self.take(key).ok_or_else(|| self.missing(key))
    }

    pub fn text_opt(&mut self, key: &str) -> Result<Option<String>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(key, "a string", &other)),
        }
    }

    pub fn text(&mut self, key: &str) -> Result<String> {
        self.text_opt(key)?.ok_or_else(|| self.missing(key))
    }

    pub fn text_or(&mut self, key: &str, default: &str) -> Result<String> {
        Ok(self.text_opt(key)?.unwrap_or_else(|| default.to_owned()))
    }

    pub fn flag(&mut self, key: &str, default: bool) -> Result<bool> {
        match self.take(key) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(self.wrong(key, "a boolean", &other)),
        }
    }

    pub fn int_opt(&mut self, key: &str) -> Result<Option<i32>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let text = java_hashed_text(&value);
        match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(self.property(key, &format!("property cannot be converted to an int [{text}]"))),
        }
    }

    /// A number, or a text of one.
    pub fn double(&mut self, key: &str) -> Result<f64> {
        let value = self.value(key)?;
        let text = java_hashed_text(&value);
        text.trim()
            .parse()
            .map_err(|_| self.property(key, &format!("property cannot be converted to a double [{text}]")))
    }

    pub fn list_opt(&mut self, key: &str) -> Result<Option<Vec<Value>>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items)),
            Some(other) => Err(self.wrong(key, "a list", &other)),
        }
    }

    pub fn list(&mut self, key: &str) -> Result<Vec<Value>> {
        self.list_opt(key)?.ok_or_else(|| self.missing(key))
    }

    /// A list of texts; what is none is an error as where Java would cast it.
    pub fn texts_opt(&mut self, key: &str) -> Result<Option<Vec<String>>> {
        self.list_opt(key)?.map(|items| items.into_iter().map(text_of).collect()).transpose()
    }

    pub fn texts(&mut self, key: &str) -> Result<Vec<String>> {
        self.texts_opt(key)?.ok_or_else(|| self.missing(key))
    }

    pub fn object_opt(&mut self, key: &str) -> Result<Option<Map>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(other) => Err(self.wrong(key, "a map", &other)),
        }
    }

    pub fn object(&mut self, key: &str) -> Result<Map> {
        self.object_opt(key)?.ok_or_else(|| self.missing(key))
    }

    /// A text that may be a template.
    pub fn template(&mut self, key: &str) -> Result<Template> {
        parse_template(key, &self.text(key)?)
    }

    pub fn template_or(&mut self, key: &str, default: &str) -> Result<Template> {
        parse_template(key, &self.text_or(key, default)?)
    }

    pub fn template_opt(&mut self, key: &str) -> Result<Option<Template>> {
        self.text_opt(key)?.map(|text| parse_template(key, &text)).transpose()
    }

    /// A value of any kind whose texts may be templates.
    pub fn value_source(&mut self, key: &str) -> Result<ValueSource> {
        ValueSource::parse(self.value(key)?)
    }

    /// What nobody asked for.
    pub fn rest(&self) -> Vec<&str> {
        let mut rest: Vec<&str> = self.map.iter().map(|(key, _)| key).collect();
        rest.sort_by_key(|key| slot(key, self.slots));
        rest
    }

    /// The settings that are left, for a processor that reads them itself.
    pub fn take_rest(&mut self) -> Map {
        std::mem::take(&mut self.map)
    }

    /// The error of a setting.
    #[cold]
    pub fn property(&self, key: &str, reason: &str) -> Error {
        self.named(Error::new(ErrorKind::Parse, format!("[{key}] {reason}"))).with_place("property_name", key)
    }

    #[cold]
    fn missing(&self, key: &str) -> Error {
        self.property(key, "required property is missing")
    }

    #[cold]
    fn wrong(&self, key: &str, wanted: &str, found: &Value) -> Error {
        let class = match found {
            Value::Object(_) if self.ordered => "java.util.LinkedHashMap",
            found => java_class(found),
        };
        self.property(key, &format!("property isn't {wanted}, but of type [{class}]"))
    }

    pub fn named(&self, error: Error) -> Error {
        let error = name_tag(error, self.tag.as_deref());
        match self.kind {
            Some(kind) => error.with_place("processor_type", kind),
            None => error,
        }
    }
}

/// Adds which processor an error is about.
pub(super) fn name_processor(error: Error, kind: &str, tag: Option<&str>) -> Error {
    name_tag(error, tag).with_place("processor_type", kind)
}

fn name_tag(error: Error, tag: Option<&str>) -> Error {
    match tag {
        Some(tag) => error.with_place("processor_tag", tag),
        None => error,
    }
}

/// A text that may be a template; what is wrong with one is told with the name of the setting.
pub(crate) fn parse_template(key: &str, text: &str) -> Result<Template> {
    Template::parse(text).map_err(|error| error.with_place("property_name", key))
}

/// One text, or a list of texts.
pub(super) fn texts_of(value: Value) -> Result<Vec<String>> {
    match value {
        Value::Array(items) => items.into_iter().map(text_of).collect(),
        one => Ok(vec![text_of(one)?]),
    }
}

fn text_of(value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Null => Ok(String::new()),
        other => Err(not_castable(java_class(&other), "java.lang.String")),
    }
}

/// Java's complaint about a value of the wrong class.
#[cold]
pub(crate) fn not_castable(from: &str, to: &str) -> Error {
    Error::new(ErrorKind::ClassCast, cast_text(from, to))
}
