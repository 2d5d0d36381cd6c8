//! Well-known text.

use super::Point;
use super::shape::{Corner, Shape, line, ring};
use crate::error::{Error, ErrorKind, Result};
use crate::mapping::number::java_f64;

struct Reader<'t> {
    text: &'t str,
}

/// Collections within collections.
const DEPTH_MAX: usize = 32;

pub fn read_shape(text: &str) -> Result<Shape> {
    let mut reader = Reader { text: text.trim() };
    let shape = reader.shape(0)?;
    if reader.text.trim().is_empty() {
        return Ok(shape);
    }
    Err(refuse(format!("expected end of WKT string but found additional text: {}", reader.text.trim())))
}

/// The one point of a text, whatever stands behind it; no point is the one at zero. A point must be on the earth.
pub fn read_point(text: &str) -> Result<Point> {
    let invalid = |cause| refuse("Invalid WKT format".to_owned()).caused_by(cause);
    let mut reader = Reader { text: text.trim() };
    let shape = reader.shape(0).map_err(invalid)?;
    let corners = shape.points.iter().chain(shape.lines.iter().flatten()).chain(shape.areas.iter().flatten().flatten());
    for (lon, lat) in corners {
        for (name, value, most) in [("latitude", lat, 90.0), ("longitude", lon, 180.0)] {
            if value.is_nan() || value.abs() > most {
                let range = format!("must be between -{most:.1} and {most:.1}");
                let value = java_f64(*value);
                return Err(invalid(Error::illegal_argument(format!("invalid {name} {value}; {range}"))));
            }
        }
    }
    let name = Reader { text: text.trim() }.word();
    match (name.as_str(), &shape.points[..]) {
        ("POINT", [(lon, lat), ..]) => Ok(Point { lat: *lat, lon: *lon }),
        ("POINT", []) => Ok(Point { lat: 0.0, lon: 0.0 }),
        _ => Err(refuse(format!("[geo_point] supports only POINT among WKT primitives, but found {name}"))),
    }
}

fn refuse(reason: String) -> Error {
    Error::new(ErrorKind::Parse, reason)
}

impl Reader<'_> {
    fn word(&mut self) -> String {
        self.text = self.text.trim_start();
        let end = self.text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        word.to_ascii_uppercase()
    }

    fn take(&mut self, wanted: char) -> bool {
        self.text = self.text.trim_start();
        match self.text.strip_prefix(wanted) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        if self.take(wanted) {
            return Ok(());
        }
        let found = self.text.chars().next().map_or("END-OF-STREAM".to_owned(), String::from);
        Err(refuse(format!("expected {wanted} but found: {found}")))
    }

    fn number(&mut self) -> Result<f64> {
        self.text = self.text.trim_start();
        let end =
            self.text.find(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')')).unwrap_or(self.text.len());
        let (digits, rest) = self.text.split_at(end);
        if digits.is_empty() {
            let found = rest.chars().next().map_or("END-OF-STREAM".to_owned(), |found| format!("'{found}'"));
            return Err(refuse(format!("expected number but found: {found}")));
        }
        self.text = rest;
        digits.parse().map_err(|_| refuse(format!("invalid number found: {digits}")))
    }

    /// `(` items `)`, separated by commas.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![];
        self.text = self.text.trim_start();
        if self.text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("empty")) {
            self.text = &self.text[5..];
            return Ok(items);
        }
        self.expect('(')?;
        loop {
            items.push(item(self)?);
            if !self.take(',') {
                self.expect(')')?;
                return Ok(items);
            }
        }
    }

    fn corner(&mut self) -> Result<Corner> {
        let corner = (self.number()?, self.number()?);
        self.text = self.text.trim_start();
        if !self.text.starts_with([',', ')']) {
            self.number()?;
        }
        Ok(corner)
    }

    fn corners(&mut self) -> Result<Vec<Corner>> {
        self.list(Self::corner)
    }

    fn rings(&mut self) -> Result<Vec<Vec<Corner>>> {
        self.list(|reader| ring(reader.corners()?))
    }

    fn shape(&mut self, depth: usize) -> Result<Shape> {
        let mut shape = Shape::default();
        let name = self.word();
        match name.as_str() {
            "POINT" => shape.points = self.corners()?,
            "MULTIPOINT" => {
                shape.points = self.list(|reader| {
                    let bracketed = reader.take('(');
                    let corner = reader.corner()?;
                    if bracketed {
                        reader.expect(')')?;
                    }
                    Ok(corner)
                })?;
            }
            "LINESTRING" => shape.lines.push(line(self.corners()?)?),
            "MULTILINESTRING" => shape.lines = self.list(|reader| line(reader.corners()?))?,
            "POLYGON" => shape.areas.push(self.rings()?),
            "MULTIPOLYGON" => shape.areas = self.list(Self::rings)?,
            "ENVELOPE" | "BBOX" => match self.list(Self::number)?[..] {
                [_, _, top, bottom] if top < bottom => {
                    return Err(Error::illegal_argument("max y cannot be less than min x"));
                }
                [left, right, top, bottom] => shape = Shape::of_box(top, left, bottom, right),
                _ => return Err(refuse("an envelope has four numbers".to_owned())),
            },
            "GEOMETRYCOLLECTION" if depth < DEPTH_MAX => {
                for part in self.list(|reader| reader.shape(depth + 1))? {
                    shape.add(part);
                }
            }
            "CIRCLE" => return Err(Error::new(ErrorKind::UnsupportedOperation, "circle geometry is not supported")),
            _ => {
                let name = name.to_ascii_lowercase();
                return Err(Error::illegal_argument(format!("Unknown geometry type: {name}")));
            }
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read() {
        let shape = read_shape("POLYGON ((0 0, 10 0, 10 10, 0 0), (1 1, 2 1, 2 2, 1 1))").unwrap();
        assert_eq!((shape.areas.len(), shape.areas[0].len()), (1, 2));
        assert_eq!(read_shape("MULTIPOINT ((1 2), 3 4)").unwrap().points, [(1.0, 2.0), (3.0, 4.0)]);
        assert_eq!(read_shape("BBOX (60, 70, 20, 10)"), Ok(Shape::of_box(20.0, 60.0, 10.0, 70.0)));
        assert_eq!(read_shape("GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (1 2, 3 4))").unwrap().lines.len(), 1);
        for wrong in ["foo", "POINT (1)", "POINT (1 2", "LINESTRING (1 2)", "POLYGON ((0 0, 1 1))", ""] {
            assert!(read_shape(wrong).is_err(), "{wrong}");
        }
    }
}
