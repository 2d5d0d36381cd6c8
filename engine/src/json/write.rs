//! Values to bytes. The writer places commas itself; the caller only nests calls rightly (checked in debug builds).

use super::Value;

/// Writes compact JSON into a buffer that it owns.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    /// Whether the next key or array item needs a comma before it.
    comma: bool,
    depth: usize,
}

impl Writer {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn with_capacity(bytes: usize) -> Self {
        Self { out: Vec::with_capacity(bytes), ..Self::default() }
    }

    /// The bytes written. All objects and arrays must have been ended.
    pub fn finish(self) -> Vec<u8> {
        debug_assert_eq!(self.depth, 0, "an object or array was not ended");
        self.out
    }

    pub fn len(&self) -> usize {
        self.out.len()
    }

    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    fn separate(&mut self) {
        if self.comma {
            self.out.push(b',');
        }
        self.comma = true;
    }

    pub fn begin_object(&mut self) -> &mut Self {
        self.begin(b'{')
    }

    pub fn end_object(&mut self) -> &mut Self {
        self.end(b'}')
    }

    /// Writes the fields of a complete object into the one that is open.
    pub fn fields_of(&mut self, object: &[u8]) -> &mut Self {
        let inner = object.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default();
        if inner.is_empty() { self } else { self.raw(inner) }
    }

    pub fn begin_array(&mut self) -> &mut Self {
        self.begin(b'[')
    }

    pub fn end_array(&mut self) -> &mut Self {
        self.end(b']')
    }

    fn begin(&mut self, bracket: u8) -> &mut Self {
        self.separate();
        self.out.push(bracket);
        self.comma = false;
        self.depth += 1;
        self
    }

    fn end(&mut self, bracket: u8) -> &mut Self {
        debug_assert!(self.depth > 0, "nothing to end");
        self.out.push(bracket);
        self.comma = true;
        self.depth -= 1;
        self
    }

    /// Writes a key; exactly one value must follow.
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.separate();
        write_string(&mut self.out, key);
        self.out.push(b':');
        self.comma = false;
        self
    }

    pub fn string(&mut self, text: &str) -> &mut Self {
        self.separate();
        write_string(&mut self.out, text);
        self
    }

    pub fn bool(&mut self, value: bool) -> &mut Self {
        self.raw(if value { b"true" } else { b"false" })
    }

    pub fn null(&mut self) -> &mut Self {
        self.raw(b"null")
    }

    pub fn i64(&mut self, value: i64) -> &mut Self {
        self.raw(itoa::Buffer::new().format(value).as_bytes())
    }

    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(itoa::Buffer::new().format(value).as_bytes())
    }

    /// A double in Java's notation; NaN and infinities become strings, as the reference writes them.
    pub fn f64(&mut self, value: f64) -> &mut Self {
        self.separate();
        write_f64(&mut self.out, value);
        self
    }

    /// A float in Java's notation.
    pub fn f32(&mut self, value: f32) -> &mut Self {
        self.separate();
        write_f32(&mut self.out, value);
        self
    }

    /// Bytes that are one complete JSON value already, such as a stored `_source`.
    pub fn raw(&mut self, json: &[u8]) -> &mut Self {
        self.separate();
        self.out.extend_from_slice(json);
        self
    }

    pub fn value(&mut self, value: &Value) -> &mut Self {
        match value {
            Value::Null => self.null(),
            Value::Bool(b) => self.bool(*b),
            Value::Int(i) => self.i64(*i),
            Value::UInt(u) => self.u64(*u),
            Value::Float(f) => self.f64(*f),
            Value::BigInt(digits) => self.raw(digits.as_bytes()),
            Value::String(s) => self.string(s),
            Value::Array(items) => {
                self.begin_array();
                for item in items {
                    self.value(item);
                }
                self.end_array()
            }
            Value::Object(map) => {
                self.begin_object();
                for (key, item) in map.iter() {
                    self.key(key).value(item);
                }
                self.end_object()
            }
        }
    }
}

fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut copied = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&bytes[copied..i]);
        copied = i + 1;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            _ => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
        }
    }
    out.extend_from_slice(&bytes[copied..]);
    out.push(b'"');
}

/// `Double.toString` of Java 19 and later: shortest digits, scientific below 1e-3 and from 1e7 on.
pub fn write_f64(out: &mut Vec<u8>, value: f64) {
    if !value.is_finite() {
        return write_non_finite(out, value.is_nan(), value > 0.0);
    }
    if value == 0.0 {
        return out.extend_from_slice(if value.is_sign_negative() { b"-0.0" } else { b"0.0" });
    }
    if (1e-3..1e7).contains(&value.abs()) {
        return out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
    }
    write_java(out, &format!("{value:e}"));
}

/// `Float.toString` of Java 19 and later.
pub fn write_f32(out: &mut Vec<u8>, value: f32) {
    if !value.is_finite() {
        return write_non_finite(out, value.is_nan(), value > 0.0);
    }
    if value == 0.0 {
        return out.extend_from_slice(if value.is_sign_negative() { b"-0.0" } else { b"0.0" });
    }
    if (1e-3..1e7).contains(&value.abs()) {
        return out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
    }
    write_java(out, &format!("{value:e}"));
}

fn write_non_finite(out: &mut Vec<u8>, nan: bool, positive: bool) {
    out.extend_from_slice(match (nan, positive) {
        (true, _) => b"\"NaN\"",
        (false, true) => b"\"Infinity\"",
        (false, false) => b"\"-Infinity\"",
    });
}

/// Lays out shortest digits that stand in Rust's `{:e}` notation (`-1.25e-7`) in Java's.
fn write_java(out: &mut Vec<u8>, scientific: &str) {
    let (mantissa, exponent) = scientific.split_once('e').expect("{:e} writes an exponent");
    let exponent: i32 = exponent.parse().expect("{:e} writes a decimal exponent");
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |m| ("-", m));
    let digits: Vec<u8> = mantissa.bytes().filter(|b| *b != b'.').collect();
    out.extend_from_slice(sign.as_bytes());
    match exponent {
        0..=6 => {
            let whole = exponent as usize + 1;
            for i in 0..whole {
                out.push(*digits.get(i).unwrap_or(&b'0'));
            }
            out.push(b'.');
            out.extend_from_slice(digits.get(whole..).filter(|d| !d.is_empty()).unwrap_or(b"0"));
        }
        -3..=-1 => {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + (-exponent - 1) as usize, b'0');
            out.extend_from_slice(&digits);
        }
        _ => {
            out.push(digits[0]);
            out.push(b'.');
            out.extend_from_slice(if digits.len() > 1 { &digits[1..] } else { b"0" });
            out.push(b'E');
            out.extend_from_slice(exponent.to_string().as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_java_writes_them() {
        let cases = [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (0.001, "0.001"),
            (0.00012, "1.2E-4"),
            (1e7, "1.0E7"),
            (9999999.5, "9999999.5"),
            (123456.789, "123456.789"),
            (-2.5e-10, "-2.5E-10"),
            (100.0, "100.0"),
            (1.25e20, "1.25E20"),
        ];
        for (value, text) in cases {
            let mut out = vec![];
            write_f64(&mut out, value);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
        let mut out = vec![];
        write_f32(&mut out, 0.287_682_1);
        assert_eq!(out, b"0.2876821");
    }

    /// Where neither notation is scientific, the digits are laid out by a crate that is faster.
    #[test]
    fn numbers_without_exponent_are_the_same_either_way() {
        let mut bits = 0x9e37_79b9_7f4a_7c15u64;
        let (mut fast, mut slow) = (vec![], vec![]);
        for _ in 0..200_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let double = f64::from_bits(bits >> 12 | 0x3ff0 << 48) * 10f64.powi((bits >> 60) as i32 % 10 - 3);
            for double in [double, -double, double.round(), f64::from(double as f32)] {
                fast.clear();
                slow.clear();
                write_f64(&mut fast, double);
                write_java(&mut slow, &format!("{double:e}"));
                assert_eq!(fast, slow, "{double}");
                fast.clear();
                slow.clear();
                write_f32(&mut fast, double as f32);
                write_java(&mut slow, &format!("{:e}", double as f32));
                assert_eq!(fast, slow, "{}", double as f32);
            }
        }
    }

    #[test]
    fn escapes_and_commas() {
        let mut w = Writer::new();
        w.begin_object().key("a\"\u{1}").begin_array().i64(1).string("é\n").end_array();
        w.key("b").begin_object().end_object().key("c").null().end_object();
        assert_eq!(String::from_utf8(w.finish()).unwrap(), r#"{"a\"\u0001":[1,"é\n"],"b":{},"c":null}"#);
    }
}
