//! Places in an area, from points along a curve.
//!
//! Cells of the earth are ranges of the curve, so that those within the area are counted by where they begin and end; only places
//! in cells on its rim are tested. How Lucene walks its trees of points is the idea; the tree here is the order of the numbers.

use super::value_test::ValueTest;
use crate::geo::{Cell, from_curve};
use crate::segment::{DocIterator, Points};

/// A cell with no more places is not divided, but each of them tested.
const LEAF: u64 = 192;

/// The matches of a test: places of the points.
#[derive(Debug, Default)]
pub struct Places {
    /// From the first to before the second.
    whole: Vec<(u64, u64)>,
    /// Documents of single places that pass.
    docs: Vec<u32>,
}

impl Places {
    /// `None` where the test knows nothing of cells.
    pub fn of(points: &Points, test: &dyn ValueTest) -> Option<Self> {
        test.cell((i32::MIN, i32::MIN), (i32::MAX, i32::MAX))?;
        let mut walk = Walk { points, test, found: Self::default(), curve: vec![] };
        walk.visit(0, points.values());
        Some(walk.found)
    }

    /// Values that match: documents, where each has one at most.
    pub fn count(&self) -> u64 {
        self.docs.len() as u64 + self.whole.iter().map(|(start, end)| end - start).sum::<u64>()
    }

    pub fn into_docs(self, points: &Points) -> DocIterator {
        points.docs_of(&self.whole, self.docs)
    }
}

struct Walk<'a> {
    points: &'a Points,
    test: &'a dyn ValueTest,
    found: Places,
    /// Places of a leaf: where on the curve, and whose.
    curve: Vec<(i64, u32)>,
}

impl Walk<'_> {
    /// Each step divides by a bit that is not all the same, so steps lie in one another no deeper than a number has bits.
    fn visit(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        // As numbers without a sign, which have the order of their bits.
        let at = |place| (self.points.value_at(place) ^ i64::MIN) as u64;
        let (first, last) = (at(start), at(end - 1));
        let differing = u64::BITS - (first ^ last).leading_zeros();
        // The cell is the smallest that holds them all.
        let within = 1u64.checked_shl(differing).map_or(u64::MAX, |size| size - 1);
        let corner = |bits: u64| {
            let number = from_curve(bits as i64 ^ i64::MIN);
            ((number >> 32) as i32, number as i32)
        };
        match self.test.cell(corner(first & !within), corner(first | within)) {
            Some(Cell::Outside) => {}
            Some(Cell::Inside) => match self.found.whole.last_mut() {
                Some(before) if before.1 == start => before.1 = end,
                _ => self.found.whole.push((start, end)),
            },
            Some(Cell::Rim) | None if differing == 0 || end - start <= LEAF => self.leaf(start, end),
            Some(Cell::Rim) | None => {
                let middle = first & !within | 1 << (differing - 1);
                let split = self.points.bounds(middle as i64 ^ i64::MIN, i64::MAX).0.clamp(start, end);
                self.visit(start, split);
                self.visit(split, end);
            }
        }
    }

    fn leaf(&mut self, start: u64, end: u64) {
        self.curve.clear();
        self.points.pairs_at(start, end, &mut self.curve);
        for (value, doc) in &self.curve {
            if self.test.number(from_curve(*value)) {
                self.found.docs.push(*doc);
            }
        }
    }
}
