//! Distances: units, and two ways to measure.

use super::Point;
use crate::error::{Error, ErrorKind, Result};

/// The earth's mean radius, as the reference has it.
pub(super) const RADIUS_METERS: f64 = 6_371_008.771_4;

/// Along the surface of a sphere.
pub fn arc_distance(a: Point, b: Point) -> f64 {
    let (lat1, lat2) = (a.lat.to_radians(), b.lat.to_radians());
    let (dlat, dlon) = (lat1 - lat2, (a.lon - b.lon).to_radians());
    let h = (1.0 - dlat.cos()) + lat1.cos() * lat2.cos() * (1.0 - dlon.cos());
    2.0 * RADIUS_METERS * (h * 0.5).sqrt().min(1.0).asin()
}

/// As if the earth were flat between the two.
pub fn plane_distance(a: Point, b: Point) -> f64 {
    let x = (b.lon - a.lon).to_radians() * ((b.lat + a.lat) / 2.0).to_radians().cos();
    let y = (b.lat - a.lat).to_radians();
    (x * x + y * y).sqrt() * RADIUS_METERS
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceUnit {
    pub meters: f64,
}

/// Names by length, so that none is taken for the end of another.
const UNITS: &[(&str, f64)] = &[
    ("nauticalmiles", 1852.0),
    ("centimeters", 0.01),
    ("millimeters", 0.001),
    ("kilometers", 1000.0),
    ("meters", 1.0),
    ("miles", 1609.344),
    ("yards", 0.9144),
    ("feet", 0.3048),
    ("inch", 0.0254),
    ("nmi", 1852.0),
    ("NM", 1852.0),
    ("km", 1000.0),
    ("cm", 0.01),
    ("mm", 0.001),
    ("mi", 1609.344),
    ("yd", 0.9144),
    ("ft", 0.3048),
    ("in", 0.0254),
    ("m", 1.0),
];

impl DistanceUnit {
    pub const METERS: Self = Self { meters: 1.0 };

    pub fn parse(name: &str) -> Result<Self> {
        let found = UNITS.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, meters)| Self { meters: *meters })
            .ok_or_else(|| Error::illegal_argument(format!("No distance unit match [{name}]")))
    }
}

/// A distance such as `12km` in meters; `unit` is that of bare numbers.
pub fn parse_distance(text: &str, unit: DistanceUnit) -> Result<f64> {
    let trimmed = text.trim();
    let (digits, meters) = UNITS
        .iter()
        .find_map(|(name, meters)| Some((trimmed.strip_suffix(name)?, *meters)))
        .unwrap_or((trimmed, unit.meters));
    // Java's numbers may say how they are kept.
    let digits = digits.trim();
    if digits.is_empty() {
        return Err(Error::new(ErrorKind::NumberFormat, "empty String"));
    }
    let number: f64 = digits
        .trim_end_matches(['d', 'D', 'f', 'F'])
        .parse()
        .map_err(|_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{digits}\"")))?;
    Ok(number * meters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_reference() {
        let paris = Point { lat: 48.85, lon: 2.35 };
        let london = Point { lat: 51.49999998975545, lon: -0.12000001966953278 };
        assert!((arc_distance(paris, london) - 343_128.349).abs() < 0.01);
        assert_eq!(parse_distance("1.5km", DistanceUnit::METERS), Ok(1500.0));
        assert_eq!(parse_distance(" 2 mi", DistanceUnit::METERS), Ok(3218.688));
        assert_eq!(parse_distance("3", DistanceUnit::parse("km").unwrap()), Ok(3000.0));
        assert!(parse_distance("x", DistanceUnit::METERS).is_err() && DistanceUnit::parse("leagues").is_err());
    }
}
