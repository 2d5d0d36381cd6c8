//! `rename_field`: a field under another name.

use super::super::hits::{Answered, Hit, Pass};
use super::super::run::Attributes;
use super::super::step::ResponseProcessor;
use crate::error::{Error, Result};
use crate::ingest::{Config, Scripts};

struct RenameField {
    field: String,
    target: String,
    ignore_missing: bool,
}

pub fn build(config: &mut Config, _: &dyn Scripts) -> Result<Box<dyn ResponseProcessor>> {
    Ok(Box::new(RenameField {
        field: config.text("field")?,
        target: config.text("target_field")?,
        ignore_missing: config.flag("ignore_missing", false)?,
    }))
}

impl ResponseProcessor for RenameField {
    fn begin(&self, _: &Answered, _: &Attributes) -> Result<Pass> {
        Ok(Pass::visiting())
    }

    fn visit(&self, hit: &mut Hit, pass: &mut Pass) -> Result<bool> {
        if let Some(values) = hit.take_field(&self.field) {
            pass.found = true;
            hit.set_field(&self.target, values);
        }
        if hit.source(&self.field).is_some() {
            pass.found = true;
            hit.change_source(|source| {
                if let Some(value) = source.remove(&self.field) {
                    source.insert(&self.target, value);
                }
            });
        }
        // One hit that has the field is enough for those behind it, as the reference has it.
        if !pass.found && !self.ignore_missing {
            let reason = format!("Document with id {} is missing field {}", hit.id(), self.field);
            return Err(Error::illegal_argument(reason));
        }
        Ok(true)
    }
}
