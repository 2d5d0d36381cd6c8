//! `html_strip`: without the tags of HTML, by the character filter of that name.

use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::Work;
use super::string;
use crate::analysis;
use crate::error::Result;
use crate::json::Value;

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    string::build(config, |text| Ok(Value::String(analysis::strip_html(text))))
}
