//! The terms of a document as term vectors would hold them.

use crate::error::Result;
use crate::json::Value;
use crate::mapping::{Family, Field};
use crate::query::PlanContext;
use crate::search::analyzer_named_for;
use std::sync::Arc;

/// A document, and how its texts are taken apart.
pub struct Document<'a> {
    pub source: &'a Value,
    /// What fields of metadata have.
    pub metadata: &'a Value,
    /// Fields, and the analyzers that count for them instead of their own.
    pub analyzers: &'a [(String, String)],
}

impl Document<'_> {
    /// Calls `found` with each term, as often as it stands there. `names` may be patterns; none at all mean all fields.
    pub fn terms(&self, cx: &PlanContext, names: &[String], mut found: impl FnMut(&Arc<str>, &str)) -> Result<()> {
        let mut fields: Vec<&Field> = vec![];
        let all = ["*".to_owned()];
        for name in if names.is_empty() { &all[..] } else { names } {
            for field in cx.mapping.matching(name) {
                if field.has_words() && !fields.iter().any(|known| known.id == field.id) {
                    fields.push(field);
                }
            }
        }
        for field in fields {
            let mut values = vec![];
            if matches!(field.family(), Family::Ignored | Family::Routing) {
                collect(self.metadata, &field.name, &mut values);
                // Names of fields have no analyzer of their own, and so that of the index takes them apart.
                let analyzer = (field.family() == Family::Ignored).then(|| cx.mapping.analysis().default_analyzer());
                for value in values {
                    match &analyzer {
                        Some(analyzer) => {
                            analyzer.tokens(&value).iter().for_each(|token| found(&field.name, &token.text));
                        }
                        None => found(&field.name, &value),
                    }
                }
                continue;
            }
            // A multi-field has the values of the field above it.
            let mut path = &*field.name;
            loop {
                collect(self.source, path, &mut values);
                let parent = path.rsplit_once('.').map(|(parent, _)| parent);
                match parent {
                    Some(parent) if values.is_empty() && cx.field(parent).is_some() => path = parent,
                    _ => break,
                }
            }
            let named = analyzer_named_for(field, self.analyzers, cx.mapping);
            for value in values {
                match &named {
                    Some(analyzer) => {
                        analyzer.tokens(&value).iter().for_each(|token| found(&field.name, &token.text));
                    }
                    None => add(field, &value, &mut found),
                }
            }
        }
        Ok(())
    }
}

fn add(field: &Field, value: &str, found: &mut impl FnMut(&Arc<str>, &str)) {
    if matches!(field.family(), Family::Keyword | Family::Join) {
        let too_long = field.ignore_above().is_some_and(|most| value.encode_utf16().count() > most as usize);
        if !too_long {
            match field.normalizer() {
                Some(normalizer) => found(&field.name, &normalizer.normalize(value)),
                None => found(&field.name, value),
            }
        }
        return;
    }
    if let Some(analyzer) = field.index_analyzer() {
        analyzer.tokens(value).iter().for_each(|token| found(&field.name, &token.text));
    }
}

/// The scalars at a dotted path, through arrays.
fn collect(value: &Value, path: &str, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, path, out)),
        Value::Object(map) => {
            for entry in &map.entries {
                if &*entry.key == path {
                    scalars(&entry.value, out);
                } else if let Some(rest) = path.strip_prefix(&*entry.key).and_then(|rest| rest.strip_prefix('.')) {
                    collect(&entry.value, rest, out);
                }
            }
        }
        _ => {}
    }
}

fn scalars(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| scalars(item, out)),
        Value::Object(_) | Value::Null => {}
        scalar => out.push(scalar.to_text()),
    }
}
