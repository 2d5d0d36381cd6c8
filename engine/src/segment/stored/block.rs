//! A block: the records of some documents, compressed.

use super::dictionary::{Dictionary, LEVEL};
use crate::codec::bytes::u32_at;
use crate::codec::varint::Reader;
use bytes::Bytes;
use std::cell::RefCell;
use zstd_safe::{CCtx, DCtx};

pub(super) const BLOCK_HEADER_BYTES: usize = 12;
/// The bit of the number of documents that tells blocks with a dictionary.
const WITH_DICTIONARY: u32 = 1 << 31;

thread_local! {
    static COMPRESSOR: RefCell<CCtx<'static>> = RefCell::new(CCtx::create());
    static EXPANDER: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// The content of a block. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Block {
    content: Bytes,
    docs: usize,
}

/// Documents of a block as it stands in a file.
pub(super) fn docs_of(raw: &[u8]) -> u32 {
    u32_at(raw, 0) & !WITH_DICTIONARY
}

/// Bytes of its content.
pub(super) fn content_len(raw: &[u8]) -> usize {
    u32_at(raw, 4) as usize
}

/// Whether it was compressed with the dictionary of its segment.
pub(super) fn has_dictionary(raw: &[u8]) -> bool {
    u32_at(raw, 0) & WITH_DICTIONARY != 0
}

/// The checksum of the first 8 bytes of a block and of what is compressed in it.
fn checksum(raw: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&raw[..8]);
    hasher.update(&raw[BLOCK_HEADER_BYTES..]);
    hasher.finalize()
}

/// Appends the block of the content of `docs` documents.
pub(super) fn compress(docs: u32, content: &[u8], dictionary: Option<&Dictionary>, out: &mut Vec<u8>) {
    let start = out.len();
    let flag = if dictionary.is_some() { WITH_DICTIONARY } else { 0 };
    out.extend_from_slice(&(docs | flag).to_le_bytes());
    out.extend_from_slice(&(content.len() as u32).to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    let at = out.len();
    out.resize(at + zstd_safe::compress_bound(content.len()), 0);
    let len = COMPRESSOR.with_borrow_mut(|compressor| match dictionary {
        Some(dictionary) => compressor.compress_using_cdict(&mut out[at..], content, dictionary.compressing()),
        None => compressor.compress(&mut out[at..], content, LEVEL),
    });
    // All that it could fail by is too little room, and memory, without which nothing goes on.
    out.truncate(at + len.expect("room for the worst case"));
    let sum = checksum(&out[start..]);
    out[start + 8..at].copy_from_slice(&sum.to_le_bytes());
}

impl Block {
    /// `None` if it is damaged, or made with another dictionary.
    pub(super) fn decompress(raw: &[u8], dictionary: Option<&Dictionary>) -> Option<Self> {
        // The checksum covers the length: what it says is what was written.
        if raw.len() < BLOCK_HEADER_BYTES || u32_at(raw, 8) != checksum(raw) {
            return None;
        }
        let (docs, len) = (docs_of(raw) as usize, content_len(raw));
        let (mut content, frame) = (Vec::with_capacity(len), &raw[BLOCK_HEADER_BYTES..]);
        let found = EXPANDER.with_borrow_mut(|expander| match has_dictionary(raw) {
            true => expander.decompress_using_ddict(&mut content, frame, dictionary?.expanding()).ok(),
            false => expander.decompress(&mut content, frame).ok(),
        });
        (found? == len).then(|| Self { content: content.into(), docs })
    }

    pub(super) fn into_content(self) -> Bytes {
        self.content
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_with_any_byte_changed_is_damaged() {
        let content = b"\x04\x04abcdabcd".repeat(20);
        let dictionary = Dictionary::new(Bytes::from_static(b"abcdefgh"), 1);
        for dictionary in [None, Some(&*dictionary)] {
            let mut raw = vec![];
            compress(2, &content, dictionary, &mut raw);
            let block = Block::decompress(&raw, dictionary).unwrap();
            assert_eq!((&block.content[..], block.docs), (&content[..], 2));
            for at in 0..raw.len() {
                raw[at] ^= 0x10;
                assert!(Block::decompress(&raw, dictionary).is_none(), "byte {at}");
                raw[at] ^= 0x10;
                assert!(Block::decompress(&raw[..at], dictionary).is_none());
            }
            assert_eq!(Block::decompress(&raw, None).is_none(), dictionary.is_some());
        }
    }
}
