//! Smallest and largest values of short stretches of documents: what lets sorts and histograms pass over stretches.
//!
//! They are computed when a window is first asked for them, and kept: reading a column costs no more than some 20 µs a
//! window, and most columns are never sorted by.

use super::WINDOW;
use super::numeric::{NumericColumn, SINGLE};
use crate::codec::simd::column::{Run, range};

/// Documents in a block.
pub const BLOCK_DOCS: u32 = 256;

/// Smallest and largest value of each block of a window.
pub(super) type Extremes = Box<[(i64, i64)]>;

impl NumericColumn {
    /// Smallest and largest value of each block of [`BLOCK_DOCS`] documents of a window in which every document has exactly
    /// one value; `None` for other windows.
    pub fn block_ranges(&self, number: u32) -> Option<&[(i64, i64)]> {
        let window = self.window(number);
        if window.offset_width != SINGLE || window.count == 0 || !self.docs().is_window_full(number) {
            return None;
        }
        let kept = self.extremes(number);
        if kept.get().is_none() {
            let bytes = &self.bytes()[window.values..];
            let ranges = (0..window.count).step_by(BLOCK_DOCS as usize).map(|start| {
                let len = BLOCK_DOCS.min(window.count - start) as usize;
                let (min, max) = range(bytes, window.value_width, Run { start: start as usize, len });
                (window.decode(min), window.decode(max))
            });
            // Another core may have been faster with the same result.
            let _ = kept.set(ranges.collect());
        }
        kept.get().map(|ranges| &**ranges)
    }

    /// Smallest and largest value of the documents of the block that `doc` is in (or of its whole window), and the first
    /// document after those. `None` stands for values if there are none.
    pub fn range_around(&self, doc: u32) -> (Option<(i64, i64)>, u32) {
        let window = doc / WINDOW;
        match self.block_ranges(window) {
            Some(ranges) => {
                let block = (doc % WINDOW / BLOCK_DOCS) as usize;
                (ranges.get(block).copied(), (doc / BLOCK_DOCS + 1).saturating_mul(BLOCK_DOCS))
            }
            None => (self.window_range(window), (window + 1).saturating_mul(WINDOW)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::{Pace, block_on_ready};

    #[test]
    fn blocks_know_their_extremes_and_windows_with_gaps_themselves() {
        let max_doc = 2 * WINDOW + 300;
        let value = |doc: u32| i64::from(doc.wrapping_mul(2_654_435_761) % 9_000) * 10 - 5;
        let values: Vec<(u32, i64)> = (0..max_doc).filter(|doc| *doc != 5).map(|doc| (doc, value(doc))).collect();
        let bytes = block_on_ready(crate::segment::numeric::write(max_doc, &values, &Pace::never()));
        let column = NumericColumn::new(max_doc, bytes.into());
        assert!(column.block_ranges(0).is_none());
        for window in 1..3 {
            let docs: Vec<u32> = (window * WINDOW..max_doc.min((window + 1) * WINDOW)).collect();
            let expected: Vec<(i64, i64)> = docs
                .chunks(BLOCK_DOCS as usize)
                .map(|docs| {
                    let values = || docs.iter().map(|doc| value(*doc));
                    (values().min().unwrap(), values().max().unwrap())
                })
                .collect();
            assert_eq!(column.block_ranges(window).unwrap(), expected);
        }
        assert_eq!(column.range_around(7), (column.window_range(0), WINDOW));
        let last = (2 * WINDOW + 256..max_doc).map(value);
        let expected = Some((last.clone().min().unwrap(), last.max().unwrap()));
        assert_eq!(column.range_around(max_doc - 1), (expected, 2 * WINDOW + 512));
    }
}
