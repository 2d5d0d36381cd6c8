//! Indexed numbers: (value, document) pairs sorted by value, in blocks of 512.
//!
//! ```text
//! 0   8  number of pairs n
//! 8   4  documents with a value
//! 12  8  largest value (0 if there is none)
//! 20     per block of 512 pairs (the last: what is left): 8 bytes first value, 8 bytes where its data starts
//!        data of a block: 1 byte width of values, 1 byte width of documents, 4 bytes smallest document; values less the first
//!        one, packed; documents less the smallest, packed
//!
//! Documents are held against the smallest of their block: where values follow the order of documents, as times do, or few values
//! stand in long rows, a block's are near each other.
//! ```

use super::DocIterator;
use crate::codec::bytes::{i64_at, u32_at, u64_at};
use crate::codec::packed;
use crate::codec::simd::column;
use crate::meter;
use crate::pace::Pace;
use bytes::Bytes;
use std::ops::Range;

const BLOCK_PAIRS: usize = 512;
const HEADER_BYTES: usize = 20;
const BLOCK_HEADER_BYTES: usize = 6;
const ENTRY_BYTES: usize = 16;
/// How wide the documents of a full block are whose documents are neighbours, if each stands there once.
const ROW_WIDTH: u8 = 9;
const _: () = assert!(1 << ROW_WIDTH == BLOCK_PAIRS);
/// Of more blocks it is not asked whether their documents are neighbours: windows of the column then tell as much in less time.
const ROW_BLOCKS_MAX: u64 = 256;
/// A range with more than one in this many documents becomes a bitset, otherwise a sorted list.
const SPARSE: u64 = 512;

/// The sorted numbers of a field.
#[derive(Clone)]
pub struct Points {
    bytes: Bytes,
    max_doc: u32,
    count: u64,
    doc_count: u32,
}

/// The pairs of a block, packed.
#[derive(Clone, Copy)]
struct Block<'a> {
    first_value: i64,
    value_width: u8,
    values: &'a [u8],
    first_doc: u32,
    doc_width: u8,
    docs: &'a [u8],
}

impl Block<'_> {
    #[inline]
    fn value(&self, i: usize) -> i64 {
        self.first_value.wrapping_add(packed::get(self.values, self.value_width, i) as i64)
    }

    #[inline]
    fn doc(&self, i: usize) -> u32 {
        self.first_doc + packed::get(self.docs, self.doc_width, i) as u32
    }

    /// The first of these places whose value is `value` or more; their end if there is none.
    fn lower_bound(&self, value: i64, places: Range<usize>) -> usize {
        let Range { start: mut lo, end: mut hi } = places;
        while lo < hi {
            let mid = (lo + hi) / 2;
            if self.value(mid) < value {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        lo
    }

    fn pair_width(&self) -> u8 {
        self.value_width + self.doc_width
    }
}

impl Points {
    pub(crate) fn new(max_doc: u32, bytes: Bytes) -> Self {
        let (count, doc_count) = (u64_at(&bytes, 0), u32_at(&bytes, 8));
        Self { bytes, max_doc, count, doc_count }
    }

    /// Documents with at least one value in `lo..=hi`.
    pub fn range(&self, lo: i64, hi: i64) -> DocIterator {
        let (start, end) = self.bounds(lo, hi);
        if start >= end {
            return DocIterator::empty();
        }
        if end - start == self.count && self.doc_count == self.max_doc {
            return DocIterator::range(0, self.max_doc);
        }
        match self.row(start, end) {
            Some(row) => DocIterator::range(row.start, row.end),
            None => self.docs_of(&[(start, end)], vec![]),
        }
    }

    /// The documents with values in `lo..=hi`, if these are neighbours and few blocks tell that: as a rule where values ascend with
    /// the documents, as times do. Costs a look at the head of each block, and ends with the first that is none of a row.
    pub fn neighbours(&self, lo: i64, hi: i64) -> Option<Range<u32>> {
        let (start, end) = self.bounds(lo, hi);
        self.row(start, end)
    }

    /// The documents of the pairs at places `start..end`, if they are neighbours.
    fn row(&self, start: u64, end: u64) -> Option<Range<u32>> {
        let blocks = end.saturating_sub(start) / BLOCK_PAIRS as u64;
        if !self.single_valued() || start >= end || blocks > ROW_BLOCKS_MAX {
            return None;
        }
        let (mut at, end, mut row) = (start as usize, end as usize, None);
        while at < end {
            let number = at / BLOCK_PAIRS;
            let stop = end.min((number + 1) * BLOCK_PAIRS);
            let first = self.first_of_row(number, at % BLOCK_PAIRS, stop - at)?;
            let row: &mut Range<u32> = row.get_or_insert(first..first);
            if row.end != first {
                return None;
            }
            row.end += (stop - at) as u32;
            at = stop;
        }
        row
    }

    /// The first document of `len` pairs of a block from place `from` on, if their documents are neighbours. There are no two pairs of
    /// a document.
    fn first_of_row(&self, block: usize, from: usize, len: usize) -> Option<u32> {
        let block = self.block(block);
        if len == BLOCK_PAIRS {
            // As many documents as there can be, each once.
            return (block.doc_width <= ROW_WIDTH).then_some(block.first_doc);
        }
        let mut raw = [0; BLOCK_PAIRS];
        let docs = &mut raw[..len];
        column::unpack(block.docs, block.doc_width, from, docs);
        let ascend = docs.iter().zip(docs[0]..).all(|(doc, expected)| *doc == expected);
        ascend.then(|| block.first_doc + docs[0] as u32)
    }

    /// The documents of the pairs at some ranges of places, and of `docs`, which may repeat.
    pub fn docs_of(&self, ranges: &[(u64, u64)], mut docs: Vec<u32>) -> DocIterator {
        let most = docs.len() as u64 + ranges.iter().map(|(start, end)| end - start).sum::<u64>();
        if most * SPARSE > u64::from(self.max_doc) {
            let mut words = vec![0u64; self.max_doc.div_ceil(64) as usize];
            let mut insert = |doc: u32| words[(doc / 64) as usize] |= 1 << (doc % 64);
            docs.into_iter().for_each(&mut insert);
            ranges.iter().for_each(|(start, end)| self.for_each_doc(*start, *end, &mut insert));
            let count = if self.single_valued() { most } else { u64::from(crate::codec::simd::count(&words)) };
            return DocIterator::bits(words, count);
        }
        ranges.iter().for_each(|(start, end)| self.docs_at(*start, *end, &mut docs));
        DocIterator::gathered(docs)
    }

    /// All values.
    pub fn values(&self) -> u64 {
        self.count
    }

    /// Values in `lo..=hi`: the number of documents where every document has at most one value ([`Points::single_valued`]).
    pub fn count(&self, lo: i64, hi: i64) -> u64 {
        let (start, end) = self.bounds(lo, hi);
        end.saturating_sub(start)
    }

    /// [`Points::count`] of each of several ranges that ascend: a search begins where the one before ended.
    pub fn counts(&self, ranges: impl IntoIterator<Item = (i64, i64)>) -> Vec<u64> {
        let (mut place, mut last) = (0, None);
        let mut next = |value: i64| {
            // Where ranges stand side by side one begins with the place where the one before ended.
            if last.replace(value) != Some(value) {
                place = self.lower_bound_from(value, place);
            }
            place
        };
        let count = |(lo, hi): (i64, i64)| {
            if lo > hi {
                return 0;
            }
            let start = next(lo);
            hi.checked_add(1).map_or(self.count, &mut next) - start
        };
        ranges.into_iter().map(count).collect()
    }

    pub fn single_valued(&self) -> bool {
        self.count == u64::from(self.doc_count)
    }

    /// Documents with any value.
    pub fn doc_count(&self) -> u32 {
        self.doc_count
    }

    pub fn min(&self) -> Option<i64> {
        (self.count > 0).then(|| self.first_value(0))
    }

    pub fn max(&self) -> Option<i64> {
        (self.count > 0).then(|| i64_at(&self.bytes, 12))
    }

    /// The pairs of a block in order of their values.
    pub(crate) fn for_each_pair(&self, block: usize, mut f: impl FnMut(i64, u32)) {
        let (len, block) = (self.block_len(block), self.block(block));
        meter::column(len, block.pair_width());
        (0..len).for_each(|i| f(block.value(i), block.doc(i)));
    }

    /// The value of the pair at a place below [`Points::len`].
    pub fn value_at(&self, place: u64) -> i64 {
        let block = self.block((place / BLOCK_PAIRS as u64) as usize);
        meter::column(1, block.value_width);
        block.value((place % BLOCK_PAIRS as u64) as usize)
    }

    /// Appends the documents of the pairs at places `start..end`, in the order of their values.
    pub fn docs_at(&self, start: u64, end: u64, out: &mut Vec<u32>) {
        self.for_each_doc(start, end, |doc| out.push(doc));
    }

    /// Appends the pairs at places `start..end`, in the order of their values.
    pub fn pairs_at(&self, start: u64, end: u64, out: &mut Vec<(i64, u32)>) {
        let (mut at, end) = (start as usize, end as usize);
        let (mut values, mut docs) = ([0; BLOCK_PAIRS], [0; BLOCK_PAIRS]);
        while at < end {
            let block = at / BLOCK_PAIRS;
            let stop = end.min((block + 1) * BLOCK_PAIRS);
            let block = self.block(block);
            let (values, docs) = (&mut values[..stop - at], &mut docs[..stop - at]);
            column::unpack(block.values, block.value_width, at % BLOCK_PAIRS, values);
            column::unpack(block.docs, block.doc_width, at % BLOCK_PAIRS, docs);
            let value = |raw: &u64| block.first_value.wrapping_add(*raw as i64);
            out.extend(values.iter().zip(docs).map(|(raw, doc)| (value(raw), block.first_doc + *doc as u32)));
            at = stop;
        }
    }

    /// The pairs with values in `lo..=hi`, by place: from the first to before the second.
    pub fn bounds(&self, lo: i64, hi: i64) -> (u64, u64) {
        if lo > hi {
            return (0, 0);
        }
        (self.lower_bound(lo), hi.checked_add(1).map_or(self.count, |after| self.lower_bound(after)))
    }

    /// The place of the first pair whose value is `value` or more.
    fn lower_bound(&self, value: i64) -> u64 {
        self.lower_bound_in(value, 0, self.blocks())
    }

    /// The same, where no value before the place `from` is `value` or more.
    fn lower_bound_from(&self, value: i64, from: u64) -> u64 {
        let (mut lo, mut step) = ((from / BLOCK_PAIRS as u64) as usize, 1);
        while lo + step < self.blocks() && self.first_value(lo + step) < value {
            lo += step;
            step *= 2;
        }
        if step == 1 && lo < self.blocks() {
            return (lo * BLOCK_PAIRS) as u64 + self.lower_bound_near(value, lo, from as usize % BLOCK_PAIRS) as u64;
        }
        self.lower_bound_in(value, lo, self.blocks().min(lo + step))
    }

    /// The same within a block, where it is not far from place `at` of it; the length of the block if all that is left is less.
    fn lower_bound_near(&self, value: i64, number: usize, mut at: usize) -> usize {
        let (block, len, mut step) = (self.block(number), self.block_len(number), 4);
        while at + step <= len && block.value(at + step - 1) < value {
            at += step;
            step *= 2;
        }
        block.lower_bound(value, at..len.min(at + step))
    }

    /// The same, where the blocks before `lo` begin with less, and those from `hi` on do not.
    fn lower_bound_in(&self, value: i64, mut lo: usize, mut hi: usize) -> u64 {
        while lo < hi {
            let mid = (lo + hi) / 2;
            if self.first_value(mid) < value {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        let Some(number) = lo.checked_sub(1) else { return 0 };
        let within = self.block(number).lower_bound(value, 0..self.block_len(number));
        (number * BLOCK_PAIRS + within) as u64
    }

    #[inline]
    fn for_each_doc(&self, start: u64, end: u64, mut f: impl FnMut(u32)) {
        let (mut at, end) = (start as usize, end as usize);
        let mut raw = [0; BLOCK_PAIRS];
        while at < end {
            let block = at / BLOCK_PAIRS;
            let stop = end.min((block + 1) * BLOCK_PAIRS);
            let block = self.block(block);
            let docs = &mut raw[..stop - at];
            column::unpack(block.docs, block.doc_width, at % BLOCK_PAIRS, docs);
            docs.iter().for_each(|doc| f(block.first_doc + *doc as u32));
            at = stop;
        }
    }

    pub(crate) fn blocks(&self) -> usize {
        self.count.div_ceil(BLOCK_PAIRS as u64) as usize
    }

    fn block_len(&self, block: usize) -> usize {
        (self.count as usize - block * BLOCK_PAIRS).min(BLOCK_PAIRS)
    }

    fn first_value(&self, block: usize) -> i64 {
        i64_at(&self.bytes, HEADER_BYTES + block * ENTRY_BYTES)
    }

    fn block(&self, block: usize) -> Block<'_> {
        let first_value = self.first_value(block);
        let at = u64_at(&self.bytes, HEADER_BYTES + block * ENTRY_BYTES + 8) as usize;
        let (header, data) = self.bytes[at..].split_at(BLOCK_HEADER_BYTES);
        let (value_width, doc_width, first_doc) = (header[0], header[1], u32_at(header, 2));
        let (values, docs) = data.split_at(packed::bytes_len(self.block_len(block), value_width));
        Block { first_value, value_width, values, first_doc, doc_width, docs }
    }
}

/// Writes (value, document) pairs, which are sorted and distinct.
pub(crate) async fn write(max_doc: u32, pairs: &[(i64, u32)], pace: &Pace) -> Vec<u8> {
    debug_assert!(pairs.is_sorted());
    let mut has_value = vec![0u64; max_doc.div_ceil(64) as usize];
    for slice in pairs.chunks(1_024) {
        slice.iter().for_each(|(_, doc)| has_value[(doc / 64) as usize] |= 1 << (doc % 64));
        pace.tick(slice.len() as u32 / 4).await;
    }
    let doc_count = crate::codec::simd::count(&has_value);
    let mut out = Vec::with_capacity(pairs.len() * 6 + HEADER_BYTES);
    out.extend_from_slice(&(pairs.len() as u64).to_le_bytes());
    out.extend_from_slice(&doc_count.to_le_bytes());
    out.extend_from_slice(&pairs.last().map_or(0, |(value, _)| *value).to_le_bytes());
    let mut entry = out.len();
    out.resize(entry + pairs.len().div_ceil(BLOCK_PAIRS) * ENTRY_BYTES, 0);
    for block in pairs.chunks(BLOCK_PAIRS) {
        let first = block[0].0;
        let at = out.len() as u64;
        out[entry..entry + 8].copy_from_slice(&first.to_le_bytes());
        out[entry + 8..entry + 16].copy_from_slice(&at.to_le_bytes());
        entry += ENTRY_BYTES;
        let above = |value: i64| (value as u64).wrapping_sub(first as u64);
        let (first_doc, last_doc) =
            block.iter().fold((u32::MAX, 0), |(min, max), (_, doc)| (min.min(*doc), max.max(*doc)));
        let width = packed::width(above(block[block.len() - 1].0));
        let doc_width = packed::width(u64::from(last_doc - first_doc));
        out.extend_from_slice(&[width, doc_width]);
        out.extend_from_slice(&first_doc.to_le_bytes());
        packed::pack(block.iter().map(|(value, _)| above(*value)), width, &mut out);
        packed::pack(block.iter().map(|(_, doc)| u64::from(*doc - first_doc)), doc_width, &mut out);
        pace.tick(block.len() as u32).await;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::block_on_ready;
    use crate::segment::NO_MORE_DOCS;

    fn write(max_doc: u32, pairs: &[(i64, u32)]) -> Vec<u8> {
        block_on_ready(super::write(max_doc, pairs, &Pace::never()))
    }

    fn docs(mut it: DocIterator) -> Vec<u32> {
        let mut out = vec![];
        while it.doc() != NO_MORE_DOCS {
            out.push(it.doc());
            it.next();
        }
        out
    }

    #[test]
    fn ranges_agree_with_a_filter() {
        let max_doc = 10_000u32;
        let mut pairs: Vec<(i64, u32)> =
            (0..max_doc).map(|doc| (i64::from(doc.wrapping_mul(2_654_435_761) % 500) - 250, doc)).collect();
        pairs.extend([(i64::MIN, 5), (i64::MAX, 6), (17, 5)]);
        pairs.sort_unstable();
        pairs.dedup();
        let points = Points::new(max_doc, write(max_doc, &pairs).into());
        assert_eq!((points.min(), points.max()), (Some(i64::MIN), Some(i64::MAX)));
        let ends = [i64::MIN, -251, -250, -3, 0, 1, 17, 18, 249, 250, i64::MAX];
        for lo in ends {
            for hi in ends {
                let within = pairs.iter().filter(|(value, _)| (lo..=hi).contains(value));
                let mut expected: Vec<u32> = within.map(|(_, doc)| *doc).collect();
                assert_eq!(points.count(lo, hi), expected.len() as u64);
                let middle = lo.midpoint(hi);
                let halves = [(lo, middle), (middle.saturating_add(1), hi)];
                let apart = halves.map(|(lo, hi)| points.count(lo, hi));
                assert_eq!(points.counts(halves), apart);
                expected.sort_unstable();
                expected.dedup();
                assert_eq!(docs(points.range(lo, hi)), expected, "{lo} {hi}");
            }
        }
        for width in [1, 2, 7, 60] {
            let ranges = || (-260..260).step_by(width as usize).map(|lo| (lo, lo + width - 1));
            let apart: Vec<u64> = ranges().map(|(lo, hi)| points.count(lo, hi)).collect();
            assert_eq!(points.counts(ranges()), apart, "{width}");
        }
        let mut all = vec![];
        (0..points.blocks()).for_each(|block| points.for_each_pair(block, |value, doc| all.push((value, doc))));
        assert_eq!(all, pairs);
        let none = Points::new(9, write(9, &[]).into());
        assert_eq!((none.count(i64::MIN, i64::MAX), none.min(), none.range(0, 9).doc()), (0, None, NO_MORE_DOCS));
    }

    #[test]
    fn neighbours_are_told_where_values_ascend() {
        let max_doc = 9_000u32;
        // Three documents a value; two of them have changed places, and one has no value.
        let of = |doc: u32| match doc {
            6_000 => 2_001,
            6_003 => 2_000,
            doc => i64::from(doc / 3),
        };
        let mut pairs: Vec<(i64, u32)> = (0..max_doc).filter(|doc| *doc != 8_000).map(|doc| (of(doc), doc)).collect();
        pairs.sort_unstable();
        let points = Points::new(max_doc, write(max_doc, &pairs).into());
        let mut rows = 0;
        for (lo, hi) in (0..3_000).step_by(37).flat_map(|lo| (lo..3_000).step_by(83).map(move |hi| (lo, hi))) {
            let within = pairs.iter().filter(|(value, _)| (lo..=hi).contains(value));
            let mut expected: Vec<u32> = within.map(|(_, doc)| *doc).collect();
            expected.sort_unstable();
            assert_eq!(docs(points.range(lo, hi)), expected, "{lo} {hi}");
            let row = points.neighbours(lo, hi);
            assert!(row.is_none_or(|row| row.eq(expected.iter().copied())), "{lo} {hi}");
            rows += usize::from(points.neighbours(lo, hi).is_some());
        }
        assert!(rows > 500, "{rows}");
        assert_eq!((points.neighbours(5, 4), points.neighbours(1_999, 2_000)), (None, None));
        // Of several values of a document nothing is known.
        let twice = Points::new(9, write(9, &[(1, 3), (2, 4), (3, 3)]).into());
        assert_eq!((twice.neighbours(1, 2), docs(twice.range(1, 2))), (None, vec![3, 4]));
    }
}
