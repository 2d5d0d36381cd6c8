//! Norms: the length of a text field in one byte per document.
//!
//! ```text
//! 0  4  documents with the field, n
//! 4  4  bytes of the set
//! 8     the set, see docset
//!    n  one byte each
//! ```

use super::docset;
use super::{DocSet, WINDOW};
use crate::codec::bytes::u32_at;
use crate::pace::Pace;
use bytes::Bytes;

/// Lengths below this one are kept exactly.
const EXACT: u32 = 24;

/// The byte that stands for a length (Lucene's `SmallFloat.intToByte4`): exact up to 40, then four significant bits.
pub fn encode_length(length: u32) -> u8 {
    // The reference counts in signed integers.
    let length = length.min(i32::MAX as u32);
    if length < EXACT {
        return length as u8;
    }
    let rest = length - EXACT;
    let bits = u32::BITS - rest.leading_zeros();
    let code = if bits < 4 { rest } else { (rest >> (bits - 4)) & 7 | (bits - 3) << 3 };
    (EXACT + code) as u8
}

/// The length that a byte stands for: the smallest that [`encode_length`] maps to it.
pub fn decode_length(norm: u8) -> u32 {
    let Some(code) = u32::from(norm).checked_sub(EXACT) else { return u32::from(norm) };
    let bits = code & 7;
    match (code >> 3).checked_sub(1) {
        None => EXACT + bits,
        Some(shift) => EXACT + ((bits | 8) << shift),
    }
}

/// Field lengths, encoded by [`encode_length`].
#[derive(Clone)]
pub struct Norms {
    docs: DocSet,
    values: Bytes,
}

impl Norms {
    pub(crate) fn new(max_doc: u32, bytes: Bytes) -> Self {
        let (count, set) = (u32_at(&bytes, 0), u32_at(&bytes, 4) as usize);
        let norms = Self { docs: DocSet::new(max_doc, count, bytes.slice(8..8 + set)), values: bytes.slice(8 + set..) };
        assert_eq!(norms.values.len(), count as usize, "checked layout");
        norms
    }

    /// The encoded length; 0 if the document has no value or no token.
    #[inline]
    pub fn get(&self, doc: u32) -> u8 {
        self.of(doc).unwrap_or(0)
    }

    /// The encoded length, if the document has a value.
    #[inline]
    pub fn of(&self, doc: u32) -> Option<u8> {
        self.docs.rank(doc).map(|rank| self.values[rank as usize])
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

/// Writes the norms of `docs` (ascending).
pub(crate) async fn write(max_doc: u32, docs: &[u32], values: &[u8], pace: &Pace) -> Vec<u8> {
    assert_eq!(docs.len(), values.len());
    let mut out = vec![0; 8];
    out.reserve(values.len() + max_doc.div_ceil(WINDOW) as usize * 12);
    docset::write(max_doc, docs, &mut out, pace).await;
    let set = (out.len() - 8) as u32;
    out[..4].copy_from_slice(&(docs.len() as u32).to_le_bytes());
    out[4..8].copy_from_slice(&set.to_le_bytes());
    out.extend_from_slice(values);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::block_on_ready;

    fn write(max_doc: u32, docs: &[u32], values: &[u8]) -> Bytes {
        block_on_ready(super::write(max_doc, docs, values, &Pace::never())).into()
    }

    #[test]
    fn lengths_as_the_reference_encodes_them() {
        let known =
            [(0, 0), (1, 1), (23, 23), (39, 39), (40, 40), (41, 40), (42, 41), (56, 48), (100, 57), (1_000, 87)];
        for (length, norm) in known {
            assert_eq!(encode_length(length), norm, "{length}");
        }
        for norm in 0..=255u8 {
            assert_eq!(encode_length(decode_length(norm)), norm, "{norm}");
        }
        assert_eq!(encode_length(u32::MAX), 255);
        assert!((0..100_000u32).all(|n| decode_length(encode_length(n)) <= n));
    }

    #[test]
    fn sparse_and_dense_fields() {
        let sparse = Norms::new(100_000, write(100_000, &[3, 70_000], &[5, 0]));
        assert_eq!((sparse.get(3), sparse.get(4), sparse.get(70_000)), (5, 0, 0));
        assert!(sparse.docs().contains(70_000) && !sparse.docs().contains(4) && sparse.dense().is_none());
        let dense = Norms::new(3, write(3, &[0, 1, 2], &[7, 8, 9]));
        assert_eq!(dense.dense(), Some(&[7, 8, 9][..]));
    }
}
