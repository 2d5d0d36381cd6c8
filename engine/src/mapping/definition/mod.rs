//! The definitions of a mapping, as written: the tree that is read, merged and printed.
//!
//! - `parse`: from JSON. `flat`: objects that have no objects below them. `ineffective`: what is let pass there, and told. `merge`: what may be added and changed. `output`: back to JSON, as the reference prints it.
//!
//! What this room does not know: documents, and the compiled form that they are parsed along.

mod flat;
mod ineffective;
mod merge;
mod output;
mod parse;
mod place;

pub(super) use flat::object_below_flat;
pub use ineffective::note_ineffective;
pub(super) use parse::{changed_type, copies_to_null, not_an_object};

use super::derived::DerivedFields;
use super::dynamic::DynamicTemplate;
use super::params::Params;
use super::types::TypeRow;
use crate::json::Map;
use std::collections::BTreeMap;

/// A whole mapping.
#[derive(Clone, Default)]
pub struct RootDefinition {
    pub root: ObjectDefinition,
    pub date_detection: Option<bool>,
    pub numeric_detection: Option<bool>,
    pub dynamic_date_formats: Option<Vec<String>>,
    pub dynamic_templates: Option<Vec<DynamicTemplate>>,
    pub meta: Option<Map>,
    pub routing_required: Option<bool>,
    pub source: Option<SourceDefinition>,
    pub field_names_enabled: Option<bool>,
    pub data_stream_timestamp: Option<TimestampDefinition>,
    pub derived: DerivedFields,
}

/// The `_data_stream_timestamp` object: which field every document of a data stream has exactly one date in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimestampDefinition {
    pub enabled: bool,
    /// `@timestamp` where not given.
    pub field: Option<String>,
}

impl TimestampDefinition {
    pub fn field(&self) -> &str {
        self.field.as_deref().unwrap_or("@timestamp")
    }
}

/// The `_source` object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceDefinition {
    pub enabled: Option<bool>,
    pub includes: Vec<String>,
    pub excludes: Vec<String>,
    /// What the reference keeps of sources that are filtered, for shards that recover: here the log of writes has them whole, so that
    /// these are kept and shown, and nothing else.
    pub recovery_enabled: Option<bool>,
    pub recovery_includes: Vec<String>,
    pub recovery_excludes: Vec<String>,
}

/// An object: the root, or a field of type `object`.
#[derive(Clone, Default)]
pub struct ObjectDefinition {
    /// Inherited where not given.
    pub dynamic: Option<Dynamic>,
    pub disabled: bool,
    /// `disable_objects`: where it holds, the keys of `properties` are whole paths, and none of them is an object.
    pub flat: Option<bool>,
    /// Set for objects of type `nested`.
    pub nested: Option<NestedDefinition>,
    pub properties: BTreeMap<String, Child>,
}

/// What a nested object says of the documents around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NestedDefinition {
    pub include_in_parent: bool,
    pub include_in_root: bool,
}

#[derive(Clone)]
pub enum Child {
    Object(ObjectDefinition),
    Field(FieldDefinition),
}

/// A field of any type but `object`.
#[derive(Clone)]
pub struct FieldDefinition {
    pub row: &'static TypeRow,
    pub params: Params,
    pub fields: BTreeMap<String, FieldDefinition>,
    pub copy_to: Vec<String>,
}

/// What becomes of fields that the mapping does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dynamic {
    True,
    False,
    Strict,
    StrictAllowTemplates,
    FalseAllowTemplates,
}

impl Dynamic {
    pub const fn name(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Strict => "strict",
            Self::StrictAllowTemplates => "strict_allow_templates",
            Self::FalseAllowTemplates => "false_allow_templates",
        }
    }
}

/// The full name of what stands under `key` in the object of the full name `path`, which is empty for the root.
pub(super) fn full_name(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

impl RootDefinition {
    /// The object or field of this full name, under the name that it has where it stands; multi-fields are found below their field.
    pub fn child<'n>(&self, name: &'n str) -> Option<(&'n str, Child)> {
        let (mut object, mut path) = (&self.root, name);
        loop {
            match object.property(path)? {
                (Child::Object(inner), rest) => (object, path) = (inner, rest?),
                (Child::Field(field), rest) => {
                    let (mut field, mut own) = (field, &path[..path.len() - rest.map_or(0, |rest| rest.len() + 1)]);
                    for part in rest.into_iter().flat_map(|rest| rest.split('.')) {
                        (field, own) = (field.fields.get(part)?, part);
                    }
                    return Some((own, Child::Field(field.clone())));
                }
            }
        }
    }
}
