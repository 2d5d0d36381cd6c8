//! Keys of composite: their order is that of the page.

use super::composite_sources::CompositeSource;
use super::partial::Key;
use crate::error::Error;
use std::cmp::Ordering;
use std::sync::Arc;

/// One part per source; `None` where a document has no value and the source wants such documents.
#[derive(Debug, Clone)]
pub(crate) struct CompositeKey {
    pub(super) parts: Vec<Option<Key>>,
    pub(super) sources: Arc<[CompositeSource]>,
}

impl CompositeKey {
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
