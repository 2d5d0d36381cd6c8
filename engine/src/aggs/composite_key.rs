//! Keys of composite: their order is that of the page.

use super::composite_sources::CompositeSource;
use super::keys::KeySource;
use super::partial::Key;
use crate::error::{Error, Result};
use crate::json::{Map, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// One part per source; `None` where a document has no value and the source wants such documents.
#[derive(Debug, Clone)]
pub(crate) struct CompositeKey {
    pub(super) parts: Vec<Option<Key>>,
    pub(super) sources: Arc<[CompositeSource]>,
}

/// The values of the key that the page comes after, one for each source: whether there are any is looked at before what they say.
pub(super) fn after_values<'a>(after: &'a Map, sources: &[CompositeSource]) -> Result<Vec<&'a Value>> {
    if after.entries.len() != sources.len() {
        let (given, wanted) = (after.entries.len(), sources.len());
        let reason = format!("[after] has {given} value(s) but [sources] has {wanted}");
        return Err(Error::illegal_argument(reason));
    }
    let value_of = |source: &CompositeSource| {
        let name = &source.name;
        let absent = || Error::illegal_argument(format!("Missing value for [after.{name}]"));
        let value = after.get(name).ok_or_else(absent)?;
        let class = match value {
            Value::Array(_) => "ArrayList",
            Value::Object(_) => "HashMap",
            Value::Null if !source.missing_bucket => "null",
            _ => return Ok(value),
        };
        let reason = format!("Invalid value for [after.{name}], expected comparable, got [{class}]");
        Err(Error::illegal_argument(reason))
    };
    sources.iter().map(value_of).collect()
}

impl CompositeKey {
    /// The key of such values, each read as its source reads its own.
    pub(super) fn parse(values: &[&Value], sources: &Arc<[CompositeSource]>, columns: &[KeySource]) -> Result<Self> {
        let parts = sources.iter().zip(columns).zip(values).map(|((source, column), value)| match value {
            Value::Null => Ok(None),
            value => source.parse_after(value, column).map(Some),
        });
        Ok(Self { parts: parts.collect::<Result<_>>()?, sources: sources.clone() })
    }

    /// What the reference says where a part of one key is of another type than that of the other one.
    pub(super) fn clash(&self, other: &Self) -> Option<Error> {
        let mut pairs = self.parts.iter().zip(&other.parts);
        let looked_at = pairs.find_map(|pair| match pair {
            (Some(a), Some(b)) => match a.clash(b) {
                None if a.compare(b).is_eq() => None,
                clash => Some(clash),
            },
            (None, None) => None,
            _ => Some(None),
        });
        looked_at.flatten()
    }
}

impl CompositeKey {
    /// Its order by the values themselves, whatever the order of the page is.
    pub(super) fn ascending(&self, other: &Self) -> Ordering {
        let parts = self.parts.iter().zip(&other.parts).map(|(a, b)| match (a, b) {
            (Some(a), Some(b)) => a.compare(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        parts.fold(Ordering::Equal, Ordering::then)
    }
}

impl PartialEq for CompositeKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for CompositeKey {}

impl PartialOrd for CompositeKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CompositeKey {
    fn cmp(&self, other: &Self) -> Ordering {
        for ((a, b), source) in self.parts.iter().zip(&other.parts).zip(self.sources.iter()) {
            let ordering = match (a, b) {
                (Some(a), Some(b)) if source.descending => b.compare(a),
                (Some(a), Some(b)) => a.compare(b),
                (None, None) => Ordering::Equal,
                (None, Some(_)) => source.missing_order(),
                (Some(_), None) => source.missing_order().reverse(),
            };
            if ordering.is_ne() {
                return ordering;
            }
        }
        Ordering::Equal
    }
}
