//! `bytes`: sizes such as `1kb` to numbers of bytes.

use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::Work;
use super::string;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    string::build(config, |text| parse(text).map(Value::from))
}

/// Endings of sizes and what they multiply by.
const UNITS: &[(&str, i64)] = &[
    ("k", 1 << 10),
    ("kb", 1 << 10),
    ("m", 1 << 20),
    ("mb", 1 << 20),
    ("g", 1 << 30),
    ("gb", 1 << 30),
    ("t", 1 << 40),
    ("tb", 1 << 40),
    ("p", 1 << 50),
    ("pb", 1 << 50),
];

pub fn parse(text: &str) -> Result<i64> {
    let lower = text.to_lowercase();
    let lower = lower.trim_matches(|c| c <= ' ');
    for (ending, factor) in UNITS {
        if let Some(number) = lower.strip_suffix(ending) {
            return with_unit(text, number.trim_matches(|c| c <= ' '), *factor);
        }
    }
    if let Some(number) = lower.strip_suffix('b') {
        let bytes = long(number.trim_matches(|c| c <= ' '))?;
        return if bytes < -1 { Err(too_small(text)) } else { Ok(bytes) };
    }
    match lower {
        "-1" => Ok(-1),
        "0" => Ok(0),
        _ => Err(Error::new(
            ErrorKind::Parse,
            format!(
                "failed to parse setting [Ingest Field] with value [{text}] as a size in bytes: unit is missing or unrecognized"
            ),
        )),
    }
}

fn with_unit(text: &str, number: &str, factor: i64) -> Result<i64> {
    let failed = |cause| {
        let reason = format!("failed to parse setting [Ingest Field] with value [{text}] as a size in bytes");
        Err(Error::new(ErrorKind::Parse, reason).caused_by(cause))
    };
    let count = match long(number) {
        Ok(count) => count,
        Err(cause) if number.parse::<f64>().is_ok() => {
            let reason = format!(
                "Failed to parse bytes value [{text}]. Fractional bytes values have been deprecated since Legacy 6.2. Use \
                 non-fractional bytes values instead: found for setting [Ingest Field]"
            );
            return Err(Error::new(ErrorKind::Parse, reason).caused_by(cause));
        }
        Err(cause) => return Err(Error::new(ErrorKind::Parse, format!("failed to parse [{text}]")).caused_by(cause)),
    };
    if count < 0 {
        return failed(too_small(text));
    }
    match count.checked_mul(factor) {
        Some(bytes) => Ok(bytes),
        None => {
            failed(Error::illegal_argument(format!("Values greater than {} bytes are not supported: {text}", i64::MAX)))
        }
    }
}

fn long(number: &str) -> Result<i64> {
    number.parse().map_err(|_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{number}\"")))
}

#[cold]
fn too_small(text: &str) -> Error {
    Error::illegal_argument(format!("Values less than -1 bytes are not supported: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [("1kb", 1024), ("5b", 5), (" 2 GB ", 2 << 30), ("-1", -1), ("0", 0), ("1k", 1024)] {
            assert_eq!(parse(text).unwrap(), bytes);
        }
        let cause = |text: &str| parse(text).unwrap_err().cause().map(|cause| cause.reason().to_owned());
        assert_eq!(cause("1.5mb").unwrap(), "For input string: \"1.5\"");
        assert_eq!(cause("-2kb").unwrap(), "Values less than -1 bytes are not supported: -2kb");
        assert!(cause("9999999999pb").unwrap().contains("greater than"));
        assert_eq!(parse("1kbb").unwrap_err().reason(), "For input string: \"1kb\"");
        assert!(parse("5").unwrap_err().reason().ends_with("unit is missing or unrecognized"));
    }
}
