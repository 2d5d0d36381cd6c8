//! `set`: a value into a field.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::super::template::{Template, ValueSource};
use crate::error::Result;
use crate::json::Value;

struct Set {
    field: Template,
    value: ValueSource,
    overrides: bool,
    ignore_empty_value: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    Ok(Work::Simple(Box::new(Set {
        field: config.template("field")?,
        value: config.value_source("value")?,
        overrides: config.flag("override", true)?,
        ignore_empty_value: config.flag("ignore_empty_value", false)?,
    })))
}

impl Processor for Set {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let field = self.field.render(doc)?;
        if !self.overrides && doc.has(&field)? && !doc.get(&field)?.is_null() {
            return Ok(());
        }
        let value = self.value.render(doc)?;
        // Only what a template makes can turn out to be empty.
        let empty = matches!(&value, Value::String(text) if text.is_empty());
        if self.ignore_empty_value && empty && matches!(self.value, ValueSource::Text(_)) {
            return Ok(());
        }
        doc.set(&field, value)
    }
}
