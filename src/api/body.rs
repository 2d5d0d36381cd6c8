//! Content types, and request bodies that are not JSON.

use bytes::Bytes;
use pith_engine::json::{Map, Value, Writer};
use pith_engine::{Error, ErrorKind, Result};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

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
    /// Reads a `Content-Type` or `Accept` header, or a short name (`format=yaml`).
    pub fn parse(text: &str) -> Option<Self> {
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

    pub fn response_type(self) -> Cow<'static, str> {
        match self {
            Self::Yaml => "application/yaml".into(),
            _ => "application/json; charset=UTF-8".into(),
        }
    }

    /// The form of a reply, from the `format` parameter or else the `Accept` header; when neither is understood, the form
    /// of the request's body.
    pub fn of_reply(format: Option<&str>, accept: Option<&str>, content_type: Option<&str>) -> Result<Self> {
        match format.or(accept).and_then(Self::parse).or_else(|| content_type.and_then(Self::parse)) {
            Some(media @ (Self::Cbor | Self::Smile)) => Err(Error::illegal_argument(format!(
                "responses in the format [{}] are not supported, use [json] or [yaml]",
                media.name()
            ))
            .with_status(406)),
            Some(Self::Yaml) => Ok(Self::Yaml),
            _ => Ok(Self::Json),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::NdJson => "x-ndjson",
            Self::Yaml => "yaml",
            Self::Cbor => "cbor",
            Self::Smile => "smile",
        }
    }
}

/// The body as JSON. JSON is passed on as it is; YAML is read and written anew.
pub fn to_json(media: MediaType, body: Bytes) -> Result<Bytes> {
    match media {
        MediaType::Json | MediaType::NdJson => Ok(body),
        MediaType::Yaml => yaml_to_json(&body),
        MediaType::Cbor | MediaType::Smile => Err(Error::illegal_argument(format!(
            "request bodies of the type [application/{}] are not supported, use [application/json] or [application/yaml]",
            media.name()
        ))
        .with_status(406)),
    }
}

fn yaml_to_json(body: &[u8]) -> Result<Bytes> {
    let text = std::str::from_utf8(body)
        .map_err(|e| Error::new(ErrorKind::Parsing, format!("the YAML body is not UTF-8: {e}")))?;
    let Yaml(value) = serde_saphyr::from_str(text)
        .map_err(|e| Error::new(ErrorKind::Parsing, format!("the YAML body could not be read: {e}")))?;
    let mut w = Writer::with_capacity(body.len());
    w.value(&value);
    Ok(Bytes::from(w.finish()))
}

/// A [`Value`] that serde can make.
struct Yaml(Value);

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = Yaml;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Yaml, E> {
        Ok(Yaml(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Yaml, E> {
        Ok(Yaml(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Yaml, D::Error> {
        Yaml::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Yaml, E> {
        Ok(Yaml(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Yaml, E> {
        Ok(Yaml(Value::Int(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Yaml, E> {
        Ok(Yaml(i64::try_from(value).map_or(Value::UInt(value), Value::Int)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Yaml, E> {
        Ok(Yaml(Value::Float(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Yaml, E> {
        Ok(Yaml(Value::String(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
        let mut out = vec![];
        while let Some(Yaml(item)) = items.next_element()? {
            out.push(item);
        }
        Ok(Yaml(Value::Array(out)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Yaml, A::Error> {
        let mut out = Map::new();
        while let Some((Yaml(key), Yaml(value))) = entries.next_entry()? {
            out.insert(key.to_text(), value);
        }
        Ok(Yaml(Value::Object(out)))
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
        assert_eq!(MediaType::of_reply(Some("nonsense"), None, None).unwrap(), MediaType::Json);
        assert_eq!(MediaType::of_reply(None, Some("application/yaml"), None).unwrap(), MediaType::Yaml);
        assert!(MediaType::of_reply(Some("cbor"), None, None).is_err());
    }

    #[test]
    fn yaml_becomes_json() {
        let yaml = Bytes::from_static(b"size: 0\nquery:\n  terms:\n    a: [1, 2.5, x, null, true]\n");
        let json = to_json(MediaType::Yaml, yaml).unwrap();
        assert_eq!(&json[..], br#"{"size":0,"query":{"terms":{"a":[1,2.5,"x",null,true]}}}"#);
        assert!(to_json(MediaType::Yaml, Bytes::from_static(b"{a: [")).is_err());
    }
}
