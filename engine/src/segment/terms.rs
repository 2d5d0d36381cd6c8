//! The terms of a field.

use super::{Postings, Want};
use std::ops::Bound;

#[derive(Clone)]
pub struct Terms {}

/// What is known of a term without touching its postings. Valid for the [`Terms`] it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermInfo {
    pub doc_freq: u32,
    pub total_term_freq: u64,
}

impl Terms {
    /// The number of terms.
    pub fn len(&self) -> u64 {
        todo!()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, _term: &[u8]) -> Option<TermInfo> {
        todo!()
    }

    pub fn iter(&self) -> TermIter {
        self.range(Bound::Unbounded, Bound::Unbounded)
    }

    pub fn range(&self, _lo: Bound<&[u8]>, _hi: Bound<&[u8]>) -> TermIter {
        todo!()
    }

    pub fn prefix(&self, _prefix: &[u8]) -> TermIter {
        todo!()
    }

    /// A cursor over the documents of a term, on its first one.
    pub fn postings(&self, _term: TermInfo, _want: Want) -> Postings {
        todo!()
    }
}

/// Terms in order.
#[derive(Clone)]
pub struct TermIter {}

impl TermIter {
    /// The next term; it is lent until the next call.
    #[allow(clippy::should_implement_trait, reason = "lends its items")]
    pub fn next(&mut self) -> Option<(&[u8], TermInfo)> {
        todo!()
    }

    /// Makes `next` give the first term ≥ `target` within the range; never goes back.
    pub fn seek_ge(&mut self, _target: &[u8]) {
        todo!()
    }
}
