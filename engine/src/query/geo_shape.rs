//! `geo_shape`: places and shapes by how they lie to a shape.

use super::geo_field::geo_field;
use super::lookup::Lookup;
use super::node::{Common, Node, unsupported};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::geo::{Bounds, Corner, Point, Shape, contains, decode_point, encode_point, intersects, read_shape};
use crate::json::Value;
use crate::mapping::Family;
use crate::mapping::number::java_f64;
use crate::score::{Plan, TestedValues, ValueTest};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    Intersects,
    Disjoint,
    Within,
    Contains,
}

/// The shape that places are compared with: given, or that of a document.
#[derive(Debug)]
enum Asked {
    Given(Shape),
    Indexed(Lookup),
}

#[derive(Debug)]
struct GeoShape {
    field: String,
    shape: Asked,
    relation: Relation,
    ignore_unmapped: bool,
}

pub fn parse(node: Node) -> Result<Query> {
    // Unless it is boosted, it scores nothing.
    let (mut common, mut ignore_unmapped) = (Common { boost: 0.0, ..Common::default() }, false);
    let mut found: Option<(String, Option<Asked>, Relation)> = None;
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

fn parse_shape(node: Node) -> Result<(Option<Asked>, Relation)> {
    let (mut shape, mut indexed, mut relation) = (None, None, Relation::Intersects);
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
            "indexed_shape" => indexed = parse_indexed(field.node)?,
            key => return Err(unsupported(field.node, "geo_shape", key)),
        }
    }
    Ok((shape.map(Asked::Given).or(indexed.map(Asked::Indexed)), relation))
}

/// The document that holds the shape; none without its id.
fn parse_indexed(node: Node) -> Result<Option<Lookup>> {
    let (mut index, mut id, mut path, mut routing) = ("shapes".to_owned(), None, "shape".to_owned(), None);
    for field in node.object().into_iter().flat_map(|_| node.fields()) {
        match field.key {
            "index" => index = field.node.text()?,
            "id" => id = Some(field.node.text()?),
            "path" => path = field.node.text()?,
            "routing" => routing = Some(field.node.text()?),
            _ => {}
        }
    }
    Ok(id.map(|id| {
        let mut lookup = Lookup::required(index, id, routing);
        lookup.shape = Some(path);
        lookup
    }))
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
    fn line_or_point(shape: &Shape) -> Option<&'static str> {
        let Shape { points, lines, areas } = shape;
        match (points.len(), lines.len()) {
            _ if !areas.is_empty() => None,
            (1, 0) => Some("point"),
            (_, 0) => Some("multipoint"),
            (_, 1) => Some("linestring"),
            _ => Some("multilinestring"),
        }
    }
}

/// The text of the query for a shape, as the reference writes it.
fn shape_text(field: &str, shape: &Shape) -> String {
    let bounds = shape.bounds();
    let is_box = |rings: &Vec<Vec<Corner>>| {
        let own = Shape { areas: vec![rings.clone()], ..Shape::default() }.bounds();
        let ring = Shape::of_box(own.max.1, own.min.0, own.min.1, own.max.0);
        ring.areas.first().is_some_and(|area| area == rings)
    };
    let of_box = |bounds: Bounds| {
        let [low, high] = [bounds.min, bounds.max].map(|(lon, lat)| (java_f64(lat), java_f64(lon)));
        format!("Rectangle(lat={} TO {} lon={} TO {})", low.0, high.0, low.1, high.1)
    };
    if let (true, true, [area]) = (shape.points.is_empty(), shape.lines.is_empty(), shape.areas.as_slice())
        && is_box(area)
    {
        return format!("LatLonShapeBoundingBoxQuery: field={field}:{}", of_box(bounds));
    }
    let mut parts: Vec<String> = vec![];
    for (lon, lat) in &shape.points {
        let at = decode_point(encode_point(Point { lat: *lat, lon: *lon }));
        parts.push(format!("Point({},{})", java_f64(at.lon), java_f64(at.lat)));
    }
    for line in &shape.lines {
        let corners: String =
            line.iter().map(|(lon, lat)| format!("[{}, {}]", java_f64(*lon), java_f64(*lat))).collect();
        parts.push(format!("Line({corners})"));
    }
    for rings in &shape.areas {
        if is_box(rings) {
            parts.push(of_box(Shape { areas: vec![rings.clone()], ..Shape::default() }.bounds()));
            continue;
        }
        let mut rings = rings.iter();
        let mut text = rings.next().map_or_else(String::new, |ring| ring_text(ring, true));
        let holes: Vec<String> = rings.map(|ring| ring_text(ring, false)).collect();
        if !holes.is_empty() {
            text.push_str(&format!(", holes=[{}]", holes.join(", ")));
        }
        parts.push(text);
    }
    let parts: String = parts.into_iter().map(|part| part + ",").collect();
    format!("LatLonShapeQuery: field={field}:[{parts}]")
}

/// A ring from its second corner on: against the clock what is outside, with it what is a hole.
fn ring_text(ring: &[Corner], outer: bool) -> String {
    let mut corners = ring.to_vec();
    let twice_area: f64 = corners.windows(2).map(|edge| edge[0].0 * edge[1].1 - edge[1].0 * edge[0].1).sum();
    if (twice_area > 0.0) != outer {
        corners.reverse();
    }
    corners.pop();
    if !corners.is_empty() {
        corners.rotate_left(1);
        corners.push(corners[0]);
    }
    let corners: String =
        corners.iter().map(|(lon, lat)| format!("[{}, {}] ", java_f64(*lat), java_f64(*lon))).collect();
    format!("Polygon{corners}")
}

impl Kind for GeoShape {
    fn lookups(&self) -> &[Lookup] {
        match &self.shape {
            Asked::Given(_) => &[],
            Asked::Indexed(lookup) => std::slice::from_ref(lookup),
        }
    }

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
        let looked_up;
        let shape = match &self.shape {
            Asked::Given(shape) => shape,
            Asked::Indexed(lookup) => {
                looked_up = lookup.shape(lookup.source(cx.index)?.map(|source| &source[..]))?;
                &looked_up
            }
        };
        if let Some(kind) = Self::line_or_point(shape) {
            if field.family() == Family::GeoPoint {
                return Err(cx.error(format!("Field [{}] does not support {kind} queries", field.name)));
            }
            if kind != "point" && kind != "multipoint" && self.relation == Relation::Within {
                let reason = "LatLonShapeQuery does not support WITHIN queries with line geometries";
                return Err(Error::illegal_argument(reason));
            }
        }
        let text = shape_text(&field.name, shape);
        let test = Arc::new(Lies { shape: shape.clone(), relation: self.relation });
        Ok(TestedValues { field: field.name.clone(), test, text }.plan().constant())
    }
}
