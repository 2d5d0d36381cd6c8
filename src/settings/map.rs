//! A set of settings as it is stored: flat keys, each with a text or a list of texts.

use pith_engine::java_order::{java_ordered, settings_ordered, sort_by_slot};
use pith_engine::json::{Map, Value, Writer};
use pith_engine::{Error, ErrorKind, Result};
use std::collections::{BTreeMap, BTreeSet, btree_map};

/// Keys that one request may set.
const KEYS_MAX: usize = 10_000;

/// What one key is set to. Numbers and booleans are kept as the text they were written as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    Text(String),
    List(Vec<String>),
}

/// Settings by their flat key, ordered by key. What a new index, a template or a repository was given as `null` is nothing to anybody
/// who asks for a value, but is shown as it was given, and counts as said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    entries: BTreeMap<String, Setting>,
    /// Keys that are none of the entries'.
    nulls: BTreeSet<String>,
}

/// A change to settings: `None` resets a key (which may then hold a `*`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsUpdate {
    entries: BTreeMap<String, Option<Setting>>,
}

impl Setting {
    /// The text; of a list, its items separated by commas.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(items) => items.join(","),
        }
    }

    /// The items of a list; a text is split at commas.
    pub fn list(&self) -> Vec<String> {
        match self {
            Self::List(items) => items.clone(),
            Self::Text(text) if text.is_empty() => vec![],
            Self::Text(text) => text.split(',').map(|item| item.trim().to_owned()).collect(),
        }
    }

    pub fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text),
            Self::List(items) => Value::Array(items.iter().map(Value::from).collect()),
        }
    }
}

impl From<&str> for Setting {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Setting {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl Settings {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.entries.get(key)
    }

    /// The text under `key`, if it is set and no list.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.entries.get(key)? {
            Setting::Text(text) => Some(text),
            Setting::List(_) => None,
        }
    }

    pub fn insert(&mut self, key: impl Into<String>, setting: impl Into<Setting>) {
        let key = key.into();
        self.nulls.remove(&key);
        self.entries.insert(key, setting.into());
    }

    /// Says that `key` is nothing, whatever it was.
    pub fn insert_null(&mut self, key: impl Into<String>) {
        let key = key.into();
        self.entries.remove(&key);
        self.nulls.insert(key);
    }

    pub fn remove(&mut self, key: &str) -> Option<Setting> {
        self.nulls.remove(key);
        self.entries.remove(key)
    }

    /// Whether `key` is set, if only to nothing.
    pub fn is_said(&self, key: &str) -> bool {
        self.contains(key) || self.nulls.contains(key)
    }

    /// The keys that are set to nothing.
    pub fn nulls(&self) -> impl Iterator<Item = &str> {
        self.nulls.iter().map(String::as_str)
    }

    pub fn iter(&self) -> btree_map::Iter<'_, String, Setting> {
        self.entries.iter()
    }

    pub fn contains(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.nulls.is_empty()
    }

    /// Whether any key begins with `prefix`.
    pub fn has_prefix(&self, prefix: &str) -> bool {
        self.with_prefix(prefix).next().is_some()
    }

    /// The entries whose key begins with `prefix`.
    pub fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Setting)> {
        self.entries
            .range(prefix.to_owned()..)
            .take_while(move |(key, _)| key.starts_with(prefix))
            .map(|(key, setting)| (key.as_str(), setting))
    }

    /// What is said below `prefix`, by the rests of the keys.
    pub fn below(&self, prefix: &str) -> Self {
        let rest = |key: &str| key[prefix.len()..].to_owned();
        let nulls = self.nulls.iter().filter(|key| key.starts_with(prefix));
        Self {
            entries: self.with_prefix(prefix).map(|(key, setting)| (rest(key), setting.clone())).collect(),
            nulls: nulls.map(|key| rest(key)).collect(),
        }
    }

    /// Keeps what is said of the keys that satisfy `keep`.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.entries.retain(|key, _| keep(key));
        self.nulls.retain(|key| keep(key));
    }

    /// Says all that `other` says, too.
    pub fn overlay(&mut self, other: &Self) {
        other.iter().for_each(|(key, setting)| self.insert(key.clone(), setting.clone()));
        other.nulls().for_each(|key| self.insert_null(key));
    }

    /// These settings after `update`: a `None` removes its key, one with `*` every key it matches.
    pub fn updated(&self, update: &SettingsUpdate) -> Self {
        let mut result = self.clone();
        for (key, value) in &update.entries {
            match value {
                Some(setting) => result.insert(key.clone(), setting.clone()),
                None if key.contains('*') => result.retain(|k| !glob(key, k)),
                None => drop(result.remove(key)),
            }
        }
        result
    }

    /// Reads an object of flat or nested keys.
    pub fn from_json(value: &Value) -> Result<Self> {
        Ok(SettingsUpdate::from_json(value)?.to_settings())
    }

    /// One object with flat keys, or nested at the dots.
    pub fn to_value(&self, flat: bool) -> Value {
        let mut values: BTreeMap<&str, Value> = self.nulls().map(|key| (key, Value::Null)).collect();
        values.extend(self.entries.iter().map(|(key, setting)| (key.as_str(), setting.to_value())));
        let mut root = Map::new();
        for (key, value) in values {
            if flat {
                root.insert(key, value);
            } else {
                insert_nested(&mut root, key, value);
            }
        }
        Value::Object(root)
    }

    /// As [`Settings::to_value`], nested keys in the order of the reference's maps.
    pub fn shown(&self, flat: bool) -> Value {
        match self.to_value(flat) {
            Value::Object(map) if !flat => Value::Object(settings_ordered(map)),
            value => value,
        }
    }

    pub fn write(&self, w: &mut Writer, flat: bool) {
        w.value(&self.shown(flat));
    }
}

impl<K: Into<String>, V: Into<Setting>> FromIterator<(K, V)> for Settings {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(iter: T) -> Self {
        Self { entries: iter.into_iter().map(|(k, v)| (k.into(), v.into())).collect(), nulls: BTreeSet::new() }
    }
}

/// Goes down the parts of `key` as far as objects are there or can be made. Where a part is a text already
/// (`merge.policy` beside `merge.policy.floor_segment`), the rest stays one flat key, as in the reference.
fn insert_nested(root: &mut Map, key: &str, value: Value) {
    let mut map = root;
    let mut rest = key;
    let mut from = 0;
    while let Some(dot) = rest[from..].find('.').map(|at| at + from) {
        let part = &rest[..dot];
        match map.get(part) {
            Some(Value::Object(_)) => {}
            Some(_) => {
                from = dot + 1;
                continue;
            }
            None => map.insert(part, Map::new()),
        }
        let Some(Value::Object(inner)) = map.get_mut(part) else {
            unreachable!("an object is there or was just put there")
        };
        map = inner;
        rest = &rest[dot + 1..];
        from = 0;
    }
    map.insert(rest, value);
}

/// Begins the keys of settings that are kept though nothing knows them any more.
pub const ARCHIVED: &str = "archived.";

impl SettingsUpdate {
    /// Reads an object of flat or nested keys.
    pub fn from_json(value: &Value) -> Result<Self> {
        let map = value
            .as_object()
            .ok_or_else(|| Error::new(ErrorKind::Parse, "malformed settings content, must start with an object"))?;
        let mut update = Self::default();
        update.flatten("", map).map_err(|cause| not_loaded(map, cause))?;
        update.join_numbered();
        Ok(update)
    }

    /// Keys that count their items (`a.0`, `a.1`) are one list.
    fn join_numbered(&mut self) {
        let first = |(key, value): (&String, &Option<Setting>)| {
            let name = key.strip_suffix(".0").filter(|name| !name.is_empty())?;
            value.as_ref().map(|_| name.to_owned())
        };
        let names: Vec<String> = self.entries.iter().filter_map(first).collect();
        for name in names {
            let mut items = vec![];
            while let Some(Some(Setting::Text(item))) = self.entries.get(&format!("{name}.{}", items.len())) {
                items.push(item.clone());
            }
            if items.is_empty() {
                continue;
            }
            (0..items.len()).for_each(|at| drop(self.entries.remove(&format!("{name}.{at}"))));
            self.entries.insert(name, Some(Setting::List(items)));
        }
    }

    /// Of a key that is set more than once the last counts, in the order of the reference's maps.
    fn flatten(&mut self, prefix: &str, map: &Map) -> Result<()> {
        let mut entries: Vec<_> = map.iter().collect();
        sort_by_slot(&mut entries, |(key, _)| key);
        for (key, value) in entries {
            let key = format!("{prefix}{key}");
            let setting = match value {
                Value::Object(inner) => {
                    self.flatten(&format!("{key}."), inner)?;
                    continue;
                }
                Value::Array(items) => Some(Setting::List(list_items(items)?)),
                Value::Null => None,
                scalar => Some(Setting::Text(scalar.to_text())),
            };
            if self.entries.len() >= KEYS_MAX {
                return Err(Error::illegal_argument(format!("more than {KEYS_MAX} settings at once are too many")));
            }
            self.entries.insert(key, setting);
        }
        Ok(())
    }

    /// Puts `prefix` before every key that does not begin with it (`number_of_shards` → `index.number_of_shards`).
    /// A bare `*` stays as it is: it means every key. So does what was archived.
    pub fn normalized(self, prefix: &str) -> Self {
        let normal = |key: String| match key.starts_with(prefix) || key.starts_with('*') || key.starts_with(ARCHIVED) {
            true => key,
            false => format!("{prefix}{key}"),
        };
        Self { entries: self.entries.into_iter().map(|(key, value)| (normal(key), value)).collect() }
    }

    pub fn get(&self, key: &str) -> Option<&Option<Setting>> {
        self.entries.get(key)
    }

    pub fn insert(&mut self, key: impl Into<String>, setting: Option<Setting>) {
        self.entries.insert(key.into(), setting);
    }

    pub fn remove(&mut self, key: &str) -> Option<Option<Setting>> {
        self.entries.remove(key)
    }

    pub fn iter(&self) -> btree_map::Iter<'_, String, Option<Setting>> {
        self.entries.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What is said of something new: there is nothing that could be reset.
    pub fn to_settings(&self) -> Settings {
        let mut settings = Settings::default();
        for (key, value) in &self.entries {
            match value {
                Some(setting) => settings.insert(key.clone(), setting.clone()),
                None => settings.insert_null(key.clone()),
            }
        }
        settings
    }
}

fn list_items(items: &[Value]) -> Result<Vec<String>> {
    let text = |item: &Value| match item {
        item if is_value(item) => Ok(item.to_text()),
        _ => Err(only_values()),
    };
    items.iter().map(text).collect()
}

/// Whether a list of settings can hold it.
pub fn is_value(item: &Value) -> bool {
    !matches!(item, Value::Object(_) | Value::Array(_) | Value::Null)
}

/// The refusal of a list that holds something else than texts, numbers and booleans.
#[cold]
pub fn only_values() -> Error {
    Error::new(ErrorKind::IllegalState, "only value lists are allowed in serialized settings")
}

/// The reference writes the settings as it has them in its maps, and reads that text.
#[cold]
fn not_loaded(settings: &Map, cause: Error) -> Error {
    if cause.kind() != ErrorKind::IllegalState {
        return cause;
    }
    let text = Value::Object(java_ordered(settings.clone())).to_text();
    Error::new(ErrorKind::Settings, format!("Failed to load settings from [{text}]")).caused_by(cause)
}

/// Whether `text` matches `pattern`, in which `*` stands for any run of characters.
pub fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::json::parse;

    fn settings(text: &str) -> Settings {
        Settings::from_json(&parse(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn flattens_and_nests_again() {
        let flat = settings(r#"{"index":{"a.b":1,"c":[1,"x"],"d":null,"e":true},"f":2.50}"#);
        assert_eq!(flat.text("index.a.b"), Some("1"));
        assert_eq!(
            String::from_utf8(flat.to_value(false).to_bytes()).unwrap(),
            r#"{"f":"2.5","index":{"a":{"b":"1"},"c":["1","x"],"d":null,"e":"true"}}"#
        );
    }

    #[test]
    fn a_text_that_is_also_a_prefix_keeps_the_rest_flat() {
        let both = settings(r#"{"merge.policy":"x","merge.policy.floor":"1b"}"#);
        let nested = String::from_utf8(both.to_value(false).to_bytes()).unwrap();
        assert_eq!(nested, r#"{"merge":{"policy":"x","policy.floor":"1b"}}"#);
    }

    #[test]
    fn keys_that_count_are_lists() {
        let joined = settings(r#"{"a.0":"x","a.1":"y","b.1":"z","c":{"0":7}}"#);
        assert_eq!(joined, settings(r#"{"a":["x","y"],"b.1":"z","c":["7"]}"#));
    }

    #[test]
    fn null_resets_keys_and_patterns() {
        let update = SettingsUpdate::from_json(&parse(br#"{"a.*":null,"b":null,"c":1}"#).unwrap()).unwrap();
        let after = settings(r#"{"a.x":1,"a.y.z":2,"b":3,"d":4}"#).updated(&update);
        assert_eq!(after, settings(r#"{"c":1,"d":4}"#));
    }

    #[test]
    fn nulls_are_said_and_are_nothing() {
        let mut settings = settings(r#"{"a":null,"b":1,"c.d":null}"#);
        assert_eq!((settings.get("a"), settings.contains("a"), settings.is_said("a")), (None, false, true));
        assert_eq!(settings.below("c.").to_value(true).to_text(), r#"{"d":null}"#);
        let update = SettingsUpdate::from_json(&parse(br#"{"a":2,"b":null}"#).unwrap()).unwrap();
        assert_eq!(settings.updated(&update).to_value(true).to_text(), r#"{"a":"2","c.d":null}"#);
        settings.overlay(&update.to_settings());
        assert_eq!(settings.to_value(true).to_text(), r#"{"a":"2","b":null,"c.d":null}"#);
        settings.retain(|key| key == "b");
        assert!(!settings.is_empty() && settings.remove("b").is_none() && settings.is_empty());
    }

    #[test]
    fn globs() {
        for (pattern, text, hit) in [
            ("*", "", true),
            ("a*", "abc", true),
            ("a*c", "abc", true),
            ("a*b*c", "axbxc", true),
            ("a*b*c", "axc", false),
            ("*b", "ab", true),
            ("ab*ba", "aba", false),
            ("a", "ab", false),
        ] {
            assert_eq!(glob(pattern, text), hit, "{pattern} {text}");
        }
    }
}
