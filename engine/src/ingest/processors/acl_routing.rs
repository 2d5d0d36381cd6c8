//! `acl_routing`: documents with the same access list to the same shard.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use crate::error::{Error, Result};
use crate::java_order::java_hashed_text;
use crate::json::Value;
use crate::murmur3::hash128;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

struct AclRouting {
    field: String,
    target: String,
    ignore_missing: bool,
    override_existing: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    Ok(Work::Simple(Box::new(AclRouting {
        field: config.text("acl_field")?,
        target: config.text_or("target_field", "_routing")?,
        ignore_missing: config.flag("ignore_missing", false)?,
        override_existing: config.flag("override_existing", true)?,
    })))
}

impl Processor for AclRouting {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let field = &self.field;
        let Some(value) = doc.get_or_none(field, true)? else {
            if self.ignore_missing {
                return Ok(());
            }
            let reason = format!("field [{field}] not present as part of path [{field}]");
            return Err(Error::illegal_argument(reason));
        };
        if !self.override_existing && doc.get_or_none(&self.target, true)?.is_some() {
            return Ok(());
        }
        let routing = acl_routing_value(&java_hashed_text(value));
        doc.set(&self.target, Value::String(routing))
    }
}

/// The routing of what an access list lets through.
pub(crate) fn acl_routing_value(text: &str) -> String {
    let (high, low) = hash128(text.as_bytes());
    URL_SAFE_NO_PAD.encode([high.to_be_bytes(), low.to_be_bytes()].concat())
}
