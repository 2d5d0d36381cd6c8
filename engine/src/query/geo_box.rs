//! `geo_bounding_box`: places within a box. `geo_polygon`: within a ring of corners.

use super::geo_distance::{self, refused_sides};
use super::geo_field::{GeoParams, geo_field};
use super::geo_shape::shape_text;
use super::node::{Common, Field, Node, unsupported};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{
    Bounds, Cell, Corner, Point, Shape, covers, decode_point, encode_latitude, encode_longitude, geohash_cell,
    intersects, read_shape,
};
use crate::json::Value;
use crate::mapping::Family;
use crate::mapping::number::java_f64;
use crate::score::{Plan, TestedValues, ValueTest};
use std::sync::Arc;

/// Sides in degrees.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sides {
    pub top: f64,
    pub left: f64,
    pub bottom: f64,
    pub right: f64,
}

#[derive(Debug)]
struct GeoBox {
    field: String,
    sides: Sides,
    ignore_unmapped: bool,
    /// Why the sides are none.
    invalid: Option<String>,
}

pub fn parse(node: Node) -> Result<Query> {
    let (mut common, mut params) = (Common::default(), GeoParams::default());
    let (mut found, mut kind) = (None, None);
    // What stands in a list is read in its place.
    for field in node.fields_in_lists() {
        match (field.key, field.node.value) {
            (key, Value::Object(_)) => found = Some((key.to_owned(), sides(field.node).map_err(refused)?)),
            (_, Value::Null) => {}
            ("type", _) => kind = Some(field.node.text()?),
            (key, _) if params.take(key, field.node)? => {}
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => {
                let reason = format!("failed to parse [geo_bounding_box] query. unexpected field [{key}]");
                return Err(field.node.error(reason));
            }
        }
    }
    let Some((field, sides)) = found else {
        let reason = "failed to parse [geo_bounding_box] query. bounding box not provided";
        return Err(Error::new(ErrorKind::Parse, reason).at(node.end_pos()));
    };
    let wrong = |reason: String| Error::illegal_argument(reason).at(node.end_pos());
    let of_sides = [
        ("top latitude", sides.top),
        ("left longitude", sides.left),
        ("bottom latitude", sides.bottom),
        ("right longitude", sides.right),
    ];
    if let Some((name, side)) = of_sides.into_iter().find(|(_, side)| !side.is_finite()) {
        return Err(wrong(format!("{name} is invalid: {}", java_f64(side))));
    }
    if sides.top < sides.bottom {
        let (top, bottom) = (java_f64(sides.top), java_f64(sides.bottom));
        return Err(wrong(format!("top is below bottom corner: {top} vs. {bottom}")));
    }
    for (one, other, a, b) in [("top", "bottom", sides.top, sides.bottom), ("left", "right", sides.left, sides.right)] {
        if a == b {
            let (a, b) = (java_f64(a), java_f64(b));
            return Err(wrong(format!("{one} cannot be the same as {other}: {a} == {b}")));
        }
    }
    // How the box is looked for makes no difference any more.
    if let Some(kind) = kind
        && !["memory", "indexed"].contains(&kind.to_ascii_lowercase().as_str())
    {
        return Err(wrong(format!("no type can be parsed from ordinal {kind}")));
    }
    // Sides that there are not are refused by the shards.
    let corners = [Point { lat: sides.top, lon: sides.left }, Point { lat: sides.bottom, lon: sides.right }];
    let strict = corners.into_iter().any(|corner| params.checked(corner, "geo_bounding_box").is_err());
    let most = |name: &str| if name.ends_with("latitude") { 90.0 } else { 180.0 };
    let invalid = strict
        .then(|| refused_sides("geo_bounding_box", &of_sides.map(|(name, side)| (name, side, most(name)))))
        .flatten();
    let sides = if params.coerces() { sides.coerced() } else { sides };
    Ok(Query::new(common, GeoBox { field, sides, ignore_unmapped: params.ignore_unmapped, invalid }))
}

/// Refuses corners, longitudes first, beyond the poles or the line where days change.
fn check_on_earth(corners: impl IntoIterator<Item = Corner>) -> Result<()> {
    for (lon, lat) in corners {
        for (name, degrees, most) in [("latitude", lat, 90.0), ("longitude", lon, 180.0)] {
            if f64::abs(degrees) > most {
                let (degrees, most) = (java_f64(degrees), java_f64(most));
                let reason = format!("invalid {name} {degrees}; must be between -{most} and {most}");
                return Err(Error::illegal_argument(reason));
            }
        }
    }
    Ok(())
}

/// What the reference says around an error in a box.
fn refused(error: Error) -> Error {
    let refusal =
        Error::new(ErrorKind::Parse, format!("failed to parse [geo_bounding_box] query. [{}]", error.reason()));
    error.place().into_iter().fold(refusal, Error::at)
}

/// A box by its corners, its sides, or as text.
pub fn sides(node: Node) -> Result<Sides> {
    let mut sides = Sides { top: f64::NAN, left: f64::NAN, bottom: f64::NAN, right: f64::NAN };
    node.fields().try_for_each(|field| sides.read(&field))?;
    Ok(sides)
}

impl Sides {
    /// The box that is meant by sides beyond the poles or the line where days change.
    fn coerced(self) -> Self {
        let is_all_around = (self.right - self.left) % 360.0 == 0.0 && self.right > self.left;
        let corner = |lat, lon| Point { lat, lon }.normalized_in(!is_all_around);
        let (high, low) = (corner(self.top, self.left), corner(self.bottom, self.right));
        let (left, right) = if is_all_around { (-180.0, 180.0) } else { (high.lon, low.lon) };
        Self { top: high.lat, left, bottom: low.lat, right }
    }

    /// Refuses what is no box on the earth.
    fn check(&self, family: Family) -> Result<()> {
        if self.top < self.bottom {
            return Err(Error::illegal_argument("max y cannot be less than min x"));
        }
        match family {
            Family::GeoPoint => check_on_earth([(self.left, self.bottom), (self.right, self.top)]),
            _ => Ok(()),
        }
    }

    /// Nothing lies at the north pole, or on the line where days change seen from the west.
    fn holds_no_point(&self) -> bool {
        self.bottom == 90.0 || self.left == 180.0 && self.right == 180.0
    }

    fn read(&mut self, field: &Field) -> Result<()> {
        let value = field.node;
        // A geohash is a cell: each of its corners is the one that the box has there.
        let cell = match value.value {
            Value::String(text) if !text.contains([',', '(']) => Some(text.trim()),
            Value::Object(map) if map.len() == 1 => map.get("geohash").and_then(Value::as_str),
            _ => None,
        };
        let corner = |top: bool, right: bool| match cell {
            Some(hash) => {
                let (low, high) = geohash_cell(hash).map_err(|error| error.at(value.last_pos()))?;
                let (lat, lon) = (if top { high.lat } else { low.lat }, if right { high.lon } else { low.lon });
                Ok(Point { lat, lon })
            }
            None => geo_distance::corner(value).map_err(|error| error.at(value.last_pos())),
        };
        let number = || value.f64().map_err(|error| error.at(value.pos()));
        match field.key {
            "top_left" | "topLeft" => Point { lat: self.top, lon: self.left } = corner(true, false)?,
            "bottom_right" | "bottomRight" => Point { lat: self.bottom, lon: self.right } = corner(false, true)?,
            "top_right" | "topRight" => Point { lat: self.top, lon: self.right } = corner(true, true)?,
            "bottom_left" | "bottomLeft" => Point { lat: self.bottom, lon: self.left } = corner(false, false)?,
            "top" => self.top = number()?,
            "left" => self.left = number()?,
            "bottom" => self.bottom = number()?,
            "right" => self.right = number()?,
            "wkt" => {
                let unread = |error| {
                    let reason = "failed to parse WKT bounding box";
                    Error::new(ErrorKind::Parse, reason).caused_by(error).at(value.pos())
                };
                value.text()?;
                let bounds = read_shape(value.value).map_err(unread)?.bounds();
                let written = value.text()?.trim_start().to_ascii_uppercase();
                let kind = written.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
                if !matches!(kind, "ENVELOPE" | "BBOX") {
                    let reason = format!("failed to parse WKT bounding box. [{kind}] found. expected [ENVELOPE]");
                    return Err(Error::new(ErrorKind::Parse, reason).at(value.pos()));
                }
                *self = Sides { top: bounds.max.1, left: bounds.min.0, bottom: bounds.min.1, right: bounds.max.0 };
            }
            key => {
                let reason = format!("failed to parse bounding box. unexpected field [{key}]");
                return Err(Error::new(ErrorKind::Parse, reason).at(value.pos()));
            }
        }
        Ok(())
    }
}

/// The box in the steps of encoded places.
#[derive(Debug)]
pub struct InBox {
    lat: (i32, i32),
    lon: (i32, i32),
    shape: Shape,
}

impl InBox {
    pub fn new(Sides { top, left, bottom, right }: Sides) -> Self {
        Self {
            lat: (encode_latitude(bottom, true), encode_latitude(top, false)),
            lon: (encode_longitude(left, true), encode_longitude(right, false)),
            shape: Shape::of_box(top, left, bottom, right),
        }
    }
}

impl ValueTest for InBox {
    fn number(&self, value: i64) -> bool {
        let (lat, lon) = ((value >> 32) as i32, value as i32);
        let (left, right) = self.lon;
        let between = if left <= right { left <= lon && lon <= right } else { lon >= left || lon <= right };
        self.lat.0 <= lat && lat <= self.lat.1 && between
    }

    fn cell(&self, low: (i32, i32), high: (i32, i32)) -> Option<Cell> {
        let (left, right) = self.lon;
        let (lat, lon) = ((low.0, high.0), (low.1, high.1));
        let spans = if left <= right { [(left, right), (left, right)] } else { [(left, i32::MAX), (i32::MIN, right)] };
        let apart = |a: (i32, i32), b: (i32, i32)| a.1 < b.0 || a.0 > b.1;
        let inside = |a: (i32, i32), b: (i32, i32)| b.0 <= a.0 && a.1 <= b.1;
        if apart(lat, self.lat) || spans.iter().all(|span| apart(lon, *span)) {
            return Some(Cell::Outside);
        }
        let is_inside = inside(lat, self.lat) && spans.iter().any(|span| inside(lon, *span));
        Some(if is_inside { Cell::Inside } else { Cell::Rim })
    }

    fn bytes(&self, values: &[&[u8]]) -> bool {
        values.iter().filter_map(|bytes| Shape::decode_indexed(bytes)).any(|shape| intersects(&self.shape, &shape))
    }
}

impl Kind for GeoBox {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = geo_field(cx, &self.field, "geo_bounding_box", self.ignore_unmapped)? else {
            return Ok(Plan::nothing(""));
        };
        if let Some(reason) = &self.invalid {
            let cause = Error::new(ErrorKind::QueryValidation, reason.clone());
            return Err(cx.error("couldn't validate latitude/ longitude values").caused_by(cause));
        }
        self.sides.check(field.family())?;
        let test = InBox::new(self.sides);
        if field.family() == Family::GeoPoint && self.sides.holds_no_point() {
            return Ok(Plan::nothing(""));
        }
        if field.family() == Family::GeoShape {
            let text = shape_text(&field.name, &test.shape);
            return Ok(TestedValues { field: field.name.clone(), test: Arc::new(test), text }.plan());
        }
        Ok(in_box(&field.name, test))
    }
}

/// Places of a field within a box.
pub fn in_box(name: &Arc<str>, test: InBox) -> Plan {
    let shown = |lat: i32, lon: i32| decode_point(i64::from(lat) << 32 | i64::from(lon as u32));
    let (low, high) = (shown(test.lat.0, test.lon.0), shown(test.lat.1, test.lon.1));
    let text = format!(
        "{name}:box(minLat={}, maxLat={}, minLon={}, maxLon={})",
        java_f64(low.lat),
        java_f64(high.lat),
        java_f64(low.lon),
        java_f64(high.lon)
    );
    let lat = format!("[{} TO {}]", java_f64(low.lat), java_f64(high.lat));
    let (left, right) = (java_f64(low.lon), java_f64(high.lon));
    // What goes over the line where days change is two boxes.
    let index = match test.lon.0 <= test.lon.1 {
        true => format!("{name}:{lat},[{left} TO {right}]"),
        false => format!("ConstantScore({name}:{lat},[-180.0 TO {right}] {name}:{lat},[{left} TO 179.99999991618097])"),
    };
    let shown = format!("IndexOrDocValuesQuery(indexQuery={index}, dvQuery={text})");
    let like = Plan::term(name, Vec::new());
    TestedValues { field: name.clone(), test: Arc::new(test), text }.plan().shown_like(shown, like)
}

/// Places of a field within areas, under the text that the reference has for these.
pub fn in_areas(name: &Arc<str>, test: Arc<dyn ValueTest>, areas: &[String]) -> Plan {
    let index: String = areas.iter().map(|area| format!("{area},")).collect();
    let text = format!("{name}:INTERSECTS:geometries([{}])", areas.join(", "));
    let index = format!("LatLonPointQuery: field={name}:[{index}]");
    let shown = format!("IndexOrDocValuesQuery(indexQuery={index}, dvQuery={text})");
    TestedValues { field: name.clone(), test, text }.plan().shown_as(shown)
}

#[derive(Debug)]
struct GeoPolygon {
    field: String,
    area: Shape,
    ignore_unmapped: bool,
    invalid: Option<String>,
}

pub fn parse_polygon(node: Node) -> Result<Query> {
    let (mut common, mut params) = (Common::default(), GeoParams::default());
    let mut found = None;
    for field in node.fields() {
        match (field.key, field.node.value) {
            (key, Value::Object(_)) => {
                // The last name counts, with the last corners.
                let ring = match corners(field.node)? {
                    Some(ring) => ring,
                    None => found.map_or_else(Vec::new, |(_, ring)| ring),
                };
                found = Some((key.to_owned(), ring));
            }
            (_, Value::Array(_) | Value::Null) => {
                let token = field.node.token();
                return Err(field.node.error(format!("[geo_polygon] unexpected token type [{token}]")));
            }
            (key, _) if params.take(key, field.node)? => {}
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, "geo_polygon", key)),
        }
    }
    let Some((field, mut ring)) = found else { return Err(Error::illegal_argument("fieldName must not be null")) };
    // A place that there is not is refused by the shards.
    let mut invalid = None;
    for (lon, lat) in &mut ring {
        match params.checked(Point { lat: *lat, lon: *lon }, "geo_polygon") {
            Ok(point) => (*lon, *lat) = (point.lon, point.lat),
            Err(error) => invalid = invalid.or(Some(error.reason().to_owned())),
        }
    }
    if ring.is_empty() {
        return Err(Error::illegal_argument("polygon must not be null or empty"));
    }
    if ring.first() != ring.last() {
        ring.push(ring[0]);
    }
    if ring.len() < 4 {
        return Err(Error::illegal_argument("too few points defined for geo_polygon query"));
    }
    let area = Shape { areas: vec![vec![ring]], ..Shape::default() };
    Ok(Query::new(common, GeoPolygon { field, area, ignore_unmapped: params.ignore_unmapped, invalid }))
}

/// The corners of a place; none if it has no list of them.
fn corners(node: Node) -> Result<Option<Vec<(f64, f64)>>> {
    let mut found = None;
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("points", Value::Array(_)) => {
                let ring = found.insert(vec![]);
                for item in field.node.items() {
                    let point = geo_distance::corner(item).map_err(|error| error.at(item.last_pos()))?;
                    ring.push((point.lon, point.lat));
                }
            }
            (key, Value::Array(_)) => return Err(unsupported(field.node, "geo_polygon", key)),
            (key, _) => {
                let token = field.node.token();
                let reason = format!("[geo_polygon] query does not support token type [{token}] under [{key}]");
                return Err(field.node.error(reason));
            }
        }
    }
    Ok(found)
}

#[derive(Debug)]
struct InArea {
    area: Shape,
    bounds: Bounds,
}

impl ValueTest for InArea {
    fn number(&self, value: i64) -> bool {
        let point = decode_point(value);
        let at = (point.lon, point.lat);
        self.bounds.overlaps(&Bounds { min: at, max: at }) && covers(&self.area, at)
    }

    fn is_slow(&self) -> bool {
        self.area.is_large()
    }

    fn bytes(&self, values: &[&[u8]]) -> bool {
        values.iter().filter_map(|bytes| Shape::decode_indexed(bytes)).any(|shape| intersects(&self.area, &shape))
    }
}

impl Kind for GeoPolygon {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let field = match cx.field(&self.field) {
            None if self.ignore_unmapped => return Ok(Plan::nothing("")),
            None => return Err(cx.error(format!("failed to find geo_point field [{}]", self.field))),
            Some(field) if field.family() == Family::GeoPoint => field,
            Some(_) => return Err(cx.error(format!("field [{}] is not a geo_point field", self.field))),
        };
        if let Some(reason) = &self.invalid {
            return Err(cx.error(reason.clone()));
        }
        check_on_earth(self.area.areas.iter().flatten().flatten().copied())?;
        let corner = |(lon, lat): &Corner| format!("[{}, {}] ", java_f64(*lat), java_f64(*lon));
        let ring = |ring: &Vec<Corner>| format!("Polygon{}", ring.iter().map(corner).collect::<String>());
        let areas: Vec<String> = self.area.areas.iter().flatten().map(ring).collect();
        Ok(in_areas(&field.name, Arc::new(InArea { area: self.area.clone(), bounds: self.area.bounds() }), &areas))
    }
}
