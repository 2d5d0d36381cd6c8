//! Sorts by a field that is not mapped: it is taken for one of a type that the request names.

use super::sort_keys::{Shown, Source, extreme};
use super::sort_parse::{FieldSort, Missing, NumericType};
use super::sort_source::field_source;
use super::sort_values::encode_shown;
use crate::analysis::Registry;
use crate::error::{Error, Result};
use crate::json::{Map, Value};
use crate::mapping::{Mapping, MappingSettings};
use crate::query::ShardContext;

/// A mapping of one field of a type.
pub(super) fn anonymous(kind: &str, name: &str) -> Result<Mapping> {
    let definition = Value::Object(Map::from_iter([("type", Value::from(kind))]));
    let properties = Value::Object(Map::from_iter([(name, definition)]));
    let source = Value::Object(Map::from_iter([("properties", properties)]));
    Mapping::parse(&source, &Registry::built_in(), &MappingSettings::default()).map_err(|error| {
        // The field alone is told of, not the mapping that it was put into.
        let told = error.cause().unwrap_or(&error);
        match told.reason().strip_prefix("Failed to parse mapping [_doc]: ") {
            Some(reason) => Error::illegal_argument(reason),
            None if told.reason().starts_with("No handler for type") => {
                Error::illegal_argument(format!("No mapper found for type [{kind}]"))
            }
            None => told.clone(),
        }
    })
}

/// An address as a key of an `ip` field.
pub(super) fn address(value: &Value) -> Result<Vec<u8>> {
    let mapping = anonymous("ip", "ip")?;
    let field = mapping.field("ip").ok_or_else(|| Error::illegal_argument("No mapper found for type [ip]"))?;
    field.parse_missing_bytes(value)
}

/// What a field that is not mapped sorts by: it is taken for one of a type that no document has a value of.
pub(super) fn unmapped(kind: &str, by: &FieldSort, descending: bool, cx: &ShardContext) -> Result<Source> {
    let own = match kind {
        "long" | "date" | "date_nanos" | "integer" | "short" | "byte" | "boolean" | "unsigned_long" | "double"
        | "float" | "half_float" => own_shown(kind),
        _ => {
            let name = format!("__anonymous_{kind}");
            let mapping = anonymous(kind, &name)?;
            let field = mapping.field(&name);
            let field = field.ok_or_else(|| Error::illegal_argument(format!("No mapper found for type [{kind}]")))?;
            return field_source(field, by, descending, cx);
        }
    };
    let shown = match by.numeric_type {
        Some(wanted) => wanted_shown(wanted, kind)?,
        None => own,
    };
    let missing = match &by.missing {
        Missing::Value(value) => encode_shown(value, shown)?,
        first => extreme(shown, descending == (*first == Missing::First)),
    };
    Ok(Source::Unmapped { missing, shown, kind: kind.to_owned() })
}

/// As what numbers of a type are shown that a sort takes for those of another one.
pub(super) fn wanted_shown(wanted: NumericType, type_name: &str) -> Result<Shown> {
    match wanted {
        NumericType::DateNanos if !type_name.starts_with("date") => {
            let reason = "trying to convert a known date time formatter to a nanosecond one, wrong field used?";
            Err(Error::illegal_argument(reason))
        }
        NumericType::Double => Ok(Shown::Double),
        _ => Ok(Shown::Long),
    }
}

/// As what the numbers of a type are shown.
pub(super) fn own_shown(type_name: &str) -> Shown {
    match type_name {
        "integer" | "short" | "byte" | "boolean" | "token_count" => Shown::Int,
        "unsigned_long" => Shown::ULong,
        "double" | "scaled_float" => Shown::Double,
        "float" | "half_float" => Shown::Float,
        _ => Shown::Long,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::{search, shard};

    /// What a document without the field is sorted by.
    fn sorted(options: &str) -> String {
        let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[&[r#"{"k":"x"}"#]]);
        let response = search(&cx, &format!(r#"{{"_source":false,"sort":[{{"none":{{{options}}}}}]}}"#));
        match response.split_once(r#""sort":["#) {
            Some((_, rest)) => rest.split(']').next().unwrap_or_default().to_owned(),
            None => response,
        }
    }

    #[test]
    fn types_are_taken_for_others() {
        for (options, found) in [
            (r#""unmapped_type":"integer""#, "2147483647"),
            (r#""unmapped_type":"integer","numeric_type":"double""#, r#""Infinity""#),
            (r#""unmapped_type":"boolean","numeric_type":"long""#, "9223372036854775807"),
            (r#""unmapped_type":"date","numeric_type":"date_nanos""#, "9223372036854775807"),
            (r#""unmapped_type":"keyword""#, "null"),
        ] {
            assert_eq!(sorted(options), found, "{options}");
        }
    }

    #[test]
    fn what_cannot_be_sorted_is_refused() {
        for (kind, reason) in
            [("scaled_float", "Field [scaling_factor] is required"), ("nope", "No mapper found for type [nope]")]
        {
            assert_eq!(
                anonymous(kind, "__anonymous").err().map(|error| error.reason().to_owned()).as_deref(),
                Some(reason)
            );
        }
        let nanos = "trying to convert a known date time formatter to a nanosecond one, wrong field used?";
        assert_eq!(wanted_shown(NumericType::DateNanos, "long").unwrap_err().reason(), nanos);
    }
}
