//! Derived fields: fields of which nothing is kept, whose values a script makes of documents when they are searched.
//!
//! A derived field is a [`Field`] of its type that documents never write to. What reads values of fields asks [`Field::derived`]
//! first.

use super::compile::build_field;
use super::definition::FieldDefinition;
use super::field::{Field, FieldId};
use super::params::{ParamContext, Params, java_text, read_named_bool};
use super::types;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value};
use crate::script::Script;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Definitions by name.
pub type DerivedFields = BTreeMap<String, DerivedDefinition>;

/// A derived field as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedDefinition {
    type_name: String,
    script: Option<Arc<Script>>,
    prefilter_field: Option<String>,
    properties: Option<Map>,
    ignore_malformed: Option<bool>,
    format: Option<String>,
    /// Whether a search brought it along.
    of_search: bool,
}

/// What a [`Field`] knows of the script that its values come from.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The type of the values.
    pub type_name: String,
    pub script: Option<Arc<Script>>,
    /// A text field with the same words, by which documents can be left out before the script is run.
    pub prefilter_field: Option<String>,
    pub ignore_malformed: bool,
    /// How dates are shown.
    pub format: Option<String>,
    /// Whether a search brought it along: then what does not run its script knows nothing of it.
    pub of_search: bool,
    /// Where in the objects that are emitted the values stand.
    pub path: Option<Arc<str>>,
    properties: Option<Map>,
}

/// The types that a derived field may have.
const TYPES: &[&str] = &["boolean", "date", "double", "float", "geo_point", "ip", "keyword", "long", "object", "text"];

/// Reads what stands under `derived`.
pub fn parse_all(value: &Value) -> Result<DerivedFields> {
    let map = match value {
        Value::Object(map) => map,
        Value::Array(items) if items.is_empty() => return Ok(DerivedFields::new()),
        _ => return Err(Error::new(ErrorKind::Parse, "derived must be a map type")),
    };
    map.iter().map(|(name, value)| Ok((name.to_owned(), DerivedDefinition::parse(name, value)?))).collect()
}

/// Definitions as the mapping shows them.
pub fn to_value(fields: &DerivedFields) -> Value {
    Value::Object(fields.iter().map(|(name, definition)| (name.as_str(), definition.to_value())).collect())
}

impl DerivedDefinition {
    fn parse(name: &str, value: &Value) -> Result<Self> {
        let Value::Object(map) = value else {
            let reason = format!(
                "Expected map for property [derived_fields] on field [{name}] but got a class java.lang.String"
            );
            return Err(Error::new(ErrorKind::MapperParsing, reason));
        };
        let mut definition = Self {
            type_name: map.get("type").filter(|value| !value.is_null()).map(java_text).unwrap_or_default(),
            script: None,
            prefilter_field: None,
            properties: None,
            ignore_malformed: None,
            format: None,
            of_search: false,
        };
        for (key, value) in map.iter() {
            match key {
                "type" => {}
                "script" => definition.script = Some(Script::parse(value)?),
                "prefilter_field" => definition.prefilter_field = Some(java_text(value)),
                "properties" => definition.properties = value.as_object().cloned(),
                "ignore_malformed" => definition.ignore_malformed = Some(read_named_bool(key, value)?),
                "format" => definition.format = Some(java_text(value)),
                _ => {
                    let kind = &definition.type_name;
                    let reason = format!("unknown parameter [{key}] on mapper [{name}] of type [{kind}]");
                    return Err(Error::new(ErrorKind::MapperParsing, reason));
                }
            }
        }
        if !TYPES.contains(&definition.type_name.as_str()) {
            let kind = &definition.type_name;
            return Err(Error::illegal_argument(format!("Type [{kind}] isn't supported in Derived field context.")));
        }
        Ok(definition)
    }

    pub fn to_value(&self) -> Value {
        let mut entries = vec![("type", Value::from(self.type_name.as_str()))];
        entries.extend(self.script.as_ref().map(|script| ("script", script_value(script))));
        entries.extend(self.properties.clone().map(|properties| ("properties", Value::Object(properties))));
        entries.extend(self.prefilter_field.as_deref().map(|field| ("prefilter_field", Value::from(field))));
        entries.extend(self.format.as_deref().map(|format| ("format", Value::from(format))));
        entries.extend(self.ignore_malformed.map(|ignore| ("ignore_malformed", Value::Bool(ignore))));
        Value::Object(entries.into_iter().collect())
    }

    /// The same for one search.
    pub fn of_search(self) -> Self {
        Self { of_search: true, ..self }
    }

    /// The field, which has no number yet.
    pub fn field(&self, name: &str, cx: ParamContext) -> Result<Field> {
        let derived = Derived {
            type_name: self.type_name.clone(),
            script: self.script.clone(),
            prefilter_field: self.prefilter_field.clone(),
            ignore_malformed: self.ignore_malformed.unwrap_or(false),
            format: self.format.clone(),
            of_search: self.of_search,
            path: None,
            properties: self.properties.clone(),
        };
        derived.field(name, cx)
    }
}

fn script_value(script: &Script) -> Value {
    let mut entries = vec![("source", Value::from(&*script.source)), ("lang", Value::from(&*script.lang))];
    if script.params.as_object().is_some_and(|params| !params.is_empty()) {
        entries.push(("params", script.params.clone()));
    }
    Value::Object(entries.into_iter().collect())
}

impl Derived {
    pub fn is_object(&self) -> bool {
        self.type_name == "object" && self.path.is_none()
    }

    /// The type that the definition gives to what stands at `path` of the objects.
    pub fn property(&self, path: &str) -> Option<String> {
        self.properties.as_ref()?.get(path).map(java_text)
    }

    /// What stands at `path` of the objects, as a derived field of its own.
    pub fn below(&self, path: &str, type_name: &str) -> Self {
        Self { type_name: type_name.to_owned(), path: Some(path.into()), ..self.clone() }
    }

    /// The field of these values. It has no number.
    pub fn field(self, name: &str, cx: ParamContext) -> Result<Field> {
        // Objects are their text.
        let type_name = if self.type_name == "object" { "keyword" } else { &self.type_name };
        let Some(row) = types::row(type_name) else {
            let reason = format!("Type [{type_name}] isn't supported in Derived field context.");
            return Err(Error::illegal_argument(reason));
        };
        let params = Params::new(row.params, cx);
        let definition = FieldDefinition { row, params, fields: BTreeMap::new(), copy_to: vec![] };
        let field = build_field(&definition, &name.into(), cx.analysis)?;
        Ok(Field { id: FieldId(u32::MAX), type_name: "derived", derived: Some(Arc::new(self)), ..field })
    }

    /// A mapping of such a field alone, for the values of some documents by themselves.
    pub fn mapping(&self, name: &str) -> Value {
        let kind = if self.type_name == "object" { "keyword" } else { &self.type_name };
        let mut field = vec![("type", Value::from(kind))];
        if matches!(kind, "long" | "double" | "float" | "date" | "ip" | "geo_point") && self.ignore_malformed {
            field.push(("ignore_malformed", Value::Bool(true)));
        }
        let field = Value::Object(field.into_iter().collect());
        let properties = Value::Object([(name, field)].into_iter().collect());
        Value::Object([("properties", properties)].into_iter().collect())
    }
}
