//! `drop`: the document is not indexed.

use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::Work;
use crate::error::Result;

pub fn build(_: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    Ok(Work::Drop)
}
