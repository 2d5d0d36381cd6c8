//! The positions of one document out of those of its group, or of all of it; see `write` for their layout.

use crate::codec::packed;
use crate::codec::simd::{self, BLOCK, CACHE_LINE};
use crate::meter;

/// The positions of a document, ascending, read as they are asked for.
pub struct Positions<'a> {
    /// The widths of the current block and those behind it, and where the current one begins.
    widths: &'a [u8],
    data: &'a [u8],
    width: u8,
    /// The next in the block, and how many are left in all.
    index: usize,
    left: usize,
    position: u32,
}

impl<'a> Positions<'a> {
    /// Of a document of a group, whose positions start at the beginning of `bytes`: `total` of them, of which those of the document
    /// are `first..end`.
    #[inline]
    pub(super) fn new(bytes: &'a [u8], total: usize, first: usize, end: usize) -> Self {
        let (mut widths, mut data) = bytes.split_at(total.div_ceil(BLOCK));
        let mut index = first;
        while index >= BLOCK && first < end {
            data = &data[packed::bytes_len(BLOCK, widths[0])..];
            (widths, index) = (&widths[1..], index - BLOCK);
        }
        let width = widths.first().copied().unwrap_or(0);
        if first < end {
            // Those of a document seldom stand in two blocks: the width of the first is as good as that of each.
            meter::postings(end - first, width);
        }
        Self { widths, data, width, index, left: end - first, position: 0 }
    }

    /// Goes to the next block.
    #[cold]
    fn turn(&mut self) {
        self.data = &self.data[packed::bytes_len(BLOCK, self.width)..];
        self.widths = &self.widths[1..];
        (self.width, self.index) = (self.widths[0], 0);
    }
}

impl Iterator for Positions<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        if self.index == BLOCK {
            self.turn();
        }
        self.position = self.position.wrapping_add(packed::get(self.data, self.width, self.index) as u32);
        self.index += 1;
        Some(self.position)
    }
}

/// So many blocks in front of a document are kept before they are given up: a group may have any number of positions.
const BLOCKS_KEPT: usize = 16;

/// The positions of documents of a list that ascend, block by block as they are asked for.
#[derive(Default)]
pub struct PositionSums {
    /// Where the positions of the group start; none before the first.
    start: Option<usize>,
    /// The block behind those that are unpacked, and where it stands.
    next: usize,
    data: usize,
    /// The first of those that are, and the running sums of their distances plus one each.
    first_block: usize,
    sums: Vec<u32>,
}

impl PositionSums {
    /// Positions `first..end` of the `total` ones of the group that starts at `start`, as [`simd::keep_following`] takes them.
    #[inline]
    pub(super) fn of(&mut self, bytes: &[u8], start: usize, total: usize, first: usize, end: usize) -> (&[u32], u32) {
        if first >= end {
            return (&[], 0);
        }
        let (from, to) = (first / BLOCK, (end - 1) / BLOCK);
        if self.start != Some(start) || from < self.first_block || to >= self.next {
            self.unpack(bytes, start, total, from, to);
        }
        let base = self.first_block * BLOCK;
        let before = if first == base { 0 } else { self.sums[first - base - 1] };
        (&self.sums[first - base..end - base], before)
    }

    /// Unpacks what is missing of blocks `from..=to`.
    fn unpack(&mut self, bytes: &[u8], start: usize, total: usize, from: usize, to: usize) {
        let bytes = &bytes[start..];
        if self.start != Some(start) || from < self.first_block {
            (self.start, self.next, self.data, self.first_block) = (Some(start), 0, total.div_ceil(BLOCK), 0);
            self.sums.clear();
        }
        if from >= self.next {
            for width in &bytes[self.next..from] {
                self.data += packed::bytes_len(BLOCK, *width);
            }
            (self.next, self.first_block) = (from, from);
            self.sums.clear();
        } else if from - self.first_block > BLOCKS_KEPT {
            // With the sum before the first of them, which is not known once they begin anew.
            let base = self.sums[(from - self.first_block) * BLOCK - 1];
            self.sums.drain(..(from - self.first_block) * BLOCK);
            self.sums.iter_mut().for_each(|sum| *sum = sum.wrapping_sub(base));
            self.first_block = from;
        }
        while self.next <= to {
            let (width, len) = (bytes[self.next], self.sums.len());
            let before = len.checked_sub(1).map_or(0, |last| self.sums[last]);
            self.sums.resize(len + BLOCK, 0);
            let out = self.sums.last_chunk_mut().expect("a block was added");
            simd::unpack_deltas(&bytes[self.data..], width, before, out);
            self.data += packed::bytes_len(BLOCK, width);
            self.next += 1;
        }
    }
}

/// Asks for the positions of documents of a list before they are read, so that the reads of all of them wait at the same time.
#[derive(Default)]
pub struct PositionsAhead {
    /// Where the positions of the group start; none before the first.
    start: Option<usize>,
    /// The block behind the last one that was asked for, and where it stands.
    next: usize,
    data: usize,
}

impl PositionsAhead {
    /// Asks for positions `first..end` of the `total` ones of the group that starts at `start`; gives how many blocks of them were not
    /// asked for before. Documents ascend.
    #[inline]
    pub(super) fn fetch(&mut self, bytes: &[u8], start: usize, total: usize, first: usize, end: usize) -> usize {
        if first >= end {
            return 0;
        }
        if self.start != Some(start) {
            (self.start, self.next, self.data) = (Some(start), 0, total.div_ceil(BLOCK));
        }
        let bytes = &bytes[start..];
        let (from, to) = (first / BLOCK, (end - 1) / BLOCK);
        let new = (to + 1).saturating_sub(self.next.max(from));
        while self.next <= to {
            let len = packed::bytes_len(BLOCK, bytes[self.next]);
            if self.next >= from {
                // The last byte may stand one line further.
                simd::fetch_ahead(bytes, self.data, len + CACHE_LINE);
            }
            self.data += len;
            self.next += 1;
        }
        new
    }
}

/// Appends the distances of all `total` positions of a group, which start at the beginning of `bytes`.
pub(super) fn read_distances(bytes: &[u8], total: usize, out: &mut Vec<u32>) {
    let (widths, mut data) = bytes.split_at(total.div_ceil(BLOCK));
    let (mut block, mut left) = ([0; BLOCK], total);
    for width in widths {
        let count = left.min(BLOCK);
        simd::unpack(data, *width, &mut block);
        out.extend_from_slice(&block[..count]);
        data = &data[packed::bytes_len(count, *width)..];
        left -= count;
    }
}
