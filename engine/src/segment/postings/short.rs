//! Lists without units: those of one document, which stand in the dictionary, and those of fewer than 128.

use super::{ListPlace, PostingsSource};
use crate::codec::varint;

/// Lists of at least so many documents are kept in units.
pub(crate) const UNITS_DOCS_MIN: u32 = 128;

/// Calls `each` with the documents of a list of fewer than [`UNITS_DOCS_MIN`], and how often each has the term; 1 where frequencies are
/// not indexed.
#[inline]
pub(crate) fn for_each(source: &PostingsSource, doc_freq: u32, place: ListPlace, mut each: impl FnMut(u32, u32)) {
    debug_assert!(doc_freq < UNITS_DOCS_MIN, "the list has units");
    if doc_freq == 1 {
        return each(place.start as u32, if source.freqs { place.single_freq } else { 1 });
    }
    let (bytes, mut at, mut doc) = (&source.postings[..], place.start as usize, 0);
    for _ in 0..doc_freq {
        let mut code = varint::read(bytes, &mut at);
        let mut freq = 1;
        if source.freqs {
            if code & 1 == 0 {
                freq = varint::read_u32(bytes, &mut at);
            }
            code >>= 1;
        }
        doc += code as u32;
        each(doc, freq);
    }
}
