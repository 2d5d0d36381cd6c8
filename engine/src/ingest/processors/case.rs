//! `lowercase` and `uppercase`.

use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::Work;
use super::string;
use crate::error::Result;
use crate::json::Value;

pub fn build_lower(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    string::build(config, |text| Ok(Value::String(text.to_lowercase())))
}

pub fn build_upper(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    string::build(config, |text| Ok(Value::String(text.to_uppercase())))
}
