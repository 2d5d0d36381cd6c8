//! Parameters of a component: the settings under `index.analysis.<component>.<name>`, or the object in an `_analyze`
//! request. Values may be strings for numbers and booleans, since settings are strings.

use super::files::{self, ConfigFiles, FileError};
use super::words::{self, WordSet};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::settings_ordered;
use crate::json::{Map, Value};

/// The parameters of one component.
#[derive(Clone, Copy)]
pub(crate) struct Params<'a> {
    /// Name of the component, for messages.
    pub name: &'a str,
    map: &'a Map,
    /// Where parameters that name files of the node find them.
    files: &'a dyn ConfigFiles,
}

static NO_PARAMS: Map = Map::new();

impl<'a> Params<'a> {
    pub fn new(name: &'a str, map: &'a Map, files: &'a dyn ConfigFiles) -> Self {
        Self { name, map, files }
    }

    /// Without files.
    #[cfg(test)]
    pub fn of(name: &'a str, map: &'a Map) -> Self {
        Self::new(name, map, &files::NoFiles)
    }

    /// Of a component that is used by its name alone.
    pub fn none(name: &'a str) -> Self {
        Self { name, map: &NO_PARAMS, files: &files::NoFiles }
    }

    /// The component is used by its name alone.
    pub fn is_bare(&self) -> bool {
        self.map.iter().next().is_none()
    }

    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|v| !v.is_null())
    }

    /// A value that is no object: what stands within one are settings of other names.
    fn given(&self, key: &str) -> Option<&'a Value> {
        self.get(key).filter(|value| !matches!(value, Value::Object(_)))
    }

    pub fn has(&self, key: &str) -> bool {
        self.given(key).is_some()
    }

    /// What stands below a key, whether it is written with dots or as an object, as the reference writes such settings.
    pub fn object(&self, key: &str) -> Map {
        let mut object = Map::new();
        if let Some(Value::Object(inner)) = self.get(key) {
            inner.iter().for_each(|(name, value)| object.insert(name, value.clone()));
        }
        for (name, value) in self.map.iter() {
            if let Some(path) = name.strip_prefix(key).and_then(|rest| rest.strip_prefix('.')) {
                set_at(&mut object, path, value.clone());
            }
        }
        settings_ordered(object)
    }

    /// A scalar as the text it is in the settings.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.given(key)? {
            Value::Array(items) => {
                Some(format!("[{}]", items.iter().map(Value::to_text).collect::<Vec<_>>().join(", ")))
            }
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

    pub fn bool(&self, key: &str, default: bool) -> Result<bool> {
        match self.text(key).as_deref() {
            None => Ok(default),
            Some(blank) if blank.trim().is_empty() => Ok(default),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(other) => Err(Error::illegal_argument(format!(
                "Failed to parse value [{other}] as only [true] or [false] are allowed."
            ))),
        }
    }

    /// A list: an array, or a text with commas.
    pub fn list(&self, key: &str) -> Option<Vec<String>> {
        match self.given(key)? {
            Value::Array(items) => Some(items.iter().map(Value::to_text).collect()),
            value => {
                let text = value.to_text();
                Some(text.split(',').map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned).collect())
            }
        }
    }

    /// A list of rules: an array, or one text. Commas belong to the rules.
    pub fn rules(&self, key: &str) -> Option<Vec<String>> {
        match self.given(key)? {
            Value::Array(items) => Some(items.iter().map(Value::to_text).collect()),
            value => Some(vec![value.to_text()]),
        }
    }

    /// A set of words given in place, in a file (`<key>_path`), or by the name of a language's stop words (`_english_`);
    /// `default` where there is none of that.
    pub fn word_set(&self, key: &str, ignore_case: bool, default: &[&str]) -> Result<WordSet> {
        if let Some(words) = self.words_of_file(key)? {
            return Ok(words.into_set(ignore_case));
        }
        match self.list(key) {
            // The default set is one of small letters, whatever is asked of words that are given.
            None => Ok(WordSet::new(default.iter().copied(), false)),
            Some(list) => words::named_or_given(&list, ignore_case),
        }
    }

    /// Words given in a file (`<key>_path`) or in place. Names of sets are words like others.
    pub fn words_or_file(&self, key: &str) -> Result<Option<Words>> {
        Ok(match self.words_of_file(key)? {
            Some(words) => Some(words),
            None if self.is_blank(key) => None,
            None => self.list(key).map(Words),
        })
    }

    /// As [`Params::words_or_file`], for lists in which commas mean something.
    pub fn rules_or_file(&self, key: &str) -> Result<Option<Vec<String>>> {
        Ok(match self.words_of_file(key)? {
            Some(words) => Some(words.0),
            None if self.is_blank(key) => None,
            None => self.rules(key),
        })
    }

    /// Whether the value is an empty text, which is no list at all.
    pub fn is_blank(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_str).is_some_and(|text| text.trim().is_empty())
    }

    /// The lines of the file that `<key>_path` names, without empty ones and comments.
    fn words_of_file(&self, key: &str) -> Result<Option<Words>> {
        let key = format!("{key}_path");
        let Some(path) = self.text(&key) else { return Ok(None) };
        let text = self.file(&path)?.map_err(|error| error.reading(&key, &path))?;
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        Ok(Some(Words(lines.map(|line| line.trim().to_owned()).collect())))
    }

    /// The text of a file of the configuration folder. Paths that lead out of it are refused.
    pub fn file(&self, path: &str) -> Result<std::result::Result<std::sync::Arc<str>, FileError>> {
        match files::inside(path) {
            Some(path) => Ok(self.files.read(&path)),
            None => Err(Error::illegal_argument(format!("Resource path must be inside config directory: {path}"))),
        }
    }

    /// The files of a folder of the configuration folder.
    pub fn files_in(&self, folder: &str) -> Vec<String> {
        self.files.list(folder)
    }
}

/// Puts a value where a path with dots leads.
fn set_at(object: &mut Map, path: &str, value: Value) {
    let Some((first, rest)) = path.split_once('.') else { return object.insert(path, value) };
    let mut inner = match object.get(first) {
        Some(Value::Object(inner)) => inner.clone(),
        _ => Map::new(),
    };
    set_at(&mut inner, rest, value);
    object.insert(first, Value::Object(inner));
}

/// A list of words.
pub(crate) struct Words(pub Vec<String>);

impl Words {
    pub fn into_set(self, ignore_case: bool) -> WordSet {
        WordSet::new(self.0.iter().map(String::as_str), ignore_case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_no_value() {
        let Value::Object(map) = crate::json::parse(br#"{"min":{"a":1},"words":["x"]}"#).unwrap() else {
            unreachable!("it is an object")
        };
        let params = Params::of("f", &map);
        assert_eq!((params.has("min"), params.int("min", 7).unwrap(), params.text("min")), (false, 7, None));
        assert_eq!((params.list("min"), params.rules("min")), (None, None));
        assert_eq!(params.list("words"), Some(vec!["x".to_owned()]));
    }
}
