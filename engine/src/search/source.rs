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
    /// Not wanted, but who asks for it as a stored field gets these parts.
    Hidden(Select),
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

    pub fn is_wanted(&self) -> bool {
        !matches!(self, Self::No | Self::Hidden(_))
    }

    /// What hits show of it where it was asked for as `given` and beside these stored fields and scripts.
    pub fn shown(given: Option<&Self>, stored: Option<&StoredFields>, scripts: bool) -> Self {
        let is_stored = stored.map(StoredFields::wants_source);
        match (given, is_stored) {
            // To ask for it as a stored field goes before saying that it is not wanted.
            (Some(Self::No), Some(true)) => Self::All,
            (Some(Self::Hidden(select)), Some(true)) => Self::Some(select.clone()),
            (Some(Self::Hidden(_)), _) | (None, Some(false)) => Self::No,
            (Some(source), _) => source.clone(),
            // Who asks for scripts gets no source along with them.
            (None, None) if scripts => Self::No,
            (None, _) => Self::All,
        }
    }

    /// From the URL parameters `_source`, `_source_includes`, `_source_excludes`.
    pub fn from_params(source: Option<&str>, includes: Option<&str>, excludes: Option<&str>) -> Result<Option<Self>> {
        let list = |text: Option<&str>| split(text.unwrap_or(""));
        let (mut included, excluded) = (list(includes), list(excludes));
        match source {
            Some("true") => {}
            Some("false") => {
                return Ok(Some(match Self::of(included, excluded)? {
                    Self::Some(select) => Self::Hidden(select),
                    _ => Self::No,
                }));
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_is_not_wanted_is_shown_as_a_stored_field() {
        let shown = |source, includes, names: &[&str]| {
            let given = SourceSpec::from_params(source, includes, None).unwrap();
            let stored = StoredFields::of(names.iter().map(|name| (*name).to_owned()).collect()).unwrap();
            SourceSpec::shown(given.as_ref(), Some(&stored), false)
        };
        let of_a = SourceSpec::of(vec!["a".to_owned()], vec![]).unwrap();
        assert_eq!(shown(Some("false"), None, &["_source"]), SourceSpec::All);
        assert_eq!(shown(Some("false"), Some("a"), &["_source"]), of_a);
        assert_eq!(shown(Some("false"), Some("a"), &["b"]), SourceSpec::No);
        assert_eq!(shown(None, Some("a"), &["b"]), of_a);
        assert_eq!(shown(None, None, &["b"]), SourceSpec::No);
        assert_eq!(shown(None, None, &["_source"]), SourceSpec::All);
    }
}
