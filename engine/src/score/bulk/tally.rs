//! Documents of a window that match several clauses: how many, as numbers whose bits lie in bitsets of their own, so that a
//! clause is added to 64 documents at a time (a carry-save adder).

use super::Clause;
use crate::codec::simd::BLOCK;
use crate::segment::{WINDOW, WINDOW_WORDS, WindowPart};

type Words = [u64; WINDOW_WORDS];

/// How many clauses each document matches: bit `n` of the numbers in bitset `n`.
#[derive(Default)]
pub struct Tally {
    planes: Vec<Box<Words>>,
}

impl Tally {
    /// Nothing was added yet, and at most so many clauses will be.
    pub fn reset(&mut self, clauses: usize) {
        let planes = (usize::BITS - clauses.leading_zeros()) as usize;
        self.planes.truncate(planes);
        self.planes.iter_mut().for_each(|plane| plane.fill(0));
        self.planes.resize_with(planes, || Box::new([0; WINDOW_WORDS]));
    }

    pub fn add(&mut self, clause: &Clause, window: u32) {
        match &clause.part {
            WindowPart::Empty => {}
            WindowPart::Dense(dense) => {
                let words = clause.postings.window_words(dense).as_chunks::<8>().0;
                for (at, word) in words.iter().enumerate().take(WINDOW_WORDS) {
                    self.add_word(at, u64::from_le_bytes(*word));
                }
            }
            WindowPart::Blocks { first, end } => {
                let base = window * WINDOW;
                let mut docs = [0; BLOCK];
                for block in *first..*end {
                    let len = clause.postings.read_docs(block, &mut docs);
                    for doc in docs[..len].iter().filter(|doc| **doc >= base && **doc - base < WINDOW) {
                        let place = (doc - base) as usize;
                        self.add_word(place / 64, 1 << (place % 64));
                    }
                }
            }
        }
    }

    #[inline]
    fn add_word(&mut self, at: usize, mut carry: u64) {
        for plane in &mut self.planes {
            let word = &mut plane[at];
            (*word, carry) = (*word ^ carry, *word & carry);
            if carry == 0 {
                break;
            }
        }
    }

    /// Leaves in `bits` the documents that match at least `minimum` clauses: of those that are in it, or of all.
    pub fn keep(&self, minimum: usize, within: bool, bits: &mut Words) {
        for (at, bits) in bits.iter_mut().enumerate() {
            // From the highest bit on: numbers that are greater so far, and those that are equal.
            let (mut greater, mut equal) = (0u64, u64::MAX);
            for (n, plane) in self.planes.iter().enumerate().rev() {
                if minimum >> n & 1 == 1 {
                    equal &= plane[at];
                } else {
                    greater |= equal & plane[at];
                    equal &= !plane[at];
                }
            }
            let enough = if minimum >> self.planes.len() == 0 { greater | equal } else { 0 };
            *bits = if within { *bits & enough } else { enough };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_clauses_are_compared_with_a_minimum() {
        let mut tally = Tally::default();
        for clauses in [1, 2, 3, 4, 7, 8, 32] {
            tally.reset(clauses);
            // Document n of a word matches n clauses.
            for clause in 0..clauses {
                for at in [0, 5, WINDOW_WORDS - 1] {
                    tally.add_word(at, u64::MAX << (clause + 1));
                }
            }
            for minimum in 0..=clauses + 40 {
                let mut bits = [u64::MAX; WINDOW_WORDS];
                bits[5] = 0x5555_5555_5555_5555;
                let (mut within, mut all) = (bits, bits);
                tally.keep(minimum, true, &mut within);
                tally.keep(minimum, false, &mut all);
                let matched = |n: usize| n.min(clauses);
                let enough = (0..64).filter(|n| matched(*n) >= minimum).fold(0u64, |bits, n| bits | 1 << n);
                let none = if minimum == 0 { u64::MAX } else { 0 };
                assert_eq!((all[0], all[5], all[7]), (enough, enough, none), "{minimum} of {clauses}");
                assert_eq!((within[0], within[5]), (enough, enough & 0x5555_5555_5555_5555));
            }
        }
    }
}
