//! Boxes of numbers and booleans.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, throw};
use super::super::value::Value;
use super::args::{boolean, double, int, long, ok_bool, text};
use super::collection::{java_order, natural};
use super::display::{hash, plain};
use crate::mapping::number::parse_java_f64;
use std::num::IntErrorKind;

#[cold]
fn bad_number_in(text: &str, radix: u32) -> Failed {
    let under = if radix == 10 { String::new() } else { format!(" under radix {radix}") };
    throw("NumberFormatException", format!("For input string: \"{text}\"{under}"))
}

/// The radix, if there are digits for it.
fn checked_radix(radix: i32) -> Result<u32, Failed> {
    match radix {
        ..2 => Err(throw("NumberFormatException", format!("radix {radix} less than Character.MIN_RADIX"))),
        37.. => Err(throw("NumberFormatException", format!("radix {radix} greater than Character.MAX_RADIX"))),
        _ => Ok(radix as u32),
    }
}

/// The text of a number.
pub(super) fn digits(value: &Value) -> Result<std::borrow::Cow<'_, str>, Failed> {
    if value.is_null() {
        return Err(throw("NumberFormatException", "Cannot parse null string"));
    }
    text(value)
}

/// The text of a number that may be a fraction.
fn decimal_digits(value: &Value) -> Result<std::borrow::Cow<'_, str>, Failed> {
    match value.is_null() {
        true => Err(throw("NullPointerException", "Cannot invoke \"String.length()\" because \"in\" is null")),
        false => text(value),
    }
}

fn parse_int(text: &str, radix: i32) -> Result<i32, Failed> {
    let radix = checked_radix(radix)?;
    i32::from_str_radix(text, radix).map_err(|_| bad_number_in(text, radix))
}

/// A number of fewer bits, out of a text.
pub(super) fn narrow<T>(
    given: &Value,
    radix: i32,
    convert: impl Fn(i32) -> Result<T, std::num::TryFromIntError>,
) -> Result<T, Failed> {
    let text = digits(given)?;
    convert(parse_int(&text, radix)?).map_err(|_| {
        let what = format!("Value out of range. Value:\"{text}\" Radix:{radix}");
        throw("NumberFormatException", what)
    })
}

fn parse_long(text: &str, radix: i32) -> Result<i64, Failed> {
    let radix = checked_radix(radix)?;
    i64::from_str_radix(text, radix).map_err(|_| bad_number_in(text, radix))
}

pub fn parse_double(given: &str) -> Result<f64, Failed> {
    parse_java_f64(given).map_err(|error| throw("NumberFormatException", error.reason()))
}

/// Digits in a radix, signed.
fn radix_text(mut value: i128, radix: i32) -> String {
    let radix = if (2..=36).contains(&radix) { radix as i128 } else { 10 };
    let negative = value < 0;
    value = value.abs();
    let mut digits = vec![];
    loop {
        digits.push(char::from_digit((value % radix) as u32, radix as u32).unwrap_or('0'));
        value /= radix;
        if value == 0 {
            break;
        }
    }
    if negative {
        digits.push('-');
    }
    digits.iter().rev().collect()
}

#[cold]
fn by_zero() -> Failed {
    throw("ArithmeticException", "/ by zero")
}

fn parse_unsigned(given: &Value, radix: i32, most: u64) -> Result<u64, Failed> {
    let text = text(given)?;
    if text.starts_with('-') {
        let what = format!("Illegal leading minus sign on unsigned string {text}.");
        return Err(throw("NumberFormatException", what));
    }
    let radix = checked_radix(radix)?;
    let digits = text.strip_prefix('+').unwrap_or(&text);
    match u64::from_str_radix(digits, radix) {
        Ok(value) if value <= most => Ok(value),
        Err(error) if *error.kind() != IntErrorKind::PosOverflow => Err(bad_number_in(&text, radix)),
        _ => {
            let kind = if most == u64::MAX { "long" } else { "int" };
            Err(throw("NumberFormatException", format!("String value {text} exceeds range of unsigned {kind}.")))
        }
    }
}

/// Sixteen to a digit, with an exponent of two.
fn hex_double(value: f64) -> String {
    let sign = if value.is_sign_negative() && !value.is_nan() { "-" } else { "" };
    if value.is_nan() || value.is_infinite() {
        return plain(&Value::Double(value));
    }
    let (fraction, exponent) = (value.to_bits() & ((1 << 52) - 1), (value.to_bits() >> 52 & 0x7ff) as i32);
    let digits = format!("{fraction:013x}");
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    };
    match (exponent, fraction) {
        (0, 0) => format!("{sign}0x0.0p0"),
        (0, _) => format!("{sign}0x0.{digits}p-1022"),
        _ => format!("{sign}0x1.{digits}p{}", exponent - 1023),
    }
}

/// The same of a float, whose least exponent is greater.
fn hex_float(value: f32) -> String {
    if !value.is_subnormal() {
        return hex_double(value.into());
    }
    // As far below the least double as it is below the least float.
    let text = hex_double(f64::from(value) * 2f64.powi(-896));
    text.replace("p-1022", "p-126")
}

fn compare(a: i64, b: i64) -> Outcome {
    Ok(Value::Int(a.cmp(&b) as i32))
}

const I: fn(i32) -> Outcome = |v| Ok(Value::Int(v));
const L: fn(i64) -> Outcome = |v| Ok(Value::Long(v));
const D: fn(f64) -> Outcome = |v| Ok(Value::Double(v));

/// The nearest int of a floating-point number, the low bits of any other.
fn int_value(value: &Value) -> Result<i32, Failed> {
    match value {
        Value::Double(v) => Ok(*v as i32),
        Value::Float(v) => Ok(*v as i32),
        other => Ok(long(other)? as i32),
    }
}

macro_rules! compares {
    ($class:literal) => {
        Row(concat!("int compareTo(", $class, ")"), |_, a| natural(&a[0], &a[1]).map(Value::Int))
    };
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new(
        "java.lang.Number",
        &[],
        &[
            Row("byte byteValue()", |_, a| Ok(Value::Byte(int_value(&a[0])? as i8))),
            Row("short shortValue()", |_, a| Ok(Value::Short(int_value(&a[0])? as i16))),
            Row("int intValue()", |_, a| I(int_value(&a[0])?)),
            Row("long longValue()", |_, a| L(long(&a[0])?)),
            Row("float floatValue()", |_, a| match &a[0] {
                Value::Float(v) => Ok(Value::Float(*v)),
                other => Ok(Value::Float(double(other)? as f32)),
            }),
            Row("double doubleValue()", |_, a| D(double(&a[0])?)),
        ],
    ),
    ClassRow::new(
        "java.lang.Boolean",
        &["Comparable"],
        &[
            Row("boolean booleanValue()", |_, a| Ok(a[0].clone())),
            Row("static int compare(boolean,boolean)", |_, a| natural(&a[0], &a[1]).map(Value::Int)),
            Row("static boolean logicalAnd(boolean,boolean)", |_, a| ok_bool(boolean(&a[0])? & boolean(&a[1])?)),
            Row("static boolean logicalOr(boolean,boolean)", |_, a| ok_bool(boolean(&a[0])? | boolean(&a[1])?)),
            Row("static boolean logicalXor(boolean,boolean)", |_, a| ok_bool(boolean(&a[0])? ^ boolean(&a[1])?)),
            Row("static boolean parseBoolean(String)", |_, a| {
                ok_bool(a[0].as_str().is_some_and(|t| t.eq_ignore_ascii_case("true")))
            }),
            Row("static String toString(boolean)", |vm, a| vm.string(plain(&a[0]))),
            Row("static Boolean valueOf(boolean)", |_, a| Ok(a[0].clone())),
            Row("static int hashCode(boolean)", |_, a| I(hash(&a[0], 0))),
            Row("static Boolean TRUE", |_, _| ok_bool(true)),
            Row("static Boolean FALSE", |_, _| ok_bool(false)),
            compares!("Boolean"),
        ],
    ),
    ClassRow::new(
        "java.lang.Byte",
        &["Number", "Comparable", "ByteMoreBase"],
        &[
            Row("static byte MAX_VALUE", |_, _| Ok(Value::Byte(i8::MAX))),
            Row("static byte MIN_VALUE", |_, _| Ok(Value::Byte(i8::MIN))),
            Row("static byte parseByte(String)", |_, a| narrow(&a[0], 10, i8::try_from).map(Value::Byte)),
            Row("static byte parseByte(String,int)", |_, a| narrow(&a[0], int(&a[1])?, i8::try_from).map(Value::Byte)),
            Row("static Byte valueOf(byte)", |_, a| Ok(a[0].clone())),
            Row("static String toString(byte)", |vm, a| vm.string(plain(&a[0]))),
            Row("static int toUnsignedInt(byte)", |_, a| I(int(&a[0])? & 0xff)),
            compares!("Byte"),
        ],
    ),
    ClassRow::new(
        "java.lang.Short",
        &["Number", "Comparable", "ShortMoreBase"],
        &[
            Row("static short MAX_VALUE", |_, _| Ok(Value::Short(i16::MAX))),
            Row("static short MIN_VALUE", |_, _| Ok(Value::Short(i16::MIN))),
            Row("static short parseShort(String)", |_, a| narrow(&a[0], 10, i16::try_from).map(Value::Short)),
            Row("static short parseShort(String,int)", |_, a| {
                narrow(&a[0], int(&a[1])?, i16::try_from).map(Value::Short)
            }),
            Row("static Short valueOf(short)", |_, a| Ok(a[0].clone())),
            Row("static String toString(short)", |vm, a| vm.string(plain(&a[0]))),
            compares!("Short"),
        ],
    ),
    ClassRow::new("java.lang.Integer", &["Number", "Comparable", "IntegerMoreBase"], INTEGER),
    ClassRow::new("java.lang.Long", &["Number", "Comparable", "LongMoreBase"], LONG),
    ClassRow::new(
        "java.lang.Float",
        &["Number", "Comparable", "FloatMoreBase"],
        &[
            Row("static int compare(float,float)", |_, a| I(java_order(double(&a[0])?, double(&a[1])?) as i32)),
            Row("static boolean isNaN(float)", |_, a| ok_bool(double(&a[0])?.is_nan())),
            Row("static boolean isInfinite(float)", |_, a| ok_bool(double(&a[0])?.is_infinite())),
            Row("static boolean isFinite(float)", |_, a| ok_bool(double(&a[0])?.is_finite())),
            Row("boolean isNaN()", |_, a| ok_bool(double(&a[0])?.is_nan())),
            Row("boolean isInfinite()", |_, a| ok_bool(double(&a[0])?.is_infinite())),
            Row("static float parseFloat(String)", |_, a| {
                Ok(Value::Float(parse_double(&decimal_digits(&a[0])?)? as f32))
            }),
            Row("static String toHexString(float)", |vm, a| vm.string(hex_float(double(&a[0])? as f32))),
            Row("static String toString(float)", |vm, a| vm.string(plain(&a[0]))),
            Row("static Float valueOf(float)", |_, a| Ok(a[0].clone())),
            Row("static int floatToIntBits(float)", |_, a| I((double(&a[0])? as f32).to_bits() as i32)),
            Row("static float MAX_VALUE", |_, _| Ok(Value::Float(f32::MAX))),
            Row("static float MIN_VALUE", |_, _| Ok(Value::Float(f32::from_bits(1)))),
            Row("static float NaN", |_, _| Ok(Value::Float(f32::NAN))),
            Row("static float POSITIVE_INFINITY", |_, _| Ok(Value::Float(f32::INFINITY))),
            Row("static float NEGATIVE_INFINITY", |_, _| Ok(Value::Float(f32::NEG_INFINITY))),
            compares!("Float"),
        ],
    ),
    ClassRow::new("java.lang.Double", &["Number", "Comparable", "DoubleMoreBase"], DOUBLE),
    ClassRow::new(
        "org.opensearch.search.aggregations.bucket.terms.heuristic.ScriptHeuristic.LongAccessor",
        &["Number"],
        &[],
    ),
];

const INTEGER: &[Row] = &[
    Row("static int MAX_VALUE", |_, _| I(i32::MAX)),
    Row("static int MIN_VALUE", |_, _| I(i32::MIN)),
    Row("static int bitCount(int)", |_, a| I(int(&a[0])?.count_ones() as i32)),
    Row("static int compare(int,int)", |_, a| compare(long(&a[0])?, long(&a[1])?)),
    Row("static int compareUnsigned(int,int)", |_, a| I((int(&a[0])? as u32).cmp(&(int(&a[1])? as u32)) as i32)),
    Row("static int hashCode(int)", |_, a| Ok(a[0].clone())),
    Row("static int highestOneBit(int)", |_, a| {
        let v = int(&a[0])? as u32;
        I(if v == 0 { 0 } else { (1u32 << (31 - v.leading_zeros())) as i32 })
    }),
    Row("static int lowestOneBit(int)", |_, a| {
        let v = int(&a[0])?;
        I(v & v.wrapping_neg())
    }),
    Row("static int max(int,int)", |_, a| I(int(&a[0])?.max(int(&a[1])?))),
    Row("static int min(int,int)", |_, a| I(int(&a[0])?.min(int(&a[1])?))),
    Row("static int numberOfLeadingZeros(int)", |_, a| I(int(&a[0])?.leading_zeros() as i32)),
    Row("static int numberOfTrailingZeros(int)", |_, a| I(int(&a[0])?.trailing_zeros() as i32)),
    Row("static int parseInt(String)", |_, a| I(parse_int(&digits(&a[0])?, 10)?)),
    Row("static int parseInt(String,int)", |_, a| I(parse_int(&digits(&a[0])?, int(&a[1])?)?)),
    Row("static int reverse(int)", |_, a| I(int(&a[0])?.reverse_bits())),
    Row("static int reverseBytes(int)", |_, a| I(int(&a[0])?.swap_bytes())),
    Row("static int rotateLeft(int,int)", |_, a| I(int(&a[0])?.rotate_left(int(&a[1])? as u32 & 31))),
    Row("static int rotateRight(int,int)", |_, a| I(int(&a[0])?.rotate_right(int(&a[1])? as u32 & 31))),
    Row("static int signum(int)", |_, a| I(int(&a[0])?.signum())),
    Row("static String toBinaryString(int)", |vm, a| vm.string(format!("{:b}", int(&a[0])?))),
    Row("static String toHexString(int)", |vm, a| vm.string(format!("{:x}", int(&a[0])?))),
    Row("static String toOctalString(int)", |vm, a| vm.string(format!("{:o}", int(&a[0])?))),
    Row("static String toString(int)", |vm, a| vm.string(plain(&a[0]))),
    Row("static String toString(int,int)", |vm, a| vm.string(radix_text(long(&a[0])?.into(), int(&a[1])?))),
    Row("static int divideUnsigned(int,int)", |_, a| match int(&a[1])? {
        0 => Err(by_zero()),
        by => I((int(&a[0])? as u32 / by as u32) as i32),
    }),
    Row("static int remainderUnsigned(int,int)", |_, a| match int(&a[1])? {
        0 => Err(by_zero()),
        by => I((int(&a[0])? as u32 % by as u32) as i32),
    }),
    Row("static int parseUnsignedInt(String)", |_, a| {
        parse_unsigned(&a[0], 10, u32::MAX.into()).and_then(|v| I(v as i32))
    }),
    Row("static int parseUnsignedInt(String,int)", |_, a| {
        parse_unsigned(&a[0], int(&a[1])?, u32::MAX.into()).and_then(|v| I(v as i32))
    }),
    Row("static String toUnsignedString(int)", |vm, a| vm.string((int(&a[0])? as u32).to_string())),
    Row("static String toUnsignedString(int,int)", |vm, a| {
        vm.string(radix_text(i128::from(int(&a[0])? as u32), int(&a[1])?))
    }),
    Row("static long toUnsignedLong(int)", |_, a| L(i64::from(int(&a[0])? as u32))),
    Row("static Integer valueOf(int)", |_, a| Ok(a[0].clone())),
    Row("static Integer valueOf(String,int)", |_, a| I(parse_int(&digits(&a[0])?, int(&a[1])?)?)),
    compares!("Integer"),
];

const LONG: &[Row] = &[
    Row("static long MAX_VALUE", |_, _| L(i64::MAX)),
    Row("static long MIN_VALUE", |_, _| L(i64::MIN)),
    Row("static int bitCount(long)", |_, a| I(long(&a[0])?.count_ones() as i32)),
    Row("static int compare(long,long)", |_, a| compare(long(&a[0])?, long(&a[1])?)),
    Row("static int compareUnsigned(long,long)", |_, a| I((long(&a[0])? as u64).cmp(&(long(&a[1])? as u64)) as i32)),
    Row("static int hashCode(long)", |_, a| I(hash(&a[0], 0))),
    Row("static long max(long,long)", |_, a| L(long(&a[0])?.max(long(&a[1])?))),
    Row("static long min(long,long)", |_, a| L(long(&a[0])?.min(long(&a[1])?))),
    Row("static int numberOfLeadingZeros(long)", |_, a| I(long(&a[0])?.leading_zeros() as i32)),
    Row("static int numberOfTrailingZeros(long)", |_, a| I(long(&a[0])?.trailing_zeros() as i32)),
    Row("static long parseLong(String)", |_, a| L(parse_long(&digits(&a[0])?, 10)?)),
    Row("static long parseLong(String,int)", |_, a| L(parse_long(&digits(&a[0])?, int(&a[1])?)?)),
    Row("static int signum(long)", |_, a| I(long(&a[0])?.signum() as i32)),
    Row("static long sum(long,long)", |_, a| L(long(&a[0])?.wrapping_add(long(&a[1])?))),
    Row("static String toBinaryString(long)", |vm, a| vm.string(format!("{:b}", long(&a[0])?))),
    Row("static String toHexString(long)", |vm, a| vm.string(format!("{:x}", long(&a[0])?))),
    Row("static String toOctalString(long)", |vm, a| vm.string(format!("{:o}", long(&a[0])?))),
    Row("static String toString(long)", |vm, a| vm.string(plain(&a[0]))),
    Row("static String toString(long,int)", |vm, a| vm.string(radix_text(long(&a[0])?.into(), int(&a[1])?))),
    Row("static long divideUnsigned(long,long)", |_, a| match long(&a[1])? {
        0 => Err(by_zero()),
        by => L((long(&a[0])? as u64 / by as u64) as i64),
    }),
    Row("static long remainderUnsigned(long,long)", |_, a| match long(&a[1])? {
        0 => Err(by_zero()),
        by => L((long(&a[0])? as u64 % by as u64) as i64),
    }),
    Row("static long highestOneBit(long)", |_, a| {
        let v = long(&a[0])? as u64;
        L(if v == 0 { 0 } else { (1u64 << (63 - v.leading_zeros())) as i64 })
    }),
    Row("static long lowestOneBit(long)", |_, a| {
        let v = long(&a[0])?;
        L(v & v.wrapping_neg())
    }),
    Row("static long parseUnsignedLong(String)", |_, a| parse_unsigned(&a[0], 10, u64::MAX).and_then(|v| L(v as i64))),
    Row("static long parseUnsignedLong(String,int)", |_, a| {
        parse_unsigned(&a[0], int(&a[1])?, u64::MAX).and_then(|v| L(v as i64))
    }),
    Row("static long reverse(long)", |_, a| L(long(&a[0])?.reverse_bits())),
    Row("static long reverseBytes(long)", |_, a| L(long(&a[0])?.swap_bytes())),
    Row("static long rotateLeft(long,int)", |_, a| L(long(&a[0])?.rotate_left(int(&a[1])? as u32 & 63))),
    Row("static long rotateRight(long,int)", |_, a| L(long(&a[0])?.rotate_right(int(&a[1])? as u32 & 63))),
    Row("static String toUnsignedString(long,int)", |vm, a| {
        vm.string(radix_text(i128::from(long(&a[0])? as u64), int(&a[1])?))
    }),
    Row("static String toUnsignedString(long)", |vm, a| vm.string((long(&a[0])? as u64).to_string())),
    Row("static Long valueOf(long)", |_, a| Ok(a[0].clone())),
    Row("static Long valueOf(String,int)", |_, a| L(parse_long(&digits(&a[0])?, int(&a[1])?)?)),
    compares!("Long"),
];

const DOUBLE: &[Row] = &[
    Row("static double MAX_VALUE", |_, _| D(f64::MAX)),
    Row("static double MIN_VALUE", |_, _| D(f64::from_bits(1))),
    Row("static double NaN", |_, _| D(f64::NAN)),
    Row("static double POSITIVE_INFINITY", |_, _| D(f64::INFINITY)),
    Row("static double NEGATIVE_INFINITY", |_, _| D(f64::NEG_INFINITY)),
    Row("static int compare(double,double)", |_, a| I(java_order(double(&a[0])?, double(&a[1])?) as i32)),
    Row("static long doubleToLongBits(double)", |_, a| L(double(&a[0])?.to_bits() as i64)),
    Row("static long doubleToRawLongBits(double)", |_, a| L(double(&a[0])?.to_bits() as i64)),
    Row("static int hashCode(double)", |_, a| I(hash(&a[0], 0))),
    Row("static boolean isFinite(double)", |_, a| ok_bool(double(&a[0])?.is_finite())),
    Row("static boolean isInfinite(double)", |_, a| ok_bool(double(&a[0])?.is_infinite())),
    Row("static boolean isNaN(double)", |_, a| ok_bool(double(&a[0])?.is_nan())),
    Row("boolean isInfinite()", |_, a| ok_bool(double(&a[0])?.is_infinite())),
    Row("boolean isNaN()", |_, a| ok_bool(double(&a[0])?.is_nan())),
    Row("static double longBitsToDouble(long)", |_, a| D(f64::from_bits(long(&a[0])? as u64))),
    Row("static double max(double,double)", |_, a| D(super::math::max(double(&a[0])?, double(&a[1])?))),
    Row("static double min(double,double)", |_, a| D(super::math::min(double(&a[0])?, double(&a[1])?))),
    Row("static String toHexString(double)", |vm, a| vm.string(hex_double(double(&a[0])?))),
    Row("static double parseDouble(String)", |_, a| D(parse_double(&decimal_digits(&a[0])?)?)),
    Row("static double sum(double,double)", |_, a| D(double(&a[0])? + double(&a[1])?)),
    Row("static String toString(double)", |vm, a| vm.string(plain(&a[0]))),
    Row("static Double valueOf(double)", |_, a| Ok(a[0].clone())),
    compares!("Double"),
];
