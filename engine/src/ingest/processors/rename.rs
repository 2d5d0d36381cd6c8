//! `rename`: a field by another name.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::super::template::Template;
use crate::error::{Error, Result};

struct Rename {
    field: Template,
    target: Template,
    ignore_missing: bool,
    override_target: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    Ok(Work::Simple(Box::new(Rename {
        field: config.template("field")?,
        target: config.template("target_field")?,
        ignore_missing: config.flag("ignore_missing", false)?,
        override_target: config.flag("override_target", false)?,
    })))
}

impl Processor for Rename {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let field = self.field.render(doc)?;
        let found = !field.is_empty() && doc.has_within_bounds(&field)?;
        if !found {
            if self.ignore_missing {
                return Ok(());
            }
            return Err(Error::illegal_argument(match field.as_str() {
                "" => "field path cannot be null nor empty".to_owned(),
                _ => format!("field [{field}] doesn't exist"),
            }));
        }
        let target = self.target.render(doc)?;
        if doc.has_within_bounds(&target)? && !self.override_target {
            return Err(Error::illegal_argument(format!("field [{target}] already exists")));
        }
        let value = doc.get(&field)?.clone();
        doc.remove(&field)?;
        let Err(error) = doc.set(&target, value.clone()) else { return Ok(()) };
        // The document keeps the value under its old name.
        doc.set(&field, value)?;
        Err(error)
    }
}
