//! Numbers from text and requests as Java reads them, and back.

use super::NumberKind;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Value, write_f32, write_f64};
use crate::mapping::params::java_text;

/// `Math.round`: half up, saturating.
pub fn java_round(value: f64) -> i64 {
    let floor = value.floor();
    (if value - floor >= 0.5 { floor + 1.0 } else { floor }) as i64
}

/// `Double.parseDouble`: surrounding white space, a type letter and hexadecimal digits with a power of two are accepted.
pub fn parse_java_f64(text: &str) -> Result<f64> {
    plain(text).or_else(|error| hexadecimal(text).ok_or(error))
}

/// What has no hexadecimal digits.
fn plain(text: &str) -> Result<f64> {
    let digits = java_f64_text(text)?;
    match digits {
        "NaN" | "+NaN" | "-NaN" => Ok(f64::NAN),
        "Infinity" | "+Infinity" => Ok(f64::INFINITY),
        "-Infinity" => Ok(f64::NEG_INFINITY),
        _ => digits.parse().map_err(|_| for_input(text)),
    }
}

/// `0x1.8p1` and the like.
fn hexadecimal(text: &str) -> Option<f64> {
    let trimmed = text.trim_matches(|c: char| c <= ' ');
    let trimmed = trimmed.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(trimmed);
    let (negative, unsigned) = match trimmed.strip_prefix(['+', '-']) {
        Some(rest) => (trimmed.starts_with('-'), rest),
        None => (false, trimmed),
    };
    let (digits, power) = unsigned.strip_prefix("0x").or(unsigned.strip_prefix("0X"))?.split_once(['p', 'P'])?;
    let is_power = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_power(power.strip_prefix(['+', '-']).unwrap_or(power)) {
        return None;
    }
    let beyond = if power.starts_with('-') { i64::from(i32::MIN) } else { i32::MAX.into() };
    let mut power = power.parse().unwrap_or(beyond).clamp(i32::MIN.into(), i32::MAX.into());
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (mut number, mut any) = (0u64, false);
    for (digit, is_whole) in whole.chars().map(|c| (c, true)).chain(fraction.chars().map(|c| (c, false))) {
        let digit = u64::from(digit.to_digit(16)?);
        any = true;
        // What no longer fits leaves a trace, so that the number is rounded as if it were all there.
        if number >> 60 == 0 {
            number = number << 4 | digit;
            power -= if is_whole { 0 } else { 4 };
        } else {
            number |= u64::from(digit != 0);
            power += if is_whole { 4 } else { 0 };
        }
    }
    // In two steps, since a power alone may be beyond what doubles hold.
    let power = power.clamp(-1200, 1200) as i32;
    let value = number as f64 * 2f64.powi(power / 2) * 2f64.powi(power - power / 2);
    any.then_some(if negative { -value } else { value })
}

/// The part of a Java double that Rust's parser understands too, checked for what only Rust would accept.
pub fn java_f64_text(text: &str) -> Result<&str> {
    let trimmed = text.trim_matches(|c: char| c <= ' ');
    if trimmed.is_empty() {
        return Err(Error::new(ErrorKind::NumberFormat, "empty String"));
    }
    if matches!(trimmed.trim_start_matches(['+', '-']), "NaN" | "Infinity") {
        return Ok(trimmed);
    }
    let digits = trimmed.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(trimmed);
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    // The second one is found before anything behind it.
    let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    let points = unsigned.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').filter(|b| *b == b'.').count();
    if points > 1 {
        return Err(Error::new(ErrorKind::NumberFormat, "multiple points"));
    }
    if plain && digits.bytes().any(|b| b.is_ascii_digit()) { Ok(digits) } else { Err(for_input(text)) }
}

fn for_input(text: &str) -> Error {
    Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""))
}

fn for_input_illegal(text: &str) -> Error {
    Error::illegal_argument(format!("For input string: \"{text}\""))
}

pub fn is_whole(digits: &str) -> bool {
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

/// A value as queries tell it: texts are bytes to them.
pub fn bytes_of_text(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let hex: Vec<String> = text.bytes().map(|b| format!("{b:x}")).collect();
            format!("[{}]", hex.join(" "))
        }
        value => java_text(value),
    }
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
        other => other.as_f64().ok_or_else(|| for_input(&java_text(other))),
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

pub fn is_positive(value: &Value) -> bool {
    value_as_f64(value).is_ok_and(|f| f > 0.0)
}

pub fn is_negative(value: &Value) -> bool {
    value_as_f64(value).is_ok_and(|f| f < 0.0)
}

pub fn finite(number: f64, message: &str) -> Result<f64> {
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
