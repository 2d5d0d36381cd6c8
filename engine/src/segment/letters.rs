//! Which letters a term has, and how often: what tells most terms of a dictionary apart from those within a few edits of a
//! text, without reading them.
//!
//! A term has 32 counters, one for each of the letters a to z and six for all other characters. A counter knows nothing, one,
//! and more, as two bits of which the first is set by one and the second by a second letter. So an edit sets at most one bit and clears
//! at most one: an inserted letter sets one, a removed one clears one, a replaced one does both, two that change places do neither.

use super::key_scan::{Keys, successor};
use super::terms::BLOCK_TERMS;
use super::{TermInfo, Terms};
use crate::codec::simd;

/// Counters for letters from a to z.
const LETTERS: u32 = 26;
/// Counters for all others.
const OTHERS: u32 = 6;
/// Terms whose letters are compared at once.
const BATCH_TERMS: usize = 4_096;

/// The counters of a term. Of what is no text they mean nothing.
pub fn letters_of(term: &[u8]) -> u64 {
    let mut counters = 0u64;
    let mut count = |letter: u32| {
        let counter = match letter.wrapping_sub(u32::from('a')) {
            letter @ 0..LETTERS => letter,
            _ => LETTERS + letter % OTHERS,
        };
        let one = 1 << (2 * counter);
        counters |= if counters & one == 0 { one } else { one << 1 };
    };
    if term.is_ascii() {
        term.iter().for_each(|byte| count(u32::from(*byte)));
    } else {
        String::from_utf8_lossy(term).chars().for_each(|letter| count(u32::from(letter)));
    }
    counters
}

/// The terms of a dictionary that begin with a prefix and, as far as their letters tell, are within some edits of a text.
pub struct NearTerms<'a> {
    terms: &'a Terms,
    wanted: u64,
    edits: u32,
    /// Those of the terms from `from` on that may be near and were not given yet.
    near: [u64; BATCH_TERMS / 64],
    from: usize,
    /// Where the next batch begins, and where the last ends.
    next: usize,
    end: usize,
    /// The term given last, its place, and the keys after it in its block.
    term: Vec<u8>,
    at: usize,
    keys: Keys,
}

impl Terms {
    /// None if the dictionary does not know the letters of its terms.
    pub fn near(&self, prefix: &[u8], text: &str, edits: usize) -> Option<NearTerms<'_>> {
        if !self.inner().has_letters() {
            return None;
        }
        let place = |term: &[u8]| self.ord_of(term).unwrap_or_else(|after| after) as usize;
        let next = place(prefix);
        Some(NearTerms {
            terms: self,
            wanted: letters_of(text.as_bytes()),
            edits: edits as u32,
            near: [0; BATCH_TERMS / 64],
            from: next,
            next,
            end: successor(prefix).map_or(self.len() as usize, |after| place(&after)),
            term: Vec::new(),
            at: usize::MAX,
            keys: Keys::default(),
        })
    }
}

impl NearTerms<'_> {
    /// The next term, and how many of its bytes are those of the one given before; `None` at the end.
    #[allow(clippy::should_implement_trait, reason = "lends its items")]
    pub fn next(&mut self) -> Option<(usize, &[u8])> {
        let ord = self.next_near()?;
        let inner = self.terms.inner();
        let (block, i) = (ord / BLOCK_TERMS, ord % BLOCK_TERMS);
        let mut shared = usize::MAX;
        let mut done = (self.at % BLOCK_TERMS) + 1;
        if self.at == usize::MAX || self.at / BLOCK_TERMS != block {
            self.keys = Keys::new(inner, block);
            done = 0;
        }
        for _ in done..=i {
            let (kept, rest) = self.keys.next(&inner.bytes);
            // The first key of a block tells nothing of what it shares.
            let same = self.term[kept..].iter().zip(rest).take_while(|(a, b)| a == b).count();
            shared = shared.min(kept + same);
            self.term.truncate(kept);
            self.term.extend_from_slice(rest);
        }
        self.at = ord;
        Some((shared, &self.term))
    }

    /// The place of the next term whose letters are near.
    fn next_near(&mut self) -> Option<usize> {
        loop {
            if let Some(at) = self.near.iter().position(|word| *word != 0) {
                let bit = self.near[at].trailing_zeros() as usize;
                self.near[at] &= self.near[at] - 1;
                return Some(self.from + at * 64 + bit);
            }
            if self.next >= self.end {
                return None;
            }
            self.from = self.next;
            self.next = self.end.min(self.from + BATCH_TERMS);
            let letters = self.terms.inner().letters(self.from..self.next);
            simd::near(letters, self.wanted, self.edits, &mut self.near);
        }
    }

    /// What is known of the current term.
    pub fn info(&self) -> TermInfo {
        self.terms.inner().info(self.at / BLOCK_TERMS, self.at % BLOCK_TERMS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_sets_one_bit_and_clears_one() {
        let far = |a: &str, b: &str| {
            let (a, b) = (letters_of(a.as_bytes()), letters_of(b.as_bytes()));
            ((a & !b).count_ones(), (b & !a).count_ones())
        };
        for (a, b, expected) in [
            ("abc", "abc", (0, 0)),
            ("abc", "acb", (0, 0)),
            ("abc", "abbc", (0, 1)),
            ("abc", "bc", (1, 0)),
            ("abc", "abd", (1, 1)),
            ("aaa", "aaaa", (0, 0)),
            ("a1é", "aé1", (0, 0)),
            ("", "z", (0, 1)),
        ] {
            assert_eq!(far(a, b), expected, "{a} {b}");
        }
    }
}
