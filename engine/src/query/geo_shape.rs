//! `geo_shape`: places and shapes by how they lie to a shape.

use super::bool_query::check_clauses;
use super::geo_box::{InBox, Sides, in_areas, in_box};
use super::geo_distance::{around, in_circle};
use super::geo_field::geo_field;
use super::lookup::Lookup;
use super::node::{Common, Node};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{
    Bounds, Corner, DistanceUnit, Point, Shape, check_geojson, contains, decode_point, encode_point, intersects,
    parse_distance, read_shape,
};
use crate::json::Value;
use crate::mapping::Family;
use crate::mapping::number::java_f64;
use crate::score::{BoolPlan, Plan, TestedValues, ValueTest};
use std::sync::Arc;

/// How the shapes of a field lie to the one that is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    Intersects,
    Disjoint,
    Within,
    Contains,
}

/// The shape that places are compared with: given, or that of a document.
#[derive(Debug)]
enum Asked {
    /// With the first kind in it that covers no area.
    Given(Shape, Option<&'static str>),
    Indexed(Lookup),
    /// A center, and how far from it in meters: there is no shape of corners for that.
    Circle(Point, f64),
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
    // What stands in a list is read in its place.
    for field in node.fields_in_lists() {
        match (field.key, field.node.value) {
            (key, Value::Object(_)) => {
                if found.is_some() {
                    return Err(field.node.error(format!("point specified twice. [{key}]")));
                }
                let (shape, relation) = parse_shape(field.node)?;
                found = Some((key.to_owned(), shape, relation));
            }
            (_, Value::Null) => {}
            ("ignore_unmapped", _) => ignore_unmapped = field.node.bool()?,
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(field.node.error(format!("query does not support [{key}]"))),
        }
    }
    let Some((field, shape, relation)) = found else {
        return Err(Error::illegal_argument("fieldName is required"));
    };
    let missing = || Error::illegal_argument("either shape or indexedShapeId is required").at(node.end_pos());
    let shape = shape.ok_or_else(missing)?;
    Ok(Query::new(common, GeoShape { field, shape, relation, ignore_unmapped }))
}

fn parse_shape(node: Node) -> Result<(Option<Asked>, Relation)> {
    let (mut shape, mut indexed, mut relation) = (None, None, Relation::Intersects);
    for field in node.fields() {
        match field.key {
            "shape" if field.node.value.is_null() => {}
            "shape" => {
                // What is wrong with an object is told once it has been read.
                let at = if field.node.object().is_some() { field.node.end_pos() } else { field.node.pos() };
                // But for a kind that is no text.
                let kind = field.node.object().and_then(|_| field.node.fields().find(|field| field.key == "type"));
                if let Some(kind) = kind.filter(|kind| !is_scalar(kind.node.value)) {
                    kind.node.text().map_err(|error| Error::new(error.kind(), error.reason()).at(at))?;
                }
                shape = Some(given(field.node.value).map_err(|error| error.at(at))?);
            }
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
            // There is one way to find shapes.
            "strategy" => {
                let name = field.node.text()?;
                if !["recursive", "term"].contains(&name.as_str()) {
                    return Err(field.node.error(format!("Unknown strategy [{name} ]")));
                }
            }
            key => return Err(field.node.error(format!("query does not support [{key}]"))),
        }
    }
    Ok((shape.or(indexed.map(Asked::Indexed)), relation))
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_) | Value::Null)
}

/// The shape that stands in a query.
fn given(value: &Value) -> Result<Asked> {
    if is_circle(value) {
        return parse_circle(value);
    }
    if !matches!(value, Value::String(_)) {
        check_geojson(value)?;
    }
    let read = read_shape(value).map_err(|error| match error.reason().strip_prefix("Unknown geometry type: ") {
        Some(name) => Error::new(error.kind(), format!("unknown geo_shape [{name}]")),
        None => error,
    })?;
    Ok(Asked::Given(read, first_line_or_point(value)))
}

/// The first kind in a shape that covers no area, by the names in it as they are written.
fn first_line_or_point(shape: &Value) -> Option<&'static str> {
    let kind = |name: &str| {
        let is_kind = |kind: &&&str| name.eq_ignore_ascii_case(kind);
        ["point", "multipoint", "linestring", "multilinestring"].iter().find(is_kind).copied()
    };
    match shape {
        Value::String(text) => text.split(|c: char| !c.is_ascii_alphabetic()).find_map(kind),
        shape => match shape.get("geometries").and_then(Value::as_array) {
            Some(shapes) => shapes.iter().find_map(first_line_or_point),
            None => shape.get("type").and_then(Value::as_str).and_then(kind),
        },
    }
}

fn is_circle(shape: &Value) -> bool {
    shape.get("type").and_then(Value::as_str).is_some_and(|kind| kind.eq_ignore_ascii_case("circle"))
}

fn parse_circle(shape: &Value) -> Result<Asked> {
    let coordinates = shape.get("coordinates").and_then(Value::as_array);
    let coordinates = coordinates.ok_or_else(|| Error::new(ErrorKind::Parse, "coordinates not included"))?;
    let [Some(lon), Some(lat)] = [0, 1].map(|at| coordinates.get(at).and_then(Value::as_f64)) else {
        let reason = "Cannot read field \"x\" because \"this.center\" is null";
        return Err(Error::new(ErrorKind::NullPointer, reason));
    };
    let radius = shape
        .get("radius")
        .filter(|radius| !radius.is_null())
        .ok_or_else(|| Error::new(ErrorKind::NullPointer, "Cannot read field \"value\" because \"radius\" is null"))?;
    let meters = parse_distance(&radius.to_text(), DistanceUnit::METERS)?;
    if meters < 0.0 {
        let meters = java_f64(meters);
        return Err(Error::illegal_argument(format!("Circle radius [{meters}] cannot be negative")));
    }
    Ok(Asked::Circle(Point { lat, lon }, meters))
}

/// Refuses points and boxes beyond the ends of the earth. Lines and areas go around it.
fn check_places(shape: &Shape, cx: &PlanContext) -> Result<()> {
    for [top, left, bottom, right] in &shape.boxes {
        [(*bottom, *left), (*top, *right)]
            .into_iter()
            .try_for_each(|(lat, lon)| check_place(Point { lat, lon }, cx))?;
    }
    shape.points.iter().try_for_each(|(lon, lat)| check_place(Point { lat: *lat, lon: *lon }, cx))
}

/// Refuses what is no place.
fn check_place(center: Point, cx: &PlanContext) -> Result<()> {
    let (what, number, most) = match center {
        Point { lat, .. } if !(-90.0..=90.0).contains(&lat) => ("latitude", lat, 90.0),
        Point { lon, .. } if !(-180.0..=180.0).contains(&lon) => ("longitude", lon, 180.0),
        _ => return Ok(()),
    };
    let [number, low, high] = [number, -most, most].map(java_f64);
    let reason = format!("invalid {what} {number}; must be between {low} and {high}");
    Err(cx.error(format!("failed to create query: {reason}")).caused_by(Error::illegal_argument(reason)))
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

    fn is_slow(&self) -> bool {
        self.shape.is_large()
    }

    fn bytes(&self, values: &[&[u8]]) -> bool {
        let bounds = self.shape.bounds();
        let near = |bytes: &[u8]| Shape::decode_bounds(bytes).is_some_and(|own| own.overlaps(&bounds));
        let meets =
            |bytes: &[u8]| near(bytes) && Shape::decode_indexed(bytes).is_some_and(|own| intersects(&own, &self.shape));
        match self.relation {
            Relation::Intersects => values.iter().any(|bytes| meets(bytes)),
            Relation::Disjoint => !values.iter().any(|bytes| meets(bytes)),
            Relation::Within => {
                values.iter().all(|bytes| Shape::decode_indexed(bytes).is_some_and(|own| contains(&self.shape, &own)))
            }
            Relation::Contains => values.iter().any(|bytes| {
                near(bytes) && Shape::decode_indexed(bytes).is_some_and(|own| contains(&own, &self.shape))
            }),
        }
    }
}

impl GeoShape {
    /// The kind of a shape that covers no area.
    fn line_or_point(shape: &Shape) -> Option<&'static str> {
        let Shape { points, lines, areas, .. } = shape;
        match (points.len(), lines.len()) {
            _ if !areas.is_empty() => None,
            (1, 0) => Some("point"),
            (_, 0) => Some("multipoint"),
            (_, 1) => Some("linestring"),
            _ => Some("multilinestring"),
        }
    }
}

/// The sides of a shape that is a box and nothing else: top, left, bottom and right.
fn as_box(shape: &Shape) -> Option<[f64; 4]> {
    let [only] = shape.boxes[..] else { return None };
    let [top, left, bottom, right] = only;
    let alone = Shape::of_box(top, left, bottom, right) == *shape;
    alone.then_some(only)
}

/// The text of the query for a shape, as the reference writes it.
pub fn shape_text(field: &str, shape: &Shape) -> String {
    let of_box = |[top, left, bottom, right]: [f64; 4]| {
        let line = if left > right { " [crosses dateline!]" } else { "" };
        let [top, left, bottom, right] = [top, left, bottom, right].map(java_f64);
        format!("Rectangle(lat={bottom} TO {top} lon={left} TO {right}{line})")
    };
    if let Some(only) = as_box(shape) {
        return format!("LatLonShapeBoundingBoxQuery: field={field}:{}", of_box(only));
    }
    // Over the line where days change a box is two areas.
    let boxes = shape.box_areas();
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
        let part = boxes.box_of(rings).map_or_else(|| area_text(rings), of_box);
        if parts.last() != Some(&part) {
            parts.push(part);
        }
    }
    let parts: String = parts.into_iter().map(|part| part + ",").collect();
    format!("LatLonShapeQuery: field={field}:[{parts}]")
}

/// An area with its holes.
fn area_text(rings: &[Vec<Corner>]) -> String {
    let mut rings = rings.iter();
    let mut text = rings.next().map_or_else(String::new, |ring| ring_text(ring, true));
    let holes: Vec<String> = rings.map(|ring| ring_text(ring, false)).collect();
    if !holes.is_empty() {
        text.push_str(&format!(", holes=[{}]", holes.join(", ")));
    }
    text
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
            Asked::Given(..) | Asked::Circle(..) => &[],
            Asked::Indexed(lookup) => std::slice::from_ref(lookup),
        }
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        if cx.field(&self.field).is_none() && !self.ignore_unmapped {
            return Err(cx.error(format!("failed to find type for field [{}]", self.field)));
        }
        if let Some(field) = cx.field(&self.field)
            && !matches!(field.family(), Family::GeoPoint | Family::GeoShape)
        {
            let (name, kind) = (&self.field, field.type_name);
            return Err(cx.error(format!("Field [{name}] is of unsupported type [{kind}] for [geo_shape] query")));
        }
        let Some(field) = geo_field(cx, &self.field, "geo_shape", self.ignore_unmapped)? else {
            return Ok(Plan::nothing(""));
        };
        if field.family() == Family::GeoPoint && self.relation != Relation::Intersects {
            let relation = format!("{:?}", self.relation).to_ascii_uppercase();
            return Err(cx.error(format!("{relation} query relation not supported for Field [{}].", field.name)));
        }
        let looked_up;
        let (shape, first) = match &self.shape {
            Asked::Circle(center, meters) if field.family() == Family::GeoPoint => {
                check_place(*center, cx)?;
                return Ok(in_circle(&field.name, *center, *meters).constant());
            }
            Asked::Circle(center, meters) => {
                check_place(*center, cx)?;
                return Ok(around(&field.name, *center, *meters, self.relation).constant());
            }
            Asked::Given(shape, first) => (shape, *first),
            Asked::Indexed(lookup) => {
                looked_up = lookup.shape(lookup.source(cx.index)?.map(|source| &source[..]))?;
                (&looked_up, None)
            }
        };
        let kind = Self::line_or_point(shape);
        if let (Some(kind), Family::GeoPoint) = (first.or(kind), field.family()) {
            return Err(cx.error(format!("Field [{}] does not support {kind} queries", field.name)));
        }
        if matches!(kind, Some("linestring" | "multilinestring")) && self.relation == Relation::Within {
            let reason = "LatLonShapeQuery does not support WITHIN queries with line geometries";
            return Err(Error::illegal_argument(reason));
        }
        check_places(shape, cx)?;
        let test = Arc::new(Lies { shape: shape.clone(), relation: self.relation });
        if field.family() == Family::GeoPoint {
            return Ok(match as_box(shape) {
                Some([top, left, bottom, right]) => in_box(&field.name, InBox::new(Sides { top, left, bottom, right })),
                None => {
                    in_areas(&field.name, test, &shape.areas.iter().map(|rings| area_text(rings)).collect::<Vec<_>>())
                }
            }
            .constant());
        }
        let tested = |test: Arc<Lies>| {
            let text = shape_text(&field.name, &test.shape);
            TestedValues { field: field.name.clone(), test, text }.plan()
        };
        let parts = if self.relation == Relation::Contains { parts(shape) } else { vec![] };
        if parts.len() < 2 {
            return Ok(tested(test).constant());
        }
        // All parts have to be contained, each by whatever shape of the document.
        check_clauses(cx, parts.len())?;
        let one = |shape: Shape| tested(Arc::new(Lies { shape, relation: self.relation }));
        let all = Plan::Bool(BoolPlan { must: parts.into_iter().map(one).collect(), ..BoolPlan::default() });
        Ok(if as_box(shape).is_some() { all.constant() } else { all.constant().constant() })
    }
}

/// The points, lines and areas of a shape. A box over the line where days change is two.
fn parts(shape: &Shape) -> Vec<Shape> {
    let points = shape.points.iter().map(|point| Shape { points: vec![*point], ..Shape::default() });
    let lines = shape.lines.iter().map(|line| Shape { lines: vec![line.clone()], ..Shape::default() });
    let boxes = shape.box_areas();
    let areas = shape.areas.iter().map(|rings| {
        let area = Shape { areas: vec![rings.clone()], ..Shape::default() };
        let Bounds { min, max } = area.bounds();
        match boxes.box_of(rings) {
            Some(_) => Shape::of_box(max.1, min.0, min.1, max.0),
            None => area,
        }
    });
    points.chain(lines).chain(areas).collect()
}
