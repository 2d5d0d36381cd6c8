//! `fail`: an error of one's own.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::super::template::Template;
use crate::error::{Error, ErrorKind, Result};

struct Fail(Template);

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    Ok(Work::Simple(Box::new(Fail(config.template("message")?))))
}

impl Processor for Fail {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        Err(Error::new(ErrorKind::FailProcessor, self.0.render(doc)?))
    }
}
