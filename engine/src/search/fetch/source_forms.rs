//! The forms that values of some types take under `fields`: ranges, places and shapes, objects as Java writes maps.

use crate::error::{Error, Result};
use crate::geo::{Shape, read_shape};
use crate::java_order::java_ordered;
use crate::json::{Value, Writer};
use crate::mapping::date::{DateFormat, Resolution};
use crate::mapping::number::{NumberKind, java_f64};
use crate::mapping::{DocValueFormat, Family, Field, java_text};
use std::sync::Arc;

/// Refuses formats that values of the field's type have no use for.
pub fn check_format(field: &Field, format: Option<&str>) -> Result<()> {
    let Some(format) = format else { return Ok(()) };
    match field.family() {
        Family::Date | Family::Range if field.derived.is_none() => Ok(()),
        _ if field.counts_tokens() => Ok(()),
        Family::GeoPoint | Family::GeoShape if field.derived.is_none() && matches!(format, "geojson" | "wkt") => Ok(()),
        Family::GeoPoint | Family::GeoShape if field.derived.is_none() => {
            Err(Error::illegal_argument(format!("Unrecognized geometry format [{format}].")))
        }
        Family::Text if field.derived.is_none() => {
            Err(Error::illegal_argument(format!("Field [{}] doesn't support formats.", field.name)))
        }
        Family::Binary | Family::Join | Family::Features | Family::Percolator => {
            Err(Error::illegal_argument(format!("Field [{}] doesn't support formats.", field.name)))
        }
        _ => Err(Error::illegal_argument(format!(
            "Field [{}] of type [{}] doesn't support formats.",
            field.name, field.type_name
        ))),
    }
}

/// What the ends of a range are.
pub enum RangeEnds {
    Number(NumberKind),
    Date { parse: Arc<DateFormat>, show: DocValueFormat },
    Address,
}

impl RangeEnds {
    pub fn of(field: &Field, format: Option<&str>) -> Result<Self> {
        Ok(match field.type_name {
            "integer_range" => Self::Number(NumberKind::Integer),
            "long_range" => Self::Number(NumberKind::Long),
            "float_range" => Self::Number(NumberKind::Float),
            "double_range" => Self::Number(NumberKind::Double),
            "ip_range" => Self::Address,
            _ => match field.range_format(None, None)? {
                DocValueFormat::Date { format: parse, .. } => {
                    Self::Date { parse, show: field.range_format(format, None)? }
                }
                _ => Self::Address,
            },
        })
    }

    /// Writes one range. An end that the field would not have taken is left out.
    pub fn write(&self, value: &Value, w: &mut Writer) {
        let Value::Object(map) = value else {
            w.value(value);
            return;
        };
        w.begin_object();
        for (key, end) in map.iter() {
            let mut shown = Writer::new();
            self.write_end(end, &mut shown);
            if !shown.is_empty() {
                w.key(key).raw(&shown.finish());
            }
        }
        w.end_object();
    }

    fn write_end(&self, end: &Value, w: &mut Writer) {
        match self {
            _ if end.is_null() => drop(w.null()),
            Self::Number(kind) => {
                let Ok(encoded) = kind.encode_value(end, true) else { return };
                match kind {
                    NumberKind::Float => w.f32(kind.decode(encoded) as f32),
                    NumberKind::Double => w.f64(kind.decode(encoded)),
                    _ => w.i64(encoded),
                };
            }
            Self::Date { parse, show } => {
                if let Ok(encoded) = Resolution::Millis.parse(parse, &end.to_text()) {
                    show.write_number(encoded, w);
                }
            }
            Self::Address => drop(w.value(end)),
        }
    }
}

/// An object as the text that Java has for maps, its keys in the order of a hash map.
pub fn java_map_text(value: &Value) -> String {
    match value {
        Value::Object(map) => java_text(&Value::Object(java_ordered(map.clone()))),
        other => java_text(other),
    }
}

/// Writes a shape of a document. What has the wanted form already stays as it is; what is no shape is left out.
pub fn write_geo(value: &Value, wkt: bool, w: &mut Writer) {
    let fits = if wkt { value.as_str().is_some() } else { value.as_object().is_some() };
    match read_shape(value) {
        Ok(_) if fits => drop(w.value(value)),
        Ok(shape) => write_shape(&shape, wkt, w),
        Err(_) => {}
    }
}

/// Writes a shape as GeoJSON or well-known text.
pub fn write_shape(shape: &Shape, wkt: bool, w: &mut Writer) {
    if wkt {
        w.string(&well_known(shape));
    } else {
        w.value(&geo_json(shape));
    }
}

type Corner = (f64, f64);

/// The parts of a shape, by kind: the name of one, the name of several, and their coordinates.
fn parts(shape: &Shape) -> Vec<(&'static str, &'static str, Vec<Value>)> {
    let corner = |(lon, lat): &Corner| Value::Array(vec![Value::Float(*lon), Value::Float(*lat)]);
    let line = |corners: &Vec<Corner>| Value::Array(corners.iter().map(corner).collect());
    let area = |rings: &Vec<Vec<Corner>>| Value::Array(rings.iter().map(line).collect());
    let mut parts = vec![
        ("Point", "MultiPoint", shape.points.iter().map(corner).collect::<Vec<_>>()),
        ("LineString", "MultiLineString", shape.lines.iter().map(line).collect()),
        ("Polygon", "MultiPolygon", shape.areas.iter().map(area).collect()),
    ];
    parts.retain(|(_, _, coordinates)| !coordinates.is_empty());
    parts
}

fn geo_json(shape: &Shape) -> Value {
    let object = |kind: &str, key: &str, inner: Value| {
        Value::Object([(key, inner), ("type", Value::from(kind))].into_iter().collect())
    };
    let mut made: Vec<Value> = (parts(shape).into_iter())
        .map(|(one, several, mut coordinates)| match coordinates.len() {
            1 => object(one, "coordinates", coordinates.remove(0)),
            _ => object(several, "coordinates", Value::Array(coordinates)),
        })
        .collect();
    if made.len() == 1 { made.remove(0) } else { object("GeometryCollection", "geometries", Value::Array(made)) }
}

fn well_known(shape: &Shape) -> String {
    /// Coordinates in brackets: corners have their numbers side by side.
    fn nested(value: &Value) -> String {
        let Value::Array(items) = value else { return String::new() };
        match items.as_slice() {
            [Value::Float(lon), Value::Float(lat)] => format!("{} {}", java_f64(*lon), java_f64(*lat)),
            items => format!("({})", items.iter().map(nested).collect::<Vec<_>>().join(", ")),
        }
    }
    let mut made: Vec<String> = (parts(shape).into_iter())
        .map(|(one, several, mut coordinates)| {
            let (name, coordinates) = match coordinates.len() {
                1 => (one, coordinates.remove(0)),
                _ => (several, Value::Array(coordinates)),
            };
            let text = nested(&coordinates);
            let text = if text.starts_with('(') { text } else { format!("({text})") };
            format!("{} {text}", name.to_ascii_uppercase())
        })
        .collect();
    if made.len() == 1 { made.remove(0) } else { format!("GEOMETRYCOLLECTION ({})", made.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn shapes_are_written_in_both_forms() {
        let shown = |text: &str, wkt: bool| {
            let mut w = Writer::new();
            write_geo(&Value::from(text), wkt, &mut w);
            String::from_utf8(w.finish()).unwrap()
        };
        assert_eq!(
            shown("POLYGON ((0 0, 4 0, 4 4, 0 0))", false),
            r#"{"coordinates":[[[0.0,0.0],[4.0,0.0],[4.0,4.0],[0.0,0.0]]],"type":"Polygon"}"#
        );
        assert_eq!(
            shown("MULTILINESTRING ((1 2, 3 4), (5 6, 7 8))", false),
            r#"{"coordinates":[[[1.0,2.0],[3.0,4.0]],[[5.0,6.0],[7.0,8.0]]],"type":"MultiLineString"}"#
        );
        let shape = |json: &str| read_shape(&parse(json.as_bytes()).unwrap()).unwrap();
        assert_eq!(well_known(&shape(r#"{"type":"Point","coordinates":[1,2]}"#)), "POINT (1.0 2.0)");
        let both = r#"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},
            {"type":"LineString","coordinates":[[1,2],[3,4]]}]}"#;
        assert_eq!(well_known(&shape(both)), "GEOMETRYCOLLECTION (POINT (1.0 2.0),LINESTRING (1.0 2.0, 3.0 4.0))");
    }

    #[test]
    fn objects_are_written_as_maps_of_java() {
        let value = parse(br#"{"d":"z","a":{"c":[1,2],"b":"q"}}"#).unwrap();
        assert_eq!(java_map_text(&value), "{a={b=q, c=[1, 2]}, d=z}");
    }
}
