//! Well-known text, in the tokens of Java's `StreamTokenizer`: words (numbers are words too) and single characters; what stands
//! behind a whole shape is not read.

use super::Point;
use super::shape::{Corner, Shape, line, ring};
use crate::error::{Error, ErrorKind, Result};
use crate::mapping::number::java_f64;

struct Reader<'t> {
    text: &'t str,
}

/// A token; `End` comes again and again.
#[derive(Clone, Copy, PartialEq)]
enum Token<'t> {
    Word(&'t str),
    Char(char),
    End,
}

impl Token<'_> {
    /// As messages show it.
    fn shown(self) -> String {
        match self {
            Self::Word(word) => word.to_owned(),
            Self::Char(sign) => format!("'{sign}'"),
            Self::End => "END-OF-STREAM".to_owned(),
        }
    }
}

/// Collections within collections.
const DEPTH_MAX: usize = 32;

pub fn read_shape(text: &str) -> Result<Shape> {
    Reader { text }.shape(0)
}

/// The one point of a text, whatever stands behind it; no point is the one at zero. A point must be on the earth.
pub fn read_point(text: &str) -> Result<Point> {
    let invalid = |cause| refuse("Invalid WKT format".to_owned()).caused_by(cause);
    let shape = Reader { text }.shape(0).map_err(invalid)?;
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
    let name = Reader { text }.word()?.to_uppercase();
    match (name.as_str(), &shape.points[..]) {
        ("POINT", [(lon, lat), ..]) => Ok(Point { lat: *lat, lon: *lon }),
        ("POINT", []) => Ok(Point { lat: 0.0, lon: 0.0 }),
        _ => Err(refuse(format!("[geo_point] supports only POINT among WKT primitives, but found {name}"))),
    }
}

fn refuse(reason: String) -> Error {
    Error::new(ErrorKind::Parse, reason)
}

/// What words are made of. Characters beyond the first 256 count among them, as Java has it.
fn in_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '-' | '+' | '.') || sign >= '\u{a0}'
}

impl<'t> Reader<'t> {
    /// The next token. Comments last to the end of their line.
    fn next(&mut self) -> Token<'t> {
        loop {
            self.text = self.text.trim_start_matches([' ', '\t', '\r', '\n']);
            let Some(comment) = self.text.strip_prefix('#') else { break };
            self.text = comment.find(['\r', '\n']).and_then(|end| comment.get(end..)).unwrap_or_default();
        }
        let Some(first) = self.text.chars().next() else { return Token::End };
        if !in_word(first) {
            self.text = &self.text[first.len_utf8()..];
            return Token::Char(first);
        }
        let end = self.text.find(|sign| !in_word(sign)).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        Token::Word(word)
    }

    /// A word or one of `(`, `)` and `,`.
    fn word(&mut self) -> Result<&'t str> {
        match self.next() {
            Token::Word(word) => Ok(word),
            Token::Char('(') => Ok("("),
            Token::Char(')') => Ok(")"),
            Token::Char(',') => Ok(","),
            other => Err(refuse(format!("expected word but found: {}", other.shown()))),
        }
    }

    /// Whether the next word is `yes`; otherwise it has to be `no`.
    fn one_of(&mut self, yes: &str, no: &str) -> Result<bool> {
        let word = self.word()?;
        if word.eq_ignore_ascii_case(yes) {
            return Ok(true);
        }
        if word == no {
            return Ok(false);
        }
        Err(refuse(format!("expected {yes} or {no} but found: {}", quoted(word))))
    }

    fn expect(&mut self, wanted: &str) -> Result<()> {
        match self.word()? {
            word if word == wanted => Ok(()),
            word => Err(refuse(format!("expected {wanted} but found: {}", quoted(word)))),
        }
    }

    fn number(&mut self) -> Result<f64> {
        match self.next() {
            Token::Word(word) if word.eq_ignore_ascii_case("nan") => Ok(f64::NAN),
            Token::Word(word) => word.parse().map_err(|_| refuse(format!("invalid number found: {word}"))),
            other => Err(refuse(format!("expected number but found: {}", other.shown()))),
        }
    }

    /// Whether a word comes next, which is not read.
    fn word_follows(&self) -> bool {
        matches!(Reader { text: self.text }.next(), Token::Word(_))
    }

    /// `(` items `)`, separated by commas, or `EMPTY`.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        if self.one_of("EMPTY", "(")? {
            return Ok(vec![]);
        }
        self.items(&mut item)
    }

    /// Items whose opening bracket has been read.
    fn items<T>(&mut self, item: &mut impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.one_of(",", ")")? {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn corner(&mut self) -> Result<Corner> {
        let corner = (self.number()?, self.number()?);
        if self.word_follows() {
            self.number()?;
        }
        Ok(corner)
    }

    fn corners(&mut self) -> Result<Vec<Corner>> {
        self.list(Self::corner)
    }

    /// Of a polygon each ring has brackets.
    fn rings(&mut self) -> Result<Vec<Vec<Corner>>> {
        self.list(|reader| {
            reader.expect("(")?;
            ring(reader.items(&mut Self::corner)?)
        })
    }

    /// A corner that may have brackets of its own.
    fn bracketed(&mut self) -> Result<Corner> {
        if self.word_follows() {
            return self.corner();
        }
        let word = self.word()?;
        if word != "(" {
            return Err(refuse(format!("expected number but found: {}", quoted(word))));
        }
        let corner = self.corner()?;
        self.expect(")")?;
        Ok(corner)
    }

    /// The numbers of a box: left, right, top, bottom.
    fn envelope(&mut self) -> Result<Shape> {
        if self.one_of("EMPTY", "(")? {
            return Ok(Shape::default());
        }
        let mut ends = [self.number()?, 0.0, 0.0, 0.0];
        for end in &mut ends[1..] {
            self.expect(",")?;
            *end = self.number()?;
        }
        self.expect(")")?;
        let [left, right, top, bottom] = ends;
        if top < bottom {
            return Err(Error::illegal_argument("max y cannot be less than min x"));
        }
        Ok(Shape::of_box(top, left, bottom, right))
    }

    fn shape(&mut self, depth: usize) -> Result<Shape> {
        let mut shape = Shape::default();
        let name = self.word()?.to_lowercase();
        match name.as_str() {
            "point" => {
                if !self.one_of("EMPTY", "(")? {
                    shape.points.push(self.corner()?);
                    self.expect(")")?;
                }
            }
            "multipoint" => shape.points = self.list(Self::bracketed)?,
            "linestring" => shape.lines.push(line(self.corners()?)?),
            "multilinestring" => shape.lines = self.list(|reader| line(reader.corners()?))?,
            "polygon" => shape.areas.push(self.rings()?),
            "multipolygon" => shape.areas = self.list(Self::rings)?,
            "bbox" => return self.envelope(),
            "geometrycollection" if depth < DEPTH_MAX => {
                for part in self.list(|reader| reader.shape(depth + 1))? {
                    shape.add(part);
                }
            }
            "circle" => return Err(Error::new(ErrorKind::UnsupportedOperation, "circle geometry is not supported")),
            _ => return Err(Error::illegal_argument(format!("Unknown geometry type: {name}"))),
        }
        Ok(shape)
    }
}

/// A word as messages show it: brackets and commas are characters.
fn quoted(word: &str) -> String {
    if matches!(word, "(" | ")" | ",") { format!("'{word}'") } else { word.to_owned() }
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
        assert_eq!(read_shape("POINT (1 2) and more").unwrap().points, [(1.0, 2.0)]);
        let reason = |text| read_shape(text).unwrap_err().reason().to_owned();
        assert_eq!(reason(""), "expected word but found: END-OF-STREAM");
        assert_eq!(reason("2020-01-01"), "Unknown geometry type: 2020-01-01");
        assert_eq!(reason("POINT (1 2"), "expected word but found: END-OF-STREAM");
        assert_eq!(reason("POINT (1,2)"), "expected number but found: ','");
        assert_eq!(reason("POINT 1"), "expected EMPTY or ( but found: 1");
        assert_eq!(reason("!"), "expected word but found: '!'");
        for wrong in ["foo", "POINT (1)", "POINT (1 2", "LINESTRING (1 2)", "POLYGON ((0 0, 1 1))", ""] {
            assert!(read_shape(wrong).is_err(), "{wrong}");
        }
    }
}
