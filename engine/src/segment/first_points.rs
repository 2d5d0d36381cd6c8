//! The values that the reference looks at where it stops when it has enough: it walks its tree of points from the left. Which documents
//! are hits then depends on the shape of that tree, and on how its leaves hold their documents.

use super::{DocIterator, Points};
use crate::codec::simd::column::is_run;

/// Values in a leaf.
const LEAF: u64 = 512;

/// Leaves that are looked at before the range is better found as a whole.
const LEAVES_MAX: usize = 4_096;

struct Walk<'a> {
    points: &'a Points,
    /// The values that are looked for, and their places.
    range: (i64, i64),
    places: (u64, u64),
    enough: u64,
    counted: u64,
    leaves: usize,
    docs: Vec<u32>,
}

/// A part of the tree: its leaves, and the values that its cell may have.
#[derive(Clone, Copy)]
struct Cell {
    first: u64,
    leaves: u64,
    low: i64,
    high: i64,
}

impl Points {
    /// Documents with the first values in `lo..=hi`: those that the reference has when it has found `enough`. None where that are
    /// too many.
    pub fn first_of(&self, lo: i64, hi: i64, enough: u64) -> Option<DocIterator> {
        let (low, high) = (self.min()?, self.max()?);
        let places = self.bounds(lo, hi);
        let mut walk = Walk { points: self, range: (lo, hi), places, enough, counted: 0, leaves: 0, docs: Vec::new() };
        walk.visit(Cell { first: 0, leaves: self.values().div_ceil(LEAF), low, high });
        if walk.leaves > LEAVES_MAX {
            return None;
        }
        Some(DocIterator::gathered(walk.docs))
    }
}

impl Walk<'_> {
    /// The tree halves its leaves, so this nests no deeper than a number has bits.
    fn visit(&mut self, cell: Cell) {
        let outside = cell.high < self.range.0 || cell.low > self.range.1;
        if self.counted >= self.enough || self.leaves > LEAVES_MAX || outside {
            return;
        }
        let inside = cell.low >= self.range.0 && cell.high <= self.range.1;
        if cell.leaves <= 1 {
            return self.leaf(cell.first, inside);
        }
        let left_leaves = left_leaves(cell.leaves);
        let middle = cell.first + left_leaves;
        let split = self.points.value_at(middle * LEAF);
        // The left half of a cell that is all within may be enough by its size.
        let alone = inside && left_leaves * LEAF >= self.enough - self.counted;
        self.visit(Cell { leaves: left_leaves, high: split, ..cell });
        if !alone {
            self.visit(Cell { first: middle, leaves: cell.leaves - left_leaves, low: split, ..cell });
        }
    }

    fn leaf(&mut self, leaf: u64, inside: bool) {
        let (start, end) = (leaf * LEAF, ((leaf + 1) * LEAF).min(self.points.values()));
        let (start, end) = (start.max(self.places.0), end.min(self.places.1));
        if start >= end {
            return;
        }
        self.leaves += 1;
        let before = self.docs.len();
        self.points.docs_at(start, end, &mut self.docs);
        let docs = self.docs.get(before..).unwrap_or_default();
        // Leaves that hold their documents as bits are handed over whole, and nobody counts.
        if !(inside && are_bits(docs)) {
            self.counted += end - start;
        }
    }
}

/// Leaves of the left half: all levels but the last are full, and that one is filled from the left.
fn left_leaves(leaves: u64) -> u64 {
    let full = 1u64 << leaves.ilog2();
    full / 2 + (leaves - full).min(full / 2)
}

/// Whether a leaf holds these documents as bits: they ascend, and are not far apart.
fn are_bits(docs: &[u32]) -> bool {
    let (Some(first), Some(last)) = (docs.first(), docs.last()) else { return false };
    let ascend = is_run(docs) || docs.windows(2).all(|pair| pair[0] < pair[1]);
    ascend && ((last - first) as usize) < docs.len() * 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::{Pace, block_on_ready};
    use crate::segment::NO_MORE_DOCS;

    fn points(values: impl Iterator<Item = i64>) -> Points {
        let mut pairs: Vec<(i64, u32)> = values.zip(0..).collect();
        pairs.sort_unstable();
        let bytes = block_on_ready(crate::segment::points::write(pairs.len() as u32, &pairs, &Pace::never()));
        Points::new(pairs.len() as u32, bytes.into())
    }

    fn count(found: Option<DocIterator>) -> usize {
        let (mut docs, mut count) = (found.expect("not too many"), 0);
        while docs.doc() != NO_MORE_DOCS {
            (count, _) = (count + 1, docs.next());
        }
        count
    }

    #[test]
    fn whole_leaves_until_there_is_enough() {
        // Neighbouring values are far from each other.
        let scattered = points((0..30_000).map(|n: i64| n * 7_919 % 30_000));
        assert_eq!(count(scattered.first_of(0, 29_000, 10_000)), 10_240);
        assert_eq!(count(scattered.first_of(0, 9_000, 10_000)), 9_001);
        // It begins within a leaf.
        assert_eq!(count(scattered.first_of(100, 29_000, 10_000)), 10_140);
    }

    #[test]
    fn leaves_that_are_bits_do_not_count() {
        let few = points((0..20_000).map(|n: i64| n % 5));
        assert_eq!(count(few.first_of(0, 3, 10_000)), 16_000);
        // All is within, and the left part of the tree is enough by its size.
        assert_eq!(count(few.first_of(0, 4, 10_000)), 12_288);
    }

    #[test]
    fn halves_of_trees() {
        assert_eq!([2, 3, 4, 5, 40, 59].map(left_leaves), [1, 2, 2, 3, 24, 32]);
    }
}
