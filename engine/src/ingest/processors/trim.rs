//! `trim`: without white space and control characters at both ends.

use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::Work;
use super::string;
use crate::error::Result;
use crate::json::Value;

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    string::build(config, |text| Ok(Value::from(text.trim_matches(|c| c <= ' '))))
}
