//! A shape as doc values show it: the box around it, its centre, and the highest dimension of its parts.
//!
//! All of it is reckoned in the steps that the reference's index knows places by, and the centre is cut off to whole steps.

use super::point::{decode_point, encode_latitude, encode_longitude};
use super::shape::{Corner, Shape};
use crate::mapping::number::java_f64;

/// A corner in steps: longitude, latitude.
type Steps = (i32, i32);

/// Parts of one dimension: where their middles are, by their sizes.
#[derive(Default)]
struct Weighed {
    x: f64,
    y: f64,
    size: f64,
}

/// How far sums may be from what they would be without rounding, in steps.
const ROUNDING: f64 = 1e-6;

impl Weighed {
    fn add(&mut self, (x, y): (f64, f64), size: f64) {
        self.x += x * size;
        self.y += y * size;
        self.size += size;
    }

    fn middle(&self) -> Option<Steps> {
        // What is a step but for rounding is one.
        let step = |sum: f64| {
            let (at, near) = (sum / self.size, (sum / self.size).round());
            if (at - near).abs() < ROUNDING { near as i32 } else { at as i32 }
        };
        (self.size != 0.0).then(|| (step(self.x), step(self.y)))
    }
}

/// The text for the doc value of a shape; `None` if it is none, or has no corners. Costs a pass over its corners.
pub fn description(bytes: &[u8]) -> Option<String> {
    let shape = Shape::decode(bytes)?;
    let corners: Vec<Steps> = shape.corners().map(steps).collect();
    let first = *corners.first()?;
    let (mut min, mut max) = (first, first);
    for (x, y) in &corners {
        min = (min.0.min(*x), min.1.min(*y));
        max = (max.0.max(*x), max.1.max(*y));
    }
    let (dimension, parts) = match (&shape.areas[..], &shape.lines[..]) {
        ([], []) => ("POINT", of_points(&corners)),
        ([], lines) => ("LINE", of_lines(lines)),
        (areas, _) => ("TRIANGLE", of_areas(areas)),
    };
    let [min, max, middle] = [min, max, parts.middle().unwrap_or(first)].map(degrees);
    Some(format!(
        "BoundingRectangle(maxLatitude: {}, minLatitude: {}, maxLongitude: {}, minLongitude: {}), Centroid({}, {}), \
         HighestDimension({dimension})",
        max.1, min.1, max.0, min.0, middle.1, middle.0
    ))
}

fn steps((lon, lat): &Corner) -> Steps {
    (encode_longitude(*lon, false), encode_latitude(*lat, false))
}

/// The place as text.
fn degrees((x, y): Steps) -> (String, String) {
    let place = decode_point(i64::from(y) << 32 | i64::from(x as u32));
    (java_f64(place.lon), java_f64(place.lat))
}

fn of_points(points: &[Steps]) -> Weighed {
    let mut parts = Weighed::default();
    points.iter().for_each(|(x, y)| parts.add((f64::from(*x), f64::from(*y)), 1.0));
    parts
}

/// The sides of lines or rings, in steps.
fn sides(corners: &[Corner]) -> impl Iterator<Item = ((f64, f64), (f64, f64))> {
    let at = |corner: &Corner| {
        let (x, y) = steps(corner);
        (f64::from(x), f64::from(y))
    };
    corners.windows(2).map(move |side| (at(&side[0]), at(&side[1])))
}

fn of_lines(lines: &[Vec<Corner>]) -> Weighed {
    let mut parts = Weighed::default();
    for (a, b) in lines.iter().flat_map(|line| sides(line)) {
        // A step of longitude is two of latitude.
        parts.add(((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0), (2.0 * (b.0 - a.0)).hypot(b.1 - a.1));
    }
    parts
}

/// Holes count against what they are in.
fn of_areas(areas: &[Vec<Vec<Corner>>]) -> Weighed {
    let mut parts = Weighed::default();
    for area in areas {
        for (at, ring) in area.iter().enumerate() {
            let mut own = Weighed::default();
            for (a, b) in sides(ring) {
                own.add(((a.0 + b.0) / 3.0, (a.1 + b.1) / 3.0), (a.0 * b.1 - b.0 * a.1) / 2.0);
            }
            let sign = if (own.size < 0.0) == (at == 0) { -1.0 } else { 1.0 };
            parts.x += sign * own.x;
            parts.y += sign * own.y;
            parts.size += sign * own.size;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::super::wkt::read_shape;
    use super::*;

    #[test]
    fn shapes_are_described_in_steps() {
        let told = |text: &str| description(&read_shape(text).unwrap().encode()).unwrap();
        let middle = |text: &str| told(text).split_once("Centroid").unwrap().1.to_owned();
        assert_eq!(
            told("POINT(10 20)"),
            "BoundingRectangle(maxLatitude: 19.99999998137355, minLatitude: 19.99999998137355, maxLongitude: 9.999999990686774, \
             minLongitude: 9.999999990686774), Centroid(19.99999998137355, 9.999999990686774), HighestDimension(POINT)"
        );
        for (text, expected) in [
            ("POLYGON((0 0,10 0,10 10,0 0))", "(3.333333316259086, 6.666666632518172), HighestDimension(TRIANGLE)"),
            ("LINESTRING(0 0,10 10)", "(4.999999995343387, 4.999999953433871), HighestDimension(LINE)"),
            ("MULTIPOINT(0 0,10 10)", "(4.999999995343387, 4.999999953433871), HighestDimension(POINT)"),
            (
                "POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,4 2,4 4,2 2))",
                "(5.047619012184441, 5.034013548865914), HighestDimension(TRIANGLE)",
            ),
        ] {
            assert_eq!(middle(text), expected, "{text}");
        }
    }
}
