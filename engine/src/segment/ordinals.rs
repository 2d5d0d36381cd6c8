//! Doc values of bytes: a sorted dictionary and per document the numbers of its terms.

use super::{DocSet, TermIter};
use std::borrow::Cow;

/// What `fill` gives for a document without a value.
pub const NO_ORD: u32 = u32::MAX;

#[derive(Clone)]
pub struct OrdinalColumn {}

impl OrdinalColumn {
    /// Distinct terms.
    pub fn num_ords(&self) -> u32 {
        todo!()
    }

    /// No document has more than one.
    pub fn single_valued(&self) -> bool {
        todo!()
    }

    /// Distinct values per document, added up over all documents.
    pub fn value_count(&self) -> u64 {
        todo!()
    }

    /// The documents that have a value.
    pub fn docs(&self) -> &DocSet {
        todo!()
    }

    pub fn has(&self, _doc: u32) -> bool {
        todo!()
    }

    /// The smallest ordinal of a document.
    pub fn first(&self, _doc: u32) -> Option<u32> {
        todo!()
    }

    /// The ordinals of a document, ascending and distinct; clears `out` first.
    pub fn ords(&self, _doc: u32, _out: &mut Vec<u32>) {
        todo!()
    }

    /// The smallest ordinal of each of `docs` (ascending) into `out[i]`, [`NO_ORD`] if there is none.
    pub fn fill(&self, _docs: &[u32], _out: &mut [u32]) {
        todo!()
    }

    /// The term with this ordinal (below `num_ords`).
    pub fn term(&self, _ord: u32) -> Cow<'_, [u8]> {
        todo!()
    }

    /// The ordinal of a term, or that of the first term after it.
    pub fn ord_of(&self, _term: &[u8]) -> Result<u32, u32> {
        todo!()
    }

    /// The terms in order of their ordinals.
    pub fn terms(&self) -> TermIter {
        todo!()
    }
}
