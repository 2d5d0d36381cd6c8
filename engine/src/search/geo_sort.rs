//! `_geo_distance`: hits by how far they are from places.

use super::nested_sort::NestedSort;
use super::sort_parse::Mode;
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{DistanceUnit, Point, arc_distance, decode_point, plane_distance, read_points};
use crate::json::Value;
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
}

impl GeoDistanceSort {
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
        };
        let (mut descending, mut validation) = (None, Validation::Strict);
        for option in node.fields() {
            let value = option.node;
            // A list or an object is places, under whatever name it stands.
            let plain = !matches!(value.value, Value::Array(_) | Value::Object(_));
            match option.key {
                "nested" => sort.nested = Some(NestedSort::parse(value)?),
                "order" if plain => descending = Some(super::sort_parse::direction_of(&value.text()?)?),
                "unit" if plain => sort.unit = DistanceUnit::parse(&value.text()?)?,
                "distance_type" if plain => sort.plane = read_distance_type(&value.text()?)?,
                "mode" | "sort_mode" if plain => sort.mode = Some(super::sort_parse::mode_of(&value.text()?)?),
                "ignore_unmapped" if plain => sort.ignore_unmapped = value.bool()?,
                "validation_method" if plain => validation = Validation::parse(&value.text()?)?,
                name => {
                    if !sort.field.is_empty() && sort.field != name {
                        let first = &sort.field;
                        return Err(Error::new(
                            ErrorKind::Parse,
                            format!("Trying to reset fieldName to [{name}], already set to [{first}]."),
                        ));
                    }
                    sort.field = name.to_owned();
                    sort.points.extend(read_points(value.value, true)?);
                }
            }
        }
        if sort.points.is_empty() {
            return Err(Error::illegal_argument("Geo distance sorting needs at least one point."));
        }
        if sort.mode == Some(Mode::Sum) {
            return Err(Error::illegal_argument("sort_mode [sum] isn't supported for sorting by geo distance"));
        }
        for point in &mut sort.points {
            *point = validation.checked(*point, "GeoDistanceSort")?;
        }
        Ok((sort, descending.unwrap_or(false)))
    }

    /// The distance that stands for a document's places, in the unit asked for.
    pub fn distance(&self, places: &[i64], descending: bool) -> f64 {
        let measure = if self.plane { plane_distance } else { arc_distance };
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
