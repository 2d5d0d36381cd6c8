//! Parameters of a component: the settings under `index.analysis.<component>.<name>`, or the object in an `_analyze`
//! request. Values may be strings for numbers and booleans, since settings are strings.

use super::words::{self, WordSet};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value};

/// The parameters of one component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Params<'a> {
    /// Name of the component, for messages.
    pub name: &'a str,
    map: &'a Map,
}

static NO_PARAMS: Map = Map { entries: vec![] };

impl<'a> Params<'a> {
    pub fn new(name: &'a str, map: &'a Map) -> Self {
        Self { name, map }
    }

    /// Of a component that is used by its name alone.
    pub fn none(name: &'a str) -> Self {
        Self { name, map: &NO_PARAMS }
    }

    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|v| !v.is_null())
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// A scalar as the text it is in the settings.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.get(key)? {
            Value::Array(items) => Some(items.iter().map(Value::to_text).collect::<Vec<_>>().join(",")),
            value => Some(value.to_text()),
        }
    }

    pub fn int(&self, key: &str, default: i64) -> Result<i64> {
        let Some(text) = self.text(key) else { return Ok(default) };
        text.parse::<i32>().map(i64::from).map_err(|_| {
            Error::new(ErrorKind::Settings, format!("Failed to parse int setting [{key}] with value [{text}]"))
                .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\"")))
        })
    }

    /// A number of things, at least `min`.
    pub fn count(&self, key: &str, default: i64, min: i64) -> Result<usize> {
        let value = self.int(key, default)?;
        if value < min {
            return Err(Error::illegal_argument(format!(
                "[{key}] of [{}] must be at least {min}, got {value}",
                self.name
            )));
        }
        Ok(value as usize)
    }

    pub fn bool(&self, key: &str, default: bool) -> Result<bool> {
        match self.text(key).as_deref() {
            None => Ok(default),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(other) => Err(Error::illegal_argument(format!(
                "Failed to parse value [{other}] as only [true] or [false] are allowed."
            ))),
        }
    }

    /// A list: an array, or a text with commas.
    pub fn list(&self, key: &str) -> Option<Vec<String>> {
        match self.get(key)? {
            Value::Array(items) => Some(items.iter().map(Value::to_text).collect()),
            value => {
                let text = value.to_text();
                Some(text.split(',').map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned).collect())
            }
        }
    }

    /// A list of rules: an array, or one text. Commas belong to the rules.
    pub fn rules(&self, key: &str) -> Option<Vec<String>> {
        match self.get(key)? {
            Value::Array(items) => Some(items.iter().map(Value::to_text).collect()),
            value => Some(vec![value.to_text()]),
        }
    }

    /// A set of words given in place or by the name of a language's stop words (`_english_`); `default` where `key` is absent.
    /// Files of words (`<key>_path`) are refused: the engine reads no files.
    pub fn word_set(&self, key: &str, ignore_case: bool, default: &[&str]) -> Result<WordSet> {
        self.refuse_path(key)?;
        match self.list(key) {
            None => Ok(WordSet::new(default.iter().copied(), ignore_case)),
            Some(list) => words::named_or_given(&list, ignore_case),
        }
    }

    /// Parameters that name files of the server are refused: the engine reads none.
    pub fn refuse_path(&self, key: &str) -> Result<()> {
        let key = format!("{key}_path");
        self.refuse_path_named(&key, &key)
    }

    /// As [`Params::refuse_path`], with the name that the reference's message has.
    pub fn refuse_path_named(&self, key: &str, shown: &str) -> Result<()> {
        match self.has(key) {
            false => Ok(()),
            true => Err(Error::illegal_argument(format!("IOException while reading {shown}: file not readable"))),
        }
    }
}
