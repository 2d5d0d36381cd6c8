//! Geohashes: a cell of the earth as text, five bits a letter, longitude and latitude by turns.

use super::Point;
use crate::error::{Error, ErrorKind, Result};

pub(super) const LETTERS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";

/// The lower corner of the cell.
pub fn decode_geohash(text: &str) -> Result<Point> {
    Ok(geohash_cell(text)?.0)
}

/// The lower left and the upper right corner of the cell.
pub fn geohash_cell(text: &str) -> Result<(Point, Point)> {
    let refuse =
        |reason: String| Error::new(ErrorKind::Parse, reason.clone()).caused_by(Error::illegal_argument(reason));
    if text.is_empty() {
        return Err(refuse("empty geohash".to_owned()));
    }
    let (mut lat, mut lon) = ((-90.0, 90.0), (-180.0, 180.0));
    let mut is_lon = true;
    for letter in text.chars() {
        let digit = u8::try_from(letter).ok().and_then(|byte| LETTERS.iter().position(|known| *known == byte));
        let digit = digit.ok_or_else(|| refuse(format!("unsupported symbol [{letter}] in geohash [{text}]")))?;
        for bit in (0..5).rev() {
            let (lo, hi): &mut (f64, f64) = if is_lon { &mut lon } else { &mut lat };
            let middle = (*lo + *hi) / 2.0;
            if digit >> bit & 1 == 1 {
                *lo = middle
            } else {
                *hi = middle
            }
            is_lon = !is_lon;
        }
    }
    Ok((Point { lat: lat.0, lon: lon.0 }, Point { lat: lat.1, lon: lon.1 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_corners() {
        let point = decode_geohash("u09tv").unwrap();
        assert!((point.lat - 48.8232421875).abs() < 1e-9 && (point.lon - 2.3291015625).abs() < 1e-9, "{point:?}");
        let reason = decode_geohash("foo").unwrap_err();
        assert_eq!(reason.reason(), "unsupported symbol [o] in geohash [foo]");
    }
}
