//! `split`: a text at the matches of a regular expression.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::pattern::Pattern;
use super::super::processor::{Processor, Work};
use crate::error::{Error, Result};
use crate::json::Value;

/// What is split, and at what.
pub(super) struct Splitter {
    pub field: String,
    /// An expression that is none is an error of each document.
    separator: Result<Pattern>,
    ignore_missing: bool,
    preserve_trailing: bool,
}

struct Split {
    splitter: Splitter,
    target: String,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    // The reference looks for the target before the separator.
    let (splitter, target) = Splitter::read_with(config, |config, field| config.text_or("target_field", field))?;
    Ok(Work::Simple(Box::new(Split { splitter, target })))
}

impl Splitter {
    pub fn read(config: &mut Config) -> Result<Self> {
        Ok(Self::read_with(config, |_, _| Ok(()))?.0)
    }

    /// With what is looked for before the separator; `more` knows the field.
    fn read_with<T>(config: &mut Config, more: impl FnOnce(&mut Config, &str) -> Result<T>) -> Result<(Self, T)> {
        let field = config.text("field")?;
        let ignore_missing = config.flag("ignore_missing", false)?;
        let preserve_trailing = config.flag("preserve_trailing", false)?;
        let more = more(config, &field)?;
        let separator = Pattern::new(&config.text("separator")?);
        Ok((Self { field, ignore_missing, preserve_trailing, separator }, more))
    }

    /// The parts of the field's text; `None` where it may be missing.
    pub fn parts(&self, doc: &Document) -> Result<Option<Vec<Value>>> {
        let Some(text) = doc.text(&self.field, self.ignore_missing)? else {
            if self.ignore_missing {
                return Ok(None);
            }
            return Err(Error::illegal_argument(format!("field [{}] is null, cannot split.", self.field)));
        };
        let separator = self.separator.as_ref().map_err(Clone::clone)?;
        let parts = separator.split(text, if self.preserve_trailing { -1 } else { 0 })?;
        Ok(Some(parts.into_iter().map(Value::from).collect()))
    }
}

impl Processor for Split {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        match self.splitter.parts(doc)? {
            Some(parts) => doc.set(&self.target, Value::Array(parts)),
            None => Ok(()),
        }
    }
}
