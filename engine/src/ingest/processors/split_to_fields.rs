//! `split_to_fields`: the parts of a text, each into a field of its own.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::split::Splitter;
use crate::error::Result;

struct SplitToFields {
    splitter: Splitter,
    targets: Vec<String>,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let splitter = Splitter::read(config)?;
    let targets = config.texts("target_fields")?;
    Ok(Work::Simple(Box::new(SplitToFields { splitter, targets })))
}

impl Processor for SplitToFields {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let parts = self.splitter.parts(doc)?.unwrap_or_default();
        for (target, part) in self.targets.iter().zip(parts) {
            doc.set(target, part)?;
        }
        Ok(())
    }
}
