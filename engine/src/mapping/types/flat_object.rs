//! `flat_object`: a whole object as one field. Its values are terms of the field itself; a hidden field has them once more
//! behind their paths (`field.a.b=value`), which is what queries on `field.a.b` look at.

use super::text::text_range;
use super::{Built, FieldContext, FieldType, PLAIN_TERMS, Part, TypeRow, bare_spec, no_check};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Takes, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldId, FieldRange, IndexSpec, RangeBounds,
};
use crate::mapping::params::{Param, Params, java_text};
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::sync::Arc;

pub static ROW: TypeRow =
    TypeRow { name: "flat_object", params: PARAMS, fields_before: None, plain: false, check: no_check, build };

static PARAMS: &[Param] = &[];

/// The suffix of the hidden field.
const PATHS: &str = "._valueAndPath";

fn spec() -> IndexSpec {
    IndexSpec { indexed: PLAIN_TERMS, doc_values: DocValues::Ordinals, ..bare_spec() }
}

fn build(_: &Params, _: &FieldContext) -> Result<Built> {
    Ok(Built { spec: spec(), kind: Box::new(FlatObject { part: Which::Values }) })
}

/// Which of the two fields.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    Values,
    Paths,
}

struct FlatObject {
    part: Which,
}

impl FlatObject {
    fn add(&self, field: &Field, path: &mut String, value: &Value, sink: &mut Sink) {
        match value {
            Value::Null => {}
            Value::Array(items) => items.iter().for_each(|item| self.add(field, path, item, sink)),
            Value::Object(map) => {
                let length = path.len();
                for (key, value) in map.iter() {
                    path.push('.');
                    path.push_str(key);
                    self.add(field, path, value, sink);
                    path.truncate(length);
                }
            }
            scalar => {
                let text = java_text(scalar);
                let term = if self.part == Which::Values { text } else { format!("{path}={text}") };
                // Longer values could be neither terms nor doc values.
                if term.len() > super::keyword::MAX_TERM_BYTES {
                    return sink.refuse(super::keyword::immense_term(field, term.as_bytes()));
                }
                let value: Cow<[u8]> = Cow::Owned(term.into_bytes());
                sink.push(FieldOp::Ordinal { field: field.id, value: value.clone() });
                sink.push(FieldOp::Term { field: field.id, value });
            }
        }
    }
}

impl FieldType for FlatObject {
    fn takes(&self) -> Takes {
        Takes::Objects
    }

    fn parts(&self) -> Vec<Part> {
        let built = Built { spec: spec(), kind: Box::new(FlatObject { part: Which::Paths }) };
        vec![Part { suffix: PATHS.to_owned(), type_name: "flat_object", hidden: true, built }]
    }

    fn family(&self) -> Family {
        Family::Keyword
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        match &token.value {
            Scalar::Null => Ok(()),
            Scalar::Object => {
                let mut path = field.name.strip_suffix(PATHS).unwrap_or(&field.name).to_owned();
                self.add(field, &mut path, &token.json()?, sink);
                Ok(())
            }
            _ => {
                let (name, (line, col)) = (&field.name, token.line_col());
                let reason = format!("[{name}] unexpected token [{}] in flat_object field value", token.type_name());
                Err(Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col))
            }
        }
    }

    fn sub_field(&self, field: &Field, path: &str) -> Option<Field> {
        // The terms of the hidden field itself are nobody else's business.
        if PATHS.strip_prefix('.') == Some(path) {
            return None;
        }
        let name: Arc<str> = format!("{}.{path}", field.name).into();
        let kind = SubField { paths: format!("{}{PATHS}", field.name).into(), prefix: format!("{name}=") };
        Some(Field {
            id: FieldId(u32::MAX),
            name,
            spec: spec(),
            type_name: "flat_object",
            boost: 1.0,
            meta: None,
            hidden: true,
            derived: None,
            kind: Box::new(kind),
        })
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        Ok(Exact::Bytes(java_text(value).into_bytes()))
    }

    fn range(&self, _field: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Ok(text_range(bounds, String::into_bytes))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Text)
    }

    fn check_aggregatable(&self, field: &Field) -> Result<()> {
        let name = &field.name;
        Err(Error::illegal_argument(format!(
            "Field [{name}] of type [flat_object] does not support doc_value in root field"
        )))
    }
}

/// A path below a flat object.
struct SubField {
    /// Name of the hidden field.
    paths: Arc<str>,
    /// What its terms of this path begin with.
    prefix: String,
}

impl FieldType for SubField {
    fn family(&self) -> Family {
        Family::Keyword
    }

    fn index<'a>(&self, field: &Field, _token: &Token<'a>, _sink: &mut Sink<'_, 'a>) -> Result<()> {
        Err(Error::illegal_argument(format!("Cannot write to the path [{}] of a flat object", field.name)))
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        Ok(Exact::Bytes(java_text(value).into_bytes()))
    }

    fn range(&self, _field: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Ok(text_range(bounds, String::into_bytes))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Below(self.prefix.as_str().into()))
    }

    fn terms_elsewhere(&self) -> Option<(&Arc<str>, &str)> {
        Some((&self.paths, &self.prefix))
    }
}
