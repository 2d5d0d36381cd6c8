//! Values as Java names and prints them: errors and texts made of values speak of them so.

use super::{Map, Value};
use crate::error::{Error, ErrorKind, Result};

/// The name of the class that the reference holds such a value in.
pub fn java_class(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "java.lang.Boolean",
        Value::Int(number) if i32::try_from(*number).is_ok() => "java.lang.Integer",
        Value::Int(_) => "java.lang.Long",
        Value::UInt(_) | Value::BigInt(_) => "java.math.BigInteger",
        Value::Float(_) => "java.lang.Double",
        Value::String(_) => "java.lang.String",
        Value::Array(_) => "java.util.ArrayList",
        Value::Object(_) => "java.util.HashMap",
    }
}

/// The same without its package.
pub fn java_simple_class(value: &Value) -> &'static str {
    let class = java_class(value);
    class.rsplit_once('.').map_or(class, |(_, name)| name)
}

/// What is said of a value that the reference takes for one of another class.
#[cold]
pub fn no_cast(value: &Value, to: &str) -> Error {
    Error::new(ErrorKind::ClassCast, cast_text(java_class(value), to))
}

/// Java's complaint about a value of the class `from` that is taken for one of `to`.
#[cold]
pub fn cast_text(from: &str, to: &str) -> String {
    let loaders = match (loader_of(from), loader_of(to)) {
        (one, other) if one == other => format!("{from} and {to} are in {one}"),
        (one, other) => format!("{from} is in {one}; {to} is in {other}"),
    };
    format!("class {from} cannot be cast to class {to} ({loaders})")
}

/// Where Java has a class from.
fn loader_of(class: &str) -> &'static str {
    match class.starts_with("org.opensearch.") || class.starts_with("org.apache.") {
        true => "unnamed module of loader 'app'",
        false => "module java.base of loader 'bootstrap'",
    }
}

/// What `toString` gives: `[1, x]` for lists, `{a=1}` for maps.
pub fn java_text(value: &Value) -> String {
    let mut out = String::new();
    write_text(value, &mut out);
    out
}

/// Depth is bounded by that of what was parsed.
fn write_text(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::String(text) => out.push_str(text),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_text(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => write_map(map, out),
        // Numbers that JSON cannot write stand in quotes there.
        Value::Float(number) if !number.is_finite() => out.push_str(non_finite(*number)),
        scalar => out.push_str(&scalar.to_text()),
    }
}

fn write_map(map: &Map, out: &mut String) {
    out.push('{');
    for (at, (key, value)) in map.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        out.push_str(key);
        out.push('=');
        write_text(value, out);
    }
    out.push('}');
}

fn non_finite(number: f64) -> &'static str {
    match number {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
}

/// A text where a whole number of 32 bits is meant: fractions are cut off.
pub fn java_int(text: &str) -> Result<i64> {
    match text.trim_matches(|c: char| c <= ' ').trim_start_matches(['+', '-']) {
        // Cut off, what is no number is zero.
        "NaN" => return Ok(0),
        "Infinity" => {
            return Err(Error::illegal_argument(format!("Value [{text}] is out of range for an integer")));
        }
        _ => {}
    }
    let number = java_double(text)?;
    if !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number) {
        return Err(Error::illegal_argument(format!("Value [{text}] is out of range for an integer")));
    }
    Ok(number as i64)
}

/// The same for 64 bits.
pub fn java_long(text: &str) -> Result<i64> {
    if let Ok(number) = text.parse::<i64>() {
        return Ok(number);
    }
    // Fractions and exponents may be, but neither white space nor suffixes.
    let number = java_double(text).ok().filter(|_| is_decimal(text));
    let number = number.ok_or_else(|| Error::illegal_argument(format!("For input string: \"{text}\"")))?;
    if !(-(2f64.powi(63))..2f64.powi(63)).contains(&number) {
        return Err(Error::illegal_argument(format!("Value [{text}] is out of range for a long")));
    }
    Ok(number as i64)
}

/// Java's `Double.parseDouble`, whose messages the reference shows. What is too large is infinite.
pub fn java_double(text: &str) -> Result<f64> {
    // Java takes every control character for white space here.
    let trimmed = text.trim_matches(|c: char| c <= ' ');
    if trimmed.is_empty() {
        return Err(Error::new(ErrorKind::NumberFormat, "empty String"));
    }
    let digits = trimmed.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(trimmed);
    match digits.parse() {
        Ok(number) if is_decimal(digits) => Ok(number),
        _ => Err(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""))),
    }
}

/// Whether a text has nothing but what decimal numbers are written with.
fn is_decimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn classes_are_told_by_where_they_are_from() {
        let [text, number, point] = ["java.lang.String", "java.lang.Number", "org.opensearch.common.geo.GeoPoint"];
        assert!(
            cast_text(text, number)
                .ends_with("(java.lang.String and java.lang.Number are in module java.base of loader 'bootstrap')")
        );
        assert!(cast_text(point, number).ends_with("(org.opensearch.common.geo.GeoPoint is in unnamed module of loader 'app'; java.lang.Number is in module java.base of loader 'bootstrap')"));
    }

    #[test]
    fn reads_numbers_of_texts_as_java_does() {
        let refused = |read: fn(&str) -> Result<i64>, text| {
            let error = read(text).unwrap_err();
            (error.kind(), error.reason().to_owned())
        };
        assert_eq!((java_int("3.9").unwrap(), java_long("3.9").unwrap()), (3, 3));
        assert_eq!((java_int(" 1\0").unwrap(), java_int("NaN").unwrap()), (1, 0));
        let range = "Value [-Infinity] is out of range for an integer";
        assert_eq!(refused(java_int, "-Infinity"), (ErrorKind::IllegalArgument, range.to_owned()));
        let range = "Value [1e400] is out of range for an integer";
        assert_eq!(refused(java_int, "1e400"), (ErrorKind::IllegalArgument, range.to_owned()));
        assert_eq!(refused(java_int, "x"), (ErrorKind::NumberFormat, "For input string: \"x\"".to_owned()));
        assert_eq!(refused(java_int, ""), (ErrorKind::NumberFormat, "empty String".to_owned()));
        assert_eq!(refused(java_long, "x"), (ErrorKind::IllegalArgument, "For input string: \"x\"".to_owned()));
        let range = "Value [1e400] is out of range for a long";
        assert_eq!(refused(java_long, "1e400"), (ErrorKind::IllegalArgument, range.to_owned()));
    }

    #[test]
    fn prints_as_java_does() {
        let value = parse(br#"{"b":[1,2.0,null,"x"],"c":{"d":1e20,"e":true}}"#).unwrap();
        assert_eq!(java_text(&value), "{b=[1, 2.0, null, x], c={d=1.0E20, e=true}}");
        assert_eq!(java_text(&Value::Float(f64::NAN)), "NaN");
        assert_eq!(java_class(&Value::Int(1 << 40)), "java.lang.Long");
    }
}
