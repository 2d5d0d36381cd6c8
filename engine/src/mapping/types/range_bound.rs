//! The ends of ranges: six kinds of values, each as a number of 128 bits in the order of the values.

use super::ip::{format_ip, java_ip, parse_ip};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::date::{DateFormat, Resolution, Zone};
use crate::mapping::document::Token;
use crate::mapping::field::RangeBounds;
use crate::mapping::number::{DigitsError, NumberKind, bytes_of_text, has_decimal_part, java_f32, java_f64};
use crate::mapping::params::java_text;
use std::sync::Arc;

/// What a range field has ranges of.
#[derive(Clone, Debug)]
pub enum RangeKind {
    Number(NumberKind),
    Date(Arc<DateFormat>),
    Ip,
}

/// Numbers of 64 bits are kept without their sign's disorder.
fn ordered(number: i64) -> u128 {
    u128::from(number as u64 ^ 1 << 63)
}

pub(super) fn number_of(ordered: u128) -> i64 {
    (ordered as u64 ^ 1 << 63) as i64
}

/// An end out of a term.
pub(super) fn plain_end(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0u128, |end, byte| end << 8 | u128::from(*byte))
}

impl RangeKind {
    /// Bytes of one end of a range, in a term.
    pub fn width(&self) -> usize {
        if matches!(self, Self::Ip) { 16 } else { 8 }
    }

    /// The least and the greatest value: what a missing end stands for.
    pub fn limits(&self) -> (u128, u128) {
        match self {
            Self::Number(kind @ (NumberKind::Float | NumberKind::Double)) => {
                let end = |value| ordered(kind.encode_saturating(value));
                (end(f64::NEG_INFINITY), end(f64::INFINITY))
            }
            Self::Number(kind) => {
                let (lo, hi) = kind.limits();
                (ordered(lo), ordered(hi))
            }
            Self::Date(_) => (ordered(i64::MIN), ordered(i64::MAX)),
            Self::Ip => (0, u128::MAX),
        }
    }

    /// The value after or before. Behind the last fraction is none, behind the last whole number the first one, as the reference
    /// reckons; behind the last address an error.
    pub fn step(&self, value: u128, up: bool) -> Result<u128> {
        let (lo, hi) = self.limits();
        let (last, first) = if up { (hi, lo) } else { (lo, hi) };
        if value != last {
            return Ok(if up { value + 1 } else { value - 1 });
        }
        let (what, than) = if up { ("Overflow", "greater") } else { ("Underflow", "smaller") };
        match self {
            Self::Number(NumberKind::Float | NumberKind::Double) => Ok(last),
            Self::Number(_) | Self::Date(_) => Ok(first),
            Self::Ip => Err(Error::new(
                ErrorKind::ArithmeticOverflow,
                format!("{what}: there is no {than} InetAddress than {}", java_ip(&value.to_be_bytes())),
            )),
        }
    }

    /// An end as it stands in a document.
    pub fn read(&self, value: &Value, coerce: bool, token: &Token) -> Result<u128> {
        if matches!(value, Value::Array(_) | Value::Object(_)) && matches!(self, Self::Number(_)) {
            return Err(token.wrong_type("not numeric, cannot use numeric value accessors"));
        }
        match self {
            Self::Number(kind) => read_number(*kind, value, coerce).map(ordered),
            Self::Date(format) => {
                let text = java_text(value);
                if text.starts_with("now") {
                    let cause = Error::illegal_argument("now is not used at indexing time");
                    return Err(Error::new(ErrorKind::Parse, "could not read the current timestamp").caused_by(cause));
                }
                format.parse_math(&text, 0, false, &Zone::Utc, Resolution::Millis).map(ordered)
            }
            Self::Ip => parse_ip(&java_text(value)).map(u128::from_be_bytes),
        }
    }

    /// An end as a query says it. Dates round: up where they are the upper end and included, or the lower one and not.
    pub fn read_query(&self, value: &Value, bounds: &RangeBounds, round_up: bool, now_ms: i64) -> Result<u128> {
        match self {
            Self::Number(kind) => {
                let whole = !matches!(kind, NumberKind::Float | NumberKind::Double);
                if whole && has_decimal_part(value) {
                    let shown = bytes_of_text(value);
                    return Err(Error::illegal_argument(format!("Value [{shown}] has a decimal part")));
                }
                Ok(ordered(kind.encode_asked(value, false)?))
            }
            Self::Date(own) => {
                let zone = bounds.time_zone.map_or(Ok(Zone::Utc), Zone::parse)?;
                let given = bounds.format.map(DateFormat::parse).transpose()?;
                let format = given.as_ref().unwrap_or(own);
                format.parse_math(&java_text(value), now_ms, round_up, &zone, Resolution::Millis).map(ordered)
            }
            Self::Ip => parse_ip(&java_text(value)).map(u128::from_be_bytes),
        }
    }

    /// An end as a number; none of addresses.
    pub fn number(&self, value: u128) -> Option<f64> {
        match self {
            Self::Number(kind) => Some(kind.decode(number_of(value))),
            Self::Date(_) => Some(number_of(value) as f64),
            Self::Ip => None,
        }
    }

    /// An end as messages and explanations show it.
    pub fn show(&self, value: u128) -> String {
        match self {
            Self::Number(NumberKind::Float) => java_f32(NumberKind::Float.decode(number_of(value)) as f32),
            Self::Number(kind @ NumberKind::Double) => java_f64(kind.decode(number_of(value))),
            Self::Number(_) | Self::Date(_) => number_of(value).to_string(),
            Self::Ip => format!("/{}", java_ip(&value.to_be_bytes())),
        }
    }

    /// How an end reads in a stored range: addresses as elsewhere in answers.
    pub fn show_stored(&self, value: u128) -> String {
        match self {
            Self::Ip => format_ip(&value.to_be_bytes()),
            _ => self.show(value),
        }
    }
}

/// A number as fields of its type read it from documents.
fn read_number(kind: NumberKind, value: &Value, coerce: bool) -> Result<i64> {
    let digits = match value {
        Value::String(text) => return kind.encode_string(text, coerce),
        Value::Bool(_) => return kind.encode_value(value, coerce),
        number => java_text(number),
    };
    match kind.encode_digits(&digits, coerce) {
        Ok(number) => Ok(number),
        Err(DigitsError::Other(error)) => Err(error),
        // Where it stands, which the reference tells, is not known here.
        Err(DigitsError::Overflow(..)) => kind.encode_value(value, coerce),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_the_last_whole_number_is_the_first() {
        let long = RangeKind::Number(NumberKind::Long);
        let (lo, hi) = long.limits();
        assert_eq!((long.step(hi, true).unwrap(), long.step(lo, false).unwrap()), (lo, hi));
        assert_eq!(long.step(lo, true).unwrap(), lo + 1);
        let double = RangeKind::Number(NumberKind::Double);
        let (_, infinity) = double.limits();
        assert_eq!(double.step(infinity, true).unwrap(), infinity);
        let refused = RangeKind::Ip.step(0, false).unwrap_err();
        assert_eq!(refused.reason(), "Underflow: there is no smaller InetAddress than 0:0:0:0:0:0:0:0");
    }
}
