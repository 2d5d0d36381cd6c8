//! Documents in order, compressed block by block.

use super::block;
use super::dictionary::{Dictionary, Sampler, WORTH_BYTES};
use super::record::{decode, encode};
use super::{Block, HEADER_BYTES, Stored, StoredDoc, StoredValue, record_error};
use crate::Result;
use crate::byte_strings::ByteStrings;
use crate::chunked::Chunked;
use crate::codec::varint;
use crate::pace::Pace;
use bytes::Bytes;
use std::sync::Arc;

/// Content of a block from which on it is closed.
const BLOCK_BYTES: usize = 8 << 10;
/// About how many times smaller a block is than its content, without a dictionary.
const RATIO: usize = 4;

/// Work units of compressing a block: some 0.2 ms, so that whoever waits is asked for after each.
const COMPRESS_UNITS: u32 = 20_000;

/// Collects documents in order and compresses them block by block.
pub(crate) struct StoredWriter {
    /// The blocks that are closed.
    blocks: ByteStrings,
    /// First document and start of each.
    index: Chunked<(u32, u64)>,
    pending: Vec<u8>,
    pending_ends: Vec<usize>,
    next_doc: u32,
    /// Bytes of the content of all blocks.
    content_len: usize,
    dictionary: Option<Arc<Dictionary>>,
    /// Content from which on the dictionary is used: a small segment shall not carry one.
    dictionary_from: usize,
    /// Whether a block was compressed with it.
    dictionary_used: bool,
    /// Looks for a dictionary where there is none, and for the one of what follows.
    sampler: Sampler,
    /// So little comes from other segments that there will be no dictionary.
    stays_small: bool,
}

impl Default for StoredWriter {
    fn default() -> Self {
        Self {
            blocks: ByteStrings::default(),
            index: Chunked::default(),
            pending: vec![],
            pending_ends: vec![],
            next_doc: 0,
            content_len: 0,
            dictionary: None,
            dictionary_from: WORTH_BYTES,
            dictionary_used: false,
            sampler: Sampler::default(),
            stays_small: false,
        }
    }
}

impl StoredWriter {
    /// For what comes after these documents, beside a segment: with the best dictionary that is known.
    pub fn successor(&self, beside: Option<&Stored>) -> Self {
        let own = self.dictionary.as_ref();
        let known = own.into_iter().chain(beside.and_then(Stored::dictionary)).max_by_key(|known| known.docs());
        let better = self.sampler.better_than(known.map(|known| &**known));
        let dictionary = better.or_else(|| known.map(|known| known.at_rest()));
        Self { dictionary, ..Self::default() }
    }

    /// For documents of these segments, of which about `bytes` bytes of blocks are to come.
    pub fn of_sources<'a>(sources: impl Iterator<Item = &'a Stored>, bytes: usize) -> Self {
        let own = sources.filter_map(|stored| Some((stored.dictionary()?, stored.blocks_len())));
        let best = own.max_by_key(|(dictionary, len)| (dictionary.docs(), *len));
        let dictionary = best.map(|(dictionary, _)| dictionary.at_rest());
        Self { dictionary, dictionary_from: 0, stays_small: bytes < WORTH_BYTES / RATIO, ..Self::default() }
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
        let start = self.pending_ends.last().copied().unwrap_or(0);
        self.sampler.see(&self.pending[start..]);
        self.pending_ends.push(self.pending.len());
        self.next_doc += 1;
        if self.pending.len() >= BLOCK_BYTES {
            self.end_block();
        }
    }

    /// Adds all documents of block `number` of `stored`. Gives `false` and does nothing where they had better be compressed anew:
    /// where the block before would be too small, or another dictionary serves.
    pub fn push_block(&mut self, stored: &Stored, number: usize) -> bool {
        let Some(raw) = stored.raw(number) else { return false };
        if !self.pending.is_empty() && self.pending.len() < BLOCK_BYTES / 2 || !self.may_copy(stored, &raw) {
            return false;
        }
        self.end_block();
        self.index.push((self.next_doc, self.end()));
        self.blocks.push(&raw);
        self.next_doc += block::docs_of(&raw);
        self.content_len += block::content_len(&raw);
        self.dictionary_used |= block::has_dictionary(&raw);
        true
    }

    /// Whether a block is as well compressed as it would be here.
    fn may_copy(&self, stored: &Stored, raw: &[u8]) -> bool {
        match (&self.dictionary, stored.dictionary()) {
            // The first blocks of a segment with a dictionary are without: they were written before it was made.
            (Some(own), Some(other)) => own.content() == other.content(),
            (Some(_), None) => false,
            (None, Some(_)) => !block::has_dictionary(raw),
            // What comes to be worth a dictionary has to be seen by the sampler.
            (None, None) => self.stays_small,
        }
    }

    fn end_block(&mut self) {
        let docs = self.pending_ends.len() as u32;
        if docs == 0 {
            return;
        }
        if self.dictionary.is_none() {
            self.dictionary = self.sampler.dictionary();
        }
        let content = self.pending_content();
        self.index.push((self.next_doc - docs, self.end()));
        let dictionary = self.dictionary_in_use();
        self.dictionary_used |= dictionary.is_some();
        let mut compressed = vec![];
        block::compress(docs, &content, dictionary.as_deref(), &mut compressed);
        self.blocks.push(&compressed);
        self.content_len += content.len();
        self.pending.clear();
        self.pending_ends.clear();
    }

    /// What the next block is compressed with.
    fn dictionary_in_use(&self) -> Option<Arc<Dictionary>> {
        self.dictionary.clone().filter(|_| self.content_len >= self.dictionary_from)
    }

    /// The content of the block of what is pending.
    fn pending_content(&self) -> Vec<u8> {
        let mut content = Vec::with_capacity(self.pending.len() + self.pending_ends.len() * 2);
        let mut before = 0;
        for end in &self.pending_ends {
            varint::write(&mut content, (end - before) as u64);
            before = *end;
        }
        content.extend_from_slice(&self.pending);
        content
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
            let number = self.index.partition_point(|(first, _)| first <= doc) - 1;
            let (first, _) = self.index.get(number);
            let block = Block::decompress(self.blocks.get(number), self.dictionary.as_deref());
            block.and_then(|block| block.record((doc - first) as usize))
        };
        record.and_then(|record| decode(&record)).ok_or_else(|| record_error("buffer", doc))
    }

    pub fn memory_bytes(&self) -> usize {
        let dictionary = self.dictionary.as_ref().map_or(0, |dictionary| dictionary.memory_bytes());
        let pending = self.pending.capacity() + self.pending_ends.capacity() * 8;
        self.blocks.memory_bytes() + pending + self.index.memory_bytes() + dictionary + self.sampler.memory_bytes()
    }

    /// Where the next block starts in the section.
    fn end(&self) -> u64 {
        (HEADER_BYTES + self.blocks.bytes_len()) as u64
    }

    /// The section: the closed blocks between what [`StoredWriter::section`] gives.
    pub fn around_blocks<'a>(&'a self, head: &'a [u8], tail: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        std::iter::once(head).chain(self.blocks.pieces(usize::MAX)).chain(std::iter::once(tail))
    }

    /// What stands before and behind the closed blocks in the section. What is still pending is compressed beside,
    /// so that documents can be read meanwhile.
    pub async fn section(&self, pace: &Pace) -> (Vec<u8>, Vec<u8>) {
        let dictionary = self.dictionary.as_ref().filter(|_| self.dictionary_used);
        let (mut tail, mut last) = (vec![], None);
        let pending = self.pending_ends.len() as u32;
        if pending > 0 {
            last = Some((self.next_doc - pending, self.end()));
            // A dictionary that no block needs yet is not worth its place for the last.
            block::compress(pending, &self.pending_content(), dictionary.map(|own| &**own), &mut tail);
            pace.tick(COMPRESS_UNITS).await;
        }
        let index_at = self.end() + tail.len() as u64;
        for (first, start) in self.index.iter().chain(last) {
            tail.extend_from_slice(&first.to_le_bytes());
            tail.extend_from_slice(&start.to_le_bytes());
        }
        if let Some(dictionary) = dictionary {
            block::compress(dictionary.docs(), dictionary.content(), None, &mut tail);
            pace.tick(COMPRESS_UNITS).await;
        }
        let blocks = self.index.len() + usize::from(last.is_some());
        let mut head = (blocks as u32).to_le_bytes().to_vec();
        head.extend_from_slice(&index_at.to_le_bytes());
        (head, tail)
    }
}
