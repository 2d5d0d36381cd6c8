//! `convert`: values of one type to another.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_hashed_text;
use crate::json::Value;
use crate::mapping::parse_java_f64;
use std::net::IpAddr;

/// What values can become.
#[derive(Clone, Copy)]
enum Type {
    Integer,
    Long,
    Float,
    Double,
    Boolean,
    Ip,
    String,
    Auto,
}

const TYPES: &[(&str, Type)] = &[
    ("integer", Type::Integer),
    ("long", Type::Long),
    ("float", Type::Float),
    ("double", Type::Double),
    ("boolean", Type::Boolean),
    ("ip", Type::Ip),
    ("string", Type::String),
    ("auto", Type::Auto),
];

struct Convert {
    field: String,
    target: String,
    to: Type,
    name: String,
    ignore_missing: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("field")?;
    let name = config.text("type")?.to_lowercase();
    let target = config.text_or("target_field", &field)?;
    let Some((_, to)) = TYPES.iter().find(|(known, _)| *known == name) else {
        return Err(config.property("type", &format!("type [{name}] not supported, cannot convert field.")));
    };
    let ignore_missing = config.flag("ignore_missing", false)?;
    Ok(Work::Simple(Box::new(Convert { field, target, to: *to, name, ignore_missing })))
}

impl Processor for Convert {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let converted = match doc.get_or_none(&self.field, self.ignore_missing)? {
            None => return Ok(()),
            Some(Value::Null) => {
                let (field, name) = (&self.field, &self.name);
                let reason = format!("Field [{field}] is null, cannot be converted to type [{name}]");
                return Err(Error::illegal_argument(reason));
            }
            Some(Value::Array(items)) => {
                Value::Array(items.iter().map(|item| self.to.convert(item)).collect::<Result<_>>()?)
            }
            Some(value) => self.to.convert(value)?,
        };
        doc.set(&self.target, converted)
    }
}

impl Type {
    fn convert(self, value: &Value) -> Result<Value> {
        if value.is_null() {
            return Err(Error::new(
                ErrorKind::NullPointer,
                "Cannot invoke \"Object.toString()\" because \"value\" is null",
            ));
        }
        let text = java_hashed_text(value);
        let failed = |name: &str, cause| {
            Error::illegal_argument(format!("unable to convert [{text}] to {name}")).caused_by(cause)
        };
        match self {
            Self::Integer => {
                let whole = whole(&text).and_then(|number| i32::try_from(number).map_err(|_| no_number(&text)));
                whole.map(Value::from).map_err(|cause| failed("integer", cause))
            }
            Self::Long => whole(&text).map(Value::from).map_err(|cause| failed("long", cause)),
            Self::Float => {
                parse_java_f64(&text).map(|number| float(number as f32)).map_err(|cause| failed("float", cause))
            }
            Self::Double => parse_java_f64(&text).map(Value::Float).map_err(|cause| failed("double", cause)),
            Self::Boolean if text.eq_ignore_ascii_case("true") => Ok(Value::Bool(true)),
            Self::Boolean if text.eq_ignore_ascii_case("false") => Ok(Value::Bool(false)),
            Self::Boolean => {
                Err(Error::illegal_argument(format!("[{text}] is not a boolean value, cannot convert to boolean")))
            }
            Self::Ip if text.parse::<IpAddr>().is_ok() => Ok(Value::String(text)),
            Self::Ip => Err(Error::illegal_argument(format!("[{text}] is not a valid ipv4/ipv6 address"))),
            Self::String => Ok(Value::String(text)),
            Self::Auto => Ok(auto(value)),
        }
    }
}

/// The first type that a text can become; what is no text stays as it is.
fn auto(value: &Value) -> Value {
    if !matches!(value, Value::String(_)) {
        return value.clone();
    }
    [Type::Boolean, Type::Integer, Type::Long, Type::Float]
        .into_iter()
        .find_map(|to| to.convert(value).ok())
        .unwrap_or_else(|| value.clone())
}

/// An integer, in hexadecimal after `0x`.
fn whole(text: &str) -> Result<i64> {
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    match magnitude.strip_prefix("0x") {
        Some(digits) => {
            let digits = format!("{sign}{digits}");
            i64::from_str_radix(&digits, 16).map_err(|_| {
                Error::new(ErrorKind::NumberFormat, format!("For input string: \"{digits}\" under radix 16"))
            })
        }
        None => text.parse().map_err(|_| no_number(text)),
    }
}

#[cold]
fn no_number(text: &str) -> Error {
    Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""))
}

/// A number of single precision as JSON shows it: with the digits that tell it from its neighbours.
pub(in super::super) fn float(number: f32) -> Value {
    Value::Float(number.to_string().parse().unwrap_or(f64::from(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(to: Type, text: &str) -> String {
        match to.convert(&Value::from(text)) {
            Ok(value) => value.to_text(),
            Err(error) => error.cause().unwrap_or(&error).reason().to_owned(),
        }
    }

    #[test]
    fn converts() {
        for (to, text, expected) in [
            (Type::Integer, "-0x1f", "-31"),
            (Type::Integer, " 12", "For input string: \" 12\""),
            (Type::Integer, "99999999999999", "For input string: \"99999999999999\""),
            (Type::Long, "0x", "For input string: \"\" under radix 16"),
            (Type::Float, "9223372036854775808", "9.223372E18"),
            (Type::Float, "1f", "1.0"),
            (Type::Double, "127.0.0.1", "multiple points"),
            (Type::Boolean, "TRUE", "true"),
            (Type::Boolean, "12", "[12] is not a boolean value, cannot convert to boolean"),
            (Type::Ip, "::1", "::1"),
            (Type::Auto, "123456789.123", "1.2345679E8"),
            (Type::Auto, "abc", "abc"),
        ] {
            assert_eq!(shown(to, text), expected, "{text}");
        }
    }
}
