//! `geo_point`: a place on the earth, kept as one number.

use super::{Built, FieldContext, FieldType, TypeRow, bare_spec, no_check};
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{Grid, Point, encode_point, read_point, read_points, to_curve};
use crate::json::{Map, Value};
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Takes, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, Indexed, RangeBounds,
};
use crate::mapping::number::java_f64;
use crate::mapping::params::{
    DOC_VALUES, Default, IGNORE_MALFORMED, INDEX, Kind, META, Param, Params, STORE, same_doc_values, same_index,
    same_store,
};
use crate::segment::StoredValue;
use crate::writer::FieldOp;

pub static ROW: TypeRow =
    TypeRow { name: "geo_point", params: PARAMS, fields_before: Some("meta"), plain: true, check: no_check, build };

static PARAMS: &[Param] = &[
    INDEX.merged(same_index),
    DOC_VALUES.merged(same_doc_values),
    STORE.merged(same_store),
    META,
    IGNORE_MALFORMED,
    Param::bool("ignore_z_value", true).changeable().shown_if_given(),
    Param::new("null_value", Kind::Own(read_null_value), Default::None).nullable().changeable(),
];

fn read_null_value(_: &str, value: &Value) -> Result<Value> {
    let point = read_point(value, true)?.normalized();
    Ok(Value::Object(Map::from_iter([("lat", point.lat), ("lon", point.lon)])))
}

/// Letters of the geohashes that multi-fields are given.
const GEOHASH_LETTERS: u8 = 12;

struct GeoPoint {
    indexed: bool,
    doc_values: bool,
    stored: bool,
    ignore_malformed: bool,
    ignore_z: bool,
    null_value: Option<Value>,
}

fn build(params: &Params, _: &FieldContext) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let kind = GeoPoint {
        // The reference takes the parameter, and indexes places all the same.
        indexed: true,
        doc_values: flag("doc_values"),
        stored: flag("store"),
        ignore_malformed: flag("ignore_malformed"),
        ignore_z: flag("ignore_z_value"),
        null_value: params.given(PARAMS, "null_value").cloned(),
    };
    let spec = IndexSpec {
        // Queries go over the column, which is there if the field is indexed or has doc values.
        indexed: if kind.indexed { Indexed::Points } else { Indexed::No },
        doc_values: if kind.doc_values { DocValues::Numeric } else { DocValues::None },
        stored: kind.stored,
        ..bare_spec()
    };
    Ok(Built { spec, kind: Box::new(kind) })
}

/// An error of a value, in the words that geo fields have for it.
pub(super) fn refuse_value(field: &Field, cause: Error) -> Error {
    let own = matches!(cause.kind(), ErrorKind::Parse | ErrorKind::Parsing) && cause.root_causes().is_empty();
    let reason = format!("failed to parse field [{}] of type [{}]", field.name, field.type_name);
    let error = Error::new(ErrorKind::MapperParsing, reason).caused_by(cause.clone());
    if own { error.with_root_causes(vec![cause]) } else { error }
}

impl GeoPoint {
    fn read(&self, field: &Field, token: &Token) -> Result<Vec<Point>> {
        let points = match (&token.value, &self.null_value) {
            (Scalar::Null, None) => return Ok(vec![]),
            (Scalar::Null, Some(null)) => vec![read_point(null, true)?],
            (Scalar::String(text), _) => vec![read_point(&Value::String(text.clone().into_owned()), self.ignore_z)?],
            (Scalar::Object | Scalar::Array, _) => read_points(&token.json()?, self.ignore_z)?,
            _ => return Err(Error::new(ErrorKind::Parse, "geo_point expected")),
        };
        let name = &field.name;
        for point in &points {
            if self.ignore_malformed {
                continue;
            }
            if !(-90.0..=90.0).contains(&point.lat) {
                let reason = format!("illegal latitude value [{}] for {name}", java_f64(point.lat));
                return Err(Error::illegal_argument(reason));
            }
            if !(-180.0..=180.0).contains(&point.lon) {
                let reason = format!("illegal longitude value [{}] for {name}", java_f64(point.lon));
                return Err(Error::illegal_argument(reason));
            }
        }
        Ok(points
            .into_iter()
            .filter(|point| point.lat.is_finite() && point.lon.is_finite())
            .map(Point::normalized)
            .collect())
    }
}

impl FieldType for GeoPoint {
    fn texts_for_multi_fields(&self, field: &Field, token: &Token) -> Result<Option<Vec<String>>> {
        let geohash = |point: Point| Grid::Geohash.name(Grid::Geohash.cell(point, GEOHASH_LETTERS));
        Ok(Some(self.read(field, token)?.into_iter().map(geohash).collect()))
    }

    fn takes(&self) -> Takes {
        Takes::Arrays
    }

    fn words_errors(&self) -> Option<fn(&Field, Error) -> Error> {
        Some(refuse_value)
    }

    fn family(&self) -> Family {
        Family::GeoPoint
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        let points = match self.read(field, token) {
            Ok(points) => points,
            Err(_) if self.ignore_malformed => {
                sink.ignore(field);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        for point in points {
            if self.indexed || self.doc_values {
                let number = encode_point(point);
                sink.push(FieldOp::Number { field: field.id, value: number });
                if self.indexed {
                    sink.push(FieldOp::Point { field: field.id, value: to_curve(number) });
                }
                if !self.doc_values {
                    sink.push(FieldOp::Named { field: field.id });
                }
            } else if self.stored {
                sink.push(FieldOp::Exists { field: field.id });
            }
            if self.stored {
                let text = format!("{}, {}", java_f64(point.lat), java_f64(point.lon));
                sink.push(FieldOp::Stored { field: field.id, value: StoredValue::String(text) });
            }
        }
        Ok(())
    }

    fn term(&self, field: &Field, _value: &Value, _cx: &DateContext) -> Result<Exact> {
        Err(refuse_exact(field))
    }

    fn range(&self, field: &Field, _bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Err(super::no_range(field))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Point)
    }

    fn check_sortable(&self, field: &Field) -> Result<()> {
        self.check_aggregatable(field)?;
        Err(refuse_sort(field))
    }

    fn null_value(&self) -> Option<&Value> {
        self.null_value.as_ref()
    }
}

pub(super) fn refuse_exact(field: &Field) -> Error {
    let reason = "Geometry fields do not support exact searching, use dedicated geometry queries instead";
    Error::new(ErrorKind::QueryShard, format!("{reason}: [{}]", field.name))
}

pub(super) fn refuse_sort(field: &Field) -> Error {
    let name = field.derived.as_ref().map_or(field.type_name, |derived| derived.type_name.as_str());
    Error::illegal_argument(format!(
        "can't sort on {name} field without using specific sorting feature, like geo_distance"
    ))
}
