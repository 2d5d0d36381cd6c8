//! `kv`: `a=1 b=2` to fields.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::{Config, parse_template};
use super::super::pattern::Pattern;
use super::super::processor::{Processor, Work};
use super::super::template::Template;
use crate::error::{Error, Result};
use crate::json::Value;
use ahash::AHashSet;

struct Kv {
    field: Template,
    /// Expressions that are none are an error of each document.
    field_split: Result<Pattern>,
    value_split: Result<Pattern>,
    value_split_text: String,
    include_keys: Option<AHashSet<String>>,
    exclude_keys: AHashSet<String>,
    target: Option<Template>,
    ignore_missing: bool,
    trim_key: Option<Result<Pattern>>,
    trim_value: Option<Result<Pattern>>,
    strip_brackets: bool,
    prefix: String,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.template("field")?;
    let target = config.text_opt("target_field")?.filter(|target| !target.is_empty());
    let target = target.map(|target| parse_template("target_field", &target)).transpose()?;
    let field_split = Pattern::new(&config.text("field_split")?);
    let value_split_text = config.text("value_split")?;
    Ok(Work::Simple(Box::new(Kv {
        field,
        target,
        field_split,
        value_split: Pattern::new(&value_split_text),
        value_split_text,
        trim_key: config.text_opt("trim_key")?.map(ends),
        trim_value: config.text_opt("trim_value")?.map(ends),
        prefix: config.text_or("prefix", "")?,
        strip_brackets: config.flag("strip_brackets", false)?,
        include_keys: config.list_opt("include_keys")?.map(texts),
        exclude_keys: config.list_opt("exclude_keys")?.map(texts).unwrap_or_default(),
        ignore_missing: config.flag("ignore_missing", false)?,
    })))
}

/// What is no text is no key of anything.
fn texts(items: Vec<Value>) -> AHashSet<String> {
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Processor for Kv {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        // What to trim is read before the document is looked at.
        for ends in [&self.trim_key, &self.trim_value].into_iter().flatten() {
            ends.as_ref().map_err(Clone::clone)?;
        }
        let field = self.field.render(doc)?;
        if field.is_empty() || !doc.has_within_bounds(&field)? {
            return match self.ignore_missing {
                true => Ok(()),
                false if field.is_empty() => Err(Error::illegal_argument("field path cannot be null nor empty")),
                false => Err(Error::illegal_argument(format!("field [{field}] doesn't exist"))),
            };
        }
        let Some(text) = doc.text(&field, self.ignore_missing)?.map(str::to_owned) else {
            return match self.ignore_missing {
                true => Ok(()),
                false => {
                    let reason = format!("field [{field}] is null, cannot extract key-value pairs. ");
                    Err(Error::illegal_argument(reason))
                }
            };
        };
        let field_split = self.field_split.as_ref().map_err(Clone::clone)?;
        let target = match &self.target {
            Some(target) => target.render(doc)?,
            None => String::new(),
        };
        let target = if target.is_empty() { target } else { format!("{target}.") };
        // What comes before a part that is no pair is written, or fails, before that is seen.
        for part in field_split.split(&text, 0)? {
            let Some((key, value)) = self.pair(&field, part)? else { continue };
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
    /// The key and value of a part, unless the key is not wanted.
    fn pair(&self, field: &str, part: &str) -> Result<Option<(String, Value)>> {
        let value_split = self.value_split.as_ref().map_err(Clone::clone)?;
        let [key, value] = value_split.split(part, 2)?[..] else {
            return Err(Error::illegal_argument(format!(
                "field [{field}] does not contain value_split [{}]",
                self.value_split_text
            )));
        };
        let key = trimmed(key, self.trim_key.as_ref())?;
        let wanted = self.include_keys.as_ref().is_none_or(|keys| keys.contains(&key));
        if !wanted || self.exclude_keys.contains(&key) {
            return Ok(None);
        }
        let value = trimmed(value, self.trim_value.as_ref())?;
        let value = if self.strip_brackets { unwrapped(&value) } else { &value };
        Ok(Some((key, Value::from(value))))
    }
}

/// What matches the characters of a class at both ends. A class that is none is an error of each document.
fn ends(characters: String) -> Result<Pattern> {
    Pattern::new(&format!("(^([{characters}]+))|([{characters}]+$)"))
}

fn trimmed(text: &str, ends: Option<&Result<Pattern>>) -> Result<String> {
    match ends {
        Some(ends) => ends.as_ref().map_err(Clone::clone)?.replace_all(text, ""),
        None => Ok(text.to_owned()),
    }
}

/// Without brackets or quotes at both ends.
fn unwrapped(text: &str) -> &str {
    let text = text.strip_prefix(['(', '[', '<', '"', '\'']).unwrap_or(text);
    text.strip_suffix([')', ']', '>', '"', '\'']).unwrap_or(text)
}
