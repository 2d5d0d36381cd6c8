//! `date_index_name`: the index by a date of the document, in date math.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::super::template::Template;
use super::date_input::{Clock, DateInput, read_date};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::date::DateFormat;

struct DateIndexName {
    field: String,
    inputs: Vec<DateInput>,
    clock: Clock,
    zone_name: String,
    locale: String,
    prefix: Template,
    rounding: Template,
    format: Template,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let locale = config.text_or("locale", "en")?;
    if !is_language_tag(&locale) {
        return Err(Error::illegal_argument(format!("Invalid language tag specified: {locale}")));
    }
    let zone_name = config.text_opt("timezone")?;
    let clock = Clock::of(zone_name.as_deref())?;
    let zone_name = zone_name.unwrap_or_else(|| "UTC".to_owned());
    let formats = config.texts_opt("date_formats")?.unwrap_or_else(|| vec!["yyyy-MM-dd'T'HH:mm:ss.SSSXX".to_owned()]);
    let inputs = formats.iter().map(|format| DateInput::new(format)).collect::<Result<Vec<_>>>()?;
    if let Some(error) = inputs.iter().find_map(DateInput::mistake) {
        let reason = format!("java.lang.IllegalArgumentException: {}", error.reason());
        return Err(config.named(Error::new(ErrorKind::General, reason).caused_by(error.clone())));
    }
    let field = config.text("field")?;
    let prefix = config.template_or("index_name_prefix", "")?;
    let rounding = config.template("date_rounding")?;
    let format = config.template_or("index_name_format", "yyyy-MM-dd")?;
    let name = DateIndexName { field, inputs, clock, zone_name, locale, prefix, rounding, format };
    Ok(Work::Simple(Box::new(name)))
}

/// Whether the form of a locale is that of BCP 47.
fn is_language_tag(tag: &str) -> bool {
    let part = |part: &str| matches!(part.len(), 1..=8) && part.bytes().all(|c| c.is_ascii_alphanumeric());
    let language = tag.split('-').next().unwrap_or_default();
    let named = language.len() > 1 && language.bytes().all(|c| c.is_ascii_alphabetic());
    tag.split('-').all(part) && (named || matches!(language, "x" | "i"))
}

impl Processor for DateIndexName {
    fn run(&self, doc: &mut Document, now_ms: i64) -> Result<()> {
        let clock = Ok(self.clock.clone());
        let (ms, named) = read_date(&self.inputs, doc.get(&self.field)?, clock, &self.locale, now_ms)?;
        let (prefix, format, rounding) =
            (self.prefix.render(doc)?, self.format.render(doc)?, self.rounding.render(doc)?);
        let date = DateFormat::parse(&format)?.format(ms, named.as_ref().unwrap_or(&self.clock.zone));
        let zone = &self.zone_name;
        let name = format!("<{prefix}{{{date}||/{rounding}{{{format}|{zone}}}}}>");
        doc.set("_index", Value::String(name))
    }
}
