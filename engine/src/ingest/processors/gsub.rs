//! `gsub`: matches of a regular expression replaced.

use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::pattern::Pattern;
use super::super::processor::Work;
use super::string;
use crate::error::Result;
use crate::json::Value;

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    string::build_with(config, |config| {
        let text = config.text("pattern")?;
        let pattern = Pattern::new(&text)
            .map_err(|error| config.property("pattern", &format!("Invalid regex pattern. {}", error.reason())))?;
        let replacement = config.text("replacement")?;
        Ok(move |text: &str| pattern.replace_all(text, &replacement).map(Value::String))
    })
}
