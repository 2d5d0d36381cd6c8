//! Doc values back to JSON and text: `docvalue_fields`, aggregation keys, sort values.

use super::date::{DateFormat, Zone};
use super::decimal_format::DecimalFormat;
use super::number::{NumberKind, decode_u64, java_f64};
use super::types::format_ip;
use crate::error::Result;
use crate::geo::{decode_point, shape_description};
use crate::json::Writer;
use std::sync::Arc;

/// How the doc values of a field are written. Made once per request, used per value.
#[derive(Clone, Debug)]
pub enum DocValueFormat {
    /// Numbers and text as they are.
    Raw(NumberKind),
    /// Byte strings that are UTF-8.
    Text,
    /// 1 and 0 as `true` and `false`.
    Boolean,
    Date {
        format: Arc<DateFormat>,
        zone: Zone,
        nanos: bool,
    },
    Ip,
    /// Byte strings as base64.
    Binary,
    /// Numbers that stand for places: `lat, lon`.
    Point,
    /// Byte strings that are shapes: the boxes around them.
    Shape,
    /// Of byte strings those that begin so, without it.
    Below(Arc<str>),
    /// A `java.text.DecimalFormat` pattern.
    Decimal(NumberKind, DecimalFormat),
}

impl DocValueFormat {
    /// Whether it writes numbers of the type `unsigned_long`.
    pub fn is_unsigned(&self) -> bool {
        matches!(self, Self::Raw(NumberKind::UnsignedLong) | Self::Decimal(NumberKind::UnsignedLong, _))
    }

    /// Doubles by a pattern of `java.text.DecimalFormat`.
    pub fn decimal(pattern: &str) -> Result<Self> {
        Ok(Self::Decimal(NumberKind::Double, DecimalFormat::parse(pattern)?))
    }

    /// Writes an encoded number: a JSON number or boolean where that is its natural form, else text.
    pub fn write_number(&self, value: i64, w: &mut Writer) {
        match self {
            Self::Raw(kind) | Self::Decimal(kind @ NumberKind::UnsignedLong, _) => write_raw(*kind, value, w),
            Self::Boolean => {
                w.bool(value != 0);
            }
            _ => {
                w.string(&self.number_text(value));
            }
        }
    }

    /// An encoded number as text: `key_as_string` and the like.
    pub fn number_text(&self, value: i64) -> String {
        match self {
            Self::Raw(kind) if kind.is_integer() => value.to_string(),
            // The reference has a format for these that only computed numbers go by.
            Self::Raw(NumberKind::UnsignedLong) | Self::Decimal(NumberKind::UnsignedLong, _) => {
                decode_u64(value).to_string()
            }
            Self::Raw(kind) => java_f64(kind.decode(value)),
            Self::Boolean => (value != 0).to_string(),
            Self::Date { format, zone, nanos: false } => format.format(value, zone),
            Self::Date { format, zone, nanos: true } => format.format_nanos(value, zone),
            Self::Decimal(kind, format) if kind.is_integer() => format.format_whole(value),
            Self::Decimal(kind, format) => format.format(kind.decode(value)),
            Self::Point => {
                let point = decode_point(value);
                format!("{}, {}", java_f64(point.lat), java_f64(point.lon))
            }
            Self::Text | Self::Ip | Self::Binary | Self::Shape | Self::Below(_) => value.to_string(),
        }
    }

    /// A double that was computed from values of the field (an average, a bucket's key) as text.
    pub fn double_text(&self, value: f64) -> String {
        match self {
            Self::Boolean => (value != 0.0).to_string(),
            Self::Date { format, zone, nanos: false } => format.format(value as i64, zone),
            Self::Date { format, zone, nanos: true } => format.format_nanos(value as i64, zone),
            Self::Decimal(_, format) => format.format(value),
            _ => java_f64(value),
        }
    }

    /// Writes a byte string of the ordinals.
    pub fn write_bytes(&self, value: &[u8], w: &mut Writer) {
        w.string(&self.bytes_text(value));
    }

    /// A byte string of the ordinals as text.
    pub fn bytes_text(&self, value: &[u8]) -> String {
        match self {
            Self::Ip => format_ip(value),
            // Unlike stored ones these are not padded.
            Self::Binary => base64(value).trim_end_matches('=').to_owned(),
            Self::Shape => shape_description(value).unwrap_or_default(),
            Self::Below(prefix) => {
                let value = value.strip_prefix(prefix.as_bytes()).unwrap_or(value);
                String::from_utf8_lossy(value).into_owned()
            }
            _ => String::from_utf8_lossy(value).into_owned(),
        }
    }

    /// Whether a byte string of the column is a value of the field.
    pub fn shows(&self, value: &[u8]) -> bool {
        match self {
            Self::Below(prefix) => value.starts_with(prefix.as_bytes()),
            _ => true,
        }
    }

    /// Whether values come out as they are stored, so that no `…_as_string` is written beside them.
    pub fn is_raw(&self) -> bool {
        matches!(self, Self::Raw(_) | Self::Text)
    }
}

fn write_raw(kind: NumberKind, value: i64, w: &mut Writer) {
    match kind {
        NumberKind::UnsignedLong => w.u64(decode_u64(value)),
        kind if kind.is_integer() => w.i64(value),
        kind => w.f64(kind.decode(value)),
    };
}

/// Standard base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for digit in 0..4 {
            let six = (word >> (18 - 6 * digit) & 63) as usize;
            out.push(if digit <= group.len() { DIGITS[six].into() } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads() {
        assert_eq!([&b""[..], b"a", b"ab", b"abc"].map(base64), ["", "YQ==", "YWI=", "YWJj"]);
        assert_eq!(DocValueFormat::Binary.bytes_text(b"a"), "YQ", "doc values are not padded");
    }
}
