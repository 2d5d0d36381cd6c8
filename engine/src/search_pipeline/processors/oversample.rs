//! `oversample`: more hits than were asked for, of which later steps choose.

use super::super::run::{Attributes, attribute_name};
use super::super::step::RequestProcessor;
use crate::error::Result;
use crate::ingest::{Config, Scripts};
use crate::json::Value;
use crate::search::SearchRequest;

struct Oversample {
    factor: f64,
    attribute: String,
}

pub fn build(config: &mut Config, _: &dyn Scripts) -> Result<Box<dyn RequestProcessor>> {
    let factor = config.double("sample_factor")?;
    // Not a number is none of them either, as Java compares it.
    if factor < 1.0 {
        return Err(config.property("sample_factor", "Value must be >= 1.0"));
    }
    let prefix = config.text_opt("context_prefix")?;
    Ok(Box::new(Oversample { factor, attribute: attribute_name(prefix.as_deref(), "original_size") }))
}

impl RequestProcessor for Oversample {
    fn change(&self, request: &mut SearchRequest, attributes: &mut Attributes, _: i64) -> Result<()> {
        let size = request.size;
        attributes.insert(&self.attribute, i64::try_from(size).unwrap_or(i64::MAX));
        // Beyond the largest number of Java's there is nothing more, and windows are bounded anyway.
        let wanted = (size as f64 * self.factor).ceil().clamp(0.0, f64::from(i32::MAX));
        request.size = wanted as usize;
        request.show("size", |_| Value::Int(wanted as i64));
        Ok(())
    }
}
