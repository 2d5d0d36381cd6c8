//! Which parts of `_source` and which stored fields a hit shows.

use crate::deprecated::note;
use crate::error::{Error, Result};
use crate::json::{Select, Value};
use crate::query::Node;

/// `_source` of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceSpec {
    No,
    All,
    Some(Select),
}

/// `stored_fields` of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredFields {
    /// `_none_`: not even the id.
    None,
    Fields(Vec<String>),
}

impl SourceSpec {
    pub fn parse(node: Node) -> Result<Self> {
        match node.value {
            Value::Bool(true) => Ok(Self::All),
            Value::Bool(false) => Ok(Self::No),
            Value::String(pattern) => Ok(Self::including(vec![pattern.clone()])),
            Value::Array(items) => {
                if items.is_empty() {
                    note(
                        "An empty array was provided as [_source]. Provide at least one field pattern or use \
                         `_source: true` to fetch the entire source.",
                    );
                }
                Ok(Self::including(patterns(node)?))
            }
            Value::Object(_) => parse_object(node),
            _ => Err(node.error(format!(
                "Expected one of [VALUE_BOOLEAN, VALUE_STRING, START_ARRAY, START_OBJECT] but found [{}]",
                node.token()
            ))),
        }
    }

    fn including(includes: Vec<String>) -> Self {
        if includes.is_empty() { Self::All } else { Self::Some(Select { includes, excludes: vec![] }) }
    }

    pub fn of(includes: Vec<String>, excludes: Vec<String>) -> Result<Self> {
        let select = Select { includes, excludes }.checked()?;
        Ok(if select.is_everything() { Self::All } else { Self::Some(select) })
    }

    /// From the URL parameters `_source`, `_source_includes`, `_source_excludes`.
    pub fn from_params(source: Option<&str>, includes: Option<&str>, excludes: Option<&str>) -> Result<Option<Self>> {
        let list = |text: Option<&str>| split(text.unwrap_or(""));
        let (mut included, excluded) = (list(includes), list(excludes));
        match source {
            Some("true") => {}
            Some("false") => return Self::of(included, excluded).map(|_| Some(Self::No)),
            Some(names) => included = if included.is_empty() { split(names) } else { included },
            None if includes.is_none() && excludes.is_none() => return Ok(None),
            None => {}
        }
        Self::of(included, excluded).map(Some)
    }
}

/// A list separated by commas.
pub fn split(text: &str) -> Vec<String> {
    text.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn patterns(node: Node) -> Result<Vec<String>> {
    node.items()
        .map(|item| match item.value {
            Value::String(pattern) => Ok(pattern.clone()),
            _ => Err(item.error(format!("Unknown key for a {} in [null].", item.token()))),
        })
        .collect()
}

fn parse_object(node: Node) -> Result<SourceSpec> {
    let (mut includes, mut excludes) = (Vec::new(), Vec::new());
    for field in node.fields() {
        if matches!(field.key, "include" | "exclude") {
            note(format!("Deprecated field [{0}] used, expected [{0}s] instead", field.key));
        }
        let list = match field.key {
            "includes" | "include" => &mut includes,
            "excludes" | "exclude" => &mut excludes,
            key => return Err(field.node.error(format!("Unknown key for a {} in [{key}].", field.node.token()))),
        };
        match field.node.value {
            // Of several lists the last counts.
            Value::String(pattern) => *list = vec![pattern.clone()],
            Value::Array(items) => {
                if items.is_empty() {
                    note(format!("Expected at least one value for an array of [{}]", field.key));
                }
                *list = patterns(field.node)?;
            }
            _ => {
                let reason = format!("Unknown key for a {} in [{}].", field.node.token(), field.key);
                return Err(field.node.error(reason));
            }
        }
    }
    if includes.is_empty() && excludes.is_empty() {
        note(
            "An empty object was provided as [_source]. Provide at least one of [includes] or [excludes] or use \
             `_source: true` to fetch the entire source.",
        );
    }
    SourceSpec::of(includes, excludes)
}

impl StoredFields {
    pub fn parse(node: Node) -> Result<Self> {
        match node.value {
            Value::String(name) => Self::of(vec![name.clone()]),
            Value::Array(_) => Self::of(node.items().map(|item| item.text()).collect::<Result<_>>()?),
            _ => Err(node.error(format!(
                "Expected [VALUE_STRING] or [START_ARRAY] in [stored_fields] but found [{}]",
                node.token()
            ))),
        }
    }

    pub fn of(names: Vec<String>) -> Result<Self> {
        if !names.iter().any(|name| name == "_none_") {
            return Ok(Self::Fields(names));
        }
        if names.len() > 1 {
            return Err(Error::illegal_argument("cannot combine _none_ with other fields"));
        }
        Ok(Self::None)
    }

    /// Whether `_source` is asked for by name.
    pub fn wants_source(&self) -> bool {
        matches!(self, Self::Fields(names) if names.iter().any(|name| name == "_source"))
    }
}
