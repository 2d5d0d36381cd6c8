//! What processors that change a text (or each text of a list) have in common.

use super::super::Document;
use super::super::config::Config;
use super::super::document::no_cast;
use super::super::processor::{Processor, Work};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_hashed_text;
use crate::json::{Value, java_class};

/// Changes the texts of a field by a function.
pub(super) struct OfText<F> {
    field: String,
    target: String,
    ignore_missing: bool,
    change: F,
}

/// Reads `field`, `target_field` and `ignore_missing`.
pub(super) fn build<F>(config: &mut Config, change: F) -> Result<Work>
where
    F: Fn(&str) -> Result<Value> + Send + Sync + 'static,
{
    build_with(config, |_| Ok(change))
}

/// The same for changes that options of their own are read for, behind the common ones.
pub(super) fn build_with<F>(config: &mut Config, change: impl FnOnce(&mut Config) -> Result<F>) -> Result<Work>
where
    F: Fn(&str) -> Result<Value> + Send + Sync + 'static,
{
    let field = config.text("field")?;
    let ignore_missing = config.flag("ignore_missing", false)?;
    let target = config.text_or("target_field", &field)?;
    let change = change(config)?;
    Ok(Work::Simple(Box::new(OfText { field, target, ignore_missing, change })))
}

impl<F: Fn(&str) -> Result<Value> + Send + Sync> Processor for OfText<F> {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let field = &self.field;
        let changed = match doc.get_or_none(field, self.ignore_missing)? {
            None => return Ok(()),
            Some(Value::Null) => {
                return Err(Error::illegal_argument(format!("field [{field}] is null, cannot process it.")));
            }
            Some(Value::String(_)) => (self.change)(doc.text(field, false)?.unwrap_or_default())?,
            Some(Value::Array(items)) => Value::Array(items.iter().map(|item| self.item(item)).collect::<Result<_>>()?),
            Some(other) => return Err(no_cast(field, other, "java.lang.String")),
        };
        doc.set(&self.target, changed)
    }
}

impl<F: Fn(&str) -> Result<Value> + Send + Sync> OfText<F> {
    fn item(&self, item: &Value) -> Result<Value> {
        match item {
            Value::String(text) => (self.change)(text),
            Value::Null => {
                Err(Error::new(ErrorKind::NullPointer, "Cannot invoke \"Object.getClass()\" because \"value\" is null"))
            }
            other => Err(Error::illegal_argument(format!(
                "value [{}] of type [{}] in list field [{}] cannot be cast to [java.lang.String]",
                java_hashed_text(other),
                java_class(other),
                self.field
            ))),
        }
    }
}
