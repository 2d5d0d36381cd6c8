//! Less common members of the boxes of numbers, and texts as digests.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, throw};
use super::super::value::Value;
use super::args::{double, int, long, text};
use super::display::hash;
use super::number::narrow;
use sha2::Digest;

#[cold]
fn bad_number(text: &str) -> Failed {
    throw("NumberFormatException", format!("For input string: \"{text}\""))
}

/// `decode`: digits after a sign, of sixteen behind `0x` or `#`, of eight behind `0`.
fn decoded(value: &Value, least: i64, most: i64) -> Result<i64, Failed> {
    let given = text(value)?;
    if given.is_empty() {
        return Err(throw("NumberFormatException", "Zero length string"));
    }
    let (sign, rest) = match given.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", given.strip_prefix('+').unwrap_or(&given)),
    };
    let hex = ["0x", "0X", "#"].iter().find_map(|lead| rest.strip_prefix(lead));
    let (radix, digits) = match (hex, rest.strip_prefix('0')) {
        (Some(digits), _) => (16, digits),
        (_, Some(digits)) if !digits.is_empty() => (8, digits),
        _ => (10, rest),
    };
    if digits.starts_with(['+', '-']) {
        return Err(throw("NumberFormatException", "Sign character in wrong position"));
    }
    let value = i64::from_str_radix(&format!("{sign}{digits}"), radix).map_err(|_| bad_number(digits))?;
    match (least..=most).contains(&value) {
        true => Ok(value),
        false if most <= i64::from(i16::MAX) => {
            Err(throw("NumberFormatException", format!("Value {value} out of range from input {given}")))
        }
        false => Err(bad_number(digits)),
    }
}

const BYTE: &[Row] = &[
    Row("static int BYTES", |_, _| Ok(Value::Int(1))),
    Row("static int SIZE", |_, _| Ok(Value::Int(8))),
    Row("static int compare(byte,byte)", |_, a| Ok(Value::Int(int(&a[0])? - int(&a[1])?))),
    Row("static Byte decode(String)", |_, a| Ok(Value::Byte(decoded(&a[0], -128, 127)? as i8))),
    Row("static int hashCode(byte)", |_, a| Ok(Value::Int(int(&a[0])?))),
    Row("static long toUnsignedLong(byte)", |_, a| Ok(Value::Long(long(&a[0])? & 0xff))),
    Row("static Byte valueOf(String,int)", |_, a| narrow(&a[0], int(&a[1])?, i8::try_from).map(Value::Byte)),
];

const SHORT: &[Row] = &[
    Row("static int BYTES", |_, _| Ok(Value::Int(2))),
    Row("static int SIZE", |_, _| Ok(Value::Int(16))),
    Row("static int compare(short,short)", |_, a| Ok(Value::Int(int(&a[0])? - int(&a[1])?))),
    Row("static Short decode(String)", |_, a| Ok(Value::Short(decoded(&a[0], -32_768, 32_767)? as i16))),
    Row("static int hashCode(short)", |_, a| Ok(Value::Int(int(&a[0])?))),
    Row("static short reverseBytes(short)", |_, a| Ok(Value::Short((int(&a[0])? as i16).swap_bytes()))),
    Row("static int toUnsignedInt(short)", |_, a| Ok(Value::Int(int(&a[0])? & 0xffff))),
    Row("static long toUnsignedLong(short)", |_, a| Ok(Value::Long(long(&a[0])? & 0xffff))),
    Row("static Short valueOf(String,int)", |_, a| narrow(&a[0], int(&a[1])?, i16::try_from).map(Value::Short)),
];

const INTEGER: &[Row] = &[
    Row("static int BYTES", |_, _| Ok(Value::Int(4))),
    Row("static int SIZE", |_, _| Ok(Value::Int(32))),
    Row("static Integer decode(String)", |_, a| {
        Ok(Value::Int(decoded(&a[0], i64::from(i32::MIN), i64::from(i32::MAX))? as i32))
    }),
];

const LONG: &[Row] = &[
    Row("static int BYTES", |_, _| Ok(Value::Int(8))),
    Row("static int SIZE", |_, _| Ok(Value::Int(64))),
    Row("static Long decode(String)", |_, a| Ok(Value::Long(decoded(&a[0], i64::MIN, i64::MAX)?))),
];

fn float(value: &Value) -> Result<f32, Failed> {
    Ok(double(value)? as f32)
}

const FLOAT: &[Row] = &[
    Row("static int BYTES", |_, _| Ok(Value::Int(4))),
    Row("static int SIZE", |_, _| Ok(Value::Int(32))),
    Row("static int MAX_EXPONENT", |_, _| Ok(Value::Int(127))),
    Row("static int MIN_EXPONENT", |_, _| Ok(Value::Int(-126))),
    Row("static float MIN_NORMAL", |_, _| Ok(Value::Float(f32::MIN_POSITIVE))),
    Row("static int floatToRawIntBits(float)", |_, a| Ok(Value::Int(float(&a[0])?.to_bits() as i32))),
    Row("static int hashCode(float)", |_, a| Ok(Value::Int(hash(&a[0], 0)))),
    Row("static float intBitsToFloat(int)", |_, a| Ok(Value::Float(f32::from_bits(int(&a[0])? as u32)))),
    Row("static float max(float,float)", |_, a| {
        Ok(Value::Float(super::math::max(double(&a[0])?, double(&a[1])?) as f32))
    }),
    Row("static float min(float,float)", |_, a| {
        Ok(Value::Float(super::math::min(double(&a[0])?, double(&a[1])?) as f32))
    }),
    Row("static float sum(float,float)", |_, a| Ok(Value::Float(float(&a[0])? + float(&a[1])?))),
];

const DOUBLE: &[Row] = &[
    Row("static int BYTES", |_, _| Ok(Value::Int(8))),
    Row("static int SIZE", |_, _| Ok(Value::Int(64))),
    Row("static int MAX_EXPONENT", |_, _| Ok(Value::Int(1023))),
    Row("static int MIN_EXPONENT", |_, _| Ok(Value::Int(-1022))),
    Row("static double MIN_NORMAL", |_, _| Ok(Value::Double(f64::MIN_POSITIVE))),
];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

const STRING: &[Row] = &[
    Row("String sha1()", |vm, a| {
        let text = text(&a[0])?;
        vm.work(text.len() / 8)?;
        vm.string(hex(&sha1::Sha1::digest(text.as_bytes())))
    }),
    Row("String sha256()", |vm, a| {
        let text = text(&a[0])?;
        vm.work(text.len() / 8)?;
        vm.string(hex(&sha2::Sha256::digest(text.as_bytes())))
    }),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.lang.ByteMoreBase", &[], BYTE),
    ClassRow::new("java.lang.ShortMoreBase", &[], SHORT),
    ClassRow::new("java.lang.IntegerMoreBase", &[], INTEGER),
    ClassRow::new("java.lang.LongMoreBase", &[], LONG),
    ClassRow::new("java.lang.FloatMoreBase", &[], FLOAT),
    ClassRow::new("java.lang.DoubleMoreBase", &[], DOUBLE),
    ClassRow::new("java.lang.StringMoreBase", &[], STRING),
];
