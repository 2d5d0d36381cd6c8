//! Numbers of fields: kinds, order-preserving encodings, and the conversions from text and JSON that the reference makes.
//!
//! Every numeric value is stored as an `i64` whose order is the order of the numbers: integers as they are, `double` as the
//! sortable bits of the `f64`, `float` and `half_float` as their sortable bits widened, `scaled_float` as its scaled
//! integer, `unsigned_long` with the top bit flipped.

use crate::error::{Error, ErrorKind, Result};
use crate::json::{Value, write_f32, write_f64};
use std::cmp::Ordering;

/// The numeric type of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberKind {
    Byte,
    Short,
    Integer,
    Long,
    HalfFloat,
    Float,
    Double,
    /// `scaled_float` with its factor.
    Scaled(f64),
    UnsignedLong,
}

impl NumberKind {
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Short => "short",
            Self::Integer => "integer",
            Self::Long => "long",
            Self::HalfFloat => "half_float",
            Self::Float => "float",
            Self::Double => "double",
            Self::Scaled(_) => "scaled_float",
            Self::UnsignedLong => "unsigned_long",
        }
    }

    /// Whether values are whole numbers of at most 64 signed bits, stored as they are.
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::Byte | Self::Short | Self::Integer | Self::Long)
    }

    /// Least and greatest encoded value.
    pub fn limits(self) -> (i64, i64) {
        match self {
            Self::Byte => (i8::MIN.into(), i8::MAX.into()),
            Self::Short => (i16::MIN.into(), i16::MAX.into()),
            Self::Integer => (i32::MIN.into(), i32::MAX.into()),
            Self::Long | Self::UnsignedLong | Self::Scaled(_) => (i64::MIN, i64::MAX),
            Self::HalfFloat => (encode_half(f32::NEG_INFINITY), encode_half(f32::INFINITY)),
            Self::Float => (encode_f32(f32::NEG_INFINITY), encode_f32(f32::INFINITY)),
            Self::Double => (encode_f64(f64::NEG_INFINITY), encode_f64(f64::INFINITY)),
        }
    }

    /// The number as a double.
    pub fn decode(self, value: i64) -> f64 {
        match self {
            Self::Byte | Self::Short | Self::Integer | Self::Long => value as f64,
            Self::HalfFloat => decode_half(value).into(),
            Self::Float => decode_f32(value).into(),
            Self::Double => decode_f64(value),
            Self::Scaled(factor) => value as f64 * (1.0 / factor),
            Self::UnsignedLong => decode_u64(value) as f64,
        }
    }

    /// The nearest value of this kind, the ends for what lies outside.
    pub fn encode_saturating(self, value: f64) -> i64 {
        let (lo, hi) = self.limits();
        match self {
            Self::Byte | Self::Short | Self::Integer | Self::Long => (value as i64).clamp(lo, hi),
            Self::HalfFloat => encode_half(value as f32),
            Self::Float => encode_f32(value as f32),
            Self::Double => encode_f64(value),
            Self::Scaled(factor) => java_round(value * factor),
            Self::UnsignedLong => encode_u64(value as u64),
        }
    }

    fn out_of_range(self, value: &str) -> Error {
        let name = match self {
            Self::Integer => "an integer".to_owned(),
            Self::UnsignedLong => "an unsigned long".to_owned(),
            other => format!("a {}", other.type_name()),
        };
        Error::illegal_argument(format!("Value [{value}] is out of range for {name}"))
    }

    /// Encodes a value of a query or of a mapping (`null_value`). Without `truncate`, decimals on whole-number kinds are
    /// an error.
    pub fn encode_value(self, value: &Value, truncate: bool) -> Result<i64> {
        match self {
            Self::Byte | Self::Short | Self::Integer | Self::Long => self.encode_whole(value, truncate),
            Self::UnsignedLong => Ok(encode_u64(parse_u64(&number_text(value), truncate)?)),
            _ => self.encode_decimal(value_as_f64(value)?, value),
        }
    }

    fn encode_whole(self, value: &Value, truncate: bool) -> Result<i64> {
        if let Value::Int(whole) = value {
            let (lo, hi) = self.limits();
            return if (lo..=hi).contains(whole) { Ok(*whole) } else { Err(self.out_of_range(&whole.to_string())) };
        }
        let number = value_as_f64(value)?;
        let (lo, hi) = self.limits();
        if number < lo as f64 || number > hi as f64 {
            return Err(self.out_of_range(&number_text(value)));
        }
        if !truncate && number % 1.0 != 0.0 {
            return Err(Error::illegal_argument(format!("Value [{}] has a decimal part", number_text(value))));
        }
        // Longs go by their digits, so that none are lost in a double.
        if self == Self::Long { parse_i64(&number_text(value), truncate) } else { Ok(number as i64) }
    }

    /// Encodes a finite number of a decimal kind.
    fn encode_decimal(self, number: f64, value: &Value) -> Result<i64> {
        match self {
            Self::Scaled(factor) => {
                let number = finite(number, "[scaled_float] only supports finite values, but got")?;
                Ok(java_round(number * factor))
            }
            Self::Double => Ok(encode_f64(finite(number, "[double] supports only finite values, but got")?)),
            _ => {
                // A decimal goes to the nearest float at once, not by way of the nearest double.
                let number = match value {
                    Value::String(text) => java_f64_text(text)?.parse().unwrap_or(number as f32),
                    _ => number as f32,
                };
                self.encode_float(number)
            }
        }
    }

    /// Encodes a float of the kinds `float` and `half_float`.
    fn encode_float(self, number: f32) -> Result<i64> {
        let rounded = if self == Self::HalfFloat { decode_half(encode_half(number)) } else { number };
        if !rounded.is_finite() {
            return Err(Error::illegal_argument(format!(
                "[{}] supports only finite values, but got [{}]",
                self.type_name(),
                java_f32(number)
            )));
        }
        Ok(if self == Self::HalfFloat { encode_half(number) } else { encode_f32(number) })
    }

    /// Encodes a JSON string of a document.
    pub fn encode_string(self, text: &str, coerce: bool) -> Result<i64> {
        let class = match self {
            Self::Byte | Self::Integer => "Integer",
            Self::Short => "Short",
            Self::Long => "Long",
            Self::UnsignedLong => "Long",
            Self::HalfFloat | Self::Float => "Float",
            Self::Double | Self::Scaled(_) => "Double",
        };
        if !coerce {
            return Err(Error::illegal_argument(format!("{class} value passed as String")));
        }
        match self {
            Self::Byte | Self::Short | Self::Integer => {
                let number = parse_java_f64(text)?;
                let (lo, hi) = self.limits();
                if number < lo as f64 || number > hi as f64 {
                    return Err(self.out_of_range(text));
                }
                Ok(number as i64)
            }
            Self::Long => parse_i64(text, true),
            Self::UnsignedLong => Ok(encode_u64(parse_u64(text, true)?)),
            Self::HalfFloat | Self::Float => {
                let digits = java_f64_text(text)?;
                self.encode_float(digits.parse::<f32>().map_or(parse_java_f64(text)? as f32, |f| f))
            }
            Self::Double => {
                Ok(encode_f64(finite(parse_java_f64(text)?, "[double] supports only finite values, but got")?))
            }
            Self::Scaled(factor) => {
                let number = finite(parse_java_f64(text)?, "[scaled_float] only supports finite values, but got")?;
                Ok(java_round(number * factor))
            }
        }
    }

    /// Encodes a JSON number of a document. Numbers beyond the type give `Err(Overflow)`, whose text needs the position
    /// that only the reader knows.
    pub fn encode_digits(self, digits: &str, coerce: bool) -> Result<i64, DigitsError> {
        match self {
            Self::Byte | Self::Short | Self::Integer | Self::Long => self.encode_whole_digits(digits, coerce),
            Self::UnsignedLong => Ok(encode_u64(parse_u64(digits, coerce)?)),
            Self::HalfFloat | Self::Float => Ok(self.encode_float(digits.parse().unwrap_or(f32::NAN))?),
            Self::Double => {
                let number = digits.parse().unwrap_or(f64::NAN);
                Ok(encode_f64(finite(number, "[double] supports only finite values, but got")?))
            }
            Self::Scaled(factor) => {
                let number = digits.parse().unwrap_or(f64::NAN);
                Ok(java_round(finite(number, "[scaled_float] only supports finite values, but got")? * factor))
            }
        }
    }

    fn encode_whole_digits(self, digits: &str, coerce: bool) -> Result<i64, DigitsError> {
        let whole = match digits.parse::<i64>() {
            Ok(whole) => whole,
            Err(_) if is_whole(digits) => return Err(self.overflow(None)),
            Err(_) => {
                let number: f64 = digits.parse().unwrap_or(f64::NAN);
                // The token is read as an int (or long) first; only then is the smaller type looked at.
                let (lo, hi) =
                    if self == Self::Long { (i64::MIN, i64::MAX) } else { (i32::MIN.into(), i32::MAX.into()) };
                if number < lo as f64 || number > hi as f64 {
                    return Err(self.overflow(None));
                }
                let whole = number as i64;
                if !coerce && whole as f64 != number {
                    let class = match self {
                        Self::Long => "Long",
                        Self::Short => "Short",
                        _ => "Integer",
                    };
                    return Err(Error::illegal_argument(format!(
                        "{} cannot be converted to {class} without data loss",
                        java_f64(number)
                    ))
                    .into());
                }
                whole
            }
        };
        let (lo, hi) = self.limits();
        if (lo..=hi).contains(&whole) {
            return Ok(whole);
        }
        Err(self.overflow(Some(whole)))
    }

    fn overflow(self, whole: Option<i64>) -> DigitsError {
        let fits_int = whole.is_some_and(|w| i32::try_from(w).is_ok());
        match self {
            Self::Byte if fits_int => self.out_of_range(&whole.unwrap_or(0).to_string()).into(),
            Self::Short if fits_int => DigitsError::Overflow("short", i16::MIN.into(), i16::MAX.into()),
            Self::Long => DigitsError::Overflow("long", i64::MIN, i64::MAX),
            _ => DigitsError::Overflow("int", i32::MIN.into(), i32::MAX.into()),
        }
    }

    /// The inclusive encoded range between two bounds, or `None` if nothing can lie in it.
    /// A bound is a value and whether it is included.
    pub fn range(self, lower: Option<(&Value, bool)>, upper: Option<(&Value, bool)>) -> Result<Option<(i64, i64)>> {
        let (mut lo, mut hi) = self.limits();
        if let Some((value, included)) = lower {
            match self.lower_bound(value, included)? {
                Some(bound) => lo = bound,
                None => return Ok(None),
            }
        }
        if let Some((value, included)) = upper {
            match self.upper_bound(value, included)? {
                Some(bound) => hi = bound,
                None => return Ok(None),
            }
        }
        Ok((lo <= hi).then_some((lo, hi)))
    }

    fn lower_bound(self, value: &Value, included: bool) -> Result<Option<i64>> {
        let (_, max) = self.limits();
        match self {
            Self::Scaled(factor) => {
                let number = value_as_f64(value)?;
                let number = if included { number } else { number.next_up() };
                Ok(Some(java_round((number * factor).ceil())))
            }
            Self::HalfFloat => {
                let number = value_as_f64(value)? as f32;
                let near = encode_half(number);
                let order = decode_half(near).partial_cmp(&number).unwrap_or(Ordering::Equal);
                Ok(Some(match order {
                    Ordering::Less => near + 1,
                    Ordering::Equal if !included => near + 1,
                    _ => near,
                }))
            }
            _ => {
                let bound = self.encode_value(value, true)?;
                let step = if self.is_whole() && has_decimal_part(value) { is_positive(value) } else { !included };
                Ok(if !step { Some(bound) } else { (bound < max).then(|| bound + 1) })
            }
        }
    }

    fn upper_bound(self, value: &Value, included: bool) -> Result<Option<i64>> {
        let (min, _) = self.limits();
        match self {
            Self::Scaled(factor) => {
                let number = value_as_f64(value)?;
                let number = if included { number } else { number.next_down() };
                Ok(Some(java_round((number * factor).floor())))
            }
            Self::HalfFloat => {
                let number = value_as_f64(value)? as f32;
                let near = encode_half(number);
                let order = decode_half(near).partial_cmp(&number).unwrap_or(Ordering::Equal);
                Ok(Some(match order {
                    Ordering::Greater => near - 1,
                    Ordering::Equal if !included => near - 1,
                    _ => near,
                }))
            }
            _ => {
                let bound = self.encode_value(value, true)?;
                let step = if self.is_whole() && has_decimal_part(value) { is_negative(value) } else { !included };
                Ok(if !step { Some(bound) } else { (bound > min).then(|| bound - 1) })
            }
        }
    }

    const fn is_whole(self) -> bool {
        self.is_integer() || matches!(self, Self::UnsignedLong)
    }
}

/// Why digits are no value of a field.
#[derive(Debug)]
pub enum DigitsError {
    /// Too large for the Java type named, which goes from the one to the other number.
    Overflow(&'static str, i64, i64),
    Other(Error),
}

impl From<Error> for DigitsError {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

pub fn encode_f64(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ ((bits >> 63) & i64::MAX)
}

pub fn decode_f64(value: i64) -> f64 {
    f64::from_bits((value ^ ((value >> 63) & i64::MAX)) as u64)
}

pub fn encode_f32(value: f32) -> i64 {
    let bits = value.to_bits() as i32;
    (bits ^ ((bits >> 31) & i32::MAX)).into()
}

pub fn decode_f32(value: i64) -> f32 {
    let value = value as i32;
    f32::from_bits((value ^ ((value >> 31) & i32::MAX)) as u32)
}

/// Rounds to the nearest half float (ties to even) and encodes that.
pub fn encode_half(value: f32) -> i64 {
    let bits = half_bits(value) as i16;
    (bits ^ ((bits >> 15) & i16::MAX)).into()
}

pub fn decode_half(value: i64) -> f32 {
    let value = value as i16;
    let bits = (value ^ ((value >> 15) & i16::MAX)) as u16;
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from((bits >> 10) & 0x1f);
    let fraction = f32::from(bits & 0x3ff);
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

fn half_bits(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // 65520 and more round to infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Subnormal halves: the value in units of 2^-24, rounded to even.
        let units = f32::from_bits(magnitude) * 2f32.powi(24);
        return sign | units.round_ties_even() as u16;
    }
    let rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
    sign | ((rounded - 0x3800_0000) >> 13) as u16
}

pub fn encode_u64(value: u64) -> i64 {
    (value ^ (1 << 63)) as i64
}

pub fn decode_u64(value: i64) -> u64 {
    value as u64 ^ (1 << 63)
}

/// `Math.round`: half up, saturating.
pub fn java_round(value: f64) -> i64 {
    let floor = value.floor();
    (if value - floor >= 0.5 { floor + 1.0 } else { floor }) as i64
}

/// `Double.parseDouble`: surrounding white space, a type letter and hexadecimal floats are accepted.
pub fn parse_java_f64(text: &str) -> Result<f64> {
    let digits = java_f64_text(text)?;
    match digits {
        "NaN" | "+NaN" | "-NaN" => Ok(f64::NAN),
        "Infinity" | "+Infinity" => Ok(f64::INFINITY),
        "-Infinity" => Ok(f64::NEG_INFINITY),
        _ => digits.parse().map_err(|_| for_input(text)),
    }
}

/// The part of a Java double that Rust's parser understands too, checked for what only Rust would accept.
fn java_f64_text(text: &str) -> Result<&str> {
    let trimmed = text.trim_matches(|c: char| c <= ' ');
    if trimmed.is_empty() {
        return Err(Error::new(ErrorKind::NumberFormat, "empty String"));
    }
    if matches!(trimmed.trim_start_matches(['+', '-']), "NaN" | "Infinity") {
        return Ok(trimmed);
    }
    let digits = trimmed.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(trimmed);
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if plain && digits.bytes().any(|b| b.is_ascii_digit()) { Ok(digits) } else { Err(for_input(text)) }
}

fn for_input(text: &str) -> Error {
    Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""))
}

fn for_input_illegal(text: &str) -> Error {
    Error::illegal_argument(format!("For input string: \"{text}\""))
}

fn is_whole(digits: &str) -> bool {
    !digits.bytes().any(|b| matches!(b, b'.' | b'e' | b'E'))
}

/// A long from text as the reference reads it: digits, or a decimal whose fraction is cut off (an error unless `truncate`).
pub fn parse_i64(text: &str, truncate: bool) -> Result<i64> {
    if let Ok(whole) = text.parse::<i64>() {
        return Ok(whole);
    }
    let (negative, magnitude, exact) = decimal(text)?;
    if !exact && !truncate {
        return Err(Error::illegal_argument(format!("Value [{text}] has a decimal part")));
    }
    let value = magnitude.and_then(|m| i128::try_from(m).ok()).map(|m| if negative { -m } else { m });
    value.and_then(|v| i64::try_from(v).ok()).ok_or_else(|| NumberKind::Long.out_of_range(text))
}

/// An unsigned long from text, likewise.
pub fn parse_u64(text: &str, truncate: bool) -> Result<u64> {
    let (negative, magnitude, exact) = decimal(text)?;
    if !exact && !truncate {
        return Err(Error::illegal_argument(format!("Value [{text}] has a decimal part")));
    }
    let value = magnitude.filter(|m| !negative || *m == 0).and_then(|m| u64::try_from(m).ok());
    value.ok_or_else(|| NumberKind::UnsignedLong.out_of_range(text))
}

/// A decimal number's sign, whole part (`None` beyond 128 bits) and whether there is no fraction.
fn decimal(text: &str) -> Result<(bool, Option<u128>, bool)> {
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| for_input_illegal(text))?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit());
    if !all_digits || whole.len() + fraction.len() == 0 {
        return Err(for_input_illegal(text));
    }
    let digits = whole.bytes().chain(fraction.bytes());
    let point = whole.len() as i64 + i64::from(exponent);
    let mut magnitude = Some(0u128);
    let mut exact = true;
    for (i, digit) in digits.enumerate() {
        let digit = u128::from(digit - b'0');
        if (i as i64) < point {
            magnitude = magnitude.and_then(|m| m.checked_mul(10)?.checked_add(digit));
        } else {
            exact &= digit == 0;
        }
    }
    let zeros = point - (whole.len() + fraction.len()) as i64;
    if zeros > 0 && magnitude != Some(0) {
        magnitude = u32::try_from(zeros).ok().and_then(|z| 10u128.checked_pow(z)?.checked_mul(magnitude?));
    }
    Ok((negative, magnitude, exact))
}

/// A request's value as a double; strings are parsed.
pub fn value_as_f64(value: &Value) -> Result<f64> {
    match value {
        Value::String(text) => parse_java_f64(text),
        other => other.as_f64().ok_or_else(|| for_input(&other.to_text())),
    }
}

/// Whether a value has a fraction; text that is no number has none.
pub fn has_decimal_part(value: &Value) -> bool {
    match value {
        Value::Float(f) => f % 1.0 != 0.0,
        Value::String(text) => parse_java_f64(text).is_ok_and(|f| f % 1.0 != 0.0),
        _ => false,
    }
}

fn is_positive(value: &Value) -> bool {
    value_as_f64(value).is_ok_and(|f| f > 0.0)
}

fn is_negative(value: &Value) -> bool {
    value_as_f64(value).is_ok_and(|f| f < 0.0)
}

fn number_text(value: &Value) -> String {
    value.to_text()
}

fn finite(number: f64, message: &str) -> Result<f64> {
    if number.is_finite() {
        return Ok(number);
    }
    Err(Error::illegal_argument(format!("{message} [{}]", java_f64(number))))
}

/// `Double.toString`.
pub fn java_f64(number: f64) -> String {
    let mut out = vec![];
    write_f64(&mut out, number);
    String::from_utf8(out).expect("numbers are ASCII").trim_matches('"').to_owned()
}

/// `Float.toString`.
pub fn java_f32(number: f32) -> String {
    let mut out = vec![];
    write_f32(&mut out, number);
    String::from_utf8(out).expect("numbers are ASCII").trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_keep_the_order() {
        let numbers = [f64::NEG_INFINITY, -1e300, -1.5, -1e-300, -0.0, 0.0, 1e-300, 1.0, 1.5, 1e300, f64::INFINITY];
        for pair in numbers.windows(2) {
            assert!(encode_f64(pair[0]) < encode_f64(pair[1]), "{pair:?}");
            assert!(encode_f32(pair[0] as f32) <= encode_f32(pair[1] as f32), "{pair:?}");
            assert!(encode_half(pair[0] as f32) <= encode_half(pair[1] as f32), "{pair:?}");
        }
        for number in numbers {
            assert_eq!(decode_f64(encode_f64(number)).to_bits(), number.to_bits());
        }
        assert!(encode_u64(0) < encode_u64(1) && encode_u64(i64::MAX as u64) < encode_u64(u64::MAX));
        assert_eq!(decode_u64(encode_u64(u64::MAX)), u64::MAX);
    }

    #[test]
    fn half_floats_round_to_even() {
        let cases = [
            (0.1f32, 0.099_975_586),
            (65504.0, 65504.0),
            (65519.0, 65504.0),
            (2049.0, 2048.0),
            (2051.0, 2052.0),
            (6e-8, 5.960_464_5e-8),
            (1e-8, 0.0),
            (-1.5, -1.5),
            (6.1035e-5, 6.103_515_6e-5),
        ];
        for (number, half) in cases {
            assert_eq!(decode_half(encode_half(number)), half, "{number}");
        }
        assert_eq!(decode_half(encode_half(65520.0)), f32::INFINITY);
        // Every half float survives.
        for bits in 0..0x7c00 {
            assert_eq!(encode_half(decode_half(bits)), bits);
        }
    }

    #[test]
    fn longs_from_text() {
        for (text, number) in [("5", 5), ("5.7", 5), ("-5.7", -5), ("1e3", 1000), ("12e-1", 1), ("0e999999999", 0)] {
            assert_eq!(parse_i64(text, true).unwrap(), number, "{text}");
        }
        for text in ["x", "", " 5 ", "NaN", "0x10", ".", "-", "1e", "1e99999999999"] {
            let error = parse_i64(text, true).unwrap_err();
            assert_eq!(error.reason(), format!("For input string: \"{text}\""));
        }
        for text in ["9223372036854775808", "1e400", "1e2147483647", "-9223372036854775809"] {
            let error = parse_i64(text, true).unwrap_err();
            assert_eq!(error.reason(), format!("Value [{text}] is out of range for a long"));
        }
        assert_eq!(parse_u64("18446744073709551615", false).unwrap(), u64::MAX);
        assert_eq!(parse_u64("-1", true).unwrap_err().reason(), "Value [-1] is out of range for an unsigned long");
    }

    #[test]
    fn decimals_at_the_ends_of_whole_ranges() {
        let int = NumberKind::Integer;
        let (a, b) = (Value::Float(1.5), Value::Float(-1.5));
        assert_eq!(int.range(Some((&a, true)), None).unwrap(), Some((2, i32::MAX.into())));
        assert_eq!(int.range(Some((&b, false)), None).unwrap(), Some((-1, i32::MAX.into())));
        assert_eq!(int.range(None, Some((&a, false))).unwrap(), Some((i32::MIN.into(), 1)));
        assert_eq!(int.range(None, Some((&b, true))).unwrap(), Some((i32::MIN.into(), -2)));
        let max = Value::Int(i32::MAX.into());
        assert_eq!(int.range(Some((&max, false)), None).unwrap(), None);
        assert_eq!(int.range(Some((&Value::Int(3), false)), Some((&Value::Int(4), false))).unwrap(), None);
    }

    #[test]
    fn rounding_as_java_does() {
        assert_eq!([2.5, -2.5, 0.49999999999999994].map(java_round), [3, -2, 0]);
        assert_eq!(java_round(1e300), i64::MAX);
    }
}
