//! The distinct terms of a field of a buffer, numbered in the order in which they came.

use super::sort::sort_paced;
use crate::pace::Pace;
use ahash::RandomState;
use hashbrown::HashTable;

/// Terms by number and numbers by term. No allocation per term: all bytes stand in one pool.
pub(super) struct TermTable {
    table: HashTable<Slot>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    hasher: RandomState,
}

/// A term of the table. Most other terms are told apart without looking at their bytes, and those of one that may be the same are
/// found without another look-up.
#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    id: u32,
    start: u32,
    len: u32,
}

impl Slot {
    /// The hash by which the table places it: a whole one again.
    #[inline]
    fn place(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
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
        let hash = (self.hasher.hash_one(wanted) >> 32) as u32;
        let bytes = &self.bytes;
        let is_wanted = |slot: &Slot| {
            let start = slot.start as usize;
            slot.hash == hash && slot.len as usize == wanted.len() && same(&bytes[start..start + wanted.len()], wanted)
        };
        let found = self.table.entry(Slot::place(hash), is_wanted, |slot| Slot::place(slot.hash));
        match found {
            hashbrown::hash_table::Entry::Occupied(entry) => entry.get().id,
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let id = u32::try_from(self.ends.len()).expect("fewer than 2^31 terms");
                assert!(id < 1 << 31, "fewer than 2^31 terms");
                // Buffers are sealed long before their terms come to 4 GiB.
                let start = u32::try_from(self.bytes.len()).expect("fewer than 2^32 bytes of terms");
                entry.insert(Slot { hash, id, start, len: wanted.len() as u32 });
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
        self.table.capacity() * (size_of::<Slot>() + 1)
            + self.bytes.capacity()
            + self.ends.capacity() * size_of::<usize>()
    }
}

/// Whether two terms of one length are the same. They are short, so that a call would take longer than to compare them here.
#[inline]
fn same(a: &[u8], b: &[u8]) -> bool {
    let len = a.len();
    let differ = |at: usize| match (a[at..].first_chunk::<8>(), b[at..].first_chunk::<8>()) {
        (Some(a), Some(b)) => a != b,
        _ => true,
    };
    match len {
        8..=16 => !differ(0) && !differ(len - 8),
        4..8 => a.first_chunk::<4>() == b.first_chunk::<4>() && a.last_chunk::<4>() == b.last_chunk::<4>(),
        0..4 => a.iter().zip(b).all(|(a, b)| a == b),
        _ => a == b,
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
    fn terms_are_the_same_where_every_byte_is() {
        let text = b"0123456789abcdefghij";
        for len in 0..=text.len() {
            assert!(same(&text[..len], &text[..len]));
            for at in 0..len {
                let mut other = text.to_vec();
                other[at] ^= 1;
                assert!(!same(&text[..len], &other[..len]), "{len} {at}");
            }
        }
    }

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
