//! Values of bodies, with the reference's complaints.

use super::super::index_options::expand_wildcards;
use crate::cluster::IndicesOptions;
use pith_engine::json::Value;
use pith_engine::{Error, Result};

/// `true` or `false`, as such or as a text.
pub fn flag(key: &str, value: &Value) -> Result<bool> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::String(text) if text == "true" => Ok(true),
        Value::String(text) if text == "false" => Ok(false),
        other => {
            let text = other.to_text();
            let cause = format!("Failed to parse value [{text}] as only [true] or [false] are allowed.");
            Err(Error::illegal_argument(format!("Could not convert [{key}] to boolean"))
                .caused_by(Error::illegal_argument(cause)))
        }
    }
}

/// One text of names separated by commas, or a list of names.
pub fn names(key: &str, value: &Value) -> Result<Vec<String>> {
    match value {
        Value::String(text) => {
            Ok(text.split(',').map(|name| name.trim().to_owned()).filter(|n| !n.is_empty()).collect())
        }
        Value::Array(items) => Ok(items.iter().map(Value::to_text).collect()),
        _ => Err(Error::illegal_argument(format!("malformed {key} section, should be an array of strings"))),
    }
}

/// Reads one of the options of index expressions; `false` if the key is none.
pub fn index_option(options: &mut IndicesOptions, key: &str, value: &Value) -> Result<bool> {
    match key {
        "ignore_unavailable" | "ignoreUnavailable" => options.ignore_unavailable = flag(key, value)?,
        "allow_no_indices" | "allowNoIndices" => options.allow_no_indices = flag(key, value)?,
        "expand_wildcards" | "expandWildcards" => {
            expand_wildcards(options, names(key, value)?.iter().map(String::as_str))?
        }
        "ignore_throttled" => drop(flag(key, value)?),
        _ => return Ok(false),
    }
    Ok(true)
}
