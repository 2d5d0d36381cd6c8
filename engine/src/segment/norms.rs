//! Norms: the length of a text field in one byte per document.

use super::DocSet;
use bytes::Bytes;

/// Field lengths, encoded as Lucene's `SmallFloat.intToByte4` does.
#[derive(Clone)]
pub struct Norms {
    docs: DocSet,
    values: Bytes,
}

impl Norms {
    /// The encoded length; 0 if the document has no value or no token.
    #[inline]
    pub fn get(&self, doc: u32) -> u8 {
        self.docs.rank(doc).map_or(0, |rank| self.values[rank as usize])
    }

    /// One byte per document of the segment, where every document has the field.
    pub fn dense(&self) -> Option<&[u8]> {
        self.docs.is_all().then_some(&self.values[..])
    }

    /// The documents that have the field, be it without a token.
    pub fn docs(&self) -> &DocSet {
        &self.docs
    }
}
