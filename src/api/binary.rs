//! CBOR and Smile: the binary notations of JSON that clients may send and ask for.

use super::body::Foreign;
use bytes::Bytes;
use pith_engine::json::{self, Value};
use pith_engine::{Error, ErrorKind, Result};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// Readers give up beyond a depth of 128 (Smile) and 256 (CBOR), so that nesting cannot exhaust the stack.
pub fn cbor_to_json(body: &[u8]) -> Result<Bytes> {
    let mut rest = body;
    let Foreign(value) = ciborium::from_reader(&mut rest).map_err(|error| unreadable("CBOR", &error))?;
    Ok(Bytes::from(value.to_bytes()))
}

pub fn smile_to_json(body: &[u8]) -> Result<Bytes> {
    // The end of the stream may be marked.
    let body = body.strip_suffix(&[0xff]).unwrap_or(body);
    let Foreign(value) = serde_smile::from_slice(body).map_err(|error| unreadable("Smile", &error))?;
    Ok(Bytes::from(value.to_bytes()))
}

/// The head of a value in Smile, without which it is read as if it had one that asks for nothing.
const SMILE_HEAD: &[u8] = b":)\n\x01";

/// Values in Smile, each ended by a byte that is in none of them, as lines of JSON.
pub fn smile_stream_to_json(body: &[u8]) -> Result<Bytes> {
    let mut lines = Vec::with_capacity(body.len() * 2);
    for value in body.split_inclusive(|byte| *byte == 0xff) {
        let (value, ended) = value.strip_suffix(&[0xff]).map_or((value, false), |value| (value, true));
        if !value.is_empty() {
            let with_head = value.starts_with(&SMILE_HEAD[..3]);
            let line = if with_head { smile_to_json(value) } else { smile_to_json(&[SMILE_HEAD, value].concat()) };
            lines.extend_from_slice(&line?);
        }
        if ended {
            lines.push(b'\n');
        }
    }
    Ok(Bytes::from(lines))
}

#[cold]
fn unreadable(notation: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::Parsing, format!("the {notation} body could not be read: {error}"))
}

/// An answer in CBOR. Objects and arrays have no length in front, as in the reference.
pub fn to_cbor(body: &[u8]) -> Vec<u8> {
    let Ok(value) = json::parse(body) else { return body.to_vec() };
    let mut out = Vec::with_capacity(body.len());
    write_cbor(&value, false, &mut out);
    out
}

/// Fractions are as long as the reference's: those of scores are `single`.
fn write_cbor(value: &Value, single: bool, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(0xf6),
        Value::Bool(value) => out.push(if *value { 0xf5 } else { 0xf4 }),
        Value::Int(value) if *value < 0 => cbor_head(1, !*value as u64, out),
        Value::Int(value) => cbor_head(0, *value as u64, out),
        Value::UInt(value) => cbor_head(0, *value, out),
        Value::Float(value) if single => {
            out.push(0xfa);
            out.extend_from_slice(&(*value as f32).to_be_bytes());
        }
        Value::Float(value) => {
            out.push(0xfb);
            out.extend_from_slice(&value.to_be_bytes());
        }
        Value::BigInt(digits) => match digits.parse::<i128>() {
            Ok(value) => {
                // A tag says which sign it has.
                out.push(if value < 0 { 0xc3 } else { 0xc2 });
                let bytes = (if value < 0 { !value } else { value }).to_be_bytes();
                let bytes = &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..];
                cbor_head(2, bytes.len() as u64, out);
                out.extend_from_slice(bytes);
            }
            Err(_) => cbor_text(digits, out),
        },
        Value::String(text) => cbor_text(text, out),
        Value::Array(items) => {
            out.push(0x9f);
            items.iter().for_each(|item| write_cbor(item, false, out));
            out.push(0xff);
        }
        Value::Object(map) => {
            out.push(0xbf);
            for (key, value) in map.iter() {
                cbor_text(key, out);
                write_cbor(value, is_score(key), out);
            }
            out.push(0xff);
        }
    }
}

fn cbor_text(text: &str, out: &mut Vec<u8>) {
    cbor_head(3, text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

/// A kind of item and its number, in as few bytes as it takes.
fn cbor_head(major: u8, number: u64, out: &mut Vec<u8>) {
    let major = major << 5;
    match number {
        ..24 => out.push(major | number as u8),
        24..0x100 => out.extend_from_slice(&[major | 24, number as u8]),
        0x100..0x1_0000 => {
            out.push(major | 25);
            out.extend_from_slice(&(number as u16).to_be_bytes());
        }
        0x1_0000..0x1_0000_0000 => {
            out.push(major | 26);
            out.extend_from_slice(&(number as u32).to_be_bytes());
        }
        _ => {
            out.push(major | 27);
            out.extend_from_slice(&number.to_be_bytes());
        }
    }
}

/// Scores are numbers of single precision.
fn is_score(key: &str) -> bool {
    matches!(key, "_score" | "max_score" | "score")
}

/// An answer in Smile.
pub fn to_smile(body: &[u8]) -> Vec<u8> {
    let written = json::parse(body).ok().and_then(|value| serde_smile::to_vec(&Shown(&value, false)).ok());
    let mut written = written.unwrap_or_else(|| body.to_vec());
    // The reference says in the head that there can be raw bytes, whether there are any or not.
    if let Some(flags) = written.get_mut(3).filter(|flags| **flags == 0x01) {
        *flags = 0x05;
    }
    written
}

/// A [`Value`] that serde can write, and whether it is a score.
struct Shown<'a>(&'a Value, bool);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => serializer.serialize_i64(*value),
            Value::UInt(value) => serializer.serialize_u64(*value),
            Value::Float(value) if self.1 => serializer.serialize_f32(*value as f32),
            Value::Float(value) => serializer.serialize_f64(*value),
            Value::BigInt(digits) => match digits.parse() {
                Ok(value) => serializer.serialize_i128(value),
                Err(_) => serializer.serialize_str(digits),
            },
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => {
                let mut out = serializer.serialize_seq(None)?;
                for item in items {
                    out.serialize_element(&Shown(item, false))?;
                }
                out.end()
            }
            Value::Object(map) => {
                let mut out = serializer.serialize_map(None)?;
                for (key, value) in map.iter() {
                    out.serialize_entry(key, &Shown(value, is_score(key)))?;
                }
                out.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &[u8] = br#"{"a":[1,-2,null,true,"x"],"b":{"c":0.5}}"#;

    #[test]
    fn cbor_goes_both_ways() {
        let cbor = to_cbor(br#"[{"size":0}]"#);
        assert_eq!(cbor, b"\x9f\xbf\x64size\x00\xff\xff");
        assert_eq!(&cbor_to_json(b"\xa1\x64size\x00").unwrap()[..], br#"{"size":0}"#);
        let numbers = to_cbor(br#"[-300,70000,5000000000,1.5,{"_score":1.5},123456789012345678901]"#);
        let parts: [&[u8]; 6] = [
            b"\x9f\x39\x01\x2b\x1a\x00\x01\x11\x70\x1b\x00\x00\x00\x01\x2a\x05\xf2\x00",
            b"\xfb\x3f\xf8\x00\x00\x00\x00\x00\x00",
            b"\xbf\x66_score\xfa\x3f\xc0\x00\x00\xff",
            b"\xc2\x49\x06\xb1\x4e\x9f\x81\x2f\x36\x6c\x35",
            b"\xff",
            b"",
        ];
        assert_eq!(numbers, parts.concat());
        assert_eq!(&cbor_to_json(&to_cbor(JSON)).unwrap()[..], JSON);
        assert!(cbor_to_json(b"\xbf\x64size").is_err());
        assert!(cbor_to_json(&[0x81; 100_000]).is_err());
    }

    #[test]
    fn smile_goes_both_ways() {
        assert_eq!(&to_smile(br#"{"a":1}"#)[..4], b":)\n\x05");
        assert_eq!(&smile_to_json(&to_smile(JSON)).unwrap()[..], JSON);
        assert!(smile_to_json(b":)\n\x01\xfa").is_err());
        let stream = [&to_smile(br#"{"index":{}}"#)[..], b"\xff", &to_smile(JSON)[4..], b"\xff"].concat();
        let lines = smile_stream_to_json(&stream).unwrap();
        assert_eq!(lines, [&br#"{"index":{}}"#[..], b"\n", JSON, b"\n"].concat());
        assert!(smile_to_json(&[b":)\n\x01".to_vec(), vec![0xf8; 100_000]].concat()).is_err());
    }
}
