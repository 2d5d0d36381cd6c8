//! Encoded places along a curve that stays near itself: those of a cell of the earth are a range of numbers.
//!
//! The bits of both coordinates take turns, latitude first (Morton, "A computer oriented geodetic data base", 1966).

/// The number of an encoded place on the curve.
pub fn to_curve(number: i64) -> i64 {
    let (lat, lon) = ((number >> 32) as u32 ^ SIGN, number as u32 ^ SIGN);
    (spread(lat) << 1 | spread(lon)) as i64 ^ i64::MIN
}

/// The encoded place of a number on the curve.
pub fn from_curve(value: i64) -> i64 {
    let bits = (value ^ i64::MIN) as u64;
    let (lat, lon) = (gather(bits >> 1) ^ SIGN, gather(bits) ^ SIGN);
    i64::from(lat as i32) << 32 | i64::from(lon)
}

/// Signed numbers in the order of unsigned ones.
pub(super) const SIGN: u32 = 1 << 31;

/// Puts a zero before each bit.
pub(super) fn spread(bits: u32) -> u64 {
    let mut x = u64::from(bits);
    x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    x = (x | x << 2) & 0x3333_3333_3333_3333;
    (x | x << 1) & 0x5555_5555_5555_5555
}

/// Takes every other bit.
fn gather(bits: u64) -> u32 {
    let mut x = bits & 0x5555_5555_5555_5555;
    x = (x | x >> 1) & 0x3333_3333_3333_3333;
    x = (x | x >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    x = (x | x >> 4) & 0x00ff_00ff_00ff_00ff;
    x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
    (x | x >> 16) as u32
}

#[cfg(test)]
mod tests {
    use super::super::{Point, encode_point};
    use super::*;

    #[test]
    fn curve_and_back() {
        for (lat, lon) in [(0.0, 0.0), (90.0, 180.0), (-90.0, -180.0), (40.75, -73.97), (-0.1, 0.1)] {
            let number = encode_point(Point { lat, lon });
            assert_eq!(from_curve(to_curve(number)), number);
        }
        let at = |lat: i32, lon: i32| to_curve(i64::from(lat) << 32 | i64::from(lon as u32));
        assert_eq!((at(i32::MIN, i32::MIN), at(i32::MAX, i32::MAX)), (i64::MIN, i64::MAX));
        // Within a cell to the upper right longitudes differ in the lowest bit, then latitudes.
        assert_eq!([at(2, 3) - at(2, 2), at(3, 2) - at(2, 2), at(3, 3) - at(2, 2)], [1, 2, 3]);
    }
}
