//! Places on the earth.
//!
//! - `point`: a latitude and a longitude, as they are encoded in columns and as requests and documents write them.
//! - `geohash`: points as short texts. `cells`: the earth divided into geohashes or tiles. `distance`: units, and two ways to measure.
//!   `circle`: what is no farther than a distance. `morton`: places along a curve, on which a cell is a range.
//! - `shape`: points, lines and areas, with their GeoJSON; `wkt`: their well-known text. `relate`: how two shapes lie to each other.
//!   `asked`: what queries may not write for a shape. `described`: what doc values show of one.
//!
//! What this room does not know: fields, segments, queries.

mod asked;
mod cells;
mod circle;
mod described;
mod distance;
mod geohash;
mod morton;
mod point;
mod relate;
mod shape;
mod wkt;

pub use asked::check_geojson;
pub use cells::{Grid, geohash_letters_within, geohash_precision};
pub use circle::{Cell, Circle};
pub use described::description as shape_description;
pub use distance::{DistanceUnit, arc_distance, parse_distance, plane_distance};
pub use geohash::{decode_geohash, geohash_cell};
pub use morton::{from_curve, to_curve};
pub use point::{Point, decode_point, encode_latitude, encode_longitude, encode_point, read_point, read_points};
pub use relate::{contains, covers, intersects};
pub use shape::{Bounds, Corner, Shape, read_shape};
pub use wkt::read_shape as read_shape_text;
