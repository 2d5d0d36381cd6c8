//! `json`: a text of JSON to what it says.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_hashed_text;
use crate::json::{Value, parse_prefix};

struct Json {
    field: String,
    target: String,
    add_to_root: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("field")?;
    let target = config.text_opt("target_field")?;
    let add_to_root = config.flag("add_to_root", false)?;
    if add_to_root && target.is_some() {
        let reason = "Cannot set a target field while also setting `add_to_root` to true";
        return Err(config.property("target_field", reason));
    }
    let target = target.unwrap_or_else(|| field.clone());
    Ok(Work::Simple(Box::new(Json { field, target, add_to_root })))
}

/// Reads a text; what comes after the first value is passed over. Nothing stands for null.
pub fn parse(text: &str) -> Result<Value> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    match parse_prefix(text.as_bytes()) {
        Ok((Value::BigInt(_) | Value::UInt(_), _)) => {
            Err(Error::illegal_argument("unexpected value type [class java.math.BigInteger]"))
        }
        Ok((value, _)) => Ok(value),
        Err(error) => {
            let class = match error.kind() {
                ErrorKind::JsonEof => "UnexpectedEndOfInputException",
                _ => "JsonParseException",
            };
            let reason = format!("org.opensearch.tools.jackson.core.{class}: {}", error.reason());
            Err(Error::illegal_argument(reason).caused_by(error))
        }
    }
}

impl Processor for Json {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let value = match doc.get_or_none(&self.field, self.add_to_root)? {
            None | Some(Value::Null) => Value::Null,
            Some(value) => parse(&java_hashed_text(value))?,
        };
        if !self.add_to_root {
            return doc.set(&self.target, value);
        }
        let Value::Object(map) = value else {
            return Err(Error::illegal_argument("cannot add non-map fields to root of document"));
        };
        for entry in map.entries {
            doc.root_mut().insert(entry.key, entry.value);
        }
        Ok(())
    }
}
