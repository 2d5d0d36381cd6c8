//! Which documents have something: a compressed set of documents with ranks, laid out by window.
//!
//! A rank is the number of documents of the set before a document: the place of its value in a column.
//!
//! ```text
//! per window: 4 bytes rank of its first document, 4 bytes documents in it, 4 bytes where its data stands
//! then the data, by the number n of documents of the set in the window:
//!   none, or all documents of the window:  nothing
//!   n < 4,096:   n times 2 bytes: the documents, counted from the start of the window
//!   otherwise:   128 times 2 bytes: documents of the window before each 512; 8,192 bytes: one bit per document
//! ```

pub(super) use super::bits::for_each_bit;
use super::bits::{WindowBits, next_bit, set_range};
use super::{NO_MORE_DOCS, WINDOW};
use crate::codec::bytes::{u16_at, u32_at, u64_at};
use crate::codec::simd;
use crate::pace::Pace;
use bytes::Bytes;

const ENTRY_BYTES: usize = 12;
const RANK_DOCS: u32 = 512;
const RANKS_BYTES: usize = (WINDOW / RANK_DOCS) as usize * 2;
const BITS_BYTES: usize = WINDOW as usize / 8;
/// Documents in a window from which on a bitset is smaller than the list.
const LIST_DOCS_MAX: u32 = 4_096;

/// The set as it stands in a segment.
#[derive(Clone)]
pub struct DocSet {
    max_doc: u32,
    count: u32,
    /// Empty if the set holds all documents.
    bytes: Bytes,
}

/// What one window holds.
#[derive(Clone, Copy)]
enum Data {
    None,
    All,
    List { at: usize, count: u32 },
    Bits { at: usize },
}

impl DocSet {
    /// Reads a set written by [`write`].
    pub(crate) fn new(max_doc: u32, count: u32, bytes: Bytes) -> Self {
        Self { max_doc, count, bytes }
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// Every document of the segment is in the set, so that ranks are document numbers.
    #[inline]
    pub fn is_all(&self) -> bool {
        self.count == self.max_doc
    }

    /// The number of documents of the set before window `window`.
    pub fn window_rank(&self, window: u32) -> u32 {
        let first = u64::from(window) * u64::from(WINDOW);
        if self.is_all() {
            return first.min(u64::from(self.max_doc)) as u32;
        }
        if first >= u64::from(self.max_doc) {
            return self.count;
        }
        u32_at(&self.bytes, window as usize * ENTRY_BYTES)
    }

    fn data(&self, window: u32) -> Data {
        let entry = window as usize * ENTRY_BYTES;
        let count = u32_at(&self.bytes, entry + 4);
        let at = u32_at(&self.bytes, entry + 8) as usize;
        if count == 0 {
            Data::None
        } else if count == window_docs(self.max_doc, window) {
            Data::All
        } else if count < LIST_DOCS_MAX {
            Data::List { at, count }
        } else {
            Data::Bits { at }
        }
    }

    /// Whether the set has `doc`.
    #[inline]
    pub fn contains(&self, doc: u32) -> bool {
        self.is_all() || self.rank(doc).is_some()
    }

    /// The rank of `doc` if the set has it.
    #[inline]
    pub fn rank(&self, doc: u32) -> Option<u32> {
        debug_assert!(doc < self.max_doc);
        if self.is_all() {
            return Some(doc);
        }
        let local = doc % WINDOW;
        let base = u32_at(&self.bytes, (doc / WINDOW) as usize * ENTRY_BYTES);
        match self.data(doc / WINDOW) {
            Data::None => None,
            Data::All => Some(base + local),
            Data::List { at, count } => {
                let found = lower_bound(&self.bytes, at, count, local);
                (found < count && u32::from(u16_at(&self.bytes, at + found as usize * 2)) == local)
                    .then_some(base + found)
            }
            Data::Bits { at } => {
                let bits = at + RANKS_BYTES;
                let word = u64_at(&self.bytes, bits + (local / 64) as usize * 8);
                if word >> (local % 64) & 1 == 0 {
                    return None;
                }
                let before = u32::from(u16_at(&self.bytes, at + (local / RANK_DOCS) as usize * 2));
                let range = &self.bytes[bits + (local / RANK_DOCS * RANK_DOCS / 8) as usize..];
                Some(base + before + simd::rank(range, (local % RANK_DOCS) as usize))
            }
        }
    }

    /// Every document of a window is in the set.
    pub(super) fn is_window_full(&self, window: u32) -> bool {
        self.is_all() || matches!(self.data(window), Data::All)
    }

    /// Looks `docs` (ascending, of one window) up: appends the ranks within the window of those that the set has to `ranks`,
    /// and their places among `docs` to `places`.
    pub(super) fn ranks(&self, window: u32, docs: &[u32], ranks: &mut Vec<u32>, places: &mut Vec<u32>) {
        let base = window * WINDOW;
        let docs = docs.iter().map(|doc| doc - base).zip(0..);
        match if self.is_all() { Data::All } else { self.data(window) } {
            Data::None => {}
            Data::All => docs.for_each(|(doc, place)| {
                ranks.push(doc);
                places.push(place);
            }),
            Data::List { at, count } => {
                let mut rank = 0;
                for (doc, place) in docs {
                    let here = |rank: u32| u32::from(u16_at(&self.bytes, at + rank as usize * 2));
                    while rank < count && here(rank) < doc {
                        rank += 1;
                    }
                    if rank < count && here(rank) == doc {
                        ranks.push(rank);
                        places.push(place);
                    }
                }
            }
            Data::Bits { at } => {
                let words = &self.bytes[at + RANKS_BYTES..];
                // The word looked at, and the rank of its first document.
                let (mut number, mut word, mut before) = (0, u64_at(words, 0), 0);
                for (doc, place) in docs {
                    let wanted = doc / 64;
                    if wanted / (RANK_DOCS / 64) > number / (RANK_DOCS / 64) {
                        number = wanted / (RANK_DOCS / 64) * (RANK_DOCS / 64);
                        before = u32::from(u16_at(&self.bytes, at + (doc / RANK_DOCS) as usize * 2));
                        word = u64_at(words, number as usize * 8);
                    }
                    while number < wanted {
                        before += word.count_ones();
                        number += 1;
                        word = u64_at(words, number as usize * 8);
                    }
                    if word >> (doc % 64) & 1 == 1 {
                        ranks.push(before + (word & ((1 << (doc % 64)) - 1)).count_ones());
                        places.push(place);
                    }
                }
            }
        }
    }

    /// ORs all documents of the window of `bits` into it.
    pub(super) fn or_window(&self, window: u32, bits: &mut WindowBits) {
        let base = window * WINDOW;
        DocSetCursor { set: self.clone(), doc: base }.or_into(base + window_docs(self.max_doc, window), bits);
    }

    /// Adds the documents of a window whose ranks within it are set in `found`.
    pub(super) fn or_ranks(&self, window: u32, found: &[u64], bits: &mut WindowBits) {
        let base = window * WINDOW;
        match if self.is_all() { Data::All } else { self.data(window) } {
            Data::None => {}
            Data::All => bits.words_mut().iter_mut().zip(found).for_each(|(out, found)| *out |= found),
            Data::List { at, .. } => for_each_bit(found, |rank| {
                bits.insert(base + u32::from(u16_at(&self.bytes, at + rank * 2)));
            }),
            Data::Bits { at } => {
                let words = self.bytes[at + RANKS_BYTES..][..BITS_BYTES].chunks_exact(8);
                let mut rank = 0;
                for (out, word) in bits.words_mut().iter_mut().zip(words) {
                    let mut word = u64_at(word, 0);
                    while word != 0 {
                        let lowest = word & word.wrapping_neg();
                        if found.get(rank / 64).is_some_and(|found| found >> (rank % 64) & 1 == 1) {
                            *out |= lowest;
                        }
                        word ^= lowest;
                        rank += 1;
                    }
                }
            }
        }
    }

    pub(crate) fn cursor(&self) -> DocSetCursor {
        let mut cursor = DocSetCursor { set: self.clone(), doc: 0 };
        cursor.doc = cursor.find(0);
        cursor
    }

    pub fn iter(&self) -> super::DocIterator {
        if self.is_all() {
            return super::DocIterator::range(0, self.max_doc);
        }
        super::DocIterator::set(self.cursor(), u64::from(self.count))
    }
}

fn window_docs(max_doc: u32, window: u32) -> u32 {
    (u64::from(max_doc) - u64::from(window) * u64::from(WINDOW)).min(u64::from(WINDOW)) as u32
}

/// The first index of the list of `count` at `at` whose document is `local` or later.
fn lower_bound(bytes: &[u8], at: usize, count: u32, local: u32) -> u32 {
    let (mut lo, mut hi) = (0, count);
    while lo < hi {
        let mid = (lo + hi) / 2;
        if u32::from(u16_at(bytes, at + mid as usize * 2)) < local {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    lo
}

/// A position in a [`DocSet`]; stands on its first document when fresh.
#[derive(Clone)]
pub(crate) struct DocSetCursor {
    set: DocSet,
    doc: u32,
}

impl DocSetCursor {
    pub fn doc(&self) -> u32 {
        self.doc
    }

    /// Moves to the first document ≥ `target`.
    pub fn advance(&mut self, target: u32) -> u32 {
        if target > self.doc {
            self.doc = self.find(target);
        }
        self.doc
    }

    fn find(&self, target: u32) -> u32 {
        let set = &self.set;
        if target >= set.max_doc {
            return NO_MORE_DOCS;
        }
        if set.is_all() {
            return target;
        }
        let mut local = target % WINDOW;
        for window in target / WINDOW..set.max_doc.div_ceil(WINDOW) {
            let found = match set.data(window) {
                Data::None => None,
                Data::All => Some(local).filter(|local| *local < window_docs(set.max_doc, window)),
                Data::List { at, count } => {
                    let found = lower_bound(&set.bytes, at, count, local);
                    (found < count).then(|| u32::from(u16_at(&set.bytes, at + found as usize * 2)))
                }
                Data::Bits { at } => next_bit_bytes(&set.bytes[at + RANKS_BYTES..][..BITS_BYTES], local),
            };
            if let Some(found) = found {
                return window * WINDOW + found;
            }
            local = 0;
        }
        NO_MORE_DOCS
    }

    /// ORs the documents from the current one up to `end` (not past the window of `bits`) into `bits`.
    pub fn or_into(&self, end: u32, bits: &mut WindowBits) {
        let (lo, hi) = (self.doc, end.min(self.set.max_doc));
        if lo >= hi {
            return;
        }
        let base = bits.base();
        let data = if self.set.is_all() { Data::All } else { self.set.data(bits.window()) };
        match data {
            Data::None => {}
            Data::All => bits.insert_range(lo, hi),
            Data::List { at, count } => {
                let first = lower_bound(&self.set.bytes, at, count, lo - base);
                for i in first..count {
                    let doc = base + u32::from(u16_at(&self.set.bytes, at + i as usize * 2));
                    if doc >= hi {
                        break;
                    }
                    bits.insert(doc);
                }
            }
            Data::Bits { at } => {
                let mut mask = [0u64; super::bits::WINDOW_WORDS];
                set_range(&mut mask, (lo - base) as usize, (hi - base) as usize);
                let words = self.set.bytes[at + RANKS_BYTES..][..BITS_BYTES].chunks_exact(8);
                for ((out, word), mask) in bits.words_mut().iter_mut().zip(words).zip(&mask) {
                    *out |= u64_at(word, 0) & mask;
                }
            }
        }
    }
}

fn next_bit_bytes(bits: &[u8], from: u32) -> Option<u32> {
    let mut at = (from / 64) as usize;
    let mut mask = u64::MAX << (from % 64);
    while at * 8 < bits.len() {
        if let Some(bit) = next_bit(&[u64_at(bits, at * 8) & mask], 0) {
            return Some((at * 64 + bit) as u32);
        }
        mask = u64::MAX;
        at += 1;
    }
    None
}

/// Writes the set of `docs` (ascending, each once, below `max_doc`); nothing if it holds all documents.
pub(crate) async fn write(max_doc: u32, docs: &[u32], out: &mut Vec<u8>, pace: &Pace) {
    debug_assert!(docs.is_sorted_by(|a, b| a < b));
    if docs.len() as u32 == max_doc {
        return;
    }
    let start = out.len();
    let windows = max_doc.div_ceil(WINDOW);
    out.resize(start + windows as usize * ENTRY_BYTES, 0);
    let mut rank = 0;
    for window in 0..windows {
        let here = &docs[rank..];
        let end = (u64::from(window) + 1) * u64::from(WINDOW);
        let here = &here[..here.partition_point(|doc| u64::from(*doc) < end)];
        let at = (out.len() - start) as u32;
        write_window(window_docs(max_doc, window), here, out);
        let entry = &mut out[start + window as usize * ENTRY_BYTES..][..ENTRY_BYTES];
        entry[..4].copy_from_slice(&(rank as u32).to_le_bytes());
        entry[4..8].copy_from_slice(&(here.len() as u32).to_le_bytes());
        entry[8..].copy_from_slice(&at.to_le_bytes());
        rank += here.len();
        pace.tick(here.len() as u32 / 4 + 16).await;
    }
    assert_eq!(rank, docs.len(), "documents past the segment");
}

/// Writes a set as a section of its own: 4 bytes number of documents, then the set.
pub(crate) async fn write_section(max_doc: u32, docs: &[u32], pace: &Pace) -> Vec<u8> {
    let mut out = (docs.len() as u32).to_le_bytes().to_vec();
    write(max_doc, docs, &mut out, pace).await;
    out
}

/// Reads what [`write_section`] wrote.
pub(crate) fn read(max_doc: u32, section: Bytes) -> DocSet {
    DocSet::new(max_doc, u32_at(&section, 0), section.slice(4..))
}

fn write_window(docs_of_window: u32, docs: &[u32], out: &mut Vec<u8>) {
    if docs.is_empty() || docs.len() as u32 == docs_of_window {
        return;
    }
    if (docs.len() as u32) < LIST_DOCS_MAX {
        docs.iter().for_each(|doc| out.extend_from_slice(&((doc % WINDOW) as u16).to_le_bytes()));
        return;
    }
    let mut words = [0u64; super::bits::WINDOW_WORDS];
    docs.iter().for_each(|doc| words[(doc % WINDOW / 64) as usize] |= 1 << (doc % 64));
    let mut before = 0;
    for range in words.chunks((RANK_DOCS / 64) as usize) {
        out.extend_from_slice(&(before as u16).to_le_bytes());
        before += range.iter().map(|w| w.count_ones()).sum::<u32>();
    }
    words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(max_doc: u32, docs: &[u32]) {
        let mut bytes = vec![];
        crate::pace::block_on_ready(write(max_doc, docs, &mut bytes, &Pace::never()));
        let set = DocSet::new(max_doc, docs.len() as u32, bytes.into());
        for doc in (0..max_doc).step_by(97).chain(docs.iter().copied()) {
            assert_eq!(set.rank(doc), docs.binary_search(&doc).ok().map(|rank| rank as u32), "doc {doc}");
        }
        let mut it = set.iter();
        for doc in docs {
            assert_eq!(it.doc(), *doc);
            it.next();
        }
        assert_eq!(it.doc(), NO_MORE_DOCS);
        let mut collected = vec![];
        let (mut it, mut bits) = (set.iter(), WindowBits::new(0));
        for window in 0..max_doc.div_ceil(WINDOW) {
            bits.reset(window);
            it.collect_into(NO_MORE_DOCS, &mut bits);
            bits.push_into(&mut collected);
        }
        assert_eq!(collected, docs);
    }

    #[test]
    fn sparse_dense_full_and_empty_windows() {
        let max_doc = 5 * WINDOW + 100;
        let sparse = (0..WINDOW).step_by(1_000);
        let dense = (WINDOW..2 * WINDOW).step_by(3);
        let full = 2 * WINDOW..3 * WINDOW;
        let last = 5 * WINDOW + 1..max_doc;
        check(max_doc, &sparse.chain(dense).chain(full).chain(last).collect::<Vec<_>>());
        check(max_doc, &[]);
        check(1_000, &(0..1_000).collect::<Vec<_>>());
        check(10_000, &(0..9_999).collect::<Vec<_>>());
        check(10_000, &(1..10_000).step_by(2).collect::<Vec<_>>());
    }
}
