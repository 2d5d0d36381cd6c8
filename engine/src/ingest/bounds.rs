//! What pipelines may make of a document: processors that fill in what others filled in double it at every step.

use super::path::Path;
use crate::error::{Error, Result};
use crate::json::Value;

/// Deepest nesting of fields, as deep as a document may be sent.
const DEPTH_MAX: usize = 1_000;
/// Bytes that may be put into one document altogether, also where they take the place of others.
const BYTES_MAX: usize = 64 << 20;
/// What a value costs beside its text.
const VALUE_BYTES: usize = 64;

/// Fields that may move up altogether, to close the gaps that others leave: each costs as little as can be, and all of a document
/// of 10,000 fields may be taken out of it, from its beginning on.
const MOVED_MAX: usize = 50_000_000;

/// How much was put into a document, and taken out of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    bytes: usize,
    moved: usize,
}

impl Bounds {
    /// Counts a value that is about to be put at `path`.
    pub fn admit(&mut self, path: &Path<'_>, value: &Value) -> Result<()> {
        let (bytes, depth) = weigh(value);
        if path.parts.len() + depth > DEPTH_MAX {
            let start: String = path.to_string().chars().take(100).collect();
            return Err(Error::illegal_argument(format!("[{start}] nests deeper than the maximum of [{DEPTH_MAX}]")));
        }
        self.bytes = self.bytes.saturating_add(bytes);
        match self.bytes > BYTES_MAX {
            true => Err(too_much(path)),
            false => Ok(()),
        }
    }

    /// Counts the fields that move up when one before them goes.
    pub fn admit_removal(&mut self, moved: usize) -> Result<()> {
        self.moved = self.moved.saturating_add(moved);
        match self.moved > MOVED_MAX {
            true => Err(Error::illegal_argument("pipelines take too many fields out of large objects, one by one")),
            false => Ok(()),
        }
    }
}

/// That a text which is being made for `path` may grow so far.
pub(super) fn check_length(bytes: usize, path: &str) -> Result<()> {
    match bytes > BYTES_MAX {
        true => Err(too_much(path)),
        false => Ok(()),
    }
}

#[cold]
fn too_much(path: impl std::fmt::Display) -> Error {
    Error::illegal_argument(format!(
        "pipelines put more than [{BYTES_MAX}] bytes into the document, the last of them at [{path}]"
    ))
}

/// Bytes and depth of a value, which is itself no deeper than documents are.
pub(super) fn weigh(value: &Value) -> (usize, usize) {
    let all = |items: &mut dyn Iterator<Item = (usize, &Value)>| {
        items.fold((VALUE_BYTES, 0), |(bytes, depth), (key, item)| {
            let of = weigh(item);
            (bytes + key + of.0, depth.max(of.1 + 1))
        })
    };
    match value {
        Value::String(text) => (VALUE_BYTES + text.len(), 0),
        Value::Array(items) => all(&mut items.iter().map(|item| (0, item))),
        Value::Object(map) => all(&mut map.iter().map(|(key, item)| (key.len(), item))),
        _ => (VALUE_BYTES, 0),
    }
}
