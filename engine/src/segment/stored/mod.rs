//! Stored fields: `_source`, routing and fields with `store: true`, in compressed blocks of some 8 KiB.
//!
//! ```text
//! 0   4  number of blocks b
//! 4   8  where the index starts
//! 12     blocks
//! index: b times 4 bytes first document, 8 bytes where the block starts
//! dictionary, if there is one: as a block, whose number of documents is that of those it was chosen over
//!
//! block: 4 bytes documents (highest bit: compressed with the dictionary), 4 bytes of its content, 4 bytes CRC-32 of the 8
//!        before and of the rest, then the content as a frame of Zstandard
//! content: per document varint bytes of its record; then the records
//! record:
//!   1      flags: 1 = source, 2 = routing
//!   varint length + bytes   source; varint length + bytes   routing
//!   varint number of stored fields, then each: varint length + name, 1 byte kind (see `record::Tag`), value:
//!     strings and bytes: varint length + bytes; numbers: 8 bytes (float: 4); booleans: 1
//! ```
//!
//! Blocks of 8 KiB with a dictionary take two thirds of what blocks of 16 KiB take in LZ4, and as long to decompress
//! (`rfc`: 0.23 and 0.34 of the documents; `logs`: 0.15 and 0.27).

mod block;
mod cache;
mod dictionary;
mod record;
mod writer;

pub(crate) use block::Block;
pub use cache::keep_records;
pub use record::{StoredDoc, StoredValue, ignored_follows_source};
pub(crate) use writer::StoredWriter;

use super::SegmentError;
use super::partial::PartSection;
use crate::codec::bytes::{u32_at, u64_at};
use crate::pace::Pace;
use crate::{Error, Result};
use block::BLOCK_HEADER_BYTES;
use bytes::Bytes;
use dictionary::Dictionary;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) const HEADER_BYTES: usize = 12;
const ENTRY_BYTES: usize = 12;

/// Stored documents of a segment.
pub(crate) struct Stored {
    content: Content,
    /// The index as it stands in the section.
    entries: Bytes,
    blocks: usize,
    /// Where the index starts.
    index: usize,
    max_doc: u32,
    dictionary: Option<Arc<Dictionary>>,
    /// Tells it from all others that were ever opened.
    number: u64,
}

/// What of the section is there.
enum Content {
    Whole(Bytes),
    /// Those blocks that are read when they are asked for.
    Blocks(PartSection),
}

/// The number of the stored fields that are opened next.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

impl Stored {
    /// Nothing where the section cannot be right.
    pub fn new(max_doc: u32, bytes: Bytes) -> Option<Self> {
        let header = bytes.first_chunk()?;
        let index = usize::try_from(Self::index_start(header, bytes.len() as u64)?).ok()?;
        let (blocks, end) = (u32_at(&bytes, 0) as usize, bytes.slice(index..));
        Self::of(max_doc, blocks, index, end, Content::Whole(bytes))
    }

    /// With what stands behind the blocks.
    fn of(max_doc: u32, blocks: usize, index: usize, end: Bytes, content: Content) -> Option<Self> {
        let entries_len = blocks * ENTRY_BYTES;
        let dictionary = match end.len() > entries_len {
            true => {
                let raw = &end[entries_len..];
                Some(Dictionary::new(Block::decompress(raw, None)?.into_content(), block::docs_of(raw)))
            }
            false => None,
        };
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        Some(Self { content, entries: end.slice(..entries_len), blocks, index, max_doc, dictionary, number })
    }

    /// Where the index of a section of `len` bytes starts, which begins with `header`; nothing where that cannot be.
    pub fn index_start(header: &[u8; HEADER_BYTES], len: u64) -> Option<u64> {
        let (blocks, index) = (u64::from(u32_at(header, 0)), u64_at(header, 4));
        let entries_end = index.checked_add(blocks * ENTRY_BYTES as u64);
        (index >= HEADER_BYTES as u64 && entries_end.is_some_and(|end| end <= len)).then_some(index)
    }

    /// Stored documents of which no block has been read yet, by `header` and by what stands from `index` on. That is not covered by a
    /// checksum of its own, so what others rely on is looked at: nothing where it cannot be right.
    pub async fn without_blocks(
        max_doc: u32,
        header: &[u8; HEADER_BYTES],
        index: u64,
        end: Bytes,
        blocks: PartSection,
        pace: &Pace,
    ) -> Option<Self> {
        let index = usize::try_from(index).ok()?;
        let stored = Self::of(max_doc, u32_at(header, 0) as usize, index, end, Content::Blocks(blocks))?;
        if stored.blocks == 0 || stored.first_doc(0) != 0 {
            return None;
        }
        for block in 0..stored.blocks {
            let (docs, place) = (stored.docs(block), stored.place(block));
            let fits = docs.start < docs.end && docs.end <= max_doc;
            if !fits || place.start < HEADER_BYTES || place.len() < BLOCK_HEADER_BYTES || place.end > index {
                return None;
            }
            pace.tick(1).await;
        }
        Some(stored)
    }

    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Bytes that all blocks take together.
    pub fn blocks_len(&self) -> usize {
        self.index - HEADER_BYTES
    }

    fn first_doc(&self, block: usize) -> u32 {
        u32_at(&self.entries, block * ENTRY_BYTES)
    }

    /// The documents of a block.
    pub fn docs(&self, block: usize) -> Range<u32> {
        let end = if block + 1 < self.blocks { self.first_doc(block + 1) } else { self.max_doc };
        self.first_doc(block)..end
    }

    /// Where a block stands in the section.
    pub fn place(&self, block: usize) -> Range<usize> {
        let start = |block| u64_at(&self.entries, block * ENTRY_BYTES + 4) as usize;
        start(block)..if block + 1 < self.blocks { start(block + 1) } else { self.index }
    }

    /// A block as it stands in the file; nothing where it has not been read.
    pub fn raw(&self, block: usize) -> Option<Bytes> {
        let place = self.place(block);
        match &self.content {
            Content::Whole(bytes) => Some(bytes.slice(place)),
            Content::Blocks(section) => section.find_whole(place.start as u64..place.end as u64),
        }
    }

    /// Memory of what is held as long as the segment is, beside its file.
    pub fn index_bytes(&self) -> usize {
        self.entries.len() + self.dictionary.as_ref().map_or(0, |dictionary| dictionary.content().len())
    }

    /// A block of a segment that has been read. `name` stands in the error of a damaged one.
    pub fn open_block(&self, name: &str, block: usize) -> Result<Block> {
        self.find_block(name, block)?.ok_or_else(|| self.damaged(name))
    }

    /// Nothing where the block has not been read.
    fn find_block(&self, name: &str, block: usize) -> Result<Option<Block>> {
        let Some(raw) = self.raw(block) else { return Ok(None) };
        let opened = Block::decompress(&raw, self.dictionary.as_deref());
        opened.map(Some).ok_or_else(|| self.damaged(name))
    }

    /// What its blocks are compressed with.
    pub fn dictionary(&self) -> Option<&Arc<Dictionary>> {
        self.dictionary.as_ref()
    }

    #[cold]
    pub fn damaged(&self, name: &str) -> Error {
        SegmentError { name, offset: self.index as u64 }.corrupt("block of stored fields is damaged")
    }

    /// The block that the document is in.
    pub fn block_of(&self, doc: u32) -> usize {
        assert!(doc < self.max_doc, "document {doc} of a segment of {}", self.max_doc);
        let (mut lo, mut hi) = (0, self.blocks);
        while lo < hi {
            let mid = (lo + hi) / 2;
            if self.first_doc(mid) <= doc {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        lo - 1
    }

    /// How many bytes the content of the block has that the document is in; those of the block itself where it has not been read.
    pub fn content_bytes_around(&self, doc: u32) -> usize {
        let block = self.block_of(doc);
        match self.raw(block) {
            Some(raw) if raw.len() >= BLOCK_HEADER_BYTES => block::content_len(&raw),
            _ => self.place(block).len(),
        }
    }

    /// What is stored of the document; an empty one where that has not been read. Decompresses the document's block, unless `opened` holds it from the last time, or its record is kept.
    pub fn get(&self, name: &str, doc: u32, opened: &mut OpenedBlock) -> Result<StoredDoc> {
        let record = match opened.0.as_ref().filter(|known| known.docs.contains(&doc) && known.of == self.number) {
            Some(known) => known.record(doc),
            None => match cache::find(self.number, doc) {
                Some(record) => Some(record),
                None => {
                    let block = self.block_of(doc);
                    let Some(content) = self.find_block(name, block)? else { return Ok(StoredDoc::default()) };
                    let known = opened.0.insert(Opened { of: self.number, docs: self.docs(block), content });
                    let record = known.record(doc);
                    record.iter().for_each(|record| cache::keep(self.number, doc, record));
                    record
                }
            },
        };
        record.and_then(|record| record::decode(&record)).ok_or_else(|| record_error(name, doc))
    }
}

impl Opened {
    fn record(&self, doc: u32) -> Option<Bytes> {
        self.content.record((doc - self.docs.start) as usize)
    }
}

#[cold]
fn record_error(name: &str, doc: u32) -> Error {
    SegmentError { name, offset: u64::from(doc) }.corrupt("stored fields of the document of that number are damaged")
}

/// The block that was decompressed last: whoever reads documents in their order decompresses each block once.
#[derive(Default)]
pub struct OpenedBlock(Option<Opened>);

struct Opened {
    /// The number of the stored fields that it is of.
    of: u64,
    docs: Range<u32>,
    content: Block,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::{Pace, block_on_ready};
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn doc(i: u32) -> StoredDoc {
        let source = (!i.is_multiple_of(5))
            .then(|| Bytes::from(format!("{{\"n\":{i},\"text\":\"{}\"}}", "word ".repeat(i as usize % 50))));
        let routing = i.is_multiple_of(7).then(|| format!("r{i}"));
        let mut fields = vec![("a".to_owned(), StoredValue::Long(-i64::from(i)))];
        if i.is_multiple_of(2) {
            fields.push(("b.c".to_owned(), StoredValue::String("ä".into())));
            fields.push(("d".to_owned(), StoredValue::Double(1.5)));
            fields.push(("d".to_owned(), StoredValue::Float(2.5)));
            fields.push(("e".to_owned(), StoredValue::Bool(true)));
            fields.push(("f".to_owned(), StoredValue::Bytes(vec![0, 255])));
        }
        StoredDoc { source, routing, fields }
    }

    fn open(max_doc: u32, writer: &StoredWriter) -> Stored {
        let (head, tail) = block_on_ready(writer.section(&Pace::never()));
        Stored::new(max_doc, writer.around_blocks(&head, &tail).collect::<Vec<_>>().concat().into()).unwrap()
    }

    #[test]
    fn documents_come_back_from_buffer_section_and_copies() {
        let mut writer = StoredWriter::default();
        for i in 0..1_000 {
            let doc = doc(i);
            let fields = doc.fields.iter().map(|(name, value)| (&name[..], value));
            writer.push(doc.source.as_deref(), doc.routing.as_deref(), fields);
            assert_eq!(writer.get(i / 2).unwrap(), self::doc(i / 2));
        }
        let stored = open(1_000, &writer);
        assert!(stored.blocks() > 3);
        let copy = copied(1_000, &[&stored]);
        for i in 0..1_000 {
            assert_eq!(stored.get("s", i, &mut OpenedBlock::default()).unwrap(), doc(i));
            assert_eq!(copy.get("s", i, &mut OpenedBlock::default()).unwrap(), doc(i));
        }
    }

    /// How often the core is handed back while a section is made, by one who is asked to at every look.
    fn pauses(writer: &StoredWriter) -> usize {
        let pace = Pace::new(|| true);
        let (mut section, mut pauses) = (pin!(writer.section(&pace)), 0);
        while section.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            pauses += 1;
        }
        pauses
    }

    /// The documents of all `sources`, every other block of which is taken as it is where it can be.
    fn copied(max_doc: u32, sources: &[&Stored]) -> Stored {
        let bytes = sources.iter().map(|stored| stored.blocks_len()).sum();
        let mut copy = StoredWriter::of_sources(sources.iter().copied(), bytes);
        for stored in sources {
            for block in 0..stored.blocks() {
                if block % 2 == 0 && copy.push_block(stored, block) {
                    continue;
                }
                let block = stored.open_block("s", block).unwrap();
                block.records().unwrap().into_iter().for_each(|record| copy.push_record(record));
            }
        }
        open(max_doc, &copy)
    }

    #[test]
    fn large_segments_have_a_dictionary_which_their_successors_and_merges_share() {
        let write = |writer: &mut StoredWriter, docs: Range<u32>| {
            for i in docs {
                let word = |at: u32| i.wrapping_mul(2_654_435_761).rotate_left(at * 5) % 500 * 7_919;
                let text: Vec<String> = (0..6).map(|at| format!("word{}", word(at))).collect();
                let source = format!("{{\"number\":{i},\"text\":\"{}\"}}", text.join(" "));
                writer.push(Some(source.as_bytes()), None, std::iter::empty());
            }
        };
        let mut first = StoredWriter::default();
        write(&mut first, 0..90_000);
        let mut second = first.successor(None);
        write(&mut second, 90_000..120_000);
        let mut small = second.successor(Some(&open(90_000, &first)));
        write(&mut small, 120_000..120_010);
        let stored = [open(90_000, &first), open(30_000, &second), open(10, &small)];
        assert_eq!([&first, &small].map(pauses), [2, 1], "others have the core after each block");
        let dictionaries: Vec<_> =
            stored.iter().map(|stored| stored.dictionary().map(|own| crc32fast::hash(own.content()))).collect();
        assert!(dictionaries[0].is_some() && dictionaries[1].is_some());
        assert_ne!(dictionaries[0], dictionaries[1], "the second is chosen over all of the first segment");
        assert!(dictionaries[2].is_none(), "a small segment carries none");
        let merged = copied(120_010, &stored.each_ref());
        assert_eq!(merged.dictionary().map(|own| crc32fast::hash(own.content())), dictionaries[1]);
        // What was copied and what was made anew is as small as it was, but for where blocks are cut.
        let len_before: usize = stored.iter().map(Stored::blocks_len).sum();
        assert!(merged.blocks_len() <= len_before + len_before / 100, "{} of {len_before}", merged.blocks_len());
        let (mut opened, mut merged_opened, mut doc) = (OpenedBlock::default(), OpenedBlock::default(), 0);
        for source in &stored {
            for at in 0..source.max_doc {
                let expected = source.get("s", at, &mut opened).unwrap();
                assert_eq!(merged.get("s", doc, &mut merged_opened).unwrap(), expected);
                doc += 1;
            }
        }
    }

    #[test]
    fn an_opened_block_serves_its_own_documents_only() {
        let segments = [3u32, 7].map(|step| {
            let mut writer = StoredWriter::default();
            for i in 0..400 {
                let doc = doc(i * step);
                let fields = doc.fields.iter().map(|(name, value)| (&name[..], value));
                writer.push(doc.source.as_deref(), doc.routing.as_deref(), fields);
            }
            (step, open(400, &writer))
        });
        let mut opened = OpenedBlock::default();
        for i in 0..400 {
            for (step, stored) in &segments {
                for at in [i, i, (i * 37) % 400] {
                    assert_eq!(stored.get("s", at, &mut opened).unwrap(), doc(at * step));
                }
            }
        }
    }
}
