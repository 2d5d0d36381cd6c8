//! The index settings that mappings depend on.

use super::index_sort::IndexSortKey;
use crate::score::similarity::Similarity;
use std::sync::Arc;

/// Limits and defaults of the mappings of one index, from its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct MappingSettings {
    /// `index.mapping.total_fields.limit`
    pub total_fields_limit: usize,
    /// `index.mapping.depth.limit`
    pub depth_limit: usize,
    /// `index.mapping.field_name_length.limit`
    pub field_name_length_limit: usize,
    /// `index.mapping.nested_fields.limit`
    pub nested_fields_limit: usize,
    /// `index.mapping.nested_objects.limit`
    pub nested_objects_limit: usize,
    /// `index.mapping.ignore_malformed`
    pub ignore_malformed: bool,
    /// `index.mapping.coerce`
    pub coerce: bool,
    /// `index.query.default_field`
    pub default_fields: Vec<String>,
    /// `index.query_string.lenient`: whether query strings pass over values that a field cannot take.
    pub lenient_query_strings: bool,
    /// `index.percolator.map_unmapped_fields_as_text`: whether stored queries may name fields that there are not.
    pub unmapped_as_text: bool,
    /// `index.similarity.*`, by name.
    pub similarities: Vec<(String, Arc<Similarity>)>,
    /// `index.sort.*`
    pub index_sort: Vec<IndexSortKey>,
}

impl Default for MappingSettings {
    fn default() -> Self {
        Self {
            total_fields_limit: 1000,
            depth_limit: 20,
            field_name_length_limit: usize::MAX,
            nested_fields_limit: 50,
            nested_objects_limit: 10_000,
            ignore_malformed: false,
            coerce: true,
            default_fields: vec!["*".into()],
            lenient_query_strings: false,
            unmapped_as_text: false,
            similarities: vec![],
            index_sort: vec![],
        }
    }
}
