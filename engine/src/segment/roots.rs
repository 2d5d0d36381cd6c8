//! Root documents: those that are not nested in another. The nested documents of a root stand right before it.

use super::docset::DocSet;
use super::{NO_MORE_DOCS, SegmentView};
use crate::pace::Pace;

/// One bit per document. Also used for the documents of one nested path, which are the parents of those nested in them.
pub struct Roots {
    words: Vec<u64>,
}

impl Roots {
    pub(super) async fn new(max_doc: u32, docs: &DocSet, pace: &Pace) -> Self {
        let mut roots = Self::none(max_doc);
        let mut it = docs.iter();
        while it.doc() != NO_MORE_DOCS {
            roots.insert(it.doc());
            it.next();
            pace.tick(1).await;
        }
        roots
    }

    /// The set of no document.
    pub fn none(max_doc: u32) -> Self {
        Self { words: vec![0; max_doc.div_ceil(64) as usize] }
    }

    pub fn insert(&mut self, doc: u32) {
        self.words[(doc / 64) as usize] |= 1 << (doc % 64);
    }

    #[inline]
    pub fn contains(&self, doc: u32) -> bool {
        self.words.get((doc / 64) as usize).is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }

    /// The first document of the set at or after `doc`; [`NO_MORE_DOCS`] if there is none.
    #[inline]
    pub fn from(&self, doc: u32) -> u32 {
        let mut at = (doc / 64) as usize;
        let mut mask = u64::MAX << (doc % 64);
        while let Some(word) = self.words.get(at) {
            if word & mask != 0 {
                return at as u32 * 64 + (word & mask).trailing_zeros();
            }
            mask = u64::MAX;
            at += 1;
        }
        NO_MORE_DOCS
    }

    /// The last document of the set before `doc`.
    #[inline]
    pub fn before(&self, doc: u32) -> Option<u32> {
        let mut at = (doc / 64) as usize;
        let mut mask = !(u64::MAX << (doc % 64));
        loop {
            let word = self.words.get(at).copied().unwrap_or(0) & mask;
            if word != 0 {
                return Some(at as u32 * 64 + 63 - word.leading_zeros());
            }
            at = at.checked_sub(1)?;
            mask = u64::MAX;
        }
    }
}

/// The field whose terms are the paths of nested documents.
pub(crate) const NESTED_PATH: &str = "_nested_path";

impl SegmentView {
    /// The documents nested under `path`, live or not.
    pub fn nested_docs(&self, path: &str) -> Roots {
        let mut set = Roots::none(self.max_doc());
        let terms = self.segment.field(NESTED_PATH).and_then(|field| field.terms());
        if let Some((terms, info)) = terms.and_then(|terms| Some((terms, terms.get(path.as_bytes())?))) {
            let mut list = terms.postings(info, super::Want::Docs);
            while list.doc() != NO_MORE_DOCS {
                set.insert(list.doc());
                list.next();
            }
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_neighbours() {
        let mut set = Roots::none(200);
        [3, 64, 199].into_iter().for_each(|doc| set.insert(doc));
        assert_eq!((set.from(0), set.from(3), set.from(4), set.from(65)), (3, 3, 64, 199));
        assert_eq!((set.before(3), set.before(4), set.before(199), set.before(64)), (None, Some(3), Some(64), Some(3)));
        assert_eq!((set.from(200), set.contains(64), set.contains(65)), (NO_MORE_DOCS, true, false));
    }
}
