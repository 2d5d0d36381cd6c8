//! Cells of the earth: geohashes and the tiles of web maps, numbered as the reference numbers them.

use super::geohash::LETTERS;
use super::morton::{SIGN, spread};
use super::relate::{contains, intersects};
use super::shape::Shape;
use super::{DistanceUnit, Point, decode_point, encode_latitude, encode_longitude, parse_distance};
use crate::error::Result;
use std::f64::consts::PI;

/// A division of the earth into cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    Geohash,
    Tiles,
}

/// Cells that one shape may lie in.
const SHAPE_CELLS_MAX: usize = 131_072;

impl Grid {
    /// The cell that a place lies in. Cells of one precision ascend as the reference's do.
    pub fn cell(self, point: Point, precision: u8) -> i64 {
        let (x, y) = self.place(point, precision);
        self.number(x, y, precision)
    }

    /// The cell of an encoded place: that of the point it stands for.
    pub fn cell_of(self, number: i64, precision: u8) -> i64 {
        match self {
            // Encoding a decoded coordinate gives the same number again, so that its bits are those that tell the cell.
            Grid::Geohash => geohash_number(number as u32 ^ SIGN, (number >> 32) as u32 ^ SIGN, precision),
            Grid::Tiles => self.cell(decode_point(number), precision),
        }
    }

    /// The bits of an encoded place that its cell hangs on, where it hangs on some of them alone.
    pub fn telling_bits(self, precision: u8) -> Option<i64> {
        let (lon, lat) = self.bits(precision);
        let top = |bits: u32| u32::MAX.checked_shl(32 - bits).unwrap_or(0);
        (self == Grid::Geohash).then(|| (u64::from(top(lat)) << 32 | u64::from(top(lon))) as i64)
    }

    /// All cells that a shape has a part in; `None` if they are too many.
    pub fn cells_of(self, shape: &Shape, precision: u8) -> Option<Vec<i64>> {
        let bounds = shape.bounds();
        if !(bounds.min.0.is_finite() && bounds.max.1.is_finite()) {
            return Some(vec![]);
        }
        let (left, right) = (bounds.min.0, bounds.max.0);
        let low = self.place(Point { lat: bounds.min.1, lon: left }, precision);
        let high = self.place(Point { lat: bounds.max.1, lon: right }, precision);
        let (y, y_end) = (low.1.min(high.1), low.1.max(high.1));
        let mut cells = vec![];
        let mut open = vec![(Block { x: low.0, x_end: high.0, y, y_end }, false)];
        while let Some((block, within)) = open.pop() {
            let area = self.area(&block, precision);
            if !within && !intersects(shape, &area) {
                continue;
            }
            match block.halves() {
                None => cells.push(self.number(block.x, block.y, precision)),
                Some(halves) => {
                    let within = within || contains(shape, &area);
                    open.extend(halves.map(|half| (half, within)));
                }
            }
            if cells.len() > SHAPE_CELLS_MAX {
                return None;
            }
        }
        Some(cells)
    }

    /// How many columns and rows of cells there are, as powers of two.
    fn bits(self, precision: u8) -> (u32, u32) {
        let precision = u32::from(precision);
        match self {
            Grid::Geohash => ((precision * 5).div_ceil(2), precision * 5 / 2),
            Grid::Tiles => (precision, precision),
        }
    }

    /// Column and row of a place.
    fn place(self, point: Point, precision: u8) -> (u32, u32) {
        let (x_bits, y_bits) = self.bits(precision);
        match self {
            Grid::Geohash => {
                let top = |encoded: i32, bits: u32| (u64::from(encoded as u32 ^ SIGN) >> (32 - bits)) as u32;
                (top(encode_longitude(point.lon, false), x_bits), top(encode_latitude(point.lat, false), y_bits))
            }
            Grid::Tiles => {
                let tiles = f64::from(1u32 << x_bits);
                let point = point.normalized();
                let sine = point.lat.to_radians().sin();
                let x = (point.lon + 180.0) / 360.0 * tiles;
                let y = (0.5 - ((1.0 + sine) / (1.0 - sine)).ln() / (4.0 * PI)) * tiles;
                let within = |place: f64| place.floor().clamp(0.0, tiles - 1.0) as u32;
                (within(x), within(y))
            }
        }
    }

    fn number(self, x: u32, y: u32, precision: u8) -> i64 {
        match self {
            Grid::Tiles => i64::from(precision) << 58 | i64::from(x) << 29 | i64::from(y),
            Grid::Geohash => {
                let (x_bits, y_bits) = self.bits(precision);
                let left = |place: u32, bits: u32| place.checked_shl(u32::BITS - bits).unwrap_or(0);
                geohash_number(left(x, x_bits), left(y, y_bits), precision)
            }
        }
    }

    /// The name of a cell: letters, or `zoom/column/row`.
    pub fn name(self, cell: i64) -> String {
        match self {
            Grid::Tiles => {
                let part = |number: i64| number & ((1 << 29) - 1);
                format!("{}/{}/{}", cell >> 58, part(cell >> 29), part(cell))
            }
            Grid::Geohash => {
                let (bits, precision) = (cell as u64 >> 4, cell & 15);
                let letter = |at: i64| char::from(LETTERS[(bits >> (5 * (precision - 1 - at)) & 31) as usize]);
                (0..precision).map(letter).collect()
            }
        }
    }

    /// The cell of a `zoom/column/row`.
    pub fn parse_tile(name: &str) -> Option<i64> {
        let parts: Option<Vec<u32>> = name.split('/').map(|part| part.parse().ok()).collect();
        match parts?[..] {
            [zoom, x, y] if zoom <= 29 && x < 1 << zoom && y < 1 << zoom => Some(Grid::Tiles.number(x, y, zoom as u8)),
            _ => None,
        }
    }

    /// The area of a block of cells.
    fn area(self, block: &Block, precision: u8) -> Shape {
        let (x_bits, y_bits) = self.bits(precision);
        let lon = |x: u32| f64::from(x) / f64::from(1u32 << x_bits) * 360.0 - 180.0;
        let share = |y: u32| f64::from(y) / f64::from(1u32 << y_bits);
        let (bottom, top) = match self {
            Grid::Geohash => (share(block.y) * 180.0 - 90.0, share(block.y_end + 1) * 180.0 - 90.0),
            Grid::Tiles => {
                let lat = |y: u32| (PI * (1.0 - 2.0 * share(y))).sinh().atan().to_degrees();
                // The outermost tiles take what lies beyond them.
                let top = if block.y == 0 { 90.0 } else { lat(block.y) };
                let bottom = if block.y_end + 1 == 1 << y_bits { -90.0 } else { lat(block.y_end + 1) };
                (bottom, top)
            }
        };
        Shape::of_box(top, lon(block.x), bottom, lon(block.x_end + 1))
    }
}

/// Columns and rows of cells, the last ones included.
struct Block {
    x: u32,
    x_end: u32,
    y: u32,
    y_end: u32,
}

impl Block {
    /// Two halves, unless it is a single cell.
    fn halves(&self) -> Option<[Block; 2]> {
        let Self { x, x_end, y, y_end } = *self;
        if x_end - x >= y_end - y {
            let middle = x + (x_end - x) / 2;
            (x < x_end).then_some([Block { x, x_end: middle, y, y_end }, Block { x: middle + 1, x_end, y, y_end }])
        } else {
            let middle = y + (y_end - y) / 2;
            Some([Block { x, x_end, y, y_end: middle }, Block { x, x_end, y: middle + 1, y_end }])
        }
    }
}

/// The earth's girth, and its length from pole to pole, in meters.
const EQUATOR_METERS: f64 = 40_075_016.685_578_49;
const MERIDIAN_METERS: f64 = 20_003_931.458_6;

/// The bits of longitude and latitude by turns, as many as the letters hold, and how many letters there are.
fn geohash_number(lon: u32, lat: u32, letters: u8) -> i64 {
    let bits = (spread(lon) << 1 | spread(lat)) >> (u64::BITS - u32::from(letters) * 5);
    (bits << 4 | u64::from(letters)) as i64
}

/// The letters of geohashes whose cells are about as wide as a distance in meters.
pub fn geohash_precision(meters: f64) -> u32 {
    if meters <= 0.0 || meters.is_nan() {
        return 12;
    }
    let width = meters / (1.0 + MERIDIAN_METERS / EQUATOR_METERS);
    let parts = (EQUATOR_METERS / width).ceil().max(1.0);
    let bits = parts.log2().ceil() as u32;
    let (full, left) = (bits / 5, bits % 5);
    2 * full + u32::from(left > 0) + u32::from(left > 3)
}

/// Letters of geohashes whose cells are no wider apart than a distance, given as text, where there are such.
pub fn geohash_letters_within(distance: &str) -> Result<u32> {
    let meters = parse_distance(distance, DistanceUnit::METERS)?;
    let letters = geohash_precision(meters).clamp(1, 12);
    Ok(if diagonal_meters(letters) < meters { (letters - 1).max(1) } else { letters })
}

/// The diagonal of a cell of so many letters at the equator, as the reference reckons it.
fn diagonal_meters(letters: u32) -> f64 {
    const EQUATOR: f64 = 2.0 * std::f64::consts::PI * 6_378_137.0;
    const POLAR: f64 = std::f64::consts::PI * 6_356_752.314_245;
    let bits = letters * 5;
    let (width, height) = (EQUATOR / f64::from(bits.div_ceil(2)).exp2(), POLAR / f64::from(bits / 2).exp2());
    width.hypot(height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::wkt;

    #[test]
    fn cells_have_the_names_of_the_reference() {
        let amsterdam = Point { lat: 52.374081, lon: 4.912350 };
        let name = |grid: Grid, precision| grid.name(grid.cell(amsterdam, precision));
        assert_eq!(name(Grid::Geohash, 5), "u173z");
        assert_eq!(name(Grid::Geohash, 12), "u173zy3j4h3d");
        assert_eq!(name(Grid::Tiles, 7), "7/65/42");
        assert_eq!(name(Grid::Tiles, 0), "0/0/0");
        assert_eq!(Grid::parse_tile("7/65/42"), Some(Grid::Tiles.cell(amsterdam, 7)));
        assert_eq!(Grid::parse_tile("2/4/0"), None);
    }

    #[test]
    fn encoded_places_lie_in_the_cells_of_their_points() {
        let corners = [i32::MIN, i32::MIN + 1, -1, 0, 1, 123_456_789, i32::MAX - 1, i32::MAX];
        for (lat, lon) in corners.iter().flat_map(|lat| corners.map(|lon| (*lat, lon))) {
            let number = i64::from(lat) << 32 | i64::from(lon as u32);
            for (grid, precisions) in [(Grid::Geohash, 1..=12), (Grid::Tiles, 0..=29)] {
                for precision in precisions {
                    let cell = grid.cell(decode_point(number), precision);
                    assert_eq!(grid.cell_of(number, precision), cell, "{grid:?} {precision} {lat} {lon}");
                }
            }
        }
    }

    #[test]
    fn shapes_lie_in_cells() {
        let names = |grid: Grid, text: &str, precision| {
            let mut cells = grid.cells_of(&wkt::read_shape(text).unwrap(), precision).unwrap();
            cells.sort_unstable();
            cells.into_iter().map(|cell| grid.name(cell)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(Grid::Geohash, "POLYGON ((0 0, 3 0, 3 3, 0 0))", 1), "s");
        assert_eq!(names(Grid::Geohash, "LINESTRING (-170 -10, 175 20)", 1), "2 3 6 d e s t w x");
        assert_eq!(names(Grid::Tiles, "LINESTRING (-170 -10, 175 20)", 2), "2/0/2 2/1/1 2/1/2 2/2/1 2/3/1");
        let world = Shape::of_box(90.0, -180.0, -90.0, 180.0);
        assert_eq!(Grid::Geohash.cells_of(&world, 2).map(|cells| cells.len()), Some(1024));
        assert_eq!(Grid::Tiles.cells_of(&world, 29), None);
    }

    #[test]
    fn distances_have_precisions() {
        let precisions = [5e6, 1e5, 1e4, 100.0, 1.0, 0.01].map(geohash_precision);
        assert_eq!(precisions, [2, 4, 5, 8, 11, 13]);
    }
}
