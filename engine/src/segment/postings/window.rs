//! One window of a list, for evaluation in bulk: where its documents stand, what each range of 128 can score at most, and
//! how often the term stands in any of them. Nothing here moves the cursor, and nothing depends on where it stands. Windows in
//! a row in which a list has no bitset can be looked at as one ([`WindowSpan`]).

use super::bound::{dequantise, without_freqs};
use super::cursor::Postings;
use super::dense::Dense;
use super::write::DENSE_WIDTH;
use super::{PositionSums, Positions, PositionsAhead, RANGE_DOCS};
use crate::codec::bytes::u64_at;
use crate::codec::packed;
use crate::codec::simd::{self, BLOCK};
use crate::segment::{NO_MORE_DOCS, WINDOW};

/// Ranges of a window.
pub const WINDOW_RANGES: usize = (WINDOW / RANGE_DOCS) as usize;

/// Windows in a row that are looked at together: one, or several in which no list has a bitset. The wider the span, the more
/// documents share a range, so that there are always [`WINDOW_RANGES`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowSpan {
    /// The first window.
    pub window: u32,
    windows: u32,
    /// A range has `RANGE_DOCS << shift` documents.
    shift: u32,
}

impl WindowSpan {
    pub fn one(window: u32) -> Self {
        Self::new(window, window + 1)
    }

    /// Windows `window..end`, at least one.
    pub fn new(window: u32, end: u32) -> Self {
        let windows = end.saturating_sub(window).max(1);
        Self { window, windows, shift: windows.next_power_of_two().trailing_zeros() }
    }

    /// The window behind the last.
    pub fn end(&self) -> u32 {
        self.window + self.windows
    }

    /// The first document.
    #[inline]
    pub fn base(&self) -> u32 {
        self.window * WINDOW
    }

    /// The last document. (The end of the last window there can be does not fit.)
    #[inline]
    pub fn last(&self) -> u32 {
        self.base() + self.windows.wrapping_mul(WINDOW).wrapping_sub(1)
    }

    /// The range of a document, which stands in the span.
    #[inline]
    pub fn range(&self, doc: u32) -> usize {
        (((doc - self.base()) / RANGE_DOCS) >> self.shift) as usize
    }
}

/// How the documents of a window stand in a list.
#[derive(Clone, Copy, Debug)]
pub enum WindowPart {
    /// There are none.
    Empty,
    /// As a bitset.
    Dense(DenseWindow),
    /// In blocks `first..end`, of which the first may begin before the window and the last end after it.
    Blocks { first: usize, end: usize },
}

impl WindowPart {
    /// About how many documents they are: no more than this.
    pub fn most_docs(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Dense(dense) => dense.count() as usize,
            Self::Blocks { first, end } => (end - first) * BLOCK,
        }
    }
}

/// A window as a bitset.
#[derive(Clone, Copy, Debug)]
pub struct DenseWindow {
    unit: usize,
    dense: Dense,
    best: u8,
}

impl DenseWindow {
    /// Documents of the window.
    pub fn count(&self) -> u32 {
        self.dense.count
    }
}

impl Postings {
    /// Whether bounds are kept by range, so that evaluation in bulk can skip.
    pub fn has_ranges(&self) -> bool {
        self.source.freqs
    }

    /// The documents of a span. `hint` is where to look first: 0 at the beginning, and from then on left alone while
    /// spans ascend.
    pub fn window_part(&self, span: &WindowSpan, hint: &mut usize) -> WindowPart {
        let (base, last, bytes) = (span.base(), span.last(), &self.source.postings);
        if self.units.len == 0 {
            let docs = self.short_docs();
            let first = docs.partition_point(|doc| *doc < base);
            let some = docs.get(first).is_some_and(|doc| *doc <= last);
            return if some { WindowPart::Blocks { first: 0, end: 1 } } else { WindowPart::Empty };
        }
        let first = self.units.find(bytes, *hint, base);
        *hint = first;
        if first == self.units.len {
            return WindowPart::Empty;
        }
        let (last_doc, meta) = (self.units.last_doc(bytes, first), self.units.meta(bytes, first));
        if meta & 63 == DENSE_WIDTH {
            if last_doc > last {
                return WindowPart::Empty;
            }
            let data = self.units.data_at(bytes, first);
            let dense = Dense::new(bytes, data, last_doc, self.source.has_positions);
            return WindowPart::Dense(DenseWindow { unit: first, dense, best: (meta >> 20) as u8 });
        }
        let mut end = first + 1;
        // A bitset after the blocks belongs to a later window.
        while end < self.units.len && self.units.last_doc(bytes, end - 1) < last && !self.is_dense_unit(end) {
            end += 1;
        }
        WindowPart::Blocks { first, end }
    }

    /// The first window from `window` on that is a bitset, `u32::MAX` if there is none. `hint` as for [`Postings::window_part`].
    pub fn next_bitset(&self, window: u32, hint: usize) -> u32 {
        let windows = (hint..self.units.len).filter(|unit| self.is_dense_unit(*unit));
        let mut windows = windows.map(|unit| self.units.last_doc(&self.source.postings, unit) / WINDOW);
        windows.find(|found| *found >= window).unwrap_or(u32::MAX)
    }

    /// The last document of the `blocks` blocks from window `window` on, or of the list. `hint` as for [`Postings::window_part`].
    pub fn last_of_blocks(&self, window: u32, hint: usize, blocks: usize) -> u32 {
        if self.units.len == 0 {
            return self.block_last(0);
        }
        let first = self.units.find(&self.source.postings, hint, window * WINDOW);
        self.block_last((first + blocks).min(self.units.len) - 1)
    }

    /// The first of blocks `from..end` that ends at `target` or later; `end` if there is none.
    #[inline]
    pub fn find_block(&self, from: usize, end: usize, target: u32) -> usize {
        match self.units.len {
            0 => {
                if self.block_last(0) < target {
                    end
                } else {
                    from
                }
            }
            _ => self.units.find(&self.source.postings, from, target).min(end),
        }
    }

    fn is_dense_unit(&self, unit: usize) -> bool {
        self.units.meta(&self.source.postings, unit) & 63 == DENSE_WIDTH
    }

    /// The best quantised tf-norm of a part, which may be that of documents outside of the window.
    pub fn part_best(&self, part: &WindowPart) -> u8 {
        match part {
            WindowPart::Empty => 0,
            WindowPart::Dense(dense) => dense.best,
            WindowPart::Blocks { first, end } => (*first..*end).map(|block| self.block_best(block)).max().unwrap_or(0),
        }
    }

    /// The best quantised tf-norm of each range of a span, at least 1 where it has a document. (Where the field has no
    /// frequencies nothing is known, and all are as large as can be.)
    pub fn range_bests(&self, span: &WindowSpan, part: &WindowPart, out: &mut [u8; WINDOW_RANGES]) {
        let bytes = &self.source.postings;
        match part {
            WindowPart::Empty => out.fill(0),
            _ if !self.source.freqs => out.fill(u8::MAX),
            WindowPart::Dense(DenseWindow { dense, .. }) => {
                out.copy_from_slice(dense.range_bests(bytes));
            }
            WindowPart::Blocks { first, end } => {
                out.fill(0);
                for block in *first..*end {
                    let from = self.block_start(block).max(span.base());
                    let to = self.block_last(block).min(span.last());
                    let best = self.block_best(block);
                    if from <= to {
                        let ranges = &mut out[span.range(from)..=span.range(to)];
                        ranges.iter_mut().for_each(|range| *range = best.max(*range));
                    }
                }
            }
        }
    }

    /// The first document that a block can have.
    fn block_start(&self, block: usize) -> u32 {
        match block.checked_sub(1) {
            None => 0,
            Some(before) => self.units.last_doc(&self.source.postings, before) + 1,
        }
    }

    /// The last document of a block.
    pub fn block_last(&self, block: usize) -> u32 {
        match self.units.len {
            0 => self.short_docs().last().copied().unwrap_or(0),
            _ => self.units.last_doc(&self.source.postings, block),
        }
    }

    /// The best quantised tf-norm of a block.
    pub fn block_best(&self, block: usize) -> u8 {
        if self.units.len == 0 { self.best } else { (self.units.meta(&self.source.postings, block) >> 20) as u8 }
    }

    /// Unpacks the documents of a block. Gives their number; what follows is past all documents.
    pub fn read_docs(&self, block: usize, docs: &mut [u32; BLOCK]) -> usize {
        if self.units.len == 0 {
            let short = self.short_docs();
            docs[..short.len()].copy_from_slice(short);
            docs[short.len()..].fill(NO_MORE_DOCS);
            return short.len();
        }
        let bytes = &self.source.postings;
        let (meta, data) = (self.units.meta(bytes, block), self.units.data_at(bytes, block));
        let len = (meta >> 12 & 0xff) as usize + 1;
        let width = (meta & 63) as u8;
        simd::unpack_deltas(&bytes[data..], width, self.block_start(block).wrapping_sub(1), docs);
        docs[len..].fill(NO_MORE_DOCS);
        len
    }

    /// How many documents a block has.
    pub fn block_len(&self, block: usize) -> usize {
        match self.units.len {
            0 => self.doc_freq() as usize,
            _ => (self.units.meta(&self.source.postings, block) >> 12 & 0xff) as usize + 1,
        }
    }

    /// Unpacks the frequencies of a block (1 where the field has none).
    pub fn read_freqs(&self, block: usize, freqs: &mut [u32; BLOCK]) {
        if self.units.len == 0 {
            let short = self.short_freqs();
            freqs[..short.len()].copy_from_slice(short);
            return;
        }
        if !self.source.freqs {
            return freqs.fill(1);
        }
        let (data, width) = self.freqs_of_block(block);
        simd::unpack(&self.source.postings[data..], width, freqs);
        freqs.iter_mut().for_each(|freq| *freq = freq.wrapping_add(1));
    }

    /// The frequency of one document of a block (1 where the field has none).
    #[inline]
    pub fn block_freq(&self, block: usize, place: usize) -> u32 {
        if self.units.len == 0 {
            return self.short_freqs()[place];
        }
        if !self.source.freqs {
            return 1;
        }
        let (data, width) = self.freqs_of_block(block);
        packed::get(&self.source.postings[data..], width, place) as u32 + 1
    }

    /// Where the frequencies of a block stand, and their width.
    fn freqs_of_block(&self, block: usize) -> (usize, u8) {
        let bytes = &self.source.postings;
        let (meta, data) = (self.units.meta(bytes, block), self.units.data_at(bytes, block));
        let len = (meta >> 12 & 0xff) as usize + 1;
        (data + packed::bytes_len(len, (meta & 63) as u8), (meta >> 6 & 63) as u8)
    }

    /// Two words with the documents of a range of a bitset.
    #[inline]
    pub fn range_words(&self, window: &DenseWindow, range: usize) -> [u64; 2] {
        let at = window.dense.bits + range * (RANGE_DOCS / 8) as usize;
        [u64_at(&self.source.postings, at), u64_at(&self.source.postings, at + 8)]
    }

    /// The words of a bitset, as bytes.
    #[inline]
    pub fn window_words(&self, window: &DenseWindow) -> &[u8] {
        window.dense.bits(&self.source.postings)
    }

    /// Whether a bitset has this document of its window.
    #[inline]
    pub fn has(&self, window: &DenseWindow, doc: u32) -> bool {
        let at = doc % WINDOW;
        self.source.postings[window.dense.bits + (at / 8) as usize] >> (at % 8) & 1 == 1
    }

    /// Documents of the window before one that the bitset has.
    #[inline]
    pub fn rank_in(&self, window: &DenseWindow, doc: u32) -> u32 {
        window.dense.rank(&self.source.postings, doc)
    }

    /// The sums of the frequencies of 128 documents of a bitset up to each of them, that one included.
    pub fn group_sums(&self, window: &DenseWindow, group: u32, out: &mut [u32; BLOCK]) {
        window.dense.freq_sums(&self.source.postings, group, out);
    }

    /// The same of the documents of a block.
    pub fn block_sums(&self, block: usize, out: &mut [u32; BLOCK]) {
        if self.units.len == 0 {
            let mut sum = 0;
            for (out, freq) in out.iter_mut().zip(self.short_freqs()) {
                sum += freq;
                *out = sum;
            }
            return;
        }
        let (data, width) = self.freqs_of_block(block);
        simd::unpack_deltas(&self.source.postings[data..], width, 0, out);
    }

    /// Where the positions of a group of a bitset start.
    pub fn group_positions(&self, window: &DenseWindow, group: u32) -> usize {
        self.positions_start as usize
            + self.units.positions_at(&self.source.postings, window.unit) as usize
            + window.dense.positions_at(&self.source.postings, group) as usize
    }

    /// Where the positions of a block start.
    pub fn block_positions(&self, block: usize) -> usize {
        let of_block = match self.units.len {
            0 => 0,
            _ => self.units.positions_at(&self.source.postings, block) as usize,
        };
        self.positions_start as usize + of_block
    }

    /// Positions `first..end` of the `total` ones that start at `start`.
    #[inline]
    pub fn positions_at(&self, start: usize, total: u32, first: u32, end: u32) -> Positions<'_> {
        Positions::new(&self.source.positions[start..], total as usize, first as usize, end as usize)
    }

    /// The same by running sums, see [`PositionSums::of`]. `sums` must have been asked for those of this list alone.
    #[inline]
    pub fn position_sums<'a>(
        &self,
        sums: &'a mut PositionSums,
        start: usize,
        total: u32,
        first: u32,
        end: u32,
    ) -> (&'a [u32], u32) {
        sums.of(&self.source.positions, start, total as usize, first as usize, end as usize)
    }

    /// Asks for them, see [`PositionsAhead::fetch`].
    #[inline]
    pub fn fetch_positions(&self, ahead: &mut PositionsAhead, start: usize, total: u32, first: u32, end: u32) -> usize {
        ahead.fetch(&self.source.positions, start, total as usize, first as usize, end as usize)
    }

    /// How often the term stands in a document that the bitset has; 1 where nobody knows.
    #[inline]
    pub fn freq_in(&self, window: &DenseWindow, doc: u32) -> u32 {
        if !self.source.freqs {
            return 1;
        }
        let bytes = &self.source.postings;
        window.dense.freq(bytes, window.dense.rank(bytes, doc))
    }

    /// Documents of the window before a range.
    #[inline]
    pub fn range_rank(&self, window: &DenseWindow, range: usize) -> u32 {
        window.dense.rank(&self.source.postings, window.dense.base + range as u32 * RANGE_DOCS)
    }

    /// The frequencies of 128 documents of a bitset, by rank.
    pub fn group_freqs(&self, window: &DenseWindow, group: u32, out: &mut [u32; BLOCK]) {
        self.group_freqs_of(&window.dense, group, out);
    }

    pub(super) fn group_freqs_of(&self, dense: &Dense, group: u32, out: &mut [u32; BLOCK]) {
        if !self.source.freqs {
            return out.fill(1);
        }
        dense.freqs(&self.source.postings, group, out);
    }

    /// A bound for the whole list.
    pub fn list_bound(&self) -> f32 {
        if self.source.freqs { dequantise(self.best) } else { without_freqs(&self.source) }
    }
}
