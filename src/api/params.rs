//! Query strings and the values in them, with the errors that the reference has for each kind.

use pith_engine::{Error, ErrorKind, Result};

/// Splits and decodes a query string. Of a repeated name the last value counts, so the list keeps their order.
pub fn parse_query(query: &str) -> Result<Vec<(String, String)>> {
    let mut out = vec![];
    // Behind it stands what is none of a server's business.
    let query = query.split('#').next().unwrap_or_default();
    let pairs = query.split(['&', ';']).map(|pair| pair.trim_start_matches('='));
    for pair in pairs.filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let decode = |text| decode(text, true).map_err(bad_parameter);
        out.push((decode(name)?, decode(value)?));
    }
    Ok(out)
}

#[cold]
fn bad_parameter(cause: String) -> Error {
    let reason = format!("java.lang.IllegalArgumentException: {cause}");
    Error::new(ErrorKind::BadParameter, reason).caused_by(Error::illegal_argument(cause))
}

/// Decodes percent-escapes; bytes that are not UTF-8 become replacement characters. The error is the bare reason.
pub fn decode(text: &str, plus_is_space: bool) -> Result<String, String> {
    if !text.bytes().any(|b| b == b'%' || (plus_is_space && b == b'+')) {
        return Ok(text.to_owned());
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'+' if plus_is_space => out.push(b' '),
            b'%' => {
                let escape = bytes.get(at..at + 2);
                let Some(value) = escape.and_then(|pair| Some(hex(pair[0])? << 4 | hex(pair[1])?)) else {
                    return Err(invalid_escape(text, at - 1));
                };
                out.push(value);
                at += 2;
            }
            other => out.push(other),
        }
    }
    Ok(match String::from_utf8(out) {
        Ok(text) => text,
        Err(bytes) => String::from_utf8_lossy(bytes.as_bytes()).into_owned(),
    })
}

fn invalid_escape(text: &str, at: usize) -> String {
    let rest: String = text.get(at..).unwrap_or("%").chars().take(3).collect();
    if rest.chars().count() < 3 {
        return format!("unterminated escape sequence at end of string: {text}");
    }
    format!("invalid escape sequence `{rest}' at index {at} of: {text}")
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// `true`, `false`, or nothing (a parameter without a value is `true`).
pub fn boolean(value: &str) -> Result<bool> {
    match value {
        "true" | "" => Ok(true),
        "false" => Ok(false),
        _ => Err(not_a_boolean(value)),
    }
}

/// The same of a parameter that may be blank, which says nothing.
pub fn boolean_opt(value: &str) -> Result<Option<bool>> {
    let is_blank = !value.is_empty() && value.trim().is_empty();
    if is_blank { Ok(None) } else { boolean(value).map(Some) }
}

pub fn not_a_boolean(value: &str) -> Error {
    Error::illegal_argument(format!("Failed to parse value [{value}] as only [true] or [false] are allowed."))
}

pub fn int(name: &str, value: &str) -> Result<i32> {
    value.parse().map_err(|_| not_a_number("int", name, value))
}

pub fn long(name: &str, value: &str) -> Result<i64> {
    value.parse().map_err(|_| not_a_number("long", name, value))
}

pub fn float(name: &str, value: &str) -> Result<f32> {
    value.trim().parse().map_err(|_| not_a_number("float", name, value))
}

#[cold]
fn not_a_number(kind: &str, name: &str, value: &str) -> Error {
    let cause = if value.trim().is_empty() && kind == "float" {
        "empty String".to_owned()
    } else {
        format!("For input string: \"{value}\"")
    };
    Error::illegal_argument(format!("Failed to parse {kind} parameter [{name}] with value [{value}]"))
        .caused_by(Error::new(ErrorKind::NumberFormat, cause))
}

/// A time value such as `30s`, in milliseconds (rounded down); -1 stands for "none".
pub fn time_ms(name: &str, value: &str) -> Result<i64> {
    let trimmed = value.trim();
    let normalized = trimmed.to_ascii_lowercase();
    const NANOS_PER_MS: i128 = 1_000_000;
    let units: [(&str, i128); 7] = [
        ("nanos", 1),
        ("micros", 1_000),
        ("ms", NANOS_PER_MS),
        ("s", 1_000 * NANOS_PER_MS),
        ("m", 60_000 * NANOS_PER_MS),
        ("h", 3_600_000 * NANOS_PER_MS),
        ("d", 86_400_000 * NANOS_PER_MS),
    ];
    for (unit, nanos) in units {
        // `M` stands for months elsewhere, and is no minute.
        if unit == "m" && !trimmed.ends_with('m') {
            continue;
        }
        if let Some(number) = normalized.strip_suffix(unit) {
            let count = time_count(name, value, number.trim())?;
            let ms = if count < 0 { i128::from(count) } else { i128::from(count) * nanos / NANOS_PER_MS };
            return Ok(i64::try_from(ms).unwrap_or(i64::MAX));
        }
    }
    match normalized.strip_prefix('-') {
        Some(digits) if digits.trim_start_matches('0') == "1" => Ok(-1),
        None if !normalized.is_empty() && normalized.bytes().all(|b| b == b'0') => Ok(0),
        _ => Err(Error::illegal_argument(format!(
            "failed to parse setting [{name}] with value [{value}] as a time value: unit is missing or unrecognized"
        ))),
    }
}

fn time_count(name: &str, value: &str, number: &str) -> Result<i64> {
    match number.parse::<i64>() {
        Ok(count) if count < -1 => Err(Error::illegal_argument(format!(
            "failed to parse setting [{name}] with value [{value}] as a time value: negative durations are not supported"
        ))),
        Ok(count) => Ok(count),
        Err(_) => {
            let reason = if number.parse::<f64>().is_ok() {
                format!("failed to parse [{value}], fractional time values are not supported")
            } else {
                format!("failed to parse [{value}]")
            };
            let cause = Error::new(ErrorKind::NumberFormat, format!("For input string: \"{number}\""));
            Err(Error::illegal_argument(reason).caused_by(cause))
        }
    }
}

/// The items of a comma-separated list; empty ones are left out.
pub fn list(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim).filter(|item| !item.is_empty())
}

/// The same as they stand there, blanks and all.
pub fn parts(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').filter(|item| !item.is_empty())
}

/// Names between commas as they stand there. Only at the end none may be missing.
pub fn names(value: &str) -> Vec<&str> {
    let mut names: Vec<&str> = value.split(',').collect();
    while names.pop_if(|name| name.is_empty()).is_some() {}
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_split_and_decoded() {
        let pairs = parse_query("a=1&b=x+y%2B&c&a=%C3%A9&&=z&=#d").unwrap();
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(pairs, [("a", "1"), ("b", "x y+"), ("c", ""), ("a", "é"), ("z", "")]);
        let error = parse_query("x=%zz").unwrap_err();
        assert_eq!(
            error.reason(),
            "java.lang.IllegalArgumentException: invalid escape sequence `%zz' at index 0 of: %zz"
        );
        assert_eq!(decode("%c3%28+", false).unwrap(), "\u{fffd}(+");
        assert!(decode("a%4", false).is_err());
        assert!(decode("%é1", false).is_err());
    }

    #[test]
    fn time_values() {
        let ms = |value| time_ms("timeout", value);
        assert_eq!(ms("30s").unwrap(), 30_000);
        assert_eq!(ms("1500micros").unwrap(), 1);
        assert_eq!(ms("-1").unwrap(), -1);
        assert_eq!(ms("0").unwrap(), 0);
        assert_eq!(ms("9223372036854775807d").unwrap(), i64::MAX);
        assert_eq!(
            ms("5").unwrap_err().reason(),
            "failed to parse setting [timeout] with value [5] as a time value: unit is missing or unrecognized"
        );
        assert_eq!(
            ms("1.5s").unwrap_err().reason(),
            "failed to parse [1.5s], fractional time values are not supported"
        );
        assert!(ms("1M").unwrap_err().reason().ends_with("unit is missing or unrecognized"));
        assert_eq!((ms("1m").unwrap(), ms("1S").unwrap(), ms("1MS").unwrap()), (60_000, 1_000, 1));
        assert!(ms("-2s").is_err() && ms("").is_err() && ms("s").is_err());
    }

    #[test]
    fn booleans_and_numbers() {
        assert!(boolean("").unwrap() && boolean("true").unwrap() && !boolean("false").unwrap());
        assert_eq!((boolean_opt(" ").unwrap(), boolean_opt("").unwrap()), (None, Some(true)));
        assert_eq!(names(" a,,b,,"), [" a", "", "b"]);
        assert_eq!(
            boolean("x").unwrap_err().reason(),
            "Failed to parse value [x] as only [true] or [false] are allowed."
        );
        assert_eq!(int("size", "-3").unwrap(), -3);
        let error = int("size", "abc").unwrap_err();
        assert_eq!(error.reason(), "Failed to parse int parameter [size] with value [abc]");
        assert_eq!(error.cause().unwrap().reason(), "For input string: \"abc\"");
    }
}
