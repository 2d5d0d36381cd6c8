//! Scripts of pipelines: conditions, and the `script` processor.

use super::Document;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value, java_class};

/// Knows the stored scripts.
pub trait Scripts {
    /// The language and source of a stored script.
    fn stored(&self, id: &str) -> Option<(String, String)>;
}

/// No stored scripts.
#[derive(Clone, Copy, Debug)]
pub struct NoScripts;

impl Scripts for NoScripts {
    fn stored(&self, _: &str) -> Option<(String, String)> {
        None
    }
}

/// `if` of a processor.
pub(super) struct Condition {
    source: String,
}

impl Condition {
    pub fn parse(script: Value, _: &dyn Scripts) -> Result<Self> {
        match script {
            Value::String(_) | Value::Object(_) => Err(unsupported()),
            other => Err(Error::new(
                ErrorKind::Parse,
                format!("[script] property isn't a map or string, but of type [{}]", java_class(&other)),
            )
            .with("property_name", "script")),
        }
    }

    pub fn source(&self) -> String {
        self.source.clone()
    }

    pub fn holds(&self, _: &Document, _: i64) -> Result<bool> {
        Err(unsupported())
    }
}

/// The script of a `script` processor.
pub(super) struct Change;

impl Change {
    pub fn parse(_: Map, _: &dyn Scripts) -> Result<Self> {
        Err(unsupported())
    }

    pub fn run(&self, _: &mut Document, _: i64) -> Result<()> {
        Err(unsupported())
    }
}

#[cold]
fn unsupported() -> Error {
    Error::illegal_argument("scripts are not supported in pipelines yet")
}
