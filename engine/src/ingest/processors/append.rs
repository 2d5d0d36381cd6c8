//! `append`: values to the end of a list.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::super::template::{Template, ValueSource};
use crate::error::Result;

struct Append {
    field: Template,
    value: ValueSource,
    allow_duplicates: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    Ok(Work::Simple(Box::new(Append {
        field: config.template("field")?,
        value: config.value_source("value")?,
        allow_duplicates: config.flag("allow_duplicates", true)?,
    })))
}

impl Processor for Append {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let (field, value) = (self.field.render(doc)?, self.value.render(doc)?);
        doc.append(&field, value, self.allow_duplicates)
    }
}
