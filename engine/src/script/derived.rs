//! The values that the script of a derived field gives for documents.

use super::{DocumentScript, context};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Value, parse};
use crate::mapping::{Derived, Mapping};
use crate::segment::SegmentView;
use std::sync::Arc;

/// A derived field bound to the documents of a shard.
pub struct DerivedValues {
    script: DocumentScript,
    /// Where in the objects that are emitted the values stand, for what is below a derived object.
    path: Option<Arc<str>>,
    ignore_malformed: bool,
}

impl DerivedValues {
    pub fn new(derived: &Derived, mapping: &Arc<Mapping>, now_ms: i64) -> Result<Self> {
        let Some(script) = &derived.script else {
            return Err(Error::new(ErrorKind::NullPointer, "a derived field without a script"));
        };
        let script = DocumentScript::new(script, &context::DERIVED_FIELD, mapping, None, now_ms)?;
        Ok(Self { script, path: derived.path.clone(), ignore_malformed: derived.ignore_malformed })
    }

    pub fn enter_segment(&mut self, view: &SegmentView) {
        self.script.enter_segment(view, 0);
    }

    /// The values of a document, in the order in which they were emitted.
    pub fn read(&mut self, doc: u32) -> Result<Vec<Value>> {
        let emitted = self.script.emitted(doc)?;
        let Some(path) = &self.path else { return Ok(emitted) };
        let mut out = vec![];
        for object in emitted.iter().filter(|object| !object.is_null()) {
            match parse(object.to_text().as_bytes()) {
                Ok(object @ Value::Object(_)) => match at(&object, path) {
                    Some(Value::Array(items)) => out.extend(items.iter().cloned()),
                    found => out.push(found.cloned().unwrap_or(Value::Null)),
                },
                _ if self.ignore_malformed => {}
                Ok(_) => return Err(Error::new(ErrorKind::Parse, "Failed to parse content to map")),
                Err(cause) => {
                    return Err(Error::new(ErrorKind::Parse, "Failed to parse content to map").caused_by(cause));
                }
            }
        }
        Ok(out)
    }
}

/// What stands at a dotted path of objects.
fn at<'v>(object: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(object, |object, key| object.as_object()?.get(key))
}
