//! `distance_feature`: all documents with a date or a place, those nearest to an origin first.

use super::node::{Common, Node};
use super::time_value::time_value_ms;
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{DistanceUnit, parse_distance, read_point};
use crate::json::Value;
use crate::mapping::number::java_f64;
use crate::mapping::{Exact, Family};
use crate::score::{self, Plan};

#[derive(Debug)]
struct DistanceFeature {
    field: String,
    origin: Value,
    pivot: String,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut name, mut origin, mut pivot) = (None, None, None);
    for field in node.fields() {
        match field.key {
            "field" => name = Some(field.node.text()?),
            "origin" => origin = Some(field.node.value.clone()),
            "pivot" => pivot = Some(field.node.text()?),
            key if common.take(key, field.node)? => {}
            key => {
                let reason = format!("{} [distance_feature] unknown field [{key}]", node.location(field.key_pos));
                return Err(Error::new(ErrorKind::XContentParse, reason));
            }
        }
    }
    match (name, origin, pivot) {
        (Some(field), Some(origin), Some(pivot)) => Ok(Query::new(common, DistanceFeature { field, origin, pivot })),
        (field, origin, pivot) => {
            let missing = [("field", field.is_none()), ("origin", origin.is_none()), ("pivot", pivot.is_none())];
            let missing: Vec<&str> = missing.iter().filter(|(_, gone)| *gone).map(|(name, _)| *name).collect();
            Err(Error::illegal_argument(format!("Required [{}]", missing.join(", "))))
        }
    }
}

impl Kind for DistanceFeature {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = cx.field(&self.field) else {
            return Ok(Plan::nothing(format!(
                "Can't run [distance_feature] query on unmapped fields! [{}]",
                self.field
            )));
        };
        if field.family() == Family::GeoPoint {
            let pivot_meters = parse_distance(&self.pivot, DistanceUnit::METERS)?;
            if pivot_meters <= 0.0 {
                let pivot = java_f64(pivot_meters);
                return Err(Error::illegal_argument(format!("pivotDistance must be > 0, got {pivot}")));
            }
            let origin = read_point(&self.origin, true)?;
            return Ok(Plan::custom(score::GeoDistanceFeature { field: field.name.clone(), origin, pivot_meters }));
        }
        if field.family() != Family::Date {
            return Err(Error::illegal_argument(format!(
                "Illegal data type of [{}]![distance_feature] query can only be run on a date, date_nanos or geo_point field type!",
                field.type_name
            )));
        }
        let pivot = time_value_ms(&self.pivot, "distance_feature.pivot")?;
        // Distances are in the unit of the field's values.
        let unit = if field.type_name == "date_nanos" { 1_000_000 } else { 1 };
        let pivot = pivot.saturating_mul(unit);
        let origin = match field.term(&self.origin, &cx.dates)? {
            Exact::Number(origin) | Exact::Numbers(_, origin) => origin,
            _ => return Err(Error::illegal_argument("[distance_feature] origin is not a date")),
        };
        if pivot <= 0 {
            return Err(Error::illegal_argument(format!("pivotDistance must be > 0, got {pivot}")));
        }
        Ok(Plan::custom(score::DistanceFeature { field: field.name.clone(), origin, pivot }))
    }
}
