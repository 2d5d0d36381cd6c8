//! `copy`: a field into another one.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::super::template::Template;
use crate::error::{Error, Result};

struct Copy {
    source: Template,
    target: Template,
    ignore_missing: bool,
    remove_source: bool,
    override_target: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    Ok(Work::Simple(Box::new(Copy {
        source: config.template("source_field")?,
        target: config.template("target_field")?,
        ignore_missing: config.flag("ignore_missing", false)?,
        remove_source: config.flag("remove_source", false)?,
        override_target: config.flag("override_target", false)?,
    })))
}

impl Processor for Copy {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let source = self.source.render(doc)?;
        let found = !source.is_empty() && doc.has_within_bounds(&source)?;
        if !found {
            if self.ignore_missing {
                return Ok(());
            }
            return Err(Error::illegal_argument(match source.as_str() {
                "" => "source field path cannot be null nor empty".to_owned(),
                _ => format!("source field [{source}] doesn't exist"),
            }));
        }
        let target = self.target.render(doc)?;
        if target.is_empty() {
            return Err(Error::illegal_argument("target field path cannot be null nor empty"));
        }
        if source == target {
            return Err(Error::illegal_argument("source field path and target field path cannot be same"));
        }
        if doc.has_within_bounds(&target)? && !self.override_target {
            return Err(Error::illegal_argument(format!("target field [{target}] already exists")));
        }
        let value = doc.get(&source)?.clone();
        doc.set(&target, value)?;
        if self.remove_source { doc.remove(&source) } else { Ok(()) }
    }
}
