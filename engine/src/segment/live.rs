//! Live documents: which documents of a segment are not deleted.
//!
//! Encoded, for a file of its own (little-endian):
//!
//! ```text
//! 0   8  magic "PITHLIV1"
//! 8   4  max_doc
//! 12  4  deleted
//! 16     per window that has deleted documents: 4 bytes window number, 8,192 bytes of words (1 = live)
//! end 4  CRC-32 of all before
//! ```

use super::bits::{WINDOW_WORDS, WindowBits};
use super::{SegmentError, WINDOW};
use crate::Result;
use std::sync::Arc;

const MAGIC: &[u8; 8] = b"PITHLIV1";
const HEADER_BYTES: usize = 16;
const WINDOW_BYTES: usize = 4 + WINDOW_WORDS * 8;

/// An immutable set of live documents. Deleting makes a new set that shares the windows it did not touch.
#[derive(Clone, Debug)]
pub struct LiveDocs {
    max_doc: u32,
    deleted: u32,
    /// `None`: all documents of the window are live.
    windows: Vec<Option<Arc<[u64; WINDOW_WORDS]>>>,
}

impl LiveDocs {
    pub fn all(max_doc: u32) -> Self {
        Self { max_doc, deleted: 0, windows: vec![None; max_doc.div_ceil(WINDOW) as usize] }
    }

    pub fn max_doc(&self) -> u32 {
        self.max_doc
    }

    pub fn deleted_count(&self) -> u32 {
        self.deleted
    }

    pub fn live_count(&self) -> u32 {
        self.max_doc - self.deleted
    }

    #[inline]
    pub fn is_live(&self, doc: u32) -> bool {
        debug_assert!(doc < self.max_doc);
        match &self.windows[(doc / WINDOW) as usize] {
            Some(words) => words[(doc % WINDOW / 64) as usize] >> (doc % 64) & 1 == 1,
            None => true,
        }
    }

    /// The live documents of a window, 1 = live; `None`: all of them. (Bits past `max_doc` are set.)
    pub fn window(&self, window: u32) -> Option<&[u64; WINDOW_WORDS]> {
        self.windows.get(window as usize)?.as_deref()
    }

    /// Removes deleted documents from `bits`.
    pub fn mask(&self, bits: &mut WindowBits) {
        if let Some(words) = self.window(bits.window()) {
            bits.and(words);
        }
    }

    /// The set without `docs` too; those that are deleted already stay so. Costs the windows touched.
    ///
    /// Panics if a document is not below `max_doc`.
    pub fn delete(&self, docs: &[u32]) -> Self {
        let mut next = self.clone();
        for doc in docs {
            assert!(*doc < self.max_doc, "document {doc} of a segment of {}", self.max_doc);
            let words = next.windows[(doc / WINDOW) as usize].get_or_insert_with(|| Arc::new([u64::MAX; WINDOW_WORDS]));
            let word = &mut Arc::make_mut(words)[(doc % WINDOW / 64) as usize];
            let bit = 1 << (doc % 64);
            next.deleted += u32::from(*word & bit != 0);
            *word &= !bit;
        }
        next
    }

    pub fn memory_bytes(&self) -> usize {
        self.windows.iter().flatten().count() * WINDOW_WORDS * 8 + self.windows.len() * 8
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_BYTES + self.memory_bytes());
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&self.max_doc.to_le_bytes());
        out.extend_from_slice(&self.deleted.to_le_bytes());
        for (window, words) in self.windows.iter().enumerate() {
            let Some(words) = words else { continue };
            out.extend_from_slice(&(window as u32).to_le_bytes());
            words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        }
        out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// `name` stands in the error of a damaged file.
    pub fn decode(name: &str, bytes: &[u8]) -> Result<Self> {
        let corrupt = |offset: usize, what: &str| SegmentError { name, offset: offset as u64 }.corrupt(what);
        let Some((body, crc)) = bytes.split_last_chunk::<4>() else {
            return Err(corrupt(bytes.len(), "live docs file is too short"));
        };
        if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
            return Err(corrupt(body.len(), "checksum of live docs does not match"));
        }
        let Some((header, mut rest)) = body.split_first_chunk::<HEADER_BYTES>() else {
            return Err(corrupt(body.len(), "live docs file is too short"));
        };
        if &header[..8] != MAGIC {
            return Err(corrupt(0, "not a live docs file of a known version"));
        }
        let max_doc = u32::from_le_bytes(header[8..12].try_into().expect("four bytes"));
        let deleted = u32::from_le_bytes(header[12..16].try_into().expect("four bytes"));
        let mut live = Self::all(max_doc);
        while let Some((entry, after)) = rest.split_first_chunk::<WINDOW_BYTES>() {
            let window = u32::from_le_bytes(entry[..4].try_into().expect("four bytes"));
            let Some(slot) = live.windows.get_mut(window as usize) else {
                return Err(corrupt(body.len() - rest.len(), "live docs of a window past the segment"));
            };
            let mut words = [0; WINDOW_WORDS];
            for (word, bytes) in words.iter_mut().zip(entry[4..].chunks_exact(8)) {
                *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            }
            live.deleted += words.iter().map(|w| w.count_zeros()).sum::<u32>();
            *slot = Some(Arc::new(words));
            rest = after;
        }
        if !rest.is_empty() || live.deleted != deleted || deleted > max_doc {
            return Err(corrupt(body.len() - rest.len(), "live docs do not add up"));
        }
        Ok(live)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deletes_copy_only_the_windows_they_touch() {
        let all = LiveDocs::all(3 * WINDOW);
        let first = all.delete(&[5, WINDOW + 7]);
        let second = first.delete(&[5, 6]);
        assert_eq!((all.deleted_count(), first.deleted_count(), second.deleted_count()), (0, 2, 3));
        assert!(first.is_live(6) && !second.is_live(6) && !second.is_live(WINDOW + 7));
        assert!(Arc::ptr_eq(first.windows[1].as_ref().unwrap(), second.windows[1].as_ref().unwrap()));
        assert!(second.window(2).is_none());
    }

    #[test]
    fn survives_its_encoding_and_notices_damage() {
        let live = LiveDocs::all(WINDOW + 10).delete(&[0, WINDOW + 9]);
        let bytes = live.encode();
        let read = LiveDocs::decode("a.liv", &bytes).unwrap();
        assert_eq!((read.deleted_count(), read.is_live(0), read.is_live(1)), (2, false, true));
        for at in [0, 9, 20, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(LiveDocs::decode("a.liv", &damaged).unwrap_err().reason().contains("a.liv"));
        }
        assert!(LiveDocs::decode("a.liv", &bytes[..7]).is_err());
    }
}
