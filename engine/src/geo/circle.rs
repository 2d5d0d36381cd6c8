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
/// How far away in radians, along either coordinate, series of four terms are exact enough.
const NEAR_MAX: f64 = 0.3;
/// Places nearer to the rim than this part of the radius are not measured in short.
const NEAR_RIM: f64 = 1e-6;
/// Larger circles are measured place by place.
const RADIUS_MAX: f64 = 0.3;

/// How a cell of the earth lies to an area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    Outside,
    Inside,
    /// Its places have to be looked at.
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
    /// What measures near places quickly, of circles that are not large.
    near: Option<Near>,
}

/// Distances in short: without trigonometry but for the center's.
#[derive(Debug)]
struct Near {
    /// The lower and upper corner of the box around the circle, encoded.
    lat: (i32, i32),
    lon: (i32, i32),
    /// Of the center's latitude.
    sin: f64,
    cos: f64,
    /// What [`Near::key`] gives at the rim, less and more what it may be wrong by.
    keys: (f64, f64),
}

impl Near {
    /// `None` where the circle is large, or reaches near a pole or the line where days change.
    fn of(center: Point, meters: f64) -> Option<Self> {
        let ((low, high), (left, right)) = box_around(center, meters)?;
        if (high - low).max(right - left) > NEAR_MAX.to_degrees() * 2.0 {
            return None;
        }
        let key = |meters: f64| match meters > 0.0 {
            true => 4.0 * (meters / RADIUS_METERS / 2.0).sin().powi(2),
            false => -1.0,
        };
        Some(Self {
            lat: (encode_latitude(low, false), encode_latitude(high, true)),
            lon: (encode_longitude(left, false), encode_longitude(right, true)),
            sin: center.lat.to_radians().sin(),
            cos: center.lat.to_radians().cos(),
            keys: (key(meters * (1.0 - NEAR_RIM) - RIM_METERS), key(meters * (1.0 + NEAR_RIM) + RIM_METERS)),
        })
    }

    /// Grows with the distance: twice what [`arc_distance`] takes the root of, its cosines as the first terms of their series.
    /// Where the point is [`NEAR_MAX`] away or less the terms left out come to less than one part in 10^9 of it.
    #[inline]
    fn key(&self, center: Point, point: Point) -> f64 {
        let (y, x) = ((point.lat - center.lat).to_radians(), (point.lon - center.lon).to_radians());
        let (yy, xx) = (y * y, x * x);
        // 2 - 2 cos, which the rounding of one less its cosine would spoil.
        let versine = |square: f64| square * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)));
        let sin_y = y * (1.0 - yy / 6.0 * (1.0 - yy / 20.0 * (1.0 - yy / 42.0)));
        let across = self.cos * (1.0 - versine(yy) * 0.5) - self.sin * sin_y;
        versine(yy) + self.cos * across * versine(xx)
    }

    fn is_in_box(&self, lat: i32, lon: i32) -> bool {
        (self.lat.0..=self.lat.1).contains(&lat) && (self.lon.0..=self.lon.1).contains(&lon)
    }
}

impl Circle {
    pub fn new(center: Point, meters: f64, plane: bool) -> Self {
        let near = if plane { None } else { Near::of(center, meters) };
        Self { center, meters, plane, grid: OnceLock::new(), near }
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
            Some(Cell::Rim) | None => self.holds_measured(number),
        }
    }

    /// The same, measured: quickly, unless that is too close to call.
    #[inline]
    pub fn holds_measured(&self, number: i64) -> bool {
        let point = decode_point(number);
        let Some(near) = &self.near else { return self.holds(point) };
        if !near.is_in_box((number >> 32) as i32, number as i32) {
            return false;
        }
        let key = near.key(self.center, point);
        if key < near.keys.0 {
            return true;
        }
        key <= near.keys.1 && self.holds(point)
    }

    /// How the cell between two encoded corners lies to the circle; `None` where that is not known of this circle.
    pub fn cell(&self, low: (i32, i32), high: (i32, i32)) -> Option<Cell> {
        let near = self.near.as_ref()?;
        if low.0 > near.lat.1 || high.0 < near.lat.0 || low.1 > near.lon.1 || high.1 < near.lon.0 {
            return Some(Cell::Outside);
        }
        let point = |(lat, lon): (i32, i32)| decode_point(i64::from(lat) << 32 | i64::from(lon as u32));
        let (low, high) = (point(low), point(high));
        let is_near = |point: Point| {
            let away = (point.lat - self.center.lat).abs().max((point.lon - self.center.lon).abs());
            away <= NEAR_MAX.to_degrees()
        };
        if !is_near(low) || !is_near(high) {
            return Some(Cell::Rim);
        }
        let corners = [(low.lat, low.lon), (low.lat, high.lon), (high.lat, low.lon), (high.lat, high.lon)];
        // Along a parallel and along a meridian distances grow to both sides of one place, so corners are the farthest.
        let farthest =
            corners.map(|(lat, lon)| near.key(self.center, Point { lat, lon })).into_iter().fold(0.0, f64::max);
        if farthest < near.keys.0 {
            return Some(Cell::Inside);
        }
        Some(match relate(self, low, high) {
            Cell::Outside => Cell::Outside,
            Cell::Inside | Cell::Rim => Cell::Rim,
        })
    }
}

/// The latitudes and the longitudes that a circle spans, with room to spare. `None` where it is
/// large, or reaches a pole or the line where days change.
fn box_around(center: Point, meters: f64) -> Option<((f64, f64), (f64, f64))> {
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
    Some(((low, high), (left, right)))
}

impl Grid {
    /// `None` where the circle is large, or reaches a pole or the line where days change.
    fn around(circle: &Circle) -> Option<Self> {
        let ((low, high), (left, right)) = box_around(circle.center, circle.meters)?;
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
        // What is measured in short is measured right, and so are cells.
        for (lat, lon, meters) in
            [(40.75, -73.97, 2_229.0), (-60.0, 10.0, 300.0), (10.0, 20.0, 1_500_000.0), (0.0, 0.0, 0.4)]
        {
            let circle = Circle::new(Point { lat, lon }, meters, false);
            let span = (meters / 111_000.0 * 2.0).max(1e-5);
            for _ in 0..20_000 {
                let mut corner = || (lat + span * (2.0 * random() - 1.0), lon + span * 2.0 * (2.0 * random() - 1.0));
                let (a, b, size) = (corner(), corner(), 1e-3 + random());
                let number = encode_point(Point { lat: a.0, lon: a.1 });
                assert_eq!(circle.holds_measured(number), circle.holds(decode_point(number)), "{circle:?} {a:?}");
                let (low, high) = ((a.0.min(b.0), a.1.min(b.1)), (a.0.max(b.0), a.1.max(b.1)));
                let high = (low.0 + (high.0 - low.0) * size, low.1 + (high.1 - low.1) * size);
                let encoded = |at: (f64, f64)| (encode_latitude(at.0, false), encode_longitude(at.1, false));
                let Some(cell) = circle.cell(encoded(low), encoded(high)) else { continue };
                for _ in 0..5 {
                    let (y, x) = (random(), random());
                    let place = Point { lat: low.0 + (high.0 - low.0) * y, lon: low.1 + (high.1 - low.1) * x };
                    let holds = circle.holds(decode_point(encode_point(place)));
                    assert!(
                        cell == Cell::Rim || holds == (cell == Cell::Inside),
                        "{circle:?} {low:?} {high:?} {cell:?}"
                    );
                }
            }
        }
        // Most places need not be measured.
        assert!(told[Cell::Rim as usize] * 4 < told.iter().sum::<u32>(), "{told:?}");
    }
}
