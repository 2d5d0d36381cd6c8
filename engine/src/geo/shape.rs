//! Shapes: points, lines and areas; GeoJSON.

use super::{Point, decode_point, encode_point, wkt};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use std::collections::HashMap;

/// A corner, longitude first.
pub type Corner = (f64, f64);

/// What a shape is made of. Areas are rings of corners, the first the outer one; the last corner of a ring is the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    pub points: Vec<Corner>,
    pub lines: Vec<Vec<Corner>>,
    pub areas: Vec<Vec<Vec<Corner>>>,
    /// Which of the areas were given as boxes: top, left, bottom and right of each.
    pub boxes: Vec<[f64; 4]>,
}

/// The box around a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub min: Corner,
    pub max: Corner,
}

/// What holds more corners than this against something takes long.
const LARGE_CORNERS: usize = 1_024;

/// Collections within collections.
pub(super) const DEPTH_MAX: usize = 32;

/// Which areas of a shape were given as boxes. Cost: to make, all corners of these; to ask, the corners of one area.
pub struct BoxAreas(HashMap<Vec<u64>, [f64; 4]>);

impl BoxAreas {
    /// The box that an area is, or is a part of.
    pub fn box_of(&self, area: &[Vec<Corner>]) -> Option<[f64; 4]> {
        self.0.get(&Self::key(area)).copied()
    }

    fn key(area: &[Vec<Corner>]) -> Vec<u64> {
        // Both zeros are the same.
        area.iter().flatten().flat_map(|(lon, lat)| [lon, lat]).map(|number| (number + 0.0).to_bits()).collect()
    }
}

impl Shape {
    pub fn box_areas(&self) -> BoxAreas {
        let mut areas = HashMap::with_capacity(self.boxes.len());
        for sides in &self.boxes {
            let [top, left, bottom, right] = *sides;
            for area in Self::of_box(top, left, bottom, right).areas {
                areas.entry(BoxAreas::key(&area)).or_insert(*sides);
            }
        }
        BoxAreas(areas)
    }

    pub fn of_box(top: f64, left: f64, bottom: f64, right: f64) -> Self {
        let area = |left: f64, right: f64| {
            vec![vec![(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]]
        };
        // Over the date line it is two.
        let areas = if left > right { vec![area(left, 180.0), area(-180.0, right)] } else { vec![area(left, right)] };
        Self { areas, boxes: vec![[top, left, bottom, right]], ..Self::default() }
    }

    pub fn corners(&self) -> impl Iterator<Item = &Corner> {
        let areas = self.areas.iter().flat_map(|rings| rings.iter().flatten());
        self.points.iter().chain(self.lines.iter().flatten()).chain(areas)
    }

    /// The edges of lines and areas.
    pub fn edges(&self) -> impl Iterator<Item = (Corner, Corner)> {
        let rings = self.areas.iter().flatten();
        self.lines.iter().chain(rings).flat_map(|line| line.windows(2)).map(|edge| (edge[0], edge[1]))
    }

    /// Whether it has so many corners that a search gives way between the places or shapes that it holds against it.
    pub fn is_large(&self) -> bool {
        self.corners().nth(LARGE_CORNERS).is_some()
    }

    pub fn bounds(&self) -> Bounds {
        let start = Bounds { min: (f64::INFINITY, f64::INFINITY), max: (f64::NEG_INFINITY, f64::NEG_INFINITY) };
        self.corners().fold(start, |bounds, corner| Bounds {
            min: (bounds.min.0.min(corner.0), bounds.min.1.min(corner.1)),
            max: (bounds.max.0.max(corner.0), bounds.max.1.max(corner.1)),
        })
    }

    pub fn add(&mut self, mut other: Shape) {
        self.points.append(&mut other.points);
        self.lines.append(&mut other.lines);
        self.areas.append(&mut other.areas);
        self.boxes.append(&mut other.boxes);
    }

    /// The bytes of a shape in a column: its bounds as four numbers, then counts and corners.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![];
        let bounds = self.bounds();
        for number in [bounds.min.0, bounds.min.1, bounds.max.0, bounds.max.1] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        put_corners(&self.points, &mut out);
        put_lines(&self.lines, &mut out);
        out.extend_from_slice(&(self.areas.len() as u32).to_le_bytes());
        self.areas.iter().for_each(|rings| put_lines(rings, &mut out));
        out
    }

    /// Only the box of encoded bytes.
    pub fn decode_bounds(bytes: &[u8]) -> Option<Bounds> {
        let mut reader = Bytes(bytes);
        Some(Bounds { min: (reader.number()?, reader.number()?), max: (reader.number()?, reader.number()?) })
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Bytes(bytes.get(32..)?);
        let (points, lines) = (reader.corners()?, reader.lines()?);
        let areas = (0..reader.count()?).map(|_| reader.lines()).collect::<Option<_>>()?;
        Some(Self { points, lines, areas, boxes: vec![] })
    }

    /// The same with corners where the reference's index has them, which knows places by steps of some millimetres: a corner on a
    /// meridian may lie just west of it.
    pub fn decode_indexed(bytes: &[u8]) -> Option<Self> {
        let mut shape = Self::decode(bytes)?;
        let lines = shape.areas.iter_mut().flatten().chain(&mut shape.lines);
        for corner in lines.flatten().chain(&mut shape.points) {
            let Point { lat, lon } = decode_point(encode_point(Point { lat: corner.1, lon: corner.0 }));
            *corner = (lon, lat);
        }
        Some(shape)
    }
}

impl Bounds {
    pub fn overlaps(&self, other: &Bounds) -> bool {
        self.min.0 <= other.max.0 && self.max.0 >= other.min.0 && self.min.1 <= other.max.1 && self.max.1 >= other.min.1
    }
}

fn put_corners(corners: &[Corner], out: &mut Vec<u8>) {
    out.extend_from_slice(&(corners.len() as u32).to_le_bytes());
    for number in corners.iter().flat_map(|(lon, lat)| [lon, lat]) {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

fn put_lines(lines: &[Vec<Corner>], out: &mut Vec<u8>) {
    out.extend_from_slice(&(lines.len() as u32).to_le_bytes());
    lines.iter().for_each(|line| put_corners(line, out));
}

struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn number(&mut self) -> Option<f64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(f64::from_le_bytes(*number))
    }

    fn count(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    fn corners(&mut self) -> Option<Vec<Corner>> {
        (0..self.count()?).map(|_| Some((self.number()?, self.number()?))).collect()
    }

    fn lines(&mut self) -> Option<Vec<Vec<Corner>>> {
        (0..self.count()?).map(|_| self.corners()).collect()
    }
}

/// A shape as GeoJSON or well-known text.
pub fn read_shape(value: &Value) -> Result<Shape> {
    match value {
        Value::Object(_) => read_geojson(value, 0),
        Value::String(text) => wkt::read_shape(text),
        _ => Err(Error::new(ErrorKind::Parse, "shape must be an object consisting of type and coordinates")),
    }
}

fn failed(cause: Error) -> Error {
    Error::new(ErrorKind::XContentParse, "Failed to build [geojson] after last required field arrived").caused_by(cause)
}

fn read_geojson(value: &Value, depth: usize) -> Result<Shape> {
    let kind = value.get("type").ok_or_else(|| Error::illegal_argument("Required [type]"))?.to_text();
    if depth > DEPTH_MAX {
        return Err(Error::illegal_argument("geometry collections are nested too deeply"));
    }
    let kind_name = kind.to_ascii_lowercase();
    if kind_name == "geometrycollection" {
        let mut shape = Shape::default();
        let parts = value.get("geometries").and_then(Value::as_array).unwrap_or(&[]);
        check_any(parts)?;
        for part in parts {
            shape.add(read_geojson(part, depth + 1)?);
        }
        return Ok(shape);
    }
    let coordinates = value.get("coordinates").unwrap_or(&Value::Null);
    let mut shape = Shape::default();
    match kind_name.as_str() {
        "point" => shape.points.push(corner(coordinates)?),
        "multipoint" => {
            check_any(items(coordinates)?)?;
            shape.points = corners(coordinates)?;
        }
        "linestring" => shape.lines.push(line(corners(coordinates)?)?),
        "multilinestring" => {
            check_any(items(coordinates)?)?;
            for item in items(coordinates)? {
                shape.lines.push(line(corners(item)?)?);
            }
        }
        "polygon" => shape.areas.push(rings(coordinates)?),
        "multipolygon" => {
            check_any(items(coordinates)?)?;
            for item in items(coordinates)? {
                shape.areas.push(rings(item)?);
            }
        }
        "envelope" | "bbox" => match corners(coordinates)?[..] {
            [(left, top), (right, bottom)] => {
                if top < bottom {
                    return Err(failed(Error::illegal_argument("max y cannot be less than min x")));
                }
                shape = Shape::of_box(top, left, bottom, right);
            }
            _ => {
                let reason = "invalid number of points provided for geo_shape [envelope]";
                return Err(failed(Error::new(ErrorKind::Parse, reason)));
            }
        },
        "circle" => return Err(Error::new(ErrorKind::UnsupportedOperation, "circle geometry is not supported")),
        _ => {
            let name = kind.to_ascii_uppercase();
            let reason = format!("No enum constant org.opensearch.geometry.ShapeType.{name}");
            return Err(failed(Error::illegal_argument(reason)));
        }
    }
    Ok(shape)
}

/// What is a list of shapes has some.
fn check_any(shapes: &[Value]) -> Result<()> {
    match shapes.is_empty() {
        true => Err(failed(Error::illegal_argument("the list of shapes cannot be null or empty"))),
        false => Ok(()),
    }
}

fn items(value: &Value) -> Result<&[Value]> {
    value.as_array().ok_or_else(|| failed(Error::new(ErrorKind::Parse, "geo coordinates must be arrays")))
}

fn corner(value: &Value) -> Result<Corner> {
    let numbers: Option<Vec<f64>> = items(value)?.iter().map(Value::as_f64).collect();
    match numbers.as_deref() {
        Some([lon, lat] | [lon, lat, _]) => Ok((*lon, *lat)),
        _ => Err(failed(Error::new(ErrorKind::Parse, "geo coordinates must be numbers"))),
    }
}

fn corners(value: &Value) -> Result<Vec<Corner>> {
    items(value)?.iter().map(corner).collect()
}

/// At least two corners.
pub(super) fn line(corners: Vec<Corner>) -> Result<Vec<Corner>> {
    if corners.len() >= 2 {
        return Ok(corners);
    }
    Err(failed(Error::illegal_argument("at least two points in the line is required")))
}

fn rings(value: &Value) -> Result<Vec<Vec<Corner>>> {
    items(value)?.iter().map(|item| ring(corners(item)?).map_err(failed)).collect()
}

/// Closed, with at least four corners.
pub(super) fn ring(corners: Vec<Corner>) -> Result<Vec<Corner>> {
    let (Some(first), Some(last)) = (corners.first(), corners.last()) else {
        return Err(Error::illegal_argument("at least four points in the ring are required"));
    };
    if first != last {
        let show = crate::mapping::number::java_f64;
        let at = corners.len() - 1;
        return Err(Error::illegal_argument(format!(
            "first and last points of the linear ring must be the same (it must close itself): x[0]={} x[{at}]={} y[0]={} y[{at}]={}",
            show(first.0),
            show(last.0),
            show(first.1),
            show(last.1)
        )));
    }
    if corners.len() < 4 {
        return Err(Error::illegal_argument("at least 4 polygon points required"));
    }
    Ok(corners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn shapes_come_back() {
        let text = r#"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},
            {"type":"LineString","coordinates":[[1,2],[3,4]]},{"type":"Envelope","coordinates":[[0,5],[5,0]]}]}"#;
        let shape = read_shape(&parse(text.as_bytes()).unwrap()).unwrap();
        // That some areas were given as boxes does not stand in documents.
        assert_eq!(Shape::decode(&shape.encode()), Some(Shape { boxes: vec![], ..shape.clone() }));
        assert_eq!(Shape::decode_bounds(&shape.encode()), Some(Bounds { min: (0.0, 0.0), max: (5.0, 5.0) }));
        assert_eq!(Shape::decode(&shape.encode()[..50]), None);
    }
}
