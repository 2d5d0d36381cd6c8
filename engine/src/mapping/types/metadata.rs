//! The metadata fields that every mapping has: `_id`, `_index`, `_routing`, `_seq_no`, …
//!
//! The writer fills `_id`, `_routing`, `_seq_no`, `_version` and `_primary_term` from the operation, documents fill
//! `_doc_count`, parsing fills `_ignored`.

use super::{Built, FieldType, no_range};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, Indexed, RangeBounds,
};
use crate::mapping::number::NumberKind;
use crate::mapping::params::java_text;
use crate::writer::FieldOp;

const TERMS: Indexed = Indexed::Terms { freqs: false, positions: false, offsets: false };

/// Name, family, index, doc values and whether the field is stored, of all metadata fields.
static TABLE: &[(&str, Family, Indexed, DocValues, bool)] = &[
    ("_doc_count", Family::DocCount, Indexed::No, DocValues::Numeric, false),
    ("_field_names", Family::FieldNames, TERMS, DocValues::None, false),
    ("_id", Family::Id, TERMS, DocValues::None, true),
    ("_ignored", Family::Ignored, TERMS, DocValues::None, true),
    ("_index", Family::Index, Indexed::No, DocValues::None, false),
    ("_nested_path", Family::NestedPath, TERMS, DocValues::None, false),
    ("_primary_term", Family::PrimaryTerm, Indexed::No, DocValues::Numeric, false),
    ("_routing", Family::Routing, TERMS, DocValues::None, true),
    ("_seq_no", Family::SeqNo, Indexed::Points, DocValues::Numeric, false),
    ("_source", Family::Source, Indexed::No, DocValues::None, true),
    ("_version", Family::Version, Indexed::No, DocValues::Numeric, false),
];

/// Metadata fields whose names the documents may not use, beside those of the table.
pub const RESERVED: &[&str] = &["_data_stream_timestamp"];

/// Whether a mapping has a metadata field of the name, in the reference too: the primary term has no mapper there.
pub fn is_name(name: &str) -> bool {
    name != "_primary_term" && (RESERVED.contains(&name) || TABLE.iter().any(|row| row.0 == name))
}

/// The metadata fields: name and storage.
pub fn fields() -> impl Iterator<Item = (&'static str, Built)> {
    TABLE.iter().map(|&(name, family, indexed, doc_values, stored)| {
        let spec = IndexSpec {
            indexed,
            doc_values,
            norms: false,
            stored,
            analyzer: None,
            count_overlaps: false,
            position_increment_gap: 0,
        };
        (name, Built { spec, kind: Box::new(Metadata { family }) as Box<dyn FieldType> })
    })
}

#[derive(Debug)]
struct Metadata {
    family: Family,
}

impl Metadata {
    fn refuse_search(&self, field: &Field) -> Error {
        let name = &field.name;
        let reason = match self.family {
            Family::Source | Family::Version => format!("The {name} field is not searchable"),
            _ => format!("Field [{name}] of type [{name}] is not searchable"),
        };
        Error::new(ErrorKind::QueryShard, reason)
    }
}

/// A sequence number as a query gives it: texts are whole numbers, numbers may be written with a point.
fn sequence_number(value: &Value) -> Result<i64> {
    let number = match value {
        Value::Int(number) => return Ok(*number),
        Value::UInt(number) => *number as f64,
        Value::Float(number) => *number,
        Value::BigInt(digits) => digits.parse().unwrap_or(f64::INFINITY),
        other => {
            let text = java_text(other);
            let reason = || Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""));
            return text.parse().map_err(|_| reason());
        }
    };
    if number < i64::MIN as f64 || number > i64::MAX as f64 {
        return Err(Error::illegal_argument(format!("Value [{}] is out of range for a long", java_text(value))));
    }
    if number % 1.0 != 0.0 {
        return Err(Error::illegal_argument(format!("Value [{}] has a decimal part", java_text(value))));
    }
    Ok(number as i64)
}

impl FieldType for Metadata {
    fn can_have_doc_values(&self) -> bool {
        matches!(self.family, Family::Id | Family::Index | Family::SeqNo)
    }

    fn family(&self) -> Family {
        self.family
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        let name = &field.name;
        if self.family != Family::DocCount {
            return Err(Error::new(
                ErrorKind::MapperParsing,
                format!(
                    "Field [{name}] is a metadata field and cannot be added inside a document. Use the index API request parameters."
                ),
            ));
        }
        let Scalar::Number(_) = &token.value else {
            let reason = format!(
                "Failed to parse object: expecting token of type [VALUE_NUMBER] but found [{}]",
                token.type_name()
            );
            return Err(Error::new(ErrorKind::Parsing, reason).with("line", 1).with("col", token.start + 1));
        };
        match token.number(NumberKind::Long, false)? {
            Some(count) if count > 0 => {
                let again = |op: &FieldOp| matches!(op, FieldOp::Number { field: other, .. } if *other == field.id);
                if sink.ops.iter().any(again) {
                    sink.refuse(Error::illegal_argument(format!(
                        "DocValuesField \"{name}\" appears more than once in this document (only one value is allowed per field)"
                    )));
                }
                sink.push(FieldOp::Number { field: field.id, value: count });
            }
            _ => return Err(Error::illegal_argument(format!("Field [{name}] must be a positive integer."))),
        }
        Ok(())
    }

    fn term(&self, field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        match self.family {
            Family::SeqNo | Family::PrimaryTerm => sequence_number(value).map(Exact::Number),
            Family::Source | Family::Version | Family::DocCount => Err(self.refuse_search(field)),
            _ => Ok(Exact::Bytes(java_text(value).into_bytes())),
        }
    }

    fn range(&self, field: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        match self.family {
            Family::SeqNo | Family::PrimaryTerm => {
                let end = |(value, included): (&Value, bool), step: i64| {
                    let number = sequence_number(value)?;
                    Ok(if included { Some(number) } else { number.checked_add(step) })
                };
                let lower = bounds.lower().map_or(Ok(Some(i64::MIN)), |bound| end(bound, 1))?;
                let upper = bounds.upper().map_or(Ok(Some(i64::MAX)), |bound| end(bound, -1))?;
                Ok(lower.zip(upper).map_or(FieldRange::Nothing, |(lo, hi)| FieldRange::Numbers(lo, hi)))
            }
            Family::Source | Family::Version | Family::DocCount => Err(self.refuse_search(field)),
            Family::Ignored | Family::Routing | Family::NestedPath => {
                Ok(super::text::text_range(bounds, String::into_bytes))
            }
            _ => Err(no_range(field)),
        }
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(if self.family.is_numeric() { DocValueFormat::Raw(NumberKind::Long) } else { DocValueFormat::Text })
    }

    fn number_kind(&self) -> Option<NumberKind> {
        self.family.is_numeric().then_some(NumberKind::Long)
    }
}
