//! `long`, `integer`, `short`, `byte`, `double`, `float`, `half_float`, `unsigned_long`: one behaviour, eight rows.

use super::{Built, FieldContext, FieldType, TypeRow, no_check};
use crate::error::Result;
use crate::json::Value;
use crate::mapping::date::DateFormat;
use crate::mapping::decimal_format::DecimalFormat;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, Indexed, RangeBounds,
};
use crate::mapping::number::{NumberKind, decode_u64, has_decimal_part};
use crate::mapping::params::{
    COERCE, DOC_VALUES, Default, IGNORE_MALFORMED, INDEX, Kind, META, Param, Params, SKIP_LIST, STORE,
};
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::sync::Arc;

macro_rules! row {
    ($row:ident, $kind:ident) => {
        pub static $row: TypeRow = {
            fn null_value(_: &str, value: &Value) -> Result<Value> {
                read_null_value(NumberKind::$kind, value)
            }
            static PARAMS: &[Param] = &[
                INDEX,
                DOC_VALUES,
                STORE,
                SKIP_LIST,
                IGNORE_MALFORMED,
                COERCE,
                Param::new("null_value", Kind::Own(null_value), Default::None).nullable(),
                META,
            ];
            fn build(params: &Params, _: &FieldContext) -> Result<Built> {
                build_number(NumberKind::$kind, PARAMS, params)
            }
            TypeRow {
                name: NumberKind::$kind.type_name(),
                params: PARAMS,
                fields_before: None,
                plain: true,
                check: no_check,
                build,
            }
        };
    };
}

row!(LONG, Long);
row!(INTEGER, Integer);
row!(SHORT, Short);
row!(BYTE, Byte);
row!(DOUBLE, Double);
row!(FLOAT, Float);
row!(HALF_FLOAT, HalfFloat);
row!(UNSIGNED_LONG, UnsignedLong);

fn read_null_value(kind: NumberKind, value: &Value) -> Result<Value> {
    let encoded = kind.encode_value(value, false)?;
    Ok(match kind {
        NumberKind::UnsignedLong => Value::from(decode_u64(encoded)),
        kind if kind.is_integer() => Value::Int(encoded),
        _ => Value::Float(crate::mapping::number::value_as_f64(value)?),
    })
}

/// A field of numbers: how values are read, kept and searched.
pub(super) struct Numeric {
    pub kind: NumberKind,
    pub indexed: bool,
    pub doc_values: bool,
    pub stored: bool,
    pub coerce: bool,
    pub ignore_malformed: bool,
    pub null_value: Option<Value>,
}

/// Builds from parameters that all numeric types have.
pub(super) fn build_number(kind: NumberKind, table: &'static [Param], params: &Params) -> Result<Built> {
    let flag = |name| params.get(table, name) == &Value::Bool(true);
    let number = Numeric {
        kind,
        indexed: flag("index"),
        doc_values: flag("doc_values"),
        stored: flag("store"),
        coerce: flag("coerce"),
        ignore_malformed: flag("ignore_malformed"),
        null_value: params.given(table, "null_value").filter(|v| !v.is_null()).cloned(),
    };
    Ok(Built { spec: number_spec(number.indexed, number.doc_values, number.stored), kind: Box::new(number) })
}

/// The storage of fields of points and numeric doc values.
pub(super) fn number_spec(indexed: bool, doc_values: bool, stored: bool) -> IndexSpec {
    IndexSpec {
        indexed: if indexed { Indexed::Points } else { Indexed::No },
        doc_values: if doc_values { DocValues::Numeric } else { DocValues::None },
        norms: false,
        stored,
        analyzer: None,
        count_overlaps: false,
        position_increment_gap: 0,
    }
}

impl Numeric {
    /// The kind that queries read numbers as: the small ones are compared as integers.
    fn queried(&self) -> NumberKind {
        match self.kind {
            NumberKind::Byte | NumberKind::Short => NumberKind::Integer,
            kind => kind,
        }
    }

    /// Half a float is stored as it is written, as a whole one.
    fn stored_half(&self, token: &Token) -> Option<StoredValue> {
        let text = match &token.value {
            _ if self.kind != NumberKind::HalfFloat => return None,
            Scalar::Number(digits) => *digits,
            Scalar::String(text) => &**text,
            _ => return None,
        };
        let encoded = NumberKind::Float.encode_string(text, true).ok()?;
        Some(StoredValue::Float(NumberKind::Float.decode(encoded) as f32))
    }

    fn stored_value(&self, value: i64) -> StoredValue {
        match self.kind {
            NumberKind::UnsignedLong => match i64::try_from(decode_u64(value)) {
                Ok(value) => StoredValue::Long(value),
                Err(_) => StoredValue::String(decode_u64(value).to_string()),
            },
            kind if kind.is_integer() => StoredValue::Long(value),
            NumberKind::HalfFloat | NumberKind::Float => StoredValue::Float(self.kind.decode(value) as f32),
            kind => StoredValue::Double(kind.decode(value)),
        }
    }
}

impl FieldType for Numeric {
    fn family(&self) -> Family {
        match self.kind {
            NumberKind::UnsignedLong => Family::UnsignedLong,
            kind if kind.is_integer() => Family::Integer,
            _ => Family::Float,
        }
    }

    fn leaves_objects_unread(&self) -> bool {
        self.ignore_malformed && matches!(self.kind, NumberKind::Scaled(_))
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        let value = match &token.value {
            Scalar::Null => None,
            _ => match token.number(self.kind, self.coerce) {
                Ok(value) => value,
                // The reference says nothing of it.
                Err(_) if self.ignore_malformed && matches!(self.kind, NumberKind::Scaled(_)) => return Ok(()),
                Err(_) if self.ignore_malformed => {
                    sink.ignore_scalar(field, token);
                    return Ok(());
                }
                Err(error) => return Err(error),
            },
        };
        let value = match (value, &self.null_value) {
            (Some(value), _) => value,
            (None, Some(null)) => self.kind.encode_value(null, false)?,
            (None, None) => return Ok(()),
        };
        push_number(field, value, self.indexed, self.doc_values, sink);
        if self.stored {
            let value = self.stored_half(token).unwrap_or_else(|| self.stored_value(value));
            sink.push(FieldOp::Stored { field: field.id, value });
        }
        if !self.doc_values && (self.indexed || self.stored) {
            sink.push(FieldOp::Exists { field: field.id });
        }
        Ok(())
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        let whole = self.kind.is_integer() || self.kind == NumberKind::UnsignedLong;
        if whole && has_decimal_part(value) {
            return Ok(Exact::Nothing);
        }
        Ok(Exact::Number(self.queried().encode_asked(value, true)?))
    }

    fn range(&self, _field: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        let range = self.queried().range(bounds.lower(), bounds.upper())?;
        Ok(range.map_or(FieldRange::Nothing, |(lo, hi)| FieldRange::Numbers(lo, hi)))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, None, time_zone)?;
        number_format(self.kind, format)
    }

    fn number_kind(&self) -> Option<NumberKind> {
        Some(self.kind)
    }

    fn coerces(&self) -> bool {
        self.coerce
    }

    fn null_value(&self) -> Option<&Value> {
        self.null_value.as_ref()
    }

    fn date_format(&self) -> Option<&Arc<DateFormat>> {
        None
    }
}

pub(super) fn number_format(kind: NumberKind, format: Option<&str>) -> Result<DocValueFormat> {
    Ok(match format {
        Some(pattern) => DocValueFormat::Decimal(kind, DecimalFormat::parse(pattern)?),
        None => DocValueFormat::Raw(kind),
    })
}

/// One number as point and doc value.
pub(super) fn push_number(field: &Field, value: i64, indexed: bool, doc_values: bool, sink: &mut Sink<'_, '_>) {
    if indexed {
        sink.push(FieldOp::Point { field: field.id, value });
    }
    if doc_values {
        sink.push(FieldOp::Number { field: field.id, value });
    }
}
