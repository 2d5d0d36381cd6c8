//! `geo_distance`: places within a distance of another.

use super::geo_field::{GeoParams, geo_field};
use super::geo_shape::Relation;
use super::node::{Common, Node, unsupported};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{Cell, Circle, Corner, DistanceUnit, Point, Shape, decode_geohash, parse_distance, read_point};
use crate::json::Value;
use crate::mapping::Family;
use crate::mapping::number::java_f64;
use crate::score::{Plan, TestedValues, ValueTest};
use std::sync::Arc;

#[derive(Debug)]
struct GeoDistance {
    field: String,
    center: Point,
    meters: f64,
    ignore_unmapped: bool,
    /// Why the center is none.
    invalid: Option<String>,
}

const NOWHERE: Point = Point { lat: f64::NAN, lon: f64::NAN };

pub fn parse(node: Node) -> Result<Query> {
    let (mut common, mut params) = (Common::default(), GeoParams::default());
    let (mut distance, mut unit) = (None, DistanceUnit::METERS);
    let mut place: Option<(String, Point)> = None;
    for field in node.fields() {
        // A list or an object is a place, under whatever name it stands.
        let plain = !matches!(field.node.value, Value::Array(_) | Value::Object(_));
        match field.key {
            // Nothing is nothing said.
            _ if field.node.value.is_null() => {}
            "distance" if plain => {
                if !matches!(field.node.value, Value::String(_)) {
                    field.node.f64()?;
                }
                distance = Some(field.node.text()?);
            }
            "unit" if plain => unit = field.node.named(DistanceUnit::parse)?,
            // However it is to be measured, the reference looks for a circle.
            "distance_type" if plain => _ = field.node.named(read_distance_type)?,
            key if plain && params.take(key, field.node)? => {}
            key if plain && common.take(key, field.node)? => {}
            // A place by its sides, each beside the name of the field; the last name is the one that counts.
            key if plain && (key.ends_with(".lat") || key.ends_with(".lon")) => {
                let point = place.take().map_or(NOWHERE, |(_, point)| point);
                let degrees = field.node.f64()?;
                let name = key[..key.len() - ".lat".len()].to_owned();
                place = Some(match key.ends_with(".lat") {
                    true => (name, Point { lat: degrees, ..point }),
                    false => (name, Point { lon: degrees, ..point }),
                });
            }
            key if plain && place.is_some() => {
                let reason = format!("failed to parse [geo_distance] query. unexpected field [{key}]");
                return Err(field.node.error(reason));
            }
            key => {
                // The last list counts; what else stands beside a place is refused, each in its own way.
                if let Some((first, _)) = place.as_ref().filter(|_| !matches!(field.node.value, Value::Array(_))) {
                    if plain {
                        let reason = format!("failed to parse [geo_distance] query. unexpected field [{key}]");
                        return Err(field.node.error(reason));
                    }
                    return Err(super::node::multiple_fields(field.node, "geo_distance", first, key));
                }
                place = Some((key.to_owned(), center(key, field.node)?));
            }
        }
    }
    let Some(distance) = distance else {
        return Err(node.error_at_end("geo_distance requires 'distance' to be specified"));
    };
    let Some((field, center)) = place.filter(|(field, _)| !field.is_empty()) else {
        return Err(Error::illegal_argument("fieldName must not be null or empty"));
    };
    if distance.is_empty() {
        return Err(Error::illegal_argument("distance must not be null or empty"));
    }
    let meters = parse_distance(&distance, unit).map_err(|error| error.at(node.end_pos()))?;
    if meters <= 0.0 {
        return Err(Error::illegal_argument("distance must be greater than zero"));
    }
    // A place that there is not is refused by the shards.
    let (center, invalid) = match params.checked(center, "geo_distance") {
        Ok(center) => (center, None),
        Err(_) => (center, Some(nowhere(center))),
    };
    let ignore_unmapped = params.ignore_unmapped;
    Ok(Query::new(common, GeoDistance { field, center, meters, ignore_unmapped, invalid }))
}

/// The place that a value stands for: what is no text, list or object is read as the text of a geohash.
fn center(name: &str, node: Node) -> Result<Point> {
    match node.value {
        Value::Object(_) => sides(name, node),
        Value::Array(_) => corner(node).map_err(|error| error.at(node.end_pos())),
        Value::String(_) => corner(node),
        scalar => read_point(&Value::String(scalar.to_text()), false).map_err(|error| error.at(node.pos())),
    }
}

/// A place by its sides, either of which may be missing: that is refused by the shards.
fn sides(name: &str, node: Node) -> Result<Point> {
    let mut point = NOWHERE;
    for field in node.fields_in_lists() {
        match (field.key, field.node.value) {
            (_, Value::Null) => {}
            (_, Value::Object(_)) => return Err(unsupported(field.node, "geo_distance", name)),
            ("lat", _) => point.lat = field.node.f64()?,
            ("lon", _) => point.lon = field.node.f64()?,
            ("geohash", _) => point = decode_geohash(&field.node.text()?)?,
            _ => return Err(unsupported(field.node, "geo_distance", name)),
        }
    }
    Ok(point)
}

/// A place in any of its forms. Places that are asked for have no height.
pub fn corner(node: Node) -> Result<Point> {
    match node.value {
        Value::Array(items) if items.len() < 2 && items.iter().all(|item| item.as_f64().is_some()) => {
            let reason = "[geo_point] field type should have at least two dimensions";
            Err(Error::new(ErrorKind::Parse, reason))
        }
        value @ (Value::Array(_) | Value::Object(_)) => read_point(value, false),
        value => read_point(value, false).map_err(|error| error.at(node.pos())),
    }
}

/// What is wrong with a place that there is not.
fn nowhere(point: Point) -> String {
    let sides = [("center point latitude", point.lat, 90.0), ("center point longitude", point.lon, 180.0)];
    refused_sides("geo_distance", &sides).unwrap_or_default()
}

/// What is wrong with degrees that are beyond the most there can be; `None` if nothing is.
pub fn refused_sides(query: &str, sides: &[(&str, f64, f64)]) -> Option<String> {
    let beyond = |(_, degrees, most): &&(&str, f64, f64)| !(-most..=*most).contains(degrees);
    let wrong: Vec<String> = (sides.iter().filter(beyond))
        .map(|(name, degrees, _)| format!("[{query}] {name} is invalid: {}", java_f64(*degrees)))
        .collect();
    if wrong.is_empty() {
        return None;
    }
    let numbered: String = wrong.iter().enumerate().map(|(at, what)| format!("{}: {what};", at + 1)).collect();
    Some(format!("Validation Failed: {numbered}"))
}

/// Whether distances are measured as if the earth were flat.
pub fn read_distance_type(name: &str) -> Result<bool> {
    match name.to_lowercase().as_str() {
        "plane" => Ok(true),
        "arc" => Ok(false),
        name => Err(Error::illegal_argument(format!("No geo distance for [{name}]"))),
    }
}

/// Places for which it pays to prepare.
const MANY: usize = 1_000;

/// Values by how they lie to a circle.
#[derive(Debug)]
struct Around {
    circle: Circle,
    relation: Relation,
}

impl Around {
    fn new(center: Point, meters: f64, relation: Relation) -> Self {
        Self { circle: Circle::new(center, meters, false), relation }
    }

    fn holds(&self, (lon, lat): &Corner) -> bool {
        self.circle.holds(Point { lat: *lat, lon: *lon })
    }

    /// Whether an edge of the shape comes near enough between its ends: at the place that is nearest to the center on a flat map,
    /// as the reference has it.
    fn meets_edge(&self, shape: &Shape) -> bool {
        let center = self.circle.center;
        shape.edges().any(|(from, to)| {
            let (along, up) = (to.0 - from.0, to.1 - from.1);
            let share = ((center.lon - from.0) * along + (center.lat - from.1) * up) / (along * along + up * up);
            (0.0..=1.0).contains(&share) && self.holds(&(from.0 + along * share, from.1 + up * share))
        })
    }

    fn surrounds_center(&self, shape: &Shape) -> bool {
        let center = Shape { points: vec![(self.circle.center.lon, self.circle.center.lat)], ..Shape::default() };
        crate::geo::intersects(shape, &center)
    }

    fn meets(&self, shape: &Shape) -> bool {
        shape.corners().any(|corner| self.holds(corner)) || self.meets_edge(shape) || self.surrounds_center(shape)
    }
}

impl ValueTest for Around {
    #[inline]
    fn number(&self, value: i64) -> bool {
        self.circle.holds_encoded(value)
    }

    fn prepare(&self, values: usize) {
        if values >= MANY {
            self.circle.prepare();
        }
    }

    fn cell(&self, low: (i32, i32), high: (i32, i32)) -> Option<Cell> {
        self.circle.cell(low, high)
    }

    fn bytes(&self, values: &[&[u8]]) -> bool {
        let mut shapes = values.iter().filter_map(|bytes| Shape::decode_indexed(bytes));
        match self.relation {
            Relation::Intersects => shapes.any(|shape| self.meets(&shape)),
            Relation::Disjoint => !shapes.any(|shape| self.meets(&shape)),
            Relation::Within => shapes.all(|shape| shape.corners().all(|corner| self.holds(corner))),
            Relation::Contains => {
                let shapes: Vec<Shape> = shapes.collect();
                let reached =
                    |shape: &Shape| shape.corners().any(|corner| self.holds(corner)) || self.meets_edge(shape);
                !shapes.iter().any(reached) && shapes.iter().any(|shape| self.surrounds_center(shape))
            }
        }
    }
}

fn circle_text(center: Point, meters: f64) -> String {
    let (lat, lon, meters) = (java_f64(center.lat), java_f64(center.lon), java_f64(meters));
    format!("Circle([{lat},{lon}] radius = {meters} meters)")
}

/// The shapes of a field that lie so to a circle.
pub fn around(name: &Arc<str>, center: Point, meters: f64, relation: Relation) -> Plan {
    let test = Arc::new(Around::new(center, meters, relation));
    let text = format!("LatLonShapeQuery: field={name}:[{},]", circle_text(center, meters));
    TestedValues { field: name.clone(), test, text }.plan()
}

/// The places of a field that lie in a circle.
pub fn in_circle(name: &Arc<str>, center: Point, meters: f64) -> Plan {
    let test = Arc::new(Around::new(center, meters, Relation::Intersects));
    let text = format!("{name}:INTERSECTS:geometries([{}])", circle_text(center, meters));
    let (lat, lon, meters) = (java_f64(center.lat), java_f64(center.lon), java_f64(meters));
    let index = format!("{name}:{lat},{lon} +/- {meters} meters");
    let shown = format!("IndexOrDocValuesQuery(indexQuery={index}, dvQuery={text})");
    TestedValues { field: name.clone(), test, text }.plan().shown_as(shown)
}

impl Kind for GeoDistance {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = geo_field(cx, &self.field, "geo_distance", self.ignore_unmapped)? else {
            return Ok(Plan::nothing(""));
        };
        for (side, degrees, most) in [("latitude", self.center.lat, 90.0), ("longitude", self.center.lon, 180.0)] {
            // Whoever overlooks malformed points still cannot look around one.
            if self.invalid.is_none() && (degrees.is_nan() || degrees.abs() > most) {
                let reason = format!("invalid {side} {degrees:?}; must be between -{most:?} and {most:?}");
                return Err(Error::illegal_argument(reason));
            }
        }
        if let Some(reason) = &self.invalid {
            let cause = Error::new(ErrorKind::QueryValidation, reason.clone());
            return Err(cx.error("couldn't validate latitude/ longitude values").caused_by(cause));
        }
        let Self { center, meters, .. } = *self;
        if field.family() == Family::GeoShape {
            return Ok(around(&field.name, center, meters, Relation::Intersects));
        }
        Ok(in_circle(&field.name, center, meters))
    }

    fn check(&self, cx: &PlanContext) -> Result<()> {
        match geo_field(cx, &self.field, "geo_distance", self.ignore_unmapped) {
            Err(error) if error.kind() == ErrorKind::QueryShard => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::{encode_point, to_curve};
    use crate::pace::{Pace, block_on_ready};
    use crate::query::{InBox, Sides};
    use crate::score::Places;
    use crate::segment::{NO_MORE_DOCS, Points};

    #[test]
    fn cells_of_the_curve_agree_with_testing_each_place() {
        let mut seed = 11u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let max_doc = 30_000u32;
        let mut values: Vec<(u32, i64)> = vec![];
        for doc in 0..max_doc {
            // A town, its country, and the whole earth; some places many times.
            let span = [0.05, 3.0, 90.0][doc as usize % 3];
            let (lat, lon) = (40.75 + span * (random() - 0.5), -73.97 + 2.0 * span * (random() - 0.5));
            let place = if doc % 10 == 0 { Point { lat: 40.75, lon: -73.97 } } else { Point { lat, lon }.normalized() };
            values.push((doc, encode_point(place)));
        }
        let mut pairs: Vec<_> = values.iter().map(|(doc, number)| (to_curve(*number), *doc)).collect();
        pairs.sort_unstable();
        let circle = |lat, lon, meters| -> Arc<dyn ValueTest> {
            Arc::new(Around::new(Point { lat, lon }, meters, Relation::Intersects))
        };
        let rectangle = |top, left, bottom, right| -> Arc<dyn ValueTest> {
            Arc::new(InBox::new(Sides { top, left, bottom, right }))
        };
        let bytes = block_on_ready(crate::segment::points::write(max_doc, &pairs, &Pace::never()));
        let points = Points::new(max_doc, bytes.into());
        let tests: Vec<Arc<dyn ValueTest>> = vec![
            circle(40.75, -73.97, 2_000.0),
            circle(40.76, -73.96, 0.5),
            circle(41.0, -74.5, 90_000.0),
            circle(45.0, -70.0, 500_000.0),
            rectangle(40.76, -73.99, 40.74, -73.96),
            rectangle(41.0, -75.0, 40.7, -73.9),
            rectangle(80.0, 170.0, -80.0, -75.0),
            rectangle(90.0, -180.0, -90.0, 180.0),
        ];
        for test in tests {
            let expected: Vec<u32> = values.iter().filter(|(_, at)| test.number(*at)).map(|(doc, _)| *doc).collect();
            let places = Places::of(&points, &*test).unwrap();
            assert_eq!(places.count(), expected.len() as u64, "{test:?}");
            let (mut it, mut found) = (places.into_docs(&points), vec![]);
            while it.doc() != NO_MORE_DOCS {
                found.push(it.doc());
                it.next();
            }
            assert_eq!(found, expected, "{test:?}");
        }
    }
}
