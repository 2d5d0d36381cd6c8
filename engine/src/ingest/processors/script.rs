//! `script`: changes by a script.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::super::script::Change;
use crate::error::Result;

struct Script(Change);

pub fn build(config: &mut Config, compiler: &mut Compiler<'_>) -> Result<Work> {
    Ok(Work::Simple(Box::new(Script(Change::parse(config.take_rest(), compiler.scripts)?))))
}

impl Processor for Script {
    fn run(&self, doc: &mut Document, now_ms: i64) -> Result<()> {
        self.0.run(doc, now_ms)
    }
}
