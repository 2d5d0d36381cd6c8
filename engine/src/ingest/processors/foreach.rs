//! `foreach`: a processor for each item of a list, which it finds under `_ingest._value`.

use super::super::compile::Compiler;
use super::super::config::{Config, not_castable};
use super::super::processor::{Foreach, Work};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Value, java_class};

pub fn build(config: &mut Config, compiler: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("field")?;
    let ignore_missing = config.flag("ignore_missing", false)?;
    let mut entries = config.object("processor")?.entries.into_iter();
    match (entries.next(), entries.next()) {
        (Some(entry), None) => {
            match &entry.value {
                Value::Object(_) => {}
                Value::Null => {
                    let reason = format!("expect the config of processor [{}] to be map, but is null", entry.key);
                    return Err(Error::new(ErrorKind::Parse, reason));
                }
                other => return Err(not_castable(java_class(other), "java.util.Map")),
            }
            let step = compiler.step(&entry.key, entry.value)?;
            Ok(Work::Foreach(Box::new(Foreach { field, ignore_missing, step })))
        }
        _ => Err(config.property("processor", "Must specify exactly one processor type")),
    }
}
