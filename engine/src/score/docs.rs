//! The scorer of documents that all score the same.

use super::{Bound, Scorer, TopScores};
use crate::segment::{DocIterator, NO_MORE_DOCS, WindowBits};

pub struct DocsScorer {
    docs: DocIterator,
    score: f32,
}

impl DocsScorer {
    /// None if there are no documents.
    pub fn boxed(docs: DocIterator, score: f32) -> Option<Box<dyn Scorer>> {
        if docs.doc() == NO_MORE_DOCS { None } else { Some(Box::new(Self { docs, score })) }
    }
}

impl Scorer for DocsScorer {
    fn doc(&self) -> u32 {
        self.docs.doc()
    }

    fn next(&mut self) -> u32 {
        self.docs.next()
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.docs.advance(target)
    }

    fn score(&mut self) -> f32 {
        self.score
    }

    fn cost(&self) -> u64 {
        self.docs.cost()
    }

    fn bound(&mut self, _target: u32) -> Bound {
        Bound { last_doc: NO_MORE_DOCS - 1, max: self.score }
    }

    fn fill(&mut self, upto: u32, bits: &mut WindowBits) {
        self.docs.collect_into(upto, bits);
    }

    fn collect_top(&mut self, upto: u32, top: &mut TopScores) {
        let mut doc = self.docs.doc();
        while doc < upto {
            if self.score <= top.threshold() {
                // None that is left can enter, and those of no segment with deletes can be told without a look at each.
                if !top.is_counting() {
                    self.docs.advance(upto);
                    return;
                }
                if top.live().is_none() {
                    top.add_count(self.docs.count_upto(upto));
                    return;
                }
            }
            top.offer(doc, self.score);
            doc = self.docs.next();
        }
    }
}
