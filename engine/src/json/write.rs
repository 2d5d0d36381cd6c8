//! Values to bytes. The writer places commas itself; the caller only nests calls rightly (checked in debug builds).

use super::Value;
use super::scanner::plain_length;

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

pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, after) = rest.split_at(plain_length(rest));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = after.split_first() else { break };
        rest = after;
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
    out.push(b'"');
}

/// `Double.toString` of Java 19 and later: shortest digits, of two that are as near the even one; scientific below 1e-3 and from
/// 1e7 on.
pub fn write_f64(out: &mut Vec<u8>, value: f64) {
    if !value.is_finite() {
        return write_non_finite(out, value.is_nan(), value > 0.0);
    }
    let mut buffer = ryu::Buffer::new();
    let shortest = buffer.format_finite(value);
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        return out.extend_from_slice(shortest.as_bytes());
    }
    // Of one digit and two the nearer is written.
    let two = format!("{value:.1e}");
    let is_same = two.parse() == Ok(value);
    write_scientific(out, if is_same { &two } else { shortest });
}

/// `Float.toString` of Java 19 and later.
pub fn write_f32(out: &mut Vec<u8>, value: f32) {
    if !value.is_finite() {
        return write_non_finite(out, value.is_nan(), value > 0.0);
    }
    let mut buffer = ryu::Buffer::new();
    let shortest = buffer.format_finite(value);
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        return out.extend_from_slice(shortest.as_bytes());
    }
    let two = format!("{value:.1e}");
    let is_same = two.parse() == Ok(value);
    write_scientific(out, if is_same { &two } else { shortest });
}

fn write_non_finite(out: &mut Vec<u8>, nan: bool, positive: bool) {
    out.extend_from_slice(match (nan, positive) {
        (true, _) => b"\"NaN\"",
        (false, true) => b"\"Infinity\"",
        (false, false) => b"\"-Infinity\"",
    });
}

/// Lays out the digits of a number (`-1.25e-7`, `0.0004`, `12345678.0`) as Java does: `-1.25E-7`.
fn write_scientific(out: &mut Vec<u8>, number: &str) {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (mantissa, exponent) = number.split_once('e').unwrap_or((number, "0"));
    let exponent: i32 = exponent.parse().expect("an exponent is decimal");
    let whole = mantissa.find('.').unwrap_or(mantissa.len());
    let digits: Vec<u8> = mantissa.bytes().filter(|byte| *byte != b'.').collect();
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let end = digits.iter().rposition(|digit| *digit != b'0').map_or(zeros, |at| at + 1);
    let digits = &digits[zeros..end];
    out.extend_from_slice(sign.as_bytes());
    out.extend_from_slice(digits.get(..1).unwrap_or(b"0"));
    out.push(b'.');
    out.extend_from_slice(digits.get(1..).filter(|rest| !rest.is_empty()).unwrap_or(b"0"));
    out.push(b'E');
    let exponent = exponent + whole as i32 - 1 - zeros as i32;
    out.extend_from_slice(itoa::Buffer::new().format(exponent).as_bytes());
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
            (-0.0, "-0.0"),
            (0.0, "0.0"),
            (12345678.0, "1.2345678E7"),
            (0.00098765, "9.8765E-4"),
            // As near to ...062 as to ...063.
            (194.840_484_619_140_62, "194.84048461914062"),
            (f64::MIN_POSITIVE * f64::EPSILON, "4.9E-324"),
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

    #[test]
    fn numbers_are_shortest_and_come_back() {
        let mut bits = 0x9e37_79b9_7f4a_7c15u64;
        let mut out = vec![];
        let digits = |text: &str| text.split(['e', 'E']).next().map(|m| m.trim_matches(['-', '0', '.']).len());
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let double = f64::from_bits(bits >> 12 | 0x3ff0 << 48) * 10f64.powi((bits >> 58) as i32 - 30);
            out.clear();
            write_f64(&mut out, double);
            let text = std::str::from_utf8(&out).unwrap();
            assert_eq!(text.parse(), Ok(double));
            assert!(digits(text) <= digits(&format!("{double:e}")) || digits(text) == Some(2), "{text}");
            out.clear();
            write_f32(&mut out, double as f32);
            assert_eq!(std::str::from_utf8(&out).unwrap().parse(), Ok(double as f32));
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
