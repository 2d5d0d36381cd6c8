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

#[cold]
fn unreadable(notation: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::Parsing, format!("the {notation} body could not be read: {error}"))
}

/// An answer in CBOR. Objects and arrays have no length in front, as in the reference.
pub fn to_cbor(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    match json::parse(body) {
        Ok(value) if ciborium::into_writer(&Shown(&value), &mut out).is_ok() => out,
        _ => body.to_vec(),
    }
}

/// An answer in Smile.
pub fn to_smile(body: &[u8]) -> Vec<u8> {
    let written = json::parse(body).ok().and_then(|value| serde_smile::to_vec(&Shown(&value)).ok());
    let mut written = written.unwrap_or_else(|| body.to_vec());
    // The reference says in the head that there can be raw bytes, whether there are any or not.
    if let Some(flags) = written.get_mut(3).filter(|flags| **flags == 0x01) {
        *flags = 0x05;
    }
    written
}

/// A [`Value`] that serde can write.
struct Shown<'a>(&'a Value);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => serializer.serialize_i64(*value),
            Value::UInt(value) => serializer.serialize_u64(*value),
            Value::Float(value) => serializer.serialize_f64(*value),
            Value::BigInt(digits) => match digits.parse() {
                Ok(value) => serializer.serialize_i128(value),
                Err(_) => serializer.serialize_str(digits),
            },
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => {
                let mut out = serializer.serialize_seq(None)?;
                for item in items {
                    out.serialize_element(&Shown(item))?;
                }
                out.end()
            }
            Value::Object(map) => {
                let mut out = serializer.serialize_map(None)?;
                for (key, value) in map.iter() {
                    out.serialize_entry(key, &Shown(value))?;
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
        assert_eq!(&cbor_to_json(&to_cbor(JSON)).unwrap()[..], JSON);
        assert!(cbor_to_json(b"\xbf\x64size").is_err());
        assert!(cbor_to_json(&[0x81; 100_000]).is_err());
    }

    #[test]
    fn smile_goes_both_ways() {
        assert_eq!(&to_smile(br#"{"a":1}"#)[..4], b":)\n\x05");
        assert_eq!(&smile_to_json(&to_smile(JSON)).unwrap()[..], JSON);
        assert!(smile_to_json(b":)\n\x01\xfa").is_err());
        assert!(smile_to_json(&[b":)\n\x01".to_vec(), vec![0xf8; 100_000]].concat()).is_err());
    }
}
