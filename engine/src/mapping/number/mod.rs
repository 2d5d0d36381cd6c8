//! Numbers of fields: kinds, order-preserving encodings, and the conversions from text and JSON that the reference makes.
//!
//! Every numeric value is stored as an `i64` whose order is the order of the numbers: integers as they are, `double` as the
//! sortable bits of the `f64`, `float` and `half_float` as their sortable bits widened, `scaled_float` as its scaled
//! integer, `unsigned_long` with the top bit flipped.
//!
//! - `kind`: [`NumberKind`], the numeric types of fields. `encode`: the encodings. `text`: numbers as Java reads and writes them.
//!
//! What this room does not know: fields, documents, queries.

mod encode;
mod kind;
mod text;

pub use encode::{
    decode_f32, decode_f64, decode_half, decode_u64, encode_f32, encode_f64, encode_half, encode_u64, in_signed_order,
};
pub use kind::{DigitsError, NumberKind};
pub use text::{
    bytes_of_text, has_decimal_part, is_whole, java_f32, java_f64, java_round, parse_i64, parse_java_f64, parse_u64,
    value_as_f64,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::json::Value;

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
    fn queries_tell_texts_as_bytes() {
        let refused = |kind: NumberKind, value: Value| {
            let error = kind.encode_asked(&value, true).unwrap_err();
            (error.kind(), error.reason().to_owned())
        };
        let (number, argument) = (ErrorKind::NumberFormat, ErrorKind::IllegalArgument);
        let (ulong, int) = (NumberKind::UnsignedLong, NumberKind::Integer);
        for (kind, value, expected) in [
            (ulong, Value::from("-1"), (argument, "Value [[2d 31]] is out of range for an unsigned long")),
            (ulong, Value::Int(-1), (argument, "Value [-1] is out of range for an unsigned long")),
            (int, Value::from("1e10"), (argument, "Value [[31 65 31 30]] is out of range for an integer")),
            (ulong, Value::from(" "), (number, "empty String")),
            (ulong, Value::from("x"), (number, "For input string: \"x\"")),
            (ulong, Value::from(" 5"), (argument, "For input string: \" 5\"")),
        ] {
            assert_eq!(refused(kind, value.clone()), (expected.0, expected.1.to_owned()), "{value:?}");
        }
        let error = NumberKind::Integer.encode_value(&Value::from("1e10"), true).unwrap_err();
        assert_eq!(error.reason(), "Value [1e10] is out of range for an integer", "of a mapping");
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
        assert_eq!(int.range(Some((&Value::Int(3), false)), Some((&Value::Int(4), false))).unwrap(), Some((4, 3)));
    }

    #[test]
    fn rounding_as_java_does() {
        assert_eq!([2.5, -2.5, 0.49999999999999994].map(java_round), [3, -2, 0]);
        assert_eq!(java_round(1e300), i64::MAX);
    }
}
