//! One mapping of several: those of templates, in the order in which they count, and that of the request.

use pith_engine::json::{Map, Value};
use pith_engine::{Error, Result};

/// How mappings become one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Composition {
    /// Index templates and their components: a later field replaces an earlier one, objects gather fields, dynamic templates are
    /// known by their names.
    #[default]
    Templates,
    /// Old templates: key by key, whatever the keys mean.
    Legacy,
}

impl Composition {
    /// Adds `update`, which counts more, to `base`.
    pub fn merge(self, base: &mut Value, update: &Value) -> Result<()> {
        match (self, base.as_object_mut(), update) {
            (Self::Templates, Some(base), Value::Object(update)) => add_root(base, update),
            (Self::Legacy, Some(base), Value::Object(update)) => {
                overlay(base, update);
                Ok(())
            }
            _ => {
                *base = update.clone();
                Ok(())
            }
        }
    }
}

fn add_root(base: &mut Map, update: &Map) -> Result<()> {
    for (key, value) in update.iter() {
        let Some(slot) = base.get_mut(key) else {
            base.insert(key, value.clone());
            continue;
        };
        match (key, slot, value) {
            ("properties", Value::Object(base), Value::Object(update)) => add_properties(base, update, "")?,
            ("dynamic_templates", Value::Array(base), Value::Array(update)) => {
                add_named(base, update, |slot, value| {
                    *slot = value.clone();
                })
            }
            ("derived", Value::Object(base), Value::Object(update)) => {
                update.iter().for_each(|(name, field)| base.insert(name, field.clone()));
            }
            ("_meta", Value::Object(base), Value::Object(update)) => overlay(base, update),
            (_, slot, value) => *slot = value.clone(),
        }
    }
    // What was derived is a field from now on.
    let fields = update.get("properties").and_then(Value::as_object);
    if let (Some(Value::Object(derived)), Some(fields)) = (base.get_mut("derived"), fields) {
        fields.iter().for_each(|(name, _)| drop(derived.remove(name)));
    }
    Ok(())
}

/// Adds fields to those of an object; `path` is its name with a dot behind, or empty.
fn add_properties(base: &mut Map, update: &Map, path: &str) -> Result<()> {
    for (name, value) in update.iter() {
        let Some(slot) = base.get_mut(name) else {
            base.insert(name, value.clone());
            continue;
        };
        let full = format!("{path}{name}");
        match (object_of(slot), object_of(value)) {
            (None, None) => *slot = value.clone(),
            (Some(old), Some(new)) => {
                if old != new {
                    let (from, to) = (kind_of(old), kind_of(new));
                    return Err(Error::illegal_argument(format!("cannot change object mapping from {from} to {to}")));
                }
                if let (Value::Object(slot), Value::Object(value)) = (slot, value) {
                    add_object(slot, value, &full)?;
                }
            }
            _ => {
                let reason = format!("can't merge a non object mapping [{full}] with an object mapping");
                return Err(Error::illegal_argument(reason));
            }
        }
    }
    Ok(())
}

fn add_object(base: &mut Map, update: &Map, full: &str) -> Result<()> {
    for (key, value) in update.iter() {
        match (key, base.get_mut(key), value) {
            ("properties", Some(Value::Object(base)), Value::Object(update)) => {
                add_properties(base, update, &format!("{full}."))?;
            }
            _ => base.insert(key, value.clone()),
        }
    }
    Ok(())
}

/// Whether what is defined is an object, and then whether it is nested.
fn object_of(definition: &Value) -> Option<bool> {
    match definition.as_object()?.get("type").map(|kind| kind.as_str().unwrap_or_default()) {
        None | Some("object") => Some(false),
        Some("nested") => Some(true),
        Some(_) => None,
    }
}

fn kind_of(nested: bool) -> &'static str {
    if nested { "nested" } else { "non-nested" }
}

/// Lists of objects with a key each, by that key: those that there are stay where they are.
fn add_named(base: &mut Vec<Value>, update: &[Value], same: impl Fn(&mut Value, &Value)) {
    for value in update {
        let name = only_key(value);
        match base.iter_mut().find(|other| name.is_some() && only_key(other) == name) {
            Some(slot) => same(slot, value),
            None => base.push(value.clone()),
        }
    }
}

fn only_key(value: &Value) -> Option<&str> {
    let mut entries = value.as_object()?.iter();
    let (key, _) = entries.next()?;
    entries.next().is_none().then_some(key)
}

/// Key by key; lists of objects with a key each by these keys, the later ones first, other lists one after the other.
fn overlay(base: &mut Map, update: &Map) {
    for (key, value) in update.iter() {
        let Some(slot) = base.get_mut(key) else {
            base.insert(key, value.clone());
            continue;
        };
        match (slot, value) {
            (Value::Object(base), Value::Object(update)) => overlay(base, update),
            (Value::Array(base), Value::Array(update)) => {
                let named = |items: &[Value]| items.iter().all(|item| only_key(item).is_some());
                if named(base) && named(update) {
                    let mut first = update.clone();
                    add_named(&mut first, base, |slot, earlier| {
                        let mut merged = earlier.clone();
                        if let (Value::Object(merged), Value::Object(later)) = (&mut merged, &*slot) {
                            overlay(merged, later);
                        }
                        *slot = merged;
                    });
                    *base = first;
                } else {
                    update.iter().for_each(|item| {
                        if !base.contains(item) {
                            base.push(item.clone());
                        }
                    });
                }
            }
            (slot, value) => *slot = value.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Composition::{Legacy, Templates};
    use super::*;
    use pith_engine::json::{Writer, parse};

    fn merged(how: Composition, base: &str, update: &str) -> String {
        let mut base = parse(base.as_bytes()).unwrap();
        if let Err(error) = how.merge(&mut base, &parse(update.as_bytes()).unwrap()) {
            return error.reason().to_owned();
        }
        let mut w = Writer::new();
        w.value(&base);
        String::from_utf8(w.finish()).unwrap()
    }

    #[test]
    fn later_mappings_replace_fields_and_merge_objects() {
        let base = r#"{"properties":{"a":{"type":"text","store":true},"o":{"properties":{"x":{"type":"long"}}}}}"#;
        let update =
            r#"{"dynamic":false,"properties":{"a":{"type":"keyword"},"o":{"properties":{"y":{"type":"date"}}}}}"#;
        assert_eq!(
            merged(Templates, base, update),
            r#"{"properties":{"a":{"type":"keyword"},"o":{"properties":{"x":{"type":"long"},"y":{"type":"date"}}}},"dynamic":false}"#
        );
        let nested = r#"{"properties":{"o":{"type":"nested"}}}"#;
        assert_eq!(merged(Templates, base, nested), "cannot change object mapping from non-nested to nested");
        let field = r#"{"properties":{"o":{"properties":{"x":{"properties":{}}}}}}"#;
        assert_eq!(merged(Templates, base, field), "can't merge a non object mapping [o.x] with an object mapping");
    }

    #[test]
    fn dynamic_templates_are_known_by_their_names() {
        let base = r#"{"dynamic_templates":[{"a":{"match":"x","mapping":{}}},{"b":{"match":"x"}}]}"#;
        let update = r#"{"dynamic_templates":[{"c":{"match":"y"}},{"a":{"match":"z"}}]}"#;
        assert_eq!(
            merged(Templates, base, update),
            r#"{"dynamic_templates":[{"a":{"match":"z"}},{"b":{"match":"x"}},{"c":{"match":"y"}}]}"#
        );
        assert_eq!(
            merged(Legacy, base, update),
            r#"{"dynamic_templates":[{"c":{"match":"y"}},{"a":{"match":"z","mapping":{}}},{"b":{"match":"x"}}]}"#
        );
    }

    #[test]
    fn metadata_fields_are_replaced_and_meta_gathers() {
        let base = r#"{"_source":{"excludes":["a"]},"_meta":{"a":{"x":1}},"derived":{"g":{},"h":{}}}"#;
        let update = r#"{"_source":{"includes":["a"]},"_meta":{"a":{"y":2}},"properties":{"g":{"type":"keyword"}}}"#;
        assert_eq!(
            merged(Templates, base, update),
            r#"{"_source":{"includes":["a"]},"_meta":{"a":{"x":1,"y":2}},"derived":{"h":{}},"properties":{"g":{"type":"keyword"}}}"#
        );
        let old = r#"{"_source":{"excludes":["a"]},"properties":{"f":{"type":"keyword","store":true}}}"#;
        let new = r#"{"_source":{"includes":["a"]},"properties":{"f":{"type":"keyword","ignore_above":3}}}"#;
        assert_eq!(
            merged(Legacy, old, new),
            r#"{"_source":{"excludes":["a"],"includes":["a"]},"properties":{"f":{"type":"keyword","store":true,"ignore_above":3}}}"#
        );
    }
}
