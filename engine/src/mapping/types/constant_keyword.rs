//! `constant_keyword`: one value, given by the mapping, for all documents of the index.

use super::{Built, FieldContext, FieldType, TypeRow};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, Indexed, RangeBounds,
};
use crate::mapping::params::{Default, Kind, Param, Params, java_text};
use crate::query::wildcard_matches;

pub static ROW: TypeRow =
    TypeRow { name: "constant_keyword", params: PARAMS, fields_before: None, plain: false, check, build };

static PARAMS: &[Param] = &[Param::new("value", Kind::Own(read_value), Default::None).null_is_read()];

struct ConstantKeyword {
    value: String,
}

fn read_value(field: &str, value: &Value) -> Result<Value> {
    match value {
        Value::String(_) => Ok(value.clone()),
        _ => Err(Error::new(ErrorKind::Parse, format!("Field [{field}] is expected to be a string value"))),
    }
}

fn check(params: &mut Params, cx: &FieldContext) -> Result<()> {
    if params.get(PARAMS, "value").is_null() {
        let field = cx.short_name();
        return Err(Error::new(ErrorKind::Parse, format!("Field [{field}] is missing required parameter [value]")));
    }
    Ok(())
}

fn build(params: &Params, _: &FieldContext) -> Result<Built> {
    let spec = IndexSpec {
        indexed: Indexed::No,
        doc_values: DocValues::None,
        norms: false,
        stored: false,
        analyzer: None,
        count_overlaps: false,
        position_increment_gap: 0,
    };
    Ok(Built { spec, kind: Box::new(ConstantKeyword { value: java_text(params.get(PARAMS, "value")) }) })
}

impl FieldType for ConstantKeyword {
    fn family(&self) -> Family {
        Family::ConstantKeyword
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, _sink: &mut Sink<'_, 'a>) -> Result<()> {
        let (name, value) = (&field.name, &self.value);
        if token.value == Scalar::Null {
            return Err(Error::illegal_argument(format!("constant keyword field [{name}] must have a value")));
        }
        if token.text()? == self.value {
            return Ok(());
        }
        Err(Error::illegal_argument(format!("constant keyword field [{name}] must have a value of [{value}]")))
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        // What is asked for is a pattern.
        Ok(if wildcard_matches(&java_text(value), &self.value) { Exact::All } else { Exact::Nothing })
    }

    fn range(&self, _: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        let value = self.value.as_bytes();
        let beyond = |(bound, included): (&Value, bool)| {
            let bound = java_text(bound);
            value > bound.as_bytes() || (included && value == bound.as_bytes())
        };
        let before = |(bound, included): (&Value, bool)| {
            let bound = java_text(bound);
            value < bound.as_bytes() || (included && value == bound.as_bytes())
        };
        let within = bounds.lower().is_none_or(beyond) && bounds.upper().is_none_or(before);
        Ok(if within { FieldRange::All } else { FieldRange::Nothing })
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Text)
    }

    fn constant(&self) -> Option<&str> {
        Some(&self.value)
    }
}
