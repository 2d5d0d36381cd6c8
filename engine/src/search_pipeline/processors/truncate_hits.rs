//! `truncate_hits`: the first hits alone.

use super::super::hits::{Answered, Pass};
use super::super::run::{Attributes, attribute_name, whole_attribute};
use super::super::step::ResponseProcessor;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{Config, Scripts};

struct TruncateHits {
    target_size: Option<usize>,
    attribute: String,
}

pub fn build(config: &mut Config, _: &dyn Scripts) -> Result<Box<dyn ResponseProcessor>> {
    let target_size = match config.int_opt("target_size")? {
        Some(size) => match usize::try_from(size) {
            Ok(size) => Some(size),
            Err(_) => return Err(config.property("target_size", "Value must be >= 0")),
        },
        None => None,
    };
    let prefix = config.text_opt("context_prefix")?;
    Ok(Box::new(TruncateHits { target_size, attribute: attribute_name(prefix.as_deref(), "original_size") }))
}

impl ResponseProcessor for TruncateHits {
    fn begin(&self, _: &Answered, attributes: &Attributes) -> Result<Pass> {
        match self.target_size.or_else(|| whole_attribute(attributes, &self.attribute)) {
            Some(size) => Ok(Pass { most: Some(size), ..Pass::default() }),
            None => Err(Error::new(
                ErrorKind::IllegalState,
                format!("Must specify target_size unless an earlier processor set {}", self.attribute),
            )),
        }
    }
}
