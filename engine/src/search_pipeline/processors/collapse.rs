//! `collapse`: the first hit of each value of a field.

use super::super::hits::{Answered, Hit, Pass};
use super::super::run::Attributes;
use super::super::step::ResponseProcessor;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{Config, Scripts};
use crate::json::{Value, java_class, java_text};

struct Collapse {
    field: String,
}

pub fn build(config: &mut Config, _: &dyn Scripts) -> Result<Box<dyn ResponseProcessor>> {
    Ok(Box::new(Collapse { field: config.text("field")? }))
}

impl ResponseProcessor for Collapse {
    fn begin(&self, answered: &Answered, _: &Attributes) -> Result<Pass> {
        let field = &self.field;
        match answered.collapsed_by {
            Some(by) => {
                let reason = format!("Cannot collapse on {field}. Results already collapsed on {by}");
                Err(Error::new(ErrorKind::IllegalState, reason))
            }
            None => {
                let (copied, collapses_by) = (answered.copied, Some(field.clone()));
                Ok(Pass { makes_anew: true, copied, collapses_by, ..Pass::visiting() })
            }
        }
    }

    fn visit(&self, hit: &mut Hit, pass: &mut Pass) -> Result<bool> {
        let field = &self.field;
        let value = match hit.field(field) {
            Some([one]) => Some(one),
            Some(values) if values.len() > 1 => {
                let reason = format!("Failed to collapse {}: doc has multiple values for field {field}", hit.id());
                return Err(Error::new(ErrorKind::IllegalState, reason));
            }
            _ => hit.source(field),
        };
        let text = match value {
            None | Some(Value::Null) => "__missing__".to_owned(),
            // Groups by lists and objects can be told, but not copied.
            Some(value @ (Value::Array(_) | Value::Object(_))) if pass.copied => {
                let class = java_class(value);
                return Err(Error::illegal_argument(format!("Can't handle sort field value of type [class {class}]")));
            }
            Some(value) => java_text(value),
        };
        Ok(pass.seen.insert(text))
    }
}
