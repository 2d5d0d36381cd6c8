//! The numeric types of fields: their limits, how values become encoded numbers, what ranges mean.

use super::encode::{decode_f32, decode_f64, decode_half, decode_u64, encode_f32, encode_f64, encode_half, encode_u64};
use super::text::{
    bytes_of_text, finite, has_decimal_part, is_negative, is_positive, is_whole, java_f32, java_f64, java_f64_text,
    java_round, parse_i64, parse_java_f64, parse_u64, value_as_f64,
};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::params::java_text;
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

    /// Appends [`NumberKind::decode`] of each value.
    pub fn decode_all(self, values: &[i64], out: &mut Vec<f64>) {
        // A loop for each kind, so that none decides by value.
        match self {
            Self::Byte | Self::Short | Self::Integer | Self::Long => out.extend(values.iter().map(|v| *v as f64)),
            Self::Double => out.extend(values.iter().map(|v| decode_f64(*v))),
            Self::Scaled(factor) => {
                let unit = 1.0 / factor;
                out.extend(values.iter().map(|v| *v as f64 * unit));
            }
            Self::HalfFloat | Self::Float | Self::UnsignedLong => out.extend(values.iter().map(|v| self.decode(*v))),
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

    pub(super) fn out_of_range(self, value: &str) -> Error {
        let name = match self {
            Self::Integer => "an integer".to_owned(),
            Self::UnsignedLong => "an unsigned long".to_owned(),
            other => format!("a {}", other.type_name()),
        };
        Error::illegal_argument(format!("Value [{value}] is out of range for {name}"))
    }

    /// Encodes a value of a request or of a mapping (`null_value`). Without `truncate`, decimals on whole-number kinds are
    /// an error.
    pub fn encode_value(self, value: &Value, truncate: bool) -> Result<i64> {
        self.encode_shown(value, truncate, java_text)
    }

    /// The same of a query, which has texts as their bytes and tells those where they are out of range.
    pub fn encode_asked(self, value: &Value, truncate: bool) -> Result<i64> {
        // What is beyond all numbers is looked for as the number next to it.
        if let Self::Scaled(factor) = self {
            return Ok(java_round(value_as_f64(value)? * factor));
        }
        self.encode_shown(value, truncate, bytes_of_text)
    }

    /// `shown`: how errors tell the value.
    fn encode_shown(self, value: &Value, truncate: bool, shown: fn(&Value) -> String) -> Result<i64> {
        match self {
            Self::Byte | Self::Short | Self::Integer | Self::Long => self.encode_whole(value, truncate, shown),
            Self::UnsignedLong => {
                let number = value_as_f64(value)?;
                if number < 0.0 || number > u64::MAX as f64 {
                    return Err(self.out_of_range(&shown(value)));
                }
                Ok(encode_u64(parse_u64(&java_text(value), truncate)?))
            }
            _ => self.encode_decimal(value_as_f64(value)?, value),
        }
    }

    fn encode_whole(self, value: &Value, truncate: bool, shown: fn(&Value) -> String) -> Result<i64> {
        if let Value::Int(whole) = value {
            let (lo, hi) = self.limits();
            return if (lo..=hi).contains(whole) { Ok(*whole) } else { Err(self.out_of_range(&whole.to_string())) };
        }
        let number = value_as_f64(value)?;
        let (lo, hi) = self.limits();
        if number < lo as f64 || number > hi as f64 {
            return Err(self.out_of_range(&shown(value)));
        }
        if !truncate && number % 1.0 != 0.0 {
            return Err(Error::illegal_argument(format!("Value [{}] has a decimal part", java_text(value))));
        }
        // Longs go by their digits, so that none are lost in a double.
        if self == Self::Long { parse_i64(&java_text(value), truncate) } else { Ok(number as i64) }
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
            Self::UnsignedLong => "BigInteger",
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
                    // A byte is read as an int first.
                    let is_int = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number);
                    let beyond = if self == Self::Byte && !is_int { Self::Integer } else { self };
                    return Err(beyond.out_of_range(text));
                }
                Ok(number as i64)
            }
            Self::Long => parse_i64(text, true),
            Self::UnsignedLong => Ok(encode_u64(parse_u64(text, true)?)),
            Self::HalfFloat | Self::Float => {
                let number = parse_java_f64(text)?;
                let digits = java_f64_text(text).unwrap_or_default();
                self.encode_float(digits.parse::<f32>().unwrap_or(number as f32))
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
        // A whole number has no negative zero.
        let digits = if digits == "-0" { "0" } else { digits };
        match self {
            Self::Byte | Self::Short | Self::Integer | Self::Long => self.encode_whole_digits(digits, coerce),
            Self::UnsignedLong if !coerce && !is_whole(digits) && has_decimal_part(&Value::from(digits)) => {
                let number = java_f64(digits.parse().unwrap_or(f64::NAN));
                Err(Error::illegal_argument(format!("{number} cannot be converted to BigInteger without data loss"))
                    .into())
            }
            Self::UnsignedLong => Ok(encode_u64(parse_u64(digits, true)?)),
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
        // Ends that have passed each other are kept, but for numbers without a sign: explanations show them.
        Ok((lo <= hi || self != Self::UnsignedLong).then_some((lo, hi)))
    }

    fn lower_bound(self, value: &Value, included: bool) -> Result<Option<i64>> {
        let (_, max) = self.limits();
        match self {
            Self::Scaled(factor) => {
                let number = value_as_f64(value)?;
                Ok(java_round(number * factor).checked_add(i64::from(!included)))
            }
            Self::HalfFloat => {
                let number = value_as_f64(value)? as f32;
                let near = self.encode_float(number)?;
                let order = decode_half(near).partial_cmp(&number).unwrap_or(Ordering::Equal);
                Ok(Some(match order {
                    Ordering::Less => near + 1,
                    Ordering::Equal if !included => near + 1,
                    _ => near,
                }))
            }
            // Its bounds need not be finite.
            Self::Double => {
                let bound = encode_f64(value_as_f64(value)?);
                Ok(if included { Some(bound) } else { (bound < max).then(|| bound + 1) })
            }
            _ => {
                let bound = self.encode_asked(value, true)?;
                let step = if self.is_whole() && has_decimal_part(value) { is_positive(value) } else { !included };
                Ok(if !step { Some(bound) } else { (bound < max).then(|| bound + 1) })
            }
        }
    }

    fn upper_bound(self, value: &Value, included: bool) -> Result<Option<i64>> {
        let (min, max) = self.limits();
        match self {
            Self::Scaled(factor) => {
                let number = value_as_f64(value)?;
                Ok(java_round(number * factor).checked_sub(i64::from(!included)))
            }
            Self::HalfFloat => {
                let number = value_as_f64(value)? as f32;
                let near = self.encode_float(number)?;
                let order = decode_half(near).partial_cmp(&number).unwrap_or(Ordering::Equal);
                Ok(Some(match order {
                    Ordering::Greater => near - 1,
                    Ordering::Equal if !included => near - 1,
                    _ => near,
                }))
            }
            Self::Double => {
                let bound = encode_f64(value_as_f64(value)?);
                Ok(if included { Some(bound) } else { (bound > min).then(|| bound - 1) })
            }
            _ => {
                let bound = self.encode_asked(value, true)?;
                let step = if self.is_whole() && has_decimal_part(value) { is_negative(value) } else { !included };
                // The reference finds nothing below the largest number without a sign, as if it were the smallest.
                let nothing = bound <= min || (self == Self::UnsignedLong && bound == max);
                Ok(if !step { Some(bound) } else { (!nothing).then(|| bound - 1) })
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
