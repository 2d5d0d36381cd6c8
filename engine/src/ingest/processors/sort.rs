//! `sort`: the items of a list in order.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::{Config, not_castable};
use super::super::processor::{Processor, Work};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Value, java_class};
use std::cmp::Ordering;

struct Sort {
    field: String,
    target: String,
    descending: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
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
    Ok(Work::Simple(Box::new(Sort { field, target, descending })))
}

impl Processor for Sort {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let Some(items) = doc.list(&self.field, false)? else {
            return Err(Error::illegal_argument(format!("field [{}] is null, cannot sort.", self.field)));
        };
        if items.len() > 1 {
            check(items, self.descending)?;
        }
        let mut items = items.to_vec();
        items.sort_by(|a, b| if self.descending { order(b, a) } else { order(a, b) });
        doc.set(&self.target, Value::Array(items))
    }
}

/// Only items of one class can be compared.
fn check(items: &[Value], descending: bool) -> Result<()> {
    // Ascending, the second is compared with the first; descending, both are cast before.
    let cast = if descending { vec![&items[1], &items[0]] } else { vec![&items[1]] };
    if let Some(other) = cast.into_iter().find(|item| matches!(item, Value::Array(_) | Value::Object(_))) {
        return Err(not_castable(java_class(other), "java.lang.Comparable"));
    }
    let class = java_class(&items[0]);
    // Items are compared with those before them, in turn.
    let Some(first) = items.iter().position(|item| item.is_null() || java_class(item) != class) else { return Ok(()) };
    let other = java_class(&items[first]);
    Err(match &items[first] {
        Value::Null => Error::new(ErrorKind::NullPointer, null_met(items, first, descending)),
        Value::Array(_) | Value::Object(_) => not_castable(other, "java.lang.Comparable"),
        _ if descending => not_castable(other, class),
        _ => not_castable(class, other),
    })
}

/// What the reference says when it meets the first null: the second item is compared with the first one first, in descending order
/// the first with the second.
fn null_met(items: &[Value], first: usize, descending: bool) -> String {
    let compared_with = match (descending, first) {
        (false, 0) => &items[1],
        (true, 1..) => &items[first - 1],
        _ => &Value::Null,
    };
    let other = match compared_with {
        Value::String(_) => "anotherString",
        Value::Bool(_) => "b",
        Value::Float(_) => "anotherDouble",
        number @ Value::Int(_) if java_class(number) == "java.lang.Long" => "anotherLong",
        Value::Int(_) => "anotherInteger",
        _ => {
            let none = if descending { "c2" } else { "a[runHi]" };
            return format!("Cannot invoke \"java.lang.Comparable.compareTo(Object)\" because \"{none}\" is null");
        }
    };
    format!("Cannot read field \"value\" because \"{other}\" is null")
}

/// Texts go by their UTF-16 units, as Java's do.
pub(crate) fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.encode_utf16().cmp(b.encode_utf16()),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        _ => a.as_f64().unwrap_or(0.0).total_cmp(&b.as_f64().unwrap_or(0.0)),
    }
}
