//! `foreach`: a processor for each item of a list, which it finds under `_ingest._value`.

use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Foreach, Work};
use crate::error::Result;

pub fn build(config: &mut Config, compiler: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("field")?;
    let ignore_missing = config.flag("ignore_missing", false)?;
    let mut entries = config.object("processor")?.entries.into_iter();
    match (entries.next(), entries.next()) {
        (Some(entry), None) => {
            let step = compiler.step(&entry.key, entry.value)?;
            Ok(Work::Foreach(Box::new(Foreach { field, ignore_missing, step })))
        }
        _ => Err(config.property("processor", "Must specify exactly one processor type")),
    }
}
