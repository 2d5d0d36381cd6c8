//! `dot_expander`: a field with dots in its name to objects in objects.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::document::no_cast;
use super::super::processor::{Processor, Work};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value};

struct DotExpander {
    /// Where the field is, if not in the document itself.
    path: Option<String>,
    field: String,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("field")?;
    if !field.contains('.') {
        return Err(config.property("field", "field does not contain a dot"));
    }
    if field.starts_with('.') || field.ends_with('.') {
        return Err(config.property("field", "Field can't start or end with a dot"));
    }
    if field.contains("..") {
        return Err(config.property("field", "No space between dots"));
    }
    Ok(Work::Simple(Box::new(DotExpander { path: config.text_opt("path")?, field })))
}

/// What the reference says where an object is to be that is null.
const NO_PARENT: &str = "Cannot invoke \"java.util.Map.containsKey(Object)\" because \"map\" is null";

impl Processor for DotExpander {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let full = match &self.path {
            Some(path) => format!("{path}.{}", self.field),
            None => self.field.clone(),
        };
        if !self.is_there(doc)? {
            return Ok(());
        }
        if doc.has(&full)? {
            return match self.take(doc)? {
                Some(value) => doc.append(&full, value, true),
                None => Ok(()),
            };
        }
        // Every name before the last has to be, or become, that of an object.
        for (at, _) in full.match_indices('.') {
            let parent = &full[..at];
            if doc.has(parent)? && !matches!(doc.get(parent)?, Value::Object(_)) {
                let reason =
                    format!("cannot expend [{full}], because [{parent}] is not an object field, but a value field");
                return Err(Error::illegal_argument(reason));
            }
        }
        match self.take(doc)? {
            Some(value) => doc.set(&full, value),
            None => Ok(()),
        }
    }
}

impl DotExpander {
    /// Whether there is a field with dots in its name.
    fn is_there(&self, doc: &Document) -> Result<bool> {
        let Some(path) = &self.path else { return Ok(doc.root().contains(&self.field)) };
        match doc.get(path)? {
            Value::Object(parent) => Ok(parent.contains(&self.field)),
            Value::Null => Err(Error::new(ErrorKind::NullPointer, NO_PARENT)),
            other => Err(no_cast(path, other, "java.util.Map")),
        }
    }

    /// Takes it out of where it is.
    fn take(&self, doc: &mut Document) -> Result<Option<Value>> {
        let Some(path) = &self.path else { return Ok(doc.root_mut().remove(&self.field)) };
        let Value::Object(mut parent) = doc.get(path)?.clone() else { return Ok(None) };
        let value = Map::remove(&mut parent, &self.field);
        if value.is_some() {
            doc.set(path, Value::Object(parent))?;
        }
        Ok(value)
    }
}
