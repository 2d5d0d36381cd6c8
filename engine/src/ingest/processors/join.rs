//! `join`: the items of a list as one text.

use super::super::Document;
use super::super::bounds::check_length;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_hashed_text;
use crate::json::Value;

struct Join {
    field: String,
    target: String,
    separator: String,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("field")?;
    let separator = config.text("separator")?;
    let target = config.text_or("target_field", &field)?;
    Ok(Work::Simple(Box::new(Join { field, target, separator })))
}

impl Processor for Join {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let Some(items) = doc.list(&self.field, false)? else {
            return Err(Error::illegal_argument(format!("field [{}] is null, cannot join.", self.field)));
        };
        let mut out = String::new();
        for (at, item) in items.iter().enumerate() {
            if item.is_null() {
                return Err(Error::without_reason(ErrorKind::NullPointer));
            }
            if at > 0 {
                out.push_str(&self.separator);
            }
            out.push_str(&java_hashed_text(item));
            check_length(out.len(), &self.target)?;
        }
        doc.set(&self.target, Value::String(out))
    }
}
