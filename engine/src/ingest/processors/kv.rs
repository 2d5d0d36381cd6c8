//! `kv`: `a=1 b=2` to fields.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::pattern::Pattern;
use super::super::processor::{Processor, Work};
use super::super::template::Template;
use crate::error::{Error, Result};
use crate::json::Value;

struct Kv {
    field: Template,
    /// Expressions that are none are an error of each document.
    field_split: Result<Pattern>,
    value_split: Result<Pattern>,
    value_split_text: String,
    include_keys: Option<Vec<String>>,
    exclude_keys: Vec<String>,
    target: Option<Template>,
    ignore_missing: bool,
    trim_key: Option<String>,
    trim_value: Option<String>,
    strip_brackets: bool,
    prefix: String,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.template("field")?;
    let target = config.template_opt("target_field")?;
    let field_split = Pattern::new(&config.text("field_split")?);
    let value_split_text = config.text("value_split")?;
    Ok(Work::Simple(Box::new(Kv {
        field,
        target,
        field_split,
        value_split: Pattern::new(&value_split_text),
        value_split_text,
        trim_key: config.text_opt("trim_key")?,
        trim_value: config.text_opt("trim_value")?,
        strip_brackets: config.flag("strip_brackets", false)?,
        prefix: config.text_or("prefix", "")?,
        include_keys: config.texts_opt("include_keys")?,
        exclude_keys: config.texts_opt("exclude_keys")?.unwrap_or_default(),
        ignore_missing: config.flag("ignore_missing", false)?,
    })))
}

impl Processor for Kv {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let field = self.field.render(doc)?;
        if !doc.has(&field)? {
            return match self.ignore_missing {
                true => Ok(()),
                false => Err(Error::illegal_argument(format!("field [{field}] doesn't exist"))),
            };
        }
        let Some(text) = doc.text(&field, self.ignore_missing)? else {
            return match self.ignore_missing {
                true => Ok(()),
                false => {
                    let reason = format!("field [{field}] is null, cannot extract key-value pairs. ");
                    Err(Error::illegal_argument(reason))
                }
            };
        };
        let pairs = self.pairs(&field, text)?;
        let target = match &self.target {
            Some(target) => format!("{}.", target.render(doc)?),
            None => String::new(),
        };
        for (key, value) in pairs {
            let path = format!("{target}{}{key}", self.prefix);
            match doc.has(&path)? {
                true => doc.append(&path, value, true)?,
                false => doc.set(&path, value)?,
            }
        }
        Ok(())
    }
}

impl Kv {
    fn pairs(&self, field: &str, text: &str) -> Result<Vec<(String, Value)>> {
        let field_split = self.field_split.as_ref().map_err(Clone::clone)?;
        let value_split = self.value_split.as_ref().map_err(Clone::clone)?;
        let mut pairs = vec![];
        for part in field_split.split(text, 0)? {
            let [key, value] = value_split.split(part, 2)?[..] else {
                return Err(Error::illegal_argument(format!(
                    "field [{field}] does not contain value_split [{}]",
                    self.value_split_text
                )));
            };
            let key = trimmed(key, self.trim_key.as_deref());
            let wanted = self.include_keys.as_ref().is_none_or(|keys| keys.iter().any(|wanted| wanted == key));
            if !wanted || self.exclude_keys.iter().any(|unwanted| unwanted == key) {
                continue;
            }
            let mut value = trimmed(value, self.trim_value.as_deref());
            if self.strip_brackets {
                value = unwrapped(value);
            }
            pairs.push((key.to_owned(), Value::from(value)));
        }
        Ok(pairs)
    }
}

/// Without the characters at both ends.
fn trimmed<'t>(text: &'t str, characters: Option<&str>) -> &'t str {
    match characters {
        Some(characters) => text.trim_matches(|c| characters.contains(c)),
        None => text,
    }
}

/// Without brackets or quotes at both ends.
fn unwrapped(text: &str) -> &str {
    let text = text.strip_prefix(['(', '[', '<', '"', '\'']).unwrap_or(text);
    text.strip_suffix([')', ']', '>', '"', '\'']).unwrap_or(text)
}
