//! `split`: a text at the matches of a regular expression.

use super::super::hits::{Answered, Hit, Pass};
use super::super::run::Attributes;
use super::super::step::ResponseProcessor;
use crate::error::{Error, Result};
use crate::ingest::{Config, Pattern, Scripts};
use crate::json::Value;

struct Split {
    field: String,
    target: String,
    /// An expression that is none is an error of each text.
    separator: Result<Pattern>,
    preserve_trailing: bool,
}

pub fn build(config: &mut Config, _: &dyn Scripts) -> Result<Box<dyn ResponseProcessor>> {
    let field = config.text("field")?;
    Ok(Box::new(Split {
        separator: Pattern::new(&config.text("separator")?),
        preserve_trailing: config.flag("preserve_trailing", false)?,
        target: config.text_or("target_field", &field)?,
        field,
    }))
}

impl Split {
    fn parts(&self, text: &str) -> Result<Vec<Value>> {
        let separator = self.separator.as_ref().map_err(Clone::clone)?;
        let parts = separator.split(text, if self.preserve_trailing { -1 } else { 0 })?;
        Ok(parts.into_iter().map(Value::from).collect())
    }
}

impl ResponseProcessor for Split {
    fn begin(&self, _: &Answered, _: &Attributes) -> Result<Pass> {
        Ok(Pass::visiting())
    }

    fn visit(&self, hit: &mut Hit, _: &mut Pass) -> Result<bool> {
        if let Some(values) = hit.field(&self.field) {
            let Some(text) = values.first().and_then(Value::as_str) else {
                let reason = format!("field [{}] is not a string, cannot split", self.field);
                return Err(Error::illegal_argument(reason));
            };
            let parts = self.parts(text)?;
            hit.set_field(&self.target, parts);
        }
        let parts = match hit.source(&self.field) {
            None => return Ok(true),
            Some(Value::String(text)) => Some(self.parts(text)?),
            Some(_) => None,
        };
        hit.change_source(|source| {
            if let Some(parts) = parts {
                source.insert(&self.target, Value::Array(parts));
            }
        });
        Ok(true)
    }
}
