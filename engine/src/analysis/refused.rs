//! What is wrong with the settings of analysis as a whole.

use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value};

/// Each definition is a group of settings, and not a value itself.
pub(super) fn check_groups(definitions: &Value) -> Result<()> {
    for section in ["analyzer", "tokenizer", "filter", "char_filter", "normalizer"] {
        let mut all = definitions.get(section).and_then(Value::as_object).into_iter().flat_map(Map::iter);
        if let Some((name, _)) = all.find(|(_, definition)| definition.as_object().is_none()) {
            let prefix = format!("index.analysis.{section}.");
            let reason = format!(
                "Failed to get setting group for [{prefix}] setting prefix and setting [{prefix}{name}] because of a missing '.'"
            );
            return Err(Error::new(ErrorKind::Settings, reason));
        }
    }
    Ok(())
}

/// One error for all analyzers whose parts do not fit.
pub(super) fn failed_analyzers(mut failed: Vec<(&str, Error)>) -> Error {
    failed.sort_by_key(|(name, _)| *name);
    let names: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
    let plain = Error::illegal_argument(format!("Failed to build analyzers: [{}]", names.join(", ")));
    let suppressed = failed.iter().map(|(name, error)| {
        let cause = cause_of(error);
        let mut map = Map::from_iter([("type", "illegal_argument_exception")]);
        map.insert("reason", format!("[{name}] {}", error.reason()));
        map.insert("caused_by", cause);
        Value::from(map)
    });
    plain.clone().with("suppressed", suppressed.collect::<Vec<_>>()).with_root_causes(vec![plain])
}

fn cause_of(error: &Error) -> Map {
    let mut map = Map::from_iter([("type", error.kind().type_name()), ("reason", error.reason())]);
    if let Some(cause) = error.cause() {
        map.insert("caused_by", cause_of(cause));
    }
    map
}
