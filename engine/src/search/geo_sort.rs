//! `_geo_distance`: hits by how far they are from places.

use super::nested_sort::NestedSort;
use super::sort_parse::Mode;
use crate::deprecated::note_renamed;
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{DistanceUnit, Point, arc_distance, decode_point, plane_distance, read_point};
use crate::json::Value;
use crate::mapping::number::java_f64;
use crate::query::{Node, Validation, read_distance_type};

#[derive(Clone, Debug, PartialEq)]
pub struct GeoDistanceSort {
    pub field: String,
    pub points: Vec<Point>,
    pub unit: DistanceUnit,
    pub mode: Option<Mode>,
    pub plane: bool,
    pub ignore_unmapped: bool,
    pub nested: Option<NestedSort>,
    pub validation: Validation,
}

impl GeoDistanceSort {
    /// Whether one document takes so long that a search begins with one.
    pub fn has_many_places(&self) -> bool {
        self.points.len() > 256
    }

    /// Reads the object; gives whether the order is descending, too.
    pub fn parse(node: Node) -> Result<(Self, bool)> {
        let mut sort = Self {
            field: String::new(),
            points: vec![],
            unit: DistanceUnit::METERS,
            mode: None,
            plane: false,
            ignore_unmapped: false,
            nested: None,
            validation: Validation::Strict,
        };
        let (mut descending, mut nested, mut path, mut filter) = (None, None, None, None);
        for option in node.fields() {
            let (name, value) = (option.key, option.node);
            match value.value {
                // A list is places, whatever it is called; the last such name counts.
                Value::Array(_) => {
                    read_list(value, &mut sort.points)?;
                    sort.field = name.to_owned();
                }
                Value::Object(_) => match name {
                    "nested" => nested = Some(NestedSort::parse(value)?),
                    "nested_filter" => {
                        filter = Some(crate::query::parse_node(value)?);
                    }
                    _ => {
                        sort.rename(name, value)?;
                        sort.points.push(read_point(value.value, false)?);
                    }
                },
                Value::Null => {}
                _ => match name {
                    "order" => descending = Some(super::sort_parse::direction_of(&value.text()?)?),
                    "unit" => sort.unit = DistanceUnit::parse(&value.text()?)?,
                    "distance_type" => sort.plane = read_distance_type(&value.text()?)?,
                    "mode" | "sort_mode" => {
                        if name == "sort_mode" {
                            note_renamed("", "sort_mode", "mode");
                        }
                        sort.mode = Some(super::sort_parse::mode_of(&value.text()?)?);
                    }
                    "ignore_unmapped" => sort.ignore_unmapped = value.bool()?,
                    "validation_method" => sort.validation = Validation::parse(&value.text()?)?,
                    "nested_path" => path = Some(value.text()?),
                    _ if matches!(value.value, Value::String(_)) => {
                        sort.rename(name, value)?;
                        sort.points.push(read_point(value.value, false)?);
                    }
                    _ if sort.field == name => {
                        return Err(value.error(format!("Only geohashes of type string supported for field [{name}]")));
                    }
                    _ => return Err(value.error(format!("[_geo_distance] does not support [{name}]"))),
                },
            }
        }
        if sort.points.is_empty() {
            return Err(Error::illegal_argument("Geo distance sorting needs at least one point."));
        }
        if nested.is_some() && (path.is_some() || filter.is_some()) {
            return Err(Error::illegal_argument("Setting both nested_path/nested_filter and nested not allowed"));
        }
        // A filter without a path has nothing to filter.
        let own = |path| NestedSort { filter, ..NestedSort::of_path(path) };
        sort.nested = nested.unwrap_or_else(|| path.map(own));
        if sort.mode == Some(Mode::Sum) {
            return Err(Error::illegal_argument("sort_mode [sum] isn't supported for sorting by geo distance"));
        }
        Ok((sort, descending.unwrap_or(false)))
    }

    fn rename(&mut self, name: &str, value: Node) -> Result<()> {
        if !self.field.is_empty() && self.field != name {
            let first = &self.field;
            return Err(value.error(format!("Trying to reset fieldName to [{name}], already set to [{first}].")));
        }
        self.field = name.to_owned();
        Ok(())
    }

    /// The sort with places as a shard wants them. Looked at there, so that a search over several indexes has results.
    pub fn checked(&self, descending: bool) -> Result<Self> {
        let mut sort = self.clone();
        for point in &mut sort.points {
            let wrong = match self.validation {
                Validation::Coerce => {
                    *point = point.normalized();
                    continue;
                }
                Validation::IgnoreMalformed => {
                    let plain = self.is_plain(descending);
                    if !plain || point.is_valid() {
                        continue;
                    }
                    return Err(Error::illegal_argument(if (-90.0..=90.0).contains(&point.lat) {
                        let lon = java_f64(point.lon);
                        format!("invalid longitude {lon}; must be between -180.0 and 180.0")
                    } else {
                        format!("invalid latitude {}; must be between -90.0 and 90.0", java_f64(point.lat))
                    }));
                }
                Validation::Strict if point.is_valid() => continue,
                Validation::Strict if (-90.0..=90.0).contains(&point.lat) => ("longitude", point.lon),
                Validation::Strict => ("latitude", point.lat),
            };
            let (which, degrees) = (wrong.0, java_f64(wrong.1));
            let reason = format!("illegal {which} value [{degrees}] for [GeoDistanceSort] for field [{}].", self.field);
            return Err(Error::new(ErrorKind::Parse, reason));
        }
        Ok(sort)
    }

    /// One place and its least distance in metres are sorted by in a way of their own, which looks at the place, and measures along
    /// the sphere whatever is asked for.
    fn is_plain(&self, descending: bool) -> bool {
        self.points.len() == 1
            && !descending
            && self.nested.is_none()
            && matches!(self.mode, None | Some(Mode::Min))
            && self.unit == DistanceUnit::METERS
    }

    /// The distance that stands for a document's places, in the unit asked for.
    pub fn distance(&self, places: &[i64], descending: bool) -> f64 {
        let measure = if self.plane && !self.is_plain(descending) { plane_distance } else { arc_distance };
        let distances = places.iter().flat_map(|place| {
            let place = decode_point(*place);
            self.points.iter().map(move |point| measure(*point, place) / self.unit.meters)
        });
        let mut distances: Vec<f64> = distances.collect();
        distances.sort_by(f64::total_cmp);
        let (Some(first), Some(last)) = (distances.first(), distances.last()) else { return f64::INFINITY };
        let count = distances.len();
        match self.mode.unwrap_or(if descending { Mode::Max } else { Mode::Min }) {
            Mode::Min | Mode::Sum => *first,
            Mode::Max => *last,
            Mode::Avg => distances.iter().sum::<f64>() / count as f64,
            Mode::Median if count % 2 == 1 => distances[count / 2],
            Mode::Median => (distances[count / 2 - 1] + distances[count / 2]) / 2.0,
        }
    }
}

/// The places of a list. Two numbers in a row are one of them, so a list of numbers alone may hold many.
fn read_list(list: Node, points: &mut Vec<Point>) -> Result<()> {
    let mut items = list.items();
    while let Some(item) = items.next() {
        let Some(lon) = number(item.value) else {
            points.push(read_point(item.value, false)?);
            continue;
        };
        let second = items.next();
        let Some(lat) = second.as_ref().and_then(|item| number(item.value)) else {
            let (token, pos) = second.map_or(("END_ARRAY", list.end_pos()), |item| (item.token(), item.pos()));
            let reason = format!("geo point parsing: expected second number but got [{token}] instead");
            return Err(Error::new(ErrorKind::Parse, reason).at(pos));
        };
        points.push(Point { lat, lon });
    }
    Ok(())
}

fn number(value: &Value) -> Option<f64> {
    if matches!(value, Value::String(_)) { None } else { value.as_f64() }
}
