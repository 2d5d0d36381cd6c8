//! Numeric doc values.

use super::DocSet;

#[derive(Clone)]
pub struct NumericColumn {}

impl NumericColumn {
    /// No document has more than one value.
    pub fn single_valued(&self) -> bool {
        todo!()
    }

    /// Values of all documents together.
    pub fn value_count(&self) -> u64 {
        todo!()
    }

    /// The documents that have a value.
    pub fn docs(&self) -> &DocSet {
        todo!()
    }

    /// Smallest and largest value; `None` if there is none.
    pub fn min(&self) -> Option<i64> {
        todo!()
    }

    pub fn max(&self) -> Option<i64> {
        todo!()
    }

    /// Smallest and largest value in a window; `None` if no document of it has one.
    pub fn window_range(&self, _window: u32) -> Option<(i64, i64)> {
        todo!()
    }

    pub fn has(&self, _doc: u32) -> bool {
        todo!()
    }

    /// The smallest value of a document.
    pub fn first(&self, _doc: u32) -> Option<i64> {
        todo!()
    }

    /// All values of a document, ascending, equal ones kept; clears `out` first.
    pub fn values(&self, _doc: u32, _out: &mut Vec<i64>) {
        todo!()
    }

    /// The smallest value of each of `docs` (ascending): `has[i]` says whether `docs[i]` has one, `out[i]` is it (0 if not).
    /// Gives how many have one.
    pub fn fill(&self, _docs: &[u32], _out: &mut [i64], _has: &mut [bool]) -> usize {
        todo!()
    }
}
