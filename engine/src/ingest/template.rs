//! Settings with `{{field}}` in them, filled in from the document.

use super::Document;
use crate::error::Result;
use crate::json::{Map, Value};
use crate::search;

/// A text, or a template of one.
#[derive(Debug)]
pub(crate) enum Template {
    Text(String),
    Mustache(search::Template),
}

impl Template {
    pub fn parse(text: &str) -> Result<Self> {
        if !text.contains("{{") {
            return Ok(Self::Text(text.to_owned()));
        }
        // `_source` is the document itself.
        Ok(Self::Mustache(search::Template::parse(text)?.without_prefix("_source.")))
    }

    pub fn render(&self, doc: &Document) -> Result<String> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            Self::Mustache(template) => template.render_in(&doc.scopes()),
        }
    }
}

/// A value whose texts may be templates.
#[derive(Debug)]
pub(crate) enum ValueSource {
    /// Nothing in it is to be filled in.
    Plain(Value),
    Text(Template),
    List(Vec<ValueSource>),
    Map(Vec<(Template, ValueSource)>),
}

impl ValueSource {
    /// Depth is bounded by that of what was parsed.
    pub fn parse(value: Value) -> Result<Self> {
        Ok(match value {
            Value::String(text) if text.contains("{{") => Self::Text(Template::parse(&text)?),
            Value::Array(items) => {
                let items: Vec<Self> = items.into_iter().map(Self::parse).collect::<Result<_>>()?;
                match items.iter().all(|item| matches!(item, Self::Plain(_))) {
                    true => Self::Plain(Value::Array(items.into_iter().filter_map(Self::into_plain).collect())),
                    false => Self::List(items),
                }
            }
            Value::Object(map) => {
                let entry = |entry: crate::json::Entry| Ok((Template::parse(&entry.key)?, Self::parse(entry.value)?));
                Self::Map(map.entries.into_iter().map(entry).collect::<Result<_>>()?)
            }
            plain => Self::Plain(plain),
        })
    }

    fn into_plain(self) -> Option<Value> {
        match self {
            Self::Plain(value) => Some(value),
            _ => None,
        }
    }

    pub fn render(&self, doc: &Document) -> Result<Value> {
        Ok(match self {
            Self::Plain(value) => value.clone(),
            Self::Text(template) => Value::String(template.render(doc)?),
            Self::List(items) => Value::Array(items.iter().map(|item| item.render(doc)).collect::<Result<_>>()?),
            Self::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    map.insert(key.render(doc)?, value.render(doc)?);
                }
                Value::Object(map)
            }
        })
    }
}
