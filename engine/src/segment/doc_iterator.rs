//! A cursor over documents that carry no frequencies: results of points, existence, live documents.

use super::bits::{WindowBits, next_bit, set_range};
use super::docset::DocSetCursor;
use super::{NO_MORE_DOCS, WINDOW};
use std::sync::Arc;

/// Ascending documents. Like [`super::Postings`], a fresh iterator stands on its first document; at the end it stands on
/// [`NO_MORE_DOCS`], where `next` and `advance` stay.
#[derive(Clone)]
pub struct DocIterator {
    doc: u32,
    cost: u64,
    kind: Kind,
}

/// Going over the bits of this many documents takes less time than putting one document in order.
const DOCS_FOR_ONE: usize = 512;

#[derive(Clone)]
enum Kind {
    /// Documents up to the end (exclusive).
    Range {
        end: u32,
    },
    /// Sorted documents; `at` is the index of the current one.
    List {
        docs: Arc<[u32]>,
        at: usize,
    },
    /// One bit per document.
    Bits {
        words: Arc<[u64]>,
    },
    Set(Box<DocSetCursor>),
}

impl DocIterator {
    pub fn empty() -> Self {
        Self::range(0, 0)
    }

    /// The documents `lo..hi`.
    pub fn range(lo: u32, hi: u32) -> Self {
        let doc = if lo < hi { lo } else { NO_MORE_DOCS };
        Self { doc, cost: u64::from(hi.saturating_sub(lo)), kind: Kind::Range { end: hi } }
    }

    /// Documents in ascending order, each once.
    pub fn list(docs: impl Into<Arc<[u32]>>) -> Self {
        let docs = docs.into();
        debug_assert!(docs.is_sorted_by(|a, b| a < b));
        Self {
            doc: docs.first().copied().unwrap_or(NO_MORE_DOCS),
            cost: docs.len() as u64,
            kind: Kind::List { docs, at: 0 },
        }
    }

    /// The set bits of `words`, of which there are `count`.
    pub fn bits(words: impl Into<Arc<[u64]>>, count: u64) -> Self {
        let words = words.into();
        let doc = next_bit(&words, 0).map_or(NO_MORE_DOCS, |doc| doc as u32);
        Self { doc, cost: count, kind: Kind::Bits { words } }
    }

    /// Documents in any order, which may repeat.
    pub fn gathered(mut docs: Vec<u32>) -> Self {
        if let (Some(first), true) = (docs.first(), crate::codec::simd::column::is_run(&docs)) {
            return Self::range(*first, first + docs.len() as u32);
        }
        let end = docs.iter().max().map_or(0, |last| *last as usize + 1);
        if docs.len() >= end / DOCS_FOR_ONE {
            let mut words = vec![0u64; end.div_ceil(64)];
            docs.iter().for_each(|doc| words[*doc as usize / 64] |= 1 << (doc % 64));
            let count = u64::from(crate::codec::simd::count(&words));
            return Self::bits(words, count);
        }
        docs.sort_unstable();
        docs.dedup();
        Self::list(docs)
    }

    pub(crate) fn set(cursor: DocSetCursor, count: u64) -> Self {
        Self { doc: cursor.doc(), cost: count, kind: Kind::Set(Box::new(cursor)) }
    }

    #[inline]
    pub fn doc(&self) -> u32 {
        self.doc
    }

    /// How many documents there are in all.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    #[inline]
    #[allow(clippy::should_implement_trait, reason = "a cursor, which has a place even before the first call")]
    pub fn next(&mut self) -> u32 {
        match self.doc {
            NO_MORE_DOCS => NO_MORE_DOCS,
            doc => self.advance(doc + 1),
        }
    }

    /// Moves to the first document ≥ `target`, which must not lie before the current one.
    pub fn advance(&mut self, target: u32) -> u32 {
        if target <= self.doc {
            return self.doc;
        }
        self.doc = match &mut self.kind {
            Kind::Range { end } => {
                if target < *end {
                    target
                } else {
                    NO_MORE_DOCS
                }
            }
            Kind::List { docs, at } => {
                // Galloping: targets are mostly near.
                let mut step = 1;
                let mut lo = *at;
                while docs.get(lo + step).is_some_and(|doc| *doc < target) {
                    lo += step;
                    step *= 2;
                }
                let hi = (lo + step).min(docs.len());
                *at = lo + docs[lo..hi].partition_point(|doc| *doc < target);
                docs.get(*at).copied().unwrap_or(NO_MORE_DOCS)
            }
            Kind::Bits { words } => next_bit(words, target as usize).map_or(NO_MORE_DOCS, |doc| doc as u32),
            Kind::Set(cursor) => cursor.advance(target),
        };
        self.doc
    }

    /// Moves to the first document ≥ `upto`, and gives how many were passed.
    pub fn count_upto(&mut self, upto: u32) -> u64 {
        let mut passed = 0;
        match &self.kind {
            Kind::Range { end } => passed = u64::from(upto.min(*end).saturating_sub(self.doc)),
            Kind::List { docs, at } => passed = docs[*at..].partition_point(|doc| *doc < upto) as u64,
            Kind::Bits { words } => passed = count_bits(words, self.doc, upto),
            Kind::Set(_) => {
                while self.doc < upto {
                    let mut bits = WindowBits::new(self.doc / WINDOW);
                    self.collect_into(upto, &mut bits);
                    passed += u64::from(bits.count());
                }
            }
        }
        self.advance(upto);
        passed
    }

    /// ORs the documents from the current one on that are below `upto` and in the window of `bits` into it, and moves to
    /// the first document after them. Documents before the window are skipped.
    pub fn collect_into(&mut self, upto: u32, bits: &mut WindowBits) {
        self.advance(bits.base().max(self.doc));
        let end = u64::from(upto).min(bits.end()) as u32;
        if self.doc >= end {
            return;
        }
        match &mut self.kind {
            Kind::Range { end: last } => bits.insert_range(self.doc, end.min(*last)),
            Kind::Bits { words } => or_words(words, self.doc, end, bits),
            Kind::Set(cursor) => cursor.or_into(end, bits),
            Kind::List { docs, at } => {
                docs[*at..].iter().take_while(|doc| **doc < end).for_each(|doc| bits.insert(*doc));
            }
        }
        self.advance(end);
    }
}

/// How many of the bits from `lo` to before `hi` are set.
fn count_bits(words: &[u64], lo: u32, hi: u32) -> u64 {
    let hi = (hi as usize).min(words.len() * 64);
    let lo = (lo as usize).min(hi);
    let (first, last) = (lo / 64, hi / 64);
    let below = |at: usize| (1u64 << (at % 64)) - 1;
    let ones = |word: u64| u64::from(word.count_ones());
    if first == last {
        return words.get(first).map_or(0, |word| ones(word & below(hi) & !below(lo)));
    }
    let edges = ones(words[first] & !below(lo)) + words.get(last).map_or(0, |word| ones(word & below(hi)));
    edges + u64::from(crate::codec::simd::count(&words[first + 1..last]))
}

/// ORs the bits `lo..hi` of a segment-wide bitset, all of one window, into `bits`.
fn or_words(words: &[u64], lo: u32, hi: u32, bits: &mut WindowBits) {
    let mut mask = [0u64; super::bits::WINDOW_WORDS];
    set_range(&mut mask, (lo % WINDOW) as usize, (hi - bits.base()) as usize);
    let first = (bits.base() / 64) as usize;
    let source = &words[first.min(words.len())..];
    for ((out, word), mask) in bits.words_mut().iter_mut().zip(source).zip(&mask) {
        *out |= word & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(mut it: DocIterator) -> Vec<u32> {
        let mut out = vec![];
        while it.doc() != NO_MORE_DOCS {
            out.push(it.doc());
            it.next();
        }
        assert_eq!((it.next(), it.advance(9)), (NO_MORE_DOCS, NO_MORE_DOCS));
        out
    }

    #[test]
    fn all_kinds_walk_skip_and_collect_alike() {
        let docs: Vec<u32> = (0..5_000).map(|i| i * 37).collect();
        let mut words = vec![0u64; 5_000 * 37 / 64 + 1];
        docs.iter().for_each(|doc| words[*doc as usize / 64] |= 1 << (doc % 64));
        for it in [DocIterator::list(docs.clone()), DocIterator::bits(words, 5_000)] {
            assert_eq!(drain(it.clone()), docs);
            let mut counting = it.clone();
            for (upto, passed) in [(0, 0), (38, 2), (38, 0), (100_000, 2_701), (u32::MAX, 2_297), (u32::MAX, 0)] {
                assert_eq!(counting.count_upto(upto), passed, "{upto}");
            }
            let mut skipping = it.clone();
            for target in [0, 36, 38, 40, 70_000, 70_001, 5_000 * 37 - 37] {
                let expected = *docs.iter().find(|doc| **doc >= target).unwrap();
                assert_eq!(skipping.advance(target), expected);
            }
            assert_eq!(skipping.advance(5_000 * 37), NO_MORE_DOCS);
            let mut collecting = it.clone();
            let mut bits = WindowBits::new(1);
            collecting.collect_into(100_000, &mut bits);
            let expected: Vec<u32> = docs.iter().copied().filter(|doc| (WINDOW..100_000).contains(doc)).collect();
            assert_eq!(bits.iter().collect::<Vec<_>>(), expected);
            assert_eq!(collecting.doc(), *docs.iter().find(|doc| **doc >= 100_000).unwrap());
        }
    }

    #[test]
    fn ranges_may_be_empty_and_end_anywhere() {
        assert_eq!(drain(DocIterator::empty()), []);
        assert_eq!(drain(DocIterator::range(3, 6)), [3, 4, 5]);
        let mut bits = WindowBits::new(0);
        let mut range = DocIterator::range(3, WINDOW + 5);
        range.collect_into(NO_MORE_DOCS, &mut bits);
        assert_eq!((bits.count(), range.doc()), (WINDOW - 3, WINDOW));
    }
}
