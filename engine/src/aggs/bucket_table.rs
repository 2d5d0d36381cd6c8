//! The numbers of buckets by their owner and a small number of their own: rows of arrays while those stay small, a hash
//! table for the rest.

use super::kind::check_shard_buckets;
use crate::error::Result;
use ahash::AHashMap;

/// Cells of all rows together (four bytes each).
const CELLS_MAX: usize = 4 << 20;
const ROW_MIN: usize = 16;
const NONE: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct BucketTable {
    rows: Vec<Vec<u32>>,
    cells: usize,
    spilled: AHashMap<(u32, u32), u32>,
    /// Owner and number of each bucket, in the order they were met.
    buckets: Vec<(u32, u32)>,
}

impl BucketTable {
    /// Owner and number of each bucket.
    pub(crate) fn buckets(&self) -> &[(u32, u32)] {
        &self.buckets
    }

    /// The bucket of `number` below `owner`, a new one if there was none.
    #[inline]
    pub(crate) fn bucket(&mut self, owner: u32, number: u32) -> Result<u32> {
        let cell = self.rows.get(owner as usize).and_then(|row| row.get(number as usize));
        match cell {
            Some(bucket) if *bucket != NONE => Ok(*bucket),
            _ => self.slow_bucket(owner, number),
        }
    }

    #[cold]
    fn slow_bucket(&mut self, owner: u32, number: u32) -> Result<u32> {
        if let Some(bucket) = self.spilled.get(&(owner, number)) {
            return Ok(*bucket);
        }
        check_shard_buckets(self.buckets.len())?;
        let bucket = self.buckets.len() as u32;
        self.buckets.push((owner, number));
        match self.cell(owner as usize, number as usize) {
            Some(cell) => *cell = bucket,
            None => _ = self.spilled.insert((owner, number), bucket),
        }
        Ok(bucket)
    }

    fn cell(&mut self, owner: usize, number: usize) -> Option<&mut u32> {
        if owner >= self.rows.len() {
            if self.cells + owner >= CELLS_MAX {
                return None;
            }
            self.rows.resize(owner + 1, Vec::new());
        }
        let row = &mut self.rows[owner];
        if number >= row.len() {
            let wanted = (number + 1).next_power_of_two().max(ROW_MIN);
            if self.cells + wanted - row.len() > CELLS_MAX {
                return None;
            }
            self.cells += wanted - row.len();
            row.resize(wanted, NONE);
        }
        row.get_mut(number)
    }

    /// The buckets of each of `owners`, in the order they were met.
    pub(crate) fn by_owner(&self, owners: &[u32]) -> Vec<Vec<u32>> {
        let places: AHashMap<u32, usize> = owners.iter().copied().zip(0..).collect();
        let mut lists = vec![vec![]; owners.len()];
        for (bucket, (owner, _)) in self.buckets.iter().enumerate() {
            if let Some(place) = places.get(owner) {
                lists[*place].push(bucket as u32);
            }
        }
        lists
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_keep_their_numbers_wherever_they_stand() {
        let mut table = BucketTable::default();
        let pairs = [(0, 0), (5, 70_000), (0, 17), (2, 1 << 30), (u32::MAX - 1, 3), (5, 0), (2, 5)];
        for _ in 0..2 {
            for (i, (owner, number)) in pairs.iter().enumerate() {
                assert_eq!(table.bucket(*owner, *number).unwrap(), i as u32);
            }
        }
        assert_eq!(table.buckets(), pairs);
        assert_eq!(table.by_owner(&[5, 7, 0]), [vec![1, 5], vec![], vec![0, 2]]);
        assert!(table.cells <= CELLS_MAX);
    }
}
