//! `sort`: the items of a list in order.

use super::super::hits::{Answered, Hit, Pass};
use super::super::run::Attributes;
use super::super::step::ResponseProcessor;
use crate::error::{Error, Result};
use crate::ingest::{Config, Scripts, java_item_order, not_castable};
use crate::json::{Value, java_class};

struct Sort {
    field: String,
    target: String,
    descending: bool,
}

pub fn build(config: &mut Config, _: &dyn Scripts) -> Result<Box<dyn ResponseProcessor>> {
    let field = config.text("field")?;
    let target = config.text_or("target_field", &field)?;
    let descending = match config.text_or("order", "asc")?.as_str() {
        "asc" => false,
        "desc" => true,
        other => {
            let reason = format!("Sort direction [{other}] not recognized. Valid values are: [asc, desc]");
            return Err(config.property("order", &reason));
        }
    };
    Ok(Box::new(Sort { field, target, descending }))
}

impl Sort {
    fn sorted(&self, items: &[Value]) -> Result<Vec<Value>> {
        for item in items {
            match item {
                Value::Null => {
                    let reason = format!("field [{}] contains a null value.]", self.field);
                    return Err(Error::illegal_argument(reason));
                }
                Value::Array(_) | Value::Object(_) => {
                    let class = java_class(item);
                    let reason = format!("field [{}] of type [{class}] is not comparable.]", self.field);
                    return Err(Error::illegal_argument(reason));
                }
                _ => {}
            }
        }
        if let Some([first, other]) = items
            .windows(2)
            .find(|pair| java_class(&pair[0]) != java_class(&pair[1]))
            .and_then(|pair| pair.first_chunk())
        {
            return Err(not_castable(java_class(first), java_class(other)));
        }
        let mut items = items.to_vec();
        items.sort_by(|a, b| if self.descending { java_item_order(b, a) } else { java_item_order(a, b) });
        Ok(items)
    }
}

impl ResponseProcessor for Sort {
    fn begin(&self, _: &Answered, _: &Attributes) -> Result<Pass> {
        Ok(Pass::visiting())
    }

    fn visit(&self, hit: &mut Hit, _: &mut Pass) -> Result<bool> {
        if let Some(values) = hit.field(&self.field) {
            let sorted = self.sorted(values)?;
            hit.set_field(&self.target, sorted);
        }
        let sorted = match hit.source(&self.field) {
            None => return Ok(true),
            Some(Value::Array(items)) => Some(self.sorted(items)?),
            Some(_) => None,
        };
        hit.change_source(|source| {
            if let Some(sorted) = sorted {
                source.insert(&self.target, Value::Array(sorted));
            }
        });
        Ok(true)
    }
}
