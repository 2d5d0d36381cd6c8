//! The terms of a dictionary one after the other.

use super::key_scan::Keys;
use super::terms::{BLOCK_TERMS, Infos};
use super::{TermInfo, Terms};
use std::cmp::Ordering;
use std::ops::Bound;

/// Terms in order.
#[derive(Clone)]
pub struct TermIter {
    pub(super) terms: Terms,
    upper: Bound<Vec<u8>>,
    /// The last term given; the base for the next one within its block.
    term: Vec<u8>,
    /// The place of the term that comes next.
    next: u64,
    keys: Keys,
    /// What is known of the terms of the block from its place `told` on; nothing was asked for where that is 0.
    infos: Infos,
    told: u64,
    /// How much of `upper` the last term begins with, at most.
    agreed: usize,
}

impl TermIter {
    /// All terms up to a bound.
    pub(super) fn new(terms: &Terms, upper: Bound<Vec<u8>>) -> Self {
        Self {
            terms: terms.clone(),
            upper,
            term: vec![],
            next: 0,
            keys: Keys::default(),
            infos: Infos::default(),
            told: 0,
            agreed: usize::MAX,
        }
    }

    /// The next term; it is lent until the next call. After the last one it stays at the end.
    #[allow(clippy::should_implement_trait, reason = "lends its items")]
    pub fn next(&mut self) -> Option<(&[u8], TermInfo)> {
        self.next_key()?;
        let info = self.info();
        Some((&self.term, info))
    }

    /// The same without what is known of the term, but with how many bytes it has at least in common with the one given before.
    #[inline]
    pub(crate) fn next_key(&mut self) -> Option<(usize, &[u8])> {
        let inner = self.terms.inner();
        if self.next >= inner.len {
            return None;
        }
        if self.keys.left == 0 {
            self.keys = Keys::new(inner, (self.next / BLOCK_TERMS as u64) as usize);
            self.told = 0;
        }
        let (shared, rest) = self.keys.next(&inner.bytes);
        self.term.truncate(shared);
        self.term.extend_from_slice(rest);
        self.next += 1;
        // What shares the byte by which the term before is less is less, too.
        if shared <= self.agreed && !self.is_within() {
            self.next = self.terms.inner().len;
            return None;
        }
        Some((shared, &self.term))
    }

    /// Whether the term is not beyond the upper bound; keeps what that was seen by.
    fn is_within(&mut self) -> bool {
        let (upper, most) = match &self.upper {
            Bound::Unbounded => return true,
            Bound::Included(upper) => (upper, Ordering::Equal),
            Bound::Excluded(upper) => (upper, Ordering::Less),
        };
        self.agreed = self.term.iter().zip(upper).take_while(|(a, b)| a == b).count();
        self.term[self.agreed..].cmp(&upper[self.agreed..]) <= most
    }

    /// What is known of the term that was given last. To be asked for once.
    #[inline]
    pub(crate) fn info(&mut self) -> TermInfo {
        let (inner, ord) = (self.terms.inner(), self.next - 1);
        let place = ord % BLOCK_TERMS as u64;
        if self.told == 0 {
            self.infos = Infos::new(inner, (ord / BLOCK_TERMS as u64) as usize);
        }
        if self.told < place {
            self.infos.skip(inner, place - self.told);
        }
        self.told = place + 1;
        self.infos.next(inner, ord)
    }

    /// Makes `next` give the first term ≥ `target` within the range; never goes back.
    pub fn seek_ge(&mut self, target: &[u8]) {
        let inner = self.terms.inner();
        let (block, i) = inner.find(target).unwrap_or_else(|place| place);
        let ord = (block * BLOCK_TERMS + i) as u64;
        if ord <= self.next {
            return;
        }
        self.next = ord;
        self.keys.left = 0;
        self.agreed = usize::MAX;
        if i < BLOCK_TERMS && ord < inner.len {
            self.keys = Keys::new(inner, block);
            self.told = 0;
            for _ in 0..i {
                self.keys.next_into(&inner.bytes, &mut self.term);
            }
        }
    }
}
