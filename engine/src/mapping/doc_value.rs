//! Doc values back to JSON and text: `docvalue_fields`, aggregation keys, sort values.

use super::date::{DateFormat, Zone};
use super::number::{NumberKind, decode_u64, java_f64};
use super::types::format_ip;
use crate::geo::{Shape, decode_point};
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
    /// Doubles by a pattern of `java.text.DecimalFormat`.
    pub fn decimal(pattern: &str) -> Self {
        Self::Decimal(NumberKind::Double, DecimalFormat::parse(pattern))
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
            Self::Binary => base64(value),
            Self::Shape => Shape::decode_bounds(value).map_or_else(String::new, |bounds| {
                format!(
                    "BoundingRectangle(maxLatitude: {}, minLatitude: {}, minLongitude: {}, maxLongitude: {})",
                    java_f64(bounds.max.1),
                    java_f64(bounds.min.1),
                    java_f64(bounds.min.0),
                    java_f64(bounds.max.0)
                )
            }),
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

/// Bytes of base64, standard or URL-safe, with or without padding.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.as_bytes().chunks(4) {
        let mut word = 0u32;
        for byte in group {
            let six = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => return None,
            };
            word = word << 6 | u32::from(six);
        }
        if group.len() == 1 {
            return None;
        }
        word <<= 6 * (4 - group.len());
        out.extend_from_slice(&word.to_be_bytes()[1..group.len()]);
    }
    Some(out)
}

/// A `java.text.DecimalFormat` pattern: `#,##0.00`, `0.0%`, `00`. Scientific notation is not among
/// what is read.
#[derive(Clone, Debug, PartialEq)]
pub struct DecimalFormat {
    /// Prefix and suffix, and those of numbers below zero.
    affixes: (String, String),
    negative: (String, String),
    whole_min: usize,
    /// Digits per group; 0 for no grouping.
    group: usize,
    fraction_min: usize,
    fraction_max: usize,
    /// 1, 100 for per cent, 1000 for per mille.
    factor: f64,
}

/// Most digits behind the point that any number has.
const FRACTION_MAX: usize = 340;

/// A character of a pattern, and whether quotes make it mean itself.
type PatternChar = (char, bool);

/// The characters of a pattern. Two quotes are one.
fn unquoted(pattern: &str) -> Vec<PatternChar> {
    let (mut chars, mut within) = (vec![], false);
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' if rest.peek() == Some(&'\'') => {
                rest.next();
                chars.push(('\'', true));
            }
            '\'' => within = !within,
            c => chars.push((c, within)),
        }
    }
    chars
}

/// What stands before the digits of a pattern, these, and what stands behind them.
fn parts(pattern: &[PatternChar]) -> (String, String, String) {
    let is_digit = |(c, quoted): &PatternChar| !quoted && matches!(c, '#' | '0' | ',' | '.');
    let start = pattern.iter().position(is_digit).unwrap_or(pattern.len());
    let (prefix, rest) = pattern.split_at(start);
    let end = rest.iter().position(|c| !is_digit(c)).unwrap_or(rest.len());
    let (digits, suffix) = rest.split_at(end);
    let text = |chars: &[PatternChar]| chars.iter().map(|(c, _)| c).collect();
    (text(prefix), text(digits), text(suffix))
}

impl DecimalFormat {
    /// Reads a pattern. Of the part for numbers below zero only what stands around the digits counts; quotes take the characters
    /// between them literally.
    pub fn parse(pattern: &str) -> Self {
        let chars = unquoted(pattern);
        let mut sides = chars.splitn(2, |c| *c == (';', false));
        let (prefix, digits, suffix) = parts(sides.next().unwrap_or_default());
        let affixes = (prefix, suffix);
        let below = sides.next().map(parts).map(|(prefix, _, suffix)| (prefix, suffix));
        let negative = below.filter(|below| *below != affixes);
        let negative = negative.unwrap_or_else(|| (format!("-{}", affixes.0), affixes.1.clone()));
        let factor = match chars.iter().find(|(c, quoted)| !quoted && matches!(c, '%' | '\u{2030}')) {
            Some(('%', _)) => 100.0,
            Some(_) => 1000.0,
            None => 1.0,
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
        let mut format = Self {
            affixes,
            negative,
            whole_min: whole.matches('0').count(),
            group: whole.rfind(',').map_or(0, |at| whole.len() - at - 1),
            fraction_min: fraction.matches('0').count(),
            fraction_max: fraction.len(),
            factor,
        };
        if pattern.is_empty() {
            (format.group, format.fraction_max) = (3, FRACTION_MAX);
        } else if digits.contains('.') && !digits.contains('0') {
            // One digit always stands beside the point.
            if whole.is_empty() { format.fraction_min = fraction.len().min(1) } else { format.whole_min = 1 }
        }
        format
    }

    pub fn format(&self, value: f64) -> String {
        if value.is_nan() {
            return "NaN".to_owned();
        }
        if value.is_infinite() {
            let (prefix, suffix) = if value < 0.0 { &self.negative } else { &self.affixes };
            return format!("{prefix}∞{suffix}");
        }
        let value = value * self.factor;
        // The digits are those that tell the double from its neighbours, and zeros behind them; more are only looked at to round.
        let mut text = long_digits(value.abs()).unwrap_or_else(|| value.abs().to_string());
        if text.split_once('.').map_or(0, |(_, fraction)| fraction.len()) > self.fraction_max {
            text = format!("{:.*}", self.fraction_max, value.abs());
        }
        self.digits(&text, value.is_sign_negative())
    }

    /// A whole number, of which no digit is lost.
    fn format_whole(&self, value: i64) -> String {
        match self.factor {
            1.0 => self.digits(&value.unsigned_abs().to_string(), value < 0),
            _ => self.format(value as f64),
        }
    }

    /// Digits, with a point among them, as the pattern has them.
    fn digits(&self, text: &str, negative: bool) -> String {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = format!("{fraction:0<width$}", width = self.fraction_min);
        let fraction_end = fraction.trim_end_matches('0').len().max(self.fraction_min);
        let whole = whole.trim_start_matches('0');
        let whole = format!("{}{whole}", "0".repeat(self.whole_min.saturating_sub(whole.len())));
        // What is below zero is shown so even where none of its digits is.
        let (prefix, suffix) = if negative { &self.negative } else { &self.affixes };
        let mut out = prefix.clone();
        for (at, digit) in whole.chars().enumerate() {
            let left = whole.len() - at;
            if self.group > 0 && at > 0 && left.is_multiple_of(self.group) {
                out.push(',');
            }
            out.push(digit);
        }
        if whole.is_empty() && fraction_end == 0 {
            out.push('0');
        }
        if fraction_end > 0 {
            out.push('.');
            out.push_str(&fraction[..fraction_end]);
        }
        out + suffix
    }
}

/// The digits that Java has for a whole number beyond those that a double tells apart, but within those of a `long`: it leaves
/// out as many as it can be sure say nothing, which may be one less than could be left out.
fn long_digits(value: f64) -> Option<String> {
    const EXACT: f64 = (1u64 << 53) as f64;
    if !(EXACT..9_223_372_036_854_775_808.0).contains(&value) {
        return None;
    }
    let bits = (value as u64).ilog2().saturating_sub(54);
    let step = 10u64.pow((1u64 << bits).ilog10());
    let value = value as u64;
    let rounded = value / step + u64::from(step > 1 && value % step >= step / 2);
    Some((rounded * step).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_patterns() {
        let cases = [
            ("#,##0.00", 1234567.891, "1,234,567.89"),
            ("0.0%", 0.125, "12.5%"),
            ("000", 7.0, "007"),
            ("#.##", 0.5, "0.5"),
            (".##", 0.0, ".0"),
            ("", -0.5, "-.5"),
            ("", 123456.789, "123,456.789"),
            ("0", -0.0, "-0"),
            ("00", -0.3, "-00"),
            ("#0.00", -0.001, "-0.00"),
            ("0.0;(0.0)", -0.3, "(0.3)"),
            ("0;neg0", -2.0, "neg2"),
            ("#;#", -2.0, "-2"),
            ("'#'0", -2.0, "-#2"),
            ("0''", 7.0, "7'"),
            ("0 'x%'", 7.0, "7 x%"),
            ("x", 5.5, "x6"),
            ("$0", f64::NEG_INFINITY, "-$∞"),
            ("$0", f64::NAN, "NaN"),
            ("0.###", -2.5, "-2.5"),
            ("$#,##0", 1000.0, "$1,000"),
            ("#", 0.0, "0"),
            ("#0.00", 18_446_744_073_709_551_615.0, "18446744073709552000.00"),
            ("0.0", 8_641_455_820_018_512_000.0, "8641455820018511900.0"),
            ("0.0", 7_266_150_849_106_157_000.0, "7266150849106156500.0"),
            ("0.00", 0.125, "0.12"),
            ("0.0", 2.0, "2.0"),
        ];
        for (pattern, value, text) in cases {
            assert_eq!(DecimalFormat::parse(pattern).format(value), text, "{pattern}");
        }
    }

    #[test]
    fn no_digit_of_a_whole_number_is_lost() {
        let text = |pattern: &str, value| DecimalFormat::parse(pattern).format_whole(value);
        assert_eq!(text("000.0", 1639022438710530924), "1639022438710530924.0");
        assert_eq!(text("#,##0", -1469968947927271092), "-1,469,968,947,927,271,092");
        assert_eq!(text("0%", 3), "300%");
    }

    #[test]
    fn base64_pads() {
        assert_eq!([&b""[..], b"a", b"ab", b"abc"].map(base64), ["", "YQ==", "YWI=", "YWJj"]);
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"abcd", &[255, 254, 0]] {
            assert_eq!(decode_base64(&base64(bytes)).unwrap(), bytes);
        }
        assert_eq!(decode_base64("xx!"), None);
        assert_eq!(decode_base64("xxxxx"), None);
    }
}
