//! `date`: a date as the formats say, into a field, as the reference writes dates.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::super::template::Template;
use super::date_input::{Clock, DateInput, read_date};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::check_locale;
use crate::mapping::date::DateFormat;

struct Date {
    field: String,
    target: String,
    inputs: Vec<DateInput>,
    timezone: Option<Template>,
    locale: Option<Template>,
    output: DateFormat,
}

const OUTPUT_FORMAT: &str = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX";

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("field")?;
    let target = config.text_or("target_field", "@timestamp")?;
    let timezone = config.template_opt("timezone")?;
    let locale = config.template_opt("locale")?;
    let formats = config.texts("formats")?;
    let output = config.text_or("output_format", OUTPUT_FORMAT)?;
    let output = DateFormat::parse(&output)
        .map_err(|cause| Error::illegal_argument(format!("invalid output format [{output}]")).caused_by(cause))?;
    let inputs = formats.iter().map(|format| DateInput::new(format)).collect::<Result<_>>()?;
    Ok(Work::Simple(Box::new(Date { field, target, inputs, timezone, locale, output })))
}

impl Processor for Date {
    fn run(&self, doc: &mut Document, now_ms: i64) -> Result<()> {
        let clock = match &self.timezone {
            Some(name) => Clock::of(Some(&name.render(doc)?)),
            None => Clock::of(None),
        };
        let locale = match &self.locale {
            Some(locale) => locale.render(doc)?,
            None => String::new(),
        };
        let value = doc.get(&self.field)?;
        let of_language = clock.clone().and_then(|clock| check_locale(&locale).map(|_| clock));
        let (ms, named) = read_date(&self.inputs, value, of_language, &locale, now_ms)?;
        let text = self.output.format(ms, &named.unwrap_or(clock?.zone));
        doc.set(&self.target, Value::String(text))
    }
}
