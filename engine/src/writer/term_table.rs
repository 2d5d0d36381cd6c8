//! The distinct terms of a field of a buffer, numbered in the order in which they came.

use super::sort::sort_paced;
use crate::byte_strings::ByteStrings;
use crate::pace::Pace;
use ahash::RandomState;

/// Slots of a table that begins.
const SLOTS_MIN: usize = 16;
/// Slots that each look-up carries over into a larger table: so many that all are there long before that one is full.
const CARRIED: usize = 4;

/// Terms by number and numbers by term.
///
/// A look-up is mostly a wait for memory, so it touches as little as may be: slots are open-addressed with linear probing (Knuth,
/// TAOCP 6.4, algorithm L), and terms of up to [`INLINE`] bytes are compared within them. A table that has become too small is carried over
/// little by little, so that no look-up takes long.
pub(super) struct TermTable {
    slots: Vec<Slot>,
    /// The table before, while it is being carried over: what stands from `carried` on is nowhere else.
    before: Vec<Slot>,
    carried: usize,
    terms: ByteStrings,
    hasher: RandomState,
}

/// A term of the table: its hash, its number and one, its length, and the term itself or, if it is longer, where it begins. Zeros
/// where there is none: numbers, so that a large table is pages of zeros that cost nothing until they are written. Two of them are a
/// cache line, and none lies across two.
type Slot = [u32; 3 + WORDS];

/// The longest term that is compared within its slot: addresses of the internet protocol are.
const INLINE: usize = WORDS * 4;
const WORDS: usize = 5;
const NO_SLOT: Slot = [0; 3 + WORDS];

/// A term that is looked up.
struct Wanted<'a> {
    term: &'a [u8],
    hash: u32,
    inline: [u32; WORDS],
}

impl<'a> Wanted<'a> {
    #[inline]
    fn new(term: &'a [u8], hasher: &RandomState) -> Self {
        let hash = (hasher.hash_one(term) >> 32) as u32;
        Self { term, hash, inline: if term.len() <= INLINE { inline(term) } else { [0; WORDS] } }
    }

    /// The number of the term in a table.
    #[inline]
    fn find(&self, slots: &[Slot], terms: &ByteStrings) -> Option<u32> {
        if slots.is_empty() {
            return None;
        }
        let mut at = place(self.hash, slots.len());
        loop {
            let slot = &slots[at];
            if slot[1] == 0 {
                return None;
            }
            if slot[0] == self.hash && slot[2] as usize == self.term.len() && self.is_at(slot, terms) {
                return Some(slot[1] - 1);
            }
            at = (at + 1) & (slots.len() - 1);
        }
    }

    #[inline]
    fn is_at(&self, slot: &Slot, terms: &ByteStrings) -> bool {
        match self.term.len() {
            0..=INLINE => slot[3..] == self.inline,
            len => terms.at(slot[3].into(), len) == self.term,
        }
    }
}

/// The bytes of a short term, and zeros.
#[inline]
fn inline(term: &[u8]) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    let (whole, rest) = term.as_chunks::<4>();
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u32::from_le_bytes(*bytes);
    }
    if !rest.is_empty() {
        words[whole.len()] = rest.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
    }
    words
}

/// Where a term with this hash is looked for first.
#[inline]
fn place(hash: u32, slots: usize) -> usize {
    let spread = u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (spread >> 32) as usize & (slots - 1)
}

/// Puts a slot whose term is not in the table where a look-up finds it.
#[inline]
fn put(slots: &mut [Slot], slot: Slot) {
    let mut at = place(slot[0], slots.len());
    while slots[at][1] != 0 {
        at = (at + 1) & (slots.len() - 1);
    }
    slots[at] = slot;
}

impl Default for TermTable {
    fn default() -> Self {
        Self { slots: vec![], before: vec![], carried: 0, terms: ByteStrings::default(), hasher: RandomState::new() }
    }
}

impl TermTable {
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    #[inline]
    pub fn get(&self, id: u32) -> &[u8] {
        self.terms.get(id as usize)
    }

    /// Reads where `term` is looked for, so that it is at hand when it is: of several terms the waits for memory go on together. Gives
    /// what it read, for the compiler not to leave it out.
    #[inline]
    pub fn touch(&self, term: &[u8]) -> u32 {
        if self.slots.is_empty() {
            return 0;
        }
        let hash = (self.hasher.hash_one(term) >> 32) as u32;
        self.slots[place(hash, self.slots.len())][1]
    }

    /// The number of `term`, a new one if need be.
    #[inline]
    pub fn intern(&mut self, term: &[u8]) -> u32 {
        let wanted = Wanted::new(term, &self.hasher);
        if let Some(id) = wanted.find(&self.slots, &self.terms) {
            return id;
        }
        if !self.before.is_empty() {
            let found = wanted.find(&self.before, &self.terms);
            self.carry_over();
            if let Some(id) = found {
                return id;
            }
        }
        let Wanted { hash, inline, .. } = wanted;
        self.add(term, hash, inline)
    }

    fn add(&mut self, term: &[u8], hash: u32, inline: [u32; WORDS]) -> u32 {
        let id = u32::try_from(self.terms.len()).expect("fewer than 2^31 terms");
        assert!(id < 1 << 31, "fewer than 2^31 terms");
        // Two thirds full, look-ups still find most terms where they look first.
        if (self.terms.len() + 1) * 3 > self.slots.len() * 2 {
            let larger = vec![NO_SLOT; (self.slots.len() * 2).max(SLOTS_MIN)];
            assert!(self.before.is_empty(), "each look-up carries over more than enough");
            self.before = std::mem::replace(&mut self.slots, larger);
            self.carried = 0;
        }
        // Buffers are sealed long before their terms come to 4 GiB.
        let start = u32::try_from(self.terms.push(term)).expect("fewer than 2^32 bytes of terms");
        let mut slot = NO_SLOT;
        slot[..3].copy_from_slice(&[hash, id + 1, term.len() as u32]);
        slot[3..].copy_from_slice(&inline);
        if term.len() > INLINE {
            slot[3] = start;
        }
        put(&mut self.slots, slot);
        id
    }

    /// Carries a few slots of the table before over. They stay there too, so that probing finds those behind them.
    #[cold]
    fn carry_over(&mut self) {
        let end = self.before.len().min(self.carried + CARRIED);
        for slot in &self.before[self.carried..end] {
            if slot[1] != 0 {
                put(&mut self.slots, *slot);
            }
        }
        self.carried = end;
        if end == self.before.len() {
            self.before = vec![];
        }
    }

    /// The numbers in the order of their terms.
    pub async fn sorted(&self, pace: &Pace) -> Vec<u32> {
        let key = |id| crate::segment::index_key(self.get(id));
        let mut keyed: Vec<(u64, u32)> = Vec::with_capacity(self.len());
        for id in 0..self.len() as u32 {
            keyed.push((key(id), id));
            pace.tick(1).await;
        }
        // Eight bytes decide most comparisons.
        let less = |a: &(u64, u32), b: &(u64, u32)| a.0 < b.0 || (a.0 == b.0 && self.get(a.1) < self.get(b.1));
        sort_paced(&mut keyed, less, pace).await;
        keyed.into_iter().map(|(_, id)| id).collect()
    }

    pub fn memory_bytes(&self) -> usize {
        (self.slots.len() + self.before.len()) * size_of::<Slot>() + self.terms.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::block_on_ready;

    #[test]
    fn terms_are_the_same_where_every_byte_is() {
        let text = b"0123456789abcdefghijklmno";
        let mut table = TermTable::default();
        let mut terms: Vec<Vec<u8>> = vec![];
        for len in 0..=text.len() {
            terms.push(text[..len].to_vec());
            for at in 0..len {
                let mut other = text[..len].to_vec();
                other[at] = 0;
                terms.push(other);
            }
        }
        for _ in 0..2 {
            let ids: Vec<u32> = terms.iter().map(|term| table.intern(term)).collect();
            assert_eq!(ids, (0..terms.len() as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_table_that_grows_finds_all() {
        let mut table = TermTable::default();
        for n in 0..20_000_u32 {
            assert_eq!(table.intern(format!("t{n}").as_bytes()), n);
            // What is where while the table is being carried over.
            for known in [n / 3, n / 2, n] {
                assert_eq!(table.intern(format!("t{known}").as_bytes()), known);
            }
        }
        assert_eq!(table.len(), 20_000);
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
