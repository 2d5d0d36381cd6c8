//! Definitions to JSON, in the reference's order: what `GET _mapping` shows.

use super::{Child, FieldDefinition, ObjectDefinition, RootDefinition, SourceDefinition};
use crate::json::{Map, Value};
use crate::mapping::derived;

impl RootDefinition {
    pub fn to_value(&self) -> Value {
        let mut out = Map::new();
        self.root.write_flags(&mut out);
        if let Some(meta) = &self.meta {
            out.insert("_meta", meta.clone());
        }
        if !self.derived.is_empty() {
            out.insert("derived", derived::to_value(&self.derived));
        }
        // One that says no more than what holds anyway is not shown.
        if let Some(timestamp) = self.data_stream_timestamp.as_ref().filter(|t| t.enabled || t.field.is_some()) {
            let mut shown = Map::from_iter([("enabled", timestamp.enabled)]);
            if let Some(field) = &timestamp.field {
                shown.insert("timestamp_field", Map::from_iter([("name", field.as_str())]));
            }
            out.insert("_data_stream_timestamp", shown);
        }
        if let Some(enabled) = self.field_names_enabled {
            out.insert("_field_names", Map::from_iter([("enabled", enabled)]));
        }
        // A metadata field that says what holds anyway is not shown.
        if self.routing_required == Some(true) {
            out.insert("_routing", Map::from_iter([("required", true)]));
        }
        if let Some(source) = self.source.as_ref().map(SourceDefinition::to_map).filter(|map| !map.is_empty()) {
            out.insert("_source", source);
        }
        if let Some(formats) = &self.dynamic_date_formats {
            out.insert("dynamic_date_formats", texts(formats));
        }
        if let Some(templates) = &self.dynamic_templates {
            out.insert("dynamic_templates", templates.iter().map(|t| t.to_value()).collect::<Vec<_>>());
        }
        if let Some(on) = self.date_detection {
            out.insert("date_detection", on);
        }
        if let Some(on) = self.numeric_detection {
            out.insert("numeric_detection", on);
        }
        self.root.write_properties(&mut out);
        Value::Object(out)
    }
}

impl SourceDefinition {
    fn to_map(&self) -> Map {
        let mut out = Map::new();
        if self.enabled == Some(false) {
            out.insert("enabled", false);
        }
        if !self.includes.is_empty() {
            out.insert("includes", texts(&self.includes));
        }
        if !self.excludes.is_empty() {
            out.insert("excludes", texts(&self.excludes));
        }
        if self.recovery_enabled == Some(false) {
            out.insert("recovery_source_enabled", false);
        }
        if !self.recovery_includes.is_empty() {
            out.insert("recovery_source_includes", texts(&self.recovery_includes));
        }
        if !self.recovery_excludes.is_empty() {
            out.insert("recovery_source_excludes", texts(&self.recovery_excludes));
        }
        out
    }
}

fn texts(items: &[String]) -> Vec<Value> {
    items.iter().map(Value::from).collect()
}

impl ObjectDefinition {
    fn write_flags(&self, out: &mut Map) {
        if let Some(dynamic) = self.dynamic {
            out.insert("dynamic", dynamic.name());
        }
        if self.disabled {
            out.insert("enabled", false);
        }
        if let Some(flat) = self.flat {
            out.insert("disable_objects", flat);
        }
    }

    fn write_properties(&self, out: &mut Map) {
        if !self.properties.is_empty() {
            let properties: Map = self.properties.iter().map(|(name, child)| (name, child.to_value())).collect();
            out.insert("properties", properties);
        }
    }
}

impl Child {
    pub fn to_value(&self) -> Value {
        match self {
            Child::Object(object) => {
                let mut out = Map::new();
                match object.nested {
                    Some(nested) => {
                        out.insert("type", "nested");
                        if nested.include_in_parent {
                            out.insert("include_in_parent", true);
                        }
                        if nested.include_in_root {
                            out.insert("include_in_root", true);
                        }
                    }
                    None if object.properties.is_empty() => out.insert("type", "object"),
                    None => {}
                }
                object.write_flags(&mut out);
                object.write_properties(&mut out);
                Value::Object(out)
            }
            Child::Field(field) => field.to_value(),
        }
    }
}

impl FieldDefinition {
    fn to_value(&self) -> Value {
        let mut out = Map::from_iter([("type", self.row.name)]);
        let params = self.row.params;
        let split = self.row.fields_before.and_then(|name| params.iter().position(|param| param.name == name));
        let (before, after) = params.split_at(split.unwrap_or(params.len()));
        self.params.write(params, before, &mut out);
        if !self.fields.is_empty() {
            let fields: Map = self.fields.iter().map(|(name, field)| (name, field.to_value())).collect();
            out.insert("fields", fields);
        }
        if !self.copy_to.is_empty() {
            out.insert("copy_to", texts(&self.copy_to));
        }
        self.params.write(params, after, &mut out);
        Value::Object(out)
    }
}
