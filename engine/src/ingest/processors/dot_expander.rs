//! `dot_expander`: a field with dots in its name to objects in objects.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use crate::error::{Error, Result};
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

impl Processor for DotExpander {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let full = match &self.path {
            Some(path) => format!("{path}.{}", self.field),
            None => self.field.clone(),
        };
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
    /// Takes the field with dots in its name out of where it is.
    fn take(&self, doc: &mut Document) -> Result<Option<Value>> {
        let Some(path) = &self.path else { return Ok(doc.root_mut().remove(&self.field)) };
        let Value::Object(mut parent) = doc.get(path)?.clone() else {
            return Err(Error::illegal_argument(format!("field [{path}] is not an object field, but a value field")));
        };
        let value = Map::remove(&mut parent, &self.field);
        if value.is_some() {
            doc.set(path, Value::Object(parent))?;
        }
        Ok(value)
    }
}
