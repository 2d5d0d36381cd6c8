//! Writes the terms of a field; `terms` draws the layout.

use super::key_scan::index_key;
use super::layout::roomy;
use super::letters::letters_of;
use super::terms::{BLOCK_TERMS, HAS_FREQS, HAS_LETTERS, HAS_POSITIONS, HAS_POSTINGS, HEADER_BYTES, RANKED_DOCS_MIN};
use crate::codec::varint;

/// Writes the terms of a field, which come in ascending order.
pub(crate) struct TermsWriter {
    out: Vec<u8>,
    index: Vec<(u64, u64)>,
    len: u64,
    last: Vec<u8>,
    /// Of the current block.
    keys: Vec<u8>,
    infos: Vec<u8>,
    letters: Vec<u64>,
    flags: u8,
    /// Where the postings and positions of the next term will start.
    postings: u64,
    positions: u64,
}

/// What is written of a term, once its postings are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TermMeta {
    pub doc_freq: u32,
    pub total_term_freq: u64,
    pub best: u8,
    pub tenth: u8,
    /// The document, if there is one only.
    pub single: u32,
    pub postings_bytes: u64,
    pub positions_bytes: u64,
}

impl TermsWriter {
    /// Of terms with postings.
    pub fn with_postings(freqs: bool, positions: bool) -> Self {
        let freqs = if freqs { HAS_FREQS | HAS_LETTERS } else { 0 };
        Self::new(HAS_POSTINGS | freqs | if positions { HAS_POSITIONS } else { 0 })
    }

    /// Of terms alone.
    pub fn keys_only() -> Self {
        Self::new(0)
    }

    fn new(flags: u8) -> Self {
        let (last, keys, infos) = (vec![], vec![], vec![]);
        let (out, index, letters) = (vec![0; HEADER_BYTES], vec![], vec![]);
        Self { out, index, len: 0, last, keys, infos, letters, flags, postings: 0, positions: 0 }
    }

    /// With room for this much.
    pub fn with_capacity(mut self, bytes: usize) -> Self {
        self.out.reserve(roomy(bytes));
        self
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn push(&mut self, term: &[u8], meta: &TermMeta) {
        let mut shared = 0;
        if self.len.is_multiple_of(BLOCK_TERMS as u64) {
            self.end_block();
            self.index.push((index_key(term), self.out.len() as u64));
            varint::write(&mut self.infos, self.postings);
            varint::write(&mut self.infos, self.positions);
        } else {
            assert!(self.last.as_slice() < term, "terms out of order");
            shared = self.last.iter().zip(term).take_while(|(a, b)| a == b).count();
        }
        varint::write(&mut self.keys, shared as u64);
        varint::write_bytes(&mut self.keys, &term[shared..]);
        self.last.truncate(shared);
        self.last.extend_from_slice(&term[shared..]);
        self.len += 1;
        if self.flags & HAS_POSTINGS != 0 {
            self.push_info(meta);
        }
        if self.flags & HAS_LETTERS != 0 {
            self.letters.push(letters_of(term));
        }
    }

    fn push_info(&mut self, meta: &TermMeta) {
        varint::write(&mut self.infos, u64::from(meta.doc_freq));
        if self.flags & HAS_FREQS != 0 {
            varint::write(&mut self.infos, meta.total_term_freq - u64::from(meta.doc_freq));
            self.infos.push(meta.best);
            if meta.doc_freq >= RANKED_DOCS_MIN {
                self.infos.push(meta.tenth);
            }
        }
        if meta.doc_freq == 1 {
            varint::write(&mut self.infos, u64::from(meta.single));
        } else {
            varint::write(&mut self.infos, meta.postings_bytes);
            self.postings += meta.postings_bytes;
        }
        if self.flags & HAS_POSITIONS != 0 {
            varint::write(&mut self.infos, meta.positions_bytes);
            self.positions += meta.positions_bytes;
        }
    }

    fn end_block(&mut self) {
        if self.keys.is_empty() {
            return;
        }
        varint::write(&mut self.out, self.keys.len() as u64);
        self.out.append(&mut self.keys);
        if self.flags & HAS_POSTINGS != 0 {
            self.out.append(&mut self.infos);
        }
        self.infos.clear();
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.end_block();
        let mut out = self.out;
        out[..8].copy_from_slice(&self.len.to_le_bytes());
        out[8..12].copy_from_slice(&(self.index.len() as u32).to_le_bytes());
        let index = out.len() as u64;
        out[12..20].copy_from_slice(&index.to_le_bytes());
        out[20] = self.flags;
        for (key, start) in self.index {
            out.extend_from_slice(&key.to_le_bytes());
            out.extend_from_slice(&start.to_le_bytes());
        }
        self.letters.iter().for_each(|letters| out.extend_from_slice(&letters.to_le_bytes()));
        out
    }
}
