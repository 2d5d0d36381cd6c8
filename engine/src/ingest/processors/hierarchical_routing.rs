//! `hierarchical_routing`: documents of the same part of a tree of paths to the same shard.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::murmur::routing_number;
use crate::error::{Error, Result};
use crate::java_order::java_hashed_text;
use crate::json::Value;

struct HierarchicalRouting {
    field: String,
    /// How many names of the path decide.
    depth: usize,
    separator: String,
    ignore_missing: bool,
    override_existing: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("path_field")?;
    if field.is_empty() {
        return Err(config.property("path_field", "cannot be null or empty"));
    }
    let depth = config.int_opt("anchor_depth")?.unwrap_or(2);
    let separator = config.text_or("path_separator", "/")?;
    let ignore_missing = config.flag("ignore_missing", false)?;
    let override_existing = config.flag("override_existing", true)?;
    let Some(depth) = usize::try_from(depth).ok().filter(|depth| *depth > 0) else {
        return Err(config.property("anchor_depth", "must be greater than 0"));
    };
    if separator.is_empty() {
        return Err(config.property("path_separator", "cannot be null or empty"));
    }
    let routing = HierarchicalRouting { field, depth, separator, ignore_missing, override_existing };
    Ok(Work::Simple(Box::new(routing)))
}

impl Processor for HierarchicalRouting {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        if !self.override_existing && doc.get_or_none("_routing", true)?.is_some() {
            return Ok(());
        }
        let Some(value) = doc.get_or_none(&self.field, self.ignore_missing)? else { return Ok(()) };
        if value.is_null() {
            return match self.ignore_missing {
                true => Ok(()),
                false => Err(Error::illegal_argument(format!("field [{}] doesn't exist", self.field))),
            };
        }
        let path = java_hashed_text(value);
        if path.is_empty() {
            if self.ignore_missing {
                return Ok(());
            }
            return Err(Error::illegal_argument(format!("field [{}] is null or empty", self.field)));
        }
        let anchor = path_anchor(path.trim(), &self.separator, self.depth);
        doc.set("_routing", Value::String(routing_number(&anchor)))
    }
}

/// The part of a path that decides where it belongs.
pub(crate) fn path_anchor(path: &str, separator: &str, depth: usize) -> String {
    let names: Vec<&str> = path.split(separator).filter(|name| !name.is_empty()).take(depth).collect();
    if names.is_empty() { "_root".to_owned() } else { names.join(separator) }
}
