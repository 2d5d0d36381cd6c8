//! Counts by owner and number within one segment, in a table with a cell for each pair: nothing has to be looked up for a value.

use crate::codec::simd::column;

/// Larger tables are not made, nor those that are large for what is counted.
const CELLS_MAX: usize = 1 << 18;
const CELLS_PER_VALUE: usize = 8;

#[derive(Default)]
pub(super) struct Tally {
    width: usize,
    cells: Vec<u32>,
}

impl Tally {
    /// Counts the `values` of documents, each at least `least` and less than `width` above, which is so for the whole segment. `places`
    /// tell whose they are, equal ones of a document count once. False if the table would be too large: then nothing is counted.
    pub(super) fn add(
        &mut self,
        (least, width): (i64, usize),
        owners: &[u32],
        values: &[i64],
        places: Option<&[u32]>,
    ) -> bool {
        debug_assert!(self.cells.is_empty() || self.width == width);
        let most = column::greatest(owners).map_or(0, |owner| owner as usize + 1);
        let Some(wanted) = most.checked_mul(width).filter(|cells| *cells <= CELLS_MAX) else { return false };
        if wanted > self.cells.len() {
            if self.cells.is_empty() && wanted > values.len() * CELLS_PER_VALUE {
                return false;
            }
            self.width = width;
            self.cells.resize(wanted, 0);
        }
        match places {
            None => {
                for (value, owner) in values.iter().zip(owners) {
                    self.cells[*owner as usize * width + (value - least) as usize] += 1;
                }
            }
            Some(places) => {
                let mut before = None;
                for pair in values.iter().zip(places) {
                    if before.replace(pair) != Some(pair) {
                        let (value, place) = pair;
                        self.cells[owners[*place as usize] as usize * width + (value - least) as usize] += 1;
                    }
                }
            }
        }
        true
    }

    /// Owner, number above the least and count of what was counted. The table is empty again.
    pub(super) fn take(&mut self) -> impl Iterator<Item = (u32, usize, u64)> + use<> {
        let (width, cells) = (self.width.max(1), std::mem::take(&mut self.cells));
        let counted = cells.into_iter().enumerate().filter(|(_, count)| *count > 0);
        counted.map(move |(cell, count)| ((cell / width) as u32, cell % width, u64::from(count)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted() {
        let mut tally = Tally::default();
        assert!(tally.add((10, 5), &[2, 0, 2], &[10, 14, 10], None));
        assert!(tally.add((10, 5), &[1, 3], &[12, 12, 13, 12], Some(&[0, 0, 0, 1])));
        let found: Vec<_> = tally.take().collect();
        assert_eq!(found, [(0, 4, 1), (1, 2, 1), (1, 3, 1), (2, 0, 2), (3, 2, 1)]);
        assert_eq!(tally.take().count(), 0);
    }

    #[test]
    fn large_tables_are_not_made() {
        let mut tally = Tally::default();
        assert!(!tally.add((0, 100), &[0], &[3], None));
        assert!(!tally.add((0, CELLS_MAX), &[1; 9], &[3; 9], None));
        assert!(tally.add((0, 100), &[0; 60], &[3; 60], None));
        assert!(!tally.add((0, 100), &[u32::MAX], &[3], None));
        assert_eq!(tally.take().collect::<Vec<_>>(), [(0, 3, 60)]);
    }
}
