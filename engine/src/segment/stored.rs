//! Stored fields: `_source`, routing and fields with `store: true`, in compressed blocks of some 16 KiB.
//!
//! ```text
//! 0   4  number of blocks b
//! 4   8  where the index starts
//! 12     blocks
//! index: b times 4 bytes first document, 8 bytes where the block starts
//!
//! block: 4 bytes documents, 4 bytes of its content, then the content, compressed by LZ4
//! content: per document varint bytes of its record; then the records
//! record:
//!   1      flags: 1 = source, 2 = routing
//!   varint length + bytes   source; varint length + bytes   routing
//!   varint number of stored fields, then each: varint length + name, 1 byte kind (see `Tag`), value:
//!     strings and bytes: varint length + bytes; numbers: 8 bytes (float: 4); booleans: 1
//! ```

use super::SegmentError;
use super::stored_cache::StoredCache;
use crate::codec::bytes::{u32_at, u64_at};
use crate::codec::varint::{self, Reader};
use crate::pace::Pace;
use crate::{Error, Result};
use bytes::Bytes;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Content of a block from which on it is closed.
const BLOCK_BYTES: usize = 16 << 10;
pub(super) const HEADER_BYTES: usize = 12;
const ENTRY_BYTES: usize = 12;
const BLOCK_HEADER_BYTES: usize = 8;

/// What is stored of a document, beside its `_id`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredDoc {
    pub source: Option<Bytes>,
    pub routing: Option<String>,
    /// Name and value in the order in which they were given; several values of a field stand beside each other.
    pub fields: Vec<(String, StoredValue)>,
}

/// Whether nothing stands between the source of a document and the names of the fields of which something was ignored.
pub fn ignored_follows_source(fields: &[(String, StoredValue)]) -> bool {
    fields.iter().all(|(name, _)| name == "_ignored")
}

/// A value of a stored field.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredValue {
    String(String),
    Long(i64),
    Double(f64),
    Float(f32),
    Bool(bool),
    Bytes(Vec<u8>),
}

#[repr(u8)]
enum Tag {
    String = 0,
    Long = 1,
    Double = 2,
    Float = 3,
    Bool = 4,
    Bytes = 5,
}

/// Stored documents of a segment.
pub(crate) struct Stored {
    content: Content,
    /// The index as it stands in the section.
    entries: Bytes,
    blocks: usize,
    /// Where the index starts.
    index: usize,
    max_doc: u32,
    /// Tells it from all others that were ever opened.
    number: u64,
}

/// What of the section is there.
enum Content {
    Whole(Bytes),
    /// The blocks that were read so far.
    Blocks(Mutex<HashMap<usize, Bytes>>),
}

/// The number of the stored fields that are opened next.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

impl Stored {
    pub fn new(max_doc: u32, bytes: Bytes) -> Self {
        let (blocks, index) = (u32_at(&bytes, 0) as usize, u64_at(&bytes, 4) as usize);
        assert!(index + blocks * ENTRY_BYTES == bytes.len(), "checked layout");
        let (entries, number) = (bytes.slice(index..), NEXT_NUMBER.fetch_add(1, Ordering::Relaxed));
        Self { content: Content::Whole(bytes), entries, blocks, index, max_doc, number }
    }

    /// Where the index of a section of `len` bytes starts, which begins with `header`; nothing where that cannot be.
    pub fn index_start(header: &[u8; HEADER_BYTES], len: u64) -> Option<u64> {
        let (blocks, index) = (u64::from(u32_at(header, 0)), u64_at(header, 4));
        let fits = index >= HEADER_BYTES as u64 && index.checked_add(blocks * ENTRY_BYTES as u64) == Some(len);
        fits.then_some(index)
    }

    /// Stored documents of which no block has been read yet, by the index that starts at `index`. It is not covered by a checksum of its
    /// own, so what others rely on is looked at: nothing where it cannot be right.
    pub async fn without_blocks(max_doc: u32, index: u64, entries: Bytes, pace: &Pace) -> Option<Self> {
        let blocks = entries.len() / ENTRY_BYTES;
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        let index = usize::try_from(index).ok()?;
        let stored = Self { content: Content::Blocks(Mutex::default()), entries, blocks, index, max_doc, number };
        if stored.blocks == 0 || stored.first_doc(0) != 0 {
            return None;
        }
        for block in 0..blocks {
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
        match &self.content {
            Content::Whole(bytes) => Some(bytes.slice(self.place(block))),
            Content::Blocks(read) => read.lock().ok()?.get(&block).cloned(),
        }
    }

    /// Whether the block is there.
    pub fn has(&self, block: usize) -> bool {
        match &self.content {
            Content::Whole(_) => true,
            Content::Blocks(read) => read.lock().is_ok_and(|read| read.contains_key(&block)),
        }
    }

    /// Adds a block that has been read.
    pub fn add_block(&self, block: usize, bytes: Bytes) {
        if let Content::Blocks(read) = &self.content
            && let Ok(mut read) = read.lock()
        {
            read.insert(block, bytes);
        }
    }

    /// `name` stands in the error of a damaged block.
    pub fn open_block(&self, name: &str, block: usize) -> Result<Block> {
        self.raw(block).and_then(|raw| Block::decompress(&raw)).ok_or_else(|| self.damaged(name))
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

    /// Decompresses the document's block, unless `opened` holds it from the last time.
    pub fn get(&self, name: &str, doc: u32, opened: &mut OpenedBlock) -> Result<StoredDoc> {
        let known = opened.last.as_ref().filter(|known| known.docs.contains(&doc) && known.of == self.number);
        let known = match known {
            Some(known) => known,
            None => {
                let block = self.block_of(doc);
                let content = match &opened.cache {
                    Some(cache) => cache.get(self.number, block, || self.open_block(name, block))?,
                    None => self.open_block(name, block)?,
                };
                opened.last.insert(Opened { of: self.number, docs: self.docs(block), content })
            }
        };
        let record = known.content.record((doc - known.docs.start) as usize);
        record.and_then(|record| decode(&record)).ok_or_else(|| record_error(name, doc))
    }
}

#[cold]
fn record_error(name: &str, doc: u32) -> Error {
    SegmentError { name, offset: u64::from(doc) }.corrupt("stored fields of the document of that number are damaged")
}

/// The block that was decompressed last: whoever reads documents in their order decompresses each block once. Others may be
/// found in a cache.
#[derive(Default)]
pub struct OpenedBlock {
    last: Option<Opened>,
    cache: Option<StoredCache>,
}

impl OpenedBlock {
    pub fn with_cache(cache: Option<StoredCache>) -> Self {
        Self { last: None, cache }
    }
}

struct Opened {
    /// The number of the stored fields that it is of.
    of: u64,
    docs: Range<u32>,
    content: Block,
}

/// The content of a block. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Block {
    content: Bytes,
    docs: usize,
}

impl Block {
    fn decompress(raw: &[u8]) -> Option<Self> {
        /// LZ4 makes nothing smaller than that: more would have to be damage, and is not reserved.
        const RATIO_MAX: usize = 256;
        let (docs, len) = (u32_at(raw, 0) as usize, u32_at(raw, 4) as usize);
        if len > raw.len().saturating_mul(RATIO_MAX) {
            return None;
        }
        let content = lz4_flex::block::decompress(&raw[BLOCK_HEADER_BYTES..], len).ok()?;
        (content.len() == len).then_some(Self { content: content.into(), docs })
    }

    #[cfg(test)]
    pub fn of(content: Vec<u8>) -> Self {
        Self { content: content.into(), docs: 0 }
    }

    pub fn bytes_len(&self) -> usize {
        self.content.len()
    }

    /// The record of the document at this place in the block.
    pub fn record(&self, at: usize) -> Option<Bytes> {
        let mut reader = Reader::new(&self.content);
        let (mut before, mut own) = (0, 0);
        for i in 0..self.docs {
            let len = usize::try_from(reader.varint()?).ok()?;
            match i.cmp(&at) {
                std::cmp::Ordering::Less => before += len,
                std::cmp::Ordering::Equal => own = len,
                std::cmp::Ordering::Greater => {}
            }
        }
        let start = reader.position().checked_add(before)?;
        (start.checked_add(own)? <= self.content.len()).then(|| self.content.slice(start..start + own))
    }

    /// All records in order.
    pub fn records(&self) -> Option<Vec<&[u8]>> {
        let mut reader = Reader::new(&self.content);
        let lens: Option<Vec<u64>> = (0..self.docs).map(|_| reader.varint()).collect();
        lens?.into_iter().map(|len| reader.bytes(usize::try_from(len).ok()?)).collect()
    }
}

/// Collects documents in order and compresses them block by block.
pub(crate) struct StoredWriter {
    out: Vec<u8>,
    /// First document and start of each block.
    index: Vec<(u32, u64)>,
    pending: Vec<u8>,
    pending_ends: Vec<usize>,
    next_doc: u32,
}

impl Default for StoredWriter {
    fn default() -> Self {
        Self { out: vec![0; HEADER_BYTES], index: vec![], pending: vec![], pending_ends: vec![], next_doc: 0 }
    }
}

impl StoredWriter {
    /// With room for about as many bytes of blocks.
    pub fn with_capacity(bytes: usize) -> Self {
        let mut out = Vec::with_capacity(HEADER_BYTES + bytes);
        out.resize(HEADER_BYTES, 0);
        Self { out, ..Self::default() }
    }

    /// Adds the next document.
    pub fn push<'a>(
        &mut self,
        source: Option<&[u8]>,
        routing: Option<&str>,
        fields: impl ExactSizeIterator<Item = (&'a str, &'a StoredValue)>,
    ) {
        encode(source, routing, fields, &mut self.pending);
        self.end_record();
    }

    /// Adds the next document as another segment holds it.
    pub fn push_record(&mut self, record: &[u8]) {
        self.pending.extend_from_slice(record);
        self.end_record();
    }

    fn end_record(&mut self) {
        self.pending_ends.push(self.pending.len());
        self.next_doc += 1;
        if self.pending.len() >= BLOCK_BYTES {
            self.end_block();
        }
    }

    /// Adds all documents of a block of another segment. Gives `false` and does nothing where that would leave too small a
    /// block before it.
    pub fn push_block(&mut self, raw: &[u8]) -> bool {
        if !self.pending.is_empty() && self.pending.len() < BLOCK_BYTES / 2 {
            return false;
        }
        self.end_block();
        self.index.push((self.next_doc, self.out.len() as u64));
        self.out.extend_from_slice(raw);
        self.next_doc += u32_at(raw, 0);
        true
    }

    fn end_block(&mut self) {
        let docs = self.pending_ends.len() as u32;
        if docs == 0 {
            return;
        }
        let mut content = Vec::with_capacity(self.pending.len() + self.pending_ends.len() * 2);
        let mut before = 0;
        for end in self.pending_ends.drain(..) {
            varint::write(&mut content, (end - before) as u64);
            before = end;
        }
        content.append(&mut self.pending);
        self.index.push((self.next_doc - docs, self.out.len() as u64));
        self.out.extend_from_slice(&docs.to_le_bytes());
        self.out.extend_from_slice(&(content.len() as u32).to_le_bytes());
        let start = self.out.len();
        self.out.resize(start + lz4_flex::block::get_maximum_output_size(content.len()), 0);
        let len = lz4_flex::block::compress_into(&content, &mut self.out[start..]).expect("room for the worst case");
        self.out.truncate(start + len);
    }

    /// A document that was added before.
    pub fn get(&self, doc: u32) -> Result<StoredDoc> {
        assert!(doc < self.next_doc, "document {doc} of a buffer of {}", self.next_doc);
        let pending_first = self.next_doc - self.pending_ends.len() as u32;
        let record = if doc >= pending_first {
            let at = (doc - pending_first) as usize;
            let start = at.checked_sub(1).map_or(0, |before| self.pending_ends[before]);
            Some(Bytes::copy_from_slice(&self.pending[start..self.pending_ends[at]]))
        } else {
            let block = self.index.partition_point(|(first, _)| *first <= doc) - 1;
            let (first, start) = self.index[block];
            let end = self.index.get(block + 1).map_or(self.out.len(), |(_, start)| *start as usize);
            Block::decompress(&self.out[start as usize..end]).and_then(|block| block.record((doc - first) as usize))
        };
        record.and_then(|record| decode(&record)).ok_or_else(|| record_error("buffer", doc))
    }

    pub fn memory_bytes(&self) -> usize {
        // Of what was made with room for more most has never been touched.
        self.out.len() + self.pending.capacity() + self.pending_ends.capacity() * 8 + self.index.capacity() * 16
    }

    /// The blocks that are closed.
    pub fn blocks(&self) -> &[u8] {
        &self.out[HEADER_BYTES..]
    }

    /// What stands before and behind [`StoredWriter::blocks`] in the section. What is still pending is compressed on a copy,
    /// so that documents can be read meanwhile.
    pub fn section(&self) -> (Vec<u8>, Vec<u8>) {
        let mut last = Self {
            pending: self.pending.clone(),
            pending_ends: self.pending_ends.clone(),
            next_doc: self.next_doc,
            ..Self::default()
        };
        last.end_block();
        let shift = (self.out.len() - HEADER_BYTES) as u64;
        let mut tail = last.out.split_off(HEADER_BYTES);
        let index_at = self.out.len() + tail.len();
        let moved = last.index.iter().map(|(first, start)| (*first, start + shift));
        for (first, start) in self.index.iter().copied().chain(moved) {
            tail.extend_from_slice(&first.to_le_bytes());
            tail.extend_from_slice(&start.to_le_bytes());
        }
        let mut head = ((self.index.len() + last.index.len()) as u32).to_le_bytes().to_vec();
        head.extend_from_slice(&(index_at as u64).to_le_bytes());
        (head, tail)
    }
}

fn encode<'a>(
    source: Option<&[u8]>,
    routing: Option<&str>,
    fields: impl ExactSizeIterator<Item = (&'a str, &'a StoredValue)>,
    out: &mut Vec<u8>,
) {
    out.push(u8::from(source.is_some()) | u8::from(routing.is_some()) << 1);
    if let Some(source) = source {
        varint::write_bytes(out, source);
    }
    if let Some(routing) = routing {
        varint::write_bytes(out, routing.as_bytes());
    }
    varint::write(out, fields.len() as u64);
    for (name, value) in fields {
        varint::write_bytes(out, name.as_bytes());
        match value {
            StoredValue::String(text) => {
                out.push(Tag::String as u8);
                varint::write_bytes(out, text.as_bytes());
            }
            StoredValue::Long(number) => {
                out.push(Tag::Long as u8);
                out.extend_from_slice(&number.to_le_bytes());
            }
            StoredValue::Double(number) => {
                out.push(Tag::Double as u8);
                out.extend_from_slice(&number.to_le_bytes());
            }
            StoredValue::Float(number) => {
                out.push(Tag::Float as u8);
                out.extend_from_slice(&number.to_le_bytes());
            }
            StoredValue::Bool(flag) => out.extend_from_slice(&[Tag::Bool as u8, u8::from(*flag)]),
            StoredValue::Bytes(bytes) => {
                out.push(Tag::Bytes as u8);
                varint::write_bytes(out, bytes);
            }
        }
    }
}

/// Reads a record; `None` if it is damaged. The source shares the memory of `record`.
fn decode(record: &Bytes) -> Option<StoredDoc> {
    let mut reader = Reader::new(record);
    let flags = reader.u8()?;
    let mut doc = StoredDoc::default();
    if flags & 1 != 0 {
        doc.source = Some(record.slice_ref(reader.sized()?));
    }
    if flags & 2 != 0 {
        doc.routing = Some(text(&mut reader)?);
    }
    for _ in 0..reader.varint()? {
        let name = text(&mut reader)?;
        let value = match reader.u8()? {
            tag if tag == Tag::String as u8 => StoredValue::String(text(&mut reader)?),
            tag if tag == Tag::Long as u8 => StoredValue::Long(i64::from_le_bytes(reader.array()?)),
            tag if tag == Tag::Double as u8 => StoredValue::Double(f64::from_le_bytes(reader.array()?)),
            tag if tag == Tag::Float as u8 => StoredValue::Float(f32::from_le_bytes(reader.array()?)),
            tag if tag == Tag::Bool as u8 => StoredValue::Bool(reader.u8()? != 0),
            tag if tag == Tag::Bytes as u8 => StoredValue::Bytes(reader.sized()?.to_vec()),
            _ => return None,
        };
        doc.fields.push((name, value));
    }
    reader.is_at_end().then_some(doc)
}

fn text(reader: &mut Reader<'_>) -> Option<String> {
    String::from_utf8(reader.sized()?.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let (head, tail) = writer.section();
        Stored::new(max_doc, [&head, writer.blocks(), &tail].concat().into())
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
        let mut copy = StoredWriter::default();
        for block in 0..stored.blocks() {
            if block % 2 == 0 && copy.push_block(&stored.raw(block).unwrap()) {
                continue;
            }
            let block = stored.open_block("s", block).unwrap();
            block.records().unwrap().into_iter().for_each(|record| copy.push_record(record));
        }
        let copy = open(1_000, &copy);
        for i in 0..1_000 {
            assert_eq!(stored.get("s", i, &mut OpenedBlock::default()).unwrap(), doc(i));
            assert_eq!(copy.get("s", i, &mut OpenedBlock::default()).unwrap(), doc(i));
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

    #[test]
    fn a_damaged_record_is_an_error() {
        let mut record = vec![];
        encode(Some(b"{}"), Some("r"), [("a", &StoredValue::Bool(true))].into_iter(), &mut record);
        assert!(decode(&record.clone().into()).is_some());
        for len in 0..record.len() {
            assert!(decode(&record[..len].to_vec().into()).is_none());
        }
    }
}
