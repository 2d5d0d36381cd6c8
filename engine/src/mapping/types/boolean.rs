//! `boolean`: the terms `T` and `F`, and 1 and 0 as doc values.

use super::{Built, FieldContext, FieldType, TypeRow, no_check};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, Indexed, RangeBounds,
};
use crate::mapping::params::{
    BOOST, DOC_VALUES, Default, INDEX, Kind, META, Param, Params, STORE, java_text, read_bool,
};
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::ops::Bound;

pub static ROW: TypeRow =
    TypeRow { name: "boolean", params: PARAMS, fields_before: None, plain: true, check: no_check, build };

static PARAMS: &[Param] =
    &[META, BOOST, DOC_VALUES, INDEX, Param::new("null_value", Kind::Bool, Default::None).nullable(), STORE];

struct Boolean {
    indexed: bool,
    doc_values: bool,
    stored: bool,
    null_value: Option<Value>,
}

impl Boolean {
    /// Nothing is kept of values, so that nobody reads them.
    fn keeps_nothing(&self) -> bool {
        !(self.indexed || self.doc_values || self.stored)
    }
}

fn build(params: &Params, _: &FieldContext) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let kind = Boolean {
        indexed: flag("index"),
        doc_values: flag("doc_values"),
        stored: flag("store"),
        null_value: params.given(PARAMS, "null_value").cloned(),
    };
    let spec = IndexSpec {
        indexed: if kind.indexed {
            Indexed::Terms { freqs: false, positions: false, offsets: false }
        } else {
            Indexed::No
        },
        doc_values: if kind.doc_values { DocValues::Numeric } else { DocValues::None },
        norms: false,
        stored: kind.stored,
        analyzer: None,
        count_overlaps: false,
        position_increment_gap: 0,
    };
    Ok(Built { spec, kind: Box::new(kind) })
}

fn term_of(value: bool) -> &'static [u8] {
    if value { b"T" } else { b"F" }
}

fn query_value(value: &Value) -> Result<bool> {
    let refuse = || {
        let text = java_text(value);
        Error::illegal_argument(format!("Can't parse boolean value [{text}], expected [true] or [false]"))
    };
    read_bool(value).map_err(|_| refuse())
}

impl FieldType for Boolean {
    fn family(&self) -> Family {
        Family::Boolean
    }

    fn leaves_objects_unread(&self) -> bool {
        self.keeps_nothing()
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        if self.keeps_nothing() {
            return Ok(());
        }
        let value = match &token.value {
            Scalar::Null => self.null_value.as_ref().and_then(Value::as_bool),
            Scalar::Bool(value) => Some(*value),
            // An empty string is false, as it was of old.
            Scalar::String(text) if text.is_empty() => Some(false),
            Scalar::String(text) => Some(read_bool(&Value::from(&**text))?),
            _ => return Err(token.wrong_type("not of boolean type")),
        };
        let Some(value) = value else { return Ok(()) };
        if self.indexed {
            sink.push(FieldOp::Term { field: field.id, value: Cow::Borrowed(term_of(value)) });
        }
        if self.stored {
            sink.push(FieldOp::Stored { field: field.id, value: StoredValue::Bool(value) });
        }
        if self.doc_values {
            sink.push(FieldOp::Number { field: field.id, value: value.into() });
        } else if self.indexed || self.stored {
            sink.push(FieldOp::Exists { field: field.id });
        }
        Ok(())
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        let value = query_value(value)?;
        Ok(if self.indexed { Exact::Bytes(term_of(value).to_vec()) } else { Exact::Number(value.into()) })
    }

    fn range(&self, _field: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        let read = |end: Option<(&Value, bool)>| match end {
            None => Ok(None),
            Some((value, included)) => query_value(value).map(|value| Some((i64::from(value), included))),
        };
        let (lower, upper) = (read(bounds.lower())?, read(bounds.upper())?);
        let lo = lower.map_or(0, |(value, included)| value + i64::from(!included));
        let hi = upper.map_or(1, |(value, included)| value - i64::from(!included));
        if lo > hi {
            return Ok(FieldRange::Nothing);
        }
        if !self.indexed {
            return Ok(FieldRange::Numbers(lo, hi));
        }
        let bound = |value: i64| Bound::Included(term_of(value == 1).to_vec());
        Ok(FieldRange::Bytes(bound(lo), bound(hi)))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Boolean)
    }

    fn parse_missing_number(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<i64> {
        match value {
            Value::Int(i) => Ok(i64::from(*i != 0)),
            other => query_value(other).map(i64::from),
        }
    }

    fn null_value(&self) -> Option<&Value> {
        self.null_value.as_ref()
    }
}
