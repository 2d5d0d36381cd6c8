//! What is wrong with the settings of analysis as a whole, and when it shows.

use super::{token_filters, tokenizers};
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

/// Filters whose language is looked at when they are used.
const LATE_LANGUAGES: [&str; 2] = ["lowercase", "snowball"];

/// Whether a mistake of a tokenizer or filter shows only where it is used, after those of all the parts beside it.
pub(super) fn shows_late(section: &str, kind: &str, error: &Error) -> bool {
    let reason = error.reason();
    let is_late = match section {
        "tokenizer" => tokenizers::LATE.contains(&kind),
        _ => LATE_LANGUAGES.contains(&kind) || token_filters::TABLE.iter().any(|row| row.kind == kind && row.late),
    };
    let is_always_late = reason.starts_with("invalid group specified") || reason.ends_with("Size cannot be negative");
    // What goes over the limits of the index is refused at once all the same, and so is what cannot be read.
    let at_once = matches!(error.kind(), ErrorKind::Settings | ErrorKind::NumberFormat)
        || reason.ends_with("index level setting.")
        || reason.ends_with("as only [true] or [false] are allowed.")
        || reason.ends_with("must be a one char value")
        || reason.starts_with("Setting [")
        || reason.starts_with("Unknown token type: ")
        || reason.starts_with("Token type: ")
        || reason.starts_with("invalid side: ")
        || reason.contains("tokenizer name was deprecated");
    is_always_late || is_late && !at_once
}

/// Keeps the first mistake that shows late, of a component of a kind; gives others back.
pub(super) fn keep_late(section: &str, kind: &str, error: Error, late: &mut Option<Error>) -> Result<()> {
    if !shows_late(section, kind, &error) {
        return Err(error);
    }
    late.get_or_insert(error);
    Ok(())
}

/// Some filters the reference makes by the version of an index, which a definition in place has none of.
pub(super) fn without_version() -> Error {
    let reason = "[index.version.created] is not present in the index settings for index with UUID [null]";
    Error::new(ErrorKind::IllegalState, reason)
}
