//! Doc values of bytes: a sorted dictionary and per document the numbers of its terms.
//!
//! The ordinals stand in a section laid out as a numeric column. The dictionary is that of the indexed terms where it holds
//! exactly the same ones, so that a keyword is kept once; otherwise a section of its own, laid out as terms without
//! postings.

use super::{Batch, DocSet, KeyScan, NumericColumn, TermIter, Terms, WINDOW};
use crate::murmur3;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// No ordinal: there are fewer terms than this.
const NO_ORD: u32 = u32::MAX;

/// Byte strings by document.
#[derive(Clone)]
pub struct OrdinalColumn {
    ords: NumericColumn,
    terms: Terms,
    has_doc_freqs: bool,
    uses_all_terms: bool,
    hashes: Arc<OnceLock<Box<[u64]>>>,
}

/// Hashes of larger dictionaries are not kept: two megabytes.
const KEPT_HASHES_MAX: u64 = 262_144;

impl OrdinalColumn {
    /// `sum_doc_freq`: of the indexed terms, if those are the dictionary.
    pub(crate) fn new(ords: NumericColumn, terms: Terms, sum_doc_freq: Option<u64>) -> Self {
        assert!(terms.len() < u64::from(NO_ORD), "checked layout");
        // The same terms: if there are as many postings as values, they are of the same documents.
        let has_doc_freqs = sum_doc_freq == Some(ords.value_count());
        // A dictionary of its own has no others; of indexed terms some may be kept out of fielddata.
        let uses_all_terms = sum_doc_freq.is_none() || has_doc_freqs;
        Self { ords, terms, has_doc_freqs, uses_all_terms, hashes: Arc::default() }
    }

    /// Distinct terms.
    pub fn num_ords(&self) -> u32 {
        self.terms.len() as u32
    }

    /// Whether each term is a value of some document, deleted ones included.
    pub fn uses_all_terms(&self) -> bool {
        self.uses_all_terms
    }

    /// No document has more than one.
    pub fn single_valued(&self) -> bool {
        self.ords.single_valued()
    }

    /// Distinct values per document, added up over all documents.
    pub fn value_count(&self) -> u64 {
        self.ords.value_count()
    }

    /// The documents that have a value.
    pub fn docs(&self) -> &DocSet {
        self.ords.docs()
    }

    pub fn has(&self, doc: u32) -> bool {
        self.ords.has(doc)
    }

    /// The smallest ordinal of a document.
    #[inline]
    pub fn first(&self, doc: u32) -> Option<u32> {
        self.ords.first(doc).map(|ord| ord as u32)
    }

    /// The largest ordinal of a document.
    pub fn last(&self, doc: u32) -> Option<u32> {
        self.ords.last(doc).map(|ord| ord as u32)
    }

    /// The ordinals of a document, ascending and distinct; clears `out` first.
    pub fn ords(&self, doc: u32, out: &mut Vec<u32>) {
        out.clear();
        self.ords.for_each(doc, |ord| out.push(ord as u32));
    }

    /// Reads the ordinals of `docs` (ascending; equal ones may follow each other) into `batch`.
    pub fn read(&self, docs: &[u32], batch: &mut Batch) {
        self.ords.read(docs, batch);
    }

    /// Smallest and largest ordinal in a window; `None` if no document of it has one.
    pub fn window_range(&self, window: u32) -> Option<(u32, u32)> {
        debug_assert!(u64::from(window) * u64::from(WINDOW) < u64::from(u32::MAX));
        self.ords.window_range(window).map(|(lo, hi)| (lo as u32, hi as u32))
    }

    /// The term with this ordinal (below `num_ords`).
    pub fn term(&self, ord: u32) -> Cow<'_, [u8]> {
        Cow::Owned(self.terms.term(u64::from(ord)))
    }

    /// The ordinal of a term, or that of the first term after it.
    pub fn ord_of(&self, term: &[u8]) -> Result<u32, u32> {
        self.terms.ord_of(term).map(|ord| ord as u32).map_err(|ord| ord as u32)
    }

    /// The terms in order of their ordinals. (Their doc_freq is 0 where the dictionary is not that of indexed terms.)
    pub fn terms(&self) -> TermIter {
        self.terms.iter()
    }

    /// The same without what is known of them.
    pub fn keys(&self) -> KeyScan {
        self.terms.scan(&[])
    }

    /// The hashes of all terms by their ordinals ([`murmur3::hash128`]), which are kept once they were `made`: terms are counted again and
    /// again. None if they were not and are not to be, or if the dictionary is too large.
    pub fn hashes(&self, make: bool) -> Option<&[u64]> {
        if !make || self.terms.len() > KEPT_HASHES_MAX {
            return self.hashes.get().map(|hashes| &**hashes);
        }
        Some(self.hashes.get_or_init(|| {
            let mut hashes = Vec::with_capacity(self.terms.len() as usize);
            let mut keys = self.keys();
            while let Some((_, term)) = keys.next() {
                hashes.push(murmur3::hash128(term).0);
            }
            hashes.into()
        }))
    }

    /// Memory held beside the bytes of the segment.
    pub fn memory_bytes(&self) -> usize {
        self.ords.memory_bytes() + self.hashes.get().map_or(0, |hashes| size_of_val(&**hashes))
    }

    /// Whether the doc_freqs of the dictionary count the documents of each ordinal (deleted ones included).
    pub fn has_doc_freqs(&self) -> bool {
        self.has_doc_freqs
    }

    /// The column of ordinals.
    pub(crate) fn numbers(&self) -> &NumericColumn {
        &self.ords
    }
}
