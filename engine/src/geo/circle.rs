//! A circle on the earth, and which encoded places lie in it.
//!
//! The box around the circle is cut into cells, of which most lie within or outside: only of the places in the others the
//! distance is computed. The idea is that of Lucene's `GeoEncodingUtils.createDistancePredicate`.

use super::distance::RADIUS_METERS;
use super::point::{Point, decode_point, encode_latitude, encode_longitude};
use super::{arc_distance, plane_distance};
use std::sync::OnceLock;

/// Cells on each side.
const SIDE: usize = 32;
/// Places nearer to the rim than this part of the radius are measured, wherever their cell lies: distances have errors.
const RIM: f64 = 1e-3;
/// And in meters.
const RIM_METERS: f64 = 1.0;
/// Larger circles are measured place by place.
const RADIUS_MAX: f64 = 0.3;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    Outside,
    Inside,
    Rim,
}

#[derive(Debug)]
struct Grid {
    /// The lower corner of the box, and the steps that it goes on for.
    lat: (i32, u32),
    lon: (i32, u32),
    /// Steps of a cell, as a power of two.
    lat_shift: u32,
    lon_shift: u32,
    cells: Box<[Cell; SIDE * SIDE]>,
}

/// The places that are no farther from a center than a distance.
#[derive(Debug)]
pub struct Circle {
    pub center: Point,
    pub meters: f64,
    /// Distances are measured as if the earth were flat.
    pub plane: bool,
    grid: OnceLock<Option<Grid>>,
}

impl Circle {
    pub fn new(center: Point, meters: f64, plane: bool) -> Self {
        Self { center, meters, plane, grid: OnceLock::new() }
    }

    /// Makes the cells, which is worth it for a thousand places.
    pub fn prepare(&self) {
        self.grid.get_or_init(|| if self.plane { None } else { Grid::around(self) });
    }

    pub fn holds(&self, point: Point) -> bool {
        let distance = if self.plane { plane_distance } else { arc_distance };
        distance(self.center, point) <= self.meters
    }

    /// The same of a place as it is kept in columns.
    #[inline]
    pub fn holds_encoded(&self, number: i64) -> bool {
        match self.grid.get().and_then(Option::as_ref).map(|grid| grid.cell(number)) {
            Some(Cell::Outside) => false,
            Some(Cell::Inside) => true,
            Some(Cell::Rim) | None => self.holds(decode_point(number)),
        }
    }
}

impl Grid {
    /// `None` where the circle is large, or reaches a pole or the line where days change.
    fn around(circle: &Circle) -> Option<Self> {
        let Circle { center, meters, .. } = *circle;
        let radius = (meters * (1.0 + RIM) + RIM_METERS) / RADIUS_METERS;
        if radius.is_nan() || radius <= 0.0 || radius > RADIUS_MAX {
            return None;
        }
        let (low, high) = (center.lat - radius.to_degrees(), center.lat + radius.to_degrees());
        if low < -89.0 || high > 89.0 {
            return None;
        }
        // Where meridians touch the circle.
        let half = (radius.sin() / center.lat.to_radians().cos()).asin().to_degrees();
        let (left, right) = (center.lon - half, center.lon + half);
        if half.is_nan() || half >= 90.0 || left < -179.9 || right > 179.9 {
            return None;
        }
        let lat = (encode_latitude(low, false), encode_latitude(high, true));
        let lon = (encode_longitude(left, false), encode_longitude(right, true));
        let (lat_steps, lon_steps) = (lat.1.abs_diff(lat.0), lon.1.abs_diff(lon.0));
        let shift = |steps: u32| (u32::BITS - steps.leading_zeros()).saturating_sub(SIDE.ilog2());
        let mut grid = Self {
            lat: (lat.0, lat_steps),
            lon: (lon.0, lon_steps),
            lat_shift: shift(lat_steps),
            lon_shift: shift(lon_steps),
            cells: Box::new([Cell::Rim; SIDE * SIDE]),
        };
        for (at, cell) in (0u32..).zip(0..SIDE * SIDE) {
            let (row, column) = (at / SIDE as u32, at % SIDE as u32);
            let corner = |up: u32| {
                let step = |start: i32, cell: u32, shift: u32| {
                    (i64::from(start) + (i64::from(cell + up) << shift)).min(i64::from(i32::MAX)) as i32
                };
                let (lat, lon) = (step(lat.0, row, grid.lat_shift), step(lon.0, column, grid.lon_shift));
                decode_point(i64::from(lat) << 32 | i64::from(lon as u32))
            };
            grid.cells[cell] = relate(circle, corner(0), corner(1));
        }
        Some(grid)
    }

    #[inline]
    fn cell(&self, number: i64) -> Cell {
        let lat = ((number >> 32) as i32).wrapping_sub(self.lat.0) as u32;
        let lon = (number as i32).wrapping_sub(self.lon.0) as u32;
        if lat > self.lat.1 || lon > self.lon.1 {
            return Cell::Outside;
        }
        // Both are below SIDE: the steps of the box are fewer than SIDE cells have.
        self.cells[((lat >> self.lat_shift) as usize * SIDE + (lon >> self.lon_shift) as usize) % (SIDE * SIDE)]
    }
}

/// How the cell between two corners lies to the circle. What is too close to call is its rim.
fn relate(circle: &Circle, low: Point, high: Point) -> Cell {
    let (near, far) = (circle.meters * (1.0 - RIM) - RIM_METERS, circle.meters * (1.0 + RIM) + RIM_METERS);
    let center = circle.center;
    let distance = |lat: f64, lon: f64| arc_distance(center, Point { lat, lon });
    // Along a parallel and along a meridian distances grow to both sides of one place, so corners are the farthest.
    let farthest = [low.lat, high.lat].map(|lat| distance(lat, low.lon).max(distance(lat, high.lon)));
    if farthest[0].max(farthest[1]) <= near {
        return Cell::Inside;
    }
    let lon = center.lon.clamp(low.lon, high.lon);
    // Where the meridian is nearest to the center.
    let across = (center.lat.to_radians().tan() / (lon - center.lon).to_radians().cos()).atan().to_degrees();
    match distance(across.clamp(low.lat, high.lat), lon) >= far {
        true => Cell::Outside,
        false => Cell::Rim,
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode_point;
    use super::*;

    #[test]
    fn cells_say_what_distances_say() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut told = [0u32; 3];
        for (lat, lon, meters) in [
            (40.75, -73.97, 2_229.0),
            (0.0, 0.0, 100.0),
            (-70.0, 150.0, 900_000.0),
            (60.0, -120.0, 5.0),
            (85.0, 10.0, 300_000.0),
            (10.0, 179.5, 200_000.0),
            (45.0, 45.0, 1_900_000.0),
            (1.0, 1.0, 0.0),
            (1.0, 1.0, 9_000_000.0),
        ] {
            let circle = Circle::new(Point { lat, lon }, meters, false);
            circle.prepare();
            let span = (meters / 111_000.0 * 1.5).max(1e-5);
            for _ in 0..20_000 {
                let wide = span / lat.to_radians().cos();
                let point =
                    Point { lat: lat + span * (2.0 * random() - 1.0), lon: lon + wide * (2.0 * random() - 1.0) };
                if !point.is_valid() {
                    continue;
                }
                let number = encode_point(point);
                assert_eq!(circle.holds_encoded(number), circle.holds(decode_point(number)), "{circle:?} {point:?}");
                if let Some(Some(grid)) = circle.grid.get() {
                    told[grid.cell(number) as usize] += 1;
                }
            }
        }
        // Most places need not be measured.
        assert!(told[Cell::Rim as usize] * 4 < told.iter().sum::<u32>(), "{told:?}");
    }
}
