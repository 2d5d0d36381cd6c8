//! Shapes of queries in GeoJSON: the reference reads them otherwise than those of documents, and refuses them in other words.

use super::shape::DEPTH_MAX;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;

/// The coordinates of a shape: a place, or a list of such.
enum Places {
    One(f64, f64),
    Many(Vec<Places>),
}

/// Refuses what is no shape. Where corners lie is not looked at.
pub fn check_geojson(shape: &Value) -> Result<()> {
    check(shape, 0)
}

fn check(shape: &Value, depth: usize) -> Result<()> {
    let Value::Object(map) = shape else {
        return Err(wrong("shape must be an object consisting of type and coordinates"));
    };
    if depth > DEPTH_MAX {
        return Err(Error::illegal_argument("geometry collections are nested too deeply"));
    }
    let (mut kind, mut places, mut parts) = (None, None, None);
    for (key, value) in map.iter() {
        match key {
            "type" => {
                let name = value.to_text().to_ascii_lowercase();
                if name != "geometrycollection" && !KINDS.contains(&name.as_str()) {
                    return Err(unknown_kind(&name));
                }
                kind = Some(name);
            }
            "coordinates" => places = Some(read(value, depth)?),
            "geometries" => {
                let items = value.as_array().ok_or_else(|| wrong("geometries must be an array of geojson objects"))?;
                let shapes = items.iter().filter(|item| !item.is_null());
                shapes.into_iter().try_for_each(|item| match item {
                    Value::String(text) => super::read_shape(item).map(drop).map_err(|_| unknown_kind(text)),
                    _ => check(item, depth + 1),
                })?;
                parts = Some(items.len());
            }
            _ => {}
        }
    }
    let kind = kind.ok_or_else(|| wrong("shape type not included"))?;
    match (kind.as_str(), places, parts) {
        ("geometrycollection", _, None) => Err(wrong("geometries not included")),
        ("geometrycollection", ..) => Ok(()),
        (_, None, _) => Err(wrong("coordinates not included")),
        (kind, Some(places), _) => check_places(kind, &places),
    }
}

const KINDS: &[&str] =
    &["point", "multipoint", "linestring", "multilinestring", "polygon", "multipolygon", "envelope", "circle", "bbox"];

fn unknown_kind(kind: &str) -> Error {
    Error::illegal_argument(format!("unknown geo_shape [{kind}]"))
}

fn wrong(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Parse, reason)
}

fn read(value: &Value, depth: usize) -> Result<Places> {
    match value {
        Value::Object(_) => Err(wrong("coordinates cannot be specified as objects")),
        Value::Array(items) => read_list(items, depth),
        _ => Err(wrong("geo coordinates must be numbers")),
    }
}

fn read_list(items: &[Value], depth: usize) -> Result<Places> {
    if depth > DEPTH_MAX {
        return Err(Error::illegal_argument("coordinates are nested too deeply"));
    }
    match items.first() {
        None => return Ok(Places::Many(vec![])),
        Some(Value::Null) => return Err(Error::illegal_argument("coordinates cannot contain NULL values)")),
        Some(Value::Array(_)) => {}
        Some(_) => {
            let number =
                |at: usize| items.get(at).filter(|item| item.token() == "VALUE_NUMBER").and_then(Value::as_f64);
            return match (number(0).zip(number(1)), items.len()) {
                (None, _) => Err(wrong("geo coordinates must be numbers")),
                (Some((lon, lat)), 2) => Ok(Places::One(lon, lat)),
                (Some((lon, lat)), 3) if number(2).is_some() => Ok(Places::One(lon, lat)),
                _ => Err(wrong("geo coordinates greater than 3 dimensions are not supported")),
            };
        }
    }
    let mut read_items = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        // The reader goes on into what follows, whatever it is: what is no list takes in all the others.
        let (places, is_last) = match item {
            Value::Array(_) | Value::Object(_) => (read(item, depth + 1)?, false),
            _ => (read_list(&items[at + 1..], depth + 1)?, true),
        };
        if read_items.first().is_some_and(has_no_place) || (!read_items.is_empty() && has_no_place(&places)) {
            let reason = "attempting to get number of dimensions on an empty coordinate node";
            return Err(Error::new(ErrorKind::General, reason));
        }
        read_items.push(places);
        if is_last {
            // It takes the end of the list, too, so that what follows is read for places.
            return Err(wrong("geo coordinates must be numbers"));
        }
    }
    Ok(Places::Many(read_items))
}

/// Whether its first places come to nothing.
fn has_no_place(places: &Places) -> bool {
    match places {
        Places::One(..) => false,
        Places::Many(many) => many.first().is_none_or(has_no_place),
    }
}

fn check_places(kind: &str, places: &Places) -> Result<()> {
    match kind {
        "point" => match places {
            Places::One(..) => Ok(()),
            Places::Many(many) if many.is_empty() => {
                Err(wrong("invalid number of points (0) provided when expecting a single coordinate ([lat, lng])"))
            }
            Places::Many(_) => Err(wrong("multipoint data provided when single point data expected.")),
        },
        "multipoint" => match places {
            Places::One(..) => Err(wrong(
                "single coordinate found when expecting an array of coordinates. change type to point or change data to an array of >0 coordinates",
            )),
            Places::Many(many) if many.is_empty() => Err(wrong(
                "no data provided for multipoint object when expecting >0 points (e.g., [[lat, lng]] or [[lat, lng], ...])",
            )),
            Places::Many(_) => Ok(()),
        },
        "linestring" => check_line(places),
        "multilinestring" => match places {
            Places::Many(lines) if !lines.is_empty() => lines.iter().try_for_each(check_line),
            _ => Err(wrong("invalid number of lines in MultiLineString (found [0] - must be >= 1)")),
        },
        "polygon" => check_polygon(places),
        "multipolygon" => match places {
            Places::Many(polygons) => polygons.iter().try_for_each(check_polygon),
            Places::One(..) => Ok(()),
        },
        "envelope" => match places {
            Places::Many(corners) if corners.len() == 2 => match corners[..] {
                [Places::One(_, top), Places::One(_, bottom)] if top < bottom => {
                    Err(Error::illegal_argument("max y cannot be less than min x"))
                }
                _ => Ok(()),
            },
            Places::Many(corners) => Err(wrong(format!(
                "invalid number of points [{}] provided for geo_shape [envelope] when expecting an array of 2 coordinates",
                corners.len()
            ))),
            Places::One(..) => Ok(()),
        },
        "circle" | "bbox" => Ok(()),
        _ => Err(unknown_kind(kind)),
    }
}

fn check_line(places: &Places) -> Result<()> {
    match places {
        Places::Many(many) if many.len() < 2 => {
            Err(wrong(format!("invalid number of points in LineString (found [{}] - must be >= 2)", many.len())))
        }
        _ => Ok(()),
    }
}

fn check_polygon(places: &Places) -> Result<()> {
    let rings = match places {
        Places::Many(rings) if !rings.is_empty() => rings,
        _ => {
            let reason = "invalid LinearRing provided for type polygon. Linear ring must be an array of coordinates";
            return Err(wrong(reason));
        }
    };
    rings.iter().try_for_each(|ring| match ring {
        Places::One(..) => {
            Err(wrong("Invalid LinearRing found. Found a single coordinate when expecting a coordinate array"))
        }
        Places::Many(corners) if corners.is_empty() => {
            Err(wrong("Invalid LinearRing found. No coordinate array provided"))
        }
        Places::Many(corners) if corners.len() < 4 => {
            Err(wrong(format!("invalid number of points in LinearRing (found [{}] - must be >= [4])", corners.len())))
        }
        Places::Many(corners) => match (corners.first(), corners.last()) {
            (Some(Places::One(lon, lat)), Some(Places::One(last_lon, last_lat)))
                if (lon, lat) != (last_lon, last_lat) =>
            {
                Err(wrong("invalid LinearRing found (coordinates are not closed)"))
            }
            _ => Ok(()),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn what_is_no_shape() {
        let reason = |text: &str| check_geojson(&parse(text.as_bytes()).unwrap()).map_err(|e| e.reason().to_owned());
        let refused = |text: &str, why: &str| assert_eq!(reason(text).unwrap_err(), why, "{text}");
        refused("{}", "shape type not included");
        refused(r#"{"type":"point"}"#, "coordinates not included");
        refused(r#"{"type":"point","coordinates":[[3]]}"#, "geo coordinates must be numbers");
        refused(r#"{"type":"point","coordinates":[true]}"#, "geo coordinates must be numbers");
        refused(r#"{"type":"point","coordinates":[null]}"#, "coordinates cannot contain NULL values)");
        let no_places = "attempting to get number of dimensions on an empty coordinate node";
        refused(r#"{"coordinates":[[-9,-5],3.7]}"#, no_places);
        refused(
            r#"{"type":"point","coordinates":[1,2,3,4]}"#,
            "geo coordinates greater than 3 dimensions are not supported",
        );
        refused(
            r#"{"type":"polygon","coordinates":[[[1,2],[3,4],[1,2]]]}"#,
            "invalid number of points in LinearRing (found [3] - must be >= [4])",
        );
        refused(
            r#"{"type":"polygon","coordinates":[[[1,2],[3,4],[5,6],[1,3]]]}"#,
            "invalid LinearRing found (coordinates are not closed)",
        );
        refused(r#"{"type":"envelope","coordinates":[[1,2],[3,4]]}"#, "max y cannot be less than min x");
        refused(r#"{"type":"square","coordinates":[]}"#, "unknown geo_shape [square]");
        refused(r#"{"type":"geometrycollection","geometries":[{}]}"#, "shape type not included");
        assert_eq!(reason(r#"{"type":"Envelope","coordinates":[[0,5],[5,0]]}"#), Ok(()));
        assert_eq!(reason(r#"{"type":"multipolygon","coordinates":[]}"#), Ok(()));
    }
}
