//! `geo_shape`: places and shapes by how they lie to a shape.

use super::geo_field::geo_field;
use super::node::{Common, Node, unsupported};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::geo::{Shape, contains, decode_point, intersects, read_shape};
use crate::json::Value;
use crate::mapping::Family;
use crate::score::{Plan, TestedValues, ValueTest};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    Intersects,
    Disjoint,
    Within,
    Contains,
}

#[derive(Debug)]
struct GeoShape {
    field: String,
    shape: Shape,
    relation: Relation,
    ignore_unmapped: bool,
}

pub fn parse(node: Node) -> Result<Query> {
    // Unless it is boosted, it scores nothing.
    let (mut common, mut ignore_unmapped) = (Common { boost: 0.0, ..Common::default() }, false);
    let mut found: Option<(String, Option<Shape>, Relation)> = None;
    for field in node.fields() {
        match (field.key, field.node.value) {
            (key, Value::Object(_)) => {
                if let Some((first, ..)) = &found {
                    return Err(super::node::multiple_fields(field.node, "geo_shape", first, key));
                }
                let (shape, relation) = parse_shape(field.node)?;
                found = Some((key.to_owned(), shape, relation));
            }
            ("ignore_unmapped", _) => ignore_unmapped = field.node.bool()?,
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(field.node.error(format!("query does not support [{key}]"))),
        }
    }
    let Some((field, shape, relation)) = found else {
        return Err(Error::illegal_argument("fieldName is required"));
    };
    let shape = shape.ok_or_else(|| Error::illegal_argument("either shape or indexedShapeId is required"))?;
    Ok(Query::new(common, GeoShape { field, shape, relation, ignore_unmapped }))
}

fn parse_shape(node: Node) -> Result<(Option<Shape>, Relation)> {
    let (mut shape, mut relation) = (None, Relation::Intersects);
    for field in node.fields() {
        match field.key {
            "shape" => shape = Some(read_shape(field.node.value)?),
            "relation" => {
                let name = field.node.text()?;
                relation = match name.to_ascii_lowercase().as_str() {
                    "intersects" => Relation::Intersects,
                    "disjoint" => Relation::Disjoint,
                    "within" => Relation::Within,
                    "contains" => Relation::Contains,
                    _ => return Err(field.node.error(format!("Unknown shape operation [{name} ]"))),
                };
            }
            "indexed_shape" => return Err(field.node.error("[indexed_shape] is not supported yet")),
            key => return Err(unsupported(field.node, "geo_shape", key)),
        }
    }
    Ok((shape, relation))
}

#[derive(Debug)]
struct Lies {
    shape: Shape,
    relation: Relation,
}

impl ValueTest for Lies {
    fn number(&self, value: i64) -> bool {
        let point = decode_point(value);
        intersects(&self.shape, &Shape { points: vec![(point.lon, point.lat)], ..Shape::default() })
    }

    fn bytes(&self, values: &[&[u8]]) -> bool {
        let bounds = self.shape.bounds();
        let near = |bytes: &[u8]| Shape::decode_bounds(bytes).is_some_and(|own| own.overlaps(&bounds));
        let meets = |bytes: &[u8]| near(bytes) && Shape::decode(bytes).is_some_and(|own| intersects(&own, &self.shape));
        match self.relation {
            Relation::Intersects => values.iter().any(|bytes| meets(bytes)),
            Relation::Disjoint => !values.iter().any(|bytes| meets(bytes)),
            Relation::Within => {
                values.iter().all(|bytes| Shape::decode(bytes).is_some_and(|own| contains(&self.shape, &own)))
            }
            Relation::Contains => values
                .iter()
                .any(|bytes| near(bytes) && Shape::decode(bytes).is_some_and(|own| contains(&own, &self.shape))),
        }
    }
}

impl GeoShape {
    /// The kind of a shape that covers no area.
    fn line_or_point(&self) -> Option<&'static str> {
        let Shape { points, lines, areas } = &self.shape;
        match (points.len(), lines.len()) {
            _ if !areas.is_empty() => None,
            (1, 0) => Some("point"),
            (_, 0) => Some("multipoint"),
            (_, 1) => Some("linestring"),
            _ => Some("multilinestring"),
        }
    }
}

impl Kind for GeoShape {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        if cx.field(&self.field).is_none() && !self.ignore_unmapped {
            return Err(cx.error(format!("failed to find type for field [{}]", self.field)));
        }
        let Some(field) = geo_field(cx, &self.field, "geo_shape", self.ignore_unmapped)? else {
            return Ok(Plan::nothing("unmapped geo field"));
        };
        if field.family() == Family::GeoPoint && self.relation != Relation::Intersects {
            let relation = format!("{:?}", self.relation).to_ascii_uppercase();
            return Err(cx.error(format!("{relation} query relation not supported for Field [{}].", field.name)));
        }
        if let Some(kind) = self.line_or_point() {
            if field.family() == Family::GeoPoint {
                return Err(cx.error(format!("Field [{}] does not support {kind} queries", field.name)));
            }
            if kind != "point" && kind != "multipoint" && self.relation == Relation::Within {
                let reason = "LatLonShapeQuery does not support WITHIN queries with line geometries";
                return Err(Error::illegal_argument(reason));
            }
        }
        let bounds = self.shape.bounds();
        let show = crate::mapping::number::java_f64;
        let text = format!(
            "LatLonShapeBoundingBoxQuery: field={}:Rectangle(lat={} TO {} lon={} TO {})",
            field.name,
            show(bounds.min.1),
            show(bounds.max.1),
            show(bounds.min.0),
            show(bounds.max.0)
        );
        let test = Arc::new(Lies { shape: self.shape.clone(), relation: self.relation });
        Ok(TestedValues { field: field.name.clone(), test, text }.plan().constant())
    }
}
