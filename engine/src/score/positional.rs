//! What queries over positions share: cursors of terms, the documents that can match at all, and the scorer that looks at
//! the positions in each of them.

use super::{Bound, Scorer};
use crate::segment::{NO_MORE_DOCS, Postings};

/// The documents and positions of any of some terms.
pub struct Leaf {
    lists: Vec<Postings>,
    doc: u32,
    /// Positions in the current document of the search, ascending; empty if it has none of the terms.
    positions: Vec<u32>,
}

impl Leaf {
    pub fn new(lists: Vec<Postings>) -> Self {
        let doc = lists.iter().map(Postings::doc).min().unwrap_or(NO_MORE_DOCS);
        Self { lists, doc, positions: vec![] }
    }

    pub fn positions(&self) -> &[u32] {
        &self.positions
    }

    fn advance(&mut self, target: u32) -> u32 {
        if self.doc < target {
            let docs =
                self.lists.iter_mut().map(|list| if list.doc() < target { list.advance(target) } else { list.doc() });
            self.doc = docs.min().unwrap_or(NO_MORE_DOCS);
        }
        self.doc
    }

    fn load(&mut self, doc: u32, scratch: &mut Vec<u32>) {
        self.positions.clear();
        // A leaf that no document needs may lag behind.
        if self.advance(doc) != doc {
            return;
        }
        match self.lists.as_mut_slice() {
            [one] => one.positions(&mut self.positions),
            many => {
                for list in many.iter_mut().filter(|list| list.doc() == doc) {
                    list.positions(scratch);
                    self.positions.extend_from_slice(scratch);
                }
                self.positions.sort_unstable();
                self.positions.dedup();
            }
        }
    }

    fn cost(&self) -> u64 {
        self.lists.iter().map(|list| u64::from(list.doc_freq())).sum()
    }
}

/// Which documents can match, by the leaves they have.
pub enum DocTree {
    Leaf(usize),
    All(Vec<DocTree>),
    Any(Vec<DocTree>),
}

impl DocTree {
    /// The first document at or after `target`, which must not fall behind where the leaves stand.
    fn advance(&self, leaves: &mut [Leaf], target: u32) -> u32 {
        match self {
            Self::Leaf(at) => leaves[*at].advance(target),
            Self::Any(trees) => trees.iter().map(|tree| tree.advance(leaves, target)).min().unwrap_or(NO_MORE_DOCS),
            Self::All(trees) => {
                let mut doc = target;
                // Ends when a whole round agrees; every other round moves on.
                'round: while doc != NO_MORE_DOCS {
                    for tree in trees {
                        let at = tree.advance(leaves, doc);
                        if at > doc {
                            doc = at;
                            continue 'round;
                        }
                    }
                    return if trees.is_empty() { NO_MORE_DOCS } else { doc };
                }
                NO_MORE_DOCS
            }
        }
    }

    fn cost(&self, leaves: &[Leaf]) -> u64 {
        match self {
            Self::Leaf(at) => leaves[*at].cost(),
            Self::All(trees) => trees.iter().map(|tree| tree.cost(leaves)).min().unwrap_or(0),
            Self::Any(trees) => trees.iter().map(|tree| tree.cost(leaves)).sum(),
        }
    }
}

/// What a query over positions makes of a document.
pub trait Matcher {
    /// How often, and how closely, the document matches; 0 if it does not.
    fn freq(&mut self, leaves: &[Leaf]) -> f32;

    fn score(&self, doc: u32, freq: f32) -> f32;

    /// No document scores more.
    fn max_score(&self) -> f32;
}

pub struct PositionalScorer<M> {
    leaves: Vec<Leaf>,
    tree: DocTree,
    pub matcher: M,
    doc: u32,
    freq: f32,
    scratch: Vec<u32>,
}

impl<M: Matcher> PositionalScorer<M> {
    /// On its first candidate; none if there is none.
    pub fn new(leaves: Vec<Leaf>, tree: DocTree, matcher: M) -> Option<Self> {
        let mut scorer = Self { leaves, tree, matcher, doc: 0, freq: 0.0, scratch: vec![] };
        scorer.doc = scorer.tree.advance(&mut scorer.leaves, 0);
        (scorer.doc != NO_MORE_DOCS).then_some(scorer)
    }

    /// Goes to a document, if it matches.
    pub fn seek(&mut self, doc: u32) -> bool {
        self.doc <= doc && self.advance_candidate(doc) == doc && self.matches()
    }

    /// The frequency in the current document.
    pub fn freq(&self) -> f32 {
        self.freq
    }

    fn settle(&mut self) -> u32 {
        while self.doc != NO_MORE_DOCS && !self.matches() {
            self.doc = self.tree.advance(&mut self.leaves, self.doc + 1);
        }
        self.doc
    }
}

impl<M: Matcher> Scorer for PositionalScorer<M> {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        self.advance(self.doc + 1)
    }

    fn advance(&mut self, target: u32) -> u32 {
        if target > self.doc {
            self.advance_candidate(target);
            self.settle();
        }
        self.doc
    }

    fn score(&mut self) -> f32 {
        self.matcher.score(self.doc, self.freq)
    }

    fn cost(&self) -> u64 {
        self.tree.cost(&self.leaves)
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        if target > self.doc {
            self.doc = self.tree.advance(&mut self.leaves, target);
        }
        self.doc
    }

    fn matches(&mut self) -> bool {
        for leaf in &mut self.leaves {
            leaf.load(self.doc, &mut self.scratch);
        }
        self.freq = self.matcher.freq(&self.leaves);
        self.freq > 0.0
    }

    fn is_two_phase(&self) -> bool {
        true
    }

    fn bound(&mut self, _target: u32) -> Bound {
        Bound { last_doc: NO_MORE_DOCS - 1, max: self.matcher.max_score() }
    }
}
