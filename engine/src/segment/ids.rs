//! The `_id` of each document, and the way back.
//!
//! ```text
//! ids:
//! 0  1  width of ends; 255 if all ids have the same length
//! 1  4  that length
//! 5     ends, packed: where each id ends (unless all have the same length)
//!       ids, one behind the other
//! table: an open hash table
//! 0   8  key of the hash
//! 8   8  number of slots s
//! 16  s  tags: 0 = empty, otherwise the low seven bits of the hash, plus 128
//!     4s documents
//! ```
//!
//! Ids that are not in the segment, the usual case when documents are indexed, cost one look at a tag.

use crate::codec::bytes::{u32_at, u64_at};
use crate::codec::hash::hash64;
use crate::codec::packed;
use crate::pace::Pace;
use bytes::Bytes;

const SAME_LENGTH: u8 = 255;
const IDS_HEADER_BYTES: usize = 5;
const TABLE_HEADER_BYTES: usize = 16;

#[derive(Clone)]
pub(crate) struct Ids {
    bytes: Bytes,
    data: usize,
    table: Bytes,
    max_doc: u32,
}

impl Ids {
    pub fn new(max_doc: u32, bytes: Bytes, table: Bytes) -> Self {
        let ends = match bytes[0] {
            SAME_LENGTH => 0,
            width => packed::bytes_len(max_doc as usize, width),
        };
        Self { data: IDS_HEADER_BYTES + ends, bytes, table, max_doc }
    }

    #[inline]
    fn bytes(&self, doc: u32) -> &[u8] {
        assert!(doc < self.max_doc, "document {doc} of a segment of {}", self.max_doc);
        let doc = doc as usize;
        let (start, end) = match self.bytes[0] {
            SAME_LENGTH => {
                let len = u32_at(&self.bytes, 1) as usize;
                (doc * len, (doc + 1) * len)
            }
            width => {
                let end = |doc| packed::get(&self.bytes[IDS_HEADER_BYTES..], width, doc) as usize;
                (doc.checked_sub(1).map_or(0, end), end(doc))
            }
        };
        &self.bytes[self.data + start..self.data + end]
    }

    pub fn get(&self, doc: u32) -> &str {
        std::str::from_utf8(self.bytes(doc)).expect("written from a str")
    }

    /// The highest document with that id.
    pub fn find(&self, id: &str) -> Option<u32> {
        let hash = hash64(u64_at(&self.table, 0), id.as_bytes());
        let slots = u64_at(&self.table, 8) as usize;
        let (tag, mut slot) = place(hash, slots);
        loop {
            let found = self.table[TABLE_HEADER_BYTES + slot];
            if found == 0 {
                return None;
            }
            if found == tag {
                let doc = u32_at(&self.table, TABLE_HEADER_BYTES + slots + slot * 4);
                if self.bytes(doc) == id.as_bytes() {
                    return Some(doc);
                }
            }
            slot = after(slot, slots);
        }
    }
}

/// The tag of a hash, and the slot to look at first: the high bits decide, so that any number of slots will do.
fn place(hash: u64, slots: usize) -> (u8, usize) {
    (hash as u8 | 0x80, ((u128::from(hash) * slots as u128) >> 64) as usize)
}

fn after(slot: usize, slots: usize) -> usize {
    if slot + 1 == slots { 0 } else { slot + 1 }
}

/// Collects ids in the order of their documents.
#[derive(Default)]
pub(crate) struct IdsWriter {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl IdsWriter {
    pub fn push(&mut self, id: &str) {
        self.bytes.extend_from_slice(id.as_bytes());
        self.ends.push(self.bytes.len() as u64);
    }

    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    pub fn get(&self, doc: u32) -> &str {
        std::str::from_utf8(self.id(doc as usize)).expect("pushed as str")
    }

    fn id(&self, doc: usize) -> &[u8] {
        let start = doc.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        &self.bytes[start..self.ends[doc] as usize]
    }

    pub fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * 8
    }

    /// The section of ids.
    pub async fn section(&self, pace: &Pace) -> Vec<u8> {
        /// Ids between two ticks; a multiple of eight, so that what is packed in pieces is packed without gaps.
        const SLICE: usize = 1_024;
        let len = self.ends.first().copied().unwrap_or(0);
        let same = self.ends.iter().zip(1u64..).all(|(end, n)| *end == n * len);
        let width = if same { SAME_LENGTH } else { packed::width(self.bytes.len() as u64) };
        let mut out = vec![width];
        // The length counts only where it is that of all ids; none is longer than 512 bytes.
        out.extend_from_slice(&(len as u32).to_le_bytes());
        for slice in self.ends.chunks(SLICE).filter(|_| !same) {
            packed::pack(slice.iter().copied(), width, &mut out);
            pace.tick(SLICE as u32 / 4).await;
        }
        out.extend_from_slice(&self.bytes);
        out
    }

    /// The table; documents for which `skip` holds are not in it.
    pub async fn table(&self, key: u64, skip: impl Fn(u32) -> bool, pace: &Pace) -> Vec<u8> {
        // At most five eighths full.
        let slots = self.ends.len() * 8 / 5 + 1;
        let mut out = vec![0; TABLE_HEADER_BYTES + slots * 5];
        out[..8].copy_from_slice(&key.to_le_bytes());
        out[8..16].copy_from_slice(&(slots as u64).to_le_bytes());
        for doc in (0..self.len()).filter(|doc| !skip(*doc)) {
            let id = self.id(doc as usize);
            let (tag, mut slot) = place(hash64(key, id), slots);
            let at = loop {
                let at = TABLE_HEADER_BYTES + slots + slot * 4;
                match out[TABLE_HEADER_BYTES + slot] {
                    0 => break at,
                    found if found == tag && self.id(u32_at(&out, at) as usize) == id => break at,
                    _ => slot = after(slot, slots),
                }
            };
            out[TABLE_HEADER_BYTES + slot] = tag;
            out[at..at + 4].copy_from_slice(&doc.to_le_bytes());
            pace.tick(3).await;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::block_on_ready;

    fn table(writer: &IdsWriter, key: u64, skip: impl Fn(u32) -> bool) -> Bytes {
        block_on_ready(writer.table(key, skip, &Pace::never())).into()
    }

    #[test]
    fn ids_are_found_by_document_and_by_name() {
        let same: Vec<String> = (0..500).map(|i| format!("{i:04}")).collect();
        let mixed: Vec<String> = (0..500).map(|i| "x".repeat(i % 9) + &i.to_string()).collect();
        for ids in [same, mixed, vec![], vec!["".into()]] {
            let mut writer = IdsWriter::default();
            ids.iter().for_each(|id| writer.push(id));
            let read = Ids::new(
                ids.len() as u32,
                block_on_ready(writer.section(&Pace::never())).into(),
                table(&writer, 7, |_| false),
            );
            for (doc, id) in ids.iter().enumerate() {
                assert_eq!((read.get(doc as u32), read.find(id)), (&id[..], Some(doc as u32)));
            }
            assert_eq!(
                (read.find("absent"), read.find("0")),
                (None, ids.iter().position(|id| id == "0").map(|i| i as u32))
            );
        }
    }

    #[test]
    fn the_newest_document_that_is_not_skipped_wins() {
        let mut writer = IdsWriter::default();
        ["a", "b", "a", "a"].iter().for_each(|id| writer.push(id));
        let read =
            Ids::new(4, block_on_ready(writer.section(&Pace::never())).into(), table(&writer, 0, |doc| doc == 3));
        assert_eq!((read.find("a"), read.find("b")), (Some(2), Some(1)));
    }
}
