//! `grok`: fields out of a text by named patterns.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::{Config, not_castable};
use super::super::grok::Grok as Expression;
use super::super::processor::{Processor, Work};
use crate::error::{Error, Result};
use crate::java_order::java_hashed_text;
use crate::json::{Map, Value, java_class};
use std::collections::BTreeMap;

/// What the captures are called that tell which expression matched.
const INDEX_FIELD: &str = "_ingest._grok_match_index";

struct Grok {
    field: String,
    expression: Expression,
    ignore_missing: bool,
    trace_match: bool,
    capture_all: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("field")?;
    let patterns = config.list("patterns")?;
    let trace_match = config.flag("trace_match", false)?;
    let ignore_missing = config.flag("ignore_missing", false)?;
    let capture_all = config.flag("capture_all_matches", false)?;
    if patterns.is_empty() {
        return Err(config.property("patterns", "List of patterns must not be empty"));
    }
    let own = config.object_opt("pattern_definitions")?.unwrap_or_default();
    let expression = patterns.iter().map(expression_text).collect::<Result<Vec<_>>>();
    let expression =
        expression.and_then(|patterns| Expression::new(&combined(&patterns, trace_match), &definitions(&own)?));
    let expression = expression.map_err(|error| {
        let (patterns, reason) = (java_hashed_text(&Value::Array(patterns)), in_other_words(error.reason()));
        config.property("patterns", &format!("Invalid regex pattern found in: {patterns}. {reason}"))
    })?;
    Ok(Work::Simple(Box::new(Grok { field, expression, ignore_missing, trace_match, capture_all })))
}

/// Patterns of one's own by name. One that is no text is told of wherever it stands.
fn definitions(own: &Map) -> Result<BTreeMap<String, String>> {
    let texts = own.iter().map(|(name, pattern)| match pattern {
        Value::String(text) => Ok((name.to_owned(), text.to_string())),
        Value::Null => Err(Error::illegal_argument("Cannot invoke \"String.length()\" because \"pattern\" is null")),
        other => Err(not_castable(java_class(other), "java.lang.String")),
    });
    texts.collect()
}

fn expression_text(value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.to_string()),
        Value::Null => {
            let reason = "Cannot invoke \"String.getBytes(java.nio.charset.Charset)\" because \"grokPattern\" is null";
            Err(Error::illegal_argument(reason))
        }
        other => Err(not_castable(java_class(other), "java.lang.String")),
    }
}

/// What our library for expressions says of one, and what the reference's does.
const WORDS: [(&str, &str); 6] = [
    ("Opening parenthesis without closing parenthesis", "end pattern with unmatched parenthesis"),
    ("General parsing error: end of string not reached", "unmatched close parenthesis"),
    ("Invalid character class", "premature end of char-class"),
    ("Target of repeat operator is invalid", "target of repeat operator is not specified"),
    ("Backslash without following character", "end pattern at escape"),
    ("Unknown group flag", "undefined group option"),
];

fn in_other_words(reason: &str) -> &str {
    WORDS.iter().find(|(ours, _)| reason.contains(ours)).map_or(reason, |(_, theirs)| theirs)
}

/// The expressions as alternatives of one.
fn combined(patterns: &[String], trace_match: bool) -> String {
    let part = |(at, pattern): (usize, &String)| match trace_match {
        true => format!("(?<{INDEX_FIELD}.{at}>{pattern})"),
        false => format!("(?:{pattern})"),
    };
    match patterns {
        [one] => one.clone(),
        many => many.iter().enumerate().map(part).collect::<Vec<_>>().join("|"),
    }
}

impl Processor for Grok {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let Some(text) = doc.text(&self.field, self.ignore_missing)? else {
            if self.ignore_missing {
                return Ok(());
            }
            return Err(Error::illegal_argument(format!("field [{}] is null, cannot process it.", self.field)));
        };
        let Some(captured) = self.expression.captures(text, self.capture_all)? else {
            return Err(Error::illegal_argument(format!(
                "Provided Grok expressions do not match field value: [{text}]"
            )));
        };
        let mut index = "0".to_owned();
        for (name, value) in captured {
            match name.strip_prefix(INDEX_FIELD).and_then(|rest| rest.strip_prefix('.')) {
                Some(at) => index = at.to_owned(),
                None => doc.set(name, value)?,
            }
        }
        if self.trace_match { doc.set(INDEX_FIELD, Value::String(index)) } else { Ok(()) }
    }
}
