//! A point: how it is encoded, and the forms in which it is written.

use super::geohash::decode_geohash;
use super::wkt;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value};

/// In degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub lat: f64,
    pub lon: f64,
}

const LAT_STEP: f64 = 180.0 / 4_294_967_296.0;
const LON_STEP: f64 = 360.0 / 4_294_967_296.0;

/// The step that a latitude lies in; the greatest latitude lies in the last.
pub fn encode_latitude(lat: f64, up: bool) -> i32 {
    encode(lat, 90.0, LAT_STEP, up)
}

pub fn encode_longitude(lon: f64, up: bool) -> i32 {
    encode(lon, 180.0, LON_STEP, up)
}

fn encode(degrees: f64, end: f64, step: f64, up: bool) -> i32 {
    if degrees >= end {
        return i32::MAX;
    }
    let steps = degrees / step;
    (if up { steps.ceil() } else { steps.floor() }) as i32
}

/// The number that stands for a point in columns: latitude, then longitude.
pub fn encode_point(point: Point) -> i64 {
    let (lat, lon) = (encode_latitude(point.lat, false), encode_longitude(point.lon, false));
    i64::from(lat) << 32 | i64::from(lon as u32)
}

/// The point that a number stands for: the lower corner of its step.
pub fn decode_point(number: i64) -> Point {
    let (lat, lon) = ((number >> 32) as i32, number as i32);
    Point { lat: f64::from(lat) * LAT_STEP, lon: f64::from(lon) * LON_STEP }
}

impl Point {
    /// The same place with both coordinates in their ranges.
    pub fn normalized(self) -> Self {
        self.normalized_in(true)
    }

    /// The same place with its latitude in range, and its longitude as well unless it stands for how often the earth was gone around.
    pub fn normalized_in(self, longitude: bool) -> Self {
        let Self { mut lat, mut lon } = self;
        let is_beyond = !(-90.0..=90.0).contains(&lat);
        if is_beyond {
            lat = centered(lat);
            if lat.abs() > 90.0 {
                // Over the pole.
                lat = 180f64.copysign(lat) - lat;
                let around = if longitude || centered(lon) <= 0.0 { 180.0 } else { -180.0 };
                lon += around;
            }
        }
        if longitude && (is_beyond || !(-180.0..=180.0).contains(&self.lon)) {
            lon = centered(lon);
        }
        Self { lat, lon }
    }

    pub fn is_valid(self) -> bool {
        (-90.0..=90.0).contains(&self.lat) && (-180.0..=180.0).contains(&self.lon)
    }
}

/// Degrees above -180, and up to 180.
fn centered(degrees: f64) -> f64 {
    let mut rest = degrees % 360.0;
    if rest <= 0.0 {
        rest += 360.0;
    }
    if rest > 180.0 { rest - 360.0 } else { rest }
}

fn refuse(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Parse, reason)
}

fn number(value: &Value) -> Result<f64> {
    let text = || value.to_text();
    value.as_f64().or_else(|| text().trim().parse().ok()).ok_or_else(|| {
        refuse("[lon] and [lat] must be valid double values")
            .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{}\"", text())))
    })
}

/// A point in any of its forms: an object, an array (longitude first), text (`lat,lon`, well-known text or a geohash).
pub fn read_point(value: &Value, ignore_z: bool) -> Result<Point> {
    match value {
        Value::Object(_) => read_object(value, ignore_z),
        Value::Array(items) => read_array(items, ignore_z),
        Value::String(text) => read_text(text, ignore_z),
        _ => Err(refuse("geo_point expected")),
    }
}

/// One point, or an array of points.
pub fn read_points(value: &Value, ignore_z: bool) -> Result<Vec<Point>> {
    match value {
        Value::Array(items) if !items.first().is_some_and(|first| matches!(first, Value::Int(_) | Value::Float(_))) => {
            items.iter().map(|item| read_point(item, ignore_z)).collect()
        }
        Value::Array(items) => Ok(vec![read_written_array(items, ignore_z)?]),
        value => Ok(vec![read_point(value, ignore_z)?]),
    }
}

fn check_z(z: f64, ignore_z: bool) -> Result<()> {
    if ignore_z {
        return Ok(());
    }
    let z = crate::mapping::number::java_f64(z);
    Err(refuse(format!("Exception parsing coordinates: found Z value [{z}] but [ignore_z_value] parameter is [false]")))
}

/// Longitude, latitude and perhaps an altitude.
fn read_array(items: &[Value], ignore_z: bool) -> Result<Point> {
    let number = |item: &Value| item.as_f64().ok_or_else(|| refuse("numeric value expected"));
    read_numbers(items, ignore_z, number, TOO_MANY)
}

/// The same where it is all that a document has: texts are read as numbers then.
fn read_written_array(items: &[Value], ignore_z: bool) -> Result<Point> {
    let number = |item: &Value| match item {
        Value::String(text) => java_double(text),
        item => item.as_f64().ok_or_else(|| refuse("numeric value expected")),
    };
    read_numbers(items, ignore_z, number, TOO_MANY)
}

const TOO_MANY: &str = "[geo_point] field type does not accept > 3 dimensions";

fn read_numbers(
    items: &[Value],
    ignore_z: bool,
    number: impl Fn(&Value) -> Result<f64>,
    too_many: &str,
) -> Result<Point> {
    let mut numbers = vec![];
    for item in items {
        if let (Some(z), false) = (numbers.get(2), ignore_z) {
            check_z(*z, ignore_z)?;
        }
        if numbers.len() == 3 {
            return Err(refuse(too_many));
        }
        numbers.push(number(item)?);
    }
    match numbers[..] {
        [lon, lat] => Ok(Point { lat, lon }),
        [lon, lat, z] => check_z(z, ignore_z).map(|()| Point { lat, lon }),
        _ => Err(refuse("[geo_point] field type should have at least two dimensions")),
    }
}

fn java_double(text: &str) -> Result<f64> {
    let wrong = || Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""));
    text.trim().parse().map_err(|_| wrong())
}

/// An object of GeoJSON.
fn check_geo_json(key: &str, value: &Value, ignore_z: bool) -> Result<()> {
    match (key, value) {
        ("type", Value::String(kind)) if kind.eq_ignore_ascii_case("point") => Ok(()),
        ("type", Value::String(_)) => Err(refuse("type must be Point")),
        ("type", _) => Err(refuse("type must be a string")),
        ("coordinates", Value::Array(items)) => read_coordinates(items, ignore_z).map(drop),
        ("coordinates", _) => Err(refuse("coordinates must be an array")),
        _ => Ok(()),
    }
}

fn read_coordinates(items: &[Value], ignore_z: bool) -> Result<Point> {
    let number = |item: &Value| item.as_f64().ok_or_else(|| refuse("numeric value expected"));
    read_numbers(items, ignore_z, number, "[geo_point] field type does not accept more than 3 values")
}

fn read_object(value: &Value, ignore_z: bool) -> Result<Point> {
    // The first key tells the notation, and no key of another one may stand beside it.
    const NOTATIONS: [&[&str]; 3] = [&["lat", "lon"], &["geohash"], &["type", "coordinates"]];
    let mut parts = value.as_object().into_iter().flat_map(Map::iter).peekable();
    let Some((first, _)) = parts.peek() else { return Err(refuse("token [END_OBJECT] not allowed")) };
    let notation = NOTATIONS.iter().find(|notation| notation.contains(first));
    for (key, value) in parts {
        if notation.is_none_or(|notation| !notation.contains(&key)) {
            return Err(refuse("field must be either [lon|lat], [type|coordinates], or [geohash]"));
        }
        let is_text = matches!(value, Value::String(_));
        match key {
            "lat" | "lon" if !is_text && value.as_f64().is_none() => {
                return Err(refuse(format!("{key} must be a number")));
            }
            "geohash" if !is_text => return Err(refuse("geohash must be a string")),
            key => check_geo_json(key, value, ignore_z)?,
        }
    }
    if let Some(hash) = value.get("geohash") {
        return decode_geohash(&hash.to_text());
    }
    let part = |name: &str| value.get(name).ok_or_else(|| refuse(format!("field [{name}] missing")));
    if notation == Some(&NOTATIONS[2]) {
        let (_, coordinates) = (part("type")?, part("coordinates")?);
        return read_coordinates(coordinates.as_array().unwrap_or_default(), ignore_z);
    }
    let (lon, lat) = (part("lon")?, part("lat")?);
    Ok(Point { lat: number(lat)?, lon: number(lon)? })
}

fn read_text(text: &str, ignore_z: bool) -> Result<Point> {
    if text.to_ascii_lowercase().contains("point") {
        return wkt::read_point(text);
    }
    if !text.contains(',') {
        return decode_geohash(text);
    }
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let coordinate =
        |text: &str, name: &str| text.parse::<f64>().map_err(|_| refuse(format!("{name} must be a number")));
    match parts[..] {
        [lat, lon] => Ok(Point { lat: coordinate(lat, "latitude")?, lon: coordinate(lon, "longitude")? }),
        [lat, lon, z] => {
            let point = Point { lat: coordinate(lat, "latitude")?, lon: coordinate(lon, "longitude")? };
            check_z(java_double(z)?, ignore_z)?;
            Ok(point)
        }
        _ => Err(refuse(format!("failed to parse [{text}], expected 2 or 3 coordinates but found: [{}]", parts.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn points_come_in_many_forms() {
        for text in [
            r#"{"lat":48.85,"lon":2.35}"#,
            "[2.35,48.85]",
            r#""48.85,2.35""#,
            r#""POINT (2.35 48.85)""#,
            r#"{"type":"Point","coordinates":[2.35,48.85]}"#,
            r#"{"lat":"48.85","lon":"2.35"}"#,
        ] {
            let point = read_point(&parse(text.as_bytes()).unwrap(), true);
            assert_eq!(point, Ok(Point { lat: 48.85, lon: 2.35 }), "{text}");
        }
        let reason = |text: &str| read_point(&parse(text.as_bytes()).unwrap(), false).unwrap_err().reason().to_owned();
        assert_eq!(reason(r#"{"lat":1}"#), "field [lon] missing");
        assert_eq!(reason("{}"), "token [END_OBJECT] not allowed");
        assert_eq!(reason(r#"{"type":"point"}"#), "field [coordinates] missing");
        assert_eq!(reason(r#"{"coordinates":[1,2]}"#), "field [type] missing");
        let mixed = "field must be either [lon|lat], [type|coordinates], or [geohash]";
        assert_eq!(reason(r#"{"geohash":"u1","lat":1}"#), mixed);
        assert_eq!(reason(r#"{"type":"point","lat":1}"#), mixed);
        assert_eq!(reason("5"), "geo_point expected");
        assert!(reason("[1,2,3]").contains("ignore_z_value"));
        assert_eq!(reason(r#"{"type":"foo"}"#), "type must be Point");
        assert_eq!(reason(r#"{"type":1,"coordinates":[1,2]}"#), "type must be a string");
        assert_eq!(reason(r#"{"coordinates":1,"type":"x"}"#), "coordinates must be an array");
        assert_eq!(reason(r#""a,2,c""#), "latitude must be a number");
        assert_eq!(reason(r#""1,2,a""#), "For input string: \"a\"");
    }

    #[test]
    fn encoded_points_are_close() {
        let point = decode_point(encode_point(Point { lat: 48.85, lon: 2.35 }));
        assert_eq!((point.lat, point.lon), (48.8499999884516, 2.3499999940395355));
        let end = decode_point(encode_point(Point { lat: 90.0, lon: -180.0 }));
        assert!(end.lat > 89.999_999 && end.lon == -180.0);
        let over = Point { lat: 91.0, lon: 0.0 }.normalized();
        assert_eq!((over.lat, over.lon.abs()), (89.0, 180.0));
    }
}
