//! Values as Java names and prints them: errors and texts made of values speak of them so.

use super::{Map, Value};

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

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn prints_as_java_does() {
        let value = parse(br#"{"b":[1,2.0,null,"x"],"c":{"d":1e20,"e":true}}"#).unwrap();
        assert_eq!(java_text(&value), "{b=[1, 2.0, null, x], c={d=1.0E20, e=true}}");
        assert_eq!(java_text(&Value::Float(f64::NAN)), "NaN");
        assert_eq!(java_class(&Value::Int(1 << 40)), "java.lang.Long");
    }
}
