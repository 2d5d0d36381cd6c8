//! Values of bodies, with the reference's complaints.

use super::super::index_options::expand_wildcards;
use super::super::params;
use crate::cluster::IndicesOptions;
use pith_engine::json::{Value, java_text};
use pith_engine::{Error, Result};

/// `true` or `false`, as such or as a text.
pub fn flag(key: &str, value: &Value) -> Result<bool> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::String(text) if text == "true" => Ok(true),
        Value::String(text) if text == "false" => Ok(false),
        other => {
            let text = java_text(other);
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

/// Reads one of the options of index expressions; `false` if the key is none. Null says nothing, nor does a blank flag.
pub fn index_option(options: &mut IndicesOptions, key: &str, value: &Value) -> Result<bool> {
    let says = |value: &Value| !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty());
    match key {
        "ignore_unavailable" | "ignoreUnavailable" if says(value) => options.ignore_unavailable = flag(key, value)?,
        "allow_no_indices" | "allowNoIndices" if says(value) => options.allow_no_indices = flag(key, value)?,
        "ignore_throttled" if says(value) => drop(flag(key, value)?),
        "expand_wildcards" | "expandWildcards" => match value {
            Value::Null => {}
            Value::Array(items) => {
                let words: Vec<String> = items.iter().map(java_text).collect();
                expand_wildcards(options, words.iter().map(String::as_str))?;
            }
            other => expand_wildcards(options, params::names(&java_text(other)))?,
        },
        "ignore_unavailable" | "ignoreUnavailable" | "allow_no_indices" | "allowNoIndices" | "ignore_throttled" => {}
        _ => return Ok(false),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::json::parse;

    #[test]
    fn options_of_index_expressions() {
        let read = |key: &str, value: &str| {
            let mut options = IndicesOptions::STRICT_EXPAND_OPEN;
            index_option(&mut options, key, &parse(value.as_bytes()).unwrap()).map(|known| (known, options))
        };
        for nothing in ["null", "\"\"", "\" \""] {
            let (known, options) = read("allow_no_indices", nothing).unwrap();
            assert!(known && options.allow_no_indices, "{nothing}");
        }
        assert!(read("expand_wildcards", "null").unwrap().1.expand_open);
        assert!(read("expand_wildcards", r#"["closed","open"]"#).unwrap().1.expand_closed);
        let refused = |key: &str, value: &str| read(key, value).unwrap_err();
        assert_eq!(refused("expand_wildcards", r#"{"a":1}"#).reason(), "No valid expand wildcard value [{a=1}]");
        let error = refused("ignore_unavailable", r#"["a"]"#);
        assert_eq!(
            error.cause().unwrap().reason(),
            "Failed to parse value [[a]] as only [true] or [false] are allowed."
        );
        assert!(!read("foo", "1").unwrap().0);
    }
}
