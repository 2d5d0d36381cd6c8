//! Stored scripts and search templates, by id.

use super::State;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All stored scripts.
pub type Scripts = BTreeMap<String, Arc<StoredScript>>;

/// One stored script.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredScript {
    pub lang: String,
    pub source: String,
    /// Shown with the script if there are any.
    pub options: Map,
}

impl StoredScript {
    /// As it is shown, and kept.
    pub fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("lang", self.lang.as_str());
        map.insert("source", self.source.as_str());
        if !self.options.is_empty() {
            map.insert("options", self.options.clone());
        }
        Value::Object(map)
    }

    /// What [`StoredScript::to_value`] made.
    pub fn from_value(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let options = value.get("options").and_then(Value::as_object).cloned().unwrap_or_default();
        Some(Self { lang: text("lang")?, source: text("source")?, options })
    }
}

/// Keeps a script under an id, in place of one that was there.
pub fn put(state: &mut State, id: String, script: StoredScript) {
    Arc::make_mut(&mut state.scripts).insert(id, Arc::new(script));
}

pub fn delete(state: &mut State, id: &str) -> Result<()> {
    match Arc::make_mut(&mut state.scripts).remove(id) {
        Some(_) => Ok(()),
        None => {
            let reason = format!("stored script [{id}] does not exist and cannot be deleted");
            Err(Error::new(ErrorKind::ResourceNotFound, reason))
        }
    }
}
