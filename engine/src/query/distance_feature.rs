//! `distance_feature`: all documents with a date or a place, those nearest to an origin first.

use super::declared::{ARRAY, Declared, NUMBER, NUMERIC, OBJECT, STRING, without};
use super::node::{Common, Node};
use super::time_value::time_value_ms;
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::geo::{DistanceUnit, parse_distance, read_point};
use crate::json::Value;
use crate::mapping::number::java_f64;
use crate::mapping::{Exact, Family, Indexed};
use crate::score::{self, Plan};

#[derive(Debug)]
struct DistanceFeature {
    field: String,
    origin: Value,
    pivot: String,
}

const PARSER: Declared = Declared {
    name: "distance_feature",
    fields: &[
        ("field", STRING),
        ("origin", STRING | NUMBER | OBJECT | ARRAY),
        ("pivot", STRING),
        ("boost", NUMERIC),
        ("_name", STRING),
    ],
};

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut name, mut origin, mut pivot) = (None, None, None);
    for field in node.fields() {
        match field.key {
            "field" => name = Some(PARSER.read(&field, |node| node.text())?),
            "origin" => origin = Some(PARSER.read(&field, origin_of)?),
            "pivot" => pivot = Some(PARSER.read(&field, |node| node.text())?),
            _ => PARSER.read_common(&field, &mut common)?,
        }
    }
    match (name, origin, pivot) {
        (Some(field), Some(origin), Some(pivot)) => Ok(Query::new(common, DistanceFeature { field, origin, pivot })),
        (field, origin, pivot) => {
            Err(without(&[("field", field.is_none()), ("origin", origin.is_none()), ("pivot", pivot.is_none())]))
        }
    }
}

/// A date or a place; what is written as only a place can be has to be one.
fn origin_of(node: Node) -> Result<Value> {
    if matches!(node.value, Value::Object(_) | Value::Array(_)) {
        read_point(node.value, false)?;
    }
    if node.token() == "VALUE_NUMBER" {
        return Ok(Value::Int(node.i64()?));
    }
    Ok(node.value.clone())
}

impl Kind for DistanceFeature {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = cx.field(&self.field) else {
            return Ok(Plan::nothing("Can't run [distance_feature] query on unmapped fields!"));
        };
        if field.family() == Family::GeoPoint {
            let pivot_meters = parse_distance(&self.pivot, DistanceUnit::METERS)?;
            if pivot_meters <= 0.0 {
                let pivot = java_f64(pivot_meters);
                return Err(Error::illegal_argument(format!("pivotDistance must be > 0, got {pivot}")));
            }
            if self.origin.token() == "VALUE_NUMBER" {
                let wanted = "Must be of type [geo_point] or [string] for geo_point fields!";
                let reason = format!("Illegal type [class java.lang.Long] for [origin]! {wanted}");
                return Err(Error::illegal_argument(reason));
            }
            let origin = read_point(&self.origin, true)?;
            for (name, degrees, most) in [("latitude", origin.lat, 90.0), ("longitude", origin.lon, 180.0)] {
                if !(-most..=most).contains(&degrees) {
                    let (degrees, most) = (java_f64(degrees), java_f64(most));
                    let reason = format!("invalid {name} {degrees}; must be between -{most} and {most}");
                    return Err(Error::illegal_argument(reason));
                }
            }
            return Ok(Plan::custom(score::GeoDistanceFeature { field: field.name.clone(), origin, pivot_meters }));
        }
        if field.family() != Family::Date {
            return Err(Error::illegal_argument(format!(
                "Illegal data type of [{}]![distance_feature] query can only be run on a date, date_nanos or geo_point field type!",
                field.type_name
            )));
        }
        let origin = match field.term(&self.origin, &cx.dates)? {
            Exact::Number(origin) | Exact::Numbers(_, origin) => origin,
            _ => return Err(Error::illegal_argument("[distance_feature] origin is not a date")),
        };
        let pivot = time_value_ms(&self.pivot, "distance_feature.pivot")?;
        // Distances are in the unit of the field's values.
        let unit = if field.type_name == "date_nanos" { 1_000_000 } else { 1 };
        let pivot = pivot.saturating_mul(unit);
        if pivot <= 0 {
            return Err(Error::illegal_argument(format!("pivotDistance must be > 0, got {pivot}")));
        }
        let indexed = field.spec.indexed != Indexed::No;
        Ok(Plan::custom(score::DistanceFeature { field: field.name.clone(), origin, pivot, indexed }))
    }
}
