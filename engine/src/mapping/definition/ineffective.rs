//! Parameters that every type has taken at some time. They are let pass where they have no effect, and those who write them are told.

use super::place::is_place;
use crate::deprecated::note;
use crate::json::{Map, Value};
use crate::mapping::types::{self, TypeRow};

/// What types that have no such parameter take all the same, whatever it says.
const SHARED: &[&str] = &["store", "meta", "index", "doc_values", "boost", "index_options", "similarity"];

/// Whether a parameter that the type's table does not have is let pass.
pub(super) fn has_no_effect(row: &TypeRow, key: &str) -> bool {
    row.plain && SHARED.contains(&key)
}

/// Notes what a mapping says that has no effect, or will have none.
pub fn note_ineffective(mapping: &Value) {
    let Some(root) = mapping.as_object() else { return };
    if root.get("_field_names").is_some_and(|names| names.as_object().is_some_and(|names| names.contains("enabled"))) {
        note(
            "Disabling _field_names is not necessary because it no longer carries a large index overhead. Support for the \
             `enabled` setting will be removed in a future major version. Please remove it from your mappings and templates.",
        );
    }
    let templates = root.get("dynamic_templates").and_then(Value::as_array).into_iter().flatten();
    for (name, template) in templates.filter_map(Value::as_object).flat_map(Map::iter) {
        if let Some(field) =
            template.as_object().and_then(|template| template.get("mapping")).and_then(Value::as_object)
        {
            note_field(&format!("__dynamic__{name}"), field);
        }
    }
    note_fields(root);
}

/// Depth is bounded by that of JSON.
fn note_fields(object: &Map) {
    for key in ["properties", "fields"] {
        for (name, field) in object.get(key).and_then(Value::as_object).into_iter().flat_map(Map::iter) {
            if let Some(field) = field.as_object() {
                note_field(name, field);
                note_fields(field);
            }
        }
    }
}

fn note_field(name: &str, field: &Map) {
    let type_name = field.get("type").and_then(Value::as_str).unwrap_or_default();
    let Some(row) = types::row(type_name) else { return };
    for (key, _) in field.iter() {
        let own = row.params.iter().any(|param| param.name == key);
        match key {
            "boost" if own || is_place(row) => {
                note(format!("Parameter [boost] on field [{name}] is deprecated and will be removed in 3.0"));
            }
            "similarity" if is_place(row) => {
                note(format!("The [similarity] parameter has no effect on field [{name}] and will be removed in 8.0"));
            }
            _ if row.plain && !own && !is_place(row) && SHARED.contains(&key) => {
                note(format!("Parameter [{key}] has no effect on type [{type_name}] and will be removed in future"));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deprecated::collect;
    use crate::json::parse;

    #[test]
    fn what_has_no_effect_is_told() {
        let told = |mapping: &str| {
            let mut notes = vec![];
            collect(&mut notes, || note_ineffective(&parse(mapping.as_bytes()).unwrap()));
            notes
        };
        assert_eq!(
            told(
                r#"{"properties":{"o":{"properties":{"a":{"type":"keyword","boost":2,"fields":{"n":{"type":"long","boost":1}}}}}}}"#
            ),
            [
                "Parameter [boost] on field [a] is deprecated and will be removed in 3.0",
                "Parameter [boost] has no effect on type [long] and will be removed in future"
            ]
        );
        assert_eq!(
            told(r#"{"properties":{"g":{"type":"geo_point","similarity":"x","index_options":"docs"}}}"#),
            ["The [similarity] parameter has no effect on field [g] and will be removed in 8.0"]
        );
        assert_eq!(told(r#"{"_field_names":{"enabled":false}}"#).len(), 1);
        assert!(
            told(r#"{"properties":{"a":{"type":"join","store":true},"b":{"type":"long","store":true}}}"#).is_empty()
        );
    }
}
