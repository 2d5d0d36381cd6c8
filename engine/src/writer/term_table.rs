//! The distinct terms of a field of a buffer, numbered in the order in which they came.

use super::sort::sort_paced;
use crate::pace::Pace;
use ahash::RandomState;
use hashbrown::HashTable;

/// Terms by number and numbers by term. No allocation per term: all bytes stand in one pool.
pub(super) struct TermTable {
    /// High half of the hash and number: most other terms are told apart without looking at their bytes.
    table: HashTable<(u32, u32)>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    hasher: RandomState,
}

impl Default for TermTable {
    fn default() -> Self {
        Self { table: HashTable::new(), bytes: vec![], ends: vec![], hasher: RandomState::new() }
    }
}

impl TermTable {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub fn get(&self, id: u32) -> &[u8] {
        term(&self.bytes, &self.ends, id)
    }

    /// The number of `term`, a new one if need be.
    #[inline]
    pub fn intern(&mut self, wanted: &[u8]) -> u32 {
        let hash = self.hasher.hash_one(wanted);
        let high = (hash >> 32) as u32;
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        let found = self.table.entry(
            hash,
            |(h, id)| *h == high && term(bytes, ends, *id) == wanted,
            |(_, id)| hasher.hash_one(term(bytes, ends, *id)),
        );
        match found {
            hashbrown::hash_table::Entry::Occupied(entry) => entry.get().1,
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let id = u32::try_from(self.ends.len()).expect("fewer than 2^31 terms");
                assert!(id < 1 << 31, "fewer than 2^31 terms");
                entry.insert((high, id));
                self.bytes.extend_from_slice(wanted);
                self.ends.push(self.bytes.len());
                id
            }
        }
    }

    /// The numbers in the order of their terms.
    pub async fn sorted(&self, pace: &Pace) -> Vec<u32> {
        let key = |id| crate::segment::index_key(self.get(id));
        let mut keyed: Vec<(u64, u32)> = (0..self.len() as u32).map(|id| (key(id), id)).collect();
        // Eight bytes decide most comparisons.
        let less = |a: &(u64, u32), b: &(u64, u32)| a.0 < b.0 || (a.0 == b.0 && self.get(a.1) < self.get(b.1));
        sort_paced(&mut keyed, less, pace).await;
        keyed.into_iter().map(|(_, id)| id).collect()
    }

    pub fn memory_bytes(&self) -> usize {
        self.table.capacity() * 9 + self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

fn term<'a>(bytes: &'a [u8], ends: &[usize], id: u32) -> &'a [u8] {
    let start = (id as usize).checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start..ends[id as usize]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::block_on_ready;

    #[test]
    fn numbers_are_stable_and_sorting_is_by_bytes() {
        let mut table = TermTable::default();
        let terms = ["b", "", "a", "prefix-longer-2", "prefix-longer-1", "prefix-l"];
        for (i, term) in terms.iter().enumerate() {
            assert_eq!(table.intern(term.as_bytes()), i as u32);
        }
        (0..10_000).for_each(|i| _ = table.intern(format!("t{i}").as_bytes()));
        for (i, term) in terms.iter().enumerate() {
            assert_eq!(table.intern(term.as_bytes()), i as u32);
        }
        let sorted = block_on_ready(table.sorted(&Pace::never()));
        assert_eq!(sorted.len(), table.len());
        assert!(sorted.windows(2).all(|pair| table.get(pair[0]) < table.get(pair[1])));
    }
}
