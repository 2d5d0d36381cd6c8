//! What scripts leave in documents that JSON has no kind for: arrays, sets, dates without zones, characters. It is written
//! like its next of kin, but a document cannot be copied while it holds such a value, as each script and each
//! simulation does, nor written at all while it holds a character.

use super::config::not_castable;
use crate::error::{Error, Result};
use crate::json::Value;
use crate::script::KEY_OF;

/// A value that scripts made.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// Keys and places, the outermost first.
    path: Vec<String>,
    /// What stands there. If it is something else by now, the value is gone.
    value: Value,
    /// The class of Java.
    class: String,
    /// It can be copied, but not be written.
    is_character: bool,
}

impl Foreign {
    pub fn new(path: Vec<String>, root: &Value, class: String) -> Option<Self> {
        let value = at(root, &path)?.clone();
        let is_character = class == "java.lang.Character" || class.starts_with(KEY_OF);
        Some(Self { path, value, class, is_character })
    }

    pub fn is_in(&self, root: &Value) -> bool {
        at(root, &self.path) == Some(&self.value)
    }
}

/// That a document can be copied.
pub fn check_copied(root: &Value, foreign: &[Foreign]) -> Result<()> {
    let class = match foreign.iter().find(|value| !value.is_character && value.is_in(root)) {
        Some(value) => &value.class,
        None if has_large(root) => "java.math.BigInteger",
        None => return Ok(()),
    };
    Err(Error::illegal_argument(format!("unexpected value type [class {class}]")))
}

/// That a document can be written.
pub fn check_written(root: &Value, foreign: &[Foreign]) -> Result<()> {
    match foreign.iter().find(|value| value.is_character && value.is_in(root)) {
        Some(value) if value.class.starts_with(KEY_OF) => {
            Err(not_castable(&value.class[KEY_OF.len()..], "java.lang.String"))
        }
        Some(value) => {
            let reason = format!("cannot write xcontent for unknown value of type class {}", value.class);
            Err(Error::illegal_argument(reason))
        }
        None => Ok(()),
    }
}

fn at<'v>(root: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(root, |at, part| match at {
        Value::Object(map) => map.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Whether there are whole numbers of more than 64 bits, which are no kind that a copy knows.
fn has_large(value: &Value) -> bool {
    match value {
        Value::UInt(_) | Value::BigInt(_) => true,
        Value::Array(items) => items.iter().any(has_large),
        Value::Object(map) => map.entries.iter().any(|entry| has_large(&entry.value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_overwritten_is_forgotten() {
        let root = crate::json::parse(br#"{"a": {"b": [1]}}"#).unwrap();
        let foreign = [Foreign::new(vec!["a".into(), "b".into()], &root, "[I".into()).unwrap()];
        let reason = check_copied(&root, &foreign).unwrap_err().reason().to_owned();
        assert_eq!(reason, "unexpected value type [class [I]");
        assert!(check_written(&root, &foreign).is_ok());
        assert!(check_copied(&crate::json::parse(br#"{"a": {"b": 1}}"#).unwrap(), &foreign).is_ok());
        let reason = check_copied(&crate::json::parse(b"[18446744073709551615]").unwrap(), &[]).unwrap_err();
        assert_eq!(reason.reason(), "unexpected value type [class java.math.BigInteger]");
    }
}
