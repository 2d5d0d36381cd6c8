//! Index sorting: the fields by which the documents of every segment are ordered.

use super::field::{DocValues, Family};
use super::mapping::Mapping;
use crate::error::{Error, Result};
use std::sync::Arc;

/// One key, as `index.sort.*` gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexSortKey {
    pub field: String,
    pub descending: bool,
    /// Of several values the greatest counts, not the least.
    pub max: bool,
    pub missing_first: bool,
}

/// The order of a segment's documents.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexSort(pub Vec<IndexSortKey>);

/// Types whose doc values the reference can sort segments by.
const TYPES: &[&str] = &[
    "boolean",
    "byte",
    "date",
    "date_nanos",
    "double",
    "flat_object",
    "float",
    "icu_collation_keyword",
    "integer",
    "ip",
    "keyword",
    "long",
    "short",
    "token_count",
];

impl Mapping {
    /// The order that segments are written in, by the true names of fields; none unless the index is sorted.
    pub fn index_sort(&self) -> Option<Arc<IndexSort>> {
        let keys = &self.settings().index_sort;
        let named = |key: &IndexSortKey| {
            let field = self.field(&key.field).map_or_else(|| key.field.clone(), |field| field.name.to_string());
            IndexSortKey { field, ..key.clone() }
        };
        (!keys.is_empty()).then(|| Arc::new(IndexSort(keys.iter().map(named).collect())))
    }

    /// Refuses to sort an index by what its documents cannot be ordered by.
    pub fn check_index_sort(&self, index: &str) -> Result<()> {
        for IndexSortKey { field: name, .. } in &self.settings().index_sort {
            let unknown = || Error::illegal_argument(format!("unknown index sort field:[{name}]"));
            if self.nested_scope(name).is_some() {
                return Err(Error::illegal_argument(format!(
                    "index sorting on nested fields is not supported: found nested sort field [{name}] in [{index}]"
                )));
            }
            let field = self.field(name).filter(|field| !field.name.starts_with('_')).ok_or_else(unknown)?;
            if field.spec.doc_values == DocValues::None && !field.fielddata() {
                let cause = field.check_aggregatable().err();
                let refusal = Error::illegal_argument(format!("docvalues not found for index sort field:[{name}]"));
                return Err(cause.map_or_else(|| refusal.clone(), |cause| refusal.clone().caused_by(cause)));
            }
            match field.family() {
                Family::GeoPoint => {
                    return Err(Error::illegal_argument(
                        "can't sort on geo_point field without using specific sorting feature, like geo_distance",
                    ));
                }
                Family::Binary => return Err(Error::illegal_argument("can't sort on binary field")),
                _ if !TYPES.contains(&field.type_name) => {
                    return Err(Error::illegal_argument(format!("invalid index sort field:[{name}]")));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
