//! The cursor over a posting list.

use super::bound::{dequantise, without_freqs};
use super::dense::Dense;
use super::short::{self, UNITS_DOCS_MIN};
use super::write::DENSE_WIDTH;
use super::{ListPlace, Positions, PostingsSource, RANGE_DOCS, ScoreBound, Want};
use crate::codec::bytes::u32_at;
use crate::codec::packed;
use crate::codec::simd::{self, BLOCK};
use crate::codec::varint;
use crate::segment::{NO_MORE_DOCS, WINDOW, WindowBits};

/// No group of frequencies is unpacked.
const NO_GROUP: u32 = u32::MAX;

/// A cursor over the documents of a term. A fresh one stands on its first document; at the end it stands on
/// [`NO_MORE_DOCS`] and stays there. It owns what it reads.
#[derive(Clone)]
pub struct Postings {
    doc: u32,
    /// The current unit is a bitset; otherwise its documents are at hand.
    is_dense: bool,
    /// The current document's place among those at hand, and how many there are.
    at: usize,
    len: usize,
    /// What is at hand, each made when it is first needed: documents, their frequencies, and the sums of those before each document of the
    /// group.
    docs: Vec<u32>,
    freqs: Vec<u32>,
    starts: Vec<u32>,
    /// The group whose frequencies are at hand, and that whose sums are: of a bitset by rank; of a block always 0.
    freqs_of: u32,
    starts_of: u32,
    dense: Dense,
    /// In a bitset: the number of the word with the current document, and its bits from that on.
    word_at: usize,
    word: u64,
    /// In a bitset: documents before the current one, if that is known.
    rank: u32,
    rank_known: bool,
    pub(super) units: Units,
    unit: usize,
    doc_freq: u32,
    want: Want,
    pub(super) best: u8,
    pub(super) tenth: u8,
    pub(super) positions_start: u64,
    pub(super) source: PostingsSource,
}

/// The table of units of a list.
#[derive(Clone, Copy, Default)]
pub(super) struct Units {
    pub len: usize,
    table: usize,
    stride: usize,
    data: usize,
}

impl Units {
    #[inline]
    pub fn last_doc(&self, bytes: &[u8], unit: usize) -> u32 {
        u32_at(bytes, self.table + unit * self.stride)
    }

    pub fn data_at(&self, bytes: &[u8], unit: usize) -> usize {
        self.data + u32_at(bytes, self.table + unit * self.stride + 4) as usize
    }

    pub fn meta(&self, bytes: &[u8], unit: usize) -> u32 {
        u32_at(bytes, self.table + unit * self.stride + 8)
    }

    pub fn positions_at(&self, bytes: &[u8], unit: usize) -> u32 {
        u32_at(bytes, self.table + unit * self.stride + 12)
    }

    /// The first unit from `from` on that ends at `target` or later; `len` if there is none.
    pub fn find(&self, bytes: &[u8], from: usize, target: u32) -> usize {
        let (mut lo, mut step) = (from, 1);
        while lo + step <= self.len && self.last_doc(bytes, lo + step - 1) < target {
            lo += step;
            step *= 2;
        }
        // All before `lo` end before the target; the one that does not is among the next `step`.
        let mut hi = (lo + step - 1).min(self.len);
        while lo < hi {
            let mid = (lo + hi) / 2;
            if self.last_doc(bytes, mid) < target {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        lo
    }
}

impl Postings {
    pub(crate) fn open(source: &PostingsSource, doc_freq: u32, place: ListPlace, want: Want) -> Self {
        let mut postings = Self::whole(source, doc_freq, place, want);
        if postings.units.len > 0 {
            postings.docs.resize(BLOCK, 0);
            postings.load_unit(0, 0);
        }
        postings
    }

    /// The same without a first document, for those who look at the list by windows.
    pub(crate) fn whole(source: &PostingsSource, doc_freq: u32, place: ListPlace, want: Want) -> Self {
        let mut postings = Self {
            doc: NO_MORE_DOCS,
            is_dense: false,
            at: 0,
            len: 0,
            docs: Vec::new(),
            freqs: Vec::new(),
            starts: Vec::new(),
            freqs_of: NO_GROUP,
            starts_of: NO_GROUP,
            dense: Dense::default(),
            word_at: 0,
            word: 0,
            rank: 0,
            rank_known: false,
            units: Units::default(),
            unit: 0,
            doc_freq,
            want,
            best: place.best,
            tenth: place.tenth,
            positions_start: place.positions,
            source: source.clone(),
        };
        match doc_freq {
            0 => {}
            1..UNITS_DOCS_MIN => postings.open_short(place),
            _ => postings.open_units(place.start as usize),
        }
        postings
    }

    fn open_short(&mut self, place: ListPlace) {
        self.docs.reserve(self.doc_freq as usize);
        self.freqs.reserve(self.doc_freq as usize);
        short::for_each(&self.source, self.doc_freq, place, |doc, freq| {
            self.docs.push(doc);
            self.freqs.push(freq);
        });
        (self.len, self.freqs_of, self.doc) = (self.docs.len(), 0, self.docs[0]);
    }

    fn open_units(&mut self, mut at: usize) {
        let len = varint::read(&self.source.postings, &mut at) as usize;
        let stride = if self.source.has_positions { 16 } else { 12 };
        self.units = Units { len, table: at, stride, data: at + len * stride };
    }

    /// The documents and frequencies of a list without units.
    pub(super) fn short_docs(&self) -> &[u32] {
        &self.docs[..self.doc_freq as usize]
    }

    pub(super) fn short_freqs(&self) -> &[u32] {
        &self.freqs[..self.doc_freq as usize]
    }

    /// Makes `unit` the current one, and its first document from `target` on the current document. (It has one.)
    fn load_unit(&mut self, unit: usize, target: u32) {
        if unit >= self.units.len {
            return self.end();
        }
        let bytes = &self.source.postings;
        self.unit = unit;
        (self.freqs_of, self.starts_of) = (NO_GROUP, NO_GROUP);
        let last_doc = self.units.last_doc(bytes, unit);
        let meta = self.units.meta(bytes, unit);
        let data = self.units.data_at(bytes, unit);
        self.is_dense = meta & 63 == DENSE_WIDTH;
        if self.is_dense {
            self.dense = Dense::new(bytes, data, last_doc, self.source.has_positions);
            self.len = 0;
            let found = self.advance_in_dense(target.max(self.dense.base));
            assert!(found, "the unit ends at the target or later");
            return;
        }
        let before = unit.checked_sub(1).map_or(u32::MAX, |before| self.units.last_doc(bytes, before));
        simd::unpack_deltas(&bytes[data..], (meta & 63) as u8, before, self.docs.first_chunk_mut().expect("a block"));
        self.len = (meta >> 12 & 0xff) as usize + 1;
        self.at = 0;
        self.advance_in_block(target);
    }

    fn end(&mut self) {
        self.unit = self.units.len;
        self.doc = NO_MORE_DOCS;
        self.is_dense = false;
        (self.at, self.len) = (0, 0);
    }

    #[inline]
    pub fn doc(&self) -> u32 {
        self.doc
    }

    /// Documents in the list.
    pub fn doc_freq(&self) -> u32 {
        self.doc_freq
    }

    /// Moves to the next document.
    #[inline]
    #[allow(clippy::should_implement_trait, reason = "a cursor, which has a place even before the first call")]
    pub fn next(&mut self) -> u32 {
        if self.is_dense {
            self.word &= self.word - 1;
            self.rank += 1;
            if self.word != 0 {
                self.doc = self.dense.base + (self.word_at * 64) as u32 + self.word.trailing_zeros();
                return self.doc;
            }
        } else {
            self.at += 1;
            if self.at < self.len {
                self.doc = self.docs[self.at];
                return self.doc;
            }
        }
        self.next_slow()
    }

    /// [`Postings::next`] where neither the word nor the block has another document.
    fn next_slow(&mut self) -> u32 {
        if self.doc == NO_MORE_DOCS {
            return NO_MORE_DOCS;
        }
        if self.is_dense
            && let Some((word_at, word)) = self.dense.next_word(&self.source.postings, self.word_at + 1)
        {
            (self.word_at, self.word) = (word_at, word);
            self.doc = self.dense.base + (word_at * 64) as u32 + word.trailing_zeros();
            return self.doc;
        }
        self.load_unit(self.unit + 1, 0);
        self.doc
    }

    /// Moves to the first document ≥ `target`; stays where it is if that is not after the current one.
    #[inline]
    pub fn advance(&mut self, target: u32) -> u32 {
        if target <= self.doc {
            return self.doc;
        }
        if self.is_dense {
            if target / WINDOW == self.dense.base / WINDOW && self.advance_in_dense(target) {
                return self.doc;
            }
        } else if self.len > 0 && target <= self.docs[self.len - 1] {
            self.advance_in_block(target);
            return self.doc;
        }
        let unit = self.units.find(&self.source.postings, self.unit + 1, target);
        self.load_unit(unit, target);
        self.doc
    }

    /// Moves to the first document ≥ `target` of the current bitset; `false` if there is none.
    #[inline]
    fn advance_in_dense(&mut self, target: u32) -> bool {
        let Some((word_at, word)) = self.dense.word_from(&self.source.postings, target) else { return false };
        (self.word_at, self.word, self.rank_known) = (word_at, word, false);
        self.doc = self.dense.base + (word_at * 64) as u32 + word.trailing_zeros();
        true
    }

    /// Moves to the first document ≥ `target` of the buffer; there is one.
    #[inline]
    fn advance_in_block(&mut self, target: u32) {
        let docs = &self.docs[self.at..self.len];
        // Near targets are the rule; then halving.
        let near = docs.iter().take(4).take_while(|doc| **doc < target).count();
        self.at += if near < 4 { near } else { 4 + docs[4..].partition_point(|doc| *doc < target) };
        self.doc = self.docs[self.at];
    }

    /// How often the term stands in the current document; 1 where frequencies are not indexed or were not wanted.
    #[inline]
    pub fn freq(&mut self) -> u32 {
        if self.want == Want::Docs || !self.source.freqs {
            return 1;
        }
        let at = self.load_freqs();
        self.freqs[at]
    }

    /// Unpacks the frequencies of the group of the current document, and gives its place in it.
    #[inline]
    fn load_freqs(&mut self) -> usize {
        let bytes = &self.source.postings;
        if self.is_dense {
            if !self.rank_known {
                (self.rank, self.rank_known) = (self.dense.rank(bytes, self.doc), true);
            }
            let rank = self.rank;
            let group = rank / BLOCK as u32;
            if self.freqs_of != group {
                self.freqs.resize(BLOCK, 0);
                self.dense.freqs(bytes, group, self.freqs.first_chunk_mut().expect("a group"));
                self.freqs_of = group;
            }
            return rank as usize % BLOCK;
        }
        if self.freqs_of == NO_GROUP {
            let meta = self.units.meta(bytes, self.unit);
            let docs = packed::bytes_len(self.len, (meta & 63) as u8);
            let data = self.units.data_at(bytes, self.unit) + docs;
            self.freqs.resize(BLOCK, 0);
            simd::unpack(&bytes[data..], (meta >> 6 & 63) as u8, self.freqs.first_chunk_mut().expect("a block"));
            self.freqs.iter_mut().for_each(|freq| *freq = freq.wrapping_add(1));
            self.freqs_of = 0;
        }
        self.at
    }

    /// The positions in the current document, ascending; clears `out` first. Nothing where positions are not indexed or
    /// were not wanted.
    pub fn positions(&mut self, out: &mut Vec<u32>) {
        out.clear();
        if self.want != Want::Positions || !self.source.has_positions || self.doc == NO_MORE_DOCS {
            return;
        }
        let at = self.load_freqs();
        let bytes = &self.source.postings;
        let mut start = self.positions_start as usize;
        let mut count = self.len;
        if self.units.len > 0 {
            start += self.units.positions_at(bytes, self.unit) as usize;
        }
        if self.is_dense {
            start += self.dense.positions_at(bytes, self.freqs_of) as usize;
            count = (self.dense.count as usize - self.freqs_of as usize * BLOCK).min(BLOCK);
        }
        if self.starts_of != self.freqs_of {
            let mut sum = 0;
            self.starts.resize(BLOCK + 1, 0);
            for (start, freq) in self.starts[1..].iter_mut().zip(&self.freqs[..count]) {
                sum += freq;
                *start = sum;
            }
            self.starts_of = self.freqs_of;
        }
        let starts = &self.starts;
        let (first, end) = (starts[at] as usize, starts[at + 1] as usize);
        out.extend(Positions::new(&self.source.positions[start..], starts[count] as usize, first, end));
    }

    /// ORs the documents from the current one on that are below `upto` and in the window of `bits` into it, and moves to
    /// the first document after them. Documents before the window are skipped.
    pub fn collect_into(&mut self, upto: u32, bits: &mut WindowBits) {
        self.advance(bits.base());
        let end = u64::from(upto).min(bits.end()) as u32;
        while self.doc < end {
            if self.is_dense {
                let words = self.dense.bits(&self.source.postings);
                if self.doc.saturating_sub(self.dense.base) < 64 && end >= self.window_end() {
                    let first = (self.doc - self.dense.base) % 64;
                    // What lies before the current document in its word must stay out.
                    let before = bits.words()[0] & ((1 << first) - 1);
                    simd::or_bytes(bits.words_mut(), words);
                    let word = &mut bits.words_mut()[0];
                    *word = *word >> first << first | before;
                } else {
                    or_range(words, self.doc - self.dense.base, end - self.dense.base, bits);
                }
                self.advance(end);
                continue;
            }
            let docs = &self.docs[self.at..self.len];
            let count = if docs[docs.len() - 1] < end { docs.len() } else { docs.partition_point(|doc| *doc < end) };
            docs[..count].iter().for_each(|doc| bits.insert(*doc));
            self.at += count - 1;
            self.next();
        }
    }

    /// One past the last document of the window of the current bitset, or past all documents.
    fn window_end(&self) -> u32 {
        self.dense.base.saturating_add(WINDOW)
    }

    /// Keeps of `bits` what is in the list from the current document on, and moves to the first document after the window.
    pub fn intersect_into(&mut self, bits: &mut WindowBits) {
        self.advance(bits.base());
        if self.is_dense && self.doc / WINDOW == bits.window() && self.doc - self.dense.base < 64 {
            let first = (self.doc - self.dense.base) % 64;
            simd::and_bytes(bits.words_mut(), self.dense.bits(&self.source.postings));
            let word = &mut bits.words_mut()[0];
            *word = *word >> first << first;
            self.advance(self.window_end());
            return;
        }
        let mut own = WindowBits::new(bits.window());
        self.collect_into(NO_MORE_DOCS, &mut own);
        bits.and(own.words());
    }

    /// The current document and those that are decoded with it, at most 128, with their frequencies (empty if frequencies
    /// were not wanted). The cursor does not move: [`Postings::skip_block`] goes behind them. Empty at the end.
    pub fn block(&mut self) -> (&[u32], &[u32]) {
        if self.doc == NO_MORE_DOCS {
            return (&[], &[]);
        }
        let freqs = self.want != Want::Docs && self.source.freqs;
        let at = if freqs || self.is_dense { self.load_block(freqs) } else { self.at };
        let docs = if self.is_dense { &self.docs[..self.len] } else { &self.docs[at..self.len] };
        (docs, if freqs { &self.freqs[at..at + docs.len()] } else { &[] })
    }

    /// Fills the buffers, and gives the place of the current document among the frequencies.
    fn load_block(&mut self, freqs: bool) -> usize {
        if !self.is_dense {
            return self.load_freqs();
        }
        let at = if freqs { self.load_freqs() } else { 0 };
        let bytes = &self.source.postings;
        self.len = self.dense.docs_from(bytes, self.doc, &mut self.docs[..BLOCK - at]);
        at
    }

    /// Moves to the first document after those that [`Postings::block`] gives.
    pub fn skip_block(&mut self) -> u32 {
        if self.doc == NO_MORE_DOCS {
            return NO_MORE_DOCS;
        }
        if self.is_dense {
            let freqs = self.want != Want::Docs && self.source.freqs;
            let filled = self.len > 0 && self.docs[0] == self.doc;
            if !filled {
                self.load_block(freqs);
            }
            let last = self.docs[self.len - 1];
            return self.advance(last + 1);
        }
        self.at = self.len - 1;
        self.next()
    }

    /// A bound for the documents from `target` (≥ the current one) on. Does not move the cursor.
    pub fn bound(&self, target: u32) -> ScoreBound {
        if self.doc == NO_MORE_DOCS {
            return ScoreBound { last_doc: NO_MORE_DOCS, max_tf_norm: 0.0 };
        }
        if !self.source.freqs {
            return ScoreBound { last_doc: NO_MORE_DOCS, max_tf_norm: without_freqs(&self.source) };
        }
        if self.units.len == 0 {
            return ScoreBound { last_doc: NO_MORE_DOCS, max_tf_norm: dequantise(self.best) };
        }
        let bytes = &self.source.postings;
        let unit = self.units.find(bytes, self.unit, target);
        if unit == self.units.len {
            return ScoreBound { last_doc: NO_MORE_DOCS, max_tf_norm: 0.0 };
        }
        let (last_doc, meta) = (self.units.last_doc(bytes, unit), self.units.meta(bytes, unit));
        if meta & 63 == DENSE_WIDTH {
            let dense = Dense::new(bytes, self.units.data_at(bytes, unit), last_doc, self.source.has_positions);
            if target >= dense.base {
                let range = (target - dense.base) / RANGE_DOCS;
                let end = dense.base + range * RANGE_DOCS + (RANGE_DOCS - 1);
                let max_tf_norm = dequantise(bytes[dense.ranges + range as usize]);
                return ScoreBound { last_doc: end.min(last_doc), max_tf_norm };
            }
        }
        ScoreBound { last_doc, max_tf_norm: dequantise((meta >> 20) as u8) }
    }
}

/// ORs bits `lo..hi` of a window into `bits`.
fn or_range(words: &[u8], lo: u32, hi: u32, bits: &mut WindowBits) {
    let (first, last) = ((lo / 64) as usize, ((hi - 1) / 64) as usize);
    for at in first..=last {
        let mut word = crate::codec::bytes::u64_at(words, at * 8);
        if at == first {
            word &= u64::MAX << (lo % 64);
        }
        if at == last {
            word &= u64::MAX >> (63 - (hi - 1) % 64);
        }
        bits.words_mut()[at] |= word;
    }
}
