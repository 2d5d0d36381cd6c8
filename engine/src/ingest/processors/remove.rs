//! `remove`: fields that are named, or all but those.

use super::super::compile::Compiler;
use super::super::config::{Config, parse_template, texts_of};
use super::super::processor::{Processor, Work};
use super::super::template::Template;
use super::super::{Document, METADATA};
use crate::error::{Error, Result};
use crate::json::{Value, java_text};
use ahash::AHashSet;

enum Remove {
    These { fields: Vec<Template>, ignore_missing: bool },
    Others { fields: Vec<Template> },
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let (these, others) = (config.take("field"), config.take("exclude_field"));
    if these.is_some() == others.is_some() {
        return Err(config.property("field", "either field or exclude_field must be set"));
    }
    let ignore_missing = config.flag("ignore_missing", false)?;
    let templates =
        |value: Value| texts_of(value)?.iter().map(|text| parse_template("field", text)).collect::<Result<Vec<_>>>();
    Ok(Work::Simple(Box::new(match (these, others) {
        (Some(fields), _) => Remove::These { fields: templates(fields)?, ignore_missing },
        (None, fields) => Remove::Others { fields: templates(fields.unwrap_or_default())? },
    })))
}

impl Processor for Remove {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        match self {
            Self::These { fields, ignore_missing } => {
                for field in fields {
                    let field = field.render(doc)?;
                    remove_one(doc, &field, *ignore_missing)?;
                }
                Ok(())
            }
            Self::Others { fields } => {
                let mut keep: AHashSet<String> = fields.iter().map(|field| field.render(doc)).collect::<Result<_>>()?;
                keep.remove("");
                // Where none is named that stays, all do.
                if keep.is_empty() {
                    return Ok(());
                }
                let kept = |key: &str| METADATA.contains(&key) || keep.contains(key);
                // Keys are taken for paths, which one with a dot is not.
                let dotted =
                    doc.root().entries.iter().map(|entry| &entry.key).find(|key| !kept(key) && key.contains('.'));
                if let Some(key) = dotted.cloned() {
                    doc.remove(&key)?;
                }
                doc.root_mut().entries.retain(|entry| kept(&entry.key));
                Ok(())
            }
        }
    }
}

fn remove_one(doc: &mut Document, field: &str, ignore_missing: bool) -> Result<()> {
    if field.is_empty() || !doc.has(field)? {
        if ignore_missing {
            return Ok(());
        }
        return Err(Error::illegal_argument(match field {
            "" => "field path cannot be null nor empty".to_owned(),
            _ => format!("field [{field}] doesn't exist"),
        }));
    }
    check_metadata(doc, field)?;
    doc.remove(field)
}

/// Some metadata cannot be missing.
fn check_metadata(doc: &Document, field: &str) -> Result<()> {
    if matches!(field, "_index" | "_version" | "_version_type") {
        return Err(Error::illegal_argument(format!("cannot remove metadata field [{field}]")));
    }
    if field == "_id"
        && let (Some(kind), Some(version)) = (doc.root().get("_version_type"), doc.root().get("_version"))
        && matches!(kind.as_str(), Some("external" | "external_gte"))
    {
        return Err(Error::illegal_argument(format!(
            "cannot remove metadata field [_id] when specifying external version for the document, version: {}, \
             version_type: {}",
            java_text(version),
            java_text(kind)
        )));
    }
    Ok(())
}
