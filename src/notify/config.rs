//! One configuration: what all types have in common, around the object that each type has of its own.

use super::data::{Data, Fields, text};
use super::kind::Kind;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, Result};

/// Largest configuration, in bytes of its JSON: all of them are written anew with every change of the cluster's state.
const CONFIG_BYTES_MAX: usize = 64 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    pub name: String,
    pub description: String,
    pub is_enabled: bool,
    /// The type's name as it was given: its own, or the synonym.
    pub type_name: &'static str,
    pub data: Data,
}

impl Config {
    /// Reads the object under `config`. Fields that mean nothing are passed over.
    pub fn parse(value: &Value) -> Result<Self> {
        let map = value.as_object().ok_or_else(|| Error::illegal_argument("config must be an object"))?;
        let fields = Fields(map);
        let name = fields.required("name")?;
        if name.is_empty() {
            return Err(Error::illegal_argument("name is null or empty"));
        }
        let (kind, type_name) = Kind::parse(&fields.required("config_type")?)?;
        let of_type =
            |entry: &&pith_engine::json::Entry| Kind::named(&entry.key).is_some_and(|(named, _)| named == kind);
        let Some(entry) = map.entries.iter().find(of_type) else {
            let reason = format!("ConfigType: {type_name} and data doesn't match");
            return Err(Error::illegal_argument(reason));
        };
        let data = entry
            .value
            .as_object()
            .ok_or_else(|| Error::illegal_argument(format!("{} must be an object", entry.key)))?;
        let config = Self {
            name,
            description: fields.text("description")?.unwrap_or_default(),
            is_enabled: map.get("is_enabled").map_or(Ok(true), flag)?,
            type_name,
            data: Data::parse(kind, Fields(data))?,
        };
        let bytes = config.to_value().to_bytes().len();
        if bytes > CONFIG_BYTES_MAX {
            let reason = format!("config has [{bytes}] bytes, more than the [{CONFIG_BYTES_MAX}] that are allowed");
            return Err(Error::illegal_argument(reason));
        }
        Ok(config)
    }

    pub fn kind(&self) -> Kind {
        self.data.kind()
    }

    /// As it is shown, and kept.
    pub fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("name", self.name.as_str());
        map.insert("description", self.description.as_str());
        map.insert("config_type", self.type_name);
        map.insert("is_enabled", self.is_enabled);
        map.insert(self.type_name, self.data.to_value());
        Value::Object(map)
    }
}

fn flag(value: &Value) -> Result<bool> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        other => match text("is_enabled", other)?.as_deref() {
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            _ => Err(Error::illegal_argument(format!(
                "Failed to parse value [{}] as only [true] or [false] are allowed.",
                other.to_text()
            ))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::json::parse;

    fn shown(text: &str) -> String {
        match parse(text.as_bytes()).and_then(|value| Config::parse(&value)) {
            Ok(config) => String::from_utf8(config.to_value().to_bytes()).unwrap(),
            Err(error) => format!("{} {}", error.status(), error.reason()),
        }
    }

    #[test]
    fn names_of_types_stay_as_they_were_given() {
        let slack = r#"{"name":"n","config_type":"slack","slack":{"url":"https://sample-slack-webhook"},"tags":[1]}"#;
        assert_eq!(
            shown(slack),
            r#"{"name":"n","description":"","config_type":"slack","is_enabled":true,"slack":{"url":"https://sample-slack-webhook"}}"#
        );
        let mixed = r#"{"name":"n","config_type":"chat_a","is_enabled":"false","slack":{"url":"http://a"}}"#;
        assert_eq!(
            shown(mixed),
            r#"{"name":"n","description":"","config_type":"chat_a","is_enabled":false,"chat_a":{"url":"http://a"}}"#
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            (r#"{"config_type":"slack","slack":{"url":"http://a"}}"#, "name field absent"),
            (r#"{"name":"","config_type":"slack","slack":{"url":"http://a"}}"#, "name is null or empty"),
            (r#"{"name":"n","slack":{"url":"http://a"}}"#, "config_type field absent"),
            (r#"{"name":"n","config_type":"slack"}"#, "ConfigType: slack and data doesn't match"),
            (
                r#"{"name":"n","config_type":"slack","chime":{"url":"http://a"}}"#,
                "ConfigType: slack and data doesn't match",
            ),
            (r#"{"name":"n","config_type":"slack","slack":"http://a"}"#, "slack must be an object"),
            (r#"{"name":["n"],"config_type":"slack","slack":{"url":"http://a"}}"#, "name must be a text"),
            (r#"[]"#, "config must be an object"),
        ];
        for (text, reason) in cases {
            assert_eq!(shown(text), format!("400 {reason}"));
        }
        let long = format!(r#"{{"name":"{}","config_type":"slack","slack":{{"url":"http://a"}}}}"#, "n".repeat(70_000));
        assert!(shown(&long).starts_with("400 config has ["), "{}", &shown(&long)[..80]);
    }
}
