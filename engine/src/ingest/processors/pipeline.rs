//! `pipeline`: runs another pipeline.

use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::Work;
use crate::error::Result;

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    Ok(Work::Pipeline(config.template("name")?))
}
