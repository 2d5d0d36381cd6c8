//! Indexed numbers: sorted values with their documents.

use super::DocIterator;

#[derive(Clone)]
pub struct Points {}

impl Points {
    /// Documents with at least one value in `lo..=hi`.
    pub fn range(&self, _lo: i64, _hi: i64) -> DocIterator {
        todo!()
    }

    /// Values in `lo..=hi`: the number of documents where every document has at most one value ([`Points::single_valued`]).
    pub fn count(&self, _lo: i64, _hi: i64) -> u64 {
        todo!()
    }

    pub fn single_valued(&self) -> bool {
        todo!()
    }

    /// Documents with any value.
    pub fn doc_count(&self) -> u32 {
        todo!()
    }

    pub fn min(&self) -> Option<i64> {
        todo!()
    }

    pub fn max(&self) -> Option<i64> {
        todo!()
    }
}
