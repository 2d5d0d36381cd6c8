//! The `_id` of each document, and the way back.
//!
//! ```text
//! ids:
//! 0  1  width of starts; 255 if all ids have the same length
//! 1  1  width of ends
//! 2  4  that length
//! 6     starts, packed: where each group of 64 ids starts (unless all have the same length)
//!       ends, packed: where each id ends within its group (the same)
//!       ids, one behind the other
//! table: an open hash table
//! 0   8  key of the hash
//! 8   8  number of slots s
//! 16  s  tags: 0 = empty, otherwise the low seven bits of the hash, plus 128
//!     documents, packed, as wide as the number of documents
//! ```
//!
//! Ids that are not in the segment, the usual case when documents are indexed, cost one look at a tag.

use crate::byte_strings::ByteStrings;
use crate::codec::bytes::{u32_at, u64_at};
use crate::codec::hash::hash64;
use crate::codec::packed;
use crate::pace::{Pace, zeros};
use bytes::Bytes;

const SAME_LENGTH: u8 = 255;
const IDS_HEADER_BYTES: usize = 6;
/// Numbers packed between two ticks; a multiple of eight, so that what is packed in pieces is packed without gaps.
const SLICE: usize = 1_024;
/// Bytes copied between two ticks, and the units of work that this is.
const COPIED_BYTES: usize = 64 << 10;
const COPIED_UNITS: u32 = 1_024;
/// Ids of a group: what their ends are counted from stands once for all of them.
const GROUP: usize = 64;
const TABLE_HEADER_BYTES: usize = 16;

#[derive(Clone)]
pub(crate) struct Ids {
    bytes: Bytes,
    /// Where the ends start.
    ends: usize,
    /// Where the ids start.
    data: usize,
    table: Bytes,
    max_doc: u32,
}

impl Ids {
    pub fn new(max_doc: u32, bytes: Bytes, table: Bytes) -> Self {
        let docs = max_doc as usize;
        let (starts_len, ends_len) = match bytes[0] {
            SAME_LENGTH => (0, 0),
            width => (packed::bytes_len(docs.div_ceil(GROUP), width), packed::bytes_len(docs, bytes[1])),
        };
        let ends = IDS_HEADER_BYTES + starts_len;
        Self { ends, data: ends + ends_len, bytes, table, max_doc }
    }

    pub fn memory_bytes(&self) -> usize {
        self.bytes.len() + self.table.len()
    }

    #[inline]
    fn bytes(&self, doc: u32) -> &[u8] {
        assert!(doc < self.max_doc, "document {doc} of a segment of {}", self.max_doc);
        let doc = doc as usize;
        let (start, end) = match self.bytes[0] {
            SAME_LENGTH => {
                let len = u32_at(&self.bytes, 2) as usize;
                (doc * len, (doc + 1) * len)
            }
            width => {
                let group = packed::get(&self.bytes[IDS_HEADER_BYTES..], width, doc / GROUP) as usize;
                let (ends, width) = (&self.bytes[self.ends..], self.bytes[1]);
                let (start, end) = match doc % GROUP {
                    0 => (0, packed::get(ends, width, doc)),
                    _ => packed::get_pair(ends, width, doc - 1),
                };
                (group + start as usize, group + end as usize)
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
                let docs = &self.table[TABLE_HEADER_BYTES + slots..];
                let doc = packed::get(docs, packed::width(self.max_doc.into()), slot) as u32;
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
    ids: ByteStrings,
}

impl IdsWriter {
    pub fn push(&mut self, id: &str) {
        self.ids.push(id.as_bytes());
    }

    pub fn len(&self) -> u32 {
        self.ids.len() as u32
    }

    pub fn get(&self, doc: u32) -> &str {
        std::str::from_utf8(self.ids.get(doc as usize)).expect("pushed as str")
    }

    pub fn memory_bytes(&self) -> usize {
        self.ids.memory_bytes()
    }

    /// The section of ids.
    pub async fn section(&self, pace: &Pace) -> Vec<u8> {
        let mut ends = Vec::with_capacity(self.ids.len());
        let (first, mut same, mut end) = (self.ids.lens().next().unwrap_or(0), true, 0);
        for len in self.ids.lens() {
            end += len as u64;
            same &= len == first;
            ends.push(end);
            pace.tick(1).await;
        }
        if same {
            let mut out = Vec::with_capacity(IDS_HEADER_BYTES + self.ids.bytes_len());
            out.extend_from_slice(&[SAME_LENGTH, 0]);
            // None is longer than 512 bytes.
            out.extend_from_slice(&(first as u32).to_le_bytes());
            self.append_bytes(&mut out, pace).await;
            return out;
        }
        let (mut starts, mut start, mut longest) = (vec![], 0, 0);
        for ends in ends.chunks(GROUP) {
            starts.push(start);
            longest = longest.max(ends[ends.len() - 1] - start);
            start = ends[ends.len() - 1];
            pace.tick(1).await;
        }
        let (width, end_width) = (packed::width(start), packed::width(longest));
        let packed = packed::bytes_len(starts.len(), width) + packed::bytes_len(ends.len(), end_width);
        let mut out = Vec::with_capacity(IDS_HEADER_BYTES + packed + self.ids.bytes_len());
        out.extend_from_slice(&[width, end_width, 0, 0, 0, 0]);
        for slice in starts.chunks(SLICE) {
            packed::pack(slice.iter().copied(), width, &mut out);
            pace.tick(SLICE as u32 / 4).await;
        }
        for (at, slice) in ends.chunks(SLICE).enumerate() {
            let ends = (at * SLICE..).zip(slice).map(|(doc, end)| end - starts[doc / GROUP]);
            packed::pack(ends, end_width, &mut out);
            pace.tick(SLICE as u32 / 4).await;
        }
        self.append_bytes(&mut out, pace).await;
        out
    }

    async fn append_bytes(&self, out: &mut Vec<u8>, pace: &Pace) {
        for piece in self.ids.pieces(COPIED_BYTES) {
            out.extend_from_slice(piece);
            pace.tick(COPIED_UNITS).await;
        }
    }

    /// The table; documents for which `skip` holds are not in it.
    pub async fn table(&self, key: u64, skip: impl Fn(u32) -> bool, pace: &Pace) -> Vec<u8> {
        // At most five eighths full.
        let slots = self.ids.len() * 8 / 5 + 1;
        let width = packed::width(self.len().into());
        let mut out = Vec::with_capacity(TABLE_HEADER_BYTES + slots + packed::bytes_len(slots, width));
        out.resize(TABLE_HEADER_BYTES + slots, 0);
        out[..8].copy_from_slice(&key.to_le_bytes());
        out[8..16].copy_from_slice(&(slots as u64).to_le_bytes());
        let (tags, mut docs) = (&mut out[TABLE_HEADER_BYTES..], zeros::<u32>(slots, pace).await);
        for doc in (0..self.len()).filter(|doc| !skip(*doc)) {
            let id = self.ids.get(doc as usize);
            let (tag, mut slot) = place(hash64(key, id), slots);
            while tags[slot] != 0 && (tags[slot] != tag || self.ids.get(docs[slot] as usize) != id) {
                slot = after(slot, slots);
            }
            (tags[slot], docs[slot]) = (tag, doc);
            pace.tick(3).await;
        }
        for slice in docs.chunks(SLICE) {
            packed::pack(slice.iter().map(|doc| u64::from(*doc)), width, &mut out);
            pace.tick(SLICE as u32 / 4).await;
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
