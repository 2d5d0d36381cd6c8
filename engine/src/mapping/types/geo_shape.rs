//! `geo_shape`: points, lines and areas. A shape is a doc value of bytes, with the box around it first.

use super::geo_point::{refuse_exact, refuse_sort, refuse_value};
use super::{Built, FieldContext, FieldType, TypeRow, bare_spec, no_check};
use crate::error::{Error, ErrorKind, Result};
use crate::geo::read_shape;
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Takes, Token};
use crate::mapping::field::{DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, RangeBounds};
use crate::mapping::params::{
    COERCE, DOC_VALUES, Default, IGNORE_MALFORMED, INDEX, Kind, META, Param, Params, STORE, java_text, same_doc_values,
    same_index, same_store,
};
use crate::writer::FieldOp;
use std::borrow::Cow;

pub static ROW: TypeRow =
    TypeRow { name: "geo_shape", params: PARAMS, fields_before: Some("meta"), plain: true, check: no_check, build };

static PARAMS: &[Param] = &[
    INDEX.merged(same_index),
    DOC_VALUES.merged(same_doc_values),
    STORE.merged(same_store),
    META,
    IGNORE_MALFORMED,
    COERCE,
    Param::bool("ignore_z_value", true).changeable().shown_if_given(),
    Param::new("orientation", Kind::Own(read_orientation), Default::Text("RIGHT")).changeable().shown_if_given(),
];

fn read_orientation(_: &str, value: &Value) -> Result<Value> {
    match java_text(value).to_ascii_lowercase().as_str() {
        "right" | "counterclockwise" | "ccw" => Ok(Value::from("RIGHT")),
        "left" | "clockwise" | "cw" => Ok(Value::from("LEFT")),
        other => Err(Error::illegal_argument(format!("Unknown orientation [{other}]"))),
    }
}

struct GeoShape {
    ignore_malformed: bool,
}

fn build(params: &Params, _: &FieldContext) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let spec =
        IndexSpec { doc_values: if flag("doc_values") { DocValues::Ordinals } else { DocValues::None }, ..bare_spec() };
    Ok(Built { spec, kind: Box::new(GeoShape { ignore_malformed: flag("ignore_malformed") }) })
}

impl FieldType for GeoShape {
    fn takes(&self) -> Takes {
        Takes::Objects
    }

    fn words_errors(&self) -> Option<fn(&Field, Error) -> Error> {
        Some(refuse_value)
    }

    fn family(&self) -> Family {
        Family::GeoShape
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        let shape = match &token.value {
            Scalar::Null => return Ok(()),
            // What is wrong with well-known text is told by no parser of the reference's own, and is no root.
            Scalar::String(text) => read_shape(&Value::String(text.clone().into_owned())).map_err(|error| {
                let root = refuse_value(field, error.clone());
                error.with_root_causes(vec![root.with_root_causes(vec![])])
            }),
            Scalar::Object => token.json().and_then(|value| read_shape(&value)),
            _ => Err(Error::new(ErrorKind::Parse, "shape must be an object consisting of type and coordinates")),
        };
        match shape {
            Ok(shape) => {
                sink.refuse_second(field);
                sink.push(FieldOp::Ordinal { field: field.id, value: Cow::Owned(shape.encode()) });
                Ok(())
            }
            Err(_) if self.ignore_malformed => {
                sink.ignore(field);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn term(&self, field: &Field, _value: &Value, _cx: &DateContext) -> Result<Exact> {
        Err(refuse_exact(field))
    }

    fn range(&self, field: &Field, _bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Err(super::no_range(field))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Shape)
    }

    fn check_sortable(&self, field: &Field) -> Result<()> {
        self.check_aggregatable(field)?;
        Err(refuse_sort(field))
    }
}
