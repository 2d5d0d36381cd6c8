//! Content types, and request bodies that are not JSON.

use super::binary;
use base64::prelude::{BASE64_STANDARD, Engine};
use bytes::Bytes;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Bodies larger than this are read off the core.
pub const PARSE_BYTES_MAX: usize = 32 << 10;

/// Answers that are put together of more than this are written off the core.
pub const WRITE_BYTES_MAX: usize = 512 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaType {
    Json,
    /// Lines of JSON. A reply is never in this form.
    NdJson,
    Yaml,
    Cbor,
    Smile,
}

impl MediaType {
    /// Reads a `Content-Type` or `Accept` header.
    pub fn parse(text: &str) -> Option<Self> {
        // What nearly all say.
        if text == "application/json" {
            return Some(Self::Json);
        }
        let name = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let vendor = "application/vnd.opensearch+";
        let name = name.strip_prefix(vendor).or(name.strip_prefix("application/")).unwrap_or(&name);
        match name {
            "json" | "*" => Some(Self::Json),
            "x-ndjson" => Some(Self::NdJson),
            "yaml" => Some(Self::Yaml),
            "cbor" => Some(Self::Cbor),
            "smile" => Some(Self::Smile),
            _ => None,
        }
    }

    /// Reads the `format` parameter, which knows short names only.
    pub fn of_format(name: &str) -> Option<Self> {
        let known = ["json", "yaml", "cbor", "smile"].iter().any(|known| known.eq_ignore_ascii_case(name));
        known.then(|| Self::parse(name)).flatten()
    }

    pub fn response_type(self) -> Cow<'static, str> {
        match self {
            Self::Yaml => "application/yaml".into(),
            Self::Cbor => "application/cbor".into(),
            Self::Smile => "application/smile".into(),
            _ => "application/json; charset=UTF-8".into(),
        }
    }

    /// The form of a reply, from the `format` parameter or else the `Accept` header; when neither is understood, the form
    /// that the request says to be in, be there a body or not.
    pub fn of_reply(format: Option<&str>, accept: Option<&str>, content_type: Option<&str>) -> Self {
        let asked = format.and_then(Self::of_format).or_else(|| accept.and_then(Self::parse));
        match asked.or_else(|| content_type.and_then(Self::parse)) {
            Some(media @ (Self::Yaml | Self::Cbor | Self::Smile)) => media,
            _ => Self::Json,
        }
    }
}

/// The body as JSON. JSON is passed on as it is; all else is read and written anew.
pub fn to_json(media: MediaType, body: Bytes) -> Result<Bytes> {
    match media {
        MediaType::Json | MediaType::NdJson => Ok(body),
        MediaType::Yaml => yaml_to_json(&body),
        MediaType::Cbor => binary::cbor_to_json(&body),
        MediaType::Smile => binary::smile_to_json(&body),
    }
}

fn yaml_to_json(body: &[u8]) -> Result<Bytes> {
    let text = std::str::from_utf8(body)
        .map_err(|e| Error::new(ErrorKind::Parsing, format!("the YAML body is not UTF-8: {e}")))?;
    let Foreign(value) = serde_saphyr::from_str(text)
        .map_err(|e| Error::new(ErrorKind::Parsing, format!("the YAML body could not be read: {e}")))?;
    Ok(Bytes::from(value.to_bytes()))
}

/// A [`Value`] that serde can make of another notation.
pub struct Foreign(pub Value);

impl<'de> Deserialize<'de> for Foreign {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ForeignVisitor)
    }
}

struct ForeignVisitor;

impl<'de> Visitor<'de> for ForeignVisitor {
    type Value = Foreign;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Foreign, E> {
        Ok(Foreign(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Foreign, E> {
        Ok(Foreign(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Foreign, D::Error> {
        Foreign::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Foreign, E> {
        Ok(Foreign(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Foreign, E> {
        Ok(Foreign(Value::Int(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Foreign, E> {
        Ok(Foreign(i64::try_from(value).map_or(Value::UInt(value), Value::Int)))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Foreign, E> {
        Ok(Foreign(i64::try_from(value).map_or_else(|_| Value::BigInt(value.to_string()), Value::Int)))
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Foreign, E> {
        match u64::try_from(value) {
            Ok(value) => self.visit_u64(value),
            Err(_) => Ok(Foreign(Value::BigInt(value.to_string()))),
        }
    }

    /// Bytes stand in JSON as the reference writes them: as text in base 64.
    fn visit_bytes<E>(self, value: &[u8]) -> Result<Foreign, E> {
        Ok(Foreign(Value::String(BASE64_STANDARD.encode(value))))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Foreign, E> {
        Ok(Foreign(Value::Float(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Foreign, E> {
        Ok(Foreign(Value::String(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Foreign, A::Error> {
        let mut out = vec![];
        while let Some(Foreign(item)) = items.next_element()? {
            out.push(item);
        }
        Ok(Foreign(Value::Array(out)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Foreign, A::Error> {
        let mut out = Map::new();
        while let Some((Foreign(key), Foreign(value))) = entries.next_entry()? {
            out.insert(key.to_text(), value);
        }
        Ok(Foreign(Value::Object(out)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types() {
        assert_eq!(MediaType::parse("application/json; charset=UTF-8"), Some(MediaType::Json));
        assert_eq!(MediaType::parse("application/vnd.opensearch+json; compatible-with=7"), Some(MediaType::Json));
        assert_eq!(MediaType::parse("Application/X-NDJSON"), Some(MediaType::NdJson));
        assert_eq!(MediaType::parse("text/plain"), None);
        assert_eq!(MediaType::of_reply(Some("nonsense"), None, None), MediaType::Json);
        assert_eq!(MediaType::of_reply(None, Some("application/yaml"), None), MediaType::Yaml);
        assert_eq!(MediaType::of_reply(Some("Cbor"), None, None), MediaType::Cbor);
        assert_eq!(MediaType::of_reply(Some("application/cbor"), Some("application/yaml"), None), MediaType::Yaml);
        assert_eq!(MediaType::of_reply(None, Some("x/y"), Some("application/yaml")), MediaType::Yaml);
    }

    #[test]
    fn yaml_becomes_json() {
        let yaml = Bytes::from_static(b"size: 0\nquery:\n  terms:\n    a: [1, 2.5, x, null, true]\n");
        let json = to_json(MediaType::Yaml, yaml).unwrap();
        assert_eq!(&json[..], br#"{"size":0,"query":{"terms":{"a":[1,2.5,"x",null,true]}}}"#);
        assert!(to_json(MediaType::Yaml, Bytes::from_static(b"{a: [")).is_err());
    }
}
