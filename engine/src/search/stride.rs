//! How many documents a search looks at between two looks at its budget.
//!
//! What a document costs is known only when some have been looked at: a term's posting takes a nanosecond, a script or a
//! hundred nested functions a thousand times as long. So a search begins with short strides, lengthens them while they are quick, and
//! shortens them when they are not.

use super::SearchRequest;
use super::sort_parse::{Sort, SortBy};

/// The first stride: few, as nothing is known yet. A distance to each of ten thousand places took a second for 256 of them.
const FIRST_DOCS: u32 = 16;
/// The longest stride where scripts are run: what they cost can change with each document by a million times.
const SCRIPTED_DOCS: u32 = 64;
/// The longest stride where values are combined. Shorter ones would cost the usual documents, which have one combination each.
const COMBINED_DOCS: u32 = 1_024;
/// A stride that took no longer is followed by longer ones.
const QUICK_NS: u64 = 250_000;
/// A stride that took longer is followed by shorter ones.
const SLOW_NS: u64 = 1_000_000;
/// What each stride grows by.
const GROWTH: u32 = 4;

/// The length of the next stride, in documents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stride {
    docs: u32,
    most: u32,
}

impl Default for Stride {
    fn default() -> Self {
        Self { docs: FIRST_DOCS, most: u32::MAX }
    }
}

impl Stride {
    /// Strides of a search that runs scripts, or combines all values of a document.
    pub fn of(is_scripted: bool, combines: bool) -> Self {
        match (is_scripted, combines) {
            (true, _) => Self::scripted(),
            (_, true) => Self::combining(),
            _ => Self::default(),
        }
    }

    fn scripted() -> Self {
        Self { docs: 1, most: SCRIPTED_DOCS }
    }

    /// One document may have ten thousand times as many combinations as the others.
    fn combining() -> Self {
        Self { docs: 1, most: COMBINED_DOCS }
    }

    /// The next stride, where `most` documents are as many as are ever worth taking at once.
    pub fn docs(self, most: u32) -> u32 {
        self.docs.min(most)
    }

    /// The last stride took so long.
    pub fn took(&mut self, ns: u64) {
        match ns {
            ..=QUICK_NS => self.docs = self.docs.saturating_mul(GROWTH).min(self.most),
            SLOW_NS.. => {
                // A thread that lost its processor for a moment looks slow as well: no more than to a sixteenth at once.
                let shorter = u64::from(self.docs) * QUICK_NS / ns;
                self.docs = u32::try_from(shorter).unwrap_or(self.docs).max(self.docs / 16).max(1);
            }
            _ => {}
        }
    }
}

/// Whether one document may take as long as a thousand others: with many combinations of its values, or places that it is far from.
pub(super) fn begins_with_one(request: &SearchRequest) -> bool {
    let far = |sort: &Sort| matches!(&sort.by, SortBy::GeoDistance(by) if by.has_many_places());
    request.aggs.as_ref().is_some_and(|aggs| aggs.0.multiplies()) || request.sort.iter().any(far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_follow_what_documents_cost() {
        let mut stride = Stride::default();
        assert_eq!((stride.docs(4096), stride.docs(8)), (16, 8));
        for _ in 0..20 {
            stride.took(1_000);
        }
        assert_eq!(stride.docs(65_536), 65_536);
        for _ in 0..20 {
            stride.took(100_000_000);
        }
        assert_eq!(stride.docs(65_536), 1);
        stride.took(500_000);
        assert_eq!(stride.docs(65_536), 1);
        stride.took(0);
        assert_eq!(stride.docs(65_536), 4);
        let mut scripted = Stride::scripted();
        assert_eq!(scripted.docs(65_536), 1);
        for _ in 0..20 {
            scripted.took(1_000);
        }
        assert_eq!(scripted.docs(65_536), 64);
    }
}
