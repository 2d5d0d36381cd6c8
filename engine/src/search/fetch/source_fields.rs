//! `fields` of a request: values of fields read from the source, in the form that the mapping gives them.

use super::FieldValues;
use super::hit::{FetchedDoc, values_at};
use crate::error::{Error, Result};
use crate::json::{Value, Writer};
use crate::mapping::date::Resolution;
use crate::mapping::number::NumberKind;
use crate::mapping::{DocValueFormat, Family, Field};
use crate::query::ShardContext;
use crate::search::SearchRequest;
use std::sync::Arc;

/// A field to read.
pub struct SourceField {
    name: String,
    paths: Vec<Arc<str>>,
    form: Form,
    null_value: Option<Value>,
}

/// What becomes of a value.
enum Form {
    /// Text as it is.
    Text,
    /// Text that a normalizer changes and that is left out when it is too long.
    Keyword {
        normalizer: Option<Arc<crate::analysis::Normalizer>>,
        ignore_above: usize,
    },
    Number {
        kind: NumberKind,
        shown: Shown,
    },
    Date {
        parse: Arc<crate::mapping::date::DateFormat>,
        resolution: Resolution,
        show: DocValueFormat,
    },
    Boolean,
    Ip,
    /// The number of tokens.
    TokenCount,
    /// As it stands in the source.
    AsIs,
}

/// How an encoded number is written.
#[derive(Clone, Copy)]
enum Shown {
    Whole,
    Unsigned,
    Double,
    Float,
}

/// The fields that the request asks for, as this shard's mapping knows them.
pub fn of_request(request: &SearchRequest, cx: &ShardContext) -> Result<Vec<SourceField>> {
    if request.fields.is_empty() {
        return Ok(vec![]);
    }
    if !cx.mapping.source_filter().enabled {
        return Err(Error::illegal_argument(format!(
            "Unable to retrieve the requested [fields] since _source is disabled in the mappings for index [{}]",
            cx.index
        )));
    }
    let mut out: Vec<SourceField> = vec![];
    for asked in &request.fields {
        for (name, field) in cx.mapping.matching_names(&asked.field) {
            if field.family().is_metadata() {
                continue;
            }
            let made = SourceField::new(name, field, asked.format.as_deref(), cx)?;
            match out.iter_mut().find(|other| other.name == name) {
                Some(other) => *other = made,
                None => out.push(made),
            }
        }
    }
    Ok(out)
}

impl SourceField {
    fn new(name: &str, field: &Field, format: Option<&str>, cx: &ShardContext) -> Result<Self> {
        if format.is_some() && field.family() != Family::Date {
            return Err(Error::illegal_argument(format!(
                "Field [{}] of type [{}] doesn't support formats.",
                field.name, field.type_name
            )));
        }
        let form = match field.family() {
            Family::Text | Family::ConstantKeyword => Form::Text,
            Family::Keyword => Form::Keyword {
                normalizer: field.normalizer().cloned(),
                ignore_above: field.ignore_above().map_or(usize::MAX, |above| above as usize),
            },
            Family::Integer if field.type_name == "token_count" => Form::TokenCount,
            Family::Integer | Family::UnsignedLong | Family::Float => Form::Number {
                kind: field.number_kind().unwrap_or(NumberKind::Long),
                shown: match (field.family(), field.type_name) {
                    (Family::Integer, _) => Shown::Whole,
                    (Family::UnsignedLong, _) => Shown::Unsigned,
                    (_, "float" | "half_float") => Shown::Float,
                    _ => Shown::Double,
                },
            },
            Family::Date => Form::Date {
                parse: field
                    .date_format()
                    .cloned()
                    .ok_or_else(|| Error::illegal_argument("a date without a format"))?,
                resolution: if field.type_name == "date_nanos" { Resolution::Nanos } else { Resolution::Millis },
                show: field.doc_value_format(format, None)?,
            },
            Family::Boolean => Form::Boolean,
            Family::Ip => Form::Ip,
            _ => Form::AsIs,
        };
        let paths = cx.mapping.source_paths(field);
        Ok(Self { name: name.to_owned(), paths, form, null_value: field.null_value().cloned() })
    }

    /// Adds the values of a document, if it has any.
    pub fn read(&self, doc: &FetchedDoc, cx: &ShardContext, fields: &mut FieldValues) -> Result<()> {
        let mut w = Writer::new();
        w.begin_array();
        let before = w.len();
        match &self.form {
            Form::TokenCount => self.token_counts(doc, cx, &mut w),
            _ => {
                let source = doc.source()?;
                for path in &self.paths {
                    let mut values = vec![];
                    values_at(source, path, &mut values);
                    for value in values {
                        match (value, &self.null_value) {
                            (Value::Null, None) => {}
                            (Value::Null, Some(null)) => self.write(null, &mut w),
                            _ => self.write(value, &mut w),
                        }
                    }
                }
            }
        }
        if w.len() > before {
            w.end_array();
            fields.set(&self.name, w.finish());
        }
        Ok(())
    }

    /// Counts of tokens are read where they are kept.
    fn token_counts(&self, doc: &FetchedDoc, cx: &ShardContext, w: &mut Writer) {
        let Some(field) = cx.mapping.field(&self.name) else { return };
        if let Some(column) = doc.view.segment.field(&field.name).and_then(|field| field.numeric()) {
            column.for_each(doc.doc, |value| {
                w.i64(value);
            });
        }
    }

    /// Writes one value; what the field would not have taken is left out.
    fn write(&self, value: &Value, w: &mut Writer) {
        match &self.form {
            Form::AsIs => drop(w.value(value)),
            Form::Text => drop(w.string(&value.to_text())),
            Form::Keyword { normalizer, ignore_above } => {
                let text = value.to_text();
                if text.encode_utf16().count() > *ignore_above {
                    return;
                }
                match normalizer {
                    Some(normalizer) => w.string(&normalizer.normalize(&text)),
                    None => w.string(&text),
                };
            }
            Form::Number { kind, shown } => {
                let Ok(encoded) = kind.encode_value(value, true) else { return };
                match shown {
                    Shown::Whole => w.i64(encoded),
                    Shown::Unsigned => w.u64(crate::mapping::number::decode_u64(encoded)),
                    Shown::Double => w.f64(kind.decode(encoded)),
                    Shown::Float => w.f32(kind.decode(encoded) as f32),
                };
            }
            Form::Date { parse, resolution, show } => {
                if let Ok(encoded) = resolution.parse(parse, &value.to_text()) {
                    show.write_number(encoded, w);
                }
            }
            Form::Boolean => match value {
                Value::Bool(flag) => drop(w.bool(*flag)),
                Value::String(text) if text == "true" => drop(w.bool(true)),
                Value::String(text) if text == "false" || text.is_empty() => drop(w.bool(false)),
                _ => {}
            },
            Form::Ip => {
                if let Ok(address) = crate::mapping::types::parse_ip(&value.to_text()) {
                    w.string(&crate::mapping::types::format_ip(&address));
                }
            }
            Form::TokenCount => {}
        }
    }
}
